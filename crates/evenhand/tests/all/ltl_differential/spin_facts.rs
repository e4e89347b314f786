//! Where SPIN's verifier differs from the meaning of fairness and of formulas: one small model
//! each.
//!
//! The campaign takes these differences into account, so they must be what they are thought to be:
//! SPIN's side, Evenhand's and that of brute force are checked here.

use std::path::Path;

use evenhand::{Model, Promela, Reduce};
use evenhand_testkit::promela_programs::parallel;
use evenhand_testkit::promela_programs::spin::{ClaimAnswer, Question, Spin};

use super::case::{Case, NONE, SPIN_WEAK, WEAK};
use crate::common::Asked;

/// A model with one formula `f0`, and who says what: whether it is violated.
struct Fact {
    what: &'static str,
    model: &'static str,
    /// SPIN without and with `-f`.
    spin: [bool; 2],
    /// Evenhand without fairness, with `spin-weak`, with `weak`.
    evenhand: [bool; 3],
}

const FACTS: [Fact; 8] = [
    Fact {
        what: "with -f, violations whose run ends are missed",
        model: "byte g; active proctype p() { g = 1; g = 0 } ltl f0 { <> [] (g == 1) }",
        spin: [true, false],
        evenhand: [true, true, true],
    },
    Fact {
        what: "with -f, a process that its `provided` clause stops does not count as blocked",
        model: "byte g; active proctype p() provided (g == 1) { g = 2 }
                active proctype q() { do :: (g == 0) od }
                ltl f0 { <> (g == 2) }",
        spin: [true, false],
        evenhand: [true, true, true],
    },
    Fact {
        what: "an offer does not enable the receiver of a handshake",
        model: "byte g; chan c = [0] of { bit };
                active proctype s() { do :: c!1 :: (g == 0) od }
                active proctype r() { bit x; c?x; g = 1 }
                ltl f0 { <> (g == 1) }",
        spin: [true, true],
        evenhand: [true, true, false],
    },
    Fact {
        what: "a handshake is a move of the receiver too",
        model: "byte g; chan c = [0] of { bit };
                active proctype s() { do :: c!1 od }
                active proctype r() { bit x; do :: c?x :: g = 1 od }
                ltl f0 { <> (g == 1) }",
        spin: [true, true],
        evenhand: [true, true, true],
    },
    Fact {
        what: "who is handed the control by a handshake in an atomic sequence was not enabled",
        model: "byte g; chan c = [0] of { bit };
                active proctype s() { do :: atomic { c!1; skip } :: (g == 0) od }
                active proctype r() { bit x; atomic { c?x; g = 1 } }
                ltl f0 { <> (g == 1) }",
        spin: [true, true],
        evenhand: [true, true, false],
    },
    Fact {
        what: "`accept` labels of processes count together with the claim's",
        model: "byte g; active proctype p() { accept: do :: true; skip od } ltl f0 { [] (g == 0) }",
        spin: [true, true],
        evenhand: [false, false, false],
    },
    Fact {
        what: "`_nr_pr` counts the claim",
        model: "active proctype p() { do :: true; skip od } ltl f0 { [] (_nr_pr == 1) }",
        spin: [true, true],
        evenhand: [false, false, false],
    },
    Fact {
        what: "with `timeout`, a claim is moved twice, and a false alarm can be the result",
        model: "byte g;
                active proctype p() { g = 1; (g == 2); timeout }
                ltl f0 { !([] <> (g == 1) && [] <> (g != 1)) }",
        spin: [true, false],
        evenhand: [false, false, false],
    },
];

#[test]
fn spin_differs_as_the_campaign_allows_for() {
    let spin = match Spin::find() {
        Ok(spin) => spin,
        Err(missing) => {
            println!("SKIPPED: {missing}");
            return;
        }
    };
    let failures = parallel::map("spin-facts", 2, &FACTS, |fact, directory| {
        let found = (
            ask_spin(fact, &spin, directory),
            ask_evenhand(fact, directory, &spin),
        );
        let expected = (fact.spin.map(Some), fact.evenhand);
        (found != expected).then(|| format!("{}: {found:?}", fact.what))
    })
    .expect("temporary directories");
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// SPIN takes the end of the youngest process for a step that nobody sees, and so executes it at once; but others
/// may ask for `_nr_pr`. The model `spawn` of `benches/` does, so that SPIN's number of states is no measure there.
const LOST: Fact = Fact {
    what: "with reduction, that there was a process is not seen by who counts them",
    model: "bool seen; bit turn;
            active proctype p() {
              byte before; before = _nr_pr; seen = before > _nr_pr; do :: turn = 1 - turn od
            }
            active proctype q() { skip }
            ltl f0 { <> [] !seen }",
    spin: [true, true],
    evenhand: [true, true, true],
};

#[test]
fn spin_loses_fair_runs_by_its_reduction() {
    let spin = match Spin::find() {
        Ok(spin) => spin,
        Err(missing) => {
            println!("SKIPPED: {missing}");
            return;
        }
    };
    let found = parallel::map("spin-lost", 1, &[LOST], |fact, directory| {
        let reduced = ask_spin(fact, &spin.with_reduction(), directory);
        let whole = ask_spin(fact, &spin, directory);
        (whole, reduced, ask_evenhand(fact, directory, &spin))
    });
    let found = found.expect("temporary directories");
    let spin = LOST.spin.map(Some);
    assert_eq!(
        found,
        [(spin, [Some(false); 2], LOST.evenhand)],
        "{}",
        LOST.what
    );
    for how in [Reduce::None, Reduce::Always] {
        let model = Model::parse("lost.pml", LOST.model, &Promela).expect("a program");
        let mut asked = Asked::properties(&["f0"]);
        asked.fair(&["spin-weak"]);
        asked.options.reduce = how;
        let report = asked.run(&model).expect("an answer");
        assert!(report.properties[0].verdict.is_violated(), "{how:?}");
    }
}

fn ask_spin(fact: &Fact, spin: &Spin, directory: &Path) -> [Option<bool>; 2] {
    let source = directory.join("fact.pml");
    std::fs::write(&source, fact.model).expect("a file");
    let questions = [false, true].map(|fair| Question { block: None, fair });
    let answers = spin
        .judge_ltl(&source, directory, &questions)
        .expect("answers");
    let violated = |n: usize| answers[n].as_ref().ok().and_then(ClaimAnswer::violated);
    [violated(0), violated(1)]
}

/// All engines and brute force must agree; then what they say.
fn ask_evenhand(fact: &Fact, directory: &Path, spin: &Spin) -> [bool; 3] {
    let case = Case {
        text: fact.model,
        blocks: 1,
        assumptions: &[],
        seed: 0,
    };
    let judged = case.judge(spin, directory).expect("a small model");
    let other = judged.findings.iter().filter(|f| !f.0.starts_with("spin"));
    assert_eq!(other.count(), 0, "{}: {:?}", fact.what, judged.findings);
    [NONE, SPIN_WEAK, WEAK].map(|setting| judged.verdicts[0][setting])
}
