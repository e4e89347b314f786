//! LTL to transition-based generalized Büchi automata, small ones.
//!
//! The way of a formula: it is simplified ([`evenhand_logic::simplify`]); fairness-shaped conjuncts
//! are set aside as marks (`fairness.rs`); past operators over the future are separated
//! (`past.rs`); the rest is unfolded step by step into a graph whose states are formulas
//! (`unfold.rs`, `tableau.rs`); useless states and marks go (`components.rs`), states that simulate
//! each other are merged (`simulate.rs`); a disjunction of many parts is a union of their graphs
//! (`parts.rs`); if the language is an obligation, the minimal weak
//! deterministic automaton competes (`obligation.rs`). The smallest result is written out as an
//! [`Automaton`].
//!
//! ```
//! use evenhand_automata::translate::{Options, translate};
//! use evenhand_logic::{Formulas, Spelling, parse};
//! let mut store = Formulas::new();
//! let f = parse(&mut store, "G (p -> F q)", Spelling::Any).unwrap();
//! let translation = translate(&mut store, f, &Options::default()).unwrap();
//! assert_eq!(translation.automaton.state_count(), 2);
//! ```

mod always;
mod components;
mod compose;
mod fairness;
mod graph;
mod marking;
mod obligation;
mod parts;
mod past;
mod prepare;
mod simulate;
mod stutter;
mod tableau;
mod unfold;

use crate::{Automaton, LimitExceeded};
use components::{Placement, clean_marks, trim};
use evenhand_logic::bdd::Bdds;
use evenhand_logic::{AtomId, FormulaId, Formulas, Node, Simplifier, Unary};
use fairness::extract;
use graph::Graph;
use marking::Marking;
pub use parts::disjuncts;
use simulate::{Direction, merge_transient, reduce};
use std::fmt;
pub use stutter::is_stutter_invariant;
pub use tableau::Limits;
use unfold::Unfolder;

/// What kind of automaton is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Generalized Büchi marks on edges, nothing else.
    GeneralizedBuchi,
    /// Fairness-shaped conjuncts become conditional marks and Streett pairs.
    Streett {
        /// `FG p` becomes a pair whose grant never comes. Otherwise it stays in the formula: all
        /// such conjuncts together at most double the number of states, and there is no pair for
        /// them.
        persistence: bool,
        /// A boolean condition that is not a disjunction of literals becomes a proposition of its
        /// own. Otherwise it splits edges.
        derived: bool,
    },
}

/// How to translate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What kind of automaton.
    pub target: Target,
    /// What it may cost.
    pub limits: Limits,
    /// Make the automaton small: simulation, minimal weak automata.
    pub reduce: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            target: Target::GeneralizedBuchi,
            limits: Limits::default(),
            reduce: true,
        }
    }
}

impl Options {
    /// Fairness as marks and pairs; `FG p` by states, edges split where needed.
    pub fn streett() -> Options {
        Options {
            target: Target::Streett {
                persistence: false,
                derived: false,
            },
            ..Options::default()
        }
    }
}

/// An automaton and what its propositions are.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The automaton; its propositions are named as the atoms are.
    pub automaton: Automaton,
    /// The boolean formula that each proposition stands for: an atom, unless
    /// [derived](Target::Streett::derived).
    pub propositions: Vec<FormulaId>,
}

/// Why there is no automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// The formula has a path quantifier.
    NotLinear,
    /// It would become too large.
    Limit(LimitExceeded),
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslateError::NotLinear => {
                write!(f, "the formula has path quantifiers: it is CTL*, not LTL")
            }
            TranslateError::Limit(limit) => write!(f, "the automaton is too large: {limit}"),
        }
    }
}

impl std::error::Error for TranslateError {}

impl From<LimitExceeded> for TranslateError {
    fn from(limit: LimitExceeded) -> TranslateError {
        TranslateError::Limit(limit)
    }
}

/// The automaton of the words that satisfy a formula.
///
/// The store grows by what the translation makes of the formula.
pub fn translate(
    store: &mut Formulas,
    f: FormulaId,
    options: &Options,
) -> Result<Translation, TranslateError> {
    if store.properties(f).has_quantifier() {
        return Err(TranslateError::NotLinear);
    }
    let name = evenhand_logic::print(store, f, evenhand_logic::Spelling::Spot);
    let atoms = store.atoms_of(f);
    let mut propositions: Vec<FormulaId> = atoms.iter().map(|&a| store.atom_formula(a)).collect();
    let mut simplifier = Simplifier::default();
    let simple = simplifier.simplify(store, f);
    let (fairness, rest) = match options.target {
        Target::GeneralizedBuchi => (Vec::new(), simple),
        Target::Streett { persistence, .. } => extract(store, simple, persistence),
    };
    let mut job = Job {
        simplifier,
        options,
        atoms,
    };
    let (mut graph, mut bdds) = job.graph(store, rest)?;
    let derived = matches!(options.target, Target::Streett { derived: true, .. });
    let marking = Marking::new(store, fairness, &mut propositions, derived);
    let split = marking.split_edges(store, &job.atoms, &mut graph, &mut bdds)?;
    let props = propositions.iter().map(|&p| prop_name(store, p)).collect();
    let mut builder = graph.to_builder(&mut bdds, props);
    builder.name = Some(name);
    marking.finish(graph.marks - split, &mut builder);
    if bdds.overflowed() {
        return Err(job.too_many_nodes().into());
    }
    Ok(Translation {
        automaton: builder.build(),
        propositions,
    })
}

