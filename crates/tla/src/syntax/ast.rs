//! Syntax trees of modules.
//!
//! Operators are names: `a + b` applies the name `+`, whoever defines it. Spellings are canonical: `/\`, `\/`, `~`,
//! `\in`, `#`, `<=`, `>=`, `\cup`, `\cap`, `\o`, `\X`, `\div`, `=>`, `<=>`, `[]`, `<>`, `~>`, `-+->`, `\cdot`, `'`, and `-.` for
//! the minus sign of one number. Conjunctions and disjunctions, in lists or not, are nodes of their own.

use evenhand_source::Span;

use crate::names::Symbol;

/// A name where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Symbol,
    /// Where.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A natural number; none where it is too large.
    Number(Option<i32>),
    /// A number with a fraction, as it is written.
    Decimal(Symbol),
    /// A string.
    Text(Symbol),
    /// `TRUE` or `FALSE`.
    Truth(bool),
    /// `BOOLEAN`.
    Boolean,
    /// `STRING`.
    Strings,
    /// `@` in an `EXCEPT`.
    At,
    /// A name, an operator with its arguments, what an instance defines: `x`, `Op(a, b)`, `a + b`, `I(n)!Op(a)`.
    Apply(Path),
    /// A conjunction of two or more, or a list of one or more.
    And(Vec<Expr>),
    /// A disjunction.
    Or(Vec<Expr>),
    /// `\A`, `\E`, `\AA`, `\EE`.
    Quantified(Quantifier, Bounds, Box<Expr>),
    /// `CHOOSE x \in S : p`; without a set it is unbounded.
    Choose(Pattern, Option<Box<Expr>>, Box<Expr>),
    /// `{a, b}`.
    SetOf(Vec<Expr>),
    /// `{x \in S : p}`.
    Filter(Pattern, Box<Expr>, Box<Expr>),
    /// `{e : x \in S, y \in T}`.
    Image(Box<Expr>, Vec<Bound>),
    /// `[x \in S, y \in T |-> e]`.
    Function(Vec<Bound>, Box<Expr>),
    /// `[S -> T]`.
    Functions(Box<Expr>, Box<Expr>),
    /// `f[a, b]`.
    At1(Box<Expr>, Vec<Expr>),
    /// `[f EXCEPT ![a].b = e]`.
    Except(Box<Expr>, Vec<Update>),
    /// `[a |-> 1, b |-> 2]`.
    Record(Vec<(Ident, Expr)>),
    /// `[a : S, b : T]`.
    Records(Vec<(Ident, Expr)>),
    /// `r.a`.
    Field(Box<Expr>, Ident),
    /// `<<a, b>>`.
    Tuple(Vec<Expr>),
    /// `S \X T \X U`, two or more.
    Product(Vec<Expr>),
    /// `IF a THEN b ELSE c`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `CASE p -> a [] q -> b [] OTHER -> c`.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    /// `LET d IN e`: operators, functions, `RECURSIVE`, instances.
    Let(Vec<Unit>, Box<Expr>),
    /// `[A]_v`.
    Square(Box<Expr>, Box<Expr>),
    /// `<<A>>_v`.
    Angle(Box<Expr>, Box<Expr>),
    /// `WF_v(A)` or, if strong, `SF_v(A)`.
    Fair {
        /// Whether it is `SF`.
        strong: bool,
        /// The state function `v`.
        subscript: Box<Expr>,
        /// The action.
        action: Box<Expr>,
    },
    /// `LAMBDA x, y : e`, as an argument or a substitution.
    Lambda(Vec<Ident>, Box<Expr>),
    /// `label(x) :: e`.
    Label(Ident, Vec<Ident>, Box<Expr>),
}

/// A name with what stands in front of it: `A!B(x)!Op(y)`.
#[derive(Clone, Debug)]
pub struct Path {
    /// Instances, each with its arguments.
    pub prefix: Vec<Segment>,
    /// What is meant.
    pub last: Segment,
}

