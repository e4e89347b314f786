//! The expressions of `#if` and `#elif`.
//!
//! C's integer constant expressions in 64 bits, signed unless a `u` says otherwise; `defined X` and
//! `defined(X)`; a name that is no macro is 0. Parsing is by operator precedence: one loop for all
//! binary operators, recursion only for what stands deeper (bounded by [`MAX_NESTING`]). A part
//! that does not count (`0 && …`, the other side of `?:`) is parsed but may divide by zero.

use evenhand_source::{Diagnostic, Span};

use super::{Kind, MAX_NESTING, PpToken, Preprocessor};

/// A value: 64 bits and how to read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn signed(bits: i64) -> Value {
        let unsigned = false;
        Value { bits, unsigned }
    }

    fn truth(self) -> bool {
        self.bits != 0
    }
}

impl Preprocessor<'_> {
    /// Whether the condition of an `#if` holds; one that cannot be read does not.
    pub(super) fn holds(&mut self, line: &[PpToken], span: Span) -> bool {
        if line.is_empty() {
            self.error(span, "the condition is missing");
            return false;
        }
        let tokens = self.condition_tokens(line);
        let end = line.last().map_or(span, |token| token.span);
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            depth: 0,
            end,
        };
        let value = parser.condition().and_then(|value| match parser.peek() {
            None => Ok(value),
            Some(token) => {
                let message = format!("`{}` is not expected here", token.text);
                Err(Diagnostic::error(token.span, message))
            }
        });
        match value {
            Ok(value) => value.truth(),
            Err(report) => {
                self.report(report);
                false
            }
        }
    }

    /// The line with macros replaced and `defined` answered.
    fn condition_tokens(&mut self, line: &[PpToken]) -> Vec<PpToken> {
        let depth = self.open_list(line.to_vec());
        let mut tokens = Vec::new();
        while let Some(mut token) = self.next() {
            match token.kind {
                Kind::Padding => continue,
                Kind::Name if &*token.text == "defined" => self.answer(&mut token),
                _ => {}
            }
            tokens.push(token);
        }
        self.close_list(depth);
        tokens
    }

    /// Turns `defined` and the name behind it into 0 or 1.
    fn answer(&mut self, token: &mut PpToken) {
        let mut name = self.raw_solid();
        let paren = name.as_ref().is_some_and(|name| name.is("("));
        if paren {
            name = self.raw_solid();
        }
        let known = match name {
            Some(name) if name.kind == Kind::Name => self.macros.contains_key(&name.text),
            _ => {
                self.error(token.span, "`defined` needs the name of a macro");
                false
            }
        };
        if paren && !self.raw_solid().is_some_and(|close| close.is(")")) {
            self.error(token.span, "the `)` of `defined(` is missing");
        }
        token.kind = Kind::Number;
        token.text = self.sink.interner.intern(if known { "1" } else { "0" });
    }

    fn raw_solid(&mut self) -> Option<PpToken> {
        loop {
            let token = self.raw()?;
            if token.kind != Kind::Padding {
                return Some(token);
            }
        }
    }
}

struct Parser<'t> {
    tokens: &'t [PpToken],
    at: usize,
    depth: usize,
    end: Span,
}

