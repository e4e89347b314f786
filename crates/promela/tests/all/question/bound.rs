//! How many processes there can be.

use super::model;

fn check(text: &str, bound: usize, certain: bool) {
    assert_eq!(model(text).pid_bound(), (bound, certain), "{text}");
}

#[test]
fn counted_from_the_control_graphs() {
    check("active [3] proctype P() { skip }", 3, true);
    check("proctype P() { skip } init { run P(); run P() }", 3, true);
    check(
        "proctype P() { skip } init { if :: run P() :: run P(); run P() fi }",
        3,
        true,
    );
    check(
        "proctype P() { skip } init { atomic { run P(); run P() }; run P() }",
        4,
        true,
    );
    check(
        "proctype P() { skip } proctype Q() { run P(); run P() }
         active [2] proctype R() { run Q(); run P() }",
        10,
        true,
    );
    // A `run` behind a cycle, or beside it, is on no cycle.
    check(
        "byte x; proctype P() { skip } init { do :: x < 3 -> x++ :: else -> break od; run P() }",
        2,
        true,
    );
    check(
        "byte x; proctype P() { skip } init { do :: run P() -> break :: x++ od }",
        2,
        true,
    );
    check(
        "proctype P() { do :: skip od } init { byte a = run P(); skip }",
        2,
        true,
    );
}

#[test]
fn guessed_where_they_do_not_tell() {
    check(
        "byte x; proctype P() { skip } init { do :: run P() od }",
        32,
        false,
    );
    check(
        "byte i; proctype P() { skip } init { for (i : 1 .. 3) { run P() } }",
        32,
        false,
    );
    check("proctype P() { run P() } init { run P() }", 32, false);
    check(
        "proctype P() { run Q() } proctype Q() { run P() } init { run P() }",
        32,
        false,
    );
    check(
        "active [40] proctype P() { do :: run Q() od } proctype Q() { skip }",
        40,
        false,
    );
    check(
        "active proctype P() { again: run Q(); goto again } proctype Q() { skip }",
        32,
        false,
    );
}
