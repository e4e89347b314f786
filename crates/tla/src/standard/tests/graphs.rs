//! Relations and graphs, against searches by definition.

use evenhand_source::SplitMix64;

use super::{Bench, number, operator, same, set};
use crate::value::Value;

const SIZE: usize = 4;
type Edges = [[bool; SIZE]; SIZE];

fn random_edges(random: &mut SplitMix64) -> Edges {
    let density = 1 + random.below(4);
    std::array::from_fn(|_| std::array::from_fn(|_| random.below(5) < density))
}

fn nodes() -> Value {
    Value::Interval(0, SIZE as i32 - 1)
}

fn pair(a: usize, b: usize) -> Value {
    Value::tuple(vec![number(a as i32), number(b as i32)])
}

/// The relation as a function on pairs.
fn function(edges: &Edges) -> Value {
    let pairs = (0..SIZE * SIZE).map(|place| {
        let (a, b) = (place / SIZE, place % SIZE);
        (pair(a, b), Value::Truth(edges[a][b]))
    });
    Value::function(pairs.collect()).expect("a function")
}

/// Whether a path leads from one node to another with at least one edge, by trying all lengths.
fn reaches(edges: &Edges) -> Edges {
    let mut found = *edges;
    for _ in 0..SIZE {
        let before = found;
        for (a, row) in found.iter_mut().enumerate() {
            for (b, entry) in row.iter_mut().enumerate() {
                *entry |= (0..SIZE).any(|c| before[a][c] && edges[c][b]);
            }
        }
    }
    found
}

#[test]
fn relations_have_their_properties() {
    let all = 0..SIZE;
    for seed in 0..400 {
        let mut random = SplitMix64::new(seed);
        let edges = match seed % 4 {
            // Orders are rare among random relations.
            0 => std::array::from_fn(|a| std::array::from_fn(|b| a <= b)),
            1 => std::array::from_fn(|a| std::array::from_fn(|b| a > b && random.below(8) > 0)),
            _ => random_edges(&mut random),
        };
        let every = |holds: &dyn Fn(usize, usize) -> bool| {
            all.clone().all(|a| all.clone().all(|b| holds(a, b)))
        };
        let reflexive = every(&|a, b| a != b || edges[a][b]);
        let irreflexive = every(&|a, b| a != b || !edges[a][b]);
        let symmetric = every(&|a, b| edges[a][b] == edges[b][a]);
        let antisymmetric = every(&|a, b| !(edges[a][b] && edges[b][a]) || a == b);
        let asymmetric = every(&|a, b| !(edges[a][b] && edges[b][a]));
        let transitive =
            every(&|a, b| !edges[a][b] || all.clone().all(|c| !edges[b][c] || edges[a][c]));
        let connex = every(&|a, b| a == b || edges[a][b] || edges[b][a]);
        let strict = irreflexive && antisymmetric && transitive;
        let order = reflexive && antisymmetric && transitive;
        let reach = reaches(&edges);
        let expected = [
            ("IsReflexive", reflexive),
            ("IsIrreflexive", irreflexive),
            ("IsSymmetric", symmetric),
            ("IsAntiSymmetric", antisymmetric),
            ("IsAsymmetric", asymmetric),
            ("IsTransitive", transitive),
            ("IsStrictlyPartiallyOrdered", strict),
            ("IsPartiallyOrdered", order),
            ("IsStrictlyTotallyOrdered", strict && connex),
            ("IsTotallyOrdered", order && connex),
        ];
        for (name, expected) in expected {
            let context = format!("seed {seed} {name}");
            let relation = [function(&edges), nodes()];
            let found = Bench::new().run(&format!("Relation!{name}"), &relation);
            same(found, &expected.into(), &context);
            let related = |args: &[Value]| {
                let place = |value: &Value| value.number().expect("a node") as usize;
                Ok(Value::Truth(edges[place(&args[0])][place(&args[1])]))
            };
            let mut bench = Bench::new().with(0, related);
            let found = bench.run(&format!("Relation!{name}Under"), &[operator(), nodes()]);
            same(found, &expected.into(), &context);
        }
        let relation = [function(&edges), nodes()];
        let closure = Bench::new().run("Relation!TransitiveClosure", &relation);
        same(closure, &function(&reach), "the closure");
        let reflexive = std::array::from_fn(|a| std::array::from_fn(|b| a == b || reach[a][b]));
        let closure = Bench::new().run("Relation!ReflexiveTransitiveClosure", &relation);
        same(closure, &function(&reflexive), "the reflexive closure");
        let connected = reflexive.iter().flatten().all(|related| *related);
        let found = Bench::new().run("Relation!IsConnected", &relation);
        same(found, &connected.into(), "connected");
    }
}

