//! Omega-automata: states, edges with cubes and marks, an acceptance condition.
//!
//! An [`Automaton`] never changes: a [`Builder`] collects states and edges in any order and
//! [`Builder::build`] lays the edges out by source state, so that [`Automaton::edges_from`] is a
//! slice. Labels and mark sets are kept once each and known by a number; an edge is 16 bytes.
//! Operations make new automata.
//!
//! **Conditional marks.** A fairness hypothesis GF p → GF q puts a mark on *every* edge whose
//! letter satisfies p. Written into the edges that would split each of them in two per proposition;
//! here it is a table of the automaton: an edge taken under letter `a` carries its own marks and
//! the mark of each [`Conditional`] whose literal holds in `a`. Every operation and every emptiness
//! check of this crate respects the table;
//! [`expand_conditional_marks`](crate::expand_conditional_marks) gets rid of it.
//!
//! A run is an infinite path of edges from an initial state, each taken under a letter that
//! satisfies its cube. A state without an edge for the next letter ends the run: finite runs do not
//! count.

use crate::pool::Pool;
use crate::{
    Acceptance, Bits, Cube, CubeId, EdgeId, Letter, Literal, Mark, MarkSet, MarksId, Prop, State,
};
use std::fmt;
use std::ops::Range;

use evenhand_source::spend;

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// Where it starts.
    pub source: State,
    /// Where it leads.
    pub target: State,
    /// Its label, see [`Automaton::cube`].
    pub label: CubeId,
    /// Its own marks, see [`Automaton::marks`].
    pub marks: MarksId,
}

/// A mark that every edge carries whose letter satisfies a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Conditional {
    /// The mark.
    pub mark: Mark,
    /// When it is set.
    pub literal: Literal,
}

/// A limit was reached: the result would be larger than was allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// What there was too much of, such as "states of the complement".
    pub what: &'static str,
    /// How much was allowed.
    pub limit: usize,
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} {}", self.limit, self.what)
    }
}

impl std::error::Error for LimitExceeded {}

/// An omega-automaton.
#[derive(Clone, Debug)]
pub struct Automaton {
    name: Option<String>,
    props: Vec<String>,
    mark_count: usize,
    acceptance: Acceptance,
    conditionals: Vec<Conditional>,
    initial: Vec<State>,
    state_names: Vec<String>,
    cubes: Vec<Cube>,
    mark_sets: Vec<MarkSet>,
    /// The edges of state s are `edges[first[s]..first[s + 1]]`.
    first: Vec<u32>,
    edges: Vec<Edge>,
}

impl Automaton {
    /// The automaton that accepts everything.
    pub fn everything() -> Automaton {
        let mut builder = Builder::new(Vec::new(), Acceptance::all());
        let state = builder.add_state();
        builder.add_initial(state);
        builder.add_edge(state, &Cube::TRUE, &MarkSet::EMPTY, state);
        builder.build()
    }

    /// A name for people, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The names of the propositions.
    pub fn props(&self) -> &[String] {
        &self.props
    }

    /// The number of marks: all marks of edges, table and acceptance are below it.
    pub fn mark_count(&self) -> usize {
        self.mark_count
    }

    /// The acceptance condition.
    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    /// The table of conditional marks.
    pub fn conditionals(&self) -> &[Conditional] {
        &self.conditionals
    }

    /// The initial states, ascending; a run may start in any of them.
    pub fn initial(&self) -> &[State] {
        &self.initial
    }

    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.first.len() - 1
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = State> + ExactSizeIterator + use<> {
        (0..self.state_count() as u32).map(State)
    }

    /// All edges, by source; an [`EdgeId`] is a position in this slice.
    #[inline]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that leave a state.
    #[inline]
    pub fn edges_from(&self, state: State) -> &[Edge] {
        &self.edges[self.edge_range(state)]
    }

    /// The positions in [`Automaton::edges`] of the edges that leave a state.
    #[inline]
    pub fn edge_range(&self, state: State) -> Range<usize> {
        self.first[state.index()] as usize..self.first[state.index() + 1] as usize
    }

