//! Checks of properties, each in a thread of its own.
//!
//! A check has the limits of the settings and a flag that ends it; whoever asked gets the answer when it is there.
//! Of each property the last answer is kept with the version of the text that it is about.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use evenhand::report::{check as words, text};
use evenhand::{
    Cancel, Check, CheckError, Listener, LoadError, Model, Progress as Search, Report, Verdict,
    Warning, check_page,
};
use lsp_server::RequestId;
use lsp_types::Uri;
use serde_json::{Value, json};

use crate::analysis::Job;

/// How a check stands.
pub(crate) enum Progress {
    Running(Cancel),
    Done(Arc<Checked>),
    /// Why there is no answer.
    Failed(String),
}

/// The answer of a check.
pub(crate) struct Checked {
    /// The version of the text.
    pub version: i32,
    /// The answer in a line.
    pub told: String,
    pub violated: bool,
    model: Model,
    report: Report,
}

/// The last answers about a text, by property; under no name that about all.
#[derive(Default)]
pub(crate) struct Verdicts(HashMap<Option<String>, Progress>);

impl Verdicts {
    pub(crate) fn of(&self, property: Option<&str>) -> Option<&Progress> {
        self.0.get(&property.map(str::to_string))
    }

    /// What is known of one property, or of all; an answer about all is one about each.
    pub(crate) fn set(&mut self, property: Option<String>, progress: Progress) {
        if let (None, Progress::Done(checked)) = (&property, &progress) {
            for (name, one) in checked.each() {
                let known = self
                    .0
                    .entry(Some(name))
                    .or_insert(Progress::Done(one.clone()));
                if !matches!(known, Progress::Running(_)) {
                    *known = Progress::Done(one);
                }
            }
        }
        self.0.insert(property, progress);
    }

    /// The text has changed: why it could not be checked before says nothing any more.
    pub(crate) fn forgive(&mut self) {
        self.0
            .retain(|_, progress| !matches!(progress, Progress::Failed(_)));
    }

    /// Ends what is going on: one check, or all.
    pub(crate) fn cancel(&self, property: Option<&str>) {
        for (name, progress) in &self.0 {
            if let Progress::Running(cancel) = progress
                && (property.is_none() || name.as_deref() == property)
            {
                cancel.cancel();
            }
        }
    }

    /// The answer about a property, or about all.
    pub(crate) fn answer(&self, property: Option<&str>) -> Option<Arc<Checked>> {
        match self.of(property)? {
            Progress::Done(checked) => Some(checked.clone()),
            _ => None,
        }
    }
}

/// Who asked for a check, and what is to be checked.
pub(crate) struct Asked {
    pub id: RequestId,
    pub uri: Uri,
    pub property: Option<String>,
    /// Under which name progress is told.
    pub token: String,
}

/// What is told about a check.
pub(crate) enum Told {
    Progress {
        token: String,
        told: String,
    },
    Checked {
        asked: Asked,
        answer: Result<Checked, String>,
    },
}

/// Who is told.
pub(crate) type Ear = Arc<dyn Fn(Told) + Send + Sync>;

/// How often progress is told.
const PERIOD: Duration = Duration::from_millis(250);

struct Teller {
    ear: Ear,
    token: String,
    last: Instant,
}

impl Listener for Teller {
    fn progress(&mut self, progress: &Search) -> bool {
        if self.last.elapsed() >= PERIOD {
            self.last = Instant::now();
            let told = format!("{} states, depth {}", progress.states, progress.depth);
            let token = self.token.clone();
            (self.ear)(Told::Progress { token, told });
        }
        true
    }
}

/// Begins a check; its end is an event.
pub(crate) fn begin(job: Job, asked: Asked, cancel: Cancel, ear: Ear) {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let failed = ear.clone();
    let (id, uri, property) = (asked.id.clone(), asked.uri.clone(), asked.property.clone());
    let token = asked.token.clone();
    let spawned = thread.spawn(move || {
        let teller = Teller {
            ear: ear.clone(),
            token: asked.token.clone(),
            last: Instant::now(),
        };
        let work = AssertUnwindSafe(|| check(&job, asked.property.as_deref(), &cancel, teller));
        let answer = catch_unwind(work).unwrap_or_else(|_| Err("an internal error".to_string()));
        ear(Told::Checked { asked, answer });
    });
    if spawned.is_err() {
        let asked = Asked {
            id,
            uri,
            property,
            token,
        };
        let answer = Err("no thread can be had".to_string());
        failed(Told::Checked { asked, answer });
    }
}

