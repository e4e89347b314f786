//! A net as a fair system: markings are states, transitions that fire are steps.
//!
//! The successors of a marking without a rest, which nearly all are, are made without
//! unpacking it: what a transition asks for is read from the fields it is about, its bytes are those of
//! the marking with some fields written anew. Where one does not fit any more, or the marking has a rest, the marking is unpacked, changed as numbers and packed again, so that its bytes are those that
//! it has wherever it comes from.
//!
//! Each transition is a process with one action, unless the net has units ([`crate::units`]): then these are the
//! processes of its runs, and a transition that has arcs with several is a step of the first two of them. What
//! fairness is about is numbered as processes too: the units, then the transitions.

use std::sync::{Arc, OnceLock};

use evenhand_source::{Span, counted};
use evenhand_system::explicit::{Explanation, Obstacle, Step, Value};
use evenhand_system::reduce::{Choosers, KeepAll, Reduced, Reduction, Sight};
use evenhand_system::{
    ActionId, AmountId, Body, Explicit, Explorer, Fault, FaultKind, Groups, ItemSpec, ProcessId,
    ProcessTypeId, PropositionId, Refusal, Signature, Successors,
};

use crate::condition::{Condition, sum};
use crate::groups::Spread;
use crate::invariants::{Invariant, bounds, exclusive, invariants};
use crate::layout::{Field, Layouts};
use crate::linear::StateEquation;
use crate::net::{Change, Net};
use crate::smaller::Smaller;
use crate::stubborn::Stubborn;
use crate::units::Units;

/// A net with its layouts and what it is about.
pub(crate) struct Packed {
    pub net: Net,
    pub layouts: Layouts,
    pub signature: Signature,
    /// Sums of tokens whose largest value is asked.
    pub amounts: Vec<Vec<(u32, i64)>>,
    /// For each unit, if there are units, the transitions that have an arc with one of its places.
    pub units: Vec<(String, Vec<u32>)>,
    /// The step of each transition.
    pub steps: Vec<Step>,
    /// Sums of tokens that never change.
    pub invariants: Vec<Invariant>,
    /// Whether its transitions are those of the file, so that it may be told which of them were fired.
    pub is_whole: bool,
    /// The transitions in markings without a rest.
    narrow: Narrow,
}

/// What transitions ask and do in fields, in one list for all of them.
#[derive(Debug, Default)]
struct Narrow {
    needs: Vec<(Field, u32, u32)>,
    changes: Vec<(Field, Change)>,
    /// For each transition where its needs and changes end.
    ends: Vec<(u32, u32)>,
}

impl Narrow {
    fn new(net: &Net, layouts: &Layouts) -> Narrow {
        let fields = &layouts.fields;
        let mut narrow = Narrow::default();
        for transition in &net.transitions {
            let field = |place: u32| fields[place as usize];
            let needs = transition.needs.iter();
            let needs = needs.map(|need| (field(need.place), need.least, need.most));
            narrow.needs.extend(needs);
            let changes = transition.changes.iter();
            let changes = changes.map(|change| (field(change.place), *change));
            narrow.changes.extend(changes);
            let ends = (narrow.needs.len() as u32, narrow.changes.len() as u32);
            narrow.ends.push(ends);
        }
        narrow
    }
}

impl Packed {
    /// The same net with bytes of its own for each place.
    pub fn spread(&self) -> Packed {
        let layouts = Layouts::spread(&self.net, &bounds(&self.net, &self.invariants));
        Packed {
            narrow: Narrow::new(&self.net, &layouts),
            layouts,
            net: self.net.clone(),
            signature: self.signature.clone(),
            amounts: self.amounts.clone(),
            units: self.units.clone(),
            steps: self.steps.clone(),
            invariants: self.invariants.clone(),
            is_whole: self.is_whole,
        }
    }

