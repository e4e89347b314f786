//! With and without reduction every question has the same answer.
//!
//! Random programs with random formulas without a next state, under no, weak, strong and mixed fairness of
//! processes, statements and conditions: each is decided in all states and in the reduced system, by every
//! emptiness check, and so are assertions and ends. A violation that the reduced system finds is executed
//! and judged on the system itself before it counts.

use evenhand::{Counterexamples, Kind, LoadError, Model, Promela, Reduce, Report, Verdict};
use evenhand_explicit::emptiness::engines;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;

use crate::common::{Asked, cases, first_seed};

/// Larger programs say no more.
const MOST_STATES: u64 = 4_000;
const FORMULAS: usize = 2;

#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    /// Programs of which some question is answered with less than 80% of the states.
    reduced: usize,
    holds: usize,
    violated: usize,
    answers: usize,
    /// States of all questions under each setting: all, and in the reduced system.
    states: Vec<(u64, u64)>,
}

fn ask(model: &Model, fair: &[String], how: Reduce, engine: Option<&str>) -> Option<Report> {
    let mut names: Vec<String> = (0..FORMULAS).map(|n| format!("f{n}")).collect();
    names.extend(["assertions", "deadlock"].map(str::to_string));
    let mut asked = Asked::properties(&names);
    asked.fair(fair);
    asked.options.reduce = how;
    asked.options.engine = engine.map(str::to_string);
    asked.options.limit_states = Some(MOST_STATES);
    asked.options.counterexample = match how {
        // The run of a reduced system is executed and judged.
        Reduce::Always => Counterexamples::First,
        _ => Counterexamples::None,
    };
    asked.run(model).ok()
}

fn settings(random: &[String]) -> Vec<Vec<String>> {
    let one = |text: &str| vec![text.to_string()];
    let half = random.len().div_ceil(2);
    vec![
        Vec::new(),
        one("spin-weak"),
        one("weak"),
        one("strong"),
        random[..half].to_vec(),
        random.to_vec(),
    ]
}

/// Judges a program; whether it says anything.
fn judge(seed: u64, tally: &mut Tally) -> bool {
    let case = TemporalProgram::generate(seed, FORMULAS, 4);
    let text = case.text();
    let model = match Model::parse("program.pml", &text, &Promela) {
        Ok(model) => model,
        Err(LoadError::Rejected(_)) => return false,
        Err(error) => panic!("{error}"),
    };
    let valid: Vec<String> = (case.assumptions.iter())
        .filter(|text| ask(&model, &[String::clone(text)], Reduce::None, None).is_some())
        .cloned()
        .collect();
    let checks = engines::<1>();
    let mut is_reduced = false;
    for (number, fair) in settings(&valid).iter().enumerate() {
        let Some(full) = ask(&model, fair, Reduce::None, None) else {
            return false;
        };
        if !full.properties.iter().all(|p| p.verdict.is_decided()) {
            return false;
        }
        // Every engine gets its turn.
        let engine = checks[(seed as usize + number) % checks.len()].name();
        for engine in [None, Some(engine)] {
            let Some(less) = ask(&model, fair, Reduce::Always, engine) else {
                continue; // an engine that cannot do it
            };
            for (one, two) in full.properties.iter().zip(&less.properties) {
                if let (Verdict::Unknown(_), Some(_)) = (&two.verdict, engine) {
                    continue; // an engine that gives up
                }
                assert_eq!(
                    one.verdict.word(),
                    two.verdict.word(),
                    "seed {seed}, {} {:?} under {fair:?}, engine {:?}, states {} and {}\n{text}",
                    one.name,
                    one.formula,
                    engine,
                    one.states,
                    two.states,
                );
                if one.formula.is_some() {
                    tally.answers += 1;
                    match one.verdict.holds() {
                        true => tally.holds += 1,
                        false => tally.violated += 1,
                    }
                }
                if engine.is_none() && one.verdict.holds() {
                    is_reduced |= two.reduced && two.states * 10 < one.states * 8;
                    if one.formula.is_some() {
                        let (all, few) = &mut tally.states[number];
                        *all += one.states;
                        *few += two.states;
                    }
                }
            }
        }
    }
    tally.programs += 1;
    tally.reduced += usize::from(is_reduced);
    true
}

