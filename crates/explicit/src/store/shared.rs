//! A store for several threads: a lock-free table over an arena that only grows.
//!
//! **Problem.** Threads that expand states look up each successor, and most look-ups are misses of the cache
//! that take as long as the rest of the work. They must overlap, and a look-up that finds its state, as most
//! do, must not write anything that another thread reads.
//!
//! **Idea.** A state is written into the arena first, where nobody sees it, and then its *place* is put into
//! the table by one compare-and-swap. Whoever finds the place there finds the state complete. Who loses the
//! race for a slot looks at what the winner has put there: if it is the same state, the place is used for the
//! next one. Each thread ([`Hand`]) writes into blocks of its own.
//!
//! A place depends on who was first. So nothing that is told depends on places: whoever decides gives each
//! state a *number* when it meets it, in its own order. The number stands in front of the state, so that who
//! finds a state has its number too.
//!
//! The table grows as the plain one does: a larger one is filled from the arena, which is read in order. No
//! thread may use the old one then. A thread says that it is inside of the table by a flag of its own; who
//! wants a larger table raises another flag, waits until nobody is inside, and fills it, together with all
//! who come along meanwhile. Nobody is inside for longer than it takes to look up what one state leads to: states are
//! expanded outside, which may take any time.
//!
//! Slots, numbers and flags are atomic words. The bytes of a state are plain memory, since they are compared and
//! copied all the time: whoever reads them has found their place in the table, or was given it by who has, and
//! nobody writes them from the moment on in which the place was put there. That is all that is unsafe here.
//!
//! **Layout.** The arena has units of as many words as most states need, and a place is a count of units. A
//! word in front of each state has its number, or says that it has none, and whether its length is the usual
//! one; if not, the length is in the next word. A slot of the table has a place plus one in its low bits, and
//! a tag taken from the hash in the others.
//!
//! **Cost.** Beside what the plain store takes: four bytes for the number of a state, and those to fill the
//! last word. Limits: 2^31 − 3 states, 2^32 units; a state fits into one chunk of the arena.

use std::sync::{OnceLock, PoisonError, TryLockError};

use super::ground::*;
use super::prefetch::prefetch_read;
use super::{Full, Limits, hash};

/// A state that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Met {
    /// Where it is.
    pub place: u32,
    /// Its number, if it has one.
    pub number: Option<u32>,
}

/// The word in front of a state that has no number; 0 is in front of no state.
const UNNUMBERED: u32 = 1;
/// What is added to numbers.
const FIRST_NUMBER: u32 = 2;
/// The bit that says that a length follows.
const ODD: u32 = 1 << 31;
/// Numbers are below this.
pub(crate) const MOST_NUMBERS: u32 = ODD - FIRST_NUMBER;

/// States that several threads store together.
pub(crate) struct SharedStore {
    arena: Arena,
    limits: Limits,
    /// The table that is in use, and how many there were before it.
    table: Mutex<Arc<Table>>,
    generation: AtomicUsize,
    /// How many states there are, as far as threads have told.
    entries: Arc<AtomicUsize>,
    /// Somebody fills a larger table; nobody may enter the present one.
    is_growing: AtomicBool,
    growth: Mutex<Option<Arc<Growth>>>,
    /// The flags of those who may be inside of the table.
    inside: Mutex<Vec<Arc<Inside>>>,
}

/// Whether a thread is inside of the table; in a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Inside(AtomicBool);

/// A table that is being filled.
struct Growth {
    table: Arc<Table>,
    blocks: Vec<Block>,
    /// The next block to be put into it, and how many are.
    next: AtomicUsize,
    done: AtomicUsize,
}

/// One thread's way into a store.
pub(crate) struct Hand {
    inside: Arc<Inside>,
    table: Arc<Table>,
    generation: usize,
    pen: Pen,
    entries: Arc<AtomicUsize>,
}

/// Where a thread writes.
#[derive(Default)]
struct Pen {
    /// The place of the next state, and the word at which the block ends.
    next: u64,
    end: u64,
    /// How many states it has stored since it told so.
    untold: usize,
}

