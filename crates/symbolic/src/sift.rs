//! Sifting: a better order of the variables while the diagrams are there.
//!
//! **Problem.** The order that the constraints suggest may be bad for the sets that come up.
//!
//! **Idea** (Rudell 1993). One variable after the other, those with most nodes first, is moved
//! through all places by exchanges with its neighbour and left where the diagrams were smallest. A
//! bit now and in the next state move together. A direction is given up when the diagrams grow by a
//! fifth.
//!
//! **Cost.** Quadratic in the number of bits, in exchanges. Each counts for the nodes that it touches and for a look at
//! all levels, and there is a limit of that sum: never of time, since what comes afterwards depends on the order.
//!
//! **Limits.** The library ends the process if the table of nodes is full within an exchange: the engine sifts
//! only while less than a third of it is used.

use oxidd::bcdd::BCDDManagerRef;
use oxidd::{Manager as _, ManagerRef, VarNo};
use oxidd_core::LevelView as _;
use oxidd_reorder::set_var_order_seq;

/// How much the diagrams may grow on the way to a better place.
const GROWTH: f64 = 1.2;

/// What came of it.
pub(crate) struct Sifted {
    /// The number of nodes now.
    pub nodes: usize,
    /// What it cost, in nodes and levels that were touched.
    pub effort: usize,
}

/// Improves the order of groups of variables that stay together; `is_over` says whether all work ends.
pub(crate) fn sift(
    reference: &BCDDManagerRef,
    groups: &[Vec<VarNo>],
    effort: usize,
    is_over: impl Fn() -> bool,
) -> Sifted {
    reference.with_manager_exclusive(|manager| {
        manager.reorder(|manager| {
            let mut order: Vec<Vec<VarNo>> = groups.to_vec();
            order.retain(|group| !group.is_empty());
            order.sort_by_key(|group| group.first().map(|&v| manager.var_to_level(v)));
            let weight = |group: &Vec<VarNo>| (nodes_of(manager, group), group.clone());
            let mut weights: Vec<(usize, Vec<VarNo>)> = order.iter().map(weight).collect();
            weights.sort_by(|a, b| b.cmp(a));
            let mut spent = 0;
            for (_, group) in weights {
                if spent > effort || is_over() {
                    break;
                }
                if let Some(at) = order.iter().position(|g| *g == group) {
                    spent += place(manager, &mut order, at);
                }
            }
            Sifted {
                nodes: manager.num_inner_nodes(),
                effort: spent,
            }
        })
    })
}

fn nodes_of<M: oxidd::Manager>(manager: &M, group: &[VarNo]) -> usize {
    let nodes = |&v: &VarNo| manager.level(manager.var_to_level(v)).len();
    group.iter().map(nodes).sum()
}

/// Moves one group to its best place; what that cost.
fn place<M: oxidd::Manager>(manager: &mut M, order: &mut [Vec<VarNo>], start: usize) -> usize
where
    M::InnerNode: oxidd::HasLevel,
{
    let mut at = start;
    let mut size = manager.num_inner_nodes();
    let mut best = (size, start);
    let mut spent = 0;
    // The nearer end first.
    let down_first = order.len() - start <= start;
    for down in [down_first, !down_first] {
        loop {
            if down && at + 1 == order.len() || !down && at == 0 {
                break;
            }
            let to = if down { at + 1 } else { at - 1 };
            exchange(manager, order, at.min(to), &mut size, &mut spent);
            at = to;
            if size < best.0 {
                best = (size, at);
            }
            if size as f64 > best.0 as f64 * GROWTH {
                break;
            }
        }
    }
    while at != best.1 {
        let to = if at < best.1 { at + 1 } else { at - 1 };
        exchange(manager, order, at.min(to), &mut size, &mut spent);
        at = to;
    }
    spent
}

/// Exchanges a group and the next one. No other levels change.
fn exchange<M: oxidd::Manager>(
    manager: &mut M,
    order: &mut [Vec<VarNo>],
    upper: usize,
    size: &mut usize,
    spent: &mut usize,
) where
    M::InnerNode: oxidd::HasLevel,
{
    order.swap(upper, upper + 1);
    // Only the relative order of these matters; all others stay where they are.
    let pair: Vec<VarNo> = order[upper..upper + 2].concat();
    let before = nodes_of(manager, &pair);
    set_var_order_seq(manager, &pair);
    let after = nodes_of(manager, &pair);
    *size = *size + after - before;
    *spent += before.max(after) + manager.num_levels() as usize;
}