#[test]
fn verdicts_do_not_depend_on_the_reduction() {
    let mut tally = Tally {
        states: vec![(0, 0); 6],
        ..Tally::default()
    };
    // Programs that say nothing do not count.
    let (first, wanted) = (first_seed(0), cases(150));
    let mut seeds = first..first + 4 * wanted;
    while (tally.programs as u64) < wanted {
        judge(seeds.next().expect("programs say something"), &mut tally);
    }
    println!("seeds {first} to {}: {tally:?}", seeds.start - 1);
    assert!(tally.reduced * 10 >= tally.programs * 4, "{tally:?}");
    assert!(tally.holds * 10 >= tally.answers * 3, "{tally:?}");
    assert!(tally.violated * 10 >= tally.answers * 3, "{tally:?}");
}

/// Three processes that count for themselves: more states than are explored before a smaller system is.
const LARGE: &str = "
byte done;
active [3] proctype p() {
  byte i;
  do :: i < 40 -> i++ :: i == 40 -> break od;
  done++
}
ltl all { <> (done == 3) }
ltl two { [] (done != 2) }
ltl next { X (done == 0) }
";

#[test]
fn large_models_are_reduced_and_small_ones_are_not() {
    let model = Model::parse("large.pml", LARGE, &Promela).expect("a program");
    let mut asked = Asked::properties(&["all", "two", "next", "deadlock"]);
    asked.fair(&["weak"]);
    asked.options.budget = Some(std::time::Duration::from_millis(100));
    asked.options.reduce = Reduce::Auto;
    let report = asked.run(&model).expect("answers");
    let known = |name: &str| {
        let mut properties = report.properties.iter();
        let found = properties.find(|p| p.name == name).expect("a property");
        (found.verdict.word(), found.reduced, found.states)
    };
    let (verdict, reduced, states) = known("all");
    assert_eq!((verdict, reduced), ("holds", true));
    assert!(states < 2_000, "{states}");
    assert_eq!(known("two").0, "violated");
    assert!(!known("next").1, "steps count");
    let (verdict, reduced, states) = known("deadlock");
    assert_eq!((verdict, reduced), ("holds", true));
    assert!(states < 2_000, "{states}");
    let small = LARGE.replace("40", "3");
    let model = Model::parse("small.pml", &small, &Promela).expect("a program");
    let report = asked.run(&model).expect("answers");
    assert!(report.properties.iter().all(|p| !p.reduced));
}

#[test]
fn invariants_of_large_models_are_decided_in_reduced_ones() {
    let model = Model::parse("large.pml", LARGE, &Promela).expect("a program");
    let mut asked = Asked::default();
    let texts = ["done <= 3", "done < 2"].map(str::to_string);
    asked.asking.request.invariants.extend(texts);
    asked.options.budget = Some(std::time::Duration::from_millis(100));
    asked.options.reduce = Reduce::Auto;
    let report = asked.run(&model).expect("answers");
    let mut found = report
        .properties
        .iter()
        .filter(|p| p.kind == Kind::Invariant);
    let few = found.next().expect("the first");
    assert!(few.verdict.holds() && few.reduced, "{few:?}");
    let none = found.next().expect("the second");
    assert!(none.verdict.run().is_some(), "{none:?}");
}

/// Programs whose only violation is a run in which somebody without fairness never makes a step that nobody
/// else sees, but that would enable what is under fairness: where that step stands for all others, the run
/// is lost.
const UNFAIR: [(&str, &str); 4] = [
    // Another statement of the same process.
    ("active proctype p() { skip; L0: done = true }", "weak:p@L0"),
    (
        "active proctype p() { skip; do :: L0: done = true; skip od }",
        "strong:p@L0",
    ),
    // The birth of a process.
    (
        "proctype p() { done = true } init { run p(); false }",
        "weak:p",
    ),
    // Coming to meet.
    (
        "chan c = [0] of { bit };
         active proctype p() { c?_; done = true }
         active proctype s() { skip; c!1; false }",
        "weak:p",
    ),
];

