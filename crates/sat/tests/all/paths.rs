//! Invariants: shortest paths and proofs by induction, against listing all states.

use evenhand_sat::{Goal, Paths, Round};
use evenhand_source::Budget;
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::{Relation, Sort, VarId};
use evenhand_testkit::promela_programs::random::Random;
use evenhand_testkit::smv_models::{model, verdict_model};

use crate::brute_force::{Graph, load};
use crate::{cases, first_seed};

fn decide(relation: &Relation, goal: Goal, most: usize) -> (Round, usize) {
    let mut search = Paths::new(relation, goal, &Budget::unlimited()).expect("it can be encoded");
    for steps in 0..most {
        match search.round().expect("no limit") {
            Round::Open => {}
            other => return (other, steps),
        }
    }
    (Round::Open, most)
}

/// A small model with a random condition on its states.
fn random(seed: u64) -> Option<Relation> {
    let text = match seed % 2 {
        0 => verdict_model(seed),
        _ => model(seed),
    };
    let mut relation = load(&text)?.relation.inputs_in_states();
    relation.propositions.clear();
    let mut random = Random::new(seed ^ 77);
    let mut parts = Vec::new();
    for _ in 0..random.between(1, 3) {
        let id = VarId(random.below(relation.variables.len()) as u32);
        let values = match &relation.variables[id.0 as usize].sort {
            Sort::Word(word) if word.bits > 6 => return None,
            sort => sort.values(64)?,
        };
        let pool = &mut relation.expressions;
        let (variable, value) = (pool.current(id), *random.pick(&values));
        let value = pool.constant(value);
        parts.push(pool.equal(variable, value));
    }
    let all = relation.expressions.all(parts);
    let condition = relation.expressions.not(all);
    relation.add_proposition("p", condition);
    Some(relation)
}

#[test]
fn invariants_are_those_of_all_states() {
    let (mut compared, mut broken, mut proved, mut deepest, mut open) = (0, 0, 0, 0, 0);
    let mut seed = first_seed();
    while compared < cases(200) {
        let relation = random(seed);
        seed += 1;
        let Some(relation) = relation else { continue };
        let Some(graph) = Graph::new(&relation, 2000) else {
            continue;
        };
        let bad = (0..graph.states.len()).filter(|&state| !graph.labels[0][state]);
        let nearest = bad.map(|state| graph.distance[state]).min();
        let goal = Goal::State(PropositionId(0));
        let search = Paths::new(&relation, goal, &Budget::unlimited());
        if !search.expect("it can be encoded").can_prove() {
            continue;
        }
        compared += 1;
        let (round, steps) = decide(&relation, goal, 25);
        match round {
            Round::Broken(run) => {
                assert_eq!(Some(steps), nearest, "seed {}", seed - 1);
                assert_eq!(run.states.len(), steps + 1);
                broken += 1;
                deepest = steps.max(deepest);
            }
            Round::Holds => {
                assert_eq!(nearest, None, "seed {}", seed - 1);
                proved += 1;
            }
            Round::Open => {
                assert!(nearest.is_none_or(|steps| steps >= 25), "seed {}", seed - 1);
                open += 1;
            }
        }
    }
    println!(
        "{compared} models: {broken} broken after at most {deepest} steps, {proved} proved, {open} open, last seed {}",
        seed - 1
    );
    assert!(proved * 5 >= compared && broken * 5 >= compared && open * 5 <= compared);
}

fn said(text: &str, most: usize) -> (&'static str, usize) {
    let mut model = load(text).expect("a model");
    let id = model.propositions[0];
    model.relation.justice.clear();
    match decide(&model.relation, Goal::State(id), most) {
        (Round::Broken(_), steps) => ("broken", steps),
        (Round::Holds, steps) => ("holds", steps),
        (Round::Open, steps) => ("open", steps),
    }
}

#[test]
fn each_rule_of_the_induction_is_needed_and_sound() {
    // Inductive at once.
    let text = "MODULE main VAR x: 0..7; ASSIGN init(x) := 0; next(x) := (x + 2) mod 8; INVARSPEC x mod 2 = 0";
    assert_eq!(said(text, 9), ("holds", 1));
    // Unreachable states lead into broken ones, along paths of two steps at most; reachable ones go on for long.
    let text = "MODULE main VAR x: 0..7; y: 0..30; INIT x = 0 & y = 0 TRANS next(y) = (y + 1) mod 31 \
        TRANS x = 0 ? next(x) = 0 : next(x) = (x + 1) mod 8 INVARSPEC x != 3";
    assert_eq!(said(text, 9), ("holds", 3));
    // Unreachable states that circle: only since states on a path differ.
    let text = "MODULE main VAR x: 0..3; y: 0..30; INIT x = 0 & y = 0 \
        TRANS next(y) = (x = 0 ? (y + 1) mod 31 : y) \
        TRANS case x = 0: next(x) = 0; x = 1: next(x) in {2, 3}; x = 2: next(x) = 1; TRUE: next(x) = 3; esac \
        INVARSPEC x != 3";
    assert_eq!(said(text, 9), ("holds", 3));
    // All states were seen, though unreachable ones lead into broken ones.
    let text = "MODULE main VAR x: 0..7; INIT x = 0 TRANS x = 0 ? next(x) = 0 : next(x) = (x + 1) mod 8 INVARSPEC x != 3";
    assert_eq!(said(text, 9), ("holds", 0));
    // A state without a successor counts, here the last one.
    let text = "MODULE main VAR x: 0..3; INIT x = 0 TRANS next(x) = x + 1 INVARSPEC x != 3";
    assert_eq!(said(text, 9), ("broken", 3));
    // No path goes on for ever, and all states were seen.
    let text = "MODULE main VAR x: 0..5; b: boolean; INIT x = 0 & !b TRANS next(x) = x + 1 & (next(b) | x < 3) INVARSPEC b | x < 4";
    assert_eq!(said(text, 9).0, "holds");
    // The invariant of the model holds at each position of the induction.
    let text = "MODULE main VAR x: 0..7; INIT x = 0 INVAR x < 4 TRANS next(x) > x INVARSPEC x < 4";
    assert_eq!(said(text, 9), ("holds", 0));
    // Initial states that are broken, and none at all.
    let text = "MODULE main VAR x: 0..7; INIT x > 5 TRANS next(x) = x INVARSPEC x < 4";
    assert_eq!(said(text, 9), ("broken", 0));
    let text = "MODULE main VAR x: 0..7; INIT FALSE TRANS next(x) = x INVARSPEC x < 4";
    assert_eq!(said(text, 9).0, "holds");
    // A long way, and a proof that needs all of it.
    let text = "MODULE main VAR x: 0..40; ASSIGN init(x) := 0; next(x) := x = 40 ? 0 : x + 1; INVARSPEC x != 37";
    assert_eq!(said(text, 50), ("broken", 37));
}

