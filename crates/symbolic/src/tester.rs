//! Testers as sets: a formula of linear time beside a model.
//!
//! The terms of [`evenhand_logic::Tester`] become diagrams, its variables become bits. A run of the
//! product that begins with what the tester says of the first state, past operators included, and
//! with the formula itself, is a run of the model that satisfies the formula, and the other way
//! round.

use std::collections::HashMap;

use evenhand_logic::{AtomId, Exactness, FormulaId, Formulas, Term, TermId, When, tester};

use crate::coding::Bit;
use crate::manager::{Manager, Outcome, Renaming, Set};
use crate::product::Addition;
use crate::watch::Stop;

/// A tester ready to stand beside a model.
pub(crate) struct Beside {
    /// Its bits and constraints; what holds at the start is that of past operators alone.
    pub addition: Addition,
    /// Where the formula is asserted.
    pub asserted: Set,
}

/// The tester of a formula without path quantifiers.
pub(crate) fn beside(
    m: &Manager,
    store: &mut Formulas,
    formula: FormulaId,
    atoms: &HashMap<AtomId, Set>,
    primed: &Renaming,
) -> Outcome<Beside> {
    let refused = |_| Stop::Refused("a path quantifier stands where none can".into());
    let tester = tester(store, formula, Exactness::Asserted).map_err(refused)?;
    let mut bits = Vec::new();
    for _ in &tester.variables {
        let added = m.add_variables(2)?;
        bits.push(Bit {
            now: added[0],
            next: Some(added[1]),
        });
    }
    m.raise(
        bits.iter()
            .flat_map(|b| [Some(b.now), b.next])
            .flatten()
            .collect(),
    );
    let mut terms: Vec<Set> = Vec::with_capacity(tester.terms.len());
    for term in &tester.terms {
        let of = |id: &TermId| &terms[id.0 as usize];
        let set = match term {
            Term::Constant(true) => m.yes(),
            Term::Constant(false) => m.no(),
            Term::Atom(atom, when) => {
                let unknown = || Stop::Refused("a proposition is not known".into());
                let now = atoms.get(atom).ok_or_else(unknown)?;
                match when {
                    When::Now => now.clone(),
                    When::Next => m.rename(now, primed)?,
                }
            }
            Term::Variable(variable, when) => {
                let bit = bits[variable.0 as usize];
                m.variable(match when {
                    When::Now => bit.now,
                    When::Next => bit.next.unwrap_or(bit.now),
                })?
            }
            Term::Not(a) => m.not(of(a))?,
            Term::And(list) => m.all(list.iter().map(of))?,
            Term::Or(list) => m.any(list.iter().map(of))?,
            Term::Iff(a, b) => m.equiv(of(a), of(b))?,
        };
        terms.push(set);
    }
    let sets = |list: &[TermId]| list.iter().map(|id| terms[id.0 as usize].clone()).collect();
    Ok(Beside {
        addition: Addition {
            bits,
            init: sets(&tester.initial),
            steps: sets(&tester.transition),
            justice: sets(&tester.justice),
        },
        asserted: terms[tester.asserted.0 as usize].clone(),
    })
}
