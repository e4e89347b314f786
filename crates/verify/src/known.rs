//! Questions that are answered by what the system can prove of all its states, without exploring them.
//!
//! **Problem.** Formulas often speak of what can never happen, or always does: of more tokens in a place of a net than there
//! are. Whoever explores everything to find that out may never come to an end.
//!
//! **Idea.** Some systems know of a proposition that it has the same value in every reachable state
//! ([`Body::constant`](evenhand_system::Body::constant)), and what holds in the initial state anybody can see. Put in
//! for the propositions, these values may decide the formula: `F p` holds where `p` does, `G p` where `p` is true
//! for ever. Each part of the formula has two values, each of which may be unknown: the one that it has at every position of every
//! run, and the one that it has at the first position of every run.
//!
//! **Where.** A condition on states, and a formula of linear time, are only said to hold here: what breaks them is for others
//! to find, with a run. Fairness makes no difference to that. A formula of branching time may also be false; there must be a
//! run from every state for that, so nothing is said under fairness, nor where runs that end do not count. Small systems are
//! explored, since then everything is known of them.

use std::collections::HashMap;
use std::time::Instant;

use evenhand_explicit::search::{Options as SearchOptions, Stop, explore};
use evenhand_logic::{Binary, FormulaId, Node, Unary};
use evenhand_system::{Formula, Linear, PropositionId, Question, Successors, What};

use crate::answer::{CheckError, Verdict};
use crate::case::{Case, Task};
use crate::engine::{Answers, Engine, Support};
use crate::evidence::Evidence;
use crate::options::{Deadlock, Reduce};
use crate::proof::is_full;

/// So many states are explored before anything is proved.
const SMALL: u64 = 1 << 14;

/// Answers without exploring.
#[derive(Debug)]
pub(crate) struct Known;

impl Engine for Known {
    fn name(&self) -> &'static str {
        "known"
    }

    fn about(&self) -> &'static str {
        "what the system can prove of all its states, without exploring them"
    }

    fn has_choice(&self) -> bool {
        false
    }

    fn supports(&self, case: &Case<'_>, question: &Question) -> Support {
        match verdict(case, question) {
            Some(_) => Support::Yes,
            None => Support::Other,
        }
    }

    fn together(&self) -> bool {
        true
    }

    fn answer(
        &self,
        case: &Case<'_>,
        tasks: &[&Task],
        answers: &mut Answers<'_>,
    ) -> Result<(), CheckError> {
        for (place, &task) in tasks.iter().enumerate() {
            let started = Instant::now();
            let mut result = case.begun(&task.question, self.name());
            let mut evidence = Evidence::None;
            match verdict(case, &task.question) {
                Some(true) => result.verdict = Verdict::Holds,
                Some(false) => {
                    result.verdict = Verdict::Violated(None);
                    evidence = Evidence::Beginning;
                }
                None => continue,
            }
            // The initial one was looked at.
            result.states = 1;
            result.seconds = started.elapsed().as_secs_f64();
            answers.known(case, (place, task), result, evidence);
        }
        Ok(())
    }
}

/// The answer to a question, where it is known and wanted that way.
fn verdict(case: &Case<'_>, question: &Question) -> Option<bool> {
    if !saves_states(case) || !case.view.body.proves_constants() {
        return None;
    }
    let (formula, is_branching) = match &question.what {
        What::Invariant(formula) | What::Linear(Linear::Formula(formula)) => (formula, false),
        What::Branching(formula) => (formula, true),
        _ => return None,
    };
    // Without fairness and with ends that stay there is a run from every state.
    let has_runs = case.fairness().assumptions.is_empty() && case.stutters(true);
    if is_branching && !has_runs || is_small(case) {
        return None;
    }
    let mut explorer = case.system().ok()?.explorer(&[]);
    let mut initial = Successors::new();
    explorer.initial(&mut initial);
    if initial.len() != 1 || !initial.faults().is_empty() {
        return None;
    }
    let mut now = |proposition: PropositionId| {
        let system = case.view.body.explicit().ok()?;
        let is_on_steps = system.is_on_steps(proposition);
        let value = (!is_on_steps).then(|| explorer.holds(proposition, initial.state(0)));
        value?.ok()
    };
    // Each proof is short; many of them are not.
    let is_over = || {
        let has_time = case.left().is_none_or(|left| !left.is_zero());
        !has_time || case.options.cancel.is_cancelled()
    };
    let mut always = |proposition: PropositionId| match is_over() {
        true => None,
        false => case.view.body.constant(proposition),
    };
    let is_always = matches!(question.what, What::Invariant(_));
    let value = match decide(formula, &mut always, &mut now) {
        Values {
            always: Some(value),
            ..
        } => Some(value),
        Values { now, .. } if !is_always => now,
        Values { .. } => None,
    };
    value.filter(|&value| value || is_branching)
}

