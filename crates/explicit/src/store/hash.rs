//! Hashing short byte strings.
//!
//! A packed state is 16 to 200 bytes long and is hashed once for every transition of the model, so
//! the hash is on the hottest path there is. The standard library's hash is built to resist
//! attackers and costs several times more than the table look-up that follows; nobody attacks a
//! model checker with states.
//!
//! The idea is that of the wyhash family: multiply two 64-bit words to 128 bits and fold the halves
//! together by exclusive or. One multiplication mixes 16 bytes. Two independent lanes take 32 bytes
//! a round so that the multiplications overlap. The last 16 bytes are read again where the length
//! is not a multiple of the round: two overlapping reads are cheaper than a loop over single bytes.
//!
//! The seeds are fixed: the same state has the same hash in every run and on every machine (words
//! are read as little endian), so whatever depends on the order in a table is reproducible. This is
//! no cryptographic hash; equality is always decided by comparing bytes.
//!
//! Cost: 3 to 5 ns up to 64 bytes, 8 ns for 128 bytes, a fifth of the standard library's.

const SEED_A: u64 = 0x9e37_79b9_7f4a_7c15;
const SEED_B: u64 = 0xc2b2_ae3d_27d4_eb4f;
const SEED_C: u64 = 0xd6e8_feb8_6659_fd93;
const SEED_D: u64 = 0xa076_1d64_78bd_642f;

/// Multiplies to 128 bits and folds the two halves together.
#[inline(always)]
pub(super) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The eight bytes from `at` on, little endian. The caller's slice is long enough.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    let word = bytes[at..].first_chunk();
    word.map_or(0, |&word| u64::from_le_bytes(word))
}

/// The four bytes from `at` on, little endian. The caller's slice is long enough.
#[inline(always)]
fn half(bytes: &[u8], at: usize) -> u64 {
    let half = bytes[at..].first_chunk();
    half.map_or(0, |&half| u32::from_le_bytes(half).into())
}

/// The hash of a byte string. All 64 bits are usable; the same on every machine.
#[inline]
pub fn hash(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let mut a = SEED_A;
    let mut b = SEED_B;
    if length >= 16 {
        let mut rounds = bytes.chunks_exact(32);
        for round in &mut rounds {
            a = fold(word(round, 0) ^ a, word(round, 8) ^ SEED_C);
            b = fold(word(round, 16) ^ b, word(round, 24) ^ SEED_D);
        }
        let rest = rounds.remainder();
        if rest.len() > 16 {
            a = fold(word(rest, 0) ^ a, word(rest, 8) ^ SEED_C);
        }
        if !rest.is_empty() {
            b = fold(
                word(bytes, length - 16) ^ b,
                word(bytes, length - 8) ^ SEED_D,
            );
        }
    } else {
        let (low, high) = match length {
            8.. => (word(bytes, 0), word(bytes, length - 8)),
            4.. => (half(bytes, 0), half(bytes, length - 4)),
            1.. => {
                let ends = u64::from(bytes[0]) << 8 | u64::from(bytes[length - 1]);
                (ends, u64::from(bytes[length / 2]))
            }
            0 => (0, 0),
        };
        a = fold(low ^ a, high ^ SEED_C);
    }
    // The length enters where no byte does: strings that differ in length alone must differ.
    fold(a ^ SEED_D, b ^ (length as u64).wrapping_mul(SEED_C))
}

/// The hash of one 64-bit word together with a second, small one.
#[inline]
pub(super) fn hash_word(word: u64, extra: u64) -> u64 {
    fold(fold(word ^ SEED_A, extra ^ SEED_C) ^ word, SEED_B)
}

#[cfg(test)]
mod tests {
    use super::{hash, hash_word};
    use std::collections::HashSet;

    #[test]
    fn every_length_and_every_bit_matters() {
        let mut seen = HashSet::new();
        for length in 0..=200 {
            let mut bytes = vec![0; length];
            assert!(seen.insert(hash(&bytes)), "zeros of length {length}");
            for bit in 0..8 * length {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert!(seen.insert(hash(&bytes)), "length {length}, bit {bit}");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn counters_spread_over_all_bits() {
        // Each bit of the hashes of 4096 consecutive counters is set about half of the time.
        for length in [4, 8, 12, 16, 24, 40, 100] {
            for at in [0, length / 2 - 2, length - 4] {
                let mut ones = [0u32; 64];
                for counter in 0..4096u32 {
                    let mut bytes = vec![0; length];
                    bytes[at..at + 4].copy_from_slice(&counter.to_le_bytes());
                    let hash = hash(&bytes);
                    for (bit, count) in ones.iter_mut().enumerate() {
                        *count += (hash >> bit & 1) as u32;
                    }
                }
                for (bit, count) in ones.iter().enumerate() {
                    assert!(
                        (1800..2300).contains(count),
                        "{length} {at} bit {bit}: {count}"
                    );
                }
            }
        }
    }

    #[test]
    fn words_spread_too() {
        let mut high = HashSet::new();
        let mut low = HashSet::new();
        for left in 0..256u64 {
            for right in 0..256u64 {
                let hash = hash_word(left << 32 | right, 32);
                high.insert(hash >> 40);
                low.insert(hash & 0xff_ffff);
            }
        }
        // 65536 balls in 2^24 bins collide about 128 times.
        assert!(high.len() > 65_536 - 256 && low.len() > 65_536 - 256);
        assert_ne!(hash_word(7, 1), hash_word(7, 2));
    }

    #[test]
    fn values_are_fixed() {
        // Reproducible runs depend on it: a change here is a change of every order that follows
        // from it.
        assert_eq!(hash(b"evenhand"), 15_876_881_676_719_846_053);
        assert_eq!(hash(&[1; 50]), 15_935_729_769_500_877_352);
    }
}
