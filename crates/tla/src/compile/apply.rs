//! Names and operators where they are used.

use evenhand_source::Span;

use super::scope::{Binding, DefId, Defined, FrameId, Rows, ScopeId};
use super::{Compiler, DEEPEST, LARGE, refused};
use crate::code::{Argument, Arithmetic, Code, Facts, Op, Slot, Thunk};
use crate::names::Symbol;
use crate::standard::{MachineOperator, Meaning, StandardOperator};
use crate::syntax::ast::{Declared, Expr, ExprKind, Instance, Path, Segment, Selector};

/// What an operator is applied to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given<'a> {
    Text(&'a Expr, ScopeId),
    Slot(FrameId, Slot),
}

impl<'a> Compiler<'a> {
    /// What a name means, with what the configuration puts in its place.
    pub(super) fn lookup(&self, scope: ScopeId, name: Symbol) -> Option<Binding<'a>> {
        let found = self.scopes.find(scope, name);
        let Some(found) = found else {
            let known = self.builtins.contains_key(&name);
            return known.then_some(Binding::Builtin(name));
        };
        let by = match found {
            Binding::Definition(id) => {
                if let Some(value) = self.valued.get(id) {
                    return Some(Binding::Constant(value.clone()));
                }
                self.replaced.get(id)
            }
            Binding::Standard(operator) => {
                if let Some(value) = self.valued_standard.get(operator.name) {
                    return Some(Binding::Constant(value.clone()));
                }
                self.replaced_standard.get(operator.name)
            }
            Binding::Replaced(by) => Some(by),
            _ => None,
        };
        match by {
            // What stands for it may be defined by what it stands for.
            Some(&by) => self.scopes.find(self.root, by).cloned(),
            None => Some(found.clone()),
        }
    }

    /// The text that a name without arguments stands for, where it stands for one.
    pub(super) fn text_of(&self, binding: &Binding<'a>) -> Option<(&'a Expr, ScopeId)> {
        match binding {
            Binding::Text(text, scope, _) => Some((text, *scope)),
            Binding::Substituted(inner, _) => self.text_of(inner),
            Binding::Replaced(by) => self.text_of(&self.lookup(self.root, *by)?),
            Binding::Definition(id) => {
                let def = &self.defs[id.0 as usize];
                match def.what {
                    Defined::Operator(definition) if definition.params.is_empty() => {
                        Some((&definition.body, def.scope))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What a path without the arguments of its last part means.
    pub(super) fn resolve(&mut self, path: &'a Path, scope: ScopeId) -> Option<Binding<'a>> {
        let outer = match path.last.name {
            Selector::Name(name) => {
                if let Some(binding) = self.replaced_path(&path.prefix, name, scope) {
                    return Some(binding);
                }
                self.prefix(&path.prefix, scope).map(|inner| (inner, name))
            }
            _ => None,
        };
        match outer {
            Some((inner, name)) => self.lookup(inner, name),
            None => self.part(path, scope),
        }
    }

    /// What the configuration puts in the place of `A!B`, where A is an instance of the root module.
    fn replaced_path(
        &self,
        prefix: &[Segment],
        name: Symbol,
        scope: ScopeId,
    ) -> Option<Binding<'a>> {
        let [
            Segment {
                name: Selector::Name(instance),
                ..
            },
        ] = prefix
        else {
            return None;
        };
        let key = (*instance, name);
        let settings = self.settings;
        let binding = match (
            settings.replaced_paths.get(&key),
            settings.valued_paths.get(&key),
        ) {
            (Some(&by), _) => Binding::Replaced(by),
            (None, Some(value)) => Binding::Constant(value.clone()),
            (None, None) => return None,
        };
        let place = match self.lookup(scope, *instance) {
            Some(Binding::Instance(_, place)) => place,
            _ => return None,
        };
        (place == self.root).then_some(binding)
    }

    /// The scope of what stands behind instances.
    fn prefix(&mut self, prefix: &'a [Segment], scope: ScopeId) -> Option<ScopeId> {
        let mut at = scope;
        for segment in prefix {
            let Selector::Name(name) = segment.name else {
                return None;
            };
            let Some(Binding::Instance(instance, place)) = self.lookup(at, name) else {
                return None;
            };
            at = self.instance_with(instance, place, &segment.args, scope)?;
        }
        Some(at)
    }

    /// The table of an instance with its arguments, which are texts in the scope `site`.
    pub(super) fn instance_with(
        &mut self,
        instance: &'a Instance,
        place: ScopeId,
        args: &'a [Expr],
        site: ScopeId,
    ) -> Option<ScopeId> {
        if instance.params.is_empty() {
            return self.instance(instance, place);
        }
        let given = args.iter().map(|arg| Given::Text(arg, site));
        let given: Vec<Given<'a>> = given.collect();
        let inner = self.with_parameters(place, &instance.params, &given);
        self.instance_at(instance, place, inner)
    }

    /// A scope in which parameters mean the texts they were given.
    pub(super) fn with_parameters(
        &mut self,
        scope: ScopeId,
        params: &'a [Declared],
        given: &[Given<'a>],
    ) -> ScopeId {
        let inner = self.scopes.add(Some(scope));
        for (declared, &given) in params.iter().zip(given) {
            let binding = match given {
                Given::Slot(frame, slot) => Binding::Slot(frame, slot),
                Given::Text(expr, site) if declared.arity > 0 => self.operator_argument(expr, site),
                Given::Text(expr, site) => Binding::Text(expr, site, None),
            };
            self.scopes.bind(inner, declared.ident.name, binding);
        }
        inner
    }

    /// A name or an operator with its arguments.
    pub(super) fn path(&mut self, path: &'a Path, scope: ScopeId, rows: Rows, span: Span) -> Code {
        let Some(binding) = self.resolve(path, scope) else {
            return refused(self.unknown(path), span);
        };
        let args = path.last.args.iter().map(|arg| Given::Text(arg, scope));
        let args: Vec<Given<'a>> = args.collect();
        self.apply(&binding, &args, rows, span)
    }

    pub(super) fn unknown(&self, path: &Path) -> String {
        match path.last.name {
            Selector::Name(name) => format!("`{}` has no meaning here", self.names.text(name)),
            _ => "parts of definitions cannot be referred to".to_string(),
        }
    }

    /// What something given is as code.
    pub(super) fn given(&mut self, given: Given<'a>, rows: Rows, span: Span) -> Code {
        match given {
            Given::Text(expr, scope) => self.expr(expr, scope, rows),
            Given::Slot(frame, slot) => self.read(frame, slot, span),
        }
    }

    /// Applies what a name means.
    pub(super) fn apply(
        &mut self,
        binding: &Binding<'a>,
        args: &[Given<'a>],
        rows: Rows,
        span: Span,
    ) -> Code {
        match binding {
            Binding::Variable(variable) => Code {
                op: Op::Variable(rows.now, *variable),
                span,
                facts: Facts {
                    rows: 1 << rows.now,
                    ..Facts::NONE
                },
            },
            Binding::Constant(value) => Code {
                op: Op::Constant(value.clone()),
                span,
                facts: Facts::NONE,
            },
            Binding::Unassigned(ident) => {
                let name = self.names.text(ident.name);
                refused(
                    format!("the constant `{name}` has no value: the configuration gives it one"),
                    span,
                )
            }
            Binding::Replaced(by) => match self.lookup(self.root, *by) {
                Some(binding) => self.apply(&binding, args, rows, span),
                None => refused(format!("`{}` is not defined", self.names.text(*by)), span),
            },
            Binding::Table(table) => {
                let table = table.clone();
                self.by_table(&table, args, rows, span)
            }
            Binding::Slot(frame, slot) => self.read(*frame, *slot, span),
            Binding::Param(frame, slot, now) => match rows.now == *now {
                true => self.read(*frame, *slot, span),
                false => refused("an argument of a recursive operator cannot be primed", span),
            },
            Binding::Text(expr, scope, slot) => match slot {
                Some((frame, slot, at)) if *at == rows => self.read(*frame, *slot, span),
                _ => self.expr(expr, *scope, rows),
            },
            Binding::Substituted(inner, id) => {
                match self.abstract_columns.get(&(rows.now_columns, *id)) {
                    Some(&column) => Code {
                        op: Op::Variable(rows.now, column),
                        span,
                        facts: Facts {
                            rows: 1 << rows.now,
                            ..Facts::NONE
                        },
                    },
                    None => {
                        let inner = inner.clone();
                        self.apply(&inner, args, rows, span)
                    }
                }
            }
            Binding::Global(number) => Code {
                op: Op::Global(*number),
                span,
                facts: Facts::NONE,
            },
            Binding::Definition(id) => self.definition(*id, args, rows, span),
            Binding::Lambda(params, body, scope) => {
                let inner = self.scopes.add(Some(*scope));
                let first = self.first();
                let mut thunks = Vec::new();
                for (ident, &arg) in params.iter().zip(args) {
                    let binding = self.argument(arg, rows, &mut thunks);
                    self.scopes.bind(inner, ident.name, binding);
                }
                let body = self.expr(body, inner, rows);
                with_thunks(thunks, body, first)
            }
            Binding::Instance(instance, _) => {
                let name = instance
                    .ident
                    .map_or("", |ident| self.names.text(ident.name));
                refused(format!("`{name}` is an instance, not an operator"), span)
            }
            Binding::Standard(operator) | Binding::Original(operator) => {
                self.standard(operator, args, rows, span)
            }
            Binding::Builtin(name) => self.builtin(*name, args, rows, span),
        }
    }

    /// A meaning for an argument: itself if it is simple, else a slot that is evaluated when it is needed.
    pub(super) fn argument(
        &mut self,
        given: Given<'a>,
        rows: Rows,
        thunks: &mut Vec<Thunk>,
    ) -> Binding<'a> {
        let (expr, scope) = match given {
            Given::Slot(frame, slot) => return Binding::Slot(frame, slot),
            Given::Text(expr, scope) => (expr, scope),
        };
        if let Some(simple) = self.simple(expr, scope) {
            return simple;
        }
        let mut code = self.expr(expr, scope, rows);
        if code.facts.is_constant() {
            code = self.hoisted(code);
            if let Op::Global(number) = code.op {
                return Binding::Global(number);
            }
        }
        if matches!(code.op, Op::Variable(..) | Op::Constant(_)) {
            return Binding::Text(expr, scope, None);
        }
        let slot = self.slot();
        thunks.push(Thunk { slot, code });
        Binding::Text(expr, scope, Some((self.frame, slot, rows)))
    }

    /// What a name that is used as an argument means, where that costs nothing.
    fn simple(&self, expr: &'a Expr, scope: ScopeId) -> Option<Binding<'a>> {
        let ExprKind::Apply(path) = &expr.kind else {
            return None;
        };
        let Selector::Name(name) = path.last.name else {
            return None;
        };
        if !path.prefix.is_empty() || !path.last.args.is_empty() {
            return None;
        }
        let found = self.lookup(scope, name)?;
        match found {
            Binding::Variable(_) | Binding::Constant(_) | Binding::Slot(..) => Some(found),
            Binding::Param(..) | Binding::Text(..) | Binding::Global(_) => Some(found),
            Binding::Substituted(..) => Some(found),
            _ => None,
        }
    }

    fn definition(&mut self, id: DefId, args: &[Given<'a>], rows: Rows, span: Span) -> Code {
        let def = &self.defs[id.0 as usize];
        let (what, scope) = (def.what, def.scope);
        let Defined::Operator(definition) = what else {
            return self.constant_or_call(id, rows, span);
        };
        if args.len() != definition.params.len() {
            let name = self.names.text(definition.ident.name);
            return refused(
                format!("`{name}` is used with another number of arguments"),
                span,
            );
        }
        let first_order = definition.params.iter().all(|param| param.arity == 0);
        if definition.params.is_empty() {
            return self.constant_or_call(id, rows, span);
        }
        let def = &self.defs[id.0 as usize];
        if first_order && (def.recursive || def.large || self.depth > DEEPEST / 2) {
            let mut codes = Vec::with_capacity(args.len());
            for &arg in args {
                codes.push(self.given(arg, rows, span));
            }
            return self.call(id, codes, rows, span);
        }
        if self.depth > DEEPEST {
            self.too_deep.get_or_insert(span);
            return refused("the definitions are nested too deep", span);
        }
        let before = self.size;
        let first = self.first();
        let mut thunks = Vec::new();
        let inner = self.scopes.add(Some(scope));
        for (declared, &arg) in definition.params.iter().zip(args) {
            let binding = match arg {
                Given::Text(expr, site) if declared.arity > 0 => self.operator_argument(expr, site),
                _ => self.argument(arg, rows, &mut thunks),
            };
            self.scopes.bind(inner, declared.ident.name, binding);
        }
        let body = self.expr(&definition.body, inner, rows);
        if self.size - before > LARGE {
            self.defs[id.0 as usize].large = true;
        }
        with_thunks(thunks, body, first)
    }

    /// A definition without parameters: a cell, or a call.
    fn constant_or_call(&mut self, id: DefId, rows: Rows, span: Span) -> Code {
        if let Some(&number) = self.global_of.get(&id) {
            let op = Op::Global(number);
            let facts = Facts::NONE;
            return Code { op, span, facts };
        }
        let code = self.call(id, Vec::new(), rows, span);
        if code.facts.is_fixed() {
            let number = self.global(code, 1);
            self.global_of.insert(id, number);
            let op = Op::Global(number);
            let facts = Facts::NONE;
            return Code { op, span, facts };
        }
        code
    }

    /// A constant operator that the configuration gives by a table.
    fn by_table(
        &mut self,
        table: &[(Vec<crate::value::Value>, crate::value::Value)],
        args: &[Given<'a>],
        rows: Rows,
        span: Span,
    ) -> Code {
        let mut arms = Vec::new();
        let mut facts = Facts::NONE;
        for (keys, value) in table {
            let mut tests = Vec::new();
            for (key, &arg) in keys.iter().zip(args) {
                let arg = self.given(arg, rows, span);
                facts = facts.and(arg.facts);
                let key = constant(key.clone(), span);
                let facts = arg.facts;
                let op = Op::Equal(Box::new(arg), Box::new(key));
                tests.push(Code { op, span, facts });
            }
            let op = Op::And(tests.into());
            arms.push((Code { op, span, facts }, constant(value.clone(), span)));
        }
        let op = Op::Case(arms.into(), None);
        Code { op, span, facts }
    }

    /// An operator of a standard module.
    fn standard(
        &mut self,
        operator: &'static StandardOperator,
        args: &[Given<'a>],
        rows: Rows,
        span: Span,
    ) -> Code {
        if args.len() != operator.params.len() {
            return refused(
                format!(
                    "`{}` is used with another number of arguments",
                    operator.name
                ),
                span,
            );
        }
        if let (Some(arithmetic), [a, b]) = (arithmetic(operator.name), args) {
            let a = self.given(*a, rows, span);
            let b = self.given(*b, rows, span);
            let facts = a.facts.and(b.facts);
            self.size += 1;
            let op = Op::Arithmetic(arithmetic, Box::new(a), Box::new(b));
            return Code { op, span, facts };
        }
        match operator.meaning {
            Meaning::Machine(what) => {
                // Under a prime the level is that of the next state.
                let what = match what {
                    MachineOperator::Get if rows.now != 0 => MachineOperator::GetNext,
                    other => other,
                };
                let mut facts = Facts::NONE;
                facts.impure = what.is_impure();
                self.program.impure |= what.has_memory();
                self.program.reads_search |= what.reads_search();
                self.program.prints |= what.prints();
                facts.drawn = what.is_drawn();
                let mut list = Vec::new();
                for &arg in args {
                    let code = self.given(arg, rows, span);
                    facts = facts.and(code.facts);
                    list.push(code);
                }
                let op = Op::Machine(what, list.into());
                Code { op, span, facts }
            }
            Meaning::Native(native) => {
                let first = self.first();
                let mut facts = Facts::NONE;
                let mut list = Vec::new();
                for (&arg, &arity) in args.iter().zip(operator.params) {
                    if arity == 0 {
                        let code = self.given(arg, rows, span);
                        facts = facts.and(code.facts);
                        list.push(Argument::Value(code));
                        continue;
                    }
                    let binding = match arg {
                        Given::Text(expr, scope) => self.operator_argument(expr, scope),
                        Given::Slot(frame, slot) => Binding::Slot(frame, slot),
                    };
                    let slots: Vec<Slot> = (0..arity).map(|_| self.slot()).collect();
                    let frame = self.frame;
                    let given: Vec<Given<'a>> =
                        slots.iter().map(|&slot| Given::Slot(frame, slot)).collect();
                    let code = self.apply(&binding, &given, rows, span);
                    facts = facts.and(code.facts.above(first));
                    list.push(Argument::Operator(slots.into(), code));
                }
                self.size += 1;
                let op = Op::Native(operator.name, native, list.into());
                let facts = facts.above(first);
                Code { op, span, facts }
            }
        }
    }
}

/// Code that needs slots which are evaluated when they are needed.
pub(super) fn with_thunks(thunks: Vec<Thunk>, body: Code, first: Slot) -> Code {
    if thunks.is_empty() {
        return Code {
            facts: body.facts.above(first),
            ..body
        };
    }
    let span = body.span;
    let mut facts = body.facts;
    for thunk in &thunks {
        facts = facts.and(thunk.code.facts);
    }
    let op = Op::Let(thunks.into(), Box::new(body));
    let facts = facts.above(first);
    Code { op, span, facts }
}

pub(super) fn constant(value: crate::value::Value, span: Span) -> Code {
    Code {
        op: Op::Constant(value),
        span,
        facts: Facts::NONE,
    }
}

fn arithmetic(name: &str) -> Option<Arithmetic> {
    Some(match name {
        "+" => Arithmetic::Add,
        "-" => Arithmetic::Subtract,
        "*" => Arithmetic::Multiply,
        "<" => Arithmetic::Less,
        "<=" => Arithmetic::AtMost,
        ">" => Arithmetic::Greater,
        ">=" => Arithmetic::AtLeast,
        ".." => Arithmetic::Interval,
        _ => return None,
    })
}
