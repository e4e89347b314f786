//! Reductions of programs: agents are processes.
//!
//! States are sorted by their shape and by the values of local variables that no statement assigns
//! (parameters, mostly: channels and the numbers of processes). For each kind there is a table of what
//! touches what (`table.rs`); with it and with the steps that are enabled, `crate::reduce::choose`
//! decides.
//!
//! Nothing is reduced where a program asks for what every step changes: `_last`, priorities, `enabled`,
//! `pc_value`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::Program;
use super::code::Op;
use super::constellation::Constellation;
use super::dead::{Dead, dead_bytes};
use super::footprint::Assigned;
use super::machine::location;
use super::shape::{Shape, ShapeCache, shape_id};
use super::sticky::Edge;
use super::table::{Move, Status, Table, all_sticky};
use super::touch::Alike;
use crate::explicit::{Explorer, Successors};
use crate::fault::FaultKind;
use crate::ids::{ActionId, ProcessId};
use crate::reduce::choose::{Agent, Agents, MOST_AGENTS, choose, members};
use crate::reduce::{Choice, Chooser, Choosers, Reduced, Reduction, Sight};
use crate::relation::Refusal;
use crate::signature::ItemSpec;

/// States with more transitions of their processes are not reduced: their tables would take too long.
const MOST_OF_A_KIND: usize = 1 << 12;

/// What may be spent on the tables of the kinds of states that were decided about: transitions, each times the words of a
/// set of bytes. That takes about a second.
const MOST_WORK: usize = 1 << 20;

/// Of larger programs nothing is found out: so many transitions of all process types.
const MOST_TRANSITIONS: usize = 1 << 12;

impl Program {
    /// The program without steps that make no difference to who sees no more than this.
    pub(crate) fn reduce<'a>(
        &'a self,
        sight: &Sight,
        how: Reduction,
    ) -> Result<Reduced<'a>, Refusal> {
        if let Some(reason) = self.refuses(sight) {
            return Err(Refusal::new(reason));
        }
        let assigned = Assigned::of(self);
        let choosers = ProgramChoosers {
            program: self,
            sight: sight.clone(),
            dead: dead_bytes(self, &assigned, sight),
            assigned,
            changed: Assigned::by_statements(self),
            sticky: all_sticky(self),
            kinds: Mutex::default(),
            gave_up: Arc::default(),
        };
        Ok(Reduced::new(self, Box::new(choosers), how))
    }

    fn refuses(&self, sight: &Sight) -> Option<&'static str> {
        let mut ops = self.code.ops.iter();
        if self.spec.priorities {
            return Some("with priorities every step depends on all processes");
        }
        if self.spec.last_pid.is_some() {
            return Some("every step changes `_last`");
        }
        if ops.any(|op| matches!(op, Op::Enabled | Op::LocationOf | Op::PriorityOf)) {
            return Some("`enabled` and `pc_value` depend on all processes");
        }
        if self.transitions.len() > MOST_TRANSITIONS {
            return Some("the program is too large to find out what depends on what");
        }
        let own = |item: &ItemSpec| matches!(item, ItemSpec::Own(_));
        if sight.items.iter().any(own) {
            return Some("there is fairness that only the system understands");
        }
        None
    }
}

/// What all choosers share.
struct ProgramChoosers<'p> {
    program: &'p Program,
    sight: Sight,
    assigned: Assigned,
    changed: Assigned,
    sticky: Vec<BTreeSet<Edge>>,
    dead: Dead,
    /// The kinds of states that somebody has met.
    kinds: Mutex<Kinds>,
    gave_up: Arc<AtomicBool>,
}

/// Kinds of states that somebody has met, for all choosers. Each chooser makes tables of its own; whether that costs too much
/// is found out from the kinds that are settled, so that it does not depend on how many choosers there are.
#[derive(Default)]
struct Kinds {
    numbers: FxHashMap<Box<[u8]>, u32>,
    /// What the table of each costs, and whether whoever decides has come to it.
    all: Vec<(usize, bool)>,
    /// What those cost together to which that is so.
    work: usize,
}

