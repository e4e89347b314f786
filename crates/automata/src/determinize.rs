//! Determinization of Büchi automata, and complement through it.
//!
//! A state of the result is a history tree in the way of Safra and Piterman, with acceptance on
//! edges: each state of the given automaton that a run can be in is filed under a chain of nodes,
//! from the root to the node that was opened last. A marked edge opens a child; a state that can be
//! filed in several places goes to the older sibling, and under the same node to the deeper place;
//! a node all of whose states are filed deeper has seen the mark on all its runs since it last said
//! so: it flashes and its children are closed. Nodes are named by age, names are closed up when
//! nodes die. The least name that flashes infinitely often and dies finitely often, with nothing
//! below it dying for ever, proves acceptance. So an edge gets priority 2n if n is the least name
//! that dies and 2n + 1 if n < that is the least that flashes, and a word is accepted iff the least
//! priority seen infinitely often is odd (Piterman 2007; Redziejowski 2012 for edges).
//!
//! The complement keeps the deterministic automaton and takes the dual condition: whenever n
//! flashes infinitely often, some name up to n dies infinitely often: Streett pairs, with no
//! conversion back. States: up to n!·2^O(n), so there is a limit.

use crate::decision::Decisions;
use crate::pool::Pool;
use crate::{
    Acceptance, Automaton, Builder, Condition, Cube, DegeneralizeError, LimitExceeded, Mark,
    MarkSet, State, degeneralize, reduce, remove_fin, trim,
};
use std::collections::BTreeMap;

/// Where each state is filed: the names from the root down, the last being where it was opened
/// last.
type Tree = BTreeMap<State, Vec<u32>>;

/// A complete deterministic automaton with priorities on edges; least odd accepts.
struct Deterministic {
    props: Vec<String>,
    states: usize,
    edges: Vec<(State, Cube, Option<u32>, State)>,
    names: usize,
}

/// A complete deterministic automaton with the same language, under a parity condition. Of at most
/// `state_limit` states.
pub fn determinize(automaton: &Automaton, state_limit: usize) -> Result<Automaton, LimitExceeded> {
    let det = Deterministic::of(automaton, state_limit)?;
    // Least odd: 2n + 1 infinitely often and nothing smaller that is even.
    let mut condition = Condition::False;
    for n in (0..det.names as u32).rev() {
        condition = Condition::or([Condition::Inf(Mark(2 * n + 1)), condition]);
        condition = Condition::and([Condition::Fin(Mark(2 * n)), condition]);
    }
    let acceptance = Acceptance::from_condition(condition);
    Ok(det.build(acceptance, |priority| {
        [Mark(priority)].into_iter().collect()
    }))
}

/// A complete deterministic Streett automaton for the words that `automaton` does not accept. Any
/// condition is taken: what is not Büchi is converted first. Of at most `state_limit` states.
pub fn complement(automaton: &Automaton, state_limit: usize) -> Result<Automaton, LimitExceeded> {
    let det = Deterministic::of(automaton, state_limit)?;
    let names = det.names;
    Ok(det.build(Acceptance::streett(names), |priority| {
        let n = priority as usize / 2;
        if priority % 2 == 1 {
            [Mark::new(2 * n)].into_iter().collect()
        } else {
            (n..names).map(|i| Mark::new(2 * i + 1)).collect()
        }
    }))
}

/// A Büchi automaton with one mark on edges and the same language.
fn to_buchi(automaton: &Automaton, limit: usize) -> Result<Automaton, LimitExceeded> {
    let small = reduce::reduce(automaton, &reduce::ReduceLimits::default());
    let without_fin = remove_fin(&small, limit)?;
    match degeneralize(&without_fin, limit.saturating_mul(64)) {
        Ok(buchi) => Ok(trim(&buchi)),
        Err(DegeneralizeError::Limit(limit)) => Err(limit),
        // remove_fin leaves a generalized Büchi condition, so nothing is lost here.
        Err(DegeneralizeError::NotGeneralizedBuchi) => Ok(without_fin),
    }
}

impl Deterministic {
    fn of(automaton: &Automaton, state_limit: usize) -> Result<Deterministic, LimitExceeded> {
        let buchi = to_buchi(automaton, state_limit)?;
        let mut trees: Pool<Tree> = Pool::default();
        trees.intern(&buchi.initial().iter().map(|&s| (s, vec![0])).collect());
        let mut det = Deterministic {
            props: buchi.props().to_vec(),
            states: 0,
            edges: Vec::new(),
            names: 0,
        };
        let mut decisions = Decisions::default();
        while det.states < trees.len() {
            let source = State::new(det.states);
            det.states += 1;
            if trees.len() > state_limit {
                return Err(LimitExceeded {
                    what: "states of a deterministic automaton",
                    limit: state_limit,
                });
            }
            let tree = trees.get(source.index()).clone();
            let items: Vec<(Cube, u32)> = (tree.keys())
                .flat_map(|&s| buchi.edge_range(s))
                .map(|i| (buchi.cube(buchi.edges()[i].label).clone(), i as u32))
                .collect();
            let mut results: Pool<(u32, Option<u32>)> = Pool::default();
            let by_letter = decisions.of_cubes(&items, &mut |edges| {
                let (next, priority) = successor(&buchi, &tree, edges);
                let next = trees.intern(&next) as u32;
                results.intern(&(next, priority)) as u32
            })?;
            for (cube, result) in decisions.paths(by_letter) {
                let (target, priority) = *results.get(result as usize);
                det.names = det.names.max(priority.map_or(0, |p| p as usize / 2 + 1));
                det.edges.push((source, cube, priority, State(target)));
            }
        }
        Ok(det)
    }

