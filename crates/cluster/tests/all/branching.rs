//! Formulas of branching time beside one process, which decides them by other means: a product with a tester for each
//! quantifier.

use std::collections::BTreeMap;

use evenhand::{Asking, Language, Model, Options, Promela, Smv};
use evenhand_cluster::Cluster;
use evenhand_logic::random::Random;
use evenhand_system::Kind;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;
use evenhand_verify::{StopReason, Verdict};

use crate::common::{SHAPES, alone, cases, first_seed, processes, together};

/// A formula of CTL, with all its operators.
fn formula(random: &mut Random, atoms: &[String], depth: usize) -> String {
    let choice = random.below(if depth == 0 { 3 } else { 20 });
    let quantifier = ["E", "A"][random.below(2)];
    let mut part = || formula(random, atoms, depth.saturating_sub(1));
    match choice {
        0..=2 => {
            let atom = random.below(atoms.len());
            format!("({})", atoms[atom])
        }
        3 => format!("!({})", part()),
        4 | 5 => format!("({} && {})", part(), part()),
        6 | 7 => format!("({} || {})", part(), part()),
        8 | 9 => format!("{quantifier} X ({})", part()),
        10..=12 => format!("{quantifier} F ({})", part()),
        13..=15 => format!("{quantifier} G ({})", part()),
        16 | 17 => format!("{quantifier} (({}) U ({}))", part(), part()),
        18 => format!("{quantifier} (({}) W ({}))", part(), part()),
        _ => format!("{quantifier} (({}) V ({}))", part(), part()),
    }
}

fn asked(formula: &str, fair: &[String]) -> Asking {
    let mut asking = Asking::default();
    asking.name_properties(&[]);
    asking.request.branching = vec![formula.to_string()];
    asking.request.fair = fair.to_vec();
    asking
}

