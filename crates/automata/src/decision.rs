//! Decision diagrams over the propositions: a function from letters to numbers, once each.
//!
//! Determinization, completion and minimisation all ask what a state does under each letter.
//! Counting letters out is hopeless beyond a few propositions; instead the cubes of a state are
//! split by Shannon expansion in the order of the propositions, and equal sub-functions are kept
//! once. Two functions are equal iff their nodes are the same number, and the paths of a node are
//! disjoint cubes that cover all letters. Cost: exponential in the propositions of one state at
//! worst, so the nodes are limited.

use evenhand_source::spend;

use crate::pool::Pool;
use crate::{Cube, LimitExceeded, Literal, Prop};
use rustc_hash::FxHashMap;

/// A function from letters to numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Function(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Value(u32),
    Test { prop: u32, high: u32, low: u32 },
}

/// A store of functions.
#[derive(Default)]
pub(crate) struct Decisions {
    nodes: Pool<Node>,
    steps: usize,
    depth: usize,
}

/// Steps of expansion over the life of a store.
const STEP_LIMIT: usize = 5_000_000;
/// Propositions in the labels of one state, since the expansion is recursive.
const DEPTH_LIMIT: usize = 1000;

impl Decisions {
    /// The function that gives each letter what `value` makes of the items whose cubes it
    /// satisfies. `value` sees the items in ascending order.
    pub fn of_cubes(
        &mut self,
        items: &[(Cube, u32)],
        value: &mut impl FnMut(&[u32]) -> u32,
    ) -> Result<Function, LimitExceeded> {
        self.steps += 1;
        if self.steps > STEP_LIMIT {
            return Err(LimitExceeded {
                what: "steps to split labels",
                limit: STEP_LIMIT,
            });
        }
        let first = |cube: &Cube| {
            let least = |set: &crate::Bits| set.first().unwrap_or(usize::MAX);
            least(cube.positive()).min(least(cube.negative()))
        };
        let prop = items.iter().map(|(c, _)| first(c)).min();
        let Some(prop) = prop.filter(|&p| p != usize::MAX) else {
            let mut present: Vec<u32> = items.iter().map(|&(_, i)| i).collect();
            present.sort_unstable();
            present.dedup();
            let node = Node::Value(value(&present));
            return Ok(Function(self.nodes.intern(&node) as u32));
        };
        if self.depth >= DEPTH_LIMIT {
            return Err(LimitExceeded {
                what: "propositions in the labels of one state",
                limit: DEPTH_LIMIT,
            });
        }
        self.depth += 1;
        let mut side = |positive: bool| {
            let rest: Vec<(Cube, u32)> = items
                .iter()
                .filter(|(c, _)| c.value(Prop::new(prop)) != Some(!positive))
                .map(|(c, i)| (c.without(Prop::new(prop)), *i))
                .collect();
            self.of_cubes(&rest, value)
        };
        let sides = side(true).and_then(|high| Ok((high, side(false)?)));
        self.depth -= 1;
        let (high, low) = sides?;
        Ok(self.test(prop as u32, high, low))
    }

    fn test(&mut self, prop: u32, high: Function, low: Function) -> Function {
        if high == low {
            return high;
        }
        let (high, low) = (high.0, low.0);
        Function(self.nodes.intern(&Node::Test { prop, high, low }) as u32)
    }

    /// The same function with its values replaced.
    pub fn map(&mut self, function: Function, value: &mut impl FnMut(u32) -> u32) -> Function {
        let mut done = FxHashMap::default();
        self.map_with(function, value, &mut done)
    }

    fn map_with(
        &mut self,
        function: Function,
        value: &mut impl FnMut(u32) -> u32,
        done: &mut FxHashMap<u32, Function>,
    ) -> Function {
        if let Some(&result) = done.get(&function.0) {
            return result;
        }
        let result = match *self.nodes.get(function.0 as usize) {
            Node::Value(v) => Function(self.nodes.intern(&Node::Value(value(v))) as u32),
            Node::Test { prop, high, low } => {
                let high = self.map_with(Function(high), value, done);
                let low = self.map_with(Function(low), value, done);
                self.test(prop, high, low)
            }
        };
        done.insert(function.0, result);
        result
    }

    /// Disjoint cubes that together are all letters, each with its value.
    pub fn paths(&self, function: Function) -> Vec<(Cube, u32)> {
        let mut paths = Vec::new();
        let mut todo = vec![(function.0, Cube::TRUE)];
        while let Some((node, cube)) = todo.pop() {
            spend();
            match *self.nodes.get(node as usize) {
                Node::Value(v) => paths.push((cube, v)),
                Node::Test { prop, high, low } => {
                    let literal = |positive| Literal {
                        prop: Prop(prop),
                        positive,
                    };
                    todo.push((low, cube.with(literal(false))));
                    todo.push((high, cube.with(literal(true))));
                }
            }
        }
        paths
    }

    /// The number of different nodes so far.
    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }
}

/// Is every letter of `cube` in one of `others`? May say no to a hard question: gives up after
/// `budget` steps.
pub(crate) fn is_covered(cube: &Cube, others: &[&Cube], budget: &mut usize) -> bool {
    let meeting: Vec<&Cube> = others
        .iter()
        .copied()
        .filter(|c| c.intersects(cube))
        .collect();
    if meeting.iter().any(|c| cube.implies(c)) {
        return true;
    }
    if meeting.len() < 2 || *budget == 0 {
        return false;
    }
    *budget -= 1;
    // Split on a proposition that some cube constrains and ours leaves open.
    let open = meeting[0].literals().find(|l| cube.value(l.prop).is_none());
    open.is_some_and(|literal| {
        is_covered(&cube.with(literal), &meeting, budget)
            && is_covered(&cube.with(literal.negated()), &meeting, budget)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, random_cube};
    use crate::{Bits, Letter};

    #[test]
    fn functions_say_what_the_cubes_say() {
        let mut random = Random::new(31);
        for _ in 0..300 {
            let items: Vec<(Cube, u32)> = (0..random.within(0..=6) as u32)
                .map(|i| (random_cube(&mut random, 4), i))
                .collect();
            let mut decisions = Decisions::default();
            let mut code = |present: &[u32]| present.iter().map(|i| 1 << i).sum();
            let f = decisions.of_cubes(&items, &mut code).unwrap();
            let paths = decisions.paths(f);
            for word in 0..16 {
                let letter = Letter(Bits::from_word(word));
                let matching = items.iter().filter(|(c, _)| c.matches(&letter));
                let expected: u32 = matching.map(|(_, i)| 1 << i).sum();
                let found: Vec<u32> = (paths.iter())
                    .filter(|(c, _)| c.matches(&letter))
                    .map(|p| p.1)
                    .collect();
                assert_eq!(found, [expected]);
            }
            let again = decisions.of_cubes(&items, &mut code).unwrap();
            assert_eq!(again, f);
            let g = decisions.map(f, &mut |v| u32::from(v > 0));
            let all: Vec<&Cube> = items.iter().map(|i| &i.0).collect();
            let covers = decisions.paths(g) == [(Cube::TRUE, 1)];
            assert_eq!(is_covered(&Cube::TRUE, &all, &mut 1000), covers);
            assert!(decisions.size() > 0);
        }
    }

    #[test]
    fn very_many_propositions_are_an_error() {
        let cube = Cube::new(Bits::below(20_000), Bits::new()).unwrap();
        let mut decisions = Decisions::default();
        assert!(decisions.of_cubes(&[(cube, 0)], &mut |_| 0).is_err());
    }
}
