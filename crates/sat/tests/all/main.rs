//! Bounded model checking against brute force.

mod brute_force;
mod expressions;
mod lassos;
mod paths;

/// How many cases, unless the environment says otherwise.
fn cases(few: u64) -> u64 {
    let asked = std::env::var("EVENHAND_CASES").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(few)
}

/// The first seed.
fn first_seed() -> u64 {
    let asked = std::env::var("EVENHAND_SEED").ok();
    asked.and_then(|seed| seed.parse().ok()).unwrap_or(1)
}
