//! The shortest lasso for one acceptance set, in polynomial time and linear memory.
//!
//! Gastin and Moro ("Minimal counterexample generation for SPIN", 2007) take each accepting state
//! in turn and ask for the shortest lasso whose cycle passes it. With marks on edges, an accepting
//! edge r → t takes the part of the state: a lasso enters its cycle in some node s, goes on to r,
//! takes the edge, and comes back from t to s. One breadth-first search from t gives the cost of
//! the way back plus the prefix for each s; a second one, in which each s starts at its cost, finds
//! the cheapest to arrive at r. All accepting edges of one r are handled at once. In the order of
//! distance of r from the start, and with the best lasso so far as a bound, most searches end
//! early.
//!
//! Three things differ from the printed algorithms. All notes are fresh for each r: notes that are
//! never reset lose lassos. The goal r is tested when a node is reached at all, not among the edges
//! to nodes that are new: else a loop at r is never seen. And what is found is kept together with
//! its bound. A node s need not start by itself if it is no nearer to the start than the node the
//! first search reached it from: the second search reaches it from there at no greater cost.
//!
//! Distances from the start bound distances between nodes: from x to r it is at least d(r) - d(x).
//! So a lasso through r whose way back has n edges has at least d(r) + 1 + n, and one that has cost
//! c in x has at least c + d(r) - d(x): what reaches the bound by this is not followed.
//!
//! Time O(edges · accepting nodes), memory O(nodes).

use crate::meter::{Halt, Meter};
use crate::quest::Quest;

/// A lasso through an accepting edge of `through`, entered at `entry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub length: usize,
    pub entry: u32,
    pub through: u32,
}

/// The state of the searches in one core with one Büchi mark and no pairs.
pub(crate) struct GastinMoro<'q, const V: usize> {
    quest: &'q Quest<V>,
    round: u32,
    /// In which round each node was met by the first search, and by the second.
    met: Vec<u32>,
    marked: Vec<u32>,
}

impl<'q, const V: usize> GastinMoro<'q, V> {
    pub fn new(quest: &'q Quest<V>) -> GastinMoro<'q, V> {
        GastinMoro {
            quest,
            round: 0,
            met: vec![0; quest.size()],
            marked: vec![0; quest.size()],
        }
    }

    /// The sources of accepting edges, nearest to the start first.
    pub fn accepting(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = (0..self.quest.size() as u32)
            .filter(|&node| !self.targets(node).is_empty())
            .collect();
        nodes.sort_by_key(|&node| (self.quest.depth[node as usize], node));
        nodes
    }

    /// Where the accepting edges of a node lead.
    fn targets(&self, node: u32) -> Vec<u32> {
        let steps = self.quest.edges(node).map(|number| self.quest.step(number));
        let accepting = steps.filter(|step| step.pays.covers(self.quest.buchi));
        accepting.map(|step| step.target).collect()
    }

    /// The shortest lasso of the core that is shorter than `bound`. The second value is a lower
    /// bound for all of them, `bound` if none is shorter.
    pub fn shortest(
        &mut self,
        mut bound: usize,
        meter: &mut Meter<'_, '_>,
    ) -> (Option<Hit>, usize, Option<Halt>) {
        let mut best = None;
        for through in self.accepting() {
            let least = self.quest.depth[through as usize] as usize + 1;
            if least >= bound {
                break;
            }
            match self.through(through, bound, meter) {
                Ok(Some(hit)) => {
                    bound = hit.length;
                    best = Some(hit);
                }
                Ok(None) => {}
                Err(halt) => return (best, least, Some(halt)),
            }
        }
        (best, bound, None)
    }

    /// The shortest lasso through an accepting edge of a node that is shorter than `bound`.
    pub fn through(
        &mut self,
        through: u32,
        bound: usize,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Hit>, Halt> {
        self.round += 1;
        let goal = self.quest.depth[through as usize];
        let starts = self.starts(through, bound, meter)?;
        let mut starts = starts.into_iter().peekable();
        // Pairs of a node and the entry it was reached from.
        let mut frontier: Vec<(u32, u32)> = Vec::new();
        let mut next: Vec<(u32, u32)> = Vec::new();
        let Some(&(mut cost, _)) = starts.peek() else {
            return Ok(None);
        };
        while cost < bound {
            while let Some((_, entry)) = starts.next_if(|&(c, _)| c == cost) {
                frontier.push((entry, entry));
            }
            for &(node, entry) in &frontier {
                if self.marked[node as usize] == self.round {
                    continue;
                }
                self.marked[node as usize] = self.round;
                if node == through {
                    return Ok(Some(Hit {
                        length: cost,
                        entry,
                        through,
                    }));
                }
                meter.round(|| self.quest.bytes())?;
                for number in self.quest.edges(node) {
                    let target = self.quest.step(number).target;
                    let still = goal.saturating_sub(self.quest.depth[target as usize]) as usize;
                    if self.marked[target as usize] != self.round && cost + 1 + still < bound {
                        next.push((target, entry));
                    }
                }
            }
            frontier.clear();
            std::mem::swap(&mut frontier, &mut next);
            if frontier.is_empty() && starts.peek().is_none() {
                break;
            }
            cost += 1;
        }
        Ok(None)
    }

    /// Nodes at which a lasso may enter, with the cost of the prefix and the way back, cheapest
    /// first.
    fn starts(
        &mut self,
        through: u32,
        bound: usize,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<(usize, u32)>, Halt> {
        let quest = self.quest;
        let mut starts = Vec::new();
        let mut frontier = Vec::new();
        let mut back = 0;
        let goal = quest.depth[through as usize] as usize;
        let mut note = |node: u32, back: usize| {
            let depth = quest.depth[node as usize] as usize;
            let cost = depth + 1 + back;
            if cost + goal.saturating_sub(depth) < bound {
                starts.push((cost, node));
            }
        };
        for target in self.targets(through) {
            if self.met[target as usize] != self.round {
                self.met[target as usize] = self.round;
                note(target, 0);
                frontier.push(target);
            }
        }
        while !frontier.is_empty() && goal + 2 + back < bound {
            back += 1;
            for node in std::mem::take(&mut frontier) {
                meter.round(|| quest.bytes())?;
                for number in quest.edges(node) {
                    let target = quest.step(number).target;
                    if self.met[target as usize] == self.round {
                        continue;
                    }
                    self.met[target as usize] = self.round;
                    if quest.depth[target as usize] < quest.depth[node as usize] {
                        note(target, back);
                    }
                    frontier.push(target);
                }
            }
        }
        starts.sort_unstable();
        Ok(starts)
    }

    /// The numbers of the edges of the cycle of a lasso.
    pub fn cycle(&self, hit: Hit) -> Option<Vec<u32>> {
        let quest = self.quest;
        let mut cycle = quest.path(&[hit.entry], hit.through)?;
        let targets = self.targets(hit.through);
        let home = quest.path(&targets, hit.entry)?;
        let landing = home.first().map_or(Some(hit.entry), |&first| {
            targets
                .iter()
                .copied()
                .find(|&target| quest.edges(target).contains(&first))
        })?;
        cycle.push(quest.edges(hit.through).find(|&number| {
            let step = quest.step(number);
            step.target == landing && step.pays.covers(quest.buchi)
        })?);
        cycle.extend(home);
        Some(cycle)
    }
}
