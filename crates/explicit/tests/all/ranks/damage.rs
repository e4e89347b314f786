//! Proofs that were damaged: rejected, unless they still prove something that is true.

use evenhand_certify::{CellId, Ranks, Reason};
use evenhand_explicit::graph::{NodeId, PlainGraph};
use evenhand_explicit::ranks::Ranking;
use evenhand_testkit::graphs::{Shape, by_components, random_graph, reachable};
use evenhand_testkit::promela_programs::random::Random;

use super::{cases, check, make, with_cells};

/// The kinds of damage.
const KINDS: [&str; 8] = [
    "a rank changed",
    "a number changed",
    "a reason swapped",
    "a node left out",
    "an edge missing",
    "a mark missing",
    "a mark too many",
    "another condition",
];

#[test]
fn damage_is_seen_or_harmless() {
    let cases = cases(400);
    let mut rejected = [0u64; KINDS.len()];
    let mut accepted = [0u64; KINDS.len()];
    for case in 0..cases {
        for shape in [Shape::SMALL, Shape::LARGE] {
            let random = &mut Random::new(case);
            let graph = random_graph(random, &shape);
            let Ranking::Empty(ranks) = make(&mut graph.clone()) else {
                continue;
            };
            for kind in 0..KINDS.len() {
                let Some((graph, ranks)) = damage(random, kind, &graph, &ranks) else {
                    continue;
                };
                let name = KINDS[kind];
                match check(&mut graph.clone(), &ranks) {
                    Err(_) => rejected[kind] += 1,
                    Ok(_) => {
                        accepted[kind] += 1;
                        let wrong = by_components(&graph);
                        assert!(!wrong, "case {case}, {name}: {ranks:?} for {graph:?}");
                        assert_ne!(name, "a node left out", "case {case}");
                    }
                }
            }
        }
    }
    for (kind, name) in KINDS.iter().enumerate() {
        println!(
            "{name}: {} rejected, {} accepted",
            rejected[kind], accepted[kind]
        );
        assert!(
            rejected[kind] * 50 > cases,
            "{name}: {} rejected",
            rejected[kind]
        );
    }
}

/// A proof and the graph it is held against, one of them damaged; none if it cannot be.
fn damage(
    random: &mut Random,
    kind: usize,
    graph: &PlainGraph<1>,
    ranks: &Ranks,
) -> Option<(PlainGraph<1>, Ranks)> {
    let (mut graph, mut ranks) = (graph.clone(), ranks.clone());
    let reached: Vec<usize> = {
        let set = reachable(&graph);
        (0..graph.edges.len())
            .filter(|n| set >> n & 1 == 1)
            .collect()
    };
    let node = *random.pick(&reached);
    let cell = random.below(ranks.cells.len());
    let is_chosen = |id: CellId| id.number() as usize == cell;
    match KINDS[kind] {
        "a rank changed" => {
            let other = CellId::new(cell as u32).filter(|&other| ranks.of(node) != Some(other))?;
            ranks.set(node, Some(other));
        }
        "a number changed" => {
            let number = random.below(4) as u32;
            let old = ranks.clone();
            CellId::new(cell as u32).filter(|&id| old.cells.number(id) != number)?;
            ranks = with_cells(&old, |id| match is_chosen(id) {
                true => (number, old.cells.reason(id)),
                false => (old.cells.number(id), old.cells.reason(id)),
            });
        }
        "a reason swapped" => {
            let (mark, pair) = (random.below(4) as u32, random.below(4) as u32);
            let reason = *random.pick(&[
                Reason::NoEdge,
                Reason::Missing { mark },
                Reason::NotGranted { pair },
            ]);
            let old = ranks.clone();
            CellId::new(cell as u32).filter(|&id| old.cells.reason(id) != reason)?;
            ranks = with_cells(&old, |id| match is_chosen(id) {
                true => (old.cells.number(id), reason),
                false => (old.cells.number(id), old.cells.reason(id)),
            });
        }
        "a node left out" => ranks.set(node, None),
        "an edge missing" => {
            // In the graph that was ranked.
            let target = NodeId(random.below(graph.edges.len()) as u32);
            let marks = (0..8).filter(|_| random.percent(60)).collect();
            let edge = evenhand_explicit::graph::Edge { target, marks };
            graph.edges[node].push(edge);
        }
        "a mark missing" => {
            let edges = &mut graph.edges[node];
            let place = random.below(edges.len());
            let mark = random.below(8);
            let edge = edges
                .get_mut(place)
                .filter(|edge| !edge.marks.contains(mark))?;
            edge.marks.insert(mark);
        }
        "a mark too many" => {
            let edges = &mut graph.edges[node];
            let place = random.below(edges.len());
            let edge = edges.get_mut(place)?;
            let marks: Vec<usize> = edge.marks.iter().collect();
            let dropped = *marks.get(random.below(marks.len()))?;
            edge.marks = marks.into_iter().filter(|&mark| mark != dropped).collect();
        }
        _ => {
            let marks = graph.condition.buchi.union(graph.condition.requests());
            let marks: Vec<usize> = marks.iter().collect();
            let dropped = *marks.get(random.below(marks.len()))?;
            let mut condition = graph.condition.without(dropped);
            if condition == graph.condition {
                let pairs = condition.pairs().iter().copied();
                let pairs = pairs.filter(|pair| usize::from(pair.request) != dropped);
                let pairs = pairs.collect();
                condition = evenhand_explicit::marks::Streett::new(condition.buchi, pairs);
            }
            graph.condition = condition;
        }
    }
    Some((graph, ranks))
}

/// The ranks of a graph without one of its edges prove nothing about a graph with an accepting cycle.
#[test]
fn what_lacks_an_edge_is_rejected() {
    let mut rejected = 0;
    let cases = cases(500);
    for case in 0..cases {
        let random = &mut Random::new(case);
        let whole = random_graph(random, &Shape::SMALL);
        if !by_components(&whole) {
            continue;
        }
        for (source, edges) in whole.edges.iter().enumerate() {
            for place in 0..edges.len() {
                let mut less = whole.clone();
                less.edges[source].remove(place);
                if let Ranking::Empty(ranks) = make(&mut less) {
                    let checked = check(&mut whole.clone(), &ranks);
                    assert!(checked.is_err(), "case {case}: {ranks:?} for {whole:?}");
                    rejected += 1;
                }
            }
        }
    }
    println!("{rejected} proofs of graphs without an edge");
    assert!(rejected > cases / 4, "{rejected}");
}
