//! What questions about a model come to: formulas, claims, labels.
//!
//! A claim is judged here by a search that shares nothing with the engines: the whole product is
//! built and every accepting state is asked whether it can come back to itself. What must come out
//! is what SPIN 6.5.2 says (`-a`, or `-l` with `-DNP`; `-DNOREDUCE`).

mod actions;
mod bound;
mod brute;
mod claims;
mod corpus;
mod fairness;
mod formulas;
mod hostile;
mod labels;
mod texts;
mod trees;

use evenhand_promela::{Options, PromelaModel, load};
use evenhand_source::Files;

fn model(text: &str) -> PromelaModel {
    let mut files = Files::new();
    let main = files.add("test.pml", text);
    load(files, main, &Options::default()).unwrap_or_else(|(_, d)| panic!("{text}\n{d:#?}"))
}
