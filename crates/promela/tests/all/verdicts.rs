//! What a check of a whole model says: verdicts, reasons, warnings, and in which order they come.

use evenhand_promela::Promela;
use evenhand_source::Files;
use evenhand_system::{Language, ReadOptions, Rejected, Specification, Wanted};
use evenhand_verify::{
    Asking, CheckError, Listener, Options, Progress, PropertyResult, Report, Silent, check,
};

mod misread;
mod missing_values;
mod stretches_without_end;
mod told_early;
mod warnings;

fn read(text: &str) -> Result<Box<dyn Specification>, Rejected> {
    let mut files = Files::new();
    let main = files.add("test.pml", text);
    Promela.read(files, main, &ReadOptions::default())
}

fn specification(text: &str) -> Box<dyn Specification> {
    read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"))
}

/// Checks properties by their names, or all of them.
fn checked(text: &str, names: &[&str], listener: &mut dyn Listener) -> Result<Report, CheckError> {
    let mut asking = Asking::default();
    if !names.is_empty() {
        let names = names.iter().map(|name| (*name).to_string()).collect();
        asking.request.properties = Wanted::Named(names);
    }
    let specification = specification(text);
    check(&*specification, &asking, &Options::default(), listener)
}

/// Checks properties by their names and formulas of branching time.
fn asked(text: &str, names: &[&str], branching: &[&str]) -> Result<Report, CheckError> {
    let owned = |list: &[&str]| list.iter().map(|text| (*text).to_string()).collect();
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(owned(names));
    asking.request.branching = owned(branching);
    let specification = specification(text);
    check(&*specification, &asking, &Options::default(), &mut Silent)
}

/// Takes down what is told.
#[derive(Default)]
struct Protocol {
    /// Properties in the order of their verdicts: name, verdict, states, whether it came early.
    verdicts: Vec<(String, &'static str, u64, bool)>,
}

impl Protocol {
    fn note(&mut self, result: &PropertyResult, is_early: bool) {
        let (name, word) = (result.name.clone(), result.verdict.word());
        self.verdicts.push((name, word, result.states, is_early));
    }
}

impl Listener for Protocol {
    fn progress(&mut self, _: &Progress) -> bool {
        true
    }

    fn verdict(&mut self, result: &PropertyResult) {
        self.note(result, false);
    }

    fn early_verdict(&mut self, result: &PropertyResult) {
        self.note(result, true);
    }
}

/// Verdict and, if there is none, the reason.
fn verdict(text: &str, name: &str) -> String {
    let mut protocol = Protocol::default();
    let report = checked(text, &[name], &mut protocol);
    let report = report.unwrap_or_else(|error| panic!("{text}\n{error}"));
    let result = report.property(name).expect("it was asked");
    match &result.verdict {
        evenhand_verify::Verdict::Unknown(reason) => format!("unknown: {reason}"),
        decided => decided.word().to_string(),
    }
}
