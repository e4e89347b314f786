//! Long `atomic` and `d_step` stretches are executed in short ways; here they are executed in the
//! long way too.
//!
//! Random stretches: nested loops of a few or of hundreds of turns over bytes, words and arrays,
//! with choices, assertions that fail, and indices that leave their arrays. A `d_step` is executed
//! by one piece of code where nobody wants to know what it did, and action by action where somebody
//! does: both must have the same successors and the same run-time errors. An `atomic` is executed
//! on the state itself unless the process has a `provided` clause: one that is always true must
//! change nothing.

use std::collections::HashSet;
use std::fmt::Write;

use evenhand_promela::{Options, load};
use evenhand_source::Files;
use evenhand_system::{ActionId, Explicit, Fault, FaultKind, Program, Successors};
use evenhand_testkit::promela_programs::random::Random;

/// So many states of each program are looked at.
const MOST_STATES: usize = 100;

fn program(text: &str) -> Program {
    let mut files = Files::new();
    let main = files.add("test.pml", text);
    match load(files, main, &Options::default()) {
        Ok(model) => model.program,
        Err((_, wrong)) => panic!("{text}\n{wrong:#?}"),
    }
}

/// A successor: state and action.
type Successor = (Vec<u8>, Option<ActionId>);

/// What leads out of a state, in order.
fn outcome(out: &Successors) -> (Vec<Successor>, Vec<Fault>) {
    let of = |i: usize| (out.state(i).to_vec(), out.step(i).action);
    let faults = out.faults().iter().map(|report| report.fault);
    ((0..out.len()).map(of).collect(), faults.collect())
}

/// Explores a program and compares both ways of executing each state; the states and errors that
/// were met on the way.
fn explore(text: &str) -> (Vec<Vec<u8>>, Vec<FaultKind>) {
    let program = program(text);
    let (mut plain, mut telling) = (program.explorer(&[]), program.explorer(&[]));
    let (mut out, mut told) = (Successors::new(), Successors::new());
    plain.initial(&mut out);
    let mut list: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
    let mut seen: HashSet<Vec<u8>> = list.iter().cloned().collect();
    let (mut at, mut faults) = (0, Vec::new());
    while at < list.len() && at < MOST_STATES {
        plain.expand(&list[at], &mut out);
        telling.explain(&list[at], &mut told);
        let found = outcome(&out);
        assert_eq!(found, outcome(&told), "{text}\nin state {at}");
        faults.extend(found.1.iter().map(|fault| fault.kind));
        for (state, _) in found.0 {
            if seen.insert(state.clone()) {
                list.push(state);
            }
        }
        at += 1;
    }
    (list, faults)
}

struct Writer {
    random: Random,
    text: String,
    /// Counters that no loop around uses.
    counters: Vec<&'static str>,
    deterministic: bool,
}

impl Writer {
    fn one_of(&mut self, list: &[&str]) -> String {
        list[self.random.below(list.len())].to_string()
    }

    fn expression(&mut self) -> String {
        let left = self.one_of(&[
            "a", "w", "s", "t[0]", "t[i % 4]", "v[j % 3]", "i", "j", "_pid",
        ]);
        let right = self.one_of(&["1", "3", "a", "i", "j", "t[j % 4]"]);
        let operator = self.one_of(&["+", "-", "*", "^", "&"]);
        format!("({left} {operator} {right})")
    }

    fn statement(&mut self, depth: usize) {
        let value = self.expression();
        match self.random.below(if depth > 0 { 12 } else { 8 }) {
            0 => _ = write!(self.text, "a = {value}; "),
            1 => _ = write!(self.text, "w = {value} % 9; "),
            2 => _ = write!(self.text, "s = {value} % 300; "),
            3 => _ = write!(self.text, "t[{value} & 3] = {value} % 5; "),
            4 => _ = write!(self.text, "v[(i + 2) % 3] = {value} % 3; "),
            5 => _ = write!(self.text, "t[i & 3]++; "),
            // Once in a while something goes wrong.
            6 if self.random.below(4) == 0 => _ = write!(self.text, "assert({value} != 2); "),
            7 if self.random.below(4) == 0 => _ = write!(self.text, "t[{value} % 6] = 1; "),
            6 | 7 => _ = write!(self.text, "w++; "),
            8 | 9 => self.turns(depth - 1),
            _ => self.choice(depth - 1),
        }
    }

