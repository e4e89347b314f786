//! Never claims: each model says in its first line what SPIN says about it.

use evenhand_promela::PromelaModel;

use super::brute::is_bad;
use super::model;

#[test]
fn claims_are_what_pan_says() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/question/never");
    let checked = compare(&folder);
    assert!(checked >= 40, "only {checked} claims were found");
    // More of the same kind, from a generator.
    if let Ok(more) = std::env::var("EVENHAND_CLAIMS") {
        println!("{} claims agree", compare(std::path::Path::new(&more)));
    }
}

/// Compares all models of a folder with what their first lines say; how many there are.
fn compare(folder: &std::path::Path) -> usize {
    let mut checked = 0;
    let mut different = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("it is text");
        let wanted = text.lines().find_map(|l| l.strip_prefix("// never: "));
        let mut model = model(&text);
        let claim = model.never().expect("there is a claim");
        let claim = claim.unwrap_or_else(|d| panic!("{}: {d:?}", path.display()));
        let verdict = match is_bad(&model.program, &claim) {
            true => "violated",
            false => "holds",
        };
        if Some(verdict) != wanted {
            different.push(format!("{}: {verdict}\n{text}", path.display()));
        }
        checked += 1;
    }
    let count = different.len();
    assert_eq!(count, 0, "of {checked}:\n{}", different.join("\n"));
    checked
}

/// What is wrong with a claim, and the text it is about.
fn complaint(claim: &str) -> (String, String) {
    let mut model: PromelaModel = model(&format!(
        "byte x; chan c = [1] of {{ byte }};
         proctype Q() {{ skip }} active proctype P() {{ x = 1 }}\nnever {{ {claim} }}"
    ));
    let found = model.never().expect("there is a claim");
    let found = found.expect_err("it has no meaning");
    let span = found.span.expect("it has a place");
    let text = model.program.signature().files.text(span).to_string();
    (found.message, text)
}

#[test]
fn claims_only_observe() {
    for (claim, message, place) in [
        (
            "do :: x = 1 od",
            "a never claim may not assign to variables",
            "x = 1",
        ),
        ("c!1", "a never claim may not send messages", "c!1"),
        ("c?x", "a never claim may not receive messages", "c?x"),
        (
            "run Q()",
            "a never claim may not start processes",
            "run Q()",
        ),
        ("_pid == 0", "a never claim has no `_pid`", "_pid == 0"),
        (
            "byte n = 2; do :: x == n od",
            "a never claim may not have variables of its own",
            "x == n",
        ),
        (
            "d_step { if :: x == 1 :: x == 2 fi }",
            "a `d_step` of a claim may not begin with a selection that can be stuck",
            "d_step { if :: x == 1 :: x == 2 fi }",
        ),
        (
            "d_step { do :: x == 1 :: else od }",
            "a `d_step` of a claim must come to its end",
            "d_step { do :: x == 1 :: else od }",
        ),
    ] {
        let (got, at) = complaint(claim);
        assert_eq!((got.as_str(), at.as_str()), (message, place), "{claim}");
    }
}

#[test]
fn no_claim_no_answer() {
    assert!(model("active proctype P() { skip }").never().is_none());
}

/// Many ways through an atomic sequence: an error, not a flood.
#[test]
fn atomic_sequences_are_limited() {
    let choice = "if :: x == 1 :: x == 2 :: x == 3 :: x > 4 fi;".repeat(30);
    let (message, _) = complaint(&format!("do :: atomic {{ {choice} }} od"));
    assert!(message.contains("too many ways"), "{message}");
}
