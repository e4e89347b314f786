//! Long models load in a time that grows with their length, or meet a limit that says so; extreme
//! models are explored within their limits.

use std::time::{Duration, Instant};

use super::judge;

/// Judges a text and bounds its time: generous, since the machine may be busy, but far below what a
/// quadratic step would take.
fn check(name: &str, text: &str, seconds: u64, expected: &[&str]) {
    let started = Instant::now();
    let outcome = judge(name, "long.pml", text, 1);
    let time = started.elapsed();
    println!("{name}: {} bytes, {outcome}, {time:.2?}", text.len());
    assert!(expected.contains(&outcome), "{name}: {outcome}");
    // Ten times that on a machine with much else to do: what this is about takes hours.
    let patience = Duration::from_secs(10 * seconds);
    assert!(time < patience, "{name}: {time:.1?}");
}

/// Whether the full sizes are asked for: they take half a minute.
fn full() -> bool {
    std::env::var_os("EVENHAND_CASES").is_some()
}

/// A size, or a fifth of it.
fn size(full_size: usize) -> usize {
    if full() { full_size } else { full_size / 5 }
}

const REFUSED: &[&str] = &["refused"];
const CLEAN: &[&str] = &["explored: clean"];
const LIMIT: &[&str] = &["explored: limit"];
const FAULT: &[&str] = &["explored: fault"];

#[test]
fn long_processes() {
    let statements = |n: usize| format!("byte x; init {{\n{} }}", "x = x + 1;\n".repeat(n));
    check("statements-50000", &statements(size(50_000)), 20, LIMIT);
    if full() {
        check("statements-100000", &statements(100_000), 20, REFUSED);
    }
    let options = format!(
        "byte x; init {{ do {} od }}",
        ":: x = x + 1\n".repeat(size(50_000))
    );
    check("options-50000", &options, 20, CLEAN);
    let selections = format!(
        "byte x; init {{ {} }}",
        "if :: x < 5 -> x++ :: else fi;\n".repeat(size(20_000))
    );
    check("selections-20000", &selections, 20, LIMIT);
    let inlines = format!(
        "byte x; inline f(v) {{ v++ }} init {{ {} }}",
        "f(x);\n".repeat(size(50_000))
    );
    check("inlines-50000", &inlines, 20, LIMIT);
    let labels: String = (0..size(5_000))
        .map(|n| format!("L{n}: x++; goto L{n};\n"))
        .collect();
    check(
        "labels-5000",
        &format!("byte x; init {{ {labels} }}"),
        20,
        CLEAN,
    );
    let dstep = format!(
        "byte x; init {{ d_step {{ {} }} }}",
        "x++;\n".repeat(size(50_000))
    );
    check("dstep-50000", &dstep, 20, CLEAN);
    let atomic = format!(
        "byte x; init {{ atomic {{ {} }} }}",
        "x++;\n".repeat(size(50_000))
    );
    check("atomic-50000", &atomic, 20, CLEAN);
}

#[test]
fn many_names() {
    let processes: String = (0..10_000)
        .map(|n| format!("proctype p{n}(byte a) {{ byte b; b = a; x = b }}\n"))
        .collect();
    let text = format!("byte x; {processes} init {{ run p0(1); run p9999(2) }}");
    check("proctypes-10000", &text, 20, CLEAN);
    if full() {
        let processes: String = (0..70_000)
            .map(|n| format!("proctype p{n}() {{ skip }}\n"))
            .collect();
        check(
            "proctypes-70000",
            &format!("{processes} init {{ skip }}"),
            25,
            &["refused", "explored: clean"],
        );
    }
    let globals: String = (0..size(20_000))
        .map(|n| format!("byte x{n} = 1; "))
        .collect();
    check(
        "globals-20000",
        &format!("{globals} init {{ x7 = x9 }}"),
        20,
        CLEAN,
    );
    let records: String = (0..10_000)
        .map(|n| format!("typedef R{n} {{ byte a; int b }};\n"))
        .collect();
    check(
        "records-10000",
        &format!("{records} R9999 r; init {{ r.a = 1 }}"),
        20,
        CLEAN,
    );
    let names: String = (0..10_000).map(|n| format!("n{n}, ")).collect();
    check(
        "mtypes-10000",
        &format!("mtype = {{ {names} last }}; init {{ skip }}"),
        20,
        REFUSED,
    );
    let formulas: String = (0..size(5_000))
        .map(|n| format!("ltl f{n} {{ [] (x < {n}) }}\n"))
        .collect();
    check(
        "formulas-5000",
        &format!("byte x; init {{ x++ }} {formulas}"),
        20,
        CLEAN,
    );
    let arguments = vec!["1"; 1_000].join(",");
    let parameters: Vec<String> = (0..1_000).map(|n| format!("byte a{n}")).collect();
    let text = format!(
        "proctype p({}) {{ skip }} init {{ run p({arguments}) }}",
        parameters.join(";")
    );
    check(
        "parameters-1000",
        &text,
        20,
        &["refused", "explored: clean"],
    );
    let fields = vec!["byte"; 300].join(",");
    let text = format!(
        "chan c = [1] of {{ {fields} }}; init {{ c!{} }}",
        vec!["1"; 300].join(",")
    );
    check("fields-300", &text, 20, REFUSED);
    let text = format!(
        "byte x; init {{ x = undeclared; {} }}",
        "y = z;\n".repeat(size(50_000))
    );
    check("errors-100000", &text, 20, REFUSED);
}

