//! The values that a constraint leaves to one variable, computed instead of tried.
//!
//! An assignment of SMV gives a variable one value, or one of a set, depending on conditions: as a
//! constraint it is a tree of conditionals and disjunctions with equations `x' = e` as leaves. Read
//! as a program it lists the candidates directly: follow the conditionals, collect the right sides.
//! So a variable with a thousand values costs as much as one with two. Whatever has another shape
//! is no list; then all values of the variable are tried (`solve.rs`).
//!
//! A conjunction of a list with something else lists candidates that must be tested still; the list
//! is exact otherwise.

use std::collections::{BTreeSet, HashMap};

use super::evaluate::{Compiled, Environment, Undefined};
use super::expression::{BinaryOp, ExprId, Expressions, Node, UnaryOp, VarId};
use super::solve::Unknown;

/// How large a range of consecutive candidates may be.
const LARGEST_RANGE: i64 = 1 << 16;

/// A program that lists the candidates of one unknown.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// Parts come before the whole, which is the last.
    steps: Vec<Step>,
    /// Whether every candidate satisfies the constraint.
    pub exact: bool,
    /// Whether there is never more than one candidate.
    pub single: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Nothing,
    Value(Compiled),
    Range(i64, i64),
    Either(usize, usize),
    If(Compiled, usize, usize),
    Undefined(Undefined),
}

impl Choices {
    /// Reads a constraint as a list of candidates, if it has that shape; `truth` says that the
    /// unknown is a truth value.
    pub fn new(
        expressions: &Expressions,
        constraint: ExprId,
        unknown: Unknown,
        truth: bool,
    ) -> Option<Choices> {
        let mut reader = Reader {
            expressions,
            unknown,
            truth,
            mentions: HashMap::new(),
            steps: Vec::new(),
            known: HashMap::new(),
            exact: true,
            single: true,
        };
        // Operands first: no recursion, however deep the constraint is.
        for id in expressions.closure(constraint) {
            let mentioned = match *expressions.node(id) {
                Node::Current(variable) => reader.is_unknown(variable, false),
                Node::Next(variable) => reader.is_unknown(variable, true),
                node => node.operands().any(|o| reader.mentions[&o]),
            };
            reader.mentions.insert(id, mentioned);
        }
        for id in reader.shape(constraint) {
            let step = reader.step(id)?;
            reader.known.insert(id, reader.steps.len());
            reader.steps.push(step);
        }
        Some(Choices {
            steps: reader.steps,
            exact: reader.exact,
            single: reader.single,
        })
    }

    /// Lists the candidates; the list may have repetitions.
    pub fn list(
        &self,
        environment: Environment<'_>,
        found: &mut Vec<i64>,
    ) -> Result<(), Undefined> {
        let mut open = vec![self.steps.len().saturating_sub(1)];
        while let Some(at) = open.pop() {
            match &self.steps[at] {
                Step::Nothing => {}
                Step::Value(expr) => found.push(expr.value(environment)?),
                Step::Range(low, high) => found.extend(*low..=*high),
                Step::Either(a, b) => open.extend([*b, *a]),
                Step::If(test, a, b) => {
                    open.push(if test.is_true(environment)? { *a } else { *b });
                }
                Step::Undefined(reason) => return Err(*reason),
            }
        }
        Ok(())
    }
}

struct Reader<'e> {
    expressions: &'e Expressions,
    unknown: Unknown,
    truth: bool,
    /// Whether an expression mentions the unknown.
    mentions: HashMap<ExprId, bool>,
    steps: Vec<Step>,
    known: HashMap<ExprId, usize>,
    exact: bool,
    single: bool,
}

