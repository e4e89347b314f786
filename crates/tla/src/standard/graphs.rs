//! Graphs of the community: a graph is a record of its nodes and its edges, which are pairs of nodes.

use super::args::{Result, count, listed, sequence};
use super::relation::Table;
use super::{Host, MachineOperator, StandardModule, StandardOperator, machine, native};
use crate::failure::Failure;
use crate::value::{MOST_ELEMENTS, Value};

pub(super) const MODULES: &[StandardModule] = &[StandardModule {
    name: "Graphs",
    extends: &[
        "Naturals",
        "Sequences",
        "FiniteSets",
        "SequencesExt",
        "Relation",
    ],
    operators: GRAPHS,
}];

const GRAPHS: &[StandardOperator] = &[
    native("IsDirectedGraph", &[0], |host, args| {
        Ok(Value::Truth(is_directed(host, &args[0])?))
    }),
    native("DirectedSubgraph", &[0], |host, args| {
        subgraphs(host, &args[0], false)
    }),
    native("Transpose", &[0], |host, args| {
        let graph = Graph::of(host, &args[0])?;
        let edges = graph.edge_list()?;
        let turned = edges.iter().map(|(a, b)| pair(b, a)).collect();
        record(host, graph.nodes, Value::set(turned)?)
    }),
    native("IsUndirectedGraph", &[0], |host, args| {
        Ok(Value::Truth(
            is_directed(host, &args[0])? && Graph::of(host, &args[0])?.is_symmetric()?,
        ))
    }),
    native("UndirectedSubgraph", &[0], |host, args| {
        subgraphs(host, &args[0], true)
    }),
    machine(
        "Path",
        &[0],
        MachineOperator::Unsupported("the set of all paths of a graph may be infinite"),
    ),
    native("SimplePath", &[0], |host, args| {
        Graph::of(host, &args[0])?.table()?.simple_paths()
    }),
    native("AreConnectedIn", &[0, 0, 0], |host, args| {
        let table = Graph::of(host, &args[2])?.reach()?;
        table.truth(&args[0], &args[1]).map(Value::Truth)
    }),
    native("IsStronglyConnected", &[0], |host, args| {
        let table = Graph::of(host, &args[0])?.reach()?;
        Ok(Value::Truth(table.related.iter().all(|related| *related)))
    }),
    native("ConnectionsIn", &[0], |host, args| {
        Graph::of(host, &args[0])?.reach()?.into_function()
    }),
    native("IsTreeWithRoot", &[0, 0], |host, args| {
        is_tree(host, &args[0], &args[1]).map(Value::Truth)
    }),
    native("GraphUnion", &[0, 0], |host, args| {
        let (a, b) = (Graph::of(host, &args[0])?, Graph::of(host, &args[1])?);
        record(host, a.nodes.union(&b.nodes)?, a.edges.union(&b.edges)?)
    }),
    native("IsBipartiteWithPartitions", &[0, 0, 0], |host, args| {
        is_bipartite(host, &args[0], &args[1], &args[2]).map(Value::Truth)
    }),
    native("HasCycle", &[0], |host, args| {
        let mut table = Graph::of(host, &args[0])?.table()?;
        table.close();
        let cycle = (0..table.len()).any(|node| table.at(node, node));
        Ok(Value::Truth(cycle))
    }),
    native("IsDag", &[0], |host, args| {
        if !is_directed(host, &args[0])? {
            return Ok(Value::Truth(false));
        }
        let mut table = Graph::of(host, &args[0])?.table()?;
        table.close();
        let cycle = (0..table.len()).any(|node| table.at(node, node));
        Ok(Value::Truth(!cycle))
    }),
    native("Successors", &[0, 0], |host, args| {
        Graph::of(host, &args[0])?.next(&args[1], true)
    }),
    native("Predecessors", &[0, 0], |host, args| {
        Graph::of(host, &args[0])?.next(&args[1], false)
    }),
    native("AllSuccessors", &[0, 0], |host, args| {
        Graph::of(host, &args[0])?.next_of_all(&args[1], true)
    }),
    native("AllPredecessors", &[0, 0], |host, args| {
        Graph::of(host, &args[0])?.next_of_all(&args[1], false)
    }),
    native("Ancestors", &[0, 0], |host, args| {
        Graph::of(host, &args[0])?.related_to(&args[1], false)
    }),
    native("Descendants", &[0, 0], |host, args| {
        Graph::of(host, &args[0])?.related_to(&args[1], true)
    }),
    native("InDegree", &[0, 0], |host, args| {
        let before = Graph::of(host, &args[0])?.next(&args[1], false)?;
        Ok(count(before.size()? as usize))
    }),
    native("OutDegree", &[0, 0], |host, args| {
        let after = Graph::of(host, &args[0])?.next(&args[1], true)?;
        Ok(count(after.size()? as usize))
    }),
    native("Roots", &[0], |host, args| {
        Graph::of(host, &args[0])?.ends(false)
    }),
    native("Leaves", &[0], |host, args| {
        Graph::of(host, &args[0])?.ends(true)
    }),
    native("EmptyGraph", &[], |host, _| {
        record(host, Value::empty_set(), Value::empty_set())
    }),
    native("Graphs", &[0], |host, args| {
        let pairs = Value::product(vec![args[0].clone(), args[0].clone()])?;
        let nodes = Value::set(vec![args[0].clone()])?;
        let (node, edge) = (host.text("node"), host.text("edge"));
        Value::records(vec![(node, nodes), (edge, pairs.power_set()?)])
    }),
];

