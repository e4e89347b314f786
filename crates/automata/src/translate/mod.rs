//! LTL to transition-based generalized Büchi automata, small ones.
//!
//! The way of a formula: it is simplified ([`evenhand_logic::simplify`]); fairness-shaped conjuncts
//! are set aside as marks (`fairness.rs`); past operators over the future are separated
//! (`past.rs`); the rest is unfolded step by step into a graph whose states are formulas
//! (`unfold.rs`, `tableau.rs`); useless states and marks go (`components.rs`), states that simulate
//! each other are merged (`simulate.rs`); a disjunction of many parts is a union of their graphs
//! (`parts.rs`); so is a formula whose parts hold everywhere or nowhere (`constants.rs`); if the language is an
//! obligation, the minimal weak deterministic automaton competes (`obligation.rs`). Which of these are tried, and
//! which is taken, is decided in `job.rs`. The smallest result is written out as an [`Automaton`].
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
mod class;
mod components;
mod compose;
mod constants;
mod fairness;
mod graph;
mod job;
mod marking;
mod obligation;
mod parts;
mod past;
mod prepare;
mod shrink;
mod simulate;
mod stutter;
mod tableau;
mod unfold;

use crate::{Automaton, LimitExceeded};
pub use class::class;
use evenhand_logic::{FormulaId, Formulas, Node, Simplifier};
use fairness::extract;
use job::Job;
use marking::Marking;
pub use parts::disjuncts;
use std::fmt;
pub use stutter::is_stutter_invariant;
pub use tableau::Limits;

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
    let mut job = Job::new(simplifier, options, atoms);
    let (mut graph, mut bdds) = job.graph(store, rest)?;
    let derived = matches!(options.target, Target::Streett { derived: true, .. });
    let marking = Marking::new(store, fairness, &mut propositions, derived);
    let split = marking.split_edges(store, job.atoms(), &mut graph, &mut bdds)?;
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
