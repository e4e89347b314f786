//! The truth of a formula on a lasso word, straight from the definition.
//!
//! A lasso word is `prefix · cycle · cycle · …`. Future operators are unfolded from the end of the
//! word, past operators from its beginning; nothing is shared with testers or automata: this is the
//! judge of counterexamples and of tests.
//!
//! The truth of a future formula depends on the suffix of the word, so it repeats with the cycle.
//! With past operators it does so only from some point on: one more turn of the cycle may tell a
//! formula more about its past. The depth of nesting bounds the number of turns that matter: if the
//! operands repeat from position *s* on with period *p* (the length of the cycle), the values of a
//! past operator repeat from *s + p* on (its state is one bit that the same period drives: `Y`, `S`
//! and their relatives each map the bit by a monotone function of the letters of a whole turn, and
//! such a function of one bit settles after one turn). So with *n* past operators the prefix is
//! unrolled by *n + 1* turns, and each formula's truth is a finite table. Cost: |f| · (prefix +
//! (n + 1) · cycle).

use crate::formula::{AtomId, Binary, FormulaId, Formulas, Node, Unary};

/// What is the truth of an atom at a position?
pub type Valuation<'a> = &'a dyn Fn(usize, AtomId) -> bool;

/// A word that ends in a cycle, by the number of its positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The number of positions before the cycle.
    pub prefix: usize,
    /// The number of positions on the cycle, at least 1.
    pub cycle: usize,
}

impl Lasso {
    /// The number of different positions.
    pub fn positions(self) -> usize {
        self.prefix + self.cycle
    }

    /// The position of `prefix + cycle` different ones that carries the letter of time `time`.
    pub fn position(self, time: usize) -> usize {
        match time < self.positions() {
            true => time,
            false => self.prefix + (time - self.prefix) % self.cycle,
        }
    }
}

/// The formula has a path quantifier: it has no truth on a single word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLinear;

/// Does the formula hold at the start of the word? `valuation(i, a)` says whether atom `a` holds at
/// position `i`, for `i` below [`Lasso::positions`].
///
/// An empty cycle is no word; it is taken as a cycle of one position.
pub fn evaluate(
    store: &Formulas,
    f: FormulaId,
    lasso: Lasso,
    valuation: Valuation<'_>,
) -> Result<bool, NotLinear> {
    Ok(evaluate_everywhere(store, f, lasso, valuation)?[0])
}

/// The truth of a formula at each time of the prefix and of the first turn of the cycle.
pub fn evaluate_everywhere(
    store: &Formulas,
    f: FormulaId,
    lasso: Lasso,
    valuation: Valuation<'_>,
) -> Result<Vec<bool>, NotLinear> {
    if store.properties(f).has_quantifier() {
        return Err(NotLinear);
    }
    let lasso = Lasso {
        cycle: lasso.cycle.max(1),
        ..lasso
    };
    let parts = store.subformulas(f);
    let pasts = parts.iter().filter(|&&g| is_past(store.node(g))).count();
    let word = Word {
        length: lasso.prefix + (pasts + 1) * lasso.cycle,
        cycle: lasso.cycle,
    };
    let mut tables: Vec<Vec<bool>> = Vec::with_capacity(parts.len());
    for &g in &parts {
        let of = |h: FormulaId| {
            let place = parts.binary_search(&h).unwrap_or_default(); // operands are among the parts
            &tables[place][..]
        };
        let at_each = |truth: &dyn Fn(usize) -> bool| (0..word.length).map(truth).collect();
        let table: Vec<bool> = match store.node(g) {
            Node::Constant(value) => vec![*value; word.length],
            Node::Atom(a) => at_each(&|t| valuation(lasso.position(t), *a)),
            Node::Not(h) => at_each(&|t| !of(*h)[t]),
            Node::And(list) => at_each(&|t| list.iter().all(|&h| of(h)[t])),
            Node::Or(list) => at_each(&|t| list.iter().any(|&h| of(h)[t])),
            Node::Implies(h, k) => at_each(&|t| !of(*h)[t] || of(*k)[t]),
            Node::Iff(h, k) => at_each(&|t| of(*h)[t] == of(*k)[t]),
            Node::Xor(h, k) => at_each(&|t| of(*h)[t] != of(*k)[t]),
            Node::Unary(operator, h) => word.unary(*operator, of(*h)),
            Node::Binary(operator, h, k) => word.binary(*operator, of(*h), of(*k)),
            Node::Path(..) => return Err(NotLinear),
        };
        tables.push(table);
    }
    let mut table = tables.pop().unwrap_or_default();
    table.truncate(lasso.positions());
    Ok(table)
}

fn is_past(node: &Node) -> bool {
    use Unary::*;
    match node {
        Node::Unary(operator, _) => {
            matches!(operator, Yesterday | WeakYesterday | Once | Historically)
        }
        Node::Binary(operator, ..) => matches!(operator, Binary::Since | Binary::Trigger),
        _ => false,
    }
}

/// The unrolled word: `length` times, after the last one comes time `length - cycle` again.
struct Word {
    length: usize,
    cycle: usize,
}

impl Word {
    fn successor(&self, t: usize) -> usize {
        match t + 1 < self.length {
            true => t + 1,
            false => self.length - self.cycle,
        }
    }

    fn unary(&self, operator: Unary, f: &[bool]) -> Vec<bool> {
        let every = &vec![true; self.length][..];
        let never = &vec![false; self.length][..];
        match operator {
            Unary::Next => (0..self.length).map(|t| f[self.successor(t)]).collect(),
            Unary::Finally => self.binary(Binary::Until, every, f),
            Unary::Globally => self.binary(Binary::Release, never, f),
            Unary::Yesterday => (0..self.length).map(|t| t > 0 && f[t - 1]).collect(),
            Unary::WeakYesterday => (0..self.length).map(|t| t == 0 || f[t - 1]).collect(),
            Unary::Once => self.binary(Binary::Since, every, f),
            Unary::Historically => self.binary(Binary::Trigger, never, f),
        }
    }

    fn binary(&self, operator: Binary, f: &[bool], g: &[bool]) -> Vec<bool> {
        let until = |t: usize, then: bool| g[t] || f[t] && then;
        let release = |t: usize, then: bool| g[t] && (f[t] || then);
        match operator {
            Binary::Until => self.backward(until, false),
            Binary::WeakUntil => self.backward(until, true),
            Binary::Release => self.backward(release, true),
            Binary::StrongRelease => self.backward(release, false),
            Binary::Since => self.forward(until, false),
            Binary::Trigger => self.forward(release, true),
        }
    }

    /// Values that follow from those one time later; `promise` is the value of a promise that is
    /// put off for ever. One turn of the cycle shows whether that happens, a second one gives the
    /// values.
    fn backward(&self, value: impl Fn(usize, bool) -> bool, promise: bool) -> Vec<bool> {
        let mut table = vec![promise; self.length];
        let turn = self.length - self.cycle;
        for _ in 0..2 {
            let mut next = table[turn];
            for t in (turn..self.length).rev() {
                next = value(t, next);
                table[t] = next;
            }
        }
        for t in (0..turn).rev() {
            table[t] = value(t, table[t + 1]);
        }
        table
    }

    /// Values that follow from those one time earlier, beginning with `start`.
    fn forward(&self, value: impl Fn(usize, bool) -> bool, start: bool) -> Vec<bool> {
        let mut last = start;
        let next = |t| {
            last = value(t, last);
            last
        };
        (0..self.length).map(next).collect()
    }
}
