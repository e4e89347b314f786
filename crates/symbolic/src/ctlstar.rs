//! CTL* with past operators, over fair runs.
//!
//! **Semantics.** A quantifier ranges over fair runs. One that stands inside of another is about a
//! state wherever it occurs on such a run, and past operators under it see any way the state was
//! reached. One that stands inside of no other is about the beginning: position 0, where there is
//! no past. So `A f` means that all fair runs satisfy f, and `A f` is `!E !f` everywhere. A state
//! without a fair run satisfies every `A` and no `E`; the answer then has a warning.
//!
//! **Idea.** Inner quantifiers first; each becomes a set of states that the outer formula uses like
//! a proposition. `E f` is decided beside a tester of f ([`crate::tester`]): the states from which
//! the product has a fair run that begins with f. Where f is one temporal operator on conditions,
//! as in CTL, no tester is needed: a fixpoint on the states of the model gives the set.
//!
//! **Cost.** One FEASIBLE for each quantifier, on the model times 2 for each temporal operator
//! under it that CTL does not have.

use std::collections::HashMap;

use evenhand_logic::{AtomId, Binary, FormulaId, Formulas, Node, Quantifier, Unary, normal_form};

use crate::answer::Run;
use crate::engine::Symbolic;
use crate::equations::leads_to;
use crate::image::Towards;
use crate::manager::{Outcome, Set};
use crate::reach::closure;
use crate::watch::Stop;

/// Whether all initial states satisfy a formula, with a run for the quantifier that decides it.
pub(crate) fn check(
    engine: &mut Symbolic,
    store: &mut Formulas,
    formula: FormulaId,
    atoms: HashMap<AtomId, Set>,
) -> Outcome<(bool, Option<Run>)> {
    let mut labels = Labels::new(engine, atoms);
    let set = labels.label(store, formula, true)?;
    let init = labels.engine.model.init.clone();
    let bad = labels.engine.m.minus(&init, &set)?;
    let holds = labels.engine.m.is_empty(&bad);
    let from = if holds { init } else { bad };
    let run = labels.explain(store, formula, holds, from, true)?;
    Ok((holds, run))
}

/// The reachable states that satisfy a formula; all its quantifiers are inner ones.
pub(crate) fn satisfying(
    engine: &mut Symbolic,
    store: &mut Formulas,
    formula: FormulaId,
    atoms: HashMap<AtomId, Set>,
) -> Outcome<Set> {
    let reached = engine.reached()?;
    let mut labels = Labels::new(engine, atoms);
    let set = labels.label(store, formula, false)?;
    labels.engine.m.and(&set, &reached)
}

/// Pairs of sets as an antecedent: the formula, and for each pair infinitely often the first only
/// if the second.
pub(crate) fn with_antecedent(
    store: &mut Formulas,
    formula: FormulaId,
    pairs: &[(Set, Set)],
    atoms: &mut HashMap<AtomId, Set>,
) -> FormulaId {
    let mut all = vec![formula];
    for (number, (when, then)) in pairs.iter().enumerate() {
        let mut often = |side: &str, set: &Set| {
            let atom = store.host_atom(&format!("\0compassion {number} {side}"));
            if let Node::Atom(id) = store.node(atom) {
                atoms.insert(*id, set.clone());
            }
            let finally = store.finally(atom);
            store.globally(finally)
        };
        let (when, then) = (often("when", when), often("then", then));
        all.push(store.implies(when, then));
    }
    store.and(all)
}

/// The sets of states of quantified formulas.
pub(crate) struct Labels<'e> {
    pub engine: &'e mut Symbolic,
    pub atoms: HashMap<AtomId, Set>,
    /// Inner quantified formulas, as atoms.
    pub inner: HashMap<FormulaId, FormulaId>,
    /// Outermost quantified formulas, at position 0.
    pub outer: HashMap<FormulaId, Set>,
}