#[test]
fn what_enables_something_under_fairness_is_visible() {
    for (text, fair) in UNFAIR {
        let text = format!(
            "bool done; byte x;\n{text}\nactive proctype q() {{ do :: x = 1 - x od }}\n\
             ltl f {{ <> done }}"
        );
        let model = Model::parse("unfair.pml", &text, &Promela).expect("a program");
        for reduce in [Reduce::None, Reduce::Always] {
            let mut asked = Asked::properties(&["f"]);
            asked.fair(&[fair]);
            asked.options.reduce = reduce;
            let report = asked.run(&model).expect("an answer");
            let found = &report.properties[0];
            assert!(found.verdict.is_violated(), "{reduce:?} {fair}\n{text}");
            asked.fair(&["weak"]);
            let report = asked.run(&model).expect("an answer");
            assert!(report.properties[0].verdict.holds(), "{reduce:?}\n{text}");
        }
    }
}

/// Whether a formula of a program is violated, with and without reduction.
fn is_violated(text: &str, formula: &str, fair: &[&str]) -> bool {
    let text = format!("{text}\nltl f {{ {formula} }}");
    let model = Model::parse("small.pml", &text, &Promela).expect("a program");
    let [full, less] = [Reduce::None, Reduce::Always].map(|reduce| {
        let mut asked = Asked::properties(&["f"]);
        asked.fair(fair);
        asked.options.reduce = reduce;
        let report = asked.run(&model).expect("an answer");
        let found = &report.properties[0];
        assert_eq!(found.reduced, reduce == Reduce::Always, "{text}");
        found.verdict.is_violated()
    });
    assert_eq!(full, less, "{fair:?}\n{text}");
    full
}

/// No chain passes over what is asked for, whoever writes it: the process that moves, the one that takes its
/// message, or a stretch.
#[test]
fn what_is_seen_is_not_passed_over() {
    let programs = [
        "active proctype p() { skip; g = 1; g = 0 }",
        "active proctype p() { skip; atomic { skip; g = 1 }; atomic { skip; g = 0 } }",
        "active proctype p() {
           byte x;
           if :: x == 1 :: g = 1 fi;
           if :: x == 1 :: g = 0 fi
         }",
        "chan c = [0] of { bit };
         active proctype p() { c!1; c!0 }
         active proctype q() { c?g; c?g }",
        "chan c = [0] of { bit };
         active proctype p() { skip; c!1; c!0 }
         active proctype q() { bit x; c?x; atomic { c?_ -> g = x }; g = 0 }",
    ];
    for text in programs {
        let text = format!("byte g; {text}");
        assert!(is_violated(&text, "[] (g == 0)", &[]), "{text}");
    }
}

/// A loop of any length that nobody sees keeps nobody from moving, in chains either.
#[test]
fn a_loop_is_not_passed_over() {
    for length in 1..=14 {
        let steps = "x = 1; ".repeat(length - 1);
        // The last step is the only one, or the only one that can be executed.
        for last in ["x = 1", "if :: x == 2 -> break :: x = 1 fi"] {
            let text = format!(
                "bool done;
                 active proctype p() {{ byte x; do :: {steps} {last} od }}
                 active proctype q() {{ done = true }}"
            );
            assert!(is_violated(&text, "[] !done", &[]), "{text}");
            assert!(is_violated(&text, "[] !done", &["strong"]), "{text}");
            assert!(!is_violated(&text, "<> done", &["weak"]), "{text}");
        }
    }
}

/// A statement that can be executed at two locations, and is taken at one of them inside of a chain to the other:
/// the run that does so for ever is fair to it.
#[test]
fn what_a_chain_takes_counts() {
    let text = "byte z, g;
        active proctype p() {
          bool x, y = true;
          do
          :: taken: do :: d_step { y -> y = x; x = false }; break od
          :: d_step { y -> x = true; g = 1 - g }; goto taken
          :: !y -> z = 1; break
          od
        }";
    for fair in ["weak:p@taken", "strong:p@taken"] {
        assert!(is_violated(text, "<> (z == 1)", &[fair]), "{fair}");
    }
}