#[test]
fn random_formulas_of_random_programs_under_fairness() {
    let all: Vec<Vec<Cluster>> = SHAPES.iter().map(|&(p, t)| processes(p, t)).collect();
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    let mut options = Options::default();
    options.limit_states = Some(2_000);
    options.threads = std::num::NonZeroUsize::new(1);
    for seed in first_seed()..first_seed() + cases(20) {
        let case = TemporalProgram::generate(seed, 2, 3);
        let text = case.text();
        let Ok(model) = Model::parse("program.pml", &text, &Promela) else {
            continue;
        };
        let text: (&str, &str, &'static dyn Language) = ("program.pml", &text, &Promela);
        let mut random = Random::new(seed);
        let settings = [
            vec![],
            vec!["weak".to_string()],
            vec!["strong".to_string()],
            case.assumptions.clone(),
        ];
        for (number, fair) in settings.iter().enumerate() {
            let formula = formula(&mut random, &case.atoms, 3);
            let asking = asked(&formula, fair);
            let Ok(one) = alone(&model, &asking, &options) else {
                continue;
            };
            let one = &one.properties[0];
            let clusters = &all[(seed as usize + number) % all.len()];
            let many = together(clusters, text, &asking, &options).expect("an answer");
            let many = &many.properties[0];
            let about = format!("{formula} under {fair:?} of\n{}", text.1);
            let what = match (&one.verdict, &many.verdict) {
                (Verdict::Unknown(_), Verdict::Unknown(_)) => "unknown",
                // One process answers what does not depend on the states, and where a step decides.
                (_, Verdict::Unknown(StopReason::States | StopReason::NoValue(_))) => "left",
                (Verdict::Unknown(_), _) => "more",
                (one, many) => {
                    assert_eq!(one.word(), many.word(), "{about}");
                    one.word()
                }
            };
            if what == "holds" && one.engine == Some("ctl-star") {
                let counts = (one.states, one.transitions);
                assert_eq!(counts, (many.states, many.transitions), "{about}");
            }
            *tally.entry(what).or_default() += 1;
        }
    }
    println!("{tally:?}");
    let of = |what: &str| tally.get(what).copied().unwrap_or(0);
    assert!(of("holds") > 2 && of("violated") > 2, "{tally:?}");
    assert!(
        10 * (of("left") + of("more")) <= of("holds") + of("violated"),
        "{tally:?}"
    );
}

/// Under fairness quantifiers range over fair runs: the same formulas of a model where that decides.
#[test]
fn fairness_decides() {
    let text = "byte n; active proctype p() { do :: n = 1 :: n = 2 :: n == 2 -> n = 3 od }";
    let text: (&str, &str, &'static dyn Language) = ("fair.pml", text, &Promela);
    let clusters = processes(2, 1);
    let verdict = |formula: &str, fair: &[&str]| {
        let fair: Vec<String> = fair.iter().map(ToString::to_string).collect();
        let many = together(&clusters, text, &asked(formula, &fair), &Options::default());
        many.expect("an answer").properties.remove(0).verdict
    };
    let justice = ["just:n == 2"];
    let both = [justice[0], "compassion:n == 2=>n == 3"];
    for fair in [&[][..], &justice, &both] {
        assert!(verdict("A F (n == 1 || n == 2)", fair).holds());
        assert!(verdict("A G E F (n == 3)", fair).holds());
        let is_decided = fair.len() == 2;
        assert_eq!(verdict("E G (n != 3)", fair).holds(), !is_decided);
        assert_eq!(verdict("A G A F (n == 3)", fair).holds(), is_decided);
        assert!(verdict("E (n < 3 W n == 3)", fair).holds());
    }
}

/// Where fairness is about inputs, quantifiers choose among the states that differ in the next input alone.
#[test]
fn inputs_are_chosen() {
    let text = "MODULE main\nIVAR go : boolean;\nVAR x : boolean; n : 0..5;\n\
                ASSIGN init(x) := FALSE; next(x) := go;\ninit(n) := 0; next(n) := go ? (n + 1) mod 6 : n;\n\
                JUSTICE go;\nCTLSPEC NAME comes := AG AF x;\nCTLSPEC NAME may := AG EX !x;\n\
                CTLSPEC NAME never := EG !x;\nCTLSPEC NAME stays := E [!x U n = 2];\nCTLSPEC NAME both := EX x & EX !x;\n";
    let text: (&str, &str, &'static dyn Language) = ("model.smv", text, &Smv);
    let model = Model::parse(text.0, text.1, text.2).expect("a model");
    let words = |report: evenhand::Report| -> Vec<&'static str> {
        let properties = report.properties.iter();
        let formulas = properties.filter(|p| p.kind == Kind::Ctl);
        formulas.map(|p| p.verdict.word()).collect()
    };
    let mut options = Options::default();
    options.engine = Some("streett".to_string());
    let one = alone(&model, &Asking::default(), &options).expect("answers");
    let one = words(one);
    let (holds, violated) = ("holds", "violated");
    assert_eq!(one, [holds, holds, violated, violated, holds]);
    for (count, threads) in [(1, 1), (2, 1), (3, 2)] {
        let clusters = processes(count, threads);
        let many = together(&clusters, text, &Asking::default(), &options);
        assert_eq!(one, words(many.expect("answers")));
    }
}

/// What CTL* has beyond CTL stays open, with its reason.
#[test]
fn beyond_ctl_stays_open() {
    let text = "byte n; active proctype p() { do :: n = 1 :: n = 2 od }";
    let text: (&str, &str, &'static dyn Language) = ("two.pml", text, &Promela);
    let clusters = processes(2, 1);
    let asking = asked("E (G F (n == 1) && G F (n == 2))", &[]);
    let many = together(&clusters, text, &asking, &Options::default());
    match &many.expect("an answer").properties[0].verdict {
        Verdict::Unknown(StopReason::Unsupported(reason)) => {
            assert!(reason.contains("no formula of CTL"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}
