//! What the tests of lassos share.

use evenhand_explicit::emptiness::{Component, Statistics, engines};
use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::watch::Watch;
use evenhand_witness::Shortest;

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
