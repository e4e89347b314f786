//! The machine that executes the code of expressions and assignments.
//!
//! Guards are evaluated on the state they belong to; effects run on a copy. Both are this one
//! function: over read-only memory the operations that write cannot occur, since only assignments
//! and process creation compile to them and those are executed on copies alone.

use super::code::{CodeId, Complex, Mode, Op};
use super::expr::{ChannelQuery, UnaryOp};
use super::shape::{ShapeCache, shape_id};
use super::{LocationSpec, Program, channel};
use crate::fault::{Fault, FaultKind};

/// A run-time error, boxed: it is rare and the result of an evaluation stays small.
pub(crate) type Failure = Box<Fault>;

/// Who executes, and under which circumstances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub pid: u8,
    /// Where its segment begins.
    pub base: u32,
    /// Whether `timeout` holds.
    pub timeout: bool,
}

/// The program and the shapes.
#[derive(Debug)]
pub(crate) struct Env<'p> {
    pub program: &'p Program,
    pub shapes: ShapeCache<'p>,
    /// The processes that `enabled` is being asked about.
    pub asked: Vec<i32>,
    /// How many jumps backwards there may be.
    pub fuel: u32,
}

/// The bytes that code works on.
pub(crate) trait Memory {
    fn bytes(&self) -> &[u8];
    /// The state, where it may be changed.
    fn state(&mut self) -> Option<&mut Vec<u8>>;
}

/// A state that is only read.
pub(crate) struct Pure<'a>(pub &'a [u8]);

impl Memory for Pure<'_> {
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self.0
    }
    #[inline(always)]
    fn state(&mut self) -> Option<&mut Vec<u8>> {
        None
    }
}

impl Memory for Vec<u8> {
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self
    }
    #[inline(always)]
    fn state(&mut self) -> Option<&mut Vec<u8>> {
        Some(self)
    }
}

