//! A specification as a fair system: rows of values are states, steps of the next-state action are steps.
//!
//! A packed state has the number of each variable's value. Where the configuration has constraints or properties of
//! steps, a byte in front says what is odd about it: a state outside of the constraints has no successors, as in TLC; a
//! step that a property forbids leads to a copy of its state that says so, and so the shortest way to such a
//! step is the shortest way to a state.

use std::sync::Arc;

use evenhand_source::{Lasting, Span};
use evenhand_system::explicit::{Explanation, Record, Step};
use evenhand_system::relation::VarId;
use evenhand_system::{
    ActionId, Body, Explicit, Explorer, Fault, FaultKind, FinishedRuns, Inputs, ItemSpec,
    ProcessId, PropositionId, Refusal, Signature, Successors,
};

use crate::code::{Act, Code};
use crate::compile::{Compiled, Program};
use crate::failure::{Failure, FailureKind};
use crate::machine::{Found, Globals, Machine, Registers, Sink};
use crate::names::Names;
use crate::steps::{StepBody, width};
use crate::symmetry::Symmetry;
use crate::table::ValueTable;
use crate::value::Value;

/// Everything that was compiled of a specification.
#[derive(Debug)]
pub(crate) struct Model {
    pub names: Arc<Names>,
    pub program: Program,
    pub globals: Globals,
    pub table: ValueTable,
    /// None where there is nothing to explore: then there is one state without variables.
    pub initial: Option<Compiled<Act>>,
    pub next: Option<Compiled<Act>>,
    /// Conditions on states that are explored further: rows 0 and 1.
    pub constraints: Vec<[Compiled<Code>; 2]>,
    /// Conditions on steps that are followed.
    pub action_constraints: Vec<Compiled<Code>>,
    /// Properties of initial states.
    pub implied_initial: Vec<Compiled<Code>>,
    /// Properties of steps.
    pub implied_actions: Vec<Compiled<Code>>,
    pub propositions: Vec<Proposition>,
    /// What assumptions have left in registers.
    pub registers: Registers,
    /// Which states are the same.
    pub symmetry: Symmetry,
    /// What the specification says about fairness.
    pub fair: Vec<FairAction>,
    /// Formulas about steps that are part of temporal ones.
    pub steps: Vec<StepFormula>,
}

/// `<<A>>_v` or `[A]_v`
#[derive(Debug)]
pub(crate) struct StepFormula {
    /// On rows 0 and 1.
    pub code: Compiled<Code>,
    /// Whether it is true of a step that changes nothing.
    pub stays: bool,
}

/// `WF_v(A)` or `SF_v(A)`
#[derive(Debug)]
pub(crate) struct FairAction {
    /// As people read it, with the values of bound names.
    pub text: String,
    pub strong: bool,
    pub span: Span,
    /// `ENABLED <<A>>_v`, on row 0.
    pub enabled: Compiled<Code>,
    /// `<<A>>_v`, on rows 0 and 1.
    pub taken: Compiled<Code>,
}

/// What an item of fairness is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// What the specification says.
    Stated(usize),
    /// The steps that are called after an action.
    Action(usize),
    /// A formula about steps.
    Step(usize),
    /// Nothing here.
    Nothing,
}

/// What can be asked of a state.
#[derive(Debug)]
pub(crate) enum Proposition {
    /// A predicate, on row 0.
    Predicate(Compiled<Code>),
    /// The state does not say that a property of steps or of initial states was broken: the properties from the
    /// first number up to the second.
    Unbroken(u16, u16),
    /// The state is one that counts for temporal formulas: inside of the constraints, and no copy for other properties
    /// than those in these ranges.
    Inside(Vec<(u16, u16)>),
    /// A formula about steps, by its number: it is part of states where somebody asks for it.
    Step(usize),
    /// It has this value everywhere.
    Always(bool),
}

/// What is odd about a state.
const OUTSIDE: u16 = 1;
/// How many properties of steps and initial states can be told apart.
pub(crate) const MOST_PROPERTIES: usize = 0x7ffe;

impl Model {
    /// Whether states have a byte in front.
    pub fn is_flagged(&self) -> bool {
        let constrained = !self.constraints.is_empty() || !self.action_constraints.is_empty();
        constrained || !self.implied_initial.is_empty() || !self.implied_actions.is_empty()
    }
}

/// A specification with what is asked of it.
#[derive(Clone, Debug)]
pub(crate) struct ModelBody {
    pub model: Arc<Model>,
    pub signature: Arc<Signature>,
}

