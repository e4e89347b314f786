//! Systems that are given by code on the symbolic engine.
//!
//! **Problem.** A program, or any system that can only be asked for the successors of a state, has
//! no constraints that could be written down as diagrams.
//!
//! **Idea.** Its steps come in groups that read few bytes and write few
//! ([`evenhand_system::Groups`]). [`explore`] learns a relation for each group from single
//! questions while it computes the reachable states; [`fair`] turns fairness assumptions and
//! propositions into sets. What comes out is a system in pieces like every other, so that FEASIBLE,
//! testers and CTL* work on it unchanged; runs are handed back as the bytes they consist of.
//!
//! **Limits.** All reachable states are computed before the first question is answered. A system
//! with more than 2000 layouts, states longer than 8000 bytes or more than 4000 bits is refused.
//! Propositions that have no value in some reachable state end the work, whether or not a run that
//! breaks a property comes by.

mod census;
mod enumerate;
mod explore;
mod fair;
mod order;
mod safety;
mod table;

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_automata::Automaton;
use evenhand_logic::{AtomId, FormulaId, Formulas};
use evenhand_system::explicit::FaultReport;
use evenhand_system::relation::{Relation, Role, Sort, Variable};
use evenhand_system::{AssumptionKind, Fairness, Fault, FinishedRuns, Groups, PropositionId};

pub use self::census::census;
use self::explore::Exploration;
use self::fair::Stays;
pub use self::safety::{Path, Safety, Wrong, safety};
use self::table::{TAKEN, Table};
use crate::answer::{Count, Run, Statistics};
use crate::coding::{Coded, Coding};
use crate::compassion::CompassionAs;
use crate::engine::{Options, Symbolic};
use crate::partition::System;
use crate::watch::{Gauge, Stop};

/// Why there is no answer about a learned system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A limit of the engine.
    Stop(Stop),
    /// The system could not say what follows a state.
    Limit(Fault),
    /// A process moves that fairness was not set up for: ask again with a larger bound.
    Processes,
    /// A proposition has no value in some reachable state.
    Proposition(PropositionId, Fault),
    /// A step has no value, and what other steps there are then is not known.
    Unknown(Fault),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

impl std::fmt::Display for Halt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Halt::Stop(stop) => stop.fmt(f),
            Halt::Limit(fault) => fault.kind.fmt(f),
            Halt::Processes => f.write_str("more processes than fairness was set up for"),
            Halt::Unknown(fault) => write!(
                f,
                "a step has no value in some state, and nobody knows what comes there: {}",
                fault.kind
            ),
            Halt::Proposition(_, fault) => write!(
                f,
                "an expression of the property has no value in some state: {}",
                fault.kind
            ),
        }
    }
}

impl std::error::Error for Halt {}

/// A run of a learned system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteRun {
    /// The packed states.
    pub states: Vec<Vec<u8>>,
    /// For each step the items that it takes, in ascending order; the last step of a lasso goes
    /// back. Only items that an assumption is about are listed.
    pub taken: Vec<Vec<usize>>,
    /// The position to which the step out of the last one returns; none for a finite run.
    pub turn: Option<usize>,
}

/// The answer to a question about a learned system.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteAnswer {
    /// Whether the property holds.
    pub holds: bool,
    /// A run that shows that it does not; for `feasible` and for `E` formulas, that it does.
    pub run: Option<ByteRun>,
    /// Whether all final sets were held against their equations.
    pub solved: bool,
    /// How much was done.
    pub statistics: Statistics,
}

/// How much learning took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lessons {
    /// How often a group was asked.
    pub questions: u64,
    /// The groups of all layouts.
    pub groups: usize,
    /// The layouts.
    pub layouts: usize,
    /// Rounds of the fixpoint.
    pub rounds: u64,
}

/// A system on the symbolic engine, by relations that were learned.
pub struct Learned {
    engine: Symbolic,
    table: Table,
    /// The lengths of the states of each layout.
    lengths: Vec<usize>,
    taken: Vec<Vec<u64>>,
    faults: Vec<FaultReport>,
    lessons: Lessons,
}

