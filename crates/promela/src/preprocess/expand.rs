//! Macro replacement.
//!
//! The input is a stack of token lists over the files: a macro use pushes the replaced body, and
//! reading goes on in there, so uses inside the result are found without recursion. A macro is
//! *disabled* while its list is on the stack; its name met inside is marked and stays as it is for
//! ever. That is the rule of the C standard (a macro is not replaced inside its own replacement),
//! read the way `gcc` reads it, and the reason why every replacement ends.
//!
//! Arguments are collected raw, up to the matching parenthesis, across lines and lists. An argument
//! next to `#` or `##` is used as it stands; elsewhere it is replaced completely first, in a list
//! with a *barrier* that reading does not pass. This is the only recursion, bounded by
//! [`MAX_NESTING`]. [`Kind::Padding`] marks the edges of macros and arguments for the output.
//!
//! Positions: a token of a body gets the place of the macro use (name to closing parenthesis) and
//! remembers its place in the definition; a token of an argument keeps its own place.
//!
//! Cost: linear in what is produced, which the budget bounds.

use std::rc::Rc;

use evenhand_source::{Diagnostic, Span, spend};

use super::define::{Body, Macro, Part, Role};
use super::{Kind, MAX_NESTING, PpToken, Preprocessor, Scanner};

/// A list of tokens on the stack.
pub(super) struct Context {
    tokens: std::vec::IntoIter<PpToken>,
    /// The macro whose replacement this is.
    owner: Option<Rc<Macro>>,
    /// Reading stops at its end.
    barrier: bool,
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(owner) = &self.owner {
            owner.disabled.set(false);
        }
    }
}

