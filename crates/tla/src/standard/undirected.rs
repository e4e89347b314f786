//! UndirectedGraphs of the community: edges are sets of one or two nodes.

use super::args::{Result, listed, wrong};
use super::graphs::{Graph, is_graph_record};
use super::relation::Table;
use super::{Host, MachineOperator, StandardModule, StandardOperator, machine, native};
use crate::failure::Failure;
use crate::value::{MOST_ELEMENTS, Value};

pub(super) const MODULES: &[StandardModule] = &[StandardModule {
    name: "UndirectedGraphs",
    extends: &[],
    operators: UNDIRECTED,
}];

const UNDIRECTED: &[StandardOperator] = &[
    native("IsUndirectedGraph", &[0], |host, args| {
        is_graph(host, &args[0], 1).map(Value::Truth)
    }),
    native("IsLoopFreeUndirectedGraph", &[0], |host, args| {
        is_graph(host, &args[0], 2).map(Value::Truth)
    }),
    native("UndirectedSubgraph", &[0], |host, args| {
        subgraphs(host, &args[0])
    }),
    machine(
        "Path",
        &[0],
        MachineOperator::Unsupported("the set of all paths of a graph may be infinite"),
    ),
    native("SimplePath", &[0], |host, args| {
        table(host, &args[0])?.simple_paths()
    }),
    native("AreConnectedIn", &[0, 0, 0], |host, args| {
        reach(host, &args[2])?
            .truth(&args[0], &args[1])
            .map(Value::Truth)
    }),
    native("ConnectedComponents", &[0], |host, args| {
        components(host, &args[0])
    }),
    native("IsStronglyConnected", &[0], |host, args| {
        // The components are one, all nodes; without nodes there is none.
        let components = components(host, &args[0])?;
        Ok(Value::Truth(components.size()? == 1))
    }),
    native("UndirectedGraphs", &[0], |host, args| {
        let nodes = listed("UndirectedGraphs", &args[0])?;
        let mut edges = Vec::new();
        for a in nodes.iter() {
            for b in nodes.iter() {
                edges.push(Value::set(vec![a.clone(), b.clone()])?);
            }
        }
        let edges = Value::set(edges)?.power_set()?;
        let (node, edge) = (host.text("node"), host.text("edge"));
        Value::records(vec![
            (node, Value::set(vec![args[0].clone()])?),
            (edge, edges),
        ])
    }),
];

/// Whether all edges are sets of at most two nodes, and of at least some number.
fn is_graph(host: &mut dyn Host, value: &Value, least: u64) -> Result<bool> {
    let graph = Graph::of(host, value)?;
    if !is_graph_record(host, value)? {
        return Ok(false);
    }
    for edge in listed("a graph", &graph.edges)?.iter() {
        if !edge.is_set() {
            return Err(wrong("a graph", "edges that are sets", edge));
        }
        let size = edge.size()?;
        if size < least || size > 2 || !edge.subset_of(&graph.nodes)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn subgraphs(host: &mut dyn Host, value: &Value) -> Result<Value> {
    let whole = Graph::of(host, value)?;
    let (node, edge) = (host.text("node"), host.text("edge"));
    let mut all = Vec::new();
    let mut subsets = whole.nodes.power_set()?.elements()?;
    while let Some(nodes) = subsets.next()? {
        let inside = whole.edges.intersection(&nodes.power_set()?)?;
        let inside = listed("a graph", &inside)?.into_owned();
        let inside = inside.into_iter().filter_map(|edge| match edge.size() {
            Ok(1 | 2) => Some(edge),
            _ => None,
        });
        let mut parts = Value::sorted(inside.collect()).power_set()?.elements()?;
        while let Some(edges) = parts.next()? {
            all.push(Value::record(vec![(node, nodes.clone()), (edge, edges)]));
            if all.len() as u64 > MOST_ELEMENTS {
                return Err(Failure::limit(
                    "a graph has too many subgraphs to be listed",
                ));
            }
        }
    }
    Value::set(all)
}

fn table(host: &mut dyn Host, value: &Value) -> Result<Table> {
    let graph = Graph::of(host, value)?;
    let edges = graph.edges.listing()?;
    Table::new(&graph.nodes, |a, b| {
        edges.contains(&Value::set(vec![a.clone(), b.clone()])?)
    })
}

fn reach(host: &mut dyn Host, value: &Value) -> Result<Table> {
    let mut table = table(host, value)?;
    table.close();
    table.add_diagonal();
    Ok(table)
}

fn components(host: &mut dyn Host, value: &Value) -> Result<Value> {
    let reach = reach(host, value)?;
    let len = reach.len();
    let component = |a: usize| {
        let nodes = (0..len).filter(|&b| reach.at(a, b));
        Value::sorted(nodes.map(|b| reach.elements[b].clone()).collect())
    };
    Value::set((0..len).map(component).collect())
}
