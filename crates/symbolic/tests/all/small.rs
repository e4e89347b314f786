//! Small models whose answers are known, and the limits.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use evenhand_smv::{Asked, SmvModel};
use evenhand_symbolic::{
    CompassionAs, DeadEnds, Direction, Length, Method, Options, Restriction, Stop, Symbolic,
    Warning,
};
use evenhand_system::relation::Enumerated;

use crate::common::{cases, first_seed, load};

fn every_method() -> Vec<Options> {
    let mut list = Vec::new();
    for direction in [
        Direction::Backward,
        Direction::Forward,
        Direction::Bidirectional,
    ] {
        for dead_ends in [DeadEnds::Exhaustive, DeadEnds::OneStep] {
            for restriction in [Restriction::Sets, Restriction::Relation] {
                for compassion in [
                    CompassionAs::Native,
                    CompassionAs::Justice,
                    CompassionAs::Antecedent,
                ] {
                    list.push(Options {
                        memory: 1 << 26,
                        method: Method {
                            direction,
                            dead_ends,
                            restriction,
                        },
                        compassion,
                        ..Options::default()
                    });
                }
            }
        }
    }
    list
}

fn engine(model: &SmvModel) -> Symbolic {
    Symbolic::new(&model.relation, Options::default()).expect("a small model")
}

/// A graph as a model: the successors of each state, the initial ones, the fairness.
fn graph(steps: &[(usize, &str)], init: &str, fairness: &str) -> SmvModel {
    let most = steps.len().max(2) - 1;
    let cases: String = steps
        .iter()
        .map(|(from, to)| format!("    s = {from} : {{{to}}};\n"))
        .collect();
    let text = format!(
        "MODULE main\nVAR s : 0..{most};\nINIT s in {{{init}}}\nASSIGN next(s) := case\n{cases}    \
         TRUE : s;\n  esac;\n{fairness}\n"
    );
    load(&text).expect("a model")
}

/// The smallest inputs on which the printed algorithms fail.
#[test]
fn printed_algorithms_fail_here() {
    let feasible = [
        graph(&[(0, "1"), (1, "1")], "0", "COMPASSION (s = 0, FALSE)"),
        graph(&[(0, "1"), (1, "0")], "0, 1", ""),
        graph(&[(0, "1"), (1, "1")], "0", "JUSTICE s = 1"),
        graph(
            &[(0, "0, 1"), (1, "0")],
            "0, 1",
            "COMPASSION (s = 1, FALSE)",
        ),
        graph(&[(0, "0, 1"), (1, "1")], "0", ""),
    ];
    let infeasible = [graph(
        &[(0, "1"), (1, "0")],
        "0, 1",
        "COMPASSION (s = 1, FALSE)\nCOMPASSION (TRUE, TRUE)",
    )];
    for options in every_method() {
        for (expected, list) in [(true, &feasible[..]), (false, &infeasible[..])] {
            for (number, model) in list.iter().enumerate() {
                let mut engine = Symbolic::new(&model.relation, options.clone()).expect("small");
                let answer = engine.feasible().expect("no limit");
                assert_eq!(answer.holds, expected, "{number}: {options:?}");
                assert_eq!(answer.run.is_some(), expected);
            }
        }
    }
}

#[test]
fn there_is_no_past_at_the_beginning() {
    // One state with a loop: the formulas are valid, though the initial state is entered again.
    let mut model = graph(&[(0, "0"), (1, "1")], "0", "");
    for text in ["! Y ! (s = 0)", "! Y ! (s = 1)"] {
        let at = model.ask("q", Asked::Ltl, text).expect("a formula");
        let f = model.properties[at].formula;
        let expected = text.contains("s = 0") || text.contains("s = 1");
        let answer = engine(&model).ltl(&model.formulas, f, &|a| model.proposition(a));
        assert_eq!(answer.expect("no limit").holds, expected, "{text}");
    }
    for (text, expected) in [
        ("A ! Y ! (s = 1)", true),
        ("!E ! ! Y ! (s = 1)", true),
        ("A G A ! Y ! (s = 1)", false), // inside of a quantifier: wherever the state occurs
        ("E F E Y ! (s = 1)", true),
        ("E Y ! (s = 1)", false),
    ] {
        let at = model.ask("q", Asked::Ctl, text).expect("a formula");
        let f = model.properties[at].formula;
        let answer = engine(&model).ctl_star(&model.formulas, f, &|a| model.proposition(a));
        assert_eq!(answer.expect("no limit").holds, expected, "{text}");
    }
}

