//! All graphs of one size: three nodes, up to four distinct edges in every order, one pair without
//! grants. The least graph on which the printed on-the-fly check misses a cycle is among them.

use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_testkit::graphs::by_components;

use super::expect;

const REQUEST: usize = 0;

#[test]
fn all_ordered_graphs_of_up_to_four_edges() {
    let mut arrows = Vec::new();
    for source in 0..3 {
        for target in 0..3 {
            arrows.push((source, &[][..], target));
            arrows.push((source, &[REQUEST][..], target));
        }
    }
    for (edges, count) in [(1, 18), (2, 306), (3, 4896), (4, 73_440)] {
        let mut graphs = 0;
        let mut nonempty = 0;
        permutations(arrows.len(), edges, &mut Vec::new(), &mut |chosen| {
            let pair = Pair {
                request: REQUEST as u16,
                grant: 1,
            };
            let mut graph = PlainGraph::new(Streett::new(Marks::EMPTY, vec![pair]), 3);
            for &i in chosen {
                let (source, marks, target) = arrows[i];
                graph.add(source, marks, target);
            }
            let verdict = by_components(&graph);
            expect(&graph, verdict, format_args!("edges {chosen:?}"));
            graphs += 1;
            nonempty += u32::from(verdict);
        });
        assert_eq!(graphs, count);
        println!("{edges} edges: {nonempty} of {graphs} graphs are not empty");
    }
}

/// Calls `f` with each ordered choice of `length` numbers below `bound`.
fn permutations(bound: usize, length: usize, chosen: &mut Vec<usize>, f: &mut dyn FnMut(&[usize])) {
    if chosen.len() == length {
        return f(chosen);
    }
    for i in 0..bound {
        if !chosen.contains(&i) {
            chosen.push(i);
            permutations(bound, length, chosen, f);
            chosen.pop();
        }
    }
}
