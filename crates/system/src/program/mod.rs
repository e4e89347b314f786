//! The program body: processes with control locations, guarded actions and channels.
//!
//! A front-end fills a [`Spec`]; [`Program::new`] compiles it. A packed state is
//!
//! ```text
//! shape (2 bytes) · globals · segment · segment · …
//! ```
//!
//! with one segment per process or channel in the order of their creation. Processes come and go in
//! stack order, so the list of segments is a path in a tree; the two bytes in front number it (see
//! `shape.rs`) and everything else in the state has a fixed place. A process segment is the control
//! location, the priority if the model uses any, and the local variables; a channel segment is the
//! number of messages and its slots. A rendezvous channel has no segment: its message never
//! outlives a step.

pub(crate) mod chain;
mod channel;
mod code;
mod constellation;
mod counters;
mod dead;
mod describe;
mod enabled;
mod endless;
mod expand;
pub mod expr;
mod footprint;
mod fuse;
mod groups;
mod halves;
mod line;
mod machine;
mod memo;
pub mod observer;
mod obstacles;
mod partial;
mod portable;
mod reduce;
mod sequence;
mod shape;
mod sticky;
mod table;
mod touch;

use std::sync::RwLock;

use evenhand_source::Span;

use self::code::{Code, CodeId, CompiledReceive, Op};
use self::expr::{Action, Expr, Location, Place, Print, Scalar, TypeId};
use self::partial::Parts;
use self::shape::ShapeTable;
use crate::explicit::{Explicit, Explorer};
use crate::fairness::PropositionId;
use crate::ids::ActionId;
use crate::signature::{ItemSpec, Signature};

/// Who asks for an expression that no process in particular asks for; processes have smaller
/// numbers.
const NOBODY: u8 = u8::MAX;

/// Bytes in front of the globals.
pub const HEADER: u32 = 2;

/// A variable as people know it: the leaves of records and arrays under one name.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Names and array dimensions from the outside in: `a`, `[3]`, `.b`, `[2]`.
    pub path: Vec<Segment>,
    /// How each element is kept.
    pub scalar: Scalar,
    /// Offset of the first element.
    pub offset: u32,
    /// Not shown, and set back to its initial value at the end of each step.
    pub hidden: bool,
}

/// One part of a variable's name.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The name.
    pub name: String,
    /// Number of elements and their distance, if it is an array.
    pub dimension: Option<(u32, u32)>,
}

/// The type of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelType {
    /// How many messages it holds; 0 for a rendezvous channel.
    pub capacity: u8,
    /// The fields of a message.
    pub fields: Vec<Scalar>,
}

impl ChannelType {
    /// Bytes of one message.
    pub fn message_len(&self) -> u32 {
        self.fields.iter().map(|f| u32::from(f.bytes)).sum()
    }

    /// Bytes of the segment.
    pub fn len(&self) -> u32 {
        if self.capacity == 0 {
            0
        } else {
            1 + u32::from(self.capacity) * self.message_len()
        }
    }

