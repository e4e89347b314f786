//! Actions and initial predicates: formulas that are searched for next states.
//!
//! TLC reads an action from left to right. A disjunction, or a quantifier that says that something exists, branches, and all branches are
//! tried; the first equation of a primed variable gives it its value, later ones test it; everything else is a
//! predicate. What is an equation of a variable is decided by what names mean, through definitions, parameters and
//! instances.

use super::apply::Given;
use super::expr::Builtin;
use super::scope::{Binding, DefId, Defined, Rows, ScopeId};
use super::temporal::Level;
use super::{Compiler, DEEPEST, LARGE, Named, UNFOLDED};
use crate::code::{Act, Code, Facts, Op, Row, Thunk, Var};
use crate::syntax::ast::{Bound, Bounds, Definition, Expr, ExprKind, Pattern, Quantifier};

/// Which row is searched for, and whether its variables are primed in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Search {
    pub row: Row,
    pub primed: bool,
}

impl<'a> Compiler<'a> {
    /// An action; with `naming`, steps are called after the definitions that lead to it.
    pub(super) fn act(
        &mut self,
        expr: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        search: Search,
        naming: bool,
    ) -> (Act, Facts) {
        evenhand_source::spend();
        self.size += 1;
        let span = expr.span;
        if self.is_deep(span) {
            return test(super::refused("the definitions are nested too deep", span));
        }
        self.depth += 1;
        let act = self.act_of_kind(expr, scope, rows, search, naming);
        self.depth -= 1;
        act
    }

