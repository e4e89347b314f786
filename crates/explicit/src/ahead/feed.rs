//! Successors generated ahead of a breadth-first search that keeps its store to itself.
//!
//! **Problem.** A store that several threads share costs what one thread's store does not: a number in front of each
//! state, places beside numbers, a table that is filled by compare-and-swap, cache lines that go to and fro. With
//! two threads that was a third of the work.
//!
//! **Idea.** Of a plain search, executing the model and hashing is two thirds; looking up is one. So
//! a few threads are kept busy without sharing the store: others generate the successors of states that will be expanded
//! next, as bytes with their hashes, and the search looks them up, in its own order and in its own store. States, numbers,
//! memory and answers are those of one thread, for there is only one who writes. And since the look-ups of many states
//! are known in advance, the memory that they touch is asked for before: what a search alone waits for.
//!
//! The search generates, too, whenever what it needs next is not there. It does not wait for more than a moment:
//! a state that somebody else has not finished by then it expands by itself. Nor does it work for more than a moment before it looks
//! at what came of it (`moment`); where states are slow, few of them are handed out together.
//!
//! **Limits.** No more states are handed out than the search has expanded, no more than [`WINDOW`], and no more than
//! [`MOST_BYTES`] at a time; nor is more generated than that before the search takes it, so that states with very many successors
//! do not fill the memory. Many threads would wait for the one that looks up; for them there is the shared store (`taking`).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use evenhand_system::{Explicit, PropositionId};

use super::batch::{BATCH, Batch, Generated, Strings};
use super::crew::{Threads, Work};
use super::generator::Generator;
use super::job::{lock, merge};
use super::moment::{Favours, MOMENT};
use crate::store::{StateId, Store};

/// With more threads than this, looking up would take longer than all the others need.
pub(crate) const MOST_THREADS: usize = 4;

/// So many states are handed out at most.
const WINDOW: usize = 1 << 13;

/// The states that are handed out have at most so many bytes, and so has what came of them and was not taken.
const MOST_BYTES: usize = 1 << 23;

/// Longer states are not handed out: copies of them would take much memory.
pub(crate) const LONGEST: usize = 1 << 13;

/// Nobody is woken for fewer batches: that costs as much as to expand some states, and more will come in a moment.
const WORTH: usize = 16;

/// How often the search looks for what somebody is about to finish.
const PATIENCE: usize = 1 << 10;

/// So many look-ups ahead the memory of states is asked for.
const STRIDE: usize = 12;

/// Batches for all threads.
pub(crate) struct Supply {
    pub propositions: Vec<PropositionId>,
    batches: Mutex<VecDeque<Arc<Batch>>>,
    /// Rings when there are batches again, and at the end.
    bell: Condvar,
    sleepers: AtomicUsize,
    /// Bytes of what was generated and not taken, and how many there may be before nobody goes on.
    waiting: AtomicUsize,
    most: usize,
    /// Lists that can be filled again.
    empty: Mutex<Vec<Generated>>,
    /// Which actions were executed by threads that have gone.
    pub executed: Mutex<Vec<bool>>,
}

impl Supply {
    fn new(threads: Threads, propositions: Vec<PropositionId>) -> Supply {
        Supply {
            propositions,
            batches: Mutex::default(),
            bell: Condvar::new(),
            sleepers: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            most: MOST_BYTES / 2_048 * threads.alone.clamp(1, 2_048),
            empty: Mutex::default(),
            executed: Mutex::default(),
        }
    }

    /// One more batch; somebody is woken if there are so many.
    fn offer(&self, batch: Arc<Batch>, worth: usize) {
        let mut batches = lock(&self.batches);
        batches.push_back(batch);
        let is_worth_it = batches.len() >= worth && !self.is_full();
        drop(batches);
        if is_worth_it && self.sleepers.load(Ordering::SeqCst) > 0 {
            self.bell.notify_one();
        }
    }

    /// The next batch to expand; none when it is over.
    pub fn next(&self, over: &AtomicBool) -> Option<Arc<Batch>> {
        let mut batches = lock(&self.batches);
        loop {
            if over.load(Ordering::SeqCst) {
                return None;
            }
            if let Some(batch) = self.claim(&mut batches) {
                return Some(batch);
            }
            self.sleepers.fetch_add(1, Ordering::SeqCst);
            let woken = self.bell.wait(batches);
            batches = woken.unwrap_or_else(PoisonError::into_inner);
            self.sleepers.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// The same for somebody who does not wait.
    fn next_now(&self) -> Option<Arc<Batch>> {
        self.claim(&mut lock(&self.batches))
    }

    /// The oldest batch that nobody has claimed, unless the search is to take something first.
    fn claim(&self, batches: &mut VecDeque<Arc<Batch>>) -> Option<Arc<Batch>> {
        while !self.is_full() {
            let batch = batches.pop_front()?;
            if batch.claim() {
                return Some(batch);
            }
        }
        None
    }

    /// Whether so much was generated that it should be taken first.
    fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > self.most
    }

    /// What comes of a batch should have not many more bytes.
    pub fn enough(&self) -> usize {
        self.most / 8
    }

    /// So many bytes were generated.
    pub fn made(&self, bytes: usize) {
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
    }

    /// An empty list, with room from before if there is one.
    pub fn empty(&self) -> Generated {
        lock(&self.empty).pop().unwrap_or_default()
    }

    /// A list is not needed any more.
    fn give_back(&self, mut list: Generated) {
        self.waiting.fetch_sub(list.size(), Ordering::Relaxed);
        let is_large = list.size() > 1 << 20;
        list.clear();
        if !is_large {
            lock(&self.empty).push(list);
        }
    }
}

impl Work for Supply {
    fn help(self: Arc<Self>, system: &dyn Explicit, over: &AtomicBool) {
        Generator::new(system, self).work(over);
    }

