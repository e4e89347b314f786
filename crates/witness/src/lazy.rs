//! An accepting cycle quickly: obligations are taken up only when they are met.
//!
//! Latvala and Heljanko ("Coping with strong fairness", 2000) walk through a good component
//! breadth-first from a root, and note which grants are owed: those of the requests on the path so
//! far, not of all requests of the component. When an edge pays a debt, the path to it is kept and
//! the search begins again behind it; when nothing is owed, the walk goes home. Their printed
//! bookkeeping counts debts before the path is kept, and never comes back to zero when grants lie
//! on it; here debts are computed from the marks of the kept path, after it was kept. Marks lie on
//! edges, and the Büchi marks are owed from the beginning.
//!
//! Each round either pays a debt or ends at the root, so there are at most 2k + g + 1 rounds of one
//! breadth-first search each. The cycle is short, not shortest: it is the bound from which the
//! exact searches start.
//!
//! The original also keeps the path to each *new request*. That takes up debts for edges that the
//! walk may not need; it is here as [`Locking::Requests`] for comparison.

use evenhand_explicit::graph::{Edge, NodeId};
use evenhand_explicit::marks::{Marks, Streett};

use crate::cores::Core;
use crate::meter::{Halt, Meter};
use crate::walker::Walker;

/// When the path so far is kept and the search begins again behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locking {
    /// At a mark that is owed.
    #[default]
    Debts,
    /// At a new request as well, as in the original.
    Requests,
}

/// The marks that a cycle with these marks still has to see.
pub(crate) fn debts<const W: usize>(condition: &Streett<W>, seen: Marks<W>) -> Marks<W> {
    let mut owed = condition.buchi;
    for pair in condition.pairs() {
        if seen.contains(pair.request.into()) {
            owed.insert(pair.grant.into());
        }
    }
    owed.without(seen)
}

/// An accepting closed walk of a core through `root`, in numbers of the core; none if it is no
/// core.
///
/// # Errors
/// If the budget is used up or a limit was reached.
pub fn lazy_cycle<const W: usize>(
    core: &Core<W>,
    root: NodeId,
    locking: Locking,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Vec<Edge<W>>>, Halt> {
    let condition = core.condition();
    let mut walker = Walker::new(core);
    let mut cycle: Vec<Edge<W>> = Vec::new();
    let mut seen = Marks::EMPTY;
    let mut at = root;
    loop {
        let owed = debts(condition, seen);
        let new_request = |edge: &Edge<W>| {
            let requests = edge.marks.intersection(condition.requests());
            locking == Locking::Requests && !seen.covers(requests)
        };
        let wanted = |edge: &Edge<W>| {
            let home = owed.is_empty() && edge.target == root;
            home || edge.marks.meets(owed) || new_request(edge)
        };
        let Some(segment) = walker.walk(at, wanted, meter)? else {
            return Ok(None);
        };
        for edge in &segment {
            seen = seen.union(edge.marks);
            at = edge.target;
        }
        cycle.extend(segment);
        if at == root && debts(condition, seen).is_empty() {
            return Ok(Some(cycle));
        }
    }
}
