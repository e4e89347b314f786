//! Functions and sets that are given by code.
//!
//! A function with an endless domain, a recursive one, or a filter of an endless set cannot be listed. It takes the slots
//! along that its code needs, with their values; when it is applied, these are put into frames like those
//! it came from.

use std::sync::Arc;

use super::{Cell, Machine};
use crate::code::Body;
use crate::failure::Failure;
use crate::value::{Closure, ClosureKind, LazySet, Value};

impl<'c> Machine<'c> {
    /// The values that the inside of a function needs. What has no value is not taken along.
    pub(super) fn captured(&mut self, inside: &'c Body, base: usize) -> Box<[Value]> {
        let mut captured = Vec::with_capacity(inside.needs.len());
        for &(distance, slot) in &inside.needs {
            let frame = self.outwards(base, distance);
            // A number stands for what is missing: the slot stays empty.
            captured.push(self.slot(frame, slot).unwrap_or(MISSING));
        }
        captured.into()
    }

    /// Frames for the inside of a closure; the innermost one.
    fn unpack(&mut self, closure: &Arc<Closure>) -> (&'c Body, usize) {
        let program = self.program;
        let inside = &program.bodies[closure.code as usize];
        let mut frames = Vec::with_capacity(inside.frames.len());
        let mut link = 0;
        for &size in inside.frames.iter().rev() {
            link = self.push(size, link);
            frames.push(link);
        }
        frames.reverse();
        for (&(distance, slot), value) in inside.needs.iter().zip(&closure.captured) {
            if !is_missing(value) {
                let place = frames[distance as usize] + slot as usize;
                self.stack[place] = Cell::Value(value.clone());
            }
        }
        if let Some(own) = inside.own {
            // A recursive function finds itself as it was defined, without later changes.
            let itself = match closure.changes.is_empty() {
                true => closure.clone(),
                false => Arc::new(Closure {
                    kind: closure.kind,
                    domain: closure.domain.clone(),
                    code: closure.code,
                    captured: closure.captured.clone(),
                    changes: Box::default(),
                }),
            };
            self.stack[link + own as usize] = Cell::Value(Value::Closure(itself));
        }
        (inside, link)
    }

    /// A function that is given by code, at an argument.
    pub(super) fn apply_closure(
        &mut self,
        closure: &Arc<Closure>,
        argument: &Value,
    ) -> Result<Value, Failure> {
        self.check_depth()?;
        if closure.kind != ClosureKind::Function {
            return Err(Failure::new("a set is applied like a function"));
        }
        let program = self.program;
        let inside = &program.bodies[closure.code as usize];
        let rows = Self::rows_of(inside, closure, argument);
        if let Some(rows) = rows
            && let Some(value) = self.applied(closure, rows, argument)
        {
            return Ok(value.clone());
        }
        if !self.contains(&closure.domain, argument)? {
            return Err(Failure::new(format!(
                "the function is applied to {}, which is not in its domain",
                argument.quoted()
            )));
        }
        for (other, value) in &closure.changes {
            if other.equal(argument)? {
                return Ok(value.clone());
            }
        }
        let floor = self.stack.len();
        let (inside, base) = self.unpack(closure);
        self.cover(inside.code.span, true);
        let value = self
            .put(inside, base, argument)
            .and_then(|()| self.eval(&inside.code, base));
        self.stack.truncate(floor);
        if let (Some(rows), Ok(value)) = (rows, &value) {
            self.keep_applied(closure, rows, argument, value);
        }
        value
    }

    /// The same function with another value at an argument.
    pub(super) fn changed_closure(
        &mut self,
        closure: &Arc<Closure>,
        key: Value,
        value: Value,
    ) -> Result<Value, Failure> {
        let mut changes = Vec::with_capacity(closure.changes.len() + 1);
        for (other, known) in &closure.changes {
            if !other.equal(&key)? {
                changes.push((other.clone(), known.clone()));
            }
        }
        changes.push((key, value));
        let changed = Closure {
            kind: closure.kind,
            domain: closure.domain.clone(),
            code: closure.code,
            captured: closure.captured.clone(),
            changes: changes.into(),
        };
        Ok(Value::Closure(changed.into()))
    }

    /// Puts an argument, or several as a tuple, where the inside expects it.
    fn put(&mut self, inside: &'c Body, base: usize, argument: &Value) -> Result<(), Failure> {
        if let [target] = &*inside.targets {
            return self.bind(base, target, argument.clone());
        }
        let parts = argument.as_tuple().unwrap_or_default();
        for (target, part) in inside.targets.iter().zip(parts) {
            self.bind(base, target, part.clone())?;
        }
        Ok(())
    }

    /// Whether a set has an element.
    pub(super) fn contains(&mut self, set: &Value, value: &Value) -> Result<bool, Failure> {
        let closure = match set {
            Value::Closure(closure) => closure,
            Value::Lazy(rule) if has_code(set) => return self.rule_contains(rule, set, value),
            _ => return set.contains(value),
        };
        if closure.kind != ClosureKind::Filter {
            return Err(Failure::new("a function stands where a set is needed"));
        }
        if !self.contains(&closure.domain, value)? {
            return Ok(false);
        }
        let floor = self.stack.len();
        let (inside, base) = self.unpack(closure);
        let bound = self.put(inside, base, value);
        let held = bound.and_then(|()| self.truth(&inside.code, base));
        self.stack.truncate(floor);
        held
    }