    /// Whether it has no segment.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A channel that is created with its owner.
#[derive(Clone, Debug)]
pub struct ChannelSpec {
    /// Its type: an index into [`Spec::channel_types`].
    pub channel: u16,
    /// The offset of the byte variable that gets its number.
    pub variable: u32,
    /// Its name.
    pub name: String,
}

/// One transition out of a location.
#[derive(Clone, Debug)]
pub struct Transition {
    /// What it does.
    pub action: Action,
    /// Where control goes.
    pub target: Location,
    /// Whether the process keeps control: other processes do not see the state in between.
    pub atomic: bool,
    /// What people know of it.
    pub info: ActionId,
}

impl Transition {
    /// The number of the location where its process goes on; none if it ends.
    pub(crate) fn next(&self) -> Option<usize> {
        let ends = matches!(self.action, Action::Die);
        (!ends).then_some(self.target.0 as usize)
    }
}

/// A control location.
#[derive(Clone, Debug, Default)]
pub struct LocationSpec {
    /// Groups of transitions. A group is tried only if no transition of an earlier one is
    /// executable (`unless`).
    pub groups: Vec<Vec<Transition>>,
    /// The number that `pc_value` tells.
    pub number: u32,
    /// A process may stay here for ever.
    pub valid_end: bool,
    /// Being here is progress.
    pub progress: bool,
    /// Being here is accepting.
    pub accept: bool,
}

/// A process type.
#[derive(Clone, Debug)]
pub struct ProcessType {
    /// Its name.
    pub name: String,
    /// The places of its parameters.
    pub parameters: Vec<Place>,
    /// Its variables, parameters included.
    pub variables: Vec<Variable>,
    /// Bytes of its segment, header included.
    pub len: u32,
    /// The channels it creates.
    pub channels: Vec<ChannelSpec>,
    /// Assignments at its creation, after the parameters are set.
    pub init: Vec<(Place, Expr)>,
    /// It can move only where this holds.
    pub provided: Option<Expr>,
    /// Channels that only this process may use, and how: checked at each use by another.
    pub exclusive: Vec<(Expr, Exclusive)>,
    /// Its locations.
    pub locations: Vec<LocationSpec>,
    /// Where it begins.
    pub initial: Location,
}

/// What an exclusive use of a channel is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusive {
    /// Only this process receives.
    Receive,
    /// Only this process sends.
    Send,
}

/// A process of the initial state.
#[derive(Clone, Debug)]
pub struct Start {
    /// Its type.
    pub process: TypeId,
    /// Its priority.
    pub priority: u8,
}

/// A program as a front-end describes it.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The names of the values of each enumeration; value 1 comes first.
    pub enums: Vec<Vec<(i32, String)>>,
    /// Global variables.
    pub globals: Vec<Variable>,
    /// Bytes of the header and the globals.
    pub globals_len: u32,
    /// Channels of the initial state.
    pub channels: Vec<ChannelSpec>,
    /// Channel types.
    pub channel_types: Vec<ChannelType>,
    /// Initial values of globals.
    pub init: Vec<(Place, Expr)>,
    /// Process types.
    pub types: Vec<ProcessType>,
    /// Processes of the initial state.
    pub start: Vec<Start>,
    /// Where the number of the last process that moved is kept.
    pub last_pid: Option<u32>,
    /// Whether process segments have a priority byte and only the highest may move.
    pub priorities: bool,
    /// Bytes of the control location: 1 or 2.
    pub location_bytes: u8,
    /// Whether some expression asks for `timeout`.
    pub uses_timeout: bool,
    /// The trace assertion.
    pub observer: Option<observer::Observer>,
}

impl Spec {
    /// Bytes in front of the local variables of a process.
    pub fn process_header(&self) -> u32 {
        u32::from(self.location_bytes) + u32::from(self.priorities)
    }
}

/// A compiled program with its signature: a fair system that can be explored.
#[derive(Debug)]
pub struct Program {
    pub(crate) signature: Signature,
    pub(crate) spec: Spec,
    pub(crate) code: Code,
    pub(crate) types: Vec<CompiledType>,
    pub(crate) transitions: Vec<CompiledTransition>,
    pub(crate) init: CodeId,
    pub(crate) shapes: RwLock<ShapeTable>,
    pub(crate) observer: Option<observer::CompiledObserver>,
    /// Whether some process uses a channel exclusively.
    pub(crate) has_exclusive: bool,
    /// Hidden globals: offset and initial bytes.
    pub(crate) hidden: Vec<(usize, Vec<u8>)>,
    pub(crate) propositions: Vec<CompiledProposition>,
    /// What the propositions were compiled from.
    pub(crate) conditions: Vec<Expr>,
}

#[derive(Debug)]
pub(crate) struct CompiledProposition {
    pub text: String,
    pub code: CodeId,
    /// Whether it asks for `timeout`.
    pub asks: bool,
    /// For states in which the code has no value.
    pub parts: Option<Parts>,
}

