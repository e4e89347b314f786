//! Does one edge agree with the ranks of its ends?
//!
//! From the first level on: the number of the target is at most that of the source. If it is
//! smaller, the edge is fine. If it is the same, both are in one cell, and the reason of the cell
//! must be true of this edge: a missing mark is not on it, and the edge is fine; of a pair, the edge
//! must not grant it, is fine if it requests it, and otherwise is looked at on the next level. Where
//! there is none, the edge is wrong.
//!
//! Why that is enough. Along a cycle no first number grows, so all are the same and the cycle stays
//! in one cell. Where its reason is a missing mark, no edge of the cycle has it; the cycle is not
//! accepting. Where it is a pair, no edge of the cycle grants it: either some edge requests it, and
//! the cycle is not accepting, or none does, and all its edges were looked at on the next level,
//! where the same is true again. Levels come to an end. An accepting run would end in such a cycle
//! (of edges taken infinitely often), so there is none, if runs meet ranked nodes alone; that is for
//! the callers to see.
//!
//! This holds whatever the cells are: whether they are components, whether two of them have the same
//! list of numbers (an edge between them is wrong) does not matter.

use std::fmt;

use crate::condition::{Condition, Pair};
use crate::flaw::Flaw;
use crate::rank::{CellId, Cells, Reason};

/// Why an edge does not agree with the ranks of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeFlaw {
    /// It leads to a greater number, or to another list with the same numbers.
    Rises,
    /// It stays where no edge should be.
    Inside,
    /// It carries a mark that should be missing.
    Marked {
        /// The mark.
        mark: usize,
    },
    /// It grants a pair that should not be granted.
    Granted {
        /// The place of the pair.
        pair: usize,
    },
    /// There is no further level to decide it.
    Undecided,
}

impl fmt::Display for EdgeFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EdgeFlaw::Rises => f.write_str("it leads to a rank that is not below"),
            EdgeFlaw::Inside => f.write_str("it stays in a rank without edges"),
            EdgeFlaw::Marked { mark } => write!(f, "it has mark {mark}, which should be missing"),
            EdgeFlaw::Granted { pair } => write!(f, "it grants pair {pair}"),
            EdgeFlaw::Undecided => f.write_str("no further number decides about it"),
        }
    }
}

/// The ranks and the condition that edges are held against. Its reasons speak of marks and pairs of
/// the condition.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'r> {
    cells: &'r Cells,
    pairs: &'r [Pair],
}

impl<'r> Rules<'r> {
    /// Looks at the reasons.
    ///
    /// # Errors
    /// If a reason is about a mark that accepting cycles need not have, or about no pair; or if there
    /// are more levels than pairs can make.
    pub fn new(cells: &'r Cells, condition: &'r Condition) -> Result<Rules<'r>, Flaw> {
        let bound = condition.buchi.iter().max().map_or(0, |mark| mark + 1);
        let mut is_buchi = vec![false; bound];
        for &mark in &condition.buchi {
            is_buchi[mark] = true;
        }
        for cell in cells.iter() {
            let is_known = match cells.reason(cell) {
                Reason::NoEdge => true,
                Reason::Missing { mark } => is_buchi.get(mark as usize) == Some(&true),
                Reason::NotGranted { pair } => (pair as usize) < condition.pairs.len(),
            };
            if !is_known {
                return Err(Flaw::Reason(cells.reason(cell)));
            }
            // No list has a use for more; so the work for each edge is bounded.
            if cells.level(cell) as usize > condition.pairs.len() {
                return Err(Flaw::Levels);
            }
        }
        let pairs = &condition.pairs;
        Ok(Rules { cells, pairs })
    }

    /// Whether a cell is there: [`Rules::edge`] must not be asked about others.
    #[inline]
    pub fn has(&self, cell: CellId) -> bool {
        self.cells.has(cell)
    }

    /// Looks at an edge: the ranks of its ends, and which marks it has.
    ///
    /// # Errors
    /// What is wrong with it.
    #[inline]
    pub fn edge(
        &self,
        source: CellId,
        target: CellId,
        has: impl Fn(usize) -> bool,
    ) -> Result<(), EdgeFlaw> {
        let cells = self.cells;
        for level in 0.. {
            let Some(here) = cells.up_to(source, level) else {
                break;
            };
            let Some(there) = cells.up_to(target, level) else {
                break;
            };
            if cells.number(there) < cells.number(here) {
                return Ok(());
            }
            if there != here {
                return Err(EdgeFlaw::Rises);
            }
            match cells.reason(here) {
                Reason::NoEdge => return Err(EdgeFlaw::Inside),
                Reason::Missing { mark } => {
                    let mark = mark as usize;
                    return match has(mark) {
                        true => Err(EdgeFlaw::Marked { mark }),
                        false => Ok(()),
                    };
                }
                Reason::NotGranted { pair } => {
                    let Pair { request, grant } = self.pairs[pair as usize];
                    if has(grant) {
                        return Err(EdgeFlaw::Granted {
                            pair: pair as usize,
                        });
                    }
                    if has(request) {
                        return Ok(());
                    }
                }
            }
        }
        Err(EdgeFlaw::Undecided)
    }
}
