//! Nesting far beyond what anybody writes gives an error, never a stack overflow.

use evenhand_promela::load;
use evenhand_source::Files;

use super::{STACK, judge};

/// How deep: enough to overflow any stack if nobody counts.
const LEVELS: usize = 5_000;

/// The messages about a text, read with a small stack.
fn messages(text: &str) -> Vec<String> {
    let text = text.to_string();
    let worker = std::thread::Builder::new().stack_size(STACK);
    let worker = worker.spawn(move || {
        let mut files = Files::new();
        let main = files.add("deep.pml", text);
        match load(files, main, &evenhand_promela::Options::default()) {
            Ok(_) => Vec::new(),
            Err((_, list)) => list.into_iter().map(|d| d.message).collect(),
        }
    });
    worker.expect("a thread").join().expect("no panic")
}

/// A text that must be refused for its depth.
fn check_refused(what: &str, text: &str) {
    let messages = messages(text);
    let named = |m: &String| {
        ["nest", "levels", "deep", "too l", "too many"]
            .iter()
            .any(|word| m.contains(word))
    };
    assert!(messages.iter().any(named), "{what}: {messages:?}");
}

/// `open` many times, the core, `close` as often, inside a process.
fn inside(open: &str, core: &str, close: &str) -> String {
    let (open, close) = (open.repeat(LEVELS), close.repeat(LEVELS));
    format!(
        "byte x; byte a[2]; chan c = [1] of {{ byte }};\n\
         active proctype p() {{\n{open}{core}{close}\n}}\n"
    )
}

#[test]
fn expressions() {
    check_refused("parentheses", &inside("(", "x", ")"));
    check_refused("negations", &inside("! ", "x", ""));
    check_refused("signs", &inside("- ", "x", ""));
    check_refused("indices", &inside("a[", "x", "]"));
    check_refused("conditionals", &inside("(x -> 1 : ", "x", ")"));
    check_refused("conditions", &inside("(", "x", " -> 1 : 2)"));
    check_refused("right operands", &inside("1 + (", "x", ")"));
    check_refused("queries", &inside("enabled(", "x", ")"));
    check_refused("creations", &inside("run p(", "x", ")"));
    check_refused("polls", &inside("c?[eval(", "x", ")]"));
    let (open, close) = ("(".repeat(LEVELS), ")".repeat(LEVELS));
    let text = format!("chan c = [1] of {{ byte }}; init {{ byte x; c?{open}x{close} }}");
    check_refused("messages", &text);
    let formula = format!(
        "byte x; init {{ x = 1 }} ltl f {{ {} x }}",
        "[] ".repeat(LEVELS)
    );
    check_refused("temporal operators", &formula);
    let formula = format!(
        "byte x; init {{ x = 1 }} ltl f {{ {} x{} }}",
        "(x U ".repeat(LEVELS),
        ")".repeat(LEVELS)
    );
    check_refused("until", &formula);
}

#[test]
fn statements() {
    check_refused("blocks", &inside("{ ", "x = 1", " }"));
    check_refused("atomic", &inside("atomic { ", "x = 1", " }"));
    check_refused("d_step", &inside("d_step { ", "x = 1", " }"));
    check_refused("if", &inside("if :: ", "x = 1", " fi"));
    check_refused("do", &inside("do :: ", "break", " od"));
    check_refused("for", &inside("for (x : 1 .. 2) { ", "skip", " }"));
    check_refused("unless", &inside("{ ", "x = 1", " } unless { skip }"));
    check_refused("open only", &inside("{ if :: ", "x = 1", ""));
}

#[test]
fn inlines_and_macros() {
    let mut text = String::from("byte x; inline i0() { x = 1 }\n");
    for level in 1..LEVELS {
        text.push_str(&format!("inline i{level}() {{ i{}() }}\n", level - 1));
    }
    text.push_str(&format!("init {{ i{}() }}\n", LEVELS - 1));
    check_refused("inlines", &text);

    let mut text = String::from("#define m0(a) (a)\n");
    for level in 1..LEVELS {
        text.push_str(&format!("#define m{level}(a) (m{}(a))\n", level - 1));
    }
    text.push_str(&format!("byte x; init {{ x = m{}(1) }}\n", LEVELS - 1));
    assert!(!messages(&text).is_empty());
}