type Parsed = Result<Value, Diagnostic>;

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t PpToken> {
        self.tokens.get(self.at)
    }

    fn accept(&mut self, punct: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(punct));
        self.at += usize::from(found);
        found
    }

    /// A whole expression, commas included.
    fn condition(&mut self) -> Parsed {
        let mut value = self.ternary(true)?;
        while self.accept(",") {
            value = self.ternary(true)?;
        }
        Ok(value)
    }

    fn deeper(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth <= MAX_NESTING {
            return Ok(());
        }
        let span = self.peek().map_or(self.end, |token| token.span);
        let message = format!("the condition is nested more than {MAX_NESTING} deep");
        Err(Diagnostic::error(span, message))
    }

    fn ternary(&mut self, live: bool) -> Parsed {
        self.deeper()?;
        let test = self.binary(0, live)?;
        let mut result = test;
        if self.accept("?") {
            let yes = self.ternary(live && test.truth())?;
            if !self.accept(":") {
                return Err(self.expected("`:`"));
            }
            let no = self.ternary(live && !test.truth())?;
            result = if test.truth() { yes } else { no };
            result.unsigned = yes.unsigned || no.unsigned;
        }
        self.depth -= 1;
        Ok(result)
    }

    fn binary(&mut self, least: u8, live: bool) -> Parsed {
        let mut left = self.unary(live)?;
        while let Some(token) = self.peek()
            && token.kind == Kind::Punct
            && let Some(level) = level(&token.text).filter(|&level| level >= least)
        {
            self.at += 1;
            let counts = match &*token.text {
                "&&" => live && left.truth(),
                "||" => live && !left.truth(),
                _ => live,
            };
            self.deeper()?;
            let right = self.binary(level + 1, counts)?;
            self.depth -= 1;
            left = match apply(&token.text, left, right) {
                Some(value) => value,
                None if live => return Err(Diagnostic::error(token.span, "division by zero")),
                None => Value::signed(0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Parsed {
        let Some(token) = self.peek() else {
            return Err(self.expected("a value"));
        };
        self.at += 1;
        let operator = if token.kind == Kind::Punct {
            &*token.text
        } else {
            ""
        };
        if matches!(operator, "!" | "-" | "+" | "~" | "(") {
            self.deeper()?;
        }
        let value = match (operator, token.kind) {
            ("!", _) => Value::signed(i64::from(!self.unary(live)?.truth())),
            ("-", _) => {
                let value = self.unary(live)?;
                let bits = value.bits.wrapping_neg();
                Value { bits, ..value }
            }
            ("+", _) => self.unary(live)?,
            ("~", _) => {
                let value = self.unary(live)?;
                let bits = !value.bits;
                Value { bits, ..value }
            }
            ("(", _) => {
                let mut value = self.ternary(live)?;
                while self.accept(",") {
                    value = self.ternary(live)?;
                }
                if !self.accept(")") {
                    return Err(self.expected("`)`"));
                }
                value
            }
            (_, Kind::Name) => return Ok(Value::signed(0)),
            (_, Kind::Number) => return number(token),
            (_, Kind::Char) => return character(token),
            _ => {
                self.at -= 1;
                return Err(self.expected("a value"));
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        match self.peek() {
            Some(token) => {
                let message = format!("expected {what}, found `{}`", token.text);
                Diagnostic::error(token.span, message)
            }
            None => Diagnostic::error(self.end, format!("expected {what} behind this")),
        }
    }
}

/// How tightly a binary operator binds.
fn level(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" => 5,
        "<" | ">" | "<=" | ">=" => 6,
        "<<" | ">>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => 9,
        _ => return None,
    })
}

/// The value of a binary operation; `None` for a division by zero.
fn apply(operator: &str, a: Value, b: Value) -> Option<Value> {
    let unsigned = a.unsigned || b.unsigned;
    let (x, y) = (a.bits, b.bits);
    let less = if unsigned {
        x.cast_unsigned() < y.cast_unsigned()
    } else {
        x < y
    };
    let truth = |holds: bool| Some(Value::signed(i64::from(holds)));
    let value = |bits: i64| Some(Value { bits, unsigned });
    match operator {
        "||" => truth(a.truth() || b.truth()),
        "&&" => truth(a.truth() && b.truth()),
        "==" => truth(x == y),
        "!=" => truth(x != y),
        "<" => truth(less),
        ">" => truth(!less && x != y),
        "<=" => truth(less || x == y),
        ">=" => truth(!less),
        "|" => value(x | y),
        "^" => value(x ^ y),
        "&" => value(x & y),
        "+" => value(x.wrapping_add(y)),
        "-" => value(x.wrapping_sub(y)),
        "*" => value(x.wrapping_mul(y)),
        "/" | "%" if y == 0 => None,
        "/" if unsigned => value((x.cast_unsigned() / y.cast_unsigned()).cast_signed()),
        "%" if unsigned => value((x.cast_unsigned() % y.cast_unsigned()).cast_signed()),
        "/" => value(x.wrapping_div(y)),
        "%" => value(x.wrapping_rem(y)),
        "<<" => Some(shifted(a, if b.unsigned { y.max(0) } else { y })),
        _ => Some(shifted(
            a,
            if b.unsigned {
                -y.max(0)
            } else {
                y.saturating_neg()
            },
        )),
    }
}

/// Shifts left, or right by a negative distance.
fn shifted(value: Value, distance: i64) -> Value {
    let bits = match distance {
        64.. => 0,
        0..64 => value.bits << distance,
        -63..0 if value.unsigned => (value.bits.cast_unsigned() >> -distance).cast_signed(),
        -63..0 => value.bits >> -distance,
        _ if value.unsigned => 0,
        _ => value.bits >> 63,
    };
    Value { bits, ..value }
}

fn number(token: &PpToken) -> Parsed {
    let text = token.text.to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l']);
    let suffix = &text[digits.len()..];
    let (radix, digits) = match digits.strip_prefix('0') {
        Some(rest) if rest.starts_with('x') => (16, &rest[1..]),
        Some(rest) if rest.starts_with('b') => (2, &rest[1..]),
        Some(rest) if !rest.is_empty() => (8, rest),
        _ => (10, digits),
    };
    let sensible = matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu");
    match u64::from_str_radix(digits, radix) {
        Ok(value) if sensible && !digits.starts_with('+') => Ok(Value {
            bits: value.cast_signed(),
            unsigned: suffix.contains('u') || i64::try_from(value).is_err(),
        }),
        _ => {
            let message = format!("`{}` is no whole number of 64 bits", token.text);
            Err(Diagnostic::error(token.span, message))
        }
    }
}

fn character(token: &PpToken) -> Parsed {
    let inner = token.text.trim_matches('\'');
    let mut bytes = inner.bytes();
    let value = match (bytes.next(), bytes.next(), bytes.len()) {
        (Some(byte), None, _) if byte != b'\\' => Some(byte),
        (Some(b'\\'), Some(byte), 0) => Some(match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'f' => 0x0c,
            b'0' => 0,
            other => other,
        }),
        _ => None,
    };
    match value {
        Some(byte) => Ok(Value::signed(i64::from(byte))),
        None => {
            let message = format!("{} is no single character", token.text);
            Err(Diagnostic::error(token.span, message))
        }
    }
}
