//! Does one formula imply another? By syntax, soundly and incompletely.
//!
//! `f` implies `g` if on every word and at every position where `f` holds, `g` holds. Between
//! boolean formulas the answer is exact (by decision diagrams); between temporal ones the rules
//! below follow the structure of both, using that an eventual formula absorbs "later" on its left
//! and a universal one "from now on" on its right (Somenzi and Bloem 2000, extended). A yes is a
//! proof; a no says nothing. Answers are remembered, so the cost is at most quadratic in the number
//! of subformulas. Formulas deeper than a fixed bound are only compared for equality.

use crate::bdd::{Bdd, Bdds};
use crate::formula::{Binary, FormulaId, Formulas, Map, Node, Unary};
use crate::normal::Normalizer;

const MAX_DEPTH: usize = 150;
const MAX_NODES: usize = 1 << 18;

/// Remembers implications and the diagrams of boolean formulas.
#[derive(Clone)]
pub(crate) struct Implications {
    known: Map<(FormulaId, FormulaId), bool>,
    diagrams: Map<FormulaId, Bdd>,
    pub(crate) bdds: Bdds,
}

impl Default for Implications {
    fn default() -> Implications {
        Implications {
            known: Map::default(),
            diagrams: Map::default(),
            bdds: Bdds::new(MAX_NODES),
        }
    }
}

impl Implications {
    /// Does `f` imply `!g`? Both in negation normal form.
    pub(crate) fn excludes(
        &mut self,
        store: &mut Formulas,
        normal: &mut Normalizer,
        f: FormulaId,
        g: FormulaId,
    ) -> bool {
        let negation = normal.normal_form(store, g, true);
        self.implies(store, f, negation)
    }

    /// Does `f` imply `g`? Both in negation normal form.
    pub(crate) fn implies(&mut self, store: &Formulas, f: FormulaId, g: FormulaId) -> bool {
        if f == g || f == FormulaId::FALSE || g == FormulaId::TRUE {
            return true;
        }
        if f == FormulaId::TRUE || g == FormulaId::FALSE {
            // Only what the simplifier did not see would be missed.
            return false;
        }
        if store.depth(f) > MAX_DEPTH || store.depth(g) > MAX_DEPTH {
            return false;
        }
        if let Some(&answer) = self.known.get(&(f, g)) {
            return answer;
        }
        self.known.insert((f, g), false);
        let answer = self.decide(store, f, g);
        self.known.insert((f, g), answer);
        answer
    }

    fn decide(&mut self, store: &Formulas, f: FormulaId, g: FormulaId) -> bool {
        let (p, q) = (store.properties(f), store.properties(g));
        if p.is_boolean() && q.is_boolean() {
            let (f, g) = (self.diagram(store, f), self.diagram(store, g));
            let answer = self.bdds.implies(f, g);
            return answer && !self.bdds.overflowed();
        }
        let (left, right) = (store.node(f), store.node(g));
        // Exact decompositions first: nothing is lost by committing to them.
        if let Node::Or(list) = left {
            return list.iter().all(|&h| self.implies(store, h, g));
        }
        if let Node::And(list) = right {
            return list.iter().all(|&h| self.implies(store, f, h));
        }
        if let Node::Or(list) = right
            && list.iter().any(|&h| self.implies(store, f, h))
        {
            return true;
        }
        if let Node::And(list) = left
            && list.iter().any(|&h| self.implies(store, h, g))
        {
            return true;
        }
        self.by_left(store, left, g) || self.by_right(store, f, right)
    }

