//! Types, and the variables and constants that come from them.
//!
//! The names that enumerations and `CONSTANTS` mention are known first, since bounds of types are
//! expressions. A variable with one value only is a constant, as in NuSMV: it is no part of the
//! state and nothing may be assigned to it. An array becomes one variable for each element.

use std::collections::HashSet;

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::{Role, Sort, VarId, Variable, Word};

use super::instances::join;
use super::wide::LIMB;
use super::wide_words::{WIDEST, is_wide};
use super::{InstanceId, Lowering, Result, Symbol, build};
use crate::ast::{EnumValue, Expr, Item, TypeExpr, TypeKind, VariableKind};
use crate::token::Name;
use crate::types::Type;

/// How many variables there may be.
const MAX_VARIABLES: usize = 1_000_000;

impl<'m> Lowering<'m> {
    pub(super) fn declare_all(&mut self) {
        self.declare_constants();
        if self.processes.len() > 1 {
            self.declare_selector();
        }
        for name in self.order.clone() {
            if let Some(&Symbol::Declared(kind, ty, context, _)) = self.symbols.get(&name) {
                let _ = self.declare(&name, kind, ty, context);
            }
        }
    }

    fn declare_constants(&mut self) {
        let mut mentioned: Vec<(Name, Span)> = Vec::new();
        for name in &self.order {
            if let Some(Symbol::Declared(_, ty, ..)) = self.symbols.get(name) {
                collect_names(ty, &mut mentioned);
            }
        }
        for (_, item) in &self.items {
            if let Item::Constants(list) = item {
                mentioned.extend(list.iter().map(|ident| (ident.name.clone(), ident.span)));
            }
        }
        for (name, _) in mentioned {
            self.constant(&name);
        }
        // A name that is a value everywhere cannot be something else somewhere.
        for flat in self.order.clone() {
            let (span, context) = match self.symbols.get(&flat) {
                Some(Symbol::Declared(_, _, context, span) | Symbol::Define(_, context, span)) => {
                    (*span, *context)
                }
                _ => continue,
            };
            let base = join(&self.instances[context.0].name, "");
            let local = flat.strip_prefix(&base).unwrap_or(&flat);
            if self.constants.contains_key(local) {
                let message = format!("`{local}` is also a value of an enumeration");
                let diagnostic = Diagnostic::error(span, message)
                    .help("the values of enumerations are known in every module: rename one");
                let _ = self.report::<()>(diagnostic);
            }
        }
    }

    /// The number of a name that is a value.
    pub(super) fn constant(&mut self, name: &Name) -> i64 {
        if let Some(&code) = self.constants.get(name) {
            return code;
        }
        let at = self.relation.symbols.len() as u64;
        let code = evenhand_system::relation::FIRST_SYMBOL.saturating_add_unsigned(at);
        self.relation.symbols.push(name.to_string());
        self.constants.insert(name.clone(), code);
        code
    }

    fn declare_selector(&mut self) {
        let names: Vec<Name> = self.processes.iter().map(|p| p.as_str().into()).collect();
        let mut values: Vec<i64> = names.iter().map(|name| self.constant(name)).collect();
        values.sort_unstable();
        let mut variable = Variable::new("_process_selector_", Sort::Values(values));
        variable.role = Role::Input;
        let id = self.relation.add(variable);
        self.selector = Some(id);
        self.symbols.insert(
            "_process_selector_".into(),
            Symbol::Variable(id, Type::Symbolic),
        );
    }

    fn declare(
        &mut self,
        name: &str,
        kind: VariableKind,
        ty: &'m TypeExpr,
        context: InstanceId,
    ) -> Result<Type> {
        if let TypeKind::Array(low, high, element) = &ty.kind {
            let (low, high) = (self.number(low, context)?, self.number(high, context)?);
            if low > high {
                return self.error(ty.span, format!("{low}..{high} has no elements"));
            }
            if high.abs_diff(low) as usize + self.relation.variables.len() > MAX_VARIABLES {
                return self.error(ty.span, "the array is too large");
            }
            let mut element_type = Type::Boolean;
            for index in low..=high {
                let part = format!("{name}[{index}]");
                element_type = self.declare(&part, kind, element, context)?;
            }
            let symbol = Symbol::Array(low, high, element_type.clone());
            self.symbols.insert(name.to_string(), symbol);
            return Ok(Type::Array(low, high, Box::new(element_type)));
        }
        let (sort, typ) = self.sort(ty, context)?;
        if let Type::Word(word) = typ
            && is_wide(&typ)
        {
            let limbs = self.declare_wide(name, word, kind);
            let symbol = Symbol::Wide(limbs, typ.clone());
            self.symbols.insert(name.to_string(), symbol);
            return Ok(typ);
        }
        let symbol = match sort.bounds() {
            (low, high) if low == high && !matches!(sort, Sort::Word(_)) => {
                Symbol::Single(low, typ.clone())
            }
            _ => Symbol::Variable(self.add_variable(name, sort, kind), typ.clone()),
        };
        self.symbols.insert(name.to_string(), symbol);
        Ok(typ)
    }