impl ProgramChoosers<'_> {
    /// Fairness is about processes below this number alone.
    fn bound(&self) -> usize {
        self.sight.pid_bound.unwrap_or(usize::MAX)
    }

    fn kinds(&self) -> MutexGuard<'_, Kinds> {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Choosers for ProgramChoosers<'_> {
    fn chooser<'a>(&'a self) -> Box<dyn Chooser + 'a> {
        Box::new(ProgramChooser {
            shared: self,
            shapes: ShapeCache::new(self.program),
            known: Vec::new(),
            numbers: FxHashMap::default(),
            kinds: Vec::new(),
            met: Vec::new(),
            key: Vec::new(),
            at: 0,
            here: Constellation::default(),
            current: Vec::new(),
            agents: Vec::new(),
            firsts: Vec::new(),
            statuses: Vec::new(),
            others: Successors::new(),
        })
    }

    fn gave_up(&self) -> &Arc<AtomicBool> {
        &self.gave_up
    }

    fn settle(&self, met: &[u32]) -> bool {
        if met.is_empty() {
            return true;
        }
        let kinds = &mut *self.kinds();
        for &number in met {
            let Some((cost, is_settled)) = kinds.all.get_mut(number as usize) else {
                continue;
            };
            if *is_settled {
                continue;
            }
            if kinds.work >= MOST_WORK {
                self.gave_up.store(true, Ordering::Relaxed);
                return false;
            }
            *is_settled = true;
            kinds.work += *cost;
        }
        true
    }
}

/// The bytes of local variables in a shape that no statement assigns; none if the shape is too large.
type Constants = Option<Arc<[usize]>>;

/// What is known of a shape.
struct OfShape {
    constants: Constants,
    /// The kind of the state of this shape that was met last.
    last: Option<usize>,
}

/// States of one shape that agree in what no statement assigns.
struct Kind {
    shape: u16,
    /// The values of what no statement assigns.
    values: Box<[u8]>,
    /// Where the segments of processes begin.
    bases: Box<[u32]>,
    table: Table,
    /// Its number among those of all choosers, and whether it is known to be settled.
    number: u32,
    is_settled: bool,
}

struct ProgramChooser<'a> {
    shared: &'a ProgramChoosers<'a>,
    shapes: ShapeCache<'a>,
    /// What is known of each shape.
    known: Vec<Option<OfShape>>,
    /// The numbers of kinds: by shape, and by what no statement assigns.
    numbers: FxHashMap<Box<[u8]>, usize>,
    kinds: Vec<Kind>,
    /// Those that were met and are not settled, by their numbers among those of all choosers.
    met: Vec<u32>,
    key: Vec<u8>,
    /// The number of the kind of the state at hand, and where its processes are.
    at: usize,
    here: Constellation,
    /// The state that is at hand, if its candidates were asked for; empty if not.
    current: Vec<u8>,
    agents: Vec<Agent>,
    /// For each process, the number of its first transition among those of all; for each of these, how it stands.
    firsts: Vec<usize>,
    statuses: Vec<Status>,
    /// For work on the steps of other processes.
    others: Successors,
}

