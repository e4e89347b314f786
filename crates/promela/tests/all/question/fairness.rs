//! Fairness assumptions: which items they come to, which drop out, what is wrong with them.

use evenhand_promela::PromelaModel;
use evenhand_source::Span;
use evenhand_system::{AssumptionKind, Explicit, Fairness, ItemSpec, ProcessId, Successors};

use super::brute::{space, values};
use super::model;

fn texts(specs: &[&str]) -> Vec<(String, Option<Span>)> {
    specs.iter().map(|s| (s.to_string(), None)).collect()
}

fn fairness(model: &mut PromelaModel, specs: &[&str]) -> Fairness {
    let (bound, _) = model.pid_bound();
    let result = model.fairness(&texts(specs), bound);
    result.unwrap_or_else(|(_, d)| panic!("{specs:?}: {d:#?}"))
}

/// The texts of the assumptions that are left.
fn assumed(text: &str, specs: &[&str]) -> Vec<String> {
    let found = fairness(&mut model(text), specs);
    found.assumptions.into_iter().map(|a| a.text).collect()
}

fn dropped(text: &str, specs: &[&str]) -> Vec<String> {
    fairness(&mut model(text), specs).dropped
}

/// The actions of an item, as statements.
fn statements(model: &PromelaModel, item: &ItemSpec) -> Vec<String> {
    match item {
        ItemSpec::Process { pid, as_partner } => vec![format!("process {pid} {as_partner}")],
        ItemSpec::Actions { actions, .. } => {
            let all = &model.program.signature().actions;
            actions
                .iter()
                .map(|&a| all[a.index()].text.clone())
                .collect()
        }
        ItemSpec::Own(number) => vec![format!("own {number}")],
    }
}

const TWO: &str = "byte x; active [2] proctype P() { do :: x == 0 -> x = 1 od }
                   active proctype Q() { do :: x = 0 od } proctype never_run() { skip }";

#[test]
fn of_every_process() {
    assert_eq!(
        assumed(TWO, &["weak"]),
        ["weak:P[0]", "weak:P[1]", "weak:Q[2]"]
    );
    assert_eq!(
        assumed(TWO, &["strong"]),
        ["strong:P[0]", "strong:P[1]", "strong:Q[2]"]
    );
    let mut model = model(TWO);
    let found = fairness(&mut model, &["spin-weak"]);
    assert_eq!(found.assumptions[1].text, "spin-weak:P[1]");
    assert_eq!(found.assumptions[1].source, "spin-weak");
    assert_eq!(found.assumptions[1].kind, AssumptionKind::Weak(1));
    let item = |number| ItemSpec::Process {
        pid: ProcessId::new(number),
        as_partner: false,
    };
    assert_eq!(found.items, [item(0), item(1), item(2)]);
    assert_eq!(found.pid_bound, None);
}

#[test]
fn of_a_type_and_of_an_instance() {
    assert_eq!(assumed(TWO, &["strong:P"]), ["strong:P[0]", "strong:P[1]"]);
    assert_eq!(assumed(TWO, &[" weak : P [ 1 ] "]), ["weak:P[1]"]);
    assert_eq!(assumed(TWO, &["weak:Q"]), ["weak:Q[2]"]);
    assert_eq!(
        assumed(TWO, &["weak:Q", "strong:P[0]"]),
        ["weak:Q[2]", "strong:P[0]"]
    );
}

/// Numbers that several types can have: the item is the actions of the type.
#[test]
fn numbers_that_change_hands() {
    let text = "byte x; proctype A() { x = 1 } proctype B() { x = 2 } active proctype S() {
                    do :: x < 9 -> run A() :: run B() od }";
    let mut model = model(text);
    assert_eq!(model.pid_bound(), (32, false));
    let found = model
        .fairness(&texts(&["weak:A"]), 3)
        .expect("it has a meaning");
    let names: Vec<&str> = found.assumptions.iter().map(|a| a.text.as_str()).collect();
    assert_eq!(names, ["weak:A[1]", "weak:A[2]"], "process 0 is S for ever");
    assert_eq!(found.pid_bound, Some(3));
    assert_eq!(statements(&model, &found.items[0]), ["x = 1", "end"]);
    let all = model
        .fairness(&texts(&["strong"]), 3)
        .expect("it has a meaning");
    let names: Vec<&str> = all.assumptions.iter().map(|a| a.text.as_str()).collect();
    assert_eq!(names, ["strong:S[0]", "strong:A|B[1]", "strong:A|B[2]"]);
}

