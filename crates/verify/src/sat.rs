//! The engine that looks for runs of growing length with a SAT solver.
//!
//! It takes systems that are given by constraints. All its questions advance side by side, one step at a time,
//! so that none waits for another that has no run. What it shows are values of variables that nobody has
//! believed yet; that no shorter run exists is its word. *Holds* comes from induction alone; what stays
//! open is unknown, with the number of steps that was proved.

use std::time::Instant;

use evenhand_logic::{FormulaId, Formulas, Node, Unary};
use evenhand_sat::{Goal, Lassos, Paths, Round, Statistics, Stop, has_initial_state};
use evenhand_source::Budget;
use evenhand_system::relation::Relation;
use evenhand_system::{
    AssumptionKind, Compassion, Fairness, Formula, Linear, PropositionId, Question, What,
};

use crate::answer::{CheckError, Detail, PropertyResult, Verdict, Warning};
use crate::case::{Case, Task};
use crate::engine::{Answers, Engine, SAT, Support};
use crate::evidence::{Evidence, Positions};
use crate::memory;
use crate::options::{Counterexamples, Deadlock};
use crate::stop::StopReason;

/// The bounded search by a SAT solver.
#[derive(Debug)]
pub(crate) struct BySat;

impl Engine for BySat {
    fn name(&self) -> &'static str {
        SAT
    }

    fn about(&self) -> &'static str {
        "runs of growing length by a SAT solver, invariants by induction; models given by constraints"
    }

    fn supports(&self, case: &Case<'_>, _question: &Question) -> Support {
        // Nobody is asked by default: others explore everything.
        if case.options.engine.as_deref() != Some(SAT) {
            return Support::Other;
        }
        let refused =
            |reason: &str| Support::No(format!("the engine `{SAT}` cannot do this: {reason}"));
        if case.view.body.relation().is_err() {
            return refused("the model is not given by constraints");
        }
        match case.options {
            options if options.counterexample == Counterexamples::All => {
                refused("all runs are found state by state")
            }
            options if options.deadlock == Deadlock::Stutter => {
                refused("runs that stay where they end are found state by state")
            }
            _ => Support::Yes,
        }
    }

    fn together(&self) -> bool {
        true
    }

    fn answer(
        &self,
        case: &Case<'_>,
        tasks: &[&Task],
        answers: &mut Answers<'_>,
    ) -> Result<(), CheckError> {
        let relation = asked(case.view.body.relation()?, case.fairness());
        let budget = Budget::current().until(case.deadline());
        let most = case.options.max_depth.unwrap_or(u64::MAX);
        let begins = has_initial_state(&relation, &budget);
        let mut open = Vec::new();
        for (place, &task) in tasks.iter().enumerate() {
            let begun = Begun {
                place,
                task,
                result: case.begun(&task.question, SAT),
                searches: Vec::new(),
            };
            answers
                .listener
                .stage(&format!("{}, engine {SAT}", task.question.name));
            let started = Instant::now();
            match searches(case, &relation, &task.question, &budget) {
                Ok(_) if begins == Ok(false) => {
                    begun.end(case, Ended::Nothing, started, answers);
                }
                Ok(searches) => open.push(Begun { searches, ..begun }),
                Err(why) => begun.end(case, Ended::Unknown(why), started, answers),
            }
        }
        while !open.is_empty() {
            let mut still = Vec::new();
            for mut begun in open {
                let started = Instant::now();
                match begun.round(most) {
                    Some(ended) => begun.end(case, ended, started, answers),
                    None => {
                        begun.result.seconds += started.elapsed().as_secs_f64();
                        still.push(begun);
                    }
                }
            }
            open = still;
        }
        Ok(())
    }
}

/// A question that is being answered.
struct Begun<'a> {
    place: usize,
    task: &'a Task,
    result: PropertyResult,
    /// Each may answer it.
    searches: Vec<Search<'a>>,
}

/// Why nothing is said of lengths.
const UNPROVED: &str = "no run was found, but an expression may have no value on some: what `sat` \
                        does not find is not proved to be none";

