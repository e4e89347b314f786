//! Actions and initial predicates in TLC's way: from left to right, with what is still to be done as a list.
//!
//! The first equation of a variable that has no value gives it one; disjunctions and `\E` try everything. Once all
//! variables have values, the rest of the list is a row of tests.

use std::rc::Rc;

use evenhand_tla::syntax::ast::{Bound, Bounds, Expr, ExprKind, Quantifier};
use evenhand_tla::syntax::walk::below;

use super::Plain;
use super::names::{Found, List, Meaning, Row, Rows, put};
use super::value::{Result, V, equal};

/// What is to be done.
#[derive(Clone)]
enum Task<'a> {
    /// The formula is to be satisfied. Before it looks for steps, TLC splits the next-state action into disjuncts;
    /// whether it may do so here is told.
    Formula(&'a Expr, bool),
    /// The expression does not change.
    Unchanged(&'a Expr),
    /// The expression changes.
    Changed(&'a Expr),
}

/// What is still to be done.
type Todo<'a> = Option<Rc<Item<'a>>>;

struct Item<'a> {
    task: Task<'a>,
    list: List<'a>,
    rest: Todo<'a>,
}

/// A search for rows.
struct Search<'s, 'a> {
    plain: &'s Plain<'a>,
    /// The row before the step; none where initial rows are looked for.
    now: Option<Rc<Row<'a>>>,
    /// Is told each row; says whether that is enough.
    found: &'s mut dyn FnMut(&Row<'a>) -> Result<bool>,
}

impl<'a> Plain<'a> {
    /// Finds the rows of an initial predicate, or of an action behind a row, which may be split before.
    pub fn search(
        &self,
        formulas: &[(&'a Expr, List<'a>)],
        now: Option<Rc<Row<'a>>>,
        splits: bool,
        found: &mut dyn FnMut(&Row<'a>) -> Result<bool>,
    ) -> Result<bool> {
        let mut todo = None;
        for (formula, list) in formulas.iter().rev() {
            todo = more(&todo, Task::Formula(formula, splits), list);
        }
        let mut search = Search {
            plain: self,
            now,
            found,
        };
        search.go_on(&todo, &self.nothing())
    }

    /// Whether an action has a step.
    pub fn enabled(&self, action: &'a Expr, list: &List<'a>, rows: &Rows<'a>) -> Result<bool> {
        let formulas = [(action, list.clone())];
        self.search(&formulas, Some(rows.now.clone()), false, &mut |_| Ok(true))
    }

    /// Whether something is defined by the specification itself, and not inside of a definition.
    fn is_global(&self, found: &Found<'a>) -> bool {
        let mut at = self.root();
        while let Some(node) = at {
            if let Some(own) = &found.list
                && Rc::ptr_eq(own, &node)
            {
                return true;
            }
            at = node.up.clone();
        }
        false
    }

    /// Whether an expression speaks of no variable. TLC has the values of such
    /// definitions and arguments before it looks for steps.
    fn is_constant(&self, expr: &'a Expr, list: &List<'a>, depth: u32) -> bool {
        let mut constant = true;
        match &expr.kind {
            // What uses itself says nothing new.
            _ if depth > 20 => {}
            ExprKind::Let(units, body) => {
                let mut inner = list.clone();
                for unit in units {
                    inner = self.unit(unit, &inner).unwrap_or_default();
                }
                constant = self.is_constant(body, &inner, depth + 1);
            }
            ExprKind::Apply(path) => {
                constant = match self.resolve(path, list) {
                    Ok(Found {
                        meaning: Meaning::Variable(_),
                        ..
                    }) => false,
                    Ok(Found {
                        meaning: Meaning::Text(body, list),
                        ..
                    }) => self.is_constant(body, &list, depth + 1),
                    Ok(Found {
                        meaning: Meaning::Operator(_, body),
                        list,
                    }) => self.is_constant(body, &list, depth + 1),
                    Ok(Found {
                        meaning: Meaning::Function(function),
                        list,
                    }) => self.is_constant(&function.body, &list, depth + 1),
                    _ => true,
                };
            }
            _ => {}
        }
        if !matches!(expr.kind, ExprKind::Let(..)) {
            below(expr, &mut |part| {
                constant = constant && self.is_constant(part, list, depth + 1);
            });
        }
        constant
    }

    /// Whether the sets of a quantifier speak of no variable.
    fn has_constant_bounds(&self, bounds: &'a [Bound], list: &List<'a>) -> bool {
        bounds
            .iter()
            .all(|bound| self.is_constant(&bound.set, list, 0))
    }

    /// The variable that an expression is, through names.
    fn variable_of(&self, expr: &'a Expr, list: &List<'a>) -> Option<usize> {
        if let ExprKind::Label(_, _, body) = &expr.kind {
            return self.variable_of(body, list);
        }
        let found = self.plain_name(expr, list)?;
        match &found.meaning {
            Meaning::Variable(number) => Some(*number),
            Meaning::Text(expr, list) => self.variable_of(expr, list),
            Meaning::Operator(params, body) if params.is_empty() => {
                self.variable_of(body, &found.list)
            }
            _ => None,
        }
    }

    /// The variable of which an expression is the value behind the step.
    fn primed_variable(&self, expr: &'a Expr, list: &List<'a>) -> Option<usize> {
        if let ExprKind::Apply(path) = &expr.kind
            && self.built_in_name(path, list) == Some("'")
        {
            return self.variable_of(&path.last.args[0], list);
        }
        let found = self.plain_name(expr, list)?;
        match &found.meaning {
            Meaning::Text(expr, list) => self.primed_variable(expr, list),
            Meaning::Operator(params, body) if params.is_empty() => {
                self.primed_variable(body, &found.list)
            }
            _ => None,
        }
    }
}

fn more<'a>(todo: &Todo<'a>, task: Task<'a>, list: &List<'a>) -> Todo<'a> {
    Some(Rc::new(Item {
        task,
        list: list.clone(),
        rest: todo.clone(),
    }))
}

