//! A specification as a fair system: rows of values are states, steps of the next-state action are steps.
//!
//! A packed state has the number of each variable's value. Where the configuration has constraints or properties of
//! steps, a byte in front says what is odd about it: a state outside of the constraints has no successors, as in TLC; a
//! step that a property forbids leads to a copy of its state that says so, and so the shortest way to such a
//! step is the shortest way to a state.

use std::sync::Arc;

use evenhand_source::{Lasting, Span};
use evenhand_system::body::Lifted;
use evenhand_system::explicit::{Explanation, Record, Step};
use evenhand_system::relation::VarId;
use evenhand_system::{
    ActionId, Body, Explicit, Explorer, Fault, FaultKind, FinishedRuns, Inputs, ItemSpec,
    ProcessId, PropositionId, Refusal, Signature, Successors,
};

use crate::code::{Act, Code};
use crate::compile::{Compiled, Program};
use crate::failure::{Failure, FailureKind};
use crate::history::History;
use crate::lift;
use crate::machine::{Found, Globals, Machine, Registers, Sink};
use crate::names::Names;
use crate::steps::{StepBody, width};
use crate::symmetry::{Images, Symmetry};
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
    /// States that look the same are one: rows 0 and 1.
    pub view: Option<[Compiled<Code>; 2]>,
    /// What is shown of a state instead of its variables, on row 0.
    pub alias: Option<Compiled<Code>>,
    /// What is asked when everything is explored.
    pub postconditions: Vec<Compiled<Code>>,
    /// What the specification says about fairness.
    pub fair: Vec<FairAction>,
    /// The `v` of its `[][Next]_v`, as it stands there.
    pub subscript: Option<String>,
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
    /// The same without these values.
    pub words: String,
    /// The bound names with their values.
    pub bound: Vec<(String, String)>,
    pub strong: bool,
    pub span: Span,
    /// `ENABLED <<A>>_v`, on row 0.
    pub enabled: Compiled<Code>,
    /// `<<A>>_v`, on rows 0 and 1.
    pub taken: Compiled<Code>,
    /// Where A is the next-state action itself: that `v` changes, on rows 0 and 1. Every step is one of A then, and
    /// it is enabled where some step changes `v`.
    pub of_next: Option<Compiled<Code>>,
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
    /// A condition on the whole search, by its number: no state has it.
    Postcondition(usize),
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

    /// Whether a state stands for others.
    pub fn is_quotient(&self) -> bool {
        !self.symmetry.is_empty() || self.view.is_some()
    }
}

/// A specification with what is asked of it.
#[derive(Clone, Debug)]
pub(crate) struct ModelBody {
    pub model: Arc<Model>,
    pub signature: Arc<Signature>,
    /// What was met so far.
    pub history: Arc<History>,
    /// Whether each state stands for itself alone, whatever the configuration says.
    pub plain: bool,
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

    fn lifted(&self, path: &[Vec<u8>]) -> Option<Option<Lifted>> {
        (self.model.is_quotient() && !self.plain).then(|| lift::path(self, path))
    }

    fn coverage(&self) -> Option<Vec<u64>> {
        let mut steps = self.history.covered();
        steps.resize(self.signature.actions.len(), 0);
        Some(steps)
    }

    fn concluded(&self, proposition: PropositionId) -> Result<bool, Fault> {
        let model = &*self.model;
        let Some(Proposition::Postcondition(number)) =
            model.propositions.get(proposition.0 as usize)
        else {
            return Err(ModelExplorer::bad_state());
        };
        let mut machine = Machine::new(&model.program, &model.globals, &model.names);
        machine.registers = self.history.left().unwrap_or(model.registers.clone());
        machine.registers.level = Some(0);
        machine.registers.statistics = Some(self.history.statistics());
        let held = machine.holds(&model.postconditions[*number]);
        held.map_err(|failure| fault(&failure, &model.names))
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
        Box::new(self.explorer_of(machine, items))
    }

    fn is_pure(&self) -> bool {
        let model = &*self.model;
        !model.program.impure && model.view.is_none() && !model.program.reads_search
    }

    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Everywhere
    }

    fn counts_all(&self) -> bool {
        !self.model.is_flagged() || self.model.initial.is_none()
    }

    fn is_counted(&self, state: &[u8]) -> bool {
        self.counts_all() || state.starts_with(&[0, 0])
    }
}

