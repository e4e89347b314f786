//! Runs of the symbolic engine about programs: executed again, judged, and made as short as the budget
//! allows.
//!
//! A run is charged with breaking the formula or being accepted by the automaton of its question. One of
//! branching time is charged with breaking the formula without its quantifiers: it must, if there is one
//! outermost `A` alone; it may, if one run can refute the formula; and otherwise it is judged as a fair
//! run, and that it decides the quantifier is the engine's word. Then a search state by state looks for
//! a shorter run and proves how short one can be, as for SMV models.

use std::time::Duration;

use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_logic::{Node, Quantifier, Spelling, print};
use evenhand_symbolic::{ByteAnswer, ByteRun};
use evenhand_system::{AssumptionKind, Fairness, Successors};
use evenhand_witness::{Counterexample, CycleStep, Run, judge, replay};

use crate::check::{CheckError, Counterexamples, Listener};
use crate::question::{Judge, Question};
use crate::temporal::{Asked, limits_beside, propositions_of};

impl Asked<'_> {
    /// The run of an answer to a question of linear time; none if none is wanted. The answer took so long.
    pub(crate) fn learned_run(
        &self,
        question: &Question,
        answer: &ByteAnswer,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Option<Counterexample>, CheckError> {
        let wanted = self.options.counterexample != Counterexamples::None;
        let run = answer.run.as_ref().filter(|_| wanted);
        let Some(run) = run.and_then(|run| run_of(run, self.fairness)) else {
            return Ok(None);
        };
        let run = run.folded();
        let everything = Question::feasible();
        let Ok(bad) = question.bad.as_ref().or(everything.bad.as_ref()) else {
            return Ok(None);
        };
        let told = judge(self.system, self.fairness, &run, question.charge(bad));
        let mut told = told.map_err(CheckError::Replay)?;
        told.shortest = run.len() <= 1;
        told.lower_bound = run.len().min(1);
        let wants = self.options.counterexample == Counterexamples::Shortest;
        if question.bad.is_err() || question.kind == "feasible" {
            return Ok(Some(told));
        }
        told.observed = self.observed(
            question,
            bad,
            &run.states(),
            run.prefix.len().checked_sub(1),
        );
        if !wants {
            return Ok(Some(told));
        }
        let propositions = propositions_of(std::slice::from_ref(question));
        let interest = Interest {
            propositions: &propositions,
            fairness: self.fairness,
        };
        let store = PlainStore::with_limits(limits_beside(self.options));
        let mut space = Space::new(self.system, interest, store);
        let known = run.len();
        if let Some(told) = self.finite_instead(&mut space, question, known, taken, listener)? {
            return Ok(Some(told));
        }
        let found = self.shorten(&mut space, question, run, taken, listener)?;
        if found.run.len() < known {
            return self.tell(question, bad, &found).map(Some);
        }
        told.lower_bound = found.lower_bound;
        told.shortest = found.lower_bound >= known;
        Ok(Some(told))
    }

    /// The run of an answer to a question of branching time; without a run, the initial state.
    pub(crate) fn learned_branching_run(
        &self,
        (question, asked): (&Question, &Judge),
        answer: &ByteAnswer,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Option<Counterexample>, CheckError> {
        let store = &asked.store;
        let must = match *store.node(asked.formula) {
            Node::Path(Quantifier::All, body) => !store.properties(body).has_quantifier(),
            _ => false,
        };
        let text = question.formula.as_deref().unwrap_or_default();
        let linear = Question::refuting(&question.name, text, store, asked.formula, &asked.atoms);
        if let Some(linear) = linear {
            match self.learned_run(&linear, answer, taken, listener) {
                Ok(Some(told)) => return Ok(Some(told)),
                Err(CheckError::Replay(_)) if !must => {}
                Err(error) => return Err(error),
                Ok(None) => {}
            }
        }
        match self.learned_run(&Question::feasible(), answer, taken, listener)? {
            Some(told) => Ok(Some(told)),
            None => self.beginning(asked),
        }
    }

    /// The initial state alone, where it is the only one and no run can show anything.
    fn beginning(&self, asked: &Judge) -> Result<Option<Counterexample>, CheckError> {
        if self.options.counterexample == Counterexamples::None {
            return Ok(None);
        }
        let mut out = Successors::new();
        self.system.explorer(&[]).initial(&mut out);
        if out.len() != 1 {
            return Ok(None);
        }
        let run = replay(self.system, &[out.state(0).to_vec()], None);
        let mut run = run.map_err(CheckError::Replay)?;
        if let Node::Path(Quantifier::Exists, body) = *asked.store.node(asked.formula) {
            let text = print(&asked.store, body, Spelling::Spin);
            run.why
                .push(format!("no fair run from here satisfies `{text}`"));
        }
        Ok(Some(run))
    }
}

/// The run as the judge takes it.
fn run_of(run: &ByteRun, fairness: &Fairness) -> Option<Run> {
    let turn = run.turn?;
    let states = &run.states;
    let mut cycle = Vec::new();
    for at in turn..states.len() {
        let taken = run.taken.get(at)?;
        let serves = |kind: AssumptionKind| match kind {
            AssumptionKind::Weak(item) | AssumptionKind::Strong(item) => taken.contains(&item),
            AssumptionKind::Justice(_) | AssumptionKind::Compassion { .. } => false,
        };
        cycle.push(CycleStep {
            state: states.get(at + 1).unwrap_or(&states[turn]).clone(),
            serves: fairness
                .assumptions
                .iter()
                .map(|a| serves(a.kind))
                .collect(),
        });
    }
    Some(Run {
        prefix: states[..=turn].to_vec(),
        cycle,
    })
}
