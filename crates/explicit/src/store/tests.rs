//! Both stores against a map of byte vectors, on random states of one length and of many.

use super::*;
use evenhand_source::SplitMix64;
use std::collections::HashMap;

/// States that look like those of a model: few bytes vary, in a small range; some differ only in
/// length.
fn random_state(random: &mut SplitMix64, lengths: &[usize], variety: usize) -> Vec<u8> {
    let mut state = vec![0; lengths[random.below(lengths.len())]];
    for _ in 0..random.below(variety) {
        if !state.is_empty() {
            let at = random.below(state.len());
            state[at] = random.below(4) as u8;
        }
    }
    state
}

/// Inserts random states and compares every answer with a map's; reads everything back.
fn compare(store: &mut dyn Store, seed: u64, lengths: &[usize], variety: usize, inserts: usize) {
    let mut random = SplitMix64::new(seed);
    let mut map: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut order: Vec<Vec<u8>> = Vec::new();
    let mut loaded = Vec::new();
    for step in 0..inserts {
        let state = random_state(&mut random, lengths, variety);
        let expected = map.get(&state).copied();
        let (id, new) = if step % 2 == 0 {
            store.insert(&state).expect("no limit")
        } else {
            let hash = store.hash(&state);
            store.prefetch(hash);
            store.insert_hashed(hash, &state).expect("no limit")
        };
        assert_eq!(
            new,
            expected.is_none(),
            "seed {seed}, step {step}: {state:?}"
        );
        assert_eq!(
            id.number(),
            expected.unwrap_or(order.len() as u32),
            "seed {seed}, step {step}"
        );
        if new {
            map.insert(state.clone(), id.number());
            order.push(state);
        }
        assert_eq!(store.len(), order.len());
        if step % 64 == 0 {
            let id = random.below(order.len());
            store.load(StateId::new(id as u32), &mut loaded);
            assert_eq!(loaded, order[id], "seed {seed}, step {step}");
        }
    }
    for (id, state) in order.iter().enumerate() {
        store.load(StateId::new(id as u32), &mut loaded);
        assert_eq!(&loaded, state, "seed {seed}");
        assert_eq!(
            store.insert(state),
            Ok((StateId::new(id as u32), false)),
            "seed {seed}"
        );
    }
}

fn campaign(make: impl Fn() -> Box<dyn Store>) {
    let one_length: Vec<Vec<usize>> = [0, 1, 3, 4, 5, 8, 9, 12, 16, 31, 64, 200, 700, 1500]
        .map(|n| vec![n])
        .to_vec();
    let many_lengths = [
        vec![0, 1],
        vec![8, 12],
        vec![3, 4, 5, 9],
        (0..100).collect(),
        vec![511, 513, 600],
    ];
    for (seed, lengths) in one_length.iter().chain(&many_lengths).enumerate() {
        compare(&mut *make(), seed as u64, lengths, 3, 2000);
        compare(&mut *make(), seed as u64, lengths, 12, 6000);
    }
    // Enough states for several enlargements of the table.
    compare(&mut *make(), 99, &[40], 40, 60_000);
    compare(&mut *make(), 100, &(20..60).collect::<Vec<_>>(), 40, 60_000);
}

#[test]
fn plain_store_is_a_map() {
    campaign(|| Box::new(PlainStore::new()));
}

#[test]
fn tree_store_is_a_map() {
    campaign(|| Box::new(TreeStore::new()));
}

