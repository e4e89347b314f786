//! Sums over types, spread out: one term, or one condition, for each value of a counter.

use evenhand_source::{Diagnostic, spend};

use super::super::code::{BagExpr, BagOp, Counter, Expr, Op, Part as CodePart, PlaceId};
use super::super::machine::{Machine, NoMarking};
use super::super::types::{TypeId, Types};
use super::{Count, EachValue, Gate, MOST_TERMS, Made, Maker, Setting, Term, set};

impl Maker<'_> {
    /// The value of a condition that depends on counters alone.
    pub(super) fn decided(&self, condition: &Expr, settings: &[Setting]) -> Made<Option<bool>> {
        if !self.reads(condition, settings).is_empty() {
            return Ok(None);
        }
        let mut machine = Machine::new(self.types(), self.typer.scope.size);
        set(&mut machine.memory, settings);
        match machine.truth(condition, &NoMarking) {
            Ok(value) => Ok(Some(value)),
            Err(fault) => Err(Diagnostic::error(fault.span, fault.kind.to_string())),
        }
    }

    /// Calls for each value of a counter, with whether its condition holds; none where that is not known yet.
    pub(super) fn each_value(
        &mut self,
        counter: &Counter,
        settings: &mut Vec<Setting>,
        each: &mut EachValue<'_, Self>,
    ) -> Made<()> {
        let types = &self.known.types;
        let mut value = types.first(counter.ty);
        loop {
            spend();
            settings.push(Setting {
                offset: counter.offset,
                value: value.clone().into(),
            });
            let decided = match &counter.condition {
                Some(condition) => self.decided(condition, settings)?,
                None => Some(true),
            };
            match decided {
                Some(true) => each(self, settings, None)?,
                Some(false) => {}
                None => each(self, settings, counter.condition.as_deref())?,
            }
            settings.pop();
            if types.next(counter.ty, &mut value) {
                return Ok(());
            }
        }
    }

    pub(super) fn spread_arc(
        &mut self,
        place: PlaceId,
        bag: BagExpr,
        settings: &mut Vec<Setting>,
        counts: &mut Vec<Count>,
    ) -> Made<()> {
        let span = bag.span;
        match bag.op {
            BagOp::Empty => {}
            BagOp::One(pattern) => {
                self.terms.push(Term {
                    place,
                    settings: settings.clone(),
                    counts: counts.clone(),
                    pattern,
                });
                if self.terms.len() > MOST_TERMS {
                    let message = format!("the arcs have more than {MOST_TERMS} terms");
                    return Err(Diagnostic::error(span, message));
                }
            }
            BagOp::Sum(list) => {
                for part in list {
                    self.spread_arc(place, part, settings, counts)?;
                }
            }
            BagOp::Times(count, inside) => {
                counts.push(Count::Times(count));
                self.spread_arc(place, *inside, settings, counts)?;
                counts.pop();
            }
            BagOp::Quantified(counter, inside) => {
                self.each_value(&counter, settings, &mut |maker, settings, condition| {
                    let before = counts.len();
                    counts.extend(condition.cloned().map(Count::When));
                    maker.spread_arc(place, (*inside).clone(), settings, counts)?;
                    counts.truncate(before);
                    Ok(())
                })?;
            }
            BagOp::Select(choice, list) => {
                for (number, part) in list.into_iter().enumerate() {
                    counts.push(Count::Chosen((*choice).clone(), number));
                    self.spread_arc(place, part, settings, counts)?;
                    counts.pop();
                }
            }
            op => {
                if !settings.is_empty() || !counts.is_empty() {
                    let message =
                        "this multiset may not stand in a sum or a multiple on an input arc";
                    return Err(Diagnostic::error(span, message));
                }
                let ty = bag.ty;
                self.wholes.push((place, BagExpr::new(ty, op, span)));
            }
        }
        Ok(())
    }

    pub(super) fn spread_gate(&mut self, condition: Expr, settings: &mut Vec<Setting>) -> Made<()> {
        match condition.op {
            Op::And(list) => {
                for part in list {
                    self.spread_gate(part, settings)?;
                }
                Ok(())
            }
            Op::Quantified {
                all: true,
                counter,
                inside,
            } if self.values(counter.ty) <= 64 => {
                self.each_value(&counter, settings, &mut |maker, settings, condition| {
                    match condition {
                        None => maker.spread_gate((*inside).clone(), settings),
                        Some(condition) => {
                            let (ty, span) = (Types::TRUTH, inside.span);
                            let not = Op::Not(Box::new(condition.clone()));
                            let list = vec![Expr::new(ty, not, span), (*inside).clone()];
                            maker.add_gate(Expr::new(ty, Op::Or(list), span), settings)
                        }
                    }
                })
            }
            op => {
                let condition = Expr { op, ..condition };
                self.add_gate(condition, settings)
            }
        }
    }

    pub(super) fn values(&self, ty: TypeId) -> u128 {
        self.types().get(ty).count.unwrap_or(u128::MAX)
    }

    pub(super) fn add_gate(&mut self, condition: Expr, settings: &[Setting]) -> Made<()> {
        let (mut undefined, mut asks) = (false, false);
        condition.each(&mut |part| match part {
            CodePart::Expr(expr) => undefined |= matches!(expr.op, Op::Undefined),
            CodePart::Bag(bag) => asks |= matches!(bag.op, BagOp::Place(_)),
        });
        if asks {
            let message = "the tokens of a place cannot be asked for in a gate";
            return Err(Diagnostic::error(condition.span, message));
        }
        let span = condition.span;
        let settings = settings.to_vec();
        let gate = Gate {
            settings,
            condition,
        };
        match undefined {
            true => self.late.push(gate),
            false => self.gates.push(gate),
        }
        if self.gates.len() + self.late.len() > MOST_TERMS {
            let message = format!("the gates have more than {MOST_TERMS} conditions");
            return Err(Diagnostic::error(span, message));
        }
        Ok(())
    }
}
