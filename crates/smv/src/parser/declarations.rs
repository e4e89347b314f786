//! Modules, their sections, and types.

use evenhand_source::Diagnostic;

use super::{Parser, Result};
use crate::ast::{
    Assignment, Expr, ExprKind, Ident, Item, Model, Module, PropertyItem, PropertyItemKind,
    TypeKind, VariableKind, When,
};
use crate::token::{SECTIONS, TokenKind};

impl Parser<'_> {
    pub(super) fn model(&mut self) -> Model {
        let mut model = Model::default();
        while *self.kind() != TokenKind::Eof {
            if self.at_word("MODULE") {
                if let Ok(module) = self.module() {
                    model.modules.push(module);
                }
                continue;
            }
            let _ = match self.at_sign("@") {
                true => self.report::<()>(
                    Diagnostic::error(self.span(), "timed models are not supported")
                        .help("this is the finite-state language: time is discrete"),
                ),
                false => self.unexpected::<()>("`MODULE`"),
            };
            // A misspelt one is read as what it was meant to be.
            if self.meant_section() == Some("MODULE") {
                model.modules.extend(self.module());
                continue;
            }
            while *self.kind() != TokenKind::Eof && !self.at_word("MODULE") {
                self.advance();
            }
        }
        model
    }

    fn module(&mut self) -> Result<Module> {
        self.advance();
        let head = self.module_head();
        let mut items = Vec::new();
        if head.is_err() {
            self.recover();
        }
        while *self.kind() != TokenKind::Eof
            && !self.at_word("MODULE")
            && self.meant_section() != Some("MODULE")
        {
            if self.section(&mut items).is_err() {
                self.recover();
            }
        }
        let (name, parameters) = head?;
        Ok(Module {
            name,
            parameters,
            items,
        })
    }

    fn module_head(&mut self) -> Result<(Ident, Vec<Ident>)> {
        let name = self.ident("a name for the module")?;
        let mut parameters = Vec::new();
        if self.eat_sign("(") && !self.eat_sign(")") {
            parameters.push(self.ident("a parameter")?);
            while self.eat_sign(",") {
                parameters.push(self.ident("a parameter")?);
            }
            self.expect(")")?;
        }
        Ok((name, parameters))
    }

    pub(super) fn ident(&mut self, what: &str) -> Result<Ident> {
        let span = self.span();
        let name = self.name(what)?;
        Ok(Ident { name, span })
    }

    fn section(&mut self, items: &mut Vec<Item>) -> Result<()> {
        let Some(mut word) = self.word().cloned() else {
            return self.unexpected("the beginning of a section, such as `VAR` or `ASSIGN`");
        };
        if let Some(meant) = self.meant_section() {
            self.misspelt_section(&word, meant);
            word = meant.into();
        }
        if !SECTIONS.contains(&&*word) {
            return self.unexpected("the beginning of a section, such as `VAR` or `ASSIGN`");
        }
        let span = self.span();
        self.advance();
        match &*word {
            "VAR" => self.variables(VariableKind::State, items),
            "FROZENVAR" => self.variables(VariableKind::Frozen, items),
            "IVAR" => self.variables(VariableKind::Input, items),
            "DEFINE" | "MDEFINE" => self.list(items, |p, items| {
                let name = p.declared_name()?;
                p.expect(":=")?;
                let value = match p.at_sign("[") {
                    true => p.array_literal()?,
                    false => p.expression()?,
                };
                p.expect(";")?;
                items.push(Item::Define(name, value));
                Ok(())
            }),
            "ASSIGN" => self.list(items, |p, items| {
                items.push(Item::Assign(p.assignment()?));
                Ok(())
            }),
            "INIT" => self.one(items, Item::Init),
            "TRANS" => self.one(items, Item::Trans),
            "INVAR" => self.one(items, Item::Invar),
            "FAIRNESS" | "JUSTICE" => self.one(items, Item::Justice),
            "COMPASSION" => {
                self.expect("(")?;
                let p = self.expression()?;
                self.expect(",")?;
                let q = self.expression()?;
                self.expect(")")?;
                self.eat_sign(";");
                items.push(Item::Compassion(p, q));
                Ok(())
            }
            "CONSTANTS" => self.constants(items),
            "ISA" => {
                items.push(Item::Isa(self.ident("the name of a module")?));
                Ok(())
            }
            "FUN" => self.report(
                Diagnostic::error(span, "functions are not supported")
                    .help("use `DEFINE`, or an array of values"),
            ),
            _ => {
                let property = self.property(&word, span)?;
                items.push(Item::Property(property));
                Ok(())
            }
        }
    }

    /// Declarations up to the next section; a wrong one is skipped.
    fn list(
        &mut self,
        items: &mut Vec<Item>,
        mut one: impl FnMut(&mut Self, &mut Vec<Item>) -> Result<()>,
    ) -> Result<()> {
        loop {
            match self.kind() {
                TokenKind::Eof => return Ok(()),
                TokenKind::Word(word) if SECTIONS.contains(&&**word) => return Ok(()),
                TokenKind::Word(_) if self.meant_section().is_some() => return Ok(()),
                _ => {}
            }
            if one(self, items).is_err() {
                self.recover();
            }
        }
    }

    fn one(&mut self, items: &mut Vec<Item>, make: impl FnOnce(Expr) -> Item) -> Result<()> {
        let expr = self.expression()?;
        self.eat_sign(";");
        items.push(make(expr));
        Ok(())
    }

    fn constants(&mut self, items: &mut Vec<Item>) -> Result<()> {
        let mut list = Vec::new();
        if !self.at_sign(";") {
            list.push(self.complex_atom()?);
            while self.eat_sign(",") {
                list.push(self.complex_atom()?);
            }
        }
        self.expect(";")?;
        items.push(Item::Constants(list));
        Ok(())
    }

    /// A name with dots.
    pub(super) fn complex_atom(&mut self) -> Result<Ident> {
        let mut ident = self.ident("a name")?;
        while self.eat_sign(".") {
            let part = self.ident("a name")?;
            ident.name = format!("{}.{}", ident.name, part.name).into();
            ident.span = ident.span.to(part.span);
        }
        Ok(ident)
    }

    /// The name of something that is declared: it may have dots and numbers in brackets.
    fn declared_name(&mut self) -> Result<Ident> {
        let mut ident = self.ident("a name")?;
        loop {
            let part = if self.eat_sign(".") {
                match *self.kind() {
                    TokenKind::Number(value) => {
                        self.advance();
                        format!(".{value}")
                    }
                    _ => format!(".{}", self.name("a name")?),
                }
            } else if self.eat_sign("[") {
                let value = self.integer()?;
                self.expect("]")?;
                format!("[{value}]")
            } else {
                return Ok(ident);
            };
            ident.name = format!("{}{part}", ident.name).into();
            ident.span = ident.span.to(self.previous());
        }
    }

    /// An integer with a sign.
    pub(super) fn integer(&mut self) -> Result<i64> {
        let negative = self.at_sign("-");
        if negative || self.at_sign("+") {
            self.advance();
        }
        match *self.kind() {
            TokenKind::Number(value) => {
                self.advance();
                Ok(if negative { -value } else { value })
            }
            _ => self.unexpected("an integer"),
        }
    }

    fn assignment(&mut self) -> Result<Assignment> {
        let start = self.span();
        let mut word = self.word().map(|w| &**w);
        if let Some(meant) = self.meant_moment() {
            let message = format!("expected an assignment, found {}", self.kind());
            let help = format!("did you mean `{meant}`?");
            let _ = self.report::<()>(Diagnostic::error(self.span(), message).help(help));
            word = Some(meant);
        }
        let when = match word {
            Some("init") => When::Init,
            Some("next") => When::Next,
            _ => When::Now,
        };
        if when != When::Now {
            self.advance();
            self.expect("(")?;
        }
        let target = self.path()?;
        if when != When::Now {
            self.expect(")")?;
        }
        self.expect(":=")?;
        let value = self.expression()?;
        self.expect(";")?;
        Ok(Assignment {
            when,
            target,
            span: start.to(value.span),
            value,
        })
    }

    /// A reference to a variable or an instance: names, dots and indices.
    fn path(&mut self) -> Result<Expr> {
        let start = self.span();
        let mut expr = match self.eat_word("self") {
            true => Expr::new(ExprKind::Itself, start),
            false => Expr::new(ExprKind::Name(self.name("the name of a variable")?), start),
        };
        for depth in 0.. {
            self.limit(depth)?;
            let kind = if self.eat_sign(".") {
                ExprKind::Dot(Box::new(expr), self.part_name()?)
            } else if self.eat_sign("[") {
                let index = self.expression()?;
                self.expect("]")?;
                ExprKind::Index(Box::new(expr), Box::new(index))
            } else {
                return Ok(expr);
            };
            expr = Expr::new(kind, start.to(self.previous()));
        }
        Ok(expr)
    }

    fn property(&mut self, word: &str, start: evenhand_source::Span) -> Result<PropertyItem> {
        let mut name = None;
        if self.eat_word("NAME") {
            name = Some(self.path()?);
            self.expect(":=")?;
        }
        let (kind, body) = match word {
            "INVARSPEC" => (PropertyItemKind::Invariant, self.expression()?),
            "LTLSPEC" => (PropertyItemKind::Ltl, self.expression()?),
            "PSLSPEC" => (PropertyItemKind::Psl, self.psl_expression()?),
            "COMPUTE" => {
                let minimum = self.at_word("MIN");
                if !minimum && !self.at_word("MAX") {
                    return self.unexpected("`MIN` or `MAX`");
                }
                self.advance();
                self.expect("[")?;
                let from = self.expression()?;
                self.expect(",")?;
                let to = self.expression()?;
                self.expect("]")?;
                (PropertyItemKind::Compute(minimum, to), from)
            }
            _ => (PropertyItemKind::Ctl, self.expression()?),
        };
        let context = match self.eat_word("IN") {
            true => Some(self.path()?),
            false => None,
        };
        let span = start.to(self.previous());
        match word {
            "PSLSPEC" => self.expect(";")?,
            _ => {
                self.eat_sign(";");
            }
        }
        Ok(PropertyItem {
            kind,
            name,
            body,
            context,
            span,
        })
    }

    fn variables(&mut self, kind: VariableKind, items: &mut Vec<Item>) -> Result<()> {
        self.list(items, |p, items| {
            let name = p.declared_name()?;
            p.expect(":")?;
            let start = p.span();
            let ty = p.nested(Self::type_expression)?;
            if kind != VariableKind::State && matches!(ty.kind, TypeKind::Instance(..)) {
                let message = "an instance of a module must be declared with `VAR`";
                return p.report(Diagnostic::error(start, message));
            }
            p.expect(";")?;
            items.push(Item::Variable(kind, name, ty));
            Ok(())
        })
    }
}
