//! Following a run that somebody wrote down: which steps of the system are meant?
//!
//! A record of a run tells less than the states are: the variables but not where each process stands, or the
//! statements but not the variables. Several steps may look the same, and only later it shows which of
//! them was meant. So the search goes down every step that looks right, depth first, and remembers the
//! pairs of a state and a place in the record from which it came back. What is found is a run of the system, not a
//! story: each step is executed and told anew. The cost is the number of such pairs; for a record that
//! says what was executed, its length.

use std::collections::HashSet;
use std::hash::Hash;

use evenhand_source::spend;
use evenhand_system::explicit::{FaultReport, Record, Value};
use evenhand_system::{Explicit, Successors};

use crate::replay::{Teller, TraceStep};

/// A run that was written down.
pub trait Script {
    /// A place in it.
    type Place: Clone + Eq + Hash;

    /// The place behind the initial state.
    fn start(&self) -> Self::Place;

    /// Whether it may begin in a state with these variables.
    fn begins(&self, state: &[(String, Value)]) -> bool;

    /// Whether it is over.
    fn is_over(&self, place: &Self::Place) -> bool;

    /// Whether a step to a state with these variables can be the next.
    fn leads_to(&self, place: &Self::Place, state: &[(String, Value)]) -> bool;

    /// The place behind a step, if it is the next one; and how well it fits, better ones being greater.
    fn after(&self, place: &Self::Place, step: &TraceStep) -> Option<(Self::Place, u32)>;
}

/// A run of a system that is the one of a script.
#[derive(Clone, Debug)]
pub struct Followed<P> {
    /// Its states.
    pub states: Vec<Vec<u8>>,
    /// For each state its number among the initial states, or the successors of the one before.
    pub numbers: Vec<usize>,
    /// The steps, the initial state first.
    pub steps: Vec<TraceStep>,
    /// The place in the script behind each step.
    pub places: Vec<P>,
    /// The run-time error in the last step, if there is one; then this step has no state.
    pub fault: Option<FaultReport>,
}

/// Why a script cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost<P> {
    /// The system has no such initial state.
    NoBeginning,
    /// After so many steps, at this place, nothing that the system does is the next step.
    Off(usize, P),
    /// A state has more successors than can be listed.
    TooMany,
}

/// A state on the way, and what may come next.
struct Node<P> {
    state: Vec<u8>,
    number: usize,
    step: TraceStep,
    place: P,
    /// The steps that look right, the best one last.
    open: Vec<(usize, Vec<u8>, TraceStep, P)>,
}

/// Finds the run of a system that a script tells.
///
/// # Errors
/// If there is none; how far one comes.
pub fn follow<S: Script>(
    system: &dyn Explicit,
    script: &S,
) -> Result<Followed<S::Place>, Lost<S::Place>> {
    let mut teller = Teller {
        system,
        explorer: system.explorer(&[]),
        out: Successors::new(),
    };
    let mut initial = Successors::new();
    teller.explorer.initial(&mut initial);
    let mut seen: HashSet<(Vec<u8>, S::Place)> = HashSet::new();
    let mut furthest = None;
    for number in 0..initial.len() {
        let state = initial.state(number).to_vec();
        let step = teller.still(&state);
        if !script.begins(&step.state) || !seen.insert((state.clone(), script.start())) {
            continue;
        }
        let mut path = vec![Node {
            state,
            number,
            step,
            place: script.start(),
            open: Vec::new(),
        }];
        if let Some(found) = descend(&mut teller, script, &mut path, &mut seen, &mut furthest)? {
            return Ok(found);
        }
    }
    Err(match furthest {
        Some((steps, place)) => Lost::Off(steps, place),
        None if !initial.faults().is_empty() => Lost::TooMany,
        None => Lost::NoBeginning,
    })
}

