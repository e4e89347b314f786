//! Evaluates expressions.
//!
//! The memory begins with variables and counters; behind them values are built on a stack. Most values are
//! not copied to be looked at: `view` says where one stands, which for a variable, a component of it
//! or an item of a buffer is a place inside of the variable. Numbers are handed over as they are.

mod build;
mod multisets;

use evenhand_source::{Span, spend};
use evenhand_system::{Fault, FaultKind};

use super::bag::Bag;
use super::code::{Arithmetic, Comparison, Counter, Expr, Op, PlaceId};
use super::types::{Kind, Leaf, TypeId, Types};

/// Evaluates expressions over a memory.
pub(crate) struct Machine<'a> {
    pub types: &'a Types,
    pub memory: Vec<i64>,
    /// Multisets that are not in use.
    spare: Vec<Bag>,
}

/// What the tokens of a place are.
pub(crate) trait Marking {
    /// The tokens of a place; none if they cannot be asked for here.
    fn tokens(&self, place: PlaceId) -> Option<&Bag>;
}

/// No place has tokens that may be asked for.
pub(crate) struct NoMarking;

impl Marking for NoMarking {
    fn tokens(&self, _: PlaceId) -> Option<&Bag> {
        None
    }
}

fn fault(kind: FaultKind, span: Span) -> Fault {
    Fault { kind, span }
}

type Done<T> = Result<T, Fault>;

