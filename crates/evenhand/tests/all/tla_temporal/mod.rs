//! Random TLA+ specifications under random fairness, with random temporal formulas: every engine beside brute force.
//!
//! States, steps and the truth of what formulas speak of come from the plain interpreter. The
//! number of cases and the first seed come from `EVENHAND_CASES` and `EVENHAND_SEED`.

mod formulas;
mod oracle;

use std::fmt::Write;

use evenhand::{Check, LoadOptions, Model, Verdict};
use evenhand_testkit::tla_specifications::{plain, read};

use super::common::{cases, first_seed};
use formulas::{Case, case};

const ENGINES: [&str; 6] = [
    "auto",
    "streett",
    "latvala-heljanko",
    "lichtenstein-pnueli",
    "ndfs",
    "feasible",
];

/// More states than this are not looked at.
const MOST_STATES: usize = 40;

/// What brute force says, with fairness and without.
fn brutally(case: &Case) -> Option<(bool, bool)> {
    let sources = match read(&case.text, &case.configuration, None) {
        Ok(sources) => sources,
        Err((_, problems)) => panic!("{}\n{problems:?}", case.text),
    };
    let graph = plain::graph::graph(&sources, MOST_STATES, &case.predicates, &case.actions)?;
    let mut fair = oracle::holds(&graph, &case.formula, &case.fair)?;
    for part in case.formula.safety() {
        fair = fair && oracle::holds(&graph, part, &[])?;
    }
    Some((fair, oracle::holds(&graph, &case.formula, &[])?))
}

/// A case, and what brute force says of it. Of every third seed comes one in which fairness matters, if there is
/// one among the first hundred.
fn small(seed: u64) -> Option<(Case, (bool, bool))> {
    if seed.is_multiple_of(3) {
        let tries = (0..100).map(|again| case(seed + (again << 40)));
        for case in tries.filter(|case| !case.fair.is_empty()) {
            if let Some((true, false)) = brutally(&case) {
                return Some((case, (true, false)));
            }
        }
    }
    let case = case(seed);
    let said = brutally(&case)?;
    Some((case, said))
}

/// What an engine says.
fn said(case: &Case, engine: &str) -> String {
    let mut options = LoadOptions::new();
    options.read.configuration = Some(("Spec.cfg".to_string(), case.configuration.clone()));
    let language = evenhand::language_of_text(&case.text);
    let model = match Model::parse_with("Spec.tla", case.text.clone(), language, &options) {
        Ok(model) => model,
        Err(error) => return format!("error {error}"),
    };
    let report = match Check::new(&model).engine(engine).property("Live").run() {
        Ok(report) => report,
        Err(error) => return format!("error {error}"),
    };
    let result = report.properties.first().expect("an answer");
    match &result.verdict {
        Verdict::Holds => "holds".to_string(),
        Verdict::Violated(_) => "violated".to_string(),
        other => format!("{} {other:?}", other.word()),
    }
}

#[test]
fn every_engine_says_what_brute_force_says() {
    let (cases, first) = (cases(60), first_seed(1));
    let walk = move || {
        let (mut known, mut held, mut changed, mut silent) = (0, 0, 0, 0);
        let mut wrong = String::new();
        for seed in first..first + cases {
            let Some((case, (fair, unfair))) = small(seed) else {
                continue;
            };
            known += 1;
            held += u32::from(fair);
            changed += u32::from(fair != unfair);
            for engine in ENGINES {
                let wanted = if fair { "holds" } else { "violated" };
                let said = said(&case, engine);
                if engine == "ndfs" && (said.starts_with("un") || said.starts_with("error")) {
                    // It takes few strong conditions.
                    silent += 1;
                } else if said != wanted && wrong.len() < 4000 {
                    let _ = writeln!(wrong, "seed {seed}: {engine} says {said}, not {wanted}");
                    let _ = writeln!(wrong, "{}", case.text);
                }
            }
        }
        println!(
            "{known} of {cases} cases from seed {first}: {held} hold, {changed} change without fairness, {silent} without an answer of ndfs"
        );
        assert!(wrong.is_empty(), "{wrong}");
        assert!(known * 2 > cases as u32, "most cases are small enough");
        assert!(changed * 10 >= known * 3, "fairness matters");
        assert!(held * 10 >= known * 3 && (known - held) * 10 >= known * 3);
    };
    let thread = std::thread::Builder::new().stack_size(1 << 28).spawn(walk);
    if let Err(panic) = thread.expect("a thread").join() {
        std::panic::resume_unwind(panic);
    }
}
