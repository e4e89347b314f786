//! Random programs with random formulas and fairness assumptions: SPIN, five engines and brute
//! force must agree.
//!
//! Each program has three formulas, each checked under six settings: no fairness, SPIN's weak
//! fairness, weak and strong fairness of all processes, and two sets of random assumptions, the
//! second one larger. Demanded are:
//!
//! - all engines agree, and each run they show can be replayed and judged;
//! - brute force, which shares no code with them from the successor lists on, agrees;
//! - SPIN agrees, without fairness (`pan -a`) and with weak fairness (`pan -a -f`), but for the
//!   mistakes of SPIN's listed in `spin_facts`. Such a difference must be settled by brute force,
//!   and must go away when brute force makes the mistake, or SPIN does not;
//! - more assumptions never turn `holds` into `violated`;
//! - two engines asked for the shortest run give the same length.
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `EVENHAND_LTL_CASES` | how many programs to compare | 40 |
//! | `EVENHAND_LTL_SECONDS` | when to stop at the latest | 120 |
//! | `EVENHAND_LTL_FLOOR` | fail when fewer were compared | the number of cases |
//! | `EVENHAND_LTL_SEED` | the first seed | 0 |
//!
//! Skipped, with a message, where SPIN or tcc is missing.

mod assumptions;
mod brute_force;
mod campaign;
mod case;
mod space;
mod spin_facts;

use campaign::Campaign;
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
fn everybody_agrees_on_random_questions() {
    let spin = match Spin::find() {
        Ok(spin) => spin,
        Err(missing) => {
            println!("SKIPPED: {missing}");
            return;
        }
    };
    let cases = setting("EVENHAND_LTL_CASES", 40) as usize;
    let floor = setting("EVENHAND_LTL_FLOOR", cases as u64) as usize;
    let campaign = Campaign {
        first_seed: setting("EVENHAND_LTL_SEED", 0),
        cases,
        limit: Duration::from_secs(setting("EVENHAND_LTL_SECONDS", 120)),
        threads: 2,
        differences: 3,
    };
    let outcome = campaign.run(&spin).expect("temporary directories");
    println!("{}", outcome.summary());
    for difference in &outcome.differences {
        println!("{difference}");
    }
    assert!(outcome.differences.is_empty(), "there are differences");
    assert!(
        outcome.compared >= floor,
        "only {} programs compared, at least {floor} wanted",
        outcome.compared
    );
    // Small numbers say nothing about shares.
    if outcome.compared >= 100 {
        let rarest = outcome.rarest_verdict();
        assert!(
            rarest >= 20,
            "a verdict has a share of {rarest}% only: the campaign is lopsided"
        );
    }
    let (answered, unanswered) = outcome.spin;
    assert!(
        unanswered * 10 <= answered,
        "SPIN had no answer to {unanswered} questions"
    );
    assert!(
        outcome.settled.0 * 10 >= outcome.questions() * 9,
        "brute force settled only {} of {} questions",
        outcome.settled.0,
        outcome.questions()
    );
}
