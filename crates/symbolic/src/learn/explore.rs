//! Learning: reachable states and the relation of each transition group, together.
//!
//! **Problem.** A program says what follows a state, not what follows a set.
//!
//! **Idea.** What a group does depends on the bytes that it reads and changes only those that it
//! writes ([`evenhand_system::groups`]). So one question, asked of one state, is answered for all
//! states that agree with it there: the answer is added to the group's relation, over the bits of
//! what it reads now and of what it writes next. The reachable states grow by the relations known
//! so far; wherever a group sees a row of bytes for the first time it is asked; until nothing is
//! new. (Blom, van de Pol and Weber 2010 learn so in LTSmin.)
//!
//! A group's relation is kept in parts by the layout that a step leads to, since that decides which
//! bytes appear and disappear. Items that steps take are part of the relation, of the next state
//! alone: reachability forgets them, fairness does not.
//!
//! **Cost.** A question for each row of bytes that a group reads in reachable states: little if
//! groups are local, all states if a group reads everything.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use evenhand_system::explicit::FaultReport;
use evenhand_system::groups::{Bytes, Group, LayoutId};
use evenhand_system::{Explorer, Fairness, FaultKind, GroupExplorer, Groups, Successors};
use oxidd::VarNo;

use super::Halt;
use super::enumerate::{After, each};
use super::order::position_order;
use super::table::{ABSENT, LAYOUT, Literal, Position, TAKEN, Table, conjunction, levels};
use crate::engine::Options;
use crate::manager::{Manager, Outcome, Renaming, Set};
use crate::watch::{Stop, Watch};

/// So many states are looked at one by one, to guess an order and the values of bytes.
const SAMPLE: usize = 2000;
/// About how many levels to expect if these are all states, and if not.
const FEW_LEVELS: usize = 40;
const MANY_LEVELS: usize = 400;
/// So many rows are asked for before the next look at the set they come from.
const BATCH: usize = 5000;
/// More layouts are refused.
const MOST_LAYOUTS: usize = 2000;
/// Longer states are refused.
const MOST_BYTES: usize = 8000;
/// So many run-time errors are remembered.
const MOST_FAULTS: usize = 8;

/// A layout that was met.
pub(super) struct Layout {
    /// The length of its states.
    pub len: usize,
    /// A state of it.
    pub base: Vec<u8>,
}

/// The steps of a group that lead to one layout.
pub(super) struct Target {
    layout: usize,
    /// What they change, [`TAKEN`] left out.
    pub writes: Vec<Position>,
    /// Over what is read now, and what is written and taken next.
    pub relation: Set,
    ready: Option<Ready>,
}

/// What applying a relation takes.
struct Ready {
    /// The relation without what is taken.
    relation: Set,
    written: Set,
    to_now: Renaming,
}

/// A group and what was learned about it.
pub(super) struct Learned {
    pub group: Group,
    pub layout: usize,
    pub reads: Vec<Position>,
    /// For what was read so far.
    domain: Set,
    /// Where something goes wrong.
    pub faults: Set,
    /// Where a trace assertion is violated.
    pub traces: Set,
    /// Where it has so many successors, if any.
    pub degrees: BTreeMap<usize, Set>,
    /// The states that its steps were applied to.
    seen: Set,
    pub targets: Vec<Target>,
    /// All bits but those that are read.
    others: Option<Set>,
}

/// What was learned.
pub(super) struct Exploration<'s> {
    pub m: Manager,
    pub table: Table,
    pub layouts: Vec<Layout>,
    layout_of: HashMap<LayoutId, usize>,
    pub groups: Vec<Learned>,
    pub initial: Set,
    pub reached: Set,
    /// The sets of items that steps take, as numbered by [`TAKEN`].
    pub taken: Vec<Vec<u64>>,
    /// The items that matter.
    mask: Vec<u64>,
    pub faults: Vec<FaultReport>,
    /// How often a group was asked.
    pub questions: u64,
    pid_bound: usize,
    pub explorer: Box<dyn Explorer + 's>,
    pub grouped: Box<dyn GroupExplorer + 's>,
    out: Successors,
}

