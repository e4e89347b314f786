//! Expressions, places and actions of a program, as a front-end writes them.
//!
//! Values are 32-bit integers with wrap-around; what a variable can hold is said by its [`Scalar`].
//! A front-end builds these trees with names resolved to byte offsets; `code.rs` compiles them.

use std::sync::Arc;

use evenhand_source::Span;

/// How one scalar is kept in a packed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// Bytes taken: 1, 2 or 4.
    pub bytes: u8,
    /// Whether the stored value is sign-extended when read.
    pub signed: bool,
    /// Number of low bits kept by an assignment (at most `8 * bytes`).
    pub bits: u8,
    /// How people write its values.
    pub show: Show,
}

/// How the values of a scalar are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Show {
    /// As a number.
    Number,
    /// As `true` or `false`.
    Truth,
    /// As the name that the enumeration of that index gives it.
    Enum(u16),
    /// As a channel.
    Channel,
}

impl Scalar {
    /// An unsigned scalar of `bits` bits in as few bytes as hold them.
    pub fn unsigned(bits: u8) -> Scalar {
        let bytes = match bits {
            0..=8 => 1,
            9..=16 => 2,
            _ => 4,
        };
        Scalar {
            bytes,
            signed: false,
            bits,
            show: Show::Number,
        }
    }

    /// A signed scalar of 8, 16 or 32 bits.
    pub fn signed(bytes: u8) -> Scalar {
        Scalar {
            bytes,
            signed: true,
            bits: bytes * 8,
            show: Show::Number,
        }
    }

    /// The same scalar shown another way.
    pub fn shown(self, show: Show) -> Scalar {
        Scalar { show, ..self }
    }

    /// The value that is read back after `value` was assigned.
    pub fn truncate(self, value: i32) -> i32 {
        if self.bits >= 32 {
            return value;
        }
        let shift = 32 - u32::from(self.bits);
        if self.signed {
            (value << shift) >> shift
        } else {
            ((value as u32) << shift >> shift) as i32
        }
    }
}

/// Whose variables a place belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The whole system.
    Global,
    /// The process that executes.
    Local,
}

/// One index of a place: `offset += value * stride`, with `0 <= value < len`.
#[derive(Clone, Debug)]
pub struct Index {
    /// The index.
    pub value: Expr,
    /// The number of elements.
    pub len: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// A scalar that can be read and assigned.
#[derive(Clone, Debug)]
pub struct Place {
    /// Whose it is.
    pub scope: Scope,
    /// Offset of the first element in its segment.
    pub offset: u32,
    /// Indices, outermost first.
    pub indices: Vec<Index>,
    /// How it is kept.
    pub scalar: Scalar,
    /// Where it is mentioned.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Arithmetic negation.
    Neg,
    /// Logical negation.
    Not,
    /// Bitwise complement.
    Complement,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    /// Short-circuit conjunction.
    And,
    /// Short-circuit disjunction.
    Or,
}

impl BinaryOp {
    /// The value of the operator; none for a division by zero.
    #[inline(always)]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div | BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Shl => a.wrapping_shl(b as u32),
            BinaryOp::Shr => a.wrapping_shr(b as u32),
            BinaryOp::Lt => i32::from(a < b),
            BinaryOp::Le => i32::from(a <= b),
            BinaryOp::Gt => i32::from(a > b),
            BinaryOp::Ge => i32::from(a >= b),
            BinaryOp::Eq => i32::from(a == b),
            BinaryOp::Ne => i32::from(a != b),
            BinaryOp::And => i32::from(a != 0 && b != 0),
            BinaryOp::Or => i32::from(a != 0 || b != 0),
        })
    }
}

/// What can be asked of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ChannelQuery {
    Len,
    Full,
    NotFull,
    Empty,
    NotEmpty,
}

/// A process type of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u16);

