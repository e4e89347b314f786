//! The lasso of the component that an engine met first.
//!
//! The component is refined to its cores, the core node nearest to the start is the entry, a
//! shortest path leads to it, and the lazy cycle leads from there back to it (the eager one if that
//! is shorter this once). How far to look for the path is a choice: in the whole graph it is a
//! shortest path, but everything nearer than the entry is explored for it; among the nodes that are
//! known already it costs at most what the engine has cost, which keeps the win of an early hit
//! deep in a huge graph. Where no way leads through these, it is the whole graph after all.

use evenhand_explicit::emptiness::Component;
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::search::Stop;
use evenhand_explicit::watch::Watch;

use crate::cores::{Core, cores_of};
use crate::distances::Distances;
use crate::eager::eager_cycle;
use crate::lasso::GraphLasso;
use crate::lazy::{Locking, lazy_cycle};
use crate::meter::{Halt, Meter};

/// Where the path to the cycle is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// In the whole graph: a shortest path.
    #[default]
    Graph,
    /// Among the nodes that have numbers already.
    Known,
}

/// A lasso of a component; none if the component has no accepting cycle that can be reached, which
/// is an error of the engine that handed it over.
///
/// # Errors
/// If a limit was reached.
pub fn first<const W: usize>(
    graph: &mut dyn Graph<W>,
    component: &Component<W>,
    reach: Reach,
    watch: &mut Watch<'_>,
) -> Result<Option<GraphLasso<W>>, Stop> {
    let mut meter = Meter::unlimited(watch);
    first_within(graph, component, reach, &mut meter).map_err(Halt::into_stop)
}

pub(crate) fn first_within<const W: usize>(
    graph: &mut dyn Graph<W>,
    component: &Component<W>,
    reach: Reach,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<GraphLasso<W>>, Halt> {
    let sources = graph.initial()?;
    let known = match reach {
        Reach::Graph => usize::MAX,
        Reach::Known => graph.bound(),
    };
    let parts = cores_of(graph, &component.nodes, component.avoid, meter)?;
    let last = parts.iter().flat_map(|part| &part.nodes).max();
    // The core of each node, from one.
    let mut core_of = vec![0u32; last.map_or(0, |n| n.index() + 1)];
    for (number, part) in (1..).zip(&parts) {
        for node in &part.nodes {
            core_of[node.index()] = number;
        }
    }
    let mut distances = Distances::within(&sources, known);
    let mut looked_at = 0;
    let entry = loop {
        let met = &distances.nodes()[looked_at..];
        let hit = met
            .iter()
            .find(|n| core_of.get(n.index()).is_some_and(|&c| c > 0));
        if let Some(&hit) = hit {
            break hit;
        }
        looked_at = distances.nodes().len();
        if distances.is_complete() && reach == Reach::Known && !parts.is_empty() {
            // Nodes on the way may have lost their numbers.
            return first_within(graph, component, Reach::Graph, meter);
        }
        if distances.is_complete() {
            return Ok(None);
        }
        distances.advance(graph, meter)?;
    };
    let part = parts[core_of[entry.index()] as usize - 1].clone();
    let cores = Core::load(graph, &[part], meter)?;
    let Some((core, root)) = cores.first().and_then(|core| {
        let root = core.nodes().binary_search(&entry).ok()?;
        Some((core, NodeId(root as u32)))
    }) else {
        return Ok(None);
    };
    let Some(cycle) = quick_cycle(core, root, meter)? else {
        return Ok(None);
    };
    let cycle = core.translate(&cycle);
    let prefix = distances.path_to(graph, entry)?;
    Ok(prefix.map(|prefix| GraphLasso { prefix, cycle }))
}

/// The shorter of the lazy and the eager cycle through a node of a core.
pub(crate) fn quick_cycle<const W: usize>(
    core: &Core<W>,
    root: NodeId,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Vec<Edge<W>>>, Halt> {
    let lazy = lazy_cycle(core, root, Locking::Debts, meter)?;
    let eager = eager_cycle(core, root, meter)?;
    let cycles = [lazy, eager].into_iter().flatten();
    Ok(cycles.min_by_key(Vec::len))
}
