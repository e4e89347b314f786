//! Temporal properties: the product with the automaton of the bad runs, explored and decided by all processes.

use std::time::Instant;

use evenhand_automata::Automaton;
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::store::hash;
use evenhand_system::{Explicit, Kind, PropositionId};
use evenhand_verify::{
    Answers, Case, Detail, Evidence, LinearQuestion, PropertyResult, StopReason, Task as Asked,
    Verdict,
};
use evenhand_witness::{CycleStep, Run};

use crate::engine::{ClusterEngine, NAME, limits};
use crate::explore::{Explore, Task, Totals};
use crate::feasible::{Feasible, Fixpoint};
use crate::lasso::{lasso, states};
use crate::post::{Broken, Post};
use crate::reading::Follow;
use crate::shard::Keep;
use crate::stops;

/// What all workers came to.
struct Decided {
    totals: Totals,
    fixpoint: Fixpoint,
    /// A run in what is left; the first worker has it.
    run: Option<Run>,
    letters: u64,
    bytes: u64,
}

/// Answers a question of linear time.
pub(crate) fn answer(
    engine: &ClusterEngine<'_>,
    case: &Case<'_>,
    (place, task, question): (usize, &Asked, &LinearQuestion),
    answers: &mut Answers<'_>,
) {
    let started = Instant::now();
    let mut result = case.begun(&task.question, NAME);
    let bad = match &question.bad {
        Ok(bad) if bad.acceptance().is_streett() => bad,
        Ok(_) => {
            let reason = "the automaton of the property has no usable acceptance condition";
            result.verdict = Verdict::Unknown(StopReason::Property(reason.to_string()));
            return answers.known(case, (place, task), result, Evidence::None);
        }
        Err(reason) => {
            result.verdict = Verdict::Unknown(StopReason::Property(reason.clone()));
            return answers.known(case, (place, task), result, Evidence::None);
        }
    };
    answers.listener.stage(&question.name);
    let decided = match decide(engine, case, (question, bad), answers) {
        Ok(decided) => decided,
        Err(reason) => {
            result.verdict = Verdict::Unknown(StopReason::Unsupported(reason));
            return answers.known(case, (place, task), result, Evidence::None);
        }
    };
    let (totals, fixpoint) = (&decided.totals, &decided.fixpoint);
    let is_feasible = question.kind == Kind::Feasible;
    let mut evidence = Evidence::None;
    result.verdict = match totals.stop.or(fixpoint.stop) {
        // It is asked again, with fairness for more processes.
        Some(Stop::Processes) => return,
        Some(stop) => Verdict::Unknown(stop.into()),
        None if fixpoint.core > 0 && is_feasible => Verdict::Holds,
        None if fixpoint.core > 0 => {
            evidence = decided.run.clone().map_or(Evidence::None, Evidence::Lasso);
            Verdict::Violated(None)
        }
        None if totals.left_out => Verdict::Unknown(StopReason::NoValue(None)),
        None if is_feasible => Verdict::Violated(None),
        None => Verdict::Holds,
    };
    measure(&mut result, &decided, started);
    answers.known(case, (place, task), result, evidence);
}

fn measure(result: &mut PropertyResult, decided: &Decided, started: Instant) {
    let totals = &decided.totals;
    result.states = totals.states;
    result.transitions = totals.transitions;
    result.product_states = Some(totals.nodes);
    result.product_transitions = Some(totals.edges);
    result.seconds = started.elapsed().as_secs_f64();
    result.peak_memory = totals.bytes;
    result.details = vec![
        Detail::new("most states of a worker", totals.most),
        Detail::new("rounds of the fixpoint", decided.fixpoint.rounds),
        Detail::new("longest chain of letters", decided.fixpoint.depth),
        Detail::new("letters", decided.letters),
        Detail::new("bytes in letters", decided.bytes),
    ];
}

/// Asks all workers.
fn decide(
    engine: &ClusterEngine<'_>,
    case: &Case<'_>,
    (question, bad): (&LinearQuestion, &Automaton),
    answers: &mut Answers<'_>,
) -> Result<Decided, String> {
    let mut propositions = Vec::new();
    for &proposition in &question.propositions {
        if !propositions.contains(&proposition) {
            propositions.push(proposition);
        }
    }
    let is_feasible = question.kind == Kind::Feasible;
    let follow = Follow {
        automaton: bad.clone(),
        propositions: question.propositions.clone(),
        stutter: case.stutters(question.finished_runs),
    };
    let task = task(engine, case, &question.name, (propositions, follow));
    engine.ask(case, task, answers, move |post, system, task, tell| {
        decided(post, system, task, is_feasible, tell)
    })
}

