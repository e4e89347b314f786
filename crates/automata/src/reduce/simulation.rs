//! Direct simulation: merge states that simulate each other, drop edges that another outdoes.
//!
//! State t simulates s if each step of s can be answered by t: under every letter, with marks at
//! least as good (more of those that help, fewer of those that hurt), to a state that simulates the
//! target. Then t accepts whatever s accepts; states that simulate each other are merged, and an
//! edge is dropped if others from its source cover its letters with marks and targets at least as
//! good. Backward, the same on the reversed graph, where an initial state must be answered by an
//! initial one: finite pasts are compared stepwise, and an infinite run follows from its prefixes
//! by König's lemma.
//!
//! Marks of edges between components are seen finitely often: they are set to the best before. The
//! relation is the greatest fixpoint, found by deleting pairs and looking again at their
//! predecessors; O(states² · degree²) cover tests at worst, bounded by [`ReduceLimits`].

use evenhand_source::spend;

use super::ReduceLimits;
use crate::decision::is_covered;
use crate::{Automaton, Bits, Cube, Edge, MarkSet, State, components};

/// Which side of a state is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// What a state can do.
    Forward,
    /// How a state can be reached.
    Backward,
}

/// The quotient by mutual simulation without outdone edges; the same automaton where a limit is
/// reached.
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
    /// For each mark set, those at least as good.
    better: Vec<Bits>,
    /// For each label, those it implies.
    implied: Vec<Bits>,
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
        let (sets, cubes) = (automaton.mark_sets(), automaton.cubes());
        let tables = sets.len() * sets.len() + cubes.len() * cubes.len();
        comparisons = comparisons.checked_sub(tables)?;
        let mut relation = Relation {
            rows: vec![vec![u64::MAX; n.div_ceil(64)]; n],
            better: better_sets(automaton),
            implied: (cubes.iter())
                .map(|a| (0..cubes.len()).filter(|b| a.implies(&cubes[*b])).collect())
                .collect(),
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
            spend();
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

    fn answers(&self, view: &View<'_>, s: State, t: State) -> bool {
        let answers = &view.edges[t.index()];
        view.edges[s.index()]
            .iter()
            .all(|edge| self.covered(view, edge, answers.iter()))
    }

    /// Are the letters of an edge covered by others with marks and far ends at least as good?
    fn covered<'e>(
        &self,
        view: &View<'_>,
        edge: &Edge,
        others: impl Iterator<Item = &'e Edge>,
    ) -> bool {
        let (better, implied) = (
            &self.better[edge.marks.index()],
            &self.implied[edge.label.index()],
        );
        let cube = view.automaton.cube(edge.label);
        let mut partial: Vec<&Cube> = Vec::new();
        for other in others {
            if !better.contains(other.marks.index()) || !self.holds(view.far(edge), view.far(other))
            {
                continue;
            }
            if implied.contains(other.label.index()) {
                return true;
            }
            let label = view.automaton.cube(other.label);
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
            if self.covered(view, &edge, others) {
                edges.remove(i);
            }
        }
        edges
    }
}

/// For each mark set of an automaton, the sets with all its helpful marks and no other hurtful
/// ones.
fn better_sets(automaton: &Automaton) -> Vec<Bits> {
    let (helpful, hurtful) = automaton.acceptance().polarities();
    let sets = automaton.mark_sets();
    let split = |set: &MarkSet| {
        (
            set.0.intersection(&helpful.0),
            set.0.intersection(&hurtful.0),
        )
    };
    let parts: Vec<(Bits, Bits)> = sets.iter().map(split).collect();
    let outdoes = |a: &(Bits, Bits), b: &(Bits, Bits)| b.0.is_subset(&a.0) && a.1.is_subset(&b.1);
    (parts.iter())
        .map(|worse| {
            (0..parts.len())
                .filter(|i| outdoes(&parts[*i], worse))
                .collect()
        })
        .collect()
}

/// Edges between components with all marks that help and none that hurts: they are seen finitely
/// often.
fn with_best_transient_marks(automaton: &Automaton) -> Automaton {
    let components = components(automaton);
    let (helpful, hurtful) = automaton.acceptance().polarities();
    let best = MarkSet(helpful.0.difference(&hurtful.0));
    let mut builder = automaton.like();
    builder.add_states_of(automaton);
    builder.add_initial_of(automaton);
    for edge in automaton.edges() {
        let marks = match components.same(edge.source, edge.target) {
            true => automaton.marks(edge.marks),
            false => &best,
        };
        builder.add_edge(edge.source, automaton.cube(edge.label), marks, edge.target);
    }
    builder.build()
}
