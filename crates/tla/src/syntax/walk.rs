//! Walking through trees, in the order in which SANY analyses them: sets before the names that they bind are used.

use super::ast::{Bound, Bounds, Expr, ExprKind, Module, Place, Unit};

/// Visits the expressions directly below one.
pub fn below<'e>(expr: &'e Expr, each: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Number(_)
        | ExprKind::Decimal(_)
        | ExprKind::Text(_)
        | ExprKind::Truth(_)
        | ExprKind::Boolean
        | ExprKind::Strings
        | ExprKind::At => {}
        ExprKind::Apply(path) => {
            for segment in path.prefix.iter().chain([&path.last]) {
                segment.args.iter().for_each(&mut *each);
            }
        }
        ExprKind::And(all)
        | ExprKind::Or(all)
        | ExprKind::SetOf(all)
        | ExprKind::Tuple(all)
        | ExprKind::Product(all) => all.iter().for_each(each),
        ExprKind::Quantified(_, bounds, body) => {
            if let Bounds::In(bounds) = bounds {
                sets(bounds, each);
            }
            each(body);
        }
        ExprKind::Choose(_, set, body) => {
            set.iter().for_each(|set| each(set));
            each(body);
        }
        ExprKind::Filter(_, set, body) => {
            each(set);
            each(body);
        }
        ExprKind::Image(body, bounds) | ExprKind::Function(bounds, body) => {
            sets(bounds, each);
            each(body);
        }
        ExprKind::Functions(left, right)
        | ExprKind::Square(left, right)
        | ExprKind::Angle(left, right) => {
            each(left);
            each(right);
        }
        ExprKind::At1(function, args) => {
            each(function);
            args.iter().for_each(each);
        }
        ExprKind::Except(function, updates) => {
            each(function);
            for update in updates {
                for place in &update.place {
                    if let Place::At(args) = place {
                        args.iter().for_each(&mut *each);
                    }
                }
                each(&update.value);
            }
        }
        ExprKind::Record(fields) | ExprKind::Records(fields) => {
            fields.iter().for_each(|(_, value)| each(value));
        }
        ExprKind::Field(record, _) => each(record),
        ExprKind::If(condition, yes, no) => {
            each(condition);
            each(yes);
            each(no);
        }
        ExprKind::Case(arms, other) => {
            for (guard, value) in arms {
                each(guard);
                each(value);
            }
            other.iter().for_each(|other| each(other));
        }
        ExprKind::Let(units, body) => {
            units.iter().for_each(|unit| inside(unit, each));
            each(body);
        }
        ExprKind::Fair {
            subscript, action, ..
        } => {
            each(subscript);
            each(action);
        }
        ExprKind::Lambda(_, body) | ExprKind::Label(_, _, body) => each(body),
    }
}

fn sets<'e>(bounds: &'e [Bound], each: &mut dyn FnMut(&'e Expr)) {
    bounds.iter().for_each(|bound| each(&bound.set));
}

/// Visits the outermost expressions of a unit, those of modules inside of it too.
pub fn inside<'e>(unit: &'e Unit, each: &mut dyn FnMut(&'e Expr)) {
    match unit {
        Unit::Variables(_) | Unit::Constants(_) | Unit::Recursive(_) => {}
        Unit::Operator(definition) => each(&definition.body),
        Unit::Function(definition) => {
            sets(&definition.bounds, each);
            each(&definition.body);
        }
        Unit::Instance(instance) => instance.substitutions.iter().for_each(|(_, by)| each(by)),
        Unit::Assume { body, .. } => each(body),
        Unit::Theorem { body, .. } => body.iter().for_each(each),
        Unit::Module(module) => module.units.iter().for_each(|unit| inside(unit, each)),
    }
}

/// Visits an expression and everything below it, what contains something first.
pub fn all<'e>(expr: &'e Expr, each: &mut dyn FnMut(&'e Expr)) {
    each(expr);
    below(expr, &mut |expr| all(expr, each));
}

/// Visits all expressions of a module.
pub fn module<'e>(module: &'e Module, each: &mut dyn FnMut(&'e Expr)) {
    for unit in &module.units {
        inside(unit, &mut |expr| all(expr, each));
    }
}
