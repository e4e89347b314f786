//! Formulas from the command line.

use evenhand_logic::{Formulas, Spelling, parse, print};
use evenhand_promela::{Options, PromelaModel, load};
use evenhand_source::Files;

use super::brute::{is_bad, space, values};
use super::model;

const MODEL: &str = "#define high (x > 3)
    #define above(n) (x > n)
    #define response [] (high -> <> b)
    mtype = { red, green }; mtype light; chan c = [2] of { byte, byte };
    byte x, y, S; bool b; typedef R { byte f[2] }; R r;
    active [2] proctype P() { byte n = 2; here: x = 1; x = 2 }
    active proctype G() { stop: y = 1 }";

/// Compares a formula with one in Spot's spelling, whose atoms are in quotes.
fn check(formula: &str, wanted: &str) {
    let mut model = model(MODEL);
    let mut store = Formulas::new();
    let (f, propositions) = match model.parse_ltl(formula, &mut store) {
        Ok(found) => found,
        Err((_, list)) => panic!("{formula}: {list:#?}"),
    };
    let texts: Vec<&str> = store.atoms().map(|(_, a)| a.text.as_str()).collect();
    let names: Vec<&str> = propositions
        .iter()
        .map(|&p| model.program.proposition(p))
        .collect();
    assert_eq!(texts, names, "{formula}");
    let mut other = Formulas::new();
    let g = parse(&mut other, wanted, Spelling::Spot).expect("it is a formula");
    let wanted = print(&other, g, Spelling::Spot);
    assert_eq!(print(&store, f, Spelling::Spot), wanted, "{formula}");
}

#[test]
fn formulas_of_ltl_blocks() {
    check("[] <> b", "G F b");
    check("[] (b -> <> (x == 2))", "G (b -> F \"x == 2\")");
    check("b U (x > 1) U y", "(b U \"x > 1\") U y");
    check("always (b implies eventually y)", "G (b -> F y)");
}

#[test]
fn operators_of_other_tools_and_of_the_past() {
    check("F b && Y b", "F b & Y b");
    check("Y b || Z b || O b || H b", "Y b | Z b | O b | H b");
    check("b T y", "b T y");
    check("GF b && FG y && [] XX b", "G F b & F G y & G X X b");
    check("b M y", "b M y");
    check("b R y", "b R y");
    check("globally (b -> once y)", "G (b -> O y)");
    check("b since y", "b S y");
    check("b triggered y", "b T y");
    check(
        "historically b && yesterday y && weakyesterday y",
        "H b & Y y & Z y",
    );
    check("finally (b strongrelease y)", "F (b M y)");
}

/// `S` is a variable of the model and `G` one of its process types: there they are no operators.
#[test]
fn names_of_the_model_come_first() {
    check("F (S == 1)", "F \"S == 1\"");
    check("[] (S > b)", "G \"S > b\"");
    check("F b && F G@stop", "F b & F \"G@stop\"");
}

#[test]
fn atoms_are_expressions_of_the_model() {
    check("F (light == green)", "F \"light == green\"");
    check(
        "F (len(c) == 1 && nfull(c))",
        "F \"len(c) == 1 && nfull(c)\"",
    );
    check("F c?[1,_]", "F \"c?[1,_]\"");
    check("F P[1]@here", "F \"P[1]@here\"");
    check("F (P[1]:n + 1 == 3)", "F \"P[1]:n + 1 == 3\"");
    check("F (r.f[1] == 0)", "F \"r.f[1] == 0\"");
    check("F high", "F high");
    check("F above(2)", "F \"above(2)\"");
    check(
        "F (_nr_pr == 2) && F (_last == 1)",
        "F \"_nr_pr == 2\" & F \"_last == 1\"",
    );
    check("F enabled(1)", "F \"enabled(1)\"");
    check("F timeout && F np_", "F timeout & F np_");
    check("F (true && false) || b", "F 0 | b");
}

#[test]
fn macros_of_the_command_line() {
    let mut files = Files::new();
    let main = files.add("test.pml", "byte x; active proctype P() { x = LAST }");
    let options = Options {
        defines: vec![("LAST".into(), Some("3".into()))],
        ..Options::default()
    };
    let mut model = load(files, main, &options).expect("it is a model");
    let proposition = model
        .state_expression("x == LAST")
        .expect("it has a meaning");
    let space = space(&model.program);
    let values = values(&model.program, &space, &[proposition]);
    assert_eq!(values, [[false], [true], [true]]);
}

