//! Errors, ends and conditions on states in one search, against a plain breadth-first walk over random graphs; alone and
//! with other threads.

use evenhand_explicit::ahead::crew::Threads;
use evenhand_explicit::safety::{SafetyOptions, nearest_errors};
use evenhand_explicit::search::{ErrorClass, Options, Stop};
use evenhand_logic::Formulas;
use evenhand_source::{Span, SplitMix64};
use evenhand_system::explicit::{Explanation, Step, Value};
use evenhand_system::{
    Explicit, Explorer, Fault, FaultKind, Formula, ItemSpec, ProcessId, PropositionId, Signature,
    Successors,
};

/// A graph: for each node its successors, whether a step out of it fails, and the values of two propositions.
struct Graph {
    signature: Signature,
    nodes: Vec<Node>,
}

struct Node {
    targets: Vec<u16>,
    fails: bool,
    values: [Option<bool>; 2],
}

fn fault() -> Fault {
    Fault {
        kind: FaultKind::DivisionByZero,
        span: Span::default(),
    }
}

impl Graph {
    fn random(seed: u64) -> Graph {
        let mut random = SplitMix64::new(seed);
        let mut below = |bound: u64| random.number() % bound;
        let count = 1 + below(40);
        // In some graphs what is looked for is rare.
        let rare = 2 + below(60);
        let node = |_| Node {
            targets: (0..below(4)).map(|_| below(count) as u16).collect(),
            fails: below(rare * 2) == 0,
            values: [0, 1].map(|_| match below(rare * 4) {
                0 => None,
                n => Some(n > 4),
            }),
        };
        Graph {
            signature: Signature::default(),
            nodes: (0..count).map(node).collect(),
        }
    }
}

impl Explicit for Graph {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, _: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(Walker(self))
    }
}

struct Walker<'a>(&'a Graph);

impl Walker<'_> {
    fn node(&self, state: &[u8]) -> &Node {
        &self.0.nodes[u16::from_le_bytes([state[0], state[1]]) as usize]
    }
}

impl Explorer for Walker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.start(0);
        out.push(&0u16.to_le_bytes(), Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(0);
        let node = self.node(state);
        if node.fails {
            out.fault(fault(), Step::default());
        }
        for target in &node.targets {
            out.push(&target.to_le_bytes(), Step::default(), []);
        }
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        self.node(state).values[proposition.0 as usize].ok_or_else(fault)
    }

    fn is_valid_end(&mut self, _: &[u8]) -> bool {
        false
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.expand(state, out);
        Explanation::default()
    }

    fn describe(&mut self, _: &[u8]) -> Vec<(String, Value)> {
        Vec::new()
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        format!("process {process}")
    }

    fn executed(&self) -> &[bool] {
        &[]
    }
}

/// The conditions: the first proposition, and that one of both holds.
fn conditions() -> Vec<Formula> {
    let propositions = || vec![PropositionId(0), PropositionId(1)];
    let mut store = Formulas::new();
    let first = store.host_atom("first");
    store.host_atom("second");
    let one = Formula::new(store, first, propositions());
    let mut store = Formulas::new();
    let atoms = vec![store.host_atom("first"), store.host_atom("second")];
    let either = store.or(atoms);
    vec![one, Formula::new(store, either, propositions())]
}

/// What a plain walk finds: how far the nearest fault, end and broken conditions are; whether each condition is
/// undecided somewhere; the number of nodes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Known {
    fault: Option<usize>,
    end: Option<usize>,
    broken: [Option<usize>; 2],
    undecided: [bool; 2],
    states: u64,
}

fn walk(graph: &Graph) -> Known {
    let mut known = Known::default();
    let mut distance = vec![usize::MAX; graph.nodes.len()];
    distance[0] = 0;
    let mut queue = std::collections::VecDeque::from([0usize]);
    while let Some(at) = queue.pop_front() {
        let node = &graph.nodes[at];
        known.states += 1;
        let here = distance[at];
        let [first, second] = node.values;
        let either = match (first, second) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        for (number, value) in [first, either].into_iter().enumerate() {
            if value == Some(false) {
                known.broken[number].get_or_insert(here);
            }
            known.undecided[number] |= value.is_none();
        }
        if node.fails {
            known.fault.get_or_insert(here);
        } else if node.targets.is_empty() {
            known.end.get_or_insert(here);
        }
        for &target in &node.targets {
            let target = usize::from(target);
            if distance[target] == usize::MAX {
                distance[target] = here + 1;
                queue.push_back(target);
            }
        }
    }
    known
}