/// Whether a question may be answered by other means than a user named, with fewer states than there are.
pub(crate) fn saves_states(case: &Case<'_>) -> bool {
    let options = case.options;
    let is_named = options.engine.as_deref().is_some_and(|name| name != "auto");
    let is_counting = options.max_depth.is_some() || options.deadlock == Deadlock::Error;
    options.reduce != Reduce::None && !is_named && !is_counting && !is_full(case) && case.is_whole()
}

/// Whether a short search comes to its end, and fewer states are not wanted anyway.
pub(crate) fn is_small(case: &Case<'_>) -> bool {
    let look = || {
        let Ok(system) = case.system() else {
            return true;
        };
        let look = SearchOptions {
            limit_states: Some(SMALL),
            limit_memory: case.options.limit_memory,
            limit_time: case.left(),
            ..SearchOptions::default()
        };
        let cancel = &case.options.cancel;
        let found = explore(system, &look, &mut |_| !cancel.is_cancelled());
        // What ends for another reason is for those who can tell it.
        found.stop != Some(Stop::States)
    };
    case.options.reduce != Reduce::Always && case.is_small(look)
}

/// What is known of a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Values {
    /// Its value at every position of every run.
    always: Option<bool>,
    /// Its value at the first position of every run.
    now: Option<bool>,
}

impl Values {
    fn constant(value: bool) -> Values {
        Values {
            always: Some(value),
            now: Some(value),
        }
    }

    /// The same operation on values that are known for the same positions.
    fn both(
        self,
        other: Values,
        of: impl Fn(Option<bool>, Option<bool>) -> Option<bool>,
    ) -> Values {
        Values {
            always: of(self.always, other.always),
            now: of(self.now, other.now),
        }
    }

    fn not(self) -> Values {
        self.both(self, |value, _| Some(!value?))
    }

    fn or(self, other: Values) -> Values {
        self.not().and(other.not()).not()
    }

    fn and(self, other: Values) -> Values {
        self.both(other, |a, b| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        })
    }
}

/// The values of a formula, by those of its propositions.
fn decide(
    formula: &Formula,
    always: &mut dyn FnMut(PropositionId) -> Option<bool>,
    now: &mut dyn FnMut(PropositionId) -> Option<bool>,
) -> Values {
    let store = &formula.store;
    // Operands have smaller ids.
    let parts = store.subformulas(formula.id);
    let mut values: HashMap<FormulaId, Values> = HashMap::new();
    for part in parts {
        let of = |f: &FormulaId| values.get(f).copied().unwrap_or_default();
        let value = match store.node(part) {
            Node::Constant(value) => Values::constant(*value),
            Node::Atom(atom) => match formula.atoms.get(atom.index()) {
                Some(&proposition) => {
                    let always = always(proposition);
                    Values {
                        always,
                        now: always.or_else(|| now(proposition)),
                    }
                }
                None => Values::default(),
            },
            Node::Not(f) => of(f).not(),
            Node::And(list) => list
                .iter()
                .map(of)
                .fold(Values::constant(true), Values::and),
            Node::Or(list) => list
                .iter()
                .map(of)
                .fold(Values::constant(false), Values::or),
            Node::Implies(f, g) => of(f).not().or(of(g)),
            Node::Iff(f, g) => of(f).both(of(g), |a, b| Some(a? == b?)),
            Node::Xor(f, g) => of(f).both(of(g), |a, b| Some(a? != b?)),
            Node::Unary(operator, f) => unary(*operator, of(f)),
            Node::Binary(operator, f, g) => binary(*operator, of(f), of(g)),
            // There is a run, and all have the same value.
            Node::Path(_, f) => of(f),
        };
        values.insert(part, value);
    }
    values.get(&formula.id).copied().unwrap_or_default()
}

