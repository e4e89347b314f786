//! From states that stand for others to a run of the specification.
//!
//! Under `SYMMETRY` or `VIEW` a search keeps one of many states that are the same. A path of such states is a run of the
//! specification only up to names, or up to what is seen. Here it is walked again without them: of the successors of the
//! state at hand the one is taken that the next state of the path stands for, best the next state itself. With a
//! symmetry of the specification there always is one; a view may hide what decides, so a few others are tried.

use evenhand_source::spend;
use evenhand_system::body::Lifted;
use evenhand_system::{Explorer, Successors};

use crate::body::{ModelBody, ModelExplorer};
use crate::machine::Machine;

/// So many states are tried altogether for each step of the path.
const TRIALS: usize = 200;

/// A run of the specification whose states these stand for, if one was found.
pub(crate) fn path(body: &ModelBody, path: &[Vec<u8>]) -> Option<Lifted> {
    let plain = body.with_plain(true);
    let model = &*body.model;
    let mut machine = Machine::new(&model.program, &model.globals, &model.names);
    machine.registers = model.registers.clone();
    let mut walker = Walker {
        explorer: plain.explorer_of(machine, &[]),
        trials: TRIALS.saturating_mul(path.len()),
    };
    let states = walker.walk(path);
    drop(walker);
    Some(Lifted {
        system: Box::new(plain),
        states: states?,
    })
}

struct Walker<'a> {
    explorer: ModelExplorer<'a>,
    trials: usize,
}

impl Walker<'_> {
    fn walk(&mut self, path: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
        let mut out = Successors::new();
        self.explorer.initial(&mut out);
        // For each position, the states that are still to be tried; the last of each list is the next.
        let mut open = vec![self.fitting(&out, path.first()?)];
        let mut run: Vec<Vec<u8>> = Vec::new();
        loop {
            let Some(state) = open.last_mut()?.pop() else {
                open.pop();
                run.pop()?;
                continue;
            };
            self.trials = self.trials.checked_sub(1)?;
            run.push(state);
            let Some(next) = path.get(run.len()) else {
                return Some(run);
            };
            self.explorer.expand(run.last()?, &mut out);
            open.push(self.fitting(&out, next));
        }
    }

    /// The states of a list for which a state stands, that state itself last.
    fn fitting(&mut self, out: &Successors, wanted: &[u8]) -> Vec<Vec<u8>> {
        let mut list: Vec<Vec<u8>> = Vec::new();
        for index in 0..out.len() {
            spend();
            let state = out.state(index);
            let is_known = list.iter().any(|known| known == state);
            if !is_known && self.explorer.representative(state).as_deref() == Some(wanted) {
                list.push(state.to_vec());
            }
        }
        list.reverse();
        if let Some(same) = list.iter().position(|state| state == wanted) {
            let same = list.remove(same);
            list.push(same);
        }
        list
    }
}
