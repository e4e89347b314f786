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
//! compassion over state expressions are marks of the source state. So a step has the marks of its source
//! and of what it takes, and there are few different ones of each kind: both are numbers.
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
use std::sync::Arc;
use std::time::Instant;

use evenhand_system::explicit::{FaultReport, FinishedRuns};
use evenhand_system::{Explicit, Explorer, Fairness, Fault, FaultKind, PropositionId, Successors};

use crate::ahead::chunk::Extra;
use crate::ahead::crew::Crew;
use crate::ahead::job::First;
use crate::ahead::states::{States, Wanted};
use crate::ahead::taking::{Record, Taker};
use crate::ahead::worth::Worth;
use crate::marking::Marking;
use crate::recall::Recall;
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
    system: &'a dyn Explicit,
    explorer: Box<dyn Explorer + 'a>,
    states: States<'a, S>,
    /// Who could help with a large space, and what they would have to know.
    crew: Option<(Arc<Crew>, Fairness)>,
    worth: Worth,
    propositions: Vec<PropositionId>,
    marking: Marking,
    /// Whether there are marks.
    is_marked: bool,
    pid_bound: usize,
    /// Whether runs may stay in every state.
    stays: bool,
    /// For each state, where its record begins; [`UNKNOWN`] before it is expanded.
    places: Vec<u32>,
    /// The records: letter, whether it is an end, number of edges; with marks those of the source; edges, with
    /// marks those of what each takes.
    records: Vec<u32>,
    letters: PlainStore,
    /// Letters that were worked out before.
    recall: Recall,
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

/// In the record of a state that is an end.
const END: u32 = 1;

/// No number.
const UNKNOWN: u32 = u32::MAX;

/// What leads out of a state.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'r> {
    /// The letter: an index for [`Space::letter`].
    pub letter: u32,
    /// The marks of all steps from here: an index for [`Space::source_marks`].
    pub source: u32,
    /// Whether a run may stay there for ever, which has the marks of the source: it is an end, or runs may stay
    /// everywhere.
    pub is_end: bool,
    edges: &'r [u32],
    marked: bool,
}

impl<'r> Outgoing<'r> {
    /// The targets, each with what the step takes: an index for [`Space::grant_marks`].
    #[inline]
    pub fn edges(self) -> impl Iterator<Item = (StateId, u32)> + 'r {
        let width = if self.marked { 2 } else { 1 };
        let marked = self.marked;
        let edges = self.edges.chunks_exact(width);
        edges.map(move |e| (StateId::new(e[0]), if marked { e[1] } else { 0 }))
    }

    /// The targets, where there are no marks at all.
    #[inline]
    pub(crate) fn plain_edges(self) -> &'r [u32] {
        if self.marked { &[] } else { self.edges }
    }

    /// The targets, each with what the step takes, where there are marks.
    #[inline]
    pub(crate) fn marked_edges(self) -> &'r [[u32; 2]] {
        match self.marked {
            true => self.edges.as_chunks().0,
            false => &[],
        }
    }
}

impl<'a, S: Store> Space<'a, S> {
    /// A space without states.
    pub fn new(system: &'a dyn Explicit, interest: Interest<'_>, store: S) -> Space<'a, S> {
        let fairness = interest.fairness;
        let mut propositions = interest.propositions.to_vec();
        let marking = Marking::new(&fairness.assumptions, &mut propositions);
        Space {
            system,
            explorer: system.explorer(&fairness.items),
            states: States::Alone(store),
            crew: None,
            worth: Worth::default(),
            propositions,
            is_marked: marking.count > 0,
            marking,
            pid_bound: fairness.pid_bound.unwrap_or(usize::MAX),
            stays: system.finished_runs() == FinishedRuns::Everywhere,
            places: Vec::new(),
            records: Vec::new(),
            letters: PlainStore::new(),
            recall: Recall::default(),
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

    /// The same space, if it becomes large with the help of others.
    #[must_use]
    pub fn helped_by(mut self, crew: Arc<Crew>, fairness: &Fairness) -> Space<'a, S> {
        self.crew = Some((crew, fairness.clone()));
        self
    }

    /// How many of the states were expanded by others, ahead of who asked for them.
    pub fn expanded_ahead(&self) -> u64 {
        self.states.expanded_ahead()
    }