    /// The limbs of a word that no variable can hold, named by their bits.
    fn declare_wide(&mut self, name: &str, word: Word, kind: VariableKind) -> Vec<VarId> {
        let count = self.limbs().count(word.bits);
        let mut limbs = Vec::with_capacity(count);
        for at in 0..count {
            let bits = self.limbs().width(word.bits, at);
            let low = at as u16 * LIMB;
            let part = format!("{name}[{}:{low}]", low + bits - 1);
            let sort = Sort::Word(Word {
                signed: false,
                bits,
            });
            limbs.push(self.add_variable(&part, sort, kind));
        }
        self.relation.wide.push(evenhand_system::relation::Wide {
            name: name.to_string(),
            signed: word.signed,
            limbs: limbs.clone(),
        });
        limbs
    }

    fn add_variable(&mut self, name: &str, sort: Sort, kind: VariableKind) -> VarId {
        let mut variable = Variable::new(name, sort);
        variable.role = match kind {
            VariableKind::State => Role::State,
            VariableKind::Frozen => Role::Frozen,
            VariableKind::Input => Role::Input,
        };
        self.relation.add(variable)
    }

    fn sort(&mut self, ty: &'m TypeExpr, context: InstanceId) -> Result<(Sort, Type)> {
        match &ty.kind {
            TypeKind::Boolean => Ok((Sort::Bool, Type::Boolean)),
            TypeKind::Word(signed, width) => {
                let bits = self.number(width, context)?;
                let word = self.word_type(*signed, bits, width.span)?;
                Ok((Sort::Word(word), Type::Word(word)))
            }
            TypeKind::Range(low, high) => {
                let (low, high) = (self.number(low, context)?, self.number(high, context)?);
                if low > high {
                    return self.report(
                        Diagnostic::error(ty.span, format!("{low}..{high} has no values"))
                            .help("the smaller bound comes first"),
                    );
                }
                Ok((Sort::Range(low, high), Type::Integer))
            }
            TypeKind::Enumeration(values) => self.enumeration(values),
            TypeKind::Unbounded => self.report(
                Diagnostic::error(ty.span, "arrays without fixed bounds are not supported")
                    .help("declare an array with bounds: `array 0..7 of boolean`"),
            ),
            TypeKind::Array(..) | TypeKind::Instance(..) => {
                self.error(ty.span, "this type cannot stand here")
            }
        }
    }

    fn enumeration(&mut self, values: &[(EnumValue, Span)]) -> Result<(Sort, Type)> {
        let mut list = Vec::new();
        let mut known = HashSet::new();
        let (mut numbers, mut names) = (false, false);
        for (value, span) in values {
            let (code, shown) = match value {
                EnumValue::Number(value) => {
                    numbers = true;
                    (*value, value.to_string())
                }
                EnumValue::Name(name) => {
                    names = true;
                    (self.constant(name), name.to_string())
                }
                EnumValue::Truth(_) => {
                    return self.report(
                        Diagnostic::error(*span, "truth values cannot be part of an enumeration")
                            .help("a variable that is true or false has the type `boolean`"),
                    );
                }
            };
            if !known.insert(code) {
                return self.error(*span, format!("`{shown}` stands twice in this enumeration"));
            }
            list.push(code);
        }
        list.sort_unstable();
        let typ = match (numbers, names) {
            (true, true) => Type::Mixed,
            (true, false) => Type::Integer,
            _ => Type::Symbolic,
        };
        Ok((Sort::Values(list), typ))
    }

    pub(super) fn word_type(&mut self, signed: bool, bits: i64, span: Span) -> Result<Word> {
        match u16::try_from(bits) {
            Ok(bits) if (1..=WIDEST).contains(&bits) => Ok(Word { signed, bits }),
            _ => self.error(span, format!("a word has 1 to {WIDEST} bits, not {bits}")),
        }
    }

    /// The value of an expression that must be a constant number.
    pub(super) fn number(&mut self, expr: &'m Expr, context: InstanceId) -> Result<i64> {
        let typed = self.expression(expr, context)?;
        let value = match (&typed.typ, typed.scalar()) {
            (Type::Integer, Some(expr)) => build::constant(&self.relation.expressions, expr),
            _ => None,
        };
        match value {
            Some(value) => Ok(value),
            None => self.report(
                Diagnostic::error(expr.span, "this must be a constant number")
                    .help("numbers, definitions and parameters that are numbers may stand here"),
            ),
        }
    }
}

fn collect_names(ty: &TypeExpr, names: &mut Vec<(Name, Span)>) {
    match &ty.kind {
        TypeKind::Enumeration(values) => {
            for (value, span) in values {
                if let EnumValue::Name(name) = value {
                    names.push((name.clone(), *span));
                }
            }
        }
        TypeKind::Array(_, _, element) => collect_names(element, names),
        _ => {}
    }
}
