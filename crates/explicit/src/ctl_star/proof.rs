//! Proofs for formulas of branching time, for `evenhand_certify` to check.
//!
//! For each quantified part the product of the states with the tableau is explored, as the check will do it. Then:
//!
//! 1. *Cores.* Components that have all Büchi marks and grant what they request; of one that does not grant a pair,
//!    the components without the edges that request it, and so on (Emerson, Lei 1987; Latvala, Heljanko 2000).
//! 2. *Ways.* Nodes from which a core can be reached, by their distance.
//! 3. *Ranks.* The others, by the height of their components, level by level, as `ranks` says.
//!
//! Labels are found here again rather than taken from the labelling: nodes of a tester are not those of a tableau. So
//! this is a second opinion, and whoever asks can compare. Nobody has to believe it. Cost: that of the labelling, with
//! some 60 bytes for each node and 50 for each edge of the largest product.

mod search;

use std::collections::VecDeque;

use evenhand_certify::branching::{Branching, Existence, NodeClaim, StateGraph};
use evenhand_certify::{CellId, Cells, Checked, Failure, Flaw, Reason, Refusal};
use evenhand_system::Formula;
use rustc_hash::FxHashMap;

use crate::search::{Progress, Stop};
use crate::watch::Watch;
use search::{Job, NONE, Search};

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// A limit was reached.
    Stop(Stop),
    /// It cannot be checked, or what was made is none.
    Failure(Failure<Refusal>),
}

impl From<Stop> for Unproved {
    fn from(stop: Stop) -> Unproved {
        Unproved::Stop(stop)
    }
}

impl From<Flaw> for Unproved {
    fn from(flaw: Flaw) -> Unproved {
        Unproved::Failure(flaw.into())
    }
}

impl From<Failure<Refusal>> for Unproved {
    fn from(failure: Failure<Refusal>) -> Unproved {
        Unproved::Failure(failure)
    }
}

/// Proofs for all quantified parts of a formula, in their order. They are checked on the way: what is under a
/// quantifier is about the states where inner parts were proved to hold.
///
/// # Errors
/// If there is none, or a limit was reached.
pub fn prove(
    graph: &StateGraph,
    formula: &Formula,
    watch: &mut Watch<'_>,
) -> Result<Vec<Existence>, Unproved> {
    let mut branching = Branching::new(graph, formula);
    let mut proofs = Vec::new();
    while let Some(product) = branching.product()? {
        let mut search = Search::new(product, watch)?;
        let proof = search.prove(watch)?;
        drop(search);
        let mut stopped = None;
        let mut go_on = |checked: &Checked| {
            let progress = Progress {
                states: checked.nodes,
                expanded: checked.nodes,
                transitions: checked.edges,
                ..Progress::default()
            };
            stopped = watch.look(&progress).err();
            stopped.is_none()
        };
        let learned = branching.learn(&proof, &mut go_on);
        if let Some(stop) = stopped {
            return Err(stop.into());
        }
        learned?;
        proofs.push(proof);
    }
    Ok(proofs)
}

