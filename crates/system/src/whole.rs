//! Transition groups of systems that nobody can look into.
//!
//! A Rust type says what follows a state, not what it looked at to know. So each process is a group
//! that reads and writes everything: the contract of [`crate::groups`] holds, and nothing can be
//! generalised from one state to another. A symbolic engine learns such a system at the price of
//! exploring it once for each process; what it can do afterwards is the same as for every other.
//!
//! States of the same length are of one layout. What goes wrong before a process has begun to move
//! belongs to a group of its own, which no process begins.

use crate::explicit::{Explicit, Explorer, NO_PROCESS, Successors};
use crate::groups::{Bytes, Group, GroupExplorer, Groups, LayoutId};
use crate::model::{Foreign, Model};
use crate::signature::ItemSpec;

impl<M: Model + Sync> Groups for Foreign<M> {
    fn group_explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn GroupExplorer + 'a> {
        Box::new(WholeGroups {
            explorer: self.explorer(items),
            processes: self.signature().processes.len(),
            whole: Successors::new(),
        })
    }
}

struct WholeGroups<'a> {
    explorer: Box<dyn Explorer + 'a>,
    processes: usize,
    /// The successors by all processes.
    whole: Successors,
}

impl GroupExplorer for WholeGroups<'_> {
    fn layout(&self, state: &[u8]) -> LayoutId {
        LayoutId(state.len() as u32)
    }

    fn groups(&mut self, state: &[u8]) -> Vec<Group> {
        let mut all = Bytes::none(state.len());
        all.insert(0..state.len());
        // Processes are fewer than 255: that is checked where a model becomes a system.
        let processes = (0..self.processes as u8).chain([NO_PROCESS]);
        let group = |process: u8| Group {
            layout: self.layout(state),
            process,
            action: u32::MAX,
            reads: all.clone(),
            writes: all.clone(),
            changes_layout: true,
        };
        processes.map(group).collect()
    }

    fn expand_group(&mut self, group: &Group, state: &[u8], out: &mut Successors) {
        self.explorer.expand(state, &mut self.whole);
        out.clear();
        out.words = self.whole.words;
        // Faults are numbered anew.
        let mut numbers = vec![0; self.whole.faults.len() + 1];
        for (index, report) in self.whole.faults.iter().enumerate() {
            if report.step.process == group.process {
                out.faults.push(report.clone());
                numbers[index + 1] = out.faults.len() as u32;
            }
        }
        for index in 0..self.whole.len() {
            let mut step = self.whole.step(index);
            if step.process == group.process {
                step.fault = numbers[step.fault as usize];
                out.push(self.whole.state(index), step, self.whole.taken(index), 0);
            }
        }
        out.finish();
    }
}
