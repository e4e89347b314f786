//! What is to be proved of a program and one of its properties of linear time.

use evenhand_automata::translate::{Options, translate};
use evenhand_certify::ProductClaim;
use evenhand_logic::{Formulas, Node};
use evenhand_system::{Explicit, Fairness, FinishedRuns, Formula};

use super::formula::with_formula;

/// Reads `MODEL.pml PROPERTY [NAME=VALUE…] [fair:SPEC…]`: what is to be proved.
pub fn with_claim(
    arguments: &mut dyn Iterator<Item = String>,
    work: impl FnOnce(&str, &ProductClaim<'_>),
) {
    with_formula(arguments, |name, system, formula, fairness| {
        claim(name, system, formula, fairness, work);
    });
}

fn claim(
    name: &str,
    system: &dyn Explicit,
    formula: &Formula,
    fairness: &Fairness,
    work: impl FnOnce(&str, &ProductClaim<'_>),
) {
    let mut store = Formulas::clone(&formula.store);
    let negation = store.not(formula.id);
    let bad = translate(&mut store, negation, &Options::streett()).expect("an automaton");
    let atoms = bad
        .propositions
        .iter()
        .filter_map(|&p| match store.node(p) {
            Node::Atom(atom) => Some(formula.atoms[atom.index()]),
            _ => None,
        });
    let propositions: Vec<_> = atoms.collect();
    let claim = ProductClaim {
        system,
        fairness,
        chosen: None,
        automaton: &bad.automaton,
        propositions: &propositions,
        finished: FinishedRuns::Stutter,
    };
    work(name, &claim);
}
