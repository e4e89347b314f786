//! Expressions and references.

use evenhand_source::{Diagnostic, Span, nearest, spend};
use evenhand_system::program::expr::{
    AtLocation, BinaryOp, ChannelQuery, Expr, Index, Location, Pattern, Place, Receive, Remote,
    Run, Scalar, Scope, Show, TypeId, UnaryOp,
};

use super::Lowering;
use super::symbols::{Field, Kind, Symbol};
use crate::ast::{self, Binary, ExprKind, Ident, Query, ReceiveArgument, Reference, Unary};

/// A variable, or a record of them.
pub(super) struct Resolved {
    pub scope: Scope,
    pub offset: u32,
    pub indices: Vec<Index>,
    pub kind: Kind,
    /// An array that is mentioned without an index.
    pub whole_array: Option<(u32, u32)>,
    pub span: Span,
}

impl Resolved {
    fn place(self, scalar: Scalar) -> Place {
        let Resolved {
            scope,
            offset,
            indices,
            span,
            ..
        } = self;
        Place {
            scope,
            offset,
            indices,
            scalar,
            span,
        }
    }
}

impl Lowering<'_> {
    /// An expression; after an error, some constant.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        spend();
        match &expr.kind {
            ExprKind::Number(value) => Expr::Const(*value as i32),
            ExprKind::Reference(reference) => self.read(reference),
            ExprKind::Unary(op, operand) => {
                let op = match op {
                    Unary::Not => UnaryOp::Not,
                    Unary::Neg => UnaryOp::Neg,
                    Unary::Complement => UnaryOp::Complement,
                    _ => return self.temporal(expr.span),
                };
                simplify(Expr::Unary(op, Box::new(self.expr(operand))))
            }
            ExprKind::Binary(op, operands) => self.binary(*op, &operands.0, &operands.1, expr.span),
            ExprKind::Conditional(parts) => {
                let parts = (
                    self.expr(&parts.0),
                    self.expr(&parts.1),
                    self.expr(&parts.2),
                );
                Expr::Conditional(Box::new(parts))
            }
            ExprKind::Run(name, arguments, priority) => {
                self.run(name, arguments, *priority, expr.span)
            }
            ExprKind::Channel(query, reference) => {
                let channel = self.channel_reference(reference);
                let query = match query {
                    Query::Len => ChannelQuery::Len,
                    Query::Full => ChannelQuery::Full,
                    Query::Nfull => ChannelQuery::NotFull,
                    Query::Empty => ChannelQuery::Empty,
                    Query::Nempty => ChannelQuery::NotEmpty,
                };
                Expr::Channel(query, Box::new(channel), expr.span)
            }
            ExprKind::Poll(receive) => Expr::Poll(Box::new(self.receive(receive, true))),
            ExprKind::Enabled(pid) => Expr::Enabled(Box::new(self.expr(pid))),
            ExprKind::PcValue(pid) => Expr::LocationOf(Box::new(self.expr(pid))),
            ExprKind::GetPriority(pid) => {
                self.found.uses_priorities = true;
                Expr::PriorityOf(Box::new(self.expr(pid)))
            }
            ExprKind::Timeout => {
                self.found.uses_timeout = true;
                Expr::Timeout
            }
            ExprKind::NonProgress => Expr::NonProgress,
            ExprKind::RemoteLabel(process, pid, label) => {
                self.remote_label(process, pid.as_deref(), label, expr.span)
            }
            ExprKind::RemoteVariable(process, pid, reference) => {
                self.remote_variable(process, pid.as_deref(), reference)
            }
        }
    }

    fn temporal(&mut self, span: Span) -> Expr {
        self.report(
            Diagnostic::error(span, "a temporal operator outside of an `ltl` formula")
                .help("write `ltl name { … }`"),
        );
        Expr::Const(0)
    }

    fn binary(&mut self, op: Binary, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let op = match op {
            Binary::Add => BinaryOp::Add,
            Binary::Sub => BinaryOp::Sub,
            Binary::Mul => BinaryOp::Mul,
            Binary::Div => BinaryOp::Div,
            Binary::Rem => BinaryOp::Rem,
            Binary::BitAnd => BinaryOp::BitAnd,
            Binary::BitOr => BinaryOp::BitOr,
            Binary::BitXor => BinaryOp::BitXor,
            Binary::Shl => BinaryOp::Shl,
            Binary::Shr => BinaryOp::Shr,
            Binary::Lt => BinaryOp::Lt,
            Binary::Le => BinaryOp::Le,
            Binary::Gt => BinaryOp::Gt,
            Binary::Ge => BinaryOp::Ge,
            Binary::Eq => BinaryOp::Eq,
            Binary::Ne => BinaryOp::Ne,
            Binary::And => BinaryOp::And,
            Binary::Or => BinaryOp::Or,
            Binary::Implies => {
                let not = Expr::Unary(UnaryOp::Not, Box::new(self.expr(left)));
                let right = self.expr(right);
                return Expr::Binary(BinaryOp::Or, Box::new((not, right)), span);
            }
            Binary::Equiv => {
                let truth = |e| Expr::Unary(UnaryOp::Not, Box::new(e));
                let operands = (truth(self.expr(left)), truth(self.expr(right)));
                return Expr::Binary(BinaryOp::Eq, Box::new(operands), span);
            }
            _ => return self.temporal(span),
        };
        let operands = (self.expr(left), self.expr(right));
        simplify(Expr::Binary(op, Box::new(operands), span))
    }

    /// The value of a variable or symbolic constant.
    fn read(&mut self, reference: &Reference) -> Expr {
        if let [(name, None)] = &reference.parts[..] {
            if let Some((value, _)) = self.symbols.constants.get(&name.name) {
                return Expr::Const(*value);
            }
            match &*name.name {
                "_pid" => return Expr::Pid,
                "_nr_pr" => return Expr::ProcessCount,
                "_last" => {
                    self.found.uses_last = true;
                    return Expr::LastPid;
                }
                "_priority" => {
                    self.found.uses_priorities = true;
                    return Expr::PriorityOf(Box::new(Expr::Pid));
                }
                "_" => {
                    self.error(name.span, "`_` can only be written");
                    return Expr::Const(0);
                }
                _ => {}
            }
        }
        self.found.read.insert(reference.parts[0].0.name.clone());
        match self.scalar_place(reference) {
            Some(place) => Expr::Load(Box::new(place)),
            None => Expr::Const(0),
        }
    }

    /// A reference that must be a single scalar.
    pub(super) fn scalar_place(&mut self, reference: &Reference) -> Option<Place> {
        let resolved = self.resolve(reference)?;
        if resolved.whole_array.is_some() {
            let name = &reference.parts[0].0.name;
            self.report(
                Diagnostic::error(reference.span, format!("array `{name}` needs an index"))
                    .help(format!("write `{name}[0]` for its first element")),
            );
            return None;
        }
        match resolved.kind {
            Kind::Scalar(scalar) => Some(resolved.place(scalar)),
            Kind::Record(index) => {
                let name = self.symbols.records[index].name.clone();
                let message = format!("a whole record of type `{name}` cannot be used here");
                self.report(Diagnostic::error(reference.span, message).help("name one field"));
                None
            }
        }
    }

    /// What a reference names.
    pub(super) fn resolve(&mut self, reference: &Reference) -> Option<Resolved> {
        let (first, _) = &reference.parts[0];
        let Some(symbol) = self.lookup(&first.name).cloned() else {
            self.unknown(first);
            return None;
        };
        self.resolve_in(&symbol, reference)
    }

    fn unknown(&mut self, name: &Ident) {
        let mut names: Vec<String> = self
            .symbols
            .globals
            .names
            .keys()
            .map(ToString::to_string)
            .collect();
        names.extend(self.symbols.constants.keys().map(ToString::to_string));
        for block in &self.current.blocks {
            names.extend(block.names.keys().map(ToString::to_string));
        }
        names.sort();
        let hint = nearest(&name.name, names.iter().map(String::as_str));
        let help = hint.map(|n| format!("did you mean `{n}`?"));
        let message = format!("undeclared variable `{}`", name.name);
        self.report(Diagnostic::error(name.span, message).maybe_help(help));
    }

    fn resolve_in(&mut self, symbol: &Symbol, reference: &Reference) -> Option<Resolved> {
        let mut indices = Vec::new();
        let mut field: Field = symbol.field.clone();
        let mut offset = field.offset;
        let mut parts = reference.parts.iter();
        let (_, mut index) = parts.next()?.clone();
        loop {
            let mut whole_array = None;
            match (field.dimension, &index) {
                (None, None) => {}
                (Some((len, stride)), Some(value)) => {
                    match self.expr(value) {
                        // A constant index in range costs nothing at run time.
                        Expr::Const(value) if (value as u32) < len && value >= 0 => {
                            offset += value as u32 * stride;
                        }
                        value => indices.push(Index { value, len, stride }),
                    }
                }
                (Some(dimension), None) => whole_array = Some(dimension),
                (None, Some(value)) => {
                    // SPIN reads `x[0]` of a scalar as `x`.
                    match self.expr(value) {
                        Expr::Const(0) => {}
                        value => indices.push(Index {
                            value,
                            len: 1,
                            stride: 0,
                        }),
                    }
                }
            }
            let Some((name, next_index)) = parts.next() else {
                let (kind, scope, span) = (field.kind, symbol.scope, reference.span);
                return Some(Resolved {
                    scope,
                    offset,
                    indices,
                    kind,
                    whole_array,
                    span,
                });
            };
            if whole_array.is_some() {
                let message = format!("array `{}` needs an index", field.name);
                self.error(reference.span, message);
                return None;
            }
            let Kind::Record(record) = field.kind else {
                let message = format!("`{}` is not a record", field.name);
                self.error(reference.span, message);
                return None;
            };
            let record = &self.symbols.records[record];
            let Some(inner) = record.fields.iter().find(|f| f.name == name.name).cloned() else {
                let hint = nearest(&name.name, record.fields.iter().map(|f| &*f.name));
                let help = hint.map(|n| format!("did you mean `{n}`?"));
                let message = format!("type `{}` has no field `{}`", record.name, name.name);
                self.report(Diagnostic::error(name.span, message).maybe_help(help));
                return None;
            };
            offset += inner.offset;
            field = inner;
            index = next_index.clone();
        }
    }

    /// All scalars of a variable, arrays and records spread.
    fn spread(&self, resolved: Resolved) -> Vec<Place> {
        let mut list = Vec::new();
        let Resolved {
            scope,
            offset,
            indices,
            kind,
            whole_array,
            span,
        } = resolved;
        let (count, stride) = whole_array.unwrap_or((1, 0));
        for element in 0..count {
            let at = offset + element * stride;
            match &kind {
                Kind::Scalar(scalar) => {
                    let (scalar, indices) = (*scalar, indices.clone());
                    list.push(Place {
                        scope,
                        offset: at,
                        indices,
                        scalar,
                        span,
                    });
                }
                Kind::Record(record) => {
                    for field in &self.symbols.records[*record].fields {
                        list.extend(self.spread(Resolved {
                            scope,
                            offset: at + field.offset,
                            indices: indices.clone(),
                            kind: field.kind.clone(),
                            whole_array: field.dimension,
                            span,
                        }));
                    }
                }
            }
        }
        list
    }

    /// The values of a message: records are spread into their fields.
    pub(super) fn message(&mut self, values: &[ast::Expr]) -> Vec<Expr> {
        let mut list = Vec::new();
        for value in values {
            match &value.kind {
                ExprKind::Reference(reference) if self.is_record(reference) => {
                    self.found.read.insert(reference.parts[0].0.name.clone());
                    let places = self.resolve(reference).map(|r| self.spread(r));
                    let places = places.unwrap_or_default();
                    list.extend(places.into_iter().map(|p| Expr::Load(Box::new(p))));
                }
                _ => list.push(self.expr(value)),
            }
        }
        list
    }

    /// Whether a reference names a record or an array as a whole.
    fn is_record(&mut self, reference: &Reference) -> bool {
        let (first, _) = &reference.parts[0];
        if self.lookup(&first.name).is_none() {
            return false;
        }
        let before = self.diagnostics.len();
        let resolved = self.resolve(reference);
        self.diagnostics.truncate(before);
        resolved.is_some_and(|r| matches!(r.kind, Kind::Record(_)) || r.whole_array.is_some())
    }

    /// A reference that must name a channel.
    pub(super) fn channel_reference(&mut self, reference: &Reference) -> Expr {
        self.found.read.insert(reference.parts[0].0.name.clone());
        let Some(place) = self.scalar_place(reference) else {
            return Expr::Const(0);
        };
        if place.scalar.show != Show::Channel {
            let text = self.text(reference.span);
            self.error(reference.span, format!("`{text}` is not a channel"));
        }
        Expr::Load(Box::new(place))
    }

    /// A receive or poll.
    pub(super) fn receive(&mut self, receive: &ast::Receive, is_poll: bool) -> Receive {
        let channel = self.channel_reference(&receive.channel);
        let mut patterns = Vec::new();
        for argument in &receive.arguments {
            match argument {
                ReceiveArgument::Match(value) => patterns.push(Pattern::Equal(self.expr(value))),
                ReceiveArgument::Reference(reference) => self.bind(reference, &mut patterns),
            }
        }
        if !is_poll {
            self.check_targets(&receive.arguments);
        }
        let (anywhere, keep, span) = (receive.anywhere, receive.keep, receive.span);
        self.check_message(patterns.len(), span);
        Receive {
            channel,
            patterns,
            anywhere,
            keep,
            span,
        }
    }

    /// Refuses to receive two fields of a message into one variable, as SPIN does.
    fn check_targets(&mut self, arguments: &[ReceiveArgument]) {
        let mut targets: Vec<&Ident> = Vec::new();
        for argument in arguments {
            let ReceiveArgument::Reference(reference) = argument else {
                continue;
            };
            let [(name, None)] = &reference.parts[..] else {
                continue;
            };
            let known = targets.iter().find(|known| known.name == name.name);
            match known.map(|known| known.span) {
                // Constants and `_` are no variables; the fields of a record are many.
                None if self.lookup(&name.name).is_none() || self.is_record(reference) => {}
                None => targets.push(name),
                Some(first) => {
                    let message = format!("`{}` receives two fields of one message", name.name);
                    let diagnostic = Diagnostic::error(name.span, message)
                        .label(first, "the first one")
                        .help("write `_` for a field that is not needed");
                    self.report(diagnostic);
                }
            }
        }
    }

    fn bind(&mut self, reference: &Reference, patterns: &mut Vec<Pattern>) {
        if let [(name, None)] = &reference.parts[..] {
            if let Some((value, _)) = self.symbols.constants.get(&name.name) {
                patterns.push(Pattern::Equal(Expr::Const(*value)));
                return;
            }
            match &*name.name {
                "_" => {
                    patterns.push(Pattern::Any);
                    return;
                }
                "_pid" => {
                    patterns.push(Pattern::Equal(Expr::Pid));
                    return;
                }
                _ => {}
            }
        }
        if self.is_record(reference) {
            let places = self
                .resolve(reference)
                .map(|r| self.spread(r))
                .unwrap_or_default();
            patterns.extend(places.into_iter().map(Pattern::Bind));
        } else if let Some(place) = self.scalar_place(reference) {
            patterns.push(Pattern::Bind(place));
        }
    }

    /// Refuses what no channel can carry; a wrong number of fields is found when the model runs.
    pub(super) fn check_message(&mut self, given: usize, span: Span) {
        if given > 255 {
            self.error(span, "a message of more than 255 fields");
        }
    }

    fn run(
        &mut self,
        name: &Ident,
        arguments: &[ast::Expr],
        priority: Option<i64>,
        span: Span,
    ) -> Expr {
        let Some(info) = self.symbols.processes.get(&name.name).cloned() else {
            let names: Vec<String> = self
                .symbols
                .processes
                .keys()
                .map(ToString::to_string)
                .collect();
            let hint = nearest(&name.name, names.iter().map(String::as_str));
            let help = hint.map(|n| format!("did you mean `{n}`?"));
            let message = format!("there is no process type `{}`", name.name);
            self.report(Diagnostic::error(name.span, message).maybe_help(help));
            return Expr::Const(0);
        };
        if std::mem::replace(&mut self.current.in_run, true) {
            self.error(
                span,
                "`run` cannot be used in the arguments of another `run`",
            );
            return Expr::Const(0);
        }
        let arguments: Vec<Expr> = self.message(arguments);
        self.current.in_run = false;
        let parameters = self.known.parameters.get(&name.name).copied();
        if parameters.is_some_and(|count| count != arguments.len()) {
            let message = format!(
                "process `{}` takes {} arguments, {} given",
                name.name,
                parameters.unwrap_or(0),
                arguments.len()
            );
            let label = format!("`{}` is defined here", name.name);
            self.report(Diagnostic::error(span, message).label(info.span, label));
        }
        if arguments.len() > 255 {
            self.error(span, "more than 255 arguments are too many");
            return Expr::Const(0);
        }
        let priority = self.priority(priority, span);
        Expr::Run(Box::new(Run {
            process: info.id,
            arguments,
            priority,
            span,
        }))
    }

    fn remote_process(&mut self, process: &Ident) -> Option<TypeId> {
        match self.symbols.processes.get(&process.name) {
            Some(info) => Some(info.id),
            None => {
                let message = format!("there is no process type `{}`", process.name);
                self.error(process.span, message);
                None
            }
        }
    }

    fn remote_label(
        &mut self,
        process: &Ident,
        pid: Option<&ast::Expr>,
        label: &Ident,
        span: Span,
    ) -> Expr {
        let Some(id) = self.remote_process(process) else {
            return Expr::Const(0);
        };
        let pid = pid.map(|p| self.expr(p));
        let key = (process.name.clone(), label.name.clone());
        self.found.remote_labels.insert(key.clone());
        let found = self.known.labels.get(&key).copied();
        let locations: Vec<Location> = found.and_then(|f| f.location).into_iter().collect();
        if let Some(first) = found.filter(|f| f.others) {
            let message = format!(
                "`{}` has more than one label `{}`: the first one is meant",
                process.name, label.name
            );
            let diagnostic = Diagnostic::warning(label.span, message);
            self.report(diagnostic.label(first.span, "this one"));
        }
        if found.is_some_and(|f| f.location.is_none()) {
            let message = format!("`{}` is never at `{}`", process.name, label.name);
            self.report(Diagnostic::warning(label.span, message).help(
                "a label at the first statement of an option or inside of a d_step is not visible; \
                 put it in front of the `if` or `do`",
            ));
        }
        if found.is_none() && self.known.complete {
            let message = format!("process `{}` has no label `{}`", process.name, label.name);
            let labels: Vec<String> = self
                .known
                .labels
                .keys()
                .filter(|(p, _)| *p == process.name)
                .map(|(_, l)| l.to_string())
                .collect();
            let hint = nearest(&label.name, labels.iter().map(String::as_str));
            let help = hint.map(|n| format!("did you mean `{n}`?"));
            self.report(Diagnostic::error(label.span, message).maybe_help(help));
        }
        Expr::AtLocation(Box::new(AtLocation {
            process: id,
            pid,
            locations,
            span,
        }))
    }

    fn remote_variable(
        &mut self,
        process: &Ident,
        pid: Option<&ast::Expr>,
        reference: &Reference,
    ) -> Expr {
        let Some(id) = self.remote_process(process) else {
            return Expr::Const(0);
        };
        let pid = pid.map(|p| self.expr(p));
        let (first, _) = &reference.parts[0];
        let Some(block) = self.symbols.locals.get(&process.name) else {
            return Expr::Const(0); // the first run does not know the variables yet
        };
        let Some(symbol) = block.names.get(&first.name).cloned() else {
            let names: Vec<String> = block.names.keys().map(ToString::to_string).collect();
            let hint = nearest(&first.name, names.iter().map(String::as_str));
            let help = hint.map(|n| format!("did you mean `{n}`?"));
            let message = format!(
                "process `{}` has no variable `{}`",
                process.name, first.name
            );
            self.report(Diagnostic::error(first.span, message).maybe_help(help));
            return Expr::Const(0);
        };
        let Some(resolved) = self.resolve_in(&symbol, reference) else {
            return Expr::Const(0);
        };
        let Kind::Scalar(scalar) = resolved.kind else {
            self.error(reference.span, "name one field of the record");
            return Expr::Const(0);
        };
        let place = resolved.place(scalar);
        Expr::Remote(Box::new(Remote {
            process: id,
            pid,
            place,
        }))
    }
}

/// Folds constants.
fn simplify(expr: Expr) -> Expr {
    match &expr {
        Expr::Unary(op, operand) => match (op, &**operand) {
            (UnaryOp::Neg, Expr::Const(v)) => Expr::Const(v.wrapping_neg()),
            (UnaryOp::Not, Expr::Const(v)) => Expr::Const(i32::from(*v == 0)),
            (UnaryOp::Complement, Expr::Const(v)) => Expr::Const(!v),
            _ => expr,
        },
        Expr::Binary(op, operands, _) => match (&operands.0, &operands.1) {
            (Expr::Const(a), Expr::Const(b)) => op.apply(*a, *b).map_or(expr, Expr::Const),
            _ => expr,
        },
        _ => expr,
    }
}
