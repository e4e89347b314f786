//! Proofs of emptiness: those that are made are accepted, and whatever is accepted is true. The
//! number of random cases can be set by the environment variable `EVENHAND_CASES`.

mod closed;
mod damage;
mod garbage;
mod graphs;
mod programs;

use evenhand_certify::{CellId, Cells, Checked, Failure, Ranks, Reason};
use evenhand_explicit::emptiness::Statistics;
use evenhand_explicit::graph::Graph;
use evenhand_explicit::ranks::{Ranking, check_ranks, rank};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::watch::Watch;

/// How many random cases.
fn cases(default: u64) -> u64 {
    std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default)
}

/// Ranks a graph, without limits.
fn make(graph: &mut dyn Graph<1>) -> Ranking<1> {
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    rank(graph, &mut watch, &mut Statistics::default()).expect("there are no limits")
}

/// Checks ranks, without limits.
fn check(graph: &mut dyn Graph<1>, ranks: &Ranks) -> Result<Checked, Failure<Stop>> {
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    check_ranks(graph, ranks, &mut watch)
}

/// The same ranks with other cells: for each its number and reason.
fn with_cells(ranks: &Ranks, change: impl Fn(CellId) -> (u32, Reason)) -> Ranks {
    let mut cells = Cells::new();
    for cell in ranks.cells.iter() {
        let (number, reason) = change(cell);
        let added = cells.add(ranks.cells.parent(cell), number, reason);
        added.expect("as many as before");
    }
    let mut other = Ranks::new(cells, Vec::new());
    for node in 0..ranks.bound() {
        other.set(node, ranks.of(node));
    }
    other
}