impl Learned {
    /// Learns a system, with everything that questions under these assumptions and about these
    /// propositions need. If `stay`, a run that has ended stays where it is for ever; otherwise
    /// only infinite runs count.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn new(
        system: &dyn Groups,
        fairness: &Fairness,
        propositions: &[PropositionId],
        stay: bool,
        options: Options,
    ) -> Result<Learned, Halt> {
        let mut explored = Exploration::new(system, fairness, &options)?;
        explored.run()?;
        // Behind an error nobody knows which of the steps that were learned are there.
        if let (Some(report), true) = (explored.faults.first(), system.ends_at_faults()) {
            return Err(Halt::Unknown(report.fault));
        }
        let mut sets = HashMap::new();
        for id in asked(fairness, propositions) {
            sets.insert(id, explored.proposition(id)?);
        }
        let conditions = explored.fairness(fairness, &sets)?;
        let everywhere = system.finished_runs() == FinishedRuns::Everywhere;
        let stays = match (stay, everywhere) {
            (false, _) => Stays::Nowhere,
            (true, false) => Stays::AtEnds,
            (true, true) => Stays::Everywhere,
        };
        let pieces = explored.pieces(stays)?;
        let lessons = Lessons {
            questions: explored.questions,
            groups: explored.groups.len(),
            layouts: explored.layouts.len(),
            rounds: explored.m.rounds(),
        };
        let lengths = explored.layouts.iter().map(|l| l.len).collect();
        let Exploration {
            m,
            table,
            taken,
            faults,
            initial,
            reached,
            ..
        } = explored;
        let (relation, coding) = shell(&table);
        let mut nothing = Vec::new();
        table.literals(TAKEN, 0, false, &mut nothing);
        let init = table::conjunction(&m, &mut nothing, &table::levels(&m), initial)?;
        let system = System {
            states: reached.clone(),
            init,
            pieces,
            faults: Vec::new(),
            initial_faults: m.no(),
        };
        let is_complete = options.compassion != CompassionAs::Justice;
        let mut engine =
            Symbolic::assemble(m, relation, coding, system, (conditions, sets), options)?;
        if is_complete {
            engine.model.reached = Some(reached);
        }
        Ok(Learned {
            engine,
            table,
            lengths,
            taken,
            faults,
            lessons,
        })
    }

    /// Where others can see how far the work is.
    pub fn gauge(&self) -> Arc<Gauge> {
        self.engine.gauge()
    }

    /// The number of reachable states.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn reachable(&mut self) -> Result<Count, Halt> {
        Ok(self.engine.reachable()?.states)
    }

    /// Run-time errors that reachable states meet, each kind and place once; the first few.
    pub fn faults(&self) -> &[FaultReport] {
        &self.faults
    }

    /// How much learning took.
    pub fn lessons(&self) -> Lessons {
        self.lessons
    }

    /// How much was done so far.
    pub fn statistics(&self) -> Statistics {
        self.engine.statistics()
    }

    /// Whether all fair runs satisfy a formula of linear time, past operators included.
    ///
    /// # Errors
    /// As [`Symbolic::ltl`]; the propositions must be among those that were learned.
    pub fn ltl(
        &mut self,
        store: &Formulas,
        formula: FormulaId,
        proposition: &dyn Fn(AtomId) -> Option<PropositionId>,
    ) -> Result<ByteAnswer, Halt> {
        let answer = self.engine.ltl(store, formula, proposition)?;
        self.told(answer)
    }

    /// Whether all initial states satisfy a formula of CTL*.
    ///
    /// # Errors
    /// As [`Symbolic::ctl_star`]; the propositions must be among those that were learned.
    pub fn ctl_star(
        &mut self,
        store: &Formulas,
        formula: FormulaId,
        proposition: &dyn Fn(AtomId) -> Option<PropositionId>,
    ) -> Result<ByteAnswer, Halt> {
        let answer = self.engine.ctl_star(store, formula, proposition)?;
        self.told(answer)
    }

    /// Whether an automaton of bad runs accepts no fair run; if it accepts some, with one of them.
    ///
    /// # Errors
    /// As [`Symbolic::automaton`]; the propositions must be among those that were learned.
    pub fn automaton(
        &mut self,
        automaton: &Automaton,
        propositions: &[PropositionId],
    ) -> Result<ByteAnswer, Halt> {
        let answer = self.engine.automaton(automaton, propositions)?;
        self.told(answer)
    }

    /// Whether all reachable states satisfy a proposition; if not, with a shortest path.
    ///
    /// # Errors
    /// If a limit is reached, or the proposition was not learned.
    pub fn invariant(&mut self, proposition: PropositionId) -> Result<ByteAnswer, Halt> {
        let answer = self.engine.invariant(proposition)?;
        self.told(answer)
    }

    /// Whether there is a fair run; then with one.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn feasible(&mut self) -> Result<ByteAnswer, Halt> {
        let answer = self.engine.feasible()?;
        self.told(answer)
    }

    fn told(&self, answer: crate::answer::Answer) -> Result<ByteAnswer, Halt> {
        Ok(ByteAnswer {
            holds: answer.holds,
            run: answer.run.map(|run| self.bytes(&run)).transpose()?,
            solved: answer.solved,
            statistics: answer.statistics,
        })
    }

    /// A run in bytes.
    fn bytes(&self, run: &Run) -> Result<ByteRun, Halt> {
        let mut told = ByteRun {
            turn: run.turn,
            ..ByteRun::default()
        };
        let mut entered = Vec::new();
        for state in &run.states {
            let (bytes, taken) = self.state(state).ok_or_else(|| {
                Stop::Refused("a state of a run does not exist: please report".into())
            })?;
            told.states.push(bytes);
            entered.push(taken);
        }
        // A state remembers what the step into it took.
        let back = run.turn.and_then(|turn| entered.get(turn).cloned());
        told.taken = entered.into_iter().skip(1).chain(back).collect();
        Ok(told)
    }

    /// The bytes of a state and the items taken on the way in, from codes.
    fn state(&self, codes: &[i64]) -> Option<(Vec<u8>, Vec<usize>)> {
        let mut values = Vec::with_capacity(codes.len());
        for (column, &code) in self.table.columns.iter().zip(codes) {
            values.push(column.value(u32::try_from(code).ok()?)?);
        }
        let len = *self.lengths.get(*values.get(1)? as usize)?;
        let bytes = values.get(2..2 + len)?;
        let bytes: Option<Vec<u8>> = bytes.iter().map(|&v| u8::try_from(v).ok()).collect();
        let set = self.taken.get(*values.first()? as usize)?;
        let items = (0..64 * set.len()).filter(|i| set[i / 64] >> (i % 64) & 1 == 1);
        Some((bytes?, items.collect()))
    }
}

