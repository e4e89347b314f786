//! The value of each kind of expression.

use super::closure::has_code;
use super::{Cell, Machine};
use crate::code::{Bind, Change, Code, Op, SetOperator, Thunk};
use crate::failure::Failure;
use crate::names::Symbol;
use crate::value::{Closure, ClosureKind, Elements, Value};

type Evaluated = Result<Value, Failure>;

impl<'c> Machine<'c> {
    /// The value of an expression in a frame.
    pub(super) fn eval(&mut self, code: &'c Code, base: usize) -> Evaluated {
        match &code.op {
            Op::Constant(value) => Ok(value.clone()),
            Op::Slot(0, slot) => self.slot(base, *slot),
            Op::Slot(distance, slot) => {
                let base = self.outwards(base, *distance);
                self.slot(base, *slot)
            }
            Op::Variable(row, variable) => match self.variable(*row, *variable) {
                Ok(value) => Ok(value),
                Err(failure) => Err(failure.at(code.span)),
            },
            Op::Global(number) => self.global(*number),
            _ => {
                self.check_depth()?;
                let value = self.eval_inner(code, base);
                match value {
                    Ok(value) => Ok(value),
                    Err(failure) => Err(Self::placed(failure, code.span)),
                }
            }
        }
    }

    fn eval_inner(&mut self, code: &'c Code, base: usize) -> Evaluated {
        match &code.op {
            Op::And(_) | Op::Or(_) | Op::Not(_) => Ok(Value::Truth(self.truth(code, base)?)),
            Op::Equal(a, b) => Ok(Value::Truth(self.equal(a, b, base)?)),
            Op::Different(a, b) => Ok(Value::Truth(!self.equal(a, b, base)?)),
            Op::In(a, b) => Ok(Value::Truth(self.member(a, b, base)?)),
            Op::NotIn(a, b) => Ok(Value::Truth(!self.member(a, b, base)?)),
            Op::Arithmetic(what, a, b) => {
                let a = self.eval(a, base)?;
                let b = self.eval(b, base)?;
                super::arithmetic::arithmetic(*what, &a, &b)
            }
            Op::Apply(function, args) => match self.navigate(code, base)? {
                Some(value) => Ok(value),
                None => self.application(function, args, base),
            },
            Op::Field(record, name) => match self.navigate(code, base)? {
                Some(value) => Ok(value),
                None => self.field(record, *name, base),
            },
            Op::If(condition, yes, no) => match self.truth(condition, base)? {
                true => self.eval(yes, base),
                false => self.eval(no, base),
            },
            Op::Let(thunks, body) => {
                self.thunks(thunks, base);
                self.eval(body, base)
            }
            Op::Call(number, distance, args) => self.call(*number, *distance, args, base),
            Op::Implies(a, b) => Ok(Value::Truth(!self.truth(a, base)? || self.truth(b, base)?)),
            Op::Equivalent(a, b) => Ok(Value::Truth(self.truth(a, base)? == self.truth(b, base)?)),
            Op::Exists(binds, body) => Ok(Value::Truth(self.some(binds, body, base, true)?)),
            Op::All(binds, body) => Ok(Value::Truth(!self.some(binds, body, base, false)?)),
            Op::Except(function, changes) => self.except(function, changes, base),
            _ => self.eval_rare(code, base),
        }
    }

