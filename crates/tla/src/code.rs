//! What expressions and actions are compiled to.
//!
//! Names are gone: a variable is a place in a *row* (row 0 is the state, row 1 the one behind the step, further rows
//! are those that `ENABLED` looks for), a bound name is a slot of a frame, an operator is expanded where it is used
//! unless it is recursive or large. Arguments are needed at most once: a slot holds the code until then. Code that
//! depends on nothing is a cell of the program, evaluated when it is first needed.

use evenhand_source::Span;

use crate::standard::{MachineOperator, Native};
use crate::value::Value;

/// A row of variables.
pub(crate) type Row = u8;

/// A variable, by its place in a row.
pub(crate) type Var = u16;

/// A slot of a frame. Slot 0 is the frame of the definition around it.
pub(crate) type Slot = u32;

/// What a piece of code depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The rows that it reads, as bits.
    pub rows: u16,
    /// The lowest slot of its frame that it needs; 0 if it needs one of another frame.
    pub lowest: Slot,
    /// Whether its value is no function of the state: printed, counted, read from a register.
    pub impure: bool,
    /// Whether its value is drawn at random. A definition that depends on nothing else is drawn once.
    pub drawn: bool,
}

impl Facts {
    /// It depends on nothing.
    pub const NONE: Facts = Facts {
        rows: 0,
        lowest: Slot::MAX,
        impure: false,
        drawn: false,
    };

    /// What both depend on.
    #[must_use]
    pub fn and(self, other: Facts) -> Facts {
        Facts {
            rows: self.rows | other.rows,
            lowest: self.lowest.min(other.lowest),
            impure: self.impure || other.impure,
            drawn: self.drawn || other.drawn,
        }
    }

    /// What it depends on outside of names that are bound in slots from `first` on.
    #[must_use]
    pub fn above(mut self, first: Slot) -> Facts {
        if self.lowest >= first {
            self.lowest = Slot::MAX;
        }
        self
    }

    /// Without a row.
    #[must_use]
    pub fn without(mut self, row: Row) -> Facts {
        self.rows &= !(1 << row);
        self
    }

    /// Whether it is the same whatever the state.
    pub fn is_constant(self) -> bool {
        self.is_fixed() && !self.drawn
    }

    /// Whether it can be evaluated once for all: then what is drawn in it is drawn once.
    pub fn is_fixed(self) -> bool {
        self.rows == 0 && self.lowest == Slot::MAX && !self.impure
    }

    /// Whether it has the same value whenever it is evaluated in the same state.
    pub fn is_pure(self) -> bool {
        !self.impure && !self.drawn
    }

    /// Whether a row is read.
    pub fn reads(self, row: Row) -> bool {
        self.rows & (1 << row) != 0
    }
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Code {
    pub op: Op,
    pub span: Span,
    pub facts: Facts,
}

/// A name or a tuple of names that get values.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    One(Slot),
    Tuple(Box<[Slot]>),
}

/// Names that take values from a set: several take them independently.
#[derive(Debug)]
pub(crate) struct Bind {
    pub set: Code,
    pub targets: Box<[Target]>,
}

/// A slot that is evaluated when it is needed.
#[derive(Debug)]
pub(crate) struct Thunk {
    pub slot: Slot,
    pub code: Code,
}

/// One update of an `EXCEPT`.
#[derive(Debug)]
pub(crate) struct Change {
    pub place: Box<[Code]>,
    /// The slot of `@`.
    pub at: Slot,
    pub value: Code,
}

/// An argument of an operator of a standard module.
#[derive(Debug)]
pub(crate) enum Argument {
    Value(Code),
    /// An operator: the slots of its parameters, and what it is.
    Operator(Box<[Slot]>, Code),
}

/// Operators on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Interval,
}

/// Operators on two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetOperator {
    Union,
    Intersection,
    Difference,
}

