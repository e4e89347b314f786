//! The certificate as data: a rank for each node.
//!
//! A rank is a list of numbers, one per level. Nodes whose lists begin with the same numbers are in
//! one *cell*; a cell has a reason why no accepting cycle stays in it. Most lists have one number,
//! and there are few different lists; so the lists are kept once, as a forest: a cell knows its last
//! number, the cell of the numbers before, and its reason. The rank of a node is then the number of
//! a cell: four bytes, whatever the number of levels.
//!
//! A cell is made behind the one it belongs to, so that the way up always ends. Nothing else is
//! demanded here: cells that make no sense are seen by the check of an edge.

use crate::flaw::Flaw;

/// A cell, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(u32);

impl CellId {
    /// The cell of that number, whether there is one or not; none for the greatest number, which
    /// says that a node has no rank.
    #[inline]
    pub const fn new(number: u32) -> Option<CellId> {
        match number {
            UNRANKED => None,
            number => Some(CellId(number)),
        }
    }

    /// Its number.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0
    }

    #[inline]
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why no accepting cycle stays in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No edge is inside.
    NoEdge,
    /// A Büchi mark is on no edge inside.
    Missing {
        /// The mark.
        mark: u32,
    },
    /// No edge inside grants a pair, by its place in the condition. The edges inside that do not
    /// request it are ranked at the next level.
    NotGranted {
        /// The place of the pair.
        pair: u32,
    },
}

/// One list of numbers.
#[derive(Clone, Copy, Debug)]
struct Cell {
    parent: u32,
    level: u32,
    number: u32,
    reason: Reason,
}

/// All lists of numbers, with their reasons.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    list: Vec<Cell>,
}

/// The number of no cell.
const UNRANKED: u32 = u32::MAX;

impl Cells {
    /// No list.
    pub fn new() -> Cells {
        Cells::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds the list of another cell and one more number; without another cell, of that number
    /// alone.
    ///
    /// # Errors
    /// If the other cell is not there, or there are too many.
    pub fn add(
        &mut self,
        parent: Option<CellId>,
        number: u32,
        reason: Reason,
    ) -> Result<CellId, Flaw> {
        let level = match parent {
            None => 0,
            Some(parent) => self.list.get(parent.index()).ok_or(Flaw::NoCell)?.level + 1,
        };
        let id = u32::try_from(self.list.len()).ok().and_then(CellId::new);
        let id = id.ok_or(Flaw::NoRoom)?;
        self.list.push(Cell {
            parent: parent.map_or(UNRANKED, CellId::number),
            level,
            number,
            reason,
        });
        Ok(id)
    }

    /// Whether a cell is there.
    #[inline]
    pub fn has(&self, cell: CellId) -> bool {
        cell.index() < self.list.len()
    }

    /// All cells, those before others that belong to them.
    pub fn iter(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.list.len() as u32).map(CellId)
    }

    /// The last number of a list.
    ///
    /// # Panics
    /// Here and below: if the cell is not there.
    #[inline]
    pub fn number(&self, cell: CellId) -> u32 {
        self.list[cell.index()].number
    }

    /// How many numbers stand before the last one.
    #[inline]
    pub fn level(&self, cell: CellId) -> u32 {
        self.list[cell.index()].level
    }

    /// Why no accepting cycle stays in it.
    #[inline]
    pub fn reason(&self, cell: CellId) -> Reason {
        self.list[cell.index()].reason
    }

    /// The list without its last number.
    #[inline]
    pub fn parent(&self, cell: CellId) -> Option<CellId> {
        CellId::new(self.list[cell.index()].parent)
    }

    /// The cell of the numbers up to a level; none if the list is shorter.
    #[inline]
    pub fn up_to(&self, mut cell: CellId, level: u32) -> Option<CellId> {
        while self.level(cell) > level {
            cell = self.parent(cell)?;
        }
        (self.level(cell) == level).then_some(cell)
    }

    /// Memory taken, in bytes.
    pub fn bytes_used(&self) -> usize {
        self.list.capacity() * size_of::<Cell>()
    }
}

/// A rank for each node of a graph, by number; nodes that cannot be reached need none.
#[derive(Clone, Debug, Default)]
pub struct Ranks {
    /// The lists of numbers.
    pub cells: Cells,
    of_node: Vec<u32>,
}

impl Ranks {
    /// Ranks from the numbers of cells, `u32::MAX` for a node without rank.
    pub fn new(cells: Cells, of_node: Vec<u32>) -> Ranks {
        Ranks { cells, of_node }
    }

    /// The numbers of nodes with ranks are below this.
    pub fn bound(&self) -> usize {
        self.of_node.len()
    }

    /// The rank of a node, if it has one.
    #[inline]
    pub fn of(&self, node: usize) -> Option<CellId> {
        self.of_node.get(node).and_then(|&cell| CellId::new(cell))
    }

    /// Gives a node another rank, or none.
    pub fn set(&mut self, node: usize, cell: Option<CellId>) {
        if self.of_node.len() <= node {
            self.of_node.resize(node + 1, UNRANKED);
        }
        self.of_node[node] = cell.map_or(UNRANKED, CellId::number);
    }

    /// Memory taken, in bytes.
    pub fn bytes_used(&self) -> usize {
        self.cells.bytes_used() + self.of_node.capacity() * size_of::<u32>()
    }
}
