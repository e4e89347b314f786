//! The search for the shortest lasso explores what it needs, and no more.

use evenhand_explicit::emptiness::{Component, Statistics, engines};
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::marks::{Marks, Streett};
use evenhand_explicit::search::Stop;
use evenhand_testkit::lassos::Random;
use evenhand_witness::{Budget, Reach, Shortest, first, shortest};

use super::common::{enclosed, unwatched};

/// A complete binary tree of 2^24 nodes that is numbered as it is met. Some nodes have a loop with
/// the mark; all leaves have one without.
struct Tree {
    condition: Streett<1>,
    accepting: Vec<u32>,
    /// The name of each number: one is the root, 2n and 2n + 1 are below n.
    names: Vec<u32>,
    numbers: Vec<u32>,
    limit: usize,
}

const LEAVES: u32 = 1 << 23;

impl Tree {
    fn new(accepting: &[u32]) -> Tree {
        Tree {
            condition: Streett::new(Marks::single(0), Vec::new()),
            accepting: accepting.to_vec(),
            names: Vec::new(),
            numbers: vec![0; 2 * LEAVES as usize],
            limit: usize::MAX,
        }
    }

    fn number(&mut self, name: u32) -> Result<NodeId, Stop> {
        if self.numbers[name as usize] == 0 {
            if self.names.len() >= self.limit {
                return Err(Stop::States);
            }
            self.names.push(name);
            self.numbers[name as usize] = self.names.len() as u32;
        }
        Ok(NodeId(self.numbers[name as usize] - 1))
    }
}

impl Graph<1> for Tree {
    fn condition(&self) -> &Streett<1> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        Ok(vec![self.number(1)?])
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<1>>) -> Result<(), Stop> {
        edges.clear();
        let name = self.names[node.index()];
        let mut next = Vec::new();
        if self.accepting.contains(&name) {
            next.push((name, Marks::single(0)));
        }
        if name < LEAVES {
            next.extend([(2 * name, Marks::EMPTY), (2 * name + 1, Marks::EMPTY)]);
        } else {
            next.push((name, Marks::EMPTY));
        }
        for (name, marks) in next {
            let target = self.number(name)?;
            edges.push(Edge { target, marks });
        }
        Ok(())
    }

    fn bound(&self) -> usize {
        self.names.len()
    }
}

fn engine(tree: &mut Tree) -> Component<1> {
    let mut statistics = Statistics::default();
    let found = unwatched(|watch| engines::<1>()[0].search(tree, watch, &mut statistics));
    found.expect("no limits").expect("there is a lasso")
}

fn solve(tree: &mut Tree, component: &Component<1>, budget: Budget) -> Shortest<1> {
    let answer = unwatched(|watch| shortest(tree, component, budget, watch));
    let answer = answer.expect("no limits").expect("there is a lasso");
    assert_eq!(answer.lasso.check(tree), Ok(()));
    answer
}

#[test]
fn a_shallow_violation_stays_cheap() {
    // The first child of the first child of the root.
    let mut tree = Tree::new(&[4]);
    let component = engine(&mut tree);
    let known = tree.bound();
    let answer = solve(&mut tree, &component, Budget::default());
    assert_eq!((answer.lasso.len(), answer.shortest), (3, true));
    assert!(known < 10 && tree.bound() < 20, "{known}, {}", tree.bound());
}

#[test]
fn a_shallow_violation_beside_a_deep_one_is_found_soon() {
    // An engine that dives meets the first leaf; the third child of the root's children is nearer.
    let mut tree = Tree::new(&[LEAVES, 7]);
    let component = engine(&mut tree);
    let lasso = unwatched(|watch| first(&mut tree, &component, Reach::Known, watch));
    let lasso = lasso.expect("no limits").expect("there is a lasso");
    assert_eq!(lasso.len(), 24);
    let answer = solve(&mut tree, &component, Budget::default());
    assert_eq!((answer.lasso.len(), answer.shortest), (3, true));
    assert!(tree.bound() < 5000, "{}", tree.bound());
}

#[test]
fn a_limit_of_the_graph_ends_the_search_with_bounds() {
    let mut tree = Tree::new(&[LEAVES]);
    let component = engine(&mut tree);
    tree.limit = 10_000;
    let answer = solve(&mut tree, &component, Budget::default());
    assert_eq!((answer.lasso.len(), answer.shortest), (24, false));
    // 10,000 nodes are twelve complete layers and a part of the next.
    assert!(
        (12..=14).contains(&answer.lower_bound),
        "{}",
        answer.lower_bound
    );
    enclosed(&answer, 24, "a tree");
}

#[test]
fn every_budget_is_kept_with_bounds() {
    let mut random = Random::new(1);
    for _ in 0..200 {
        let deep = 1 << random.between(3, 12);
        let mut tree = Tree::new(&[deep, LEAVES]);
        let component = engine(&mut tree);
        let budget = Budget {
            rounds: Some(random.below(20_000) as u64),
            ..Budget::default()
        };
        let answer = solve(&mut tree, &component, budget);
        enclosed(&answer, deep.ilog2() as usize + 1, "a tree");
        let optimal = answer.lasso.len() == deep.ilog2() as usize + 1;
        assert!(optimal, "the engine meets it first");
    }
}
