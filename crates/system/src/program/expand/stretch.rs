//! Atomic stretches: from the statement that begins one to where other processes see the state.
//!
//! `chain.rs` keeps the states in between that are still to be explored, `line.rs` executes those
//! without a choice; this is the loop around both. A stretch without an end is a run-time error,
//! one whose end could not be waited for is a limit.

use evenhand_source::budget::spend;

use super::super::chain::{Next, Pending};
use super::super::endless;
use super::super::line::LineEnd;
use super::super::machine::location;
use super::{Context, ProgramExplorer};
use crate::explicit::Successors;
use crate::fault::{Fault, FaultKind};

impl ProgramExplorer<'_> {
    /// Follows the atomic stretches that are pending.
    pub(super) fn follow_chain(&mut self, out: &mut Successors) {
        let mut middle = std::mem::take(&mut self.middle);
        let mut taken = std::mem::take(&mut self.so_far);
        self.chain.end_line();
        loop {
            spend();
            match self.chain.pop(&mut middle, &mut taken) {
                Next::Done => break,
                Next::Endless(pending) => self.give_up(&middle, &pending, true, out),
                Next::TooLong(pending) => {
                    self.chain.drop_last();
                    self.leave_out(&middle, &pending, out);
                }
                Next::Explore(mut pending) => {
                    match self.run_on(&mut middle, &mut taken, &mut pending, out) {
                        LineEnd::Goes => self.explore(&mut middle, &mut taken, &pending, out),
                        LineEnd::Ends => {}
                        LineEnd::Back => self.give_up(&middle, &pending, true, out),
                        LineEnd::TooLong => self.leave_out(&middle, &pending, out),
                    }
                }
            }
        }
        self.middle = middle;
        self.so_far = taken;
    }

    /// Explores a state in the middle of a stretch.
    fn explore(
        &mut self,
        middle: &mut Vec<u8>,
        taken: &mut Vec<u64>,
        pending: &Pending,
        out: &mut Successors,
    ) {
        let context = Context {
            step: pending.step,
            record: pending.record,
            timeout: false,
        };
        self.items.begin(taken);
        let (first, before) = (self.chain.len(), (out.len(), out.faults().len()));
        let moved = self.process(middle, pending.pid, &context, None, out);
        if !moved {
            self.chain.end_line();
            self.reset_hidden(middle);
            out.push_set(middle, pending.step, taken, pending.record);
            return;
        }
        let is_quiet = before == (out.len(), out.faults().len());
        match self.chain.last() {
            Some((state, pid)) if is_quiet && self.chain.len() == first + 1 => {
                let (_, base) = self.env.shapes.of(state).processes[usize::from(pid)];
                let at = location(state, base, self.env.program.spec.location_bytes);
                if self.chain.go_on(at)
                    && let Some(back) = self.chain.take_last(middle, taken)
                {
                    self.give_up(middle, &back, true, out);
                }
            }
            _ => self.chain.end_line(),
        }
    }

    /// There are too many states in the stretches of a step: they are left out. That one has no end is an
    /// error of the model; that others were not looked at is a limit.
    fn leave_out(&mut self, middle: &[u8], pending: &Pending, out: &mut Successors) {
        self.give_up(middle, pending, false, out);
        if self.chain.leave_out(pending.step) > 0 {
            let span = out.faults().last().map(|report| report.fault.span);
            let (kind, span) = (FaultKind::LongAtomic, span.unwrap_or_default());
            out.push_fault(Fault { kind, span }, pending.step, pending.record);
        }
    }

    /// A stretch has no end, or none that could be waited for.
    fn give_up(&mut self, middle: &[u8], pending: &Pending, known: bool, out: &mut Successors) {
        self.chain.end_line();
        let action = self.action_at(middle, pending.pid);
        let actions = &self.env.program.signature.actions;
        let span = action
            .or(pending.step.action)
            .map(|a| actions[a.index()].span);
        let kind = if known || !self.stretch_may_end(middle, pending.pid) {
            FaultKind::EndlessAtomic
        } else {
            FaultKind::LongAtomic
        };
        let span = span.unwrap_or_default();
        out.push_fault(Fault { kind, span }, pending.step, pending.record);
    }

    fn stretch_may_end(&mut self, state: &[u8], pid: u8) -> bool {
        let program = self.env.program;
        let (process, base) = self.env.shapes.of(state).processes[usize::from(pid)];
        let at = location(state, base, program.spec.location_bytes);
        endless::stretch_may_end(program, usize::from(process.0), at)
    }
}
