//! Which values of one type are values of another, and how they are kept there.

use evenhand_system::FaultKind;

use super::{Kind, Leaf, TypeId, Types, intersection};

impl Types {
    /// Whether values of one type are kept as those of another one are.
    pub fn same_form(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.kind(a), self.kind(b)) {
            (Kind::Leaf(a, _), Kind::Leaf(b, _)) => leaves_convert(a, b),
            (Kind::Struct(a), Kind::Struct(b)) | (Kind::Union(a), Kind::Union(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_form(a.ty, b.ty))
            }
            (
                Kind::Array {
                    element: a, len: m, ..
                },
                Kind::Array {
                    element: b, len: n, ..
                },
            ) => m == n && self.same_form(*a, *b),
            (
                Kind::Buffer {
                    element: a,
                    capacity: m,
                    stack: s,
                },
                Kind::Buffer {
                    element: b,
                    capacity: n,
                    stack: t,
                },
            ) => m == n && s == t && self.same_form(*a, *b),
            _ => false,
        }
    }

    /// Whether every value of one type of the same form is one of the other.
    pub fn is_within(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        if !self.get(b).ranges.is_empty() {
            return false;
        }
        match (self.kind(a), self.kind(b)) {
            (Kind::Leaf(_, a), Kind::Leaf(_, b)) => intersection(a, b) == *a,
            (Kind::Struct(a), Kind::Struct(b)) | (Kind::Union(a), Kind::Union(b)) => {
                a.iter().zip(b).all(|(a, b)| self.is_within(a.ty, b.ty))
            }
            (Kind::Array { element: a, .. }, Kind::Array { element: b, .. })
            | (Kind::Buffer { element: a, .. }, Kind::Buffer { element: b, .. }) => {
                self.is_within(*a, *b)
            }
            _ => false,
        }
    }

    /// Whether a value of one type may be one of another.
    pub fn converts(&self, from: TypeId, to: TypeId) -> bool {
        if self.same_form(from, to) {
            return true;
        }
        match (self.kind(from), self.kind(to)) {
            (Kind::Struct(a), Kind::Struct(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.converts(a.ty, b.ty))
            }
            (Kind::Union(_), Kind::Union(_)) => false,
            (
                Kind::Array {
                    element: a, len: m, ..
                },
                Kind::Array {
                    element: b, len: n, ..
                },
            ) => m == n && self.converts(*a, *b),
            (
                Kind::Buffer {
                    element: a,
                    stack: s,
                    ..
                },
                Kind::Buffer {
                    element: b,
                    stack: t,
                    ..
                },
            ) => s == t && self.converts(*a, *b),
            (_, Kind::Union(list)) => list.iter().any(|part| self.converts(from, part.ty)),
            (Kind::Union(list), _) => list.iter().any(|part| self.converts(part.ty, to)),
            _ => false,
        }
    }

    /// Converts a value of one type to one of another, to which it converts.
    pub fn convert(
        &self,
        from: TypeId,
        to: TypeId,
        value: &[i64],
        out: &mut Vec<i64>,
    ) -> Result<(), FaultKind> {
        let start = out.len();
        self.convert_form(from, to, value, out)?;
        match self.contains(to, &out[start..]) {
            true => Ok(()),
            false => Err(FaultKind::OutsideOfType),
        }
    }

    pub(super) fn convert_form(
        &self,
        from: TypeId,
        to: TypeId,
        value: &[i64],
        out: &mut Vec<i64>,
    ) -> Result<(), FaultKind> {
        if self.same_form(from, to) {
            out.extend_from_slice(&value[..self.slots(from)]);
            return Ok(());
        }
        let end = out.len() + self.slots(to);
        match (self.kind(from), self.kind(to)) {
            (Kind::Struct(a), Kind::Struct(b)) => {
                for (a, b) in a.iter().zip(b) {
                    self.convert_form(a.ty, b.ty, &value[a.offset..], out)?;
                }
            }
            (Kind::Array { element, len, .. }, Kind::Array { element: other, .. }) => {
                let size = self.slots(*element);
                for item in 0..*len {
                    self.convert_form(*element, *other, &value[item * size..], out)?;
                }
            }
            (
                Kind::Buffer { element, .. },
                Kind::Buffer {
                    element: other,
                    capacity,
                    ..
                },
            ) => {
                let size = self.slots(*element);
                if value[0] as usize > *capacity {
                    return Err(FaultKind::Buffer);
                }
                out.push(value[0]);
                for item in 0..value[0] as usize {
                    self.convert_form(*element, *other, &value[1 + item * size..], out)?;
                }
            }
            (_, Kind::Union(list)) => {
                let found = list.iter().position(|part| self.converts(from, part.ty));
                let tag = found.ok_or(FaultKind::Component)?;
                out.push(tag as i64);
                self.convert_form(from, list[tag].ty, value, out)?;
            }
            (Kind::Union(list), _) => {
                let active = &list[value[0] as usize];
                if !self.converts(active.ty, to) {
                    return Err(FaultKind::Component);
                }
                self.convert_form(active.ty, to, &value[1..], out)?;
            }
            _ => return Err(FaultKind::OutsideOfType),
        }
        out.resize(end, 0);
        Ok(())
    }
}

/// Whether values of one kind of leaf can be those of another.
fn leaves_convert(a: &Leaf, b: &Leaf) -> bool {
    let is_number = |leaf: &Leaf| {
        matches!(
            leaf,
            Leaf::Signed | Leaf::Unsigned | Leaf::Enum(_) | Leaf::Character
        )
    };
    match (a, b) {
        (Leaf::Truth, Leaf::Truth) | (Leaf::Id, Leaf::Id) => true,
        (Leaf::Id, Leaf::Unsigned) | (Leaf::Unsigned, Leaf::Id) => true,
        (a, b) => is_number(a) && is_number(b),
    }
}
