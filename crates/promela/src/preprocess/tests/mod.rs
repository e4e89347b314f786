//! Tests of the preprocessor and, through it, of the lexer.

mod directives;
mod gcc;
mod lexer;
mod macros;
mod places;
mod robust;

use std::collections::HashMap;
use std::io;
use std::path::Path;

use evenhand_source::{Files, Severity};

use super::Options;
use crate::lexer::tokenize_with;
use crate::token::{TokenKind, Tokens};

/// Files in memory: the first one is the model.
struct Model {
    files: Files,
    tokens: Tokens,
}

impl Model {
    fn new(texts: &[(&str, &str)], options: &Options) -> Model {
        let others: HashMap<&Path, &str> = texts
            .iter()
            .map(|&(name, text)| (Path::new(name), text))
            .collect();
        let mut files = Files::new();
        let main = files.add(texts[0].0, texts[0].1);
        let load = |path: &Path| {
            let text = others.get(path).ok_or(io::ErrorKind::NotFound)?;
            Ok(text.to_string())
        };
        let tokens = tokenize_with(&mut files, main, options, &load);
        Model { files, tokens }
    }

    fn of(text: &str) -> Model {
        Model::new(&[("m.pml", text)], &Options::default())
    }

    /// The tokens one after the other, separated by blanks.
    fn spelled(&self) -> String {
        let tokens = self.tokens.tokens.iter();
        let kinds = tokens
            .map(|token| &token.kind)
            .filter(|kind| **kind != TokenKind::Eof);
        kinds.map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    /// The messages: `line:column message`.
    fn messages(&self) -> Vec<String> {
        let list = self.tokens.diagnostics.iter();
        list.map(|report| {
            let place = report
                .span
                .map(|span| self.files.position(span).to_string());
            let kind = match report.severity {
                Severity::Error => "",
                Severity::Warning => "warning: ",
            };
            format!("{} {kind}{}", place.unwrap_or_default(), report.message)
        })
        .collect()
    }
}

/// Checks the tokens of texts without any message.
fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        let model = Model::of(text);
        assert_eq!(model.spelled(), *expected, "tokens of {text:?}");
        assert_eq!(
            model.messages(),
            Vec::<String>::new(),
            "messages of {text:?}"
        );
    }
}

/// Checks the tokens and messages of texts.
fn check_messages(table: &[(&str, &str, &[&str])]) {
    for (text, expected, messages) in table {
        let model = Model::of(text);
        assert_eq!(model.spelled(), *expected, "tokens of {text:?}");
        assert_eq!(model.messages(), *messages, "messages of {text:?}");
    }
}
