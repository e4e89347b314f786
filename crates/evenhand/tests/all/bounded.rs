//! Bounded checks and all shortest runs: what they say must follow from the unbounded check, whose
//! lengths other tests compare with brute force.

use std::path::{Path, PathBuf};

use evenhand::{Counterexample, Counterexamples, Model, PropertyResult};

use crate::common::Asked;

fn models() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/promela");
    let files = std::fs::read_dir(folder).expect("the example models");
    let mut files: Vec<PathBuf> = files.map(|f| f.expect("an entry").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "pml"));
    files.sort();
    files
}

fn answers(path: &Path, asked: &Asked) -> Vec<PropertyResult> {
    let model = Model::load(path).expect("an example model");
    asked.run(&model).expect("an answer").properties
}

fn run_of(result: &PropertyResult) -> Option<&Counterexample> {
    result.verdict.run()
}

/// With no, weak and strong fairness of all processes.
const FAIRNESS: [&[&str]; 3] = [&[], &["weak"], &["strong"]];

fn under(fair: &[&str]) -> Asked {
    let mut asked = Asked::default();
    asked.fair(fair);
    asked.asking.request.no_fairness = true;
    asked
}

#[test]
fn a_bound_finds_what_it_reaches_and_nothing_more() {
    let (mut reached, mut missed, mut whole) = (0, 0, 0);
    for path in models() {
        for fair in FAIRNESS {
            let asked = under(fair);
            for known in answers(&path, &asked) {
                let mut bounded = asked.clone();
                bounded.name_properties(&[&known.name]);
                let about = format!("{} {} {fair:?}", path.display(), known.name);
                let Some(run) = run_of(&known) else {
                    assert_eq!(known.verdict.word(), "holds", "{about}");
                    bounded.options.max_depth = Some(1_000_000);
                    let answer = &answers(&path, &bounded)[0];
                    assert_eq!(answer.verdict.word(), "holds", "{about}");
                    bounded.options.max_depth = Some(1);
                    let answer = &answers(&path, &bounded)[0];
                    assert_ne!(answer.verdict.word(), "violated", "{about}");
                    whole += 1;
                    continue;
                };
                assert!(run.shortest, "{about}");
                bounded.options.max_depth = Some(run.len() as u64);
                let answer = &answers(&path, &bounded)[0];
                let found = run_of(answer).expect(&about);
                assert_eq!(found.len(), run.len(), "{about}");
                assert!(found.shortest, "{about}");
                reached += 1;
                if !run.is_empty() {
                    bounded.options.max_depth = Some(run.len() as u64 - 1);
                    let answer = &answers(&path, &bounded)[0];
                    assert_eq!(answer.verdict.word(), "unknown", "{about}");
                    missed += 1;
                }
            }
        }
    }
    println!("{reached} reached, {missed} just missed, {whole} hold");
    assert!(reached >= 15 && missed >= 15 && whole >= 40);
}

#[test]
fn all_shortest_runs_differ_and_the_first_is_the_shortest() {
    let mut several = 0;
    for path in models() {
        for fair in FAIRNESS {
            let asked = under(fair);
            let mut all = asked.clone();
            all.options.counterexample = Counterexamples::All;
            for (one, many) in answers(&path, &asked).iter().zip(answers(&path, &all)) {
                let about = format!("{} {} {fair:?}", path.display(), one.name);
                assert_eq!(one.verdict.word(), many.verdict.word(), "{about}");
                let (Some(one), Some(first)) = (run_of(one), run_of(&many)) else {
                    assert!(many.others.is_empty(), "{about}");
                    continue;
                };
                assert_eq!(one.len(), first.len(), "{about}");
                let runs: Vec<&Counterexample> =
                    std::iter::once(first).chain(&many.others).collect();
                for (number, run) in runs.iter().enumerate() {
                    assert!(run.len() >= first.len(), "{about}");
                    let is_same =
                        |r: &&&Counterexample| r.prefix == run.prefix && r.cycle == run.cycle;
                    assert_eq!(runs.iter().filter(is_same).count(), 1, "{about}: {number}");
                }
                several += usize::from(runs.len() > 1);
            }
        }
    }
    println!("{several} properties with several runs");
    assert!(several >= 5);
}
