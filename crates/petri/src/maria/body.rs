//! A net of Maria's as a fair system: markings are states, instances of transitions are steps.
//!
//! Each transition is a process with one action. Its bindings are found along the stages of the transition, one
//! token after the other; a binding that is complete makes a step. Priorities are Maria's: transitions are
//! tried in their order, and once one with a class is enabled, those of other classes are passed over.

use std::sync::Arc;

use evenhand_source::Span;
use evenhand_system::explicit::{Explanation, Obstacle, Record, Step, Value};
use evenhand_system::{
    ActionId, Body, Explicit, Explorer, Fault, FaultKind, ItemSpec, ProcessId, PropositionId,
    Refusal, Signature, Successors,
};

use super::bag::Bag;
use super::code::{Expr, PlaceId};
use super::machine::{Machine, Marking};
use super::memo::{Memos, Truths};
use super::net::{Net, Whole};
use super::packing::{Reader, Writer};
use super::sets::InstanceSet;
use super::transition::{Setting, Transition, set};
use super::types::{Kind, Leaf, TypeId};

/// A condition on markings.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub settings: Vec<Setting>,
    pub expr: Expr,
    /// The places that it reads, in order.
    pub reads: Vec<PlaceId>,
    /// Whether it is that no transition is enabled.
    pub dead: bool,
    /// Whether it counts as holding where it has no value.
    pub lenient: bool,
    /// What it is at a dead marking, whatever the marking: a run that ends there is fair.
    pub at_end: Option<bool>,
}

impl Condition {
    /// A table of its truth, if the bits of the places that it reads decide it.
    fn truths(&self, net: &Net) -> Option<Truths> {
        let is_of_marking = !self.dead && self.at_end.is_none();
        is_of_marking
            .then(|| Truths::new(net, &self.reads))
            .flatten()
    }

    /// A condition with counters that are set before.
    pub fn new(expr: Expr, settings: Vec<Setting>) -> Condition {
        let mut reads = Vec::new();
        expr.places(&mut |place| reads.push(place));
        reads.sort_unstable();
        reads.dedup();
        Condition {
            settings,
            expr,
            reads,
            dead: false,
            lenient: false,
            at_end: None,
        }
    }
}

/// A net with what is asked of it.
#[derive(Clone)]
pub(crate) struct NetBody {
    pub net: Arc<Net>,
    pub signature: Arc<Signature>,
    pub conditions: Arc<[Condition]>,
    pub sets: Arc<[InstanceSet]>,
    /// Room in memory that all of this needs.
    pub room: usize,
}

impl Body for NetBody {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }
}

impl Explicit for NetBody {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(NetExplorer::new(self, items))
    }

    fn is_portable(&self) -> bool {
        true
    }
}

/// The tokens that were taken from places.
pub(super) struct Taken<'t>(pub &'t [Bag]);

impl Marking for Taken<'_> {
    fn tokens(&self, place: PlaceId) -> Option<&Bag> {
        self.0.get(place.index())
    }
}

/// The marking behind a step: places that changed, and the others.
pub(super) struct Behind<'m> {
    pub before: &'m [Bag],
    pub after: &'m [Bag],
    pub touched: &'m [PlaceId],
}

impl Marking for Behind<'_> {
    fn tokens(&self, place: PlaceId) -> Option<&Bag> {
        match self.touched.binary_search(&place) {
            Ok(_) => self.after.get(place.index()),
            Err(_) => self.before.get(place.index()),
        }
    }
}

pub(crate) struct NetExplorer<'a> {
    pub(super) body: &'a NetBody,
    pub(super) net: &'a Net,
    pub(super) machine: Machine<'a>,
    /// A second one, for expressions that know nothing of the variables at hand.
    pub(super) aside: Machine<'a>,
    /// The tokens of each place.
    pub(super) marking: Vec<Bag>,
    /// How many of each were taken.
    pub(super) taken: Vec<Vec<u64>>,
    pub(super) after: Vec<Bag>,
    pub(super) removed: Vec<Bag>,
    /// Where the lists of places lie in the state at hand.
    pub(super) lists: Vec<std::ops::Range<usize>>,
    pub(super) bytes: Vec<u8>,
    pub(super) executed: Vec<bool>,
    /// The items that each transition may take: the place of each, its set, and which member of the set.
    pub(super) items: Vec<Vec<(usize, usize, usize)>>,
    pub(super) item_count: usize,
    pub(super) found: Vec<usize>,
    pub(super) bindings: u64,
    /// Bytes of the markings behind the one at hand.
    pub(super) made: u64,
    /// The bindings of successors as texts, where somebody wants to know.
    pub(super) told: Option<Vec<String>>,
    /// The state that was read last.
    pub(super) unpacked: Vec<u8>,
    pub(super) memos: Memos,
    /// What is known of conditions that the bits of some places decide.
    truths: Vec<Option<Truths>>,
}

