//! Texts that nobody should have to read: each ends soon, with a sentence that says where and why.

use std::path::Path;
use std::time::{Duration, Instant};

use evenhand_explicit::search::{Options, explore};
use evenhand_source::{Budget, SplitMix64};
use evenhand_system::Request;
use evenhand_testkit::lassos::cases;

use super::load;

/// What is said about a text, which must be said soon.
fn said(text: &str) -> String {
    let begun = Instant::now();
    let said = match load(text, &[]) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    let time = begun.elapsed();
    assert!(time < Duration::from_secs(30), "{} bytes", text.len());
    said
}

#[test]
fn wrong_texts_are_told_with_their_place() {
    let cases = [
        ("place p q;", "net.pn:1:9: there is no type `q`"),
        ("place p unsinged;", "1:9: there is no type `unsinged`"),
        (
            "place p bool: 3;",
            "1:15: a value of type `bool` is expected",
        ),
        (
            "place p bool\nplace q bool;",
            "2:1: expected `;`, found `place`",
        ),
        (
            "place p bool;\nplace p bool;",
            "2:7: there is a place `p` already",
        ),
        ("trans t in { place p: x; };", "1:20: there is no place `p`"),
        (
            "place p unsigned (0..3): 1;\ntrans t in { place p: +x; };",
            "no input arc gives the variable `x` a value",
        ),
        (
            "place p bool: true;\ntrans t in { place p: x; } out { place p: y; };",
            "2:43: there is no variable or constant `y`",
        ),
        (
            "place p bool: true;\ntrans t in { place p: x; } gate place p equals empty;",
            "cannot be asked for in a gate",
        ),
        (
            "place p bool: true;\ntrans t in { place p: place p; };",
            "cannot be asked for in an input arc",
        ),
        (
            "place p (2) bool: true;",
            "1:7: the place begins with 1 tokens, which its capacity does not allow",
        ),
        (
            "typedef int (5..1) t;",
            "no value satisfies this constraint",
        ),
        (
            "typedef bool[int] t;",
            "1:9: a value of this type has more than",
        ),
        ("typedef bool[queue 4294967295] t;", "has more than"),
        (
            "typedef struct { bool a; bool a } t;",
            "1:31: `a` is a component of this type already",
        ),
        (
            "typedef enum { a, a } t;",
            "1:19: `a` is a constant of this type already",
        ),
        ("place p int: int x: x;", "a quantifier goes through"),
        ("unsigned n = 1 / 0;\nplace p (n) bool;", "division by zero"),
        (
            "unsigned n = 4294967295 + 1;\nplace p (n) bool;",
            "overflows",
        ),
        (
            "typedef unsigned (0..2) n;\nn x = 7;\nplace p (x) bool;",
            "outside of its type",
        ),
        (
            "#ifdef X\nplace p bool;",
            "1:1: this condition is not closed by `#endif`",
        ),
        ("#else\n", "1:1: `#else` without a condition"),
        ("#if 1\n", "there is no directive `#if`"),
        (
            "#include \"there/is/none\"\n",
            "1:1: cannot read the included file",
        ),
        ("/* open", "1:1: this comment is not closed"),
        ("place \"p", "1:7: this name is not closed"),
        ("place p char: '", "1:15: one character"),
        (
            "place p unsigned: 99999999999;",
            "is no number of at most 32 bits",
        ),
        ("place p bool: @;", "1:15: `@` has no meaning here"),
        (
            "subnet { subnet { }; };",
            "a subnet inside of a subnet is not supported",
        ),
        (
            "trans t : trans u;",
            "1:17: there is no transition to call `u`",
        ),
        (
            "trans :t : trans t;\ntrans u : trans t;",
            "call each other more than",
        ),
        (
            "typedef unsigned (0..2) n; place p n;\ntrans t in { p: x; }\nstrongly_fair n v (v != x): x == v;",
            "3:17: the condition of a sum over fairness sets may not depend on variables",
        ),
        ("strongly_fair trans t;", "1:21: there is no transition `t`"),
        ("strongly_fair true;", "1:15: expected `trans`"),
        ("deadlock true until false;", "may stand in formulas alone"),
        (
            "bool f(bool x) f(x);\nreject f(true);",
            "1:16: there is no function `f`",
        ),
        ("trans t { unsigned a = a + a; } gate a > 0;", "deep"),
    ];
    for (text, expected) in cases {
        let found = said(text);
        assert!(found.contains(expected), "{text}\n{expected}: {found}");
    }
}

