//! The syntax tree.

use evenhand_source::Span;

use crate::token::{Name, WordConstant};

/// A file: its modules.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The modules in the order of the text.
    pub modules: Vec<Module>,
}

/// A name at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The name; a declared name may have dots and brackets: `a.b[3]`.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub parameters: Vec<Ident>,
    /// What it consists of.
    pub items: Vec<Item>,
}

/// One part of a module.
#[derive(Clone, Debug)]
pub enum Item {
    /// A variable, or an instance of a module.
    Variable(VariableKind, Ident, TypeExpr),
    /// A definition.
    Define(Ident, Expr),
    /// An assignment to a variable.
    Assign(Assignment),
    /// A condition on initial states.
    Init(Expr),
    /// A condition on steps.
    Trans(Expr),
    /// A condition on all states.
    Invar(Expr),
    /// Justice.
    Justice(Expr),
    /// Compassion.
    Compassion(Expr, Expr),
    /// A property.
    Property(PropertyItem),
    /// Names that may be values.
    Constants(Vec<Ident>),
    /// The contents of another module.
    Isa(Ident),
    /// A condition that is asked for from outside of the text.
    Condition(Expr),
}

/// How a variable was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// `VAR`.
    State,
    /// `FROZENVAR`.
    Frozen,
    /// `IVAR`.
    Input,
}

/// An assignment.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Which value of the variable it gives.
    pub when: When,
    /// The variable.
    pub target: Expr,
    /// The value, or the set of values.
    pub value: Expr,
    /// All of it, up to the value.
    pub span: Span,
}

/// Which value an assignment gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum When {
    /// `x := …`: the value in every state.
    Now,
    /// `init(x) := …`.
    Init,
    /// `next(x) := …`.
    Next,
}

/// A property as it stands in a module.
#[derive(Clone, Debug)]
pub struct PropertyItem {
    /// Its kind.
    pub kind: PropertyItemKind,
    /// `NAME x :=`.
    pub name: Option<Expr>,
    /// The formula; of `COMPUTE` the first one.
    pub body: Expr,
    /// `IN instance`.
    pub context: Option<Expr>,
    /// Where the whole stands.
    pub span: Span,
}

/// Kinds of properties.
#[derive(Clone, Debug)]
pub enum PropertyItemKind {
    /// `INVARSPEC`.
    Invariant,
    /// `LTLSPEC`.
    Ltl,
    /// `CTLSPEC` or `SPEC`.
    Ctl,
    /// `PSLSPEC`.
    Psl,
    /// `COMPUTE`: whether the minimum, and the second formula.
    Compute(bool, Expr),
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// Types as written.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `boolean`.
    Boolean,
    /// `word[n]`: signed or not, and the width.
    Word(bool, Expr),
    /// `a..b`.
    Range(Expr, Expr),
    /// `{a, 1, b}`.
    Enumeration(Vec<(EnumValue, Span)>),
    /// `array a..b of type`.
    Array(Expr, Expr, Box<TypeExpr>),
    /// `array word[n] of type`, `array of type`: what only solvers without limits can treat.
    Unbounded,
    /// An instance of a module; whether it is a process.
    Instance(Ident, Vec<Expr>, bool),
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub enum EnumValue {
    /// A number.
    Number(i64),
    /// A name.
    Name(Name),
    /// `TRUE` or `FALSE`, which no enumeration may have.
    Truth(bool),
}

/// An expression or formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Expressions and formulas. Operators that associate to the left are chains, so that long ones do
/// not nest.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `TRUE` or `FALSE`.
    Truth(bool),
    /// An integer.
    Number(i64),
    /// A word constant.
    Word(WordConstant),
    /// A name.
    Name(Name),
    /// `self`.
    Itself,
    /// `instance.name`.
    Dot(Box<Expr>, Name),
    /// `array[index]`.
    Index(Box<Expr>, Box<Expr>),
    /// `word[high:low]`.
    Bits(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `!e`.
    Not(Box<Expr>),
    /// `-e`.
    Negative(Box<Expr>),
    /// `next(e)`.
    Next(Box<Expr>),
    /// A built-in function.
    Call(Function, Vec<Expr>),
    /// `case condition : value; … esac`.
    Case(Vec<(Expr, Expr)>),
    /// `c ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Operators of one precedence, from left to right.
    Chain(Box<Expr>, Vec<(Operator, Expr)>),
    /// `a -> b`.
    Implies(Box<Expr>, Box<Expr>),
    /// `{a, b}`.
    Set(Vec<Expr>),
    /// `a..b`.
    Range(Box<Expr>, Box<Expr>),
    /// `[a, b]`: an array, in definitions.
    Array(Vec<Expr>),
    /// A temporal operator with one operand, perhaps with bounds.
    Temporal(Temporal, Option<(u32, u32)>, Box<Expr>),
    /// A path quantifier.
    Path(Quantifier, Box<Expr>),
    /// `EBF a..b p` and its kind: quantifier, whether `F` (or `G`), bounds.
    BoundedPath(Quantifier, bool, (i64, i64), Box<Expr>),
    /// `E [p BU a..b q]`.
    BoundedUntil(Quantifier, Box<Expr>, (i64, i64), Box<Expr>),
}

/// Built-in functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the language")]
pub enum Function {
    Bool,
    Word1,
    Toint,
    Signed,
    Unsigned,
    Extend,
    Resize,
    Sizeof,
    Uwconst,
    Swconst,
    Abs,
    Min,
    Max,
    Count,
    /// `READ`, `WRITE`, `CONSTARRAY`: of arrays without limits.
    Unbounded,
}

/// Operators of chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Operator {
    Iff,
    Or,
    Xor,
    Xnor,
    And,
    Until,
    WeakUntil,
    Release,
    Since,
    Trigger,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    In,
    Union,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Concatenate,
}

