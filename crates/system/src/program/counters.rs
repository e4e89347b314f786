//! Counters: edges of a control flow that no cycle of states can have, since they count up or down to a
//! bound.
//!
//! `x++` behind `x < 3`, with nothing in between that writes `x`, makes `x` larger: the sum does not wrap
//! around. A run that comes back to a state must have made it smaller somewhere. So where control goes round
//! among locations (a strongly connected part of the control flow) without any other write to `x`, those
//! edges cannot be part of a cycle of states, and what is left without them can be looked at in the same way:
//! nested loops are ranked from the outside in.
//!
//! Only local variables without index are counters, since others may write globals; and only those of a byte: a
//! process that stands for all while it counts to a thousand million would keep the others from ever being seen.

use super::expr::{Action, BinaryOp, Expr, Pattern, Place, Scope};
use super::{ProcessType, Transition};

/// What an edge does to one local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It does not write it.
    Leaves,
    /// It makes it larger, or smaller, and stays within what it can hold.
    Counts(bool),
    /// Anything.
    Writes,
}

/// The variables that are counted somewhere, with what each edge does to them: by location and place.
pub(super) struct Counters {
    /// For each variable, for each location, for each transition.
    pub effects: Vec<Vec<Vec<Effect>>>,
}

impl Counters {
    pub fn of(process: &ProcessType) -> Counters {
        let mut variables: Vec<Place> = Vec::new();
        for transition in transitions(process) {
            if let Some((place, _)) = counted(&transition.action)
                && !variables.iter().any(|known| known.offset == place.offset)
            {
                variables.push(place.clone());
            }
        }
        let effects = variables.iter().map(|x| effects_on(process, x)).collect();
        Counters { effects }
    }
}

fn transitions(process: &ProcessType) -> impl Iterator<Item = &Transition> {
    let groups = process.locations.iter().flat_map(|l| &l.groups);
    groups.flatten()
}

fn effects_on(process: &ProcessType, x: &Place) -> Vec<Vec<Effect>> {
    let effect = |at: usize, transition: &Transition| match counted(&transition.action) {
        Some((place, by)) if place.offset == x.offset => match is_guarded(process, at, x, by) {
            true => Effect::Counts(by > 0),
            false => Effect::Writes,
        },
        _ if writes(&transition.action, x) => Effect::Writes,
        _ => Effect::Leaves,
    };
    let locations = process.locations.iter().enumerate();
    let each = locations.map(|(at, location)| {
        let groups = location.groups.iter().flatten();
        groups.map(|transition| effect(at, transition)).collect()
    });
    each.collect()
}

/// The local variable that an action counts, and by how much.
fn counted(action: &Action) -> Option<(&Place, i32)> {
    let (place, value) = match action {
        Action::Assign(place, value) => (place, value),
        Action::Assignments(list) => match &list[..] {
            [(place, value)] => (place, value),
            _ => return None,
        },
        _ => return None,
    };
    let Expr::Binary(op, operands, _) = value else {
        return None;
    };
    let by = match (op, &operands.0, &operands.1) {
        (BinaryOp::Add, Expr::Load(from), Expr::Const(by)) if is_same(from, place) => *by,
        (BinaryOp::Add, Expr::Const(by), Expr::Load(from)) if is_same(from, place) => *by,
        (BinaryOp::Sub, Expr::Load(from), Expr::Const(by)) if is_same(from, place) => {
            by.checked_neg()?
        }
        _ => return None,
    };
    let is_plain = place.scope == Scope::Local && place.indices.is_empty();
    let is_short = place.scalar.bytes == 1;
    (is_plain && is_short && by != 0).then_some((place, by))
}

fn is_same(one: &Place, two: &Place) -> bool {
    one.scope == two.scope
        && one.offset == two.offset
        && one.scalar == two.scalar
        && one.indices.is_empty()
        && two.indices.is_empty()
}

/// Whether an action may write a local variable.
fn writes(action: &Action, x: &Place) -> bool {
    let end = |place: &Place| {
        let spans = place.indices.iter();
        let last = spans.fold(0u32, |sum, index| {
            sum.saturating_add(index.len.saturating_sub(1).saturating_mul(index.stride))
        });
        place
            .offset
            .saturating_add(last)
            .saturating_add(u32::from(place.scalar.bytes))
    };
    let touches = |place: &Place| {
        place.scope == Scope::Local && place.offset < end(x) && x.offset < end(place)
    };
    match action {
        Action::Assign(place, _) => touches(place),
        Action::Assignments(list) => list.iter().any(|(place, _)| touches(place)),
        Action::Receive(receive) => {
            let mut patterns = receive.patterns.iter();
            patterns.any(|pattern| matches!(pattern, Pattern::Bind(place) if touches(place)))
        }
        Action::Sequence(sequence) => {
            let mut nodes = sequence.nodes.iter();
            nodes.any(|node| writes(&node.action, x))
        }
        Action::Skip | Action::Else | Action::Condition(_) | Action::Assert(..) => false,
        Action::Send(_) | Action::Print(_) | Action::SetPriority(..) | Action::Die => false,
    }
}

/// Whether on every way to a location a condition says last that a variable can be changed by so much
/// and be what it should.
fn is_guarded(process: &ProcessType, at: usize, x: &Place, by: i32) -> bool {
    let mut seen = vec![false; process.locations.len()];
    let mut queue = vec![at];
    seen[at] = true;
    while let Some(at) = queue.pop() {
        if at == process.initial.0 as usize {
            return false;
        }
        for (from, location) in process.locations.iter().enumerate() {
            for transition in location.groups.iter().flatten() {
                if transition.target.0 as usize != at {
                    continue;
                }
                if let Action::Condition(condition) = &transition.action
                    && bounds(condition, x, by)
                {
                    continue;
                }
                if writes(&transition.action, x) {
                    return false;
                }
                if !std::mem::replace(&mut seen[from], true) {
                    queue.push(from);
                }
            }
        }
    }
    true
}

/// Whether a condition says that a variable can be changed by so much without wrapping around.
fn bounds(condition: &Expr, x: &Place, by: i32) -> bool {
    let Expr::Binary(op, operands, _) = condition else {
        return false;
    };
    if *op == BinaryOp::And {
        return bounds(&operands.0, x, by) || bounds(&operands.1, x, by);
    }
    let (op, bound) = match (&operands.0, &operands.1) {
        (Expr::Load(place), Expr::Const(bound)) if is_same(place, x) => (*op, *bound),
        (Expr::Const(bound), Expr::Load(place)) if is_same(place, x) => {
            let turned = match op {
                BinaryOp::Lt => BinaryOp::Gt,
                BinaryOp::Le => BinaryOp::Ge,
                BinaryOp::Gt => BinaryOp::Lt,
                BinaryOp::Ge => BinaryOp::Le,
                _ => return false,
            };
            (turned, *bound)
        }
        _ => return false,
    };
    // The value next to the bound that still satisfies the condition, changed.
    let (bound, by) = (i64::from(bound), i64::from(by));
    let last = match (op, by > 0) {
        (BinaryOp::Lt, true) => bound - 1 + by,
        (BinaryOp::Le, true) => bound + by,
        (BinaryOp::Gt, false) => bound + 1 + by,
        (BinaryOp::Ge, false) => bound + by,
        _ => return false,
    };
    i32::try_from(last).is_ok_and(|last| x.scalar.truncate(last) == last)
}
