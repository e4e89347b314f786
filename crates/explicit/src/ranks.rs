//! The proof that a graph has no accepting cycle: ranks for all nodes that can be reached.
//!
//! The default engine (`emptiness::streett`) finishes components one after the other, and all that a
//! component leads to before it. Here the search is listened to. The number of a component is its
//! height above what it leads to. Its reason is that it has no edge inside, or a Büchi mark that none
//! of these edges has, or pairs that are requested and not granted. In the last case there is a cell
//! for each such pair, one inside the other, and the engine searches the component again without the
//! edges that request any of them, which gives the numbers of the next level. Components of the same
//! height with the same reason share a cell: no edge leads from one to the other.
//!
//! There are fewer numbers where a component joins the cell below it: if all edges to the highest
//! cell it leads to, and all edges inside, miss the mark that is missing there. So a whole region
//! without a mark is one cell, however many components it has.
//!
//! The result is what `evenhand_certify` checks. Nobody has to believe that it is right; where it is
//! not, the check fails. An engine of another kind says nothing about components: there this is one
//! more search over the graph that was kept.
//!
//! Cost: that of the search, and a look at the cell of each node that an edge leads out to. The four
//! bytes per node of the search are the ranks in the end.

mod check;

use evenhand_certify::{CellId, Cells, Flaw, Ranks, Reason};
use rustc_hash::FxHashMap;

use crate::emptiness::keeper::{DEAD, Keeper, UNSEEN};
use crate::emptiness::streett::search;
use crate::emptiness::{Component, NoProof, Statistics};
use crate::graph::Graph;
use crate::marks::{Marks, Pair, Streett};
use crate::search::Stop;
use crate::watch::Watch;

pub use check::{ProductRanks, check_ranks};

/// What came out.
#[derive(Debug)]
pub enum Ranking<const W: usize> {
    /// The graph has no accepting cycle, and this is why.
    Empty(Ranks),
    /// It has one.
    Accepting(Component<W>),
}

/// Looks for an accepting cycle as the default engine does, and ranks the nodes of the graph if there
/// is none.
///
/// # Errors
/// If a limit was reached.
pub fn rank<const W: usize>(
    graph: &mut dyn Graph<W>,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
) -> Result<Ranking<W>, Stop> {
    let heights = Heights {
        cells: Cells::new(),
        known: FxHashMap::default(),
        scopes: Vec::new(),
        innermost: None,
    };
    let (found, heights, mut kept) = search(graph, watch, statistics, heights)?;
    if let Some(component) = found {
        return Ok(Ranking::Accepting(component));
    }
    for number in &mut kept {
        *number = match *number {
            UNSEEN => NONE,
            number => number ^ DEAD,
        };
    }
    Ok(Ranking::Empty(Ranks::new(heights.cells, kept)))
}

/// Ranks the nodes of a graph that is said to have no accepting cycle.
///
/// # Errors
/// If it has one, or a limit was reached.
pub fn prove<const W: usize>(
    graph: &mut dyn Graph<W>,
    watch: &mut Watch<'_>,
) -> Result<Ranks, NoProof> {
    match rank(graph, watch, &mut Statistics::default()) {
        Ok(Ranking::Empty(ranks)) => Ok(ranks),
        Ok(Ranking::Accepting(_)) => Err(NoProof::Accepting),
        Err(stop) => Err(NoProof::Stop(stop)),
    }
}

/// No cell.
const NONE: u32 = u32::MAX;

/// What a component leads to.
#[derive(Clone, Copy)]
struct Below<const W: usize> {
    /// One more than the greatest number.
    height: u32,
    /// The cell that has it, if it is the only one.
    cell: u32,
    /// The marks of the edges that lead there.
    marks: Marks<W>,
}

impl<const W: usize> Default for Below<W> {
    fn default() -> Below<W> {
        Below {
            height: 0,
            cell: NONE,
            marks: Marks::EMPTY,
        }
    }
}

impl<const W: usize> Below<W> {
    #[inline]
    fn join(&mut self, other: &Below<W>) {
        if other.height > self.height {
            *self = *other;
        } else if other.height == self.height && other.height > 0 {
            if other.cell != self.cell {
                self.cell = NONE;
            }
            self.marks = self.marks.union(other.marks);
        }
    }
}

