//! Each verdict is told exactly once, and it is the one that the report has.

use evenhand::{Check, Deadlock, Listener, Model, Promela, PropertyResult, language_of_path};

use crate::common::{Asked, Told, warnings};

fn ask(text: &str, asked: &Asked) -> Vec<(String, &'static str)> {
    let model = Model::parse("m.pml", text, &Promela).expect("a model");
    let mut told = Told::default();
    let report = asked.run_with(&model, &mut told).expect("an answer");
    let reported: Vec<_> = report
        .properties
        .iter()
        .map(|p| (p.name.clone(), p.verdict.word()))
        .collect();
    assert_eq!(told.0, reported);
    reported
}

/// It ends where it must not.
const STUCK: &str = "bool b; active proctype p() { b; skip } ltl quiet { [] !b }";

#[test]
fn an_improper_end_breaks_every_property_if_it_is_an_error() {
    let mut asked = Asked::properties(&["quiet"]);
    assert_eq!(ask(STUCK, &asked), [("quiet".into(), "holds")]);
    asked.options.deadlock = Deadlock::Error;
    assert_eq!(ask(STUCK, &asked), [("quiet".into(), "violated")]);
    // If the ends could not all be looked at, nothing holds.
    let long = "byte n; active proctype p() { do :: n < 200 -> n++ :: else -> n = 0 od }
                ltl small { [] (n < 201) }";
    let mut asked = Asked::properties(&["small"]);
    asked.options.deadlock = Deadlock::Error;
    assert_eq!(ask(long, &asked), [("small".into(), "holds")]);
    asked.options.limit_states = Some(50);
    assert_eq!(ask(long, &asked), [("small".into(), "unknown")]);
}

#[test]
fn that_no_run_is_fair_is_told() {
    let mut asked = Asked::properties(&["feasible"]);
    assert_eq!(ask(STUCK, &asked), [("feasible".into(), "holds")]);
    asked.fair(&["just:b"]);
    assert_eq!(ask(STUCK, &asked), [("feasible".into(), "violated")]);
}

#[test]
fn more_processes_than_expected_are_no_reason_to_repeat_an_answer() {
    // The first property is decided before the tenth process is there.
    let text = "byte n; byte x;
        proctype q() { do :: x = 1 - x od }
        init { do :: n < 10 -> run q(); n++ :: n == 10 -> break od }
        ltl begin { x != 0 }
        ltl reached { <> (n == 10) }";
    let mut asked = Asked::properties(&["begin", "reached"]);
    asked.fair(&["weak:init", "weak:q[9]"]);
    let answers = ask(text, &asked);
    assert_eq!(answers[0], ("begin".into(), "violated"));
    assert_eq!(answers[1], ("reached".into(), "holds"));
    asked.options.engine = Some("symbolic".into());
    assert_eq!(ask(text, &asked), answers);
}

#[test]
fn a_claim_is_no_process_that_should_have_moved() {
    let text = "byte x; active proctype p() { do :: x = 1 - x :: x > 1 -> x = 7 od }
        never { do :: true :: (x == 1) -> break od }";
    let model = Model::parse("m.pml", text, &Promela).expect("a model");
    let report = Check::new(&model).run_with(&mut Told::default());
    let report = report.expect("an answer");
    let actions = &report.signature().actions;
    let unreached = report.unreached.iter().map(|a| &actions[a.index()].text);
    // The guard is tried and never true, so what follows it is not reached either.
    let unreached: Vec<&str> = unreached.map(String::as_str).collect();
    assert_eq!(unreached, ["x > 1", "x = 7"]);
}

/// The warnings of `-p feasible`, which is violated.
fn blamed(name: &str, text: &str, fair: &[&str], engine: &str) -> Vec<String> {
    let language = language_of_path(name.as_ref()).expect("a known language");
    let model = Model::parse(name, text, language).expect("a model");
    let mut asked = Asked::properties(&["feasible"]);
    asked.fair(fair);
    asked.options.engine = Some(engine.into());
    asked.options.max_depth = (engine == "bounded").then_some(9);
    if engine == "bounded" {
        asked.options.engine = None;
    }
    let report = asked.run_with(&model, &mut Told::default());
    let report = report.expect("an answer");
    assert_eq!(report.properties[0].verdict.word(), "violated");
    warnings(&report.properties[0])
}

#[test]
fn who_is_to_blame_that_no_run_is_fair_is_told() {
    let promela = "bool b, c; active proctype p() { do :: b = !b od }
        active proctype q() { do :: c = 1 :: b -> c = 0 od }";
    let smv = "MODULE main VAR b : boolean; c : boolean; ASSIGN next(c) := c;";
    let ends = "MODULE main VAR n : 0..3; INIT n = 0 TRANS next(n) = n + 1 JUSTICE n = 0";
    for engine in ["auto", "symbolic", "bounded"] {
        let told = blamed("m.pml", promela, &["weak", "just:b && !b"], engine);
        let alone = "; without it there would be a fair one";
        assert_eq!(told, [format!("no run keeps `just:b && !b`{alone}")]);
        let fair = [
            "just:c || !c",
            "just:b",
            "compassion:b => c && !c",
            "strong",
        ];
        let told = blamed("m.pml", promela, &fair, engine);
        let both = "no run keeps all of `just:b`, `compassion:b => c && !c`";
        assert_eq!(told, [both]);
        let fair = ["just:!c", "just:b", "just:c"];
        let told = blamed("m.smv", smv, &fair, engine);
        assert_eq!(told, ["no run keeps all of `just:!c`, `just:c`"]);
        let told = blamed("m.smv", ends, &[], engine);
        assert_eq!(told, ["no run is infinite: all of them end"]);
    }
}

/// Remembers what was told, in order: verdicts, and searches for runs.
#[derive(Default)]
struct Order(Vec<&'static str>);

impl Listener for Order {
    fn stage(&mut self, name: &str) {
        if name.contains("the run that shows it") || name.contains("a shorter run") {
            self.0.push("run");
        }
    }

    fn verdict(&mut self, _: &PropertyResult) {
        self.0.push("verdict");
    }
}

/// No run is looked for while a question waits for its verdict, whoever answers it.
#[test]
fn all_verdicts_come_before_the_first_run() {
    let text = "byte a, b; active proctype p() { do :: a = (a + 1) % 4 od }
        active proctype q() { do :: b = (b + 1) % 5 od }
        ltl one { [] (a < 3) } ltl two { <> [] (b != 2) } ltl three { [] <> (a == 1) }
        ltl four { [] (a == 1 -> <> (b == 4)) } ltl five { [] (a + b < 7) }";
    let model = Model::parse("m.pml", text, &Promela).expect("a model");
    for engine in ["auto", "ndfs", "feasible", "symbolic"] {
        for extra in [None, Some("AG EF (a == 7)")] {
            let mut asked = Asked::properties(&["one", "two", "three", "four", "five"]);
            asked.options.engine = Some(engine.to_string());
            asked
                .asking
                .request
                .branching
                .extend(extra.map(str::to_string));
            let mut order = Order::default();
            let report = asked.run_with(&model, &mut order).expect("an answer");
            let count = report.properties.len();
            assert!(report.properties.iter().all(|p| p.verdict.is_violated()));
            let first = order.0.iter().position(|told| *told == "run");
            assert_eq!(first, Some(count), "{engine}: {:?}", order.0);
            let runs = report
                .properties
                .iter()
                .filter(|p| p.verdict.run().is_some());
            assert!(runs.count() >= 5, "{engine}");
        }
    }
}
