//! Outlines and diagnostics of texts, made beside the server.
//!
//! A [`Desk`] is a thread with a pile of texts, at most one of each file: a newer text takes the place of the
//! older one, and ends the work on it by its [`Cancel`] flag, which the front-ends look at while they read. So
//! however fast somebody types, no more than one old text is ever in the way.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use evenhand::system::Outline;
use evenhand::{
    Budget, Cancel, Content, Diagnostic, Files, Language, LoadError, Model, Request, Severity,
    Unresolved, memory,
};
use lsp_types::{
    self as lsp, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri,
};

use crate::place::address_of;
use crate::settings::Settings;
use crate::text::Text;

/// A text to look at.
#[derive(Clone)]
pub(crate) struct Job {
    pub uri: Uri,
    /// The name of the file.
    pub name: String,
    pub language: &'static dyn Language,
    pub version: i32,
    pub text: Arc<Text>,
    pub settings: Arc<Settings>,
    pub cancel: Cancel,
}

impl Job {
    /// What looking may cost: nobody waits longer for words about a text.
    fn budget(&self) -> Budget {
        Budget::unlimited()
            .within(Some(Duration::from_secs(20)))
            .memory(Some(self.settings.memory), memory::in_use)
            .cancel(self.cancel.flag())
    }

    /// The model that the text is.
    pub(crate) fn model(&self) -> Result<Model, LoadError> {
        let options = self.settings.reading(self.budget());
        Model::parse_with(&self.name, self.text.as_str(), self.language, &options)
    }

    /// What is in the text.
    pub(crate) fn outline(&self) -> Option<Outline> {
        let options = self.settings.reading(Budget::unlimited());
        let outline = self.budget().run(|| {
            let mut files = Files::new();
            let main = files.add(&*self.name, self.text.as_str());
            self.language.outline(files, main, &options.read)
        });
        outline.ok().flatten()
    }

    /// The same text with another content.
    pub(crate) fn with_text(&self, text: Text) -> Job {
        Job {
            text: Arc::new(text),
            cancel: Cancel::new(),
            ..self.clone()
        }
    }
}

/// What was found out about a text.
pub(crate) enum Seen {
    Outlined {
        uri: Uri,
        version: i32,
        outline: Box<Outline>,
    },
    Diagnosed {
        uri: Uri,
        version: i32,
        /// None if the work was ended.
        remarks: Option<Vec<Remark>>,
    },
    /// Something went wrong with a text inside of a front-end.
    Broken(Job),
}

/// Something to say about a file.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    pub diagnostic: Diagnostic,
    /// The file, and where in it; the main file, if nothing is said.
    pub uri: Option<Uri>,
    pub said: lsp::Diagnostic,
}

/// A thread with a pile of texts.
pub(crate) struct Desk {
    pile: Arc<(Mutex<Pile>, Condvar)>,
}

#[derive(Default)]
struct Pile {
    waiting: Vec<Job>,
    /// What ends the work on each file.
    flags: HashMap<String, Cancel>,
    closed: bool,
}

impl Desk {
    /// A thread that does something with each text and tells what it saw, as long as somebody listens.
    pub(crate) fn new(
        work: fn(&Job) -> Seen,
        tell: impl Fn(Seen) -> bool + Send + 'static,
    ) -> Desk {
        let pile: Arc<(Mutex<Pile>, Condvar)> = Arc::default();
        let shared = pile.clone();
        // Deep nesting is refused by the front-ends, for a stack of a usual size.
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        let spawned = thread.spawn(move || {
            while let Some(job) = next(&shared) {
                let done = catch_unwind(AssertUnwindSafe(|| work(&job)));
                let seen = done.unwrap_or_else(|_| Seen::Broken(job.clone()));
                if !tell(seen) {
                    return;
                }
            }
        });
        drop(spawned);
        Desk { pile }
    }

    /// Puts a text on the pile; an older one of the same file is forgotten.
    pub(crate) fn put(&self, mut job: Job) {
        job.cancel = Cancel::new();
        let mut pile = locked(&self.pile.0);
        let key = job.uri.as_str().to_string();
        if let Some(old) = pile.flags.insert(key, job.cancel.clone()) {
            old.cancel();
        }
        pile.waiting.retain(|other| other.uri != job.uri);
        pile.waiting.push(job);
        self.pile.1.notify_one();
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let mut pile = locked(&self.pile.0);
        pile.closed = true;
        pile.flags.values().for_each(Cancel::cancel);
        self.pile.1.notify_one();
    }
}

fn locked(pile: &Mutex<Pile>) -> MutexGuard<'_, Pile> {
    pile.lock().unwrap_or_else(PoisonError::into_inner)
}

