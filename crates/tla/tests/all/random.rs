//! Random specifications: the front-end beside the plain interpreter.
//!
//! The number of specifications and the first seed come from `EVENHAND_CASES` and `EVENHAND_SEED`;
//! `EVENHAND_SPECS` names a folder where each one is written with the answer, for a comparison with TLC
//! (`benches/tla-random.py`).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use evenhand_testkit::tla_specifications::plain::{Answer, Kind, answer};
use evenhand_testkit::tla_specifications::random::{Text, specification};
use evenhand_testkit::tla_specifications::read;

use crate::answers::rows;
use crate::corpus::corpus;
use crate::tlc::{Bounds, Outcome, explore_text};

/// How many expressions the plain interpreter may evaluate for one specification.
const BUDGET: u64 = 1_500_000;
/// How many states a specification may have.
const MOST_STATES: usize = 1000;

fn setting(name: &str, default: u64) -> u64 {
    let asked = std::env::var(name).ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// What the plain interpreter says.
fn plainly(text: &Text, folder: Option<&Path>) -> Result<Answer, String> {
    match read(&text.modules, &text.configuration, folder) {
        Ok(sources) => Ok(answer(&sources, BUDGET, MOST_STATES)),
        Err((files, problems)) => Err(crate::show::told(&files, &problems)),
    }
}

/// What the front-end says.
fn really(text: &Text) -> Outcome {
    let bounds = Bounds {
        states: MOST_STATES as u64 * 2,
        seconds: 60,
        deadlock: true,
        merged: false,
    };
    explore_text(
        ("Spec.tla".to_string(), text.modules.clone()),
        Some(("Spec.cfg".to_string(), text.configuration.clone())),
        bounds,
    )
}

/// The word for an answer, as the front-end's search has it.
fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Success => "success",
        Kind::Violation => "violation",
        Kind::Deadlock => "deadlock",
        Kind::Assumption => "assumption",
        Kind::Error | Kind::Assertion => "error",
        Kind::Limit => "limit",
    }
}

/// How two answers differ, if they do.
fn difference(plain: &Answer, real: &Outcome) -> Option<String> {
    let said = match real.result.as_str() {
        "safety" | "liveness" => "violation",
        other => other,
    };
    let same = word(plain.kind) == said
        && plain.depth == real.depth
        && (plain.kind != Kind::Success
            || (plain.distinct, plain.generated) == (real.distinct, real.generated));
    (!same).then(|| format!("{plain:?}\n{real:?}"))
}

#[test]
fn the_plain_interpreter_says_the_same() {
    let cases = setting("EVENHAND_CASES", 150);
    let first = setting("EVENHAND_SEED", 1);
    let folder = std::env::var("EVENHAND_SPECS").ok();
    // Trees are walked by recursion.
    deeply(move || {
        let mut shares: BTreeMap<&str, u64> = BTreeMap::new();
        let mut wrong = String::new();
        let mut differences = 0;
        let mut states = 0;
        let started = std::time::Instant::now();
        let seconds = setting("EVENHAND_SECONDS", u64::MAX);
        let mut cases = 0..cases;
        for seed in cases.by_ref().map(|case| first + case) {
            if started.elapsed().as_secs() >= seconds {
                break;
            }
            let text = specification(seed);
            let plain = plainly(&text, None).unwrap_or_else(|said| {
                panic!(
                    "seed {seed}: {said}\n{}\n{}",
                    text.modules, text.configuration
                )
            });
            *shares.entry(word(plain.kind)).or_default() += 1;
            if let Some(folder) = &folder {
                write(folder, seed, &text, &plain);
            }
            if plain.kind == Kind::Limit {
                continue;
            }
            states += plain.distinct;
            let real = really(&text);
            if let Some(told) = difference(&plain, &real) {
                differences += 1;
                if differences <= 20 {
                    let _ = writeln!(wrong, "seed {seed}: {told}");
                }
            }
        }
        let cases: u64 = shares.values().sum();
        println!("{cases} specifications from seed {first}: {shares:?}, {states} states");
        assert!(differences == 0, "{differences} differ\n{wrong}");
    });
}

/// Does something with a deep stack.
fn deeply(walk: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(walk);
    if let Err(panic) = thread.expect("a thread").join() {
        std::panic::resume_unwind(panic);
    }
}

/// Traps that the plain interpreter does not know, each with the reason.
const TRAPS: &[(&str, &str)] = &[
    ("T05", "sets of functions are listed"),
    ("T12", "a temporal formula"),
    ("T13", "a temporal formula"),
    ("T18", "a temporal formula"),
    ("T20", "fairness"),
    ("T35", "fairness"),
    ("T36", "fairness"),
    ("T37", "fairness"),
    ("T46", "a temporal formula"),
    ("T47", "a temporal formula"),
    ("T48", "VIEW"),
    ("T51", "TLCGet"),
    ("T54", "a specification with two actions is not refused"),
    ("T56", "a temporal formula"),
    ("T62", "ToString"),
    ("T63", "ToString"),
];

#[test]
fn the_plain_interpreter_knows_the_traps() {
    let Some(folder) = corpus() else { return };
    let folder = folder.join("traps");
    deeply(move || {
        let mut wrong = String::new();
        for row in rows(&folder.join("expected.jsonl")) {
            let file = row["file"].as_str().unwrap_or_default();
            let configuration = row["cfg"].as_str().unwrap_or_default();
            let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
            let text = Text {
                modules: read(file),
                configuration: read(configuration),
            };
            let wanted = match row["result"].as_str().unwrap_or_default() {
                "safety" => "violation",
                "liveness" => "violation",
                other => other,
            };
            let same = match plainly(&text, Some(&folder)) {
                Ok(answer) if wanted == "success" => {
                    let counts = (answer.distinct, answer.generated, answer.depth);
                    let number = |name: &str| row[name].as_u64().unwrap_or_default();
                    let wanted = (number("distinct"), number("generated"), number("depth"));
                    answer.kind == Kind::Success && counts == wanted
                }
                Ok(answer) => word(answer.kind) == wanted,
                Err(_) => wanted == "error",
            };
            let explained = TRAPS.iter().any(|(name, _)| file.starts_with(name));
            if same == explained {
                let told = plainly(&text, Some(&folder));
                let _ = writeln!(wrong, "{file}: {row} {told:?}");
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    });
}

/// Writes a specification with what the plain interpreter says.
fn write(folder: &str, seed: u64, text: &Text, plain: &Answer) {
    let place = Path::new(folder).join(format!("s{seed}"));
    std::fs::create_dir_all(&place).expect("a folder");
    std::fs::write(place.join("Spec.tla"), &text.modules).expect("a file");
    std::fs::write(place.join("Spec.cfg"), &text.configuration).expect("a file");
    let told = format!(
        "{} {} {} {}\n",
        word(plain.kind),
        plain.distinct,
        plain.generated,
        plain.depth
    );
    std::fs::write(place.join("answer"), told).expect("a file");
}
