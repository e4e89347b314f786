//! A system with more propositions: where the quantified parts of a formula hold.
//!
//! Once the states that satisfy the inner quantifiers of a formula are known, the formula under the
//! outermost one is a formula of linear time over the old propositions and these. So runs for it are
//! found, shortened, executed again and judged like all others.

use std::collections::HashMap;

use evenhand_explicit::state_set::StateSet;
use evenhand_system::explicit::{Explanation, FinishedRuns, Step, Value};
use evenhand_system::{
    Explicit, Explorer, Fault, ItemSpec, ProcessId, PropositionId, Signature, Successors,
};

/// The number of the first proposition that is a label; propositions of a system are fewer.
const FIRST: u32 = 1 << 30;

/// A system with labels.
pub(super) struct Labelled<'s> {
    pub system: &'s dyn Explicit,
    /// The number of each state.
    pub numbers: HashMap<Vec<u8>, usize>,
    /// The labels: where each holds.
    pub labels: Vec<StateSet>,
}

impl Labelled<'_> {
    /// The proposition that is a label.
    pub fn proposition(label: usize) -> PropositionId {
        PropositionId(FIRST + label as u32)
    }
}

impl Explicit for Labelled<'_> {
    fn signature(&self) -> &Signature {
        self.system.signature()
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(LabelledExplorer {
            system: self,
            explorer: self.system.explorer(items),
        })
    }

    fn finished_runs(&self) -> FinishedRuns {
        self.system.finished_runs()
    }

    fn is_pure(&self) -> bool {
        self.system.is_pure()
    }

    fn is_on_steps(&self, proposition: PropositionId) -> bool {
        proposition.0 < FIRST && self.system.is_on_steps(proposition)
    }
}

struct LabelledExplorer<'a> {
    system: &'a Labelled<'a>,
    explorer: Box<dyn Explorer + 'a>,
}

impl Explorer for LabelledExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.explorer.initial(out);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        self.explorer.expand(state, out);
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        let Some(label) = proposition.0.checked_sub(FIRST) else {
            return self.explorer.holds(proposition, state);
        };
        let label = self.system.labels.get(label as usize);
        let number = self.system.numbers.get(state);
        Ok(match (label, number) {
            (Some(label), Some(&number)) => label.contains(number),
            _ => false,
        })
    }

    fn holds_on_step(
        &mut self,
        proposition: PropositionId,
        from: &[u8],
        step: &Step,
        to: &[u8],
    ) -> Result<bool, Fault> {
        match proposition.0 < FIRST {
            true => self.explorer.holds_on_step(proposition, from, step, to),
            false => self.holds(proposition, from),
        }
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        self.explorer.is_valid_end(state)
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.explorer.explain(state, out)
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        self.explorer.describe(state)
    }

    fn inputs(&mut self, from: &[u8], to: &[u8]) -> Vec<(String, Value)> {
        self.explorer.inputs(from, to)
    }

    fn all_inputs(&mut self, from: &[u8], to: &[u8], limit: usize) -> Vec<Vec<(String, Value)>> {
        self.explorer.all_inputs(from, to, limit)
    }

    fn has_process(&mut self, state: &[u8], process: ProcessId) -> bool {
        self.explorer.has_process(state, process)
    }

    fn process_name(&mut self, state: &[u8], process: ProcessId) -> String {
        self.explorer.process_name(state, process)
    }

    fn executed(&self) -> &[bool] {
        self.explorer.executed()
    }
}
