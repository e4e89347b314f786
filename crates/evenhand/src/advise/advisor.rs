//! The advice on each question, from one space.
//!
//! For each property the cores of its product are copied; the search over assignments asks the copies.
//! Which runs are left at all is asked of one more copy, if conditions may take all of them away. The
//! first minimal assignment has all the time of the run; the search for others ends after five times
//! as long, or ten seconds.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use evenhand_explicit::graph::Graph;
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::{PlainStore, Store, TreeStore};
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_report::{PropertyResult, Verdict};
use evenhand_system::Explicit;

use super::core_graph::{CoreGraph, ItemMarks};
use super::hitting::{Assignment, Clause, Level, Minimal, Next, Oracle};
use super::items::Items;
use super::{Advice, AdviseOptions, Advised, Cost, Need, Outcome};
use crate::check::{CheckError, Deadlock, Listener};
use crate::question::Question;
use crate::temporal::{Asked, limits_of, propositions_of};
use crate::vacuity::can_block;

/// How many minimal assignments are looked for.
const MOST_ASSIGNMENTS: usize = 32;

/// Everything that advice is about.
pub(super) struct Advisor<'q> {
    pub system: &'q dyn Explicit,
    pub questions: &'q [Question],
    pub items: &'q Items,
    pub options: &'q AdviseOptions,
    pub deadline: Option<Instant>,
    /// Whether states contain inputs.
    pub inputs: bool,
}

