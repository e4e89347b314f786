//! Names with what stands in front of them, and their arguments.

use std::rc::Rc;

use evenhand_source::{Diagnostic, Span};

use super::Checker;
use super::builtin::builtin;
use super::level::Level;
use super::scope::{Entry, InstanceInfo, Meaning, Param};
use crate::names::Symbol;
use crate::syntax::ast::{Expr, ExprKind, Path, Segment, Selector};

impl Checker<'_> {
    /// What a path means with its arguments.
    pub(super) fn apply(&mut self, path: &Path, span: Span) -> Level {
        let segments: Vec<&Segment> = path.prefix.iter().chain([&path.last]).collect();
        if let [only] = segments.as_slice()
            && let Selector::Name(name) = only.name
            && let Some(operator) = builtin(self.names.text(name))
        {
            return self.built_in(only, &operator, span);
        }
        let mut entries = None;
        let mut params: Vec<Param> = Vec::new();
        let mut args: Vec<&Expr> = Vec::new();
        for (place, segment) in segments.iter().enumerate() {
            let Selector::Name(name) = segment.name else {
                return self.part(&segments, place);
            };
            let entry = match &entries {
                None => self.scope.get(name).cloned(),
                Some(info) => {
                    let info: &Rc<InstanceInfo> = info;
                    let found = info.get(name);
                    if found.is_none() && info.module.unknown {
                        self.loose(&segments);
                        return Level::default();
                    }
                    found
                }
            };
            let Some(entry) = entry else {
                let within = entries.as_ref().map(|info| info.names());
                self.unknown_name(name, segment.span, within);
                self.loose(&segments);
                return Level::default();
            };
            args.extend(&segment.args);
            match &entry.meaning {
                Meaning::Instance(info) => {
                    params.extend(&info.params);
                    if place + 1 == segments.len() {
                        let name = self.text(name).to_string();
                        let problem = Diagnostic::error(
                            segment.span,
                            format!("`{name}` is an instance of a module"),
                        );
                        self.problem(problem.help(format!("what it defines is called {name}!Op")));
                        self.loose(&segments);
                        return Level::default();
                    }
                    entries = Some(info.clone());
                }
                _ if place + 1 < segments.len() => {
                    if let Meaning::Statement(_, false) = entry.meaning {
                        let message = "parts of ASSUME and PROVE cannot be used outside of proofs"
                            .to_string();
                        self.error(segment.span, message);
                    }
                    return self.part(&segments, place + 1);
                }
                _ => return self.applied(name, segment.span, &entry, params, &args),
            }
        }
        Level::default()
    }

    /// A part of a definition: only the names in arguments are checked.
    fn part(&mut self, segments: &[&Segment], _place: usize) -> Level {
        self.loose(segments);
        Level::default()
    }

    /// Checks the names in arguments of which nothing else is known.
    fn loose(&mut self, segments: &[&Segment]) {
        for segment in segments {
            for arg in &segment.args {
                self.loose_argument(arg);
            }
        }
    }

    fn loose_argument(&mut self, arg: &Expr) {
        match &arg.kind {
            ExprKind::Lambda(params, body) => {
                self.lambda(params, body);
            }
            ExprKind::Apply(path) if path.prefix.is_empty() && path.last.args.is_empty() => {
                // It may be an operator by its name.
                if let Selector::Name(name) = path.last.name
                    && self.scope.get(name).is_none()
                    && builtin(self.names.text(name)).is_none()
                {
                    self.unknown_name(name, path.last.span, None);
                }
            }
            _ => drop(self.expression(arg)),
        }
    }

    /// A definition or a declaration with all its arguments.
    fn applied(
        &mut self,
        name: Symbol,
        span: Span,
        entry: &Entry,
        before: Vec<Param>,
        args: &[&Expr],
    ) -> Level {
        let (own, mut level): (&[Param], Level) = match &entry.meaning {
            Meaning::Constant(param) => {
                let level = Level::from(vec![param.id]);
                return self.declared(name, span, *param, level, &before, args);
            }
            Meaning::Variable(id) => (&[], Level::from(vec![*id])),
            Meaning::Bound(level) => (&[], Level::of(*level)),
            Meaning::Operator(facts) => (&facts.params, facts.level.clone()),
            Meaning::Statement(level, _) => (&[], level.clone()),
            Meaning::Instance(_) => return Level::default(),
        };
        let params: Vec<Param> = before.iter().chain(own).copied().collect();
        if !self.check_count(name, span, params.len(), args) {
            return Level::default();
        }
        let mut given = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            let arg_level = self.argument(name, *param, arg);
            let most = self.levels.most(param.id);
            if !self.levels.limit(&arg_level, most) {
                let what = format!("this argument of `{}`", self.text(name));
                self.too_high(arg.span, &arg_level, most, &what);
            }
            if level.flows.contains(&param.id) {
                given.push((param.id, arg_level));
            }
        }
        level
            .flows
            .retain(|id| !params.iter().any(|param| param.id == *id));
        given.iter().for_each(|(_, arg)| level.join(arg));
        level
    }

    /// A constant or a parameter that is an operator.
    fn declared(
        &mut self,
        name: Symbol,
        span: Span,
        param: Param,
        mut level: Level,
        _before: &[Param],
        args: &[&Expr],
    ) -> Level {
        if !self.check_count(name, span, param.arity as usize, args) {
            return Level::default();
        }
        for arg in args {
            level.join(&self.argument(
                name,
                Param {
                    id: param.id,
                    arity: 0,
                },
                arg,
            ));
        }
        level
    }

    pub(super) fn check_count(
        &mut self,
        name: Symbol,
        span: Span,
        wanted: usize,
        args: &[&Expr],
    ) -> bool {
        if args.len() == wanted {
            return true;
        }
        let text = self.text(name).to_string();
        let arguments = |count: usize| match count {
            0 => "no arguments".to_string(),
            1 => "1 argument".to_string(),
            count => format!("{count} arguments"),
        };
        let message = format!(
            "`{text}` takes {}, and here it gets {}",
            arguments(wanted),
            arguments(args.len())
        );
        self.misnamed(Diagnostic::error(span, message));
        args.iter().for_each(|arg| self.loose_argument(arg));
        false
    }

    /// An argument for a parameter: a value, or an operator of the right number of arguments.
    pub(super) fn argument(&mut self, name: Symbol, param: Param, arg: &Expr) -> Level {
        if param.arity == 0 {
            return self.expression(arg);
        }
        let wanted = param.arity as usize;
        let (found, level) = match &arg.kind {
            ExprKind::Lambda(params, body) => {
                let (own, _) = self.lambda(params, body);
                (own.len(), Level::default())
            }
            ExprKind::Apply(path) if path.last.args.is_empty() => match self.operator_named(path) {
                Some(found) => found,
                None => return Level::default(),
            },
            _ => (0, self.expression(arg)),
        };
        if found != wanted {
            let text = self.text(name).to_string();
            let message = format!("`{text}` needs an operator with {wanted} parameters here");
            let problem = Diagnostic::error(arg.span, message);
            self.problem(problem.maybe_help(
                (found == 0).then(|| "LAMBDA makes an operator of an expression".to_string()),
            ));
        }
        level
    }

    /// An operator by its name: how many arguments it takes, and its level without them; none if it is not known.
    fn operator_named(&mut self, path: &Path) -> Option<(usize, Level)> {
        let Selector::Name(name) = path.last.name else {
            return None;
        };
        if path.prefix.is_empty()
            && let Some(operator) = builtin(self.names.text(name))
        {
            return Some((operator.arity, Level::of(operator.level)));
        }
        let mut entry: Option<Entry> = None;
        let mut before = 0;
        for (place, segment) in path.prefix.iter().chain([&path.last]).enumerate() {
            let Selector::Name(name) = segment.name else {
                return None;
            };
            let next = match entry.as_ref().map(|entry| &entry.meaning) {
                None => self.scope.get(name).cloned(),
                Some(Meaning::Instance(info)) => {
                    before += info
                        .params
                        .len()
                        .saturating_sub(path.prefix[place - 1].args.len());
                    info.get(name)
                }
                Some(_) => return None,
            };
            let Some(next) = next else {
                if place == 0 {
                    self.unknown_name(name, segment.span, None);
                }
                return None;
            };
            entry = Some(next);
        }
        let entry = entry?;
        let level = match &entry.meaning {
            Meaning::Constant(param) => Level::from(vec![param.id]),
            Meaning::Variable(id) => Level::from(vec![*id]),
            Meaning::Bound(level) => Level::of(*level),
            Meaning::Operator(facts) => {
                let mut level = facts.level.clone();
                level
                    .flows
                    .retain(|id| !facts.params.iter().any(|param| param.id == *id));
                level
            }
            Meaning::Statement(level, _) => level.clone(),
            Meaning::Instance(_) => return None,
        };
        Some((before + entry.arity(), level))
    }
}