#[test]
fn initial_processes_keep_their_numbers_unless_one_below_starts_others() {
    let first =
        "proctype A() { skip } active proctype S() { run A() } active proctype T() { skip }";
    assert_eq!(assumed(first, &["weak:A"]), ["weak:A[1]", "weak:A[2]"]);
    let last = "proctype A() { skip } active proctype T() { skip } active proctype S() { run A() }";
    assert_eq!(assumed(last, &["weak:A"]), ["weak:A[2]"]);
    let endless = "proctype A() { skip } active proctype S() { run A() }
                   active proctype T() { do :: skip od }";
    assert_eq!(assumed(endless, &["weak:A"]), ["weak:A[2]"]);
}

/// What stands at a label.
fn at(body: &str, label: &str) -> Vec<String> {
    let text = format!(
        "byte x; chan c = [1] of {{ byte }}; inline twice() {{ x = 7 }}
         active proctype P() {{ {body} }}"
    );
    let mut model = model(&text);
    let found = fairness(&mut model, &[&format!("strong:P@{label}")]);
    assert_eq!(found.assumptions[0].text, format!("strong:P[0]@{label}"));
    assert_eq!(found.items.len(), 1);
    statements(&model, &found.items[0])
}

#[test]
fn statements_at_a_label() {
    assert_eq!(at("x = 1; L: x = 2; x = 3", "L"), ["x = 2"]);
    assert_eq!(
        at("L: if :: x == 1 -> x = 2 :: else -> x = 3 fi", "L"),
        ["x == 1", "else"]
    );
    assert_eq!(
        at("L: do :: x == 1 -> x = 2 :: c!1 od", "L"),
        ["x == 1", "c!1"]
    );
    assert_eq!(at("do :: x == 1 -> x = 2 :: L: c!1 od", "L"), ["c!1"]);
    assert_eq!(at("L: atomic { x = 1; x = 2 }", "L"), ["x = 1"]);
    assert_eq!(at("atomic { x = 1; L: x = 2 }; x = 3", "L"), ["x = 2"]);
    assert_eq!(
        at("L: atomic { if :: x = 1 :: x = 2 fi; x = 3 }", "L"),
        ["x = 1", "x = 2"]
    );
    assert_eq!(at("L: { x = 1; x = 2 }", "L"), ["x = 1"]);
    assert_eq!(at("L: d_step { x = 1; x = 2 }", "L").len(), 1);
    assert_eq!(at("d_step { x = 1; L: x = 2 }", "L").len(), 1);
    assert_eq!(
        at("do :: L: if :: x = 1 :: x = 2 fi :: x = 3 od", "L"),
        ["x = 1", "x = 2"]
    );
    assert_eq!(at("L: M: x = 2", "L"), ["x = 2"]);
    assert_eq!(at("L: M: x = 2", "M"), ["x = 2"]);
    assert_eq!(at("L: x = 1 unless { x == 5; x = 6 }", "L"), ["x = 1"]);
    assert_eq!(
        at("{ L: x = 1; x = 2 } unless { x == 5; x = 6 }", "L"),
        ["x = 1"]
    );
    assert_eq!(at("L: twice(); x = 2", "L"), ["x = 7"]);
    assert_eq!(at("x = 1; M: x = 2; L: goto M", "L"), ["x = 2"]);
    assert_eq!(at("do :: x = 1 :: L: goto M od; M: x = 2", "L"), ["goto M"]);
    assert_eq!(at("L: c?x", "L"), ["c?x"]);
    assert_eq!(at("end_here: x == 4", "end_here"), ["x == 4"]);
}

