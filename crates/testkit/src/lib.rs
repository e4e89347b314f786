//! What the tests of Evenhand share: random inputs, oracles, and the comparison with other tools.

pub mod lassos;
pub mod promela_programs;
