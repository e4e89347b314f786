//! Transition groups of systems that nobody can look into.
//!
//! A Rust type says what follows a state, not what it looked at to know. So each process is a group
//! that reads and writes everything: the contract of [`crate::groups`] holds, and nothing can be
//! generalised from one state to another. A symbolic engine learns such a system at the price of
//! exploring it once for each process; what it can do afterwards is the same as for every other.
//!
//! States of the same length are of one layout. What goes wrong before a process has begun to move
//! belongs to a group of its own, which no process begins.

use crate::explicit::{Explicit, Explorer, Successors};
use crate::groups::{Bytes, Group, GroupExplorer, Groups, LayoutId};
use crate::ids::ProcessId;
use crate::model::{Foreign, Model};
use crate::signature::ItemSpec;

impl<M: Model> Groups for Foreign<M> {
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
        let processes = ProcessId::first(self.processes).map(Some);
        let group = |(number, process): (usize, Option<ProcessId>)| Group {
            layout: self.layout(state),
            number: number as u32,
            process,
            action: None,
            reads: all.clone(),
            writes: all.clone(),
            changes_layout: true,
        };
        processes.chain([None]).enumerate().map(group).collect()
    }

    fn expand_group(&mut self, group: &Group, state: &[u8], out: &mut Successors) {
        self.explorer.expand(state, &mut self.whole);
        out.restrict(&self.whole, |step| step.process == group.process);
    }
}