    fn build(self, acceptance: Acceptance, marks: impl Fn(u32) -> MarkSet) -> Automaton {
        let mut builder = Builder::new(self.props, acceptance);
        builder.reserve_states(self.states);
        builder.add_initial(State(0));
        for (source, cube, priority, target) in &self.edges {
            let marks = priority.map_or(MarkSet::EMPTY, &marks);
            builder.add_edge(*source, cube, &marks, *target);
        }
        builder.build()
    }
}

/// Names of nodes that this step opens, by the name of the parent.
const FRESH: u32 = 1 << 30;

/// The tree after a letter under which exactly these edges can be taken, and the priority of the
/// step.
fn successor(buchi: &Automaton, tree: &Tree, edges: &[u32]) -> (Tree, Option<u32>) {
    let mut next: Tree = BTreeMap::new();
    for &i in edges {
        let edge = &buchi.edges()[i as usize];
        let mut path = tree[&edge.source].clone();
        if buchi.marks(edge.marks).contains(Mark(0)) {
            let parent = path[path.len() - 1];
            path.push(FRESH + parent);
        }
        match next.get_mut(&edge.target) {
            Some(old) if !goes_before(&path, old) => {}
            Some(old) => *old = path,
            None => {
                next.insert(edge.target, path);
            }
        }
    }
    // A node flashes if no state is filed directly under it.
    let names = |tree: &Tree| {
        let mut all: Vec<u32> = tree.values().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let mut flashing = names(&next);
    flashing.retain(|name| next.values().all(|path| path.last() != Some(name)));
    for path in next.values_mut() {
        if let Some(i) = path.iter().position(|n| flashing.contains(n)) {
            path.truncate(i + 1);
        }
    }
    let alive = names(&next);
    let died = names(tree).into_iter().find(|n| !alive.contains(n));
    let flashed = flashing.into_iter().find(|n| alive.contains(n));
    let priority = match (flashed, died) {
        (Some(f), Some(d)) if d < f => Some(2 * d),
        (Some(f), _) => Some(2 * f + 1),
        (None, died) => died.map(|d| 2 * d),
    };
    for path in next.values_mut() {
        for name in path {
            *name = alive.partition_point(|a| *a < *name) as u32;
        }
    }
    (next, priority)
}

/// Is `a` the place to file a state rather than `b`? The older sibling first, then the deeper node.
fn goes_before(a: &[u32], b: &[u32]) -> bool {
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((x, y)) => x < y,
        None => a.len() > b.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emptiness::is_empty;
    use crate::testing::*;
    use crate::{accepts, product};

    fn check(a: &Automaton, words: &[crate::LassoWord]) -> bool {
        let (Ok(det), Ok(not)) = (determinize(a, 300), complement(a, 300)) else {
            return false;
        };
        for w in words {
            let expected = accepts(a, w);
            assert_eq!(accepts(&det, w), expected, "{w:?} {a:?}");
            assert_eq!(accepts(&not, w), !expected, "{w:?} {a:?}");
        }
        for d in [&det, &not] {
            for s in d.states() {
                let edges = d.edges_from(s);
                let letters: usize = edges.iter().map(|e| 1 << (2 - d.cube(e.label).len())).sum();
                assert_eq!(letters, 4, "deterministic and complete");
            }
        }
        assert!(is_empty(&product(a, &not, 100_000).unwrap()));
        assert!(is_empty(&product(&det, &not, 100_000).unwrap()));
        true
    }

    #[test]
    fn the_complement_accepts_the_other_words() {
        let mut random = Random::new(71);
        let words: Vec<_> = short_words(2, 1, 3).into_iter().step_by(3).collect();
        let mut checked = 0;
        for i in 0..cases(250) {
            let acceptance = match i % 3 {
                0 => random_acceptance(&mut random),
                _ => Acceptance::generalized_buchi(1),
            };
            let mut a = random_automaton(&mut random, 1..=5, 2..=14, 2, acceptance);
            if random.chance(20) {
                a = with_random_conditionals(&mut random, &a);
            }
            checked += usize::from(check(&a, &words));
        }
        assert!(checked * 10 > cases(250) * 9, "{checked}");
    }

    /// Dense automata over one letter class, where trees have many nodes.
    #[test]
    fn dense_automata() {
        let mut random = Random::new(72);
        let words = short_words(1, 3, 6);
        for _ in 0..cases(40) {
            let a = random_automaton(
                &mut random,
                4..=5,
                12..=20,
                1,
                Acceptance::generalized_buchi(1),
            );
            let Ok(not) = complement(&a, 3000) else {
                continue;
            };
            for w in words.iter().step_by(5) {
                assert_eq!(accepts(&not, w), !accepts(&a, w), "{w:?} {a:?}");
            }
        }
    }

    #[test]
    fn limits_are_errors() {
        let mut random = Random::new(73);
        let refused = (0..20).filter(|_| {
            let acceptance = Acceptance::generalized_buchi(1);
            let a = random_automaton(&mut random, 5..=5, 12..=12, 2, acceptance);
            complement(&a, 3).is_err()
        });
        assert!(refused.count() > 5);
    }
}