impl<'a> Machine<'a> {
    /// A machine with room for variables.
    pub fn new(types: &'a Types, variables: usize) -> Machine<'a> {
        Machine {
            types,
            memory: vec![0; variables],
            spare: Vec::new(),
        }
    }

    /// Room for so many variables, and no values behind them.
    pub fn clear(&mut self, variables: usize) {
        self.memory.resize(variables, 0);
    }

    /// A multiset to fill.
    pub fn take_bag(&mut self, size: usize) -> Bag {
        let mut bag = self.spare.pop().unwrap_or_default();
        bag.reset(size);
        bag
    }

    /// Gives it back.
    pub fn give_bag(&mut self, bag: Bag) {
        self.spare.push(bag);
    }

    /// A truth value.
    pub fn truth(&mut self, expr: &Expr, marking: &dyn Marking) -> Done<bool> {
        Ok(self.number(expr, marking)? != 0)
    }

    /// The only number of a value of a leaf type.
    pub fn number(&mut self, expr: &Expr, marking: &dyn Marking) -> Done<i64> {
        Ok(match &expr.op {
            Op::Number(number) => *number,
            Op::Load(offset) => self.memory[*offset],
            Op::Part(a, 0) if self.is_leaf(a.ty) => self.number(a, marking)?,
            Op::Compare(comparison, a, b) => i64::from(self.compare(*comparison, a, b, marking)?),
            Op::And(list) => {
                for part in list {
                    if !self.truth(part, marking)? {
                        return Ok(0);
                    }
                }
                1
            }
            Op::Or(list) => {
                for part in list {
                    if self.truth(part, marking)? {
                        return Ok(1);
                    }
                }
                0
            }
            Op::Not(a) => i64::from(!self.truth(a, marking)?),
            Op::Same(a, b) => i64::from(self.truth(a, marking)? == self.truth(b, marking)?),
            Op::Arithmetic(operator, a, b) => {
                let (a, b) = (self.number(a, marking)?, self.number(b, marking)?);
                let found = arithmetic(*operator, a, b, self.is_signed(expr.ty));
                self.within(expr, found.map_err(|kind| fault(kind, expr.span))?)?
            }
            Op::Negate(a) => {
                let value = -self.number(a, marking)?;
                self.within(expr, value)?
            }
            Op::Complement(a) => {
                let value = self.number(a, marking)?;
                match self.is_signed(expr.ty) {
                    true => !value,
                    false => i64::from(!(value as u32)),
                }
            }
            Op::Used(a) => self.head(a, marking)?,
            Op::Free(a) => {
                let used = self.head(a, marking)?;
                let Kind::Buffer { capacity, .. } = self.types.kind(a.ty) else {
                    return Err(fault(FaultKind::BadState, expr.span));
                };
                *capacity as i64 - used
            }
            Op::IsActive(a, tag) => i64::from(self.head(a, marking)? == *tag as i64),
            Op::Next(a) | Op::Previous(a) if self.types.slots(expr.ty) == 1 => {
                let mut value = [self.number(a, marking)?];
                match expr.op {
                    Op::Next(_) => self.types.next(expr.ty, &mut value),
                    _ => self.types.previous(expr.ty, &mut value),
                };
                value[0]
            }
            Op::Select(choice, list) => {
                let chosen = self.chosen(choice, list.len(), marking)?;
                self.number(&list[chosen], marking)?
            }
            Op::Convert(a) if self.is_leaf(a.ty) && self.is_leaf(expr.ty) => {
                let value = [self.number(a, marking)?];
                match self.types.contains(expr.ty, &value) {
                    true => value[0],
                    false => return Err(fault(FaultKind::OutsideOfType, expr.span)),
                }
            }
            Op::Quantified {
                all,
                counter,
                inside,
            } => {
                let mut found = *all;
                self.count(counter, marking, &mut |machine| {
                    found = machine.truth(inside, marking)?;
                    Ok(found == *all)
                })?;
                i64::from(found)
            }
            Op::Measure(measure, bag) => self.measure(*measure, bag, marking)?,
            Op::Within(a, b) => i64::from(self.two(a, b, marking, |a, b| a.is_within(b))?),
            Op::Equal(a, b) => i64::from(self.two(a, b, marking, |a, b| a == b)?),
            Op::Undefined => return Err(fault(FaultKind::Undefined, expr.span)),
            _ => self.head(expr, marking)?,
        })
    }

    /// The first number of a value.
    fn head(&mut self, expr: &Expr, marking: &dyn Marking) -> Done<i64> {
        let top = self.memory.len();
        let at = self.view(expr, marking)?;
        let number = self.memory[at];
        self.memory.truncate(top);
        Ok(number)
    }

    fn is_leaf(&self, ty: TypeId) -> bool {
        matches!(self.types.kind(ty), Kind::Leaf(..))
    }

    fn is_signed(&self, ty: TypeId) -> bool {
        matches!(self.types.kind(ty), Kind::Leaf(Leaf::Signed, _))
    }

    /// A number that must fit into its type.
    fn within(&self, expr: &Expr, value: i64) -> Done<i64> {
        match self.types.contains(expr.ty, &[value]) {
            true => Ok(value),
            false => Err(fault(FaultKind::Overflow, expr.span)),
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        a: &Expr,
        b: &Expr,
        marking: &dyn Marking,
    ) -> Done<bool> {
        if self.is_leaf(a.ty) {
            let (a, b) = (self.number(a, marking)?, self.number(b, marking)?);
            return Ok(match comparison {
                Comparison::Equal => a == b,
                Comparison::Different => a != b,
                Comparison::Less => a < b,
                Comparison::AtMost => a <= b,
                Comparison::More => a > b,
                Comparison::AtLeast => a >= b,
            });
        }
        let top = self.memory.len();
        let size = self.types.slots(a.ty);
        let ty = a.ty;
        let (a, b) = (self.view(a, marking)?, self.view(b, marking)?);
        let (a, b) = (&self.memory[a..a + size], &self.memory[b..b + size]);
        let found = match comparison {
            Comparison::Equal => a == b,
            Comparison::Different => a != b,
            _ => {
                let order = self.types.compare(ty, a, b);
                match comparison {
                    Comparison::Less => order.is_lt(),
                    Comparison::AtMost => order.is_le(),
                    Comparison::More => order.is_gt(),
                    _ => order.is_ge(),
                }
            }
        };
        self.memory.truncate(top);
        Ok(found)
    }

    /// Which of several expressions a value chooses.
    fn chosen(&mut self, choice: &Expr, count: usize, marking: &dyn Marking) -> Done<usize> {
        if count == 2 && choice.ty == Types::TRUTH {
            return Ok(usize::from(!self.truth(choice, marking)?));
        }
        let top = self.memory.len();
        let at = self.view(choice, marking)?;
        let value = &self.memory[at..at + self.types.slots(choice.ty)];
        let rank = self.types.rank(choice.ty, value);
        self.memory.truncate(top);
        let rank = usize::try_from(rank).unwrap_or(usize::MAX);
        let last = count - 1;
        last.checked_sub(rank)
            .ok_or(fault(FaultKind::OutsideOfType, choice.span))
    }

    /// Which expression a value chooses, if there is one for each value of its type.
    pub fn choose(&mut self, choice: &Expr, marking: &dyn Marking) -> Done<usize> {
        let count = self.types.get(choice.ty).count;
        let count = count.and_then(|n| usize::try_from(n).ok());
        self.chosen(choice, count.unwrap_or(usize::MAX), marking)
    }

    /// Goes through the values of a counter until something says no.
    fn count(
        &mut self,
        counter: &Counter,
        marking: &dyn Marking,
        each: &mut dyn FnMut(&mut Self) -> Done<bool>,
    ) -> Done<()> {
        let size = self.types.slots(counter.ty);
        let place = counter.offset..counter.offset + size;
        self.types
            .set_first(counter.ty, &mut self.memory[place.clone()]);
        loop {
            spend();
            let counts = match &counter.condition {
                Some(condition) => self.truth(condition, marking)?,
                None => true,
            };
            if counts && !each(self)? {
                return Ok(());
            }
            if self.types.next(counter.ty, &mut self.memory[place.clone()]) {
                return Ok(());
            }
        }
    }

    /// Where the value of an expression stands; it may be on the stack, or in a variable.
    pub fn view(&mut self, expr: &Expr, marking: &dyn Marking) -> Done<usize> {
        let size = self.types.slots(expr.ty);
        match &expr.op {
            Op::Load(offset) => return Ok(*offset),
            Op::Part(a, offset) => return Ok(self.view(a, marking)? + offset),
            Op::Family {
                base,
                index,
                counter,
                before,
            } => {
                let place = *counter..counter + self.types.slots(*index);
                let rank = match before {
                    false => self.types.rank(*index, &self.memory[place]),
                    true => {
                        let mut value = self.memory[place].to_vec();
                        self.types.previous(*index, &mut value);
                        self.types.rank(*index, &value)
                    }
                };
                return Ok(base + rank as usize * size);
            }
            Op::Item { array, index } => {
                let at = self.view(array, marking)?;
                return Ok(at + self.position(index, marking)? * size);
            }
            Op::Component(a, tag) => {
                let at = self.view(a, marking)?;
                return match self.memory[at] == *tag as i64 {
                    true => Ok(at + 1),
                    false => Err(fault(FaultKind::Component, expr.span)),
                };
            }
            Op::Peek(buffer, index) => {
                let at = self.view(buffer, marking)?;
                let item = self.item(buffer, at, index.as_deref(), marking)?;
                return Ok(at + 1 + item * size);
            }
            Op::Select(choice, list) => {
                let chosen = self.chosen(choice, list.len(), marking)?;
                return self.view(&list[chosen], marking);
            }
            _ => {}
        }
        let start = self.memory.len();
        self.push(expr, marking)?;
        // Whatever was looked at on the way lies below the value.
        let at = self.memory.len() - size;
        if at > start {
            self.memory.copy_within(at.., start);
            self.memory.truncate(start + size);
        }
        Ok(start)
    }

    /// The place of an index in the order of its type.
    fn position(&mut self, index: &Expr, marking: &dyn Marking) -> Done<usize> {
        let top = self.memory.len();
        let at = self.view(index, marking)?;
        let value = &self.memory[at..at + self.types.slots(index.ty)];
        let rank = self.types.rank(index.ty, value) as usize;
        self.memory.truncate(top);
        Ok(rank)
    }

    /// Which item of a buffer is meant.
    fn item(
        &mut self,
        buffer: &Expr,
        at: usize,
        index: Option<&Expr>,
        marking: &dyn Marking,
    ) -> Done<usize> {
        let len = self.memory[at];
        let index = match index {
            Some(index) => self.number(index, marking)?,
            None => 0,
        };
        match (0..len).contains(&index) {
            true => Ok(index as usize),
            false => Err(fault(FaultKind::Buffer, buffer.span)),
        }
    }
}

/// Arithmetic as in C, but what has no value there has none here.
fn arithmetic(operator: Arithmetic, a: i64, b: i64, signed: bool) -> Result<i64, FaultKind> {
    Ok(match operator {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a.checked_mul(b).ok_or(FaultKind::Overflow)?,
        Arithmetic::Divide => a.checked_div(b).ok_or(FaultKind::DivisionByZero)?,
        Arithmetic::Remainder => a.checked_rem(b).ok_or(FaultKind::DivisionByZero)?,
        Arithmetic::And => a & b,
        Arithmetic::Or => a | b,
        Arithmetic::Xor => a ^ b,
        Arithmetic::Left | Arithmetic::Right if !(0..32).contains(&b) => {
            return Err(FaultKind::ShiftDistance);
        }
        Arithmetic::Left if signed => i64::from((a as i32) << b),
        Arithmetic::Left => i64::from((a as u32) << b),
        Arithmetic::Right => a >> b,
    })
}
