//! Random TLA+ specifications under random fairness, with random temporal formulas: every engine beside brute force.
//!
//! States, steps and the truth of what formulas speak of come from the plain interpreter. The
//! number of cases and the first seed come from `EVENHAND_CASES` and `EVENHAND_SEED`.

mod formulas;
mod oracle;

use std::fmt::Write;
use std::num::NonZeroUsize;

use evenhand::{Check, LoadOptions, Model, Report, Verdict};
use evenhand_testkit::tla_specifications::{plain, read};

use super::common::{cases, first_seed};
use formulas::{Case, Formula, case};

const ENGINES: [&str; 7] = [
    "auto",
    "streett",
    "latvala-heljanko",
    "lichtenstein-pnueli",
    "ndfs",
    "feasible",
    "symbolic",
];

/// Those that take few strong conditions, or only fairness of actions that the next-state action tries.
const CHOOSY: [&str; 2] = ["ndfs", "symbolic"];

/// More states than this are not looked at.
const MOST_STATES: usize = 40;

/// What brute force says, with fairness and without.
fn brutally(case: &Case) -> Option<(bool, bool)> {
    let sources = match read(&case.text, &case.configuration, None) {
        Ok(sources) => sources,
        Err((_, problems)) => panic!("{}\n{problems:?}", case.text),
    };
    let graph = plain::graph::graph(&sources, MOST_STATES, &case.predicates, &case.actions)?;
    let mut parts = vec![case.formula.clone()];
    let assumed = case.assumed.iter();
    parts.extend(assumed.map(|formula| Formula::Not(Box::new(formula.clone()))));
    let whole = Formula::Or(parts);
    let mut fair = oracle::holds(&graph, &whole, &case.fair)?;
    for part in case.formula.safety() {
        fair = fair && oracle::holds(&graph, part, &[])?;
    }
    Some((fair, oracle::holds(&graph, &whole, &[])?))
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

/// The specification of a case.
fn model(case: &Case) -> Result<Model, String> {
    let mut options = LoadOptions::new();
    options.read.configuration = Some(("Spec.cfg".to_string(), case.configuration.clone()));
    let language = evenhand::language_of_text(&case.text);
    Model::parse_with("Spec.tla", case.text.clone(), language, &options)
        .map_err(|error| format!("error {error}"))
}

/// What an engine says, where errors are asked for beside or not.
fn said(case: &Case, engine: &str, beside: bool) -> String {
    let model = match model(case) {
        Ok(model) => model,
        Err(error) => return error,
    };
    let check = Check::new(&model).engine(engine);
    let check = if beside {
        check
    } else {
        check.property("Live")
    };
    let report = match check.run() {
        Ok(report) => report,
        Err(error) => return format!("error {error}"),
    };
    let mut results = report.properties.iter();
    let result = results.find(|one| one.name == "Live").expect("an answer");
    match &result.verdict {
        Verdict::Holds => "holds".to_string(),
        Verdict::Violated(_) => "violated".to_string(),
        other => format!("{} {other:?}", other.word()),
    }
}

/// All that is said of states and steps: verdicts, how short the ways to violations are, and how many states there are.
fn of_states(report: &Report) -> String {
    let mut text = format!("{:?}\n", report.counted);
    let results = report.properties.iter().filter(|one| one.name != "Live");
    for result in results {
        let length = match &result.verdict {
            Verdict::Violated(Some(run)) => format!("{} {}", run.prefix.len(), run.shortest),
            _ => String::new(),
        };
        let word = result.verdict.word();
        let _ = writeln!(text, "{} {word} {} {length}", result.name, result.states);
    }
    text
}

/// Errors are looked for in the states that questions about runs need, where there are any.
#[test]
fn errors_are_the_same_beside_questions_about_runs() {
    let (cases, first) = (cases(60), first_seed(1));
    let walk = move || {
        let (mut known, mut broken) = (0, 0);
        for seed in first..first + cases {
            let case = case(seed);
            let safe = format!("Safe == P{}(0) \\/ P1(1)\n====", seed % 3);
            let case = Case {
                text: case.text.replace("====", &safe),
                configuration: case
                    .configuration
                    .replace("CHECK_DEADLOCK FALSE", "INVARIANT Safe"),
                ..case
            };
            let Ok(model) = model(&case) else {
                panic!("seed {seed}: no model\n{}", case.text);
            };
            let threads = NonZeroUsize::MIN.saturating_add((seed % 2) as usize);
            let whole = Check::new(&model)
                .threads(threads)
                .limit_states(5_000)
                .run();
            let mut alone = Check::new(&model).limit_states(5_000);
            for name in ["runtime-error", "deadlock", "Safe"] {
                alone = alone.property(name);
            }
            let alone = alone.run();
            let (whole, alone) = (whole.expect("a report"), alone.expect("a report"));
            let (whole, alone) = (of_states(&whole), of_states(&alone));
            assert_eq!(whole, alone, "seed {seed}\n{}", case.text);
            known += 1;
            broken += u32::from(alone.contains("violated"));
        }
        println!("{known} specifications, {broken} with an error, {known} equal");
        assert!(broken * 5 >= known, "some errors are found");
    };
    with_stack(walk);
}

/// A test on a stack of its own.
fn with_stack(walk: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 28).spawn(walk);
    if let Err(panic) = thread.expect("a thread").join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn every_engine_says_what_brute_force_says() {
    let (cases, first) = (cases(60), first_seed(1));
    let walk = move || {
        let (mut known, mut held, mut changed, mut silent, mut failed) = (0, 0, 0, [0; 2], 0);
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
                let said = said(&case, engine, engine == "auto" && seed % 2 == 0);
                let choosy = CHOOSY.iter().position(|one| *one == engine);
                let is_silent = said.starts_with("un") || said.starts_with("error");
                if let Some(place) = choosy.filter(|_| is_silent) {
                    silent[place] += 1;
                } else if said != wanted {
                    failed += 1;
                    if wrong.len() > 4000 {
                        continue;
                    }
                    let _ = writeln!(wrong, "seed {seed}: {engine} says {said}, not {wanted}");
                    let _ = writeln!(wrong, "{}", case.text);
                }
            }
        }
        println!(
            "{known} of {cases} cases from seed {first}: {held} hold, {changed} change without fairness, {silent:?} without an answer of {CHOOSY:?}"
        );
        assert!(silent[1] < known, "sets decide some");
        assert!(wrong.is_empty(), "{failed} answers differ\n{wrong}");
        assert!(known * 2 > cases as u32, "most cases are small enough");
        assert!(changed * 10 >= known * 3, "fairness matters");
        assert!(held * 10 >= known * 3 && (known - held) * 10 >= known * 3);
    };
    with_stack(walk);
}
