//! The reachable states of a system, expanded by the check itself, to be walked more than once.
//!
//! Quantifiers are looked at one after the other, each on the whole graph; so states are expanded once and their
//! edges kept: the state behind each, the fairness marks. Of a state are kept which propositions hold, and which
//! states are the same for formulas. That takes 8 bytes for each edge and 24 for each state, and the states'
//! bytes while they are explored.

use std::collections::HashMap;

use evenhand_automata::Bits;
use evenhand_system::{Explicit, Fairness, FinishedRuns, PropositionId, Successors};

use crate::condition::Condition;
use crate::flaw::{Checked, Failure, Refusal};
use crate::marks::FairnessMarks;
use crate::product::{count_faults, holds};
use crate::states::States;

/// How classes of states are told: states with the same key are one state for formulas.
pub type Key<'k> = &'k dyn Fn(&[u8]) -> Vec<u8>;

/// A system, its fair runs and what formulas can see of them.
#[derive(Clone, Copy)]
pub struct Expansion<'e> {
    /// The system.
    pub system: &'e dyn Explicit,
    /// What is assumed of fair runs.
    pub fairness: &'e Fairness,
    /// Which of the assumptions count, by place; all if nothing is said.
    pub chosen: Option<&'e [bool]>,
    /// What runs that come to an end mean.
    pub finished: FinishedRuns,
    /// What formulas speak about; at most 64.
    pub propositions: &'e [PropositionId],
    /// If states say more than formulas may ask (which input comes next): what tells which are the same.
    /// Quantifiers choose among them.
    pub key: Option<Key<'e>>,
}

/// The graph of all reachable states, by numbers in the order in which they are met.
#[derive(Debug)]
pub struct StateGraph {
    pub(super) initial: Vec<u32>,
    /// Where the edges of each state end.
    ends: Vec<usize>,
    edges: Vec<(u32, u32)>,
    mark_sets: Vec<Bits>,
    pub(super) propositions: Vec<PropositionId>,
    /// Which propositions hold in each state, a bit for each.
    pub(super) letters: Vec<u64>,
    classes: Option<Vec<u32>>,
    /// What is demanded of fair runs.
    pub(super) fairness: Condition,
    /// The number of marks of fairness.
    pub(super) marks: usize,
    checked: Checked,
}

impl StateGraph {
    /// Expands all states. The observer is told now and then how far it has come, and says whether to go on.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn explore(
        expansion: &Expansion<'_>,
        mut states: States,
        observer: &mut dyn FnMut(&Checked) -> bool,
    ) -> Result<StateGraph, Failure<Refusal>> {
        let marks = FairnessMarks::new(&expansion.fairness.assumptions);
        refuse(expansion, &marks, &states)?;
        let mut graph = StateGraph {
            initial: Vec::new(),
            ends: Vec::new(),
            edges: Vec::new(),
            mark_sets: Vec::new(),
            propositions: expansion.propositions.to_vec(),
            letters: Vec::new(),
            classes: expansion.key.map(|_| Vec::new()),
            fairness: marks.condition(expansion.chosen),
            marks: marks.count(),
            checked: Checked::default(),
        };
        let mut explorer = expansion.system.explorer(&expansion.fairness.items);
        let mut successors = Successors::new();
        explorer.initial(&mut successors);
        graph.checked.faults += count_faults(&successors)?;
        for index in 0..successors.len() {
            let (number, is_new) = states.meet(successors.state(index))?;
            if is_new {
                graph.initial.push(number as u32);
            }
        }
        let mut numbers: HashMap<Bits, u32> = HashMap::new();
        let mut keys: HashMap<Vec<u8>, u32> = HashMap::new();
        let bound = expansion.fairness.pid_bound.unwrap_or(usize::MAX);
        let mut next = 0;
        while next < states.len() {
            let state = states.get(next)?;
            explorer.expand(state, &mut successors);
            graph.checked.faults += count_faults(&successors)?;
            let mut letter = 0;
            for (place, &proposition) in expansion.propositions.iter().enumerate() {
                letter |= u64::from(holds(&mut *explorer, proposition, state)?) << place;
            }
            graph.letters.push(letter);
            if let (Some(key), Some(classes)) = (expansion.key, &mut graph.classes) {
                let fresh = keys.len() as u32;
                classes.push(*keys.entry(key(state)).or_insert(fresh));
            }
            let enabled = successors.enabled();
            let in_front = marks.in_front(enabled, |p| holds(&mut *explorer, p, state))?;
            let mut number_of = |set: Bits| {
                let fresh = numbers.len() as u32;
                let number = *numbers.entry(set.clone()).or_insert(fresh);
                if number == fresh {
                    graph.mark_sets.push(set);
                }
                number
            };
            for index in 0..successors.len() {
                if successors.step(index).is_beyond(bound) {
                    return Err(Refusal::Processes.into());
                }
                let mut set = marks.taken(successors.taken(index));
                set.union_with(&in_front);
                let (target, _) = states.meet(successors.state(index))?;
                graph.edges.push((target as u32, number_of(set)));
            }
            let is_end = successors.is_empty() && successors.faults().is_empty();
            let stays = match expansion.finished {
                FinishedRuns::Stutter => is_end,
                FinishedRuns::Everywhere => true,
                FinishedRuns::Ignore | FinishedRuns::Maximal => false,
            };
            if stays {
                graph.edges.push((next as u32, number_of(in_front)));
            }
            graph.ends.push(graph.edges.len());
            next += 1;
            graph.checked.states = next as u64;
            graph.checked.edges = graph.edges.len() as u64;
            if next.is_multiple_of(1024) && !observer(&graph.checked) {
                return Err(Refusal::Interrupted.into());
            }
        }
        Ok(graph)
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// What was looked at to expand it.
    pub fn checked(&self) -> Checked {
        self.checked
    }

    /// The initial states, by number.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The edges of a state: the state behind each, and the number of its set of fairness marks.
    pub(super) fn edges(&self, state: usize) -> &[(u32, u32)] {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[state]]
    }

    /// Whether a set of marks has a mark.
    pub(super) fn has(&self, set: u32, mark: usize) -> bool {
        self.mark_sets[set as usize].contains(mark)
    }

    /// A set of states, and all states that are the same as one of them.
    pub(super) fn merged(&self, set: Vec<bool>) -> Vec<bool> {
        let Some(classes) = &self.classes else {
            return set;
        };
        let mut some = vec![false; classes.len()];
        for (state, &class) in classes.iter().enumerate() {
            some[class as usize] |= set[state];
        }
        classes.iter().map(|&class| some[class as usize]).collect()
    }
}

/// What this cannot be done for.
fn refuse(
    expansion: &Expansion<'_>,
    marks: &FairnessMarks,
    states: &States,
) -> Result<(), Failure<Refusal>> {
    if expansion.finished == FinishedRuns::Maximal {
        return Err(Refusal::FiniteRuns.into());
    }
    if expansion.propositions.len() > 64 {
        return Err(Refusal::TooLarge.into());
    }
    if !states.is_empty() {
        return Err(crate::flaw::Flaw::Order.into());
    }
    let seen = expansion.propositions.iter().copied();
    let mut read = seen.chain(marks.propositions());
    match read.find(|&p| expansion.system.is_on_steps(p)) {
        Some(proposition) => Err(Refusal::OnSteps(proposition).into()),
        None => Ok(()),
    }
}
