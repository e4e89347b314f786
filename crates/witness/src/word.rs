//! The letters of a run, for the judge: what holds in each of its states.
//!
//! A proposition may have no value in a state. A run that breaks a property breaks it whatever such
//! values would be, so the property is evaluated for all of them. That is 2^n words where n values
//! are missing; of more than [`MOST`], some get their values together.

use evenhand_source::budget::spend_many;
use evenhand_source::spend;
use evenhand_system::{Explorer, PropositionId};

/// How many missing values get theirs independently of each other.
const MOST: usize = 10;

/// What holds along a run.
pub(crate) struct Letters {
    /// For each state and proposition; none where there is no value.
    known: Vec<Vec<Option<bool>>>,
    /// What is wrong with the expressions that have no value, each once.
    faults: Vec<String>,
}

impl Letters {
    /// What holds of some propositions in the states of a run.
    pub fn new<'s>(
        explorer: &mut (dyn Explorer + '_),
        states: impl Iterator<Item = &'s [u8]>,
        propositions: &[PropositionId],
    ) -> Letters {
        let mut letters = Letters {
            known: Vec::new(),
            faults: Vec::new(),
        };
        for (position, state) in states.enumerate() {
            spend();
            let mut known = Vec::with_capacity(propositions.len());
            for &proposition in propositions {
                let value = explorer.holds(proposition, state);
                if let Err(fault) = &value {
                    let text = format!("an expression of it has no value ({})", fault.kind);
                    letters.fail(position, &text);
                }
                known.push(value.ok());
            }
            letters.known.push(known);
        }
        letters
    }

    fn fail(&mut self, position: usize, text: &str) {
        if self.faults.iter().any(|known| known.ends_with(text)) {
            return;
        }
        self.faults.push(match position {
            0 => format!("initially, {text}"),
            _ => format!("after step {position}, {text}"),
        });
    }

    /// Whether [`Letters::always`] tries all values.
    pub fn are_few(&self) -> bool {
        self.missing() <= MOST
    }

    fn missing(&self) -> usize {
        self.known.iter().flatten().filter(|v| v.is_none()).count()
    }

    /// Whether something is true of the letters whatever the missing values are.
    pub fn always(&self, mut test: impl FnMut(&[Vec<bool>]) -> bool) -> bool {
        let words = 1u32 << self.missing().min(MOST);
        (0..words).all(|word| {
            spend_many(self.known.len());
            test(&self.filled(word))
        })
    }

    /// The letters with some values in the place of missing ones.
    pub fn filled(&self, word: u32) -> Vec<Vec<bool>> {
        let mut number = 0;
        let mut value = |known: &Option<bool>| {
            known.unwrap_or_else(|| {
                number += 1;
                word >> ((number - 1) % MOST) & 1 == 1
            })
        };
        let letters = self.known.iter();
        letters
            .map(|letter| letter.iter().map(&mut value).collect())
            .collect()
    }

    /// What there is to say about missing values.
    pub fn remarks(&self) -> impl Iterator<Item = String> + '_ {
        let faults = self.faults.iter();
        faults.map(|fault| format!("{fault}, but the property is broken anyway"))
    }
}
