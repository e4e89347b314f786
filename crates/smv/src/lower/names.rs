//! What a name in an instance stands for.
//!
//! A reference such as `p.buffer[2].full` is turned into a flat name step by step. A parameter is
//! replaced by the argument of its instance, seen from where that was written; an argument may be a
//! whole instance (`self`, `other`), so that a path goes on through it. A name that is nothing in
//! its instance may be a value of some enumeration: those are known everywhere.

use evenhand_source::{Diagnostic, Span, nearest};

use super::instances::join;
use super::{InstanceId, Lowering, Result, Symbol};
use crate::ast::{Expr, ExprKind};

/// How many arguments may lead to each other.
const MAX_HOPS: u32 = 10_000;

/// What a reference leads to.
#[derive(Clone, Debug)]
pub(super) enum Target<'m> {
    /// A flat name, which may mean nothing.
    Flat(String),
    /// An argument that is no reference itself, and where it was written.
    Argument(&'m Expr, InstanceId, String),
}

impl<'m> Lowering<'m> {
    /// Follows a reference; none if the expression is not one.
    pub(super) fn follow(&self, expr: &Expr, context: InstanceId) -> Option<Target<'m>> {
        // The steps behind the first name, last one first.
        enum Step<'e> {
            Name(&'e str),
            Index(i64),
        }
        let mut steps = Vec::new();
        let mut at = expr;
        let mut flat = loop {
            match &at.kind {
                ExprKind::Name(name) => {
                    steps.push(Step::Name(name));
                    break self.instances[context.0].name.clone();
                }
                ExprKind::Itself => break self.instances[context.0].name.clone(),
                ExprKind::Dot(base, name) => {
                    steps.push(Step::Name(name));
                    at = base;
                }
                ExprKind::Index(base, index) => {
                    steps.push(Step::Index(literal(index)?));
                    at = base;
                }
                _ => return None,
            }
        };
        while let Some(step) = steps.pop() {
            flat = match step {
                Step::Name(name) => join(&flat, name),
                Step::Index(index) => {
                    let element = format!("{flat}[{index}]");
                    if !self.symbols.contains_key(&element) {
                        return None; // an array that is no name: an expression with an index
                    }
                    element
                }
            };
            match self.argument(&flat)? {
                Target::Flat(name) => flat = name,
                argument if steps.is_empty() => return Some(argument),
                _ => return None,
            }
        }
        Some(Target::Flat(flat))
    }

    /// Replaces a parameter by what stands for it, as often as needed.
    pub(super) fn argument(&self, flat: &str) -> Option<Target<'m>> {
        let mut flat = flat.to_string();
        for _ in 0..MAX_HOPS {
            let Some(&Symbol::Parameter(argument, context)) = self.symbols.get(&flat) else {
                return Some(Target::Flat(flat));
            };
            match &argument.kind {
                ExprKind::Name(name) => {
                    let next = join(&self.instances[context.0].name, name);
                    if !self.symbols.contains_key(&next) {
                        return Some(Target::Argument(argument, context, flat));
                    }
                    flat = next;
                }
                ExprKind::Itself => flat = self.instances[context.0].name.clone(),
                ExprKind::Dot(..) | ExprKind::Index(..) => {
                    // Paths are short: arguments lead to each other at most as deep as instances.
                    return match self.follow(argument, context) {
                        Some(Target::Flat(name)) if self.symbols.contains_key(&name) => {
                            Some(Target::Flat(name))
                        }
                        Some(Target::Argument(a, c, name)) => Some(Target::Argument(a, c, name)),
                        _ => Some(Target::Argument(argument, context, flat)),
                    };
                }
                _ => return Some(Target::Argument(argument, context, flat)),
            }
        }
        None
    }

    /// The instance that a path leads to.
    pub(super) fn find_instance(&mut self, path: &Expr, from: InstanceId) -> Result<InstanceId> {
        if let Some(Target::Flat(name)) = self.follow(path, from)
            && let Some(&Symbol::Instance(id)) = self.symbols.get(&name)
        {
            return Ok(id);
        }
        self.error(path.span, "there is no such instance")
    }

    /// Says that a name means nothing.
    pub(super) fn unknown<T>(&mut self, span: Span, context: InstanceId, name: &str) -> Result<T> {
        let base = match self.instances[context.0].name.as_str() {
            "" => String::new(),
            base => format!("{base}."),
        };
        let short = name.strip_prefix(&base).unwrap_or(name).to_string();
        let message = format!("`{short}` is not declared");
        let local = self
            .order
            .iter()
            .filter_map(|flat| flat.strip_prefix(&base));
        let candidates = local.chain(self.constants.keys().map(|name| &**name));
        let candidates = candidates.chain(["TRUE", "FALSE"]);
        let mut sorted: Vec<&str> = candidates.collect();
        sorted.sort_unstable();
        let near = nearest(&short, sorted.iter().copied());
        let mut help = near.map(|near| format!("did you mean `{near}`?"));
        // `Fx` is one name, where `F x` was meant.
        let glued = |operator: &&&str| {
            let rest = short.strip_prefix(**operator);
            rest.is_some_and(|rest| sorted.binary_search(&rest).is_ok())
        };
        if let Some(operator) = OPERATORS.iter().find(glued) {
            let rest = &short[operator.len()..];
            help = Some(format!("`{short}` is one name: write `{operator} {rest}`"));
        }
        if let Some((left, right)) = short.split_once('-')
            && !left.is_empty()
            && sorted.binary_search(&left).is_ok()
        {
            help = Some(format!(
                "`{short}` is one name: write `{left} - {right}` for a difference"
            ));
        }
        self.report(Diagnostic::error(span, message).maybe_help(help))
    }
}

/// Temporal operators that are words.
const OPERATORS: [&str; 13] = [
    "AG", "AF", "AX", "EG", "EF", "EX", "G", "F", "X", "Y", "Z", "H", "O",
];

/// An index that is written as a number.
fn literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Number(value) => Some(*value),
        ExprKind::Negative(inner) => match inner.kind {
            ExprKind::Number(value) => Some(-value),
            _ => None,
        },
        _ => None,
    }
}