/// A way to an answer.
enum Search<'r> {
    /// A finite run that breaks an invariant.
    Paths(Box<Paths<'r>>),
    /// The same, where only a proof is an answer: a run need not be fair, or go on.
    Proof(Box<Paths<'r>>),
    /// An infinite run.
    Lassos(Box<Lassos<'r>>),
}

/// How a question ended.
enum Ended {
    Holds,
    /// The run that breaks it, and whether no run is shorter.
    Broken(evenhand_sat::Run, bool),
    Unknown(StopReason),
    /// There is no initial state.
    Nothing,
}

impl Begun<'_> {
    /// Asks about runs with one more step; how it ended, if it did.
    fn round(&mut self, most: u64) -> Option<Ended> {
        let is_feasible = matches!(self.task.question.what, What::Feasible);
        let proved = self.searches.last().map_or(0, Search::proved);
        let is_certain = self.searches.last().is_none_or(Search::is_certain);
        let bounded = |cut: Option<(Box<StopReason>, usize)>| {
            if !is_certain {
                // Where something has no value no run was looked for: nothing is proved of any length.
                let unproved = || StopReason::Unsupported(UNPROVED.to_string());
                let why = cut.map_or_else(unproved, |(why, _)| *why);
                return Some(Ended::Unknown(why));
            }
            let what = if is_feasible {
                "no fair run"
            } else {
                "no counterexample"
            };
            let steps = usize::try_from(most).unwrap_or(usize::MAX);
            Some(Ended::Unknown(StopReason::Bounded { what, steps, cut }))
        };
        for (number, search) in self.searches.iter_mut().enumerate() {
            if search.steps() as u64 > most {
                return bounded(None);
            }
            match search.round() {
                Ok(Round::Holds) => return Some(Ended::Holds),
                Ok(Round::Open) => {}
                Ok(Round::Broken(run)) => match search {
                    // There is nothing to prove. Whether a fair run breaks it is the other's business.
                    Search::Proof(_) => {
                        self.searches.remove(number);
                        return None;
                    }
                    _ => return Some(Ended::Broken(run, search.is_certain())),
                },
                Err(Stop::Limit(why)) => return bounded(Some((Box::new(why.into()), proved))),
                Err(Stop::Refused(why)) => {
                    return Some(Ended::Unknown(StopReason::Unsupported(why)));
                }
            }
        }
        None
    }

    /// Tells the answer.
    fn end(mut self, case: &Case<'_>, ended: Ended, started: Instant, answers: &mut Answers<'_>) {
        let is_feasible = matches!(self.task.question.what, What::Feasible);
        let mut evidence = Evidence::None;
        self.result.verdict = match ended {
            Ended::Unknown(why) => Verdict::Unknown(why),
            Ended::Holds if is_feasible => Verdict::Violated(None),
            Ended::Holds => Verdict::Holds,
            Ended::Broken(..) if is_feasible => Verdict::Holds,
            Ended::Broken(run, is_shortest) => {
                evidence = Evidence::Positions(Positions {
                    is_shortest,
                    states: run.states,
                    turn: run.turn,
                });
                Verdict::Violated(None)
            }
            Ended::Nothing => {
                self.result.warnings = vec![Warning::NoInitialState];
                match is_feasible {
                    true => Verdict::Violated(None),
                    false => Verdict::Holds,
                }
            }
        };
        let all: Vec<Statistics> = self.searches.iter().flat_map(Search::statistics).collect();
        let sum = |count: fn(&Statistics) -> u64| all.iter().map(count).sum::<u64>();
        self.result.details = vec![
            Detail::new("variables of the solver", sum(|s| s.variables)),
            Detail::new("clauses", sum(|s| s.clauses)).telling(),
            Detail::new("conflicts", sum(|s| s.conflicts)),
        ];
        self.result.details.retain(|detail| detail.count > 0);
        self.result.seconds += started.elapsed().as_secs_f64();
        self.result.peak_memory = memory::peak().unwrap_or(0);
        answers.known(case, (self.place, self.task), self.result, evidence);
    }
}

impl Search<'_> {
    fn round(&mut self) -> Result<Round, Stop> {
        match self {
            Search::Paths(search) | Search::Proof(search) => search.round(),
            Search::Lassos(search) => search.round(),
        }
    }

    /// No run that breaks the property has fewer steps.
    fn proved(&self) -> usize {
        match self.is_certain() {
            true => self.steps(),
            false => 0,
        }
    }

    /// The number of steps of the runs that come next.
    fn steps(&self) -> usize {
        match self {
            Search::Paths(search) | Search::Proof(search) => search.steps(),
            Search::Lassos(search) => search.steps(),
        }
    }

    fn statistics(&self) -> Vec<Statistics> {
        match self {
            Search::Paths(search) | Search::Proof(search) => search.statistics().to_vec(),
            Search::Lassos(search) => vec![search.statistics()],
        }
    }

    fn is_certain(&self) -> bool {
        match self {
            Search::Paths(search) | Search::Proof(search) => search.can_prove(),
            Search::Lassos(search) => search.can_prove(),
        }
    }
}

