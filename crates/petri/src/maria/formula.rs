//! Formulas over markings, in Maria's own words.
//!
//! A formula is temporal as far as it has to be: every largest part without temporal operators is one condition on markings.
//! A quantifier around temporal operators is a conjunction or a disjunction.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_logic::{Binary, FormulaId, Formulas, Node, Quantifier as Path, Spelling};
use evenhand_source::{Diagnostic, FileId, Files, spend};
use evenhand_system::{Formula, PropositionId, Rejected};

use super::body::Condition;
use super::code::{Expr, Op};
use super::lexer::tokens_of_text;
use super::machine::{Machine, NoMarking};
use super::net::Net;
use super::parser;
use super::syntax::{Ast, Form, Quantifier};
use super::transition::{Setting, set};
use super::typer::Typer;
use super::types::{TypeId, Types};
use crate::asked::Named;
use crate::fairness::Role;
use crate::maximal::{has_next, maximal};

/// How many parts quantifiers around temporal operators may make.
const MOST_PARTS: usize = 1 << 10;

/// Conditions by number and by text.
#[derive(Clone, Default)]
pub(crate) struct Asked {
    pub conditions: Vec<Condition>,
    index: HashMap<String, PropositionId>,
    /// Room in memory that they need.
    pub room: usize,
    /// Whether a next was read over maximal paths.
    pub maximal_next: bool,
    /// Whether a next outside of CTL was left as it is.
    pub other_next: bool,
}

/// Values of quantifiers around a part of a formula.
type Values = Vec<(Arc<str>, TypeId, Vec<i64>)>;

struct Reading<'a> {
    asked: &'a mut Asked,
    net: &'a Net,
    text: &'a str,
    store: Formulas,
    atoms: Vec<PropositionId>,
    parts: usize,
}

type Read<T> = Result<T, Diagnostic>;

impl Asked {
    /// The number of a condition.
    pub fn number(&mut self, text: &str, condition: Condition) -> PropositionId {
        let conditions = &mut self.conditions;
        let number = self.index.entry(text.to_string()).or_insert_with(|| {
            conditions.push(condition);
            PropositionId(conditions.len() as u32 - 1)
        });
        *number
    }

    /// A formula of linear time.
    pub fn linear(&mut self, net: &Net, named: Named<'_>) -> Result<Formula, Rejected> {
        let ast = parsed(named, false)?;
        self.formula(net, named, &ast)
    }

    /// A formula of CTL*; if it is one of CTL, and wanted so, over maximal paths.
    pub fn branching(
        &mut self,
        net: &Net,
        named: Named<'_>,
        over_maximal: bool,
    ) -> Result<Formula, Rejected> {
        let ast = parsed(named, true)?;
        if let Some(part) = unquantified(&ast) {
            let message = "a temporal operator must stand under a path quantifier";
            let help = "write `A` or `E` before it: `A [] p`, `AG p`";
            let problem = Diagnostic::error(part.span, message).help(help);
            return Err(rejected(named, problem));
        }
        let formula = self.formula(net, named, &ast)?;
        if !over_maximal || !has_next(&formula.store, formula.id) {
            return Ok(formula);
        }
        let mut store = (*formula.store).clone();
        let mut atoms = formula.atoms.to_vec();
        let dead = store.host_atom("deadlock");
        if let Node::Atom(atom) = store.node(dead)
            && atom.index() == atoms.len()
        {
            let never = Expr::new(Types::TRUTH, Op::Number(0), Default::default());
            let condition = Condition {
                dead: true,
                ..Condition::new(never, Vec::new())
            };
            atoms.push(self.number("deadlock", condition));
        }
        let found = maximal(&mut store, formula.id, dead);
        match found {
            Some(_) => self.maximal_next = true,
            None => self.other_next = true,
        }
        Ok(Formula::new(store, found.unwrap_or(formula.id), atoms))
    }

    /// A condition on markings.
    pub fn condition(&mut self, net: &Net, named: Named<'_>) -> Result<Formula, Rejected> {
        let ast = parsed(named, false)?;
        if has_temporal(&ast) {
            let message = "this is to be a condition on markings, without temporal operators";
            return Err(rejected(named, Diagnostic::error(ast.span, message)));
        }
        self.formula(net, named, &ast)
    }

