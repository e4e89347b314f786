//! The least inputs on which printed algorithms go wrong, with the right verdicts. The numbers are
//! those of the errors in `docs/decisions/mutants.md`.

use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_testkit::graphs::by_subsets;

use super::expect;

const EMPTY: bool = false;
const NONEMPTY: bool = true;

/// Marks of up to four pairs: request and grant of pair 0, of pair 1, and so on.
const L: usize = 0;
const U: usize = 1;
/// The first Büchi mark.
const G: usize = 8;

/// Node 0 is initial.
fn graph(
    buchi: &[usize],
    pairs: usize,
    nodes: usize,
    edges: &[(usize, &[usize], usize)],
) -> PlainGraph<1> {
    let pair = |i| Pair {
        request: 2 * i as u16,
        grant: 2 * i as u16 + 1,
    };
    let buchi: Marks<1> = buchi.iter().copied().collect();
    let condition = Streett::new(buchi, (0..pairs).map(pair).collect());
    let mut graph = PlainGraph::new(condition, nodes);
    for &(source, marks, target) in edges {
        graph.add(source, marks, target);
    }
    graph
}

#[track_caller]
fn check(graph: &PlainGraph<1>, verdict: bool) {
    assert_eq!(by_subsets(graph), verdict, "the expected verdict is wrong");
    expect(graph, verdict, "least failure");
}

#[test]
fn b1_a_cycle_beside_an_avoided_edge_is_found() {
    let edges = [(0, &[][..], 1), (0, &[], 2), (1, &[L], 2), (2, &[], 0)];
    check(&graph(&[], 1, 3, &edges), NONEMPTY);
}

#[test]
fn b2_nodes_met_twice_are_no_cycle() {
    let edges = [(0, &[][..], 1), (0, &[], 2), (1, &[], 2)];
    check(&graph(&[], 0, 3, &edges), EMPTY);
}

#[test]
fn b2_a_request_on_a_loop_is_not_accepting() {
    let edges = [(0, &[L][..], 0), (0, &[], 1)];
    check(&graph(&[], 1, 2, &edges), EMPTY);
}

#[test]
fn b3_a_request_on_the_way_to_a_cycle_does_no_harm() {
    check(&graph(&[], 1, 2, &[(0, &[L], 1), (1, &[], 1)]), NONEMPTY);
}

#[test]
fn b3_the_terminal_component_of_the_core_is_fair() {
    let edges = [(0, &[][..], 1), (1, &[L], 0), (0, &[], 0)];
    check(&graph(&[], 1, 2, &edges), NONEMPTY);
    let mut both = graph(&[], 1, 2, &edges);
    both.initial.push(evenhand_explicit::graph::NodeId(1));
    check(&both, NONEMPTY);
}

#[test]
fn b4_a_cycle_has_an_edge() {
    let edges = [(1, &[][..], 0), (0, &[], 1)];
    check(&graph(&[], 0, 2, &edges), NONEMPTY);
}

#[test]
fn b5_the_initial_node_need_not_be_on_the_cycle() {
    check(&graph(&[G], 0, 2, &[(0, &[], 1), (1, &[G], 1)]), NONEMPTY);
    check(&graph(&[], 0, 2, &[(0, &[], 0), (0, &[], 1)]), NONEMPTY);
}

#[test]
fn b6_deleted_nodes_do_not_come_back() {
    // Pair 0 is requested in node 1 and never granted; pair 1 is requested and granted in both.
    let (l1, u1) = (2, 3);
    let edges = [(0, &[l1, u1][..], 1), (1, &[L, l1, u1], 0)];
    check(&graph(&[], 2, 2, &edges), EMPTY);
}

#[test]
fn b8_b9_a_loop_is_a_component() {
    check(&graph(&[], 0, 1, &[(0, &[], 0)]), NONEMPTY);
    check(&graph(&[G], 0, 1, &[(0, &[G], 0)]), NONEMPTY);
    check(&graph(&[G, G + 1], 0, 1, &[(0, &[G, G + 1], 0)]), NONEMPTY);
    check(&graph(&[G], 1, 1, &[(0, &[G, L, U], 0)]), NONEMPTY);
    check(&graph(&[G], 2, 1, &[(0, &[G], 0)]), NONEMPTY);
}

#[test]
fn b10_the_last_process_is_waited_for() {
    // Three processes: 0 and 1 go round together, 2 could leave; F everywhere, weak fairness of
    // each.
    let (f, p0, p1, p2) = (G, G + 1, G + 2, G + 3);
    let edges = [(0, &[f, p2][..], 1), (0, &[f, p0, p1], 0)];
    check(&graph(&[f, p0, p1, p2], 0, 2, &edges), EMPTY);
}

#[test]
fn b14_no_edge_no_cycle() {
    check(&graph(&[], 0, 1, &[]), EMPTY);
    check(&graph(&[], 1, 1, &[]), EMPTY);
    // Nothing is left of the component once the request is avoided.
    check(&graph(&[], 1, 1, &[(0, &[L], 0)]), EMPTY);
    check(&graph(&[], 1, 2, &[(0, &[L], 1), (1, &[], 0)]), EMPTY);
    check(&graph(&[], 0, 0, &[]), EMPTY);
}

#[test]
fn b15_requests_and_grants_take_turns() {
    let edges = [(0, &[U][..], 1), (1, &[L], 0)];
    check(&graph(&[], 1, 2, &edges), NONEMPTY);
}

#[test]
fn b16_a_request_granted_at_once() {
    check(&graph(&[], 1, 1, &[(0, &[L, U], 0)]), NONEMPTY);
    check(&graph(&[], 1, 1, &[(0, &[U], 0)]), NONEMPTY);
    check(&graph(&[], 1, 1, &[(0, &[L], 0)]), EMPTY);
}

#[test]
fn a_grant_that_goes_with_an_avoided_edge_grants_no_more() {
    // Avoiding pair 0 takes away the only grant of pair 1.
    let (l1, u1) = (2, 3);
    let edges = [(0, &[L, u1][..], 1), (1, &[], 0), (0, &[l1], 0)];
    check(&graph(&[], 2, 2, &edges), EMPTY);
    let edges = [
        (0, &[L, u1][..], 1),
        (1, &[], 0),
        (0, &[l1], 0),
        (1, &[], 1),
    ];
    check(&graph(&[], 2, 2, &edges), NONEMPTY);
}
