//! Conditions on markings: how many tokens, what can fire.

use crate::layout::Layouts;
use crate::net::Net;

/// A condition on a marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Constant(bool),
    /// Some of these transitions can fire.
    Fireable(Vec<u32>),
    /// No transition can fire.
    Dead,
    /// A sum of tokens, each place with a factor, compared with a number.
    Compare {
        sum: Vec<(u32, i64)>,
        sign: Sign,
        number: i64,
    },
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Less,
    AtMost,
    Equal,
    Different,
    AtLeast,
    More,
}

impl Sign {
    pub(crate) fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Sign::Less => left < right,
            Sign::AtMost => left <= right,
            Sign::Equal => left == right,
            Sign::Different => left != right,
            Sign::AtLeast => left >= right,
            Sign::More => left > right,
        }
    }
}

/// A sum of tokens with factors in a packed marking: no sum of a net is too large.
pub(crate) fn sum(places: &[(u32, i64)], layouts: &Layouts, bytes: &[u8]) -> i128 {
    let tokens = |place: u32| i128::from(layouts.tokens(place, bytes));
    let parts = places.iter();
    parts
        .map(|&(place, factor)| i128::from(factor) * tokens(place))
        .sum()
}

/// Whether a transition can fire in a packed marking.
pub(crate) fn is_enabled(net: &Net, transition: u32, layouts: &Layouts, bytes: &[u8]) -> bool {
    let mut needs = net.transitions[transition as usize].needs.iter();
    needs.all(|need| {
        let tokens = layouts.tokens(need.place, bytes);
        (need.least..=need.most).contains(&tokens)
    })
}

/// A marking that conditions can be asked of.
pub(crate) trait Reading {
    /// A sum of tokens with factors.
    fn sum(&mut self, places: &[(u32, i64)]) -> i128;
    /// Whether a transition can fire.
    fn is_enabled(&mut self, transition: u32) -> bool;
    /// How many transitions there are.
    fn transitions(&self) -> u32;
}

/// A packed marking.
struct PackedMarking<'m> {
    net: &'m Net,
    layouts: &'m Layouts,
    bytes: &'m [u8],
}

impl Reading for PackedMarking<'_> {
    fn sum(&mut self, places: &[(u32, i64)]) -> i128 {
        sum(places, self.layouts, self.bytes)
    }

    fn is_enabled(&mut self, transition: u32) -> bool {
        is_enabled(self.net, transition, self.layouts, self.bytes)
    }

    fn transitions(&self) -> u32 {
        self.net.transitions.len() as u32
    }
}

impl Condition {
    /// Whether it holds in a packed marking.
    pub fn holds(&self, net: &Net, layouts: &Layouts, bytes: &[u8]) -> bool {
        self.holds_in(&mut PackedMarking {
            net,
            layouts,
            bytes,
        })
    }

    /// Whether it holds in a marking.
    pub fn holds_in(&self, marking: &mut impl Reading) -> bool {
        match self {
            Condition::Constant(value) => *value,
            Condition::Fireable(list) => list.iter().any(|&t| marking.is_enabled(t)),
            Condition::Dead => !(0..marking.transitions()).any(|t| marking.is_enabled(t)),
            Condition::Compare { sum, sign, number } => {
                sign.holds(marking.sum(sum), i128::from(*number))
            }
            Condition::Not(inner) => !inner.holds_in(marking),
            Condition::All(list) => list.iter().all(|part| part.holds_in(marking)),
            Condition::Any(list) => list.iter().any(|part| part.holds_in(marking)),
        }
    }

    /// The same with the places of each sum in order.
    pub fn sorted(self) -> Condition {
        let all = |list: Vec<Condition>| list.into_iter().map(Condition::sorted).collect();
        match self {
            Condition::Compare {
                mut sum,
                sign,
                number,
            } => {
                sum.sort_unstable();
                Condition::Compare { sum, sign, number }
            }
            Condition::Not(inner) => Condition::Not(Box::new(inner.sorted())),
            Condition::All(list) => Condition::All(all(list)),
            Condition::Any(list) => Condition::Any(all(list)),
            other => other,
        }
    }

    /// Calls for each place that it is about, perhaps several times.
    pub fn reads(&self, net: &Net, each: &mut dyn FnMut(u32)) {
        let mut needs = |transition: u32| {
            let transition = &net.transitions[transition as usize];
            transition.needs.iter().for_each(|need| each(need.place));
        };
        match self {
            Condition::Constant(_) => {}
            Condition::Fireable(list) => list.iter().for_each(|&t| needs(t)),
            Condition::Dead => (0..net.transitions.len() as u32).for_each(needs),
            Condition::Compare { sum, .. } => sum.iter().for_each(|&(place, _)| each(place)),
            Condition::Not(inner) => inner.reads(net, each),
            Condition::All(list) | Condition::Any(list) => {
                list.iter().for_each(|part| part.reads(net, each));
            }
        }
    }
}
