//! A warning about a run-time error says which one, and where.

use super::{Protocol, checked};

/// The warnings about a property.
fn warnings(model: &str, name: &str) -> Vec<String> {
    let report = checked(model, &[], &mut Protocol::default()).expect("it is a check");
    let result = report.property(name).expect("it was asked");
    result.warnings.iter().map(ToString::to_string).collect()
}

fn check(model: &str, name: &str, what: &str) {
    let wanted =
        format!("a run-time error ends a run ({what}); what lies behind it was not explored");
    let found = warnings(model, name);
    assert!(found.contains(&wanted), "{model}\n{found:#?}");
}

#[test]
fn of_the_question_about_ends() {
    check(
        "byte a[2], i;\nactive proctype P() {\n  i = 2;\n  a[i] = 1 }",
        "deadlock",
        "array index 2 is outside of 0..1, test.pml:4",
    );
    check(
        "byte x;\nactive proctype P() { if\n:: x = 1\n:: x = 4 / x\nfi }",
        "deadlock",
        "division by zero, test.pml:4",
    );
    check(
        "chan c = [1] of { byte, byte };\nactive proctype P() { c!1,2;\nc?1 }",
        "deadlock",
        "the channel carries 2 fields, the statement has 1, test.pml:3",
    );
}

#[test]
fn behind_a_failed_assertion_too() {
    // The assertion comes first, and ends no run; the division does.
    check(
        "byte x;\nactive proctype P() { assert(x == 1);\nx = 1 / x }",
        "deadlock",
        "division by zero, test.pml:3",
    );
    assert!(warnings("byte x; active proctype P() { assert(x == 1) }", "deadlock").is_empty());
}

#[test]
fn of_a_temporal_property() {
    check(
        "byte x;\nactive proctype P() { x = 1 / x }\nltl p { [] (x == 0) }",
        "p",
        "division by zero, test.pml:2",
    );
}