/// The exploration of a product with an automaton, and the name that it has for all workers.
pub(crate) fn task(
    engine: &ClusterEngine<'_>,
    case: &Case<'_>,
    name: &str,
    (propositions, follow): (Vec<PropositionId>, Follow),
) -> (Task, u64) {
    let items = case.fairness().items.len();
    // Numbers of the automaton's states mean something to who has the same one.
    let name = hash(format!("{name} {items} {:?}", follow.automaton).as_bytes());
    let task = Task {
        fairness: case.fairness().clone(),
        propositions,
        follow: Some(follow),
        conditions: Vec::new(),
        wanted: Vec::new(),
        // Of a search that is continued all edges are generated once more.
        keep: match engine.memory_for_time || engine.checkpoint.is_some() {
            true => Keep::EdgesAgain,
            false => Keep::Edges,
        },
        compress: case.options.compress,
        limits: limits(case),
        strategy: engine.strategy,
        checkpoint: engine.checkpoint.as_ref().map(|kept| kept.part(name)),
    };
    (task, name)
}

/// Explores all of a product; what all know of it, and this worker's part of the graph if nobody met a limit.
pub(crate) fn product<'s>(
    post: &mut Post,
    system: &'s dyn Explicit,
    task: &'s Task,
    tell: &mut dyn FnMut(&Progress),
) -> Result<(Explore<'s>, Totals, Option<Feasible>), Broken> {
    let mut explore = Explore::new(system, task, post.peers());
    let mut totals = explore.run(post, tell)?;
    if totals.stop.is_none() && task.keep == Keep::EdgesAgain {
        explore.again(post, &mut totals)?;
    }
    if totals.stop.is_some() {
        return Ok((explore, totals, None));
    }
    let about = (explore.first, task);
    let made = Feasible::new(post, &mut explore.shard, &explore.reading, about);
    totals.stop = stops::agreed(post, made.as_ref().err().copied())?;
    let graph = made.ok().filter(|_| totals.stop.is_none());
    Ok((explore, totals, graph))
}

/// One worker's part.
fn decided(
    post: &mut Post,
    system: &dyn Explicit,
    task: &Task,
    is_feasible: bool,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Decided, Broken> {
    let (letters, bytes) = (post.letters, post.bytes);
    let (mut explore, totals, graph) = product(post, system, task, tell)?;
    let mut decided = Decided {
        fixpoint: Fixpoint::default(),
        run: None,
        letters: 0,
        bytes: 0,
        totals,
    };
    if let Some(mut feasible) = graph {
        decided.fixpoint = feasible.run(post)?;
        let is_found = decided.fixpoint.core > 0 && decided.fixpoint.stop.is_none();
        if is_found && !is_feasible {
            decided.run = run(post, &mut explore, &feasible)?;
        }
    }
    let sums = post.sum(&[post.letters - letters, post.bytes - bytes])?;
    (decided.letters, decided.bytes) = (sums[0], sums[1]);
    Ok(decided)
}

/// A run in what the fixpoint has left; only the first worker has it.
fn run(
    post: &mut Post,
    explore: &mut Explore<'_>,
    feasible: &Feasible,
) -> Result<Option<Run>, Broken> {
    let found = lasso(post, feasible)?;
    let mut nodes = found.prefix.clone();
    nodes.extend(found.cycle.iter().map(|step| step.to));
    let mut prefix = states(post, explore, &nodes)?;
    if prefix.len() < nodes.len() {
        return Ok(None);
    }
    let around = prefix.split_off(found.prefix.len());
    let serving = explore.reading.marking.serving.iter();
    let bits: Vec<Option<&usize>> = serving.map(|mark| feasible.bits.get(mark)).collect();
    let cycle = around
        .into_iter()
        .zip(&found.cycle)
        .map(|(state, step)| CycleStep {
            state,
            serves: bits
                .iter()
                .map(|bit| bit.is_some_and(|bit| step.marks[bit / 64] >> (bit % 64) & 1 == 1))
                .collect(),
        });
    Ok(Some(Run {
        prefix,
        cycle: cycle.collect(),
    }))
}
