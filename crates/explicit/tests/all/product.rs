//! The product of a small system with automata: numbers computed and numbers given on demand are
//! two names of the same graph, and every engine finds the same in it.

use evenhand_automata::{Acceptance, Automaton, Builder, Cube, Literal, Mark, MarkSet, Prop};
use evenhand_explicit::emptiness::{Statistics, engines};
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::marks::Marks;
use evenhand_explicit::product::Product;
use evenhand_explicit::sieve::{DEAD, Sieve, UNSEEN};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_explicit::watch::Watch;
use evenhand_system::model::{Foreign, Model, ModelAction, Steps};
use evenhand_system::{Assumption, AssumptionKind, Fairness, ItemSpec, ProcessId, PropositionId};

/// Two processes: the first counts modulo five, the second ends it all.
struct Counter;

impl Model for Counter {
    type State = (u8, bool);

    fn processes(&self) -> Vec<String> {
        vec!["counter".into(), "switch".into()]
    }

    fn actions(&self) -> Vec<ModelAction> {
        vec![ModelAction::new(0, "count"), ModelAction::new(1, "end")]
    }

    fn initial(&self) -> Vec<(u8, bool)> {
        vec![(0, false)]
    }

    fn steps(&self, &(count, ended): &(u8, bool), steps: &mut Steps<(u8, bool)>) {
        if !ended {
            steps.step(0, 0, ((count + 1) % 5, false));
            if count != 3 {
                steps.step(1, 1, (count, true));
            }
        }
    }

    fn propositions(&self) -> Vec<String> {
        vec!["zero".into(), "ended".into()]
    }

    fn holds(&self, proposition: PropositionId, &(count, ended): &(u8, bool)) -> bool {
        if proposition.0 == 0 {
            count == 0
        } else {
            ended
        }
    }
}

/// Words in which the first proposition holds infinitely often, counted by `size` states.
fn often(size: usize) -> Automaton {
    let mut builder = Builder::new(vec!["zero".into()], Acceptance::generalized_buchi(1));
    let states: Vec<_> = (0..size).map(|_| builder.add_state()).collect();
    builder.add_initial(states[0]);
    let zero = Literal {
        prop: Prop::new(0),
        positive: true,
    };
    let mark: MarkSet = [Mark::new(0)].into_iter().collect();
    for (i, &state) in states.iter().enumerate() {
        let next = states[(i + 1) % size];
        builder.add_edge(state, &Cube::literal(zero), &mark, next);
        builder.add_edge(
            state,
            &Cube::literal(zero.negated()),
            &MarkSet::EMPTY,
            state,
        );
    }
    builder.build()
}

fn fairness(kind: Option<AssumptionKind>) -> Fairness {
    let assumption = |kind| Assumption {
        text: "the switch".into(),
        source: "the switch".into(),
        kind,
    };
    Fairness {
        items: vec![ItemSpec::Process {
            pid: ProcessId::new(1),
            as_partner: true,
        }],
        assumptions: kind.map(assumption).into_iter().collect(),
        ..Fairness::default()
    }
}

/// Whether there is an accepting run, and how many nodes can be reached: by every engine.
fn ask(fairness: &Fairness, automaton: &Automaton, on_demand: bool) -> (bool, usize) {
    let system = Foreign::new(Counter).expect("a model");
    let interest = Interest {
        propositions: &[PropositionId(0)],
        fairness,
    };
    let mut answers = Vec::new();
    for engine in engines::<1>() {
        let mut space = Space::new(&system, interest, PlainStore::new());
        let product = Product::<_, 1>::new(&mut space, automaton, vec![0], true);
        let mut product = product.expect("room for the marks");
        if on_demand {
            product = product.numbered_on_demand();
        }
        let mut observer = |_: &_| true;
        let mut watch = Watch::new(&mut observer, None, None);
        let mut statistics = Statistics::default();
        let found = engine.search(&mut product, &mut watch, &mut statistics);
        answers.push(found.expect("no limit").is_some());
        assert_eq!(answers[0], answers[answers.len() - 1], "{}", engine.name());
    }
    let mut space = Space::new(&system, interest, PlainStore::new());
    let product = Product::<_, 1>::new(&mut space, automaton, vec![0], true);
    let mut product = product.expect("room for the marks");
    if on_demand {
        product = product.numbered_on_demand();
    }
    (answers[0], reachable(&mut product))
}

