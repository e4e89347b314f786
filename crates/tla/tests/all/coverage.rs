//! Which conditions of the next-state action were never met, and what a specification prints.

use evenhand_source::Files;
use evenhand_system::{Body, Language, ReadOptions, Request, Successors};
use evenhand_tla::Tla;

/// Explores everything; the texts of conditions that were never true, of those that were never evaluated, and what was
/// printed.
fn explored(text: &str, looks: bool) -> (Vec<String>, Vec<String>, Vec<String>) {
    let (_, never_true, never_evaluated, printed) = counted(text, looks);
    (never_true, never_evaluated, printed)
}

/// An expression, how often it was evaluated, and how often it was true.
type Counted = (String, u64, u64);

/// The same with how often expressions were evaluated.
fn counted(text: &str, looks: bool) -> (Vec<Counted>, Vec<String>, Vec<String>, Vec<String>) {
    let mut files = Files::new();
    let main = files.add("M.tla".to_string(), text.to_string());
    let mut options = ReadOptions::default();
    let configuration = "INIT Init\nNEXT Next\n".to_string();
    options.configuration = Some(("M.cfg".to_string(), configuration));
    let specification = Tla.read(files, main, &options).expect("a specification");
    let inquiry = specification
        .resolve(&Request::default())
        .expect("questions");
    let body: &dyn Body = &*inquiry.body;
    if looks {
        body.look_at_expressions();
    }
    let mut explorer = body.explicit().expect("a system").explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let take = |out: &Successors| -> Vec<Vec<u8>> {
        (0..out.len())
            .map(|index| out.state(index).to_vec())
            .collect()
    };
    let mut states = take(&out);
    let mut next = 0;
    while next < states.len() {
        explorer.expand(&states[next], &mut out);
        for state in take(&out) {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        next += 1;
    }
    drop(explorer);
    let (mut never_true, mut never_evaluated) = (Vec::new(), Vec::new());
    let expressions = body.expressions();
    let text = |span| body.signature().files.text(span).to_string();
    let times = expressions.evaluated.iter();
    let times = times.map(|one| (text(one.span), one.times, one.met));
    let times: Vec<Counted> = times.collect();
    for condition in expressions.unmet {
        let said = text(condition.span);
        match condition.is_evaluated {
            true => never_true.push(said),
            false => never_evaluated.push(said),
        }
    }
    (times, never_true, never_evaluated, body.printed())
}

const TEXT: &str = "---- MODULE M ----
EXTENDS Naturals, TLC
VARIABLES x, y
Small(n) == n < 3 \\/ n > 40
Up == Small(x) /\\ x' = x + 1 /\\ UNCHANGED y
Never == x > 5 /\\ y = 7 /\\ (x' = 0 \\/ x' = 9) /\\ y' = y + 2
Choose == IF y = 1 THEN x' = 50 /\\ y' = y ELSE x = 2 /\\ y' \\in {0} /\\ x' = x
Init == x = 0 /\\ y = 0
Next == Up \\/ Never \\/ Choose
====
";

#[test]
fn conditions_that_are_never_met_are_told() {
    let (never_true, never_evaluated, _) = explored(TEXT, true);
    assert_eq!(never_true, ["n > 40", "x > 5", "y = 1"]);
    assert_eq!(never_evaluated, ["y = 7", "y + 2"]);
}

#[test]
fn nobody_is_told_who_does_not_look() {
    let (never_true, never_evaluated, _) = explored(TEXT, false);
    assert!(never_true.is_empty() && never_evaluated.is_empty());
}

#[test]
fn what_is_printed_is_told_once_for_each_time() {
    let text = "---- MODULE M ----\nEXTENDS Naturals, TLC\nASSUME PrintT(\"begin\")\nVARIABLES x, y\n\
                Init == x = 0 /\\ y \\in 0..1\nStep == x < 2 /\\ PrintT(<<\"at\", x>>) /\\ x' = x + 1 /\\ UNCHANGED y\n\
                Flip == y' = 1 - y /\\ UNCHANGED x\nNext == Step \\/ Flip\n====\n";
    let (_, _, printed) = explored(text, false);
    let at = |x: u32| {
        printed
            .iter()
            .filter(|line| **line == format!("<<\"at\", {x}>>"))
            .count()
    };
    assert_eq!(printed[0], "\"begin\"");
    assert_eq!((at(0), at(1), printed.len()), (2, 2, 5), "{printed:?}");
}

#[test]
fn expressions_are_counted() {
    let text = "---- MODULE M ----\nEXTENDS Naturals\nVARIABLES x, f\n\
                Init == x = 0 /\\ f = [i \\in 1..2 |-> 0]\n\
                Low(n) == n < 2\n\
                Step == /\\ Low(x)\n        /\\ x' = x + 1\n        /\\ f' = [i \\in 1..2 |-> IF i = x THEN 7 ELSE f[i]]\n\
                Back == /\\ \\E k \\in 1..2 : f[k] = 7\n        /\\ {j \\in {1, 2, 3} : j > x} = {3}\n        /\\ x' = x /\\ f' = f\n\
                Next == Step \\/ Back\n====\n";
    let (times, never_true, never_evaluated, _) = counted(text, true);
    assert!(never_true.is_empty() && never_evaluated.is_empty());
    let of = |words: &str| {
        let one = times.iter().find(|(text, ..)| text == words);
        one.map(|&(_, evaluated, met)| (evaluated, met))
    };
    // The states are x = 0, x = 1, and x = 2 with f[1] = 7, in which Back leaves everything as it is.
    assert_eq!(of("n < 2"), Some((3, 2)));
    assert_eq!(of("x + 1"), Some((2, 2)));
    assert_eq!(of("i = x"), Some((4, 1)));
    assert_eq!(of("f[k] = 7"), Some((6, 1)));
    assert_eq!(of("j > x"), Some((3, 1)));
    assert_eq!(of("{j \\in {1, 2, 3} : j > x} = {3}"), Some((1, 1)));
    let (times, ..) = counted(text, false);
    assert!(times.is_empty());
}