fn next(shared: &(Mutex<Pile>, Condvar)) -> Option<Job> {
    let mut pile = locked(&shared.0);
    loop {
        if pile.closed {
            return None;
        }
        if !pile.waiting.is_empty() {
            return Some(pile.waiting.remove(0));
        }
        pile = shared.1.wait(pile).unwrap_or_else(PoisonError::into_inner);
    }
}

/// The outline of a text of which nothing is known.
pub(crate) fn nothing(job: &Job) -> Outline {
    let mut files = Files::new();
    let main = files.add(&*job.name, job.text.as_str());
    Outline::new(files, main)
}

/// The outline of a text.
pub(crate) fn outline(job: &Job) -> Seen {
    let outline = job.outline().unwrap_or_else(|| nothing(job));
    Seen::Outlined {
        uri: job.uri.clone(),
        version: job.version,
        outline: Box::new(outline),
    }
}

/// What is wrong with a text, as the command says it before it explores anything.
pub(crate) fn diagnose(job: &Job) -> Seen {
    let (files, found) = diagnostics(job);
    let remarks = found.map(|found| said(job, files.as_ref(), &found));
    Seen::Diagnosed {
        uri: job.uri.clone(),
        version: job.version,
        remarks,
    }
}

/// The diagnostics of a text with the files that they are about; none if the work was ended.
pub(crate) fn diagnostics(job: &Job) -> (Option<Files>, Option<Vec<Diagnostic>>) {
    // Automata are no models; what is wrong with them is found by those who ask whether they are empty.
    if job.language.content() == Content::Automata {
        return (None, Some(Vec::new()));
    }
    let model = match job.model() {
        Ok(model) => model,
        Err(LoadError::Rejected(wrong)) => return (wrong.files, Some(wrong.diagnostics)),
        Err(LoadError::Exhausted(_)) => return (None, None),
        Err(other) => return (None, Some(vec![Diagnostic::global(other.to_string())])),
    };
    let mut found = model.warnings().to_vec();
    let files = model.signature().files.clone();
    let resolved = job
        .budget()
        .run(|| model.specification().resolve(&Request::default()));
    match resolved {
        Err(_) => return (None, None),
        Ok(Ok(inquiry)) => found.extend(inquiry.warnings),
        Ok(Err(Unresolved::Wrong(wrong))) => {
            found.extend(wrong.diagnostics);
            return (Some(wrong.files.unwrap_or(files)), Some(found));
        }
        Ok(Err(other)) => found.push(Diagnostic::global(other.to_string())),
    }
    (Some(files), Some(found))
}

/// Diagnostics as the protocol says them.
pub(crate) fn said(job: &Job, files: Option<&Files>, found: &[Diagnostic]) -> Vec<Remark> {
    let mut texts: HashMap<u32, (Option<Uri>, Arc<Text>)> = HashMap::new();
    let mut place = |span: evenhand::Span| {
        let files = files?;
        let known = texts.entry(span.file.0).or_insert_with(|| {
            let file = files.get(span.file);
            match file.name == job.name {
                true => (Some(job.uri.clone()), job.text.clone()),
                false => {
                    let uri = address_of(Path::new(&file.name));
                    (uri, Arc::new(Text::new(&*file.text)))
                }
            }
        });
        Some((known.0.clone()?, known.1.range(span)))
    };
    let mut remarks: Vec<Remark> = Vec::new();
    for diagnostic in found {
        let at = diagnostic.span.and_then(&mut place);
        let mut message = diagnostic.message.clone();
        if let Some(help) = &diagnostic.help {
            message += &format!("\nhelp: {help}");
        }
        let labels = diagnostic.labels.iter().filter_map(|label| {
            let (uri, range) = place(label.span)?;
            Some(DiagnosticRelatedInformation {
                location: Location::new(uri, range),
                message: label.text.clone(),
            })
        });
        let related: Vec<_> = labels.collect();
        let said = lsp::Diagnostic {
            range: at.as_ref().map(|(_, range)| *range).unwrap_or_default(),
            severity: Some(match diagnostic.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: None::<NumberOrString>,
            source: Some("evenhand".into()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..lsp::Diagnostic::default()
        };
        let uri = at.map(|(uri, _)| uri);
        // What stands in a module is wrong in each of its instances.
        let is_same = |known: &Remark| known.said == said && known.uri == uri;
        if !remarks.iter().any(is_same) {
            remarks.push(Remark {
                diagnostic: diagnostic.clone(),
                uri,
                said,
            });
        }
    }
    remarks
}
