//! Systems written in Rust: any type that implements [`Model`] is a fair system.
//!
//! A model says what its states are, which ones it starts in, and for each state the *complete* list
//! of steps out of it, each with the processes that take part and the action that each of them
//! executes. [`Foreign`] makes it [`Explicit`], so that every engine can run it: which fairness items
//! a step takes follows from its participants, an item is enabled where some step takes it.
//!
//! Processes and actions are declared up front and numbered by their place in the declaration. A step
//! that names an undeclared one is a run-time error of the model, not a panic. States are kept as
//! bytes (see [`Pack`]), of any length.
//!
//! Two processes that take two locks in opposite orders, explored by a plain loop:
//!
//! ```
//! use std::collections::{HashSet, VecDeque};
//! use evenhand_system::model::{Foreign, Model, ModelAction, Steps};
//! use evenhand_system::{Explicit, Successors};
//!
//! struct TwoLocks;
//!
//! #[derive(Clone)]
//! struct State {
//!     /// How many locks each process has.
//!     held: [u8; 2],
//!     /// Who has each lock.
//!     owner: [Option<u8>; 2],
//! }
//! evenhand_system::pack_fields!(State { held, owner });
//!
//! impl Model for TwoLocks {
//!     type State = State;
//!
//!     fn processes(&self) -> Vec<String> {
//!         vec!["left".into(), "right".into()]
//!     }
//!
//!     fn actions(&self) -> Vec<ModelAction> {
//!         // Actions 0 and 1 belong to process 0, 2 and 3 to process 1.
//!         (0..2)
//!             .flat_map(|p| [ModelAction::new(p, "lock"), ModelAction::new(p, "release")])
//!             .collect()
//!     }
//!
//!     fn initial(&self) -> Vec<State> {
//!         vec![State { held: [0, 0], owner: [None, None] }]
//!     }
//!
//!     fn steps(&self, state: &State, steps: &mut Steps<State>) {
//!         for process in 0..2u8 {
//!             let p = usize::from(process);
//!             let mut next = state.clone();
//!             if state.held[p] < 2 {
//!                 // The left process begins with lock 0, the right one with lock 1.
//!                 let lock = (p + usize::from(state.held[p])) % 2;
//!                 if state.owner[lock].is_none() {
//!                     next.owner[lock] = Some(process);
//!                     next.held[p] += 1;
//!                     steps.step(process, 2 * u32::from(process), next);
//!                 }
//!             } else {
//!                 next.owner = [None, None];
//!                 next.held[p] = 0;
//!                 steps.step(process, 2 * u32::from(process) + 1, next);
//!             }
//!         }
//!     }
//! }
//!
//! let system = Foreign::new(TwoLocks)?;
//! let mut explorer = system.explorer(&[]);
//! let mut out = Successors::new();
//! explorer.initial(&mut out);
//! let mut seen: HashSet<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
//! let mut queue: VecDeque<Vec<u8>> = seen.iter().cloned().collect();
//! let mut deadlocks = Vec::new();
//! while let Some(state) = queue.pop_front() {
//!     explorer.expand(&state, &mut out);
//!     if out.is_empty() {
//!         deadlocks.push(explorer.describe(&state));
//!     }
//!     for i in 0..out.len() {
//!         if seen.insert(out.state(i).to_vec()) {
//!             queue.push_back(out.state(i).to_vec());
//!         }
//!     }
//! }
//! assert_eq!(seen.len(), 6);
//! assert_eq!(deadlocks.len(), 1); // each has one lock and wants the other
//! # Ok::<(), evenhand_system::model::ModelError>(())
//! ```

use std::fmt;

use crate::explicit::{
    Explanation, Explicit, Explorer, FaultReport, NO_PROCESS, Record, Step, Successors, Value,
};
use crate::fairness::{Compassion, Conditions, PropositionId, TakenItems};
use crate::fault::{Fault, FaultKind};
use crate::pack::Pack;
use crate::signature::{ActionInfo, ItemSpec, Signature};

/// A system written in Rust.
pub trait Model {
    /// What a state is.
    type State: Clone + Pack;

    /// How the model is called.
    fn name(&self) -> String {
        String::new()
    }

    /// The names of the processes, at most 255; a process is known by its place here.
    fn processes(&self) -> Vec<String>;

    /// The actions, at most 2^32 - 1; an action is known by its place here.
    fn actions(&self) -> Vec<ModelAction>;

    /// The states it may begin in.
    fn initial(&self) -> Vec<Self::State>;

    /// What goes wrong before there is an initial state.
    fn initial_faults(&self) -> Vec<FaultKind> {
        Vec::new()
    }

    /// All steps out of a state.
    fn steps(&self, state: &Self::State, steps: &mut Steps<Self::State>);