/// Sixty lines that mean 2^60 statements.
#[test]
fn doubling() {
    let mut text = String::from("byte x; inline i0() { x = 1 }\n");
    for level in 1..60 {
        text.push_str(&format!(
            "inline i{level}() {{ i{0}(); i{0}() }}\n",
            level - 1
        ));
    }
    text.push_str("init { i59() }\n");
    check_refused("inlines", &text);

    let mut text = String::from("typedef R0 { byte x };\n");
    for level in 1..60 {
        text.push_str(&format!(
            "typedef R{level} {{ R{0} a; R{0} b }};\n",
            level - 1
        ));
    }
    text.push_str("R59 r; init { r.a.b.a.b = 1 }\n");
    assert!(!messages(&text).is_empty(), "records");

    let mut text = String::from("#define m0 x = 1;\nbyte x;\n");
    for level in 1..60 {
        text.push_str(&format!("#define m{level} m{0} m{0}\n", level - 1));
    }
    text.push_str("init { m59 }\n");
    assert!(!messages(&text).is_empty(), "macros");
}

/// Depth that comes from length: what reads well must not overflow behind the parser either.
#[test]
fn long_chains() {
    let chain = |piece: &str| {
        format!(
            "byte x; init {{ x = x{}; assert(x > 0) }}",
            piece.repeat(20_000)
        )
    };
    for (name, piece) in [
        ("sum", " + 1"),
        ("and", " && x"),
        ("or", " || x"),
        ("less", " < 2"),
    ] {
        judge(name, "chain.pml", &chain(piece), 0);
    }
    let formula = format!(
        "byte x; init {{ x = 1 }} ltl f {{ x{} }}",
        " || <> x".repeat(20_000)
    );
    judge("formula", "chain.pml", &formula, 0);
    let formula = format!(
        "byte x; init {{ x = 1 }} ltl f {{ x{} }}",
        " U x".repeat(20_000)
    );
    judge("until", "chain.pml", &formula, 0);
    let mut text = String::from("typedef R0 { byte x };\n");
    for level in 1..5_000 {
        text.push_str(&format!("typedef R{level} {{ R{0} a }};\n", level - 1));
    }
    text.push_str(&format!(
        "R4999 r; init {{ r{}.x = 1 }}\n",
        ".a".repeat(4999)
    ));
    judge("records", "chain.pml", &text, 0);
    let unless = format!(
        "byte x; init {{ x = 1{} }}",
        " unless { skip }".repeat(20_000)
    );
    judge("unless", "chain.pml", &unless, 0);
    let labels: String = (0..20_000).map(|n| format!("L{n}: ")).collect();
    judge(
        "labels",
        "chain.pml",
        &format!("init {{ {labels} skip }}"),
        0,
    );
}

/// Names that lead to each other in a circle.
#[test]
fn circles() {
    let circles = [
        "int a = b; int b = a; byte x[a]; init { skip }",
        "int a = a; byte x[a]; init { skip }",
        "typedef R { R r }; R r; init { skip }",
        "inline f() { g() } inline g() { f() } init { f() }",
        "#define A B\n#define B A\nbyte x[A]; init { skip }",
        "init { A: goto B; B: goto A }",
        "init { A: goto A }",
        "init { do :: A: do :: goto B od :: B: do :: goto A od od }",
        "init { atomic { A: if :: goto B fi; B: if :: goto A fi } }",
        "init { d_step { A: goto B; B: goto A } }",
        "proctype p(byte a) { skip } init { run p(run p(run p(1))) }",
        "active proctype p() { enabled(0) }",
        "active [2] proctype p() { enabled(1 - _pid) }",
        "byte x; init { A: { goto B } unless { B: goto A } }",
    ];
    for (number, text) in circles.iter().enumerate() {
        judge(&format!("circle{number}"), "circle.pml", text, 0);
    }
}
