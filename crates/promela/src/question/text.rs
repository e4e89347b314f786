//! Formulas and state expressions from the command line.
//!
//! The text is preprocessed with the macros that are defined at the end of the model, cut into
//! tokens and parsed like the formula of an `ltl` block, with the operators of the past besides.
//! Words that are operators only here (`G F Y Z O H S T M` and their long forms; in a formula of
//! branching time the path quantifiers `A` and `E`, `AG`, `EF` and so on) are names where the model
//! declares them.
//!
//! Then the model is lowered again together with all texts so far, and the propositions that exist
//! already are made again in the same order, so their numbers stay what they are. Numbers of
//! *actions* may change: a label that stands in front of a `goto` becomes a control state when
//! somebody asks for it, as in SPIN. Items of fairness are therefore resolved last.

use evenhand_logic::{FormulaId, Formulas, MAX_DEPTH};
use evenhand_source::{Diagnostic, FileId, Files, Severity};
use evenhand_system::program::expr::Expr;
use evenhand_system::{Program, PropositionId};

use super::never::conditions;
use super::{Origin, same, without_negations};
use crate::ast::Unary;
use crate::lexer::tokenize_text;
use crate::lower::{Formula, lower};
use crate::parser::{TextKind, parse_expression};
use crate::{LtlProperty, PromelaModel};

/// A text that could not be understood: the files of the model with the text as a further one, and
/// what is wrong.
pub type Misunderstood = (Files, Vec<Diagnostic>);

impl PromelaModel {
    /// Reads an LTL formula about the model, with past operators; its atoms are expressions over
    /// globals, `proc[pid]:var` and `proc[pid]@label`. The propositions are numbered like the
    /// atoms: `propositions[atom.index()]`.
    ///
    /// The store must hold no atoms but those of earlier calls for the same model.
    ///
    /// # Errors
    /// If it is no formula, or speaks about what the model does not have.
    pub fn parse_ltl(
        &mut self,
        text: &str,
        store: &mut Formulas,
    ) -> Result<(FormulaId, Vec<PropositionId>), Misunderstood> {
        self.parse_formula(self.names.linear, text, TextKind::Linear, store)
    }

    /// Reads a formula of CTL* about the model: as [`PromelaModel::parse_ltl`], with the path
    /// quantifiers `A` and `E`, also written `AG`, `EF` and so on, where the model gives these
    /// words no meaning.
    ///
    /// # Errors
    /// As [`PromelaModel::parse_ltl`], or if a temporal operator stands under no quantifier.
    pub fn parse_ctl_star(
        &mut self,
        text: &str,
        store: &mut Formulas,
    ) -> Result<(FormulaId, Vec<PropositionId>), Misunderstood> {
        self.parse_formula(self.names.branching, text, TextKind::Branching, store)
    }

    fn parse_formula(
        &mut self,
        name: &str,
        text: &str,
        kind: TextKind,
        store: &mut Formulas,
    ) -> Result<(FormulaId, Vec<PropositionId>), Misunderstood> {
        let index = self.ask(name, text, kind)?;
        let property = self.source.answers[index].clone();
        if kind == TextKind::Branching && is_loose(&property.formula) {
            let message = "a temporal operator must stand under a path quantifier";
            let help = "write `A` or `E` before the formula: `A (p U q)`, `AG p`";
            let problem = Diagnostic::error(property.span, message).help(help);
            return Err((self.files().clone(), vec![problem]));
        }
        let origin = |atom| Origin::Asked(index, atom);
        let formula = self.convert(&property, &property.formula, &origin, store);
        if store.depth(formula) > MAX_DEPTH {
            let message = format!("the formula is nested more than {MAX_DEPTH} deep");
            let problem = Diagnostic::error(property.span, message);
            return Err((self.files().clone(), vec![problem]));
        }
        Ok((formula, self.propositions_of(store)))
    }

    /// Reads an expression over globals, `proc[pid]:var` and `proc[pid]@label`.
    ///
    /// # Errors
    /// If it is no state expression, or speaks about what the model does not have.
    pub fn state_expression(&mut self, text: &str) -> Result<PropositionId, Misunderstood> {
        let (atom, _) = self.state_atom("the expression", text)?;
        Ok(self.atoms.known[atom].id)
    }

    /// The atom of a state expression, and its value if that is always the same.
    pub(super) fn state_atom(
        &mut self,
        name: &str,
        text: &str,
    ) -> Result<(usize, Option<bool>), Misunderstood> {
        let index = self.ask(name, text, TextKind::State)?;
        let property = &self.source.answers[index];
        let (expr, text) = (property.atoms[0].clone(), property.texts[0].clone());
        let constant = match &expr {
            Expr::Const(value) => Some(*value != 0),
            _ => None,
        };
        let origin = Origin::State(index);
        let program = &mut self.program;
        let atom = self.atoms.intern(program, &text, &expr, origin);
        Ok((atom, constant))
    }

