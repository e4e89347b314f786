//! Direct simulation: merge states that simulate each other, drop edges that another outdoes.
//!
//! State t simulates s if each step of s can be answered by t: under every letter, with marks at least as
//! good (more of those that help, fewer of those that hurt), to a state that simulates the target. Then
//! t accepts whatever s accepts; states that simulate each other are merged, and an edge is dropped
//! if others from its source cover its letters with marks and targets at least as good. Backward, the
//! same on the reversed graph, where an initial state must be answered by an initial one: finite pasts
//! are compared stepwise, and an infinite run follows from its prefixes by König's lemma.
//!
//! Marks of edges between components are seen finitely often: they are set to the best before. The
//! relation is the greatest fixpoint, found by deleting pairs and looking again at their predecessors;
//! O(states² · degree²) cover tests at worst, bounded by [`ReduceLimits`].

use super::ReduceLimits;
use crate::decision::is_covered;
use crate::{Automaton, Cube, Edge, MarkSet, State, components};

/// Which side of a state is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// What a state can do.
    Forward,
    /// How a state can be reached.
    Backward,
}

/// The quotient by mutual simulation without outdone edges; the same automaton where a limit is reached.
pub fn simulation_quotient(
    automaton: &Automaton,
    direction: Direction,
    limits: &ReduceLimits,
) -> Automaton {
    if automaton.state_count() > limits.states || automaton.state_count() == 0 {
        return automaton.clone();
    }
    let best = with_best_transient_marks(automaton);
    let Some(relation) = Relation::compute(&best, direction, limits.comparisons) else {
        return automaton.clone();
    };
    let class: Vec<State> = (best.states())
        .map(|s| relation.representative(s))
        .collect();
    let mut place = vec![State(0); best.state_count()];
    let mut builder = best.like();
    for state in best.states().filter(|s| class[s.index()] == *s) {
        place[state.index()] = builder.add_named_state(best.state_name(state));
    }
    let of_class = |s: State| place[class[s.index()].index()];
    let mut initial: Vec<State> = best.initial().iter().map(|s| class[s.index()]).collect();
    initial.sort_unstable();
    initial.dedup();
    if direction == Direction::Forward {
        let all = initial.clone();
        initial.retain(|s| !all.iter().any(|t| t != s && relation.holds(*s, *t)));
    }
    initial
        .iter()
        .for_each(|s| builder.add_initial(of_class(*s)));
    let view = View::new(&best, direction);
    for state in best.states().filter(|s| class[s.index()] == *s) {
        for edge in relation.undominated(&view, state, &class) {
            let cube = best.cube(edge.label);
            let marks = best.marks(edge.marks);
            builder.add_edge(of_class(edge.source), cube, marks, of_class(edge.target));
        }
    }
    builder.build()
}

/// The relation "t simulates s" on all states, for other reductions: rows are s.
pub(super) struct Relation {
    rows: Vec<Vec<u64>>,
    helpful: MarkSet,
    hurtful: MarkSet,
}

/// The edges by the end that the direction looks from.
pub(super) struct View<'a> {
    automaton: &'a Automaton,
    direction: Direction,
    edges: Vec<Vec<Edge>>,
}

impl<'a> View<'a> {
    pub fn new(automaton: &'a Automaton, direction: Direction) -> View<'a> {
        let mut edges = vec![Vec::new(); automaton.state_count()];
        for edge in automaton.edges() {
            let near = match direction {
                Direction::Forward => edge.source,
                Direction::Backward => edge.target,
            };
            edges[near.index()].push(*edge);
        }
        View {
            automaton,
            direction,
            edges,
        }
    }

    fn far(&self, edge: &Edge) -> State {
        match self.direction {
            Direction::Forward => edge.target,
            Direction::Backward => edge.source,
        }
    }
}

/// Steps of one cover test; beyond it the answer is no.
const COVER_BUDGET: usize = 200;

impl Relation {
    /// The greatest simulation; `None` where the comparisons run out.
    pub fn compute(
        automaton: &Automaton,
        direction: Direction,
        mut comparisons: usize,
    ) -> Option<Relation> {
        let n = automaton.state_count();
        let view = View::new(automaton, direction);
        let (helpful, hurtful) = automaton.acceptance().polarities();
        let mut relation = Relation {
            rows: vec![vec![u64::MAX; n.div_ceil(64)]; n],
            helpful,
            hurtful,
        };
        if direction == Direction::Backward {
            let is_initial = |s: State| automaton.initial().contains(&s);
            for &s in automaton.initial() {
                for t in automaton.states().filter(|t| !is_initial(*t)) {
                    relation.remove(s, t);
                }
            }
        }
        // The states whose answers depend on a state: the sources of edges whose far end it is.
        let mut dependents = vec![Vec::new(); n];
        for state in automaton.states() {
            for edge in &view.edges[state.index()] {
                dependents[view.far(edge).index()].push(state);
            }
        }
        for list in &mut dependents {
            list.sort_unstable();
            list.dedup();
        }
        let pairs = || (0..n).flat_map(|s| (0..n).map(move |t| (State::new(s), State::new(t))));
        let mut todo: Vec<(State, State)> = pairs().filter(|(s, t)| s != t).collect();
        todo.reverse();
        while let Some((s, t)) = todo.pop() {
            if !relation.holds(s, t) {
                continue;
            }
            let cost = 1 + view.edges[s.index()].len() * view.edges[t.index()].len();
            comparisons = comparisons.checked_sub(cost)?;
            if relation.answers(&view, s, t) {
                continue;
            }
            relation.remove(s, t);
            for &x in &dependents[s.index()] {
                for &y in &dependents[t.index()] {
                    if x != y && relation.holds(x, y) {
                        todo.push((x, y));
                    }
                }
            }
        }
        Some(relation)
    }