/// Looks for the rest of the run behind the path so far; none if it leads nowhere.
fn descend<S: Script>(
    teller: &mut Teller<'_>,
    script: &S,
    path: &mut Vec<Node<S::Place>>,
    seen: &mut HashSet<(Vec<u8>, S::Place)>,
    furthest: &mut Option<(usize, S::Place)>,
) -> Result<Option<Followed<S::Place>>, Lost<S::Place>> {
    let mut is_new = true;
    while let Some(node) = path.last() {
        spend();
        if script.is_over(&node.place) {
            return Ok(Some(told(std::mem::take(path), None)));
        }
        if is_new {
            let steps = path.len() - 1;
            if furthest.as_ref().is_none_or(|(most, _)| *most < steps) {
                *furthest = Some((steps, node.place.clone()));
            }
            let (state, place) = (node.state.clone(), node.place.clone());
            let open = candidates(teller, script, &state, &place);
            if let Some((report, step, place)) = failure(teller, script, &state, &place) {
                return Ok(Some(told(
                    std::mem::take(path),
                    Some((report, step, place)),
                )));
            }
            if open.is_empty() && is_cut(&teller.out) {
                return Err(Lost::TooMany);
            }
            if let Some(node) = path.last_mut() {
                node.open = open;
            }
        }
        let next = path.last_mut().and_then(|node| node.open.pop());
        is_new = match next {
            None => {
                path.pop();
                false
            }
            Some((number, state, step, place)) => {
                let fresh = seen.insert((state.clone(), place.clone()));
                if fresh {
                    path.push(Node {
                        state,
                        number,
                        step,
                        place,
                        open: Vec::new(),
                    });
                }
                fresh
            }
        };
    }
    Ok(None)
}

fn is_cut(out: &Successors) -> bool {
    let faults = out.faults().iter();
    let mut kinds = faults.map(|report| report.fault.kind);
    kinds.any(|kind| kind == evenhand_system::FaultKind::TooManySuccessors)
}

/// The steps out of a state that look right, the best one last.
fn candidates<S: Script>(
    teller: &mut Teller<'_>,
    script: &S,
    state: &[u8],
    place: &S::Place,
) -> Vec<(usize, Vec<u8>, TraceStep, S::Place)> {
    let explanation = teller.explorer.explain(state, &mut teller.out);
    let mut list = Vec::new();
    for number in 0..teller.out.len() {
        let to = teller.out.state(number).to_vec();
        if !script.leads_to(place, &teller.explorer.describe(&to)) {
            continue;
        }
        let records = explanation.of_successor(&teller.out, number);
        let records: Vec<Record> = records.into_iter().cloned().collect();
        let step = teller.tell(state, &to, teller.out.step(number), &records);
        if let Some((after, rank)) = script.after(place, &step) {
            list.push((rank, (number, to, step, after)));
        }
    }
    // Of equals the first is taken first.
    list.reverse();
    list.sort_by_key(|(rank, _)| *rank);
    list.into_iter().map(|(_, candidate)| candidate).collect()
}

/// A run-time error that is the end of the script.
fn failure<S: Script>(
    teller: &mut Teller<'_>,
    script: &S,
    state: &[u8],
    place: &S::Place,
) -> Option<(FaultReport, TraceStep, S::Place)> {
    for report in teller.out.faults().to_vec() {
        let Ok(step) = teller.fault(state, &report, 0) else {
            continue;
        };
        if let Some((after, _)) = script.after(place, &step)
            && script.is_over(&after)
        {
            return Some((report, step, after));
        }
    }
    None
}

fn told<P>(path: Vec<Node<P>>, failure: Option<(FaultReport, TraceStep, P)>) -> Followed<P> {
    let mut followed = Followed {
        states: Vec::new(),
        numbers: Vec::new(),
        steps: Vec::new(),
        places: Vec::new(),
        fault: None,
    };
    for node in path {
        followed.states.push(node.state);
        followed.numbers.push(node.number);
        followed.steps.push(node.step);
        followed.places.push(node.place);
    }
    if let Some((report, step, place)) = failure {
        followed.steps.push(step);
        followed.places.push(place);
        followed.fault = Some(report);
    }
    followed
}
