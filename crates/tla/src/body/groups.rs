//! The steps of a specification in groups: the parts of its next-state action, by the numbers of values.
//!
//! A part reads some variables and changes some (`compile/groups.rs`). Values have numbers, and here each variable counts
//! its own in the order in which they are met: two bytes for each variable, so that relations over bytes are small where
//! variables have few values. A variable with more values than that is a limit, by its name.
//!
//! Constraints and properties of steps are judged with each step, so a part reads what they are about as well; where one
//! speaks of all variables, every part reads all of them, and learning is asking each state. Which fairness a step takes follows from the
//! step where its action stands in the next-state action, and where that is enabled from there being one. All other
//! fairness is refused, and so is what depends on how the search goes.
//!
//! An evaluation without a value ends the search for steps of a state, whatever other parts would have found. A part does not know
//! of others, so nothing but errors is learned where there are some.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use evenhand_source::Lasting;
use evenhand_system::explicit::{Explanation, Step, Value};
use evenhand_system::groups::{Bytes, Group, GroupExplorer, LayoutId};
use evenhand_system::{
    ActionId, Explicit, Explorer, Fault, FaultKind, FinishedRuns, Groups, ItemSpec, ProcessId,
    PropositionId, Refusal, Signature, Successors,
};

use super::{Item, ModelBody, ModelExplorer, Proposition};
use crate::compile::{Part, Vars};
use crate::history::History;
use crate::machine::Only;

/// A variable has at most so many values.
const MOST_VALUES: usize = 1 << 16;

/// A specification whose states have two bytes for each variable.
#[derive(Debug)]
pub(crate) struct Grouped {
    body: ModelBody,
    /// By variable.
    codes: RwLock<Vec<Codes>>,
}

/// The values of a variable: their numbers in the order in which they were met.
#[derive(Debug, Default)]
struct Codes {
    of: HashMap<u32, u16>,
    numbers: Vec<u32>,
}

impl Grouped {
    /// The steps of a specification in groups.
    ///
    /// # Errors
    /// If they are no function of the state, or states stand for others.
    pub fn new(body: &ModelBody) -> Result<Grouped, Refusal> {
        let model = &*body.model;
        let program = &model.program;
        let refused = |reason: &str| {
            let reason = reason.to_string();
            Err(Refusal { reason })
        };
        if program.impure || program.reads_search {
            return refused(
                "what steps there are depends on draws, registers or how the search goes \
                 (`RandomElement`, `TLCGet` and the like): no relation can be learned",
            );
        }
        if !model.possible.is_empty() {
            return refused("`_POSSIBLE` is about steps that are explored one by one");
        }
        if model.is_quotient() && !body.plain {
            return refused(
                "under `SYMMETRY` or `VIEW` states stand for others: leave it out of the configuration",
            );
        }
        let variables = program.variables.len();
        Ok(Grouped {
            body: ModelBody {
                // What is met on the way are no reachable states alone.
                history: Arc::new(History::default()),
                groups: Arc::default(),
                ..body.clone()
            },
            codes: RwLock::new((0..variables).map(|_| Codes::default()).collect()),
        })
    }

    /// How many bytes stand in front of those of the variables.
    fn head(&self) -> usize {
        let model = &*self.body.model;
        2 * usize::from(model.is_flagged() && model.initial.is_some())
    }

    fn bytes_of(&self, variables: &Vars, bytes: &mut Bytes) {
        let head = self.head();
        for &variable in variables {
            let first = head + 2 * usize::from(variable);
            bytes.insert(first..first + 2);
        }
    }

    /// A state of the specification with the variables' own numbers.
    fn narrow(&self, wide: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let (head, rest) = wide.split_at(self.head().min(wide.len()));
        out.clear();
        out.extend_from_slice(head);
        let mut crowded = None;
        for (variable, number) in rest.chunks_exact(4).enumerate() {
            let number = u32::from_le_bytes(number.try_into().unwrap_or_default());
            let known = {
                let codes = self.codes.read().unwrap_or_else(PoisonError::into_inner);
                codes[variable].of.get(&number).copied()
            };
            let code = match known {
                Some(code) => code,
                None => {
                    let mut all = self.codes.write().unwrap_or_else(PoisonError::into_inner);
                    let own = &mut all[variable];
                    if own.numbers.len() >= MOST_VALUES {
                        crowded = Some(variable);
                        break;
                    }
                    let code = own.numbers.len() as u16;
                    own.numbers.push(number);
                    own.of.insert(number, code);
                    code
                }
            };
            out.extend_from_slice(&code.to_le_bytes());
        }
        match crowded {
            None => Ok(()),
            Some(variable) => Err(self.too_many(variable)),
        }
    }

