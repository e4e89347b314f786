//! Predecessors and successors of sets of states.
//!
//! **Problem.** The steps of a model as one diagram are often too large, though each of its
//! constraints is small.
//!
//! **Idea.** The steps are a disjunction of pieces, and each piece a conjunction of clusters that
//! is never built. To compute a predecessor set, the set is joined with one cluster after the
//! other, and a variable of the next state is quantified away as soon as no later cluster mentions
//! it (Burch, Clarke and Long 1991). The order of the clusters is greedy, after Ranjan, Aziz,
//! Brayton, Plessier and Pixley (1995): next comes the conjunct that lets go of most variables and
//! brings in the fewest new ones; small conjuncts are joined before. What a piece does not change
//! it neither renames nor quantifies.
//!
//! What holds of every state (invariants, the ranges of the variables) is left out towards the
//! past: the sets asked about consist of states, so they say it themselves, and variables of the
//! next state that are tied by nothing else go away before the first cluster.
//!
//! **Cost.** Two schedules, for predecessors and for successors, are kept for each piece.

use std::collections::BTreeSet;

use oxidd::VarNo;

use crate::coding::Bit;
use crate::manager::{Manager, Outcome, Renaming, Set};

/// Conjuncts are joined while the diagram has not more nodes.
const CLUSTER: usize = 2500;

/// One way to make a step, as the constraints are given.
#[derive(Clone)]
pub(crate) struct Piece {
    /// What holds.
    pub conjuncts: Vec<Set>,
    /// What holds of every state, said of the next one.
    pub after: Vec<Set>,
    /// The bits that may change.
    pub changed: Vec<Bit>,
    /// The bits that keep their values; no conjunct mentions the next ones.
    pub kept: Vec<Bit>,
    /// The bits of inputs.
    pub inputs: Vec<VarNo>,
    /// The part of the relation that it belongs to.
    pub part: usize,
}

impl Piece {
    /// The same steps with further bits and constraints on them.
    pub fn with(&self, m: &Manager, bits: &[Bit], constraints: &[Set]) -> Outcome<Piece> {
        let pairs = self.kept.iter().filter_map(|b| Some((b.next?, b.now)));
        let stays = m.renaming(pairs)?;
        let mut piece = self.clone();
        piece.changed.extend_from_slice(bits);
        for constraint in constraints {
            piece.conjuncts.push(m.rename(constraint, &stays)?);
        }
        Ok(piece)
    }

    /// The same steps with bits of the state taken as inputs: they begin with any of some values,
    /// and no constraint but that ties their next values.
    pub fn with_inputs(&self, m: &Manager, bits: &[Bit], valid: &Set) -> Outcome<Piece> {
        let next: BTreeSet<VarNo> = bits.iter().filter_map(|b| b.next).collect();
        let mut piece = self.clone();
        piece.changed.retain(|b| !bits.contains(b));
        piece.inputs.extend(bits.iter().map(|b| b.now));
        for list in [&mut piece.conjuncts, &mut piece.after] {
            list.retain(|set| m.support(set).is_disjoint(&next));
        }
        if *valid != m.yes() {
            piece.conjuncts.push(valid.clone());
        }
        Ok(piece)
    }
}

#[derive(Clone)]
struct Cluster {
    relation: Set,
    /// What no later cluster mentions.
    done: Set,
}

/// A piece ready to be applied.
pub(crate) struct Step {
    /// Variables that no cluster mentions, for both directions, as variables of a state.
    before: [Set; 2],
    clusters: [Vec<Cluster>; 2],
    to_next: Renaming,
    to_now: Renaming,
    /// The piece that it comes from.
    pub piece: Piece,
}

/// The direction of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Towards {
    /// Predecessors.
    Past,
    /// Successors.
    Future,
}

impl Step {
    pub fn new(m: &Manager, piece: Piece) -> Outcome<Step> {
        let pairs = || piece.changed.iter().filter_map(|b| Some((b.now, b.next?)));
        let to_next = m.renaming(pairs())?;
        let to_now = m.renaming(pairs().map(|(now, next)| (next, now)))?;
        let inputs = || piece.inputs.iter().copied();
        let next: BTreeSet<VarNo> = pairs().map(|p| p.1).chain(inputs()).collect();
        let now: BTreeSet<VarNo> = pairs().map(|p| p.0).chain(inputs()).collect();
        let (pre, pre_before) = schedule(m, piece.conjuncts.iter(), next)?;
        let all = piece.conjuncts.iter().chain(&piece.after);
        let (post, post_before) = schedule(m, all, now)?;
        Ok(Step {
            before: [m.rename(&pre_before, &to_now)?, post_before],
            clusters: [pre, post],
            to_next,
            to_now,
            piece,
        })
    }

    /// Predecessors or successors by this step of a set of states. Predecessors may be valuations
    /// that are no states.
    pub fn image(&self, m: &Manager, set: &Set, towards: Towards) -> Outcome<Set> {
        self.image_in(m, set, towards, None)
    }

