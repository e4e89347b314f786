//! `accept` and `progress` labels.

use super::brute::is_bad;
use super::model;

#[test]
fn acceptance_is_what_pan_says() {
    for (text, bad) in [
        // Runs that end: at an accept label they stay there.
        (
            "byte x; active proctype P() { x = 1; accept: x == 5 }",
            true,
        ),
        (
            "byte x; active proctype P() { x = 1; accept_end: end: x == 5 }",
            true,
        ),
        ("byte x; active proctype P() { accept: x == 5 }", true),
        (
            "byte x; active proctype P() { x = 1; accept: x = 2 }",
            false,
        ),
        ("byte x; active proctype P() { x = 1; accept: skip }", false),
        // Runs that do not.
        (
            "byte x; active proctype P() { do :: x = 1 - x; accept: skip od }",
            true,
        ),
        (
            "byte x; active proctype P() { accept: x = 1; do :: x = 3 - x od }",
            false,
        ),
        (
            "byte x; active proctype P() { accept: x == 5 }
             active proctype Q() { do :: x = 1 - x od }",
            true,
        ),
        (
            "byte x; active proctype P() { do :: x == 0 -> accept: x = 1 od }
             active proctype Q() { do :: x == 1 -> x = 0 od }",
            true,
        ),
    ] {
        let mut model = model(text);
        let claim = model.acceptance();
        assert_eq!(is_bad(&model.program, &claim), bad, "{text}");
    }
}

#[test]
fn progress_is_what_pan_says() {
    for (text, bad) in [
        // A run that ends makes no cycle.
        ("byte x; active proctype P() { x = 1 }", false),
        ("byte x; active proctype P() { x = 1; x == 5 }", false),
        (
            "byte x; active proctype P() { x = 1; progress: x == 5 }",
            false,
        ),
        ("byte x; active proctype P() { do :: x = 1 - x od }", true),
        (
            "byte x; active proctype P() { do :: x = 1 - x; progress: skip od }",
            false,
        ),
        (
            "byte x; active proctype P() { do :: x = 1 - x; progress: skip :: x = 1 - x od }",
            true,
        ),
        (
            "byte x; active proctype P() { progress: x == 5 }
             active proctype Q() { do :: x = 1 - x od }",
            false,
        ),
        // A never claim of the model has no part in it.
        (
            "byte x; active proctype P() { do :: x = 1 - x od } never { do :: x == 9 od }",
            true,
        ),
    ] {
        let mut model = model(text);
        let claim = model.progress();
        assert!(!claim.stutter);
        assert_eq!(is_bad(&model.program, &claim), bad, "{text}");
    }
}