    /// The edge at a position.
    #[inline]
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// A label.
    #[inline]
    pub fn cube(&self, id: CubeId) -> &Cube {
        &self.cubes[id.index()]
    }

    /// The different labels; a [`CubeId`] is a position in this slice. An engine may evaluate all
    /// of them once per letter.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// A mark set.
    #[inline]
    pub fn marks(&self, id: MarksId) -> &MarkSet {
        &self.mark_sets[id.index()]
    }

    /// The different mark sets; a [`MarksId`] is a position in this slice.
    pub fn mark_sets(&self) -> &[MarkSet] {
        &self.mark_sets
    }

    /// What a state is called; empty if it has no name.
    pub fn state_name(&self, state: State) -> &str {
        self.state_names
            .get(state.index())
            .map_or("", String::as_str)
    }

    /// The conditional marks that are set under a letter.
    pub fn conditional_marks(&self, letter: &Letter) -> MarkSet {
        self.conditionals
            .iter()
            .filter(|c| letter.holds(c.literal.prop) == c.literal.positive)
            .map(|c| c.mark)
            .collect()
    }

    /// All marks of an edge taken under a letter: its own and the conditional ones.
    pub fn step_marks(&self, edge: &Edge, letter: &Letter) -> MarkSet {
        let own = self.marks(edge.marks);
        if self.conditionals.is_empty() {
            return own.clone();
        }
        let mut all = self.conditional_marks(letter);
        all.0.union_with(&own.0);
        all
    }

    /// A builder with the same propositions, marks, acceptance, table and name, without states.
    pub fn like(&self) -> Builder {
        let mut builder = Builder::new(self.props.clone(), self.acceptance.clone());
        builder.name = self.name.clone();
        builder.reserve_marks(self.mark_count);
        for c in &self.conditionals {
            builder.add_conditional(c.mark, c.literal);
        }
        builder
    }

    /// A builder that already holds all of this automaton.
    pub fn to_builder(&self) -> Builder {
        let mut builder = self.like();
        builder.add_states_of(self);
        builder.add_initial_of(self);
        for edge in &self.edges {
            let (label, marks) = (self.cube(edge.label), self.marks(edge.marks));
            builder.add_edge(edge.source, label, marks, edge.target);
        }
        builder
    }

    /// The same automaton under another condition.
    pub fn with_acceptance(mut self, acceptance: Acceptance) -> Automaton {
        self.mark_count = self.mark_count.max(acceptance.mark_bound());
        self.acceptance = acceptance;
        self
    }
}

/// An automaton in the making.
///
/// ```
/// use evenhand_automata::{Acceptance, Builder, Cube, Literal, Mark, MarkSet, Prop};
/// // GF p: one state, the mark on the edge where p holds.
/// let mut builder = Builder::new(vec!["p".into()], Acceptance::generalized_buchi(1));
/// let state = builder.add_state();
/// builder.add_initial(state);
/// let p = Literal { prop: Prop(0), positive: true };
/// let seen: MarkSet = [Mark(0)].into_iter().collect();
/// builder.add_edge(state, &Cube::literal(p), &seen, state);
/// builder.add_edge(state, &Cube::literal(p.negated()), &MarkSet::EMPTY, state);
/// let automaton = builder.build();
/// assert_eq!(automaton.edges_from(state).len(), 2);
///
/// // The same with a conditional mark: one edge.
/// let mut builder = Builder::new(vec!["p".into()], Acceptance::generalized_buchi(1));
/// let state = builder.add_state();
/// builder.add_initial(state);
/// builder.add_conditional(Mark(0), p);
/// builder.add_edge(state, &Cube::TRUE, &MarkSet::EMPTY, state);
/// assert_eq!(builder.build().edge_count(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    /// A name for people.
    pub name: Option<String>,
    props: Vec<String>,
    mark_count: usize,
    acceptance: Acceptance,
    conditionals: Vec<Conditional>,
    initial: Vec<State>,
    state_count: u32,
    state_names: Vec<String>,
    cubes: Pool<Cube>,
    mark_sets: Pool<MarkSet>,
    edges: Vec<Edge>,
}

