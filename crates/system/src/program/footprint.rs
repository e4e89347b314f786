//! Which bytes of a state a statement reads and writes.
//!
//! A walk over actions and expressions that collects byte positions for one process in one shape,
//! always on the large side: an index reads or writes the whole array, a channel is any that its
//! expression could mean, and what depends on everything (`timeout`, `enabled`, priorities) reads
//! everything. Three refinements matter in practice: an index that is computed from constants and
//! the number of the process means one element; a channel variable that no statement ever assigns
//! means the channel it was declared with; and a handshake reads and writes what those processes
//! look at and change that can receive from the channel, unless one of them keeps control
//! afterwards.
//!
//! A write counts as certain only where it is: a plain variable assigned by a single statement. All
//! other writes are reads too (see `crate::groups`).
//!
//! For reductions (`touch.rs`) a walk goes *by halves*: a handshake is what the process at hand does
//! for its own part, sends and receives are told apart, and what a variable holds that no statement
//! ever assigns is read from a state.

use std::collections::BTreeSet;

use super::Program;
use super::channel::read_scalar;
use super::expr::{Action, AtLocation, Expr, Pattern, Place, Receive, Scope, Send, TypeId};
use super::shape::Shape;
use crate::fairness::PropositionId;
use crate::groups::Bytes;

/// Bytes of places that some statement assigns: of globals, and of each process type.
#[derive(Debug)]
pub(super) struct Assigned {
    globals: BTreeSet<u32>,
    locals: Vec<BTreeSet<u32>>,
}

impl Assigned {
    pub fn of(program: &Program) -> Assigned {
        let spec = &program.spec;
        let mut assigned = Assigned::by_statements(program);
        for (place, _) in &spec.init {
            assigned.add(place, 0);
        }
        for (id, process) in spec.types.iter().enumerate() {
            let places = process.init.iter().map(|(place, _)| place);
            for place in places.chain(&process.parameters) {
                assigned.add(place, id);
            }
        }
        assigned
    }

    /// Without what is assigned when a process is created, or at the very beginning.
    pub fn by_statements(program: &Program) -> Assigned {
        let spec = &program.spec;
        let mut assigned = Assigned {
            globals: BTreeSet::new(),
            locals: vec![BTreeSet::new(); spec.types.len()],
        };
        for (id, process) in spec.types.iter().enumerate() {
            let groups = process.locations.iter().flat_map(|l| &l.groups);
            for transition in groups.flatten() {
                assigned.add_action(&transition.action, id);
            }
        }
        assigned
    }

    /// Whether no statement of a process type assigns its byte at an offset.
    pub fn leaves(&self, process: TypeId, offset: u32) -> bool {
        let locals = self.locals.get(usize::from(process.0));
        locals.is_some_and(|locals| !locals.contains(&offset))
    }

    fn add(&mut self, place: &Place, process: usize) {
        let bytes = span_of(place);
        match place.scope {
            Scope::Global => self.globals.extend(bytes),
            Scope::Local => self.locals.get_mut(process).into_iter().for_each(|l| {
                l.extend(bytes.clone());
            }),
        }
    }

    fn add_action(&mut self, action: &Action, process: usize) {
        match action {
            Action::Assign(place, _) => self.add(place, process),
            Action::Assignments(list) => list.iter().for_each(|(p, _)| self.add(p, process)),
            Action::Receive(receive) => {
                for pattern in &receive.patterns {
                    if let Pattern::Bind(place) = pattern {
                        self.add(place, process);
                    }
                }
            }
            Action::Sequence(sequence) => {
                for node in &sequence.nodes {
                    self.add_action(&node.action, process);
                }
            }
            _ => {}
        }
    }

    fn contains(&self, place: &Place, process: TypeId) -> bool {
        let mut bytes = span_of(place);
        match place.scope {
            Scope::Global => bytes.any(|at| self.globals.contains(&at)),
            Scope::Local => match self.locals.get(usize::from(process.0)) {
                Some(locals) => bytes.any(|at| locals.contains(&at)),
                None => true,
            },
        }
    }
}

/// The bytes of all elements that a place can mean, in its segment.
fn span_of(place: &Place) -> std::ops::Range<u32> {
    let last: u32 = place
        .indices
        .iter()
        .map(|index| index.len.saturating_sub(1).saturating_mul(index.stride))
        .fold(0, u32::saturating_add);
    let end = place.offset.saturating_add(last);
    place.offset..end.saturating_add(u32::from(place.scalar.bytes))
}

