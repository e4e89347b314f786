//! Why processes do not move: what they are told to wait for is what they cannot execute.

use evenhand::{Explicit, Model, ProcessId, Promela, Smv, Successors};
use evenhand_testkit::promela_programs::Program;
use std::collections::HashSet;

use crate::common::{cases, first_seed};

const MOST_STATES: usize = 150;

/// Every reachable state, up to a number.
fn states(system: &dyn Explicit) -> Vec<Vec<u8>> {
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut found: Vec<Vec<u8>> = (0..out.len()).map(|n| out.state(n).to_vec()).collect();
    let mut seen: HashSet<Vec<u8>> = found.iter().cloned().collect();
    let mut at = 0;
    while at < found.len() && found.len() < MOST_STATES {
        explorer.expand(&found[at].clone(), &mut out);
        for number in 0..out.len() {
            let state = out.state(number).to_vec();
            if seen.insert(state.clone()) {
                found.push(state);
            }
        }
        at += 1;
    }
    found
}

#[test]
fn a_process_that_does_not_move_has_obstacles_and_no_step_is_one() {
    let (mut stuck, mut moving) = (0, 0);
    for seed in first_seed(7_000)..first_seed(7_000) + cases(60) {
        let text = Program::generate(seed).text();
        let Ok(model) = Model::parse("random.pml", text.clone(), &Promela) else {
            continue;
        };
        let system = model.body().explicit().expect("a program");
        let mut explorer = system.explorer(&[]);
        let mut out = Successors::new();
        for state in states(system) {
            explorer.expand(&state, &mut out);
            for process in ProcessId::first(16) {
                let name = explorer.process_name(&state, process);
                if name == format!("process {process}") {
                    break;
                }
                let steps = (0..out.len()).map(|n| out.step(n));
                let own: Vec<_> = steps.filter(|s| s.process == Some(process)).collect();
                let partner = (0..out.len()).any(|n| out.step(n).partner == Some(process));
                let fails = out.faults().iter().any(|f| f.step.process == Some(process));
                let told = explorer.obstacles(&state, process);
                if own.is_empty() && !partner && !fails {
                    assert!(
                        !told.is_empty(),
                        "seed {seed}: {name} waits for nothing\n{text}"
                    );
                    stuck += 1;
                }
                // Time is out only where nothing else is possible.
                let asks_time = text.contains("timeout");
                for step in own.iter().filter(|_| !asks_time) {
                    moving += 1;
                    let is_told = told.iter().any(|o| Some(o.action) == step.action);
                    assert!(
                        !is_told,
                        "seed {seed}: {name} moves by {step:?}: {told:?}\n{text}"
                    );
                }
            }
        }
    }
    assert!(
        stuck > 200 && moving > 200,
        "{stuck} stuck, {moving} moving"
    );
}

/// The reasons of a process behind so many first steps.
fn reasons(text: &str, name: &str, steps: usize) -> Vec<String> {
    let model = Model::parse("m.pml", text, &Promela).expect("a model");
    let system = model.body().explicit().expect("a program");
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut state = out.state(0).to_vec();
    for _ in 0..steps {
        explorer.expand(&state, &mut out);
        state = out.state(0).to_vec();
    }
    let process = ProcessId::first(16).find(|p| explorer.process_name(&state, *p) == name);
    let told = explorer.obstacles(&state, process.expect("the process"));
    told.into_iter().map(|o| o.reason).collect()
}

#[test]
fn each_kind_of_statement_has_its_reason() {
    let full = "chan c = [1] of { byte }; active proctype p() { c!1; c!2 }";
    assert_eq!(
        reasons(full, "p[0]", 1),
        ["the channel is full: it holds 1"]
    );
    let empty = "chan c = [1] of { byte }; active proctype p() { c?1 }";
    assert_eq!(reasons(empty, "p[0]", 0), ["the channel is empty"]);
    let other = "chan c = [1] of { byte }; active proctype p() { c!2; c?1 }";
    assert_eq!(
        reasons(other, "p[0]", 1),
        ["no message in the channel fits"]
    );
    let alone = "chan c = [0] of { byte }; active proctype p() { if :: c!1 :: c?1 fi }";
    let nobody = [
        "nobody is ready to receive the message",
        "nobody sends such a message",
    ];
    assert_eq!(reasons(alone, "p[0]", 0), nobody);
    let guarded = "bool b; active proctype p() { if :: b :: d_step { b; skip } fi }";
    assert_eq!(reasons(guarded, "p[0]", 0), ["the condition is false"; 2]);
    let clause = "bool b; active proctype p() provided (b) { skip }";
    assert_eq!(
        reasons(clause, "p[0]", 0),
        ["its `provided` clause is false"]
    );
    let last = "active proctype p() { skip } active proctype q() { do :: skip od }";
    let model = Model::parse("m.pml", last, &Promela).expect("a model");
    assert_eq!(model.signature().processes.len(), 2);
}

/// The state of an SMV model that has no successor, and what is said about it.
fn stuck(text: &str) -> (String, Vec<String>) {
    let model = Model::parse("m.smv", text, &Smv).expect("a model");
    let system = model.body().explicit().expect("small domains");
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    let mut found = Vec::new();
    for state in states(system) {
        explorer.expand(&state, &mut out);
        let told = explorer.obstacles(&state, ProcessId::new(0));
        if out.is_empty() {
            let values = explorer.describe(&state);
            let values: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            let reasons: Vec<String> = told.into_iter().map(|o| o.reason).collect();
            found.push((values.join(", "), reasons));
        } else {
            assert!(told.is_empty(), "a step is possible: {told:?}");
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn constraints_that_exclude_each_other_are_named_and_no_others() {
    // The last floor is reached, and nothing else has to do with that.
    let alone = "MODULE main
VAR floor : 0..3; door : boolean; bell : 0..3;
INIT floor = 0 & !door & bell = 0
TRANS next(floor) = floor + 1
TRANS next(door) = !door
ASSIGN next(bell) := bell;
";
    let (state, reasons) = stuck(alone);
    assert!(state.starts_with("floor = 3, "), "{state}");
    let wanted = "no next state satisfies `next(floor) = floor + 1` (line 4) within the types of the variables";
    assert_eq!(reasons, [wanted]);
    // An assignment, a constraint on steps, and one on states.
    let three = "MODULE main
VAR x : 0..9; y : 0..20; z : boolean;
ASSIGN
  init(x) := 0;
  next(x) := (x + 1) mod 10;
  init(z) := FALSE;
  next(z) := !z;
INIT y = 0
TRANS next(y) = next(x) + y
INVAR y < 7
";
    let (state, reasons) = stuck(three);
    assert_eq!(state, "x = 3, y = 6, z = true");
    let wanted = "no next state satisfies `next(x) := (x + 1) mod 10` (line 5), \
                  `next(y) = next(x) + y` (line 9) and `y < 7` (line 10) together";
    assert_eq!(reasons, [wanted]);
}