/// A graph with what its record says.
pub(super) struct Graph {
    pub(super) nodes: Value,
    pub(super) edges: Value,
}

fn pair(a: &Value, b: &Value) -> Value {
    Value::tuple(vec![a.clone(), b.clone()])
}

fn record(host: &mut dyn Host, nodes: Value, edges: Value) -> Result<Value> {
    let (node, edge) = (host.text("node"), host.text("edge"));
    Ok(Value::record(vec![(node, nodes), (edge, edges)]))
}

/// Whether a record has nodes and edges and nothing else.
pub(super) fn is_graph_record(host: &mut dyn Host, value: &Value) -> Result<bool> {
    Graph::of(host, value)?;
    let fields = value.range_values().map_or(0, <[Value]>::len);
    Ok(fields == 2)
}

fn is_directed(host: &mut dyn Host, value: &Value) -> Result<bool> {
    let graph = Graph::of(host, value)?;
    let pairs = Value::product(vec![graph.nodes.clone(), graph.nodes.clone()])?;
    Ok(is_graph_record(host, value)? && graph.edges.subset_of(&pairs)?)
}

/// The graphs with some of the nodes and some of the edges; if wanted, only those whose edges go both ways.
fn subgraphs(host: &mut dyn Host, value: &Value, both_ways: bool) -> Result<Value> {
    let whole = Graph::of(host, value)?;
    let pairs = Value::product(vec![whole.nodes.clone(), whole.nodes.clone()])?;
    let inside = whole.edges.intersection(&pairs)?;
    let mut all = Vec::new();
    let mut subsets = whole.nodes.power_set()?.elements()?;
    while let Some(nodes) = subsets.next()? {
        let pairs = Value::product(vec![nodes.clone(), nodes.clone()])?;
        let mut parts = inside.intersection(&pairs)?.power_set()?.elements()?;
        while let Some(edges) = parts.next()? {
            evenhand_source::spend();
            let nodes = nodes.clone();
            let part = Graph { nodes, edges };
            if !both_ways || part.is_symmetric()? {
                all.push(record(host, part.nodes, part.edges)?);
            }
            if all.len() as u64 > MOST_ELEMENTS {
                return Err(Failure::limit(
                    "a graph has too many subgraphs to be listed",
                ));
            }
        }
    }
    Value::set(all)
}

