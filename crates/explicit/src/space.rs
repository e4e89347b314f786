//! The system's own graph, generated on demand and kept: states, letters, successors, fairness
//! marks.
//!
//! Every property of a model asks about the same states. They are stored once, expanded once, and
//! each expanded state keeps a short record: which propositions hold in it (its *letter*), where
//! its steps lead, and which fairness marks each step carries. A product with a property automaton
//! then works on numbers alone, however often it comes back to a state: with another automaton
//! state, in the refinement of a component, for another property, or to find a shorter run.
//!
//! Fairness marks follow from what the system says is enabled and what the step takes: weak
//! fairness of an item is one Büchi mark, set where the item is disabled or taken; strong fairness
//! is a pair, its request set where the item is enabled, its grant where it is taken. Justice and
//! compassion over state expressions are marks of the source state. There are few different
//! combinations, so a set of marks is a number too.
//!
//! A state without successors is an end. Its record keeps the marks of the step that stays there
//! for ever (nothing is taken), for properties that extend finished runs. Where a run-time error
//! cuts the run there is no such step.
//!
//! A proposition may have no value in a state: an index is out of range, a number is divided by
//! zero. Its place in the letter is then *missing*, and only who needs it has to stop: a property
//! that is about other things, or that is broken whatever the value, has its answer. Such states
//! are rare, and kept apart, so that nobody takes them for others by mistake.

use std::collections::HashMap;

use evenhand_system::explicit::FaultReport;
use evenhand_system::{Explicit, Explorer, Fairness, Fault, FaultKind, PropositionId, Successors};

use crate::marking::Marking;
use crate::search::Stop;
use crate::store::{PlainStore, StateId, Store, hash_all};

/// What a space is to know about the states and steps of a system.
#[derive(Clone, Copy, Debug)]
pub struct Interest<'i> {
    /// The propositions; a letter has one bit for each.
    pub propositions: &'i [PropositionId],
    /// The fairness assumptions.
    pub fairness: &'i Fairness,
}

/// The states of a system and their successors, as far as somebody asked for them.
pub struct Space<'a, S> {
    explorer: Box<dyn Explorer + 'a>,
    store: S,
    propositions: Vec<PropositionId>,
    marking: Marking,
    pid_bound: usize,
    /// For each state, where its record begins; [`UNKNOWN`] before it is expanded.
    places: Vec<u32>,
    /// The records: letter, marks of staying or [`UNKNOWN`], number of edges, edges.
    records: Vec<u32>,
    letters: PlainStore,
    initial: Option<Vec<StateId>>,
    transitions: u64,
    expanded: usize,
    faults: Vec<FaultReport>,
    /// The records of states in which some proposition has no value.
    partial: HashMap<StateId, u32>,
    /// Propositions without a value, and why in the first such state.
    failures: Vec<(PropositionId, Fault)>,
    /// Places of propositions without a value in the state at hand.
    missing: Vec<usize>,
    successors: Successors,
    hashes: Vec<u64>,
    state: Vec<u8>,
    letter: Vec<u8>,
}

/// No number.
const UNKNOWN: u32 = u32::MAX;

/// What leads out of a state.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'r> {
    /// The letter: an index for [`Space::letter`].
    pub letter: u32,
    /// At an end: the marks of staying there for ever, an index for [`Space::marks`].
    pub stay: Option<u32>,
    edges: &'r [u32],
    marked: bool,
}

impl<'r> Outgoing<'r> {
    /// The targets, each with its set of marks: an index for [`Space::marks`].
    #[inline]
    pub fn edges(self) -> impl Iterator<Item = (StateId, u32)> + 'r {
        let width = if self.marked { 2 } else { 1 };
        let marked = self.marked;
        let edges = self.edges.chunks_exact(width);
        edges.map(move |e| (StateId::new(e[0]), if marked { e[1] } else { 0 }))
    }
}

