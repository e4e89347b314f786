//! Values as TLC prints them: `{1, 2}`, `<<"a", TRUE>>`, `[f |-> 1]`, `(1 :> 2 @@ 3 :> 4)`, `1..3`.
//!
//! A set that is given by a rule is printed as its elements where these are few, as the rule where they are many or
//! without end. In messages a symbol is a mark ([`Failure::told`](crate::failure::Failure::told)) and rules
//! stay rules.

use std::fmt::{self, Display, Formatter, Write};

use evenhand_source::spend;

use super::{LazySet, MOST_ELEMENTS, Value};
use crate::failure::{Failure, Marked};
use crate::names::{Names, Symbol};

/// A value with what its names are.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    value: &'a Value,
    names: Option<&'a Names>,
}

/// Rules with fewer elements are printed as their elements.
const FEW: u128 = 2000;
/// The same for the base of a power set.
const FEW_SUBSETS: u128 = 1 << 7;
/// How many bytes of a value stand in a message.
const MOST_QUOTED: usize = 400;
/// How many bytes of a value people are told elsewhere: the text of what shares its parts has no other end.
const MOST_TOLD: usize = 1 << 18;
/// The most bytes of a text that is a value itself.
pub const MOST_TEXT: usize = MOST_ELEMENTS as usize;

impl Value {
    /// The value as TLC prints it, in one line.
    pub fn show<'a>(&'a self, names: &'a Names) -> Shown<'a> {
        Shown {
            value: self,
            names: Some(names),
        }
    }

    /// The value for a message, not too long.
    pub(crate) fn quoted(&self) -> String {
        let shown = Shown {
            value: self,
            names: None,
        };
        let (mut text, is_whole) = shown.up_to(MOST_QUOTED);
        if !is_whole {
            text.push_str("...");
        }
        text
    }

    /// The value for people, in one line: of a very long one the beginning.
    pub fn told(&self, names: &Names) -> String {
        self.told_whole(names).0
    }

    /// The same, and whether that is all of it.
    pub(crate) fn told_whole(&self, names: &Names) -> (String, bool) {
        let (mut text, is_whole) = self.show(names).up_to(MOST_TOLD);
        if !is_whole {
            text.push_str(" …");
        }
        (text, is_whole)
    }

    /// The text of the value where that is a value itself.
    ///
    /// # Errors
    /// It is too long.
    pub(crate) fn spelled(&self, names: &Names) -> Result<String, Failure> {
        match self.show(names).up_to(MOST_TEXT) {
            (text, true) => Ok(text),
            (_, false) => Err(too_long()),
        }
    }
}

/// That a text may have so many bytes: whoever makes long ones asks before.
///
/// # Errors
/// These are too many.
pub(crate) fn room_for_text(bytes: usize) -> Result<(), Failure> {
    match bytes > MOST_TEXT {
        true => Err(too_long()),
        false => Ok(()),
    }
}

#[cold]
fn too_long() -> Failure {
    Failure::limit(format!("a string has more than {MOST_TEXT} bytes"))
}

/// Text that ends where it becomes too long.
struct Short {
    text: String,
    most: usize,
}

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        spend();
        if self.text.len() + text.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

impl Shown<'_> {
    /// The text up to so many bytes, and whether that is all of it.
    fn up_to(self, most: usize) -> (String, bool) {
        let mut short = Short {
            text: String::new(),
            most,
        };
        let is_whole = write!(short, "{self}").is_ok();
        (short.text, is_whole)
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Truth(true) => f.write_str("TRUE"),
            Value::Truth(false) => f.write_str("FALSE"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(symbol) => match self.names {
                // In one piece, since a message may end in front of it.
                None => f.write_str(&format!("\"{}\"", Marked(*symbol))),
                Some(names) => write!(f, "\"{}\"", escape(names.text(*symbol))),
            },
            Value::Model(symbol, _) => self.name(*symbol, f),
            Value::Interval(low, high) if low > high => f.write_str("{}"),
            Value::Interval(low, high) => write!(f, "{low}..{high}"),
            Value::Set(elements) => self.row("{", elements.iter(), ", ", "}", f),
            Value::Tuple(values) => self.row("<<", values.iter(), ", ", ">>", f),
            Value::Function(mapping) => {
                let record = mapping.is_record();
                let (open, between, close) = match record {
                    true => ("[", ", ", "]"),
                    false => ("(", " @@ ", ")"),
                };
                f.write_str(open)?;
                for (place, (key, value)) in mapping
                    .keys()
                    .iter()
                    .zip(mapping.values().iter())
                    .enumerate()
                {
                    if place > 0 {
                        f.write_str(between)?;
                    }
                    match key {
                        Value::Text(name) if record => {
                            self.name(*name, f)?;
                            write!(f, " |-> {}", self.of(value))?;
                        }
                        _ => write!(f, "{} :> {}", self.of(key), self.of(value))?,
                    }
                }
                f.write_str(close)
            }
            Value::Lazy(rule) => match self.few(rule).and_then(|()| self.value.listing().ok()) {
                Some(listing) => write!(f, "{}", self.of(&listing)),
                None => self.rule(rule, f),
            },
            Value::Closure(closure) => {
                let what = self.value.kind();
                write!(f, "{what} on {}", self.of(&closure.domain))
            }
        }
    }
}

