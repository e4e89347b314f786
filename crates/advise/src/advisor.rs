//! The advice on each question, from one space.
//!
//! For each property the cores of its product are copied; the search over assignments asks the copies.
//! Which runs are left at all is asked of one more copy, if conditions may take all of them away. The
//! first minimal assignment has all the time of the run; the search for others ends after five times
//! as long, or ten seconds.

use std::time::{Duration, Instant};

use evenhand_explicit::graph::Graph;
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::search::Stop;
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_verify::{
    Case, CheckError, LinearQuestion, Listener, PropertyResult, Quiet, StateSpace, StopReason,
    Task, answer_linear, can_block,
};

use crate::advice::{Advice, Advised, Cost, Need, Outcome};
use crate::core_graph::{CoreGraph, ItemMarks};
use crate::hitting::{Assignment, Clause, Level, Minimal, Next, Oracle};
use crate::items::Items;

/// How many minimal assignments are looked for.
const MOST_ASSIGNMENTS: usize = 32;

/// Everything that advice is about.
pub(super) struct Advisor<'a, 'c> {
    /// The space has the marks of all items at both levels.
    pub case: &'a Case<'c>,
    pub tasks: &'a [Task],
    pub items: &'a Items,
    /// Whether all questions get one assignment.
    pub together: bool,
}

impl Advisor<'_, '_> {
    /// The questions that get one assignment each.
    fn groups(&self) -> Vec<&[Task]> {
        match self.together && !self.tasks.is_empty() {
            true => vec![self.tasks],
            false => self.tasks.chunks(1).collect(),
        }
    }

    /// All advice; `None` if more processes showed up than items were set up for.
    pub fn advise(&self, listener: &mut dyn Listener) -> Result<Option<Vec<Advice>>, CheckError> {
        let mut list = Vec::new();
        for group in self.groups() {
            match self.advise_one(group, listener)? {
                Some(advice) => list.push(advice),
                None => return Ok(None),
            }
        }
        Ok(Some(list))
    }

