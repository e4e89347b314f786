//! Values: canonical, so that equal ones look the same, and ordered as TLC orders them.
//!
//! A value is two words. What is larger is shared and knows its hash. A function on 1..n is the tuple, a record the
//! function on its strings. Sets that are given by a rule (intervals, power sets, sets of functions) answer what they
//! have without being listed; in states, sets and functions values are explicit ([`Value::normal`]).

mod build;
mod bytes;
mod depth;
mod elements;
mod equality;
mod functions;
mod hash;
mod membership;
mod node;
mod normal;
mod order;
mod pairs;
mod permute;
mod print;
mod sets;
mod shared;
mod size;
mod sort;
#[cfg(test)]
mod tests;
mod wrap;

use std::sync::Arc;

use crate::names::Symbol;

pub use bytes::MOST_BYTES;
pub use depth::{DEEPEST, room};
pub use elements::Elements;
pub(crate) use node::Known;
pub use node::{Listed, Mapping};
pub use normal::MOST_ELEMENTS;
pub use permute::Permutation;
pub(crate) use print::room_for_text;
pub use print::{MOST_TEXT, Shown};

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A truth value.
    Truth(bool),
    /// A number.
    Number(i32),
    /// A string.
    Text(Symbol),
    /// A model value: its name; those called `A_…` with a letter and an underscore are typed by the letter.
    Model(Symbol, Option<char>),
    /// All numbers from the first to the second; none if the first is larger.
    Interval(i32, i32),
    /// A set that is listed: in order, each element once.
    Set(Listed),
    /// A tuple, a sequence, a function on 1..n.
    Tuple(Listed),
    /// Any other function; a record is one on strings.
    Function(Mapping),
    /// A set given by a rule.
    Lazy(Arc<LazySet>),
    /// A function or a set given by code of the evaluator, which alone can look into it.
    Closure(Arc<Closure>),
}

/// Sets given by rules.
#[derive(Debug)]
pub enum LazySet {
    /// `Nat`
    Naturals,
    /// `Int`
    Integers,
    /// `Real`
    Reals,
    /// `STRING`
    Strings,
    /// `Seq(S)`
    Sequences(Value),
    /// `SUBSET S`
    Subsets(Value),
    /// `[S -> T]`
    Functions(Value, Value),
    /// `[a : S, b : T]`, fields in order.
    Records(Box<[(Symbol, Value)]>),
    /// `S \X T`
    Product(Box<[Value]>),
    /// `S \cup T` of sets that cannot be listed, and so on.
    Union(Value, Value),
    /// `S \cap T`
    Intersection(Value, Value),
    /// `S \ T`
    Difference(Value, Value),
    /// `UNION S`; the sets may also be given as a tuple, in any order.
    BigUnion(Value),
}

/// Code with the values that it needs.
#[derive(Debug)]
pub struct Closure {
    /// What it is.
    pub kind: ClosureKind,
    /// The domain of the function, or the set that is filtered.
    pub domain: Value,
    /// Which piece of code.
    pub code: u32,
    /// What it needs.
    pub captured: Box<[Value]>,
    /// Arguments at which a function has other values.
    pub changes: Box<[(Value, Value)]>,
}

/// Kinds of closures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosureKind {
    /// A function.
    Function,
    /// A set: those of the domain for which the code is true.
    Filter,
}

impl Value {
    /// The truth value that it is.
    #[inline]
    pub fn truth(&self) -> Option<bool> {
        match self {
            Value::Truth(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The number that it is.
    #[inline]
    pub fn number(&self) -> Option<i32> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The string that it is.
    #[inline]
    pub fn text(&self) -> Option<Symbol> {
        match self {
            Value::Text(symbol) => Some(*symbol),
            _ => None,
        }
    }

    /// The values of a tuple.
    #[inline]
    pub fn as_tuple(&self) -> Option<&[Value]> {
        match self {
            Value::Tuple(values) => Some(values),
            _ => None,
        }
    }

    /// The elements of a set that is listed.
    #[inline]
    pub fn as_listed(&self) -> Option<&Listed> {
        match self {
            Value::Set(values) => Some(values),
            _ => None,
        }
    }

    /// Whether it is a set of some kind.
    pub fn is_set(&self) -> bool {
        match self {
            Value::Interval(..) | Value::Set(_) | Value::Lazy(_) => true,
            Value::Closure(closure) => closure.kind == ClosureKind::Filter,
            _ => false,
        }
    }

    /// Whether it is a function of some kind: a tuple, a record, any other.
    pub fn is_function(&self) -> bool {
        match self {
            Value::Tuple(_) | Value::Function(_) => true,
            Value::Closure(closure) => closure.kind == ClosureKind::Function,
            _ => false,
        }
    }

    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Truth(_) => "a truth value",
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::Model(..) => "a model value",
            Value::Interval(..) | Value::Set(_) | Value::Lazy(_) => "a set",
            Value::Tuple(_) => "a tuple",
            Value::Function(mapping) if mapping.is_record() => "a record",
            Value::Function(_) => "a function",
            Value::Closure(closure) if closure.kind == ClosureKind::Filter => "a set",
            Value::Closure(_) => "a function",
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Truth(truth)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Value {
        Value::Number(number)
    }
}

impl From<Symbol> for Value {
    fn from(symbol: Symbol) -> Value {
        Value::Text(symbol)
    }
}