    fn too_many(&self, variable: usize) -> Fault {
        let model = &*self.body.model;
        let name = model.names.text(model.program.variables[variable]);
        let text = format!(
            "the variable {name} has more than {MOST_VALUES} values: relations are learned where values are few"
        );
        limit(&text)
    }

    /// The state of the specification that a state here is.
    fn wide(&self, narrow: &[u8]) -> Option<Vec<u8>> {
        let head = self.head();
        let codes = self.codes.read().unwrap_or_else(PoisonError::into_inner);
        let variables = match self.body.model.initial.is_some() {
            true => codes.len(),
            false => 0,
        };
        if narrow.len() != head + 2 * variables {
            return None;
        }
        let (head, rest) = narrow.split_at(head);
        let mut wide = head.to_vec();
        for (own, code) in codes.iter().zip(rest.chunks_exact(2)) {
            let code = u16::from_le_bytes(code.try_into().ok()?);
            let number = own.numbers.get(usize::from(code))?;
            wide.extend_from_slice(&number.to_le_bytes());
        }
        Some(wide)
    }

    /// Whether where an action of fairness is enabled follows from the steps of the next-state action: every part of it
    /// that has the action in it says so again for each state.
    fn is_of_next(&self, number: usize) -> bool {
        let model = &*self.body.model;
        let Some(fair) = model.fair.get(number) else {
            return false;
        };
        let watched = fair.watched.as_ref().map(|watched| watched.number);
        let mut parts = model.effects.parts.iter();
        fair.of_next.is_some()
            || watched.is_some_and(|number| parts.any(|part| part.watched.contains(&number)))
    }

    fn explorer_of<'a>(&'a self, items: &[ItemSpec]) -> GroupedExplorer<'a> {
        let body = &self.body;
        let items: Vec<Item> = items.iter().map(|item| body.item(item)).collect();
        GroupedExplorer {
            grouped: self,
            inner: body.plain_explorer(&items),
            items,
            here: Successors::new(),
            bytes: Vec::new(),
        }
    }
}

fn limit(text: &str) -> Fault {
    Fault {
        kind: FaultKind::Limit(Lasting::new(text)),
        span: Default::default(),
    }
}

impl Explicit for Grouped {
    fn signature(&self) -> &Signature {
        &self.body.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(self.explorer_of(items))
    }

    fn finished_runs(&self) -> FinishedRuns {
        self.body.finished_runs()
    }
}

impl Groups for Grouped {
    fn group_explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn GroupExplorer + 'a> {
        Box::new(self.explorer_of(items))
    }

    fn packed(&self, state: &[u8]) -> Vec<u8> {
        self.wide(state).unwrap_or_default()
    }

    fn tells_enabled(&self, item: &ItemSpec) -> bool {
        match self.body.item(item) {
            Item::Stated(number) => self.is_of_next(number),
            Item::Action(_) => true,
            Item::Step(_) | Item::Nothing => false,
        }
    }

    fn ends_at_faults(&self) -> bool {
        true
    }
}

/// Explores with two bytes for each variable, all steps or one part of them.
struct GroupedExplorer<'a> {
    grouped: &'a Grouped,
    inner: ModelExplorer<'a>,
    items: Vec<Item>,
    here: Successors,
    bytes: Vec<u8>,
}

impl GroupedExplorer<'_> {
    /// Hands over what was found.
    fn tell(&mut self, out: &mut Successors) {
        let here = &self.here;
        out.start(self.items.len());
        let is_in = |set: &[u64], item: usize| set[item / 64] >> (item % 64) & 1 == 1;
        for index in 0..here.len() {
            match self.grouped.narrow(here.state(index), &mut self.bytes) {
                Ok(()) => {
                    let set = here.taken(index);
                    let taken = (0..self.items.len()).filter(|&item| is_in(set, item));
                    out.push(&self.bytes, here.step(index), taken);
                }
                Err(fault) => {
                    out.fault(fault, here.step(index));
                    break;
                }
            }
        }
        for report in here.faults() {
            out.fault(report.fault, report.step);
        }
        for item in 0..self.items.len() {
            if is_in(here.enabled(), item) {
                out.enable(item);
            }
        }
    }

    /// What a state is in the specification, or an error.
    fn wide(&self, state: &[u8], out: &mut Successors) -> Option<Vec<u8>> {
        let wide = self.grouped.wide(state);
        if wide.is_none() {
            out.start(self.items.len());
            out.fault(ModelExplorer::bad_state(), Step::default());
        }
        wide
    }

    /// What it takes to know the fairness that a step of a part takes.
    fn fairness_reads(&self, part: &Part, reads: &mut Vars) {
        let model = &*self.grouped.body.model;
        for item in &self.items {
            let Item::Stated(number) = item else { continue };
            let watched = model.fair[*number].watched.as_ref();
            let is_here = watched.is_some_and(|own| part.watched.contains(&own.number));
            if let Some(Some(look)) = model.effects.changed.get(*number)
                && (is_here || model.fair[*number].of_next.is_some())
            {
                reads.extend(look.behind(part));
            }
        }
    }
}

