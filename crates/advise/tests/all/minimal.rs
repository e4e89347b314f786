//! The search for minimal assignments against brute force: on random small systems of processes
//! every assignment is decided by code that shares nothing with it, and the minimal ones must be
//! the same set.
//!
//! `EVENHAND_CASES` is the number of systems (default 2000).

use evenhand_advise::core_graph::{CoreGraph, ItemMarks};
use evenhand_advise::hitting::{Assignment, Clause, Level, Minimal, Next, Oracle};
use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Marks, Pair, Streett};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::watch::Watch;
use evenhand_testkit::graphs::{
    Fairness, by_components, by_subsets, random_processes, random_pursuit,
};
use evenhand_testkit::promela_programs::random::Random;

const LEVELS: [Level; 3] = [Level::Absent, Level::Weak, Level::Strong];

fn cases() -> u64 {
    let given = std::env::var("EVENHAND_CASES").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(2000)
}

/// All assignments of some items.
fn all_assignments(items: usize) -> Vec<Assignment> {
    let mut list: Vec<Assignment> = vec![Vec::new()];
    for _ in 0..items {
        list = list
            .into_iter()
            .flat_map(|a| {
                LEVELS.map(|level| {
                    let mut longer = a.clone();
                    longer.push(level);
                    longer
                })
            })
            .collect();
    }
    list
}

fn is_below(one: &Assignment, other: &Assignment) -> bool {
    one.iter().zip(other).all(|(a, b)| a <= b)
}

/// The minimal ones among those that hold, by their definition.
fn minimal_by_force(items: usize, holds: &dyn Fn(&Assignment) -> bool) -> Vec<Assignment> {
    let holding: Vec<Assignment> = all_assignments(items).into_iter().filter(holds).collect();
    let is_minimal = |a: &&Assignment| !holding.iter().any(|b| b != *a && is_below(b, a));
    let mut list: Vec<Assignment> = holding.iter().filter(is_minimal).cloned().collect();
    list.sort();
    list
}

/// The condition of an assignment, spelled out.
fn condition(base: &Streett<1>, items: &[ItemMarks], assignment: &Assignment) -> Streett<1> {
    let mut buchi = base.buchi;
    let mut pairs = base.pairs().to_vec();
    for (item, level) in items.iter().zip(assignment) {
        if *level == Level::Weak {
            item.weak.iter().for_each(|&m| buchi.insert(m));
        }
        if *level == Level::Strong {
            let pair = |&(request, grant): &(usize, usize)| Pair {
                request: request as u16,
                grant: grant as u16,
            };
            pairs.extend(item.strong.iter().map(pair));
        }
    }
    Streett::new(buchi, pairs)
}

struct OnGraph {
    graph: CoreGraph<1>,
    checks: usize,
}

impl Oracle for OnGraph {
    fn check(&mut self, assignment: &[Level]) -> Result<Vec<Clause>, Stop> {
        self.checks += 1;
        let mut observer = |_: &Progress| true;
        let mut watch = Watch::new(&mut observer, None, None);
        self.graph.check(assignment, &mut watch)
    }
}

/// All that the search finds.
fn minimal_by_search(graph: &PlainGraph<1>, items: &[ItemMarks]) -> (Vec<Assignment>, bool, usize) {
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let copy = CoreGraph::new(&mut graph.clone(), items.to_vec(), &mut watch).expect("no limit");
    let mut oracle = OnGraph {
        graph: copy,
        checks: 0,
    };
    let mut search = Minimal::new(items.len());
    loop {
        match search.next(&mut oracle).expect("no limit") {
            Next::Found(_) => {}
            Next::NoMore => break,
            Next::Unknown => panic!("gave up"),
        }
    }
    let mut found = search.found().to_vec();
    found.sort();
    (found, search.is_hopeless(), oracle.checks)
}

/// Marks of process i in the graphs of the testkit: enabled, moves, settled.
fn marks_of(process: usize) -> ItemMarks {
    ItemMarks {
        weak: vec![3 + 3 * process],
        strong: vec![(1 + 3 * process, 2 + 3 * process)],
    }
}

