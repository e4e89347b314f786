//! Breadth-first search, with TLC's order of checks and its counts.

use std::collections::HashSet;
use std::rc::Rc;

use evenhand_tla::names::Symbol;
use evenhand_tla::syntax::ast::{Expr, ExprKind, Ident, Module, Unit};

use super::Plain;
use super::names::{List, Meaning, Row, Rows};
use super::value::{Fail, Result, told};

/// What is found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing.
    Success,
    /// An invariant, a property of initial states or one of steps.
    Violation,
    /// A state cannot be left.
    Deadlock,
    /// An assumption is false, or has no value.
    Assumption,
    /// Something has no value.
    Error,
    /// `Assert`
    Assertion,
    /// It takes too long, or has too many states.
    Limit,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was found first.
    pub kind: Kind,
    /// How many states there are inside of the constraints.
    pub distinct: u64,
    /// How many were generated, each time counted.
    pub generated: u64,
    /// How many levels were begun; the length of the way to what was found.
    pub depth: u64,
}

impl Answer {
    /// An answer without states.
    pub fn of(kind: Kind) -> Answer {
        Answer {
            kind,
            distinct: 0,
            generated: 0,
            depth: 0,
        }
    }
}

pub type Formula<'a> = (&'a Expr, List<'a>);

/// A row as text, the same for equal ones.
pub fn told_row(plain: &Plain<'_>, row: &Row<'_>) -> String {
    let name = |symbol: Symbol| plain.text(symbol).to_string();
    let values = row.iter().flatten().map(|value| told(value, &name));
    values.collect::<Vec<_>>().join("; ")
}

/// What the configuration asks for.
#[derive(Default)]
pub struct Asked<'a> {
    pub initial: Vec<Formula<'a>>,
    pub next: Vec<Formula<'a>>,
    invariants: Vec<Formula<'a>>,
    implied_initial: Vec<Formula<'a>>,
    implied_steps: Vec<Formula<'a>>,
    constraints: Vec<Formula<'a>>,
    step_constraints: Vec<Formula<'a>>,
}

struct Search<'s, 'a> {
    plain: &'s Plain<'a>,
    asked: Asked<'a>,
    answer: Answer,
    seen: HashSet<String>,
    level: Vec<Rc<Row<'a>>>,
    most: usize,
}

/// Ends a search from inside: the answer says why.
const STOP: Result<bool> = Ok(true);

/// Explores a specification.
pub fn run<'a>(plain: &Plain<'a>, root: &'a Module, most: usize) -> Answer {
    match assumptions(plain, root) {
        Ok(true) => {}
        Ok(false) | Err(Fail::Undefined | Fail::Assertion) => return Answer::of(Kind::Assumption),
        Err(Fail::Limit) => return Answer::of(Kind::Limit),
    }
    if plain.variables.is_empty() {
        return Answer::of(Kind::Success);
    }
    let mut search = Search {
        plain,
        asked: asked(plain),
        answer: Answer::of(Kind::Success),
        seen: HashSet::new(),
        level: Vec::new(),
        most,
    };
    if let Err(fail) = search.explore() {
        search.answer.kind = match fail {
            Fail::Undefined => Kind::Error,
            Fail::Assertion => Kind::Assertion,
            Fail::Limit => Kind::Limit,
        };
    }
    search.answer
}

fn assumptions<'a>(plain: &Plain<'a>, module: &'a Module) -> Result<bool> {
    for extended in &module.extends {
        if let Some(module) = plain.module(extended.name)
            && !assumptions(plain, module)?
        {
            return Ok(false);
        }
    }
    let rows = nowhere(plain);
    let list = plain.whole(module)?;
    for unit in &module.units {
        if let Unit::Assume {
            body, axiom: false, ..
        } = unit
            && !plain.truth(body, &list, &rows)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn nowhere<'a>(plain: &Plain<'a>) -> Rows<'a> {
    Rows {
        now: plain.nothing(),
        next: plain.nothing(),
    }
}

fn definition<'a>(plain: &Plain<'a>, name: Symbol) -> Option<Formula<'a>> {
    let found = plain.find(&plain.root(), name);
    match found.meaning {
        Meaning::Operator(params, body) if params.is_empty() => Some((body, found.list)),
        _ => None,
    }
}

/// What stands below `[]`.
fn always<'a>(plain: &Plain<'a>, formula: &Formula<'a>) -> Option<&'a Expr> {
    match &formula.0.kind {
        ExprKind::Apply(path) if plain.built_in_name(path, &formula.1) == Some("[]") => {
            path.last.args.first()
        }
        _ => None,
    }
}

