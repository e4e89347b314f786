//! Random graphs.

use evenhand_explicit::emptiness::engine;
use evenhand_testkit::graphs::{Shape, by_components, by_subsets, random_graph};
use evenhand_testkit::promela_programs::random::Random;

use super::{cases, expect, search};

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

/// The generator is worth something only if the hard part is reached, with both verdicts.
#[test]
fn refinement_is_put_to_the_test() {
    let streett = engine::<1>("streett").expect("it is there");
    for (shape, deep) in [(Shape::SMALL, 20), (Shape::LARGE, 100)] {
        let cases = 5000;
        let mut refined = [0; 2];
        let mut nested = 0;
        for case in 0..cases {
            let graph = random_graph(&mut Random::new(case), &shape);
            let (found, statistics) = search(streett, &graph);
            refined[usize::from(found.is_some())] += u32::from(statistics.refinements > 0);
            nested += u32::from(statistics.refinements > 1);
        }
        println!("refined: {refined:?} empty and not, more than once: {nested}");
        assert!(refined.iter().all(|&count| count > 50), "{refined:?}");
        assert!(nested > deep, "{nested}");
    }
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
