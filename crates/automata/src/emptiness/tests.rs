//! The checks against edge subsets, against words, and on the smallest failures of the printed
//! figures.

use super::*;
use crate::testing::*;
use crate::{Acceptance, Builder, Condition, Mark, accepts};

fn graph(states: usize, acceptance: Acceptance, edges: &[(u32, &[u32], u32)]) -> Automaton {
    let mut b = Builder::new(Vec::new(), acceptance);
    b.reserve_states(states);
    b.add_initial(State(0));
    for &(s, marks, t) in edges {
        let marks: MarkSet = marks.iter().map(|&m| Mark(m)).collect();
        b.add_edge(State(s), &Cube::TRUE, &marks, State(t));
    }
    b.build()
}

fn verdict(automaton: &Automaton) -> bool {
    match accepting_lasso(automaton) {
        None => {
            assert!(is_empty(automaton));
            false
        }
        Some(lasso) => {
            assert_eq!(check_lasso(automaton, &lasso), Ok(()), "{automaton:?}");
            assert!(accepts(automaton, &lasso.word()));
            true
        }
    }
}

/// Through the general check, whatever the condition.
fn general_verdict(automaton: &Automaton) -> bool {
    let components = components(automaton);
    (0..components.count()).any(|c| {
        let graph = Graph::<Bits>::of_component(automaton, &components, c);
        let condition = automaton.acceptance().to_condition();
        let found = emerson_lei::find(graph, &condition, &mut usize::MAX.clone());
        found.is_ok_and(|core| core.is_some())
    })
}

#[test]
fn agrees_with_edge_subsets() {
    let mut random = Random::new(11);
    let mut nonempty = 0;
    for _ in 0..cases(3000) {
        let acceptance = random_acceptance(&mut random);
        let a = random_automaton(&mut random, 1..=4, 1..=8, 0, acceptance);
        let expected = nonempty_by_edge_subsets(&a);
        nonempty += usize::from(expected);
        assert_eq!(verdict(&a), expected, "{a:?}");
        assert_eq!(general_verdict(&a), expected, "{a:?}");
    }
    assert!(nonempty > 100);
}

/// A nonempty automaton accepts a short word here, since it has few states.
#[test]
fn conditional_marks_agree_with_words() {
    let mut random = Random::new(12);
    let words = short_words(2, 2, 3);
    let mut nonempty = 0;
    for _ in 0..cases(400) {
        let acceptance = random_acceptance(&mut random);
        let a = random_automaton(&mut random, 1..=3, 1..=6, 2, acceptance);
        let a = with_random_conditionals(&mut random, &a);
        let found = verdict(&a);
        assert_eq!(general_verdict(&a), found);
        nonempty += usize::from(found);
        if !found {
            assert!(!words.iter().any(|w| accepts(&a, w)), "{a:?}");
        }
    }
    assert!(nonempty > 50);
}

#[test]
fn more_than_64_marks() {
    let mut random = Random::new(13);
    for _ in 0..cases(300) {
        let acceptance = random_acceptance(&mut random);
        let small = random_automaton(&mut random, 1..=4, 1..=8, 0, acceptance);
        let far = |m: Mark| Mark(m.0 * 37 + 30);
        let mut b = Builder::new(Vec::new(), small.acceptance().renamed(far));
        b.reserve_states(small.state_count());
        small.initial().iter().for_each(|&s| b.add_initial(s));
        for e in small.edges() {
            let marks = small.marks(e.marks).iter().map(far).collect();
            b.add_edge(e.source, &Cube::TRUE, &marks, e.target);
        }
        assert_eq!(verdict(&b.build()), nonempty_by_edge_subsets(&small));
    }
}

/// B1: the run 0 → 2 → 0 avoids the request; searches that walk avoided edges miss it.
#[test]
fn b1_an_avoided_edge_must_not_be_walked() {
    let a = graph(
        3,
        Acceptance::streett(1),
        &[(0, &[], 1), (0, &[], 2), (1, &[0], 2), (2, &[], 0)],
    );
    assert!(verdict(&a));
}