#[test]
fn warnings_say_what_is_vacuous() {
    let model =
        load("MODULE main\nVAR s : 0..2;\nINIT s < 2\nTRANS s < 2 -> next(s) = s + 1\nTRANS s < 2")
            .expect("a model");
    let mut engine = engine(&model);
    let warnings = engine.warnings().expect("no limit");
    let dead = warnings.iter().find_map(|w| match w {
        Warning::DeadEnd(run) => Some(run.states.len()),
        _ => None,
    });
    assert_eq!(dead, Some(2));
    assert!(
        warnings
            .iter()
            .any(|w| matches!(w, Warning::NoFairRun { all: true, .. }))
    );
    let total = engine.total().expect("no limit");
    assert!(!total.holds);
}

#[test]
fn lengths_of_paths() {
    let mut model = graph(
        &[(0, "1"), (1, "2, 3"), (2, "3"), (3, "3"), (4, "4")],
        "0",
        "",
    );
    let mut compute = |minimum, to: &str| {
        let from = model.ask("from", Asked::Ctl, "s = 0").expect("a formula");
        let to = model.ask("to", Asked::Ctl, to).expect("a formula");
        let (from, to) = (model.properties[from].formula, model.properties[to].formula);
        let both = (from, to);
        let found =
            engine(&model).compute(&model.formulas, both, minimum, &|a| model.proposition(a));
        found.expect("no limit").0
    };
    assert_eq!(compute(true, "s = 3"), Length::Steps(2));
    assert_eq!(compute(false, "s = 3"), Length::Steps(3));
    assert_eq!(compute(false, "s = 2"), Length::Infinite);
    // As NuSMV has it: no way is infinitely long; a longest one of none is undefined.
    assert_eq!(compute(true, "s = 4"), Length::Infinite);
    assert_eq!(compute(false, "s = 4"), Length::Undefined);
    assert_eq!(compute(true, "s = 0"), Length::Steps(0));
}

/// Every operator on every type, through the number of solutions of a random condition.
#[test]
fn expressions_mean_what_the_evaluator_says() {
    let mut compared = 0;
    for seed in first_seed()..first_seed() + cases(400) {
        let text = evenhand_testkit::smv_models::expression_model(seed);
        let Some(model) = load(&text) else { continue };
        let Ok(explored) = Enumerated::new(model.relation.clone()) else {
            continue;
        };
        let Ok(expected) = explored.initial_states() else {
            continue;
        };
        let options = Options {
            memory: 1 << 26,
            ..Options::default()
        };
        let mut engine = Symbolic::new(&model.relation, options).expect("a small model");
        let found = engine.reachable().expect("no limit").initial;
        assert_eq!(
            found.exact,
            Some(expected.len() as u128),
            "seed {seed}\n{text}"
        );
        compared += 1;
    }
    assert!(compared * 3 >= cases(400), "{compared}");
}

#[test]
fn wide_words_are_circuits() {
    let text = "MODULE main\nVAR a : unsigned word[32]; b : unsigned word[32];\n\
                INIT a = 0ud32_100000\nINIT b = 0ud32_7\n\
                TRANS next(a) = a + b\nTRANS next(b) = b\n\
                INVARSPEC a * 0ud32_3 >= a\n\
                LTLSPEC G (a / 0ud32_16 <= a & a mod 0ud32_8 < 0ud32_8)\n\
                LTLSPEC X (a = 0ud32_100007)\nLTLSPEC X (a >> 1 = 0ud32_50003)\n";
    let model = load(text).expect("a model");
    let options = Options {
        time: Some(Duration::from_secs(20)),
        memory: 1 << 28,
        ..Options::default()
    };
    // Counting through all values takes too long; what is asked of the first steps is decided.
    let engine = Symbolic::new(&model.relation, options).expect("translated");
    assert_eq!(engine.statistics().bits, 64);
    let other = load(&text.replace("next(a) = a + b", "next(a) = a + b & a < 0ud32_100070"));
    let model = other.expect("a model");
    let mut engine = Symbolic::new(&model.relation, Options::default()).expect("translated");
    assert_eq!(engine.reachable().expect("no limit").states.exact, Some(11));
}

#[test]
fn limits_are_answers() {
    // The middle bits of a product need diagrams that are exponential in its width.
    let text = "MODULE main\nVAR a : unsigned word[24]; b : unsigned word[24]; \
                c : unsigned word[24];\n\
                TRANS next(c) = a * b\n";
    let model = load(text).expect("a model");
    let options = Options {
        memory: 1 << 24,
        ..Options::default()
    };
    let found = Symbolic::new(&model.relation, options);
    assert_eq!(found.err(), Some(Stop::Memory));
    let small = graph(&[(0, "1"), (1, "0")], "0", "");
    let options = Options {
        interrupt: Some(Arc::new(AtomicBool::new(true))),
        ..Options::default()
    };
    assert_eq!(
        Symbolic::new(&small.relation, options).err(),
        Some(Stop::Interrupted)
    );
    let options = Options {
        time: Some(Duration::ZERO),
        ..Options::default()
    };
    assert_eq!(
        Symbolic::new(&small.relation, options).err(),
        Some(Stop::Time)
    );
}
