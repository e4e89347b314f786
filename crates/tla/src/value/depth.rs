//! What is known of a node when it is made: how deep it is, whether it is explicit, whether it has model values.
//!
//! Whoever compares, prints or drops a value goes down into it, so a value that is too deep would end the
//! program; and one with too many parts would take all memory. A fold can make them from a short text. Depth is
//! therefore known, and whoever makes values from values of a specification asks [`Value::within_limits`] before others see them.

use std::sync::atomic::AtomicU64;

use evenhand_source::spend;

use super::{Known, LazySet, MOST_ELEMENTS, Value};
use crate::failure::Failure;

/// How many nodes may lie below each other.
pub const DEEPEST: u16 = 1000;

impl Known {
    /// Of a node with these values.
    pub(super) fn of<'a>(values: impl Iterator<Item = &'a Value>) -> Known {
        let mut known = Known {
            hash: AtomicU64::new(0),
            depth: 0,
            plain: true,
            no_models: true,
        };
        for value in values {
            match value {
                Value::Truth(_) | Value::Number(_) | Value::Text(_) => {}
                Value::Model(..) => known.no_models = false,
                Value::Set(node) | Value::Tuple(node) => known = known.and(node.known()),
                Value::Function(node) => known = known.and(node.known()),
                other => {
                    known.depth = known.depth.max(other.depth());
                    known.plain &= other.is_plain();
                }
            }
        }
        known.depth = known.depth.saturating_add(1);
        known
    }

    /// Together with another node.
    #[inline]
    pub(super) fn and(mut self, other: &Known) -> Known {
        self.depth = self.depth.max(other.depth);
        self.plain &= other.plain;
        self.no_models &= other.no_models;
        self
    }
}

impl Value {
    /// How many nodes lie below each other in it.
    pub fn depth(&self) -> u16 {
        match self {
            Value::Set(node) | Value::Tuple(node) => node.known().depth,
            Value::Function(node) => node.known().depth,
            Value::Lazy(rule) => of_rule(rule).saturating_add(1),
            Value::Closure(closure) => {
                let changed = closure.changes.iter().flat_map(|(a, b)| [a, b]);
                let captured = closure.captured.iter().chain(changed);
                let captured = captured.map(Value::depth).max();
                let below = closure.domain.depth().max(captured.unwrap_or(0));
                below.saturating_add(1)
            }
            _ => 0,
        }
    }

    /// The value, unless it is too deep to be looked at, or has too many parts to be listed.
    ///
    /// # Errors
    /// It is too large.
    #[inline]
    pub fn within_limits(self) -> Result<Value, Failure> {
        let len = match &self {
            Value::Set(node) | Value::Tuple(node) => node.len(),
            Value::Function(node) => node.values().len(),
            _ => 0,
        };
        if self.depth() > DEEPEST {
            return Err(too_deep());
        }
        room(len).map(|()| self)
    }
}

/// That a value may have so many parts: whoever makes long ones asks before.
///
/// # Errors
/// These are too many.
#[inline]
pub fn room(parts: usize) -> Result<(), Failure> {
    match parts as u64 > MOST_ELEMENTS {
        true => Err(too_many()),
        false => Ok(()),
    }
}

#[cold]
fn too_many() -> Failure {
    Failure::limit(format!(
        "a value has more than {MOST_ELEMENTS} parts, too many to be listed"
    ))
}

#[cold]
fn too_deep() -> Failure {
    Failure::limit(format!(
        "a value has more than {DEEPEST} sets or functions inside of each other"
    ))
}

fn of_rule(rule: &LazySet) -> u16 {
    spend();
    match rule {
        LazySet::Naturals | LazySet::Integers | LazySet::Reals | LazySet::Strings => 0,
        LazySet::Sequences(set) | LazySet::Subsets(set) | LazySet::BigUnion(set) => set.depth(),
        LazySet::Functions(a, b)
        | LazySet::Union(a, b)
        | LazySet::Intersection(a, b)
        | LazySet::Difference(a, b) => a.depth().max(b.depth()),
        LazySet::Records(fields) => fields.iter().map(|(_, set)| set.depth()).max().unwrap_or(0),
        LazySet::Product(sets) => sets.iter().map(Value::depth).max().unwrap_or(0),
    }
}