/// A control location of a process type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(pub u32);

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// The value of a variable.
    Load(Box<Place>),
    /// An operator applied to one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator applied to two operands.
    Binary(BinaryOp, Box<(Expr, Expr)>, Span),
    /// `(condition -> then : otherwise)`.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// The number of the process that executes.
    Pid,
    /// The number of the process that made the last step.
    LastPid,
    /// How many processes there are.
    ProcessCount,
    /// Nothing else can be executed in the whole system.
    Timeout,
    /// No process is at a progress label.
    NonProgress,
    /// Some process is at an accept label.
    Accepting,
    /// A question about a channel.
    Channel(ChannelQuery, Box<Expr>, Span),
    /// Whether a receive would be executable.
    Poll(Box<Receive>),
    /// Creates a process; its number.
    Run(Box<Run>),
    /// Whether the process of that number has an executable statement.
    Enabled(Box<Expr>),
    /// The control location of the process of that number.
    LocationOf(Box<Expr>),
    /// Whether a process of a type is at one of some locations.
    AtLocation(Box<AtLocation>),
    /// A variable of another process.
    Remote(Box<Remote>),
    /// The priority of the process of that number.
    PriorityOf(Box<Expr>),
}

/// Creation of a process.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its type.
    pub process: TypeId,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// Its priority.
    pub priority: u8,
    /// Where.
    pub span: Span,
}

/// `p[i]@label`.
#[derive(Clone, Debug)]
pub struct AtLocation {
    /// The type of the process.
    pub process: TypeId,
    /// Its number; none where the type has only one instance.
    pub pid: Option<Expr>,
    /// The locations of the label.
    pub locations: Vec<Location>,
    /// Where.
    pub span: Span,
}

/// `p[i]:x`.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The type of the process.
    pub process: TypeId,
    /// Its number; none where the type has only one instance.
    pub pid: Option<Expr>,
    /// The variable, local to that process; its indices are evaluated by the reader.
    pub place: Place,
}

/// One field of a receive.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Any value, thrown away.
    Any,
    /// Only this value.
    Equal(Expr),
    /// Any value, assigned to a variable.
    Bind(Place),
}

/// A receive, or the test whether it could be done.
#[derive(Clone, Debug)]
pub struct Receive {
    /// The channel.
    pub channel: Expr,
    /// One pattern for each field.
    pub patterns: Vec<Pattern>,
    /// Whether any message of the channel may match, not only the oldest.
    pub anywhere: bool,
    /// Whether the message stays in the channel.
    pub keep: bool,
    /// Where.
    pub span: Span,
}

/// A send.
#[derive(Clone, Debug)]
pub struct Send {
    /// The channel.
    pub channel: Expr,
    /// One value for each field.
    pub values: Vec<Expr>,
    /// Whether the message is inserted in numerical order.
    pub sorted: bool,
    /// Where.
    pub span: Span,
}

/// What one statement does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Nothing; always executable.
    Skip,
    /// Executable iff no other transition of its location is.
    Else,
    /// Executable iff the expression is not zero. It may create a process.
    Condition(Expr),
    /// Assigns.
    Assign(Place, Expr),
    /// Assigns several places in one step, in this order.
    Assignments(Vec<(Place, Expr)>),
    /// Fails the run if the expression is zero.
    Assert(Expr, Span),
    /// Sends a message.
    Send(Send),
    /// Receives a message.
    Receive(Receive),
    /// Prints: the pieces of text between the values.
    Print(Arc<Print>),
    /// Changes the priority of a process.
    SetPriority(Expr, Expr, Span),
    /// The process ends: executable iff it is the youngest one.
    Die,
    /// A deterministic sequence in one step: executable iff its first action is.
    Sequence(Arc<Sequence>),
}

/// A `printf`.
#[derive(Clone, Debug)]
pub struct Print {
    /// The format as written, escapes resolved.
    pub format: String,
    /// Its arguments, each with the enumeration it may come from.
    pub arguments: Vec<(Expr, Show)>,
}

/// A deterministic sequence: a small graph of actions that begins at node 0.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The nodes.
    pub nodes: Vec<SequenceNode>,
}

/// One action of a [`Sequence`].
#[derive(Clone, Debug)]
pub struct SequenceNode {
    /// What to do.
    pub action: Action,
    /// Where to go after it; none at the end of the sequence.
    pub next: Option<u32>,
    /// Where to go if it is not executable; none if that is an error.
    pub otherwise: Option<u32>,
    /// Where it stands.
    pub span: Span,
}