    /// A net and its signature.
    pub fn new(
        (net, mut signature): (Net, Signature),
        units: Option<&Units>,
        amounts: Vec<Vec<(u32, i64)>>,
    ) -> Packed {
        let found = invariants(&net);
        let safe = units.filter(|units| units.are_safe(&net));
        let exclusive = exclusive(&net, &found, safe.map_or(&[], |units| &units.places));
        let layouts = Layouts::new(&net, &exclusive, &bounds(&net, &found));
        let mut steps: Vec<Step> = (0..net.transitions.len()).map(step).collect();
        let mut members: Vec<(String, Vec<u32>)> = Vec::new();
        if let Some(units) = units {
            members.extend(units.names.iter().map(|name| (name.clone(), Vec::new())));
            for (number, step) in steps.iter_mut().enumerate() {
                let own = units.of_transition(&net, number);
                let process = |at: usize| own.get(at).map(|&unit| ProcessId::new(unit as usize));
                step.process = process(0).or(Some(ProcessId::new(0)));
                step.partner = process(1);
                own.iter()
                    .for_each(|&unit| members[unit as usize].1.push(number as u32));
                let first = own.first().map_or(0, |&unit| unit as usize);
                signature.actions[number].process = ProcessTypeId::new(first);
            }
            signature.processes.clone_from(&units.names);
        }
        let narrow = Narrow::new(&net, &layouts);
        Packed {
            net,
            layouts,
            signature,
            amounts,
            units: members,
            steps,
            invariants: found,
            is_whole: true,
            narrow,
        }
    }

    /// The number of a transition among what fairness is about.
    pub fn process(&self, transition: u32) -> ProcessId {
        ProcessId::new(self.units.len() + transition as usize)
    }

    /// The transitions that something which fairness is about takes.
    pub fn taken_by(&self, process: ProcessId) -> Vec<u32> {
        let number = process.index();
        match self.units.get(number) {
            Some((_, list)) => list.clone(),
            None => vec![(number - self.units.len()) as u32],
        }
    }
}

/// A net with the conditions that questions are about.
#[derive(Clone)]
pub(crate) struct NetBody {
    pub packed: Arc<Packed>,
    pub conditions: Arc<[Condition]>,
    /// What is known of each condition without exploring, once somebody has asked.
    constants: Arc<[OnceLock<Option<bool>>]>,
    /// The net for who wants transitions in groups.
    spread: Arc<OnceLock<Box<Spread>>>,
}

impl NetBody {
    /// A net with conditions.
    pub fn new(packed: Arc<Packed>, conditions: Vec<Condition>) -> NetBody {
        NetBody {
            packed,
            constants: conditions.iter().map(|_| OnceLock::new()).collect(),
            conditions: conditions.into(),
            spread: Arc::default(),
        }
    }
}

impl Body for NetBody {
    fn signature(&self) -> &Signature {
        &self.packed.signature
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }

    fn groups(&self) -> Result<&dyn Groups, Refusal> {
        let made = || Box::new(Spread::new(self));
        Ok(&**self.spread.get_or_init(made))
    }

    fn proves_constants(&self) -> bool {
        true
    }

    fn constant(&self, proposition: PropositionId) -> Option<bool> {
        let number = proposition.0 as usize;
        let (condition, known) = (self.conditions.get(number)?, self.constants.get(number)?);
        *known.get_or_init(|| StateEquation::new(&self.packed.net).constant(condition))
    }

    fn reduced<'a>(&'a self, sight: &Sight, how: Reduction) -> Result<Reduced<'a>, Refusal> {
        // Where every step is to be one of the net, it stays as it is.
        let smaller = match how {
            Reduction::Chains => Smaller::new(&self.packed, &self.conditions, sight),
            Reduction::Steps => None,
        };
        let body = smaller.as_ref().map_or(self, Smaller::body).clone();
        let stubborn = Stubborn::new(&body.packed, &body.conditions, sight);
        let choosers: Box<dyn Choosers + 'a> = match (stubborn, &smaller) {
            (Some(stubborn), _) => Box::new(stubborn),
            (None, Some(_)) => Box::new(KeepAll::default()),
            (None, None) => {
                return Err(Refusal {
                    reason: "no transition could be left out".to_string(),
                });
            }
        };
        Ok(match smaller {
            None => Reduced::new(self, choosers, how),
            Some(smaller) => Reduced::of_smaller(Box::new(body), Box::new(smaller), choosers, how),
        })
    }
}

