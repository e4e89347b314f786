//! Components of a graph, and their numbers as ranks.
//!
//! Components are numbered so that edges lead to smaller numbers (Tarjan 1972). Where one has an edge, a mark
//! must be on none of its edges; if so, numbers and marks are ranks. Nobody has to believe them.

use evenhand_source::spend;

use crate::flaw::Flaw;
use crate::rank::{CellId, Cells, Reason};

/// A graph with marks on its edges, a bit for each.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Where the edges of each node end.
    ends: Vec<usize>,
    targets: Vec<u32>,
    marks: Vec<u128>,
}

impl Graph {
    /// Adds an edge of the node that comes next.
    pub fn add_edge(&mut self, target: usize, marks: u128) {
        self.targets.push(target as u32);
        self.marks.push(marks);
    }

    /// Adds the node to which the last edges belong.
    pub fn add_node(&mut self) {
        self.ends.push(self.targets.len());
    }

    pub fn edges(&self, node: usize) -> impl Iterator<Item = (usize, u128)> + '_ {
        let edges = self.start(node)..self.ends[node];
        edges.map(|edge| (self.targets[edge] as usize, self.marks[edge]))
    }

    fn start(&self, node: usize) -> usize {
        node.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// The components.
    pub fn components(&self) -> Components {
        let count = self.ends.len();
        let mut of_node = vec![u32::MAX; count];
        let mut low = vec![u32::MAX; count];
        let mut open: Vec<usize> = Vec::new();
        // Nodes on the way, their next edges, and their places in the order in which nodes are met.
        let mut way: Vec<(usize, usize, u32)> = Vec::new();
        let (mut met, mut closed) = (0, 0);
        for root in 0..count {
            if low[root] != u32::MAX {
                continue;
            }
            let mut fresh = Some(root);
            loop {
                spend();
                if let Some(node) = fresh.take() {
                    way.push((node, self.start(node), met));
                    low[node] = met;
                    met += 1;
                    open.push(node);
                }
                let Some((node, edge, order)) = way.last_mut() else {
                    break;
                };
                let node = *node;
                if *edge < self.ends[node] {
                    let target = self.targets[*edge] as usize;
                    *edge += 1;
                    if low[target] == u32::MAX {
                        fresh = Some(target);
                    } else if of_node[target] == u32::MAX {
                        low[node] = low[node].min(low[target]);
                    }
                    continue;
                }
                let is_root = *order == low[node];
                way.pop();
                if let Some(&(above, ..)) = way.last() {
                    low[above] = low[above].min(low[node]);
                }
                if is_root {
                    while let Some(member) = open.pop() {
                        of_node[member] = closed;
                        if member == node {
                            break;
                        }
                    }
                    closed += 1;
                }
            }
        }
        let mut inside = vec![None; closed as usize];
        for node in 0..count {
            for (target, marks) in self.edges(node) {
                if of_node[target] == of_node[node] {
                    *inside[of_node[node] as usize].get_or_insert(0) |= marks;
                }
            }
        }
        Components { of_node, inside }
    }
}

/// Components by number.
#[derive(Debug)]
pub(super) struct Components {
    pub of_node: Vec<u32>,
    /// The marks of the edges inside each, if there are edges.
    pub inside: Vec<Option<u128>>,
}

impl Components {
    /// Why a component has no cycle with so many marks; none if it has.
    pub fn reason(&self, component: usize, marks: usize) -> Option<Reason> {
        match self.inside[component] {
            None => Some(Reason::NoEdge),
            Some(inside) => {
                let missing = (0..marks).find(|mark| inside >> mark & 1 == 0)?;
                Some(Reason::Missing {
                    mark: missing as u32,
                })
            }
        }
    }
}

/// A cell for each reason: numbers in their order, inside of another cell.
pub(super) fn cells(
    cells: &mut Cells,
    around: Option<CellId>,
    reasons: &[Reason],
) -> Result<Vec<u32>, Flaw> {
    let mut numbers = Vec::with_capacity(reasons.len());
    for (number, &reason) in reasons.iter().enumerate() {
        let cell = cells.add(around, number as u32, reason)?;
        numbers.push(cell.number());
    }
    Ok(numbers)
}
