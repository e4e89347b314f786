//! Against a map, with several threads at once.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use evenhand_source::{Budget, Exhausted, SplitMix64};

use super::shared::*;
use super::shared_tree::SharedTree;
use super::{Full, Limits};

fn insert(store: &SharedStore, hand: &mut Hand, state: &[u8]) -> Result<Met, Full> {
    store.enter(hand);
    let met = store.insert(hand, store.hash(state), state);
    store.leave(hand);
    met
}

/// All threads store states out of the same few, and agree on their places.
fn agree(
    threads: usize,
    count: usize,
    usual: Option<usize>,
    state_of: impl Fn(u64) -> Vec<u8> + Sync,
) {
    let store = SharedStore::new(Limits::default(), usual);
    let known: Mutex<HashMap<Vec<u8>, u32>> = Mutex::default();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (store, known, state_of) = (&store, &known, &state_of);
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread as u64);
                let mut hand = store.hand();
                let mut own = Vec::new();
                for _ in 0..count {
                    let state = state_of(random.below(count / 2) as u64);
                    let met = insert(store, &mut hand, &state).expect("no limit");
                    own.push((state, met.place));
                }
                let mut loaded = Vec::new();
                for (state, place) in own {
                    store.load(place, &mut loaded);
                    assert_eq!(loaded, state);
                    let mut known = known.lock().expect("no panic");
                    assert_eq!(*known.entry(state).or_insert(place), place);
                }
            });
        }
    });
    let known = known.into_inner().expect("no panic");
    let places: std::collections::HashSet<u32> = known.values().copied().collect();
    assert_eq!(places.len(), known.len(), "two states at one place");
    let mut hand = store.hand();
    for (state, place) in known {
        assert_eq!(
            insert(&store, &mut hand, &state).map(|met| met.place),
            Ok(place)
        );
    }
}

/// A number of states; fewer where an interpreter looks at each step.
fn many(count: usize) -> usize {
    if cfg!(miri) { count / 400 } else { count }
}

fn bytes(number: u64, length: usize) -> Vec<u8> {
    let mut state = number.to_le_bytes().repeat(length / 8 + 1);
    state.truncate(length);
    state
}

/// Whoever waits for a thread that is inside can be ended. The table is as it was then, and grows when that thread has left.
#[test]
fn who_waits_to_grow_looks_at_limits() {
    let store = SharedStore::new(Limits::default(), Some(8));
    let mut guest = store.hand();
    store.enter(&mut guest);
    let insert_all = || {
        let mut hand = store.hand();
        let all = (0..40_000).map(|n| insert(&store, &mut hand, &bytes(n, 8)));
        let places = all.map(|met| met.expect("no limit").place);
        places.collect::<std::collections::HashSet<u32>>().len()
    };
    let budget = Budget::unlimited().within(Some(Duration::from_millis(20)));
    assert_eq!(budget.run(insert_all), Err(Exhausted::Time));
    store.leave(&mut guest);
    assert_eq!(insert_all(), 40_000);
    let mut met = |n| insert(&store, &mut guest, &bytes(n, 8)).expect("no limit");
    let places: std::collections::HashSet<u32> = (0..40_000).map(|n| met(n).place).collect();
    assert_eq!(places.len(), 40_000);
}

#[test]
fn every_thread_finds_every_state_at_one_place() {
    for threads in [1, 2, 4, 9] {
        agree(threads, many(60_000), Some(13), |number| bytes(number, 13));
        agree(threads, many(30_000), None, |number| {
            bytes(number, 6 + number as usize % 40)
        });
        agree(threads, many(30_000), Some(8), |number| {
            bytes(number, 8 + 5 * (number as usize % 3))
        });
        // Longer than a block.
        agree(threads, many(40).max(2), Some(8), |number| {
            bytes(number, 8 + 9000 * (number as usize % 9))
        });
    }
}

#[test]
fn numbers_stay_with_their_states_when_the_table_grows() {
    let store = SharedStore::new(Limits::default(), Some(9));
    let mut hand = store.hand();
    for number in 0..many(50_000) as u64 {
        let met = insert(&store, &mut hand, &bytes(number, 9)).expect("no limit");
        assert_eq!(met.number, None);
        assert_eq!(
            store.number(met.place, Some(number as u32)),
            Some((number as u32, true))
        );
    }
    for number in 0..many(50_000) as u64 {
        let met = insert(&store, &mut hand, &bytes(number, 9)).expect("known");
        assert_eq!(met.number, Some(number as u32));
        assert_eq!(store.number(met.place, None), Some((number as u32, false)));
    }
    let met = insert(&store, &mut hand, b"other").expect("no limit");
    assert_eq!(store.number(met.place, None), None);
}

#[test]
fn a_limit_is_kept_and_what_is_known_is_still_found() {
    for limit in [200_000, 1 << 20, 5 << 20] {
        let limits = Limits {
            bytes: limit,
            ..Limits::default()
        };
        let store = SharedStore::new(limits, Some(24));
        let mut hand = store.hand();
        let mut count = 0;
        let error = loop {
            match insert(&store, &mut hand, &bytes(count, 24)) {
                Ok(_) => count += 1,
                Err(error) => break error,
            }
            assert!(store.bytes_used() <= limit);
        };
        assert_eq!(error, Full::Memory);
        assert!(
            count as usize > limit / 128,
            "{count} states in {limit} bytes"
        );
        for number in 0..count {
            assert!(insert(&store, &mut hand, &bytes(number, 24)).is_ok());
        }
    }
}

#[test]
fn words_lie_in_chunks_without_gaps() {
    let mut last = (0, usize::MAX);
    for word in (0..40_000_000u64).step_by(1024) {
        let at = chunk_of(word);
        assert!(
            at.0 == last.0 && at.1 == last.1.wrapping_add(1024) || at.1 == 0 && at.0 <= last.0 + 1
        );
        last = at;
    }
}

#[test]
fn trees_are_put_together_again() {
    let store = SharedTree::new(Limits::default(), Some(21));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread);
                let (mut hand, mut places) = (store.hand(), HashMap::new());
                for _ in 0..many(30_000) {
                    let number = random.below(many(20_000)) as u64;
                    let length = if number.is_multiple_of(5) {
                        number as usize % 60
                    } else {
                        21
                    };
                    let state = bytes(number / 3, length);
                    let met = store.insert(&mut hand, &state).expect("no limit");
                    assert_eq!(*places.entry(state).or_insert(met.place), met.place);
                }
                let mut loaded = Vec::new();
                for (state, place) in places {
                    store.load(place, &mut loaded);
                    assert_eq!(loaded, state);
                }
            });
        }
    });
}

#[test]
fn threads_that_come_and_go_are_counted() {
    // Each stores less than it would tell of by itself; the table must grow all the same.
    let store = SharedStore::new(Limits::default(), Some(9));
    for number in 0..many(20_000) as u64 {
        let mut hand = store.hand();
        insert(&store, &mut hand, &bytes(number, 9)).expect("no limit");
    }
}
