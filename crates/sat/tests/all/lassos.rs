//! Infinite runs: random models with justice and compassion, formulas with past, and small cases by hand.

use evenhand_logic::{FormulaId, Formulas};
use evenhand_sat::{Lassos, Round, Stop};
use evenhand_smv::SmvPropertyKind;
use evenhand_source::{Budget, Exhausted};
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::Relation;
use evenhand_testkit::smv_models::checked_model;

use crate::brute_force::{Graph, load};
use crate::{cases, first_seed};

/// Runs of so many steps are listed.
const STEPS: usize = 6;

fn search<'r>(
    relation: &'r Relation,
    formula: (&Formulas, FormulaId),
    propositions: &[PropositionId],
) -> Lassos<'r> {
    let proposition = |atom: evenhand_logic::AtomId| propositions.get(atom.index()).copied();
    Lassos::new(relation, formula, &proposition, &Budget::unlimited()).expect("it can be encoded")
}

/// The number of steps of the shortest run that breaks the only formula of a model.
fn shortest(text: &str, most: usize) -> Option<usize> {
    let model = load(text).expect("a model");
    let relation = model.relation.clone().inputs_in_states();
    let formula = (&model.formulas, model.properties[0].formula);
    let graph = Graph::new(&relation, 500).expect("a small model");
    let mut search = search(&relation, formula, &model.propositions);
    for steps in 1..=most {
        assert_eq!(search.steps(), steps);
        match search.round().expect("no limit") {
            Round::Broken(run) => {
                assert_eq!(run.states.len(), steps);
                is_run(&graph, &run, formula, &model.propositions);
                return Some(steps);
            }
            Round::Holds => return None,
            Round::Open => {}
        }
    }
    None
}

/// A run is one of the model, and breaks the formula.
fn is_run(
    graph: &Graph,
    run: &evenhand_sat::Run,
    formula: (&Formulas, FormulaId),
    propositions: &[PropositionId],
) {
    let place = |state| graph.states.iter().position(|own| own == state);
    let path: Option<Vec<usize>> = run.states.iter().map(place).collect();
    let path = path.expect("states of the model");
    let turn = run.turn.expect("a cycle");
    assert!(graph.initial.contains(&path[0]));
    let back = [path[path.len() - 1], path[turn]];
    for step in path.windows(2).chain([&back[..]]) {
        assert!(graph.successors[step[0]].contains(&step[1]));
    }
    assert!(graph.breaks(&path, turn, formula, propositions));
}

#[test]
fn runs_are_found_at_their_own_length() {
    let (mut compared, mut broken, mut with_past, mut held) = (0, 0, 0, 0);
    let mut seed = first_seed();
    while compared < cases(100) {
        let text = checked_model(seed).text;
        seed += 1;
        let Some(model) = load(&text) else { continue };
        let Some(property) = model
            .properties
            .iter()
            .find(|p| p.kind == SmvPropertyKind::Ltl)
        else {
            continue;
        };
        let relation = model.relation.clone().inputs_in_states();
        let Some(graph) = Graph::new(&relation, 200) else {
            continue;
        };
        let formula = (&model.formulas, property.formula);
        let mut search = search(&relation, formula, &model.propositions);
        if !search.can_prove() {
            continue;
        }
        compared += 1;
        let has_past = model.formulas.properties(property.formula).has_past();
        for steps in 1..=STEPS {
            let Some(expected) = graph.broken_after(steps, formula, &model.propositions) else {
                break;
            };
            match search.round().expect("no limit") {
                Round::Broken(run) => {
                    assert!(expected, "seed {}: {steps} steps\n{text}", seed - 1);
                    is_run(&graph, &run, formula, &model.propositions);
                    broken += 1;
                    with_past += u64::from(has_past);
                    break;
                }
                Round::Holds => {
                    held += 1;
                    for steps in steps..=STEPS {
                        let broken = graph.broken_after(steps, formula, &model.propositions);
                        assert_ne!(broken, Some(true), "seed {}\n{text}", seed - 1);
                    }
                    break;
                }
                Round::Open => assert!(!expected, "seed {}: {steps} steps\n{text}", seed - 1),
            }
        }
    }
    println!(
        "{compared} models, {broken} broken ({with_past} with past), {held} proved, last seed {}",
        seed - 1
    );
    assert!(broken * 4 >= compared && with_past * 10 >= broken);
}