impl Chooser for ProgramChooser<'_> {
    fn choose(&mut self, state: &[u8], all: &Successors, kept: &mut Vec<usize>) -> Choice {
        kept.clear();
        if all.is_empty() {
            return Choice::All;
        }
        let is_located = self.current == state || self.locate(state);
        self.current.clear();
        if !is_located || !self.look(all) {
            return Choice::All;
        }
        let mut agents = self.agents.iter();
        if !agents.any(|agent| agent.fit && agent.steps > 0) {
            return Choice::All;
        }
        self.relate();
        let Some(set) = choose(&self.agents) else {
            return Choice::All;
        };
        let is_in = |process: ProcessId| set >> process.index() & 1 == 1;
        for index in 0..all.len() {
            let step = all.step(index);
            let begins = step.process.is_some_and(is_in);
            if step.partner.is_some_and(|partner| is_in(partner) != begins) {
                return Choice::All; // half a handshake: no set of agents should have it
            }
            if begins {
                kept.push(index);
            }
        }
        Choice::Some
    }

    fn candidates(&mut self, state: &[u8], found: &mut Vec<ProcessId>) -> bool {
        self.current.clear();
        if !self.locate(state) {
            return false;
        }
        self.current.extend_from_slice(state);
        if self.here.len() > self.shared.bound() {
            return true;
        }
        found.extend(members(self.here.alone()).map(ProcessId::new));
        self.here.has_tried()
    }

    fn stands_alone(&mut self, process: ProcessId, steps: &Successors) -> bool {
        let mut indices = 0..steps.len();
        self.clashing(process.index(), steps) == 0
            && indices.all(|index| steps.step(index).partner.is_none())
    }

    fn single(
        &mut self,
        state: &[u8],
        explorer: &mut dyn Explorer,
        is_stop: &mut dyn FnMut() -> bool,
        out: &mut Successors,
    ) -> bool {
        self.current.clear();
        if !self.locate(state) {
            return false;
        }
        let is_beyond = self.here.len() > self.shared.bound();
        if is_beyond || (self.here.alone() == 0 && is_stop()) {
            return false;
        }
        let mut known = Known::default();
        for process in self.here.tried() {
            let table = &self.kinds[self.at].table;
            if known.rules_out(table, &self.here, process, state, explorer) {
                continue;
            }
            if !explorer.expand_process(state, ProcessId::new(process), out) {
                return false;
            }
            known.note(process, out);
            if out.len() == 1
                && out.faults().is_empty()
                && self.is_single(state, process, out, explorer, &mut known)
            {
                return true;
            }
        }
        false
    }

    /// Whoever stands alone wherever the others are is tried first. If that is the process of the step before, no
    /// other comes before it: of those who stand alone, too, and are tried earlier, none had a single step, and that step
    /// changed neither where they are nor what they can do.
    fn goes_on(
        &mut self,
        state: &[u8],
        process: ProcessId,
        explorer: &mut dyn Explorer,
        out: &mut Successors,
    ) -> bool {
        let kind = &mut self.kinds[self.at];
        if shape_id(state) != kind.shape {
            return false;
        }
        let bytes = self.shared.program.spec.location_bytes;
        let at = u32::from(location(state, kind.bases[process.index()], bytes));
        let place = (kind.table.firsts()[process.index()] + at) as usize;
        kind.table.relate(place);
        kind.table.brief(place).solo
            && explorer.expand_process(state, process, out)
            && out.len() == 1
            && out.faults().is_empty()
            && out.step(0).fault == 0
            && out.step(0).action.is_some()
    }

    fn met(&mut self) -> Option<&mut Vec<u32>> {
        Some(&mut self.met)
    }

    fn forget(&mut self, state: &mut [u8]) {
        let bytes = self.shared.program.spec.location_bytes;
        for &(process, base) in &self.shapes.of(state).processes {
            let at = usize::from(location(state, base, bytes));
            for &offset in &*self.shared.dead[usize::from(process.0)][at] {
                state[(base + offset) as usize] = 0;
            }
        }
    }
}

