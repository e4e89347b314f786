//! The engine that asks many processes.
//!
//! Every process checks the same model for the same properties; what this engine is asked, it does together with the
//! same engine in all others, and all come to the same verdicts. The first process has the run that shows a violation,
//! which is then executed and judged as every run is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::store::hash;
use evenhand_system::explicit::FaultReport;
use evenhand_system::{
    Explicit, Fairness, FaultKind, FinishedRuns, Formula, Kind, Question, Successors, What,
};
use evenhand_verify::{
    Answers, Case, CheckError, Detail, Engine, Evidence, FiniteRun, PropertyResult, StopReason,
    Support, Task as Asked, Verdict, View, memory,
};

use crate::branching;
use crate::checkpoint::Checkpoint;
use crate::crew::Cluster;
use crate::explore::{self, Explore, Limits, Task, Totals};
use crate::feasible::Strategy;
use crate::linear;
use crate::path::path;
use crate::post::{Broken, Post};
use crate::shard::Keep;

/// What the engine is called.
pub const NAME: &str = "cluster";

/// Asks all processes of a cluster.
#[derive(Debug)]
pub struct ClusterEngine<'c> {
    /// The cluster.
    pub cluster: &'c Cluster,
    /// Where searches are kept that can be continued.
    pub checkpoint: Option<Checkpoint>,
    /// Successors are generated a second time, so that edges of temporal properties need less memory.
    pub memory_for_time: bool,
    /// How fair cycles are found.
    pub strategy: Strategy,
}

/// Something asked of all states, and where its answer is found.
struct Plain<'t> {
    place: usize,
    task: &'t Asked,
    /// What the exploration looks for.
    at: usize,
    /// Whether this is a part only, and runs are asked for where it is true.
    is_part: bool,
}

impl Engine for ClusterEngine<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "all states of a system, on several processes or machines"
    }

    fn supports(&self, case: &Case<'_>, _question: &Question) -> Support {
        let system = match case.system() {
            Ok(system) => system,
            Err(refusal) => return Support::No(refusal.to_string()),
        };
        let no = |reason: &str| Support::No(cannot(reason));
        if !system.is_portable() {
            return no("states of this language mean something in one process only");
        }
        if !system.is_pure() {
            return no("its states are to be explored in one order");
        }
        if case.options.max_depth.is_some() {
            return no("bounded checks are done by one");
        }
        // What several processes cannot do of what is asked stays open, and the rest is answered.
        Support::Yes
    }

    fn together(&self) -> bool {
        true
    }

    fn answer(
        &self,
        case: &Case<'_>,
        tasks: &[&Asked],
        answers: &mut Answers<'_>,
    ) -> Result<(), CheckError> {
        let (mut plain, mut conditions) = (Vec::new(), Vec::<Formula>::new());
        let mut known = Vec::new();
        for (place, &task) in tasks.iter().enumerate() {
            if let Some(reason) = refusal(case, &task.question)? {
                let reason = StopReason::Unsupported(cannot(reason));
                let result = case.unknown(&task.question, reason);
                answers.known(case, (place, task), result, Evidence::None);
                known.push(place);
                continue;
            }
            let at = match &task.question.what {
                What::Errors => explore::FAULT,
                What::Ends => explore::END,
                What::Trace => explore::TRACE,
                What::Total => explore::DEAD,
                What::Invariant(formula) => {
                    conditions.push(formula.clone());
                    explore::CONDITIONS + conditions.len() - 1
                }
                What::Branching(_) => continue,
                _ => match &task.question.always {
                    Some(always) => {
                        conditions.push(always.clone());
                        explore::CONDITIONS + conditions.len() - 1
                    }
                    None => continue,
                },
            };
            let is_part = task.linear().is_some();
            plain.push(Plain {
                place,
                task,
                at,
                is_part,
            });
        }
        if !plain.is_empty() {
            known.extend(self.answer_plain(case, &plain, conditions, answers)?);
        }
        for (place, &task) in tasks.iter().enumerate() {
            if known.contains(&place) {
                continue;
            }
            if let Some(question) = task.linear() {
                linear::answer(self, case, (place, task, question), answers);
            } else if let What::Branching(formula) = &task.question.what {
                branching::answer(self, case, (place, task, formula), answers);
            }
        }
        Ok(())
    }
}