impl Body for ModelBody {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }

    fn inputs_read(&self, propositions: &[PropositionId]) -> Inputs {
        let of =
            |proposition: &PropositionId| match self.model.propositions.get(proposition.0 as usize)
            {
                Some(Proposition::Step(number)) => u32::try_from(*number).ok().map(VarId),
                _ => None,
            };
        propositions.iter().filter_map(of).collect()
    }

    fn with_inputs(&self, inputs: &Inputs) -> Result<Box<dyn Explicit>, Refusal> {
        Ok(Box::new(StepBody::new(self, inputs)))
    }

    fn without_inputs(&self, inputs: &Inputs, state: &[u8]) -> Vec<u8> {
        let end = state.len().saturating_sub(width(inputs.len()));
        state[..end].to_vec()
    }
}

impl ModelBody {
    fn item(&self, item: &ItemSpec) -> Item {
        let ItemSpec::Own(number) = item else {
            return Item::Nothing;
        };
        let number = *number as usize;
        if let Some(formula) = number.checked_sub(self.first_formula()) {
            return match formula < self.model.steps.len() {
                true => Item::Step(formula),
                false => Item::Nothing,
            };
        }
        match number.checked_sub(self.model.fair.len()) {
            None => Item::Stated(number),
            Some(action) => Item::Action(action),
        }
    }

    /// The number of the item that is the first formula about steps.
    pub fn first_formula(&self) -> usize {
        self.model.fair.len() + self.signature.actions.len()
    }
}

impl Explicit for ModelBody {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        let model = &*self.model;
        let mut machine = Machine::new(&model.program, &model.globals, &model.names);
        machine.registers = model.registers.clone();
        Box::new(ModelExplorer {
            model,
            machine,
            items: items.iter().map(|item| self.item(item)).collect(),
            enabled: Vec::new(),
            taken: Vec::new(),
            numbers: Vec::new(),
            bytes: Vec::new(),
            told: None,
            executed: vec![false; self.signature.actions.len()],
            signature: &self.signature,
        })
    }

    fn is_pure(&self) -> bool {
        !self.model.program.impure
    }

    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Everywhere
    }
}

struct ModelExplorer<'a> {
    model: &'a Model,
    signature: &'a Signature,
    machine: Machine<'a>,
    items: Vec<Item>,
    /// Which items are enabled in the state at hand.
    enabled: Vec<bool>,
    /// The places of the items that a step takes.
    taken: Vec<usize>,
    /// The numbers of the values of the state at hand.
    numbers: Vec<u32>,
    bytes: Vec<u8>,
    /// How steps are called, where somebody wants to know.
    told: Option<Vec<String>>,
    executed: Vec<bool>,
}

/// Takes the states that a search finds.
struct Taker<'t, 'a> {
    model: &'a Model,
    out: &'t mut Successors,
    numbers: &'t [u32],
    bytes: &'t mut Vec<u8>,
    told: &'t mut Option<Vec<String>>,
    executed: &'t mut [bool],
    /// The row that is searched for.
    row: usize,
    items: &'t [Item],
    enabled: &'t [bool],
    taken: &'t mut Vec<usize>,
}

impl<'a> Sink<'a> for Taker<'_, 'a> {
    fn found(&mut self, machine: &mut Machine<'a>) -> Result<Found, Failure> {
        evenhand_source::spend();
        let model = self.model;
        self.bytes.clear();
        let flagged = model.is_flagged();
        if flagged {
            self.bytes.extend_from_slice(&[0, 0]);
        }
        if machine.rows[self.row].iter().any(Option::is_none) {
            return Err(incomplete(machine, self.row));
        }
        let least = match model.symmetry.is_empty() {
            true => None,
            false => model.symmetry.least(&machine.rows[self.row])?,
        };
        for variable in 0..model.program.variables.len() {
            let Some(value) = &machine.rows[self.row][variable] else {
                continue;
            };
            let value = least.as_ref().map_or(value, |least| &least[variable]);
            let number = match self.unchanged(machine, variable, value) {
                Some(number) => number,
                None => model.table.number(value)?,
            };
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        let step = match machine.action {
            Some((action, ..)) if self.row == 1 => step(action),
            _ => Step::default(),
        };
        if let Some(executed) = step
            .action
            .and_then(|action| self.executed.get_mut(action.index()))
        {
            *executed = true;
        }
        self.find_taken(machine, step)?;
        if flagged {
            self.judge(machine, step)?;
        }
        self.push(machine, step);
        Ok(Found::GoOn)
    }
}

impl<'a> Taker<'_, 'a> {
    /// The number of a value that is the one before the step.
    fn unchanged(&self, machine: &Machine<'a>, variable: usize, value: &Value) -> Option<u32> {
        if self.row == 0 {
            return None;
        }
        let before = machine.rows[0][variable].as_ref()?;
        before.is_identical(value).then(|| self.numbers[variable])
    }

