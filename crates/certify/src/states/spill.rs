//! Bytes that are appended and read again, in a file that nobody else sees.
//!
//! What is appended waits in memory until there is enough to write. Reading goes through a cache of blocks of
//! fixed size, each of which has one place where it can be. The file is unlinked as soon as it is open where the
//! platform allows that, and otherwise removed in the end.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const BLOCK: usize = 1 << 12;
const BLOCKS: usize = 1 << 8;
/// How much is written at once: a number of blocks.
const TAIL: usize = 16 * BLOCK;

/// The file.
#[derive(Debug)]
pub(super) struct Spill {
    file: File,
    /// To be removed in the end.
    path: Option<PathBuf>,
    /// How much is in the file: a number of blocks.
    written: u64,
    /// What comes behind.
    tail: Vec<u8>,
    /// The number of the block in each place, and one more.
    held: Vec<u64>,
    cache: Vec<u8>,
}

/// Makes names different.
static COUNT: AtomicU64 = AtomicU64::new(0);

impl Spill {
    /// A file in a directory.
    pub fn create(directory: &Path) -> io::Result<Spill> {
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("evenhand-{}-{count}.states", std::process::id());
            let path = directory.join(name);
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    let is_gone = cfg!(unix) && std::fs::remove_file(&path).is_ok();
                    let path = (!is_gone).then_some(path);
                    return Ok(Spill::new(file, path));
                }
            }
        }
    }

    /// An empty file that is open.
    pub fn new(file: File, path: Option<PathBuf>) -> Spill {
        Spill {
            file,
            path,
            written: 0,
            tail: Vec::with_capacity(TAIL),
            held: vec![0; BLOCKS],
            cache: vec![0; BLOCKS * BLOCK],
        }
    }

    /// The number of bytes.
    pub fn len(&self) -> u64 {
        self.written + self.tail.len() as u64
    }

    /// Adds bytes.
    pub fn append(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = (TAIL - self.tail.len()).min(bytes.len());
            self.tail.extend_from_slice(&bytes[..room]);
            bytes = &bytes[room..];
            if self.tail.len() == TAIL {
                // Reading has moved the cursor where it is not told the place.
                io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.written))?;
                self.file.write_all(&self.tail)?;
                self.written += TAIL as u64;
                self.tail.clear();
            }
        }
        Ok(())
    }

    /// Some bytes from a place on, at least one.
    pub fn at(&mut self, place: u64) -> io::Result<&[u8]> {
        if let Some(behind) = place.checked_sub(self.written) {
            let rest = self.tail.get(behind as usize..).unwrap_or_default();
            return match rest.is_empty() {
                true => Err(io::ErrorKind::UnexpectedEof.into()),
                false => Ok(rest),
            };
        }
        let block = place / BLOCK as u64;
        let home = (block % BLOCKS as u64) as usize;
        let kept = &mut self.cache[home * BLOCK..][..BLOCK];
        if self.held[home] != block + 1 {
            self.held[home] = 0;
            read_block(&mut self.file, block * BLOCK as u64, kept)?;
            self.held[home] = block + 1;
        }
        Ok(&kept[(place % BLOCK as u64) as usize..])
    }

    /// Puts bytes from a place on in place of what `bytes` held.
    pub fn read(&mut self, mut place: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        while bytes.len() < length {
            let some = self.at(place)?;
            let some = &some[..some.len().min(length - bytes.len())];
            bytes.extend_from_slice(some);
            place += some.len() as u64;
        }
        Ok(())
    }

    pub fn bytes_used(&self) -> usize {
        let held = self.held.capacity() * size_of::<u64>();
        self.tail.capacity() + held + self.cache.capacity()
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nothing can be done about a file that stays.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(unix)]
fn read_block(file: &mut File, place: u64, block: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, block, place)
}

#[cfg(not(unix))]
fn read_block(file: &mut File, place: u64, block: &mut [u8]) -> io::Result<()> {
    io::Seek::seek(file, io::SeekFrom::Start(place))?;
    io::Read::read_exact(file, block)
}
