//! Numbers by hashes, in little memory at any time.
//!
//! A table that doubles takes up to three times what it holds while it is copied. Here it is cut into segments
//! by some bits of the hash, and each grows for itself, by a fifth: only one of them is there twice, for a
//! moment. An entry is a number and 16 further bits of the hash, which say where in the segment it belongs: so a
//! segment can grow without a look at anything else, and few entries with another hash are ever offered.

/// Bits of the hash that choose a segment.
const SEGMENTS: u32 = 12;

/// Numbers by hashes.
#[derive(Debug)]
pub(super) struct Table {
    segments: Vec<Segment>,
}

/// Open addressing with linear probing, at most four fifths full.
#[derive(Clone, Debug, Default)]
struct Segment {
    /// Numbers, `FREE` where there is none.
    numbers: Box<[u32]>,
    parts: Box<[u16]>,
    len: usize,
}

const FREE: u32 = u32::MAX;

/// Where a search stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    segment: usize,
    part: u16,
    place: usize,
}

impl Table {
    pub fn new() -> Table {
        Table {
            segments: vec![Segment::default(); 1 << SEGMENTS],
        }
    }

    /// Begins to look for a hash.
    pub fn search(&self, hash: u64) -> Search {
        let (segment, part) = split(hash);
        let place = self.segments[segment].home(part);
        Search {
            segment,
            part,
            place,
        }
    }

    /// The next number that may have the hash.
    pub fn next(&self, search: &mut Search) -> Option<u32> {
        let segment = &self.segments[search.segment];
        while let Some(&number) = segment.numbers.get(search.place) {
            if number == FREE {
                return None;
            }
            let is_like = segment.parts[search.place] == search.part;
            search.place = segment.after(search.place);
            if is_like {
                return Some(number);
            }
        }
        None
    }

    /// Adds a number.
    pub fn add(&mut self, hash: u64, number: u32) {
        let (segment, part) = split(hash);
        let segment = &mut self.segments[segment];
        if 5 * (segment.len + 1) > 4 * segment.numbers.len() {
            segment.grow();
        }
        segment.add(part, number);
    }

    pub fn bytes_used(&self) -> usize {
        let slots: usize = self.segments.iter().map(|s| s.numbers.len()).sum();
        self.segments.len() * size_of::<Segment>() + slots * (size_of::<u32>() + size_of::<u16>())
    }
}

fn split(hash: u64) -> (usize, u16) {
    let segment = hash >> (u64::BITS - SEGMENTS);
    (segment as usize, (hash >> 16) as u16)
}

impl Segment {
    fn home(&self, part: u16) -> usize {
        (usize::from(part) * self.numbers.len()) >> u16::BITS
    }

    fn after(&self, place: usize) -> usize {
        match place + 1 < self.numbers.len() {
            true => place + 1,
            false => 0,
        }
    }

    /// There is room.
    fn add(&mut self, part: u16, number: u32) {
        let mut place = self.home(part);
        while self.numbers[place] != FREE {
            place = self.after(place);
        }
        self.numbers[place] = number;
        self.parts[place] = part;
        self.len += 1;
    }

    fn grow(&mut self) {
        let length = (self.numbers.len() * 6 / 5).max(self.numbers.len() + 8);
        let mut larger = Segment {
            numbers: vec![FREE; length].into(),
            parts: vec![0; length].into(),
            len: 0,
        };
        for (&number, &part) in self.numbers.iter().zip(&self.parts) {
            if number != FREE {
                larger.add(part, number);
            }
        }
        *self = larger;
    }
}