/// An answer of a group, in bytes.
struct Answer {
    row: Vec<u32>,
    /// Whether something goes wrong.
    failed: bool,
    /// Whether a trace assertion is violated.
    violates: bool,
    /// State and number of the set of items taken.
    successors: Vec<(Vec<u8>, u32)>,
}

impl<'s> Exploration<'s> {
    pub fn new(
        system: &'s dyn Groups,
        fairness: &Fairness,
        options: &Options,
    ) -> Result<Exploration<'s>, Halt> {
        use evenhand_system::AssumptionKind::{Strong, Weak};
        if !fairness.items.iter().all(|item| system.tells_enabled(item)) {
            let reason = "where an item of fairness is enabled is known to the system alone; \
                          relations that are learned do not say it";
            return Err(Halt::Stop(Stop::Refused(reason.into())));
        }
        let watch = Watch::new(
            options.time,
            options.interrupt.clone(),
            options.gauge.clone(),
        );
        let sample = Sample::new(system, &watch)?;
        let levels = match sample.states.len() {
            0..SAMPLE => FEW_LEVELS,
            _ => MANY_LEVELS,
        };
        // What was learned has its place too.
        let memory = (options.memory / 8 * 7, options.shared);
        let m = Manager::new(levels, memory, (options.sift, options.sift_share), watch)?;
        let mut mask = vec![0; fairness.items.len().div_ceil(64)];
        for assumption in &fairness.assumptions {
            if let Weak(item) | Strong(item) = assumption.kind {
                mask[item / 64] |= 1 << (item % 64);
            }
        }
        let no = m.no();
        let mut new = Exploration {
            table: Table::default(),
            layouts: Vec::new(),
            layout_of: HashMap::new(),
            groups: Vec::new(),
            initial: no.clone(),
            reached: no,
            taken: vec![vec![0; mask.len()]],
            mask,
            faults: Vec::new(),
            questions: 0,
            pid_bound: fairness.pid_bound.unwrap_or(usize::MAX),
            explorer: system.explorer(&[]),
            grouped: system.group_explorer(&fairness.items),
            out: Successors::new(),
            m,
        };
        new.begin(&sample)?;
        Ok(new)
    }

    /// Chooses an order, and takes the initial states as reached.
    fn begin(&mut self, sample: &Sample) -> Result<(), Halt> {
        let initial = &sample.states[..sample.initial];
        let sample = &sample.states;
        let longest = sample.iter().map(Vec::len).max().unwrap_or(0);
        self.table.lengthen(longest, false);
        for state in sample {
            self.meet(state)?;
        }
        self.table.prepare(TAKEN, std::iter::once(0));
        self.table.prepare(LAYOUT, 0..self.layouts.len() as u32);
        for at in 0..longest {
            let values: BTreeSet<u32> = sample.iter().map(|s| Table::byte_value(s, at)).collect();
            self.table
                .prepare(Position::of_byte(at), values.into_iter());
        }
        let edges: BTreeSet<Vec<Position>> = self.groups.iter().map(|g| edge(&g.group)).collect();
        for position in position_order(self.table.columns.len(), &edges) {
            self.table.allocate(&self.m, position)?;
        }
        for state in initial {
            let set = self.state_set(state)?;
            self.initial = self.m.or(&self.initial, &set)?;
        }
        self.reached = self.initial.clone();
        Ok(())
    }

    /// The layout of a state; its groups are added when it is met first.
    fn meet(&mut self, state: &[u8]) -> Result<usize, Halt> {
        let id = self.grouped.layout(state);
        if let Some(&known) = self.layout_of.get(&id) {
            return Ok(known);
        }
        if self.layouts.len() >= MOST_LAYOUTS {
            let reason = format!("the system has more than {MOST_LAYOUTS} layouts of states");
            return Err(Stop::Refused(reason).into());
        }
        if state.len() > MOST_BYTES {
            let reason = format!("a state has more than {MOST_BYTES} bytes");
            return Err(Stop::Refused(reason).into());
        }
        let layout = self.layouts.len();
        self.layout_of.insert(id, layout);
        self.layouts.push(Layout {
            len: state.len(),
            base: state.to_vec(),
        });
        self.table.lengthen(state.len(), true);
        let no = self.m.no();
        for group in self.grouped.groups(state) {
            self.groups.push(Learned {
                layout,
                reads: group.reads.iter().map(Position::of_byte).collect(),
                domain: no.clone(),
                faults: no.clone(),
                traces: no.clone(),
                degrees: BTreeMap::new(),
                seen: no.clone(),
                targets: Vec::new(),
                others: None,
                group,
            });
        }
        Ok(layout)
    }

    /// Gives a value a code. A new bit is 0 in everything that is known.
    fn intern(&mut self, at: Position, value: u32) -> Outcome<()> {
        let Some(bit) = self.table.intern(&self.m, at, value)? else {
            return Ok(());
        };
        let m = &self.m;
        let now = m.variable(bit.now)?;
        let next = m.variable(bit.next.unwrap_or(bit.now))?;
        if at != TAKEN {
            self.reached = m.minus(&self.reached, &now)?;
            self.initial = m.minus(&self.initial, &now)?;
        }
        for learned in &mut self.groups {
            learned.others = None;
            let is_read = at == LAYOUT || learned.reads.contains(&at);
            if is_read {
                learned.domain = m.minus(&learned.domain, &now)?;
                learned.faults = m.minus(&learned.faults, &now)?;
                learned.traces = m.minus(&learned.traces, &now)?;
                for rows in learned.degrees.values_mut() {
                    *rows = m.minus(rows, &now)?;
                }
            }
            if at != TAKEN {
                learned.seen = m.minus(&learned.seen, &now)?;
            }
            for target in &mut learned.targets {
                let is_written = at == TAKEN || target.writes.contains(&at);
                if is_read {
                    target.relation = m.minus(&target.relation, &now)?;
                }
                if is_written {
                    target.relation = m.minus(&target.relation, &next)?;
                }
                if is_read || is_written {
                    target.ready = None;
                }
            }
        }
        Ok(())
    }

    /// A state as a set; its values must have codes.
    fn state_set(&mut self, state: &[u8]) -> Result<Set, Halt> {
        let layout = self.meet(state)?;
        let mut literals = Vec::new();
        self.table
            .literals(LAYOUT, layout as u32, false, &mut literals);
        for position in self.table.positions() {
            if let Some(at) = position.byte() {
                let value = Table::byte_value(state, at);
                self.table.literals(position, value, false, &mut literals);
            }
        }
        let level = levels(&self.m);
        Ok(conjunction(&self.m, &mut literals, &level, self.m.yes())?)
    }

    /// The states of a layout.
    pub fn of_layout(&self, layout: usize) -> Outcome<Set> {
        if self.layouts.len() == 1 {
            return Ok(self.m.yes());
        }
        let mut literals = Vec::new();
        self.table
            .literals(LAYOUT, layout as u32, false, &mut literals);
        conjunction(&self.m, &mut literals, &levels(&self.m), self.m.yes())
    }

    /// Learns until nothing is new.
    pub fn run(&mut self) -> Result<(), Halt> {
        loop {
            self.m.round();
            let mut is_stable = true;
            let mut number = 0;
            // Groups are added on the way.
            while number < self.groups.len() {
                is_stable &= !self.advance(number)?;
                number += 1;
            }
            if is_stable {
                return Ok(());
            }
        }
    }

    /// Applies a group to the states that it has not seen; whether any state was new.
    fn advance(&mut self, number: usize) -> Result<bool, Halt> {
        let new = loop {
            let new = self.m.minus(&self.reached, &self.groups[number].seen)?;
            if self.m.is_empty(&new) {
                return Ok(false);
            }
            let new = self
                .m
                .and(&new, &self.of_layout(self.groups[number].layout)?)?;
            if self.m.is_empty(&new) || !self.learn(number, &new)? {
                break new;
            }
        };
        self.groups[number].seen = self.reached.clone();
        let mut reached = self.reached.clone();
        for at in 0..self.groups[number].targets.len() {
            let image = self.image(number, at, &new)?;
            reached = self.m.or(&reached, &image)?;
        }
        let grown = reached != self.reached;
        self.reached = reached;
        Ok(grown)
    }

    fn image(&mut self, number: usize, at: usize, set: &Set) -> Outcome<Set> {
        let m = &self.m;
        let target = &mut self.groups[number].targets[at];
        if target.ready.is_none() {
            let bits = self.table.bits(target.writes.iter().copied());
            let taken = self.table.bits([TAKEN]);
            let taken = cube(m, taken.iter().filter_map(|b| b.next))?;
            target.ready = Some(Ready {
                relation: m.exists(&target.relation, &taken)?,
                written: cube(m, bits.iter().map(|b| b.now))?,
                to_now: m.renaming(bits.iter().filter_map(|b| Some((b.next?, b.now))))?,
            });
        }
        let Some(ready) = &target.ready else {
            return Ok(m.no());
        };
        let image = m.and_exists(set, &ready.relation, &ready.written)?;
        m.rename(&image, &ready.to_now)
    }

    /// Asks a group about rows that it meets first in some states of its layout; whether there were
    /// any.
    fn learn(&mut self, number: usize, states: &Set) -> Result<bool, Halt> {
        let learned = &mut self.groups[number];
        let m = &self.m;
        if learned.others.is_none() {
            let reads: BTreeSet<Position> = learned.reads.iter().copied().collect();
            let others = self.table.positions().filter(|p| !reads.contains(p));
            let others = others.filter(|&p| p != LAYOUT && p != TAKEN);
            let bits = self.table.bits(others);
            learned.others = Some(cube(m, bits.iter().map(|b| b.now))?);
        }
        let others = learned.others.clone().unwrap_or_else(|| m.yes());
        let rows = m.minus(&m.exists(states, &others)?, &learned.domain)?;
        if m.is_empty(&rows) {
            return Ok(false);
        }
        let reads = learned.reads.clone();
        let rows = self.rows(&rows, &reads, BATCH)?;
        let mut answers = Vec::with_capacity(rows.len());
        for row in rows {
            answers.push(self.ask(number, &reads, row)?);
        }
        // All values have codes before the first set is built.
        for answer in &answers {
            for (state, taken) in &answer.successors {
                let layout = self.meet(state)?;
                self.intern(LAYOUT, layout as u32)?;
                self.intern(TAKEN, *taken)?;
                let at = self.target(number, layout);
                let writes = self.groups[number].targets[at].writes.clone();
                for position in writes {
                    if let Some(byte) = position.byte() {
                        self.intern(position, Table::byte_value(state, byte))?;
                    }
                }
            }
        }
        self.add(number, &reads, &answers)?;
        Ok(true)
    }

    /// Some elements of a set over positions (and a layout), as values.
    pub fn rows(&self, set: &Set, reads: &[Position], most: usize) -> Outcome<Vec<Vec<u32>>> {
        let bits = self.table.bits(reads.iter().copied().chain([LAYOUT]));
        let variables: Vec<VarNo> = bits.iter().map(|b| b.now).collect();
        let mut rows = Vec::new();
        each(&self.m, set, &variables, |values| {
            let mut values = values.iter();
            let row = reads.iter().map(|p| {
                let column = &self.table.columns[p.0];
                let mut code = 0;
                for place in 0..column.bits.len() {
                    code |= u32::from(values.next() == Some(&true)) << place;
                }
                column.value(code).unwrap_or(ABSENT)
            });
            rows.push(row.collect());
            match rows.len() >= most {
                true => After::Stop,
                false => After::GoOn,
            }
        });
        self.m.watch().look()?;
        Ok(rows)
    }

    /// A state of a layout with these values of some bytes.
    pub fn mixture(&self, layout: usize, reads: &[Position], row: &[u32]) -> Vec<u8> {
        let mut state = self.layouts[layout].base.clone();
        for (position, &value) in reads.iter().zip(row) {
            if let Some(byte) = position.byte().and_then(|at| state.get_mut(at)) {
                *byte = u8::try_from(value).unwrap_or(0);
            }
        }
        state
    }

    fn ask(&mut self, number: usize, reads: &[Position], row: Vec<u32>) -> Result<Answer, Halt> {
        self.m.watch().look()?;
        self.questions += 1;
        let learned = &self.groups[number];
        let state = self.mixture(learned.layout, reads, &row);
        self.grouped
            .expand_group(&learned.group, &state, &mut self.out);
        limits(&self.out)?;
        let is_trace = |r: &&FaultReport| matches!(r.fault.kind, FaultKind::Trace { .. });
        let faults = self.out.faults();
        for report in faults.iter().filter(|r| !is_trace(r)) {
            let is_new = self.faults.iter().all(|f| f.fault != report.fault);
            if is_new && self.faults.len() < MOST_FAULTS {
                self.faults.push(report.clone());
            }
        }
        let mut answer = Answer {
            row,
            failed: faults.iter().any(|r| !is_trace(&r)),
            violates: faults.iter().any(|r| is_trace(&r)),
            successors: Vec::new(),
        };
        for index in 0..self.out.len() {
            if self.out.step(index).is_beyond(self.pid_bound) {
                return Err(Halt::Processes);
            }
            let taken = self.out.taken(index).iter().zip(&self.mask);
            let taken: Vec<u64> = taken.map(|(set, mask)| set & mask).collect();
            let known = self.taken.iter().position(|set| *set == taken);
            let taken = known.unwrap_or_else(|| {
                self.taken.push(taken);
                self.taken.len() - 1
            });
            let state = self.out.state(index).to_vec();
            answer.successors.push((state, taken as u32));
        }
        Ok(answer)
    }

    /// The steps of a group that lead to a layout.
    fn target(&mut self, number: usize, layout: usize) -> usize {
        let learned = &mut self.groups[number];
        let known = learned.targets.iter().position(|t| t.layout == layout);
        if let Some(known) = known {
            return known;
        }
        let (from, to) = (self.layouts[learned.layout].len, self.layouts[layout].len);
        let (short, long) = (from.min(to), from.max(to));
        let kept = learned.group.writes.iter().filter(|&at| at < short);
        let mut writes: Vec<Position> = kept.chain(short..long).map(Position::of_byte).collect();
        if layout != learned.layout {
            writes.push(LAYOUT);
        }
        learned.targets.push(Target {
            layout,
            writes,
            relation: self.m.no(),
            ready: None,
        });
        learned.targets.len() - 1
    }

    /// Adds answers to the relations of a group.
    fn add(&mut self, number: usize, reads: &[Position], answers: &[Answer]) -> Outcome<()> {
        let m = &self.m;
        let level = levels(m);
        let learned = &mut self.groups[number];
        let mut domain = Vec::new();
        let (mut faults, mut traces) = (Vec::new(), Vec::new());
        let mut degrees: BTreeMap<usize, Vec<Set>> = BTreeMap::new();
        let mut steps: BTreeMap<usize, Vec<Set>> = BTreeMap::new();
        let mut literals: Vec<Literal> = Vec::new();
        for answer in answers {
            let row = |out: &mut Vec<Literal>| {
                out.clear();
                self.table
                    .literals(LAYOUT, learned.layout as u32, false, out);
                for (&position, &value) in reads.iter().zip(&answer.row) {
                    self.table.literals(position, value, false, out);
                }
            };
            row(&mut literals);
            let here = conjunction(m, &mut literals, &level, m.yes())?;
            domain.push(here.clone());
            if !answer.successors.is_empty() {
                let list = degrees.entry(answer.successors.len()).or_default();
                list.push(here.clone());
            }
            if answer.failed {
                faults.push(here.clone());
            }
            if answer.violates {
                traces.push(here);
            }
            for (state, taken) in &answer.successors {
                let layout = self.layout_of[&self.grouped.layout(state)];
                let at = learned.targets.iter().position(|t| t.layout == layout);
                let Some(at) = at else { continue };
                row(&mut literals);
                self.table.literals(TAKEN, *taken, true, &mut literals);
                for &position in &learned.targets[at].writes {
                    let value = match position.byte() {
                        Some(byte) => Table::byte_value(state, byte),
                        None => layout as u32,
                    };
                    self.table.literals(position, value, true, &mut literals);
                }
                let step = conjunction(m, &mut literals, &level, m.yes())?;
                steps.entry(at).or_default().push(step);
            }
        }
        learned.domain = m.or(&learned.domain, &union(m, domain)?)?;
        learned.faults = m.or(&learned.faults, &union(m, faults)?)?;
        learned.traces = m.or(&learned.traces, &union(m, traces)?)?;
        for (degree, list) in degrees {
            let rows = learned.degrees.entry(degree).or_insert_with(|| m.no());
            *rows = m.or(rows, &union(m, list)?)?;
        }
        for (at, list) in steps {
            let target = &mut learned.targets[at];
            target.relation = m.or(&target.relation, &union(m, list)?)?;
            target.ready = None;
        }
        Ok(())
    }
}

