//! The body that a Rust type is: a [`Model`] seen through the traits of the engines.
//!
//! States are unpacked before a model sees them and packed when they leave it; steps are checked
//! against the declarations, and what a step takes is computed from its participants. Nothing here
//! trusts the model: an undeclared action or bytes that are no state are faults.

use std::fmt;

use evenhand_source::{Files, Span};

use crate::explicit::{
    Explanation, Explicit, Explorer, FinishedRuns, Obstacle, Record, Step, Successors, Value,
};
use crate::fairness::{Compassion, Conditions, PropositionId, TakenItems};
use crate::fault::{Fault, FaultKind};
use crate::ids::{ActionId, ProcessId, ProcessTypeId};
use crate::model::{Model, ModelAction, ModelStep, Steps};
use crate::pack::Pack;
use crate::signature::{ActionInfo, ItemSpec, Property, PropertyKind, Signature};

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
        process: usize,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::TooManyProcesses(count) => {
                write!(f, "{count} processes are more than can be numbered")
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
        if processes.len() > ProcessId::MAX.index() {
            return Err(ModelError::TooManyProcesses(processes.len()));
        }
        if declared.len() > ActionId::MAX.index() {
            return Err(ModelError::TooManyActions(declared.len()));
        }
        let mut actions = Vec::with_capacity(declared.len());
        for ModelAction { process, name } in declared {
            if process >= processes.len() {
                return Err(ModelError::NoSuchProcess {
                    action: name,
                    process,
                });
            }
            actions.push(ActionInfo {
                process: ProcessTypeId::new(process),
                text: name.clone(),
                labels: vec![name],
                ..ActionInfo::default()
            });
        }
        let fairness = model.fairness().into_iter();
        let properties = model.properties().into_iter();
        let properties = properties.map(|(name, formula)| Property {
            name,
            kind: PropertyKind::Ltl(formula),
            span: Default::default(),
        });
        let signature = Signature {
            name: model.name(),
            language: "rust".into(),
            processes,
            actions,
            fairness: fairness.map(|text| (text, Default::default())).collect(),
            properties: properties.collect(),
            ..Signature::default()
        };
        Ok(Foreign { model, signature })
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The same with more in its signature than a model written in Rust says: files, language,
    /// places.
    pub fn described(mut self, describe: impl FnOnce(&mut Signature)) -> Foreign<M> {
        describe(&mut self.signature);
        self
    }
}

impl<M: Model> Explicit for Foreign<M> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(ForeignExplorer {
            system: self,
            items: TakenItems::new(
                items,
                self.signature.processes.len(),
                self.signature.actions.len(),
            ),
            steps: Steps::default(),
            bytes: Vec::new(),
            told: None,
            executed: vec![false; self.signature.actions.len()],
        })
    }

    fn finished_runs(&self) -> FinishedRuns {
        self.model.finished_runs()
    }

    fn is_portable(&self) -> bool {
        true
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
    /// What is told of the steps, if somebody asked.
    told: Option<Explanation>,
    executed: Vec<bool>,
}

/// The state that was packed; the bytes must be used up.
fn unpack<S: Pack>(mut bytes: &[u8]) -> Option<S> {
    let state = S::unpack(&mut bytes)?;
    bytes.is_empty().then_some(state)
}

impl<M: Model> ForeignExplorer<'_, M> {
    /// The step as engines see it; an error if it names what was not declared.
    fn check(&self, participants: &[(ProcessId, ActionId)]) -> Result<Step, FaultKind> {
        let signature = &self.system.signature;
        for &(process, action) in participants {
            if process.index() >= signature.processes.len() {
                let number = i32::try_from(process.number()).unwrap_or(i32::MAX);
                return Err(FaultKind::NoSuchProcess(number));
            }
            if action.index() >= signature.actions.len() {
                return Err(FaultKind::UnknownAction(action.number()));
            }
        }
        let (process, action) = *participants.first().ok_or(FaultKind::NoParticipant)?;
        Ok(Step {
            partner: participants.get(1).map(|&(pid, _)| pid),
            ..Step::of(process, action)
        })
    }

    fn record(&mut self, participants: &[(ProcessId, ActionId)]) -> u32 {
        let (Some(told), Some(&(process, action))) = (&mut self.told, participants.first()) else {
            return 0;
        };
        let partner = participants.get(1);
        let record = Record {
            partner: partner.map(|&(pid, _)| pid),
            partner_action: partner.map(|&(_, action)| action),
            ..Record::new(process, action)
        };
        told.add(0, record)
    }
}

