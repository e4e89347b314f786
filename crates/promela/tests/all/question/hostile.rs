//! Questions that nobody should ask: an error or an answer, never a crash.

use evenhand_logic::Formulas;
use evenhand_source::Span;
use evenhand_testkit::promela_programs::random::Random;

use super::model;

const MODEL: &str = "#define p (x > 3)\n#define f(a) a U a\n#define loop loop loop\n
    mtype = { red, green }; chan c = [2] of { byte }; byte x, a[3]; bool b;
    proctype R(byte n) { run R(n) }
    active [2] proctype P() { byte n; here: x = 1; do :: x = a[n] :: goto here od }
    never { do :: p -> break :: else od }";

/// Reads a text in every way there is; the question is only whether that ends.
fn ask(text: &str) {
    let mut model = model(MODEL);
    let mut store = Formulas::new();
    let _ = model.parse_ltl(text, &mut store);
    let _ = model.parse_ctl_star(text, &mut store);
    let _ = model.state_expression(text);
    let specs: Vec<(String, Option<Span>)> = ["", "weak:", "strong:P", "just:", "compassion:b=>"]
        .iter()
        .map(|prefix| (format!("{prefix}{text}"), None))
        .collect();
    let _ = model.fairness(&specs, 300);
    let place = Span::new(evenhand_source::FileId(0), 3, 10_000_000);
    let _ = model.fairness(&[(text.to_string(), Some(place))], 0);
}

#[test]
fn odd_texts() {
    for text in [
        "",
        " ",
        "\n",
        "\0",
        "ä",
        "∀x",
        "🦀",
        "(",
        ")",
        "[]",
        "[",
        "]",
        "<",
        ">",
        "<>",
        "@",
        ":",
        "#",
        "#define x y",
        "#include \"/dev/null\"",
        "#if",
        "/*",
        "/* @ fair weak */ b",
        "//",
        "\"",
        "'",
        "\\",
        "P",
        "P@",
        "P@here",
        "P[",
        "P[0",
        "P[0]",
        "P[0]@",
        "P[-1]@here",
        "P[99999999999]@here",
        "P[P[0]:n]:n == 1",
        "x[",
        "a[5] == 1",
        "a[x]",
        "a",
        "c",
        "c?",
        "c?[",
        "c?[1",
        "c??[_]",
        "len(",
        "len(x)",
        "99999999999999999999",
        "-",
        "- - - x",
        "1/0",
        "x / 0 == 1",
        "loop",
        "f(x)",
        "f(f(f(x)))",
        "f(",
        "f()",
        "b U",
        "U b",
        "X",
        "X X X b",
        "b -> ",
        "(b -> x : x)",
        "(b -> <> b : b)",
        "b <-> b <-> b",
        "true",
        "false",
        "np_",
        "timeout",
        "_last",
        "_nr_pr",
        "_pid",
        "_",
        "_priority",
        "get_priority(0)",
        "enabled(0)",
        "pc_value(7)",
        "run R(1)",
        "x = 1",
        "x++",
        "skip",
        "else",
        "if :: b fi",
        "init",
        "never",
        "ltl",
        "atomic { b }",
        "b; b",
        "G",
        "GG",
        "F F",
        "b S",
        "S b",
        "Y",
        "H H b",
        "=>",
        "x=>b",
        "x ==> b",
        "x >=> b",
        "(x => b) => b",
        "weak",
        ":weak",
        "[1]",
        "[]@here",
        "[1]@here@here",
        "[18446744073709551616]",
        "c_expr { 1 }",
        "c_code { }",
        "P:n",
        "P[0]:n[3]",
        "eval(x)",
        "red",
        "red == green",
        "x.f",
        "a[0].f",
        "printf(\"a\")",
        "assert(b)",
    ] {
        ask(text);
    }
}

#[test]
fn large_texts() {
    for text in [
        "(".repeat(100_000),
        "!".repeat(100_000),
        format!("{}b{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}b", "[]".repeat(100_000)),
        format!("{}b", "X ".repeat(20_000)),
        format!("b{}", " U b".repeat(20_000)),
        format!("b{}", " && b".repeat(20_000)),
        format!("x{} == 1", " + x".repeat(20_000)),
        format!("b{}", " -> b".repeat(900)),
        format!("b{}", " U b".repeat(990)),
        format!("P{}", "[P".repeat(20_000)),
        format!("f({}x{})", "f(".repeat(5_000), ")".repeat(5_000)),
        "x".repeat(1_000_000),
        "9".repeat(100_000),
        "G".repeat(100_000) + " b",
        "GFX".repeat(20) + " b",
        "GFXGFXGFXGFX ".repeat(10_000) + "b",
        "=>".repeat(50_000),
    ] {
        ask(&text);
    }
}

/// Pieces of questions in any order.
#[test]
fn random_texts() {
    let pieces = [
        "b", "x", "a[", "]", "(", ")", "P", "[0]", "@here", ":n", " U ", " S ", "X ", "Y ", "[]",
        "<>", "!", "->", "<->", "==", "&&", "||", "=>", "p", "f(", ",", "1", " ", "c?[", "len(c)",
        "weak", "just", "#", "\n", "é", "-", "&", "?",
    ];
    let mut random = Random::new(17);
    let cases: usize = match std::env::var("EVENHAND_CASES") {
        Ok(text) => text.parse().expect("EVENHAND_CASES is a number"),
        Err(_) => 300,
    };
    for _ in 0..cases {
        let length = 1 + random.below(12);
        let text: String = (0..length).map(|_| *random.pick(&pieces)).collect();
        ask(&text);
    }
}
