//! Random graphs: there are ranks where brute force finds no accepting cycle, and they prove it.

use evenhand_certify::Reason;
use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::ranks::Ranking;
use evenhand_testkit::graphs::{
    Fairness, OnDemand, Shape, by_components, by_subsets, judge, random_graph, random_processes,
    random_pursuit, reachable,
};
use evenhand_testkit::promela_programs::random::Random;

use super::{cases, check, make};

/// What proofs were made of.
#[derive(Debug, Default)]
struct Used {
    empty: u64,
    no_edge: u64,
    missing: u64,
    not_granted: u64,
    /// The greatest number of levels.
    levels: u32,
    /// Proofs in which several nodes share a number that they would not have as components.
    shared: u64,
}

/// Ranks a graph and checks the ranks; as it is, and with nodes numbered as they are met.
#[track_caller]
fn expect(graph: &PlainGraph<1>, nonempty: bool, used: &mut Used, case: u64) {
    let ranks = match make(&mut graph.clone()) {
        Ranking::Accepting(component) => {
            assert!(nonempty, "case {case}: {component:?} in {graph:?}");
            let judged = judge(graph, &component);
            return assert_eq!(judged, Ok(()), "case {case}: {graph:?}");
        }
        Ranking::Empty(ranks) => ranks,
    };
    assert!(!nonempty, "case {case}: {ranks:?} for {graph:?}");
    let checked = check(&mut graph.clone(), &ranks);
    let checked = checked.unwrap_or_else(|why| panic!("case {case}: {why}: {ranks:?} {graph:?}"));
    let reached = reachable(graph);
    assert_eq!(
        checked.nodes,
        u64::from(reached.count_ones()),
        "case {case}"
    );
    let mut on_demand = OnDemand::new(graph.clone());
    let Ranking::Empty(other) = make(&mut on_demand) else {
        panic!("case {case}: other numbers, another verdict");
    };
    assert_eq!(check(&mut on_demand, &other), Ok(checked), "case {case}");
    used.empty += 1;
    for cell in ranks.cells.iter() {
        match ranks.cells.reason(cell) {
            Reason::NoEdge => used.no_edge += 1,
            Reason::Missing { .. } => used.missing += 1,
            Reason::NotGranted { .. } => used.not_granted += 1,
        }
        used.levels = used.levels.max(ranks.cells.level(cell) + 1);
    }
    used.shared += u64::from((ranks.cells.len() as u64) < checked.nodes);
}

#[test]
fn small_graphs_agree_with_all_sets_of_edges() {
    let mut used = Used::default();
    for case in 0..cases(1000) {
        let graph = random_graph(&mut Random::new(case), &Shape::SMALL);
        expect(&graph, by_subsets(&graph), &mut used, case);
    }
    println!("{used:?}");
    assert!(used.empty > 100 && used.no_edge > 0 && used.missing > 0 && used.not_granted > 0);
    assert!(used.levels > 2 && used.shared > 0, "{used:?}");
}

#[test]
fn larger_graphs_agree_with_components_of_closures() {
    let mut used = Used::default();
    for case in 0..cases(500) {
        let graph = random_graph(&mut Random::new(case), &Shape::LARGE);
        expect(&graph, by_components(&graph), &mut used, case);
    }
    println!("{used:?}");
    assert!(
        used.empty > 50 && used.not_granted > 10 && used.levels > 2,
        "{used:?}"
    );
}

#[test]
fn processes_under_fairness() {
    let mut used = Used::default();
    for case in 0..cases(300) {
        let random = &mut Random::new(case);
        for processes in [random_processes(random), random_pursuit(random)] {
            for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
                let graph = processes.graph(fairness);
                expect(&graph, by_components(&graph), &mut used, case);
            }
        }
    }
    println!("{used:?}");
    assert!(used.empty > 50 && used.not_granted > 10, "{used:?}");
}

/// Without any oracle: a search that misses a cycle makes ranks that are not accepted. The errors of
/// `docs/decisions/mutants.md` in the default engine are seen here.
#[test]
fn the_check_alone_sees_what_a_search_misses() {
    for case in 0..cases(1000) {
        for shape in [Shape::SMALL, Shape::LARGE] {
            let graph = random_graph(&mut Random::new(case), &shape);
            match make(&mut graph.clone()) {
                Ranking::Empty(ranks) => {
                    let checked = check(&mut graph.clone(), &ranks);
                    assert!(
                        checked.is_ok(),
                        "case {case}: {checked:?} {ranks:?} {graph:?}"
                    );
                }
                Ranking::Accepting(component) => {
                    assert_eq!(judge(&graph, &component), Ok(()), "case {case}: {graph:?}");
                }
            }
        }
    }
}

/// A whole region without the mark is one cell.
#[test]
fn a_region_without_a_mark_has_one_rank() {
    use evenhand_explicit::marks::{Marks, Streett};
    let length = 10_000;
    let mut graph: PlainGraph<1> = PlainGraph::new(Streett::new(Marks::single(0), vec![]), length);
    for node in 1..length {
        graph.add(node - 1, &[], node);
        if node % 7 == 0 {
            graph.add(node, &[], node - 3);
        }
    }
    let Ranking::Empty(ranks) = make(&mut graph) else {
        panic!("no edge has the mark");
    };
    assert_eq!(ranks.cells.len(), 1);
    let checked = check(&mut graph, &ranks).expect("a proof");
    assert_eq!(checked.nodes, length as u64);
    // One mark on the way: two numbers.
    graph.edges[5000][0].marks.insert(0);
    let Ranking::Empty(ranks) = make(&mut graph) else {
        panic!("the mark is on no cycle");
    };
    assert_eq!(ranks.cells.len(), 2);
    check(&mut graph, &ranks).expect("a proof");
}

/// A chain of a million nodes does not need a stack for each.
#[test]
fn a_long_chain_is_no_recursion() {
    use evenhand_explicit::marks::{Marks, Pair, Streett};
    let length = 300_000;
    let pair = Pair {
        request: 0,
        grant: 1,
    };
    let mut graph: PlainGraph<1> = PlainGraph::new(Streett::new(Marks::EMPTY, vec![pair]), length);
    for node in 1..length {
        graph.add(node - 1, &[], node);
    }
    graph.add(length - 1, &[0], 0);
    let Ranking::Empty(ranks) = make(&mut graph) else {
        panic!("the request is not granted");
    };
    let checked = check(&mut graph, &ranks).expect("a proof");
    assert_eq!(
        (checked.nodes, checked.edges),
        (length as u64, length as u64)
    );
}
