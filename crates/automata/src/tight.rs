//! Tight automata: shortest lassos of the product are shortest in the system.
//!
//! A counterexample is measured in steps of the system, but found in the product with an automaton,
//! and the product may need more: on the lasso of the system it follows, the automaton may be in a
//! different state after each turn, or need a step to make up its mind. An automaton is *tight* if
//! for each accepted word with a prefix of p letters and a cycle of c letters it has an accepting
//! run with a prefix of p states and a cycle of c (Schuppan and Biere, "Shortest counterexamples
//! for symbolic model checking of LTL with past", 2005). Small automata are not tight as a rule:
//! that of `F G p` waits one letter to guess. Testers are, for formulas without past: their states
//! are what is true now, and on a lasso the same is true after each turn (Clarke, Grumberg and
//! Hamaguchi; Kesten and others). With past operators the values settle only after some turns.
//!
//! So the tester is made an automaton. Its states are assignments to the tester's variables, and to
//! those propositions that are constrained at the next step or at the start; an edge reads the
//! letter of the state it leaves, and carries a mark for each justice condition that holds there.
//! Variables of future operators are determined by the letter and the assignment at the next step,
//! which saves enumerating them. Removing useless states and merging bisimilar ones keeps all runs
//! and their shapes; reduction by simulation would not. Exponential in the formula: only for small
//! ones.

use std::collections::BTreeMap;

use evenhand_logic::{
    Assignment, AtomId, Exactness, FormulaId, Formulas, Simplifier, Term, TermId, Tester,
    TesterVariable, When, tester,
};

use crate::translate::Translation;
use crate::{Acceptance, Automaton, Builder, Cube, Literal, Mark, MarkSet, Prop, State, trim};

/// At most this many bits are enumerated.
const BITS: usize = 16;

/// An automaton of the words that satisfy a formula, with at most `limit` states, that is tight if
/// the formula has no past operators; none if it would be larger, or the formula has path
/// quantifiers.
pub fn tight(store: &mut Formulas, f: FormulaId, limit: usize) -> Option<Translation> {
    let simple = Simplifier::default().simplify(store, f);
    let atoms = store.atoms_of(simple);
    let tester = tester(store, simple, Exactness::Asserted).ok()?;
    let table = Table::new(&tester, atoms.clone())?;
    let names = atoms.iter().map(|&a| store.atom_info(a).text.clone());
    let automaton = table.automaton(names.collect());
    let automaton = merge_bisimilar(&trim(&automaton));
    if automaton.state_count() > limit {
        return None;
    }
    let propositions = atoms.iter().map(|&a| store.atom_formula(a)).collect();
    Some(Translation {
        automaton,
        propositions,
    })
}

/// A tester, and how its variables hang together.
struct Table<'t> {
    tester: &'t Tester,
    atoms: Vec<AtomId>,
    /// The term that determines each variable, for future operators.
    definition: Vec<Option<TermId>>,
    /// The propositions that are part of a state: bits of a letter.
    kept: Vec<usize>,
}

/// A step of a tester: bits of variables and letters at both ends.
#[derive(Clone, Copy)]
struct Step {
    now: usize,
    letter: usize,
    next: usize,
    next_letter: usize,
}

