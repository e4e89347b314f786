//! Nets with the answers that Maria gave, and those of a brute force checker where Maria is wrong.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};

use evenhand_system::{PropositionId, Request, Specification, Successors, Wanted, What};
use evenhand_verify::{Asking, Certify, Counterexamples, Options, Silent, check};
use serde_json::Value;

use super::load;

/// The folder of the nets; none if it is not there.
fn folder() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/petri/maria");
    if !path.is_dir() {
        println!("skipped: no nets in {}", path.display());
        return None;
    }
    Some(path)
}

fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the table");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect()
}

fn word<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().unwrap_or_default()
}

fn read(folder: &Path, net: &str, options: &str) -> Box<dyn Specification> {
    let bytes = std::fs::read(folder.join(net)).expect("a net");
    let text = String::from_utf8_lossy(&bytes);
    let defines: Vec<&str> = options
        .split_whitespace()
        .filter_map(|o| o.strip_prefix("-D"))
        .collect();
    load(&text, &defines).unwrap_or_else(|error| panic!("{net}: {error}"))
}

/// What a search through all markings finds.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    pub states: u64,
    pub arcs: u64,
    pub deadlocks: u64,
    deadlock_reports: u64,
    rejected: u64,
}

/// Searches through all markings; those to be rejected are not expanded, as Maria does it.
pub fn search(model: &dyn Specification) -> Found {
    let mut request = Request::default();
    request.properties = Wanted::Stated;
    let inquiry = model
        .resolve(&request)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut reject: Option<PropositionId> = None;
    let mut deadlock = false;
    for question in &inquiry.questions {
        match &question.what {
            What::Invariant(formula) => reject = formula.atoms.first().copied(),
            What::Ends => deadlock = true,
            _ => {}
        }
    }
    let system = inquiry
        .body
        .explicit()
        .unwrap_or_else(|_| panic!("explicit"));
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    let mut found = Found::default();
    let mut known: HashMap<Vec<u8>, ()> = HashMap::new();
    let mut open = VecDeque::new();
    explorer.initial(&mut out);
    for index in 0..out.len() {
        known.insert(out.state(index).to_vec(), ());
        open.push_back(out.state(index).to_vec());
    }
    while let Some(state) = open.pop_front() {
        found.states += 1;
        if let Some(reject) = reject
            && explorer.holds(reject, &state).expect("a value")
        {
            found.rejected += 1;
            continue;
        }
        explorer.expand(&state, &mut out);
        assert!(out.faults().is_empty(), "{:?}", out.faults());
        found.arcs += out.len() as u64;
        if out.is_empty() {
            found.deadlocks += 1;
            found.deadlock_reports += u64::from(deadlock && !explorer.is_valid_end(&state));
        }
        for index in 0..out.len() {
            let next = out.state(index);
            if !known.contains_key(next) {
                known.insert(next.to_vec(), ());
                open.push_back(next.to_vec());
            }
        }
    }
    found
}

fn is_holding(model: &dyn Specification, formula: &str, no_fairness: bool) -> Option<bool> {
    is_holding_by(model, formula, no_fairness, None)
}

/// Whether a formula holds, as an engine says.
pub fn is_holding_by(
    model: &dyn Specification,
    formula: &str,
    no_fairness: bool,
    engine: Option<&str>,
) -> Option<bool> {
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(Vec::new());
    asking.request.linear = vec![formula.to_string()];
    asking.request.no_fairness = no_fairness;
    let mut options = Options::default();
    options.counterexample = Counterexamples::First;
    options.certify = Certify::Off;
    options.engine = engine.map(str::to_string);
    let report = check(model, &asking, &options, &mut Silent);
    let report = report.unwrap_or_else(|error| panic!("{formula}: {error}"));
    let verdict = &report.properties[0].verdict;
    verdict.is_decided().then(|| verdict.holds())
}

#[test]
fn graphs_and_formulas() {
    let Some(folder) = folder() else { return };
    let mut nets: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
    for row in rows(&folder.join("expected.jsonl")) {
        let key = (
            word(&row, "net").to_string(),
            word(&row, "options").to_string(),
        );
        nets.entry(key).or_default().push(row);
    }
    let (mut graphs, mut formulas) = (0, 0);
    let mut wrong = Vec::new();
    for ((net, options), rows) in &nets {
        if options.contains("-R") {
            continue;
        }
        let model = read(&folder, net, options);
        let mut graph = None;
        for row in rows {
            if let Some(states) = row["states"].as_u64() {
                let found = graph.get_or_insert_with(|| search(&*model));
                let number = |key: &str| row[key].as_u64();
                let same = found.states == states
                    && number("arcs").is_none_or(|n| n == found.arcs)
                    && number("deadlocks").is_none_or(|n| n == found.deadlocks)
                    && number("deadlock_reports").is_none_or(|n| n == found.deadlock_reports)
                    && number("rejected").is_none_or(|n| n == found.rejected);
                graphs += 1;
                if !same {
                    wrong.push(format!("{net} {options}: {found:?} instead of {row}"));
                }
            }
            if let Some(formula) = row["formula"].as_str() {
                let expected = word(row, "verdict") == "holds";
                let found = is_holding(&*model, formula, word(row, "fairness") == "none");
                formulas += 1;
                if found != Some(expected) {
                    wrong.push(format!("{net} {options} {formula}: {found:?}"));
                }
            }
        }
    }
    println!("{graphs} graphs, {formulas} formulas");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn where_maria_is_wrong() {
    let Some(folder) = folder() else { return };
    let folder = folder.join("disagreements");
    let rows = rows(&folder.join("rows.jsonl"));
    assert!(rows.len() >= 15);
    for row in rows {
        let (net, formula) = (word(&row, "net"), word(&row, "formula"));
        let model = read(&folder, net, "");
        let found = is_holding(&*model, formula, word(&row, "fairness") == "none");
        assert_eq!(found, Some(word(&row, "check") == "holds"), "{row}");
    }
}

/// Which subnets a transition belongs to.
type Subnets = &'static [(&'static str, &'static [&'static str])];

