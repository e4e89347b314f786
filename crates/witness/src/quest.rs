//! A core with only the marks that matter, ready to be searched.
//!
//! The searches for a shortest cycle are exponential in the marks, so marks that cannot make a
//! difference inside a core are dropped first. What a cycle has to see is called an *obligation*: a
//! Büchi mark from the beginning, the grant of a pair once a request was met. Inside one core
//!
//! - a pair whose request does not occur asks for nothing; one whose request is on every edge makes
//!   its grant a Büchi mark; one whose grant is on each edge of its request is always fulfilled;
//! - a Büchi mark that is on every edge carrying another Büchi mark comes for free with that one
//!   (weak fairness gives many: the marks of processes that are disabled together);
//! - a pair whose grant comes for free with a Büchi mark is fulfilled.
//!
//! An edge then *pays* obligations (its marks) and *owes* grants (of its requests). A walk is known
//! by what it still owes and which grants it has seen: 2^g · 3^k combinations, however many pairs
//! share a request or a grant. Obligations are numbered by rarity: the rare ones give the best
//! bounds.

use evenhand_explicit::graph::NodeId;
use evenhand_explicit::marks::Marks;

use crate::cores::Core;
use crate::meter::{Halt, Meter};

/// Obligations with bounds: more cost memory and prune little.
pub(crate) const BOUNDED: usize = 32;

/// Which marks matter in a core.
pub(crate) struct Relevance {
    /// The mark of each obligation; the rare ones first.
    obligations: Vec<usize>,
    /// Whether each is owed from the beginning.
    buchi: Vec<bool>,
    /// Request marks, each with an obligation.
    pairs: Vec<(usize, usize)>,
}

