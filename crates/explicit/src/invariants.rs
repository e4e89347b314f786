//! Invariants and totality: all reachable states and steps, breadth first.
//!
//! One search answers all questions at once. A question about a state is answered by its letter (which
//! propositions hold), so each formula is evaluated once per letter, or once per pair of letters
//! for conditions on steps. The first state or step that breaks a condition is a nearest one. Fairness
//! plays no part: invariants are about everything that can be reached. Where a condition depends on
//! a proposition that has no value, nobody knows whether it fails; the search goes on, since it may
//! fail for certain somewhere else.

use std::collections::HashMap;

use evenhand_logic::{AtomId, FormulaId, Formulas, Node, Unary};
use evenhand_system::{Formula, PropositionId};

use crate::search::{Progress, Stop};
use crate::space::Space;
use crate::store::{StateId, Store};
use crate::watch::Watch;

/// What all reachable states should satisfy.
#[derive(Clone, Copy, Debug)]
pub enum Condition<'f> {
    /// A condition on each state.
    State(&'f Formula),
    /// A condition on each step, with `X` for the state behind it.
    Step(&'f Formula),
    /// Each state has a successor.
    Successor,
}

/// What was found: for each condition the path to where it fails.
#[derive(Debug, Default)]
pub struct Failures {
    /// States from an initial one to the failure.
    pub paths: Vec<Option<Vec<StateId>>>,
    /// Whether nobody knows if it fails in some state.
    pub undecided: Vec<bool>,
    /// Why the search ended early.
    pub stop: Option<Stop>,
}

/// Searches the states that are reachable in at most so many steps until every condition has failed
/// or nothing is left.
pub fn nearest_failures<S: Store>(
    space: &mut Space<'_, S>,
    conditions: &[Condition<'_>],
    most: u64,
    watch: &mut Watch<'_>,
) -> Failures {
    let mut search = Search {
        parents: Vec::new(),
        known: HashMap::new(),
        paths: vec![None; conditions.len()],
        undecided: vec![false; conditions.len()],
    };
    let stop = search.run(space, conditions, most, watch).err();
    Failures {
        paths: search.paths,
        undecided: search.undecided,
        stop,
    }
}

struct Search {
    /// For each state one more than the state it was reached from; its own number for initial ones,
    /// and 0 before it is reached.
    parents: Vec<u32>,
    /// The truth of a condition under the letters of a state and of the next one.
    known: HashMap<(usize, u32, u32), Option<bool>>,
    paths: Vec<Option<Vec<StateId>>>,
    undecided: Vec<bool>,
}

impl Search {
    fn run<S: Store>(
        &mut self,
        space: &mut Space<'_, S>,
        conditions: &[Condition<'_>],
        most: u64,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stop> {
        let mut queue = Vec::new();
        for state in space.initial()? {
            self.reach(&mut queue, state, state);
        }
        let mut next = 0;
        let mut depth = 0;
        let mut level_end = queue.len();
        let mut targets: Vec<StateId> = Vec::new();
        while next < queue.len() && self.paths.iter().any(Option::is_none) {
            if next == level_end {
                (level_end, depth) = (queue.len(), depth + 1);
            }
            if depth > most {
                return Err(Stop::Depth);
            }
            let state = queue[next];
            next += 1;
            let outgoing = space.outgoing_partly(state)?;
            let letter = outgoing.letter;
            // A run that is cut by an error has no end.
            let stays = outgoing.is_end;
            targets.clear();
            targets.extend(outgoing.edges().map(|(to, _)| to));
            let ends = stays && targets.is_empty();
            for (number, &condition) in conditions.iter().enumerate() {
                if self.paths[number].is_some() {
                    continue;
                }
                let failing = match condition {
                    Condition::Successor => ends.then(|| self.path(state, None)),
                    Condition::State(f) => {
                        let holds = self.holds(space, number, f, letter, letter);
                        (!holds).then(|| self.path(state, None))
                    }
                    Condition::Step(f) => {
                        self.failing_step(space, (number, f), (state, letter), &targets)?
                    }
                };
                self.paths[number] = failing;
            }
            for &to in &targets {
                self.reach(&mut queue, to, state);
            }
            watch.tick(|| Progress {
                states: space.len() as u64,
                expanded: next as u64,
                transitions: space.transitions(),
                depth,
                bytes: space.bytes_used() as u64,
            })?;
        }
        Ok(())
    }

    fn reach(&mut self, queue: &mut Vec<StateId>, state: StateId, from: StateId) {
        if self.parents.len() <= state.index() {
            self.parents.resize(state.index() + 1, 0);
        }
        if self.parents[state.index()] == 0 {
            self.parents[state.index()] = from.number() + 1;
            queue.push(state);
        }
    }

    fn failing_step<S: Store>(
        &mut self,
        space: &mut Space<'_, S>,
        (number, formula): (usize, &Formula),
        (state, letter): (StateId, u32),
        targets: &[StateId],
    ) -> Result<Option<Vec<StateId>>, Stop> {
        for &to in targets {
            let next = space.outgoing_partly(to)?.letter;
            if !self.holds(space, number, formula, letter, next) {
                return Ok(Some(self.path(state, Some(to))));
            }
        }
        Ok(None)
    }

    fn path(&self, state: StateId, next: Option<StateId>) -> Vec<StateId> {
        let mut path: Vec<StateId> = next.into_iter().collect();
        let mut at = state;
        loop {
            path.push(at);
            let parent = self.parents[at.index()] - 1;
            if parent == at.number() {
                break;
            }
            at = StateId::new(parent);
        }
        path.reverse();
        path
    }

    /// Whether a condition holds, or nobody knows.
    fn holds<S: Store>(
        &mut self,
        space: &Space<'_, S>,
        number: usize,
        formula: &Formula,
        letter: u32,
        next: u32,
    ) -> bool {
        let known = self.known.get(&(number, letter, next)).copied();
        let value = known.unwrap_or_else(|| {
            let truth = |letter: u32| {
                let held: Vec<usize> = space.letter(letter).collect();
                let missing: Vec<usize> = space.missing(letter).collect();
                move |atom: AtomId| {
                    let proposition = formula.atoms.get(atom.index());
                    let place = proposition.and_then(|&p| space.place_of(p));
                    match place.is_some_and(|place| missing.contains(&place)) {
                        true => None,
                        false => Some(place.is_some_and(|place| held.contains(&place))),
                    }
                }
            };
            holds_on_step(&formula.store, formula.id, &truth(letter), &truth(next))
        });
        self.known.insert((number, letter, next), value);
        self.undecided[number] |= value.is_none();
        value.unwrap_or(true)
    }
}

/// The truth of a formula without temporal operators in a state; none if it depends on propositions without a value.
pub fn holds_by_letter(
    formula: &Formula,
    value: &dyn Fn(PropositionId) -> Option<bool>,
) -> Option<bool> {
    let of = |atom: AtomId| match formula.atoms.get(atom.index()) {
        Some(&proposition) => value(proposition),
        None => Some(false),
    };
    holds_on_step(&formula.store, formula.id, &of, &of)
}

/// The truth of a formula without temporal operators but `X`, on a step; none if it depends on atoms
/// without a value.
fn holds_on_step(
    store: &Formulas,
    formula: FormulaId,
    now: &dyn Fn(AtomId) -> Option<bool>,
    next: &dyn Fn(AtomId) -> Option<bool>,
) -> Option<bool> {
    // The value of each part now and behind the step.
    let mut values: HashMap<FormulaId, (Option<bool>, Option<bool>)> = HashMap::new();
    let mut last = (None, None);
    for part in store.subformulas(formula) {
        let of = |f: &FormulaId| values.get(f).copied().unwrap_or_default();
        let not = |value: Option<bool>| value.map(|value| !value);
        let both = |f: &FormulaId, g: &FormulaId, join: fn(bool, bool) -> bool| {
            let (f, g) = (of(f), of(g));
            let join = |f: Option<bool>, g: Option<bool>| Some(join(f?, g?));
            (join(f.0, g.0), join(f.1, g.1))
        };
        // One operand that is `decisive` decides, whatever the others are.
        let list = |list: &[FormulaId], decisive: bool| {
            let parts = || list.iter().map(of);
            let nows = parts().map(|value| value.0);
            let nexts = parts().map(|value| value.1);
            (joined(nows, decisive), joined(nexts, decisive))
        };
        last = match store.node(part) {
            Node::Constant(value) => (Some(*value), Some(*value)),
            Node::Atom(atom) => (now(*atom), next(*atom)),
            Node::Not(f) => (not(of(f).0), not(of(f).1)),
            Node::And(parts) => list(parts, false),
            Node::Or(parts) => list(parts, true),
            Node::Implies(f, g) => {
                let ((f, f_next), (g, g_next)) = (of(f), of(g));
                (
                    joined([not(f), g].into_iter(), true),
                    joined([not(f_next), g_next].into_iter(), true),
                )
            }
            Node::Iff(f, g) => both(f, g, |f, g| f == g),
            Node::Xor(f, g) => both(f, g, |f, g| f != g),
            Node::Unary(Unary::Next, f) => (of(f).1, Some(false)),
            // Conditions on steps have no other operators.
            Node::Unary(..) | Node::Binary(..) | Node::Path(..) => (Some(false), Some(false)),
        };
        values.insert(part, last);
    }
    last.0
}

/// A disjunction (decisive value true) or conjunction (false).
fn joined(parts: impl Iterator<Item = Option<bool>>, decisive: bool) -> Option<bool> {
    let mut all = Some(!decisive);
    for part in parts {
        match part {
            Some(value) if value == decisive => return Some(decisive),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}
