//! Automata beside random models: a formula and the automata of its negation say the same, and what
//! the brute-force semantics says; runs are judged by the formula, with code that knows no
//! automaton.
//!
//! The automata have their acceptance on edges, as Büchi marks, as Streett pairs and as marks that
//! letters set.

use evenhand_automata::translate::{Options as Translation, translate};
use evenhand_automata::{Acceptance, Automaton, Builder, Condition, Mark};
use evenhand_logic::random::Random;
use evenhand_logic::{Formulas, Node};
use evenhand_symbolic::{CompassionAs, Direction, Method, Options, Stop, Symbolic};
use evenhand_system::fairness::PropositionId;

use crate::common::{Graph, cases, first_seed, proposition, random_model};

fn options(seed: u64) -> Options {
    let direction = match seed % 3 {
        0 => Direction::Backward,
        1 => Direction::Forward,
        _ => Direction::Bidirectional,
    };
    Options {
        memory: 1 << 26,
        method: Method {
            direction,
            ..Method::default()
        },
        compassion: match seed / 3 % 2 {
            0 => CompassionAs::Native,
            _ => CompassionAs::Justice,
        },
        // So small that the order changes often.
        sift: seed.is_multiple_of(5).then_some(100),
        sift_share: 0,
        ..Options::default()
    }
}

#[test]
fn automata_of_formulas() {
    let (mut yes, mut no, mut conditional, mut pairs) = (0, 0, 0, 0);
    for seed in first_seed()..first_seed() + cases(250) {
        let Some(relation) = random_model(seed) else {
            continue;
        };
        let Some(graph) = Graph::new(&relation, 60) else {
            continue;
        };
        let mut engine = Symbolic::new(&relation, options(seed)).expect("a small model");
        let mut random = Random::new(seed);
        for translation in [Translation::default(), Translation::streett()] {
            let mut store = Formulas::new();
            // The semantics takes time exponential in the operators.
            let with_pair = random.below(3) == 0;
            let size = 1 + random.below(if with_pair { 2 } else { 5 });
            let mut bad = random.formula(&mut store, size, 4, seed.is_multiple_of(2));
            if with_pair {
                // Streett pairs come from formulas like this.
                let mut often = || {
                    let atom = store.atom(&format!("p{}", random.below(4)));
                    let finally = store.finally(atom);
                    store.globally(finally)
                };
                let (when, then) = (often(), often());
                let pair = store.implies(when, then);
                bad = store.and([bad, pair]);
            }
            let Ok(found) = translate(&mut store, bad, &translation) else {
                continue;
            };
            conditional += usize::from(!found.automaton.conditionals().is_empty());
            pairs += usize::from(!found.automaton.acceptance().pairs.is_empty());
            let of = |p: &evenhand_logic::FormulaId| match store.node(*p) {
                Node::Atom(atom) => proposition(&store, *atom).expect("a name"),
                _ => panic!("no proposition"),
            };
            let propositions: Vec<PropositionId> = found.propositions.iter().map(of).collect();
            let answer = engine.automaton(&found.automaton, &propositions);
            let answer = answer.expect("no limit");
            let names = store.clone();
            let truth = |atom, s: usize| {
                let id = proposition(&names, atom).expect("a name");
                graph.labels[id.0 as usize][s]
            };
            let (_, start) = graph.exists(&mut store, bad, &truth);
            let accepts = graph.initial.iter().any(|&s| start[s]);
            assert_eq!(answer.holds, !accepts, "seed {seed}");
            if let Some(run) = &answer.run {
                let judged = graph.judge(run, &store, bad, &truth);
                judged.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
            match answer.holds {
                true => yes += 1,
                false => no += 1,
            }
        }
    }
    println!("{yes} empty, {no} not; {conditional} with conditional marks, {pairs} with pairs");
    assert!(yes * 5 >= yes + no && no * 5 >= yes + no, "{yes} {no}");
    assert!(conditional > 5 && pairs > 5);
}

/// An automaton with one state and no edge, or none at all.
fn small(states: usize, acceptance: Acceptance) -> Automaton {
    let mut builder = Builder::new(Vec::new(), acceptance);
    for _ in 0..states {
        let state = builder.add_state();
        builder.add_initial(state);
    }
    builder.build()
}

#[test]
fn odd_automata() {
    let relation = (1..).find_map(random_model).expect("a model");
    let mut engine = Symbolic::new(&relation, Options::default()).expect("a small model");
    for states in [0, 1, 3] {
        let answer = engine.automaton(&small(states, Acceptance::all()), &[]);
        assert!(answer.expect("no limit").holds, "nothing is accepted");
    }
    let other = Acceptance::from_condition(Condition::Fin(Mark::new(0)));
    let refused = engine.automaton(&small(1, other), &[]);
    assert!(matches!(refused, Err(Stop::Refused(_))), "{refused:?}");
}
