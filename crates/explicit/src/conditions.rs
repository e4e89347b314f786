//! Conditions on states, looked at beside a search for errors: one pass answers both.
//!
//! What is known of a state is its letter: which propositions hold, and which have no value. Conditions depend on nothing
//! else, so each letter is looked at once, when the first state with it is expanded; breadth-first that is a nearest one.

use evenhand_system::{Explorer, Fault, Formula, PropositionId};

use crate::invariants::holds_by_letter;
use crate::search::Stop;
use crate::store::{PlainStore, StateId, Store};

/// Conditions that every state should satisfy, and which ones fail where.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    formulas: Vec<Formula>,
    /// The propositions that they are about, each once.
    pub propositions: Vec<PropositionId>,
    letters: PlainStore,
    /// How many letters were looked at.
    looked: usize,
    /// For each condition, the first state that breaks it.
    pub broken: Vec<Option<StateId>>,
    /// Whether nobody knows if it holds in some state.
    pub undecided: Vec<bool>,
    /// Why propositions have no value: the first state of each.
    pub failures: Vec<(PropositionId, Fault)>,
    /// Which of the failures somebody has heard of.
    pub told: Vec<bool>,
    letter: Vec<u8>,
}

impl Conditions {
    pub fn new(formulas: Vec<Formula>) -> Conditions {
        let mut propositions: Vec<PropositionId> = Vec::new();
        for proposition in formulas.iter().flat_map(Formula::reads) {
            if !propositions.contains(&proposition) {
                propositions.push(proposition);
            }
        }
        let count = formulas.len();
        Conditions {
            formulas,
            propositions,
            broken: vec![None; count],
            undecided: vec![false; count],
            told: vec![false; count],
            ..Conditions::default()
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.formulas.is_empty()
    }

    /// Whether some may still fail somewhere.
    pub fn is_open(&self) -> bool {
        self.broken.iter().any(Option::is_none)
    }

    /// The letter of a state. Its bits come first, behind them those of missing values if there are any.
    pub fn evaluate(&mut self, explorer: &mut dyn Explorer, state: &[u8]) -> Result<u32, Stop> {
        let mut letter = std::mem::take(&mut self.letter);
        let propositions = std::mem::take(&mut self.propositions);
        write_letter(explorer, &propositions, state, &mut letter, |failure| {
            self.fail(failure)
        });
        (self.letter, self.propositions) = (letter, propositions);
        Ok(self.letters.insert(&self.letter)?.0.number())
    }

    /// The number of a letter that somebody else has met.
    pub fn adopt(&mut self, letter: &[u8]) -> Result<u32, Stop> {
        Ok(self.letters.insert(letter)?.0.number())
    }

    /// A proposition has no value.
    pub fn fail(&mut self, failure: (PropositionId, Fault)) {
        if !self.failures.iter().any(|(known, _)| *known == failure.0) {
            self.failures.push(failure);
        }
    }

    /// A state of this letter is expanded; whether a condition fails that did not fail before.
    #[inline]
    pub fn look(&mut self, letter: u32, state: StateId) -> bool {
        match (letter as usize) < self.looked {
            true => false,
            false => self.look_at(letter, state),
        }
    }

    fn look_at(&mut self, letter: u32, state: StateId) -> bool {
        self.looked = letter as usize + 1;
        let bytes = self.letters.get(StateId::new(letter));
        let len = self.propositions.len().div_ceil(8);
        let bit = |first: usize, index: usize| {
            let byte = bytes.get(first + index / 8);
            byte.is_some_and(|byte| byte >> (index % 8) & 1 == 1)
        };
        let value = |proposition: PropositionId| {
            let index = self.propositions.iter().position(|&p| p == proposition)?;
            (!bit(len, index)).then(|| bit(0, index))
        };
        let mut is_new = false;
        for (number, formula) in self.formulas.iter().enumerate() {
            if self.broken[number].is_some() {
                continue;
            }
            match holds_by_letter(formula, &value) {
                Some(true) => {}
                Some(false) => {
                    self.broken[number] = Some(state);
                    is_new = true;
                }
                None => self.undecided[number] = true,
            }
        }
        is_new
    }
}

/// Writes the letter of a state: a bit for each proposition that holds. Behind them are those of missing values, if there
/// are any; why they are missing is told.
pub(crate) fn write_letter(
    explorer: &mut dyn Explorer,
    propositions: &[PropositionId],
    state: &[u8],
    letter: &mut Vec<u8>,
    mut fail: impl FnMut((PropositionId, Fault)),
) {
    let len = propositions.len().div_ceil(8);
    letter.clear();
    letter.resize(len, 0);
    for (index, &proposition) in propositions.iter().enumerate() {
        let (byte, bit) = (index / 8, 1 << (index % 8));
        match explorer.holds(proposition, state) {
            Ok(true) => letter[byte] |= bit,
            Ok(false) => {}
            Err(fault) => {
                letter.resize(2 * len, 0);
                letter[len + byte] |= bit;
                fail((proposition, fault));
            }
        }
    }
}
