//! A specification as a fair system: rows of values are states, steps of the next-state action are steps.
//!
//! A packed state has the number of each variable's value. Where the configuration has constraints or properties of
//! steps, a byte in front says what is odd about it: a state outside of the constraints has no successors, as in TLC; a
//! step that a property forbids leads to a copy of its state that says so, and so the shortest way to such a
//! step is the shortest way to a state.

mod explorer;
mod groups;
mod portable;
mod shown;
mod taker;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use evenhand_source::Span;
use evenhand_system::body::{Evaluated, Expressions, Lifted, Unmet};
use evenhand_system::relation::VarId;
use evenhand_system::{
    Body, Explicit, Explorer, Fault, FinishedRuns, Groups, Inputs, ItemSpec, PropositionId,
    Refusal, Signature,
};

pub(crate) use explorer::ModelExplorer;
use groups::Grouped;
use portable::Portable;
pub(crate) use taker::fault;

use crate::code::{Act, Code, Var};
use crate::compile::{Compiled, Effects, Program};
use crate::history::History;
use crate::lift;
use crate::machine::{Cover, Globals, Machine, Registers, Watch};
use crate::names::Names;
use crate::steps::{StepBody, width};
use crate::symmetry::{Images, Symmetry};
use crate::table::ValueTable;

/// Everything that was compiled of a specification.
#[derive(Debug)]
pub(crate) struct Model {
    pub names: Arc<Names>,
    /// How many strings expressions had made when all was read.
    pub late_names: usize,
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
    /// What some state or step is to satisfy.
    pub possible: Vec<Possible>,
    /// What the specification says about fairness.
    pub fair: Vec<FairAction>,
    /// The `v` of its `[][Next]_v`, as it stands there.
    pub subscript: Option<String>,
    /// Formulas about steps that are part of temporal ones.
    pub steps: Vec<StepFormula>,
    /// What parts of the next-state action look at and change.
    pub effects: Effects,
}

/// What some state or some step is to satisfy.
#[derive(Debug)]
pub(crate) enum Possible {
    /// On rows 0 and 1.
    State([Compiled<Code>; 2]),
    /// On both rows together.
    Step(Compiled<Code>),
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
    /// The variables of `v`, where that is a tuple of variables.
    pub moves: Option<Vec<Var>>,
    /// `ENABLED <<A>>_v`, on row 0.
    pub enabled: Compiled<Code>,
    /// `<<A>>_v`, on rows 0 and 1.
    pub taken: Compiled<Code>,
    /// Where A is the next-state action itself: that `v` changes, on rows 0 and 1. Every step is one of A then, and
    /// it is enabled where some step changes `v`.
    pub of_next: Option<Compiled<Code>>,
    /// Where the search for next states may know its steps.
    pub watched: Option<WatchedAction>,
}

impl FairAction {
    /// What says that its subscript changes, where steps say which fairness they take.
    pub fn change(&mut self) -> Option<&mut Code> {
        let watched = self.watched.as_mut().map(|watched| &mut watched.changed);
        let changed = self.of_next.as_mut().or(watched);
        changed.map(|changed| &mut changed.code)
    }
}

impl Proposition {
    /// The predicate that it is, if it is one.
    pub fn code(&mut self) -> Option<&mut Code> {
        match self {
            Proposition::Predicate(code) => Some(&mut code.code),
            _ => None,
        }
    }
}

/// An action that the next-state action may have in it.
#[derive(Debug)]
pub(crate) struct WatchedAction {
    /// Its number in the next-state action.
    pub number: u32,
    pub args: Vec<Compiled<Code>>,
    /// That `v` changes, on rows 0 and 1.
    pub changed: Compiled<Code>,
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
    /// That some state or step satisfies what has this number: no state has it.
    Possible(usize),
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

    /// How many bytes of a state say what is odd about it.
    pub fn flag_bytes(&self) -> usize {
        match self.is_flagged() && self.initial.is_some() {
            true => 2,
            false => 0,
        }
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
    /// Its steps in groups, for who wants them.
    groups: Arc<OnceLock<Result<Box<Grouped>, Refusal>>>,
}

impl Body for ModelBody {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }

