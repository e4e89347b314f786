//! One thread's way to expand a state into a record.
//!
//! Each thread numbers letters, and what marks follow from, by itself, and tells what its numbers mean in a
//! [`Vocabulary`]: few are new, and who takes a record translates by a table.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evenhand_source::spend;
use evenhand_system::{Explicit, Explorer, PropositionId, Successors};

use super::chunk::{CHUNK, Chunk, END, Expanded, Extra, HAS_EXTRA, HEAD, IMPROPER};
use super::job::{First, Job, Vocabulary, lock, merge};
use super::moment::Clock;
use super::venture::Met;
use crate::conditions::write_letter;
use crate::marking::Marking;
use crate::search::Stop;
use crate::store::{AnyHand, PlainStore, StateId, Store};

/// Expands states for a job.
pub(crate) struct Expander<'a> {
    explorer: Box<dyn Explorer + 'a>,
    job: Arc<Job>,
    hand: AnyHand,
    by: u32,
    vocabulary: Arc<Vocabulary>,
    /// How many letters, sources and grants were told.
    told: [usize; 3],
    propositions: Vec<PropositionId>,
    marking: Marking,
    letters: PlainStore,
    pid_bound: usize,
    successors: Successors,
    staged: Staged,
    /// What was met that has no number, by who helps a depth-first decision.
    met: Option<Met>,
    state: Vec<u8>,
    letter: Vec<u8>,
    room: usize,
    clock: Clock,
}

/// Successors that wait to be looked up. Memory is slow: a look-up waits for a slot of the table, and then for the state
/// that the slot leads to. Where many look-ups are known in advance, all slots are asked for while states are expanded,
/// then all states, and then nobody waits.
#[derive(Default)]
struct Staged {
    bytes: Vec<u8>,
    edges: Vec<Edge>,
}

/// One of them.
struct Edge {
    hash: u64,
    /// Where its bytes end; they begin where those of the one before end.
    end: usize,
    /// The word of the records that is its number or place, and the bit that says which.
    word: usize,
    known: usize,
    bit: u32,
}

impl Staged {
    /// Whether there are so many that all waiting is over when the first is looked up.
    fn is_enough(&self) -> bool {
        self.edges.len() >= 48
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.edges.clear();
    }
}

