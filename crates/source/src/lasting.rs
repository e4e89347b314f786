//! Texts that last as long as the program: small things that are copied all the time can have words.
//!
//! Run-time errors are values of loops that run a million times a second, so they hold nothing that would have to be freed. What
//! they say, where that is more than a kind, is kept here once, for good. There are few different ones: a search ends
//! at the first, and beyond a bound they all say the same.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A text that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lasting(&'static str);

/// How many different texts are kept.
const MOST: usize = 1 << 14;

static TEXTS: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);

impl Lasting {
    /// A text that is there anyway.
    pub const fn known(text: &'static str) -> Lasting {
        Lasting(text)
    }

    /// Keeps a text.
    pub fn new(text: &str) -> Lasting {
        let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = texts.get_or_insert_default();
        if let Some(known) = texts.get(text) {
            return Lasting(known);
        }
        if texts.len() >= MOST {
            return Lasting("an expression has no value");
        }
        let kept: &'static str = Box::leak(text.into());
        texts.insert(kept);
        Lasting(kept)
    }

    /// The text.
    pub fn text(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Lasting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Lasting;

    #[test]
    fn equal_texts_are_kept_once() {
        let (one, two) = (Lasting::new("one"), Lasting::new(&String::from("one")));
        assert_eq!(one, two);
        assert!(std::ptr::eq(one.text(), two.text()));
        assert_ne!(one, Lasting::new("other"));
    }
}