impl Hand {
    /// Makes sure that the thread is outside in the end, even if its work is ended in the middle.
    pub fn in_the_end(&self) -> Outside {
        Outside(self.inside.clone())
    }
}

/// Takes a thread out of the table when it is dropped.
pub(crate) struct Outside(Arc<Inside>);

impl Drop for Outside {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Release);
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.inside.0.store(false, Ordering::Release);
        // A table that knows of fewer states than it has would fill up and never grow.
        self.entries.fetch_add(self.pen.untold, Ordering::Relaxed);
    }
}

impl SharedStore {
    /// Without states; most of them will have the usual length, if there is one.
    pub fn new(limits: Limits, usual: Option<usize>) -> SharedStore {
        let table = Table::new(FIRST_SLOTS, u32::MAX >> 8);
        SharedStore {
            arena: Arena::new(usual),
            limits,
            table: Mutex::new(Arc::new(table)),
            generation: AtomicUsize::new(0),
            entries: Arc::new(AtomicUsize::new(0)),
            is_growing: AtomicBool::new(false),
            growth: Mutex::default(),
            inside: Mutex::default(),
        }
    }

    /// What may be used at most; of states, how many may have numbers.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        self.arena.bytes.load(Ordering::Relaxed) + lock(&self.table).bytes()
    }

    /// A way into the store for one thread. It is [outside](SharedStore::leave).
    pub fn hand(&self) -> Hand {
        let inside = Arc::new(Inside::default());
        let mut all = lock(&self.inside);
        all.retain(|flag| Arc::strong_count(flag) > 1);
        all.push(inside.clone());
        Hand {
            inside,
            table: lock(&self.table).clone(),
            generation: usize::MAX,
            pen: Pen::default(),
            entries: self.entries.clone(),
        }
    }

    /// A thread is about to look up some states. It must not be inside for long.
    #[inline]
    pub fn enter(&self, hand: &mut Hand) {
        loop {
            // Either this flag is seen by who waits for nobody to be inside, or the other one here.
            hand.inside.0.store(true, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            if !self.is_growing.load(Ordering::Acquire) {
                break;
            }
            self.leave(hand);
            self.help();
        }
        let generation = self.generation.load(Ordering::Acquire);
        if generation != hand.generation {
            hand.table = lock(&self.table).clone();
            hand.generation = generation;
        }
    }

    /// It is not, for the time being.
    #[inline]
    pub fn leave(&self, hand: &mut Hand) {
        hand.inside.0.store(false, Ordering::Release);
    }

    /// The hash that the others want.
    #[inline]
    pub fn hash(&self, state: &[u8]) -> u64 {
        hash(state)
    }

    /// Hints that a state with this hash will be inserted soon.
    #[inline]
    pub fn prefetch(&self, hand: &Hand, hash: u64) {
        hand.table.prefetch(hash);
    }

    /// Hints that it will be inserted at once: the slots are there, and what they lead to is on its way.
    #[inline]
    pub fn prefetch_found(&self, hand: &Hand, hash: u64) {
        if let Some(place) = hand.table.likely(hash) {
            self.prefetch_state(place);
        }
    }

    /// Hints that the state at a place will be asked for soon.
    #[inline]
    pub fn prefetch_state(&self, place: u32) {
        self.arena.prefetch(place);
    }

    /// Finds a state or stores it. The thread is inside, before and after.
    #[inline]
    pub fn insert(&self, hand: &mut Hand, hash: u64, state: &[u8]) -> Result<Met, Full> {
        loop {
            match self.look_up(hand, hash, state)? {
                Some(met) => return Ok(met),
                None => self.grow(hand)?,
            }
        }
    }

    /// The same, if the table is large enough.
    #[inline]
    fn look_up(&self, hand: &mut Hand, hash: u64, state: &[u8]) -> Result<Option<Met>, Full> {
        let Hand { table, pen, .. } = hand;
        let wanted = hash as u32 & table.tag_mask;
        let mut at = table.first(hash);
        for _ in 0..table.slots.len() {
            let mut slot = table.slots[at].load(Ordering::Acquire);
            if slot == 0 {
                let entries = self.entries.load(Ordering::Relaxed) + pen.untold;
                if entries >= table.enough {
                    return Ok(None);
                }
                let place = self.write(pen, table.bytes(), state)?;
                if place >= !table.tag_mask {
                    self.arena.unwrite(place, state.len());
                    return Ok(None);
                }
                let own = wanted | (place + 1);
                let won =
                    table.slots[at].compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire);
                match won {
                    Ok(_) => {
                        self.keep(pen, state.len());
                        return Ok(Some(Met {
                            place,
                            number: None,
                        }));
                    }
                    Err(other) => {
                        // The place is free again, if the state is not needed further on.
                        self.arena.unwrite(place, state.len());
                        slot = other;
                    }
                }
            }
            if slot & table.tag_mask == wanted {
                let place = (slot & !table.tag_mask) - 1;
                if let Some(number) = self.arena.find(place, state) {
                    return Ok(Some(Met { place, number }));
                }
            }
            at += 1;
            if at == table.slots.len() {
                at = 0;
            }
        }
        Ok(None)
    }

    /// Writes a state where nobody looks for it yet.
    fn write(&self, pen: &mut Pen, table: usize, state: &[u8]) -> Result<u32, Full> {
        let unit = self.arena.unit as u64;
        let words = self.arena.words_of(state.len()) as u64;
        if pen.next * unit + words > pen.end {
            let room = self.limits.bytes.saturating_sub(table);
            let block = self.arena.block(words, room)?;
            pen.next = block.start.div_ceil(unit);
            pen.end = block.end;
        }
        let place = u32::try_from(pen.next)
            .ok()
            .filter(|&place| place < u32::MAX);
        let place = place.ok_or(Full::Memory)?;
        self.arena.write(place, state);
        Ok(place)
    }

    /// The state that was just written is found from now on.
    fn keep(&self, pen: &mut Pen, length: usize) {
        pen.next += self.arena.units_of(length);
        pen.untold += 1;
        if pen.untold >= TELL {
            self.entries.fetch_add(pen.untold, Ordering::Relaxed);
            pen.untold = 0;
        }
    }

    /// The number of the state at a place; if it has none, it is the next one from now on, and new. One
    /// thread alone gives numbers.
    #[inline]
    pub fn number(&self, place: u32, next: Option<u32>) -> Option<(u32, bool)> {
        self.arena.number(place, next)
    }

    /// The state at a place.
    pub fn load(&self, place: u32, state: &mut Vec<u8>) {
        self.arena.load(place, state);
    }

    /// The state at a place, of eight bytes and perhaps a number of four.
    pub fn pair(&self, place: u32) -> (u64, Option<usize>) {
        let (words, length) = self.arena.state(place);
        let word = |at: usize| u64::from(words[at].load(Ordering::Relaxed));
        let more = (length > 8).then(|| word(2) as usize);
        (word(0) | word(1) << 32, more)
    }

    /// A larger table. The thread is inside again afterwards.
    #[cold]
    fn grow(&self, hand: &mut Hand) -> Result<(), Full> {
        self.leave(hand);
        // What made the table too small must be seen when it grows.
        let untold = std::mem::take(&mut hand.pen.untold);
        self.entries.fetch_add(untold, Ordering::Relaxed);
        let mut growth = patient_lock(&self.growth);
        let is_first =
            growth.is_none() && self.generation.load(Ordering::Acquire) == hand.generation;
        let begun = match is_first {
            true => self.begin(&hand.table),
            false => Ok(None),
        };
        if let Ok(Some(new)) = &begun {
            *growth = Some(new.clone());
        }
        drop(growth);
        self.help();
        self.enter(hand);
        begun.map(|_| ())
    }

    /// Makes room for a larger table, and waits until nobody uses the old one.
    fn begin(&self, old: &Table) -> Result<Option<Arc<Growth>>, Full> {
        let arena = self.arena.bytes.load(Ordering::Relaxed);
        let room = self.limits.bytes.saturating_sub(arena + old.bytes());
        let (entries, slots) = (self.entries.load(Ordering::Relaxed), old.slots.len());
        // Where places have run out of bits, the same size may do.
        let wish = match entries >= old.enough {
            true if slots < SMALL_SLOTS => 4 * slots,
            true => 2 * slots,
            false => slots,
        };
        let fits = wish.min(room / size_of::<u32>());
        if fits < (slots + slots / 8).min(wish) {
            return Err(Full::Memory);
        }
        let units = self.arena.used.load(Ordering::Relaxed) / self.arena.unit as u64;
        let places = units.saturating_mul(4).max(fits as u64);
        let places = u32::try_from(places).unwrap_or(u32::MAX);
        let table = Arc::new(Table::new(fits, places));
        self.is_growing.store(true, Ordering::Release);
        // Whoever is ended while it waits does not keep the others waiting.
        let begun = Begun(&self.is_growing);
        fence(Ordering::SeqCst);
        for flag in &*lock(&self.inside) {
            while flag.0.load(Ordering::Acquire) {
                wait();
            }
        }
        std::mem::forget(begun);
        Ok(Some(Arc::new(Growth {
            table,
            blocks: lock(&self.arena.blocks).clone(),
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        })))
    }

    /// Helps to fill a larger table, and waits until it is there.
    #[cold]
    fn help(&self) {
        while self.is_growing.load(Ordering::Acquire) {
            let Some(growth) = patient_lock(&self.growth).clone() else {
                wait();
                continue;
            };
            let mut state = Vec::new();
            loop {
                let next = growth.next.fetch_add(1, Ordering::Relaxed);
                let Some(block) = growth.blocks.get(next) else {
                    break;
                };
                self.fill(&growth.table, *block, &mut state);
                let done = growth.done.fetch_add(1, Ordering::AcqRel) + 1;
                if done == growth.blocks.len() {
                    self.finish(&growth);
                }
            }
            while self.is_growing.load(Ordering::Acquire) && is_same(&self.growth, &growth) {
                wait();
            }
        }
    }

    /// Puts the states of a block into a new table. Hashes are computed a batch ahead, so that the slots they
    /// lead to have arrived when they are written.
    fn fill(&self, table: &Table, block: Block, state: &mut Vec<u8>) {
        let unit = self.arena.unit as u64;
        let mut place = block.start.div_ceil(unit);
        let mut batch = [(0, 0); 32];
        loop {
            let mut count = 0;
            while count < batch.len()
                && place * unit < block.end
                && self.arena.is_state(place as u32)
            {
                self.arena.load(place as u32, state);
                let hash = hash(state);
                table.prefetch(hash);
                batch[count] = (place as u32, hash);
                place += self.arena.units_of(state.len());
                count += 1;
            }
            for &(place, hash) in &batch[..count] {
                table.put(place, hash);
            }
            if count < batch.len() {
                return;
            }
        }
    }

    /// Everybody may use the new table.
    fn finish(&self, growth: &Growth) {
        let mut current = lock(&self.growth);
        *lock(&self.table) = growth.table.clone();
        *current = None;
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.is_growing.store(false, Ordering::Release);
    }
}

