//! The judge: an infinite run is shown only if it is a run, is fair, and breaks the property.
//!
//! A search hands over states and, for each step of the cycle, the fairness assumptions that the
//! step is to serve. Here every step is executed again on the system; which process moves is chosen
//! among the steps that lead to the same state so that those assumptions are served. Fairness is
//! then read off the steps themselves (what was enabled, what was taken, what held), and the
//! property is evaluated on the letters of the states: a formula by its definition on lasso words,
//! an automaton by membership. Nothing is shared with products, marks and emptiness checks; a run
//! that fails here is an error of this tool and never an answer.

use evenhand_automata::{Automaton, Bits, LassoWord, Letter, accepts};
use evenhand_logic::{AtomId, FormulaId, Formulas, Lasso, evaluate};
use evenhand_system::{
    AssumptionKind, Explicit, Fairness, FinishedRuns, PropositionId, Successors,
};

use crate::explain::why_false;
use crate::fold::fold;
use crate::replay::{Counterexample, Evidence, Reason, ReplayError, StepKind, Teller, TraceStep};
use crate::word::Letters;

/// An infinite run as a search hands it over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The states from an initial one to the one where the cycle begins.
    pub prefix: Vec<Vec<u8>>,
    /// The steps of the cycle; the last leads to the last state of the prefix.
    pub cycle: Vec<CycleStep>,
}

impl Run {
    /// Its length in transitions.
    pub fn len(&self) -> usize {
        self.prefix.len().saturating_sub(1) + self.cycle.len()
    }

    /// Whether there are no transitions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its states, each position once: the cycle begins at the last of the prefix and ends there.
    pub fn states(&self) -> Vec<&[u8]> {
        let around = self.cycle.iter().map(|step| step.state.as_slice());
        let around = around.take(self.cycle.len().saturating_sub(1));
        let prefix = self.prefix.iter().map(Vec::as_slice);
        prefix.chain(around).collect()
    }

    /// The same run, with the shortest prefix and the shortest cycle. Steps of the cycle are the
    /// same if they serve the same assumptions; how the prefix takes its steps does not matter.
    pub fn folded(self) -> Run {
        let whole = |state| Folding {
            state,
            serves: None,
        };
        let mut prefix: Vec<Folding> = self.prefix.into_iter().map(whole).collect();
        let steps = self.cycle.into_iter().map(|step| Folding {
            state: step.state,
            serves: Some(step.serves),
        });
        let mut cycle: Vec<Folding> = steps.collect();
        fold(&mut prefix, &mut cycle);
        // Where the cycle begins is the last state of the prefix, and the last of the cycle.
        if let Some(entry) = cycle.first() {
            prefix.push(whole(entry.state.clone()));
            cycle.rotate_left(1);
        }
        Run {
            prefix: prefix.into_iter().map(|item| item.state).collect(),
            cycle: cycle
                .into_iter()
                .map(|item| CycleStep {
                    state: item.state,
                    serves: item.serves.unwrap_or_default(),
                })
                .collect(),
        }
    }
}

/// A state with the step that leads to it, in a run that is folded.
struct Folding {
    state: Vec<u8>,
    /// What the step serves; of no importance in front of the cycle.
    serves: Option<Vec<bool>>,
}

impl PartialEq for Folding {
    fn eq(&self, other: &Folding) -> bool {
        let serves = match (&self.serves, &other.serves) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        };
        serves && self.state == other.state
    }
}

/// A step of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleStep {
    /// The state behind it.
    pub state: Vec<u8>,
    /// For each assumption, whether this step is to serve it: the item is taken, or, for weak
    /// fairness, disabled.
    pub serves: Vec<bool>,
}

/// What the run is said to break.
#[derive(Clone, Copy, Debug)]
pub enum Charge<'c> {
    /// A formula that should hold, with what its atoms are.
    Formula {
        /// The owner of the formula.
        store: &'c Formulas,
        /// The formula.
        formula: FormulaId,
        /// What each atom is, by its number.
        atoms: &'c [PropositionId],
    },
    /// An automaton that should not accept the run, with what its propositions are.
    Automaton {
        /// The automaton.
        automaton: &'c Automaton,
        /// What each proposition is.
        propositions: &'c [PropositionId],
    },
}

