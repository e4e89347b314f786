//! What the steps of a program touch, by half steps: the knowledge behind its reductions.
//!
//! For the states of one shape in which the variables that no statement assigns hold the same, every
//! transition of every process has three sets of *resources*: what it reads, what it writes, and what
//! decides whether it can be executed. A resource is a byte of the state, or of a channel its front (from
//! where messages are taken), its back (to where they are put), or a meeting (of a rendezvous channel).
//! A receive that can be executed reads and writes the front alone: a message that arrives meanwhile makes
//! no difference. One that cannot waits for the back too.
//!
//! The sets of a transition are those of its own process. A handshake is two transitions that both
//! touch the meeting; who looks at one of them looks at everybody who may come to meet. Sets are always
//! on the large side: an atomic stretch touches what any statement in it does, both ends of channels
//! included, since it stops where it cannot go on; a meeting in the middle of one is everything; `else`
//! reads what decides about its alternatives, and everything if these are meetings.
//!
//! `timeout` reads nothing here: as long as somebody has a step that is enabled without it and stays so, it
//! is false, and that is when these sets are asked. A step that asks for it itself is known as such, and
//! nothing is left out where one is enabled. Where it is asked whether a step may change what is enabled,
//! `timeout` reads everything.

use std::collections::BTreeSet;

use super::expr::{Action, Expr, Location, Place, TypeId};
use super::footprint::{Assigned, BIRTH, DEATH, Footprint, Halves, Walker};
use super::shape::Shape;
use super::{Program, Transition};
use crate::groups::Bytes;

/// What one transition of a process touches.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub reads: Bytes,
    pub writes: Bytes,
    /// What decides whether it can be executed, and with what result.
    pub guard: Bytes,
    /// The same where all that matters is whether it can be executed.
    pub enabling: Bytes,
    /// Channels on which it may take part in a handshake, by their places in the shape; as the
    /// receiver.
    pub meets: BTreeSet<usize>,
    pub receives: bool,
    /// Whether it asks for `timeout`.
    pub asks_time: bool,
    /// Types of processes that it may create.
    pub creates: BTreeSet<TypeId>,
}

/// Someone who executes transitions: a process of the shape, or one that is not born yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actor {
    pub process: TypeId,
    pub pid: u8,
    pub base: usize,
}

/// States that are alike: of one shape, with the same in what is never assigned.
#[derive(Clone, Copy)]
pub(super) struct Alike<'a> {
    pub program: &'a Program,
    pub shape: &'a Shape,
    /// One of them.
    pub state: &'a [u8],
    /// What is assigned somewhere, and what is assigned by statements.
    pub assigned: &'a Assigned,
    pub changed: &'a Assigned,
    /// Whether `timeout` is a look at everything.
    pub time: bool,
}

impl<'a> Alike<'a> {
    /// The process of a number.
    pub fn actor(&self, pid: usize) -> Actor {
        let (process, base) = self.shape.processes[pid];
        Actor {
            process,
            pid: pid as u8,
            base: base as usize,
        }
    }

    /// A process that is not born yet.
    pub fn unborn(&self, process: TypeId) -> Actor {
        Actor {
            process,
            pid: u8::MAX,
            base: self.shape.len as usize,
        }
    }

