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

impl Condition {
    /// Whether it holds in a packed marking.
    pub fn holds(&self, net: &Net, layouts: &Layouts, bytes: &[u8]) -> bool {
        let enabled = |transition: u32| is_enabled(net, transition, layouts, bytes);
        match self {
            Condition::Constant(value) => *value,
            Condition::Fireable(list) => list.iter().any(|&transition| enabled(transition)),
            Condition::Dead => !(0..net.transitions.len() as u32).any(enabled),
            Condition::Compare {
                sum: places,
                sign,
                number,
            } => sign.holds(sum(places, layouts, bytes), i128::from(*number)),
            Condition::Not(inner) => !inner.holds(net, layouts, bytes),
            Condition::All(list) => list.iter().all(|part| part.holds(net, layouts, bytes)),
            Condition::Any(list) => list.iter().any(|part| part.holds(net, layouts, bytes)),
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