    #[inline(never)]
    fn eval_rare(&mut self, code: &'c Code, base: usize) -> Evaluated {
        match &code.op {
            Op::Sets(what, a, b) => {
                let a = self.eval(a, base)?;
                let a = self.set_of(a)?;
                let b = self.eval(b, base)?;
                // What is taken away or kept may be any set.
                match (what, &b) {
                    (SetOperator::Union, _) => {
                        let b = self.set_of(b)?;
                        a.union(&b)
                    }
                    (SetOperator::Intersection, Value::Closure(_)) => self.kept(&a, &b, true),
                    (SetOperator::Difference, Value::Closure(_)) => self.kept(&a, &b, false),
                    (SetOperator::Intersection, _) => a.intersection(&b),
                    (SetOperator::Difference, _) => a.difference(&b),
                }
            }
            Op::SubsetOf(a, b) => {
                let a = self.eval(a, base)?;
                let a = self.set_of(a)?;
                if self.is_filter(b) {
                    let mut elements = a.elements()?;
                    while let Some(element) = elements.next()? {
                        if !self.is_in(&element, b, base)? {
                            return Ok(Value::Truth(false));
                        }
                    }
                    return Ok(Value::Truth(true));
                }
                let b = self.eval(b, base)?;
                if !has_code(&b) {
                    return Ok(Value::Truth(a.subset_of(&b)?));
                }
                let mut elements = a.elements()?;
                while let Some(element) = elements.next()? {
                    if !self.contains(&b, &element)? {
                        return Ok(Value::Truth(false));
                    }
                }
                Ok(Value::Truth(true))
            }
            Op::PowerSet(a) => {
                let a = self.eval(a, base)?;
                self.set_of(a)?.power_set()
            }
            Op::BigUnion(a) => match &a.op {
                // The sets themselves need no order.
                Op::Image(body, binds) => Value::union_all(self.image(body, binds, base)?),
                _ => {
                    let a = self.eval(a, base)?;
                    self.set_of(a)?.big_union()
                }
            },
            Op::Domain(a) => match self.eval_lazily(a, base)? {
                Value::Closure(closure) if closure.kind == ClosureKind::Function => {
                    Ok(closure.domain.clone())
                }
                value => value.domain(),
            },
            Op::Case(arms, other) => {
                for (condition, value) in arms {
                    if self.truth(condition, base)? {
                        return self.eval(value, base);
                    }
                }
                match other {
                    Some(other) => self.eval(other, base),
                    None => Err(Failure::new(
                        "no arm of this CASE is true, and it has no OTHER",
                    )),
                }
            }
            Op::Choose(bind, body) => self.choose(bind, body, base),
            Op::SetOf(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    let value = self.eval(part, base)?;
                    values.push(self.settled(value)?);
                }
                Value::set(values)
            }
            Op::Filter(set, body) => self.filter(set, *body, base),
            Op::Image(body, binds) => Value::set(self.image(body, binds, base)?),
            Op::Function(sets, body) => self.function(sets, *body, base, false),
            Op::Functions(a, b) => {
                let a = self.eval(a, base)?;
                let a = self.set_of(a)?;
                let b = self.eval(b, base)?;
                Value::functions(a, self.set_of(b)?)
            }
            Op::Record(fields) => {
                let mut list = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    let value = self.eval(value, base)?;
                    list.push((*name, self.settled(value)?));
                }
                Value::record(list).not_too_deep()
            }
            Op::Records(fields) => {
                let mut list = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    let value = self.eval(value, base)?;
                    list.push((*name, self.set_of(value)?));
                }
                Value::records(list)
            }
            Op::Tuple(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    let value = self.eval(part, base)?;
                    values.push(self.settled(value)?);
                }
                Value::tuple(values).not_too_deep()
            }
            Op::Product(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    let value = self.eval(part, base)?;
                    values.push(self.set_of(value)?);
                }
                Value::product(values)
            }
            Op::Native(name, native, args) => self.native(name, *native, args, base),
            Op::Machine(what, args) => self.special(*what, args, base),
            Op::Enabled(row, act) => Ok(Value::Truth(self.is_enabled(*row, act, base)?)),
            Op::Composed(row, both) => Ok(Value::Truth(self.is_composed(*row, both, base)?)),
            Op::Refused(message) => Err(Failure::new(message.to_string())),
            // The others were met above.
            _ => Err(Failure::new("an expression that cannot be evaluated")),
        }
    }

    /// Puts code into slots.
    pub(super) fn thunks(&mut self, thunks: &'c [Thunk], base: usize) {
        for thunk in thunks {
            self.stack[base + thunk.slot as usize] = Cell::Thunk(&thunk.code, base, true);
        }
    }

    fn equal(&mut self, a: &'c Code, b: &'c Code, base: usize) -> Result<bool, Failure> {
        let a = self.eval(a, base)?;
        let b = self.eval(b, base)?;
        match (&a, &b) {
            (Value::Number(a), Value::Number(b)) => Ok(a == b),
            (Value::Text(a), Value::Text(b)) => Ok(a == b),
            _ => {
                let a = self.settled(a)?;
                let b = self.settled(b)?;
                a.equal(&b)
            }
        }
    }

    fn member(&mut self, a: &'c Code, b: &'c Code, base: usize) -> Result<bool, Failure> {
        let a = self.eval(a, base)?;
        let a = self.settled(a)?;
        self.is_in(&a, b, base)
    }

    /// Whether a value is an element of the set that code is. A filter is asked, not listed.
    pub(super) fn is_in(
        &mut self,
        value: &Value,
        set: &'c Code,
        base: usize,
    ) -> Result<bool, Failure> {
        match &set.op {
            Op::SetOf(parts) => self.among(value, parts, base),
            Op::Filter(whole, body) => {
                if !self.is_in(value, whole, base)? {
                    return Ok(false);
                }
                let program = self.program;
                let inside = &program.bodies[*body as usize];
                self.bind(base, &inside.targets[0], value.clone())?;
                self.truth(&inside.code, base)
            }
            Op::Let(thunks, body) => {
                self.thunks(thunks, base);
                self.is_in(value, body, base)
            }
            Op::If(condition, yes, no) => match self.truth(condition, base)? {
                true => self.is_in(value, yes, base),
                false => self.is_in(value, no, base),
            },
            Op::Call(number, distance, args) => {
                self.check_depth()?;
                let frame = self.frame_of(*number, *distance, args, base);
                let program = self.program;
                let piece = &program.pieces[*number as usize];
                let inside = self.is_in(value, &piece.code, frame);
                self.stack.truncate(frame);
                inside
            }
            _ => {
                let set = self.eval(set, base)?;
                self.contains(&set, value)
            }
        }
    }

    /// Whether code is a filter, perhaps behind names.
    fn is_filter(&self, code: &'c Code) -> bool {
        let program = self.program;
        let mut code = code;
        loop {
            code = match &code.op {
                Op::Filter(..) => return true,
                Op::Let(_, body) => body,
                Op::Call(number, ..) => {
                    let inside = &program.pieces[*number as usize].code;
                    match &inside.op {
                        Op::Filter(..) => return true,
                        // What leads to itself is looked at no further.
                        Op::Let(_, body) => return matches!(body.op, Op::Filter(..)),
                        _ => return false,
                    }
                }
                _ => return false,
            };
        }
    }

    /// Whether a value is one of those that are listed: they are compared one after the other, and those behind it
    /// may be of any kind.
    fn among(&mut self, value: &Value, parts: &'c [Code], base: usize) -> Result<bool, Failure> {
        let mut found = false;
        for part in parts {
            // All of them are evaluated, as all of a set are.
            let other = self.eval(part, base)?;
            let other = self.settled(other)?;
            found = found || other.equal(value)?;
        }
        Ok(found)
    }

    /// The values of an expression for all values of bound names.
    fn image(
        &mut self,
        body: &'c Code,
        binds: &'c [Bind],
        base: usize,
    ) -> Result<Vec<Value>, Failure> {
        let mut values = Vec::new();
        self.each(binds, base, &mut |this| {
            let value = this.eval(body, base)?;
            values.push(this.settled(value)?);
            Ok(true)
        })?;
        Ok(values)
    }

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

    /// A definition with a frame of its own.
    fn call(&mut self, number: u32, distance: u32, args: &'c [Code], base: usize) -> Evaluated {
        let frame = self.frame_of(number, distance, args, base);
        let program = self.program;
        let piece = &program.pieces[number as usize];
        let value = self.eval(&piece.code, frame);
        self.stack.truncate(frame);
        value
    }

    /// A frame for a definition, with its arguments.
    fn frame_of(&mut self, number: u32, distance: u32, args: &'c [Code], base: usize) -> usize {
        evenhand_source::spend();
        let program = self.program;
        let piece = &program.pieces[number as usize];
        let link = self.outwards(base, distance);
        let frame = self.push(piece.frame, link);
        for (code, slot) in args.iter().zip(&piece.params) {
            let cell = match &code.op {
                Op::Constant(value) => Cell::Value(value.clone()),
                // What is there already need not be asked for again.
                Op::Slot(0, slot) => match &self.stack[base + *slot as usize] {
                    Cell::Value(value) => Cell::Value(value.clone()),
                    _ => Cell::Thunk(code, base, true),
                },
                _ => Cell::Thunk(code, base, true),
            };
            self.stack[frame + *slot as usize] = cell;
        }
        frame
    }

    /// A function as it is given, where only its domain or a value is needed.
    fn eval_lazily(&mut self, code: &'c Code, base: usize) -> Evaluated {
        match &code.op {
            Op::Function(sets, body) => self.function(sets, *body, base, true),
            _ => self.eval(code, base),
        }
    }

    fn application(&mut self, function: &'c Code, args: &'c [Code], base: usize) -> Evaluated {
        let function = self.eval_lazily(function, base)?;
        let argument = match args {
            [one] => {
                let value = self.eval(one, base)?;
                self.settled(value)?
            }
            _ => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    let value = self.eval(arg, base)?;
                    values.push(self.settled(value)?);
                }
                Value::tuple(values)
            }
        };
        match &function {
            Value::Closure(closure) => self.apply_closure(closure, &argument),
            _ => function.apply(&argument),
        }
    }

    fn field(&mut self, record: &'c Code, name: Symbol, base: usize) -> Evaluated {
        let record = self.eval_lazily(record, base)?;
        match &record {
            Value::Closure(closure) => self.apply_closure(closure, &Value::Text(name)),
            _ => record.field(name),
        }
    }

    /// Does something for all values of bound names until it says no more.
    pub(super) fn each(
        &mut self,
        binds: &'c [Bind],
        base: usize,
        then: &mut dyn FnMut(&mut Self) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        match binds {
            [] => then(self),
            [bind] if bind.targets.len() == 1 => {
                let mut elements = self.listing(&bind.set, base)?;
                while let Some(value) = elements.next()? {
                    self.bind(base, &bind.targets[0], value)?;
                    if !then(self)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => {
                let mut sets = Vec::new();
                for bind in binds {
                    let set = self.eval(&bind.set, base)?;
                    let set = self.set_of(set)?;
                    sets.extend(bind.targets.iter().map(|target| (target, set.clone())));
                }
                self.nested(&sets, base, then)
            }
        }
    }

    fn nested(
        &mut self,
        sets: &[(&'c crate::code::Target, Value)],
        base: usize,
        then: &mut dyn FnMut(&mut Self) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        let Some(((target, set), rest)) = sets.split_first() else {
            return then(self);
        };
        let mut elements = set.elements()?;
        while let Some(value) = elements.next()? {
            self.bind(base, target, value)?;
            if !self.nested(rest, base, then)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The elements of the set that code is.
    pub(super) fn listing(&mut self, set: &'c Code, base: usize) -> Result<Elements, Failure> {
        let value = self.eval(set, base)?;
        let value = self.set_of(value)?;
        value.elements().map_err(|failure| failure.at(set.span))
    }

    /// Whether a predicate has this value for some values of bound names.
    fn some(
        &mut self,
        binds: &'c [Bind],
        body: &'c Code,
        base: usize,
        wanted: bool,
    ) -> Result<bool, Failure> {
        let all = self.each(binds, base, &mut |this| {
            Ok(this.truth(body, base)? != wanted)
        })?;
        Ok(!all)
    }

    fn choose(&mut self, bind: &'c Bind, body: &'c Code, base: usize) -> Evaluated {
        let set = self.eval(&bind.set, base)?;
        let set = self.set_of(set)?;
        let mut elements = set.elements()?;
        while let Some(value) = elements.next()? {
            self.bind(base, &bind.targets[0], value.clone())?;
            if self.truth(body, base)? {
                return Ok(value);
            }
        }
        Err(Failure::new(format!(
            "no element of {} satisfies the condition of this CHOOSE",
            set.quoted()
        )))
    }

    fn except(&mut self, function: &'c Code, changes: &'c [Change], base: usize) -> Evaluated {
        let value = self.eval(function, base)?;
        let mut value = self.settled(value)?;
        for change in changes {
            if let Some(changed) = self.changed(&value, &change.place, change, base)? {
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
            self.set(base, change.at, function.clone());
            let value = self.eval(&change.value, base)?;
            return Ok(Some(self.settled(value)?));
        };
        let key = self.eval(first, base)?;
        let key = self.settled(key)?;
        if let Value::Closure(closure) = function {
            if !self.contains(&closure.domain, &key)? {
                return Ok(None);
            }
            let old = self.apply_closure(closure, &key)?;
            let Some(new) = self.changed(&old, rest, change, base)? else {
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
        let Some(new) = self.changed(&old, rest, change, base)? else {
            return Ok(None);
        };
        function.updated(&key, new)
    }

    /// A function: its values are listed, unless its domain cannot be or it is not to be.
    fn function(&mut self, sets: &'c [Code], body: u32, base: usize, lazily: bool) -> Evaluated {
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
            let mut values = Vec::with_capacity(keys.values.len());
            for key in &keys.values {
                self.bind(base, &inside.targets[0], key.clone())?;
                let value = self.eval(&inside.code, base)?;
                values.push(self.settled(value)?);
            }
            return Value::mapping(keys.clone(), values).not_too_deep();
        }
        let domain = Value::product(domains)?;
        let keys = domain.listing()?;
        let Some(keys) = keys.as_listed() else {
            return Err(Failure::new("the domain of a function is no set"));
        };
        let mut values = Vec::with_capacity(keys.values.len());
        for key in &keys.values {
            let parts = key.as_tuple().unwrap_or_default();
            for (target, part) in inside.targets.iter().zip(parts) {
                self.bind(base, target, part.clone())?;
            }
            let value = self.eval(&inside.code, base)?;
            values.push(self.settled(value)?);
        }
        Ok(Value::mapping(keys.clone(), values))
    }

    fn filter(&mut self, set: &'c Code, body: u32, base: usize) -> Evaluated {
        let program = self.program;
        let inside = &program.bodies[body as usize];
        let set = self.eval(set, base)?;
        let set = self.set_of(set)?;
        if !set.is_finite()? {
            return Ok(self.unlisted(set, body, base));
        }
        let mut kept = Vec::new();
        let mut elements = set.elements()?;
        while let Some(value) = elements.next()? {
            self.bind(base, &inside.targets[0], value.clone())?;
            if self.truth(&inside.code, base)? {
                kept.push(value);
            }
        }
        // Elements come in order.
        Ok(Value::sorted(kept))
    }
}