/// Executes a run again, tests its fairness, and evaluates the property on it.
///
/// # Errors
/// If it is no run, is not fair, or does not break the property.
pub fn judge(
    system: &dyn Explicit,
    fairness: &Fairness,
    run: &Run,
    charge: Charge<'_>,
) -> Result<Counterexample, ReplayError> {
    let mut teller = Teller {
        system,
        explorer: system.explorer(&fairness.items),
        out: Successors::new(),
    };
    let wrong = |position: usize, message: &str| ReplayError {
        position,
        message: message.to_string(),
    };
    let (Some(first), Some(entry)) = (run.prefix.first(), run.prefix.last()) else {
        return Err(wrong(0, "the run has no states"));
    };
    let mut prefix = vec![teller.initial(first)?];
    for (position, pair) in run.prefix.windows(2).enumerate() {
        prefix.push(teller.infinite_step(&pair[0], &pair[1], position + 1, &|_, _| true)?);
    }
    let mut cycle = Vec::new();
    let mut seen = Vec::new();
    let mut before = entry;
    for step in &run.cycle {
        let position = prefix.len() + cycle.len();
        let fits = |out: &Successors, index: usize| serves(fairness, step, out, index);
        cycle.push(teller.infinite_step(before, &step.state, position, &fits)?);
        seen.push(Seen::new(&mut teller, fairness, before, step)?);
        before = &step.state;
    }
    if run.cycle.is_empty() || before != entry {
        return Err(wrong(
            prefix.len() + cycle.len(),
            "the cycle does not close",
        ));
    }
    let mut evidence = evidence(fairness, &seen).map_err(|text| {
        let message = format!("the cycle is not fair: {text}");
        wrong(prefix.len(), &message)
    })?;
    // Nobody wants to read of processes that there are not.
    let mut assumptions = fairness.assumptions.iter();
    evidence.retain(|_| {
        let kind = assumptions.next().map(|assumption| assumption.kind);
        let (Some(AssumptionKind::Weak(item)) | Some(AssumptionKind::Strong(item))) = kind else {
            return true;
        };
        let Some(process) = fairness.items[item].process() else {
            return true;
        };
        let inside = run.cycle.iter().map(|step| &step.state);
        let mut states = run.prefix.iter().chain(inside);
        states.any(|state| teller.explorer.has_process(state, process))
    });
    let Some(why) = breaks(&mut teller, run, charge)? else {
        return Err(wrong(0, "the run does not break the property"));
    };
    let lower_bound = 0;
    Ok(Counterexample {
        prefix,
        cycle,
        shortest: false,
        lower_bound,
        fault: None,
        evidence,
        why,
        observed: None,
        processes: teller.processes([first, entry].into_iter()),
    })
}

/// Whether a successor serves the assumptions that a step is to serve.
fn serves(fairness: &Fairness, step: &CycleStep, out: &Successors, index: usize) -> bool {
    let (enabled, taken) = (out.enabled(), out.taken(index));
    let wanted = fairness.assumptions.iter().zip(&step.serves);
    wanted
        .filter(|&(_, &serves)| serves)
        .all(|(assumption, _)| match assumption.kind {
            AssumptionKind::Weak(item) => !contains(enabled, item) || contains(taken, item),
            AssumptionKind::Strong(item) => contains(taken, item),
            AssumptionKind::Justice(_) | AssumptionKind::Compassion { .. } => true,
        })
}

fn contains(set: &[u64], item: usize) -> bool {
    set.get(item / 64)
        .is_some_and(|word| word >> (item % 64) & 1 == 1)
}

/// What fairness is about, in one step of the cycle.
struct Seen {
    enabled: Vec<u64>,
    taken: Vec<u64>,
    /// For each assumption about conditions: what held in front of the step.
    held: Vec<(bool, bool)>,
}

impl Seen {
    /// The step from `before` that was just told.
    fn new(
        teller: &mut Teller<'_>,
        fairness: &Fairness,
        before: &[u8],
        step: &CycleStep,
    ) -> Result<Seen, ReplayError> {
        let out = &teller.out;
        let mut numbers = 0..out.len();
        let index = numbers.find(|&i| out.state(i) == step.state && serves(fairness, step, out, i));
        let taken = index.map_or_else(Vec::new, |i| out.taken(i).to_vec());
        let enabled = out.enabled().to_vec();
        let mut held = Vec::new();
        for assumption in &fairness.assumptions {
            let mut holds = |p| holds(teller, p, before);
            held.push(match assumption.kind {
                AssumptionKind::Justice(p) => (true, holds(p)?),
                AssumptionKind::Compassion { when, then } => (holds(when)?, holds(then)?),
                AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => (false, false),
            });
        }
        Ok(Seen {
            enabled,
            taken,
            held,
        })
    }
}

fn holds(
    teller: &mut Teller<'_>,
    proposition: PropositionId,
    state: &[u8],
) -> Result<bool, ReplayError> {
    let value = teller.explorer.holds(proposition, state);
    value.map_err(|fault| ReplayError {
        position: 0,
        message: format!("an expression has no value: {}", fault.kind),
    })
}

