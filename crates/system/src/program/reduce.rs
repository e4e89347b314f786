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

use super::Program;
use super::code::Op;
use super::dead::{Dead, dead_bytes};
use super::footprint::Assigned;
use super::machine::location;
use super::shape::{Shape, ShapeCache, shape_id};
use super::sticky::Edge;
use super::table::{Move, Status, Table, all_sticky};
use super::touch::Alike;
use crate::explicit::Successors;
use crate::fault::FaultKind;
use crate::ids::ProcessId;
use crate::reduce::choose::{Agent, MOST_AGENTS, choose};
use crate::reduce::{Choice, Chooser, Choosers, Reduced, Reduction, Sight};
use crate::relation::Refusal;
use crate::signature::ItemSpec;

/// What may be kept of all kinds of states together: so many transitions. States of further kinds are not
/// reduced.
const MOST_MOVES: usize = 1 << 18;

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
}

impl Choosers for ProgramChoosers<'_> {
    fn chooser<'a>(&'a self) -> Box<dyn Chooser + 'a> {
        Box::new(ProgramChooser {
            shared: self,
            shapes: ShapeCache::new(self.program),
            constants: Vec::new(),
            kinds: HashMap::new(),
            tables: Vec::new(),
            moves: 0,
            key: Vec::new(),
            current: 0,
            last: None,
            agents: Vec::new(),
            places: Vec::new(),
            statuses: Vec::new(),
        })
    }
}

struct ProgramChooser<'a> {
    shared: &'a ProgramChoosers<'a>,
    shapes: ShapeCache<'a>,
    /// For each shape, the bytes of local variables that no statement assigns.
    constants: Vec<Option<Arc<[usize]>>>,
    /// For each kind of states the number of its table: by shape and those bytes.
    kinds: HashMap<Box<[u8]>, usize>,
    tables: Vec<Table>,
    /// How many transitions these have.
    moves: usize,
    key: Vec<u8>,
    /// The table of the state whose candidates were asked for.
    current: usize,
    /// The kind that was asked for last.
    last: Option<(Box<[u8]>, usize)>,
    agents: Vec<Agent>,
    /// For each process, its place, and where the statuses of its transitions begin.
    places: Vec<(usize, usize)>,
    statuses: Vec<Status>,
}

impl Chooser for ProgramChooser<'_> {
    fn choose(&mut self, state: &[u8], all: &Successors, kept: &mut Vec<usize>) -> Choice {
        kept.clear();
        let shape = Arc::clone(self.shapes.of(state));
        let count = shape.processes.len();
        if all.is_empty() || count > MOST_AGENTS {
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
        self.places.clear();
        let Some(number) = self.table(state, &shape) else {
            return false;
        };
        let bytes = self.shared.program.spec.location_bytes;
        let table = &mut self.tables[number];
        for (process, &(_, base)) in shape.processes.iter().enumerate() {
            let at = location(state, base, bytes);
            self.places.push((table.place(process, usize::from(at)), 0));
        }
        self.current = number;
        let bound = self.shared.sight.pid_bound.unwrap_or(usize::MAX);
        if shape.processes.len() > bound {
            return true;
        }
        for (process, &(place, _)) in self.places.iter().enumerate() {
            if !table.is_quiet(place) {
                continue;
            }
            let mut moves = 0..table.moves(place).len();
            let clashes = moves.any(|one| {
                let mut others = self.places.iter().enumerate();
                others.any(|(other, &(at, _))| {
                    other != process && table.clashes((place, one), Status::Enabled, at)
                })
            });
            if !clashes {
                found.push(ProcessId::new(process));
            }
        }
        let mut places = self.places.iter();
        places.any(|&(place, _)| table.has_fit(place))
    }

    fn stands_alone(&mut self, process: ProcessId, steps: &Successors) -> bool {
        let table = &mut self.tables[self.current];
        let (place, _) = self.places[process.index()];
        for one in 0..table.moves(place).len() {
            let action = table.moves(place)[one].action;
            let same = table
                .moves(place)
                .iter()
                .filter(|m| m.action == action)
                .count();
            let mut indices = 0..steps.len();
            let is_enabled = indices.any(|index| steps.step(index).action == Some(action));
            let status = match (is_enabled, same) {
                (true, 1) => continue, // a candidate's
                (true, _) => Status::Either,
                (false, _) => Status::Disabled,
            };
            for (other, &(at, _)) in self.places.iter().enumerate() {
                if other != process.index() && table.clashes((place, one), status, at) {
                    return false;
                }
            }
        }
        let mut indices = 0..steps.len();
        indices.all(|index| steps.step(index).partner.is_none())
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
    /// The table for the kind of a state.
    fn table(&mut self, state: &[u8], shape: &Shape) -> Option<usize> {
        let id = usize::from(shape_id(state));
        let shared = self.shared;
        if self.constants.len() <= id {
            self.constants.resize(id + 1, None);
        }
        let constants = self.constants[id].get_or_insert_with(|| constants_of(shared, shape));
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
            None if self.moves >= MOST_MOVES => return None,
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
                self.moves += table.len();
                self.tables.push(table);
                self.kinds
                    .insert(self.key.clone().into(), self.tables.len() - 1);
                self.tables.len() - 1
            }
        };
        self.last = Some((self.key.clone().into(), number));
        Some(number)
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
        let bound = self.shared.sight.pid_bound.unwrap_or(usize::MAX);
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
            let count = table.moves(place).len();
            let mut clashes = 0;
            for (other, &(at, _)) in self.places.iter().enumerate() {
                if other == process {
                    continue;
                }
                let mut moves = 0..count;
                let clash =
                    moves.any(|one| table.clashes((place, one), self.statuses[first + one], at));
                clashes |= u64::from(clash) << other;
            }
            self.agents[process].clashes = clashes;
            self.agents[process].wakes = if is_blocked { clashes } else { 0 };
        }
    }
}

/// The bytes of local variables in a shape that no statement assigns.
fn constants_of(shared: &ProgramChoosers<'_>, shape: &Shape) -> Arc<[usize]> {
    let spec = &shared.program.spec;
    let mut found = Vec::new();
    for &(process, base) in &shape.processes {
        let len = spec.types[usize::from(process.0)].len;
        let bytes = spec.process_header()..len;
        let fixed = bytes.filter(|&at| shared.changed.leaves(process, at));
        found.extend(fixed.map(|at| (base + at) as usize));
    }
    found.into()
}
