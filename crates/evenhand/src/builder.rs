//! What users of the library write: what is asked, under which fairness, how far to go.

use std::num::NonZeroUsize;
use std::time::Duration;

use evenhand_advise::{AdviseOptions, AdviseReport, advise};
use evenhand_system::{FinishedRuns, Granularity, Wanted};
use evenhand_verify::{
    Asking, AutomatonText, Cancel, CheckError, CompassionBy, Counterexamples, Deadlock, Engine,
    Listener, Options, Reduce, Report, Silent, check_with, engines,
};

use crate::model::Model;

/// A fairness assumption, as a text of the grammar that all languages share.
///
/// ```
/// use evenhand::Fair;
///
/// assert_eq!(Fair::strong().to_string(), "strong");
/// assert_eq!(Fair::weak_of("phil[2]").to_string(), "weak:phil[2]");
/// assert_eq!(Fair::strong_of("phil@eat").to_string(), "strong:phil@eat");
/// assert_eq!(Fair::just("x == 0").to_string(), "just:x == 0");
/// assert_eq!(Fair::compassion("x == 1", "y == 1").to_string(), "compassion:(x == 1)=>(y == 1)");
/// assert_eq!(Fair::from("spin-weak"), Fair::spin_weak());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fair(String);

impl Fair {
    /// Weak fairness of every process.
    pub fn weak() -> Fair {
        "weak".into()
    }

    /// Strong fairness of every process.
    pub fn strong() -> Fair {
        "strong".into()
    }

    /// Weak fairness of every process as SPIN defines it: of a handshake only the sender is enabled.
    pub fn spin_weak() -> Fair {
        "spin-weak".into()
    }

    /// Weak fairness of some: a process type, `type[2]` for one process, `type@label` for statements.
    pub fn weak_of(target: &str) -> Fair {
        Fair(format!("weak:{target}"))
    }

    /// Strong fairness of some.
    pub fn strong_of(target: &str) -> Fair {
        Fair(format!("strong:{target}"))
    }

    /// Justice: a condition holds infinitely often.
    pub fn just(condition: &str) -> Fair {
        Fair(format!("just:{condition}"))
    }

    /// Compassion: if the first condition holds infinitely often, so does the second.
    pub fn compassion(when: &str, then: &str) -> Fair {
        Fair(format!("compassion:({when})=>({then})"))
    }
}

impl From<&str> for Fair {
    fn from(text: &str) -> Fair {
        Fair(text.to_string())
    }
}

impl From<String> for Fair {
    fn from(text: String) -> Fair {
        Fair(text)
    }
}

impl std::fmt::Display for Fair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A check of a model, before it runs. If nothing in particular is asked, everything is that the model
/// states.
///
/// ```
/// use evenhand::{Check, Fair, Model, Promela};
///
/// let text = "bool up; active proctype p() { do :: skip od } active proctype q() { up = true }";
/// let model = Model::parse("switch.pml", text, &Promela)?;
/// let report = Check::new(&model).ltl("<> up").fair(Fair::weak()).run()?;
/// assert!(report.holds());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "a check does nothing until it runs"]
pub struct Check<'m> {
    model: &'m Model,
    asking: Asking,
    options: Options,
    engines: Vec<&'m dyn Engine>,
}

impl<'m> Check<'m> {
    /// A check of everything that the model states, without limits.
    pub fn new(model: &'m Model) -> Check<'m> {
        Check {
            model,
            asking: Asking::default(),
            options: Options::default(),
            engines: engines().to_vec(),
        }
    }

    /// Also this property of the model, by name.
    pub fn property(mut self, name: impl Into<String>) -> Self {
        name_property(&mut self.asking, name.into());
        self
    }

    /// Also this condition on all reachable states.
    pub fn invariant(mut self, condition: impl Into<String>) -> Self {
        self.asking.request.invariants.push(condition.into());
        self
    }

    /// Also this formula of linear time; past operators are allowed.
    pub fn ltl(mut self, formula: impl Into<String>) -> Self {
        self.asking.request.linear.push(formula.into());
        self
    }

    /// Also this formula of CTL*; CTL is a part of it.
    pub fn ctl(mut self, formula: impl Into<String>) -> Self {
        self.asking.request.branching.push(formula.into());
        self
    }

    /// Also that no run is accepted by this automaton in HOA format.
    pub fn automaton(mut self, name: impl Into<String>, hoa: impl Into<String>) -> Self {
        self.asking.automata.push(automaton(name, hoa, false));
        self
    }

    /// Also that every run is accepted by this automaton in HOA format.
    pub fn good_automaton(mut self, name: impl Into<String>, hoa: impl Into<String>) -> Self {
        self.asking.automata.push(automaton(name, hoa, true));
        self
    }

    /// Under this assumption, besides what the model declares.
    pub fn fair(mut self, assumption: impl Into<Fair>) -> Self {
        self.asking.request.fair.push(assumption.into().0);
        self
    }

    /// Without the assumptions that the model declares.
    pub fn without_declared_fairness(mut self) -> Self {
        self.asking.request.no_fairness = true;
        self
    }

    /// By the engine of that name, wherever it is meant for what is asked.
    pub fn engine(mut self, name: impl Into<String>) -> Self {
        self.options.engine = Some(name.into());
        self
    }

    /// With an engine of one's own in front of the others: it answers what it supports.
    pub fn with_engine(mut self, engine: &'m dyn Engine) -> Self {
        self.engines.insert(0, engine);
        self
    }

    /// What finished runs mean for temporal properties.
    pub fn deadlock(mut self, deadlock: Deadlock) -> Self {
        self.options.deadlock = deadlock;
        self.asking.request.finished = match deadlock {
            Deadlock::Usual => None,
            Deadlock::Ignore => Some(FinishedRuns::Ignore),
            Deadlock::Maximal => Some(FinishedRuns::Maximal),
            _ => Some(FinishedRuns::Stutter),
        };
        self
    }

    /// How the symbolic engine handles compassion.
    pub fn compassion(mut self, how: CompassionBy) -> Self {
        self.options.compassion = how;
        self
    }

    /// Only runs of at most this many steps: a violation is certain, anything else unknown.
    pub fn max_depth(mut self, steps: u64) -> Self {
        self.options.max_depth = Some(steps);
        self
    }

    /// Which runs are shown for violated properties.
    pub fn counterexample(mut self, which: Counterexamples) -> Self {
        self.options.counterexample = which;
        self
    }

    /// How long to look for a shorter run once a violation is known.
    pub fn budget(mut self, time: Duration) -> Self {
        self.options.budget = Some(time);
        self
    }

    /// Whether to look, for a short time, if more fairness would save a violated property.
    pub fn hints(mut self, wanted: bool) -> Self {
        self.options.hints = wanted;
        self
    }

    /// Whether the automaton of bad runs is followed along the runs that are shown.
    pub fn observe(mut self, wanted: bool) -> Self {
        self.options.observe = wanted;
        self
    }

    /// At most this many states.
    pub fn limit_states(mut self, states: u64) -> Self {
        self.options.limit_states = Some(states);
        self
    }

    /// At most this much memory, in bytes.
    pub fn limit_memory(mut self, bytes: u64) -> Self {
        self.options.limit_memory = Some(bytes);
        self
    }

    /// At most this much time.
    pub fn limit_time(mut self, time: Duration) -> Self {
        self.options.limit_time = Some(time);
        self
    }

    /// Whether states are stored compressed: less memory, somewhat slower.
    pub fn compress(mut self, wanted: bool) -> Self {
        self.options.compress = wanted;
        self
    }

    /// How many threads work on a question; as many as there are cores unless this is said. The answer does
    /// not depend on it.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.options.threads = Some(threads);
        self
    }

