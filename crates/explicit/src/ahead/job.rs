//! What all threads share: the states, those that are to be expanded, and how far everybody is.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use evenhand_system::{Explicit, Fairness, PropositionId};

use super::chunk::{Chunk, Expanded, Held};
use super::crew::{Threads, Work};
use super::expander::Expander;
use super::states::Wanted;
use super::venture::Ventures;
use crate::store::Shared;
use crate::store::arena::Arena;

/// Which chunk is expanded first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// The one that was met first: what a breadth-first decision needs next.
    Oldest,
    /// The one that was met last: nearest to where a depth-first decision is.
    Newest,
}

/// States to be expanded by several threads.
pub(crate) struct Job {
    pub store: Shared,
    pub propositions: Vec<PropositionId>,
    pub fairness: Fairness,
    /// Whether it is asked which ends are proper.
    pub asks_ends: bool,
    pub first: First,
    /// What was expanded that has no number.
    pub ventures: Ventures,
    chunks: Mutex<VecDeque<Arc<Chunk>>>,
    /// Rings when there are chunks again, when the decision has come nearer, and at the end.
    bell: Condvar,
    sleepers: AtomicUsize,
    /// Those of them who have something to do, and are too far ahead for it.
    restrained: AtomicUsize,
    /// How many chunks there are, and how many somebody is woken for.
    offered: AtomicUsize,
    worth: usize,
    /// How many records the decision has taken.
    taken: AtomicU64,
    /// How many others have made that are still to be taken, and their bytes. For a moment it may be less than none: who takes
    /// records is not who counts them.
    waiting: AtomicI64,
    bytes: Arc<AtomicUsize>,
    /// The letters and sets of marks of each thread.
    pub vocabularies: Mutex<Vec<Arc<Vocabulary>>>,
    /// Which actions were executed by threads that have gone.
    pub executed: Mutex<Vec<bool>>,
}

/// What a thread has met, by its own numbers: letters, and what marks follow from.
#[derive(Default)]
pub(crate) struct Vocabulary {
    pub letters: Mutex<Arena>,
    pub sources: Mutex<Arena>,
    pub grants: Mutex<Arena>,
}

/// Nobody is woken for fewer chunks: most of the time there will be more in a moment.
const WORTH: usize = 8;

/// Others may be ahead by so many records beside as many as were taken.
const AHEAD: u64 = 1 << 10;

/// Breadth-first they need not be further ahead than this: records that wait for long fall out of the caches.
const WINDOW: u64 = 1 << 13;

/// Records may take so many bytes in any case, and beyond that an eighth of what may be used.
const MOST_BYTES: usize = 1 << 23;

impl Job {
    /// Whoever helps early is woken for little.
    pub fn new(store: Shared, threads: Threads, wanted: &Wanted<'_>) -> Job {
        Job {
            store,
            propositions: wanted.propositions.to_vec(),
            fairness: wanted.fairness.clone(),
            asks_ends: wanted.ends,
            first: wanted.first,
            ventures: Ventures::default(),
            chunks: Mutex::default(),
            bell: Condvar::new(),
            sleepers: AtomicUsize::new(0),
            restrained: AtomicUsize::new(0),
            offered: AtomicUsize::new(0),
            worth: (threads.alone / 256).clamp(1, WORTH),
            taken: AtomicU64::new(0),
            waiting: AtomicI64::new(0),
            bytes: Arc::default(),
            vocabularies: Mutex::default(),
            executed: Mutex::default(),
        }
    }

    /// These states are to be expanded too.
    pub fn offer(&self, chunk: Arc<Chunk>) {
        let mut chunks = lock(&self.chunks);
        chunks.push_back(chunk);
        self.offered.store(chunks.len(), Ordering::Relaxed);
        drop(chunks);
        self.wake();
    }

    /// Wakes somebody who sleeps, if it is worth it: that costs as much as to expand some states.
    fn wake(&self) {
        let is_worth_it = self.offered.load(Ordering::Relaxed) >= self.worth
            || self.restrained.load(Ordering::Relaxed) > 0;
        if is_worth_it && !self.is_far() && self.sleepers.load(Ordering::SeqCst) > 0 {
            self.bell.notify_one();
        }
    }

