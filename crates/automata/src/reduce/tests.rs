//! Reductions keep the language, and reduce.

use super::*;
use crate::testing::*;
use crate::{Acceptance, Builder, Cube, LassoWord, Literal, Mark, MarkSet, Prop, State, accepts};

fn samples(seed: u64, count: usize) -> Vec<Automaton> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|i| {
            let acceptance = match i % 2 {
                0 => Acceptance::generalized_buchi(random.below(3)),
                _ => random_acceptance(&mut random),
            };
            let a = random_automaton(&mut random, 1..=5, 1..=12, 2, acceptance);
            match random.chance(25) {
                true => with_random_conditionals(&mut random, &a),
                false => a,
            }
        })
        .collect()
}

fn same(words: &[LassoWord], a: &Automaton, b: &Automaton) {
    for w in words {
        assert_eq!(accepts(a, w), accepts(b, w), "{w:?}\n{a:?}\n{b:?}");
    }
}

#[test]
fn each_reduction_keeps_the_language() {
    let words = short_words(2, 1, 2);
    let limits = ReduceLimits::default();
    for a in samples(61, cases(400)) {
        same(&words, &a, &merge_edges(&a));
        same(&words, &a, &simplify_acceptance(&a));
        same(&words, &a, &merge_transient_states(&a, &limits));
        for direction in [Direction::Forward, Direction::Backward] {
            same(&words, &a, &simulation_quotient(&a, direction, &limits));
        }
    }
}

#[test]
fn all_together_keep_the_language_and_never_grow() {
    let words: Vec<_> = short_words(2, 2, 3).into_iter().step_by(7).collect();
    let mut smaller = 0;
    for a in samples(62, cases(300)) {
        let r = reduce(&a, &ReduceLimits::default());
        assert!(r.state_count() <= a.state_count());
        smaller += usize::from(r.state_count() < trim(&a).state_count());
        same(&words, &a, &r);
    }
    assert!(smaller > 10, "{smaller}");
}

fn literal(prop: u32, positive: bool) -> Cube {
    let prop = Prop(prop);
    Cube::literal(Literal { prop, positive })
}

/// Two copies of GF p that go to and fro are one state; a third that only starts runs joins them.
#[test]
fn copies_are_merged() {
    let mut b = Builder::new(vec!["p".into()], Acceptance::generalized_buchi(1));
    b.reserve_states(3);
    b.add_initial(State(2));
    let seen: MarkSet = [Mark(0)].into_iter().collect();
    for (s, t) in [(0, 1), (1, 0)] {
        b.add_edge(State(s), &literal(0, true), &seen, State(t));
        b.add_edge(State(s), &literal(0, false), &MarkSet::EMPTY, State(t));
    }
    b.add_edge(State(2), &Cube::TRUE, &MarkSet::EMPTY, State(0));
    let r = reduce(&b.build(), &ReduceLimits::default());
    assert_eq!((r.state_count(), r.edge_count()), (1, 2));
}

/// An edge whose label two better ones cover together is dropped.
#[test]
fn a_covered_edge_is_dropped() {
    let mut b = Builder::new(vec!["p".into()], Acceptance::generalized_buchi(1));
    let s = b.add_state();
    b.add_initial(s);
    b.add_edge(s, &Cube::TRUE, &MarkSet::EMPTY, s);
    b.add_edge(s, &literal(0, true), &MarkSet::below(1), s);
    b.add_edge(s, &literal(0, false), &MarkSet::below(1), s);
    let r = reduce(&b.build(), &ReduceLimits::default());
    assert_eq!((r.edge_count(), r.mark_count()), (1, 0));
}

#[test]
fn useless_marks_go() {
    // Mark 1 is wherever mark 0 is; mark 2 is everywhere; the request of the pair comes with its
    // grant.
    let mut b = Builder::new(vec!["p".into()], Acceptance::generalized_buchi(3));
    let mut acceptance = Acceptance::generalized_buchi(3);
    acceptance.pairs.push(crate::Pair {
        request: Mark(3),
        grant: Mark(4),
    });
    b.set_acceptance(acceptance);
    let s = b.add_state();
    b.add_initial(s);
    let marks = |m: &[u32]| -> MarkSet { m.iter().map(|&m| Mark(m)).collect() };
    b.add_edge(s, &literal(0, true), &marks(&[0, 1, 2, 3, 4]), s);
    b.add_edge(s, &literal(0, false), &marks(&[1, 2, 4]), s);
    b.add_edge(s, &literal(0, false), &marks(&[2]), s);
    let r = simplify_acceptance(&b.build());
    assert_eq!(
        (r.mark_count(), r.acceptance()),
        (1, &Acceptance::generalized_buchi(1))
    );
}

#[test]
fn a_limit_leaves_the_automaton_as_it_is() {
    let mut random = Random::new(63);
    let a = random_automaton(
        &mut random,
        5..=5,
        12..=12,
        2,
        Acceptance::generalized_buchi(1),
    );
    let limits = ReduceLimits {
        comparisons: 1,
        ..ReduceLimits::default()
    };
    let q = simulation_quotient(&a, Direction::Forward, &limits);
    assert_eq!(q.edges(), a.edges());
}