    /// Does `t` simulate `s`?
    pub fn holds(&self, s: State, t: State) -> bool {
        self.rows[s.index()][t.index() / 64] >> (t.index() % 64) & 1 == 1
    }

    fn remove(&mut self, s: State, t: State) {
        self.rows[s.index()][t.index() / 64] &= !(1 << (t.index() % 64));
    }

    fn representative(&self, s: State) -> State {
        let mut earlier = (0..s.0).map(State);
        let same = |t: &State| self.holds(s, *t) && self.holds(*t, s);
        earlier.find(same).unwrap_or(s)
    }

    /// Is `better` at least as good as `worse`?
    fn outdoes(&self, better: &MarkSet, worse: &MarkSet) -> bool {
        let only = |set: &MarkSet, of: &MarkSet| set.0.intersection(&of.0);
        better == worse
            || (only(worse, &self.helpful).is_subset(&better.0)
                && only(better, &self.hurtful).is_subset(&worse.0))
    }

    fn answers(&self, view: &View<'_>, s: State, t: State) -> bool {
        let answers = &view.edges[t.index()];
        view.edges[s.index()]
            .iter()
            .all(|edge| self.covered(view, edge, answers.iter(), |_| true))
    }

    /// Are the letters of an edge covered by others with marks and far ends at least as good?
    fn covered<'e>(
        &self,
        view: &View<'_>,
        edge: &Edge,
        others: impl Iterator<Item = &'e Edge>,
        allowed: impl Fn(&Edge) -> bool,
    ) -> bool {
        let a = view.automaton;
        let (cube, marks) = (a.cube(edge.label), a.marks(edge.marks));
        let mut partial: Vec<&Cube> = Vec::new();
        for other in others {
            if !allowed(other)
                || !self.holds(view.far(edge), view.far(other))
                || !self.outdoes(a.marks(other.marks), marks)
            {
                continue;
            }
            let label = a.cube(other.label);
            if cube.implies(label) {
                return true;
            }
            if cube.intersects(label) {
                partial.push(label);
            }
        }
        partial.len() > 1 && is_covered(cube, &partial, &mut COVER_BUDGET.clone())
    }

    /// The edges of a state that no others outdo; of equal ones the first stays.
    fn undominated(&self, view: &View<'_>, state: State, class: &[State]) -> Vec<Edge> {
        let mut edges: Vec<Edge> = view.edges[state.index()].clone();
        // After the merge, far ends of one class are one state.
        edges.sort_by_key(|e| class[view.far(e).index()]);
        let mut i = edges.len();
        while i > 0 {
            i -= 1;
            let edge = edges[i];
            let others = edges[..i].iter().chain(&edges[i + 1..]);
            if self.covered(view, &edge, others, |_| true) {
                edges.remove(i);
            }
        }
        edges
    }
}

/// Edges between components with all marks that help and none that hurts: they are seen finitely often.
fn with_best_transient_marks(automaton: &Automaton) -> Automaton {
    let components = components(automaton);
    let (helpful, hurtful) = automaton.acceptance().polarities();
    let best = MarkSet(helpful.0.difference(&hurtful.0));
    let mut builder = automaton.like();
    for state in automaton.states() {
        builder.add_named_state(automaton.state_name(state));
    }
    automaton
        .initial()
        .iter()
        .for_each(|&s| builder.add_initial(s));
    for edge in automaton.edges() {
        let marks = match components.same(edge.source, edge.target) {
            true => automaton.marks(edge.marks),
            false => &best,
        };
        builder.add_edge(edge.source, automaton.cube(edge.label), marks, edge.target);
    }
    builder.build()
}
