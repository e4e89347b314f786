//! The order of the variables, from the constraints alone.
//!
//! **Problem.** The size of diagrams depends on the order of their variables more than on anything
//! else: what a constraint relates should stand close together.
//!
//! **Idea.** A constraint is an edge between all variables that it mentions, now or next, be it one of steps or of
//! initial states; so is each comparison in a property, since it becomes a set too. The cost
//! of an order is the sum of the distances between the first and the last variable of each edge.
//! The order of declaration is a good start, since people declare together what belongs together.
//! It is improved by FORCE (Aloul, Markov and Sakallah 2003): each edge has its centre of gravity,
//! each variable moves to the mean of the centres of its edges, until the cost falls no more. A
//! variable in most of the constraints of steps (the one that selects the process that moves) belongs to no
//! place in particular: it goes on top.
//!
//! **Cost.** A few dozen passes over the constraints. **Limits.** A heuristic: [`crate::sift`]
//! improves what it could not foresee.

use std::collections::BTreeSet;

use evenhand_system::relation::{Relation, VarId};

use crate::distribute::{Related, related};

/// How often everything moves at most.
const PASSES: usize = 60;

/// A number with so many bits is long.
const LONG: usize = 8;

/// An order is changed for one that is at least so much better.
const WORTH: f64 = 0.6;

/// The variables of a relation from the top to the bottom. Those in one group have their bits
/// mixed, highest first: sums and comparisons of long numbers are small in that order and in no
/// other.
pub(crate) fn variable_order(relation: &Relation) -> Vec<Vec<VarId>> {
    let count = relation.variables.len();
    let Related { steps, others } = related(relation);
    let numbers = |edges: BTreeSet<Vec<VarId>>| -> Vec<Vec<usize>> {
        let several = edges.into_iter().filter(|edge| edge.len() > 1);
        several
            .map(|edge| edge.into_iter().map(|id| id.0 as usize).collect())
            .collect()
    };
    let (steps, others) = (numbers(steps), numbers(others));
    let mut uses = vec![0; count];
    for &variable in steps.iter().flatten() {
        uses[variable] += 1;
    }
    let is_common = |v: usize| steps.len() >= 4 && uses[v] * 2 > steps.len();
    let common = (0..count).filter(|&v| is_common(v));
    let rest: Vec<usize> = (0..count).filter(|&v| !is_common(v)).collect();
    let every = [&steps[..], &others].concat();
    let edges: Vec<Vec<usize>> = every
        .iter()
        .map(|edge| edge.iter().copied().filter(|&v| !is_common(v)).collect())
        .filter(|edge: &Vec<usize>| edge.len() > 1)
        .collect();
    let best: Vec<usize> = common.chain(force(&edges, rest, count)).collect();
    mixed(relation, &every, best)
}

/// Puts long numbers that a constraint relates into one group, at the place of the first of them.
fn mixed(relation: &Relation, edges: &[Vec<usize>], order: Vec<usize>) -> Vec<Vec<VarId>> {
    let is_long = |v: usize| {
        let is_part = !relation.wide.is_empty() && relation.wide_of(VarId(v as u32)).is_some();
        is_part || crate::coding::width(&relation.variables[v].sort) >= LONG
    };
    // The group of a variable is named by one of them.
    let mut name: Vec<usize> = (0..relation.variables.len()).collect();
    for edge in edges {
        let long: Vec<usize> = edge.iter().copied().filter(|&v| is_long(v)).collect();
        let Some(&first) = long.first() else { continue };
        let names: Vec<usize> = long.iter().map(|&v| name[v]).collect();
        let target = name[first];
        for n in &mut name {
            if names.contains(n) {
                *n = target;
            }
        }
    }
    let mut groups: Vec<(usize, Vec<VarId>)> = Vec::new();
    for v in order {
        let id = VarId(v as u32);
        match groups.iter_mut().find(|(n, _)| is_long(v) && *n == name[v]) {
            Some((_, group)) => group.push(id),
            None => groups.push((name[v], vec![id])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The sum of the spans of the edges.
fn cost(edges: &[Vec<usize>], place: &[f64]) -> f64 {
    let span = |edge: &Vec<usize>| {
        let places = edge.iter().map(|&v| place[v]);
        let (low, high) = places.fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p), h.max(p)));
        high - low
    };
    edges.iter().map(span).sum()
}

fn places(order: &[usize], count: usize) -> Vec<f64> {
    let mut place = vec![0.0; count];
    for (at, &variable) in order.iter().enumerate() {
        place[variable] = at as f64;
    }
    place
}

fn force(edges: &[Vec<usize>], start: Vec<usize>, count: usize) -> Vec<usize> {
    let mut place = places(&start, count);
    let mut best = (cost(edges, &place) * WORTH, start.clone());
    let mut order = start;
    for _ in 0..PASSES {
        let mut pull = vec![(0.0, 0.0); count];
        for edge in edges {
            let centre = edge.iter().map(|&v| place[v]).sum::<f64>() / edge.len() as f64;
            for &variable in edge {
                pull[variable].0 += centre;
                pull[variable].1 += 1.0;
            }
        }
        let wish = |v: usize| match pull[v] {
            (_, 0.0) => place[v],
            (sum, n) => sum / n,
        };
        order.sort_by(|&a, &b| wish(a).total_cmp(&wish(b)).then(a.cmp(&b)));
        place = places(&order, count);
        let now = cost(edges, &place);
        if now < best.0 {
            best = (now, order.clone());
        }
    }
    best.1
}