impl Relevance {
    /// Looks through the edges of a core.
    pub fn of<const W: usize>(core: &Core<W>, meter: &mut Meter<'_, '_>) -> Result<Self, Halt> {
        let condition = core.condition();
        let asked = condition.pairs().iter();
        let asked = asked.flat_map(|p| [usize::from(p.request), usize::from(p.grant)]);
        let roles: Marks<W> = condition.buchi.iter().chain(asked).collect();
        let size = roles.iter().max().map_or(0, |m| m + 1);
        // Marks on every edge that carries a mark, and how many edges do.
        let mut with = vec![roles; size];
        let mut count = vec![0u32; size];
        let mut every = roles;
        for edge in core.all_edges() {
            meter.round(|| core.bytes())?;
            every = every.intersection(edge.marks);
            for mark in edge.marks.intersection(roles).iter() {
                with[mark] = with[mark].intersection(edge.marks);
                count[mark] += 1;
            }
        }
        let mut wanted = condition.buchi;
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for pair in condition.pairs() {
            let (request, grant) = (usize::from(pair.request), usize::from(pair.grant));
            if every.contains(request) {
                wanted.insert(grant);
            } else if count[request] > 0 && !with[request].contains(grant) {
                pairs.push((request, grant));
            }
        }
        let free = |mark: usize, other: usize| {
            let stronger = other < mark || !with[mark].contains(other);
            other != mark && with[other].contains(mark) && stronger
        };
        let kept: Marks<W> = wanted
            .iter()
            .filter(|&mark| !every.contains(mark) && !wanted.iter().any(|o| free(mark, o)))
            .collect();
        pairs.retain(|&(_, grant)| !kept.iter().any(|mark| with[mark].contains(grant)));
        let owed: Marks<W> = pairs.iter().map(|&(_, grant)| grant).collect();
        let mut obligations: Vec<usize> = kept.union(owed).iter().collect();
        obligations.sort_by_key(|&mark| (count[mark], mark));
        let number = |mark| obligations.iter().position(|&o| o == mark).unwrap_or(0);
        let mut pairs: Vec<(usize, usize)> = pairs
            .iter()
            .map(|&(request, grant)| (request, number(grant)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let buchi = obligations.iter().map(|&o| kept.contains(o)).collect();
        Ok(Relevance {
            obligations,
            buchi,
            pairs,
        })
    }

    /// How many obligations there are.
    pub fn len(&self) -> usize {
        self.obligations.len()
    }
}

/// An edge: where it leads, what it pays and what it owes.
#[derive(Clone, Copy)]
pub(crate) struct Step<const V: usize> {
    pub target: u32,
    pub pays: Marks<V>,
    pub owes: Marks<V>,
}

/// A core, its distances from the start and its obligations.
pub(crate) struct Quest<const V: usize> {
    /// The distance of each node from the start.
    pub depth: Vec<u32>,
    offsets: Vec<u32>,
    steps: Vec<Step<V>>,
    into_offsets: Vec<u32>,
    /// Source and number of the edges into each node.
    into: Vec<(u32, u32)>,
    /// Obligations from the beginning.
    pub buchi: Marks<V>,
    /// Obligations that are grants of pairs.
    pub grants: Marks<V>,
}

impl<const V: usize> Quest<V> {
    /// Prepares a core; its obligations must fit.
    pub fn new<const W: usize>(
        core: &Core<W>,
        relevance: &Relevance,
        depth: &dyn Fn(NodeId) -> u32,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Quest<V>, Halt> {
        let size = core.size();
        let mut quest = Quest {
            depth: core.nodes().iter().map(|&node| depth(node)).collect(),
            offsets: vec![0],
            steps: Vec::with_capacity(core.all_edges().len()),
            into_offsets: vec![0; size + 1],
            into: vec![(0, 0); core.all_edges().len()],
            buchi: (0..relevance.len())
                .filter(|&o| relevance.buchi[o])
                .collect(),
            grants: relevance.pairs.iter().map(|&(_, grant)| grant).collect(),
        };
        for node in 0..size {
            meter.round(|| core.bytes() + quest.bytes())?;
            for edge in core.edges(NodeId(node as u32)) {
                let marks = edge.marks;
                let paid =
                    (0..relevance.len()).filter(|&o| marks.contains(relevance.obligations[o]));
                let owed = relevance.pairs.iter();
                let owed = owed.filter(|&&(request, _)| marks.contains(request));
                quest.steps.push(Step {
                    target: edge.target.0,
                    pays: paid.collect(),
                    owes: owed.map(|&(_, grant)| grant).collect(),
                });
                quest.into_offsets[edge.target.index() + 1] += 1;
            }
            quest.offsets.push(quest.steps.len() as u32);
        }
        for node in 0..size {
            quest.into_offsets[node + 1] += quest.into_offsets[node];
        }
        let mut next = quest.into_offsets.clone();
        for source in 0..size as u32 {
            for number in quest.edges(source) {
                let place = &mut next[quest.steps[number as usize].target as usize];
                quest.into[*place as usize] = (source, number);
                *place += 1;
            }
        }
        Ok(quest)
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        self.depth.len()
    }

    /// Memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        12 * self.depth.len() + (size_of::<Step<V>>() + 8) * self.into.len()
    }

    /// Whether there is one Büchi mark at most, and no pair.
    pub fn is_simple(&self) -> bool {
        self.grants.is_empty() && self.buchi.iter().count() == 1
    }

    /// The numbers of the edges out of a node: the same as in the core.
    pub fn edges(&self, node: u32) -> std::ops::Range<u32> {
        self.offsets[node as usize]..self.offsets[node as usize + 1]
    }

    /// An edge.
    #[inline]
    pub fn step(&self, number: u32) -> &Step<V> {
        &self.steps[number as usize]
    }

    /// Sources and numbers of the edges into a node.
    pub fn into(&self, node: u32) -> &[(u32, u32)] {
        let node = node as usize;
        &self.into[self.into_offsets[node] as usize..self.into_offsets[node + 1] as usize]
    }

    /// For each node the number of edges up to and including the nearest one that pays.
    pub fn distances_to(&self, obligation: usize) -> Vec<u16> {
        let paying = |&(_, number): &(u32, u32)| self.step(number).pays.contains(obligation);
        let sources = (0..self.size() as u32)
            .flat_map(|node| self.into(node).iter().filter(|e| paying(e)))
            .map(|&(source, _)| source);
        self.spread(sources, 1, |node, meet| {
            self.into(node).iter().for_each(|&(source, _)| meet(source));
        })
    }

    /// For each node the number of edges from behind the nearest one that pays.
    pub fn distances_from(&self, obligation: usize) -> Vec<u16> {
        let paying = self.steps.iter().filter(|s| s.pays.contains(obligation));
        self.spread(paying.map(|s| s.target), 0, |node, meet| {
            self.edges(node)
                .for_each(|number| meet(self.step(number).target));
        })
    }

    /// Breadth-first; distances too large for their type stay at its greatest value, which keeps
    /// them lower bounds.
    fn spread(
        &self,
        sources: impl Iterator<Item = u32>,
        first: u16,
        neighbours: impl Fn(u32, &mut dyn FnMut(u32)),
    ) -> Vec<u16> {
        let mut distance = vec![u16::MAX; self.size()];
        let mut queue = Vec::new();
        for source in sources {
            if distance[source as usize] == u16::MAX {
                distance[source as usize] = first;
                queue.push(source);
            }
        }
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let farther = distance[node as usize].saturating_add(1);
            if farther == u16::MAX {
                break;
            }
            neighbours(node, &mut |other| {
                if distance[other as usize] == u16::MAX {
                    distance[other as usize] = farther;
                    queue.push(other);
                }
            });
        }
        distance
    }

    /// The numbers of the edges of a shortest path from some of the sources to a node.
    pub fn path(&self, sources: &[u32], to: u32) -> Option<Vec<u32>> {
        // The source and number of the edge each node was met by, from one.
        let mut met: Vec<Option<(u32, u32)>> = vec![None; self.size()];
        let mut queue: Vec<u32> = Vec::new();
        let mut known = vec![false; self.size()];
        for &source in sources {
            if !known[source as usize] {
                known[source as usize] = true;
                queue.push(source);
            }
        }
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            if node == to {
                break;
            }
            next += 1;
            for number in self.edges(node) {
                let target = self.step(number).target;
                if !known[target as usize] {
                    known[target as usize] = true;
                    met[target as usize] = Some((node, number));
                    queue.push(target);
                }
            }
        }
        if !known[to as usize] {
            return None;
        }
        let mut path = Vec::new();
        let mut at = to;
        while let Some((before, number)) = met[at as usize] {
            path.push(number);
            at = before;
        }
        path.reverse();
        Some(path)
    }
}
