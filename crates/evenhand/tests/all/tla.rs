//! TLA+ specifications under fairness, against what TLC said about them.
//!
//! The specifications stand beside the repository, in `../shared/corpora/tla`; where they are missing the tests are skipped with
//! a message. Here verdicts count, temporal ones included; numbers of states are compared in the crate of the
//! front-end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use evenhand::{Check, Counterexamples, Kind, LoadOptions, Model, Verdict};
use serde_json::Value;

fn folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpora/tla")
        .join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: no specifications beside the repository");
    None
}

fn rows(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("expected.jsonl")).expect("a table");
    let rows = text.lines();
    rows.map(|line| serde_json::from_str(line).expect("a row"))
        .collect()
}

/// What is said of a specification, in the words of the tables; `unknown` with the reason where nothing is.
fn said(folder: &Path, row: &Value, engine: &str) -> String {
    let path = |key: &str| row[key].as_str().map(|name| folder.join(name));
    let mut options = LoadOptions::new();
    options.read.configuration = path("cfg").map(|path| {
        let text = std::fs::read_to_string(&path).expect("a configuration");
        (path.display().to_string(), text)
    });
    let model = match Model::load_with(path("file").expect("a file"), &options) {
        Ok(model) => model,
        Err(error) => return format!("error {error}"),
    };
    let check = Check::new(&model)
        .engine(engine)
        .counterexample(Counterexamples::First)
        .limit_time(Duration::from_secs(20));
    let report = match check.run() {
        Ok(report) => report,
        Err(error) => return format!("error {error}"),
    };
    let ends = !row["tlc_args"].to_string().contains("-deadlock");
    let mut open = None;
    for result in &report.properties {
        match (&result.verdict, result.kind) {
            (Verdict::Violated(_), Kind::Deadlock) if !ends => {}
            // Some ask for what only TLC knows of itself, such as `TLCGet("all:named")`.
            (Verdict::Unknown(_), Kind::Postcondition) => {}
            (Verdict::Violated(_), kind) => {
                return match kind {
                    Kind::Assumption | Kind::Possible => "assumption",
                    Kind::Deadlock => "deadlock",
                    Kind::RuntimeError | Kind::Assertion => "error",
                    Kind::Temporal => "liveness",
                    _ => "safety",
                }
                .to_string();
            }
            (Verdict::Unknown(reason), _) => {
                open = Some(format!("unknown {}: {reason}", result.name))
            }
            _ => {}
        }
    }
    open.unwrap_or_else(|| "success".to_string())
}

/// What draws decide is not the same each time: nothing is said about whole runs, and that is told.
#[test]
fn random_draws_prove_nothing_about_runs() {
    let text = "---- MODULE R ----\nEXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n\
                Next == x' = RandomElement(0..3)\nSpec == Init /\\ [][Next]_x /\\ WF_x(Next)\n\
                Inv == x < 9\nLive == []<>(x = 1)\n====\n";
    let mut options = LoadOptions::new();
    let configuration = "SPECIFICATION Spec\nINVARIANT Inv\nPROPERTY Live\n";
    options.read.configuration = Some(("R.cfg".to_string(), configuration.to_string()));
    let language = evenhand::language_of_text(text);
    assert_eq!(language.name(), "tla");
    let model = Model::parse_with("R.tla", text.to_string(), language, &options).expect("a model");
    let report = Check::new(&model).run().expect("a report");
    let verdict = |name: &str| {
        let mut all = report.properties.iter();
        &all.find(|result| result.name == name)
            .expect("a property")
            .verdict
    };
    assert!(matches!(verdict("Live"), Verdict::Unknown(_)));
    assert!(matches!(verdict("Inv"), Verdict::Holds));
    assert!(
        report
            .notes
            .iter()
            .any(|note| format!("{note:?}").contains("random draws"))
    );
}

/// What cannot be decided is named; steps are called with their arguments beside formulas about steps, too, and fairness
/// as the specification has it.
#[test]
fn temporal_formulas_are_told_by_name() {
    let text = "---- MODULE T ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n\
                Inc(p) == x < 3 /\\ x' = x + p\nNext == \\E p \\in 1..2 : Inc(p)\n\
                Spec == Init /\\ [][Next]_x /\\ WF_x(\\E p \\in 1..2 : Inc(p))\n\
                Hidden == \\EE z : [](z = x)\nAll == \\AA z : [](z = x)\n\
                Odd == [](x = 0 => <><<Inc(1)>>_x)\n====\n";
    let mut options = LoadOptions::new();
    let configuration = "SPECIFICATION Spec\nPROPERTIES Hidden All Odd\nCHECK_DEADLOCK FALSE\n";
    options.read.configuration = Some(("T.cfg".to_string(), configuration.to_string()));
    let language = evenhand::language_of_text(text);
    let model = Model::parse_with("T.tla", text.to_string(), language, &options).expect("a model");
    let report = Check::new(&model).run().expect("a report");
    let of = |name: &str| {
        let mut all = report.properties.iter();
        &all.find(|one| one.name == name)
            .expect("a property")
            .verdict
    };
    for (name, word) in [("Hidden", "\\EE"), ("All", "\\AA")] {
        let Verdict::Unknown(reason) = of(name) else {
            panic!("{name} is decided");
        };
        assert!(reason.to_string().contains(word), "{reason}");
    }
    let Verdict::Violated(Some(run)) = of("Odd") else {
        panic!("{:?}", of("Odd"));
    };
    let told = format!("{:?}", run.prefix);
    assert!(told.contains("Inc(2)"), "{told}");
}