fn check(
    job: &Job,
    property: Option<&str>,
    cancel: &Cancel,
    mut teller: Teller,
) -> Result<Checked, String> {
    let budget = job.settings.budget().cancel(cancel.flag());
    let options = job.settings.reading(budget);
    let model = Model::parse_with(&job.name, job.text.as_str(), job.language, &options);
    let model = model.map_err(|error| match error {
        LoadError::Rejected(_) => "the text has errors".to_string(),
        other => other.to_string(),
    })?;
    let mut check = job.settings.limit(Check::new(&model));
    check = check.cancel(cancel).observe(true).hints(true);
    if let Some(property) = property {
        check = check.property(property);
    }
    let report = check.run_with(&mut teller).map_err(|error| match error {
        CheckError::Exhausted(why) => why.to_string(),
        other => other.to_string(),
    })?;
    let violated = |r: &&evenhand::PropertyResult| matches!(r.verdict, Verdict::Violated(_));
    let told = told(&report);
    Ok(Checked {
        version: job.version,
        told,
        violated: report.properties.iter().any(|r| violated(&r)),
        model,
        report,
    })
}

/// The answer in a line.
fn told(report: &Report) -> String {
    if let [only] = report.properties.as_slice() {
        let mut line = format!("{} {}", sign(&only.verdict), text::word(only));
        if let Some(value) = &only.value {
            line += &format!(": {value}");
        }
        if let Some(run) = only.verdict.run() {
            line += &match run.len() {
                0 => " in the initial state".to_string(),
                _ => format!(" by a run of {}", text::length(run)),
            };
        }
        if let Verdict::Unknown(why) = &only.verdict {
            line += &format!(": {}", text::reason(why));
        }
        line += &format!(" · {}", text::states(only));
        return format!("{line} · {:.2} s", only.seconds);
    }
    let named = |wanted: &str| {
        let all = report.properties.iter();
        all.filter(|r| r.verdict.word() == wanted)
            .map(|r| &*r.name)
            .collect::<Vec<_>>()
    };
    let (violated, unknown) = (named("violated"), named("unknown"));
    let mut parts = Vec::new();
    if !violated.is_empty() {
        parts.push(format!("✗ violated: {}", violated.join(", ")));
    }
    if !unknown.is_empty() {
        parts.push(format!("? unknown: {}", unknown.join(", ")));
    }
    let holding = report.properties.len() - violated.len() - unknown.len();
    match parts.is_empty() {
        true => parts.push(format!("✓ all {holding} hold")),
        false => parts.push(format!("{holding} of {} hold", report.properties.len())),
    }
    parts.join(" · ")
}

/// Why the run breaks the property, and which fairness would save it: sentences.
fn reasons(report: &Report) -> Vec<String> {
    let [only] = report.properties.as_slice() else {
        return Vec::new();
    };
    let why = only.verdict.run().map_or(&[][..], |run| &run.why);
    let hints = only.warnings.iter();
    let hints = hints.filter(|warning| matches!(warning, Warning::Hint(_)));
    let hints = hints.map(Warning::to_string);
    why.iter().cloned().chain(hints).collect()
}

fn sign(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "✓",
        Verdict::Violated(_) => "✗",
        Verdict::Unknown(_) => "?",
    }
}

impl Checked {
    /// The answer about each property alone.
    fn each(&self) -> Vec<(String, Arc<Checked>)> {
        let alone = |result: &evenhand::PropertyResult| {
            let mut report = self.report.clone();
            report.properties = vec![result.clone()];
            let checked = Checked {
                version: self.version,
                told: told(&report),
                violated: matches!(result.verdict, Verdict::Violated(_)),
                model: self.model.clone(),
                report,
            };
            (result.name.clone(), Arc::new(checked))
        };
        self.report.properties.iter().map(alone).collect()
    }

    /// The answer, the reasons and the hint, each in a line.
    pub(crate) fn explained(&self) -> String {
        let first = std::iter::once(self.told.clone());
        let lines: Vec<String> = first.chain(reasons(&self.report)).collect();
        lines.join("\n")
    }

    /// The answer as data, for the command that asked.
    pub(crate) fn json(&self) -> Value {
        let remarks = words::remarks(self.model.warnings(), &self.report, false);
        let mut answer = evenhand::report::json::check(&self.report, &remarks);
        answer["told"] = json!(self.told);
        answer
    }

    /// The answer as a page.
    pub(crate) fn page(&self) -> String {
        check_page(&self.model, &self.report, |_| &[])
    }
}

/// Where pages are written: a folder of this server's own.
pub(crate) fn folder() -> PathBuf {
    let name = format!("evenhand-lsp-{}", std::process::id());
    std::env::temp_dir().join(name)
}