impl<'a> NetExplorer<'a> {
    fn new(body: &'a NetBody, items: &[ItemSpec]) -> NetExplorer<'a> {
        let net = &*body.net;
        let mut by_transition = vec![Vec::new(); net.transitions.len()];
        for (place, item) in items.iter().enumerate() {
            let ItemSpec::Own(number) = item else {
                continue;
            };
            let Some(own) = body.sets.get(*number as usize) else {
                continue;
            };
            for (part, member) in own.members.iter().enumerate() {
                by_transition[member.transition].push((place, *number as usize, part));
            }
        }
        let places = net.known.places.len();
        let mut explorer = NetExplorer {
            body,
            net,
            machine: Machine::new(&net.known.types, body.room),
            aside: Machine::new(&net.known.types, net.room),
            marking: net.initial.clone(),
            taken: vec![Vec::new(); places],
            after: vec![Bag::default(); places],
            removed: vec![Bag::default(); places],
            lists: vec![0..0; net.packing.lists.len()],
            bytes: Vec::new(),
            executed: vec![false; net.transitions.len()],
            items: by_transition,
            item_count: items.len(),
            found: Vec::new(),
            bindings: 0,
            made: 0,
            told: None,
            unpacked: Vec::new(),
            memos: Memos::new(net),
            truths: body.conditions.iter().map(|c| c.truths(net)).collect(),
        };
        explorer.reset_taken();
        explorer
    }

    fn reset_taken(&mut self) {
        for (taken, bag) in self.taken.iter_mut().zip(&self.marking) {
            taken.clear();
            taken.resize(bag.len(), 0);
        }
    }

    /// Reads a state, if it is not the last one that was read; none if these bytes are no state.
    pub(super) fn unpack(&mut self, state: &[u8]) -> Option<()> {
        if !state.is_empty() && self.unpacked == state {
            return Some(());
        }
        self.unpacked.clear();
        self.read(state)?;
        self.reset_taken();
        self.unpacked.extend_from_slice(state);
        Some(())
    }

    /// Reads some places of a state, if that is less than all of it.
    fn unpack_some(&mut self, state: &[u8], wanted: &[PlaceId]) -> Option<()> {
        let net = self.net;
        let is_field = |place: &PlaceId| net.packing.field(*place).is_some();
        if self.unpacked == state || !wanted.iter().all(is_field) {
            return self.unpack(state);
        }
        self.unpacked.clear();
        let types = &net.known.types;
        for &place in wanted {
            let mut reader = Reader {
                bytes: state,
                at: net.packing.field(place)?,
            };
            let ty = net.known.places[place.index()].ty;
            let bag = &mut self.marking[place.index()];
            bag.reset(types.slots(ty));
            reader.value(types, ty, &mut bag.values)?;
            bag.counts.push(1);
        }
        Some(())
    }

    fn read(&mut self, state: &[u8]) -> Option<()> {
        let (types, packing) = (&self.net.known.types, &self.net.packing);
        let places = &self.net.known.places;
        let mut reader = Reader {
            bytes: state,
            at: 0,
        };
        for &(place, at) in &packing.fields {
            reader.at = at;
            let ty = places[place.index()].ty;
            let bag = &mut self.marking[place.index()];
            bag.reset(types.slots(ty));
            reader.value(types, ty, &mut bag.values)?;
            bag.counts.push(1);
        }
        reader.at = packing.lists_at();
        for (number, &place) in packing.lists.iter().enumerate() {
            let start = reader.at;
            let ty = places[place.index()].ty;
            reader.tokens(types, ty, &mut self.marking[place.index()])?;
            self.lists[number] = start..reader.at;
        }
        (reader.at.div_ceil(8) == state.len()).then_some(())
    }

    /// Writes the marking as a state.
    fn pack(&mut self) {
        let (types, packing) = (&self.net.known.types, &self.net.packing);
        let places = &self.net.known.places;
        self.bytes.clear();
        self.bytes.resize(packing.fixed_bytes(), 0);
        let mut writer = Writer {
            bytes: &mut self.bytes,
            at: 0,
        };
        for &(place, at) in &packing.fields {
            writer.at = at;
            let bag = &self.marking[place.index()];
            writer.value(types, places[place.index()].ty, &bag.values);
        }
        writer.at = packing.lists_at();
        for &place in &packing.lists {
            let bag = &self.marking[place.index()];
            writer.tokens(types, places[place.index()].ty, bag);
        }
    }
}

/// The step of a transition.
pub(super) fn step(transition: usize) -> Step {
    Step::of(ProcessId::new(transition), ActionId::new(transition))
}

/// A transition with the values of its variables.
pub(super) fn binding(net: &Net, transition: &Transition, memory: &[i64]) -> String {
    let types = &net.known.types;
    if transition.cells.is_empty() {
        return transition.name.to_string();
    }
    let cells = transition.cells.iter().map(|cell| {
        let value = &memory[cell.offset..cell.offset + types.slots(cell.ty)];
        let shown = types.show(cell.ty, value);
        match cell.name.strip_prefix(':') {
            Some(_) => shown,
            None => format!("{}={shown}", cell.name),
        }
    });
    let cells: Vec<String> = cells.collect();
    format!("{}<{}>", transition.name, cells.join(", "))
}

pub(super) fn fault(kind: FaultKind) -> Fault {
    let span = Span::default();
    Fault { kind, span }
}

impl Explorer for NetExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.start(self.item_count);
        self.unpacked.clear();
        self.marking.clone_from(&self.net.initial);
        self.pack();
        out.push(&self.bytes, Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(self.item_count);
        self.machine.clear(self.body.room);
        let is_remembered = self.told.is_none() && self.memos.list.iter().all(Option::is_some);
        let too_short = state.len() < self.net.packing.fixed_bytes();
        if too_short || (!is_remembered && self.unpack(state).is_none()) {
            out.fault(fault(FaultKind::BadState), Step::default());
            return;
        }
        self.fire_all(state, out);
        out.enable_taken();
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        let body = self.body;
        let condition = body.conditions.get(proposition.0 as usize);
        let condition = condition.ok_or(fault(FaultKind::BadState))?;
        let number = proposition.0 as usize;
        let known = self.truths.get_mut(number).and_then(Option::as_mut);
        if let Some(Some(truth)) = known.and_then(|known| known.at(state)) {
            return Ok(*truth);
        }
        self.machine.clear(body.room);
        if condition.dead || condition.at_end.is_some() {
            let mut out = Successors::new();
            self.expand(state, &mut out);
            let is_dead = out.is_empty() && out.faults().is_empty();
            match condition.at_end.filter(|_| is_dead) {
                Some(value) => return Ok(value),
                None if condition.dead => return Ok(is_dead),
                None => self.machine.clear(body.room),
            }
        }
        self.unpack_some(state, &condition.reads)
            .ok_or(fault(FaultKind::BadState))?;
        set(&mut self.machine.memory, &condition.settings);
        let holds = self.machine.truth(&condition.expr, &Whole(&self.marking));
        let known = self.truths.get_mut(number).and_then(Option::as_mut);
        if let (Ok(truth), Some(known)) = (&holds, known.and_then(|known| known.at(state))) {
            *known = Some(*truth);
        }
        match holds {
            Err(_) if condition.lenient => Ok(true),
            other => other,
        }
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        let net = self.net;
        self.machine.clear(self.body.room);
        if net.deadlocks.is_empty() || self.unpack(state).is_none() {
            return false;
        }
        // A condition without a value is there to be told.
        let mut all = net.deadlocks.iter();
        all.all(|condition| {
            let holds = self.machine.truth(condition, &Whole(&self.marking));
            holds == Ok(false)
        })
    }

