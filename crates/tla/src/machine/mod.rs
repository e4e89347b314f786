//! Evaluates code.
//!
//! Values are found by walking the code once. A frame is a part of one stack; a slot holds a value, or code that is evaluated
//! when the value is first needed, together with the frame it belongs to. That frame is always still there: what outlives
//! it takes along what it needs (`closure.rs`). How deep the walk may go is measured on the machine's own stack,
//! so that recursion without end is an error and nothing else.

mod action;
mod arithmetic;
mod closure;
mod cover;
mod decide;
mod eval;
mod functions;
mod host;
mod kept;
mod known;
mod look;
mod member;
mod memo;
mod navigate;
mod pause;
mod quantify;
mod rows;
mod special;
mod watch;

use std::sync::OnceLock;

use evenhand_source::Span;

use crate::code::{Code, Op, Row, Slot, Target, Var};
use crate::compile::{Compiled, Program};
use crate::failure::Failure;
use crate::names::Names;
use crate::stack::Floor;
use crate::value::{Value, room};

pub(crate) use action::{Found, Only, Sink};
pub(crate) use cover::{Cover, Tests};
pub(crate) use memo::MOST_READ;
pub(crate) use special::{Registers, Statistics};
pub(crate) use watch::Watch;

/// How many bytes of the stack an evaluation may use.
const DEEPEST: usize = 1_200_000;

/// The values of cells, each evaluated once by whoever needs it first.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    cells: Vec<OnceLock<Result<Value, Failure>>>,
}

impl Globals {
    /// None is evaluated yet.
    pub fn new(program: &Program) -> Globals {
        let cells = (0..program.globals.len()).map(|_| OnceLock::new());
        Globals {
            cells: cells.collect(),
        }
    }

    /// The value of a cell that was evaluated before.
    #[inline]
    fn known(&self, number: u32) -> Option<&Value> {
        self.cells.get(number as usize)?.get()?.as_ref().ok()
    }
}

/// What a slot holds.
#[derive(Clone, Debug)]
enum Cell<'c> {
    Empty,
    Value(Value),
    /// Code, the frame it belongs to, and whether its value is kept.
    Thunk(&'c Code, usize, bool),
    /// The frame of the definition around this one.
    Link(usize),
}

/// Evaluates code.
pub(crate) struct Machine<'c> {
    program: &'c Program,
    globals: &'c Globals,
    pub names: &'c Names,
    rows: rows::Rows,
    memos: memo::Memos,
    stack: Vec<Cell<'c>>,
    /// Parts of values that are being made, those of the innermost last.
    gathered: Vec<Value>,
    /// How many variables have no value in the row that is searched for.
    open: usize,
    /// Where the stack of the thread was when the evaluation began.
    floor: Floor,
    /// What is no function of the state.
    pub registers: Registers,
    /// The action that is tried, and its arguments with their frame.
    pub action: Option<(u32, &'c [Code], usize)>,
    /// The actions that fairness is about.
    pub watch: Watch,
    /// How many states between two actions were found.
    pub passed: u64,
    /// How many states were found, and how many one set may lead to.
    found: u64,
    most: u64,
    /// The part of the next-state action that is searched.
    pub only: Only<'c>,
    /// What parts of the next-state action were found to do.
    pub kept: kept::Kept<'c>,
    /// Which conditions were met, where somebody wants to know.
    pub covered: Option<Cover>,
    /// What actions ask, besides, where somebody wants to know why one is not possible.
    pub tests: Option<Tests>,
    /// The values of expressions that were evaluated before.
    knowns: Vec<known::Known>,
}

