//! Configuration files: which definitions are the specification, what is asked of it, and values of constants.
//!
//! The tokens are those of the language. A configuration is a list of sections, each with a word in front of it;
//! in a section of constants, `c = v` gives a value and `c <- Op` puts one definition in the place of another. Names
//! without a meaning are model values. A configuration may also stand behind the module, between
//! `---- CONFIG Name ----` and `====`.

mod reader;

use evenhand_source::{Diagnostic, FileId, Files, Span, spend};

use reader::Reader;

use super::ast::Ident;
use super::token::TokenKind;
use crate::names::{Names, Symbol};

/// A configuration.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// `SPECIFICATION`
    pub specification: Option<Ident>,
    /// `INIT`
    pub init: Option<Ident>,
    /// `NEXT`
    pub next: Option<Ident>,
    /// `VIEW`
    pub view: Option<Ident>,
    /// `ALIAS`
    pub alias: Option<Ident>,
    /// `INVARIANTS`
    pub invariants: Vec<Ident>,
    /// `PROPERTIES`
    pub properties: Vec<Ident>,
    /// `CONSTRAINTS`
    pub constraints: Vec<Ident>,
    /// `ACTION_CONSTRAINTS`
    pub action_constraints: Vec<Ident>,
    /// `SYMMETRY`
    pub symmetry: Vec<Ident>,
    /// `POSTCONDITIONS`
    pub postconditions: Vec<Ident>,
    /// `_POSSIBLE`
    pub possible: Vec<Ident>,
    /// `CONSTANTS`
    pub constants: Vec<Assignment>,
    /// `CHECK_DEADLOCK`
    pub check_deadlock: Option<bool>,
    /// Sections that begin with an underscore, with each of their names.
    pub others: Vec<(Ident, Ident)>,
}

/// What a constant or a definition is.
#[derive(Clone, Debug)]
pub enum Assignment {
    /// `c = v`, `c =[M] v`, `Op(1, 2) = v`
    Value {
        /// The name, with the instances in front of it.
        path: Vec<Ident>,
        /// The arguments, for one row of the table of an operator.
        args: Vec<ConfigValue>,
        /// The module in which it is meant.
        module: Option<Ident>,
        /// The value.
        value: ConfigValue,
    },
    /// `c <- Op`, `c <-[M] Op`
    Replace {
        /// The name, with the instances in front of it.
        path: Vec<Ident>,
        /// The module in which it is meant.
        module: Option<Ident>,
        /// The definition that takes its place.
        by: Ident,
    },
}

impl Assignment {
    /// The name, with the instances in front of it, and the module in which it is meant.
    pub fn place(&self) -> (&[Ident], Option<Ident>) {
        match self {
            Assignment::Value { path, module, .. } | Assignment::Replace { path, module, .. } => {
                (path, *module)
            }
        }
    }

    /// Whether this one decides what another one does: not of two rows of one table.
    pub fn decides(&self, other: &Assignment) -> bool {
        let same_name = |a: &Ident, b: &Ident| a.name == b.name;
        let ((path, module), (others, within)) = (self.place(), other.place());
        let same_place = path.len() == others.len()
            && path.iter().zip(others).all(|(a, b)| same_name(a, b))
            && module.map(|ident| ident.name) == within.map(|ident| ident.name);
        same_place
            && match (self.row(), other.row()) {
                (Some(args), Some(others)) => {
                    args.len() == others.len() && args.iter().zip(others).all(|(a, b)| a.is(b))
                }
                _ => true,
            }
    }

    /// The arguments of a row of a table.
    fn row(&self) -> Option<&[ConfigValue]> {
        match self {
            Assignment::Value { args, .. } if !args.is_empty() => Some(args),
            _ => None,
        }
    }
}

impl ConfigValue {
    /// Whether it is written in the same way as another one.
    fn is(&self, other: &ConfigValue) -> bool {
        match (self, other) {
            (ConfigValue::Set(all, _), ConfigValue::Set(others, _)) => {
                all.len() == others.len() && all.iter().zip(others).all(|(a, b)| a.is(b))
            }
            _ => self == other,
        }
    }
}

