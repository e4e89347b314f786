//! Random TLA+ specifications, and the plainest interpreter of them.
//!
//! **Problem.** A specification means what TLC makes of it, down to the order in which an action is read. The front-end compiles
//! specifications, shares values and remembers what it can; each of that may be wrong.
//!
//! **Idea.** [`plain`] interprets the syntax tree and does nothing cleverly. [`random`] writes specifications in which each
//! way to end is common, from typed [`expressions`]. What both say is compared, and where a TLC is at hand, what it
//! says.

pub mod expressions;
pub mod plain;
pub mod random;

use std::path::Path;

use evenhand_source::{Diagnostic, Files};
use evenhand_tla::standard;
use evenhand_tla::syntax::load::{LoadOptions, Sources, load};

/// Reads a specification with its configuration.
///
/// # Errors
/// What is wrong, with the texts.
pub fn read(
    modules: &str,
    configuration: &str,
    folder: Option<&Path>,
) -> Result<Sources, (Files, Vec<Diagnostic>)> {
    let mut files = Files::new();
    let main = files.add("Spec.tla", modules);
    let options = LoadOptions {
        configuration: Some(("Spec.cfg".to_string(), configuration.to_string())),
        include_dirs: Vec::new(),
        folder: folder.map(Path::to_path_buf),
        confined: false,
        most_bytes: None,
        standard: &|name| standard::module(name).is_some(),
    };
    load(files, main, &options)
}
