//! Multisets of values.

/// Values with how often they are there, in ascending order of their numbers, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bag {
    /// Numbers of a value.
    pub size: usize,
    pub values: Vec<i64>,
    pub counts: Vec<u64>,
}

impl Bag {
    /// Empties it, for values of so many numbers.
    pub fn reset(&mut self, size: usize) {
        self.size = size;
        self.values.clear();
        self.counts.clear();
    }

    /// How many different values there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    pub fn value(&self, at: usize) -> &[i64] {
        &self.values[at * self.size..(at + 1) * self.size]
    }

    /// How many there are altogether; none if that is too much.
    pub fn total(&self) -> Option<u64> {
        self.counts.iter().try_fold(0u64, |a, b| a.checked_add(*b))
    }

    /// Where a value is, or where it would be.
    pub fn place(&self, value: &[i64]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        // Most values come in their order.
        if high > 0 && self.value(high - 1) < value {
            return Err(high);
        }
        while low < high {
            let middle = low.midpoint(high);
            match self.value(middle).cmp(value) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// How often a value is there.
    pub fn count(&self, value: &[i64]) -> u64 {
        self.place(value).map_or(0, |at| self.counts[at])
    }

    /// Adds a value so many times; false if there are too many then.
    #[must_use]
    pub fn add(&mut self, value: &[i64], count: u64) -> bool {
        if count == 0 {
            return true;
        }
        match self.place(value) {
            Ok(at) => match self.counts[at].checked_add(count) {
                Some(sum) => self.counts[at] = sum,
                None => return false,
            },
            Err(at) => {
                let start = at * self.size;
                self.values.splice(start..start, value.iter().copied());
                self.counts.insert(at, count);
            }
        }
        true
    }

    /// Leaves out values by the counts that they are to have.
    pub fn recount(&mut self, mut count: impl FnMut(&[i64], u64) -> u64) {
        let (size, mut kept) = (self.size, 0);
        for at in 0..self.counts.len() {
            let new = count(&self.values[at * size..(at + 1) * size], self.counts[at]);
            if new > 0 {
                self.values
                    .copy_within(at * size..(at + 1) * size, kept * size);
                self.counts[kept] = new;
                kept += 1;
            }
        }
        self.counts.truncate(kept);
        self.values.truncate(kept * size);
    }

    /// Whether each value is in the other one at least as often.
    pub fn is_within(&self, other: &Bag) -> bool {
        (0..self.len()).all(|at| other.count(self.value(at)) >= self.counts[at])
    }
}
