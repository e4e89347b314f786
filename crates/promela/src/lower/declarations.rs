//! Declarations: symbolic constants, records, global and local variables, channels.

use evenhand_source::{Diagnostic, Span};
use evenhand_system::program::expr::{Action, Expr, Index, Place, Scalar, Scope, Show};
use evenhand_system::program::{ChannelSpec, ChannelType};

use super::Lowering;
use super::flow::Node;
use super::symbols::{Enumeration, Field, Kind, Record, Symbol};
use crate::ast::{self, Declaration, Declared, Ident, Init, MtypeDeclaration, TypeName};
use crate::parser::fold;
use crate::token::Name;

/// How many bytes one variable has less than, and the variables of a process, a record, or the
/// global ones together have at most.
const MAX_VARIABLE: u32 = 1 << 20;
const MAX_SEGMENT: u32 = 1 << 22;

/// How many records may lie inside each other.
const MAX_RECORD_DEPTH: u32 = 100;

impl Lowering<'_> {
    /// `mtype = { a, b }`: the last name of a declaration has the smallest value, as in SPIN.
    pub(super) fn mtype(&mut self, declaration: &MtypeDeclaration) {
        let subtype = declaration.subtype.as_ref().map(|s| s.name.clone());
        let enums = &mut self.symbols.enums;
        let index = enums
            .iter()
            .position(|e| e.subtype == subtype)
            .unwrap_or_else(|| {
                enums.push(Enumeration {
                    subtype,
                    names: Vec::new(),
                });
                enums.len() - 1
            });
        for name in declaration.names.iter().rev() {
            let value = self.symbols.enums[index].names.len() as i32 + 1;
            if value > 255 {
                self.error(name.span, "more than 255 symbolic names");
                return;
            }
            if self.symbols.constants.contains_key(&name.name) {
                self.error(
                    name.span,
                    format!("symbolic name `{}` is declared twice", name.name),
                );
                continue;
            }
            self.symbols.enums[index]
                .names
                .push((value, name.name.to_string()));
            self.symbols
                .constants
                .insert(name.name.clone(), (value, index as u16));
        }
    }

    /// `typedef`.
    pub(super) fn record(&mut self, name: &Ident, declarations: &[Declaration]) {
        if self.symbols.records.iter().any(|r| r.name == name.name) {
            self.error(name.span, format!("type `{}` is defined twice", name.name));
            return;
        }
        let mut record = Record {
            name: name.name.clone(),
            fields: Vec::new(),
            len: 0,
            depth: 1,
        };
        for declaration in declarations {
            for variable in &declaration.variables {
                if record.fields.iter().any(|f| f.name == variable.name.name) {
                    let message = format!("field `{}` is declared twice", variable.name.name);
                    self.error(variable.name.span, message);
                }
                if let Some((field, len)) = self.field(declaration, variable, record.len) {
                    record.len += len;
                    if let Kind::Record(inner) = field.kind {
                        record.depth = record.depth.max(1 + self.symbols.records[inner].depth);
                    }
                    record.fields.push(field);
                }
            }
        }
        if record.depth > MAX_RECORD_DEPTH {
            let message = format!("types nested more than {MAX_RECORD_DEPTH} levels deep");
            self.error(name.span, message);
            return;
        }
        self.symbols.records.push(record);
    }

    /// A field or variable at an offset, and how many bytes it takes.
    fn field(
        &mut self,
        declaration: &Declaration,
        variable: &Declared,
        offset: u32,
    ) -> Option<(Field, u32)> {
        let len = match &variable.len {
            None => None,
            Some(expr) => Some(self.array_len(expr)?),
        };
        let kind = match self.symbols.kind(declaration, variable.bits, len.is_some()) {
            Ok(kind) => kind,
            Err(diagnostic) => {
                self.report(diagnostic);
                return None;
            }
        };
        let one = self.symbols.kind_len(&kind);
        if one == 0 {
            return None; // a record whose fields are all wrong, as was said
        }
        let total = one
            .checked_mul(len.unwrap_or(1))
            .filter(|total| *total < MAX_VARIABLE);
        let Some(total) = total else {
            let message = format!("the variable is too large: it has {MAX_VARIABLE} bytes or more");
            self.error(variable.name.span, message);
            return None;
        };
        if offset.saturating_add(total) > MAX_SEGMENT {
            let message = format!("the variables together have more than {MAX_SEGMENT} bytes");
            self.error(variable.name.span, message);
            return None;
        }
        let field = Field {
            name: variable.name.name.clone(),
            kind,
            offset,
            dimension: len.map(|len| (len, one)),
            init: variable.init.clone(),
            span: variable.name.span,
        };
        Some((field, total))
    }

    fn array_len(&mut self, expr: &ast::Expr) -> Option<u32> {
        let value = self.constant(expr)?;
        match u32::try_from(value) {
            Ok(len) if len > 0 => Some(len),
            _ => {
                self.error(expr.span, format!("an array of {value} elements"));
                None
            }
        }
    }

    /// A value known now: constants, symbolic names, and globals by their initial value.
    pub(super) fn constant(&mut self, expr: &ast::Expr) -> Option<i64> {
        let mut at = expr;
        // Initial values may lead to each other in a circle.
        for _ in 0..64 {
            if let Some(value) = fold(at) {
                return Some(value);
            }
            let ast::ExprKind::Reference(reference) = &at.kind else {
                break;
            };
            let [(name, None)] = &reference.parts[..] else {
                break;
            };
            if let Some((value, _)) = self.symbols.constants.get(&name.name) {
                return Some(i64::from(*value));
            }
            let variable = self.symbols.globals.names.get(&name.name);
            match variable.map(|symbol| &symbol.field.init) {
                Some(Some(Init::Value(value))) => at = value,
                _ => break,
            }
        }
        self.report(
            Diagnostic::error(expr.span, "expected a constant")
                .help("only numbers, macros and initialised globals can be used here"),
        );
        None
    }

    /// A global declaration.
    pub(super) fn global(&mut self, declaration: &Declaration) {
        for variable in &declaration.variables {
            let offset = self.lowered.spec.globals_len;
            let Some((field, len)) = self.field(declaration, variable, offset) else {
                continue;
            };
            self.check_name(&variable.name);
            if let Some(first) = self.symbols.globals.names.get(&variable.name.name) {
                let message = format!("variable `{}` is declared twice", variable.name.name);
                let label = first.field.span;
                let diagnostic = Diagnostic::error(variable.name.span, message);
                self.report(diagnostic.label(label, "first declared here"));
                continue;
            }
            self.lowered.spec.globals_len += len;
            // A hidden variable that is read would make verdicts depend on the order of the search:
            // only those that are never read stay out of the state.
            let read = self.known.read.contains(&variable.name.name) || !self.known.complete;
            let hidden = declaration.hidden && !read;
            self.lowered
                .spec
                .globals
                .extend(self.symbols.leaves(&field, hidden));
            self.initialize(Scope::Global, &field);
            let symbol = Symbol {
                scope: Scope::Global,
                field,
            };
            self.symbols
                .globals
                .names
                .insert(variable.name.name.clone(), symbol);
        }
    }

    fn check_name(&mut self, name: &Ident) {
        if self.symbols.constants.contains_key(&name.name) {
            let message = format!("`{}` is already a symbolic name of an mtype", name.name);
            self.error(name.span, message);
        }
    }

    /// Declares a local variable; its field.
    fn local(&mut self, declaration: &Declaration, variable: &Declared) -> Option<Field> {
        let offset = self.current.len;
        let (field, len) = self.field(declaration, variable, offset)?;
        self.check_name(&variable.name);
        let block = self.current.blocks.last()?;
        if let Some(first) = block.names.get(&variable.name.name) {
            let message = format!("variable `{}` is declared twice", variable.name.name);
            let label = first.field.span;
            let diagnostic = Diagnostic::error(variable.name.span, message);
            self.report(diagnostic.label(label, "first declared here"));
            return None;
        }
        self.current.len += len;
        let leaves = self.symbols.leaves(&field, declaration.hidden);
        self.current.variables.extend(leaves);
        let name: Name = variable.name.name.clone();
        let symbol = Symbol {
            scope: Scope::Local,
            field: field.clone(),
        };
        self.current
            .all
            .names
            .entry(name.clone())
            .or_insert_with(|| symbol.clone());
        if let Some(block) = self.current.blocks.last_mut() {
            block.names.insert(name, symbol);
        }
        Some(field)
    }

    /// The parameters of a process, in order.
    pub(super) fn parameters(&mut self, declaration: &Declaration) -> Vec<Place> {
        let mut places = Vec::new();
        for variable in &declaration.variables {
            if variable.init.is_some() {
                self.error(
                    variable.name.span,
                    "a parameter cannot have an initial value",
                );
            }
            if variable.len.is_some() {
                let message = "an array cannot be a parameter";
                self.report(
                    Diagnostic::error(variable.name.span, message)
                        .help("pass the index of a global array instead"),
                );
            }
            if let Some(field) = self.local(declaration, variable) {
                // A record is passed as its fields.
                places.extend(self.scalars_of(&field, field.offset));
            }
        }
        places
    }

    /// The scalars of a local variable, in order.
    fn scalars_of(&self, field: &Field, offset: u32) -> Vec<Place> {
        match field.kind {
            Kind::Scalar(scalar) => vec![place(Scope::Local, offset, scalar, field.span)],
            Kind::Record(index) => {
                let fields = &self.symbols.records[index].fields;
                let inner = fields.iter();
                inner
                    .flat_map(|f| self.scalars_of(f, offset + f.offset))
                    .collect()
            }
        }
    }

    /// A declaration inside a process. At the start it belongs to the creation of the process;
    /// later it is a statement that assigns.
    pub(super) fn local_declaration(&mut self, declaration: &Declaration) {
        for variable in &declaration.variables {
            let Some(field) = self.local(declaration, variable) else {
                continue;
            };
            if self.current.at_start {
                self.initialize(Scope::Local, &field);
            } else {
                self.late_initialization(variable, &field);
            }
        }
    }

    fn late_initialization(&mut self, variable: &Declared, field: &Field) {
        let span = variable.name.span;
        let Kind::Scalar(scalar) = field.kind else {
            self.basic(Action::Skip, span, format!("declare {}", field.name));
            return;
        };
        let value = match &variable.init {
            None => Expr::Const(0),
            Some(Init::Value(value)) => self.expr(value),
            Some(Init::List(_)) => {
                let message = "an array cannot be initialised by a list here";
                self.report(
                    Diagnostic::error(span, message)
                        .help("move the declaration to the start of the process"),
                );
                return;
            }
            Some(Init::Channel(..)) => {
                let message = "a channel cannot be created here";
                self.report(
                    Diagnostic::error(span, message)
                        .help("move the declaration to the start of the process"),
                );
                return;
            }
        };
        let mut target = place(Scope::Local, field.offset, scalar, span);
        if let Some((len, stride)) = field.dimension {
            target.indices.push(Index {
                value: Expr::Const(0),
                len,
                stride,
            });
        }
        let text = match &variable.init {
            None => format!("{} = 0", field.name),
            Some(_) => format!("{} = …", field.name),
        };
        self.basic(Action::Assign(target, value), span, text);
    }

    /// A basic statement at the end of the current sequence.
    pub(super) fn basic(&mut self, action: Action, span: Span, text: String) {
        let element = self
            .current
            .flow
            .new_element(Node::Basic(action), span, text);
        self.current.flow.append(element);
    }

    /// Sets the initial values of a variable: of all its elements and fields.
    fn initialize(&mut self, scope: Scope, field: &Field) {
        self.initialize_at(scope, field, field.offset, field.name.to_string());
    }

    fn initialize_at(&mut self, scope: Scope, field: &Field, offset: u32, name: String) {
        let (count, stride) = field.dimension.unwrap_or((1, 0));
        let list = match &field.init {
            Some(Init::List(values)) => {
                if field.dimension.is_none() {
                    self.error(field.span, "only an array can be initialised by a list");
                }
                values.clone()
            }
            _ => Vec::new(),
        };
        for element in 0..count {
            let at = offset + element * stride;
            let name = match field.dimension {
                Some(_) => format!("{name}[{element}]"),
                None => name.clone(),
            };
            match field.kind {
                Kind::Record(index) => {
                    for inner in self.symbols.records[index].fields.clone() {
                        let name = format!("{name}.{}", inner.name);
                        self.initialize_at(scope, &inner, at + inner.offset, name);
                    }
                }
                Kind::Scalar(scalar) => {
                    let target = place(scope, at, scalar, field.span);
                    let value = match &field.init {
                        None => continue,
                        Some(Init::Value(value)) => self.expr(value),
                        // A list that is too short goes on with its last value.
                        Some(Init::List(_)) => match list.get(element as usize).or(list.last()) {
                            Some(value) => self.expr(value),
                            None => continue,
                        },
                        Some(Init::Channel(capacity, fields, span)) => {
                            self.channel(scope, at, scalar, capacity, fields, *span, name);
                            continue;
                        }
                    };
                    match scope {
                        Scope::Global => self.lowered.spec.init.push((target, value)),
                        Scope::Local => self.current.init.push((target, value)),
                    }
                }
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one channel declaration"
    )]
    fn channel(
        &mut self,
        scope: Scope,
        variable: u32,
        scalar: Scalar,
        capacity: &ast::Expr,
        fields: &[TypeName],
        span: Span,
        name: String,
    ) {
        if scalar.show != Show::Channel {
            self.error(span, format!("`{name}` is not a channel"));
            return;
        }
        let Some(capacity) = self.constant(capacity) else {
            return;
        };
        let Ok(capacity) = u8::try_from(capacity) else {
            self.error(
                span,
                format!("a channel of {capacity} messages: at most 255 are possible"),
            );
            return;
        };
        let mut scalars = Vec::new();
        for field in fields {
            match field {
                TypeName::Record(name) => match self.symbols.record(name) {
                    Ok(index) => scalars.extend(self.symbols.scalars(&Kind::Record(index))),
                    Err(diagnostic) => self.report(diagnostic),
                },
                TypeName::Unsigned => self.error(span, "`unsigned` cannot be a message field"),
                _ => scalars.extend(self.symbols.scalar(field, None)),
            }
        }
        if scalars.len() > 255 {
            self.error(span, "a message of more than 255 fields");
            return;
        }
        if let [only] = &mut scalars[..]
            && only.bits == 1
        {
            only.bits = 8; // SPIN's verifier keeps a lone bit in a whole byte
        }
        let kind = ChannelType {
            capacity,
            fields: scalars,
        };
        let channel = self.symbols.channel_type(kind);
        let spec = ChannelSpec {
            channel,
            variable,
            name,
        };
        let list = match scope {
            Scope::Global => &mut self.lowered.spec.channels,
            Scope::Local => &mut self.current.channels,
        };
        list.push(spec);
        if list.len() == 256 {
            self.error(span, "more than 255 channels");
        }
    }
}

pub(super) fn place(scope: Scope, offset: u32, scalar: Scalar, span: Span) -> Place {
    Place {
        scope,
        offset,
        indices: Vec::new(),
        scalar,
        span,
    }
}