fn unary(operator: Unary, f: Values) -> Values {
    let always = f.always;
    let now = match operator {
        // True now is true now or later; what is always false is so later too.
        Unary::Finally => f.now.filter(|value| *value).or(always),
        Unary::Globally => f.now.filter(|value| !value).or(always),
        Unary::Next => always,
        // At the first position there is nothing before.
        Unary::Once | Unary::Historically => f.now,
        Unary::Yesterday => return past(Some(false), always.filter(|value| !value)),
        Unary::WeakYesterday => return past(Some(true), always.filter(|value| *value)),
    };
    Values { always, now }
}

fn past(now: Option<bool>, always: Option<bool>) -> Values {
    Values { always, now }
}

fn binary(operator: Binary, f: Values, g: Values) -> Values {
    let until = |f: Values, g: Values, is_weak: bool| {
        let always = match (f.always, g.always) {
            (_, Some(true)) => Some(true),
            (_, Some(false)) if !is_weak => Some(false),
            (Some(false), g) => g,
            (Some(true), _) if is_weak => Some(true),
            _ => None,
        };
        let now = match (f.now, g.now) {
            (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => always,
        };
        Values { always, now }
    };
    match operator {
        Binary::Until => until(f, g, false),
        Binary::WeakUntil => until(f, g, true),
        // By their duals.
        Binary::Release => until(f.not(), g.not(), false).not(),
        Binary::StrongRelease => until(f.not(), g.not(), true).not(),
        Binary::Since | Binary::Trigger => Values {
            always: f.always.filter(|&f| g.always == Some(f)),
            now: g.now,
        },
    }
}

#[cfg(test)]
mod tests {
    use evenhand_logic::random::Random;
    use evenhand_logic::{Formulas, evaluate_everywhere};

    use super::*;

    /// On words some of whose propositions never change: what is said of a formula is so.
    #[test]
    fn values_are_those_of_words() {
        const ATOMS: usize = 4;
        let mut dice = Random::new(0x4b);
        let (mut everywhere, mut first) = (0, 0);
        for round in 0..20_000 {
            let mut store = Formulas::new();
            // So that each atom has the number of its name.
            for atom in 0..ATOMS {
                store.atom(&format!("p{atom}"));
            }
            let size = 1 + dice.below(6);
            let id = dice.formula(&mut store, size, ATOMS, round % 3 == 0);
            let word = dice.word(5, ATOMS);
            let constant: Vec<Option<bool>> = (0..ATOMS)
                .map(|_| [Some(true), Some(false), None][dice.below(3)])
                .collect();
            let known = constant.clone();
            let letter = move |position: usize, atom: usize| {
                let drawn = word.letters[position] >> atom & 1 == 1;
                known[atom].unwrap_or(drawn)
            };
            let propositions = (0..ATOMS as u32).map(PropositionId).collect();
            let formula = Formula::new(store, id, propositions);
            let found = decide(
                &formula,
                &mut |proposition| constant[proposition.0 as usize],
                &mut |proposition| Some(letter(0, proposition.0 as usize)),
            );
            let truth = evaluate_everywhere(&formula.store, id, word.lasso, &|position, atom| {
                letter(position, atom.index())
            });
            let truth = truth.expect("no quantifiers");
            if let Some(value) = found.always {
                assert!(
                    truth.iter().all(|&own| own == value),
                    "{found:?}: {formula:?}"
                );
                everywhere += 1;
            }
            if let Some(value) = found.now {
                assert_eq!(truth[0], value, "{found:?}: {formula:?}");
                first += 1;
            }
        }
        assert!(everywhere > 5000 && first > 9000, "{everywhere}, {first}");
    }
}