#[test]
fn a_past_formula_has_a_shortest_run_too() {
    // One state that returns to itself: `Y a` is false at first and true ever after.
    let text = "MODULE main VAR a: boolean; INIT a TRANS next(a) = a LTLSPEC G !(Y a)";
    assert_eq!(shortest(text, 5), Some(1));
    // Each further `Y` needs one more turn, and no more steps.
    let text =
        "MODULE main VAR a: boolean; INIT a TRANS next(a) = a LTLSPEC G !(Y (a & Y (a & Y a)))";
    assert_eq!(shortest(text, 5), Some(1));
    // What was once stays so.
    let text = "MODULE main VAR a: boolean; INIT !a TRANS next(a) = !a LTLSPEC F G !(O (a & Y !a) & H TRUE)";
    assert_eq!(shortest(text, 5), Some(2));
    let text = "MODULE main VAR a: boolean; INIT !a TRANS next(a) = !a LTLSPEC G (a -> O !a)";
    assert_eq!(shortest(text, 6), None);
}

#[test]
fn fairness_is_about_the_cycle() {
    let model = |fair: &str| {
        format!(
            "MODULE main VAR x: 0..3; INIT x = 0 TRANS next(x) in {{x, (x + 1) mod 4}} {fair} LTLSPEC F x = 3"
        )
    };
    assert_eq!(shortest(&model(""), 6), Some(1));
    assert_eq!(shortest(&model("JUSTICE x = 1"), 6), Some(2));
    // Met on the way there does not count.
    assert_eq!(shortest(&model("JUSTICE x = 0 JUSTICE x = 1"), 6), None);
    assert_eq!(shortest(&model("COMPASSION (x = 0, x = 1)"), 6), Some(2));
    assert_eq!(shortest(&model("COMPASSION (x < 3, x = 3)"), 6), None);
    // A request on the prefix needs no grant.
    assert_eq!(
        shortest(&model("JUSTICE x = 2 COMPASSION (x = 1, x = 3)"), 6),
        Some(3)
    );
}

#[test]
fn a_path_that_ends_is_no_run() {
    // Nothing follows `x = 2`.
    let text = "MODULE main VAR x: 0..2; INIT x = 0 TRANS next(x) = x + 1 LTLSPEC F FALSE";
    assert_eq!(shortest(text, 6), None);
    let text = "MODULE main VAR x: 0..2; INIT x = 0 TRANS next(x) >= x & next(x) <= x + 1 INVAR x != 1 LTLSPEC F x = 2";
    assert_eq!(shortest(text, 6), Some(1));
}

#[test]
fn inputs_of_the_step_back_are_those_of_the_cycle() {
    let text = "MODULE main IVAR i: boolean; VAR x: boolean; INIT !x TRANS next(x) = i LTLSPEC !(G (x <-> Y i) & G F x & G F !x)";
    let model = load(text);
    // Inputs may stand in formulas of linear time.
    let model = model.expect("a model");
    let formula = (&model.formulas, model.properties[0].formula);
    let mut search = search(&model.relation, formula, &model.propositions);
    let mut found = None;
    for _ in 0..5 {
        if let Round::Broken(run) = search.round().expect("no limit") {
            found = Some(run);
            break;
        }
    }
    assert_eq!(found.expect("a run").states.len(), 2);
}

#[test]
fn limits_hold_inside_of_the_solver() {
    // That a product does not depend on the order of its factors is hard to see in its bits.
    let text = "MODULE main VAR a: unsigned word[24]; b: unsigned word[24]; \
        TRANS next(a) = a & next(b) = b LTLSPEC G (a * b = b * a)";
    let Some(model) = load(text) else {
        panic!("a model")
    };
    let formula = (&model.formulas, model.properties[0].formula);
    let budget = Budget::unlimited().within(Some(std::time::Duration::from_millis(300)));
    let proposition = |atom: evenhand_logic::AtomId| model.propositions.get(atom.index()).copied();
    let ended =
        Lassos::new(&model.relation, formula, &proposition, &budget).and_then(|mut search| {
            loop {
                match search.round()? {
                    Round::Open => {}
                    other => return Ok(other),
                }
            }
        });
    assert_eq!(ended, Err(Stop::Limit(Exhausted::Time)));
}
