//! Expressions.

use std::collections::HashMap;

use evenhand_source::Span;

use super::apply::{Given, constant, with_thunks};
use super::scope::{Binding, Columns, Rows, ScopeId};
use super::{Compiler, Recorder, action, refused};
use crate::code::{Bind, Body, Change, Code, Facts, Op, SetOperator, Thunk};
use crate::names::{Names, Symbol};
use crate::syntax::ast::{
    Bound, Bounds, Expr, ExprKind, FunctionDefinition, Pattern, Place, Quantifier, Unit,
};
use crate::value::{LazySet, Value};

/// Operators that no module defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Equal,
    Different,
    In,
    NotIn,
    SubsetOf,
    Union,
    Intersection,
    Difference,
    Not,
    And,
    Or,
    Implies,
    Equivalent,
    PowerSet,
    BigUnion,
    Domain,
    Enabled,
    Unchanged,
    Prime,
    Temporal,
    Compose,
}

/// The operators that no module defines, by their names.
pub(super) fn builtins(names: &Names) -> HashMap<Symbol, Builtin> {
    let table = [
        ("=", Builtin::Equal),
        ("#", Builtin::Different),
        ("\\in", Builtin::In),
        ("\\notin", Builtin::NotIn),
        ("\\subseteq", Builtin::SubsetOf),
        ("\\cup", Builtin::Union),
        ("\\cap", Builtin::Intersection),
        ("\\", Builtin::Difference),
        ("~", Builtin::Not),
        ("/\\", Builtin::And),
        ("\\/", Builtin::Or),
        ("=>", Builtin::Implies),
        ("<=>", Builtin::Equivalent),
        ("SUBSET", Builtin::PowerSet),
        ("UNION", Builtin::BigUnion),
        ("DOMAIN", Builtin::Domain),
        ("ENABLED", Builtin::Enabled),
        ("UNCHANGED", Builtin::Unchanged),
        ("'", Builtin::Prime),
        ("[]", Builtin::Temporal),
        ("<>", Builtin::Temporal),
        ("~>", Builtin::Temporal),
        ("-+->", Builtin::Temporal),
        ("\\cdot", Builtin::Compose),
    ];
    let known = table.into_iter();
    known
        .filter_map(|(text, what)| Some((names.get(text)?, what)))
        .collect()
}

impl<'a> Compiler<'a> {
    /// An expression whose variables are in these rows.
    pub(super) fn expr(&mut self, expr: &'a Expr, scope: ScopeId, rows: Rows) -> Code {
        evenhand_source::spend();
        self.size += 1;
        let span = expr.span;
        if self.is_deep(span) {
            return refused("the definitions are nested too deep", span);
        }
        self.depth += 1;
        let code = self.expr_of_kind(expr, scope, rows);
        self.depth -= 1;
        code
    }

