//! The syntax tree of a net, before anything in it has a meaning.

use std::sync::Arc;

use evenhand_source::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Name {
    pub text: Arc<str>,
    pub span: Span,
}

/// An expression, a formula or a list of tokens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ast {
    pub kind: Form,
    pub span: Span,
    /// How many others it has inside of each other.
    pub depth: u32,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    Truth(bool),
    Number(i64),
    Character(u8),
    /// `undefined` and `fatal`.
    Undefined,
    /// `#T`: how many values a type has.
    CountOf(Name),
    /// `<T`.
    Smallest(Name),
    /// `>T`.
    Largest(Name),
    Name(Name),
    Call(Name, Vec<Ast>),
    /// `.name` and `:name`: a variable for each value of a quantifier, or of its predecessor.
    Indexed {
        name: Name,
        of: Option<Name>,
        before: bool,
    },
    /// `! ~ - + | * / %` in front.
    Unary(&'static str, Box<Ast>),
    Binary(&'static str, Box<Ast>, Box<Ast>),
    And(Vec<Ast>),
    Or(Vec<Ast>),
    /// `is T e`.
    Cast(Name, Box<Ast>),
    /// `e is name`.
    IsActive(Box<Ast>, Name),
    /// `name = e`.
    UnionValue(Name, Box<Ast>),
    Braces(Vec<(Option<Name>, Ast)>),
    Component(Box<Ast>, Name),
    WithComponent(Box<Ast>, Name, Box<Ast>),
    Index(Box<Ast>, Box<Ast>),
    WithItem(Box<Ast>, Box<Ast>, Box<Ast>),
    Select(Box<Ast>, Vec<Ast>),
    Atom(Box<Ast>),
    /// Several tokens in parentheses.
    List(Vec<Ast>),
    Empty,
    Place(Name),
    /// `cardinality`, `max`, `min`.
    Measure(&'static str, Box<Ast>),
    /// `subset x { list } condition`.
    Filter(Name, Box<Ast>, Box<Ast>),
    /// `map x { list } e`, and with a name for the multiplicity.
    Map(Option<Name>, Name, Box<Ast>, Box<Ast>),
    /// `T x (condition) : e`, and with `&&` or `||`.
    Quantified {
        how: Quantifier,
        ty: Name,
        variable: Name,
        condition: Option<Box<Ast>>,
        inside: Box<Ast>,
    },
    /// `T x ! (condition)`.
    Output {
        ty: Name,
        variable: Option<Name>,
        condition: Option<Box<Ast>>,
    },
    /// `<>`, `[]`, `()`, and the path quantifiers `A` and `E`.
    Temporal(&'static str, Box<Ast>),
    /// `trans t : condition`.
    Instances(Name, Option<Box<Ast>>),
}

/// What a quantifier makes of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Sum,
    All,
    Some,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub(crate) struct TypeAst {
    pub kind: TypeForm,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeForm {
    Named(Name),
    Enum(Vec<(Name, Option<Ast>)>),
    Struct(Vec<(TypeAst, Name)>),
    Union(Vec<(TypeAst, Name)>),
    Id(Ast),
    Array(Box<TypeAst>, Box<TypeAst>),
    Buffer {
        element: Box<TypeAst>,
        capacity: Ast,
        stack: bool,
    },
    Constrained(Box<TypeAst>, Vec<Range>),
}

/// A range of a constraint; one that is open has no end.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub low: Option<Ast>,
    pub high: Option<Ast>,
}

/// A function, or a constant.
#[derive(Clone, Debug)]
pub(crate) struct FunctionAst {
    pub ty: Name,
    pub name: Name,
    pub parameters: Vec<(Name, Name)>,
    pub inside: Ast,
}

/// A place.
#[derive(Clone, Debug)]
pub(crate) struct PlaceAst {
    pub name: Name,
    pub capacity: Vec<Vec<Range>>,
    pub ty: TypeAst,
    pub constant: bool,
    pub initial: Option<Ast>,
}

/// One `trans` block; a transition may have several.
#[derive(Clone, Debug)]
pub(crate) struct TransitionAst {
    pub name: Name,
    /// Whether it is only there to be called by others.
    pub callee: bool,
    pub parts: Vec<Part>,
}

/// A part of a transition.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// `!` behind the name.
    Urgent,
    Priority(u32),
    Variable {
        ty: Name,
        name: Name,
        /// Whether its values are drawn, and under which condition.
        output: Option<Option<Ast>>,
    },
    Function(FunctionAst),
    In(Name, Ast),
    Out(Name, Ast),
    Gate(Ast),
    Hide(Ast),
    Sets(SetKind, Ast),
    Call(Name),
}

/// What a set of instances is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SetKind {
    Weak,
    Strong,
    /// It is told if it is never enabled.
    Enabled,
}

/// A part of a net.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Type(TypeAst, Name),
    Function(FunctionAst),
    Place(PlaceAst),
    Transition(TransitionAst),
    Reject(Ast),
    Deadlock(Ast),
    Sets(SetKind, Vec<Ast>),
    Proposition(Name, Ast),
    Subnet(Vec<Item>, Span),
}
