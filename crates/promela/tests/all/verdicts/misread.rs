//! `ltl` blocks that compare temporal formulas: the rest of the model has a meaning without them.

use evenhand_system::Unresolved;
use evenhand_verify::{CheckError, Verdict};

use super::{Protocol, checked, read, specification};

/// A model with a block, and the beginning of what is wrong with that.
fn check(block: &str, message: &str) {
    let model = format!(
        "#define PROP []<> _last==1\n#define OPEN ([] (x == 1)\n#define two(a, b) a == b
         byte x; active proctype P() {{ x = 1 }}
         ltl good {{ <> (x == 1) }}\nltl p {{ {block} }}\nltl last {{ [] (x < 2) }}"
    );
    let warnings = specification(&model).warnings().to_vec();
    let about = |text: &str| text.contains("`p` is left out") && text.contains(message);
    assert!(
        warnings
            .iter()
            .any(|w| about(&w.message) && w.span.is_some()),
        "{block}: {warnings:#?}"
    );
    // Who asks for all gets the verdicts on the others, and a reason.
    let report = checked(&model, &[], &mut Protocol::default()).expect("it is a check");
    let words: Vec<_> = report.properties.iter().map(|p| p.verdict.word()).collect();
    assert_eq!(
        words,
        ["holds", "holds", "holds", "unknown", "holds"],
        "{block}"
    );
    let Verdict::Unknown(reason) = &report.properties[3].verdict else {
        panic!("{block}: {:?}", report.properties[3]);
    };
    assert!(reason.to_string().contains(message), "{block}: {reason}");
    // Who asks for it by name gets the error.
    let error = checked(&model, &["good", "p"], &mut Protocol::default()).map(|_| ());
    match error {
        Err(CheckError::Unresolved(Unresolved::Wrong(wrong))) => {
            assert!(wrong.to_string().contains(message), "{block}: {wrong}");
        }
        other => panic!("{block}: {other:?}"),
    }
    // Who asks for others hears of no error.
    let report = checked(&model, &["good"], &mut Protocol::default()).expect("it is a check");
    assert!(report.holds(), "{block}");
}

#[test]
fn temporal_formulas_that_are_compared() {
    check("[]<> _last==1", "a temporal formula is compared");
    check("<> x == 1", "a temporal formula is compared");
    check("([] (x == 1)) + 1", "a temporal formula is compared");
    check("PROP", "a temporal formula is compared");
}

#[test]
fn other_mistakes_are_those_of_the_model() {
    for (block, message) in [
        ("[] (y == 1)", "undeclared variable `y`"),
        ("<> P@nowhere", "has no label `nowhere`"),
        ("[]<> y == 1", "undeclared variable `y`"),
        ("[] (x == 1 &&", "expected"),
        ("", "expected"),
    ] {
        let model = format!("byte x; active proctype P() {{ x = 1 }} ltl p {{ {block} }}");
        let wrong = read(&model).map(|_| ()).expect_err(block).to_string();
        assert!(wrong.contains(message), "{block}: {wrong}");
    }
}

#[test]
fn a_macro_is_shown() {
    let shown = |text: &str| {
        let model = format!(
            "#define PROP []<> _last==1\n#define OPEN ([] (x == 1)\n#define is(v, n) (v == n)\n#define wrong(n) (z == n)
             byte x; active proctype P() {{ x = 1 }}\nltl p {{ {text} }}"
        );
        let wrong = match read(&model) {
            Ok(specification) => specification.warnings().to_vec(),
            Err(rejected) => rejected.diagnostics,
        };
        let labels = wrong.iter().flat_map(|w| &w.labels);
        labels.map(|label| label.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown("PROP"), ["stands for `[] <> _last == 1`"]);
    assert_eq!(shown("[] PROP"), ["stands for `[] [] <> _last == 1`"]);
    assert_eq!(shown("<> wrong(3)"), ["stands for `z == 3`"]);
    // An argument stands where it is written.
    assert_eq!(shown("<> is(y, 3)"), [""; 0]);
    assert_eq!(shown("OPEN"), ["stands for `( [] ( x == 1 )`"]);
    assert_eq!(shown("[] (y == 1)"), [""; 0]);
}

#[test]
fn what_it_would_need_is_left_out_of_the_model() {
    // `_last` would make states different.
    let count = |block: &str| {
        let model =
            format!("byte x; active [2] proctype P() {{ x = 1; x = 0 }}\nltl p {{ {block} }}");
        let report = checked(&model, &["deadlock"], &mut Protocol::default());
        report.expect("it is a check").properties[0].states
    };
    assert_eq!(count("[] <> _last == 1"), count("[] (x < 2)"));
    assert!(count("[] <> (_last == 1)") > count("[] (x < 2)"));
}