impl<'a> Search<'_, 'a> {
    fn rows(&self, row: &Rc<Row<'a>>) -> Rows<'a> {
        match &self.now {
            Some(now) => Rows {
                now: now.clone(),
                next: row.clone(),
            },
            None => Rows {
                now: row.clone(),
                next: self.plain.nothing(),
            },
        }
    }

    fn go_on(&mut self, todo: &Todo<'a>, row: &Rc<Row<'a>>) -> Result<bool> {
        self.plain.spend()?;
        let searched = self.go_on_inside(todo, row);
        self.plain.unwind();
        searched
    }

    fn go_on_inside(&mut self, todo: &Todo<'a>, row: &Rc<Row<'a>>) -> Result<bool> {
        if row.iter().all(Option::is_some) {
            let rows = self.rows(row);
            let mut todo = todo;
            while let Some(item) = todo {
                let holds = match item.task {
                    Task::Formula(expr, _) => self.plain.truth(expr, &item.list, &rows)?,
                    Task::Unchanged(expr) => self.plain.same(expr, &item.list, &rows)?,
                    Task::Changed(expr) => !self.plain.same(expr, &item.list, &rows)?,
                };
                if !holds {
                    return Ok(false);
                }
                todo = &item.rest;
            }
            return (self.found)(row);
        }
        match todo {
            None => (self.found)(row),
            Some(item) => match item.task {
                Task::Formula(expr, splits) => self.act(expr, &item.list, &item.rest, row, splits),
                Task::Unchanged(expr) => self.unchanged(expr, &item.list, &item.rest, row),
                Task::Changed(expr) => match self.plain.same(expr, &item.list, &self.rows(row))? {
                    true => Ok(false),
                    false => self.go_on(&item.rest, row),
                },
            },
        }
    }

    fn test(&mut self, holds: bool, todo: &Todo<'a>, row: &Rc<Row<'a>>) -> Result<bool> {
        match holds {
            true => self.go_on(todo, row),
            false => Ok(false),
        }
    }

    fn assign(
        &mut self,
        number: usize,
        value: V<'a>,
        todo: &Todo<'a>,
        row: &Rc<Row<'a>>,
    ) -> Result<bool> {
        let mut longer = (**row).clone();
        longer[number] = Some(value);
        self.go_on(todo, &Rc::new(longer))
    }

    fn act(
        &mut self,
        expr: &'a Expr,
        list: &List<'a>,
        todo: &Todo<'a>,
        row: &Rc<Row<'a>>,
        splits: bool,
    ) -> Result<bool> {
        self.plain.spend()?;
        let searched = self.act_inside(expr, list, todo, row, splits);
        self.plain.unwind();
        searched
    }

    fn act_inside(
        &mut self,
        expr: &'a Expr,
        list: &List<'a>,
        todo: &Todo<'a>,
        row: &Rc<Row<'a>>,
        splits: bool,
    ) -> Result<bool> {
        let plain = self.plain;
        let rows = self.rows(row);
        match &expr.kind {
            ExprKind::And(parts) => {
                let mut all = todo.clone();
                for part in parts[1..].iter().rev() {
                    all = more(&all, Task::Formula(part, false), list);
                }
                self.act(&parts[0], list, &all, row, false)
            }
            ExprKind::Or(parts) => {
                for part in parts {
                    if self.act(part, list, todo, row, splits)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            ExprKind::Quantified(Quantifier::Exists, Bounds::In(bounds), body) => {
                let splits = splits && plain.has_constant_bounds(bounds, list);
                for inner in plain.contexts(bounds, list, &rows)? {
                    if self.act(body, &inner?, todo, row, splits)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            ExprKind::Quantified(Quantifier::All, Bounds::In(bounds), body) => {
                // The first, and then from the last one backwards: that is how TLC makes its list.
                let mut all = todo.clone();
                let mut contexts = plain.contexts(bounds, list, &rows)?.into_iter();
                let Some(first) = contexts.next() else {
                    return self.go_on(todo, row);
                };
                for inner in contexts {
                    all = more(&all, Task::Formula(body, false), &inner?);
                }
                self.act(body, &first?, &all, row, false)
            }
            ExprKind::If(condition, yes, no) => match plain.truth(condition, list, &rows)? {
                true => self.act(yes, list, todo, row, false),
                false => self.act(no, list, todo, row, false),
            },
            ExprKind::Case(arms, other) => {
                for (condition, body) in arms {
                    if plain.truth(condition, list, &rows)? {
                        return self.act(body, list, todo, row, false);
                    }
                }
                match other {
                    Some(other) => self.act(other, list, todo, row, false),
                    None => super::value::undefined(),
                }
            }
            ExprKind::Let(units, body) => {
                let mut inner = list.clone();
                for unit in units {
                    inner = plain.unit(unit, &inner)?;
                }
                self.act(body, &inner, todo, row, splits)
            }
            ExprKind::Label(_, _, body) => self.act(body, list, todo, row, splits),
            ExprKind::Square(body, subscript) if self.now.is_some() => {
                if self.act(body, list, todo, row, false)? {
                    return Ok(true);
                }
                self.unchanged(subscript, list, todo, row)
            }
            ExprKind::Angle(body, subscript) if self.now.is_some() => {
                let todo = more(todo, Task::Changed(subscript), list);
                self.act(body, list, &todo, row, false)
            }
            ExprKind::Apply(path) => {
                let found = plain.resolve(path, list)?;
                let args = &path.last.args;
                match &found.meaning {
                    Meaning::Text(text, place) => self.act(text, place, todo, row, false),
                    Meaning::Operator(params, body)
                        if params.is_empty()
                            && plain.is_global(&found)
                            && plain.is_constant(body, &found.list, 0) =>
                    {
                        let holds = plain.truth(expr, list, &rows)?;
                        self.test(holds, todo, row)
                    }
                    Meaning::Operator(params, body) => {
                        let first_order = params.iter().all(|param| param.arity == 0);
                        let mut values = Vec::new();
                        if splits && first_order {
                            // What speaks of no variable is evaluated once, and has no branches then.
                            let constant = args.iter().filter(|a| plain.is_constant(a, list, 0));
                            let known =
                                constant.map_while(|a| plain.eval_fully(a, list, &rows).ok());
                            values.extend(known);
                        }
                        let splits = splits && values.len() == args.len();
                        let mut inner = plain.with_arguments(params, args, &found.list, list);
                        if splits {
                            for (param, value) in params.iter().zip(values) {
                                inner = put(&inner, param.ident.name, Meaning::Value(value));
                            }
                        }
                        self.act(body, &inner, todo, row, splits)
                    }
                    Meaning::Lambda(params, body, place) => {
                        let mut inner = place.clone();
                        for (param, arg) in params.iter().zip(args) {
                            inner = put(&inner, param.name, Meaning::Text(arg, list.clone()));
                        }
                        self.act(body, &inner, todo, row, false)
                    }
                    Meaning::BuiltIn(name) => match (plain.text(*name), args.as_slice()) {
                        ("=>", [a, b]) => match plain.truth(a, list, &rows)? {
                            true => self.act(b, list, todo, row, false),
                            false => self.go_on(todo, row),
                        },
                        ("UNCHANGED", [expr]) if self.now.is_some() => {
                            self.unchanged(expr, list, todo, row)
                        }
                        ("=", [left, right]) => self.equation(expr, left, right, list, todo, row),
                        ("\\in" | "\\subseteq", [left, right]) => {
                            self.choice(expr, left, right, list, todo, row)
                        }
                        _ => {
                            let holds = plain.truth(expr, list, &rows)?;
                            self.test(holds, todo, row)
                        }
                    },
                    _ => {
                        let holds = plain.truth(expr, list, &rows)?;
                        self.test(holds, todo, row)
                    }
                }
            }
            _ => {
                let holds = plain.truth(expr, list, &rows)?;
                self.test(holds, todo, row)
            }
        }
    }

    fn target(&self, left: &'a Expr, list: &List<'a>) -> Option<usize> {
        match self.now.is_some() {
            true => self.plain.primed_variable(left, list),
            false => self.plain.variable_of(left, list),
        }
    }

    fn equation(
        &mut self,
        expr: &'a Expr,
        left: &'a Expr,
        right: &'a Expr,
        list: &List<'a>,
        todo: &Todo<'a>,
        row: &Rc<Row<'a>>,
    ) -> Result<bool> {
        let rows = self.rows(row);
        let Some(number) = self.target(left, list) else {
            let holds = self.plain.truth(expr, list, &rows)?;
            return self.test(holds, todo, row);
        };
        let value = self.plain.eval_fully(right, list, &rows)?;
        match &row[number] {
            None => self.assign(number, value, todo, row),
            Some(known) => self.test(equal(known, &value)?, todo, row),
        }
    }

    fn choice(
        &mut self,
        expr: &'a Expr,
        left: &'a Expr,
        right: &'a Expr,
        list: &List<'a>,
        todo: &Todo<'a>,
        row: &Rc<Row<'a>>,
    ) -> Result<bool> {
        let rows = self.rows(row);
        let Some(number) = self.target(left, list) else {
            let holds = self.plain.truth(expr, list, &rows)?;
            return self.test(holds, todo, row);
        };
        let mut set = self.plain.eval_fully(right, list, &rows)?;
        if !self.plain.is_membership(expr, list) {
            set = self.plain.built_in_of("SUBSET", &[set])?;
        }
        match &row[number] {
            None => {
                for value in set.elements()? {
                    if self.assign(number, value.clone(), todo, row)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Some(known) => self.test(set.contains(known)?, todo, row),
        }
    }

    fn unchanged(
        &mut self,
        expr: &'a Expr,
        list: &List<'a>,
        todo: &Todo<'a>,
        row: &Rc<Row<'a>>,
    ) -> Result<bool> {
        let rows = self.rows(row);
        if let Some(number) = self.plain.variable_of(expr, list) {
            let Some(Some(before)) = rows.now.get(number) else {
                return super::value::undefined();
            };
            return match &row[number] {
                None => self.assign(number, before.clone(), todo, row),
                Some(known) => self.test(equal(before, known)?, todo, row),
            };
        }
        if let ExprKind::Tuple(parts) = &expr.kind {
            let mut all = todo.clone();
            for part in parts.iter().rev() {
                all = more(&all, Task::Unchanged(part), list);
            }
            return self.go_on(&all, row);
        }
        if let Some(found) = self.plain.plain_name(expr, list) {
            match &found.meaning {
                Meaning::Text(expr, place) => return self.unchanged(expr, place, todo, row),
                Meaning::Operator(params, body) if params.is_empty() => {
                    return self.unchanged(body, &found.list, todo, row);
                }
                _ => {}
            }
        }
        let holds = self.plain.same(expr, list, &rows)?;
        self.test(holds, todo, row)
    }
}