/// All propositions that must be learned, each once.
fn asked(fairness: &Fairness, propositions: &[PropositionId]) -> Vec<PropositionId> {
    let mut list = propositions.to_vec();
    for assumption in &fairness.assumptions {
        match assumption.kind {
            AssumptionKind::Justice(id) => list.push(id),
            AssumptionKind::Compassion { when, then } => list.extend([when, then]),
            AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => {}
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// The positions as variables of a relation that says nothing else: their values are codes. What
/// was taken belongs to states, but is not counted.
fn shell(table: &Table) -> (Relation, Coding) {
    let mut relation = Relation {
        name: "learned".into(),
        ..Relation::default()
    };
    let mut coding = Coding {
        variables: Vec::new(),
        state_bits: 0,
    };
    for (position, column) in table.positions().zip(&table.columns) {
        let sort = Sort::Range(0, column.values().len().max(1) as i64 - 1);
        let name = match position.byte() {
            Some(byte) => format!("byte {byte}"),
            None if position == TAKEN => "taken".to_string(),
            None => "layout".to_string(),
        };
        let mut variable = Variable::new(name, sort.clone());
        if position == TAKEN {
            variable.role = Role::Input;
        }
        relation.variables.push(variable);
        coding.state_bits += column.bits.len();
        coding.variables.push(Coded {
            bits: column.bits.iter().rev().copied().collect(),
            sort,
            is_input: false,
        });
    }
    (relation, coding)
}
