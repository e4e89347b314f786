//! From the syntax tree to a program: names resolved, variables placed, control flow laid out.
//!
//! Lowering runs several times over the tree. The first run finds which labels are referred to from
//! outside and which features are used, the second where each label's location is then. When a run finds
//! nothing that was not known before, one more would do the same again: its program is the model, and only its
//! diagnostics count. That is the second run, or the third where labels that are referred to have moved others.

mod automaton;
mod declarations;
mod dstep;
mod expressions;
mod flow;
mod labels;
mod properties;
mod shown;
mod statements;
mod symbols;

use std::collections::{HashMap, HashSet};

use evenhand_source::{Diagnostic, Files, Severity, Span};
use evenhand_system::program::expr::{Action, Expr, Location, Pattern, Place, TypeId};
use evenhand_system::program::observer::{Event, Observer, ObserverLocation};
use evenhand_system::program::{
    ChannelSpec, Exclusive, HEADER, ProcessType, Spec, Start, Variable,
};
use evenhand_system::signature::{ActionInfo, ActionRole, Property, PropertyKind};
use evenhand_system::{ProcessTypeId, Signature};

use self::automaton::Automaton;
use self::flow::Flow;
use self::symbols::{Block, ProcessInfo, Symbol, Symbols};
use crate::ast::{self, Ident, Model, Process, Step, Unit};
use crate::token::Name;

/// A lowered model.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The program.
    pub spec: Spec,
    /// Its signature.
    pub signature: Signature,
    /// The formulas of `ltl` blocks.
    pub formulas: Vec<LtlProperty>,
    /// `ltl` blocks that nobody can have meant.
    pub misread: Vec<Misread>,
    /// The formulas that were asked, without names.
    pub asked: Vec<LtlProperty>,
    /// Never claims and trace assertions: processes that only watch.
    pub claims: Vec<Claim>,
    /// For each action of the signature, its number in SPIN's trails.
    pub statements: Vec<u32>,
}

/// The formula of an `ltl` block.
#[derive(Clone, Debug)]
pub struct LtlProperty {
    /// Its name.
    pub name: String,
    /// The formula over `atoms`.
    pub formula: Formula,
    /// State expressions.
    pub atoms: Vec<Expr>,
    /// The text of each atom.
    pub texts: Vec<String>,
    /// Where it stands.
    pub span: Span,
}

/// An `ltl` block that compares a temporal formula with something: SPIN reads something else there
/// than anybody means. The model has a meaning without it.
#[derive(Clone, Debug)]
pub struct Misread {
    /// Its name.
    pub name: String,
    /// What is wrong: errors, for who asks for it.
    pub wrong: Vec<Diagnostic>,
}

impl Misread {
    /// The same for who does not ask.
    pub fn warnings(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let errors = self.wrong.iter().filter(|d| d.severity == Severity::Error);
        errors.map(|error| Diagnostic {
            severity: Severity::Warning,
            message: format!("property `{}` is left out: {}", self.name, error.message),
            ..error.clone()
        })
    }
}

/// A temporal formula whose atoms are state expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A state expression, by number.
    Atom(usize),
    /// An operator with one operand.
    Unary(ast::Unary, Box<Formula>),
    /// An operator with two operands.
    Binary(ast::Binary, Box<(Formula, Formula)>),
}

/// What kind of observer a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// A never claim.
    Never,
    /// Events must follow the pattern.
    Trace,
    /// Events must not complete the pattern.
    Notrace,
}

/// A never claim or trace assertion.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ClaimKind,
    /// Its automaton, in the form of a process type.
    pub process: ProcessType,
}

/// What earlier runs found out.
#[derive(Clone, Debug, Default, PartialEq)]
struct Findings {
    /// Labels that are referred to from outside: process and label.
    remote_labels: HashSet<(Name, Name)>,
    /// Where labels are: process and label.
    labels: HashMap<(Name, Name), LabelPlace>,
    /// Local variables of each process type.
    locals: HashMap<Name, Block>,
    /// How many scalars each process type takes.
    parameters: HashMap<Name, usize>,
    /// Globals whose value is read somewhere.
    read: HashSet<Name>,
    /// Whether an earlier run has looked at everything.
    complete: bool,
    uses_timeout: bool,
    uses_last: bool,
    uses_priorities: bool,
    max_locations: usize,
}

/// What a reference to a label from outside means.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LabelPlace {
    /// None if no control state is left for it.
    location: Option<Location>,
    /// The first label so spelled.
    span: Span,
    /// Whether there are others.
    others: bool,
}

/// How often the first run is repeated at most: the third knows where all labels are.
const MOST_RUNS: usize = 2;

