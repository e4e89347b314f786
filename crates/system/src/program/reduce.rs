//! Reductions of programs: agents are processes.
//!
//! States are sorted by their shape and by the values of local variables that no statement assigns
//! (parameters, mostly: channels and the numbers of processes). For each kind there is a table of what
//! touches what (`table.rs`); with it and with the steps that are enabled, `crate::reduce::choose`
//! decides.
//!
//! Nothing is reduced where a program asks for what every step changes: `_last`, priorities, `enabled`,
//! `pc_value`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Program;
use super::code::Op;
use super::dead::{Dead, dead_bytes};
use super::footprint::Assigned;
use super::machine::location;
use super::shape::{Shape, ShapeCache, shape_id};
use super::sticky::Edge;
use super::table::{Move, Rows, Status, Table, all_sticky, has};
use super::touch::Alike;
use crate::explicit::{Explorer, Successors};
use crate::fault::FaultKind;
use crate::ids::ProcessId;
use crate::reduce::choose::{Agent, Agents, MOST_AGENTS, choose, members};
use crate::reduce::{Choice, Chooser, Choosers, Reduced, Reduction, Sight};
use crate::relation::Refusal;
use crate::signature::ItemSpec;

/// States with more transitions of their processes are not reduced: their tables would take too long.
const MOST_OF_A_KIND: usize = 1 << 12;

/// What may be spent on tables: transitions, each times the words of a set of bytes. That takes about a second.
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
    gave_up: Arc<AtomicBool>,
}

impl ProgramChoosers<'_> {
    /// Fairness is about processes below this number alone.
    fn bound(&self) -> usize {
        self.sight.pid_bound.unwrap_or(usize::MAX)
    }
}

impl Choosers for ProgramChoosers<'_> {
    fn chooser<'a>(&'a self) -> Box<dyn Chooser + 'a> {
        Box::new(ProgramChooser {
            shared: self,
            shapes: ShapeCache::new(self.program),
            constants: Vec::new(),
            kinds: HashMap::new(),
            tables: Vec::new(),
            work: 0,
            key: Vec::new(),
            current: 0,
            last: None,
            agents: Vec::new(),
            places: Vec::new(),
            statuses: Vec::new(),
            row: Vec::new(),
            others: Successors::new(),
        })
    }

    fn gave_up(&self) -> &Arc<AtomicBool> {
        &self.gave_up
    }
}

/// The bytes of local variables in a shape that no statement assigns; none if the shape is too large.
type Constants = Option<Arc<[usize]>>;

struct ProgramChooser<'a> {
    shared: &'a ProgramChoosers<'a>,
    shapes: ShapeCache<'a>,
    /// For each shape, the bytes of local variables that no statement assigns.
    constants: Vec<Option<Constants>>,
    /// For each kind of states the number of its table: by shape and those bytes.
    kinds: HashMap<Box<[u8]>, usize>,
    tables: Vec<Table>,
    /// What was spent on them.
    work: usize,
    key: Vec<u8>,
    /// The table of the state whose candidates were asked for.
    current: usize,
    /// The kind that was asked for last.
    last: Option<(Box<[u8]>, usize)>,
    agents: Vec<Agent>,
    /// For each process, its place, and where the statuses of its transitions begin.
    places: Vec<(usize, usize)>,
    statuses: Vec<Status>,
    /// For work on a row of a table, and on the steps of other processes.
    row: Vec<u64>,
    others: Successors,
}

