//! Wrong, mutated and extreme texts: an error or a model, never a panic, and never endless.

use evenhand_testkit::promela_programs::random::Random;
use evenhand_testkit::smv_models::model;

use crate::common::{cases, corpus, explored, load};

const SEEDS: &[&str] = &[
    "MODULE p(s, n) VAR st : {idle, busy}; x : 0..n; w : word[4]; ASSIGN init(st) := idle; \
     next(st) := case st = idle & !s : {idle, busy}; TRUE : idle; esac; \
     next(s) := case st = busy : TRUE; TRUE : s; esac; DEFINE d := toint(w) + x; \
     JUSTICE st != busy; COMPASSION (st = busy, s); \
     MODULE main VAR s : boolean; a : process p(s, 3); b : process p(s, 2); IVAR i : -1..1; \
     FROZENVAR f : array 0..2 of {1, 3}; INIT !s; INVAR f[0] = 1; TRANS i > 0 -> next(s) = s; \
     LTLSPEC NAME n1 := G (a.st = busy -> F [0,3] a.st = idle) SPEC AG EF s IN a; \
     CTLSPEC E [s U A [s BU 0..3 !s]] COMPUTE MIN [s, !s] PSLSPEC always (s until! a.s); \
     INVARSPEC a.d <= 20 & (s ? 0ub2_11 : 0ub2_01)[1:0] != 0ud2_1 ",
    "MODULE main VAR x : signed word[3]; DEFINE y := [x, -x, x >> 1]; z := resize(x :: x, 4); \
     ASSIGN next(x) := y[1]; LTLSPEC O x = y[0] S H TRUE T Z FALSE V Y x < 0sd3_1",
];

const WORDS: &[&str] = &[
    "MODULE",
    "VAR",
    "ASSIGN",
    "DEFINE",
    "next",
    "init",
    "case",
    "esac",
    ":",
    ";",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "..",
    ":=",
    "->",
    "<->",
    "!",
    "-",
    "+",
    "*",
    "/",
    "mod",
    "x",
    "self",
    ".",
    "0",
    "1",
    "2147483648",
    "0ud8_255",
    "0sb_1",
    "0d_3",
    "word",
    "signed",
    "array",
    "of",
    "process",
    "LTLSPEC",
    "CTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "MIN",
    "A",
    "E",
    "U",
    "G",
    "F",
    "AG",
    "BU",
    "EBF",
    "in",
    "union",
    "count",
    "bool",
    "IN",
    "NAME",
    "ISA",
    "main",
    "TRUE",
    "?",
    ",",
    "<<",
    ">>",
    "::",
    "running",
    "~",
    "eventually",
    "until",
    "--",
    "/--",
    "\"",
    "#",
    "\u{e9}",
    "@",
    "f'1/2",
    "1.5",
    "1e3",
    "\n#",
];

/// Replaces, deletes, doubles or moves pieces of a text.
fn mutate(random: &mut Random, text: &str) -> String {
    let mut pieces: Vec<String> = text
        .split_inclusive(|c: char| !c.is_alphanumeric())
        .map(str::to_string)
        .collect();
    for _ in 0..random.between(1, 4) {
        if pieces.is_empty() {
            break;
        }
        let at = random.below(pieces.len());
        match random.below(5) {
            0 => {
                pieces.remove(at);
            }
            1 => pieces.insert(at, format!(" {} ", random.pick(WORDS))),
            2 => pieces[at] = format!("{} ", random.pick(WORDS)),
            3 => {
                let other = random.below(pieces.len());
                pieces.swap(at, other);
            }
            _ => {
                let piece = pieces[at].clone();
                pieces.insert(random.below(pieces.len()), piece);
            }
        }
    }
    pieces.concat()
}

