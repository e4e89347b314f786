//! Expressions, read from their trees each time they are needed.

use std::rc::Rc;

use evenhand_tla::names::Symbol;
use evenhand_tla::syntax::ast::{
    Bound, Bounds, Expr, ExprKind, Path, Pattern, Place, Quantifier, Selector, Update,
};

use super::Plain;
use super::names::{Found, List, Meaning, Rows, put};
use super::value::{Fail, Result, Rule, V, equal, undefined};

/// The name of what is replaced in an `EXCEPT`.
const AT: Symbol = Symbol(u32::MAX);

impl<'a> Plain<'a> {
    /// The value of an expression.
    pub fn eval(&self, expr: &'a Expr, list: &List<'a>, rows: &Rows<'a>) -> Result<V<'a>> {
        let value = self.eval_lazily(expr, list, rows)?;
        match &value {
            // A function that uses itself stays as it is; any other one is listed at once.
            V::Rule(rule) if rule.own.is_none() => self.listed(&value),
            _ => Ok(value),
        }
    }

    /// The value of an expression, all of it known.
    pub fn eval_fully(&self, expr: &'a Expr, list: &List<'a>, rows: &Rows<'a>) -> Result<V<'a>> {
        let value = self.eval(expr, list, rows)?;
        self.listed(&value)
    }

    pub fn truth(&self, expr: &'a Expr, list: &List<'a>, rows: &Rows<'a>) -> Result<bool> {
        self.eval(expr, list, rows)?.truth()
    }

    /// The value of an expression; a function may stay a rule.
    fn eval_lazily(&self, expr: &'a Expr, list: &List<'a>, rows: &Rows<'a>) -> Result<V<'a>> {
        self.spend()?;
        let value = self.eval_inside(expr, list, rows);
        self.unwind();
        value
    }

    fn eval_inside(&self, expr: &'a Expr, list: &List<'a>, rows: &Rows<'a>) -> Result<V<'a>> {
        let full = |expr: &'a Expr| self.eval_fully(expr, list, rows);
        match &expr.kind {
            ExprKind::Number(Some(number)) => Ok(V::Int(*number)),
            ExprKind::Text(text) => Ok(V::Text(*text)),
            ExprKind::Truth(truth) => Ok(V::Truth(*truth)),
            ExprKind::Boolean => Ok(V::Set(vec![V::Truth(false), V::Truth(true)])),
            ExprKind::Strings => Ok(V::Strings),
            ExprKind::At => match self.find(list, AT).meaning {
                Meaning::Value(value) => Ok(value),
                _ => undefined(),
            },
            ExprKind::Apply(path) => self.apply_path(path, list, rows),
            ExprKind::And(parts) => {
                for part in parts {
                    if !self.truth(part, list, rows)? {
                        return Ok(V::Truth(false));
                    }
                }
                Ok(V::Truth(true))
            }
            ExprKind::Or(parts) => {
                for part in parts {
                    if self.truth(part, list, rows)? {
                        return Ok(V::Truth(true));
                    }
                }
                Ok(V::Truth(false))
            }
            ExprKind::Quantified(kind, Bounds::In(bounds), body) => {
                let wanted = *kind == Quantifier::Exists;
                for inner in self.contexts(bounds, list, rows)? {
                    if self.truth(body, &inner?, rows)? == wanted {
                        return Ok(V::Truth(wanted));
                    }
                }
                Ok(V::Truth(!wanted))
            }
            ExprKind::Choose(pattern, Some(set), body) => {
                for element in full(set)?.elements()? {
                    let inner = bind(list, pattern, element)?;
                    if self.truth(body, &inner, rows)? {
                        return Ok(element.clone());
                    }
                }
                undefined()
            }
            ExprKind::SetOf(parts) => V::set(parts.iter().map(full).collect::<Result<_>>()?),
            ExprKind::Filter(pattern, set, body) => {
                let mut kept = Vec::new();
                for element in full(set)?.elements()? {
                    let inner = bind(list, pattern, element)?;
                    if self.truth(body, &inner, rows)? {
                        kept.push(element.clone());
                    }
                }
                Ok(V::Set(kept))
            }
            ExprKind::Image(body, bounds) => {
                let mut values = Vec::new();
                for inner in self.contexts(bounds, list, rows)? {
                    values.push(self.eval_fully(body, &inner?, rows)?);
                }
                V::set(values)
            }
            ExprKind::Function(bounds, body) => self.rule(None, bounds, body, list, rows),
            ExprKind::Functions(domain, range) => {
                let (domain, range) = (full(domain)?, full(range)?);
                let (domain, range) = (domain.elements()?, range.elements()?);
                let mut all = vec![Vec::new()];
                for key in domain {
                    all = extended(&all, range, |value| (key.clone(), value.clone()))?;
                }
                V::set(all.into_iter().map(V::Map).collect())
            }
            ExprKind::At1(function, args) => {
                let function = self.eval_lazily(function, list, rows)?;
                let mut args = args.iter().map(full).collect::<Result<Vec<_>>>()?;
                let arg = match args.len() {
                    1 => args.remove(0),
                    _ => V::tuple(args),
                };
                self.apply(&function, &arg)
            }
            ExprKind::Except(function, updates) => {
                let mut value = full(function)?;
                for update in updates {
                    value = self.updated(&value, update, list, rows)?;
                }
                Ok(value)
            }
            ExprKind::Record(fields) => {
                let field = |(ident, expr): &'a (_, _)| -> Result<_> {
                    let ident: &evenhand_tla::syntax::ast::Ident = ident;
                    Ok((V::Text(ident.name), full(expr)?))
                };
                V::map(fields.iter().map(field).collect::<Result<_>>()?)
            }
            ExprKind::Records(fields) => {
                let mut all = vec![Vec::new()];
                let mut sets = Vec::new();
                for (ident, set) in fields {
                    sets.push((ident.name, full(set)?));
                }
                for (name, set) in &sets {
                    let key = V::Text(*name);
                    all = extended(&all, set.elements()?, |value| (key.clone(), value.clone()))?;
                }
                V::set(all.into_iter().map(V::map).collect::<Result<_>>()?)
            }
            ExprKind::Field(record, ident) => self.apply(&full(record)?, &V::Text(ident.name)),
            ExprKind::Tuple(parts) => Ok(V::tuple(parts.iter().map(full).collect::<Result<_>>()?)),
            ExprKind::Product(parts) => {
                let sets = parts.iter().map(full).collect::<Result<Vec<_>>>()?;
                let mut all = vec![Vec::new()];
                for set in &sets {
                    all = extended(&all, set.elements()?, V::clone)?;
                }
                V::set(all.into_iter().map(V::tuple).collect())
            }
            ExprKind::If(condition, yes, no) => match self.truth(condition, list, rows)? {
                true => self.eval_lazily(yes, list, rows),
                false => self.eval_lazily(no, list, rows),
            },
            ExprKind::Case(arms, other) => {
                for (condition, value) in arms {
                    if self.truth(condition, list, rows)? {
                        return self.eval_lazily(value, list, rows);
                    }
                }
                match other {
                    Some(other) => self.eval_lazily(other, list, rows),
                    None => undefined(),
                }
            }
            ExprKind::Let(units, body) => {
                let mut inner = list.clone();
                for unit in units {
                    inner = self.unit(unit, &inner)?;
                }
                self.eval_lazily(body, &inner, rows)
            }
            ExprKind::Square(body, subscript) => {
                let taken = self.truth(body, list, rows)?;
                Ok(V::Truth(taken || self.same(subscript, list, rows)?))
            }
            ExprKind::Angle(body, subscript) => {
                let taken = self.truth(body, list, rows)?;
                Ok(V::Truth(taken && !self.same(subscript, list, rows)?))
            }
            ExprKind::Label(_, _, body) => self.eval_lazily(body, list, rows),
            _ => undefined(),
        }
    }

    /// Whether an expression has the same value before and behind a step.
    pub fn same(&self, expr: &'a Expr, list: &List<'a>, rows: &Rows<'a>) -> Result<bool> {
        let before = self.eval_fully(expr, list, rows)?;
        let behind = self.eval_fully(expr, list, &self.primed(rows))?;
        equal(&before, &behind)
    }

    /// The rows that count below a prime.
    fn primed(&self, rows: &Rows<'a>) -> Rows<'a> {
        Rows {
            now: rows.next.clone(),
            next: self.nothing(),
        }
    }

    /// Lists with the values of bound names, the first of which changes fastest.
    pub fn contexts(
        &self,
        bounds: &'a [Bound],
        list: &List<'a>,
        rows: &Rows<'a>,
    ) -> Result<Vec<Result<List<'a>>>> {
        let mut sets = Vec::new();
        for bound in bounds {
            let set = self.eval_fully(&bound.set, list, rows)?;
            for pattern in &bound.patterns {
                sets.push((pattern, set.elements()?.to_vec()));
            }
        }
        let mut all = vec![Vec::new()];
        for (pattern, set) in sets.iter().rev() {
            all = extended(&all, set, |value| (*pattern, value.clone()))?;
        }
        let bound = all.into_iter().map(|values: Vec<(&Pattern, V<'a>)>| {
            let mut inner = list.clone();
            for (pattern, value) in values.iter().rev() {
                inner = bind(&inner, pattern, value)?;
            }
            Ok(inner)
        });
        Ok(bound.collect())
    }

    /// A function whose domain is known.
    pub fn rule(
        &self,
        own: Option<Symbol>,
        bounds: &'a [Bound],
        body: &'a Expr,
        list: &List<'a>,
        rows: &Rows<'a>,
    ) -> Result<V<'a>> {
        let mut domains = Vec::new();
        for bound in bounds {
            let set = self.eval_fully(&bound.set, list, rows)?;
            domains.extend(bound.patterns.iter().map(|_| set.clone()));
        }
        Ok(V::Rule(Rc::new(Rule {
            own,
            bounds,
            domains,
            body,
            list: list.clone(),
            rows: rows.clone(),
        })))
    }

    /// A function as a list of pairs.
    pub fn listed(&self, value: &V<'a>) -> Result<V<'a>> {
        let V::Rule(rule) = value else {
            return Ok(value.clone());
        };
        let mut all = vec![Vec::new()];
        for domain in &rule.domains {
            all = extended(&all, domain.elements()?, V::clone)?;
        }
        let mut pairs = Vec::new();
        for mut parts in all {
            let key = match parts.len() {
                1 => parts.remove(0),
                _ => V::tuple(parts),
            };
            let value = self.apply(value, &key)?;
            pairs.push((key, self.listed(&value)?));
        }
        V::map(pairs)
    }

    /// The value of a function at an argument.
    pub fn apply(&self, function: &V<'a>, arg: &V<'a>) -> Result<V<'a>> {
        match function {
            V::Map(pairs) => {
                for (key, value) in pairs {
                    if equal(key, arg)? {
                        return Ok(value.clone());
                    }
                }
                undefined()
            }
            V::Rule(rule) => {
                let patterns = rule.bounds.iter().flat_map(|bound| &bound.patterns);
                let args = match rule.domains.len() {
                    1 => vec![arg.clone()],
                    _ => arg.sequence()?,
                };
                if args.len() != rule.domains.len() {
                    return undefined();
                }
                let mut inner = rule.list.clone();
                if let Some(own) = rule.own {
                    inner = put(&inner, own, Meaning::Value(function.clone()));
                }
                for ((pattern, domain), arg) in patterns.zip(&rule.domains).zip(&args) {
                    if !domain.contains(arg)? {
                        return undefined();
                    }
                    inner = bind(&inner, pattern, arg)?;
                }
                self.eval(rule.body, &inner, &rule.rows)
            }
            _ => undefined(),
        }
    }

    fn updated(
        &self,
        function: &V<'a>,
        update: &'a Update,
        list: &List<'a>,
        rows: &Rows<'a>,
    ) -> Result<V<'a>> {
        let mut keys = Vec::new();
        for place in &update.place {
            keys.push(match place {
                Place::Field(ident) => V::Text(ident.name),
                Place::At(args) => {
                    let mut args = args
                        .iter()
                        .map(|arg| self.eval_fully(arg, list, rows))
                        .collect::<Result<Vec<_>>>()?;
                    match args.len() {
                        1 => args.remove(0),
                        _ => V::tuple(args),
                    }
                }
            });
        }
        self.updated_at(function, &keys, update, list, rows)
    }

    fn updated_at(
        &self,
        value: &V<'a>,
        keys: &[V<'a>],
        update: &'a Update,
        list: &List<'a>,
        rows: &Rows<'a>,
    ) -> Result<V<'a>> {
        let Some((first, rest)) = keys.split_first() else {
            let inner = put(list, AT, Meaning::Value(value.clone()));
            return self.eval_fully(&update.value, &inner, rows);
        };
        let V::Map(pairs) = value else {
            return undefined();
        };
        let mut pairs = pairs.clone();
        for (key, value) in &mut pairs {
            if equal(key, first)? {
                *value = self.updated_at(value, rest, update, list, rows)?;
                break;
            }
        }
        Ok(V::Map(pairs))
    }

    fn apply_path(&self, path: &'a Path, list: &List<'a>, rows: &Rows<'a>) -> Result<V<'a>> {
        let found = self.resolve(path, list)?;
        self.apply_found(&found, &path.last.args, list, rows)
    }

    /// The value of what was found, at arguments that are read in `list`.
    fn apply_found(
        &self,
        found: &Found<'a>,
        args: &'a [Expr],
        list: &List<'a>,
        rows: &Rows<'a>,
    ) -> Result<V<'a>> {
        match &found.meaning {
            Meaning::Value(value) => Ok(value.clone()),
            Meaning::Variable(number) => match rows.now.get(*number) {
                Some(Some(value)) => Ok(value.clone()),
                _ => undefined(),
            },
            Meaning::Text(expr, place) => self.eval_lazily(expr, place, rows),
            Meaning::Operator(params, body) => {
                let inner = self.with_arguments(params, args, &found.list, list);
                self.eval_lazily(body, &inner, rows)
            }
            Meaning::Lambda(params, body, place) => {
                let mut inner = place.clone();
                for (param, arg) in params.iter().zip(args) {
                    inner = put(&inner, param.name, Meaning::Text(arg, list.clone()));
                }
                self.eval_lazily(body, &inner, rows)
            }
            Meaning::Function(definition) => self.rule(
                Some(definition.ident.name),
                &definition.bounds,
                &definition.body,
                &found.list,
                rows,
            ),
            Meaning::BuiltIn(name) => self.built_in(*name, args, list, rows),
            _ => undefined(),
        }
    }

    fn built_in(
        &self,
        name: Symbol,
        args: &'a [Expr],
        list: &List<'a>,
        rows: &Rows<'a>,
    ) -> Result<V<'a>> {
        let name = self.text(name);
        match (name, args) {
            ("'", [expr]) => self.eval_lazily(expr, list, &self.primed(rows)),
            ("=>", [a, b]) => Ok(V::Truth(
                !self.truth(a, list, rows)? || self.truth(b, list, rows)?,
            )),
            ("UNCHANGED", [expr]) => Ok(V::Truth(self.same(expr, list, rows)?)),
            ("ENABLED", [expr]) => Ok(V::Truth(self.enabled(expr, list, rows)?)),
            ("SelectSeq", [sequence, test]) => {
                let test = Found {
                    meaning: self.operator(test, list),
                    list: None,
                };
                let mut kept = Vec::new();
                for part in self.eval_fully(sequence, list, rows)?.sequence()? {
                    if self
                        .apply_values(&test, std::slice::from_ref(&part), rows)?
                        .truth()?
                    {
                        kept.push(part);
                    }
                }
                Ok(V::tuple(kept))
            }
            _ => {
                let full = |arg| self.eval_fully(arg, list, rows);
                let values = args.iter().map(full).collect::<Result<Vec<_>>>()?;
                self.built_in_of(name, &values)
            }
        }
    }