    /// What the outermost operator of the left side allows.
    fn by_left(&mut self, store: &Formulas, left: &Node, g: FormulaId) -> bool {
        let eventual = store.properties(g).is_eventual();
        match (left, store.node(g)) {
            (Node::Unary(Unary::Next, a), Node::Unary(Unary::Next, b)) => {
                self.implies(store, *a, *b)
            }
            (Node::Unary(Unary::Next | Unary::Finally, a), _) => {
                eventual && self.implies(store, *a, g)
            }
            (Node::Unary(Unary::Globally, a), _) => self.implies(store, *a, g),
            (Node::Unary(Unary::Historically, a), _) => self.implies(store, *a, g),
            (Node::Unary(Unary::Yesterday | Unary::Once, a), Node::Unary(Unary::Once, _)) => {
                self.implies(store, *a, g)
            }
            (Node::Unary(a, h), Node::Unary(b, k)) if a == b && is_past(*a) => {
                self.implies(store, *h, *k)
            }
            (Node::Binary(op, a, b), other) => {
                let (a, b) = (*a, *b);
                if let Node::Binary(op2, c, d) = other
                    && pointwise(*op, *op2)
                    && self.implies(store, a, *c)
                    && self.implies(store, b, *d)
                {
                    return true;
                }
                match op {
                    Binary::Until => {
                        (eventual || self.implies(store, a, g)) && self.implies(store, b, g)
                    }
                    Binary::WeakUntil => self.implies(store, a, g) && self.implies(store, b, g),
                    Binary::Release => self.implies(store, b, g),
                    Binary::StrongRelease => {
                        self.implies(store, b, g) || (eventual && self.implies(store, a, g))
                    }
                    Binary::Since => self.implies(store, a, g) && self.implies(store, b, g),
                    Binary::Trigger => self.implies(store, b, g),
                }
            }
            _ => false,
        }
    }

    /// What the outermost operator of the right side allows.
    fn by_right(&mut self, store: &Formulas, f: FormulaId, right: &Node) -> bool {
        let universal = store.properties(f).is_universal();
        match right {
            Node::Unary(Unary::Next | Unary::Globally, b) => {
                universal && self.implies(store, f, *b)
            }
            Node::Unary(Unary::Finally | Unary::Once, b) => self.implies(store, f, *b),
            Node::Binary(Binary::Until | Binary::Since, _, d) => self.implies(store, f, *d),
            Node::Binary(Binary::WeakUntil, c, d) => {
                self.implies(store, f, *d) || (universal && self.implies(store, f, *c))
            }
            Node::Binary(Binary::Release, c, d) => {
                self.implies(store, f, *d) && (universal || self.implies(store, f, *c))
            }
            Node::Binary(Binary::StrongRelease | Binary::Trigger, c, d) => {
                self.implies(store, f, *c) && self.implies(store, f, *d)
            }
            _ => false,
        }
    }

    /// The diagram of a boolean formula, over the atoms by number.
    pub(crate) fn diagram(&mut self, store: &Formulas, f: FormulaId) -> Bdd {
        if let Some(&known) = self.diagrams.get(&f) {
            return known;
        }
        for g in store.subformulas(f) {
            if self.diagrams.contains_key(&g) {
                continue;
            }
            let of = |h: &FormulaId| self.diagrams.get(h).copied().unwrap_or(Bdd::FALSE);
            let bdd = match store.node(g) {
                Node::Constant(true) => Bdd::TRUE,
                Node::Constant(false) => Bdd::FALSE,
                Node::Atom(a) => self.bdds.variable(a.index() as u32),
                Node::Not(h) => {
                    let h = of(h);
                    self.bdds.not(h)
                }
                Node::And(list) => {
                    let parts: Vec<Bdd> = list.iter().map(of).collect();
                    parts
                        .into_iter()
                        .fold(Bdd::TRUE, |sum, h| self.bdds.and(sum, h))
                }
                Node::Or(list) => {
                    let parts: Vec<Bdd> = list.iter().map(of).collect();
                    parts
                        .into_iter()
                        .fold(Bdd::FALSE, |sum, h| self.bdds.or(sum, h))
                }
                // Not in negation normal form, or not boolean: never asked.
                _ => Bdd::FALSE,
            };
            self.diagrams.insert(g, bdd);
        }
        self.diagrams.get(&f).copied().unwrap_or(Bdd::FALSE)
    }
}

fn is_past(operator: Unary) -> bool {
    use Unary::*;
    matches!(operator, Yesterday | WeakYesterday | Once | Historically)
}

/// Does `a op b` imply `c op2 d` whenever `a` implies `c` and `b` implies `d`?
fn pointwise(op: Binary, op2: Binary) -> bool {
    use Binary::*;
    op == op2 || matches!((op, op2), (Until, WeakUntil) | (StrongRelease, Release))
}
