//! Functions and filters as expressions make them, and functions that differ in some places.

use super::Machine;
use super::eval::Evaluated;
use crate::code::{Change, Code, Target};
use crate::failure::Failure;
use crate::value::{Closure, ClosureKind, Value};

impl<'c> Machine<'c> {
    /// What a filter leaves of a set, as code.
    fn unlisted(&mut self, set: Value, body: u32, base: usize) -> Value {
        let program = self.program;
        let captured = self.captured(&program.bodies[body as usize], base);
        let closure = Closure {
            kind: ClosureKind::Filter,
            domain: set,
            code: body,
            captured,
            changes: Box::default(),
        };
        Value::Closure(closure.into())
    }

    pub(super) fn except(
        &mut self,
        function: &'c Code,
        changes: &'c [Change],
        base: usize,
    ) -> Evaluated {
        let value = self.eval(function, base)?;
        let mut value = self.settled(value)?;
        for change in changes {
            if change.place.is_empty() {
                value = self.replaced(value, change, base)?;
            } else if let Some(changed) = self.changed(&value, &change.place, change, base)? {
                value = changed;
            }
        }
        Ok(value)
    }

    /// The function with one change; none where it changes nothing.
    fn changed(
        &mut self,
        function: &Value,
        place: &'c [Code],
        change: &'c Change,
        base: usize,
    ) -> Result<Option<Value>, Failure> {
        let Some((first, rest)) = place.split_first() else {
            return Ok(None);
        };
        let key = self.eval(first, base)?;
        let key = self.settled(key)?;
        if let Value::Closure(closure) = function {
            if !self.contains(&closure.domain, &key)? {
                return Ok(None);
            }
            let old = self.apply_closure(closure, &key)?;
            let Some(new) = self.changed_inside(old, rest, change, base)? else {
                return Ok(None);
            };
            return Ok(Some(self.changed_closure(closure, key, new)?));
        }
        let old = match function.apply_ref(&key) {
            Some(old) => old.clone(),
            None => {
                // What is no function is an error; outside of the domain nothing changes.
                let domain = function
                    .domain()
                    .map_err(|failure| failure.at(first.span))?;
                return match domain.contains(&key)? {
                    true => Err(Failure::new("a value of the function is missing").at(first.span)),
                    false => Ok(None),
                };
            }
        };
        let Some(new) = self.changed_inside(old, rest, change, base)? else {
            return Ok(None);
        };
        function.updated(&key, &new)
    }

    /// What takes the place of a value of the function; none where nothing changes.
    fn changed_inside(
        &mut self,
        old: Value,
        place: &'c [Code],
        change: &'c Change,
        base: usize,
    ) -> Result<Option<Value>, Failure> {
        match place.is_empty() {
            true => self.replaced(old, change, base).map(Some),
            false => self.changed(&old, place, change, base),
        }
    }

    /// The new value at the end of the way, where `@` is the old one.
    fn replaced(&mut self, old: Value, change: &'c Change, base: usize) -> Evaluated {
        self.set(base, change.at, old);
        self.cover(change.value.span, true);
        let value = self.eval(&change.value, base)?;
        self.settled(value)
    }

    /// A function: its values are listed, unless its domain cannot be or it is not to be.
    pub(super) fn function(
        &mut self,
        sets: &'c [Code],
        body: u32,
        base: usize,
        lazily: bool,
    ) -> Evaluated {
        let program = self.program;
        let inside = &program.bodies[body as usize];
        let mut domains = Vec::with_capacity(sets.len());
        for set in sets {
            let set = self.eval(set, base)?;
            domains.push(self.set_of(set)?);
        }
        let mut finite = true;
        for domain in &domains {
            finite &= domain.is_finite()?;
        }
        if lazily || !finite || inside.own.is_some() {
            let domain = match domains.len() {
                1 => domains.swap_remove(0),
                _ => Value::product(domains)?,
            };
            let captured = self.captured(inside, base);
            return Ok(Value::Closure(
                Closure {
                    kind: ClosureKind::Function,
                    domain,
                    code: body,
                    captured,
                    changes: Box::default(),
                }
                .into(),
            ));
        }
        if let [domain] = domains.as_slice() {
            let keys = domain.listing()?;
            let Some(keys) = keys.as_listed() else {
                return Err(Failure::new("the domain of a function is no set"));
            };
            let from = self.gather(|this| {
                for key in keys.iter() {
                    this.bind(base, &inside.targets[0], key.clone())?;
                    this.cover(inside.code.span, true);
                    this.add_part(&inside.code, base)?;
                }
                Ok(())
            })?;
            return Value::mapping_of(keys.clone(), &mut self.gathered, from).within_limits();
        }
        let domain = Value::product(domains)?;
        let keys = domain.listing()?;
        let Some(keys) = keys.as_listed() else {
            return Err(Failure::new("the domain of a function is no set"));
        };
        let from = self.gather(|this| {
            for key in keys.iter() {
                let parts = key.as_tuple().unwrap_or_default();
                for (target, part) in inside.targets.iter().zip(parts) {
                    this.bind(base, target, part.clone())?;
                }
                this.cover(inside.code.span, true);
                this.add_part(&inside.code, base)?;
            }
            Ok(())
        })?;
        Ok(Value::mapping_of(keys.clone(), &mut self.gathered, from))
    }

    pub(super) fn filter(&mut self, set: &'c Code, body: u32, base: usize) -> Evaluated {
        let program = self.program;
        let inside = &program.bodies[body as usize];
        let set = self.eval(set, base)?;
        let set = self.set_of(set)?;
        if !set.is_finite()? {
            return Ok(self.unlisted(set, body, base));
        }
        let mut elements = set.elements()?;
        let target = &inside.targets[0];
        let from = self.gather(|this| {
            while let Some(value) = elements.next()? {
                // What is put into one slot can be taken back from there.
                if let Target::One(slot) = target {
                    this.set(base, *slot, value);
                    if this.condition(&inside.code, base)?
                        && let Some(value) = this.taken(base, *slot)
                    {
                        this.add(value)?;
                    }
                    continue;
                }
                this.bind(base, target, value.clone())?;
                if this.condition(&inside.code, base)? {
                    this.add(value)?;
                }
            }
            Ok(())
        })?;
        // Elements come in order; where all of them do, the set is what it was.
        if let Value::Set(all) = &set
            && all.len() == self.gathered.len() - from
        {
            self.gathered.truncate(from);
            return Ok(set);
        }
        Ok(Value::sorted_of(&mut self.gathered, from))
    }
}