#[test]
fn conditions() {
    let mut model = model(
        "mtype = { idle, busy }; mtype s = idle; byte x; chan c = [2] of { byte };
         active proctype P() { byte n; here: n = 3; s = busy; c!1; x = 1 }",
    );
    let specs = [
        "just: s == busy && len(c) > 0",
        "compassion: P[0]@here => P[0]:n == 3",
        "compassion:(x == 0 -> 1 : 0)=>nempty(c)",
    ];
    let found = fairness(&mut model, &specs);
    let (p, (q, r), (s, t)) = match found.assumptions.iter().map(|a| a.kind).collect::<Vec<_>>()[..]
    {
        [
            AssumptionKind::Justice(p),
            AssumptionKind::Compassion { when: q, then: r },
            AssumptionKind::Compassion { when: s, then: t },
        ] => (p, (q, r), (s, t)),
        ref other => panic!("{other:?}"),
    };
    assert!(found.items.is_empty());
    let space = space(&model.program);
    let values = values(&model.program, &space, &[p, q, r, s, t]);
    let holds = |p: usize| -> Vec<usize> { (0..6).filter(|&s| values[s][p]).collect() };
    assert_eq!(space.states.len(), 6);
    assert_eq!(holds(0), [3, 4, 5]);
    assert_eq!(holds(1), [0]);
    assert_eq!(holds(2), [1, 2, 3, 4]);
    assert_eq!(holds(3), [0, 1, 2, 3]);
    assert_eq!(holds(4), [3, 4, 5]);
}

#[test]
fn what_makes_no_difference_drops_out() {
    assert_eq!(
        assumed(TWO, &["weak", "weak:P", "strong:Q"]),
        ["weak:P[0]", "weak:P[1]", "strong:Q[2]"]
    );
    let found = fairness(&mut model(TWO), &["weak", "weak:P", "strong:Q"]);
    assert_eq!(found.items.len(), 3);
    for (specs, reason) in [
        (
            &["weak", "weak:P"][..],
            "`weak:P` makes no difference: it is assumed already",
        ),
        (
            &["weak:P", "strong:P"],
            "`weak:P` makes no difference: strong fairness of the same is assumed",
        ),
        (
            &["strong:never_run"],
            "`strong:never_run` makes no difference: no process of type `never_run` is ever \
             started",
        ),
        (
            &["weak:P[2]"],
            "`weak:P[2]` makes no difference: process 2 is never of type `P`",
        ),
        (
            &["weak:P[7]"],
            "`weak:P[7]` makes no difference: there are never more than 3 processes",
        ),
        (
            &["just:1 < 2"],
            "`just:1 < 2` makes no difference: it always holds",
        ),
        (
            &["compassion:false=>x==1"],
            "`compassion:false=>x==1` makes no difference: its first condition never holds",
        ),
        (
            &["compassion:x==1=>x == 1"],
            "`compassion:x==1=>x == 1` makes no difference: both conditions are the same",
        ),
    ] {
        assert_eq!(dropped(TWO, specs), [reason], "{specs:?}");
    }
    assert_eq!(dropped(TWO, &["weak", "strong:P"]), [""; 0], "Q is left");
}

/// What is wrong, the text it is about, and the hint.
fn complaint(spec: &str) -> (String, String, String) {
    let mut model = model(TWO);
    let (files, list) = model.fairness(&texts(&[spec]), 3).expect_err(spec);
    assert_eq!(list.len(), 1, "{spec}: {list:?}");
    let span = list[0].span.expect("it has a place");
    assert_eq!(files.get(span.file).name, "fairness assumption", "{spec}");
    let help = list[0].help.clone().unwrap_or_default();
    (list[0].message.clone(), files.text(span).to_string(), help)
}

