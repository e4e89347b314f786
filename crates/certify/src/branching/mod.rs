//! Proofs for formulas of branching time: CTL* with past operators, over fair runs.
//!
//! A quantified part says of each state whether there is a fair run on which the formula under it is true. What
//! is known of inner parts are propositions for the outer ones. For each part the product of the states with the
//! *tableau* of the formula under it is walked (`product`), and for each node it is proved that there is a run from
//! here that counts, or that there is none (`existence`): nodes with the truth say where the part holds. No
//! automaton has to be believed, in neither direction: a word has one run of the tableau that counts, and that
//! tells the truth.
//!
//! The meaning is that of the engines: a part that is not inside of another speaks of runs from their beginning; one
//! inside of another holds in a state if some run from an initial state passes it with the formula true at that
//! moment. `A f` is `!E !f`.
//!
//! What is believed: the system, the tableau, and that states with the same key are the same.

mod existence;
mod graph;
mod product;

use std::collections::{BTreeMap, BTreeSet};

use evenhand_logic::{FormulaId, Formulas, Node, Quantifier};
use evenhand_system::{Formula, PropositionId};

use crate::flaw::{Checked, Failure, Flaw, Refusal};
use crate::simulation::leave_out_dead;
use crate::tableau::{NoTableau, Tableau};
use existence::check_existence;

pub use existence::{Existence, NodeClaim};
pub use graph::{Expansion, Key, StateGraph};
pub use product::{Arrow, Product};

/// How many states a tableau may have.
const MOST_STATES: usize = 1 << 14;

/// A quantified part of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The part.
    pub formula: FormulaId,
    /// Whether it is not inside of another: it is about the beginnings of runs.
    pub is_outermost: bool,
}

/// A formula of which quantified parts become known one after the other.
#[derive(Debug)]
pub struct Branching<'b> {
    graph: &'b StateGraph,
    formula: &'b Formula,
    parts: Vec<Part>,
    /// The states where each part holds, as far as it is known.
    known: Vec<Vec<bool>>,
    checked: Checked,
}

impl<'b> Branching<'b> {
    /// Nothing is known. The parts are in the order in which they are to be proved: inner ones first.
    pub fn new(graph: &'b StateGraph, formula: &'b Formula) -> Branching<'b> {
        let parts = parts(&formula.store, formula.id);
        Branching {
            graph,
            formula,
            parts,
            known: Vec::new(),
            checked: graph.checked(),
        }
    }

    /// The quantified parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The states where a part holds, by place, if it is known; of an outermost part only initial states count.
    pub fn states(&self, part: usize) -> Option<&[bool]> {
        self.known.get(part).map(|set| &set[..])
    }

    /// The product for the first part that is not known; none if all are.
    ///
    /// # Errors
    /// If the formula is too large.
    pub fn product(&self) -> Result<Option<Product<'b>>, Failure<Refusal>> {
        let Some(part) = self.parts.get(self.known.len()) else {
            return Ok(None);
        };
        let store = &*self.formula.store;
        let Node::Path(quantifier, body) = *store.node(part.formula) else {
            return Err(Refusal::Formula.into());
        };
        let columns = self.columns(body)?;
        let proposition = |part: FormulaId| {
            let mut known = columns.iter();
            let place = known.position(|(known, _)| *known == part)?;
            Some(PropositionId(place as u32))
        };
        let tableau = Tableau::of_all(store, &[body], &proposition, MOST_STATES);
        let mut tableau = tableau.map_err(|why| match why {
            NoTableau::TooLarge => Refusal::TooLarge,
            NoTableau::NotLinear | NoTableau::Atom => Refusal::Formula,
        })?;
        // States that are left out for good reason are not missed; if there is none, they stay.
        let _ = leave_out_dead(&mut tableau);
        let letter_of = |tableau: &Tableau, state: u32| {
            let holds = |place: usize| tableau.holds(state as usize, PropositionId(place as u32));
            let places = (0..columns.len()).filter(|&place| holds(place) == Some(true));
            places.fold(0u64, |letter, place| letter | 1 << place)
        };
        let letters = (0..self.graph.len()).map(|state| {
            let bits = columns.iter().enumerate();
            bits.fold(0u64, |letter, (place, (_, column))| {
                letter | u64::from(self.holds(*column, state)) << place
            })
        });
        let letters: Vec<u64> = letters.collect();
        let sought = (body, quantifier == Quantifier::Exists);
        let begins = (sought, part.is_outermost);
        let product = Product::new(self.graph, tableau, &letters, letter_of, begins)?;
        Ok(Some(product))
    }

    /// Checks the proof for the first part that is not known, on its product; then it is known.
    ///
    /// # Errors
    /// What is wrong with it; or why it cannot be checked.
    pub fn learn(
        &mut self,
        proof: &Existence,
        observer: &mut dyn FnMut(&Checked) -> bool,
    ) -> Result<(), Failure<Refusal>> {
        let Some(mut product) = self.product()? else {
            return Err(Flaw::Order.into());
        };
        let part = self.parts[self.known.len()];
        let checked = check_existence(&mut product, proof, observer)?;
        self.checked.nodes += checked.nodes;
        self.checked.edges += checked.edges;
        let is_alive = |node: usize| {
            let claim = proof.nodes.get(node);
            !matches!(claim, None | Some(NodeClaim::Dead(_)))
        };
        let some = product.states_where(is_alive, part.is_outermost);
        let is_all = matches!(
            self.formula.store.node(part.formula),
            Node::Path(Quantifier::All, _)
        );
        let set = some.into_iter().map(|some| some != is_all);
        self.known.push(set.collect());
        Ok(())
    }

    /// Whether the formula holds in each initial state, and what was looked at to see it.
    ///
    /// # Errors
    /// If not all parts are known.
    pub fn truth(&self) -> Result<(Vec<bool>, Checked), Failure<Refusal>> {
        if self.known.len() != self.parts.len() {
            return Err(Flaw::Order.into());
        }
        let initial = self.graph.initial.iter();
        let values = initial.map(|&state| self.value(state as usize));
        let values: Result<Vec<bool>, Refusal> = values.collect();
        Ok((values?, self.checked))
    }

    /// The propositions of the formula under a quantifier: atoms and inner parts.
    fn columns(&self, body: FormulaId) -> Result<Vec<(FormulaId, Column)>, Refusal> {
        let store = &*self.formula.store;
        let mut columns: Vec<(FormulaId, Column)> = Vec::new();
        for part in outside(store, body) {
            match store.node(part) {
                Node::Atom(_) => columns.push((part, self.atom(part)?)),
                Node::Path(..) => {
                    let inner = |p: &Part| p.formula == part && !p.is_outermost;
                    let place = self.parts.iter().position(inner);
                    let place = place.filter(|&place| place < self.known.len());
                    columns.push((part, Column::Part(place.ok_or(Refusal::Formula)?)));
                }
                _ => {}
            }
        }
        match columns.len() > 64 {
            true => Err(Refusal::TooLarge),
            false => Ok(columns),
        }
    }

    fn atom(&self, part: FormulaId) -> Result<Column, Refusal> {
        let Node::Atom(atom) = self.formula.store.node(part) else {
            return Err(Refusal::Formula);
        };
        let proposition = self.formula.atoms.get(atom.index());
        let mut known = self.graph.propositions.iter();
        let place = known.position(|known| Some(known) == proposition);
        Ok(Column::Proposition(place.ok_or(Refusal::Propositions)?))
    }

    fn holds(&self, column: Column, state: usize) -> bool {
        match column {
            Column::Proposition(place) => self.graph.letters[state] >> place & 1 == 1,
            Column::Part(place) => self.known[place][state],
        }
    }

    /// The value of the formula in an initial state: of its parts outside of quantifiers, operands first.
    fn value(&self, state: usize) -> Result<bool, Refusal> {
        let store = &*self.formula.store;
        let mut values: BTreeMap<FormulaId, bool> = BTreeMap::new();
        for part in outside(store, self.formula.id) {
            let of = |f: &FormulaId| values.get(f).copied().ok_or(Refusal::Formula);
            let all = |list: &[FormulaId]| list.iter().map(of).collect::<Result<Vec<bool>, _>>();
            let value = match store.node(part) {
                Node::Constant(value) => *value,
                Node::Atom(_) => self.holds(self.atom(part)?, state),
                Node::Not(f) => !of(f)?,
                Node::And(list) => all(list)?.into_iter().all(|value| value),
                Node::Or(list) => all(list)?.into_iter().any(|value| value),
                Node::Implies(f, g) => !of(f)? || of(g)?,
                Node::Iff(f, g) => of(f)? == of(g)?,
                Node::Xor(f, g) => of(f)? != of(g)?,
                Node::Path(..) => {
                    let outermost = |p: &Part| p.formula == part && p.is_outermost;
                    let place = self.parts.iter().position(outermost);
                    self.known[place.ok_or(Refusal::Formula)?][state]
                }
                Node::Unary(..) | Node::Binary(..) => return Err(Refusal::Formula),
            };
            values.insert(part, value);
        }
        values
            .get(&self.formula.id)
            .copied()
            .ok_or(Refusal::Formula)
    }
}