/// Fills a store to its limit; what is in it must stay in it, and known states must still be found.
fn fill(store: &mut dyn Store, limits: Limits, lengths: &[usize]) -> (Full, usize) {
    let mut random = SplitMix64::new(5);
    let mut order: Vec<Vec<u8>> = Vec::new();
    let mut map: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut error = None;
    for _ in 0..200_000 {
        let state = random_state(&mut random, lengths, 20);
        match store.insert(&state) {
            Ok((id, new)) => {
                assert_eq!(new, !map.contains_key(&state));
                if new {
                    assert_eq!(id.index(), order.len());
                    map.insert(state.clone(), id.number());
                    order.push(state);
                }
                assert_eq!(map[&order[id.index()]], id.number());
            }
            Err(full) => {
                error.get_or_insert(full);
                assert!(!map.contains_key(&state), "a known state was refused");
            }
        }
        assert!(
            store.bytes_used() <= limits.bytes,
            "{} of {limits:?}",
            store.bytes_used()
        );
        assert!(store.len() <= limits.states as usize);
    }
    let mut loaded = Vec::new();
    for (id, state) in order.iter().enumerate() {
        store.load(StateId::new(id as u32), &mut loaded);
        assert_eq!(&loaded, state);
        assert_eq!(store.insert(state), Ok((StateId::new(id as u32), false)));
    }
    (error.expect("200,000 states do not fit"), order.len())
}

#[test]
fn limits_end_in_errors_and_leave_a_readable_store() {
    for lengths in [&[48][..], &[30, 40, 50]] {
        for bytes in [0, 100, 5_000, 100_000, 1_000_000] {
            let limits = Limits {
                bytes,
                ..Limits::default()
            };
            let (error, count) = fill(&mut PlainStore::with_limits(limits), limits, lengths);
            assert_eq!(error, Full::Memory);
            assert!(
                bytes < 1000 || count >= bytes / 100,
                "{count} states in {bytes} bytes"
            );
            let (error, count) = fill(&mut TreeStore::with_limits(limits), limits, lengths);
            assert_eq!(error, Full::Memory);
            assert!(
                bytes < 100_000 || count >= bytes / 200,
                "{count} states in {bytes} bytes"
            );
        }
        for states in [0, 1, 1000, 20_000] {
            let limits = Limits {
                states,
                ..Limits::default()
            };
            let (error, count) = fill(&mut PlainStore::with_limits(limits), limits, lengths);
            assert_eq!((error, count), (Full::Ids, states as usize));
            let (error, count) = fill(&mut TreeStore::with_limits(limits), limits, lengths);
            assert_eq!((error, count), (Full::Ids, states as usize));
        }
    }
}

#[test]
fn too_long_states_are_refused() {
    let long = vec![0; arena::MAX_LENGTH + 1];
    assert_eq!(PlainStore::new().insert(&long), Err(Full::Length));
    assert_eq!(TreeStore::new().insert(&long), Err(Full::Length));
}

#[test]
fn find_asks_without_inserting() {
    let mut store = PlainStore::new();
    assert_eq!(store.find(b"x"), None);
    store.insert(b"x").expect("no limit");
    assert_eq!(store.find(b"x"), Some(StateId::new(0)));
    assert_eq!(store.find(b"y"), None);
    assert_eq!(store.len(), 1);
    assert!(!store.is_empty());
}

#[test]
fn a_plain_state_costs_its_length_and_few_bytes_more() {
    let mut store = PlainStore::new();
    for number in 0..300_000u64 {
        store
            .insert(&number.to_le_bytes().repeat(4))
            .expect("no limit");
        let overhead = store.bytes_used() as f64 / (number + 1) as f64 - 32.0;
        assert!(
            number < 1000 || overhead < 12.0 + 32.0 / 8.0,
            "{overhead} at {number}"
        );
    }
}

#[test]
fn trees_share_what_states_share() {
    let mut store = TreeStore::new();
    let mut state = vec![7; 200];
    for number in 0..100_000u32 {
        for (at, digit) in [3, 60, 90, 120, 199].into_iter().zip(0..) {
            state[at] = (number / 10u32.pow(digit) % 10) as u8;
        }
        store.insert(&state).expect("no limit");
    }
    assert_eq!(store.len(), 100_000);
    assert!(store.bytes_used() < 25 * 100_000, "{}", store.bytes_used());
}
