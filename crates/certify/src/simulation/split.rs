//! A formula as a disjunction of conjunctions: an automaton that accepts the words of each accepts those of
//! the formula, and each has a smaller tableau.
//!
//! Only operators outside of temporal ones are looked at. Equivalences are left as they are, and where there
//! would be too many parts, so is what is left.

use evenhand_logic::{FormulaId, Formulas, Node};

/// Formulas with values that they have together.
pub(super) type Values = Vec<(FormulaId, bool)>;

/// How many parts there may be, where several disjunctions make them.
const MOST: usize = 64;

/// The same for the first disjunction: its parts alone only add up.
const MOST_OF_ONE: usize = 1024;

/// Lists of formulas with values. Where the formula has the value it is given, all of some list have
/// theirs.
pub(super) fn split(store: &Formulas, formula: FormulaId, value: bool) -> Vec<Values> {
    let mut done = Vec::new();
    // What is still to be taken apart, and what has been.
    let mut todo: Vec<(Values, Values)> = vec![(vec![(formula, value)], Vec::new())];
    while let Some((mut open, mut closed)) = todo.pop() {
        let Some((formula, value)) = open.pop() else {
            closed.sort_unstable();
            closed.dedup();
            done.push(closed);
            continue;
        };
        let parts: Values = match store.node(formula) {
            Node::Not(f) => vec![(*f, !value)],
            Node::And(list) | Node::Or(list) => list.iter().map(|&f| (f, value)).collect(),
            Node::Implies(f, g) => vec![(*f, !value), (*g, value)],
            _ => Vec::new(),
        };
        let is_all = match store.node(formula) {
            Node::Not(_) => true,
            Node::And(_) => value,
            _ => !value,
        };
        let most = match done.is_empty() && todo.is_empty() {
            true => MOST_OF_ONE,
            false => MOST,
        };
        if parts.is_empty() || !is_all && done.len() + todo.len() + parts.len() > most {
            closed.push((formula, value));
            todo.push((open, closed));
        } else if is_all {
            open.extend(parts);
            todo.push((open, closed));
        } else {
            for part in parts {
                let mut one = open.clone();
                one.push(part);
                todo.push((one, closed.clone()));
            }
        }
    }
    done.sort_unstable();
    done.dedup();
    done
}