/// The first states in the order of a breadth-first search.
struct Sample {
    states: Vec<Vec<u8>>,
    /// So many of them are initial: the first ones.
    initial: usize,
}

impl Sample {
    fn new(system: &dyn Groups, watch: &Watch) -> Result<Sample, Halt> {
        let mut explorer = system.explorer(&[]);
        let mut out = Successors::new();
        explorer.initial(&mut out);
        limits(&out)?;
        if let (Some(report), true) = (out.faults().first(), system.ends_at_faults()) {
            return Err(Halt::Unknown(report.fault));
        }
        let mut states: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
        let initial = states.len();
        let mut seen: HashSet<Vec<u8>> = states.iter().cloned().collect();
        let mut at = 0;
        while at < states.len() && states.len() < SAMPLE {
            watch.look()?;
            explorer.expand(&states[at], &mut out);
            limits(&out)?;
            for index in 0..out.len() {
                if seen.insert(out.state(index).to_vec()) {
                    states.push(out.state(index).to_vec());
                }
            }
            at += 1;
        }
        Ok(Sample { states, initial })
    }
}

/// What a group reads or writes.
fn edge(group: &Group) -> Vec<Position> {
    let mut all: Bytes = group.reads.clone();
    all.extend(&group.writes);
    all.iter().map(Position::of_byte).collect()
}