    fn advise_one(
        &self,
        group: &[Task],
        listener: &mut dyn Listener,
    ) -> Result<Option<Advice>, CheckError> {
        let begun = Instant::now();
        let mut advice = Advice {
            properties: group
                .iter()
                .map(|task| (task.question.name.clone(), task.question.text.clone()))
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
        let judged = self.judges(&mut *self.case.space()?, group, listener);
        let found = match judged {
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
        advice.cost.states = self.case.space()?.len() as u64;
        match found {
            Ok(accepted) => {
                for assignment in &accepted {
                    let advised = self.reasons(group, assignment, listener)?;
                    advice.assignments.push(advised);
                }
                if advice.outcome == Outcome::Impossible {
                    let top = vec![Level::Strong; self.items.names.len()];
                    advice.run = self.broken(group, &top, listener)?;
                }
            }
            Err(Failure::Stop(Stop::Processes)) => return Ok(None),
            Err(Failure::Stop(stop)) => advice.outcome = Outcome::Unknown(stop.into()),
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
        let mut until: Option<Instant> = self.case.deadline();
        loop {
            let left = until.map(|end| end.saturating_duration_since(Instant::now()));
            let found = self.case.watched_for(left, listener, |watch| {
                let next = minimal.next(&mut Checking { judges, watch });
                next.map(|next| match next {
                    Next::Found(assignment) => {
                        let is_feasible = judges.is_feasible(&assignment, watch);
                        (Next::Found(assignment), is_feasible)
                    }
                    next => (next, Ok(true)),
                })
            });
            let (next, is_feasible) = match found {
                // What was found is an answer, if not the whole.
                Err(_) if !accepted.is_empty() => break,
                found => found?,
            };
            match next {
                Next::Found(assignment) => {
                    if accepted.is_empty() {
                        advice.cost.first_seconds = begun.elapsed().as_secs_f64();
                        let end = Instant::now() + budget(begun.elapsed());
                        until = Some(until.map_or(end, |known| known.min(end)));
                    }
                    if is_feasible? {
                        accepted.push(assignment);
                    } else {
                        advice.rejected.push(self.items.texts_of(&assignment));
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
    fn judges(
        &self,
        space: &mut StateSpace<'_>,
        group: &[Task],
        listener: &mut dyn Listener,
    ) -> Result<Judges, Failure> {
        let mut judges = Judges::default();
        for question in group.iter().filter_map(Task::linear) {
            judges.parts.push(self.part(space, question, listener)?);
        }
        let fixed = self
            .items
            .fairness_of(&vec![Level::Absent; self.items.names.len()]);
        if can_block(&fixed, self.case.stutters(true)) {
            let everything = LinearQuestion::feasible();
            judges.runs = Some(self.part(space, &everything, listener)?);
        }
        Ok(judges)
    }

    fn part(
        &self,
        space: &mut StateSpace<'_>,
        question: &LinearQuestion,
        listener: &mut dyn Listener,
    ) -> Result<Box<dyn Part>, Failure> {
        let bad = question.bad.as_ref();
        let bad = bad.map_err(|reason| StopReason::Property(reason.clone()))?;
        let places = space.places_of(&question.propositions);
        let items = self.item_marks(space);
        let free: Vec<usize> = items
            .iter()
            .flat_map(|i| i.weak.iter().copied().chain(i.strong.iter().map(|p| p.1)))
            .collect();
        let stutter = self.case.stutters(question.finished_runs);
        let too_many = || {
            let reason = "there are more items than can be kept apart";
            Failure::Reason(StopReason::Unsupported(reason.to_string()))
        };
        self.case.watched(listener, |watch| {
            with_width!(
                mark_count(space, bad),
                W => {
                    let product = Product::<_, W>::new(space, bad, places, stutter);
                    let mut product = product.map_err(|_| too_many())?;
                    let mut condition = product.condition().clone();
                    for &mark in &free {
                        condition = condition.without(mark);
                    }
                    product.set_condition(condition);
                    Ok(Box::new(CoreGraph::new(&mut product, items, watch)?) as Box<dyn Part>)
                },
                else Err(too_many())
            )
        })
    }

    /// The marks of each item.
    fn item_marks(&self, space: &StateSpace<'_>) -> Vec<ItemMarks> {
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
    fn reasons(
        &self,
        group: &[Task],
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
                    result: self.broken(group, &less, listener)?,
                });
            }
        }
        Ok(Advised {
            fairness: self.items.texts_of(assignment),
            reasons,
        })
    }

    /// The first property that fails under an assignment, with a run.
    fn broken(
        &self,
        group: &[Task],
        assignment: &[Level],
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        let fairness = self.items.fairness_of(assignment);
        let chosen = self.items.chosen(assignment);
        let case = self.case.under(fairness, chosen);
        for task in group {
            let result = answer_linear(&case, task, &mut Quiet(listener))?;
            if result.verdict.is_violated() {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// Whether what fails would hold with everything strong at this granularity.
    pub fn try_finer(&self, advice: &mut [Advice], listener: &mut dyn Listener) {
        let top = vec![Level::Strong; self.items.names.len()];
        for (group, advice) in self.groups().into_iter().zip(advice) {
            if advice.outcome != Outcome::Impossible {
                continue;
            }
            let Ok(mut space) = self.case.space() else {
                continue;
            };
            let Ok(mut judges) = self.judges(&mut space, group, listener) else {
                continue;
            };
            let broken = self.case.watched(listener, |watch| {
                let judges = &mut judges;
                Checking { judges, watch }.check(&top)
            });
            advice.finer = broken.ok().map(|broken| broken.is_empty());
        }
    }
}

/// Why there is no answer.
enum Failure {
    Stop(Stop),
    Reason(StopReason),
}

impl From<StopReason> for Failure {
    fn from(reason: StopReason) -> Failure {
        Failure::Reason(reason)
    }
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