impl ProgramChooser<'_> {
    /// The number of the kind of a state. Whether there is one depends on the state alone.
    fn kind(&mut self, state: &[u8]) -> Option<usize> {
        let number = self.find_kind(state)?;
        if !self.kinds[number].is_settled {
            self.meet(number);
        }
        Some(number)
    }

    /// A state was met of a kind that may not be settled.
    #[cold]
    fn meet(&mut self, number: usize) {
        let kind = &mut self.kinds[number];
        kind.is_settled = self.shared.kinds().all[kind.number as usize].1;
        if !kind.is_settled && !self.met.contains(&kind.number) {
            self.met.push(kind.number);
        }
    }

    fn find_kind(&mut self, state: &[u8]) -> Option<usize> {
        let id = usize::from(shape_id(state));
        let shared = self.shared;
        if self.known.len() <= id {
            self.known.resize_with(id + 1, || None);
        }
        let shapes = &mut self.shapes;
        let of_shape = self.known[id].get_or_insert_with(|| OfShape {
            constants: constants_of(shared, shapes.of(state)),
            last: None,
        });
        let constants = of_shape.constants.as_ref()?;
        if let Some(number) = of_shape.last {
            let mut values = constants.iter().zip(&*self.kinds[number].values);
            if values.all(|(&at, &value)| state[at] == value) {
                return Some(number);
            }
        }
        self.key.clear();
        self.key.extend_from_slice(&state[..2]);
        self.key.extend(constants.iter().map(|&at| state[at]));
        let number = match self.numbers.get(&*self.key) {
            Some(&number) => number,
            // Nothing counts any more.
            None if shared.gave_up.load(Ordering::Relaxed) => return None,
            None => {
                let shape = &**shapes.of(state);
                let alike = Alike {
                    program: shared.program,
                    shape,
                    state,
                    assigned: &shared.assigned,
                    changed: &shared.changed,
                    time: false,
                };
                let table = Table::new(alike, &shared.sight, &shared.sticky);
                let cost = table.len() * (1 + shape.len as usize / 64);
                let kinds = &mut *shared.kinds();
                let next = kinds.all.len() as u32;
                let own = *kinds
                    .numbers
                    .entry(self.key.as_slice().into())
                    .or_insert(next);
                if own == next {
                    kinds.all.push((cost, false));
                }
                self.kinds.push(Kind {
                    number: own,
                    is_settled: false,
                    shape: shape_id(state),
                    values: self.key[2..].into(),
                    bases: shape.processes.iter().map(|&(_, base)| base).collect(),
                    table,
                });
                let number = self.kinds.len() - 1;
                self.numbers.insert(self.key.as_slice().into(), number);
                number
            }
        };
        of_shape.last = Some(number);
        Some(number)
    }

    /// Finds out where the processes of a state are; whether anything is known of it.
    fn locate(&mut self, state: &[u8]) -> bool {
        let Some(number) = self.kind(state) else {
            return false;
        };
        self.at = number;
        let kind = &mut self.kinds[number];
        let bytes = self.shared.program.spec.location_bytes;
        let bases = kind.bases.iter();
        let locations = bases.map(|&base| u32::from(location(state, base, bytes)));
        self.here.look(&mut kind.table, locations);
        true
    }

    /// Whose futures clash with what a process can do now, by the steps that it begins.
    fn clashing(&mut self, process: usize, steps: &Successors) -> Agents {
        let table = &self.kinds[self.at].table;
        let moves = table.moves(self.here.place(process));
        let statuses = moves.iter().map(|one| status_by(moves, one.action, steps));
        self.here.clashing(table, process, statuses)
    }

    /// Whether the only step that a process begins stands for all: whoever clashes with those who take part is
    /// blocked, and so is whoever clashes with these, and so on. Then none of these may be woken by somebody
    /// else, so this is what `choose` finds out, too.
    fn is_single(
        &mut self,
        state: &[u8],
        process: usize,
        out: &Successors,
        explorer: &mut dyn Explorer,
        known: &mut Known,
    ) -> bool {
        let table = &self.kinds[self.at].table;
        let step = out.step(0);
        let Some(action) = step.action.filter(|_| step.fault == 0) else {
            return false;
        };
        let moves = table.moves(self.here.place(process));
        let mut meant = moves.iter().filter(|m| m.action == action);
        if !meant.clone().all(|one| one.fit && !one.asks_time) || meant.next().is_none() {
            return false;
        }
        let mut open = self.clashing(process, out);
        let (here, table) = (&self.here, &self.kinds[self.at].table);
        let mut set: Agents = 1 << process;
        if let Some(partner) = step.partner {
            let partner = partner.index();
            let Some(theirs) = here.partner(table, partner) else {
                return false;
            };
            if !known.is_blocked(partner, state, explorer, &mut self.others) {
                return false;
            }
            open |= theirs;
            set |= 1 << partner;
        }
        loop {
            open &= !set;
            // Who is known to move decides at once.
            if open & known.moving != 0 {
                return false;
            }
            let Some(other) = members(open).next() else {
                return true;
            };
            if !known.is_blocked(other, state, explorer, &mut self.others) {
                return false;
            }
            set |= 1 << other;
            open |= here.blocked(table, other);
        }
    }

    /// Finds out who can do what; whether anything may be left out.
    fn look(&mut self, all: &Successors) -> bool {
        let (here, table) = (&self.here, &self.kinds[self.at].table);
        self.firsts.clear();
        let mut count = 0;
        for process in 0..here.len() {
            self.firsts.push(count);
            count += table.moves(here.place(process)).len();
        }
        self.statuses.clear();
        self.statuses.resize(count, Status::Disabled);
        self.agents.clear();
        let able = Agent {
            fit: true,
            ..Agent::default()
        };
        self.agents.resize(here.len(), able);
        for report in all.faults() {
            // What the system could not do is for the search to know.
            if let FaultKind::TooManyShapes | FaultKind::LongAtomic | FaultKind::TooManySuccessors =
                report.fault.kind
            {
                return false;
            }
            for process in [report.step.process, report.step.partner] {
                if let Some(agent) = process.and_then(|p| self.agents.get_mut(p.index())) {
                    agent.fit = false;
                }
            }
            if report.step.process.is_none() {
                return false;
            }
        }
        let bound = self.shared.bound();
        for index in 0..all.len() {
            let step = all.step(index);
            let (Some(process), Some(action)) = (step.process, step.action) else {
                return false;
            };
            if step.is_beyond(bound) {
                return false;
            }
            let Some(agent) = self.agents.get_mut(process.index()) else {
                return false;
            };
            agent.steps += 1;
            agent.fit &= step.fault == 0;
            let moves = table.moves(here.place(process.index()));
            let meant = moves.iter().filter(|one| one.action == action).count();
            let times = |one: &Move| one.asks_time && one.action == action;
            if meant == 0 || moves.iter().any(times) {
                return false; // it may be enabled because nothing else was
            }
            let first = self.firsts[process.index()];
            for (one, status) in moves.iter().zip(&mut self.statuses[first..]) {
                if one.action == action {
                    agent.fit &= one.fit;
                    *status = match meant {
                        1 => Status::Enabled,
                        _ => Status::Either,
                    };
                }
            }
            let Some(partner) = step.partner else {
                continue;
            };
            // Which of its transitions takes part is not said.
            let Some(agent) = self.agents.get_mut(partner.index()) else {
                return false;
            };
            agent.steps += 1;
            agent.fit &= step.fault == 0;
            let moves = table.moves(here.place(partner.index()));
            if moves.iter().any(|one| one.is_partner && one.asks_time) {
                return false;
            }
            let first = self.firsts[partner.index()];
            for (one, status) in moves.iter().zip(&mut self.statuses[first..]) {
                if one.is_partner {
                    agent.fit &= one.fit;
                    *status = Status::Either;
                }
            }
        }
        true
    }

    /// Finds out who clashes with whom.
    fn relate(&mut self) {
        let (here, table) = (&mut self.here, &self.kinds[self.at].table);
        for (process, agent) in self.agents.iter_mut().enumerate() {
            if agent.steps == 0 {
                agent.clashes = here.blocked(table, process);
                agent.wakes = agent.clashes;
                continue;
            }
            if !agent.fit {
                continue; // in no set
            }
            let count = table.moves(here.place(process)).len();
            let own = &self.statuses[self.firsts[process]..][..count];
            agent.clashes = here.clashing(table, process, own.iter().copied());
        }
    }
}

