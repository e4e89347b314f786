//! Looks at a component that an engine found, without believing a word of it.

use evenhand_explicit::emptiness::Component;
use evenhand_explicit::graph::PlainGraph;

use super::brute_force::{Arrow, has_accepting_walk, reachable};

/// Whether an accepting run can stay in the component: it has nodes, each once and reachable,
/// avoids nothing but requests, and the edges between its nodes without avoided marks contain an
/// accepting closed walk.
///
/// # Errors
/// What is wrong with it.
pub fn judge(graph: &PlainGraph<1>, component: &Component<1>) -> Result<(), String> {
    let reached = reachable(graph);
    let mut members = 0u64;
    for node in &component.nodes {
        if node.index() >= graph.edges.len() {
            return Err(format!("there is no node {}", node.0));
        }
        if reached >> node.0 & 1 == 0 {
            return Err(format!("node {} cannot be reached", node.0));
        }
        if members >> node.0 & 1 == 1 {
            return Err(format!("node {} is named twice", node.0));
        }
        members |= 1 << node.0;
    }
    let is_request = |mark| {
        let pairs = graph.condition.pairs();
        pairs.iter().any(|p| usize::from(p.request) == mark)
    };
    if let Some(mark) = component.avoid.iter().find(|&mark| !is_request(mark)) {
        return Err(format!("mark {mark} is avoided, but is no request"));
    }
    let arrows: Vec<Arrow> = component
        .nodes
        .iter()
        .flat_map(|node| {
            graph.edges[node.index()].iter().map(|e| Arrow {
                source: node.index(),
                target: e.target.index(),
                marks: e.marks,
            })
        })
        .filter(|a| members >> a.target & 1 == 1 && !a.marks.meets(component.avoid))
        .collect();
    if has_accepting_walk(&graph.condition, &arrows) {
        Ok(())
    } else {
        Err("no accepting walk stays inside".into())
    }
}
