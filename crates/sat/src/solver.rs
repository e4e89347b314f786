//! The SAT solver, and the limits that hold inside of it.
//!
//! Literals are made here; number 0 is the constant *true*. The solver asks before each decision
//! whether it should go on: then the limits of the work that is going on in this thread are looked at
//! now and then. Clauses only ever get more, so what it has learned stays true; what is to be taken back is asked
//! under assumptions.

use std::cell::Cell;

use batsat::{Callbacks, Lit, Solver as Batsat, SolverInterface, SolverOpts, lbool};
use evenhand_source::{Budget, Exhausted};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A limit was reached.
    Limit(Exhausted),
    /// It cannot be encoded: why, as a sentence.
    Refused(String),
}

/// What an operation gives.
pub(crate) type Outcome<T> = Result<T, Stop>;

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Variables of the solver.
    pub variables: u64,
    /// Clauses.
    pub clauses: u64,
    /// Conflicts.
    pub conflicts: u64,
}

/// How many calls lie between two looks at the limits.
const STRIDE: u32 = 128;

/// Looks at the limits.
struct Watch {
    budget: Budget,
    calls: Cell<u32>,
    ended: Cell<Option<Exhausted>>,
}

impl Watch {
    fn look(&self) -> bool {
        if self.ended.get().is_none() {
            self.ended.set(self.budget.exhausted());
        }
        self.ended.get().is_some()
    }
}

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        let calls = self.calls.get();
        self.calls.set(calls.wrapping_add(1));
        match calls % STRIDE {
            0 => self.look(),
            _ => self.ended.get().is_some(),
        }
    }
}

/// A solver.
pub(crate) struct Solver {
    inner: Batsat<Watch>,
    yes: Lit,
    /// Reused for each clause.
    clause: Vec<Lit>,
}

impl Solver {
    /// A solver within the limits of the work that is going on, and these.
    pub fn new(budget: &Budget) -> Solver {
        let watch = Watch {
            budget: budget.clone(),
            calls: Cell::new(0),
            ended: Cell::new(None),
        };
        let mut inner = Batsat::new(SolverOpts::default(), watch);
        let yes = Lit::new(inner.new_var_default(), true);
        inner.add_clause_reuse(&mut vec![yes]);
        Solver {
            inner,
            yes,
            clause: Vec::new(),
        }
    }

    /// The literal that is always true.
    pub fn yes(&self) -> Lit {
        self.yes
    }

    /// A literal that nothing is known about.
    pub fn fresh(&mut self) -> Lit {
        Lit::new(self.inner.new_var_default(), true)
    }

    /// One of these holds.
    pub fn clause(&mut self, literals: &[Lit]) {
        self.clause.clear();
        self.clause.extend_from_slice(literals);
        self.inner.add_clause_reuse(&mut self.clause);
    }

    /// Whether all clauses and these can be true together; then [`Solver::value`] tells how.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Outcome<bool> {
        self.limits()?;
        match self.inner.solve_limited(assumptions) {
            answer if answer == lbool::TRUE => Ok(true),
            answer if answer == lbool::FALSE => Ok(false),
            _ => Err(self
                .limits()
                .err()
                .unwrap_or(Stop::Limit(Exhausted::Interrupted))),
        }
    }

    /// The value of a literal in the solution that was found last.
    pub fn value(&self, literal: Lit) -> bool {
        self.inner.value_lit(literal) == lbool::TRUE
    }

    /// A bit of work is done: looks at the limits now and then.
    pub fn spend(&self) -> Outcome<()> {
        match self.inner.cb().stop() {
            true => self.limits(),
            false => Ok(()),
        }
    }

    /// Whether a limit is reached.
    pub fn limits(&self) -> Outcome<()> {
        let watch = self.inner.cb();
        match watch.look() {
            false => Ok(()),
            true => Err(Stop::Limit(
                watch.ended.get().unwrap_or(Exhausted::Interrupted),
            )),
        }
    }

    /// How much was done.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            variables: self.inner.num_vars().into(),
            clauses: self.inner.num_clauses(),
            conflicts: self.inner.num_conflicts(),
        }
    }
}
