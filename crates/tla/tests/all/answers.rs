//! TLC's answers: the traps, and the public specifications.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::corpus::corpus;
use super::tlc::{Bounds, Outcome, explore};

/// Traps where the answer differs, each with the reason.
const TRAPS: &[(&str, &str)] = &[
    ("T16", "`<=>` between temporal formulas has a meaning here"),
    ("T17", "actions may stand anywhere in temporal formulas"),
    ("T34", "fairness is not looked at in a search for safety"),
];

/// A row of the corpus: the ends of the module's and of the configuration's path, and the reason why the answer differs.
type Row = (&'static str, &'static str, &'static str);

/// Rows that cannot be compared: they ask for draws of TLC's own generator, classes of Java, files or texts of errors, or TLC
/// ends with what it says about a temporal formula.
const BESIDE: &[Row] = &[
    (
        "EWD998ChanTrace.tla",
        "EWD998ChanTrace.cfg",
        "the log that it follows is read from a file",
    ),
    (
        "DistBakery3aAuxMC.tla",
        "DistBakery3aAuxMC.tla",
        "fairness is not looked at in a search for safety, and so neither are its errors",
    ),
    (
        "Github648.tla",
        "Github648.cfg",
        "the graph is drawn at random",
    ),
    (
        "Github696.tla",
        "Github696.cfg",
        "the text of an error is compared with TLC's",
    ),
    (
        "Github742.tla",
        "Github742.cfg",
        "TLC refuses a temporal formula for its size",
    ),
    (
        "UserModuleOverride.tla",
        "UserModuleOverride.cfg",
        "a module is overridden by a class of Java",
    ),
    (
        "specifications/SpanningTree/SpanTreeRandom.tla",
        "SpanTreeRandom.cfg",
        "the graph is drawn at random",
    ),
];

/// Rows where the answer differs.
const DIFFERENCES: &[Row] = &[
    (
        "DieHardTLA.tla",
        "DieHardTLA.cfg",
        "there is no module `_Possible`",
    ),
    (
        "TLCExtTrace.tla",
        "TLCExtTrace.tla",
        "Trace has no value: it is no function of the state",
    ),
    (
        "cdot/CdotWithContextD.tla",
        "CdotWithContextD.cfg",
        "the state between two actions is not the one behind the step",
    ),
    (
        "specifications/braf/BufferedRandomAccessFile.tla",
        "BufferedRandomAccessFile.cfg",
        "the depth is 10, as TLC says when it is asked again; the table has 11",
    ),
];

/// How many distinct states a row of the corpus may have to be compared; `EVENHAND_CORPUS_STATES` says another number.
const STATES: u64 = 1500;

pub fn rows(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("a table");
    let rows = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"));
    rows.collect()
}

/// What is different from the expected answer, if anything is.
fn difference(row: &Value, got: &Outcome) -> Option<String> {
    let wanted = row["result"].as_str().unwrap_or_default();
    // A property of steps or of initial states is safety, whatever code TLC ends with; of temporal formulas only the
    // safety part is looked at.
    let safe = |result: &str| matches!(result, "safety" | "liveness");
    // A temporal formula that a finite run breaks has the code of safety, and is one all the same.
    let is_temporal = wanted == "liveness" || row["kind"] == "temporal";
    // A failed assertion is an error in one table and a violation in the other.
    let asserted = got.message.contains("assertion violated") && wanted == "safety";
    let same = wanted == got.result
        || asserted
        || (safe(wanted) && safe(&got.result))
        || (is_temporal && got.result == "success" && got.temporal > 0);
    let mut text = String::new();
    if !same {
        let _ = write!(text, "{wanted} and {} ({})", got.result, got.message);
    } else if wanted == "success" {
        let counts = [
            ("distinct", got.distinct),
            ("generated", got.generated),
            ("depth", got.depth),
        ];
        for (name, own) in counts {
            if let Some(other) = row[name].as_u64().filter(|&other| other != own) {
                let _ = write!(text, "{name} {other} and {own} ");
            }
        }
    }
    (!text.is_empty()).then_some(text)
}

#[test]
fn traps() {
    let Some(folder) = corpus() else { return };
    let folder = folder.join("traps");
    let mut wrong = String::new();
    let mut count = 0;
    for row in rows(&folder.join("expected.jsonl")) {
        let file = row["file"].as_str().unwrap_or_default();
        let configuration = row["cfg"].as_str().map(|name| folder.join(name));
        let bounds = Bounds {
            states: 2000,
            seconds: 20,
            deadlock: true,
            merged: false,
        };
        let got = explore(&folder.join(file), configuration.as_deref(), bounds);
        count += 1;
        let explained = TRAPS.iter().any(|(name, _)| file.starts_with(name));
        match (difference(&row, &got), explained) {
            (Some(text), false) => writeln!(wrong, "{file}: {text}").unwrap_or_default(),
            (None, true) => writeln!(wrong, "{file} is as TLC says by now").unwrap_or_default(),
            _ => {}
        }
    }
    assert_eq!(count, 63);
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is compared of the corpus, and what came out.
#[derive(Default)]
struct Compared {
    rows: usize,
    same: usize,
    /// Those that cannot be compared.
    beside: usize,
    /// Larger rows that were not finished in their time.
    unfinished: usize,
    wrong: Vec<String>,
}

impl Compared {
    fn add(&mut self, row: &Value, got: &Outcome) {
        let file = row["file"].as_str().unwrap_or_default();
        let configuration = row["cfg"].as_str().unwrap_or_default();
        let is_own =
            |(module, cfg, _): &&Row| file.ends_with(module) && configuration.ends_with(cfg);
        let beside = BESIDE.iter().find(is_own);
        let reason = beside.or(DIFFERENCES.iter().find(is_own));
        self.rows += 1;
        self.beside += usize::from(beside.is_some());
        match (difference(row, got), reason) {
            (Some(_), None) if got.result == "limit" && !is_small(row, STATES) => {
                self.unfinished += 1;
            }
            (Some(text), None) => self.wrong.push(format!("{file} {configuration}: {text}")),
            (None, Some((_, _, reason))) => {
                let text = format!("{file} {configuration} is as TLC says by now: {reason}");
                self.wrong.push(text);
            }
            (None, None) => self.same += 1,
            (Some(text), Some((_, _, reason))) => {
                println!("{file} {configuration}: {text}\n    since {reason}");
            }
        }
    }
}

/// Whether TLC has at most so many states, or has an error before it counts any.
fn is_small(row: &Value, states: u64) -> bool {
    match row["distinct"].as_u64() {
        Some(distinct) => distinct <= states,
        None => matches!(row["result"].as_str(), Some("error" | "assumption")),
    }
}

#[test]
fn corpus_as_tlc() {
    let Some(folder) = corpus() else { return };
    let asked = std::env::var("EVENHAND_CORPUS_STATES").ok();
    let asked = asked.map(|text| text.parse().expect("a number of states"));
    let states = asked.unwrap_or(STATES);
    let rows = rows(&folder.join("expected.jsonl"));
    let rows: Vec<&Value> = rows.iter().filter(|row| is_small(row, states)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let compared = std::sync::Mutex::new(Compared::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(row) =
                    rows.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    let path = |key: &str| row[key].as_str().map(|name| folder.join(name));
                    let file = path("file").expect("a module");
                    let args = row["tlc_args"].as_array();
                    let off = args.is_some_and(|args| args.iter().any(|arg| arg == "-deadlock"));
                    let bounds = Bounds {
                        states: 4 * states,
                        seconds: 120,
                        deadlock: !off,
                        merged: true,
                    };
                    let got = explore(&file, path("cfg").as_deref(), bounds);
                    compared.lock().expect("a result").add(row, &got);
                }
            });
        }
    });
    let compared = compared.into_inner().expect("results");
    println!(
        "{} rows: {} as TLC says, {} that cannot be compared, {} not finished",
        compared.rows, compared.same, compared.beside, compared.unfinished
    );
    // Those that cannot be compared count as different.
    let (rows, same) = (compared.rows, compared.same);
    assert!(
        rows >= 200 && (rows - same) * 100 <= 3 * rows,
        "{same} of {rows}"
    );
    assert!(compared.wrong.is_empty(), "{}", compared.wrong.join("\n"));
}
