//! Any number of threads gives the same bytes, times and memory apart.
//!
//! Others help from the first state on, so that even small systems are shared. Random programs under no, weak,
//! strong and mixed fairness: formulas with shortest runs, assertions, ends, formulas of branching time,
//! and as many states as were explored when a limit was reached. Then the examples, and the public models where they stand
//! beside the repository: those that one thread cannot read or answer are left out, and counted.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use evenhand::{
    Budget, Counterexamples, LoadOptions, Model, Promela, Reduce, Report, Silent, Smv, StopReason,
    Verdict,
};
use evenhand_report::{json, text};
use evenhand_testkit::promela_programs::temporal::TemporalProgram;
use evenhand_testkit::smv_models::checked_model;
use evenhand_tla::Tla;
use evenhand_verify::Certify;
use serde_json::Value;

use crate::common::{Asked, cases};

/// What is told, without what depends on the clock and the machine.
fn told(model: &Model, asked: &Asked, threads: usize) -> Option<Value> {
    let mut asked = asked.clone();
    asked.options.threads = NonZeroUsize::new(threads);
    asked.options.alone = Some(if threads.is_multiple_of(2) { 0 } else { 7 });
    let report = asked.run_with(model, &mut Silent).ok()?;
    // How far a search comes in some time is another question.
    let is_late = |result: &evenhand::PropertyResult| {
        matches!(result.verdict, Verdict::Unknown(StopReason::Time))
    };
    if report.properties.iter().any(is_late) {
        return None;
    }
    let mut told = json::check(&report, &[]);
    forget(&mut told);
    told["text"] = text_of(&report).into();
    Some(told)
}

/// What people read, without the lines that have the time in them.
fn text_of(report: &Report) -> String {
    let files = &report.signature().files;
    let mut all = String::new();
    for result in &report.properties {
        if let Verdict::Violated(Some(run)) = &result.verdict {
            all += &text::counterexample(result, run, files);
        }
        for warning in &result.warnings {
            all += &text::warning(result, warning);
        }
    }
    let notes = report.notes.iter().map(text::note);
    all + &notes.collect::<String>()
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
    compare_with(&[2, 3, 8], seed, model, asked, text)
}

