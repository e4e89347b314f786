//! Expressions compiled to a small accumulator code.
//!
//! The spike recorded in `docs/decisions/execution.md` compared this form with closures and native
//! code: interning a state costs several times what its guards and effects do, so a compact code
//! that needs no unsafe memory and no start-up time is the right trade. One operation is 8 bytes;
//! operands that are constants or byte variables are fused into the operator.
//!
//! The machine has an accumulator and a small stack; `Push` saves the accumulator, a binary
//! operator takes its left operand from the stack. Jumps keep the accumulator, which gives
//! short-circuit operators their value for free.

use evenhand_source::{Span, spend};

use super::expr::{
    BinaryOp, ChannelQuery, Expr, Index, Place, Receive, Run, Scalar, Scope, UnaryOp,
};
use super::expr::{Pattern, Remote, TypeId};
use super::memo::Region;

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Const(i32),
    Load(Mode, u32),
    /// The accumulator is a byte offset to add; so many bytes are in reach, [`u16::MAX`] if more.
    LoadAt(Mode, u16, u32),
    Push,
    Binary(BinaryOp),
    BinaryConst(BinaryOp, i32),
    BinaryGlobal8(BinaryOp, u32),
    BinaryLocal8(BinaryOp, u32),
    Unary(UnaryOp),
    Bool,
    /// Fails unless `0 <= acc < len`; the span is the place's.
    Check(u32),
    Scale(u32),
    JumpIfZero(u32),
    JumpIfNot(u32),
    Jump(u32),
    /// A jump backwards, as long as there is fuel.
    Turn(u32),
    /// Compares a byte with a constant, and leaves out the jump behind it if that holds: a bit for
    /// less, one for equal, one for more.
    Test {
        holds: u8,
        local: bool,
        offset: u16,
        value: i16,
    },
    /// Adds a constant to a byte.
    Bump {
        local: bool,
        offset: u16,
        value: u8,
    },
    /// [`Op::BinaryConst`] with operators that are frequent in loops.
    Add(i32),
    Rem(i32),
    /// Keeps the low bits, zero-extended.
    Keep(u8),
    Store(Mode, u32),
    /// The offset to add is on the stack; so many bytes are in reach.
    StoreAt(Mode, u16, u32),
    /// Exchanges the accumulator and the top of the stack.
    Swap,
    Pid,
    LastPid,
    ProcessCount,
    Timeout,
    NonProgress,
    Accepting,
    Channel(ChannelQuery),
    Enabled,
    LocationOf,
    PriorityOf,
    /// An operation with operands out of line: [`Code::complex`].
    Complex(u32),
    End,
}

/// Where and how a scalar is read or written: segment, then width; `I` is sign-extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Global8,
    Global16,
    GlobalI8,
    GlobalI16,
    Global32,
    Local8,
    Local16,
    LocalI8,
    LocalI16,
    Local32,
}

impl Mode {
    /// How many bytes there are.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Mode::Global8 | Mode::GlobalI8 | Mode::Local8 | Mode::LocalI8 => 1,
            Mode::Global16 | Mode::GlobalI16 | Mode::Local16 | Mode::LocalI16 => 2,
            Mode::Global32 | Mode::Local32 => 4,
        }
    }

    pub(crate) fn of(scope: Scope, scalar: Scalar) -> Mode {
        match (scope, scalar.bytes, scalar.signed) {
            (Scope::Global, 1, false) => Mode::Global8,
            (Scope::Global, 1, true) => Mode::GlobalI8,
            (Scope::Global, 2, false) => Mode::Global16,
            (Scope::Global, 2, true) => Mode::GlobalI16,
            (Scope::Global, ..) => Mode::Global32,
            (Scope::Local, 1, false) => Mode::Local8,
            (Scope::Local, 1, true) => Mode::LocalI8,
            (Scope::Local, 2, false) => Mode::Local16,
            (Scope::Local, 2, true) => Mode::LocalI16,
            (Scope::Local, ..) => Mode::Local32,
        }
    }
}