impl<'q> Advisor<'q> {
    /// The questions that get one assignment each.
    fn groups(&self) -> Vec<&'q [Question]> {
        match self.options.together && !self.questions.is_empty() {
            true => vec![self.questions],
            false => self.questions.chunks(1).collect(),
        }
    }

    /// All advice; `None` if more processes showed up than items were set up for.
    pub fn advise(&self, listener: &mut dyn Listener) -> Result<Option<Vec<Advice>>, CheckError> {
        let propositions = propositions_of(self.questions);
        let interest = Interest {
            propositions: &propositions,
            fairness: &self.items.fairness,
        };
        let limits = limits_of(&self.options.check);
        if self.options.check.compress {
            let space = Space::new(self.system, interest, TreeStore::with_limits(limits));
            self.advise_all(space, listener)
        } else {
            let space = Space::new(self.system, interest, PlainStore::with_limits(limits));
            self.advise_all(space, listener)
        }
    }

    fn advise_all<S: Store>(
        &self,
        mut space: Space<'_, S>,
        listener: &mut dyn Listener,
    ) -> Result<Option<Vec<Advice>>, CheckError> {
        let mut list = Vec::new();
        for group in self.groups() {
            match self.advise_one(&mut space, group, listener)? {
                Some(advice) => list.push(advice),
                None => return Ok(None),
            }
        }
        Ok(Some(list))
    }

    fn advise_one<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        group: &[Question],
        listener: &mut dyn Listener,
    ) -> Result<Option<Advice>, CheckError> {
        let begun = Instant::now();
        let mut advice = Advice {
            properties: group
                .iter()
                .map(|q| (q.name.clone(), q.formula.clone()))
                .collect(),
            outcome: Outcome::Needs,
            assignments: Vec::new(),
            rejected: Vec::new(),
            complete: false,
            run: None,
            finer: None,
            cost: Cost::default(),
        };
        let mut minimal = Minimal::new(self.items.names.len());
        let found = match self.judges(space, group, listener) {
            Ok(mut judges) => {
                advice.cost.explore_seconds = begun.elapsed().as_secs_f64();
                advice.cost.product_states = judges.parts.iter().map(|p| p.size().0).sum();
                let found = self.search(&mut minimal, &mut judges, &mut advice, begun, listener);
                advice.cost.checks = judges.checks;
                advice.cost.check_seconds = judges.taken.as_secs_f64();
                found
            }
            Err(stop) => Err(stop),
        };
        advice.cost.states = space.len() as u64;
        match found {
            Ok(accepted) => {
                for assignment in &accepted {
                    let advised = self.reasons(space, group, assignment, listener)?;
                    advice.assignments.push(advised);
                }
                if advice.outcome == Outcome::Impossible {
                    let top = vec![Level::Strong; self.items.names.len()];
                    advice.run = self.broken(space, group, &top, listener)?;
                }
            }
            Err(Failure::Stop(Stop::Processes)) => return Ok(None),
            Err(Failure::Stop(stop)) => advice.outcome = Outcome::Unknown(stop.to_string()),
            Err(Failure::Reason(reason)) => advice.outcome = Outcome::Unknown(reason),
        }
        advice.cost.seconds = begun.elapsed().as_secs_f64();
        Ok(Some(advice))
    }

    /// Finds minimal assignments; those under which fair runs are left.
    fn search(
        &self,
        minimal: &mut Minimal,
        judges: &mut Judges,
        advice: &mut Advice,
        begun: Instant,
        listener: &mut dyn Listener,
    ) -> Result<Vec<Assignment>, Failure> {
        let mut accepted: Vec<Assignment> = Vec::new();
        let budget = |first: Duration| (first * 5).max(Duration::from_secs(10));
        let mut until: Option<Instant> = self.deadline;
        loop {
            let mut observer = |progress: &Progress| listener.progress(progress);
            let left = until.map(|end| end.saturating_duration_since(Instant::now()));
            let mut watch = Watch::new(&mut observer, left, self.options.check.limit_memory);
            let mut oracle = Checking {
                judges,
                watch: &mut watch,
            };
            let next = match minimal.next(&mut oracle) {
                // What was found is an answer, if not the whole.
                Err(_) if !accepted.is_empty() => break,
                next => next?,
            };
            match next {
                Next::Found(assignment) => {
                    if accepted.is_empty() {
                        advice.cost.first_seconds = begun.elapsed().as_secs_f64();
                        let end = Instant::now() + budget(begun.elapsed());
                        until = Some(until.map_or(end, |known| known.min(end)));
                    }
                    if judges.is_feasible(&assignment, &mut watch)? {
                        accepted.push(assignment);
                    } else {
                        advice.rejected.push(self.items.texts(&assignment));
                    }
                    let late = until.is_some_and(|end| Instant::now() > end);
                    if accepted.len() >= MOST_ASSIGNMENTS || !accepted.is_empty() && late {
                        break;
                    }
                }
                Next::NoMore => {
                    advice.complete = true;
                    break;
                }
                Next::Unknown => break,
            }
        }
        let is_bottom = |a: &Assignment| a.iter().all(|&level| level == Level::Absent);
        advice.outcome = match accepted.first() {
            Some(first) if is_bottom(first) => Outcome::Nothing,
            Some(_) => Outcome::Needs,
            None if minimal.found().is_empty() => Outcome::Impossible,
            None => Outcome::Vacuous,
        };
        Ok(accepted)
    }

    /// Explores, and keeps what the checks need.
    fn judges<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        group: &[Question],
        listener: &mut dyn Listener,
    ) -> Result<Judges, Failure> {
        let mut judges = Judges::default();
        let ignores = self.options.check.deadlock == Deadlock::Ignore;
        for question in group {
            let part = self.part(space, question, !ignores, listener)?;
            judges.parts.push(part);
        }
        let fixed = self
            .items
            .fairness_of(&vec![Level::Absent; self.items.names.len()]);
        if can_block(&fixed, !ignores) {
            let everything = Question::feasible();
            judges.runs = Some(self.part(space, &everything, !ignores, listener)?);
        }
        Ok(judges)
    }

    fn part<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        question: &Question,
        stutter: bool,
        listener: &mut dyn Listener,
    ) -> Result<Box<dyn Part>, Failure> {
        let bad = question
            .bad
            .as_ref()
            .map_err(|reason| Failure::Reason(reason.clone()))?;
        let mut observer = |progress: &Progress| listener.progress(progress);
        let left = self
            .deadline
            .map(|end| end.saturating_duration_since(Instant::now()));
        let mut watch = Watch::new(&mut observer, left, self.options.check.limit_memory);
        let places = space.places_of(&question.propositions);
        let items = self.item_marks(space);
        let free: Vec<usize> = items
            .iter()
            .flat_map(|i| i.weak.iter().copied().chain(i.strong.iter().map(|p| p.1)))
            .collect();
        let stutter = stutter && question.finished_runs;
        let too_many = || Failure::Reason("there are more items than can be kept apart".into());
        with_width!(
            mark_count(space, bad),
            W => {
                let product = Product::<S, W>::new(space, bad, places, stutter);
                let mut product = product.map_err(|_| too_many())?;
                let mut condition = product.condition().clone();
                for &mark in &free {
                    condition = condition.without(mark);
                }
                product.set_condition(condition);
                Ok(Box::new(CoreGraph::new(&mut product, items, &mut watch)?))
            },
            else Err(too_many())
        )
    }

    /// The marks of each item.
    fn item_marks<S: Store>(&self, space: &Space<'_, S>) -> Vec<ItemMarks> {
        let mut marks = vec![ItemMarks::default(); self.items.names.len()];
        let pairs = space.condition().1;
        for (owner, &serving) in self.items.owners.iter().zip(space.serving_marks()) {
            match *owner {
                Some((item, Level::Weak)) => marks[item].weak.push(serving),
                Some((item, Level::Strong)) => {
                    let pair = pairs.iter().find(|pair| pair.1 == serving);
                    marks[item].strong.extend(pair);
                }
                _ => {}
            }
        }
        marks
    }

    /// Why each item of an assignment is needed.
    fn reasons<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        group: &[Question],
        assignment: &[Level],
        listener: &mut dyn Listener,
    ) -> Result<Advised, CheckError> {
        let mut reasons = Vec::new();
        for wanted in [Level::Strong, Level::Weak] {
            for (item, &level) in assignment.iter().enumerate() {
                let Some(lowered) = level.below().filter(|_| level == wanted) else {
                    continue;
                };
                let mut less = assignment.to_vec();
                less[item] = lowered;
                reasons.push(Need {
                    item: self.items.names[item].clone(),
                    level,
                    lowered,
                    result: self.broken(space, group, &less, listener)?,
                });
            }
        }
        Ok(Advised {
            fairness: self.items.texts(assignment),
            reasons,
        })
    }

    /// The first property that fails under an assignment, with a run.
    fn broken<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        group: &[Question],
        assignment: &[Level],
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        let fairness = self.items.fairness_of(assignment);
        let chosen = self.items.chosen(assignment);
        let asked = Asked {
            system: self.system,
            questions: group,
            fairness: &fairness,
            options: &self.options.check,
            deadline: self.deadline,
            chosen: Some(&chosen),
            ends: &Verdict::Holds,
            inputs: self.inputs,
            missing: RefCell::default(),
        };
        let mut quiet = Quiet(listener);
        for question in group {
            let result = asked.decide(space, question, &mut quiet)?;
            if let Some(result) = result
                && matches!(result.verdict, Verdict::Violated(_))
            {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// Whether what fails would hold with everything strong at this granularity.
    pub fn try_finer(
        &self,
        advice: &mut [Advice],
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        let propositions = propositions_of(self.questions);
        let interest = Interest {
            propositions: &propositions,
            fairness: &self.items.fairness,
        };
        let limits = limits_of(&self.options.check);
        let mut space = Space::new(self.system, interest, PlainStore::with_limits(limits));
        let top = vec![Level::Strong; self.items.names.len()];
        for (group, advice) in self.groups().into_iter().zip(advice) {
            if advice.outcome != Outcome::Impossible {
                continue;
            }
            let Ok(mut judges) = self.judges(&mut space, group, listener) else {
                continue;
            };
            let mut observer = |progress: &Progress| listener.progress(progress);
            let left = self
                .deadline
                .map(|end| end.saturating_duration_since(Instant::now()));
            let mut watch = Watch::new(&mut observer, left, self.options.check.limit_memory);
            let mut oracle = Checking {
                judges: &mut judges,
                watch: &mut watch,
            };
            advice.finer = oracle.check(&top).ok().map(|broken| broken.is_empty());
        }
        Ok(())
    }
}

/// Tells how searches go, but not their verdicts: they are about assignments that nobody asked for.
struct Quiet<'l>(&'l mut dyn Listener);

