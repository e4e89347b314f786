//! What the tests of lassos share.

use evenhand_explicit::emptiness::{Component, Statistics, engines};
use evenhand_explicit::graph::{NodeId, PlainGraph};
use evenhand_explicit::marks::Marks;
use evenhand_explicit::watch::Watch;
use evenhand_witness::cores::{Core, cores_of};
use evenhand_witness::distances::Distances;
use evenhand_witness::meter::Meter;
use evenhand_witness::minimal::{Method, Minimal, minimal};
use evenhand_witness::{Budget, Shortest};

/// Without limits.
pub fn unwatched<T>(f: impl FnOnce(&mut Watch<'_>) -> T) -> T {
    let mut observer = |_: &_| true;
    f(&mut Watch::new(&mut observer, None, None))
}

/// The component that the default engine meets first.
pub fn engine_component<const W: usize>(graph: &mut PlainGraph<W>) -> Option<Component<W>> {
    let mut statistics = Statistics::default();
    let engine = engines::<W>()[0];
    unwatched(|watch| engine.search(graph, watch, &mut statistics)).expect("no limits")
}

/// Whether an answer is honest about the optimum.
pub fn enclosed<const W: usize>(answer: &Shortest<W>, optimum: usize, what: &str) {
    assert!(answer.lower_bound <= optimum, "{what}");
    assert!(answer.lasso.len() >= optimum, "{what}");
    let proved = answer.lower_bound == answer.lasso.len();
    assert_eq!(answer.shortest, proved, "{what}");
}

/// The searches alone, on all cores of the graph.
pub fn searched<const W: usize>(
    graph: &mut PlainGraph<W>,
    bound: usize,
    method: Method,
) -> Minimal<W> {
    searched_within(graph, bound, method, Budget::default())
}

/// The same within a budget.
pub fn searched_within<const W: usize>(
    graph: &mut PlainGraph<W>,
    bound: usize,
    method: Method,
    budget: Budget,
) -> Minimal<W> {
    unwatched(|watch| {
        let meter = &mut Meter::unlimited(watch);
        let mut distances = Distances::from(&graph.initial);
        while !distances.is_complete() {
            distances.advance(graph, meter).expect("no limits");
        }
        let parts = cores_of(graph, distances.nodes(), Marks::EMPTY, meter).expect("no limits");
        let cores = Core::load(graph, &parts, meter).expect("no limits");
        let depth = |node: NodeId| distances.of(node).expect("reachable");
        meter.allow(budget, 0);
        minimal(&cores, &depth, bound, method, meter)
    })
}
