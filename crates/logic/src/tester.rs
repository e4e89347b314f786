//! Testers: a formula as a small fair system that runs beside the model.
//!
//! For each temporal subformula there is a boolean variable that says whether the subformula holds
//! now (Kesten, Pnueli, Raviv and Shahar 2001). Transition constraints tie its value to the
//! operands, now or at the next step; for past operators an initial constraint fixes the first
//! value; and a *justice* condition sees to it that what an `U` promises does come. A word
//! satisfies the formula iff the tester has a run beside it that starts with the initial
//! constraints and [`Tester::asserted`], takes only steps that the transition constraints allow,
//! and meets each justice condition infinitely often.
//!
//! Unlike the automaton of a formula the tester is never built: it is a conjunction of constraints,
//! linear in the formula, which a symbolic engine turns into diagrams and an explicit one
//! evaluates. It is tight for future formulas: it does not make shortest counterexamples longer.
//!
//! The formula is brought to negation normal form, so all subformulas occur positively, and a
//! variable may be false though its subformula is true without harm. Then only `U`, `F` and `M`
//! need justice ([`Exactness::Asserted`]). Where the variables are shown or shared between
//! formulas, ask for [`Exactness::Full`]: each is then true exactly where its subformula is.

use crate::formula::{AtomId, Binary, FormulaId, Formulas, Map, Node, Unary};
use crate::normal::normal_form;

/// How much the values of tester variables mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// A true variable implies its subformula: enough for asserting the formula.
    Asserted,
    /// A variable is true iff its subformula is.
    Full,
}

/// A variable of a [`Tester`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TesterVariable(pub u32);

/// A boolean term of a [`Tester`]: a position in [`Tester::terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// The outermost operator of a term. Operands have smaller numbers than the term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// `true` or `false`.
    Constant(bool),
    /// A proposition of the model, now or at the next step.
    Atom(AtomId, When),
    /// A variable of the tester, now or at the next step.
    Variable(TesterVariable, When),
    /// Negation.
    Not(TermId),
    /// Conjunction.
    And(Vec<TermId>),
    /// Disjunction.
    Or(Vec<TermId>),
    /// Equivalence.
    Iff(TermId, TermId),
}

/// Which end of a step a term speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// The state before the step.
    Now,
    /// The state after the step.
    Next,
}

/// A formula as constraints.
#[derive(Clone, Debug)]
pub struct Tester {
    /// The temporal subformula that each variable stands for.
    pub variables: Vec<FormulaId>,
    /// All terms, operands first.
    pub terms: Vec<Term>,
    /// The formula itself, in terms of propositions and variables now.
    pub asserted: TermId,
    /// What holds at the first state.
    pub initial: Vec<TermId>,
    /// What holds at each step.
    pub transition: Vec<TermId>,
    /// What holds infinitely often.
    pub justice: Vec<TermId>,
    known: Map<Term, TermId>,
}

/// The values of everything a term can mention.
pub struct Assignment<'a> {
    /// Propositions.
    pub atom: &'a dyn Fn(AtomId, When) -> bool,
    /// Variables of the tester.
    pub variable: &'a dyn Fn(TesterVariable, When) -> bool,
}

/// The tester of a formula; path quantifiers have none.
pub fn tester(
    store: &mut Formulas,
    f: FormulaId,
    exactness: Exactness,
) -> Result<Tester, crate::NotLinear> {
    if store.properties(f).has_quantifier() {
        return Err(crate::NotLinear);
    }
    let f = normal_form(store, f, false);
    let mut tester = Tester {
        variables: Vec::new(),
        terms: Vec::new(),
        asserted: TermId(0),
        initial: Vec::new(),
        transition: Vec::new(),
        justice: Vec::new(),
        known: Map::default(),
    };
    // What a subformula is, now and at the next step.
    let mut truth: Map<FormulaId, (TermId, TermId)> = Map::default();
    for g in store.subformulas(f) {
        let of = |h: &FormulaId| truth.get(h).copied().unwrap_or((TermId(0), TermId(0)));
        let term = match store.node(g) {
            Node::Constant(value) => tester.both(|_| Term::Constant(*value)),
            Node::Atom(atom) => tester.both(|when| Term::Atom(*atom, when)),
            Node::Not(h) => {
                let h = of(h);
                (tester.not(h.0), tester.not(h.1))
            }
            Node::And(list) => {
                let (now, next): (Vec<_>, Vec<_>) = list.iter().map(of).unzip();
                (tester.term(Term::And(now)), tester.term(Term::And(next)))
            }
            Node::Or(list) => {
                let (now, next): (Vec<_>, Vec<_>) = list.iter().map(of).unzip();
                (tester.term(Term::Or(now)), tester.term(Term::Or(next)))
            }
            Node::Unary(op, h) => tester.unary(g, *op, of(h), exactness),
            Node::Binary(op, h, k) => tester.binary(g, *op, of(h), of(k), exactness),
            _ => return Err(crate::NotLinear), // not in negation normal form: cannot happen
        };
        truth.insert(g, term);
    }
    tester.asserted = truth.get(&f).map_or(TermId(0), |t| t.0);
    Ok(tester)
}

