//! A product that was explored, and the components of its parts (Tarjan 1972).

use evenhand_certify::branching::{Arrow, Product};
use evenhand_certify::{CellId, Reason};

use super::Unproved;
use crate::search::{Progress, Stop};
use crate::watch::Watch;

/// A product that was explored.
pub(super) struct Search<'g> {
    product: Product<'g>,
    /// Where the edges of each node end.
    ends: Vec<usize>,
    edges: Vec<Arrow>,
    /// Where the edges into each node begin among `incoming`, the source and the place of each.
    starts: Vec<usize>,
    incoming: Vec<(u32, u32)>,
    /// The number of the job that each node belongs to.
    job_of: Vec<u32>,
    jobs: u32,
    /// For each node of a job the first node that is known to be reached from it, in the order in which they are
    /// met; and the place of its component when that is finished.
    low: Vec<u32>,
    component_of: Vec<u32>,
}

pub(super) const NONE: u32 = u32::MAX;

/// A part of the product in which some pairs must not be requested.
#[derive(Clone, Debug, Default)]
pub(super) struct Job {
    pub nodes: Vec<u32>,
    pub forbidden: Vec<usize>,
    /// The cell of the level above.
    pub around: Option<CellId>,
}

/// A component of a job.
pub(super) struct Component {
    pub nodes: Vec<u32>,
    pub height: u32,
    /// Why runs that stay in it do not count; none if they do.
    pub reason: Option<Reason>,
}

impl<'g> Search<'g> {
    /// Explores it to its end.
    pub fn new(mut product: Product<'g>, watch: &mut Watch<'_>) -> Result<Search<'g>, Unproved> {
        let (mut ends, mut edges, mut some) = (Vec::new(), Vec::new(), Vec::new());
        while ends.len() < product.len() {
            product.edges(ends.len(), &mut some)?;
            edges.extend_from_slice(&some);
            ends.push(edges.len());
            watch.tick(|| progress(product.len(), ends.len(), edges.len()))?;
        }
        let mut starts = vec![0; ends.len() + 1];
        for arrow in &edges {
            starts[arrow.target + 1] += 1;
        }
        for node in 0..ends.len() {
            starts[node + 1] += starts[node];
        }
        let (mut next, mut incoming) = (starts.clone(), vec![(0, 0); edges.len()]);
        let mut node = 0;
        for (edge, arrow) in edges.iter().enumerate() {
            while ends[node] <= edge {
                node += 1;
            }
            incoming[next[arrow.target]] = (node as u32, edge as u32);
            next[arrow.target] += 1;
        }
        Ok(Search {
            job_of: vec![0; ends.len()],
            jobs: 0,
            low: vec![NONE; ends.len()],
            component_of: vec![NONE; ends.len()],
            product,
            ends,
            edges,
            starts,
            incoming,
        })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The edges into a node.
    pub fn incoming(&self, node: u32) -> &[(u32, u32)] {
        &self.incoming[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// Gives nodes the number of a new job.
    pub fn begin(&mut self, nodes: &[u32]) -> u32 {
        self.jobs += 1;
        for &node in nodes {
            self.job_of[node as usize] = self.jobs;
        }
        self.jobs
    }

    fn is_allowed(&self, edge: usize, forbidden: &[usize]) -> bool {
        let pairs = &self.product.condition().pairs;
        let arrow = &self.edges[edge];
        let mut requests = forbidden.iter().map(|&pair| pairs[pair].request);
        !requests.any(|request| self.product.has(arrow, request))
    }

    fn range(&self, node: u32) -> std::ops::Range<usize> {
        let node = node as usize;
        node.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[node]
    }

    /// The nodes of a job behind allowed edges of a node.
    pub fn outgoing<'s>(
        &'s self,
        node: u32,
        job: u32,
        forbidden: &'s [usize],
    ) -> impl Iterator<Item = u32> + 's {
        let edges = self.range(node);
        let edges = edges.filter(move |&edge| {
            self.job_of[self.edges[edge].target] == job && self.is_allowed(edge, forbidden)
        });
        edges.map(|edge| self.edges[edge].target as u32)
    }

