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
    /// How many actions there are.
    actions: usize,
    /// For each of these processes that has moved, what each action takes, [`TakenItems::set`] by set.
    known: Vec<Vec<u64>>,
    /// How many words more `known` may have.
    room: usize,
    set: Vec<u64>,
    /// Sets as they were before [`TakenItems::add`], to go back to.
    before: Vec<u64>,
    /// The items of processes that are not enabled as partners, with their processes.
    initiators: Vec<(u32, ProcessId)>,
}

impl TakenItems {
    /// The items of a system whose processes have numbers below a bound, and with so many actions.
    pub fn new(items: &[ItemSpec], bound: usize, actions: usize) -> TakenItems {
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
            known: vec![Vec::new(); by_process.len()],
            by_process,
            actions,
            room: MOST_KNOWN,
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
        if let [word] = &mut self.set[..] {
            *word = taken.first().copied().unwrap_or(0);
            return;
        }
        self.set.fill(0);
        for (word, bits) in self.set.iter_mut().zip(taken) {
            *word = *bits;
        }
    }

    /// Adds the items that an action of a process takes, until [`TakenItems::undo`].
    #[inline]
    pub fn add(&mut self, pid: ProcessId, action: ActionId) {
        match &mut self.set[..] {
            [] => {}
            [word] => {
                self.before.push(*word);
                let known = self.known.get(pid.index());
                match known.and_then(|known| known.get(action.index())) {
                    Some(taken) => *word |= taken,
                    None => self.insert(pid, action),
                }
            }
            _ => {
                self.before.extend_from_slice(&self.set);
                self.insert(pid, action);
            }
        }
    }

    /// Takes back the last [`TakenItems::add`].
    #[inline]
    pub fn undo(&mut self) {
        let words = self.set.len();
        if words > 0 && self.before.len() >= words {
            if let [word] = &mut self.set[..] {
                *word = self.before.pop().unwrap_or(0);
                return;
            }
            let start = self.before.len() - words;
            self.set.copy_from_slice(&self.before[start..]);
            self.before.truncate(start);
        }
    }

    #[inline]
    fn insert(&mut self, pid: ProcessId, action: ActionId) {
        let Some(known) = self.known.get(pid.index()) else {
            return;
        };
        let words = self.set.len();
        match known.get(action.index() * words..(action.index() + 1) * words) {
            Some(taken) => join(&mut self.set, taken),
            None => self.insert_first(pid.index(), action),
        }
    }

    /// The first move of a process: what it takes with each action is worked out, if there is room.
    #[cold]
    fn insert_first(&mut self, process: usize, action: ActionId) {
        let words = self.set.len();
        let items = &self.by_process[process];
        let len = self.actions * words;
        if action.index() >= self.actions || len > self.room {
            put(items, action, &mut self.set);
            return;
        }
        self.room -= len;
        let known = &mut self.known[process];
        known.resize(len, 0);
        for (number, set) in known.chunks_exact_mut(words).enumerate() {
            put(items, ActionId::new(number), set);
        }
        join(&mut self.set, &known[action.index() * words..][..words]);
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

/// How many words are spent on what actions take: 2 MB.
const MOST_KNOWN: usize = 1 << 18;

/// Adds the items of a process that an action takes.
fn put(items: &[(u32, ItemSpec)], action: ActionId, set: &mut [u64]) {
    for (index, item) in items {
        if item.is_taken(action) {
            set[*index as usize / 64] |= 1 << (index % 64);
        }
    }
}

/// Adds a set to one of the same length. Most systems have one word of items, or none.
#[inline]
fn join(set: &mut [u64], other: &[u64]) {
    match (set, other) {
        ([word], [bits]) => *word |= bits,
        (set, other) => {
            for (word, bits) in set.iter_mut().zip(other) {
                *word |= bits;
            }
        }
    }
}

/// Puts a set behind others: no call for the usual lengths, no word and one.
#[inline]
pub(crate) fn append(sets: &mut Vec<u64>, set: &[u64]) {
    match set {
        [] => {}
        [word] => sets.push(*word),
        _ => sets.extend_from_slice(set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some actions of some processes, and whole processes: more than one word of items if there are many.
    fn items(count: usize) -> Vec<ItemSpec> {
        let item = |number: usize| match number % 3 {
            0 => ItemSpec::Process {
                pid: ProcessId::new(number % 4),
                as_partner: true,
            },
            _ => ItemSpec::Actions {
                pid: ProcessId::new(number % 5),
                actions: (0..9)
                    .filter(|action| (action * number) % 7 < 3)
                    .map(ActionId::new)
                    .collect(),
            },
        };
        (0..count).map(item).collect()
    }

    #[test]
    fn what_is_known_of_actions_is_what_items_say() {
        for (count, room) in [
            (0, MOST_KNOWN),
            (7, MOST_KNOWN),
            (7, 10),
            (150, MOST_KNOWN),
            (150, 0),
        ] {
            let items = items(count);
            // Action 8 is beyond those that were announced, process 4 beyond the bound.
            let mut taken = TakenItems::new(&items, 4, 8);
            taken.room = room;
            let plain = |pid: ProcessId, action: ActionId| {
                let mut set = vec![0u64; count.div_ceil(64)];
                for (index, item) in items.iter().enumerate() {
                    if item.process() == Some(pid) && pid.index() < 4 && item.is_taken(action) {
                        set[index / 64] |= 1 << (index % 64);
                    }
                }
                set
            };
            for round in 0..200 {
                let (pid, other) = (ProcessId::new(round % 6), ProcessId::new(round * 5 % 6));
                let (action, next) = (ActionId::new(round * 7 % 9), ActionId::new(round % 9));
                taken.begin(&[]);
                taken.add(pid, action);
                assert_eq!(taken.set(), plain(pid, action));
                let first = taken.set().to_vec();
                taken.add(other, next);
                let mut both = first.clone();
                both.iter_mut()
                    .zip(plain(other, next))
                    .for_each(|(word, bits)| *word |= bits);
                assert_eq!(taken.set(), both);
                taken.undo();
                assert_eq!(taken.set(), first);
                assert_eq!(taken.of_step(&[(pid, action), (other, next)]), both);
                taken.begin(&both);
                assert_eq!(taken.set(), both);
            }
        }
    }
}