impl Explicit for NetBody {
    fn signature(&self) -> &Signature {
        &self.packed.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(NetExplorer::new(self, items))
    }

    fn is_portable(&self) -> bool {
        true
    }
}

pub(crate) struct NetExplorer<'a> {
    pub packed: &'a Packed,
    conditions: &'a [Condition],
    /// The items that each transition takes, by their places; empty without items.
    items: Vec<Vec<usize>>,
    item_count: usize,
    marking: Vec<u32>,
    behind: Vec<u32>,
    bytes: Vec<u8>,
    executed: Vec<bool>,
}

impl<'a> NetExplorer<'a> {
    pub fn new(body: &'a NetBody, items: &[ItemSpec]) -> NetExplorer<'a> {
        let packed = &*body.packed;
        let count = packed.net.transitions.len();
        let mut taken = vec![Vec::new(); if items.is_empty() { 0 } else { count }];
        for (place, item) in items.iter().enumerate() {
            let list = item.process().map(|process| packed.taken_by(process));
            for transition in list.into_iter().flatten() {
                if let Some(list) = taken.get_mut(transition as usize)
                    && item.is_taken(ActionId::new(transition as usize))
                {
                    list.push(place);
                }
            }
        }
        NetExplorer {
            packed,
            conditions: &body.conditions,
            items: taken,
            item_count: items.len(),
            marking: Vec::new(),
            behind: Vec::new(),
            bytes: Vec::new(),
            executed: vec![false; count],
        }
    }

    /// Begins a list of successors.
    pub fn start(&self, out: &mut Successors) {
        out.start(self.item_count);
    }

    /// The successors by some transitions, which are told in their order.
    pub fn fire(
        &mut self,
        transitions: std::ops::Range<usize>,
        state: &[u8],
        out: &mut Successors,
    ) {
        if state.len() == self.packed.layouts.len {
            return self.fire_packed(transitions, state, out);
        }
        if self.packed.layouts.rest(state).is_none() {
            out.fault(fault(FaultKind::BadState), Step::default());
            return;
        }
        self.packed.layouts.unpack(state, &mut self.marking);
        for transition in transitions {
            if self.packed.net.is_enabled(transition, &self.marking) {
                self.fire_numbers(transition, out);
            }
        }
    }

    fn fire_packed(
        &mut self,
        transitions: std::ops::Range<usize>,
        state: &[u8],
        out: &mut Successors,
    ) {
        let packed = self.packed;
        let narrow = &packed.narrow;
        let (mut need, mut change) = match transitions.start {
            0 => (0, 0),
            first => narrow.ends[first - 1],
        };
        'next: for transition in transitions {
            let (needs_end, changes_end) = narrow.ends[transition];
            let needs = &narrow.needs[need as usize..needs_end as usize];
            let changes = &narrow.changes[change as usize..changes_end as usize];
            (need, change) = (needs_end, changes_end);
            for &(field, least, most) in needs {
                let tokens = field.read(state);
                if tokens < least || tokens > most {
                    continue 'next;
                }
            }
            self.bytes.clear();
            self.bytes.extend_from_slice(state);
            for (field, change) in changes {
                match change.apply(field.read(state)) {
                    Some(behind) if field.fits(behind) => field.write(&mut self.bytes, behind),
                    _ => {
                        packed.layouts.unpack(state, &mut self.marking);
                        self.fire_numbers(transition, out);
                        continue 'next;
                    }
                }
            }
            self.push(transition, out);
        }
    }

    /// Fires a transition that is enabled in the marking that was unpacked.
    fn fire_numbers(&mut self, transition: usize, out: &mut Successors) {
        self.behind.clone_from(&self.marking);
        if !self.packed.net.fire(transition, &mut self.behind) {
            let span = self.packed.net.transitions[transition].span;
            let kind = FaultKind::TooManyTokens;
            out.fault(Fault { kind, span }, self.packed.steps[transition]);
            return;
        }
        self.packed.layouts.pack(&self.behind, &mut self.bytes);
        self.push(transition, out);
    }

