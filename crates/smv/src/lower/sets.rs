//! Sets: what an assignment may choose from.
//!
//! A set is kept as a small tree beside the relation and never as a value in it: unions, ranges,
//! and choices that depend on a condition. All that is ever asked of it is whether something is one
//! of its elements, which is a condition.

use evenhand_system::relation::{ExprId, Expressions, Undefined};

use super::build;

/// A set, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetId(usize);

#[derive(Clone, Copy, Debug)]
enum Node {
    One(ExprId),
    Range(i64, i64),
    Union(SetId, SetId),
    If(ExprId, SetId, SetId),
    Undefined(Undefined),
}

/// All sets; parts come before the whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets {
    nodes: Vec<Node>,
}

impl Sets {
    fn add(&mut self, node: Node) -> SetId {
        self.nodes.push(node);
        SetId(self.nodes.len() - 1)
    }

    pub fn one(&mut self, element: ExprId) -> SetId {
        self.add(Node::One(element))
    }

    pub fn range(&mut self, low: i64, high: i64) -> SetId {
        self.add(Node::Range(low, high))
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        self.add(Node::Union(a, b))
    }

    pub fn choose(&mut self, test: ExprId, yes: SetId, no: SetId) -> SetId {
        self.add(Node::If(test, yes, no))
    }

    pub fn undefined(&mut self, reason: Undefined) -> SetId {
        self.add(Node::Undefined(reason))
    }

    /// A condition that is made for each element and joined.
    fn fold(
        &self,
        pool: &mut Expressions,
        set: SetId,
        join: fn(&mut Expressions, ExprId, ExprId) -> ExprId,
        element: &mut dyn FnMut(&mut Expressions, Node) -> ExprId,
    ) -> ExprId {
        let mut made: Vec<Option<ExprId>> = vec![None; set.0 + 1];
        let mut open = vec![set];
        while let Some(&at) = open.last() {
            if made[at.0].is_some() {
                open.pop();
                continue;
            }
            let expr = match self.nodes[at.0] {
                Node::Union(a, b) | Node::If(_, a, b)
                    if made[a.0].is_none() || made[b.0].is_none() =>
                {
                    open.extend([b, a]);
                    continue;
                }
                Node::Union(a, b) => match (made[a.0], made[b.0]) {
                    (Some(a), Some(b)) => join(pool, a, b),
                    _ => continue,
                },
                Node::If(test, a, b) => match (made[a.0], made[b.0]) {
                    (Some(a), Some(b)) => build::conditional(pool, test, a, b),
                    _ => continue,
                },
                Node::Undefined(reason) => build::undefined(pool, reason),
                leaf => element(pool, leaf),
            };
            made[at.0] = Some(expr);
        }
        made[set.0].unwrap_or_else(|| pool.constant(0))
    }

    /// The set with its elements and the conditions of its choices replaced.
    pub fn map(
        &mut self,
        set: SetId,
        element: &mut dyn FnMut(ExprId) -> ExprId,
        condition: &mut dyn FnMut(ExprId) -> ExprId,
    ) -> SetId {
        let mut copies: Vec<Option<SetId>> = vec![None; set.0 + 1];
        let mut open = vec![set];
        while let Some(&at) = open.last() {
            let node = self.nodes[at.0];
            if copies[at.0].is_some() {
                open.pop();
                continue;
            }
            let copy = match node {
                Node::Union(a, b) | Node::If(_, a, b) => match (node, copies[a.0], copies[b.0]) {
                    (Node::If(test, ..), Some(a), Some(b)) => Node::If(condition(test), a, b),
                    (_, Some(a), Some(b)) => Node::Union(a, b),
                    _ => {
                        open.extend([b, a]);
                        continue;
                    }
                },
                Node::One(expr) => Node::One(element(expr)),
                other => other,
            };
            copies[at.0] = Some(self.add(copy));
        }
        copies[set.0].unwrap_or(set)
    }

    /// Whether a value is an element of a set.
    pub fn member(&self, pool: &mut Expressions, value: ExprId, set: SetId) -> ExprId {
        self.fold(pool, set, build::or, &mut Self::is_element(value))
    }

    /// The same, but defined only if every element is.
    pub fn strict_member(&self, pool: &mut Expressions, value: ExprId, set: SetId) -> ExprId {
        self.fold(pool, set, build::strict_or, &mut Self::is_element(value))
    }

    fn is_element(value: ExprId) -> impl FnMut(&mut Expressions, Node) -> ExprId {
        move |pool, leaf| match leaf {
            Node::One(element) => build::equal(pool, value, element),
            Node::Range(low, high) => build::between(pool, value, low, high),
            _ => pool.constant(0),
        }
    }

    /// Whether each element of a set satisfies a condition; ranges are asked as a whole.
    pub fn every(
        &self,
        pool: &mut Expressions,
        set: SetId,
        condition: &mut dyn FnMut(&mut Expressions, Element) -> ExprId,
    ) -> ExprId {
        self.fold(pool, set, build::and, &mut |pool, leaf| match leaf {
            Node::One(element) => condition(pool, Element::One(element)),
            Node::Range(low, high) => condition(pool, Element::Range(low, high)),
            _ => pool.constant(1),
        })
    }

    /// The number of values of the largest range in a set.
    pub fn largest_range(&self, set: SetId) -> u64 {
        let mut largest = 0;
        let mut seen = vec![false; set.0 + 1];
        let mut open = vec![set];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at.0], true) {
                continue;
            }
            match self.nodes[at.0] {
                Node::Range(low, high) => largest = largest.max(high.abs_diff(low) + 1),
                Node::Union(a, b) | Node::If(_, a, b) => open.extend([a, b]),
                _ => {}
            }
        }
        largest
    }
}

/// A part of a set.
#[derive(Clone, Copy, Debug)]
pub(super) enum Element {
    /// One value.
    One(ExprId),
    /// The numbers from the first to the second.
    Range(i64, i64),
}
