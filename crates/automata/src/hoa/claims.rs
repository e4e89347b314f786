//! What the header of a HOA automaton claims, held against the automaton.
//!
//! Nothing here relies on a claim; but whoever wrote a false one meant another automaton.

use evenhand_source::{Diagnostic, Span};

use crate::complete::missing_letters;
use crate::{Automaton, State};

/// A claim that can be checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    what: What,
    is_denied: bool,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Deterministic,
    Complete,
}

impl Claim {
    /// The claim with a name, if it is one that is checked.
    pub fn new(name: &str, is_denied: bool, span: Span) -> Option<Claim> {
        let what = match name {
            "deterministic" => What::Deterministic,
            "complete" => What::Complete,
            _ => return None,
        };
        Some(Claim {
            what,
            is_denied,
            span,
        })
    }

    /// A warning, if it is false.
    pub fn doubt(&self, automaton: &Automaton) -> Option<Diagnostic> {
        let (word, is_true, why) = match self.what {
            What::Deterministic => {
                let why = match automaton.initial().len() {
                    0 | 1 => "some letter can be read along two edges of a state",
                    _ => "it has several initial states",
                };
                (
                    "deterministic",
                    is_deterministic(automaton),
                    why.to_string(),
                )
            }
            What::Complete => {
                let missing = incomplete(automaton)?;
                let why = missing.map_or(String::new(), |state| {
                    format!("state {} cannot read every letter", state.index())
                });
                ("complete", missing.is_none(), why)
            }
        };
        let (message, help) = match (self.is_denied, is_true) {
            (false, false) => (
                format!("the automaton is not {word}, though its header says so"),
                Some(why),
            ),
            (true, true) => (
                format!("the automaton is {word}, though its header denies it"),
                None,
            ),
            _ => return None,
        };
        Some(Diagnostic::warning(self.span, message).maybe_help(help))
    }
}

/// A state that cannot read every letter; nothing if that is too much to find out.
fn incomplete(automaton: &Automaton) -> Option<Option<State>> {
    for state in automaton.states() {
        if !missing_letters(automaton, state).ok()?.is_empty() {
            return Some(Some(state));
        }
    }
    Some(None)
}

/// Whether no letter leaves a choice. The cubes of one label may overlap: they lead to the same state.
fn is_deterministic(automaton: &Automaton) -> bool {
    automaton.initial().len() <= 1
        && automaton.states().all(|state| {
            let edges = automaton.edges_from(state);
            edges.iter().enumerate().all(|(number, edge)| {
                let label = automaton.cube(edge.label);
                edges[number + 1..].iter().all(|other| {
                    let is_same = (other.target, other.marks) == (edge.target, edge.marks);
                    is_same || !label.intersects(automaton.cube(other.label))
                })
            })
        })
}
