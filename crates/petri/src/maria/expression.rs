//! Expressions from tokens: precedence climbing, with the levels of Maria's manual.
//!
//! A name in front of another name begins a quantifier or an output variable; nothing else has two names side
//! by side. How deep expressions may nest is limited, so that nobody behind the parser runs out of stack.

use evenhand_source::{Diagnostic, Span, spend};

use super::lexer::{Kind, Token};
use super::syntax::{Ast, Form, Name, Quantifier};

/// How deep expressions may stand inside of each other.
const DEEPEST: u32 = 200;

type Read<T> = Result<T, Diagnostic>;

/// Reads tokens.
pub(crate) struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: u32,
    /// Whether `U` and `R` stand for `until` and `release`.
    pub formula: bool,
    /// Whether `A`, `E`, `AG`, `EF` and so on are known.
    pub branching: bool,
    /// Whether a `trans` behind an operator belongs to what is outside.
    in_qualifier: bool,
}

const SELECT: u8 = 1;
const UNTIL: u8 = 2;
const IMPLIES: u8 = 3;
const OR: u8 = 4;
const XOR: u8 = 5;
const AND: u8 = 6;
const TEMPORAL: u8 = 7;
const TIMES: u8 = 16;
const UNARY: u8 = 17;
const MEASURE: u8 = 18;
const CAST: u8 = 23;

/// The level of an operator between two operands, and whether it groups to the right.
fn level(kind: &Kind) -> Option<(u8, bool)> {
    let (Kind::Sign(text) | Kind::Word(text)) = kind else {
        return None;
    };
    Some(match *text {
        "?" => (SELECT, true),
        "until" | "release" => (UNTIL, true),
        "=>" => (IMPLIES, true),
        "<=>" => (IMPLIES, false),
        "||" => (OR, false),
        "^^" => (XOR, false),
        "&&" => (AND, false),
        "|" => (8, false),
        "^" => (9, false),
        "&" => (10, false),
        "!=" | "==" => (11, false),
        ">=" | "<=" | "<" | ">" => (12, false),
        "<<" | ">>" => (13, false),
        "+" | "-" => (14, false),
        "*" | "/" | "%" => (15, false),
        "#" => (TIMES, true),
        "is" => (TIMES, false),
        "equals" => (19, false),
        "subset" => (20, false),
        "minus" | "union" => (21, false),
        "intersect" => (22, false),
        _ => return None,
    })
}

/// The path quantifier that a word stands for, and the temporal operator behind it.
fn path(word: &str) -> Option<(&'static str, Option<&'static str>)> {
    let quantifier = match word.get(..1)? {
        "A" => "A",
        "E" => "E",
        _ => return None,
    };
    let operator = match &word[1..] {
        "" => None,
        "G" => Some("[]"),
        "F" => Some("<>"),
        "X" => Some("()"),
        _ => return None,
    };
    Some((quantifier, operator))
}

/// What a token is called in a message.
pub(crate) fn shown(kind: &Kind) -> String {
    match kind {
        Kind::Name(name) => format!("`{}`", name.escape_debug()),
        Kind::Word(text) | Kind::Sign(text) => format!("`{text}`"),
        Kind::Number(number) => format!("`{number}`"),
        Kind::Character(_) => "a character".to_string(),
        Kind::End => "the end of the text".to_string(),
    }
}

impl<'t> Parser<'t> {
    /// A parser of tokens, the last of which is the end.
    pub fn new(tokens: &'t [Token]) -> Parser<'t> {
        Parser {
            tokens,
            at: 0,
            depth: 0,
            formula: false,
            branching: false,
            in_qualifier: false,
        }
    }

    pub fn kind(&self) -> &'t Kind {
        self.ahead(0)
    }

