//! What proofs for formulas of branching time cost, beside the labelling.
//!
//! `cargo run --release -p evenhand-explicit --example branching_cost -- MODEL.pml "ctl:FORMULA" [NAME=VALUE…]
//! [fair:SPEC…]`
//!
//! One row of a table: states; seconds of the labelling with exploration; of the exploration by the check, of the
//! search for proofs (which checks them as well), of the check; nodes and edges of the products.

use std::time::Instant;

use evenhand_certify::States;
use evenhand_certify::branching::{Expansion, StateGraph, check_branching};
use evenhand_explicit::ctl_star::{Asked, Branching, prove};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_explicit::watch::Watch;
use evenhand_system::{Explicit, Fairness, FinishedRuns, Formula};

#[path = "shared/formula.rs"]
mod formula;

fn main() {
    formula::with_formula(&mut std::env::args().skip(1), measure);
}

fn measure(name: &str, system: &dyn Explicit, formula: &Formula, fairness: &Fairness) {
    let mut propositions = formula.reads();
    propositions.sort_unstable();
    propositions.dedup();
    let mut observer = |_: &_| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let begin = Instant::now();
    let interest = Interest {
        propositions: &propositions,
        fairness,
    };
    let mut space = Space::new(system, interest, PlainStore::new());
    let mut branching = Branching::new(&mut space, true, None, &mut watch).expect("no limit");
    let atoms = formula.atoms.iter();
    let places = atoms.map(|atom| propositions.iter().position(|p| p == atom));
    let places: Vec<Option<usize>> = places.collect();
    let asked = Asked {
        store: &formula.store,
        formula: formula.id,
        places: &places,
    };
    let labels = branching.label(asked, &mut watch).expect("no limit");
    let engine = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let expansion = Expansion {
        system,
        fairness,
        chosen: None,
        finished: FinishedRuns::Stutter,
        propositions: &propositions,
        key: None,
    };
    let graph = StateGraph::explore(&expansion, States::new(), &mut |_| true).expect("a graph");
    let explored = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let proofs = prove(&graph, formula, &mut watch).expect("a proof");
    let proved = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let truth = check_branching(&graph, formula, &proofs, &mut |_| true);
    let (truth, checked) = truth.expect("a proof");
    let seconds = begin.elapsed().as_secs_f64();
    let at_start: Vec<bool> = labels.initial.iter().map(|&(_, holds)| holds).collect();
    assert_eq!(truth, at_start, "the engine says something else");
    println!("| model | states | nodes | edges | holds | labelling | explore | prove | check |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    println!(
        "| {name} | {} | {} | {} | {truth:?} | {engine:.2} s | {explored:.2} s | {proved:.2} s | {seconds:.2} s |",
        graph.len(),
        checked.nodes,
        checked.edges - graph.checked().edges,
    );
}
