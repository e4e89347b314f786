//! Assignments: `x := e`, `init(x) := e`, `next(x) := e`.
//!
//! A variable is assigned at most once in each way, and `x := e` excludes the other two. With
//! processes a variable may be assigned by several of them: the one that makes the step counts, and
//! a variable that it does not assign keeps its value. No value may depend on itself: the value now
//! on values now, the next one on next values.

use std::collections::HashSet;

use evenhand_source::{Diagnostic, Span};
use evenhand_system::ProcessId;
use evenhand_system::relation::{
    BinaryOp, ExprId, Expressions, Node, Part, Role, Sort, VarId, Variable, Word,
};

use super::expressions::{Typed, Value};
use super::names::Target;
use super::sets::Element;
use super::{AssignedBy, InstanceId, Lowering, Obligation, ProcessIndex, Result, Symbol, build};
use crate::ast::{Assignment, Expr, ExprKind, Item, When};
use crate::types::Type;

impl<'m> Lowering<'m> {
    pub(super) fn assign_all(&mut self) {
        for (context, item) in self.items.clone() {
            if let Item::Assign(assignment) = item {
                let _ = self.assign(assignment, context);
            }
        }
        if self.diagnostics.is_empty() {
            self.check_circular();
        }
    }

    /// Whether a process makes the next step.
    pub(super) fn running(&mut self, process: ProcessIndex) -> Result<Typed> {
        let pool = &mut self.relation.expressions;
        let Some(selector) = self.selector else {
            return Ok(Typed::new(Type::Boolean, pool.constant(1)));
        };
        let name = self.processes[process.0].as_str();
        let code = self.constants.get(name).copied().unwrap_or(0);
        let (selected, code) = (pool.current(selector), pool.constant(code));
        Ok(Typed::new(
            Type::Boolean,
            build::equal(pool, selected, code),
        ))
    }

    fn assign(&mut self, assignment: &'m Assignment, context: InstanceId) -> Result<()> {
        let flat = self.target(&assignment.target, context)?;
        let value = self.expression(&assignment.value, context)?;
        let span = assignment.value.span;
        if value.has_next && assignment.when != When::Next {
            return self.error(
                span,
                "`next` can stand only in the assignment to a next value",
            );
        }
        let process = self.instances[context.0].process;
        let target_span = assignment.target.span;
        let known = self.relation.written.len();
        self.assign_to(&flat, assignment.when, &value, (target_span, span), process)?;
        for (_, place) in &mut self.relation.written[known..] {
            *place = assignment.span;
        }
        Ok(())
    }

    /// The flat name of what is assigned.
    fn target(&mut self, target: &'m Expr, context: InstanceId) -> Result<String> {
        let flat = match self.follow(target, context) {
            Some(Target::Flat(name)) => name,
            Some(Target::Argument(..)) => {
                let message = "the argument that stands for this is not a variable";
                return self.error(target.span, message);
            }
            None => match &target.kind {
                ExprKind::Index(base, index) => {
                    let base = self.target(base, context)?;
                    let index = self.number(index, context)?;
                    format!("{base}[{index}]")
                }
                _ => return self.error(target.span, "only variables are assigned"),
            },
        };
        let what = match self.symbols.get(&flat) {
            Some(Symbol::Variable(..) | Symbol::Wide(..) | Symbol::Array(..)) => return Ok(flat),
            Some(Symbol::Single(..)) => "a variable with one value only is a constant",
            Some(Symbol::Define(..)) => "a definition cannot be assigned",
            Some(Symbol::Instance(_)) => "an instance of a module cannot be assigned",
            Some(_) => "this cannot be assigned",
            None => return self.unknown(target.span, context, &flat),
        };
        self.error(target.span, what)
    }