impl Listener for Quiet<'_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.0.progress(progress)
    }
}

/// Why there is no answer.
enum Failure {
    Stop(Stop),
    Reason(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stop(stop)
    }
}

/// The bad runs of one question, whatever the width of its marks.
trait Part {
    fn check(&mut self, levels: &[Level], watch: &mut Watch<'_>) -> Result<Vec<Clause>, Stop>;
    fn size(&self) -> (u64, usize);
}

impl<const W: usize> Part for CoreGraph<W> {
    fn check(&mut self, levels: &[Level], watch: &mut Watch<'_>) -> Result<Vec<Clause>, Stop> {
        CoreGraph::check(self, levels, watch)
    }

    fn size(&self) -> (u64, usize) {
        (self.size, self.bytes_used())
    }
}

/// What decides assignments: the bad runs of each property, and all runs where some may be missing.
#[derive(Default)]
struct Judges {
    parts: Vec<Box<dyn Part>>,
    runs: Option<Box<dyn Part>>,
    checks: u64,
    taken: Duration,
}

impl Judges {
    /// Whether a fair run is left under an assignment.
    fn is_feasible(&mut self, levels: &[Level], watch: &mut Watch<'_>) -> Result<bool, Stop> {
        match &mut self.runs {
            Some(runs) => Ok(!runs.check(levels, watch)?.is_empty()),
            None => Ok(true),
        }
    }
}

struct Checking<'c, 'w, 'a> {
    judges: &'c mut Judges,
    watch: &'w mut Watch<'a>,
}

impl Oracle for Checking<'_, '_, '_> {
    fn check(&mut self, assignment: &[Level]) -> Result<Vec<Clause>, Stop> {
        let begun = Instant::now();
        let mut broken = Vec::new();
        for part in &mut self.judges.parts {
            broken.extend(part.check(assignment, self.watch)?);
        }
        self.judges.checks += 1;
        self.judges.taken += begun.elapsed();
        Ok(broken)
    }
}
