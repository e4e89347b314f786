//! The product: an automaton for the intersection of two languages.
//!
//! States are pairs, met from the initial pairs on; an edge pairs two edges whose labels can hold
//! together and carries the marks of both. The marks of the second automaton are renamed to come
//! behind those of the first, and the condition is the conjunction: generalized Büchi with
//! generalized Büchi, with Streett, or with anything else alike. Conditional marks depend on the
//! letter alone, which both read: the tables are joined. Propositions are matched by name.

use evenhand_source::spend;

use crate::{Automaton, Builder, LimitExceeded, Mark, MarkSet, Prop, State};
use rustc_hash::FxHashMap;

/// An automaton that accepts what both accept, of at most `state_limit` states.
pub fn product(
    a: &Automaton,
    b: &Automaton,
    state_limit: usize,
) -> Result<Automaton, LimitExceeded> {
    let mut props = a.props().to_vec();
    let rename: Vec<Prop> = (b.props().iter())
        .map(|name| {
            let place = props.iter().position(|p| p == name).unwrap_or_else(|| {
                props.push(name.clone());
                props.len() - 1
            });
            Prop::new(place)
        })
        .collect();
    let offset = a.mark_count();
    let shift = |mark: Mark| Mark::new(mark.index() + offset);
    let acceptance = a.acceptance().clone().and(b.acceptance().renamed(shift));
    let mut builder = Builder::new(props, acceptance);
    builder.reserve_marks(a.mark_count() + b.mark_count());
    for c in a.conditionals() {
        builder.add_conditional(c.mark, c.literal);
    }
    for c in b.conditionals() {
        let mut literal = c.literal;
        literal.prop = rename[literal.prop.index()];
        builder.add_conditional(shift(c.mark), literal);
    }
    let b_cubes: Vec<_> = b.cubes().iter().map(|c| c.renamed(&rename)).collect();
    let b_marks: Vec<_> = (b.mark_sets().iter())
        .map(|m| m.0.shifted(offset))
        .collect();

    let mut pairs = Pairs::default();
    for &x in a.initial() {
        for &y in b.initial() {
            let state = pairs.state(x, y, &mut builder);
            builder.add_initial(state);
        }
    }
    while let Some((x, y, source)) = pairs.todo.pop() {
        spend();
        if builder.state_count() > state_limit {
            return Err(LimitExceeded {
                what: "states of a product",
                limit: state_limit,
            });
        }
        for e in a.edges_from(x) {
            for f in b.edges_from(y) {
                if let Some(cube) = a.cube(e.label).and(&b_cubes[f.label.index()]) {
                    let marks = MarkSet(a.marks(e.marks).0.union(&b_marks[f.marks.index()]));
                    let target = pairs.state(e.target, f.target, &mut builder);
                    builder.add_edge(source, &cube, &marks, target);
                }
            }
        }
    }
    Ok(builder.build())
}

#[derive(Default)]
struct Pairs {
    known: FxHashMap<(State, State), State>,
    todo: Vec<(State, State, State)>,
}

impl Pairs {
    fn state(&mut self, x: State, y: State, builder: &mut Builder) -> State {
        *self.known.entry((x, y)).or_insert_with(|| {
            let state = builder.add_state();
            self.todo.push((x, y, state));
            state
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accepts;
    use crate::testing::*;

    #[test]
    fn a_product_accepts_what_both_accept() {
        let mut random = Random::new(41);
        let words = short_words(2, 1, 2);
        for _ in 0..cases(120) {
            let mut one = || {
                let acceptance = random_acceptance(&mut random);
                let a = random_automaton(&mut random, 1..=3, 1..=8, 2, acceptance);
                match random.chance(40) {
                    true => with_random_conditionals(&mut random, &a),
                    false => a,
                }
            };
            let (a, b) = (one(), one());
            let both = product(&a, &b, 1000).unwrap();
            for w in &words {
                assert_eq!(accepts(&both, w), accepts(&a, w) && accepts(&b, w));
            }
        }
    }

    #[test]
    fn propositions_are_matched_by_name_and_states_are_limited() {
        let mut random = Random::new(42);
        let a = random_automaton(&mut random, 4..=4, 12..=12, 2, crate::Acceptance::all());
        let mut b = Builder::new(vec!["p1".into(), "q".into()], crate::Acceptance::all());
        let s = b.add_state();
        b.add_initial(s);
        let p1 = crate::Literal {
            prop: Prop(0),
            positive: true,
        };
        b.add_edge(s, &crate::Cube::literal(p1), &MarkSet::EMPTY, s);
        let c = product(&a, &b.build(), 100).unwrap();
        assert_eq!(c.props(), ["p0", "p1", "q"]);
        assert!(
            c.cubes()
                .iter()
                .all(|cube| cube.value(Prop(1)) == Some(true))
        );
        let mut ring = Builder::new(Vec::new(), crate::Acceptance::all());
        ring.reserve_states(3);
        ring.add_initial(State(0));
        for i in 0..3 {
            ring.add_edge(
                State(i),
                &crate::Cube::TRUE,
                &MarkSet::EMPTY,
                State((i + 1) % 3),
            );
        }
        let ring = ring.build();
        assert_eq!(product(&ring, &ring, 3).unwrap().state_count(), 3);
        assert!(product(&ring, &ring, 2).is_err());
    }
}
