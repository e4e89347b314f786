//! Simplification: an equivalent formula that is smaller, or that translates to a smaller
//! automaton.
//!
//! Each formula is rebuilt bottom-up from simplified operands by one *smart constructor* per
//! operator, which looks at the outermost operators of its operands only. Three kinds of rules:
//! plain equivalences (`F (f U g) = F g`), eventual and universal operands (`f U e = e`,
//! `u W f = u | f`; see [`crate::Properties`]), and implications between operands (`f U g = g` if
//! `f` implies `g`). The rules for half of the operators are enough: the other half are their
//! duals, reached by negating operands and result. Passes are repeated until nothing changes, with
//! a bound.
//!
//! Sources: Somenzi and Bloem 2000; Etessami and Holzmann 2000; the collection in Spot's "tl"
//! document. Every rule is exercised by the random tests against [`crate::evaluate`]. All rules are
//! position-wise equivalences, so they hold below and above past operators too.
//!
//! The result is in negation normal form.

use evenhand_source::spend;

use crate::formula::{Binary, FormulaId, Formulas, Map, Node, Unary};
use crate::implication::Implications;
use crate::normal::Normalizer;

const MAX_PASSES: usize = 6;

/// Simplifies formulas of one store; remembers what it has seen.
#[derive(Clone, Default)]
pub struct Simplifier {
    pub(crate) normal: Normalizer,
    pub(crate) implications: Implications,
    done: Map<FormulaId, FormulaId>,
    passed: Map<FormulaId, FormulaId>,
}

/// Simplifies one formula; for several of a store a [`Simplifier`] remembers common parts.
pub fn simplify(store: &mut Formulas, f: FormulaId) -> FormulaId {
    Simplifier::default().simplify(store, f)
}

impl Simplifier {
    /// An equivalent formula in negation normal form.
    pub fn simplify(&mut self, store: &mut Formulas, f: FormulaId) -> FormulaId {
        if let Some(&known) = self.done.get(&f) {
            return known;
        }
        let mut current = self.normal.normal_form(store, f, false);
        for _ in 0..MAX_PASSES {
            let next = self.pass(store, current);
            if next == current {
                break;
            }
            current = next;
        }
        self.done.insert(f, current);
        self.done.insert(current, current);
        current
    }

    /// The negation of a formula in negation normal form, again in that form.
    pub fn negate(&mut self, store: &mut Formulas, f: FormulaId) -> FormulaId {
        self.normal.normal_form(store, f, true)
    }

    /// Is there a proof by syntax that `f` implies `g`?
    pub fn implies(&mut self, store: &mut Formulas, f: FormulaId, g: FormulaId) -> bool {
        let f = self.normal.normal_form(store, f, false);
        let g = self.normal.normal_form(store, g, false);
        self.implications.implies(store, f, g)
    }

    fn pass(&mut self, store: &mut Formulas, f: FormulaId) -> FormulaId {
        let mut todo = vec![f];
        let mut parts = std::collections::BTreeSet::new();
        while let Some(g) = todo.pop() {
            spend();
            if !self.passed.contains_key(&g) && parts.insert(g) {
                todo.extend(store.node(g).operands());
            }
        }
        for g in parts {
            let result = match store.node(g).clone() {
                Node::And(list) => {
                    let list = list.iter().map(|h| self.of(*h)).collect();
                    self.and(store, list)
                }
                Node::Or(list) => {
                    let list = list.iter().map(|h| self.of(*h)).collect();
                    self.or(store, list)
                }
                Node::Unary(op, h) => {
                    let h = self.of(h);
                    self.unary(store, op, h)
                }
                Node::Binary(op, h, k) => {
                    let (h, k) = (self.of(h), self.of(k));
                    self.binary(store, op, h, k)
                }
                Node::Path(q, h) => {
                    let h = self.of(h);
                    store.path(q, h)
                }
                _ => g,
            };
            self.passed.insert(g, result);
        }
        self.of(f)
    }

    fn of(&self, f: FormulaId) -> FormulaId {
        self.passed.get(&f).copied().unwrap_or(f)
    }

