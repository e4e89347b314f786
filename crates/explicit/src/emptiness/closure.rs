//! All nodes from which an accepting run exists, of a whole graph in memory.
//!
//! The emptiness checks stop at the first accepting component. Branching time asks of every node
//! whether an accepting run begins there. So the refinement runs to its end: the components of the
//! graph; of each one that has all Büchi marks, the requests whose grants are missing; without the
//! edges of those requests the component falls apart, and its parts are looked at in the same way.
//! Every component with nothing missing is accepting, and a node has an accepting run iff it can
//! reach one, along edges of the *original* graph: a request on the way there is harmless (the
//! mistake in the printed fixpoint of Kesten, Pnueli, Raviv and Shahar is to forget that).
//!
//! Cost: O((nodes + edges) · (pairs + 1)) in the worst case, and the inverse of the edges once.
//! Accepts Büchi marks and Streett pairs.

use crate::emptiness::components::{Components, Step};
use crate::emptiness::stored::Stored;
use crate::graph::{Edge, NodeId};
use crate::marks::{Marks, Streett};
use crate::search::Stop;

/// Marks of no scope.
const NOWHERE: u32 = u32::MAX;

/// For each node whether an accepting run begins there. `look` is called now and then.
pub(crate) fn feasible_nodes<const W: usize>(
    graph: &mut Stored<W>,
    condition: &Streett<W>,
    look: &mut dyn FnMut(u64) -> Result<(), Stop>,
) -> Result<Vec<bool>, Stop> {
    let accepting = accepting_nodes(graph, condition, look)?;
    Ok(can_reach(graph, accepting))
}

/// For each node whether it lies in an accepting component.
fn accepting_nodes<const W: usize>(
    graph: &mut Stored<W>,
    condition: &Streett<W>,
    look: &mut dyn FnMut(u64) -> Result<(), Stop>,
) -> Result<Vec<bool>, Stop> {
    let count = graph.len();
    let mut accepting = vec![false; count];
    // Which part a node belongs to at the moment; parts are disjoint.
    let mut scope = vec![0u32; count];
    let mut member = vec![NOWHERE; count];
    let mut scopes = 1u32;
    let all: Vec<NodeId> = (0..count as u32).map(NodeId).collect();
    let mut open: Vec<(Vec<NodeId>, Marks<W>)> = vec![(all, Marks::EMPTY)];
    let mut components = Components::new();
    while let Some((nodes, avoid)) = open.pop() {
        let own = scopes;
        scopes += 1;
        for node in &nodes {
            scope[node.index()] = own;
        }
        look(nodes.len() as u64)?;
        components.begin(graph, &nodes);
        let allows = |edge: &Edge<W>| scope[edge.target.index()] == own && !edge.marks.meets(avoid);
        let mut parts = Vec::new();
        while let Some(step) = components.next(graph, allows)? {
            let Step::Finished { trivial } = step else {
                continue;
            };
            if trivial {
                continue;
            }
            let part = components.finished();
            for node in part {
                member[node.index()] = own;
            }
            let inside =
                |edge: &&Edge<W>| member[edge.target.index()] == own && !edge.marks.meets(avoid);
            let marks = part
                .iter()
                .flat_map(|node| graph.edges(node.index()).iter().filter(inside))
                .fold(Marks::EMPTY, |marks, edge| marks.union(edge.marks));
            if marks.covers(condition.buchi) {
                parts.push((part.to_vec(), condition.unfulfilled(marks)));
            }
            for node in part {
                member[node.index()] = NOWHERE;
            }
        }
        for (part, missing) in parts {
            if missing.is_empty() {
                for node in &part {
                    accepting[node.index()] = true;
                }
            } else {
                open.push((part, avoid.union(missing)));
            }
        }
    }
    Ok(accepting)
}

/// For each node whether it can reach one of the seeds.
fn can_reach<const W: usize>(graph: &Stored<W>, seeds: Vec<bool>) -> Vec<bool> {
    let count = graph.len();
    let mut starts = vec![0usize; count + 1];
    for node in 0..count {
        for edge in graph.edges(node) {
            starts[edge.target.index() + 1] += 1;
        }
    }
    for node in 0..count {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut sources = vec![0u32; graph.edge_count()];
    for node in 0..count {
        for edge in graph.edges(node) {
            let target = edge.target.index();
            sources[next[target]] = node as u32;
            next[target] += 1;
        }
    }
    let mut reaches = seeds;
    let mut todo: Vec<u32> = (0..count as u32).filter(|&n| reaches[n as usize]).collect();
    while let Some(node) = todo.pop() {
        let node = node as usize;
        for &source in &sources[starts[node]..starts[node + 1]] {
            if !reaches[source as usize] {
                reaches[source as usize] = true;
                todo.push(source);
            }
        }
    }
    reaches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::Pair;

    fn feasible(
        count: usize,
        edges: &[(usize, &[usize], usize)],
        buchi: &[usize],
        pairs: &[(u16, u16)],
    ) -> Vec<bool> {
        let pair = |&(request, grant): &(u16, u16)| Pair { request, grant };
        let pairs = pairs.iter().map(pair).collect();
        let condition: Streett<1> = Streett::new(buchi.iter().copied().collect(), pairs);
        let mut graph = Stored::new(condition.clone());
        for node in 0..count {
            let out = edges.iter().filter(|e| e.0 == node);
            let out = out.map(|&(_, marks, to)| Edge {
                target: NodeId(to as u32),
                marks: marks.iter().copied().collect(),
            });
            graph.push(NodeId(node as u32), out);
        }
        feasible_nodes(&mut graph, &condition, &mut |_| Ok(())).expect("no limit")
    }

    #[test]
    fn a_request_on_the_way_is_harmless() {
        // KPRS as printed says that this system has no fair run.
        let edges: [(usize, &[usize], usize); 2] = [(0, &[0], 1), (1, &[], 1)];
        assert_eq!(feasible(2, &edges, &[], &[(0, 1)]), [true, true]);
    }

    #[test]
    fn a_request_in_the_loop_is_not() {
        let edges: [(usize, &[usize], usize); 3] = [(0, &[0], 1), (1, &[], 0), (2, &[], 0)];
        assert_eq!(feasible(3, &edges, &[], &[(0, 1)]), [false; 3]);
        assert_eq!(feasible(3, &edges, &[0], &[]), [true; 3]);
        assert_eq!(feasible(3, &edges, &[0, 1], &[]), [false; 3]);
    }

    #[test]
    fn components_fall_apart_until_nothing_is_missing() {
        // Without the edge that asks (mark 0), 1 and 2 are left, which have what is asked for.
        let edges: [(usize, &[usize], usize); 5] = [
            (0, &[0], 1),
            (1, &[2], 2),
            (2, &[], 1),
            (2, &[], 0),
            (3, &[], 4),
        ];
        let found = feasible(5, &edges, &[2], &[(0, 1)]);
        assert_eq!(found, [true, true, true, false, false]);
    }
}