    fn walker(&self, actor: Actor) -> Walker<'a> {
        let mut walker = Walker::of_nobody(self.program, self.assigned, self.shape);
        (walker.process, walker.pid, walker.base) = (actor.process, actor.pid, actor.base);
        walker.halves = Some(Halves {
            state: self.state,
            changed: self.changed,
            sends: BTreeSet::new(),
            receives: BTreeSet::new(),
            meets: BTreeSet::new(),
            creates: BTreeSet::new(),
            time: self.time,
            asks_time: false,
        });
        walker
    }

    /// What the value of a proposition depends on.
    pub fn proposition(&self, condition: &Expr) -> Bytes {
        let mut walker = self.walker(self.unborn(TypeId(u16::MAX)));
        walker.expr(condition);
        self.resources(&walker).guard
    }

    /// What a transition touches: the one at a place of a group of a location.
    pub fn transition(&self, actor: Actor, from: usize, group: usize, place: usize) -> Touch {
        let process = &self.program.spec.types[usize::from(actor.process.0)];
        let location = &process.locations[from];
        let transition = &location.groups[group][place];
        let mut walker = self.walker(actor);
        self.every_step(&mut walker);
        let mut enabling = self.resources(&walker).guard;
        walker.action(&transition.action);
        let mut touch = self.resources(&walker);
        let mut deciding = self.walker(actor);
        let earlier = location.groups[..group].iter().flatten();
        earlier.for_each(|t| deciding.action(&t.action));
        if matches!(transition.action, Action::Else) {
            let others = location.groups[group].iter();
            others.for_each(|t| deciding.action(&t.action));
        }
        let decides = self.resources(&deciding);
        touch.asks_time |= decides.asks_time;
        touch.reads.extend(&decides.guard);
        touch.guard.extend(&decides.guard);
        enabling.extend(&decides.guard);
        if !decides.meets.is_empty() {
            // Whether a handshake is possible depends on where the others are.
            let all = self.everything();
            touch.reads.extend(&all);
            touch.guard.extend(&all);
            enabling.extend(&all);
        }
        if transition.atomic {
            self.stretch(actor, transition.target, &mut touch);
        }
        if transition.atomic || !is_always_executable(transition) {
            enabling.extend(&touch.guard);
        }
        touch.enabling = enabling;
        touch
    }

    /// Adds every statement that an atomic stretch can go on with.
    fn stretch(&self, actor: Actor, from: Location, touch: &mut Touch) {
        let locations = &self.program.spec.types[usize::from(actor.process.0)].locations;
        let mut walker = self.walker(actor);
        for at in stretch_locations(self.program, actor.process, from) {
            for transition in locations[at].groups.iter().flatten() {
                walker.action(&transition.action);
            }
        }
        walker.ends_are_both();
        walker.writes_are_uncertain();
        let rest = self.resources(&walker);
        touch.reads.extend(&rest.guard);
        touch.guard.extend(&rest.guard);
        touch.writes.extend(&rest.writes);
        touch.creates.extend(rest.creates);
        touch.asks_time |= rest.asks_time;
        touch.meets.extend(&rest.meets);
        if !rest.meets.is_empty() {
            let all = self.everything();
            touch.reads.extend(&all);
            touch.writes.extend(&all);
            touch.guard.extend(&all);
        }
    }

    /// What every step of a process reads and writes.
    fn every_step(&self, walker: &mut Walker<'a>) {
        let location = walker.location_bytes(walker.base);
        walker.found.reads.insert(location.clone());
        walker.found.writes.insert(location);
        let process = &self.program.spec.types[usize::from(walker.process.0)];
        if let Some(provided) = &process.provided {
            walker.expr(provided);
        }
    }

    /// The bytes of a process's control location.
    pub fn location(&self, actor: Actor) -> Bytes {
        let mut bytes = self.nothing();
        let len = usize::from(self.program.spec.location_bytes);
        if actor.base < self.shape.len as usize {
            bytes.insert(actor.base..actor.base + len);
        }
        bytes
    }

    /// Which processes there are.
    pub fn processes(&self) -> Bytes {
        let mut bytes = self.nothing();
        bytes.insert(BIRTH..DEATH + 1);
        bytes
    }

    pub fn nothing(&self) -> Bytes {
        Bytes::none(self.shape.len as usize + 3 * self.shape.channels.len())
    }

    fn everything(&self) -> Bytes {
        let mut all = self.nothing();
        all.insert(0..all.state_len());
        all
    }

    /// The resources that a walk found.
    fn resources(&self, walker: &Walker<'a>) -> Touch {
        let Footprint { reads, writes, .. } = &walker.found;
        let (mut read, mut written) = (self.nothing(), self.nothing());
        read.extend(reads);
        written.extend(writes);
        let mut hidden = self.nothing();
        for (start, bytes) in &self.program.hidden {
            hidden.insert(*start..start + bytes.len());
        }
        // They are the same at the beginning of every step.
        read.remove(&hidden);
        written.remove(&hidden);
        let mut touch = Touch {
            guard: self.nothing(),
            enabling: self.nothing(),
            reads: read,
            writes: written,
            meets: BTreeSet::new(),
            receives: false,
            asks_time: false,
            creates: BTreeSet::new(),
        };
        let mut waits = self.nothing();
        for (index, channel) in self.shape.channels.iter().enumerate() {
            let len = self.program.spec.channel_types[usize::from(channel.kind)].len();
            let bytes = channel.offset as usize..(channel.offset + len) as usize;
            let front = self.shape.len as usize + 3 * index;
            let both = front..front + 2;
            if bytes.clone().any(|at| reads.contains(at)) {
                touch.reads.insert(both.clone());
            }
            if bytes.clone().any(|at| writes.contains(at)) {
                touch.reads.insert(both.clone());
                touch.writes.insert(both.clone());
            }
            let Some(halves) = &walker.halves else {
                continue;
            };
            for (is_used, end) in [
                (halves.receives.contains(&index), front),
                (halves.sends.contains(&index), front + 1),
                (halves.meets.contains(&index), front + 2),
            ] {
                if is_used {
                    touch.reads.insert(end..end + 1);
                    touch.writes.insert(end..end + 1);
                    waits.insert(both.clone());
                }
            }
        }
        if let Some(halves) = &walker.halves {
            touch.meets.clone_from(&halves.meets);
            touch.receives = !halves.receives.is_empty();
            touch.asks_time = halves.asks_time;
            touch.creates.clone_from(&halves.creates);
        }
        touch.guard.extend(&touch.reads);
        touch.guard.extend(&waits);
        if walker.found.resizes {
            // Whether a process can end depends on the others.
            touch.guard.insert(BIRTH..DEATH + 1);
        }
        touch
    }
}

