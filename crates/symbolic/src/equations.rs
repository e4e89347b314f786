//! The final sets solve their equations.
//!
//! What the engine ends with are sets: what can be reached, the core of the fair runs, what leads to a
//! set. Each is a solution of an equation that one image can be held against, computed in another
//! way than the set was found: in the other direction, or of the whole set where the search went
//! piece by piece. So an image that is wrong, a piece that was forgotten, a set that was mixed up with
//! another do not go unnoticed.
//!
//! | set | equation |
//! | --- | --- |
//! | reached | the initial states are in it, and no predecessor of another state is |
//! | core | each of its states is reached, and has a successor in it |
//! | what leads to a goal inside of a set | it is what of the set is the goal or has a successor in it |
//!
//! That is all that is checked. A greatest fixpoint that is too small, or a least one that is too
//! large, solves the same equations: that there is no other core is believed.

use crate::engine::Symbolic;
use crate::image::{Steps, Towards};
use crate::manager::{Manager, Outcome, Set};
use crate::product::Product;
use crate::watch::Stop;

/// Whether a set contains the initial states and all that follow, among all states.
pub(crate) fn is_closed(
    m: &Manager,
    steps: &Steps,
    (init, reached): (&Set, &Set),
    all: &Set,
) -> Outcome<bool> {
    let outside = m.minus(all, reached)?;
    let before = steps.image(m, &outside, Towards::Past)?;
    Ok(m.is_empty(&m.minus(init, reached)?) && !m.meet(&before, reached)?)
}

/// Whether each state of a set is in another one and has a successor in the set.
pub(crate) fn goes_on(m: &Manager, steps: &Steps, set: &Set, within: &Set) -> Outcome<bool> {
    let before = steps.image(m, set, Towards::Past)?;
    let before = m.and(&before, within)?;
    Ok(m.is_empty(&m.minus(set, &before)?))
}

/// Whether a set is what leads to a goal inside of another one.
pub(crate) fn leads_to(
    m: &Manager,
    steps: &Steps,
    (set, goal): (&Set, &Set),
    within: &Set,
) -> Outcome<bool> {
    let before = steps.image(m, set, Towards::Past)?;
    let solution = m.and(&m.or(&before, goal)?, within)?;
    Ok(solution == *set)
}

impl Symbolic {
    /// Looks at an equation, if somebody wants that.
    ///
    /// # Errors
    /// If it does not hold; or if a limit is reached.
    pub(crate) fn equation(
        &self,
        what: &str,
        holds: impl FnOnce(&Manager) -> Outcome<bool>,
    ) -> Outcome<()> {
        if !self.options.equations {
            return Ok(());
        }
        match holds(&self.m) {
            Ok(true) => Ok(()),
            // The verdict does not need it.
            Err(Stop::Memory | Stop::Time) => {
                self.unsolved.set(true);
                Ok(())
            }
            Err(stop) => Err(stop),
            Ok(false) => Err(Stop::Broken(format!("{what} does not solve its equation"))),
        }
    }

    /// The equations of a product and its core.
    pub(crate) fn product_equations(
        &self,
        product: &Product,
        (reached, core): (&Set, &Set),
        all: &Set,
    ) -> Outcome<()> {
        self.equation("what can be reached", |m| {
            is_closed(m, &product.steps, (&product.init, reached), all)
        })?;
        self.equation("the core of the fair runs", |m| {
            goes_on(m, &product.steps, core, reached)
        })
    }
}
