//! A configuration and an expression must be read or refused without a panic.

#![no_main]

use evenhand_source::Files;
use evenhand_tla::names::Names;
use evenhand_tla::syntax::{config, parser};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut files = Files::new();
    let file = files.add("M.cfg", String::from_utf8_lossy(data));
    let _ = config::configuration(&files, file, &mut Names::new());
    let _ = config::constant(&files, file, &mut Names::new());
    let _ = parser::expression(&files, file, &mut Names::new());
});