impl Shown<'_> {
    fn of<'a>(&'a self, value: &'a Value) -> Shown<'a> {
        Shown {
            value,
            names: self.names,
        }
    }

    fn name(&self, symbol: Symbol, f: &mut Formatter<'_>) -> fmt::Result {
        match self.names {
            None => f.write_str(&Marked(symbol).to_string()),
            Some(names) => f.write_str(names.text(symbol)),
        }
    }

    fn row<'a>(
        &self,
        open: &str,
        values: impl Iterator<Item = &'a Value>,
        between: &str,
        close: &str,
        f: &mut Formatter<'_>,
    ) -> fmt::Result {
        f.write_str(open)?;
        for (place, value) in values.enumerate() {
            if place > 0 {
                f.write_str(between)?;
            }
            write!(f, "{}", self.of(value))?;
        }
        f.write_str(close)
    }

    /// Whether a rule is printed as its elements.
    fn few(&self, rule: &LazySet) -> Option<()> {
        let most = match rule {
            _ if self.names.is_none() => return None,
            LazySet::Subsets(_) => FEW_SUBSETS,
            LazySet::Union(..)
            | LazySet::Intersection(..)
            | LazySet::Difference(..)
            | LazySet::BigUnion(_) => u128::MAX,
            _ => FEW,
        };
        let size = self.value.cardinality().ok().flatten()?;
        (size < most).then_some(())
    }

    fn rule(&self, rule: &LazySet, f: &mut Formatter<'_>) -> fmt::Result {
        match rule {
            LazySet::Naturals => f.write_str("Nat"),
            LazySet::Integers => f.write_str("Int"),
            LazySet::Reals => f.write_str("Real"),
            LazySet::Strings => f.write_str("STRING"),
            LazySet::Sequences(set) => write!(f, "Seq({})", self.of(set)),
            LazySet::Subsets(set) => match set {
                Value::Interval(low, high) if low <= high => {
                    write!(f, "SUBSET ({})", self.of(set))
                }
                _ => write!(f, "SUBSET {}", self.of(set)),
            },
            LazySet::Functions(domain, range) => {
                write!(f, "[{} -> {}]", self.of(domain), self.of(range))
            }
            LazySet::Records(fields) => {
                f.write_char('[')?;
                for (place, (name, set)) in fields.iter().enumerate() {
                    if place > 0 {
                        f.write_str(", ")?;
                    }
                    self.name(*name, f)?;
                    write!(f, ": {}", self.of(set))?;
                }
                f.write_char(']')
            }
            LazySet::Product(sets) => self.row("(", sets.iter(), " \\X ", ")", f),
            LazySet::Union(a, b) => write!(f, "{} \\cup {}", self.of(a), self.of(b)),
            LazySet::Intersection(a, b) => write!(f, "{} \\cap {}", self.of(a), self.of(b)),
            LazySet::Difference(a, b) => write!(f, "{} \\ {}", self.of(a), self.of(b)),
            LazySet::BigUnion(Value::Tuple(sets)) => {
                self.row("UNION({", sets.iter(), ", ", "})", f)
            }
            LazySet::BigUnion(sets) => write!(f, "UNION({})", self.of(sets)),
        }
    }
}

/// A text as it stands between quotation marks.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            '\u{c}' => escaped.push_str("\\f"),
            '\r' => escaped.push_str("\\r"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
