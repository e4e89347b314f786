//! Deterministic sequences (`d_step`): a small graph of actions executed as one.
//!
//! Where an action is not executable the graph says what else to try. Nothing to try before the
//! first action was executed means that the whole is not executable; later it is a run-time error.
//! A receive at the very beginning may take part in a handshake; a send on a rendezvous channel is
//! a run-time error anywhere in a sequence, as in SPIN.
//!
//! Once something was executed, what follows is one piece of code as far as possible (`fuse.rs`).
//!
//! A long sequence is compared with an earlier moment of itself that moves on at powers of two
//! (Brent's cycle detection): coming back means that it never ends, a run-time error. That is looked
//! at from time to time only, since if all its moments come back, so do those.
//! One that just goes on and on is given up, which is a limit and no verdict, unless its control
//! flow has no end.

use evenhand_source::budget::spend;

use super::code::CodeId;
use super::expand::{Offer, ProgramExplorer};
use super::machine::{Failure, Frame};
use super::{CompiledAction, CompiledNode, CompiledTransition, describe, endless};
use crate::explicit::{Step, Successors};
use crate::fault::{Fault, FaultKind};

/// How many actions a deterministic sequence may execute before it is given up, of those that one
/// piece of code does, the turns.
const SEQUENCE_LIMIT: u32 = 4_000_000;

/// After how many actions a sequence is watched for coming back to where it was, and after how many
/// turns again.
const WATCH_AFTER: u32 = 1_000;

/// After how many actions limits are looked at too: nobody can look in from outside.
const LOOK_AFTER: u32 = 1 << 16;

/// A loop of more jumps backwards than this is a long one.
const FEW_TURNS: u32 = 4;

/// How a sequence ended.
pub(super) enum Outcome {
    Blocked,
    Done(String),
}

/// How one action of it ended.
enum NodeOutcome {
    Executed,
    Blocked,
    Violated(evenhand_source::Span),
}

