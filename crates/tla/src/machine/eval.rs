//! The value of each kind of expression.

use evenhand_source::Span;

use super::closure::has_code;
use super::{Cell, Machine};
use crate::code::{Code, Op, SetOperator, Thunk};
use crate::failure::Failure;
use crate::names::Symbol;
use crate::value::{ClosureKind, Value};

pub(super) type Evaluated = Result<Value, Failure>;

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
                if let Some(number) = self.look_number(code, base) {
                    return Ok(Value::Number(number));
                }
                if let Some(truth) = self.look_compare(*what, a, b, base) {
                    return Ok(Value::Truth(truth));
                }
                let a = self.eval(a, base)?;
                let b = self.eval(b, base)?;
                super::arithmetic::arithmetic(*what, &a, &b)
            }
            Op::Apply(function, args) => {
                if let Some(value) = self.look(code, base) {
                    return Ok(value.clone());
                }
                match self.navigate(code, base)? {
                    Some(value) => Ok(value),
                    None => self.application(function, args, base),
                }
            }
            Op::Field(record, name) => {
                if let Some(value) = self.look(code, base) {
                    return Ok(value.clone());
                }
                match self.navigate(code, base)? {
                    Some(value) => Ok(value),
                    None => self.field(record, *name, base),
                }
            }
            Op::If(condition, yes, no) => match self.condition(condition, base)? {
                true => self.eval(yes, base),
                false => self.eval(no, base),
            },
            Op::Let(thunks, body) => {
                self.thunks(thunks, base);
                self.eval(body, base)
            }
            Op::Call(number, distance, args) => {
                self.call(*number, *distance, args, base, code.span)
            }
            Op::Implies(a, b) => Ok(Value::Truth(!self.truth(a, base)? || self.truth(b, base)?)),
            Op::Equivalent(a, b) => Ok(Value::Truth(self.truth(a, base)? == self.truth(b, base)?)),
            Op::Exists(binds, body) => Ok(Value::Truth(self.some(binds, body, base, true)?)),
            Op::All(binds, body) => Ok(Value::Truth(!self.some(binds, body, base, false)?)),
            Op::Except(function, changes) => self.except(function, changes, base),
            Op::Known(site, code) => self.known(*site, code, base),
            _ => self.eval_rare(code, base),
        }
    }

    #[inline(never)]
    fn eval_rare(&mut self, code: &'c Code, base: usize) -> Evaluated {
        match &code.op {
            Op::Sets(what, a, b) => {
                let a = self.eval(a, base)?;
                let a = self.set_of(a)?;
                // One element more or less is what most steps make.
                if let (Op::SetOf(parts), Value::Set(elements)) = (&b.op, &a)
                    && let [one] = &**parts
                {
                    let element = self.eval(one, base)?;
                    let element = self.settled(element)?.normal()?;
                    return match what {
                        SetOperator::Union => Value::with(elements, &element),
                        SetOperator::Difference => Value::without(elements, &element),
                        SetOperator::Intersection => a.intersection(&Value::sorted(vec![element])),
                    };
                }
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
                Op::Image(body, binds) => {
                    let from = self.image(body, binds, base)?;
                    Value::union_all(self.gathered.split_off(from))
                }
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
                let from = self.gather(|this| this.add_parts(parts, base))?;
                Value::set_of(&mut self.gathered, from)
            }
            Op::Filter(set, body) => self.filter(set, *body, base),
            Op::Image(body, binds) => {
                let from = self.image(body, binds, base)?;
                Value::set_of(&mut self.gathered, from)
            }
            Op::Function(sets, body) => self.function(sets, *body, base, false),
            Op::Functions(a, b) => {
                let a = self.eval(a, base)?;
                let a = self.set_of(a)?;
                let b = self.eval(b, base)?;
                Value::functions(a, self.set_of(b)?)
            }
            Op::Record(fields) => {
                let mut values = fields.iter().map(|(_, value)| value);
                let from =
                    self.gather(|this| values.try_for_each(|value| this.add_part(value, base)))?;
                let names = fields.iter().map(|(name, _)| *name);
                Value::record_of(names, &mut self.gathered, from).within_limits()
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
                let from = self.gather(|this| this.add_parts(parts, base))?;
                Value::tuple_of(&mut self.gathered, from).within_limits()
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

    /// Whether two are equal, in the code of a comparison or of its opposite.
    #[inline]
    pub(super) fn is_equal(
        &mut self,
        code: &'c Code,
        a: &'c Code,
        b: &'c Code,
        base: usize,
    ) -> Result<bool, Failure> {
        if let Some(equal) = self.look_equal(a, b, base) {
            return Ok(equal);
        }
        self.check_depth()?;
        let equal = self.equal(a, b, base);
        equal.map_err(|failure| Self::placed(failure, code.span))
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

    /// A definition with a frame of its own.
    fn call(
        &mut self,
        number: u32,
        distance: u32,
        args: &'c [Code],
        base: usize,
        span: Span,
    ) -> Evaluated {
        let program = self.program;
        let piece = &program.pieces[number as usize];
        if piece.memo != 0
            && let Some(value) = self.remembered(number, piece)
        {
            return Ok(value.clone());
        }
        let frame = self.frame_of(number, distance, args, base);
        // What became a definition to be remembered was counted where it stands.
        if piece.code.span != span {
            self.cover(piece.code.span, true);
        }
        let value = self.eval(&piece.code, frame);
        self.stack.truncate(frame);
        if piece.memo != 0
            && let Ok(value) = &value
        {
            self.remember(number, piece, value);
        }
        value
    }

    /// A frame for a definition, with its arguments.
    pub(super) fn frame_of(
        &mut self,
        number: u32,
        distance: u32,
        args: &'c [Code],
        base: usize,
    ) -> usize {
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

    /// The function that code leads to, as it is given; none where it leads to something else.
    fn rule(&mut self, code: &'c Code, base: usize) -> Result<Option<Value>, Failure> {
        self.check_depth()?;
        let program = self.program;
        match &code.op {
            Op::Function(sets, body) => self.function(sets, *body, base, true).map(Some),
            Op::Known(_, code) => self.rule(code, base),
            Op::If(condition, yes, no) => match self.condition(condition, base)? {
                true => self.rule(yes, base),
                false => self.rule(no, base),
            },
            Op::Let(thunks, body) => {
                self.thunks(thunks, base);
                self.rule(body, base)
            }
            Op::Case(arms, other) => {
                for (condition, value) in arms {
                    if self.truth(condition, base)? {
                        return self.rule(value, base);
                    }
                }
                match other {
                    Some(other) => self.rule(other, base),
                    None => Ok(None),
                }
            }
            Op::Slot(distance, slot) => {
                let frame = self.outwards(base, *distance);
                match self.stack[frame + *slot as usize] {
                    Cell::Thunk(code, frame, _) => self.rule(code, frame),
                    _ => Ok(None),
                }
            }
            Op::Call(number, distance, args) => {
                let frame = self.frame_of(*number, *distance, args, base);
                let rule = self.rule(&program.pieces[*number as usize].code, frame);
                self.stack.truncate(frame);
                rule
            }
            Op::Global(number) => {
                let (code, frame) = &program.globals[*number as usize];
                let base = self.push(*frame, 0);
                let rule = self.rule(code, base);
                self.stack.truncate(base);
                rule
            }
            _ => Ok(None),
        }
    }

    fn application(&mut self, function: &'c Code, args: &'c [Code], base: usize) -> Evaluated {
        let function = match self.eval_lazily(function, base) {
            Ok(function) => function,
            // Some value of the function may be missing, but not the one that is asked for.
            Err(failure) => self.rule(function, base)?.ok_or(failure)?,
        };
        let argument = match args {
            [one] => {
                let value = self.eval(one, base)?;
                self.settled(value)?
            }
            _ => {
                let from = self.gather(|this| this.add_parts(args, base))?;
                Value::tuple_of(&mut self.gathered, from)
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
}