/// A growth that has begun; when it is dropped, nothing has come of it, and the old table stays in use.
struct Begun<'s>(&'s AtomicBool);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Whether a table is still the one that is being filled.
fn is_same(current: &Mutex<Option<Arc<Growth>>>, growth: &Arc<Growth>) -> bool {
    let current = lock(current);
    current.as_ref().is_some_and(|now| Arc::ptr_eq(now, growth))
}

struct Table {
    slots: Box<[AtomicU32]>,
    /// The bits of a slot that are the tag; the others are the place plus one.
    tag_mask: u32,
    /// With so many entries there should be a larger one.
    enough: usize,
}

impl Table {
    /// An empty table, for places up to this one.
    fn new(slots: usize, places: u32) -> Table {
        let low = u32::MAX.checked_shr(places.max(1).leading_zeros());
        Table {
            slots: words(slots),
            tag_mask: !low.unwrap_or(u32::MAX),
            enough: slots / 4 * 3,
        }
    }

    #[inline(always)]
    fn first(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn prefetch(&self, hash: u64) {
        let slots: *const AtomicU32 = self.slots.as_ptr();
        prefetch_read(slots.wrapping_add(self.first(hash)).cast());
    }

    /// The first place near by whose tag is that of a hash.
    #[inline(always)]
    fn likely(&self, hash: u64) -> Option<u32> {
        let wanted = hash as u32 & self.tag_mask;
        let slots = self.slots[self.first(hash)..].iter().take(8);
        for slot in slots {
            let slot = slot.load(Ordering::Relaxed);
            if slot == 0 {
                break;
            }
            if slot & self.tag_mask == wanted {
                return Some((slot & !self.tag_mask) - 1);
            }
        }
        None
    }

    /// Puts a place into a free slot; it is not in the table yet.
    fn put(&self, place: u32, hash: u64) {
        let own = hash as u32 & self.tag_mask | (place + 1);
        let mut at = self.first(hash);
        let is_put = |slot: &AtomicU32| {
            let put = slot.compare_exchange(0, own, Ordering::AcqRel, Ordering::Relaxed);
            put.is_ok()
        };
        while !is_put(&self.slots[at]) {
            at = if at + 1 == self.slots.len() {
                0
            } else {
                at + 1
            };
        }
    }

    fn bytes(&self) -> usize {
        size_of::<u32>() * self.slots.len()
    }
}

/// So many words, all zero.
fn words(count: usize) -> Box<[AtomicU32]> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

/// Words that one thread writes into, from a first one up to a last.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: u64,
    end: u64,
}

