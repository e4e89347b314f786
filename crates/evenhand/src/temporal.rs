//! Deciding temporal questions: one space for all of them, one product and one search for each.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use evenhand_automata::{Automaton, is_deterministic, universal_states};
use evenhand_explicit::emptiness::{Component, Engine, Statistics, engines};
use evenhand_explicit::graph::{Graph, NodeId};
use evenhand_explicit::product::{NoProduct, Product, mark_count};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::{Limits, PlainStore, Store, TreeStore};
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_report::{PropertyResult, Verdict};
use evenhand_system::{AssumptionKind, Explicit, Fairness, FaultKind, PropositionId};
use evenhand_witness::{
    Budget, Counterexample, CycleStep, GraphLasso, Reach, ReplayError, Run, bounded, first, judge,
    judge_finite, nearest, shortest,
};

use crate::check::{CheckError, CheckOptions, Counterexamples, Deadlock, Listener};
use crate::memory;
use crate::question::{Question, TightQuestion};
use crate::vacuity::{can_block, constant_propositions, missing_runs};

/// Answers all questions; `None` if more processes showed up than fairness was set up for.
pub(crate) fn answer_all(
    system: &dyn Explicit,
    questions: &[Question],
    fairness: &Fairness,
    options: &CheckOptions,
    deadline: Option<Instant>,
    listener: &mut dyn Listener,
) -> Result<Option<Vec<PropertyResult>>, CheckError> {
    let mut propositions: Vec<PropositionId> = Vec::new();
    for question in questions {
        let judged = question.judge.iter().flat_map(|j| &j.atoms);
        for &p in question.propositions.iter().chain(judged) {
            if !propositions.contains(&p) {
                propositions.push(p);
            }
        }
    }
    let interest = Interest {
        propositions: &propositions,
        fairness,
    };
    let most = Limits::default().states;
    let limits = Limits {
        states: options
            .limit_states
            .map_or(most, |n| u32::try_from(n).unwrap_or(most).min(most)),
        bytes: options.limit_memory.map_or(usize::MAX, |n| n as usize),
    };
    let asked = Asked {
        system,
        questions,
        fairness,
        options,
        deadline,
        missing: RefCell::default(),
    };
    if options.compress {
        let space = Space::new(system, interest, TreeStore::with_limits(limits));
        asked.answer(space, listener)
    } else {
        let space = Space::new(system, interest, PlainStore::with_limits(limits));
        asked.answer(space, listener)
    }
}

struct Asked<'q> {
    system: &'q dyn Explicit,
    questions: &'q [Question],
    fairness: &'q Fairness,
    options: &'q CheckOptions,
    deadline: Option<Instant>,
    /// What is known about missing fair runs, and whether finished runs counted.
    missing: RefCell<Option<(bool, Vec<String>)>>,
}

impl<'q> Asked<'q> {
    fn answer<S: Store>(
        &self,
        mut space: Space<'q, S>,
        listener: &mut dyn Listener,
    ) -> Result<Option<Vec<PropertyResult>>, CheckError> {
        let mut results = Vec::new();
        for question in self.questions {
            match self.decide(&mut space, question, listener)? {
                Some(result) => results.push(result),
                None => return Ok(None),
            }
        }
        Ok(Some(results))
    }

    fn decide<S: Store>(
        &self,
        space: &mut Space<'q, S>,
        question: &Question,
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        let bad = match &question.bad {
            Ok(bad) => bad,
            Err(reason) => return Ok(Some(self.undecided(question, reason.clone()))),
        };
        with_width!(
            mark_count(space, bad),
            W => self.search::<S, W>(space, question, bad, listener),
            else Ok(Some(self.undecided(
                question,
                "there are more fairness assumptions than can be kept apart".to_string(),
            )))
        )
    }