impl Env<'_> {
    /// The value of an expression in a state.
    #[inline]
    pub fn value(&mut self, code: CodeId, state: &[u8], frame: Frame) -> Result<i32, Failure> {
        self.execute(code, &mut Pure(state), frame, 0)
    }

    /// Executes code; `acc` is the accumulator it starts with.
    #[inline]
    pub fn execute<M: Memory>(
        &mut self,
        code: CodeId,
        memory: &mut M,
        frame: Frame,
        acc: i32,
    ) -> Result<i32, Failure> {
        // Almost all expressions need a shallow stack; clearing a deep one costs more than they do.
        if self.program.code.depth <= 8 {
            self.run::<M, 8>(code, memory, frame, acc)
        } else {
            self.run::<M, 512>(code, memory, frame, acc)
        }
    }

    fn run<M: Memory, const DEPTH: usize>(
        &mut self,
        code: CodeId,
        memory: &mut M,
        frame: Frame,
        mut acc: i32,
    ) -> Result<i32, Failure> {
        let program = self.program;
        let ops = &program.code.ops[..];
        let base = frame.base as usize;
        let mut stack = [0i32; DEPTH];
        let mut top = 0;
        let mut at = code.0 as usize;
        macro_rules! fail {
            ($kind:expr) => {
                return Err(Box::new(Fault {
                    kind: $kind,
                    span: program.code.spans[at],
                }))
            };
        }
        loop {
            match ops[at] {
                Op::Const(value) => acc = value,
                Op::Load(mode, offset) => acc = load(memory.bytes(), mode, offset as usize, base),
                Op::LoadAt(mode, _, offset) => {
                    acc = load(memory.bytes(), mode, offset as usize + acc as usize, base);
                }
                Op::Push => {
                    stack[top] = acc;
                    top += 1;
                }
                Op::Swap => std::mem::swap(&mut stack[top - 1], &mut acc),
                Op::Binary(op) => {
                    top -= 1;
                    match op.apply(stack[top], acc) {
                        Some(value) => acc = value,
                        None => fail!(FaultKind::DivisionByZero),
                    }
                }
                Op::BinaryConst(op, value) => match op.apply(acc, value) {
                    Some(value) => acc = value,
                    None => fail!(FaultKind::DivisionByZero),
                },
                Op::BinaryGlobal8(op, offset) => {
                    match op.apply(acc, i32::from(memory.bytes()[offset as usize])) {
                        Some(value) => acc = value,
                        None => fail!(FaultKind::DivisionByZero),
                    }
                }
                Op::BinaryLocal8(op, offset) => {
                    match op.apply(acc, i32::from(memory.bytes()[base + offset as usize])) {
                        Some(value) => acc = value,
                        None => fail!(FaultKind::DivisionByZero),
                    }
                }
                Op::Unary(UnaryOp::Not) => acc = i32::from(acc == 0),
                Op::Unary(UnaryOp::Neg) => acc = acc.wrapping_neg(),
                Op::Unary(UnaryOp::Complement) => acc = !acc,
                Op::Bool => acc = i32::from(acc != 0),
                Op::Check(len) => {
                    if acc as u32 >= len {
                        fail!(FaultKind::Index { index: acc, len });
                    }
                }
                Op::Scale(stride) => acc = acc.wrapping_mul(stride as i32),
                Op::JumpIfZero(target) => {
                    if acc == 0 {
                        at = target as usize;
                        continue;
                    }
                }
                Op::JumpIfNot(target) => {
                    if acc != 0 {
                        at = target as usize;
                        continue;
                    }
                }
                Op::Jump(target) => {
                    at = target as usize;
                    continue;
                }
                // What follows is the jump of a condition that does not hold.
                Op::Test {
                    holds,
                    local,
                    offset,
                    value,
                } => {
                    let at_byte = usize::from(offset) + if local { base } else { 0 };
                    let order = i16::from(memory.bytes()[at_byte]).cmp(&value);
                    acc = i32::from(holds >> (order as i8 + 1) & 1);
                    if acc != 0 {
                        at += 2;
                        continue;
                    }
                }
                Op::Bump {
                    local,
                    offset,
                    value,
                } => {
                    let at_byte = usize::from(offset) + if local { base } else { 0 };
                    if let Some(state) = memory.state() {
                        state[at_byte] = state[at_byte].wrapping_add(value);
                    }
                }
                Op::Add(value) => acc = acc.wrapping_add(value),
                Op::Rem(value) => acc = acc.wrapping_rem(value),
                Op::Turn(target) => {
                    if self.fuel > 0 {
                        self.fuel -= 1;
                        at = target as usize;
                        continue;
                    }
                }
                Op::Keep(bits) => acc &= ((1u64 << bits) - 1) as i32,
                Op::Store(mode, offset) => {
                    if let Some(state) = memory.state() {
                        store(state, mode, offset as usize, base, acc);
                    }
                }
                Op::StoreAt(mode, _, offset) => {
                    top -= 1;
                    if let Some(state) = memory.state() {
                        store(
                            state,
                            mode,
                            offset as usize + stack[top] as usize,
                            base,
                            acc,
                        );
                    }
                }
                Op::Pid => acc = i32::from(frame.pid),
                Op::LastPid => {
                    acc = program
                        .spec
                        .last_pid
                        .map_or(0, |o| memory.bytes()[o as usize].into());
                }
                Op::ProcessCount => acc = self.shapes.of(memory.bytes()).processes.len() as i32,
                Op::Timeout => acc = i32::from(frame.timeout),
                Op::NonProgress => {
                    acc = i32::from(!self.some_process(memory.bytes(), |l| l.progress));
                }
                Op::Accepting => acc = i32::from(self.some_process(memory.bytes(), |l| l.accept)),
                Op::Channel(query) => match self.query(query, memory.bytes(), acc) {
                    Ok(value) => acc = value,
                    Err(kind) => fail!(kind),
                },
                Op::Enabled => acc = i32::from(self.is_enabled(memory.bytes(), acc)),
                Op::LocationOf => acc = self.location_number(memory.bytes(), acc).unwrap_or(0),
                Op::PriorityOf => acc = self.priority_of(memory.bytes(), acc),
                Op::Complex(index) => match &program.code.complex[index as usize] {
                    Complex::Run {
                        process,
                        arguments,
                        priority,
                    } => {
                        let count = *arguments as usize;
                        if count > 0 {
                            stack[top] = acc;
                        }
                        top = (top + 1).saturating_sub(count.max(1));
                        let values: Vec<i32> = stack[top..top + count].to_vec();
                        let span = program.code.spans[at];
                        if let Some(state) = memory.state() {
                            acc = self.create(state, *process, &values, *priority, span)?;
                        }
                    }
                    Complex::At {
                        process,
                        any,
                        locations,
                    } => {
                        let pid = if *any { None } else { Some(acc) };
                        let found = self.find(memory.bytes(), *process, pid);
                        acc = i32::from(found.is_some_and(|(pid, _)| {
                            self.location_of(memory.bytes(), pid.into())
                                .is_some_and(|l| locations.contains(&(l as u32)))
                        }));
                    }
                    Complex::Remote {
                        process,
                        any,
                        scalar,
                        offset,
                    } => {
                        let pid = if *any {
                            None
                        } else {
                            top -= 1;
                            Some(stack[top])
                        };
                        let count = self.shapes.of(memory.bytes()).processes.len();
                        let exists =
                            pid.is_some_and(|p| usize::try_from(p).is_ok_and(|p| p < count));
                        let found = self.find(memory.bytes(), *process, pid);
                        let mode = Mode::of(super::expr::Scope::Local, *scalar);
                        let offset = *offset as usize + acc as usize;
                        acc = match found {
                            Some((_, base)) => load(memory.bytes(), mode, offset, base as usize),
                            // Of a process that is gone SPIN reads zeros.
                            None if !exists => 0,
                            None => fail!(FaultKind::NoSuchProcess(pid.unwrap_or(-1))),
                        };
                    }
                    Complex::Poll(receive) => {
                        acc = i32::from(self.poll(receive, memory.bytes(), frame)?);
                    }
                },
                Op::End => return Ok(acc),
            }
            at += 1;
        }
    }

    fn query(&mut self, query: ChannelQuery, state: &[u8], id: i32) -> Result<i32, FaultKind> {
        let (capacity, len) = channel::occupancy(self, state, id)?;
        Ok(match query {
            ChannelQuery::Len => len.into(),
            // Of a rendezvous channel only the handshake fills the slot; outside of it, it is
            // empty.
            ChannelQuery::Full => i32::from(capacity > 0 && len == capacity),
            ChannelQuery::NotFull => i32::from(capacity == 0 || len < capacity),
            ChannelQuery::Empty => i32::from(len == 0),
            ChannelQuery::NotEmpty => i32::from(len > 0),
        })
    }

    /// The process a remote reference means: number and offset.
    fn find(
        &mut self,
        state: &[u8],
        process: super::expr::TypeId,
        pid: Option<i32>,
    ) -> Option<(u8, u32)> {
        let shape = self.shapes.of(state);
        let index = match pid {
            Some(pid) => usize::try_from(pid).ok()?,
            None => shape.processes.iter().position(|&(t, _)| t == process)?,
        };
        let &(found, base) = shape.processes.get(index)?;
        (found == process).then_some((index as u8, base))
    }

    /// The control location of a process, by number.
    pub fn location_of(&mut self, state: &[u8], pid: i32) -> Option<i32> {
        let bytes = self.program.spec.location_bytes;
        let &(_, base) = self
            .shapes
            .of(state)
            .processes
            .get(usize::try_from(pid).ok()?)?;
        Some(i32::from(location(state, base, bytes)))
    }

    /// The number of the control location of a process, as `pc_value` tells it.
    fn location_number(&mut self, state: &[u8], pid: i32) -> Option<i32> {
        let at = self.location_of(state, pid)?;
        let (process, _) = self.shapes.of(state).processes[usize::try_from(pid).ok()?];
        let locations = &self.program.spec.types[usize::from(process.0)].locations;
        Some(locations[usize::try_from(at).ok()?].number as i32)
    }

    pub fn priority_of(&mut self, state: &[u8], pid: i32) -> i32 {
        let spec = &self.program.spec;
        if !spec.priorities {
            return 1;
        }
        let index = usize::try_from(pid).unwrap_or(usize::MAX);
        self.shapes
            .of(state)
            .processes
            .get(index)
            .map_or(0, |&(_, base)| {
                state[base as usize + spec.location_bytes as usize].into()
            })
    }

    /// Whether some process is at such a location.
    fn some_process(&mut self, state: &[u8], such: impl Fn(&LocationSpec) -> bool) -> bool {
        let program = self.program;
        let shape = self.shapes.of(state);
        shape.processes.iter().any(|&(process, base)| {
            let at = location(state, base, program.spec.location_bytes);
            such(&program.spec.types[process.0 as usize].locations[at as usize])
        })
    }

    /// Creates a process; its number.
    pub fn create(
        &mut self,
        state: &mut Vec<u8>,
        process: super::expr::TypeId,
        arguments: &[i32],
        priority: u8,
        span: evenhand_source::Span,
    ) -> Result<i32, Failure> {
        let pid = self.shapes.of(state).processes.len();
        let first_channel = self.shapes.of(state).channels.len();
        self.shapes
            .grow(state, process)
            .map_err(|kind| Box::new(Fault { kind, span }))?;
        let base = self.shapes.of(state).processes[pid].1;
        let program = self.program;
        let definition = &program.spec.types[process.0 as usize];
        set_location(
            state,
            base,
            program.spec.location_bytes,
            definition.initial.0 as u16,
        );
        if program.spec.priorities {
            state[base as usize + program.spec.location_bytes as usize] = priority;
        }
        let compiled = &program.types[process.0 as usize];
        let frame = Frame {
            pid: pid as u8,
            base,
            timeout: false,
        };
        for (&store, &value) in compiled.parameters.iter().zip(arguments) {
            self.execute(store, state, frame, value)?;
        }
        for (index, channel) in definition.channels.iter().enumerate() {
            state[(base + channel.variable) as usize] = (first_channel + index + 1) as u8;
        }
        self.execute(compiled.init, state, frame, 0)?;
        Ok(pid as i32)
    }

    /// The state with global values and channels, before any process exists.
    pub fn empty_state(&mut self) -> Result<Vec<u8>, Failure> {
        let spec = &self.program.spec;
        let mut state = vec![0; 2];
        let len = self.shapes.of(&state).len as usize;
        debug_assert_eq!(shape_id(&state), 0);
        state.resize(len, 0);
        for (index, channel) in spec.channels.iter().enumerate() {
            state[channel.variable as usize] = (index + 1) as u8;
        }
        if let Some(observer) = &spec.observer {
            let at = observer.offset as usize;
            state[at..at + 2].copy_from_slice(&observer.initial.to_le_bytes());
        }
        let frame = Frame {
            pid: 0,
            base: 0,
            timeout: false,
        };
        self.execute(self.program.init, &mut state, frame, 0)?;
        Ok(state)
    }
}