/// Where a compiled expression begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeId(pub(crate) u32);

/// An operation with operands out of line.
#[derive(Clone, Debug)]
pub(crate) enum Complex {
    /// Arguments are on the stack, the last in the accumulator.
    Run {
        process: TypeId,
        arguments: u8,
        priority: u8,
    },
    /// The pid is in the accumulator unless there is only one instance.
    At {
        process: TypeId,
        any: bool,
        locations: Vec<u32>,
    },
    /// The pid is on the stack unless there is only one instance; the accumulator is an offset.
    Remote {
        process: TypeId,
        any: bool,
        scalar: Scalar,
        offset: u32,
    },
    /// Polls with the compiled receive.
    Poll(Box<CompiledReceive>),
}

/// A receive with its parts compiled.
#[derive(Clone, Debug)]
pub(crate) struct CompiledReceive {
    pub channel: CodeId,
    pub patterns: Vec<CompiledPattern>,
    pub anywhere: bool,
    pub keep: bool,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CompiledPattern {
    Any,
    Equal(CodeId),
    /// Assigns the accumulator.
    Bind(CodeId),
}

/// All code of a program.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    /// For each operation, where it comes from.
    pub spans: Vec<Span>,
    pub complex: Vec<Complex>,
    /// What the code of loops may touch.
    pub regions: Vec<Region>,
    /// The deepest stack that any expression needs.
    pub depth: usize,
}

/// Compiles one piece of code; pieces inside it (of a poll) are placed before it.
struct Compiler<'a> {
    code: &'a mut Code,
    ops: Vec<Op>,
    spans: Vec<Span>,
    depth: usize,
    span: Span,
}

impl Code {
    /// Code that leaves the value of `expr` in the accumulator.
    pub fn value(&mut self, expr: &Expr) -> CodeId {
        self.compile(|c| c.value(expr))
    }

    /// Code that assigns values to places, one after the other.
    pub fn assignments(&mut self, list: &[(Place, Expr)]) -> CodeId {
        self.compile(|c| {
            list.iter()
                .for_each(|(place, expr)| c.assign(place, Some(expr)))
        })
    }

    /// Code that assigns the accumulator.
    pub fn store(&mut self, place: &Place) -> CodeId {
        self.compile(|c| c.assign(place, None))
    }

    /// Compiles the parts of a receive.
    pub fn receive(&mut self, receive: &Receive) -> CompiledReceive {
        let channel = self.value(&receive.channel);
        let patterns = receive
            .patterns
            .iter()
            .map(|pattern| match pattern {
                Pattern::Any => CompiledPattern::Any,
                Pattern::Equal(expr) => CompiledPattern::Equal(self.value(expr)),
                Pattern::Bind(place) => CompiledPattern::Bind(self.store(place)),
            })
            .collect();
        let Receive {
            anywhere,
            keep,
            span,
            ..
        } = *receive;
        CompiledReceive {
            channel,
            patterns,
            anywhere,
            keep,
            span,
        }
    }

    fn compile(&mut self, body: impl FnOnce(&mut Compiler<'_>)) -> CodeId {
        let (ops, spans) = (Vec::new(), Vec::new());
        let mut compiler = Compiler {
            code: self,
            ops,
            spans,
            depth: 0,
            span: Span::default(),
        };
        body(&mut compiler);
        compiler.emit(Op::End);
        let (mut ops, mut spans) = (compiler.ops, compiler.spans);
        let start = self.ops.len() as u32;
        for op in &mut ops {
            if let Op::JumpIfZero(t) | Op::JumpIfNot(t) | Op::Jump(t) = op {
                *t += start;
            }
        }
        self.ops.append(&mut ops);
        self.spans.append(&mut spans);
        CodeId(start)
    }
}

impl Compiler<'_> {
    fn emit(&mut self, op: Op) {
        spend();
        self.ops.push(op);
        self.spans.push(self.span);
    }

