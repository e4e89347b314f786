//! One step of a formula: what must hold now, what next, and which promises are made.
//!
//! Every LTL formula is equivalent to a boolean combination of propositions (now), `X g` (next),
//! and, for `f U g` put off to the next step, a *promise* that `g` comes:
//! `f U g = g | (f & X (f U g) & promise g)`. The combination is kept as a decision diagram over
//! propositions, next-formulas and promises: the form is canonical, so formulas with the same
//! diagram are the same state (Couvreur, FM'99; Duret-Lutz and Poitrenaud 2004). A run that makes a
//! promise forever is not accepting: mark *g* lies on the edges without that promise.
//!
//! Under `G` an operand is asked again at the next step anyway. So for conjuncts directly below `G`
//! the unfolding of `f U g` drops its `X (f U g)`: `G F p` is one state.
//!
//! A past operator looks at a memory bit of the state: the truth, one step ago, of its operand
//! (`Y`, `Z`) or of itself (the others).

use evenhand_logic::bdd::{Bdd, Bdds};
use evenhand_logic::{AtomId, Binary, FormulaId, Formulas, Node, Unary};
use std::collections::{BTreeMap, HashMap};

/// What a variable of the diagrams beyond the propositions stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Next(FormulaId),
    Promise(u32),
}

/// The truth of past formulas one step ago.
pub(super) type Memory = BTreeMap<FormulaId, bool>;

pub(super) struct Unfolder {
    pub(super) bdds: Bdds,
    atoms: HashMap<AtomId, u32>,
    propositions: u32,
    symbols: Vec<Symbol>,
    next: HashMap<FormulaId, u32>,
    promises: HashMap<FormulaId, u32>,
    promise_count: u32,
    known: HashMap<(FormulaId, bool), Bdd>,
    /// Diagrams that depend on the memory.
    passing: HashMap<(FormulaId, bool), Bdd>,
    memory: Memory,
}

impl Unfolder {
    /// The atoms become the variables `0..atoms.len()` in this order.
    pub(super) fn new(atoms: &[AtomId], node_limit: usize) -> Unfolder {
        Unfolder {
            bdds: Bdds::new(node_limit),
            atoms: atoms.iter().copied().zip(0..).collect(),
            propositions: atoms.len() as u32,
            symbols: Vec::new(),
            next: HashMap::new(),
            promises: HashMap::new(),
            promise_count: 0,
            known: HashMap::new(),
            passing: HashMap::new(),
            memory: Memory::new(),
        }
    }

    /// The number of proposition variables.
    pub(super) fn propositions(&self) -> u32 {
        self.propositions
    }

    /// The number of different promises so far.
    pub(super) fn promise_count(&self) -> usize {
        self.promise_count as usize
    }

    pub(super) fn symbol(&self, variable: u32) -> Option<Symbol> {
        let index = variable.checked_sub(self.propositions)?;
        self.symbols.get(index as usize).copied()
    }

    /// Replaces the memory that past operators see.
    pub(super) fn remember(&mut self, memory: &Memory) {
        if *memory != self.memory {
            self.memory = memory.clone();
            self.passing.clear();
        }
    }

    fn new_symbol(&mut self, symbol: Symbol) -> u32 {
        self.symbols.push(symbol);
        self.propositions + self.symbols.len() as u32 - 1
    }

    fn next_of(&mut self, store: &Formulas, f: FormulaId) -> Bdd {
        match store.node(f) {
            Node::Constant(true) => return Bdd::TRUE,
            Node::Constant(false) => return Bdd::FALSE,
            Node::And(list) => {
                return list.iter().fold(Bdd::TRUE, |all, &g| {
                    let g = self.next_of(store, g);
                    self.bdds.and(all, g)
                });
            }
            _ => {}
        }
        let variable = match self.next.get(&f) {
            Some(&v) => v,
            None => {
                let v = self.new_symbol(Symbol::Next(f));
                self.next.insert(f, v);
                v
            }
        };
        self.bdds.variable(variable)
    }

    fn promise_of(&mut self, goal: FormulaId) -> Bdd {
        let variable = match self.promises.get(&goal) {
            Some(&v) => v,
            None => {
                let v = self.new_symbol(Symbol::Promise(self.promise_count));
                self.promise_count += 1;
                self.promises.insert(goal, v);
                v
            }
        };
        self.bdds.variable(variable)
    }

    /// The diagram of a formula in negation normal form.
    pub(super) fn unfold(&mut self, store: &Formulas, f: FormulaId) -> Bdd {
        self.step(store, f, false)
    }

