//! Each verdict is told exactly once, and it is the one that the report has.

use evenhand::check::{CheckOptions, Deadlock, Listener, check};
use evenhand::model::{Language, LoadOptions, Model};
use evenhand_report::PropertyResult;

#[derive(Default)]
struct Told(Vec<(String, &'static str)>);

impl Listener for Told {
    fn verdict(&mut self, result: &PropertyResult) {
        self.0.push((result.name.clone(), result.verdict.word()));
    }
}

fn ask(text: &str, options: &CheckOptions) -> Vec<(String, &'static str)> {
    let options_of_text = LoadOptions::default();
    let model = Model::parse("m.pml", text.into(), Language::Promela, &options_of_text);
    let mut model = model.expect("a model");
    let mut told = Told::default();
    let report = check(&mut model, options, &mut told).expect("an answer");
    let reported: Vec<_> = report
        .properties
        .iter()
        .map(|p| (p.name.clone(), p.verdict.word()))
        .collect();
    assert_eq!(told.0, reported);
    reported
}

fn properties(names: &[&str]) -> CheckOptions {
    CheckOptions {
        properties: names.iter().map(|n| n.to_string()).collect(),
        ..CheckOptions::default()
    }
}

/// It ends where it must not.
const STUCK: &str = "bool b; active proctype p() { b; skip } ltl quiet { [] !b }";

#[test]
fn an_improper_end_breaks_every_property_if_it_is_an_error() {
    let mut options = properties(&["quiet"]);
    assert_eq!(ask(STUCK, &options), [("quiet".into(), "holds")]);
    options.deadlock = Deadlock::Error;
    assert_eq!(ask(STUCK, &options), [("quiet".into(), "violated")]);
    // If the ends could not all be looked at, nothing holds.
    let long = "byte n; active proctype p() { do :: n < 200 -> n++ :: else -> n = 0 od }
                ltl small { [] (n < 201) }";
    let mut options = properties(&["small"]);
    options.deadlock = Deadlock::Error;
    assert_eq!(ask(long, &options), [("small".into(), "holds")]);
    options.limit_states = Some(50);
    assert_eq!(ask(long, &options), [("small".into(), "unknown")]);
}

#[test]
fn that_no_run_is_fair_is_told() {
    let mut options = properties(&["feasible"]);
    assert_eq!(ask(STUCK, &options), [("feasible".into(), "holds")]);
    options.fair = vec!["just:b".into()];
    assert_eq!(ask(STUCK, &options), [("feasible".into(), "violated")]);
}

#[test]
fn more_processes_than_expected_are_no_reason_to_repeat_an_answer() {
    // The first property is decided before the tenth process is there.
    let text = "byte n; byte x;
        proctype q() { do :: x = 1 - x od }
        init { do :: n < 10 -> run q(); n++ :: n == 10 -> break od }
        ltl begin { x != 0 }
        ltl reached { <> (n == 10) }";
    let mut options = properties(&["begin", "reached"]);
    options.fair = vec!["weak:init".into(), "weak:q[9]".into()];
    let answers = ask(text, &options);
    assert_eq!(answers[0], ("begin".into(), "violated"));
    assert_eq!(answers[1], ("reached".into(), "holds"));
    options.engine = Some("symbolic".into());
    assert_eq!(ask(text, &options), answers);
}

#[test]
fn a_claim_is_no_process_that_should_have_moved() {
    let text = "byte x; active proctype p() { do :: x = 1 - x :: x > 1 -> x = 7 od }
        never { do :: true :: (x == 1) -> break od }";
    let options = LoadOptions::default();
    let model = Model::parse("m.pml", text.into(), Language::Promela, &options);
    let mut model = model.expect("a model");
    let report = check(&mut model, &CheckOptions::default(), &mut Told::default());
    let report = report.expect("an answer");
    let actions = &model.signature().actions;
    let unreached = report.unreached.iter().map(|&a| &actions[a as usize].text);
    // The guard is tried and never true, so what follows it is not reached either.
    let unreached: Vec<&str> = unreached.map(String::as_str).collect();
    assert_eq!(unreached, ["x > 1", "x = 7"]);
}

/// The warnings of `-p feasible`, which is violated.
fn blamed(name: &str, text: &str, fair: &[&str], engine: &str) -> Vec<String> {
    let language = Language::of_path(name.as_ref()).expect("a known language");
    let model = Model::parse(name, text.into(), language, &LoadOptions::default());
    let mut options = properties(&["feasible"]);
    options.fair = fair.iter().map(|f| f.to_string()).collect();
    options.engine = Some(engine.into());
    options.max_depth = (engine == "bounded").then_some(9);
    if engine == "bounded" {
        options.engine = None;
    }
    let mut model = model.expect("a model");
    let report = check(&mut model, &options, &mut Told::default()).expect("an answer");
    assert_eq!(report.properties[0].verdict.word(), "violated");
    report.properties[0].warnings.clone()
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
