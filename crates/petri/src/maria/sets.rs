//! Sets of instances: what fairness is about.
//!
//! A set says of an instance of a transition whether it is a member, by a condition on its variables. In front of the
//! condition may stand a sum over the values of a type: then there is a set for each value. A set that is declared
//! outside of transitions may be about several of them: it is a formula over `trans NAME : CONDITION`, and about
//! the instances of those transitions alone that it names.

use std::sync::Arc;

use evenhand_source::{Diagnostic, FileId, Span, nearest, spend};

use super::code::{Comparison, Expr, Op, Part};
use super::lexer::tokens_of_text;
use super::machine::{Machine, NoMarking};
use super::net::Net;
use super::parser;
use super::scope::missing;
use super::syntax::{Ast, Form, Name, Quantifier};
use super::transition::Setting;
use super::typer::Typer;
use super::types::{TypeId, Types};

/// How many sets one declaration may make.
const MOST_SETS: usize = 1 << 14;

/// A set of instances.
#[derive(Clone, Debug)]
pub(crate) struct InstanceSet {
    /// What tells it apart from others of the same declaration.
    pub text: String,
    pub members: Vec<Member>,
    /// Room in memory that its conditions need.
    pub room: usize,
}

/// The instances of one transition in a set.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub transition: usize,
    pub settings: Vec<Setting>,
    pub condition: Expr,
}

type Made<T> = Result<T, Diagnostic>;

/// All instances of a transition.
pub(crate) fn all_of(net: &Net, transition: usize) -> InstanceSet {
    InstanceSet {
        text: net.transitions[transition].name.to_string(),
        members: vec![Member {
            transition,
            settings: Vec::new(),
            condition: truth(true, Span::default()),
        }],
        room: net.transitions[transition].scope.size,
    }
}

fn truth(value: bool, span: Span) -> Expr {
    Expr::new(Types::TRUTH, Op::Number(i64::from(value)), span)
}

/// The sums in front of a condition, and the condition.
fn sums<'a>(ast: &'a Ast, found: &mut Vec<Sum<'a>>) -> &'a Ast {
    match &ast.kind {
        Form::Quantified {
            how: Quantifier::Sum,
            ty,
            variable,
            condition,
            inside,
        } => {
            found.push((ty, variable, condition.as_deref()));
            sums(inside, found)
        }
        _ => ast,
    }
}

type Sum<'a> = (&'a Name, &'a Name, Option<&'a Ast>);

/// The sets that a transition declares for itself.
pub(crate) fn of_transition(
    net: &Net,
    transition: usize,
    piece: usize,
    ast: &Ast,
) -> Made<Vec<InstanceSet>> {
    let name = net.transitions[transition].name.to_string();
    let mut list = Vec::new();
    let inside = sums(ast, &mut list);
    let own = |typer: &mut Typer<'_>| typer.truth(inside);
    let mut made = member(net, transition, piece, &list, &own)?;
    for set in &mut made {
        set.text = match set.text.is_empty() {
            true => name.clone(),
            false => format!("{name}<{}>", set.text),
        };
    }
    Ok(made)
}

/// The sets that are declared for several transitions.
pub(crate) fn of_net(net: &Net, ast: &Ast) -> Made<Vec<InstanceSet>> {
    let mut list = Vec::new();
    let inside = sums(ast, &mut list);
    let mut named: Vec<usize> = Vec::new();
    transitions(net, inside, &mut named)?;
    named.sort_unstable();
    named.dedup();
    let mut all: Vec<InstanceSet> = Vec::new();
    for transition in named {
        let own = |typer: &mut Typer<'_>| qualifier(net, typer, inside, transition);
        let made = member(net, transition, 0, &list, &own)?;
        if all.is_empty() {
            all = made;
            continue;
        }
        for (set, more) in all.iter_mut().zip(made) {
            set.room = set.room.max(more.room);
            set.members.extend(more.members);
        }
    }
    Ok(all)
}

