//! An atomic stretch that has no end is an error of the model; it takes nothing else away: not what other
//! processes can do, nor other branches, nor its own error.

use super::{Protocol, checked, verdict};

/// A stretch of so many steps that comes back to where it was, through statements that are no
/// assignments.
fn circle(steps: u32) -> String {
    format!("do :: q!1; q?z; y = 0; i = (i + 1) % {steps} od")
}

const HEAD: &str = "chan q = [1] of {byte}; int i; byte x, y;\n";

#[test]
fn its_own_error_is_found_whatever_its_length() {
    for steps in [
        3, 1000, 118_927, 118_928, 118_929, 249_999, 250_000, 250_001,
    ] {
        let circle = circle(steps);
        let model =
            format!("{HEAD}active proctype P() {{ byte z; atomic {{ x = 0; {circle} }} }}\n");
        let report = checked(
            &model,
            &["assertions", "deadlock"],
            &mut Protocol::default(),
        );
        let report = report.expect("it is a check");
        let word = report.property("assertions").expect("asked").verdict.word();
        assert!(matches!(word, "violated" | "unknown"), "{steps}: {word}");
        let word = report.property("deadlock").expect("asked").verdict.word();
        assert_ne!(word, "violated", "{steps}");
    }
}

#[test]
fn other_branches_stay() {
    for steps in [1000, 118_928] {
        let (circle, out) = (circle(steps), "x = 1; goto out");
        for (first, second) in [(out, &*circle), (&*circle, out)] {
            let model = format!(
                "{HEAD}active proctype P() {{ byte z;
                 atomic {{ if :: {first} :: x = 0; x = 0; {second} fi }}; out: x = 2 }}
                 ltl p {{ [] (x != 2) }}\n"
            );
            let found = verdict(&model, "p");
            assert_ne!(found, "holds", "{steps}: {model}");
        }
    }
}

#[test]
fn other_processes_stay() {
    for endless in [
        "do :: i++ od",
        "do :: i = i + 2 :: i = i + 3 od",
        "do :: i++; y = i od",
    ] {
        for (first, second) in [(0, 1), (1, 0)] {
            let processes = [
                format!("active proctype P() {{ atomic {{ x == 0 -> {endless} }} }}\n"),
                "active proctype Q() { atomic { x = 1; x = 2 } }\n".to_string(),
            ];
            let model = format!(
                "int i; byte x, y;\n{}{}ltl p {{ [] (x != 2) }}\n",
                processes[first], processes[second]
            );
            let found = verdict(&model, "p");
            match endless.contains("+ 3") {
                // Of a stretch with choices not all was looked at.
                true => assert_ne!(found, "holds", "{model}"),
                false => assert_eq!(found, "violated", "{model}"),
            }
        }
    }
}
