//! The lassos of the symbolic engine: judged, and made as short as the budget allows.
//!
//! WITNESS goes from one demand of fairness to the next by shortest paths, so its runs are short, but
//! not the shortest. A breadth-first search state by state, of runs with fewer steps than the one that
//! is known, finds a shorter one or proves that there is none; if the budget ends before, the run
//! stays, with the bound that was proved. That search knows nothing of decision diagrams: if it comes
//! to its end and there is no run at all, one of the engines is wrong, and that is said.

use std::cell::RefCell;
use std::time::Duration;

use evenhand_automata::Automaton;
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_logic::{Node, Quantifier};
use evenhand_report::Verdict;
use evenhand_system::Explicit;
use evenhand_witness::{Counterexample, CycleStep, Observed, Run, judge, observe};

use super::session::{Subject, What, question_of, refutable};
use super::symbolic::Sets;
use crate::check::{CheckError, Counterexamples, Listener};
use crate::question::Question;
use crate::temporal::{Asked, limits_beside, propositions_of};

/// A lasso by its states and the place to which it returns; no step serves an assumption about steps.
pub(super) fn lasso(states: &[Vec<u8>], turn: usize, assumptions: usize) -> Run {
    let (prefix, rest) = states.split_at((turn + 1).min(states.len()));
    let back = prefix.last().into_iter();
    let cycle = rest.iter().chain(back).map(|state| CycleStep {
        state: state.clone(),
        serves: vec![false; assumptions],
    });
    let run = Run {
        prefix: prefix.to_vec(),
        cycle: cycle.collect(),
    };
    run.folded()
}

/// What the automaton of bad runs does along a run.
fn observed(
    system: &dyn Explicit,
    run: &Run,
    question: &Question,
    bad: &Automaton,
) -> Option<Box<Observed>> {
    let entry = run.prefix.len().checked_sub(1);
    observe(system, &run.states(), entry, bad, &question.propositions).map(Box::new)
}

impl Sets<'_> {
    /// A lasso of a system that knows its steps, judged and shortened.
    pub(super) fn judged(
        &self,
        system: &dyn Explicit,
        run: Run,
        subject: Option<&Subject>,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Counterexample, CheckError> {
        let made = subject.and_then(|subject| match subject.what {
            What::Formula(formula) => Some(question_of(self.model, subject, formula)),
            What::Branching(formula) => refutable(self.model, subject, formula),
            _ => None,
        });
        let question = match subject.map(|subject| &subject.what) {
            Some(What::Automaton(question)) => Some(&**question),
            _ => made.as_ref(),
        };
        // A run for one quantifier must break what stands under it.
        let formulas = &self.model.formulas;
        let must = subject.is_some_and(|subject| match subject.what {
            What::Formula(_) | What::Automaton(_) => true,
            What::Branching(formula) => match *formulas.node(formula) {
                Node::Path(Quantifier::All, body) => !formulas.properties(body).has_quantifier(),
                _ => false,
            },
            _ => false,
        });
        if let Some(question) = question
            && let Ok(bad) = &question.bad
        {
            match judge(system, self.fairness, &run, question.charge(bad)) {
                Ok(mut told) => {
                    if self.options.observe {
                        told.observed = observed(system, &run, question, bad);
                    }
                    return self.shortened(told, run, question, taken, listener);
                }
                Err(error) if must => return Err(CheckError::Replay(error)),
                // One run need not show all quantifiers.
                Err(_) => {}
            }
        }
        let everything = Question::feasible();
        let bad = everything.bad.as_ref();
        let bad = bad.map_err(|reason| CheckError::Engine(reason.clone()))?;
        let told = judge(system, self.fairness, &run, everything.charge(bad));
        let mut told = told.map_err(CheckError::Replay)?;
        told.shortest = false;
        told.lower_bound = 0;
        Ok(told)
    }

    /// The same run or a shorter one, with what is proved.
    fn shortened(
        &self,
        mut told: Counterexample,
        run: Run,
        question: &Question,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Counterexample, CheckError> {
        told.shortest = false;
        told.lower_bound = run.len().min(1);
        let Ok(bad) = &question.bad else {
            return Ok(told);
        };
        if self.options.counterexample != Counterexamples::Shortest {
            return Ok(told);
        }
        let system = self.model.system_reading(&self.read)?;
        let ends = Verdict::Holds;
        let asked = Asked {
            system: &system,
            questions: &[],
            fairness: self.fairness,
            options: self.options,
            deadline: self.deadline,
            ends: &ends,
            chosen: None,
            inputs: !self.read.is_empty(),
            missing: RefCell::default(),
        };
        let propositions = propositions_of(std::slice::from_ref(question));
        let interest = Interest {
            propositions: &propositions,
            fairness: self.fairness,
        };
        let store = PlainStore::with_limits(limits_beside(self.options));
        let mut space = Space::new(&system, interest, store);
        let known = run.len();
        let found = asked.shorten(&mut space, question, run, taken, listener)?;
        if found.run.len() < known {
            return asked.tell(question, bad, &found);
        }
        told.lower_bound = found.lower_bound;
        told.shortest = found.lower_bound >= known;
        Ok(told)
    }
}
