//! Products with tight automata: the shortest lasso is the shortest of the *system*, compared with
//! the enumeration of all lassos of the system, each judged by the definition of the formula and of
//! fairness. With past operators the product may be longer, and folding takes back some of that.

use evenhand_automata::{Automaton, Bits, Letter, tight};
use evenhand_explicit::graph::{Edge, NodeId, PlainGraph};
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_explicit::search::Progress;
use evenhand_explicit::watch::Watch;
use evenhand_logic::random::{Random, Word};
use evenhand_logic::{Formulas, Lasso, Node};
use evenhand_witness::{Budget, GraphLasso, bounded, fold};

const ATOMS: usize = 2;
const DEPTH: usize = 6;

/// States with letters, and edges with marks: 0 is a Büchi mark, 1 and 2 are a pair.
struct System {
    letters: Vec<u64>,
    edges: Vec<Vec<(usize, Vec<usize>)>>,
    condition: Streett<1>,
}

fn random_system(random: &mut Random) -> System {
    let count = 1 + random.below(4);
    let buchi = match random.below(2) {
        0 => Marks::EMPTY,
        _ => Marks::single(0),
    };
    let pairs = vec![
        Pair {
            request: 1,
            grant: 2
        };
        random.below(2)
    ];
    let letters = (0..count).map(|_| random.below(1 << ATOMS) as u64);
    let letters = letters.collect();
    let mut edges = Vec::new();
    for _ in 0..count {
        let mut list = Vec::new();
        for _ in 0..1 + random.below(2) {
            let marks = (0..3).filter(|_| random.below(3) == 0).collect();
            list.push((random.below(count), marks));
        }
        edges.push(list);
    }
    System {
        letters,
        edges,
        condition: Streett::new(buchi, pairs),
    }
}

/// The length of the shortest fair lasso whose word satisfies a test, up to a length.
fn enumerate(system: &System, test: &dyn Fn(&Word) -> bool) -> Option<usize> {
    let mut paths: Vec<(Vec<usize>, Vec<Vec<usize>>)> = vec![(vec![0], Vec::new())];
    for length in 1..=DEPTH {
        let mut longer = Vec::new();
        for (states, marks) in &paths {
            for (target, own) in &system.edges[states[states.len() - 1]] {
                let (mut states, mut marks) = (states.clone(), marks.clone());
                states.push(*target);
                marks.push(own.clone());
                longer.push((states, marks));
            }
        }
        for (states, marks) in &longer {
            for entry in (0..length).filter(|&i| states[i] == states[length]) {
                let seen = marks[entry..].iter().flatten().copied().collect();
                let letters = states[..length].iter().map(|&s| system.letters[s]);
                let word = Word {
                    letters: letters.collect(),
                    lasso: Lasso {
                        prefix: entry,
                        cycle: length - entry,
                    },
                };
                if system.condition.accepts(seen) && test(&word) {
                    return Some(length);
                }
            }
        }
        paths = longer;
    }
    None
}

/// The product of the system with an automaton whose proposition i is atom `atoms[i]`.
fn product(system: &System, automaton: &Automaton, atoms: &[usize]) -> PlainGraph<1> {
    let count = automaton.state_count();
    let mut buchi = system.condition.buchi;
    for mark in automaton.acceptance().buchi.iter() {
        buchi.insert(3 + mark.index());
    }
    let condition = Streett::new(buchi, system.condition.pairs().to_vec());
    let mut graph = PlainGraph::new(condition, system.letters.len() * count);
    let initial = automaton.initial().iter().map(|s| NodeId(s.0));
    graph.initial = initial.collect();
    for (state, edges) in system.edges.iter().enumerate() {
        let held = atoms.iter().enumerate();
        let held = held.filter(|&(_, &a)| system.letters[state] >> a & 1 == 1);
        let letter = Letter(held.map(|(prop, _)| prop).collect::<Bits>());
        for from in automaton.states() {
            for edge in automaton.edges_from(from) {
                if !automaton.cube(edge.label).matches(&letter) {
                    continue;
                }
                for (target, own) in edges {
                    let marks = automaton.marks(edge.marks).iter().map(|m| 3 + m.index());
                    let marks: Vec<usize> = own.iter().copied().chain(marks).collect();
                    let source = state * count + from.index();
                    graph.add(source, &marks, target * count + edge.target.index());
                }
            }
        }
    }
    graph
}

