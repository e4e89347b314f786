//! The truth of a formula on a lasso word, straight from the definition.
//!
//! A lasso word is `prefix · cycle · cycle · …`. Future operators are decided by looking along the word,
//! past operators by looking back; nothing is shared with testers or automata: this is the judge of
//! counterexamples and of tests.
//!
//! The truth of a future formula depends on the suffix of the word, so it repeats with the cycle. With
//! past operators it does so only from some point on: one more turn of the cycle may tell a formula
//! more about its past. The depth of nesting bounds the number of turns that matter: if the operands
//! repeat from position *s* on with period *p* (the length of the cycle), the values of a past operator
//! repeat from *s + p* on (its state is one bit that the same period drives: `Y`, `S` and their
//! relatives each map the bit by a monotone function of the letters of a whole turn, and such a
//! function of one bit settles after one turn). So with *n* past operators the prefix is unrolled by
//! *n + 1* turns, and each formula's truth is a finite table. Cost: |f| · (prefix + (n + 1) · cycle)
//! table entries, each found by a walk along the word.

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
            Node::Unary(operator, h) => {
                let h = of(*h);
                at_each(&|t| word.unary(*operator, h, t))
            }
            Node::Binary(operator, h, k) => {
                let (h, k) = (of(*h), of(*k));
                at_each(&|t| word.binary(*operator, h, k, t))
            }
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
    /// The times from `t` on, each different one once: what can be seen looking forward.
    fn forward(&self, t: usize) -> impl Iterator<Item = usize> {
        let turn = self.length - self.cycle;
        (t..self.length).chain(turn..t.max(turn))
    }

    fn successor(&self, t: usize) -> usize {
        match t + 1 < self.length {
            true => t + 1,
            false => self.length - self.cycle,
        }
    }

    fn unary(&self, operator: Unary, f: &[bool], t: usize) -> bool {
        match operator {
            Unary::Next => f[self.successor(t)],
            Unary::Finally => self.forward(t).any(|i| f[i]),
            Unary::Globally => self.forward(t).all(|i| f[i]),
            Unary::Yesterday => t > 0 && f[t - 1],
            Unary::WeakYesterday => t == 0 || f[t - 1],
            Unary::Once => (0..=t).any(|i| f[i]),
            Unary::Historically => (0..=t).all(|i| f[i]),
        }
    }

    fn binary(&self, operator: Binary, f: &[bool], g: &[bool], t: usize) -> bool {
        let until = |times: &mut dyn Iterator<Item = usize>, weak: bool| {
            for i in times {
                if g[i] {
                    return true;
                }
                if !f[i] {
                    return false;
                }
            }
            weak
        };
        let release = |times: &mut dyn Iterator<Item = usize>, weak: bool| {
            for i in times {
                if !g[i] {
                    return false;
                }
                if f[i] {
                    return true;
                }
            }
            weak
        };
        match operator {
            Binary::Until => until(&mut self.forward(t), false),
            Binary::WeakUntil => until(&mut self.forward(t), true),
            Binary::Release => release(&mut self.forward(t), true),
            Binary::StrongRelease => release(&mut self.forward(t), false),
            Binary::Since => until(&mut (0..=t).rev(), false),
            Binary::Trigger => release(&mut (0..=t).rev(), true),
        }
    }
}
