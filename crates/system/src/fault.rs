//! Run-time errors of a system.

use std::fmt;

use evenhand_source::{Lasting, Span};

/// A run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// Where in the source.
    pub span: Span,
}

/// What can go wrong at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An `assert` failed; the run goes on behind it.
    Assertion,
    /// An array index is outside of its bounds.
    Index {
        /// The index.
        index: i32,
        /// The number of elements.
        len: u32,
    },
    /// Division or remainder by zero.
    DivisionByZero,
    /// A channel variable that was never initialised is used.
    NoChannel,
    /// A channel variable holds a number that is no channel now.
    BadChannel(i32),
    /// A message has another number of fields than its channel.
    MessageSize {
        /// Fields of the channel.
        expected: u8,
        /// Fields given.
        given: u8,
    },
    /// A rendezvous channel is polled or read without a handshake.
    RendezvousPoll,
    /// A handshake is offered inside of a deterministic sequence.
    RendezvousInSequence,
    /// More processes than a pid can number.
    TooManyProcesses,
    /// More channels than can be numbered.
    TooManyChannels,
    /// A statement inside a deterministic sequence cannot be executed.
    BlockedSequence,
    /// A deterministic sequence does not end.
    EndlessSequence,
    /// An atomic sequence can go on for ever.
    EndlessAtomic,
    /// A remote reference to a process that does not exist or is of another type.
    NoSuchProcess(i32),
    /// A priority outside of 1..255.
    Priority(i32),
    /// More combinations of processes than can be numbered.
    TooManyShapes,
    /// Events on channels broke a trace assertion; the run goes on behind it.
    Trace {
        /// Whether the error is that a `notrace` pattern is complete.
        complete: bool,
    },
    /// An atomic or deterministic sequence is too long to be followed: a limit, no verdict.
    LongAtomic,
    /// A channel is used by a process that declared it exclusive to another.
    Exclusive,
    /// A model written in Rust takes an action that it did not declare.
    UnknownAction(u32),
    /// A model written in Rust makes a step in which nobody takes part.
    NoParticipant,
    /// The result of an integer operation is too large to be kept.
    Overflow,
    /// The bytes of a state are not those of a state of this model.
    BadState,
    /// No condition of a `case` expression holds.
    NoCase,
    /// An array of a relation is read at an index that it does not have.
    NoElement,
    /// A word is shifted by a distance outside of its width.
    ShiftDistance,
    /// A state has too many successors to list them, or too many candidates: a limit, no verdict.
    TooManySuccessors,
    /// A place of a net gets more tokens than can be counted: a limit, no verdict.
    TooManyTokens,
    /// A value is none of the type that it is to have.
    OutsideOfType,
    /// A buffer has no item to be read or removed, or no room for another one.
    Buffer,
    /// A component of a union is read that is not the active one.
    Component,
    /// The model says that an expression has no value.
    Undefined,
    /// A place of a net gets a number of tokens that its capacity does not allow.
    Capacity,
    /// A place of a net does not have the tokens that its declaration says.
    Dependent,
    /// An expression has no value, for a reason that the language has words for.
    Said(Lasting),
    /// Something is too large or too deep to be computed: a limit, no verdict.
    Limit(Lasting),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Assertion => write!(f, "assertion violated"),
            FaultKind::Index { index, len } => {
                write!(
                    f,
                    "array index {index} is outside of 0..{}",
                    len.saturating_sub(1)
                )
            }
            FaultKind::DivisionByZero => write!(f, "division by zero"),
            FaultKind::NoChannel => write!(f, "the channel variable is not initialised"),
            FaultKind::BadChannel(id) => write!(f, "there is no channel number {id}"),
            FaultKind::MessageSize { expected, given } => {
                write!(
                    f,
                    "the channel carries {expected} fields, the statement has {given}"
                )
            }
            FaultKind::RendezvousPoll => write!(f, "a rendezvous channel cannot be polled"),
            FaultKind::RendezvousInSequence => {
                write!(f, "a send on a rendezvous channel inside a d_step sequence")
            }
            FaultKind::TooManyProcesses => write!(f, "more than 255 processes"),
            FaultKind::TooManyChannels => write!(f, "more than 255 channels"),
            FaultKind::BlockedSequence => {
                write!(f, "a statement inside a d_step sequence is not executable")
            }
            FaultKind::EndlessSequence => write!(f, "a d_step sequence does not end"),
            FaultKind::EndlessAtomic => write!(f, "an atomic sequence can go on for ever"),
            FaultKind::NoSuchProcess(pid) => write!(f, "there is no such process: {pid}"),
            FaultKind::Priority(value) => write!(f, "priority {value} is outside of 1..255"),
            FaultKind::TooManyShapes => {
                write!(f, "more than 65535 different combinations of processes")
            }
            FaultKind::Trace { complete: false } => {
                write!(
                    f,
                    "an event on a channel does not follow the trace assertion"
                )
            }
            FaultKind::Trace { complete: true } => {
                write!(f, "events on channels complete the notrace pattern")
            }
            FaultKind::LongAtomic => {
                write!(
                    f,
                    "an atomic or d_step sequence is too long to be followed to its end"
                )
            }
            FaultKind::Exclusive => {
                write!(
                    f,
                    "the channel was declared exclusive (xr/xs) to another process"
                )
            }
            FaultKind::UnknownAction(action) => write!(f, "action {action} was not declared"),
            FaultKind::NoParticipant => write!(f, "a step in which no process takes part"),
            FaultKind::Overflow => write!(f, "an integer operation overflows"),
            FaultKind::BadState => write!(f, "these bytes are not a state of this model"),
            FaultKind::NoCase => write!(f, "no condition of a case expression holds"),
            FaultKind::NoElement => write!(f, "an array index is out of bounds"),
            FaultKind::ShiftDistance => write!(f, "a shift distance is out of range"),
            FaultKind::TooManySuccessors => {
                write!(f, "a state has too many successors to list them all")
            }
            FaultKind::TooManyTokens => {
                write!(f, "a place has more tokens than can be counted")
            }
            FaultKind::OutsideOfType => write!(f, "a value is outside of its type"),
            FaultKind::Buffer => {
                write!(
                    f,
                    "a buffer has no item to be taken, or no room for another one"
                )
            }
            FaultKind::Component => {
                write!(f, "this component of the union is not the active one")
            }
            FaultKind::Undefined => write!(f, "an expression is undefined"),
            FaultKind::Said(text) | FaultKind::Limit(text) => text.fmt(f),
            FaultKind::Capacity => {
                write!(f, "a place gets a number of tokens that it must not have")
            }
            FaultKind::Dependent => {
                write!(
                    f,
                    "a place does not have the tokens that its declaration says"
                )
            }
        }
    }
}
