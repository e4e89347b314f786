//! The order of names and strings, which is TLC's.
//!
//! TLC numbers every text when it meets it first, and compares strings and model values by these numbers. It meets
//! the values of the configuration, the operators of the language, then the words of the modules in the order in which SANY reads them (identifiers,
//! reserved words and numbers; not comments), and then, when SANY analyses the modules, what stands between the quotes
//! of strings. A module is analysed when those that it needs are; so the strings of an extended module come before
//! those of the specification, unless they are words somewhere.

use std::ops::Range;

use evenhand_source::{Diagnostic, FileId, Files};

use super::ast::ExprKind;
use super::lexer::Lexed;
use super::token::TokenKind;
use super::units::Unit;
use super::words::{BuiltInText, LANGUAGE, TEXTS};
use super::{config, walk};
use crate::names::Names;

/// What is known of the text of a module that is built in.
pub(super) fn built_in(name: &str) -> Option<&'static BuiltInText> {
    TEXTS.iter().find(|text| text.name == name)
}

/// The names of modules that are built in and whose text is known, for hints.
pub(super) fn built_in_names() -> impl Iterator<Item = &'static str> {
    TEXTS.iter().map(|text| text.name)
}

/// The order in which modules are analysed: each behind those that it needs.
pub(super) fn analysed(units: &[Unit]) -> Result<Vec<usize>, Diagnostic> {
    let mut order = Vec::new();
    let mut state = vec![State::New; units.len()];
    let mut path = Vec::new();
    visit(units, 0, &mut state, &mut path, &mut order)?;
    Ok(order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

fn visit(
    units: &[Unit],
    unit: usize,
    state: &mut [State],
    path: &mut Vec<usize>,
    order: &mut Vec<usize>,
) -> Result<(), Diagnostic> {
    state[unit] = State::Open;
    path.push(unit);
    let needed = |extends: bool| {
        units[unit]
            .needs
            .iter()
            .flat_map(move |needs| match extends {
                true => &needs.extends,
                false => &needs.instances,
            })
    };
    for (name, span) in needed(true).chain(needed(false)) {
        let inner = units[unit]
            .needs
            .iter()
            .skip(1)
            .any(|inner| inner.name == *name);
        let Some(next) = units
            .iter()
            .position(|unit| unit.name == *name)
            .filter(|_| !inner)
        else {
            continue;
        };
        match state[next] {
            State::Done => {}
            State::New => visit(units, next, state, path, order)?,
            State::Open => {
                let from = path.iter().position(|&unit| unit == next).unwrap_or(0);
                let names: Vec<&str> = path[from..]
                    .iter()
                    .map(|&unit| units[unit].name.as_str())
                    .collect();
                let message = match names.as_slice() {
                    [one] => format!("the module `{one}` needs itself"),
                    all => format!(
                        "these modules need each other in a circle: {}",
                        all.join(", ")
                    ),
                };
                return Err(Diagnostic::error(*span, message));
            }
        }
    }
    path.pop();
    state[unit] = State::Done;
    order.push(unit);
    Ok(())
}

/// All names in their order, from modules that were read with scratch names.
pub(super) fn names(
    files: &Files,
    configuration: Option<(FileId, Range<usize>)>,
    units: &[Unit],
    analysed: &[usize],
    scratch: &Names,
) -> Names {
    let mut names = Names::new();
    if let Some((file, range)) = configuration {
        config::intern_values(&files.get(file).text, file, range, &mut names);
    }
    for word in LANGUAGE.split_whitespace() {
        names.intern(word);
    }
    for unit in units {
        match &unit.text {
            Some((_, tokens)) => words(files, tokens, &mut names),
            None => {
                for word in built_in(&unit.name)
                    .map_or("", |text| text.words)
                    .split_whitespace()
                {
                    names.intern(word);
                }
            }
        }
    }
    for unit in analysed.iter().map(|&unit| &units[unit]) {
        if unit.text.is_none() {
            for string in built_in(&unit.name).map_or(&[][..], |text| text.strings) {
                names.intern(string);
            }
        }
        let Some(module) = &unit.module else {
            continue;
        };
        walk::module(module, &mut |expr| {
            if let ExprKind::Text(symbol) = expr.kind {
                names.intern(scratch.text(symbol));
            }
        });
    }
    names
}

/// The words of a module.
fn words(files: &Files, lexed: &Lexed, names: &mut Names) {
    for token in &lexed.tokens {
        match token.kind {
            TokenKind::Text | TokenKind::Operator(_) | TokenKind::End => {}
            _ => {
                names.intern(files.text(token.span));
            }
        }
    }
}
