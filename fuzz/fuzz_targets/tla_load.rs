//! A module, with whatever stands behind it, must be read, resolved and checked, or refused, without a panic.

#![no_main]

use evenhand_source::Files;
use evenhand_tla::syntax::check::{Standard, check};
use evenhand_tla::syntax::load::{LoadOptions, load};
use libfuzzer_sys::fuzz_target;

/// Everything is built in, and nothing is known of it.
struct Unknown;

impl Standard for Unknown {
    fn operators(&self, _: &str) -> Option<Vec<(&'static str, &'static [u8])>> {
        None
    }

    fn extends(&self, _: &str) -> &'static [&'static str] {
        &[]
    }
}

fuzz_target!(|data: &[u8]| {
    let mut files = Files::new();
    let main = files.add("M.tla", String::from_utf8_lossy(data));
    let options = LoadOptions {
        configuration: None,
        include_dirs: Vec::new(),
        folder: None,
        confined: true,
        most_bytes: None,
        standard: &|name| name.len() > 2,
    };
    if let Ok(sources) = load(files, main, &options) {
        check(&sources, &Unknown);
    }
});
