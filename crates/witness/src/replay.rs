//! Finite runs: re-executed step by step before anybody sees them.
//!
//! A search hands over packed states; [`replay`] re-executes the system along them and tells each
//! step in the words of the model. A run that cannot be re-executed is an internal error, never an
//! answer.

use std::collections::HashSet;

use evenhand_source::budget::spend_many;
use evenhand_source::{Span, spend};
use evenhand_system::explicit::{Explanation, FaultReport, Record, Step, Value};
use evenhand_system::{ActionId, Explicit, Explorer, FaultKind, ProcessId, Successors};

use crate::observe::Observed;

/// A run that breaks a property.
#[derive(Clone, Debug, Default)]
pub struct Counterexample {
    /// The initial state and the steps from it.
    pub prefix: Vec<TraceStep>,
    /// The steps that repeat for ever; none for a finite run.
    pub cycle: Vec<TraceStep>,
    /// Whether no shorter one exists.
    pub shortest: bool,
    /// No counterexample is shorter than this.
    pub lower_bound: usize,
    /// What went wrong at the end of a finite run.
    pub fault: Option<(FaultKind, Span)>,
    /// Why the cycle is fair: one entry for each assumption.
    pub evidence: Vec<Evidence>,
    /// Why it breaks the property, in sentences.
    pub why: Vec<String>,
    /// What the automaton of bad runs does along it, if that was asked for.
    pub observed: Option<Box<Observed>>,
    /// The processes that exist at its beginning or its end, whether they move or not.
    pub processes: Vec<String>,
}

impl Counterexample {
    /// Whether all that repeats is that nothing moves.
    pub fn stays(&self) -> bool {
        !self.cycle.is_empty() && self.cycle.iter().all(|s| s.kind == StepKind::Stutter)
    }

    /// Its length in transitions of the system.
    pub fn len(&self) -> usize {
        self.prefix.len().saturating_sub(1) + self.cycle.len()
    }

    /// Whether there are no transitions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What kind of step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The initial state.
    Init,
    /// A step of the system.
    Step,
    /// A finished run stays where it is.
    Stutter,
}

/// A step and the state behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    /// What kind of step.
    pub kind: StepKind,
    /// The process that began it.
    pub process: Option<String>,
    /// All processes that took part.
    pub processes: Vec<String>,
    /// The statement.
    pub action: String,
    /// Where it stands.
    pub span: Option<Span>,
    /// Where what the statement does stands, if that is apart from its name.
    pub body: Option<Span>,
    /// The statements executed, if more than one.
    pub substeps: Vec<SubStep>,
    /// How many of them are left out in the middle of the list, since nobody would read them.
    pub omitted: usize,
    /// What was printed.
    pub printed: String,
    /// The message of a send, a receive or a handshake: channel and fields.
    pub message: Option<(String, Vec<Value>)>,
    /// The inputs with which it is taken, where the system has inputs.
    pub inputs: Vec<(String, Value)>,
    /// All messages that went into or came out of channels, in order.
    pub messages: Vec<Passage>,
    /// The variables behind it.
    pub state: Vec<(String, Value)>,
    /// Every statement, with the process that executed it.
    pub executed: Vec<(ProcessId, ActionId)>,
}

/// A message that goes into a channel, comes out of one, or passes in a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Who sends or receives.
    pub process: String,
    /// The receiver, in a handshake.
    pub partner: Option<String>,
    /// Whether it is sent; otherwise received.
    pub sent: bool,
    /// The channel.
    pub channel: String,
    /// The fields.
    pub fields: Vec<Value>,
}

/// A statement within a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubStep {
    /// Who.
    pub process: String,
    /// What.
    pub action: String,
    /// Where it stands.
    pub span: Span,
    /// What was printed.
    pub printed: String,
}

/// A run that the system does not have: an error of this tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The position in the run.
    pub position: usize,
    /// What is wrong.
    pub message: String,
}

/// What a cycle does about one fairness assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The assumption.
    pub assumption: String,
    /// The specification it comes from.
    pub source: String,
    /// Why the cycle satisfies it.
    pub reason: Reason,
}

/// Why a cycle satisfies a fairness assumption. Steps are counted from 0 on the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is taken in this step.
    Taken(usize),
    /// It is disabled in the state in front of this step.
    Disabled(usize),
    /// It is never enabled on the cycle.
    NeverEnabled,
    /// The condition holds in the state in front of this step.
    Holds(usize),
    /// The condition that asks for it never holds on the cycle.
    NeverAsked,
}

/// So many statements of one step are told, half of them the first ones and half the last.
const MOST_SUBSTEPS: usize = 2000;

/// So many processes are told of a state where the signature does not list more of them.
const MOST_PROCESSES: usize = 255;

