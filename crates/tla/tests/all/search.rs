//! What a specification says about the search itself: views, levels, counts. The numbers are TLC's.

use super::tlc::{Bounds, Outcome, explore_text};

const BOUNDS: Bounds = Bounds {
    states: 2000,
    seconds: 20,
    deadlock: true,
    merged: false,
};

/// Five values of `x` in a circle, and a counter that goes up where `x` is 4.
const COUNTER: &str = r#"---- MODULE Counter ----
EXTENDS Naturals, TLC
VARIABLES x, y
Init == x \in 0..2 /\ y = 0
Next == \/ x' = (x + 1) % 5 /\ y' = y
        \/ x = 4 /\ y < 2 /\ y' = y + 1 /\ x' = x
Levels == x = 4 => TLCGet("level") = CASE y = 0 -> 3 [] y = 1 -> 4 [] y = 2 -> 5
TooLow == x = 4 => TLCGet("level") < 5
Low == TLCGet("level") < 5
InStep == Next /\ TLCGet("level") < 4
Counts == TLCGet("distinct") <= TLCGet("stats").generated /\ TLCGet("queue") < 6
Seen == x
Larger == y < 2
====
"#;

fn outcome(configuration: &str) -> Outcome {
    let module = ("Counter.tla".to_string(), COUNTER.to_string());
    let configuration = ("Counter.cfg".to_string(), configuration.to_string());
    explore_text(module, Some(configuration), BOUNDS)
}

fn counts(configuration: &str) -> (String, u64, u64, u64) {
    let found = outcome(configuration);
    let told = match found.message.is_empty() {
        true => found.result,
        false => format!("{}: {}", found.result, found.message),
    };
    (told, found.distinct, found.generated, found.depth)
}

fn success(distinct: u64, generated: u64, depth: u64) -> (String, u64, u64, u64) {
    ("success".to_string(), distinct, generated, depth)
}

#[test]
fn the_level_of_a_state_is_its_distance() {
    let found = counts("INIT Init NEXT Next INVARIANT Levels");
    assert_eq!(found, success(15, 20, 9));
    let found = outcome("INIT Init NEXT Next INVARIANT TooLow");
    assert_eq!((&*found.result, &*found.message), ("safety", "TooLow"));
}

#[test]
fn constraints_read_the_level_of_the_state_they_are_about() {
    let found = counts("INIT Init NEXT Next CONSTRAINT Low");
    assert_eq!(found, success(6, 11, 4));
}

#[test]
fn an_action_reads_the_level_of_the_state_before() {
    // States of level 4 have no step.
    let found = outcome("INIT Init NEXT InStep");
    assert_eq!(found.result, "deadlock");
}

#[test]
fn what_is_counted_can_be_read() {
    let found = counts("INIT Init NEXT Next INVARIANT Counts");
    assert_eq!(found, success(15, 20, 9));
}

#[test]
fn states_that_look_the_same_are_one() {
    // The first state of each view stands for all: the counter never goes up.
    let found = counts("INIT Init NEXT Next VIEW Seen INVARIANT Larger");
    assert_eq!(found, success(5, 9, 3));
}
