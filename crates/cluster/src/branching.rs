//! Formulas of branching time: all states explored with the automaton that accepts everything, and labelled.

use std::time::Instant;

use evenhand_automata::Automaton;
use evenhand_explicit::search::{Progress, Stop};
use evenhand_system::{Explicit, FinishedRuns, Formula};
use evenhand_verify::{
    Answers, Case, Detail, Evidence, PropertyResult, StopReason, Task as Asked, Verdict,
};

use crate::classes::Key;
use crate::engine::{ClusterEngine, NAME};
use crate::explore::{Task, Totals};
use crate::labels::{Labelled, is_ctl, label};
use crate::linear::{product, task};
use crate::post::{Broken, Post};
use crate::reading::Follow;

/// Why several processes cannot answer a formula of branching time, if they cannot.
pub(crate) fn refusal(case: &Case<'_>, formula: &Formula) -> Option<&'static str> {
    if case.finished == FinishedRuns::Maximal {
        return Some("runs that end are read as finite ones");
    }
    if !case.view.inputs.is_empty() && case.view.body.relation().is_err() {
        return Some("it is of branching time, where states say which step comes next");
    }
    match is_ctl(formula) {
        true => None,
        false => Some("it is of branching time, and no formula of CTL"),
    }
}

/// What all workers came to.
struct Decided {
    totals: Totals,
    labelled: Labelled,
    letters: u64,
    bytes: u64,
}

/// Answers a formula of CTL.
pub(crate) fn answer(
    engine: &ClusterEngine<'_>,
    case: &Case<'_>,
    (place, asked, formula): (usize, &Asked, &Formula),
    answers: &mut Answers<'_>,
) {
    let started = Instant::now();
    let mut result = case.begun(&asked.question, NAME);
    answers.listener.stage(&asked.question.name);
    let mut propositions = formula.reads();
    propositions.sort_unstable();
    propositions.dedup();
    let follow = Follow {
        automaton: Automaton::everything(),
        propositions: Vec::new(),
        stutter: case.stutters(true),
    };
    let task = task(engine, case, &asked.question.name, (propositions, follow));
    let formula = formula.clone();
    let (body, inputs) = (case.view.body.clone(), case.view.inputs.clone());
    let decided = engine.ask(case, task, answers, move |post, system, task, tell| {
        let key = |state: &[u8]| body.without_inputs(&inputs, state);
        let key: Option<Key<'_>> = (!inputs.is_empty()).then_some(&key);
        decided(post, system, task, (&formula, key), tell)
    });
    result.verdict = match decided {
        Err(reason) => Verdict::Unknown(StopReason::Unsupported(reason)),
        Ok(decided) => {
            let (totals, labelled) = (&decided.totals, &decided.labelled);
            let verdict = match totals.stop.or(labelled.fixpoint.stop) {
                // It is asked again, with fairness for more processes.
                Some(Stop::Processes) => return,
                Some(stop) => Verdict::Unknown(stop.into()),
                None if totals.left_out || labelled.left_out => {
                    Verdict::Unknown(StopReason::NoValue(None))
                }
                None if labelled.failing > 0 => Verdict::Violated(None),
                None => Verdict::Holds,
            };
            measure(&mut result, &decided, started);
            verdict
        }
    };
    answers.known(case, (place, asked), result, Evidence::None);
}

/// One worker's part.
fn decided(
    post: &mut Post,
    system: &dyn Explicit,
    task: &Task,
    asked: (&Formula, Option<Key<'_>>),
    tell: &mut dyn FnMut(&Progress),
) -> Result<Decided, Broken> {
    let (letters, bytes) = (post.letters, post.bytes);
    let (mut explore, totals, graph) = product(post, system, task, tell)?;
    let labelled = match graph {
        Some(mut graph) => label(post, &mut explore, &mut graph, asked)?,
        None => Labelled::default(),
    };
    let sums = post.sum(&[post.letters - letters, post.bytes - bytes])?;
    Ok(Decided {
        totals,
        labelled,
        letters: sums[0],
        bytes: sums[1],
    })
}

fn measure(result: &mut PropertyResult, decided: &Decided, started: Instant) {
    let (totals, fixpoint) = (&decided.totals, &decided.labelled.fixpoint);
    result.states = totals.states;
    result.transitions = totals.transitions;
    result.seconds = started.elapsed().as_secs_f64();
    result.peak_memory = totals.bytes;
    result.details = vec![
        Detail::new("most states of a worker", totals.most),
        Detail::new("rounds of the fixpoint", fixpoint.rounds),
        Detail::new("longest chain of letters", fixpoint.depth),
        Detail::new("letters", decided.letters),
        Detail::new("bytes in letters", decided.bytes),
    ];
}
