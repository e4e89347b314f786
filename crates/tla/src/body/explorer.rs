//! Exploring a specification: states are read into rows of values, and searched from there.

use std::collections::BTreeSet;

use evenhand_source::Span;
use evenhand_system::explicit::{Explanation, Obstacle, Record, Step};
use evenhand_system::{
    ActionId, Explorer, Fault, FaultKind, ProcessId, PropositionId, Signature, Successors,
};

use super::portable::Portable;
use super::shown::{fields, shown, shown_text};
use super::taker::{Taker, asked, fault, step, view_of};
use super::{Item, Model, Proposition};
use crate::code::Act;
use crate::compile::Compiled;
use crate::failure::Failure;
use crate::history::History;
use crate::machine::{Cover, Machine, Tests};
use crate::symmetry::Images;

/// Up to so many successors are compared each with each.
const FEW: usize = 16;

/// Explores a specification.
pub(crate) struct ModelExplorer<'a> {
    pub(super) model: &'a Model,
    pub(super) history: &'a History,
    /// Whether each state stands for itself alone.
    pub(super) is_plain: bool,
    /// Bytes of the state that stands for another.
    pub(super) other: Vec<u8>,
    pub(super) signature: &'a Signature,
    pub(super) machine: Machine<'a>,
    pub(super) items: Vec<Item>,
    /// Which items are enabled in the state at hand.
    pub(super) enabled: Vec<bool>,
    /// The places of the items that a step takes.
    pub(super) taken: Vec<usize>,
    /// The numbers of the values of the state at hand.
    pub(super) numbers: Vec<u32>,
    /// What permutations made of values lately.
    pub(super) images: Images,
    pub(super) portable: Portable,
    pub(super) bytes: Vec<u8>,
    /// How steps are called, where somebody wants to know.
    pub(super) told: Option<Vec<String>>,
    pub(super) executed: Vec<bool>,
    /// How many steps of each action were found.
    pub(super) steps: Vec<u64>,
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
        for (place, item) in self.items.iter().enumerate() {
            let enabled = match item {
                // The search finds out.
                Item::Stated(_) if self.machine.watch.watches(place) => false,
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

    /// Finds the steps out of the state at hand, and the items that are enabled there.
    fn search(
        &mut self,
        next: &'a Compiled<Act>,
        out: &mut Successors,
        level: Option<u32>,
        counts: bool,
    ) {
        let model = self.model;
        self.machine.clear(1);
        self.machine.action = None;
        self.machine.kept.is_told = self.told.is_some();
        if let Err(failure) = self.find_enabled() {
            out.fault(
                fault(&failure, &model.names, &self.signature.files),
                Step::default(),
            );
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
            out.fault(fault(&failure, &model.names, &self.signature.files), step);
        }
        out.enable_taken();
        for (place, enabled) in self.enabled.iter().enumerate() {
            if *enabled {
                out.enable(place);
            }
        }
    }

    /// Whether a step is one of an action is a matter of the two states: what one way to a state takes, all of them do.
    fn unite(&self, out: &mut Successors) {
        let watch = &self.machine.watch;
        let places = (0..self.items.len()).filter(|&place| watch.watches(place));
        let places: Vec<usize> = places.collect();
        let is_taken = |out: &Successors, index: usize, place: usize| {
            out.taken(index)[place / 64] >> (place % 64) & 1 != 0
        };
        let join = |out: &mut Successors, one: usize, other: usize| {
            for &place in &places {
                match (is_taken(out, one, place), is_taken(out, other, place)) {
                    (true, false) => out.take(other, place),
                    (false, true) => out.take(one, place),
                    _ => {}
                }
            }
        };
        if out.len() <= FEW {
            for one in 1..out.len() {
                for other in 0..one {
                    if out.state(one) == out.state(other) {
                        join(out, one, other);
                    }
                }
            }
            return;
        }
        let mut order: Vec<usize> = (0..out.len()).collect();
        order.sort_by(|&a, &b| out.state(a).cmp(out.state(b)));
        // There and back, so that each of a row of the same has what any has.
        let pairs: Vec<(usize, usize)> = order.windows(2).map(|pair| (pair[0], pair[1])).collect();
        for &(a, b) in pairs.iter().chain(pairs.iter().rev()) {
            if out.state(a) == out.state(b) {
                join(out, a, b);
            }
        }
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

    /// The steps of the part of the next-state action that the machine is told. Whether these say where fairness of the
    /// given actions is enabled, and no other fairness is asked about.
    pub fn expand_part(
        &mut self,
        state: &[u8],
        watched: &BTreeSet<u32>,
        out: &mut Successors,
    ) -> bool {
        out.start(self.items.len());
        let Some(flags) = self.unpack(state) else {
            out.fault(Self::bad_state(), Step::default());
            return true;
        };
        let model = self.model;
        let Some(next) = model.next.as_ref().filter(|_| flags == 0) else {
            return true;
        };
        let watch = &mut self.machine.watch;
        watch.begin();
        self.search(next, out, None, false);
        let watch = &self.machine.watch;
        let is_told = |(place, item): (usize, &Item)| match item {
            Item::Stated(number) => {
                let fair = &model.fair[*number];
                let own = fair.watched.as_ref().map(|own| own.number);
                let is_here = own.is_some_and(|own| watched.contains(&own));
                fair.of_next.is_some()
                    || watch.watches(place) && (!is_here || watch.was_tried(place))
            }
            Item::Action(_) => true,
            Item::Step(_) | Item::Nothing => false,
        };
        self.items.iter().enumerate().all(is_told)
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

    pub(super) fn bad_state() -> Fault {
        let span = Span::default();
        let kind = FaultKind::BadState;
        Fault { kind, span }
    }
}

impl Drop for ModelExplorer<'_> {
    fn drop(&mut self) {
        self.history.cover(&self.steps);
        self.history.print(&mut self.machine.registers.printed);
        if self.model.program.impure && !self.is_plain {
            self.history.leave(&self.machine.registers);
        }
        if let Some(conditions) = self.machine.covered.take() {
            self.history.meet(conditions);
        }
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
            out.fault(
                fault(&failure, &model.names, &self.signature.files),
                Step::default(),
            );
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
        if self.machine.watch.is_empty() {
            self.search(next, out, level, counts);
            return;
        }
        self.machine.watch.begin();
        self.search(next, out, level, counts);
        // Without steps that were not looked for nobody knows what is enabled: once more, asking for it.
        let watch = match out.faults().is_empty() {
            true if !self.machine.watch.forget_untried() => {
                self.unite(out);
                return;
            }
            true => None,
            false => Some(std::mem::take(&mut self.machine.watch)),
        };
        let counted = std::mem::take(&mut self.steps);
        if let Some(told) = &mut self.told {
            told.clear();
        }
        out.start(self.items.len());
        self.machine.watch.begin();
        self.search(next, out, level, false);
        self.unite(out);
        self.steps = counted;
        if let Some(watch) = watch {
            self.machine.watch = watch;
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
            Proposition::Step(_) | Proposition::Postcondition(_) | Proposition::Possible(_) => {
                Err(Self::bad_state())
            }
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
                held.map_err(|failure| fault(&failure, &model.names, &self.signature.files))
            }
        }
    }

    fn inner_states(&mut self, state: &[u8]) -> u64 {
        if !self.model.program.composes {
            return 0;
        }
        // Whoever counts leaves no trace.
        let (steps, passed) = (self.steps.clone(), self.machine.passed);
        let registers = self.machine.registers.clone();
        self.expand(state, &mut Successors::new());
        self.machine.registers = registers;
        self.steps = steps;
        self.machine.passed - passed
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

    /// What an action asks and what is true for nothing that it can choose. What comes behind it was not asked.
    fn obstacles(&mut self, state: &[u8], process: ProcessId) -> Vec<Obstacle> {
        // What depends on the way of the search is not searched again.
        if self.remembers() || self.model.program.impure {
            return Vec::new();
        }
        let steps = self.steps.clone();
        let printed = self.machine.registers.printed.len();
        let covered = self.machine.covered.replace(Cover::default());
        self.machine.tests = Some(Tests::default());
        self.expand(state, &mut Successors::new());
        let tests = self.machine.tests.take().unwrap_or_default();
        self.machine.covered = covered;
        self.machine.registers.printed.truncate(printed);
        self.steps = steps;
        let own = |action: Option<u32>| action.is_some_and(|a| a as usize == process.index());
        let mut never: Vec<Span> = Vec::new();
        let mut asked = 0;
        for ((action, span), was_true) in tests {
            asked += usize::from(own(action));
            if own(action) && !was_true {
                never.push(span);
            }
        }
        never.sort_by_key(|span| (span.file.0, span.start));
        let action = ActionId::new(process.index());
        if never.is_empty() && asked > 0 {
            let reason = "no choice makes all of its conditions true".to_string();
            return vec![Obstacle { action, reason }];
        }
        let told = never.into_iter().map(|span| {
            let reason = format!("`{}` is false", shown_text(&self.signature.files, span));
            Obstacle { action, reason }
        });
        told.collect()
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

    fn export(&mut self, state: &[u8], head: &mut Vec<u8>, tail: &mut Vec<u8>) -> bool {
        head.clear();
        self.portable.export(self.model, state, tail)
    }

    fn import(&mut self, head: &[u8], tail: &[u8], state: &mut Vec<u8>) -> bool {
        head.is_empty() && self.portable.import(self.model, tail, state)
    }
}
