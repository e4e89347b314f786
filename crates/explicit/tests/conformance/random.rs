//! Random graphs.

use evenhand_testkit::graphs::{Shape, by_components, by_subsets, random_graph};
use evenhand_testkit::promela_programs::random::Random;

use crate::{cases, expect};

/// Each verdict is at least a fifth of all.
fn assert_balanced(nonempty: u64, cases: u64) {
    let percent = nonempty * 100 / cases;
    println!("{nonempty} of {cases} graphs are not empty: {percent} %");
    assert!((20..80).contains(&percent), "{percent} % are not empty");
}

#[test]
fn small_graphs_agree_with_all_sets_of_edges() {
    let cases = cases(10_000);
    let mut nonempty = 0;
    for case in 0..cases {
        let graph = random_graph(&mut Random::new(case), &Shape::SMALL);
        let verdict = by_subsets(&graph);
        assert_eq!(
            by_components(&graph),
            verdict,
            "oracle, case {case}: {graph:?}"
        );
        expect(&graph, verdict, format_args!("case {case}"));
        nonempty += u64::from(verdict);
    }
    assert_balanced(nonempty, cases);
}

#[test]
fn larger_graphs_agree_with_components_of_closures() {
    let cases = cases(5000);
    let mut nonempty = 0;
    for case in 0..cases {
        let graph = random_graph(&mut Random::new(case), &Shape::LARGE);
        let verdict = by_components(&graph);
        expect(&graph, verdict, format_args!("case {case}"));
        nonempty += u64::from(verdict);
    }
    assert_balanced(nonempty, cases);
}
