//! From which nodes of a product is there a run that counts? Both answers are proved.
//!
//! **There is none**: the node has a rank, as in `edge`; all nodes behind it have ranks, and edges agree with them.
//!
//! **There is one**: the node has a distance to a *core*, with a next step to a smaller one; a core is a part that
//! runs can stay in and count. It has a root. Each of its nodes says how far it is from the root and how far the
//! root is from it, by edges inside that are allowed, and for each number there is an edge to, or from, the one
//! below. So all of them can be visited again and again by allowed edges, all of which can be taken; together
//! these have each Büchi mark, and of each pair the grant, or none has the request. Edges with the requests of some
//! pairs may be forbidden.
//!
//! One pass over the edges, no search. The rest is a look at each core in the end.

use super::product::{Arrow, Product};
use crate::edge::Rules;
use crate::flaw::{Checked, Failure, Flaw, Refusal};
use crate::rank::{CellId, Cells};

/// What is said of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeClaim {
    /// No run from here counts.
    Dead(CellId),
    /// A core is so many steps away, at least one.
    Way(u32),
    /// It is in a core.
    Core {
        /// The core, by number.
        core: u32,
        /// The number of steps from the root.
        from_root: u32,
        /// The number of steps to the root.
        to_root: u32,
    },
}

/// The proof for one quantifier: from which nodes there is a run that counts.
#[derive(Clone, Debug, Default)]
pub struct Existence {
    /// The ranks of nodes without such a run.
    pub cells: Cells,
    /// What is said of each node, in the order in which they are met.
    pub nodes: Vec<NodeClaim>,
    /// For each core the pairs, by place, whose requests are forbidden in it.
    pub cores: Vec<Vec<usize>>,
}

/// What was seen of a core.
#[derive(Clone, Debug, Default)]
struct Seen {
    roots: usize,
    edges: u64,
    /// The marks of its allowed edges.
    marks: Vec<bool>,
}

/// Whether a proof is one: then the nodes without a run that counts are those that are said to be dead.
///
/// # Errors
/// What is wrong with it; or why it cannot be checked.
pub(super) fn check_existence(
    product: &mut Product<'_>,
    proof: &Existence,
    observer: &mut dyn FnMut(&Checked) -> bool,
) -> Result<Checked, Failure<Refusal>> {
    let condition = product.condition().clone();
    let rules = Rules::new(&proof.cells, &condition)?;
    let empty = Seen {
        marks: vec![false; product.marks()],
        ..Seen::default()
    };
    let mut check = Check {
        proof,
        rules,
        cores: vec![empty; proof.cores.len()],
        is_reached: Vec::new(),
    };
    let mut checked = Checked::default();
    let mut edges: Vec<Arrow> = Vec::new();
    let mut node = 0;
    while node < product.len() {
        product.edges(node, &mut edges)?;
        check.is_reached.resize(product.len(), false);
        check.node(product, node, &edges)?;
        node += 1;
        checked.nodes += 1;
        checked.edges += edges.len() as u64;
        if node.is_multiple_of(1024) && !observer(&checked) {
            return Err(Refusal::Interrupted.into());
        }
    }
    check.cores(product)?;
    Ok(checked)
}

struct Check<'c> {
    proof: &'c Existence,
    rules: Rules<'c>,
    cores: Vec<Seen>,
    /// Nodes of cores that some edge leads to from one that is nearer to the root.
    is_reached: Vec<bool>,
}

