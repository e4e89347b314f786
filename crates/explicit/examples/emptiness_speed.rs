//! How fast the engines are on graphs in memory: nanoseconds per edge.
//!
//! `cargo run --release -p evenhand-explicit --example emptiness_speed [nodes] [edges per node] [engine]`
//!
//! The graphs are random, in one piece and without an accepting cycle, so that every engine has to
//! see all of it: nodes numbered as a depth-first search would meet them, most edges short, some
//! long.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use evenhand_explicit::emptiness::{Statistics, engines};
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::watch::Watch;
use evenhand_testkit::promela_programs::random::Random;

/// Edges in one array, so that the graph itself costs little.
struct Flat {
    condition: Streett<1>,
    degree: usize,
    edges: Vec<Edge<1>>,
}

impl Graph<1> for Flat {
    fn condition(&self) -> &Streett<1> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        Ok(vec![NodeId(0)])
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<1>>) -> Result<(), Stop> {
        edges.clear();
        let first = node.index() * self.degree;
        edges.extend_from_slice(&self.edges[first..first + self.degree]);
        Ok(())
    }

    fn bound(&self) -> usize {
        self.edges.len() / self.degree
    }
}

/// Each pair is asked for on every hundredth edge. With `granted`, all grants are there, but one
/// Büchi mark is missing; without, no request is granted and the Büchi mark comes with requests
/// only.
fn graph(nodes: usize, degree: usize, pairs: usize, granted: bool, local: bool) -> Flat {
    let mut random = Random::new(1);
    let buchi = Marks::single(0);
    let list = (0..pairs).map(|i| Pair {
        request: 1 + 2 * i as u16,
        grant: 2 + 2 * i as u16,
    });
    let condition = Streett::new(buchi, list.collect());
    let mut edges = Vec::with_capacity(nodes * degree);
    for node in 0..nodes {
        for i in 0..degree {
            let target = match i {
                0 => (node + 1) % nodes,
                _ if local && random.percent(90) => (node + random.below(64)) % nodes,
                _ => random.below(nodes),
            };
            let mut marks = Marks::EMPTY;
            for pair in 0..pairs {
                if random.below(100) == 0 {
                    marks.insert(1 + 2 * pair);
                    if !granted {
                        marks.insert(0);
                    }
                }
                if granted && random.below(100) == 0 {
                    marks.insert(2 + 2 * pair);
                }
            }
            edges.push(Edge {
                target: NodeId(target as u32),
                marks,
            });
        }
    }
    Flat {
        condition,
        degree,
        edges,
    }
}

/// Time spent computing, where the system tells (Linux); else time on the clock.
fn cpu_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    told.and_then(|text| text.split_whitespace().next()?.parse().ok())
        .map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| {
        let argument = arguments.next().and_then(|a| a.parse().ok());
        argument.unwrap_or(default)
    };
    let (nodes, degree) = (number(1_000_000), number(5));
    let only = std::env::args().nth(3);
    println!(
        "{:<28} {:<20} {:>9} {:>8} {:>10} {:>10}",
        "graph", "engine", "ns/edge", "ms", "revisits", "bytes/node"
    );
    for (name, pairs, granted, local) in [
        ("0 pairs, far edges", 0, true, false),
        ("0 pairs, near edges", 0, true, true),
        ("10 pairs granted, near", 10, true, true),
        ("10 pairs in vain, far", 10, false, false),
        ("10 pairs in vain, near", 10, false, true),
    ] {
        let mut graph = graph(nodes, degree, pairs, granted, local);
        for engine in engines::<1>() {
            let is_chosen = only.as_deref().is_none_or(|only| only == engine.name());
            if !is_chosen || engine.supports(graph.condition()).is_err() {
                continue;
            }
            if engine.name() == "ndfs" && pairs > 0 {
                continue;
            }
            let mut observer = |_: &Progress| true;
            let mut watch = Watch::new(&mut observer, None, None);
            let mut statistics = Statistics::default();
            let started = cpu_time();
            let answer = engine.search(&mut graph, &mut watch, &mut statistics);
            let elapsed = cpu_time() - started;
            assert!(matches!(answer, Ok(None)), "{answer:?}");
            println!(
                "{name:<28} {:<20} {:>9.1} {:>8} {:>10} {:>10.1}",
                engine.name(),
                elapsed.as_nanos() as f64 / (nodes * degree) as f64,
                elapsed.as_millis(),
                statistics.revisits,
                statistics.bytes as f64 / nodes as f64,
            );
        }
    }
}
