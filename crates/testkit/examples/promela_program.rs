//! Prints the generated program of a seed:
//! `cargo run -p evenhand-testkit --example promela_program -- SEED`.

use evenhand_testkit::promela_programs::Program;

fn main() {
    for seed in std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
    {
        print!("{}", Program::generate(seed).text());
    }
}
