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

use evenhand_system::explicit::FaultReport;
use evenhand_system::{
    Assumption, AssumptionKind, Explicit, Explorer, Fairness, Fault, FaultKind, PropositionId,
    Successors,
};

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
    /// The proposition that could not be evaluated.
    failure: Option<(PropositionId, Fault)>,
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
            failure: None,
            successors: Successors::new(),
            hashes: Vec::new(),
            state: Vec::new(),
            letter: Vec::new(),
        }
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
        bits(self.letters.get(StateId::new(letter)))
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

    /// Why [`Stop::Proposition`] was answered.
    pub fn failure(&self) -> Option<(PropositionId, Fault)> {
        self.failure
    }

    /// The packed form of a state.
    pub fn load(&self, id: StateId, state: &mut Vec<u8>) {
        self.store.load(id, state);
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
    /// If a limit was reached.
    #[inline]
    pub fn outgoing(&mut self, id: StateId) -> Result<Outgoing<'_>, Stop> {
        let place = match self.places.get(id.index()) {
            Some(&place) if place != UNKNOWN => place,
            _ => self.expand(id)?,
        };
        let marked = self.marking.count > 0;
        let at = place as usize;
        let count = self.records[at + 2] as usize * if marked { 2 } else { 1 };
        Ok(Outgoing {
            letter: self.records[at],
            stay: Some(self.records[at + 1]).filter(|&set| set != UNKNOWN),
            edges: &self.records[at + 3..at + 3 + count],
            marked,
        })
    }

    /// Apart from [`Space::outgoing`], so that what is called for each visit stays small.
    #[inline(never)]
    fn expand(&mut self, id: StateId) -> Result<u32, Stop> {
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
        self.places[id.index()] = place;
        Ok(place)
    }

    /// The letter of the state in `state`; its bits are in `letter`.
    fn evaluate(&mut self) -> Result<u32, Stop> {
        self.letter.clear();
        self.letter.resize(self.propositions.len().div_ceil(8), 0);
        for (index, &proposition) in self.propositions.iter().enumerate() {
            match self.explorer.holds(proposition, &self.state) {
                Ok(true) => self.letter[index / 8] |= 1 << (index % 8),
                Ok(false) => {}
                Err(fault) => {
                    self.failure = Some((proposition, fault));
                    return Err(Stop::Proposition);
                }
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

/// From what is enabled, taken and true to sets of marks.
struct Marking {
    /// The number of marks.
    count: usize,
    buchi: Vec<usize>,
    pairs: Vec<(usize, usize)>,
    serving: Vec<usize>,
    kinds: Vec<Rule>,
    /// For each item, the marks that a step which takes it carries.
    taken: Vec<Vec<usize>>,
    /// What is enabled and true, and for each the marks of the source.
    sources: PlainStore,
    bases: Vec<Vec<u8>>,
    /// A source with what is taken, and for each the set.
    keys: PlainStore,
    set_of_key: Vec<u32>,
    sets: PlainStore,
    scratch: Vec<u8>,
}

/// How the marks of one assumption follow from the source state.
#[derive(Clone, Copy)]
enum Rule {
    /// Item; the mark is set where it is disabled (or taken).
    Weak { item: usize, mark: usize },
    /// Item; the request is set where it is enabled.
    Strong { item: usize, request: usize },
    /// Place in the letter.
    Holds { place: usize, mark: usize },
}

impl Marking {
    fn new(assumptions: &[Assumption], propositions: &mut Vec<PropositionId>) -> Marking {
        let mut marking = Marking {
            count: 0,
            buchi: Vec::new(),
            pairs: Vec::new(),
            serving: Vec::new(),
            kinds: Vec::new(),
            taken: Vec::new(),
            sources: PlainStore::new(),
            bases: Vec::new(),
            keys: PlainStore::new(),
            set_of_key: Vec::new(),
            sets: PlainStore::new(),
            scratch: Vec::new(),
        };
        let mut place = |proposition| {
            let known = propositions.iter().position(|&p| p == proposition);
            known.unwrap_or_else(|| {
                propositions.push(proposition);
                propositions.len() - 1
            })
        };
        for assumption in assumptions {
            match assumption.kind {
                AssumptionKind::Weak(item) => {
                    let mark = marking.new_buchi();
                    marking.kinds.push(Rule::Weak { item, mark });
                    marking.when_taken(item, mark);
                }
                AssumptionKind::Strong(item) => {
                    let (request, grant) = marking.new_pair();
                    marking.kinds.push(Rule::Strong { item, request });
                    marking.when_taken(item, grant);
                }
                AssumptionKind::Justice(proposition) => {
                    let (place, mark) = (place(proposition), marking.new_buchi());
                    marking.kinds.push(Rule::Holds { place, mark });
                }
                AssumptionKind::Compassion { when, then } => {
                    let (request, grant) = marking.new_pair();
                    for (proposition, mark) in [(when, request), (then, grant)] {
                        let place = place(proposition);
                        marking.kinds.push(Rule::Holds { place, mark });
                    }
                }
            }
        }
        marking
    }

    fn new_buchi(&mut self) -> usize {
        self.buchi.push(self.count);
        self.serving.push(self.count);
        self.count += 1;
        self.count - 1
    }

    fn new_pair(&mut self) -> (usize, usize) {
        let pair = (self.count, self.count + 1);
        self.pairs.push(pair);
        self.serving.push(pair.1);
        self.count += 2;
        pair
    }

    fn when_taken(&mut self, item: usize, mark: usize) {
        if self.taken.len() <= item {
            self.taken.resize(item + 1, Vec::new());
        }
        self.taken[item].push(mark);
    }

    fn bytes_used(&self) -> usize {
        let sets = [&self.sources, &self.keys, &self.sets];
        let stored: usize = sets.iter().map(|s| s.bytes_used()).sum();
        stored + self.bases.len() * (32 + self.count / 8) + 4 * self.set_of_key.len()
    }

    /// The number of the combination of enabled items and letter.
    fn base(&mut self, enabled: &[u64], letter: &[u8]) -> Result<u32, Stop> {
        if self.count == 0 {
            return Ok(0);
        }
        self.scratch.clear();
        for word in enabled {
            self.scratch.extend(word.to_le_bytes());
        }
        self.scratch.extend_from_slice(letter);
        let (id, new) = self.sources.insert(&self.scratch)?;
        if new {
            let marks = self.source_marks(enabled, letter);
            self.bases.push(marks);
        }
        Ok(id.number())
    }

    fn source_marks(&self, enabled: &[u64], letter: &[u8]) -> Vec<u8> {
        let is_enabled = |item: usize| {
            enabled
                .get(item / 64)
                .is_some_and(|w| w >> (item % 64) & 1 == 1)
        };
        let mut marks = vec![0u8; self.count.div_ceil(8)];
        for &rule in &self.kinds {
            let (set, mark) = match rule {
                Rule::Weak { item, mark } => (!is_enabled(item), mark),
                Rule::Strong { item, request } => (is_enabled(item), request),
                Rule::Holds { place, mark } => (letter[place / 8] >> (place % 8) & 1 == 1, mark),
            };
            if set {
                marks[mark / 8] |= 1 << (mark % 8);
            }
        }
        marks
    }

    /// The set of marks of staying at an end.
    fn stay(&mut self, enabled: &[u64], letter: &[u8]) -> Result<u32, Stop> {
        if self.count == 0 {
            return Ok(0);
        }
        let marks = self.source_marks(enabled, letter);
        let (set, _) = self.sets.insert(&marks)?;
        Ok(set.number())
    }

    /// The set of marks of a step.
    fn set(&mut self, base: u32, taken: &[u64]) -> Result<u32, Stop> {
        self.scratch.clear();
        self.scratch.extend(base.to_le_bytes());
        for word in taken {
            self.scratch.extend(word.to_le_bytes());
        }
        let (key, new) = self.keys.insert(&self.scratch)?;
        if new {
            let mut marks = self.bases[base as usize].clone();
            for (word, &bits) in taken.iter().enumerate() {
                for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                    for &mark in self.taken.get(64 * word + bit).into_iter().flatten() {
                        marks[mark / 8] |= 1 << (mark % 8);
                    }
                }
            }
            let (set, _) = self.sets.insert(&marks)?;
            self.set_of_key.push(set.number());
        }
        Ok(self.set_of_key[key.index()])
    }
}