    /// Whether a set that is given by a rule over sets that are given by code has an element.
    #[inline(never)]
    fn rule_contains(
        &mut self,
        rule: &LazySet,
        set: &Value,
        value: &Value,
    ) -> Result<bool, Failure> {
        self.check_depth()?;
        match (rule, value) {
            (LazySet::Functions(domain, range), Value::Tuple(values)) => {
                let own = Value::Interval(1, i32::try_from(values.len()).unwrap_or(i32::MAX));
                Ok(own.equal(domain)? && self.all_in(range, values)?)
            }
            (LazySet::Functions(domain, range), Value::Function(mapping)) => {
                let own = Value::Set(mapping.keys().clone());
                Ok(own.equal(domain)? && self.all_in(range, mapping.values())?)
            }
            (LazySet::Records(fields), Value::Function(mapping)) => {
                if mapping.keys().len() != fields.len() {
                    return Ok(false);
                }
                for (name, set) in fields {
                    let inside = match value.apply_ref(&Value::Text(*name)) {
                        Some(value) => self.contains(set, value)?,
                        None => false,
                    };
                    if !inside {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (LazySet::Product(sets), Value::Tuple(values)) => {
                if values.len() != sets.len() {
                    return Ok(false);
                }
                for (set, value) in sets.iter().zip(values.iter()) {
                    if !self.contains(set, value)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (LazySet::Sequences(set), Value::Tuple(values)) => self.all_in(set, values),
            (LazySet::Subsets(set), Value::Set(_) | Value::Interval(..)) => {
                let mut elements = value.elements()?;
                while let Some(element) = elements.next()? {
                    if !self.contains(set, &element)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (LazySet::Union(a, b), _) => Ok(self.contains(a, value)? || self.contains(b, value)?),
            (LazySet::Intersection(a, b), _) => {
                Ok(self.contains(a, value)? && self.contains(b, value)?)
            }
            (LazySet::Difference(a, b), _) => {
                Ok(self.contains(a, value)? && !self.contains(b, value)?)
            }
            _ => set.contains(value),
        }
    }

    fn all_in(&mut self, set: &Value, values: &[Value]) -> Result<bool, Failure> {
        for value in values {
            if !self.contains(set, value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The elements of a set that another one has, or has not.
    pub(super) fn kept(
        &mut self,
        set: &Value,
        other: &Value,
        wanted: bool,
    ) -> Result<Value, Failure> {
        let mut kept = Vec::new();
        let mut elements = set.elements()?;
        while let Some(value) = elements.next()? {
            if self.contains(other, &value)? == wanted {
                kept.push(value);
            }
        }
        Ok(Value::sorted(kept))
    }

    /// A set that is not given by code.
    #[inline]
    pub(super) fn set_of(&mut self, value: Value) -> Result<Value, Failure> {
        self.settled(value)
    }

    /// The value with functions and sets that are given by code listed.
    #[inline]
    pub(super) fn settled(&mut self, value: Value) -> Result<Value, Failure> {
        match &value {
            Value::Closure(closure) => self.settle(closure),
            _ => Ok(value),
        }
    }

    #[inline(never)]
    fn settle(&mut self, closure: &Arc<Closure>) -> Result<Value, Failure> {
        // Where nothing can be listed it stays what it is.
        if !closure.domain.is_finite()? {
            return Ok(Value::Closure(closure.clone()));
        }
        if closure.kind == ClosureKind::Filter {
            let own = Value::Closure(closure.clone());
            return self.kept(&closure.domain, &own, true);
        }
        let keys = closure.domain.listing()?;
        let Some(keys) = keys.as_listed() else {
            return Err(Failure::new("the domain of a function is no set"));
        };
        let mut values = Vec::with_capacity(keys.len());
        for key in keys.iter() {
            let value = self.apply_closure(closure, key)?;
            values.push(self.settled(value)?);
        }
        Value::mapping(keys.clone(), values).within_limits()
    }
}

/// Whether a set is given by code, or by a rule over such sets.
pub(super) fn has_code(set: &Value) -> bool {
    match set {
        Value::Closure(_) => true,
        Value::Lazy(rule) => match &**rule {
            LazySet::Sequences(set) | LazySet::Subsets(set) => has_code(set),
            LazySet::Functions(_, range) => has_code(range),
            LazySet::Records(fields) => fields.iter().any(|(_, set)| has_code(set)),
            LazySet::Product(sets) => sets.iter().any(has_code),
            LazySet::Union(a, b) | LazySet::Intersection(a, b) => has_code(a) || has_code(b),
            LazySet::Difference(a, b) => has_code(a) || has_code(b),
            _ => false,
        },
        _ => false,
    }
}

/// Stands for a value that is missing: no set has its last number before its first in this way.
const MISSING: Value = Value::Interval(i32::MAX, i32::MIN);

fn is_missing(value: &Value) -> bool {
    matches!(value, Value::Interval(i32::MAX, i32::MIN))
}