    /// Goes on after an expansion that was ended in the middle: what is stored is complete, what the
    /// explorer was at is forgotten. The system and the fairness are the same as before.
    pub fn resume(&mut self, system: &'a dyn Explicit, fairness: &Fairness) {
        self.explorer = system.explorer(&fairness.items);
        self.successors = Successors::new();
        if let States::Together(taking) = &mut self.states {
            taking.resume(system);
        }
    }

    /// The number of states stored.
    #[inline]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether no state is stored yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every state that is stored was expanded: then all reachable states are stored.
    pub fn is_complete(&self) -> bool {
        self.expanded == self.len()
    }

    /// The number of transitions of the states expanded so far.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        let words = self.places.capacity() + self.records.capacity();
        self.states.bytes_used()
            + 4 * words
            + self.letters.bytes_used()
            + self.marking.bytes_used()
            + self.recall.bytes_used()
    }

    /// The number of fairness marks; sets of marks have that many bits.
    #[inline]
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

    /// The number of different sets of marks that states have so far.
    #[inline]
    pub fn sources(&self) -> usize {
        self.marking.source_count()
    }

    /// The marks of all steps from states of a kind.
    pub fn source_marks(&self, source: u32) -> impl Iterator<Item = usize> + '_ {
        self.marking.source_marks(source)
    }

    /// The number of different sets of items that steps take so far.
    #[inline]
    pub fn grants(&self) -> usize {
        self.marking.grant_count()
    }

    /// The marks of what a step takes.
    pub fn grant_marks(&self, grant: u32) -> impl Iterator<Item = usize> + '_ {
        self.marking.grant_marks(grant)
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

    /// For each action, whether somebody has executed it. Complete when nobody helps any more.
    pub fn executed(&self) -> Vec<bool> {
        let mut all = self.explorer.executed().to_vec();
        if let States::Together(taking) = &self.states {
            for (own, others) in all.iter_mut().zip(taking.executed()) {
                *own |= others;
            }
        }
        all
    }

    /// The packed form of a state.
    pub fn load(&self, id: StateId, state: &mut Vec<u8>) {
        self.states.load(id, state);
    }

    /// The number of a state that is stored. One that was not is stored from now on, as a state that
    /// was met and not expanded.
    pub fn find(&mut self, state: &[u8]) -> Option<StateId> {
        let known = self.states.insert(state).ok()?;
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
            let (id, _) = self.states.insert(self.successors.state(index))?;
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
        let place = match self.known_place(id) {
            Some(place) => place,
            None => self.outgoing_place(id)?,
        };
        Ok(self.record(place))
    }

    /// Where the record of a state is, if the state was expanded and all propositions have a value.
    #[inline]
    pub(crate) fn known_place(&self, id: StateId) -> Option<u32> {
        let place = *self.places.get(id.index())?;
        (place != UNKNOWN).then_some(place)
    }

    /// Where the record of any state is.
    pub(crate) fn outgoing_place(&mut self, id: StateId) -> Result<u32, Stop> {
        self.expand(id).map(|(place, _)| place)
    }

    /// The letter in the record at a place.
    #[inline]
    pub(crate) fn letter_at(&self, place: u32) -> u32 {
        self.records[place as usize]
    }

    /// The record at a place.
    #[inline]
    pub(crate) fn record(&self, place: u32) -> Outgoing<'_> {
        let (head, edges) = self.records[place as usize..].split_at(3);
        let count = head[2] as usize;
        let (source, edges) = match edges.split_first() {
            Some((&source, edges)) if self.is_marked => (source, &edges[..2 * count]),
            _ => (0, &edges[..count]),
        };
        Outgoing {
            letter: head[0],
            source,
            is_end: head[1] == END || self.stays,
            edges,
            marked: self.is_marked,
        }
    }

    /// Apart from [`Space::outgoing`], so that what is called for each visit stays small. The place
    /// of the record, and whether all propositions have a value.
    #[inline(never)]
    fn expand(&mut self, id: StateId) -> Result<(u32, bool), Stop> {
        if let Some(&place) = self.partial.get(&id) {
            return Ok((place, false));
        }
        let begun = self.call();
        let States::Alone(store) = &mut self.states else {
            return self.take(id);
        };
        store.load(id, &mut self.state);
        self.explorer.expand(&self.state, &mut self.successors);
        let met = self.successors.unsettled();
        if !met.is_empty() && !self.system.settle(met) {
            return Err(Stop::Interrupted);
        }
        if let Some(begun) = begun {
            self.worth.end(begun, self.expanded);
        }
        self.announce();
        if !self.successors.faults().is_empty() {
            self.note_faults()?;
        }
        let place = u32::try_from(self.records.len()).map_err(|_| Stop::Memory)?;
        let written = self.mark().and_then(|()| self.intern());
        if let Err(stop) = written {
            self.records.truncate(place as usize);
            return Err(stop);
        }
        self.transitions += self.successors.len() as u64;
        Ok(self.keep(id, place))
    }

    /// The successors are on their way to where they will be looked up. (This and the next two are functions of their own
    /// so that a profile tells them apart.)
    #[inline(never)]
    fn announce(&mut self) {
        if let States::Alone(store) = &self.states {
            hash_all(store, &self.successors, &mut self.hashes);
        }
    }

    /// Writes the record of the state at hand, all but where its steps lead.
    #[inline(never)]
    fn mark(&mut self) -> Result<(), Stop> {
        let letter = self.evaluate()?;
        let ends = self.successors.is_empty() && self.successors.faults().is_empty();
        let end = if ends { END } else { 0 };
        let count = self.successors.len();
        self.records.extend([letter, end, count as u32]);
        if !self.is_marked {
            return Ok(());
        }
        let read: &[u8] = match self.marking.reads_letters() {
            true => self.letters.get(StateId::new(letter)),
            false => &[],
        };
        let source = self.marking.source(self.successors.enabled(), read)?;
        self.records.push(source);
        let first = self.records.len();
        self.records.resize(first + 2 * count, UNKNOWN);
        let edges = self.records[first..].as_chunks_mut::<2>().0;
        for (index, edge) in edges.iter_mut().enumerate() {
            edge[1] = self.marking.grant(self.successors.taken(index))?;
        }
        Ok(())
    }

    /// Looks the successors up, and writes their numbers.
    #[inline(never)]
    fn intern(&mut self) -> Result<(), Stop> {
        let States::Alone(store) = &mut self.states else {
            return Err(Stop::Memory);
        };
        let count = self.successors.len();
        let width = if self.is_marked { 2 } else { 1 };
        let first = self.records.len() - (width - 1) * 2 * count;
        self.records.resize(first + width * count, UNKNOWN);
        let mut at = first;
        for (index, &hash) in self.hashes.iter().enumerate() {
            if self.successors.step(index).is_beyond(self.pid_bound) {
                return Err(Stop::Processes);
            }
            let (to, _) = store.insert_hashed(hash, self.successors.state(index))?;
            self.records[at] = to.number();
            at += width;
        }
        Ok(())
    }

    /// The record of a state is complete: where it is, and whether all propositions have a value.
    fn keep(&mut self, id: StateId, place: u32) -> (u32, bool) {
        self.expanded += 1;
        if self.places.len() <= id.index() {
            let spare = self.places.len() / 16 + 64;
            let enough = self.len().max(self.places.len() + spare);
            self.places.resize(enough, UNKNOWN);
        }
        if !self.missing.is_empty() {
            self.partial.insert(id, place);
            return (place, false);
        }
        self.places[id.index()] = place;
        (place, true)
    }

    /// Calls others when states are many, and take long; the time, if the next one is to tell how long.
    #[inline]
    fn call(&mut self) -> Option<Instant> {
        let (crew, _) = self.crew.as_ref()?;
        let threads = crew.threads();
        if !threads.help_after(self.expanded) {
            return None;
        }
        if threads.is_early() || self.worth.is_long() {
            self.share();
            return None;
        }
        self.worth.begin(self.expanded)
    }

    /// Lets others help from now on, if there is somebody.
    #[cold]
    fn share(&mut self) {
        let Some((crew, fairness)) = &self.crew else {
            return;
        };
        let is_expanded = |id: StateId| {
            let place = self.places.get(id.index());
            place.is_some_and(|&place| place != UNKNOWN) || self.partial.contains_key(&id)
        };
        let wanted = Wanted {
            propositions: &self.propositions,
            fairness,
            ends: false,
            first: First::Newest,
        };
        let (states, system) = (&mut self.states, self.system);
        if states.share(system, crew, &wanted, is_expanded) {
            self.crew = None;
        }
    }

    /// Takes the record that somebody made of a state.
    fn take(&mut self, id: StateId) -> Result<(u32, bool), Stop> {
        let States::Together(taking) = &mut self.states else {
            return Err(Stop::Memory);
        };
        let place = u32::try_from(self.records.len()).map_err(|_| Stop::Memory)?;
        self.missing.clear();
        let mut into = Into {
            system: self.system,
            records: &mut self.records,
            letters: &mut self.letters,
            marking: &mut self.marking,
            faults: &mut self.faults,
            failures: &mut self.failures,
            is_partial: false,
        };
        let taken = taking.take(id, &mut into);
        let is_partial = into.is_partial;
        if let Err(stop) = taken {
            self.records.truncate(place as usize);
            return Err(stop);
        }
        if is_partial {
            self.missing.push(0);
        }
        self.transitions += u64::from(self.records[place as usize + 2]);
        Ok(self.keep(id, place))
    }

    /// The letter of the state in `state`.
    fn evaluate(&mut self) -> Result<u32, Stop> {
        self.missing.clear();
        if self.propositions.is_empty() && self.letters.len() == 1 {
            return Ok(0);
        }
        let explorer = &mut *self.explorer;
        let known = self
            .recall
            .letter(explorer, &self.propositions, &self.state);
        if let Some(letter) = known
            && !cfg!(debug_assertions)
        {
            return Ok(letter);
        }
        let letter = self.evaluate_again()?;
        debug_assert!(known.is_none_or(|known| known == letter), "another letter");
        if self.missing.is_empty() {
            self.recall.keep(letter);
        }
        Ok(letter)
    }

    /// The same if it has to be worked out; its bits are in `letter`, and behind them those of missing values if there
    /// are any.
    fn evaluate_again(&mut self) -> Result<u32, Stop> {
        let len = self.letter_len();
        self.letter.clear();
        self.letter.resize(len, 0);
        for (index, &proposition) in self.propositions.iter().enumerate() {
            match self.explorer.holds(proposition, &self.state) {
                Ok(true) => self.letter[index / 8] |= 1 << (index % 8),
                Ok(false) => {}
                Err(fault) => {
                    self.missing.push(index);
                    note_failure(&mut self.failures, (proposition, fault));
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

    fn note_faults(&mut self) -> Result<(), Stop> {
        note_faults(&mut self.faults, self.successors.faults())
    }
}

/// Where what is known of a state goes.
struct Into<'s> {
    system: &'s dyn Explicit,
    records: &'s mut Vec<u32>,
    letters: &'s mut PlainStore,
    marking: &'s mut Marking,
    faults: &'s mut Vec<FaultReport>,
    failures: &'s mut Vec<(PropositionId, Fault)>,
    is_partial: bool,
}

impl Taker for Into<'_> {
    fn extra(&mut self, extra: &Extra, _count: u32) -> Result<(), Stop> {
        if !self.system.settle(&extra.unsettled) {
            return Err(Stop::Interrupted);
        }
        note_faults(self.faults, &extra.faults)?;
        for failure in &extra.failures {
            note_failure(self.failures, *failure);
        }
        self.is_partial = !extra.failures.is_empty();
        Ok(())
    }

    fn letter(&mut self, letter: &[u8]) -> Result<u32, Stop> {
        Ok(self.letters.insert(letter)?.0.number())
    }

    fn source(&mut self, source: &[u8]) -> Result<u32, Stop> {
        self.marking.adopt_source(source)
    }

    fn grant(&mut self, grant: &[u8]) -> Result<u32, Stop> {
        self.marking.adopt_grant(grant)
    }

    fn state(&mut self, state: Record) {
        let end = if state.is_end { END } else { 0 };
        self.records.extend([state.letter, end, state.count]);
        self.records.extend(state.source);
    }

    fn successor(&mut self, to: StateId, grant: Option<u32>, _new: bool) {
        self.records.push(to.number());
        self.records.extend(grant);
    }
}

/// Keeps a few of the faults; what the system could not do is a limit.
fn note_faults(kept: &mut Vec<FaultReport>, faults: &[FaultReport]) -> Result<(), Stop> {
    for report in faults {
        if let Some(stop) = Stop::of_fault(&report.fault.kind) {
            return Err(stop);
        }
        match report.fault.kind {
            FaultKind::Trace { .. } => {}
            _ if kept.len() < 8 => kept.push(report.clone()),
            _ => {}
        }
    }
    Ok(())
}

/// Remembers the first state in which a proposition has no value.
fn note_failure(failures: &mut Vec<(PropositionId, Fault)>, failure: (PropositionId, Fault)) {
    if !failures.iter().any(|(known, _)| *known == failure.0) {
        failures.push(failure);
    }
}

/// The bits of a set that are set.
fn bits(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let all = 0..8 * bytes.len();
    all.filter(|&bit| bytes[bit / 8] >> (bit % 8) & 1 == 1)
}
