//! The shortest lasso for generalized Büchi marks and Streett pairs: exact, and useful at any time.
//!
//! The shortest lasso is the least of d(s) + c(s) over the nodes s of all cores, where d is the
//! distance from the start and c the length of a shortest accepting closed walk at s. Whether a
//! walk is accepting depends only on the set of its marks, so breadth-first search over triples of
//! a node, what the walk owes and which grants it has seen (see `quest`) finds c(s): 2^g · 3^k
//! copies of the core in the worst case, and the problem is NP-hard. Four ideas keep it far from
//! that.
//!
//! *Dominance*: a lasso can enter its cycle at the node of the cycle that is nearest to the start,
//! so the search at s leaves out nodes that come before s in the order of distance and number.
//!
//! *Bounds*: from t the walk must still come back to s, and for each obligation i that is open it
//! must go to an edge that pays i and come back from there: max over i of (distance to an i-edge) +
//! (least way back from an i-edge). Both are exact distances in a relaxed problem, so nothing is
//! lost.
//!
//! The search at s stays in the region of nodes t that a cycle of the length at hand can pass: not
//! too far from s backwards, at least d(t) - d(s) forwards, and close enough to edges that pay.
//!
//! *Deepening*: a node s is looked at with a total length that its bound allows and no more; when
//! nothing is found, the least total at which more is possible becomes its new bound. Nodes wait
//! in the order of their bounds, so the first lasso found is a shortest one, and at each moment the
//! total at hand is a proven lower bound for all lassos: what is told when the budget ends.
//!
//! *Fresh notes*: the visited triples belong to one search at one s, so memory is that of the
//! largest single search. Beside it stand the cores and, for at most 32 obligations, two bytes per
//! node and direction.

use std::collections::BTreeMap;

use evenhand_explicit::marks::Marks;

use crate::meter::{Halt, Meter};
use crate::quest::{BOUNDED, Quest};
use crate::visited::Visited;

/// A shortest cycle: the number of its core, its entry, the numbers of its edges, and the length of
/// the lasso.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub quest: usize,
    pub entry: u32,
    pub edges: Vec<u32>,
    pub length: usize,
}

/// Looks for the shortest lasso of some cores that is shorter than `bound`. The second value is a
/// lower bound for all of them, `bound` if none is shorter.
pub(crate) fn search<const V: usize>(
    quests: &[&Quest<V>],
    bound: usize,
    meter: &mut Meter<'_, '_>,
) -> (Option<Found>, usize, Option<Halt>) {
    let mut searcher = Searcher {
        taken: 0,
        ways: Vec::new(),
        around: Vec::new(),
        round: 0,
        met: Vec::new(),
        back: Vec::new(),
        way_back: Vec::new(),
        region: Vec::new(),
        visited: Visited::default(),
    };
    let mut agenda: BTreeMap<usize, Vec<(usize, u32)>> = BTreeMap::new();
    for (number, quest) in quests.iter().enumerate() {
        if let Err(halt) = searcher.prepare(quest, number, bound, &mut agenda, meter) {
            let nearest = quests.iter().flat_map(|q| q.depth.iter()).min();
            let least = nearest.map_or(bound, |&d| d as usize + 1);
            return (None, least.min(bound), Some(halt));
        }
    }
    while let Some((total, starts)) = agenda.pop_first() {
        for (number, entry) in starts {
            match searcher.attempt(quests[number], number, entry, total, meter) {
                Ok(Attempt::Found(edges)) => {
                    let length = quests[number].depth[entry as usize] as usize + edges.len();
                    let found = Found {
                        quest: number,
                        entry,
                        edges,
                        length,
                    };
                    return (Some(found), length, None);
                }
                Ok(Attempt::Later(later)) if later < bound => {
                    agenda.entry(later).or_default().push((number, entry));
                }
                Ok(Attempt::Later(_) | Attempt::Never) => {}
                Err(halt) => return (None, total, Some(halt)),
            }
        }
    }
    (None, bound, None)
}

enum Attempt {
    /// The numbers of the edges of a shortest cycle.
    Found(Vec<u32>),
    /// Nothing below this total.
    Later(usize),
    /// No cycle begins here.
    Never,
}

struct Searcher<const V: usize> {
    /// Memory of the cores and the bounds.
    taken: usize,
    /// For each core and bounded obligation: the distances to the nearest edge that pays it.
    ways: Vec<Vec<Vec<u16>>>,
    /// For each core: a lower bound for the accepting cycles through each node.
    around: Vec<Vec<u32>>,
    /// The nodes that can come back to the start, and how far it is.
    round: u32,
    met: Vec<u32>,
    back: Vec<u32>,
    region: Vec<u32>,
    /// For each obligation the least way back from behind an edge that pays it.
    way_back: Vec<usize>,
    visited: Visited<V>,
}

