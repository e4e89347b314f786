//! The text of an expression where the source has none: inside of a macro.
//!
//! An atom of a formula is named by what the user wrote. Where a macro stands for a whole formula,
//! all its atoms stand at the same place, and that place says nothing about any of them; then they
//! are written anew. Operands that are operations themselves stand in parentheses.

use std::fmt::Write;

use evenhand_source::Span;

use crate::ast::{Binary, Expr, ExprKind, Query, Receive, ReceiveArgument, Reference, Unary};

/// An expression as text.
pub(super) fn shown(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr, false);
    out
}

/// The outermost part of an expression that stands at a place.
pub(super) fn standing_at(expr: &Expr, span: Span) -> Option<&Expr> {
    if expr.span == span {
        return Some(expr);
    }
    match &expr.kind {
        ExprKind::Unary(_, operand) => standing_at(operand, span),
        ExprKind::Binary(_, operands) => {
            standing_at(&operands.0, span).or_else(|| standing_at(&operands.1, span))
        }
        ExprKind::Conditional(parts) => [&parts.0, &parts.1, &parts.2]
            .into_iter()
            .find_map(|part| standing_at(part, span)),
        _ => None,
    }
}

/// Whether a text uses a macro: a name in it does not occur in what it stands for.
pub(super) fn uses_macro(written: &str, shown: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let names = |text| str::split(text, move |c| !is_word(c)).filter(is_name);
    names(written).any(|name| !WORDS.contains(&name) && !names(shown).any(|other| other == name))
}

/// Words that are written anew as something else.
const WORDS: [&str; 18] = [
    "true",
    "false",
    "skip",
    "always",
    "eventually",
    "until",
    "stronguntil",
    "weakuntil",
    "release",
    "next",
    "implies",
    "equivalent",
    "globally",
    "since",
    "once",
    "historically",
    "triggered",
    "yesterday",
];

fn write_expr(out: &mut String, expr: &Expr, is_operand: bool) {
    let brackets = is_operand && matches!(expr.kind, ExprKind::Binary(..));
    if brackets {
        out.push('(');
    }
    match &expr.kind {
        ExprKind::Number(value) => {
            let _ = write!(out, "{value}");
        }
        ExprKind::Reference(reference) => write_reference(out, reference),
        ExprKind::Unary(op, operand) => {
            out.push_str(unary(*op));
            write_expr(out, operand, true);
        }
        ExprKind::Binary(op, operands) => {
            write_expr(out, &operands.0, true);
            let _ = write!(out, " {} ", binary(*op));
            write_expr(out, &operands.1, true);
        }
        ExprKind::Conditional(parts) => {
            out.push('(');
            write_expr(out, &parts.0, true);
            out.push_str(" -> ");
            write_expr(out, &parts.1, true);
            out.push_str(" : ");
            write_expr(out, &parts.2, true);
            out.push(')');
        }
        ExprKind::Run(name, arguments, _) => {
            let _ = write!(out, "run {}(", name.name);
            write_list(out, arguments);
            out.push(')');
        }
        ExprKind::Channel(query, reference) => {
            let name = match query {
                Query::Len => "len",
                Query::Full => "full",
                Query::Nfull => "nfull",
                Query::Empty => "empty",
                Query::Nempty => "nempty",
            };
            let _ = write!(out, "{name}(");
            write_reference(out, reference);
            out.push(')');
        }
        ExprKind::Poll(receive) => write_poll(out, receive),
        ExprKind::Enabled(pid) => write_call(out, "enabled", pid),
        ExprKind::PcValue(pid) => write_call(out, "pc_value", pid),
        ExprKind::GetPriority(pid) => write_call(out, "get_priority", pid),
        ExprKind::Timeout => out.push_str("timeout"),
        ExprKind::NonProgress => out.push_str("np_"),
        ExprKind::RemoteLabel(process, pid, label) => {
            write_process(out, &process.name, pid.as_deref());
            let _ = write!(out, "@{}", label.name);
        }
        ExprKind::RemoteVariable(process, pid, reference) => {
            write_process(out, &process.name, pid.as_deref());
            out.push(':');
            write_reference(out, reference);
        }
    }
    if brackets {
        out.push(')');
    }
}

fn write_process(out: &mut String, name: &str, pid: Option<&Expr>) {
    out.push_str(name);
    if let Some(pid) = pid {
        out.push('[');
        write_expr(out, pid, false);
        out.push(']');
    }
}

fn write_call(out: &mut String, name: &str, argument: &Expr) {
    let _ = write!(out, "{name}(");
    write_expr(out, argument, false);
    out.push(')');
}

fn write_list(out: &mut String, list: &[Expr]) {
    for (index, expr) in list.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_expr(out, expr, false);
    }
}

fn write_reference(out: &mut String, reference: &Reference) {
    for (number, (name, index)) in reference.parts.iter().enumerate() {
        if number > 0 {
            out.push('.');
        }
        write_process(out, &name.name, index.as_ref());
    }
}

fn write_poll(out: &mut String, receive: &Receive) {
    write_reference(out, &receive.channel);
    out.push_str(if receive.anywhere { "??[" } else { "?[" });
    for (index, argument) in receive.arguments.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        match argument {
            ReceiveArgument::Match(value) => match value.kind {
                ExprKind::Number(_) => write_expr(out, value, false),
                _ => write_call(out, "eval", value),
            },
            ReceiveArgument::Reference(reference) => write_reference(out, reference),
        }
    }
    out.push(']');
}

fn unary(op: Unary) -> &'static str {
    match op {
        Unary::Not => "!",
        Unary::Neg => "-",
        Unary::Complement => "~",
        Unary::Always => "[] ",
        Unary::Eventually => "<> ",
        Unary::Next => "X ",
        Unary::Yesterday => "Y ",
        Unary::WeakYesterday => "Z ",
        Unary::Once => "O ",
        Unary::Historically => "H ",
        Unary::All => "A ",
        Unary::Exists => "E ",
    }
}

fn binary(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Implies => "->",
        Binary::Equiv => "<->",
        Binary::Until => "U",
        Binary::WeakUntil => "W",
        Binary::Release => "V",
        Binary::StrongRelease => "M",
        Binary::Since => "S",
        Binary::Trigger => "T",
    }
}