#[test]
fn mistakes() {
    for (spec, message, place, help) in [
        ("", "a fairness assumption is expected", "", "one of: weak"),
        (
            "wek",
            "`wek` is no fairness assumption",
            "wek",
            "did you mean `weak`?",
        ),
        (
            "wek:P",
            "`wek` is no kind of fairness",
            "wek",
            "did you mean `weak:…`?",
        ),
        (
            "just",
            "`just` needs an expression",
            "just",
            "write `just:…`",
        ),
        ("just:", "an expression is expected", "", ""),
        (
            "spin-weak:P",
            "`spin-weak` is about all processes",
            "spin-weak:P",
            "write `weak:NAME`",
        ),
        (
            "weak:",
            "expected the name of a process type, found nothing",
            "",
            "",
        ),
        (
            "weak:never_ran",
            "there is no process type `never_ran`",
            "never_ran",
            "did you mean `never_run`?",
        ),
        (
            "weak:server",
            "there is no process type `server`",
            "server",
            "the process types are P, Q",
        ),
        ("weak:P[", "`[` is not closed", "[", ""),
        (
            "weak:P[]",
            "`` is no process number",
            "",
            "processes are counted from 0",
        ),
        (
            "weak:P[-1]",
            "`-1` is no process number",
            "-1",
            "processes are counted from 0",
        ),
        ("weak:P[999]", "process numbers go up to 254", "999", ""),
        (
            "weak:P[99999999999999999999]",
            "process numbers go up to 254",
            "99999999999999999999",
            "",
        ),
        ("weak:P@", "expected a label, found nothing", "", ""),
        (
            "weak:P@here",
            "process `P` has no statement at a label `here`",
            "here",
            "there are no",
        ),
        (
            "weak:P x",
            "`x` is not expected here",
            "x",
            "a target is NAME",
        ),
        (
            "weak:P,Q",
            "`,Q` is not expected here",
            ",Q",
            "a target is NAME",
        ),
        (
            "compassion:x == 1",
            "compassion needs two expressions with `=>` between them",
            "x == 1",
            "write `compassion:EXPR=>EXPR`",
        ),
        (
            "compassion:x=>x=>x",
            "more than one `=>`",
            "=>",
            "put parentheses",
        ),
        ("compassion:=>x", "an expression is expected", "", ""),
        (
            "just:y == 1",
            "undeclared variable `y`",
            "y",
            "did you mean",
        ),
        ("just:x ==", "expected an expression, found the end", "", ""),
        (
            "just:x = 1",
            "expected the end of the expression, found `=`",
            "=",
            "",
        ),
        ("just:<> x", "expected an expression, found `<`", "<", ""),
        (
            "just:run Q()",
            "a formula may not start processes",
            "run Q()",
            "",
        ),
        (
            "compassion:x == 1 => P@there",
            "process `P` has no label `there`",
            "there",
            "",
        ),
    ] {
        let (got, at, hint) = complaint(spec);
        assert_eq!((got.as_str(), at.as_str()), (message, place), "{spec}");
        let expected = if help == "did you mean" { "" } else { help };
        assert!(hint.contains(expected), "{spec}: {hint}");
    }
}

#[test]
fn assumptions_of_the_model_have_their_places_there() {
    let text =
        "/*@ fair strong:R */ byte x; //@ fair just:x == 1 && y\nactive proctype P() { x = 1 }";
    let mut model = model(text);
    let specs: Vec<(String, Option<Span>)> = model
        .program
        .signature()
        .fairness
        .iter()
        .map(|(text, span)| (text.clone(), Some(*span)))
        .collect();
    let (files, list) = model.fairness(&specs, 1).expect_err("both are wrong");
    let found: Vec<(&str, &str)> = list
        .iter()
        .map(|d| (d.message.as_str(), files.text(d.span.expect("a place"))))
        .collect();
    assert!(
        found.contains(&("there is no process type `R`", "R")),
        "{found:?}"
    );
    assert!(
        found.contains(&("undeclared variable `y`", "y")),
        "{found:?}"
    );
    assert!(list.iter().all(|d| d.span.is_some_and(|s| s.file.0 == 0)));
}

/// A label that becomes a control state because an expression asks for it: items are about the
/// program with that state.
#[test]
fn items_fit_the_program_that_expressions_leave_behind() {
    let text = "byte x; active proctype P() { x = 1; M: x = 2; L: goto M }
                active proctype Q() { N: x = 5 }";
    let mut model = model(text);
    let before = model.program.signature().actions.len();
    let found = fairness(&mut model, &["strong:Q@N", "just:P@L"]);
    assert_eq!(model.program.signature().actions.len(), before + 1);
    assert_eq!(statements(&model, &found.items[0]), ["x = 5"]);
    // The item is enabled exactly while Q has not moved.
    let space = space(&model.program);
    let mut explorer = model.program.explorer(&found.items);
    let mut out = Successors::new();
    for state in &space.states {
        explorer.expand(state, &mut out);
        let moves = (0..out.len()).any(|i| {
            let action = out.step(i).action.expect("an action");
            model.program.signature().actions[action.index()].text == "x = 5"
        });
        assert_eq!(out.enabled()[0] & 1 == 1, moves);
    }
}
