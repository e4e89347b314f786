//! CTL over maximal paths, finite ones included, on engines whose runs never end.
//!
//! **Problem.** A run of a net may come to an end: at a dead marking no transition can fire. The Model
//! Checking Contest quantifies over *maximal* paths: infinite ones, and finite ones that end there. At
//! a dead marking `EX p` is false, `AX p` is true, and `EG p`, `AF p`, `E[q U p]` are `p`.
//!
//! **Idea.** Let every dead marking be repeated for ever, as formulas of linear time have it. A finite path
//! and the same path with its last marking repeated agree on `F`, `G`, `U` and the like, since what
//! is asked of the last marking again is what was asked of it already. Only next sees the difference,
//! and in CTL it stands directly behind a quantifier. So `EX p` becomes `!deadlock & EX p`, and `AX p`
//! becomes `deadlock | AX p`: no engine has to know of finite paths.
//!
//! **Limits.** In CTL* a next may stand anywhere below a quantifier, and what a finite path means for it is
//! not agreed on: such formulas are left as they are.

use std::collections::HashMap;

use evenhand_logic::{FormulaId, Formulas, Node, Quantifier, Unary};

/// The same CTL formula for runs that repeat dead markings, where `dead` is true at these; none if it is no
/// formula of CTL.
pub(crate) fn maximal(
    store: &mut Formulas,
    formula: FormulaId,
    dead: FormulaId,
) -> Option<FormulaId> {
    let mut known = HashMap::new();
    state(store, formula, dead, &mut known)
}

fn state(
    store: &mut Formulas,
    formula: FormulaId,
    dead: FormulaId,
    known: &mut HashMap<FormulaId, FormulaId>,
) -> Option<FormulaId> {
    if let Some(&done) = known.get(&formula) {
        return Some(done);
    }
    let mut part = |store: &mut Formulas, f: FormulaId| state(store, f, dead, known);
    let node = store.node(formula).clone();
    let done = match node {
        Node::Constant(_) | Node::Atom(_) => formula,
        Node::Not(f) => {
            let f = part(store, f)?;
            store.not(f)
        }
        Node::And(ref list) | Node::Or(ref list) => {
            let parts: Option<Vec<FormulaId>> = list.iter().map(|&f| part(store, f)).collect();
            match node {
                Node::And(_) => store.and(parts?),
                _ => store.or(parts?),
            }
        }
        Node::Implies(f, g) | Node::Iff(f, g) | Node::Xor(f, g) => {
            let (f, g) = (part(store, f)?, part(store, g)?);
            match node {
                Node::Implies(..) => store.implies(f, g),
                Node::Iff(..) => store.iff(f, g),
                _ => store.xor(f, g),
            }
        }
        Node::Unary(..) | Node::Binary(..) => return None,
        Node::Path(quantifier, path) => match *store.node(path) {
            Node::Unary(Unary::Next, f) => {
                let f = part(store, f)?;
                let next = store.next(f);
                let next = store.path(quantifier, next);
                match quantifier {
                    Quantifier::All => store.or([dead, next]),
                    Quantifier::Exists => {
                        let alive = store.not(dead);
                        store.and([alive, next])
                    }
                }
            }
            Node::Unary(operator, f) if !store.properties(path).has_past() => {
                let f = part(store, f)?;
                let path = store.unary(operator, f);
                store.path(quantifier, path)
            }
            Node::Binary(operator, f, g) if !store.properties(path).has_past() => {
                let (f, g) = (part(store, f)?, part(store, g)?);
                let path = store.binary(operator, f, g);
                store.path(quantifier, path)
            }
            Node::Unary(..) | Node::Binary(..) => return None,
            // A quantifier before a formula about states.
            _ => {
                let path = part(store, path)?;
                store.path(quantifier, path)
            }
        },
    };
    known.insert(formula, done);
    Some(done)
}

/// Whether a formula has a next.
pub(crate) fn has_next(store: &Formulas, formula: FormulaId) -> bool {
    let mut parts = store.subformulas(formula).into_iter();
    parts.any(|part| matches!(store.node(part), Node::Unary(Unary::Next, _)))
}
