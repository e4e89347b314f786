//! From syntax trees to code.
//!
//! Names are resolved, operators expanded and instances substituted in one walk: to compile a text is to evaluate
//! it as far as names go. A definition that is recursive, or was found to be large, becomes a piece of code of its own that
//! is called; one without parameters is called too, and if it depends on nothing it is a cell that is evaluated once.

mod action;
mod apply;
mod calls;
mod conditions;
mod configured;
mod expr;
mod formula;
mod groups;
mod hoist;
mod kept;
mod modules;
mod parts;
mod reads;
mod scope;
mod temporal;
mod values;
mod watched;

use std::collections::HashMap;

use evenhand_source::Span;

use crate::code::{Act, ActPiece, Body, Code, Facts, Key, Op, Piece, Row, Site, Slot, Target, Var};
use crate::names::{Names, Symbol};
use crate::stack::Floor;
use crate::syntax::ast::{Definition, Expr, Ident, Module, Pattern};
use crate::value::Value;

pub(crate) use configured::Configured;
pub(crate) use formula::{Fair, Formula};
pub(crate) use groups::{Beside, Effects, Part, Vars};
pub(crate) use kept::MOST_KEYS;
pub(crate) use scope::ScopeId;
use scope::{Binding, Columns, Def, DefId, FrameId, Rows, Scopes};
pub(crate) use temporal::{Conjunct, Level};
pub(crate) use values::MOST_PARTS;

/// Code that is expanded where it is used up to this size, and called from then on.
const LARGE: u32 = 300;

/// Code nested deeper than this is not expanded further: it is evaluated on a stack of ordinary size.
const DEEPEST: u32 = 600;

/// How many bytes of the stack may be used while definitions are followed, and how many there are.
const DEEPEST_STACK: usize = 48 << 20;
pub(crate) const STACK: usize = 64 << 20;

/// Functions of actions that apply themselves are followed so far.
const UNFOLDED: u32 = 4;

/// Everything that was compiled.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub pieces: Vec<Piece>,
    pub act_pieces: Vec<ActPiece>,
    pub bodies: Vec<Body>,
    /// Cells that are evaluated once, with the sizes of their frames.
    pub globals: Vec<(Code, u32)>,
    /// Where the conditions and assignments of the next-state action stand.
    pub conditions: Vec<Span>,
    /// Parts of the next-state action that are remembered.
    pub sites: Vec<Site>,
    /// What decides each expression that is remembered.
    pub known_sites: Vec<Box<[Key]>>,
    pub variables: Vec<Symbol>,
    /// Names of actions, for steps.
    pub actions: Vec<Named>,
    /// How many rows there are.
    pub rows: usize,
    /// How many columns rows have besides variables: for those of instances.
    pub columns: usize,
    /// Whether anything in it reads or writes what is no part of a state.
    pub impure: bool,
    /// Whether anything in it may ask how the search goes.
    pub reads_search: bool,
    /// Whether anything in it prints.
    pub prints: bool,
    /// Whether steps may have a state in between.
    pub composes: bool,
}

/// An action as steps are called after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub name: Symbol,
    pub span: Span,
    /// Where what it does stands.
    pub body: Span,
}

/// An expression with the size of its frame.
#[derive(Debug)]
pub(crate) struct Compiled<T> {
    pub code: T,
    pub frame: u32,
}

/// What the configuration says about names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub values: HashMap<Symbol, Value>,
    pub tables: HashMap<Symbol, Vec<(Vec<Value>, Value)>>,
    /// Names of the root module, and what stands for them.
    pub replaced: HashMap<Symbol, Symbol>,
    /// The same inside of some module.
    pub values_in: HashMap<(Symbol, Symbol), Value>,
    pub replaced_in: HashMap<(Symbol, Symbol), Symbol>,
    /// What the root module calls by an instance (`A!B`), and what stands for it there.
    pub valued_paths: HashMap<(Symbol, Symbol), Value>,
    pub replaced_paths: HashMap<(Symbol, Symbol), Symbol>,
}

#[derive(Debug)]
struct Frame {
    parent: Option<FrameId>,
    next: Slot,
}

/// The slots outside of a piece of code that it needs.
#[derive(Debug)]
struct Recorder {
    frame: FrameId,
    first: Slot,
    found: Vec<(FrameId, Slot)>,
}

#[derive(Clone, Debug)]
enum PieceState {
    Open,
    Done {
        facts: Facts,
        needs: Vec<(FrameId, Slot)>,
    },
}

