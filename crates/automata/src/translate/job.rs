//! What is tried for a formula, and what is taken.
//!
//! A tableau is tried first. Where it is not small, graphs of parts of the formula, put together, compete with it, and where
//! parts of it hold everywhere or nowhere, cases. Where one of them is known before and small, the tableau gets no more
//! than a few times its size, so that no formula costs much only because its tableau would.

use super::components::{Placement, clean_marks, trim};
use super::graph::Graph;
use super::shrink::{leaner, shrink, smaller};
use super::unfold::Unfolder;
use super::{
    Limits, Options, always, compose, constants, obligation, parts, past, prepare, tableau,
};
use crate::LimitExceeded;
use evenhand_logic::bdd::Bdds;
use evenhand_logic::{AtomId, FormulaId, Formulas, Node, Simplifier, Unary};

/// Beyond this many states parts are not tried.
const MAX_COMPOSED: usize = 64;

/// A first tableau of what may be small case by case.
const FIRST_STATES: usize = 128;
const FIRST_EDGES: usize = 4096;

/// The translation of formulas over the same atoms.
pub(super) struct Job<'a> {
    pub(super) simplifier: Simplifier,
    options: &'a Options,
    /// The atoms of the formula: the variables of labels in this order.
    atoms: Vec<AtomId>,
}

impl<'a> Job<'a> {
    pub(super) fn new(simplifier: Simplifier, options: &'a Options, atoms: Vec<AtomId>) -> Job<'a> {
        Job {
            simplifier,
            options,
            atoms,
        }
    }

    pub(super) fn atoms(&self) -> &[AtomId] {
        &self.atoms
    }

    /// Whether small graphs are wanted.
    pub(super) fn reduces(&self) -> bool {
        self.options.reduce
    }

    pub(super) fn limits(&self) -> Limits {
        self.options.limits
    }

    pub(super) fn too_many_edges(&self) -> LimitExceeded {
        LimitExceeded {
            what: "edges in the translation",
            limit: self.options.limits.edges,
        }
    }

    pub(super) fn too_many_nodes(&self) -> LimitExceeded {
        LimitExceeded {
            what: "nodes of decision diagrams in the translation",
            limit: self.options.limits.nodes,
        }
    }

    /// The smallest graph found for a simplified formula, and the owner of its labels.
    pub(super) fn graph(
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
                let best = self.by_cases(store, f, &mut bdds)?;
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

    /// The graph of a simplified formula, as a whole and of its parts, or case by case if that is smaller.
    pub(super) fn by_cases(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        bdds: &mut Bdds,
    ) -> Result<Graph, LimitExceeded> {
        let all = self.options.limits;
        if !self.options.reduce {
            return self.whole(store, f, bdds);
        }
        if !constants::are_below(store, f) {
            return self.in_parts(store, f, all, bdds);
        }
        let limits = Limits {
            states: all.states.min(FIRST_STATES),
            edges: all.edges.min(FIRST_EDGES),
            ..all
        };
        let first = self.in_parts(store, f, limits, bdds).ok();
        if let Some(first) = &first
            && first.state_count() <= constants::SMALL
        {
            return Ok(first.clone());
        }
        match (first, constants::by_cases(self, store, f, bdds)?) {
            (Some(first), Some(cases)) => Ok(leaner(first, cases, bdds)),
            (Some(first), None) => Ok(first),
            (None, None) => self.in_parts(store, f, all, bdds),
            (None, Some(cases)) => {
                let limits = self.beside(&cases);
                match self.in_parts(store, f, limits, bdds) {
                    Ok(whole) => Ok(leaner(whole, cases, bdds)),
                    Err(_) => Ok(cases),
                }
            }
        }
    }

    /// The graph of a simplified formula, as a whole, or of its parts if that is smaller.
    fn in_parts(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        limits: Limits,
        bdds: &mut Bdds,
    ) -> Result<Graph, LimitExceeded> {
        let best = self.alone(store, f, limits, bdds)?;
        match store.properties(f).has_past() {
            true => Ok(best),
            false => self.by_parts(store, f, best, bdds),
        }
    }

    /// The graph of a simplified formula from one tableau, or without one where that is large and something smaller is
    /// known.
    fn alone(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        limits: Limits,
        bdds: &mut Bdds,
    ) -> Result<Graph, LimitExceeded> {
        let known = match self.sometimes(store, f, bdds)? {
            None => constants::anytime(self, store, f, bdds)?,
            known => known,
        };
        let Some(known) = known else {
            return self.whole_within(store, f, limits, bdds);
        };
        if known.state_count() > constants::MANY {
            return Ok(known);
        }
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
    pub(super) fn whole(
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