impl Builder {
    /// An automaton over these propositions with this condition and no states.
    pub fn new(props: Vec<String>, acceptance: Acceptance) -> Builder {
        Builder {
            name: None,
            props,
            mark_count: acceptance.mark_bound(),
            acceptance,
            conditionals: Vec::new(),
            initial: Vec::new(),
            state_count: 0,
            state_names: Vec::new(),
            cubes: Pool::default(),
            mark_sets: Pool::default(),
            edges: Vec::new(),
        }
    }

    /// A further proposition.
    pub fn add_prop(&mut self, name: impl Into<String>) -> Prop {
        self.props.push(name.into());
        Prop::new(self.props.len() - 1)
    }

    /// Replaces the condition.
    pub fn set_acceptance(&mut self, acceptance: Acceptance) {
        self.reserve_marks(acceptance.mark_bound());
        self.acceptance = acceptance;
    }

    /// Says that there are at least `count` marks.
    pub fn reserve_marks(&mut self, count: usize) {
        self.mark_count = self.mark_count.max(count);
    }

    /// A mark that was not used before.
    pub fn add_mark(&mut self) -> Mark {
        self.mark_count += 1;
        Mark::new(self.mark_count - 1)
    }

    /// Sets `mark` on every edge whose letter satisfies `literal`.
    pub fn add_conditional(&mut self, mark: Mark, literal: Literal) {
        self.reserve_marks(mark.index() + 1);
        self.conditionals.push(Conditional { mark, literal });
    }

    /// A new state.
    pub fn add_state(&mut self) -> State {
        spend();
        self.state_count += 1;
        State(self.state_count - 1)
    }

    /// A new state with a name.
    pub fn add_named_state(&mut self, name: &str) -> State {
        let state = self.add_state();
        self.name_state(state, name);
        state
    }

    /// New states with the names of another automaton's; in an empty builder, its states.
    pub fn add_states_of(&mut self, automaton: &Automaton) {
        for state in automaton.states() {
            self.add_named_state(automaton.state_name(state));
        }
    }

    /// Makes the states initial that are so in another automaton.
    pub fn add_initial_of(&mut self, automaton: &Automaton) {
        for &state in automaton.initial() {
            self.add_initial(state);
        }
    }

    /// Names a state.
    pub fn name_state(&mut self, state: State, name: &str) {
        if name.is_empty() {
            return;
        }
        if self.state_names.len() <= state.index() {
            self.state_names.resize(state.index() + 1, String::new());
        }
        name.clone_into(&mut self.state_names[state.index()]);
    }

    /// Makes sure that the states below `count` exist.
    pub fn reserve_states(&mut self, count: usize) {
        self.state_count = self.state_count.max(count as u32);
    }

    /// The number of states so far.
    pub fn state_count(&self) -> usize {
        self.state_count as usize
    }

    /// The number of edges so far.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Makes a state initial.
    pub fn add_initial(&mut self, state: State) {
        self.initial.push(state);
    }

    /// A new edge. Both states must exist when the automaton is built.
    pub fn add_edge(&mut self, source: State, label: &Cube, marks: &MarkSet, target: State) {
        let (label, marks) = (self.label(label), self.marks(marks));
        self.add_known_edge(source, label, marks, target);
    }

    /// The number of a label.
    pub(crate) fn label(&mut self, label: &Cube) -> CubeId {
        CubeId::new(self.cubes.intern(label))
    }

    /// The number of a set of marks.
    pub(crate) fn marks(&mut self, marks: &MarkSet) -> MarksId {
        MarksId::new(self.mark_sets.intern(marks))
    }

    /// A new edge with a label and marks that were numbered.
    pub(crate) fn add_known_edge(
        &mut self,
        source: State,
        label: CubeId,
        marks: MarksId,
        target: State,
    ) {
        self.edges.push(Edge {
            source,
            target,
            label,
            marks,
        });
    }

