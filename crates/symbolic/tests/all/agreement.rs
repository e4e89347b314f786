//! The engine and the semantics by brute force give one answer, on random small models with random
//! fairness and formulas; every run that the engine shows is judged by code that shares nothing
//! with it.

use evenhand_logic::random::Random;
use evenhand_logic::{
    Binary, FormulaId, Formulas, Node, Quantifier, without_universal_quantifiers,
};
use evenhand_symbolic::{
    CompassionAs, DeadEnds, Direction, Method, Options, Restriction, Symbolic,
};
use evenhand_system::fairness::PropositionId;

use crate::common::{Graph, cases, ctl_star, first_seed, proposition, random_model};

fn options(seed: u64) -> Options {
    let method = Method {
        direction: match seed % 3 {
            0 => Direction::Backward,
            1 => Direction::Forward,
            _ => Direction::Bidirectional,
        },
        dead_ends: match seed / 3 % 2 {
            0 => DeadEnds::Exhaustive,
            _ => DeadEnds::OneStep,
        },
        restriction: match seed / 6 % 2 {
            0 => Restriction::Sets,
            _ => Restriction::Relation,
        },
    };
    let compassion = match seed / 12 % 3 {
        0 => CompassionAs::Native,
        1 => CompassionAs::Justice,
        _ => CompassionAs::Antecedent,
    };
    Options {
        memory: 1 << 26,
        method,
        compassion,
        // So small that the order changes often.
        sift: seed.is_multiple_of(5).then_some(100),
        sift_share: 0,
        ..Options::default()
    }
}

/// Random models with at most so many states, and the engine on each.
fn models(most: usize) -> impl Iterator<Item = (u64, Graph, Symbolic)> {
    (first_seed()..first_seed() + cases(250)).filter_map(move |seed| {
        let relation = random_model(seed)?;
        let graph = Graph::new(&relation, most)?;
        let engine = Symbolic::new(&relation, options(seed)).expect("a small model");
        Some((seed, graph, engine))
    })
}

#[test]
fn reachable_states_and_dead_ends_are_those_of_the_evaluator() {
    let (mut compared, mut dead) = (0, 0);
    for (seed, graph, mut engine) in models(400) {
        let reachable = engine.reachable().expect("no limit");
        assert_eq!(
            reachable.states.exact,
            Some(graph.states.len() as u128),
            "seed {seed}"
        );
        assert_eq!(
            reachable.initial.exact,
            Some(graph.initial.len() as u128),
            "seed {seed}"
        );
        let total = engine.total().expect("no limit");
        let is_total = graph.successors.iter().all(|list| !list.is_empty());
        assert_eq!(total.holds, is_total, "seed {seed}");
        if let Some(run) = &total.run {
            let places = graph
                .follow(run)
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let end = places.last().copied().unwrap_or(0);
            assert!(graph.successors[end].is_empty(), "seed {seed}");
            dead += 1;
        }
        for p in 0..4 {
            let answer = engine.invariant(PropositionId(p)).expect("no limit");
            let label = &graph.labels[p as usize];
            assert_eq!(answer.holds, label.iter().all(|&v| v), "seed {seed}");
            if let Some(run) = &answer.run {
                let places = graph
                    .follow(run)
                    .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                assert!(!label[places[places.len() - 1]], "seed {seed}");
            }
        }
        compared += 1;
    }
    assert!(compared * 3 >= cases(250), "{compared}");
    assert!(dead > 0);
}

#[test]
fn formulas_of_linear_time() {
    let (mut yes, mut no, mut reorderings) = (0, 0, 0);
    for (seed, graph, mut engine) in models(60) {
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let mut store = Formulas::new();
            let size = 1 + random.below(4);
            let formula = random.formula(&mut store, size, 4, true);
            let known = store.clone();
            let answer = engine.ltl(&store, formula, &|a| proposition(&known, a));
            let answer = answer.unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            let truth = |atom, s: usize| {
                proposition(&known, atom).is_some_and(|p| graph.labels[p.0 as usize][s])
            };
            let answer_reorderings = answer.statistics.reorderings;
            let bad = store.not(formula);
            let (_, first) = graph.exists(&mut store, bad, &truth);
            let holds = graph.initial.iter().all(|&s| !first[s]);
            assert_eq!(answer.holds, holds, "seed {seed}");
            if !holds {
                let run = answer.run.expect("a run");
                let judged = graph.judge(&run, &store, bad, &truth);
                judged.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
            reorderings += answer_reorderings;
            yes += u32::from(holds);
            no += u32::from(!holds);
        }
    }
    println!("{yes} hold, {no} do not, the order changed {reorderings} times");
    assert!(reorderings > 0);
    assert!(yes * 5 >= yes + no && no * 5 >= yes + no, "{yes} {no}");
}

