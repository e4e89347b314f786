//! Nodes that a product passes, since no accepting cycle visits them: the default engine finds the same component, by the
//! same visits, as in the same product that passes nothing.

use evenhand_automata::{Acceptance, Automaton, Builder, Cube, Literal, Mark, MarkSet, Prop};
use evenhand_explicit::emptiness::{Component, Statistics, engines};
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::marks::Streett;
use evenhand_explicit::product::Product;
use evenhand_explicit::search::Stop;
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_explicit::watch::Watch;
use evenhand_source::SplitMix64;
use evenhand_system::model::{Foreign, Model, ModelAction, Steps};
use evenhand_system::{Assumption, AssumptionKind, Fairness, ItemSpec, ProcessId, PropositionId};

/// For each state what each of two processes can do, and the values of two propositions.
#[derive(Clone)]
struct Table {
    steps: Vec<[Vec<u8>; 2]>,
    values: Vec<[bool; 2]>,
}

impl Table {
    fn random(random: &mut SplitMix64) -> Table {
        let count = 1 + random.below(30);
        let target = |random: &mut SplitMix64| random.below(count) as u8;
        let steps = (0..count).map(|_| {
            [0, 1].map(|_| {
                let targets = 0..random.below(3);
                targets.map(|_| target(random)).collect()
            })
        });
        let steps = steps.collect();
        let rare = 1 + random.below(6);
        let values = (0..count).map(|_| [0, 1].map(|_| random.below(rare + 1) == 0));
        Table {
            steps,
            values: values.collect(),
        }
    }
}

impl Model for Table {
    type State = u8;

    fn processes(&self) -> Vec<String> {
        vec!["one".into(), "two".into()]
    }

    fn actions(&self) -> Vec<ModelAction> {
        vec![ModelAction::new(0, "step"), ModelAction::new(1, "step")]
    }

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn steps(&self, &state: &u8, steps: &mut Steps<u8>) {
        for (process, targets) in self.steps[usize::from(state)].iter().enumerate() {
            for &target in targets {
                steps.step(process, process, target);
            }
        }
    }

    fn propositions(&self) -> Vec<String> {
        vec!["p".into(), "q".into()]
    }

    fn holds(&self, proposition: PropositionId, &state: &u8) -> bool {
        self.values[usize::from(state)][proposition.0 as usize]
    }
}

/// A few states, many of them on no accepting cycle: edges lead up more often than down.
fn automaton(random: &mut SplitMix64) -> Automaton {
    let count = 1 + random.below(5);
    let mut acceptance = Acceptance::generalized_buchi(random.below(3));
    let buchi = acceptance.mark_bound();
    let paired = random.below(4) == 0;
    if paired {
        let pairs = Acceptance::streett(1).renamed(|mark| Mark::new(mark.index() + buchi));
        acceptance = acceptance.and(pairs);
    }
    let bound = acceptance.mark_bound();
    let mut builder = Builder::new(vec!["p".into(), "q".into()], acceptance);
    let literal = |random: &mut SplitMix64| Literal {
        prop: Prop::new(random.below(2)),
        positive: random.below(2) == 0,
    };
    if bound > 0 && random.below(4) == 0 {
        builder.add_conditional(Mark::new(random.below(bound)), literal(random));
    }
    let states: Vec<_> = (0..count).map(|_| builder.add_state()).collect();
    builder.add_initial(states[0]);
    if random.below(3) == 0 {
        builder.add_initial(states[random.below(count)]);
    }
    for from in 0..count {
        for _ in 0..1 + random.below(4) {
            let to = match random.below(6) {
                0 => random.below(count),
                _ => from + random.below(count - from),
            };
            let cube = match random.below(2) {
                0 => Cube::TRUE,
                _ => Cube::literal(literal(random)),
            };
            let all = 0..bound;
            let marks = all.filter(|_| random.below(3) == 0).map(Mark::new);
            let marks: MarkSet = marks.collect();
            builder.add_edge(states[from], &cube, &marks, states[to]);
        }
    }
    builder.build()
}

fn fairness(random: &mut SplitMix64) -> Fairness {
    let mut assumption = |item| {
        let kind = match random.below(3) {
            0 => AssumptionKind::Weak(item),
            1 => AssumptionKind::Strong(item),
            _ => return None,
        };
        Some(Assumption {
            text: "a process".into(),
            source: "a process".into(),
            kind,
        })
    };
    let process = |pid| ItemSpec::Process {
        pid: ProcessId::new(pid),
        as_partner: true,
    };
    Fairness {
        assumptions: (0..2).filter_map(&mut assumption).collect(),
        items: vec![process(0), process(1)],
        ..Fairness::default()
    }
}

/// The same graph, which lists its edges and passes nothing.
struct Listed<G>(G);

impl<G: Graph<1>> Graph<1> for Listed<G> {
    fn condition(&self) -> &Streett<1> {
        self.0.condition()
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        self.0.initial()
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<1>>) -> Result<(), Stop> {
        self.0.expand(node, edges)
    }

    fn bound(&self) -> usize {
        self.0.bound()
    }
}

/// What the default engine finds, what it visits, and how many states it has met.
type Told = (Option<Component<1>>, [u64; 4], usize);

fn ask(
    table: &Table,
    automaton: &Automaton,
    fairness: &Fairness,
    listed: bool,
    without: Option<usize>,
) -> Told {
    let system = Foreign::new(table.clone()).expect("a model");
    let interest = Interest {
        propositions: &[PropositionId(0), PropositionId(1)],
        fairness,
    };
    let mut space = Space::new(&system, interest, PlainStore::new());
    let product = Product::<_, 1>::new(&mut space, automaton, vec![0, 1], true);
    let mut product = product.expect("room for the marks");
    if let Some(mark) = without {
        product.set_condition(product.condition().without(mark));
    }
    let mut observer = |_: &_| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let mut statistics = Statistics::default();
    let [engine, ..] = engines::<1>();
    let found = match listed {
        false => engine.search(&mut product, &mut watch, &mut statistics),
        true => engine.search(&mut Listed(product), &mut watch, &mut statistics),
    };
    let all = [
        statistics.nodes,
        statistics.edges,
        statistics.refinements,
        statistics.revisits,
    ];
    (found.expect("no limit"), all, space.len())
}

#[test]
fn a_search_that_passes_nodes_finds_the_same_by_the_same_visits() {
    let cases = std::env::var("EVENHAND_CASES").ok();
    let cases = cases.and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    let (mut found, mut refined) = (0, 0);
    for seed in 0..cases {
        let mut random = SplitMix64::new(seed);
        let table = Table::random(&mut random);
        let automaton = automaton(&mut random);
        let fairness = fairness(&mut random);
        let marks = automaton.mark_count() + 2 * fairness.assumptions.len();
        // In some cases one mark is not asked for.
        let without = (marks > 0 && random.below(3) == 0).then(|| random.below(marks));
        let told = ask(&table, &automaton, &fairness, false, without);
        let expected = ask(&table, &automaton, &fairness, true, without);
        assert_eq!(told, expected, "seed {seed}");
        found += u64::from(told.0.is_some());
        refined += u64::from(told.1[2] > 0);
    }
    assert!(found > cases / 5 && found < cases - cases / 5, "{found}");
    assert!(refined > cases / 100, "{refined}");
}
