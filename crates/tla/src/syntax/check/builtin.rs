//! The operators of the language itself, with the levels that they allow and give.

use evenhand_source::{Diagnostic, Span};

use super::Checker;
use super::level::{ACTION, CONSTANT, Level, STATE, TEMPORAL};
use crate::syntax::ast::{Expr, ExprKind, Segment, Selector};

/// An operator of the language.
pub(super) struct BuiltIn {
    pub arity: usize,
    /// The highest level of an argument.
    pub most: u8,
    /// The level that it has at least.
    pub level: u8,
    /// Whether the level of the arguments is part of its own.
    pub flows: bool,
}

const fn of(arity: usize, most: u8, level: u8, flows: bool) -> BuiltIn {
    BuiltIn {
        arity,
        most,
        level,
        flows,
    }
}

/// The operator of a name, if it is one of the language itself.
pub(super) fn builtin(name: &str) -> Option<BuiltIn> {
    Some(match name {
        "=" | "#" | "\\in" | "\\notin" | "\\subseteq" | "\\" | "\\cap" | "\\cup" => {
            of(2, ACTION, CONSTANT, true)
        }
        "SUBSET" | "UNION" | "DOMAIN" => of(1, ACTION, CONSTANT, true),
        "~" => of(1, TEMPORAL, CONSTANT, true),
        "/\\" | "\\/" | "=>" | "<=>" => of(2, TEMPORAL, CONSTANT, true),
        "'" | "UNCHANGED" => of(1, STATE, ACTION, false),
        "ENABLED" => of(1, ACTION, STATE, false),
        "\\cdot" => of(2, ACTION, ACTION, false),
        "[]" | "<>" => of(1, TEMPORAL, TEMPORAL, false),
        "~>" | "-+->" => of(2, TEMPORAL, TEMPORAL, false),
        _ => return None,
    })
}

/// Whether a name is part of the language and cannot be defined.
pub(super) fn reserved(name: &str) -> bool {
    matches!(name, "TRUE" | "FALSE" | "BOOLEAN" | "STRING" | "\\X") || builtin(name).is_some()
}

impl Checker<'_> {
    /// An operator of the language itself.
    pub(super) fn built_in(&mut self, segment: &Segment, operator: &BuiltIn, span: Span) -> Level {
        let Selector::Name(name) = segment.name else {
            return Level::default();
        };
        let args: Vec<&Expr> = segment.args.iter().collect();
        if !self.check_count(name, segment.span, operator.arity, &args) {
            return Level::default();
        }
        let sign = self.text(name).to_string();
        let mut levels = Vec::new();
        for arg in &args {
            let level = self.expression(arg);
            if !self.levels.limit(&level, operator.most) {
                match sign.as_str() {
                    "'" if level.base() == ACTION => {
                        let problem = Diagnostic::error(
                            arg.span,
                            "this is of action level, and cannot be primed",
                        );
                        self.problem(
                            problem.help("only state functions have a value in the next state"),
                        );
                    }
                    _ => self.too_high(
                        arg.span,
                        &level,
                        operator.most,
                        &format!("an operand of `{sign}`"),
                    ),
                }
            }
            levels.push(level);
        }
        match sign.as_str() {
            "/\\" | "\\/" | "=>" | "<=>" => self.check_mixed(&levels, &sign, span),
            "[]" | "<>" => self.check_raw(&sign, args[0], &levels[0]),
            "~>" | "-+->" => {
                for (arg, level) in args.iter().zip(&levels) {
                    if level.base() == ACTION {
                        let message = format!("an operand of `{sign}` cannot be an action");
                        self.error(arg.span, message);
                    }
                }
            }
            _ => {}
        }
        let mut level = Level::of(operator.level);
        if operator.flows {
            levels.iter().for_each(|other| level.join(other));
        }
        debug_assert!(level.base() <= TEMPORAL);
        level
    }

    /// `[]` and `<>` of an action need `[A]_v` and `<<A>>_v`.
    fn check_raw(&mut self, sign: &str, arg: &Expr, level: &Level) {
        if level.base() != ACTION {
            return;
        }
        let (fits, form) = match (sign, &arg.kind) {
            (_, ExprKind::Let(..) | ExprKind::Label(..)) => return,
            ("[]", kind) => (matches!(kind, ExprKind::Square(..)), "[A]_v"),
            (_, kind) => (matches!(kind, ExprKind::Angle(..)), "<<A>>_v"),
        };
        if !fits {
            let problem = Diagnostic::error(
                arg.span,
                format!("`{sign}` of an action needs the form {form}"),
            );
            self.problem(
                problem.help("a temporal formula must not notice steps that change nothing"),
            );
        }
    }
}
