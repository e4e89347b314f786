//! The engine: one model, and the questions that can be asked of it.
//!
//! What questions share is computed when it is first needed and kept: the reachable states, the
//! states with a fair run, the propositions as sets. The questions are in `questions.rs`. A
//! question that reaches a limit leaves the engine as it was.
//!
//! The fairness is what the relation says ([`Relation::justice`], [`Relation::compassion`]). Finite
//! runs do not count for temporal properties; where there are some, an answer warns. If a
//! proposition of the relation is about inputs, states are taken together with the input chosen in
//! them; states are counted without.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use evenhand_logic::{AtomId, FormulaId, Formulas};
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::{Relation, Role};

use crate::answer::{Run, Statistics};
use crate::coding::{Bit, Coding, When};
use crate::compassion::{CompassionAs, as_justice};
use crate::distribute::distributed;
use crate::encode::{Condition, Encoder};
use crate::equations::{goes_on, is_closed, leads_to};
use crate::feasible::{Direction, Fairness, Method, core};
use crate::image::Towards;
use crate::manager::{Manager, Outcome, Renaming, Set};
use crate::order::variable_order;
use crate::partition::{System, system};
use crate::product::{Addition, Product};
use crate::reach::closure;
use crate::tester::beside;
use crate::watch::{Gauge, Shared, Stop, Watch};
use crate::witness::{Walk, lasso, point, step_between};

/// How the engine works and what it may use.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many bytes the diagrams may take.
    pub memory: u64,
    /// Whether others need some of it too.
    pub shared: Option<Shared>,
    /// How long the engine may work, from its making.
    pub time: Option<Duration>,
    /// A flag that ends the work.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Where others can see how far the work is.
    pub gauge: Arc<Gauge>,
    /// The variant of FEASIBLE.
    pub method: Method,
    /// How compassion is handled.
    pub compassion: CompassionAs,
    /// The order of variables is improved when the diagrams have so many nodes for the first time,
    /// and again when they have become larger; never, if there is no number.
    pub sift: Option<usize>,
    /// That may take one part of so many of all other effort; any, if this is 0.
    pub sift_share: usize,
    /// Whether the final sets are held against their equations.
    pub equations: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            memory: 4 << 30,
            shared: None,
            time: None,
            interrupt: None,
            gauge: Arc::default(),
            method: Method::default(),
            compassion: CompassionAs::default(),
            sift: Some(2_000),
            sift_share: 2,
            equations: true,
        }
    }
}

/// The symbolic engine on one model.
pub struct Symbolic {
    pub(crate) m: Manager,
    pub(crate) relation: Relation,
    pub(crate) coding: Coding,
    pub(crate) system: System,
    pub(crate) model: Product,
    pub(crate) options: Options,
    pub(crate) propositions: HashMap<PropositionId, Set>,
    /// Where they have no value; nothing, if they have one everywhere (`valued.rs`).
    pub(crate) undefined: HashMap<PropositionId, Set>,
    pub(crate) primed: Renaming,
    /// The bits of inputs that are part of states.
    pub(crate) inputs: Set,
    /// The states with a fair run, and the core of these runs.
    pub(crate) fair: Option<(Set, Set)>,
    /// Whether there was no room to look at an equation.
    pub(crate) unsolved: Cell<bool>,
}

impl Symbolic {
    /// Translates a relation.
    ///
    /// # Errors
    /// If the relation is not well formed or too large, or a limit is reached.
    pub fn new(relation: &Relation, options: Options) -> Result<Symbolic, Stop> {
        relation.check().map_err(|r| Stop::Refused(r.reason))?;
        let relation = &distributed(relation);
        let watch = Watch::new(
            options.time,
            options.interrupt.clone(),
            options.gauge.clone(),
        );
        let about_inputs = (0..relation.propositions.len() as u32)
            .any(|p| relation.reads_inputs(PropositionId(p)));
        let widths = relation
            .variables
            .iter()
            .map(|v| crate::coding::width(&v.sort));
        let memory = (options.memory, options.shared);
        let sifting = (options.sift, options.sift_share);
        let m = Manager::new(2 * widths.sum::<usize>(), memory, sifting, watch)?;
        let order = variable_order(relation);
        let coding = Coding::new(&m, relation, &order, about_inputs)?;
        let mut encoder = Encoder::new(&m, &coding, &relation.expressions);
        let system = system(&m, &coding, relation, &mut encoder)?;
        let mut conditions: HashMap<PropositionId, Condition> = HashMap::new();
        let pairs = relation.compassion.iter().flat_map(|c| [c.when, c.then]);
        for id in relation.justice.iter().copied().chain(pairs) {
            let (_, expr) = relation.propositions[id.0 as usize];
            conditions.insert(id, encoder.condition(expr)?);
        }
        drop(encoder);
        let set = |id: &PropositionId| conditions[id].holds.clone();
        let mut fairness = Fairness {
            justice: relation.justice.iter().map(set).collect(),
            compassion: Vec::new(),
        };
        for pair in &relation.compassion {
            fairness.compassion.push((set(&pair.when), set(&pair.then)));
        }
        let propositions = HashMap::new();
        let mut engine = Symbolic::assemble(
            m,
            relation.clone(),
            coding,
            system,
            (fairness, propositions),
            options,
        )?;
        for (id, condition) in conditions {
            engine.keep(id, condition)?;
        }
        Ok(engine)
    }

