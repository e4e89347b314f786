//! Promela models: what they mean, what can be asked about them, and that no text does harm.

mod fairness_items;
mod groups;
mod question;
mod reductions;
mod robust;
mod semantics;
mod stretches;
mod verdicts;
