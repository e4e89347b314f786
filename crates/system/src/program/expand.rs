//! Successor generation for programs.
//!
//! For each process, youngest first, the groups of its location are tried in order; a group counts
//! only if no transition of an earlier group was executable (`unless`), and `else` only if nothing
//! else in its group was. A send on a rendezvous channel is executable iff some other process can
//! receive it now; both move in one step, and control stays with the receiver if its statement is
//! inside an atomic sequence (`expand/handshake.rs`). `timeout` holds iff nothing is executable
//! without it. Atomic stretches are followed in `chain.rs` to where other processes can see the
//! state again.

mod handshake;
mod stretch;

use super::chain::Chain;
use super::channel::{self, ChannelRef};
use super::footprint::deciding;
use super::machine::{Env, Failure, Frame, location, set_location};
use super::memo::Memo;
use super::portable::Heads;
use super::sequence::Outcome;
use super::shape::{ShapeCache, shape_id};
use super::{
    CompiledAction, CompiledSend, CompiledTransition, Exclusive, HEADER, NOBODY, Program, describe,
};
use crate::explicit::{Explanation, Explorer, Message, Obstacle, Record, Step, Successors, Value};
use crate::fairness::{PropositionId, TakenItems};
use crate::fault::{Fault, FaultKind};
use crate::ids::{ActionId, ProcessId};
use crate::signature::ItemSpec;

/// Expands states of a program.
pub(crate) struct ProgramExplorer<'p> {
    pub(super) env: Env<'p>,
    pub(super) items: TakenItems,
    pub(super) chain: Chain,
    /// The successor being built.
    pub(super) work: Vec<u8>,
    /// The state in the middle of an atomic stretch that is being explored.
    middle: Vec<u8>,
    /// The items taken in the atomic stretch that is being explored.
    so_far: Vec<u64>,
    pub(super) message: Vec<i32>,
    pub(super) records: Option<Vec<Record>>,
    /// What loops of deterministic sequences are known to do.
    pub(super) memo: Memo,
    /// How shapes are called between processes.
    heads: Heads,
    /// For each action, whether it was ever executed.
    pub(super) executed: Vec<bool>,
    /// What the trace assertion has against the move being built.
    pub(super) objection: Option<Fault>,
}

/// What a process does when it moves on behalf of a step.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// The step; its first action is that of the transition tried, unless it began earlier.
    pub step: Step,
    record: u32,
    timeout: bool,
}

impl Context {
    /// A process begins a step.
    pub fn first(pid: u8, timeout: bool) -> Context {
        let step = Step {
            process: Some(pid.into()),
            ..Step::default()
        };
        Context {
            step,
            record: 0,
            timeout,
        }
    }
}

/// The offer of a handshake.
#[derive(Clone, Copy)]
pub(super) struct Offer<'p> {
    /// Who sends.
    pub sender: u8,
    pub channel: i32,
    pub target: ChannelRef<'p>,
    /// What the trace assertion has against the send.
    pub objection: Option<Fault>,
}

/// What is told of a statement besides who executed it: mostly nothing, since nobody asked.
#[derive(Default)]
pub(super) struct Told(Option<Box<(String, Option<Message>)>>);

impl Told {
    #[cold]
    pub fn text(&mut self, text: String) {
        self.0.get_or_insert_default().0 = text;
    }

    #[cold]
    fn message(&mut self, message: Message) {
        self.0.get_or_insert_default().1 = Some(message);
    }
}