impl<'e> Labels<'e> {
    fn new(engine: &'e mut Symbolic, atoms: HashMap<AtomId, Set>) -> Labels<'e> {
        Labels {
            engine,
            atoms,
            inner: HashMap::new(),
            outer: HashMap::new(),
        }
    }

    /// The states that satisfy a state formula; its outermost quantifiers are about position 0 if
    /// `first`.
    fn label(&mut self, store: &mut Formulas, formula: FormulaId, first: bool) -> Outcome<Set> {
        // Operands first. The same formula may stand inside of a quantifier and outside of all.
        let parts = store.subformulas(formula);
        let bodies: Vec<FormulaId> = parts
            .iter()
            .filter_map(|&f| match store.node(f) {
                Node::Path(_, body) => Some(*body),
                _ => None,
            })
            .collect();
        let outermost = outside(store, formula);
        let inside = store.subformulas_of(&bodies);
        for f in parts {
            if let Node::Path(quantifier, body) = *store.node(f) {
                let is_outermost = first && outermost.binary_search(&f).is_ok();
                if !is_outermost || inside.binary_search(&f).is_ok() {
                    let set = self.path(store, quantifier, body, false)?;
                    let atom = store.host_atom(&format!("\0quantified {}", f.index()));
                    if let Node::Atom(id) = store.node(atom) {
                        self.atoms.insert(*id, set);
                    }
                    self.inner.insert(f, atom);
                }
                if is_outermost {
                    let set = self.path(store, quantifier, body, true)?;
                    self.outer.insert(f, set);
                }
            }
        }
        self.state_formula(store, formula, first)
    }

    /// The states that satisfy a formula without temporal operators outside of quantifiers.
    pub fn state_formula(
        &mut self,
        store: &mut Formulas,
        formula: FormulaId,
        first: bool,
    ) -> Outcome<Set> {
        let mut sets: HashMap<FormulaId, Set> = HashMap::new();
        for f in outside(store, formula) {
            let m = &self.engine.m;
            let of = |g: &FormulaId| sets[g].clone();
            let set = match store.node(f) {
                Node::Constant(true) => m.yes(),
                Node::Constant(false) => m.no(),
                Node::Atom(atom) => self.atoms[atom].clone(),
                Node::Not(g) => m.not(&of(g))?,
                Node::And(list) => {
                    let list: Vec<Set> = list.iter().map(of).collect();
                    m.all(&list)?
                }
                Node::Or(list) => {
                    let list: Vec<Set> = list.iter().map(of).collect();
                    m.any(&list)?
                }
                Node::Implies(g, h) => m.or(&m.not(&of(g))?, &of(h))?,
                Node::Iff(g, h) => m.equiv(&of(g), &of(h))?,
                Node::Xor(g, h) => m.xor(&of(g), &of(h))?,
                Node::Path(..) => match self.outer.get(&f).filter(|_| first) {
                    Some(set) => set.clone(),
                    None => match self.inner.get(&f).map(|a| store.node(*a)) {
                        Some(Node::Atom(atom)) => self.atoms[atom].clone(),
                        _ => return Err(misplaced()),
                    },
                },
                Node::Unary(..) | Node::Binary(..) => return Err(misplaced()),
            };
            sets.insert(f, set);
        }
        Ok(sets[&formula].clone())
    }

    /// The states that satisfy a quantified formula.
    fn path(
        &mut self,
        store: &mut Formulas,
        quantifier: Quantifier,
        body: FormulaId,
        first: bool,
    ) -> Outcome<Set> {
        let body = self.flat(store, body);
        let negated = quantifier == Quantifier::All;
        let body = normal_form(store, body, negated);
        let set = self.exists(store, body, first)?;
        let set = self.engine.project(&set)?;
        match quantifier {
            Quantifier::Exists => Ok(set),
            Quantifier::All => self.engine.m.not(&set),
        }
    }

    /// The body of a quantifier with atoms for the quantifiers inside.
    pub fn flat(&self, store: &mut Formulas, body: FormulaId) -> FormulaId {
        let mut new: HashMap<FormulaId, FormulaId> = HashMap::new();
        for f in outside(store, body) {
            let node = store.node(f).clone();
            let of = |g: &FormulaId| new[g];
            let copy = match node {
                Node::Constant(_) | Node::Atom(_) => f,
                Node::Not(g) => store.not(of(&g)),
                Node::And(list) => store.and(list.iter().map(of)),
                Node::Or(list) => store.or(list.iter().map(of)),
                Node::Implies(g, h) => store.implies(of(&g), of(&h)),
                Node::Iff(g, h) => store.iff(of(&g), of(&h)),
                Node::Xor(g, h) => store.xor(of(&g), of(&h)),
                Node::Unary(op, g) => store.unary(op, of(&g)),
                Node::Binary(op, g, h) => store.binary(op, of(&g), of(&h)),
                Node::Path(..) => self.inner.get(&f).copied().unwrap_or(f),
            };
            new.insert(f, copy);
        }
        new[&body]
    }

    /// The states with a fair run that satisfies a formula in negation normal form.
    pub fn exists(&mut self, store: &mut Formulas, body: FormulaId, first: bool) -> Outcome<Set> {
        let fair = self.engine.fair_states()?;
        let reached = self.engine.reached()?;
        if !store.properties(body).has_past() {
            // Disjunctions are distributed, conditions on the state come out.
            if let Node::Or(list) = store.node(body).clone() {
                let mut all = self.engine.m.no();
                for f in list.iter() {
                    let set = self.exists(store, *f, first)?;
                    all = self.engine.m.or(&all, &set)?;
                }
                return Ok(all);
            }
            if let Node::And(list) = store.node(body).clone() {
                let is_state = |f: &&FormulaId| store.properties(**f).is_boolean();
                let conditions: Vec<FormulaId> = list.iter().filter(is_state).copied().collect();
                let rest: Vec<FormulaId> = list.iter().filter(|f| !is_state(f)).copied().collect();
                if !conditions.is_empty() {
                    let condition = store.and(conditions);
                    let rest = store.and(rest);
                    let condition = self.state_formula(store, condition, false)?;
                    let set = self.exists(store, rest, first)?;
                    return self.engine.m.and(&condition, &set);
                }
            }
            if let Some(set) = self.simple(store, body, &fair, &reached)? {
                return Ok(set);
            }
        }
        let init = self.engine.model.init.clone();
        let (mut product, past, asserted) =
            self.engine
                .product(store, body, &self.atoms, &init, first)?;
        let core = self.engine.core_of(&mut product, &self.engine.m.yes())?;
        let m = &self.engine.m;
        let reached = product.reached.clone().unwrap_or_else(|| m.no());
        let feasible = closure(m, &product.steps, &core, Some(&reached), Towards::Past)?;
        self.engine.equation("the states with a fair run", |m| {
            leads_to(m, &product.steps, (&feasible, &core), &reached)
        })?;
        let mut set = m.and(&feasible, &asserted)?;
        if first {
            // At position 0 there is no past.
            set = m.and(&set, &init)?;
            for condition in &past.init {
                set = m.and(&set, condition)?;
            }
        }
        let bits = m.cube(past.bits.iter().map(|b| b.now).rev())?;
        m.exists(&set, &bits)
    }

    /// The operators of CTL on conditions.
    fn simple(
        &mut self,
        store: &mut Formulas,
        body: FormulaId,
        fair: &Set,
        reached: &Set,
    ) -> Outcome<Option<Set>> {
        let is_state = |f: FormulaId| store.properties(f).is_boolean();
        if is_state(body) {
            let set = self.state_formula(store, body, false)?;
            return Ok(Some(self.engine.m.and(&set, fair)?));
        }
        let (op, left, right) = match *store.node(body) {
            Node::Unary(op, f) if is_state(f) => match op {
                Unary::Next => {
                    let set = self.state_formula(store, f, false)?;
                    let m = &self.engine.m;
                    let image =
                        self.engine
                            .model
                            .steps
                            .image(m, &m.and(&set, fair)?, Towards::Past)?;
                    return Ok(Some(m.and(&image, reached)?));
                }
                Unary::Finally => (Binary::Until, FormulaId::TRUE, f),
                Unary::Globally => (Binary::Release, FormulaId::FALSE, f),
                _ => return Ok(None),
            },
            Node::Binary(op, f, g) if is_state(f) && is_state(g) => (op, f, g),
            _ => return Ok(None),
        };
        let left = self.state_formula(store, left, false)?;
        let right = self.state_formula(store, right, false)?;
        let m = &self.engine.m;
        let (stay, goal) = match op {
            Binary::Until | Binary::WeakUntil => (left, right),
            Binary::Release | Binary::StrongRelease => {
                let both = m.and(&left, &right)?;
                (right, both)
            }
            _ => return Ok(None),
        };
        let stay = m.and(&stay, reached)?;
        let goal = m.and(&goal, fair)?;
        let within = m.or(&stay, &goal)?;
        let steps = &self.engine.model.steps;
        let mut set = closure(m, steps, &goal, Some(&within), Towards::Past)?;
        self.engine.equation("the states of a path formula", |m| {
            leads_to(m, steps, (&set, &goal), &within)
        })?;
        if let Binary::WeakUntil | Binary::Release = op {
            let ever = self.engine.fair_inside(&stay)?;
            set = self.engine.m.or(&set, &ever)?;
        }
        Ok(Some(set))
    }
}

fn misplaced() -> Stop {
    Stop::Refused("a temporal operator must stand under a path quantifier".into())
}

/// The subformulas that are not inside of a quantifier, operands first; quantified ones included.
fn outside(store: &Formulas, formula: FormulaId) -> Vec<FormulaId> {
    let mut found = std::collections::BTreeSet::new();
    let mut open = vec![formula];
    while let Some(f) = open.pop() {
        if found.insert(f) && !matches!(store.node(f), Node::Path(..)) {
            open.extend(store.node(f).operands());
        }
    }
    found.into_iter().collect()
}
