//! Expressions as diagrams.
//!
//! **Problem.** Expressions have numbers, truth values and places without a value; diagrams know
//! truth values only.
//!
//! **Idea.** A number with few values is a list of cases: each value with the set where it is the
//! value. An operator then is applied by the evaluator itself to each pair of cases, so its meaning
//! is that of the evaluator by construction. Where cases would be too many (words, large ranges) a
//! number is a list of bits in two's complement, as long as it must be, and operators are circuits
//! ([`crate::circuit`]). Beside the value goes the set where there is none.
//!
//! **Cost.** Cases: the product of their numbers; circuits: linear in the bits, but products and
//! quotients of two unknown words need diagrams that are exponential in their width. Then the limit
//! of the manager answers.

use std::collections::{BTreeMap, HashMap};

use evenhand_system::relation::{
    BinaryOp, ExprId, Expressions, Node, Sort, UnaryOp, VarId, Word, operate,
};

use crate::circuit;
use crate::coding::{Coding, When};
use crate::manager::{Manager, Outcome, Set};

/// A variable with more values is a list of bits.
const MOST_VALUES: usize = 256;

/// An operator with more pairs of cases is a circuit.
const MOST_PAIRS: usize = 1 << 14;

/// An expression.
#[derive(Clone)]
pub(crate) struct Encoded {
    value: Value,
    /// Where it has no value; no case and no truth there.
    undefined: Set,
}

#[derive(Clone)]
enum Value {
    Truth(Set),
    /// Disjoint sets, values ascending.
    Cases(Vec<(i128, Set)>),
    /// Two's complement, the lowest bit first, the last one is the sign.
    Bits(Vec<Set>),
}

/// A condition: where it is true, and where it has no value.
#[derive(Clone)]
pub(crate) struct Condition {
    pub holds: Set,
    pub undefined: Set,
}

/// Translates expressions, each once.
pub(crate) struct Encoder<'a> {
    manager: &'a Manager,
    coding: &'a Coding,
    expressions: &'a Expressions,
    known: HashMap<ExprId, Encoded>,
}

impl<'a> Encoder<'a> {
    pub fn new(manager: &'a Manager, coding: &'a Coding, expressions: &'a Expressions) -> Self {
        Encoder {
            manager,
            coding,
            expressions,
            known: HashMap::new(),
        }
    }

    /// An expression as a condition.
    pub fn condition(&mut self, expr: ExprId) -> Outcome<Condition> {
        let encoded = self.expression(expr)?;
        Ok(Condition {
            holds: self.truth(&encoded)?,
            undefined: encoded.undefined,
        })
    }

    fn expression(&mut self, expr: ExprId) -> Outcome<Encoded> {
        let mut needed = vec![expr];
        let mut open = vec![expr];
        while let Some(id) = open.pop() {
            for operand in self.needs(id) {
                if !self.known.contains_key(&operand) {
                    open.push(operand);
                    needed.push(operand);
                }
            }
            if needed.len() > 1 << 16 {
                needed.sort_unstable();
                needed.dedup();
            }
        }
        needed.sort_unstable();
        needed.dedup();
        for id in needed {
            // Operands have smaller numbers.
            if !self.known.contains_key(&id) {
                let encoded = self.node(id)?;
                self.known.insert(id, encoded);
            }
        }
        Ok(self.known[&expr].clone())
    }

    /// What must be known to translate a node. A wrapped sum is translated at once, so that it
    /// never gets longer than its word.
    fn needs(&self, id: ExprId) -> Vec<ExprId> {
        match *self.expressions.node(id) {
            Node::Wrap(_, a) => match *self.expressions.node(a) {
                Node::Binary(op, b, c) if wraps(op) => vec![b, c],
                _ => vec![a],
            },
            node => node.operands().collect(),
        }
    }

    fn node(&self, id: ExprId) -> Outcome<Encoded> {
        let m = self.manager;
        let node = *self.expressions.node(id);
        match node {
            Node::Const(value) => Ok(self.defined(Value::Cases(vec![(value.into(), m.yes())]))),
            Node::Current(id) => self.variable(id, When::Now),
            Node::Next(id) => self.variable(id, When::Next),
            Node::Undefined(_) => Ok(Encoded {
                value: Value::Cases(Vec::new()),
                undefined: m.yes(),
            }),
            Node::Unary(UnaryOp::Not, a) => {
                let a = &self.known[&a];
                let value = self.falsehood(a)?;
                Ok(self.like(a, Value::Truth(value)))
            }
            Node::Unary(op, a) => self.unary(node, op, &self.known[&a]),
            Node::Binary(op, a, b) => self.binary(node, op, &self.known[&a], &self.known[&b]),
            Node::Conditional(test, a, b) => {
                self.conditional(&self.known[&test], &self.known[&a], &self.known[&b])
            }
            Node::Wrap(word, a) => match *self.expressions.node(a) {
                Node::Binary(op, b, c) if wraps(op) => {
                    self.wrapped(word, op, &self.known[&b], &self.known[&c])
                }
                _ => self.wrap(word, &self.known[&a]),
            },
        }
    }