/// A part of a property that is about single states is asked of all of them, as TLC does, also where no fair behaviour goes
/// on: here fairness asks for a step that the next-state action has not.
#[test]
fn states_without_fair_behaviours_are_asked_too() {
    let text = "---- MODULE Stuck ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n\
                Next == x = 0 /\\ x' = 1\nAway == x' = 5\nSpec == Init /\\ [][Next]_x /\\ WF_x(Away)\n\
                Both == [](x = 0) /\\ <>(x = 7)\nLater == <>(x = 7)\nKept == [](x < 3) /\\ <>(x = 7)\n====\n";
    let mut options = LoadOptions::new();
    let configuration = "SPECIFICATION Spec\nPROPERTIES Both Later Kept\nCHECK_DEADLOCK FALSE\n";
    options.read.configuration = Some(("Stuck.cfg".to_string(), configuration.to_string()));
    let language = evenhand::language_of_text(text);
    let model =
        Model::parse_with("Stuck.tla", text.to_string(), language, &options).expect("a model");
    for engine in [
        "auto",
        "latvala-heljanko",
        "lichtenstein-pnueli",
        "feasible",
    ] {
        let report = Check::new(&model).engine(engine).run().expect("a report");
        let of = |name: &str| {
            let mut all = report.properties.iter();
            &all.find(|one| one.name == name)
                .expect("a property")
                .verdict
        };
        assert!(of("Later").holds() && of("Kept").holds(), "{engine}");
        let Verdict::Violated(Some(run)) = of("Both") else {
            panic!("{engine}: a state breaks it");
        };
        assert_eq!((run.prefix.len(), run.cycle.len()), (2, 0), "{engine}");
    }
}

/// Strong fairness of N actions: TLC makes 2^N searches of them.
#[test]
fn many_strong_conditions() {
    let Some(folder) = folder("strong-fairness") else {
        return;
    };
    let mut count = 0;
    for row in rows(&folder) {
        let name = row["cfg"].as_str().unwrap_or_default();
        // A property for each of many actions is one automaton, which grows with them.
        let size: u32 = name
            .trim_end_matches(".cfg")
            .rsplit('_')
            .next()
            .and_then(|size| size.parse().ok())
            .unwrap_or(0);
        let whole = name.contains("Lead") || name.contains("Prop");
        if whole && size > 10 {
            continue;
        }
        let wanted = match row["result"].as_str() {
            // Those that TLC did not finish hold.
            Some("timeout") => "success",
            Some(other) => other,
            None => panic!("{name}: no answer"),
        };
        for engine in [
            "auto",
            "latvala-heljanko",
            "lichtenstein-pnueli",
            "feasible",
        ] {
            assert_eq!(
                said(&folder, &row, engine),
                wanted,
                "{name}, engine {engine}"
            );
        }
        count += 1;
    }
    assert!(count >= 15, "{count} rows");
}

/// Small public specifications with temporal properties.
#[test]
fn temporal_properties() {
    let Some(folder) = folder("") else {
        return;
    };
    let most = std::env::var("EVENHAND_TLA_STATES").ok();
    let most: u64 = most.and_then(|most| most.parse().ok()).unwrap_or(120);
    let (mut count, mut live, mut wrong) = (0, 0, Vec::new());
    for row in rows(&folder) {
        let wanted = row["result"].as_str().unwrap_or_default();
        let small = row["distinct"]
            .as_u64()
            .is_some_and(|states| states <= most);
        let doubtful = row["caution"].to_string().contains("no oracle");
        let temporal = !row["live_branches"].is_null();
        if !small || !temporal || doubtful || !matches!(wanted, "success" | "liveness") {
            continue;
        }
        let file = row["file"].as_str().unwrap_or_default();
        if EXPLAINED.iter().any(|(name, _)| file.ends_with(name)) {
            continue;
        }
        let own = said(&folder, &row, "auto");
        count += 1;
        live += u32::from(wanted == "liveness");
        if own != wanted {
            wrong.push(format!("{file} {}: {wanted} and {own}", row["cfg"]));
        }
    }
    println!("{count} specifications, {live} of them with a violation");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 60 && live >= 15, "{count}, {live}");
}

/// Specifications where the answer differs, each with the reason.
const EXPLAINED: &[(&str, &str)] = &[
    (
        "TLCGetLevel.tla",
        "an assumption asks for the level, of which there is none yet",
    ),
    (
        "UserModuleOverride.tla",
        "a class of Java in place of a definition",
    ),
    (
        "UserModuleOverrideAnnotation.tla",
        "it asks for registers, which are no part of a state",
    ),
];
