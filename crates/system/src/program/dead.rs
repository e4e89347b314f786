//! Dead variables: what a process will not read again before it writes it.
//!
//! The usual analysis of live variables, backwards along the control flow of each process type: at a
//! location a byte is live if some transition out of it reads the byte, or does not surely write it and
//! leads to where it is live. What is not live makes no difference to anything that follows, so it can be
//! zero in a state that is kept: states that differ in dead variables alone are one.
//!
//! A byte is live everywhere if somebody else may read it: another process, or who asks (remote
//! references, claims to channels), or if it decides at all locations whether the process may move. What no
//! statement assigns is left as it is: by it, states are sorted (`reduce.rs`).

use std::collections::BTreeSet;

use super::expr::{Expr, TypeId};
use super::footprint::{Assigned, Halves, Walker};
use super::shape::Shape;
use super::{ProcessType, Program};
use crate::groups::Bytes;
use crate::reduce::Sight;

/// For each process type and location, the dead bytes by their offsets in the segment.
pub(super) type Dead = Vec<Vec<Box<[u32]>>>;

/// With more process types nothing is found out: processes of a shape are numbered by bytes.
const MOST_TYPES: usize = 120;

/// The dead bytes, for a question that sees no more than this.
pub(super) fn dead_bytes(program: &Program, assigned: &Assigned, sight: &Sight) -> Dead {
    let spec = &program.spec;
    if spec.types.len() > MOST_TYPES {
        let nothing = |process: &ProcessType| vec![Box::default(); process.locations.len()];
        return spec.types.iter().map(nothing).collect();
    }
    let changed = Assigned::by_statements(program);
    // Every type twice, so that each is somebody else for its own kind.
    let mut shape = Shape {
        parent: 0,
        processes: Vec::new(),
        channels: Vec::new(),
        len: spec.globals_len,
    };
    let types = (0..spec.types.len()).map(|number| TypeId(number as u16));
    for process in types.clone().chain(types) {
        shape.processes.push((process, shape.len));
        shape.len += spec.types[usize::from(process.0)].len;
    }
    let flow = Flow {
        program,
        assigned,
        changed: &changed,
        shape: &shape,
    };
    let seen = flow.seen_by_others(sight);
    let numbers = 0..spec.types.len();
    numbers.map(|number| flow.dead(number, &seen)).collect()
}

struct Flow<'a> {
    program: &'a Program,
    assigned: &'a Assigned,
    changed: &'a Assigned,
    shape: &'a Shape,
}

impl<'a> Flow<'a> {
    /// A walk of a process, or of nobody, that knows no values.
    fn walker(&self, process: Option<usize>) -> Walker<'a> {
        let mut walker = match process {
            Some(pid) => Walker::new(self.program, self.assigned, self.shape, pid as u8),
            None => Walker::of_nobody(self.program, self.assigned, self.shape),
        };
        // What holds for one number of a process need not hold for another.
        walker.pid = u8::MAX;
        walker.halves = Some(Halves {
            state: &[],
            changed: self.changed,
            sends: BTreeSet::new(),
            receives: BTreeSet::new(),
            meets: BTreeSet::new(),
            creates: BTreeSet::new(),
            time: false,
            asks_time: false,
        });
        walker
    }

    /// Bytes that are read by others than their own process, or at all of its locations.
    fn seen_by_others(&self, sight: &Sight) -> Bytes {
        let spec = &self.program.spec;
        let mut seen = Bytes::none(self.shape.len as usize);
        for (number, process) in spec.types.iter().enumerate() {
            let mut walker = self.walker(Some(number));
            let groups = process.locations.iter().flat_map(|l| &l.groups);
            groups
                .flatten()
                .for_each(|transition| walker.action(&transition.action));
            let mut own = Bytes::none(self.shape.len as usize);
            own.insert(walker.base..walker.base + process.len as usize);
            let mut read = walker.found.reads;
            read.remove(&own);
            seen.extend(&read);
            let mut always = self.walker(Some(number));
            let claims = process.exclusive.iter().map(|(channel, _)| channel);
            let everywhere: Vec<&Expr> = claims.chain(&process.provided).collect();
            everywhere.into_iter().for_each(|expr| always.expr(expr));
            seen.extend(&always.found.reads);
        }
        let mut asked = self.walker(None);
        for proposition in &sight.propositions {
            match self.program.conditions.get(proposition.0 as usize) {
                Some(condition) => asked.expr(condition),
                None => asked.read_all(),
            }
        }
        seen.extend(&asked.found.reads);
        seen
    }

    /// The dead bytes of a process type at each location.
    fn dead(&self, number: usize, seen: &Bytes) -> Vec<Box<[u32]>> {
        let process = &self.program.spec.types[number];
        let bases = [number, number + self.program.spec.types.len()];
        let bases = bases.map(|pid| self.shape.processes[pid].1 as usize);
        let none = || Bytes::none(self.shape.len as usize);
        // What each transition reads, and what it surely writes.
        let mut effects = Vec::new();
        for location in &process.locations {
            let mut list = Vec::new();
            for transition in location.groups.iter().flatten() {
                let mut walker = self.walker(Some(number));
                walker.action(&transition.action);
                let (reads, mut writes) = (walker.found.reads, walker.found.writes);
                writes.remove(&reads);
                list.push((transition.next(), reads, writes));
            }
            effects.push(list);
        }
        let mut live: Vec<Bytes> = effects.iter().map(|_| none()).collect();
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for at in (0..live.len()).rev() {
                let mut here = live[at].clone();
                for (target, reads, writes) in &effects[at] {
                    here.extend(reads);
                    if let Some(behind) = target.and_then(|to| live.get(to)) {
                        let mut behind = behind.clone();
                        behind.remove(writes);
                        here.extend(&behind);
                    }
                }
                is_stable &= here == live[at];
                live[at] = here;
            }
        }
        let header = self.program.spec.process_header();
        let is_dead = |live: &Bytes, offset: u32| {
            let at = offset as usize;
            !live.contains(bases[0] + at)
                && !bases.iter().any(|base| seen.contains(base + at))
                && !self.changed.leaves(TypeId(number as u16), offset)
        };
        let offsets = |live: &Bytes| {
            (header..process.len)
                .filter(|&o| is_dead(live, o))
                .collect()
        };
        live.iter().map(offsets).collect()
    }
}