/// Makes code.
pub(crate) struct Compiler<'a> {
    pub names: &'a Names,
    modules: &'a [Module],
    settings: &'a Settings,
    scopes: Scopes<'a>,
    defs: Vec<Def<'a>>,
    frames: Vec<Frame>,
    frame: FrameId,
    recorders: Vec<Recorder>,
    tables: HashMap<Symbol, ScopeId>,
    /// Operators that were declared to be recursive.
    recursive: std::collections::HashSet<(ScopeId, Symbol)>,
    instances: HashMap<(*const crate::syntax::ast::Instance, ScopeId), ScopeId>,
    replaced: HashMap<DefId, Symbol>,
    valued: HashMap<DefId, Value>,
    replaced_standard: HashMap<&'static str, Symbol>,
    valued_standard: HashMap<&'static str, Value>,
    piece_of: HashMap<(DefId, Rows), u32>,
    piece_states: Vec<PieceState>,
    open_pieces: Vec<Option<Piece>>,
    act_piece_of: HashMap<calls::ActKey, u32>,
    act_piece_states: Vec<PieceState>,
    open_act_pieces: Vec<Option<ActPiece>>,
    global_of: HashMap<DefId, u32>,
    bodies: Vec<Option<Body>>,
    program: Program,
    root: ScopeId,
    builtins: HashMap<Symbol, expr::Builtin>,
    levels: HashMap<DefId, Level>,
    body_levels: HashMap<DefId, Level>,
    /// How many variables of instances have something that stands for them.
    substitutes: u32,
    /// The variables of instances whose next values `ENABLED` looks for by themselves: the sets of them, and for each the
    /// columns of its members.
    abstract_sets: Vec<Vec<u32>>,
    abstract_columns: HashMap<(Columns, u32), Var>,
    /// The values of names that temporal quantifiers bind, by the scopes that were made for them.
    unrolled: HashMap<ScopeId, Vec<(Symbol, Value)>>,
    depth: u32,
    unfolded: u32,
    size: u32,
    /// Where the stack of the thread was, and the first place that is too far above it.
    floor: Floor,
    too_deep: Option<Span>,
    /// What `@` means in scopes of `EXCEPT`.
    at_slots: HashMap<ScopeId, Binding<'a>>,
    /// The actions that fairness is about, with their numbers.
    watched: HashMap<DefId, u32>,
}