    /// Whether a state without steps is a proper end.
    fn is_valid_end(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// The variables of a state as people know them.
    fn describe(&self, state: &Self::State) -> Vec<(String, Value)> {
        let _ = state;
        Vec::new()
    }

    /// The names of the propositions; a proposition is known by its place here.
    fn propositions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether a proposition holds in a state.
    fn holds(&self, proposition: PropositionId, state: &Self::State) -> bool {
        let _ = (proposition, state);
        false
    }

    /// Propositions that hold infinitely often on every fair run.
    fn justice(&self) -> Vec<PropositionId> {
        Vec::new()
    }

    /// Pairs of propositions: infinitely often the first implies infinitely often the second.
    fn compassion(&self) -> Vec<Compassion> {
        Vec::new()
    }

    /// Fairness assumptions about processes and actions, as text of the `--fair` option.
    fn fairness(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An action of a [`Model`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelAction {
    /// The process it belongs to.
    pub process: u8,
    /// Its name: also its label in fairness assumptions.
    pub name: String,
}

impl ModelAction {
    /// An action of a process.
    pub fn new(process: u8, name: impl Into<String>) -> ModelAction {
        ModelAction {
            process,
            name: name.into(),
        }
    }
}

/// Receives the steps out of a state.
#[derive(Clone, Debug)]
pub struct Steps<S> {
    steps: Vec<ModelStep<S>>,
    participants: Vec<(u8, u32)>,
    faults: Vec<FaultKind>,
}

#[derive(Clone, Debug)]
struct ModelStep<S> {
    target: S,
    /// Where its participants end.
    end: usize,
    violates: bool,
}

impl<S> Default for Steps<S> {
    fn default() -> Steps<S> {
        Steps {
            steps: Vec::new(),
            participants: Vec::new(),
            faults: Vec::new(),
        }
    }
}

impl<S> Steps<S> {
    /// A process executes an action.
    pub fn step(&mut self, process: u8, action: u32, target: S) {
        self.joint(&[(process, action)], target);
    }

    /// Several processes take part, each with an action of its own; the first one begins it.
    pub fn joint(&mut self, participants: &[(u8, u32)], target: S) {
        self.participants.extend_from_slice(participants);
        self.steps.push(ModelStep {
            target,
            end: self.participants.len(),
            violates: false,
        });
    }

    /// A process executes an action that breaks an assertion; the run goes on behind it.
    pub fn violation(&mut self, process: u8, action: u32, target: S) {
        self.step(process, action, target);
        if let Some(last) = self.steps.last_mut() {
            last.violates = true;
        }
    }

    /// Something goes wrong in this state, and the run ends there.
    pub fn fault(&mut self, kind: FaultKind) {
        self.faults.push(kind);
    }

    /// The steps received: participants and target of each.
    pub fn iter(&self) -> impl Iterator<Item = (&[(u8, u32)], &S)> {
        self.steps.iter().enumerate().map(|(number, step)| {
            let start = number.checked_sub(1).map_or(0, |n| self.steps[n].end);
            (&self.participants[start..step.end], &step.target)
        })
    }

    fn clear(&mut self) {
        self.steps.clear();
        self.participants.clear();
        self.faults.clear();
    }
}

/// Why a model cannot be a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// More processes than can be numbered.
    TooManyProcesses(usize),
    /// More actions than can be numbered.
    TooManyActions(usize),
    /// An action belongs to a process that was not declared.
    NoSuchProcess {
        /// The action's name.
        action: String,
        /// The number of the process.
        process: u8,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::TooManyProcesses(count) => {
                write!(
                    f,
                    "{count} processes are more than the 255 that can be numbered"
                )
            }
            ModelError::TooManyActions(count) => {
                write!(f, "{count} actions are more than can be numbered")
            }
            ModelError::NoSuchProcess { action, process } => {
                write!(
                    f,
                    "action `{action}` belongs to process {process}, which was not declared"
                )
            }
        }
    }
}

impl std::error::Error for ModelError {}

/// A [`Model`] as a fair system.
#[derive(Debug)]
pub struct Foreign<M> {
    model: M,
    signature: Signature,
}

impl<M: Model> Foreign<M> {
    /// Reads the declarations of a model.
    ///
    /// # Errors
    /// Where its processes or actions cannot be numbered.
    pub fn new(model: M) -> Result<Foreign<M>, ModelError> {
        let (processes, declared) = (model.processes(), model.actions());
        if processes.len() > usize::from(NO_PROCESS) {
            return Err(ModelError::TooManyProcesses(processes.len()));
        }
        if declared.len() >= u32::MAX as usize {
            return Err(ModelError::TooManyActions(declared.len()));
        }
        let mut actions = Vec::with_capacity(declared.len());
        for ModelAction { process, name } in declared {
            if usize::from(process) >= processes.len() {
                return Err(ModelError::NoSuchProcess {
                    action: name,
                    process,
                });
            }
            actions.push(ActionInfo {
                process: process.into(),
                text: name.clone(),
                labels: vec![name],
                ..ActionInfo::default()
            });
        }
        let fairness = model.fairness().into_iter();
        let signature = Signature {
            name: model.name(),
            language: "rust".into(),
            processes,
            actions,
            fairness: fairness.map(|text| (text, Default::default())).collect(),
            ..Signature::default()
        };
        Ok(Foreign { model, signature })
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }
}

impl<M: Model> Explicit for Foreign<M> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(ForeignExplorer {
            system: self,
            items: TakenItems::new(items),
            steps: Steps::default(),
            bytes: Vec::new(),
            records: None,
            executed: vec![false; self.signature.actions.len()],
        })
    }
}