    pub(crate) fn known_implies(&mut self, store: &Formulas, f: FormulaId, g: FormulaId) -> bool {
        self.implications.implies(store, f, g)
    }

    /// Is `f | g` valid, by syntax?
    pub(crate) fn covers(&mut self, store: &mut Formulas, f: FormulaId, g: FormulaId) -> bool {
        let negation = self.negate(store, f);
        self.implications.implies(store, negation, g)
    }

    /// The disjunction of simplified formulas, by duality.
    pub(crate) fn or(&mut self, store: &mut Formulas, list: Vec<FormulaId>) -> FormulaId {
        let list = list.into_iter().map(|f| self.negate(store, f)).collect();
        let f = self.and(store, list);
        self.negate(store, f)
    }

    /// A temporal operator applied to a simplified formula.
    pub(crate) fn unary(&mut self, store: &mut Formulas, op: Unary, f: FormulaId) -> FormulaId {
        let constant = matches!(store.node(f), Node::Constant(_));
        let properties = store.properties(f);
        match op {
            _ if constant && !matches!(op, Unary::Yesterday | Unary::WeakYesterday) => f,
            Unary::Next => self.next(store, f),
            Unary::Finally => self.finally(store, f),
            Unary::Globally => {
                let negation = self.negate(store, f);
                let dual = self.finally(store, negation);
                self.negate(store, dual)
            }
            Unary::Once if properties.is_universal() && !properties.has_future() => f,
            Unary::Historically if properties.is_eventual() && !properties.has_future() => f,
            Unary::Yesterday if f == FormulaId::FALSE => f,
            Unary::WeakYesterday if f == FormulaId::TRUE => f,
            _ => store.unary(op, f),
        }
    }

    /// A temporal operator applied to simplified formulas.
    pub(crate) fn binary(
        &mut self,
        store: &mut Formulas,
        op: Binary,
        f: FormulaId,
        g: FormulaId,
    ) -> FormulaId {
        match op {
            Binary::Until => self.until(store, f, g),
            Binary::WeakUntil => self.weak_until(store, f, g),
            Binary::Release | Binary::StrongRelease => {
                let (f, g) = (self.negate(store, f), self.negate(store, g));
                let dual = match op {
                    Binary::Release => self.until(store, f, g),
                    _ => self.weak_until(store, f, g),
                };
                self.negate(store, dual)
            }
            Binary::Since => match (f, g) {
                (_, FormulaId::FALSE | FormulaId::TRUE) => g,
                (FormulaId::FALSE, _) => g,
                (FormulaId::TRUE, _) => self.unary(store, Unary::Once, g),
                _ if self.known_implies(store, f, g) => g,
                _ => store.binary(op, f, g),
            },
            Binary::Trigger => {
                let (f, g) = (self.negate(store, f), self.negate(store, g));
                let dual = self.binary(store, Binary::Since, f, g);
                self.negate(store, dual)
            }
        }
    }

    fn next(&mut self, store: &mut Formulas, f: FormulaId) -> FormulaId {
        if store.properties(f).is_suspendable() {
            return f;
        }
        let (conjunction, list) = match store.node(f) {
            Node::And(list) => (true, list.to_vec()),
            Node::Or(list) => (false, list.to_vec()),
            _ => return store.next(f),
        };
        let (still, moving) = split(list, |g| store.properties(g).is_suspendable());
        if still.is_empty() {
            return store.next(f);
        }
        let rest = self.junction(store, conjunction, moving);
        let later = self.next(store, rest);
        let mut all = still;
        all.push(later);
        self.junction(store, conjunction, all)
    }

    /// The conjunction or disjunction of simplified formulas, simplified.
    pub fn junction(
        &mut self,
        store: &mut Formulas,
        conjunction: bool,
        list: Vec<FormulaId>,
    ) -> FormulaId {
        match conjunction {
            true => self.and(store, list),
            false => self.or(store, list),
        }
    }

