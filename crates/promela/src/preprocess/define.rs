//! `#define` and `#undef`: what a macro is.
//!
//! A macro is its parameters and a body cut into parts: plain tokens, parameters, and parameters
//! turned into strings by `#`. A part can be marked as pasted (`##`) to the next one. Everything
//! that can be wrong with a definition is found here, once, so that uses of the macro need no
//! checks.
//!
//! Variable arguments are C's (`...` with `__VA_ARGS__`) and GNU's (`name...`).

use std::cell::Cell;
use std::rc::Rc;

use evenhand_source::{Diagnostic, Span};

use super::{Kind, PpToken, Preprocessor};
use crate::token::Name;

/// More make no sense, and searching them would take time.
const MAX_PARAMETERS: usize = 255;

/// A macro.
pub(super) struct Macro {
    /// `None` for a macro without parentheses.
    pub parameters: Option<Vec<Name>>,
    /// The last parameter takes all further arguments.
    pub variadic: bool,
    pub body: Body,
    /// The place of the name in the definition; `None` for a built-in one.
    pub span: Option<Span>,
    /// Being replaced right now: its name is left alone inside.
    pub disabled: Cell<bool>,
}

/// What a macro is replaced by.
pub(super) enum Body {
    Parts(Vec<Part>),
    /// The line number.
    Line,
    /// The name of the file.
    File,
}

/// A macro as it can be kept: the same without the mark of being replaced.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    name: Name,
    parameters: Option<Vec<Name>>,
    variadic: bool,
    parts: Vec<Part>,
    span: Option<Span>,
}

/// A part of a body.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub token: PpToken,
    pub role: Role,
    /// `##` stands behind it.
    pub pasted: bool,
}

/// What a part of a body stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    Parameter(usize),
    Stringify(usize),
}

impl Macro {
    pub fn builtin(body: Body) -> Macro {
        Macro {
            parameters: None,
            variadic: false,
            body,
            span: None,
            disabled: Cell::new(false),
        }
    }

    /// What can be kept of it; nothing of a built-in one.
    pub fn definition(&self, name: &Name) -> Option<Definition> {
        let Body::Parts(parts) = &self.body else {
            return None;
        };
        Some(Definition {
            name: name.clone(),
            parameters: self.parameters.clone(),
            variadic: self.variadic,
            parts: parts.clone(),
            span: self.span,
        })
    }

    /// Whether both say the same; C allows to say it twice.
    fn same(&self, other: &Macro) -> bool {
        let (Body::Parts(a), Body::Parts(b)) = (&self.body, &other.body) else {
            return false;
        };
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| {
                a.token.text == b.token.text && a.role == b.role && a.pasted == b.pasted
            })
    }
}

impl Definition {
    /// How the macro is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its name stands in the definition; none for one from outside.
    pub fn place(&self) -> Option<Span> {
        self.span
    }

    /// The macro with its name.
    pub(super) fn restore(&self) -> (Name, Rc<Macro>) {
        let restored = Macro {
            parameters: self.parameters.clone(),
            variadic: self.variadic,
            body: Body::Parts(self.parts.clone()),
            span: self.span,
            disabled: Cell::new(false),
        };
        (self.name.clone(), Rc::new(restored))
    }
}

