//! Any number of threads gives the same bytes, times and memory apart.
//!
//! Others help from the first state on, so that even small systems are shared. Random programs under no, weak,
//! strong and mixed fairness: formulas with shortest runs, assertions, ends, formulas of branching time,
//! and as many states as were explored when a limit was reached.

use std::num::NonZeroUsize;

use evenhand::{Model, Promela, Reduce, Silent, Smv};
use evenhand_report::json;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;
use evenhand_testkit::smv_models::checked_model;
use evenhand_verify::Certify;
use serde_json::Value;

use crate::common::{Asked, cases};

/// What is told, without what depends on the clock and the machine.
fn told(model: &Model, asked: &Asked, threads: usize) -> Option<Value> {
    let mut asked = asked.clone();
    asked.options.threads = NonZeroUsize::new(threads);
    asked.options.alone = Some(if threads.is_multiple_of(2) { 0 } else { 7 });
    let report = asked.run_with(model, &mut Silent).ok()?;
    let mut told = json::check(&report, &[]);
    forget(&mut told);
    Some(told)
}

fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "seconds" && name != "peak_memory_bytes");
            fields.values_mut().for_each(forget);
        }
        Value::Array(list) => list.iter_mut().for_each(forget),
        _ => {}
    }
}

/// The same question with one thread and with more.
fn compare(seed: u64, model: &Model, asked: &Asked, text: &str) -> bool {
    let Some(one) = told(model, asked, 1) else {
        return false;
    };
    for threads in [2, 3, 8] {
        let more = told(model, asked, threads);
        assert_eq!(
            Some(&one),
            more.as_ref(),
            "seed {seed}, {threads} threads\n{text}"
        );
    }
    true
}

#[test]
fn programs_have_the_same_answers_with_any_number_of_threads() {
    let mut compared = 0;
    for seed in 0..cases(60) {
        let case = TemporalProgram::generate(seed, 2, 4);
        let text = case.text();
        let Ok(model) = Model::parse("program.pml", &text, &Promela) else {
            continue;
        };
        let names = ["f0", "f1", "assertions", "deadlock"];
        let mut settings: Vec<Vec<String>> =
            vec![vec![], vec!["weak".into()], vec!["strong".into()]];
        settings.push(case.assumptions.clone());
        for (number, fair) in settings.iter().enumerate() {
            let mut asked = Asked::properties(&names);
            asked.fair(fair);
            asked.options.limit_states = Some(3_000);
            asked.options.reduce = match number {
                0 => Reduce::None,
                _ => Reduce::Always,
            };
            asked.options.certify = match number {
                1 => Certify::Full,
                _ => Certify::Auto,
            };
            compared += usize::from(compare(seed, &model, &asked, &text));
            // Limits that are reached somewhere in the middle.
            asked.options.limit_states = Some(10 + seed * 7 % 90);
            compared += usize::from(compare(seed, &model, &asked, &text));
        }
    }
    println!("{compared} questions");
    assert!(compared as u64 > cases(60), "{compared}");
}

#[test]
fn relations_have_the_same_answers_with_any_number_of_threads() {
    let mut compared = 0;
    for seed in 0..cases(40) {
        let checked = checked_model(seed);
        let Ok(model) = Model::parse("model.smv", &checked.text, &Smv) else {
            continue;
        };
        let mut asked = Asked::default().by("streett");
        asked.options.limit_states = Some(2_000);
        compared += usize::from(compare(seed, &model, &asked, &checked.text));
    }
    println!("{compared} models");
    assert!(compared as u64 * 4 > cases(40), "{compared}");
}

#[test]
fn examples_have_the_same_answers_with_any_number_of_threads() {
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut compared = 0;
    for folder in ["promela", "smv", "petri"] {
        let list = std::fs::read_dir(models.join(folder)).expect("the examples");
        for entry in list.flatten() {
            let name = entry.path().display().to_string();
            let Ok(model) = Model::load(entry.path()) else {
                continue; // read by others, or a part of one
            };
            let mut asked = Asked::default();
            asked.options.limit_states = Some(4_000);
            compared += usize::from(compare(0, &model, &asked, &name));
        }
    }
    println!("{compared} models");
    assert!(compared > 15, "{compared}");
}
