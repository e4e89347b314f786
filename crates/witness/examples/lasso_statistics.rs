//! How good the quick cycles are, and how far the exact search goes.
//!
//! `cargo run --release -p evenhand-witness --example lasso_statistics -- [graphs] [nodes]`
//!
//! First part: on random small graphs, how often each quick cycle is optimal from the core node
//! nearest to the start, and the mean ratio to the optimum. Second part: random graphs of growing
//! size and numbers of marks, the time to the proven optimum or the bounds when the budget ends.

use std::time::{Duration, Instant};

use evenhand_explicit::emptiness::{Component, Statistics, engines};
use evenhand_explicit::graph::{NodeId, PlainGraph};
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_explicit::watch::Watch;
use evenhand_testkit::lassos::{self, Kind, Random, random_graph};
use evenhand_witness::cores::{Core, cores_of};
use evenhand_witness::distances::Distances;
use evenhand_witness::eager::eager_cycle;
use evenhand_witness::lazy::{Locking, lazy_cycle};
use evenhand_witness::meter::{Halt, Meter};
use evenhand_witness::{Budget, shortest};

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse().ok());
    let graphs = arguments.next().unwrap_or(5000);
    let nodes = arguments.next().unwrap_or(7);
    quick_cycles(graphs, nodes);
    scaling();
}

fn unwatched<T>(f: impl FnOnce(&mut Watch<'_>) -> T) -> T {
    let mut observer = |_: &_| true;
    f(&mut Watch::new(&mut observer, None, None))
}

fn quick_cycles(graphs: usize, nodes: usize) {
    let names = ["lazy", "lazy, locked at requests", "eager", "lazy or eager"];
    println!("| condition | graphs | {} |", names.join(" | "));
    println!("| --- | --- | --- | --- | --- | --- |");
    for kind in [Kind::Several, Kind::Pairs, Kind::Mixed] {
        let mut count = 0;
        let mut optimal = [0; 4];
        let mut ratio = [0.0; 4];
        for seed in 0..graphs as u64 {
            let mut graph = random_graph(&mut Random::new(seed), kind, nodes);
            let Some(optimum) = lassos::by_sets(&graph) else {
                continue;
            };
            let lengths = unwatched(|watch| lengths(&mut graph, &mut Meter::unlimited(watch)));
            count += 1;
            for (i, length) in lengths.expect("no limits").into_iter().enumerate() {
                optimal[i] += usize::from(length == optimum);
                ratio[i] += length as f64 / optimum as f64;
            }
        }
        let cells = (0..4).map(|i| {
            let share = 100.0 * optimal[i] as f64 / count as f64;
            format!("{share:.1} % optimal, ratio {:.3}", ratio[i] / count as f64)
        });
        let cells: Vec<String> = cells.collect();
        println!("| {kind:?} | {count} | {} |", cells.join(" | "));
    }
}

/// The least length over all cores of each quick way.
fn lengths(graph: &mut PlainGraph<1>, meter: &mut Meter<'_, '_>) -> Result<[usize; 4], Halt> {
    let mut distances = Distances::from(&graph.initial);
    while !distances.is_complete() {
        distances.advance(graph, meter)?;
    }
    let parts = cores_of(graph, distances.nodes(), Marks::EMPTY, meter)?;
    let mut best = [usize::MAX; 4];
    for core in &Core::load(graph, &parts, meter)? {
        let depth = |root: NodeId| distances.of(core.outside(root)).unwrap_or(0) as usize;
        let roots = (0..core.size() as u32).map(NodeId);
        let Some(root) = roots.min_by_key(|&root| depth(root)) else {
            continue;
        };
        let cycles = [
            lazy_cycle(core, root, Locking::Debts, meter)?,
            lazy_cycle(core, root, Locking::Requests, meter)?,
            eager_cycle(core, root, meter)?,
        ];
        let lengths = cycles.map(|c| c.map_or(usize::MAX, |c| depth(root) + c.len()));
        let either = lengths[0].min(lengths[2]);
        for (best, length) in best.iter_mut().zip(lengths.into_iter().chain([either])) {
            *best = length.min(*best);
        }
    }
    Ok(best)
}

fn scaling() {
    println!();
    println!("| nodes | edges | Büchi | pairs | first | best | lower bound | time |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let rows = [
        (1_000, 2, 0, 100),
        (1_000, 4, 2, 100),
        (1_000, 8, 0, 200),
        (1_000, 6, 3, 100),
        (1_000, 12, 0, 200),
        (1_000, 4, 8, 100),
        (100_000, 1, 0, 1),
        (100_000, 2, 0, 10),
        (100_000, 4, 2, 10),
        (100_000, 8, 0, 20),
        (1_000_000, 1, 0, 1),
        (1_000_000, 4, 2, 1),
    ];
    for (nodes, buchi, pairs, density) in rows {
        let mut random = Random::new(nodes as u64 + buchi as u64);
        let list = (0..pairs).map(|i| Pair {
            request: (buchi + 2 * i) as u16,
            grant: (buchi + 2 * i + 1) as u16,
        });
        let condition: Streett<1> = Streett::new((0..buchi).collect(), list.collect());
        let mut graph = PlainGraph::new(condition, nodes);
        let edges = nodes * 11 / 5;
        for _ in 0..edges {
            let drawn: Vec<usize> = (0..buchi + 2 * pairs)
                .filter(|_| random.below(10_000) < density)
                .collect();
            graph.add(random.below(nodes), &drawn, random.below(nodes));
        }
        // Some edge out of the initial node, that the graph be large.
        graph.add(0, &[], random.below(nodes));
        let component = component(&mut graph);
        let Some(component) = component else {
            println!("| {nodes} | {edges} | {buchi} | {pairs} | none | | | |");
            continue;
        };
        let budget = |seconds| Budget {
            time: Some(Duration::from_secs(seconds)),
            ..Budget::default()
        };
        let first = unwatched(|watch| shortest(&mut graph, &component, budget(0), watch));
        let began = Instant::now();
        let best = unwatched(|watch| shortest(&mut graph, &component, budget(20), watch));
        let taken = began.elapsed();
        let first = first.expect("no limits").expect("a component has a lasso");
        let best = best.expect("no limits").expect("a component has a lasso");
        println!(
            "| {nodes} | {edges} | {buchi} | {pairs} | {} | {} | {} | {:.3} s |",
            first.lasso.len(),
            best.lasso.len(),
            best.lower_bound,
            taken.as_secs_f64()
        );
    }
}

fn component(graph: &mut PlainGraph<1>) -> Option<Component<1>> {
    let mut statistics = Statistics::default();
    let engine = engines::<1>()[0];
    unwatched(|watch| engine.search(graph, watch, &mut statistics)).expect("no limits")
}