#[test]
fn mutated_models_are_read_or_refused() {
    for text in SEEDS {
        load(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    }
    let mut random = Random::new(5);
    let (mut accepted, mut refused) = (0, 0);
    for case in 0..cases(1500) {
        let text = match case % 3 {
            0 => SEEDS[0].to_string(),
            1 => SEEDS[1].to_string(),
            _ => model(case),
        };
        match load(&mutate(&mut random, &text)) {
            Ok(model) => {
                accepted += 1;
                assert!(model.relation.check().is_ok());
                let _ = explored(model.relation, 100);
            }
            Err(errors) => {
                refused += 1;
                assert!(!errors.is_empty());
            }
        }
    }
    assert!(accepted > 20 && refused > 500, "{accepted} {refused}");
}

#[test]
fn soups_of_words_are_refused() {
    let mut random = Random::new(6);
    for _ in 0..cases(1500) {
        let mut text = String::from("MODULE main ");
        for _ in 0..random.between(1, 25) {
            text.push_str(random.pick::<&str>(WORDS));
            text.push_str(random.pick::<&str>(&["", " ", "\n"]));
        }
        let _ = load(&text);
    }
}

#[test]
fn the_models_of_the_corpus_survive_mutation() {
    let Some(root) = corpus("smv") else {
        println!("skipped: no corpus of SMV models beside the repository");
        return;
    };
    let mut random = Random::new(7);
    let mut files = vec![root];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            let mut inner: Vec<_> = std::fs::read_dir(path)
                .expect("a folder")
                .map(|entry| entry.expect("an entry").path())
                .collect();
            inner.sort();
            files.extend(inner);
        } else if path.extension().is_some_and(|e| e == "smv") {
            let bytes = std::fs::read(&path).expect("a model");
            if bytes.len() > 12_000 {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes);
            for _ in 0..3 {
                let _ = load(&mutate(&mut random, &text));
            }
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [
        ("(", ")"),
        ("!(", ")"),
        ("-(", ")"),
        ("next(", ")"),
        ("case TRUE : ", "; esac"),
        ("a[", "]"),
        ("!", ""),
        ("-", ""),
        ("G ", ""),
        ("EX ", ""),
        ("A [TRUE U ", "]"),
        ("x -> ", ""),
        ("x ? x : ", ""),
        ("{", "}"),
    ] {
        let count = 100_000;
        let nested = format!("{}x{}", open.repeat(count), close.repeat(count));
        for section in ["INIT", "LTLSPEC", "CTLSPEC", "PSLSPEC", "DEFINE d :="] {
            let text = format!("MODULE main VAR x : boolean; {section} {nested};");
            let errors = load(&text).map(|_| ()).expect_err(open);
            assert!(!errors.is_empty());
        }
    }
    for (first, more) in [
        ("a", ".a"),
        ("a", "[0]"),
        ("1", "..1"),
        ("x", " -> x"),
        ("x", " until x"),
    ] {
        let long = format!("{first}{}", more.repeat(100_000));
        for section in ["INIT", "LTLSPEC", "PSLSPEC", "ASSIGN next(x) :=", "ASSIGN"] {
            let text = format!("MODULE main VAR x : boolean; {section} {long} := x;");
            assert!(load(&text).is_err());
        }
    }
    let arrays = "array 0..1 of ".repeat(10_000);
    assert!(load(&format!("MODULE main VAR x : {arrays} boolean;")).is_err());
}

#[test]
fn long_chains_are_no_danger() {
    let count = 20_000;
    for chain in ["x & ", "x | ", "x <-> ", "x = ", "x U "] {
        let long = format!("{}x", chain.repeat(count));
        let text = format!("MODULE main VAR x : boolean; LTLSPEC {long}");
        assert!(load(&text).is_ok(), "{chain}");
    }
    let sum = format!("{}1", "1 + ".repeat(count));
    let text = format!("MODULE main VAR x : boolean; INVARSPEC {sum} > 0");
    assert!(load(&text).is_ok());
    // Definitions that build on each other, and instances that pass arguments on.
    let mut text = String::from("MODULE main VAR x : boolean; DEFINE d0 := x;");
    for n in 1..count {
        text.push_str(&format!(" d{n} := !d{};", n - 1));
    }
    text.push_str(&format!(" INVARSPEC d{}", count - 1));
    assert!(load(&text).is_ok());
    let mut text = String::new();
    for n in 0..90 {
        let below = match n {
            0 => "VAR x : boolean; LTLSPEC G (p -> F q) JUSTICE p & q".to_string(),
            _ => format!("VAR m : m{}(p & (p | TRUE));", n - 1),
        };
        text.push_str(&format!("MODULE m{n}(p) {below} DEFINE q := p & p; "));
    }
    text.push_str("MODULE main VAR y : boolean; m : m89(y);");
    assert!(load(&text).is_ok());
    let text = text.replace("m89(y)", "m89(!m.q)");
    assert!(load(&text).is_err(), "defined by itself");
}

#[test]
fn extreme_numbers_are_no_danger() {
    for text in [
        "VAR x : 0..2147483647; ASSIGN next(x) := x;",
        "VAR x : -2147483647..2147483647; INIT x * x * x * x * x * x > 0",
        "VAR x : word[64]; INIT x * x * x / x = x",
        "VAR x : array 0..2147483647 of boolean;",
        "VAR x : array -2147483647..2147483647 of boolean;",
        "VAR x : boolean; \
         DEFINE d := 2147483647 * 2147483647 * 2147483647 * 2147483647 * 2147483647; INIT d > 0",
        "VAR x : boolean; DEFINE d := (-2147483647 - 1) / -1; INIT d mod -1 = 0",
        "VAR x : word[64]; INIT x << 64 = 0ud64_0 & -x = x",
        "VAR x : signed word[64]; INIT x / -0sd64_1 = x & x mod -0sd64_1 = x",
        "VAR x : boolean; INIT 5 in 0..2147483647",
        "VAR x : boolean; INIT (0..2147483647) in (0..2147483647)",
        "VAR x : 0..5; ASSIGN next(x) := 0..2147483647;",
        "VAR x : boolean; LTLSPEC F [0,10000] x",
        "VAR x : boolean; LTLSPEC F [0,4294967295] x",
        "VAR x : boolean; CTLSPEC EBF 0..2147483647 x",
        "VAR x : word[64]; LTLSPEC next(x) = x",
        "VAR x : 0..2147483647; ASSIGN next(x) := case x < 2147483647 : x + 1; TRUE : 0; esac;",
    ] {
        let _ = load(&format!("MODULE main {text}"));
    }
}

#[test]
fn too_many_successors_are_a_limit() {
    let limit = "a state has too many successors to list them all";
    for text in [
        // Too many initial states, too many successors.
        "VAR a : array 0..29 of boolean;",
        "VAR v : word[16]; w : word[16]; ASSIGN init(v) := 0ud16_0; init(w) := 0ud16_0;",
    ] {
        let model = load(&format!("MODULE main {text}")).expect("a model");
        assert_eq!(
            explored(model.relation, 1000),
            Err(limit.to_string()),
            "{text}"
        );
    }
    // There are too many values to try, and none that fits: 9999 * 9999 is less. Intervals tell.
    let text = "MODULE main VAR a : 0..9999; b : 0..9999; INIT a * b = 99999999";
    let model = load(text).expect("a model");
    assert_eq!(explored(model.relation, 1000), Ok((0, 0)));
}