    /// A loop over a counter that no loop around it has.
    fn turns(&mut self, depth: usize) {
        let Some(counter) = self.counters.pop() else {
            return self.statement(0);
        };
        // Loops inside of others are short.
        let most = match self.counters.len() {
            2 => self.one_of(&["3", "17", "40", "150"]),
            _ => self.one_of(&["2", "5"]),
        };
        let _ = write!(self.text, "{counter} = 0; do :: {counter} < {most} -> ");
        let count = 1 + self.random.below(3);
        (0..count).for_each(|_| self.statement(depth));
        let _ = write!(self.text, "{counter}++ :: else -> break od; ");
        self.counters.push(counter);
    }

    fn choice(&mut self, depth: usize) {
        let condition = self.expression();
        let _ = write!(self.text, "if :: {condition} % 3 == 1 -> ");
        self.statement(depth);
        // Choices in loops would be too many.
        if !self.deterministic && self.counters.len() == 3 {
            let _ = write!(self.text, ":: {condition} % 2 == 1 -> ");
            self.statement(0);
        }
        self.text.push_str(":: else -> ");
        match self.random.below(8) {
            0 => self.text.push_str("skip "),
            _ => self.statement(0),
        }
        self.text.push_str("fi; ");
    }
}

fn stretches(seed: u64, kind: &str, provided: &str) -> String {
    let mut writer = Writer {
        random: Random::new(seed),
        text: String::new(),
        counters: vec!["k", "j", "i"],
        deterministic: kind == "d_step",
    };
    let _ = write!(
        writer.text,
        "byte a, t[4]; short w; byte rounds;
         active [2] proctype P() {provided} {{ byte i, j, k, v[3]; int s;
           do :: {kind} {{ rounds < 6 -> rounds++; "
    );
    writer.turns(2);
    writer.statement(2);
    let _ = write!(
        writer.text,
        "i = 0; j = 0; k = 0; s = 0 }}\n :: a = (a + _pid) % 4 od }}"
    );
    writer.text
}

#[test]
fn one_piece_of_code_does_what_its_actions_do() {
    let (mut states, mut faults) = (0, Vec::new());
    for seed in 0..100 {
        let (found_states, found) = explore(&stretches(seed, "d_step", ""));
        states += found_states.len();
        faults.extend(found);
    }
    assert!(states > 2_000, "only {states} states");
    assert!(faults.contains(&FaultKind::Assertion), "no assertion fails");
    let is_index = |kind: &FaultKind| matches!(kind, FaultKind::Index { .. });
    assert!(faults.iter().any(is_index), "no index is wrong");
}

#[test]
fn a_line_is_executed_as_states_are() {
    let mut states = 0;
    for seed in 0..60 {
        let short = explore(&stretches(seed, "atomic", ""));
        let long = explore(&stretches(seed, "atomic", "provided (true)"));
        assert_eq!(short, long, "{}", stretches(seed, "atomic", ""));
        states += short.0.len();
    }
    assert!(states > 1_000, "only {states} states");
}

/// Stretches whose run-time error is found by looking back, or that are long: told and not told.
#[test]
fn what_never_ends_is_found_in_the_same_place() {
    let bodies = [
        "do :: x = (x + 1) % 200; y = (y + 1) % 3000 od",
        "do :: x = 1 - x od",
        "x = 3; do :: x > 0 -> x-- :: else -> x = 7; y = (y + 1) % 7 od",
        "do :: y = (y + 1) % 50; if :: y > 3 -> x = 1 :: y > 40 -> x = 2 :: else fi od",
        "y = 1; do :: y < 9000 -> y++; x++ :: else -> break od",
        "y = 0; again: y = (y + 1) % 90; q!y; q?x; goto again",
    ];
    for body in bodies {
        for kind in ["atomic", "d_step"] {
            let text = format!(
                "byte x; short y; chan q = [1] of {{ byte }};
                 active proctype P() {{ {kind} {{ {body} }}; x = 5 }}"
            );
            // A `d_step` must not choose; what is wrong about it is the same all the same.
            explore(&text);
        }
    }
}

#[test]
fn a_handshake_begins_a_long_sequence() {
    // The message of the handshake is not that of what follows.
    let (states, faults) = explore(
        "chan r = [0] of { byte, byte }; chan q = [2] of { byte, byte }; byte x, y, n;
         active proctype S() { r!3,4; r!5,6 }
         active proctype R() {
           do :: d_step { r?x,y; q!y,x; n = 0; do :: n < 40 -> n++ :: else -> break od; q?y,x; q!7,8 }
                 q?_,_ od }",
    );
    assert_eq!((states.len(), faults), (5, Vec::new()));
}

#[test]
fn more_actions_than_turns_may_be() {
    // A million and a half turns of four actions.
    let (states, faults) = explore(
        "int x, y; active proctype P() {
           d_step { x = 0; do :: x < 1500000 -> x++; y = x; y = 2 :: else -> break od }; y = 3 }",
    );
    assert_eq!((states.len(), faults), (4, Vec::new()));
}
