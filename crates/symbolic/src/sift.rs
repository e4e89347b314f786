//! Sifting: a better order of the variables while the diagrams are there.
//!
//! **Problem.** The order that the constraints suggest may be bad for the sets that come up.
//!
//! **Idea** (Rudell 1993). One variable after the other, those with most nodes first, is moved
//! through all places by exchanges with its neighbour and left where the diagrams were smallest. A
//! bit now and in the next state move together. A direction is given up when the diagrams grow by a
//! fifth.
//!
//! **Cost.** Quadratic in the number of bits, in exchanges; there is a limit of time. **Limits.**
//! The library ends the process if the table of nodes is full within an exchange: the engine sifts
//! only while less than a third of it is used.

use std::time::{Duration, Instant};

use oxidd::bcdd::BCDDManagerRef;
use oxidd::{Manager as _, ManagerRef, VarNo};
use oxidd_core::LevelView as _;
use oxidd_reorder::set_var_order_seq;

/// How much the diagrams may grow on the way to a better place.
const GROWTH: f64 = 1.2;

/// Improves the order of groups of variables that stay together; the number of nodes after that.
pub(crate) fn sift(reference: &BCDDManagerRef, groups: &[Vec<VarNo>], time: Duration) -> usize {
    let started = Instant::now();
    reference.with_manager_exclusive(|manager| {
        manager.reorder(|manager| {
            let mut order: Vec<Vec<VarNo>> = groups.to_vec();
            order.sort_by_key(|group| group.first().map(|&v| manager.var_to_level(v)));
            let mut weights: Vec<(usize, Vec<VarNo>)> = order
                .iter()
                .map(|group| {
                    let nodes = |&v: &VarNo| nodes_of(manager, v);
                    (group.iter().map(nodes).sum(), group.clone())
                })
                .collect();
            weights.sort_by(|a, b| b.cmp(a));
            for (_, group) in weights {
                if started.elapsed() > time {
                    break;
                }
                if let Some(at) = order.iter().position(|g| *g == group) {
                    place(manager, &mut order, at);
                }
            }
            manager.num_inner_nodes()
        })
    })
}

fn nodes_of<M: oxidd::Manager>(manager: &M, variable: VarNo) -> usize {
    manager.level(manager.var_to_level(variable)).len()
}

/// Moves one group to its best place.
fn place<M: oxidd::Manager>(manager: &mut M, order: &mut [Vec<VarNo>], start: usize)
where
    M::InnerNode: oxidd::HasLevel,
{
    let mut at = start;
    let mut best = (manager.num_inner_nodes(), start);
    // The nearer end first.
    let down_first = order.len() - start <= start;
    for down in [down_first, !down_first] {
        loop {
            if down && at + 1 == order.len() || !down && at == 0 {
                break;
            }
            let to = if down { at + 1 } else { at - 1 };
            exchange(manager, order, at.min(to));
            at = to;
            let size = manager.num_inner_nodes();
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
        exchange(manager, order, at.min(to));
        at = to;
    }
}

/// Exchanges a group and the next one.
fn exchange<M: oxidd::Manager>(manager: &mut M, order: &mut [Vec<VarNo>], upper: usize)
where
    M::InnerNode: oxidd::HasLevel,
{
    order.swap(upper, upper + 1);
    // Only the relative order of these matters; all others stay where they are.
    let pair: Vec<VarNo> = order[upper..upper + 2].concat();
    set_var_order_seq(manager, &pair);
}
