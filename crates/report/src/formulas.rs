//! What formulas say, for people and for programs.

use evenhand_automata::facts::{Comparison, Facts, Witness};
use serde_json::{Value, json};

use crate::VERSION;
use crate::json::SCHEMA;
use crate::words::{word_json, word_text};

/// How the first formula stands to another.
fn relation(comparison: &Comparison) -> &'static str {
    match (&comparison.first_only, &comparison.other_only) {
        (None, None) => "equivalent",
        (None, Some(_)) => "stronger",
        (Some(_), None) => "weaker",
        (Some(_), Some(_)) => "different",
    }
}

/// What formulas say, for people.
pub fn text(facts: &[Facts], comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    let yes_no = |b: bool| if b { "yes" } else { "no" };
    let word = |m: &Witness| word_text(&m.automaton, &m.word);
    for (i, f) in facts.iter().enumerate() {
        text.push_str(&format!("{}\n", f.text));
        if f.simplified != f.text {
            text.push_str(&format!("  simplified:   {}\n", f.simplified));
        }
        let class = match f.class_is_exact {
            true => f.class.to_string(),
            false => format!("at most {}, by its syntax", f.class),
        };
        text.push_str(&format!("  class:        {class}\n"));
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
        let relation = match (&c.first_only, &c.other_only) {
            (None, None) => "yes",
            (None, Some(_)) => "no: the first implies this one",
            (Some(_), None) => "no: this one implies the first",
            (Some(_), Some(_)) => "no",
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

/// The same for programs.
pub fn json(facts: &[Facts], comparisons: &[Comparison]) -> Value {
    let word = |m: &Option<Witness>| match m {
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
                "class_is_exact": f.class_is_exact,
                "stutter_invariant": f.stutter_invariant,
                "satisfiable": f.model.is_some(),
                "model": word(&f.model),
                "valid": f.counterexample.is_none(),
                "counterexample": word(&f.counterexample),
                "equivalent_to_first": comparison.map(Comparison::equivalent),
                "first_is": comparison.map(relation),
                "first_only": comparison.map(|c| word(&c.first_only)),
                "other_only": comparison.map(|c| word(&c.other_only)),
            })
        })
        .collect();
    json!({
        "schema": SCHEMA,
        "tool": "evenhand",
        "version": VERSION,
        "formulas": formulas,
    })
}
