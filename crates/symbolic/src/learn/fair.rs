//! Fairness and propositions over learned relations, as sets of states.
//!
//! An item of a process is enabled where some step takes it (a process that is not enabled as
//! partner: where it begins one), so the sets follow from the relations; an item that only the
//! system understands is refused. Whether it *was* taken is no property of a state of the system;
//! it is one of the row of positions, whose first says what the last step took. With it weak
//! fairness is the justice "disabled or just taken", strong fairness the pair (enabled, just
//! taken). The memory makes no difference to which runs there are.
//!
//! A proposition is learned like a group: it is evaluated once for each row of the bytes that it
//! reads.

use std::collections::{BTreeMap, HashMap};

use evenhand_system::groups::Group;
use evenhand_system::{AssumptionKind, Fairness, ItemSpec, ProcessId, PropositionId};

use super::Halt;
use super::explore::{Exploration, cube, union};
use super::table::{LAYOUT, Literal, Position, TAKEN, conjunction, levels};
use crate::coding::Bit;
use crate::feasible;
use crate::image::Piece;
use crate::manager::{Outcome, Set};

/// Rows of a proposition are evaluated in portions.
const PORTION: usize = 20_000;

/// Where a run may stay for ever without a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stays {
    Nowhere,
    AtEnds,
    Everywhere,
}

