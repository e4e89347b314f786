//! Random actions: the steps that a search finds are those for which the action is true.
//!
//! The same action is explored three times: as it is, where values are found on the way; behind assignments of all
//! values that there are, so that it is only decided; and as a value, under a double negation. All must reach the same
//! states, and each step that is found must satisfy the action as a property of steps.

use evenhand_source::Files;
use evenhand_system::{Language, ReadOptions};
use evenhand_testkit::lassos::{Random, cases};
use evenhand_tla::Tla;

use super::tlc::{Bounds, Outcome, explore_text};

/// A predicate of the state; with primes where all variables have values.
pub(super) fn predicate(random: &mut Random, primed: bool, depth: u32) -> String {
    let names: &[&str] = match primed {
        true => &["x", "y", "x'", "y'"],
        false => &["x", "y"],
    };
    let a = names[random.below(names.len())];
    let b = names[random.below(names.len())];
    let number = random.below(3);
    if depth == 0 {
        return match random.below(5) {
            0 => format!("({a} = {b})"),
            1 => format!("({a} # {number})"),
            2 => format!("({a} <= {b})"),
            3 => format!("({a} \\in {{{number}, {b}}})"),
            _ => format!("({a} \\in {{n \\in 0..2 : n >= {number}}})"),
        };
    }
    let left = predicate(random, primed, depth - 1);
    let right = predicate(random, primed, depth - 1);
    match random.below(6) {
        0 => format!("({left} \\/ {right})"),
        1 => format!("({left} /\\ {right})"),
        2 => format!("({left} => {right})"),
        3 => format!("(\\E m{depth} \\in 0..2 : m{depth} = {a} /\\ {left})"),
        4 => format!("(\\A m{depth} \\in {{{number}, {b}}} : m{depth} <= 1 \\/ {left})"),
        _ => format!("(IF {left} THEN {right} ELSE {a} = {b})"),
    }
}

/// An action that gives both variables values below 3.
fn action(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        let number = random.below(3);
        let x = match random.below(4) {
            0 => format!("x' = (x + {number}) % 3"),
            1 => "x' \\in {y, 1}".to_string(),
            2 => "UNCHANGED x".to_string(),
            _ => format!("(x' = {number} \\/ x' = y)"),
        };
        let y = match random.below(4) {
            0 => format!("y' = (x + y + {number}) % 3"),
            1 => "y' \\in {n \\in 0..2 : n # x}".to_string(),
            2 => "y' = x'".to_string(),
            _ => format!("(\\E k \\in {{x, {number}}} : y' = k)"),
        };
        let behind = predicate(random, true, 1);
        return format!("({x} /\\ {y} /\\ {behind})");
    }
    let inner = action(random, depth - 1);
    match random.below(7) {
        0 => format!("({inner} \\/ {})", action(random, depth - 1)),
        1 => format!("({} /\\ {inner})", predicate(random, false, 1)),
        2 => format!("({inner} /\\ {})", predicate(random, true, 2)),
        3 => format!("(\\E k{depth} \\in 0..2 : k{depth} >= x /\\ {inner})"),
        4 => {
            let condition = predicate(random, false, 1);
            let other = action(random, depth - 1);
            format!("(IF {condition} THEN {inner} ELSE {other})")
        }
        5 => format!("(LET z{depth} == (x + 1) % 3 IN z{depth} # y /\\ {inner})"),
        _ => format!("({inner} /\\ {})", action(random, depth - 1)),
    }
}

fn explored(action: &str, next: &str) -> Outcome {
    let text = format!(
        "---- MODULE M ----\nEXTENDS Naturals\nVARIABLES x, y\nInit == x \\in {{0, 1}} /\\ y = 0\n\
         A == {action}\nNext == {next}\nSteps == [][A]_<<x, y>>\n====\n"
    );
    let configuration = "INIT Init\nNEXT Next\nPROPERTY Steps";
    let bounds = Bounds {
        states: 100,
        seconds: 20,
        deadlock: false,
        merged: false,
    };
    let configuration = Some(("M.cfg".to_string(), configuration.to_string()));
    explore_text(("M.tla".to_string(), text), configuration, bounds)
}

#[test]
fn steps_are_those_for_which_the_action_is_true() {
    let mut reached = 0;
    let count = cases(400) as u64;
    for seed in 0..count {
        let mut random = Random::new(seed);
        let depth = 1 + random.below(3) as u32;
        let action = action(&mut random, depth);
        let searched = explored(&action, "A");
        let decided = explored(&action, "x' \\in 0..2 /\\ y' \\in 0..2 /\\ A");
        let valued = explored(&action, "x' \\in 0..2 /\\ y' \\in 0..2 /\\ ~~A");
        for other in [&searched, &decided, &valued] {
            assert_eq!(other.result, "success", "seed {seed}: {action}: {other:?}");
            let same = (other.distinct, other.depth) == (searched.distinct, searched.depth);
            assert!(same, "seed {seed}: {action}: {searched:?} and {other:?}");
        }
        assert_eq!(decided.generated, valued.generated, "seed {seed}: {action}");
        reached += searched.distinct;
    }
    assert!(reached > count * 3, "{reached} states show little");
}

/// Where a configuration names the next-state action, and where a formula does.
#[test]
fn steps_without_a_name_of_their_own_have_that_of_the_next_state_action() {
    let units = "VARIABLE x\nInit == x = 0\nStay == x = 2 /\\ x' = 2\nNext == Stay \\/ x' = 1 - x\nSpec == Init /\\ [][Next]_x";
    for configuration in ["INIT Init\nNEXT Next\n", "SPECIFICATION Spec\n"] {
        let mut files = Files::new();
        let text = format!("---- MODULE M ----\nEXTENDS Naturals\n{units}\n====\n");
        let main = files.add("M.tla", text);
        let mut options = ReadOptions::default();
        options.configuration = Some(("M.cfg".to_string(), configuration.to_string()));
        let specification = Tla
            .read(files, main, &options)
            .unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!(specification.signature().processes, ["Stay", "Next"]);
    }
}
