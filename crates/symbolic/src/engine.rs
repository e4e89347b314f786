//! The engine: one model, and the questions that can be asked of it.
//!
//! Everything that questions share is computed when it is first needed and kept: the reachable states,
//! the states with a fair run, the propositions as sets. A question that reaches a limit leaves the
//! engine as it was.
//!
//! The fairness is what the relation says ([`Relation::justice`], [`Relation::compassion`]). Finite runs
//! do not count for temporal properties; where there are some, an answer warns. If a proposition of the
//! relation is about inputs, states are taken together with the input chosen in them; states are counted
//! without.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use evenhand_logic::{AtomId, FormulaId, Formulas};
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::{ExprId, Relation, Role};
use oxidd::VarNo;

use crate::answer::{Answer, Count, Length, Run, Statistics, Warning};
use crate::coding::{Bit, Coding, When};
use crate::compassion::{CompassionAs, as_justice};
use crate::ctlstar;
use crate::encode::Encoder;
use crate::feasible::{Fairness, Method, core};
use crate::image::{Piece, Step, Towards};
use crate::manager::{Manager, Outcome, Renaming, Set};
use crate::order::variable_order;
use crate::partition::{System, system};
use crate::product::{Addition, Product};
use crate::reach::{closure, rings};
use crate::tester::beside;
use crate::watch::{Stop, Watch};
use crate::witness::{Walk, lasso, point, shortest, step_between};

/// How the engine works and what it may use.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many bytes the diagrams may take.
    pub memory: u64,
    /// How long the engine may work, from its making.
    pub time: Option<Duration>,
    /// A flag that ends the work.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// The variant of FEASIBLE.
    pub method: Method,
    /// How compassion is handled.
    pub compassion: CompassionAs,
    /// Whether the order of variables is improved during long runs.
    pub sift: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            memory: 4 << 30,
            time: None,
            interrupt: None,
            method: Method::default(),
            compassion: CompassionAs::default(),
            sift: true,
        }
    }
}

/// The symbolic engine on one model.
pub struct Symbolic {
    pub(crate) m: Manager,
    relation: Relation,
    coding: Coding,
    system: System,
    pub(crate) model: Product,
    options: Options,
    propositions: HashMap<PropositionId, Set>,
    pub(crate) primed: Renaming,
    /// The bits of inputs that are part of states.
    pub(crate) inputs: Set,
    pub(crate) fair: Option<Set>,
    pub(crate) rounds: Cell<u64>,
}

/// The model for formulas of linear time.
struct Light {
    pieces: Vec<Piece>,
    bits: Vec<Bit>,
    init: Set,
    /// The variables that became inputs.
    free: Set,
}

/// What can be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Reachable {
    /// The number of states.
    pub states: Count,
    /// The number of initial states.
    pub initial: Count,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// How much was done.
    pub statistics: Statistics,
}

impl Symbolic {
    /// Translates a relation.
    ///
    /// # Errors
    /// If the relation is not well formed or too large, or a limit is reached.
    pub fn new(relation: &Relation, options: Options) -> Result<Symbolic, Stop> {
        relation.check().map_err(|r| Stop::Refused(r.reason))?;
        let watch = Watch::new(options.time, options.interrupt.clone());
        let about_inputs = (0..relation.propositions.len() as u32)
            .any(|p| relation.reads_inputs(PropositionId(p)));
        let widths = relation
            .variables
            .iter()
            .map(|v| crate::coding::width(&v.sort));
        let m = Manager::new(
            2 * widths.sum::<usize>(),
            options.memory,
            options.sift,
            watch,
        );
        let order = variable_order(relation);
        let coding = Coding::new(&m, relation, &order, about_inputs)?;
        let mut encoder = Encoder::new(&m, &coding, &relation.expressions);
        let system = system(&m, &coding, relation, &mut encoder)?;
        let mut propositions = HashMap::new();
        let pairs = relation.compassion.iter().flat_map(|c| [c.when, c.then]);
        for id in relation.justice.iter().copied().chain(pairs) {
            let (_, expr) = relation.propositions[id.0 as usize];
            propositions.insert(id, encoder.condition(expr)?.holds);
        }
        drop(encoder);
        let set = |id: &PropositionId| propositions[id].clone();
        let mut fairness = Fairness {
            justice: relation.justice.iter().map(set).collect(),
            compassion: Vec::new(),
        };
        for pair in &relation.compassion {
            fairness.compassion.push((set(&pair.when), set(&pair.then)));
        }
        Symbolic::assemble(
            m,
            relation.clone(),
            coding,
            system,
            (fairness, propositions),
            options,
        )
    }

