//! Formula to graph: the states are formulas, the edges come from their unfoldings.
//!
//! For each state the diagram of its unfolding is cut below the propositions: the letters that lead
//! to the same rest form one label, so the letters are told apart exactly as far as they matter.
//! The rest is a monotone function of next-formulas and promises; each of its prime cubes is an
//! edge to the conjunction of its next-formulas, identified by its own diagram. An edge is dropped
//! if another one under the same letters leads to a weaker formula with fewer promises.
//!
//! Cost: exponential in the formula in the worst case, hence the limits.

use super::graph::{Arc, Graph, MAX_MARKS, joined};
use super::unfold::{Memory, Symbol, Unfolder, initial_memory, past_parts};
use crate::LimitExceeded;
use evenhand_logic::bdd::Bdd;
use evenhand_logic::{FormulaId, Formulas, Node, Simplifier};
use std::collections::HashMap;

/// What a translation may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// States of the automaton before reductions.
    pub states: usize,
    /// Edges of the automaton before reductions, after labels were joined.
    pub edges: usize,
    /// Nodes of decision diagrams.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            states: 20_000,
            edges: 1_000_000,
            nodes: 4_000_000,
        }
    }
}

/// Beyond this many conjuncts of a state they are not compared.
const MAX_COMPARED: usize = 32;

/// Alternatives under one letter that are compared pairwise.
const MAX_CHOICES: usize = 4096;

type Key = (FormulaId, Memory);

struct Tableau<'a> {
    store: &'a mut Formulas,
    simplifier: &'a mut Simplifier,
    unfolder: &'a mut Unfolder,
    limits: Limits,
    states: Vec<Key>,
    diagrams: Vec<Bdd>,
    by_key: HashMap<Key, Option<usize>>,
    by_diagram: HashMap<Bdd, usize>,
}

/// The graph of a formula in negation normal form without path quantifiers.
pub(super) fn tableau(
    store: &mut Formulas,
    simplifier: &mut Simplifier,
    unfolder: &mut Unfolder,
    f: FormulaId,
    hidden: &[u32],
    limits: Limits,
) -> Result<Graph, LimitExceeded> {
    let memory = initial_memory(store, f);
    let mut tableau = Tableau {
        store,
        simplifier,
        unfolder,
        limits,
        states: Vec::new(),
        diagrams: Vec::new(),
        by_key: HashMap::new(),
        by_diagram: HashMap::new(),
    };
    let Some(initial) = tableau.state((f, memory)) else {
        return Ok(Graph::empty());
    };
    let mut graph = Graph {
        initial,
        ..Graph::default()
    };
    let mut edge_count = 0;
    while graph.edges.len() < tableau.states.len() {
        let edges = tableau.expand(graph.edges.len(), hidden)?;
        edge_count += edges.len();
        graph.edges.push(edges);
        tableau.check(edge_count)?;
    }
    let promises = tableau.unfolder.promise_count();
    graph.marks = promises as u32;
    // Until now the words held promises; a mark lies where its promise is not.
    let all = graph.all_marks();
    for edge in graph.edges.iter_mut().flatten() {
        edge.marks = all & !edge.marks;
    }
    let bdds = &mut tableau.unfolder.bdds;
    graph.join_edges(bdds);
    tableau.check(edge_count)?;
    Ok(graph)
}

