//! The smallest inputs on which printed algorithms fail, and inputs at the limits, with the right
//! answers.

use super::common::{enclosed, engine_component, searched, unwatched};
use evenhand_explicit::graph::{NodeId, PlainGraph};
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_testkit::lassos::Random;
use evenhand_witness::distances::Distances;
use evenhand_witness::meter::Meter;
use evenhand_witness::minimal::Method;
use evenhand_witness::{Budget, Shortest, all_shortest, bounded, shortest};

fn plain<const W: usize>(
    buchi: &[usize],
    pairs: &[(u16, u16)],
    edges: &[(usize, &[usize], usize)],
) -> PlainGraph<W> {
    let pairs = pairs
        .iter()
        .map(|&(request, grant)| Pair { request, grant });
    let condition = Streett::new(buchi.iter().copied().collect(), pairs.collect());
    let nodes = edges.iter().map(|&(s, _, t)| s.max(t) + 1).max();
    let mut graph = PlainGraph::new(condition, nodes.unwrap_or(0));
    for &(source, marks, target) in edges {
        graph.add(source, marks, target);
    }
    graph
}

fn solve<const W: usize>(graph: &mut PlainGraph<W>, budget: Budget) -> Shortest<W> {
    let component = engine_component(graph).expect("there is a lasso");
    let answer = unwatched(|watch| shortest(graph, &component, budget, watch));
    let answer = answer.expect("no limits").expect("there is a lasso");
    assert_eq!(answer.lasso.check(graph), Ok(()));
    answer
}

/// What the driver says; the searches must say the same without the help of a first lasso.
fn optimum<const W: usize>(graph: &mut PlainGraph<W>) -> usize {
    let answer = solve(graph, Budget::default());
    assert!(answer.shortest);
    for method in [Method::Fastest, Method::Exact] {
        let best = searched(graph, usize::MAX, method).best;
        let best = best.expect("there is a lasso");
        assert_eq!(best.length, answer.lasso.len(), "{method:?}");
    }
    answer.lasso.len()
}

/// Gastin and Moro, algorithms 2 and 3 as printed: flags that are never reset give length 3, or no
/// lasso at all.
#[test]
fn notes_are_fresh_for_each_accepting_node() {
    let mut graph = plain::<1>(&[0], &[], &[(0, &[], 1), (1, &[0], 0)]);
    assert_eq!(optimum(&mut graph), 2);
    // Two accepting nodes: the first search must leave nothing behind for the second.
    let edges: &[(usize, &[usize], usize)] = &[
        (0, &[], 1),
        (1, &[0], 2),
        (2, &[], 3),
        (3, &[], 1),
        (0, &[], 4),
        (4, &[], 5),
        (5, &[0], 4),
        (3, &[], 4),
        (5, &[], 1),
    ];
    let mut graph = plain::<1>(&[0], &[], edges);
    assert_eq!(optimum(&mut graph), 3);
}

/// Gastin and Moro, algorithm 7 as printed: the loop is never seen. Algorithm 1: its path is empty.
#[test]
fn a_loop_at_one_node() {
    let mut graph = plain::<1>(&[0], &[], &[(0, &[0], 0)]);
    assert_eq!(optimum(&mut graph), 1);
    let closed = unwatched(|watch| {
        Distances::closed_path(&mut graph, NodeId(0), &mut Meter::unlimited(watch))
    });
    assert_eq!(closed, Ok(Some(vec![NodeId(0), NodeId(0)])));
    let mut graph = plain::<1>(&[0], &[], &[(0, &[], 0), (0, &[0], 0)]);
    let best = searched(&mut graph, usize::MAX, Method::Fastest).best;
    assert_eq!(best.map(|best| best.edges.len()), Some(1));
    let answer = solve(&mut graph, Budget::default());
    assert_eq!(answer.lasso.prefix, [NodeId(0)]);
    assert_eq!(answer.lasso.cycle.len(), 1);
    assert!(answer.lasso.cycle[0].marks.contains(0));
}

/// Entry and accepting node are the same, and the cycle is longer than a loop.
#[test]
fn a_cycle_entered_at_its_accepting_node() {
    let edges: &[(usize, &[usize], usize)] = &[(0, &[], 1), (1, &[0], 2), (2, &[], 3), (3, &[], 1)];
    let mut graph = plain::<1>(&[0], &[], edges);
    let answer = solve(&mut graph, Budget::default());
    assert_eq!(
        (answer.lasso.len(), answer.lasso.entry()),
        (4, Some(NodeId(1)))
    );
    let best = searched(&mut graph, usize::MAX, Method::Fastest).best;
    assert_eq!(best.map(|best| best.edges.len()), Some(3));
}

