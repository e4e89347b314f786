//! What is evaluated once and used again is what it would be if it were evaluated anew.
//!
//! A condition without bound names is remembered for the values of the variables that it reads; the same condition with a
//! bound name in every place is not, and a set that depends on the time sees to it that the comparison itself is not
//! remembered either. Random conditions, in states and behind steps, must agree with themselves
//! written in this other way, in whatever order states and steps are looked at.

use evenhand_testkit::lassos::{Random, cases};

use super::steps::predicate;
use super::tlc::{Bounds, Outcome, explore_text};

/// The text with a bound name that is 0 in every place.
fn anew(text: &str) -> String {
    text.replace('x', "(x + zz)").replace('y', "(y + zz)")
}

fn explored(text: String, configuration: &str) -> Outcome {
    let bounds = Bounds {
        states: 1000,
        seconds: 20,
        deadlock: false,
        merged: false,
    };
    let configuration = Some(("M.cfg".to_string(), configuration.to_string()));
    explore_text(("M.tla".to_string(), text), configuration, bounds)
}

#[test]
fn remembered_conditions_are_what_they_would_be_anew() {
    for seed in 0..cases(150) as u64 {
        let mut random = Random::new(seed);
        let depth = 1 + random.below(3) as u32;
        let condition = predicate(&mut random, false, depth);
        let other = predicate(&mut random, false, 2);
        let add = random.below(3);
        let text = format!(
            "---- MODULE M ----\nEXTENDS Naturals, TLC\nVARIABLES x, y, z\n\
             Init == x \\in 0..2 /\\ y \\in 0..2 /\\ z = 0\n\
             C == {condition}\n\
             D == C /\\ (\\A n \\in 0..1 : n <= y) /\\ {other}\n\
             F[n \\in 0..6] == IF n = 0 THEN x ELSE (F[n - 1] + y + {add}) % 3\n\
             G == [n \\in 0..2 |-> F[n]]\n\
             Values == <<C, D, F[6], G[2]>>\n\
             Anew(zz) == LET H[n \\in 0..6] == IF n = 0 THEN x + zz ELSE (H[n - 1] + y + zz + {add}) % 3\n\
               IN <<{first}, {first} /\\ (\\A n \\in 0..1 : n <= y + zz) /\\ {second}, H[6], H[2]>>\n\
             Same == \\E zz \\in {{0 * JavaTime}} : Values = Anew(zz)\n\
             A == x' \\in {{n \\in 0..2 : C \\/ n >= x}} /\\ (y' = F[x'] \\/ (D /\\ y' = y)) /\\ z' \\in {{z, (z + 1) % 2}} /\\ (C' \\/ TRUE)\n\
             Next == A\n\
             Steps == [][\\E zz \\in {{0 * JavaTime}} : Values' = Anew(zz)' /\\ Values = Anew(zz) /\\ (D' <=> Values[2]')]_<<x, y, z>>\n\
             Inside == \\E zz \\in {{0 * JavaTime}} : Values = Anew(zz)\n\
             ====\n",
            first = anew(&condition),
            second = anew(&other),
        );
        let configuration =
            "INIT Init\nNEXT Next\nINVARIANT Same\nPROPERTY Steps\nCONSTRAINT Inside";
        let outcome = explored(text.clone(), configuration);
        assert_eq!(outcome.result, "success", "seed {seed}: {text}{outcome:?}");
        assert!(outcome.distinct >= 9, "seed {seed}: {outcome:?}");
    }
}

#[test]
fn a_recursive_function_is_evaluated_once_for_each_argument() {
    let expected = [0, 1, 2].map(|x: u32| {
        let (mut last, mut now) = (x, x + 1);
        for _ in 2..=90 {
            (last, now) = (now, (last + now) % 1000);
        }
        now
    });
    let text = format!(
        "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\n\
         Fib[n \\in Nat] == IF n < 2 THEN n + x ELSE (Fib[n - 1] + Fib[n - 2]) % 1000\n\
         Inv == Fib[90] = <<{}, {}, {}>>[x + 1]\n====\n",
        expected[0], expected[1], expected[2]
    );
    let outcome = explored(text, "INIT Init\nNEXT Next\nINVARIANT Inv");
    assert_eq!(outcome.result, "success", "{outcome:?}");
    assert_eq!(outcome.distinct, 3);
}

#[test]
fn a_function_that_reads_the_next_state_follows_it() {
    // The inner function takes the outer one along, which reads a variable that gets one value after the other.
    let text = "---- MODULE M ----\nEXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n\
         Next == LET f[n \\in Nat] == n + x' IN LET h[n \\in Nat] == f[n] + 1 IN x' \\in 0..3 /\\ y' = h[1]\n\
         Steps == [][y' = x' + 2]_<<x, y>>\n====\n";
    let outcome = explored(text.to_string(), "INIT Init\nNEXT Next\nPROPERTY Steps");
    assert_eq!(outcome.result, "success", "{outcome:?}");
    assert_eq!(outcome.distinct, 5);
}
