//! The shared store in all orders of what two threads do: publication of states, and growth of the table.
//!
//! The same source stands on loom's atomics here, and on a table of a few slots, so that it grows within a
//! few states.

use super::prefetch;
use super::{Full, Limits, hash};

mod ground {
    pub(super) use loom::sync::atomic::{
        AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    pub(super) use loom::sync::{Arc, Mutex, MutexGuard};
    pub(super) use loom::thread::yield_now as wait;

    pub(super) const FIRST_SLOTS: usize = 4;
    pub(super) const SMALL_SLOTS: usize = 1;
    pub(super) const TELL: usize = 1;
    pub(super) const BLOCK: u64 = 4;
    pub(super) const FIRST_CHUNK: u32 = 4;
    pub(super) const LARGEST_CHUNK: u32 = 4;
    pub(super) const IS_READY: bool = true;
    pub(super) const CHUNKS: usize = 2;

    /// Word by word, so that every order is tried; who sees a word too early sees another value.
    #[allow(unsafe_code, reason = "the same signature as on the other ground")]
    pub(super) unsafe fn put_bytes(words: &[AtomicU32], bytes: &[u8]) {
        for (word, bytes) in words.iter().zip(bytes.chunks(4)) {
            let mut padded = [0; 4];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u32::from_le_bytes(padded), Ordering::Relaxed);
        }
    }

    #[allow(unsafe_code, reason = "the same signature as on the other ground")]
    pub(super) unsafe fn bytes_of(words: &[AtomicU32], length: usize) -> Vec<u8> {
        let words = words[..length.div_ceil(4)].iter();
        let bytes = words.flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        bytes.take(length).collect()
    }
}

#[path = "shared.rs"]
#[allow(dead_code, reason = "the tests need a part of it")]
#[allow(clippy::duplicate_mod, reason = "the same source on other ground")]
mod shared;

use shared::{Hand, SharedStore};

fn insert(store: &SharedStore, hand: &mut Hand, state: &[u8]) -> u32 {
    store.enter(hand);
    let met = store.insert(hand, store.hash(state), state);
    store.leave(hand);
    met.expect("no limit").place
}

/// Each thread stores some states and finds them again; all agree on places.
fn orders(before: &'static [u8], threads: &'static [&'static [u8]]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let store = ground::Arc::new(SharedStore::new(Limits::default(), Some(1)));
        let mut hand = store.hand();
        let known: Vec<u32> = before
            .iter()
            .map(|&n| insert(&store, &mut hand, &[n]))
            .collect();
        let work = |own: &'static [u8]| {
            let store = store.clone();
            loom::thread::spawn(move || {
                let mut hand = store.hand();
                let places: Vec<u32> = own
                    .iter()
                    .map(|&n| insert(&store, &mut hand, &[n]))
                    .collect();
                let mut state = Vec::new();
                for (&n, &place) in own.iter().zip(&places) {
                    store.load(place, &mut state);
                    assert_eq!(state, [n]);
                }
                places
            })
        };
        let running: Vec<_> = threads.iter().map(|own| work(own)).collect();
        let ended = running
            .into_iter()
            .map(|thread| thread.join().expect("no panic"));
        let places: Vec<Vec<u32>> = ended.collect();
        for (own, places) in threads.iter().zip(&places).chain([(&before, &known)]) {
            for (&n, &place) in own.iter().zip(places) {
                assert_eq!(insert(&store, &mut hand, &[n]), place, "state {n}");
            }
        }
    });
}

#[test]
fn two_threads_that_store_the_same_state_agree_on_its_place() {
    orders(&[], &[&[1], &[1]]);
    orders(&[], &[&[1, 2], &[2, 1]]);
}

#[test]
fn nothing_is_lost_when_the_table_grows() {
    // Three entries are enough for a larger table.
    orders(&[1, 2, 3], &[&[4], &[5]]);
    orders(&[1, 2, 3], &[&[4], &[4]]);
    orders(&[1, 2], &[&[3, 4], &[4, 1]]);
}