/// One set for each choice of values, with the instances of one transition.
fn member(
    net: &Net,
    transition: usize,
    piece: usize,
    list: &[Sum<'_>],
    condition: &dyn Fn(&mut Typer<'_>) -> Made<Expr>,
) -> Made<Vec<InstanceSet>> {
    let known = &net.known;
    let mut typer = net.transitions[transition].scope.typer(known, piece);
    let mut counters: Vec<(TypeId, usize, Option<Expr>, &Name)> = Vec::new();
    for (ty, variable, when) in list {
        let ty = known.type_named(ty)?;
        let offset = typer.counter(variable, ty)?;
        let when = match when {
            Some(when) => Some(typer.truth(when)?),
            None => None,
        };
        // Variables have no values where sets are made.
        let own = net.transitions[transition].scope.size;
        let mut reads = false;
        if let Some(when) = &when {
            when.each(&mut |part| {
                if let Part::Expr(expr) = part {
                    reads |= match expr.op {
                        Op::Load(offset) => offset < own,
                        Op::Family { .. } => true,
                        _ => false,
                    };
                }
            });
        }
        if reads {
            let message = "the condition of a sum over fairness sets may not depend on variables";
            let help = "write it inside of the sum";
            return Err(Diagnostic::error(variable.span, message).help(help));
        }
        counters.push((ty, offset, when, variable));
    }
    let condition = condition(&mut typer)?;
    let room = typer.scope.size;
    let mut machine = Machine::new(&known.types, room);
    let mut made = Vec::new();
    let mut chosen: Vec<Vec<i64>> = Vec::new();
    // Depth first through the values of all counters.
    'next: loop {
        spend();
        let depth = chosen.len();
        let mut skip = false;
        if depth > 0 {
            let (ty, offset, when, _) = &counters[depth - 1];
            let place = *offset..offset + known.types.slots(*ty);
            machine.memory[place].copy_from_slice(&chosen[depth - 1]);
            if let Some(when) = when {
                let holds = machine.truth(when, &NoMarking);
                skip = !holds.map_err(|f| Diagnostic::error(f.span, f.kind.to_string()))?;
            }
        }
        if !skip && depth < counters.len() {
            chosen.push(known.types.first(counters[depth].0));
            continue;
        }
        if !skip {
            let settings = counters.iter().zip(&chosen);
            let settings = settings.map(|((_, offset, ..), value)| Setting {
                offset: *offset,
                value: value.clone().into(),
            });
            let shown = counters.iter().zip(&chosen).map(|((ty, .., name), value)| {
                format!("{}={}", name.text, known.types.show(*ty, value))
            });
            made.push(InstanceSet {
                text: shown.collect::<Vec<String>>().join(", "),
                members: vec![Member {
                    transition,
                    settings: settings.collect(),
                    condition: condition.clone(),
                }],
                room,
            });
            if made.len() > MOST_SETS {
                let span = list.first().map_or(condition.span, |(ty, ..)| ty.span);
                let message = format!("this makes more than {MOST_SETS} fairness sets");
                return Err(Diagnostic::error(span, message));
            }
        }
        while let Some(mut value) = chosen.pop() {
            let ty = counters[chosen.len()].0;
            if !known.types.next(ty, &mut value) {
                chosen.push(value);
                continue 'next;
            }
        }
        return Ok(made);
    }
}

/// The transition of a name.
fn transition_named<'n>(net: &'n Net, name: &Name) -> Made<&'n [usize]> {
    let found = net.transition_names.get(&name.text);
    found.map(Vec::as_slice).ok_or_else(|| {
        let known = net.transition_names.keys().map(|name| &**name);
        missing("transition", name, nearest(&name.text, known))
    })
}