/// What a system could not do is a limit.
fn limits(out: &Successors) -> Result<(), Halt> {
    use FaultKind::{Limit, LongAtomic, TooManyShapes, TooManySuccessors, TooManyTokens};
    let is_limit = |r: &&FaultReport| {
        let kind = r.fault.kind;
        matches!(
            kind,
            TooManyShapes | LongAtomic | TooManySuccessors | TooManyTokens | Limit(_)
        )
    };
    match out.faults().iter().find(is_limit) {
        Some(report) => Err(Halt::Limit(report.fault)),
        None => Ok(()),
    }
}

/// A set of variables, for quantifiers.
pub(super) fn cube(m: &Manager, variables: impl Iterator<Item = VarNo>) -> Outcome<Set> {
    let level = levels(m);
    let mut literals: Vec<Literal> = variables.map(|v| (v, true)).collect();
    conjunction(m, &mut literals, &level, m.yes())
}

/// A union, by halves.
pub(super) fn union(m: &Manager, mut sets: Vec<Set>) -> Outcome<Set> {
    while sets.len() > 1 {
        let mut half = Vec::with_capacity(sets.len().div_ceil(2));
        for pair in sets.chunks(2) {
            half.push(match pair {
                [one, two] => m.or(one, two)?,
                _ => pair[0].clone(),
            });
        }
        sets = half;
    }
    Ok(sets.pop().unwrap_or_else(|| m.no()))
}
