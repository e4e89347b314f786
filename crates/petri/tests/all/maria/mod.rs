//! Tests of Maria's net language.

mod corpus;
mod ends;
mod hostile;
mod models;
mod random;
mod semantics;

use evenhand_petri::Maria;
use evenhand_source::Files;
use evenhand_system::{Language, ReadOptions, Rejected, Specification};

/// Reads a net, with some symbols defined.
pub fn load(text: &str, defines: &[&str]) -> Result<Box<dyn Specification>, Rejected> {
    let mut files = Files::new();
    let main = files.add("net.pn", text);
    let mut options = ReadOptions::default();
    options.defines = defines
        .iter()
        .map(|name| (name.to_string(), None))
        .collect();
    Maria.read(files, main, &options)
}
