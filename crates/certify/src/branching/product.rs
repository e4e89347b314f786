//! The product of a graph of states with the tableau of the formula under a quantifier.
//!
//! A node is a state and a state of the tableau with the same letter: it says which formulas are true there on
//! some run. Its edges are steps of both. Nodes are numbered in the order in which they are met, from the
//! beginnings of runs on, so operators of the past have the values that they have there.

use evenhand_logic::FormulaId;
use evenhand_source::spend;

use super::graph::StateGraph;
use crate::condition::Condition;
use crate::flaw::Flaw;
use crate::tableau::Tableau;

/// An edge of a product.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    /// The node behind it.
    pub target: usize,
    /// The set of fairness marks, and the marks of the tableau.
    fair: u32,
    own: u128,
}

/// The product, as far as it was asked for.
#[derive(Debug)]
pub struct Product<'g> {
    graph: &'g StateGraph,
    tableau: Tableau,
    /// The number of the letter of each state, over the propositions of the tableau.
    letters: Vec<u32>,
    /// How many letters there are.
    letter_count: usize,
    /// For each demand and letter the states of the tableau that meet the one and have the other.
    meeting: Vec<Vec<u32>>,
    /// The marks of each state of the tableau.
    marks: Vec<u128>,
    condition: Condition,
    /// The formula under the quantifier, and which value is looked for.
    sought: (FormulaId, bool),
    nodes: Vec<Node>,
    /// The node of each state that was met last.
    last: Vec<u32>,
    beginnings: usize,
}

/// A state, a state of the tableau, and the node of the same state that was met before it.
#[derive(Clone, Copy, Debug)]
struct Node {
    state: u32,
    truth: u32,
    before: u32,
}

const NONE: u32 = u32::MAX;

impl<'g> Product<'g> {
    /// Makes the beginnings: if `only_sought`, those with the value that is looked for. `letters` has the letter of
    /// each state, and `letter_of` tells those of the tableau's states.
    pub(super) fn new(
        graph: &'g StateGraph,
        tableau: Tableau,
        letters: &[u64],
        letter_of: impl Fn(&Tableau, u32) -> u64,
        (sought, only_sought): ((FormulaId, bool), bool),
    ) -> Result<Product<'g>, Flaw> {
        let mut different = letters.to_vec();
        different.sort_unstable();
        different.dedup();
        let place = |letter: u64| different.binary_search(&letter).ok();
        let of_truth: Vec<Option<usize>> = (0..tableau.len() as u32)
            .map(|truth| place(letter_of(&tableau, truth)))
            .collect();
        let mut meeting = vec![Vec::new(); tableau.demands() * different.len()];
        for demand in 0..tableau.demands() {
            for &truth in tableau.meeting(demand) {
                if let Some(letter) = of_truth[truth as usize] {
                    meeting[demand * different.len() + letter].push(truth);
                }
            }
        }
        let mut condition = graph.fairness.clone();
        let behind = graph.marks..graph.marks + tableau.marks();
        condition.buchi.extend(behind);
        let numbers = letters
            .iter()
            .map(|&letter| place(letter).unwrap_or(0) as u32);
        let mut product = Product {
            graph,
            letters: numbers.collect(),
            letter_count: different.len(),
            meeting,
            marks: (0..tableau.len()).map(|t| tableau.marks_of(t)).collect(),
            condition,
            sought,
            nodes: Vec::new(),
            last: vec![NONE; graph.len()],
            beginnings: 0,
            tableau,
        };
        let first = product.tableau.initial().to_vec();
        for &state in &graph.initial {
            let letter = product.letters[state as usize] as usize;
            for &truth in &first {
                let counts = !only_sought || product.has_value(truth);
                if of_truth[truth as usize] == Some(letter) && counts {
                    product.meet(state, truth)?;
                }
            }
        }
        product.beginnings = product.nodes.len();
        Ok(product)
    }

    /// How many nodes were met.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node was met.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The first nodes are beginnings of runs: so many.
    pub fn beginnings(&self) -> usize {
        self.beginnings
    }

    /// Which runs count: fairness, then the marks of the tableau.
    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// The number of marks.
    pub fn marks(&self) -> usize {
        self.graph.marks + self.tableau.marks()
    }

    /// The number of states of the system.
    pub fn states(&self) -> usize {
        self.graph.len()
    }

    /// The state of a node.
    ///
    /// # Panics
    /// Here and below: if the node was not met.
    pub fn state(&self, node: usize) -> usize {
        self.nodes[node].state as usize
    }

    /// Whether the formula under the quantifier has the value that is looked for.
    pub fn is_sought(&self, node: usize) -> bool {
        self.has_value(self.nodes[node].truth)
    }

    /// Puts the edges of a node in place of what `edges` held.
    ///
    /// # Errors
    /// If there are too many nodes.
    pub fn edges(&mut self, node: usize, edges: &mut Vec<Arrow>) -> Result<(), Flaw> {
        spend();
        edges.clear();
        let Node { state, truth, .. } = self.nodes[node];
        let demand = self.tableau.demand(truth as usize);
        let own = self.marks[truth as usize];
        let graph = self.graph;
        for &(target, fair) in graph.edges(state as usize) {
            let letter = self.letters[target as usize] as usize;
            let meeting = demand * self.letter_count + letter;
            for place in 0..self.meeting[meeting].len() {
                let truth = self.meeting[meeting][place];
                let target = self.meet(target, truth)?;
                edges.push(Arrow { target, fair, own });
            }
        }
        Ok(())
    }

    /// Whether an edge has a mark.
    pub fn has(&self, edge: &Arrow, mark: usize) -> bool {
        match mark.checked_sub(self.graph.marks) {
            None => self.graph.has(edge.fair, mark),
            Some(own) => own < 128 && edge.own >> own & 1 == 1,
        }
    }

    /// States where some node has the value and counts, and what is the same as these.
    pub(super) fn states_where(
        &self,
        counts: impl Fn(usize) -> bool,
        beginnings: bool,
    ) -> Vec<bool> {
        let nodes = match beginnings {
            true => self.beginnings,
            false => self.len(),
        };
        let mut set = vec![false; self.graph.len()];
        for node in (0..nodes).filter(|&node| self.is_sought(node) && counts(node)) {
            set[self.state(node)] = true;
        }
        self.graph.merged(set)
    }

    fn has_value(&self, truth: u32) -> bool {
        let (formula, value) = self.sought;
        self.tableau.value(truth as usize, formula) == Some(value)
    }

    fn meet(&mut self, state: u32, truth: u32) -> Result<usize, Flaw> {
        let mut known = self.last[state as usize];
        while let Some(node) = self.nodes.get(known as usize) {
            if node.truth == truth {
                return Ok(known as usize);
            }
            known = node.before;
        }
        let fresh = u32::try_from(self.nodes.len()).ok();
        let fresh = fresh.filter(|&fresh| fresh != NONE);
        let before = self.last[state as usize];
        self.last[state as usize] = fresh.ok_or(Flaw::NoRoom)?;
        self.nodes.push(Node {
            state,
            truth,
            before,
        });
        Ok(self.nodes.len() - 1)
    }
}