/// Words in chunks that never move.
struct Arena {
    chunks: Box<[OnceLock<Box<[AtomicU32]>>]>,
    /// Words of a unit.
    unit: usize,
    /// The usual length of states, in bytes.
    usual: usize,
    /// Words given out.
    used: AtomicU64,
    /// Bytes of the chunks that there are.
    bytes: AtomicUsize,
    blocks: Mutex<Vec<Block>>,
}

/// The chunk of a word, and its place in there.
#[inline]
pub(super) fn chunk_of(word: u64) -> (usize, usize) {
    let word = word + (1 << FIRST_CHUNK);
    let bits = word.ilog2();
    if bits < LARGEST_CHUNK {
        return ((bits - FIRST_CHUNK) as usize, (word - (1 << bits)) as usize);
    }
    let beyond = word - (1 << LARGEST_CHUNK);
    let growing = (LARGEST_CHUNK - FIRST_CHUNK) as usize;
    let mask = (1 << LARGEST_CHUNK) - 1;
    let chunk = growing + (beyond >> LARGEST_CHUNK) as usize;
    (chunk, (beyond & mask) as usize)
}

#[allow(unsafe_code, reason = "the bytes of states are plain memory")]
impl Arena {
    fn new(usual: Option<usize>) -> Arena {
        let of_usual = usual.map(|length| 1 + length.div_ceil(4));
        let chunk = |_| match IS_READY {
            true => OnceLock::from(words(1 << LARGEST_CHUNK)),
            false => OnceLock::new(),
        };
        Arena {
            chunks: (0..CHUNKS).map(chunk).collect(),
            // Where lengths differ, a place is an even word.
            unit: of_usual
                .filter(|&words| words as u64 <= BLOCK / 4)
                .unwrap_or(2),
            usual: usual.unwrap_or(usize::MAX),
            used: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            blocks: Mutex::default(),
        }
    }

