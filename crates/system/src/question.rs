//! What can be asked of a system: one type between all languages and all engines.
//!
//! A front-end turns texts into questions, an engine answers them, and neither knows the other. What
//! a question is about is said by [`What`]; how people call it, by its [`Kind`]. The propositions in
//! it are numbers of the body that came with it.

use std::fmt;
use std::sync::Arc;

use evenhand_automata::{Acceptance, Automaton, Builder, Cube, Literal, Mark, MarkSet, Prop};
use evenhand_logic::{FormulaId, Formulas, Node, Spelling, transplant};

use crate::claim::ClaimAutomaton;
use crate::explicit::Value;
use crate::fairness::{AmountId, PropositionId};
use crate::relation::ExprId;

/// A question about a system.
#[derive(Clone, Debug)]
pub struct Question {
    /// The property's name.
    pub name: String,
    /// Its kind, as the report calls it.
    pub kind: Kind,
    /// The formula as it was written, if it has one.
    pub text: Option<String>,
    /// What is asked.
    pub what: What,
    /// A part of a property of runs that is about single states: it is asked of all that can be reached, whether a fair run
    /// goes on from there or not.
    pub always: Option<Formula>,
}

/// What is asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum What {
    /// Does no step break an assertion or meet a run-time error?
    Errors,
    /// Does no run end where it must not?
    Ends,
    /// Does no run break a trace assertion?
    Trace,
    /// Has every reachable state a successor?
    Total,
    /// Does every reachable state satisfy a condition?
    Invariant(Formula),
    /// Does every step between reachable states satisfy a condition? It is a formula with `X` for the
    /// state behind the step; of a relation also an expression over both states.
    Step {
        /// The condition, state by state.
        formula: Formula,
        /// The same in a body that is a relation.
        condition: Option<ExprId>,
    },
    /// Does every fair run satisfy a formula, or does no fair run come to be accepted?
    Linear(Linear),
    /// Does a formula of branching time hold?
    Branching(Formula),
    /// Is there a fair run at all?
    Feasible,
    /// What is the largest value of an amount in a reachable state?
    Bound(AmountId),
    /// Does a condition on the whole exploration hold when it is over? No engine is asked; the body answers
    /// ([`Body::concluded`](crate::Body::concluded)).
    Afterwards(PropositionId),
    /// How long is the shortest or the longest way from some states to others?
    Quantity {
        /// The shortest, or the longest.
        minimum: bool,
        /// From here …
        from: Formula,
        /// … to here.
        to: Formula,
    },
}

/// A property of single runs.
#[derive(Clone, Debug)]
pub enum Linear {
    /// A formula that every run should satisfy.
    Formula(Formula),
    /// An automaton of the runs that should not be.
    Automaton(BadRuns),
}

/// A formula with what its atoms are in a system: an atom is an index.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The owner of the formula; several may share it.
    pub store: Arc<Formulas>,
    /// The formula.
    pub id: FormulaId,
    /// What each atom of the store is.
    pub atoms: Arc<[PropositionId]>,
    /// How its parts are written for people.
    pub spelling: Spelling,
}

impl Formula {
    /// A formula with a store of its own, in the usual spelling.
    pub fn new(store: Formulas, id: FormulaId, atoms: Vec<PropositionId>) -> Formula {
        Formula {
            store: Arc::new(store),
            id,
            atoms: atoms.into(),
            spelling: Spelling::Spin,
        }
    }

    /// The propositions that it mentions.
    pub fn reads(&self) -> Vec<PropositionId> {
        let atoms = self.store.atoms_of(self.id).into_iter();
        atoms
            .filter_map(|atom| self.atoms.get(atom.index()).copied())
            .collect()
    }

    /// The same formula in a store of its own.
    #[must_use]
    pub fn cut_out(&self) -> Formula {
        self.part(self.id, &|_| None)
    }

    /// A part of the formula in a store of its own; where `stands` knows a name and a proposition for
    /// a subformula, that becomes an atom.
    pub fn part(
        &self,
        part: FormulaId,
        stands: &dyn Fn(FormulaId) -> Option<(String, PropositionId)>,
    ) -> Formula {
        let mut own = Formulas::new();
        let mut atoms: Vec<PropositionId> = Vec::new();
        let mut replace = |own: &mut Formulas, part: FormulaId| {
            let known = stands(part).or_else(|| match self.store.node(part) {
                Node::Atom(atom) => {
                    let text = self.store.atom_info(*atom).text.clone();
                    let proposition = self.atoms.get(atom.index()).copied();
                    Some((text, proposition.unwrap_or(PropositionId(u32::MAX))))
                }
                _ => None,
            });
            let (text, proposition) = known?;
            let copy = own.host_atom(&text);
            if let Node::Atom(atom) = own.node(copy)
                && atom.index() == atoms.len()
            {
                atoms.push(proposition);
            }
            Some(copy)
        };
        let id = transplant(&self.store, part, &mut own, &mut replace);
        Formula {
            spelling: self.spelling,
            ..Formula::new(own, id, atoms)
        }
    }
}

/// An automaton of bad runs.
#[derive(Clone, Debug)]
pub struct BadRuns {
    /// The automaton; or why there is none that could be used.
    pub automaton: Result<Automaton, String>,
    /// What each proposition of the automaton is.
    pub propositions: Vec<PropositionId>,
    /// Whether it reads on where a run has ended, as if the run stayed there.
    pub finished_runs: bool,
    /// Another automaton of the same runs, of which shortest lassos are shortest runs of the system.
    pub tight: Option<Automaton>,
    /// Whether it was computed from another one: a complement, or one with another acceptance.
    pub computed: bool,
}

