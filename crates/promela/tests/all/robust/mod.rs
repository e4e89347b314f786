//! No text makes the front-end or the search behind it panic, hang or speak nonsense.
//!
//! Random bytes, random token soups and mutated models are loaded; what loads is explored for a
//! while, and a fault or improper end that turns up must replay. Each case runs in a thread of its
//! own with a stack of 2 MB and a bound on its time. `EVENHAND_CASES` scales the campaign, and
//! `EVENHAND_SEED` begins it elsewhere. A case that fails is written to the target directory and
//! its name printed; so is the one that is running, for failures that end the process.

mod depth;
mod mutate;
mod size;
mod soup;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use evenhand_explicit::safety::{SafetyOptions, nearest_errors};
use evenhand_explicit::search::{self, ErrorClass, Options, Order};
use evenhand_promela::{PromelaModel, load};
use evenhand_source::{Diagnostic, Files, Severity, Span};
use evenhand_testkit::promela_programs::random::Random;

/// How long one case may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// The stack of a thread that is not the main one.
const STACK: usize = 2 << 20;

/// The number of cases for a campaign that has `default` of them.
fn cases(default: usize) -> usize {
    let cases = std::env::var("EVENHAND_CASES").ok();
    cases.and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn seed() -> u64 {
    let seed = std::env::var("EVENHAND_SEED").ok();
    seed.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Runs a campaign: case `n` is made from random numbers that belong to `n` alone.
fn campaign(name: &str, default: usize, make: impl Fn(&mut Random) -> (String, String)) {
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    let first = seed();
    let count = cases(default);
    for number in first..first + count as u64 {
        let (file, text) = make(&mut Random::new(number));
        let variant = number as usize;
        *outcomes
            .entry(judge(name, &file, &text, variant))
            .or_default() += 1;
    }
    println!("{name}: {count} cases: {outcomes:?}");
}

/// Loads and explores one text; what came of it.
///
/// Panics with the name of a file that holds the text if anything is wrong.
fn judge(name: &str, file: &str, text: &str, variant: usize) -> &'static str {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("robust-{name}.pml"));
    std::fs::write(&kept, text).expect("the target directory can be written to");
    let (send, receive) = channel();
    let (file, text) = (file.to_string(), text.to_string());
    let worker = std::thread::Builder::new().stack_size(STACK);
    let worker = worker.spawn(move || {
        let outcome = outcome(&file, &text, variant);
        let _ = send.send(outcome);
    });
    let worker = worker.expect("a thread");
    match receive.recv_timeout(PATIENCE) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => panic!("too slow: {}", keep(&kept)),
        Err(RecvTimeoutError::Disconnected) => {
            let _ = worker.join();
            panic!("panic: {}", keep(&kept))
        }
    }
}

/// Gives a failing case a name that the next one does not take.
fn keep(path: &Path) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let sum = text.iter().fold(0u32, |sum, &byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let kept = path.with_extension(format!("{sum:08x}.pml"));
    let _ = std::fs::copy(path, &kept);
    kept.display().to_string()
}

fn outcome(file: &str, text: &str, variant: usize) -> &'static str {
    let mut files = Files::new();
    let main = files.add(file, text);
    match load(files, main, &evenhand_promela::Options::default()) {
        Ok(model) => {
            let files = &model.program.signature().files;
            check_diagnostics(files, &model.warnings);
            assert!(
                model
                    .warnings
                    .iter()
                    .all(|d| d.severity == Severity::Warning)
            );
            check_signature(&model);
            explore(&model, variant)
        }
        Err((files, diagnostics)) => {
            check_diagnostics(&files, &diagnostics);
            let errors = diagnostics.iter();
            let errors = errors.filter(|d| d.severity == Severity::Error).count();
            assert!(errors > 0, "refused without a reason");
            "refused"
        }
    }
}

fn check_span(files: &Files, span: Span) {
    assert!(
        files.iter().any(|(id, _)| id == span.file),
        "{span:?}: no such file"
    );
    let text = &files.get(span.file).text;
    let inside = text.get(span.start as usize..span.end as usize);
    assert!(inside.is_some(), "{span:?} is no place of its file");
}