#[derive(Debug)]
pub(crate) struct CompiledType {
    pub init: CodeId,
    pub parameters: Vec<CodeId>,
    pub provided: Option<CodeId>,
    pub exclusive: Vec<(CodeId, Exclusive)>,
    pub locations: Vec<CompiledLocation>,
}

#[derive(Debug)]
pub(crate) struct CompiledLocation {
    /// Ranges of `transitions`, one per group.
    pub groups: Vec<(u32, u32)>,
    /// Whether some transition may complete somebody else's handshake.
    pub receives: bool,
    /// The transitions, if all are conditions, assignments and the like.
    pub plain: Option<(u32, u32)>,
}

#[derive(Debug)]
pub(crate) struct CompiledTransition {
    pub action: CompiledAction,
    pub target: u16,
    pub atomic: bool,
    pub info: ActionId,
}

#[derive(Debug)]
pub(crate) enum CompiledAction {
    Skip,
    Else,
    Condition(CodeId),
    /// A condition that creates a process.
    Create(CodeId),
    Assign(CodeId),
    Assert(CodeId, Span),
    Send(Box<CompiledSend>),
    Receive(Box<CompiledReceive>),
    Print(Box<(Print, Vec<CodeId>)>),
    SetPriority(CodeId, CodeId, Span),
    Die,
    Sequence(Box<[CompiledNode]>),
}

#[derive(Debug)]
pub(crate) struct CompiledSend {
    pub channel: CodeId,
    pub values: Vec<CodeId>,
    pub sorted: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) struct CompiledNode {
    pub action: CompiledAction,
    pub next: Option<u32>,
    pub otherwise: Option<u32>,
    pub span: Span,
    /// Code for it and what follows, once something was executed.
    pub fused: Option<CodeId>,
    /// What that code may touch, if a loop begins here: a number in [`Code::regions`].
    pub region: Option<u32>,
}

impl Program {
    /// Compiles a program. The signature's `actions` are those that the transitions refer to.
    pub fn new(spec: Spec, signature: Signature) -> Program {
        let mut code = Code::default();
        let mut transitions = Vec::new();
        let init = code.assignments(&spec.init);
        let types = spec
            .types
            .iter()
            .map(|process| {
                let init = code.assignments(&process.init);
                let parameters = process.parameters.iter().map(|p| code.store(p)).collect();
                let provided = process.provided.as_ref().map(|p| code.value(p));
                let exclusive = process
                    .exclusive
                    .iter()
                    .map(|(c, use_)| (code.value(c), *use_))
                    .collect();
                let locations = process
                    .locations
                    .iter()
                    .map(|location| compile_location(location, &mut code, &mut transitions))
                    .collect();
                CompiledType {
                    init,
                    parameters,
                    provided,
                    exclusive,
                    locations,
                }
            })
            .collect();
        let shapes = RwLock::new(ShapeTable::new(&spec));
        let hidden = Vec::new();
        let observer = spec
            .observer
            .as_ref()
            .map(|o| observer::CompiledObserver::new(o, &mut code));
        let has_exclusive = spec.types.iter().any(|t| !t.exclusive.is_empty());
        let mut program = Program {
            signature,
            spec,
            code,
            types,
            transitions,
            init,
            shapes,
            observer,
            has_exclusive,
            hidden,
            propositions: Vec::new(),
            conditions: Vec::new(),
        };
        program.hidden = machine::hidden_globals(&program);
        program
    }

    /// The description it was made from.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// A further proposition: an expression over the state as no process in particular sees it.
    pub fn add_proposition(&mut self, text: impl Into<String>, expr: &Expr) -> PropositionId {
        let before = self.code.ops.len();
        let code = self.code.value(expr);
        let asks = self.code.ops[before..].contains(&Op::Timeout);
        self.propositions.push(CompiledProposition {
            text: text.into(),
            code,
            asks,
            parts: Parts::of(expr, &mut self.code),
        });
        self.conditions.push(expr.clone());
        PropositionId(self.propositions.len() as u32 - 1)
    }

