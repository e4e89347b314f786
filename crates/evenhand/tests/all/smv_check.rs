//! SMV models in the façade: what is checked, what is told, and what has no meaning.

use evenhand::witness::StepKind;
use evenhand::{CheckError, CompassionBy, Counterexample, Deadlock, Kind, Model, Note};
use evenhand::{PropertyResult, Report, Smv, Unresolved, Value, Verdict};

use crate::common::{Asked, Told, automaton_text, warnings};

fn load(text: &str) -> Model {
    Model::parse("m.smv", text, &Smv).unwrap_or_else(|error| panic!("{error}"))
}

fn ask(text: &str, asked: &Asked) -> Report {
    let mut told = Told::default();
    let report = asked.run_with(&load(text), &mut told).expect("an answer");
    let mut reported: Vec<_> = words(&report);
    reported.sort();
    told.0.sort();
    assert_eq!(told.0, reported, "each verdict is told once");
    report
}

fn words(report: &Report) -> Vec<(String, &'static str)> {
    let list = report.properties.iter();
    list.map(|p| (p.name.clone(), p.verdict.word())).collect()
}

fn everything() -> Asked {
    Asked::default()
}

fn only(names: &[&str]) -> Asked {
    Asked::properties(names)
}

fn wrong(text: &str, asked: &Asked) -> String {
    match asked.run(&load(text)) {
        Err(CheckError::Unresolved(Unresolved::Wrong(wrong))) => {
            wrong.diagnostics[0].message.clone()
        }
        Err(CheckError::Unresolved(Unresolved::NoProperty { name, known })) => {
            format!("{name}: {}", known.join(" "))
        }
        other => panic!("{other:?}"),
    }
}

fn run_of(result: &PropertyResult) -> &Counterexample {
    match &result.verdict {
        Verdict::Violated(Some(run)) => run,
        other => panic!("{}: {other:?}", result.name),
    }
}

/// The values of a variable along a run.
fn values(run: &Counterexample, name: &str) -> Vec<Value> {
    let steps = run.prefix.iter().chain(&run.cycle);
    let value = |state: &[(String, Value)]| state.iter().find(|(n, _)| n == name).cloned();
    steps
        .map(|s| value(&s.state).expect("the variable").1)
        .collect()
}

const COUNTER: &str = "MODULE main
    IVAR go : boolean;
    VAR n : 0..3;
    ASSIGN init(n) := 0; next(n) := go ? (n + 1) mod 4 : n;
    LTLSPEC G F n = 3
    INVARSPEC n < 3
    CTLSPEC AG EF n = 3
    LTLSPEC NAME again := G (n = 3 -> F n = 0)
    CTLSPEC EF n = 2
    PSLSPEC never (n = 3 & next (n = 1));
    COMPUTE MIN [n = 1, n = 0]
    INVARSPEC go -> n < 4
    ";

