//! The shortest lasso of some cores: which search for which core.
//!
//! In a core where one Büchi mark is all that matters, Gastin and Moro's search is polynomial; in
//! all others the exact search has to do. Each gets the best of the ones before it as its bound,
//! and the least of what they prove is a lower bound for all.

use evenhand_explicit::graph::{Edge, NodeId};
use evenhand_explicit::marks::Marks;

use crate::cores::Core;
use crate::exact;
use crate::gastin_moro::{GastinMoro, Hit};
use crate::meter::{Halt, Meter};
use crate::quest::{Quest, Relevance};

/// The distance of each node from the start.
pub type Depth<'d> = &'d dyn Fn(NodeId) -> u32;

/// Which search may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Gastin and Moro's where it applies.
    #[default]
    Fastest,
    /// Only the exact search.
    Exact,
}

/// An accepting closed walk, in numbers of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle<const W: usize> {
    /// Where it begins and ends.
    pub entry: NodeId,
    /// Its edges.
    pub edges: Vec<Edge<W>>,
    /// The length of the lasso: the distance of the entry and the edges.
    pub length: usize,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimal<const W: usize> {
    /// The best lasso that is shorter than the bound of the search.
    pub best: Option<Cycle<W>>,
    /// No lasso is shorter than this; the bound of the search if it is done and found none.
    pub lower_bound: usize,
    /// Why it ended before it was done.
    pub halt: Option<Halt>,
}

/// Looks for the shortest lasso of some cores that is shorter than `bound`.
pub fn minimal<const W: usize>(
    cores: &[Core<W>],
    depth: Depth<'_>,
    bound: usize,
    method: Method,
    meter: &mut Meter<'_, '_>,
) -> Minimal<W> {
    let relevances = cores.iter().map(|core| Relevance::of(core, meter));
    let prepared: Result<Vec<Relevance>, Halt> = relevances.collect();
    let done = prepared.and_then(|relevances| {
        // Few obligations remain nearly always, and one word for them saves most of the memory.
        if relevances.iter().all(|r| r.len() <= Marks::<1>::CAPACITY) {
            search::<W, 1>(cores, &relevances, depth, bound, method, meter)
        } else {
            search::<W, W>(cores, &relevances, depth, bound, method, meter)
        }
    });
    done.unwrap_or_else(|halt| {
        let nodes = cores.iter().flat_map(|core| core.nodes());
        let nearest = nodes.map(|&node| depth(node) as usize + 1).min();
        Minimal {
            best: None,
            lower_bound: nearest.unwrap_or(bound).min(bound),
            halt: Some(halt),
        }
    })
}

fn search<const W: usize, const V: usize>(
    cores: &[Core<W>],
    relevances: &[Relevance],
    depth: Depth<'_>,
    bound: usize,
    method: Method,
    meter: &mut Meter<'_, '_>,
) -> Result<Minimal<W>, Halt> {
    let quests = cores.iter().zip(relevances);
    let quests: Result<Vec<Quest<V>>, Halt> = quests
        .map(|(core, relevance)| Quest::new(core, relevance, depth, meter))
        .collect();
    let quests = quests?;
    let simple = |i: &usize| method == Method::Fastest && quests[*i].is_simple();
    let (easy, hard): (Vec<usize>, Vec<usize>) = (0..quests.len()).partition(simple);
    let mut result = Minimal {
        best: None,
        lower_bound: bound,
        halt: None,
    };
    let mut upper = bound;
    for number in easy {
        let mut searcher = GastinMoro::new(&quests[number]);
        let (hit, lower, halt) = searcher.shortest(upper, meter);
        if let Some(cycle) = hit.and_then(|hit| through(&cores[number], &searcher, hit)) {
            upper = cycle.length;
            result.best = Some(cycle);
        }
        result.lower_bound = result.lower_bound.min(lower);
        result.halt = result.halt.or(halt);
    }
    let chosen: Vec<&Quest<V>> = hard.iter().map(|&i| &quests[i]).collect();
    let (found, lower, halt) = exact::search(&chosen, upper, meter);
    if let Some(found) = found {
        let core = &cores[hard[found.quest]];
        result.best = Some(cycle_of(core, found.entry, &found.edges, found.length));
    }
    result.lower_bound = result.lower_bound.min(lower);
    result.halt = result.halt.or(halt);
    Ok(result)
}

/// For each node of a core that an accepting edge leaves, a shortest lasso through such an edge;
/// none if more than one Büchi mark matters in the core.
///
/// # Errors
/// If the budget is used up or a limit was reached.
pub(crate) fn one_per_accepting_node<const W: usize>(
    core: &Core<W>,
    depth: Depth<'_>,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Vec<Cycle<W>>>, Halt> {
    let relevance = Relevance::of(core, meter)?;
    if relevance.len() != 1 {
        return Ok(None);
    }
    let quest = Quest::<1>::new(core, &relevance, depth, meter)?;
    if !quest.is_simple() {
        return Ok(None);
    }
    let mut searcher = GastinMoro::new(&quest);
    let mut cycles = Vec::new();
    for node in searcher.accepting() {
        let hit = searcher.through(node, usize::MAX, meter)?;
        cycles.extend(hit.and_then(|hit| through(core, &searcher, hit)));
    }
    Ok(Some(cycles))
}

fn through<const W: usize, const V: usize>(
    core: &Core<W>,
    searcher: &GastinMoro<'_, V>,
    hit: Hit,
) -> Option<Cycle<W>> {
    let edges = searcher.cycle(hit)?;
    Some(cycle_of(core, hit.entry, &edges, hit.length))
}

fn cycle_of<const W: usize>(core: &Core<W>, entry: u32, edges: &[u32], length: usize) -> Cycle<W> {
    let walk: Vec<Edge<W>> = edges
        .iter()
        .map(|&i| core.all_edges()[i as usize])
        .collect();
    Cycle {
        entry: core.outside(NodeId(entry)),
        edges: core.translate(&walk),
        length,
    }
}