impl GroupExplorer for GroupedExplorer<'_> {
    fn layout(&self, _: &[u8]) -> LayoutId {
        LayoutId(0)
    }

    fn groups(&mut self, state: &[u8]) -> Vec<Group> {
        let grouped = self.grouped;
        let model = &*grouped.body.model;
        let head = grouped.head();
        let group = |(number, part): (usize, &Part)| {
            let (mut reads, mut writes) = (Bytes::none(state.len()), Bytes::none(state.len()));
            let mut read = part.reads.clone();
            self.fairness_reads(part, &mut read);
            if model.is_flagged() {
                read.extend(model.effects.judged.behind(part));
            }
            grouped.bytes_of(&read, &mut reads);
            grouped.bytes_of(&part.writes, &mut writes);
            reads.insert(0..head);
            writes.insert(0..head);
            Group {
                layout: LayoutId(0),
                number: u32::try_from(number).unwrap_or(u32::MAX),
                process: part.action.map(|action| ProcessId::new(action as usize)),
                action: part.action.map(|action| ActionId::new(action as usize)),
                reads,
                writes,
                changes_layout: false,
            }
        };
        let parts = match model.initial.is_some() && model.next.is_some() {
            true => &model.effects.parts[..],
            false => &[],
        };
        parts.iter().enumerate().map(group).collect()
    }

    fn expand_group(&mut self, group: &Group, state: &[u8], out: &mut Successors) {
        let Some(wide) = self.wide(state, out) else {
            return;
        };
        let grouped = self.grouped;
        let parts = &grouped.body.model.effects.parts;
        let Some(part) = parts.get(group.number as usize) else {
            out.start(self.items.len());
            return;
        };
        self.inner.machine.only = Only {
            branches: &part.branches,
            at: 0,
        };
        let known = self.inner.expand_part(&wide, &part.watched, &mut self.here);
        self.inner.machine.only = Only::default();
        self.tell(out);
        if !known && out.faults().is_empty() {
            let text = "where fairness is enabled does not follow from the steps alone: its action is not \
                        tried in every state";
            out.fault(limit(text), Step::default());
        }
    }

    fn proposition_reads(&mut self, proposition: PropositionId, state: &[u8]) -> Bytes {
        let grouped = self.grouped;
        let model = &*grouped.body.model;
        let number = proposition.0 as usize;
        let mut bytes = Bytes::none(state.len());
        match (
            model.propositions.get(number),
            model.effects.propositions.get(number),
        ) {
            (Some(Proposition::Always(_)), _) => {}
            (Some(Proposition::Unbroken(..) | Proposition::Inside(_)), _) => {
                bytes.insert(0..grouped.head());
            }
            (Some(Proposition::Predicate(_)), Some(Some(look))) => {
                grouped.bytes_of(look.here(), &mut bytes);
            }
            _ => bytes.insert(0..state.len()),
        }
        bytes
    }
}

impl Explorer for GroupedExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.inner.initial(&mut self.here);
        self.tell(out);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        let Some(wide) = self.wide(state, out) else {
            return;
        };
        self.inner.expand(&wide, &mut self.here);
        self.tell(out);
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        let wide = self.grouped.wide(state);
        let wide = wide.ok_or_else(ModelExplorer::bad_state)?;
        self.inner.holds(proposition, &wide)
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        let wide = self.grouped.wide(state);
        wide.is_some_and(|wide| self.inner.is_valid_end(&wide))
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        // Runs are told by the specification itself.
        self.expand(state, out);
        Explanation::default()
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        let wide = self.grouped.wide(state);
        wide.map_or_else(Vec::new, |wide| self.inner.describe(&wide))
    }

    fn process_name(&mut self, state: &[u8], process: ProcessId) -> String {
        self.inner.process_name(state, process)
    }

    fn executed(&self) -> &[bool] {
        self.inner.executed()
    }
}
