//! The questions that can be asked of a model.
//!
//! Invariants, totality and reachability are about all runs, whatever the fairness; the others are
//! about fair runs. Each answer comes with a run that shows it, where one does.

use std::collections::HashMap;

use evenhand_logic::{AtomId, FormulaId, Formulas, Node, Unary};
use evenhand_system::fairness::PropositionId;
use evenhand_system::question::Length;
use evenhand_system::relation::{ExprId, Role};

use crate::answer::{Answer, Count, Reachable, Run, Statistics, Warning};
use crate::compassion::CompassionAs;
use crate::ctlstar;
use crate::encode::Encoder;
use crate::engine::Symbolic;
use crate::image::{Step, Towards};
use crate::manager::{Outcome, Set};
use crate::reach::rings;
use crate::watch::Stop;
use crate::witness::{point, shortest};

impl Symbolic {
    pub(crate) fn count(&self, set: &Set) -> Outcome<Count> {
        let (exact, about) = self.m.count(&self.project(set)?, self.counted_bits());
        Ok(Count { exact, about })
    }

    fn counted_bits(&self) -> usize {
        let variables = self.coding.state();
        let own = variables
            .filter(|(id, _)| self.relation.variables[id.0 as usize].role != Role::Input)
            .map(|(_, v)| v.bits.len());
        own.sum()
    }

