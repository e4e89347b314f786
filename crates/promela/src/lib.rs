//! The Promela front-end: text in, a fair system or diagnostics out.
//!
//! The stations, one file or folder each: `preprocess` and `lexer` make tokens, `parser` a syntax
//! tree, `lower` a program; `question` asks about it. The language is that of SPIN 6.5 without embedded C.

pub mod ast;
mod lexer;
mod lower;
mod parser;
mod preprocess;
mod question;
mod token;

use evenhand_source::{Diagnostic, FileId, Files, Severity};
use evenhand_system::Program;

pub use lexer::{tokenize, tokenize_with};
pub use lower::{Claim, ClaimKind, Formula, Lowered, LtlProperty, lower};
pub use parser::{parse, parse_expression};
pub use preprocess::{BUDGET, Load, MAX_INCLUDE_DEPTH, MAX_NESTING, Options};
pub use token::{FairComment, Keyword, Name, Punct, Token, TokenKind, Tokens};

/// A model that was read.
#[derive(Debug)]
pub struct PromelaModel {
    /// The system.
    pub program: Program,
    /// The formulas of `ltl` blocks.
    pub formulas: Vec<LtlProperty>,
    /// Never claims and trace assertions.
    pub claims: Vec<Claim>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Propositions that questions were about.
    atoms: question::Atoms,
}

/// Reads a model whose main file is `main`.
///
/// # Errors
/// Everything that is wrong with the text; the files, with those that were included, come back too.
pub fn load(
    mut files: Files,
    main: FileId,
    options: &Options,
) -> Result<PromelaModel, (Files, Vec<Diagnostic>)> {
    let tokens = tokenize(&mut files, main, options);
    let mut diagnostics = tokens.diagnostics;
    let (tree, found) = parse(&tokens.tokens);
    diagnostics.extend(found);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err((files, diagnostics));
    }
    let (mut lowered, found) = lower(&tree, &files);
    diagnostics.extend(found);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err((files, diagnostics));
    }
    lowered.signature.name = files.get(main).name.clone();
    lowered.signature.language = "promela".into();
    lowered.signature.fairness = tokens.fair.into_iter().map(|f| (f.text, f.span)).collect();
    lowered.signature.files = files;
    Ok(PromelaModel {
        program: Program::new(lowered.spec, lowered.signature),
        formulas: lowered.formulas,
        claims: lowered.claims,
        warnings: diagnostics,
        atoms: question::Atoms::default(),
    })
}
