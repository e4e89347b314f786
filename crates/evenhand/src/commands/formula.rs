//! `evenhand formula`: what a formula says.
//!
//! Satisfiable: the automaton of the formula has an accepting run, whose word is a model. Valid: the
//! negation has none. Equivalent: neither formula holds on a word on which the other does not. Every
//! word that is shown was judged by the evaluator, which shares nothing with the translation.

use evenhand_automata::emptiness::{accepting_core_within, check_lasso, lasso_through};
use evenhand_automata::translate::{Options, TranslateError, is_stutter_invariant, translate};
use evenhand_automata::{Automaton, LassoWord, Letter, Prop};
use evenhand_logic::{
    FormulaId, Formulas, Lasso, Names, Place, Spelling, evaluate, parse_with,
    print as print_formula, simplify,
};
use evenhand_source::{Diagnostic, Files, Span};
use serde_json::{Value, json};

use super::words::{word_json, word_text};
use super::{print, print_json, show_diagnostics, wrong};
use crate::Exit;
use crate::cli::{Format, FormulaArguments};

/// A word with the automaton that names its propositions.
struct Model {
    automaton: Automaton,
    word: LassoWord,
}

enum Failure {
    /// A limit was reached.
    Limit(String),
    /// A word failed its judge.
    Internal(String),
}

struct Facts {
    text: String,
    simplified: String,
    class: &'static str,
    /// `None`: not decided.
    stutter_invariant: Option<bool>,
    model: Option<Model>,
    counterexample: Option<Model>,
}

pub(crate) fn run(arguments: &FormulaArguments) -> Exit {
    let output = &arguments.output;
    let mut files = Files::new();
    let mut store = Formulas::new();
    let mut formulas = Vec::new();
    let mut errors = Vec::new();
    for (i, text) in arguments.formulas.iter().enumerate() {
        let file = files.add(format!("formula {}", i + 1), text.clone());
        let place = Place { file, start: 0 };
        match parse_with(&mut store, text, Spelling::Any, place, &mut Names) {
            Ok(f) if store.properties(f).has_quantifier() => {
                let span = Span::new(file, 0, text.len());
                let message = TranslateError::NotLinear.to_string();
                errors.push(Diagnostic::error(span, message));
            }
            Ok(f) => formulas.push(f),
            Err(diagnostic) => errors.push(diagnostic),
        }
    }
    if !errors.is_empty() {
        return wrong(&errors, &files, output);
    }
    match answer(&mut store, &formulas) {
        Ok((facts, comparisons)) => {
            match output.format {
                Format::Json => print_json(&to_json(&facts, &comparisons)),
                Format::Text => print(&to_text(&facts, &comparisons)),
            }
            match comparisons.iter().all(Comparison::equivalent) {
                true => Exit::Holds,
                false => Exit::Violated,
            }
        }
        Err(Failure::Limit(message)) => {
            show_diagnostics(&[Diagnostic::global(message)], &files, output);
            Exit::Unknown
        }
        Err(Failure::Internal(message)) => {
            show_diagnostics(&[Diagnostic::global(message)], &files, output);
            Exit::Internal
        }
    }
}

/// The first formula beside a further one.
struct Comparison {
    /// Satisfies the first alone.
    first_only: Option<Model>,
    /// Satisfies the other alone.
    other_only: Option<Model>,
}

impl Comparison {
    fn equivalent(&self) -> bool {
        self.first_only.is_none() && self.other_only.is_none()
    }

    fn relation(&self) -> &'static str {
        match (&self.first_only, &self.other_only) {
            (None, None) => "equivalent",
            (None, Some(_)) => "stronger",
            (Some(_), None) => "weaker",
            (Some(_), Some(_)) => "different",
        }
    }
}

