//! What the products of a case have in common.

use evenhand_explicit::graph::{Graph, NodeId};
use evenhand_explicit::product::Product;
use evenhand_explicit::store::AnyStore;
use evenhand_witness::{CycleStep, GraphLasso, Run};

use crate::case::Case;

/// Leaves only the assumptions that were chosen in the condition of a product.
pub(crate) fn restrict<const W: usize>(
    case: &Case<'_>,
    product: &mut Product<'_, '_, AnyStore, W>,
) {
    let Some(chosen) = case.chosen() else {
        return;
    };
    let serving = product.space().serving_marks().iter().zip(chosen);
    let mut condition = product.condition().clone();
    for (&mark, _) in serving.filter(|&(_, &is_chosen)| !is_chosen) {
        condition = condition.without(mark);
    }
    product.set_condition(condition);
}

/// The run of the system that a lasso of the product is.
pub(crate) fn run_of<const W: usize>(
    case: &Case<'_>,
    product: &Product<'_, '_, AnyStore, W>,
    lasso: &GraphLasso<W>,
) -> Run {
    let serving = product.space().serving_marks().iter().enumerate();
    let is_chosen = |number: usize| case.chosen().is_none_or(|chosen| chosen[number]);
    let serving = serving.filter(|&(number, _)| is_chosen(number));
    let serving: Vec<usize> = serving.map(|(_, &mark)| mark).collect();
    let cycle = lasso.cycle.iter().map(|edge| CycleStep {
        state: state_of(product, edge.target),
        serves: serving.iter().map(|&m| edge.marks.contains(m)).collect(),
    });
    Run {
        prefix: lasso.prefix.iter().map(|&n| state_of(product, n)).collect(),
        cycle: cycle.collect(),
    }
}

/// The state of the system that a node of the product is about.
pub(crate) fn state_of<const W: usize>(
    product: &Product<'_, '_, AnyStore, W>,
    node: NodeId,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    product.space().load(product.parts(node).0, &mut bytes);
    bytes
}