/// One part of a path.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its name, or which part of the definition so far.
    pub name: Selector,
    /// Its arguments; those that are operators are names or `LAMBDA`s.
    pub args: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// What a part of a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A name: an instance, an operator, a label.
    Name(Symbol),
    /// `!3`, `!<<` (1), `!>>` (2): a part of the expression so far.
    Part(u32),
    /// `!@`: the part below a quantifier or the arguments of a function.
    Below,
    /// `!:`: the definition itself.
    Whole,
    /// `!(a, b)`: arguments for bound names.
    Arguments,
}

/// Kinds of quantifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `\A`
    All,
    /// `\E`
    Exists,
    /// `\AA`
    AllTemporal,
    /// `\EE`
    ExistsTemporal,
}

/// What a quantifier binds.
#[derive(Clone, Debug)]
pub enum Bounds {
    /// Names with their sets.
    In(Vec<Bound>),
    /// Names alone.
    Free(Vec<Ident>),
}

/// `x, y \in S` or `<<x, y>> \in S`.
#[derive(Clone, Debug)]
pub struct Bound {
    /// What is bound: several patterns take their values from the same set, one after the other.
    pub patterns: Vec<Pattern>,
    /// The set.
    pub set: Expr,
}

/// A name, or a tuple of names.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `x`
    Name(Ident),
    /// `<<x, y>>`
    Tuple(Vec<Ident>),
}

/// `![a].b = e`
#[derive(Clone, Debug)]
pub struct Update {
    /// Where: never empty.
    pub place: Vec<Place>,
    /// The new value.
    pub value: Expr,
    /// Where it stands.
    pub span: Span,
}

/// One step of a place in a function.
#[derive(Clone, Debug)]
pub enum Place {
    /// `[a, b]`
    At(Vec<Expr>),
    /// `.a`
    Field(Ident),
}

/// A declaration of an operator: a constant, a parameter, a recursive one.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Its name.
    pub ident: Ident,
    /// The number of its arguments.
    pub arity: u32,
}

/// `Op(x, F(_)) == e`
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub ident: Ident,
    /// Its parameters.
    pub params: Vec<Declared>,
    /// What it is.
    pub body: Expr,
    /// Whether it is `LOCAL`.
    pub local: bool,
    /// All of it.
    pub span: Span,
}

/// `f[x \in S] == e`
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// Its name.
    pub ident: Ident,
    /// Its arguments.
    pub bounds: Vec<Bound>,
    /// Its values.
    pub body: Expr,
    /// Whether it is `LOCAL`.
    pub local: bool,
    /// All of it.
    pub span: Span,
}

/// `I(x) == INSTANCE M WITH a <- e`, or `INSTANCE M` without a name.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name, if it has one.
    pub ident: Option<Ident>,
    /// Its parameters.
    pub params: Vec<Declared>,
    /// The module.
    pub module: Ident,
    /// What takes the place of constants and variables.
    pub substitutions: Vec<(Ident, Expr)>,
    /// Whether it is `LOCAL`.
    pub local: bool,
    /// All of it.
    pub span: Span,
}

/// What a module consists of.
#[derive(Clone, Debug)]
pub enum Unit {
    /// `VARIABLES`
    Variables(Vec<Ident>),
    /// `CONSTANTS`
    Constants(Vec<Declared>),
    /// `RECURSIVE`
    Recursive(Vec<Declared>),
    /// An operator.
    Operator(Box<Definition>),
    /// A function.
    Function(Box<FunctionDefinition>),
    /// An instance of a module.
    Instance(Box<Instance>),
    /// `ASSUME`, with its name; `AXIOM` is not evaluated.
    Assume {
        /// Its name.
        ident: Option<Ident>,
        /// What is assumed.
        body: Expr,
        /// Whether it is an axiom.
        axiom: bool,
        /// All of it.
        span: Span,
    },
    /// `THEOREM` and the like: the name with the statement, where it is an expression. Proofs are passed over.
    Theorem {
        /// Its name.
        ident: Option<Ident>,
        /// The statement, unless it is `ASSUME … PROVE …`.
        body: Option<Expr>,
        /// The statement.
        span: Span,
    },
    /// A module inside of this one.
    Module(Box<Module>),
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub ident: Ident,
    /// The modules that it extends.
    pub extends: Vec<Ident>,
    /// What it consists of, in order.
    pub units: Vec<Unit>,
    /// All of it.
    pub span: Span,
}