fn compare_with(numbers: &[usize], seed: u64, model: &Model, asked: &Asked, text: &str) -> bool {
    let Some(one) = told(model, asked, 1) else {
        return false;
    };
    // Beside other work more threads than cores may take longer than one, and a limit of time would part them.
    let mut asked = asked.clone();
    asked.options.limit_time = asked.options.limit_time.map(|time| 20 * time);
    for &threads in numbers {
        let more = told(model, &asked, threads);
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
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut compared = 0;
    for folder in ["promela", "smv", "petri", "tla"] {
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

/// A module of these units.
fn module(units: &str, configuration: &str) -> Model {
    let text = format!("---- MODULE M ----\nEXTENDS Naturals\n{units}\n====\n");
    let mut options = LoadOptions::default();
    let configuration = format!("SPECIFICATION Spec\n{configuration}\n");
    options.read.configuration = Some(("M.cfg".to_string(), configuration));
    Model::parse_with("M.tla", text, &Tla, &options).expect("a specification")
}

/// What one thread answers without ever coming to them, several answer too: states that take for ever. A thread that is ahead is
/// at them, and the table grows meanwhile.
#[test]
fn states_that_take_for_ever_keep_nobody_waiting() {
    let endless = "(CHOOSE a \\in 1..2000000000 : a + x >= 2000000000)";
    let deep = format!(
        "VARIABLES x, y, t\nvars == <<x, y, t>>\nInit == x = 0 /\\ y = 0 /\\ t = 0\n\
         Next == \\/ t = 0 /\\ x < 15000 /\\ x' = x + 1 /\\ UNCHANGED <<y, t>>\n        \
         \\/ t = 0 /\\ x = 15000 /\\ y' = 1 - y /\\ UNCHANGED <<x, t>>\n        \
         \\/ t = 0 /\\ t' = 1 /\\ UNCHANGED <<x, y>>\n        \
         \\/ t = 1 /\\ t' = {endless} /\\ UNCHANGED <<x, y>>\n\
         Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)\nP == []<>(x < 10)"
    );
    let wide = format!(
        "VARIABLES x, b\nInit == x = 0 /\\ b = 0\n\
         Next == \\/ x < 300 /\\ x' = x + 1 /\\ b' = 0\n        \
         \\/ x = 300 /\\ b = 0 /\\ b' \\in 1..100 /\\ x' = x\n        \
         \\/ b > 50 /\\ b < 1000 /\\ b' = 1000 + {endless} /\\ x' = x\n\
         Spec == Init /\\ [][Next]_<<x, b>>"
    );
    for (units, configuration, name) in [(&deep, "PROPERTY P", "P"), (&wide, "", "deadlock")] {
        let model = module(units, configuration);
        let mut asked = Asked::properties(&[name]);
        asked.options.counterexample = Counterexamples::None;
        asked.options.limit_time = Some(Duration::from_secs(120));
        assert!(compare(0, &model, &asked, units), "{name} takes no time");
        let told = told(&model, &asked, 1).expect("an answer");
        assert!(told.to_string().contains("violated"), "{told}");
    }
}

/// Whoever helps has as much room for what is nested deep as whoever decides, and needs none for a conjunction over many
/// values.
#[test]
fn threads_that_help_have_room() {
    let units = "VARIABLES x, t\nInit == x = 0 /\\ t = 0\n\
        RECURSIVE Sum(_)\nSum(n) == IF n = 0 THEN 0 ELSE n + Sum(n - 1)\n\
        Next == \\/ x < 300 /\\ x' = x + 1 /\\ UNCHANGED t\n        \
        \\/ t = 0 /\\ (\\A a \\in 1..5000 : a + x > 0) /\\ t' = 1 /\\ UNCHANGED x\n        \
        \\/ t = 1 /\\ Sum(200 + x) > 0 /\\ t' = 2 /\\ UNCHANGED x\n\
        Spec == Init /\\ [][Next]_<<x, t>>\nI == x < 301";
    let model = module(units, "INVARIANT I");
    assert!(compare(0, &model, &Asked::properties(&["I"]), units));
}

/// Whether it is found out that reducing costs more than it saves depends on what was decided about.
#[test]
fn reduction_gives_up_with_any_number_of_threads() {
    // The values of the parameters are never assigned: each pair makes a kind of states of its own.
    let steps: String = (0..200)
        .map(|n| format!(" :: g == {n} -> g = {}\n", n + 1))
        .collect();
    let program = |count: u32| {
        format!(
            "byte g = 0; byte h = 0;\nproctype P(byte a; byte b) {{\n h = (a + b) % 3;\n if\n{steps} fi\n}}\n\
             init {{ byte i, j;\n do :: i < {count} -> i++ :: break od;\n \
             do :: j < {count} -> j++ :: break od;\n run P(i, j)\n}}\n"
        )
    };
    for (count, gives_up) in [(54, true), (20, false)] {
        let text = program(count);
        let model = Model::parse("program.pml", &text, &Promela).expect("a program");
        let mut asked = Asked::properties(&["deadlock"]);
        asked.options.reduce = Reduce::Always;
        asked.options.counterexample = Counterexamples::None;
        let mut states = Vec::new();
        for threads in [1, 8] {
            asked.options.threads = NonZeroUsize::new(threads);
            asked.options.alone = Some(0);
            let report = asked.run(&model).expect("a report");
            let result = &report.properties[0];
            let is_left = result.unreduced.is_some();
            assert_eq!(is_left, gives_up, "{threads} threads, {count}");
            states.push(result.states);
        }
        assert_eq!(states[0], states[1], "{count}");
    }
}

/// All files below a folder with one of these endings, in order.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(list) = std::fs::read_dir(folder) else {
        return;
    };
    let mut list: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    list.sort();
    for path in list {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        match path.is_dir() {
            true => files(&path, endings, found),
            false if endings.contains(&&*ending) => found.push(path),
            false => {}
        }
    }
}

/// Small parts of the public models by default; `EVENHAND_CORPUS_STATES` says how much of each.
#[test]
fn public_models_have_the_same_answers_with_any_number_of_threads() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    if !corpora.is_dir() {
        println!("SKIPPED: no public models beside the repository");
        return;
    }
    let wanted = std::env::var("EVENHAND_CORPUS_STATES").ok();
    let states: Option<u64> = wanted.and_then(|n| n.parse().ok());
    let numbers: &[usize] = match states {
        Some(_) => &[2, 3, 8],
        None => &[2, 4],
    };
    let endings = [
        "pml", "pm", "pr", "prom", "promela", "smv", "pnml", "pn", "tla",
    ];
    let (mut compared, mut left_out) = (0, 0);
    let mut all = Vec::new();
    files(&corpora, &endings, &mut all);
    // Of nets and modules there are hundreds of a kind.
    let every = if states.is_some() { 1 } else { 5 };
    for path in all.iter().step_by(every) {
        let mut options = LoadOptions::default();
        options.budget = Budget::unlimited().within(Some(Duration::from_secs(5)));
        let Ok(model) = Model::load_with(path, &options) else {
            left_out += 1;
            continue;
        };
        let is_relation = path.extension().is_some_and(|ending| ending == "smv");
        let mut asked = Asked::default();
        if is_relation {
            asked = asked.by("streett");
        }
        asked.options.limit_states = Some(states.unwrap_or(1_500));
        asked.options.limit_time = Some(Duration::from_secs(20));
        let name = path.display().to_string();
        match compare_with(numbers, 0, &model, &asked, &name) {
            true => compared += 1,
            false => left_out += 1,
        }
    }
    println!("{compared} models, {left_out} left out");
    assert!(compared > left_out, "{compared} of {}", all.len());
}