#[test]
fn one_pass_finds_what_a_plain_walk_finds() {
    let mut met = [0; 6];
    for seed in 0..4000 {
        let graph = Graph::random(seed);
        let wanted = walk(&graph);
        for threads in [1, 2] {
            let mut search = Options {
                conditions: conditions(),
                threads: Threads {
                    count: threads,
                    alone: 2,
                },
                ..Options::default()
            };
            search.wanted[ErrorClass::Fault] = true;
            search.wanted[ErrorClass::Deadlock] = true;
            let options = SafetyOptions {
                paths: true,
                any_path: false,
                counts: true,
                budget: None,
                search,
            };
            let found = nearest_errors(&graph, &options, &mut |_| true);
            let length = |finding: &Option<evenhand_explicit::safety::Finding>| {
                finding.as_ref().map(|finding| finding.path.len() - 1)
            };
            let told = format!("seed {seed}, {threads} threads");
            assert_eq!(
                length(&found.errors[ErrorClass::Fault]),
                wanted.fault,
                "{told}"
            );
            assert_eq!(
                length(&found.errors[ErrorClass::Deadlock]),
                wanted.end,
                "{told}"
            );
            for number in 0..2 {
                assert_eq!(
                    length(&found.broken[number]),
                    wanted.broken[number],
                    "{told}"
                );
                if wanted.broken[number].is_none() {
                    assert_eq!(found.undecided[number], wanted.undecided[number], "{told}");
                }
            }
            let all = wanted.broken.iter().chain([&wanted.fault, &wanted.end]);
            if all.clone().any(Option::is_none) {
                assert_eq!(found.progress.states, wanted.states, "{told}");
                let counted = found.counted.expect("everything was explored");
                assert_eq!(counted.states, wanted.states, "{told}");
            }
        }
        met[0] += usize::from(wanted.fault.is_some());
        met[1] += usize::from(wanted.end.is_some());
        met[2] += usize::from(wanted.broken[0].is_some());
        met[3] += usize::from(wanted.broken[1].is_some());
        met[4] += usize::from(wanted.broken == [None, None]);
        met[5] += usize::from(wanted.broken[0].is_none() && wanted.undecided[0]);
    }
    assert!(met.iter().all(|&count| count > 150), "{met:?}");
}

/// A binary tree of 2^14 states whose leaves all lead to the same long way, with a fault at its end.
fn tree_and_way(length: u16) -> Graph {
    let leaves = 1 << 13;
    let first = 2 * leaves - 1;
    let node = |number: u16| Node {
        targets: match number {
            n if n < leaves - 1 => vec![2 * n + 1, 2 * n + 2],
            n if n < first => vec![first],
            n if n < first + length => vec![n + 1],
            _ => Vec::new(),
        },
        fails: number == first + length,
        values: [Some(true); 2],
    };
    Graph {
        signature: Signature::default(),
        nodes: (0..=first + length).map(node).collect(),
    }
}

/// A fault that is deep is found by the probe where a limit ends the search in the tree, and is a shortest one where nothing
/// does: with a probe before the rest of the search, and beside it.
#[test]
fn a_probe_goes_deep_where_the_search_is_wide() {
    let graph = tree_and_way(5_000);
    for (limit, stop) in [(None, None), (Some(10_000), Some(Stop::States))] {
        let mut all = Vec::new();
        for threads in [1, 2, 3] {
            let mut search = Options {
                limit_states: limit,
                threads: Threads {
                    count: threads,
                    alone: 2,
                },
                ..Options::default()
            };
            search.wanted[ErrorClass::Fault] = true;
            let options = SafetyOptions {
                paths: true,
                any_path: false,
                counts: false,
                budget: None,
                search,
            };
            let found = nearest_errors(&graph, &options, &mut |_| true);
            assert_eq!(found.stop, stop, "{threads} threads");
            let fault = &found.errors[ErrorClass::Fault];
            let fault = fault.as_ref().expect("it is there");
            assert_eq!(fault.shortest, limit.is_none());
            all.push((fault.path.len(), fault.lower_bound));
        }
        assert_eq!(all[0].0, 13 + 1 + 5_000 + 1);
        assert!(all.iter().all(|each| *each == all[0]), "{all:?}");
    }
}