    fn defined(&self, value: Value) -> Encoded {
        Encoded {
            value,
            undefined: self.manager.no(),
        }
    }

    fn like(&self, a: &Encoded, value: Value) -> Encoded {
        Encoded {
            value,
            undefined: a.undefined.clone(),
        }
    }

    fn variable(&self, id: VarId, when: When) -> Outcome<Encoded> {
        let m = self.manager;
        let coded = self.coding.variable(id);
        let bits = |m: &Manager| -> Outcome<Vec<Set>> {
            let mut bits: Vec<Set> = Vec::new();
            for level in coded.levels(when) {
                bits.insert(0, m.variable(level)?);
            }
            Ok(bits)
        };
        let value = match &coded.sort {
            Sort::Bool => match coded.levels(when).next() {
                Some(level) => Value::Truth(m.variable(level)?),
                None => Value::Truth(m.no()),
            },
            Sort::Word(word) => {
                let mut bits = bits(m)?;
                // A word of 64 bits without a sign is read as the signed number with the same bits.
                if !word.signed && word.bits < 64 {
                    bits.push(m.no());
                }
                Value::Bits(bits)
            }
            sort => match coded.cases(m, when, MOST_VALUES)? {
                Some(list) => Value::Cases(list.into_iter().map(|(v, s)| (v.into(), s)).collect()),
                None if matches!(sort, Sort::Values(_)) => {
                    let list = coded.cases(m, when, usize::MAX)?.unwrap_or_default();
                    Value::Cases(list.into_iter().map(|(v, s)| (v.into(), s)).collect())
                }
                None => {
                    let mut place = bits(m)?;
                    place.push(m.no());
                    let low = circuit::constant(m, sort.bounds().0.into());
                    Value::Bits(circuit::add(m, &place, &low)?)
                }
            },
        };
        Ok(self.defined(value))
    }

    /// Where a value is true.
    fn truth(&self, a: &Encoded) -> Outcome<Set> {
        let m = self.manager;
        match &a.value {
            Value::Truth(set) => Ok(set.clone()),
            Value::Cases(list) => m.any(list.iter().filter(|(v, _)| *v != 0).map(|(_, s)| s)),
            Value::Bits(bits) => m.minus(&m.any(bits)?, &a.undefined),
        }
    }

    /// Where a value is false.
    fn falsehood(&self, a: &Encoded) -> Outcome<Set> {
        let m = self.manager;
        if let Value::Cases(list) = &a.value {
            return m.any(list.iter().filter(|(v, _)| *v == 0).map(|(_, s)| s));
        }
        let either = m.or(&self.truth(a)?, &a.undefined)?;
        m.not(&either)
    }

    fn cases(&self, a: &Encoded) -> Outcome<Option<Vec<(i128, Set)>>> {
        match &a.value {
            Value::Cases(list) => Ok(Some(list.clone())),
            Value::Truth(set) => Ok(Some(vec![(0, self.falsehood(a)?), (1, set.clone())])),
            Value::Bits(_) => Ok(None),
        }
    }

    /// The cases of two values, if both have some and there are not too many pairs.
    #[expect(clippy::type_complexity, reason = "two lists of cases")]
    fn both_cases(
        &self,
        a: &Encoded,
        b: &Encoded,
    ) -> Outcome<Option<(Vec<(i128, Set)>, Vec<(i128, Set)>)>> {
        Ok(match (self.cases(a)?, self.cases(b)?) {
            (Some(a), Some(b)) if a.len() * b.len() <= MOST_PAIRS => Some((a, b)),
            _ => None,
        })
    }

    fn bits(&self, a: &Encoded) -> Outcome<Vec<Set>> {
        let m = self.manager;
        match &a.value {
            Value::Bits(bits) => Ok(bits.clone()),
            Value::Truth(set) => Ok(vec![set.clone(), m.no()]),
            Value::Cases(list) => circuit::from_cases(m, list),
        }
    }

    /// Collects cases; values without a result are where there is none.
    fn collect(
        &self,
        results: impl IntoIterator<Item = (Option<i128>, Set)>,
        mut undefined: Set,
    ) -> Outcome<Encoded> {
        let m = self.manager;
        let mut cases: BTreeMap<i128, Set> = BTreeMap::new();
        for (value, set) in results {
            match value {
                None => undefined = m.or(&undefined, &set)?,
                Some(value) => {
                    let all = match cases.get(&value) {
                        Some(known) => m.or(known, &set)?,
                        None => set,
                    };
                    cases.insert(value, all);
                }
            }
        }
        Ok(Encoded {
            value: Value::Cases(cases.into_iter().collect()),
            undefined,
        })
    }

