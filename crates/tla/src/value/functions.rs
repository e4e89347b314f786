//! Functions: domains, application, and functions that differ in one place.

use super::membership::place_of;
use super::{Listed, Value};
use crate::failure::Failure;
use crate::names::Symbol;

impl Value {
    /// `DOMAIN f`
    ///
    /// # Errors
    /// It is no function.
    pub fn domain(&self) -> Result<Value, Failure> {
        match self {
            Value::Tuple(values) => Ok(Value::Interval(1, values.len() as i32)),
            Value::Function(mapping) => Ok(Value::Set(mapping.keys().clone())),
            Value::Closure(_) => Err(self.inexplicit(self)),
            _ => Err(Failure::new(format!(
                "DOMAIN needs a function, and {} is {}",
                self.quoted(),
                self.kind()
            ))),
        }
    }

    /// `f[x]`
    ///
    /// # Errors
    /// It is no function, or it is not defined there.
    #[inline]
    pub fn apply(&self, argument: &Value) -> Result<Value, Failure> {
        match self.place(argument)? {
            Some(value) => Ok(value.clone()),
            None => Err(self.outside(argument)),
        }
    }

    /// `f[x]` where that is defined without ado.
    #[inline]
    pub fn apply_ref(&self, argument: &Value) -> Option<&Value> {
        self.place(argument).ok().flatten()
    }

    /// `r.a`
    ///
    /// # Errors
    /// It is no record, or has no such field.
    #[inline]
    pub fn field(&self, name: Symbol) -> Result<Value, Failure> {
        match self.field_ref(name) {
            Some(value) => Ok(value.clone()),
            None => Err(self.fieldless(name)),
        }
    }

    /// `r.a` where that is defined.
    #[inline]
    pub fn field_ref(&self, name: Symbol) -> Option<&Value> {
        let Value::Function(mapping) = self else {
            return None;
        };
        // Records are small: one field after the other.
        let is_it = |key: &Value| matches!(key, Value::Text(key) if *key == name);
        let place = match mapping.keys().len() {
            0..=16 => mapping.keys().iter().position(is_it),
            _ => place_of(mapping.keys(), &Value::Text(name)).ok().flatten(),
        };
        place.map(|place| &mapping.values()[place])
    }

    /// `[f EXCEPT ![x] = e]`; none if the function is not defined there, which changes nothing.
    ///
    /// # Errors
    /// It is no function, or the argument is of another kind than those of its domain.
    pub fn updated(&self, argument: &Value, value: &Value) -> Result<Option<Value>, Failure> {
        match self {
            Value::Tuple(values) => {
                let Some(changed) = self.tuple_place(values, argument)? else {
                    return Ok(None);
                };
                let node = Listed::of(values.len(), |place| match place == changed {
                    true => value,
                    false => &values[place],
                });
                Value::Tuple(node).within_limits().map(Some)
            }
            Value::Function(mapping) => {
                let Some(changed) = place_of(mapping.keys(), argument)? else {
                    return Ok(None);
                };
                let values = mapping.values();
                let node = mapping.with_values(|place| match place == changed {
                    true => value,
                    false => &values[place],
                });
                Value::Function(node).within_limits().map(Some)
            }
            Value::Closure(_) => Err(self.inexplicit(self)),
            _ => Err(Failure::new(format!(
                "EXCEPT needs a function, and {} is {}",
                self.quoted(),
                self.kind()
            ))),
        }
    }

    /// The values of a function with the keys that they belong to.
    pub fn pairs(&self) -> Option<Vec<(Value, Value)>> {
        match self {
            Value::Tuple(values) => {
                let keys = (1..).map(Value::Number);
                Some(keys.zip(values.iter().cloned()).collect())
            }
            Value::Function(mapping) => {
                let keys = mapping.keys().iter().cloned();
                Some(keys.zip(mapping.values().iter().cloned()).collect())
            }
            _ => None,
        }
    }

    /// The values of a function, in the order of the arguments.
    pub fn range_values(&self) -> Option<&[Value]> {
        match self {
            Value::Tuple(values) => Some(values),
            Value::Function(mapping) => Some(mapping.values()),
            _ => None,
        }
    }

    #[inline]
    fn place(&self, argument: &Value) -> Result<Option<&Value>, Failure> {
        match self {
            Value::Tuple(values) => Ok(self
                .tuple_place(values, argument)?
                .map(|place| &values[place])),
            Value::Function(mapping) => {
                Ok(place_of(mapping.keys(), argument)?.map(|place| &mapping.values()[place]))
            }
            Value::Closure(_) => Err(self.inexplicit(self)),
            _ => Err(Failure::new(format!(
                "{} is {}, no function, and cannot be applied to {}",
                self.quoted(),
                self.kind(),
                argument.quoted()
            ))),
        }
    }

    #[inline]
    fn tuple_place(&self, values: &[Value], argument: &Value) -> Result<Option<usize>, Failure> {
        match argument {
            Value::Number(number) => Ok(usize::try_from(i64::from(*number) - 1)
                .ok()
                .filter(|place| *place < values.len())),
            Value::Model(_, None) => Ok(None),
            _ => Err(Failure::new(format!(
                "the tuple {} has no place {}: that is {}",
                self.quoted(),
                argument.quoted(),
                argument.kind()
            ))),
        }
    }

    #[cold]
    fn outside(&self, argument: &Value) -> Failure {
        let domain = self.domain().map_or(String::new(), |set| set.quoted());
        Failure::new(format!(
            "the function {} is applied to {}, which is not in its domain {domain}",
            self.quoted(),
            argument.quoted(),
        ))
    }

    #[cold]
    fn fieldless(&self, name: Symbol) -> Failure {
        let (own, kind) = (self.quoted(), self.kind());
        let name = crate::failure::Marked(name);
        match self.is_function() {
            true => Failure::new(format!("{own} has no field \"{name}\"")),
            false => Failure::new(format!(
                "{own} is {kind}, no record: it has no field \"{name}\""
            )),
        }
    }
}
