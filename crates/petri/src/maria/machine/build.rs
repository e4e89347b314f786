//! Values that are built on the stack: rows, unions, buffers.

use evenhand_system::FaultKind;

use super::super::code::{Expr, Op};
use super::super::types::Kind;
use super::{Done, Machine, Marking, fault};

impl Machine<'_> {
    /// Copies what stands at a place to the top.
    pub(super) fn copy(&mut self, at: usize, size: usize) {
        self.memory.extend_from_within(at..at + size);
    }

    /// Puts the value of an expression on top; below it may be what was looked at on the way.
    pub(super) fn push(&mut self, expr: &Expr, marking: &dyn Marking) -> Done<()> {
        let size = self.types.slots(expr.ty);
        match &expr.op {
            Op::Constant(value) => self.memory.extend_from_slice(value),
            Op::Row(list) => {
                let start = self.memory.len();
                for part in list {
                    self.put(part, marking)?;
                }
                debug_assert_eq!(self.memory.len(), start + size);
            }
            Op::Buffer(list) => {
                let end = self.memory.len() + size;
                self.memory.push(list.len() as i64);
                for part in list {
                    self.put(part, marking)?;
                }
                self.memory.resize(end, 0);
            }
            Op::Union(tag, a) => {
                let end = self.memory.len() + size;
                self.memory.push(*tag as i64);
                self.put(a, marking)?;
                self.memory.resize(end, 0);
            }
            Op::WithPart(a, offset, part) => {
                let start = self.memory.len();
                self.put(a, marking)?;
                self.overwrite(start + offset, part, marking)?;
            }
            Op::WithItem { array, index, item } => {
                let start = self.memory.len();
                self.put(array, marking)?;
                let place = self.position(index, marking)?;
                let offset = place * self.types.slots(item.ty);
                self.overwrite(start + offset, item, marking)?;
            }
            Op::Rotate { array, by, up } => {
                let by = self.number(by, marking)?;
                let start = self.memory.len();
                self.put(array, marking)?;
                let Kind::Array { element, len, .. } = self.types.kind(expr.ty) else {
                    return Err(fault(FaultKind::BadState, expr.span));
                };
                let by = by.rem_euclid(*len as i64) as usize * self.types.slots(*element);
                match up {
                    true => self.memory[start..].rotate_right(by),
                    false => self.memory[start..].rotate_left(by),
                }
            }
            Op::Remove {
                buffer,
                index,
                count,
            } => self.remove(buffer, index.as_deref(), count.as_deref(), marking)?,
            Op::Insert {
                buffer,
                index,
                item,
            } => self.insert(buffer, index.as_deref(), item, marking)?,
            Op::Next(a) | Op::Previous(a) if size != 1 => {
                let start = self.memory.len();
                self.put(a, marking)?;
                let value = &mut self.memory[start..];
                match expr.op {
                    Op::Next(_) => self.types.next(expr.ty, value),
                    _ => self.types.previous(expr.ty, value),
                };
            }
            Op::Convert(a) if !(self.is_leaf(a.ty) && self.is_leaf(expr.ty)) => {
                let at = self.view(a, marking)?;
                let value = self.memory[at..at + self.types.slots(a.ty)].to_vec();
                let done = self.types.convert(a.ty, expr.ty, &value, &mut self.memory);
                done.map_err(|kind| fault(kind, expr.span))?;
            }
            Op::Undefined => return Err(fault(FaultKind::Undefined, expr.span)),
            Op::Load(_) | Op::Part(..) | Op::Family { .. } | Op::Item { .. } => {
                let at = self.view(expr, marking)?;
                self.copy(at, size);
            }
            Op::Component(..) | Op::Peek(..) | Op::Select(..) => {
                let at = self.view(expr, marking)?;
                self.copy(at, size);
            }
            _ => {
                let number = self.number(expr, marking)?;
                self.memory.push(number);
            }
        }
        Ok(())
    }

    /// Puts the value of an expression on top and nothing below it.
    pub fn put(&mut self, expr: &Expr, marking: &dyn Marking) -> Done<()> {
        let size = self.types.slots(expr.ty);
        let start = self.memory.len();
        let at = self.view(expr, marking)?;
        if at < start {
            self.memory.truncate(start);
            self.copy(at, size);
        } else {
            self.memory.copy_within(at..at + size, start);
            self.memory.truncate(start + size);
        }
        Ok(())
    }

    /// Writes the value of an expression over what stands at a place.
    pub(super) fn overwrite(&mut self, at: usize, expr: &Expr, marking: &dyn Marking) -> Done<()> {
        let size = self.types.slots(expr.ty);
        let top = self.memory.len();
        let from = self.view(expr, marking)?;
        self.memory.copy_within(from..from + size, at);
        self.memory.truncate(top);
        Ok(())
    }

    pub(super) fn remove(
        &mut self,
        buffer: &Expr,
        index: Option<&Expr>,
        count: Option<&Expr>,
        marking: &dyn Marking,
    ) -> Done<()> {
        let (element, _) = self.element(buffer)?;
        let count = match count {
            Some(count) => self.number(count, marking)?,
            None => 1,
        };
        let start = self.memory.len();
        self.put(buffer, marking)?;
        if count == 0 {
            return Ok(());
        }
        let first = self.item(buffer, start, index, marking)?;
        let len = self.memory[start];
        if count > len - first as i64 {
            return Err(fault(FaultKind::Buffer, buffer.span));
        }
        let count = count as usize;
        let end = self.memory.len();
        let to = start + 1 + first * element;
        self.memory.copy_within(to + count * element..end, to);
        self.memory[end - count * element..].fill(0);
        self.memory[start] = len - count as i64;
        Ok(())
    }

    /// Numbers of an item of a buffer, and whether the last item that came is the first to go.
    pub(super) fn element(&self, buffer: &Expr) -> Done<(usize, bool)> {
        match self.types.kind(buffer.ty) {
            Kind::Buffer { element, stack, .. } => Ok((self.types.slots(*element), *stack)),
            _ => Err(fault(FaultKind::BadState, buffer.span)),
        }
    }

    pub(super) fn insert(
        &mut self,
        buffer: &Expr,
        index: Option<&Expr>,
        item: &Expr,
        marking: &dyn Marking,
    ) -> Done<()> {
        let (element, stack) = self.element(buffer)?;
        let start = self.memory.len();
        self.put(buffer, marking)?;
        let len = self.memory[start] as usize;
        let index = match index {
            Some(index) => usize::try_from(self.number(index, marking)?).unwrap_or(usize::MAX),
            None if stack => 0,
            None => len,
        };
        let Kind::Buffer { capacity, .. } = self.types.kind(buffer.ty) else {
            return Err(fault(FaultKind::BadState, buffer.span));
        };
        if index > len || len == *capacity {
            return Err(fault(FaultKind::Buffer, buffer.span));
        }
        let at = start + 1 + index * element;
        let end = start + 1 + len * element;
        self.memory.copy_within(at..end, at + element);
        self.memory[start] = len as i64 + 1;
        self.overwrite(at, item, marking)
    }
}