    fn search<S: Store, const W: usize>(
        &self,
        space: &mut Space<'q, S>,
        question: &Question,
        bad: &Automaton,
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        let started = Instant::now();
        let places = question.propositions.iter();
        let places = places
            .map(|&p| space.place_of(p).unwrap_or(usize::MAX))
            .collect();
        let stutter = question.finished_runs && self.options.deadlock != Deadlock::Ignore;
        let engine = choose::<W>(self.options.engine.as_deref())?;
        let mut product = match Product::<S, W>::new(space, bad, places, stutter) {
            Ok(product) => product,
            Err(NoProduct::TooManyMarks | NoProduct::OtherAcceptance) => {
                let reason = "the automaton of the property has no usable acceptance condition";
                return Ok(Some(self.undecided(question, reason.to_string())));
            }
        };
        engine
            .supports(product.condition())
            .map_err(CheckError::Engine)?;
        let mut statistics = Statistics::default();
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let found = engine.search(&mut product, &mut watch, &mut statistics);
        let mut result = PropertyResult {
            name: question.name.clone(),
            kind: question.kind,
            formula: question.formula.clone(),
            fairness: self.sources(),
            verdict: Verdict::Holds,
            engine: engine.name(),
            states: product.space().len() as u64,
            transitions: product.space().transitions(),
            product_states: Some(statistics.nodes),
            product_transitions: Some(statistics.edges),
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: memory::peak().unwrap_or(product.bytes_used() as u64),
            warnings: Vec::new(),
            details: details(&statistics),
        };
        match found {
            Err(Stop::Processes) => return Ok(None),
            Err(stop) => result.verdict = Verdict::Unknown(self.reason(stop, product.space())),
            Ok(found) if question.kind == "feasible" => {
                if found.is_none() {
                    result.verdict = Verdict::Violated(None);
                }
            }
            Ok(None) => {
                drop(product);
                self.warn::<S, W>(space, question, stutter, &mut result, listener);
            }
            Ok(Some(component)) => {
                result.verdict = Verdict::Violated(None);
                listener.verdict(&result);
                let taken = started.elapsed();
                let finite = self.finite(&mut product, question, bad, taken, listener)?;
                if let Some(told) = finite {
                    result.verdict = Verdict::Violated(Some(Box::new(told)));
                    return Ok(Some(result));
                }
                let found = self.found(&mut product, &component, taken, listener)?;
                drop(product);
                if let Some(found) = found {
                    let found = self.tighten(space, question, bad, stutter, found, listener)?;
                    let told = self.tell(question, bad, &found)?;
                    result.verdict = Verdict::Violated(Some(Box::new(told)));
                }
            }
        }
        if !matches!(result.verdict, Verdict::Violated(_)) {
            listener.verdict(&result);
        }
        Ok(Some(result))
    }

    /// The time that is left.
    fn left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// The specifications that the assumptions come from, each once.
    fn sources(&self) -> Vec<String> {
        let mut sources: Vec<String> = Vec::new();
        for assumption in &self.fairness.assumptions {
            if !sources.contains(&assumption.source) {
                sources.push(assumption.source.clone());
            }
        }
        sources
    }

    /// Why a search ended, in words.
    fn reason<S: Store>(&self, stop: Stop, space: &Space<'_, S>) -> String {
        match (stop, space.failure()) {
            (Stop::Proposition, Some((_, fault))) => format!(
                "an expression of the property has no value in some state: {}",
                fault.kind
            ),
            _ => stop.to_string(),
        }
    }

    fn undecided(&self, question: &Question, reason: String) -> PropertyResult {
        PropertyResult {
            name: question.name.clone(),
            kind: question.kind,
            formula: question.formula.clone(),
            fairness: self.sources(),
            verdict: Verdict::Unknown(reason),
            engine: "none",
            states: 0,
            transitions: 0,
            product_states: None,
            product_transitions: None,
            seconds: 0.0,
            peak_memory: 0,
            warnings: Vec::new(),
            details: Vec::new(),
        }
    }

    /// What a person should know about a property that holds.
    fn warn<S: Store, const W: usize>(
        &self,
        space: &mut Space<'q, S>,
        question: &Question,
        stutter: bool,
        result: &mut PropertyResult,
        listener: &mut dyn Listener,
    ) {
        let warnings = constant_propositions(space, question);
        result.warnings.extend(warnings);
        if let Some(report) = space
            .faults()
            .iter()
            .find(|r| r.fault.kind != FaultKind::Assertion)
        {
            result.warnings.push(format!(
                "a run-time error ends a run ({}); what lies behind it was not explored",
                report.fault.kind
            ));
        }
        if !can_block(self.fairness, stutter) {
            return;
        }
        if let Some((known, warnings)) = &*self.missing.borrow()
            && *known == stutter
        {
            result.warnings.extend(warnings.iter().cloned());
            return;
        }
        let Ok(everything) = Question::feasible().bad else {
            return;
        };
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let missing = missing_runs::<S, W>(
            self.system,
            space,
            self.fairness,
            &everything,
            stutter,
            &mut watch,
        );
        let warnings = missing.unwrap_or_else(|stop| {
            vec![format!(
                "whether fair runs are missing was not found out: {stop}"
            )]
        });
        result.warnings.extend(warnings.iter().cloned());
        self.missing.replace(Some((stutter, warnings)));
    }