impl<'p> ProgramExplorer<'p> {
    pub fn new(program: &'p Program, items: &[ItemSpec]) -> ProgramExplorer<'p> {
        let env = Env {
            program,
            shapes: ShapeCache::new(program),
            asked: Vec::new(),
            fuel: 0,
        };
        ProgramExplorer {
            env,
            items: TakenItems::new(items, usize::from(NOBODY), program.signature.actions.len()),
            chain: Chain::default(),
            work: Vec::new(),
            middle: Vec::new(),
            so_far: Vec::new(),
            message: Vec::new(),
            records: None,
            memo: Memo::default(),
            heads: Heads::default(),
            executed: vec![false; program.signature.actions.len()],
            objection: None,
        }
    }

    /// Tries all processes; whether anything was executable.
    fn all_processes(&mut self, state: &[u8], timeout: bool, out: &mut Successors) -> bool {
        let count = self.env.shapes.of(state).processes.len();
        let mut moved = false;
        let mut context = Context::first(0, timeout);
        for pid in (0..count).rev() {
            let pid = pid as u8;
            context.step.process = Some(pid.into());
            moved |= self.process(state, pid, &context, None, out);
        }
        moved
    }

    /// At least the successors by steps that one process begins.
    pub(super) fn expand_at_least(&mut self, state: &[u8], pid: u8, out: &mut Successors) {
        self.prepare(out);
        let moved = self.process(state, pid, &Context::first(pid, false), None, out);
        if !moved && self.env.program.spec.uses_timeout {
            // Whether time is out depends on all others.
            self.expand(state, out);
            return;
        }
        if moved && !self.chain.is_empty() {
            self.follow_chain(out);
        }
        self.items.finish(out);
    }

    /// The first action at the location of a process.
    fn action_at(&mut self, state: &[u8], pid: u8) -> Option<ActionId> {
        let program = self.env.program;
        let (process, base) = *self.env.shapes.of(state).processes.get(usize::from(pid))?;
        let at = location(state, base, program.spec.location_bytes);
        let groups = &program.types[process.0 as usize].locations[usize::from(at)].groups;
        let &(start, _) = groups.iter().find(|(start, end)| start < end)?;
        Some(program.transitions[start as usize].info)
    }

    /// Tries the transitions of one process; whether any was executable. With an offer, only
    /// receives that complete the handshake count.
    fn process(
        &mut self,
        state: &[u8],
        pid: u8,
        context: &Context,
        offer: Option<Offer<'p>>,
        out: &mut Successors,
    ) -> bool {
        let program = self.env.program;
        let (process, base) = self.env.shapes.of(state).processes[usize::from(pid)];
        let at = location(state, base, program.spec.location_bytes);
        let compiled = &program.types[process.0 as usize];
        let frame = Frame {
            pid,
            base,
            timeout: context.timeout,
        };
        if compiled.provided.is_some() || program.spec.priorities {
            // A handshake happens with the priority of its sender.
            match self.env.may_move(state, frame, offer.is_none()) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(fault) => {
                    let mut step = context.step;
                    step.action = step.action.or_else(|| self.action_at(state, pid));
                    out.push_fault(*fault, step, context.record);
                    return true;
                }
            }
        }
        // One by one: a copy of the whole, just written in parts, waits until all that was written before is in memory.
        let Step {
            action,
            process,
            partner,
            fault,
        } = &context.step;
        let (action, process, partner, fault) = (*action, *process, *partner, *fault);
        for &(start, end) in &compiled.locations[usize::from(at)].groups {
            let mut moved = false;
            for transition in &program.transitions[start as usize..end as usize] {
                if matches!(transition.action, CompiledAction::Else) && (moved || offer.is_some()) {
                    continue;
                }
                let step = Step {
                    action: action.or(Some(transition.info)),
                    process,
                    partner,
                    fault,
                };
                let result = match offer {
                    None => self.attempt(state, transition, frame, step, context.record, out),
                    Some(offer) => {
                        self.complete(state, transition, frame, step, offer, context.record, out)
                    }
                };
                match result {
                    Ok(executed) => moved |= executed,
                    Err(fault) => {
                        moved = true;
                        let record = self.record(context.record, transition.info, pid);
                        out.push_fault(*fault, step, record);
                    }
                }
            }
            if moved {
                return true;
            }
        }
        false
    }

