//! What is explained to differ from TLC, each in a specification as small as it gets.
//!
//! Rows of the corpus that differ (`answers.rs`) do so for one of these reasons. What TLC says of each stands beside it: it was
//! asked (tlaplus/tlaplus at cc6b616cf7, for `\cdot` with what enables it).

use crate::tlc::{Bounds, explore_text};

/// Result, message, distinct and generated states.
fn said(body: &str, configuration: &str) -> (String, String, u64, u64) {
    let bounds = Bounds {
        states: 1000,
        seconds: 20,
        deadlock: false,
        merged: true,
    };
    let text = format!("---- MODULE M ----\n{body}\n====\n");
    let got = explore_text(
        ("M.tla".to_string(), text),
        Some(("M.cfg".to_string(), configuration.to_string())),
        bounds,
    );
    (got.result, got.message, got.distinct, got.generated)
}

const USUAL: &str = "INIT Init\nNEXT Next\n";

/// TLC gives the state between two actions the values that conjuncts in front of `\cdot` gave to the state behind the step, and finds
/// no step here: 1 state. The state between is one of its own, in which `s` is 1.
#[test]
fn the_state_between_two_actions_is_not_the_one_behind_the_step() {
    let (result, _, distinct, _) = said(
        "VARIABLES x, s\nInit == x = 0 /\\ s = 0\n\
         Next == x = 0 /\\ UNCHANGED s /\\ ((x' = 1 /\\ s' = 1) \\cdot (s = 1 /\\ x' = 2))",
        USUAL,
    );
    assert_eq!((result.as_str(), distinct), ("success", 2));
}

/// TLC knows how it came to a state: success.
#[test]
fn the_run_so_far_is_no_function_of_the_state() {
    let (result, message, ..) = said(
        "EXTENDS TLCExt, Sequences, Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nInv == Len(Trace) > 0",
        &format!("{USUAL}INVARIANT Inv\n"),
    );
    assert_eq!(result, "error");
    assert!(message.contains("`Trace` cannot be evaluated"), "{message}");
}

/// TLC has it: success.
#[test]
fn there_is_no_module_that_counts_what_is_possible() {
    let (result, message, ..) = said(
        "EXTENDS _Possible, Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x",
        USUAL,
    );
    assert_eq!(result, "error");
    assert!(message.contains("no module `_Possible`"), "{message}");
}

/// TLC refuses the formula: its disjunctive normal form has 2^36 parts.
#[test]
fn many_strong_conditions_are_decided() {
    let (result, _, distinct, _) = said(
        "EXTENDS Naturals\nVARIABLE x\nInit == x = FALSE\nNext == x' \\in BOOLEAN\n\
         Spec == Init /\\ [][Next]_x /\\ \\A i, j \\in 1..6 : SF_x(Next)\nProp == <>[](x \\in BOOLEAN)",
        "SPECIFICATION Spec\nPROPERTY Prop\n",
    );
    assert_eq!((result.as_str(), distinct), ("success", 2));
}

/// TLC draws by its own generator, another number each time.
#[test]
fn draws_are_the_same_each_time() {
    let body =
        "EXTENDS TLC, Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = RandomElement(1..50)";
    let one = said(body, USUAL);
    assert_eq!((one.0.as_str(), &one), ("success", &said(body, USUAL)));
}

/// TLC compares with the text of its own message: success.
#[test]
fn messages_of_errors_are_ours() {
    let (result, message, ..) = said(
        "EXTENDS TLCExt, Naturals\nASSUME AssertError(\"Attempted to access index 2 of tuple\\n<<1>>\\nwhich is out of \
         bounds.\", <<1>>[2])",
        "",
    );
    assert_eq!(
        (result.as_str(), message.as_str()),
        ("assumption", "assumption_0")
    );
}

/// TLC reads the file: success if it is there.
#[test]
fn files_are_not_read() {
    let (result, ..) = said(
        "EXTENDS Json, Sequences\nASSUME Len(ndJsonDeserialize(\"log.ndjson\")) > 0",
        "",
    );
    assert!(result == "assumption" || result == "error", "{result}");
}

/// TLC evaluates `ENABLED` of each condition of fairness, and ends with an error.
#[test]
fn fairness_is_not_evaluated_for_safety() {
    let (result, ..) = said(
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nBad == x = <<>> /\\ x' = 1\nNext == x' = 1 - x\n\
         Spec == Init /\\ [][Next]_x /\\ WF_x(Bad)\nLive == []<>(x = 1)",
        "SPECIFICATION Spec\nPROPERTY Live\n",
    );
    assert_eq!(result, "success");
}