/// Lowers a model, and formulas that were asked about it.
pub fn lower(model: &Model, asked: &[ast::Expr], files: &Files) -> (Lowered, Vec<Diagnostic>) {
    let mut lowering = Lowering::new(files, Findings::default());
    lowering.model(model, asked);
    for _ in 0..MOST_RUNS {
        lowering.found.complete = true;
        if lowering.found == lowering.known {
            break;
        }
        lowering = Lowering::new(files, lowering.found);
        lowering.model(model, asked);
    }
    (lowering.lowered, lowering.diagnostics)
}

struct Lowering<'a> {
    files: &'a Files,
    symbols: Symbols,
    diagnostics: Vec<Diagnostic>,
    /// What is known from earlier runs.
    known: Findings,
    /// What this run finds.
    found: Findings,
    lowered: Lowered,
    /// The process being lowered.
    current: Current,
    /// Whether it is a trace assertion, whose statements are events.
    in_trace: bool,
    /// Where the location of the trace assertion is kept.
    observer_offset: u32,
}

/// The process being lowered.
#[derive(Default)]
struct Current {
    blocks: Vec<Block>,
    /// All variables, for remote references.
    all: Block,
    variables: Vec<Variable>,
    len: u32,
    channels: Vec<ChannelSpec>,
    init: Vec<(Place, Expr)>,
    flow: Flow,
    /// Exits of the loops around the statement.
    loops: Vec<u32>,
    /// Whether declarations still belong to the creation of the process.
    at_start: bool,
    gotos: Vec<Ident>,
    /// The inline whose expansion is being lowered, by the place of its text.
    inline: Option<Span>,
    /// Whether the arguments of a `run` are being lowered.
    in_run: bool,
    exclusive: Vec<(Expr, Exclusive)>,
}