impl Exploration<'_> {
    /// The steps as pieces, one for each set of bytes that steps change; the last one stays where runs
    /// may, if that is wanted.
    pub fn pieces(&self, stays: Stays) -> Outcome<Vec<Piece>> {
        let m = &self.m;
        let mut merged: BTreeMap<Vec<Position>, Vec<Set>> = BTreeMap::new();
        for target in self.groups.iter().flat_map(|g| &g.targets) {
            let mut writes = target.writes.clone();
            writes.sort();
            let list = merged.entry(writes).or_default();
            list.push(target.relation.clone());
        }
        let mut pieces = Vec::new();
        for (writes, relations) in merged {
            pieces.push(self.piece(writes, vec![union(m, relations)?], pieces.len()));
        }
        let staying = match stays {
            Stays::Nowhere => m.no(),
            Stays::AtEnds => self.ends()?,
            Stays::Everywhere => self.reached.clone(),
        };
        if !m.is_empty(&staying) {
            let nothing = self.taken_set(|set| set.iter().all(|&word| word == 0), true)?;
            pieces.push(self.piece(Vec::new(), vec![staying, nothing], pieces.len()));
        }
        Ok(pieces)
    }

    fn piece(&self, mut changes: Vec<Position>, conjuncts: Vec<Set>, part: usize) -> Piece {
        changes.push(TAKEN);
        let changed = self.table.bits(changes.iter().copied());
        let kept: Vec<Bit> = self
            .table
            .bits(self.table.positions().filter(|p| !changes.contains(p)));
        Piece {
            conjuncts,
            after: Vec::new(),
            changed,
            kept,
            inputs: Vec::new(),
            part,
        }
    }

    /// Reachable states without a step and without a run-time error.
    pub fn ends(&self) -> Outcome<Set> {
        let mut alive = Vec::new();
        for learned in &self.groups {
            alive.push(learned.faults.clone());
            alive.push(learned.traces.clone());
        }
        alive.push(self.sources(None, None)?);
        self.m.minus(&self.reached, &union(&self.m, alive)?)
    }

    /// Where a process begins a step that takes something; where any does, if none is given.
    fn sources(&self, process: Option<ProcessId>, taken: Option<&Set>) -> Outcome<Set> {
        let m = &self.m;
        let mut all = Vec::new();
        let is_meant = |group: &Group| process.is_none() || group.process == process;
        for learned in self.groups.iter().filter(|g| is_meant(&g.group)) {
            for target in &learned.targets {
                let writes = target.writes.iter().copied().chain([TAKEN]);
                let bits = self.table.bits(writes);
                let next = cube(m, bits.iter().filter_map(|b| b.next))?;
                let yes = m.yes();
                let taken = taken.unwrap_or(&yes);
                all.push(m.and_exists(&target.relation, taken, &next)?);
            }
        }
        union(m, all)
    }

    /// The states whose last step took one of some sets of items.
    fn taken_set(&self, is_meant: impl Fn(&[u64]) -> bool, next: bool) -> Outcome<Set> {
        let m = &self.m;
        let level = levels(m);
        let mut all = Vec::new();
        for &value in self.table.columns[TAKEN.0].values() {
            let set = self.taken.get(value as usize);
            if set.is_some_and(|set| is_meant(set)) {
                let mut literals: Vec<Literal> = Vec::new();
                self.table.literals(TAKEN, value, next, &mut literals);
                all.push(conjunction(m, &mut literals, &level, m.yes())?);
            }
        }
        union(m, all)
    }

    /// The assumptions as sets of states.
    pub fn fairness(
        &self,
        fairness: &Fairness,
        propositions: &HashMap<PropositionId, Set>,
    ) -> Outcome<feasible::Fairness> {
        let m = &self.m;
        let mut found = feasible::Fairness::default();
        let of = |id: &PropositionId| propositions.get(id).cloned().unwrap_or_else(|| m.no());
        for assumption in &fairness.assumptions {
            match &assumption.kind {
                AssumptionKind::Weak(item) => {
                    let (enabled, taken) = self.item(fairness, *item)?;
                    found.justice.push(m.or(&m.not(&enabled)?, &taken)?);
                }
                AssumptionKind::Strong(item) => {
                    found.compassion.push(self.item(fairness, *item)?);
                }
                AssumptionKind::Justice(id) => found.justice.push(of(id)),
                AssumptionKind::Compassion { when, then } => {
                    found.compassion.push((of(when), of(then)));
                }
            }
        }
        Ok(found)
    }

    /// Where an item is enabled, and where it was just taken.
    fn item(&self, fairness: &Fairness, item: usize) -> Outcome<(Set, Set)> {
        let has = |set: &[u64]| {
            set.get(item / 64)
                .is_some_and(|w| w >> (item % 64) & 1 == 1)
        };
        let taken = self.taken_set(has, false)?;
        let enabled = match fairness.items.get(item) {
            Some(&ItemSpec::Process {
                pid,
                as_partner: false,
            }) => self.sources(Some(pid), None)?,
            _ => self.sources(None, Some(&self.taken_set(has, true)?))?,
        };
        Ok((enabled, taken))
    }

    /// All states of a layout with these values at some positions; `level` says where variables
    /// stand.
    pub fn row_set(
        &self,
        layout: usize,
        reads: &[Position],
        row: &[u32],
        level: &[usize],
    ) -> Outcome<Set> {
        let mut literals: Vec<Literal> = Vec::new();
        self.table
            .literals(LAYOUT, layout as u32, false, &mut literals);
        for (&position, &value) in reads.iter().zip(row) {
            self.table.literals(position, value, false, &mut literals);
        }
        conjunction(&self.m, &mut literals, level, self.m.yes())
    }

    /// The reachable states in which a proposition holds.
    pub fn proposition(&mut self, id: PropositionId) -> Result<Set, Halt> {
        let mut all = Vec::new();
        for layout in 0..self.layouts.len() {
            let base = self.layouts[layout].base.clone();
            let reads = self.grouped.proposition_reads(id, &base);
            let reads: Vec<Position> = reads.iter().map(Position::of_byte).collect();
            let states = self.m.and(&self.reached, &self.of_layout(layout)?)?;
            let others = self.table.positions();
            let others = others.filter(|p| *p != LAYOUT && !reads.contains(p));
            let bits = self.table.bits(others);
            let others = cube(&self.m, bits.iter().map(|b| b.now))?;
            let mut open = self.m.exists(&states, &others)?;
            while !self.m.is_empty(&open) {
                let rows = self.rows(&open, &reads, PORTION)?;
                let level = levels(&self.m);
                let (mut seen, mut holding) = (Vec::new(), Vec::new());
                for row in rows {
                    let state = self.mixture(layout, &reads, &row);
                    let holds = self.explorer.holds(id, &state);
                    let holds = holds.map_err(|fault| Halt::Proposition(id, fault))?;
                    let set = self.row_set(layout, &reads, &row, &level)?;
                    seen.push(set.clone());
                    if holds {
                        holding.push(set);
                    }
                }
                open = self.m.minus(&open, &union(&self.m, seen)?)?;
                all.push(union(&self.m, holding)?);
            }
        }
        Ok(union(&self.m, all)?)
    }
}