#[test]
fn wrong_formulas_are_told_with_their_place() {
    let model = load("place p bool: true;\ntrans t in { place p: x; };", &[]);
    let model = model.unwrap_or_else(|error| panic!("{error}"));
    let said = |change: &dyn Fn(&mut Request)| {
        let mut request = Request::default();
        change(&mut request);
        match model.resolve(&request) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let linear = |text: &str| said(&|request| request.linear = vec![text.to_string()]);
    let fair = |text: &str| said(&|request| request.fair = vec![text.to_string()]);
    for (text, expected) in [
        (
            "[] place q equals empty",
            "formula:1:10: there is no place `q`",
        ),
        ("[] x", "1:4: there is no variable or constant `x`"),
        ("[] <>", "1:6: expected an expression"),
        ("3", "1:1: a value of type `bool` is expected"),
        ("(<> true) == true", "temporal"),
        ("int v && <> v == 1", "parts"),
    ] {
        let found = linear(text);
        assert!(found.contains(expected), "{text}\n{expected}: {found}");
    }
    assert_eq!(
        linear("[] (place p equals true U place p equals empty)"),
        ""
    );
    for (text, expected) in [
        ("strong:u", "there is no"),
        ("strong:t<7>", "1:10: a value of type `bool` is expected"),
        ("strong:t<true, true>", "`t` has 1 variables"),
        (
            "strong:t: y == true",
            "there is no variable or constant `y`",
        ),
        ("strong:trans u", "1:14: there is no transition `u`"),
    ] {
        let found = fair(text);
        assert!(found.contains(expected), "{text}\n{expected}: {found}");
    }
    for text in [
        "strong:t",
        "weak:t<true>",
        "weak:t<x=false>",
        "strong:t: bool v: x == v",
        "weak",
    ] {
        assert_eq!(fair(text), "", "{text}");
    }
}

#[test]
fn deep_texts_are_errors() {
    let deep = 100_000;
    for text in [
        format!("place p bool: {};", "(".repeat(deep)),
        format!("place p bool: {}true;", "!".repeat(deep)),
        format!("place p unsigned: 1{};", "+1".repeat(deep)),
        format!("place p unsigned: 1{};", "#1".repeat(deep)),
        format!("place p {};", "struct {".repeat(deep)),
        format!("place p bool{};", "[bool".repeat(deep)),
        format!("place p bool{};", "(true)".repeat(deep)),
        format!("place p unsigned: {};", "{".repeat(deep)),
        "subnet {".repeat(deep),
        format!("place p bool: {}true;", "bool x: ".repeat(deep)),
        format!("place p bool: x{};", ".a".repeat(deep)),
    ] {
        let found = said(&text);
        assert!(!found.is_empty(), "{}", &text[..40]);
    }
    // What calls itself again and again, and what is guessed again and again.
    let mut calls = String::from("trans :t0;\n");
    for number in 1..40 {
        let before = number - 1;
        calls += &format!("trans :t{number} : trans t{before} : trans t{before};\n");
    }
    let found = said(&calls);
    assert!(found.contains("too many parts"), "{found}");
    let reads = format!("place p bool: {}q{};", "*".repeat(80), "[1]".repeat(80));
    assert!(!said(&reads).is_empty());
    let nested = format!("place p bool: {}q{};", "*(".repeat(80), ")[1]".repeat(80));
    assert!(!said(&nested).is_empty());
    // A conjunction is flat.
    let long = format!("place p bool: true{};", " && true".repeat(20_000));
    assert_eq!(said(&long), "");
    // Functions of functions.
    let mut text = String::from("unsigned f0(unsigned x) x + x;\n");
    for number in 1..60 {
        let before = number - 1;
        text += &format!("unsigned f{number}(unsigned x) f{before}(x) + f{before}(x);\n");
    }
    text += "place p bool: true;\ntrans t in { place p: x; } gate f59(1) > 2;";
    assert!(said(&text).contains("functions make"), "{}", said(&text));
}

#[test]
fn large_nets_end_at_a_limit() {
    let wide = "typedef unsigned (0..99999) n;\nplace p n: n x: x;\ntrans t in { place p: x; } out { place p: +x; };";
    let model = load(wide, &[]).unwrap_or_else(|error| panic!("{error}"));
    let options = Options {
        limit_states: Some(3),
        limit_time: Some(Duration::from_secs(60)),
        ..Options::default()
    };
    let system = model
        .body()
        .explicit()
        .unwrap_or_else(|_| panic!("explicit"));
    let found = explore(system, &options, &mut |_| true);
    assert!(found.stop.is_some());
    let terms = "typedef unsigned (0..9999) n;\nplace p n;\ntrans t in { place p: n x: x; };";
    assert!(said(terms).contains("terms"));
    let sets = "typedef unsigned (0..99999) n;\nplace p n;\ntrans t in { place p: x; } strongly_fair n v: x == v;";
    assert!(said(sets).contains("fairness sets"));
    let long = "typedef unsigned (0..1000000) n;\nplace p n: n x: n y: x;";
    let budget = Budget::unlimited().effort(100_000);
    assert!(budget.run(|| load(long, &[]).is_ok()).is_err());
}

/// The nets of the corpus and of the models.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [
        root.join("models/petri"),
        root.join("../shared/corpora/petri/maria"),
    ];
    let mut texts = Vec::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            println!("skipped: no nets in {}", folder.display());
            continue;
        };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == "pn"))
        {
            let bytes = std::fs::read(path).expect("a net");
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    texts
}

