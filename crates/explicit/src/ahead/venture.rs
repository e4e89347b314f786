//! States that the decision has not met yet, expanded all the same.
//!
//! **Problem.** Others expand states that have a number. A depth-first decision gives numbers to the successors of one state and
//! goes to one of them: where most of them are old, no more than a few states have a number and are not expanded, and others
//! have nothing to do.
//!
//! **Idea.** Whoever has nothing to do expands what it met itself, and hands the records over with the places
//! of their states. The decision looks for one by its place when nobody has expanded a state by its number. The oldest come first,
//! since the decision goes to the newest by itself: those who were there together did the work twice. Such records
//! count as others do: there are never more of them than the decision has taken.
//!
//! **Cost.** One entry of a table for each of these states, and one look at it for a state that no record is there for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use rustc_hash::{FxHashMap, FxHashSet};

use super::chunk::{CHUNK, Chunk};
use super::job::{Job, lock};

/// So many of the states that somebody has met are remembered at most.
const MOST: usize = 1 << 12;

/// Bytes of an entry of a table.
const ENTRY: usize = 16;

/// What others have expanded that had no number.
#[derive(Default)]
pub(crate) struct Ventures {
    all: Mutex<Made>,
    /// How many chunks were made.
    count: AtomicUsize,
}

#[derive(Default)]
struct Made {
    /// The places of the states of all chunks.
    places: FxHashSet<u32>,
    chunks: Vec<Arc<Chunk>>,
}

impl Ventures {
    /// Which of these states were expanded, one bit for each.
    pub fn expanded(&self, places: &[u32; CHUNK]) -> u32 {
        if self.count.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let all = self.made();
        let mut found = 0;
        for (index, place) in places.iter().enumerate() {
            found |= u32::from(all.places.contains(place)) << index;
        }
        found
    }

    /// Records of some states are there.
    fn add(&self, chunk: Arc<Chunk>, number: usize) {
        let mut all = self.made();
        all.places.extend(&chunk.places[..number]);
        all.chunks.push(chunk);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        lock(&self.all)
    }
}

/// States that somebody has met, and that had no number then, the oldest first.
#[derive(Default)]
pub(crate) struct Met(VecDeque<u32>);

impl Met {
    /// One more.
    #[inline]
    pub fn push(&mut self, place: u32) {
        if self.0.len() < MOST {
            self.0.push_back(place);
        }
    }

    /// The oldest that the decision has not met yet and nobody has expanded, as a chunk; how many.
    pub fn next(&mut self, job: &Job) -> Option<(Chunk, usize)> {
        let (mut places, mut number) = ([0; CHUNK], 0);
        let all = job.ventures.made();
        while number < CHUNK
            && let Some(place) = self.0.pop_front()
        {
            let is_met = job.store.number(place, None).is_some();
            if !is_met && !all.places.contains(&place) && !places[..number].contains(&place) {
                places[number] = place;
                number += 1;
            }
        }
        drop(all);
        // Nobody needs what is not there.
        let absent = u32::MAX.checked_shl(number as u32).unwrap_or(0);
        (number > 0).then(|| (Chunk::new(places, absent), number))
    }
}

impl Job {
    /// States that had no number were expanded.
    pub fn ventured(&self, chunk: Chunk, number: usize) {
        self.ventures.add(Arc::new(chunk), number);
    }
}

/// The decision's side: where the record of a state is that had no number.
#[derive(Default)]
pub(crate) struct Finds {
    places: FxHashMap<u32, (Arc<Chunk>, usize)>,
    seen: usize,
}

impl Finds {
    /// The record of the state in a place. `is_taken` says of the number of a state whether the decision has taken it already;
    /// of those that it has, records that wait in vain are counted.
    pub fn take(
        &mut self,
        job: &Job,
        place: u32,
        waited: &mut u64,
        is_taken: impl Fn(u32) -> bool,
    ) -> Option<(Arc<Chunk>, usize)> {
        let count = job.ventures.count.load(Ordering::Relaxed);
        if self.seen != count {
            let mut made = job.ventures.made();
            let chunks = std::mem::take(&mut made.chunks);
            self.seen += chunks.len();
            drop(made);
            for chunk in chunks {
                for index in (0..CHUNK).filter(|&index| chunk.record(index).is_some()) {
                    let number = job.store.number(chunk.places[index], None);
                    if number.is_some_and(|(number, _)| is_taken(number)) {
                        *waited += u64::from(chunk.take(index).was_waiting);
                    } else {
                        self.places
                            .insert(chunk.places[index], (chunk.clone(), index));
                    }
                }
            }
        }
        self.places.remove(&place)
    }

    /// The memory taken, with that of those who look whether somebody was there.
    pub fn bytes_used(&self, job: &Job) -> usize {
        let others = ENTRY * CHUNK * job.ventures.count.load(Ordering::Relaxed);
        2 * ENTRY * self.places.capacity() + others
    }
}