    fn ring(&self) {
        let _batches = lock(&self.batches);
        self.bell.notify_all();
    }
}

/// The search's side.
pub(crate) struct Feed<'a> {
    /// The number of states of a batch, and how many there are at most.
    size: usize,
    largest: usize,
    /// How many of the largest batches somebody is woken for.
    worth: usize,
    system: &'a dyn Explicit,
    supply: Arc<Supply>,
    generator: Generator<'a>,
    favours: Favours,
    /// What was handed out and is still to be taken, the oldest first.
    batches: VecDeque<Arc<Batch>>,
    /// The number of the first state of the oldest batch, and of the next state to be handed out.
    first: usize,
    next: usize,
    /// What came of the batch that is being taken, and its first state; what came of the one behind it, if that is there.
    current: Option<(usize, Generated)>,
    upcoming: Option<Generated>,
    /// Whether no more states are handed out, since some are too long.
    is_over: bool,
    /// Bytes of states that are handed out.
    bytes: usize,
    state: Vec<u8>,
    /// Batches that are done with, as long as somebody is at them.
    left: Vec<Arc<Batch>>,
    /// Lists of states that can be filled again.
    spare: Vec<Strings>,
    /// How many states were taken that had been expanded before they were asked for.
    taken: u64,
}

impl<'a> Feed<'a> {
    /// For a search that will expand this state next, and took so long for each one before. Whoever helps early has to do
    /// with few states at a time.
    pub fn new(
        system: &'a dyn Explicit,
        threads: Threads,
        propositions: Vec<PropositionId>,
        next: usize,
        time: Duration,
    ) -> Feed<'a> {
        let largest = (threads.alone / 32).clamp(2, BATCH);
        let quick = MOMENT.as_nanos() / time.as_nanos().max(1);
        let supply = Arc::new(Supply::new(threads, propositions));
        Feed {
            size: (quick as usize).clamp(1, largest),
            largest,
            worth: (threads.alone / 128).clamp(1, WORTH),
            system,
            favours: Favours::new(),
            generator: Generator::new(system, supply.clone()),
            supply,
            batches: VecDeque::new(),
            first: next,
            next,
            current: None,
            upcoming: None,
            is_over: false,
            bytes: 0,
            state: Vec::new(),
            left: Vec::new(),
            spare: Vec::new(),
            taken: 0,
        }
    }

    /// What others work on.
    pub fn supply(&self) -> Arc<Supply> {
        self.supply.clone()
    }

    /// How many states were expanded when the search came to them.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// For each action, whether somebody has executed it. Complete when nobody helps any more.
    pub fn executed(&self) -> Vec<bool> {
        let mut all = lock(&self.supply.executed).clone();
        merge(&mut all, self.generator.executed());
        all
    }

    /// Hands out states that were met, up to some way behind the one that is expanded next.
    pub fn hand_out(&mut self, store: &impl Store, at: usize) {
        if self.is_over {
            return;
        }
        // What the search has expanded by itself.
        if self.batches.is_empty() && self.next < at {
            (self.first, self.next) = (at, at);
        }
        let last = at + at.min(WINDOW);
        while self.next + self.size <= store.len() && self.next < last && self.bytes < MOST_BYTES {
            let mut states = self.spare.pop().unwrap_or_default();
            for number in self.next..self.next + self.size {
                store.load(StateId::new(number as u32), &mut self.state);
                if self.state.len() > LONGEST {
                    self.is_over = true;
                    return;
                }
                states.push(&self.state);
            }
            self.bytes += states.size();
            let batch = Arc::new(Batch::new(self.next, states));
            self.next += self.size;
            self.batches.push_back(batch.clone());
            // Where states are slow, a few are worth it.
            let worth = (self.worth * self.size).div_ceil(self.largest);
            self.supply.offer(batch, worth);
        }
    }

    /// What came of a state, if somebody has expanded it or does so now, and its place there. States are asked for in
    /// their order.
    pub fn take(&mut self, at: usize, store: &impl Store) -> Option<(&Generated, usize)> {
        if let Some((first, generated)) = &self.current
            && at >= first + generated.states.len()
            && let Some((_, list)) = self.current.take()
        {
            self.supply.give_back(list);
        }
        self.favours.go_on();
        if self.current.is_none() {
            self.advance(at, store)?;
        }
        if let Some((first, generated)) = &self.current {
            self.look_forward(at - first, generated.states.len(), store);
        }
        let (first, generated) = self.current.as_ref()?;
        let index = at - first;
        // Of states with very many successors only the first may have been expanded.
        if index >= generated.states.len() {
            return None;
        }
        self.taken += 1;
        Some((generated, index))
    }

    /// Goes on to the batch of a state, if that can be had.
    fn advance(&mut self, at: usize, store: &impl Store) -> Option<()> {
        while let Some(batch) = self.batches.front()
            && self.first + batch.states().len() <= at
        {
            self.leave();
        }
        if at < self.first || self.batches.is_empty() {
            return None;
        }
        let generated = match self.upcoming.take() {
            Some(generated) => generated,
            None => {
                let generated = self.obtain()?;
                generated
                    .hashes
                    .iter()
                    .for_each(|&hash| store.prefetch(hash));
                generated
            }
        };
        let first = self.first;
        self.leave();
        for &hash in generated.hashes.iter().take(STRIDE) {
            store.prefetch_found(hash);
        }
        self.current = Some((first, generated));
        Some(())
    }

    /// The oldest batch is done with.
    fn leave(&mut self) {
        if let Some(batch) = self.batches.pop_front() {
            self.first += batch.states().len();
            self.bytes -= batch.states().size();
            if let Some(list) = self.upcoming.take() {
                self.supply.give_back(list);
            }
            self.left.push(batch);
        }
        // Somebody may still be at it, or have it in hand.
        for place in (0..self.left.len()).rev() {
            if let Some(list) = self.left[place].take() {
                self.supply.give_back(list);
            }
            if let Some(batch) = self.left[place]
                .is_done()
                .then(|| self.left.swap_remove(place))
                && let Some(batch) = Arc::into_inner(batch)
            {
                let mut states = batch.into_states();
                states.clear();
                self.spare.push(states);
            }
        }
    }

    /// If the next batch was expanded, its look-ups are prepared while those of this one are made: first its lists
    /// are asked for, which others have written, then the slots that they lead to.
    #[inline]
    fn look_forward(&mut self, index: usize, size: usize, store: &impl Store) {
        if index == size / 4 {
            self.upcoming = self.batches.front().and_then(|batch| batch.take());
            self.upcoming.iter().for_each(Generated::prefetch);
        } else if index == size / 2 {
            let upcoming = self.upcoming.iter().flat_map(|list| &list.hashes);
            upcoming.for_each(|&hash| store.prefetch(hash));
        }
    }

    /// What came of the oldest batch. While somebody is at it, others are expanded; if there are none, not for long.
    fn obtain(&mut self) -> Option<Generated> {
        let batch = self.batches.front()?.clone();
        let (begun, mut patience) = (Instant::now(), PATIENCE);
        loop {
            if let Some(generated) = batch.take() {
                self.adapt(&batch, &generated);
                return Some(generated);
            }
            let is_due = self.favours.are_done() && begun.elapsed() < MOMENT;
            // What is only this state the search expands by itself.
            if (is_due || batch.states().len() == 1) && batch.claim() {
                self.generate(&batch, is_due);
            } else if let Some(other) = is_due.then(|| self.supply.next_now()).flatten() {
                self.generate(&other, true);
            } else if patience == 0 {
                return None;
            } else {
                patience -= 1;
                std::hint::spin_loop();
            }
        }
    }

    /// Expands the states of a batch, if that is done now and does not take long.
    fn generate(&mut self, batch: &Batch, is_due: bool) {
        let generator = &mut self.generator;
        if is_due && self.favours.one(|| generator.batch(batch)).is_none() {
            // What the explorer was at is forgotten.
            self.generator = Generator::new(self.system, self.supply.clone());
        }
        if !batch.is_done() {
            batch.finish(Generated::default());
        }
    }

    /// How many states are handed out together from now on: as many as somebody expands in a moment.
    fn adapt(&mut self, batch: &Batch, generated: &Generated) {
        let done = generated.states.len();
        if done < batch.states().len() {
            self.size = done.clamp(1, self.size);
        } else if self.size < self.largest && done == self.size {
            self.size = (2 * self.size).min(self.largest);
        }
    }
}

impl Generated {
    /// Hints that a look-up of one edge is near: the state that its slot leads to is asked for.
    #[inline]
    pub fn announce(&self, edge: usize, store: &impl Store) {
        if let Some(&hash) = self.hashes.get(edge + STRIDE) {
            store.prefetch_found(hash);
        }
    }
}