impl<'p> ProgramExplorer<'p> {
    /// Executes a deterministic sequence on `work`.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one move, each of another kind"
    )]
    pub(super) fn sequence(
        &mut self,
        nodes: &'p [CompiledNode],
        frame: Frame,
        offer: Option<Offer<'p>>,
        step: &mut Step,
        parent: u32,
        transition: &CompiledTransition,
        out: &mut Successors,
    ) -> Result<Outcome, Failure> {
        // Where records are wanted each action is executed by itself; what goes wrong must be the
        // same as elsewhere.
        if let Some(records) = self.records.take() {
            let (before, message) = (self.work.clone(), self.message.clone());
            let (objection, mut unheard) = (self.objection, Successors::new());
            let found = self.sequence(
                nodes,
                frame,
                offer,
                &mut step.clone(),
                0,
                transition,
                &mut unheard,
            );
            self.records = Some(records);
            found?;
            (self.work, self.message, self.objection) = (before, message, objection);
        }
        let mut started = false;
        let mut printed = String::new();
        let mut at = 0;
        let mut earlier: Option<(u32, Vec<u8>)> = None;
        let (mut count, mut looks) = (0u32, 0u32);
        // What is recorded is known to end.
        while count < SEQUENCE_LIMIT || self.records.is_some() {
            if count > LOOK_AFTER {
                spend();
            }
            if started
                && self.records.is_none()
                && let Some(code) = nodes[at as usize].fused
            {
                let (next, turns) = self.fused(nodes, code, frame)?;
                count = count.saturating_add(turns);
                match u32::try_from(next) {
                    Ok(next) => at = next,
                    Err(_) => return Ok(Outcome::Done(printed)),
                }
            }
            count = count.saturating_add(1);
            let node = &nodes[at as usize];
            if count >= WATCH_AFTER {
                if earlier
                    .as_ref()
                    .is_some_and(|(node, state)| *node == at && *state == self.work)
                {
                    let (kind, span) = (FaultKind::EndlessSequence, node.span);
                    return Err(Box::new(Fault { kind, span }));
                }
                looks += 1;
                if looks.is_power_of_two() {
                    earlier = Some((at, self.work.clone()));
                }
            }
            let handshake = if started { None } else { offer };
            let executed = match self.node(node, frame, handshake, &mut printed)? {
                NodeOutcome::Executed => true,
                NodeOutcome::Blocked => false,
                NodeOutcome::Violated(span) => {
                    let fault = Fault {
                        kind: FaultKind::Assertion,
                        span,
                    };
                    let record = self.record(parent, transition.info, frame.pid);
                    step.fault = out.push_fault(fault, *step, record);
                    true
                }
            };
            started |= executed;
            let next = if executed { node.next } else { node.otherwise };
            match next {
                Some(next) => at = next,
                None if executed => {
                    return Ok(Outcome::Done(printed));
                }
                None if !started => return Ok(Outcome::Blocked),
                None => {
                    let kind = FaultKind::BlockedSequence;
                    return Err(Box::new(Fault {
                        kind,
                        span: node.span,
                    }));
                }
            }
        }
        let span = nodes[at as usize].span;
        Err(Box::new(Fault {
            kind: if endless::sequence_may_end(nodes, at) {
                FaultKind::LongAtomic
            } else {
                FaultKind::EndlessSequence
            },
            span,
        }))
    }

    /// Executes the code of many actions on `work`: what it hands back, and how many turns it took.
    fn fused(
        &mut self,
        nodes: &'p [CompiledNode],
        code: CodeId,
        frame: Frame,
    ) -> Result<(i32, u32), Failure> {
        self.env.fuel = FEW_TURNS;
        let next = self.env.execute(code, &mut self.work, frame, 0)?;
        let node = usize::try_from(next).ok().and_then(|at| nodes.get(at));
        let (true, Some(code)) = (self.env.fuel == 0, node.and_then(|node| node.fused)) else {
            return Ok((next, FEW_TURNS - self.env.fuel));
        };
        // It is a long one. Perhaps it was run before with the same values.
        let regions = &self.env.program.code.regions;
        let region = node.and_then(|node| node.region);
        let region = region.map(|number| (number, &regions[number as usize]));
        if let Some(region) = region
            && let Some(next) = self.memo.apply(region, &mut self.work, frame)
        {
            return Ok((next, FEW_TURNS));
        }
        self.env.fuel = WATCH_AFTER;
        let next = self.env.execute(code, &mut self.work, frame, 0)?;
        let left = self.env.fuel;
        if let Some(region) = region.filter(|_| left > 0) {
            self.memo.learn(region, &self.work, frame, next);
        }
        Ok((next, FEW_TURNS + WATCH_AFTER - left))
    }

    /// Executes one action of a deterministic sequence on `work`.
    fn node(
        &mut self,
        node: &'p CompiledNode,
        frame: Frame,
        offer: Option<Offer<'p>>,
        printed: &mut String,
    ) -> Result<NodeOutcome, Failure> {
        if offer.is_some() && !matches!(node.action, CompiledAction::Receive(_)) {
            return Ok(NodeOutcome::Blocked);
        }
        match &node.action {
            CompiledAction::Skip | CompiledAction::Else => {}
            CompiledAction::Condition(code) => {
                if self.env.value(*code, &self.work, frame)? == 0 {
                    return Ok(NodeOutcome::Blocked);
                }
            }
            CompiledAction::Assign(code) | CompiledAction::Create(code) => {
                self.env.execute(*code, &mut self.work, frame, 0)?;
            }
            CompiledAction::Assert(code, span) => {
                if self.env.value(*code, &self.work, frame)? == 0 {
                    return Ok(NodeOutcome::Violated(*span));
                }
            }
            CompiledAction::Send(send) => {
                let (id, target) = self
                    .env
                    .channel(send.channel, &self.work, frame, send.span)?;
                if target.kind.capacity == 0 {
                    let (kind, span) = (FaultKind::RendezvousInSequence, send.span);
                    return Err(Box::new(Fault { kind, span }));
                }
                if target.len(&self.work) >= target.kind.capacity {
                    return Ok(NodeOutcome::Blocked);
                }
                self.put(send, target, frame)?;
                self.event(true, id)?;
            }
            CompiledAction::Receive(receive) => {
                if let Some(offer) = offer {
                    let work = std::mem::take(&mut self.work);
                    let fits = self.fits(receive, offer, &work, frame);
                    self.work = work;
                    if !fits? {
                        return Ok(NodeOutcome::Blocked);
                    }
                    let message = std::mem::take(&mut self.message);
                    let bound = self.env.bind(receive, &message, &mut self.work, frame);
                    self.message = message;
                    bound?;
                    return Ok(NodeOutcome::Executed);
                }
                let span = receive.span;
                let (id, source) = self.env.channel(receive.channel, &self.work, frame, span)?;
                let slot = self.env.matching_slot(receive, source, &self.work, frame)?;
                let Some(slot) = slot else {
                    return Ok(NodeOutcome::Blocked);
                };
                if self.env.program.observer.is_some() {
                    self.message.clear();
                    for field in 0..source.kind.fields.len() {
                        self.message.push(source.field(&self.work, slot, field));
                    }
                    self.event(false, id)?;
                }
                self.env
                    .take(receive, source, slot, &mut self.work, frame)?;
            }
            CompiledAction::Print(print) => {
                if self.records.is_some() {
                    let work = std::mem::take(&mut self.work);
                    printed.push_str(&describe::print(&mut self.env, print, &work, frame));
                    self.work = work;
                }
            }
            CompiledAction::SetPriority(pid, value, span) => {
                let pid = self.env.value(*pid, &self.work, frame)?;
                let value = self.env.value(*value, &self.work, frame)?;
                self.env.set_priority(&mut self.work, pid, value, *span)?;
            }
            // The front-end refuses both inside a sequence.
            CompiledAction::Die | CompiledAction::Sequence(_) => return Ok(NodeOutcome::Blocked),
        }
        Ok(NodeOutcome::Executed)
    }
}
