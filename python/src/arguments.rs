//! What a call says, as options of the library. The package hands over dicts that have every key.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use evenhand::system::FinishedRuns;
use evenhand::system::specification::TextNames;
use evenhand::{
    Asking, AutomatonText, Cancel, Counterexamples, Deadlock, Granularity, LoadOptions, Options,
    Reduce, memory,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What texts are called where something is wrong with them: the arguments that they came with.
const NAMES: TextNames = TextNames {
    linear: "ltl",
    branching: "ctl",
    fair: "fair",
};

/// What a word stands for.
pub(crate) fn choice<T: Copy>(name: &str, word: &str, table: &[(&str, T)]) -> PyResult<T> {
    if let Some((_, meant)) = table.iter().find(|(known, _)| *known == word) {
        return Ok(*meant);
    }
    let known: Vec<String> = table
        .iter()
        .map(|(known, _)| format!("{known:?}"))
        .collect();
    let known = known.join(", ");
    Err(PyValueError::new_err(format!(
        "{name} is one of {known}, not {word:?}"
    )))
}

/// How a model is read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    language: Option<String>,
    define: Vec<(String, Option<String>)>,
    include: Vec<PathBuf>,
    confined: bool,
    properties: Vec<(String, String)>,
    configuration: Option<(String, String)>,
    constants: Vec<String>,
}

impl Reading {
    pub fn options(self, cancel: &Cancel) -> PyResult<LoadOptions> {
        let mut options = LoadOptions::new();
        if let Some(name) = self.language {
            let all = evenhand::languages().iter();
            let all: Vec<_> = all.map(|&language| (language.name(), language)).collect();
            options.language = Some(choice("language", &name, &all)?);
        }
        options.read.defines = self.define;
        options.read.include_dirs = self.include;
        options.read.confined = self.confined;
        options.read.properties = self.properties;
        options.read.configuration = self.configuration;
        options.read.constants = self.constants;
        let mut limits = Options::default();
        limits.limit_memory = usual_memory();
        limits.cancel = cancel.clone();
        options.budget = limits.reading();
        Ok(options)
    }
}

/// How far to go.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Limits {
    limit_states: Option<u64>,
    limit_memory: Option<u64>,
    limit_time: Option<f64>,
    threads: Option<usize>,
    compress: bool,
}

/// The usual limit on memory; the machine's does not change.
fn usual_memory() -> Option<u64> {
    static USUAL: OnceLock<Option<u64>> = OnceLock::new();
    *USUAL.get_or_init(memory::default_limit)
}

/// A time in seconds.
fn duration(name: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("{name} is a number of seconds")))
}

impl Limits {
    pub fn options(&self, cancel: &Cancel) -> PyResult<Options> {
        let mut options = Options::default();
        options.limit_states = self.limit_states;
        options.limit_memory = self.limit_memory.or_else(usual_memory);
        let time = self.limit_time.map(|time| duration("limit_time", time));
        options.limit_time = time.transpose()?;
        options.compress = self.compress;
        if let Some(threads) = self.threads {
            let threads = NonZeroUsize::new(threads);
            let none = || PyValueError::new_err("threads is at least 1");
            options.threads = Some(threads.ok_or_else(none)?);
        }
        options.cancel = cancel.clone();
        Ok(options)
    }
}

/// What is checked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Checking {
    properties: Vec<String>,
    invariant: Vec<String>,
    ltl: Vec<String>,
    ctl: Vec<String>,
    automata: Vec<(String, String, bool)>,
    fair: Vec<String>,
    no_fairness: bool,
    deadlock: Option<String>,
    engine: Option<String>,
    counterexample: String,
    reduce: String,
    max_depth: Option<u64>,
    budget: Option<f64>,
    limits: Limits,
}

impl Checking {
    pub fn options(self, cancel: &Cancel) -> PyResult<(Asking, Options)> {
        let mut options = self.limits.options(cancel)?;
        options.engine = self.engine;
        let runs = [
            ("shortest", Counterexamples::Shortest),
            ("all", Counterexamples::All),
            ("first", Counterexamples::First),
            ("none", Counterexamples::None),
        ];
        options.counterexample = choice("counterexample", &self.counterexample, &runs)?;
        options.hints = options.counterexample == Counterexamples::Shortest;
        options.observe = options.counterexample != Counterexamples::None;
        let ways = [
            ("auto", Reduce::Auto),
            ("always", Reduce::Always),
            ("none", Reduce::None),
        ];
        options.reduce = choice("reduce", &self.reduce, &ways)?;
        options.max_depth = self.max_depth;
        let budget = self.budget.map(|time| duration("budget", time));
        options.budget = budget.transpose()?;
        let mut asking = Asking::default();
        if let Some(word) = self.deadlock {
            let ends = [
                ("error", (Deadlock::Error, FinishedRuns::Stutter)),
                ("ignore", (Deadlock::Ignore, FinishedRuns::Ignore)),
                ("stutter", (Deadlock::Stutter, FinishedRuns::Stutter)),
                ("maximal", (Deadlock::Maximal, FinishedRuns::Maximal)),
            ];
            let (deadlock, finished) = choice("deadlock", &word, &ends)?;
            options.deadlock = deadlock;
            asking.request.finished = Some(finished);
        }
        asking.name_properties(&self.properties);
        let automata = self.automata.into_iter();
        let automata = automata.map(|(name, text, good)| AutomatonText { name, text, good });
        asking.automata = automata.collect();
        let request = &mut asking.request;
        request.invariants = self.invariant;
        request.linear = self.ltl;
        request.branching = self.ctl;
        request.fair = self.fair;
        request.no_fairness = self.no_fairness;
        request.names = NAMES;
        Ok((asking, options))
    }
}

/// What is advised on.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Advising {
    properties: Vec<String>,
    ltl: Vec<String>,
    fair: Vec<String>,
    by: String,
    together: bool,
    budget: Option<f64>,
    limits: Limits,
}

impl Advising {
    pub fn options(self, cancel: &Cancel) -> PyResult<evenhand::advise::AdviseOptions> {
        let mut options = evenhand::advise::AdviseOptions::default();
        options.check = self.limits.options(cancel)?;
        let budget = self.budget.map(|time| duration("budget", time));
        options.check.budget = budget.transpose()?;
        options.check.observe = true;
        let items = [
            ("type", Granularity::Type),
            ("instance", Granularity::Instance),
            ("label", Granularity::Label),
        ];
        options.by = choice("by", &self.by, &items)?;
        options.together = self.together;
        options.asking.name_properties(&self.properties);
        let request = &mut options.asking.request;
        request.linear = self.ltl;
        request.fair = self.fair;
        request.names = NAMES;
        Ok(options)
    }
}