fn reachable(product: &mut Product<'_, '_, PlainStore, 1>) -> usize {
    let mut seen: Vec<NodeId> = product.initial().expect("no limit");
    let mut pairs = Vec::new();
    let mut edges = Vec::new();
    let mut next = 0;
    while next < seen.len() {
        let node = seen[next];
        pairs.push(product.parts(node));
        product.expand(node, &mut edges).expect("no limit");
        sift(product, node, &edges);
        for edge in &edges {
            if !seen.contains(&edge.target) {
                seen.push(edge.target);
            }
        }
        next += 1;
    }
    pairs.sort_by_key(|(state, of_automaton)| (*state, *of_automaton));
    pairs.dedup();
    assert_eq!(pairs.len(), seen.len(), "two numbers for one node");
    seen.len()
}

/// A sieve gets the same edges, the last one first, and keeps those that a search looks at.
fn sift(product: &mut Product<'_, '_, PlainStore, 1>, node: NodeId, edges: &[Edge<1>]) {
    let visited = |target: NodeId| match (target.0 + node.0) % 4 {
        0 | 1 => UNSEEN,
        2 => 7 + target.0,
        _ => DEAD + target.0,
    };
    let own = Marks::single(0);
    for (keeps_dead, avoid) in [(true, Marks::EMPTY), (false, Marks::EMPTY), (true, own)] {
        let mut number: Vec<u32> = (0..1000).map(|at| visited(NodeId(at))).collect();
        let (mut open, mut met) = (edges.to_vec(), Vec::new());
        let mut sieve = Sieve::new(&mut number, avoid, keeps_dead, &mut open, &mut met);
        product
            .sift(node, &mut sieve, &mut Vec::new())
            .expect("no limit");
        assert_eq!(sieve.count(), edges.len());
        let all = || edges.iter().rev().filter(|edge| !edge.marks.meets(avoid));
        let is_open = |edge: &&Edge<1>| visited(edge.target) == UNSEEN;
        let expected: Vec<Edge<1>> = edges.iter().chain(all().filter(is_open)).copied().collect();
        assert_eq!(open, expected);
        let told = all().map(|edge| (visited(edge.target), edge.marks));
        let told = told.filter(|&(at, _)| at != UNSEEN && (at < DEAD || keeps_dead));
        assert_eq!(met, told.collect::<Vec<_>>());
    }
}

#[test]
fn both_ways_of_numbering_are_the_same_graph() {
    for size in [1, 3, 20] {
        let automaton = often(size);
        for kind in [
            None,
            Some(AssumptionKind::Weak(0)),
            Some(AssumptionKind::Strong(0)),
        ] {
            let fairness = fairness(kind);
            let computed = ask(&fairness, &automaton, false);
            assert_eq!(
                computed,
                ask(&fairness, &automaton, true),
                "{size} {kind:?}"
            );
        }
    }
}

#[test]
fn fairness_decides_whether_the_counter_may_go_on() {
    let automaton = often(1);
    // For ever counting; weakly fair, since the switch cannot move at 3; not strongly fair. What
    // remains then is to end at zero and stay there.
    assert!(ask(&fairness(None), &automaton, false).0);
    assert!(ask(&fairness(Some(AssumptionKind::Weak(0))), &automaton, false).0);
    assert!(
        ask(
            &fairness(Some(AssumptionKind::Strong(0))),
            &automaton,
            false
        )
        .0
    );
    // Words in which it holds infinitely often and infinitely often not: only counting will do.
    let both = {
        let mut builder = Builder::new(vec!["zero".into()], Acceptance::generalized_buchi(2));
        let state = builder.add_state();
        builder.add_initial(state);
        for (positive, mark) in [(true, 0), (false, 1)] {
            let prop = Prop::new(0);
            let cube = Cube::literal(Literal { prop, positive });
            builder.add_edge(
                state,
                &cube,
                &[Mark::new(mark)].into_iter().collect(),
                state,
            );
        }
        builder.build()
    };
    assert!(ask(&fairness(None), &both, false).0);
    assert!(ask(&fairness(Some(AssumptionKind::Weak(0))), &both, false).0);
    assert!(!ask(&fairness(Some(AssumptionKind::Strong(0))), &both, false).0);
}
