//! What a formula of linear time says.
//!
//! Satisfiable: the automaton of the formula has an accepting run, whose word is a model. Valid: the
//! negation has none. Equivalent: neither formula holds on a word on which the other does not. Every
//! word that is shown was judged by the evaluator, which shares nothing with the translation.

use std::fmt;

use evenhand_logic::{
    AtomId, FormulaId, Formulas, Lasso, Spelling, evaluate, print as print_formula, simplify,
};

use crate::emptiness::{accepting_core_within, check_lasso, lasso_through};
use crate::translate::{Options, class, is_stutter_invariant, translate};
use crate::{Automaton, LassoWord, Letter, Prop};

/// A word with the automaton that names its propositions.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The automaton.
    pub automaton: Automaton,
    /// The word.
    pub word: LassoWord,
}

/// Why it is not known what a formula says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactsError {
    /// A limit was reached.
    Limit(String),
    /// A word failed its judge: a defect of this tool.
    Internal(String),
}

impl fmt::Display for FactsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactsError::Limit(message) | FactsError::Internal(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for FactsError {}

/// What a formula says.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The formula.
    pub text: String,
    /// The same, simplified.
    pub simplified: String,
    /// Its class in the hierarchy: that of what it says, if [exact](Facts::class_is_exact), and otherwise one that
    /// its syntax shows.
    pub class: &'static str,
    /// Whether no lower class would do.
    pub class_is_exact: bool,
    /// Whether repeating a letter makes no difference; `None`: not decided.
    pub stutter_invariant: Option<bool>,
    /// A word that satisfies it, if one does.
    pub model: Option<Witness>,
    /// A word that does not, if one does not.
    pub counterexample: Option<Witness>,
}

/// The first formula beside a further one.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Satisfies the first alone.
    pub first_only: Option<Witness>,
    /// Satisfies the other alone.
    pub other_only: Option<Witness>,
}

impl Comparison {
    /// Whether both are satisfied by the same words.
    pub fn equivalent(&self) -> bool {
        self.first_only.is_none() && self.other_only.is_none()
    }
}

/// What formulas say, and how the others stand to the first.
///
/// # Errors
/// If a limit is reached.
pub fn facts(
    store: &mut Formulas,
    formulas: &[FormulaId],
) -> Result<(Vec<Facts>, Vec<Comparison>), FactsError> {
    let mut facts = Vec::new();
    for &f in formulas {
        let not = store.not(f);
        let simplified = simplify(store, f);
        // Too expensive to decide is no failure: the answer is left open.
        let exact = class(store, f, &Options::default()).unwrap_or(None);
        let shown = store.properties(simplified).class();
        let stutter_invariant = is_stutter_invariant(store, f, &Options::default()).unwrap_or(None);
        facts.push(Facts {
            text: print_formula(store, f, Spelling::Spot),
            simplified: print_formula(store, simplified, Spelling::Spot),
            class: exact.unwrap_or(shown).name(),
            class_is_exact: exact.is_some(),
            stutter_invariant,
            model: model(store, f)?,
            counterexample: model(store, not)?,
        });
    }
    let mut comparisons = Vec::new();
    for &g in formulas.iter().skip(1) {
        let f = formulas[0];
        let (not_f, not_g) = (store.not(f), store.not(g));
        let first_only = store.and([f, not_g]);
        let other_only = store.and([not_f, g]);
        comparisons.push(Comparison {
            first_only: model(store, first_only)?,
            other_only: model(store, other_only)?,
        });
    }
    Ok((facts, comparisons))
}

/// Searches for components that the check may cost.
const SPLITS: usize = 10_000_000;

/// A word that satisfies a formula.
fn model(store: &mut Formulas, f: FormulaId) -> Result<Option<Witness>, FactsError> {
    let translation = translate(store, f, &Options::streett())
        .map_err(|error| FactsError::Limit(error.to_string()))?;
    let automaton = translation.automaton;
    let core = accepting_core_within(&automaton, SPLITS)
        .map_err(|limit| FactsError::Limit(limit.to_string()))?;
    let Some(core) = core else {
        return Ok(None);
    };
    let run = lasso_through(&automaton, &core)
        .filter(|lasso| check_lasso(&automaton, lasso).is_ok())
        .ok_or_else(|| FactsError::Internal("an accepting run failed its replay".into()))?;
    let word = run.word();
    match satisfies(store, f, &automaton, &word) {
        true => Ok(Some(Witness { automaton, word })),
        false => {
            let text = print_formula(store, f, Spelling::Spot);
            let message = format!("internal error: a word does not satisfy {text}; please report");
            Err(FactsError::Internal(message))
        }
    }
}

fn satisfies(store: &Formulas, f: FormulaId, automaton: &Automaton, word: &LassoWord) -> bool {
    let letters: Vec<&Letter> = word.prefix.iter().chain(&word.cycle).collect();
    let shape = Lasso {
        prefix: word.prefix.len(),
        cycle: word.cycle.len(),
    };
    let props: Vec<Option<usize>> = (store.atoms())
        .map(|(_, atom)| automaton.props().iter().position(|p| *p == atom.text))
        .collect();
    let holds = |position: usize, atom: AtomId| {
        let prop = props.get(atom.index()).copied().flatten();
        prop.is_some_and(|p| letters[position].holds(Prop::new(p)))
    };
    evaluate(store, f, shape, &holds) == Ok(true)
}