impl Preprocessor<'_> {
    /// `#define` with the rest of its line.
    pub(super) fn define(&mut self, line: &[PpToken], directive: Span) {
        match self.definition(line, directive) {
            Err(report) => self.report(report),
            Ok((name, new)) => {
                let new = Rc::new(new);
                let old = self.macros.insert(name.text.clone(), new.clone());
                if let Some(old) = old.filter(|old| !old.same(&new)) {
                    let message = format!("the macro `{}` is defined anew", name.text);
                    let mut report = Diagnostic::warning(name.span, message)
                        .help("write `#undef` first if this is meant, or `#ifndef` around it");
                    if let Some(span) = old.span {
                        report = report.label(span, "defined here before");
                    }
                    self.report(report);
                }
            }
        }
    }

    /// `#undef` with the rest of its line.
    pub(super) fn undefine(&mut self, line: &[PpToken], directive: Span) {
        match macro_name(line, directive) {
            Ok(name) => {
                self.macros.remove(&name.text);
            }
            Err(report) => self.report(report),
        }
    }

    fn definition<'t>(
        &mut self,
        line: &'t [PpToken],
        directive: Span,
    ) -> Result<(&'t PpToken, Macro), Diagnostic> {
        let name = macro_name(line, directive)?;
        let mut rest = &line[1..];
        let mut variadic = false;
        let mut parameters = None;
        if let Some(paren) = rest.first()
            && paren.is("(")
            && !paren.space
        {
            let (names, ends, length) = self.parameters(&rest[1..], paren.span)?;
            rest = &rest[1 + length..];
            variadic = ends;
            parameters = Some(names);
        }
        let parts = body(rest, parameters.as_deref())?;
        let new = Macro {
            parameters,
            variadic,
            body: Body::Parts(parts),
            span: Some(name.span),
            disabled: Cell::new(false),
        };
        Ok((name, new))
    }

    /// The names up to `)`, whether the last one is variadic, and the number of tokens.
    fn parameters(
        &mut self,
        line: &[PpToken],
        open: Span,
    ) -> Result<(Vec<Name>, bool, usize), Diagnostic> {
        let mut names: Vec<Name> = Vec::new();
        if line.first().is_some_and(|token| token.is(")")) {
            return Ok((names, false, 1));
        }
        let mut at = 0;
        let missing = |span| {
            Diagnostic::error(span, "the parameters of this macro do not end")
                .help("write `#define NAME(a, b) …`, or a blank before `(` if it has none")
        };
        loop {
            let token = line.get(at).ok_or_else(|| missing(open))?;
            at += 1;
            let mut variadic = token.is("...");
            if variadic {
                names.push(self.sink.interner.intern("__VA_ARGS__"));
            } else if token.kind != Kind::Name {
                let message = format!("`{}` is no name of a parameter", token.text);
                return Err(Diagnostic::error(token.span, message));
            } else if names.contains(&token.text) {
                let message = format!("the parameter `{}` stands here twice", token.text);
                return Err(Diagnostic::error(token.span, message));
            } else if names.len() == MAX_PARAMETERS {
                let message = format!("a macro has at most {MAX_PARAMETERS} parameters");
                return Err(Diagnostic::error(token.span, message));
            } else {
                names.push(token.text.clone());
                if line.get(at).is_some_and(|next| next.is("...")) {
                    at += 1;
                    variadic = true;
                }
            }
            let token = line.get(at).ok_or_else(|| missing(open))?;
            at += 1;
            if token.is(")") {
                return Ok((names, variadic, at));
            }
            if !token.is(",") || variadic {
                let message = format!("expected `)`, found `{}`", token.text);
                return Err(Diagnostic::error(token.span, message));
            }
        }
    }
}

/// The first token of a line as the name of a macro.
pub(super) fn macro_name(line: &[PpToken], directive: Span) -> Result<&PpToken, Diagnostic> {
    match line.first() {
        None => Err(Diagnostic::error(
            directive,
            "the name of a macro is missing",
        )),
        Some(token) if token.kind == Kind::Name && &*token.text != "defined" => Ok(token),
        Some(token) => {
            let message = format!("`{}` cannot be the name of a macro", token.text);
            Err(Diagnostic::error(token.span, message))
        }
    }
}

fn body(line: &[PpToken], parameters: Option<&[Name]>) -> Result<Vec<Part>, Diagnostic> {
    let mut parts: Vec<Part> = Vec::with_capacity(line.len());
    let index = |token: &PpToken| {
        let names = parameters.filter(|_| token.kind == Kind::Name)?;
        names.iter().position(|name| *name == token.text)
    };
    let mut tokens = line.iter();
    while let Some(token) = tokens.next() {
        let mut part = Part {
            token: token.clone(),
            role: Role::Plain,
            pasted: false,
        };
        if token.is("##") {
            match parts.last_mut() {
                Some(last) if tokens.len() > 0 => last.pasted = true,
                _ => {
                    let message = "`##` needs something on both sides";
                    return Err(Diagnostic::error(token.span, message));
                }
            }
            continue;
        }
        if token.is("#") && parameters.is_some() {
            let Some(index) = tokens.next().and_then(index) else {
                let report = Diagnostic::error(token.span, "`#` needs a parameter behind it");
                return Err(report.help("`#name` turns an argument into a string"));
            };
            part.role = Role::Stringify(index);
        } else if let Some(index) = index(token) {
            part.role = Role::Parameter(index);
        }
        parts.push(part);
    }
    if let Some(first) = parts.first_mut() {
        first.token.space = false; // the name's counts
    }
    Ok(parts)
}
