//! What a generated program can talk about: types, variables, channels, proctypes.
//!
//! Everything is kept as small as the verifier's state count demands, yet typed precisely enough
//! that the generator never writes a program SPIN rejects: the fields of a channel, the length of
//! an array, whether a value can be negative (then it is no array index).

use super::random::Random;

/// A scalar type of Promela.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// One bit.
    Bit,
    /// A truth value, stored like a bit.
    Bool,
    /// 0 to 255.
    Byte,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// `unsigned x : n`.
    Unsigned(u8),
    /// A value of the first `mtype` declaration.
    Mtype,
    /// A value of the named subtype `mtype:colour`.
    Colour,
}

/// The constants of the plain `mtype` declaration.
pub const MTYPES: [&str; 3] = ["req", "ack", "err"];
/// The constants of `mtype:colour`.
pub const COLOURS: [&str; 2] = ["red", "green"];

impl Type {
    /// The keyword of a declaration.
    pub fn keyword(self) -> &'static str {
        match self {
            Type::Bit => "bit",
            Type::Bool => "bool",
            Type::Byte => "byte",
            Type::Short => "short",
            Type::Int => "int",
            Type::Unsigned(_) => "unsigned",
            Type::Mtype => "mtype",
            Type::Colour => "mtype:colour",
        }
    }

    /// Whether it is a number, so that arithmetic makes sense.
    pub fn is_number(self) -> bool {
        !matches!(self, Type::Mtype | Type::Colour)
    }

    /// Whether no value is negative.
    pub fn is_natural(self) -> bool {
        self.is_number() && !matches!(self, Type::Short | Type::Int)
    }

    /// Whether every value of the other type fits into this one.
    pub fn holds(self, other: Type) -> bool {
        let range = |ty| match ty {
            Type::Bit | Type::Bool => (0, 1),
            Type::Unsigned(bits) => (0, (1 << bits) - 1),
            Type::Byte => (0, 255),
            Type::Short => (-32768, 32767),
            Type::Int => (i32::MIN, i32::MAX),
            Type::Mtype | Type::Colour => (1, 255),
        };
        let ((low, high), (least, greatest)) = (range(self), range(other));
        self.is_number() == other.is_number() && low <= least && high >= greatest
    }

    /// A type for a variable.
    pub fn any(random: &mut Random) -> Self {
        match random.weighted(&[4, 3, 9, 2, 3, 2, 3, 1]) {
            0 => Type::Bit,
            1 => Type::Bool,
            2 => Type::Byte,
            3 => Type::Short,
            4 => Type::Int,
            5 => Type::Unsigned(random.between(1, 4) as u8),
            6 => Type::Mtype,
            _ => Type::Colour,
        }
    }

    /// A type for a message field; `unsigned` is not allowed there.
    pub fn field(random: &mut Random) -> Self {
        loop {
            let ty = Self::any(random);
            if !matches!(ty, Type::Unsigned(_)) {
                return ty;
            }
        }
    }
}

/// Something that can be read and, unless it is a loop counter, written: `x`, `a[…]`, `r.f`,
/// `rs[…].f`.
#[derive(Clone, Debug)]
pub struct Place {
    /// The text before the index.
    pub before: String,
    /// The length of the array to be indexed, if there is one.
    pub length: Option<usize>,
    /// The text after the index.
    pub after: String,
    /// The type of the value.
    pub ty: Type,
}

impl Place {
    /// A plain variable.
    pub fn scalar(name: impl Into<String>, ty: Type) -> Self {
        Place {
            before: name.into(),
            length: None,
            after: String::new(),
            ty,
        }
    }

    /// The text with this index (which only arrays use).
    pub fn at(&self, index: &str) -> String {
        match self.length {
            Some(_) => format!("{}[{index}]{}", self.before, self.after),
            None => format!("{}{}", self.before, self.after),
        }
    }
}

/// A channel or an array of channels.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// The length, if it is an array of channels.
    pub length: Option<usize>,
    /// 0 for rendezvous.
    pub capacity: usize,
    /// The types of the message fields.
    pub fields: Vec<Type>,
}

/// A proctype, as far as others need to know it.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// How many instances start by themselves.
    pub active: usize,
    /// The pid of the first active instance, where it is known.
    pub first_pid: Option<usize>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// How many labels `L0`, `L1`, … its body carries.
    pub labels: usize,
    /// Its local numbers, known once its body is written.
    pub locals: Vec<String>,
}

/// A parameter of a proctype.
#[derive(Clone, Debug)]
pub enum Parameter {
    /// A number or an mtype.
    Value(Type),
    /// A channel that looks like this one of the global channels (by index).
    Channel(usize),
}

/// Everything in scope at one point of a program.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Variables that may be read and written.
    pub places: Vec<Place>,
    /// Variables that may only be read: loop counters.
    pub counters: Vec<Place>,
    /// Channels.
    pub channels: Vec<Channel>,
}

impl Scope {
    /// The places whose type passes the test.
    pub fn places_where(&self, test: impl Fn(Type) -> bool) -> Vec<&Place> {
        self.places.iter().filter(|place| test(place.ty)).collect()
    }
}
