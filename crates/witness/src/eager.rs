//! An accepting cycle the way Kesten, Pnueli, Raviv and Shahar make their witness: all promises
//! first.
//!
//! Their WITNESS ("Model checking with strong fairness", 2001) visits every justice condition of
//! the component, then the grant of every request that occurs *anywhere* in the component, each by
//! a shortest path in the order in which they are listed, and closes the period. Grants of requests
//! that the walk never makes are visited too, which makes it longer than the lazy cycle on average.
//! It is built to compare with; the closing path has at least one edge, which the printed form
//! forgets.
//!
//! One breadth-first search per Büchi mark and pair.

use evenhand_explicit::graph::{Edge, NodeId};
use evenhand_explicit::marks::Marks;

use crate::cores::Core;
use crate::meter::{Halt, Meter};
use crate::walker::Walker;

/// An accepting closed walk of a core through `root`, in numbers of the core; none if it is no
/// core.
///
/// # Errors
/// If the budget is used up or a limit was reached.
pub fn eager_cycle<const W: usize>(
    core: &Core<W>,
    root: NodeId,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Vec<Edge<W>>>, Halt> {
    let condition = core.condition();
    let all = core
        .all_edges()
        .iter()
        .fold(Marks::EMPTY, |all, edge| all.union(edge.marks));
    let asked = condition.pairs().iter();
    let asked = asked.filter(|pair| all.contains(pair.request.into()));
    let wanted = condition
        .buchi
        .iter()
        .chain(asked.map(|pair| pair.grant.into()));
    let mut walker = Walker::new(core);
    let mut cycle: Vec<Edge<W>> = Vec::new();
    let mut seen: Marks<W> = Marks::EMPTY;
    let mut at = root;
    for mark in wanted {
        if seen.contains(mark) {
            continue;
        }
        let there = walker.walk(at, |edge| edge.marks.contains(mark), meter)?;
        let Some(there) = there else {
            return Ok(None);
        };
        for edge in there {
            seen = seen.union(edge.marks);
            at = edge.target;
            cycle.push(edge);
        }
    }
    if at != root || cycle.is_empty() {
        let Some(home) = walker.walk(at, |edge| edge.target == root, meter)? else {
            return Ok(None);
        };
        cycle.extend(home);
    }
    Ok(Some(cycle))
}