    /// An operator at values.
    fn apply_values(&self, found: &Found<'a>, values: &[V<'a>], rows: &Rows<'a>) -> Result<V<'a>> {
        match &found.meaning {
            Meaning::Operator(params, body) => {
                let mut inner = found.list.clone();
                for (param, value) in params.iter().zip(values) {
                    inner = put(&inner, param.ident.name, Meaning::Value(value.clone()));
                }
                self.eval_fully(body, &inner, rows)
            }
            Meaning::Lambda(params, body, place) => {
                let mut inner = place.clone();
                for (param, value) in params.iter().zip(values) {
                    inner = put(&inner, param.name, Meaning::Value(value.clone()));
                }
                self.eval_fully(body, &inner, rows)
            }
            Meaning::Elsewhere(node) => {
                let found = self.find(&Some(node.clone()), node.name);
                self.apply_values(&found, values, rows)
            }
            Meaning::BuiltIn(name) => self.built_in_of(self.text(*name), values),
            _ => undefined(),
        }
    }

    /// What is built in, at values.
    pub fn built_in_of(&self, name: &str, values: &[V<'a>]) -> Result<V<'a>> {
        let exact = |number: i64| match i32::try_from(number) {
            Ok(number) => Ok(V::Int(number)),
            Err(_) => undefined(),
        };
        let wide = |value: &V<'a>| value.int().map(i64::from);
        match (name, values) {
            ("=", [a, b]) => Ok(V::Truth(equal(a, b)?)),
            ("#", [a, b]) => Ok(V::Truth(!equal(a, b)?)),
            ("\\in", [a, b]) => Ok(V::Truth(b.contains(a)?)),
            ("\\notin", [a, b]) => Ok(V::Truth(!b.contains(a)?)),
            ("\\subseteq", [a, b]) => {
                for part in a.elements()? {
                    if !b.contains(part)? {
                        return Ok(V::Truth(false));
                    }
                }
                Ok(V::Truth(true))
            }
            ("~", [a]) => Ok(V::Truth(!a.truth()?)),
            ("<=>", [a, b]) => Ok(V::Truth(a.truth()? == b.truth()?)),
            ("\\cup", [a, b]) => {
                let all = a.elements()?.iter().chain(b.elements()?);
                V::set(all.cloned().collect())
            }
            ("\\cap" | "\\", [a, b]) => {
                let mut kept = Vec::new();
                for part in a.elements()? {
                    if b.contains(part)? == (name == "\\cap") {
                        kept.push(part.clone());
                    }
                }
                Ok(V::Set(kept))
            }
            ("SUBSET", [set]) => {
                let mut all = vec![Vec::new()];
                for part in set.elements()? {
                    let with = all.iter().map(|parts: &Vec<V<'a>>| {
                        let mut parts = parts.clone();
                        parts.push(part.clone());
                        parts
                    });
                    let with: Vec<_> = with.collect();
                    all.extend(with);
                    if all.len() > 4096 {
                        return Err(Fail::Limit);
                    }
                }
                V::set(all.into_iter().map(V::Set).collect())
            }
            ("UNION", [set]) => {
                let mut all = Vec::new();
                for part in set.elements()? {
                    all.extend(part.elements()?.iter().cloned());
                }
                V::set(all)
            }
            ("DOMAIN", [V::Map(pairs)]) => {
                Ok(V::Set(pairs.iter().map(|(key, _)| key.clone()).collect()))
            }
            ("+", [a, b]) => exact(wide(a)? + wide(b)?),
            ("-", [a, b]) => exact(wide(a)? - wide(b)?),
            ("*", [a, b]) => exact(wide(a)? * wide(b)?),
            ("-.", [a]) => exact(-wide(a)?),
            ("\\div", [a, b]) => match wide(b)? {
                0 => undefined(),
                b => exact((wide(a)? as f64 / b as f64).floor() as i64),
            },
            ("%", [a, b]) => match wide(b)? {
                b if b <= 0 => undefined(),
                b => exact(((wide(a)? % b) + b) % b),
            },
            ("<", [a, b]) => Ok(V::Truth(a.int()? < b.int()?)),
            (">", [a, b]) => Ok(V::Truth(a.int()? > b.int()?)),
            ("<=", [a, b]) => Ok(V::Truth(a.int()? <= b.int()?)),
            (">=", [a, b]) => Ok(V::Truth(a.int()? >= b.int()?)),
            ("..", [a, b]) => Ok(V::Set((a.int()?..=b.int()?).map(V::Int).collect())),
            ("Nat", []) => Ok(V::Naturals),
            ("Int", []) => Ok(V::Integers),
            ("Seq", [set]) => Ok(V::Sequences(Box::new(set.clone()))),
            ("Len", [a]) => exact(a.sequence()?.len() as i64),
            ("Head", [a]) => match a.sequence()?.first() {
                Some(first) => Ok(first.clone()),
                None => undefined(),
            },
            ("Tail", [a]) => match a.sequence()?.split_first() {
                Some((_, rest)) => Ok(V::tuple(rest.to_vec())),
                None => undefined(),
            },
            ("Append", [a, b]) => {
                let mut parts = a.sequence()?;
                parts.push(b.clone());
                Ok(V::tuple(parts))
            }
            ("\\o", [a, b]) => {
                let mut parts = a.sequence()?;
                parts.extend(b.sequence()?);
                Ok(V::tuple(parts))
            }
            ("SubSeq", [a, from, to]) => {
                let (parts, from, to) = (a.sequence()?, from.int()?, to.int()?);
                if from > to {
                    return Ok(V::tuple(Vec::new()));
                }
                if from < 1 || to as usize > parts.len() {
                    return undefined();
                }
                Ok(V::tuple(parts[from as usize - 1..to as usize].to_vec()))
            }
            ("Cardinality", [set]) => exact(set.elements()?.len() as i64),
            ("IsFiniteSet", [set]) => Ok(V::Truth(matches!(set, V::Set(_)))),
            ("Assert", [V::Truth(true), _]) => Ok(V::Truth(true)),
            ("Assert", [V::Truth(false), _]) => Err(Fail::Assertion),
            (":>", [a, b]) => Ok(V::Map(vec![(a.clone(), b.clone())])),
            ("@@", [V::Map(a), V::Map(b)]) => V::map(a.iter().chain(b).cloned().collect()),
            _ => undefined(),
        }
    }

    /// Whether an expression says that something is an element of a set.
    pub fn is_membership(&self, expr: &'a Expr, list: &List<'a>) -> bool {
        match &expr.kind {
            ExprKind::Apply(path) => self.built_in_name(path, list) == Some("\\in"),
            _ => false,
        }
    }

    /// Whether a path is a name without arguments, and what it means.
    pub fn plain_name(&self, expr: &'a Expr, list: &List<'a>) -> Option<Found<'a>> {
        match &expr.kind {
            ExprKind::Apply(path) if path.last.args.is_empty() => self.resolve(path, list).ok(),
            _ => None,
        }
    }

