//! Laws that need no oracle: what must not change, and what may change in one direction only.

use evenhand_explicit::emptiness::engines;
use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_testkit::graphs::{
    Fairness, Shape, by_components, random_graph, random_processes, shuffle_edges,
};
use evenhand_testkit::promela_programs::random::Random;

use super::{cases, expect, is_asked, search};

/// The verdicts of all engines that are asked for both graphs.
fn verdicts(graph: &PlainGraph<1>) -> Vec<(&'static str, bool)> {
    engines::<1>()
        .into_iter()
        .filter(|&engine| is_asked(engine, graph))
        .map(|engine| (engine.name(), search(engine, graph).0.is_some()))
        .collect()
}

fn shape(case: u64) -> Shape {
    if case.is_multiple_of(4) {
        Shape::LARGE
    } else {
        Shape::SMALL
    }
}

#[test]
fn the_order_of_edges_changes_nothing() {
    for case in 0..cases(2000) {
        let mut random = Random::new(case);
        let graph = random_graph(&mut random, &shape(case));
        let before = verdicts(&graph);
        let mut shuffled = graph.clone();
        for _ in 0..3 {
            shuffle_edges(&mut random, &mut shuffled);
            assert_eq!(verdicts(&shuffled), before, "case {case}: {graph:?}");
        }
    }
}

#[test]
fn one_more_pair_accepts_no_more() {
    let mut changed = 0;
    for case in 0..cases(2000) {
        let mut random = Random::new(case);
        let graph = random_graph(&mut random, &shape(case));
        let before = verdicts(&graph);
        let mut more = graph.clone();
        let mut pairs = graph.condition.pairs().to_vec();
        // Two marks that nothing uses yet.
        let pair = Pair {
            request: 62,
            grant: 63,
        };
        pairs.push(pair);
        more.condition = Streett::new(graph.condition.buchi, pairs);
        for edge in more.edges.iter_mut().flatten() {
            for mark in [62, 63] {
                if random.percent(30) {
                    edge.marks.insert(mark);
                }
            }
        }
        for (name, nonempty) in verdicts(&more) {
            if nonempty {
                assert!(before.contains(&(name, true)), "case {case}: {graph:?}");
            } else {
                changed += u32::from(before.contains(&(name, true)));
            }
        }
    }
    assert!(changed > 0, "the law was never put to the test");
}

#[test]
fn stronger_fairness_allows_fewer_runs() {
    let mut counts = [0; 4];
    for case in 0..cases(2000) {
        let mut random = Random::new(case);
        let system = random_processes(&mut random);
        let mut last = true;
        let mut level = 0;
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let graph = system.graph(fairness);
            let verdict = by_components(&graph);
            expect(&graph, verdict, format_args!("case {case}, {fairness:?}"));
            assert!(last || !verdict, "case {case}: {graph:?}");
            level += usize::from(verdict);
            last = verdict;
        }
        counts[level] += 1;
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

#[test]
fn a_pair_that_always_asks_is_a_buchi_mark() {
    for case in 0..cases(2000) {
        let mut graph = random_graph(&mut Random::new(case), &Shape::SMALL);
        let before = verdicts(&graph);
        let mut pairs = graph.condition.pairs().to_vec();
        let always = |grant: usize| Pair {
            request: 63,
            grant: grant as u16,
        };
        pairs.extend(graph.condition.buchi.iter().map(always));
        graph.condition = Streett::new(Marks::EMPTY, pairs);
        for edge in graph.edges.iter_mut().flatten() {
            edge.marks.insert(63);
        }
        assert_eq!(verdicts(&graph), before, "case {case}: {graph:?}");
    }
}
