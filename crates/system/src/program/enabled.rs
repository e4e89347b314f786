//! Who may move: `provided` clauses, priorities, `enabled(…)`, and exclusive channels.

use super::machine::{Env, Failure, Frame, location};
use super::{CompiledAction, Exclusive};
use crate::fault::{Fault, FaultKind};

/// How deep `enabled` may ask about statements that ask `enabled` themselves.
const MAX_ASKED: usize = 4;

impl Env<'_> {
    /// Whether priorities and the `provided` clause let a process move.
    pub fn may_move(
        &mut self,
        state: &[u8],
        frame: Frame,
        by_priority: bool,
    ) -> Result<bool, Failure> {
        if !self.is_provided(state, frame)? {
            return Ok(false);
        }
        if !self.program.spec.priorities || !by_priority {
            return Ok(true);
        }
        let mine = self.priority_of(state, frame.pid.into());
        let count = self.shapes.of(state).processes.len();
        for pid in (0..count).filter(|&pid| pid != usize::from(frame.pid)) {
            if self.priority_of(state, pid as i32) > mine {
                let base = self.shapes.of(state).processes[pid].1;
                let other = Frame {
                    pid: pid as u8,
                    base,
                    timeout: frame.timeout,
                };
                if self.is_provided(state, other)? && self.is_enabled(state, pid as i32) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    pub fn is_provided(&mut self, state: &[u8], frame: Frame) -> Result<bool, Failure> {
        let process = self.shapes.of(state).processes[usize::from(frame.pid)].0;
        match self.program.types[process.0 as usize].provided {
            Some(code) => Ok(self.value(code, state, frame)? != 0),
            None => Ok(true),
        }
    }

    /// Whether a process has an executable statement, its partners in a handshake not considered.
    /// A statement that depends on the answer itself does not count, nor does one whose answer is
    /// nested deeper than [`MAX_ASKED`].
    pub fn is_enabled(&mut self, state: &[u8], pid: i32) -> bool {
        if self.asked.contains(&pid) || self.asked.len() >= MAX_ASKED {
            return false;
        }
        self.asked.push(pid);
        let enabled = self.has_executable(state, pid);
        self.asked.pop();
        enabled
    }

    fn has_executable(&mut self, state: &[u8], pid: i32) -> bool {
        let program = self.program;
        let Some(&(process, base)) = usize::try_from(pid)
            .ok()
            .and_then(|i| self.shapes.of(state).processes.get(i))
        else {
            return false;
        };
        let at = location(state, base, program.spec.location_bytes);
        let frame = Frame {
            pid: pid as u8,
            base,
            timeout: false,
        };
        let groups = &program.types[process.0 as usize].locations[usize::from(at)].groups;
        groups.iter().any(|&(start, end)| {
            program.transitions[start as usize..end as usize]
                .iter()
                .any(|t| self.could_execute(&t.action, state, frame))
        })
    }

    fn could_execute(&mut self, action: &CompiledAction, state: &[u8], frame: Frame) -> bool {
        match action {
            CompiledAction::Condition(code) => self
                .value(*code, state, frame)
                .is_ok_and(|value| value != 0),
            CompiledAction::Send(send) => self
                .channel(send.channel, state, frame, send.span)
                .is_ok_and(|(_, c)| c.kind.capacity == 0 || c.len(state) < c.kind.capacity),
            CompiledAction::Receive(receive) => self.poll(receive, state, frame).unwrap_or(false),
            CompiledAction::Die => {
                usize::from(frame.pid) + 1 == self.shapes.of(state).processes.len()
            }
            CompiledAction::Sequence(nodes) => {
                let mut at = Some(0);
                while let Some(index) = at {
                    let node = &nodes[index as usize];
                    if self.could_execute(&node.action, state, frame) {
                        return true;
                    }
                    at = node.otherwise;
                }
                false
            }
            CompiledAction::Skip
            | CompiledAction::Else
            | CompiledAction::Create(_)
            | CompiledAction::Assign(_)
            | CompiledAction::Assert(..)
            | CompiledAction::Print(_)
            | CompiledAction::SetPriority(..) => true,
        }
    }

    /// Whether some statement of a process can be executed for sure, or is an error to try, as far as it takes no
    /// partner, no message and no sequence to know.
    pub fn surely_moves(&mut self, state: &[u8], pid: u8) -> bool {
        let program = self.program;
        let (process, base) = self.shapes.of(state).processes[usize::from(pid)];
        let compiled = &program.types[process.0 as usize];
        if compiled.provided.is_some() || program.spec.priorities {
            return false;
        }
        let at = location(state, base, program.spec.location_bytes);
        let frame = Frame {
            pid,
            base,
            timeout: false,
        };
        // A group is tried only if no earlier one can be executed: then the process moves all the same.
        let mut surely = |action: &CompiledAction| match action {
            CompiledAction::Condition(code) => !matches!(self.value(*code, state, frame), Ok(0)),
            // Where nothing else can be executed, `else` can.
            CompiledAction::Skip
            | CompiledAction::Else
            | CompiledAction::Assign(_)
            | CompiledAction::Assert(..)
            | CompiledAction::Print(_) => true,
            CompiledAction::Send(_)
            | CompiledAction::Receive(_)
            | CompiledAction::Create(_)
            | CompiledAction::SetPriority(..)
            | CompiledAction::Die
            | CompiledAction::Sequence(_) => false,
        };
        let mut groups = compiled.locations[usize::from(at)].groups.iter();
        groups.any(|&(start, end)| {
            let mut transitions = program.transitions[start as usize..end as usize].iter();
            transitions.any(|transition| surely(&transition.action))
        })
    }

    /// Fails if another process claims this use of a channel for itself (`xr`, `xs`).
    pub fn check_exclusive(
        &mut self,
        state: &[u8],
        pid: u8,
        channel: i32,
        usage: Exclusive,
        span: evenhand_source::Span,
    ) -> Result<(), Failure> {
        if !self.program.has_exclusive {
            return Ok(());
        }
        let program = self.program;
        let count = self.shapes.of(state).processes.len();
        for other in (0..count).filter(|&other| other != usize::from(pid)) {
            let (process, base) = self.shapes.of(state).processes[other];
            let frame = Frame {
                pid: other as u8,
                base,
                timeout: false,
            };
            for &(code, claimed) in &program.types[usize::from(process.0)].exclusive {
                if claimed == usage && self.value(code, state, frame)? == channel {
                    return Err(Box::new(Fault {
                        kind: FaultKind::Exclusive,
                        span,
                    }));
                }
            }
        }
        Ok(())
    }

    pub fn set_priority(
        &mut self,
        state: &mut [u8],
        pid: i32,
        value: i32,
        span: evenhand_source::Span,
    ) -> Result<(), Failure> {
        let offset = usize::from(self.program.spec.location_bytes);
        let process = usize::try_from(pid).ok();
        let Some(&(_, base)) = process.and_then(|i| self.shapes.of(state).processes.get(i)) else {
            return Ok(()); // like SPIN: no such process, no effect
        };
        match u8::try_from(value) {
            Ok(value) if value > 0 => {
                state[base as usize + offset] = value;
                Ok(())
            }
            _ => Err(Box::new(Fault {
                kind: FaultKind::Priority(value),
                span,
            })),
        }
    }
}
