//! Expressions over current and next variables, kept in one arena.
//!
//! A node names its operands by number and they always come before it, so an expression is a graph
//! without cycles whose equal parts are one node: definitions that are used often are stored once
//! and an engine translates each node once. Nothing here recurses over an expression, so deep
//! nesting is no danger.

use std::collections::{BTreeSet, HashMap};

use evenhand_source::spend;

use super::evaluate::Undefined;

/// A variable of a relation, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// An expression, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(u32);

/// The type of a machine word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    /// Whether the highest bit is the sign.
    pub signed: bool,
    /// How many bits it has.
    pub bits: u16,
}

impl Word {
    /// Whether it has 1 to 64 bits.
    pub fn is_supported(self) -> bool {
        (1..=64).contains(&self.bits)
    }

    /// The least and the greatest value of a variable. A word of 64 bits without a sign is kept as
    /// the signed number with the same bits; an expression that reads such a variable wraps it.
    pub fn bounds(self) -> (i64, i64) {
        let bits = u32::from(self.bits.clamp(1, 64));
        match (self.signed, bits) {
            (true, _) | (false, 64) => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
            (false, _) => (0, (1 << bits) - 1),
        }
    }

    /// The word with the same low bits.
    pub fn wrap(self, value: i128) -> i128 {
        let shift = 128 - u32::from(self.bits.clamp(1, 64));
        if self.signed {
            (value << shift) >> shift
        } else {
            ((value as u128) << shift >> shift) as i128
        }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Logical negation.
    Not,
    /// Arithmetic negation.
    Neg,
    /// Bitwise complement.
    Complement,
}

/// Operators with two operands. Division goes towards zero; the remainder has the dividend's sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
}

/// One node of an expression. A truth value is 0 or 1; any other number counts as true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number.
    Const(i64),
    /// The value of a variable now.
    Current(VarId),
    /// The value of a variable in the next state.
    Next(VarId),
    /// An operator applied to one operand.
    Unary(UnaryOp, ExprId),
    /// An operator applied to two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// The second if the first is true, otherwise the third.
    Conditional(ExprId, ExprId, ExprId),
    /// The low bits of an integer as a word. Additions, subtractions, products and shifts of words
    /// are those of integers, wrapped.
    Wrap(Word, ExprId),
    /// No value, for a reason: what a `case` without a matching condition is.
    Undefined(Undefined),
}

impl Node {
    /// The operands.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> {
        let [a, b, c] = match *self {
            Node::Const(_) | Node::Current(_) | Node::Next(_) | Node::Undefined(_) => [None; 3],
            Node::Unary(_, a) | Node::Wrap(_, a) => [Some(a), None, None],
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Conditional(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        a.into_iter().chain(b).chain(c)
    }

    /// The same node with other operands.
    pub fn map(self, to: impl Fn(ExprId) -> ExprId) -> Node {
        match self {
            Node::Const(_) | Node::Current(_) | Node::Next(_) | Node::Undefined(_) => self,
            Node::Unary(op, a) => Node::Unary(op, to(a)),
            Node::Wrap(word, a) => Node::Wrap(word, to(a)),
            Node::Binary(op, a, b) => Node::Binary(op, to(a), to(b)),
            Node::Conditional(a, b, c) => Node::Conditional(to(a), to(b), to(c)),
        }
    }
}

/// All expressions of a relation; equal ones are one.
#[derive(Clone, Debug, Default)]
pub struct Expressions {
    nodes: Vec<Node>,
    known: HashMap<Node, ExprId>,
}

impl Expressions {
    /// The number of a node, which is added if it is new. Its operands must be of this arena.
    pub fn add(&mut self, node: Node) -> ExprId {
        spend();
        debug_assert!(node.operands().all(|operand| self.contains(operand)));
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let id = ExprId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.known.insert(node, id);
        id
    }

    /// A number.
    pub fn constant(&mut self, value: i64) -> ExprId {
        self.add(Node::Const(value))
    }

    /// The value of a variable now.
    pub fn current(&mut self, variable: VarId) -> ExprId {
        self.add(Node::Current(variable))
    }

    /// The value of a variable in the next state.
    pub fn next(&mut self, variable: VarId) -> ExprId {
        self.add(Node::Next(variable))
    }