impl<'a> Lowering<'a> {
    fn new(files: &'a Files, known: Findings) -> Lowering<'a> {
        let symbols = Symbols {
            locals: known.locals.clone(),
            ..Symbols::default()
        };
        Lowering {
            files,
            symbols,
            diagnostics: Vec::new(),
            known,
            found: Findings::default(),
            lowered: Lowered::default(),
            current: Current::default(),
            in_trace: false,
            observer_offset: 0,
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < 50 && !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn model(&mut self, model: &Model, asked: &[ast::Expr]) {
        self.lowered.spec.globals_len = HEADER;
        self.lowered.spec.uses_timeout = self.known.uses_timeout;
        self.lowered.spec.priorities = self.known.uses_priorities;
        let wide = self.known.max_locations > 256;
        self.lowered.spec.location_bytes = if wide { 2 } else { 1 };
        if model.units.iter().any(|u| matches!(u, Unit::Trace(..))) {
            self.observer_offset = self.lowered.spec.globals_len;
            self.lowered.spec.globals_len += 2;
        }
        if self.known.uses_last {
            self.lowered.spec.last_pid = Some(self.lowered.spec.globals_len);
            self.lowered.spec.globals_len += 1;
        }
        self.declare_processes(model);
        // SPIN numbers the elements of all processes in the order of the text.
        let mut numbering: Vec<(usize, u32, usize)> = Vec::new();
        for (place, unit) in model.units.iter().enumerate() {
            match unit {
                Unit::Mtype(declaration) => self.mtype(declaration),
                Unit::Record(name, fields) => self.record(name, fields),
                Unit::Variables(declaration) => self.global(declaration),
                Unit::Process(process) => {
                    let elements = self.process_unit(process);
                    numbering.push((place, elements, self.lowered.statements.len()));
                }
                Unit::Never(_) | Unit::Trace(..) | Unit::Ltl(..) => {}
            }
        }
        // Claims and formulas may refer to everything, wherever they stand.
        for (place, unit) in model.units.iter().enumerate() {
            let (process, kind) = match unit {
                Unit::Never(process) => (process, ClaimKind::Never),
                Unit::Trace(process, true) => (process, ClaimKind::Trace),
                Unit::Trace(process, false) => (process, ClaimKind::Notrace),
                Unit::Ltl(name, formula) => {
                    self.ltl(name, formula);
                    continue;
                }
                _ => continue,
            };
            let elements = self.claim(process, kind);
            numbering.push((place, elements, self.lowered.statements.len()));
        }
        self.number_statements(&numbering);
        for formula in asked {
            let property = self.property("", formula);
            self.lowered.asked.push(property);
        }
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        if self.lowered.spec.start.is_empty() && !self.diagnostics.iter().any(is_error) {
            self.report(
                Diagnostic::global("the model has no process to start with")
                    .help("add an `init` process or declare a proctype `active`"),
            );
        }
        let enums = std::mem::take(&mut self.symbols.enums);
        self.lowered.spec.enums = enums.into_iter().map(|e| e.names).collect();
        self.lowered.spec.channel_types = std::mem::take(&mut self.symbols.channel_types);
    }

    fn declare_processes(&mut self, model: &Model) {
        let mut next = 0u16;
        for unit in &model.units {
            let Unit::Process(process) = unit else {
                continue;
            };
            if next == u16::MAX {
                self.error(process.name.span, "more than 65534 process types");
                return;
            }
            let info = ProcessInfo {
                id: TypeId(next),
                span: process.name.span,
            };
            next += 1;
            let name = process.name.name.clone();
            if let Some(first) = self.symbols.processes.insert(name, info) {
                let message = format!("process `{}` is defined twice", process.name.name);
                let diagnostic = Diagnostic::error(process.name.span, message);
                self.report(diagnostic.label(first.span, "first defined here"));
            }
        }
    }

    /// Turns numbers within processes into numbers within the model. For each process: its place in
    /// the text, the number of its elements, and where its statements end.
    fn number_statements(&mut self, processes: &[(usize, u32, usize)]) {
        let mut begin = 0;
        for &(place, _, end) in processes {
            let before = processes.iter().filter(|&&(other, ..)| other < place);
            let base: u32 = before.map(|&(_, elements, _)| elements).sum();
            for number in &mut self.lowered.statements[begin..end] {
                *number += base;
            }
            for action in &mut self.lowered.signature.actions[begin..end] {
                action.statement = action.statement.map(|number| number + base);
            }
            begin = end;
        }
    }

    /// Lowers a process; the number of its elements.
    fn process_unit(&mut self, process: &Process) -> u32 {
        let (definition, automaton) = self.process(process);
        let elements = automaton.elements;
        let id = self.lowered.spec.types.len() as u16;
        self.lowered
            .signature
            .processes
            .push(process.name.name.to_string());
        let definition = self.number_actions(definition, automaton, false);
        let count = process
            .active
            .as_ref()
            .map_or(0, |expr| self.active_count(expr));
        let priority = self.priority(process.priority, process.name.span);
        for _ in 0..count {
            self.lowered.spec.start.push(Start {
                process: TypeId(id),
                priority,
            });
        }
        self.lowered.spec.types.push(definition);
        elements
    }

    fn priority(&mut self, priority: Option<i64>, span: Span) -> u8 {
        self.found.uses_priorities |= priority.is_some();
        match u8::try_from(priority.unwrap_or(1)) {
            Ok(value) if value > 0 => value,
            _ => {
                self.error(span, "a priority must be between 1 and 255");
                1
            }
        }
    }

    /// Gives the actions of a process their place in the signature.
    fn number_actions(
        &mut self,
        mut definition: ProcessType,
        automaton: Automaton,
        is_claim: bool,
    ) -> ProcessType {
        // Its name is the last that came into the signature.
        let process = ProcessTypeId::new(self.lowered.signature.processes.len() - 1);
        let base = self.lowered.signature.actions.len();
        for info in automaton.infos {
            self.lowered.statements.push(info.element);
            self.lowered.signature.actions.push(ActionInfo {
                process,
                text: info.text,
                span: info.span,
                body: None,
                labels: info.labels,
                role: match info.is_end {
                    _ if is_claim => ActionRole::Claim,
                    true => ActionRole::End,
                    false => ActionRole::Step,
                },
                statement: Some(info.element),
            });
        }
        for location in &mut definition.locations {
            for transition in location.groups.iter_mut().flatten() {
                transition.info = transition.info.plus(base);
            }
        }
        definition
    }

    fn active_count(&mut self, expr: &ast::Expr) -> usize {
        match self.constant(expr) {
            Some(count @ 0..=255) => count as usize,
            Some(count) => {
                let message = format!("{count} processes: at most 255 are possible");
                self.error(expr.span, message);
                0
            }
            None => 0,
        }
    }

    /// Lowers a process, claim or trace.
    fn process(&mut self, process: &Process) -> (ProcessType, Automaton) {
        self.current = Current {
            blocks: vec![Block::default()],
            len: self.lowered.spec.process_header(),
            at_start: true,
            ..Current::default()
        };
        let mut parameters = Vec::new();
        for declaration in &process.parameters {
            parameters.extend(self.parameters(declaration));
        }
        let count = parameters.len();
        self.found
            .parameters
            .insert(process.name.name.clone(), count);
        let provided = process.provided.as_ref().map(|p| self.expr(p));
        self.current.flow.open();
        self.steps(&process.body);
        let flow = &mut self.current.flow;
        let stop = flow.new_element(flow::Node::Stop, process.end, "end".into());
        flow.append(stop);
        let body = flow.close();
        self.check_jumps();
        let name = process.name.name.clone();
        for (owner, label) in &self.known.remote_labels {
            if *owner == name {
                self.current.flow.keep_label(label);
            }
        }
        let automaton = automaton::build(&mut self.current.flow, body, &mut self.diagnostics);
        for label in &self.current.flow.labels {
            let key = (name.clone(), label.name.clone());
            let known = self.found.labels.entry(key);
            let place = LabelPlace {
                location: automaton.labels.get(&label.name).copied(),
                span: label.span,
                others: false,
            };
            known.and_modify(|p| p.others = true).or_insert(place);
        }
        self.found.max_locations = self.found.max_locations.max(automaton.locations.len());
        if automaton.locations.len() > usize::from(u16::MAX) {
            self.error(
                process.name.span,
                "a process with more than 65535 control states",
            );
        }
        let current = std::mem::take(&mut self.current);
        self.found.locals.insert(name.clone(), current.all);
        let definition = ProcessType {
            name: name.to_string(),
            parameters,
            variables: current.variables,
            len: current.len,
            channels: current.channels,
            init: current.init,
            provided,
            exclusive: current.exclusive,
            locations: automaton.locations.clone(),
            initial: automaton.initial,
        };
        (definition, automaton)
    }

    fn check_jumps(&mut self) {
        let labels: Vec<Name> = self
            .current
            .flow
            .labels
            .iter()
            .map(|l| l.name.clone())
            .collect();
        for goto in std::mem::take(&mut self.current.gotos) {
            if labels.contains(&goto.name) {
                continue;
            }
            let hint = evenhand_source::nearest(&goto.name, labels.iter().map(|l| &**l));
            let help = hint.map(|n| format!("did you mean `{n}`?"));
            let message = format!("there is no label `{}` in this process", goto.name);
            self.report(Diagnostic::error(goto.span, message).maybe_help(help));
        }
    }

    fn claim(&mut self, process: &Process, kind: ClaimKind) -> u32 {
        self.in_trace = kind != ClaimKind::Never;
        let (definition, automaton) = self.process(process);
        let elements = automaton.elements;
        self.in_trace = false;
        if kind != ClaimKind::Never {
            self.observer(&definition, kind == ClaimKind::Notrace, process.name.span);
        }
        let name = process.name.name.to_string();
        self.lowered.signature.processes.push(name.clone());
        let definition = self.number_actions(definition, automaton, true);
        let property = match kind {
            ClaimKind::Never => PropertyKind::Never,
            _ => PropertyKind::Trace,
        };
        let span = process.name.span;
        self.lowered.signature.properties.push(Property {
            name: name.clone(),
            kind: property,
            span,
        });
        self.lowered.claims.push(Claim {
            name,
            kind,
            process: definition,
        });
        elements
    }

    /// The automaton of a trace assertion: its transitions are events on channels.
    fn observer(&mut self, definition: &ProcessType, negated: bool, span: Span) {
        if self.lowered.spec.observer.is_some() {
            self.error(span, "more than one trace assertion");
            return;
        }
        let mut locations = Vec::new();
        for location in &definition.locations {
            let mut found = ObserverLocation::default();
            for transition in location.groups.iter().flatten() {
                match &transition.action {
                    Action::Receive(event) => found.events.push(Event {
                        sent: event.keep,
                        channel: event.channel.clone(),
                        fields: event.patterns.iter().map(event_field).collect(),
                        target: transition.target.0 as u16,
                    }),
                    Action::Die => found.end = true,
                    _ => {
                        let message = "a trace assertion consists of sends and receives only";
                        self.error(span, message);
                    }
                }
            }
            locations.push(found);
        }
        let (initial, offset) = (definition.initial.0 as u16, self.observer_offset);
        let observer = Observer {
            locations,
            initial,
            offset,
            negated,
            span,
        };
        self.lowered.spec.observer = Some(observer);
    }

    /// The source text of a place, on one line.
    fn text(&self, span: Span) -> String {
        self.files
            .text(span)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The variable of a name, looked for from the inside out.
    fn lookup(&self, name: &Name) -> Option<&Symbol> {
        let blocks = self.current.blocks.iter().rev();
        blocks
            .chain([&self.symbols.globals])
            .find_map(|b| b.names.get(name))
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn in_block(&mut self, body: impl FnOnce(&mut Self)) {
        self.current.blocks.push(Block::default());
        body(self);
        self.current.blocks.pop();
    }
}

/// What a field of an event must be.
fn event_field(pattern: &Pattern) -> Option<Expr> {
    match pattern {
        Pattern::Equal(value) => Some(value.clone()),
        Pattern::Any | Pattern::Bind(_) => None,
    }
}
