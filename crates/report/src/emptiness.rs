//! Whether automata accept anything, for people and for programs.

use evenhand_automata::Automaton;
use evenhand_automata::emptiness::Emptiness;
use evenhand_verify::memory;
use serde_json::{Value, json};

use crate::VERSION;
use crate::json::SCHEMA;
use crate::words::{run_json, run_text};

/// The answer for people.
pub fn text(automaton: &Automaton, answer: &Emptiness, quiet: bool) -> String {
    match answer {
        Emptiness::Empty => "empty\n".into(),
        Emptiness::Accepts(_) if quiet => "not empty\n".into(),
        Emptiness::Accepts(lasso) => {
            let run = run_text(automaton, lasso);
            format!("not empty: an accepting run\n{run}")
        }
        Emptiness::Unknown(reason) => format!("unknown: {reason}\n"),
        Emptiness::Broken(reason) => format!("internal error: {reason}; please report\n"),
    }
}

/// The answer about one automaton for programs.
pub fn entry(automaton: &Automaton, name: &str, answer: &Emptiness, seconds: f64) -> Value {
    let (verdict, reason) = match answer {
        Emptiness::Empty => ("holds", None),
        Emptiness::Accepts(_) => ("violated", None),
        Emptiness::Unknown(reason) | Emptiness::Broken(reason) => {
            ("unknown", Some(reason.as_str()))
        }
    };
    let engine = match automaton.acceptance() {
        a if a.is_generalized_buchi() => "buchi",
        a if a.is_streett() => "streett",
        _ => "emerson-lei",
    };
    let counterexample = match answer {
        Emptiness::Accepts(lasso) => run_json(automaton, lasso),
        _ => Value::Null,
    };
    json!({
        "name": name,
        "kind": "emptiness",
        "formula": null,
        "fairness": [],
        "verdict": verdict,
        "reason": reason,
        "value": null,
        "engine": engine,
        "states": automaton.state_count(),
        "transitions": automaton.edge_count(),
        "product_states": null,
        "product_transitions": null,
        "seconds": seconds,
        "peak_memory_bytes": memory::peak(),
        "warnings": [],
        "counterexample": counterexample,
    })
}

/// The answers about all automata of a file for programs.
pub fn json(name: &str, warnings: &[&str], entries: &[Value]) -> Value {
    json!({
        "schema": SCHEMA,
        "tool": "evenhand",
        "version": VERSION,
        "model": name,
        "language": "hoa",
        "warnings": warnings,
        "properties": entries,
    })
}
