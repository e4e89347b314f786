//! What becomes of a state that a search has found: it is judged by constraints and properties of steps, packed, and
//! put beside the marks of the step that leads there.

use evenhand_source::{Files, Lasting};
use evenhand_system::explicit::Step;
use evenhand_system::{ActionId, Fault, FaultKind, ProcessId, Successors};

use super::shown::shown_text;
use super::{FairAction, Item, Model, OUTSIDE, Possible};
use crate::code::{Code, Var};
use crate::compile::Compiled;
use crate::failure::{Failure, FailureKind};
use crate::history::History;
use crate::machine::{Found, Machine, Sink};
use crate::names::Names;
use crate::symmetry::Images;
use crate::table::ValueTable;
use crate::value::Value;

/// Takes the states that a search finds.
pub(super) struct Taker<'t, 'a> {
    pub(super) model: &'a Model,
    pub(super) out: &'t mut Successors,
    pub(super) numbers: &'t [u32],
    pub(super) images: &'t mut Images,
    pub(super) bytes: &'t mut Vec<u8>,
    pub(super) told: &'t mut Option<Vec<String>>,
    pub(super) executed: &'t mut [bool],
    pub(super) steps: &'t mut [u64],
    /// The row that is searched for.
    pub(super) row: usize,
    pub(super) items: &'t [Item],
    pub(super) enabled: &'t [bool],
    pub(super) taken: &'t mut Vec<usize>,
    pub(super) history: &'t History,
    pub(super) is_plain: bool,
    pub(super) other: &'t mut Vec<u8>,
    /// The level of the states that are found, where somebody asks for levels.
    pub(super) level: Option<u32>,
    /// Whether what is found is counted.
    pub(super) counts: bool,
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
            let failure = incomplete(machine, self.row);
            let action = machine.action.map(|(number, ..)| number as usize);
            let named = action.and_then(|action| model.program.actions.get(action));
            return Err(match named {
                Some(named) => failure.at(named.span),
                None => failure,
            });
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
            let known = match &least {
                None => machine.known_number(self.row, variable),
                Some(_) => None,
            };
            let known = known.or_else(|| self.unchanged(machine, variable, value));
            let number = match known {
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
        self.count(step);
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
        if !self.history.is_all_possible(model.possible.len()) {
            self.find_possible(machine)?;
        }
        self.push(machine, step, view);
        Ok(Found::GoOn)
    }

    fn found_again(&mut self, machine: &Machine<'a>, numbers: &[u32]) -> Option<Found> {
        let model = self.model;
        if !self.history.is_all_possible(model.possible.len()) {
            return None;
        }
        let is_judged = model.is_flagged() || model.view.is_some() && !self.is_plain;
        let is_seen = is_judged || self.level.is_some() || self.told.is_some();
        if is_seen || !(model.symmetry.is_empty() || self.is_plain) {
            return None;
        }
        let step = machine
            .action
            .map_or(Step::default(), |(action, ..)| step(action));
        self.find_taken_again(machine, step, numbers)?;
        evenhand_source::spend();
        self.bytes.clear();
        for number in numbers {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.count(step);
        self.out.push(self.bytes, step, self.taken.iter().copied());
        Some(Found::GoOn)
    }
}

impl<'a> Taker<'_, 'a> {
    /// Counts a step of its action.
    fn count(&mut self, step: Step) {
        let Some(action) = step.action else {
            return;
        };
        if let Some(executed) = self.executed.get_mut(action.index()) {
            *executed = true;
        }
        if let Some(steps) = self.steps.get_mut(action.index()) {
            *steps += 1;
        }
    }

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
                Item::Stated(number) => self.takes(machine, place, &self.model.fair[*number])?,
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

    /// Whether the step at hand is one of what the specification says something about.
    fn takes(
        &self,
        machine: &mut Machine<'a>,
        place: usize,
        fair: &'a FairAction,
    ) -> Result<bool, Failure> {
        let is_watched = machine.watch.watches(place);
        let changed = match (&fair.of_next, &fair.watched) {
            (Some(changed), _) => changed,
            (None, Some(watched)) if is_watched => match machine.watch.is_active(place) {
                true => &watched.changed,
                false => return Ok(false),
            },
            // What is not enabled is not taken.
            _ => return Ok(self.enabled[place] && machine.holds(&fair.taken).map_err(asked)?),
        };
        match moved(machine, self.row, fair) {
            Some(moved) => Ok(moved),
            None => machine.holds(changed).map_err(asked),
        }
    }