    /// Tries one transition; whether it was executable.
    pub(super) fn attempt(
        &mut self,
        state: &[u8],
        transition: &'p CompiledTransition,
        frame: Frame,
        mut step: Step,
        parent: u32,
        out: &mut Successors,
    ) -> Result<bool, Failure> {
        let mut told = Told::default();
        self.objection = None;
        match &transition.action {
            CompiledAction::Skip | CompiledAction::Else => self.copy(state),
            CompiledAction::Condition(code) => {
                if self.env.value(*code, state, frame)? == 0 {
                    return Ok(false);
                }
                self.copy(state);
            }
            CompiledAction::Assign(code) => {
                self.copy(state);
                self.env.execute(*code, &mut self.work, frame, 0)?;
            }
            CompiledAction::Send(send) => {
                let (id, target) = self.env.channel(send.channel, state, frame, send.span)?;
                if target.kind.capacity == 0 {
                    let mut message = std::mem::take(&mut self.message);
                    let ready = self.env.message(send, target, state, frame, &mut message);
                    channel::truncate(target, &mut message);
                    self.message = message;
                    ready?;
                    self.copy(state);
                    let offer = Offer {
                        sender: frame.pid,
                        channel: id,
                        target,
                        objection: None,
                    };
                    return Ok(self.handshake(transition, frame, step, offer, parent, out));
                }
                if target.len(state) >= target.kind.capacity {
                    return Ok(false);
                }
                self.env
                    .check_exclusive(state, frame.pid, id, Exclusive::Send, send.span)?;
                self.copy(state);
                self.put(send, target, frame)?;
                self.event(true, id)?;
                if self.records.is_some() {
                    let (env, fields) = (&mut self.env, &self.message);
                    told.message(describe::message(env, state, id, true, fields));
                }
            }
            CompiledAction::Receive(receive) => {
                let (id, source) = self
                    .env
                    .channel(receive.channel, state, frame, receive.span)?;
                if source.kind.capacity == 0 {
                    if receive.keep {
                        let kind = FaultKind::RendezvousPoll;
                        return Err(Box::new(Fault {
                            kind,
                            span: receive.span,
                        }));
                    }
                    return Ok(false);
                }
                let Some(slot) = self.env.matching_slot(receive, source, state, frame)? else {
                    return Ok(false);
                };
                let span = receive.span;
                self.env
                    .check_exclusive(state, frame.pid, id, Exclusive::Receive, span)?;
                self.copy(state);
                self.env
                    .take(receive, source, slot, &mut self.work, frame)?;
                if self.records.is_some() || self.env.program.observer.is_some() {
                    self.message.clear();
                    for field in 0..source.kind.fields.len() {
                        self.message.push(source.field(state, slot, field));
                    }
                    self.event(false, id)?;
                    let fields = &self.message;
                    told.message(describe::message(&mut self.env, state, id, false, fields));
                }
            }
            CompiledAction::Create(code) => {
                self.copy(state);
                if self.env.execute(*code, &mut self.work, frame, 0)? == 0 {
                    return Ok(false);
                }
            }
            CompiledAction::Assert(code, span) => {
                if self.env.value(*code, state, frame)? == 0 {
                    let fault = Fault {
                        kind: FaultKind::Assertion,
                        span: *span,
                    };
                    let record = self.record(parent, transition.info, frame.pid);
                    step.fault = out.push_fault(fault, step, record);
                }
                self.copy(state);
            }
            CompiledAction::Print(print) => {
                self.copy(state);
                if self.records.is_some() {
                    told.text(describe::print(&mut self.env, print, state, frame));
                }
            }
            CompiledAction::SetPriority(pid, value, span) => {
                self.copy(state);
                let pid = self.env.value(*pid, state, frame)?;
                let value = self.env.value(*value, state, frame)?;
                self.env.set_priority(&mut self.work, pid, value, *span)?;
            }
            CompiledAction::Die => {
                if usize::from(frame.pid) + 1 != self.env.shapes.of(state).processes.len() {
                    return Ok(false);
                }
                self.copy(state);
                self.env.shapes.shrink(&mut self.work);
                self.set_last(frame.pid);
                let record = self.record(parent, transition.info, frame.pid);
                self.emit(transition, frame.pid, step, record, out);
                return Ok(true);
            }
            CompiledAction::Sequence(nodes) => {
                self.copy(state);
                match self.sequence(nodes, frame, None, &mut step, parent, transition, out)? {
                    Outcome::Blocked => return Ok(false),
                    Outcome::Done(text) if text.is_empty() => {}
                    Outcome::Done(text) => told.text(text),
                }
            }
        }
        self.arrive(frame, transition.target);
        let record = self.record_full(parent, transition.info, frame.pid, told);
        self.emit(transition, frame.pid, step, record, out);
        Ok(true)
    }

