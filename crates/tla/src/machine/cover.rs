//! Which conditions and assignments were evaluated, and which were true, where somebody wants to know.

use std::collections::HashMap;

use evenhand_source::Span;

use super::Machine;
use crate::code::Code;
use crate::failure::Failure;

/// By place: whether what stands there was ever true. What was never evaluated is missing.
pub(crate) type Cover = HashMap<Span, bool>;

/// The same of what an action asks, apart from conditions that only choose between branches: by the number of the
/// action, where it has a name.
pub(crate) type Tests = HashMap<(Option<u32>, Span), bool>;

impl<'c> Machine<'c> {
    /// Notes what a condition was.
    #[inline]
    pub(super) fn cover(&mut self, span: Span, truth: bool) {
        if let Some(cover) = &mut self.covered {
            *cover.entry(span).or_default() |= truth;
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
