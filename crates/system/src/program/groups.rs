//! The transition groups of a program.
//!
//! A layout is a shape: which processes and channels there are. Its groups are the pairs of a
//! process and an action that can be the first of a step. What a group reads and writes is the
//! union over its transitions of
//!
//! - the control location, the `provided` clause, `_last` and the hidden variables,
//! - the statement itself (`footprint.rs`),
//! - what decides whether its turn comes: the alternatives in front of an `else`, and the
//!   statements of the escape in front of an `unless`,
//! - where the statement is inside an atomic sequence, every statement that the stretch can go on
//!   with.
//!
//! `timeout`, `enabled` and priorities depend on the whole state. A group is expanded by expanding
//! its process and keeping what belongs to the group; where the process waits for a `timeout`, by
//! expanding the whole state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::expand::ProgramExplorer;
use super::expr::{Action, Location};
use super::footprint::{Assigned, Footprint, Walker};
use super::shape::{Shape, ShapeCache, shape_id};
use super::{LocationSpec, Program, Transition};
use crate::explicit::Successors;
use crate::fairness::PropositionId;
use crate::groups::{Bytes, Group, GroupExplorer, Groups, LayoutId};
use crate::ids::{ActionId, ProcessId};
use crate::signature::ItemSpec;

impl Groups for Program {
    fn group_explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn GroupExplorer + 'a> {
        Box::new(ProgramGroups {
            program: self,
            assigned: Assigned::of(self),
            shapes: ShapeCache::new(self),
            explorer: ProgramExplorer::new(self, items),
            whole: Successors::new(),
        })
    }
}

struct ProgramGroups<'p> {
    program: &'p Program,
    assigned: Assigned,
    shapes: ShapeCache<'p>,
    explorer: ProgramExplorer<'p>,
    /// The successor list that a group's part is taken from.
    whole: Successors,
}

impl GroupExplorer for ProgramGroups<'_> {
    fn layout(&self, state: &[u8]) -> LayoutId {
        LayoutId(shape_id(state).into())
    }

    fn groups(&mut self, state: &[u8]) -> Vec<Group> {
        let layout = self.layout(state);
        let shape = Arc::clone(self.shapes.of(state));
        let mut groups = Vec::new();
        for pid in 0..shape.processes.len() {
            let found = self.groups_of(&shape, pid as u8);
            let first = groups.len();
            let found = (first..).zip(found);
            groups.extend(found.map(|(number, (action, footprint))| Group {
                layout,
                number: number as u32,
                process: Some(ProcessId::new(pid)),
                action: Some(action),
                reads: footprint.reads,
                writes: footprint.writes,
                changes_layout: footprint.resizes,
            }));
        }
        groups
    }

    fn expand_group(&mut self, group: &Group, state: &[u8], out: &mut Successors) {
        // Groups of a program have a process, whose number fits into a byte.
        let process = group.process.map_or(0, |process| process.number() as u8);
        self.explorer
            .expand_at_least(state, process, &mut self.whole);
        let mine = (group.process, group.action);
        out.restrict(&self.whole, |step| (step.process, step.action) == mine);
    }

    fn proposition_reads(&mut self, proposition: PropositionId, state: &[u8]) -> Bytes {
        let shape = Arc::clone(self.shapes.of(state));
        let mut walker = Walker::of_nobody(self.program, &self.assigned, &shape);
        match self.program.conditions.get(proposition.0 as usize) {
            Some(condition) => walker.expr(condition),
            None => walker.read_all(),
        }
        walker.found.reads
    }
}

impl ProgramGroups<'_> {
    /// For each action that a process can begin a step with, what its steps read and write.
    fn groups_of(&self, shape: &Shape, pid: u8) -> BTreeMap<ActionId, Footprint> {
        let (process, _) = shape.processes[usize::from(pid)];
        let locations = &self.program.spec.types[usize::from(process.0)].locations;
        let mut found: BTreeMap<ActionId, Footprint> = BTreeMap::new();
        for location in locations {
            for (number, group) in location.groups.iter().enumerate() {
                for transition in group {
                    let new = self.transition(shape, pid, location, number, transition);
                    match found.get_mut(&transition.info) {
                        None => {
                            found.insert(transition.info, new);
                        }
                        Some(old) => {
                            old.reads.extend(&new.reads);
                            old.writes.extend(&new.writes);
                            old.resizes |= new.resizes;
                            // What one of them writes the other may leave alone.
                            old.reads.extend(&old.writes);
                        }
                    }
                }
            }
        }
        found
    }

    fn transition(
        &self,
        shape: &Shape,
        pid: u8,
        location: &LocationSpec,
        number: usize,
        transition: &Transition,
    ) -> Footprint {
        let mut walker = Walker::new(self.program, &self.assigned, shape, pid);
        walker.action(&transition.action);
        // Alternatives whose executability decides: their writes do not happen, but to read what
        // they would write is on the safe side.
        let mut deciding = Walker::new(self.program, &self.assigned, shape, pid);
        let earlier = location.groups[..number].iter().flatten();
        earlier.for_each(|t| deciding.action(&t.action));
        if matches!(transition.action, Action::Else) {
            let others = location.groups[number].iter();
            others.for_each(|t| deciding.action(&t.action));
        }
        walker.found.reads.extend(&deciding.found.reads);
        if transition.atomic {
            self.stretch(&mut walker, transition.target);
        }
        self.every_step(&mut walker);
        walker.found
    }

    /// Every statement that an atomic stretch can go on with.
    fn stretch(&self, walker: &mut Walker<'_>, from: Location) {
        let locations = &self.program.spec.types[usize::from(walker.process.0)].locations;
        let mut seen = BTreeSet::from([from]);
        let mut queue = vec![from];
        while let Some(at) = queue.pop() {
            let Some(location) = locations.get(at.0 as usize) else {
                continue;
            };
            for transition in location.groups.iter().flatten() {
                walker.action(&transition.action);
                if transition.atomic && seen.insert(transition.target) {
                    queue.push(transition.target);
                }
            }
        }
        walker.writes_are_uncertain();
    }

    /// What every step of a process reads and writes.
    fn every_step(&self, walker: &mut Walker<'_>) {
        let spec = &self.program.spec;
        let location = walker.location_bytes(walker.base);
        walker.found.reads.insert(location.clone());
        walker.found.writes.insert(location);
        if let Some(provided) = &spec.types[usize::from(walker.process.0)].provided {
            walker.expr(provided);
        }
        if let Some(at) = spec.last_pid {
            walker.found.writes.insert(at as usize..at as usize + 1);
        }
        for (start, bytes) in &self.program.hidden {
            walker.found.writes.insert(*start..start + bytes.len());
        }
        if spec.priorities {
            walker.read_all();
        }
    }
}