/// Whether a conjunct is about fairness.
fn is_fairness(part: &Formula<'_>) -> bool {
    match &part.0.kind {
        ExprKind::Fair { .. } => true,
        ExprKind::Quantified(_, _, body) => matches!(body.kind, ExprKind::Fair { .. }),
        _ => false,
    }
}

/// The conjuncts of a formula, through names.
fn conjuncts<'a>(plain: &Plain<'a>, formula: Formula<'a>) -> Vec<Formula<'a>> {
    if let ExprKind::And(parts) = &formula.0.kind {
        let parts = parts.iter().map(|part| (part, formula.1.clone()));
        return parts.flat_map(|part| conjuncts(plain, part)).collect();
    }
    if let Some(found) = plain.plain_name(formula.0, &formula.1)
        && let Meaning::Operator(_, body) = found.meaning
    {
        return conjuncts(plain, (body, found.list));
    }
    vec![formula]
}

/// Takes the configuration apart. What a specification says about fairness is left out.
pub fn asked<'a>(plain: &Plain<'a>) -> Asked<'a> {
    let mut asked = Asked::default();
    let c = plain.configuration;
    let all = |idents: &[Ident]| -> Vec<Formula<'a>> {
        let found = idents.iter().map(|ident| definition(plain, ident.name));
        found.map(|found| found.expect("a definition")).collect()
    };
    asked.invariants = all(&c.invariants);
    asked.constraints = all(&c.constraints);
    asked.step_constraints = all(&c.action_constraints);
    asked.initial = all(c.init.as_slice());
    asked.next = all(c.next.as_slice());
    if let Some(ident) = c.specification {
        let whole = definition(plain, ident.name).expect("a specification");
        for part in conjuncts(plain, whole) {
            match always(plain, &part) {
                Some(Expr {
                    kind: ExprKind::Square(action, _),
                    ..
                }) => asked.next.push((action, part.1)),
                _ if is_fairness(&part) => {}
                _ => asked.initial.push(part),
            }
        }
    }
    for property in all(&c.properties) {
        for part in conjuncts(plain, property) {
            match always(plain, &part) {
                Some(expr) if matches!(expr.kind, ExprKind::Square(..)) => {
                    asked.implied_steps.push((expr, part.1));
                }
                Some(expr) => asked.invariants.push((expr, part.1)),
                None => asked.implied_initial.push(part),
            }
        }
    }
    asked
}

impl<'a> Search<'_, 'a> {
    fn explore(&mut self) -> Result<()> {
        let plain = self.plain;
        let initial = self.asked.initial.clone();
        if plain.search(&initial, None, false, &mut |row| self.take(None, row))? {
            return Ok(());
        }
        let next = self.asked.next.clone();
        let ends = plain.configuration.check_deadlock.unwrap_or(true);
        loop {
            let level = std::mem::take(&mut self.level);
            if level.is_empty() {
                return Ok(());
            }
            self.answer.depth += 1;
            for row in level {
                let before = self.answer.generated;
                let take = &mut |found: &Row<'a>| self.take(Some(&row), found);
                if plain.search(&next, Some(row.clone()), true, take)? {
                    return Ok(());
                }
                if ends && self.answer.generated == before {
                    self.answer.kind = Kind::Deadlock;
                    return Ok(());
                }
            }
        }
    }

    fn all(&self, formulas: &[Formula<'a>], rows: &Rows<'a>) -> Result<bool> {
        for (expr, list) in formulas {
            if !self.plain.truth(expr, list, rows)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A row that was found behind another one, or at the beginning.
    fn take(&mut self, before: Option<&Rc<Row<'a>>>, row: &Row<'a>) -> Result<bool> {
        if row.iter().any(Option::is_none) {
            return Err(Fail::Undefined);
        }
        self.answer.generated += 1;
        let row = Rc::new(row.clone());
        let here = Rows {
            now: row.clone(),
            next: self.plain.nothing(),
        };
        let step = before.map(|before| Rows {
            now: before.clone(),
            next: row.clone(),
        });
        let mut inside = self.all(&self.asked.constraints, &here)?;
        if let Some(step) = &step {
            inside = inside && self.all(&self.asked.step_constraints, step)?;
        }
        let key = told_row(self.plain, &row);
        let new = inside && self.seen.insert(key);
        if (new || !inside) && !self.all(&self.asked.invariants, &here)? {
            self.answer.kind = Kind::Violation;
            return STOP;
        }
        let implied = match &step {
            Some(step) => self.all(&self.asked.implied_steps, step)?,
            None => self.all(&self.asked.implied_initial, &here)?,
        };
        if !implied {
            self.answer.kind = Kind::Violation;
            return STOP;
        }
        if new {
            self.answer.distinct += 1;
            if self.seen.len() > self.most {
                return Err(Fail::Limit);
            }
            self.level.push(row);
        }
        Ok(false)
    }
}
