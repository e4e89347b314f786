//! Prints a random SMV model: `cargo run -p evenhand-testkit --example smv_model -- SEED`, the one
//! that the comparison of verdicts with NuSMV has under this seed.

use evenhand_testkit::smv_models::checked_model;

fn main() {
    let seed = std::env::args().nth(1).and_then(|text| text.parse().ok());
    match seed {
        Some(seed) => print!("{}", checked_model(seed).text),
        None => eprintln!("which seed?"),
    }
}
