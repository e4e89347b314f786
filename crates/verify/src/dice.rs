//! The choices of a random run.

use evenhand_source::SplitMix64;

/// Random numbers, the same run for the same seed everywhere.
#[derive(Debug)]
pub struct Dice(SplitMix64);

impl Dice {
    /// With a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(SplitMix64::new(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.number()) * bound as u128) >> 64) as usize
    }
}
