//! What names stand for as values: variables, definitions, arguments, constants.
//!
//! Every definition and every argument of an instance is expanded once; an explicit stack takes
//! them in the order of their dependencies, so that long chains of definitions do not nest, and
//! finds those that depend on themselves.

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::VarId;

use super::expressions::{Memo, Typed, Value};
use super::names::Target;
use super::{InstanceId, Lowering, Reported, Result, Symbol, build};
use crate::ast::{Expr, ExprKind};
use crate::types::Type;

impl<'m> Lowering<'m> {
    /// Expands every definition, so that unused ones are checked too.
    pub(super) fn define_all(&mut self) {
        for name in self.order.clone() {
            if let Some(Symbol::Define(..)) = self.symbols.get(&name) {
                let _ = self.expand(&name);
            }
        }
    }

    /// The tree behind a name that has one, and where it was written.
    fn body(&self, flat: &str) -> Option<(&'m Expr, InstanceId)> {
        match self.symbols.get(flat) {
            Some(&Symbol::Define(body, context, _) | &Symbol::Parameter(body, context)) => {
                Some((body, context))
            }
            _ => None,
        }
    }

    /// The definitions and arguments that an expression mentions and that are not expanded yet.
    fn missing(&self, expr: &'m Expr, context: InstanceId) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            let flat = match self.follow(expr, context) {
                Some(Target::Flat(name)) => name,
                Some(Target::Argument(_, _, name)) => name,
                None => {
                    open.extend(expr.operands());
                    continue;
                }
            };
            if self.body(&flat).is_some()
                && !matches!(self.memo.get(&flat), Some(Memo::Done(_) | Memo::Failed))
            {
                found.push(flat);
            }
        }
        found
    }

    /// The value of a definition or an argument.
    fn expand(&mut self, flat: &str) -> Result<Typed> {
        let mut stack = vec![flat.to_string()];
        while let Some(name) = stack.last().cloned() {
            let Some((body, context)) = self.body(&name) else {
                break;
            };
            match self.memo.get(&name) {
                Some(Memo::Done(_) | Memo::Failed) => {
                    stack.pop();
                    continue;
                }
                Some(Memo::Open) => {
                    // What it depends on is expanded now.
                    let result = self.expression(body, context);
                    let memo = result.map_or(Memo::Failed, Memo::Done);
                    self.memo.insert(name, memo);
                    stack.pop();
                    continue;
                }
                None => {}
            }
            self.memo.insert(name.clone(), Memo::Open);
            for part in self.missing(body, context) {
                if let Some(Memo::Open) = self.memo.get(&part) {
                    self.memo.insert(name.clone(), Memo::Failed);
                    let _ = self.circular(&part, &name);
                    continue;
                }
                stack.push(part);
            }
        }
        match self.memo.get(flat) {
            Some(Memo::Done(typed)) => Ok(typed.clone()),
            _ => Err(Reported),
        }
    }

    fn circular(&mut self, part: &str, whole: &str) -> Result<()> {
        let span = |name: &str| match self.symbols.get(name) {
            Some(&Symbol::Define(_, _, span)) => Some(span),
            Some(&Symbol::Parameter(argument, _)) => Some(argument.span),
            _ => None,
        };
        let message = format!("`{part}` is defined by itself");
        let mut diagnostic = match span(part) {
            Some(span) => Diagnostic::error(span, message),
            None => Diagnostic::global(message),
        };
        if let Some(span) = span(whole)
            && whole != part
        {
            diagnostic = diagnostic.label(span, "this depends on it, and it on this");
        }
        self.report(diagnostic)
    }

    /// What a name stands for.
    pub(super) fn reference(&mut self, expr: &'m Expr, context: InstanceId) -> Result<Typed> {
        let flat = match self.follow(expr, context) {
            Some(Target::Flat(name)) => name,
            Some(Target::Argument(_, _, name)) => return self.expand(&name),
            None => {
                let message = "this is not an instance of a module, so it has no parts";
                return self.error(expr.span, message);
            }
        };
        let span = expr.span;
        match self.symbols.get(&flat) {
            Some(Symbol::Define(..) | Symbol::Parameter(..)) => self.expand(&flat),
            Some(Symbol::Instance(_)) => self.error(
                span,
                format!("`{flat}` is an instance of a module, not a value"),
            ),
            None if flat.is_empty() => {
                self.error(span, "`self` is an instance of a module, not a value")
            }
            Some(Symbol::Declared(..)) => self.report(
                Diagnostic::error(span, "a variable cannot stand in a type")
                    .help("bounds and widths are constants"),
            ),
            Some(Symbol::Running(process)) => {
                let process = *process;
                self.running(process)
            }
            Some(_) => self.variable(&flat, span),
            None => {
                let text = written(expr);
                match text.and_then(|text| self.constants.get(&*text)) {
                    Some(&code) => Ok(self.constant_of(Type::Symbolic, code)),
                    None => self.unknown(span, context, &flat),
                }
            }
        }
    }

    /// The value of a variable, or of an array of variables.
    fn variable(&mut self, flat: &str, span: Span) -> Result<Typed> {
        match self.symbols.get(flat).cloned() {
            Some(Symbol::Variable(id, typ)) => Ok(self.read(id, typ)),
            Some(Symbol::Wide(limbs, typ)) => {
                let pool = &mut self.relation.expressions;
                let row: Vec<_> = limbs.iter().map(|&limb| pool.current(limb)).collect();
                Ok(Typed {
                    typ,
                    value: Value::Wide(row.into()),
                    has_next: false,
                })
            }
            Some(Symbol::Single(value, typ)) => Ok(self.constant_of(typ, value)),
            Some(Symbol::Array(low, high, element)) => {
                let mut list = Vec::new();
                for index in low..=high {
                    list.push(self.variable(&format!("{flat}[{index}]"), span)?.value);
                }
                Ok(Typed {
                    typ: Type::Array(low, high, Box::new(element)),
                    value: Value::Array(list.into()),
                    has_next: false,
                })
            }
            _ => self.error(span, format!("`{flat}` has no value")),
        }
    }

    fn read(&mut self, id: VarId, typ: Type) -> Typed {
        let pool = &mut self.relation.expressions;
        let expr = pool.current(id);
        match typ {
            // Kept as a signed number with the same bits.
            Type::Word(word) if !word.signed && word.bits == 64 => {
                Typed::new(typ, build::wrap(pool, word, expr))
            }
            _ => Typed::new(typ, expr),
        }
    }
}

/// The text of a path, as constants with dots are written.
fn written(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Dot(base, name) => Some(format!("{}.{name}", written(base)?)),
        _ => None,
    }
}
