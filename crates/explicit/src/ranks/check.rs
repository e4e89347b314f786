//! Ranks handed over to the check: as the graph that was kept, and state by state.

use evenhand_automata::State;
use evenhand_certify::{
    CellId, Checked, Condition, Failure, Flaw, Pair, RankSource, Ranks, check_graph,
};

use crate::graph::{Edge, Graph, NodeId};
use crate::product::Product;
use crate::search::{Progress, Stop};
use crate::store::{StateId, Store};
use crate::watch::Watch;

/// Whether ranks prove that a graph has no accepting cycle. What is believed is the graph.
///
/// # Errors
/// What is wrong with them; or the limit that was reached.
pub fn check_ranks<const W: usize>(
    graph: &mut dyn Graph<W>,
    ranks: &Ranks,
    watch: &mut Watch<'_>,
) -> Result<Checked, Failure<Stop>> {
    let kept = graph.condition();
    let pairs = kept.pairs().iter().map(|pair| Pair {
        request: pair.request.into(),
        grant: pair.grant.into(),
    });
    let condition = Condition {
        buchi: kept.buchi.iter().collect(),
        pairs: pairs.collect(),
    };
    let mut watched = Watched {
        graph,
        watch,
        nodes: 0,
    };
    check_graph(&mut watched, &condition, ranks)
}

/// A graph as the check wants to see it; looks at the limits on the way.
struct Watched<'g, 'w, const W: usize> {
    graph: &'g mut dyn Graph<W>,
    watch: &'g mut Watch<'w>,
    nodes: u64,
}

impl<const W: usize> evenhand_certify::Edge for Edge<W> {
    #[inline]
    fn target(&self) -> usize {
        self.target.index()
    }

    #[inline]
    fn has(&self, mark: usize) -> bool {
        self.marks.contains(mark)
    }
}

impl<const W: usize> evenhand_certify::Graph for Watched<'_, '_, W> {
    type Edge = Edge<W>;
    type Stop = Stop;

    fn initial(&mut self) -> Result<Vec<usize>, Stop> {
        let nodes = self.graph.initial()?;
        Ok(nodes.into_iter().map(NodeId::index).collect())
    }

    fn edges(&mut self, node: usize, edges: &mut Vec<Edge<W>>) -> Result<(), Stop> {
        self.nodes += 1;
        let (graph, nodes) = (&*self.graph, self.nodes);
        self.watch.tick(|| Progress {
            states: nodes,
            expanded: nodes,
            transitions: 0,
            depth: 0,
            bytes: graph.bytes_used() as u64,
        })?;
        let node = u32::try_from(node).map_err(|_| Stop::States)?;
        self.graph.expand(NodeId(node), edges)
    }

    fn bound(&self) -> usize {
        self.graph.bound()
    }
}

/// The ranks of a product, state by state: for the check that expands all states again.
pub struct ProductRanks<'p, 'q, 'a, S, const W: usize> {
    product: &'p mut Product<'q, 'a, S, W>,
    ranks: &'p Ranks,
    /// Where numbers of nodes cannot be computed: the nodes with ranks, by state.
    listed: Option<Vec<(StateId, State, CellId)>>,
}

impl<'p, 'q, 'a, S: Store, const W: usize> ProductRanks<'p, 'q, 'a, S, W> {
    /// The ranks of the nodes of a product.
    pub fn new(
        product: &'p mut Product<'q, 'a, S, W>,
        ranks: &'p Ranks,
    ) -> ProductRanks<'p, 'q, 'a, S, W> {
        let listed = product.is_numbered_on_demand().then(|| {
            let nodes = 0..ranks.bound().min(product.bound());
            let ranked = nodes.filter_map(|node| {
                let (state, automaton) = product.parts(NodeId(node as u32));
                Some((state, automaton, ranks.of(node)?))
            });
            let mut list: Vec<_> = ranked.collect();
            list.sort_unstable();
            list
        });
        ProductRanks {
            product,
            ranks,
            listed,
        }
    }
}

impl<S: Store, const W: usize> RankSource for ProductRanks<'_, '_, '_, S, W> {
    fn ranks(&mut self, state: &[u8], ranks: &mut Vec<(State, CellId)>) -> Result<(), Flaw> {
        ranks.clear();
        let Some(id) = self.product.find(state) else {
            return Ok(());
        };
        match &self.listed {
            Some(list) => {
                let first = list.partition_point(|&(state, ..)| state < id);
                let of_state = list[first..].iter().take_while(|&&(state, ..)| state == id);
                ranks.extend(of_state.map(|&(_, automaton, cell)| (automaton, cell)));
            }
            None => {
                for automaton in self.product.automaton().states() {
                    let node = self.product.node(id, automaton).map_err(|_| Flaw::NoRoom)?;
                    ranks.extend(self.ranks.of(node.index()).map(|cell| (automaton, cell)));
                }
            }
        }
        Ok(())
    }
}