fn answer(
    store: &mut Formulas,
    formulas: &[FormulaId],
) -> Result<(Vec<Facts>, Vec<Comparison>), Failure> {
    let mut facts = Vec::new();
    for &f in formulas {
        let not = store.not(f);
        let simplified = simplify(store, f);
        let class = store.properties(simplified).class().name();
        // Too expensive to decide is no failure: the answer is left open.
        let stutter_invariant = is_stutter_invariant(store, f, &Options::default()).unwrap_or(None);
        facts.push(Facts {
            text: print_formula(store, f, Spelling::Spot),
            simplified: print_formula(store, simplified, Spelling::Spot),
            class,
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
fn model(store: &mut Formulas, f: FormulaId) -> Result<Option<Model>, Failure> {
    let translation = translate(store, f, &Options::streett())
        .map_err(|error| Failure::Limit(error.to_string()))?;
    let automaton = translation.automaton;
    let core = accepting_core_within(&automaton, SPLITS)
        .map_err(|limit| Failure::Limit(limit.to_string()))?;
    let Some(core) = core else {
        return Ok(None);
    };
    let run = lasso_through(&automaton, &core)
        .filter(|lasso| check_lasso(&automaton, lasso).is_ok())
        .ok_or_else(|| Failure::Internal("an accepting run failed its replay".into()))?;
    let word = run.word();
    match satisfies(store, f, &automaton, &word) {
        true => Ok(Some(Model { automaton, word })),
        false => {
            let text = print_formula(store, f, Spelling::Spot);
            let message = format!("internal error: a word does not satisfy {text}; please report");
            Err(Failure::Internal(message))
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
    let holds = |position: usize, atom: evenhand_logic::AtomId| {
        let prop = props.get(atom.index()).copied().flatten();
        prop.is_some_and(|p| letters[position].holds(Prop::new(p)))
    };
    evaluate(store, f, shape, &holds) == Ok(true)
}

fn to_text(facts: &[Facts], comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    let yes_no = |b: bool| if b { "yes" } else { "no" };
    let word = |m: &Model| word_text(&m.automaton, &m.word);
    for (i, f) in facts.iter().enumerate() {
        text.push_str(&format!("{}\n", f.text));
        if f.simplified != f.text {
            text.push_str(&format!("  simplified:   {}\n", f.simplified));
        }
        text.push_str(&format!("  class:        {}\n", f.class));
        if let Some(invariant) = f.stutter_invariant {
            let not = if invariant { "" } else { "not " };
            text.push_str(&format!("  stuttering:   {not}invariant\n"));
        }
        text.push_str(&format!("  satisfiable:  {}\n", yes_no(f.model.is_some())));
        if let Some(m) = &f.model {
            text.push_str(&format!("    model:      {}\n", word(m)));
        }
        text.push_str(&format!(
            "  valid:        {}\n",
            yes_no(f.counterexample.is_none())
        ));
        if let Some(m) = &f.counterexample {
            text.push_str(&format!("    not on:     {}\n", word(m)));
        }
        let Some(c) = i.checked_sub(1).and_then(|i| comparisons.get(i)) else {
            continue;
        };
        let relation = match c.relation() {
            "equivalent" => "yes",
            "stronger" => "no: the first implies this one",
            "weaker" => "no: this one implies the first",
            _ => "no",
        };
        text.push_str(&format!("  equivalent to the first: {relation}\n"));
        if let Some(m) = &c.first_only {
            text.push_str(&format!("    the first alone: {}\n", word(m)));
        }
        if let Some(m) = &c.other_only {
            text.push_str(&format!("    this one alone:  {}\n", word(m)));
        }
    }
    text
}

fn to_json(facts: &[Facts], comparisons: &[Comparison]) -> Value {
    let word = |m: &Option<Model>| match m {
        Some(m) => word_json(&m.automaton, &m.word),
        None => Value::Null,
    };
    let formulas: Vec<Value> = (facts.iter().enumerate())
        .map(|(i, f)| {
            let comparison = i.checked_sub(1).and_then(|i| comparisons.get(i));
            json!({
                "formula": f.text,
                "simplified": f.simplified,
                "class": f.class,
                "stutter_invariant": f.stutter_invariant,
                "satisfiable": f.model.is_some(),
                "model": word(&f.model),
                "valid": f.counterexample.is_none(),
                "counterexample": word(&f.counterexample),
                "equivalent_to_first": comparison.map(Comparison::equivalent),
                "first_is": comparison.map(Comparison::relation),
                "first_only": comparison.map(|c| word(&c.first_only)),
                "other_only": comparison.map(|c| word(&c.other_only)),
            })
        })
        .collect();
    json!({
        "schema": 1,
        "tool": "evenhand",
        "version": env!("CARGO_PKG_VERSION"),
        "formulas": formulas,
    })
}
