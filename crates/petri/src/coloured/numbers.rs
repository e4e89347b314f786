//! Numbers for the colours of all places, and for the bindings of all transitions.
//!
//! The values of a colour are the digits of its number, from where the colours of its place begin. A marking is a list of
//! numbers, each with how many tokens there are: few of all colours are there at any time.

use evenhand_source::{Diagnostic, spend};

use super::ColouredNet;
use super::unfold::enter;
use crate::net::{Net, Place, Transition};

/// How many colours all places together may have.
const MOST_COLOURS: u64 = 1 << 19;

/// Where the numbers of each place begin, and what one more is in each digit.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// The first number of each place, and behind the last place how many there are.
    firsts: Vec<u32>,
    sizes: Vec<Vec<u32>>,
    strides: Vec<Vec<u32>>,
    /// The first number of the bindings of each transition, if all of them have one.
    bindings: Option<Vec<u32>>,
}

impl Numbers {
    /// Those of a net.
    ///
    /// # Errors
    /// If there are too many colours.
    pub fn new(net: &ColouredNet) -> Result<Numbers, Diagnostic> {
        let mut numbers = Numbers {
            firsts: vec![0],
            sizes: Vec::new(),
            strides: Vec::new(),
            bindings: bindings(net),
        };
        let mut total = 0u64;
        for place in &net.places {
            let sizes: Vec<u32> = place.domain.iter().map(|&s| net.sorts.size(s)).collect();
            let mut count = 1u64;
            let mut strides = vec![0; sizes.len()];
            for (stride, size) in strides.iter_mut().zip(&sizes).rev() {
                *stride = count.min(MOST_COLOURS) as u32;
                count = count.saturating_mul(u64::from(*size));
            }
            total = total.saturating_add(count);
            if total > MOST_COLOURS {
                let message = format!(
                    "the net has too many colours: its transitions have too many bindings to be unfolded, and up to `{}` its places have more than {MOST_COLOURS} colours",
                    place.id
                );
                return Err(Diagnostic::global(message));
            }
            numbers.firsts.push(total as u32);
            numbers.sizes.push(sizes);
            numbers.strides.push(strides);
        }
        Ok(numbers)
    }

    /// How many colours there are.
    pub fn count(&self) -> u32 {
        self.firsts.last().copied().unwrap_or(0)
    }

    /// The numbers of the colours of a place.
    pub fn of_place(&self, place: usize) -> std::ops::Range<u32> {
        self.firsts[place]..self.firsts[place + 1]
    }

    /// What a value adds to the number of a colour.
    #[inline]
    pub fn digit(&self, place: usize, at: usize, value: u32) -> u32 {
        self.strides[place][at] * value
    }

    /// A value of the colour with a number.
    #[inline]
    pub fn value(&self, place: usize, at: usize, number: u32) -> u32 {
        (number - self.firsts[place]) / self.strides[place][at] % self.sizes[place][at]
    }

    /// The number of a colour.
    fn number(&self, place: usize, colour: &[u32]) -> u32 {
        let digits = colour.iter().enumerate();
        let digits = digits.map(|(at, &value)| self.digit(place, at, value));
        self.firsts[place] + digits.sum::<u32>()
    }

    /// The values of a colour.
    pub fn colour(&self, place: usize, number: u32) -> Vec<u32> {
        let digits = 0..self.sizes[place].len();
        digits.map(|at| self.value(place, at, number)).collect()
    }

    /// The number of a binding of a transition, if it has one.
    pub fn binding(&self, net: &ColouredNet, pattern: usize, values: &[u32]) -> Option<u32> {
        let first = self.bindings.as_ref()?[pattern];
        let slots = &net.patterns[pattern].slots;
        let digits = slots.iter().zip(values);
        let number = digits.fold(0, |sum, (&slot, &value)| {
            sum * net.sorts.slot_size(slot) + value
        });
        Some(first + number)
    }

    /// What formulas may speak of: the colours of all places, and the transitions of the file.
    pub fn names(&self, net: &ColouredNet) -> Net {
        let mut named = Net::default();
        for (place, coloured) in net.places.iter().enumerate() {
            named.place_names.insert(coloured.id.clone(), Vec::new());
            for number in self.of_place(place) {
                spend();
                let colour = self.colour(place, number);
                let id = net.sorts.named(&coloured.id, &coloured.domain, &colour);
                let at = named.places.len();
                enter(&mut named.place_names, &coloured.id, &id, at);
                named.places.push(Place { id, initial: 0 });
            }
            for (colour, &count) in &coloured.initial {
                let number = self.number(place, colour);
                named.places[number as usize].initial = count;
            }
        }
        for (number, pattern) in net.patterns.iter().enumerate() {
            let name = pattern.id.clone();
            named.transition_names.insert(name, vec![number as u32]);
            named.transitions.push(Transition {
                id: pattern.id.clone(),
                span: pattern.span,
                ..Transition::default()
            });
        }
        named
    }
}

/// The first number of the bindings of each transition; none if there are too many of them.
fn bindings(net: &ColouredNet) -> Option<Vec<u32>> {
    let mut firsts = Vec::new();
    let mut total = 0u32;
    for pattern in &net.patterns {
        firsts.push(total);
        let sizes = pattern.slots.iter().map(|&slot| net.sorts.slot_size(slot));
        let count = sizes.into_iter().try_fold(1u32, u32::checked_mul)?;
        total = total.checked_add(count)?;
    }
    Some(firsts)
}