    /// The engine on a system whose diagrams are there; `relation` and `coding` say how to read states.
    pub(crate) fn assemble(
        m: Manager,
        relation: Relation,
        coding: Coding,
        system: System,
        (mut fairness, propositions): (Fairness, HashMap<PropositionId, Set>),
        options: Options,
    ) -> Result<Symbolic, Stop> {
        let mut additions = Vec::new();
        if options.compassion == CompassionAs::Justice {
            additions.push(as_justice(&m, &std::mem::take(&mut fairness.compassion))?);
        }
        let bits: Vec<Bit> = coding
            .state()
            .flat_map(|(_, v)| v.bits.iter().copied())
            .collect();
        let model = Product::new(
            &m,
            &system.init,
            &system.pieces,
            &bits,
            &fairness,
            &additions,
        )?;
        let pairs = bits.iter().filter_map(|b| Some((b.now, b.next?)));
        let primed = m.renaming(pairs)?;
        let inputs = coding
            .state()
            .filter(|(id, _)| relation.variables[id.0 as usize].role == Role::Input)
            .flat_map(|(_, v)| v.levels(When::Now));
        let guesses = additions.iter().flat_map(|a| a.bits.iter().map(|b| b.now));
        let inputs = m.cube(inputs.chain(guesses).collect::<Vec<_>>())?;
        Ok(Symbolic {
            m,
            relation,
            coding,
            system,
            model,
            options,
            propositions,
            primed,
            inputs,
            fair: None,
            rounds: Cell::new(0),
        })
    }

    /// The names of the variables from the top of the diagrams to the bottom.
    pub fn order(&self) -> Vec<&str> {
        let place = self.m.order();
        let level = |bit: &Bit| place.iter().position(|&v| v == bit.now);
        let mut list: Vec<(Option<usize>, &str)> = self
            .coding
            .all()
            .map(|(id, v)| {
                let name = self.relation.variables[id.0 as usize].name.as_str();
                (v.bits.first().and_then(level), name)
            })
            .collect();
        list.sort();
        list.into_iter().map(|(_, name)| name).collect()
    }

