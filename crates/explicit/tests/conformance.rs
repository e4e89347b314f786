//! Every engine on the same graphs: verdicts against brute force, components against an independent
//! judge. The number of random cases can be set by the environment variable `EVENHAND_CASES`.

use evenhand_explicit::emptiness::{Component, Engine, Statistics, engines};
use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Pair, Streett};
use evenhand_explicit::search::Progress;
use evenhand_explicit::watch::Watch;
use evenhand_testkit::graphs::{
    Shape, by_components, by_subsets, judge, random_graph, shuffle_edges,
};
use evenhand_testkit::promela_programs::random::Random;

/// How many random graphs of each kind.
fn cases(default: u64) -> u64 {
    std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default)
}

fn search(engine: &dyn Engine<1>, graph: &PlainGraph<1>) -> (Option<Component<1>>, Statistics) {
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let mut statistics = Statistics::default();
    let mut graph = graph.clone();
    let answer = engine.search(&mut graph, &mut watch, &mut statistics);
    (answer.expect("there are no limits"), statistics)
}

/// Whether an engine can be asked in reasonable time: monitors multiply the nodes.
fn is_asked(engine: &dyn Engine<1>, graph: &PlainGraph<1>) -> bool {
    engine.name() != "ndfs" || graph.edges.len() < 10 || graph.condition.pairs().len() <= 2
}

/// All engines give this verdict, and what they find stands up to the judge.
fn expect(graph: &PlainGraph<1>, nonempty: bool, case: &dyn std::fmt::Display) {
    for engine in engines::<1>() {
        if !is_asked(engine, graph) {
            continue;
        }
        let (found, statistics) = search(engine, graph);
        let name = engine.name();
        assert_eq!(found.is_some(), nonempty, "{name}, {case}: {graph:?}");
        if let Some(component) = found
            && let Err(why) = judge(graph, &component)
        {
            panic!("{name}, {case}: {why}: {component:?} in {graph:?}");
        }
        let pairs = graph.condition.pairs().len() as u64;
        if name == "streett" {
            assert!(statistics.revisits <= statistics.nodes * pairs, "{case}");
            assert!(statistics.nodes <= graph.edges.len() as u64, "{case}");
        }
    }
}

/// Each verdict is at least a fifth of all.
fn assert_balanced(nonempty: u64, cases: u64) {
    let percent = nonempty * 100 / cases;
    assert!((20..=80).contains(&percent), "{percent} % non-empty");
}

#[test]
fn small_graphs_agree_with_all_sets_of_edges() {
    let cases = cases(4000);
    let mut nonempty = 0;
    for case in 0..cases {
        let graph = random_graph(&mut Random::new(case), &Shape::SMALL);
        let verdict = by_subsets(&graph);
        assert_eq!(
            by_components(&graph),
            verdict,
            "oracle, case {case}: {graph:?}"
        );
        expect(&graph, verdict, &format_args!("case {case}"));
        nonempty += u64::from(verdict);
    }
    assert_balanced(nonempty, cases);
}

#[test]
fn larger_graphs_agree_with_components_of_closures() {
    let cases = cases(2000);
    let mut nonempty = 0;
    for case in 0..cases {
        let graph = random_graph(&mut Random::new(case), &Shape::LARGE);
        let verdict = by_components(&graph);
        expect(&graph, verdict, &format_args!("case {case}"));
        nonempty += u64::from(verdict);
    }
    assert_balanced(nonempty, cases);
}
