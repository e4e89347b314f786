//! Formulas of linear time by themselves: what they say, and automata for their words.
//!
//! No model is needed; atoms are names. A formula that cannot be read is rejected with its text, so that
//! a diagnostic shows the place; what grows too large is a limit and nothing wrong.

use std::fmt;

use evenhand_automata::facts::{Comparison, Facts, FactsError, facts};
use evenhand_automata::reduce::{ReduceLimits, reduce};
use evenhand_automata::translate::{Options, TranslateError, translate as translated};
use evenhand_automata::{Automaton, DegeneralizeError, degeneralize};
use evenhand_logic::{FormulaId, Formulas, Names, Place, Spelling, parse_with, print};
use evenhand_source::{Diagnostic, FileId, Files, Span};
use evenhand_system::Rejected;

/// Why nothing can be said about formulas.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FormulaError {
    /// A text is no formula of linear time.
    Wrong(Rejected),
    /// It would become too large: what, in words.
    Limit(String),
    /// A defect of this tool.
    Internal(String),
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormulaError::Wrong(rejected) => rejected.fmt(f),
            FormulaError::Limit(text) | FormulaError::Internal(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for FormulaError {}

impl From<DegeneralizeError> for FormulaError {
    fn from(error: DegeneralizeError) -> FormulaError {
        FormulaError::Limit(error.to_string())
    }
}

/// What formulas say, and how the others stand to the first.
///
/// ```
/// let (facts, comparisons) = evenhand::formula_facts(&["F G p", "G F p"])?;
/// assert_eq!(facts[0].class, "persistence");
/// assert!(comparisons[0].first_only.is_none() && comparisons[0].other_only.is_some());
/// # Ok::<(), evenhand::FormulaError>(())
/// ```
///
/// # Errors
/// If a text is no formula of linear time, or a limit is reached.
pub fn formula_facts<T: AsRef<str>>(
    texts: &[T],
) -> Result<(Vec<Facts>, Vec<Comparison>), FormulaError> {
    let (mut store, mut files) = (Formulas::new(), Files::new());
    let (mut formulas, mut diagnostics) = (Vec::new(), Vec::new());
    for (number, text) in texts.iter().enumerate() {
        let file = files.add(format!("formula {}", number + 1), text.as_ref().to_string());
        match linear(&mut store, text.as_ref(), file) {
            Ok(formula) => formulas.push(formula),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if !diagnostics.is_empty() {
        return Err(FormulaError::Wrong((files, diagnostics).into()));
    }
    facts(&mut store, &formulas).map_err(|error| match error {
        FactsError::Limit(text) => FormulaError::Limit(text),
        FactsError::Internal(text) => FormulaError::Internal(text),
    })
}

/// Which condition an automaton has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutomatonKind {
    /// Sets of marks, of each of which one is seen again and again.
    #[default]
    Tgba,
    /// One such set.
    Buchi,
    /// Pairs besides: where a request is seen again and again, so is its grant.
    Streett,
}

/// An automaton for the words of a formula, of at most so many edges.
///
/// ```
/// use evenhand::AutomatonKind;
///
/// let automaton = evenhand::translate("[] <> p", AutomatonKind::Buchi, 100)?;
/// assert_eq!(automaton.mark_count(), 1);
/// # Ok::<(), evenhand::FormulaError>(())
/// ```
///
/// # Errors
/// If the text is no formula of linear time, or a limit is reached.
pub fn translate(
    text: &str,
    kind: AutomatonKind,
    most_edges: usize,
) -> Result<Automaton, FormulaError> {
    let (mut store, mut files) = (Formulas::new(), Files::new());
    let file = files.add("formula", text.to_string());
    let formula = match linear(&mut store, text, file) {
        Ok(formula) => formula,
        Err(diagnostic) => return Err(FormulaError::Wrong((files, vec![diagnostic]).into())),
    };
    let options = match kind {
        AutomatonKind::Streett => Options::streett(),
        AutomatonKind::Tgba | AutomatonKind::Buchi => Options::default(),
    };
    let translation = translated(&mut store, formula, &options)
        .map_err(|error| FormulaError::Limit(error.to_string()))?;
    let mut builder = translation.automaton.to_builder();
    builder.name = Some(print(&store, formula, Spelling::Spot));
    let automaton = builder.build();
    if kind != AutomatonKind::Buchi {
        return Ok(automaton);
    }
    let small = degeneralize(&automaton, most_edges)?;
    // A condition that became trivial gets its mark back.
    let small = reduce(&small, &ReduceLimits::default());
    Ok(degeneralize(&small, most_edges)?)
}

/// A formula of linear time.
fn linear(store: &mut Formulas, text: &str, file: FileId) -> Result<FormulaId, Diagnostic> {
    let place = Place { file, start: 0 };
    let formula = parse_with(store, text, Spelling::Any, place, &mut Names)?;
    match store.properties(formula).has_quantifier() {
        true => {
            let span = Span::new(file, 0, text.len());
            Err(Diagnostic::error(
                span,
                TranslateError::NotLinear.to_string(),
            ))
        }
        false => Ok(formula),
    }
}
