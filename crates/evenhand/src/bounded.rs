//! Bounded checks: is there a counterexample of at most so many steps?
//!
//! The space is explored breadth-first down to the bound and no further, and only lassos that fit
//! into it are looked for: a violation is certain and its run the shortest, whatever lies behind the
//! bound. Without one the property holds only if the whole space lies within the bound; otherwise
//! the answer is `unknown`, with the bound that was proved. Steps are counted in the system, so the
//! product is the one with a tight automaton where there is one; where there is none, what is proved is
//! about lassos of the product, and the answer says so.

use std::time::Instant;

use evenhand_automata::Automaton;
use evenhand_explicit::graph::Graph;
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::space::Space;
use evenhand_explicit::store::Store;
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_report::text::counted;
use evenhand_report::{PropertyResult, Verdict};
use evenhand_witness::{Bounded, Budget, Counterexample, all_shortest, bounded};

use crate::check::{CheckError, Counterexamples, Deadlock, Listener};
use crate::memory;
use crate::question::Question;
use crate::runs::{Found, broken};
use crate::temporal::Asked;
use crate::vacuity::culprits;

/// Further runs that are looked for are at most so many.
const MOST_RUNS: usize = 1000;

impl<'q> Asked<'q> {
    /// The answer to a question about runs of at most `most` steps; `None` if more processes showed
    /// up than fairness was set up for.
    pub(crate) fn decide_bounded<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        question: &Question,
        bad: &Automaton,
        most: usize,
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        let tight = question.tight();
        let (automaton, propositions, exact) = match &tight {
            Some(tight) => (&tight.automaton, &tight.propositions, tight.exact),
            None => (bad, &question.propositions, bad.state_count() == 1),
        };
        let places = space.places_of(propositions);
        with_width!(
            mark_count(space, automaton).max(mark_count(space, bad)),
            W => {
                let goal = Goal { question, bad, automaton, exact, most };
                self.search_bounded::<S, W>(space, &goal, places, listener)
            },
            else Ok(Some(self.undecided(
                question,
                "there are more fairness assumptions than can be kept apart".to_string(),
            )))
        )
    }

    fn search_bounded<S: Store, const W: usize>(
        &self,
        space: &mut Space<'_, S>,
        goal: &Goal<'_>,
        places: Vec<usize>,
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        let started = Instant::now();
        let question = goal.question;
        let stutter = question.finished_runs && self.options.deadlock != Deadlock::Ignore;
        let mut result = self.undecided(question, String::new());
        result.engine = "bounded";
        listener.stage(&format!("{}, bounded", question.name));
        let finite = self.finite_within::<S, W>(space, goal, stutter, listener)?;
        let Ok(mut product) = Product::<S, W>::new(space, goal.automaton, places, stutter) else {
            let reason = "the automaton of the property has no usable acceptance condition";
            return Ok(Some(self.undecided(question, reason.to_string())));
        };
        self.restrict(&mut product);
        // A finite run is no longer than any lasso that shows the same.
        let answer = match finite {
            Some(run) => Ok(Err(run)),
            None => {
                let mut observer = |progress: &Progress| listener.progress(progress);
                let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
                bounded(&mut product, goal.most, Budget::default(), &mut watch).map(Ok)
            }
        };
        result.states = product.space().len() as u64;
        result.transitions = product.space().transitions();
        result.seconds = started.elapsed().as_secs_f64();
        result.peak_memory = memory::peak().unwrap_or(product.bytes_used() as u64);
        match answer {
            Err(Stop::Processes) => return Ok(None),
            Err(stop) => result.verdict = Verdict::Unknown(self.reason(stop, product.space())),
            Ok(Err(run)) => {
                let wanted = self.options.counterexample != Counterexamples::None;
                result.verdict = Verdict::Violated(wanted.then(|| Box::new(run)));
            }
            Ok(Ok(answer)) if answer.stop == Some(Stop::Processes) => return Ok(None),
            Ok(Ok(answer)) => {
                result.verdict = self.verdict_of(&mut product, goal, answer)?;
            }
        }
        let no_run = question.kind == "feasible" && matches!(result.verdict, Verdict::Violated(_));
        if no_run {
            let mut observer = |progress: &Progress| listener.progress(progress);
            let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
            let words = culprits(&mut product, self.fairness, &mut watch);
            result.warnings.extend(words);
        }
        if matches!(result.verdict, Verdict::Holds) {
            drop(product);
            self.warn::<S, W>(space, question, stutter, &mut result, listener);
        }
        self.blame_ends(&mut result);
        listener.verdict(&result);
        Ok(Some(result))
    }

    /// What the answer of a bounded search means for the question.
    fn verdict_of<S: Store, const W: usize>(
        &self,
        product: &mut Product<'_, '_, S, W>,
        goal: &Goal<'_>,
        answer: Bounded<W>,
    ) -> Result<Verdict, CheckError> {
        let feasible = goal.question.kind == "feasible";
        if let Some(lasso) = answer.lasso {
            if feasible {
                return Ok(Verdict::Holds);
            }
            if self.options.counterexample == Counterexamples::None {
                return Ok(Verdict::Violated(None));
            }
            lasso.check(product).map_err(|e| broken(&e.to_string()))?;
            let mut found = Found {
                run: self.run_of(product, &lasso),
                lower_bound: answer.lower_bound,
                left: Budget::default(),
            };
            if !goal.exact {
                found = found.folded();
                found.lower_bound = found.run.len().min(1);
            }
            let run = self.tell(goal.question, goal.bad, &found)?;
            return Ok(Verdict::Violated(Some(Box::new(run))));
        }
        if answer.empty {
            return Ok(match feasible {
                true => Verdict::Violated(None),
                false => Verdict::Holds,
            });
        }
        let what = match (feasible, goal.exact) {
            (true, _) => "no fair run",
            (false, true) => "no counterexample",
            (false, false) => "no counterexample of the product with the property's automaton",
        };
        let most = goal.most;
        Ok(Verdict::Unknown(match answer.stop {
            Some(stop) if answer.lower_bound <= most => {
                let proved = answer.lower_bound;
                let why = self.reason(stop, product.space());
                format!("{why}; {what} has fewer than {}", counted(proved, "step"))
            }
            _ => format!(
                "{what} has at most {}; longer runs were not looked at",
                counted(most, "step")
            ),
        }))
    }

    /// A finite run of at most so many steps that breaks the property whatever follows.
    fn finite_within<S: Store, const W: usize>(
        &self,
        space: &mut Space<'_, S>,
        goal: &Goal<'_>,
        stutter: bool,
        listener: &mut dyn Listener,
    ) -> Result<Option<Counterexample>, CheckError> {
        let places = space.places_of(&goal.question.propositions);
        let Ok(mut product) = Product::<S, W>::new(space, goal.bad, places, stutter) else {
            return Ok(None);
        };
        let (question, bad) = (goal.question, goal.bad);
        let budget = Budget::default();
        self.finite(&mut product, question, bad, goal.most, budget, listener)
    }

    /// A shortest run for each accepting state of the product, without those that are known.
    pub(crate) fn all<S: Store, const W: usize>(
        &self,
        product: &mut Product<'_, '_, S, W>,
        (question, bad): (&Question, &Automaton),
        budget: Budget,
        listener: &mut dyn Listener,
    ) -> Result<(Vec<Counterexample>, bool), CheckError> {
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let Ok((lassos, mut complete)) = all_shortest(product, budget, &mut watch) else {
            return Ok((Vec::new(), false));
        };
        let mut runs = Vec::new();
        let mut told = Vec::new();
        for answer in lassos {
            if told.len() == MOST_RUNS {
                complete = false;
                break;
            }
            let lasso = &answer.lasso;
            lasso.check(product).map_err(|e| broken(&e.to_string()))?;
            let found = Found {
                run: self.run_of(product, lasso).folded(),
                lower_bound: 0,
                left: budget,
            };
            if !runs.contains(&found.run) {
                told.push(self.tell(question, bad, &found)?);
                runs.push(found.run);
            }
        }
        Ok((told, complete))
    }
}

/// What a bounded search looks for.
struct Goal<'a> {
    question: &'a Question,
    /// The automaton of the runs that break the property.
    bad: &'a Automaton,
    /// The same or a tight one for the search.
    automaton: &'a Automaton,
    /// Whether lassos of the product are as short as those of the system.
    exact: bool,
    most: usize,
}
