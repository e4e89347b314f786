//! Is there a fair run that breaks a formula? Decided plainly, on the whole of a small space.
//!
//! The automaton is the tester of the negated formula: all truth values of its temporal subformulas
//! are tried beside each state, and the constraints of the tester are evaluated term by term. The
//! product is built as a whole, finished runs extended by a step that stays and that nobody takes.
//! Components come from sets of nodes that can be reached forward and backward (no depth-first
//! search); a component that lacks a grant is tried again without the requests. Neither the
//! translation to automata nor the product, the spaces and the engines of the tool are used.
//!
//! Where the product is tiny the answer is compared with another one, over closures of relations.

use std::collections::HashMap;

use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Pair, Streett};
use evenhand_logic::{Assignment, Exactness, Tester, When, tester};
use evenhand_logic::{FormulaId, Formulas};
use evenhand_testkit::graphs::by_components;

use super::assumptions::Assumption;
use super::space::Space;

/// A formula with the states where its atoms hold, by atom.
pub struct Claim {
    /// The tester of the negation.
    tester: Tester,
    /// For each state, the truth of all atoms.
    letters: Vec<Vec<bool>>,
}

impl Claim {
    /// The claim that a formula is broken.
    pub fn negation(store: &mut Formulas, formula: FormulaId, atoms: &[Vec<bool>]) -> Claim {
        let negation = store.not(formula);
        let tester = tester(store, negation, Exactness::Asserted).expect("linear time");
        let states = atoms.first().map_or(0, Vec::len);
        let letter = |state: usize| atoms.iter().map(|holds| holds[state]).collect();
        Claim {
            tester,
            letters: (0..states).map(letter).collect(),
        }
    }

    /// The values of all terms for a step.
    fn values(&self, (now, next): (usize, usize), (u, v): (u32, u32)) -> Vec<bool> {
        // A formula without atoms has the same letter everywhere.
        let empty = Vec::new();
        let letter = |when| match when {
            When::Now => self.letters.get(now).unwrap_or(&empty),
            When::Next => self.letters.get(next).unwrap_or(&empty),
        };
        let bits = |when| if when == When::Now { u } else { v };
        self.tester.values(&Assignment {
            atom: &|atom, when| letter(when)[atom.index()],
            variable: &|variable, when| bits(when) >> variable.0 & 1 == 1,
        })
    }
}

/// Marks of an edge, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Marks {
    buchi: u64,
    request: u64,
    grant: u64,
}

impl Marks {
    fn union(self, other: Marks) -> Marks {
        Marks {
            buchi: self.buchi | other.buchi,
            request: self.request | other.request,
            grant: self.grant | other.grant,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    source: usize,
    target: usize,
    marks: Marks,
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Whether some fair run breaks the formula.
    pub violated: bool,
    /// The size of the product.
    pub nodes: usize,
    /// Whether the second way was asked too.
    pub twice: bool,
}

/// Decides; none if the product is too large or there are too many marks.
pub fn decide(
    space: &Space,
    claim: &Claim,
    assumptions: &[Assumption],
    finished_runs: bool,
    most: usize,
) -> Option<Decided> {
    let variables = claim.tester.variables.len();
    let buchi = |a: &&Assumption| matches!(a, Assumption::Weak(_) | Assumption::Justice(_));
    let weak = assumptions.iter().filter(buchi).count();
    let strong = assumptions.len() - weak;
    let justice = claim.tester.justice.len();
    if variables > 8 || weak + justice > 63 || strong > 63 {
        return None;
    }
    let product = build(space, claim, assumptions, finished_runs, most)?;
    let all = (1u64 << (weak + justice)) - 1;
    let violated = accepts(product.nodes, &product.edges, all);
    let marks = weak + justice + 2 * strong;
    let twice = product.nodes <= 64 && marks <= 64;
    if twice {
        let graph = product.as_graph(weak + justice, strong);
        assert_eq!(
            violated,
            by_components(&graph),
            "brute force disagrees with itself"
        );
    }
    Some(Decided {
        violated,
        nodes: product.nodes,
        twice,
    })
}

struct Product {
    nodes: usize,
    initial: usize,
    edges: Vec<Edge>,
}

fn build(
    space: &Space,
    claim: &Claim,
    assumptions: &[Assumption],
    finished_runs: bool,
    most: usize,
) -> Option<Product> {
    let tester = &claim.tester;
    let valuations = 1u32 << tester.variables.len();
    let mut known: HashMap<(usize, u32), usize> = HashMap::new();
    let mut nodes: Vec<(usize, u32)> = Vec::new();
    let mut add = |node: (usize, u32), nodes: &mut Vec<(usize, u32)>| {
        *known.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        })
    };
    for &state in &space.initial {
        for u in 0..valuations {
            let values = claim.values((state, state), (u, u));
            let start = tester.initial.iter().chain([&tester.asserted]);
            if start.clone().all(|t| values[t.0 as usize]) {
                add((state, u), &mut nodes);
            }
        }
    }
    let initial = nodes.len();
    let mut edges = Vec::new();
    let mut next = 0;
    while next < nodes.len() {
        if nodes.len() > most {
            return None;
        }
        let (state, u) = nodes[next];
        let steps = space.steps[state].iter().enumerate();
        let mut targets: Vec<(usize, Option<usize>)> =
            steps.map(|(i, step)| (step.target, Some(i))).collect();
        if targets.is_empty() && finished_runs {
            targets.push((state, None));
        }
        for (target, step) in targets {
            let fair = marks_of(assumptions, state, step);
            for v in 0..valuations {
                let values = claim.values((state, target), (u, v));
                if !tester.transition.iter().all(|t| values[t.0 as usize]) {
                    continue;
                }
                let mut marks = fair;
                let weak = assumptions.iter().filter(|a| is_buchi(a)).count();
                for (i, t) in tester.justice.iter().enumerate() {
                    marks.buchi |= u64::from(values[t.0 as usize]) << (weak + i);
                }
                edges.push(Edge {
                    source: next,
                    target: add((target, v), &mut nodes),
                    marks,
                });
            }
        }
        next += 1;
    }
    Some(Product {
        nodes: nodes.len(),
        initial,
        edges,
    })
}