#[test]
fn minimal_assignments_are_those_of_brute_force() {
    let mut several = 0;
    let mut hopeless = 0;
    let mut strong = 0;
    for seed in 0..cases() {
        let mut random = Random::new(seed);
        let system = match seed % 3 {
            0 => random_processes(&mut random),
            _ => random_pursuit(&mut random),
        };
        let graph = system.graph(Fairness::None);
        let count = system.processes();
        let mut items: Vec<ItemMarks> = (0..count).map(marks_of).collect();
        // Now and then two processes are one item, as the instances of a type are.
        if count > 1 && random.percent(25) {
            let last = items.pop().expect("an item");
            items[0].weak.extend(last.weak);
            items[0].strong.extend(last.strong);
        }
        let holds = |assignment: &Assignment| {
            let mut asked = graph.clone();
            asked.condition = condition(&graph.condition, &items, assignment);
            let broken = by_components(&asked);
            let edges: usize = asked.edges.iter().map(Vec::len).sum();
            if edges <= 10 {
                assert_eq!(broken, by_subsets(&asked), "seed {seed}: oracles differ");
            }
            !broken
        };
        let expected = minimal_by_force(items.len(), &holds);
        let (found, is_hopeless, checks) = minimal_by_search(&graph, &items);
        assert_eq!(found, expected, "seed {seed}: {system:?}, items {items:?}");
        assert_eq!(is_hopeless, expected.is_empty(), "seed {seed}");
        assert!(
            checks <= 3usize.pow(items.len() as u32),
            "seed {seed}: {checks} checks"
        );
        several += usize::from(expected.len() > 1);
        hopeless += usize::from(expected.is_empty());
        strong += usize::from(expected.iter().flatten().any(|&l| l == Level::Strong));
    }
    println!("{several} with several, {hopeless} hopeless, {strong} with strong ones");
    let least = cases() as usize / 100;
    assert!(
        several >= least && hopeless >= least && strong >= least,
        "cases too simple"
    );
}

/// Clauses alone, up to six items: the search needs no graph.
#[test]
fn minimal_assignments_of_random_clauses() {
    struct Clauses(Vec<Clause>);
    impl Oracle for Clauses {
        fn check(&mut self, assignment: &[Level]) -> Result<Vec<Clause>, Stop> {
            let broken = self.0.iter().find(|c| !c.is_satisfied(assignment));
            Ok(broken.into_iter().cloned().collect())
        }
    }
    let mut most = 0;
    for seed in 0..cases() / 4 {
        let mut random = Random::new(1_000_000 + seed);
        let items = random.between(1, 6);
        let clauses: Vec<Clause> = (0..random.between(0, 7))
            .map(|_| {
                let level = |random: &mut Random| match random.below(4) {
                    0 => Some(Level::Weak),
                    1 => Some(Level::Strong),
                    _ => None,
                };
                Clause((0..items).map(|_| level(&mut random)).collect())
            })
            .collect();
        let holds = |a: &Assignment| clauses.iter().all(|c| c.is_satisfied(a));
        let expected = minimal_by_force(items, &holds);
        let mut oracle = Clauses(clauses.clone());
        let mut search = Minimal::new(items);
        while let Next::Found(_) = search.next(&mut oracle).expect("no limit") {}
        let mut found = search.found().to_vec();
        found.sort();
        assert_eq!(found, expected, "seed {seed}: {clauses:?}");
        most = most.max(found.len());
    }
    assert!(most > 3, "cases too simple: at most {most}");
}

/// Without marks nothing excludes anything.
#[test]
fn an_item_without_marks_is_no_help() {
    let mut graph: PlainGraph<1> = PlainGraph::new(Streett::new(Marks::EMPTY, Vec::new()), 1);
    graph.add(0, &[], 0);
    let (found, is_hopeless, checks) = minimal_by_search(&graph, &[ItemMarks::default()]);
    assert!(found.is_empty() && is_hopeless);
    assert_eq!(checks, 1);
}