impl Tester {
    fn term(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.known.get(&term) {
            return id;
        }
        let id = TermId(self.terms.len() as u32);
        self.terms.push(term.clone());
        self.known.insert(term, id);
        id
    }

    fn both(&mut self, make: impl Fn(When) -> Term) -> (TermId, TermId) {
        (self.term(make(When::Now)), self.term(make(When::Next)))
    }

    fn not(&mut self, f: TermId) -> TermId {
        self.term(Term::Not(f))
    }

    fn and(&mut self, f: TermId, g: TermId) -> TermId {
        self.term(Term::And(vec![f, g]))
    }

    fn or(&mut self, f: TermId, g: TermId) -> TermId {
        self.term(Term::Or(vec![f, g]))
    }

    fn variable(&mut self, f: FormulaId) -> (TermId, TermId) {
        let variable = TesterVariable(self.variables.len() as u32);
        self.variables.push(f);
        self.both(|when| Term::Variable(variable, when))
    }

    fn unary(
        &mut self,
        f: FormulaId,
        op: Unary,
        g: (TermId, TermId),
        exactness: Exactness,
    ) -> (TermId, TermId) {
        let yes = self.both(|_| Term::Constant(true));
        let no = self.both(|_| Term::Constant(false));
        match op {
            Unary::Finally => return self.binary(f, Binary::Until, yes, g, exactness),
            Unary::Globally => return self.binary(f, Binary::Release, no, g, exactness),
            Unary::Once => return self.binary(f, Binary::Since, yes, g, exactness),
            Unary::Historically => return self.binary(f, Binary::Trigger, no, g, exactness),
            _ => {}
        }
        let x = self.variable(f);
        match op {
            Unary::Next => {
                let step = self.term(Term::Iff(x.0, g.1));
                self.transition.push(step);
            }
            _ => {
                let first = match op {
                    Unary::Yesterday => self.not(x.0),
                    _ => x.0,
                };
                let step = self.term(Term::Iff(x.1, g.0));
                self.initial.push(first);
                self.transition.push(step);
            }
        }
        x
    }

    fn binary(
        &mut self,
        f: FormulaId,
        op: Binary,
        g: (TermId, TermId),
        h: (TermId, TermId),
        exactness: Exactness,
    ) -> (TermId, TermId) {
        let x = self.variable(f);
        // The value where the operator looks on: later for the future, before for the past.
        let step = match op {
            Binary::Until | Binary::WeakUntil => {
                let wait = self.and(g.0, x.1);
                let value = self.or(h.0, wait);
                self.term(Term::Iff(x.0, value))
            }
            Binary::Release | Binary::StrongRelease => {
                let go_on = self.or(g.0, x.1);
                let value = self.and(h.0, go_on);
                self.term(Term::Iff(x.0, value))
            }
            Binary::Since => {
                let kept = self.and(g.1, x.0);
                let value = self.or(h.1, kept);
                self.term(Term::Iff(x.1, value))
            }
            Binary::Trigger => {
                let kept = self.or(g.1, x.0);
                let value = self.and(h.1, kept);
                self.term(Term::Iff(x.1, value))
            }
        };
        self.transition.push(step);
        let not_x = self.not(x.0);
        match op {
            Binary::Since | Binary::Trigger => {
                let first = self.term(Term::Iff(x.0, h.0));
                self.initial.push(first);
            }
            Binary::Until => {
                let justice = self.or(h.0, not_x);
                self.justice.push(justice);
            }
            Binary::StrongRelease => {
                let goal = self.and(g.0, h.0);
                let justice = self.or(goal, not_x);
                self.justice.push(justice);
            }
            Binary::WeakUntil if exactness == Exactness::Full => {
                let (not_g, not_h) = (self.not(g.0), self.not(h.0));
                let broken = self.and(not_g, not_h);
                let justice = self.or(broken, x.0);
                self.justice.push(justice);
            }
            Binary::Release if exactness == Exactness::Full => {
                let broken = self.not(h.0);
                let justice = self.or(broken, x.0);
                self.justice.push(justice);
            }
            Binary::WeakUntil | Binary::Release => {}
        }
        x
    }

    /// The value of each term under an assignment, by term number.
    pub fn values(&self, assignment: &Assignment<'_>) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            let of = |t: &TermId| values[t.0 as usize];
            let value = match term {
                Term::Constant(value) => *value,
                Term::Atom(atom, when) => (assignment.atom)(*atom, *when),
                Term::Variable(variable, when) => (assignment.variable)(*variable, *when),
                Term::Not(t) => !of(t),
                Term::And(list) => list.iter().all(of),
                Term::Or(list) => list.iter().any(of),
                Term::Iff(t, u) => of(t) == of(u),
            };
            values.push(value);
        }
        values
    }
}