    /// Those predecessors or successors by this step that are in a set; the smaller it is, the
    /// faster.
    pub fn image_in(
        &self,
        m: &Manager,
        set: &Set,
        towards: Towards,
        goal: Option<&Set>,
    ) -> Outcome<Set> {
        let side = towards as usize;
        let mut set = m.exists(set, &self.before[side])?;
        if towards == Towards::Past {
            set = m.rename(&set, &self.to_next)?;
        }
        let mut goal = match (towards, goal) {
            (_, None) => None,
            (Towards::Past, Some(goal)) => Some(goal.clone()),
            (Towards::Future, Some(goal)) => Some(m.rename(goal, &self.to_next)?),
        };
        for cluster in &self.clusters[side] {
            if m.is_empty(&set) {
                return Ok(set);
            }
            // What is not wanted is left out from the beginning.
            set = match goal.take() {
                Some(goal) => {
                    let relation = m.and(&cluster.relation, &goal)?;
                    m.and_exists(&set, &relation, &cluster.done)?
                }
                None => m.and_exists(&set, &cluster.relation, &cluster.done)?,
            };
        }
        if let Some(goal) = goal {
            set = m.and(&set, &goal)?;
        }
        match towards {
            Towards::Past => Ok(set),
            Towards::Future => m.rename(&set, &self.to_now),
        }
    }

    /// Whether it changes nothing at all.
    pub fn is_idle(&self) -> bool {
        self.piece.changed.is_empty()
    }

    /// The same step between states of a set, as part of its diagrams.
    fn restricted(&self, m: &Manager, set: &Set) -> Outcome<Step> {
        let pairs = || {
            self.piece
                .changed
                .iter()
                .filter_map(|b| Some((b.now, b.next?)))
        };
        let both = m.and(set, &m.rename(set, &self.to_next)?)?;
        let mut sides = Vec::new();
        let before = [
            m.rename(&self.before[0], &self.to_next)?,
            self.before[1].clone(),
        ];
        for (clusters, before) in self.clusters.iter().zip(&before) {
            let mut list: Vec<Cluster> = clusters.to_vec();
            if list.is_empty() {
                list.push(Cluster {
                    relation: m.yes(),
                    done: m.yes(),
                });
            }
            list[0].relation = m.and(&list[0].relation, &both)?;
            list[0].done = m.and(&list[0].done, before)?;
            sides.push(list);
        }
        let post = sides.pop().unwrap_or_default();
        let pre = sides.pop().unwrap_or_default();
        Ok(Step {
            before: [m.yes(), m.yes()],
            clusters: [pre, post],
            to_next: m.renaming(pairs())?,
            to_now: m.renaming(pairs().map(|(now, next)| (next, now)))?,
            piece: self.piece.clone(),
        })
    }
}

/// All steps.
pub(crate) struct Steps {
    pub list: Vec<Step>,
}

impl Steps {
    pub fn new(m: &Manager, pieces: impl IntoIterator<Item = Piece>) -> Outcome<Steps> {
        let list: Outcome<Vec<Step>> = pieces.into_iter().map(|p| Step::new(m, p)).collect();
        Ok(Steps { list: list? })
    }

    /// The steps between states of a set.
    pub fn restricted(&self, m: &Manager, set: &Set) -> Outcome<Steps> {
        let list: Outcome<Vec<Step>> = self.list.iter().map(|s| s.restricted(m, set)).collect();
        Ok(Steps { list: list? })
    }

    /// Predecessors or successors by any step, as of one.
    pub fn image(&self, m: &Manager, set: &Set, towards: Towards) -> Outcome<Set> {
        let mut all = m.no();
        for step in &self.list {
            all = m.or(&all, &step.image(m, set, towards)?)?;
        }
        Ok(all)
    }
}

/// Orders and joins the conjuncts; the second is what can be quantified before all of them.
fn schedule<'s>(
    m: &Manager,
    conjuncts: impl Iterator<Item = &'s Set>,
    leaving: BTreeSet<VarNo>,
) -> Outcome<(Vec<Cluster>, Set)> {
    let mut open: Vec<(Set, BTreeSet<VarNo>)> =
        conjuncts.map(|set| (set.clone(), m.support(set))).collect();
    let mut sorted = Vec::new();
    let mut here: BTreeSet<VarNo> = BTreeSet::new();
    while !open.is_empty() {
        let mut uses = std::collections::BTreeMap::new();
        for variable in open.iter().flat_map(|(_, support)| support) {
            *uses.entry(*variable).or_insert(0) += 1;
        }
        let score = |support: &BTreeSet<VarNo>| {
            let last = support
                .iter()
                .filter(|v| leaving.contains(v) && uses[v] == 1);
            let new = support
                .iter()
                .filter(|v| !leaving.contains(v) && !here.contains(v));
            2 * last.count() as i64 - new.count() as i64
        };
        let best = (0..open.len()).max_by_key(|&at| (score(&open[at].1), std::cmp::Reverse(at)));
        let (set, support) = open.remove(best.unwrap_or(0));
        here.extend(&support);
        sorted.push((set, support));
    }
    let mut joined: Vec<(Set, BTreeSet<VarNo>)> = Vec::new();
    for (set, support) in sorted {
        if let Some((last, known)) = joined.last_mut() {
            let both = m.and(last, &set)?;
            if m.size(&both) <= CLUSTER {
                *last = both;
                known.extend(support);
                continue;
            }
        }
        joined.push((set, support));
    }
    let mut clusters = Vec::new();
    let mut left = leaving;
    while let Some((relation, support)) = joined.pop() {
        let done: BTreeSet<VarNo> = left.intersection(&support).copied().collect();
        left.retain(|v| !done.contains(v));
        let done = m.cube(done.into_iter().rev())?;
        clusters.push(Cluster { relation, done });
    }
    clusters.reverse();
    Ok((clusters, m.cube(left.into_iter().rev())?))
}