/// The locations in the middle of an atomic stretch that begins at one.
pub(super) fn stretch_locations(program: &Program, process: TypeId, from: Location) -> Vec<usize> {
    let locations = &program.spec.types[usize::from(process.0)].locations;
    let mut seen = BTreeSet::from([from]);
    let mut queue = vec![from];
    let mut found = Vec::new();
    while let Some(at) = queue.pop() {
        let Some(location) = locations.get(at.0 as usize) else {
            continue;
        };
        found.push(at.0 as usize);
        for transition in location.groups.iter().flatten() {
            if transition.atomic && seen.insert(transition.target) {
                queue.push(transition.target);
            }
        }
    }
    found
}

/// Whether a transition can be executed, with a successor, whatever the values of variables are.
fn is_always_executable(transition: &Transition) -> bool {
    match &transition.action {
        Action::Skip | Action::Print(_) => true,
        Action::Assert(expr, _) => is_total(expr),
        Action::Assign(place, value) => is_total_place(place) && is_total(value),
        Action::Assignments(list) => {
            let mut parts = list.iter();
            parts.all(|(place, value)| is_total_place(place) && is_total(value))
        }
        _ => false,
    }
}

fn is_total_place(place: &Place) -> bool {
    place.indices.is_empty()
}

/// Whether an expression always has a value.
fn is_total(expr: &Expr) -> bool {
    use super::expr::BinaryOp::{Div, Rem};
    match expr {
        Expr::Const(_) | Expr::Pid | Expr::ProcessCount => true,
        Expr::Load(place) => is_total_place(place),
        Expr::Unary(_, operand) => is_total(operand),
        Expr::Binary(Div | Rem, ..) => false,
        Expr::Binary(_, operands, _) => is_total(&operands.0) && is_total(&operands.1),
        Expr::Conditional(parts) => is_total(&parts.0) && is_total(&parts.1) && is_total(&parts.2),
        _ => false,
    }
}
