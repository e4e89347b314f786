//! The answer to one property.

use evenhand_system::explicit::Value;
use evenhand_witness::Counterexample;

/// What was found out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// It does not; a run shows it, unless none was asked for.
    Violated(Option<Box<Counterexample>>),
    /// It could not be decided; why.
    Unknown(String),
}

impl Verdict {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// The answer to one property.
#[derive(Clone, Debug)]
pub struct PropertyResult {
    /// Its name.
    pub name: String,
    /// Its kind, a word of the contract.
    pub kind: &'static str,
    /// The formula, if it has one.
    pub formula: Option<String>,
    /// The fairness assumptions.
    pub fairness: Vec<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// What was computed, if the question is about a number.
    pub value: Option<Value>,
    /// The engine that found it.
    pub engine: &'static str,
    /// States of the model that were explored.
    pub states: u64,
    /// Transitions of the model that were explored.
    pub transitions: u64,
    /// States of the product with the property, if there is one.
    pub product_states: Option<u64>,
    /// Transitions of that product.
    pub product_transitions: Option<u64>,
    /// Seconds it took.
    pub seconds: f64,
    /// Memory at the peak.
    pub peak_memory: u64,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Further runs that break it, if all were asked for; each differs from the one of the verdict.
    pub others: Vec<Counterexample>,
    /// Further counts of the engine, by name.
    pub details: Vec<(String, u64)>,
}
