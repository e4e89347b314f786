//! Temporal questions: what `-p`, `--ltl`, `--ctl` and `--automaton` ask about a model.
//!
//! Whatever the form of a property of linear time, in the end there is an automaton of the runs that
//! break it, over propositions of the model. For a formula it is the translation of its negation; a
//! never claim, the labels `accept` and `progress`, and automata from files are such automata already.
//! A formula of branching time stays one.

use evenhand_automata::translate::{Options, translate};
use evenhand_automata::{
    Acceptance, Automaton, Builder, Cube, Literal, Mark, MarkSet, Prop, complement, read_hoa,
    remove_fin, tight,
};
use evenhand_logic::{FormulaId, Formulas, Node, without_universal_quantifiers};
use evenhand_source::{Diagnostic, Files};
use evenhand_system::{ClaimAutomaton, PropositionId};
use evenhand_witness::Charge;

use crate::formulas::cut_out;

/// A temporal question about a model.
#[derive(Debug)]
pub struct Question {
    /// The property's name.
    pub name: String,
    /// Its kind, a word of the contract.
    pub kind: &'static str,
    /// Its formula, as written.
    pub formula: Option<String>,
    /// The automaton of the runs that break it; or why there is none.
    pub bad: Result<Automaton, String>,
    /// What each proposition of the automaton is in the model.
    pub propositions: Vec<PropositionId>,
    /// Whether the property speaks of finished runs, as runs that stay where they are.
    pub finished_runs: bool,
    /// The formula, for the judge.
    pub judge: Option<Judge>,
    /// The formula of a question of branching time, which no automaton can ask.
    pub branching: Option<Judge>,
}

/// A formula with what its atoms are in the model: an atom is an index.
#[derive(Debug)]
pub struct Judge {
    /// The owner of the formula.
    pub store: Formulas,
    /// The formula that should hold.
    pub formula: FormulaId,
    /// What each atom is.
    pub atoms: Vec<PropositionId>,
}

/// The automaton of the runs that break a property, made so that the shortest of them can be found.
#[derive(Debug)]
pub struct TightQuestion {
    /// The automaton.
    pub automaton: Automaton,
    /// What each proposition of the automaton is in the model.
    pub propositions: Vec<PropositionId>,
    /// Whether a shortest lasso of the product is a shortest of the system: not with past operators.
    pub exact: bool,
}

/// What is wrong with a question.
#[derive(Debug)]
pub struct Wrong {
    /// Where the diagnostics point to, if not into the model.
    pub files: Option<Files>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl Wrong {
    /// Diagnostics with the files they point into.
    pub fn elsewhere((files, diagnostics): (Files, Vec<Diagnostic>)) -> Wrong {
        Wrong {
            files: Some(files),
            diagnostics,
        }
    }
}

/// How large a tight automaton may be: the product may grow by as much.
const TIGHT_LIMIT: usize = 128;

/// How large a complement or an automaton without `Fin` may become.
const STATE_LIMIT: usize = 100_000;

impl Question {
    /// The propositions it is about, also where a run is judged.
    pub fn reads(&self) -> Vec<PropositionId> {
        let judged = self.judge.iter().chain(&self.branching);
        let judged = judged.flat_map(|j| &j.atoms);
        self.propositions.iter().chain(judged).copied().collect()
    }

    /// Does a formula hold?
    pub fn of_formula(
        name: &str,
        text: String,
        mut store: Formulas,
        formula: FormulaId,
        atoms: Vec<PropositionId>,
    ) -> Question {
        let negation = store.not(formula);
        let translated = translate(&mut store, negation, &Options::streett());
        let mut propositions = Vec::new();
        let bad = match translated {
            Ok(translation) => {
                for &p in &translation.propositions {
                    if let Node::Atom(atom) = store.node(p) {
                        propositions.push(atoms[atom.index()]);
                    }
                }
                Ok(translation.automaton)
            }
            Err(error) => Err(error.to_string()),
        };
        Question {
            name: name.to_string(),
            kind: "ltl",
            formula: Some(text),
            bad,
            propositions,
            finished_runs: true,
            judge: Some(Judge {
                store,
                formula,
                atoms,
            }),
            branching: None,
        }
    }

    /// Does a formula of CTL* hold?
    pub fn of_branching(
        name: &str,
        text: String,
        store: Formulas,
        formula: FormulaId,
        atoms: Vec<PropositionId>,
    ) -> Question {
        Question {
            name: name.to_string(),
            kind: "ctl",
            formula: Some(text),
            bad: Err("a formula of branching time has no automaton".to_string()),
            propositions: Vec::new(),
            finished_runs: true,
            judge: None,
            branching: Some(Judge {
                store,
                formula,
                atoms,
            }),
        }
    }

    /// The question of linear time whose breaking by one run refutes a formula of branching time, if one
    /// run can; the propositions are those of the atoms.
    pub(crate) fn refuting(
        name: &str,
        text: &str,
        store: &Formulas,
        formula: FormulaId,
        propositions: &[PropositionId],
    ) -> Option<Question> {
        let mut store = store.clone();
        let linear = without_universal_quantifiers(&mut store, formula)?;
        let (store, linear, atoms) = cut_out(&store, linear, propositions, &|_| None);
        Some(Question::of_formula(
            name,
            text.to_string(),
            store,
            linear,
            atoms,
        ))
    }