#[test]
fn a_variable_that_is_asked_for_is_not_dead() {
    let text = "
        byte g;
        active proctype p() { byte x; x = 1; x = 2; false }
        active proctype q() { do :: g = 1 - g od }
        ltl f { [] (p:x != 2) }";
    let model = Model::parse("asked.pml", text, &Promela).expect("a program");
    let mut asked = Asked::properties(&["f"]);
    asked.options.reduce = Reduce::Always;
    let report = asked.run(&model).expect("an answer");
    assert!(report.properties[0].verdict.is_violated());
}

#[test]
fn a_channel_that_is_gone_may_come_back() {
    let text = "chan gc; byte x;
proctype Z() { chan own = [1] of { byte }; gc = own }
proctype M() { byte i; i = 1; gc!1; do :: i = 1 - i od }
proctype R() { chan own = [1] of { byte }; byte j; do :: j = 1 - j od }
init { byte k; run Z(); _nr_pr == 1; run M(); k = 1; run R(); do :: k = 1 - k od }
";
    let asks = [
        text.to_string(),
        text.replace("gc!1", "nempty(gc)"),
        text.replace("byte i; i = 1; gc!1", "byte i; gc!1"),
    ];
    for text in asks {
        let model = Model::parse("m.pml", text, &Promela).expect("a program");
        for how in [Reduce::None, Reduce::Always] {
            let mut asked = Asked::properties(&["assertions"]);
            asked.options.reduce = how;
            let report = asked.run(&model).expect("answers");
            assert!(report.properties[0].verdict.is_violated(), "{how:?}");
        }
    }
}

/// The same with an error behind everything.
const FAILING: &str = "
byte done;
active [3] proctype p() {
  byte i, spare;
  do :: i < 40 -> spare = i; i++ :: i == 40 -> break od;
  done++
}
active proctype q() { done == 3; assert(false); do :: done == 3 -> skip od }
ltl three { [] (done != 3) }
ltl soon { [] (done == 0 || <> (done == 0)) }
";

#[test]
fn a_run_of_the_reduced_system_is_shown_where_limits_leave_no_other() {
    let model = Model::parse("failing.pml", FAILING, &Promela).expect("a program");
    let mut asked = Asked::properties(&["three", "soon", "assertions"]);
    asked.fair(&["weak"]);
    asked.options.limit_states = Some(6_000);
    asked.options.reduce = Reduce::None;
    let report = asked.run(&model).expect("answers");
    let named = |report: &Report| {
        let found = report.properties.iter().find(|p| p.name == "assertions");
        found.expect("assertions").clone()
    };
    assert!(
        !named(&report).verdict.is_decided(),
        "a search in breadth does not get there"
    );
    for how in [Counterexamples::First, Counterexamples::Shortest] {
        asked.options.reduce = Reduce::Always;
        asked.options.counterexample = how;
        let report = asked.run(&model).expect("answers");
        for property in &report.properties {
            let run = property.verdict.run().expect("a run");
            assert!(!run.shortest, "{how:?} {}", property.name);
            assert!(
                run.prefix.len() + run.cycle.len() > 120,
                "{}",
                property.name
            );
        }
        assert_eq!(named(&report).kind, Kind::Assertion);
    }
}

#[test]
fn a_model_with_too_many_kinds_of_states_is_explored_as_it_is() {
    let skips = "skip; ".repeat(60);
    let text = format!(
        "proctype p(short a) {{ {skips} a > 0 }}
         init {{ short i = 1; do :: i < 20000 -> run p(i); _nr_pr == 1; i++ :: else -> break od }}"
    );
    let model = Model::parse("kinds.pml", text, &Promela).expect("a program");
    let mut asked = Asked::properties(&["deadlock"]);
    let report = asked.run(&model).expect("answers");
    let found = &report.properties[0];
    assert!(found.verdict.holds() && !found.reduced);
    let why = found.unreduced.as_deref().unwrap_or_default();
    assert!(why.contains("too many kinds"), "{why}");
    asked.options.reduce = Reduce::None;
    let report = asked.run(&model).expect("answers");
    assert_eq!(report.properties[0].states, found.states);
    assert_eq!(report.properties[0].unreduced, None);
}
