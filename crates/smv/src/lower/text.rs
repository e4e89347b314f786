//! Conditions as text: what propositions are called.
//!
//! Names are written out as the flat names that they stand for, so that a text means one thing in
//! the whole model; parentheses stand around every operand that has operators itself.

use super::names::Target;
use super::{InstanceId, Lowering};
use crate::ast::{Expr, ExprKind, Function};

/// How long a text may become: arguments are written out, and may contain arguments.
const MAX_TEXT: usize = 2000;

impl Lowering<'_> {
    /// The text of an expression in an instance.
    pub(super) fn text(&self, expr: &Expr, context: InstanceId) -> String {
        let mut out = String::new();
        self.write(expr, context, false, &mut out);
        out
    }

    fn write(&self, expr: &Expr, context: InstanceId, bracketed: bool, out: &mut String) {
        if out.len() > MAX_TEXT {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        let list = |list: &[Expr], out: &mut String| {
            for (at, part) in list.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                self.write(part, context, false, out);
            }
        };
        let open = bracketed
            && matches!(
                expr.kind,
                ExprKind::Chain(..) | ExprKind::Implies(..) | ExprKind::Conditional(..)
            );
        if open {
            out.push('(');
        }
        match &expr.kind {
            ExprKind::Truth(true) => out.push_str("TRUE"),
            ExprKind::Truth(false) => out.push_str("FALSE"),
            ExprKind::Number(value) => out.push_str(&value.to_string()),
            ExprKind::Word(c) => {
                let sign = if c.signed { 's' } else { 'u' };
                out.push_str(&format!("0{sign}h{}_{}", c.bits, c.hexadecimal()));
            }
            ExprKind::Name(name) => match self.follow(expr, context) {
                Some(Target::Flat(flat)) if self.symbols.contains_key(&flat) => {
                    out.push_str(&flat);
                }
                Some(Target::Argument(argument, from, _)) => {
                    self.write(argument, from, true, out);
                }
                _ => out.push_str(name),
            },
            ExprKind::Itself => out.push_str("self"),
            ExprKind::Dot(base, name) => match self.follow(expr, context) {
                Some(Target::Flat(flat)) => out.push_str(&flat),
                Some(Target::Argument(argument, from, _)) => {
                    self.write(argument, from, true, out);
                }
                None => {
                    self.write(base, context, true, out);
                    out.push('.');
                    out.push_str(name);
                }
            },
            ExprKind::Index(base, index) => {
                self.write(base, context, true, out);
                out.push('[');
                self.write(index, context, false, out);
                out.push(']');
            }
            ExprKind::Bits(base, high, low) => {
                self.write(base, context, true, out);
                out.push('[');
                self.write(high, context, false, out);
                out.push(':');
                self.write(low, context, false, out);
                out.push(']');
            }
            ExprKind::Not(operand) => {
                out.push('!');
                self.write(operand, context, true, out);
            }
            ExprKind::Negative(operand) => {
                out.push('-');
                self.write(operand, context, true, out);
            }
            ExprKind::Next(operand) => {
                out.push_str("next(");
                self.write(operand, context, false, out);
                out.push(')');
            }
            ExprKind::Call(function, arguments) => {
                out.push_str(function_name(*function));
                out.push('(');
                list(arguments, out);
                out.push(')');
            }
            ExprKind::Case(branches) => {
                out.push_str("case ");
                for (condition, value) in branches {
                    self.write(condition, context, false, out);
                    out.push_str(" : ");
                    self.write(value, context, false, out);
                    out.push_str("; ");
                }
                out.push_str("esac");
            }
            ExprKind::Conditional(test, yes, no) => {
                self.write(test, context, true, out);
                out.push_str(" ? ");
                self.write(yes, context, true, out);
                out.push_str(" : ");
                self.write(no, context, true, out);
            }
            ExprKind::Chain(first, rest) => {
                self.write(first, context, true, out);
                for (operator, operand) in rest {
                    out.push(' ');
                    out.push_str(operator.sign());
                    out.push(' ');
                    self.write(operand, context, true, out);
                }
            }
            ExprKind::Implies(left, right) => {
                self.write(left, context, true, out);
                out.push_str(" -> ");
                self.write(right, context, true, out);
            }
            ExprKind::Set(elements) => {
                out.push('{');
                list(elements, out);
                out.push('}');
            }
            ExprKind::Range(low, high) => {
                self.write(low, context, true, out);
                out.push_str("..");
                self.write(high, context, true, out);
            }
            ExprKind::Array(elements) => {
                out.push('[');
                list(elements, out);
                out.push(']');
            }
            // Propositions have no temporal operators.
            ExprKind::Temporal(..)
            | ExprKind::Path(..)
            | ExprKind::BoundedPath(..)
            | ExprKind::BoundedUntil(..) => out.push('?'),
        }
        if open {
            out.push(')');
        }
    }
}

fn function_name(function: Function) -> &'static str {
    match function {
        Function::Bool => "bool",
        Function::Word1 => "word1",
        Function::Toint => "toint",
        Function::Signed => "signed",
        Function::Unsigned => "unsigned",
        Function::Extend => "extend",
        Function::Resize => "resize",
        Function::Sizeof => "sizeof",
        Function::Uwconst => "uwconst",
        Function::Swconst => "swconst",
        Function::Abs => "abs",
        Function::Min => "min",
        Function::Max => "max",
        Function::Count => "count",
        Function::Unbounded => "READ",
    }
}