#[test]
fn formulas_of_branching_time() {
    let (mut yes, mut no, mut runs) = (0, 0, 0);
    for (seed, graph, mut engine) in models(40) {
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let mut store = Formulas::new();
            let depth = 1 + random.below(2);
            let formula = ctl_star(&mut random, &mut store, depth);
            if !store.properties(formula).has_quantifier() {
                continue;
            }
            let known = store.clone();
            let answer = engine.ctl_star(&store, formula, &|a| proposition(&known, a));
            let answer = answer.unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            let truth = |atom, s: usize| {
                proposition(&known, atom).is_some_and(|p| graph.labels[p.0 as usize][s])
            };
            let set = graph.satisfying(&mut store, formula, &truth, true);
            let holds = graph.initial.iter().all(|&s| set[s]);
            let text = evenhand_logic::print(&known, formula, evenhand_logic::Spelling::Any);
            assert_eq!(answer.holds, holds, "seed {seed}: {text}");
            if let Some(run) = &answer.run {
                let followed = graph.follow(run);
                followed.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
            // A run for a formula that is one quantifier satisfies its body, or breaks it.
            if let Node::Path(quantifier, body) = *store.node(formula)
                && (quantifier == Quantifier::Exists) == holds
                && !graph.initial.is_empty()
            {
                let run = answer.run.as_ref().expect("a run");
                let mut inner = std::collections::HashMap::new();
                let body = graph.flat(&mut store, body, &truth, &mut inner);
                let shown = match quantifier {
                    Quantifier::Exists => body,
                    Quantifier::All => store.not(body),
                };
                let all = |atom, s: usize| match inner.get(&atom) {
                    Some(set) => set[s],
                    None => truth(atom, s),
                };
                let judged = graph.judge(run, &store, shown, &all);
                judged.unwrap_or_else(|e| panic!("seed {seed}: {text}: {e}"));
                runs += 1;
            }
            yes += u32::from(holds);
            no += u32::from(!holds);
        }
    }
    println!("{yes} hold, {no} do not, {runs} runs judged");
    assert!(runs * 10 >= yes + no, "{runs}");
    assert!(yes * 5 >= yes + no && no * 5 >= yes + no, "{yes} {no}");
}

/// A formula of CTL with a chain of `A`, each reached before the next: one run refutes it.
fn chain(random: &mut Random, store: &mut Formulas, links: usize) -> FormulaId {
    let mut literal = || {
        let p = store.atom(&format!("p{}", random.below(4)));
        match random.below(2) {
            0 => p,
            _ => store.not(p),
        }
    };
    let (p, q) = (literal(), literal());
    let rest = match links {
        0 => p,
        _ => {
            let rest = chain(random, store, links - 1);
            store.or([p, rest])
        }
    };
    let body = match (links, random.below(4)) {
        (0, 0) => store.finally(rest),
        (0, 1) => store.binary(Binary::Until, q, rest),
        (_, 2) => store.next(rest),
        (_, 3) => store.binary(Binary::Release, q, rest),
        _ => store.globally(rest),
    };
    store.path(Quantifier::All, body)
}

#[test]
fn one_run_shows_a_chain_of_quantifiers() {
    let (mut yes, mut no) = (0, 0);
    for (seed, graph, mut engine) in models(100) {
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let mut store = Formulas::new();
            let links = random.below(4);
            let formula = chain(&mut random, &mut store, links);
            let known = store.clone();
            let answer = engine.ctl_star(&store, formula, &|a| proposition(&known, a));
            let answer = answer.unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            let truth = |atom, s: usize| {
                proposition(&known, atom).is_some_and(|p| graph.labels[p.0 as usize][s])
            };
            let set = graph.satisfying(&mut store, formula, &truth, true);
            let holds = graph.initial.iter().all(|&s| set[s]);
            let text = evenhand_logic::print(&known, formula, evenhand_logic::Spelling::Any);
            assert_eq!(answer.holds, holds, "seed {seed}: {text}");
            yes += u32::from(holds);
            no += u32::from(!holds);
            if holds {
                continue;
            }
            let linear = without_universal_quantifiers(&mut store, formula).expect("`A` alone");
            let broken = store.not(linear);
            let run = answer.run.as_ref().expect("a run");
            let judged = graph.judge(run, &store, broken, &truth);
            judged.unwrap_or_else(|e| panic!("seed {seed}: {text}: {e}"));
        }
    }
    println!("{yes} hold, {no} do not");
    assert!(yes * 5 >= yes + no && no * 5 >= yes + no, "{yes} {no}");
}

#[test]
fn feasible_states() {
    let (mut yes, mut no) = (0, 0);
    for (seed, graph, mut engine) in models(100) {
        let fair = graph.fair_states();
        let answer = engine.feasible().expect("no limit");
        let holds = graph.initial.iter().any(|&s| fair[s]);
        assert_eq!(answer.holds, holds, "seed {seed}");
        if let Some(run) = &answer.run {
            let store = Formulas::new();
            let judged = graph.judge(run, &store, FormulaId::TRUE, &|_, _| true);
            judged.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
        // The closure of the core: exactly the states with a fair run.
        let count = engine.feasible_states().expect("no limit");
        let expected = fair.iter().filter(|&&f| f).count() as u128;
        assert_eq!(count.exact, Some(expected), "seed {seed}");
        yes += u32::from(holds);
        no += u32::from(!holds);
    }
    println!("{yes} are feasible, {no} are not");
    assert!(yes * 5 >= yes + no && no * 5 >= yes + no, "{yes} {no}");
}