/// Offset and initial bytes of each hidden global.
pub(super) fn hidden_globals(program: &Program) -> Vec<(usize, Vec<u8>)> {
    let mut env = Env {
        program,
        shapes: ShapeCache::new(program),
        asked: Vec::new(),
        fuel: 0,
    };
    let state = env.empty_state().unwrap_or_default();
    let hidden = program.spec.globals.iter().filter(|v| v.hidden);
    hidden
        .filter_map(|v| {
            let start = v.offset as usize;
            let bytes = state.get(start..start + super::variable_len(v))?;
            Some((start, bytes.to_vec()))
        })
        .collect()
}

/// The control location in a process segment.
#[inline]
pub(crate) fn location(state: &[u8], base: u32, bytes: u8) -> u16 {
    let at = base as usize;
    if bytes == 1 {
        state[at].into()
    } else {
        u16::from_le_bytes([state[at], state[at + 1]])
    }
}

/// Sets the control location in a process segment.
#[inline]
pub(crate) fn set_location(state: &mut [u8], base: u32, bytes: u8, target: u16) {
    let at = base as usize;
    if bytes == 1 {
        state[at] = target as u8;
    } else {
        state[at..at + 2].copy_from_slice(&target.to_le_bytes());
    }
}

#[inline(always)]
fn load(bytes: &[u8], mode: Mode, offset: usize, base: usize) -> i32 {
    match mode {
        Mode::Global8 => bytes[offset].into(),
        Mode::Local8 => bytes[base + offset].into(),
        Mode::Global16 => u16::from_le_bytes(read(bytes, offset)).into(),
        Mode::Local16 => u16::from_le_bytes(read(bytes, base + offset)).into(),
        Mode::GlobalI8 => (bytes[offset] as i8).into(),
        Mode::LocalI8 => (bytes[base + offset] as i8).into(),
        Mode::GlobalI16 => i16::from_le_bytes(read(bytes, offset)).into(),
        Mode::LocalI16 => i16::from_le_bytes(read(bytes, base + offset)).into(),
        Mode::Global32 => i32::from_le_bytes(read(bytes, offset)),
        Mode::Local32 => i32::from_le_bytes(read(bytes, base + offset)),
    }
}

#[inline(always)]
fn read<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}

#[inline(always)]
fn store(bytes: &mut [u8], mode: Mode, offset: usize, base: usize, value: i32) {
    let raw = value.to_le_bytes();
    match mode {
        Mode::Global8 | Mode::GlobalI8 => bytes[offset] = raw[0],
        Mode::Local8 | Mode::LocalI8 => bytes[base + offset] = raw[0],
        Mode::Global16 | Mode::GlobalI16 => bytes[offset..offset + 2].copy_from_slice(&raw[..2]),
        Mode::Local16 | Mode::LocalI16 => {
            bytes[base + offset..base + offset + 2].copy_from_slice(&raw[..2]);
        }
        Mode::Global32 => bytes[offset..offset + 4].copy_from_slice(&raw),
        Mode::Local32 => bytes[base + offset..base + offset + 4].copy_from_slice(&raw),
    }
}
