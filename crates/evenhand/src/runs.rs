//! From the component that an engine found to the run that is shown.
//!
//! In this order, within one budget: for a safety property a finite run, which is bad whatever follows;
//! otherwise the shortest lasso of the product in which the violation was found; then a shorter one in
//! the product with a tight automaton, which is the shortest of the system. What is proved is said:
//! a lasso that is shortest in a product with another automaton proves nothing about the system. In
//! the end the run is executed again and judged.

use std::time::{Duration, Instant};

use evenhand_automata::{Automaton, is_deterministic, universal_states};
use evenhand_explicit::emptiness::Component;
use evenhand_explicit::graph::{Graph, NodeId};
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::search::Progress;
use evenhand_explicit::space::Space;
use evenhand_explicit::store::Store;
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_system::AssumptionKind;
use evenhand_witness::{
    Budget, Counterexample, CycleStep, GraphLasso, Observed, Reach, ReplayError, Run, bounded,
    first, judge, judge_finite, nearest, observe, shortest,
};

use crate::check::{CheckError, Counterexamples, Deadlock, Listener};
use crate::question::{Question, TightQuestion};
use crate::temporal::Asked;

impl<'q> Asked<'q> {
    /// The runs that show a violation; none if none is wanted.
    pub(crate) fn show<S: Store, const W: usize>(
        &self,
        mut product: Product<'_, '_, S, W>,
        (question, bad): (&Question, &Automaton),
        component: &Component<W>,
        stutter: bool,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Shown, CheckError> {
        let budget = self.budget(taken);
        listener.stage(&format!("{}, the run that shows it", question.name));
        let begun = Instant::now();
        let mut shown = Shown::default();
        let far = usize::MAX;
        let part = half(budget);
        if self.wants_shortest() {
            shown.best = self.finite(&mut product, question, bad, far, part, listener)?;
        }
        if shown.best.is_some() {
            return Ok(shown);
        }
        let left = less(budget, begun.elapsed());
        let Some(found) = self.found(&mut product, component, left, listener)? else {
            return Ok(shown);
        };
        if self.options.counterexample == Counterexamples::All {
            let (others, complete) = self.all(&mut product, (question, bad), budget, listener)?;
            shown.others = others;
            shown.missing = !complete;
        }
        let space = product.into_space();
        let found = self.tighten(space, question, bad, stutter, found, listener)?;
        let best = self.tell(question, bad, &found)?;
        shown.others.retain(|other| !is_same(other, &best));
        shown.best = Some(best);
        Ok(shown)
    }

    /// A finite run that shows the violation, whatever follows, if the property is a safety property.
    pub(crate) fn finite<'s, S: Store, const W: usize>(
        &self,
        product: &mut Product<'_, 's, S, W>,
        question: &Question,
        bad: &Automaton,
        most: usize,
        budget: Budget,
        listener: &mut dyn Listener,
    ) -> Result<Option<Counterexample>, CheckError> {
        // A finite run has a fair continuation if only processes are to be fair and ends stay.
        let mut kinds = self.fairness.assumptions.iter().map(|a| a.kind);
        let goes_on = self.options.deadlock != Deadlock::Ignore
            && kinds.all(|k| matches!(k, AssumptionKind::Weak(_) | AssumptionKind::Strong(_)));
        if !goes_on || !question.is_safety() {
            return Ok(None);
        }
        let universal = universal_states(bad);
        if !universal.contains(&true) {
            return Ok(None);
        }
        let goal = |product: &Product<'_, 's, S, W>, node: NodeId| {
            universal[product.parts(node).1.index()]
        };
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let Ok(Some(path)) = nearest(product, &goal, most, budget, &mut watch) else {
            return Ok(None);
        };
        let states: Vec<Vec<u8>> = path.iter().map(|&n| state_of(product, n)).collect();
        let told = judge_finite(self.system, &states, question.charge(bad));
        let told = told.map_err(CheckError::Replay)?;
        Ok(told.map(|mut told| {
            let shown: Vec<&[u8]> = states.iter().map(Vec::as_slice).collect();
            told.observed = self.observed(question, bad, &shown, None);
            // Without a choice the automaton knows at once that all is lost.
            told.shortest = is_deterministic(bad) || told.is_empty();
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
        product: &mut Product<'_, '_, S, W>,
        component: &Component<W>,
        budget: Budget,
        listener: &mut dyn Listener,
    ) -> Result<Option<Found>, CheckError> {
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let begun = Instant::now();
        let found = match self.options.counterexample {
            Counterexamples::None => return Ok(None),
            Counterexamples::First => {
                let lasso = first(product, component, Reach::Known, &mut watch);
                lasso.map(|lasso| lasso.map(|lasso| (lasso, 0)))
            }
            Counterexamples::Shortest | Counterexamples::All => {
                // The other half is for the search that knows only the system's steps.
                let found = shortest(product, component, half(budget), &mut watch);
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
        Ok(Some(Found {
            run: self.run_of(product, &lasso),
            lower_bound,
            left: less(budget, begun.elapsed()),
        }))
    }

    /// Looks for a shorter run of the system: the shortest of the product may be longer.
    fn tighten<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        question: &Question,
        bad: &Automaton,
        stutter: bool,
        found: Found,
        listener: &mut dyn Listener,
    ) -> Result<Found, CheckError> {
        let is_tight = bad.state_count() == 1;
        if !self.wants_shortest() || is_tight {
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

    /// A finite run that shows the violation whatever follows, of at most so many steps, where another
    /// engine found a lasso.
    pub(crate) fn finite_instead<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        question: &Question,
        most: usize,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Option<Counterexample>, CheckError> {
        let Ok(bad) = &question.bad else {
            return Ok(None);
        };
        let stutter = question.finished_runs && self.options.deadlock != Deadlock::Ignore;
        let places = space.places_of(&question.propositions);
        let budget = half(self.budget(taken));
        with_width!(
            mark_count(space, bad),
            W => match Product::<S, W>::new(space, bad, places, stutter) {
                Ok(mut product) => self.finite(&mut product, question, bad, most, budget, listener),
                Err(_) => Ok(None),
            },
            else Ok(None)
        )
    }

    /// Looks for a shorter run than one that was found in another way, and proves how short it can be;
    /// the space is explored as far as that needs.
    pub(crate) fn shorten<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        question: &Question,
        run: Run,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Found, CheckError> {
        listener.stage(&format!("{}, a shorter run", question.name));
        let found = Found {
            lower_bound: run.len().min(1),
            run,
            left: self.budget(taken),
        };
        let Ok(bad) = &question.bad else {
            return Ok(found);
        };
        let tight = match bad.state_count() {
            // It is the letters that decide: lassos are as short as the system's.
            1 => Some(TightQuestion {
                automaton: bad.clone(),
                propositions: question.propositions.clone(),
                exact: true,
            }),
            _ => question.tight(),
        };
        let Some(tight) = tight.filter(|_| found.run.len() > 1) else {
            return Ok(found);
        };
        let stutter = question.finished_runs && self.options.deadlock != Deadlock::Ignore;
        with_width!(
            mark_count(space, &tight.automaton),
            W => self.search_tight::<S, W>(space, &tight, stutter, found, listener),
            else Ok(found)
        )
    }

    /// Looks for a shorter run in the product with a tight automaton.
    fn search_tight<S: Store, const W: usize>(
        &self,
        space: &mut Space<'_, S>,
        tight: &TightQuestion,
        stutter: bool,
        mut found: Found,
        listener: &mut dyn Listener,
    ) -> Result<Found, CheckError> {
        let places = space.places_of(&tight.propositions);
        let Ok(mut product) = Product::<S, W>::new(space, &tight.automaton, places, stutter) else {
            return Ok(found);
        };
        self.restrict(&mut product);
        // Distances are kept by the numbers of nodes, and states were numbered long ago.
        let room = found.left.bytes.unwrap_or(MOST_ROOM).min(MOST_ROOM);
        if product.bound() as u64 * size_of::<u32>() as u64 > room {
            return Ok(found);
        }
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let most = found.run.len() - 1;
        let Ok(answer) = bounded(&mut product, most, found.left, &mut watch) else {
            return Ok(found);
        };
        if answer.empty {
            return Err(broken("a search of all states finds no run that shows it"));
        }
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
    pub(crate) fn tell(
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
        let entry = found.run.prefix.len().checked_sub(1);
        told.observed = self.observed(question, bad, &found.run.states(), entry);
        Ok(told)
    }

    /// Whether a run is to be the shortest.
    fn wants_shortest(&self) -> bool {
        let how = self.options.counterexample;
        matches!(how, Counterexamples::Shortest | Counterexamples::All)
    }

    /// What the automaton of bad runs does along a run, if anybody wants to see that.
    pub(crate) fn observed(
        &self,
        question: &Question,
        bad: &Automaton,
        states: &[&[u8]],
        entry: Option<usize>,
    ) -> Option<Box<Observed>> {
        if !self.options.observe {
            return None;
        }
        observe(self.system, states, entry, bad, &question.propositions).map(Box::new)
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
    pub(crate) fn run_of<S: Store, const W: usize>(
        &self,
        product: &Product<'_, '_, S, W>,
        lasso: &GraphLasso<W>,
    ) -> Run {
        let state = |node: NodeId| state_of(product, node);
        let serving = product.space().serving_marks().iter().enumerate();
        let is_chosen = |number: usize| self.chosen.is_none_or(|chosen| chosen[number]);
        let serving = serving.filter(|&(number, _)| is_chosen(number));
        let serving: Vec<usize> = serving.map(|(_, &mark)| mark).collect();
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

/// What the distances of the search for the shortest run may take at most, in bytes.
const MOST_ROOM: u64 = 1 << 30;

/// Half of the time.
fn half(budget: Budget) -> Budget {
    Budget {
        time: budget.time.map(|time| time / 2),
        ..budget
    }
}

/// What is left after some time.
fn less(budget: Budget, taken: Duration) -> Budget {
    Budget {
        time: budget.time.map(|time| time.saturating_sub(taken)),
        ..budget
    }
}

/// The runs that show a violation.
#[derive(Default)]
pub(crate) struct Shown {
    /// The one to look at.
    pub best: Option<Counterexample>,
    /// Further ones, if all were asked for.
    pub others: Vec<Counterexample>,
    /// Whether the budget ended before all were found.
    pub missing: bool,
}

/// Whether two runs are the same steps through the same states.
fn is_same(one: &Counterexample, other: &Counterexample) -> bool {
    one.prefix == other.prefix && one.cycle == other.cycle
}

/// A run that was found, and what is known about shorter ones.
pub(crate) struct Found {
    pub run: Run,
    /// No counterexample is shorter than this.
    pub lower_bound: usize,
    /// What is left of the budget.
    pub left: Budget,
}

impl Found {
    /// The same run with the shortest prefix and the shortest cycle.
    pub fn folded(mut self) -> Found {
        self.run = self.run.folded();
        self
    }
}

/// A lasso that is none: an error of this tool.
pub(crate) fn broken(message: &str) -> CheckError {
    CheckError::Replay(ReplayError {
        position: 0,
        message: message.to_string(),
    })
}
