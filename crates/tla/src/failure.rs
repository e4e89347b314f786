//! Why an expression has no value.

use std::fmt;

use evenhand_source::Span;

use crate::names::{Names, Symbol};

/// An expression that has no value, or none that can be computed. Small, since it is the rare half of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub Box<Problem>);

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its kind.
    pub kind: FailureKind,
    /// What people read, once [`Failure::told`] has put names in: a symbol stands between two marks, since
    /// values know no names.
    pub message: String,
    /// The innermost expression that is to blame, once it is known.
    pub span: Option<Span>,
}

/// Kinds of failures that are treated differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The expression has no value.
    Undefined,
    /// `Assert` was called with FALSE.
    Assertion,
    /// Too large or too deep: a limit, no verdict.
    Limit,
}

impl Failure {
    /// An expression has no value.
    #[cold]
    pub fn new(message: impl Into<String>) -> Failure {
        Failure::of(FailureKind::Undefined, message)
    }

    /// Something is too large.
    #[cold]
    pub fn limit(message: impl Into<String>) -> Failure {
        Failure::of(FailureKind::Limit, message)
    }

    /// A failure of some kind.
    #[cold]
    pub fn of(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure(Box::new(Problem {
            kind,
            message: message.into(),
            span: None,
        }))
    }

    /// Whether it says nothing about the expression: a limit was met.
    pub fn is_limit(&self) -> bool {
        self.0.kind == FailureKind::Limit
    }

    /// The same for a limit alone: what an action leads to may have other failures, which are not to be blamed on it.
    #[must_use]
    #[cold]
    pub fn limit_at(self, span: Span) -> Failure {
        match self.is_limit() {
            true => self.at(span),
            false => self,
        }
    }

    /// With the place of the expression, unless a smaller one is known.
    #[must_use]
    #[cold]
    pub fn at(mut self, span: Span) -> Failure {
        self.0.span.get_or_insert(span);
        self
    }
}

impl Failure {
    /// The message with the names of all symbols in it.
    pub fn told(&self, names: &Names) -> String {
        tell(&self.0.message, Some(names))
    }
}

/// What stands before and after the number of a symbol in a message: characters that no text has.
const BEFORE: char = '\u{10fffe}';
const AFTER: char = '\u{10ffff}';

/// A symbol as it stands in a message.
pub(crate) struct Marked(pub Symbol);

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BEFORE}{}{AFTER}", self.0.0)
    }
}

/// A message with names in the place of marks, or numbers where there are no names.
fn tell(message: &str, names: Option<&Names>) -> String {
    let mut parts = message.split(BEFORE);
    let mut told = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (number, rest) = part.split_once(AFTER).unwrap_or((part, ""));
        match (number.parse(), names) {
            (Ok(number), Some(names)) => told.push_str(names.text(Symbol(number))),
            _ => {
                told.push('#');
                told.push_str(number);
            }
        }
        told.push_str(rest);
    }
    told
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&tell(&self.0.message, None))
    }
}