    /// How much was done so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            rounds: self.rounds.get(),
            operations: self.m.operations(),
            peak_nodes: self.m.peak(),
            collections: self.m.collections(),
            reorderings: self.m.reorderings(),
            bits: self.coding.state_bits,
            pieces: self.system.pieces.len(),
            time: self.m.watch().elapsed(),
        }
    }

    /// The reachable states of the model.
    pub(crate) fn reached(&mut self) -> Outcome<Set> {
        let mut rounds = self.rounds.get();
        let reached = self.model.reached(&self.m, None, &mut rounds);
        self.rounds.set(rounds);
        reached
    }

    /// A set of states without inputs that belong to them.
    pub(crate) fn project(&self, set: &Set) -> Outcome<Set> {
        self.m.exists(set, &self.inputs)
    }

    fn count(&self, set: &Set) -> Outcome<Count> {
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
    fn faults(&mut self) -> Outcome<Vec<Warning>> {
        let mut bad = self.system.initial_faults.clone();
        for fault in &self.system.faults {
            bad = self.m.or(&bad, fault)?;
        }
        if self.m.is_empty(&bad) {
            return Ok(Vec::new());
        }
        let reached = self.reached()?;
        let levels = self.m.support(&bad);
        let now: Vec<_> = self.model.bits.iter().map(|b| b.now).collect();
        let others = self
            .m
            .cube(levels.into_iter().filter(|v| !now.contains(v)).rev())?;
        let bad = self.m.and(&self.m.exists(&bad, &others)?, &reached)?;
        let path = shortest(&self.m, &self.model, &bad)?;
        match path {
            Some(walk) => Ok(vec![Warning::Fault(self.run(&self.model, walk)?)]),
            None => Ok(Vec::new()),
        }
    }

    /// The states that have a fair run.
    pub(crate) fn fair_states(&mut self) -> Outcome<Set> {
        if let Some(fair) = &self.fair {
            return Ok(fair.clone());
        }
        let reached = self.reached()?;
        let mut rounds = self.rounds.get();
        let (m, model) = (&self.m, &self.model);
        let core = core(
            m,
            &model.steps,
            &reached,
            &model.fairness,
            self.options.method,
            &mut rounds,
        )?;
        let fair = closure(
            m,
            &model.steps,
            &core,
            Some(&reached),
            Towards::Past,
            &mut rounds,
        )?;
        self.rounds.set(rounds);
        self.fair = Some(fair.clone());
        Ok(fair)
    }

    /// The core of the fair runs inside of a set of states, and what reaches it there.
    pub(crate) fn fair_inside(&self, states: &Set) -> Outcome<Set> {
        let mut rounds = self.rounds.get();
        let (m, model) = (&self.m, &self.model);
        let core = core(
            m,
            &model.steps,
            states,
            &model.fairness,
            self.options.method,
            &mut rounds,
        )?;
        let fair = closure(
            m,
            &model.steps,
            &core,
            Some(states),
            Towards::Past,
            &mut rounds,
        )?;
        self.rounds.set(rounds);
        Ok(fair)
    }

    /// A proposition as a set of states.
    pub(crate) fn proposition(&mut self, id: PropositionId) -> Outcome<Set> {
        if let Some(set) = self.propositions.get(&id) {
            return Ok(set.clone());
        }
        let known = self.relation.propositions.get(id.0 as usize);
        let Some(&(_, expr)) = known else {
            return Err(Stop::Refused("a proposition is not known".into()));
        };
        let mut encoder = Encoder::new(&self.m, &self.coding, &self.relation.expressions);
        let set = encoder.condition(expr)?.holds;
        self.propositions.insert(id, set.clone());
        Ok(set)
    }

    /// The atoms of a formula as sets.
    pub(crate) fn atoms(
        &mut self,
        store: &Formulas,
        formula: FormulaId,
        proposition: &dyn Fn(AtomId) -> Option<PropositionId>,
    ) -> Outcome<HashMap<AtomId, Set>> {
        let mut atoms = HashMap::new();
        for atom in store.atoms_of(formula) {
            let unknown = || Stop::Refused("a proposition is not known".into());
            let id = proposition(atom).ok_or_else(unknown)?;
            atoms.insert(atom, self.proposition(id)?);
        }
        Ok(atoms)
    }

    /// A walk as values of the variables of the model.
    fn run(&self, product: &Product, walk: Walk) -> Outcome<Run> {
        let mut run = Run {
            states: Vec::new(),
            parts: Vec::new(),
            turn: walk.turn,
        };
        let mut last = None;
        for pair in walk.states.windows(2) {
            let here = point(&self.m, product, &pair[0])?;
            let found = step_between(&self.m, product, &product.steps, &here, &pair[1])?;
            let Some((step, values)) = found else {
                return Err(Stop::Refused(
                    "a step of a run does not exist: please report".into(),
                ));
            };
            run.states.push(self.coding.read(&values));
            run.parts.push(step.piece.part);
            last = Some(&pair[1]);
        }
        if walk.turn.is_none() {
            let end = last.or(walk.states.last());
            run.states.extend(end.map(|end| self.coding.read(end)));
        }
        Ok(run)
    }

    fn answer(&self, holds: bool, run: Option<Run>, warnings: Vec<Warning>) -> Answer {
        Answer {
            holds,
            run,
            warnings,
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
        let bad = self.m.minus(&reached, &set)?;
        self.never(&bad)
    }

    fn never(&mut self, bad: &Set) -> Outcome<Answer> {
        let warnings = self.faults()?;
        if self.m.is_empty(bad) {
            return Ok(self.answer(true, None, warnings));
        }
        let run = match shortest(&self.m, &self.model, bad)? {
            Some(walk) => Some(self.run(&self.model, walk)?),
            None => None,
        };
        Ok(self.answer(false, run, warnings))
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
        let broken = m.not(&encoder.condition(condition)?.holds)?;
        drop(encoder);
        let mut sources = m.no();
        let mut steps = Vec::new();
        for step in &self.model.steps.list {
            let piece = step.piece.with(m, &[], std::slice::from_ref(&broken))?;
            let bad = Step::new(m, piece)?;
            let from = bad.image(m, &self.system.states, Towards::Past)?;
            sources = m.or(&sources, &m.and(&from, &reached)?)?;
            steps.push(bad);
        }
        if m.is_empty(&sources) {
            let warnings = self.faults()?;
            return Ok(self.answer(true, None, warnings));
        }
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

    /// Reachable states without a successor.
    fn dead_ends(&mut self) -> Outcome<Set> {
        let reached = self.reached()?;
        let (m, model) = (&self.m, &self.model);
        let alive = model.steps.image(m, &self.system.states, Towards::Past)?;
        let alive = m.exists(&alive, &self.inputs)?;
        m.minus(&reached, &alive)
    }

    /// Whether each reachable state has a successor; if not, with a shortest path to one that has none.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn total(&mut self) -> Result<Answer, Stop> {
        let dead = self.dead_ends()?;
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
        let mut store = Formulas::new();
        let init = self.model.init.clone();
        let found = self.fair_run(&mut store, FormulaId::TRUE, &HashMap::new(), &init)?;
        let warnings = self.faults()?;
        Ok(self.answer(found.is_some(), found, warnings))
    }

    /// The number of reachable states that have a fair run.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn feasible_states(&mut self) -> Result<Count, Stop> {
        let fair = self.fair_states()?;
        self.count(&fair)
    }

    /// Variables whose value is chosen anew in each state, that no one of some sets depends on: for
    /// formulas of linear time they are as good as inputs, which makes states fewer.
    fn free_bits(&self, sets: &[&Set]) -> Outcome<(Vec<Bit>, Set)> {
        let m = &self.m;
        let mut bound: BTreeSet<VarNo> = BTreeSet::new();
        for set in sets.iter().copied().chain(self.fair_sets()) {
            bound.extend(m.support(set));
        }
        let (mut bits, mut all) = (Vec::new(), m.yes());
        for (id, coded) in self.coding.state() {
            let valid = [When::Now, When::Next].map(|when| self.coding.valid(m, id, when));
            let [now, next] = valid;
            let (now, next) = (now?, next?);
            let used = |set: &Set| {
                let support = m.support(set);
                coded.levels(When::Next).any(|v| support.contains(&v))
            };
            let is_tied = self.model.steps.list.iter().any(|step| {
                let piece = &step.piece;
                let kept = piece.kept.iter().any(|b| coded.bits.contains(b));
                kept || piece.conjuncts.iter().any(|set| *set != next && used(set))
            });
            let levels = m.cube(
                coded
                    .levels(When::Now)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev(),
            )?;
            let rest = m.and(&m.exists(&self.model.init, &levels)?, &now)?;
            let is_bound = coded.levels(When::Now).any(|v| bound.contains(&v));
            if !is_tied && !is_bound && rest == self.model.init && !coded.bits.is_empty() {
                bits.extend_from_slice(&coded.bits);
                all = m.and(&all, &now)?;
            }
        }
        Ok((bits, all))
    }

    fn fair_sets(&self) -> impl Iterator<Item = &Set> {
        let fairness = &self.model.fairness;
        let pairs = fairness.compassion.iter().flat_map(|(p, q)| [p, q]);
        fairness.justice.iter().chain(pairs)
    }

    /// The model with variables that are as good as inputs taken as such.
    fn lighter(&self, atoms: &HashMap<AtomId, Set>, init: &Set) -> Outcome<Light> {
        let m = &self.m;
        let sets: Vec<&Set> = atoms.values().collect();
        let (free, valid) = self.free_bits(&sets)?;
        let cube = m.cube(free.iter().map(|b| b.now).rev())?;
        let mut pieces = Vec::new();
        for step in &self.model.steps.list {
            pieces.push(step.piece.with_inputs(m, &free, &valid)?);
        }
        let bits = self.model.bits.iter().filter(|b| !free.contains(b));
        Ok(Light {
            pieces,
            bits: bits.copied().collect(),
            init: m.exists(init, &cube)?,
            free: cube,
        })
    }

    /// The product with a tester, beginning where the formula is asserted if so wanted.
    pub(crate) fn product(
        &mut self,
        store: &mut Formulas,
        formula: FormulaId,
        atoms: &HashMap<AtomId, Set>,
        init: &Set,
        assert: bool,
    ) -> Outcome<(Product, Addition, Set)> {
        let tester = beside(&self.m, store, formula, atoms, &self.primed)?;
        let mut addition = tester.addition;
        let past = addition.clone();
        if assert {
            addition.init.push(tester.asserted.clone());
        }
        let pieces: Vec<_> = self
            .model
            .steps
            .list
            .iter()
            .map(|s| s.piece.clone())
            .collect();
        let (m, model) = (&self.m, &self.model);
        let product = Product::new(m, init, &pieces, &model.bits, &model.fairness, &[addition])?;
        Ok((product, past, tester.asserted))
    }

    /// The core of a product, whose reachable states are computed.
    pub(crate) fn core_of(&mut self, product: &mut Product, hidden: &Set) -> Outcome<Set> {
        let reached_model = self.reached()?;
        let reached_model = self.m.exists(&reached_model, hidden)?;
        let mut rounds = self.rounds.get();
        let reached = product.reached(&self.m, Some(&reached_model), &mut rounds)?;
        let method = self.options.method;
        let found = core(
            &self.m,
            &product.steps,
            &reached,
            &product.fairness,
            method,
            &mut rounds,
        )?;
        self.rounds.set(rounds);
        Ok(found)
    }

    /// A fair run from some of the initial states that satisfies a formula of linear time.
    pub(crate) fn fair_run(
        &mut self,
        store: &mut Formulas,
        formula: FormulaId,
        atoms: &HashMap<AtomId, Set>,
        init: &Set,
    ) -> Outcome<Option<Run>> {
        let light = self.lighter(atoms, init)?;
        let tester = beside(&self.m, store, formula, atoms, &self.primed)?;
        let mut addition = tester.addition;
        addition.init.push(tester.asserted);
        let (m, fairness) = (&self.m, &self.model.fairness);
        let mut product = Product::new(
            m,
            &light.init,
            &light.pieces,
            &light.bits,
            fairness,
            &[addition],
        )?;
        let core = self.core_of(&mut product, &light.free)?;
        match lasso(&self.m, &product, &core)? {
            Some(walk) => self.run(&product, walk).map(Some),
            None => Ok(None),
        }
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
        let mut bad = store.not(formula);
        let mut native = Vec::new();
        if self.options.compassion == CompassionAs::Antecedent {
            native = std::mem::take(&mut self.model.fairness.compassion);
            bad = ctlstar::with_antecedent(&mut store, bad, &native, &mut atoms);
        }
        let init = self.model.init.clone();
        let found = self.fair_run(&mut store, bad, &atoms, &init);
        self.model.fairness.compassion.extend(native);
        let found = found?;
        let warnings = self.faults()?;
        Ok(self.answer(found.is_none(), found, warnings))
    }

    /// Whether all initial states satisfy a formula of CTL*, past operators included; with a run for
    /// the outermost quantifier that decides it.
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
        let fair = self.fair_states()?;
        for formula in [from, to] {
            let atoms = self.atoms(&store, formula, proposition)?;
            let set = ctlstar::satisfying(self, &mut store, formula, atoms)?;
            sets.push(self.m.and(&set, &fair)?);
        }
        let length = match (&sets[0], &sets[1]) {
            (from, to) if self.m.is_empty(from) || self.m.is_empty(to) => Length::Undefined,
            (from, to) if minimum => self.shortest_length(from, to)?,
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