    /// The words of a state of this length, with what is in front of it.
    fn words_of(&self, length: usize) -> usize {
        1 + usize::from(length != self.usual) + length.div_ceil(4)
    }

    /// The units that it takes.
    fn units_of(&self, length: usize) -> u64 {
        self.words_of(length).div_ceil(self.unit) as u64
    }

    /// A block with room for so many words, if the chunks then take at most so many bytes.
    fn block(&self, words: u64, room: usize) -> Result<Block, Full> {
        // The first unit may begin behind the first word.
        let need = (words + self.unit as u64).next_multiple_of(BLOCK);
        if need > 1 << LARGEST_CHUNK {
            return Err(Full::Length);
        }
        loop {
            let start = self.used.fetch_add(need, Ordering::Relaxed);
            let ((chunk, _), (last, _)) = (chunk_of(start), chunk_of(start + need - 1));
            let slot = self.chunks.get(chunk).ok_or(Full::Memory)?;
            if chunk != last {
                continue;
            }
            if slot.get().is_none() {
                let bits = (FIRST_CHUNK + chunk as u32).min(LARGEST_CHUNK);
                let more = size_of::<u32>() << bits;
                if self.bytes.load(Ordering::Relaxed).saturating_add(more) > room {
                    return Err(Full::Memory);
                }
                slot.get_or_init(|| {
                    self.bytes.fetch_add(more, Ordering::Relaxed);
                    self::words(1 << bits)
                });
            }
            let block = Block {
                start,
                end: start + need,
            };
            lock(&self.blocks).push(block);
            return Ok(block);
        }
    }

