//! LTL to transition-based generalized Büchi automata, small ones.
//!
//! The way of a formula: it is simplified ([`evenhand_logic::simplify`]); fairness-shaped conjuncts are
//! set aside as marks (`fairness.rs`); past operators over the future are separated (`past.rs`); the rest
//! is unfolded step by step into a graph whose states are formulas (`unfold.rs`, `tableau.rs`); useless
//! states and marks go (`components.rs`), states that simulate each other are merged (`simulate.rs`); if
//! the language is an obligation, the minimal weak deterministic automaton competes (`obligation.rs`).
//! The smallest result is written out as an [`Automaton`].
//!
//! ```
//! use evenhand_automata::translate::{Options, translate};
//! use evenhand_logic::{Formulas, Spelling, parse};
//! let mut store = Formulas::new();
//! let f = parse(&mut store, "G (p -> F q)", Spelling::Any).unwrap();
//! let translation = translate(&mut store, f, &Options::default()).unwrap();
//! assert_eq!(translation.automaton.state_count(), 2);
//! ```

mod components;
mod fairness;
mod graph;
mod marking;
mod obligation;
mod past;
mod simulate;
mod tableau;
mod unfold;

use crate::{Automaton, LimitExceeded};
use components::{Placement, clean_marks, trim};
use evenhand_logic::bdd::Bdds;
use evenhand_logic::{AtomId, FormulaId, Formulas, Node, Simplifier};
use fairness::extract;
use graph::Graph;
use marking::Marking;
use simulate::{Direction, reduce};
use std::fmt;
pub use tableau::Limits;
use unfold::Unfolder;

/// What kind of automaton is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Generalized Büchi marks on edges, nothing else.
    GeneralizedBuchi,
    /// Fairness-shaped conjuncts become conditional marks and Streett pairs.
    Streett {
        /// `FG p` becomes a pair whose grant never comes. Otherwise it stays in the formula: all such
        /// conjuncts together at most double the number of states, and there is no pair for them.
        persistence: bool,
        /// A boolean condition that is not a disjunction of literals becomes a proposition of its own.
        /// Otherwise it splits edges.
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

    /// The reduced graph of a simplified formula.
    fn graph(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
    ) -> Result<(Graph, Bdds), LimitExceeded> {
        let (separated, hidden) = match store.properties(f).has_past() {
            true => past::separate(store, f),
            false => (f, Vec::new()),
        };
        let mut variables = self.atoms.clone();
        variables.extend(&hidden);
        let mut unfolder = Unfolder::new(&variables, self.options.limits.nodes);
        let numbers: Vec<u32> = (self.atoms.len() as u32..variables.len() as u32).collect();
        let raw = self.raw(store, &mut unfolder, separated, &numbers)?;
        let mut bdds = unfolder.bdds;
        if !self.options.reduce {
            return Ok((trim(&raw), bdds));
        }
        let mut best = shrink(trim(&raw), &mut bdds);
        if let Some(weak) = self.obligation(store, f, &best, &mut bdds)?
            && weak.state_count() <= best.state_count()
        {
            best = clean_marks(&weak, Placement::Sparse, &mut bdds);
        }
        if bdds.overflowed() {
            return Err(self.too_many_nodes());
        }
        Ok((best, bdds))
    }

    fn raw(
        &mut self,
        store: &mut Formulas,
        unfolder: &mut Unfolder,
        f: FormulaId,
        hidden: &[u32],
    ) -> Result<Graph, LimitExceeded> {
        let limits = self.options.limits;
        tableau::tableau(store, &mut self.simplifier, unfolder, f, hidden, limits)
    }

    /// The minimal weak deterministic automaton of the formula, if it is an obligation.
    fn obligation(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        graph: &Graph,
        bdds: &mut Bdds,
    ) -> Result<Option<Graph>, LimitExceeded> {
        let limit = 4 * graph.state_count() + 16;
        if store.properties(f).is_obligation() {
            return Ok(obligation::minimal_weak(graph, None, limit, bdds));
        }
        if graph.state_count() > 64 || store.properties(f).has_past() {
            return Ok(None);
        }
        // The same variables for the negation, in the same store of diagrams.
        let negation = self.simplifier.negate(store, f);
        let negation = self.simplifier.simplify(store, negation);
        let mut unfolder = Unfolder::new(&self.atoms, self.options.limits.nodes);
        std::mem::swap(&mut unfolder.bdds, bdds);
        let raw = self.raw(store, &mut unfolder, negation, &[]);
        std::mem::swap(&mut unfolder.bdds, bdds);
        let Ok(raw) = raw else {
            return Ok(None);
        };
        let negative = shrink(trim(&raw), bdds);
        Ok(obligation::minimal_weak(
            graph,
            Some(&negative),
            limit,
            bdds,
        ))
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
        let now = (best.state_count(), best.edge_count());
        if now >= size {
            break;
        }
        size = now;
    }
    clean_marks(&best, Placement::Sparse, bdds)
}
