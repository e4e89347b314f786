//! Expressions as circuits.
//!
//! **Problem.** Expressions have numbers, truth values, and places without a value; a solver knows
//! truth values only.
//!
//! **Idea.** A condition is a literal, a number a row of them ([`crate::number`]). Beside the value goes a
//! literal that says where there is none (a division by zero, a `case` without a matching condition); there the value
//! is anything. What is defined everywhere has the constant there, which costs nothing. The meaning of each
//! operator is that of `evenhand_system::relation::operate`, which the tests hold it against.
//!
//! **Cost.** Linear in the bits; products and quotients of two unknown numbers are quadratic, and hard for solvers.

use batsat::Lit;
use evenhand_system::relation::{BinaryOp, ExprId, Expressions, Node, UnaryOp, Word};
use rustc_hash::FxHashMap;

use crate::coding::Coded;
use crate::gates::Gates;
use crate::number::{self, Number};
use crate::solver::Outcome;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    value: Value,
    /// Where it has no value.
    undefined: Lit,
}

#[derive(Clone, Debug)]
enum Value {
    Truth(Lit),
    Number(Number),
}

/// A condition: where it is true, where it is false; nowhere else it has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub yes: Lit,
    pub no: Lit,
}

/// The expressions that are known at a position.
pub(crate) type Memo = FxHashMap<ExprId, Encoded>;

/// Translates expressions between two positions.
pub(crate) struct Encoder<'a> {
    pub g: &'a mut Gates,
    pub expressions: &'a Expressions,
    pub now: &'a [Coded],
    /// None where the next position is not there: no expression mentions it then.
    pub next: Option<&'a [Coded]>,
    pub memo: &'a mut Memo,
}

