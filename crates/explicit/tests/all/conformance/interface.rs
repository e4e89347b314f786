//! Names, refusals, limits, and graphs that are deep, wide or large.

use std::time::Duration;

use evenhand_explicit::emptiness::{Engine, Statistics, engine, engines};
use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::watch::Watch;

use super::search;

fn pairs(count: u16) -> Vec<Pair> {
    (0..count)
        .map(|i| Pair {
            request: 2 * i,
            grant: 2 * i + 1,
        })
        .collect()
}

/// A ring of nodes, with another ring inside it where requests are made.
fn ring(nodes: usize, condition: Streett<1>) -> PlainGraph<1> {
    let mut graph = PlainGraph::new(condition, nodes);
    for node in 0..nodes {
        graph.add(node, &[0], (node + 1) % nodes);
        graph.add(node, &[2], (node + 7) % nodes);
    }
    graph
}

#[test]
fn names_are_distinct_and_found() {
    let all = engines::<1>();
    assert_eq!(all[0].name(), "streett");
    for one in all {
        assert_eq!(
            engine::<1>(one.name()).map(Engine::about),
            Some(one.about())
        );
        assert_eq!(all.iter().filter(|e| e.name() == one.name()).count(), 1);
    }
    assert!(engine::<1>("quantum").is_none());
}

#[test]
fn too_many_monitors_are_refused_with_a_hint() {
    let ndfs = engine::<1>("ndfs").expect("it is there");
    assert!(ndfs.supports(&Streett::new(Marks::EMPTY, pairs(8))).is_ok());
    let many = Streett::new(Marks::single(62), pairs(20));
    assert!(
        ndfs.supports(&many)
            .is_err_and(|why| why.contains("`streett`"))
    );
    // Asked all the same it gives no answer rather than a wrong one.
    let mut graph = ring(10, many.clone());
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let answer = ndfs.search(&mut graph, &mut watch, &mut Statistics::default());
    assert_eq!(answer, Err(Stop::Memory));
    for engine in engines::<1>().into_iter().filter(|e| e.name() != "ndfs") {
        assert_eq!(engine.supports(&many), Ok(()));
    }
}

#[test]
fn limits_and_interruptions_stop_every_engine() {
    for engine in engines::<1>() {
        let ask = |time, memory, go_on: bool| {
            let mut observer = |_: &Progress| go_on;
            let mut watch = Watch::new(&mut observer, time, memory);
            let mut graph = ring(20_000, Streett::new(Marks::EMPTY, pairs(2)));
            let answer = engine.search(&mut graph, &mut watch, &mut Statistics::default());
            answer.map(|found| found.is_some())
        };
        assert_eq!(ask(Some(Duration::ZERO), None, true), Err(Stop::Time));
        assert_eq!(ask(None, Some(10), true), Err(Stop::Memory));
        assert_eq!(ask(None, None, false), Err(Stop::Interrupted));
        assert_eq!(ask(None, None, true), Ok(false), "{}", engine.name());
    }
}

#[test]
fn deep_graphs_need_no_deep_stack() {
    for engine in engines::<1>() {
        for (condition, nonempty) in [
            (Streett::new(Marks::EMPTY, Vec::new()), true),
            (Streett::new(Marks::single(5), Vec::new()), false),
            (Streett::new(Marks::EMPTY, pairs(1)), true),
        ] {
            let graph = ring(100_000, condition);
            let (found, statistics) = search(engine, &graph);
            assert_eq!(found.is_some(), nonempty, "{}", engine.name());
            assert!(
                statistics.nodes > 0 && statistics.bytes > 0,
                "{}",
                engine.name()
            );
        }
    }
}

#[test]
fn hundreds_of_pairs_are_refined_one_inside_the_other() {
    // On a ring of two nodes, a loop for each pair: it asks for its pair, and grants the one
    // before. Only the request of the last pair is never granted; avoiding it takes away the next
    // grant.
    const PAIRS: usize = 300;
    let mut buchi = Marks::<16>::EMPTY;
    buchi.insert(2 * PAIRS);
    let mut graph = PlainGraph::new(Streett::new(buchi, pairs(PAIRS as u16)), 2);
    for i in 0..PAIRS {
        let grant = if i == 0 {
            2 * PAIRS + 1
        } else {
            2 * (i - 1) + 1
        };
        graph.add(i % 2, &[2 * i, grant], i % 2);
    }
    graph.add(0, &[], 1);
    graph.add(1, &[], 0);
    for nonempty in [false, true] {
        for engine in engines::<16>().into_iter().filter(|e| e.name() != "ndfs") {
            let mut observer = |_: &Progress| true;
            let mut watch = Watch::new(&mut observer, None, None);
            let mut statistics = Statistics::default();
            let answer = engine.search(&mut graph.clone(), &mut watch, &mut statistics);
            let found = answer.expect("there are no limits");
            assert_eq!(found.is_some(), nonempty, "{}", engine.name());
            if let Some(found) = found {
                assert_eq!(found.nodes.len(), 2);
                assert_eq!(found.avoid, graph.condition.requests());
            }
        }
        // The mark that was missing, where nothing is asked for.
        graph.add(1, &[2 * PAIRS], 0);
        if !nonempty {
            let streett = engine::<16>("streett").expect("it is there");
            let mut observer = |_: &Progress| true;
            let mut watch = Watch::new(&mut observer, None, None);
            let mut statistics = Statistics::default();
            let answer = streett.search(&mut graph.clone(), &mut watch, &mut statistics);
            assert!(answer.is_ok_and(|found| found.is_some()));
            assert_eq!(statistics.refinements, PAIRS as u64);
        }
    }
}

#[test]
fn without_pairs_there_is_one_pass() {
    let graph = ring(5000, Streett::new(Marks::single(9), Vec::new()));
    let streett = engine::<1>("streett").expect("it is there");
    let (found, statistics) = search(streett, &graph);
    assert!(found.is_none());
    assert_eq!((statistics.nodes, statistics.edges), (5000, 10_000));
    assert_eq!((statistics.refinements, statistics.revisits), (0, 0));
}

#[test]
fn stages_show_how_far_components_came() {
    let staged = engine::<1>("latvala-heljanko").expect("it is there");
    // A node alone; a loop without the Büchi mark; a loop with it that asks in vain.
    let mut graph = PlainGraph::new(Streett::new(Marks::single(4), pairs(1)), 3);
    graph.add(0, &[], 1);
    graph.add(1, &[], 1);
    graph.add(1, &[], 2);
    graph.add(2, &[0, 4], 2);
    let (found, statistics) = search(staged, &graph);
    assert!(found.is_none());
    let counts: Vec<u64> = statistics.stages.iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [3, 2, 1, 1, 1], "{:?}", statistics.stages);
}