    /// The engine on a system whose diagrams are there; `relation` and `coding` say how to read
    /// states.
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
            undefined: HashMap::new(),
            primed,
            inputs,
            fair: None,
            unsolved: Cell::new(false),
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

    /// From now on there is so much time; without end, if there is no number.
    pub fn allow(&self, time: Option<Duration>) {
        self.m.watch().allow(time);
    }

    /// Where others can see how far the work is.
    pub fn gauge(&self) -> Arc<Gauge> {
        self.options.gauge.clone()
    }

    /// How much was done so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            rounds: self.m.rounds(),
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
        if let Some(reached) = &self.model.reached {
            return Ok(reached.clone());
        }
        let reached = self.model.reached(&self.m, None)?;
        self.equation("what can be reached", |m| {
            let model = &self.model;
            is_closed(
                m,
                &model.steps,
                (&model.init, &reached),
                &self.system.states,
            )
        })?;
        Ok(reached)
    }

    /// A set of states without inputs that belong to them.
    pub(crate) fn project(&self, set: &Set) -> Outcome<Set> {
        self.m.exists(set, &self.inputs)
    }

    /// The states that have a fair run.
    pub(crate) fn fair_states(&mut self) -> Outcome<Set> {
        if let Some((fair, _)) = &self.fair {
            return Ok(fair.clone());
        }
        let reached = self.reached()?;
        let (m, model) = (&self.m, &self.model);
        let core = core(
            m,
            &model.steps,
            (&reached, Some(&self.system.states)),
            &model.fairness,
            self.options.method.or(Direction::Backward),
        )?;
        let fair = closure(m, &model.steps, &core, Some(&reached), Towards::Past)?;
        self.equation("the core of the fair runs", |m| {
            goes_on(m, &model.steps, &core, &reached)
        })?;
        self.equation("the states with a fair run", |m| {
            leads_to(m, &model.steps, (&fair, &core), &reached)
        })?;
        self.fair = Some((fair.clone(), core));
        Ok(fair)
    }

    /// The core of the fair runs inside of a set of states.
    pub(crate) fn core_inside(&self, states: &Set) -> Outcome<Set> {
        let (m, model) = (&self.m, &self.model);
        let method = self.options.method.or(Direction::Backward);
        let found = core(m, &model.steps, (states, None), &model.fairness, method)?;
        Ok(found)
    }

    /// The states with a fair run inside of a set of states.
    pub(crate) fn fair_inside(&self, states: &Set) -> Outcome<Set> {
        let core = self.core_inside(states)?;
        let (m, steps) = (&self.m, &self.model.steps);
        let fair = closure(m, steps, &core, Some(states), Towards::Past)?;
        self.equation("a core of fair runs", |m| goes_on(m, steps, &core, states))?;
        self.equation("the states with a fair run", |m| {
            leads_to(m, steps, (&fair, &core), states)
        })?;
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
        let condition = encoder.condition(expr)?;
        drop(encoder);
        self.keep(id, condition)
    }

    /// The atoms of a formula as sets; they have values in all reachable states.
    pub(crate) fn atoms(
        &mut self,
        store: &Formulas,
        formula: FormulaId,
        proposition: &dyn Fn(AtomId) -> Option<PropositionId>,
    ) -> Outcome<HashMap<AtomId, Set>> {
        let (mut atoms, mut ids) = (HashMap::new(), Vec::new());
        for atom in store.atoms_of(formula) {
            let unknown = || Stop::Refused("a proposition is not known".into());
            let id = proposition(atom).ok_or_else(unknown)?;
            atoms.insert(atom, self.proposition(id)?);
            ids.push(id);
        }
        self.all_have_values(ids)?;
        Ok(atoms)
    }

    /// A walk as values of the variables of the model.
    pub(crate) fn run(&self, product: &Product, walk: Walk) -> Outcome<Run> {
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
        let reached = product.reached(&self.m, Some(&reached_model))?;
        let all = self.m.exists(&self.system.states, hidden)?;
        let method = self.options.method.or(Direction::Forward);
        let found = core(
            &self.m,
            &product.steps,
            (&reached, Some(&all)),
            &product.fairness,
            method,
        )?;
        self.product_equations(product, (&reached, &found), &all)?;
        Ok(found)
    }

    /// A fair run from some states that satisfies a formula of linear time. Variables that are as
    /// good as inputs are taken as such if `lighter`; then the run may begin with another choice of
    /// them.
    pub(crate) fn fair_run(
        &mut self,
        store: &mut Formulas,
        formula: FormulaId,
        atoms: &HashMap<AtomId, Set>,
        init: &Set,
        lighter: bool,
    ) -> Outcome<Option<Run>> {
        let light = match lighter {
            true => self.lighter(atoms, init)?,
            false => self.as_it_is(init),
        };
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
}