    pub fn ahead(&self, by: usize) -> &'t Kind {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + by).min(last)].kind
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token before this one.
    pub fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub fn advance(&mut self) {
        spend();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub fn is_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(text) if *text == sign)
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(text) if *text == word)
    }

    pub fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect(&mut self, sign: &str) -> Read<()> {
        match self.take_sign(sign) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = shown(self.kind());
        Diagnostic::error(self.span(), format!("expected {expected}, found {found}"))
    }

    pub fn name(&mut self, what: &str) -> Read<Name> {
        let Kind::Name(text) = self.kind() else {
            return Err(self.unexpected(what));
        };
        let name = Name {
            text: text.clone(),
            span: self.span(),
        };
        self.advance();
        Ok(name)
    }

    /// One level deeper, if that is not too deep.
    pub fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEEPEST {
            let message = format!("this is nested more than {DEEPEST} deep");
            return Err(Diagnostic::error(self.span(), message));
        }
        self.depth += 1;
        let found = inside(self);
        self.depth -= 1;
        found
    }

    fn node(&self, kind: Form, start: Span) -> Read<Ast> {
        let span = start.to(self.before());
        let deepest = match &kind {
            Form::Truth(_) | Form::Number(_) | Form::Character(_) | Form::Undefined => 0,
            Form::CountOf(_) | Form::Smallest(_) | Form::Largest(_) | Form::Name(_) => 0,
            Form::Indexed { .. } | Form::Empty | Form::Place(_) => 0,
            Form::Call(_, list) | Form::And(list) | Form::Or(list) | Form::List(list) => {
                deepest(list.iter())
            }
            Form::Unary(_, a) | Form::Cast(_, a) | Form::IsActive(a, _) => a.depth,
            Form::UnionValue(_, a) | Form::Component(a, _) | Form::Atom(a) => a.depth,
            Form::Measure(_, a) | Form::Temporal(_, a) => a.depth,
            Form::Binary(_, a, b) | Form::WithComponent(a, _, b) | Form::Index(a, b) => {
                a.depth.max(b.depth)
            }
            Form::Filter(_, a, b) | Form::Map(_, _, a, b) => a.depth.max(b.depth),
            Form::WithItem(a, b, c) => a.depth.max(b.depth).max(c.depth),
            Form::Braces(list) => deepest(list.iter().map(|(_, a)| a)),
            Form::Select(a, list) => a.depth.max(deepest(list.iter())),
            Form::Quantified {
                condition, inside, ..
            } => deepest(condition.iter().map(|a| &**a)).max(inside.depth),
            Form::Output { condition, .. } | Form::Instances(_, condition) => {
                deepest(condition.iter().map(|a| &**a))
            }
        };
        if deepest >= DEEPEST {
            let message = format!("this is nested more than {DEEPEST} deep");
            return Err(Diagnostic::error(span, message));
        }
        Ok(Ast {
            kind,
            span,
            depth: deepest + 1,
        })
    }

    /// An expression.
    pub fn expression(&mut self) -> Read<Ast> {
        self.climb(SELECT)
    }

    /// Tokens with commas between them.
    pub fn list(&mut self) -> Read<Ast> {
        let start = self.span();
        let mut list = vec![self.expression()?];
        while self.take_sign(",") {
            list.push(self.expression()?);
        }
        match list.len() {
            1 => Ok(list.remove(0)),
            _ => self.node(Form::List(list), start),
        }
    }

    /// An expression of operators that bind at least so strongly.
    fn climb(&mut self, least: u8) -> Read<Ast> {
        self.deeper(|parser| {
            let start = parser.span();
            let mut left = parser.prefix()?;
            loop {
                let kind = parser.operator();
                let Some((own, right)) = level(&kind).filter(|(own, _)| *own >= least) else {
                    return Ok(left);
                };
                if parser.in_qualifier && own <= AND && parser.begins_instances(1) {
                    return Ok(left);
                }
                let (Kind::Sign(text) | Kind::Word(text)) = kind else {
                    return Ok(left);
                };
                parser.advance();
                let above = if right { own } else { own + 1 };
                left = parser.operation(text, left, above, start)?;
            }
        })
    }

    /// The token at hand, or the operator that it stands for.
    fn operator(&self) -> Kind {
        match self.kind() {
            Kind::Name(name) if self.formula && &**name == "U" => Kind::Word("until"),
            Kind::Name(name) if self.formula && &**name == "R" => Kind::Word("release"),
            kind => kind.clone(),
        }
    }

    /// Whether a set of instances begins behind some tokens.
    fn begins_instances(&self, by: usize) -> bool {
        let signs = (by..).take_while(|&n| matches!(self.ahead(n), Kind::Sign("(" | "!")));
        let opened = signs.count();
        matches!(self.ahead(by + opened), Kind::Word("trans"))
    }

    fn operation(&mut self, text: &'static str, left: Ast, above: u8, start: Span) -> Read<Ast> {
        let kind = match text {
            "?" => {
                let mut list = vec![self.climb(above)?];
                while self.take_sign(":") {
                    list.push(self.climb(above)?);
                }
                Form::Select(Box::new(left), list)
            }
            "is" => Form::IsActive(Box::new(left), self.name("the name of a component")?),
            "&&" => Form::And(joined(left, self.climb(above)?, |form| match form {
                Form::And(list) => Ok(list),
                other => Err(other),
            })),
            "||" => Form::Or(joined(left, self.climb(above)?, |form| match form {
                Form::Or(list) => Ok(list),
                other => Err(other),
            })),
            _ => Form::Binary(text, Box::new(left), Box::new(self.climb(above)?)),
        };
        self.node(kind, start)
    }

    fn prefix(&mut self) -> Read<Ast> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Sign(sign @ ("!" | "~" | "-" | "+" | "|" | "*" | "/" | "%")) => {
                self.advance();
                Form::Unary(sign, Box::new(self.climb(UNARY)?))
            }
            Kind::Sign(sign @ ("#" | "<" | ">")) => {
                self.advance();
                let name = self.name("the name of a type")?;
                match *sign {
                    "#" => Form::CountOf(name),
                    "<" => Form::Smallest(name),
                    _ => Form::Largest(name),
                }
            }
            Kind::Sign(sign @ ("<>" | "[]")) => {
                self.advance();
                Form::Temporal(sign, Box::new(self.climb(TEMPORAL)?))
            }
            Kind::Sign("(") if matches!(self.ahead(1), Kind::Sign(")")) => {
                self.advance();
                self.advance();
                Form::Temporal("()", Box::new(self.climb(TEMPORAL)?))
            }
            Kind::Word(word @ ("cardinality" | "max" | "min")) => {
                self.advance();
                Form::Measure(word, Box::new(self.climb(MEASURE)?))
            }
            Kind::Word("subset") => {
                self.advance();
                let name = self.name("the name of a variable")?;
                let from = self.source()?;
                Form::Filter(name, from, Box::new(self.climb(MEASURE)?))
            }
            Kind::Word("map") => {
                self.advance();
                let mut name = self.name("the name of a variable")?;
                let mut count = None;
                if self.take_sign("#") {
                    count = Some(name);
                    name = self.name("the name of a variable")?;
                }
                let from = self.source()?;
                Form::Map(count, name, from, Box::new(self.climb(MEASURE)?))
            }
            Kind::Word("is") => {
                self.advance();
                let ty = self.name("the name of a type")?;
                Form::Cast(ty, Box::new(self.climb(CAST)?))
            }
            Kind::Word("atom") => {
                self.advance();
                Form::Atom(Box::new(self.climb(CAST)?))
            }
            Kind::Name(name) if self.branching && path(name).is_some() => {
                let (quantifier, operator) = path(name).unwrap_or(("A", None));
                self.advance();
                let mut inside = self.climb(TEMPORAL)?;
                if let Some(operator) = operator {
                    inside = self.node(Form::Temporal(operator, Box::new(inside)), start)?;
                }
                Form::Temporal(quantifier, Box::new(inside))
            }
            Kind::Word("trans") => {
                self.advance();
                let name = self.name("the name of a transition")?;
                let mut condition = None;
                if self.take_sign(":") {
                    let outer = std::mem::replace(&mut self.in_qualifier, true);
                    let found = self.expression();
                    self.in_qualifier = outer;
                    condition = Some(Box::new(found?));
                }
                Form::Instances(name, condition)
            }
            _ => return self.postfix(),
        };
        self.node(kind, start)
    }

    fn source(&mut self) -> Read<Box<Ast>> {
        self.expect("{")?;
        let list = self.list()?;
        self.expect("}")?;
        Ok(Box::new(list))
    }

    /// What binds most: components and items.
    fn postfix(&mut self) -> Read<Ast> {
        let start = self.span();
        let mut left = self.primary()?;
        loop {
            let kind = if self.take_sign("[") {
                let index = self.expression()?;
                self.expect("]")?;
                Form::Index(Box::new(left), Box::new(index))
            } else if self.is_sign(".") && matches!(self.ahead(1), Kind::Name(_)) {
                self.advance();
                Form::Component(Box::new(left), self.name("the name of a component")?)
            } else if self.is_sign(".") && matches!(self.ahead(1), Kind::Sign("{")) {
                self.advance();
                self.advance();
                let changed = if self.take_sign("[") {
                    let index = self.expression()?;
                    self.expect("]")?;
                    let value = self.expression()?;
                    Form::WithItem(Box::new(left), Box::new(index), Box::new(value))
                } else {
                    let name = self.name("`[` or the name of a component")?;
                    let value = self.expression()?;
                    Form::WithComponent(Box::new(left), name, Box::new(value))
                };
                self.expect("}")?;
                changed
            } else {
                return Ok(left);
            };
            left = self.node(kind, start)?;
        }
    }

    fn primary(&mut self) -> Read<Ast> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Number(number) => {
                self.advance();
                Form::Number(*number)
            }
            Kind::Character(value) => {
                self.advance();
                Form::Character(*value)
            }
            Kind::Word(word @ ("true" | "false")) => {
                self.advance();
                Form::Truth(*word == "true")
            }
            Kind::Word("undefined" | "fatal") => {
                self.advance();
                Form::Undefined
            }
            Kind::Word("empty") => {
                self.advance();
                Form::Empty
            }
            Kind::Word("place") => {
                self.advance();
                Form::Place(self.name("the name of a place")?)
            }
            Kind::Sign("(") => {
                self.advance();
                let outer = std::mem::replace(&mut self.in_qualifier, false);
                let list = self.list();
                self.in_qualifier = outer;
                let list = list?;
                self.expect(")")?;
                return Ok(list);
            }
            Kind::Sign("{") => self.braces()?,
            Kind::Sign(sign @ ("." | ":")) => {
                self.advance();
                let name = self.name("the name of a variable")?;
                let of = match self.kind() {
                    Kind::Name(_) if matches!(self.operator(), Kind::Name(_)) => {
                        Some(self.name("the name of a variable")?)
                    }
                    _ => None,
                };
                let before = *sign == ":";
                Form::Indexed { name, of, before }
            }
            Kind::Name(_) => self.named()?,
            _ => return Err(self.unexpected("an expression")),
        };
        self.node(kind, start)
    }

    fn braces(&mut self) -> Read<Form> {
        self.advance();
        let mut list = Vec::new();
        while !self.is_sign("}") {
            let mut name = None;
            if matches!(self.ahead(1), Kind::Sign(":")) && matches!(self.kind(), Kind::Name(_)) {
                name = Some(self.name("the name of a component")?);
                self.advance();
            }
            list.push((name, self.expression()?));
            if !self.take_sign(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Form::Braces(list))
    }

    /// What begins with a name.
    fn named(&mut self) -> Read<Form> {
        let name = self.name("a name")?;
        match self.operator() {
            Kind::Name(_) => return self.quantified(name),
            Kind::Sign("!") => {
                self.advance();
                let condition = self.condition()?;
                let variable = None;
                return Ok(Form::Output {
                    ty: name,
                    variable,
                    condition,
                });
            }
            Kind::Sign("=") => {
                self.advance();
                let value = self.climb(UNTIL)?;
                return Ok(Form::UnionValue(name, Box::new(value)));
            }
            Kind::Sign("(") => {}
            _ => return Ok(Form::Name(name)),
        }
        self.advance();
        let mut list = Vec::new();
        if !self.is_sign(")") {
            list.push(self.expression()?);
            while self.take_sign(",") {
                list.push(self.expression()?);
            }
        }
        self.expect(")")?;
        Ok(Form::Call(name, list))
    }

    /// A condition in parentheses, if there is one.
    pub fn condition(&mut self) -> Read<Option<Box<Ast>>> {
        if !self.take_sign("(") {
            return Ok(None);
        }
        let condition = self.expression()?;
        self.expect(")")?;
        Ok(Some(Box::new(condition)))
    }

    fn quantified(&mut self, ty: Name) -> Read<Form> {
        let variable = self.name("the name of a variable")?;
        if self.take_sign("!") {
            let condition = self.condition()?;
            return Ok(Form::Output {
                ty,
                variable: Some(variable),
                condition,
            });
        }
        let condition = self.condition()?;
        let (how, above) = match self.kind() {
            Kind::Sign(":") => (Quantifier::Sum, SELECT),
            Kind::Sign("&&") => (Quantifier::All, AND + 1),
            Kind::Sign("||") => (Quantifier::Some, OR + 1),
            _ => return Err(self.unexpected("`:`, `&&` or `||` behind a quantifier")),
        };
        self.advance();
        let inside = Box::new(self.climb(above)?);
        Ok(Form::Quantified {
            how,
            ty,
            variable,
            condition,
            inside,
        })
    }
}

fn deepest<'a>(list: impl Iterator<Item = &'a Ast>) -> u32 {
    list.map(|ast| ast.depth).max().unwrap_or(0)
}

/// Two operands in one list; the left one may be a list of the same operator.
fn joined(left: Ast, right: Ast, list: impl Fn(Form) -> Result<Vec<Ast>, Form>) -> Vec<Ast> {
    let (span, depth) = (left.span, left.depth);
    let mut all = match list(left.kind) {
        Ok(list) => list,
        Err(kind) => vec![Ast { kind, span, depth }],
    };
    all.push(right);
    all
}