/// The transitions that a formula names.
fn transitions(net: &Net, ast: &Ast, found: &mut Vec<usize>) -> Made<()> {
    match &ast.kind {
        Form::Instances(name, _) => {
            found.extend(transition_named(net, name)?);
            Ok(())
        }
        Form::Unary("!", inside) | Form::Atom(inside) => transitions(net, inside, found),
        Form::Quantified { how, inside, .. } if *how != Quantifier::Sum => {
            transitions(net, inside, found)
        }
        Form::And(list) | Form::Or(list) => {
            for part in list {
                transitions(net, part, found)?;
            }
            Ok(())
        }
        Form::Binary("=>" | "<=>" | "^^", a, b) => {
            transitions(net, a, found)?;
            transitions(net, b, found)
        }
        _ => {
            let message = "expected `trans`, the name of a transition, and a condition";
            Err(Diagnostic::error(ast.span, message))
        }
    }
}

/// Whether instances of one transition are members.
fn qualifier(net: &Net, typer: &mut Typer<'_>, ast: &Ast, transition: usize) -> Made<Expr> {
    let span = ast.span;
    let make = |op: Op| Expr::new(Types::TRUTH, op, span);
    let not = |expr: Expr| make(Op::Not(Box::new(expr)));
    Ok(match &ast.kind {
        Form::Instances(name, condition) => {
            let is_own = transition_named(net, name)?.contains(&transition);
            match condition {
                Some(condition) if is_own => typer.truth(condition)?,
                _ => truth(is_own, span),
            }
        }
        Form::Atom(inside) => qualifier(net, typer, inside, transition)?,
        Form::Unary("!", inside) => not(qualifier(net, typer, inside, transition)?),
        Form::And(list) | Form::Or(list) => {
            let mut parts = Vec::new();
            for part in list {
                parts.push(qualifier(net, typer, part, transition)?);
            }
            match ast.kind {
                Form::And(_) => make(Op::And(parts)),
                _ => make(Op::Or(parts)),
            }
        }
        Form::Binary(sign, a, b) => {
            let a = qualifier(net, typer, a, transition)?;
            let b = qualifier(net, typer, b, transition)?;
            match *sign {
                "=>" => make(Op::Or(vec![not(a), b])),
                "<=>" => make(Op::Same(Box::new(a), Box::new(b))),
                _ => not(make(Op::Same(Box::new(a), Box::new(b)))),
            }
        }
        Form::Quantified {
            how,
            ty,
            variable,
            condition,
            inside,
        } => {
            let all = *how == Quantifier::All;
            let inner = |typer: &mut Typer<'_>| qualifier(net, typer, inside, transition);
            typer.quantified(all, (ty, variable, condition.as_deref()), span, &inner)?
        }
        _ => {
            let message = "expected `trans`, the name of a transition, and a condition";
            return Err(Diagnostic::error(span, message));
        }
    })
}

/// The sets that the text of an assumption is about, which stands in no net:
/// `NAME`, `NAME<VALUES>`, `NAME: CONDITION`, or what could be declared outside of transitions.
pub(crate) fn of_text(net: &Net, text: &str, file: FileId) -> Made<Vec<InstanceSet>> {
    let trimmed = text.trim();
    let mut named: Vec<(&Arc<str>, &Vec<usize>)> = net
        .transition_names
        .iter()
        .filter(|(name, _)| trimmed.starts_with(&***name))
        .collect();
    named.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, list) in named {
        let rest = trimmed[name.len()..].trim();
        if rest.is_empty() {
            return Ok(list.iter().map(|&t| all_of(net, t)).collect());
        }
        let inside = rest.strip_prefix('<').and_then(|r| r.strip_suffix('>'));
        let condition = rest.strip_prefix(':');
        let Some(part) = inside.or(condition) else {
            continue;
        };
        // Blanks instead of what stands before, so that places in the text stay what they are.
        let behind = text.trim_end().len() - usize::from(inside.is_some());
        let alone = format!("{}{part}", " ".repeat(behind - part.len()));
        let tokens = tokens_of_text(&alone, file)?;
        let mut made = Vec::new();
        for &transition in list {
            match inside {
                Some(_) => {
                    let values = parser::values(&tokens)?;
                    made.push(one_binding(net, transition, &values, trimmed)?);
                }
                None => {
                    let condition = parser::formula(&tokens, false)?;
                    made.extend(of_transition(net, transition, 0, &condition)?);
                }
            }
        }
        return Ok(made);
    }
    let tokens = tokens_of_text(text, file)?;
    let ast = parser::formula(&tokens, false)?;
    if let Form::Name(name) | Form::Call(name, _) = &ast.kind {
        transition_named(net, name)?;
    }
    of_net(net, &ast)
}

