//! Expressions whose names have a meaning: what the machine evaluates.
//!
//! Variables, and what quantifiers count through, are places in the memory of the machine.

use evenhand_source::Span;

use super::types::TypeId;

/// A place of the net, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PlaceId(pub u32);

impl PlaceId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression with one value.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub ty: TypeId,
    pub op: Op,
    pub span: Span,
}

/// What a quantifier counts through.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    pub ty: TypeId,
    /// Where its value is.
    pub offset: usize,
    pub condition: Option<Box<Expr>>,
}

/// An operation.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// One number.
    Number(i64),
    /// A constant of another size.
    Constant(Box<[i64]>),
    /// What is in memory at a place.
    Load(usize),
    /// A variable for each value of a type: the one of the value of a counter, or of the value before.
    Family {
        base: usize,
        index: TypeId,
        counter: usize,
        before: bool,
    },
    /// A part of a value, from a place in it; the whole value as one of another type.
    Part(Box<Expr>, usize),
    Item {
        array: Box<Expr>,
        index: Box<Expr>,
    },
    /// A component of a union, which must be the active one.
    Component(Box<Expr>, usize),
    IsActive(Box<Expr>, usize),
    /// Values one after the other: a struct or an array.
    Row(Vec<Expr>),
    Buffer(Vec<Expr>),
    Union(usize, Box<Expr>),
    WithPart(Box<Expr>, usize, Box<Expr>),
    WithItem {
        array: Box<Expr>,
        index: Box<Expr>,
        item: Box<Expr>,
    },
    /// The items of an array moved to lower places, or to higher ones.
    Rotate {
        array: Box<Expr>,
        by: Box<Expr>,
        up: bool,
    },
    /// An item of a buffer.
    Peek(Box<Expr>, Option<Box<Expr>>),
    /// A buffer without an item, or without several.
    Remove {
        buffer: Box<Expr>,
        index: Option<Box<Expr>>,
        count: Option<Box<Expr>>,
    },
    /// A buffer with one more item.
    Insert {
        buffer: Box<Expr>,
        index: Option<Box<Expr>>,
        item: Box<Expr>,
    },
    Used(Box<Expr>),
    Free(Box<Expr>),
    /// Arithmetic on numbers, within the range of the type.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Negate(Box<Expr>),
    Complement(Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// Whether two truth values are the same.
    Same(Box<Expr>, Box<Expr>),
    Next(Box<Expr>),
    Previous(Box<Expr>),
    /// The largest value of the first chooses the first of the others.
    Select(Box<Expr>, Vec<Expr>),
    /// The value as one of another type, which is checked.
    Convert(Box<Expr>),
    /// Whether all, or some, values satisfy something.
    Quantified {
        all: bool,
        counter: Counter,
        inside: Box<Expr>,
    },
    Measure(Measure, Box<BagExpr>),
    Within(Box<BagExpr>, Box<BagExpr>),
    Equal(Box<BagExpr>, Box<BagExpr>),
    Undefined,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Different,
    Less,
    AtMost,
    More,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Cardinality,
    Largest,
    Smallest,
}

/// An expression that is a multiset.
#[derive(Clone, Debug)]
pub(crate) struct BagExpr {
    /// The type of its values.
    pub ty: TypeId,
    pub op: BagOp,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum BagOp {
    Empty,
    Place(PlaceId),
    One(Expr),
    Sum(Vec<BagExpr>),
    Times(Expr, Box<BagExpr>),
    /// One for each value of a counter.
    Quantified(Counter, Box<BagExpr>),
    Select(Box<Expr>, Vec<BagExpr>),
    Minus(Box<BagExpr>, Box<BagExpr>),
    Intersect(Box<BagExpr>, Box<BagExpr>),
    Filter {
        offset: usize,
        from: Box<BagExpr>,
        condition: Box<Expr>,
    },
    /// With a place for the multiplicity, each different value counts once.
    Map {
        count: Option<usize>,
        offset: usize,
        from: Box<BagExpr>,
        inside: Box<BagExpr>,
    },
}

impl Expr {
    pub fn new(ty: TypeId, op: Op, span: Span) -> Expr {
        Expr { ty, op, span }
    }

