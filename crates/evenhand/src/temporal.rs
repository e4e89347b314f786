//! Deciding temporal questions: one space for all of them, one product and one search for each.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use evenhand_automata::Automaton;
use evenhand_explicit::emptiness::{Engine, Statistics, engines};
use evenhand_explicit::graph::Graph;
use evenhand_explicit::product::{NoProduct, Product, mark_count};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::{Limits, PlainStore, Store, TreeStore};
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_report::{PropertyResult, Verdict};
use evenhand_system::{Explicit, Fairness, FaultKind, PropositionId};

use crate::check::{CheckError, CheckOptions, Deadlock, Listener};
use crate::learned::NAME;
use crate::memory;
use crate::question::Question;
use crate::vacuity::{can_block, constant_propositions, culprits, missing_runs};

/// Answers questions in their order, all of them unless more processes show up than fairness was set
/// up for. `ends` is what is known about improper ends, where they break every property.
pub(crate) fn answer_all(
    system: &dyn Explicit,
    questions: &[Question],
    fairness: &Fairness,
    options: &CheckOptions,
    deadline: Option<Instant>,
    ends: &Verdict,
    listener: &mut dyn Listener,
) -> Result<Vec<PropertyResult>, CheckError> {
    let propositions = propositions_of(questions);
    let interest = Interest {
        propositions: &propositions,
        fairness,
    };
    let limits = limits_of(options);
    let asked = Asked::new(system, questions, fairness, options, deadline, ends);
    if options.compress {
        let space = Space::new(system, interest, TreeStore::with_limits(limits));
        asked.answer(space, listener)
    } else {
        let space = Space::new(system, interest, PlainStore::with_limits(limits));
        asked.answer(space, listener)
    }
}

/// The propositions that questions are about, each once.
pub(crate) fn propositions_of(questions: &[Question]) -> Vec<PropositionId> {
    let mut propositions: Vec<PropositionId> = Vec::new();
    for question in questions {
        for p in question.reads() {
            if !propositions.contains(&p) {
                propositions.push(p);
            }
        }
    }
    propositions
}

/// The limits of the state store.
pub(crate) fn limits_of(options: &CheckOptions) -> Limits {
    let most = Limits::default().states;
    Limits {
        states: options
            .limit_states
            .map_or(most, |n| u32::try_from(n).unwrap_or(most).min(most)),
        bytes: options.limit_memory.map_or(usize::MAX, |n| n as usize),
    }
}

/// Why there is no answer to a question that came behind an interrupt.
pub(crate) const NOT_BEGUN: &str = "interrupted before it began";

/// The limits of a second store, beside what has memory already.
pub(crate) fn limits_beside(options: &CheckOptions) -> Limits {
    let mut limits = limits_of(options);
    if let Some(limit) = options.limit_memory {
        limits.bytes = (memory::left(limit) / 2) as usize;
    }
    limits
}

/// What all questions share.
pub(crate) struct Asked<'q> {
    pub system: &'q dyn Explicit,
    pub questions: &'q [Question],
    pub fairness: &'q Fairness,
    pub options: &'q CheckOptions,
    pub deadline: Option<Instant>,
    /// Whether some run ends where that breaks every property.
    pub ends: &'q Verdict,
    /// If `fairness` is only a part of what the space has marks for: which part.
    pub chosen: Option<&'q [bool]>,
    /// Whether states say which input comes next: one without successors is no end then.
    pub inputs: bool,
    /// What is known about missing fair runs, and whether finished runs counted.
    pub missing: RefCell<Option<(bool, Vec<String>)>>,
}

