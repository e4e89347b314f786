//! Multisets: what an arc or an expression about places stands for.

use evenhand_source::{Span, spend};
use evenhand_system::{Fault, FaultKind};

use super::super::bag::Bag;
use super::super::code::{BagExpr, BagOp, Measure};
use super::{Done, Machine, Marking, fault};

impl Machine<'_> {
    pub(super) fn measure(
        &mut self,
        measure: Measure,
        bag: &BagExpr,
        marking: &dyn Marking,
    ) -> Done<i64> {
        if let (BagOp::Place(place), Measure::Cardinality) = (&bag.op, measure)
            && let Some(tokens) = marking.tokens(*place)
        {
            return self.counted(tokens.total(), bag.span);
        }
        let found = self.bag(bag, marking)?;
        let number = match measure {
            Measure::Cardinality => found.total(),
            Measure::Largest => Some(found.counts.iter().copied().max().unwrap_or(0)),
            Measure::Smallest => {
                let least = found.counts.iter().copied().min();
                Some(least.unwrap_or(u32::MAX.into()))
            }
        };
        self.give_bag(found);
        self.counted(number, bag.span)
    }

    pub(super) fn counted(&self, number: Option<u64>, span: Span) -> Done<i64> {
        let number = number.and_then(|n| u32::try_from(n).ok());
        number
            .map(i64::from)
            .ok_or(fault(FaultKind::Overflow, span))
    }

    pub(super) fn two(
        &mut self,
        a: &BagExpr,
        b: &BagExpr,
        marking: &dyn Marking,
        compare: impl Fn(&Bag, &Bag) -> bool,
    ) -> Done<bool> {
        if let (BagOp::Place(a), BagOp::Place(b)) = (&a.op, &b.op)
            && let (Some(a), Some(b)) = (marking.tokens(*a), marking.tokens(*b))
        {
            return Ok(compare(a, b));
        }
        let first = self.bag(a, marking)?;
        let second = self.bag(b, marking)?;
        let found = compare(&first, &second);
        self.give_bag(first);
        self.give_bag(second);
        Ok(found)
    }

    /// A multiset.
    pub fn bag(&mut self, expr: &BagExpr, marking: &dyn Marking) -> Done<Bag> {
        let mut bag = self.take_bag(self.types.slots(expr.ty));
        self.gather(expr, 1, &mut bag, marking)?;
        Ok(bag)
    }

    /// Adds a multiset, so many times, to another one.
    pub fn gather(
        &mut self,
        expr: &BagExpr,
        times: u64,
        into: &mut Bag,
        marking: &dyn Marking,
    ) -> Done<()> {
        if times == 0 {
            return Ok(());
        }
        let too_many = fault(FaultKind::TooManyTokens, expr.span);
        match &expr.op {
            BagOp::Empty => {}
            BagOp::Place(place) => {
                let undefined = fault(FaultKind::Undefined, expr.span);
                let tokens = marking.tokens(*place).ok_or(undefined)?;
                pour(tokens, times, into, too_many)?;
            }
            BagOp::One(one) => {
                let top = self.memory.len();
                let at = self.view(one, marking)?;
                let value = &self.memory[at..at + self.types.slots(expr.ty)];
                let added = into.add(value, times);
                self.memory.truncate(top);
                if !added {
                    return Err(too_many);
                }
            }
            BagOp::Sum(list) => {
                for part in list {
                    self.gather(part, times, into, marking)?;
                }
            }
            BagOp::Times(count, inside) => {
                let count = self.number(count, marking)?;
                let count = u64::try_from(count);
                let count = count.map_err(|_| fault(FaultKind::OutsideOfType, expr.span))?;
                let times = times.checked_mul(count).ok_or(too_many)?;
                self.gather(inside, times, into, marking)?;
            }
            BagOp::Quantified(counter, inside) => {
                self.count(counter, marking, &mut |machine| {
                    machine.gather(inside, times, into, marking)?;
                    Ok(true)
                })?;
            }
            BagOp::Select(choice, list) => {
                let chosen = self.chosen(choice, list.len(), marking)?;
                self.gather(&list[chosen], times, into, marking)?;
            }
            BagOp::Minus(a, b) | BagOp::Intersect(a, b) => {
                let mut first = self.bag(a, marking)?;
                let second = self.bag(b, marking)?;
                let minus = matches!(expr.op, BagOp::Minus(..));
                first.recount(|value, count| match minus {
                    true => count.saturating_sub(second.count(value)),
                    false => count.min(second.count(value)),
                });
                pour(&first, times, into, too_many)?;
                self.give_bag(first);
                self.give_bag(second);
            }
            BagOp::Filter {
                offset,
                from,
                condition,
            } => {
                let from = self.bag(from, marking)?;
                for at in 0..from.len() {
                    spend();
                    self.memory[*offset..offset + from.size].copy_from_slice(from.value(at));
                    if self.truth(condition, marking)? {
                        let count = from.counts[at].checked_mul(times).ok_or(too_many)?;
                        if !into.add(from.value(at), count) {
                            return Err(too_many);
                        }
                    }
                }
                self.give_bag(from);
            }
            BagOp::Map {
                count,
                offset,
                from,
                inside,
            } => {
                let from = self.bag(from, marking)?;
                for at in 0..from.len() {
                    spend();
                    self.memory[*offset..offset + from.size].copy_from_slice(from.value(at));
                    let mut times = times;
                    match count {
                        Some(place) => {
                            let number = u32::try_from(from.counts[at]).map_err(|_| too_many)?;
                            self.memory[*place] = i64::from(number);
                        }
                        None => times = times.checked_mul(from.counts[at]).ok_or(too_many)?,
                    }
                    self.gather(inside, times, into, marking)?;
                }
                self.give_bag(from);
            }
        }
        Ok(())
    }
}

/// Adds all values of a multiset, so many times, to another one.
fn pour(from: &Bag, times: u64, into: &mut Bag, too_many: Fault) -> Done<()> {
    for at in 0..from.len() {
        let count = from.counts[at].checked_mul(times).ok_or(too_many)?;
        if !into.add(from.value(at), count) {
            return Err(too_many);
        }
    }
    Ok(())
}