impl<'c> Machine<'c> {
    /// A machine for a program.
    pub fn new(program: &'c Program, globals: &'c Globals, names: &'c Names) -> Machine<'c> {
        let variables = program.variables.len();
        Machine {
            program,
            globals,
            names,
            rows: rows::Rows::new(program.rows, variables),
            memos: memo::Memos::new(program.pieces.len(), program.bodies.len()),
            stack: Vec::new(),
            gathered: Vec::new(),
            open: 0,
            floor: Floor::here(),
            registers: Registers::default(),
            action: None,
            watch: Watch::default(),
            passed: 0,
            found: 0,
            most: 0,
            only: Only::default(),
            covered: None,
            tests: None,
            kept: kept::Kept::new(program.sites.len()),
            knowns: vec![known::Known::default(); program.known_sites.len()],
        }
    }

    /// The value of an expression.
    pub fn value(&mut self, code: &'c Compiled<Code>) -> Result<Value, Failure> {
        let base = self.enter(code.frame);
        let value = self.eval(&code.code, base);
        self.stack.truncate(base);
        value.and_then(|value| self.settled(value))
    }

    /// Whether a predicate is true.
    pub fn holds(&mut self, code: &'c Compiled<Code>) -> Result<bool, Failure> {
        let base = self.enter(code.frame);
        let value = self.truth(&code.code, base);
        self.stack.truncate(base);
        value
    }

    /// A frame at the bottom of the stack, or above what is being evaluated.
    fn enter(&mut self, size: u32) -> usize {
        if self.stack.is_empty() {
            self.floor = Floor::here();
        }
        self.push(size, 0)
    }

    /// A frame on the stack.
    fn push(&mut self, size: u32, link: usize) -> usize {
        let base = self.stack.len();
        self.stack.resize(base + size as usize, Cell::Empty);
        if size > 0 {
            self.stack[base] = Cell::Link(link);
        }
        base
    }

    /// The frame so many definitions outwards.
    #[inline]
    fn outwards(&self, mut base: usize, distance: u32) -> usize {
        for _ in 0..distance {
            if let Some(Cell::Link(link)) = self.stack.get(base) {
                base = *link;
            }
        }
        base
    }

    /// The value of a slot, evaluated now if it was not needed before.
    #[inline]
    fn slot(&mut self, base: usize, slot: Slot) -> Result<Value, Failure> {
        match &self.stack[base + slot as usize] {
            Cell::Value(value) => Ok(value.clone()),
            Cell::Thunk(code, frame, keep) => {
                let (code, frame, keep) = (*code, *frame, *keep);
                let value = self.eval(code, frame)?;
                if keep {
                    self.stack[base + slot as usize] = Cell::Value(value.clone());
                }
                Ok(value)
            }
            Cell::Empty | Cell::Link(_) => Err(Failure::new("a name has no value here")),
        }
    }

    #[inline]
    fn set(&mut self, base: usize, slot: Slot, value: Value) {
        self.stack[base + slot as usize] = Cell::Value(value);
    }

    /// Takes a value out of its slot.
    #[inline]
    fn taken(&mut self, base: usize, slot: Slot) -> Option<Value> {
        match std::mem::replace(&mut self.stack[base + slot as usize], Cell::Empty) {
            Cell::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Puts a value into the slots of a pattern.
    #[inline]
    fn bind(&mut self, base: usize, target: &Target, value: Value) -> Result<(), Failure> {
        match target {
            Target::One(slot) => self.set(base, *slot, value),
            Target::Tuple(slots) => {
                let parts = value.as_tuple().filter(|parts| parts.len() == slots.len());
                let Some(parts) = parts else {
                    return Err(Failure::new(format!(
                        "{} is not a tuple of {} values",
                        value.quoted(),
                        slots.len()
                    )));
                };
                for (slot, part) in slots.iter().zip(parts) {
                    self.stack[base + *slot as usize] = Cell::Value(part.clone());
                }
            }
        }
        Ok(())
    }

    /// Gathers the parts of a value: where they begin. There are none of them where one has no value.
    #[inline]
    fn gather(
        &mut self,
        parts: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<usize, Failure> {
        let from = self.gathered.len();
        match parts(self) {
            Ok(()) => Ok(from),
            Err(failure) => {
                self.gathered.truncate(from);
                Err(failure)
            }
        }
    }

    /// One more part of the value that is being made.
    #[inline]
    fn add_part(&mut self, code: &'c Code, base: usize) -> Result<(), Failure> {
        let value = self.eval(code, base)?;
        let value = self.settled(value)?;
        self.add(value)
    }

    /// The same for a value that is known.
    #[inline]
    fn add(&mut self, value: Value) -> Result<(), Failure> {
        room(self.gathered.len() + 1)?;
        self.gathered.push(value);
        Ok(())
    }

    /// The values of code, one after the other, as parts of the value that is being made.
    #[inline]
    fn add_parts(&mut self, list: &'c [Code], base: usize) -> Result<(), Failure> {
        list.iter().try_for_each(|code| self.add_part(code, base))
    }

    /// A variable of a row.
    #[inline]
    fn variable(&self, row: Row, variable: Var) -> Result<Value, Failure> {
        match self.rows.get(row, variable) {
            Some(value) => Ok(value.clone()),
            None => Err(self.without_value(row, variable)),
        }
    }

    #[cold]
    fn without_value(&self, row: Row, variable: Var) -> Failure {
        let name = self.program.variables.get(usize::from(variable));
        let name = name.map_or("", |&name| self.names.text(name));
        let prime = if row == 0 { "" } else { "'" };
        Failure::new(format!("`{name}{prime}` is used before it has a value"))
    }

    /// The value of a cell.
    fn global(&mut self, number: u32) -> Result<Value, Failure> {
        let globals = self.globals;
        let Some(cell) = globals.cells.get(number as usize) else {
            return Err(Failure::new("a definition is missing"));
        };
        if let Some(value) = cell.get() {
            return value.clone();
        }
        let program = self.program;
        let (code, frame) = &program.globals[number as usize];
        let base = self.push(*frame, 0);
        let value = self.eval(code, base);
        self.stack.truncate(base);
        let value = value.and_then(|value| self.settled(value));
        // What was too deep here may be fine elsewhere.
        let limit = |failure: &Failure| failure.0.kind == crate::failure::FailureKind::Limit;
        if value.as_ref().err().is_some_and(limit) {
            return value;
        }
        cell.get_or_init(|| value).clone()
    }

    /// The variables of a row that have no value.
    pub fn missing(&self, row: usize) -> Vec<String> {
        let variables = self.program.variables.iter().zip(self.row(row));
        let missing = variables.filter(|(_, value)| value.is_none());
        missing
            .map(|(&name, _)| format!("`{}`", self.names.text(name)))
            .collect()
    }

    /// The action that is tried, with its arguments.
    pub fn action_text(&mut self) -> String {
        let Some((number, args, base)) = self.action else {
            return "a step".to_string();
        };
        let name = self.program.actions.get(number as usize);
        let name = name.map_or("", |named| self.names.text(named.name));
        if args.is_empty() {
            return name.to_string();
        }
        let mut list = Vec::with_capacity(args.len());
        for arg in args {
            list.push(match self.eval(arg, base) {
                Ok(value) => value.told(self.names),
                Err(_) => "_".to_string(),
            });
        }
        format!("{name}({})", list.join(", "))
    }

    /// An error where the recursion is too deep.
    #[inline]
    fn check_depth(&self) -> Result<(), Failure> {
        if self.floor.is_above(DEEPEST) {
            return Err(too_deep());
        }
        Ok(())
    }

    /// The error with the place of the code, if it has none.
    #[cold]
    fn placed(failure: Failure, span: Span) -> Failure {
        failure.at(span)
    }

    #[inline]
    fn truth(&mut self, code: &'c Code, base: usize) -> Result<bool, Failure> {
        match &code.op {
            Op::And(list) => {
                for part in list {
                    if !self.condition(part, base)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Op::Or(list) => {
                for part in list {
                    if self.condition(part, base)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Op::Not(part) => Ok(!self.truth(part, base)?),
            Op::Equal(a, b) => self.is_equal(code, a, b, base),
            Op::Different(a, b) => Ok(!self.is_equal(code, a, b, base)?),
            _ => {
                if let Some(truth) = self.look_truth(code, base) {
                    return Ok(truth);
                }
                let value = self.eval(code, base)?;
                value.truth().ok_or_else(|| {
                    let text = format!("{} is {}, not TRUE or FALSE", value.quoted(), value.kind());
                    Failure::new(text).at(code.span)
                })
            }
        }
    }
}

#[cold]
fn too_deep() -> Failure {
    Failure::limit("the recursion is too deep")
}