    /// The number of reachable states.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn reachable(&mut self) -> Result<Reachable, Stop> {
        let reached = self.reached()?;
        Ok(Reachable {
            states: self.count(&reached)?,
            initial: self.count(&self.model.init)?,
            warnings: self.faults()?,
            statistics: self.statistics(),
        })
    }

    /// Reachable states in which a constraint has no value.
    fn faulty(&mut self) -> Outcome<Set> {
        let mut bad = self.system.initial_faults.clone();
        for fault in &self.system.faults {
            bad = self.m.or(&bad, fault)?;
        }
        if self.m.is_empty(&bad) {
            return Ok(bad);
        }
        let reached = self.reached()?;
        let levels = self.m.support(&bad);
        let now: Vec<_> = self.model.bits.iter().map(|b| b.now).collect();
        let others = self
            .m
            .cube(levels.into_iter().filter(|v| !now.contains(v)).rev())?;
        self.m.and(&self.m.exists(&bad, &others)?, &reached)
    }

    /// That there are some, with a shortest path to one.
    pub(crate) fn faults(&mut self) -> Outcome<Vec<Warning>> {
        let bad = self.faulty()?;
        if self.m.is_empty(&bad) {
            return Ok(Vec::new());
        }
        let path = shortest(&self.m, &self.model, &bad)?;
        match path {
            Some(walk) => Ok(vec![Warning::Fault(self.run(&self.model, walk)?)]),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn answer(&self, holds: bool, run: Option<Run>, warnings: Vec<Warning>) -> Answer {
        Answer {
            holds,
            run,
            warnings,
            solved: self.options.equations && !self.unsolved.get(),
            statistics: self.statistics(),
        }
    }

    /// Whether all reachable states satisfy a proposition; if not, with a shortest path.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn invariant(&mut self, proposition: PropositionId) -> Result<Answer, Stop> {
        let set = self.proposition(proposition)?;
        let reached = self.reached()?;
        let other = self.m.minus(&reached, &set)?;
        let bad = self.m.minus(&other, &self.undefined(proposition))?;
        if self.m.is_empty(&bad) {
            self.has_values_in_none(proposition, &other)?;
        }
        self.never(&bad)
    }

    fn never(&mut self, bad: &Set) -> Outcome<Answer> {
        if self.m.is_empty(bad) {
            self.goes_on_everywhere()?;
            return Ok(self.answer(true, None, Vec::new()));
        }
        let warnings = self.faults()?;
        let run = match shortest(&self.m, &self.model, bad)? {
            Some(walk) => Some(self.run(&self.model, walk)?),
            None => None,
        };
        Ok(self.answer(false, run, warnings))
    }

    /// Nothing, if no run is ended by a constraint without a value: what lies behind it is not known.
    fn goes_on_everywhere(&mut self) -> Outcome<()> {
        let bad = self.faulty()?;
        match self.m.is_empty(&bad) {
            true => Ok(()),
            false => {
                let reason = "a run-time error ends a run: a constraint has no value there";
                Err(Stop::Refused(reason.to_string()))
            }
        }
    }

    /// Whether all steps between reachable states satisfy a condition; if not, with a shortest path
    /// that ends with such a step.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn step_invariant(&mut self, condition: ExprId) -> Result<Answer, Stop> {
        let reached = self.reached()?;
        let m = &self.m;
        let mut encoder = Encoder::new(m, &self.coding, &self.relation.expressions);
        let condition = encoder.condition(condition)?;
        drop(encoder);
        let broken = m.not(&m.or(&condition.holds, &condition.undefined)?)?;
        let (sources, steps) = self.steps_that(&broken, &reached)?;
        if m.is_empty(&sources) {
            let (nowhere, _) = self.steps_that(&condition.undefined, &reached)?;
            if !m.is_empty(&nowhere) {
                return Err(Stop::NoValue(None));
            }
            self.goes_on_everywhere()?;
            return Ok(self.answer(true, None, Vec::new()));
        }
        let m = &self.m;
        let Some(mut walk) = shortest(m, &self.model, &sources)? else {
            return Ok(self.answer(false, None, Vec::new()));
        };
        let end = walk.states.last().cloned().unwrap_or_default();
        let here = point(m, &self.model, &end)?;
        for step in &steps {
            let after = step.image(m, &here, Towards::Future)?;
            if let Some(next) = m.pick(&after) {
                walk.states.push(next);
                break;
            }
        }
        let run = self.run(&self.model, walk)?;
        Ok(self.answer(false, Some(run), Vec::new()))
    }

    /// The steps that satisfy a condition, and those of some states that have one.
    fn steps_that(&self, condition: &Set, among: &Set) -> Outcome<(Set, Vec<Step>)> {
        let m = &self.m;
        let (mut sources, mut steps) = (m.no(), Vec::new());
        if m.is_empty(condition) {
            return Ok((sources, steps));
        }
        for step in &self.model.steps.list {
            let piece = step.piece.with(m, &[], std::slice::from_ref(condition))?;
            let step = Step::new(m, piece)?;
            let from = step.image(m, &self.system.states, Towards::Past)?;
            sources = m.or(&sources, &m.and(&from, among)?)?;
            steps.push(step);
        }
        Ok((sources, steps))
    }

    /// Reachable states without a successor.
    pub(crate) fn dead_ends(&mut self) -> Outcome<Set> {
        let reached = self.reached()?;
        let (m, model) = (&self.m, &self.model);
        let alive = model.steps.image(m, &self.system.states, Towards::Past)?;
        let alive = m.exists(&alive, &self.inputs)?;
        m.minus(&reached, &alive)
    }

    /// Whether each reachable state has a successor; if not, with a shortest path to one that has
    /// none. A state in which a constraint has no value is not meant.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn total(&mut self) -> Result<Answer, Stop> {
        let (dead, faulty) = (self.dead_ends()?, self.faulty()?);
        let dead = self.m.minus(&dead, &faulty)?;
        self.never(&dead)
    }

    /// Warnings that concern every temporal property: runs that end, initial states without a fair
    /// run, constraints without a value. They cost as much as a property.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn warnings(&mut self) -> Result<Vec<Warning>, Stop> {
        let mut warnings = self.faults()?;
        let dead = self.dead_ends()?;
        if let Some(walk) = shortest(&self.m, &self.model, &dead)? {
            warnings.push(Warning::DeadEnd(self.run(&self.model, walk)?));
        }
        self.fairness_has_values()?;
        let fair = self.fair_states()?;
        let init = self.project(&self.model.init)?;
        let unfair = self.m.minus(&init, &self.project(&fair)?)?;
        if !self.m.is_empty(&unfair) {
            warnings.push(Warning::NoFairRun {
                states: self.count(&unfair)?,
                all: unfair == init,
            });
        }
        Ok(warnings)
    }

    /// Whether there is a fair run; then with one.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn feasible(&mut self) -> Result<Answer, Stop> {
        self.fairness_has_values()?;
        let mut store = Formulas::new();
        let init = self.model.init.clone();
        let found = self.fair_run(&mut store, FormulaId::TRUE, &HashMap::new(), &init, true)?;
        let warnings = self.faults()?;
        Ok(self.answer(found.is_some(), found, warnings))
    }

    /// The number of reachable states that have a fair run.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn feasible_states(&mut self) -> Result<Count, Stop> {
        self.fairness_has_values()?;
        let fair = self.fair_states()?;
        self.count(&fair)
    }

    /// Whether all fair runs satisfy a formula of linear time, past operators included.
    ///
    /// # Errors
    /// If a limit is reached, the formula has path quantifiers, or an atom has no proposition.
    pub fn ltl(
        &mut self,
        store: &Formulas,
        formula: FormulaId,
        proposition: &dyn Fn(AtomId) -> Option<PropositionId>,
    ) -> Result<Answer, Stop> {
        let mut store = store.clone();
        let mut atoms = self.atoms(&store, formula, proposition)?;
        // What holds in all reachable states holds always, on fair runs and on others.
        if let Node::Unary(Unary::Globally, condition) = *store.node(formula)
            && store.properties(condition).is_boolean()
        {
            let reached = self.reached()?;
            let set = ctlstar::satisfying(self, &mut store, condition, atoms.clone())?;
            if set == reached {
                let warnings = self.faults()?;
                return Ok(self.answer(true, None, warnings));
            }
        }
        self.fairness_has_values()?;
        let mut bad = store.not(formula);
        let mut native = Vec::new();
        if self.options.compassion == CompassionAs::Antecedent {
            native = std::mem::take(&mut self.model.fairness.compassion);
            bad = ctlstar::with_antecedent(&mut store, bad, &native, &mut atoms);
        }
        let init = self.model.init.clone();
        let found = self.fair_run(&mut store, bad, &atoms, &init, true);
        self.model.fairness.compassion.extend(native);
        let found = found?;
        let warnings = self.faults()?;
        Ok(self.answer(found.is_none(), found, warnings))
    }

    /// Whether all initial states satisfy a formula of CTL*, past operators included; with a run
    /// for the outermost quantifier that decides it.
    ///
    /// # Errors
    /// If a limit is reached, the formula has temporal operators outside of quantifiers, or an atom
    /// has no proposition.
    pub fn ctl_star(
        &mut self,
        store: &Formulas,
        formula: FormulaId,
        proposition: &dyn Fn(AtomId) -> Option<PropositionId>,
    ) -> Result<Answer, Stop> {
        self.fairness_has_values()?;
        let mut store = store.clone();
        let atoms = self.atoms(&store, formula, proposition)?;
        let (holds, run) = ctlstar::check(self, &mut store, formula, atoms)?;
        let warnings = self.faults()?;
        Ok(self.answer(holds, run, warnings))
    }

    /// The length of the shortest, or longest, path from one set of reachable states to the first
    /// state of another; both are given as formulas of CTL*. Only states with a fair run count.
    ///
    /// # Errors
    /// As [`Symbolic::ctl_star`].
    pub fn compute(
        &mut self,
        store: &Formulas,
        (from, to): (FormulaId, FormulaId),
        minimum: bool,
        proposition: &dyn Fn(AtomId) -> Option<PropositionId>,
    ) -> Result<(Length, Statistics), Stop> {
        let mut store = store.clone();
        let mut sets = Vec::new();
        self.fairness_has_values()?;
        let fair = self.fair_states()?;
        for formula in [from, to] {
            let atoms = self.atoms(&store, formula, proposition)?;
            let set = ctlstar::satisfying(self, &mut store, formula, atoms)?;
            sets.push(self.m.and(&set, &fair)?);
        }
        let length = match (&sets[0], &sets[1]) {
            // As NuSMV has it: no way is infinitely long; a longest one of none is undefined.
            (from, to) if minimum => self.shortest_length(from, to)?,
            (from, to) if self.m.is_empty(from) || self.m.is_empty(to) => Length::Undefined,
            (from, to) => self.longest_length(from, to, &fair)?,
        };
        Ok((length, self.statistics()))
    }

    fn shortest_length(&self, from: &Set, to: &Set) -> Outcome<Length> {
        let m = &self.m;
        let mut found = false;
        let list = rings(m, &self.model.steps, from, None, Towards::Future, |ring| {
            found = m.meet(ring, to)?;
            Ok(found)
        })?;
        Ok(match found {
            true => Length::Steps(list.len() as u64 - 1),
            false => Length::Infinite,
        })
    }

    fn longest_length(&self, from: &Set, to: &Set, fair: &Set) -> Outcome<Length> {
        let m = &self.m;
        let mut late = m.minus(fair, to)?;
        let mut steps = 0;
        loop {
            if !m.meet(from, &late)? {
                return Ok(Length::Steps(steps));
            }
            let later = m.and(&late, &self.model.steps.image(m, &late, Towards::Past)?)?;
            if later == late {
                return Ok(Length::Infinite);
            }
            late = later;
            steps += 1;
        }
    }
}
