//! Expressions: every name in them, and their level.

use evenhand_source::{Diagnostic, Span, spend};

use super::Checker;
use super::level::{ACTION, CONSTANT, Level, STATE, TEMPORAL, word};
use super::scope::{Meaning, Param};
use crate::syntax::ast::{
    Bound, Bounds, Expr, ExprKind, Ident, Pattern, Place, Quantifier, Selector, Unit, Update,
};

impl Checker<'_> {
    /// Checks an expression and says its level.
    pub(super) fn expression(&mut self, expr: &Expr) -> Level {
        spend();
        let open = self.scope.locals.len();
        let level = self.kind(expr);
        self.scope.locals.truncate(open);
        level
    }

    fn kind(&mut self, expr: &Expr) -> Level {
        match &expr.kind {
            ExprKind::Number(_)
            | ExprKind::Decimal(_)
            | ExprKind::Text(_)
            | ExprKind::Truth(_)
            | ExprKind::Boolean
            | ExprKind::Strings => Level::of(CONSTANT),
            ExprKind::At => {
                if !self.at_allowed {
                    let problem =
                        Diagnostic::error(expr.span, "`@` means something only in EXCEPT");
                    self.problem(problem.help("in [f EXCEPT ![a] = e] it is f[a]"));
                }
                Level::of(CONSTANT)
            }
            ExprKind::Apply(path) => self.apply(path, expr.span),
            ExprKind::And(all) => self.junction(all, "/\\", expr.span),
            ExprKind::Or(all) => self.junction(all, "\\/", expr.span),
            ExprKind::Quantified(quantifier, bounds, body) => {
                self.quantified(*quantifier, bounds, body)
            }
            ExprKind::Choose(pattern, set, body) => {
                let mut level = Level::default();
                if let Some(set) = set {
                    level.join(&self.at_most(set, ACTION, "the set of CHOOSE"));
                }
                self.bind_pattern(pattern);
                level.join(&self.at_most(body, ACTION, "CHOOSE"));
                level
            }
            ExprKind::SetOf(all) | ExprKind::Tuple(all) | ExprKind::Product(all) => {
                self.several(all, ACTION, "a set or a tuple")
            }
            ExprKind::Filter(pattern, set, body) => {
                let mut level = self.at_most(set, ACTION, "a set");
                self.bind_pattern(pattern);
                level.join(&self.at_most(body, ACTION, "a set"));
                level
            }
            ExprKind::Image(body, bounds) => {
                let mut level = self.bounds(bounds);
                level.join(&self.at_most(body, ACTION, "a set"));
                level
            }
            ExprKind::Function(bounds, body) => {
                let mut level = self.bounds(bounds);
                level.join(&self.expression(body));
                level
            }
            ExprKind::Functions(from, to) => {
                let mut level = self.at_most(from, ACTION, "a set of functions");
                level.join(&self.at_most(to, ACTION, "a set of functions"));
                level
            }
            ExprKind::At1(function, args) => {
                self.check_function(function, args, expr.span);
                let mut level = self.at_most(function, ACTION, "a function");
                level.join(&self.several(args, ACTION, "an argument"));
                level
            }
            ExprKind::Except(function, updates) => self.except(function, updates),
            ExprKind::Record(fields) => {
                self.check_fields(fields);
                self.fields(fields, TEMPORAL)
            }
            ExprKind::Records(fields) => {
                self.check_fields(fields);
                self.fields(fields, ACTION)
            }
            ExprKind::Field(record, _) => self.at_most(record, ACTION, "a record"),
            ExprKind::If(condition, yes, no) => {
                let mut level = self.expression(condition);
                level.join(&self.expression(yes));
                level.join(&self.expression(no));
                level
            }
            ExprKind::Case(arms, other) => {
                let mut level = Level::default();
                for (guard, value) in arms {
                    level.join(&self.expression(guard));
                    level.join(&self.expression(value));
                }
                if let Some(other) = other {
                    level.join(&self.expression(other));
                }
                level
            }
            ExprKind::Let(units, body) => self.let_in(units, body),
            ExprKind::Square(action, subscript) | ExprKind::Angle(action, subscript) => {
                self.at_most(action, ACTION, "an action with a subscript");
                self.at_most(subscript, STATE, "the subscript of an action");
                Level::of(ACTION)
            }
            ExprKind::Fair {
                subscript, action, ..
            } => {
                self.at_most(subscript, STATE, "the subscript of a fairness condition");
                self.at_most(action, ACTION, "a fairness condition");
                Level::of(TEMPORAL)
            }
            ExprKind::Lambda(params, body) => {
                // Where a LAMBDA may stand, its arguments are checked; here it may not.
                self.error(
                    expr.span,
                    "LAMBDA may only be an argument of an operator".to_string(),
                );
                params
                    .iter()
                    .for_each(|param| self.bind(*param, Meaning::Bound(CONSTANT)));
                self.expression(body)
            }
            ExprKind::Label(_, _, body) => self.expression(body),
        }
    }

    /// An expression whose level is limited.
    pub(super) fn at_most(&mut self, expr: &Expr, most: u8, what: &str) -> Level {
        let level = self.expression(expr);
        if !self.levels.limit(&level, most) {
            self.too_high(expr.span, &level, most, what);
        }
        level
    }

    pub(super) fn too_high(&mut self, span: Span, level: &Level, most: u8, what: &str) {
        let (found, allowed) = (word(level.base()), word(most));
        let message =
            format!("{what} cannot be of {found} level; {allowed} level is the highest here");
        self.problem(Diagnostic::error(span, message));
    }

    fn several(&mut self, all: &[Expr], most: u8, what: &str) -> Level {
        let mut level = Level::default();
        for expr in all {
            level.join(&self.at_most(expr, most, what));
        }
        level
    }

    fn fields(&mut self, fields: &[(Ident, Expr)], most: u8) -> Level {
        let mut level = Level::default();
        for (_, value) in fields {
            level.join(&self.at_most(value, most, "a field"));
        }
        level
    }

    fn check_fields(&mut self, fields: &[(Ident, Expr)]) {
        for (place, (field, _)) in fields.iter().enumerate() {
            if let Some((first, _)) = fields[..place]
                .iter()
                .find(|(other, _)| other.name == field.name)
            {
                let name = self.text(field.name).to_string();
                let problem =
                    Diagnostic::error(field.span, format!("there is a second field `{name}`"));
                self.problem(problem.label(first.span, "the first one"));
            }
        }
    }

    fn junction(&mut self, all: &[Expr], sign: &str, span: Span) -> Level {
        let levels: Vec<Level> = all.iter().map(|expr| self.expression(expr)).collect();
        self.check_mixed(&levels, sign, span);
        let mut level = Level::default();
        levels.iter().for_each(|other| level.join(other));
        level
    }

    /// Temporal formulas and actions cannot be joined by logic.
    pub(super) fn check_mixed(&mut self, levels: &[Level], sign: &str, span: Span) {
        let has = |level: u8| levels.iter().any(|found| found.base() == level);
        if has(ACTION) && has(TEMPORAL) {
            let message = format!("`{sign}` joins an action and a temporal formula");
            let problem = Diagnostic::error(span, message);
            self.problem(problem.help(
                "an action is part of a temporal formula as [A]_v below [] or <<A>>_v below <>",
            ));
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, bounds: &Bounds, body: &Expr) -> Level {
        let temporal = matches!(
            quantifier,
            Quantifier::AllTemporal | Quantifier::ExistsTemporal
        );
        let mut sets = Vec::new();
        match bounds {
            Bounds::In(bounds) => sets = self.bound_levels(bounds),
            Bounds::Free(names) => {
                let meaning = Meaning::Bound(if temporal { STATE } else { CONSTANT });
                names
                    .iter()
                    .for_each(|name| self.bind(*name, meaning.clone()));
            }
        }
        let mut level = self.expression(body);
        if level.base() == TEMPORAL
            && let Some((_, span)) = sets.iter().find(|(set, _)| set.base() == ACTION)
        {
            let message =
                "the set of a quantifier over a temporal formula cannot be of action level";
            self.error(*span, message.to_string());
        }
        sets.iter().for_each(|(set, _)| level.join(set));
        if temporal { Level::of(TEMPORAL) } else { level }
    }

    /// Binds names to sets; the level of the sets.
    pub(super) fn bounds(&mut self, bounds: &[Bound]) -> Level {
        let mut level = Level::default();
        for (set, _) in self.bound_levels(bounds) {
            level.join(&set);
        }
        level
    }

    fn bound_levels(&mut self, bounds: &[Bound]) -> Vec<(Level, Span)> {
        // No set sees the names that are bound beside it.
        let levels = bounds.iter().map(|bound| {
            let level = self.at_most(&bound.set, ACTION, "the set of a bound name");
            (level, bound.set.span)
        });
        let levels = levels.collect();
        for pattern in bounds.iter().flat_map(|bound| &bound.patterns) {
            self.bind_pattern(pattern);
        }
        levels
    }

    fn bind_pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Name(name) => self.bind(*name, Meaning::Bound(CONSTANT)),
            Pattern::Tuple(names) => names
                .iter()
                .for_each(|name| self.bind(*name, Meaning::Bound(CONSTANT))),
        }
    }

    /// A function gets as many arguments as it has, or one tuple.
    fn check_function(&mut self, function: &Expr, args: &[Expr], span: Span) {
        if let ExprKind::Apply(path) = &function.kind
            && path.prefix.is_empty()
            && let Selector::Name(name) = path.last.name
            && let Some(entry) = self.scope.get(name)
            && let Meaning::Operator(facts) = &entry.meaning
            && let Some(wanted) = facts.function
            && args.len() > 1
            && args.len() != wanted
        {
            let text = self.text(name).to_string();
            let found = args.len();
            self.error(
                span,
                format!("the function `{text}` has {wanted} arguments, and here it gets {found}"),
            );
        }
    }

    fn except(&mut self, function: &Expr, updates: &[Update]) -> Level {
        let mut level = self.at_most(function, ACTION, "a function");
        for update in updates {
            for place in &update.place {
                if let Place::At(args) = place {
                    level.join(&self.several(args, ACTION, "an argument"));
                }
            }
            let allowed = std::mem::replace(&mut self.at_allowed, true);
            level.join(&self.at_most(&update.value, ACTION, "the value of an EXCEPT"));
            self.at_allowed = allowed;
        }
        level
    }

    fn let_in(&mut self, units: &[Unit], body: &Expr) -> Level {
        self.lets += 1;
        for unit in units {
            self.unit(unit, true);
        }
        self.check_promises(units);
        self.lets -= 1;
        self.expression(body)
    }

    /// `LAMBDA x : e` as an argument: its parameters and the level of its body.
    pub(super) fn lambda(&mut self, params: &[Ident], body: &Expr) -> (Vec<Param>, Level) {
        let open = self.scope.locals.len();
        let mut own = Vec::new();
        for ident in params {
            let param = Param {
                id: self.levels.id(),
                arity: 0,
            };
            self.bind(*ident, Meaning::Constant(param));
            own.push(param);
        }
        let level = self.expression(body);
        self.scope.locals.truncate(open);
        (own, level)
    }
}