/// What one statement, or several, of a process in a shape read and write.
#[derive(Clone, Debug)]
pub(super) struct Footprint {
    pub reads: Bytes,
    pub writes: Bytes,
    pub resizes: bool,
}

/// What a walk by halves needs, and what it finds besides bytes.
#[derive(Clone, Debug)]
pub(super) struct Halves<'a> {
    /// A state of the shape, and what statements assign: all other variables hold what they hold
    /// there in every state that is meant.
    pub state: &'a [u8],
    pub changed: &'a Assigned,
    /// Channels of the shape that messages are sent to, and received from.
    pub sends: BTreeSet<usize>,
    pub receives: BTreeSet<usize>,
    /// Channels of the shape on which a handshake is offered or taken.
    pub meets: BTreeSet<usize>,
    /// Process types that are created.
    pub creates: BTreeSet<TypeId>,
    /// Whether `timeout` counts as a look at everything; otherwise it is known to be false. Whether it
    /// was asked for.
    pub time: bool,
    pub asks_time: bool,
}

/// The byte that stands for the creation of processes, and the one for their end: those of the
/// shape's number, which nothing else reads or writes.
pub(super) const BIRTH: usize = 0;
pub(super) const DEATH: usize = 1;

/// A process in a shape.
pub(super) struct Walker<'a> {
    pub program: &'a Program,
    pub assigned: &'a Assigned,
    pub shape: &'a Shape,
    pub process: TypeId,
    pub pid: u8,
    /// Where the segment of the process begins.
    pub base: usize,
    pub found: Footprint,
    /// Whether it is the partner of a handshake.
    pub is_partner: bool,
    /// If the walk goes by halves.
    pub halves: Option<Halves<'a>>,
    /// Whether the location of a process with a constant number means that process alone; otherwise all of its type.
    pub by_number: bool,
}

/// The bytes that decide in all states of a shape whether propositions hold.
pub(super) fn deciding(
    program: &Program,
    shape: &Shape,
    propositions: &[PropositionId],
) -> Vec<usize> {
    let assigned = Assigned::of(program);
    let mut walker = Walker::of_nobody(program, &assigned, shape);
    walker.by_number = true;
    for proposition in propositions {
        match program.conditions.get(proposition.0 as usize) {
            Some(condition) => walker.expr(condition),
            None => walker.read_all(),
        }
    }
    walker.found.reads.iter().collect()
}