impl Chooser for ProgramChooser<'_> {
    fn choose(&mut self, state: &[u8], all: &Successors, kept: &mut Vec<usize>) -> Choice {
        kept.clear();
        let shape = Arc::clone(self.shapes.of(state));
        if all.is_empty() {
            return Choice::All;
        }
        let Some(number) = self.table(state, &shape) else {
            return Choice::All;
        };
        if !self.look(state, &shape, all, number) {
            return Choice::All;
        }
        let mut agents = self.agents.iter();
        if !agents.any(|agent| agent.fit && agent.steps > 0) {
            return Choice::All;
        }
        self.relate(number);
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
        let shape = Arc::clone(self.shapes.of(state));
        let Some(number) = self.locate(state, &shape) else {
            return false;
        };
        let table = &mut self.tables[number];
        if shape.processes.len() > self.shared.bound() {
            return true;
        }
        for (process, &(place, _)) in self.places.iter().enumerate() {
            if !table.is_quiet(place) {
                continue;
            }
            self.row.clear();
            self.row.extend_from_slice(table.row(place, Rows::Enabled));
            if clashing(table, &self.places, process, &self.row) == 0 {
                found.push(ProcessId::new(process));
            }
        }
        let mut places = self.places.iter();
        places.any(|&(place, _)| table.has_fit(place))
    }

    fn stands_alone(&mut self, process: ProcessId, steps: &Successors) -> bool {
        let table = &mut self.tables[self.current];
        let (place, _) = self.places[process.index()];
        self.row.clear();
        self.row.resize(table.words(), 0);
        for one in 0..table.moves(place).len() {
            let status = status_by(table.moves(place), one, steps);
            table.add_row((place, one), status, &mut self.row);
        }
        let mut indices = 0..steps.len();
        clashing(table, &self.places, process.index(), &self.row) == 0
            && indices.all(|index| steps.step(index).partner.is_none())
    }

    fn single(&mut self, state: &[u8], explorer: &mut dyn Explorer, out: &mut Successors) -> bool {
        let shape = Arc::clone(self.shapes.of(state));
        let Some(number) = self.locate(state, &shape) else {
            return false;
        };
        if shape.processes.len() > self.shared.bound() {
            return false;
        }
        // First those who clash with nobody for sure, in most cases with nobody at all.
        let table = &mut self.tables[number];
        let (mut likely, mut others): (Agents, Agents) = (0, 0);
        for (process, &(place, _)) in self.places.iter().enumerate() {
            if table.has_fit(place) {
                self.row.clear();
                self.row.extend_from_slice(table.row(place, Rows::Certain));
                match clashing(table, &self.places, process, &self.row) {
                    0 => likely |= 1 << process,
                    _ => others |= 1 << process,
                }
            }
        }
        let mut known = Known::default();
        for process in members(likely).chain(members(others)) {
            if known.blocked >> process & 1 == 1 {
                continue;
            }
            let table = &mut self.tables[number];
            self.row.clear();
            let certain = table.row(self.places[process].0, Rows::Certain);
            self.row.extend_from_slice(certain);
            // Whatever it can do, somebody else would have to be in the set, with a step.
            let mut moving = members(known.moving & !(1 << process));
            if moving.any(|other| has(&self.row, table.future(self.places[other].0))) {
                continue;
            }
            if !explorer.expand_process(state, ProcessId::new(process), out) {
                return false;
            }
            known.note(process, out);
            if out.len() == 1
                && out.faults().is_empty()
                && self.is_single(state, number, process, out, explorer, &mut known)
            {
                return true;
            }
        }
        false
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
    /// The table for the kind of a state. Whether there is one depends on the state alone.
    fn table(&mut self, state: &[u8], shape: &Shape) -> Option<usize> {
        let id = usize::from(shape_id(state));
        let shared = self.shared;
        if self.constants.len() <= id {
            self.constants.resize(id + 1, None);
        }
        let constants = self.constants[id].get_or_insert_with(|| constants_of(shared, shape));
        let constants = constants.as_ref()?;
        self.key.clear();
        self.key.extend_from_slice(&state[..2]);
        self.key.extend(constants.iter().map(|&at| state[at]));
        if let Some((key, number)) = &self.last
            && **key == *self.key
        {
            return Some(*number);
        }
        let number = match self.kinds.get(&*self.key) {
            Some(&number) => number,
            None if self.work >= MOST_WORK => {
                shared.gave_up.store(true, Ordering::Relaxed);
                return None;
            }
            None => {
                let alike = Alike {
                    program: shared.program,
                    shape,
                    state,
                    assigned: &shared.assigned,
                    changed: &shared.changed,
                    time: false,
                };
                let table = Table::new(alike, &shared.sight, &shared.sticky);
                self.work += table.len() * (1 + shape.len as usize / 64);
                self.tables.push(table);
                self.kinds
                    .insert(self.key.clone().into(), self.tables.len() - 1);
                self.tables.len() - 1
            }
        };
        self.last = Some((self.key.clone().into(), number));
        Some(number)
    }

    /// Finds the table of a state, and where its processes are.
    fn locate(&mut self, state: &[u8], shape: &Shape) -> Option<usize> {
        self.places.clear();
        let number = self.table(state, shape)?;
        let bytes = self.shared.program.spec.location_bytes;
        let table = &self.tables[number];
        for (process, &(_, base)) in shape.processes.iter().enumerate() {
            let at = location(state, base, bytes);
            self.places.push((table.place(process, usize::from(at)), 0));
        }
        self.current = number;
        Some(number)
    }

    /// Whether the only step that a process begins stands for all: whoever clashes with those who take part is
    /// blocked, and so is whoever clashes with these, and so on. Then none of these may be woken by somebody
    /// else, so this is what `choose` finds out, too.
    fn is_single(
        &mut self,
        state: &[u8],
        number: usize,
        process: usize,
        out: &Successors,
        explorer: &mut dyn Explorer,
        known: &mut Known,
    ) -> bool {
        let table = &mut self.tables[number];
        let step = out.step(0);
        let Some(action) = step.action.filter(|_| step.fault == 0) else {
            return false;
        };
        let place = self.places[process].0;
        let mut meant = table.moves(place).iter().filter(|m| m.action == action);
        if !meant.clone().all(|one| one.fit && !one.asks_time) || meant.next().is_none() {
            return false;
        }
        self.row.clear();
        self.row.resize(table.words(), 0);
        for one in 0..table.moves(place).len() {
            let status = status_by(table.moves(place), one, out);
            table.add_row((place, one), status, &mut self.row);
        }
        let mut set: Agents = 1 << process;
        let mut open = clashing(table, &self.places, process, &self.row);
        if let Some(partner) = step.partner {
            let partner = partner.index();
            let Some(&(place, _)) = self.places.get(partner) else {
                return false;
            };
            if !known.is_blocked(partner, state, explorer, &mut self.others) {
                return false;
            }
            // Which of its transitions takes part is not said.
            self.row.fill(0);
            for one in 0..table.moves(place).len() {
                let theirs = &table.moves(place)[one];
                if theirs.is_partner && (!theirs.fit || theirs.asks_time) {
                    return false;
                }
                let status = match theirs.is_partner {
                    true => Status::Either,
                    false => Status::Disabled,
                };
                table.add_row((place, one), status, &mut self.row);
            }
            open |= clashing(table, &self.places, partner, &self.row);
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
            self.row.clear();
            let blocked = table.row(self.places[other].0, Rows::Blocked);
            self.row.extend_from_slice(blocked);
            open |= clashing(table, &self.places, other, &self.row);
        }
    }

    /// Finds out who can do what; whether anything may be left out.
    fn look(&mut self, state: &[u8], shape: &Shape, all: &Successors, number: usize) -> bool {
        let program = self.shared.program;
        let table = &self.tables[number];
        self.agents.clear();
        self.places.clear();
        self.statuses.clear();
        for (process, &(_, base)) in shape.processes.iter().enumerate() {
            let at = location(state, base, program.spec.location_bytes);
            let place = table.place(process, usize::from(at));
            self.places.push((place, self.statuses.len()));
            let count = self.statuses.len() + table.moves(place).len();
            self.statuses.resize(count, Status::Disabled);
            self.agents.push(Agent {
                fit: true,
                ..Agent::default()
            });
        }
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
            let Some(&(place, first)) = self.places.get(process.index()) else {
                return false;
            };
            let agent = &mut self.agents[process.index()];
            agent.steps += 1;
            agent.fit &= step.fault == 0;
            let moves = table.moves(place);
            let meant = moves.iter().filter(|one| one.action == action).count();
            let times = |one: &Move| one.asks_time && one.action == action;
            if meant == 0 || moves.iter().any(times) {
                return false; // it may be enabled because nothing else was
            }
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
            let Some(&(place, first)) = self.places.get(partner.index()) else {
                return false;
            };
            // Which of its transitions takes part is not said.
            let agent = &mut self.agents[partner.index()];
            agent.steps += 1;
            agent.fit &= step.fault == 0;
            let moves = table.moves(place);
            if moves.iter().any(|one| one.is_partner && one.asks_time) {
                return false;
            }
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
    fn relate(&mut self, number: usize) {
        let table = &mut self.tables[number];
        for process in 0..self.agents.len() {
            let (place, first) = self.places[process];
            let is_blocked = self.agents[process].steps == 0;
            if !self.agents[process].fit && !is_blocked {
                continue; // in no set
            }
            self.row.clear();
            self.row.resize(table.words(), 0);
            for one in 0..table.moves(place).len() {
                table.add_row((place, one), self.statuses[first + one], &mut self.row);
            }
            let clashes = clashing(table, &self.places, process, &self.row);
            self.agents[process].clashes = clashes;
            self.agents[process].wakes = if is_blocked { clashes } else { 0 };
        }
    }
}

/// Which processes begin steps in a state, as far as somebody asked.
#[derive(Default)]
struct Known {
    moving: Agents,
    blocked: Agents,
}

impl Known {
    /// What is known of a process by the steps that it begins. One that meets an error is not blocked.
    fn note(&mut self, process: usize, steps: &Successors) {
        match steps.is_empty() && steps.faults().is_empty() {
            true => self.blocked |= 1 << process,
            false => self.moving |= 1 << process,
        }
    }

    /// Whether a process begins no step.
    fn is_blocked(
        &mut self,
        process: usize,
        state: &[u8],
        explorer: &mut dyn Explorer,
        steps: &mut Successors,
    ) -> bool {
        if (self.moving | self.blocked) >> process & 1 == 0 {
            if !explorer.expand_process(state, ProcessId::new(process), steps) {
                return false;
            }
            self.note(process, steps);
        }
        self.blocked >> process & 1 == 1
    }
}

/// The processes whose futures are in a row, without one.
#[inline]
fn clashing(table: &Table, places: &[(usize, usize)], without: usize, row: &[u64]) -> Agents {
    let mut found = 0;
    for (other, &(at, _)) in places.iter().enumerate() {
        found |= u64::from(has(row, table.future(at))) << other;
    }
    found & !(1 << without)
}

/// Whether a transition of a process is enabled, by the steps that the process begins.
fn status_by(moves: &[Move], one: usize, steps: &Successors) -> Status {
    let action = moves[one].action;
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