    /// The same as one proposition.
    pub fn expression(&mut self, net: &Net, named: Named<'_>) -> Result<PropositionId, Rejected> {
        let formula = self.condition(net, named)?;
        let first = formula.atoms.first().copied();
        first.ok_or_else(|| rejected(named, Diagnostic::global("this is no condition")))
    }

    /// A condition of a fairness assumption, such that a run which ends is fair.
    pub fn where_runs_go_on(
        &mut self,
        role: Role,
        text: &str,
        known: PropositionId,
    ) -> PropositionId {
        let (at_end, text) = match role {
            Role::Then => return known,
            Role::Justice => (true, format!("({}) || deadlock", text.trim())),
            Role::When => (false, format!("({}) && !deadlock", text.trim())),
        };
        let condition = Condition {
            at_end: Some(at_end),
            ..self.conditions[known.0 as usize].clone()
        };
        self.number(&text, condition)
    }

    fn formula(&mut self, net: &Net, named: Named<'_>, ast: &Ast) -> Result<Formula, Rejected> {
        let mut reading = Reading {
            asked: self,
            net,
            text: named.1,
            store: Formulas::new(),
            atoms: Vec::new(),
            parts: 0,
        };
        let id = reading
            .build(ast, &mut Vec::new())
            .map_err(|problem| rejected(named, problem))?;
        let Reading { store, atoms, .. } = reading;
        Ok(Formula {
            spelling: Spelling::Spin,
            ..Formula::new(store, id, atoms)
        })
    }
}

/// The syntax of a text.
fn parsed(named: Named<'_>, branching: bool) -> Result<Ast, Rejected> {
    let (_, text) = named;
    let read = tokens_of_text(text, FileId(0));
    let read = read.and_then(|tokens| parser::formula(&tokens, branching));
    read.map_err(|problem| rejected(named, problem))
}

/// What is wrong with a text that stands in no file of the model.
pub(crate) fn rejected((name, text): Named<'_>, problem: Diagnostic) -> Rejected {
    let mut files = Files::new();
    files.add(name, text);
    Rejected::from((files, vec![problem]))
}

/// A temporal operator that stands under no path quantifier.
fn unquantified(ast: &Ast) -> Option<&Ast> {
    match &ast.kind {
        Form::Temporal("A" | "E", _) => None,
        Form::Temporal(..) | Form::Binary("until" | "release", ..) => Some(ast),
        _ => parts(ast).into_iter().find_map(unquantified),
    }
}

/// Whether there is a temporal operator in it.
fn has_temporal(ast: &Ast) -> bool {
    match &ast.kind {
        Form::Temporal(..) | Form::Binary("until" | "release", ..) => true,
        _ => parts(ast).into_iter().any(has_temporal),
    }
}

/// The operands of what may stand between temporal operators.
fn parts(ast: &Ast) -> Vec<&Ast> {
    match &ast.kind {
        Form::Unary("!", a) | Form::Atom(a) => vec![&**a],
        Form::Binary(_, a, b) => vec![&**a, &**b],
        Form::And(list) | Form::Or(list) | Form::List(list) => list.iter().collect(),
        Form::Quantified { inside, .. } => vec![&**inside],
        Form::Select(a, list) => std::iter::once(&**a).chain(list).collect(),
        _ => Vec::new(),
    }
}

