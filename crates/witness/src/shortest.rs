//! The shortest lasso of a graph: how deep to look, and when to stop.
//!
//! The component an engine met first gives a lasso at once, without exploring anything new. A lasso
//! shorter than that one, of at most b transitions, passes only nodes at a distance below b from
//! the start, so the graph is explored breadth-first down to that depth and no further, and the
//! accepting cores of that part are all that can matter: a shallow violation in a huge graph stays
//! cheap. The depth is not walked blindly. Whenever the explored part has grown fourfold it is
//! searched for cores, and a quick cycle in one of them is a better bound: if the engine has dived
//! past a short counterexample, the exploration stops soon after its depth. Then the exact searches
//! decide.
//!
//! The budget is shared: half of it for exploring, the rest for what was explored. Whatever ends
//! the search, what has been excluded remains excluded: lassos within the explored part by the
//! searches, all others because they pass a node that is too far. So the answer always has a lower
//! bound.

use std::time::Instant;

use evenhand_explicit::emptiness::Component;
use evenhand_explicit::graph::{Graph, NodeId};
use evenhand_explicit::marks::Marks;
use evenhand_explicit::search::Stop;
use evenhand_explicit::watch::Watch;

use crate::cores::{Core, cores_of};
use crate::distances::Distances;
use crate::first::{Reach, first_within, quick_cycle};
use crate::lasso::GraphLasso;
use crate::meter::{Budget, Halt, Meter};
use crate::minimal::{Cycle, Method, minimal, one_per_accepting_node};

/// A lasso, and what is known about shorter ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortest<const W: usize> {
    /// The shortest that was found.
    pub lasso: GraphLasso<W>,
    /// Whether none is shorter.
    pub shortest: bool,
    /// No lasso is shorter than this.
    pub lower_bound: usize,
}

/// The answer of a bounded check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded<const W: usize> {
    /// The shortest lasso that was found, of at most the given number of transitions.
    pub lasso: Option<GraphLasso<W>>,
    /// No lasso is shorter than this. If none was found and this is greater than the given number
    /// of transitions, no lasso has at most that many; longer ones may exist all the same.
    pub lower_bound: usize,
    /// Whether the whole graph was explored and has no lasso of any length.
    pub empty: bool,
    /// Why the search ended before it was done.
    pub stop: Option<Stop>,
}

/// The shortest lasso of a graph within a budget, beginning with a component that an engine found;
/// none if that has no accepting cycle, which is an error of the engine.
///
/// # Errors
/// If a limit was reached before there was any lasso.
pub fn shortest<const W: usize>(
    graph: &mut dyn Graph<W>,
    component: &Component<W>,
    budget: Budget,
    watch: &mut Watch<'_>,
) -> Result<Option<Shortest<W>>, Stop> {
    let mut meter = Meter::unlimited(watch);
    let known = first_within(graph, component, Reach::Known, &mut meter);
    let Some(lasso) = known.map_err(Halt::into_stop)? else {
        return Ok(None);
    };
    let mut hunt = Hunt::new(graph, lasso.len(), budget, meter)?;
    let lower_bound = hunt.run();
    // Without a better one, or if its path cannot be walked again, the first is the answer.
    let lasso = hunt.lasso().ok().flatten().unwrap_or(lasso);
    Ok(Some(Shortest {
        shortest: lower_bound >= lasso.len(),
        lower_bound: lower_bound.min(lasso.len()),
        lasso,
    }))
}

/// Whether a graph has a lasso of at most `most` transitions, and the shortest if it has.
///
/// # Errors
/// If a limit was reached before anything was known.
pub fn bounded<const W: usize>(
    graph: &mut dyn Graph<W>,
    most: usize,
    budget: Budget,
    watch: &mut Watch<'_>,
) -> Result<Bounded<W>, Stop> {
    let meter = Meter::unlimited(watch);
    let mut hunt = Hunt::new(graph, most.saturating_add(1), budget, meter)?;
    let lower_bound = hunt.run();
    let empty = hunt.is_empty();
    Ok(Bounded {
        lasso: hunt.lasso()?,
        lower_bound,
        empty,
        stop: hunt.halt.map(Halt::into_stop),
    })
}

