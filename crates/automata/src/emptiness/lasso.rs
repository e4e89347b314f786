//! From an accepting core to a run with its word.
//!
//! The prefix is a shortest path to the core. The cycle is built lazily: from a root in the core,
//! walk to the nearest edge that gives a mark still owed, and so on; when nothing is owed, return
//! to the root. A request met on the way must be granted, so the debt is looked at again at the
//! end. All marks of the core together are accepting, so collecting ever more of them ends well;
//! marks are never taken back. Not the shortest lasso, but on random graphs within a quarter of it.
//!
//! Letters: each step is taken under a letter of its cube that sets no avoided mark and, where
//! conditional marks are owed, sets as many of those as the cube leaves free to choose.

use super::{Core, letters_without};
use crate::{Automaton, Cube, Edge, EdgeId, Lasso, Letter, MarkSet, State, Step};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

use evenhand_source::spend;

/// A run that goes to the core and circles in it. `None` if `core` is not an accepting core that
/// can be reached.
pub fn lasso_through(automaton: &Automaton, core: &Core) -> Option<Lasso> {
    let walker = Walker::new(automaton, core)?;
    let (prefix, root) = walker.prefix()?;
    let cycle = walker.cycle(root)?;
    Some(Lasso { prefix, cycle })
}

struct Walker<'a> {
    automaton: &'a Automaton,
    core: &'a Core,
    inside: Vec<bool>,
    letters: Cube,
    marks: MarkSet,
}

impl<'a> Walker<'a> {
    fn new(automaton: &'a Automaton, core: &'a Core) -> Option<Walker<'a>> {
        let mut inside = vec![false; automaton.state_count()];
        for s in &core.states {
            *inside.get_mut(s.index())? = true;
        }
        let letters = letters_without(automaton, &core.avoid)?;
        let mut walker = Walker {
            automaton,
            core,
            inside,
            letters,
            marks: MarkSet::EMPTY,
        };
        let mut marks = MarkSet::EMPTY;
        for &state in &core.states {
            for (_, edge) in walker.edges(state) {
                marks.0.union_with(&walker.possible_marks(edge).0);
            }
        }
        walker.marks = marks;
        Some(walker)
    }

    /// The edges of a core state that stay in the core.
    fn edges(&self, state: State) -> impl Iterator<Item = (EdgeId, &'a Edge)> + '_ {
        let first = self.automaton.edge_range(state).start;
        let edges = self.automaton.edges_from(state).iter().enumerate();
        edges
            .map(move |(i, e)| (EdgeId::new(first + i), e))
            .filter(|(_, e)| {
                self.inside[e.target.index()]
                    && self
                        .automaton
                        .marks(e.marks)
                        .0
                        .is_disjoint(&self.core.avoid.0)
                    && self.automaton.cube(e.label).intersects(&self.letters)
            })
    }

    /// The marks that some letter gives.
    fn possible_marks(&self, edge: &Edge) -> MarkSet {
        let mut marks = self.automaton.marks(edge.marks).clone();
        if let Some(cube) = self.automaton.cube(edge.label).and(&self.letters) {
            for c in self.automaton.conditionals() {
                if cube.value(c.literal.prop) != Some(!c.literal.positive) {
                    marks.insert(c.mark);
                }
            }
        }
        marks
    }

    /// A letter that gives as many of the marks in `owed` as a greedy choice finds.
    fn letter(&self, edge: &Edge, owed: &MarkSet) -> Letter {
        let cube = self.automaton.cube(edge.label);
        let mut cube = cube.and(&self.letters).unwrap_or_else(|| cube.clone());
        for c in self.automaton.conditionals() {
            if owed.contains(c.mark) && cube.value(c.literal.prop).is_none() {
                cube = cube.with(c.literal);
            }
        }
        cube.least_letter()
    }

    fn prefix(&self) -> Option<(Vec<Step>, State)> {
        let mut parent: FxHashMap<State, Option<EdgeId>> = FxHashMap::default();
        let mut queue = VecDeque::new();
        for &s in self.automaton.initial() {
            parent.insert(s, None);
            queue.push_back(s);
        }
        while let Some(state) = queue.pop_front() {
            spend();
            if self.inside[state.index()] {
                let mut steps = Vec::new();
                let mut at = state;
                while let Some(Some(edge)) = parent.get(&at) {
                    let e = self.automaton.edge(*edge);
                    let letter = self.automaton.cube(e.label).least_letter();
                    steps.push(Step {
                        edge: *edge,
                        letter,
                    });
                    at = e.source;
                }
                steps.reverse();
                return Some((steps, state));
            }
            for i in self.automaton.edge_range(state) {
                let id = EdgeId::new(i);
                let target = self.automaton.edge(id).target;
                parent.entry(target).or_insert_with(|| {
                    queue.push_back(target);
                    Some(id)
                });
            }
        }
        None
    }

    fn cycle(&self, root: State) -> Option<Vec<Step>> {
        let acceptance = self.automaton.acceptance();
        let mut seen = MarkSet::EMPTY;
        let mut steps: Vec<Step> = Vec::new();
        let mut at = root;
        loop {
            if !steps.is_empty() && at == root && acceptance.holds(&seen) {
                return Some(steps);
            }
            let owed = self.owed(&seen);
            let path = if owed.is_empty() {
                self.path(at, &|edge| edge.target == root)
            } else {
                self.path(at, &|edge| {
                    !self.possible_marks(edge).0.is_disjoint(&owed.0)
                })
            };
            // A path that adds nothing while marks are owed: not an accepting core.
            let before = (seen.clone(), at);
            for id in path? {
                let edge = self.automaton.edge(id);
                let letter = self.letter(edge, &owed);
                let marks = self.automaton.step_marks(edge, &letter);
                seen.0.union_with(&marks.0);
                at = edge.target;
                steps.push(Step { edge: id, letter });
            }
            if !owed.is_empty() && before.0 == seen {
                return None;
            }
        }
    }

    /// The marks that are still to be seen: of Büchi marks and pairs what the marks seen so far
    /// make necessary, of a general formula every mark of the core.
    fn owed(&self, seen: &MarkSet) -> MarkSet {
        let acceptance = self.automaton.acceptance();
        if acceptance.holds(seen) {
            return MarkSet::EMPTY;
        }
        if !acceptance.is_streett() {
            return MarkSet(self.marks.0.difference(&seen.0));
        }
        let mut owed = MarkSet(acceptance.buchi.0.difference(&seen.0));
        for pair in &acceptance.pairs {
            if seen.contains(pair.request) && !seen.contains(pair.grant) {
                owed.insert(pair.grant);
            }
        }
        owed
    }

    /// A shortest path inside the core whose last edge is the first that satisfies `goal`.
    fn path(&self, from: State, goal: &dyn Fn(&Edge) -> bool) -> Option<Vec<EdgeId>> {
        let mut parent: FxHashMap<State, Option<EdgeId>> = FxHashMap::default();
        parent.insert(from, None);
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            spend();
            for (id, edge) in self.edges(state) {
                if goal(edge) {
                    let mut path = vec![id];
                    let mut at = state;
                    while let Some(Some(edge)) = parent.get(&at) {
                        path.push(*edge);
                        at = self.automaton.edge(*edge).source;
                    }
                    path.reverse();
                    return Some(path);
                }
                parent.entry(edge.target).or_insert_with(|| {
                    queue.push_back(edge.target);
                    Some(id)
                });
            }
        }
        None
    }
}