impl<'a> Walker<'a> {
    pub fn new(
        program: &'a Program,
        assigned: &'a Assigned,
        shape: &'a Shape,
        pid: u8,
    ) -> Walker<'a> {
        let (process, base) = shape.processes[usize::from(pid)];
        let len = shape.len as usize;
        Walker {
            program,
            assigned,
            shape,
            process,
            pid,
            base: base as usize,
            found: Footprint {
                reads: Bytes::none(len),
                writes: Bytes::none(len),
                resizes: false,
            },
            is_partner: false,
            halves: None,
            by_number: false,
        }
    }

    /// Somebody who is no process of the shape: for conditions on states.
    pub fn of_nobody(program: &'a Program, assigned: &'a Assigned, shape: &'a Shape) -> Walker<'a> {
        let len = shape.len as usize;
        Walker {
            program,
            assigned,
            shape,
            process: TypeId(u16::MAX),
            pid: u8::MAX,
            base: 0,
            found: Footprint {
                reads: Bytes::none(len),
                writes: Bytes::none(len),
                resizes: false,
            },
            is_partner: false,
            halves: None,
            by_number: false,
        }
    }

    pub fn read_all(&mut self) {
        self.found.reads.insert(0..self.shape.len as usize);
    }

    pub fn write_all(&mut self) {
        self.found.writes.insert(0..self.shape.len as usize);
    }

    /// What may be written may be left alone, too.
    pub fn writes_are_uncertain(&mut self) {
        self.found.reads.extend(&self.found.writes);
    }

    /// The control location, its own or another's.
    pub fn location_bytes(&self, base: usize) -> std::ops::Range<usize> {
        base..base + usize::from(self.program.spec.location_bytes)
    }

    /// The bytes of the one element that a place means, if that is certain.
    fn element_of(&self, place: &Place) -> Option<std::ops::Range<u32>> {
        let mut start = place.offset;
        for index in &place.indices {
            let value = u32::try_from(self.constant(&index.value)?).ok()?;
            if value >= index.len {
                return None;
            }
            start = start.checked_add(value.checked_mul(index.stride)?)?;
        }
        Some(start..start.checked_add(u32::from(place.scalar.bytes))?)
    }

    /// The value of an expression that is the same in all states.
    fn constant(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid if self.pid != u8::MAX => Some(i32::from(self.pid)),
            Expr::Load(place) => self.known(place),
            Expr::Binary(op, operands, _) => {
                let (one, two) = (self.constant(&operands.0)?, self.constant(&operands.1)?);
                op.apply(one, two)
            }
            _ => None,
        }
    }

    /// What a variable holds in all states that are meant.
    fn known(&self, place: &Place) -> Option<i32> {
        let halves = self.halves.as_ref()?;
        let exists = place.scope == Scope::Global || self.pid != u8::MAX;
        if !exists || halves.changed.contains(place, self.process) {
            return None;
        }
        let element = self.element_of(place)?;
        let base = match place.scope {
            Scope::Global => 0,
            Scope::Local => self.base,
        };
        let range = base + element.start as usize..base + element.end as usize;
        let bytes = halves.state.get(range)?;
        Some(read_scalar(bytes, place.scalar))
    }

    fn bytes_of(&self, place: &Place) -> std::ops::Range<usize> {
        let span = self.element_of(place).unwrap_or_else(|| span_of(place));
        let base = match place.scope {
            Scope::Global => 0,
            Scope::Local => self.base,
        };
        base + span.start as usize..base + span.end as usize
    }

    fn indices(&mut self, place: &Place) {
        for index in &place.indices {
            self.expr(&index.value);
        }
    }

    fn assign(&mut self, place: &Place) {
        self.indices(place);
        let bytes = self.bytes_of(place);
        self.found.writes.insert(bytes.clone());
        if self.element_of(place).is_none() {
            self.found.reads.insert(bytes);
        }
    }

    /// Everything that an action reads and writes, its executability included.
    pub fn action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::Print(_) => {}
            Action::Condition(expr) | Action::Assert(expr, _) => self.expr(expr),
            Action::Assign(place, value) => {
                self.expr(value);
                self.assign(place);
            }
            Action::Assignments(list) => {
                for (place, value) in list {
                    self.expr(value);
                    self.assign(place);
                }
            }
            Action::Send(send) => self.send(send),
            Action::Receive(receive) => self.receive(receive),
            Action::SetPriority(pid, value, _) => {
                self.expr(pid);
                self.expr(value);
                self.read_all();
                self.write_all();
            }
            Action::Die if self.halves.is_some() => self.die(),
            Action::Die => {
                self.found.resizes = true;
                self.found.writes.insert(0..2);
                self.found.reads.insert(0..2);
            }
            Action::Sequence(sequence) => {
                for node in &sequence.nodes {
                    self.action(&node.action);
                }
                self.ends_are_both();
                self.writes_are_uncertain();
            }
        }
    }

    /// What every use of a channel looks at besides the channel: the claims of other processes to
    /// use one exclusively, and the observer that a trace assertion sets on it.
    fn channel_use(&mut self) {
        if self.program.has_exclusive {
            match self.halves.is_some() {
                true => self.claims(),
                false => self.read_all(),
            }
        }
        let program = self.program;
        let Some(observer) = &program.spec.observer else {
            return;
        };
        let location = observer.offset as usize..observer.offset as usize + 2;
        self.found.reads.insert(location.clone());
        self.found.writes.insert(location);
        for event in observer.locations.iter().flat_map(|l| &l.events) {
            self.expr(&event.channel);
            event
                .fields
                .iter()
                .flatten()
                .for_each(|field| self.expr(field));
        }
    }

    fn send(&mut self, send: &Send) {
        self.channel_use();
        self.expr(&send.channel);
        send.values.iter().for_each(|value| self.expr(value));
        if self.halves.is_some() {
            self.use_half(&send.channel, true);
            if send.sorted {
                self.both_ends(&send.channel);
            }
            return;
        }
        let mut unbuffered = Vec::new();
        for channel in self.channels(&send.channel) {
            self.whole_channel(channel, true);
            let kind = usize::from(self.shape.channels[channel].kind);
            if self.program.spec.channel_types[kind].capacity == 0 {
                unbuffered.push(channel);
            }
        }
        if !unbuffered.is_empty() {
            self.handshake(&unbuffered);
        }
    }

    /// What the processes look at and change that may receive from one of some channels.
    fn handshake(&mut self, channels: &[usize]) {
        if self.is_partner {
            self.read_all();
            self.write_all();
            return;
        }
        let own = (self.process, self.pid, self.base);
        self.is_partner = true;
        for (pid, &(process, base)) in self.shape.processes.iter().enumerate() {
            if pid != usize::from(own.1) {
                (self.process, self.pid, self.base) = (process, pid as u8, base as usize);
                self.partner(channels);
            }
        }
        self.is_partner = false;
        (self.process, self.pid, self.base) = own;
        self.writes_are_uncertain();
    }

    /// The part of a process in a handshake on one of some channels.
    fn partner(&mut self, channels: &[usize]) {
        let program = self.program;
        let process = &program.spec.types[usize::from(self.process.0)];
        let groups = process.locations.iter().flat_map(|l| &l.groups);
        let mut looks = false;
        for transition in groups.flatten() {
            let takes_part = match &transition.action {
                Action::Receive(receive) if !receive.keep => {
                    looks = true;
                    // Looked at even where it is another channel.
                    self.expr(&receive.channel);
                    let mine = self.channels(&receive.channel);
                    mine.iter().any(|channel| channels.contains(channel))
                }
                Action::Sequence(_) => true,
                _ => false,
            };
            if takes_part {
                looks = true;
                self.action(&transition.action);
                if transition.atomic {
                    // It keeps control, and anything may follow.
                    self.read_all();
                    self.write_all();
                }
            }
        }
        if looks {
            let location = self.location_bytes(self.base);
            self.found.reads.insert(location.clone());
            self.found.writes.insert(location);
            if let Some(provided) = &process.provided {
                self.expr(provided);
            }
        }
    }

    fn receive(&mut self, receive: &Receive) {
        self.channel_use();
        if self.halves.is_some() {
            self.expr(&receive.channel);
            self.patterns(receive);
            self.use_half(&receive.channel, false);
        } else {
            self.poll(receive);
        }
        for pattern in &receive.patterns {
            if let Pattern::Bind(place) = pattern {
                self.assign(place);
            }
        }
        if !receive.keep && self.halves.is_none() {
            for channel in self.channels(&receive.channel) {
                self.whole_channel(channel, true);
            }
        }
    }

    fn patterns(&mut self, receive: &Receive) {
        for pattern in &receive.patterns {
            if let Pattern::Equal(expr) = pattern {
                self.expr(expr);
            }
        }
    }

    fn poll(&mut self, receive: &Receive) {
        self.expr(&receive.channel);
        self.patterns(receive);
        self.channel_may_end(&receive.channel);
        for channel in self.channels(&receive.channel) {
            self.whole_channel(channel, false);
        }
    }

    pub(super) fn whole_channel(&mut self, index: usize, write: bool) {
        let channel = &self.shape.channels[index];
        let len = self.program.spec.channel_types[usize::from(channel.kind)].len();
        let bytes = channel.offset as usize..(channel.offset + len) as usize;
        self.found.reads.insert(bytes.clone());
        if write {
            self.found.writes.insert(bytes);
        }
    }

    /// The channels of the shape that an expression may mean.
    pub(super) fn channels(&self, expr: &Expr) -> Vec<usize> {
        let all = 0..self.shape.channels.len();
        if let (true, Some(number)) = (self.halves.is_some(), self.constant(expr)) {
            // Of a number that is no channel nothing comes but an error.
            return all.filter(|&at| at as i32 + 1 == number).collect();
        }
        let Expr::Load(place) = expr else {
            return all.collect();
        };
        if self.assigned.contains(place, self.process) {
            return all.collect();
        }
        // Never assigned: the channels whose variables the place spans.
        let span = self.element_of(place).unwrap_or_else(|| span_of(place));
        let spec = &self.program.spec;
        all.filter(|&index| {
            let channel = &self.shape.channels[index];
            let declared = match (place.scope, channel.owner) {
                (Scope::Global, None) => &spec.channels,
                (Scope::Local, Some(owner)) if owner == self.pid => {
                    &spec.types[usize::from(self.process.0)].channels
                }
                _ => return false,
            };
            let entry = declared.get(usize::from(channel.index));
            entry.is_some_and(|c| span.contains(&c.variable))
        })
        .collect()
    }

    /// By halves: a channel ends with its process, and its number may be that of another one later. Where that
    /// is possible, what the expression means depends on which processes there are.
    pub(super) fn channel_may_end(&mut self, expr: &Expr) {
        if self.halves.is_none() {
            return;
        }
        let is_lasting = match (self.constant(expr), expr) {
            (Some(number), _) => {
                let at = usize::try_from(i64::from(number) - 1).ok();
                let channel = at.and_then(|at| self.shape.channels.get(at));
                channel.is_some_and(|c| c.owner.is_none() || c.owner == Some(self.pid))
            }
            (None, Expr::Load(place)) => !self.assigned.contains(place, self.process),
            (None, _) => false,
        };
        if !is_lasting {
            self.processes();
        }
    }

    /// Everything that an expression reads.
    pub fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(_) | Expr::Pid => {}
            Expr::ProcessCount => self.processes(),
            Expr::Load(place) => {
                self.indices(place);
                let bytes = self.bytes_of(place);
                self.found.reads.insert(bytes);
            }
            Expr::Unary(_, operand) => self.expr(operand),
            Expr::Binary(_, operands, _) => {
                self.expr(&operands.0);
                self.expr(&operands.1);
            }
            Expr::Conditional(parts) => {
                self.expr(&parts.0);
                self.expr(&parts.1);
                self.expr(&parts.2);
            }
            Expr::LastPid => {
                if let Some(at) = self.program.spec.last_pid {
                    self.found.reads.insert(at as usize..at as usize + 1);
                }
            }
            Expr::Timeout if self.is_time_known() => {}
            Expr::Timeout | Expr::Enabled(_) | Expr::PriorityOf(_) => self.read_all(),
            Expr::NonProgress | Expr::Accepting => self.locations_of(None),
            Expr::Channel(_, channel, _) => {
                self.expr(channel);
                self.channel_may_end(channel);
                for index in self.channels(channel) {
                    self.whole_channel(index, false);
                }
            }
            Expr::Poll(receive) => self.poll(receive),
            Expr::Run(run) => {
                run.arguments
                    .iter()
                    .for_each(|argument| self.expr(argument));
                self.create(run.process);
            }
            Expr::LocationOf(pid) => {
                self.expr(pid);
                self.locations_of(None);
            }
            Expr::AtLocation(at) => {
                let AtLocation { process, pid, .. } = &**at;
                pid.iter().for_each(|pid| self.expr(pid));
                let number = pid.as_ref().and_then(|pid| self.constant(pid));
                match number.filter(|_| self.by_number) {
                    Some(number) => self.location_of(*process, number),
                    None => self.locations_of(Some(*process)),
                }
            }
            Expr::Remote(remote) => {
                remote.pid.iter().for_each(|pid| self.expr(pid));
                self.indices(&remote.place);
                self.processes();
                let span = span_of(&remote.place);
                let (start, end) = (span.start as usize, span.end as usize);
                for &(process, base) in &self.shape.processes {
                    if process == remote.process {
                        let base = base as usize;
                        self.found.reads.insert(base + start..base + end);
                    }
                }
            }
        }
    }

    /// The control location of a process, if one of that number is of a type.
    fn location_of(&mut self, of: TypeId, number: i32) {
        self.processes();
        let index = usize::try_from(number).ok();
        if let Some(&(process, base)) = index.and_then(|index| self.shape.processes.get(index))
            && process == of
        {
            let bytes = self.location_bytes(base as usize);
            self.found.reads.insert(bytes);
        }
    }

    /// Control locations of all processes (of a type).
    fn locations_of(&mut self, of: Option<TypeId>) {
        self.processes();
        for &(process, base) in &self.shape.processes {
            if of.is_none_or(|of| of == process) {
                let bytes = self.location_bytes(base as usize);
                self.found.reads.insert(bytes);
            }
        }
    }

    /// A new process: its segment lies behind the state, what its initial values read does not.
    fn create(&mut self, process: TypeId) {
        self.found.resizes = true;
        self.found.reads.insert(0..2);
        match &mut self.halves {
            None => self.found.writes.insert(0..2),
            Some(halves) => {
                self.found.writes.insert(BIRTH..BIRTH + 1);
                halves.creates.insert(process);
            }
        }
        let (own, pid, base) = (self.process, self.pid, self.base);
        self.process = process;
        self.pid = u8::MAX;
        self.base = self.shape.len as usize;
        for (place, value) in &self.program.spec.types[usize::from(process.0)].init {
            self.expr(value);
            self.assign(place);
        }
        (self.process, self.pid, self.base) = (own, pid, base);
    }
}