/// Expressions.
#[derive(Debug)]
pub(crate) enum Op {
    Constant(Value),
    /// A cell of the program.
    Global(u32),
    /// A variable.
    Variable(Row, Var),
    /// A slot of the frame so many definitions outwards that has a value, or code for it.
    Slot(u32, Slot),
    /// Slots with code, and what needs them.
    Let(Box<[Thunk]>, Box<Code>),
    /// A definition of the program with its arguments; so many frames outwards is the one around it.
    Call(u32, u32, Box<[Code]>),
    And(Box<[Code]>),
    Or(Box<[Code]>),
    Not(Box<Code>),
    Implies(Box<Code>, Box<Code>),
    Equivalent(Box<Code>, Box<Code>),
    Equal(Box<Code>, Box<Code>),
    Different(Box<Code>, Box<Code>),
    In(Box<Code>, Box<Code>),
    NotIn(Box<Code>, Box<Code>),
    SubsetOf(Box<Code>, Box<Code>),
    Arithmetic(Arithmetic, Box<Code>, Box<Code>),
    Sets(SetOperator, Box<Code>, Box<Code>),
    PowerSet(Box<Code>),
    BigUnion(Box<Code>),
    Domain(Box<Code>),
    If(Box<Code>, Box<Code>, Box<Code>),
    Case(Box<[(Code, Code)]>, Option<Box<Code>>),
    Exists(Box<[Bind]>, Box<Code>),
    All(Box<[Bind]>, Box<Code>),
    Choose(Box<Bind>, Box<Code>),
    SetOf(Box<[Code]>),
    /// A set, and which of the bodies of the program says what is kept of it.
    Filter(Box<Code>, u32),
    Image(Box<Code>, Box<[Bind]>),
    /// The sets of arguments, and which of the bodies of the program has the values.
    Function(Box<[Code]>, u32),
    Functions(Box<Code>, Box<Code>),
    Apply(Box<Code>, Box<[Code]>),
    Except(Box<Code>, Box<[Change]>),
    Record(Box<[(crate::names::Symbol, Code)]>),
    Records(Box<[(crate::names::Symbol, Code)]>),
    Field(Box<Code>, crate::names::Symbol),
    Tuple(Box<[Code]>),
    Product(Box<[Code]>),
    Native(&'static str, Native, Box<[Argument]>),
    Machine(MachineOperator, Box<[Code]>),
    /// Whether an action has a step: it is looked for in a row of its own.
    Enabled(Row, Box<Act>),
    /// Whether a step is one of the first action and then one of the second, with a state between them in a row of
    /// its own.
    Composed(Row, Box<[Act; 2]>),
    /// An expression that is evaluated once for the same values, by its number among those.
    Known(u32, Box<Code>),
    /// Evaluating it is an error.
    Refused(Box<str>),
}

/// What a function is at its arguments, or a filter for an element. It is evaluated in the frame around it; where it
/// outlives that, the slots that it needs are taken along.
#[derive(Debug)]
pub(crate) struct Body {
    /// Where each argument is put.
    pub targets: Box<[Target]>,
    /// Of a recursive function: where it finds itself.
    pub own: Option<Slot>,
    pub code: Code,
    /// What it needs from outside: so many frames outwards, and the slots there.
    pub needs: Box<[(u32, Slot)]>,
    /// The size of its frame and of those outwards that it needs.
    pub frames: Box<[u32]>,
}

/// A piece of code with a frame of its own: a recursive or large definition.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The number of slots.
    pub frame: u32,
    /// Where its arguments are put.
    pub params: Box<[Slot]>,
    pub code: Code,
    /// The rows that decide its value, as bits, where nothing else does and its value is worth keeping; else 0.
    pub memo: u16,
    /// The variables that decide its value, where they are few; else none.
    pub reads: Box<[(Row, Var)]>,
}

/// A part of what decides an expression that is remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    /// A slot, and whether the expression needs its value in any case.
    Slot(Slot, bool),
    Variable(Row, Var),
}

/// What decides an action that is remembered.
#[derive(Debug)]
pub(crate) struct Site {
    /// Names that are bound around it.
    pub slots: Box<[Slot]>,
    /// The variables that it reads; all others it leaves unchanged or does not look at.
    pub reads: Box<[Var]>,
}

/// The same for an action.
#[derive(Debug)]
pub(crate) struct ActPiece {
    pub frame: u32,
    pub params: Box<[Slot]>,
    pub act: Act,
    /// Where what it does stands.
    pub span: Span,
}

/// An action, or a predicate on initial states: what finds values for a row.
#[derive(Debug)]
pub(crate) enum Act {
    And(Box<[Act]>),
    Or(Box<[Act]>),
    Exists(Box<[Bind]>, Box<Act>),
    /// The slots from the first to the second belong to its inside.
    All(Box<[Bind]>, Box<Act>, (Slot, Slot)),
    If(Code, Box<Act>, Box<Act>),
    Case(Box<[(Code, Act)]>, Option<Box<Act>>, Span),
    /// Whether each is evaluated but once.
    Let(Box<[(Thunk, bool)]>, Box<Act>),
    /// `x' = e`
    Assign(Row, Var, Code),
    /// `x' \in S`
    AssignIn(Row, Var, Code, Span),
    /// `x' \subseteq S`
    AssignSubset(Row, Var, Code, Span),
    /// `UNCHANGED x`
    Unchanged(Row, Row, Var, Span),
    Test(Code),
    /// A step of the first action to a row of its own, and from there one of the second.
    Compose(Row, Box<[Act; 2]>),
    /// A step of this action, with its arguments.
    Named(u32, Box<[Code]>, Box<Act>),
    /// A step of an action that fairness may be about, by its number among those, with its arguments.
    Watched(u32, Box<[Code]>, Box<Act>),
    /// An action that is searched once for the same values, by its number among those.
    Kept(u32, Box<Act>),
    /// An action with a frame of its own, how far out its definition is, and its arguments: whether each is evaluated
    /// but once. Whether its steps are called after it.
    Call(u32, u32, Box<[(Code, bool)]>, bool),
}