/// Conditions that exclude each other, in words.
fn conflict(places: &[Span], files: &Files) -> String {
    const MOST: usize = 4;
    let told = places.iter().take(MOST).map(|&place| {
        let words: Vec<&str> = files.text(place).split_whitespace().collect();
        let mut text = words.join(" ");
        if let Some((end, _)) = text.char_indices().nth(60) {
            text.truncate(end);
            text.push('…');
        }
        format!("`{text}` (line {})", files.position(place).line)
    });
    let mut told: Vec<String> = told.collect();
    if places.len() > MOST {
        told.push(format!("{} more", places.len() - MOST));
    }
    let last = told.pop();
    match (told.is_empty(), last) {
        (_, None) => "no next state is possible".to_string(),
        (true, Some(only)) => {
            format!("no next state satisfies {only} within the types of the variables")
        }
        (false, Some(last)) => format!(
            "no next state satisfies {} and {last} together",
            told.join(", ")
        ),
    }
}

fn fault(kind: FaultKind) -> Fault {
    let span = Default::default();
    Fault { kind, span }
}

impl<M: Model> Explorer for ForeignExplorer<'_, M> {
    fn initial(&mut self, out: &mut Successors) {
        self.items.start(out);
        for state in self.system.model.initial() {
            self.bytes.clear();
            state.pack(&mut self.bytes);
            out.push(&self.bytes, Step::default(), []);
        }
        for kind in self.system.model.initial_faults() {
            out.fault(fault(kind), Step::default());
        }
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        self.items.start(out);
        let Some(state) = unpack(state) else {
            out.fault(fault(FaultKind::BadState), Step::default());
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
                    out.fault(fault(kind), Step::default());
                    continue;
                }
            };
            for &(_, action) in participants {
                self.executed[action.index()] = true;
            }
            let record = self.record(participants);
            if *violates {
                step.fault = out.push_fault(fault(FaultKind::Assertion), step, record);
            }
            self.bytes.clear();
            target.pack(&mut self.bytes);
            let taken = self.items.of_step(participants);
            out.push_set(&self.bytes, step, taken, record);
        }
        for &kind in &steps.faults {
            out.fault(fault(kind), Step::default());
        }
        self.steps = steps;
        self.items.finish(out);
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        let state = unpack(state).ok_or(fault(FaultKind::BadState))?;
        let known = self.system.model.truth(proposition, &state);
        known.map_err(fault)
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        unpack(state).is_some_and(|state| self.system.model.is_valid_end(&state))
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.told = Some(Explanation::default());
        self.expand(state, out);
        self.told.take().unwrap_or_default()
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        unpack(state).map_or_else(Vec::new, |state| self.system.model.describe(&state))
    }

    fn inputs(&mut self, from: &[u8], to: &[u8]) -> Vec<(String, Value)> {
        match (unpack(from), unpack(to)) {
            (Some(from), Some(to)) => self.system.model.inputs(&from, &to),
            _ => Vec::new(),
        }
    }

    fn all_inputs(&mut self, from: &[u8], to: &[u8], limit: usize) -> Vec<Vec<(String, Value)>> {
        match (unpack(from), unpack(to)) {
            (Some(from), Some(to)) => self.system.model.all_inputs(&from, &to, limit),
            _ => Vec::new(),
        }
    }

    fn has_process(&mut self, _: &[u8], process: ProcessId) -> bool {
        process.index() < self.system.signature.processes.len()
    }

    fn obstacles(&mut self, state: &[u8], process: ProcessId) -> Vec<Obstacle> {
        let Some(state) = unpack(state) else {
            return Vec::new();
        };
        let found = self.system.model.conflicts(&state, process).into_iter();
        let files = &self.system.signature.files;
        let told = found.map(|(action, places)| Obstacle {
            action,
            reason: conflict(&places, files),
        });
        told.collect()
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        match self.system.signature.processes.get(process.index()) {
            Some(name) => name.clone(),
            None => format!("process {process}"),
        }
    }

    fn executed(&self) -> &[bool] {
        &self.executed
    }
}
