//! Handshakes: a send on a rendezvous channel, taken by another process in the same step.
//!
//! The sender's half of the successor is built first and offered to every other process whose
//! location has a receive; each that takes it completes the step in its own way. So a send has as
//! many successors as there are receives that fit, and none if nobody is there.

use super::super::code::CompiledReceive;
use super::super::machine::{Failure, Frame, location};
use super::super::sequence::Outcome;
use super::super::{CompiledAction, CompiledTransition, Exclusive, describe};
use super::{Context, Offer, ProgramExplorer};
use crate::explicit::{Step, Successors};

impl<'p> ProgramExplorer<'p> {
    /// Offers the message to every other process; whether one took it. The sender's part of the
    /// successor is in `work`.
    pub(super) fn handshake(
        &mut self,
        transition: &'p CompiledTransition,
        frame: Frame,
        step: Step,
        offer: Offer<'p>,
        parent: u32,
        out: &mut Successors,
    ) -> bool {
        self.arrive(frame, transition.target);
        if self.event(true, offer.channel).is_err() {
            return false; // the observer's expressions are over globals and cannot fail
        }
        let offer = Offer {
            objection: self.objection.take(),
            ..offer
        };
        let offered = std::mem::take(&mut self.work);
        self.items.add(frame.pid.into(), transition.info);
        let sends = transition.info.index();
        let record = self.record(parent, transition.info, frame.pid);
        let count = self.env.shapes.of(&offered).processes.len();
        let mut moved = false;
        for pid in (0..count)
            .rev()
            .filter(|&pid| pid != usize::from(frame.pid))
        {
            let (process, base) = self.env.shapes.of(&offered).processes[pid];
            let at = location(&offered, base, self.env.program.spec.location_bytes);
            let locations = &self.env.program.types[usize::from(process.0)].locations;
            if !locations[usize::from(at)].receives {
                continue;
            }
            let pid = pid as u8;
            let partner = step.partner.or(Some(pid.into()));
            let context = Context {
                step: Step { partner, ..step },
                record,
                timeout: frame.timeout,
            };
            moved |= self.process(&offered, pid, &context, Some(offer), out);
        }
        self.items.undo();
        self.work = offered;
        self.executed[sends] |= moved;
        moved
    }

    /// Completes a handshake with a receive of another process.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one move, each of another kind"
    )]
    pub(super) fn complete(
        &mut self,
        state: &[u8],
        transition: &'p CompiledTransition,
        frame: Frame,
        mut step: Step,
        offer: Offer<'p>,
        parent: u32,
        out: &mut Successors,
    ) -> Result<bool, Failure> {
        match &transition.action {
            CompiledAction::Receive(receive) => {
                if !self.fits(receive, offer, state, frame)? {
                    return Ok(false);
                }
                let (id, span) = (offer.channel, receive.span);
                self.env
                    .check_exclusive(state, frame.pid, id, Exclusive::Receive, span)?;
                self.env
                    .check_exclusive(state, offer.sender, id, Exclusive::Send, span)?;
                self.copy(state);
                let message = std::mem::take(&mut self.message);
                let bound = self.env.bind(receive, &message, &mut self.work, frame);
                self.message = message;
                bound?;
            }
            CompiledAction::Sequence(nodes) => {
                self.copy(state);
                let outcome = self.sequence(
                    nodes,
                    frame,
                    Some(offer),
                    &mut step,
                    parent,
                    transition,
                    out,
                )?;
                if !matches!(outcome, Outcome::Done(_)) {
                    return Ok(false);
                }
            }
            _ => return Ok(false),
        }
        self.arrive(frame, transition.target);
        self.event(false, offer.channel)?;
        self.objection = offer.objection.or(self.objection);
        if let Some(records) = &mut self.records {
            let text = describe::message(&mut self.env, state, offer.channel, true, &self.message);
            let last = &mut records[parent as usize - 1];
            let mut record = last.clone();
            record.partner = Some(frame.pid.into());
            record.partner_action = Some(transition.info);
            record.message = Some(text);
            records.push(record);
        }
        let record = self.records.as_ref().map_or(0, |r| r.len() as u32);
        self.emit(transition, frame.pid, step, record, out);
        Ok(true)
    }

    pub(in crate::program) fn fits(
        &mut self,
        receive: &CompiledReceive,
        offer: Offer<'p>,
        state: &[u8],
        frame: Frame,
    ) -> Result<bool, Failure> {
        if receive.keep || self.env.value(receive.channel, state, frame)? != offer.channel {
            return Ok(false);
        }
        let message = std::mem::take(&mut self.message);
        let result = self
            .env
            .accepts(receive, offer.target, &message, state, frame);
        self.message = message;
        result
    }
}