impl<M: Model> Conditions for Foreign<M> {
    fn propositions(&self) -> Vec<String> {
        self.model.propositions()
    }

    fn holds(&self, proposition: PropositionId, state: &[u8]) -> bool {
        unpack(state).is_some_and(|state| self.model.holds(proposition, &state))
    }

    fn justice(&self) -> Vec<PropositionId> {
        self.model.justice()
    }

    fn compassion(&self) -> Vec<Compassion> {
        self.model.compassion()
    }
}

struct ForeignExplorer<'a, M: Model> {
    system: &'a Foreign<M>,
    items: TakenItems,
    steps: Steps<M::State>,
    bytes: Vec<u8>,
    records: Option<Vec<Record>>,
    executed: Vec<bool>,
}

/// The state that was packed; the bytes must be used up.
fn unpack<S: Pack>(mut bytes: &[u8]) -> Option<S> {
    let state = S::unpack(&mut bytes)?;
    bytes.is_empty().then_some(state)
}

impl<M: Model> ForeignExplorer<'_, M> {
    /// The step as engines see it; an error if it names what was not declared.
    fn check(&self, participants: &[(u8, u32)]) -> Result<Step, FaultKind> {
        let signature = &self.system.signature;
        for &(process, action) in participants {
            if usize::from(process) >= signature.processes.len() {
                return Err(FaultKind::NoSuchProcess(process.into()));
            }
            if action as usize >= signature.actions.len() {
                return Err(FaultKind::UnknownAction(action));
            }
        }
        let (process, action) = *participants.first().ok_or(FaultKind::NoParticipant)?;
        Ok(Step {
            action,
            process,
            partner: participants.get(1).map_or(NO_PROCESS, |&(pid, _)| pid),
            fault: 0,
        })
    }

    fn record(&mut self, step: Step, partner_action: Option<u32>) -> u32 {
        let Some(records) = &mut self.records else {
            return 0;
        };
        records.push(Record {
            parent: 0,
            action: step.action,
            process: step.process,
            partner: step.partner,
            partner_action,
            printed: String::new(),
            message: None,
        });
        records.len() as u32
    }
}

/// The step of a fault that belongs to no declared action.
const NO_STEP: Step = Step {
    action: u32::MAX,
    process: NO_PROCESS,
    partner: NO_PROCESS,
    fault: 0,
};

fn report(kind: FaultKind, step: Step, record: u32) -> FaultReport {
    let span = Default::default();
    FaultReport {
        fault: Fault { kind, span },
        step,
        record,
    }
}

impl<M: Model> Explorer for ForeignExplorer<'_, M> {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.words = self.items.words();
        for state in self.system.model.initial() {
            self.bytes.clear();
            state.pack(&mut self.bytes);
            out.push(&self.bytes, NO_STEP, self.items.of_step(&[]), 0);
        }
        let faults = self.system.model.initial_faults().into_iter();
        out.faults
            .extend(faults.map(|kind| report(kind, NO_STEP, 0)));
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.clear();
        out.words = self.items.words();
        let Some(state) = unpack(state) else {
            out.faults.push(report(FaultKind::BadState, NO_STEP, 0));
            out.finish();
            return;
        };
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        self.system.model.steps(&state, &mut steps);
        let mut start = 0;
        for ModelStep {
            target,
            end,
            violates,
        } in &steps.steps
        {
            let participants = &steps.participants[start..*end];
            start = *end;
            let mut step = match self.check(participants) {
                Ok(step) => step,
                Err(kind) => {
                    out.faults.push(report(kind, NO_STEP, 0));
                    continue;
                }
            };
            for &(_, action) in participants {
                self.executed[action as usize] = true;
            }
            let record = self.record(step, participants.get(1).map(|&(_, action)| action));
            if *violates {
                out.faults.push(report(FaultKind::Assertion, step, record));
                step.fault = out.faults.len() as u32;
            }
            self.bytes.clear();
            target.pack(&mut self.bytes);
            out.push(&self.bytes, step, self.items.of_step(participants), record);
        }
        let faults = steps.faults.iter();
        out.faults
            .extend(faults.map(|&kind| report(kind, NO_STEP, 0)));
        self.steps = steps;
        out.finish();
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        unpack(state).is_some_and(|state| self.system.model.is_valid_end(&state))
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.records = Some(Vec::new());
        self.expand(state, out);
        Explanation {
            records: self.records.take().unwrap_or_default(),
        }
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        unpack(state).map_or_else(Vec::new, |state| self.system.model.describe(&state))
    }

    fn process_name(&mut self, _: &[u8], pid: u8) -> String {
        match self.system.signature.processes.get(usize::from(pid)) {
            Some(name) => name.clone(),
            None => format!("process {pid}"),
        }
    }

    fn executed(&self) -> &[bool] {
        &self.executed
    }
}
