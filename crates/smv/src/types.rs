//! The types of expressions and how they are converted into each other.
//!
//! As in NuSMV the type of an expression says less than the declaration of a variable: all ranges
//! and enumerations of numbers are `integer`, all enumerations of names are one symbolic type. Sets
//! have types of their own and stand only where a choice may stand. What is converted without being
//! asked: integers and symbols to enumerations of both, values to sets of one element. Whether a
//! value fits the variable it is assigned to is no question of types (`lower/verify.rs`).

use std::fmt;

use evenhand_system::relation::Word;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Truth values.
    Boolean,
    /// Numbers.
    Integer,
    /// Names.
    Symbolic,
    /// Names and numbers.
    Mixed,
    /// Words.
    Word(Word),
    /// Sets of truth values.
    BooleanSet,
    /// Sets of numbers.
    IntegerSet,
    /// Sets of names.
    SymbolicSet,
    /// Sets of anything.
    MixedSet,
    /// Arrays: least and greatest index, and the type of the elements.
    Array(i64, i64, Box<Type>),
}

impl Type {
    /// Whether it is one of the set types.
    pub fn is_set(&self) -> bool {
        use Type::{BooleanSet, IntegerSet, MixedSet, SymbolicSet};
        matches!(self, BooleanSet | IntegerSet | SymbolicSet | MixedSet)
    }

    /// The type of sets of such values.
    pub fn to_set(&self) -> Option<Type> {
        Some(match self {
            Type::Boolean => Type::BooleanSet,
            Type::Integer => Type::IntegerSet,
            Type::Symbolic => Type::SymbolicSet,
            Type::Mixed => Type::MixedSet,
            set if set.is_set() => set.clone(),
            _ => return None,
        })
    }

    /// The type of the elements of a set; other types stay.
    pub fn from_set(&self) -> Type {
        match self {
            Type::BooleanSet => Type::Boolean,
            Type::IntegerSet => Type::Integer,
            Type::SymbolicSet => Type::Symbolic,
            Type::MixedSet => Type::Mixed,
            other => other.clone(),
        }
    }

    /// The type itself if values of `other` are converted to it.
    pub fn accept(&self, other: &Type) -> Option<Type> {
        match (self, other) {
            (a, b) if a == b => Some(a.clone()),
            (Type::Mixed, Type::Integer | Type::Symbolic) => Some(Type::Mixed),
            (Type::MixedSet, set) if set.is_set() => Some(Type::MixedSet),
            (Type::Array(low, high, a), Type::Array(l, h, b)) if (low, high) == (l, h) => {
                let element = a.accept(b)?;
                Some(Type::Array(*low, *high, Box::new(element)))
            }
            _ => None,
        }
    }

    /// The one of two types that the other is converted to.
    pub fn greater(&self, other: &Type) -> Option<Type> {
        self.accept(other).or_else(|| other.accept(self))
    }

    /// The least type that both are converted to.
    pub fn common(&self, other: &Type) -> Option<Type> {
        use Type::{Array, Integer, Mixed, MixedSet, Symbolic};
        match (self, other) {
            (a, b) if a == b => Some(a.clone()),
            (Integer | Symbolic | Mixed, Integer | Symbolic | Mixed) => Some(Mixed),
            (Array(low, high, a), Array(l, h, b)) if (low, high) == (l, h) => {
                let element = a.common(b)?;
                Some(Array(*low, *high, Box::new(element)))
            }
            (a, b) if a.is_set() && b.is_set() => Some(MixedSet),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Boolean => f.write_str("boolean"),
            Type::Integer => f.write_str("integer"),
            Type::Symbolic => f.write_str("symbolic enumeration"),
            Type::Mixed => f.write_str("enumeration of symbols and integers"),
            Type::Word(word) => {
                let sign = if word.signed { "signed" } else { "unsigned" };
                write!(f, "{sign} word[{}]", word.bits)
            }
            Type::BooleanSet => f.write_str("set of booleans"),
            Type::IntegerSet => f.write_str("set of integers"),
            Type::SymbolicSet => f.write_str("set of symbols"),
            Type::MixedSet => f.write_str("set of symbols and integers"),
            Type::Array(low, high, element) => write!(f, "array {low}..{high} of {element}"),
        }
    }
}
