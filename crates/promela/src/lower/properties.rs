//! Temporal properties: the formulas of `ltl` blocks and those that are asked.
//!
//! What has no temporal operator inside is an atom, an expression over the state. A block that
//! compares a temporal formula (`[]<> x == 1`) is no mistake to SPIN, which reads a constant there.
//! So the rest of the model is checked: the block is left out with a warning, and with it everything
//! that it would have made of the model; who asks for it by name gets the error. Other mistakes are
//! mistakes of the model.

use evenhand_source::{Diagnostic, Severity, Span};
use evenhand_system::signature::{Property, PropertyKind};

use super::{Formula, Lowering, LtlProperty, Misread, shown};
use crate::ast::{self, Ident};
use crate::question::observe;

/// What is wrong where parentheses are missing.
const COMPARED: &str = "a temporal formula is compared or calculated with";

const TIGHT: &str = "temporal operators bind tightly: write `<> (x == 1)`, not `<> x == 1`";

/// Names of properties that mean something in every model.
const RESERVED: [&str; 7] = [
    "assertions",
    "deadlock",
    "never",
    "acceptance",
    "progress",
    "total",
    "feasible",
];

impl Lowering<'_> {
    pub(super) fn ltl(&mut self, name: &Ident, formula: &ast::Expr) {
        self.property_name(name, formula.span);
        let before = std::mem::take(&mut self.diagnostics);
        let uses = (self.found.uses_timeout, self.found.uses_last);
        let (priorities, labels) = (self.found.uses_priorities, self.found.remote_labels.clone());
        let property = self.property(&name.name, formula);
        let found = std::mem::replace(&mut self.diagnostics, before);
        let mut errors = found.iter().filter(|d| d.severity == Severity::Error);
        let is_right = errors.clone().next().is_none();
        if is_right || errors.any(|error| error.message != COMPARED) {
            found.into_iter().for_each(|d| self.report(d));
            self.lowered.formulas.push(property);
            return;
        }
        // What it would have made of the model is left out with it.
        (self.found.uses_timeout, self.found.uses_last) = uses;
        (self.found.uses_priorities, self.found.remote_labels) = (priorities, labels);
        self.misread(name, found);
    }

    fn misread(&mut self, name: &Ident, wrong: Vec<Diagnostic>) {
        let misread = Misread {
            name: name.name.to_string(),
            wrong,
        };
        misread.warnings().for_each(|warning| self.report(warning));
        self.lowered.misread.push(misread);
    }

    /// The name of a formula that stands at a place.
    fn property_name(&mut self, name: &Ident, span: Span) {
        let text = self.text(span);
        if RESERVED.contains(&&*name.name) {
            let message = format!(
                "`{}` is the name of a property that every model has",
                name.name
            );
            self.report(Diagnostic::error(name.span, message).help("choose another name"));
        }
        if self
            .lowered
            .signature
            .properties
            .iter()
            .any(|p| *p.name == *name.name)
        {
            let message = format!("property `{}` is defined twice", name.name);
            self.error(name.span, message);
        }
        self.lowered.signature.properties.push(Property {
            name: name.name.to_string(),
            kind: PropertyKind::Ltl(text),
            span: name.span,
        });
    }

    pub(super) fn property(&mut self, name: &str, formula: &ast::Expr) -> LtlProperty {
        let mut property = LtlProperty {
            name: name.to_string(),
            formula: Formula::Atom(0),
            atoms: Vec::new(),
            texts: Vec::new(),
            span: formula.span,
        };
        let known = self.diagnostics.len();
        property.formula = self.formula(formula, None, &mut property);
        self.show_macros(formula, known);
        property
    }

    /// Says what stands at the place of a diagnostic, if that is the use of a macro: of those behind
    /// the first few, which are about a formula.
    fn show_macros(&mut self, formula: &ast::Expr, known: usize) {
        let found = self
            .diagnostics
            .split_off(known.min(self.diagnostics.len()));
        for diagnostic in found {
            let meant = diagnostic.span.and_then(|span| {
                let text = shown::shown(shown::standing_at(formula, span)?);
                let written = self.text(span);
                let is_macro = shown::uses_macro(&written, &text);
                is_macro.then(|| (span, format!("stands for `{text}`")))
            });
            self.diagnostics.push(match meant {
                Some((span, text)) => diagnostic.label(span, text),
                None => diagnostic,
            });
        }
    }

    /// A formula, perhaps inside of one at a place; what has no temporal operator inside is an
    /// atom.
    fn formula(
        &mut self,
        expr: &ast::Expr,
        around: Option<Span>,
        property: &mut LtlProperty,
    ) -> Formula {
        use crate::ast::{Binary, ExprKind, Unary};
        if !is_temporal(expr) {
            let atom = self.expr(expr);
            if let Err((message, help)) = observe(&atom, "a formula") {
                self.report(Diagnostic::error(expr.span, message).maybe_help(help));
            }
            property.atoms.push(atom);
            // Where the whole stands, something stands that is not this atom: the use of a macro.
            property.texts.push(match around == Some(expr.span) {
                true => shown::shown(expr),
                false => self.text(expr.span),
            });
            return Formula::Atom(property.atoms.len() - 1);
        }
        match &expr.kind {
            ExprKind::Unary(op, operand) => {
                if matches!(op, Unary::Neg | Unary::Complement) {
                    self.temporal_operand(expr.span, TIGHT);
                }
                Formula::Unary(
                    *op,
                    Box::new(self.formula(operand, Some(expr.span), property)),
                )
            }
            ExprKind::Binary(op, operands) => {
                let boolean = matches!(
                    op,
                    Binary::And | Binary::Or | Binary::Implies | Binary::Equiv
                );
                if !boolean && !op.is_temporal() {
                    let help = match op {
                        Binary::BitAnd => "write `&&`: `&` is the bitwise operator",
                        Binary::BitOr => "write `||`: `|` is the bitwise operator",
                        _ => TIGHT,
                    };
                    self.temporal_operand(expr.span, help);
                }
                let left = self.formula(&operands.0, Some(expr.span), property);
                let right = self.formula(&operands.1, Some(expr.span), property);
                Formula::Binary(*op, Box::new((left, right)))
            }
            _ => {
                self.error(
                    expr.span,
                    "a temporal operator inside of a state expression",
                );
                Formula::Atom(0)
            }
        }
    }

    /// A comparison or sum of a temporal formula: almost always missing parentheses.
    fn temporal_operand(&mut self, span: Span, help: &str) {
        self.report(Diagnostic::error(span, COMPARED).help(help));
    }
}

/// Whether an expression has a temporal operator inside.
fn is_temporal(expr: &ast::Expr) -> bool {
    use crate::ast::ExprKind;
    match &expr.kind {
        ExprKind::Unary(op, operand) => op.is_temporal() || is_temporal(operand),
        ExprKind::Binary(op, operands) => {
            op.is_temporal() || is_temporal(&operands.0) || is_temporal(&operands.1)
        }
        ExprKind::Conditional(parts) => {
            is_temporal(&parts.0) || is_temporal(&parts.1) || is_temporal(&parts.2)
        }
        _ => false,
    }
}