impl<'a, S: Store> Space<'a, S> {
    /// A space without states.
    pub fn new(system: &'a dyn Explicit, interest: Interest<'_>, store: S) -> Space<'a, S> {
        let fairness = interest.fairness;
        let mut propositions = interest.propositions.to_vec();
        let marking = Marking::new(&fairness.assumptions, &mut propositions);
        Space {
            explorer: system.explorer(&fairness.items),
            store,
            propositions,
            marking,
            pid_bound: fairness.pid_bound.unwrap_or(usize::MAX),
            places: Vec::new(),
            records: Vec::new(),
            letters: PlainStore::new(),
            initial: None,
            transitions: 0,
            expanded: 0,
            faults: Vec::new(),
            partial: HashMap::new(),
            failures: Vec::new(),
            missing: Vec::new(),
            successors: Successors::new(),
            hashes: Vec::new(),
            state: Vec::new(),
            letter: Vec::new(),
        }
    }

    /// Goes on after an expansion that was ended in the middle: what is stored is complete, what the
    /// explorer was at is forgotten. The system and the fairness are the same as before.
    pub fn resume(&mut self, system: &'a dyn Explicit, fairness: &Fairness) {
        self.explorer = system.explorer(&fairness.items);
        self.successors = Successors::new();
    }

    /// The number of states stored.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether no state is stored yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every state that is stored was expanded: then all reachable states are stored.
    pub fn is_complete(&self) -> bool {
        self.expanded == self.store.len()
    }

    /// The number of transitions of the states expanded so far.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        let words = self.places.capacity() + self.records.capacity();
        self.store.bytes_used() + 4 * words + self.letters.bytes_used() + self.marking.bytes_used()
    }

    /// The number of fairness marks; sets of marks have that many bits.
    pub fn mark_count(&self) -> usize {
        self.marking.count
    }

    /// The Büchi marks of the assumptions, and the pairs (request, grant).
    pub fn condition(&self) -> (&[usize], &[(usize, usize)]) {
        (&self.marking.buchi, &self.marking.pairs)
    }

    /// For each assumption, the mark of a step that serves it: a Büchi mark, or the grant of a
    /// pair.
    pub fn serving_marks(&self) -> &[usize] {
        &self.marking.serving
    }

    /// The number of different sets of marks so far.
    pub fn mark_sets(&self) -> usize {
        self.marking.sets.len()
    }

    /// A set of marks.
    pub fn marks(&self, set: u32) -> impl Iterator<Item = usize> + '_ {
        bits(self.marking.sets.get(StateId::new(set)))
    }

    /// The number of different letters so far.
    pub fn letter_count(&self) -> usize {
        self.letters.len()
    }

    /// The propositions that hold under a letter, by their places in the interest.
    pub fn letter(&self, letter: u32) -> impl Iterator<Item = usize> + '_ {
        bits(&self.letters.get(StateId::new(letter))[..self.letter_len()])
    }

    /// Whether a proposition holds under a letter, by its place in the interest.
    pub fn letter_has(&self, letter: u32, place: usize) -> bool {
        let bytes = &self.letters.get(StateId::new(letter))[..self.letter_len()];
        bytes
            .get(place / 8)
            .is_some_and(|byte| byte >> (place % 8) & 1 == 1)
    }

    /// The propositions that have no value under a letter, by their places in the interest.
    pub fn missing(&self, letter: u32) -> impl Iterator<Item = usize> + '_ {
        bits(&self.letters.get(StateId::new(letter))[self.letter_len()..])
    }

    /// Whether fairness cannot be told under a letter, since its propositions have no value: steps
    /// of such states are left out.
    pub fn is_cut(&self, letter: u32) -> bool {
        self.missing(letter).any(|place| self.marking.reads(place))
    }

    fn letter_len(&self) -> usize {
        self.propositions.len().div_ceil(8)
    }

    /// The place of a proposition in letters.
    pub fn place_of(&self, proposition: PropositionId) -> Option<usize> {
        self.propositions.iter().position(|&p| p == proposition)
    }

    /// The places of propositions in letters; of one that letters do not have, a place that none
    /// has.
    pub fn places_of(&self, propositions: &[PropositionId]) -> Vec<usize> {
        let places = propositions.iter().map(|&p| self.place_of(p));
        places.map(|place| place.unwrap_or(usize::MAX)).collect()
    }

    /// Run-time errors that were met: the first few.
    pub fn faults(&self) -> &[FaultReport] {
        &self.faults
    }

    /// Why one of these propositions or those of fairness has no value in some state.
    pub fn failure(&self, propositions: &[PropositionId]) -> Option<(PropositionId, Fault)> {
        let is_asked = |id: PropositionId| {
            let place = self.place_of(id);
            propositions.contains(&id) || place.is_some_and(|place| self.marking.reads(place))
        };
        let mut failures = self.failures.iter();
        failures.find(|(id, _)| is_asked(*id)).copied()
    }

    /// The packed form of a state.
    pub fn load(&self, id: StateId, state: &mut Vec<u8>) {
        self.store.load(id, state);
    }

    /// The number of a state that is stored. One that was not is stored from now on, as a state that
    /// was met and not expanded.
    pub fn find(&mut self, state: &[u8]) -> Option<StateId> {
        let known = self.store.insert(state).ok()?;
        Some(known.0).filter(|_| !known.1)
    }

    /// The initial states.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn initial(&mut self) -> Result<Vec<StateId>, Stop> {
        if let Some(initial) = &self.initial {
            return Ok(initial.clone());
        }
        self.explorer.initial(&mut self.successors);
        self.note_faults()?;
        let mut ids = Vec::new();
        for index in 0..self.successors.len() {
            let (id, _) = self.store.insert(self.successors.state(index))?;
            ids.push(id);
        }
        self.initial = Some(ids.clone());
        Ok(ids)
    }

    /// What leads out of a state; it is expanded if it was not yet.
    ///
    /// # Errors
    /// If a limit was reached, or some proposition has no value in it.
    #[inline]
    pub fn outgoing(&mut self, id: StateId) -> Result<Outgoing<'_>, Stop> {
        let place = match self.places.get(id.index()) {
            Some(&place) if place != UNKNOWN => place,
            _ => match self.expand(id)? {
                (place, true) => place,
                (_, false) => return Err(Stop::Proposition),
            },
        };
        Ok(self.record(place))
    }

    /// The same for callers that look out for letters with missing values.
    ///
    /// # Errors
    /// If a limit was reached.
    #[inline]
    pub fn outgoing_partly(&mut self, id: StateId) -> Result<Outgoing<'_>, Stop> {
        let place = match self.places.get(id.index()) {
            Some(&place) if place != UNKNOWN => place,
            _ => self.expand(id)?.0,
        };
        Ok(self.record(place))
    }

    #[inline]
    fn record(&self, place: u32) -> Outgoing<'_> {
        let marked = self.marking.count > 0;
        let at = place as usize;
        let count = self.records[at + 2] as usize * if marked { 2 } else { 1 };
        Outgoing {
            letter: self.records[at],
            stay: Some(self.records[at + 1]).filter(|&set| set != UNKNOWN),
            edges: &self.records[at + 3..at + 3 + count],
            marked,
        }
    }

    /// Apart from [`Space::outgoing`], so that what is called for each visit stays small. The place
    /// of the record, and whether all propositions have a value.
    #[inline(never)]
    fn expand(&mut self, id: StateId) -> Result<(u32, bool), Stop> {
        if let Some(&place) = self.partial.get(&id) {
            return Ok((place, false));
        }
        self.store.load(id, &mut self.state);
        self.explorer.expand(&self.state, &mut self.successors);
        hash_all(&self.store, &self.successors, &mut self.hashes);
        if !self.successors.faults().is_empty() {
            self.note_faults()?;
        }
        let letter = self.evaluate()?;
        let place = u32::try_from(self.records.len()).map_err(|_| Stop::Memory)?;
        let base = self.marking.base(self.successors.enabled(), &self.letter)?;
        let ends = self.successors.is_empty() && self.successors.faults().is_empty();
        let stay = if ends {
            self.marking.stay(self.successors.enabled(), &self.letter)?
        } else {
            UNKNOWN
        };
        let count = self.successors.len();
        self.records.extend([letter, stay, count as u32]);
        for index in 0..count {
            if self.successors.step(index).is_beyond(self.pid_bound) {
                return Err(Stop::Processes);
            }
            let state = self.successors.state(index);
            let (to, _) = self.store.insert_hashed(self.hashes[index], state)?;
            self.records.push(to.number());
            if self.marking.count > 0 {
                let set = self.marking.set(base, self.successors.taken(index))?;
                self.records.push(set);
            }
        }
        self.transitions += count as u64;
        self.expanded += 1;
        if self.places.len() <= id.index() {
            self.places.resize(self.store.len(), UNKNOWN);
        }
        if !self.missing.is_empty() {
            self.partial.insert(id, place);
            return Ok((place, false));
        }
        self.places[id.index()] = place;
        Ok((place, true))
    }

    /// The letter of the state in `state`; its bits are in `letter`, and behind them those of
    /// missing values if there are any.
    fn evaluate(&mut self) -> Result<u32, Stop> {
        let len = self.letter_len();
        self.letter.clear();
        self.letter.resize(len, 0);
        self.missing.clear();
        for (index, &proposition) in self.propositions.iter().enumerate() {
            match self.explorer.holds(proposition, &self.state) {
                Ok(true) => self.letter[index / 8] |= 1 << (index % 8),
                Ok(false) => {}
                Err(fault) => {
                    self.missing.push(index);
                    if !self.failures.iter().any(|(known, _)| *known == proposition) {
                        self.failures.push((proposition, fault));
                    }
                }
            }
        }
        if !self.missing.is_empty() {
            self.letter.resize(2 * len, 0);
            for &index in &self.missing {
                self.letter[len + index / 8] |= 1 << (index % 8);
            }
        }
        let (letter, _) = self.letters.insert(&self.letter)?;
        Ok(letter.number())
    }

    /// Keeps a few of the faults; what the system could not do is a limit.
    fn note_faults(&mut self) -> Result<(), Stop> {
        for report in self.successors.faults() {
            if let Some(stop) = Stop::of_fault(&report.fault.kind) {
                return Err(stop);
            }
            match report.fault.kind {
                FaultKind::Trace { .. } => {}
                _ if self.faults.len() < 8 => self.faults.push(report.clone()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The bits of a set that are set.
fn bits(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let all = 0..8 * bytes.len();
    all.filter(|&bit| bytes[bit / 8] >> (bit % 8) & 1 == 1)
}