    /// The next states to expand, or none, for who has something else to do; nothing when it is over.
    pub fn next(&self, over: &AtomicBool, has_more: bool) -> Option<Option<Arc<Chunk>>> {
        let mut chunks = lock(&self.chunks);
        loop {
            if over.load(Ordering::SeqCst) || self.is_half_full() {
                return None;
            }
            if let Some(next) = self.pop(&mut chunks) {
                return Some(Some(next));
            }
            if has_more && !self.is_far() {
                return Some(None);
            }
            self.sleepers.fetch_add(1, Ordering::SeqCst);
            self.restrained
                .fetch_add(usize::from(has_more), Ordering::SeqCst);
            chunks = self
                .bell
                .wait(chunks)
                .unwrap_or_else(PoisonError::into_inner);
            self.restrained
                .fetch_sub(usize::from(has_more), Ordering::SeqCst);
            self.sleepers.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// The same for somebody who does not wait.
    pub fn next_now(&self) -> Option<Arc<Chunk>> {
        self.pop(&mut lock(&self.chunks))
    }

    fn pop(&self, chunks: &mut VecDeque<Arc<Chunk>>) -> Option<Arc<Chunk>> {
        let mut found = None;
        while found.is_none() && !self.is_far() {
            let next = match self.first {
                First::Oldest => chunks.pop_front(),
                First::Newest => chunks.pop_back(),
            };
            let Some(next) = next else { break };
            found = next.claim().then_some(next);
        }
        self.offered.store(chunks.len(), Ordering::Relaxed);
        found
    }

    /// Whether others are so far ahead that they are to wait.
    fn is_far(&self) -> bool {
        let waiting = self.waiting.load(Ordering::Relaxed).max(0) as u64;
        let taken = self.taken.load(Ordering::Relaxed);
        let far = match self.first {
            First::Oldest => taken.min(WINDOW),
            First::Newest => taken,
        };
        waiting > far + AHEAD || self.has_large_records()
    }

    /// Whether the records that wait take much memory.
    fn has_large_records(&self) -> bool {
        let bytes = self.bytes.load(Ordering::Relaxed);
        bytes > MOST_BYTES.max(self.store.limits().bytes / 8)
    }

    /// Who runs ahead leaves half of the memory to the decision.
    fn is_half_full(&self) -> bool {
        self.store.bytes_used() > self.store.limits().bytes / 2
    }

    /// Hands over records of states of a chunk.
    pub fn hand_over(&self, chunk: &Chunk, mut records: Expanded) {
        records.held = Some(Held::new(records.bytes(), &self.bytes));
        let waiting = chunk.hand_over(records);
        self.waiting
            .fetch_add(i64::from(waiting), Ordering::Relaxed);
    }

    /// Somebody was at a chunk for a moment: the next one who looks for states goes on with it.
    pub fn give_back(&self, chunk: Arc<Chunk>) {
        chunk.leave();
        let mut chunks = lock(&self.chunks);
        match self.first {
            First::Oldest => chunks.push_front(chunk),
            First::Newest => chunks.push_back(chunk),
        }
        self.offered.store(chunks.len(), Ordering::Relaxed);
    }

    /// The decision has taken so many records in all, and so many lately that had waited.
    pub fn took(&self, all: u64, waited: u64) {
        self.taken.store(all, Ordering::Relaxed);
        self.waiting.fetch_sub(waited as i64, Ordering::Relaxed);
        self.wake();
    }
}

impl Work for Job {
    fn help(self: Arc<Self>, system: &dyn Explicit, over: &AtomicBool) {
        Expander::new(system, self).work(over);
    }

    fn ring(&self) {
        let _chunks = lock(&self.chunks);
        self.bell.notify_all();
    }
}

/// Nothing here is left half done by a thread that was ended.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds what one thread has executed to what others have.
pub(super) fn merge(all: &mut Vec<bool>, own: &[bool]) {
    all.resize(all.len().max(own.len()), false);
    for (all, own) in all.iter_mut().zip(own) {
        *all |= own;
    }
}
