//! The `evenhand` command.
fn main() {}
