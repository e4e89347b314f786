//! Fairness: which items a step takes, and what a system says about its states.
//!
//! There are two ways to state a fairness assumption. An *item* is something that can be enabled
//! and taken: a process, some of its actions, or what only the body understands. The body says
//! where it is enabled. For the bodies of this crate that is where some successor takes it, so that
//! they only have to know who takes part in a step; `TakenItems` turns that into a bit set. A
//! handshake is a step of both partners. The difference between the symmetric definition of
//! fairness and SPIN's is who could have made it: for SPIN a process is enabled iff it can *begin*
//! a step, so that the receiver of a handshake moves, but is not enabled by the offer. Items of
//! processes say which of the two they mean (`as_partner`).
//!
//! A *condition* is a set of states: justice says that it is visited again and again, compassion
//! that a second one is whenever the first is. Systems that are given as relations or graphs state
//! their fairness that way; [`Conditions`] is how they hand it over.

use crate::explicit::Successors;
use crate::ids::{ActionId, ProcessId};
use crate::signature::ItemSpec;

/// A proposition of a system, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PropositionId(pub u32);

/// A number that depends on the state of a system, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AmountId(pub u32);

/// Compassion: if states of the first kind come again and again, so do states of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compassion {
    /// Infinitely often this …
    pub when: PropositionId,
    /// … implies infinitely often that.
    pub then: PropositionId,
}

/// A system that names sets of its states and says which of them its fair runs must visit.
pub trait Conditions {
    /// The names of the propositions; their numbers are their places here.
    fn propositions(&self) -> Vec<String>;

    /// Whether a proposition holds in a packed state.
    fn holds(&self, proposition: PropositionId, state: &[u8]) -> bool;

    /// Sets of states that every fair run visits infinitely often.
    fn justice(&self) -> Vec<PropositionId>;

    /// Pairs of sets: a fair run that visits the first infinitely often visits the second so too.
    fn compassion(&self) -> Vec<Compassion>;
}

impl ItemSpec {
    /// The process it belongs to; none if only the body knows.
    pub fn process(&self) -> Option<ProcessId> {
        match self {
            ItemSpec::Process { pid, .. } | ItemSpec::Actions { pid, .. } => Some(*pid),
            ItemSpec::Own(_) => None,
        }
    }

    /// Whether it is taken when its process executes an action.
    pub fn is_taken(&self, action: ActionId) -> bool {
        match self {
            ItemSpec::Process { .. } => true,
            ItemSpec::Actions { actions, .. } => actions.binary_search(&action).is_ok(),
            ItemSpec::Own(_) => false,
        }
    }
}

/// The items of a run, by process, and the set that the step at hand takes.
#[derive(Clone, Debug)]
pub(crate) struct TakenItems {
    /// How many items there are.
    count: usize,
    /// Up to the last process that has an item.
    by_process: Vec<Vec<(u32, ItemSpec)>>,
    set: Vec<u64>,
    /// Sets as they were before [`TakenItems::add`], to go back to.
    before: Vec<u64>,
    /// The items of processes that are not enabled as partners, with their processes.
    initiators: Vec<(u32, ProcessId)>,
}

impl TakenItems {
    /// The items of a system whose processes have numbers below a bound.
    pub fn new(items: &[ItemSpec], bound: usize) -> TakenItems {
        let processes = items.iter().filter_map(ItemSpec::process);
        let last = processes.filter(|process| process.index() < bound).max();
        let count = last.map_or(0, |last| last.index() + 1);
        let mut by_process: Vec<Vec<(u32, ItemSpec)>> = vec![Vec::new(); count];
        let mut initiators = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let process = item.process().map(ProcessId::index);
            if let Some(list) = process.and_then(|at| by_process.get_mut(at)) {
                list.push((index as u32, item.clone()));
            }
            if let ItemSpec::Process {
                pid,
                as_partner: false,
            } = item
            {
                initiators.push((index as u32, *pid));
            }
        }
        TakenItems {
            count: items.len(),
            by_process,
            set: vec![0; items.len().div_ceil(64)],
            before: Vec::new(),
            initiators,
        }
    }

    /// Begins a successor list.
    pub fn start(&self, out: &mut Successors) {
        out.start(self.count);
    }

    /// Finishes a successor list: an item is enabled iff some successor takes it, but a process
    /// that is not enabled as partner only if it begins a step.
    pub fn finish(&self, out: &mut Successors) {
        out.enable_taken();
        for &(item, pid) in &self.initiators {
            let mut steps = out.entries.iter().map(|entry| entry.step);
            let begins = steps.any(|step| step.process == Some(pid));
            if !begins {
                out.enabled[item as usize / 64] &= !(1 << (item % 64));
            }
        }
    }

    /// The set.
    pub fn set(&self) -> &[u64] {
        &self.set
    }

    /// Begins a step, or goes on with one that has taken these items.
    #[inline]
    pub fn begin(&mut self, taken: &[u64]) {
        if self.set.is_empty() {
            return;
        }
        self.before.clear();
        self.set.fill(0);
        for (word, bits) in self.set.iter_mut().zip(taken) {
            *word = *bits;
        }
    }

    /// Adds the items that an action of a process takes, until [`TakenItems::undo`].
    #[inline]
    pub fn add(&mut self, pid: ProcessId, action: ActionId) {
        if self.set.is_empty() {
            return;
        }
        self.before.extend_from_slice(&self.set);
        self.insert(pid, action);
    }

    /// Takes back the last [`TakenItems::add`].
    #[inline]
    pub fn undo(&mut self) {
        let words = self.set.len();
        if words > 0 && self.before.len() >= words {
            let start = self.before.len() - words;
            self.set.copy_from_slice(&self.before[start..]);
            self.before.truncate(start);
        }
    }

    fn insert(&mut self, pid: ProcessId, action: ActionId) {
        let Some(items) = self.by_process.get(pid.index()) else {
            return;
        };
        for (index, item) in items {
            if item.is_taken(action) {
                self.set[*index as usize / 64] |= 1 << (index % 64);
            }
        }
    }

    /// The items that a step takes: its participants with their actions.
    pub fn of_step(&mut self, participants: &[(ProcessId, ActionId)]) -> &[u64] {
        self.set.fill(0);
        for &(pid, action) in participants {
            self.insert(pid, action);
        }
        &self.set
    }
}