/// Reads a text, and looks at a few markings.
fn look(text: &str) {
    let budget = Budget::unlimited().within(Some(Duration::from_secs(10)));
    let Ok(Ok(model)) = budget.run(|| load(text, &[])) else {
        return;
    };
    let options = Options {
        limit_states: Some(50),
        limit_time: Some(Duration::from_secs(10)),
        ..Options::default()
    };
    let system = model
        .body()
        .explicit()
        .unwrap_or_else(|_| panic!("explicit"));
    explore(system, &options, &mut |_| true);
}

#[test]
fn changed_nets_do_no_harm() {
    let texts = texts();
    let mut dice = SplitMix64::new(77);
    let pieces = [
        "place",
        "trans",
        "in",
        "{",
        "}",
        "(",
        ")",
        "#",
        "..",
        "4294967295",
        "0",
        "-",
        "+",
        "*",
        "/",
        "%",
        "|",
        "&&",
        ":",
        ";",
        ",",
        "x",
        "!",
        "is",
        "subset",
        "empty",
        "undefined",
        "queue",
        "[",
        "]",
        "\"",
        "'",
        "\n#",
        "union",
        "typedef",
        "<>",
        "place p0",
        "é",
    ];
    for _ in 0..cases(3000) {
        let text = &texts[dice.below(texts.len())];
        let mut changed: Vec<char> = text.chars().collect();
        for _ in 0..1 + dice.below(3) {
            let at = dice.below(changed.len() + 1);
            let end = (at + dice.below(8)).min(changed.len());
            let piece: Vec<char> = pieces[dice.below(pieces.len())].chars().collect();
            match dice.below(4) {
                0 => drop(changed.drain(at..end)),
                1 => drop(changed.splice(at..end, piece)),
                2 => drop(changed.splice(at..at, piece)),
                _ => {
                    let copied: Vec<char> = changed[at..end].to_vec();
                    let to = dice.below(changed.len() + 1);
                    drop(changed.splice(to..to, copied));
                }
            }
        }
        look(&changed.into_iter().collect::<String>());
    }
}

#[test]
fn every_beginning_of_a_text_is_read_or_refused() {
    for text in texts().iter().take(6) {
        let ends = text.char_indices().map(|(at, _)| at);
        ends.step_by(3).for_each(|end| look(&text[..end]));
    }
}