    /// The items that a step to a state takes, where its numbers are enough to know.
    fn find_taken_again(
        &mut self,
        machine: &Machine<'a>,
        step: Step,
        numbers: &[u32],
    ) -> Option<()> {
        self.taken.clear();
        for (place, item) in self.items.iter().enumerate() {
            let takes = match item {
                Item::Stated(number) => {
                    let fair = &self.model.fair[*number];
                    let is_watched = fair.of_next.is_none();
                    if is_watched && !machine.watch.watches(place) {
                        return None;
                    }
                    let may = !is_watched || machine.watch.is_active(place);
                    let differs = |&variable: &Var| {
                        numbers[usize::from(variable)] != self.numbers[usize::from(variable)]
                    };
                    may && fair.moves.as_ref()?.iter().any(differs)
                }
                Item::Action(action) => step.action.is_some_and(|own| own.index() == *action),
                Item::Step(_) => return None,
                Item::Nothing => false,
            };
            if takes {
                self.taken.push(place);
            }
        }
        Some(())
    }

    /// Finds out what of the configuration the state or the step shows to be possible, unless they are cut off.
    fn find_possible(&mut self, machine: &mut Machine<'a>) -> Result<(), Failure> {
        if self.model.is_flagged() && flags_of(self.bytes) != 0 {
            return Ok(());
        }
        for (number, possible) in self.model.possible.iter().enumerate() {
            if self.history.is_possible(number) {
                continue;
            }
            let code = match (possible, self.row) {
                (Possible::State(rows), row) => &rows[row],
                (Possible::Step(code), 1) => code,
                (Possible::Step(_), _) => continue,
            };
            if machine.holds(code)? {
                self.history.show_possible(number);
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
        let mut failed = None;
        for (number, property) in implied.iter().enumerate() {
            let holds = match machine.holds(property) {
                Ok(holds) => holds,
                Err(failure) => {
                    failed.get_or_insert(failure);
                    continue;
                }
            };
            if !holds {
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
        // What is asked of the step has no value; the state is there all the same.
        if let Some(failure) = failed {
            self.push(machine, step, view);
            return Err(failure);
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

/// Whether a step changes what fairness is about, where that is to be seen by the numbers of variables.
fn moved(machine: &Machine<'_>, row: usize, fair: &FairAction) -> Option<bool> {
    let mut moved = false;
    for &variable in fair.moves.as_ref()? {
        let variable = usize::from(variable);
        let before = machine.known_number(0, variable)?;
        moved |= before != machine.known_number(row, variable)?;
    }
    Some(moved)
}

/// What is odd about a state, as its first bytes say.
fn flags_of(state: &[u8]) -> u16 {
    let first = state.first_chunk::<2>();
    first.map_or(0, |flags| u16::from_le_bytes(*flags))
}

/// The number of what is seen of the state in a row; with symmetry, of the one that stands for it.
pub(super) fn view_of<'a>(
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
pub(super) fn asked(mut failure: Failure) -> Failure {
    failure.0.kind = FailureKind::Limit;
    failure
}

/// The step of an action.
pub(super) fn step(action: u32) -> Step {
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

/// What a failure is to a search. A limit ends it, and then nothing but its text is told: it names the expression itself.
pub(crate) fn fault(failure: &Failure, names: &Names, files: &Files) -> Fault {
    let problem = &failure.0;
    let text = failure.told(names);
    let kind = match (problem.kind, problem.span) {
        (FailureKind::Limit, Some(span)) => {
            let (name, line) = (&files.get(span.file).name, files.position(span).line);
            let text = format!("{text}: `{}`, {name}:{line}", shown_text(files, span));
            FaultKind::Limit(Lasting::new(&text))
        }
        (FailureKind::Limit, None) => FaultKind::Limit(Lasting::new(&text)),
        _ => FaultKind::Said(Lasting::new(&text)),
    };
    let span = problem.span.unwrap_or_default();
    Fault { kind, span }
}