/// Why the cycle is fair; the assumption that it breaks otherwise.
fn evidence(fairness: &Fairness, seen: &[Seen]) -> Result<Vec<Evidence>, String> {
    let mut list = Vec::new();
    for (number, assumption) in fairness.assumptions.iter().enumerate() {
        let step_where = |test: &dyn Fn(&Seen) -> bool| seen.iter().position(test);
        let taken = |item| step_where(&|s| contains(&s.taken, item)).map(Reason::Taken);
        let held = || step_where(&|s| s.held[number].1).map(Reason::Holds);
        let reason = match assumption.kind {
            AssumptionKind::Weak(item) => taken(item).or_else(|| {
                if seen.iter().all(|s| !contains(&s.enabled, item)) {
                    return Some(Reason::NeverEnabled);
                }
                step_where(&|s| !contains(&s.enabled, item)).map(Reason::Disabled)
            }),
            AssumptionKind::Strong(item) => taken(item).or_else(|| {
                let never = seen.iter().all(|s| !contains(&s.enabled, item));
                never.then_some(Reason::NeverEnabled)
            }),
            AssumptionKind::Justice(_) => held(),
            AssumptionKind::Compassion { .. } => held().or_else(|| {
                let never = seen.iter().all(|s| !s.held[number].0);
                never.then_some(Reason::NeverAsked)
            }),
        };
        match reason {
            Some(reason) => list.push(Evidence {
                assumption: assumption.text.clone(),
                source: assumption.source.clone(),
                reason,
            }),
            None => return Err(assumption.text.clone()),
        }
    }
    Ok(list)
}

/// If the property is false on the word of the run: why, in sentences.
fn breaks(
    teller: &mut Teller<'_>,
    run: &Run,
    charge: Charge<'_>,
) -> Result<Option<Vec<String>>, ReplayError> {
    // The word has a letter for each state that is left; the cycle begins at the last of the
    // prefix.
    let entry = run.prefix.len() - 1;
    let states = run.states();
    let (Charge::Formula {
        atoms: propositions,
        ..
    }
    | Charge::Automaton { propositions, .. }) = charge;
    let explorer = &mut *teller.explorer;
    let letters = Letters::new(explorer, states.into_iter(), propositions);
    let lasso = Lasso {
        prefix: entry,
        cycle: run.cycle.len(),
    };
    let broken = letters.always(|letters| match charge {
        Charge::Formula { store, formula, .. } => {
            let holds = |i: usize, atom: AtomId| letters[i][atom.index()];
            evaluate(store, formula, lasso, &holds) == Ok(false)
        }
        Charge::Automaton { automaton, .. } => {
            let letter = |held: &Vec<bool>| {
                let bits = held.iter().enumerate().filter(|&(_, &h)| h);
                Letter(bits.map(|(i, _)| i).collect::<Bits>())
            };
            let word = LassoWord {
                prefix: letters[..entry].iter().map(letter).collect(),
                cycle: letters[entry..].iter().map(letter).collect(),
            };
            accepts(automaton, &word)
        }
    });
    Ok(broken.then(|| {
        let mut why = Vec::new();
        if let Charge::Formula { store, formula, .. } = charge {
            let letters = letters.filled(u32::MAX);
            let holds = |i: usize, atom: AtomId| letters[i][atom.index()];
            why = why_false(store, formula, lasso, &holds);
        }
        why.extend(letters.remarks());
        why
    }))
}

/// Whether the judge can try all values of propositions that have none along a run.
pub fn is_certain(system: &dyn Explicit, run: &Run, propositions: &[PropositionId]) -> bool {
    let states = run.states();
    let letters = Letters::new(&mut *system.explorer(&[]), states.into_iter(), propositions);
    letters.are_few()
}

/// What is told of a run that stays although it could go on.
const STAYS: &str = "the run stays where it is";

impl Teller<'_> {
    /// A step of an infinite run: of the system, or of staying where the run has ended.
    pub(crate) fn infinite_step(
        &mut self,
        from: &[u8],
        to: &[u8],
        position: usize,
        fits: &dyn Fn(&Successors, usize) -> bool,
    ) -> Result<TraceStep, ReplayError> {
        if from == to {
            self.explorer.expand(from, &mut self.out);
            let everywhere = self.system.finished_runs() == FinishedRuns::Everywhere;
            let ends = self.out.is_empty() && self.out.faults().is_empty();
            if everywhere || ends {
                let action = if ends { "" } else { STAYS };
                return Ok(TraceStep {
                    kind: StepKind::Stutter,
                    action: action.to_string(),
                    ..self.still(from)
                });
            }
        }
        self.step(from, to, position, fits)
    }
}