/// The set of one instance, by the values of its variables: in their order, or with their names.
fn one_binding(net: &Net, transition: usize, values: &[Ast], text: &str) -> Made<InstanceSet> {
    let own = &net.transitions[transition];
    let mut typer = own.scope.typer(&net.known, 0);
    let mut parts = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let (cell, value) = match &value.kind {
            Form::UnionValue(name, value) => {
                let cell = own.cells.iter().find(|cell| cell.name == name.text);
                let known = own.cells.iter().map(|cell| &*cell.name);
                let hint = || nearest(&name.text, known);
                (
                    cell.ok_or_else(|| missing("variable", name, hint()))?,
                    &**value,
                )
            }
            _ => {
                let cell = own.cells.get(number).ok_or_else(|| {
                    let count = own.cells.len();
                    let message = format!("`{}` has {count} variables", own.name);
                    Diagnostic::error(value.span, message)
                })?;
                (cell, value)
            }
        };
        let wanted = typer.value(value, cell.ty)?;
        let found = Expr::new(cell.ty, Op::Load(cell.offset), value.span);
        let same = Comparison::Equal;
        let op = Op::Compare(same, Box::new(found), Box::new(wanted));
        parts.push(Expr::new(Types::TRUTH, op, value.span));
    }
    let span = values.first().map_or(Span::default(), |value| value.span);
    Ok(InstanceSet {
        text: text.to_string(),
        members: vec![Member {
            transition,
            settings: Vec::new(),
            condition: Expr::new(Types::TRUTH, Op::And(parts), span),
        }],
        room: typer.scope.size,
    })
}

/// Sets of single instances, one for each choice of values, if there are not too many.
pub(crate) fn single_instances(net: &Net, transition: usize, most: usize) -> Vec<InstanceSet> {
    let types = &net.known.types;
    let own = &net.transitions[transition];
    let mut count = 1u128;
    for cell in &own.cells {
        let values = types.get(cell.ty).count.unwrap_or(u128::MAX);
        count = count.saturating_mul(values);
    }
    if own.cells.is_empty() || count > most as u128 {
        return Vec::new();
    }
    let mut values: Vec<Vec<i64>> = own.cells.iter().map(|c| types.first(c.ty)).collect();
    let mut made = Vec::new();
    loop {
        spend();
        let mut parts = Vec::new();
        let mut shown = Vec::new();
        for (cell, value) in own.cells.iter().zip(&values) {
            let span = own.span;
            let wanted = super::typer::constant_of(types, cell.ty, value, span);
            let found = Expr::new(cell.ty, Op::Load(cell.offset), span);
            let same = Comparison::Equal;
            let op = Op::Compare(same, Box::new(found), Box::new(wanted));
            parts.push(Expr::new(Types::TRUTH, op, span));
            shown.push(format!("{}={}", cell.name, types.show(cell.ty, value)));
        }
        made.push(InstanceSet {
            text: format!("{}<{}>", own.name, shown.join(", ")),
            members: vec![Member {
                transition,
                settings: Vec::new(),
                condition: Expr::new(Types::TRUTH, Op::And(parts), own.span),
            }],
            room: own.scope.size,
        });
        let next = values.iter_mut().zip(&own.cells);
        let around = next
            .into_iter()
            .all(|(value, cell)| types.next(cell.ty, value));
        if around {
            return made;
        }
    }
}
