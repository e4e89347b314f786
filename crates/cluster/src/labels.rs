//! CTL under full fairness on a partitioned graph, by labelling states.
//!
//! **Problem.** In which states does a formula hold whose path quantifiers stand before one temporal operator each, and
//! range over the fair runs?
//!
//! **Idea.** Each worker keeps a bit for each of its states and each part of the formula, inner ones first. What is negated
//! leaves three kinds: a step into a set, a way into it ([`closure`](crate::closure)), and runs that stay in a set for ever.
//! These begin where a way leads to a core, which is what FEASIBLE leaves of the graph without all other states
//! ([`feasible`](crate::feasible)); the states with a fair run at all are those of the whole graph. So `E (p W q)` is one way
//! through `p`, into `q` or a core of `p`, and everything else is this, a step, or the negation of one:
//! `A f` is `!E !f`. In a state without a fair run `E f` is false and `A f` is true.
//!
//! The graph is the product with the automaton that accepts everything, so it is explored, kept and continued as others are.
//!
//! **Cost.** A closure for each quantifier, and a fixpoint more for each that asks for runs that stay; bits for each part.
//! What CTL* has beyond CTL needs a product for each quantifier and is left to one process; so are runs that show why a formula
//! does not hold.

use std::collections::BTreeMap;

use evenhand_explicit::search::Stop;
use evenhand_explicit::state_set::StateSet;
use evenhand_logic::{Binary, FormulaId, Formulas, Node, Quantifier, Unary};
use evenhand_system::Formula;

use crate::classes::{Classes, Key};
use crate::closure::{step_into, ways_into};
use crate::explore::Explore;
use crate::feasible::{Feasible, Fixpoint};
use crate::post::{Broken, Post};
use crate::stops;

/// Whether a formula is one of CTL.
pub(crate) fn is_ctl(formula: &Formula) -> bool {
    let store = &formula.store;
    let mut about_states: BTreeMap<FormulaId, bool> = BTreeMap::new();
    for part in store.subformulas(formula.id) {
        let is_one = |f: &FormulaId| about_states.get(f).copied().unwrap_or(false);
        let value = match store.node(part) {
            Node::Unary(..) | Node::Binary(..) => false,
            Node::Path(_, body) => {
                is_one(body)
                    || operator(store, *body).is_some()
                        && store.node(*body).operands().all(|f| is_one(&f))
            }
            node => node.operands().all(|f| is_one(&f)),
        };
        about_states.insert(part, value);
    }
    about_states.get(&formula.id).copied().unwrap_or(false)
}

/// A temporal operator with its operands, where there is one that looks ahead.
#[derive(Clone, Copy, Debug)]
enum Operator {
    Next(FormulaId),
    Finally(FormulaId),
    Globally(FormulaId),
    Two(Binary, FormulaId, FormulaId),
}

fn operator(store: &Formulas, body: FormulaId) -> Option<Operator> {
    use Binary::{Release, StrongRelease, Until, WeakUntil};
    Some(match *store.node(body) {
        Node::Unary(Unary::Next, p) => Operator::Next(p),
        Node::Unary(Unary::Finally, p) => Operator::Finally(p),
        Node::Unary(Unary::Globally, p) => Operator::Globally(p),
        Node::Binary(two @ (Until | WeakUntil | Release | StrongRelease), p, q) => {
            Operator::Two(two, p, q)
        }
        _ => return None,
    })
}

/// What some run is asked for, with sets for formulas.
enum Way {
    /// It begins here.
    Here(StateSet),
    /// It goes here next.
    Next(StateSet),
    /// It comes to the second through the first.
    Until(StateSet, StateSet),
    /// The same, or it stays in the first for ever.
    WeakUntil(StateSet, StateSet),
}

