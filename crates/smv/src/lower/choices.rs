//! Choices between values: `case`, `? :`, elements of arrays, sets.
//!
//! A value is an expression, a set, or an array of values; a choice between two of the same shape
//! is made part by part. Where a set is involved, both become sets.

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::{ExprId, Undefined};

use super::expressions::{Typed, Value};
use super::sets::SetId;
use super::{InstanceId, Lowering, Result, build};
use crate::ast::Expr;
use crate::types::Type;

impl<'m> Lowering<'m> {
    pub(super) fn array(
        &mut self,
        list: &'m [Expr],
        context: InstanceId,
        span: Span,
    ) -> Result<Typed> {
        let mut values = Vec::new();
        let mut typ: Option<Type> = None;
        let mut has_next = false;
        for element in list {
            let element = self.expression(element, context)?;
            has_next |= element.has_next;
            typ = match typ {
                None => Some(element.typ.clone()),
                Some(known) => match known.common(&element.typ) {
                    Some(common) => Some(common),
                    None => {
                        let message = format!(
                            "the elements of this array have types {known} and {}",
                            element.typ
                        );
                        return self.error(span, message);
                    }
                },
            };
            values.push(element.value);
        }
        let Some(typ) = typ else {
            return self.error(span, "an array cannot be empty");
        };
        Ok(Typed {
            typ: Type::Array(0, values.len() as i64 - 1, Box::new(typ)),
            value: Value::Array(values.into()),
            has_next,
        })
    }

    /// An element of an array at a constant or variable index.
    pub(super) fn element(&mut self, base: Typed, index: Typed, span: Span) -> Result<Typed> {
        let (Type::Array(low, high, typ), Value::Array(list)) = (&base.typ, &base.value) else {
            return self.report(
                Diagnostic::error(
                    span,
                    format!("a value of type {} has no elements", base.typ),
                )
                .help("for one bit of a word write `w[3:3]`"),
            );
        };
        let at = match (&index.typ, index.scalar()) {
            (Type::Integer | Type::Boolean | Type::Word(_), Some(at)) => at,
            _ => {
                let message = format!("a value of type {} cannot be an index", index.typ);
                return self.error(span, message);
            }
        };
        let has_next = base.has_next || index.has_next;
        let pool = &mut self.relation.expressions;
        if let Some(number) = build::constant(pool, at) {
            let place = usize::try_from(number.saturating_sub(*low)).ok();
            let Some(value) = place.and_then(|place| list.get(place)) else {
                let message = format!("index {number} is outside of {low}..{high}");
                return self.error(span, message);
            };
            return Ok(Typed {
                typ: (**typ).clone(),
                value: value.clone(),
                has_next,
            });
        }
        let Some(shape) = list.first() else {
            return self.error(span, "an array cannot be empty");
        };
        let mut result = self.undefined_like(&shape.clone(), Undefined::Index);
        for (place, value) in list.iter().enumerate().rev() {
            let pool = &mut self.relation.expressions;
            let number = pool.constant(low.saturating_add_unsigned(place as u64));
            let test = build::equal(pool, at, number);
            result = self.pick(test, value, &result);
        }
        Ok(Typed {
            typ: (**typ).clone(),
            value: result,
            has_next,
        })
    }

    fn undefined_like(&mut self, shape: &Value, reason: Undefined) -> Value {
        match shape {
            Value::Scalar(_) => {
                Value::Scalar(build::undefined(&mut self.relation.expressions, reason))
            }
            Value::Set(_) => Value::Set(self.sets.undefined(reason)),
            Value::Wide(row) => {
                let none = build::undefined(&mut self.relation.expressions, reason);
                Value::Wide(vec![none; row.len()].into())
            }
            Value::Array(list) => {
                let list: Vec<Value> = list
                    .iter()
                    .map(|value| self.undefined_like(value, reason))
                    .collect();
                Value::Array(list.into())
            }
        }
    }

