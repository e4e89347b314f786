//! The shortest lasso: the same length as brute force on random graphs, whatever the search; with a
//! tiny budget, bounds that enclose it. `EVENHAND_CASES` sets the number of graphs.

use super::common::{enclosed, engine_component, searched, searched_within, unwatched};
use evenhand_explicit::graph::{NodeId, PlainGraph};
use evenhand_explicit::marks::Marks;
use evenhand_testkit::lassos::{self, Enumerated, Kind, Random, random_graph};
use evenhand_witness::cores::{Core, cores_of};
use evenhand_witness::distances::Distances;
use evenhand_witness::meter::Meter;
use evenhand_witness::minimal::Method;
use evenhand_witness::{Budget, all_shortest, bounded, shortest};

fn compare(graph: &mut PlainGraph<1>, optimum: usize, random: &mut Random, what: &str) {
    for method in [Method::Fastest, Method::Exact] {
        let found = searched(graph, usize::MAX, method);
        let best = found.best.expect(what);
        assert_eq!(best.length, optimum, "{what}, {method:?}");
        assert_eq!(found.lower_bound, optimum, "{what}, {method:?}");
        let found = searched(graph, optimum, method);
        assert_eq!((found.best, found.lower_bound), (None, optimum), "{what}");
        let budget = Budget {
            rounds: Some(random.below(80) as u64),
            ..Budget::default()
        };
        let found = searched_within(graph, usize::MAX, method, budget);
        assert!(found.lower_bound <= optimum, "{what}, {method:?}");
        let best = found.best.map_or(usize::MAX, |best| best.length);
        assert!(best >= optimum, "{what}, {method:?}");
        assert!(
            found.halt.is_some() || best == optimum,
            "{what}, {method:?}"
        );
    }
    let component = engine_component(graph).expect(what);
    let budget = Budget::default();
    let answer = unwatched(|watch| shortest(graph, &component, budget, watch));
    let answer = answer.expect(what).expect(what);
    assert_eq!(answer.lasso.check(graph), Ok(()), "{what}");
    assert_eq!(answer.lasso.len(), optimum, "{what}");
    assert!(answer.shortest && answer.lower_bound == optimum, "{what}");

    let tiny = Budget {
        rounds: Some(random.below(60) as u64),
        ..budget
    };
    let answer = unwatched(|watch| shortest(graph, &component, tiny, watch));
    let answer = answer.expect(what).expect(what);
    assert_eq!(answer.lasso.check(graph), Ok(()), "{what}");
    enclosed(&answer, optimum, what);
    let partly = unwatched(|watch| bounded(graph, optimum + 1, tiny, watch)).expect(what);
    assert!(partly.lower_bound <= optimum, "{what}");
    assert!(
        partly.lasso.is_none_or(|lasso| lasso.len() >= optimum),
        "{what}"
    );

    let below = unwatched(|watch| bounded(graph, optimum - 1, budget, watch)).expect(what);
    assert_eq!((below.lasso, below.lower_bound), (None, optimum), "{what}");
    assert!(!below.empty, "a lasso that is too long is one: {what}");
    let most = optimum + random.below(3);
    let within = unwatched(|watch| bounded(graph, most, budget, watch)).expect(what);
    let lasso = within.lasso.expect(what);
    assert_eq!(lasso.check(graph), Ok(()), "{what}");
    assert_eq!(
        (lasso.len(), within.lower_bound),
        (optimum, optimum),
        "{what}"
    );
}

#[test]
fn as_short_as_enumeration_says() {
    let mut lassos = 0;
    let mut enumerated = 0;
    let mut by_kind = [0; Kind::ALL.len()];
    for seed in 0..lassos::cases(2000) as u64 {
        let mut random = Random::new(seed);
        let kind = Kind::ALL[seed as usize % 5];
        let mut graph = random_graph(&mut random, kind, 7);
        let what = format!("seed {seed}, {kind:?}");
        let optimum = lassos::by_sets(&graph);
        match (lassos::by_walks(&graph, 100_000), optimum) {
            (Enumerated::Length(length), _) => {
                assert_eq!(optimum, Some(length), "{what}");
                enumerated += 1;
            }
            (Enumerated::Longer(length), Some(optimum)) => assert!(optimum > length, "{what}"),
            (Enumerated::Longer(_), None) => {}
        }
        let Some(optimum) = optimum else {
            assert_eq!(engine_component(&mut graph), None, "{what}");
            let budget = Budget::default();
            let none = unwatched(|watch| bounded(&mut graph, 50, budget, watch)).expect(&what);
            assert!(none.lasso.is_none() && none.empty, "{what}");
            assert_eq!(none.lower_bound, 51, "{what}");
            continue;
        };
        lassos += 1;
        by_kind[seed as usize % 5] += 1;
        compare(&mut graph, optimum, &mut random, &what);
    }
    println!("{lassos} graphs with lassos, {enumerated} of them compared with all walks");
    println!("no mark, one, several, pairs, mixed: {by_kind:?}");
    assert!(
        10 * enumerated >= 9 * lassos,
        "too many enumerations gave up"
    );
}

