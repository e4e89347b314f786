//! Prints the sizes of our automata beside those recorded for other translators.
//!
//! `cargo run --release -p evenhand-automata --example ltl_sizes -- SIZES.csv [-v]`: totals per
//! set, the ratios to Spot's, the time, and each formula that became more than twice as large (with
//! `-v`: each formula that became larger).

use evenhand_automata::translate::{Options, translate};
use evenhand_logic::{Formulas, Spelling, parse};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const LITERATURE: [&str; 6] = ["dac", "eh", "sb", "beem", "liberouter", "rabinizer"];

#[derive(Default)]
struct Total {
    formulas: usize,
    failed: usize,
    ours: usize,
    our_edges: usize,
    theirs: usize,
    their_edges: usize,
    time: Duration,
    slowest: Duration,
}

impl Total {
    fn add(&mut self, other: &Total) {
        self.formulas += other.formulas;
        self.failed += other.failed;
        self.ours += other.ours;
        self.our_edges += other.our_edges;
        self.theirs += other.theirs;
        self.their_edges += other.their_edges;
        self.time += other.time;
        self.slowest = self.slowest.max(other.slowest);
    }

    fn print(&self, name: &str) {
        let ratio = self.ours as f64 / self.theirs.max(1) as f64;
        println!(
            "{name:24} {:5} {:6} {:7} {:7.3} {:8} {:8} {:9.1} {:8.1} {:6}",
            self.formulas,
            self.theirs,
            self.ours,
            ratio,
            self.their_edges,
            self.our_edges,
            self.time.as_secs_f64() * 1e3,
            self.slowest.as_secs_f64() * 1e3,
            self.failed
        );
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.iter().any(|a| a == "-v");
    let Some(file) = arguments.iter().find(|a| !a.starts_with('-')) else {
        eprintln!("usage: ltl_sizes SIZES.csv [-v] [--set NAME]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    };
    let only = arguments
        .iter()
        .position(|a| a == "--set")
        .and_then(|i| arguments.get(i + 1));
    let mut totals: BTreeMap<String, Total> = BTreeMap::new();
    let mut larger = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.splitn(9, ',').collect();
        let [set, index, "tgba", "ok", states, edges, _, _, formula] = fields[..] else {
            continue;
        };
        if only.is_some_and(|only| only != set) {
            continue;
        }
        let theirs: usize = states.parse().unwrap_or(0);
        let total = totals.entry(set.to_string()).or_default();
        let mut store = Formulas::new();
        let formula = formula.trim_matches('"');
        let parsed = match parse(&mut store, formula, Spelling::Spot) {
            Ok(f) => f,
            Err(error) => {
                eprintln!("{formula}: {}", error.message);
                return ExitCode::FAILURE;
            }
        };
        let start = Instant::now();
        let result = translate(&mut store, parsed, &Options::default());
        let time = start.elapsed();
        let mut one = Total {
            formulas: 1,
            time,
            slowest: time,
            ..Total::default()
        };
        match result {
            Ok(translation) => {
                one.ours = translation.automaton.state_count();
                one.our_edges = translation.automaton.edge_count();
                one.theirs = theirs;
                one.their_edges = edges.parse().unwrap_or(0);
                if one.ours > 2 * theirs || (verbose && one.ours != theirs) {
                    larger.push(format!(
                        "{set} {index}: {} against {theirs}: {formula}",
                        one.ours
                    ));
                }
            }
            Err(error) => {
                one.failed = 1;
                larger.push(format!("{set} {index}: {error}: {formula}"));
            }
        }
        total.add(&one);
    }
    println!(
        "{:24} {:>5} {:>6} {:>7} {:>7} {:>8} {:>8} {:>9} {:>8} {:>6}",
        "set", "count", "Spot", "ours", "ratio", "edges", "ours", "ms", "slowest", "failed"
    );
    let mut literature = Total::default();
    for (set, total) in &totals {
        total.print(set);
        if LITERATURE.contains(&set.trim_end_matches("-neg")) {
            literature.add(total);
        }
    }
    literature.print("the literature");
    println!(
        "\n{}",
        if verbose {
            "different:"
        } else {
            "more than twice as large:"
        }
    );
    for line in larger {
        println!("  {line}");
    }
    ExitCode::SUCCESS
}
