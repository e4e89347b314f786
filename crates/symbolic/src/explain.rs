//! A run that shows why a formula of CTL* holds or fails.
//!
//! **Problem.** `A f` that is false is so because of a run, and so is `E f` that is true. People
//! want to see all of it: for `AG (p -> AF q)` not only how p is reached, but also how q is avoided
//! from there.
//!
//! **Idea.** A run for `E f` where f is one operator of CTL is a shortest path to where the
//! operator is fulfilled. If that is the case because of a further quantifier, the run goes on with
//! a run for it, and so on; otherwise with any fair run. `G` needs a fair cycle at once; formulas
//! that are not CTL have a tester beside them.
//!
//! **Limits.** One run shows one quantifier after the other. Of two that hold in the same state the
//! first is shown, and an inner formula with past operators, which are about any way to the state,
//! is not.

use evenhand_logic::{AtomId, Binary, FormulaId, Formulas, Node, Quantifier, Unary, normal_form};

use crate::answer::Run;
use crate::ctlstar::Labels;
use crate::manager::{Outcome, Set};
use crate::witness::{Point, Walk, onward, path_inside, point, step_into};

impl Labels<'_> {
    /// A run for the quantifier that makes a formula true or false on some of the states; outermost
    /// quantifiers are about position 0 if `first`.
    pub fn explain(
        &mut self,
        store: &mut Formulas,
        formula: FormulaId,
        holds: bool,
        from: Set,
        first: bool,
    ) -> Outcome<Option<Run>> {
        let (mut formula, mut holds, mut from) = (formula, holds, from);
        loop {
            let node = store.node(formula).clone();
            match node {
                Node::Not(f) => (formula, holds) = (f, !holds),
                Node::And(list) | Node::Or(list) => {
                    let mut next = None;
                    for &f in list.iter() {
                        if !self.is_quantified(store, f) {
                            continue;
                        }
                        let set = self.state_formula(store, f, first)?;
                        let m = &self.engine.m;
                        let part = match holds {
                            true => m.and(&from, &set)?,
                            false => m.minus(&from, &set)?,
                        };
                        if !m.is_empty(&part) {
                            next = Some((f, part));
                            break;
                        }
                    }
                    let Some((f, part)) = next else {
                        return Ok(None);
                    };
                    (formula, from) = (f, part);
                }
                Node::Implies(f, g) => {
                    let not = store.not(f);
                    formula = store.or([not, g]);
                }
                Node::Atom(atom) => match self.meant(store, atom) {
                    Some(quantified) => formula = quantified,
                    None => return Ok(None),
                },
                Node::Path(quantifier, body) => {
                    let body = self.flat(store, body);
                    let negated = match (quantifier, holds) {
                        (Quantifier::Exists, true) => false,
                        (Quantifier::All, false) => true,
                        _ => return Ok(None),
                    };
                    if !first && store.properties(body).has_past() {
                        return Ok(None);
                    }
                    let body = normal_form(store, body, negated);
                    return self.show(store, body, &from, first);
                }
                _ => return Ok(None),
            }
        }
    }

    /// The quantified formula that an atom stands for.
    fn meant(&self, store: &Formulas, atom: AtomId) -> Option<FormulaId> {
        let is_it = |f: &FormulaId| matches!(store.node(*f), Node::Atom(a) if *a == atom);
        let mut known = self.inner.iter().filter(|(_, f)| is_it(f));
        known.next().map(|(quantified, _)| *quantified)
    }

    fn is_quantified(&self, store: &Formulas, formula: FormulaId) -> bool {
        let mut atoms = store.atoms_of(formula).into_iter();
        store.properties(formula).has_quantifier()
            || atoms.any(|atom| self.meant(store, atom).is_some())
    }

    /// A fair run from some states that satisfies a formula of linear time in negation normal form.
    /// The operators of CTL on conditions need no tester.
    fn show(
        &mut self,
        store: &mut Formulas,
        body: FormulaId,
        from: &Set,
        first: bool,
    ) -> Outcome<Option<Run>> {
        let is_state = |f: FormulaId| store.properties(f).is_boolean();
        let has_past = store.properties(body).has_past();
        let stay = match store.node(body).clone() {
            _ if has_past => return self.beside(store, body, from, first),
            _ if is_state(body) => return self.by_way_of(store, vec![], body, from),
            Node::Or(list) => {
                for &f in list.iter() {
                    let set = self.exists(store, f, false)?;
                    let part = self.engine.m.and(from, &set)?;
                    if !self.engine.m.is_empty(&part) {
                        return self.show(store, f, &part, first);
                    }
                }
                return Ok(None);
            }
            Node::And(list) => {
                let (conditions, rest): (Vec<_>, Vec<_>) = list.iter().partition(|f| is_state(**f));
                if conditions.is_empty() {
                    return self.beside(store, body, from, first);
                }
                let condition = store.and(conditions);
                let rest = store.and(rest);
                let condition = self.state_formula(store, condition, false)?;
                let part = self.engine.m.and(from, &condition)?;
                return self.show(store, rest, &part, first);
            }
            Node::Unary(Unary::Next, f) if is_state(f) => {
                let goal = self.good(store, f)?;
                let (m, model) = (&self.engine.m, &self.engine.model);
                return match step_into(m, model, from, &goal)? {
                    Some(step) => self.by_way_of(store, step, f, from),
                    None => Ok(None),
                };
            }
            Node::Unary(Unary::Finally, f) if is_state(f) => {
                return self.until(store, FormulaId::TRUE, f, from);
            }
            Node::Unary(Unary::Globally, f) if is_state(f) => f,
            Node::Binary(op, f, g) if is_state(f) && is_state(g) => {
                let both = store.and([f, g]);
                let (until, ever) = match op {
                    Binary::Until => return self.until(store, f, g, from),
                    Binary::StrongRelease => return self.until(store, g, both, from),
                    Binary::WeakUntil => (store.binary(Binary::Until, f, g), f),
                    Binary::Release => (store.binary(Binary::Until, g, both), g),
                    _ => return self.beside(store, body, from, first),
                };
                let ever = store.globally(ever);
                let either = store.or([until, ever]);
                return self.show(store, either, from, first);
            }
            _ => return self.beside(store, body, from, first),
        };
        let reached = self.engine.reached()?;
        let stay = self.state_formula(store, stay, false)?;
        let stay = self.engine.m.and(&stay, &reached)?;
        let core = self.engine.core_inside(&stay)?;
        let (m, model) = (&self.engine.m, &self.engine.model);
        let walk = onward(m, model, &core, (from, Some(&stay)))?;
        walk.map(|walk| self.engine.run(&self.engine.model, walk))
            .transpose()
    }

    /// A run to a goal through states of a kind.
    fn until(
        &mut self,
        store: &mut Formulas,
        stay: FormulaId,
        goal: FormulaId,
        from: &Set,
    ) -> Outcome<Option<Run>> {
        let reached = self.engine.reached()?;
        let stay = self.state_formula(store, stay, false)?;
        let stay = self.engine.m.and(&stay, &reached)?;
        let good = self.good(store, goal)?;
        let (m, model) = (&self.engine.m, &self.engine.model);
        match path_inside(m, model, (from, &stay, &good))? {
            Some(path) => self.by_way_of(store, path, goal, from),
            None => Ok(None),
        }
    }

    /// The states with a fair run that satisfy a condition.
    fn good(&mut self, store: &mut Formulas, condition: FormulaId) -> Outcome<Set> {
        let set = self.state_formula(store, condition, false)?;
        let fair = self.engine.fair_states()?;
        self.engine.m.and(&set, &fair)
    }

    /// A run that begins with a path, and goes on with what shows the condition on its last state.
    fn by_way_of(
        &mut self,
        store: &mut Formulas,
        path: Vec<Point>,
        condition: FormulaId,
        from: &Set,
    ) -> Outcome<Option<Run>> {
        // Inner quantifiers choose their inputs anew: the run goes on from the last state with any
        // of them, best with those that the condition wants.
        let wide = match path.last() {
            Some(last) => {
                let last = point(&self.engine.m, &self.engine.model, last)?;
                self.engine.project(&last)?
            }
            None => from.clone(),
        };
        let good = self.good(store, condition)?;
        let here = self.engine.m.and(&wide, &good)?;
        let mut shown = self.explain(store, condition, true, here.clone(), false)?;
        if shown.is_none() {
            let reached = self.engine.reached()?;
            let wide = self.engine.m.and(&wide, &reached)?;
            shown = self.explain(store, condition, true, wide, false)?;
        }
        let rest = match shown {
            Some(run) => run,
            None => {
                self.engine.fair_states()?;
                let (m, model) = (&self.engine.m, &self.engine.model);
                let core = self.engine.fair.as_ref().map(|(_, core)| core.clone());
                let core = core.unwrap_or_else(|| m.no());
                match onward(m, model, &core, (&here, None))? {
                    Some(walk) => self.engine.run(model, walk)?,
                    None => return Ok(None),
                }
            }
        };
        if path.is_empty() {
            return Ok(Some(rest));
        }
        let walk = Walk {
            states: path,
            turn: None,
        };
        let begin = self.engine.run(&self.engine.model, walk)?;
        Ok(Some(begin.followed_by(rest)))
    }

    /// A run found beside a tester.
    fn beside(
        &mut self,
        store: &mut Formulas,
        body: FormulaId,
        from: &Set,
        first: bool,
    ) -> Outcome<Option<Run>> {
        let atoms = self.atoms.clone();
        self.engine.fair_run(store, body, &atoms, from, first)
    }
}
