//! `G h` from the minimal weak deterministic automaton of an obligation `h`.
//!
//! **Problem.** A tableau of `G h` follows the parts of `h` as they are written: what was promised at
//! different times in different words stays apart, though it may be the same by now.
//!
//! **Idea.** `h` is to hold from every position on, so a run of its automaton begins at every letter. Runs in
//! the same state stay together, so a set of states says all (a universal automaton, made one without
//! universal choice). Where each component of the automaton is a single state, a run is accepted unless
//! it stays in a rejecting state for ever. So such a state has a mark, on every edge along which nobody stays in
//! it: Gastin and Oddoux (2001) do so with subformulas for states; here equal promises are one state.
//!
//! **Cost.** Exponential in the states of the automaton, hence a limit.

use super::components::components;
use super::graph::{Arc, Graph, MAX_MARKS};
use evenhand_logic::bdd::{Bdd, Bdds};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The graph of `G h` from the weak deterministic graph of `h`; none if that has components of several
/// states, or it would have more than `limit` states.
pub(super) fn always(weak: &Graph, limit: usize, bdds: &mut Bdds) -> Option<Graph> {
    let all = weak.all_marks();
    let parts = components(weak, |_, _| true);
    if parts.marks.len() != weak.state_count() {
        return None;
    }
    let stays = |s: usize, e: &Arc| e.target == s;
    let is_accepting = |s: usize| parts.accepting(parts.of[s], all);
    // What is never left accepts everything, or nothing.
    let is_final = |s: usize| {
        weak.edges[s]
            .iter()
            .all(|e| stays(s, e) && e.label == Bdd::TRUE)
    };
    let mut mark = vec![0u64; weak.state_count()];
    let mut count = 0u32;
    for (s, edges) in weak.edges.iter().enumerate() {
        let waits = edges.iter().any(|e| stays(s, e)) && !is_accepting(s);
        if waits && !is_final(s) {
            if count as usize == MAX_MARKS {
                return None;
            }
            mark[s] = 1 << count;
            count += 1;
        }
    }
    let every = mark.iter().fold(0, |marks, mark| marks | mark);
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
    known.insert(Vec::new(), 0);
    let mut edges = Vec::new();
    while edges.len() < sets.len() {
        let mut members = sets[edges.len()].clone();
        insert(&mut members, weak.initial);
        // What the letters so far lead to: the runs that go on, and the marks.
        let mut moves: BTreeMap<(Vec<usize>, u64), Bdd> = BTreeMap::new();
        moves.insert((Vec::new(), every), Bdd::TRUE);
        for s in members {
            let mut next: BTreeMap<(Vec<usize>, u64), Bdd> = BTreeMap::new();
            for ((set, marks), label) in moves {
                for e in &weak.edges[s] {
                    let both = bdds.and(label, e.label);
                    let (ends, accepts) = (is_final(e.target), is_accepting(e.target));
                    if both == Bdd::FALSE || ends && !accepts {
                        continue;
                    }
                    let mut set = set.clone();
                    if !ends {
                        insert(&mut set, e.target);
                    }
                    let marks = if stays(s, e) { marks & !mark[s] } else { marks };
                    let sum = next.entry((set, marks)).or_insert(Bdd::FALSE);
                    *sum = bdds.or(*sum, both);
                }
            }
            moves = next;
            if moves.len() > 16 * limit {
                return None;
            }
        }
        let mut out = Vec::with_capacity(moves.len());
        for ((set, marks), label) in moves {
            let target = *known.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                sets.len() - 1
            });
            out.push(Arc {
                label,
                marks,
                target,
            });
        }
        edges.push(out);
        if sets.len() > limit || bdds.overflowed() {
            return None;
        }
    }
    Some(Graph {
        edges,
        initial: 0,
        marks: count,
    })
}

fn insert(set: &mut Vec<usize>, state: usize) {
    if let Err(place) = set.binary_search(&state) {
        set.insert(place, state);
    }
}
