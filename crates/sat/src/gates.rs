//! Gates: a literal for each conjunction, difference, choice and majority of literals.
//!
//! A gate is a new literal with clauses that make it equal to its function (Tseitin). Constants and equal
//! operands are folded away, signs are moved out, and equal gates are one literal, so that steps that
//! share an expression share its clauses.

use batsat::Lit;
use rustc_hash::FxHashMap;

use crate::solver::Solver;

/// A function of literals.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Choice(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// A solver with gates.
pub(crate) struct Gates {
    pub solver: Solver,
    known: FxHashMap<Gate, Lit>,
}

impl Gates {
    pub fn new(solver: Solver) -> Gates {
        Gates {
            solver,
            known: FxHashMap::default(),
        }
    }

    pub fn yes(&self) -> Lit {
        self.solver.yes()
    }

    pub fn no(&self) -> Lit {
        !self.solver.yes()
    }

    pub fn constant(&self, value: bool) -> Lit {
        self.yes() ^ !value
    }

    /// The value, if it is a constant.
    pub fn known(&self, a: Lit) -> Option<bool> {
        (a.var() == self.yes().var()).then(|| a == self.yes())
    }

    /// The literal of a gate, and whether it is new.
    fn gate(&mut self, gate: Gate) -> (Lit, bool) {
        if let Some(&known) = self.known.get(&gate) {
            return (known, false);
        }
        let new = self.solver.fresh();
        self.known.insert(gate, new);
        (new, true)
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == b {
            return a;
        }
        if a == !b {
            return self.no();
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.known(x) {
                Some(true) => return y,
                Some(false) => return x,
                None => {}
            }
        }
        let (c, is_new) = self.gate(Gate::And(a, b));
        if is_new {
            self.solver.clause(&[!c, a]);
            self.solver.clause(&[!c, b]);
            self.solver.clause(&[c, !a, !b]);
        }
        c
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let sign = a.sign() != b.sign();
        let (a, b) = (a ^ !a.sign(), b ^ !b.sign());
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == b {
            return self.constant(sign);
        }
        // A constant has the first variable; it is true without its sign.
        if self.known(a).is_some() {
            return b ^ !sign;
        }
        let (c, is_new) = self.gate(Gate::Xor(a, b));
        if is_new {
            self.solver.clause(&[!c, a, b]);
            self.solver.clause(&[!c, !a, !b]);
            self.solver.clause(&[c, !a, b]);
            self.solver.clause(&[c, a, !b]);
        }
        c ^ sign
    }

    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `a` if the test is true, otherwise `b`.
    pub fn choice(&mut self, test: Lit, a: Lit, b: Lit) -> Lit {
        if !test.sign() {
            return self.choice(!test, b, a);
        }
        if a == b || self.known(test) == Some(true) {
            return a;
        }
        if a == !b {
            return self.iff(test, a);
        }
        if a == test || self.known(a) == Some(true) {
            return self.or(test, b);
        }
        if a == !test || self.known(a) == Some(false) {
            return self.and(!test, b);
        }
        if b == test || self.known(b) == Some(false) {
            return self.and(test, a);
        }
        if b == !test || self.known(b) == Some(true) {
            return self.or(!test, a);
        }
        let sign = !a.sign();
        let (a, b) = (a ^ sign, b ^ sign);
        let (c, is_new) = self.gate(Gate::Choice(test, a, b));
        if is_new {
            self.solver.clause(&[!test, !c, a]);
            self.solver.clause(&[!test, c, !a]);
            self.solver.clause(&[test, !c, b]);
            self.solver.clause(&[test, c, !b]);
            self.solver.clause(&[!c, a, b]);
            self.solver.clause(&[c, !a, !b]);
        }
        c ^ sign
    }

    /// At least two of three: the carry of an addition.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut list = [a, b, c];
        list.sort_unstable();
        let [a, b, c] = list;
        // Equal or opposite literals have the same variable, and so stand beside each other.
        if a == b || b == !c {
            return if a == b { b } else { a };
        }
        if b == c || a == !b {
            return c;
        }
        match self.known(a) {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => {}
        }
        let (m, is_new) = self.gate(Gate::Majority(a, b, c));
        if is_new {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                self.solver.clause(&[m, !x, !y]);
                self.solver.clause(&[!m, x, y]);
            }
        }
        m
    }

    /// All of some.
    pub fn all(&mut self, list: &[Lit]) -> Lit {
        let mut kept: Vec<Lit> = Vec::with_capacity(list.len());
        for &a in list {
            match self.known(a) {
                Some(true) => {}
                Some(false) => return self.no(),
                None => kept.push(a),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        if kept.windows(2).any(|pair| pair[0] == !pair[1]) {
            return self.no();
        }
        match kept[..] {
            [] => self.yes(),
            [a] => a,
            [a, b] => self.and(a, b),
            _ => {
                let c = self.solver.fresh();
                for &a in &kept {
                    self.solver.clause(&[!c, a]);
                }
                kept.iter_mut().for_each(|a| *a = !*a);
                kept.push(c);
                self.solver.clause(&kept);
                c
            }
        }
    }

    /// One of some.
    pub fn any(&mut self, list: &[Lit]) -> Lit {
        let negated: Vec<Lit> = list.iter().map(|&a| !a).collect();
        !self.all(&negated)
    }
}