impl Search<'_> {
    fn prove(&mut self, watch: &mut Watch<'_>) -> Result<Existence, Unproved> {
        let all: Vec<u32> = (0..self.len() as u32).collect();
        let mut proof = Existence::default();
        let mut claims: Vec<Option<NodeClaim>> = vec![None; all.len()];
        let mut todo = vec![Job {
            nodes: all.clone(),
            ..Job::default()
        }];
        while let Some(job) = todo.pop() {
            for component in self.components(&job, watch)? {
                match component.reason {
                    None => {
                        self.core(&component.nodes, &job.forbidden, &proof, &mut claims);
                        proof.cores.push(job.forbidden.clone());
                    }
                    Some(Reason::NotGranted { pair }) => {
                        todo.push(inside(&job, component.nodes, pair, None));
                    }
                    Some(_) => {}
                }
            }
        }
        self.ways(&mut claims);
        let is_dead = |&node: &u32| claims[node as usize].is_none();
        let nodes: Vec<u32> = all.into_iter().filter(is_dead).collect();
        self.ranks(nodes, &mut proof.cells, &mut claims, watch)?;
        let claims: Option<Vec<NodeClaim>> = claims.into_iter().collect();
        proof.nodes = claims.ok_or(Flaw::Unreadable)?;
        Ok(proof)
    }

    /// How far the nodes of a core are from its root, and the root from them.
    fn core(
        &mut self,
        nodes: &[u32],
        forbidden: &[usize],
        proof: &Existence,
        claims: &mut [Option<NodeClaim>],
    ) {
        let job = self.begin(nodes);
        let core = proof.cores.len() as u32;
        for &node in nodes {
            claims[node as usize] = Some(NodeClaim::Core {
                core,
                from_root: NONE,
                to_root: NONE,
            });
        }
        for is_forward in [true, false] {
            let mut queue = VecDeque::from([(nodes[0], 0)]);
            while let Some((node, number)) = queue.pop_front() {
                let Some(NodeClaim::Core {
                    from_root, to_root, ..
                }) = &mut claims[node as usize]
                else {
                    continue;
                };
                let own = if is_forward { from_root } else { to_root };
                if *own != NONE {
                    continue;
                }
                *own = number;
                match is_forward {
                    true => {
                        let next = self.outgoing(node, job, forbidden);
                        queue.extend(next.map(|other| (other, number + 1)));
                    }
                    false => {
                        let next = self.sources(node, job, forbidden);
                        queue.extend(next.map(|other| (other, number + 1)));
                    }
                }
            }
        }
    }

    /// The distances of nodes from cores.
    fn ways(&self, claims: &mut [Option<NodeClaim>]) {
        let is_core = |&node: &u32| claims[node as usize].is_some();
        let cores = (0..claims.len() as u32).filter(is_core);
        let mut queue: VecDeque<(u32, u32)> = cores.map(|node| (node, 0)).collect();
        while let Some((node, distance)) = queue.pop_front() {
            for &(source, _) in self.incoming(node) {
                let claim = &mut claims[source as usize];
                if claim.is_none() {
                    *claim = Some(NodeClaim::Way(distance + 1));
                    queue.push_back((source, distance + 1));
                }
            }
        }
    }

    /// Ranks for nodes without a run that counts.
    fn ranks(
        &mut self,
        nodes: Vec<u32>,
        cells: &mut Cells,
        claims: &mut [Option<NodeClaim>],
        watch: &mut Watch<'_>,
    ) -> Result<(), Unproved> {
        let mut known: FxHashMap<(Option<CellId>, u32, Reason), CellId> = FxHashMap::default();
        let mut todo = vec![Job {
            nodes,
            ..Job::default()
        }];
        while let Some(job) = todo.pop() {
            for component in self.components(&job, watch)? {
                // A core among the dead would be a mistake, which the check will see.
                let reason = component.reason.unwrap_or(Reason::NoEdge);
                // Components of one height have no edges between them, so they may share a cell; but what is
                // ranked further is ranked for each alone.
                let key = (job.around, component.height, reason);
                let shared = known.get(&key).copied();
                let cell = match (reason, shared) {
                    (Reason::NotGranted { .. }, _) | (_, None) => {
                        let cell = cells.add(job.around, component.height, reason)?;
                        known.insert(key, cell);
                        cell
                    }
                    (_, Some(cell)) => cell,
                };
                for &node in &component.nodes {
                    claims[node as usize] = Some(NodeClaim::Dead(cell));
                }
                if let Reason::NotGranted { pair } = reason {
                    todo.push(inside(&job, component.nodes, pair, Some(cell)));
                }
            }
        }
        Ok(())
    }
}

/// What is left of a component without the edges that request a pair.
fn inside(job: &Job, nodes: Vec<u32>, pair: u32, around: Option<CellId>) -> Job {
    let mut forbidden = job.forbidden.clone();
    forbidden.push(pair as usize);
    Job {
        nodes,
        forbidden,
        around,
    }
}
