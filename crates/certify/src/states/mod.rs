//! States by their bytes: a list that knows the place of each.
//!
//! Two states are the same if their bytes are; hashes only say where to look. There are two ways to keep
//! them, for whoever checks to choose: in memory, which is fast; or in a file, with at most ten bytes of
//! memory for each state, however long it is.

mod chunks;
mod disk;
mod memory;
mod spill;
mod table;

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::Path;

use crate::flaw::{Failure, Flaw, Refusal};
pub(crate) use chunks::Chunks;
use disk::OnDisk;
use memory::InMemory;

/// A list of different states.
#[derive(Debug)]
pub struct States(Kept);

#[derive(Debug)]
enum Kept {
    Memory(InMemory),
    Disk(Box<OnDisk>),
}

impl Default for States {
    fn default() -> States {
        States::new()
    }
}

impl States {
    /// No state; in memory.
    pub fn new() -> States {
        States(Kept::Memory(InMemory::default()))
    }

    /// No state; in a file of its own in a directory. Nobody else sees the file, and it is gone in the end.
    ///
    /// # Errors
    /// If there can be no such file.
    pub fn on_disk(directory: &Path) -> io::Result<States> {
        let states = OnDisk::new(directory)?;
        Ok(States(Kept::Disk(Box::new(states))))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Memory(states) => states.len(),
            Kept::Disk(states) => states.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A state by its number.
    ///
    /// # Errors
    /// If it cannot be read.
    ///
    /// # Panics
    /// If it is not there.
    pub fn get(&mut self, number: usize) -> Result<&[u8], Refusal> {
        match &mut self.0 {
            Kept::Memory(states) => Ok(states.get(number)),
            Kept::Disk(states) => Ok(states.get(number)?),
        }
    }

    /// The number of a state, if it is there.
    ///
    /// # Errors
    /// If states cannot be read.
    pub fn find(&mut self, state: &[u8]) -> Result<Option<usize>, Refusal> {
        match &mut self.0 {
            Kept::Memory(states) => Ok(states.find(state, hash(state))),
            Kept::Disk(states) => Ok(states.find(state, hash(state))?),
        }
    }

    /// The number of a state, and whether it was added.
    ///
    /// # Errors
    /// If it cannot be kept, or there are too many.
    pub fn meet(&mut self, state: &[u8]) -> Result<(usize, bool), Failure<Refusal>> {
        let hash = hash(state);
        let count = self.len();
        let known = match &mut self.0 {
            Kept::Memory(states) => states.find(state, hash),
            Kept::Disk(states) => states.find(state, hash).map_err(Refusal::from)?,
        };
        if let Some(number) = known {
            return Ok((number, false));
        }
        let number = u32::try_from(count).ok().filter(|&n| n < u32::MAX);
        let number = number.ok_or(Flaw::NoRoom)?;
        match &mut self.0 {
            Kept::Memory(states) => states.push(state, hash, number),
            Kept::Disk(states) => states.push(state, hash, number).map_err(Refusal::from)?,
        }
        Ok((count, true))
    }

    /// Adds a state.
    ///
    /// # Errors
    /// If it is there already, cannot be kept, or there are too many.
    pub fn add(&mut self, state: &[u8]) -> Result<usize, Failure<Refusal>> {
        match self.meet(state)? {
            (number, true) => Ok(number),
            (_, false) => Err(Flaw::Order.into()),
        }
    }

    /// Memory taken, in bytes.
    pub fn bytes_used(&self) -> usize {
        match &self.0 {
            Kept::Memory(states) => states.bytes_used(),
            Kept::Disk(states) => states.bytes_used(),
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Storage(error.kind())
    }
}

fn hash(state: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(state);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_source::SplitMix64;

    fn both() -> [States; 2] {
        let disk = States::on_disk(&std::env::temp_dir()).expect("a file");
        [States::new(), disk]
    }

    #[test]
    fn states_are_found_by_their_bytes() {
        for mut states in both() {
            assert_eq!(states.find(b""), Ok(None));
            let texts: Vec<Vec<u8>> = (0u32..1000)
                .map(|n| n.to_le_bytes()[..(n % 4 + 1) as usize].to_vec())
                .collect();
            let mut known: Vec<Vec<u8>> = Vec::new();
            for text in texts {
                let place = known.iter().position(|k| *k == text);
                assert_eq!(states.find(&text), Ok(place));
                match place {
                    Some(place) => {
                        assert_eq!(states.add(&text), Err(Flaw::Order.into()));
                        assert_eq!(states.meet(&text), Ok((place, false)));
                    }
                    None => {
                        assert_eq!(states.add(&text), Ok(known.len()));
                        known.push(text);
                    }
                }
            }
            for (number, text) in known.iter().enumerate() {
                assert_eq!(states.get(number), Ok(&text[..]));
                assert_eq!(states.find(text), Ok(Some(number)));
            }
            assert_eq!(states.len(), known.len());
        }
    }

    /// Of all lengths, across all blocks and chunks, old ones among new ones.
    #[test]
    fn both_kinds_agree() {
        let mut random = SplitMix64::new(7);
        let [mut memory, mut disk] = both();
        let mut long = vec![0; 40_000];
        for round in 0..60_000u64 {
            let state: Vec<u8> = match random.below(1000) {
                0 => {
                    long[random.below(40_000)] = random.number() as u8;
                    long[..random.below(40_000)].to_vec()
                }
                n if n < 400 => (random.below(30_000) as u64).to_be_bytes()[5..].to_vec(),
                n => round.to_le_bytes().repeat(1 + n % 7),
            };
            let met = memory.meet(&state);
            assert_eq!(disk.meet(&state), met, "{round}");
            let number = random.below(memory.len());
            assert_eq!(disk.get(number), memory.get(number));
            let copy = memory.get(number).expect("memory").to_vec();
            assert_eq!(disk.find(&copy), Ok(Some(number)));
        }
        assert!(memory.len() > 40_000, "{}", memory.len());
    }

    #[test]
    fn little_memory_is_enough() {
        let mut disk = States::on_disk(&std::env::temp_dir()).expect("a file");
        let empty = disk.bytes_used();
        assert!(empty < 2 << 20, "{empty}");
        let mut worst: f64 = 0.0;
        for number in 0..400_000u64 {
            disk.add(&number.to_le_bytes().repeat(5)).expect("room");
            if number >= 100_000 && number % 1000 == 0 {
                let taken = disk.bytes_used() - empty;
                worst = worst.max(taken as f64 / number as f64);
            }
        }
        assert!(worst < 11.0, "{worst}");
        println!("at most {worst} bytes per state, and {empty}");
    }

    #[test]
    fn a_directory_that_is_not_there_is_an_error() {
        let nowhere = std::env::temp_dir().join("not").join("there");
        assert!(States::on_disk(&nowhere).is_err());
    }
}