impl<'t> Table<'t> {
    /// None if too many bits would have to be enumerated.
    fn new(tester: &'t Tester, atoms: Vec<AtomId>) -> Option<Table<'t>> {
        let mut definition = vec![None; tester.variables.len()];
        for step in &tester.transition {
            if let Term::Iff(x, value) = tester.terms[step.0 as usize]
                && let Term::Variable(variable, When::Now) = tester.terms[x.0 as usize]
            {
                definition[variable.0 as usize] = Some(value);
            }
        }
        let mut wanted = vec![false; atoms.len()];
        let at_next = |term: &Term| match *term {
            Term::Atom(atom, When::Next) => Some(atom),
            _ => None,
        };
        let at_start = |term: &Term| match *term {
            Term::Atom(atom, When::Now) => Some(atom),
            _ => None,
        };
        let later = used(tester, &tester.transition).filter_map(at_next);
        let mut first = tester.initial.clone();
        first.push(tester.asserted);
        for atom in later.chain(used(tester, &first).filter_map(at_start)) {
            let place = atoms.iter().position(|&a| a == atom)?;
            wanted[place] = true;
        }
        let kept: Vec<usize> = (0..atoms.len()).filter(|&a| wanted[a]).collect();
        let free = definition.iter().filter(|d| d.is_none()).count();
        let bits = free + definition.len() + atoms.len() + kept.len();
        (bits <= BITS).then_some(Table {
            tester,
            atoms,
            definition,
            kept,
        })
    }

    fn values(&self, step: Step) -> Vec<bool> {
        let at = |bits: usize, place: usize| bits >> place & 1 == 1;
        let atom = |atom: AtomId, when: When| {
            let place = self.atoms.iter().position(|&a| a == atom).unwrap_or(0);
            match when {
                When::Now => at(step.letter, place),
                When::Next => at(step.next_letter, place),
            }
        };
        let variable = |TesterVariable(number): TesterVariable, when: When| match when {
            When::Now => at(step.now, number as usize),
            When::Next => at(step.next, number as usize),
        };
        self.tester.values(&Assignment {
            atom: &atom,
            variable: &variable,
        })
    }

    /// The state that variables and a letter belong to.
    fn state(&self, variables: usize, letter: usize) -> State {
        let mut number = variables;
        for (bit, &place) in self.kept.iter().enumerate() {
            number |= (letter >> place & 1) << (self.definition.len() + bit);
        }
        State::new(number)
    }

    /// Letters in which all propositions but the kept ones are false.
    fn kept_letters(&self) -> Vec<usize> {
        (0..1 << self.kept.len())
            .map(|bits: usize| {
                let places = self.kept.iter().enumerate();
                places.map(|(bit, &place)| (bits >> bit & 1) << place).sum()
            })
            .collect()
    }

    /// All assignments to the variables that no future operator determines.
    fn free_variables(&self) -> Vec<usize> {
        let mut all = vec![0];
        for (variable, _) in (0..).zip(&self.definition).filter(|(_, d)| d.is_none()) {
            let more: Vec<usize> = all.iter().map(|bits| bits | 1 << variable).collect();
            all.extend(more);
        }
        all
    }

    fn automaton(&self, names: Vec<String>) -> Automaton {
        let justice = &self.tester.justice;
        let variables = self.definition.len();
        let mut builder = Builder::new(names, Acceptance::generalized_buchi(justice.len()));
        builder.reserve_states(1 << (variables + self.kept.len()));
        let (kept, free) = (self.kept_letters(), self.free_variables());
        let holds = |values: &[bool], term: &TermId| values[term.0 as usize];
        for now in 0..1 << variables {
            for &letter in &kept {
                let values = self.values(Step {
                    now,
                    letter,
                    next: 0,
                    next_letter: 0,
                });
                let first = self.tester.initial.iter().all(|t| holds(&values, t));
                if first && holds(&values, &self.tester.asserted) {
                    builder.add_initial(self.state(now, letter));
                }
            }
        }
        for letter in 0..1usize << self.atoms.len() {
            let cube = (0..self.atoms.len()).fold(Cube::TRUE, |cube, place| {
                cube.with(Literal {
                    prop: Prop::new(place),
                    positive: letter >> place & 1 == 1,
                })
            });
            for next in 0..1 << variables {
                for &next_letter in &kept {
                    for &now in &free {
                        let mut step = Step {
                            now,
                            letter,
                            next,
                            next_letter,
                        };
                        // Operands come before the operators: one after the other is determined.
                        for (variable, definition) in self.definition.iter().enumerate() {
                            if let Some(term) = definition
                                && holds(&self.values(step), term)
                            {
                                step.now |= 1 << variable;
                            }
                        }
                        let values = self.values(step);
                        if !self.tester.transition.iter().all(|t| holds(&values, t)) {
                            continue;
                        }
                        let met = (0..).zip(justice).filter(|(_, t)| holds(&values, t));
                        let marks: MarkSet = met.map(|(mark, _)| Mark(mark)).collect();
                        let source = self.state(step.now, letter);
                        let target = self.state(next, next_letter);
                        builder.add_edge(source, &cube, &marks, target);
                    }
                }
            }
        }
        builder.build()
    }
}

/// The terms that some terms are made of.
fn used<'t>(tester: &'t Tester, roots: &[TermId]) -> impl Iterator<Item = &'t Term> + use<'t> {
    let mut met = vec![false; tester.terms.len()];
    for root in roots {
        met[root.0 as usize] = true;
    }
    // Operands have smaller numbers.
    for number in (0..met.len()).rev() {
        if !met[number] {
            continue;
        }
        let operands: &[TermId] = match &tester.terms[number] {
            Term::Not(t) => std::slice::from_ref(t),
            Term::And(list) | Term::Or(list) => list,
            Term::Iff(t, u) => &[*t, *u],
            Term::Constant(_) | Term::Atom(..) | Term::Variable(..) => &[],
        };
        for operand in operands {
            met[operand.0 as usize] = true;
        }
    }
    let terms = tester.terms.iter().zip(met);
    terms.filter(|(_, met)| *met).map(|(term, _)| term)
}

/// The quotient by bisimulation: states with the same edges into the same classes become one.
fn merge_bisimilar(automaton: &Automaton) -> Automaton {
    let mut class = vec![0usize; automaton.state_count()];
    let mut count = usize::from(!class.is_empty());
    loop {
        let mut known = BTreeMap::new();
        let finer: Vec<usize> = automaton
            .states()
            .map(|state| {
                let edges = automaton.edges_from(state).iter();
                let mut signature: Vec<_> = edges
                    .map(|e| (e.label.index(), e.marks.index(), class[e.target.index()]))
                    .collect();
                signature.sort_unstable();
                signature.dedup();
                let next = known.len();
                *known
                    .entry((class[state.index()], signature))
                    .or_insert(next)
            })
            .collect();
        let finer_count = known.len();
        class = finer;
        if finer_count == count {
            break;
        }
        count = finer_count;
    }
    let mut builder = automaton.like();
    builder.reserve_states(count);
    for state in automaton.initial() {
        builder.add_initial(State::new(class[state.index()]));
    }
    let mut done = vec![false; count];
    for state in automaton.states() {
        let source = class[state.index()];
        if std::mem::replace(&mut done[source], true) {
            continue;
        }
        let mut edges: Vec<_> = automaton
            .edges_from(state)
            .iter()
            .map(|e| (e.label, e.marks, class[e.target.index()]))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        for (label, marks, target) in edges {
            let (label, marks) = (automaton.cube(label), automaton.marks(marks));
            builder.add_edge(State::new(source), label, marks, State::new(target));
        }
    }
    builder.build()
}
