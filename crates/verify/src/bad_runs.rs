//! The automaton of the runs that break a property, made once for each question.
//!
//! Whatever the form of a property of linear time, in the end there is an automaton of the runs that
//! break it, over propositions of the system. For a formula it is the translation of its negation; a
//! claim or an automaton from a file is such an automaton already; and for the question whether there
//! is a fair run at all, it accepts everything. Beside it stands, where there is one, a *tight*
//! automaton: of its products the shortest lassos are the shortest runs of the system.

use evenhand_automata::translate::{Options, Translation, disjuncts, translate};
use evenhand_automata::{Automaton, beside, tight};
use evenhand_logic::{FormulaId, Formulas, Node, Simplifier, without_universal_quantifiers};
use evenhand_system::{Formula, Kind, Linear, PropositionId, Question, What};
use evenhand_witness::Charge;

/// A question of linear time with its automaton.
#[derive(Clone, Debug)]
pub struct LinearQuestion {
    /// The property's name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// The automaton of the runs that break it; or why there is none.
    pub bad: Result<Automaton, String>,
    /// What each proposition of the automaton is.
    pub propositions: Vec<PropositionId>,
    /// Whether the property speaks of finished runs, as runs that stay where they are.
    pub finished_runs: bool,
    /// Whether the automaton was computed from another one that is the property.
    pub computed: bool,
    /// The formula, for the judge.
    pub formula: Option<Formula>,
    /// A tight automaton that is known already.
    known_tight: Option<Automaton>,
}

/// An automaton of which shortest lassos are wanted.
#[derive(Debug)]
pub struct Tight {
    /// The automaton.
    pub automaton: Automaton,
    /// What each proposition of the automaton is.
    pub propositions: Vec<PropositionId>,
    /// Whether a shortest lasso of the product is a shortest of the system: not with past operators.
    pub exact: bool,
}

/// How large a tight automaton may be: the product may grow by as much.
const TIGHT_LIMIT: usize = 128;

/// A disjunction has at most so many parts with such an automaton each.
const MOST_TIGHT_PARTS: usize = 1024;

impl LinearQuestion {
    /// The question, if it is one of linear time.
    pub fn of(question: &Question) -> Option<LinearQuestion> {
        let (name, kind) = (question.name.as_str(), question.kind);
        match &question.what {
            What::Linear(Linear::Formula(formula)) => {
                Some(LinearQuestion::of_formula(name, kind, formula.clone()))
            }
            What::Linear(Linear::Automaton(bad)) => Some(LinearQuestion {
                name: name.to_string(),
                kind,
                bad: bad.automaton.clone(),
                propositions: bad.propositions.clone(),
                finished_runs: bad.finished_runs,
                computed: bad.computed,
                formula: None,
                known_tight: bad.tight.clone(),
            }),
            What::Feasible => Some(LinearQuestion::feasible()),
            _ => None,
        }
    }

    /// Does a formula hold?
    pub fn of_formula(name: &str, kind: Kind, formula: Formula) -> LinearQuestion {
        let mut store = Formulas::clone(&formula.store);
        let negation = store.not(formula.id);
        let translated = translate(&mut store, negation, &Options::streett());
        let mut propositions = Vec::new();
        let bad = translated.map_err(|error| error.to_string()).map(|found| {
            propositions = places(&store, &found.propositions, &formula);
            found.automaton
        });
        LinearQuestion {
            name: name.to_string(),
            kind,
            bad,
            propositions,
            finished_runs: true,
            computed: false,
            formula: Some(formula),
            known_tight: None,
        }
    }

    /// Is there a fair run at all?
    pub fn feasible() -> LinearQuestion {
        LinearQuestion {
            name: "feasible".to_string(),
            kind: Kind::Feasible,
            bad: Ok(Automaton::everything()),
            propositions: Vec::new(),
            finished_runs: true,
            computed: false,
            formula: None,
            known_tight: None,
        }
    }

    /// The question of linear time whose breaking by one run refutes a formula of branching time, if
    /// one run can.
    pub fn refuting(name: &str, formula: &Formula) -> Option<LinearQuestion> {
        let linear = without_quantifiers(formula)?;
        Some(LinearQuestion::of_formula(name, Kind::Ltl, linear))
    }

    /// The propositions it is about, also where a run is judged.
    pub fn reads(&self) -> Vec<PropositionId> {
        let judged = self.formula.iter().flat_map(|formula| &*formula.atoms);
        self.propositions.iter().chain(judged).copied().collect()
    }

    /// What a run is charged with.
    pub fn charge<'c>(&'c self, bad: &'c Automaton) -> Charge<'c> {
        match &self.formula {
            Some(formula) => Charge::Formula {
                store: &formula.store,
                formula: formula.id,
                atoms: &formula.atoms,
            },
            None => Charge::Automaton {
                automaton: bad,
                propositions: &self.propositions,
            },
        }
    }

    /// Whether finite runs break the property: a formula that can be seen to be a safety property, or
    /// an automaton that comes to an end.
    pub fn is_safety(&self) -> bool {
        match &self.formula {
            Some(formula) => formula.store.properties(formula.id).is_safety(),
            None => true,
        }
    }

    /// A tight automaton, if there is a small one.
    pub fn tight(&self) -> Option<Tight> {
        if let Some(automaton) = &self.known_tight {
            return Some(Tight {
                automaton: automaton.clone(),
                propositions: self.propositions.clone(),
                exact: true,
            });
        }
        let formula = self.formula.as_ref()?;
        let mut store = Formulas::clone(&formula.store);
        let negation = store.not(formula.id);
        let whole = tight(&mut store, negation, TIGHT_LIMIT);
        let translation = whole.or_else(|| tight_parts(&mut store, negation))?;
        Some(Tight {
            propositions: places(&store, &translation.propositions, formula),
            automaton: translation.automaton,
            exact: !store.properties(negation).has_past(),
        })
    }
}

/// The tight automata of the parts of a disjunction, beside each other; none if one part has none.
fn tight_parts(store: &mut Formulas, f: FormulaId) -> Option<Translation> {
    let simple = Simplifier::default().simplify(store, f);
    let parts = disjuncts(store, simple, MOST_TIGHT_PARTS);
    if parts.len() < 2 {
        return None;
    }
    let parts = parts.into_iter();
    let parts: Option<Vec<Translation>> =
        parts.map(|part| tight(store, part, TIGHT_LIMIT)).collect();
    beside(&parts?)
}

/// The formula of linear time whose breaking by one run refutes a formula of branching time, if one
/// run can.
pub(crate) fn without_quantifiers(formula: &Formula) -> Option<Formula> {
    let mut store = Formulas::clone(&formula.store);
    let linear = without_universal_quantifiers(&mut store, formula.id)?;
    let linear = Formula {
        store: store.into(),
        id: linear,
        ..formula.clone()
    };
    Some(linear.cut_out())
}

/// What the propositions of a translation are.
fn places(store: &Formulas, propositions: &[FormulaId], formula: &Formula) -> Vec<PropositionId> {
    let atoms = propositions.iter().filter_map(|&p| match store.node(p) {
        Node::Atom(atom) => Some(formula.atoms[atom.index()]),
        _ => None,
    });
    atoms.collect()
}
