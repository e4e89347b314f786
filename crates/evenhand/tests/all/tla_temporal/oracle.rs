//! Whether a fair run breaks a formula, by brute force.
//!
//! A node is a step of the graph together with a guess of the truth of each `[]F` and `<>F` of the formula from there on.
//! Guesses of neighbours agree: `[]F` is true here if F is and `[]F` is true behind the step. A guess may promise something for
//! ever, so each `<>F` must infinitely often be false or kept, and each `[]F` true or broken. What remains is a cycle
//! through all of that which is fair: components are searched again without the places where a strong condition asks
//! for what the component does not have.

use super::formulas::{Fair, Formula};
use evenhand_testkit::tla_specifications::plain::graph::Graph;

/// More parts with `[]` or `<>` than this are not looked at.
const MOST: usize = 7;

struct Search<'g> {
    graph: &'g Graph,
    /// All parts with `[]` or `<>`.
    parts: Vec<&'g Formula>,
    /// The step and the guess of each node.
    nodes: Vec<(usize, usize)>,
    next: Vec<Vec<usize>>,
}

fn collect<'g>(formula: &'g Formula, parts: &mut Vec<&'g Formula>) {
    match formula {
        Formula::State(_) | Formula::Enabled(_) | Formula::Step(_) => {}
        Formula::Not(inside) => collect(inside, parts),
        Formula::And(list) | Formula::Or(list) => {
            list.iter().for_each(|part| collect(part, parts));
        }
        Formula::Always(inside) | Formula::Eventually(inside) => {
            collect(inside, parts);
            parts.push(formula);
        }
    }
}

/// Whether the formula is true on all fair runs; none where that is too much work.
pub fn holds(graph: &Graph, formula: &Formula, fair: &[Fair]) -> Option<bool> {
    let mut parts = Vec::new();
    collect(formula, &mut parts);
    if parts.len() > MOST {
        return None;
    }
    let mut search = Search {
        graph,
        parts,
        nodes: Vec::new(),
        next: Vec::new(),
    };
    search.build();
    let begins = |&node: &usize| {
        let (step, _) = search.nodes[node];
        let first = graph.initial.contains(&graph.steps[step].0);
        first && !search.truth(formula, node)
    };
    let begins: Vec<usize> = (0..search.nodes.len()).filter(begins).collect();
    let reached = search.reached(&begins);
    Some(!search.has_cycle(&reached, fair))
}