impl ModelBody {
    /// An explorer; those that stand for themselves alone leave no trace in what was met.
    pub fn explorer_of<'a>(
        &'a self,
        machine: Machine<'a>,
        items: &[ItemSpec],
    ) -> ModelExplorer<'a> {
        let model = &*self.model;
        ModelExplorer {
            model,
            history: &self.history,
            is_plain: self.plain,
            other: Vec::new(),
            machine,
            items: items.iter().map(|item| self.item(item)).collect(),
            enabled: Vec::new(),
            taken: Vec::new(),
            numbers: Vec::new(),
            images: Images::default(),
            bytes: Vec::new(),
            told: None,
            executed: vec![false; self.signature.actions.len()],
            steps: vec![0; self.signature.actions.len()],
            signature: &self.signature,
        }
    }
}

pub(crate) struct ModelExplorer<'a> {
    model: &'a Model,
    history: &'a History,
    /// Whether each state stands for itself alone.
    is_plain: bool,
    /// Bytes of the state that stands for another.
    other: Vec<u8>,
    signature: &'a Signature,
    machine: Machine<'a>,
    items: Vec<Item>,
    /// Which items are enabled in the state at hand.
    enabled: Vec<bool>,
    /// The places of the items that a step takes.
    taken: Vec<usize>,
    /// The numbers of the values of the state at hand.
    numbers: Vec<u32>,
    /// What permutations made of values lately.
    images: Images,
    bytes: Vec<u8>,
    /// How steps are called, where somebody wants to know.
    told: Option<Vec<String>>,
    executed: Vec<bool>,
    /// How many steps of each action were found.
    steps: Vec<u64>,
}

/// Takes the states that a search finds.
struct Taker<'t, 'a> {
    model: &'a Model,
    out: &'t mut Successors,
    numbers: &'t [u32],
    images: &'t mut Images,
    bytes: &'t mut Vec<u8>,
    told: &'t mut Option<Vec<String>>,
    executed: &'t mut [bool],
    steps: &'t mut [u64],
    /// The row that is searched for.
    row: usize,
    items: &'t [Item],
    enabled: &'t [bool],
    taken: &'t mut Vec<usize>,
    history: &'t History,
    is_plain: bool,
    other: &'t mut Vec<u8>,
    /// The level of the states that are found, where somebody asks for levels.
    level: Option<u32>,
    /// Whether what is found is counted.
    counts: bool,
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
        if machine.row(self.row).iter().any(Option::is_none) {
            return Err(incomplete(machine, self.row));
        }
        let least = match model.symmetry.is_empty() || self.is_plain {
            true => None,
            false => model.symmetry.least(machine.row(self.row), self.images)?,
        };
        for variable in 0..model.program.variables.len() {
            let Some(value) = &machine.row(self.row)[variable] else {
                continue;
            };
            let value = least.as_ref().map_or(value, |least| &least[variable]);
            let number = match self.unchanged(machine, variable, value) {
                Some(number) => number,
                None => model.table.number(value)?,
            };
            if least.is_none() {
                machine.is_numbered(self.row, variable, number);
            }
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
        if let Some(steps) = step.action.and_then(|own| self.steps.get_mut(own.index())) {
            *steps += 1;
        }
        self.find_taken(machine, step)?;
        let view = match &model.view {
            Some(views) if !self.is_plain => Some(view_of(
                machine,
                &views[self.row],
                self.row,
                least,
                &model.table,
            )?),
            _ => None,
        };
        if flagged {
            self.judge(machine, step, view)?;
        }
        self.push(machine, step, view);
        Ok(Found::GoOn)
    }
}