    pub fn is_constant(&self) -> bool {
        matches!(self.op, Op::Number(_) | Op::Constant(_))
    }

    /// Calls for each place in memory that is read: where it begins; a family with its counter.
    pub fn each(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Expr(self));
        match &self.op {
            Op::Number(_) | Op::Constant(_) | Op::Load(_) | Op::Family { .. } | Op::Undefined => {}
            Op::Part(a, _) | Op::Component(a, _) | Op::IsActive(a, _) | Op::Union(_, a) => {
                a.each(visit);
            }
            Op::Used(a) | Op::Free(a) | Op::Negate(a) | Op::Complement(a) | Op::Not(a) => {
                a.each(visit);
            }
            Op::Next(a) | Op::Previous(a) | Op::Convert(a) => a.each(visit),
            Op::Item { array: a, index: b }
            | Op::WithPart(a, _, b)
            | Op::Rotate {
                array: a, by: b, ..
            }
            | Op::Arithmetic(_, a, b)
            | Op::Compare(_, a, b)
            | Op::Same(a, b) => {
                a.each(visit);
                b.each(visit);
            }
            Op::Row(list) | Op::Buffer(list) | Op::And(list) | Op::Or(list) => {
                list.iter().for_each(|a| a.each(visit));
            }
            Op::WithItem { array, index, item } => {
                array.each(visit);
                index.each(visit);
                item.each(visit);
            }
            Op::Peek(a, index) => {
                a.each(visit);
                index.iter().for_each(|a| a.each(visit));
            }
            Op::Remove {
                buffer,
                index,
                count,
            } => {
                buffer.each(visit);
                index.iter().chain(count).for_each(|a| a.each(visit));
            }
            Op::Insert {
                buffer,
                index,
                item,
            } => {
                buffer.each(visit);
                index.iter().for_each(|a| a.each(visit));
                item.each(visit);
            }
            Op::Select(a, list) => {
                a.each(visit);
                list.iter().for_each(|a| a.each(visit));
            }
            Op::Quantified {
                counter, inside, ..
            } => {
                counter.condition.iter().for_each(|a| a.each(visit));
                inside.each(visit);
            }
            Op::Measure(_, bag) => bag.each(visit),
            Op::Within(a, b) | Op::Equal(a, b) => {
                a.each(visit);
                b.each(visit);
            }
        }
    }
}

impl Expr {
    /// Calls for each place of the net that is read.
    pub fn places(&self, visit: &mut dyn FnMut(PlaceId)) {
        self.each(&mut |part| {
            if let Part::Bag(BagExpr {
                op: BagOp::Place(place),
                ..
            }) = part
            {
                visit(*place);
            }
        });
    }
}

/// A part of an expression.
pub(crate) enum Part<'e> {
    Expr(&'e Expr),
    Bag(&'e BagExpr),
}

impl BagExpr {
    pub fn new(ty: TypeId, op: BagOp, span: Span) -> BagExpr {
        BagExpr { ty, op, span }
    }

    pub fn each(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Bag(self));
        match &self.op {
            BagOp::Empty | BagOp::Place(_) => {}
            BagOp::One(a) => a.each(visit),
            BagOp::Sum(list) => list.iter().for_each(|a| a.each(visit)),
            BagOp::Times(a, b) => {
                a.each(visit);
                b.each(visit);
            }
            BagOp::Quantified(counter, inside) => {
                counter.condition.iter().for_each(|a| a.each(visit));
                inside.each(visit);
            }
            BagOp::Select(a, list) => {
                a.each(visit);
                list.iter().for_each(|a| a.each(visit));
            }
            BagOp::Minus(a, b) | BagOp::Intersect(a, b) => {
                a.each(visit);
                b.each(visit);
            }
            BagOp::Filter {
                from, condition, ..
            } => {
                from.each(visit);
                condition.each(visit);
            }
            BagOp::Map { from, inside, .. } => {
                from.each(visit);
                inside.each(visit);
            }
        }
    }

    /// Calls for each place of the net that is read.
    pub fn places(&self, visit: &mut dyn FnMut(PlaceId)) {
        self.each(&mut |part| {
            if let Part::Bag(BagExpr {
                op: BagOp::Place(place),
                ..
            }) = part
            {
                visit(*place);
            }
        });
    }
}
