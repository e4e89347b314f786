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

use evenhand::system::{Outline, Reading, Study};
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
            .memory(Some(self.settings.memory), memory::is_above)
            .cancel(self.cancel.flag())
    }

    /// The model that the text is.
    pub(crate) fn model(&self) -> Result<Model, LoadError> {
        let options = self.settings.reading(self.budget());
        Model::parse_with(&self.name, self.text.as_str(), self.language, &options)
    }

    /// What is in the text, and how to read on; none if the work was ended.
    fn study(&self) -> Option<Study<'static>> {
        let options = self.settings.reading(Budget::unlimited());
        let study = self.budget().run(|| {
            let mut files = Files::new();
            let main = files.add(&*self.name, self.text.as_str());
            self.language.study(files, main, &options.read)
        });
        study.ok()
    }

    /// How the text is read from the beginning.
    fn reading(&self) -> Reading<'static> {
        let options = self.settings.reading(Budget::unlimited());
        let mut files = Files::new();
        let main = files.add(&*self.name, self.text.as_str());
        let language = self.language;
        Box::new(move || language.read(files, main, &options.read))
    }

    /// What is in the text.
    pub(crate) fn outline(&self) -> Option<Outline> {
        self.study()?.outline
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
        /// What is left to be done to find out what is wrong.
        rest: Rest,
    },
    Diagnosed {
        uri: Uri,
        version: i32,
        /// None if the work was ended.
        remarks: Option<Vec<Remark>>,
    },
    /// Something went wrong with a text inside of a front-end: while its names were looked for, or afterwards.
    Broken { job: Job, is_outline: bool },
}

/// Something to say about a file.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    pub diagnostic: Diagnostic,
    /// The file, and where in it; the main file, if nothing is said.
    pub uri: Option<Uri>,
    pub said: lsp::Diagnostic,
}

/// How a text is read on; none where it must be read from the beginning.
pub(crate) type Rest = Option<Reading<'static>>;

/// A thread with a pile of texts, each with something that it needs.
pub(crate) struct Desk<W> {
    pile: Arc<(Mutex<Pile<W>>, Condvar)>,
}

struct Pile<W> {
    waiting: Vec<(Job, W)>,
    /// What ends the work on each file.
    flags: HashMap<String, Cancel>,
    closed: bool,
}

impl<W: Send + 'static> Desk<W> {
    /// A thread that does something with each text and tells what it saw, as long as somebody listens.
    pub(crate) fn new(
        work: fn(&Job, W) -> Seen,
        is_outline: bool,
        tell: impl Fn(Seen) -> bool + Send + 'static,
    ) -> Desk<W> {
        let empty = Pile {
            waiting: Vec::new(),
            flags: HashMap::new(),
            closed: false,
        };
        let pile = Arc::new((Mutex::new(empty), Condvar::new()));
        let shared = pile.clone();
        // Deep nesting is refused by the front-ends, for a stack of a usual size.
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        let spawned = thread.spawn(move || {
            while let Some((job, with)) = next(&shared) {
                let done = catch_unwind(AssertUnwindSafe(|| work(&job, with)));
                let seen = done.unwrap_or_else(|_| Seen::Broken { job, is_outline });
                if !tell(seen) {
                    return;
                }
            }
        });
        drop(spawned);
        Desk { pile }
    }

    /// Puts a text on the pile; an older one of the same file is forgotten.
    pub(crate) fn put(&self, mut job: Job, with: W) {
        job.cancel = Cancel::new();
        let mut pile = locked(&self.pile.0);
        let key = job.uri.as_str().to_string();
        if let Some(old) = pile.flags.insert(key, job.cancel.clone()) {
            old.cancel();
        }
        pile.waiting.retain(|(other, _)| other.uri != job.uri);
        pile.waiting.push((job, with));
        self.pile.1.notify_one();
    }
}

impl<W> Drop for Desk<W> {
    fn drop(&mut self) {
        let mut pile = locked(&self.pile.0);
        pile.closed = true;
        pile.flags.values().for_each(Cancel::cancel);
        self.pile.1.notify_one();
    }
}

fn locked<W>(pile: &Mutex<Pile<W>>) -> MutexGuard<'_, Pile<W>> {
    pile.lock().unwrap_or_else(PoisonError::into_inner)
}

fn next<W>(shared: &(Mutex<Pile<W>>, Condvar)) -> Option<(Job, W)> {
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
pub(crate) fn outline(job: &Job, (): ()) -> Seen {
    let (outline, rest) = match job.study() {
        Some(study) => (study.outline, Some(study.read)),
        None => (None, None),
    };
    Seen::Outlined {
        uri: job.uri.clone(),
        version: job.version,
        outline: Box::new(outline.unwrap_or_else(|| nothing(job))),
        rest,
    }
}

/// What is wrong with a text, as the command says it before it explores anything.
pub(crate) fn diagnose(job: &Job, rest: Rest) -> Seen {
    let (files, found) = diagnostics(job, rest);
    let remarks = found.map(|found| said(job, files.as_ref(), &found));
    Seen::Diagnosed {
        uri: job.uri.clone(),
        version: job.version,
        remarks,
    }
}

/// The diagnostics of a text with the files that they are about; none if the work was ended.
pub(crate) fn diagnostics(job: &Job, rest: Rest) -> (Option<Files>, Option<Vec<Diagnostic>>) {
    // Automata are no models; what is wrong with them is found by those who ask whether they are empty.
    if job.language.content() == Content::Automata {
        return (None, Some(Vec::new()));
    }
    let rest = rest.unwrap_or_else(|| job.reading());
    let Ok(read) = job.budget().run(rest) else {
        return (None, None);
    };
    let specification = match read {
        Ok(specification) => specification,
        Err(wrong) => return (wrong.files, Some(wrong.diagnostics)),
    };
    let mut found = specification.warnings().to_vec();
    let files = specification.signature().files.clone();
    let resolved = job
        .budget()
        .run(|| specification.resolve(&Request::default()));
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
