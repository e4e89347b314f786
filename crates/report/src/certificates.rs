//! What kept proofs prove.

use std::fmt::Write;

use evenhand_certify::{Cover, Proven, Reading, Statement};
use evenhand_source::counted;
use serde_json::{Value as Json, json};

use crate::VERSION;
use crate::json::SCHEMA;
use crate::printable::one_line;

/// What became of one proof.
#[derive(Debug)]
pub struct Entry {
    /// What it says.
    pub statement: Statement,
    /// What was proved; or why nothing was, in words.
    pub proven: Result<Proven, String>,
    /// Seconds it took.
    pub seconds: f64,
}

/// How finished runs are read, as an option says it.
pub fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Stay => "stutter",
        Reading::Ignored => "ignore",
        Reading::Broken => "error",
        Reading::Anywhere => "everywhere",
    }
}

/// Whether finished runs matter for what a proof is about.
fn is_about_runs(statement: &Statement) -> bool {
    !matches!(
        statement.kind.as_str(),
        "assertion" | "runtime-error" | "deadlock" | "trace" | "total" | "invariant"
    )
}

/// A proof for people: what it proves, and on what that rests.
pub fn text(entry: &Entry) -> String {
    let statement = &entry.statement;
    let word = match entry.proven {
        Ok(_) => "proved",
        Err(_) => "not proved",
    };
    let mut text = format!("{word:<10} {}", one_line(&statement.property));
    if statement.kind == "feasible" {
        text += ": there is no fair run";
    }
    if let Some(formula) = &statement.formula {
        let _ = write!(text, "  {}", one_line(formula));
    }
    match &entry.proven {
        Ok(proven) => {
            let states = counted(proven.checked.states, "state");
            let _ = writeln!(text, "  ({states}, {:.2} s)", entry.seconds);
        }
        Err(why) => {
            let _ = writeln!(text, ": {}", one_line(why));
        }
    }
    if is_about_runs(statement) {
        match statement.fairness.is_empty() {
            true => text += "  no fairness is assumed",
            false => {
                let fairness = statement.fairness.join(", ");
                let _ = write!(text, "  fairness: {}", one_line(&fairness));
            }
        }
        let _ = write!(text, "; runs that end {}", statement.reading.words());
        if let Ok(proven) = &entry.proven {
            text += match proven.automaton {
                Some(Cover::Shown) => "; the automaton accepts all that breaks the formula",
                Some(Cover::Believed) => "; the automaton is believed",
                _ => "",
            };
        }
        if !statement.asking.automata.is_empty() {
            text += "; the automaton is that of the file (--automaton compares it)";
        }
        text.push('\n');
    }
    text
}

/// All of them for programs.
pub fn json(model: &str, file: &str, entries: &[Entry], missing: &[String]) -> Json {
    let list: Vec<Json> = entries.iter().map(entry_json).collect();
    json!({
        "schema": SCHEMA,
        "tool": "evenhand",
        "version": VERSION,
        "model": model,
        "file": file,
        "certificates": list,
        "missing": missing,
    })
}

fn entry_json(entry: &Entry) -> Json {
    let statement = &entry.statement;
    let proven = entry.proven.as_ref().ok();
    json!({
        "property": statement.property,
        "kind": statement.kind,
        "formula": statement.formula,
        "fairness": is_about_runs(statement).then_some(&statement.fairness),
        "finished_runs": is_about_runs(statement).then(|| reading(statement.reading)),
        "proved": proven.is_some(),
        "reason": entry.proven.as_ref().err(),
        "automaton": proven.and_then(|p| p.automaton).map(Cover::word),
        "states": proven.map(|p| p.checked.states),
        "product_states": proven.map(|p| p.checked.nodes),
        "product_transitions": proven.map(|p| p.checked.edges),
        "seconds": entry.seconds,
    })
}
