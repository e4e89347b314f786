//! Shared nodes: lists of values and functions, each one piece of memory.
//!
//! Most values that an evaluation makes are small and soon gone, so what a node costs is what it takes from the
//! allocator and gives back. A node is therefore one piece: the count of those who share it, what is known of it,
//! the number of its values, and the values behind each other. Whoever has a node has one word.

use std::sync::atomic::AtomicU64;

use triomphe::ThinArc;

use super::Value;

/// Values one after the other, shared.
#[derive(Clone, Debug)]
pub struct Listed(ThinArc<Known, Value>);

/// A function: keys in order, and the value of each, shared.
#[derive(Clone, Debug)]
pub struct Mapping(ThinArc<Head, Value>);

/// What stands in front of the values of a function.
#[derive(Debug)]
struct Head {
    /// The domain; functions share it.
    keys: Listed,
    known: Known,
}

/// What is known of a shared node: most of it when it is made, the hash when somebody asks first. It follows
/// from the node, so it does not matter which thread writes it.
#[derive(Debug)]
pub(crate) struct Known {
    /// The hash of the node, or 0.
    pub(super) hash: AtomicU64,
    /// How many nodes lie below each other, this one included.
    pub(super) depth: u16,
    /// Whether all that is in it is explicit.
    pub(super) plain: bool,
    /// Whether no model value is in it.
    pub(super) no_models: bool,
}

impl Listed {
    /// The values of a list from a place on, which are taken out of it: for a set they are in order already.
    pub(super) fn taken(values: &mut Vec<Value>, from: usize) -> Listed {
        let known = Known::of(values[from..].iter());
        Listed(ThinArc::from_header_and_iter(known, values.drain(from..)))
    }

    /// Values in the order in which they are given: for a set they are in order already.
    pub fn new(mut values: Vec<Value>) -> Listed {
        Listed::taken(&mut values, 0)
    }

    /// So many values, each as it is told.
    pub(super) fn of<'a>(count: usize, value: impl Fn(usize) -> &'a Value) -> Listed {
        let known = Known::of((0..count).map(&value));
        let values = (0..count).map(|place| value(place).clone());
        Listed(ThinArc::from_header_and_iter(known, values))
    }

    /// Whether both are one node.
    #[inline]
    pub fn is(&self, other: &Listed) -> bool {
        self.0.as_ptr() == other.0.as_ptr()
    }

    /// Where the node is.
    #[inline]
    pub(super) fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    #[inline]
    pub(super) fn known(&self) -> &Known {
        &self.0.header.header
    }
}

impl std::ops::Deref for Listed {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        &self.0.slice
    }
}

impl Mapping {
    /// A function on keys in order, each once and not 1..n, with the values of a list from a place on, which are as
    /// many and are taken out of it.
    pub(super) fn taken(keys: Listed, values: &mut Vec<Value>, from: usize) -> Mapping {
        let known = Known::of(values[from..].iter()).and(keys.known());
        let head = Head { keys, known };
        Mapping(ThinArc::from_header_and_iter(head, values.drain(from..)))
    }

    /// A function on the same keys, with each value as it is told.
    pub(super) fn with_values<'a>(&self, value: impl Fn(usize) -> &'a Value) -> Mapping {
        let count = self.values().len();
        let keys = self.keys().clone();
        let known = Known::of((0..count).map(&value)).and(keys.known());
        let values = (0..count).map(|place| value(place).clone());
        let head = Head { keys, known };
        Mapping(ThinArc::from_header_and_iter(head, values))
    }

    /// The domain.
    #[inline]
    pub fn keys(&self) -> &Listed {
        &self.0.header.header.keys
    }

    /// The values, in the order of the keys.
    #[inline]
    pub fn values(&self) -> &[Value] {
        &self.0.slice
    }

    /// Whether both are one node.
    #[inline]
    pub fn is(&self, other: &Mapping) -> bool {
        self.0.as_ptr() == other.0.as_ptr()
    }

    /// Where the node is.
    #[inline]
    pub(super) fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    #[inline]
    pub(super) fn known(&self) -> &Known {
        &self.0.header.header.known
    }

    /// Whether all keys are strings.
    pub fn is_record(&self) -> bool {
        self.keys().iter().all(|key| matches!(key, Value::Text(_)))
    }
}
