//! The SMV front-end: text in, a fair system and its properties or diagnostics out.
//!
//! The stations, one file or folder each: `lexer` makes tokens, `parser` a syntax tree, `lower` a
//! relation with formulas. The language is the finite-state part of NuSMV 2.6; formulas of branching
//! time may be any of CTL*, with past operators.

pub mod ast;
mod lexer;
mod lower;
mod parser;
mod properties;
mod token;
pub mod types;

use std::collections::HashMap;

use evenhand_logic::{AtomId, Formulas};
use evenhand_source::{Diagnostic, FileId, Files, Severity};
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::Relation;

pub use lexer::tokenize;
pub use parser::{parse, parse_expression};
pub use properties::{SmvProperty, SmvPropertyKind};
pub use token::{Name, Token, TokenKind, WordConstant, is_reserved};

/// A model that was read.
#[derive(Debug)]
pub struct SmvModel {
    /// The files.
    pub files: Files,
    /// The system.
    pub relation: Relation,
    /// The store of the formulas of the properties.
    pub formulas: Formulas,
    /// For each atom of the formulas, the proposition of the system that it stands for.
    pub propositions: Vec<PropositionId>,
    /// The properties in the order in which NuSMV numbers them within a kind.
    pub properties: Vec<SmvProperty>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl SmvModel {
    /// The proposition that an atom of a formula stands for.
    pub fn proposition(&self, atom: AtomId) -> Option<PropositionId> {
        self.propositions.get(atom.index()).copied()
    }
}

/// Reads a model.
///
/// # Errors
/// Everything that is wrong with the text; the files come back too.
pub fn load(files: Files, main: FileId) -> Result<SmvModel, (Files, Vec<Diagnostic>)> {
    let (tokens, mut diagnostics) = tokenize(&files, main);
    let (tree, found) = parse(&tokens);
    diagnostics.extend(found);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err((files, diagnostics));
    }
    let (mut lowered, found) = lower::lower(&tree);
    diagnostics.extend(found);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err((files, diagnostics));
    }
    lowered.relation.name = files.get(main).name.clone();
    for property in &mut lowered.properties {
        property.text = files.text(property.span).to_string();
    }
    let names: HashMap<&str, PropositionId> = (0..)
        .map(PropositionId)
        .zip(&lowered.relation.propositions)
        .map(|(id, (name, _))| (name.as_str(), id))
        .collect();
    let atoms = lowered.formulas.atoms();
    let propositions = atoms
        .map(|(_, atom)| names.get(atom.text.as_str()).copied())
        .map(|id| id.unwrap_or(PropositionId(u32::MAX)))
        .collect();
    Ok(SmvModel {
        files,
        relation: lowered.relation,
        formulas: lowered.formulas,
        propositions,
        properties: lowered.properties,
        warnings: diagnostics,
    })
}
