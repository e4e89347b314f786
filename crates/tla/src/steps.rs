//! A specification whose states say what the next step satisfies: for formulas with actions in them.
//!
//! `<<A>>_v` and `[A]_v` are about a state and the next one. Here a state comes with the truth of each such formula on the step
//! that follows; which steps follow is thus decided one step ahead, and a formula of linear time over states can speak
//! of steps. Staying where one is is a step like others, so no run ends. To the engines these truths are inputs.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_system::explicit::{Explanation, Step, Value};
use evenhand_system::{
    Explicit, Explorer, Fault, FinishedRuns, Inputs, ItemSpec, ProcessId, PropositionId, Signature,
    Successors,
};

use crate::body::{ModelBody, Proposition};

/// How many states are remembered with what may follow them, and how many bytes of that, before those that nobody asked
/// for since as many others came are forgotten.
const REMEMBERED: (usize, usize) = (1 << 16, 1 << 26);

/// The system with some formulas about steps in its states.
#[derive(Debug)]
pub(crate) struct StepBody {
    body: ModelBody,
    /// Which formulas.
    formulas: Vec<usize>,
}

impl StepBody {
    pub fn new(body: &ModelBody, inputs: &Inputs) -> StepBody {
        StepBody {
            body: body.clone(),
            formulas: inputs.iter().map(|id| id.0 as usize).collect(),
        }
    }
}

/// How many bytes the truths of so many formulas need.
pub(crate) fn width(formulas: usize) -> usize {
    formulas.div_ceil(8)
}

impl Explicit for StepBody {
    fn signature(&self) -> &Signature {
        &self.body.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        let first = self.body.first_formula();
        let mut all = items.to_vec();
        let numbers = self.formulas.iter().map(|formula| first + formula);
        all.extend(numbers.map(|number| ItemSpec::Own(u32::try_from(number).unwrap_or(u32::MAX))));
        let mut staying = vec![0; width(self.formulas.len())];
        for (place, &formula) in self.formulas.iter().enumerate() {
            if self.body.model.steps[formula].stays {
                staying[place / 8] |= 1 << (place % 8);
            }
        }
        Box::new(StepExplorer {
            body: self,
            inner: self.body.explorer(&all),
            items: items.len(),
            staying,
            here: Successors::new(),
            known: [HashMap::new(), HashMap::new()],
            size: 0,
            bytes: Vec::new(),
        })
    }

    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Ignore
    }

    fn is_portable(&self) -> bool {
        self.body.is_portable() && self.body.is_pure()
    }
}

struct StepExplorer<'a> {
    body: &'a StepBody,
    inner: Box<dyn Explorer + 'a>,
    /// How many items of fairness there are; the formulas stand behind them.
    items: usize,
    /// What staying satisfies.
    staying: Vec<u8>,
    here: Successors,
    /// What leads out of states, and of those that were asked for before them.
    known: [HashMap<Vec<u8>, Arc<Outgoing>>; 2],
    /// How many bytes the first of both has.
    size: usize,
    bytes: Vec<u8>,
}

/// What leads out of a state, whatever the next step satisfies.
struct Outgoing {
    steps: Successors,
    /// What each step satisfies.
    truths: Vec<Vec<u8>>,
    /// What the next step may satisfy, each combination once.
    following: Vec<Vec<u8>>,
}

impl StepExplorer<'_> {
    /// The state, and what the next step satisfies.
    fn split<'s>(&self, state: &'s [u8]) -> (&'s [u8], &'s [u8]) {
        state.split_at(state.len().saturating_sub(self.staying.len()))
    }

    /// What leads out of a state: it is expanded once for all that the next step may satisfy, and for the states
    /// before it.
    fn outgoing(&mut self, state: &[u8]) -> Arc<Outgoing> {
        if let Some(known) = self.known[0].get(state) {
            return known.clone();
        }
        let known = self.known[1].remove(state).unwrap_or_else(|| {
            let mut steps = Successors::new();
            self.inner.expand(state, &mut steps);
            let of = |index| truths(&steps, index, self.items, self.staying.len());
            let truths: Vec<Vec<u8>> = (0..steps.len()).map(of).collect();
            let mut following = vec![self.staying.clone()];
            for own in &truths {
                if !following.contains(own) {
                    following.push(own.clone());
                }
            }
            Arc::new(Outgoing {
                steps,
                truths,
                following,
            })
        });
        if self.known[0].len() >= REMEMBERED.0 || self.size >= REMEMBERED.1 {
            self.known[1] = std::mem::take(&mut self.known[0]);
            self.size = 0;
        }
        self.size += known.truths.len() * (state.len() + 128);
        self.known[0].insert(state.to_vec(), known.clone());
        known
    }

    /// Adds a state with each combination that may follow it.
    fn push(&mut self, state: &[u8], step: Step, taken: &[usize], out: &mut Successors) {
        let outgoing = self.outgoing(state);
        for truths in &outgoing.following {
            self.bytes.clear();
            self.bytes.extend_from_slice(state);
            self.bytes.extend_from_slice(truths);
            out.push(&self.bytes, step, taken.iter().copied());
        }
    }
}