    fn assign_to(
        &mut self,
        flat: &str,
        when: When,
        value: &Typed,
        (target, span): (Span, Span),
        process: ProcessIndex,
    ) -> Result<()> {
        match self.symbols.get(flat).cloned() {
            Some(Symbol::Variable(id, typ)) => {
                self.assign_variable(id, &typ, when, value, (target, span), process)
            }
            Some(Symbol::Wide(limbs, typ)) => {
                let (true, Value::Wide(row)) = (typ == value.typ, &value.value) else {
                    return self.wrong_type(&typ, &value.typ, span);
                };
                for (&limb, &part) in limbs.iter().zip(row.iter()) {
                    let Sort::Word(word) = self.relation.variables[limb.0 as usize].sort else {
                        continue;
                    };
                    let part = Typed {
                        typ: Type::Word(word),
                        value: Value::Scalar(part),
                        has_next: value.has_next,
                    };
                    self.assign_variable(limb, &part.typ, when, &part, (target, span), process)?;
                }
                Ok(())
            }
            Some(Symbol::Array(low, high, element)) => {
                let typ = Type::Array(low, high, Box::new(element));
                let (Some(_), Value::Array(list)) = (typ.accept(&value.typ), &value.value) else {
                    return self.wrong_type(&typ, &value.typ, span);
                };
                let Type::Array(_, _, element) = &value.typ else {
                    return self.wrong_type(&typ, &value.typ, span);
                };
                for (index, part) in (low..=high).zip(list.iter()) {
                    let part = Typed {
                        typ: (**element).clone(),
                        value: part.clone(),
                        has_next: value.has_next,
                    };
                    let name = format!("{flat}[{index}]");
                    self.assign_to(&name, when, &part, (target, span), process)?;
                }
                Ok(())
            }
            _ => self.error(target, "a variable with one value only is a constant"),
        }
    }

    fn wrong_type<T>(&mut self, expected: &Type, found: &Type, span: Span) -> Result<T> {
        let message =
            format!("a value of type {found} is assigned to a variable of type {expected}");
        let mut diagnostic = Diagnostic::error(span, message);
        if *expected == Type::Boolean && *found == Type::Integer {
            diagnostic = diagnostic.help("truth values are `TRUE` and `FALSE`");
        }
        self.report(diagnostic)
    }

    fn assign_variable(
        &mut self,
        id: VarId,
        typ: &Type,
        when: When,
        value: &Typed,
        (target, span): (Span, Span),
        process: ProcessIndex,
    ) -> Result<()> {
        let variable = &self.relation.variables[id.0 as usize];
        let (name, role) = (variable.name.clone(), variable.role);
        match (role, when) {
            (Role::Input, _) => {
                let message = format!("`{name}` is an input: it is chosen, not assigned");
                return self.report(
                    Diagnostic::error(target, message)
                        .help("restrict it with `TRANS`, or declare it with `VAR`"),
                );
            }
            (Role::Frozen, When::Now | When::Next) => {
                let message = format!("`{name}` is frozen: only `init({name})` is assigned");
                return self.error(target, message);
            }
            _ => {}
        }
        if typ.accept(&value.typ.from_set()).is_none() {
            return self.wrong_type(typ, &value.typ, span);
        }
        self.check_single(id, &name, when, target, process)?;
        self.require_states(&value.value, when, span)?;
        let constraint = self.assigned_constraint(id, typ, when, &value.value);
        let expr = self.in_domain(id, typ, &value.value);
        let by = AssignedBy {
            span: target,
            constraint,
            right: expr,
            process,
        };
        self.assigned.entry((id, when)).or_default().push(by);
        self.said.assign(id, when, process, target.to(span));
        self.relation.written.push((constraint, target.to(span)));
        self.obligations.push(Obligation {
            expr,
            span,
            assigned: Some((id, value.value.clone())),
        });
        Ok(())
    }

    /// Inputs may determine the next value only.
    fn require_states(&mut self, value: &Value, when: When, span: Span) -> Result<()> {
        if when == When::Next {
            return Ok(());
        }
        let Some(set) = self.set_of(value) else {
            return Ok(());
        };
        let pool = &mut self.relation.expressions;
        let probe = self.sets.every(pool, set, &mut |pool, e| match e {
            Element::One(e) => build::binary(pool, BinaryOp::Eq, e, e),
            Element::Range(..) => pool.constant(1),
        });
        match self.reads_inputs(probe) {
            true => self.error(span, "an input belongs to a step, not to a state"),
            false => Ok(()),
        }
    }

    fn check_single(
        &mut self,
        id: VarId,
        name: &str,
        when: When,
        target: Span,
        process: ProcessIndex,
    ) -> Result<()> {
        let excluded: &[When] = match when {
            When::Now => &[When::Now, When::Init, When::Next],
            When::Init => &[When::Now, When::Init],
            When::Next => &[When::Now, When::Next],
        };
        for &other in excluded {
            let list = self.assigned.get(&(id, other));
            let clash = list.into_iter().flatten().find(|by| {
                let shared = (when, other) == (When::Next, When::Next);
                !shared || self.selector.is_none() || by.process == process
            });
            if let Some(by) = clash.copied() {
                let message = match other == when {
                    true => format!("`{name}` is assigned twice"),
                    false => format!("`{name}` is assigned now and also initially or next"),
                };
                return self.report(
                    Diagnostic::error(target, message).label(by.span, "it is also assigned here"),
                );
            }
        }
        Ok(())
    }