    /// The nodes of a job in front of allowed edges into a node.
    pub fn sources<'s>(
        &'s self,
        node: u32,
        job: u32,
        forbidden: &'s [usize],
    ) -> impl Iterator<Item = u32> + 's {
        let edges = self.incoming(node).iter();
        let edges = edges.filter(move |&&(source, edge)| {
            self.job_of[source as usize] == job && self.is_allowed(edge as usize, forbidden)
        });
        edges.map(|&(source, _)| source)
    }

    /// The components of a job, those that others lead to first.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn components(&mut self, job: &Job, watch: &mut Watch<'_>) -> Result<Vec<Component>, Stop> {
        let number = self.begin(&job.nodes);
        for &node in &job.nodes {
            self.low[node as usize] = NONE;
            self.component_of[node as usize] = NONE;
        }
        let mut open: Vec<u32> = Vec::new();
        let mut found: Vec<Component> = Vec::new();
        // Nodes on the way, their next edges, and their places in the order in which they are met.
        let mut way: Vec<(u32, usize, u32)> = Vec::new();
        let mut met = 0;
        for &start in &job.nodes {
            let mut fresh = (self.low[start as usize] == NONE).then_some(start);
            loop {
                watch.tick(|| progress(self.len(), self.len(), self.edges.len()))?;
                if let Some(node) = fresh.take() {
                    way.push((node, self.range(node).start, met));
                    self.low[node as usize] = met;
                    open.push(node);
                    met += 1;
                }
                let Some(&mut (node, ref mut edge, order)) = way.last_mut() else {
                    break;
                };
                if *edge < self.ends[node as usize] {
                    let (edge, target) = (*edge, self.edges[*edge].target);
                    if let Some((_, next, _)) = way.last_mut() {
                        *next += 1;
                    }
                    if self.job_of[target] != number || !self.is_allowed(edge, &job.forbidden) {
                        continue;
                    }
                    if self.low[target] == NONE {
                        fresh = Some(target as u32);
                    } else if self.component_of[target] == NONE {
                        let low = self.low[target];
                        self.low[node as usize] = self.low[node as usize].min(low);
                    }
                    continue;
                }
                way.pop();
                let own = self.low[node as usize];
                if let Some(&(above, ..)) = way.last() {
                    self.low[above as usize] = self.low[above as usize].min(own);
                }
                if order == own {
                    let mut nodes = Vec::new();
                    while let Some(member) = open.pop() {
                        self.component_of[member as usize] = found.len() as u32;
                        nodes.push(member);
                        if member == node {
                            break;
                        }
                    }
                    let component = self.component(nodes, number, job, &found);
                    found.push(component);
                }
            }
        }
        Ok(found)
    }

    /// The height of a component above those it leads to, and why runs in it do not count.
    fn component(&self, nodes: Vec<u32>, number: u32, job: &Job, found: &[Component]) -> Component {
        let own = found.len() as u32;
        // The marks of the edges inside, if there are any: most components have none.
        let (mut height, mut inside) = (0, None::<Vec<bool>>);
        for &node in &nodes {
            for edge in self.range(node) {
                let arrow = &self.edges[edge];
                let is_there = self.job_of[arrow.target] == number;
                if !is_there || !self.is_allowed(edge, &job.forbidden) {
                    continue;
                }
                match self.component_of[arrow.target] {
                    component if component != own => {
                        height = height.max(found[component as usize].height + 1);
                    }
                    _ => {
                        let marks = inside.get_or_insert_with(|| vec![false; self.product.marks()]);
                        for (mark, is_seen) in marks.iter_mut().enumerate() {
                            *is_seen = *is_seen || self.product.has(arrow, mark);
                        }
                    }
                }
            }
        }
        let condition = self.product.condition();
        let reason = match inside {
            None => Some(Reason::NoEdge),
            Some(marks) => {
                let missing = condition.buchi.iter().find(|&&mark| !marks[mark]);
                let missing = missing.map(|&mark| Reason::Missing { mark: mark as u32 });
                let mut pairs = condition.pairs.iter();
                let refused = pairs.position(|pair| marks[pair.request] && !marks[pair.grant]);
                let refused = refused.map(|pair| Reason::NotGranted { pair: pair as u32 });
                missing.or(refused)
            }
        };
        Component {
            nodes,
            height,
            reason,
        }
    }
}

fn progress(nodes: usize, expanded: usize, edges: usize) -> Progress {
    Progress {
        states: nodes as u64,
        expanded: expanded as u64,
        transitions: edges as u64,
        depth: 0,
        bytes: (edges * 50 + nodes * 60) as u64,
    }
}