fn prop_name(store: &Formulas, p: FormulaId) -> String {
    match store.node(p) {
        Node::Atom(a) => store.atom_info(*a).text.clone(),
        _ => evenhand_logic::print(store, p, evenhand_logic::Spelling::Any),
    }
}

/// Beyond this many states parts are not tried.
const MAX_COMPOSED: usize = 64;

struct Job<'a> {
    simplifier: Simplifier,
    options: &'a Options,
    /// The atoms of the formula: the variables of labels in this order.
    atoms: Vec<AtomId>,
}

impl Job<'_> {
    fn too_many_nodes(&self) -> LimitExceeded {
        LimitExceeded {
            what: "nodes of decision diagrams in the translation",
            limit: self.options.limits.nodes,
        }
    }

    /// The smallest graph found for a simplified formula, and the owner of its labels.
    fn graph(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
    ) -> Result<(Graph, Bdds), LimitExceeded> {
        let mut bdds = Bdds::new(self.options.limits.nodes);
        let parts = parts::several(store, f).unwrap_or_default();
        let are_many = parts.len() > parts::MANY;
        let union = match parts.is_empty() {
            true => None,
            false => parts::union(self, store, parts, &mut bdds)?,
        };
        let best = match union {
            Some(union) if are_many => union,
            union => {
                let mut best = self.alone(store, f, &mut bdds)?;
                if self.options.reduce && !store.properties(f).has_past() {
                    best = self.by_parts(store, f, best, &mut bdds)?;
                }
                match union {
                    Some(union) => smaller(best, union),
                    None => best,
                }
            }
        };
        if bdds.overflowed() {
            return Err(self.too_many_nodes());
        }
        Ok((best, bdds))
    }

    /// The graph of a simplified formula from one tableau, or without one where that is large and something smaller is
    /// known.
    fn alone(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        bdds: &mut Bdds,
    ) -> Result<Graph, LimitExceeded> {
        let Some(known) = self.sometimes(store, f, bdds)? else {
            return self.whole(store, f, bdds);
        };
        let limits = self.beside(&known);
        match self.whole_within(store, f, limits, bdds) {
            Ok(whole) => Ok(leaner(whole, known, bdds)),
            Err(_) => Ok(known),
        }
    }

    /// What the tableau of a formula may cost of which a graph is known.
    fn beside(&self, known: &Graph) -> Limits {
        Limits {
            states: 4 * known.state_count() + 64,
            edges: 64 * known.state_count() + 512,
            ..self.options.limits
        }
    }

    /// The graph of `G F g` from that of a guarantee `g`, if it is one.
    fn sometimes(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        bdds: &mut Bdds,
    ) -> Result<Option<Graph>, LimitExceeded> {
        let Node::Unary(Unary::Globally, eventual) = *store.node(f) else {
            return Ok(None);
        };
        let properties = store.properties(eventual);
        let is_meant = properties.is_guarantee() && properties.is_eventual();
        if !self.options.reduce || !is_meant || properties.has_past() {
            return Ok(None);
        }
        let g = match *store.node(eventual) {
            Node::Unary(Unary::Finally, g) => g,
            _ => eventual,
        };
        if store.properties(g).is_boolean() {
            return Ok(None);
        }
        let found = self.whole(store, g, bdds)?;
        let again = compose::sometimes(&found, bdds);
        Ok(again.map(|again| shrink(trim(&again), bdds)))
    }

    /// The graph of a simplified formula from one tableau.
    fn whole(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        bdds: &mut Bdds,
    ) -> Result<Graph, LimitExceeded> {
        self.whole_within(store, f, self.options.limits, bdds)
    }

    fn whole_within(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        limits: Limits,
        bdds: &mut Bdds,
    ) -> Result<Graph, LimitExceeded> {
        let (prepared, hidden) = match store.properties(f).has_past() {
            true => past::separate(store, f),
            false => (prepare::gather(store, f), Vec::new()),
        };
        let raw = self.raw(store, prepared, &hidden, limits, bdds)?;
        if !self.options.reduce {
            return Ok(trim(&raw));
        }
        let best = shrink(trim(&raw), bdds);
        match self.obligation(store, f, &best, bdds) {
            Some(weak) if weak.state_count() <= best.state_count() => {
                Ok(clean_marks(&weak, Placement::Sparse, bdds))
            }
            _ => Ok(best),
        }
    }

    /// Tries to do better than `best` by graphs of parts of the formula.
    fn by_parts(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        best: Graph,
        bdds: &mut Bdds,
    ) -> Result<Graph, LimitExceeded> {
        let states = best.state_count();
        if states <= 2 || states > MAX_COMPOSED {
            return Ok(best);
        }
        let (conjunction, list) = match store.node(f).clone() {
            Node::And(list) => (true, list),
            Node::Or(list) => (false, list),
            Node::Unary(Unary::Globally, g) => {
                let properties = store.properties(g);
                let mut best = best;
                if properties.is_obligation() {
                    let found = self.whole(store, g, bdds)?;
                    let weak = self.obligation(store, g, &found, bdds);
                    let limit = 4 * states + 16;
                    if let Some(always) = weak.and_then(|weak| always::always(&weak, limit, bdds)) {
                        best = leaner(best, shrink(trim(&always), bdds), bdds);
                    }
                }
                if !properties.is_guarantee() || !properties.is_eventual() {
                    return Ok(best);
                }
                let found = self.whole(store, g, bdds)?;
                let found = self.obligation(store, g, &found, bdds);
                return Ok(match found.and_then(|found| compose::again(&found, bdds)) {
                    Some(again) => smaller(best, shrink(trim(&again), bdds)),
                    None => best,
                });
            }
            _ => return Ok(best),
        };
        let (easy, hard): (Vec<FormulaId>, Vec<FormulaId>) = list
            .iter()
            .partition(|&&g| store.properties(g).is_obligation());
        if easy.is_empty() || hard.is_empty() {
            return Ok(best);
        }
        let mut parts = Vec::new();
        for list in [easy, hard] {
            let part = self.simplifier.junction(store, conjunction, list);
            parts.push(self.whole(store, part, bdds)?);
        }
        let composed = match conjunction {
            true => compose::product(&parts[0], &parts[1], 16 * states + 16, bdds),
            false => compose::union(&parts),
        };
        Ok(match composed {
            Some(graph) => smaller(best, shrink(trim(&graph), bdds)),
            None => best,
        })
    }

    /// The tableau of a formula; labels go to `bdds`.
    fn raw(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        hidden: &[AtomId],
        limits: Limits,
        bdds: &mut Bdds,
    ) -> Result<Graph, LimitExceeded> {
        let mut variables = self.atoms.clone();
        variables.extend(hidden);
        let numbers: Vec<u32> = (self.atoms.len() as u32..variables.len() as u32).collect();
        let mut unfolder = Unfolder::new(&variables, 0);
        std::mem::swap(&mut unfolder.bdds, bdds);
        let simplifier = &mut self.simplifier;
        let raw = tableau::tableau(store, simplifier, &mut unfolder, f, &numbers, limits);
        std::mem::swap(&mut unfolder.bdds, bdds);
        raw
    }

    /// The minimal weak deterministic automaton of the formula, if it is an obligation.
    fn obligation(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        graph: &Graph,
        bdds: &mut Bdds,
    ) -> Option<Graph> {
        let limit = 4 * graph.state_count() + 16;
        if store.properties(f).is_obligation() {
            return obligation::minimal_weak(graph, None, limit, bdds);
        }
        let properties = store.properties(f);
        if graph.state_count() > MAX_COMPOSED
            || properties.has_past()
            // Independent of prefixes: an obligation only if it is trivial.
            || properties.is_suspendable()
        {
            return None;
        }
        let negation = self.simplifier.negate(store, f);
        let negation = self.simplifier.simplify(store, negation);
        let negation = prepare::gather(store, negation);
        let limits = self.beside(graph);
        let raw = self.raw(store, negation, &[], limits, bdds).ok()?;
        let negative = shrink(trim(&raw), bdds);
        obligation::minimal_weak(graph, Some(&negative), limit, bdds)
    }
}

