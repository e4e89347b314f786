//! The syntax tree of Promela, names not yet resolved.
//!
//! Inline calls are already expanded (their arguments are text to SPIN, so they are here), and what
//! SPIN's reader rewrites (`x++`, small `select`s) has its rewritten form.

use evenhand_source::Span;

use crate::token::Name;

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Its place.
    pub span: Span,
}

/// A whole model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Units in the order of the text.
    pub units: Vec<Unit>,
}

/// A top-level unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Unit {
    /// Global variables.
    Variables(Declaration),
    /// `mtype = { … }`.
    Mtype(MtypeDeclaration),
    /// `typedef`.
    Record(Ident, Vec<Declaration>),
    /// `proctype` or `init`.
    Process(Process),
    /// `never`.
    Never(Process),
    /// `trace` (true) or `notrace`.
    Trace(Process, bool),
    /// `ltl`.
    Ltl(Ident, Expr),
}

/// `mtype[:subtype] = { a, b }`.
#[derive(Clone, Debug, PartialEq)]
pub struct MtypeDeclaration {
    /// The subtype.
    pub subtype: Option<Ident>,
    /// The names in the order of the text.
    pub names: Vec<Ident>,
}

/// A process type.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its name; `init` for the initial process.
    pub name: Ident,
    /// How many instances exist from the start.
    pub active: Option<Expr>,
    /// `D_proctype`.
    pub deterministic: bool,
    /// Parameters.
    pub parameters: Vec<Declaration>,
    /// Priority.
    pub priority: Option<i64>,
    /// `provided`.
    pub provided: Option<Expr>,
    /// The body.
    pub body: Vec<Step>,
    /// The closing brace.
    pub end: Span,
}

/// Basic types.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned,
    Pid,
    Mtype(Option<Ident>),
    Chan,
    Record(Ident),
}

/// A declaration of variables of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// `hidden`.
    pub hidden: bool,
    /// The type.
    pub kind: TypeName,
    /// The variables.
    pub variables: Vec<Declared>,
    /// The whole declaration.
    pub span: Span,
}

/// One declared variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// Its name.
    pub name: Ident,
    /// `: bits`.
    pub bits: Option<(i64, Span)>,
    /// `[len]`.
    pub len: Option<Expr>,
    /// What it starts with.
    pub init: Option<Init>,
}

/// An initial value.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// `= expr`.
    Value(Expr),
    /// `= { a, b }`.
    List(Vec<Expr>),
    /// `= [n] of { types }`.
    Channel(Expr, Vec<TypeName>, Span),
}

/// A reference to a variable: `a[i].b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Names with their indices.
    pub parts: Vec<(Ident, Option<Expr>)>,
    /// The whole reference.
    pub span: Span,
}

/// One element of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Local variables.
    Declaration(Declaration),
    /// `xr` (true) or `xs`.
    Exclusive(Vec<Reference>, bool),
    /// A statement.
    Statement(Statement),
    /// `main unless escape`.
    Unless(Box<Statement>, Box<Statement>),
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Labels, outermost first.
    pub labels: Vec<Ident>,
    /// What it is.
    pub kind: StatementKind,
    /// Its place.
    pub span: Span,
    /// Its text where the place has another one: in the expansion of an inline.
    pub text: Option<String>,
}

/// Statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `x = e`.
    Assign(Reference, Expr),
    /// An expression that must hold.
    Condition(Expr),
    /// `else`.
    Else,
    /// `c!a,b`, or `c!!a,b` (true).
    Send(Reference, Vec<Expr>, bool),
    /// A receive.
    Receive(Receive),
    /// `if`.
    If(Vec<Vec<Step>>),
    /// `do`.
    Do(Vec<Vec<Step>>),
    /// `for (x : a .. b) { … }`.
    ForRange(Reference, Expr, Expr, Vec<Step>),
    /// `for (x in a) { … }`.
    ForIn(Reference, Reference, Vec<Step>),
    /// `select (x : a .. b)` with bounds that are not both small constants.
    Select(Reference, Expr, Expr),
    /// `atomic`.
    Atomic(Vec<Step>),
    /// `d_step`.
    DStep(Vec<Step>),
    /// `{ … }`.
    Block(Vec<Step>),
    /// The expansion of an inline, and where the text of its body stands.
    Inline(Span, Vec<Step>),
    /// `goto`.
    Goto(Ident),
    /// `break`.
    Break,
    /// `assert`.
    Assert(Expr),
    /// `printf`.
    Printf(Name, Vec<Expr>),
    /// `printm`.
    Printm(Expr),
    /// `set_priority`.
    SetPriority(Expr, Expr),
}

/// A receive or a poll.
#[derive(Clone, Debug, PartialEq)]
pub struct Receive {
    /// The channel.
    pub channel: Reference,
    /// The arguments.
    pub arguments: Vec<ReceiveArgument>,
    /// `??`.
    pub anywhere: bool,
    /// `<…>` or `[…]`: the message stays.
    pub keep: bool,
    /// The whole.
    pub span: Span,
}

/// An argument of a receive.
#[derive(Clone, Debug, PartialEq)]
pub enum ReceiveArgument {
    /// A constant or `eval(…)`.
    Match(Expr),
    /// A variable, a symbolic constant, or `_`.
    Reference(Reference),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Binary {
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
    And,
    Or,
    Implies,
    Equiv,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
    Since,
    Trigger,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Unary {
    Not,
    Neg,
    Complement,
    Always,
    Eventually,
    Next,
    Yesterday,
    WeakYesterday,
    Once,
    Historically,
    /// Of all runs from here.
    All,
    /// Of some run from here.
    Exists,
}

impl Binary {
    /// Whether it speaks about other states than the present one.
    pub fn is_temporal(self) -> bool {
        use Binary::{Release, Since, StrongRelease, Trigger, Until, WeakUntil};
        matches!(
            self,
            Until | WeakUntil | Release | StrongRelease | Since | Trigger
        )
    }
}

impl Unary {
    /// Whether it speaks about other states than the present one, or about runs.
    pub fn is_temporal(self) -> bool {
        !matches!(self, Unary::Not | Unary::Neg | Unary::Complement)
    }
}

/// What can be asked of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Query {
    Len,
    Full,
    Nfull,
    Empty,
    Nempty,
}

/// Expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A constant.
    Number(i64),
    /// A variable or a symbolic constant.
    Reference(Reference),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<(Expr, Expr)>),
    /// `(a -> b : c)`.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// `run p(…)`.
    Run(Ident, Vec<Expr>, Option<i64>),
    /// `len(c)` and its kin.
    Channel(Query, Reference),
    /// `c?[…]`.
    Poll(Box<Receive>),
    /// `enabled(p)`.
    Enabled(Box<Expr>),
    /// `pc_value(p)`.
    PcValue(Box<Expr>),
    /// `get_priority(p)`.
    GetPriority(Box<Expr>),
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `p[i]@label`.
    RemoteLabel(Ident, Option<Box<Expr>>, Ident),
    /// `p[i]:x`.
    RemoteVariable(Ident, Option<Box<Expr>>, Reference),
}
