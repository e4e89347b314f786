//! The marks of fairness conjuncts, put on an automaton. See `fairness.rs` for which conjuncts.

use super::fairness::{Fairness, clause};
use super::graph::{Arc, Graph, MAX_MARKS};
use super::unfold::Unfolder;
use crate::{Acceptance, LimitExceeded, Literal, Mark, Pair, Prop};
use evenhand_logic::bdd::{Bdd, Bdds};
use evenhand_logic::{AtomId, FormulaId, Formulas};

/// The marks of the fairness conjuncts.
pub(super) struct Marking {
    fairness: Vec<Fairness>,
    /// For each boolean condition: the literals that set its mark, or none if it splits edges.
    conditions: Vec<(FormulaId, Option<Vec<Literal>>)>,
}

impl Marking {
    pub(super) fn new(
        store: &Formulas,
        fairness: Vec<Fairness>,
        propositions: &mut Vec<FormulaId>,
        derived: bool,
    ) -> Marking {
        let mut marking = Marking {
            fairness: fairness.clone(),
            conditions: Vec::new(),
        };
        for item in fairness {
            let (first, second) = match item {
                Fairness::Often(p) => (p, None),
                Fairness::Granted(p, q) => (p, Some(q)),
            };
            for p in [Some(first), second].into_iter().flatten() {
                if marking.conditions.iter().any(|c| c.0 == p) {
                    continue;
                }
                let literals = match clause(store, p) {
                    Some(literals) => Some(literals),
                    None if derived => Some(vec![(p, true)]),
                    None => None,
                };
                let literals = literals.map(|list| {
                    let literal = |(f, positive): (FormulaId, bool)| {
                        let place = propositions.iter().position(|&q| q == f);
                        let place = place.unwrap_or_else(|| {
                            propositions.push(f);
                            propositions.len() - 1
                        });
                        Literal {
                            prop: Prop::new(place),
                            positive,
                        }
                    };
                    list.into_iter().map(literal).collect()
                });
                marking.conditions.push((p, literals));
            }
        }
        marking
    }

    /// Puts the marks of conditions without literals on edges; returns how many marks that were.
    pub(super) fn split_edges(
        &self,
        store: &Formulas,
        atoms: &[AtomId],
        graph: &mut Graph,
        bdds: &mut Bdds,
    ) -> Result<u32, LimitExceeded> {
        let mut added = 0;
        for (p, _) in self.conditions.iter().filter(|c| c.1.is_none()) {
            if graph.marks as usize >= MAX_MARKS {
                let what = "acceptance marks in the translation";
                let limit = MAX_MARKS;
                return Err(LimitExceeded { what, limit });
            }
            let mut unfolder = Unfolder::new(atoms, 0);
            std::mem::swap(&mut unfolder.bdds, bdds);
            let holds = unfolder.unfold(store, *p);
            std::mem::swap(&mut unfolder.bdds, bdds);
            let fails = bdds.not(holds);
            for edges in &mut graph.edges {
                let mut split = Vec::with_capacity(2 * edges.len());
                for edge in edges.iter() {
                    for (condition, mark) in [(holds, 1u64 << graph.marks), (fails, 0)] {
                        let label = bdds.and(edge.label, condition);
                        if label != Bdd::FALSE {
                            split.push(Arc {
                                label,
                                marks: edge.marks | mark,
                                ..*edge
                            });
                        }
                    }
                }
                *edges = split;
            }
            graph.marks += 1;
            added += 1;
        }
        Ok(added)
    }

    /// Adds conditional marks and the acceptance condition. The graph's own marks come first, then
    /// those of split conditions, then conditional ones.
    pub(super) fn finish(&self, own: u32, builder: &mut crate::Builder) {
        let mut acceptance = Acceptance::generalized_buchi(own as usize);
        let mut next = own as usize;
        let mut marks: Vec<Mark> = vec![Mark::new(0); self.conditions.len()];
        for conditional in [false, true] {
            for (i, (_, literals)) in self.conditions.iter().enumerate() {
                if literals.is_some() == conditional {
                    marks[i] = Mark::new(next);
                    next += 1;
                    for &literal in literals.iter().flatten() {
                        builder.add_conditional(marks[i], literal);
                    }
                }
            }
        }
        let mark = |p: FormulaId| {
            let place = self.conditions.iter().position(|c| c.0 == p);
            marks[place.unwrap_or_default()]
        };
        for item in &self.fairness {
            match *item {
                Fairness::Often(p) => acceptance.buchi.insert(mark(p)),
                Fairness::Granted(p, q) => acceptance.pairs.push(Pair {
                    request: mark(p),
                    grant: mark(q),
                }),
            }
        }
        builder.reserve_marks(next);
        builder.set_acceptance(acceptance);
    }
}