    /// One of two values of the same shape.
    fn pick(&mut self, test: ExprId, yes: &Value, no: &Value) -> Value {
        let pool = &mut self.relation.expressions;
        match (yes, no) {
            (Value::Scalar(a), Value::Scalar(b)) => {
                Value::Scalar(build::conditional(pool, test, *a, *b))
            }
            (Value::Wide(a), Value::Wide(b)) => Value::Wide(self.limbs().choose(test, a, b).into()),
            (Value::Array(a), Value::Array(b)) => {
                let list: Vec<Value> = a
                    .iter()
                    .zip(b.iter())
                    .map(|(a, b)| self.pick(test, a, b))
                    .collect();
                Value::Array(list.into())
            }
            (a, b) => match (build::constant(pool, test), self.set_of(a), self.set_of(b)) {
                (Some(0), _, Some(b)) => Value::Set(b),
                (Some(_), Some(a), _) => Value::Set(a),
                (_, Some(a), Some(b)) => Value::Set(self.sets.choose(test, a, b)),
                _ => a.clone(),
            },
        }
    }

    /// A value as a set.
    pub(super) fn set_of(&mut self, value: &Value) -> Option<SetId> {
        match value {
            Value::Scalar(expr) => Some(self.sets.one(*expr)),
            Value::Set(set) => Some(*set),
            Value::Array(_) | Value::Wide(_) => None,
        }
    }

    /// A value as a set of a type. Among names and numbers truth values are names of their own:
    /// `TRUE` is not 1.
    pub(super) fn set_for(&mut self, typed: &Typed, typ: Option<&Type>) -> Option<SetId> {
        let set = self.set_of(&typed.value)?;
        let truth = matches!(typed.typ, Type::Boolean | Type::BooleanSet);
        if !truth || typ != Some(&Type::MixedSet) {
            return Some(set);
        }
        let (yes, no) = (
            self.constant(&"TRUE".into()),
            self.constant(&"FALSE".into()),
        );
        let pool = &mut self.relation.expressions;
        let (yes, no) = (pool.constant(yes), pool.constant(no));
        let mut name = |expr: ExprId| build::conditional(pool, expr, yes, no);
        Some(self.sets.map(set, &mut name, &mut |test| test))
    }

    pub(super) fn case(&mut self, branches: Vec<(Typed, Typed)>, span: Span) -> Result<Typed> {
        let mut result: Option<Typed> = None;
        for (test, value) in branches.into_iter().rev() {
            let rest = match result {
                Some(rest) => rest,
                None => Typed {
                    typ: value.typ.clone(),
                    value: self.undefined_like(&value.value.clone(), Undefined::NoCase),
                    has_next: false,
                },
            };
            result = Some(self.choose(test, value, rest, span)?);
        }
        result.map_or_else(|| self.error(span, "a `case` needs a branch"), Ok)
    }

    pub(super) fn choose(
        &mut self,
        test: Typed,
        yes: Typed,
        no: Typed,
        span: Span,
    ) -> Result<Typed> {
        let set = yes.typ.is_set() || no.typ.is_set();
        let as_set = |typ: &Type| match set {
            true => typ.to_set(),
            false => Some(typ.clone()),
        };
        let common = as_set(&yes.typ)
            .zip(as_set(&no.typ))
            .and_then(|(a, b)| a.common(&b));
        let (Some(typ), Some(condition)) = (common, test.scalar()) else {
            let (a, b) = (&yes.typ, &no.typ);
            let message = format!("the branches have types {a} and {b}, which do not mix");
            return self.error(span, message);
        };
        let has_next = test.has_next || yes.has_next || no.has_next;
        let value = match typ {
            Type::MixedSet => {
                let sets = self
                    .set_for(&yes, Some(&typ))
                    .zip(self.set_for(&no, Some(&typ)));
                let Some((yes, no)) = sets else {
                    return self.error(span, "arrays cannot be elements of a set");
                };
                self.pick(condition, &Value::Set(yes), &Value::Set(no))
            }
            _ => self.pick(condition, &yes.value, &no.value),
        };
        Ok(Typed {
            typ,
            value,
            has_next,
        })
    }

    pub(super) fn union(&mut self, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let typ = a.typ.to_set().zip(b.typ.to_set());
        let typ = typ.and_then(|(x, y)| x.common(&y));
        let sets = self
            .set_for(&a, typ.as_ref())
            .zip(self.set_for(&b, typ.as_ref()));
        let (Some(typ), Some((x, y))) = (typ, sets) else {
            return self.mismatch("union", &a, &b, span);
        };
        Ok(Typed {
            typ,
            value: Value::Set(self.sets.union(x, y)),
            has_next: a.has_next || b.has_next,
        })
    }
}
