//! Whether a stretch that has become very long can end at all, by its control flow alone.
//!
//! Counting states finds a stretch that comes back to one of its own. One that counts a 32-bit
//! variable up for ever comes back too, but nobody can wait for it; its control flow shows that it
//! has no way out. Where a way out exists on paper the answer is "perhaps", and the stretch is
//! given up as too long instead.

use super::{CompiledAction, CompiledNode, Program};

/// Whether some node behind `from` ends a deterministic sequence. A node that blocks without
/// another way is no end but an error of its own.
pub(super) fn sequence_may_end(nodes: &[CompiledNode], from: u32) -> bool {
    let mut seen = vec![false; nodes.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        let node = &nodes[at as usize];
        if node.next.is_none() {
            return true;
        }
        open.extend(node.next);
        open.extend(node.otherwise);
    }
    false
}

/// Whether a process of a type that keeps control at a location may lose it: by a transition that
/// leaves the atomic sequence, by a handshake, or because it cannot move.
pub(super) fn stretch_may_end(program: &Program, process: usize, from: u16) -> bool {
    let locations = &program.types[process].locations;
    let mut seen = vec![false; locations.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[usize::from(at)], true) {
            continue;
        }
        let mut surely_moves = false;
        for &(start, end) in &locations[usize::from(at)].groups {
            for transition in &program.transitions[start as usize..end as usize] {
                if !transition.atomic {
                    return true;
                }
                surely_moves |= matches!(
                    transition.action,
                    CompiledAction::Skip
                        | CompiledAction::Else
                        | CompiledAction::Assign(_)
                        | CompiledAction::Assert(..)
                        | CompiledAction::Print(_)
                        | CompiledAction::SetPriority(..)
                );
                open.push(transition.target);
            }
        }
        if !surely_moves {
            return true;
        }
    }
    false
}