/// Which processes begin steps in a state, as far as somebody asked.
#[derive(Default)]
struct Known {
    moving: Agents,
    blocked: Agents,
    /// Of whom it is not easily seen that they move.
    unsure: Agents,
}

impl Known {
    /// What is known of a process by the steps that it begins. One that meets an error is not blocked.
    fn note(&mut self, process: usize, steps: &Successors) {
        match steps.is_empty() && steps.faults().is_empty() {
            true => self.blocked |= 1 << process,
            false => self.moving |= 1 << process,
        }
    }

    /// Whether a process has no step that stands for all, as far as is easily seen: because it has none, or because
    /// somebody else would have to be in the set, with a step, whatever it can do.
    fn rules_out(
        &mut self,
        table: &Table,
        here: &Constellation,
        process: usize,
        state: &[u8],
        explorer: &mut dyn Explorer,
    ) -> bool {
        let own: Agents = 1 << process;
        let (mut set, mut open) = (own, here.certain(process));
        loop {
            let mut others = members(open & !own & !self.blocked);
            if others.any(|other| self.surely_moves(other, state, explorer)) {
                return true;
            }
            let Some(other) = members(open & self.blocked & !set).next() else {
                return self.blocked & own != 0;
            };
            set |= 1 << other;
            open |= here.blocked(table, other);
        }
    }

