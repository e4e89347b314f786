//! Ranks that somebody made up: accepted only where there is no accepting cycle.

use evenhand_certify::{CellId, Cells, Ranks, Reason};
use evenhand_explicit::graph::{Edge, NodeId, PlainGraph};
use evenhand_explicit::marks::{Pair, Streett};
use evenhand_testkit::graphs::by_subsets;
use evenhand_testkit::promela_programs::random::Random;

use super::{cases, check};

/// A tiny graph: up to three nodes and five edges, so that ranks from nowhere have a chance.
fn tiny(random: &mut Random) -> PlainGraph<1> {
    let pair = |request, grant| Pair { request, grant };
    let buchi = (0..random.below(3)).collect();
    let pairs = match random.below(3) {
        0 => vec![],
        1 => vec![pair(2, 3)],
        _ => vec![pair(2, 3), pair(4, 5)],
    };
    let nodes = random.between(1, 3);
    let mut graph = PlainGraph::new(Streett::new(buchi, pairs), nodes);
    let often = *random.pick(&[20, 40, 60]);
    for _ in 0..random.between(1, 5) {
        let marks = (0..6).filter(|_| random.percent(often)).collect();
        let target = NodeId(random.below(nodes) as u32);
        graph.edges[random.below(nodes)].push(Edge { target, marks });
    }
    graph
}

/// Up to five cells, with duplicates, and nodes anywhere. Often all numbers are the same, so that
/// nothing but the reasons decides.
fn made_up(random: &mut Random, nodes: usize) -> Ranks {
    let mut cells = Cells::new();
    let deep = *random.pick(&[0, 50]);
    let numbers = random.between(1, 2);
    for index in 0..random.between(1, 5) {
        let parent = match random.percent(deep) {
            true => CellId::new(random.below(index.max(1)) as u32).filter(|_| index > 0),
            false => None,
        };
        let reason = match random.below(5) {
            0 => Reason::NoEdge,
            1 | 2 => Reason::Missing {
                mark: random.below(2) as u32,
            },
            _ => Reason::NotGranted {
                pair: random.below(2) as u32,
            },
        };
        let number = random.below(numbers) as u32;
        cells.add(parent, number, reason).expect("there is room");
    }
    let count = cells.len();
    let mut ranks = Ranks::new(cells, Vec::new());
    for node in 0..nodes {
        // Now and then a cell that is not there.
        let beyond = usize::from(random.percent(5));
        let cell = random.below(count + beyond);
        ranks.set(node, CellId::new(cell as u32));
    }
    ranks
}

#[test]
fn what_is_accepted_is_true() {
    let cases = cases(400);
    let (mut accepted, mut deep, mut wrong) = (0u64, 0u64, 0u64);
    for case in 0..cases {
        let random = &mut Random::new(case);
        let graph = tiny(random);
        let nonempty = by_subsets(&graph);
        wrong += u64::from(nonempty);
        for _ in 0..200 {
            let ranks = made_up(random, graph.edges.len());
            if check(&mut graph.clone(), &ranks).is_ok() {
                assert!(!nonempty, "case {case}: {ranks:?} for {graph:?}");
                accepted += 1;
                let nodes = (0..graph.edges.len()).filter_map(|node| ranks.of(node));
                deep += u64::from(nodes.into_iter().any(|cell| ranks.cells.level(cell) > 0));
            }
        }
    }
    println!("{accepted} accepted, {deep} of several levels; {wrong} of {cases} graphs not empty");
    assert!(
        wrong * 5 > cases,
        "{wrong} of {cases} graphs have an accepting cycle"
    );
    assert!(accepted > cases && deep > cases / 4, "{accepted} {deep}");
}