impl BadRuns {
    /// The runs that a claim accepts; its propositions are called `names`.
    pub fn of_claim(claim: &ClaimAutomaton, names: Vec<String>) -> BadRuns {
        BadRuns {
            automaton: Ok(automaton_of(claim, names)),
            propositions: claim.propositions.clone(),
            finished_runs: claim.stutter,
            tight: None,
            computed: false,
        }
    }

    /// The same runs, which are those on which the only proposition holds from some point on.
    #[must_use]
    pub fn from_some_point_on(mut self) -> BadRuns {
        self.tight = Some(from_some_point_on());
        self
    }
}

impl Question {
    /// A question.
    pub fn new(name: impl Into<String>, kind: Kind, text: Option<String>, what: What) -> Question {
        Question {
            name: name.into(),
            kind,
            text,
            what,
            always: None,
        }
    }

    /// Does a formula of linear time hold?
    pub fn linear(name: impl Into<String>, text: impl Into<String>, formula: Formula) -> Question {
        let what = What::Linear(Linear::Formula(formula));
        Question::new(name, Kind::Ltl, Some(text.into()), what)
    }

    /// Does a formula of branching time hold?
    pub fn branching(
        name: impl Into<String>,
        text: impl Into<String>,
        formula: Formula,
    ) -> Question {
        Question::new(name, Kind::Ctl, Some(text.into()), What::Branching(formula))
    }

    /// Is there a fair run at all?
    pub fn feasible() -> Question {
        Question::new("feasible", Kind::Feasible, None, What::Feasible)
    }

    /// The propositions it is about, also where a run is judged.
    pub fn reads(&self) -> Vec<PropositionId> {
        let mut list = match &self.what {
            What::Errors | What::Ends | What::Trace | What::Total => Vec::new(),
            What::Feasible | What::Bound(_) | What::Afterwards(_) => Vec::new(),
            What::Invariant(formula) | What::Step { formula, .. } | What::Branching(formula) => {
                formula.reads()
            }
            What::Linear(Linear::Formula(formula)) => formula.atoms.to_vec(),
            What::Linear(Linear::Automaton(bad)) => bad.propositions.clone(),
            What::Quantity { from, to, .. } => {
                let mut list = from.reads();
                list.extend(to.reads());
                list
            }
        };
        list.extend(self.always.iter().flat_map(Formula::reads));
        list
    }

    /// Whether every state gives the answer that it holds, since nothing is asked of it: what lies behind an error changes nothing.
    pub fn holds_by_itself(&self) -> bool {
        matches!(&self.what, What::Invariant(formula) if *formula.store.node(formula.id) == Node::Constant(true))
    }

    /// Whether fairness matters: not where all reachable states are meant.
    pub fn is_fair(&self) -> bool {
        match self.what {
            What::Errors | What::Ends | What::Trace | What::Total => false,
            What::Invariant(_) | What::Step { .. } | What::Bound(_) => false,
            What::Afterwards(_) => false,
            What::Linear(_) | What::Branching(_) | What::Feasible | What::Quantity { .. } => true,
        }
    }

    /// Whether it is about single states: errors, ends, what holds in each.
    pub fn is_about_states(&self) -> bool {
        matches!(
            self.what,
            What::Errors | What::Ends | What::Invariant(_) | What::Afterwards(_)
        )
    }
}

/// The answer to [`What::Quantity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many steps.
    Steps(u64),
    /// No way comes there, or some never do.
    Infinite,
    /// There is nothing to measure: no state to begin with, or none to end with.
    Undefined,
}

impl From<Length> for Value {
    fn from(length: Length) -> Value {
        match length {
            Length::Steps(steps) => Value::Number(i64::try_from(steps).unwrap_or(i64::MAX)),
            Length::Infinite => Value::Text("infinity".to_string()),
            Length::Undefined => Value::Text("undefined".to_string()),
        }
    }
}

/// What people call a property: the words of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words say it")]
#[non_exhaustive]
pub enum Kind {
    Assertion,
    RuntimeError,
    Deadlock,
    Trace,
    Total,
    Invariant,
    Ltl,
    Ctl,
    Never,
    Acceptance,
    Progress,
    Automaton,
    Feasible,
    Compute,
    Bound,
    Assumption,
    Temporal,
    Postcondition,
    Possible,
}

impl Kind {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Assertion => "assertion",
            Kind::RuntimeError => "runtime-error",
            Kind::Deadlock => "deadlock",
            Kind::Trace => "trace",
            Kind::Total => "total",
            Kind::Invariant => "invariant",
            Kind::Ltl => "ltl",
            Kind::Ctl => "ctl",
            Kind::Never => "never",
            Kind::Acceptance => "acceptance",
            Kind::Progress => "progress",
            Kind::Automaton => "automaton",
            Kind::Feasible => "feasible",
            Kind::Compute => "compute",
            Kind::Bound => "bound",
            Kind::Assumption => "assumption",
            Kind::Temporal => "temporal",
            Kind::Postcondition => "postcondition",
            Kind::Possible => "possible",
        }
    }

    /// Whether it is about whole runs, so that what follows a finite one matters.
    pub fn is_temporal(self) -> bool {
        use Kind::{Acceptance, Automaton, Ctl, Ltl, Never, Progress, Temporal};
        matches!(
            self,
            Ltl | Ctl | Never | Automaton | Acceptance | Progress | Temporal
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
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
            let mut literals = edge.guard.iter();
            let guard = literals.try_fold(Cube::TRUE, |cube, &(p, positive)| {
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