    #[inline]
    fn copy(&mut self, state: &[u8]) {
        // Most states have one length: then nothing grows.
        if self.work.len() == state.len() {
            self.work.copy_from_slice(state);
        } else {
            self.work.clear();
            self.work.extend_from_slice(state);
        }
    }

    pub(super) fn put(
        &mut self,
        send: &CompiledSend,
        target: ChannelRef<'p>,
        frame: Frame,
    ) -> Result<(), Failure> {
        let mut message = std::mem::take(&mut self.message);
        let ready = self
            .env
            .message(send, target, &self.work, frame, &mut message);
        if ready.is_ok() {
            channel::put(target, &mut self.work, &message, send.sorted);
            channel::truncate(target, &mut message);
        }
        self.message = message;
        ready
    }

    /// Tells the trace assertion that the message in `message` was sent or received.
    pub(super) fn event(&mut self, sent: bool, channel: i32) -> Result<(), Failure> {
        if self.env.program.observer.is_some() {
            let objection = self
                .env
                .observe(&mut self.work, sent, channel, &self.message)?;
            self.objection = self.objection.or(objection);
        }
        Ok(())
    }

    fn arrive(&mut self, frame: Frame, target: u16) {
        set_location(
            &mut self.work,
            frame.base,
            self.env.program.spec.location_bytes,
            target,
        );
        self.set_last(frame.pid);
    }

    fn set_last(&mut self, pid: u8) {
        if let Some(offset) = self.env.program.spec.last_pid {
            self.work[offset as usize] = pid;
        }
    }

    /// Hands the successor in `work` out, or on to the chain if control stays with the process.
    fn emit(
        &mut self,
        transition: &CompiledTransition,
        pid: u8,
        mut step: Step,
        record: u32,
        out: &mut Successors,
    ) {
        if let Some(fault) = self.objection.take() {
            step.fault = out.push_fault(fault, step, record);
        }
        self.executed[transition.info.index()] = true;
        self.items.add(pid.into(), transition.info);
        if transition.atomic {
            let taken = self.items.set();
            self.chain.push(&self.work, taken, pid, step, record);
        } else {
            if !self.env.program.hidden.is_empty() {
                let mut work = std::mem::take(&mut self.work);
                self.reset_hidden(&mut work);
                self.work = work;
            }
            out.push_set(&self.work, step, self.items.set(), record);
        }
        self.items.undo();
    }

    fn reset_hidden(&mut self, state: &mut [u8]) {
        for (start, bytes) in &self.env.program.hidden {
            state[*start..start + bytes.len()].copy_from_slice(bytes);
        }
    }

    #[inline]
    pub(super) fn record(&mut self, parent: u32, action: ActionId, pid: u8) -> u32 {
        self.record_full(parent, action, pid, Told::default())
    }

    #[inline]
    pub(super) fn record_full(
        &mut self,
        parent: u32,
        action: ActionId,
        pid: u8,
        told: Told,
    ) -> u32 {
        match self.records {
            None => 0,
            Some(_) => self.keep_record(parent, action, pid, told),
        }
    }

    #[cold]
    fn keep_record(&mut self, parent: u32, action: ActionId, pid: u8, told: Told) -> u32 {
        let Some(records) = &mut self.records else {
            return 0;
        };
        let (printed, message) = told.0.map_or_else(Default::default, |told| *told);
        records.push(Record {
            parent,
            printed,
            message,
            ..Record::new(pid.into(), action)
        });
        records.len() as u32
    }

    /// Whether nothing is executable but for `timeout`.
    fn is_blocked(&mut self, state: &[u8]) -> bool {
        let mut out = Successors::new();
        let records = self.records.take();
        self.prepare(&mut out);
        let moved = self.all_processes(state, false, &mut out);
        self.chain.clear();
        self.records = records;
        !moved
    }

    pub(super) fn prepare(&mut self, out: &mut Successors) {
        self.items.start(out);
        self.chain.clear();
        self.items.begin(&[]);
    }
}