impl Reader<'_> {
    fn is_unknown(&self, variable: VarId, next: bool) -> bool {
        self.unknown == Unknown { variable, next }
    }

    /// The expressions that the list consists of, parts first.
    fn shape(&self, constraint: ExprId) -> BTreeSet<ExprId> {
        let mut found = BTreeSet::from([constraint]);
        let mut open = vec![constraint];
        while let Some(id) = open.pop() {
            for part in self.parts(id) {
                if found.insert(part) {
                    open.push(part);
                }
            }
        }
        found
    }

    /// The operands of a node of the list that are lists themselves.
    fn parts(&self, id: ExprId) -> Vec<ExprId> {
        match *self.expressions.node(id) {
            Node::Binary(BinaryOp::Or, a, b) => vec![a, b],
            Node::Conditional(_, a, b) => vec![a, b],
            Node::Binary(BinaryOp::And, a, b) if self.range(id).is_none() => {
                match (self.mentions[&a], self.mentions[&b]) {
                    (false, true) => vec![b],
                    _ => vec![a],
                }
            }
            _ => Vec::new(),
        }
    }

    /// `low <= x & x <= high` with numbers.
    fn range(&self, id: ExprId) -> Option<(i64, i64)> {
        let Node::Binary(BinaryOp::And, a, b) = *self.expressions.node(id) else {
            return None;
        };
        let sides = |id: ExprId| match *self.expressions.node(id) {
            Node::Binary(BinaryOp::Le, a, b) => {
                Some((*self.expressions.node(a), *self.expressions.node(b)))
            }
            _ => None,
        };
        let ((low, x), (y, high)) = (sides(a)?, sides(b)?);
        match (low, high) {
            (Node::Const(low), Node::Const(high))
                if self.is_it(x) && self.is_it(y) && high.saturating_sub(low) < LARGEST_RANGE =>
            {
                Some((low, high))
            }
            _ => None,
        }
    }

    fn is_it(&self, node: Node) -> bool {
        match node {
            Node::Current(variable) => self.is_unknown(variable, false),
            Node::Next(variable) => self.is_unknown(variable, true),
            _ => false,
        }
    }

    fn compile(&self, id: ExprId) -> Compiled {
        Compiled::new(self.expressions, id)
    }

    fn step(&mut self, id: ExprId) -> Option<Step> {
        if let Some((low, high)) = self.range(id) {
            self.single &= low == high;
            return Some(Step::Range(low, high));
        }
        match *self.expressions.node(id) {
            Node::Const(0) => Some(Step::Nothing),
            Node::Undefined(reason) => Some(Step::Undefined(reason)),
            Node::Binary(BinaryOp::Eq, a, b) => {
                let it = |id| self.is_it(*self.expressions.node(id));
                match (it(a) && !self.mentions[&b], it(b) && !self.mentions[&a]) {
                    (true, _) => Some(Step::Value(self.compile(b))),
                    (_, true) => Some(Step::Value(self.compile(a))),
                    _ => None,
                }
            }
            Node::Binary(BinaryOp::Or, a, b) => {
                self.single = false;
                Some(Step::Either(*self.known.get(&a)?, *self.known.get(&b)?))
            }
            Node::Conditional(test, a, b) if !self.mentions[&test] => {
                let (a, b) = (*self.known.get(&a)?, *self.known.get(&b)?);
                Some(Step::If(self.compile(test), a, b))
            }
            Node::Binary(BinaryOp::And, a, b) => {
                let (part, other) = match (self.mentions[&a], self.mentions[&b]) {
                    (false, true) => (b, a),
                    _ => (a, b),
                };
                let part = *self.known.get(&part)?;
                let nothing = self.steps.len();
                self.steps.push(Step::Nothing);
                if self.mentions[&other] {
                    self.exact = false;
                    return Some(Step::Either(part, nothing));
                }
                Some(Step::If(self.compile(other), part, nothing))
            }
            node if self.truth && self.is_it(node) => Some(Step::Range(1, 1)),
            Node::Unary(UnaryOp::Not, a) if self.is_it(*self.expressions.node(a)) => {
                Some(Step::Range(0, 0))
            }
            _ => None,
        }
    }
}