#[test]
fn conditions_on_steps() {
    let text = "MODULE main VAR x: 0..5; ASSIGN init(x) := 0; next(x) := x = 5 ? 5 : x + 1; INVARSPEC next(x) != x";
    let model = load(text).expect("a model");
    let evenhand_smv::SmvPropertyKind::Invariant { step: Some(step) } = model.properties[0].kind
    else {
        panic!("a condition on steps");
    };
    let (round, steps) = decide(&model.relation, Goal::Step(step), 9);
    let Round::Broken(run) = round else {
        panic!("{round:?}")
    };
    assert_eq!((steps, run.states.len()), (5, 7));
    let text = "MODULE main VAR x: 0..5; ASSIGN init(x) := 0; next(x) := x = 5 ? 0 : x + 1; INVARSPEC next(x) != x";
    let model = load(text).expect("a model");
    let evenhand_smv::SmvPropertyKind::Invariant { step: Some(step) } = model.properties[0].kind
    else {
        panic!("a condition on steps");
    };
    assert_eq!(
        decide(&model.relation, Goal::Step(step), 20).0,
        Round::Holds
    );
}

#[test]
fn dead_ends_are_found_and_totality_is_proved() {
    let (mut compared, mut ends, mut proved, mut open) = (0, 0, 0, 0);
    let mut seed = first_seed();
    while compared < cases(200) {
        let relation = random(seed);
        seed += 1;
        let Some(relation) = relation else { continue };
        let Some(graph) = Graph::new(&relation, 2000) else {
            continue;
        };
        let Ok(mut search) = Paths::new(&relation, Goal::Successor, &Budget::unlimited()) else {
            continue;
        };
        if !search.can_prove() {
            continue;
        }
        compared += 1;
        let dead = (0..graph.states.len()).filter(|&state| graph.successors[state].is_empty());
        let nearest = dead.map(|state| graph.distance[state]).min();
        for steps in 0..25 {
            match search.round() {
                Ok(Round::Broken(run)) => {
                    assert_eq!(Some(steps), nearest, "seed {}", seed - 1);
                    assert_eq!(run.states.len(), steps + 1);
                    ends += 1;
                    break;
                }
                Ok(Round::Holds) => {
                    assert_eq!(nearest, None, "seed {}", seed - 1);
                    proved += 1;
                    break;
                }
                Ok(Round::Open) => assert_ne!(Some(steps), nearest, "seed {}", seed - 1),
                Err(_) => {
                    open += 1;
                    break;
                }
            }
        }
    }
    println!(
        "{compared} models: {ends} with dead ends, {proved} total, {open} given up, last seed {}",
        seed - 1
    );
    assert!(ends * 20 >= compared && proved * 3 >= compared);
}

#[test]
fn a_guess_at_the_next_state_follows_the_constraints() {
    let total = |text: &str| {
        let model = load(text).expect("a model");
        match decide(&model.relation, Goal::Successor, 9) {
            (Round::Broken(_), steps) => ("ends", steps),
            (Round::Holds, steps) => ("holds", steps),
            (Round::Open, steps) => ("open", steps),
        }
    };
    // Functions, sets, cases, and values that depend on other next values.
    let text = "MODULE main VAR x: 0..9; y: {a, b, c}; z: boolean; w: unsigned word[4]; \
        ASSIGN next(x) := case x < 5 : {x + 1, 9}; y = a : 0; TRUE : {1, 2}; esac; \
        next(y) := next(x) > 3 ? b : c; next(z) := !z; next(w) := w * w;";
    assert_eq!(total(text), ("holds", 0));
    // Inputs, frozen variables, and those that nothing is said about.
    let text = "MODULE main IVAR i: 2..5; FROZENVAR f: 0..3; VAR x: 0..9; y: boolean; TRANS next(x) = i + f";
    assert_eq!(total(text), ("holds", 0));
    // The first value that is named may be none, and another one is.
    let text = "MODULE main VAR x: 0..3; INIT x = 0 TRANS next(x) = x + 1 | next(x) = 0";
    assert_eq!(total(text).0, "holds");
    // A constraint on what was guessed.
    let text = "MODULE main VAR x: 0..3; INIT x = 0 TRANS next(x) = x + 1 INVAR x != 3";
    assert_eq!(total(text), ("ends", 2));
    let text = "MODULE main VAR x: 0..3; y: 0..3; INIT x = 0 & y = 0 TRANS next(x) + next(y) = 6 & next(x) >= x";
    assert_eq!(total(text).0, "holds");
}