impl Explorer for ProgramExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.prepare(out);
        let program = self.env.program;
        let state = self.env.empty_state().and_then(|mut state| {
            for start in &program.spec.start {
                let span = evenhand_source::Span::default();
                self.env
                    .create(&mut state, start.process, &[], start.priority, span)?;
            }
            Ok(state)
        });
        match state {
            Ok(state) => out.push(&state, Step::default(), []),
            Err(fault) => {
                out.fault(*fault, Step::default());
            }
        }
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        self.prepare(out);
        let mut moved = self.all_processes(state, false, out);
        if !moved && self.env.program.spec.uses_timeout {
            moved = self.all_processes(state, true, out);
        }
        if moved && !self.chain.is_empty() {
            self.follow_chain(out);
        }
        self.items.finish(out);
    }

    fn expand_process(&mut self, state: &[u8], process: ProcessId, out: &mut Successors) -> bool {
        self.prepare(out);
        let pid = process.number() as u8;
        let moved = self.process(state, pid, &Context::first(pid, false), None, out);
        if moved && !self.chain.is_empty() {
            self.follow_chain(out);
        }
        true
    }

    fn obstacles(&mut self, state: &[u8], process: ProcessId) -> Vec<Obstacle> {
        self.list_obstacles(state, process.number() as u8)
    }

    fn surely_moves(&mut self, state: &[u8], process: ProcessId) -> bool {
        self.env.surely_moves(state, process.number() as u8)
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        let asked = &self.env.program.propositions[proposition.0 as usize];
        let nobody = Frame {
            pid: NOBODY,
            base: 0,
            timeout: asked.asks && self.is_blocked(state),
        };
        match (self.env.value(asked.code, state, nobody), &asked.parts) {
            (Ok(value), _) => Ok(value != 0),
            (Err(_), Some(parts)) => {
                let partly = parts.holds(&mut self.env, state, nobody);
                partly.map_err(|fault| *fault)
            }
            (Err(fault), None) => Err(*fault),
        }
    }

    fn layout(&self, state: &[u8]) -> Option<u32> {
        Some(shape_id(state).into())
    }

    fn deciding(&mut self, propositions: &[PropositionId], state: &[u8]) -> Option<Vec<usize>> {
        let shape = self.env.shapes.of(state);
        Some(deciding(self.env.program, shape, propositions))
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        let program = self.env.program;
        let shape = self.env.shapes.of(state);
        shape.processes.iter().all(|&(process, base)| {
            let at = location(state, base, program.spec.location_bytes);
            program.spec.types[process.0 as usize].locations[usize::from(at)].valid_end
        })
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.records = Some(Vec::new());
        self.expand(state, out);
        Explanation {
            records: self.records.take().unwrap_or_default(),
        }
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        describe::state(&mut self.env, state)
    }

    fn has_process(&mut self, state: &[u8], process: ProcessId) -> bool {
        self.env.shapes.of(state).processes.len() > process.index()
    }

    fn process_name(&mut self, state: &[u8], process: ProcessId) -> String {
        match self.env.shapes.of(state).processes.get(process.index()) {
            Some(&(id, _)) => {
                let name = &self.env.program.spec.types[usize::from(id.0)].name;
                format!("{name}[{process}]")
            }
            None => format!("process {process}"),
        }
    }

    fn executed(&self) -> &[bool] {
        &self.executed
    }

    fn export(&mut self, state: &[u8], head: &mut Vec<u8>, tail: &mut Vec<u8>) -> bool {
        head.clear();
        head.extend_from_slice(self.heads.of(&mut self.env.shapes, state));
        tail.clear();
        tail.extend_from_slice(&state[HEADER as usize..]);
        true
    }

    fn import(&mut self, head: &[u8], tail: &[u8], state: &mut Vec<u8>) -> bool {
        let Some(shape) = self.heads.shape(self.env.program, head) else {
            return false;
        };
        state.clear();
        state.extend_from_slice(&shape.to_le_bytes());
        state.extend_from_slice(tail);
        self.env.shapes.of(state).len as usize == state.len()
    }
}
