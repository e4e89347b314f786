//! Temporal formulas as trees of what they say, with definitions expanded and quantifiers unrolled.

use evenhand_source::Span;

use super::apply::Given;
use super::expr::Builtin;
use super::scope::{Binding, Defined, Rows, ScopeId};
use super::temporal::Level;
use super::{Compiled, Compiler, Program, action};
use crate::code::{Code, Op};
use crate::machine::{Globals, Machine};
use crate::names::Symbol;
use crate::syntax::ast::{Bound, Bounds, Expr, ExprKind, Pattern, Quantifier, Selector};
use crate::value::Value;

/// A temporal formula.
#[derive(Debug)]
pub(crate) enum Formula<'a> {
    /// A predicate of states.
    Atom(&'a Expr, ScopeId),
    Not(Box<Formula<'a>>),
    And(Vec<Formula<'a>>),
    Or(Vec<Formula<'a>>),
    Implies(Box<Formula<'a>>, Box<Formula<'a>>),
    Equivalent(Box<Formula<'a>>, Box<Formula<'a>>),
    Always(Box<Formula<'a>>),
    Eventually(Box<Formula<'a>>),
    LeadsTo(Box<Formula<'a>>, Box<Formula<'a>>),
    Fair(Fair<'a>),
    /// `<<A>>_v`, or `[A]_v` if it is square.
    Step {
        action: &'a Expr,
        subscript: &'a Expr,
        square: bool,
        scope: ScopeId,
    },
    /// What nobody here can read, and why.
    Unread(String, Span),
}

/// `WF_v(A)` or `SF_v(A)` in a scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fair<'a> {
    pub strong: bool,
    pub subscript: &'a Expr,
    pub action: &'a Expr,
    pub scope: ScopeId,
    pub span: Span,
}

/// At most so many instances of a quantifier.
const MOST: u64 = 10_000;

impl<'a> Compiler<'a> {
    /// Reads a temporal formula.
    pub fn formula(&mut self, expr: &'a Expr, scope: ScopeId) -> Formula<'a> {
        self.formula_at(expr, scope, 0)
    }

    fn formula_at(&mut self, expr: &'a Expr, scope: ScopeId, depth: u32) -> Formula<'a> {
        if self.is_deep(expr.span) {
            let why = "the definitions are nested too deep".to_string();
            return Formula::Unread(why, expr.span);
        }
        evenhand_source::spend();
        let span = expr.span;
        match self.level(expr, scope) {
            Level::Constant | Level::State => return Formula::Atom(expr, scope),
            Level::Action => {
                if let Some(step) = self.step_formula(expr, scope, depth) {
                    return step;
                }
                let text = "an action stands where a temporal formula is needed";
                return Formula::Unread(text.to_string(), span);
            }
            Level::Temporal => {}
        }
        if depth > super::DEEPEST {
            return Formula::Unread("the formula is nested too deep".to_string(), span);
        }
        let depth = depth + 1;
        match &expr.kind {
            ExprKind::And(parts) => self.joined(parts, false, scope, depth),
            ExprKind::Or(parts) => self.joined(parts, true, scope, depth),
            ExprKind::Label(_, _, body) => self.formula_at(body, scope, depth),
            ExprKind::Let(units, body) => {
                let inner = self.scopes.add(Some(scope));
                for unit in units {
                    self.local_unit(inner, unit);
                }
                self.formula_at(body, inner, depth)
            }
            ExprKind::If(condition, yes, no) => match self.truth(condition, scope) {
                Some(true) => self.formula_at(yes, scope, depth),
                Some(false) => self.formula_at(no, scope, depth),
                None => {
                    let no = self.formula_at(no, scope, depth);
                    self.branch(condition, yes, no, scope, depth)
                }
            },
            ExprKind::Case(arms, other) => {
                let Some(other) = other else {
                    let text =
                        "a temporal CASE needs an arm OTHER: what it is without a true arm is open";
                    return unread(text, span);
                };
                // The first true arm counts.
                let mut formula = self.formula_at(other, scope, depth);
                for (condition, value) in arms.iter().rev() {
                    formula = match self.truth(condition, scope) {
                        Some(true) => self.formula_at(value, scope, depth),
                        Some(false) => formula,
                        None => self.branch(condition, value, formula, scope, depth),
                    };
                }
                formula
            }
            ExprKind::Fair {
                strong,
                subscript,
                action,
            } => Formula::Fair(Fair {
                strong: *strong,
                subscript,
                action,
                scope,
                span,
            }),
            ExprKind::Quantified(quantifier, Bounds::In(bounds), body) => {
                let make = match quantifier {
                    Quantifier::All => Formula::And,
                    Quantifier::Exists => Formula::Or,
                    other => return hidden(*other, span),
                };
                let mut parts = Vec::new();
                match self.unrolled(bounds, scope, &mut |this, inner| {
                    let part = this.formula_at(body, inner, depth);
                    parts.push(part);
                }) {
                    Ok(()) => make(parts),
                    Err(reason) => Formula::Unread(reason, span),
                }
            }
            ExprKind::Quantified(quantifier, Bounds::Free(_), _) => hidden(*quantifier, span),
            ExprKind::Apply(path) => match self.resolve(path, scope) {
                Some(Binding::Definition(id)) => {
                    let def = &self.defs[id.0 as usize];
                    let (what, place) = (def.what, def.scope);
                    let Defined::Operator(definition) = what else {
                        return unread("a function has no temporal value", span);
                    };
                    let given = path.last.args.iter().map(|arg| Given::Text(arg, scope));
                    let given: Vec<Given<'a>> = given.collect();
                    let inner = self.with_parameters(place, &definition.params, &given);
                    self.formula_at(&definition.body, inner, depth)
                }
                Some(binding @ (Binding::Text(..) | Binding::Substituted(..))) => {
                    match self.text_of(&binding) {
                        Some((text, place)) => self.formula_at(text, place, depth),
                        None => unread("this temporal formula cannot be read", span),
                    }
                }
                Some(Binding::Builtin(name)) => {
                    let word = self.names.text(name);
                    let what = self.builtins.get(&name).copied();
                    let args = path.last.args.as_slice();
                    self.operator(word, what, args, scope, span, depth)
                }
                _ => unread("this temporal formula cannot be read", span),
            },
            _ => unread("this temporal formula cannot be read", span),
        }
    }

    /// What a condition is that no state decides: a guard such as `p # q` below a quantifier that is unrolled.
    fn truth(&mut self, expr: &'a Expr, scope: ScopeId) -> Option<bool> {
        if self.level(expr, scope) != Level::Constant || self.asks_search(expr, scope) {
            return None;
        }
        match self.constant_value(expr, scope) {
            Ok(Value::Truth(truth)) => Some(truth),
            _ => None,
        }
    }

    /// A conjunction, or a disjunction: parts that no state decides are left out, or decide it.
    fn joined(
        &mut self,
        parts: &'a [Expr],
        is_or: bool,
        scope: ScopeId,
        depth: u32,
    ) -> Formula<'a> {
        let make = if is_or { Formula::Or } else { Formula::And };
        let mut list = Vec::new();
        for part in parts {
            match self.truth(part, scope) {
                Some(truth) if truth == is_or => return known(truth),
                Some(_) => {}
                None => list.push(self.formula_at(part, scope, depth)),
            }
        }
        make(list)
    }

    /// One formula where a condition holds, another where not.
    fn branch(
        &mut self,
        condition: &'a Expr,
        yes: &'a Expr,
        no: Formula<'a>,
        scope: ScopeId,
        depth: u32,
    ) -> Formula<'a> {
        let test = |this: &mut Self| this.formula_at(condition, scope, depth);
        let (first, second) = (test(self), test(self));
        let yes = self.formula_at(yes, scope, depth);
        Formula::And(vec![
            Formula::Implies(Box::new(first), Box::new(yes)),
            Formula::Or(vec![second, no]),
        ])
    }

    /// `<<A>>_v` or `[A]_v`, through definitions.
    fn step_formula(&mut self, expr: &'a Expr, scope: ScopeId, depth: u32) -> Option<Formula<'a>> {
        if depth > super::DEEPEST {
            return None;
        }
        match &expr.kind {
            ExprKind::Square(action, subscript) | ExprKind::Angle(action, subscript) => {
                Some(Formula::Step {
                    action,
                    subscript,
                    square: matches!(expr.kind, ExprKind::Square(..)),
                    scope,
                })
            }
            ExprKind::Label(_, _, body) => self.step_formula(body, scope, depth + 1),
            ExprKind::Apply(path) => match self.resolve(path, scope)? {
                Binding::Definition(id) => {
                    let def = &self.defs[id.0 as usize];
                    let (what, place) = (def.what, def.scope);
                    let Defined::Operator(definition) = what else {
                        return None;
                    };
                    let given = path.last.args.iter().map(|arg| Given::Text(arg, scope));
                    let given: Vec<Given<'a>> = given.collect();
                    let inner = self.with_parameters(place, &definition.params, &given);
                    self.step_formula(&definition.body, inner, depth + 1)
                }
                binding @ (Binding::Text(..) | Binding::Substituted(..)) => {
                    let (text, place) = self.text_of(&binding)?;
                    self.step_formula(text, place, depth + 1)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn operator(
        &mut self,
        word: &str,
        what: Option<Builtin>,
        args: &'a [Expr],
        scope: ScopeId,
        span: Span,
        depth: u32,
    ) -> Formula<'a> {
        let part = |this: &mut Self, arg: &'a Expr| Box::new(this.formula_at(arg, scope, depth));
        match (what, word, args) {
            (Some(Builtin::Not), _, [a]) => Formula::Not(part(self, a)),
            (Some(Builtin::And), ..) => self.joined(args, false, scope, depth),
            (Some(Builtin::Or), ..) => self.joined(args, true, scope, depth),
            (Some(Builtin::Implies), _, [a, b]) => match self.truth(a, scope) {
                Some(true) => *part(self, b),
                Some(false) => known(true),
                None => Formula::Implies(part(self, a), part(self, b)),
            },
            (Some(Builtin::Equivalent), _, [a, b]) => {
                Formula::Equivalent(part(self, a), part(self, b))
            }
            (_, "[]", [a]) => Formula::Always(part(self, a)),
            (_, "<>", [a]) => Formula::Eventually(part(self, a)),
            (_, "~>", [a, b]) => Formula::LeadsTo(part(self, a), part(self, b)),
            _ => Formula::Unread(format!("`{word}` cannot be decided here"), span),
        }
    }

    /// Does something for all values of bound names, which are constants in the scope it is given.
    pub(super) fn unrolled(
        &mut self,
        bounds: &'a [Bound],
        scope: ScopeId,
        each: &mut dyn FnMut(&mut Self, ScopeId),
    ) -> Result<(), String> {
        let mut open: Vec<(&'a Pattern, Value)> = Vec::new();
        for bound in bounds {
            if self.level(&bound.set, scope) != Level::Constant {
                return Err("the set of a temporal quantifier depends on the state".to_string());
            }
            let set = self.constant_value(&bound.set, scope)?;
            for pattern in &bound.patterns {
                open.push((pattern, set.clone()));
            }
        }
        let mut count = 0;
        self.unroll(&open, scope, &mut count, each)
    }

    fn unroll(
        &mut self,
        open: &[(&'a Pattern, Value)],
        scope: ScopeId,
        count: &mut u64,
        each: &mut dyn FnMut(&mut Self, ScopeId),
    ) -> Result<(), String> {
        let Some(((pattern, set), rest)) = open.split_first() else {
            *count += 1;
            if *count > MOST {
                return Err("a temporal quantifier has too many instances".to_string());
            }
            each(self, scope);
            return Ok(());
        };
        let names = self.names;
        let told = |failure: crate::failure::Failure| failure.told(names);
        let mut elements = set.elements().map_err(told)?;
        while let Some(value) = elements.next().map_err(told)? {
            let inner = self.scopes.add(Some(scope));
            let bound: Vec<(Symbol, Value)> = match pattern {
                Pattern::Name(ident) => vec![(ident.name, value)],
                Pattern::Tuple(idents) => {
                    let parts = value.as_tuple().unwrap_or_default().to_vec();
                    let names = idents.iter().map(|ident| ident.name);
                    names.zip(parts).collect()
                }
            };
            for (name, value) in &bound {
                self.scopes
                    .bind(inner, *name, Binding::Constant(value.clone()));
            }
            self.unrolled.insert(inner, bound);
            self.unroll(rest, inner, count, each)?;
        }
        Ok(())
    }

    /// The names that temporal quantifiers have bound around a scope, with their values, also where they came there as arguments.
    pub fn instance_of(&self, scope: ScopeId) -> Vec<(Symbol, Value)> {
        let mut list = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            let inside = self.scopes.get(id);
            match self.unrolled.get(&id) {
                Some(bound) => list.extend(bound.iter().cloned()),
                None => {
                    let names = inside.names.iter();
                    let given = names
                        .filter_map(|(&name, binding)| Some((name, self.bound_value(binding)?)));
                    let mut given: Vec<(Symbol, Value)> = given.collect();
                    given.sort_by_key(|(name, _)| std::cmp::Reverse(*name));
                    list.extend(given);
                }
            }
            at = inside.outer;
        }
        list.reverse();
        list
    }

    /// The value of an argument that is a name which a temporal quantifier has bound.
    fn bound_value(&self, binding: &Binding<'a>) -> Option<Value> {
        let mut binding = binding;
        for _ in 0..super::DEEPEST {
            let Binding::Text(expr, site, _) = binding else {
                return None;
            };
            let ExprKind::Apply(path) = &expr.kind else {
                return None;
            };
            let Selector::Name(name) = path.last.name else {
                return None;
            };
            if !path.prefix.is_empty() || !path.last.args.is_empty() {
                return None;
            }
            let mut at = Some(*site);
            let (owner, found) = loop {
                let scope = self.scopes.get(at?);
                match scope.names.get(&name) {
                    Some(found) => break (at?, found),
                    None => at = scope.outer,
                }
            };
            match (self.unrolled.contains_key(&owner), found) {
                (true, Binding::Constant(value)) => return Some(value.clone()),
                _ => binding = found,
            }
        }
        None
    }

    /// The value of an expression that depends on nothing, while the program is still being made.
    ///
    /// # Errors
    /// Why it has none.
    pub fn constant_value(&mut self, expr: &'a Expr, scope: ScopeId) -> Result<Value, String> {
        let code = self.expression(expr, scope, 0, None);
        let program = Program {
            pieces: self.open_pieces.drain(..).flatten().collect(),
            act_pieces: self.open_act_pieces.drain(..).flatten().collect(),
            bodies: self.bodies.drain(..).flatten().collect(),
            ..std::mem::take(&mut self.program)
        };
        let globals = Globals::new(&program);
        let value = Machine::new(&program, &globals, self.names).value(&code);
        let value = value.map_err(|failure| failure.told(self.names));
        drop(globals);
        self.program = program;
        let pieces = std::mem::take(&mut self.program.pieces);
        self.open_pieces = pieces.into_iter().map(Some).collect();
        let pieces = std::mem::take(&mut self.program.act_pieces);
        self.open_act_pieces = pieces.into_iter().map(Some).collect();
        let bodies = std::mem::take(&mut self.program.bodies);
        self.bodies = bodies.into_iter().map(Some).collect();
        value
    }

    /// `<<A>>_v` as a predicate of steps: that `v` changes is looked at first.
    pub fn taken(&mut self, fair: &Fair<'a>) -> Compiled<Code> {
        self.framed(None, |this| {
            let rows = Rows::STEP;
            let span = fair.span;
            let same = this.same(fair.subscript, fair.scope, rows, span);
            let step = this.expr(fair.action, fair.scope, rows);
            let facts = same.facts.and(step.facts);
            let changed = Code {
                facts: same.facts,
                op: Op::Not(Box::new(same)),
                span,
            };
            let op = Op::And(Box::new([changed, step]));
            this.hoisted(Code { op, span, facts })
        })
    }

    /// That `v` changes, as a predicate of steps.
    pub fn changed(&mut self, fair: &Fair<'a>) -> Compiled<Code> {
        self.framed(None, |this| {
            let rows = Rows::STEP;
            let span = fair.span;
            let same = this.same(fair.subscript, fair.scope, rows, span);
            let facts = same.facts;
            let op = Op::Not(Box::new(same));
            this.hoisted(Code { op, span, facts })
        })
    }

    /// `ENABLED <<A>>_v`
    pub fn enabled_step(&mut self, fair: &Fair<'a>) -> Compiled<Code> {
        self.framed(None, |this| {
            let row = Rows::STEP.unused();
            this.program.rows = this.program.rows.max(usize::from(row) + 1);
            let rows = Rows::STATE.into(row, this.look_for_instances(fair.scope));
            let span = fair.span;
            let first = this.first();
            let search = action::Search { row, primed: true };
            let (act, facts) = this.act(fair.action, fair.scope, rows, search, false);
            let same = this.same(fair.subscript, fair.scope, rows, span);
            let facts = facts.and(same.facts).without(row).above(first);
            let changed = Code {
                facts: same.facts,
                op: Op::Not(Box::new(same)),
                span,
            };
            let both = crate::code::Act::And(Box::new([act, crate::code::Act::Test(changed)]));
            let op = Op::Enabled(row, Box::new(both));
            this.hoisted(Code { op, span, facts })
        })
    }
}

/// A formula that is true, or false, whatever happens.
fn known<'a>(truth: bool) -> Formula<'a> {
    let make = if truth { Formula::And } else { Formula::Or };
    make(Vec::new())
}

/// A quantifier that has no set of constants to be unrolled over.
fn hidden<'a>(quantifier: Quantifier, span: Span) -> Formula<'a> {
    let text = match quantifier {
        Quantifier::AllTemporal => {
            "`\\AA` is about all behaviours of a variable: nobody can list them"
        }
        Quantifier::ExistsTemporal => {
            "`\\EE` hides a variable: give a refinement mapping, `I == INSTANCE M WITH x <- ...`, and ask `I!Spec`"
        }
        Quantifier::All | Quantifier::Exists => {
            "a temporal quantifier needs a set: `\\A x \\in S : F`"
        }
    };
    unread(text, span)
}

fn unread<'a>(text: &str, span: Span) -> Formula<'a> {
    Formula::Unread(text.to_string(), span)
}