/// A value in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigValue {
    /// A number.
    Number(i32),
    /// A string.
    Text(Symbol),
    /// `TRUE` or `FALSE`.
    Truth(bool),
    /// A model value.
    Model(Symbol),
    /// A set, and where it stands.
    Set(Vec<ConfigValue>, Span),
}

/// Reads a configuration.
///
/// # Errors
/// What is wrong with it.
pub fn configuration(
    files: &Files,
    file: FileId,
    names: &mut Names,
) -> Result<Configuration, Vec<Diagnostic>> {
    let text = &files.get(file).text;
    within(text, file, 0..text.len(), names)
}

/// Reads the configuration that stands behind the modules of a file, if there is one of a name.
pub fn behind(
    files: &Files,
    file: FileId,
    name: &str,
    names: &mut Names,
) -> Option<Result<Configuration, Vec<Diagnostic>>> {
    let text = &files.get(file).text;
    let range = embedded(text, name)?;
    Some(within(text, file, range, names))
}

/// Reads one assignment, as on a command line: `N = 3` or `Nat <- MyNat`.
///
/// # Errors
/// What is wrong with it.
pub fn constant(
    files: &Files,
    file: FileId,
    names: &mut Names,
) -> Result<Assignment, Vec<Diagnostic>> {
    let text = &files.get(file).text;
    let mut reader = Reader::new(text, file, 0..text.len(), names)?;
    let assignment = reader.assignment()?;
    reader.expect(TokenKind::End, "the end")?;
    Ok(assignment)
}

/// Interns the values of a configuration, in their order; nothing is said about what is wrong.
pub(super) fn intern_values(
    text: &str,
    file: FileId,
    range: std::ops::Range<usize>,
    names: &mut Names,
) {
    // Names of definitions are no values: they get their symbols in a scratch list.
    let mut scratch = Names::new();
    let Ok(read) = within(text, file, range, &mut scratch) else {
        return;
    };
    for assignment in &read.constants {
        if let Assignment::Value { args, value, .. } = assignment {
            for value in args.iter().chain([value]) {
                intern(value, &scratch, names);
            }
        }
    }
}

fn intern(value: &ConfigValue, from: &Names, to: &mut Names) {
    match value {
        ConfigValue::Text(symbol) | ConfigValue::Model(symbol) => {
            to.intern(from.text(*symbol));
        }
        ConfigValue::Set(all, _) => all.iter().for_each(|value| intern(value, from, to)),
        ConfigValue::Number(_) | ConfigValue::Truth(_) => {}
    }
}

/// Where the configuration of a name stands in the text of a module.
pub fn embedded(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        spend();
        match start {
            Some(start) if line.starts_with("====") => return Some(start..at),
            None if titled(line, "CONFIG", name) => start = Some(at + line.len()),
            _ => {}
        }
        at += line.len();
    }
    start.map(|start| start..text.len())
}

/// Whether a line is `---- WORD name ----`.
pub fn titled(line: &str, word: &str, name: &str) -> bool {
    let line = line.trim_end();
    let Some(rest) = line.strip_prefix("----") else {
        return false;
    };
    let rest = rest.trim_start_matches('-').trim_start();
    let Some(rest) = rest.strip_prefix(word) else {
        return false;
    };
    let (found, end) = match rest.find('-') {
        Some(place) => rest.split_at(place),
        None => return false,
    };
    found.starts_with([' ', '\t'])
        && found.trim() == name
        && end.len() >= 4
        && end.bytes().all(|byte| byte == b'-')
}

/// Reads the configuration in a part of a text.
pub(super) fn within(
    text: &str,
    file: FileId,
    range: std::ops::Range<usize>,
    names: &mut Names,
) -> Result<Configuration, Vec<Diagnostic>> {
    let mut reader = Reader::new(text, file, range, names)?;
    let mut configuration = Configuration::default();
    while reader.peek().kind != TokenKind::End {
        reader.section(&mut configuration)?;
    }
    Ok(configuration)
}
