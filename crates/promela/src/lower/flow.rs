//! Control flow: from statements to the graph of control states.
//!
//! Which statements are steps of their own is part of Promela's meaning, and it is SPIN's generator
//! that defines it: a `goto` behind a guard costs no step, one that begins an option does; leaving
//! an atomic sequence by a jump is a step; a declaration behind the first statement is an
//! assignment. This file therefore builds the same graph of *elements* that SPIN does (sequences
//! that share their targets, jump and join elements, escapes attached to each statement of an
//! `unless`), and `automaton.rs` derives from it the transitions of each control state.

use evenhand_source::{Span, spend};
use evenhand_system::program::expr::Action;

use super::labels::{Label, Mention, Mentions};
use crate::token::Name;

/// An element of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ElementId(pub u32);

/// A sequence of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SequenceId(pub u32);

/// What an element is.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A basic statement.
    Basic(Action),
    Else,
    Goto(Target),
    /// Joins the options of a selection, or the two parts of an `unless`.
    Join,
    /// The exit of a loop.
    Exit,
    If,
    Do,
    Unless,
    Atomic(SequenceId),
    DStep(SequenceId),
    Block(SequenceId),
    /// The end of the process.
    Stop,
}

/// Where a jump goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Label(Mention),
    /// The exit of a loop.
    Loop(u32),
}

/// Inside an atomic sequence, not at its end.
pub(super) const ATOMIC: u8 = 1;
/// The last statement of an atomic sequence.
pub(super) const ATOMIC_END: u8 = 2;
/// Inside a `d_step`.
pub(super) const DETERMINISTIC: u8 = 4;

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub node: Node,
    pub next: Option<ElementId>,
    /// Options of a selection; main part and escape of an `unless`.
    pub sub: Vec<SequenceId>,
    /// Escapes, the outermost first.
    pub escapes: Vec<SequenceId>,
    pub status: u8,
    pub span: Span,
    pub text: String,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last element before a join was appended.
    pub extent: Option<ElementId>,
}

/// The graph of one process.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub elements: Vec<Element>,
    pub sequences: Vec<Sequence>,
    /// In the order of the text; of a block and its inside, the inside first.
    pub labels: Vec<Label>,
    pub mentions: Mentions,
    /// The exit of each loop.
    pub exits: Vec<Option<ElementId>>,
    /// Open sequences, innermost last.
    open: Vec<SequenceId>,
}

