//! Texts become models: what is wrong with them, and what can be asked.
//!
//! A text that was understood has a number; calls name it by that, so that a text comes over once. Only the last few are
//! kept: who asks about an older one is told so, and reads again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use evenhand::{LoadError, LoadOptions, Model};
use evenhand_source::{Diagnostic, Files, Severity};
use evenhand_system::{Asking, Granularity, Language, Request, Unresolved};
use evenhand_verify::{CheckError, FEW, Options};
use serde_json::{Value as Json, json};

/// So many texts are kept.
const KEPT: usize = 8;

/// Reading, walking and drawing take at most this long.
pub(crate) const SHORT: Duration = Duration::from_secs(10);

/// More candidates for fairness are not listed.
const MOST_CANDIDATES: usize = 200;

/// A model that was opened: its text as the file has it, and how it is read.
#[derive(Clone)]
pub struct Opened {
    /// How people call it: the name of its file.
    pub name: String,
    /// The text.
    pub text: String,
    /// The language.
    pub language: &'static dyn Language,
    /// How it is read.
    pub options: LoadOptions,
}

/// A text that was understood.
pub(crate) struct Version {
    pub number: u64,
    pub model: Model,
}

/// The models, and the texts that were understood.
pub(crate) struct Shelf {
    pub models: Vec<Opened>,
    versions: Mutex<(u64, VecDeque<Arc<Version>>)>,
}

impl Shelf {
    pub fn new(models: Vec<Opened>) -> Shelf {
        Shelf {
            models,
            versions: Mutex::default(),
        }
    }

    /// What was opened.
    pub fn list(&self) -> Json {
        let models = self.models.iter().map(|opened| {
            json!({
                "name": opened.name,
                "language": opened.language.name(),
                "text": opened.text,
            })
        });
        models.collect()
    }

    /// A text that was understood, by its number.
    pub fn version(&self, number: u64) -> Option<Arc<Version>> {
        let versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = versions.1.iter();
        all.find(|version| version.number == number).cloned()
    }

    /// Reads a text as one of the models.
    pub fn read(&self, opened: &Opened, text: &str, by: Granularity, limits: &Options) -> Json {
        let mut options = opened.options.clone();
        options.budget = short(limits);
        let read = Model::parse_with(&opened.name, text, opened.language, &options);
        let model = match read {
            Ok(model) => model,
            Err(LoadError::Rejected(found)) => {
                let files = found.files.clone().unwrap_or_default();
                return json!({ "diagnostics": told(&found.diagnostics, &files) });
            }
            Err(error) => {
                let diagnostic = Diagnostic::global(error.to_string());
                return json!({ "diagnostics": told(&[diagnostic], &Files::new()) });
            }
        };
        let mut answer = match short(limits).run(|| asks(&model, by)) {
            Ok(answer) => answer,
            Err(why) => {
                let diagnostic =
                    Diagnostic::global(format!("the properties cannot be read: {why}"));
                json!({ "diagnostics": told(&[diagnostic], &Files::new()) })
            }
        };
        let warnings = told(model.warnings(), &model.signature().files);
        if let Some(list) = answer["diagnostics"].as_array_mut() {
            list.extend(warnings);
        }
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, list) = &mut *versions;
        *last += 1;
        answer["version"] = json!(*last);
        let number = *last;
        list.push_back(Arc::new(Version { number, model }));
        while list.len() > KEPT {
            list.pop_front();
        }
        answer
    }
}

/// What work that a person waits for may cost.
pub(crate) fn short(limits: &Options) -> evenhand_source::Budget {
    let mut limits = limits.clone();
    limits.limit_time = Some(limits.limit_time.map_or(SHORT, |time| time.min(SHORT)));
    limits.budget_now()
}

/// What can be asked of a model: its properties, and of what fairness could be assumed.
fn asks(model: &Model, by: Granularity) -> Json {
    let signature = model.signature();
    let mut request = Request::default();
    request.candidates = true;
    let inquiry = match model.specification().resolve(&request) {
        Ok(inquiry) => inquiry,
        Err(error) => {
            let errors = unresolved(&error, &signature.files);
            return json!({ "diagnostics": errors, "properties": [], "candidates": [] });
        }
    };
    let questions = inquiry.questions.iter().map(|question| {
        json!({
            "name": question.name,
            "kind": question.kind.word(),
            "formula": question.text,
            "fair": question.is_fair(),
        })
    });
    let (bound, is_certain) = inquiry.meaning.processes();
    let processes = if is_certain { bound } else { FEW };
    let candidates = inquiry.meaning.candidates(by, processes);
    let more = candidates.len().saturating_sub(MOST_CANDIDATES);
    let candidates = candidates.iter().take(MOST_CANDIDATES).map(|candidate| {
        json!({ "name": candidate.name, "weak": candidate.texts[0], "strong": candidate.texts[1] })
    });
    // Nothing was added to what the model says.
    let declared: Vec<&str> = inquiry
        .assumptions
        .iter()
        .map(|(text, _)| &**text)
        .collect();
    json!({
        "diagnostics": told(&inquiry.warnings, &inquiry.body.signature().files),
        "properties": questions.collect::<Vec<_>>(),
        "candidates": candidates.collect::<Vec<_>>(),
        "more_candidates": more,
        "candidate_word": inquiry.meaning.candidate_word(by),
        "declared": declared,
        "language": signature.language,
    })
}

/// What is wrong with a request, as data: with its formulas, or with the fairness that it assumes.
pub(crate) fn mistakes(model: &Model, asking: &Asking) -> Vec<Json> {
    let files = &model.signature().files;
    let inquiry = match asking.resolve(model.specification()) {
        Ok(inquiry) => inquiry,
        Err(error) => return unresolved(&error, files),
    };
    let (bound, is_certain) = inquiry.meaning.processes();
    let processes = if is_certain { bound } else { FEW };
    match inquiry.meaning.fairness(&inquiry.assumptions, processes) {
        Ok(_) => Vec::new(),
        Err(rejected) => told(&[Diagnostic::global(rejected.to_string())], files),
    }
}

/// Diagnostics as data.
pub(crate) fn told(diagnostics: &[Diagnostic], files: &Files) -> Vec<Json> {
    let list = diagnostics.iter().map(|diagnostic| {
        let place = diagnostic.span.map(|span| {
            let file = files.get(span.file);
            let (start, end) = (files.position(span), file.position(span.end));
            json!({
                "file": file.name,
                "line": start.line, "column": start.column,
                "end_line": end.line, "end_column": end.column,
            })
        });
        json!({
            "severity": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            "message": diagnostic.message,
            "help": diagnostic.help,
            "place": place,
        })
    });
    list.collect()
}

/// Why a request has no meaning, as data.
pub(crate) fn unresolved(error: &Unresolved, files: &Files) -> Vec<Json> {
    match error {
        Unresolved::Wrong(found) => told(&found.diagnostics, found.files.as_ref().unwrap_or(files)),
        Unresolved::NoProperty { name, known } => {
            let message = format!("there is no property `{name}`");
            let help = Unresolved::hint(name, known);
            told(&[Diagnostic::global(message).help(help)], files)
        }
        error => told(&[Diagnostic::global(error.to_string())], files),
    }
}

/// Why a check failed, as data.
pub(crate) fn failed(error: &CheckError, files: &Files) -> Vec<Json> {
    match error {
        CheckError::Unresolved(error) => unresolved(error, files),
        error => told(&[Diagnostic::global(error.to_string())], files),
    }
}