/// Graphs with longer ways, where bounds and dominance have something to do.
#[test]
fn as_short_as_sets_say_on_larger_graphs() {
    for seed in 0..lassos::cases(2000) as u64 / 10 {
        let mut random = Random::new(1_000_000 + seed);
        let kind = Kind::ALL[seed as usize % 5];
        let mut graph = random_graph(&mut random, kind, 25);
        if let Some(optimum) = lassos::by_sets(&graph) {
            compare(
                &mut graph,
                optimum,
                &mut random,
                &format!("seed {seed}, {kind:?}"),
            );
        }
    }
}

/// One for each accepting node with one Büchi mark, one for each core otherwise.
#[test]
fn all_shortest_of_random_graphs() {
    for seed in 0..lassos::cases(2000) as u64 / 4 {
        let mut random = Random::new(2_000_000 + seed);
        let kind = Kind::ALL[seed as usize % 5];
        let mut graph = random_graph(&mut random, kind, 8);
        let what = format!("seed {seed}, {kind:?}");
        let answer = unwatched(|watch| all_shortest(&mut graph, Budget::default(), watch));
        let (answers, complete) = answer.expect(&what);
        assert!(complete, "{what}");
        let mut lengths = Vec::new();
        for answer in &answers {
            assert_eq!(answer.lasso.check(&mut graph), Ok(()), "{what}");
            assert!(answer.shortest && answer.lower_bound == answer.lasso.len());
            lengths.push(answer.lasso.len());
        }
        assert_eq!(lengths.first().copied(), lassos::by_sets(&graph), "{what}");
        if kind == Kind::One {
            let expected = lassos::through_each_accepting_node(&graph);
            let free = unwatched(|watch| every_edge_accepts(&mut graph, watch));
            // Where all edges of a core carry the mark it does not matter, and one lasso stands for
            // the core.
            if !free {
                assert_eq!(lengths, expected, "{what}");
            }
        }
    }
}

/// Whether some core has the mark on all its edges.
fn every_edge_accepts(
    graph: &mut PlainGraph<1>,
    watch: &mut evenhand_explicit::watch::Watch<'_>,
) -> bool {
    let meter = &mut Meter::unlimited(watch);
    let nodes: Vec<NodeId> = (0..graph.edges.len() as u32).map(NodeId).collect();
    let parts = cores_of(graph, &nodes, Marks::EMPTY, meter).expect("no limits");
    let cores = Core::load(graph, &parts, meter).expect("no limits");
    let all = |core: &Core<1>| core.all_edges().iter().all(|e| e.marks.contains(0));
    cores.iter().any(all)
}

/// Paths from distances are shortest paths.
#[test]
fn paths_from_distances() {
    for seed in 0..lassos::cases(2000) as u64 / 4 {
        let mut random = Random::new(3_000_000 + seed);
        let mut graph = random_graph(&mut random, Kind::None, 9);
        let what = format!("seed {seed}");
        unwatched(|watch| {
            let meter = &mut Meter::unlimited(watch);
            let mut distances = Distances::from(&graph.initial);
            while !distances.is_complete() {
                distances.advance(&mut graph, meter).expect("no limits");
            }
            for node in (0..graph.edges.len() as u32).map(NodeId) {
                let path = distances.path_to(&mut graph, node).expect("no limits");
                let length = lassos::distance_of(&graph, &graph.initial, node, false);
                assert_eq!(distances.of(node).map(|d| d as usize), length, "{what}");
                assert_eq!(path.as_ref().map(|p| p.len() - 1), length, "{what}");
                if let Some(path) = path {
                    assert!(graph.initial.contains(&path[0]) && path.last() == Some(&node));
                    assert!(lassos::is_path(&graph, &path), "{what}");
                }
                let closed = Distances::closed_path(&mut graph, node, meter).expect("no limits");
                let length = lassos::distance_of(&graph, &[node], node, true);
                assert_eq!(closed.as_ref().map(|p| p.len() - 1), length, "{what}");
                if let Some(closed) = closed {
                    assert!(closed[0] == node && closed.last() == Some(&node));
                    assert!(lassos::is_path(&graph, &closed), "{what}");
                }
            }
        });
    }
}