impl Flow {
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0 as usize]
    }

    pub fn element_mut(&mut self, id: ElementId) -> &mut Element {
        &mut self.elements[id.0 as usize]
    }

    pub fn sequence(&self, id: SequenceId) -> Sequence {
        self.sequences[id.0 as usize]
    }

    pub fn new_element(&mut self, node: Node, span: Span, text: String) -> ElementId {
        let (sub, escapes) = (Vec::new(), Vec::new());
        self.elements.push(Element {
            node,
            next: None,
            sub,
            escapes,
            status: 0,
            span,
            text,
        });
        ElementId(self.elements.len() as u32 - 1)
    }

    pub fn open(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(SequenceId(self.sequences.len() as u32 - 1));
    }

    pub fn close(&mut self) -> SequenceId {
        let id = self.open.pop().expect("every close has its open");
        let sequence = &mut self.sequences[id.0 as usize];
        sequence.extent = sequence.last;
        id
    }

    /// Appends to the innermost open sequence.
    pub fn append(&mut self, element: ElementId) {
        let current = *self.open.last().expect("a sequence is open");
        self.append_to(element, current);
    }

    pub fn append_to(&mut self, element: ElementId, sequence: SequenceId) {
        let is_goto = matches!(self.element(element).node, Node::Goto(_));
        if is_goto
            && self
                .labels
                .iter()
                .any(|l| l.element == element && is_special(&l.name))
        {
            // A label that means something needs a state to stand at.
            let span = self.element(element).span;
            let skip = self.new_element(Node::Basic(Action::Skip), span, "skip".into());
            if let Some(label) = self.labels.iter_mut().find(|l| l.element == element) {
                label.element = skip;
            }
            self.append_to(skip, sequence);
        }
        let last = self.sequences[sequence.0 as usize].last;
        match last {
            Some(last) => self.element_mut(last).next = Some(element),
            None => self.sequences[sequence.0 as usize].first = Some(element),
        }
        self.sequences[sequence.0 as usize].last = Some(element);
    }

    /// A selection or a loop; the element that a label in front of it names.
    pub fn selection(
        &mut self,
        options: Vec<SequenceId>,
        exit: Option<u32>,
        span: Span,
    ) -> ElementId {
        let node = if exit.is_some() { Node::Do } else { Node::If };
        let element = self.new_element(node, span, String::new());
        let join = self.new_element(Node::Join, span, String::new());
        let mut target = join;
        for &option in &options {
            self.append_to(join, option);
        }
        self.element_mut(element).sub = options;
        if let Some(exit) = exit {
            self.append(join); // the way back stands in front of the loop
            target = self.new_element(Node::Exit, span, String::new());
            self.exits[exit as usize] = Some(target);
        }
        self.append(element);
        self.append(target);
        element
    }

    /// `main unless escape`.
    pub fn unless(&mut self, main: SequenceId, escape: SequenceId, span: Span) -> ElementId {
        let element = self.new_element(Node::Unless, span, String::new());
        let join = self.new_element(Node::Join, span, String::new());
        self.element_mut(element).sub = vec![main, escape];
        self.append_to(join, main);
        self.append_to(join, escape);
        self.attach_escape(main, escape);
        self.append(element);
        self.append(join);
        element
    }

    fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
        for element in self.members(sequence, self.sequence(sequence).extent) {
            self.escape(element, escape);
        }
    }

    /// The elements from the first of a sequence up to `end`.
    fn members(&self, sequence: SequenceId, end: Option<ElementId>) -> Vec<ElementId> {
        let mut list = Vec::new();
        let mut at = self.sequence(sequence).first;
        while let Some(element) = at {
            list.push(element);
            if at == end {
                break;
            }
            at = self.element(element).next;
        }
        list
    }

    /// The elements of a sequence and of all sequences inside of it.
    pub fn all_members(&self, sequence: SequenceId) -> Vec<ElementId> {
        let mut list = Vec::new();
        let mut open = vec![sequence];
        while let Some(sequence) = open.pop() {
            for id in self.members(sequence, self.sequence(sequence).last) {
                let element = self.element(id);
                open.extend(&element.sub);
                if let Node::Atomic(inner) | Node::DStep(inner) | Node::Block(inner) = element.node
                {
                    open.push(inner);
                }
                list.push(id);
            }
        }
        list
    }

    fn escape(&mut self, element: ElementId, escape: SequenceId) {
        spend();
        let before = self.element(element).escapes.clone();
        if before.contains(&escape) {
            return;
        }
        for lower in before {
            self.attach_escape(lower, escape);
        }
        self.element_mut(element).escapes.insert(0, escape);
        match self.element(element).node.clone() {
            Node::Unless => self.attach_escape(self.element(element).sub[0], escape),
            Node::If | Node::Do => {
                for option in self.element(element).sub.clone() {
                    self.attach_escape(option, escape);
                }
            }
            Node::DStep(inner) => {
                if let Some(first) = self.sequence(inner).first {
                    self.escape(first, escape);
                }
            }
            Node::Atomic(inner) | Node::Block(inner) => self.attach_escape(inner, escape),
            _ => {}
        }
    }

    /// Marks the elements of an atomic or deterministic sequence.
    pub fn make_atomic(&mut self, sequence: SequenceId, added: u8) {
        self.walk_atomic(sequence, added);
        let Some(last) = self.sequence(sequence).last else {
            return;
        };
        match self.element(last).node.clone() {
            Node::Block(inner) | Node::Atomic(inner) => self.make_atomic(inner, added),
            Node::Unless => self.make_atomic(self.element(last).sub[0], added),
            _ => {
                let status = &mut self.element_mut(last).status;
                *status = (*status & !ATOMIC) | ATOMIC_END;
            }
        }
    }

    fn walk_atomic(&mut self, sequence: SequenceId, added: u8) {
        for element in self.members(sequence, self.sequence(sequence).last) {
            self.element_mut(element).status |= ATOMIC | added;
            let inner = match self.element(element).node {
                Node::Atomic(inner) | Node::Block(inner) => Some(inner),
                Node::DStep(inner) if added != 0 => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                self.element_mut(element).node = Node::Block(inner);
                self.walk_atomic(inner, added);
            }
            for option in self.element(element).sub.clone() {
                self.walk_atomic(option, added);
            }
        }
    }

    /// Ties the end of each inner sequence to what follows it.
    pub fn tie_loose_ends(&mut self) {
        for index in (0..self.elements.len()).rev() {
            let element = &self.elements[index];
            let (Node::Atomic(inner) | Node::DStep(inner) | Node::Block(inner)) = element.node
            else {
                continue;
            };
            let mut follower = element.next;
            while let Some(next) = follower
                && matches!(self.element(next).node, Node::Join)
            {
                follower = self.element(next).next;
            }
            if let Some(last) = self.sequence(inner).last
                && self.element(last).next.is_none()
            {
                self.element_mut(last).next = follower;
            }
        }
    }

    /// Removes unlabelled `skip`s that follow another one in an option, as SPIN does.
    pub fn prune_skips(&mut self, sequence: SequenceId) {
        let bounds = self.sequence(sequence);
        let mut run = 0;
        let mut previous: Option<ElementId> = None;
        let mut at = bounds.first;
        while let Some(element) = at {
            let next = self.element(element).next;
            let (is_skip, is_print) = match &self.element(element).node {
                Node::Basic(Action::Skip) => (true, false),
                Node::Basic(Action::Print(_)) => (true, true),
                _ => (false, false),
            };
            let labelled = self.labels.iter().any(|l| l.element == element);
            if is_skip && !labelled {
                run += 1;
                let at_edge = Some(element) == bounds.first
                    || Some(element) == bounds.last
                    || Some(element) == bounds.extent;
                if run > 1
                    && !is_print
                    && !at_edge
                    && let Some(previous) = previous
                {
                    self.element_mut(previous).next = next;
                    at = next;
                    continue;
                }
            } else {
                run = 0;
            }
            previous = Some(element);
            at = next;
        }
    }

    /// The element a jump leads to.
    pub fn jump(&self, target: &Target) -> Option<ElementId> {
        match target {
            Target::Label(mention) => {
                let label = self.mentions.find(*mention, &self.labels)?;
                Some(label.element)
            }
            Target::Loop(exit) => self.exits[*exit as usize],
        }
    }

    /// Puts a state in front of a `goto` whose label other processes refer to; of several labels,
    /// SPIN thinks of the last one here.
    pub fn keep_label(&mut self, name: &Name) {
        let Some(label) = self.labels.iter().rfind(|l| l.name == *name) else {
            return;
        };
        let element = label.element;
        if !matches!(self.element(element).node, Node::Goto(_)) {
            return;
        }
        let copy = self.element(element).clone();
        self.elements.push(copy);
        let jump = ElementId(self.elements.len() as u32 - 1);
        let skip = self.element_mut(element);
        skip.node = Node::Basic(Action::Skip);
        skip.text = "skip".into();
        skip.next = Some(jump);
    }
}

/// Labels that mean something to the checker.
pub(super) fn is_special(name: &str) -> bool {
    name.starts_with("end") || name.starts_with("accept") || name.starts_with("progress")
}
