//! Expressions that have no value in some state: who does not need it has a verdict.

use super::{Protocol, asked, checked, verdict};

const NO_VALUE: &str = "unknown: an expression of the property has no value in some state: ";

#[test]
fn a_violation_without_it_is_certain() {
    // Where `a[0]` is not 1 nobody looks at `a[2]`.
    let model = "byte a[2]; active proctype P() { a[0] = 1 }
                 ltl p { [] (a[0] == 1 && a[2] == 3) }";
    assert_eq!(verdict(model, "p"), "violated");
    let model = "byte x = 1; byte y; active proctype P() { y = 1; x = 0 }
                 ltl p { [] (y == 0 || 8 / x > 9) }";
    assert_eq!(verdict(model, "p"), "violated");
    let model = "byte a[3], i; active proctype P() { do :: i++ od }
                 ltl p { <> (i == 2 && a[i] == 1) }";
    assert_eq!(verdict(model, "p"), "violated");
    let model = "byte x; bool late; active proctype P() { x = 3; late = true; x = 0 }
                 ltl p { [] (x == 3 -> <> (late && 6 / x == 4)) }";
    assert!(verdict(model, "p").starts_with(NO_VALUE));
}

#[test]
fn the_order_of_operands_does_not_matter() {
    for broken in [
        "a[2] == 3 && a[0] == 1",
        "!(a[2] == 3 || a[0] == 0)",
        "(a[2] == 3 && a[0] == 1) || a[1] == 1",
        "a[2] == 3 -> a[0] == 1 && a[0] == 0",
    ] {
        let model =
            format!("byte a[2]; active proctype P() {{ a[0] = 1 }}\nltl p {{ [] ({broken}) }}\n");
        let word = verdict(&model, "p");
        match broken.contains("->") {
            // Nobody knows whether the premise holds.
            true => assert!(word.starts_with(NO_VALUE), "{broken}: {word}"),
            false => assert_eq!(word, "violated", "{broken}"),
        }
    }
    let model = "byte a[2]; active proctype P() { a[0] = 1 }
                 ltl p { [] (a[2] == 3 || a[0] < 2) }";
    assert_eq!(verdict(model, "p"), "holds");
}

#[test]
fn a_branch_without_it_is_certain() {
    // One branch ends in a state without a value, the other breaks the property.
    for (first, second) in [("d = 0", "bad = true"), ("bad = true", "d = 0")] {
        let model = format!(
            "byte d = 1; bool bad;
             active proctype P() {{ if :: {first} :: {second} fi }}
             ltl p {{ [] (10 / d == 10 && !bad) }}"
        );
        assert_eq!(verdict(&model, "p"), "violated", "{first}");
    }
    let model = "byte d = 1; active proctype P() { if :: d = 0 :: d = 2 :: d = 1 fi }
                 ltl p { [] <> (10 / d != 5) }";
    assert_eq!(verdict(model, "p"), "violated");
}

#[test]
fn without_a_violation_nothing_is_known() {
    let model = "byte a[2], i; active proctype P() { do :: i < 5 -> i++ :: i = 0 od }
                 ltl p { [] (a[i] == 0) }";
    assert!(verdict(model, "p").starts_with(NO_VALUE));
    let model = "byte x = 2; active proctype P() { x = 1; x = 0 }
                 ltl p { <> (2 / x == 2) && [] (2 / x > 0) }";
    assert!(verdict(model, "p").starts_with(NO_VALUE));
}

#[test]
fn other_properties_do_not_care() {
    let model = "byte a[2], i; active proctype P() { do :: i < 5 -> i++ :: i == 5 -> i = 0 od }
                 ltl p { [] (a[i] == 0) }
                 ltl q { [] <> (i == 0) }
                 ltl r { [] (i < 5) }";
    let report = checked(model, &[], &mut Protocol::default()).expect("it is a check");
    let words: Vec<_> = report.properties.iter().map(|p| p.verdict.word()).collect();
    assert_eq!(words, ["holds", "holds", "unknown", "holds", "violated"]);
}

#[test]
fn claims_are_asked_in_the_same_way() {
    let model = "byte a[2]; active proctype P() { a[0] = 1 }
                 never { do :: !(a[0] == 1 && a[2] == 3) -> break :: true od }";
    assert_eq!(verdict(model, "never"), "violated");
    let model = "byte x = 1; active proctype P() { x = 0 }
                 never { do :: 3 / x == 4 -> break :: true od }";
    assert!(verdict(model, "never").starts_with(NO_VALUE));
}

#[test]
fn branching_time_does_not_care_either() {
    let model = "byte a[2]; byte x;
                 active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
                 ltl p { [] (a[x] == 0) }";
    for (formulas, words) in [
        (&["AG EF (x == 3)"][..], &["unknown", "holds"][..]),
        (
            &["AG EF (x == 3)", "AG (x < 3)"],
            &["unknown", "holds", "violated"],
        ),
        (
            &["AG EF (a[x] == 0)", "AG (x < 9)"],
            &["unknown", "unknown", "holds"],
        ),
    ] {
        let report = asked(model, &["p"], formulas).expect("it is a check");
        let found: Vec<_> = report.properties.iter().map(|p| p.verdict.word()).collect();
        assert_eq!(found, words, "{formulas:?}");
        let violated = report.properties.iter().filter(|p| p.verdict.is_violated());
        assert!(violated.clone().all(|p| p.verdict.run().is_some()));
    }
}

/// However it is spelled: the automaton may have an edge for each value, and both are bad.
#[test]
fn a_violation_is_certain_in_every_spelling() {
    for (formula, word) in [
        ("[] (x == 0) && <> (a[2] == 1)", "violated"),
        ("([] (x == 0)) && ([] (a[2] == 1))", "violated"),
        ("[] (x == 0 && <> (a[2] == 1))", "violated"),
        ("<> (a[2] == 1) && [] (x == 0)", "violated"),
        ("(a[2] == 1 || x == 1) U (x == 2)", "violated"),
        ("<> (a[2] == 1) || [] (x == 0)", "unknown"),
        ("[] (a[2] == 1)", "unknown"),
    ] {
        let model =
            format!("byte a[2]; byte x; active proctype P() {{ x = 1 }}\nltl p {{ {formula} }}\n");
        let found = verdict(&model, "p");
        let found = found.split(':').next();
        assert_eq!(found, Some(word), "{formula}");
    }
}
