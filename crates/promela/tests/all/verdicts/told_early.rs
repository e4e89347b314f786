//! One search answers several questions; a violation is told while the others are open.

use super::{Protocol, checked};

/// What is told of a model in which one thing goes wrong soon and the search goes on.
fn check(body: &str, violated: &str) {
    let model = format!(
        "byte n, m, k;
         active proctype P() {{ do :: n < 40 -> n++ :: n > 0 -> n-- od }}
         active proctype Q() {{ do :: m < 40 -> m++ :: m > 0 -> m-- od }}
         {body}"
    );
    let mut protocol = Protocol::default();
    let report = checked(&model, &["assertions", "deadlock"], &mut protocol);
    let report = report.expect("it is a check");
    let (name, word, states, is_early) = protocol.verdicts[0].clone();
    assert_eq!(
        (&*name, word, is_early),
        (violated, "violated", true),
        "{body}"
    );
    assert_eq!(protocol.verdicts.len(), 2, "{body}");
    let (_, word, all, is_early) = protocol.verdicts[1];
    assert_eq!((word, is_early), ("holds", false), "{body}");
    assert!(states < all, "{body}: {states} of {all}");
    // What was told is what is reported, with the run that shows it.
    let result = report.property(violated).expect("it was asked");
    assert_eq!(result.states, states, "{body}");
    let run = result.verdict.run().expect("there is one");
    assert!(run.shortest, "{body}");
}

#[test]
fn an_assertion_does_not_wait() {
    check(
        "active proctype R() { assert(n < 3); end: false }",
        "assertions",
    );
    check(
        "active proctype R() { end: do :: assert(n + m != 4) od }",
        "assertions",
    );
    check(
        "active proctype R() { byte a[2]; end: do :: k < 3 -> k++; a[k] = 1; a[k] = 0 od }",
        "assertions",
    );
}

#[test]
fn an_end_does_not_wait() {
    // The end of the process that the others wait for.
    let stop = "active proctype R() { k = 1; k == 0 }";
    let model = format!(
        "byte n, m, k;
         active proctype P() {{ do :: k == 0 && n < 60 -> n++ :: k == 0 && n > 0 -> n-- od }}
         active proctype Q() {{ do :: k == 0 && m < 60 -> m++ :: k == 0 && m > 0 -> m-- od }}
         {stop}"
    );
    let mut protocol = Protocol::default();
    checked(&model, &["assertions", "deadlock"], &mut protocol).expect("it is a check");
    let told: Vec<_> = protocol
        .verdicts
        .iter()
        .map(|v| (&*v.0, v.1, v.3))
        .collect();
    assert_eq!(
        told,
        [
            ("deadlock", "violated", true),
            ("assertions", "holds", false)
        ]
    );
}

#[test]
fn short_searches_tell_all_in_the_end() {
    let model = "byte n; active proctype P() { assert(n == 1); n = 1; n == 2 }";
    let mut protocol = Protocol::default();
    checked(model, &["assertions", "deadlock"], &mut protocol).expect("it is a check");
    assert!(protocol.verdicts.iter().all(|(.., is_early)| !is_early));
    let names: Vec<_> = protocol.verdicts.iter().map(|v| &*v.0).collect();
    assert_eq!(names, ["assertions", "deadlock"]);
}
