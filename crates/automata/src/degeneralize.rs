//! Degeneralization: one Büchi mark instead of many.
//!
//! A counter goes through the marks in order: at level i the automaton waits for mark i. An edge
//! may advance it over several levels at once; passing the last one gives the single mark of the
//! result and the counter starts again at the first: level `i mod k + 1` for levels 1 to k, where
//! the printed theorem of Malinen and Luukkainen leaves the range and accepts nothing. What happens
//! between components cannot be seen infinitely often, so the counter restarts there: fewer copies
//! of states.
//!
//! At most k copies of each state. Conditional marks must be expanded, since the counter follows
//! them.

use evenhand_source::spend;

use crate::{
    Acceptance, Automaton, Builder, LimitExceeded, Mark, MarkSet, State, components,
    expand_conditional_marks,
};
use rustc_hash::FxHashMap;

/// Why an automaton cannot be made into a Büchi automaton by a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DegeneralizeError {
    /// The condition is not generalized Büchi.
    NotGeneralizedBuchi,
    /// A limit was reached.
    Limit(LimitExceeded),
}

impl std::fmt::Display for DegeneralizeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DegeneralizeError::NotGeneralizedBuchi => {
                write!(f, "the acceptance condition is not generalized Büchi")
            }
            DegeneralizeError::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for DegeneralizeError {}

impl From<LimitExceeded> for DegeneralizeError {
    fn from(limit: LimitExceeded) -> DegeneralizeError {
        DegeneralizeError::Limit(limit)
    }
}

/// A Büchi automaton (mark 0, on edges) with the same language.
pub fn degeneralize(
    automaton: &Automaton,
    edge_limit: usize,
) -> Result<Automaton, DegeneralizeError> {
    if !automaton.acceptance().is_generalized_buchi() {
        return Err(DegeneralizeError::NotGeneralizedBuchi);
    }
    let automaton = &expand_conditional_marks(automaton, edge_limit)?;
    let levels: Vec<Mark> = automaton.acceptance().buchi.iter().collect();
    let components = components(automaton);
    let mut builder = Builder::new(automaton.props().to_vec(), Acceptance::generalized_buchi(1));
    builder.name = automaton.name().map(str::to_owned);
    let mut known: FxHashMap<(State, usize), State> = FxHashMap::default();
    let mut todo = Vec::new();
    let mut copy = |state: State, level: usize, builder: &mut Builder, todo: &mut Vec<_>| {
        *known.entry((state, level)).or_insert_with(|| {
            let new = builder.add_named_state(automaton.state_name(state));
            todo.push((state, level, new));
            new
        })
    };
    for &state in automaton.initial() {
        let new = copy(state, 0, &mut builder, &mut todo);
        builder.add_initial(new);
    }
    let seen: MarkSet = [Mark(0)].into_iter().collect();
    while let Some((state, level, source)) = todo.pop() {
        spend();
        for edge in automaton.edges_from(state) {
            let marks = automaton.marks(edge.marks);
            let (next, wrapped) = match components.same(state, edge.target) {
                true => advance(&levels, level, marks),
                false => (0, false),
            };
            let target = copy(edge.target, next, &mut builder, &mut todo);
            let marks = if wrapped { &seen } else { &MarkSet::EMPTY };
            builder.add_edge(source, automaton.cube(edge.label), marks, target);
        }
        if builder.edge_count() > edge_limit {
            Err(LimitExceeded {
                what: "edges of a degeneralized automaton",
                limit: edge_limit,
            })?;
        }
    }
    Ok(builder.build())
}

/// The level after an edge with these marks, and whether the last level was passed.
fn advance(levels: &[Mark], level: usize, marks: &MarkSet) -> (usize, bool) {
    let run = |from: usize| {
        let carried = levels[from..].iter().take_while(|m| marks.contains(**m));
        from + carried.count()
    };
    match run(level) {
        next if next < levels.len() => (next, false),
        _ => (run(0) % levels.len().max(1), true),
    }
}

/// A Büchi automaton whose mark is on all edges of a state or on none: acceptance on states, as
/// never claims and many tools want it. A state that is entered both ways is doubled unless all its
/// edges agree already.
pub fn state_based_buchi(
    automaton: &Automaton,
    edge_limit: usize,
) -> Result<Automaton, DegeneralizeError> {
    let buchi = &degeneralize(automaton, edge_limit)?;
    let accepting = |state: State| {
        let mut edges = buchi.edges_from(state).iter();
        edges.all(|e| buchi.marks(e.marks).contains(Mark(0)))
    };
    let rejecting = |state: State| {
        let mut edges = buchi.edges_from(state).iter();
        edges.all(|e| !buchi.marks(e.marks).contains(Mark(0)))
    };
    let uniform = |s: State| accepting(s) || rejecting(s);
    if buchi.states().all(uniform) {
        return Ok(buchi.clone());
    }
    // Copy 2s of a state rejects, copy 2s + 1 accepts: it was entered by a marked edge.
    let mut builder = buchi.like();
    builder.reserve_states(2 * buchi.state_count());
    buchi
        .initial()
        .iter()
        .for_each(|s| builder.add_initial(State(2 * s.0)));
    let seen: MarkSet = [Mark(0)].into_iter().collect();
    for edge in buchi.edges() {
        let entered = u32::from(buchi.marks(edge.marks).contains(Mark(0)));
        let target = State(2 * edge.target.0 + entered);
        let cube = buchi.cube(edge.label);
        builder.add_edge(State(2 * edge.source.0), cube, &MarkSet::EMPTY, target);
        builder.add_edge(State(2 * edge.source.0 + 1), cube, &seen, target);
    }
    let doubled = builder.build();
    let reachable = components(&doubled);
    Ok(crate::trim::keep_states(&doubled, |s| {
        reachable.of(s).is_some()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use crate::{Cube, accepts};

    /// B9: one state with a self-loop that carries all marks accepts every word.
    #[test]
    fn b9_a_self_loop_stays_in_range() {
        for k in 0..4 {
            let mut b = Builder::new(Vec::new(), Acceptance::generalized_buchi(k));
            let s = b.add_state();
            b.add_initial(s);
            b.add_edge(s, &Cube::TRUE, &MarkSet::below(k), s);
            let d = degeneralize(&b.build(), 100).unwrap();
            assert!(!crate::emptiness::is_empty(&d), "{k} marks");
            assert_eq!(d.state_count(), 1);
        }
    }

    #[test]
    fn the_counter_keeps_the_language() {
        let mut random = Random::new(54);
        let words = short_words(2, 1, 2);
        for _ in 0..cases(200) {
            let acceptance = Acceptance::generalized_buchi(random.below(4));
            let mut a = random_automaton(&mut random, 1..=3, 1..=9, 2, acceptance);
            if random.chance(40) {
                a = with_random_conditionals(&mut random, &a);
            }
            let d = degeneralize(&a, 1000).unwrap();
            let s = state_based_buchi(&a, 1000).unwrap();
            for w in &words {
                assert_eq!(accepts(&a, w), accepts(&d, w));
                assert_eq!(accepts(&a, w), accepts(&s, w));
            }
            for state in s.states() {
                let edges = s.edges_from(state);
                assert!(edges.iter().all(|e| e.marks == edges[0].marks));
            }
        }
        let streett = random_automaton(&mut random, 1..=1, 1..=1, 0, Acceptance::streett(1));
        let refused = degeneralize(&streett, 10).unwrap_err();
        assert_eq!(refused, DegeneralizeError::NotGeneralizedBuchi);
    }
}