impl Encoder<'_> {
    /// An expression as a condition.
    pub fn condition(&mut self, expr: ExprId) -> Outcome<Condition> {
        let encoded = self.expression(expr)?;
        let truth = self.truth(&encoded);
        Ok(Condition {
            yes: self.g.and(truth, !encoded.undefined),
            no: self.g.and(!truth, !encoded.undefined),
        })
    }

    /// An expression as a number; anything where it has no value.
    pub fn value(&mut self, expr: ExprId) -> Outcome<Number> {
        let encoded = self.expression(expr)?;
        Ok(self.number(&encoded))
    }

    fn expression(&mut self, expr: ExprId) -> Outcome<Encoded> {
        let mut open = vec![expr];
        while let Some(&id) = open.last() {
            let before = open.len();
            if !self.memo.contains_key(&id) {
                let needed = self.needs(id).into_iter().flatten();
                open.extend(needed.filter(|operand| !self.memo.contains_key(operand)));
            }
            if open.len() > before {
                continue;
            }
            if !self.memo.contains_key(&id) {
                let encoded = self.node(id)?;
                self.memo.insert(id, encoded);
            }
            open.pop();
        }
        Ok(self.memo[&expr].clone())
    }

    /// What must be known first. A wrapped sum is translated at once: it never gets longer than its word.
    fn needs(&self, id: ExprId) -> [Option<ExprId>; 3] {
        let node = match *self.expressions.node(id) {
            Node::Wrap(_, a) if wraps(self.expressions.node(a)) => *self.expressions.node(a),
            node => node,
        };
        let mut list = node.operands();
        [list.next(), list.next(), list.next()]
    }

    fn node(&mut self, id: ExprId) -> Outcome<Encoded> {
        let of = |id: ExprId| self.memo[&id].clone();
        match *self.expressions.node(id) {
            Node::Const(value) => {
                let value = Value::Number(number::constant(self.g, value.into()));
                Ok(self.defined(value))
            }
            Node::Current(id) => Ok(self.variable(&self.now[id.0 as usize])),
            Node::Next(id) => Ok(match self.next {
                Some(next) => self.variable(&next[id.0 as usize]),
                None => self.nothing(),
            }),
            Node::Undefined(_) => Ok(self.nothing()),
            Node::Unary(op, a) => self.unary(op, &of(a)),
            Node::Binary(op, a, b) => self.binary(op, &of(a), &of(b)),
            Node::Conditional(test, a, b) => {
                let (test, a, b) = (of(test), of(a), of(b));
                Ok(self.conditional(&test, &a, &b))
            }
            Node::Wrap(word, a) => match *self.expressions.node(a) {
                Node::Binary(op, b, c) if wraps(self.expressions.node(a)) => {
                    self.wrapped(word, op, &of(b), &of(c))
                }
                _ => {
                    let a = of(a);
                    let value = number::wrap(self.g, word, &self.number(&a));
                    Ok(Encoded {
                        value: Value::Number(value),
                        ..a
                    })
                }
            },
        }
    }

    fn defined(&self, value: Value) -> Encoded {
        Encoded {
            value,
            undefined: self.g.no(),
        }
    }

    fn nothing(&self) -> Encoded {
        Encoded {
            value: Value::Truth(self.g.no()),
            undefined: self.g.yes(),
        }
    }

    fn variable(&self, coded: &Coded) -> Encoded {
        self.defined(Value::Number(coded.value.clone()))
    }

    fn truth(&mut self, a: &Encoded) -> Lit {
        match &a.value {
            Value::Truth(truth) => *truth,
            Value::Number(bits) => number::truth(self.g, bits),
        }
    }

    fn number(&self, a: &Encoded) -> Number {
        match &a.value {
            Value::Truth(truth) => vec![*truth, self.g.no()],
            Value::Number(bits) => bits.clone(),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Encoded) -> Outcome<Encoded> {
        let value = match op {
            UnaryOp::Not => Value::Truth(!self.truth(a)),
            UnaryOp::Neg => Value::Number(number::negate(self.g, &self.number(a))?),
            UnaryOp::Complement => Value::Number(number::complement(&self.number(a))),
        };
        Ok(Encoded {
            value,
            undefined: a.undefined,
        })
    }

    fn binary(&mut self, op: BinaryOp, a: &Encoded, b: &Encoded) -> Outcome<Encoded> {
        let truths = matches!(
            op,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Xor | BinaryOp::Iff
        );
        if truths {
            let (x, y) = (self.truth(a), self.truth(b));
            let (x, y) = ((x, a.undefined), (y, b.undefined));
            return Ok(self.connect(op, x, y));
        }
        let (x, y) = (self.number(a), self.number(b));
        let g = &mut *self.g;
        let mut undefined = g.or(a.undefined, b.undefined);
        let value = match op {
            BinaryOp::Eq => Value::Truth(number::equal(g, &x, &y)),
            BinaryOp::Ne => Value::Truth(!number::equal(g, &x, &y)),
            BinaryOp::Lt => Value::Truth(number::less(g, &x, &y)),
            BinaryOp::Ge => Value::Truth(!number::less(g, &x, &y)),
            BinaryOp::Gt => Value::Truth(number::less(g, &y, &x)),
            BinaryOp::Le => Value::Truth(!number::less(g, &y, &x)),
            BinaryOp::Add => Value::Number(number::add(g, &x, &y)?),
            BinaryOp::Sub => Value::Number(number::subtract(g, &x, &y)?),
            BinaryOp::Mul => Value::Number(number::multiply(g, &x, &y)?),
            BinaryOp::Div | BinaryOp::Mod => {
                let (quotient, rest) = number::divide(g, &x, &y)?;
                let divisor = number::truth(g, &y);
                undefined = g.or(undefined, !divisor);
                Value::Number(if op == BinaryOp::Div { quotient } else { rest })
            }
            BinaryOp::BitAnd => Value::Number(number::bitwise(g, &x, &y, Gates::and)),
            BinaryOp::BitOr => Value::Number(number::bitwise(g, &x, &y, Gates::or)),
            BinaryOp::BitXor => Value::Number(number::bitwise(g, &x, &y, Gates::xor)),
            _ => {
                let (bits, bad) = number::shift(g, &x, &y, op == BinaryOp::Shl)?;
                undefined = g.or(undefined, bad);
                Value::Number(bits)
            }
        };
        Ok(Encoded { value, undefined })
    }

    /// A logical operator: of two operands one may decide it alone.
    fn connect(&mut self, op: BinaryOp, (x, x_bad): (Lit, Lit), (y, y_bad): (Lit, Lit)) -> Encoded {
        let g = &mut *self.g;
        let spoilt = g.or(x_bad, y_bad);
        let (value, undefined) = match op {
            BinaryOp::Xor => (g.xor(x, y), spoilt),
            BinaryOp::Iff => (g.iff(x, y), spoilt),
            _ => {
                // All are a conjunction, with operands and result negated as needed.
                let (x, y, sign) = match op {
                    BinaryOp::And => (x, y, false),
                    BinaryOp::Or => (!x, !y, true),
                    _ => (x, !y, true),
                };
                let (x_no, y_no) = (g.and(!x, !x_bad), g.and(!y, !y_bad));
                let decided = g.or(x_no, y_no);
                (g.and(x, y) ^ sign, g.and(spoilt, !decided))
            }
        };
        Encoded {
            value: Value::Truth(value),
            undefined,
        }
    }

    fn conditional(&mut self, test: &Encoded, a: &Encoded, b: &Encoded) -> Encoded {
        let truth = self.truth(test);
        let value = match (&a.value, &b.value) {
            (Value::Truth(x), Value::Truth(y)) => Value::Truth(self.g.choice(truth, *x, *y)),
            _ => {
                let (x, y) = (self.number(a), self.number(b));
                Value::Number(number::choice(self.g, truth, &x, &y))
            }
        };
        let chosen = self.g.choice(truth, a.undefined, b.undefined);
        let undefined = self.g.or(test.undefined, chosen);
        Encoded { value, undefined }
    }

    fn wrapped(&mut self, word: Word, op: BinaryOp, a: &Encoded, b: &Encoded) -> Outcome<Encoded> {
        let (x, y) = (self.number(a), self.number(b));
        let width = usize::from(word.bits);
        let g = &mut *self.g;
        let low = |x: &[Lit]| -> Number { (0..width).map(|at| x[at.min(x.len() - 1)]).collect() };
        let (x, y) = (low(&x), low(&y));
        let bits = match op {
            BinaryOp::Add => number::add(g, &x, &y)?,
            BinaryOp::Sub => number::subtract(g, &x, &y)?,
            _ => number::product(g, &x, &y, width),
        };
        let value = Value::Number(number::wrap(g, word, &bits));
        let undefined = g.or(a.undefined, b.undefined);
        Ok(Encoded { value, undefined })
    }
}

/// Whether words wrap the operation itself around.
fn wraps(node: &Node) -> bool {
    matches!(
        node,
        Node::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
    )
}
