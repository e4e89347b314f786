//! What is remembered of the next-state action and of expressions changes nothing.
//!
//! Every state of a random specification is expanded by one explorer for all of them, three times in another order each
//! time, and by an explorer of its own, which has nothing to remember. Both must find the same states in the same order, with the
//! same actions, the same marks of fairness and the same errors. The specifications have actions that read few of the
//! variables, leave others unchanged in all ways that there are, and look at them again behind that.

use std::collections::HashSet;

use evenhand_source::Files;
use evenhand_system::{Explicit, ItemSpec, Language, ReadOptions, Request, Successors};
use evenhand_testkit::lassos::{Random, cases};
use evenhand_testkit::tla_specifications::random::specification;
use evenhand_tla::Tla;

const VARIABLES: [&str; 4] = ["a", "b", "c", "d"];

fn pick<'t>(random: &mut Random, texts: &[&'t str]) -> &'t str {
    texts[random.below(texts.len())]
}

/// The value of a variable: a number below 3, or of `d` a function.
fn value(random: &mut Random, variable: &str, names: &[&str]) -> String {
    let own = pick(random, names).to_string();
    let other = pick(random, &["a", "b", "c", "d[1]", "d[2]"]);
    let number = random.below(3);
    if variable == "d" {
        return match random.below(5) {
            0 => format!("[d EXCEPT ![{}] = ({own} + {number}) % 3]", 1 + number % 2),
            1 => format!("[i \\in 1..2 |-> IF i = {own} THEN {other} ELSE d[i]]"),
            2 => format!("<<{own}, {other}>>"),
            3 => format!("[d EXCEPT ![1 + (Up({own}) % 2)] = (@ + 1) % 3]"),
            _ => format!("Swap(<<{other}, {own}>>)"),
        };
    }
    match random.below(7) {
        0 => format!("({own} + {number}) % 3"),
        1 => format!("Up({other})"),
        2 => format!("(CHOOSE n \\in 0..2 : n # {own})"),
        3 => format!("Sum({{i \\in 0..2 : i # {other}}} \\ {{{own}}}) % 3"),
        4 => format!("(LET s == {{{own}, {other}}} IN (Sum(s \\cup {{{number}}}) + {own}) % 3)"),
        5 => format!("[i \\in 0..2 |-> (i + {other}) % 3][{own}]"),
        _ => number.to_string(),
    }
}

fn test(random: &mut Random, names: &[&str]) -> String {
    let own = pick(random, names);
    let other = pick(random, &["a", "b", "c", "d[1]", "d[2]"]);
    let number = random.below(3);
    match random.below(5) {
        0 => format!("{own} # {number}"),
        1 => format!("{other} <= {own}"),
        2 => format!("(\\E n \\in 0..2 : n > {own} /\\ n # {other})"),
        3 => format!("Up({other}) \\in {{i \\in 0..2 : i # {own}}}"),
        _ => format!("({own} = {number} => {other} # {own})"),
    }
}

/// A conjunction that gives each variable a value, some of them twice, and seldom forgets one.
fn action(random: &mut Random, names: &[&str]) -> String {
    let mut parts = Vec::new();
    let mut left: Vec<&str> = VARIABLES.to_vec();
    for _ in 0..random.below(3) {
        parts.push(test(random, names));
    }
    while !left.is_empty() {
        let variable = left.swap_remove(random.below(left.len()));
        if random.below(60) == 0 {
            continue;
        }
        let new = value(random, variable, names);
        parts.push(match random.below(8) {
            0 | 1 => format!("{variable}' = {new}"),
            2 => {
                let second = value(random, variable, names);
                format!("{variable}' \\in {{{new}, {second}}}")
            }
            3 => format!("{variable}' = {variable}"),
            4 => format!("({variable}' = {new} \\/ UNCHANGED {variable})"),
            _ => format!("UNCHANGED {variable}"),
        });
    }
    // What has a value is looked at again.
    for _ in 0..random.below(3) {
        let variable = pick(random, &VARIABLES);
        let new = value(random, variable, names);
        let part = match random.below(6) {
            0 => format!("UNCHANGED {variable}"),
            1 => format!("{variable}' = {new}"),
            2 => format!("{variable}' \\in {{{new}, {variable}}}"),
            3 => "a' <= b' + 1".to_string(),
            4 => format!("({variable}' = {new} \\/ a' = 1)"),
            _ => format!("a' # {}", pick(random, names)),
        };
        let at = parts.len() - random.below(2).min(parts.len());
        parts.insert(at, part);
    }
    parts.join(" /\\ ")
}

