//! Statements: their actions, and how they are put together.

use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, spend};
use evenhand_system::program::Exclusive;
use evenhand_system::program::expr::{
    Action, BinaryOp, ChannelQuery, Expr, Pattern, Place, Print, Receive, Scalar, Scope, Send, Show,
};

use super::Lowering;
use super::declarations::place;
use super::flow::{DETERMINISTIC, ElementId, Node, SequenceId, Target};
use super::labels::{Label, Mention};
use super::symbols::Kind;
use crate::ast::{self, ExprKind, Reference, Statement, StatementKind, Step};
use crate::token::Name;

impl Lowering<'_> {
    pub(super) fn step(&mut self, step: &Step) {
        match step {
            Step::Declaration(declaration) => self.local_declaration(declaration),
            Step::Exclusive(list, receives) => {
                let usage = if *receives {
                    Exclusive::Receive
                } else {
                    Exclusive::Send
                };
                for reference in list {
                    let channel = self.channel_reference(reference);
                    self.current.exclusive.push((channel, usage));
                }
            }
            Step::Statement(statement) => self.statement(statement),
            Step::Unless(main, escape) => self.unless(main, escape),
        }
    }

    /// Adds a statement to the current sequence.
    fn statement(&mut self, statement: &Statement) {
        self.labelled(statement, &statement.labels);
    }

    /// The same with these of its labels.
    fn labelled(&mut self, statement: &Statement, labels: &[ast::Ident]) {
        spend();
        self.current.at_start = false;
        let mentions = self.mention(labels);
        let element = self.element(statement);
        self.set_labels(labels, &mentions, element);
        let composed = matches!(
            self.current.flow.element(element).node,
            Node::If | Node::Do | Node::Unless
        );
        if !composed {
            self.current.flow.append(element);
        }
    }

    /// What the names of labels mean where they stand.
    fn mention(&mut self, labels: &[ast::Ident]) -> Vec<Mention> {
        let mentions = &mut self.current.flow.mentions;
        labels.iter().map(|l| mentions.mention(&l.name)).collect()
    }

    fn set_labels(&mut self, labels: &[ast::Ident], mentions: &[Mention], element: ElementId) {
        let inline = self.current.inline;
        for (label, &mention) in labels.iter().zip(mentions) {
            let mut known = self.current.flow.labels.iter();
            if let Some(first) = known.find(|l| l.mention == mention && l.inline == inline) {
                let message = format!("label `{}` is defined twice", label.name);
                let (first, place) = (first.span, label.span);
                let diagnostic = Diagnostic::error(place, message);
                let help = "a `goto` in front of the blocks or inlines makes their labels one";
                self.report(match first == place {
                    true => diagnostic.help(help),
                    false => diagnostic.label(first, "first defined here"),
                });
                continue;
            }
            self.current.flow.labels.push(Label {
                name: label.name.clone(),
                mention,
                element,
                span: label.span,
                inline,
            });
        }
    }

    /// The element of a statement; selections and loops are already appended.
    fn element(&mut self, statement: &Statement) -> ElementId {
        let span = statement.span;
        let text = self.statement_text(statement);
        let node = match &statement.kind {
            StatementKind::If(options) => {
                let options = options.iter().map(|o| self.option(o)).collect();
                return self.selection(options, None, span);
            }
            StatementKind::Do(options) => {
                let exit = self.open_loop();
                let options = options.iter().map(|o| self.option(o)).collect();
                self.current.loops.pop();
                return self.selection(options, Some(exit), span);
            }
            StatementKind::ForRange(variable, from, to, body) => {
                return self.for_range(variable, from, to, body, span);
            }
            StatementKind::ForIn(variable, source, body) => {
                return self.for_in(variable, source, body, span);
            }
            StatementKind::Select(variable, from, to) => {
                return self.select(variable, from, to, span);
            }
            StatementKind::Atomic(body) => {
                let body = self.body(body);
                self.current.flow.make_atomic(body, 0);
                Node::Atomic(body)
            }
            StatementKind::DStep(body) => {
                let body = self.body(body);
                self.current.flow.make_atomic(body, DETERMINISTIC);
                Node::DStep(body)
            }
            StatementKind::Block(body) => Node::Block(self.body(body)),
            StatementKind::Inline(text, body) => Node::Block(self.inline(*text, body)),
            StatementKind::Goto(label) => {
                self.current.gotos.push(label.clone());
                let mention = self.current.flow.mentions.mention(&label.name);
                Node::Goto(Target::Label(mention))
            }
            StatementKind::Break => match self.current.loops.last() {
                Some(exit) => Node::Goto(Target::Loop(*exit)),
                None => {
                    self.error(span, "`break` outside of a loop");
                    Node::Basic(Action::Skip)
                }
            },
            StatementKind::Else => Node::Else,
            kind => Node::Basic(self.action(kind, span)),
        };
        self.current.flow.new_element(node, span, text)
    }

    fn statement_text(&self, statement: &Statement) -> String {
        match &statement.kind {
            StatementKind::If(_)
            | StatementKind::Do(_)
            | StatementKind::ForRange(..)
            | StatementKind::ForIn(..)
            | StatementKind::Block(_)
            | StatementKind::Inline(..) => String::new(),
            StatementKind::Atomic(_) => "atomic".into(),
            StatementKind::DStep(_) => "d_step".into(),
            _ => {
                if let Some(text) = &statement.text {
                    return text.clone();
                }
                let mut span = statement.span;
                if let Some(label) = statement.labels.last()
                    && label.span.file == span.file
                {
                    span.start = span.start.max(label.span.end);
                }
                self.text(span).trim_start_matches([':', ' ']).to_string()
            }
        }
    }

    /// The expansion of an inline whose text stands at a place.
    fn inline(&mut self, text: Span, steps: &[Step]) -> SequenceId {
        let around = self.current.inline.replace(text);
        let body = self.body(steps);
        self.current.inline = around;
        body
    }

    /// What stands between braces.
    fn body(&mut self, steps: &[Step]) -> SequenceId {
        self.current.flow.mentions.enter();
        let body = self.sequence(steps);
        self.current.flow.mentions.leave();
        body
    }

    fn sequence(&mut self, steps: &[Step]) -> SequenceId {
        let at_start = std::mem::replace(&mut self.current.at_start, false);
        self.current.flow.open();
        self.in_block(|l| l.steps(steps));
        self.current.at_start = at_start;
        self.close_sequence()
    }

    /// Closes a sequence; one without any statement (after an error) gets a `skip`.
    fn close_sequence(&mut self) -> SequenceId {
        let id = self.current.flow.close();
        if self.current.flow.sequence(id).first.is_none() {
            let span = Span::default();
            let skip =
                self.current
                    .flow
                    .new_element(Node::Basic(Action::Skip), span, "skip".into());
            self.current.flow.append_to(skip, id);
            self.current.flow.sequences[id.0 as usize].extent = Some(skip);
        }
        id
    }

    fn option(&mut self, steps: &[Step]) -> SequenceId {
        let option = self.sequence(steps);
        self.current.flow.prune_skips(option);
        option
    }

    /// `else` is moved to the end.
    fn selection(
        &mut self,
        mut options: Vec<SequenceId>,
        exit: Option<u32>,
        span: Span,
    ) -> ElementId {
        let flow = &self.current.flow;
        let is_else = |id: &SequenceId| {
            let first = flow.sequence(*id).first;
            first.is_some_and(|f| matches!(flow.element(f).node, Node::Else))
        };
        if options.iter().filter(|o| is_else(o)).count() > 1 {
            options.retain({
                let mut seen = false;
                move |o| !is_else(o) || !std::mem::replace(&mut seen, true)
            });
            self.error(span, "more than one `else`");
            return self.current.flow.selection(options, exit, span);
        }
        options.sort_by_key(|o| is_else(o));
        self.current.flow.selection(options, exit, span)
    }

    fn open_loop(&mut self) -> u32 {
        let exit = self.current.flow.exits.len() as u32;
        self.current.flow.exits.push(None);
        self.current.loops.push(exit);
        exit
    }

    fn unless(&mut self, main: &Statement, escape: &Statement) {
        self.current.at_start = false;
        let span = main.span.to(escape.span);
        let wrapped = !main.labels.is_empty();
        let mentions = self.mention(&main.labels);
        if wrapped {
            // The label belongs to the whole.
            self.current.flow.open();
        }
        let main_part = self.part(main, &[]);
        let escape_part = self.part(escape, &escape.labels);
        self.current.flow.unless(main_part, escape_part, span);
        if wrapped {
            let inner = self.close_sequence();
            let block = self
                .current
                .flow
                .new_element(Node::Block(inner), span, String::new());
            self.set_labels(&main.labels, &mentions, block);
            self.current.flow.append(block);
        }
    }

    /// One side of an `unless`, with these of its labels: the statements of a block, or the one statement.
    fn part(&mut self, statement: &Statement, labels: &[ast::Ident]) -> SequenceId {
        match &statement.kind {
            StatementKind::Block(steps) if labels.is_empty() => return self.body(steps),
            StatementKind::Inline(text, steps) if labels.is_empty() => {
                return self.inline(*text, steps);
            }
            _ => {}
        }
        self.current.flow.open();
        self.labelled(statement, labels);
        self.close_sequence()
    }

    /// The statements between the braces of a `for`, in the open sequence.
    fn loop_body(&mut self, steps: &[Step]) {
        self.current.flow.mentions.enter();
        self.in_block(|l| l.steps(steps));
        self.current.flow.mentions.leave();
    }

    /// `for (x : a .. b) { … }`: an assignment and a loop.
    fn for_range(
        &mut self,
        variable: &Reference,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &[Step],
        span: Span,
    ) -> ElementId {
        let texts = [self.text(from.span), self.text(to.span)];
        let range = [self.expr(from), self.expr(to)];
        self.counted_loop(variable, range, texts, |l| l.loop_body(body), span)
    }

    fn counted_loop(
        &mut self,
        variable: &Reference,
        [from, to]: [Expr; 2],
        [first, last]: [String; 2],
        body: impl FnOnce(&mut Self),
        span: Span,
    ) -> ElementId {
        let name = self.text(variable.span);
        let counter = self.assignable(variable);
        let exit = self.open_loop();
        self.assign(&counter, from, variable.span, format!("{name} = {first}"));
        self.current.flow.open();
        let value = Expr::Load(Box::new(counter.clone()));
        let condition = Expr::Binary(BinaryOp::Le, Box::new((value, to)), span);
        let text = format!("{name} <= {last}");
        self.basic(Action::Condition(condition), variable.span, text);
        body(self);
        self.increment(&counter, variable.span, &name);
        self.close_loop(exit, span)
    }

    /// Ends a counted loop: the open sequence is its body, `else` leaves it.
    fn close_loop(&mut self, exit: u32, span: Span) -> ElementId {
        let main = self.close_sequence();
        self.current.flow.open();
        let otherwise = self
            .current
            .flow
            .new_element(Node::Else, span, "else".into());
        self.current.flow.append(otherwise);
        self.leave_loop(exit, span);
        let end = self.close_sequence();
        self.current.loops.pop();
        self.selection(vec![end, main], Some(exit), span)
    }

    fn leave_loop(&mut self, exit: u32, span: Span) {
        let node = Node::Goto(Target::Loop(exit));
        let jump = self.current.flow.new_element(node, span, "break".into());
        self.current.flow.append(jump);
    }

    fn assign(&mut self, target: &Place, value: Expr, span: Span, text: String) {
        self.basic(Action::Assign(target.clone(), value), span, text);
    }

    fn increment(&mut self, counter: &Place, span: Span, name: &str) {
        let old = Expr::Load(Box::new(counter.clone()));
        let value = Expr::Binary(BinaryOp::Add, Box::new((old, Expr::Const(1))), span);
        self.assign(counter, value, span, format!("{name}++"));
    }

    /// `select (x : a .. b)`: counts up to where it likes.
    fn select(
        &mut self,
        variable: &Reference,
        from: &ast::Expr,
        to: &ast::Expr,
        span: Span,
    ) -> ElementId {
        let name = self.text(variable.span);
        let counter = self.assignable(variable);
        let (first, last) = (self.text(from.span), self.text(to.span));
        let (from, to) = (self.expr(from), self.expr(to));
        self.assign(&counter, from, variable.span, format!("{name} = {first}"));
        self.current.flow.open();
        let value = Expr::Load(Box::new(counter.clone()));
        let condition = Expr::Binary(BinaryOp::Lt, Box::new((value, to)), span);
        self.basic(
            Action::Condition(condition),
            span,
            format!("{name} < {last}"),
        );
        let exit = self.open_loop();
        self.increment(&counter, variable.span, &name);
        let main = self.close_sequence();
        self.current.flow.open();
        self.leave_loop(exit, span);
        let end = self.close_sequence();
        self.current.loops.pop();
        self.selection(vec![end, main], Some(exit), span)
    }

    /// In place of a statement that was refused.
    fn nothing(&mut self, span: Span) -> ElementId {
        let skip = Node::Basic(Action::Skip);
        self.current.flow.new_element(skip, span, String::new())
    }

    /// `for (x in a) { … }` over the indices of an array or the messages of a channel.
    fn for_in(
        &mut self,
        variable: &Reference,
        source: &Reference,
        body: &[Step],
        span: Span,
    ) -> ElementId {
        let Some(over) = self.resolve(source) else {
            return self.nothing(span);
        };
        if let Some((len, _)) = over.whole_array {
            let last_index = len as i32 - 1;
            let last = Expr::Const(last_index);
            let body = |l: &mut Self| l.loop_body(body);
            let texts = ["0".to_string(), last_index.to_string()];
            return self.counted_loop(variable, [Expr::Const(0), last], texts, body, span);
        }
        if !matches!(
            over.kind,
            Kind::Scalar(Scalar {
                show: Show::Channel,
                ..
            })
        ) {
            self.report(
                Diagnostic::error(source.span, "`for … in` needs an array or a channel")
                    .help("write `for (i : 0 .. n) { … }` to count"),
            );
            return self.nothing(span);
        }
        self.for_messages(variable, source, body, span)
    }

    /// Rotates the messages of a channel once around.
    fn for_messages(
        &mut self,
        variable: &Reference,
        source: &Reference,
        body: &[Step],
        span: Span,
    ) -> ElementId {
        let scalar = Scalar::unsigned(8);
        let counter = place(Scope::Local, self.current.len, scalar, span);
        self.current.len += 1;
        let channel = self.channel_reference(source);
        let argument = ast::ReceiveArgument::Reference(variable.clone());
        let receive = ast::Receive {
            channel: source.clone(),
            arguments: vec![argument],
            anywhere: false,
            keep: false,
            span,
        };
        let receive = self.receive(&receive, false);
        let values = receive
            .patterns
            .iter()
            .filter_map(|p| match p {
                Pattern::Bind(place) => Some(Expr::Load(Box::new(place.clone()))),
                _ => None,
            })
            .collect();
        let exit = self.open_loop();
        self.assign(&counter, Expr::Const(0), span, "first message".into());
        self.current.flow.open();
        let at = Expr::Load(Box::new(counter.clone()));
        let len = Expr::Channel(ChannelQuery::Len, Box::new(channel.clone()), span);
        let more = Expr::Binary(BinaryOp::Lt, Box::new((at, len)), span);
        self.basic(Action::Condition(more), span, "more messages".into());
        self.basic(
            Action::Receive(Receive { ..receive }),
            span,
            self.text(source.span),
        );
        let send = Send {
            channel,
            values,
            sorted: false,
            span,
        };
        self.basic(Action::Send(send), span, self.text(source.span));
        self.loop_body(body);
        self.increment(&counter, span, "message");
        self.close_loop(exit, span)
    }

    /// A place that may be assigned; after an error, some byte.
    fn assignable(&mut self, reference: &Reference) -> Place {
        let fallback = place(Scope::Global, 0, Scalar::unsigned(8), reference.span);
        if let [(name, None)] = &reference.parts[..] {
            if matches!(&*name.name, "_pid" | "_nr_pr" | "_last" | "np_") {
                self.error(name.span, format!("`{}` cannot be assigned", name.name));
                return fallback;
            }
            if self.symbols.constants.contains_key(&name.name) {
                let message = format!("`{}` is a symbolic constant", name.name);
                self.error(name.span, message);
                return fallback;
            }
        }
        self.scalar_place(reference).unwrap_or(fallback)
    }

    /// What a basic statement does.
    fn action(&mut self, kind: &StatementKind, span: Span) -> Action {
        match kind {
            StatementKind::Assign(target, value) => self.assignment(target, value, span),
            // Only a written `1` is a `skip`, which SPIN prunes; `(2 > 1)` is a condition.
            StatementKind::Condition(expr) => match expr.kind {
                ExprKind::Number(1) => Action::Skip,
                _ => Action::Condition(self.expr(expr)),
            },
            StatementKind::Send(channel, values, _) if self.in_trace => {
                let patterns = values
                    .iter()
                    .map(|value| match &value.kind {
                        ExprKind::Reference(r) if &*r.parts[0].0.name == "_" => Pattern::Any,
                        _ => Pattern::Equal(self.expr(value)),
                    })
                    .collect();
                let channel = self.channel_reference(channel);
                // An event that is kept is one that was sent: see `Lowering::observer`.
                Action::Receive(Receive {
                    channel,
                    patterns,
                    anywhere: false,
                    keep: true,
                    span,
                })
            }
            StatementKind::Receive(receive) if self.in_trace => Action::Receive(Receive {
                keep: false,
                ..self.receive(receive, true)
            }),
            StatementKind::Send(channel, values, sorted) => {
                let values = self.message(values);
                self.check_message(values.len(), span);
                let channel = self.channel_reference(channel);
                Action::Send(Send {
                    channel,
                    values,
                    sorted: *sorted,
                    span,
                })
            }
            StatementKind::Receive(receive) => Action::Receive(self.receive(receive, false)),
            StatementKind::Assert(expr) => Action::Assert(self.expr(expr), span),
            StatementKind::Printf(format, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|a| (self.expr(a), self.shown(a)))
                    .collect();
                Action::Print(Arc::new(Print {
                    format: unescape(format),
                    arguments,
                }))
            }
            StatementKind::Printm(value) => {
                let arguments = vec![(self.expr(value), self.shown(value))];
                Action::Print(Arc::new(Print {
                    format: "%e".into(),
                    arguments,
                }))
            }
            StatementKind::SetPriority(pid, value) => {
                self.found.uses_priorities = true;
                Action::SetPriority(self.expr(pid), self.expr(value), span)
            }
            _ => Action::Skip,
        }
    }

    fn assignment(&mut self, target: &Reference, value: &ast::Expr, span: Span) -> Action {
        if let [(name, None)] = &target.parts[..] {
            match &*name.name {
                "_" => return Action::Skip,
                "_priority" => {
                    self.found.uses_priorities = true;
                    return Action::SetPriority(Expr::Pid, self.expr(value), span);
                }
                _ => {}
            }
        }
        let place = self.assignable(target);
        let value = self.expr(value);
        Action::Assign(place, value)
    }

    /// How a printed value is shown by `%e`.
    fn shown(&mut self, expr: &ast::Expr) -> Show {
        let ExprKind::Reference(reference) = &expr.kind else {
            return Show::Enum(0);
        };
        if let [(name, None)] = &reference.parts[..]
            && let Some((_, index)) = self.symbols.constants.get(&name.name)
        {
            return Show::Enum(*index);
        }
        let before = self.diagnostics.len();
        let place = self.scalar_place(reference);
        self.diagnostics.truncate(before);
        match place.map(|p| p.scalar.show) {
            Some(Show::Enum(index)) => Show::Enum(index),
            _ => Show::Enum(0),
        }
    }
}

/// The escapes of a string.
fn unescape(text: &Name) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}
