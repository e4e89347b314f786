//! Temporal formulas, hash-consed.
//!
//! A [`Formulas`] store owns every formula; a [`FormulaId`] names one. Two structurally equal
//! formulas of a store have the same id, so equality is an integer comparison and tables indexed by
//! id share work between common subformulas. A node is made after its operands: **the ids of the
//! operands are always smaller than the id of the formula**, hence "in the order of the ids" is
//! bottom-up, and walks need no recursion.
//!
//! Conjunction and disjunction are n-ary: flat, sorted, without repetitions and without constants.
//! That is the only rewriting the constructors do (besides `!!f = f` and `!true = false`);
//! everything cleverer lives in [`crate::simplify`] and is asked for by name.
//!
//! Constructors do not limit the depth of a formula; the parser does ([`crate::MAX_DEPTH`]).

use crate::properties::Properties;
use std::sync::Arc;

use evenhand_source::spend;

/// A hash map whose behaviour does not depend on a random seed.
pub(crate) use rustc_hash::FxHashMap as Map;

/// A formula of a [`Formulas`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormulaId(pub(crate) u32);

impl FormulaId {
    /// The formula `false`, the same in every store.
    pub const FALSE: FormulaId = FormulaId(0);
    /// The formula `true`, the same in every store.
    pub const TRUE: FormulaId = FormulaId(1);

    /// A dense number, for tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An atomic proposition of a [`Formulas`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub(crate) u32);

impl AtomId {
    /// A dense number, for tables: atoms count from 0 in the order of their first mention.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an atomic proposition is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The name, or the text of the expression.
    pub text: String,
    /// The text is an expression of the host language, read by an [`crate::AtomReader`].
    pub host: bool,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unary {
    /// `X f`: at the next position.
    Next,
    /// `F f`: now or later.
    Finally,
    /// `G f`: now and for ever.
    Globally,
    /// `Y f`: there is a previous position and `f` held there.
    Yesterday,
    /// `Z f`: `f` held at the previous position if there is one.
    WeakYesterday,
    /// `O f`: now or before.
    Once,
    /// `H f`: now and always before.
    Historically,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    /// `f U g`: `g` now or later, `f` until then.
    Until,
    /// `f W g`: `f U g` or `f` for ever.
    WeakUntil,
    /// `f R g`: `g` up to and including the first `f`, for ever if there is none.
    Release,
    /// `f M g`: `f R g` and `f` does come.
    StrongRelease,
    /// `f S g`: `g` now or before, `f` since then.
    Since,
    /// `f T g`: `g` since and including the last `f`, always before if there was none.
    Trigger,
}

/// Path quantifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantifier {
    /// On all (fair) paths.
    All,
    /// On some (fair) path.
    Exists,
}

/// The outermost operator of a formula and its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `true` or `false`.
    Constant(bool),
    /// An atomic proposition.
    Atom(AtomId),
    /// Negation.
    Not(FormulaId),
    /// Conjunction of at least two formulas, sorted.
    And(Arc<[FormulaId]>),
    /// Disjunction of at least two formulas, sorted.
    Or(Arc<[FormulaId]>),
    /// Implication.
    Implies(FormulaId, FormulaId),
    /// Equivalence.
    Iff(FormulaId, FormulaId),
    /// Exclusive disjunction.
    Xor(FormulaId, FormulaId),
    /// A temporal operator with one operand.
    Unary(Unary, FormulaId),
    /// A temporal operator with two operands.
    Binary(Binary, FormulaId, FormulaId),
    /// A path quantifier.
    Path(Quantifier, FormulaId),
}

impl Node {
    /// The operands, from left to right.
    pub fn operands(&self) -> impl Iterator<Item = FormulaId> + '_ {
        let (few, many): ([Option<FormulaId>; 2], &[FormulaId]) = match self {
            Node::Constant(_) | Node::Atom(_) => ([None, None], &[]),
            Node::Not(f) | Node::Unary(_, f) | Node::Path(_, f) => ([Some(*f), None], &[]),
            Node::And(list) | Node::Or(list) => ([None, None], list),
            Node::Implies(f, g) | Node::Iff(f, g) | Node::Xor(f, g) | Node::Binary(_, f, g) => {
                ([Some(*f), Some(*g)], &[])
            }
        };
        few.into_iter().flatten().chain(many.iter().copied())
    }
}

/// The owner of formulas and atoms.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    properties: Vec<Properties>,
    depths: Vec<u32>,
    index: Map<Node, FormulaId>,
    atoms: Vec<Atom>,
    atom_index: Map<Atom, AtomId>,
}

impl Default for Formulas {
    fn default() -> Formulas {
        Formulas::new()
    }
}

impl Formulas {
    /// A store with nothing but `false` and `true`.
    pub fn new() -> Formulas {
        let mut store = Formulas {
            nodes: Vec::new(),
            properties: Vec::new(),
            depths: Vec::new(),
            index: Map::default(),
            atoms: Vec::new(),
            atom_index: Map::default(),
        };
        store.intern(Node::Constant(false));
        store.intern(Node::Constant(true));
        store
    }

    /// The outermost operator of a formula.
    pub fn node(&self, f: FormulaId) -> &Node {
        &self.nodes[f.index()]
    }

    /// What is known about a formula from its shape.
    pub fn properties(&self, f: FormulaId) -> Properties {
        self.properties[f.index()]
    }

    /// The nesting depth: 1 for constants and atoms.
    pub fn depth(&self, f: FormulaId) -> usize {
        self.depths[f.index()] as usize
    }

