//! Emptiness checks: has a graph a reachable cycle whose marks are accepting?
//!
//! Each engine is a file of its own behind one trait, and answers with one type: nothing, or a
//! component in which an accepting run can stay. What the engines have in common is only the graph
//! they see; they are compared with each other and with brute force on the same random graphs.

pub(crate) mod closure;
mod components;
pub mod feasible;
pub(crate) mod keeper;
pub mod latvala_heljanko;
pub mod lichtenstein_pnueli;
pub mod monitors;
pub mod ndfs;
pub(crate) mod stored;
pub mod streett;

use evenhand_certify::Ranks;

use crate::graph::{Graph, NodeId};
use crate::marks::{Marks, Streett};
use crate::ranks::prove;
use crate::search::Stop;
use crate::watch::Watch;

/// A way to decide emptiness.
pub trait Engine<const W: usize> {
    /// What it is called on the command line.
    fn name(&self) -> &'static str;

    /// What it is for, in a line.
    fn about(&self) -> &'static str;

    /// Whether it can decide the question; unless it says otherwise, any.
    ///
    /// # Errors
    /// A sentence that says why not and what to use instead.
    fn supports(&self, _condition: &Streett<W>) -> Result<(), String> {
        Ok(())
    }

    /// Looks for an accepting cycle.
    ///
    /// # Errors
    /// If a limit was reached before the answer was known.
    fn search(
        &self,
        graph: &mut dyn Graph<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Component<W>>, Stop>;

    /// Looks for an accepting cycle, and for a proof where there is none: the default engine makes one
    /// as it goes, for the others the graph is searched once more.
    ///
    /// # Errors
    /// If a limit was reached before the answer was known.
    fn search_with_proof(
        &self,
        graph: &mut dyn Graph<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Searched<W>, Stop> {
        if let Some(component) = self.search(graph, watch, statistics)? {
            return Ok(Searched::Accepting(component));
        }
        Ok(Searched::Empty(prove(graph, watch)))
    }
}

/// What a search with a proof found.
#[derive(Debug)]
pub enum Searched<const W: usize> {
    /// An accepting cycle.
    Accepting(Component<W>),
    /// None, and why.
    Empty(Result<Ranks, NoProof>),
}

/// Why there is no proof that a graph has no accepting cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProof {
    /// Nobody asked for one.
    Unwanted,
    /// A limit was reached.
    Stop(Stop),
    /// There is such a cycle: the search was wrong.
    Accepting,
}

/// A part of a graph in which an accepting run can stay: these nodes are reachable, and the edges
/// between them that carry no mark of `avoid` contain a cycle whose marks are accepting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component<const W: usize> {
    /// The nodes, in any order.
    pub nodes: Vec<NodeId>,
    /// Requests that the run does not make.
    pub avoid: Marks<W>,
}

/// What a search cost. Kept up to date while it runs, so that it can be told after a limit too.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Nodes visited, each counted once.
    pub nodes: u64,
    /// Edges traversed by the first visit of their source.
    pub edges: u64,
    /// Components that were refined.
    pub refinements: u64,
    /// Visits of nodes beyond the first.
    pub revisits: u64,
    /// Memory of the engine itself at its peak, in bytes.
    pub bytes: u64,
    /// Counts that only this engine has, by name.
    pub stages: Vec<(&'static str, u64)>,
}

/// All engines, the default first.
pub fn engines<const W: usize>() -> [&'static dyn Engine<W>; 5] {
    [
        &streett::OnTheFly,
        &latvala_heljanko::LatvalaHeljanko,
        &lichtenstein_pnueli::LichtensteinPnueli,
        &ndfs::NestedDepthFirst,
        &feasible::Feasible,
    ]
}

/// The engine of that name.
pub fn engine<const W: usize>(name: &str) -> Option<&'static dyn Engine<W>> {
    engines().into_iter().find(|engine| engine.name() == name)
}