/// Why several processes cannot answer a question about a system that they can explore, if they cannot.
fn refusal(case: &Case<'_>, question: &Question) -> Result<Option<&'static str>, CheckError> {
    let system = case.system()?;
    let mut reads = question.reads().into_iter();
    if reads.any(|proposition| system.is_on_steps(proposition)) {
        return Ok(Some("it is about steps"));
    }
    Ok(match question.what {
        What::Errors | What::Ends | What::Trace | What::Total | What::Invariant(_) => None,
        What::Linear(_) | What::Feasible => match case.finished {
            FinishedRuns::Maximal => Some("runs that end are read as finite ones"),
            _ => None,
        },
        What::Branching(ref formula) => branching::refusal(case, formula),
        _ => Some("it is of a kind that one process answers"),
    })
}

fn cannot(reason: &str) -> String {
    format!("several processes cannot answer it: {reason}")
}

/// What one exploration came to, and what the first worker has to show.
struct Found {
    totals: Totals,
    /// For each thing that was looked for, the way to it.
    paths: Vec<Vec<Vec<u8>>>,
    executed: Vec<bool>,
    letters: u64,
    bytes: u64,
}

impl ClusterEngine<'_> {
    /// Everything that is asked of all states: one exploration. The places of the questions that are answered by it come back.
    fn answer_plain(
        &self,
        case: &Case<'_>,
        plain: &[Plain<'_>],
        conditions: Vec<Formula>,
        answers: &mut Answers<'_>,
    ) -> Result<Vec<usize>, CheckError> {
        let started = Instant::now();
        let names: Vec<&str> = plain.iter().map(|p| &*p.task.question.name).collect();
        answers.listener.stage(&names.join(", "));
        let name = hash(names.join("\n").as_bytes());
        let propositions = conditions.iter().flat_map(Formula::reads);
        let mut distinct = Vec::new();
        for proposition in propositions {
            if !distinct.contains(&proposition) {
                distinct.push(proposition);
            }
        }
        let task = Task {
            fairness: Fairness::default(),
            propositions: distinct,
            follow: None,
            conditions,
            wanted: plain.iter().map(|p| p.at).collect(),
            keep: Keep::Parents,
            compress: case.options.compress,
            limits: limits(case),
            strategy: self.strategy,
            checkpoint: self.checkpoint.as_ref().map(|kept| kept.part(name)),
        };
        let found = match self.ask(case, (task, name), answers, explored) {
            Ok(found) => found,
            Err(reason) => {
                for p in plain {
                    let reason = StopReason::Unsupported(reason.clone());
                    let result = case.unknown(&p.task.question, reason);
                    answers.known(case, (p.place, p.task), result, Evidence::None);
                }
                return Ok(plain.iter().map(|p| p.place).collect());
            }
        };
        let totals = &found.totals;
        let mut known = Vec::new();
        let system = case.system()?;
        let fault = fault_in(system, &found.paths[explore::FAULT], false);
        for p in plain {
            let mut result = case.begun(&p.task.question, NAME);
            let mut evidence = Evidence::None;
            let is_condition = p.at == explore::DEAD || p.at >= explore::CONDITIONS;
            let has_fault = is_condition
                && totals.found[explore::FAULT].is_some()
                && !p.task.question.holds_by_itself();
            let undecided = p.at.checked_sub(explore::CONDITIONS);
            let is_undecided = undecided.is_some_and(|at| totals.undecided[at]);
            result.verdict = match (totals.found[p.at], totals.stop) {
                (Some(_), _) => {
                    evidence = shown(system, p.at, &found.paths[p.at], &mut result);
                    Verdict::Violated(None)
                }
                (None, Some(stop)) => Verdict::Unknown(stop.into()),
                (None, None) if is_undecided => Verdict::Unknown(StopReason::NoValue(None)),
                (None, None) if has_fault => {
                    let kind = fault
                        .as_ref()
                        .map_or(FaultKind::Assertion, |f| f.fault.kind);
                    Verdict::Unknown(StopReason::RunTimeError(kind))
                }
                (None, None) => Verdict::Holds,
            };
            if p.is_part && result.verdict.holds() {
                continue;
            }
            measure(&mut result, &found, started);
            answers.known(case, (p.place, p.task), result, evidence);
            known.push(p.place);
        }
        if totals.stop.is_none() && totals.found[explore::FAULT].is_none() {
            answers.executed = Some(found.executed);
        }
        Ok(known)
    }

    /// Has all workers do the same about a system; what the first one of this process came to.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        case: &Case<'_>,
        (task, name): (Task, u64),
        answers: &mut Answers<'_>,
        work: impl Fn(&mut Post, &dyn Explicit, &Task, &mut dyn FnMut(&Progress)) -> Result<T, Broken>
        + Send
        + Sync
        + 'static,
    ) -> Result<T, String> {
        let view = Arc::new(View::new(case.view.body.clone(), case.view.inputs.clone()));
        let cancel = task.limits.cancel.clone();
        let job = move |post: &mut Post, tell: &mut dyn FnMut(&Progress)| {
            same_job(post, name)?;
            let Ok(system) = view.system() else {
                post.alarm
                    .raise("the system cannot be explored state by state");
                return Err(Broken);
            };
            work(post, system, &task, tell)
        };
        let options = case.options;
        let mut watch = |progress: Option<&Progress>| {
            let goes_on = progress.is_none_or(|p| answers.listener.progress(p));
            if !goes_on || options.cancel.is_cancelled() {
                cancel.store(true, Ordering::Relaxed);
            }
            !cancel.load(Ordering::Relaxed)
        };
        let mut found = self.cluster.work(job, &mut watch)?;
        Ok(found.swap_remove(0))
    }
}