/// The second, if it has fewer states and no more edges as they are written.
fn leaner(a: Graph, b: Graph, bdds: &mut Bdds) -> Graph {
    let mut written = |graph: &Graph| -> usize {
        let labels = graph.edges.iter().flatten().map(|edge| edge.label);
        labels.map(|label| bdds.sum_of_products(label).len()).sum()
    };
    match b.state_count() < a.state_count() && written(&b) <= written(&a) {
        true => b,
        false => a,
    }
}

fn smaller(a: Graph, b: Graph) -> Graph {
    match b.state_count() < a.state_count() {
        true => b,
        false => a,
    }
}

/// Simulation in both directions under both placements of marks, until nothing changes.
fn shrink(graph: Graph, bdds: &mut Bdds) -> Graph {
    let mut best = graph;
    let mut size = (usize::MAX, usize::MAX);
    for _ in 0..8 {
        for placement in [Placement::Sparse, Placement::Saturated] {
            best = clean_marks(&best, placement, bdds);
            best = reduce(&best, Direction::Forward, bdds);
            best = reduce(&best, Direction::Backward, bdds);
        }
        best = merge_transient(&best, bdds);
        let now = (best.state_count(), best.edge_count());
        if now >= size {
            break;
        }
        size = now;
    }
    clean_marks(&best, Placement::Sparse, bdds)
}
