//! States in a file.
//!
//! The file holds the states one after the other, each behind its length. In memory there are the place of every
//! sixteenth state, from which the others are found by their lengths, and a table of numbers by hashes: half a
//! byte and at most nine bytes for each state. The rest is of fixed size.

use std::io;
use std::path::Path;

use super::chunks::Chunks;
use super::spill::Spill;
use super::table::Table;

/// One place is kept for so many states.
const GROUP: usize = 16;

/// States in a file.
#[derive(Debug)]
pub(super) struct OnDisk {
    file: Spill,
    /// Where every sixteenth state stands.
    groups: Chunks<u64>,
    len: usize,
    table: Table,
    /// The state that was read last.
    state: Vec<u8>,
}

impl OnDisk {
    pub fn new(directory: &Path) -> io::Result<OnDisk> {
        Ok(OnDisk::with(Spill::create(directory)?))
    }

    fn with(file: Spill) -> OnDisk {
        OnDisk {
            file,
            groups: Chunks::default(),
            len: 0,
            table: Table::new(),
            state: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn get(&mut self, number: usize) -> io::Result<&[u8]> {
        let mut place = self.groups.get(number / GROUP);
        for _ in 0..number % GROUP {
            let (behind, length) = self.length(place)?;
            place = behind + length as u64;
        }
        let (behind, length) = self.length(place)?;
        self.file.read(behind, length, &mut self.state)?;
        Ok(&self.state)
    }

    pub fn find(&mut self, state: &[u8], hash: u64) -> io::Result<Option<usize>> {
        let mut search = self.table.search(hash);
        while let Some(number) = self.table.next(&mut search) {
            if self.get(number as usize)? == state {
                return Ok(Some(number as usize));
            }
        }
        Ok(None)
    }

    /// Adds a state that is not there.
    pub fn push(&mut self, state: &[u8], hash: u64, number: u32) -> io::Result<()> {
        if self.len.is_multiple_of(GROUP) {
            self.groups.push(self.file.len());
        }
        let mut length = state.len();
        while length >= 128 {
            self.file.append(&[length as u8 | 128])?;
            length >>= 7;
        }
        self.file.append(&[length as u8])?;
        self.file.append(state)?;
        self.table.add(hash, number);
        self.len += 1;
        Ok(())
    }

    pub fn bytes_used(&self) -> usize {
        let groups = self.groups.bytes_used();
        self.file.bytes_used() + groups + self.table.bytes_used() + self.state.capacity()
    }

    /// A length, seven bits in each byte and the lowest first; and where the state begins.
    fn length(&mut self, mut place: u64) -> io::Result<(u64, usize)> {
        let mut length = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.file.at(place)?[0];
            place += 1;
            length |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Ok((place, length));
            }
        }
        Err(io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    fn path(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("evenhand-{}-{name}", std::process::id()))
    }

    fn push(states: &mut OnDisk, number: u32) -> io::Result<()> {
        let state = number.to_le_bytes().repeat(10);
        states.push(&state, super::super::hash(&state), number)
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error() {
        let path = path("read-only");
        std::fs::write(&path, b"").expect("a file");
        let file = OpenOptions::new().read(true).open(&path).expect("a file");
        let mut states = OnDisk::with(Spill::new(file, Some(path.clone())));
        let mut pushed = (0..10_000).map(|number| push(&mut states, number));
        assert!(pushed.any(|done| done.is_err()));
        drop(states);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_was_cut_is_an_error() {
        let path = path("cut");
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(true);
        let file = file.open(&path).expect("a file");
        let other = file.try_clone().expect("a file");
        let mut states = OnDisk::with(Spill::new(file, Some(path)));
        for number in 0..100_000 {
            push(&mut states, number).expect("room");
        }
        assert!(states.get(50_000).is_ok());
        other.set_len(0).expect("cut");
        assert!(states.get(10).is_err());
        let state = 10u32.to_le_bytes().repeat(10);
        assert!(states.find(&state, super::super::hash(&state)).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_sees_the_file() {
        let directory = path("directory");
        std::fs::create_dir(&directory).expect("a directory");
        let states = OnDisk::new(&directory).expect("a file");
        let seen = std::fs::read_dir(&directory).expect("a directory").count();
        drop(states);
        std::fs::remove_dir(&directory).expect("empty");
        assert_eq!(seen, 0);
    }
}
