//! Why a process cannot move: what stands in the way of each statement at its location.
//!
//! Each transition is tried as the search tries it, so that the answer cannot differ from what is executable; only
//! for those that are not, the reason is looked up: the form of the statement and the channel it is about
//! say enough. Of a deterministic sequence the guard is its first statement.

use super::expand::{Context, ProgramExplorer};
use super::machine::{Frame, location};
use super::{CompiledAction, CompiledTransition};
use crate::explicit::{Obstacle, Successors};

impl<'p> ProgramExplorer<'p> {
    /// What stands in the way of the statements of a process; nothing if there is no such process.
    pub(super) fn list_obstacles(&mut self, state: &[u8], pid: u8) -> Vec<Obstacle> {
        let program = self.env.program;
        let processes = &self.env.shapes.of(state).processes;
        let Some(&(process, base)) = processes.get(usize::from(pid)) else {
            return Vec::new();
        };
        let at = location(state, base, program.spec.location_bytes);
        let frame = Frame {
            pid,
            base,
            timeout: false,
        };
        let is_free = self.env.may_move(state, frame, true).unwrap_or(true);
        let halt = match is_free {
            true => None,
            false => Some(match self.env.is_provided(state, frame) {
                Ok(false) => "its `provided` clause is false",
                _ => "a process of higher priority can move",
            }),
        };
        let groups = &program.types[process.0 as usize].locations[usize::from(at)].groups;
        let mut found = Vec::new();
        let mut is_preempted = false;
        for &(start, end) in groups {
            let mut moved = false;
            for transition in &program.transitions[start as usize..end as usize] {
                let reason = match halt {
                    Some(reason) => Some(reason.to_string()),
                    None if is_preempted => Some("its `unless` part can be executed".to_string()),
                    None if matches!(transition.action, CompiledAction::Else) && moved => {
                        Some("another choice can be executed".to_string())
                    }
                    None if self.is_executable(state, transition, frame) => {
                        moved = true;
                        None
                    }
                    None => Some(self.reason(state, &transition.action, frame)),
                };
                let action = transition.info;
                found.extend(reason.map(|reason| Obstacle { action, reason }));
            }
            is_preempted |= moved;
        }
        found
    }

    /// Whether a transition can be executed, or meets an error where that is tried.
    fn is_executable(
        &mut self,
        state: &[u8],
        transition: &'p CompiledTransition,
        frame: Frame,
    ) -> bool {
        let mut out = Successors::new();
        self.prepare(&mut out);
        let step = Context::first(frame.pid, frame.timeout).step;
        let tried = self.attempt(state, transition, frame, step, 0, &mut out);
        self.chain.clear();
        tried.unwrap_or(true)
    }

    fn reason(&mut self, state: &[u8], action: &CompiledAction, frame: Frame) -> String {
        let text = match action {
            CompiledAction::Condition(_) => "the condition is false",
            CompiledAction::Send(send) => {
                match self.env.channel(send.channel, state, frame, send.span) {
                    Ok((_, target)) if target.kind.capacity == 0 => {
                        "nobody is ready to receive the message"
                    }
                    Ok((_, target)) => {
                        let capacity = target.kind.capacity;
                        return format!("the channel is full: it holds {capacity}");
                    }
                    Err(_) => "there is no such channel",
                }
            }
            CompiledAction::Receive(receive) => {
                let channel = self
                    .env
                    .channel(receive.channel, state, frame, receive.span);
                match channel {
                    Ok((_, source)) if source.kind.capacity == 0 => "nobody sends such a message",
                    Ok((_, source)) if source.len(state) == 0 => "the channel is empty",
                    Ok(_) => "no message in the channel fits",
                    Err(_) => "there is no such channel",
                }
            }
            CompiledAction::Create(_) => "there is no room for another process",
            CompiledAction::Die => "processes that were created later must end first",
            CompiledAction::Sequence(nodes) => {
                let first = nodes.first().map(|node| &node.action);
                let is_simple = |first: &&CompiledAction| {
                    !matches!(first, CompiledAction::Sequence(_) | CompiledAction::Skip)
                };
                if let Some(first) = first.filter(is_simple) {
                    return self.reason(state, first, frame);
                }
                "its first statement cannot be executed"
            }
            _ => "it cannot be executed",
        };
        text.to_string()
    }
}