    /// The words from a place on.
    #[inline]
    fn at(&self, place: u32) -> &[AtomicU32] {
        let (chunk, offset) = chunk_of(u64::from(place) * self.unit as u64);
        match self.chunks[chunk].get() {
            Some(words) => &words[offset..],
            None => &[],
        }
    }

    /// Hints that the state at a place will be asked for: the line that it begins in, and the next if it does not end there.
    #[inline]
    fn prefetch(&self, place: u32) {
        if let [first, ..] = self.at(place) {
            let first: *const AtomicU32 = first;
            prefetch_read(first.cast());
            prefetch_read(first.wrapping_add(self.unit - 1).cast());
        }
    }

    /// The state at a place: its words, and its length in bytes.
    #[inline]
    fn state(&self, place: u32) -> (&[AtomicU32], usize) {
        let words = self.at(place);
        match words[0].load(Ordering::Relaxed) & ODD {
            0 => (&words[1..], self.usual),
            _ => (&words[2..], words[1].load(Ordering::Relaxed) as usize),
        }
    }

    /// Whether there is a state at a place, where one may be.
    fn is_state(&self, place: u32) -> bool {
        let head = self.at(place).first();
        head.is_some_and(|head| head.load(Ordering::Relaxed) != 0)
    }

    fn write(&self, place: u32, state: &[u8]) {
        let words = self.at(place);
        let mut head = UNNUMBERED;
        let mut rest = &words[1..];
        if state.len() != self.usual {
            head |= ODD;
            rest[0].store(state.len() as u32, Ordering::Relaxed);
            rest = &rest[1..];
        }
        // SAFETY: the place is in a block of this thread, and not in the table yet.
        unsafe { put_bytes(rest, state) };
        words[0].store(head, Ordering::Relaxed);
    }

    /// Makes it free again, every word of it: who walks through a block must not find states where none begin.
    fn unwrite(&self, place: u32, length: usize) {
        for word in &self.at(place)[..self.words_of(length)] {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Whether a state is at a place, and then its number if it has one.
    #[inline]
    fn find(&self, place: u32, state: &[u8]) -> Option<Option<u32>> {
        let (words, length) = self.state(place);
        if length != state.len() {
            return None;
        }
        // SAFETY: a state whose place is in the table is not written any more.
        let is_it = *unsafe { bytes_of(words, length) } == *state;
        if !is_it {
            return None;
        }
        let head = self.at(place)[0].load(Ordering::Relaxed) & !ODD;
        Some(head.checked_sub(FIRST_NUMBER))
    }

    #[inline]
    fn number(&self, place: u32, next: Option<u32>) -> Option<(u32, bool)> {
        let word = &self.at(place)[0];
        let head = word.load(Ordering::Relaxed);
        if let Some(number) = (head & !ODD).checked_sub(FIRST_NUMBER) {
            return Some((number, false));
        }
        let next = next.filter(|&next| next < MOST_NUMBERS)?;
        word.store(head & ODD | (next + FIRST_NUMBER), Ordering::Relaxed);
        Some((next, true))
    }

    fn load(&self, place: u32, state: &mut Vec<u8>) {
        let (words, length) = self.state(place);
        state.clear();
        // SAFETY: who knows a place has it from the table, or from the thread that had it from there.
        state.extend_from_slice(&unsafe { bytes_of(words, length) });
    }
}

/// What a thread left behind that was ended in the middle is complete.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same where somebody may hold it for long.
fn patient_lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(left)) => return left.into_inner(),
            Err(TryLockError::WouldBlock) => wait(),
        }
    }
}