impl Check<'_> {
    fn claim(&self, node: usize) -> Result<NodeClaim, Flaw> {
        let claim = self.proof.nodes.get(node).copied();
        let claim = claim.ok_or(Flaw::Initial { node })?;
        match claim {
            NodeClaim::Dead(cell) if !self.rules.has(cell) => Err(Flaw::NoCell),
            NodeClaim::Core { core, .. } if core as usize >= self.cores.len() => Err(Flaw::NoCore),
            _ => Ok(claim),
        }
    }

    fn node(&mut self, product: &Product<'_>, node: usize, edges: &[Arrow]) -> Result<(), Flaw> {
        // Whether there is an edge to the number below.
        let is_led = match self.claim(node)? {
            NodeClaim::Dead(cell) => {
                for edge in edges {
                    self.dead_edge(product, node, cell, edge)?;
                }
                true
            }
            NodeClaim::Way(distance) => {
                let mut is_led = false;
                for edge in edges {
                    let below = match self.claim(edge.target)? {
                        NodeClaim::Dead(_) => continue,
                        NodeClaim::Way(below) => below,
                        NodeClaim::Core { .. } => 0,
                    };
                    is_led |= below.checked_add(1) == Some(distance);
                }
                is_led
            }
            NodeClaim::Core {
                core,
                from_root,
                to_root,
            } => {
                let is_root = to_root == 0;
                if is_root != (from_root == 0) {
                    return Err(Flaw::Core { node });
                }
                self.cores[core as usize].roots += usize::from(is_root);
                let mut is_led = is_root;
                for edge in edges {
                    let NodeClaim::Core {
                        core: other,
                        from_root: from,
                        to_root: to,
                    } = self.claim(edge.target)?
                    else {
                        continue;
                    };
                    if other != core || !self.is_allowed(product, core, edge) {
                        continue;
                    }
                    let seen = &mut self.cores[core as usize];
                    seen.edges += 1;
                    for (mark, is_seen) in seen.marks.iter_mut().enumerate() {
                        *is_seen = *is_seen || product.has(edge, mark);
                    }
                    is_led |= to.checked_add(1) == Some(to_root);
                    if from_root.checked_add(1) == Some(from) {
                        self.is_reached[edge.target] = true;
                    }
                }
                is_led
            }
        };
        match is_led {
            true => Ok(()),
            false => Err(Flaw::NoWay { node }),
        }
    }

    /// An edge of a node without a run that counts.
    fn dead_edge(
        &self,
        product: &Product<'_>,
        node: usize,
        cell: CellId,
        edge: &Arrow,
    ) -> Result<(), Flaw> {
        let target = edge.target;
        let NodeClaim::Dead(below) = self.claim(target)? else {
            return Err(Flaw::Successor { node, target });
        };
        let fits = self.rules.edge(cell, below, |mark| product.has(edge, mark));
        fits.map_err(|flaw| Flaw::Edge { node, target, flaw })
    }

    /// Whether an edge inside a core may be taken.
    fn is_allowed(&self, product: &Product<'_>, core: u32, edge: &Arrow) -> bool {
        let forbidden = self.proof.cores[core as usize].iter();
        let mut pairs = forbidden.filter_map(|&pair| product.condition().pairs.get(pair));
        !pairs.any(|pair| product.has(edge, pair.request))
    }

    /// Cores have one root, from which all their nodes can be reached, and runs that stay in them count.
    fn cores(&self, product: &Product<'_>) -> Result<(), Flaw> {
        let nodes = self.proof.nodes.iter().take(product.len());
        for (node, claim) in nodes.enumerate() {
            if let NodeClaim::Core { from_root, .. } = *claim
                && from_root > 0
                && !self.is_reached[node]
            {
                return Err(Flaw::Core { node });
            }
        }
        let condition = product.condition();
        for (core, seen) in self.cores.iter().enumerate() {
            // A core that no node is in proves nothing, and is not needed.
            if seen.roots == 0 && seen.edges == 0 {
                continue;
            }
            let has = |mark: usize| seen.marks.get(mark) == Some(&true);
            let counts = condition.buchi.iter().all(|&mark| has(mark))
                && (condition.pairs.iter()).all(|pair| has(pair.grant) || !has(pair.request));
            if seen.roots != 1 || seen.edges == 0 || !counts {
                return Err(Flaw::Core { node: core });
            }
        }
        Ok(())
    }
}
