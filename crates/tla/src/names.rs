//! Names and strings as numbers, in the order in which they are met first.
//!
//! TLC compares strings and model values by the place of their first occurrence in the run: those of the
//! configuration come first, then the tokens of the root module, then those of the other modules in the order
//! in which they are read, identifiers included. `CHOOSE` takes the least value, so this order decides how many
//! states there are. It is fixed when everything is read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::blocks::Blocks;

/// A name or a string. The order of symbols is the order of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl Symbol {
    /// Its place in the order.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names and strings that were met.
#[derive(Debug, Default)]
pub struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Symbol>,
    /// Strings that were made while expressions were evaluated; they come behind all others.
    late: Mutex<HashMap<Arc<str>, Symbol>>,
    late_texts: Blocks<Arc<str>>,
}

impl Clone for Names {
    /// The names that were read.
    fn clone(&self) -> Names {
        Names {
            texts: self.texts.clone(),
            numbers: self.numbers.clone(),
            late: Mutex::default(),
            late_texts: Blocks::default(),
        }
    }
}

impl Names {
    /// None yet.
    pub fn new() -> Names {
        Names::default()
    }

    /// The symbol of a text, a new one if it was never met.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.numbers.get(text) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, symbol);
        symbol
    }

    /// The symbol of a string that an expression makes.
    pub fn intern_late(&self, text: &str) -> Symbol {
        if let Some(&symbol) = self.numbers.get(text) {
            return symbol;
        }
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&symbol) = late.get(text) {
            return symbol;
        }
        let number = u32::try_from(late.len()).unwrap_or(u32::MAX);
        let symbol = Symbol(self.first_late().saturating_add(number));
        let text: Arc<str> = text.into();
        self.late_texts.put(number, text.clone());
        late.insert(text, symbol);
        symbol
    }

    /// How many strings expressions have made.
    pub fn late_len(&self) -> usize {
        let late = self.late.lock();
        late.unwrap_or_else(PoisonError::into_inner).len()
    }

    fn first_late(&self) -> u32 {
        u32::try_from(self.texts.len()).unwrap_or(u32::MAX)
    }

    /// The symbol of a text that was met.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.numbers.get(text).copied()
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        match self.texts.get(symbol.index()) {
            Some(text) => text,
            None => {
                let number = symbol.0.saturating_sub(self.first_late());
                self.late_texts.get(number).map_or("", |text| text)
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
