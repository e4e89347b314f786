//! Operators that are written out by others.
//!
//! Bounded operators become nested `X` (`Y` in the past); those of real-time CTL nested `EX` and
//! `AX`, with quantifiers at every step, as NuSMV defines them. A condition that mentions the next
//! state is split: for each value that the next state may give to the variables mentioned, "next
//! that value, and the condition with that value now". Where these are many, the formula would grow with them:
//! then the condition is an input that is true exactly of the steps that satisfy it.

use std::collections::{HashMap, HashSet};

use evenhand_logic::{FormulaId, Unary};
use evenhand_source::Span;
use evenhand_system::relation::{BinaryOp, ExprId, Node, Role, Sort, VarId, Variable};

use super::{Lowering, Result, build};
use crate::ast::Quantifier;

/// The largest bound of a bounded operator.
const MAX_BOUND: i64 = 10_000;

/// Into how many cases a condition on the next state is split at most.
const MAX_CASES: usize = 16;

impl Lowering<'_> {
    pub(super) fn time_range(&mut self, (low, high): (i64, i64), span: Span) -> Result<(i64, i64)> {
        if low < 0 || high < low {
            return self.error(span, format!("{low}..{high} is no range of times"));
        }
        if high > MAX_BOUND {
            return self.error(span, format!("bounds up to {MAX_BOUND} are supported"));
        }
        Ok((low, high))
    }

    /// `F [a,b] p` and its kind.
    pub(super) fn bounded(
        &mut self,
        operator: Unary,
        (low, high): (u32, u32),
        operand: FormulaId,
        span: Span,
    ) -> Result<FormulaId> {
        let (low, high) = self.time_range((low.into(), high.into()), span)?;
        let (step, any) = match operator {
            Unary::Finally => (Unary::Next, true),
            Unary::Globally => (Unary::Next, false),
            Unary::Once => (Unary::Yesterday, true),
            // False where the run has not begun, as NuSMV has it: `H [1,1] p` is `Y p`.
            _ => (Unary::Yesterday, false),
        };
        let mut result = operand;
        for _ in low..high {
            let later = self.formulas.unary(step, result);
            result = match any {
                true => self.formulas.or([operand, later]),
                false => self.formulas.and([operand, later]),
            };
        }
        for _ in 0..low {
            result = self.formulas.unary(step, result);
        }
        Ok(result)
    }

    fn next_on(&mut self, quantifier: Quantifier, operand: FormulaId) -> FormulaId {
        let next = self.formulas.next(operand);
        self.formulas.path(quantifier, next)
    }

    pub(super) fn bounded_path(
        &mut self,
        quantifier: Quantifier,
        finally: bool,
        (low, high): (i64, i64),
        operand: FormulaId,
    ) -> FormulaId {
        let mut result = operand;
        for _ in low..high {
            let later = self.next_on(quantifier, result);
            result = match finally {
                true => self.formulas.or([operand, later]),
                false => self.formulas.and([operand, later]),
            };
        }
        for _ in 0..low {
            result = self.next_on(quantifier, result);
        }
        result
    }

    /// `E [p BU a..b q]`: `p` for `a` steps, then `q` within `b - a` more, `p` until then.
    pub(super) fn bounded_until(
        &mut self,
        quantifier: Quantifier,
        left: FormulaId,
        (low, high): (i64, i64),
        right: FormulaId,
    ) -> FormulaId {
        let mut result = right;
        for _ in low..high {
            let later = self.next_on(quantifier, result);
            let later = self.formulas.and([left, later]);
            result = self.formulas.or([right, later]);
        }
        for _ in 0..low {
            let later = self.next_on(quantifier, result);
            result = self.formulas.and([left, later]);
        }
        result
    }

    /// A condition on a step as a formula with `X`.
    pub(super) fn split(&mut self, text: &str, condition: ExprId) -> FormulaId {
        let (_, next) = self.relation.expressions.support(condition);
        let mut cases: Vec<Vec<(VarId, i64)>> = vec![Vec::new()];
        for &id in &next {
            let values = self.relation.variables[id.0 as usize]
                .sort
                .values(MAX_CASES);
            let count = values.as_ref().map_or(usize::MAX, Vec::len);
            let (Some(values), true) = (values, cases.len().saturating_mul(count) <= MAX_CASES)
            else {
                return self.step(text, condition);
            };
            let longer = cases.iter().flat_map(|case| {
                let with = |&value| [&case[..], &[(id, value)]].concat();
                values.iter().map(with)
            });
            cases = longer.collect();
        }
        let mut any = Vec::new();
        for case in cases {
            let now = self.with_next(condition, &case);
            let label = case.iter().map(|(id, value)| {
                let name = &self.relation.variables[id.0 as usize].name;
                let symbol = self.relation.symbol_name(*value).map(str::to_string);
                let value = symbol.unwrap_or_else(|| value.to_string());
                (*id, format!("{name} = {value}"))
            });
            let label: Vec<(VarId, String)> = label.collect();
            let texts: Vec<&str> = label.iter().map(|(_, text)| text.as_str()).collect();
            let now = self.atom_of(format!("{text} if next {}", texts.join(", ")), now);
            let mut parts = Vec::new();
            for ((id, text), (_, value)) in label.into_iter().zip(case) {
                let pool = &mut self.relation.expressions;
                let (variable, value) = (pool.current(id), pool.constant(value));
                let is = pool.equal(variable, value);
                parts.push(self.atom_of(text, is));
            }
            let then = self.formulas.and(parts);
            let then = self.formulas.next(then);
            any.push(self.formulas.and([now, then]));
        }
        self.formulas.or(any)
    }

    /// A condition on a step as an input that says whether the step satisfies it.
    fn step(&mut self, text: &str, condition: ExprId) -> FormulaId {
        let input = match self.steps.get(&condition) {
            Some(&input) => input,
            None => {
                let names = self.relation.variables.iter().map(|v| &v.name);
                let names: HashSet<&String> = names.collect();
                let mut name = format!("({text})");
                while names.contains(&name) {
                    name = format!("({name})");
                }
                let input = self.relation.add(Variable {
                    name,
                    sort: Sort::Bool,
                    role: Role::Input,
                });
                let pool = &mut self.relation.expressions;
                let said = pool.current(input);
                let defined = pool.binary(BinaryOp::Iff, said, condition);
                for part in &mut self.relation.trans {
                    part.constraints.push(defined);
                }
                self.steps.insert(condition, input);
                input
            }
        };
        let said = self.relation.expressions.current(input);
        self.atom_of(text.to_string(), said)
    }

    /// The expression with next values replaced by numbers.
    fn with_next(&mut self, expr: ExprId, values: &[(VarId, i64)]) -> ExprId {
        let pool = &mut self.relation.expressions;
        let mut copies: HashMap<ExprId, ExprId> = HashMap::new();
        let mut last = expr;
        for id in pool.closure(expr) {
            let node = match *pool.node(id) {
                Node::Next(variable) => {
                    let value = values.iter().find(|(known, _)| *known == variable);
                    Node::Const(value.map_or(0, |(_, value)| *value))
                }
                node => node.map(|operand| copies[&operand]),
            };
            last = build::add(pool, node);
            copies.insert(id, last);
        }
        last
    }
}