impl<'a> Taker<'_, 'a> {
    /// The number of a value that is the one before the step.
    fn unchanged(&self, machine: &Machine<'a>, variable: usize, value: &Value) -> Option<u32> {
        if self.row == 0 {
            return None;
        }
        let before = machine.row(0)[variable].as_ref()?;
        before.is_identical(value).then(|| self.numbers[variable])
    }

    /// Finds the items that the step takes.
    fn find_taken(&mut self, machine: &mut Machine<'a>, step: Step) -> Result<(), Failure> {
        self.taken.clear();
        for (place, item) in self.items.iter().enumerate() {
            let takes = match item {
                Item::Stated(number) => {
                    let fair = &self.model.fair[*number];
                    match &fair.of_next {
                        Some(changed) => machine.holds(changed).map_err(asked)?,
                        // What is not enabled is not taken.
                        None => self.enabled[place] && machine.holds(&fair.taken).map_err(asked)?,
                    }
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
    fn judge(
        &mut self,
        machine: &mut Machine<'a>,
        step: Step,
        view: Option<u32>,
    ) -> Result<(), Failure> {
        let model = self.model;
        // The initial predicate is evaluated before there is a state.
        if self.row == 0 && self.level.is_some() {
            machine.registers.level = self.level;
        }
        let judged = self.judged(machine, step, view, model);
        if self.row == 0 && self.level.is_some() {
            machine.registers.level = Some(0);
        }
        judged
    }

    fn judged(
        &mut self,
        machine: &mut Machine<'a>,
        step: Step,
        view: Option<u32>,
        model: &'a Model,
    ) -> Result<(), Failure> {
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
                self.push(machine, step, view);
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

    fn push(&mut self, machine: &mut Machine<'a>, step: Step, view: Option<u32>) {
        let flags = match self.model.is_flagged() {
            true => flags_of(self.bytes),
            false => 0,
        };
        let state: &[u8] = match view {
            Some(view) => {
                self.other.clear();
                self.other.extend_from_slice(self.bytes);
                self.history.stand_in(flags, view, self.other);
                self.other
            }
            None => self.bytes,
        };
        if let (Some(level), true) = (self.level, self.counts && flags < 2) {
            self.history.reach(state, level, self.row == 0, flags == 0);
        }
        self.out.push(state, step, self.taken.iter().copied());
        if let Some(told) = self.told {
            told.push(machine.action_text());
        }
    }
}

/// What is odd about a state, as its first bytes say.
fn flags_of(state: &[u8]) -> u16 {
    let first = state.first_chunk::<2>();
    first.map_or(0, |flags| u16::from_le_bytes(*flags))
}

/// The number of what is seen of the state in a row; with symmetry, of the one that stands for it.
fn view_of<'a>(
    machine: &mut Machine<'a>,
    view: &'a Compiled<Code>,
    row: usize,
    least: Option<Vec<Value>>,
    table: &ValueTable,
) -> Result<u32, Failure> {
    let Some(least) = least else {
        let value = machine.value(view)?;
        return table.number(&value);
    };
    let least = least.into_iter().map(Some).collect();
    let own = machine.exchange(row, least);
    let value = machine.value(view);
    machine.exchange(row, own);
    table.number(&value?)
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
        // What is the same as in the state before is there already.
        let known = self.numbers.len() == variables;
        if !known {
            self.numbers.clear();
            self.numbers.resize(variables, u32::MAX);
        }
        for (variable, bytes) in numbers.chunks_exact(4).enumerate() {
            let number = u32::from_le_bytes(bytes.try_into().ok()?);
            if known && self.numbers[variable] == number {
                continue;
            }
            let Some(value) = model.table.value(number) else {
                self.numbers.clear();
                return None;
            };
            self.machine.load(0, variable, value.clone(), number);
            self.numbers[variable] = number;
        }
        Some(flags)
    }

    /// Finds the items that are enabled in the state at hand by what the specification says.
    fn find_enabled(&mut self) -> Result<(), Failure> {
        self.enabled.clear();
        for item in &self.items {
            let enabled = match item {
                Item::Stated(number) => {
                    let fair = &self.model.fair[*number];
                    fair.of_next.is_none() && self.machine.holds(&fair.enabled).map_err(asked)?
                }
                Item::Action(_) | Item::Step(_) | Item::Nothing => false,
            };
            self.enabled.push(enabled);
        }
        Ok(())
    }

    /// Whether it is kept how the search went.
    fn remembers(&self) -> bool {
        self.model.program.reads_search
    }

    /// What is evaluated from now on is about a state of this level.
    fn at_level(&mut self, level: u32) {
        self.machine.registers.level = Some(level);
        self.machine.registers.statistics = Some(self.history.statistics());
    }

    /// The state that stands for a state.
    pub fn representative(&mut self, state: &[u8]) -> Option<Vec<u8>> {
        let flags = self.unpack(state)?;
        let model = self.model;
        let least = match model.symmetry.is_empty() {
            true => None,
            false => {
                let row = self.machine.row(0);
                model.symmetry.least(row, &mut self.images).ok()?
            }
        };
        if let Some(views) = &model.view {
            let view = view_of(&mut self.machine, &views[0], 0, least, &model.table).ok()?;
            return self.history.standing(flags, view);
        }
        let Some(least) = least else {
            return Some(state.to_vec());
        };
        let mut bytes = state[..state.len() - 4 * least.len()].to_vec();
        for value in &least {
            bytes.extend_from_slice(&model.table.number(value).ok()?.to_le_bytes());
        }
        Some(bytes)
    }

    fn bad_state() -> Fault {
        let span = Span::default();
        let kind = FaultKind::BadState;
        Fault { kind, span }
    }
}

impl Drop for ModelExplorer<'_> {
    fn drop(&mut self) {
        if self.model.program.impure && !self.is_plain {
            self.history.leave(&self.machine.registers);
        }
        self.history.cover(&self.steps);
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
        self.machine.clear(0);
        self.numbers.clear();
        self.machine.action = None;
        let level = self.remembers().then_some(1);
        if level.is_some() {
            self.at_level(0);
        }
        let mut taker = Taker {
            model,
            out,
            numbers: &[],
            images: &mut self.images,
            bytes: &mut self.bytes,
            told: &mut self.told,
            executed: &mut self.executed,
            steps: &mut self.steps,
            row: 0,
            items: &[],
            enabled: &[],
            taken: &mut self.taken,
            history: self.history,
            is_plain: self.is_plain,
            other: &mut self.other,
            level,
            counts: self.history.statistics().initial == 0,
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
        let (mut level, mut counts) = (None, false);
        if self.remembers() {
            let (own, is_first) = self.history.expand(state);
            (level, counts) = (Some(own + 1), is_first);
            self.at_level(own);
        }
        self.machine.clear(1);
        self.machine.action = None;
        if let Err(failure) = self.find_enabled() {
            out.fault(fault(&failure, &model.names), Step::default());
            return;
        }
        let mut taker = Taker {
            model,
            out,
            numbers: &self.numbers,
            images: &mut self.images,
            bytes: &mut self.bytes,
            told: &mut self.told,
            executed: &mut self.executed,
            steps: &mut self.steps,
            row: 1,
            items: &self.items,
            enabled: &self.enabled,
            taken: &mut self.taken,
            history: self.history,
            is_plain: self.is_plain,
            other: &mut self.other,
            level,
            counts,
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
            Proposition::Step(_) | Proposition::Postcondition(_) => Err(Self::bad_state()),
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
                if self.remembers() {
                    self.at_level(self.history.level(state));
                }
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
        if let Some(alias) = &self.model.alias {
            if self.remembers() {
                self.at_level(self.history.level(state));
            }
            let value = self.machine.value(alias);
            if let Some(fields) = value.ok().and_then(|value| fields(&value, names)) {
                return fields;
            }
        }
        let variables = self.model.program.variables.iter().zip(self.machine.row(0));
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

/// The fields of a record, by their names; none if it is no record.
fn fields(
    record: &Value,
    names: &Names,
) -> Option<Vec<(String, evenhand_system::explicit::Value)>> {
    let mut list = Vec::new();
    let mut keys = record.domain().ok()?.elements().ok()?;
    let mut keys_left = Vec::new();
    while let Some(key) = keys.next().ok()? {
        keys_left.push(key);
    }
    for key in keys_left {
        let Value::Text(name) = &key else {
            return None;
        };
        let value = record.apply(&key).ok()?;
        list.push((names.text(*name).to_string(), shown(&value, names)));
    }
    (!list.is_empty()).then_some(list)
}

/// A value of more parts than this is shown as a whole, and so is what lies deeper than a few parts in each other.
const MOST_PARTS: usize = 200;
const DEEPEST_PARTS: u32 = 3;

/// A value as people write it.
fn shown(value: &Value, names: &Names) -> evenhand_system::explicit::Value {
    shown_to(value, names, DEEPEST_PARTS)
}

fn shown_to(value: &Value, names: &Names, depth: u32) -> evenhand_system::explicit::Value {
    use evenhand_system::explicit::Value as Told;
    match value {
        Value::Truth(truth) => Told::Text(if *truth { "TRUE" } else { "FALSE" }.to_string()),
        Value::Number(number) => Told::Number(i64::from(*number)),
        _ => {
            let text = value.show(names).to_string();
            let parts = match depth {
                0 => None,
                _ => parts(value, names, depth - 1),
            };
            match parts {
                Some(parts) => Told::Whole(text, parts),
                None => Told::Text(text),
            }
        }
    }
}

/// Whether a text can stand behind a point.
fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') && !text.is_empty()
}

/// The parts of a function: what is written behind its name to get one, and the value; none of other values.
fn parts(
    function: &Value,
    names: &Names,
    depth: u32,
) -> Option<Vec<evenhand_system::explicit::Part>> {
    let domain = function.domain().ok()?;
    let mut keys = domain.elements().ok()?;
    let mut list = Vec::new();
    while let Some(key) = keys.next().ok()? {
        if list.len() >= MOST_PARTS {
            return None;
        }
        let name = match &key {
            Value::Text(field) if is_word(names.text(*field)) => {
                format!(".{}", names.text(*field))
            }
            _ => format!("[{}]", key.show(names)),
        };
        let part = function.apply(&key).ok()?;
        list.push((name, shown_to(&part, names, depth)));
    }
    Some(list)
}