/// Shortest lassos of every part of a graph, shortest first: where one Büchi mark is all that
/// matters, one for each node that an edge with that mark leaves (nodes of one cycle may have the
/// same one); one for each core otherwise. The second value tells whether nothing was left out for
/// want of budget.
///
/// # Errors
/// If a limit was reached before anything was known.
pub fn all_shortest<const W: usize>(
    graph: &mut dyn Graph<W>,
    budget: Budget,
    watch: &mut Watch<'_>,
) -> Result<(Vec<Shortest<W>>, bool), Stop> {
    let meter = Meter::unlimited(watch);
    let mut hunt = Hunt::new(graph, usize::MAX, budget, meter)?;
    hunt.share(1);
    let mut explored = Ok(());
    while explored.is_ok() && !hunt.distances.is_complete() {
        explored = hunt.distances.advance(hunt.graph, &mut hunt.meter);
    }
    hunt.share(0);
    let all = hunt.look_for_cores();
    let mut complete = explored.is_ok() && all.is_ok();
    let mut cycles: Vec<(Cycle<W>, usize)> = Vec::new();
    for core in std::mem::take(&mut hunt.cores) {
        let depth = |node: NodeId| hunt.distances.of(node).unwrap_or(0);
        match one_per_accepting_node(&core, &depth, &mut hunt.meter) {
            Ok(Some(found)) => {
                let exact = |cycle: Cycle<W>| {
                    let length = cycle.length;
                    (cycle, length)
                };
                cycles.extend(found.into_iter().map(exact));
            }
            Ok(None) => {
                let cores = std::slice::from_ref(&core);
                hunt.bound = usize::MAX;
                complete &= hunt.quick(&core, ROOTS).is_ok();
                let quick = hunt.best.take();
                let bound = hunt.bound;
                let depth = |node: NodeId| hunt.distances.of(node).unwrap_or(0);
                let found = minimal(cores, &depth, bound, Method::Fastest, &mut hunt.meter);
                complete &= found.halt.is_none();
                let best = found.best.or(quick);
                cycles.extend(best.map(|cycle| (cycle, found.lower_bound)));
            }
            Err(_) => complete = false,
        }
    }
    cycles.sort_by_key(|(cycle, _)| (cycle.length, cycle.entry));
    let mut answers = Vec::new();
    for (cycle, lower_bound) in cycles {
        hunt.best = Some(cycle);
        if let Some(lasso) = hunt.lasso()? {
            answers.push(Shortest {
                shortest: complete && lower_bound >= lasso.len(),
                lower_bound: lower_bound.min(lasso.len()),
                lasso,
            });
        }
    }
    Ok((answers, complete))
}

/// The explored part is searched for cores first when it has this many nodes.
const FIRST_LOOK: usize = 1024;

/// How much it grows between two looks.
const GROWTH: usize = 4;

/// From how many nodes of a core quick cycles are tried at the end.
const ROOTS: usize = 8;

/// A search for a lasso that is shorter than a bound.
struct Hunt<'g, 'w, 'a, const W: usize> {
    graph: &'g mut dyn Graph<W>,
    distances: Distances,
    /// The cores of the explored part.
    cores: Vec<Core<W>>,
    best: Option<Cycle<W>>,
    /// Lassos of this length or more are not wanted.
    bound: usize,
    /// All shorter lassos are excluded.
    lower: usize,
    budget: Budget,
    bytes_at_start: usize,
    started: Instant,
    meter: Meter<'w, 'a>,
    halt: Option<Halt>,
}

impl<'g, 'w, 'a, const W: usize> Hunt<'g, 'w, 'a, W> {
    fn new(
        graph: &'g mut dyn Graph<W>,
        bound: usize,
        budget: Budget,
        meter: Meter<'w, 'a>,
    ) -> Result<Self, Stop> {
        let sources = graph.initial()?;
        Ok(Hunt {
            distances: Distances::from(&sources),
            cores: Vec::new(),
            best: None,
            bound,
            lower: 1.min(bound),
            budget,
            bytes_at_start: graph.bytes_used(),
            started: Instant::now(),
            graph,
            meter,
            halt: None,
        })
    }

    /// Gives what is left of the budget, or half of it if `halves` is one.
    fn share(&mut self, halves: u32) {
        let left = self
            .budget
            .time
            .map(|t| t.saturating_sub(self.started.elapsed()));
        let part = Budget {
            time: left.map(|time| time / (1 << halves)),
            bytes: self.budget.bytes.map(|bytes| bytes >> halves),
            rounds: self.budget.rounds.map(|rounds| rounds >> halves),
        };
        self.meter.allow(part, self.bytes_at_start);
    }