    /// Whether a path is an operator that is built in.
    pub fn built_in_name(&self, path: &'a Path, list: &List<'a>) -> Option<&'a str> {
        if !path.prefix.is_empty() {
            return None;
        }
        let Selector::Name(name) = path.last.name else {
            return None;
        };
        match self.find(list, name).meaning {
            Meaning::BuiltIn(name) => Some(self.text(name)),
            _ => None,
        }
    }
}

/// A list with the value of a name, or of a tuple of names.
pub fn bind<'a>(list: &List<'a>, pattern: &Pattern, value: &V<'a>) -> Result<List<'a>> {
    match pattern {
        Pattern::Name(ident) => Ok(put(list, ident.name, Meaning::Value(value.clone()))),
        Pattern::Tuple(idents) => {
            let parts = value.sequence()?;
            if parts.len() != idents.len() {
                return undefined();
            }
            let mut list = list.clone();
            for (ident, part) in idents.iter().zip(parts) {
                list = put(&list, ident.name, Meaning::Value(part));
            }
            Ok(list)
        }
    }
}

/// Each of these lists with each of these values at its end, the values of the last list changing fastest.
fn extended<'a, T: Clone>(
    all: &[Vec<T>],
    values: &[V<'a>],
    make: impl Fn(&V<'a>) -> T,
) -> Result<Vec<Vec<T>>> {
    let mut longer = Vec::new();
    for parts in all {
        for value in values {
            let mut parts = parts.clone();
            parts.push(make(value));
            longer.push(parts);
            if longer.len() > 20_000 {
                return Err(Fail::Limit);
            }
        }
    }
    Ok(longer)
}