impl<'q> Asked<'q> {
    /// Questions under all assumptions.
    pub fn new(
        system: &'q dyn Explicit,
        questions: &'q [Question],
        fairness: &'q Fairness,
        options: &'q CheckOptions,
        deadline: Option<Instant>,
        ends: &'q Verdict,
    ) -> Asked<'q> {
        Asked {
            system,
            questions,
            fairness,
            options,
            deadline,
            ends,
            chosen: None,
            inputs: false,
            missing: RefCell::default(),
        }
    }

    fn answer<S: Store>(
        &self,
        mut space: Space<'_, S>,
        listener: &mut dyn Listener,
    ) -> Result<Vec<PropertyResult>, CheckError> {
        let mut results = Vec::new();
        for question in self.questions {
            match self.decide(&mut space, question, listener)? {
                Some(result) => results.push(result),
                None => break,
            }
        }
        Ok(results)
    }

    /// The answer to one question; `None` if more processes showed up than fairness was set up for.
    pub(crate) fn decide<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        question: &Question,
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        if self.options.is_interrupted() {
            let result = self.undecided(question, NOT_BEGUN.to_string());
            listener.verdict(&result);
            return Ok(Some(result));
        }
        if let Some(judge) = &question.branching {
            return self.decide_branching(space, question, judge, listener);
        }
        let bad = match &question.bad {
            Ok(bad) => bad,
            Err(reason) => return Ok(Some(self.undecided(question, reason.clone()))),
        };
        if let Some(most) = self.options.max_depth {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            return self.decide_bounded(space, question, bad, most, listener);
        }
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
        space: &mut Space<'_, S>,
        question: &Question,
        bad: &Automaton,
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        let started = Instant::now();
        let places = space.places_of(&question.propositions);
        let stutter = question.finished_runs && self.options.deadlock != Deadlock::Ignore;
        let engine = choose::<W>(self.options.engine.as_deref())?;
        let mut product = match Product::<S, W>::new(space, bad, places, stutter) {
            Ok(product) => product,
            Err(NoProduct::TooManyMarks | NoProduct::OtherAcceptance) => {
                let reason = "the automaton of the property has no usable acceptance condition";
                return Ok(Some(self.undecided(question, reason.to_string())));
            }
        };
        self.restrict(&mut product);
        engine
            .supports(product.condition())
            .map_err(CheckError::Engine)?;
        let mut statistics = Statistics::default();
        listener.stage(&format!("{}, engine {}", question.name, engine.name()));
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let found = engine.search(&mut product, &mut watch, &mut statistics);
        let mut result = PropertyResult {
            name: question.name.clone(),
            kind: question.kind,
            formula: question.formula.clone(),
            fairness: self.sources(),
            verdict: Verdict::Holds,
            value: None,
            engine: engine.name(),
            states: product.space().len() as u64,
            transitions: product.space().transitions(),
            product_states: Some(statistics.nodes),
            product_transitions: Some(statistics.edges),
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: memory::peak().unwrap_or(product.bytes_used() as u64),
            warnings: Vec::new(),
            others: Vec::new(),
            details: details(&statistics),
        };
        match found {
            Err(Stop::Processes) => return Ok(None),
            Err(stop) => result.verdict = Verdict::Unknown(self.reason(stop, product.space())),
            Ok(found) if question.kind == "feasible" => {
                if found.is_none() {
                    result.verdict = Verdict::Violated(None);
                    // Where it takes too long to find out who is to blame, the verdict stands alone.
                    let words = culprits(&mut product, self.fairness, &mut watch);
                    result.warnings.extend(words);
                }
            }
            Ok(None) => {
                drop(product);
                self.warn::<S, W>(space, question, stutter, &mut result, listener);
            }
            Ok(Some(component)) => {
                result.verdict = Verdict::Violated(None);
                listener.verdict(&result);
                let asked = (question, bad);
                let taken = started.elapsed();
                let shown = self.show(product, asked, &component, stutter, taken, listener)?;
                result.verdict = Verdict::Violated(shown.best.map(Box::new));
                result.others = shown.others;
                if shown.missing {
                    let text = "the budget ended before all counterexamples were found";
                    result.warnings.push(text.to_string());
                }
                return Ok(Some(result));
            }
        }
        self.blame_ends(&mut result);
        listener.verdict(&result);
        Ok(Some(result))
    }

    /// Where improper ends break every property, nothing holds that has one.
    pub(crate) fn blame_ends(&self, result: &mut PropertyResult) {
        if matches!(result.verdict, Verdict::Holds) && !matches!(self.ends, Verdict::Holds) {
            result.verdict = self.ends.clone();
            let text = "a run that ends where it must not breaks it (--deadlock error)";
            result.warnings.push(text.to_string());
        }
    }

    /// Leaves only the assumptions that were chosen in the condition of a product.
    pub(crate) fn restrict<S: Store, const W: usize>(&self, product: &mut Product<'_, '_, S, W>) {
        let Some(chosen) = self.chosen else {
            return;
        };
        let serving = product.space().serving_marks().iter().zip(chosen);
        let mut condition = product.condition().clone();
        for (&mark, _) in serving.filter(|&(_, &is_chosen)| !is_chosen) {
            condition = condition.without(mark);
        }
        product.set_condition(condition);
    }

    /// The time that is left.
    pub fn left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// The specifications that the assumptions come from, each once.
    pub(crate) fn sources(&self) -> Vec<String> {
        let mut sources: Vec<String> = Vec::new();
        for assumption in &self.fairness.assumptions {
            if !sources.contains(&assumption.source) {
                sources.push(assumption.source.clone());
            }
        }
        sources
    }

    /// Why a search ended, in words.
    pub(crate) fn reason<S: Store>(&self, stop: Stop, space: &Space<'_, S>) -> String {
        match (stop, space.failure()) {
            (Stop::Proposition, Some((_, fault))) => format!(
                "an expression of the property has no value in some state: {}",
                fault.kind
            ),
            _ => stop.to_string(),
        }
    }

    pub(crate) fn undecided(&self, question: &Question, reason: String) -> PropertyResult {
        PropertyResult {
            name: question.name.clone(),
            kind: question.kind,
            formula: question.formula.clone(),
            fairness: self.sources(),
            verdict: Verdict::Unknown(reason),
            value: None,
            engine: "none",
            states: 0,
            transitions: 0,
            product_states: None,
            product_transitions: None,
            seconds: 0.0,
            peak_memory: 0,
            warnings: Vec::new(),
            others: Vec::new(),
            details: Vec::new(),
        }
    }

    /// What a person should know about a property that holds.
    pub(crate) fn warn<S: Store, const W: usize>(
        &self,
        space: &mut Space<'_, S>,
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
        let missing = self.missing_warnings::<S, W>(space, stutter, listener);
        result.warnings.extend(missing);
    }

    /// What a person should know about fair runs that are missing; found out once.
    pub(crate) fn missing_warnings<S: Store, const W: usize>(
        &self,
        space: &mut Space<'_, S>,
        stutter: bool,
        listener: &mut dyn Listener,
    ) -> Vec<String> {
        if self.chosen.is_some() || !can_block(self.fairness, stutter) {
            return Vec::new();
        }
        if let Some((known, warnings)) = &*self.missing.borrow()
            && *known == stutter
        {
            return warnings.clone();
        }
        let Ok(everything) = Question::feasible().bad else {
            return Vec::new();
        };
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let missing = missing_runs::<S, W>(
            self.system,
            space,
            self.fairness,
            (&everything, stutter, self.inputs),
            &mut watch,
        );
        let warnings = missing.unwrap_or_else(|stop| {
            vec![format!(
                "whether fair runs are missing was not found out: {stop}"
            )]
        });
        self.missing.replace(Some((stutter, warnings.clone())));
        warnings
    }
}

/// Whether there is an engine with that name, for models of some language.
pub(crate) fn is_known(name: Option<&str>) -> Result<(), CheckError> {
    let all = engines::<1>();
    let known: Vec<&str> = ["auto"]
        .into_iter()
        .chain(all.iter().map(|e| e.name()))
        .chain([NAME])
        .collect();
    let Some(name) = name.filter(|name| !known.contains(name)) else {
        return Ok(());
    };
    let hint = match evenhand_source::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    Err(CheckError::Engine(format!(
        "there is no engine `{name}`; {hint}"
    )))
}

/// Whether there is an explicit engine with that name.
pub(crate) fn is_engine(name: Option<&str>) -> Result<(), CheckError> {
    choose::<1>(name).map(|_| ())
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