    fn obstacles(&mut self, state: &[u8], process: ProcessId) -> Vec<Obstacle> {
        let body = self.body;
        match self.unpack(state) {
            Some(()) => self
                .obstacle(process.index(), &body.signature)
                .into_iter()
                .collect(),
            None => Vec::new(),
        }
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

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        if self.unpack(state).is_none() {
            return Vec::new();
        }
        let net = self.net;
        let types = &net.known.types;
        let places = net.known.places.iter().zip(&self.marking);
        let told = places.filter(|(place, _)| !place.constant);
        told.map(|(place, bag)| {
            let field = place.capacity.as_ref().is_some_and(|c| *c == [(1, 1)]);
            let value = match (field, types.kind(place.ty)) {
                (true, Kind::Leaf(Leaf::Truth, _)) => Value::Truth(bag.values[0] != 0),
                (true, Kind::Leaf(Leaf::Signed | Leaf::Unsigned, _)) => {
                    Value::Number(bag.values[0])
                }
                _ => Value::Text(shown(net, place.ty, bag)),
            };
            (place.name.to_string(), value)
        })
        .collect()
    }

    fn has_process(&mut self, _: &[u8], process: ProcessId) -> bool {
        process.index() < self.net.transitions.len()
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        match self.net.transitions.get(process.index()) {
            Some(transition) => transition.name.to_string(),
            None => format!("process {process}"),
        }
    }

    fn executed(&self) -> &[bool] {
        &self.executed
    }
}

/// Tokens as people write them.
fn shown(net: &Net, ty: TypeId, bag: &Bag) -> String {
    if bag.len() == 0 {
        return "empty".to_string();
    }
    let tokens = (0..bag.len()).map(|at| {
        let value = net.known.types.show(ty, bag.value(at));
        match bag.counts[at] {
            1 => value,
            count => format!("{count}#{value}"),
        }
    });
    tokens.collect::<Vec<String>>().join(", ")
}
