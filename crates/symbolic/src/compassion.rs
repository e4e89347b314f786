//! Compassion turned into justice.
//!
//! **Idea** (Kesten, Pnueli, Raviv and Shahar 2001, 9.1.2). For a pair (p, q) a bit r is added that
//! is guessed once and stays: from now on there is no p. It begins false; while it is true p must
//! be false and r stays true; and r or q must hold infinitely often. A run is fair to the pair iff
//! some guess is just. The native treatment in [`crate::feasible`] needs no bits and is the
//! default; this is here to compare with. (The third way, putting the pairs before the formula as
//! an antecedent, happens where the formula is made.)

use crate::coding::Bit;
use crate::manager::{Manager, Outcome, Set};
use crate::product::Addition;

/// How compassion is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CompassionAs {
    /// By FEASIBLE itself.
    #[default]
    Native,
    /// As justice, with a bit for each pair.
    Justice,
    /// As an antecedent of formulas of linear time; elsewhere by FEASIBLE itself.
    Antecedent,
}

/// The bits and constraints that replace pairs.
pub(crate) fn as_justice(m: &Manager, pairs: &[(Set, Set)]) -> Outcome<Addition> {
    let mut addition = Addition::default();
    for (when, then) in pairs {
        let added = m.add_variables(2)?;
        let bit = Bit {
            now: added[0],
            next: Some(added[1]),
        };
        let (now, next) = (m.variable(added[0])?, m.variable(added[1])?);
        let stays = m.minus(&next, when)?;
        addition.bits.push(bit);
        addition.init.push(m.not(&now)?);
        addition.steps.push(m.or(&m.not(&now)?, &stays)?);
        addition.justice.push(m.or(&now, then)?);
    }
    Ok(addition)
}