/// The word of a lasso of the product.
fn word(system: &System, count: usize, lasso: &GraphLasso<1>) -> Word {
    let state = |node: &NodeId| node.index() / count;
    let mut states: Vec<usize> = lasso.prefix.iter().map(state).collect();
    let inner = &lasso.cycle[..lasso.cycle.len() - 1];
    states.extend(inner.iter().map(|e: &Edge<1>| state(&e.target)));
    Word {
        letters: states.iter().map(|&s| system.letters[s]).collect(),
        lasso: Lasso {
            prefix: lasso.prefix.len() - 1,
            cycle: lasso.cycle.len(),
        },
    }
}

/// How many lassos were compared, how many were longer, and how many still after folding.
fn compare(seed: u64, cases: usize, past: bool) -> (usize, usize, usize) {
    let mut random = Random::new(seed);
    let (mut compared, mut longer, mut unfolded) = (0, 0, 0);
    for case in 0..cases {
        let mut store = Formulas::new();
        for atom in 0..ATOMS {
            store.atom(&format!("p{atom}"));
        }
        let size = 1 + random.below(5);
        let formula = random.formula(&mut store, size, ATOMS, past);
        let system = random_system(&mut random);
        let Some(found) = tight(&mut store, formula, 4096) else {
            continue;
        };
        let automaton = &found.automaton;
        let atoms = found.propositions.iter().map(|&p| match store.node(p) {
            Node::Atom(atom) => atom.index(),
            _ => panic!("a proposition that is no atom"),
        });
        let atoms: Vec<usize> = atoms.collect();
        let mut graph = product(&system, automaton, &atoms);
        let mut observer = |_: &Progress| true;
        let mut watch = Watch::new(&mut observer, None, None);
        let answer = bounded(&mut graph, DEPTH, Budget::default(), &mut watch);
        let answer = answer.expect("no limits");
        let test = |word: &Word| word.satisfies(&store, formula);
        let best = enumerate(&system, &test);
        let length = answer.lasso.as_ref().map(GraphLasso::len);
        if let Some(lasso) = &answer.lasso {
            assert_eq!(lasso.check(&mut graph), Ok(()));
            let word = word(&system, automaton.state_count(), lasso);
            assert!(test(&word), "case {case}: the word is not in the language");
            assert!(best.is_some(), "case {case}: no lasso of the system");
        }
        compared += usize::from(best.is_some());
        if !past || !store.properties(formula).has_past() {
            assert_eq!(length, best, "case {case}");
            continue;
        }
        if length != best {
            longer += 1;
        }
        let Some(lasso) = &answer.lasso else {
            unfolded += usize::from(best.is_some());
            continue;
        };
        let state = |node: &NodeId| node.index() / automaton.state_count();
        let mut prefix: Vec<usize> = lasso.prefix.iter().map(state).collect();
        let mut cycle: Vec<usize> = lasso.cycle.iter().map(|e| state(&e.target)).collect();
        fold(&mut prefix, &mut cycle);
        unfolded += usize::from(Some(prefix.len() + cycle.len()) > best);
    }
    (compared, longer, unfolded)
}

fn cases(default: usize) -> usize {
    let wanted = std::env::var("EVENHAND_CASES").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn without_past_the_shortest_of_the_product_is_the_shortest_of_the_system() {
    let cases = cases(6000);
    let (compared, longer, _) = compare(11, cases, false);
    assert!(compared * 4 > cases, "only {compared} lassos of {cases}");
    assert_eq!(longer, 0);
}

#[test]
fn with_past_it_may_be_longer_and_folding_helps() {
    let (compared, longer, unfolded) = compare(12, cases(3000), true);
    assert!(
        unfolded <= longer && longer < compared,
        "{unfolded} {longer} {compared}"
    );
    println!("past: {compared} lassos, {longer} longer, {unfolded} after folding");
}
