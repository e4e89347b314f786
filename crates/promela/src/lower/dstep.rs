//! `d_step`: a sequence of statements as one deterministic action.
//!
//! Where a selection offers several executable options, the first one is taken. A statement that is
//! not executable leads to the next option of the innermost selection whose guard it is; anywhere
//! else that is a run-time error, except at the very beginning, where the whole is not executable.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_source::Diagnostic;
use evenhand_system::program::expr::{Action, Expr, Sequence, SequenceNode};

use super::flow::{DETERMINISTIC, ElementId, Flow, Node, SequenceId};

/// The action of a `d_step` whose body is `body`.
pub(super) fn sequence(flow: &Flow, body: SequenceId, diagnostics: &mut Vec<Diagnostic>) -> Action {
    let mut builder = Builder {
        flow,
        nodes: Vec::new(),
        known: HashMap::new(),
        diagnostics,
    };
    let entry = flow
        .sequence(body)
        .first
        .and_then(|first| builder.guard(first, None));
    // The entry must be node 0.
    match entry {
        None => Action::Skip,
        Some(0) => Action::Sequence(Arc::new(Sequence {
            nodes: builder.nodes,
        })),
        Some(entry) => {
            let shift = |at: Option<u32>| at.map(|at| at + 1);
            let mut nodes = Vec::with_capacity(builder.nodes.len() + 1);
            let first = &builder.nodes[entry as usize];
            nodes.push(SequenceNode {
                next: shift(first.next),
                otherwise: shift(first.otherwise),
                ..first.clone()
            });
            nodes.extend(builder.nodes.iter().map(|node| SequenceNode {
                next: shift(node.next),
                otherwise: shift(node.otherwise),
                ..node.clone()
            }));
            Action::Sequence(Arc::new(Sequence { nodes }))
        }
    }
}

struct Builder<'a> {
    flow: &'a Flow,
    nodes: Vec<SequenceNode>,
    /// The node that continues at an element, outside of guards.
    known: HashMap<ElementId, Option<u32>>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Builder<'_> {
    fn push(&mut self, action: Action, element: ElementId) -> u32 {
        let span = self.flow.element(element).span;
        self.nodes.push(SequenceNode {
            action,
            next: None,
            otherwise: None,
            span,
        });
        self.nodes.len() as u32 - 1
    }

    fn action(&mut self, element: ElementId) -> Option<Action> {
        let found = self.flow.element(element);
        match &found.node {
            Node::Basic(action) => {
                if let Action::Condition(Expr::Run(_)) = action {
                    let message = "`run` cannot be used inside a d_step sequence";
                    self.diagnostics
                        .push(Diagnostic::error(found.span, message));
                }
                Some(action.clone())
            }
            Node::Else => Some(Action::Else),
            _ => None,
        }
    }

    /// The node that goes on at an element; none behind the end of the sequence.
    fn follow(&mut self, element: Option<ElementId>) -> Option<u32> {
        let element = element?;
        let found = self.flow.element(element);
        if found.status & DETERMINISTIC == 0 {
            return None;
        }
        if let Some(&known) = self.known.get(&element) {
            return known;
        }
        if let Some(action) = self.action(element) {
            let node = self.push(action, element);
            self.known.insert(element, Some(node));
            self.nodes[node as usize].next = self.follow(found.next);
            return Some(node);
        }
        // Selections and blocks get a node of their own, so that loops can return to it.
        let node = self.push(Action::Skip, element);
        self.known.insert(element, Some(node));
        let next = match &found.node {
            Node::Goto(target) => {
                let target = self.flow.jump(target);
                self.follow(target)
            }
            Node::Join | Node::Exit => self.follow(found.next),
            _ => self.guard(element, None),
        };
        self.nodes[node as usize].next = next;
        Some(node)
    }

    /// The node that tries what begins at an element, with another way if it is not executable.
    fn guard(&mut self, element: ElementId, otherwise: Option<u32>) -> Option<u32> {
        let found = self.flow.element(element);
        if let Some(action) = self.action(element) {
            let node = self.push(action, element);
            self.nodes[node as usize].otherwise = otherwise;
            self.nodes[node as usize].next = self.follow(found.next);
            return Some(node);
        }
        match &found.node {
            Node::If | Node::Do => {
                let mut next_option = otherwise;
                for &option in found.sub.iter().rev() {
                    if let Some(first) = self.flow.sequence(option).first {
                        next_option = self.guard(first, next_option);
                    }
                }
                next_option
            }
            Node::Atomic(inner) | Node::DStep(inner) | Node::Block(inner) => self
                .flow
                .sequence(*inner)
                .first
                .and_then(|first| self.guard(first, otherwise)),
            Node::Unless => {
                let main = self.flow.sequence(found.sub[0]).first;
                main.and_then(|first| self.guard(first, otherwise))
            }
            Node::Join
                if found
                    .next
                    .is_some_and(|n| matches!(self.flow.element(n).node, Node::Do)) =>
            {
                found.next.and_then(|next| self.guard(next, otherwise))
            }
            _ => {
                // A jump as a guard is always executable.
                let node = self.push(Action::Skip, element);
                let next = match &found.node {
                    Node::Goto(target) => {
                        let target = self.flow.jump(target);
                        self.follow(target)
                    }
                    _ => self.follow(found.next),
                };
                self.nodes[node as usize].next = next;
                Some(node)
            }
        }
    }
}
