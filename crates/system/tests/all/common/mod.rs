//! Random small systems for the tests.

use std::collections::{BTreeMap, BTreeSet};

use evenhand_source::SplitMix64;
use evenhand_system::compose::{ActionId, FairGraph, FairSystem, ProcessId, Valuation};
use evenhand_system::{Compassion, PropositionId};

/// Random numbers that are the same in every run.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::new(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.number()
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True in `numerator` of `denominator` cases.
    pub fn chance(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }
}

/// How many random cases a test runs: `EVENHAND_CASES`, or a number that takes about a second.
pub fn cases(default: u64) -> u64 {
    let given = std::env::var("EVENHAND_CASES").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Values of each variable.
pub const DOMAIN: i64 = 2;

/// All valuations of so many variables.
pub fn valuations(count: usize) -> Vec<Valuation> {
    (0..count).fold(vec![vec![]], |all, _| {
        let extended = all
            .iter()
            .flat_map(|v| (0..DOMAIN).map(move |value| [v.as_slice(), &[value]].concat()));
        extended.collect()
    })
}

/// A random system over some of the variables; its names begin with `name`.
pub fn random_graph(random: &mut Random, name: &str, variables: &[&str]) -> FairGraph {
    let variables: Vec<String> = variables.iter().map(|v| v.to_string()).collect();
    let states = valuations(variables.len());
    let mut graph = FairGraph {
        processes: vec![format!("{name}0"), format!("{name}1")],
        actions: (0..3)
            .map(|a| {
                (
                    ProcessId::new(usize::from(a == 2)),
                    format!("{name}-action{a}"),
                )
            })
            .collect(),
        ..FairGraph::default()
    };
    graph.initial = states
        .iter()
        .filter(|_| random.chance(2, 3))
        .cloned()
        .collect();
    let density = 1 + random.below(3);
    for source in &states {
        for target in &states {
            if random.chance(density, 2 * states.len() as u64) {
                let action = random.below(3) as usize;
                let by = (
                    ProcessId::new(usize::from(action == 2)),
                    ActionId::new(action),
                );
                graph.add_move(source.clone(), by, target.clone());
            }
        }
    }
    for index in 0..4 {
        let set: BTreeSet<Valuation> = states
            .iter()
            .filter(|_| random.chance(1, 2))
            .cloned()
            .collect();
        graph.propositions.push((format!("{name}-set{index}"), set));
    }
    let any = |random: &mut Random| PropositionId(random.below(4) as u32);
    graph.justice = (0..random.below(3)).map(|_| any(random)).collect();
    graph.compassion = (0..random.below(3))
        .map(|_| Compassion {
            when: any(random),
            then: any(random),
        })
        .collect();
    graph.variables = variables;
    graph
}

/// Some of the variables `x y z`, never none.
pub fn some_variables(random: &mut Random) -> Vec<&'static str> {
    let mask = 1 + random.below(7);
    let all = ["x", "y", "z"];
    (0..3)
        .filter(|i| mask >> i & 1 == 1)
        .map(|i| all[i])
        .collect()
}

type Named = BTreeMap<String, i64>;
type NamedMove = (Named, BTreeSet<(String, String)>, Named);

/// A system with all numbering gone: equal iff two systems differ only in the order of their parts.
#[derive(Debug, PartialEq, Eq)]
pub struct Canonical {
    variables: BTreeSet<String>,
    initial: BTreeSet<Named>,
    states: BTreeSet<Named>,
    moves: BTreeSet<NamedMove>,
    justice: Vec<(String, BTreeSet<Named>)>,
    compassion: Vec<(String, BTreeSet<Named>, String, BTreeSet<Named>)>,
}

fn named(variables: &[String], state: &[i64]) -> Named {
    variables
        .iter()
        .cloned()
        .zip(state.iter().copied())
        .collect()
}

pub fn reachable(system: &impl FairSystem) -> FairGraph {
    FairGraph::reachable(system, 1000).expect("small")
}

pub fn canonical(system: &impl FairSystem) -> Canonical {
    let graph = reachable(system);
    let name = |state: &Valuation| named(&graph.variables, state);
    let set = |p: PropositionId| -> (String, BTreeSet<Named>) {
        let (title, states) = &graph.propositions[p.0 as usize];
        (title.clone(), states.iter().map(name).collect())
    };
    let mut moves = BTreeSet::new();
    for (source, out) in &graph.moves {
        for step in out {
            let who = step.participants.iter().map(|&(process, action)| {
                let (owner, title) = &graph.actions[action.index()];
                assert_eq!(*owner, process);
                (graph.processes[process.index()].clone(), title.clone())
            });
            moves.insert((name(source), who.collect(), name(&step.target)));
        }
    }
    let mut justice: Vec<_> = graph.justice.iter().map(|&p| set(p)).collect();
    justice.sort();
    let mut compassion: Vec<_> = graph
        .compassion
        .iter()
        .map(|pair| {
            let ((a, when), (b, then)) = (set(pair.when), set(pair.then));
            (a, when, b, then)
        })
        .collect();
    compassion.sort();
    Canonical {
        variables: graph.variables.iter().cloned().collect(),
        initial: graph.initial.iter().map(name).collect(),
        states: graph.moves.keys().map(name).collect(),
        moves,
        justice,
        compassion,
    }
}