    /// Adds the successor whose bytes were made.
    #[inline]
    fn push(&mut self, transition: usize, out: &mut Successors) {
        self.executed[transition] = true;
        let taken = self.items.get(transition).map_or(&[][..], |list| list);
        let step = self.packed.steps[transition];
        out.push(&self.bytes, step, taken.iter().copied());
    }
}

/// The step of a transition in a net without units.
fn step(transition: usize) -> Step {
    Step::of(ProcessId::new(transition), ActionId::new(transition))
}

fn fault(kind: FaultKind) -> Fault {
    let span = Span::default();
    Fault { kind, span }
}

impl Explorer for NetExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.start(out);
        let marking = self.packed.net.initial();
        self.packed.layouts.pack(&marking, &mut self.bytes);
        out.push(&self.bytes, Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        self.start(out);
        self.fire(0..self.packed.net.transitions.len(), state, out);
        out.enable_taken();
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        let condition = self.conditions.get(proposition.0 as usize);
        let packed = self.packed;
        match (condition, packed.layouts.rest(state)) {
            (Some(condition), Some(_)) => Ok(condition.holds(&packed.net, &packed.layouts, state)),
            _ => Err(fault(FaultKind::BadState)),
        }
    }

    fn amount(&mut self, amount: AmountId, state: &[u8]) -> Result<i64, Fault> {
        let places = self.packed.amounts.get(amount.0 as usize);
        match (places, self.packed.layouts.rest(state)) {
            (Some(places), Some(_)) => {
                let sum = sum(places, &self.packed.layouts, state);
                i64::try_from(sum).map_err(|_| fault(FaultKind::Overflow))
            }
            _ => Err(fault(FaultKind::BadState)),
        }
    }

    fn is_valid_end(&mut self, _: &[u8]) -> bool {
        false
    }

    fn obstacles(&mut self, state: &[u8], process: ProcessId) -> Vec<Obstacle> {
        let (packed, number) = (self.packed, process.index());
        let own: Vec<u32> = match packed.units.get(number) {
            Some((_, transitions)) => transitions.clone(),
            None if packed.units.is_empty() && number < packed.net.transitions.len() => {
                vec![number as u32]
            }
            None => Vec::new(),
        };
        if packed.layouts.rest(state).is_none() {
            return Vec::new();
        }
        let told = own.into_iter().filter_map(|transition| {
            let needs = packed.net.transitions[transition as usize].needs.iter();
            let reasons: Vec<String> = needs
                .filter_map(|need| {
                    let tokens = packed.layouts.tokens(need.place, state);
                    let place = &packed.net.places[need.place as usize].id;
                    match tokens {
                        _ if tokens < need.least => Some(format!(
                            "`{place}` has {tokens} of the {} it needs",
                            counted(need.least as usize, "token")
                        )),
                        _ if tokens > need.most => Some(format!(
                            "`{place}` has {}, at most {} allowed",
                            counted(tokens as usize, "token"),
                            need.most
                        )),
                        _ => None,
                    }
                })
                .collect();
            let action = packed.steps[transition as usize].action?;
            let reason = reasons.join(", ");
            (!reason.is_empty()).then_some(Obstacle { action, reason })
        });
        told.collect()
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        // A step is known by its transition: there is nothing else to tell.
        self.expand(state, out);
        Explanation::default()
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        let layouts = &self.packed.layouts;
        if layouts.rest(state).is_none() {
            return Vec::new();
        }
        let places = self.packed.net.places.iter().enumerate();
        let told = places.map(|(number, place)| {
            let tokens = layouts.tokens(number as u32, state);
            (place.id.clone(), Value::Number(tokens.into()))
        });
        told.collect()
    }

    fn has_process(&mut self, _: &[u8], process: ProcessId) -> bool {
        process.index() < self.packed.units.len() + self.packed.net.transitions.len()
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        let number = process.index();
        let (units, transitions) = (&self.packed.units, &self.packed.net.transitions);
        match (units.get(number), transitions.get(number)) {
            (Some((unit, _)), _) => unit.clone(),
            (None, Some(transition)) if units.is_empty() => transition.id.clone(),
            _ => format!("process {process}"),
        }
    }

    fn executed(&self) -> &[bool] {
        match self.packed.is_whole {
            true => &self.executed,
            false => &[],
        }
    }
}
