//! How fast the state stores are and how much memory they take.
//!
//! Inserts N distinct states, four times as many insertions in all, as a search would: every fourth
//! state is new, the others were seen before, and eight at a time are known in advance like the
//! successors of one state. The states look like those of a model: most bytes are constant, some
//! are small counters. Printed are millions of insertions per second and bytes per state. The time
//! to make up the states is measured first and subtracted. Run with
//! `cargo run --release -p evenhand-explicit --example store_speed [N]`.

use evenhand_explicit::store::{PlainStore, Store, TreeStore, hash};
use std::hint::black_box;
use std::time::Instant;

/// Writes the n-th state: the digits of the number, spread over the bytes.
fn write_state(number: u64, state: &mut [u8]) {
    let step = state.len() / 8;
    for digit in 0..8 {
        state[digit * step] = (number >> (4 * digit) & 15) as u8;
    }
}

/// The seconds it takes to insert all states, batch by batch.
fn seconds(length: usize, count: u64, mut insert: impl FnMut(&[Vec<u8>])) -> f64 {
    let mut batch = vec![vec![0; length]; 8];
    let start = Instant::now();
    for newest in (0..count).step_by(2) {
        for (at, state) in batch.iter_mut().enumerate() {
            let number = match at {
                0 => newest,
                4 => newest + 1,
                _ => hash(&(8 * newest + at as u64).to_le_bytes()) % (newest + 1),
            };
            write_state(number, state);
        }
        insert(&batch);
    }
    start.elapsed().as_secs_f64()
}

fn measure<S: Store>(name: &str, mut store: S, length: usize, count: u64, ahead: bool) {
    let idle = seconds(length, count, |batch| {
        black_box(batch);
    });
    let mut hashes = Vec::new();
    let all = seconds(length, count, |batch| {
        hashes.clear();
        hashes.extend(batch.iter().map(|state| store.hash(state)));
        if ahead {
            hashes.iter().for_each(|hash| store.prefetch(*hash));
        }
        for (hash, state) in hashes.iter().zip(batch) {
            black_box(store.insert_hashed(*hash, state)).expect("enough memory");
        }
    });
    assert_eq!(store.len() as u64, count);
    let rate = 4.0 * count as f64 / (all - idle) / 1e6;
    let bytes = store.bytes_used() as f64 / count as f64;
    println!("{name:<28} {length:>6} {count:>10} {rate:>10.2} {bytes:>12.1}");
}

fn main() {
    let counts = match std::env::args().nth(1).and_then(|count| count.parse().ok()) {
        Some(count) => vec![count],
        None => vec![1_000_000, 10_000_000],
    };
    println!("store                        length     states M inserts/s bytes/state");
    for count in counts {
        for length in [32, 64, 128] {
            measure("plain", PlainStore::new(), length, count, false);
            measure("plain, prefetch", PlainStore::new(), length, count, true);
            measure("tree", TreeStore::new(), length, count, false);
        }
    }
}