fn is_buchi(assumption: &Assumption) -> bool {
    matches!(assumption, Assumption::Weak(_) | Assumption::Justice(_))
}

/// The definition of each kind of fairness; without a step the run stays where it ended.
fn marks_of(assumptions: &[Assumption], state: usize, step: Option<usize>) -> Marks {
    let mut marks = Marks::default();
    let (mut weak, mut strong) = (0, 0);
    for assumption in assumptions {
        match assumption {
            Assumption::Weak(item) => {
                let taken = step.is_some_and(|step| item.taken[state][step]);
                marks.buchi |= u64::from(!item.enabled[state] || taken) << weak;
            }
            Assumption::Justice(states) => marks.buchi |= u64::from(states[state]) << weak,
            Assumption::Strong(item) => {
                let taken = step.is_some_and(|step| item.taken[state][step]);
                marks.request |= u64::from(item.enabled[state]) << strong;
                marks.grant |= u64::from(taken) << strong;
            }
            Assumption::Compassion(when, then) => {
                marks.request |= u64::from(when[state]) << strong;
                marks.grant |= u64::from(then[state]) << strong;
            }
        }
        match is_buchi(assumption) {
            true => weak += 1,
            false => strong += 1,
        }
    }
    marks
}

/// Whether some closed walk over these edges has all Büchi marks, and a grant for each request.
fn accepts(nodes: usize, edges: &[Edge], all: u64) -> bool {
    for inside in components(nodes, edges) {
        let none = Marks::default();
        let marks = inside.iter().fold(none, |sum, e| sum.union(e.marks));
        if marks.buchi != all {
            continue;
        }
        let open = marks.request & !marks.grant;
        if open == 0 {
            return true;
        }
        let rest: Vec<Edge> = (inside.iter())
            .filter(|e| e.marks.request & open == 0)
            .copied()
            .collect();
        if accepts(nodes, &rest, all) {
            return true;
        }
    }
    false
}

/// The edges inside each component.
fn components(nodes: usize, edges: &[Edge]) -> Vec<Vec<Edge>> {
    let mut found = Vec::new();
    let mut open = vec![edges.to_vec()];
    while let Some(edges) = open.pop() {
        let edges = trim(nodes, edges);
        let Some(pivot) = edges.first().map(|e| e.source) else {
            continue;
        };
        let forward = reach(nodes, &edges, pivot, |e| (e.source, e.target));
        let backward = reach(nodes, &edges, pivot, |e| (e.target, e.source));
        let part = |node: usize| (forward[node], backward[node]);
        let mut parts: HashMap<(bool, bool), Vec<Edge>> = HashMap::new();
        for edge in edges {
            // No cycle leads from one part into another.
            if part(edge.source) == part(edge.target) {
                parts.entry(part(edge.source)).or_default().push(edge);
            }
        }
        for (part, edges) in parts {
            match part {
                (true, true) => found.push(edges),
                _ => open.push(edges),
            }
        }
    }
    found
}

/// Without edges from nodes that nothing leads to, or to nodes that nothing leads out of.
fn trim(nodes: usize, mut edges: Vec<Edge>) -> Vec<Edge> {
    loop {
        let (mut entered, mut left) = (vec![false; nodes], vec![false; nodes]);
        for edge in &edges {
            left[edge.source] = true;
            entered[edge.target] = true;
        }
        let before = edges.len();
        edges.retain(|e| entered[e.source] && left[e.target]);
        if edges.len() == before {
            return edges;
        }
    }
}

fn reach(
    nodes: usize,
    edges: &[Edge],
    from: usize,
    ends: impl Fn(&Edge) -> (usize, usize),
) -> Vec<bool> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for edge in edges {
        let (a, b) = ends(edge);
        next[a].push(b);
    }
    let mut reached = vec![false; nodes];
    reached[from] = true;
    let mut todo = vec![from];
    while let Some(node) = todo.pop() {
        for &other in &next[node] {
            if !reached[other] {
                reached[other] = true;
                todo.push(other);
            }
        }
    }
    reached
}

impl Product {
    /// The same for the oracle of the graph tests.
    fn as_graph(&self, buchi: usize, strong: usize) -> PlainGraph<1> {
        let pairs = (0..strong).map(|i| Pair {
            request: (buchi + 2 * i) as u16,
            grant: (buchi + 2 * i + 1) as u16,
        });
        let condition = Streett::new((0..buchi).collect(), pairs.collect());
        let mut graph = PlainGraph::new(condition, self.nodes);
        graph.initial = (0..self.initial)
            .map(|n| evenhand_explicit::graph::NodeId(n as u32))
            .collect();
        let bits = |set: u64| (0..64).filter(move |i| set >> i & 1 == 1);
        for edge in &self.edges {
            let of_buchi = bits(edge.marks.buchi);
            let requests = bits(edge.marks.request).map(|i| buchi + 2 * i);
            let grants = bits(edge.marks.grant).map(|i| buchi + 2 * i + 1);
            let marks: Vec<usize> = of_buchi.chain(requests).chain(grants).collect();
            graph.add(edge.source, &marks, edge.target);
        }
        graph
    }
}