/// All workers are asked for the same.
pub(crate) fn same_job(post: &mut Post, name: u64) -> Result<(), Broken> {
    let all = post.agree(&name.to_le_bytes())?;
    let other = all.iter().position(|said| *said != name.to_le_bytes());
    if let Some(worker) = other {
        post.alarm
            .raise(format!("worker {worker} is about something else"));
        return Err(Broken);
    }
    Ok(())
}

/// One worker's part of an exploration, and of gathering what was found.
fn explored(
    post: &mut Post,
    system: &dyn Explicit,
    task: &Task,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Found, Broken> {
    let (letters, bytes) = (post.letters, post.bytes);
    let mut explore = Explore::new(system, task, post.peers());
    let totals = explore.run(post, tell)?;
    let sums = post.sum(&[post.letters - letters, post.bytes - bytes])?;
    let mut paths = vec![Vec::new(); totals.found.len()];
    for (at, found) in totals.found.iter().enumerate() {
        if let Some(to) = found.filter(|to| to.node != u32::MAX && at != explore::CUT) {
            paths[at] = path(post, &mut explore, to)?;
        }
    }
    let own: Vec<u8> = explore.executed().iter().map(|&is| is.into()).collect();
    let all = post.agree(&own)?;
    let count = own.len();
    let is_executed = |at: usize| all.iter().any(|said| said.get(at) == Some(&1));
    let executed = (0..count).map(|at| explore.is_resumed || is_executed(at));
    Ok(Found {
        totals,
        paths,
        executed: executed.collect(),
        letters: sums[0],
        bytes: sums[1],
    })
}

/// The limits of a case.
pub(crate) fn limits(case: &Case<'_>) -> Limits {
    Limits {
        states: case.options.limit_states,
        memory: case.options.limit_memory,
        used_memory: memory::in_use,
        until: case.deadline(),
        cancel: Arc::new(AtomicBool::new(case.options.cancel.is_cancelled())),
    }
}

/// What there is to show for something that was met.
fn shown(
    system: &dyn Explicit,
    at: usize,
    path: &[Vec<u8>],
    result: &mut PropertyResult,
) -> Evidence {
    let fault = match at {
        explore::FAULT | explore::TRACE => fault_in(system, path, at == explore::TRACE),
        _ => None,
    };
    let kind = fault.as_ref().map(|report| report.fault.kind);
    if result.kind == Kind::Assertion && kind.is_some_and(|kind| kind != FaultKind::Assertion) {
        result.kind = Kind::RuntimeError;
    }
    if path.is_empty() {
        return Evidence::None;
    }
    Evidence::Path(FiniteRun {
        states: path.to_vec(),
        fault,
        shortest: true,
        lower_bound: path.len() - 1,
    })
}

/// The error in the last state of a path: of several one that the user wrote, an assertion.
fn fault_in(system: &dyn Explicit, path: &[Vec<u8>], trace: bool) -> Option<FaultReport> {
    let mut out = Successors::new();
    let mut explorer = system.explorer(&[]);
    match path.last() {
        Some(last) => explorer.expand(last, &mut out),
        None => explorer.initial(&mut out),
    }
    let is_meant = |report: &&FaultReport| {
        let is_trace = matches!(report.fault.kind, FaultKind::Trace { .. });
        is_trace == trace && Stop::of_fault(&report.fault.kind).is_none()
    };
    let is_assertion = |report: &&FaultReport| report.fault.kind == FaultKind::Assertion;
    let mut meant = out.faults().iter().filter(is_meant);
    meant
        .clone()
        .find(is_assertion)
        .or_else(|| meant.next())
        .cloned()
}

fn measure(result: &mut PropertyResult, found: &Found, started: Instant) {
    let totals = &found.totals;
    result.states = totals.states;
    result.transitions = totals.transitions;
    result.seconds = started.elapsed().as_secs_f64();
    result.peak_memory = totals.bytes;
    result.details = vec![
        Detail::new("most states of a worker", totals.most),
        Detail::new("letters", found.letters),
        Detail::new("bytes in letters", found.bytes),
    ];
}
