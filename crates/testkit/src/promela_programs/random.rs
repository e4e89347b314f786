//! The random choices behind generated programs.
//!
//! A generated program must be the same on every machine and with every version of every
//! dependency, because a failing test is reported by its seed alone.

use evenhand_source::SplitMix64;

/// A deterministic stream of random choices.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The stream that belongs to a seed.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds are scrambled apart, or the first choices of programs 1, 2, 3, …
        // would be correlated.
        let mut numbers = SplitMix64::new(seed ^ 0x6a09_e667_f3bc_c909);
        numbers.number();
        Self(numbers)
    }

    /// The next 64 random bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0.number()
    }

    /// A number below `bound` (0 if `bound` is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items. The slice must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// The index of one of the weights, each as often as its weight says.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, &weight) in weights.iter().enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        weights.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_stream_forever() {
        let mut random = Random::new(42);
        let first: Vec<usize> = (0..8).map(|_| random.below(1000)).collect();
        let mut again = Random::new(42);
        assert!(first.iter().all(|&n| n == again.below(1000)));
        let mut other = Random::new(43);
        assert!(first.iter().any(|&n| n != other.below(1000)));
    }

    #[test]
    fn weights_are_respected() {
        let mut random = Random::new(7);
        let mut seen = [0usize; 3];
        for _ in 0..3000 {
            seen[random.weighted(&[1, 0, 2])] += 1;
        }
        assert_eq!(seen[1], 0);
        assert!(seen[0] > 800 && seen[0] < 1200, "{seen:?}");
    }
}