impl Reading<'_> {
    fn build(&mut self, ast: &Ast, values: &mut Values) -> Read<FormulaId> {
        spend();
        if !has_temporal(ast) {
            return self.atom(ast, values);
        }
        Ok(match &ast.kind {
            Form::Temporal(operator, inside) => {
                let inside = self.build(inside, values)?;
                match *operator {
                    "<>" => self.store.finally(inside),
                    "[]" => self.store.globally(inside),
                    "()" => self.store.next(inside),
                    "A" => self.store.path(Path::All, inside),
                    _ => self.store.path(Path::Exists, inside),
                }
            }
            Form::Atom(inside) => self.build(inside, values)?,
            Form::Unary("!", inside) => {
                let inside = self.build(inside, values)?;
                self.store.not(inside)
            }
            Form::And(list) | Form::Or(list) => {
                let mut built = Vec::new();
                for part in list {
                    built.push(self.build(part, values)?);
                }
                match ast.kind {
                    Form::And(_) => self.store.and(built),
                    _ => self.store.or(built),
                }
            }
            Form::Binary(sign @ ("until" | "release" | "=>" | "<=>" | "^^"), a, b) => {
                let (a, b) = (self.build(a, values)?, self.build(b, values)?);
                match *sign {
                    "until" => self.store.until(a, b),
                    "release" => self.store.binary(Binary::Release, a, b),
                    "=>" => self.store.implies(a, b),
                    "<=>" => self.store.iff(a, b),
                    _ => self.store.xor(a, b),
                }
            }
            Form::Quantified {
                how: how @ (Quantifier::All | Quantifier::Some),
                ty,
                variable,
                condition,
                inside,
            } => {
                let known = &self.net.known;
                let ty = known.type_named(ty)?;
                let mut value = known.types.first(ty);
                let mut built = Vec::new();
                loop {
                    values.push((variable.text.clone(), ty, value.clone()));
                    if self.counts(condition.as_deref(), values)? {
                        built.push(self.build(inside, values)?);
                    }
                    values.pop();
                    self.parts += 1;
                    if self.parts > MOST_PARTS {
                        let message = format!(
                            "quantifiers around temporal operators make more than {MOST_PARTS} parts"
                        );
                        return Err(Diagnostic::error(ast.span, message));
                    }
                    if known.types.next(ty, &mut value) {
                        break;
                    }
                }
                match how {
                    Quantifier::All => self.store.and(built),
                    _ => self.store.or(built),
                }
            }
            _ => {
                let message = "temporal operators cannot stand inside of this";
                return Err(Diagnostic::error(ast.span, message));
            }
        })
    }

    /// What is known where a part stands, and values of the quantifiers around it.
    fn typer(&self, values: &Values) -> Read<(Typer<'_>, Vec<Setting>)> {
        let mut typer = Typer::new(&self.net.known);
        typer.scope.propositions = true;
        let mut settings = Vec::new();
        for (name, ty, value) in values {
            let offset = typer.scope.room(self.net.known.types.slots(*ty));
            typer.scope.counters.push((name.clone(), *ty, offset));
            let value = value.clone().into();
            settings.push(Setting { offset, value });
        }
        Ok((typer, settings))
    }

    fn counts(&self, condition: Option<&Ast>, values: &Values) -> Read<bool> {
        let Some(condition) = condition else {
            return Ok(true);
        };
        let (mut typer, settings) = self.typer(values)?;
        let condition = typer.truth(condition)?;
        let mut machine = Machine::new(&self.net.known.types, typer.scope.size);
        set(&mut machine.memory, &settings);
        let holds = machine.truth(&condition, &NoMarking);
        holds.map_err(|fault| Diagnostic::error(fault.span, fault.kind.to_string()))
    }

    fn atom(&mut self, ast: &Ast, values: &Values) -> Read<FormulaId> {
        let (mut typer, settings) = self.typer(values)?;
        let expr = typer.truth(ast)?;
        let room = typer.scope.size;
        drop(typer);
        self.asked.room = self.asked.room.max(room);
        let (start, end) = (ast.span.start as usize, ast.span.end as usize);
        let mut text = self.text.get(start..end).unwrap_or_default().to_string();
        for (name, ty, value) in values {
            let shown = self.net.known.types.show(*ty, value);
            text = format!("{text} [{name} = {shown}]");
        }
        let condition = Condition::new(expr, settings);
        let number = self.asked.number(&text, condition);
        let id = self.store.host_atom(&text);
        if let Node::Atom(atom) = self.store.node(id)
            && atom.index() == self.atoms.len()
        {
            self.atoms.push(number);
        }
        Ok(id)
    }
}