const SLIDING_WINDOW: Subnets = &[
    ("produce", &["tx"]),
    ("consume", &["rx"]),
    ("send_msg", &["ch_msg", "tx"]),
    ("recv_msg", &["ch_msg", "rx"]),
    ("ign_msg", &["ch_msg", "rx"]),
    ("send_ack", &["ch_ack", "rx"]),
    ("recv_ack", &["ch_ack", "tx"]),
    ("ign_ack", &["ch_ack", "tx"]),
];

const CONTROLLER: Subnets = &[
    ("i12_t1", &["i12"]),
    ("a_t", &["a"]),
    ("w1_t", &["w1"]),
    ("i34_t16", &["i34"]),
    ("w3_t31", &["w"]),
    ("w3_t32", &["w"]),
    ("w2_t", &["w2"]),
    ("o_t53", &["o"]),
    ("b", &["b"]),
    ("d", &["d"]),
    ("e", &["e"]),
    ("f", &["f"]),
    ("t2", &["i12", "a"]),
    ("t5", &["a", "w1"]),
    ("t10", &["w1", "d"]),
    ("t17", &["i34", "b"]),
    ("t13", &["w", "d"]),
    ("t33", &["w", "f"]),
    ("t34", &["w", "e"]),
    ("t24", &["w2", "b"]),
    ("t39", &["w2", "e"]),
    ("t49", &["o", "f"]),
];

/// Markings behind transitions that several subnets share, and how many of these lead from one to another. On the way
/// only the subnets of the shared transition move by themselves.
fn modular(model: &dyn Specification, subnets: Subnets) -> (u64, u64) {
    let system = model
        .body()
        .explicit()
        .unwrap_or_else(|_| panic!("explicit"));
    let mut explorer = system.explorer(&[]);
    let mut successors = |state: Option<&[u8]>| {
        let mut out = Successors::new();
        match state {
            Some(state) => explorer.expand(state, &mut out),
            None => explorer.initial(&mut out),
        }
        assert!(out.faults().is_empty());
        let mut list = Vec::new();
        for index in 0..out.len() {
            let process = out.step(index).process;
            let name = process.map(|process| explorer.process_name(out.state(index), process));
            list.push((name.unwrap_or_default(), out.state(index).to_vec()));
        }
        list
    };
    let first = successors(None).remove(0).1;
    let mut known: HashMap<Vec<u8>, ()> = HashMap::from([(first.clone(), ())]);
    let mut open = vec![first];
    let mut arcs = 0;
    while let Some(node) = open.pop() {
        for (shared, own) in subnets.iter().filter(|(_, own)| own.len() > 1) {
            let mut near: HashMap<Vec<u8>, ()> = HashMap::from([(node.clone(), ())]);
            let mut ahead = vec![node.clone()];
            while let Some(here) = ahead.pop() {
                for (name, next) in successors(Some(&here)) {
                    let entry = subnets.iter().find(|(known, _)| *known == name);
                    let (_, moved) = entry.unwrap_or_else(|| panic!("{name}"));
                    let alone = moved.len() == 1 && own.contains(&moved[0]);
                    if alone && near.insert(next.clone(), ()).is_none() {
                        ahead.push(next);
                    } else if name == *shared {
                        arcs += 1;
                        if known.insert(next.clone(), ()).is_none() {
                            open.push(next);
                        }
                    }
                }
            }
        }
    }
    (known.len() as u64, arcs)
}

#[test]
fn subnets_by_themselves() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for row in rows(&folder.join("expected.jsonl")) {
        let (net, options) = (word(&row, "net"), word(&row, "options"));
        if !options.contains("-R") {
            continue;
        }
        let subnets = match net {
            "swn-m.pn" => SLIDING_WINDOW,
            "modular.pn" => CONTROLLER,
            _ => panic!("{net} is not known"),
        };
        let found = modular(&*read(&folder, net, options), subnets);
        let number = |key: &str| row[key].as_u64().expect("a number");
        assert_eq!(found, (number("states"), number("arcs")), "{row}");
        count += 1;
    }
    assert_eq!(count, 2);
}