#[test]
fn every_property_and_totality_are_checked() {
    let report = ask(COUNTER, &everything());
    let expected = [
        ("ltl_0", "violated"),
        ("invar_0", "violated"),
        ("ctl_0", "holds"),
        ("again", "violated"),
        ("ctl_1", "holds"),
        ("psl_0", "holds"),
        ("compute_0", "holds"),
        ("invar_1", "holds"),
        ("total", "holds"),
    ];
    let expected = expected.map(|(name, verdict)| (name.to_string(), verdict));
    assert_eq!(words(&report), expected);
    let kinds: Vec<&str> = report.properties.iter().map(|p| p.kind.word()).collect();
    let expected = [
        "ltl",
        "invariant",
        "ctl",
        "ltl",
        "ctl",
        "ltl",
        "compute",
        "invariant",
        "total",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(report.properties[6].value, Some(Value::Number(3)));
}

#[test]
fn each_step_tells_its_inputs() {
    let report = ask(COUNTER, &only(&["invar_0"]));
    let run = run_of(&report.properties[0]);
    assert_eq!(values(run, "n"), [0, 1, 2, 3].map(Value::Number));
    assert_eq!(run.prefix[0].kind, StepKind::Init);
    assert!(run.prefix[0].inputs.is_empty());
    for step in &run.prefix[1..] {
        assert_eq!(step.inputs, [("go".to_string(), Value::Truth(true))]);
    }
    // Where a formula reads inputs they are part of states, but told in the same way.
    let mut options = everything();
    options.asking.request.linear = vec!["F (n = 2 & !go)".to_string()];
    options.fair(&["just:n = 0", "just:go"]);
    let report = ask(COUNTER, &options);
    let run = run_of(&report.properties[0]);
    let all: Vec<_> = run.prefix.iter().chain(&run.cycle).collect();
    assert!(
        all.iter()
            .all(|s| s.state.iter().all(|(name, _)| name == "n"))
    );
    for pair in all.windows(2) {
        let go = pair[1].inputs == [("go".to_string(), Value::Truth(true))];
        assert_eq!(go, pair[0].state != pair[1].state);
    }
}

#[test]
fn assumptions_of_the_model_and_of_the_call() {
    let fair = format!("{COUNTER} JUSTICE go");
    let verdict = |text: &str, asked: &Asked| ask(text, asked).properties[0].verdict.word();
    assert_eq!(verdict(&fair, &only(&["ltl_0"])), "holds");
    let mut options = only(&["ltl_0"]);
    options.asking.request.no_fairness = true;
    assert_eq!(verdict(&fair, &options), "violated");
    options.fair(&["compassion: n < 3 => go"]);
    assert_eq!(verdict(&fair, &options), "holds");
    let report = ask(&fair, &options);
    assert_eq!(report.properties[0].fairness, options.asking.request.fair);
    options.fair(&["weak"]);
    assert!(wrong(COUNTER, &options).contains("no fairness assumption"));
    options.fair(&["compassion: n"]);
    let message = "compassion needs two expressions with `=>` between them";
    assert_eq!(wrong(COUNTER, &options), message);
    options.fair(&["just: m = 0"]);
    assert!(wrong(COUNTER, &options).contains('m'));
}

#[test]
fn names_are_reserved() {
    let text = "MODULE main VAR b : boolean; LTLSPEC NAME total := G b;";
    let report = ask(text, &only(&["total"]));
    assert_eq!(words(&report), [("total".to_string(), "holds")]);
    assert_eq!(report.properties[0].kind, Kind::Total);
    assert!(report.notes[0].to_string().contains("reserved"));
    let all = words(&ask(text, &everything()));
    assert_eq!(
        all,
        [("total".into(), "violated"), ("total".into(), "holds")]
    );
    let known = wrong(COUNTER, &only(&["deadlock"]));
    assert!(known.ends_with("total feasible"), "{known}");
}

/// From 1 on there is a dead end.
const STUCK: &str = "MODULE main VAR n : 0..2;
    INIT n = 0 TRANS n = 0 & next(n) < 2 | n = 1 & next(n) = 2
    LTLSPEC G n = 0
    CTLSPEC EF n = 2
    CTLSPEC AG n = 0";

#[test]
fn runs_that_end_are_no_runs() {
    let report = ask(STUCK, &everything());
    let expected = [
        ("ltl_0", "holds"),
        ("ctl_0", "violated"),
        ("ctl_1", "holds"),
        ("total", "violated"),
    ];
    assert_eq!(words(&report), expected.map(|(n, v)| (n.to_string(), v)));
    assert_eq!(
        values(run_of(&report.properties[3]), "n"),
        [0, 1, 2].map(Value::Number)
    );
    for property in &report.properties[..3] {
        let told = warnings(property).join("; ");
        assert!(
            told.contains("no fair run passes the state after 1 step"),
            "{told}"
        );
        assert!(told.contains("n = 1"), "{told}");
    }
    // The initial state is all that can be shown.
    let run = run_of(&report.properties[1]);
    assert_eq!((run.prefix.len(), run.cycle.len()), (1, 0));
    assert!(
        run.why[0].contains("no fair run from here"),
        "{:?}",
        run.why
    );
    let mut options = only(&["ltl_0", "ctl_0", "ctl_1"]);
    options.options.deadlock = Deadlock::Stutter;
    let expected = [
        ("ltl_0", "violated"),
        ("ctl_0", "holds"),
        ("ctl_1", "violated"),
    ];
    assert_eq!(
        words(&ask(STUCK, &options)),
        expected.map(|(n, v)| (n.to_string(), v))
    );
    options.options.deadlock = Deadlock::Error;
    let all = words(&ask(STUCK, &options));
    assert!(
        all.iter().all(|(_, verdict)| *verdict == "violated"),
        "{all:?}"
    );
}

/// Without an initial state everything holds, and each answer says why; on every engine.
#[test]
fn there_is_no_initial_state() {
    let text = "MODULE main VAR x : 0..3; INIT x = 0 & x = 1;
        LTLSPEC F x = 2  INVARSPEC x = 3  CTLSPEC EF x = 3  CTLSPEC AG FALSE";
    for engine in ["auto", "symbolic", "streett"] {
        let report = ask(text, &everything().by(engine));
        assert_eq!(report.properties.len(), 5, "{engine}");
        for property in &report.properties {
            let told = warnings(property).join("; ");
            let about = format!("{engine} {}: {told}", property.name);
            assert_eq!(property.verdict.word(), "holds", "{about}");
            assert!(
                told.starts_with("the model has no initial state"),
                "{about}"
            );
            assert_eq!(property.warnings.len(), 1, "{about}");
        }
    }
}

#[test]
fn nothing_is_fair() {
    let text = "MODULE main VAR b : boolean; ASSIGN init(b) := FALSE; next(b) := FALSE;
        JUSTICE b; LTLSPEC G !b  CTLSPEC EX !b  CTLSPEC AX b";
    let options = only(&["ltl_0", "ctl_0", "ctl_1", "feasible"]);
    let report = ask(text, &options);
    let expected = [
        ("ltl_0", "holds"),
        ("ctl_0", "violated"),
        ("ctl_1", "holds"),
        ("feasible", "violated"),
    ];
    assert_eq!(words(&report), expected.map(|(n, v)| (n.to_string(), v)));
    for property in &report.properties[..3] {
        let told = warnings(property).join("; ");
        assert!(told.contains("no fair run at all"), "{told}");
    }
}

#[test]
fn a_run_for_the_outermost_quantifier() {
    let text = "MODULE main VAR s : 0..3;
        ASSIGN init(s) := {0, 1};
        next(s) := case s = 0 : {0, 1}; s = 1 : {2, 3}; TRUE : s; esac;
        CTLSPEC AG EF s = 2
        CTLSPEC !E (F G s = 3)
        CTLSPEC s = 1 -> A (F G s = 2)
        CTLSPEC EX s = 0 | EG s = 3";
    let report = ask(text, &everything());
    let last = |n: usize| values(run_of(&report.properties[n]), "s").pop();
    let first = |n: usize| values(run_of(&report.properties[n]), "s")[0].clone();
    assert_eq!(last(0), Some(Value::Number(3)));
    assert_eq!(last(1), Some(Value::Number(3)));
    assert_eq!(
        (first(2), last(2)),
        (Value::Number(1), Some(Value::Number(3)))
    );
    assert_eq!(
        (first(3), last(3)),
        (Value::Number(1), Some(Value::Number(1)))
    );
    for property in &report.properties[..3] {
        assert!(run_of(property).shortest && !run_of(property).cycle.is_empty());
    }
}

/// The process that runs is an input: quantifiers of branching time choose it.
#[test]
fn fairness_about_inputs_in_branching_time() {
    let text = "MODULE part(x) ASSIGN next(x) := !x;
        MODULE main VAR a : boolean; b : boolean; p : process part(a); q : process part(b);
        ASSIGN init(a) := FALSE; init(b) := FALSE;
        JUSTICE p.running
        CTLSPEC AF a
        CTLSPEC AF b
        CTLSPEC AG (EX (a & b) | EX (!a & !b) | EX (a xor b))
        CTLSPEC EX a & EX b & EX !a
        CTLSPEC EG !b";
    let report = ask(text, &everything());
    let verdicts: Vec<&str> = report.properties.iter().map(|p| p.verdict.word()).collect();
    assert_eq!(
        verdicts,
        ["holds", "violated", "holds", "holds", "holds", "holds"]
    );
    let run = run_of(&report.properties[1]);
    assert!(values(run, "b").iter().all(|b| *b == Value::Truth(false)));
}

/// Which process moves is an input, and inner quantifiers choose it anew: the run that is shown
/// breaks the formula all the same, on both sides.
#[test]
fn one_run_shows_nested_quantifiers_beside_inputs() {
    let text = "MODULE main VAR free : boolean; p : process user(free); q : process user(free);
        ASSIGN init(free) := TRUE;
        CTLSPEC AG (p.at = idle -> AX (p.at = idle | AX p.at != critical))
        CTLSPEC AG (p.at = asking -> AF p.at = critical)
        CTLSPEC AG (p.at = critical -> AX (p.at = critical | AG q.at != critical))
        CTLSPEC AX AX AX (free & q.at = idle)
        MODULE user(free) VAR at : {idle, asking, critical};
        ASSIGN init(at) := idle;
        next(at) := case at = idle : {idle, asking}; at = asking & free : critical;
            at = critical : {critical, idle}; TRUE : at; esac;
        next(free) := case at = asking & free : FALSE; at = critical & next(at) = idle : TRUE;
            TRUE : free; esac;
        FAIRNESS running";
    for engine in ["symbolic", "streett"] {
        let report = ask(text, &everything().by(engine));
        for result in report.properties.iter().filter(|p| p.kind == Kind::Ctl) {
            // Only a run that was judged against the formula has reasons.
            let run = run_of(result);
            assert!(!run.why.is_empty(), "{engine}: {}", result.name);
            assert!(run.shortest, "{engine}: {}", result.name);
        }
    }
}

#[test]
fn automata_of_bad_runs() {
    let hoa = "HOA: v1 States: 1 Start: 0 AP: 1 \"n = 2\" acc-name: Buchi Acceptance: 1 Inf(0)
        --BODY-- State: 0 {0} [!0] 0 --END--";
    let mut options = everything();
    options.asking.automata = vec![automaton_text("never_two.hoa", hoa.to_string(), false)];
    let report = ask(COUNTER, &options);
    assert_eq!(words(&report), [("never_two.hoa".to_string(), "violated")]);
    options.fair(&["just:n = 3"]);
    let report = ask(COUNTER, &options);
    assert_eq!(words(&report), [("never_two.hoa".to_string(), "holds")]);
}

#[test]
fn limits_leave_verdicts_unknown() {
    let mut options = everything();
    options.options.limit_states = Some(2);
    // A run that stays at 0 is found within the limit; nothing else is.
    for (name, verdict) in words(&ask(COUNTER, &options)) {
        let expected = if name == "ltl_0" {
            "violated"
        } else {
            "unknown"
        };
        assert_eq!(verdict, expected, "{name}");
    }
    let mut options = only(&["invar_0", "ctl_0"]);
    options.options.max_depth = Some(2);
    let expected = [("invar_0", "unknown"), ("ctl_0", "unknown")];
    assert_eq!(
        words(&ask(COUNTER, &options)),
        expected.map(|(n, v)| (n.to_string(), v))
    );
    options.options.max_depth = Some(3);
    assert_eq!(words(&ask(COUNTER, &options))[0].1, "violated");
}

#[test]
fn the_engine_is_chosen_and_told() {
    let engine = |text: &str, asked: &Asked| {
        let report = ask(text, asked);
        let mut notes = report.notes.iter().map(Note::to_string);
        let note = notes.find(|n| n.starts_with("engine:"));
        let engine = report.properties[0].engine.expect("an engine");
        (engine, note.unwrap_or_default())
    };
    let (name, why) = engine(COUNTER, &only(&["ltl_0"]));
    assert_eq!(name, "streett");
    assert!(why.contains("2 bits"), "{why}");
    // Many bits, but few states can be reached.
    let wide = "MODULE main VAR n : 0..1000000; ASSIGN init(n) := 0; next(n) := (n + 1) mod 10;
        LTLSPEC G F n = 3";
    let (name, why) = engine(wide, &only(&["ltl_0"]));
    assert_eq!(name, "streett");
    assert!(why.contains("10 states"), "{why}");
    // Many states.
    let large = "MODULE main VAR a : array 1..40 of boolean; LTLSPEC G F a[1]";
    let (name, why) = engine(large, &only(&["ltl_0"]));
    assert_eq!(name, "symbolic");
    assert!(why.contains("40 bits"), "{why}");
    let mut options = only(&["ltl_0"]);
    options.options.engine = Some("symbolic".to_string());
    assert_eq!(engine(COUNTER, &options), ("symbolic", String::new()));
    options.options.compassion = CompassionBy::Justice;
    assert_eq!(engine(COUNTER, &options).0, "symbolic");
    options.options.engine = Some("streett".to_string());
    let wrong = |asked: &Asked| match asked.run(&load(COUNTER)) {
        Err(CheckError::Engine(message)) => message,
        other => panic!("{other:?}"),
    };
    // What the command makes of it stands among its tests.
    let other = options.run(&load(COUNTER));
    assert!(matches!(other, Err(CheckError::Compassion(None))));
    options.options.engine = Some("nonsense".to_string());
    assert!(wrong(&options).contains("no engine"));
    options.options.engine = Some("symbolic".to_string());
    options.options.max_depth = Some(3);
    assert!(wrong(&options).contains("bounded"));
}

/// A run of the symbolic engine tells inputs, processes and dead ends as the others do.
#[test]
fn runs_of_sets_are_executed_again() {
    let mut options = everything();
    options.options.engine = Some("symbolic".to_string());
    for text in [COUNTER, STUCK] {
        let (one, other) = (ask(text, &everything()), ask(text, &options));
        assert_eq!(words(&one), words(&other));
    }
    let report = ask(COUNTER, &options);
    let run = run_of(&report.properties[1]);
    assert_eq!(values(run, "n"), [0, 1, 2, 3].map(Value::Number));
    assert!(run.shortest);
    assert_eq!(
        run.prefix[1].inputs,
        [("go".to_string(), Value::Truth(true))]
    );
    let report = ask(STUCK, &options);
    let told = warnings(&report.properties[0]).join("; ");
    assert!(
        told.contains("the state after 2 steps (n = 2): it has no successor"),
        "{told}"
    );
    let mut options = only(&["ltl_0", "ctl_1"]);
    options.options.engine = Some("symbolic".to_string());
    options.options.deadlock = Deadlock::Error;
    let all = words(&ask(STUCK, &options));
    assert!(
        all.iter().all(|(_, verdict)| *verdict == "violated"),
        "{all:?}"
    );
}

#[test]
fn limits_end_the_symbolic_engine() {
    // The product of two words of 24 bits has no small diagram.
    let text = "MODULE main VAR a : word[24]; b : word[24]; c : word[24];
        ASSIGN next(c) := a * b; INVARSPEC a * b != c | c != 0d24_7654321";
    let mut options = everything();
    options.options.limit_memory = Some(64 << 20);
    options.options.limit_time = Some(std::time::Duration::from_secs(2));
    let report = ask(text, &options);
    assert_eq!(report.properties[0].engine, Some("symbolic"));
    assert_eq!(report.properties[0].verdict.word(), "unknown");
}
