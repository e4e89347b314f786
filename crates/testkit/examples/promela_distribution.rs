//! Prints how SPIN judges generated programs, and the ones it rejects:
//! `cargo run -p evenhand-testkit --example promela_distribution -- CASES [FIRST_SEED] [BINARY]`.

use evenhand_testkit::promela_programs::{Program, command::Evenhand, differential, spin::Spin};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse().ok());
    let campaign = differential::Campaign {
        first_seed: number(1).unwrap_or(0),
        cases: number(0).unwrap_or(200) as usize,
        limit: Duration::from_secs(3600),
        threads: 2,
        differences: 12,
    };
    let evenhand = arguments.get(2).map(Evenhand::at);
    let outcome = campaign.run(&Spin::find()?, evenhand.as_ref())?;
    print!("{}", outcome.summary());
    for (seed, text) in outcome.rejected.iter().take(5) {
        println!(
            "--- seed {seed}: {text}\n{}",
            Program::generate(*seed).text()
        );
    }
    for difference in &outcome.differences {
        println!(
            "=== seed {}: {:?}\nsmall: {:?}\n{}",
            difference.seed, difference.findings, difference.small_findings, difference.program
        );
    }
    Ok(())
}