fn check_diagnostics(files: &Files, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let message = diagnostic.message.trim();
        assert!(!message.is_empty(), "a diagnostic without a message");
        assert!(!message.ends_with('.'), "a full stop: {message}");
        let labels = diagnostic.labels.iter().map(|label| label.span);
        for span in diagnostic.span.into_iter().chain(labels) {
            check_span(files, span);
        }
    }
}

fn check_signature(model: &PromelaModel) {
    let signature = model.program.signature();
    for action in &signature.actions {
        check_span(&signature.files, action.span);
        assert!(action.process.index() < signature.processes.len());
    }
    for property in &signature.properties {
        check_span(&signature.files, property.span);
        assert!(!property.name.is_empty());
    }
}

fn explore(model: &PromelaModel, variant: usize) -> &'static str {
    let options = Options {
        order: Order::DepthFirst,
        limit_states: Some(2000),
        limit_memory: Some(256 << 20),
        limit_time: Some(Duration::from_secs(5)),
        compress: variant.is_multiple_of(2),
        ..Options::default()
    };
    if variant.is_multiple_of(3) {
        let found = search::explore(&model.program, &options, &mut |_| true);
        return name(
            found.first[ErrorClass::Fault].is_some(),
            found.first[ErrorClass::Deadlock].is_some(),
            found.stop.is_some(),
        );
    }
    let mut options = SafetyOptions {
        paths: true,
        any_path: false,
        counts: false,
        budget: None,
        search: options,
    };
    for class in ErrorClass::ALL {
        options.search.wanted[class] = true;
    }
    let found = nearest_errors(&model.program, &options, &mut |_| true);
    for finding in ErrorClass::ALL
        .iter()
        .filter_map(|&c| found.errors[c].as_ref())
    {
        if finding.path.is_empty() {
            continue; // there is no initial state to begin with
        }
        let fault = finding.fault.as_ref();
        let replayed = evenhand_witness::replay(&model.program, &finding.path, fault);
        assert!(replayed.is_ok(), "a run does not replay: {replayed:?}");
    }
    name(
        found.errors[ErrorClass::Fault].is_some(),
        found.errors[ErrorClass::Deadlock].is_some(),
        found.stop.is_some(),
    )
}

fn name(fault: bool, deadlock: bool, stop: bool) -> &'static str {
    match (fault, deadlock, stop) {
        (true, ..) => "explored: fault",
        (false, true, _) => "explored: deadlock",
        (false, false, true) => "explored: limit",
        (false, false, false) => "explored: clean",
    }
}

/// The models of a folder and the folders inside it.
fn collect(folder: &Path, list: &mut Vec<PathBuf>) {
    const ENDINGS: [&str; 7] = ["pml", "pm", "prm", "pr", "prom", "promela", "spin"];
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            collect(&path, list);
        } else if ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            list.push(path);
        }
    }
}

/// Names and texts of all models there are.
fn models() -> Vec<(String, String)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&here.join("../../models/promela"), &mut paths);
    assert!(!paths.is_empty(), "the models of the repository");
    let corpus = here.join("../../../shared/corpora/promela");
    if corpus.exists() {
        collect(&corpus, &mut paths);
    } else {
        println!("no corpus beside the repository: its own models alone are mutated");
    }
    let read = |path: &PathBuf| {
        let text = std::fs::read(path).expect("a model can be read");
        let name = path.display().to_string();
        (name, String::from_utf8_lossy(&text).into_owned())
    };
    // Mutating a huge model costs time and finds what a small one does.
    paths
        .iter()
        .map(read)
        .filter(|m| m.1.len() < 20_000)
        .collect()
}

#[test]
fn random_bytes() {
    campaign("bytes", 500, |random| {
        let bytes: Vec<u8> = (0..random.below(120))
            .map(|_| random.below(256) as u8)
            .collect();
        (
            "bytes.pml".into(),
            String::from_utf8_lossy(&bytes).into_owned(),
        )
    });
}

#[test]
fn token_soups() {
    campaign("soup", 500, |random| {
        ("soup.pml".into(), soup::tokens(random))
    });
}

#[test]
fn statement_soups() {
    campaign("statements", 500, |random| {
        ("statements.pml".into(), soup::statements(random))
    });
}

#[test]
fn mutated_models() {
    let models = models();
    campaign("mutated", 400, |random| {
        let (name, text) = random.pick(&models);
        (name.clone(), mutate::mutate(text, random))
    });
}
