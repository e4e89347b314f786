//! Texts that nobody should have to read: no panic, no overflow, an end.

use std::time::{Duration, Instant};

use evenhand_source::Files;
use evenhand_testkit::lassos::{Random, cases};
use evenhand_tla::names::Names;
use evenhand_tla::syntax::check::check;
use evenhand_tla::syntax::load::{LoadOptions, Sources, load};
use evenhand_tla::syntax::{config, parser};

use crate::corpus::{BuiltIn, corpus, files};
use crate::show::{told, tree, units};
use crate::tlc::{Bounds, explore_text};

fn soon<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = work();
    assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
    result
}

#[test]
fn deep_nesting_ends_in_an_error() {
    let many = 20_000;
    let around = [
        ("(", "a", ")"),
        ("{", "a", "}"),
        ("[", "a", " -> b]"),
        ("f[", "a", "]"),
        ("<<", "a", ">>"),
        ("F(", "a", ")"),
        ("F(LAMBDA x : ", "a", ")"),
        ("I(", "a", ")!b"),
        ("IF a THEN ", "a", " ELSE b"),
        ("IF a THEN b ELSE ", "a", ""),
        ("CASE a -> ", "a", ""),
        ("LET a == ", "a", " IN b"),
        ("LET a == b IN ", "a", ""),
        ("\\E x : ", "a", ""),
        ("CHOOSE x \\in ", "a", " : b"),
        ("[f EXCEPT ![", "a", "] = b]"),
        ("[A]_[A", "", "]_x"),
        ("[A]_", "x", ""),
        ("WF_x(", "a", ")"),
        ("l :: ", "a", ""),
        ("~ ", "a", ""),
        ("- ", "a", ""),
        ("/\\ ", "a", ""),
        ("/\\ \\/ ", "a", ""),
        ("a + ", "a", ""),
        ("a /\\ \\E x : ", "a", ""),
        ("", "a", " + a"),
        ("", "a", "'"),
        ("", "a", "[b]"),
        ("", "a", ".b"),
        ("", "a", " => a"),
    ];
    for (before, middle, behind) in around {
        let text = format!("{}{middle}{}", before.repeat(many), behind.repeat(many));
        let found = soon(before, || tree(&text));
        let deep = found.contains("nests deeper than") || found.contains("no order of precedence");
        assert!(
            deep || found.contains("expected"),
            "{before} {behind}: {}",
            &found[..found.len().min(200)]
        );
    }
    // Long is not deep.
    for sign in ["/\\", "\\/", "\\X"] {
        let text = vec!["a"; many].join(&format!(" {sign} "));
        assert!(!tree(&text).contains("nests"), "{sign}");
    }
    let list = "/\\ a\n".repeat(many);
    assert!(!tree(&list).contains("nests"));
}

#[test]
fn deep_modules_comments_proofs_and_values_end() {
    let many = 20_000;
    let nested = format!(
        "{}{}",
        "---- MODULE M ----\n".repeat(many),
        "====\n".repeat(many)
    );
    assert!(soon("modules", || units(&nested)).contains("nests deeper than"));
    let comment = format!(
        "---- MODULE M ----\n{}{}\na == 1\n====",
        "(* ".repeat(many),
        "*) ".repeat(many)
    );
    assert_eq!(
        soon("comments", || units(&comment)),
        "MODULE M\na == 1\nEND"
    );
    let steps: String = (1..many).map(|level| format!("<{level}>1. x\n")).collect();
    let proof = format!("---- MODULE M ----\nTHEOREM x\n{steps}====");
    assert!(soon("proof", || units(&proof)).contains("nests deeper than"));
    let assumptions = format!(
        "---- MODULE M ----\nTHEOREM {}x\n====",
        "ASSUME ".repeat(many)
    );
    assert!(soon("assumptions", || units(&assumptions)).contains("nests deeper than"));
    let starts = format!("---- MODULE M ----\n{}====", "a(\n".repeat(many));
    soon("unclosed", || units(&starts));
    let mut files = Files::new();
    let file = files.add("c", format!("CONSTANT S = {}", "{".repeat(many)));
    assert!(config::configuration(&files, file, &mut Names::new()).is_err());
}

#[test]
fn many_modules_and_instances_end() {
    // Each module has two instances of the one before: all together there are very many.
    let mut text = "---- MODULE M ----\nI == INSTANCE M60\na == I!".to_string();
    text += &"I!".repeat(60);
    text += "a\n====\n---- MODULE M0 ----\nCONSTANT C\na == C\n====\n";
    for number in 1..=60 {
        let before = number - 1;
        text += &format!(
            "---- MODULE M{number} ----\nCONSTANT C\nI == INSTANCE M{before} WITH C <- C\nJ == INSTANCE M{before}\n====\n"
        );
    }
    let text = text.replace("INSTANCE M60\n", "INSTANCE M60 WITH C <- 1\n");
    let (sources, problems) = soon("instances", || {
        let sources = load_text(&text).unwrap_or_else(|problems| panic!("{problems}"));
        let problems = check(&sources, &BuiltIn);
        (sources, problems)
    });
    assert_eq!(told(&sources.files, &problems), "");
    let mut text = "---- MODULE M ----\nEXTENDS M0\n====\n".to_string();
    for number in 0..5_000 {
        text += &format!(
            "---- MODULE M{number} ----\nEXTENDS M{}\n====\n",
            number + 1
        );
    }
    let problems = soon("modules", || load_text(&text).err().unwrap_or_default());
    assert!(problems.contains("more than 500 modules"), "{problems}");
}

