//! The Promela front-end: text in, a fair system or diagnostics out.
//!
//! The stations, one file or folder each: `preprocess` and `lexer` make tokens, `parser` a syntax
//! tree, `lower` a program; `question` asks about it. The language is that of SPIN 6.5 without
//! embedded C.

pub mod ast;
mod lexer;
mod lower;
mod outline;
mod parser;
mod preprocess;
mod question;
mod specification;
mod token;

use std::collections::HashSet;
use std::sync::Arc;

use evenhand_source::{Diagnostic, FileId, Files, Severity};
use evenhand_system::Program;
use evenhand_system::specification::TextNames;

use lexer::tokenize_model;

pub use lexer::{tokenize, tokenize_with};
pub use lower::{Claim, ClaimKind, Formula, Lowered, LtlProperty, Misread, lower};
pub use parser::{TextKind, parse, parse_expression};
pub use preprocess::{BUDGET, Load, MAX_INCLUDE_DEPTH, MAX_NESTING, Options};
pub use question::Misunderstood;
pub use specification::Promela;
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
    /// What texts are called that stand in no file.
    pub names: TextNames,
    /// Propositions that questions were about.
    atoms: question::Atoms,
    source: Source,
}

/// A text that was read, and can be asked about again and again.
#[derive(Debug)]
pub(crate) struct PromelaText {
    tree: Arc<ast::Model>,
    definitions: Arc<[preprocess::Definition]>,
    lowered: Lowered,
    warnings: Vec<Diagnostic>,
}

impl PromelaText {
    /// A model of which nothing was asked yet.
    fn model(&self) -> PromelaModel {
        let lowered = self.lowered.clone();
        PromelaModel {
            program: Program::new(lowered.spec, lowered.signature),
            formulas: lowered.formulas,
            claims: lowered.claims,
            warnings: self.warnings.clone(),
            names: TextNames::default(),
            atoms: question::Atoms::default(),
            source: Source {
                tree: self.tree.clone(),
                definitions: self.definitions.clone(),
                asked: Vec::new(),
                texts: Vec::new(),
                answers: Vec::new(),
            },
        }
    }
}

/// What later questions need of the text.
#[derive(Debug)]
struct Source {
    tree: Arc<ast::Model>,
    /// The macros at the end of the model.
    definitions: Arc<[preprocess::Definition]>,
    /// The formulas that were asked about the model.
    asked: Vec<ast::Expr>,
    /// Their texts, and what each may be.
    texts: Vec<(String, TextKind)>,
    /// The same, lowered.
    answers: Vec<LtlProperty>,
}

impl Source {
    /// The names of process types.
    fn processes(&self) -> HashSet<Name> {
        let units = self.tree.units.iter();
        let names = units.filter_map(|unit| match unit {
            ast::Unit::Process(process) => Some(process.name.name.clone()),
            _ => None,
        });
        names.collect()
    }

    /// All names that can stand in a question.
    fn names(&self) -> HashSet<Name> {
        let mut names = self.processes();
        for unit in &self.tree.units {
            match unit {
                ast::Unit::Variables(declaration) => {
                    names.extend(declaration.variables.iter().map(|v| v.name.name.clone()));
                }
                ast::Unit::Mtype(mtype) => names.extend(mtype.names.iter().map(|n| n.name.clone())),
                _ => {}
            }
        }
        names
    }
}

/// Reads a model whose main file is `main`.
///
/// # Errors
/// Everything that is wrong with the text; the files, with those that were included, come back too.
pub fn load(
    files: Files,
    main: FileId,
    options: &Options,
) -> Result<PromelaModel, (Files, Vec<Diagnostic>)> {
    Ok(read(Syntax::new(files, main, options))?.model())
}

/// A text as tokens and a tree, with mistakes or without.
pub(crate) struct Syntax {
    files: Files,
    main: FileId,
    tokens: Tokens,
    definitions: Vec<preprocess::Definition>,
    tree: ast::Model,
    /// What is wrong with the tree.
    problems: Vec<Diagnostic>,
}

impl Syntax {
    pub fn new(mut files: Files, main: FileId, options: &Options) -> Syntax {
        let (tokens, definitions) = tokenize_model(&mut files, main, options);
        let (tree, problems) = parse(&tokens.tokens);
        Syntax {
            files,
            main,
            tokens,
            definitions,
            tree,
            problems,
        }
    }
}

/// Reads a text.
pub(crate) fn read(syntax: Syntax) -> Result<PromelaText, (Files, Vec<Diagnostic>)> {
    let Syntax {
        files,
        main,
        tokens,
        definitions,
        tree,
        problems,
    } = syntax;
    let mut diagnostics = tokens.diagnostics;
    diagnostics.extend(problems);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err((files, diagnostics));
    }
    let (mut lowered, found) = lower(&tree, &[], &files);
    diagnostics.extend(found);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err((files, diagnostics));
    }
    lowered.signature.name = files.get(main).name.clone();
    lowered.signature.language = "promela".into();
    lowered.signature.fairness = tokens.fair.into_iter().map(|f| (f.text, f.span)).collect();
    lowered.signature.files = files;
    Ok(PromelaText {
        tree: Arc::new(tree),
        definitions: definitions.into(),
        lowered,
        warnings: diagnostics,
    })
}
