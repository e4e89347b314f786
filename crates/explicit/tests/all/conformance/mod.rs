//! Every engine on the same graphs: verdicts against brute force, components against an independent
//! judge. The number of random cases can be set by the environment variable `EVENHAND_CASES`.

mod exhaustive;
mod interface;
mod laws;
mod random;
mod regressions;

use std::fmt::Display;

use evenhand_explicit::emptiness::{Component, Engine, Statistics, engines};
use evenhand_explicit::graph::{Graph, PlainGraph};
use evenhand_explicit::search::Progress;
use evenhand_explicit::watch::Watch;
use evenhand_testkit::graphs::{OnDemand, judge};

/// How many random graphs.
fn cases(default: u64) -> u64 {
    std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default)
}

/// Asks an engine, without limits.
fn search(engine: &dyn Engine<1>, graph: &PlainGraph<1>) -> (Option<Component<1>>, Statistics) {
    ask(engine, &mut graph.clone())
}

fn ask(engine: &dyn Engine<1>, graph: &mut dyn Graph<1>) -> (Option<Component<1>>, Statistics) {
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let mut statistics = Statistics::default();
    let answer = engine.search(graph, &mut watch, &mut statistics);
    (answer.expect("there are no limits"), statistics)
}

/// Asks an engine about the same graph with its nodes numbered as they are met.
fn search_on_demand(engine: &dyn Engine<1>, graph: &PlainGraph<1>) -> Option<Component<1>> {
    let mut graph = OnDemand::new(graph.clone());
    let mut component = ask(engine, &mut graph).0?;
    for node in &mut component.nodes {
        *node = graph.name(*node);
    }
    Some(component)
}

/// Whether an engine can be asked in reasonable time: monitors multiply the nodes.
fn is_asked(engine: &dyn Engine<1>, graph: &PlainGraph<1>) -> bool {
    engine.name() != "ndfs" || graph.edges.len() < 10 || graph.condition.pairs().len() <= 2
}

/// All engines give this verdict, and what they find stands up to the judge.
#[track_caller]
fn expect(graph: &PlainGraph<1>, nonempty: bool, case: impl Display) {
    for engine in engines::<1>() {
        if !is_asked(engine, graph) {
            continue;
        }
        let name = engine.name();
        let (found, statistics) = search(engine, graph);
        for found in [found, search_on_demand(engine, graph)] {
            assert_eq!(found.is_some(), nonempty, "{name}, {case}: {graph:?}");
            if let Some(component) = found
                && let Err(why) = judge(graph, &component)
            {
                panic!("{name}, {case}: {why}: {component:?} in {graph:?}");
            }
        }
        if name == "streett" {
            check_cost(graph, nonempty, &statistics);
        }
    }
}

/// What the default engine promises about its visits.
#[track_caller]
fn check_cost(graph: &PlainGraph<1>, nonempty: bool, statistics: &Statistics) {
    let pairs = graph.condition.pairs().len() as u64;
    assert!(statistics.revisits <= statistics.nodes * pairs);
    assert!(statistics.nodes <= graph.edges.len() as u64);
    assert_eq!(statistics.revisits > 0, statistics.refinements > 0);
    if !nonempty {
        let nodes = evenhand_testkit::graphs::reachable(graph);
        assert_eq!(statistics.nodes, u64::from(nodes.count_ones()));
    }
}