/// Listens to the search and makes cells.
struct Heights {
    cells: Cells,
    /// The cells by what they are: the cell around, number, reason.
    known: FxHashMap<(u32, u32, Reason), CellId>,
    /// The cells whose nodes are being searched again, each inside the one before.
    scopes: Vec<CellId>,
    /// The cell whose nodes will be searched again next.
    innermost: Option<CellId>,
}

impl Heights {
    fn cell(
        &mut self,
        around: Option<CellId>,
        number: u32,
        reason: Reason,
    ) -> Result<CellId, Stop> {
        let key = (around.map_or(NONE, CellId::number), number, reason);
        if let Some(&cell) = self.known.get(&key) {
            return Ok(cell);
        }
        let cell = self.cells.add(around, number, reason);
        let cell = cell.map_err(|_: Flaw| Stop::Memory)?;
        if cell.number() >= DEAD - 1 {
            return Err(Stop::Memory);
        }
        self.known.insert(key, cell);
        Ok(cell)
    }

    /// The highest cell below, if a component that misses these marks can join it.
    fn joined<const W: usize>(&self, below: &Below<W>, missing: Marks<W>) -> Option<CellId> {
        let cell = CellId::new(below.cell)?;
        match self.cells.reason(cell) {
            Reason::Missing { mark } => {
                let mark = mark as usize;
                (missing.contains(mark) && !below.marks.contains(mark)).then_some(cell)
            }
            Reason::NoEdge | Reason::NotGranted { .. } => None,
        }
    }

    /// The cell of a dead node at the level of the scope; none if it lies outside, where it does not
    /// matter.
    #[inline]
    fn at_level(&self, cell: CellId) -> Option<CellId> {
        let Some(&around) = self.scopes.last() else {
            return self.cells.up_to(cell, 0);
        };
        let cell = self.cells.up_to(cell, self.cells.level(around) + 1)?;
        (self.cells.parent(cell) == Some(around)).then_some(cell)
    }
}

impl<const W: usize> Keeper<W> for Heights {
    type Below = Below<W>;

    const LISTENS: bool = true;

    #[inline]
    fn leads_to(&self, kept: u32, marks: Marks<W>, below: &mut Below<W>) {
        if let Some(cell) = CellId::new(kept ^ DEAD).and_then(|cell| self.at_level(cell)) {
            below.join(&Below {
                height: self.cells.number(cell) + 1,
                cell: cell.number(),
                marks,
            });
        }
    }

    #[inline]
    fn join(&self, below: &mut Below<W>, other: &Below<W>) {
        below.join(other);
    }

    fn dead(&mut self, below: &Below<W>, missing: Marks<W>) -> Result<u32, Stop> {
        if let Some(cell) = self.joined(below, missing) {
            return Ok(DEAD | cell.number());
        }
        // Of several missing marks the last: it belongs to the property, not to fairness, and the
        // components around are likely to miss it too.
        let reason = match missing.iter().last() {
            Some(mark) => Reason::Missing { mark: mark as u32 },
            None => Reason::NoEdge,
        };
        let cell = self.cell(self.scopes.last().copied(), below.height, reason)?;
        Ok(DEAD | cell.number())
    }

    fn refine(
        &mut self,
        below: &Below<W>,
        condition: &Streett<W>,
        inside: Marks<W>,
    ) -> Result<u32, Stop> {
        let is_bad = |pair: &Pair| {
            inside.contains(pair.request.into()) && !inside.contains(pair.grant.into())
        };
        let (mut around, mut number) = (self.scopes.last().copied(), below.height);
        let mut outermost = None;
        for (place, pair) in condition.pairs().iter().enumerate() {
            if is_bad(pair) {
                let pair = place as u32;
                let cell = self.cell(around, number, Reason::NotGranted { pair })?;
                outermost.get_or_insert(cell);
                (around, number) = (Some(cell), 0);
            }
        }
        self.innermost = around;
        Ok(DEAD | outermost.map_or(NONE, CellId::number))
    }

    fn begin(&mut self) {
        self.scopes.extend(self.innermost.take());
    }

    fn end(&mut self) {
        self.scopes.pop();
    }

    fn bytes(&self) -> u64 {
        let entry = size_of::<((u32, u32, Reason), CellId)>();
        (self.cells.bytes_used() + self.known.capacity() * entry) as u64
    }
}