    fn groups(&self) -> Result<&dyn Groups, Refusal> {
        let made = || Grouped::new(self).map(Box::new);
        match self.groups.get_or_init(made) {
            Ok(groups) => Ok(&**groups),
            Err(refusal) => Err(refusal.clone()),
        }
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

    fn quotient(&self) -> Option<Arc<dyn Body>> {
        let merged = || Arc::new(self.with_plain(false)) as Arc<dyn Body>;
        (self.model.is_quotient() && self.plain).then(merged)
    }

    fn lifted(&self, path: &[Vec<u8>]) -> Option<Option<Lifted>> {
        (self.model.is_quotient() && !self.plain).then(|| lift::path(self, path))
    }

    fn coverage(&self) -> Option<Vec<u64>> {
        let mut steps = self.history.covered();
        steps.resize(self.signature.actions.len(), 0);
        Some(steps)
    }

    fn look_at_expressions(&self) {
        self.history.look_at_conditions();
    }

    fn expressions(&self) -> Expressions {
        let Some(met) = self.history.conditions() else {
            return Expressions::default();
        };
        let told = met.iter().map(|(&span, times)| Evaluated {
            span,
            times: times.evaluated,
            met: times.met,
        });
        let mut evaluated: Vec<Evaluated> = told.collect();
        evaluated.sort_by_key(|one| one.span);
        let mut list: Vec<Unmet> = Vec::new();
        for &span in &self.model.program.conditions {
            let truth = met.get(&span);
            // What is inside of what was never evaluated was not either.
            let last = list.last().filter(|last| !last.is_evaluated);
            let is_inside = last.is_some_and(|last| {
                last.span.file == span.file && span.start < last.span.end && truth.is_none()
            });
            if truth.is_none_or(|times| times.met == 0) && !is_inside {
                let is_evaluated = truth.is_some();
                list.push(Unmet { span, is_evaluated });
            }
        }
        Expressions {
            evaluated,
            unmet: list,
        }
    }

    fn printed(&self) -> Vec<String> {
        self.history.printed()
    }

    fn concluded(&self, proposition: PropositionId) -> Result<bool, Fault> {
        let model = &*self.model;
        let number = match model.propositions.get(proposition.0 as usize) {
            Some(Proposition::Postcondition(number)) => number,
            Some(Proposition::Possible(number)) => return Ok(self.history.is_possible(*number)),
            _ => return Err(ModelExplorer::bad_state()),
        };
        let mut machine = Machine::new(&model.program, &model.globals, &model.names);
        machine.registers = self.history.left().unwrap_or(model.registers.clone());
        machine.registers.level = Some(0);
        machine.registers.statistics = Some(self.history.statistics());
        let held = machine.holds(&model.postconditions[*number]);
        self.history.print(&mut machine.registers.printed);
        held.map_err(|failure| fault(&failure, &model.names, &self.signature.files))
    }
}

impl ModelBody {
    /// A model in which states stand for others as the configuration says.
    pub fn new(model: Arc<Model>, signature: Arc<Signature>, history: Arc<History>) -> ModelBody {
        ModelBody {
            model,
            signature,
            history,
            plain: false,
            groups: Arc::default(),
        }
    }

    /// The same, where each state stands for itself alone or not.
    pub fn with_plain(&self, plain: bool) -> ModelBody {
        ModelBody {
            plain,
            groups: Arc::default(),
            ..self.clone()
        }
    }

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
        let is_viewed = model.view.is_some() && !self.plain;
        !model.program.impure && !is_viewed && !model.program.reads_search
    }

    fn is_slow(&self) -> bool {
        // What is printed is that of a search of its own.
        !self.model.program.prints
    }

    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Everywhere
    }

    fn is_portable(&self) -> bool {
        true
    }

    fn has_inner_states(&self) -> bool {
        self.model.program.composes
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
        mut machine: Machine<'a>,
        items: &[ItemSpec],
    ) -> ModelExplorer<'a> {
        let items: Vec<Item> = items.iter().map(|item| self.item(item)).collect();
        machine.kept.table = Some(&self.model.table);
        self.explorer_with(machine, items)
    }

    /// An explorer for one who looks at parts of the next-state action: what was found to be done by all of them is not
    /// remembered.
    fn plain_explorer<'a>(&'a self, items: &[Item]) -> ModelExplorer<'a> {
        let model = &*self.model;
        let mut machine = Machine::new(&model.program, &model.globals, &model.names);
        machine.registers = model.registers.clone();
        self.explorer_with(machine, items.to_vec())
    }

    fn explorer_with<'a>(
        &'a self,
        mut machine: Machine<'a>,
        items: Vec<Item>,
    ) -> ModelExplorer<'a> {
        let model = &*self.model;
        machine.watch = watch(model, &items, &mut machine);
        machine.covered = self.history.looks_at_conditions().then(Cover::default);
        ModelExplorer {
            model,
            history: &self.history,
            is_plain: self.plain,
            other: Vec::new(),
            machine,
            items,
            enabled: Vec::new(),
            taken: Vec::new(),
            numbers: Vec::new(),
            images: Images::default(),
            portable: Portable::default(),
            bytes: Vec::new(),
            told: None,
            executed: vec![false; self.signature.actions.len()],
            steps: vec![0; self.signature.actions.len()],
            signature: &self.signature,
        }
    }
}

/// The items whose steps the search for next states knows.
fn watch<'a>(model: &'a Model, items: &[Item], machine: &mut Machine<'a>) -> Watch {
    let mut known = |item: &Item| {
        let Item::Stated(number) = item else {
            return None;
        };
        let fair = &model.fair[*number];
        let watched = fair.watched.as_ref().filter(|_| fair.of_next.is_none())?;
        let values: Result<Vec<_>, _> = watched.args.iter().map(|arg| machine.value(arg)).collect();
        Some((watched.number, values.ok()?))
    };
    let instances: Vec<_> = items.iter().map(&mut known).collect();
    match instances.iter().any(Option::is_some) {
        true => Watch::new(instances),
        false => Watch::default(),
    }
}