    /// `recurring`: the formula is asked again at the next step by a `G` around it.
    fn step(&mut self, store: &Formulas, f: FormulaId, recurring: bool) -> Bdd {
        let past = store.properties(f).has_past();
        let table = if past { &self.passing } else { &self.known };
        if let Some(&known) = table.get(&(f, recurring)) {
            return known;
        }
        let result = match store.node(f) {
            Node::Constant(true) => Bdd::TRUE,
            Node::Constant(false) => Bdd::FALSE,
            Node::Atom(a) => match self.atoms.get(a) {
                Some(&v) => self.bdds.variable(v),
                None => Bdd::FALSE,
            },
            Node::Not(g) => {
                let g = self.step(store, *g, false);
                self.bdds.not(g)
            }
            Node::And(list) => {
                let mut all = Bdd::TRUE;
                for &g in list.iter() {
                    let g = self.step(store, g, recurring);
                    all = self.bdds.and(all, g);
                }
                all
            }
            Node::Or(list) => {
                let mut any = Bdd::FALSE;
                for &g in list.iter() {
                    let g = self.step(store, g, false);
                    any = self.bdds.or(any, g);
                }
                any
            }
            Node::Unary(op, g) => self.unary(store, f, *op, *g, recurring),
            Node::Binary(op, g, h) => self.binary(store, f, *op, *g, *h, recurring),
            // Negation normal form without quantifiers: the caller saw to it.
            _ => Bdd::FALSE,
        };
        let table = if past {
            &mut self.passing
        } else {
            &mut self.known
        };
        table.insert((f, recurring), result);
        result
    }

    fn unary(
        &mut self,
        store: &Formulas,
        f: FormulaId,
        op: Unary,
        g: FormulaId,
        recurring: bool,
    ) -> Bdd {
        match op {
            Unary::Next => self.next_of(store, g),
            Unary::Finally => self.binary(store, f, Binary::Until, FormulaId::TRUE, g, recurring),
            Unary::Globally => {
                let now = self.step(store, g, true);
                let later = self.next_of(store, f);
                self.bdds.and(now, later)
            }
            Unary::Yesterday | Unary::WeakYesterday => self.memory_of(f),
            Unary::Once => {
                let (now, before) = (self.step(store, g, false), self.memory_of(f));
                self.bdds.or(now, before)
            }
            Unary::Historically => {
                let (now, before) = (self.step(store, g, false), self.memory_of(f));
                self.bdds.and(now, before)
            }
        }
    }

    fn binary(
        &mut self,
        store: &Formulas,
        f: FormulaId,
        op: Binary,
        g: FormulaId,
        h: FormulaId,
        recurring: bool,
    ) -> Bdd {
        let first = self.step(store, g, false);
        let second = self.step(store, h, false);
        if matches!(op, Binary::Since | Binary::Trigger) {
            let before = self.memory_of(f);
            return match op {
                Binary::Since => {
                    let kept = self.bdds.and(first, before);
                    self.bdds.or(second, kept)
                }
                _ => {
                    let kept = self.bdds.or(first, before);
                    self.bdds.and(second, kept)
                }
            };
        }
        let mut later = match recurring {
            true => Bdd::TRUE,
            false => self.next_of(store, f),
        };
        let goal = match op {
            Binary::Until => Some(h),
            Binary::StrongRelease => Some(g),
            _ => None,
        };
        if let Some(goal) = goal {
            let promise = self.promise_of(goal);
            later = self.bdds.and(later, promise);
        }
        match op {
            Binary::Until | Binary::WeakUntil => {
                let wait = self.bdds.and(first, later);
                self.bdds.or(second, wait)
            }
            _ => {
                let go_on = self.bdds.or(first, later);
                self.bdds.and(second, go_on)
            }
        }
    }

    fn memory_of(&self, f: FormulaId) -> Bdd {
        match self.memory.get(&f) {
            Some(true) => Bdd::TRUE,
            _ => Bdd::FALSE,
        }
    }

    /// What a past formula will find in its memory at the next step, as a function of the letter.
    pub(super) fn memorize(&mut self, store: &Formulas, f: FormulaId) -> Bdd {
        match *store.node(f) {
            Node::Unary(Unary::Yesterday | Unary::WeakYesterday, g) => self.step(store, g, false),
            _ => self.step(store, f, false),
        }
    }
}

/// The past operators in a formula.
pub(super) fn past_parts(store: &Formulas, f: FormulaId) -> Vec<FormulaId> {
    if !store.properties(f).has_past() {
        return Vec::new();
    }
    let mut parts = store.subformulas(f);
    parts.retain(|&g| is_past(store.node(g)));
    parts
}

pub(super) fn is_past(node: &Node) -> bool {
    use Unary::*;
    match node {
        Node::Unary(op, _) => matches!(op, Yesterday | WeakYesterday | Once | Historically),
        Node::Binary(op, ..) => matches!(op, Binary::Since | Binary::Trigger),
        _ => false,
    }
}

/// What past operators find in their memory at the start of a word.
pub(super) fn initial_memory(store: &Formulas, f: FormulaId) -> Memory {
    let weak = |g: FormulaId| {
        matches!(
            store.node(g),
            Node::Unary(Unary::WeakYesterday | Unary::Historically, _)
                | Node::Binary(Binary::Trigger, ..)
        )
    };
    let parts = past_parts(store, f);
    parts.into_iter().map(|g| (g, weak(g))).collect()
}