    /// Whether it is easily seen that a process begins a step.
    fn surely_moves(&mut self, process: usize, state: &[u8], explorer: &mut dyn Explorer) -> bool {
        if (self.moving | self.blocked | self.unsure) >> process & 1 == 0 {
            match explorer.surely_moves(state, ProcessId::new(process)) {
                true => self.moving |= 1 << process,
                false => self.unsure |= 1 << process,
            }
        }
        self.moving >> process & 1 == 1
    }

    /// Whether a process begins no step.
    fn is_blocked(
        &mut self,
        process: usize,
        state: &[u8],
        explorer: &mut dyn Explorer,
        steps: &mut Successors,
    ) -> bool {
        if self.surely_moves(process, state, explorer) {
            return false;
        }
        if self.blocked >> process & 1 == 0 {
            if !explorer.expand_process(state, ProcessId::new(process), steps) {
                return false;
            }
            self.note(process, steps);
        }
        self.blocked >> process & 1 == 1
    }
}

/// Whether a transition of a process is enabled, by its action and by the steps that the process begins.
fn status_by(moves: &[Move], action: ActionId, steps: &Successors) -> Status {
    let mut indices = 0..steps.len();
    if !indices.any(|index| steps.step(index).action == Some(action)) {
        return Status::Disabled;
    }
    match moves.iter().filter(|m| m.action == action).count() {
        1 => Status::Enabled,
        _ => Status::Either,
    }
}

/// The bytes of local variables in a shape that no statement assigns; none if the shape is too large to know
/// who clashes with whom.
fn constants_of(shared: &ProgramChoosers<'_>, shape: &Shape) -> Constants {
    let spec = &shared.program.spec;
    let mut found = Vec::new();
    let mut transitions = 0;
    for &(process, base) in &shape.processes {
        let process_type = &spec.types[usize::from(process.0)];
        let bytes = spec.process_header()..process_type.len;
        let fixed = bytes.filter(|&at| shared.changed.leaves(process, at));
        found.extend(fixed.map(|at| (base + at) as usize));
        let groups = process_type.locations.iter().flat_map(|l| &l.groups);
        transitions += groups.map(Vec::len).sum::<usize>();
    }
    let is_small = shape.processes.len() <= MOST_AGENTS && transitions <= MOST_OF_A_KIND;
    is_small.then(|| found.into())
}