impl<const V: usize> Searcher<V> {
    /// Computes the bounds of a core and puts its nodes on the agenda.
    fn prepare(
        &mut self,
        quest: &Quest<V>,
        number: usize,
        bound: usize,
        agenda: &mut BTreeMap<usize, Vec<(usize, u32)>>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Halt> {
        let size = quest.size();
        if self.met.len() < size {
            self.met.resize(size, 0);
            self.back.resize(size, 0);
        }
        self.taken += quest.bytes() + 4 * size;
        let mut around = vec![1u32; size];
        let mut ways = Vec::new();
        let obligations = quest.buchi.union(quest.grants);
        for obligation in obligations.iter().take_while(|&o| o < BOUNDED) {
            meter.round(|| self.taken)?;
            self.taken += 2 * size;
            let to = quest.distances_to(obligation);
            if quest.buchi.contains(obligation) {
                let from = quest.distances_from(obligation);
                for node in 0..size {
                    let least = u32::from(to[node]) + u32::from(from[node]);
                    around[node] = around[node].max(least);
                }
            }
            ways.push(to);
        }
        self.ways.push(ways);
        for (node, &around) in (0..).zip(&around) {
            let total = quest.depth[node as usize] as usize + around as usize;
            if total < bound {
                agenda.entry(total).or_default().push((number, node));
            }
        }
        self.around.push(around);
        Ok(())
    }

    /// Looks for an accepting closed walk at `entry` that makes a lasso of length `total`, all
    /// shorter ones being excluded.
    fn attempt(
        &mut self,
        quest: &Quest<V>,
        number: usize,
        entry: u32,
        total: usize,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Attempt, Halt> {
        let depth = quest.depth[entry as usize] as usize;
        let room = total - depth;
        let (paid, cut) = self.look_back(quest, number, entry, room, meter)?;
        // If the region was cut, distances within it may be too great for the next attempt.
        let later = |least: usize| match least {
            _ if cut => Attempt::Later(total + 1),
            usize::MAX => Attempt::Never,
            _ => Attempt::Later(least),
        };
        if !paid.covers(quest.buchi) {
            return Ok(later(usize::MAX));
        }
        let least = depth + self.still(number, entry, quest.buchi);
        if least > total {
            return Ok(later(least));
        }
        self.visited.clear();
        self.visited.insert(entry, Marks::EMPTY, quest.buchi, 0, 0);
        let mut beyond = usize::MAX;
        let mut next = 0;
        let mut length = 0;
        let mut layer_end = 1;
        while next < self.visited.len() {
            if next == layer_end {
                length += 1;
                layer_end = self.visited.len();
            }
            meter.round(|| self.taken + self.visited.bytes())?;
            let (node, seen, owed) = self.visited.get(next);
            for edge in quest.edges(node) {
                let step = quest.step(edge);
                let target = step.target;
                if self.met[target as usize] != self.round || !paid.covers(step.owes) {
                    continue;
                }
                let seen = seen.union(step.pays.intersection(quest.grants));
                let owed = owed.union(step.owes).without(seen).without(step.pays);
                if target == entry && owed.is_empty() {
                    let mut edges = self.visited.path(next);
                    edges.push(edge);
                    return Ok(Attempt::Found(edges));
                }
                let still = self.still(number, target, owed);
                let least = depth + length + 1 + still;
                if least > total {
                    beyond = beyond.min(least);
                } else {
                    self.visited.insert(target, seen, owed, next as u32, edge);
                }
            }
            next += 1;
        }
        Ok(later(beyond))
    }

    /// A lower bound for the way from a node to the end of the cycle.
    #[inline]
    fn still(&self, number: usize, node: u32, owed: Marks<V>) -> usize {
        let ways = &self.ways[number];
        let around = owed.iter().map(|obligation| {
            let there = ways.get(obligation).map_or(1, |way| way[node as usize]);
            usize::from(there) + self.way_back[obligation]
        });
        around.fold(self.back[node as usize] as usize, usize::max)
    }

    /// Breadth-first backwards from the entry, over nodes that do not come before it and that a
    /// cycle of `room` edges can pass. Tells which obligations edges there pay, and whether nodes
    /// were left out for want of room.
    fn look_back(
        &mut self,
        quest: &Quest<V>,
        core: usize,
        entry: u32,
        room: usize,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(Marks<V>, bool), Halt> {
        self.round += 1;
        self.way_back.clear();
        self.way_back.resize(64 * V, 0);
        let mut paid = Marks::EMPTY;
        let mut cut = false;
        self.met[entry as usize] = self.round;
        self.back[entry as usize] = 0;
        self.region.clear();
        self.region.push(entry);
        let mut next = 0;
        while let Some(&node) = self.region.get(next) {
            next += 1;
            meter.round(|| self.taken + self.visited.bytes())?;
            let back = self.back[node as usize];
            for &(source, number) in quest.into(node) {
                if self.met[source as usize] != self.round {
                    if comes_before(quest, source, entry) {
                        continue;
                    }
                    let there = quest.depth[source as usize] - quest.depth[entry as usize];
                    let around = (there.max(1) + back + 1).max(self.around[core][source as usize]);
                    if around as usize > room {
                        cut = true;
                        continue;
                    }
                    self.met[source as usize] = self.round;
                    self.back[source as usize] = back + 1;
                    self.region.push(source);
                }
                let new = quest.step(number).pays.without(paid);
                for obligation in new.iter() {
                    self.way_back[obligation] = back as usize;
                }
                paid = paid.union(new);
            }
        }
        Ok((paid, cut))
    }
}

/// Whether a node is nearer to the start than the entry; numbers decide between equals.
fn comes_before<const V: usize>(quest: &Quest<V>, node: u32, entry: u32) -> bool {
    let key = |node: u32| (quest.depth[node as usize], node);
    key(node) < key(entry)
}