    fn act_of_kind(
        &mut self,
        expr: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        search: Search,
        naming: bool,
    ) -> (Act, Facts) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::And(parts) => {
                let (list, facts) = self.acts(parts, scope, rows, search, false);
                (Act::And(list), facts)
            }
            ExprKind::Or(parts) => {
                let (list, facts) = self.acts(parts, scope, rows, search, naming);
                (Act::Or(list), facts)
            }
            ExprKind::Quantified(Quantifier::Exists, Bounds::In(bounds), body) => {
                let first = self.first();
                let (binds, inner, facts) = self.binds(bounds, scope, rows);
                let (body, inside) = self.act(body, inner, rows, search, naming);
                let facts = facts.and(inside).above(first);
                (Act::Exists(binds, Box::new(body)), facts)
            }
            ExprKind::Quantified(Quantifier::All, Bounds::In(bounds), body) => {
                let first = self.first();
                let (binds, inner, facts) = self.binds(bounds, scope, rows);
                let (body, inside) = self.act(body, inner, rows, search, false);
                let facts = facts.and(inside).above(first);
                let range = (first, self.first());
                (Act::All(binds, Box::new(body), range), facts)
            }
            ExprKind::If(condition, yes, no) => {
                let condition = self.expr(condition, scope, rows);
                let (yes, a) = self.act(yes, scope, rows, search, false);
                let (no, b) = self.act(no, scope, rows, search, false);
                let facts = condition.facts.and(a).and(b);
                (Act::If(condition, Box::new(yes), Box::new(no)), facts)
            }
            ExprKind::Case(arms, other) => {
                let mut facts = Facts::NONE;
                let mut list = Vec::new();
                for (condition, value) in arms {
                    let condition = self.expr(condition, scope, rows);
                    let (value, inside) = self.act(value, scope, rows, search, false);
                    facts = facts.and(condition.facts).and(inside);
                    list.push((condition, value));
                }
                let other = other.as_ref().map(|other| {
                    let (other, inside) = self.act(other, scope, rows, search, false);
                    facts = facts.and(inside);
                    Box::new(other)
                });
                (Act::Case(list.into(), other, span), facts)
            }
            ExprKind::Let(units, body) => {
                let first = self.first();
                let (inner, thunks) = self.let_units(units, scope, rows);
                let (body, facts) = self.act(body, inner, rows, search, naming);
                bound(thunks, body, facts, search, first)
            }
            ExprKind::Label(_, _, body) => self.act(body, scope, rows, search, naming),
            ExprKind::Square(body, subscript) if search.primed => {
                // A step of the action, or one that leaves everything as it is.
                let (body, a) = self.act(body, scope, rows, search, naming);
                let (same, b) = self.unchanged(subscript, scope, rows);
                (Act::Or(Box::new([body, same])), a.and(b))
            }
            ExprKind::Angle(body, subscript) if search.primed => {
                let (body, a) = self.act(body, scope, rows, search, false);
                let same = self.same(subscript, scope, rows, span);
                let facts = same.facts;
                let op = Op::Not(Box::new(same));
                let changed = Act::Test(Code { op, span, facts });
                (Act::And(Box::new([body, changed])), a.and(facts))
            }
            ExprKind::Apply(path) => {
                let Some(binding) = self.resolve(path, scope) else {
                    return test(self.expr(expr, scope, rows));
                };
                let args = path.last.args.iter().map(|arg| Given::Text(arg, scope));
                let args: Vec<Given<'a>> = args.collect();
                self.act_of(&binding, &args, expr, scope, rows, search, naming)
            }
            ExprKind::At1(function, args)
                if search.primed && self.level(expr, scope) == Level::Action =>
            {
                match self.defined_function(function, scope, args.len()) {
                    Some((bounds, body, place)) => {
                        self.act_function(bounds, body, place, args, expr, scope, rows, search)
                    }
                    None => test(self.expr(expr, scope, rows)),
                }
            }
            _ => test(self.expr(expr, scope, rows)),
        }
    }

    /// The function that a text is: its bounds, its body, and where they stand. Only of functions on single names.
    fn defined_function(
        &mut self,
        function: &'a Expr,
        scope: ScopeId,
        count: usize,
    ) -> Option<(&'a [Bound], &'a Expr, ScopeId)> {
        let (bounds, body, place): (&'a [Bound], &'a Expr, ScopeId) = match &function.kind {
            ExprKind::Function(bounds, body) => (bounds, body, scope),
            ExprKind::Apply(path) => match self.resolve(path, scope)? {
                Binding::Definition(id) => {
                    let def = &self.defs[id.0 as usize];
                    match def.what {
                        Defined::Function(known) => (&known.bounds, &known.body, def.scope),
                        Defined::Operator(_) => return None,
                    }
                }
                _ => return None,
            },
            _ => return None,
        };
        let patterns = bounds.iter().flat_map(|bound| &bound.patterns);
        let single = patterns
            .clone()
            .all(|pattern| matches!(pattern, Pattern::Name(_)));
        (single && patterns.count() == count).then_some((bounds, body, place))
    }

    /// A function whose values are actions, at its arguments.
    #[expect(
        clippy::too_many_arguments,
        reason = "the function, its arguments, and what is looked for"
    )]
    fn act_function(
        &mut self,
        bounds: &'a [Bound],
        body: &'a Expr,
        place: ScopeId,
        args: &'a [Expr],
        expr: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        search: Search,
    ) -> (Act, Facts) {
        // A function that uses itself is no longer taken apart.
        if self.unfolded >= UNFOLDED {
            return test(self.expr(expr, scope, rows));
        }
        let span = expr.span;
        let first = self.first();
        let mut thunks = Vec::new();
        let mut tests = Vec::new();
        let mut facts = Facts::NONE;
        let inner = self.scopes.add(Some(place));
        let names = bounds
            .iter()
            .flat_map(|bound| bound.patterns.iter().map(move |pattern| (pattern, bound)));
        for ((pattern, bound), arg) in names.zip(args) {
            let Pattern::Name(ident) = pattern else {
                continue;
            };
            let binding = self.argument(Given::Text(arg, scope), rows, &mut thunks);
            let value = self.apply(&binding, &[], rows, span);
            self.scopes.bind(inner, ident.name, binding);
            let set = self.expr(&bound.set, place, rows);
            let own = value.facts.and(set.facts);
            facts = facts.and(own);
            let op = Op::In(Box::new(value), Box::new(set));
            tests.push(Code {
                op,
                span,
                facts: own,
            });
        }
        let op = Op::And(tests.into());
        let known = Code { op, span, facts };
        self.unfolded += 1;
        let (body, inside) = self.act(body, inner, rows, search, false);
        self.unfolded -= 1;
        let outside = super::refused("the function is applied outside of its domain", span);
        let facts = facts.and(inside);
        let body = Act::If(known, Box::new(body), Box::new(Act::Test(outside)));
        bound(thunks, body, facts, search, first)
    }

    fn acts(
        &mut self,
        parts: &'a [Expr],
        scope: ScopeId,
        rows: Rows,
        search: Search,
        naming: bool,
    ) -> (Box<[Act]>, Facts) {
        let mut facts = Facts::NONE;
        let mut list = Vec::with_capacity(parts.len());
        for part in parts {
            let (act, inside) = self.act(part, scope, rows, search, naming);
            facts = facts.and(inside);
            list.push(act);
        }
        (list.into(), facts)
    }

    /// What a name with arguments is as an action; `expr` is all of it.
    #[expect(
        clippy::too_many_arguments,
        reason = "the text, its meaning, and what is looked for"
    )]
    fn act_of(
        &mut self,
        binding: &Binding<'a>,
        args: &[Given<'a>],
        expr: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        search: Search,
        naming: bool,
    ) -> (Act, Facts) {
        let span = expr.span;
        match binding {
            Binding::Definition(id) => {
                self.act_definition(*id, args, expr, scope, rows, search, naming)
            }
            Binding::Text(text, place, slot) => match slot {
                // What was evaluated for these rows may still be an action.
                Some((.., at)) if *at == rows && self.is_value(text, *place) => {
                    test(self.apply(binding, args, rows, span))
                }
                _ => self.act(text, *place, rows, search, naming),
            },
            Binding::Lambda(params, body, place) => {
                let first = self.first();
                let mut thunks = Vec::new();
                let inner = self.scopes.add(Some(*place));
                for (ident, &arg) in params.iter().zip(args) {
                    let binding = self.argument(arg, rows, &mut thunks);
                    self.scopes.bind(inner, ident.name, binding);
                }
                let (body, facts) = self.act(body, inner, rows, search, false);
                bound(thunks, body, facts, search, first)
            }
            Binding::Builtin(name) => {
                let what = self.builtins.get(name).copied();
                match (what, args) {
                    (Some(Builtin::And), &[Given::Text(a, s), Given::Text(b, t)]) => {
                        let (a, x) = self.act(a, s, rows, search, false);
                        let (b, y) = self.act(b, t, rows, search, false);
                        (Act::And(Box::new([a, b])), x.and(y))
                    }
                    (Some(Builtin::Or), &[Given::Text(a, s), Given::Text(b, t)]) => {
                        let (a, x) = self.act(a, s, rows, search, naming);
                        let (b, y) = self.act(b, t, rows, search, naming);
                        (Act::Or(Box::new([a, b])), x.and(y))
                    }
                    (Some(Builtin::Implies), &[a, Given::Text(b, t)]) => {
                        // The left side is a value; if it is false, everything is said.
                        let a = self.given(a, rows, span);
                        let (b, y) = self.act(b, t, rows, search, false);
                        let facts = a.facts.and(y);
                        let nothing = Act::And(Box::new([]));
                        (Act::If(a, Box::new(b), Box::new(nothing)), facts)
                    }
                    (Some(Builtin::Compose), &[a, b]) if search.primed => {
                        match self.compose(a, b, rows, search) {
                            Some((row, both, facts)) => {
                                self.program.composes = true;
                                (Act::Compose(row, both), facts)
                            }
                            None => test(self.expr(expr, scope, rows)),
                        }
                    }
                    (Some(Builtin::Unchanged), &[Given::Text(a, s)]) if search.primed => {
                        self.unchanged(a, s, rows)
                    }
                    (
                        Some(kind @ (Builtin::Equal | Builtin::In | Builtin::SubsetOf)),
                        &[Given::Text(left, s), right],
                    ) => {
                        let Some(variable) = self.assigned(left, s, search.primed, rows) else {
                            return test(self.expr(expr, scope, rows));
                        };
                        let right = self.given(right, rows, span);
                        let facts = right.facts;
                        let act = match kind {
                            Builtin::Equal => Act::Assign(search.row, variable, right),
                            Builtin::In => Act::AssignIn(search.row, variable, right, span),
                            _ => Act::AssignSubset(search.row, variable, right, span),
                        };
                        let own = Facts {
                            rows: 1 << search.row,
                            ..Facts::NONE
                        };
                        (act, facts.and(own))
                    }
                    _ => test(self.expr(expr, scope, rows)),
                }
            }
            _ => test(self.expr(expr, scope, rows)),
        }
    }

    /// `A \cdot B`: the row between the two, both actions, and what they depend on.
    pub(super) fn compose(
        &mut self,
        a: Given<'a>,
        b: Given<'a>,
        rows: Rows,
        search: Search,
    ) -> Option<(Row, Box<[Act; 2]>, Facts)> {
        let (Given::Text(a, s), Given::Text(b, t)) = (a, b) else {
            return None;
        };
        let middle = rows.unused();
        if middle >= 16 {
            self.too_deep.get_or_insert(a.span);
            return None;
        }
        self.program.rows = self.program.rows.max(usize::from(middle) + 1);
        let first = self.first();
        // The state between is one of the same variables as the one that is looked for.
        let before = rows.into(middle, rows.next_columns);
        let after = Rows {
            now: middle,
            now_columns: rows.next_columns,
            ..rows
        };
        let own = Search {
            row: middle,
            primed: true,
        };
        let (a, x) = self.act(a, s, before, own, false);
        let (b, y) = self.act(b, t, after, search, false);
        let facts = x.and(y).without(middle).above(first);
        Some((middle, Box::new([a, b]), facts))
    }

    /// Whether a text has no place for assignments, so that its value is all that matters.
    fn is_value(&mut self, text: &'a Expr, scope: ScopeId) -> bool {
        match &text.kind {
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Quantified(..) => false,
            ExprKind::If(..) | ExprKind::Case(..) | ExprKind::Let(..) | ExprKind::Label(..) => {
                false
            }
            ExprKind::Square(..) | ExprKind::Angle(..) => false,
            ExprKind::Apply(path) => !matches!(
                self.resolve(path, scope),
                Some(
                    Binding::Definition(_)
                        | Binding::Text(..)
                        | Binding::Lambda(..)
                        | Binding::Builtin(_)
                )
            ),
            _ => true,
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the text, its meaning, and what is looked for"
    )]
    fn act_definition(
        &mut self,
        id: DefId,
        args: &[Given<'a>],
        expr: &'a Expr,
        scope: ScopeId,
        rows: Rows,
        search: Search,
        naming: bool,
    ) -> (Act, Facts) {
        let def = &self.defs[id.0 as usize];
        let (what, place) = (def.what, def.scope);
        let (recursive, large) = (def.recursive, def.large_act);
        let Defined::Operator(definition) = what else {
            return test(self.expr(expr, scope, rows));
        };
        if args.len() != definition.params.len() {
            return test(self.expr(expr, scope, rows));
        }
        // TLC has evaluated such a definition before it looks for steps: it has no branches.
        if args.is_empty()
            && place == self.root()
            && self.level_of_body(id, &definition.body, place) == Level::Constant
        {
            return test(self.expr(expr, scope, rows));
        }
        let first_order = definition.params.iter().all(|param| param.arity == 0);
        if (recursive && first_order)
            || (definition.params.is_empty() && (large || self.depth > DEEPEST / 2))
        {
            return self.call_act((id, rows, search, naming), args, expr.span);
        }
        if recursive || self.depth > DEEPEST {
            self.too_deep.get_or_insert(expr.span);
            return test(super::refused(
                "the definitions are nested too deep",
                expr.span,
            ));
        }
        let before = self.size;
        let first = self.first();
        let mut thunks = Vec::new();
        let inner = self.scopes.add(Some(place));
        // Before it looks for steps, TLC splits the action into disjuncts, and has the values of arguments that speak of
        // no variable then. Elsewhere an argument may be a formula with branches.
        let is_settled = naming && first_order && self.are_constant(args);
        for (declared, &arg) in definition.params.iter().zip(args) {
            let binding = match arg {
                Given::Text(expr, site) if declared.arity > 0 => self.operator_argument(expr, site),
                _ => self.argument(arg, rows, &mut thunks),
            };
            let binding = match (binding, arg) {
                (Binding::Text(_, _, Some((frame, slot, _))), _) if is_settled => {
                    Binding::Slot(frame, slot)
                }
                (Binding::Global(_), Given::Text(expr, site))
                    if !is_settled && !self.is_value(expr, site) =>
                {
                    Binding::Text(expr, site, None)
                }
                (binding, _) => binding,
            };
            self.scopes.bind(inner, declared.ident.name, binding);
        }
        let shown = match naming {
            true => self.shown(definition, inner, rows),
            false => Vec::new(),
        };
        let (body, facts) = self.act(&definition.body, inner, rows, search, naming);
        // An argument that speaks of variables may be primed inside: then its value does not say which action it is.
        let watched = self.watched.get(&id).copied().filter(|_| is_settled);
        let args = match watched {
            Some(_) => self.shown(definition, inner, rows),
            None => Vec::new(),
        };
        let body = match naming {
            true => self.named_act(definition, shown, body),
            false => body,
        };
        let body = match watched {
            Some(number) => Act::Watched(number, args.into(), Box::new(body)),
            None => body,
        };
        if self.size - before > LARGE {
            self.defs[id.0 as usize].large_act = true;
        }
        bound(thunks, body, facts, search, first)
    }

    /// Whether arguments speak of no variable.
    fn are_constant(&mut self, args: &[Given<'a>]) -> bool {
        args.iter().all(|&arg| match arg {
            Given::Slot(..) => true,
            Given::Text(expr, site) => self.level(expr, site) == Level::Constant,
        })
    }

    /// The arguments of a definition, as they are shown behind its name.
    pub(super) fn shown(
        &mut self,
        definition: &'a Definition,
        inner: ScopeId,
        rows: Rows,
    ) -> Vec<Code> {
        let mut shown = Vec::new();
        for declared in definition.params.iter().filter(|param| param.arity == 0) {
            if let Some(binding) = self.lookup(inner, declared.ident.name) {
                shown.push(self.apply(&binding, &[], rows, declared.ident.span));
            }
        }
        shown
    }

    /// An action whose steps are called after a definition, unless they are called after one inside.
    pub(super) fn named_act(
        &mut self,
        definition: &Definition,
        shown: Vec<Code>,
        body: Act,
    ) -> Act {
        if is_named(&body) {
            return body;
        }
        let number = self.action_number(Named {
            name: definition.ident.name,
            span: definition.ident.span,
            body: definition.body.span,
        });
        Act::Named(number, shown.into(), Box::new(body))
    }

    fn action_number(&mut self, named: Named) -> u32 {
        let actions = &mut self.program.actions;
        let place = actions.iter().position(|other| *other == named);
        let place = place.unwrap_or_else(|| {
            actions.push(named);
            actions.len() - 1
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// `UNCHANGED e`: of variables, and of tuples and definitions of them, one after the other; else a test.
    fn unchanged(&mut self, expr: &'a Expr, scope: ScopeId, rows: Rows) -> (Act, Facts) {
        let span = expr.span;
        if self.is_deep(span) {
            return test(super::refused("the definitions are nested too deep", span));
        }
        let Some(next) = rows.next else {
            return test(self.same(expr, scope, rows, span));
        };
        if let Some(variable) = self.assigned(expr, scope, false, rows) {
            let facts = Facts {
                rows: 1 << rows.now | 1 << next,
                ..Facts::NONE
            };
            if usize::from(variable) >= self.program.variables.len() {
                // What stands for it has a value now; it is to be the next one.
                let now = self.expr(expr, scope, rows);
                let facts = facts.and(now.facts);
                return (Act::Assign(next, variable, now), facts);
            }
            return (Act::Unchanged(next, rows.now, variable, span), facts);
        }
        match &expr.kind {
            ExprKind::Tuple(parts) => {
                let mut facts = Facts::NONE;
                let mut list = Vec::new();
                for part in parts {
                    let (act, inside) = self.unchanged(part, scope, rows);
                    facts = facts.and(inside);
                    list.push(act);
                }
                (Act::And(list.into()), facts)
            }
            ExprKind::Label(_, _, body) => self.unchanged(body, scope, rows),
            ExprKind::Apply(path) if path.last.args.is_empty() => match self.resolve(path, scope) {
                Some(Binding::Definition(id)) => {
                    let def = &self.defs[id.0 as usize];
                    match (def.what, def.scope) {
                        (Defined::Operator(definition), place) => {
                            self.unchanged(&definition.body, place, rows)
                        }
                        _ => test(self.same(expr, scope, rows, span)),
                    }
                }
                Some(binding @ (Binding::Text(..) | Binding::Substituted(..))) => {
                    match self.text_of(&binding) {
                        Some((text, place)) => self.unchanged(text, place, rows),
                        None => test(self.same(expr, scope, rows, span)),
                    }
                }
                _ => test(self.same(expr, scope, rows, span)),
            },
            _ => test(self.same(expr, scope, rows, span)),
        }
    }

    /// The variable that a left side is, primed or not.
    fn assigned(
        &mut self,
        expr: &'a Expr,
        scope: ScopeId,
        primed: bool,
        rows: Rows,
    ) -> Option<Var> {
        if self.is_deep(expr.span) {
            return None;
        }
        match &expr.kind {
            ExprKind::Label(_, _, body) => self.assigned(body, scope, primed, rows),
            ExprKind::Let(units, body) => {
                let inner = self.scopes.add(Some(scope));
                for unit in units {
                    self.local_unit(inner, unit);
                }
                self.assigned(body, inner, primed, rows)
            }
            ExprKind::Apply(path) => match self.resolve(path, scope)? {
                Binding::Variable(variable) => (!primed).then_some(variable),
                Binding::Text(text, place, _) => self.assigned(text, place, primed, rows),
                binding @ Binding::Substituted(..) => {
                    let Binding::Substituted(_, id) = &binding else {
                        return None;
                    };
                    match self.abstract_columns.get(&(rows.next_columns, *id)) {
                        Some(&column) => (!primed).then_some(column),
                        None => {
                            let (text, place) = self.text_of(&binding)?;
                            self.assigned(text, place, primed, rows)
                        }
                    }
                }
                Binding::Builtin(name) => {
                    match (self.builtins.get(&name)?, path.last.args.as_slice()) {
                        (Builtin::Prime, [arg]) if primed => self.assigned(arg, scope, false, rows),
                        _ => None,
                    }
                }
                Binding::Definition(id) => {
                    let def = &self.defs[id.0 as usize];
                    let (what, place) = (def.what, def.scope);
                    match what {
                        Defined::Operator(definition) if definition.params.is_empty() => {
                            self.assigned(&definition.body, place, primed, rows)
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether each step of an action is called after a definition in it.
fn is_named(act: &Act) -> bool {
    match act {
        Act::Named(..) | Act::Call(.., true) => true,
        Act::Or(list) => list.iter().all(is_named),
        Act::Exists(_, body) | Act::Let(_, body) | Act::Watched(_, _, body) => is_named(body),
        _ => false,
    }
}

fn test(code: Code) -> (Act, Facts) {
    let facts = code.facts;
    (Act::Test(code), facts)
}

/// An action with slots that are evaluated when they are needed; again if they read what is searched for.
fn bound(
    thunks: Vec<Thunk>,
    body: Act,
    facts: Facts,
    search: Search,
    first: crate::code::Slot,
) -> (Act, Facts) {
    if thunks.is_empty() {
        return (body, facts.above(first));
    }
    let mut facts = facts;
    let mut list = Vec::with_capacity(thunks.len());
    for thunk in thunks {
        let own = thunk.code.facts;
        facts = facts.and(own);
        let once = !own.reads(search.row) && own.is_pure();
        list.push((thunk, once));
    }
    (Act::Let(list.into(), Box::new(body)), facts.above(first))
}
