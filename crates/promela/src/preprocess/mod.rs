//! The preprocessor: a model with directives and macros in, plain text with its provenance out.
//!
//! SPIN pipes every model through the C preprocessor. Evenhand must read the same models on
//! machines without a C compiler, and its messages must name places in the files the user wrote, so
//! it has its own. It works on tokens ([`scan`]); directives are carried out as they are met
//! ([`directive`], [`condition`], [`define`]), macros are replaced by a stack of token lists
//! ([`expand`]), and what is left is written out again as text in which each stretch knows where it
//! came from ([`output`]). The Promela lexer then reads that text exactly as SPIN reads the output
//! of `gcc -E`; where SPIN's tokens differ from those of C (`::`, `..`, `!!`), nothing special is
//! needed.
//!
//! Limits, all of them diagnostics: [`MAX_INCLUDE_DEPTH`], [`MAX_NESTING`] of macro calls inside
//! arguments and of `#if` expressions, and [`BUDGET`] for all text that macros and includes
//! produce. Lines such as `#pragma`, `#line` and `# 12 "file"` are passed over: positions are
//! always physical. Macros that a C compiler predefines (`unix`, `__GNUC__`, …) do not exist,
//! except `__LINE__` and `__FILE__`.

mod annotation;
mod condition;
mod define;
mod directive;
mod expand;
mod output;
pub(crate) mod report;
mod scan;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use evenhand_source::{Diagnostic, FileId, Files, Span};

use crate::token::{FairComment, Name};
pub(crate) use define::Definition;
use define::{Body, Macro};
use directive::Condition;
use expand::Context;
pub(crate) use output::Output;
use report::Reports;
use scan::{Kind, PpToken, Scanner, Sink};

/// How deep files may include each other.
pub const MAX_INCLUDE_DEPTH: usize = 100;
/// How deep macro calls may stand in the arguments of others, and parentheses in an `#if`.
pub const MAX_NESTING: usize = 200;
/// What macros and includes may produce altogether, in bytes of text plus 32 for each token.
pub const BUDGET: usize = 64 << 20;

/// What the command line says to the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME` and `-D NAME=VALUE`; without a value the name stands for 1.
    pub defines: Vec<(String, Option<String>)>,
    /// `-I DIRECTORY`: where included files are looked for, after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
    /// Whether files are read from the folder of the model and these alone, and folders below them.
    pub confined: bool,
    /// How many bytes an included file may have; none for the default.
    pub most_bytes: Option<u64>,
}

/// Reads an included file.
pub type Load<'a> = dyn Fn(&Path) -> io::Result<String> + 'a;

/// The preprocessed text and all that was noticed on the way.
pub(crate) struct Preprocessed {
    pub output: Output,
    pub fair: Vec<FairComment>,
    pub reports: Reports,
    /// The macros that are defined at the end, sorted by name.
    pub definitions: Vec<Definition>,
}

/// A file that is being read.
struct Frame {
    scanner: Scanner,
    conditions: Vec<Condition>,
}

struct Preprocessor<'a> {
    files: &'a mut Files,
    options: &'a Options,
    load: &'a Load<'a>,
    loaded: HashMap<PathBuf, FileId>,
    sink: Sink,
    frames: Vec<Frame>,
    contexts: Vec<Context>,
    macros: HashMap<Name, Rc<Macro>>,
    /// Looking for the arguments of a macro: the end of an included file ends them.
    in_arguments: usize,
    /// Looking for the parenthesis before them: a directive stands in the way.
    before_parenthesis: bool,
    nesting: usize,
    budget: usize,
}

/// Preprocesses a model.
pub(crate) fn preprocess(
    files: &mut Files,
    main: FileId,
    options: &Options,
    load: &Load<'_>,
) -> Preprocessed {
    let mut preprocessor = Preprocessor::new(files, options, load);
    preprocessor.open(main);
    preprocessor.define_builtins();
    preprocessor.run(main)
}

/// Preprocesses a text with the macros of a model. It can include nothing.
pub(crate) fn preprocess_text(
    files: &mut Files,
    text: FileId,
    definitions: &[Definition],
) -> Preprocessed {
    let options = Options::default();
    let refuse = |_: &Path| Err(io::Error::other("this is no model"));
    let mut preprocessor = Preprocessor::new(files, &options, &refuse);
    preprocessor.open(text);
    preprocessor.define_builtins();
    let known = definitions.iter().map(Definition::restore);
    preprocessor.macros.extend(known);
    preprocessor.run(text)
}