/// Each question sees the model as all questions together need it.
#[test]
fn propositions_survive_later_questions() {
    let text =
        "byte x; active proctype P() { do :: x == 0 -> x = 1; L: goto M :: else -> M: x = 0 od }
                active proctype Q() { do :: x == 1 :: x == 0 od }
                never { do :: x == 1 -> break :: else od }
                ltl p { [] <> (x == 1) && <> !(x == 1) }";
    let mut model = model(text);
    let mut store = Formulas::new();
    let (_, before) = model.ltl(0, &mut store);
    let claim = model
        .never()
        .expect("there is one")
        .expect("it only observes");
    let not = model
        .state_expression("!(x == 1)")
        .expect("it has a meaning");
    let label = model.state_expression("P@L").expect("it has a meaning");
    let last = model
        .state_expression("_last == 1")
        .expect("it has a meaning");
    let mut other = Formulas::new();
    let (_, after) = model
        .parse_ltl("[] (x == 1 -> Y !(x == 1))", &mut other)
        .expect("a formula");
    assert_eq!(before.len(), 1);
    assert_eq!(claim.propositions, before);
    assert_eq!(model.ltl(0, &mut Formulas::new()).1, before);
    assert_eq!(
        model
            .never()
            .expect("there is one")
            .expect("it only observes"),
        claim
    );
    assert!(is_bad(&model.program, &claim));
    let space = space(&model.program);
    let list = [before[0], not, label, last, after[0]];
    let values = values(&model.program, &space, &list);
    let mut explorer = evenhand_system::Explicit::explorer(&model.program, &[]);
    for (state, values) in space.states.iter().zip(&values) {
        let x = explorer
            .describe(state)
            .into_iter()
            .find(|(name, _)| name == "x");
        let is_one = x.expect("x is shown").1 == evenhand_system::explicit::Value::Number(1);
        assert_eq!((values[0], values[1]), (is_one, !is_one));
    }
    assert!(
        values.iter().any(|v| v[2]),
        "control comes to L: it is a state now"
    );
    assert!(
        values.iter().any(|v| v[3]),
        "Q moves: its number is kept now"
    );
}

/// What is wrong, the text it is about, and the hint.
fn complaint(model: &mut PromelaModel, formula: &str) -> (String, String, String) {
    let mut store = Formulas::new();
    let (files, list) = model.parse_ltl(formula, &mut store).expect_err(formula);
    let span = list[0].span.unwrap_or_default();
    assert_eq!(files.get(span.file).name, "formula", "{formula}: {list:?}");
    let help = list[0].help.clone().unwrap_or_default();
    (list[0].message.clone(), files.text(span).to_string(), help)
}

#[test]
fn mistakes() {
    let mut model = model(MODEL);
    for (formula, message, place, help) in [
        ("", "expected an expression, found the end", "", ""),
        ("<>", "expected an expression, found the end", "", ""),
        ("[] (b", "expected `)`, found the end", "", ""),
        (
            "[] b)",
            "expected the end of the expression, found `)`",
            ")",
            "",
        ),
        (
            "[] ligth",
            "undeclared variable `ligth`",
            "ligth",
            "did you mean `light`?",
        ),
        (
            "[] P@her",
            "process `P` has no label `her`",
            "her",
            "did you mean `here`?",
        ),
        ("[] P[0]:m", "process `P` has no variable `m`", "m", ""),
        (
            "<> x == 1",
            "a temporal formula is compared or calculated with",
            "<> x == 1",
            "bind tightly",
        ),
        (
            "[] (b & <> y)",
            "a temporal formula is compared or calculated with",
            "(b & <> y)",
            "`&&`",
        ),
        ("[] (x = 1)", "expected `)`, found `=`", "=", ""),
        (
            "[] run P()",
            "a formula may not start processes",
            "run P()",
            "",
        ),
        (
            "[] (_pid == 1)",
            "a formula has no `_pid`",
            "(_pid == 1)",
            "by its number",
        ),
        (
            "[] c?1,2",
            "a receive cannot be part of an expression",
            "?",
            "write `c?[…]`",
        ),
        (
            "[] Q@here",
            "there is no process type `Q`",
            "Q",
            "the process types are G, P",
        ),
        ("[] Q[1]:n", "there is no process type `Q`", "Q", ""),
        ("b @ y", "", "", ""),
    ] {
        let (got, at, hint) = complaint(&mut model, formula);
        if message.is_empty() {
            continue;
        }
        assert_eq!((got.as_str(), at.as_str()), (message, place), "{formula}");
        assert!(hint.contains(help), "{formula}: {hint}");
    }
    // Nothing of all that is left.
    assert!(model.parse_ltl("[] b", &mut Formulas::new()).is_ok());
}
