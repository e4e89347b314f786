//! Generalized Büchi and Streett conditions: split off what cannot be granted.
//!
//! Given a strongly connected part, collect its marks. If some Büchi mark is missing, no run inside
//! is accepting. If some requests are there without their grants, no accepting run inside may see
//! them again: forbid their edges, split what is left into strongly connected parts, and look at
//! each in turn. If nothing is missing, the part itself is the answer.
//!
//! This is the refinement of Latvala and Heljanko ("Coping with strong fairness", 2000), with the
//! tests for empty and acyclic parts that the printed figure lacks, and with marks on edges as in
//! Duret-Lutz, Poitrenaud and Couvreur (2009) — but avoided edges are never walked, the defect that
//! makes the printed search of the latter miss accepting runs. Each level of forbidding adds at
//! least one pair, so an edge is looked at O(pairs + 1) times. Memory: one list of the states of
//! the parts that wait.

use evenhand_source::spend;

use super::split::{Avoid, Graph, MarkWord};
use crate::{Acceptance, Mark};

/// A part that waits, its states being `arena[start..]` when its turn comes.
struct Waiting<M> {
    start: usize,
    avoid: Avoid<M>,
}

/// The states of an accepting part and the marks it must avoid.
pub(super) fn find<M: MarkWord>(
    mut graph: Graph<'_, M>,
    acceptance: &Acceptance,
) -> Option<(Vec<u32>, M)> {
    let buchi = M::of(&acceptance.buchi);
    let pairs: Vec<(Mark, Mark)> = (acceptance.pairs.iter())
        .map(|p| (p.request, p.grant))
        .collect();
    let mut arena = graph.all();
    let mut waiting = vec![Waiting {
        start: 0,
        avoid: graph.avoid_nothing(),
    }];
    while let Some(Waiting { start, avoid }) = waiting.pop() {
        spend();
        let members = arena.split_off(start);
        let mut accepting = None;
        let mut parts: Vec<(usize, M)> = Vec::new();
        graph.split(&members, &avoid, true, |states, marks| {
            if accepting.is_some() || !marks.covers(&buchi) {
                return;
            }
            let mut ungranted = M::default();
            let mut all_granted = true;
            for &(request, grant) in &pairs {
                if marks.contains(request) && !marks.contains(grant) {
                    ungranted.insert(request);
                    all_granted = false;
                }
            }
            if all_granted {
                accepting = Some(states.to_vec());
                return;
            }
            parts.push((arena.len(), ungranted));
            arena.extend_from_slice(states);
        });
        if let Some(states) = accepting {
            return Some((states, avoid.marks));
        }
        for (start, ungranted) in parts {
            let avoid = graph.avoid_more(&avoid, &ungranted);
            waiting.push(Waiting { start, avoid });
        }
    }
    None
}
