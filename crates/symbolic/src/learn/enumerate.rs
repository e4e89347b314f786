//! The elements of a set, one after the other.
//!
//! Down the diagram from its top, with the variables that matter in the order of their levels:
//! where the diagram does not ask for a variable both values are taken. The work is the number of
//! elements times the number of variables, whatever the size of the diagram; nothing is built.

use oxidd::{BooleanFunction, Function, HasLevel, Manager as _, Node, VarNo};

use crate::manager::{Manager, Set};

/// What to do after an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    GoOn,
    Stop,
}

/// Hands out the elements of a set over some variables, which must be all that it depends on. An
/// element is the values of these variables, in the order in which they are given.
pub(super) fn each(
    m: &Manager,
    set: &Set,
    variables: &[VarNo],
    mut element: impl FnMut(&[bool]) -> After,
) {
    let order = m.order();
    let mut sorted: Vec<(usize, usize)> = variables
        .iter()
        .enumerate()
        .map(|(index, v)| (order.iter().position(|o| o == v).unwrap_or(0), index))
        .collect();
    sorted.sort_unstable();
    let mut values = vec![false; variables.len()];
    // A part of the set, how many variables are fixed, and the value of the last of them.
    let mut open: Vec<(Set, usize, bool)> = vec![(set.clone(), 0, false)];
    while let Some((part, fixed, value)) = open.pop() {
        if fixed > 0 {
            values[sorted[fixed - 1].1] = value;
        }
        if m.is_empty(&part) {
            continue;
        }
        let Some(&(_, index)) = sorted.get(fixed) else {
            if element(&values) == After::Stop {
                return;
            }
            continue;
        };
        let (high, low) = match top(&part) {
            Some(variable) if variable == variables[index] => match part.cofactors() {
                Some(both) => both,
                None => (part.clone(), part),
            },
            _ => (part.clone(), part),
        };
        open.push((high, fixed + 1, true));
        open.push((low, fixed + 1, false));
    }
}

/// The variable at the top of a diagram.
fn top(set: &Set) -> Option<VarNo> {
    set.with_manager_shared(|manager, root| match manager.get_node(root) {
        Node::Inner(node) => Some(manager.level_to_var(node.level())),
        Node::Terminal(_) => None,
    })
}
