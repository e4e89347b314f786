//! Propositions without a value: what sets say of them.
//!
//! **Problem.** Where a proposition divides by zero it is neither true nor false. A set has no third side: as the set of
//! the states where it is true, it would count as false there, and its negation as true.
//!
//! **Idea.** Beside each proposition the states are kept in which it has no value. Mostly there are none, or none that
//! can be reached; then nothing is different. Otherwise a question about it has no answer, except that an invariant
//! that is false somewhere is broken.
//!
//! **Limits.** A run that breaks a formula without meeting such a state is not looked for: exploring state by state does.

use evenhand_system::fairness::PropositionId;
use evenhand_system::fault::FaultKind;
use evenhand_system::relation::{Compiled, Environment};

use crate::encode::Condition;
use crate::engine::Symbolic;
use crate::manager::{Outcome, Set};
use crate::watch::Stop;

impl Symbolic {
    /// Keeps a proposition: where it is true, and where it has no value.
    pub(crate) fn keep(&mut self, id: PropositionId, condition: Condition) -> Outcome<Set> {
        let undefined = self.coding.among_values(&self.m, &condition.undefined)?;
        if !self.m.is_empty(&undefined) {
            self.undefined.insert(id, undefined);
        }
        self.propositions.insert(id, condition.holds.clone());
        Ok(condition.holds)
    }

    /// The states, reachable or not, in which a proposition that is kept has no value.
    pub(crate) fn undefined(&self, id: PropositionId) -> Set {
        let known = self.undefined.get(&id);
        known.cloned().unwrap_or_else(|| self.m.no())
    }

    /// Nothing, if propositions that are kept have a value in all reachable states.
    pub(crate) fn all_have_values(
        &mut self,
        ids: impl IntoIterator<Item = PropositionId>,
    ) -> Outcome<()> {
        for id in ids {
            if let Some(undefined) = self.undefined.get(&id).cloned() {
                let reached = self.reached()?;
                let there = self.m.and(&undefined, &reached)?;
                self.has_values_in_none(id, &there)?;
            }
        }
        Ok(())
    }

    /// The same for the propositions that fairness is about.
    pub(crate) fn fairness_has_values(&mut self) -> Outcome<()> {
        let pairs = self.relation.compassion.iter();
        let pairs = pairs.flat_map(|pair| [pair.when, pair.then]);
        let all = self.relation.justice.iter().copied().chain(pairs);
        let all: Vec<PropositionId> = all.collect();
        self.all_have_values(all)
    }

    /// Nothing, if these states without a value of a proposition are none.
    pub(crate) fn has_values_in_none(&self, id: PropositionId, states: &Set) -> Outcome<()> {
        let Some(bits) = self.m.pick(states) else {
            return Ok(());
        };
        let values = self.coding.read(&bits);
        let environment = Environment {
            current: &values,
            next: &[],
        };
        let known = self.relation.propositions.get(id.0 as usize);
        let kind = known.and_then(|&(_, expr)| {
            let compiled = Compiled::new(&self.relation.expressions, expr);
            compiled.value(environment).err().map(FaultKind::from)
        });
        Err(Stop::NoValue(kind))
    }
}