impl Operator {
    /// Whether it is an operator between formulas about time.
    pub fn is_temporal(self) -> bool {
        use Operator::{Release, Since, Trigger, Until, WeakUntil};
        matches!(self, Until | WeakUntil | Release | Since | Trigger)
    }

    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Iff => "<->",
            Operator::Or => "|",
            Operator::Xor => "xor",
            Operator::Xnor => "xnor",
            Operator::And => "&",
            Operator::Until => "U",
            Operator::WeakUntil => "W",
            Operator::Release => "V",
            Operator::Since => "S",
            Operator::Trigger => "T",
            Operator::Equal => "=",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::Greater => ">",
            Operator::LessEqual => "<=",
            Operator::GreaterEqual => ">=",
            Operator::In => "in",
            Operator::Union => "union",
            Operator::ShiftLeft => "<<",
            Operator::ShiftRight => ">>",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "mod",
            Operator::Concatenate => "::",
        }
    }
}

pub use evenhand_logic::{Quantifier, Unary as Temporal};

impl Expr {
    /// An expression at a place.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        Expr { kind, span }
    }

    /// The operands, from left to right.
    pub fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Truth(_)
            | ExprKind::Number(_)
            | ExprKind::Word(_)
            | ExprKind::Name(_)
            | ExprKind::Itself => Vec::new(),
            ExprKind::Dot(a, _)
            | ExprKind::Not(a)
            | ExprKind::Negative(a)
            | ExprKind::Next(a)
            | ExprKind::Temporal(_, _, a)
            | ExprKind::Path(_, a)
            | ExprKind::BoundedPath(_, _, _, a) => vec![a],
            ExprKind::Index(a, b)
            | ExprKind::Implies(a, b)
            | ExprKind::Range(a, b)
            | ExprKind::BoundedUntil(_, a, _, b) => vec![a, b],
            ExprKind::Bits(a, b, c) | ExprKind::Conditional(a, b, c) => vec![a, b, c],
            ExprKind::Call(_, list) | ExprKind::Set(list) | ExprKind::Array(list) => {
                list.iter().collect()
            }
            ExprKind::Case(list) => list.iter().flat_map(|(c, v)| [c, v]).collect(),
            ExprKind::Chain(first, rest) => std::iter::once(&**first)
                .chain(rest.iter().map(|(_, e)| e))
                .collect(),
        }
    }
}
