//! What names mean: symbolic constants, records, channel types, process types and variables.

use std::collections::HashMap;

use evenhand_source::{Diagnostic, Span, nearest};
use evenhand_system::program::expr::{Scalar, Scope, Show, TypeId};
use evenhand_system::program::{ChannelType, Segment, Variable};

use crate::ast::{Declaration, Ident, Init, TypeName};
use crate::token::Name;

/// A type with its layout.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Scalar(Scalar),
    Record(usize),
}

/// A declared record.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub name: Name,
    pub fields: Vec<Field>,
    pub len: u32,
    /// How many records lie inside each other.
    pub depth: u32,
}

/// A field of a record, or a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub name: Name,
    pub kind: Kind,
    pub offset: u32,
    /// Number of elements and their distance.
    pub dimension: Option<(u32, u32)>,
    /// Its initial value as written, for fields and late initialisation.
    pub init: Option<Init>,
    pub span: Span,
}

/// A variable in scope.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Symbol {
    pub scope: Scope,
    pub field: Field,
}

/// One block of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Block {
    pub names: HashMap<Name, Symbol>,
}

/// Process types by name.
#[derive(Clone, Debug)]
pub(super) struct ProcessInfo {
    pub id: TypeId,
    pub span: Span,
}

/// The symbolic names of an `mtype`.
#[derive(Clone, Debug, Default)]
pub(super) struct Enumeration {
    /// Its subtype's name.
    pub subtype: Option<Name>,
    /// Values and names, smallest value first.
    pub names: Vec<(i32, String)>,
}

/// Everything that is known by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    /// Symbolic constants: value and enumeration.
    pub constants: HashMap<Name, (i32, u16)>,
    /// The symbolic names, by subtype.
    pub enums: Vec<Enumeration>,
    pub records: Vec<Record>,
    pub channel_types: Vec<ChannelType>,
    pub processes: HashMap<Name, ProcessInfo>,
    pub globals: Block,
    /// The variables of each process type, for remote references.
    pub locals: HashMap<Name, Block>,
}

impl Symbols {
    pub fn scalar(&self, kind: &TypeName, bits: Option<u8>) -> Option<Scalar> {
        Some(match kind {
            TypeName::Bit => Scalar::unsigned(bits.unwrap_or(1)),
            TypeName::Bool => Scalar::unsigned(bits.unwrap_or(1)).shown(Show::Truth),
            TypeName::Byte | TypeName::Pid => Scalar::unsigned(bits.unwrap_or(8)),
            TypeName::Short => Scalar::signed(2),
            TypeName::Int => Scalar::signed(4),
            TypeName::Unsigned => Scalar::unsigned(bits.unwrap_or(32)),
            TypeName::Mtype(subtype) => {
                let wanted = subtype.as_ref().map(|s| &s.name);
                let index = self.enums.iter().position(|e| e.subtype.as_ref() == wanted);
                Scalar::unsigned(8).shown(Show::Enum(index.unwrap_or(0) as u16))
            }
            TypeName::Chan => Scalar::unsigned(8).shown(Show::Channel),
            TypeName::Record(_) => return None,
        })
    }

    pub fn record(&self, name: &Ident) -> Result<usize, Diagnostic> {
        self.records
            .iter()
            .position(|r| r.name == name.name)
            .ok_or_else(|| {
                let hint = nearest(&name.name, self.records.iter().map(|r| &*r.name));
                let help = hint.map(|n| format!("did you mean `{n}`?"));
                Diagnostic::error(name.span, format!("unknown type `{}`", name.name))
                    .maybe_help(help)
            })
    }

    pub fn kind_len(&self, kind: &Kind) -> u32 {
        match kind {
            Kind::Scalar(scalar) => scalar.bytes.into(),
            Kind::Record(index) => self.records[*index].len,
        }
    }

    /// The kind of a declared variable; arrays of bits keep whole bytes, as SPIN does.
    pub fn kind(
        &self,
        declaration: &Declaration,
        bits: Option<(i64, Span)>,
        is_array: bool,
    ) -> Result<Kind, Diagnostic> {
        if let TypeName::Record(name) = &declaration.kind {
            return self.record(name).map(Kind::Record);
        }
        let width = match bits {
            None if is_array && matches!(declaration.kind, TypeName::Bit | TypeName::Bool) => {
                Some(8)
            }
            None => None,
            Some((value, span)) => match u8::try_from(value) {
                Ok(value) if (1..=32).contains(&value) => Some(value),
                _ => {
                    let message = format!("a width of {value} bits is outside of 1..32");
                    return Err(Diagnostic::error(span, message));
                }
            },
        };
        if let TypeName::Mtype(Some(subtype)) = &declaration.kind
            && !self
                .enums
                .iter()
                .any(|e| e.subtype.as_ref() == Some(&subtype.name))
        {
            let message = format!("unknown mtype subtype `{}`", subtype.name);
            return Err(Diagnostic::error(subtype.span, message));
        }
        match self.scalar(&declaration.kind, width) {
            Some(scalar) => Ok(Kind::Scalar(scalar)),
            None => Err(Diagnostic::error(declaration.span, "unknown type")),
        }
    }

    /// The leaves of a variable, as they are shown.
    pub fn leaves(&self, field: &Field, hidden: bool) -> Vec<Variable> {
        let mut list = Vec::new();
        self.collect(field, field.offset, &mut Vec::new(), hidden, &mut list);
        list
    }

    fn collect(
        &self,
        field: &Field,
        offset: u32,
        path: &mut Vec<Segment>,
        hidden: bool,
        list: &mut Vec<Variable>,
    ) {
        path.push(Segment {
            name: field.name.to_string(),
            dimension: field.dimension,
        });
        match field.kind {
            Kind::Scalar(scalar) => {
                list.push(Variable {
                    path: path.clone(),
                    scalar,
                    offset,
                    hidden,
                });
            }
            Kind::Record(index) => {
                for inner in &self.records[index].fields {
                    self.collect(inner, offset + inner.offset, path, hidden, list);
                }
            }
        }
        path.pop();
    }

    /// The scalars of a type in order, arrays spread: the fields of a message.
    pub fn scalars(&self, kind: &Kind) -> Vec<Scalar> {
        match kind {
            Kind::Scalar(scalar) => vec![*scalar],
            Kind::Record(index) => self.records[*index]
                .fields
                .iter()
                .flat_map(|field| {
                    let one = self.scalars(&field.kind);
                    let count = field.dimension.map_or(1, |(len, _)| len as usize);
                    std::iter::repeat_n(one, count).flatten()
                })
                .collect(),
        }
    }

    /// The number of a channel type.
    pub fn channel_type(&mut self, channel: ChannelType) -> u16 {
        let found = self.channel_types.iter().position(|c| *c == channel);
        let index = found.unwrap_or_else(|| {
            self.channel_types.push(channel);
            self.channel_types.len() - 1
        });
        index as u16
    }
}