    /// The automaton. Edges of one state keep the order in which they were added.
    ///
    /// # Panics
    /// If an edge or an initial state names a state that was never added, or a label or a
    /// conditional mark a proposition: a defect of the caller.
    pub fn build(self) -> Automaton {
        let count = self.state_count as usize;
        let mut first = vec![0u32; count + 1];
        for edge in &self.edges {
            assert!(
                edge.target.index() < count,
                "edge to a state that is not there"
            );
            first[edge.source.index() + 1] += 1;
        }
        for i in 0..count {
            first[i + 1] += first[i];
        }
        let edges = if self.edges.is_sorted_by_key(|e| e.source) {
            self.edges
        } else {
            let mut next = first.clone();
            let mut sorted = self.edges.clone();
            for edge in &self.edges {
                let slot = &mut next[edge.source.index()];
                sorted[*slot as usize] = *edge;
                *slot += 1;
            }
            sorted
        };
        let mut initial = self.initial;
        initial.sort_unstable();
        initial.dedup();
        assert!(
            initial.iter().all(|s| s.index() < count),
            "initial state is not there"
        );
        let mut conditionals = self.conditionals;
        conditionals.sort_unstable();
        conditionals.dedup();
        let known = Bits::below(self.props.len());
        let cubes = self.cubes.into_items();
        assert!(
            cubes
                .iter()
                .all(|c| c.positive().is_subset(&known) && c.negative().is_subset(&known))
                && conditionals
                    .iter()
                    .all(|c| known.contains(c.literal.prop.index())),
            "proposition is not there"
        );
        let mut mark_count = self.mark_count;
        let mark_sets = self.mark_sets.into_items();
        for set in &mark_sets {
            mark_count = mark_count.max(set.0.iter().last().map_or(0, |m| m + 1));
        }
        Automaton {
            name: self.name,
            props: self.props,
            mark_count,
            acceptance: self.acceptance,
            conditionals,
            initial,
            state_names: self.state_names,
            cubes,
            mark_sets,
            first,
            edges,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_laid_out_by_source_in_the_order_of_adding() {
        let mut b = Builder::new(vec!["p".into()], Acceptance::all());
        let states: Vec<State> = (0..3).map(|_| b.add_state()).collect();
        b.add_initial(states[0]);
        let marks: MarkSet = [Mark(70)].into_iter().collect();
        for (s, t) in [(2, 0), (0, 1), (2, 1), (0, 0)] {
            b.add_edge(states[s], &Cube::TRUE, &marks, states[t]);
        }
        let a = b.build();
        let targets =
            |s: usize| -> Vec<u32> { a.edges_from(states[s]).iter().map(|e| e.target.0).collect() };
        assert_eq!(
            [targets(0), targets(1), targets(2)],
            [vec![1, 0], vec![], vec![0, 1]]
        );
        assert_eq!(
            (a.mark_count(), a.cubes().len(), a.mark_sets().len()),
            (71, 1, 1)
        );
        let again = a.to_builder().build();
        assert_eq!(again.edges(), a.edges());
    }

    #[test]
    fn conditional_marks_follow_the_letter() {
        let mut b = Builder::new(vec!["p".into(), "q".into()], Acceptance::streett(1));
        let s = b.add_state();
        let literal = |p, positive| Literal {
            prop: Prop(p),
            positive,
        };
        b.add_conditional(Mark(0), literal(0, true));
        b.add_conditional(Mark(1), literal(1, false));
        b.add_edge(s, &Cube::TRUE, &[Mark(1)].into_iter().collect(), s);
        let a = b.build();
        let marks = |word| a.step_marks(&a.edges()[0], &Letter(Bits::from_word(word)));
        assert_eq!(marks(0b00), [Mark(1)].into_iter().collect());
        assert_eq!(marks(0b11), [Mark(0), Mark(1)].into_iter().collect());
    }
}