    fn finally(&mut self, store: &mut Formulas, f: FormulaId) -> FormulaId {
        if store.properties(f).is_eventual() {
            return f;
        }
        match store.node(f).clone() {
            Node::Unary(Unary::Next, g) => {
                let g = self.finally(store, g);
                self.next(store, g)
            }
            Node::Binary(Binary::Until, _, g) => self.finally(store, g),
            Node::Binary(Binary::StrongRelease, g, h) => {
                let both = self.and(store, vec![g, h]);
                self.finally(store, both)
            }
            Node::Binary(Binary::WeakUntil, g, h) => {
                let always = self.unary(store, Unary::Globally, g);
                let (a, b) = (self.finally(store, always), self.finally(store, h));
                self.or(store, vec![a, b])
            }
            Node::Binary(Binary::Release, g, h) => {
                let both = self.and(store, vec![g, h]);
                let always = self.unary(store, Unary::Globally, h);
                let (a, b) = (self.finally(store, both), self.finally(store, always));
                self.or(store, vec![a, b])
            }
            Node::Unary(Unary::Globally, g) => self.finally_globally(store, g),
            Node::And(list) => {
                let (still, moving) =
                    split(list.to_vec(), |g| store.properties(g).is_suspendable());
                if still.is_empty() {
                    return store.finally(f);
                }
                let rest = self.and(store, moving);
                let later = self.finally(store, rest);
                let mut all = still;
                all.push(later);
                self.and(store, all)
            }
            Node::Or(list) => {
                let (apart, rest) = split(list.to_vec(), |g| {
                    let properties = store.properties(g);
                    properties.is_eventual() || properties.is_universal()
                });
                if apart.is_empty() {
                    return store.finally(f);
                }
                let rest = self.or(store, rest);
                let mut all: Vec<FormulaId> =
                    apart.into_iter().map(|g| self.finally(store, g)).collect();
                all.push(self.finally(store, rest));
                self.or(store, all)
            }
            _ => store.finally(f),
        }
    }

    /// `F G g`: from some point on `g`, so one step more or less does not count.
    fn finally_globally(&mut self, store: &mut Formulas, g: FormulaId) -> FormulaId {
        let apart = |store: &Formulas, h: FormulaId| {
            let properties = store.properties(h);
            properties.is_universal() || properties.is_eventual()
        };
        if let Node::Or(list) = store.node(g).clone() {
            // F G (f | u) = F G f | F u, since u stays true once it is;
            // F G (f | e) = F G f | G e, since e stays false once it is.
            let (special, rest) = split(list.to_vec(), |h| apart(store, h));
            if !special.is_empty() {
                let rest = self.or(store, rest);
                let always = self.unary(store, Unary::Globally, rest);
                let mut all = vec![self.finally(store, always)];
                for h in special {
                    all.push(match store.properties(h).is_universal() {
                        true => self.finally(store, h),
                        false => self.unary(store, Unary::Globally, h),
                    });
                }
                return self.or(store, all);
            }
        }
        if let Node::And(list) = store.node(g).clone() {
            // F G (f & g) = F G f & F G g, where one of the two has the form above.
            let (special, rest) = split(list.to_vec(), |h| match store.node(h) {
                Node::Or(inner) => inner.iter().any(|&k| apart(store, k)),
                _ => apart(store, h),
            });
            if !special.is_empty() {
                let rest = self.and(store, rest);
                let mut all = Vec::new();
                for h in special.into_iter().chain([rest]) {
                    let always = self.unary(store, Unary::Globally, h);
                    all.push(self.finally(store, always));
                }
                return self.and(store, all);
            }
        }
        let list = match store.node(g) {
            Node::And(list) => list.to_vec(),
            _ => vec![g],
        };
        let mut changed = false;
        let mut parts = Vec::new();
        for h in list {
            match *store.node(h) {
                Node::Unary(Unary::Next, k) => {
                    changed = true;
                    parts.push(k);
                }
                _ => parts.push(h),
            }
        }
        if changed {
            let body = self.and(store, parts);
            let always = self.unary(store, Unary::Globally, body);
            return self.finally(store, always);
        }
        let always = store.globally(g);
        store.finally(always)
    }
}

/// Those with the property, and the others.
pub(crate) fn split(
    list: Vec<FormulaId>,
    mut property: impl FnMut(FormulaId) -> bool,
) -> (Vec<FormulaId>, Vec<FormulaId>) {
    list.into_iter().partition(|&f| property(f))
}