#[test]
fn large_states() {
    check(
        "array-1000000",
        "byte a[1000000]; init { do :: a[5]++ :: a[6]++ od }",
        25,
        LIMIT,
    );
    check(
        "array-2000000000",
        "int a[2000000000]; init { a[5] = 1 }",
        20,
        REFUSED,
    );
    let globals: String = (0..8_000).map(|n| format!("int x{n}[250000]; ")).collect();
    check(
        "arrays-8000",
        &format!("{globals} init {{ x7[1] = 1 }}"),
        20,
        &["refused", "explored: limit"],
    );
    let text = "typedef R { int a[200000] }; R r[1]; R s[100000]; init { r[0].a[1] = 1 }";
    check("nested-arrays", text, 20, REFUSED);
    check(
        "channel-255",
        "chan c = [255] of { int, int }; init { do :: c!1,2 od }",
        20,
        &["explored: deadlock"],
    );
    check(
        "channel-256",
        "chan c = [256] of { int }; init { c!1 }",
        20,
        REFUSED,
    );
    check(
        "channels-1000",
        "chan c[1000] = [1] of { int }; init { c[7]!1 }",
        20,
        REFUSED,
    );
    let text = "proctype p() { byte a[1000000]; a[1] = 1; false } init { do :: run p() od }";
    check("large-processes", text, 30, LIMIT);
}

#[test]
fn processes_without_end() {
    check(
        "active-255",
        "byte x; active [255] proctype p() { x++ }",
        20,
        LIMIT,
    );
    check(
        "active-256",
        "byte x; active [256] proctype p() { x++ }",
        20,
        REFUSED,
    );
    check(
        "active-510",
        "byte x; active [255] proctype p() { x++ } active [255] proctype q() { x-- }",
        20,
        FAULT,
    );
    check(
        "run-loop",
        "proctype p() { false } init { do :: run p() od }",
        20,
        FAULT,
    );
    check(
        "run-self",
        "active proctype p() { run p(); run p() }",
        20,
        &["explored: fault", "explored: limit"],
    );
    check(
        "run-die",
        "proctype p() { skip } init { do :: run p() od }",
        20,
        &["explored: fault", "explored: limit"],
    );
    check(
        "run-atomic",
        "proctype p() { false } init { atomic { do :: run p() od } }",
        20,
        FAULT,
    );
    let text = "proctype p() { chan c = [1] of { byte }; c!1; false } init { do :: run p() od }";
    check(
        "run-channels",
        text,
        20,
        &["explored: fault", "explored: limit"],
    );
    let text = "proctype p() { do :: run q() :: break od } \
                proctype q() { do :: run p() :: break od } init { run p(); run q() }";
    check(
        "run-shapes",
        text,
        25,
        &["explored: fault", "explored: limit"],
    );
}

/// Stretches that the search cannot look into from outside.
#[test]
fn long_stretches() {
    check(
        "atomic-spin",
        "init { atomic { do :: skip od } }",
        20,
        FAULT,
    );
    check(
        "atomic-byte",
        "byte x; init { atomic { do :: x++ od } }",
        20,
        FAULT,
    );
    check("dstep-spin", "init { d_step { do :: skip od } }", 20, FAULT);
    check(
        "dstep-count",
        "int x; init { d_step { do :: x++ od } }",
        25,
        FAULT,
    );
    check(
        "dstep-ends",
        "int x; init { d_step { do :: x < 100000 -> x++ :: else -> break od } }",
        20,
        CLEAN,
    );
    check(
        "atomic-ends",
        "int x; init { atomic { do :: x < 100000 -> x++ :: else -> break od } }",
        20,
        CLEAN,
    );
    check(
        "atomic-count",
        "int x; init { atomic { do :: x++ od } }",
        25,
        FAULT,
    );
    check(
        "atomic-may-end",
        "int x; init { atomic { do :: x++ :: x < 0 -> break od } }",
        25,
        LIMIT,
    );
    check(
        "dstep-may-end",
        "int x; init { d_step { do :: x >= 0 -> x = (x + 1) % 2000000000 :: else -> break od } }",
        25,
        LIMIT,
    );
    if full() {
        let text = "int x; int y; init { atomic { do :: x++ :: y++ :: break od } }";
        check(
            "atomic-grid",
            text,
            25,
            &["explored: fault", "explored: limit"],
        );
    }
}