fn is_tree(host: &mut dyn Host, value: &Value, root: &Value) -> Result<bool> {
    let graph = Graph::of(host, value)?;
    if !is_directed(host, value)? || !graph.nodes.contains(root)? {
        return Ok(false);
    }
    let mut sources = Vec::new();
    for (from, _) in graph.edge_list()? {
        if from.equal(root)? {
            return Ok(false);
        }
        sources.push(from);
    }
    // Every node has at most one edge, and from every node the root is reached.
    let number = sources.len() as u64;
    if Value::set(sources)?.size()? != number {
        return Ok(false);
    }
    let reach = graph.reach()?;
    for node in listed("IsTreeWithRoot", &graph.nodes)?.iter() {
        if !reach.truth(node, root)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_bipartite(host: &mut dyn Host, value: &Value, left: &Value, right: &Value) -> Result<bool> {
    let graph = Graph::of(host, value)?;
    if !left.intersection(right)?.is_empty_set()? || !graph.nodes.subset_of(&left.union(right)?)? {
        return Ok(false);
    }
    for (a, b) in graph.edge_list()? {
        let across = left.contains(&a)? && right.contains(&b)?
            || left.contains(&b)? && right.contains(&a)?;
        if !across {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Graph {
    pub(super) fn of(host: &mut dyn Host, value: &Value) -> Result<Graph> {
        let (node, edge) = (host.text("node"), host.text("edge"));
        Ok(Graph {
            nodes: value.field(node)?,
            edges: value.field(edge)?,
        })
    }

    fn edge_list(&self) -> Result<Vec<(Value, Value)>> {
        let edges = listed("a graph", &self.edges)?;
        let ends = edges.iter().map(|edge| match sequence("a graph", edge)? {
            [a, b, ..] => Ok((a.clone(), b.clone())),
            _ => Err(super::args::wrong("a graph", "pairs of nodes", edge)),
        });
        ends.collect()
    }

    fn is_symmetric(&self) -> Result<bool> {
        for (a, b) in self.edge_list()? {
            if !self.edges.contains(&pair(&b, &a))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Which nodes have an edge to which.
    fn table(&self) -> Result<Table> {
        let edges = self.edges.listing()?;
        Table::new(&self.nodes, |a, b| edges.contains(&pair(a, b)))
    }

    /// Which nodes can be reached from which, by any number of edges.
    fn reach(&self) -> Result<Table> {
        let mut table = self.table()?;
        table.close();
        table.add_diagonal();
        Ok(table)
    }

    fn next(&self, node: &Value, forward: bool) -> Result<Value> {
        let mut found = Vec::new();
        for other in listed("a graph", &self.nodes)?.iter() {
            let edge = match forward {
                true => pair(node, other),
                false => pair(other, node),
            };
            if self.edges.contains(&edge)? {
                found.push(other.clone());
            }
        }
        Ok(Value::sorted(found))
    }

    fn next_of_all(&self, nodes: &Value, forward: bool) -> Result<Value> {
        let nodes = listed("a graph", nodes)?;
        let sets = nodes.iter().map(|node| self.next(node, forward));
        Value::union_all(sets.collect::<Result<_>>()?)
    }

    /// Nodes that are reached from a node, or reach it, by one edge or more.
    fn related_to(&self, node: &Value, forward: bool) -> Result<Value> {
        let mut table = self.table()?;
        table.close();
        let mut found = Vec::new();
        for other in table.elements.iter() {
            let related = match forward {
                true => table.truth(node, other)?,
                false => table.truth(other, node)?,
            };
            if related {
                found.push(other.clone());
            }
        }
        Ok(Value::sorted(found))
    }

    /// Nodes without edges in a direction.
    fn ends(&self, forward: bool) -> Result<Value> {
        let mut found = Vec::new();
        for node in listed("a graph", &self.nodes)?.iter() {
            if self.next(node, forward)?.is_empty_set()? {
                found.push(node.clone());
            }
        }
        Ok(Value::sorted(found))
    }
}

impl Table {
    /// Whether two values are related; values that are no elements are not.
    pub(super) fn truth(&self, a: &Value, b: &Value) -> Result<bool> {
        let place = |value: &Value| -> Result<Option<usize>> {
            for (place, element) in self.elements.iter().enumerate() {
                if element.equal(value)? {
                    return Ok(Some(place));
                }
            }
            Ok(None)
        };
        Ok(match (place(a)?, place(b)?) {
            (Some(a), Some(b)) => self.at(a, b),
            _ => false,
        })
    }

    /// All paths that have no node twice.
    pub(super) fn simple_paths(&self) -> Result<Value> {
        let mut all = Vec::new();
        let mut stack: Vec<Vec<usize>> = (0..self.len()).map(|node| vec![node]).collect();
        while let Some(path) = stack.pop() {
            evenhand_source::spend();
            let last = path[path.len() - 1];
            for next in 0..self.len() {
                if self.at(last, next) && !path.contains(&next) {
                    let mut longer = path.clone();
                    longer.push(next);
                    stack.push(longer);
                }
            }
            let nodes = path.iter().map(|&node| self.elements[node].clone());
            all.push(Value::tuple(nodes.collect()));
            if all.len() as u64 > MOST_ELEMENTS {
                return Err(Failure::limit("a graph has too many paths to be listed"));
            }
        }
        Value::set(all)
    }
}