impl Tableau<'_> {
    fn check(&self, edges: usize) -> Result<(), LimitExceeded> {
        let exceeded = |what, limit| Err(LimitExceeded { what, limit });
        if self.unfolder.bdds.overflowed() {
            return exceeded(
                "nodes of decision diagrams in the translation",
                self.limits.nodes,
            );
        }
        if self.states.len() > self.limits.states {
            return exceeded("states in the translation", self.limits.states);
        }
        if edges > self.limits.edges {
            return Err(self.too_many_edges());
        }
        if self.unfolder.promise_count() > MAX_MARKS {
            return exceeded("acceptance marks in the translation", MAX_MARKS);
        }
        Ok(())
    }

    fn too_many_edges(&self) -> LimitExceeded {
        LimitExceeded {
            what: "edges in the translation",
            limit: self.limits.edges,
        }
    }

    /// The state of a formula; `None` if its unfolding is false.
    fn state(&mut self, key: Key) -> Option<usize> {
        if let Some(&known) = self.by_key.get(&key) {
            return known;
        }
        self.unfolder.remember(&key.1);
        let diagram = self.unfolder.unfold(self.store, key.0);
        let past = !key.1.is_empty();
        let state = match self.by_diagram.get(&diagram) {
            _ if diagram == Bdd::FALSE => None,
            Some(&state) if !past => Some(state),
            _ => {
                let state = self.states.len();
                self.states.push(key.clone());
                self.diagrams.push(diagram);
                if !past {
                    self.by_diagram.insert(diagram, state);
                }
                Some(state)
            }
        };
        self.by_key.insert(key, state);
        state
    }

    fn expand(&mut self, state: usize, hidden: &[u32]) -> Result<Vec<Arc>, LimitExceeded> {
        let mut edges = Vec::new();
        let memory = self.states[state].1.clone();
        for (rest, label) in self.cut(self.diagrams[state]) {
            for (target, promises) in self.choices(rest)? {
                self.unfolder.remember(&memory);
                for (label, memory) in self.split(target, label) {
                    if let Some(target) = self.state((target, memory)) {
                        let label = self.hide(label, hidden);
                        edges.push(Arc {
                            label,
                            marks: promises,
                            target,
                        });
                    }
                }
            }
            self.check(edges.len())?;
        }
        // Complement the promises so that "more marks" is better, as everywhere else.
        for edge in &mut edges {
            edge.marks = !edge.marks;
        }
        let mut edges = joined(edges, &mut self.unfolder.bdds);
        for edge in &mut edges {
            edge.marks = !edge.marks;
        }
        Ok(edges)
    }

    /// The rests below the propositions, each with the letters that lead to it.
    fn cut(&mut self, diagram: Bdd) -> Vec<(Bdd, Bdd)> {
        let mut labels: Vec<(Bdd, Bdd)> = Vec::new();
        let mut places: HashMap<Bdd, usize> = HashMap::new();
        let mut todo = vec![(diagram, Bdd::TRUE)];
        // Level by level: nodes reached by several paths are handled once, with all their letters.
        while let Some(variable) = todo
            .iter()
            .map(|&(f, _)| self.unfolder.bdds.top(f))
            .min()
            .filter(|&v| v < self.unfolder.propositions())
        {
            let mut merged: Vec<(Bdd, Bdd)> = Vec::new();
            let mut at: HashMap<Bdd, usize> = HashMap::new();
            let bdds = &mut self.unfolder.bdds;
            let positive = bdds.variable(variable);
            let negative = bdds.not(positive);
            for (f, letters) in todo {
                let parts = match bdds.top(f) == variable {
                    false => vec![(f, letters)],
                    true => {
                        let (low, high) = bdds.branches(f, variable);
                        vec![
                            (low, bdds.and(letters, negative)),
                            (high, bdds.and(letters, positive)),
                        ]
                    }
                };
                for (f, letters) in parts {
                    if f == Bdd::FALSE {
                        continue;
                    }
                    match at.get(&f) {
                        Some(&i) => merged[i].1 = bdds.or(merged[i].1, letters),
                        None => {
                            at.insert(f, merged.len());
                            merged.push((f, letters));
                        }
                    }
                }
            }
            todo = merged;
        }
        for (f, letters) in todo {
            match places.get(&f) {
                Some(&i) => labels[i].1 = self.unfolder.bdds.or(labels[i].1, letters),
                None => {
                    places.insert(f, labels.len());
                    labels.push((f, letters));
                }
            }
        }
        labels
    }

    /// The targets and promises of a rest, without those that another one makes superfluous.
    fn choices(&mut self, rest: Bdd) -> Result<Vec<(FormulaId, u64)>, LimitExceeded> {
        let mut choices: Vec<(FormulaId, u64)> = Vec::new();
        let steps = self.limits.edges.min(64 * MAX_CHOICES);
        let Some(cubes) = self.unfolder.bdds.sum_of_products_within(rest, steps) else {
            return Err(self.too_many_edges());
        };
        if cubes.len() > MAX_CHOICES {
            return Err(LimitExceeded {
                what: "choices at one step of the translation",
                limit: MAX_CHOICES,
            });
        }
        for cube in cubes {
            let mut next = Vec::new();
            let mut promises = 0;
            for (variable, _) in cube {
                match self.unfolder.symbol(variable) {
                    Some(Symbol::Next(f)) => next.push(f),
                    Some(Symbol::Promise(i)) => promises |= 1u64.checked_shl(i).unwrap_or(0),
                    None => {}
                }
            }
            let target = self.conjunction(next);
            if target == FormulaId::FALSE {
                continue;
            }
            let weaker = |s: &mut Simplifier,
                          store: &mut Formulas,
                          a: (FormulaId, u64),
                          b: (FormulaId, u64)| {
                b.1 & !a.1 == 0 && s.implies(store, a.0, b.0)
            };
            let new = (target, promises);
            let (simplifier, store) = (&mut *self.simplifier, &mut *self.store);
            if choices
                .iter()
                .any(|&old| weaker(simplifier, store, new, old))
            {
                continue;
            }
            choices.retain(|&old| !weaker(simplifier, store, old, new));
            choices.push(new);
        }
        Ok(choices)
    }

    /// The conjunction of what holds next, without what follows from the rest.
    ///
    /// Only what is checked at once may go. `G X F p` implies `F p`; but if each `F p` that it asks
    /// for were dropped because it is implied, no promise would ever be made and a word without `p`
    /// would be accepted. Likewise `G X H p` and `H p`. A safety conjunct that is not eventual
    /// follows only from something that holds at the same position, and what violates it shows in
    /// finite time.
    fn conjunction(&mut self, next: Vec<FormulaId>) -> FormulaId {
        let all = self.store.and(next);
        let Node::And(list) = self.store.node(all).clone() else {
            return all;
        };
        if list.len() > MAX_COMPARED {
            return all;
        }
        let mut kept: Vec<FormulaId> = list.to_vec();
        for &f in list.iter() {
            let negation = self.simplifier.negate(self.store, f);
            for &g in list.iter() {
                if f != g && self.simplifier.implies(self.store, g, negation) {
                    return FormulaId::FALSE;
                }
            }
            let properties = self.store.properties(f);
            let safe = properties.is_safety() && !properties.is_eventual();
            if safe
                && !properties.has_past()
                && kept
                    .iter()
                    .any(|&g| g != f && self.simplifier.implies(self.store, g, f))
            {
                kept.retain(|&g| g != f);
            }
        }
        self.store.and(kept)
    }

    /// The letters of a label by what they leave in the memory of the target's past operators.
    fn split(&mut self, target: FormulaId, label: Bdd) -> Vec<(Bdd, Memory)> {
        let mut parts = vec![(label, Memory::new())];
        for past in past_parts(self.store, target) {
            let holds = self.unfolder.memorize(self.store, past);
            let fails = self.unfolder.bdds.not(holds);
            let mut next = Vec::with_capacity(parts.len());
            for (label, memory) in parts {
                for (condition, value) in [(holds, true), (fails, false)] {
                    let label = self.unfolder.bdds.and(label, condition);
                    if label != Bdd::FALSE {
                        let mut memory = memory.clone();
                        memory.insert(past, value);
                        next.push((label, memory));
                    }
                }
            }
            parts = next;
        }
        parts
    }

    /// Forgets propositions that only exist inside the translation.
    fn hide(&mut self, label: Bdd, hidden: &[u32]) -> Bdd {
        let bdds = &mut self.unfolder.bdds;
        hidden.iter().fold(label, |label, &variable| {
            let (no, yes) = (
                bdds.restrict(label, variable, false),
                bdds.restrict(label, variable, true),
            );
            bdds.or(no, yes)
        })
    }
}
