//! Any acceptance condition.
//!
//! Given a strongly connected part and a formula, replace what is decided: a mark that does not
//! occur cannot be seen infinitely often. If the formula holds with all marks of the part, the part
//! is the answer. Otherwise an accepting run inside avoids some mark. Take each disjunct of the
//! formula on its own: marks it forbids outright are removed with their edges and the rest is
//! split; if it forbids none outright, pick one of its `Fin(m)` and try both: without the edges of
//! m, or as if `Fin(m)` were false.
//!
//! After Baier, Blahoudek, Duret-Lutz, Klein, Müller and Strejček, "Generic emptiness check for fun
//! and profit" (ATVA 2019). Polynomial for Streett, Rabin, parity and their generalized forms,
//! exponential in the number of `Fin` in general (the problem is NP-complete). Memory: the states
//! of the parts that wait, shared between the cases of one part.

use super::split::{Avoid, Graph, MarkWord};
use crate::{Condition, Mark, MarkSet};
use std::rc::Rc;

use evenhand_source::spend;

/// The allowed number of splits was not enough.
pub(super) struct OutOfSplits;

struct Task<M> {
    members: Rc<Vec<u32>>,
    avoid: Avoid<M>,
    condition: Condition,
}

/// The states of an accepting part and the marks it must avoid; an error after `splits` tasks.
pub(super) fn find<M: MarkWord>(
    mut graph: Graph<'_, M>,
    condition: &Condition,
    splits: &mut usize,
) -> Result<Option<(Vec<u32>, M)>, OutOfSplits> {
    let mut tasks = vec![Task {
        members: Rc::new(graph.all()),
        avoid: graph.avoid_nothing(),
        condition: condition.clone(),
    }];
    while let Some(task) = tasks.pop() {
        spend();
        *splits = splits.checked_sub(1).ok_or(OutOfSplits)?;
        let mut parts: Vec<(Vec<u32>, MarkSet)> = Vec::new();
        graph.split(&task.members, &task.avoid, false, |states, marks| {
            parts.push((states.to_vec(), marks.to_set()));
        });
        for (states, marks) in parts {
            let members = Rc::new(states);
            let mut conditions = vec![task.condition.clone()];
            while let Some(condition) = conditions.pop() {
                spend();
                let condition = decide_absent(&condition, &marks);
                if condition == Condition::False {
                    continue;
                }
                if condition.holds(&marks) {
                    return Ok(Some((members.to_vec(), task.avoid.marks.clone())));
                }
                let disjuncts = match condition {
                    Condition::Or(parts) => parts,
                    single => vec![single],
                };
                for disjunct in disjuncts {
                    let (forbidden, kept) = match forbidden_marks(&disjunct) {
                        Some(units) => (units, disjunct),
                        None => {
                            let Some(mark) = some_fin(&disjunct) else {
                                continue; // only Inf left, and not all of them occur
                            };
                            conditions.push(assume_fin(&disjunct, mark, Condition::False));
                            let without = assume_fin(&disjunct, mark, Condition::True);
                            ([mark].into_iter().collect(), without)
                        }
                    };
                    tasks.push(Task {
                        members: Rc::clone(&members),
                        avoid: graph.avoid_more(&task.avoid, &M::of(&forbidden)),
                        condition: kept,
                    });
                }
            }
        }
    }
    Ok(None)
}

fn decide_absent(condition: &Condition, present: &MarkSet) -> Condition {
    condition.map(&mut |mark, inf| match (present.contains(mark), inf) {
        (true, true) => Condition::Inf(mark),
        (true, false) => Condition::Fin(mark),
        (false, true) => Condition::False,
        (false, false) => Condition::True,
    })
}

/// The marks that the condition, a conjunction, forbids outright; `None` if there are none.
fn forbidden_marks(condition: &Condition) -> Option<MarkSet> {
    let set: MarkSet = match condition {
        Condition::Fin(m) => [*m].into_iter().collect(),
        Condition::And(parts) => {
            let units = parts.iter().filter_map(|p| match p {
                Condition::Fin(m) => Some(*m),
                _ => None,
            });
            units.collect()
        }
        _ => MarkSet::EMPTY,
    };
    (!set.is_empty()).then_some(set)
}

fn some_fin(condition: &Condition) -> Option<Mark> {
    condition.polarities().1.iter().next()
}

fn assume_fin(condition: &Condition, mark: Mark, value: Condition) -> Condition {
    condition.map(&mut |m, inf| match (inf, m == mark) {
        (false, true) => value.clone(),
        (true, _) => Condition::Inf(m),
        (false, _) => Condition::Fin(m),
    })
}