impl<'a> Expander<'a> {
    /// For a job about this system.
    pub fn new(system: &'a dyn Explicit, job: Arc<Job>) -> Expander<'a> {
        let mut propositions = job.propositions.clone();
        let marking = Marking::new(&job.fairness.assumptions, &mut propositions);
        let vocabulary = Arc::new(Vocabulary::default());
        let mut all = lock(&job.vocabularies);
        all.push(vocabulary.clone());
        let by = all.len() as u32 - 1;
        drop(all);
        Expander {
            explorer: system.explorer(&job.fairness.items),
            pid_bound: job.fairness.pid_bound.unwrap_or(usize::MAX),
            hand: job.store.hand(),
            job,
            by,
            vocabulary,
            told: [0; 3],
            propositions,
            marking,
            letters: PlainStore::new(),
            successors: Successors::new(),
            staged: Staged::default(),
            met: None,
            state: Vec::new(),
            letter: Vec::new(),
            room: 0,
            clock: Clock::new(),
        }
    }

    /// Expands states until it is over, or there is no more room.
    pub fn work(&mut self, over: &AtomicBool) {
        self.met = (self.job.first == First::Newest).then(Met::default);
        let mut has_more = false;
        while let Some(next) = self.job.next(over, has_more) {
            let done = match next {
                Some(chunk) => self.chunk(&chunk, false).map(|_| true),
                None => self.venture(),
            };
            match done {
                Ok(more) => has_more = more && self.met.is_some(),
                Err(_) => return,
            }
        }
    }

    /// Expands states that it has met and the decision has not; whether there were some.
    fn venture(&mut self) -> Result<bool, Stop> {
        let job = self.job.clone();
        let Some((chunk, number)) = self.met.as_mut().and_then(|met| met.next(&job)) else {
            return Ok(false);
        };
        let done = self.chunk(&chunk, false);
        job.ventured(chunk, number);
        done.map(|_| true)
    }

    /// Expands the states of a chunk that nobody has expanded, for a moment alone if that is wanted; whether all are. What
    /// there is is handed over after each moment.
    pub fn chunk(&mut self, chunk: &Chunk, is_brief: bool) -> Result<bool, Stop> {
        for &place in &chunk.places {
            self.job.store.prefetch_state(place);
        }
        let ventured = self.job.ventures.expanded(&chunk.places);
        let mut out = self.begin();
        for index in 0..CHUNK {
            if chunk.is_done(index) || ventured >> index & 1 == 1 {
                continue;
            }
            // The states before may have taken long. Whoever works for a moment looks at limits in a way of its own.
            if !is_brief {
                spend();
            }
            out.starts[index] = self.expand(chunk.places[index], &mut out)? + 1;
            if self.staged.is_enough() {
                self.insert_staged(&mut out)?;
            }
            if self.clock.is_over() {
                self.hand_over(chunk, out)?;
                if is_brief {
                    return Ok(false);
                }
                out = self.begin();
            }
        }
        self.room = out.words.len() + out.words.len() / 8;
        self.hand_over(chunk, out)?;
        Ok(true)
    }

    /// Room for records of a moment; most chunks need as much as the one before.
    fn begin(&mut self) -> Expanded {
        self.staged.clear();
        self.clock.begin();
        Expanded::with_room(self.room)
    }

    /// Records of a moment are complete: the decision may take them.
    fn hand_over(&mut self, chunk: &Chunk, mut out: Expanded) -> Result<(), Stop> {
        self.insert_staged(&mut out)?;
        self.tell()?;
        out.by = self.by;
        self.job.hand_over(chunk, out);
        Ok(())
    }

    /// Expands one state, for who wants it at once.
    pub fn single(&mut self, place: u32, out: &mut Expanded) -> Result<(), Stop> {
        out.words.clear();
        out.extras.clear();
        self.staged.clear();
        self.expand(place, out)?;
        self.insert_staged(out)?;
        self.tell()?;
        out.by = self.by;
        Ok(())
    }

    /// Finds or stores the successors that wait for it, and says in their records where they are. The thread is inside of the
    /// store for no longer than that: expanding a state may take any time.
    fn insert_staged(&mut self, out: &mut Expanded) -> Result<(), Stop> {
        let store = &self.job.store;
        let _outside = self.hand.in_the_end();
        store.enter(&mut self.hand);
        for edge in &self.staged.edges {
            store.prefetch_found(&self.hand, edge.hash);
        }
        let mut first = 0;
        for edge in &self.staged.edges {
            let state = &self.staged.bytes[first..edge.end];
            first = edge.end;
            let met = store.insert(&mut self.hand, edge.hash, state)?;
            out.words[edge.word] = met.number.unwrap_or(met.place);
            out.words[edge.known] |= u32::from(met.number.is_some()) << edge.bit;
            if let (None, Some(all)) = (met.number, &mut self.met) {
                all.push(met.place);
            }
        }
        self.staged.clear();
        Ok(())
    }

    /// Writes the record of a state; where it begins. Its successors are staged.
    fn expand(&mut self, place: u32, out: &mut Expanded) -> Result<u32, Stop> {
        let store = &self.job.store;
        store.load(place, &mut self.state);
        self.explorer.expand(&self.state, &mut self.successors);
        let mut extra = Extra::default();
        let letter = self.evaluate(&mut extra)?;
        let faults = self.successors.faults();
        extra.faults.extend_from_slice(faults);
        extra
            .unsettled
            .extend_from_slice(self.successors.unsettled());
        let ends = self.successors.is_empty() && faults.is_empty();
        let source = self
            .marking
            .source(self.successors.enabled(), &self.letter)?;
        let start = out.words.len();
        // What follows a process that fairness does not know is not told; the record has room for the others alone.
        let all = self.successors.len();
        let beyond = |&index: &usize| self.successors.step(index).is_beyond(self.pid_bound);
        let count = (0..all).find(beyond).unwrap_or(all);
        extra.beyond = count < all;
        let known = start + HEAD;
        out.words.extend([letter, source, count as u32]);
        let (first, width) = (
            known + count.div_ceil(32),
            1 + usize::from(self.marking.count > 0),
        );
        out.words.resize(first + count * width, 0);
        let store = &self.job.store;
        for index in 0..count {
            let state = self.successors.state(index);
            let hash = store.hash(state);
            store.prefetch(&self.hand, hash);
            self.staged.bytes.extend_from_slice(state);
            self.staged.edges.push(Edge {
                hash,
                end: self.staged.bytes.len(),
                word: first + index * width,
                known: known + index / 32,
                bit: index as u32 % 32,
            });
        }
        if self.marking.count > 0 {
            for (index, edge) in out.words[first..].chunks_exact_mut(2).enumerate() {
                edge[1] = self.marking.grant(self.successors.taken(index))?;
            }
        }
        let has_extra = extra.beyond || extra.is_worth_it();
        if has_extra {
            out.words[start + 2] |= HAS_EXTRA;
            out.extras.push((start as u32, extra));
        }
        if ends {
            out.words[start + 2] |= END;
        }
        if ends && self.job.asks_ends && !self.explorer.is_valid_end(&self.state) {
            out.words[start + 2] |= IMPROPER;
        }
        Ok(start as u32)
    }

    /// The letter of the state at hand; behind its bits are those of missing values if there are any.
    fn evaluate(&mut self, extra: &mut Extra) -> Result<u32, Stop> {
        if self.propositions.is_empty() {
            return Ok(0);
        }
        let explorer = &mut *self.explorer;
        write_letter(
            explorer,
            &self.propositions,
            &self.state,
            &mut self.letter,
            |failure| extra.failures.push(failure),
        );
        let (letter, _) = self.letters.insert(&self.letter)?;
        Ok(letter.number())
    }

    /// Tells what numbers mean that are new.
    fn tell(&mut self) -> Result<(), Stop> {
        let (vocabulary, marking) = (&self.vocabulary, &self.marking);
        let all = [
            (&self.letters, &vocabulary.letters),
            (&marking.sources, &vocabulary.sources),
            (&marking.grants, &vocabulary.grants),
        ];
        for ((own, told), known) in all.into_iter().zip(&mut self.told) {
            if *known < own.len() {
                let mut told = lock(told);
                while *known < own.len() {
                    told.push(own.get(StateId::new(*known as u32)), usize::MAX)?;
                    *known += 1;
                }
            }
        }
        Ok(())
    }

    /// For each action, whether this thread has executed it.
    pub fn executed(&self) -> &[bool] {
        self.explorer.executed()
    }
}

impl Drop for Expander<'_> {
    fn drop(&mut self) {
        merge(&mut lock(&self.job.executed), self.explorer.executed());
    }
}
