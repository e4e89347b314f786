//! Random programs, judged by SPIN and by the `evenhand` command: the number of reachable states,
//! assertions and invalid end states must agree on every one of them.
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `EVENHAND_DIFF_CASES` | how many programs to compare | 60 |
//! | `EVENHAND_DIFF_SECONDS` | when to stop at the latest | 150 |
//! | `EVENHAND_DIFF_FLOOR` | fail when fewer were compared | the number of cases |
//! | `EVENHAND_DIFF_SEED` | the first seed | 0 |
//! | `EVENHAND_BIN` | the command to test | the one cargo has built |
//!
//! Skipped, with a message, where SPIN or tcc is missing.

use evenhand_testkit::promela_programs::command::Evenhand;
use evenhand_testkit::promela_programs::differential::Campaign;
use evenhand_testkit::promela_programs::spin::Spin;
use std::time::Duration;

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} must be a number, not `{text}`")),
        Err(_) => default,
    }
}

#[test]
fn random_programs_mean_what_spin_says() {
    let spin = match Spin::find() {
        Ok(spin) => spin,
        Err(missing) => {
            println!("SKIPPED: {missing}");
            return;
        }
    };
    let binary = std::env::var("EVENHAND_BIN");
    let binary = binary.unwrap_or_else(|_| env!("CARGO_BIN_EXE_evenhand").to_string());
    let cases = setting("EVENHAND_DIFF_CASES", 60);
    let floor = setting("EVENHAND_DIFF_FLOOR", cases) as usize;
    let campaign = Campaign {
        first_seed: setting("EVENHAND_DIFF_SEED", 0),
        cases: cases as usize,
        limit: Duration::from_secs(setting("EVENHAND_DIFF_SECONDS", 150)),
        threads: 2,
        differences: 3,
    };
    let outcome = campaign
        .run(&spin, Some(&Evenhand::at(binary)))
        .expect("a temporary directory");
    println!("{}", outcome.summary());
    for difference in &outcome.differences {
        println!(
            "DIFFERENCE, seed {}: {}\nmade small: {}\n{}",
            difference.seed,
            difference.findings.join("; "),
            difference.small_findings.join("; "),
            difference.program
        );
    }
    assert!(outcome.differences.is_empty(), "Evenhand and SPIN disagree");
    assert!(
        outcome.compared >= floor,
        "only {} programs compared, at least {floor} wanted",
        outcome.compared
    );
    assert!(
        outcome.rarest_verdict() >= 20,
        "a verdict occurs in fewer than 20% of the programs: the campaign is lopsided"
    );
    let discarded: usize = outcome.discarded.values().sum();
    assert!(
        discarded * 10 <= outcome.compared + discarded,
        "{discarded} programs discarded: more than a tenth"
    );
}
