//! The product of a system with the tester of a formula, state by state.
//!
//! A tester has a boolean variable for each temporal operator of the formula, and constraints that
//! tie its value to the operands, now and at the next step. A node is a state of the system with a
//! valuation of these variables. Its successors are found by giving the variables values at the
//! next state one after the other, operands first: each constraint mentions only one variable and
//! its operands, so a wrong value is noticed at once and the search does not branch in vain.
//!
//! Unlike an automaton, a tester can be read from any position of a run, with the past that the run
//! had: that is what quantifiers inside of others need. Marks of an edge are those of the system's
//! step and the justice of the tester at its source.
//!
//! Kesten, Pnueli, Raviv and Shahar, "Model checking with strong fairness" (2001), section 8, with
//! the initial condition of the past. Cost: up to 2^n nodes per state for n future operators.

use evenhand_logic::{AtomId, Term, TermId, Tester, TesterVariable, When};

/// How many temporal operators a formula may have.
pub(super) const MOST_VARIABLES: usize = 60;

/// The truth of propositions in states of the system.
pub(super) type Truth<'t> = &'t dyn Fn(AtomId, usize) -> bool;

/// A valuation of the variables of a tester, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Values(pub u64);

impl Values {
    fn get(self, variable: TesterVariable) -> bool {
        self.0 >> variable.0 & 1 == 1
    }
}

/// One end of a step: a state and the values of the variables there.
#[derive(Clone, Copy, Debug)]
struct End {
    state: usize,
    values: Values,
}

/// A tester, ready to be stepped.
pub(super) struct Stepper<'t> {
    tester: &'t Tester,
    truth: Truth<'t>,
    /// For each variable, the terms needed for its constraint on steps, the constraint last.
    steps: Vec<Vec<TermId>>,
    /// For each variable, the terms needed for each initial constraint that it completes.
    initial: Vec<Vec<Vec<TermId>>>,
    /// Initial constraints that mention no variable.
    bare: Vec<Vec<TermId>>,
    justice: Vec<Vec<TermId>>,
    asserted: Vec<TermId>,
    scratch: Vec<bool>,
}

impl<'t> Stepper<'t> {
    /// Prepares a tester; none if it has too many variables.
    pub fn new(tester: &'t Tester, truth: Truth<'t>) -> Option<Stepper<'t>> {
        let count = tester.variables.len();
        if count > MOST_VARIABLES || tester.transition.len() != count {
            return None;
        }
        let closure = |&term: &TermId| closure(tester, term);
        let mut initial = vec![Vec::new(); count];
        let mut bare = Vec::new();
        for terms in tester.initial.iter().map(closure) {
            match last_variable(tester, &terms) {
                Some(variable) => initial[variable].push(terms),
                None => bare.push(terms),
            }
        }
        Some(Stepper {
            tester,
            truth,
            steps: tester.transition.iter().map(closure).collect(),
            initial,
            bare,
            justice: tester.justice.iter().map(closure).collect(),
            asserted: closure(&tester.asserted),
            scratch: vec![false; tester.terms.len()],
        })
    }

    /// All valuations that a run may begin with in a state.
    pub fn beginnings(&mut self, state: usize, out: &mut Vec<Values>) {
        out.clear();
        let bare = std::mem::take(&mut self.bare);
        let end = End {
            state,
            values: Values(0),
        };
        if bare.iter().all(|terms| self.holds(terms, end, end)) {
            self.begin(state, 0, 0, out);
        }
        self.bare = bare;
    }

    fn begin(&mut self, state: usize, level: usize, values: u64, out: &mut Vec<Values>) {
        if level == self.initial.len() {
            out.push(Values(values));
            return;
        }
        let tests = std::mem::take(&mut self.initial[level]);
        for bit in [0, 1] {
            let values = values | bit << level;
            let end = End {
                state,
                values: Values(values),
            };
            if tests.iter().all(|terms| self.holds(terms, end, end)) {
                self.begin(state, level + 1, values, out);
            }
        }
        self.initial[level] = tests;
    }

    /// All valuations at the next state.
    pub fn successors(&mut self, state: usize, values: Values, next: usize, out: &mut Vec<Values>) {
        out.clear();
        self.extend(End { state, values }, next, 0, 0, out);
    }

    fn extend(&mut self, now: End, next: usize, level: usize, values: u64, out: &mut Vec<Values>) {
        if level == self.steps.len() {
            out.push(Values(values));
            return;
        }
        let test = std::mem::take(&mut self.steps[level]);
        for bit in [0, 1] {
            let values = values | bit << level;
            let end = End {
                state: next,
                values: Values(values),
            };
            if self.holds(&test, now, end) {
                self.extend(now, next, level + 1, values, out);
            }
        }
        self.steps[level] = test;
    }

    /// The justice conditions that hold in a node, by number.
    pub fn justice(&mut self, state: usize, values: Values, out: &mut Vec<usize>) {
        out.clear();
        let list = std::mem::take(&mut self.justice);
        let end = End { state, values };
        for (number, terms) in list.iter().enumerate() {
            if self.holds(terms, end, end) {
                out.push(number);
            }
        }
        self.justice = list;
    }

    /// Whether the formula is asserted in a node.
    pub fn is_asserted(&mut self, state: usize, values: Values) -> bool {
        let terms = std::mem::take(&mut self.asserted);
        let end = End { state, values };
        let holds = self.holds(&terms, end, end);
        self.asserted = terms;
        holds
    }

    /// The value of the last of some terms; the others are its operands and come first.
    fn holds(&mut self, terms: &[TermId], now: End, next: End) -> bool {
        let mut last = true;
        for &TermId(number) in terms {
            let of = |term: &TermId| self.scratch[term.0 as usize];
            let at = |when: &When| match when {
                When::Now => now,
                When::Next => next,
            };
            last = match &self.tester.terms[number as usize] {
                Term::Constant(value) => *value,
                Term::Atom(atom, when) => (self.truth)(*atom, at(when).state),
                Term::Variable(variable, when) => at(when).values.get(*variable),
                Term::Not(t) => !of(t),
                Term::And(list) => list.iter().all(of),
                Term::Or(list) => list.iter().any(of),
                Term::Iff(t, u) => of(t) == of(u),
            };
            self.scratch[number as usize] = last;
        }
        last
    }
}

/// The terms that a term is made of, operands first, itself last.
fn closure(tester: &Tester, term: TermId) -> Vec<TermId> {
    let mut seen = std::collections::BTreeSet::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match &tester.terms[term.0 as usize] {
            Term::Constant(_) | Term::Atom(..) | Term::Variable(..) => {}
            Term::Not(t) => open.push(*t),
            Term::And(list) | Term::Or(list) => open.extend(list),
            Term::Iff(t, u) => open.extend([*t, *u]),
        }
    }
    seen.into_iter().collect()
}

/// The greatest variable that some terms mention.
fn last_variable(tester: &Tester, terms: &[TermId]) -> Option<usize> {
    let variables = terms
        .iter()
        .filter_map(|t| match tester.terms[t.0 as usize] {
            Term::Variable(variable, _) => Some(variable.0 as usize),
            _ => None,
        });
    variables.max()
}