    /// A finite run that shows the violation, whatever follows, if the property is a safety property.
    fn finite<S: Store, const W: usize>(
        &self,
        product: &mut Product<'_, 'q, S, W>,
        question: &Question,
        bad: &Automaton,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Option<Counterexample>, CheckError> {
        // A finite run has a fair continuation if only processes are to be fair and ends stay.
        let mut kinds = self.fairness.assumptions.iter().map(|a| a.kind);
        let goes_on = self.options.deadlock != Deadlock::Ignore
            && kinds.all(|k| matches!(k, AssumptionKind::Weak(_) | AssumptionKind::Strong(_)));
        let wanted = self.options.counterexample == Counterexamples::Shortest;
        if !wanted || !goes_on || !question.is_safety() {
            return Ok(None);
        }
        let universal = universal_states(bad);
        if !universal.contains(&true) {
            return Ok(None);
        }
        let count = bad.state_count();
        let goal = |_: &dyn Graph<W>, node: NodeId| universal[node.index() % count];
        let budget = self.budget(taken);
        let half = Budget {
            time: budget.time.map(|time| time / 2),
            ..budget
        };
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let Ok(Some(path)) = nearest(product, &goal, usize::MAX, half, &mut watch) else {
            return Ok(None);
        };
        let states: Vec<Vec<u8>> = path.iter().map(|&n| state_of(product, n)).collect();
        let told = judge_finite(self.system, &states, question.charge(bad));
        let told = told.map_err(CheckError::Replay)?;
        Ok(told.map(|mut told| {
            // Without a choice the automaton knows at once that all is lost.
            told.shortest = is_deterministic(bad);
            told.lower_bound = match told.shortest {
                true => told.len(),
                false => 0,
            };
            told
        }))
    }

    /// A run that shows the violation, from the product in which it was found.
    fn found<S: Store, const W: usize>(
        &self,
        product: &mut Product<'_, 'q, S, W>,
        component: &Component<W>,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Option<Found>, CheckError> {
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let budget = self.budget(taken);
        let started = Instant::now();
        let found = match self.options.counterexample {
            Counterexamples::None => return Ok(None),
            Counterexamples::First => {
                let lasso = first(product, component, Reach::Known, &mut watch);
                lasso.map(|lasso| lasso.map(|lasso| (lasso, 0)))
            }
            Counterexamples::Shortest => {
                // The other half is for the search that knows only the system's steps.
                let half = Budget {
                    time: budget.time.map(|time| time / 2),
                    ..budget
                };
                let found = shortest(product, component, half, &mut watch);
                found.map(|found| found.map(|f| (f.lasso, f.lower_bound)))
            }
        };
        let (lasso, lower_bound) = match found {
            Ok(Some(found)) => found,
            Ok(None) => return Err(broken("the component has no accepting cycle")),
            Err(_) => return Ok(None),
        };
        if let Err(error) = lasso.check(product) {
            return Err(broken(&error.to_string()));
        }
        let time = budget.time.map(|t| t.saturating_sub(started.elapsed()));
        Ok(Some(Found {
            run: self.run_of(product, &lasso),
            lower_bound,
            left: Budget { time, ..budget },
        }))
    }

    /// Looks for a shorter run of the system: the shortest of the product may be longer.
    fn tighten<S: Store>(
        &self,
        space: &mut Space<'q, S>,
        question: &Question,
        bad: &Automaton,
        stutter: bool,
        found: Found,
        listener: &mut dyn Listener,
    ) -> Result<Found, CheckError> {
        let is_tight = bad.state_count() == 1;
        if self.options.counterexample != Counterexamples::Shortest || is_tight {
            return Ok(found);
        }
        // What is shortest in the product says little about the system: only that it takes a step.
        let mut found = found.folded();
        found.lower_bound = found.run.len().min(1);
        let Some(tight) = question.tight().filter(|_| found.run.len() > 1) else {
            return Ok(found);
        };
        with_width!(
            mark_count(space, &tight.automaton),
            W => self.search_tight::<S, W>(space, &tight, stutter, found, listener),
            else Ok(found)
        )
    }

    /// Looks for a shorter run in the product with a tight automaton.
    fn search_tight<S: Store, const W: usize>(
        &self,
        space: &mut Space<'q, S>,
        tight: &TightQuestion,
        stutter: bool,
        mut found: Found,
        listener: &mut dyn Listener,
    ) -> Result<Found, CheckError> {
        let places = tight.propositions.iter();
        let places = places
            .map(|&p| space.place_of(p).unwrap_or(usize::MAX))
            .collect();
        let Ok(mut product) = Product::<S, W>::new(space, &tight.automaton, places, stutter) else {
            return Ok(found);
        };
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let most = found.run.len() - 1;
        let Ok(answer) = bounded(&mut product, most, found.left, &mut watch) else {
            return Ok(found);
        };
        if let Some(lasso) = answer.lasso {
            if let Err(error) = lasso.check(&mut product) {
                return Err(broken(&error.to_string()));
            }
            found.run = self.run_of(&product, &lasso);
        }
        if !tight.exact {
            return Ok(found.folded());
        }
        found.lower_bound = answer.lower_bound.min(found.run.len());
        Ok(found)
    }

    /// Executes a run again, and tells it.
    fn tell(
        &self,
        question: &Question,
        bad: &Automaton,
        found: &Found,
    ) -> Result<Counterexample, CheckError> {
        let charge = question.charge(bad);
        let told = judge(self.system, self.fairness, &found.run, charge);
        let mut told = told.map_err(CheckError::Replay)?;
        told.shortest = found.lower_bound >= found.run.len();
        told.lower_bound = found.lower_bound;
        Ok(told)
    }

    /// What the search for a shorter run may cost after a check that took this long.
    fn budget(&self, taken: Duration) -> Budget {
        let default = (taken * 5).max(Duration::from_secs(10));
        Budget {
            time: Some(self.options.budget.unwrap_or(default)),
            bytes: self.options.limit_memory.map(|bytes| bytes / 2),
            rounds: None,
        }
    }

    /// The run of the system that a lasso of the product is.
    fn run_of<S: Store, const W: usize>(
        &self,
        product: &Product<'_, 'q, S, W>,
        lasso: &GraphLasso<W>,
    ) -> Run {
        let state = |node: NodeId| state_of(product, node);
        let serving = product.space().serving_marks();
        Run {
            prefix: lasso.prefix.iter().map(|&node| state(node)).collect(),
            cycle: lasso
                .cycle
                .iter()
                .map(|edge| CycleStep {
                    state: state(edge.target),
                    serves: serving.iter().map(|&m| edge.marks.contains(m)).collect(),
                })
                .collect(),
        }
    }
}

/// The state of the system that a node of the product is about.
fn state_of<S: Store, const W: usize>(product: &Product<'_, '_, S, W>, node: NodeId) -> Vec<u8> {
    let mut bytes = Vec::new();
    product.space().load(product.parts(node).0, &mut bytes);
    bytes
}

/// A run that was found, and what is known about shorter ones.
struct Found {
    run: Run,
    /// No counterexample is shorter than this.
    lower_bound: usize,
    /// What is left of the budget.
    left: Budget,
}

impl Found {
    /// The same run with the shortest prefix and the shortest cycle.
    fn folded(mut self) -> Found {
        self.run = self.run.folded();
        self
    }
}

/// A lasso that is none: an error of this tool.
fn broken(message: &str) -> CheckError {
    CheckError::Replay(ReplayError {
        position: 0,
        message: message.to_string(),
    })
}

/// The engine with that name, or the default.
fn choose<const W: usize>(name: Option<&str>) -> Result<&'static dyn Engine<W>, CheckError> {
    let all = engines::<W>();
    match name {
        None | Some("auto") => Ok(all[0]),
        Some(name) => all.into_iter().find(|e| e.name() == name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|e| e.name()).collect();
            CheckError::Engine(format!(
                "there is no engine `{name}`; known: {}",
                known.join(", ")
            ))
        }),
    }
}

/// Counts for people who ask for more.
fn details(statistics: &Statistics) -> Vec<(String, u64)> {
    let mut list = vec![
        ("refinements".to_string(), statistics.refinements),
        ("revisited product states".to_string(), statistics.revisits),
    ];
    list.extend(
        statistics
            .stages
            .iter()
            .map(|&(name, n)| (name.to_string(), n)),
    );
    list.retain(|&(_, count)| count > 0);
    list
}