impl Way {
    /// What a run does under an operator whose operands hold in these states.
    fn of(operator: Operator, states: &dyn Fn(FormulaId) -> StateSet) -> Way {
        let none = |p: &StateSet| StateSet::empty(p.universe());
        match operator {
            Operator::Next(p) => Way::Next(states(p)),
            Operator::Finally(p) => {
                let p = states(p);
                Way::Until(none(&p).complement(), p)
            }
            Operator::Globally(p) => {
                let p = states(p);
                let never = none(&p);
                Way::WeakUntil(p, never)
            }
            Operator::Two(two, p, q) => {
                let (p, q) = (states(p), states(q));
                let both = p.and(&q);
                match two {
                    Binary::Until => Way::Until(p, q),
                    Binary::WeakUntil => Way::WeakUntil(p, q),
                    Binary::StrongRelease => Way::Until(q, both),
                    _ => Way::WeakUntil(q, both),
                }
            }
        }
    }

    /// What a run does that does not do this.
    fn negated(self) -> Way {
        let neither = |p: &StateSet, q: &StateSet| p.or(q).complement();
        match self {
            Way::Here(p) => Way::Here(p.complement()),
            Way::Next(p) => Way::Next(p.complement()),
            Way::Until(p, q) => Way::WeakUntil(q.complement(), neither(&p, &q)),
            Way::WeakUntil(p, q) => Way::Until(q.complement(), neither(&p, &q)),
        }
    }
}

/// What labelling came to.
#[derive(Debug, Default)]
pub(crate) struct Labelled {
    /// Initial states in which the formula does not hold; all workers know how many.
    pub failing: u64,
    /// Whether a proposition has no value somewhere.
    pub left_out: bool,
    /// Rounds of all fixpoints, and why one of the phases ended.
    pub fixpoint: Fixpoint,
}

/// Labels the states of an explored graph; `key` tells which are the same for the formula, where some are.
pub(crate) fn label(
    post: &mut Post,
    explore: &mut Explore<'_>,
    graph: &mut Feasible,
    (formula, key): (&Formula, Option<Key<'_>>),
) -> Result<Labelled, Broken> {
    let mut labelled = Labelled::default();
    let atoms = explore.truth(&formula.reads());
    let missing = matches!(atoms, Ok(None));
    labelled.left_out = post.sum(&[u64::from(missing)])?[0] > 0;
    let stop = atoms.as_ref().err().copied();
    labelled.fixpoint.stop = stops::agreed(post, stop)?;
    let Ok(Some(atoms)) = atoms else {
        return Ok(labelled);
    };
    if labelled.left_out || labelled.fixpoint.stop.is_some() {
        return Ok(labelled);
    }
    let classes = match key {
        Some(key) => Some(Classes::new(post, explore, key)?),
        None => None,
    };
    let mut labels = Labels {
        classes,
        degrees: graph.degrees(),
        nothing: StateSet::empty(graph.alive.len()),
        fair: StateSet::empty(graph.alive.len()),
        graph,
        known: BTreeMap::new(),
        fixpoint: Fixpoint::default(),
    };
    let found = labels.of(post, formula, &atoms)?;
    labelled.fixpoint = labels.fixpoint;
    match found {
        Err(stop) => labelled.fixpoint.stop = Some(stop),
        Ok(holds) => {
            let initial = (0..holds.universe()).filter(|&n| graph.parent(n as u32).is_none());
            let failing = initial.filter(|&node| !holds.contains(node)).count();
            labelled.failing = post.sum(&[failing as u64])?[0];
        }
    }
    Ok(labelled)
}

/// A set, or the limit that was reached: all workers have the same of these.
type Found = Result<Result<StateSet, Stop>, Broken>;

/// What is known of the parts of a formula.
struct Labels<'g> {
    graph: &'g mut Feasible,
    /// For each node, how many edges lead from it.
    degrees: Vec<u32>,
    nothing: StateSet,
    /// Which states are the same, if some are.
    classes: Option<Classes>,
    /// Where some fair run begins.
    fair: StateSet,
    known: BTreeMap<FormulaId, StateSet>,
    fixpoint: Fixpoint,
}

