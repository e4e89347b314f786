//! Runs of a reduced system, step by step as the system itself makes them.
//!
//! A step of a reduced system is a chain of steps, and its states have forgotten what makes no difference any
//! more. To show a run, each step is looked for once more from the state that the system is really in: the
//! steps that are kept there, each followed along its chain until the state is the one that is asked for, but
//! for what is forgotten. States that differ in that alone have the same steps, so there is always one.
//!
//! Nothing of this is believed: whoever shows the run executes it.

use super::Lift;
use super::explorer::{LONGEST_CHAIN, ReducedExplorer};
use crate::explicit::{Explorer, Successors};

/// A step of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrolled {
    /// Where it leads.
    pub state: Vec<u8>,
    /// The fairness items that it takes; none if the run has ended and stays.
    pub taken: Vec<u64>,
}

/// Finds the steps of the system behind those of a reduced one.
pub struct Unroller<'a>(ReducedExplorer<'a>, Option<&'a dyn Lift>);

impl<'a> Unroller<'a> {
    pub(super) fn new(explorer: ReducedExplorer<'a>, lift: Option<&'a dyn Lift>) -> Unroller<'a> {
        Unroller(explorer, lift)
    }

    /// The initial state of the system that is a given one of the reduced system.
    pub fn initial(&mut self, to: &[u8]) -> Option<Vec<u8>> {
        let found = self.initial_here(to)?;
        match self.1 {
            None => Some(found),
            Some(lift) => {
                let state = lift.initial();
                (lift.down(&state)? == found).then_some(state)
            }
        }
    }

    fn initial_here(&mut self, to: &[u8]) -> Option<Vec<u8>> {
        let mut out = Successors::new();
        self.0.initial_of_all(&mut out);
        let mut states = (0..out.len()).map(|index| out.state(index).to_vec());
        states.find(|state| self.is_now(state, to))
    }

    /// The steps from a state of the system to one that is a given state of the reduced system, if they
    /// make a step of that one: of what is enabled and taken, it must be one that fits.
    pub fn step(
        &mut self,
        from: &[u8],
        to: &[u8],
        fits: &dyn Fn(&[u64], &[u64]) -> bool,
    ) -> Option<Vec<Unrolled>> {
        let Some(lift) = self.1 else {
            return self.step_here(from, to, fits);
        };
        let stays = |state: &[u8]| Unrolled {
            state: state.to_vec(),
            taken: Vec::new(),
        };
        if lift.is_end(from) {
            return Some(vec![stays(from)]);
        }
        let here = self.step_here(&lift.down(from)?, to, fits)?;
        let mut steps: Vec<Unrolled> = Vec::new();
        for step in here {
            let at = steps.last().map_or(from, |step| &step.state);
            let states = match lift.up(at, &step.state) {
                Some(states) => states,
                // The run ends, and will stay.
                None if lift.down(at)? == step.state => lift.settle(at)?,
                None => return None,
            };
            let taken = &step.taken;
            steps.extend(states.into_iter().map(|state| Unrolled {
                state,
                taken: taken.clone(),
            }));
        }
        Some(steps)
    }

    fn step_here(
        &mut self,
        from: &[u8],
        to: &[u8],
        fits: &dyn Fn(&[u64], &[u64]) -> bool,
    ) -> Option<Vec<Unrolled>> {
        let (mut all, mut link) = (Successors::new(), Successors::new());
        let kept = self.0.keep(from, &mut all);
        if all.is_empty() && all.faults().is_empty() && self.is_now(from, to) {
            return Some(vec![Unrolled {
                state: from.to_vec(),
                taken: Vec::new(),
            }]);
        }
        for index in kept {
            let mut taken = all.taken(index).to_vec();
            let mut steps = vec![step_of(&all, index)];
            for _ in 0..=LONGEST_CHAIN {
                let last = &steps[steps.len() - 1].state;
                if self.is_now(last, to) && fits(all.enabled(), &taken) {
                    return Some(steps);
                }
                if !self.0.has_chains() {
                    break;
                }
                if !self.0.is_link(last, &mut link) {
                    break;
                }
                let next = step_of(&link, 0);
                for (word, bits) in taken.iter_mut().zip(&next.taken) {
                    *word |= bits;
                }
                steps.push(next);
            }
        }
        None
    }

    /// The states of the system on a path of the reduced one.
    pub fn path(&mut self, path: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
        let mut found = vec![self.initial(path.first()?)?];
        for to in &path[1..] {
            let steps = self.step(found.last()?, to, &|_, _| true)?;
            found.extend(steps.into_iter().map(|step| step.state));
        }
        Some(found)
    }

    /// Goes on from a state of the system that is one of the reduced system where runs end to where those of the system do.
    pub fn settle(&mut self, path: &mut Vec<Vec<u8>>) -> Option<()> {
        if let (Some(lift), Some(last)) = (self.1, path.last()) {
            path.extend(lift.settle(last)?);
        }
        Some(())
    }

    /// Whether a run that comes to a state of the system ends there, where it must not.
    pub fn is_improper_end(&mut self, state: &[u8]) -> bool {
        if let Some(lift) = self.1 {
            let here = lift.down(state);
            return lift.is_end(state) && here.is_some_and(|here| !self.0.is_valid_end(&here));
        }
        let mut out = Successors::new();
        self.0.keep(state, &mut out);
        out.is_empty() && out.faults().is_empty() && !self.0.is_valid_end(state)
    }

    /// Whether a state of the system is one of the reduced system.
    fn is_now(&mut self, state: &[u8], to: &[u8]) -> bool {
        if state.len() != to.len() {
            return false;
        }
        let mut state = state.to_vec();
        self.0.forget(&mut state);
        state == to
    }
}

fn step_of(steps: &Successors, index: usize) -> Unrolled {
    Unrolled {
        state: steps.state(index).to_vec(),
        taken: steps.taken(index).to_vec(),
    }
}
