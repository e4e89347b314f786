//! The reachable states of a small model, with who takes part in each step.
//!
//! Built through the interface that every system has (`initial`, `explain`, `holds`), and kept as
//! plain vectors. Nothing here knows of stores, records or marks: who takes part in a step is read
//! off the story that the system tells about it, statement by statement.

use std::collections::HashMap;

use evenhand::{ActionId, Explicit, FaultKind, ProcessId, PropositionId, Successors};

/// A process that takes part in a step, with a statement of its own.
#[derive(Clone, Copy, Debug)]
pub struct Participant {
    /// Its number.
    pub pid: ProcessId,
    /// The statement.
    pub action: ActionId,
    /// Whether it is the one that began the step.
    pub is_first: bool,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it leads.
    pub target: usize,
    /// Everybody who takes part, in the order of the statements.
    pub participants: Vec<Participant>,
}

/// All reachable states and steps.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// The packed states.
    pub states: Vec<Vec<u8>>,
    /// The steps out of each.
    pub steps: Vec<Vec<Step>>,
    /// The initial states.
    pub initial: Vec<usize>,
    /// For each proposition asked for, in which states it holds; none if it has no value somewhere.
    pub truth: HashMap<PropositionId, Option<Vec<bool>>>,
    /// For each state, the names of its processes by number.
    pub names: Vec<Vec<String>>,
}

/// Why a model has no space here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSpace {
    /// It has more states than wanted.
    TooLarge,
    /// Run-time errors occur; the first of them.
    Fault(FaultKind),
}

impl Space {
    /// Explores a system and evaluates propositions.
    pub fn explore(
        system: &dyn Explicit,
        propositions: &[PropositionId],
        most: usize,
    ) -> Result<Space, NoSpace> {
        let mut explorer = system.explorer(&[]);
        let mut space = Space::default();
        let mut known: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut out = Successors::new();
        explorer.initial(&mut out);
        for index in 0..out.len() {
            let state = space.number(&mut known, out.state(index));
            space.initial.push(state);
        }
        let mut next = 0;
        while next < space.states.len() {
            if space.states.len() > most {
                return Err(NoSpace::TooLarge);
            }
            let state = space.states[next].clone();
            let told = explorer.explain(&state, &mut out);
            if let Some(report) = out.faults().first() {
                return Err(NoSpace::Fault(report.fault.kind));
            }
            let mut steps = Vec::new();
            for index in 0..out.len() {
                let mut participants: Vec<Participant> = Vec::new();
                for record in told.of_successor(&out, index) {
                    participants.push(Participant {
                        pid: record.process,
                        action: record.action,
                        is_first: participants.is_empty(),
                    });
                    if let Some(action) = record.partner_action {
                        participants.push(Participant {
                            pid: record.partner.expect("a partner"),
                            action,
                            is_first: false,
                        });
                    }
                }
                let target = space.number(&mut known, out.state(index));
                steps.push(Step {
                    target,
                    participants,
                });
            }
            space.steps.push(steps);
            next += 1;
        }
        for &proposition in propositions {
            let holds = |state: &Vec<u8>| explorer.holds(proposition, state).ok();
            let truth = space.states.iter().map(holds).collect();
            space.truth.insert(proposition, truth);
        }
        for state in &space.states {
            let name = |pid: ProcessId| explorer.process_name(state, pid);
            // Where there is no process of a number its name has no number in brackets.
            let alive = ProcessId::first(255)
                .map(name)
                .take_while(|name| name.ends_with(']'));
            space.names.push(alive.collect());
        }
        Ok(space)
    }

    fn number(&mut self, known: &mut HashMap<Vec<u8>, usize>, state: &[u8]) -> usize {
        if let Some(&number) = known.get(state) {
            return number;
        }
        let number = self.states.len();
        known.insert(state.to_vec(), number);
        self.states.push(state.to_vec());
        number
    }

    /// In which states a proposition holds; none if it has no value somewhere.
    pub fn states_where(&self, proposition: PropositionId) -> Option<Vec<bool>> {
        self.truth.get(&proposition)?.clone()
    }

    /// The numbers of all processes.
    pub fn pids(&self) -> std::ops::Range<u8> {
        let most = self.names.iter().map(Vec::len).max().unwrap_or(0);
        0..most as u8
    }
}
