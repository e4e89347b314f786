//! Invariants: shortest paths to a state that breaks one, and proofs by induction.
//!
//! **Problem.** Does every reachable state satisfy a condition? Paths of bounded length answer only *no*.
//!
//! **Idea.** Round k asks three things, each of a SAT solver that keeps what it learned before:
//!
//! 1. *Base*: is there a path of k steps from an initial state to one that breaks the condition? None was
//!    shorter, so this one is a shortest.
//! 2. *Induction* (Sheeran, Singh and Stålmarck 2000; Eén and Sörensson 2003): is there a path of k steps from
//!    anywhere, all of whose states but the last satisfy the condition? A shortest path from an initial
//!    state to a broken one has such an end, if it has more than k steps. Its states are all different, and
//!    none but its first is initial, so that is asked for too. If there is none, the condition holds.
//! 3. *Forward*: is there a path of k + 1 different states from an initial one at all? If not, all states were seen.
//!
//! That states differ is added only for the pairs that were found equal. A state needs no successor to count, so
//! relations that are not total are read as everywhere else; invariants of the model are asserted at each position.
//!
//! **Cost.** The third question is asked in the rounds 0 to 7 and then in powers of two.

use batsat::Lit;
use evenhand_source::Budget;
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::{ExprId, Relation};
use rustc_hash::FxHashMap;

use crate::solver::{Outcome, Statistics, Stop};
use crate::unroll::{Run, Unrolled, always_defined, faulty, is_defined};

/// What every reachable state, or step between such, should satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A proposition.
    State(PropositionId),
    /// A condition on a state and the next one.
    Step(ExprId),
    /// There is a next state.
    Successor,
}

/// What a round found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Round {
    /// A shortest run that breaks the property.
    Broken(Run),
    /// No run of any length does.
    Holds,
    /// None of the lengths so far does.
    Open,
}

/// The search for a path that breaks an invariant.
pub struct Paths<'r> {
    goal: Goal,
    base: Unrolled<'r>,
    induction: Unrolled<'r>,
    /// The number of steps of the next round.
    steps: usize,
    /// Whether everything has a value everywhere: only then can anything be proved.
    is_defined: bool,
    /// A state and its successor, to look at single states; whether none was needed, and how many were.
    next: Next<'r>,
    is_guessed: bool,
    looked_at: usize,
}

/// So many single states are looked at.
const MOST_STATES: usize = 500;

/// A state and a next one.
struct Next<'r> {
    step: Option<Unrolled<'r>>,
    /// The same, where a constraint has no value; none, if all have one everywhere.
    fault: Option<(Unrolled<'r>, Lit)>,
}

impl Next<'_> {
    /// Whether a state has a successor: it has these literals, where those of another solver are `like`.
    fn goes_on(&mut self, like: &[Lit], state: &[Lit]) -> Outcome<bool> {
        match &mut self.step {
            Some(unrolled) => among(unrolled, like, state, &[]),
            None => Ok(true),
        }
    }

    /// Whether a constraint has no value there: that is an error of the model, and no end.
    fn is_faulty(&mut self, like: &[Lit], state: &[Lit]) -> Outcome<bool> {
        match &mut self.fault {
            Some((unrolled, fault)) => {
                let fault = *fault;
                among(unrolled, like, state, &[fault])
            }
            None => Ok(false),
        }
    }
}

/// Whether a state is the first position of a solution.
fn among(
    unrolled: &mut Unrolled<'_>,
    like: &[Lit],
    state: &[Lit],
    assumed: &[Lit],
) -> Outcome<bool> {
    let own = unrolled.state_bits(0).into_iter();
    let fixed = own
        .zip(like.iter().zip(state))
        .map(|(own, (like, is))| own ^ (like != is));
    let all: Vec<Lit> = fixed.chain(assumed.iter().copied()).collect();
    unrolled.g.solver.solve(&all)
}

