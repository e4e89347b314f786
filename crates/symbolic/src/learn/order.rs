//! The order of the positions, from the transition groups alone.
//!
//! **Problem.** In a packed state all global variables stand in front and the processes behind; as
//! an order of diagrams that is bad: what a process shares with its neighbour should stand between
//! them.
//!
//! **Idea.** The bytes that a group reads or writes form an edge. FORCE (Aloul, Markov and Sakallah
//! 2003) moves each position to the mean of the centres of its edges, again and again; the order
//! with the smallest sum of spans is kept. Groups that look at everything say nothing and are left
//! out; small edges count more than large ones.
//!
//! **Limits.** A heuristic that sees only what changes in the states of a sample.

use std::collections::BTreeSet;

use super::table::Position;

/// How often everything moves at most.
const PASSES: usize = 100;

/// An order of the positions; `edges` are sets of positions that belong together.
pub(super) fn position_order(count: usize, edges: &BTreeSet<Vec<Position>>) -> Vec<Position> {
    let wide = (count / 2).max(8);
    let edges: Vec<&Vec<Position>> = edges
        .iter()
        .filter(|e| e.len() > 1 && e.len() <= wide)
        .collect();
    let mut order: Vec<usize> = (0..count).collect();
    let mut place = places(&order);
    let mut best = (cost(&edges, &place), order.clone());
    for _ in 0..PASSES {
        let mut pull = vec![(0.0, 0.0); count];
        for edge in &edges {
            let centre = edge.iter().map(|p| place[p.0]).sum::<f64>() / edge.len() as f64;
            let weight = 1.0 / edge.len() as f64;
            for position in *edge {
                pull[position.0].0 += centre * weight;
                pull[position.0].1 += weight;
            }
        }
        let wish = |at: usize| match pull[at] {
            (_, 0.0) => place[at],
            (sum, weight) => sum / weight,
        };
        order.sort_by(|&a, &b| wish(a).total_cmp(&wish(b)).then(a.cmp(&b)));
        place = places(&order);
        let now = cost(&edges, &place);
        if now < best.0 {
            best = (now, order.clone());
        }
    }
    best.1.into_iter().map(Position).collect()
}

fn places(order: &[usize]) -> Vec<f64> {
    let mut place = vec![0.0; order.len()];
    for (at, &position) in order.iter().enumerate() {
        place[position] = at as f64;
    }
    place
}

/// The sum of the spans of the edges.
fn cost(edges: &[&Vec<Position>], place: &[f64]) -> f64 {
    let span = |edge: &&Vec<Position>| {
        let places = edge.iter().map(|p| place[p.0]);
        let (low, high) = places.fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p), h.max(p)));
        high - low
    };
    edges.iter().map(span).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_come_together() {
        // Two rows, 0..6 and 6..12, whose members with the same place belong together.
        let edges: BTreeSet<Vec<Position>> = (0..6)
            .map(|at| vec![Position(at), Position(at + 6)])
            .chain((0..5).map(|at| vec![Position(at), Position(at + 1)]))
            .collect();
        let order = position_order(12, &edges);
        let place = |p: usize| order.iter().position(|o| o.0 == p).expect("all are there");
        for at in 0..6 {
            assert!(place(at).abs_diff(place(at + 6)) <= 3, "{order:?}");
        }
        let mut sorted = order.clone();
        sorted.sort();
        assert_eq!(sorted, (0..12).map(Position).collect::<Vec<_>>());
    }
}