    /// Searches; all lassos shorter than the value are excluded.
    fn run(&mut self) -> usize {
        self.share(1);
        let mut quota = FIRST_LOOK;
        loop {
            self.halt = self.explore(quota).err();
            // What a lasso below the bound can pass is expanded, or no more can be.
            let mut settled = self.halt.is_some()
                || self.distances.is_complete()
                || self.distances.expanded() + 1 >= self.bound;
            if settled {
                self.share(0);
            }
            let mut looked = self.look(if settled { ROOTS } else { 1 });
            if looked == Err(Halt::Budget) && !settled {
                // The share for exploring is used up: now for what was explored.
                settled = true;
                self.halt = Some(Halt::Budget);
                self.share(0);
                looked = self.look(ROOTS);
            }
            if let Err(halt) = looked {
                self.halt = Some(halt);
                return self.lower.min(self.bound);
            }
            if self.distances.expanded() + 1 >= self.bound {
                // The bound may have shrunk to what was explored before.
                self.halt = None;
                self.share(0);
                break;
            }
            if settled {
                break;
            }
            quota = GROWTH * self.distances.nodes().len();
        }
        let depth = |node: NodeId| self.distances.of(node).unwrap_or(0);
        let found = minimal(
            &self.cores,
            &depth,
            self.bound,
            Method::Fastest,
            &mut self.meter,
        );
        if let Some(cycle) = found.best {
            self.bound = cycle.length;
            self.best = Some(cycle);
        }
        self.halt = self.halt.or(found.halt);
        self.lower = found.lower_bound.min(self.beyond()).max(self.lower);
        self.lower.min(self.bound)
    }

    /// Whether the whole graph was explored and has no accepting cycle: not even one that is too
    /// long.
    fn is_empty(&mut self) -> bool {
        if self.halt.is_some() || self.best.is_some() || !self.distances.is_complete() {
            return false;
        }
        let nodes = self.distances.nodes();
        let cores = cores_of(self.graph, nodes, Marks::EMPTY, &mut self.meter);
        cores.is_ok_and(|cores| cores.is_empty())
    }

    /// Expands layers until the bound is reached or so many nodes are known.
    fn explore(&mut self, quota: usize) -> Result<(), Halt> {
        while self.distances.expanded() + 1 < self.bound
            && !self.distances.is_complete()
            && self.distances.nodes().len() < quota
        {
            self.distances.advance(self.graph, &mut self.meter)?;
        }
        Ok(())
    }

    /// A lasso that leaves the explored part is at least this long.
    fn beyond(&self) -> usize {
        if self.distances.is_complete() {
            usize::MAX
        } else {
            self.distances.expanded() + 1
        }
    }

    /// Finds the cores of the explored part, and lowers the bound by quick cycles in each.
    fn look(&mut self, roots: usize) -> Result<(), Halt> {
        self.look_for_cores()?;
        self.improve(roots)
    }

    /// Finds the cores of the explored part.
    fn look_for_cores(&mut self) -> Result<(), Halt> {
        let nodes = self.distances.nodes_above(self.bound.saturating_sub(1));
        let parts = cores_of(self.graph, nodes, Marks::EMPTY, &mut self.meter)?;
        let cores = parts.iter().flat_map(|part| &part.nodes);
        let nearest = cores.filter_map(|&node| self.distances.of(node)).min();
        let inside = nearest.map_or(usize::MAX, |depth| depth as usize + 1);
        self.lower = inside.min(self.beyond()).max(self.lower);
        self.cores = Core::load(self.graph, &parts, &mut self.meter)?;
        Ok(())
    }

    /// Lowers the bound by quick cycles in each core.
    fn improve(&mut self, roots: usize) -> Result<(), Halt> {
        let cores = std::mem::take(&mut self.cores);
        let improved = cores.iter().try_for_each(|core| self.quick(core, roots));
        self.cores = cores;
        improved
    }

    /// Lowers the bound by cycles of a core through some of its nodes, nearest to the start first.
    fn quick(&mut self, core: &Core<W>, roots: usize) -> Result<(), Halt> {
        let mut nearest: Vec<(usize, u32)> = (0..core.size() as u32)
            .map(|root| {
                let depth = self.distances.of(core.outside(NodeId(root)));
                (depth.map_or(usize::MAX, |d| d as usize), root)
            })
            .collect();
        if nearest.len() > roots {
            nearest.select_nth_unstable(roots);
            nearest.truncate(roots);
        }
        nearest.sort_unstable();
        for (depth, root) in nearest {
            if depth.saturating_add(1) >= self.bound {
                break;
            }
            let cycle = quick_cycle(core, NodeId(root), &mut self.meter)?;
            if let Some(walk) = cycle
                && depth + walk.len() < self.bound
            {
                self.bound = depth + walk.len();
                self.best = Some(Cycle {
                    entry: core.outside(NodeId(root)),
                    length: self.bound,
                    edges: core.translate(&walk),
                });
            }
        }
        Ok(())
    }

    /// The best that was found, with a path to it.
    fn lasso(&mut self) -> Result<Option<GraphLasso<W>>, Stop> {
        let Some(cycle) = self.best.take() else {
            return Ok(None);
        };
        let prefix = self.distances.path_to(self.graph, cycle.entry)?;
        Ok(prefix.map(|prefix| GraphLasso {
            prefix,
            cycle: cycle.edges,
        }))
    }
}
