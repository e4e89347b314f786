//! Letters that were worked out before: propositions are evaluated again only where the bytes they read differ.
//!
//! A formula about a system of many processes reads the locations of two, or a few variables, and what it reads
//! has few values. So the bytes that decide all propositions of a letter are gathered into one number, and the letter is
//! looked up under it, in a small table where each number has one place. A system that can tell says for each layout which
//! bytes these are; where it cannot, where they are many, or where few letters are found again, nobody looks.
//!
//! States in which a proposition has no value are not kept: why it has none is told where it is evaluated.

use evenhand_system::{Explorer, PropositionId};

/// The letters of bytes that were met a moment ago.
#[derive(Default)]
pub(crate) struct Recall {
    /// How many states were looked at, and how many of them found.
    asked: u32,
    found: u32,
    is_over: bool,
    /// For each layout, the places of the deciding bytes.
    layouts: Vec<Places>,
    slots: Vec<Slot>,
    /// Where the letter of the state at hand belongs; none if nobody knows.
    place: Option<(usize, u32, u128)>,
}

/// What is known of a layout.
enum Places {
    /// Nobody has asked.
    Open,
    /// Too many bytes decide.
    Many,
    These(Box<[u32]>),
}

#[derive(Clone, Copy)]
struct Slot {
    bytes: u128,
    layout: u32,
    letter: u32,
}

/// No letter.
const NONE: u32 = u32::MAX;

/// How many bytes a number has.
const MOST_BYTES: usize = 16;

/// Systems of more layouts are not worth it.
const MOST_LAYOUTS: usize = 64;

/// How many slots there are, as a power of two.
const BITS: u32 = 8;

/// From here on it may be worth the work, and here it must have been: one in four was found.
const BEGIN: u32 = 1 << 7;
const TRIAL: u32 = 1 << 12;

impl Recall {
    /// The letter of a state, if it is known. If not, [`Recall::keep`] takes it.
    #[inline]
    pub fn letter(
        &mut self,
        explorer: &mut dyn Explorer,
        propositions: &[PropositionId],
        state: &[u8],
    ) -> Option<u32> {
        self.place = None;
        if self.is_over {
            return None;
        }
        self.asked += 1;
        if self.asked < BEGIN {
            return None;
        }
        let Some(layout) = explorer.layout(state) else {
            self.is_over = true;
            return None;
        };
        if self.asked == TRIAL {
            self.is_over = self.found < TRIAL / 4;
            self.asked = BEGIN;
            self.found = 0;
        }
        let places = match self.layouts.get(layout as usize) {
            Some(Places::These(places)) => places,
            Some(Places::Many) => return None,
            Some(Places::Open) | None => {
                self.learn(explorer, propositions, layout, state);
                return None;
            }
        };
        let mut bytes = 0u128;
        for &at in places {
            bytes = bytes << 8 | u128::from(*state.get(at as usize)?);
        }
        let mixed = (bytes as u64)
            .wrapping_add(((bytes >> 64) as u64).rotate_left(29))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let index = (mixed >> (64 - BITS)) as usize;
        let slot = self.slots.get(index)?;
        if slot.bytes == bytes && slot.layout == layout && slot.letter != NONE {
            self.found += 1;
            return Some(slot.letter);
        }
        self.place = Some((index, layout, bytes));
        None
    }

    /// The letter of the state that was asked for last, whose propositions all have values.
    #[inline]
    pub fn keep(&mut self, letter: u32) {
        if let Some((index, layout, bytes)) = self.place.take() {
            self.slots[index] = Slot {
                bytes,
                layout,
                letter,
            };
        }
    }

    /// The first state of a layout.
    #[cold]
    fn learn(
        &mut self,
        explorer: &mut dyn Explorer,
        propositions: &[PropositionId],
        layout: u32,
        state: &[u8],
    ) {
        if layout as usize >= MOST_LAYOUTS {
            return;
        }
        let places = match explorer.deciding(propositions, state) {
            Some(places) if places.len() <= MOST_BYTES => {
                Places::These(places.into_iter().map(|at| at as u32).collect())
            }
            _ => Places::Many,
        };
        while self.layouts.len() <= layout as usize {
            self.layouts.push(Places::Open);
        }
        self.layouts[layout as usize] = places;
        let none = Slot {
            bytes: 0,
            layout: 0,
            letter: NONE,
        };
        self.slots.resize(1 << BITS, none);
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>() + self.layouts.capacity() * size_of::<Places>()
    }
}