    /// Whether fewer states are explored where that gives the same answer.
    pub fn reduce(mut self, how: Reduce) -> Self {
        self.options.reduce = how;
        self
    }

    /// Ends when this flag is raised; what is known by then is the answer.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.options.cancel = cancel.clone();
        self
    }

    /// Checks.
    ///
    /// # Errors
    /// If what is asked has no meaning for the model, or a counterexample fails its replay.
    pub fn run(self) -> Result<Report, CheckError> {
        self.run_with(&mut Silent)
    }

    /// Checks, and tells somebody how it goes.
    ///
    /// # Errors
    /// As [`Check::run`].
    pub fn run_with(self, listener: &mut dyn Listener) -> Result<Report, CheckError> {
        let model = self.model.specification();
        check_with(&self.engines, model, &self.asking, &self.options, listener)
    }
}

/// The question which fairness properties of a model need, before it is asked. If nothing in
/// particular is named, each temporal property of the model is meant.
///
/// ```
/// use evenhand::{Advise, Model, Promela};
///
/// let text = "bool up; active proctype p() { do :: skip od } active proctype q() { up = true }";
/// let model = Model::parse("switch.pml", text, &Promela)?;
/// let report = Advise::new(&model).ltl("<> up").run()?;
/// let needed: Vec<_> = report.advice[0].assignments.iter().map(|a| a.fairness.clone()).collect();
/// assert_eq!(needed, [["weak:q"]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "nothing is asked until it runs"]
pub struct Advise<'m> {
    model: &'m Model,
    options: AdviseOptions,
}

impl<'m> Advise<'m> {
    /// Advice on each temporal property of a model.
    pub fn new(model: &'m Model) -> Advise<'m> {
        Advise {
            model,
            options: AdviseOptions::default(),
        }
    }

    /// On this property of the model, by name.
    pub fn property(mut self, name: impl Into<String>) -> Self {
        name_property(&mut self.options.asking, name.into());
        self
    }

    /// On this formula of linear time.
    pub fn ltl(mut self, formula: impl Into<String>) -> Self {
        self.options.asking.request.linear.push(formula.into());
        self
    }

    /// With this assumption in any case.
    pub fn fair(mut self, assumption: impl Into<Fair>) -> Self {
        let fair = &mut self.options.asking.request.fair;
        fair.push(assumption.into().0);
        self
    }

    /// What fairness is asked about.
    pub fn by(mut self, granularity: Granularity) -> Self {
        self.options.by = granularity;
        self
    }

    /// One assignment under which all properties hold, instead of one for each.
    pub fn together(mut self) -> Self {
        self.options.together = true;
        self
    }

    /// Limits, and how runs are looked for.
    pub fn options(mut self, options: Options) -> Self {
        self.options.check = options;
        self
    }

    /// Asks.
    ///
    /// # Errors
    /// If what is asked has no meaning for the model, or a counterexample fails its replay.
    pub fn run(self) -> Result<AdviseReport, CheckError> {
        self.run_with(&mut Silent)
    }

    /// Asks, and tells somebody how it goes.
    ///
    /// # Errors
    /// As [`Advise::run`].
    pub fn run_with(self, listener: &mut dyn Listener) -> Result<AdviseReport, CheckError> {
        advise(self.model.specification(), &self.options, listener)
    }
}

fn name_property(asking: &mut Asking, name: String) {
    match &mut asking.request.properties {
        Wanted::Named(names) => names.push(name),
        other => *other = Wanted::Named(vec![name]),
    }
}

fn automaton(name: impl Into<String>, hoa: impl Into<String>, good: bool) -> AutomatonText {
    AutomatonText {
        name: name.into(),
        text: hoa.into(),
        good,
    }
}