/// What is told of a module that is explored with `Init` and `Next`.
fn explored(units: &str) -> String {
    let bounds = Bounds {
        states: 1000,
        seconds: 60,
        deadlock: false,
        merged: false,
    };
    let text =
        format!("---- MODULE M ----\nEXTENDS Naturals, FiniteSets\nVARIABLE x\n{units}\n====\n");
    explored_as(text, "INIT Init\nNEXT Next\n", bounds)
}

/// The same for a whole text and a configuration.
fn explored_as(text: String, configuration: &str, bounds: Bounds) -> String {
    let configuration = ("M.cfg".to_string(), configuration.to_string());
    let got = explore_text(("M.tla".to_string(), text), Some(configuration), bounds);
    format!("{} {}", got.result, got.message)
}

/// A limit, never an overflow or the memory of the machine, and the expression that is to be blamed.
#[test]
fn what_is_too_large_or_too_deep_names_the_expression() {
    let zero = "Init == x = 0\n";
    let rows = [
        (
            "Next == x' = Cardinality({n \\in 1..2000000000 : n > 5})",
            "error a value has more than 16777216 parts, too many to be listed: `{n \\in 1..2000000000 : n > 5}`, M.tla:5",
        ),
        (
            "Next == x' = Cardinality({n % 7 : n \\in 1..2000000000})",
            "error a value has more than 16777216 parts, too many to be listed: `{n % 7 : n \\in 1..2000000000}`, M.tla:5",
        ),
        (
            "Next == x' = {SUBSET (1..40)}",
            "error SUBSET (1..40) has 1099511627776 elements, too many to be listed: `{SUBSET (1..40)}`, M.tla:5",
        ),
        (
            "Next == \\E a, b \\in 1..5000 : x' = a + b",
            "error there are more than 16777216 values together: `1..5000`, M.tla:5",
        ),
        (
            "Next == x' \\in [1..40 -> BOOLEAN]",
            "error a set with more elements than there can be states leads to states: `[1..40 -> BOOLEAN]`, M.tla:5",
        ),
        (
            "Next == \\E s \\in SUBSET (1..40) : x' = Cardinality(s)",
            "error a set with more elements than there can be states leads to states: `SUBSET (1..40)`, M.tla:5",
        ),
    ];
    for (units, expected) in rows {
        assert_eq!(
            soon(units, || explored(&format!("{zero}{units}"))),
            expected
        );
    }
    // Which of the expressions on the way is the last one depends on how much memory each takes.
    for (units, line) in [
        ("RECURSIVE F(_)\nF(n) == 1 + F(n + 1)\nNext == x' = F(x)", 6),
        ("f[n \\in Nat] == f[n + 1]\nNext == x' = f[x]", 5),
    ] {
        let told = soon(units, || explored(&format!("{zero}{units}")));
        let is_named = told.starts_with("error the recursion is too deep: `")
            && told.ends_with(&format!("`, M.tla:{line}"));
        assert!(is_named, "{told}");
    }
    let begins = "Init == x \\in [1..40 -> BOOLEAN]\nNext == x' = x";
    let told = soon(begins, || explored(begins));
    assert!(told.ends_with("`[1..40 -> BOOLEAN]`, M.tla:4"), "{told}");
}

#[test]
fn long_values_meet_a_limit() {
    let zero = "S == INSTANCE SequencesExt\nINSTANCE Sequences\nINSTANCE TLC\nINSTANCE Json\nInit == x = 0\n\
        Many == [n \\in 1..9000000 |-> 0]\nRECURSIVE F(_)\n";
    let twice = |base: &str, more: &str| {
        format!("F(n) == IF n = 0 THEN {base} ELSE LET s == F(n - 1) IN {more}\n")
    };
    let rows = [
        (
            String::from("F(n) == Many"),
            "Len(F(1) \\o F(1))",
            "parts",
            "F(1) \\o F(1)",
        ),
        (
            String::from("F(n) == SubSeq(Many, 1, 100000)"),
            "S!FlattenSeq([n \\in 1..200 |-> F(1)])",
            "parts",
            "S!FlattenSeq(",
        ),
        (twice("\"ab\"", "s \\o s"), "Len(F(40))", "bytes", "s \\o s"),
        (
            twice("\"aa\"", "S!ReplaceAllSubSeqs(s, \"a\", s)"),
            "Len(F(9))",
            "bytes",
            "S!ReplaceAllSubSeqs(",
        ),
        (
            twice("<<1>>", "<<s, s>>"),
            "Len(ToString(F(40)))",
            "bytes",
            "ToString(",
        ),
        (
            twice("<<1>>", "<<s, s>>"),
            "Len(ToJson(F(40)))",
            "bytes",
            "ToJson(",
        ),
        (
            twice("<<1>>", "s \\o s"),
            "S!SubSeqs(F(11))",
            "parts",
            "S!SubSeqs(",
        ),
    ];
    for (definition, asked, what, blamed) in rows {
        let units = format!("{zero}{definition}\nNext == x' = {asked}");
        let told = soon(asked, || explored(&units));
        let is_named = told.contains(what) && told.contains(&format!("`{blamed}"));
        assert!(told.starts_with("error ") && is_named, "{asked}: {told}");
    }
}