    /// What an assignment says.
    fn assigned_constraint(&mut self, id: VarId, typ: &Type, when: When, value: &Value) -> ExprId {
        let pool = &mut self.relation.expressions;
        let side = match when {
            When::Next => pool.next(id),
            When::Now | When::Init => pool.current(id),
        };
        match value {
            Value::Scalar(expr) => {
                let expr = match typ {
                    // Kept as a signed number with the same bits.
                    Type::Word(word) if !word.signed && word.bits == 64 => {
                        let kept = Word {
                            signed: true,
                            bits: 64,
                        };
                        build::wrap(pool, kept, *expr)
                    }
                    _ => *expr,
                };
                pool.equal(side, expr)
            }
            Value::Set(set) => self.sets.member(pool, side, *set),
            Value::Array(_) | Value::Wide(_) => pool.constant(1),
        }
    }

    /// Whether all that is assigned is a value of the variable, and defined.
    fn in_domain(&mut self, id: VarId, typ: &Type, value: &Value) -> ExprId {
        let Some(set) = self.set_of(value) else {
            return self.relation.expressions.constant(1);
        };
        let sort = self.relation.variables[id.0 as usize].sort.clone();
        let checked = !matches!(typ, Type::Word(_) | Type::Boolean);
        let variables = &self.relation.variables;
        let pool = &mut self.relation.expressions;
        self.sets.every(pool, set, &mut |pool, element| {
            let element = match element {
                Element::One(element) => element,
                Element::Range(low, high) => {
                    let all = match &sort {
                        Sort::Values(list) => {
                            let few = high.abs_diff(low) < list.len() as u64;
                            few && (low..=high).all(|value| sort.contains(value))
                        }
                        _ => sort.contains(low) && sort.contains(high),
                    };
                    return pool.constant(all.into());
                }
            };
            match &sort {
                _ if is_narrower(pool, variables, element, &sort) => {
                    build::equal(pool, element, element)
                }
                Sort::Range(low, high) if checked => build::between(pool, element, *low, *high),
                Sort::Values(list) if checked => {
                    let mut any = pool.constant(0);
                    for &value in list {
                        let value = pool.constant(value);
                        let is = build::equal(pool, element, value);
                        any = build::or(pool, any, is);
                    }
                    any
                }
                _ => build::equal(pool, element, element),
            }
        })
    }

    /// The steps, one part for each process.
    pub(super) fn build_parts(&mut self, trans: &[ExprId]) {
        let mut assigned: Vec<(VarId, When)> = self.assigned.keys().copied().collect();
        assigned.sort_unstable();
        for &(id, when) in &assigned {
            let constraints = self.assigned[&(id, when)].iter().map(|by| by.constraint);
            match when {
                When::Now => self.relation.invar.extend(constraints),
                When::Init => self.relation.init.extend(constraints),
                When::Next => {}
            }
        }
        self.relation.processes = self.processes.clone();
        for process in (0..self.processes.len()).map(ProcessIndex) {
            let mut constraints = Vec::new();
            if self.selector.is_some()
                && let Ok(running) = self.running(process)
            {
                constraints.extend(running.scalar());
            }
            for &(id, when) in assigned.iter().filter(|(_, when)| *when == When::Next) {
                let list = &self.assigned[&(id, when)];
                let by = list
                    .iter()
                    .find(|by| self.selector.is_none() || by.process == process);
                constraints.push(match by {
                    Some(by) => by.constraint,
                    None => {
                        let pool = &mut self.relation.expressions;
                        let (next, now) = (pool.next(id), pool.current(id));
                        pool.equal(next, now)
                    }
                });
            }
            constraints.extend(trans);
            let name = self.processes[process.0].clone();
            self.relation.trans.push(Part {
                participants: vec![(ProcessId::new(process.0), name)],
                constraints,
            });
        }
    }
}

/// Whether an expression is a variable or a constant, or chooses among such, and has no values but those of a sort.
fn is_narrower(pool: &Expressions, variables: &[Variable], expr: ExprId, sort: &Sort) -> bool {
    let mut open = vec![expr];
    let mut seen = HashSet::from([expr]);
    while let Some(expr) = open.pop() {
        let fits = match *pool.node(expr) {
            Node::Const(value) => sort.contains(value),
            Node::Current(other) | Node::Next(other) => match &variables[other.0 as usize].sort {
                Sort::Values(list) => list.iter().all(|&value| sort.contains(value)),
                other => other == sort,
            },
            Node::Conditional(_, yes, no) => {
                open.extend([yes, no].into_iter().filter(|&part| seen.insert(part)));
                true
            }
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    true
}