/// The ways to answer a question.
fn searches<'r>(
    case: &Case<'_>,
    relation: &'r Relation,
    question: &Question,
    budget: &Budget,
) -> Result<Vec<Search<'r>>, StopReason> {
    let refused = |why: &str| StopReason::Unsupported(why.to_string());
    let steps =
        |kind: &AssumptionKind| matches!(kind, AssumptionKind::Weak(_) | AssumptionKind::Strong(_));
    if question.is_fair() && case.fairness().assumptions.iter().any(|a| steps(&a.kind)) {
        return Err(refused("the engine `sat` knows no fairness of processes"));
    }
    let paths = |goal: Goal| Paths::new(relation, goal, budget).map(Box::new);
    let lassos = |store: &Formulas, id: FormulaId, atoms: &[PropositionId]| {
        let proposition = |atom: evenhand_logic::AtomId| atoms.get(atom.index()).copied();
        Lassos::new(relation, (store, id), &proposition, budget).map(Box::new)
    };
    let found = match &question.what {
        What::Invariant(formula) => {
            let goal = condition(relation, formula)
                .ok_or_else(|| refused("this is no condition on a state"))?;
            vec![Search::Paths(paths(goal)?)]
        }
        What::Step {
            condition: Some(condition),
            ..
        } => {
            vec![Search::Paths(paths(Goal::Step(*condition))?)]
        }
        What::Feasible => vec![Search::Lassos(lassos(
            &Formulas::new(),
            FormulaId::FALSE,
            &[],
        )?)],
        What::Linear(Linear::Formula(formula)) => {
            let mut list = Vec::new();
            // What holds in all reachable states holds always.
            if let Node::Unary(Unary::Globally, part) = *formula.store.node(formula.id)
                && let Some(goal) = condition(
                    relation,
                    &Formula {
                        id: part,
                        ..formula.clone()
                    },
                )
            {
                list.push(Search::Proof(paths(goal)?));
            }
            list.push(Search::Lassos(lassos(
                &formula.store,
                formula.id,
                &formula.atoms,
            )?));
            list
        }
        What::Total | What::Ends => vec![Search::Paths(paths(Goal::Successor)?)],
        What::Branching(_) | What::Quantity { .. } => {
            return Err(refused(
                "the engine `sat` knows single runs: branching time is for the others",
            ));
        }
        _ => return Err(refused("the engine `sat` cannot answer this")),
    };
    Ok(found)
}

/// A condition on a state, if it is a proposition or a constant.
fn condition(relation: &Relation, formula: &Formula) -> Option<Goal> {
    let constants = relation.propositions.len() as u32 - 2;
    match formula.store.node(formula.id) {
        Node::Atom(atom) => formula.atoms.get(atom.index()).copied().map(Goal::State),
        Node::Constant(value) => Some(Goal::State(PropositionId(constants + u32::from(*value)))),
        _ => None,
    }
}

/// The relation with some fairness; the two constants are its last propositions.
fn asked(relation: &Relation, fairness: &Fairness) -> Relation {
    let mut relation = relation.clone();
    relation.justice.clear();
    relation.compassion.clear();
    for assumption in &fairness.assumptions {
        match assumption.kind {
            AssumptionKind::Justice(condition) => relation.justice.push(condition),
            AssumptionKind::Compassion { when, then } => {
                relation.compassion.push(Compassion { when, then });
            }
            AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => {}
        }
    }
    for (name, value) in [("FALSE", 0), ("TRUE", 1)] {
        let constant = relation.expressions.constant(value);
        relation.add_proposition(name, constant);
    }
    relation
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> StopReason {
        match stop {
            Stop::Limit(why) => why.into(),
            Stop::Refused(why) => StopReason::Unsupported(why),
        }
    }
}
