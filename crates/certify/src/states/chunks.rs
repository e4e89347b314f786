//! A list that grows without being copied, so that it never takes more memory than it has use for.

/// Entries in one piece of memory.
const CHUNK: usize = 1 << 12;

/// The list.
#[derive(Debug)]
pub(crate) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Chunks<T> {
        Chunks {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Chunks<T> {
    /// # Panics
    /// If the entry is not there.
    pub fn get(&self, index: usize) -> T {
        self.chunks[index / CHUNK][index % CHUNK]
    }

    pub fn push(&mut self, entry: T) {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        if let Some(last) = self.chunks.last_mut() {
            last.push(entry);
            self.len += 1;
        }
    }

    pub fn bytes_used(&self) -> usize {
        let lists = self.chunks.capacity() * size_of::<Vec<T>>();
        lists + self.chunks.len() * CHUNK * size_of::<T>()
    }
}