    /// The same for an expression that was asked about before.
    pub(super) fn known_state_atom(&self, text: &str) -> Option<(usize, Option<bool>)> {
        let mut texts = self.source.texts.iter();
        let index = texts.position(|(known, kind)| known == text && *kind == TextKind::State)?;
        let expr = self.source.answers.get(index)?.atoms.first()?;
        let atom = self
            .atoms
            .known
            .iter()
            .position(|atom| same(&atom.expr, expr))?;
        let constant = match expr {
            Expr::Const(value) => Some(*value != 0),
            _ => None,
        };
        Some((atom, constant))
    }

    fn files(&self) -> &Files {
        &self.program.signature().files
    }

    /// Reads a text and lowers the model with it; its place in the list of what was asked.
    fn ask(&mut self, name: &str, text: &str, kind: TextKind) -> Result<usize, Misunderstood> {
        let key = (text.to_string(), kind);
        if let Some(index) = self.source.texts.iter().position(|t| *t == key) {
            return Ok(index); // once is enough
        }
        let mut files = self.files().clone();
        let file = files.add(name, text);
        let (names, processes) = (self.source.names(), self.source.processes());
        let tokens = tokenize_text(&mut files, file, &self.source.definitions);
        let (formula, found) = parse_expression(&tokens.tokens, &names, &processes, kind);
        let mut problems = tokens.diagnostics;
        problems.extend(found);
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        let Some(formula) = formula.filter(|_| !problems.iter().any(is_error)) else {
            return Err((files, problems));
        };
        self.source.asked.push(formula);
        let (lowered, found) = lower(&self.source.tree, &self.source.asked, &files);
        problems.extend(found.into_iter().filter(|d| is_about(d, file)));
        let Some(property) = lowered.asked.last() else {
            self.source.asked.pop();
            return Err((files, problems));
        };
        if problems.iter().any(is_error) || kind == TextKind::State && !is_state(property) {
            self.source.asked.pop();
            return Err((files, problems));
        }
        self.source.texts.push(key);
        self.warnings.extend(problems);
        self.replace(lowered, files);
        Ok(self.source.asked.len() - 1)
    }

    /// Goes on with a model that was lowered anew.
    fn replace(&mut self, mut lowered: crate::Lowered, files: Files) {
        let before = self.program.signature();
        lowered.signature.name = before.name.clone();
        lowered.signature.language = before.language.clone();
        lowered.signature.fairness = before.fairness.clone();
        lowered.signature.files = files;
        self.program = Program::new(lowered.spec, lowered.signature);
        self.formulas = lowered.formulas;
        self.claims = lowered.claims;
        self.source.answers = lowered.asked;
        for index in 0..self.atoms.known.len() {
            let origin = self.atoms.known[index].origin;
            let fresh = self.original(origin).map(|expr| match origin {
                Origin::State(_) => expr.clone(),
                _ => without_negations("", expr).1.clone(),
            });
            let atom = &mut self.atoms.known[index];
            if let Some(fresh) = fresh {
                atom.expr = fresh;
            }
            atom.id = self.program.add_proposition(atom.text.clone(), &atom.expr);
        }
    }

    /// The expression at a place of the model; none for one that never changes.
    fn original(&self, origin: Origin) -> Option<&Expr> {
        match origin {
            Origin::Fixed => None,
            Origin::Block(property, atom) => self.formulas.get(property)?.atoms.get(atom),
            Origin::Asked(property, atom) => self.source.answers.get(property)?.atoms.get(atom),
            Origin::State(property) => self.source.answers.get(property)?.atoms.first(),
            Origin::Claim(claim, number) => {
                let process = &self.claims.get(claim)?.process;
                conditions(process).get(number).copied()
            }
        }
    }
}

/// Whether a formula is a state expression.
fn is_state(property: &LtlProperty) -> bool {
    matches!(property.formula, Formula::Atom(0)) && property.atoms.len() == 1
}

/// Whether a temporal operator stands under no path quantifier.
fn is_loose(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(_) => false,
        Formula::Unary(Unary::All | Unary::Exists, _) => false,
        Formula::Unary(op, operand) => op.is_temporal() || is_loose(operand),
        Formula::Binary(op, operands) => {
            op.is_temporal() || is_loose(&operands.0) || is_loose(&operands.1)
        }
    }
}

/// Whether a diagnostic is about a file.
fn is_about(diagnostic: &Diagnostic, file: FileId) -> bool {
    diagnostic.span.is_some_and(|span| span.file == file)
}
