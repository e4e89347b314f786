//! How often expressions were evaluated, and how often they were true, where somebody wants to know.
//!
//! Counted is what conditions, assignments, quantifiers, sets, functions, `IF` and `CASE`, and definitions evaluate. Whoever does not
//! look pays for one comparison at each of these.

use std::collections::HashMap;

use evenhand_source::Span;

use super::Machine;
use crate::code::Code;
use crate::failure::Failure;

/// By place, how often what stands there was evaluated. What never was is missing.
pub(crate) type Cover = HashMap<Span, Times>;

/// How often an expression was evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    pub evaluated: u64,
    /// How often it was true, or had a value that is no truth.
    pub met: u64,
}

impl std::ops::AddAssign for Times {
    fn add_assign(&mut self, other: Times) {
        self.evaluated += other.evaluated;
        self.met += other.met;
    }
}

/// The same of what an action asks, apart from conditions that only choose between branches: by the number of the
/// action, where it has a name.
pub(crate) type Tests = HashMap<(Option<u32>, Span), bool>;

impl<'c> Machine<'c> {
    /// Notes what a condition was.
    #[inline]
    pub(super) fn cover(&mut self, span: Span, truth: bool) {
        if self.covered.is_some() {
            self.count(span, truth);
        }
    }

    #[cold]
    #[inline(never)]
    fn count(&mut self, span: Span, truth: bool) {
        if let Some(cover) = &mut self.covered {
            *cover.entry(span).or_default() += Times {
                evaluated: 1,
                met: u64::from(truth),
            };
        }
    }

    /// Whether what an action asks is true.
    #[inline]
    pub(super) fn test(&mut self, code: &'c Code, base: usize) -> Result<bool, Failure> {
        let truth = self.condition(code, base)?;
        if self.covered.is_some()
            && let Some(tests) = &mut self.tests
        {
            let action = self.action.map(|(action, ..)| action);
            *tests.entry((action, code.span)).or_default() |= truth;
        }
        Ok(truth)
    }

    /// Whether a condition is true, which coverage is about.
    #[inline]
    pub(super) fn condition(&mut self, code: &'c Code, base: usize) -> Result<bool, Failure> {
        let truth = self.truth(code, base)?;
        self.cover(code.span, truth);
        Ok(truth)
    }
}