/// B1, exhaustively: all ordered graphs of three states and up to three edges with a request or
/// nothing on each, and a random part of those with four.
#[test]
fn b1_small_graphs_in_every_order() {
    let one = |code: usize| -> (u32, u32, bool) {
        ((code / 6) as u32, (code / 2 % 3) as u32, code % 2 == 1)
    };
    let mut random = Random::new(14);
    let check = |codes: &[usize]| {
        let edges: Vec<(u32, &[u32], u32)> = codes
            .iter()
            .map(|&c| one(c))
            .map(|(s, t, l)| (s, if l { &[0u32][..] } else { &[][..] }, t))
            .collect();
        let a = graph(3, Acceptance::streett(1), &edges);
        assert_eq!(verdict(&a), nonempty_by_edge_subsets(&a), "{edges:?}");
    };
    for a in 0..18 {
        for b in 0..18 {
            for c in 0..18 {
                check(&[a, b, c]);
            }
        }
    }
    for _ in 0..cases(5000) {
        let codes: Vec<usize> = (0..4).map(|_| random.below(18)).collect();
        check(&codes);
    }
}

/// B2: no cycle at all, and a cycle that only has the request.
#[test]
fn b2_no_spurious_run() {
    let a = graph(
        3,
        Acceptance::all(),
        &[(0, &[], 1), (0, &[], 2), (1, &[], 2)],
    );
    assert!(!verdict(&a));
    let a = graph(2, Acceptance::streett(1), &[(0, &[0], 0), (0, &[], 1)]);
    assert!(!verdict(&a));
}

/// B14: a state without an edge is a component, not an accepting one.
#[test]
fn b14_a_trivial_component_is_not_accepting() {
    assert!(!verdict(&graph(1, Acceptance::all(), &[])));
    assert!(!verdict(&graph(1, Acceptance::streett(1), &[])));
    assert!(verdict(&graph(1, Acceptance::all(), &[(0, &[], 0)])));
}

#[test]
fn the_judge_refuses_what_is_wrong() {
    let a = graph(
        2,
        Acceptance::generalized_buchi(1),
        &[(0, &[], 1), (1, &[0], 0), (1, &[], 1)],
    );
    let step = |e| crate::Step {
        edge: crate::EdgeId(e),
        letter: Default::default(),
    };
    let lasso = |prefix: &[u32], cycle: &[u32]| Lasso {
        prefix: prefix.iter().map(|&e| step(e)).collect(),
        cycle: cycle.iter().map(|&e| step(e)).collect(),
    };
    let judge = |prefix: &[u32], cycle: &[u32]| check_lasso(&a, &lasso(prefix, cycle));
    assert_eq!(judge(&[], &[0, 1]), Ok(()));
    assert_eq!(judge(&[0], &[1, 0]), Ok(()));
    assert_eq!(judge(&[0], &[]), Err(LassoError::EmptyCycle));
    assert_eq!(judge(&[], &[1, 0]), Err(LassoError::NotInitial(State(1))));
    assert_eq!(judge(&[], &[0, 0]), Err(LassoError::Broken(1)));
    assert_eq!(judge(&[], &[0, 2]), Err(LassoError::NotClosed));
    assert_eq!(
        judge(&[0], &[2]),
        Err(LassoError::NotAccepting(MarkSet::EMPTY))
    );
    assert_eq!(judge(&[0], &[9]), Err(LassoError::NoSuchEdge(1)));
}

/// A formula of the kind that needs exponentially many cases: every mark both ways in each clause.
#[test]
fn hard_conditions_end_at_the_limit() {
    let mut random = Random::new(15);
    let marks = 40;
    let clause = |random: &mut Random| {
        let literals: Vec<Condition> = (0..3)
            .map(|_| {
                let mark = Mark::new(random.below(marks));
                if random.chance(50) {
                    Condition::Inf(mark)
                } else {
                    Condition::Fin(mark)
                }
            })
            .collect();
        Condition::or(literals)
    };
    let clauses: Vec<Condition> = (0..400).map(|_| clause(&mut random)).collect();
    let edges: Vec<(u32, Vec<u32>, u32)> = (0..marks as u32).map(|m| (0, vec![m], 0)).collect();
    let edges: Vec<(u32, &[u32], u32)> = edges.iter().map(|(s, m, t)| (*s, &m[..], *t)).collect();
    let a = graph(
        1,
        Acceptance::from_condition(Condition::and(clauses)),
        &edges,
    );
    let error = accepting_core_within(&a, 5).unwrap_err();
    assert!(error.to_string().contains("more than 5 searches"));
    let small = graph(1, Acceptance::streett(1), &[(0, &[], 0)]);
    assert!(accepting_core_within(&small, 0).is_ok_and(|core| core.is_some()));
}