/// Re-executes a finite run and tells it. With a fault, the last step is the one that fails.
///
/// # Errors
/// If the system has no such run.
pub fn replay(
    system: &dyn Explicit,
    states: &[Vec<u8>],
    fault: Option<&FaultReport>,
) -> Result<Counterexample, ReplayError> {
    let mut teller = Teller {
        system,
        explorer: system.explorer(&[]),
        out: Successors::new(),
    };
    let any = |_: &Successors, _: usize| true;
    let mut prefix = Vec::new();
    if let Some(first) = states.first() {
        prefix.push(teller.initial(first)?);
    }
    for (position, pair) in states.windows(2).enumerate() {
        prefix.push(teller.step(&pair[0], &pair[1], position + 1, &any)?);
    }
    if let (Some(report), Some(last)) = (fault, states.last()) {
        prefix.push(teller.fault(last, report, states.len())?);
    }
    let lower_bound = prefix.len().saturating_sub(1);
    let processes = teller.processes(states.first().into_iter().chain(states.last()));
    let fault = fault.map(|report| (report.fault.kind, report.fault.span));
    Ok(Counterexample {
        prefix,
        cycle: Vec::new(),
        shortest: true,
        lower_bound,
        fault,
        evidence: Vec::new(),
        why: Vec::new(),
        observed: None,
        processes,
    })
}

/// Tells one step: the state before it (as a step without an action), and the step.
///
/// # Errors
/// If the system has no such step.
pub fn tell_step(
    system: &dyn Explicit,
    from: &[u8],
    to: &[u8],
) -> Result<(TraceStep, TraceStep), ReplayError> {
    let mut teller = Teller {
        system,
        explorer: system.explorer(&[]),
        out: Successors::new(),
    };
    let before = teller.still(from);
    Ok((before, teller.step(from, to, 1, &|_, _| true)?))
}

/// Tells the step to one of the successors of a state, by its number.
///
/// # Errors
/// If the state has fewer successors.
pub fn tell_successor(
    system: &dyn Explicit,
    from: &[u8],
    number: usize,
) -> Result<TraceStep, ReplayError> {
    let mut teller = Teller {
        system,
        explorer: system.explorer(&[]),
        out: Successors::new(),
    };
    teller.explorer.explain(from, &mut teller.out);
    if number >= teller.out.len() {
        let message = "there is no such successor".to_string();
        return Err(ReplayError {
            position: 1,
            message,
        });
    }
    let to = teller.out.state(number).to_vec();
    teller.step(from, &to, 1, &|_, index| index == number)
}

/// Tells an initial state.
pub fn tell_state(system: &dyn Explicit, state: &[u8]) -> TraceStep {
    let mut teller = Teller {
        system,
        explorer: system.explorer(&[]),
        out: Successors::new(),
    };
    teller.still(state)
}

pub(crate) struct Teller<'a> {
    pub system: &'a dyn Explicit,
    pub explorer: Box<dyn Explorer + 'a>,
    pub out: Successors,
}

