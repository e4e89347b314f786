//! The formulas of `ltl` blocks as formulas of temporal logic over propositions.
//!
//! SPIN splits a formula at its temporal operators and at the connectives above them; what has no
//! temporal operator inside is one state expression, connectives and all, and stays one
//! proposition: `x != 0 && 8 / x > 2` must not be divided into a part that fails where the whole
//! does not. Only negations in front of an expression are taken off, so that `p` and `!p` are about
//! the same.
//!
//! `W` is weak until, `V` release; `X` reads the next state, which is the same one again where a
//! run has ended.

use evenhand_logic::{Binary, FormulaId, Formulas, Quantifier, Unary};
use evenhand_system::PropositionId;
use evenhand_system::program::expr::Expr;

use super::{Origin, without_negations};
use crate::{Formula, LtlProperty, PromelaModel, ast};

impl PromelaModel {
    /// The formula of an `ltl` block, by its place in [`PromelaModel::formulas`], and the
    /// propositions that its atoms stand for: `propositions[atom.index()]`.
    ///
    /// The store must hold no atoms but those of earlier calls for the same model.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn ltl(&mut self, index: usize, store: &mut Formulas) -> (FormulaId, Vec<PropositionId>) {
        let property = self.formulas[index].clone();
        let origin = |atom| Origin::Block(index, atom);
        let formula = self.convert(&property, &property.formula, &origin, store);
        (formula, self.propositions_of(store))
    }

    /// For each atom of a store, its proposition.
    pub(super) fn propositions_of(&mut self, store: &Formulas) -> Vec<PropositionId> {
        let texts: Vec<String> = store.atoms().map(|(_, atom)| atom.text.clone()).collect();
        let mut list = Vec::with_capacity(texts.len());
        for text in texts {
            let known = self.atoms.known.iter().find(|atom| atom.text == text);
            let id = known.map(|atom| atom.id);
            list.push(id.unwrap_or_else(|| self.nowhere()));
        }
        list
    }

    /// A proposition that holds nowhere: for an atom that this model never heard of.
    fn nowhere(&mut self) -> PropositionId {
        let (program, never) = (&mut self.program, Expr::Const(0));
        let atom = self.atoms.intern(program, "false", &never, Origin::Fixed);
        self.atoms.known[atom].id
    }

    pub(super) fn convert(
        &mut self,
        property: &LtlProperty,
        formula: &Formula,
        origin: &dyn Fn(usize) -> Origin,
        store: &mut Formulas,
    ) -> FormulaId {
        match formula {
            Formula::Atom(index) => {
                let (Some(expr), Some(text)) =
                    (property.atoms.get(*index), property.texts.get(*index))
                else {
                    return FormulaId::FALSE; // only after an error in the formula
                };
                self.atom(text, expr, origin(*index), store)
            }
            Formula::Unary(op, operand) => {
                let operand = self.convert(property, operand, origin, store);
                match op {
                    ast::Unary::Always => store.unary(Unary::Globally, operand),
                    ast::Unary::Eventually => store.unary(Unary::Finally, operand),
                    ast::Unary::Next => store.unary(Unary::Next, operand),
                    ast::Unary::Yesterday => store.unary(Unary::Yesterday, operand),
                    ast::Unary::WeakYesterday => store.unary(Unary::WeakYesterday, operand),
                    ast::Unary::Once => store.unary(Unary::Once, operand),
                    ast::Unary::Historically => store.unary(Unary::Historically, operand),
                    ast::Unary::All => store.path(Quantifier::All, operand),
                    ast::Unary::Exists => store.path(Quantifier::Exists, operand),
                    // The others cannot stand in front of a temporal formula.
                    ast::Unary::Not | ast::Unary::Neg | ast::Unary::Complement => {
                        store.not(operand)
                    }
                }
            }
            Formula::Binary(op, operands) => {
                let left = self.convert(property, &operands.0, origin, store);
                let right = self.convert(property, &operands.1, origin, store);
                match op {
                    ast::Binary::And => store.and([left, right]),
                    ast::Binary::Or => store.or([left, right]),
                    ast::Binary::Implies => store.implies(left, right),
                    ast::Binary::Until => store.binary(Binary::Until, left, right),
                    ast::Binary::WeakUntil => store.binary(Binary::WeakUntil, left, right),
                    ast::Binary::Release => store.binary(Binary::Release, left, right),
                    ast::Binary::StrongRelease => store.binary(Binary::StrongRelease, left, right),
                    ast::Binary::Since => store.binary(Binary::Since, left, right),
                    ast::Binary::Trigger => store.binary(Binary::Trigger, left, right),
                    // The others cannot stand between temporal formulas.
                    _ => store.iff(left, right),
                }
            }
        }
    }

    fn atom(&mut self, text: &str, expr: &Expr, origin: Origin, store: &mut Formulas) -> FormulaId {
        let (text, expr, positive) = without_negations(text, expr);
        if let Expr::Const(value) = expr {
            return store.constant((*value != 0) == positive);
        }
        let index = self.atoms.intern(&mut self.program, &text, expr, origin);
        let atom = store.host_atom(&self.atoms.known[index].text);
        if positive { atom } else { store.not(atom) }
    }
}