/// A graph as a record, with edges that are made of two nodes in some way.
fn graph(bench: &mut Bench<'_>, edges: &Edges, edge: fn(usize, usize) -> Value) -> Value {
    let mut all = Vec::new();
    for (a, row) in edges.iter().enumerate() {
        all.extend((0..SIZE).filter(|b| row[*b]).map(|b| edge(a, b)));
    }
    let (node, edge) = (bench.text("node"), bench.text("edge"));
    let (node, edge) = (node.text().expect("a name"), edge.text().expect("a name"));
    let all = Value::set(all).expect("edges");
    Value::record(vec![(node, nodes()), (edge, all)])
}

#[test]
fn graphs_are_walked() {
    for seed in 0..300 {
        let mut random = SplitMix64::new(seed);
        let edges = random_edges(&mut random);
        let reach = reaches(&edges);
        let mut bench = Bench::new();
        let whole = graph(&mut bench, &edges, pair);
        let mut check = |name: &str, args: &[Value], expected: Value| {
            let found = bench.run(&format!("Graphs!{name}"), args);
            same(found, &expected, &format!("seed {seed} {name}"));
        };
        check("IsDirectedGraph", &[whole.clone()], true.into());
        let cycle = (0..SIZE).any(|a| reach[a][a]);
        check("HasCycle", &[whole.clone()], cycle.into());
        check("IsDag", &[whole.clone()], (!cycle).into());
        let strongly = (0..SIZE).all(|a| (0..SIZE).all(|b| a == b || reach[a][b]));
        check("IsStronglyConnected", &[whole.clone()], strongly.into());
        let those = |holds: &dyn Fn(usize) -> bool| -> Value {
            let nodes: Vec<i32> = (0..SIZE).filter(|n| holds(*n)).map(|n| n as i32).collect();
            set(&nodes)
        };
        check(
            "Roots",
            &[whole.clone()],
            those(&|n| !(0..SIZE).any(|m| edges[m][n])),
        );
        check(
            "Leaves",
            &[whole.clone()],
            those(&|n| !edges[n].contains(&true)),
        );
        for a in 0..SIZE {
            let args = [whole.clone(), number(a as i32)];
            check("Successors", &args, those(&|b| edges[a][b]));
            check("Predecessors", &args, those(&|b| edges[b][a]));
            check("Descendants", &args, those(&|b| reach[a][b]));
            check("Ancestors", &args, those(&|b| reach[b][a]));
            let degree = edges[a].iter().filter(|edge| **edge).count() as i32;
            check("OutDegree", &args, degree.into());
            for (b, reached) in reach[a].iter().enumerate() {
                let args = [number(a as i32), number(b as i32), whole.clone()];
                check("AreConnectedIn", &args, (a == b || *reached).into());
            }
        }
        let turned = std::array::from_fn(|a| std::array::from_fn(|b| edges[b][a]));
        let turned = graph(&mut Bench::new(), &turned, pair);
        check("Transpose", &[whole], turned);
    }
}

#[test]
fn undirected_graphs_fall_into_components() {
    let both = |a: usize, b: usize| set(&[a as i32, b as i32]);
    for seed in 0..300 {
        let mut random = SplitMix64::new(seed);
        let some: Edges = std::array::from_fn(|_| std::array::from_fn(|_| random.below(8) == 0));
        let edges = std::array::from_fn(|a| std::array::from_fn(|b| some[a][b] || some[b][a]));
        let reach = reaches(&edges);
        let mut bench = Bench::new();
        let whole = graph(&mut bench, &some, both);
        let mut check = |name: &str, args: &[Value], expected: Value| {
            let found = bench.run(&format!("UndirectedGraphs!{name}"), args);
            same(found, &expected, &format!("seed {seed} {name}"));
        };
        check("IsUndirectedGraph", &[whole.clone()], true.into());
        let loops = (0..SIZE).any(|a| some[a][a]);
        check(
            "IsLoopFreeUndirectedGraph",
            &[whole.clone()],
            (!loops).into(),
        );
        let components = (0..SIZE).map(|a| {
            let nodes: Vec<i32> = (0..SIZE)
                .filter(|b| a == *b || reach[a][*b])
                .map(|b| b as i32)
                .collect();
            set(&nodes)
        });
        let components = Value::set(components.collect()).expect("sets");
        let connected = components.size() == Ok(1);
        check("ConnectedComponents", &[whole.clone()], components);
        check("IsStronglyConnected", &[whole.clone()], connected.into());
        let args = [number(0), number(3), whole];
        check("AreConnectedIn", &args, reach[0][3].into());
    }
}