impl Labels<'_> {
    /// Where a formula holds.
    fn of(&mut self, post: &mut Post, formula: &Formula, atoms: &[StateSet]) -> Found {
        let store = &formula.store;
        let everything = self.nothing.complement();
        let fair = self.exists(post, Way::WeakUntil(everything, self.nothing.clone()))?;
        match fair {
            Ok(fair) => self.fair = fair,
            stopped => return Ok(stopped),
        }
        for part in store.subformulas(formula.id) {
            let set = match *store.node(part) {
                Node::Path(quantifier, body) => {
                    let way = match operator(store, body) {
                        Some(operator) => Way::of(operator, &|f| self.states(f)),
                        None => Way::Here(self.states(body)),
                    };
                    let all = quantifier == Quantifier::All;
                    let way = if all { way.negated() } else { way };
                    match self.exists(post, way)? {
                        Ok(set) if all => set.complement(),
                        Ok(set) => set,
                        stopped => return Ok(stopped),
                    }
                }
                // Known by what stands around it.
                Node::Unary(..) | Node::Binary(..) => continue,
                _ => self.boolean(formula, part, atoms),
            };
            self.known.insert(part, set);
        }
        Ok(Ok(self.states(formula.id)))
    }

    /// Where a part holds that was labelled.
    fn states(&self, part: FormulaId) -> StateSet {
        let known = self.known.get(&part);
        known.unwrap_or(&self.nothing).clone()
    }

    /// Where a combination of labelled parts holds.
    fn boolean(&self, formula: &Formula, part: FormulaId, atoms: &[StateSet]) -> StateSet {
        let of = |f: &FormulaId| self.states(*f);
        match formula.store.node(part) {
            Node::Constant(true) => self.nothing.complement(),
            Node::Constant(false) => self.nothing.clone(),
            Node::Atom(atom) => {
                let proposition = formula.atoms.get(atom.index());
                let place = formula.reads().iter().position(|p| Some(p) == proposition);
                let set = place.and_then(|place| atoms.get(place));
                set.unwrap_or(&self.nothing).clone()
            }
            Node::Not(f) => of(f).complement(),
            Node::And(list) => {
                let all = self.nothing.complement();
                list.iter().fold(all, |all, f| all.and(&of(f)))
            }
            Node::Or(list) => {
                let some = self.nothing.clone();
                list.iter().fold(some, |some, f| some.or(&of(f)))
            }
            Node::Implies(f, g) => of(f).complement().or(&of(g)),
            Node::Iff(f, g) => of(f).xor(&of(g)).complement(),
            Node::Xor(f, g) => of(f).xor(&of(g)),
            Node::Unary(..) | Node::Binary(..) | Node::Path(..) => self.nothing.clone(),
        }
    }

    /// Where some fair run goes a way, from this state or one that is the same.
    fn exists(&mut self, post: &mut Post, way: Way) -> Found {
        let found = self.begins(post, way)?;
        match (found, &self.classes) {
            (Ok(set), Some(classes)) => Ok(Ok(classes.merged(post, set)?)),
            (found, _) => Ok(found),
        }
    }

    /// Where some fair run goes a way.
    fn begins(&mut self, post: &mut Post, way: Way) -> Found {
        match way {
            Way::Here(p) => Ok(Ok(p.and(&self.fair))),
            Way::Next(p) => step_into(post, self.graph, &p.and(&self.fair)),
            Way::Until(p, q) => ways_into(post, self.graph, p, q.and(&self.fair)),
            Way::WeakUntil(p, q) => {
                self.graph.begin(&self.degrees, &p);
                let fixpoint = self.graph.run(post)?;
                self.fixpoint.rounds += fixpoint.rounds;
                self.fixpoint.depth = self.fixpoint.depth.max(fixpoint.depth);
                if let Some(stop) = fixpoint.stop {
                    return Ok(Err(stop));
                }
                let alive = &self.graph.alive;
                let core = StateSet::of(alive.len(), |node| alive[node]);
                ways_into(post, self.graph, p, core.or(&q.and(&self.fair)))
            }
        }
    }
}