    /// Finds the items that the step takes.
    fn find_taken(&mut self, machine: &mut Machine<'a>, step: Step) -> Result<(), Failure> {
        self.taken.clear();
        for (place, item) in self.items.iter().enumerate() {
            let takes = match item {
                // What is not enabled is not taken.
                Item::Stated(number) => {
                    self.enabled[place]
                        && machine
                            .holds(&self.model.fair[*number].taken)
                            .map_err(asked)?
                }
                Item::Action(action) => step.action.is_some_and(|own| own.index() == *action),
                Item::Step(formula) => machine
                    .holds(&self.model.steps[*formula].code)
                    .map_err(asked)?,
                Item::Nothing => false,
            };
            if takes {
                self.taken.push(place);
            }
        }
        Ok(())
    }

    /// Says what is odd about the state, and adds copies for properties that the step breaks.
    fn judge(&mut self, machine: &mut Machine<'a>, step: Step) -> Result<(), Failure> {
        let model = self.model;
        let implied = match self.row {
            0 => &model.implied_initial,
            _ => &model.implied_actions,
        };
        for (number, property) in implied.iter().enumerate() {
            if !machine.holds(property)? {
                let first = if self.row == 0 {
                    0
                } else {
                    model.implied_initial.len()
                };
                let mark = u16::try_from(number + first + 1).unwrap_or(u16::MAX >> 1);
                self.mark(OUTSIDE | mark << 1);
                self.push(machine, step);
                self.mark(0);
            }
        }
        let mut inside = true;
        for constraint in &model.constraints {
            inside = inside && machine.holds(&constraint[self.row])?;
        }
        if self.row == 1 {
            for constraint in &model.action_constraints {
                inside = inside && machine.holds(constraint)?;
            }
        }
        if !inside {
            self.mark(OUTSIDE);
        }
        Ok(())
    }

    /// Says what is odd about the state.
    fn mark(&mut self, flags: u16) {
        self.bytes[..2].copy_from_slice(&flags.to_le_bytes());
    }

    fn push(&mut self, machine: &mut Machine<'a>, step: Step) {
        self.out.push(self.bytes, step, self.taken.iter().copied());
        if let Some(told) = self.told {
            told.push(machine.action_text());
        }
    }
}

/// What fairness or a formula asks of a step has no value: that is no error of the specification, and no verdict.
fn asked(mut failure: Failure) -> Failure {
    failure.0.kind = FailureKind::Limit;
    failure
}

/// The step of an action.
fn step(action: u32) -> Step {
    Step::of(
        ProcessId::new(action as usize),
        ActionId::new(action as usize),
    )
}

/// A state that lacks values.
#[cold]
fn incomplete(machine: &Machine<'_>, row: usize) -> Failure {
    let missing = machine.missing(row);
    let list = missing.join(", ");
    let what = if row == 0 {
        "an initial state"
    } else {
        "a step"
    };
    let hint = if row == 0 {
        ""
    } else {
        ": say what becomes of each variable, with UNCHANGED for what stays"
    };
    Failure::new(format!("{what} leaves {list} without a value{hint}"))
}

fn fault(failure: &Failure, names: &Names) -> Fault {
    let problem = &failure.0;
    let text = Lasting::new(&failure.told(names));
    let kind = match problem.kind {
        FailureKind::Limit => FaultKind::Limit(text),
        _ => FaultKind::Said(text),
    };
    let span = problem.span.unwrap_or_default();
    Fault { kind, span }
}

impl<'a> ModelExplorer<'a> {
    /// Reads a state into row 0; what is odd about it, or none if these bytes are no state.
    fn unpack(&mut self, state: &[u8]) -> Option<u16> {
        let model = self.model;
        let (flags, numbers) = match model.is_flagged() && model.initial.is_some() {
            true => {
                let (flags, rest) = state.split_first_chunk::<2>()?;
                (u16::from_le_bytes(*flags), rest)
            }
            false => (0, state),
        };
        if model.initial.is_none() {
            return state.is_empty().then_some(0);
        }
        let variables = model.program.variables.len();
        if numbers.len() != 4 * variables {
            return None;
        }
        self.numbers.clear();
        for (variable, bytes) in numbers.chunks_exact(4).enumerate() {
            let number = u32::from_le_bytes(bytes.try_into().ok()?);
            self.machine.rows[0][variable] = Some(model.table.value(number)?.clone());
            self.numbers.push(number);
        }
        Some(flags)
    }

    /// Finds the items that are enabled in the state at hand by what the specification says.
    fn find_enabled(&mut self) -> Result<(), Failure> {
        self.enabled.clear();
        for item in &self.items {
            let enabled = match item {
                Item::Stated(number) => {
                    let enabled = &self.model.fair[*number].enabled;
                    self.machine.holds(enabled).map_err(asked)?
                }
                Item::Action(_) | Item::Step(_) | Item::Nothing => false,
            };
            self.enabled.push(enabled);
        }
        Ok(())
    }