/// Latvala and Heljanko's counterexample as printed does not terminate here.
#[test]
fn a_grant_before_its_request() {
    let mut graph = plain::<1>(&[], &[(0, 1)], &[(0, &[1], 1), (1, &[0], 0)]);
    assert_eq!(optimum(&mut graph), 2);
}

/// The cycle passes a node twice: no simple cycle is accepting.
#[test]
fn a_cycle_may_pass_a_node_twice() {
    let edges: &[(usize, &[usize], usize)] =
        &[(0, &[], 1), (1, &[0], 0), (0, &[], 2), (2, &[1], 0)];
    let mut graph = plain::<1>(&[0, 1], &[], edges);
    assert_eq!(optimum(&mut graph), 4);
}

/// Avoiding a request is shorter than granting it, and the other way round.
#[test]
fn requests_are_avoided_or_granted_whichever_is_shorter() {
    let edges: &[(usize, &[usize], usize)] = &[
        (0, &[0], 1),
        (1, &[], 0),
        (0, &[], 2),
        (2, &[], 3),
        (3, &[], 0),
        (1, &[1], 4),
        (4, &[], 5),
        (5, &[], 0),
    ];
    let mut graph = plain::<1>(&[], &[(0, 1)], edges);
    assert_eq!(optimum(&mut graph), 3);
    graph.add(1, &[1], 0);
    assert_eq!(optimum(&mut graph), 2);
}

/// Marks beyond one word, all of which matter: a ring in which each edge has its own.
#[test]
fn more_obligations_than_a_word() {
    let size = 90;
    let buchi: Marks<2> = (0..size).collect();
    let mut graph = PlainGraph::new(Streett::new(buchi, Vec::new()), size);
    for node in 0..size {
        graph.add(node, &[node], (node + 1) % size);
    }
    assert_eq!(optimum(&mut graph), size);
}

/// Hundreds of marks: an answer with bounds within the budget.
#[test]
fn hundreds_of_pairs_within_a_budget() {
    let (nodes, pairs) = (400usize, 150usize);
    let list = (0..pairs as u16).map(|i| Pair {
        request: 2 * i,
        grant: 2 * i + 1,
    });
    let buchi: Marks<16> = (300..320).collect();
    let mut graph = PlainGraph::new(Streett::new(buchi, list.collect()), nodes);
    let mut random = Random::new(5);
    for node in 0..nodes {
        for target in [node + 1, random.below(nodes), random.below(nodes)] {
            let marks: Vec<usize> = (0..320).filter(|_| random.percent(2)).collect();
            graph.add(node, &marks, target % nodes);
        }
    }
    let budget = Budget {
        rounds: Some(200_000),
        ..Budget::default()
    };
    let answer = solve(&mut graph, budget);
    assert!(answer.lower_bound >= 2);
    enclosed(&answer, answer.lower_bound, "bounds");
}

/// The engine dives into a long chain; the short lasso beside it is found without the chain.
#[test]
fn a_short_lasso_beside_a_deep_one() {
    let depth = 200_000;
    let mut graph = PlainGraph::new(Streett::new(Marks::<1>::single(0), Vec::new()), depth + 2);
    for node in 0..depth {
        graph.add(node, &[], node + 1);
    }
    graph.add(depth, &[0], depth);
    graph.add(1, &[], depth + 1);
    graph.add(depth + 1, &[0], 1);
    let answer = solve(&mut graph, Budget::default());
    assert!(answer.shortest);
    assert_eq!(answer.lasso.len(), 3);
}

/// A bounded check says what it has looked at, and no more.
#[test]
fn a_bounded_check_knows_its_limits() {
    let edges: &[(usize, &[usize], usize)] = &[(0, &[], 1), (1, &[], 2), (2, &[0], 2)];
    let mut graph = plain::<1>(&[0], &[], edges);
    let none = unwatched(|watch| bounded(&mut graph, 2, Budget::default(), watch));
    let none = none.expect("no limits");
    assert_eq!((none.lasso, none.lower_bound, none.empty), (None, 3, false));
    let some = unwatched(|watch| bounded(&mut graph, 3, Budget::default(), watch));
    assert_eq!(some.expect("no limits").lasso.map(|l| l.len()), Some(3));
    let zero = unwatched(|watch| bounded(&mut graph, 0, Budget::default(), watch));
    assert_eq!(zero.expect("no limits").lower_bound, 1);
}

/// Nothing in, nothing out.
#[test]
fn a_graph_without_nodes() {
    let mut graph = plain::<1>(&[], &[], &[]);
    let none = unwatched(|watch| bounded(&mut graph, 9, Budget::default(), watch));
    assert!(none.is_ok_and(|b| b.lasso.is_none() && b.empty));
    let all = unwatched(|watch| all_shortest(&mut graph, Budget::default(), watch));
    assert_eq!(all, Ok((Vec::new(), true)));
}