    /// The number of formulas made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All atoms in the order of their first mention.
    pub fn atoms(&self) -> impl Iterator<Item = (AtomId, &Atom)> {
        self.atoms
            .iter()
            .enumerate()
            .map(|(i, a)| (AtomId(i as u32), a))
    }

    /// An atom by its id.
    pub fn atom_info(&self, atom: AtomId) -> &Atom {
        &self.atoms[atom.index()]
    }

    /// The atoms of one formula, sorted.
    pub fn atoms_of(&self, f: FormulaId) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self
            .subformulas(f)
            .into_iter()
            .filter_map(|g| match self.node(g) {
                Node::Atom(a) => Some(*a),
                _ => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// The subformulas of `f` (itself the last), each once, operands before what they are part of.
    pub fn subformulas(&self, f: FormulaId) -> Vec<FormulaId> {
        self.subformulas_of(&[f])
    }

    /// The subformulas of several formulas, each once, operands first.
    pub fn subformulas_of(&self, roots: &[FormulaId]) -> Vec<FormulaId> {
        let mut seen = std::collections::BTreeSet::new();
        let mut stack = roots.to_vec();
        while let Some(g) = stack.pop() {
            spend();
            if seen.insert(g) {
                stack.extend(self.node(g).operands());
            }
        }
        seen.into_iter().collect()
    }

    fn intern(&mut self, node: Node) -> FormulaId {
        spend();
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = FormulaId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        let depth = 1 + node
            .operands()
            .map(|g| self.depths[g.index()])
            .max()
            .unwrap_or(0);
        let properties = Properties::of(&node, |g| self.properties[g.index()]);
        self.nodes.push(node.clone());
        self.depths.push(depth);
        self.properties.push(properties);
        self.index.insert(node, id);
        id
    }

    /// `true` or `false`.
    pub fn constant(&self, value: bool) -> FormulaId {
        if value {
            FormulaId::TRUE
        } else {
            FormulaId::FALSE
        }
    }

    /// The atom of this name.
    pub fn atom(&mut self, name: &str) -> FormulaId {
        self.intern_atom(Atom {
            text: name.to_string(),
            host: false,
        })
    }

    /// The atom that stands for an expression of the host language.
    pub fn host_atom(&mut self, text: &str) -> FormulaId {
        self.intern_atom(Atom {
            text: text.to_string(),
            host: true,
        })
    }

    /// The formula that consists of a known atom.
    pub fn atom_formula(&mut self, atom: AtomId) -> FormulaId {
        self.intern(Node::Atom(atom))
    }

    fn intern_atom(&mut self, atom: Atom) -> FormulaId {
        let id = match self.atom_index.get(&atom) {
            Some(&id) => id,
            None => {
                let id = AtomId(self.atoms.len() as u32);
                self.atoms.push(atom.clone());
                self.atom_index.insert(atom, id);
                id
            }
        };
        self.intern(Node::Atom(id))
    }

    /// `!f`; double negations cancel.
    pub fn not(&mut self, f: FormulaId) -> FormulaId {
        match *self.node(f) {
            Node::Constant(value) => self.constant(!value),
            Node::Not(g) => g,
            _ => self.intern(Node::Not(f)),
        }
    }

    /// The conjunction of any number of formulas.
    pub fn and(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.junction(true, operands)
    }

    /// The disjunction of any number of formulas.
    pub fn or(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.junction(false, operands)
    }

    fn junction(
        &mut self,
        conjunction: bool,
        operands: impl IntoIterator<Item = FormulaId>,
    ) -> FormulaId {
        let neutral = self.constant(conjunction);
        let absorbing = self.constant(!conjunction);
        let mut list = Vec::new();
        for f in operands {
            match (self.node(f), conjunction) {
                (Node::And(inner), true) | (Node::Or(inner), false) => {
                    list.extend_from_slice(inner)
                }
                _ if f == absorbing => return absorbing,
                _ if f == neutral => {}
                _ => list.push(f),
            }
        }
        list.sort_unstable();
        list.dedup();
        match list[..] {
            [] => neutral,
            [f] => f,
            _ if conjunction => self.intern(Node::And(list.into())),
            _ => self.intern(Node::Or(list.into())),
        }
    }

    /// `f -> g`.
    pub fn implies(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.intern(Node::Implies(f, g))
    }

    /// `f <-> g`.
    pub fn iff(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.intern(Node::Iff(f, g))
    }

    /// `f xor g`.
    pub fn xor(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.intern(Node::Xor(f, g))
    }

    /// A temporal operator applied to one formula.
    pub fn unary(&mut self, operator: Unary, f: FormulaId) -> FormulaId {
        self.intern(Node::Unary(operator, f))
    }

    /// A temporal operator applied to two formulas.
    pub fn binary(&mut self, operator: Binary, f: FormulaId, g: FormulaId) -> FormulaId {
        self.intern(Node::Binary(operator, f, g))
    }

    /// A path quantifier applied to a formula.
    pub fn path(&mut self, quantifier: Quantifier, f: FormulaId) -> FormulaId {
        self.intern(Node::Path(quantifier, f))
    }

    /// `X f`.
    pub fn next(&mut self, f: FormulaId) -> FormulaId {
        self.unary(Unary::Next, f)
    }

    /// `F f`.
    pub fn finally(&mut self, f: FormulaId) -> FormulaId {
        self.unary(Unary::Finally, f)
    }

    /// `G f`.
    pub fn globally(&mut self, f: FormulaId) -> FormulaId {
        self.unary(Unary::Globally, f)
    }

    /// `f U g`.
    pub fn until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.binary(Binary::Until, f, g)
    }
}