    /// What a run is charged with.
    pub fn charge<'c>(&'c self, bad: &'c Automaton) -> Charge<'c> {
        match &self.judge {
            Some(judge) => Charge::Formula {
                store: &judge.store,
                formula: judge.formula,
                atoms: &judge.atoms,
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
        match &self.judge {
            Some(judge) => judge.store.properties(judge.formula).is_safety(),
            None => true,
        }
    }

    /// A tight automaton of the runs that break the property, if it is a formula and a small one, or
    /// the question about progress.
    pub fn tight(&self) -> Option<TightQuestion> {
        if self.kind == "progress" {
            return Some(TightQuestion {
                automaton: from_some_point_on(),
                propositions: self.propositions.clone(),
                exact: true,
            });
        }
        let judge = self.judge.as_ref()?;
        let mut store = judge.store.clone();
        let negation = store.not(judge.formula);
        let translation = tight(&mut store, negation, TIGHT_LIMIT)?;
        let mut propositions = Vec::new();
        for &p in &translation.propositions {
            if let Node::Atom(atom) = store.node(p) {
                propositions.push(judge.atoms[atom.index()]);
            }
        }
        Some(TightQuestion {
            automaton: translation.automaton,
            propositions,
            exact: !store.properties(negation).has_past(),
        })
    }

    /// Has the system no run that a claim accepts? Its propositions are called `names`.
    pub fn of_claim(
        name: &str,
        kind: &'static str,
        claim: &ClaimAutomaton,
        names: Vec<String>,
    ) -> Question {
        Question {
            name: name.to_string(),
            kind,
            formula: None,
            bad: Ok(automaton_of(claim, names)),
            propositions: claim.propositions.clone(),
            finished_runs: claim.stutter,
            judge: None,
            branching: None,
        }
    }

    /// Is there a fair run at all?
    pub fn feasible() -> Question {
        let mut builder = Builder::new(Vec::new(), Acceptance::all());
        let state = builder.add_state();
        builder.add_initial(state);
        builder.add_edge(state, &Cube::TRUE, &MarkSet::EMPTY, state);
        Question {
            name: "feasible".to_string(),
            kind: "feasible",
            formula: None,
            bad: Ok(builder.build()),
            propositions: Vec::new(),
            finished_runs: true,
            judge: None,
            branching: None,
        }
    }

    /// Has the system no run that an automaton in HOA format accepts? With `good`, none that it
    /// does not accept. What its propositions are in the model is for `expression` to say.
    ///
    /// # Errors
    /// If the text is no automaton, or speaks of things the model does not have.
    pub fn of_hoa(
        expression: &mut dyn FnMut(&str) -> Result<PropositionId, Wrong>,
        name: &str,
        text: &str,
        good: bool,
    ) -> Result<Question, Wrong> {
        let mut files = Files::new();
        let file = files.add(name, text.to_string());
        let stream = read_hoa(text, file);
        let wrong = |files: Files, diagnostics: Vec<Diagnostic>| Wrong {
            files: Some(files),
            diagnostics,
        };
        let errors: Vec<Diagnostic> = stream.diagnostics;
        if !errors.is_empty() {
            return Err(wrong(files, errors));
        }
        let mut automata = stream.automata.into_iter();
        let (Some(automaton), None) = (automata.next(), automata.next()) else {
            let message = format!("`{name}` must hold exactly one automaton");
            return Err(wrong(files, vec![Diagnostic::global(message)]));
        };
        let mut propositions = Vec::new();
        for prop in automaton.props() {
            propositions.push(expression(prop)?);
        }
        let bad = if good {
            complement(&automaton, STATE_LIMIT)
        } else {
            Ok(automaton)
        };
        let bad = bad.and_then(|bad| match bad.acceptance().is_streett() {
            true => Ok(bad),
            false => remove_fin(&bad, STATE_LIMIT),
        });
        Ok(Question {
            name: name.to_string(),
            kind: "automaton",
            formula: None,
            bad: bad.map_err(|limit| format!("the automaton becomes too large: {limit}")),
            propositions,
            finished_runs: true,
            judge: None,
            branching: None,
        })
    }
}

/// The words on which the only proposition holds from some point on: one state, which asks for what
/// is never granted wherever it does not hold.
fn from_some_point_on() -> Automaton {
    let mut builder = Builder::new(vec!["p".to_string()], Acceptance::streett(1));
    let state = builder.add_state();
    builder.add_initial(state);
    let holds = Literal {
        prop: Prop::new(0),
        positive: true,
    };
    let asks: MarkSet = [Mark::new(0)].into_iter().collect();
    builder.add_edge(state, &Cube::literal(holds), &MarkSet::EMPTY, state);
    builder.add_edge(state, &Cube::literal(holds.negated()), &asks, state);
    builder.build()
}

/// The omega-automaton of a claim: a run is bad if it passes accept states for ever, or if it takes
/// the claim to its end.
fn automaton_of(claim: &ClaimAutomaton, mut names: Vec<String>) -> Automaton {
    for i in names.len()..claim.propositions.len() {
        names.push(format!("p{i}"));
    }
    let mut builder = Builder::new(names, Acceptance::generalized_buchi(1));
    builder.reserve_states(claim.states.len());
    let states: Vec<_> = builder.clone().build().states().collect();
    let accepting: MarkSet = [Mark::new(0)].into_iter().collect();
    if let Some(&initial) = states.get(claim.initial) {
        builder.add_initial(initial);
    }
    for (state, &source) in claim.states.iter().zip(&states) {
        if state.end {
            builder.add_edge(source, &Cube::TRUE, &accepting, source);
            continue;
        }
        let marks = if state.accept {
            &accepting
        } else {
            &MarkSet::EMPTY
        };
        for edge in &state.edges {
            let guard = edge
                .guard
                .iter()
                .try_fold(Cube::TRUE, |cube, &(p, positive)| {
                    let prop = Prop::new(p);
                    cube.and(&Cube::literal(Literal { prop, positive }))
                });
            // A guard that contradicts itself is never taken.
            if let Some(guard) = guard {
                builder.add_edge(source, &guard, marks, states[edge.target]);
            }
        }
    }
    builder.build()
}
