//! Preprocessor and lexer: no text makes them panic, and every token has a place in its file.

#![no_main]

use evenhand_promela::{Options, TokenKind, tokenize_with};
use evenhand_source::Files;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut files = Files::new();
    let main = files.add("fuzz.pml", text.clone());
    // Whatever is included is the text itself: the disk stays out of it.
    let load = |_: &std::path::Path| Ok(text.clone());
    let tokens = tokenize_with(&mut files, main, &Options::default(), &load);
    let last = tokens.tokens.last().map(|token| &token.kind);
    assert_eq!(last, Some(&TokenKind::Eof));
    for token in &tokens.tokens {
        let text = &files.get(token.span.file).text;
        let place = text.get(token.span.start as usize..token.span.end as usize);
        assert!(place.is_some(), "{token:?} has no place");
    }
});