impl<'a> Compiler<'a> {
    /// A compiler for the modules that were read.
    pub fn new(
        names: &'a Names,
        modules: &'a [Module],
        root: usize,
        settings: &'a Settings,
    ) -> Compiler<'a> {
        let builtins = expr::builtins(names);
        let frame = Frame {
            parent: None,
            next: 1,
        };
        let mut compiler = Compiler {
            names,
            modules,
            settings,
            scopes: Scopes::default(),
            defs: Vec::new(),
            frames: vec![frame],
            frame: FrameId(0),
            recorders: Vec::new(),
            tables: HashMap::new(),
            recursive: Default::default(),
            instances: HashMap::new(),
            replaced: HashMap::new(),
            valued: HashMap::new(),
            replaced_standard: HashMap::new(),
            valued_standard: HashMap::new(),
            piece_of: HashMap::new(),
            piece_states: Vec::new(),
            open_pieces: Vec::new(),
            act_piece_of: HashMap::new(),
            act_piece_states: Vec::new(),
            open_act_pieces: Vec::new(),
            global_of: HashMap::new(),
            bodies: Vec::new(),
            program: Program {
                rows: 2,
                ..Program::default()
            },
            root: ScopeId(0),
            builtins,
            levels: HashMap::new(),
            body_levels: HashMap::new(),
            substitutes: 0,
            abstract_sets: Vec::new(),
            abstract_columns: HashMap::new(),
            unrolled: HashMap::new(),
            depth: 0,
            unfolded: 0,
            size: 0,
            floor: Floor::here(),
            too_deep: None,
            at_slots: HashMap::new(),
            watched: HashMap::new(),
        };
        compiler.root = compiler.plain_table(&modules[root]);
        compiler.replace_definitions();
        compiler
    }

    /// Whether definitions are nested so deep here that they cannot be followed: then the whole text is refused.
    fn is_deep(&mut self, span: Span) -> bool {
        if self.too_deep.is_none() && !self.floor.is_above(DEEPEST_STACK) {
            return false;
        }
        self.too_deep.get_or_insert(span);
        true
    }

    /// Whether each variable has a number of its own.
    pub fn can_tell_variables(&self) -> bool {
        self.program.variables.len() + self.program.columns < usize::from(u16::MAX)
    }

    /// Where definitions are nested too deep, if they are.
    pub fn too_deep(&self) -> Option<Span> {
        self.too_deep
    }

    /// The scope of the root module.
    pub fn root(&self) -> ScopeId {
        self.root
    }

    /// The finished program.
    pub fn finish(mut self) -> Program {
        self.program.pieces = self.open_pieces.into_iter().flatten().collect();
        self.program.act_pieces = self.open_act_pieces.into_iter().flatten().collect();
        self.program.bodies = self.bodies.into_iter().flatten().collect();
        self.program.find_reads();
        self.program
    }

    /// Compiles something in a frame of its own.
    fn framed<T>(
        &mut self,
        parent: Option<FrameId>,
        make: impl FnOnce(&mut Self) -> T,
    ) -> Compiled<T> {
        let id = FrameId(u32::try_from(self.frames.len()).unwrap_or(u32::MAX));
        self.frames.push(Frame { parent, next: 1 });
        let code = self.within(id, make);
        let frame = self.frames[id.0 as usize].next;
        Compiled { code, frame }
    }

    /// Does something in a frame.
    fn within<T>(&mut self, frame: FrameId, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.frame, frame);
        self.scopes.frame = Some(frame);
        let made = make(self);
        self.frame = before;
        self.scopes.frame = Some(before);
        made
    }

    /// An expression over the rows of a state, or of a step.
    pub fn expression(
        &mut self,
        expr: &'a Expr,
        scope: ScopeId,
        now: Row,
        next: Option<Row>,
    ) -> Compiled<Code> {
        self.framed(None, |this| {
            let rows = Rows {
                now,
                next,
                ..Rows::STATE
            };
            let code = this.expr(expr, scope, rows);
            this.hoisted(code)
        })
    }

    /// An expression that no state depends on, compiled behind all others: what it reads besides states makes nothing
    /// impure.
    pub fn expression_apart(&mut self, expr: &'a Expr, scope: ScopeId) -> Compiled<Code> {
        let impure = self.program.impure;
        let code = self.expression(expr, scope, 0, None);
        self.program.impure = impure;
        code
    }

    /// An action that looks for values of the row `next`; steps are called after the definitions in it, or after the one
    /// whose body it is.
    pub fn action(
        &mut self,
        expr: &'a Expr,
        scope: ScopeId,
        definition: Option<&'a Definition>,
    ) -> Compiled<Act> {
        self.framed(None, |this| {
            let search = action::Search {
                row: 1,
                primed: true,
            };
            let (act, _) = this.act(expr, scope, Rows::STEP, search, true);
            let act = match definition {
                Some(definition) => this.named_act(definition, Vec::new(), act),
                None => act,
            };
            this.hoisted_act(act)
        })
    }

    /// Predicates that look for initial states in row 0, one after the other.
    pub fn initial_of(&mut self, parts: &[(&'a Expr, ScopeId)]) -> Compiled<Act> {
        self.framed(None, |this| {
            let search = action::Search {
                row: 0,
                primed: false,
            };
            let mut list = Vec::new();
            for (expr, scope) in parts {
                let (act, _) = this.act(expr, *scope, Rows::STATE, search, false);
                list.push(act);
            }
            this.hoisted_act(Act::And(list.into()))
        })
    }

    /// `[A]_v` as a predicate of steps.
    pub fn square(
        &mut self,
        action: &'a Expr,
        subscript: &'a Expr,
        scope: ScopeId,
    ) -> Compiled<Code> {
        self.framed(None, |this| {
            let same = this.same(subscript, scope, Rows::STEP, action.span);
            let step = this.expr(action, scope, Rows::STEP);
            let facts = same.facts.and(step.facts);
            let op = Op::Or(Box::new([step, same]));
            let span = action.span;
            this.hoisted(Code { op, span, facts })
        })
    }

    /// Whether there is anything that changes.
    pub fn has_variables(&self) -> bool {
        !self.program.variables.is_empty()
    }

    /// The constants of the root module that have no value.
    pub fn unassigned(&self) -> Vec<Ident> {
        let names = self.scopes.get(self.root).names.values();
        let mut list: Vec<Ident> = names
            .filter_map(|binding| match binding {
                Binding::Unassigned(ident) => Some(*ident),
                _ => None,
            })
            .collect();
        list.sort_unstable_by_key(|ident| (ident.span.file, ident.span.start));
        list
    }

    /// The variables that are not among these.
    pub fn variables_beside(&self, list: &[Var]) -> Vec<Symbol> {
        let variables = self.program.variables.iter().zip(0..);
        let others = variables.filter(|(_, variable)| !list.contains(variable));
        others.map(|(&name, _)| name).collect()
    }

    /// The constants of the root module.
    pub fn constants(&self) -> Vec<Symbol> {
        let names = self.scopes.get(self.root).names.iter();
        let is_constant = |binding: &Binding<'_>| {
            matches!(binding, Binding::Unassigned(_) | Binding::Constant(_))
        };
        let mut list: Vec<Symbol> = names
            .filter(|(_, binding)| is_constant(binding))
            .map(|(&name, _)| name)
            .collect();
        list.sort_unstable();
        list
    }

    /// Whether a name is a constant of the root module in whose place the configuration puts a definition.
    pub fn is_replaced_constant(&self, name: Symbol) -> bool {
        let binding = self.scopes.find(self.root, name);
        matches!(binding, Some(Binding::Replaced(_)))
    }

    /// The definitions of the root module that have no parameters.
    pub fn definitions(&self) -> Vec<Symbol> {
        let names = self.scopes.get(self.root).names.keys().copied();
        let mut list: Vec<Symbol> = names.filter(|&name| self.named(name).is_some()).collect();
        list.sort_unstable();
        list
    }

    fn slot(&mut self) -> Slot {
        let frame = &mut self.frames[self.frame.0 as usize];
        let slot = frame.next;
        frame.next += 1;
        slot
    }

    /// The slot that comes next in this frame.
    fn first(&self) -> Slot {
        self.frames[self.frame.0 as usize].next
    }

    /// How many frames outwards another one is.
    fn distance(&self, to: FrameId) -> Option<u32> {
        let mut distance = 0;
        let mut at = self.frame;
        while at != to {
            at = self.frames[at.0 as usize].parent?;
            distance += 1;
        }
        Some(distance)
    }

    /// Notes that a slot is needed, for whoever takes what it needs along.
    fn note(&mut self, frame: FrameId, slot: Slot) {
        for recorder in 0..self.recorders.len() {
            let Recorder {
                frame: own, first, ..
            } = self.recorders[recorder];
            if frame == own && slot >= first {
                continue;
            }
            let mut at = Some(own);
            while let Some(id) = at {
                if id == frame {
                    let found = &mut self.recorders[recorder].found;
                    if !found.contains(&(frame, slot)) {
                        found.push((frame, slot));
                    }
                    break;
                }
                at = self.frames[id.0 as usize].parent;
            }
        }
    }

    /// Code that reads a slot.
    fn read(&mut self, frame: FrameId, slot: Slot, span: Span) -> Code {
        self.note(frame, slot);
        let Some(distance) = self.distance(frame) else {
            return refused("a name that is bound elsewhere cannot be used here", span);
        };
        let lowest = if distance == 0 { slot } else { 0 };
        Code {
            op: Op::Slot(distance, slot),
            span,
            facts: Facts {
                lowest,
                ..Facts::NONE
            },
        }
    }

    /// Slots for a pattern, and the scope with its names.
    fn target(&mut self, pattern: &'a Pattern, scope: ScopeId) -> (Target, ScopeId) {
        let frame = self.frame;
        let mut inner = scope;
        let mut one = |this: &mut Self, name: Symbol| {
            let slot = this.slot();
            inner = this.scopes.with(inner, name, Binding::Slot(frame, slot));
            slot
        };
        let target = match pattern {
            Pattern::Name(ident) => Target::One(one(self, ident.name)),
            Pattern::Tuple(idents) => {
                let slots = idents.iter().map(|ident| one(self, ident.name));
                Target::Tuple(slots.collect::<Vec<Slot>>().into())
            }
        };
        (target, inner)
    }

    /// A cell for code that depends on nothing.
    fn global(&mut self, code: Code, frame: u32) -> u32 {
        self.program.globals.push((code, frame));
        u32::try_from(self.program.globals.len() - 1).unwrap_or(u32::MAX)
    }
}

/// Code that is an error when it is evaluated.
fn refused(message: impl Into<String>, span: Span) -> Code {
    Code {
        op: Op::Refused(message.into().into()),
        span,
        // Not to be evaluated before it is needed.
        facts: Facts {
            impure: true,
            ..Facts::NONE
        },
    }
}