impl Preprocessor<'_> {
    /// The next token after macro replacement; `None` at the end (or at a barrier).
    pub(super) fn next(&mut self) -> Option<PpToken> {
        loop {
            let mut token = self.raw()?;
            if token.kind != Kind::Name || token.no_expand {
                return Some(token);
            }
            let Some(found) = self.macros.get(&token.text).cloned() else {
                return Some(token);
            };
            if found.disabled.get() {
                token.no_expand = true;
                return Some(token);
            }
            if !self.replace(&mut token, found) {
                return Some(token);
            }
        }
    }

    /// The next token before macro replacement.
    pub(super) fn raw(&mut self) -> Option<PpToken> {
        spend();
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.tokens.next() {
                return Some(token);
            }
            if context.barrier {
                return None;
            }
            self.contexts.pop();
        }
        self.file_token()
    }

    /// Replaces all macros in a list of tokens.
    pub(super) fn expand_list(&mut self, tokens: Vec<PpToken>) -> Vec<PpToken> {
        let depth = self.open_list(tokens);
        let mut result = Vec::new();
        while let Some(token) = self.next() {
            result.push(token);
        }
        self.close_list(depth);
        result
    }

    /// Reads from a list until [`Preprocessor::close_list`].
    pub(super) fn open_list(&mut self, tokens: Vec<PpToken>) -> usize {
        let depth = self.contexts.len();
        self.push(tokens, None, true);
        depth
    }

    pub(super) fn close_list(&mut self, depth: usize) {
        self.contexts.truncate(depth);
    }

    fn push(&mut self, tokens: Vec<PpToken>, owner: Option<Rc<Macro>>, barrier: bool) {
        if let Some(owner) = &owner {
            owner.disabled.set(true);
        }
        self.contexts.push(Context {
            tokens: tokens.into_iter(),
            owner,
            barrier,
        });
    }

    /// Pushes the replacement of a macro use; `false` if the name stands for itself here.
    fn replace(&mut self, name: &mut PpToken, found: Rc<Macro>) -> bool {
        let mut arguments = Vec::new();
        let mut place = name.span;
        if let Some(parameters) = &found.parameters {
            self.in_arguments += 1;
            let collected = self.arguments(name, &found, parameters.len());
            self.in_arguments -= 1;
            match collected {
                Arguments::Absent => return false,
                Arguments::Wrong => {
                    name.no_expand = true;
                    return false;
                }
                Arguments::Some(list, close) => {
                    arguments = list;
                    place = place.to(close);
                }
            }
        }
        let mut tokens = vec![self.padding(name, name.space)];
        match &found.body {
            Body::Line => {
                let text = name.line.to_string();
                tokens.push(self.respelled(name, Kind::Number, &text));
            }
            Body::File => {
                let text = quoted(&self.files.get(name.span.file).name);
                tokens.push(self.respelled(name, Kind::String, &text));
            }
            Body::Parts(parts) => {
                let parts = self.substitute(parts, &found, arguments, place);
                self.paste(parts, &mut tokens);
            }
        }
        tokens.push(self.padding(name, false));
        for token in &mut tokens {
            token.line = name.line;
            token.line_start = false;
        }
        if self.charge(64, place) {
            self.push(tokens, Some(found), false);
        }
        true
    }

    /// Collects the arguments of a macro use, if there are any.
    fn arguments(&mut self, name: &PpToken, found: &Macro, count: usize) -> Arguments {
        let mut passed = Vec::new();
        loop {
            self.before_parenthesis = true;
            let token = self.raw();
            self.before_parenthesis = false;
            match token {
                Some(token) if token.is("(") => break,
                Some(token) if token.kind == Kind::Padding => passed.push(token),
                other => {
                    passed.extend(other);
                    self.push(passed, None, false);
                    return Arguments::Absent;
                }
            }
        }
        let mut list = vec![Vec::new()];
        let mut depth = 0usize;
        let (mut space, mut edge) = (false, false);
        let close = loop {
            let Some(mut token) = self.raw() else {
                let message = format!("the arguments of the macro `{}` do not end", name.text);
                let report = Diagnostic::error(name.span, message);
                self.report(report.help("a `)` is missing"));
                return Arguments::Wrong;
            };
            if token.kind == Kind::Padding {
                space |= token.space;
                edge = true;
                continue;
            }
            token.space |= std::mem::take(&mut space);
            token.edge |= std::mem::take(&mut edge);
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                if depth == 0 {
                    break token.span;
                }
                depth -= 1;
            } else if token.is(",") && depth == 0 && !(found.variadic && list.len() == count) {
                list.push(Vec::new());
                continue;
            } else if token.kind == Kind::Name
                && let Some(inner) = self.macros.get(&token.text)
            {
                token.no_expand |= inner.disabled.get();
            }
            if let Some(argument) = list.last_mut() {
                argument.push(token);
            }
        };
        if found.variadic && list.len() + 1 == count {
            list.push(Vec::new());
        }
        if count == 0 && list.len() == 1 && list[0].is_empty() {
            list.clear();
        }
        if list.len() == count {
            return Arguments::Some(list, close);
        }
        let wants = if count == 1 { "argument" } else { "arguments" };
        let message = format!(
            "the macro `{}` takes {count} {wants}, here are {}",
            name.text,
            list.len()
        );
        let mut report = Diagnostic::error(name.span.to(close), message);
        if let Some(span) = found.span {
            report = report.label(span, "defined here");
        }
        self.report(report);
        Arguments::Wrong
    }

    /// The body with the arguments in it; the flags say which tokens are pasted to the next one.
    fn substitute(
        &mut self,
        parts: &[Part],
        found: &Macro,
        arguments: Vec<Vec<PpToken>>,
        place: Span,
    ) -> Vec<(PpToken, bool)> {
        let mut replaced: Vec<Option<Vec<PpToken>>> = vec![None; arguments.len()];
        let mut result: Vec<(PpToken, bool)> = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let mut token = part.token.clone();
            token.expansion = Some(token.span);
            token.span = place;
            let index = match part.role {
                Role::Plain => {
                    if !self.charge(cost(&token), place) {
                        return result;
                    }
                    result.push((token, part.pasted));
                    continue;
                }
                Role::Stringify(index) => {
                    let text = stringified(&arguments[index]);
                    if !self.charge(32 + text.len(), place) {
                        return result;
                    }
                    let mut string = self.respelled(&token, Kind::String, &text);
                    string.edge = true;
                    result.push((string, part.pasted));
                    if !part.pasted {
                        result.push((self.padding(&token, false), false));
                    }
                    continue;
                }
                Role::Parameter(index) => index,
            };
            let mut pasted = at > 0 && parts[at - 1].pasted;
            if pasted && found.variadic && index + 1 == arguments.len() {
                // GNU: a comma pasted to the variable arguments goes away with them
                if parts[at - 1].role == Role::Plain && parts[at - 1].token.is(",") {
                    pasted = false;
                    if arguments[index].is_empty() {
                        result.pop();
                    } else if let Some((_, comma)) = result.last_mut() {
                        *comma = false;
                    }
                }
            }
            let argument = if pasted || part.pasted {
                &arguments[index]
            } else {
                if replaced[index].is_none() {
                    replaced[index] = Some(self.expand_argument(&arguments[index], place));
                }
                replaced[index].as_ref().unwrap_or(&arguments[index])
            };
            let sum: usize = argument.iter().map(cost).sum();
            if !self.charge(96 + sum, place) {
                return result;
            }
            if !pasted {
                result.push((self.padding(&token, token.space), false));
            }
            if argument.is_empty() && (pasted || part.pasted) {
                result.push((self.padding(&token, false), part.pasted));
                continue;
            }
            let last = argument.len();
            for (i, own) in argument.iter().enumerate() {
                let mut own = own.clone();
                own.expansion = own.expansion.or(token.expansion);
                own.space &= i > 0;
                result.push((own, part.pasted && i + 1 == last));
            }
            if !part.pasted {
                result.push((self.padding(&token, false), false));
            }
        }
        result
    }

    fn expand_argument(&mut self, argument: &[PpToken], place: Span) -> Vec<PpToken> {
        if self.nesting == MAX_NESTING {
            let message =
                format!("macro calls stand inside each other more than {MAX_NESTING} deep");
            self.error(place, message);
            self.halt();
            return Vec::new();
        }
        // Calls inside each other copy the inner ones once for each level.
        if !self.charge(argument.iter().map(cost).sum(), place) {
            return Vec::new();
        }
        self.nesting += 1;
        let result = self.expand_list(argument.to_vec());
        self.nesting -= 1;
        result
    }

    /// Carries out `##`.
    fn paste(&mut self, parts: Vec<(PpToken, bool)>, tokens: &mut Vec<PpToken>) {
        let mut left: Option<PpToken> = None;
        for (mut token, pasted) in parts {
            let result = left.is_some();
            if let Some(left) = left.take() {
                token = self.pasted(left, token, tokens);
            }
            if pasted {
                left = Some(token);
                continue;
            }
            let edge = result.then(|| self.padding(&token, false));
            tokens.push(token);
            tokens.extend(edge);
        }
        tokens.extend(left);
    }

    fn pasted(&mut self, left: PpToken, right: PpToken, tokens: &mut Vec<PpToken>) -> PpToken {
        if left.kind == Kind::Padding {
            return right;
        }
        if right.kind == Kind::Padding {
            return left;
        }
        let text = format!("{}{}", left.text, right.text);
        if !self.charge(text.len(), left.span) {
            return right;
        }
        let quiet = std::mem::replace(&mut self.sink.quiet, true);
        let mut scanner = Scanner::new(left.span.file, &text);
        let one = scanner.next(true, &mut self.sink);
        self.sink.quiet = quiet;
        match one {
            Some(one) if one.text.len() == text.len() && one.kind != Kind::Other => PpToken {
                kind: one.kind,
                text: one.text,
                no_expand: false,
                ..left
            },
            _ => {
                let message = format!("`{}` and `{}` do not make one token", left.text, right.text);
                let place = left.expansion.unwrap_or(left.span);
                let report = Diagnostic::error(place, message);
                self.report(report.label(left.span, "in this macro use"));
                let edge = self.padding(&left, false);
                tokens.extend([left, edge]);
                right
            }
        }
    }

    /// A token like another one with a text of its own.
    fn respelled(&mut self, like: &PpToken, kind: Kind, text: &str) -> PpToken {
        PpToken {
            kind,
            text: self.sink.interner.intern(text),
            ..like.clone()
        }
    }

    fn padding(&mut self, like: &PpToken, space: bool) -> PpToken {
        let mut padding = self.respelled(like, Kind::Padding, "");
        padding.space = space;
        padding
    }
}

/// What was found behind the name of a macro that takes arguments.
enum Arguments {
    /// No parenthesis: the name is not a use of the macro.
    Absent,
    /// Something was wrong and has been reported.
    Wrong,
    /// The arguments and the place of the closing parenthesis.
    Some(Vec<Vec<PpToken>>, Span),
}

fn cost(token: &PpToken) -> usize {
    32 + token.text.len()
}

/// The operator `#`.
fn stringified(argument: &[PpToken]) -> String {
    let mut text = String::new();
    for (i, token) in argument.iter().enumerate() {
        if i > 0 && token.space {
            text.push(' ');
        }
        if matches!(token.kind, Kind::String | Kind::Char) {
            let escaped = quoted(&token.text);
            text.push_str(&escaped[1..escaped.len() - 1]);
        } else {
            text.push_str(&token.text);
        }
    }
    format!("\"{text}\"")
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