impl<'r> Paths<'r> {
    /// A search within limits.
    ///
    /// # Errors
    /// If a limit is reached, or the relation cannot be encoded.
    pub fn new(relation: &'r Relation, goal: Goal, budget: &Budget) -> Result<Paths<'r>, Stop> {
        relation
            .check()
            .map_err(|refusal| Stop::Refused(refusal.reason))?;
        let asked = match goal {
            Goal::State(id) => relation
                .propositions
                .get(id.0 as usize)
                .map(|&(_, expr)| expr),
            Goal::Step(expr) => Some(expr),
            Goal::Successor => None,
        };
        let is_defined = is_defined(relation, budget)? && always_defined(relation, asked, budget)?;
        let mut base = Unrolled::new(relation, budget);
        base.extend()?;
        base.begin()?;
        let mut next = Next {
            step: None,
            fault: None,
        };
        if goal == Goal::Successor {
            let mut step = Unrolled::new(relation, budget);
            step.extend()?;
            go_on(&mut step)?;
            next.step = Some(step);
            if !is_defined {
                next.fault = Some(faulty(relation, budget)?);
            }
        }
        Ok(Paths {
            goal,
            base,
            induction: Unrolled::new(relation, budget),
            steps: 0,
            is_defined,
            next,
            is_guessed: true,
            looked_at: 0,
        })
    }

    /// Whether a proof can be found: everything has a value everywhere.
    pub fn can_prove(&self) -> bool {
        self.is_defined
    }

    /// The number of steps of the next round.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// How much was done.
    pub fn statistics(&self) -> [Statistics; 2] {
        [
            self.base.g.solver.statistics(),
            self.induction.g.solver.statistics(),
        ]
    }

    /// Asks about paths with one more step.
    ///
    /// # Errors
    /// If a limit is reached, or something cannot be encoded.
    pub fn round(&mut self) -> Result<Round, Stop> {
        let last = self.steps;
        let is_step = matches!(self.goal, Goal::Step(_));
        if is_step {
            go_on(&mut self.base)?;
        }
        let broken = !self.satisfied(last, true)?;
        let is_broken = match self.goal {
            Goal::Successor => self.ends(last, broken)?,
            _ => self.base.g.solver.solve(&[broken])?,
        };
        if is_broken {
            let states = (0..=last + usize::from(is_step)).map(|at| self.base.values(at));
            return Ok(Round::Broken(Run {
                states: states.collect(),
                turn: None,
            }));
        }
        if self.goal != Goal::Successor {
            self.base.g.solver.clause(&[!broken]);
        }
        self.steps += 1;
        if !is_step {
            go_on(&mut self.base)?;
        }
        let is_proved = self.is_guessed && self.is_defined && self.is_inductive(last)?;
        if is_proved || self.is_defined && self.is_over(last)? {
            return Ok(Round::Holds);
        }
        Ok(Round::Open)
    }

    /// Whether a state after so many steps has no successor: of those for which the guess is wrong each is
    /// looked at by itself. Where one has another successor, no induction is possible.
    fn ends(&mut self, last: usize, wrong: Lit) -> Outcome<bool> {
        let here = self.base.state_bits(last);
        let meant = self.base.g.solver.fresh();
        while self.base.g.solver.solve(&[wrong, meant])? {
            let solver = &mut self.base.g.solver;
            let state: Vec<Lit> = here.iter().map(|&bit| bit ^ !solver.value(bit)).collect();
            if !self.next.goes_on(&here, &state)? && !self.next.is_faulty(&here, &state)? {
                return Ok(true);
            }
            self.is_guessed = false;
            self.looked_at += 1;
            if self.looked_at > MOST_STATES {
                let text = "too many states have successors that are not found by their constraints one by one";
                return Err(Stop::Refused(text.to_string()));
            }
            let mut other: Vec<Lit> = state.iter().map(|&bit| !bit).collect();
            other.push(!meant);
            self.base.g.solver.clause(&other);
        }
        Ok(false)
    }

    /// That the condition is satisfied at a position; that it is not broken, if it need not have a value.
    fn satisfied(&mut self, at: usize, is_base: bool) -> Outcome<Lit> {
        let unrolled = if is_base {
            &mut self.base
        } else {
            &mut self.induction
        };
        let condition = match self.goal {
            Goal::State(id) => unrolled.proposition(at, id)?,
            Goal::Step(expr) => unrolled.condition(at, expr)?,
            Goal::Successor => return unrolled.guessed(at),
        };
        Ok(if is_base {
            !condition.no
        } else {
            condition.yes
        })
    }

    /// Whether no simple path of so many steps leads from satisfied states to a broken one.
    fn is_inductive(&mut self, last: usize) -> Outcome<bool> {
        if self.induction.len() == 0 {
            self.induction.extend()?;
        }
        // Of a step the state behind it is there too.
        let is_step = matches!(self.goal, Goal::Step(_));
        while self.induction.len() <= last + usize::from(is_step) {
            go_on(&mut self.induction)?;
        }
        let initial = self.induction.initial(last)?;
        self.induction.g.solver.clause(&[!initial]);
        let satisfied = self.satisfied(last, false)?;
        if !simple(&mut self.induction, last + 1, &[!satisfied])? {
            return Ok(true);
        }
        self.induction.g.solver.clause(&[satisfied]);
        Ok(false)
    }

    /// Whether no simple path has more steps.
    fn is_over(&mut self, last: usize) -> Outcome<bool> {
        let is_asked = last < 8 || last.is_power_of_two();
        Ok(is_asked && !simple(&mut self.base, last + 2, &[])?)
    }
}

/// One more position, behind a step.
fn go_on(unrolled: &mut Unrolled<'_>) -> Outcome<()> {
    unrolled.extend()?;
    unrolled.step(unrolled.len() - 2)
}

/// Whether there is a solution in which the first positions are different states.
fn simple(unrolled: &mut Unrolled<'_>, positions: usize, assumptions: &[Lit]) -> Outcome<bool> {
    while unrolled.g.solver.solve(assumptions)? {
        let mut seen: FxHashMap<Vec<i64>, usize> = FxHashMap::default();
        let mut equal = Vec::new();
        for at in 0..positions {
            if let Some(before) = seen.insert(unrolled.state(at), at) {
                equal.push((before, at));
            }
        }
        if equal.is_empty() {
            return Ok(true);
        }
        for (a, b) in equal {
            let same = unrolled.same(a, b);
            unrolled.g.solver.clause(&[!same]);
        }
    }
    Ok(false)
}
