//! Formulas of CTL* from the command line.

use evenhand_logic::{Formulas, MAX_DEPTH, Spelling, parse, print};

use super::model;

const MODEL: &str = "#define high (x > 3)
    byte x, y, E; bool b;
    active proctype P() { here: x = 1; x = 2 }";

/// Compares a formula with one whose atoms are in quotes.
fn check(formula: &str, wanted: &str) {
    let mut model = model(MODEL);
    let mut store = Formulas::new();
    let f = match model.parse_ctl_star(formula, &mut store) {
        Ok((f, propositions)) => {
            assert_eq!(store.atoms().count(), propositions.len());
            f
        }
        Err((_, list)) => panic!("{formula}: {list:#?}"),
    };
    let mut other = Formulas::new();
    let g = parse(&mut other, wanted, Spelling::Any).expect("it is a formula");
    let wanted = print(&other, g, Spelling::Spot);
    assert_eq!(print(&store, f, Spelling::Spot), wanted, "{formula}");
}

#[test]
fn quantifiers_and_their_short_forms() {
    check("A [] b", "A G b");
    check("A (b U (x == 1))", "A (b U \"x == 1\")");
    check("A [b U (x == 1)]", "A (b U \"x == 1\")");
    check("A [[] b]", "A G b");
    check("AG AF b && AX !b", "(A G (A F b)) & (A X !b)");
    check("AGAF b", "A G (A F b)");
    check("A GF b -> !A (b S high)", "(A G F b) -> !(A (b S high))");
    check("A (Y b || O (x > 1))", "A (Y b | O \"x > 1\")");
    check("b && (x == 1)", "\"b && (x == 1)\"");
    check("AG P[0]@here", "A G \"P[0]@here\"");
}

#[test]
fn words_that_the_model_declares_are_names() {
    // `E` is a variable here, so that there is no such quantifier.
    check("AG (E == 1)", "A G \"E == 1\"");
    check("AF E", "A F \"E\"");
    let mut model = model(MODEL);
    let (_, list) = model
        .parse_ctl_star("E (x == 1)", &mut Formulas::new())
        .expect_err("a variable and a formula");
    assert!(list[0].message.contains("expected"), "{list:?}");
    // Longer words are still free.
    check("EF b", "E F b");
    check("EX EG b", "E X (E G b)");
}

#[test]
fn mistakes() {
    let mut model = model(MODEL);
    for (formula, message) in [
        (
            "G b",
            "a temporal operator must stand under a path quantifier",
        ),
        (
            "b U y",
            "a temporal operator must stand under a path quantifier",
        ),
        (
            "AG b && F y",
            "a temporal operator must stand under a path quantifier",
        ),
        ("A [b U y", "expected `]`, found the end"),
        ("A", "expected an expression, found the end"),
        ("AG nothing", "undeclared variable `nothing`"),
        (
            "AG x == 1",
            "a temporal formula is compared or calculated with",
        ),
    ] {
        let (files, list) = model
            .parse_ctl_star(formula, &mut Formulas::new())
            .expect_err(formula);
        assert_eq!(list[0].message, message, "{formula}");
        let span = list[0].span.expect("a place");
        assert_eq!(files.get(span.file).name, "formula", "{formula}");
    }
    // A linear formula has no quantifiers, though the same text was read before.
    assert!(model.parse_ctl_star("AG b", &mut Formulas::new()).is_ok());
    assert!(model.parse_ltl("AG b", &mut Formulas::new()).is_err());
}

#[test]
fn deep_nesting_is_an_error() {
    for deep in [
        "A ".repeat(100_000),
        "AX".repeat(100_000),
        "A [".repeat(100_000),
    ] {
        let mut model = model(MODEL);
        let text = format!("{deep} b");
        assert!(model.parse_ctl_star(&text, &mut Formulas::new()).is_err());
    }
    let mut model = model(MODEL);
    let text = format!("{} b", "AX ".repeat(MAX_DEPTH));
    assert!(model.parse_ctl_star(&text, &mut Formulas::new()).is_err());
}