impl Search<'_> {
    fn build(&mut self) {
        let guesses = 1 << self.parts.len();
        for step in 0..self.graph.steps.len() {
            self.nodes.extend((0..guesses).map(|guess| (step, guess)));
        }
        self.next = vec![Vec::new(); self.nodes.len()];
        for node in 0..self.nodes.len() {
            let to = self.graph.steps[self.nodes[node].0].1;
            for (step, &(from, _)) in self.graph.steps.iter().enumerate() {
                if from != to {
                    continue;
                }
                let agreeing = (0..guesses).map(|guess| step * guesses + guess);
                let agreeing = agreeing.filter(|&other| self.agree(node, other));
                let agreeing: Vec<usize> = agreeing.collect();
                self.next[node].extend(agreeing);
            }
        }
    }

    fn guessed(&self, part: usize, node: usize) -> bool {
        self.nodes[node].1 >> part & 1 == 1
    }

    fn agree(&self, node: usize, other: usize) -> bool {
        (0..self.parts.len()).all(|part| {
            let (here, behind) = (self.guessed(part, node), self.guessed(part, other));
            match self.parts[part] {
                Formula::Always(inside) => here == (self.truth(inside, node) && behind),
                Formula::Eventually(inside) => here == (self.truth(inside, node) || behind),
                _ => false,
            }
        })
    }

    fn truth(&self, formula: &Formula, node: usize) -> bool {
        let step = self.nodes[node].0;
        let from = self.graph.steps[step].0;
        match formula {
            Formula::State(of) => self.graph.states[of][from],
            Formula::Enabled(of) => self.graph.enabled[of][from],
            Formula::Step(of) => self.graph.taken[of][step],
            Formula::Not(inside) => !self.truth(inside, node),
            Formula::And(list) => list.iter().all(|part| self.truth(part, node)),
            Formula::Or(list) => list.iter().any(|part| self.truth(part, node)),
            Formula::Always(_) | Formula::Eventually(_) => {
                let same = |part: &&Formula| std::ptr::eq(*part, formula);
                let part = self.parts.iter().position(same);
                self.guessed(part.expect("a part of the formula"), node)
            }
        }
    }

    fn reached(&self, begins: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.nodes.len()];
        let mut waiting = begins.to_vec();
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                waiting.extend(&self.next[node]);
            }
        }
        reached
    }

    /// Whether there is a fair cycle among these nodes on which all promises are kept.
    fn has_cycle(&self, inside: &[bool], fair: &[Fair]) -> bool {
        for component in self.components(inside) {
            let member = |node: usize| component.contains(&node);
            let moves = component
                .iter()
                .any(|&node| self.next[node].iter().any(|&other| member(other)));
            if !moves {
                continue;
            }
            let kept = (0..self.parts.len()).all(|part| {
                component.iter().any(|&node| match self.parts[part] {
                    Formula::Eventually(f) => !self.guessed(part, node) || self.truth(f, node),
                    Formula::Always(f) => self.guessed(part, node) || !self.truth(f, node),
                    _ => false,
                })
            });
            let enabled = |fair: &Fair, node: usize| {
                let from = self.graph.steps[self.nodes[node].0].0;
                self.graph.enabled[&fair.action][from]
            };
            let taken =
                |fair: &Fair, node: usize| self.graph.taken[&fair.action][self.nodes[node].0];
            let weak = fair.iter().filter(|fair| !fair.strong).all(|fair| {
                let mut nodes = component.iter();
                nodes.any(|&node| !enabled(fair, node) || taken(fair, node))
            });
            if !kept || !weak {
                continue;
            }
            let broken = fair.iter().filter(|fair| fair.strong).find(|fair| {
                component.iter().any(|&node| enabled(fair, node))
                    && !component.iter().any(|&node| taken(fair, node))
            });
            let Some(broken) = broken else {
                return true;
            };
            let mut fewer = vec![false; self.nodes.len()];
            for &node in &component {
                fewer[node] = !enabled(broken, node);
            }
            if self.has_cycle(&fewer, fair) {
                return true;
            }
        }
        false
    }

    /// Strongly connected components: what finishes last in one direction, gathered in the other.
    fn components(&self, inside: &[bool]) -> Vec<Vec<usize>> {
        let count = self.nodes.len();
        let mut back = vec![Vec::new(); count];
        for node in (0..count).filter(|&node| inside[node]) {
            for &other in self.next[node].iter().filter(|&&other| inside[other]) {
                back[other].push(node);
            }
        }
        let mut seen = vec![false; count];
        let mut finished = Vec::new();
        for first in (0..count).filter(|&node| inside[node]) {
            let mut stack = vec![(first, 0)];
            if std::mem::replace(&mut seen[first], true) {
                continue;
            }
            while let Some((node, place)) = stack.pop() {
                match self.next[node].get(place) {
                    Some(&other) => {
                        stack.push((node, place + 1));
                        if inside[other] && !std::mem::replace(&mut seen[other], true) {
                            stack.push((other, 0));
                        }
                    }
                    None => finished.push(node),
                }
            }
        }
        let mut taken = vec![false; count];
        let mut components = Vec::new();
        for &first in finished.iter().rev() {
            let mut component = Vec::new();
            let mut waiting = vec![first];
            while let Some(node) = waiting.pop() {
                if !std::mem::replace(&mut taken[node], true) {
                    component.push(node);
                    waiting.extend(&back[node]);
                }
            }
            if !component.is_empty() {
                components.push(component);
            }
        }
        components
    }
}