/// Where a proposition of the formula under a quantifier comes from.
#[derive(Clone, Copy, Debug)]
enum Column {
    /// The place of a proposition of the graph.
    Proposition(usize),
    /// The place of a quantified part.
    Part(usize),
}

/// The parts of a formula that are not under a quantifier, operands first.
fn outside(store: &Formulas, formula: FormulaId) -> Vec<FormulaId> {
    let mut parts = BTreeSet::new();
    let mut todo = vec![formula];
    while let Some(part) = todo.pop() {
        if parts.insert(part) && !matches!(store.node(part), Node::Path(..)) {
            todo.extend(store.node(part).operands());
        }
    }
    parts.into_iter().collect()
}

/// The quantified parts of a formula: those inside of others, operands first, then the others.
fn parts(store: &Formulas, formula: FormulaId) -> Vec<Part> {
    let mut outermost = outside(store, formula);
    outermost.retain(|&part| matches!(store.node(part), Node::Path(..)));
    let mut bodies: Vec<FormulaId> = Vec::new();
    for &part in &outermost {
        bodies.extend(store.node(part).operands());
    }
    let inner = store.subformulas_of(&bodies).into_iter();
    let inner = inner.filter(|&part| matches!(store.node(part), Node::Path(..)));
    let part = |is_outermost: bool| {
        move |formula: FormulaId| Part {
            formula,
            is_outermost,
        }
    };
    let outermost = outermost.into_iter().map(part(true));
    inner.map(part(false)).chain(outermost).collect()
}

/// Whether proofs for all quantified parts, in their order, decide a formula: its value in each initial state.
///
/// # Errors
/// What is wrong with them; or why they cannot be checked.
pub fn check_branching(
    graph: &StateGraph,
    formula: &Formula,
    proofs: &[Existence],
    observer: &mut dyn FnMut(&Checked) -> bool,
) -> Result<(Vec<bool>, Checked), Failure<Refusal>> {
    let mut branching = Branching::new(graph, formula);
    for proof in proofs {
        branching.learn(proof, observer)?;
    }
    branching.truth()
}