impl Teller<'_> {
    pub fn initial(&mut self, state: &[u8]) -> Result<TraceStep, ReplayError> {
        self.explorer.initial(&mut self.out);
        if !(0..self.out.len()).any(|i| self.out.state(i) == state) {
            let message = "the first state is not an initial state".to_string();
            return Err(ReplayError {
                position: 0,
                message,
            });
        }
        Ok(self.still(state))
    }

    /// The names of the processes that exist in some of these states.
    pub fn processes<'s>(&mut self, states: impl Iterator<Item = &'s Vec<u8>>) -> Vec<String> {
        let (mut names, mut known) = (Vec::new(), HashSet::new());
        let most = self.system.signature().processes.len().max(MOST_PROCESSES);
        for state in states {
            spend();
            for process in ProcessId::first(most) {
                let name = self.explorer.process_name(state, process);
                // So a process that does not exist is called.
                if name == format!("process {process}") {
                    break;
                }
                if known.insert(name.clone()) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// A state without a step that leads to it.
    pub fn still(&mut self, state: &[u8]) -> TraceStep {
        TraceStep {
            kind: StepKind::Init,
            process: None,
            processes: Vec::new(),
            action: String::new(),
            span: None,
            body: None,
            substeps: Vec::new(),
            omitted: 0,
            printed: String::new(),
            message: None,
            inputs: Vec::new(),
            messages: Vec::new(),
            state: self.explorer.describe(state),
            executed: Vec::new(),
        }
    }

    /// Re-executes a step; of several to the same state, one that `fits`.
    pub fn step(
        &mut self,
        from: &[u8],
        to: &[u8],
        position: usize,
        fits: &dyn Fn(&Successors, usize) -> bool,
    ) -> Result<TraceStep, ReplayError> {
        // What is told of a state is larger than the state.
        spend_many(1 + to.len() / 8);
        let explanation = self.explorer.explain(from, &mut self.out);
        let mut numbers = 0..self.out.len();
        let found = numbers.find(|&i| self.out.state(i) == to && fits(&self.out, i));
        let Some(index) = found else {
            let message = "a state does not follow from the one before it".to_string();
            return Err(ReplayError { position, message });
        };
        let step = self.out.step(index);
        let records: Vec<Record> = explanation
            .of_successor(&self.out, index)
            .into_iter()
            .cloned()
            .collect();
        Ok(self.tell(from, to, step, &records))
    }

    pub fn fault(
        &mut self,
        from: &[u8],
        report: &FaultReport,
        position: usize,
    ) -> Result<TraceStep, ReplayError> {
        let explanation: Explanation = self.explorer.explain(from, &mut self.out);
        let same =
            |r: &&FaultReport| r.fault == report.fault && r.step.action == report.step.action;
        let Some(found) = self.out.faults().iter().find(same).cloned() else {
            let message = "the run-time error did not happen again".to_string();
            return Err(ReplayError { position, message });
        };
        let records: Vec<Record> = explanation.of_fault(&found).into_iter().cloned().collect();
        // Behind a failed assertion the run goes on; behind other errors there is no state.
        let number = (0..self.out.len()).find(|&i| {
            let fault = self.out.step(i).fault;
            fault > 0 && self.out.faults()[fault as usize - 1].fault == report.fault
        });
        let to = number.map_or_else(|| from.to_vec(), |i| self.out.state(i).to_vec());
        Ok(self.tell(from, &to, found.step, &records))
    }

    pub fn tell(&mut self, from: &[u8], to: &[u8], step: Step, records: &[Record]) -> TraceStep {
        let actions = &self.system.signature().actions;
        // Of a step that is not explained, its two processes and its action are known.
        let first = step.process.into_iter();
        let unexplained = step.partner.filter(|_| records.is_empty());
        let mut processes: Vec<ProcessId> = first.chain(unexplained).collect();
        for record in records {
            for process in [Some(record.process), record.partner].into_iter().flatten() {
                if !processes.contains(&process) {
                    processes.push(process);
                }
            }
        }
        let names: Vec<String> = processes
            .iter()
            .map(|&process| {
                // A process that the step itself created is known only behind it.
                let is_there = self.explorer.has_process(from, process);
                let state = if is_there { from } else { to };
                self.explorer.process_name(state, process)
            })
            .collect();
        let name_of = |process: ProcessId| {
            let place = processes.iter().position(|&p| p == process);
            place.map_or_else(String::new, |i| names[i].clone())
        };
        let info = step.action.and_then(|action| actions.get(action.index()));
        let omitted = records.len().saturating_sub(MOST_SUBSTEPS);
        let (first, last) = records.split_at(records.len().min(MOST_SUBSTEPS / 2));
        let last = last.iter().skip(omitted);
        let substeps = first
            .iter()
            .chain(last)
            .map(|record| {
                let info = &actions[record.action.index()];
                SubStep {
                    process: name_of(record.process),
                    action: info.text.clone(),
                    span: info.span,
                    printed: record.printed.clone(),
                }
            })
            .collect::<Vec<_>>();
        let printed = records.iter().map(|r| r.printed.as_str()).collect();
        let message = match records {
            [only] => only
                .message
                .as_ref()
                .map(|m| (m.name.clone(), m.fields.clone())),
            _ => None,
        };
        let with_message = records
            .iter()
            .filter_map(|r| Some((r, r.message.as_ref()?)));
        let messages = with_message.map(|(record, message)| Passage {
            process: name_of(record.process),
            partner: record.partner.map(name_of),
            sent: message.sent,
            channel: message.name.clone(),
            fields: message.fields.clone(),
        });
        let messages = messages.collect();
        let mut executed = Vec::new();
        for record in records {
            executed.push((record.process, record.action));
            executed.extend(record.partner.zip(record.partner_action));
        }
        if records.is_empty() {
            executed.extend(step.process.zip(step.action));
        }
        TraceStep {
            executed,
            kind: StepKind::Step,
            process: step.process.map(name_of),
            processes: names,
            action: match records {
                [
                    Record {
                        text: Some(text), ..
                    },
                ] => text.clone(),
                _ => info.map_or_else(String::new, |i| i.text.clone()),
            },
            // What is given by constraints stands nowhere in particular.
            span: info.map(|i| i.span).filter(|&s| s != Span::default()),
            body: info.and_then(|i| i.body),
            substeps: if substeps.len() > 1 {
                substeps
            } else {
                Vec::new()
            },
            omitted,
            printed,
            message,
            inputs: self.explorer.inputs(from, to),
            messages,
            state: self.explorer.describe(to),
        }
    }
}