/// A random specification and its configuration.
pub fn random_specification(seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let random = &mut random;
    let one = action(random, &["a", "1"]);
    let two = action(random, &["p", "b", "p"]);
    let three = format!(
        "LET k == {} IN {} /\\ ({})",
        value(random, "c", &["p", "c"]),
        test(random, &["k", "p"]),
        action(random, &["k", "p", "a"])
    );
    let four = format!(
        "IF {} THEN One ELSE {}",
        test(random, &["b"]),
        action(random, &["c", "2"])
    );
    let next = match random.below(3) {
        0 => "One \\/ (\\E p \\in 0..2 : Two(p) \\/ Three(p)) \\/ Four",
        1 => "(\\E p \\in {a, 1} : Two(p)) \\/ Four \\/ \\E p, q \\in 0..1 : p <= q /\\ Three(q)",
        _ => "\\E p \\in 0..1 : One \\/ Two(p) \\/ (b > 0 /\\ Three(p)) \\/ Four",
    };
    let safe = test(random, &["a'", "b"]);
    let text = format!(
        "---- MODULE M ----\nEXTENDS Naturals, FiniteSets\nVARIABLES a, b, c, d\nvars == <<a, b, c, d>>\n\
         Up(n) == (n + b + 1) % 3\nSwap(s) == <<s[2], s[1]>>\n\
         RECURSIVE Sum(_)\nSum(S) == IF S = {{}} THEN 0 ELSE LET e == CHOOSE e \\in S : TRUE IN e + Sum(S \\ {{e}})\n\
         Init == a \\in 0..1 /\\ b = 0 /\\ c \\in {{0, 2}} /\\ d = <<0, 1>>\n\
         One == {one}\nTwo(p) == {two}\nThree(p) == {three}\nFour == {four}\nNext == {next}\n\
         Spec == Init /\\ [][Next]_vars /\\ WF_vars(One) /\\ (\\A p \\in 0..1 : SF_vars(Two(p))) /\\ WF_<<a, c>>(Four)\n\
         Safe == [][{safe}]_a\nInside == {inside}\n====\n",
        inside = test(random, &["a", "2"]),
    );
    let asked = match random.below(3) {
        0 => "PROPERTY Safe\n",
        1 => "CONSTRAINT Inside\n",
        _ => "",
    };
    (text, format!("SPECIFICATION Spec\n{asked}"))
}

/// What an explorer says about a state.
fn told(out: &Successors) -> String {
    use std::fmt::Write;
    let mut told = format!("enabled {:?}", out.enabled());
    for index in 0..out.len() {
        let (state, taken) = (out.state(index), out.taken(index));
        let _ = write!(told, "\n{state:?} {:?} {taken:?}", out.step(index));
    }
    let _ = write!(told, "\n{:?}", out.faults());
    told
}

/// The states of a system, up to some number, in the order in which they are met.
fn states(system: &dyn Explicit) -> Vec<Vec<u8>> {
    let mut out = Successors::new();
    let mut explorer = system.explorer(&[]);
    explorer.initial(&mut out);
    let mut list: Vec<Vec<u8>> = Vec::new();
    let mut seen = HashSet::new();
    let mut take = |out: &Successors, list: &mut Vec<Vec<u8>>| {
        for state in (0..out.len()).map(|index| out.state(index)) {
            if seen.len() < 400 && seen.insert(state.to_vec()) {
                list.push(state.to_vec());
            }
        }
    };
    take(&out, &mut list);
    let mut next = 0;
    while next < list.len() {
        let state = list[next].clone();
        system.explorer(&[]).expand(&state, &mut out);
        take(&out, &mut list);
        next += 1;
    }
    list
}

/// Compares; how many states there are, or why the specification is not read.
fn compare(
    text: String,
    configuration: String,
    items: u32,
    random: &mut Random,
) -> Result<usize, String> {
    let mut files = Files::new();
    let main = files.add("M.tla".to_string(), text.clone());
    let mut options = ReadOptions::default();
    options.configuration = Some(("M.cfg".to_string(), configuration.clone()));
    let specification = Tla.read(files, main, &options);
    let specification = specification.map_err(|wrong| wrong.to_string())?;
    let inquiry = specification.resolve(&Request::default());
    let inquiry = inquiry.map_err(|wrong| wrong.to_string())?;
    let system = inquiry.body.explicit();
    let system = system.map_err(|wrong| wrong.to_string())?;
    if !system.is_pure() {
        return Err("it is more than its states".to_string());
    }
    let mut list = states(system);
    let items: Vec<ItemSpec> = (0..items).map(ItemSpec::Own).collect();
    let (mut ours, mut anew) = (Successors::new(), Successors::new());
    for items in [&items[..], &[]] {
        let mut explorer = system.explorer(items);
        for _ in 0..3 {
            for state in &list {
                explorer.expand(state, &mut ours);
                system.explorer(items).expand(state, &mut anew);
                assert_eq!(
                    told(&ours),
                    told(&anew),
                    "{text}{configuration}at {state:?}"
                );
            }
            for last in (1..list.len()).rev() {
                list.swap(last, random.below(last + 1));
            }
        }
    }
    Ok(list.len())
}

#[test]
fn what_is_remembered_is_what_would_be_found() {
    let mut states = 0;
    let count = cases(150);
    for seed in 0..count as u64 {
        let (text, configuration) = random_specification(seed);
        let mut random = Random::new(seed);
        let found = compare(text.clone(), configuration, 5, &mut random);
        states += found.unwrap_or_else(|why| panic!("seed {seed}: {why}: {text}"));
    }
    assert!(states > count * 10, "{states} states show little");
}

#[test]
fn what_is_remembered_of_any_specification_is_what_would_be_found() {
    let mut states = 0;
    let count = cases(100);
    for seed in 0..count as u64 {
        let made = specification(seed);
        let mut random = Random::new(seed);
        states += compare(made.modules, made.configuration, 2, &mut random).unwrap_or(0);
    }
    assert!(states > count * 10, "{states} states show little");
}