impl<'a> Preprocessor<'a> {
    fn new(files: &'a mut Files, options: &'a Options, load: &'a Load<'a>) -> Preprocessor<'a> {
        Preprocessor {
            files,
            options,
            load,
            loaded: HashMap::new(),
            sink: Sink::default(),
            frames: Vec::new(),
            contexts: Vec::new(),
            macros: HashMap::new(),
            in_arguments: 0,
            before_parenthesis: false,
            nesting: 0,
            budget: BUDGET,
        }
    }

    /// Reads everything that is open; `main` lies below the rest.
    fn run(mut self, main: FileId) -> Preprocessed {
        let mut output = Output::default();
        while let Some(token) = self.next() {
            output.push(&token);
        }
        self.warn_of_hidden_uses(&output);
        output.end = output
            .pieces
            .last()
            .map_or(Span::new(main, 0, 0), |last| Span {
                start: last.span.end,
                ..last.span
            });
        let mut macros: Vec<_> = self.macros.iter().collect();
        macros.sort_by(|a, b| a.0.cmp(b.0));
        let definitions = macros.iter().filter_map(|(name, m)| m.definition(name));
        Preprocessed {
            output,
            fair: self.sink.fair,
            reports: self.sink.reports,
            definitions: definitions.collect(),
        }
    }
}

impl Preprocessor<'_> {
    fn report(&mut self, report: Diagnostic) {
        self.sink.reports.add(report);
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    /// Starts to read a file.
    fn open(&mut self, file: FileId) {
        let scanner = Scanner::new(file, &self.files.get(file).text);
        self.frames.push(Frame {
            scanner,
            conditions: Vec::new(),
        });
    }

    /// Each `-D` becomes a little file of its own, read before the model.
    fn define_builtins(&mut self) {
        for (text, body) in [("__LINE__", Body::Line), ("__FILE__", Body::File)] {
            let name = self.sink.interner.intern(text);
            self.macros.insert(name, Rc::new(Macro::builtin(body)));
        }
        for (name, value) in self.options.defines.iter().rev() {
            let value = value.as_deref().unwrap_or("1").replace(['\n', '\r'], " ");
            let text = format!("#define {name} {value}");
            let file = self.files.add(format!("<command line: -D {name}>"), text);
            self.open(file);
        }
    }

    /// The next token of the files, directives carried out on the way.
    fn file_token(&mut self) -> Option<PpToken> {
        loop {
            let frame = self.frames.last_mut()?;
            let mark = frame.scanner.mark();
            match frame.scanner.next(false, &mut self.sink) {
                Some(token) if token.line_start && token.is("#") => {
                    if self.before_parenthesis {
                        frame.scanner.go_back(mark);
                        return None;
                    }
                    self.directive(&token);
                }
                Some(token) => return Some(token),
                None => {
                    self.close_conditions();
                    if self.frames.len() == 1 || self.in_arguments > 0 {
                        return None;
                    }
                    self.frames.pop();
                }
            }
        }
    }

    /// Takes from the budget; when it is used up, everything ends.
    fn charge(&mut self, bytes: usize, span: Span) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget = self.budget.saturating_sub(bytes);
        if self.budget > 0 {
            return true;
        }
        let message = format!("macros and includes produce more than {} MB", BUDGET >> 20);
        let report = Diagnostic::error(span, message);
        self.report(report.help("look for a macro whose uses multiply each other"));
        self.halt();
        false
    }

    /// Ends everything: what was read so far is all there is.
    fn halt(&mut self) {
        self.budget = 0;
        self.contexts.clear();
        for frame in &mut self.frames {
            frame.scanner.stop();
            frame.conditions.clear();
        }
    }

    /// In `1..N` the preprocessor sees one number and leaves a macro `N` alone, as C does.
    fn warn_of_hidden_uses(&mut self, output: &Output) {
        for (text, span) in output.ranges() {
            let Some((_, name)) = text.split_once("..") else {
                continue;
            };
            if self.macros.contains_key(name) {
                let message = format!("the macro `{name}` is not replaced in `{text}`");
                let report = Diagnostic::warning(span, message);
                self.report(report.help(format!("put blanks around the dots: ` .. {name}`")));
            }
        }
    }
}