    /// Logical negation.
    pub fn not(&mut self, operand: ExprId) -> ExprId {
        self.add(Node::Unary(UnaryOp::Not, operand))
    }

    /// An operator applied to two operands.
    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.add(Node::Binary(op, left, right))
    }

    /// Equality.
    pub fn equal(&mut self, left: ExprId, right: ExprId) -> ExprId {
        self.binary(BinaryOp::Eq, left, right)
    }

    /// The conjunction of all; true if there are none.
    pub fn all(&mut self, list: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.fold(BinaryOp::And, 1, list)
    }

    /// The disjunction of all; false if there are none.
    pub fn any(&mut self, list: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.fold(BinaryOp::Or, 0, list)
    }

    fn fold(
        &mut self,
        op: BinaryOp,
        neutral: i64,
        list: impl IntoIterator<Item = ExprId>,
    ) -> ExprId {
        let mut list = list.into_iter();
        let Some(first) = list.next() else {
            return self.constant(neutral);
        };
        list.fold(first, |left, right| self.binary(op, left, right))
    }

    /// Whether a value is one of some: `x in {a, b}`.
    pub fn member(&mut self, value: ExprId, set: impl IntoIterator<Item = ExprId>) -> ExprId {
        let tests: Vec<ExprId> = set.into_iter().map(|e| self.equal(value, e)).collect();
        self.any(tests)
    }

    /// Whether a number names an expression of this arena.
    pub fn contains(&self, expr: ExprId) -> bool {
        (expr.0 as usize) < self.nodes.len()
    }

    /// A node.
    pub fn node(&self, expr: ExprId) -> &Node {
        &self.nodes[expr.0 as usize]
    }

    /// The nodes that an expression consists of, operands first.
    pub fn closure(&self, expr: ExprId) -> Vec<ExprId> {
        let mut found = BTreeSet::from([expr]);
        let mut queue = vec![expr];
        while let Some(id) = queue.pop() {
            let new = self.node(id).operands().filter(|&o| found.insert(o));
            queue.extend(new);
        }
        found.into_iter().collect() // operands have smaller numbers
    }

    /// The variables whose current value an expression mentions, and those whose next value.
    pub fn support(&self, expr: ExprId) -> (BTreeSet<VarId>, BTreeSet<VarId>) {
        let (mut current, mut next) = (BTreeSet::new(), BTreeSet::new());
        for id in self.closure(expr) {
            match *self.node(id) {
                Node::Current(variable) => current.insert(variable),
                Node::Next(variable) => next.insert(variable),
                _ => false,
            };
        }
        (current, next)
    }

    /// The conjuncts of an expression.
    pub fn conjuncts(&self, expr: ExprId) -> Vec<ExprId> {
        let mut list = Vec::new();
        let mut queue = vec![expr];
        while let Some(id) = queue.pop() {
            match *self.node(id) {
                Node::Binary(BinaryOp::And, left, right) => queue.extend([right, left]),
                _ => list.push(id),
            }
        }
        list
    }

    /// The same condition on the next state: current variables become next ones.
    pub fn primed(&mut self, expr: ExprId) -> ExprId {
        let source = self.clone_closure(expr);
        self.copy(source, |node| match node {
            Node::Current(variable) => Node::Next(variable),
            other => other,
        })
    }

    /// Copies an expression of another arena, with its variables numbered anew.
    pub fn import(
        &mut self,
        from: &Expressions,
        expr: ExprId,
        to: impl Fn(VarId) -> VarId,
    ) -> ExprId {
        self.copy(from.clone_closure(expr), |node| match node {
            Node::Current(variable) => Node::Current(to(variable)),
            Node::Next(variable) => Node::Next(to(variable)),
            other => other,
        })
    }

    fn clone_closure(&self, expr: ExprId) -> Vec<(ExprId, Node)> {
        let closure = self.closure(expr).into_iter();
        closure.map(|id| (id, *self.node(id))).collect()
    }

    /// Adds changed copies of nodes, operands first; the copy of the last one.
    fn copy(&mut self, nodes: Vec<(ExprId, Node)>, change: impl Fn(Node) -> Node) -> ExprId {
        let mut copies: HashMap<ExprId, ExprId> = HashMap::new();
        let mut last = ExprId(0);
        for (id, node) in nodes {
            last = self.add(change(node).map(|operand| copies[&operand]));
            copies.insert(id, last);
        }
        last
    }
}