    fn bad_state() -> Fault {
        let span = Span::default();
        let kind = FaultKind::BadState;
        Fault { kind, span }
    }
}

impl Explorer for ModelExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.start(self.items.len());
        let model = self.model;
        let Some(initial) = &model.initial else {
            out.push(&[], Step::default(), []);
            return;
        };
        self.machine.rows[0].fill(None);
        self.machine.action = None;
        let mut taker = Taker {
            model,
            out,
            numbers: &[],
            bytes: &mut self.bytes,
            told: &mut self.told,
            executed: &mut self.executed,
            row: 0,
            items: &[],
            enabled: &[],
            taken: &mut self.taken,
        };
        if let Err(failure) = self.machine.search(initial, &mut taker) {
            out.fault(fault(&failure, &model.names), Step::default());
        }
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(self.items.len());
        let Some(flags) = self.unpack(state) else {
            out.fault(Self::bad_state(), Step::default());
            return;
        };
        let model = self.model;
        let Some(next) = &model.next else {
            return;
        };
        if flags != 0 {
            return;
        }
        self.machine.rows[1].fill(None);
        self.machine.action = None;
        if let Err(failure) = self.find_enabled() {
            out.fault(fault(&failure, &model.names), Step::default());
            return;
        }
        let mut taker = Taker {
            model,
            out,
            numbers: &self.numbers,
            bytes: &mut self.bytes,
            told: &mut self.told,
            executed: &mut self.executed,
            row: 1,
            items: &self.items,
            enabled: &self.enabled,
            taken: &mut self.taken,
        };
        if let Err(failure) = self.machine.search(next, &mut taker) {
            let step = self
                .machine
                .action
                .map_or(Step::default(), |(action, ..)| step(action));
            out.fault(fault(&failure, &model.names), step);
        }
        out.enable_taken();
        for (place, enabled) in self.enabled.iter().enumerate() {
            if *enabled {
                out.enable(place);
            }
        }
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        let model = self.model;
        let Some(proposition) = model.propositions.get(proposition.0 as usize) else {
            return Err(Self::bad_state());
        };
        let flags = self.unpack(state).ok_or_else(Self::bad_state)?;
        match proposition {
            Proposition::Always(value) => Ok(*value),
            Proposition::Step(_) => Err(Self::bad_state()),
            Proposition::Unbroken(first, last) => {
                let broken = flags >> 1;
                Ok(broken == 0 || !(*first..*last).contains(&(broken - 1)))
            }
            Proposition::Inside(own) => {
                let broken = (flags >> 1).checked_sub(1);
                let is_own = |broken: u16| own.iter().any(|(a, b)| (*a..*b).contains(&broken));
                Ok(flags == 0 || broken.is_some_and(is_own))
            }
            Proposition::Predicate(code) => {
                let held = self.machine.holds(code);
                held.map_err(|failure| fault(&failure, &model.names))
            }
        }
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        self.unpack(state).is_some_and(|flags| flags != 0) || self.model.next.is_none()
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.told = Some(Vec::new());
        self.expand(state, out);
        let told = self.told.take().unwrap_or_default();
        let mut explanation = Explanation::default();
        for (index, text) in told.into_iter().enumerate() {
            let step = out.step(index);
            if let (Some(process), Some(action)) = (step.process, step.action) {
                let mut record = Record::new(process, action);
                record.text = Some(text);
                let number = explanation.add(0, record);
                out.explain_at(index, number);
            }
        }
        explanation
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, evenhand_system::explicit::Value)> {
        if self.unpack(state).is_none() {
            return Vec::new();
        }
        let names = &self.model.names;
        let variables = self
            .model
            .program
            .variables
            .iter()
            .zip(&self.machine.rows[0]);
        let told = variables.filter_map(|(&variable, value)| {
            let value = value.as_ref()?;
            Some((names.text(variable).to_string(), shown(value, names)))
        });
        told.collect()
    }

    fn has_process(&mut self, _: &[u8], process: ProcessId) -> bool {
        process.index() < self.signature.processes.len()
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        match self.signature.processes.get(process.index()) {
            Some(name) => name.clone(),
            None => format!("process {process}"),
        }
    }

    fn executed(&self) -> &[bool] {
        &self.executed
    }
}

/// A value as people write it.
fn shown(value: &Value, names: &Names) -> evenhand_system::explicit::Value {
    use evenhand_system::explicit::Value as Told;
    match value {
        Value::Truth(truth) => Told::Text(if *truth { "TRUE" } else { "FALSE" }.to_string()),
        Value::Number(number) => Told::Number(i64::from(*number)),
        _ => Told::Text(value.show(names).to_string()),
    }
}
