//! Random numbers that follow from a seed, the same on every machine and with every version of
//! every dependency: a failing random test is reported by its seed alone.
//!
//! SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): one
//! addition, two multiplications and three xor-shifts per number, a period of 2^64. Good enough to
//! vary programs and to choose steps, and for nothing else.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream that belongs to a seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// The next 64 random bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound` (0 if `bound` is 0). The small bias of the remainder does not matter.
    pub fn below(&mut self, bound: usize) -> usize {
        match bound {
            0 => 0,
            _ => (self.number() % bound as u64) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn a_seed_gives_the_published_stream() {
        let mut random = SplitMix64::new(0);
        assert_eq!(random.number(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.number(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(random.number(), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn below_nothing_is_nothing_and_takes_no_number() {
        let mut random = SplitMix64::new(7);
        assert_eq!(random.below(0), 0);
        assert_eq!(random.number(), SplitMix64::new(7).number());
    }
}
