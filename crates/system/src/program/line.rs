//! Lines: the parts of an atomic stretch where each state has one successor.
//!
//! A loop inside of `atomic` is hundreds of states in between of which nobody sees any. Where the
//! statements of a location are conditions and assignments, it can be told without a copy of the
//! state which of them is executable; if it is one alone and control stays, it is executed on the
//! state itself. Whatever is not as plain as that is left to the general way: sends and receives,
//! choices, run-time errors in guards, the statement that ends the stretch.

use evenhand_source::budget::spend;

use super::chain::Pending;
use super::expand::{ProgramExplorer, Told};
use super::machine::{Frame, location, set_location};
use super::{CompiledAction, CompiledTransition, describe};
use crate::explicit::Successors;

/// After so many states of a line, and again after so many, limits are looked at.
const LOOK_AFTER: usize = 1 << 16;

/// How a line ended.
pub(super) enum LineEnd {
    /// In a state that is to be explored in the general way.
    Goes,
    /// With a run-time error.
    Ends,
    /// Where it was before.
    Back,
    /// Not yet, after more states than anybody can wait for.
    TooLong,
}

impl<'p> ProgramExplorer<'p> {
    /// Executes a stretch on `state` as long as there is no choice; its last record is that of the
    /// entry then.
    pub(super) fn run_on(
        &mut self,
        state: &mut Vec<u8>,
        taken: &mut [u64],
        pending: &mut Pending,
        out: &mut Successors,
    ) -> LineEnd {
        let program = self.env.program;
        let pid = pending.pid;
        let (process, base) = self.env.shapes.of(state).processes[usize::from(pid)];
        let compiled = &program.types[usize::from(process.0)];
        if program.spec.priorities || compiled.provided.is_some() {
            return LineEnd::Goes;
        }
        let frame = Frame {
            pid,
            base,
            timeout: false,
        };
        let bytes = program.spec.location_bytes;
        let mut at = location(state, base, bytes);
        let (most, _) = self.chain.line();
        let mut states = 0;
        let ended = loop {
            let Some((start, end)) = compiled.locations[usize::from(at)].plain else {
                break LineEnd::Goes;
            };
            let transitions = &program.transitions[start as usize..end as usize];
            let Some(only) = self.only(transitions, state, frame) else {
                break LineEnd::Goes;
            };
            let mut told = Told::default();
            let result = match &only.action {
                CompiledAction::Assign(code) => self.env.execute(*code, state, frame, 0),
                CompiledAction::Print(print) if self.records.is_some() => {
                    told.text(describe::print(&mut self.env, print, state, frame));
                    Ok(0)
                }
                _ => Ok(0),
            };
            pending.record = self.record_full(pending.record, only.info, pid, told);
            if let Err(fault) = result {
                out.push_fault(*fault, pending.step, pending.record);
                self.chain.end_line();
                break LineEnd::Ends;
            }
            self.executed[only.info.index()] = true;
            if !taken.is_empty() {
                self.items.begin(taken);
                self.items.add(pid.into(), only.info);
                taken.copy_from_slice(self.items.set());
            }
            at = only.target;
            set_location(state, base, bytes, at);
            if let Some(offset) = program.spec.last_pid {
                state[offset as usize] = pid;
            }
            states += 1;
            if states % LOOK_AFTER == 0 {
                spend();
            }
            if states > most {
                break LineEnd::TooLong;
            }
            if self.chain.line().1.is_back((at, pid), state, taken) {
                break LineEnd::Back;
            }
        };
        self.chain.passed(states);
        ended
    }

    /// The transition that alone is executable, if there is one and control stays.
    #[inline]
    fn only(
        &mut self,
        transitions: &'p [CompiledTransition],
        state: &[u8],
        frame: Frame,
    ) -> Option<&'p CompiledTransition> {
        let mut only: Option<&CompiledTransition> = None;
        for transition in transitions {
            let is_executable = match transition.action {
                CompiledAction::Condition(code) => self.env.value(code, state, frame).ok()? != 0,
                // A failed one is told in the general way.
                CompiledAction::Assert(code, _) => {
                    (self.env.value(code, state, frame).ok()? != 0).then_some(true)?
                }
                CompiledAction::Else => only.is_none(),
                _ => true,
            };
            if is_executable && only.replace(transition).is_some() {
                return None;
            }
        }
        only.filter(|transition| transition.atomic)
    }
}

/// Whether the statements of a location are as plain as lines need them.
pub(super) fn is_plain(transitions: &[CompiledTransition]) -> bool {
    transitions.iter().all(|transition| {
        matches!(
            transition.action,
            CompiledAction::Skip
                | CompiledAction::Else
                | CompiledAction::Condition(_)
                | CompiledAction::Assign(_)
                | CompiledAction::Assert(..)
                | CompiledAction::Print(_)
        )
    })
}
