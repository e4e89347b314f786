//! Values, as naive as they can be: a set is an ordered list, every function is an ordered list of pairs.
//!
//! Tuples are functions on 1..n and records functions on strings, so nothing needs a second form. Sets without an end
//! have names; a function whose values are not known yet keeps its text with the names it may use.

use std::cmp::Ordering;
use std::rc::Rc;

use evenhand_tla::names::Symbol;
use evenhand_tla::syntax::ast::{Bound, Expr};

use super::names::{List, Rows};

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fail {
    /// The expression has none.
    Undefined,
    /// `Assert` says so.
    Assertion,
    /// It takes too long.
    Limit,
}

pub type Result<T> = std::result::Result<T, Fail>;

/// No value.
pub fn undefined<T>() -> Result<T> {
    Err(Fail::Undefined)
}

/// A value.
#[derive(Clone)]
pub enum V<'a> {
    Truth(bool),
    Int(i32),
    Text(Symbol),
    /// A model value, with its type.
    Model(Symbol, Option<char>),
    Set(Vec<V<'a>>),
    Map(Vec<(V<'a>, V<'a>)>),
    Naturals,
    Integers,
    Strings,
    Sequences(Box<V<'a>>),
    /// A function that is evaluated where it is applied.
    Rule(Rc<Rule<'a>>),
}

/// The text of a function.
pub struct Rule<'a> {
    /// The name that it has in its own text.
    pub own: Option<Symbol>,
    pub bounds: &'a [Bound],
    pub domains: Vec<V<'a>>,
    pub body: &'a Expr,
    pub list: List<'a>,
    pub rows: Rows<'a>,
}

impl<'a> V<'a> {
    pub fn tuple(parts: Vec<V<'a>>) -> V<'a> {
        V::Map((1..).map(V::Int).zip(parts).collect())
    }

    /// A set of these, in order and each of them once.
    pub fn set(parts: Vec<V<'a>>) -> Result<V<'a>> {
        let mut kept: Vec<V<'a>> = Vec::new();
        for part in parts {
            let mut place = 0;
            let mut known = false;
            while place < kept.len() {
                match compare(&kept[place], &part)? {
                    Ordering::Less => place += 1,
                    Ordering::Equal => {
                        known = true;
                        break;
                    }
                    Ordering::Greater => break,
                }
            }
            if !known {
                kept.insert(place, part);
            }
        }
        Ok(V::Set(kept))
    }

    /// A function of these pairs; the first of two for the same argument counts.
    pub fn map(pairs: Vec<(V<'a>, V<'a>)>) -> Result<V<'a>> {
        let mut kept: Vec<(V<'a>, V<'a>)> = Vec::new();
        for (key, value) in pairs {
            let mut place = 0;
            let mut known = false;
            while place < kept.len() {
                match compare(&kept[place].0, &key)? {
                    Ordering::Less => place += 1,
                    Ordering::Equal => {
                        known = true;
                        break;
                    }
                    Ordering::Greater => break,
                }
            }
            if !known {
                kept.insert(place, (key, value));
            }
        }
        Ok(V::Map(kept))
    }

    pub fn truth(&self) -> Result<bool> {
        match self {
            V::Truth(truth) => Ok(*truth),
            _ => undefined(),
        }
    }

    pub fn int(&self) -> Result<i32> {
        match self {
            V::Int(number) => Ok(*number),
            _ => undefined(),
        }
    }

    /// The elements of a finite set.
    pub fn elements(&self) -> Result<&[V<'a>]> {
        match self {
            V::Set(elements) => Ok(elements),
            _ => undefined(),
        }
    }

    /// The elements of a sequence.
    pub fn sequence(&self) -> Result<Vec<V<'a>>> {
        let V::Map(pairs) = self else {
            return undefined();
        };
        for (number, (key, _)) in (1..).zip(pairs) {
            if !matches!(key, V::Int(found) if *found == number) {
                return undefined();
            }
        }
        Ok(pairs.iter().map(|(_, value)| value.clone()).collect())
    }

    fn is_set(&self) -> bool {
        matches!(
            self,
            V::Set(_) | V::Naturals | V::Integers | V::Strings | V::Sequences(_)
        )
    }

    /// Whether a value is an element.
    pub fn contains(&self, value: &V<'a>) -> Result<bool> {
        match (self, value) {
            (V::Set(elements), _) => {
                for element in elements {
                    if equal(element, value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (V::Naturals, V::Int(number)) => Ok(*number >= 0),
            (V::Integers, V::Int(_)) | (V::Strings, V::Text(_)) => Ok(true),
            (V::Naturals | V::Integers | V::Strings, V::Model(_, None)) => Ok(false),
            (V::Sequences(set), V::Map(_)) => {
                let Ok(parts) = value.sequence() else {
                    return Ok(false);
                };
                for part in &parts {
                    if !set.contains(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => undefined(),
        }
    }
}

/// Whether two values are equal, where they can be compared.
pub fn equal(a: &V<'_>, b: &V<'_>) -> Result<bool> {
    match (a, b) {
        (V::Model(a, s), V::Model(b, t)) if s.is_none() || t.is_none() || s == t => Ok(a == b),
        (V::Model(_, None), _) | (_, V::Model(_, None)) => Ok(false),
        (V::Set(a), V::Set(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            equal_lists(a.iter(), b.iter())
        }
        (V::Map(a), V::Map(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            let same = equal_lists(a.iter().map(|p| &p.0), b.iter().map(|p| &p.0))?;
            Ok(same && equal_lists(a.iter().map(|p| &p.1), b.iter().map(|p| &p.1))?)
        }
        (V::Truth(a), V::Truth(b)) => Ok(a == b),
        (V::Int(a), V::Int(b)) => Ok(a == b),
        (V::Text(a), V::Text(b)) => Ok(a == b),
        (V::Naturals, V::Naturals) | (V::Integers, V::Integers) | (V::Strings, V::Strings) => {
            Ok(true)
        }
        (V::Naturals, V::Integers) | (V::Integers, V::Naturals) => Ok(false),
        (V::Sequences(a), V::Sequences(b)) => equal(a, b),
        (a, b) if a.is_set() && b.is_set() => undefined(),
        _ => undefined(),
    }
}

fn equal_lists<'v, 'a: 'v>(
    a: impl Iterator<Item = &'v V<'a>>,
    b: impl Iterator<Item = &'v V<'a>>,
) -> Result<bool> {
    for (a, b) in a.zip(b) {
        if !equal(a, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Which of two values comes first: by size, then part by part.
pub fn compare(a: &V<'_>, b: &V<'_>) -> Result<Ordering> {
    match (a, b) {
        (V::Truth(a), V::Truth(b)) => Ok(a.cmp(b)),
        (V::Int(a), V::Int(b)) => Ok(a.cmp(b)),
        (V::Text(a), V::Text(b)) => Ok(a.cmp(b)),
        (V::Model(a, s), V::Model(b, t)) if s.is_none() || t.is_none() || s == t => Ok(a.cmp(b)),
        (V::Model(_, None), _) => Ok(Ordering::Less),
        (_, V::Model(_, None)) => Ok(Ordering::Greater),
        (V::Set(a), V::Set(b)) => {
            if a.len() != b.len() {
                return Ok(a.len().cmp(&b.len()));
            }
            compare_lists(a.iter(), b.iter())
        }
        (V::Map(a), V::Map(b)) => {
            if a.len() != b.len() {
                return Ok(a.len().cmp(&b.len()));
            }
            let keys = compare_lists(a.iter().map(|p| &p.0), b.iter().map(|p| &p.0))?;
            match keys {
                Ordering::Equal => compare_lists(a.iter().map(|p| &p.1), b.iter().map(|p| &p.1)),
                _ => Ok(keys),
            }
        }
        _ => undefined(),
    }
}

fn compare_lists<'v, 'a: 'v>(
    a: impl Iterator<Item = &'v V<'a>>,
    b: impl Iterator<Item = &'v V<'a>>,
) -> Result<Ordering> {
    for (a, b) in a.zip(b) {
        let order = compare(a, b)?;
        if order != Ordering::Equal {
            return Ok(order);
        }
    }
    Ok(Ordering::Equal)
}

/// A value as text, the same for equal ones.
pub fn told(value: &V<'_>, name: &dyn Fn(Symbol) -> String) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match value {
        V::Truth(true) => "TRUE".to_string(),
        V::Truth(false) => "FALSE".to_string(),
        V::Int(number) => number.to_string(),
        V::Text(text) => format!("\"{}\"", name(*text)),
        V::Model(model, _) => name(*model),
        V::Set(parts) => format!(
            "{{{}}}",
            list(parts.iter().map(|p| told(p, name)).collect())
        ),
        V::Map(pairs) => match value.sequence() {
            Ok(parts) => format!(
                "<<{}>>",
                list(parts.iter().map(|p| told(p, name)).collect())
            ),
            Err(_) => {
                let pair = |(key, value): &(V<'_>, V<'_>)| {
                    format!("{} :> {}", told(key, name), told(value, name))
                };
                format!(
                    "({})",
                    pairs.iter().map(pair).collect::<Vec<_>>().join(" @@ ")
                )
            }
        },
        V::Naturals => "Nat".to_string(),
        V::Integers => "Int".to_string(),
        V::Strings => "STRING".to_string(),
        V::Sequences(set) => format!("Seq({})", told(set, name)),
        V::Rule(_) => "[...]".to_string(),
    }
}