    fn unary(&self, node: Node, op: UnaryOp, a: &Encoded) -> Outcome<Encoded> {
        let m = self.manager;
        if let Some(list) = self.cases(a)? {
            let results = list
                .into_iter()
                .map(|(value, set)| (operate(node, [Ok(value), Ok(0), Ok(0)]).ok(), set));
            return self.collect(results, a.undefined.clone());
        }
        let bits = self.bits(a)?;
        let value = match op {
            UnaryOp::Neg => circuit::subtract(m, &circuit::constant(m, 0), &bits)?,
            _ => circuit::complement(m, &bits)?,
        };
        Ok(self.like(a, Value::Bits(value)))
    }

    fn binary(&self, node: Node, op: BinaryOp, a: &Encoded, b: &Encoded) -> Outcome<Encoded> {
        let m = self.manager;
        match op {
            BinaryOp::And => return self.connect(a, b, false),
            BinaryOp::Or => return self.connect(a, b, true),
            BinaryOp::Implies => {
                let not = self.like(a, Value::Truth(self.falsehood(a)?));
                return self.connect(&not, b, true);
            }
            _ => {}
        }
        let undefined = m.or(&a.undefined, &b.undefined)?;
        let truth = |set: &Set| -> Outcome<Encoded> {
            Ok(Encoded {
                value: Value::Truth(m.minus(set, &undefined)?),
                undefined: undefined.clone(),
            })
        };
        if let BinaryOp::Xor | BinaryOp::Iff = op {
            let (a, b) = (self.truth(a)?, self.truth(b)?);
            let differ = m.xor(&a, &b)?;
            return truth(&match op {
                BinaryOp::Xor => differ,
                _ => m.not(&differ)?,
            });
        }
        if let (BinaryOp::Eq | BinaryOp::Ne, Value::Truth(x), Value::Truth(y)) =
            (op, &a.value, &b.value)
        {
            let same = m.equiv(x, y)?;
            return truth(&match op {
                BinaryOp::Eq => same,
                _ => m.not(&same)?,
            });
        }
        if let Some((left, right)) = self.both_cases(a, b)? {
            if let BinaryOp::Eq = op {
                let mut same = m.no();
                for (value, x) in &left {
                    if let Ok(at) = right.binary_search_by_key(value, |(v, _)| *v) {
                        same = m.or(&same, &m.and(x, &right[at].1)?)?;
                    }
                }
                return truth(&same);
            }
            let mut results = Vec::new();
            for (x, s) in &left {
                for (y, t) in &right {
                    let set = m.and(s, t)?;
                    if !m.is_empty(&set) {
                        results.push((operate(node, [Ok(*x), Ok(*y), Ok(0)]).ok(), set));
                    }
                }
            }
            let all = self.collect(results, undefined)?;
            return match op {
                BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                    let set = self.truth(&all)?;
                    Ok(self.like(&all, Value::Truth(set)))
                }
                _ => Ok(all),
            };
        }
        let (x, y) = (self.bits(a)?, self.bits(b)?);
        let number = |bits: Vec<Set>, undefined: Set| Encoded {
            value: Value::Bits(bits),
            undefined,
        };
        match op {
            BinaryOp::Eq => truth(&circuit::equal(m, &x, &y)?),
            BinaryOp::Ne => truth(&m.not(&circuit::equal(m, &x, &y)?)?),
            BinaryOp::Lt => truth(&circuit::less(m, &x, &y)?),
            BinaryOp::Ge => truth(&m.not(&circuit::less(m, &x, &y)?)?),
            BinaryOp::Gt => truth(&circuit::less(m, &y, &x)?),
            BinaryOp::Le => truth(&m.not(&circuit::less(m, &y, &x)?)?),
            BinaryOp::Add => Ok(number(circuit::add(m, &x, &y)?, undefined)),
            BinaryOp::Sub => Ok(number(circuit::subtract(m, &x, &y)?, undefined)),
            BinaryOp::Mul => Ok(number(
                circuit::multiply(m, &x, &y, circuit::LONGEST)?,
                undefined,
            )),
            BinaryOp::Div | BinaryOp::Mod => {
                let zero = m.not(&m.any(&y)?)?;
                let (quotient, remainder) = circuit::divide(m, &x, &y)?;
                let result = if op == BinaryOp::Div {
                    quotient
                } else {
                    remainder
                };
                Ok(number(result, m.or(&undefined, &zero)?))
            }
            BinaryOp::BitAnd => Ok(number(
                circuit::bitwise(&x, &y, |a, b| m.and(a, b))?,
                undefined,
            )),
            BinaryOp::BitOr => Ok(number(
                circuit::bitwise(&x, &y, |a, b| m.or(a, b))?,
                undefined,
            )),
            BinaryOp::BitXor => Ok(number(
                circuit::bitwise(&x, &y, |a, b| m.xor(a, b))?,
                undefined,
            )),
            _ => {
                let left = op == BinaryOp::Shl;
                let (bits, bad) = circuit::shift(m, &x, &y, left)?;
                Ok(number(bits, m.or(&undefined, &bad)?))
            }
        }
    }

    /// Conjunction, or disjunction: one operand that is `by` decides it.
    fn connect(&self, a: &Encoded, b: &Encoded, by: bool) -> Outcome<Encoded> {
        let m = self.manager;
        let (x, y) = (self.truth(a)?, self.truth(b)?);
        let spoilt = m.or(&a.undefined, &b.undefined)?;
        if by {
            let yes = m.or(&x, &y)?;
            return Ok(Encoded {
                undefined: m.minus(&spoilt, &yes)?,
                value: Value::Truth(yes),
            });
        }
        let mut undefined = spoilt;
        if !m.is_empty(&undefined) {
            let no = m.or(&self.falsehood(a)?, &self.falsehood(b)?)?;
            undefined = m.minus(&undefined, &no)?;
        }
        Ok(Encoded {
            value: Value::Truth(m.and(&x, &y)?),
            undefined,
        })
    }

    fn conditional(&self, test: &Encoded, a: &Encoded, b: &Encoded) -> Outcome<Encoded> {
        let m = self.manager;
        let (yes, no) = (self.truth(test)?, self.falsehood(test)?);
        let undefined = m.or(
            &test.undefined,
            &m.if_then_else(&yes, &a.undefined, &b.undefined)?,
        )?;
        if let (Value::Truth(x), Value::Truth(y)) = (&a.value, &b.value) {
            let value = m.or(&m.and(&yes, x)?, &m.and(&no, y)?)?;
            return Ok(Encoded {
                value: Value::Truth(value),
                undefined,
            });
        }
        if let Some((left, right)) = self.both_cases(a, b)? {
            let mut results = Vec::new();
            for (test, list) in [(&yes, left), (&no, right)] {
                for (value, set) in list {
                    let set = m.and(test, &set)?;
                    if !m.is_empty(&set) {
                        results.push((Some(value), set));
                    }
                }
            }
            return self.collect(results, undefined);
        }
        let bits = circuit::bitwise(&self.bits(a)?, &self.bits(b)?, |x, y| {
            m.if_then_else(&yes, x, y)
        })?;
        Ok(Encoded {
            value: Value::Bits(bits),
            undefined,
        })
    }

    fn wrap(&self, word: Word, a: &Encoded) -> Outcome<Encoded> {
        if let Some(list) = self.cases(a)? {
            let results = list.into_iter().map(|(v, set)| (Some(word.wrap(v)), set));
            return self.collect(results, a.undefined.clone());
        }
        let bits = circuit::as_word(self.manager, word, self.bits(a)?);
        Ok(self.like(a, Value::Bits(bits)))
    }

    fn wrapped(&self, word: Word, op: BinaryOp, a: &Encoded, b: &Encoded) -> Outcome<Encoded> {
        let m = self.manager;
        let undefined = m.or(&a.undefined, &b.undefined)?;
        if let Some((left, right)) = self.both_cases(a, b)? {
            let mut results = Vec::new();
            for (x, s) in &left {
                for (y, t) in &right {
                    let set = m.and(s, t)?;
                    let value = match op {
                        BinaryOp::Add => x.wrapping_add(*y),
                        BinaryOp::Sub => x.wrapping_sub(*y),
                        _ => x.wrapping_mul(*y),
                    };
                    results.push((Some(word.wrap(value)), set));
                }
            }
            results.retain(|(_, set)| !m.is_empty(set));
            return self.collect(results, undefined);
        }
        let width = usize::from(word.bits);
        let (x, y) = (self.bits(a)?, self.bits(b)?);
        let (x, y) = (circuit::extended(&x, width), circuit::extended(&y, width));
        let bits = match op {
            BinaryOp::Add => circuit::add(m, &x[..width], &y[..width])?,
            BinaryOp::Sub => circuit::subtract(m, &x[..width], &y[..width])?,
            _ => circuit::multiply(m, &x[..width], &y[..width], width)?,
        };
        Ok(Encoded {
            value: Value::Bits(circuit::as_word(m, word, bits)),
            undefined,
        })
    }
}

fn wraps(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
}