#[test]
fn values_that_share_their_parts() {
    let units = "---- MODULE M ----\nEXTENDS Naturals, Sequences, TLC, FiniteSets\nCONSTANT P\nVARIABLES x, y\nRECURSIVE F(_), G(_, _), H(_)\n\
        F(n) == IF n = 0 THEN <<1..2>> ELSE LET s == F(n - 1) IN <<s, s>>\n\
        G(n, b) == IF n = 0 THEN b ELSE LET s == G(n - 1, b) IN [a |-> s, b |-> s]\n\
        H(n) == IF n = 0 THEN P ELSE LET s == H(n - 1) IN {<<s, 1>>, <<s, 2>>}\n\
        Init == x = F(60) /\\ y = G(60, P)\n\
        Next == (x' = F(60) /\\ y' \\in {G(60, P), G(60, {})}) \\/ (x' = H(60) /\\ y' = H(60))\n\
        Inv == F(60) = F(60) /\\ H(60) = H(60) /\\ G(60, P) # G(60, {})\n\
        /\\ {F(60)} \\cup {F(60)} = {F(60)} /\\ Cardinality({G(60, P), G(60, {}), G(60, P)}) = 2\nSame == Permutations(P)\n====\n";
    let configuration = "CONSTANT P = {a, b}\nSYMMETRY Same\nINVARIANT Inv\nINIT Init\nNEXT Next\n";
    let bounds = Bounds {
        states: 1000,
        seconds: 60,
        deadlock: false,
        merged: true,
    };
    let told = soon("shared parts", || {
        explored_as(units.to_string(), configuration, bounds)
    });
    assert_eq!(told, "success ");
}

fn load_text(text: &str) -> Result<Sources, String> {
    let mut files = Files::new();
    let file = files.add("M.tla", text);
    let options = LoadOptions {
        configuration: None,
        include_dirs: Vec::new(),
        folder: None,
        confined: true,
        most_bytes: None,
        standard: &|_| false,
    };
    load(files, file, &options).map_err(|(files, problems)| told(&files, &problems))
}

/// Reads a text by all means.
fn read(text: &str) {
    let mut files = Files::new();
    let file = files.add("M.tla", text);
    let _ = config::configuration(&files, file, &mut Names::new());
    let _ = parser::expression(&files, file, &mut Names::new());
    let options = LoadOptions {
        configuration: None,
        include_dirs: Vec::new(),
        folder: None,
        confined: true,
        most_bytes: None,
        standard: &|_| true,
    };
    if let Ok(sources) = load(files, file, &options) {
        check(&sources, &BuiltIn);
    }
}

#[test]
fn changed_texts_never_end_in_a_panic() {
    let Some(folder) = corpus() else { return };
    let mut texts = Vec::new();
    for extension in ["tla", "cfg"] {
        for path in files(&folder, extension) {
            let bytes = std::fs::read(path).expect("a file");
            if bytes.len() < 6000 {
                texts.push(bytes);
            }
        }
    }
    assert!(texts.len() > 300, "{}", texts.len());
    let count = cases(3000);
    let mut random = Random::new(20);
    for _ in 0..count {
        let mut bytes = texts[random.below(texts.len())].clone();
        for _ in 0..1 + random.below(4) {
            change(&mut bytes, &mut random, &texts);
        }
        read(&String::from_utf8_lossy(&bytes));
    }
}

/// Pieces that mean something.
const PIECES: [&str; 24] = [
    "==",
    "====",
    "---- MODULE M ----",
    "/\\",
    "\\/",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>_",
    "]_",
    "!",
    "@",
    "'",
    "LET ",
    " IN ",
    "<1>1. ",
    "QED",
    "(*",
    "*)",
    "∧",
];

fn change(bytes: &mut Vec<u8>, random: &mut Random, texts: &[Vec<u8>]) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(40)).min(bytes.len());
    match random.below(5) {
        0 => {
            bytes.drain(at..end);
        }
        1 => {
            bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes());
        }
        2 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = u8::try_from(random.below(256)).unwrap_or(0);
            }
        }
        _ => {
            let other = &texts[random.below(texts.len())];
            let from = random.below(other.len() + 1);
            let until = (from + random.below(200)).min(other.len());
            bytes.splice(at..end, other[from..until].iter().copied());
        }
    }
}