    /// The text of a proposition.
    pub fn proposition(&self, id: PropositionId) -> &str {
        &self.propositions[id.0 as usize].text
    }

    /// The signature.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
}

impl Explicit for Program {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(expand::ProgramExplorer::new(self, items))
    }

    fn is_portable(&self) -> bool {
        true
    }
}

fn variable_len(variable: &Variable) -> usize {
    let last: u32 = variable
        .path
        .iter()
        .filter_map(|s| s.dimension)
        .map(|(len, stride)| len.saturating_sub(1) * stride)
        .sum();
    last as usize + usize::from(variable.scalar.bytes)
}

fn compile_location(
    location: &LocationSpec,
    code: &mut Code,
    transitions: &mut Vec<CompiledTransition>,
) -> CompiledLocation {
    let first = transitions.len();
    let groups: Vec<(u32, u32)> = location
        .groups
        .iter()
        .map(|group| {
            let start = transitions.len() as u32;
            for t in group {
                let action = compile_action(&t.action, code);
                let target = t.target.0 as u16;
                transitions.push(CompiledTransition {
                    action,
                    target,
                    atomic: t.atomic,
                    info: t.info,
                });
            }
            (start, transitions.len() as u32)
        })
        .collect();
    let receives = transitions[first..].iter().any(|t| {
        matches!(
            t.action,
            CompiledAction::Receive(_) | CompiledAction::Sequence(_)
        )
    });
    let plain = match groups[..] {
        [group] if line::is_plain(&transitions[first..]) => Some(group),
        _ => None,
    };
    CompiledLocation {
        groups,
        receives,
        plain,
    }
}

fn compile_action(action: &Action, code: &mut Code) -> CompiledAction {
    match action {
        Action::Skip => CompiledAction::Skip,
        Action::Else => CompiledAction::Else,
        Action::Condition(Expr::Const(value)) if *value != 0 => CompiledAction::Skip,
        Action::Condition(expr) => {
            let id = code.value(expr);
            if creates(expr) {
                CompiledAction::Create(id)
            } else {
                CompiledAction::Condition(id)
            }
        }
        Action::Assign(place, value) => {
            CompiledAction::Assign(code.assignments(&[(place.clone(), value.clone())]))
        }
        Action::Assignments(list) => CompiledAction::Assign(code.assignments(list)),
        Action::Assert(expr, span) => CompiledAction::Assert(code.value(expr), *span),
        Action::Send(send) => CompiledAction::Send(Box::new(CompiledSend {
            channel: code.value(&send.channel),
            values: send.values.iter().map(|v| code.value(v)).collect(),
            sorted: send.sorted,
            span: send.span,
        })),
        Action::Receive(receive) => CompiledAction::Receive(Box::new(code.receive(receive))),
        Action::Print(print) => {
            let values = print.arguments.iter().map(|(v, _)| code.value(v)).collect();
            CompiledAction::Print(Box::new((Print::clone(print), values)))
        }
        Action::SetPriority(pid, value, span) => {
            CompiledAction::SetPriority(code.value(pid), code.value(value), *span)
        }
        Action::Die => CompiledAction::Die,
        Action::Sequence(sequence) => {
            let nodes = sequence.nodes.iter().map(|node| CompiledNode {
                action: compile_action(&node.action, code),
                next: node.next,
                otherwise: node.otherwise,
                span: node.span,
                fused: None,
                region: None,
            });
            let mut nodes: Box<[CompiledNode]> = nodes.collect();
            fuse::fuse(&mut nodes, code);
            CompiledAction::Sequence(nodes)
        }
    }
}

/// Whether evaluating the expression creates a process.
fn creates(expr: &Expr) -> bool {
    match expr {
        Expr::Run(_) => true,
        Expr::Unary(_, operand) => creates(operand),
        Expr::Binary(_, operands, _) => creates(&operands.0) || creates(&operands.1),
        Expr::Conditional(parts) => creates(&parts.0) || creates(&parts.1) || creates(&parts.2),
        _ => false,
    }
}
