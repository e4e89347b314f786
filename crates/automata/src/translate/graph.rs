//! An automaton in the making: edges labelled by decision diagrams, generalized Büchi marks in a
//! word.
//!
//! The translation and its reductions work on this form, where two edges with the same ends and
//! marks are one edge whatever their labels, and "for every letter of this edge …" is one
//! implication.

use crate::{Acceptance, Bits, Builder, Cube, MarkSet, State};
use evenhand_logic::bdd::{Bdd, Bdds};
use std::collections::BTreeMap;

use evenhand_source::spend;

/// An edge: the letters it can be taken under, its marks (bit *i* is mark *i*), where it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arc {
    pub(super) label: Bdd,
    pub(super) marks: u64,
    pub(super) target: usize,
}

/// States `0..edges.len()`, one of them initial, and marks `0..marks` that must all be seen
/// infinitely often.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) edges: Vec<Vec<Arc>>,
    pub(super) initial: usize,
    pub(super) marks: u32,
}

/// At most this many marks fit.
pub(super) const MAX_MARKS: usize = 64;

impl Graph {
    pub(super) fn state_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The set of all marks.
    pub(super) fn all_marks(&self) -> u64 {
        match self.marks {
            64.. => !0,
            n => (1 << n) - 1,
        }
    }

    /// Joins edges with the same target and marks; where the same target can be reached with more
    /// marks under a letter, the edge with fewer loses that letter.
    pub(super) fn join_edges(&mut self, bdds: &mut Bdds) {
        for edges in &mut self.edges {
            *edges = joined(std::mem::take(edges), bdds);
        }
    }

    /// Keeps the states in `keep`, renumbered in their order; edges to others disappear.
    pub(super) fn restricted(&self, keep: &[bool]) -> Graph {
        let mut number = vec![usize::MAX; keep.len()];
        let mut count = 0;
        for (state, &kept) in keep.iter().enumerate() {
            if kept {
                number[state] = count;
                count += 1;
            }
        }
        let mut edges = Vec::with_capacity(count);
        for (state, out) in self.edges.iter().enumerate() {
            if keep[state] {
                let kept = out.iter().filter(|e| keep[e.target]);
                edges.push(
                    kept.map(|e| Arc {
                        target: number[e.target],
                        ..*e
                    })
                    .collect(),
                );
            }
        }
        match keep[self.initial] {
            true => Graph {
                edges,
                initial: number[self.initial],
                marks: self.marks,
            },
            false => Graph::empty(),
        }
    }

    /// The automaton of the empty language.
    pub(super) fn empty() -> Graph {
        Graph {
            edges: vec![Vec::new()],
            initial: 0,
            marks: 0,
        }
    }

    /// The states that a run can visit, from the initial state.
    pub(super) fn reachable(&self) -> Vec<bool> {
        let mut seen = vec![false; self.state_count()];
        seen[self.initial] = true;
        let mut todo = vec![self.initial];
        while let Some(state) = todo.pop() {
            spend();
            for edge in &self.edges[state] {
                if !std::mem::replace(&mut seen[edge.target], true) {
                    todo.push(edge.target);
                }
            }
        }
        seen
    }

    /// The automaton, with the labels as sums of products over the variables `0..props.len()`.
    pub(super) fn to_builder(&self, bdds: &mut Bdds, props: Vec<String>) -> Builder {
        let mut builder = Builder::new(props, Acceptance::generalized_buchi(self.marks as usize));
        builder.reserve_states(self.state_count());
        builder.add_initial(State::new(self.initial));
        for (state, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                let marks = MarkSet(Bits::from_word(edge.marks));
                for cube in bdds.sum_of_products(edge.label) {
                    let of = |wanted: bool| -> Bits {
                        let chosen = cube.iter().filter(|&&(_, positive)| positive == wanted);
                        chosen.map(|&(v, _)| v as usize).collect()
                    };
                    if let Some(label) = Cube::new(of(true), of(false)) {
                        builder.add_edge(
                            State::new(state),
                            &label,
                            &marks,
                            State::new(edge.target),
                        );
                    }
                }
            }
        }
        builder
    }
}

pub(super) fn joined(edges: Vec<Arc>, bdds: &mut Bdds) -> Vec<Arc> {
    let mut labels: BTreeMap<(usize, u64), Bdd> = BTreeMap::new();
    for edge in edges {
        let label = labels
            .entry((edge.target, edge.marks))
            .or_insert(Bdd::FALSE);
        *label = bdds.or(*label, edge.label);
    }
    let keys: Vec<(usize, u64)> = labels.keys().copied().collect();
    let mut result = Vec::with_capacity(keys.len());
    for &(target, marks) in &keys {
        let mut label = labels[&(target, marks)];
        for &(other, more) in keys.iter().filter(|k| k.0 == target) {
            if more != marks && marks & !more == 0 {
                let better = bdds.not(labels[&(other, more)]);
                label = bdds.and(label, better);
            }
        }
        if label != Bdd::FALSE {
            result.push(Arc {
                label,
                marks,
                target,
            });
        }
    }
    result
}