/// The truths of the formulas on a step.
fn truths(out: &Successors, index: usize, items: usize, width: usize) -> Vec<u8> {
    let mut truths = vec![0; width];
    let set = out.taken(index);
    for place in 0..8 * width {
        let item = items + place;
        let holds = set
            .get(item / 64)
            .is_some_and(|word| word >> (item % 64) & 1 == 1);
        truths[place / 8] |= u8::from(holds) << (place % 8);
    }
    truths
}

impl Explorer for StepExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.start(self.items);
        let mut here = std::mem::take(&mut self.here);
        self.inner.initial(&mut here);
        for index in 0..here.len() {
            self.push(here.state(index), here.step(index), &[], out);
        }
        for report in here.faults() {
            out.fault(report.fault, report.step);
        }
        self.here = here;
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(self.items);
        let (plain, next) = self.split(state);
        let here = self.outgoing(plain);
        let steps = &here.steps;
        for index in 0..steps.len() {
            if here.truths[index] != next {
                continue;
            }
            let set = steps.taken(index);
            let is_taken = |item: &usize| set[item / 64] >> (item % 64) & 1 == 1;
            let taken: Vec<usize> = (0..self.items).filter(is_taken).collect();
            self.push(steps.state(index), steps.step(index), &taken, out);
        }
        if next == self.staying {
            self.push(plain, Step::default(), &[], out);
        }
        for report in steps.faults() {
            out.fault(report.fault, report.step);
        }
        for item in 0..self.items {
            if steps.enabled()[item / 64] >> (item % 64) & 1 == 1 {
                out.enable(item);
            }
        }
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        let (plain, next) = self.split(state);
        let propositions = &self.body.body.model.propositions;
        if let Some(Proposition::Step(formula)) = propositions.get(proposition.0 as usize) {
            let place = self.body.formulas.iter().position(|own| own == formula);
            let bit = |place: usize| next[place / 8] >> (place % 8) & 1 == 1;
            return Ok(place.is_some_and(bit));
        }
        self.inner.holds(proposition, plain)
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        let (plain, _) = self.split(state);
        self.inner.is_valid_end(plain)
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.expand(state, out);
        // Successors come in the order of those of the state itself, each as often as the next step may differ.
        let (plain, next) = self.split(state);
        let mut here = Successors::new();
        let inner = self.inner.explain(plain, &mut here);
        let mut explanation = Explanation::default();
        let mut place = 0;
        for index in 0..here.len() {
            if truths(&here, index, self.items, self.staying.len()) != next {
                continue;
            }
            let mut record = 0;
            for told in inner.of_successor(&here, index) {
                record = explanation.add(record, told.clone());
            }
            for _ in 0..self.outgoing(here.state(index)).following.len() {
                if place < out.len() {
                    out.explain_at(place, record);
                }
                place += 1;
            }
        }
        explanation
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        let (plain, _) = self.split(state);
        self.inner.describe(plain)
    }

    fn has_process(&mut self, state: &[u8], process: ProcessId) -> bool {
        let (plain, _) = self.split(state);
        self.inner.has_process(plain, process)
    }

    fn process_name(&mut self, state: &[u8], process: ProcessId) -> String {
        let (plain, _) = self.split(state);
        self.inner.process_name(plain, process)
    }

    fn executed(&self) -> &[bool] {
        self.inner.executed()
    }

    fn export(&mut self, state: &[u8], head: &mut Vec<u8>, tail: &mut Vec<u8>) -> bool {
        let (plain, next) = self.split(state);
        let may_leave = self.inner.export(plain, head, tail);
        tail.extend_from_slice(next);
        may_leave
    }

    fn import(&mut self, head: &[u8], tail: &[u8], state: &mut Vec<u8>) -> bool {
        let (plain, next) = self.split(tail);
        let is_one = self.inner.import(head, plain, state);
        state.extend_from_slice(next);
        is_one
    }
}