    fn expr_of_kind(&mut self, expr: &'a Expr, scope: ScopeId, rows: Rows) -> Code {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(Some(number)) => constant(Value::Number(*number), span),
            ExprKind::Number(None) => {
                refused("the number is too large: numbers have 32 bits", span)
            }
            ExprKind::Decimal(_) => refused("numbers with a fraction have no value here", span),
            ExprKind::Text(text) => constant(Value::Text(*text), span),
            ExprKind::Truth(truth) => constant(Value::Truth(*truth), span),
            ExprKind::Boolean => {
                let both = Value::set(vec![Value::Truth(false), Value::Truth(true)]);
                both.map_or_else(|f| refused(f.to_string(), span), |set| constant(set, span))
            }
            ExprKind::Strings => constant(Value::Lazy(LazySet::Strings.into()), span),
            ExprKind::At => match self.at_binding(scope) {
                Some(binding) => self.apply(&binding, &[], rows, span),
                None => refused("`@` stands outside of an EXCEPT", span),
            },
            ExprKind::Apply(path) => self.path(path, scope, rows, span),
            ExprKind::And(parts) => {
                let (parts, facts) = self.list(parts, scope, rows);
                let op = Op::And(parts);
                Code { op, span, facts }
            }
            ExprKind::Or(parts) => {
                let (parts, facts) = self.list(parts, scope, rows);
                let op = Op::Or(parts);
                Code { op, span, facts }
            }
            ExprKind::Quantified(quantifier, Bounds::In(bounds), body) => {
                let first = self.first();
                let (binds, inner, facts) = self.binds(bounds, scope, rows);
                let body = self.expr(body, inner, rows);
                let facts = facts.and(body.facts).above(first);
                let op = match quantifier {
                    Quantifier::All => Op::All(binds, Box::new(body)),
                    Quantifier::Exists => Op::Exists(binds, Box::new(body)),
                    _ => return refused("a temporal quantifier has no value", span),
                };
                Code { op, span, facts }
            }
            ExprKind::Quantified(_, Bounds::Free(_), _) => refused(
                "a quantifier without a set has no value that could be computed",
                span,
            ),
            ExprKind::Choose(pattern, Some(set), body) => {
                let first = self.first();
                let set = self.expr(set, scope, rows);
                let (target, inner) = self.target(pattern, scope);
                let body = self.expr(body, inner, rows);
                let facts = set.facts.and(body.facts).above(first);
                let targets = Box::new([target]);
                let op = Op::Choose(Box::new(Bind { set, targets }), Box::new(body));
                Code { op, span, facts }
            }
            ExprKind::Choose(_, None, _) => refused(
                "a CHOOSE without a set has no value that could be computed",
                span,
            ),
            ExprKind::SetOf(parts) => {
                let (parts, facts) = self.list(parts, scope, rows);
                let op = Op::SetOf(parts);
                Code { op, span, facts }
            }
            ExprKind::Filter(pattern, set, body) => {
                let set = self.expr(set, scope, rows);
                let (number, facts) = self.body(&[pattern], body, scope, rows, None);
                let facts = facts.and(set.facts);
                let op = Op::Filter(Box::new(set), number);
                Code { op, span, facts }
            }
            ExprKind::Image(body, bounds) => {
                let first = self.first();
                let (binds, inner, facts) = self.binds(bounds, scope, rows);
                let body = self.expr(body, inner, rows);
                let facts = facts.and(body.facts).above(first);
                let op = Op::Image(Box::new(body), binds);
                Code { op, span, facts }
            }
            ExprKind::Function(bounds, body) => {
                self.function(bounds, body, scope, rows, None, span)
            }
            ExprKind::Functions(from, to) => self.two(from, to, scope, rows, span, Op::Functions),
            ExprKind::At1(function, args) => {
                let function = self.expr(function, scope, rows);
                let (args, facts) = self.list(args, scope, rows);
                let facts = facts.and(function.facts);
                let op = Op::Apply(Box::new(function), args);
                Code { op, span, facts }
            }
            ExprKind::Except(function, updates) => {
                let first = self.first();
                let function = self.expr(function, scope, rows);
                let mut facts = function.facts;
                let mut changes = Vec::new();
                for update in updates {
                    let mut place = Vec::new();
                    for step in &update.place {
                        let code = match step {
                            Place::At(args) if args.len() == 1 => self.expr(&args[0], scope, rows),
                            Place::At(args) => {
                                let (args, facts) = self.list(args, scope, rows);
                                let op = Op::Tuple(args);
                                Code {
                                    op,
                                    span: update.span,
                                    facts,
                                }
                            }
                            Place::Field(ident) => constant(Value::Text(ident.name), ident.span),
                        };
                        facts = facts.and(code.facts);
                        place.push(code);
                    }
                    let at = self.slot();
                    let frame = self.frame;
                    let inner = self.scopes.add(Some(scope));
                    self.at_slots.insert(inner, Binding::Slot(frame, at));
                    let value = self.expr(&update.value, inner, rows);
                    facts = facts.and(value.facts);
                    let place = place.into();
                    changes.push(Change { place, at, value });
                }
                let facts = facts.above(first);
                let op = Op::Except(Box::new(function), changes.into());
                Code { op, span, facts }
            }
            ExprKind::Record(fields) => {
                let (fields, facts) = self.fields(fields, scope, rows);
                let op = Op::Record(fields);
                Code { op, span, facts }
            }
            ExprKind::Records(fields) => {
                let (fields, facts) = self.fields(fields, scope, rows);
                let op = Op::Records(fields);
                Code { op, span, facts }
            }
            ExprKind::Field(record, ident) => {
                let record = self.expr(record, scope, rows);
                let facts = record.facts;
                let op = Op::Field(Box::new(record), ident.name);
                Code { op, span, facts }
            }
            ExprKind::Tuple(parts) => {
                let (parts, facts) = self.list(parts, scope, rows);
                let op = Op::Tuple(parts);
                Code { op, span, facts }
            }
            ExprKind::Product(parts) => {
                let (parts, facts) = self.list(parts, scope, rows);
                let op = Op::Product(parts);
                Code { op, span, facts }
            }
            ExprKind::If(condition, yes, no) => {
                let condition = Box::new(self.expr(condition, scope, rows));
                let yes = Box::new(self.expr(yes, scope, rows));
                let no = Box::new(self.expr(no, scope, rows));
                let facts = condition.facts.and(yes.facts).and(no.facts);
                let op = Op::If(condition, yes, no);
                Code { op, span, facts }
            }
            ExprKind::Case(arms, other) => {
                let mut facts = Facts::NONE;
                let mut list = Vec::new();
                for (condition, value) in arms {
                    let condition = self.expr(condition, scope, rows);
                    let value = self.expr(value, scope, rows);
                    facts = facts.and(condition.facts).and(value.facts);
                    list.push((condition, value));
                }
                let other = other.as_ref().map(|other| {
                    let other = self.expr(other, scope, rows);
                    facts = facts.and(other.facts);
                    Box::new(other)
                });
                let op = Op::Case(list.into(), other);
                Code { op, span, facts }
            }
            ExprKind::Let(units, body) => {
                let first = self.first();
                let (inner, thunks) = self.let_units(units, scope, rows);
                let body = self.expr(body, inner, rows);
                with_thunks(thunks, body, first)
            }
            ExprKind::Square(body, subscript) => {
                let body = self.expr(body, scope, rows);
                let same = self.same(subscript, scope, rows, span);
                let facts = body.facts.and(same.facts);
                let op = Op::Or(Box::new([body, same]));
                Code { op, span, facts }
            }
            ExprKind::Angle(body, subscript) => {
                let body = self.expr(body, scope, rows);
                let same = self.same(subscript, scope, rows, span);
                let facts = body.facts.and(same.facts);
                let changed = Code {
                    facts: same.facts,
                    op: Op::Not(Box::new(same)),
                    span,
                };
                let op = Op::And(Box::new([body, changed]));
                Code { op, span, facts }
            }
            ExprKind::Fair { .. } => refused("a temporal formula has no value in a state", span),
            ExprKind::Lambda(..) => refused("a LAMBDA stands where a value is needed", span),
            ExprKind::Label(_, _, body) => self.expr(body, scope, rows),
        }
    }

    /// `v' = v`
    pub(super) fn same(
        &mut self,
        subscript: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        span: Span,
    ) -> Code {
        let Some(behind) = rows.primed() else {
            return refused("primed variables have no value here", span);
        };
        let after = self.expr(subscript, scope, behind);
        let before = self.expr(subscript, scope, rows);
        let facts = after.facts.and(before.facts);
        let op = Op::Equal(Box::new(after), Box::new(before));
        Code { op, span, facts }
    }

    /// What `@` means in a scope.
    fn at_binding(&self, scope: ScopeId) -> Option<Binding<'a>> {
        let mut at = Some(scope);
        while let Some(id) = at {
            if let Some(binding) = self.at_slots.get(&id) {
                return Some(binding.clone());
            }
            at = self.scopes.get(id).outer;
        }
        None
    }

    /// What `LET` defines: a scope, and slots for what has no parameters.
    pub(super) fn let_units(
        &mut self,
        units: &'a [Unit],
        scope: ScopeId,
        rows: Rows,
    ) -> (ScopeId, Vec<Thunk>) {
        let inner = self.scopes.add(Some(scope));
        let mut thunks = Vec::new();
        for unit in units {
            self.local_unit(inner, unit);
            let Unit::Operator(definition) = unit else {
                continue;
            };
            let recursive = self.defs.last().is_some_and(|def| def.recursive);
            if !definition.params.is_empty() || recursive {
                continue;
            }
            // What is not needed is not evaluated, and what is needed is evaluated once.
            let code = self.expr(&definition.body, inner, rows);
            let slot = self.slot();
            thunks.push(Thunk { slot, code });
            let place = Some((self.frame, slot, rows));
            let binding = Binding::Text(&definition.body, inner, place);
            self.scopes.bind(inner, definition.ident.name, binding);
        }
        (inner, thunks)
    }

    fn list(&mut self, parts: &'a [Expr], scope: ScopeId, rows: Rows) -> (Box<[Code]>, Facts) {
        let mut facts = Facts::NONE;
        let mut list = Vec::with_capacity(parts.len());
        for part in parts {
            let code = self.expr(part, scope, rows);
            facts = facts.and(code.facts);
            list.push(code);
        }
        (list.into(), facts)
    }

    fn fields(
        &mut self,
        fields: &'a [(crate::syntax::ast::Ident, Expr)],
        scope: ScopeId,
        rows: Rows,
    ) -> (Box<[(Symbol, Code)]>, Facts) {
        let mut facts = Facts::NONE;
        let mut list = Vec::with_capacity(fields.len());
        for (ident, value) in fields {
            let code = self.expr(value, scope, rows);
            facts = facts.and(code.facts);
            list.push((ident.name, code));
        }
        (list.into(), facts)
    }

    fn two(
        &mut self,
        a: &'a Expr,
        b: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        span: Span,
        make: impl FnOnce(Box<Code>, Box<Code>) -> Op,
    ) -> Code {
        let a = Box::new(self.expr(a, scope, rows));
        let b = Box::new(self.expr(b, scope, rows));
        let facts = a.facts.and(b.facts);
        let op = make(a, b);
        Code { op, span, facts }
    }

    /// Bound names with their sets.
    pub(super) fn binds(
        &mut self,
        bounds: &'a [Bound],
        scope: ScopeId,
        rows: Rows,
    ) -> (Box<[Bind]>, ScopeId, Facts) {
        let mut facts = Facts::NONE;
        let mut sets = Vec::with_capacity(bounds.len());
        for bound in bounds {
            let set = self.expr(&bound.set, scope, rows);
            facts = facts.and(set.facts);
            sets.push(set);
        }
        let mut inner = scope;
        let mut list = Vec::with_capacity(bounds.len());
        for (bound, set) in bounds.iter().zip(sets) {
            let mut targets = Vec::new();
            for pattern in &bound.patterns {
                let (target, deeper) = self.target(pattern, inner);
                inner = deeper;
                targets.push(target);
            }
            let targets = targets.into();
            list.push(Bind { set, targets });
        }
        (list.into(), inner, facts)
    }

    /// The inside of a function or a filter, by its number.
    fn body(
        &mut self,
        patterns: &[&'a Pattern],
        body: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        own: Option<Symbol>,
    ) -> (u32, Facts) {
        let first = self.first();
        self.recorders.push(Recorder {
            frame: self.frame,
            first,
            found: Vec::new(),
        });
        let mut inner = scope;
        let mut own_slot = None;
        if let Some(own) = own {
            let slot = self.slot();
            let frame = self.frame;
            inner = self.scopes.with(inner, own, Binding::Slot(frame, slot));
            own_slot = Some(slot);
        }
        let mut targets = Vec::new();
        for pattern in patterns {
            let (target, deeper) = self.target(pattern, inner);
            inner = deeper;
            targets.push(target);
        }
        let code = self.expr(body, inner, rows);
        let code = self.hoisted(code);
        let facts = code.facts.above(first);
        let recorder = self.recorders.pop();
        let found = recorder.map(|recorder| recorder.found).unwrap_or_default();
        let mut frames = Vec::new();
        let mut needs = Vec::new();
        for (frame, slot) in found {
            let distance = self.distance(frame).unwrap_or(0);
            frames.resize(frames.len().max(distance as usize + 1), 1);
            let size = &mut frames[distance as usize];
            *size = (*size).max(slot + 1);
            needs.push((distance, slot));
        }
        frames.resize(frames.len().max(1), 1);
        frames[0] = frames[0].max(self.first());
        let number = u32::try_from(self.bodies.len()).unwrap_or(u32::MAX);
        self.bodies.push(Some(Body {
            targets: targets.into(),
            own: own_slot,
            code,
            needs: needs.into(),
            frames: frames.into(),
        }));
        (number, facts)
    }

    fn function(
        &mut self,
        bounds: &'a [Bound],
        body: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        own: Option<Symbol>,
        span: Span,
    ) -> Code {
        let mut facts = Facts::NONE;
        let mut sets = Vec::new();
        let mut patterns = Vec::new();
        for bound in bounds {
            for pattern in &bound.patterns {
                let set = self.expr(&bound.set, scope, rows);
                facts = facts.and(set.facts);
                sets.push(set);
                patterns.push(pattern);
            }
        }
        let (number, inside) = self.body(&patterns, body, scope, rows, own);
        let op = Op::Function(sets.into(), number);
        let facts = facts.and(inside);
        Code { op, span, facts }
    }

    /// `f[x \in S] == e`: a function that may use itself.
    pub(super) fn function_definition(
        &mut self,
        definition: &'a FunctionDefinition,
        scope: ScopeId,
        rows: Rows,
    ) -> Code {
        let own = Some(definition.ident.name);
        self.function(
            &definition.bounds,
            &definition.body,
            scope,
            rows,
            own,
            definition.span,
        )
    }

    /// An operator that no module defines.
    pub(super) fn builtin(
        &mut self,
        name: Symbol,
        args: &[Given<'a>],
        rows: Rows,
        span: Span,
    ) -> Code {
        let Some(&what) = self.builtins.get(&name) else {
            return refused(
                format!("`{}` has no meaning here", self.names.text(name)),
                span,
            );
        };
        match (what, args) {
            (Builtin::Prime, &[given]) => {
                let Some(rows) = rows.primed() else {
                    return refused("primed variables have no value here", span);
                };
                self.given(given, rows, span)
            }
            (Builtin::Unchanged, &[Given::Text(expr, scope)]) => self.same(expr, scope, rows, span),
            (Builtin::Enabled, &[Given::Text(expr, scope)]) => {
                self.enabled(expr, scope, rows, span)
            }
            (_, &[a]) => {
                let make: fn(Box<Code>) -> Op = match what {
                    Builtin::Not => Op::Not,
                    Builtin::PowerSet => Op::PowerSet,
                    Builtin::BigUnion => Op::BigUnion,
                    Builtin::Domain => Op::Domain,
                    Builtin::Temporal => {
                        return refused("a temporal formula has no value in a state", span);
                    }
                    _ => {
                        return refused(
                            "the operator is used with another number of arguments",
                            span,
                        );
                    }
                };
                let a = self.given(a, rows, span);
                let facts = a.facts;
                let op = make(Box::new(a));
                Code { op, span, facts }
            }
            (_, &[a, b]) => {
                let make: fn(Box<Code>, Box<Code>) -> Op = match what {
                    Builtin::Equal => Op::Equal,
                    Builtin::Different => Op::Different,
                    Builtin::In => Op::In,
                    Builtin::NotIn => Op::NotIn,
                    Builtin::SubsetOf => Op::SubsetOf,
                    Builtin::Implies => Op::Implies,
                    Builtin::Equivalent => Op::Equivalent,
                    Builtin::And => |a, b| Op::And(Box::new([*a, *b])),
                    Builtin::Or => |a, b| Op::Or(Box::new([*a, *b])),
                    Builtin::Union => |a, b| Op::Sets(SetOperator::Union, a, b),
                    Builtin::Intersection => |a, b| Op::Sets(SetOperator::Intersection, a, b),
                    Builtin::Difference => |a, b| Op::Sets(SetOperator::Difference, a, b),
                    Builtin::Temporal => {
                        return refused("a temporal formula has no value in a state", span);
                    }
                    Builtin::Compose => return self.composed(a, b, rows, span),
                    _ => {
                        return refused(
                            "the operator is used with another number of arguments",
                            span,
                        );
                    }
                };
                let a = self.given(a, rows, span);
                let b = self.given(b, rows, span);
                let facts = a.facts.and(b.facts);
                let op = make(Box::new(a), Box::new(b));
                Code { op, span, facts }
            }
            _ => refused(
                "the operator is used with another number of arguments",
                span,
            ),
        }
    }

    /// `A \cdot B` of a step.
    fn composed(&mut self, a: Given<'a>, b: Given<'a>, rows: Rows, span: Span) -> Code {
        let Some(next) = rows.next else {
            return refused("primed variables have no value here", span);
        };
        let search = action::Search {
            row: next,
            primed: true,
        };
        match self.compose(a, b, rows, search) {
            Some((row, both, facts)) => Code {
                op: Op::Composed(row, both),
                span,
                facts,
            },
            None => refused("this composition of actions cannot be evaluated", span),
        }
    }

    /// Inside of an instance, `ENABLED` asks for next values of the instance's own variables: those that something stands
    /// for get columns in the row that is searched for. Which these are depends on the place of `ENABLED`, so code that was
    /// made for another place is not used for it.
    pub(super) fn look_for_instances(&mut self, scope: ScopeId) -> Columns {
        let mut found: Vec<u32> = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            let inside = self.scopes.get(id);
            found.extend(inside.names.values().filter_map(|binding| match binding {
                Binding::Substituted(_, id) => Some(*id),
                _ => None,
            }));
            at = inside.outer;
        }
        if found.is_empty() {
            return Columns::default();
        }
        found.sort_unstable();
        found.dedup();
        let sets = &mut self.abstract_sets;
        let place = sets.iter().position(|set| *set == found);
        let number = |place: usize| Columns(u16::try_from(place + 1).unwrap_or(u16::MAX));
        if let Some(place) = place {
            return number(place);
        }
        let columns = number(sets.len());
        for &id in &found {
            let column = self.program.variables.len() + self.program.columns;
            self.program.columns += 1;
            let column = u16::try_from(column).unwrap_or(u16::MAX);
            self.abstract_columns.insert((columns, id), column);
        }
        self.abstract_sets.push(found);
        columns
    }

    /// `ENABLED A`: a search for a next state in a row of its own.
    fn enabled(&mut self, expr: &'a Expr, scope: ScopeId, rows: Rows, span: Span) -> Code {
        // Searches inside of each other need rows of their own.
        let row = rows.unused();
        if row >= 16 {
            self.too_deep.get_or_insert(span);
            return refused("ENABLED is nested too deep", span);
        }
        self.program.rows = self.program.rows.max(usize::from(row) + 1);
        let inner = rows.into(row, self.look_for_instances(scope));
        let first = self.first();
        let search = action::Search { row, primed: true };
        let (act, facts) = self.act(expr, scope, inner, search, false);
        let facts = facts.without(row).above(first);
        let op = Op::Enabled(row, Box::new(act));
        Code { op, span, facts }
    }
}