    fn push(&mut self) {
        self.emit(Op::Push);
        self.depth += 1;
        self.code.depth = self.code.depth.max(self.depth);
    }

    /// A forward jump whose target is set by [`Compiler::land`].
    fn jump(&mut self, op: fn(u32) -> Op) -> usize {
        self.emit(op(0));
        self.ops.len() - 1
    }

    fn land(&mut self, jump: usize) {
        let here = self.ops.len() as u32;
        if let Op::JumpIfZero(t) | Op::JumpIfNot(t) | Op::Jump(t) = &mut self.ops[jump] {
            *t = here;
        }
    }

    fn value(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(value) => self.emit(Op::Const(*value)),
            Expr::Load(place) => {
                let mode = Mode::of(place.scope, place.scalar);
                self.span = place.span;
                if self.offset(&place.indices) {
                    self.emit(Op::LoadAt(mode, reach(place), place.offset));
                } else {
                    self.emit(Op::Load(mode, place.offset));
                }
            }
            Expr::Unary(op, operand) => {
                self.value(operand);
                self.emit(Op::Unary(*op));
            }
            Expr::Binary(op, operands, span) => self.binary(*op, &operands.0, &operands.1, *span),
            Expr::Conditional(parts) => {
                self.value(&parts.0);
                let otherwise = self.jump(Op::JumpIfZero);
                self.value(&parts.1);
                let end = self.jump(Op::Jump);
                self.land(otherwise);
                self.value(&parts.2);
                self.land(end);
            }
            Expr::Pid => self.emit(Op::Pid),
            Expr::LastPid => self.emit(Op::LastPid),
            Expr::ProcessCount => self.emit(Op::ProcessCount),
            Expr::Timeout => self.emit(Op::Timeout),
            Expr::NonProgress => self.emit(Op::NonProgress),
            Expr::Accepting => self.emit(Op::Accepting),
            Expr::Channel(query, channel, span) => {
                self.value(channel);
                self.span = *span;
                self.emit(Op::Channel(*query));
            }
            Expr::Enabled(pid) => {
                self.value(pid);
                self.emit(Op::Enabled);
            }
            Expr::LocationOf(pid) => {
                self.value(pid);
                self.emit(Op::LocationOf);
            }
            Expr::PriorityOf(pid) => {
                self.value(pid);
                self.emit(Op::PriorityOf);
            }
            Expr::Run(run) => self.run(run),
            Expr::AtLocation(at) => {
                at.pid.iter().for_each(|pid| self.value(pid));
                self.span = at.span;
                let locations = at.locations.iter().map(|l| l.0).collect();
                let any = at.pid.is_none();
                self.complex(Complex::At {
                    process: at.process,
                    any,
                    locations,
                });
            }
            Expr::Remote(remote) => self.remote(remote),
            Expr::Poll(receive) => {
                let compiled = self.code.receive(receive);
                self.span = receive.span;
                self.complex(Complex::Poll(Box::new(compiled)));
            }
        }
    }

    fn complex(&mut self, complex: Complex) {
        self.code.complex.push(complex);
        let index = self.code.complex.len() as u32 - 1;
        self.emit(Op::Complex(index));
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            self.value(left);
            let jump = if op == BinaryOp::And {
                Op::JumpIfZero
            } else {
                Op::JumpIfNot
            };
            let end = self.jump(jump);
            self.value(right);
            self.land(end);
            if !(is_truth(left) && is_truth(right)) {
                self.emit(Op::Bool);
            }
            return;
        }
        self.value(left);
        match right {
            Expr::Const(value) => {
                self.span = span;
                self.emit(Op::BinaryConst(op, *value));
            }
            Expr::Load(place) if place.indices.is_empty() && is_byte(place.scalar) => {
                self.span = span;
                self.emit(match place.scope {
                    Scope::Global => Op::BinaryGlobal8(op, place.offset),
                    Scope::Local => Op::BinaryLocal8(op, place.offset),
                });
            }
            _ => {
                self.push();
                self.value(right);
                self.depth -= 1;
                self.span = span;
                self.emit(Op::Binary(op));
            }
        }
    }

    /// Leaves the byte offset that the indices add in the accumulator; false if there are none.
    fn offset(&mut self, indices: &[Index]) -> bool {
        for (number, index) in indices.iter().enumerate() {
            if number > 0 {
                self.push();
            }
            let span = self.span;
            self.value(&index.value);
            self.span = span;
            self.emit(Op::Check(index.len));
            if index.stride != 1 {
                self.emit(Op::Scale(index.stride));
            }
            if number > 0 {
                self.depth -= 1;
                self.emit(Op::Binary(BinaryOp::Add));
            }
        }
        !indices.is_empty()
    }

    /// Assigns a value, or the accumulator where none is given.
    fn assign(&mut self, place: &Place, value: Option<&Expr>) {
        let mode = Mode::of(place.scope, place.scalar);
        let indexed = !place.indices.is_empty();
        self.span = place.span;
        match value {
            Some(value) if indexed => {
                self.offset(&place.indices);
                self.push();
                self.value(value);
            }
            Some(value) => self.value(value),
            None if indexed => {
                // The value waits below the offset: value, offset -> offset, value.
                self.push();
                self.offset(&place.indices);
                self.emit(Op::Swap);
            }
            None => {}
        }
        self.span = place.span;
        if place.scalar.bits < 8 * place.scalar.bytes {
            self.emit(Op::Keep(place.scalar.bits));
        }
        if indexed {
            self.depth -= 1;
            self.emit(Op::StoreAt(mode, reach(place), place.offset));
        } else {
            self.emit(Op::Store(mode, place.offset));
        }
    }

    fn run(&mut self, run: &Run) {
        for (number, argument) in run.arguments.iter().enumerate() {
            if number > 0 {
                self.push();
            }
            self.value(argument);
        }
        self.depth -= run.arguments.len().saturating_sub(1);
        self.span = run.span;
        let arguments = run.arguments.len() as u8;
        self.complex(Complex::Run {
            process: run.process,
            arguments,
            priority: run.priority,
        });
    }

    fn remote(&mut self, remote: &Remote) {
        if let Some(pid) = &remote.pid {
            self.value(pid);
            self.push();
        }
        self.span = remote.place.span;
        if !self.offset(&remote.place.indices) {
            self.emit(Op::Const(0));
        }
        if remote.pid.is_some() {
            self.depth -= 1;
        }
        self.span = remote.place.span;
        let (scalar, offset) = (remote.place.scalar, remote.place.offset);
        let any = remote.pid.is_none();
        self.complex(Complex::Remote {
            process: remote.process,
            any,
            scalar,
            offset,
        });
    }
}

/// How many bytes a place with indices may mean.
fn reach(place: &Place) -> u16 {
    let indices = place.indices.iter();
    let last = indices.map(|i| u64::from(i.len.saturating_sub(1)) * u64::from(i.stride));
    let reach = last.sum::<u64>() + u64::from(place.scalar.bytes);
    u16::try_from(reach).unwrap_or(u16::MAX)
}

fn is_byte(scalar: Scalar) -> bool {
    scalar.bytes == 1 && !scalar.signed
}

/// Whether the value can only be 0 or 1.
fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::Const(value) => (0..=1).contains(value),
        Expr::Unary(UnaryOp::Not, _)
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Accepting
        | Expr::Poll(_)
        | Expr::Enabled(_)
        | Expr::AtLocation(_) => true,
        Expr::Channel(query, ..) => *query != ChannelQuery::Len,
        Expr::Binary(op, ..) => {
            use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
            matches!(op, Lt | Le | Gt | Ge | Eq | Ne | And | Or)
        }
        _ => false,
    }
}
