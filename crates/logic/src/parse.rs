//! Text to formula, in every spelling.
//!
//! Operator precedence parsing with two explicit stacks (Dijkstra's shunting yard): no recursion,
//! so the nesting of the text cannot exhaust the stack; the depth of the *formula* is limited
//! instead ([`MAX_DEPTH`]), because later passes may recurse over it. Conjunctions and disjunctions
//! are flat, so a million conjuncts are one level. Linear in the text, apart from what the
//! [`AtomReader`] does.
//!
//! Bounded operators are read as abbreviations: `F [a,b] f` is `X^a (f | X (f | …))`, and likewise
//! `G`, `O`, `H` and Spot's `X[n]`.

use crate::atoms::{AtomReader, Names, Reading, Terms};
use crate::formula::{FormulaId, Formulas, Unary};
use crate::spelling::{Infix, Prefix, Spelling, Word};
use evenhand_source::{Diagnostic, FileId, Span, spend};

/// The deepest formula the parser makes.
pub const MAX_DEPTH: usize = 1000;

/// Where a formula stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The offset of the formula's first byte in the file.
    pub start: usize,
}

/// Reads a formula whose propositions are names and quoted strings.
pub fn parse(
    store: &mut Formulas,
    text: &str,
    spelling: Spelling,
) -> Result<FormulaId, Diagnostic> {
    parse_with(store, text, spelling, Place::default(), &mut Names)
}

/// Reads a formula whose propositions may be expressions of a host language.
pub fn parse_with(
    store: &mut Formulas,
    text: &str,
    spelling: Spelling,
    place: Place,
    reader: &mut dyn AtomReader,
) -> Result<FormulaId, Diagnostic> {
    let mut parser = Parser {
        store,
        text,
        spelling,
        place,
        reader,
        at: 0,
        last: 0,
        operands: Vec::new(),
        operators: Vec::new(),
    };
    parser.run()
}

#[derive(Clone, Copy)]
enum Pending {
    Open { close: char, at: usize },
    Prefix(Prefix, usize),
    Bounded(Unary, usize, usize, usize),
    Infix(Infix, usize),
}

struct Parser<'a> {
    store: &'a mut Formulas,
    text: &'a str,
    spelling: Spelling,
    place: Place,
    reader: &'a mut dyn AtomReader,
    at: usize,
    /// Where the last operand begins.
    last: usize,
    operands: Vec<FormulaId>,
    operators: Vec<Pending>,
}

const OPERAND: &str = "a proposition, a constant, `(` or a prefix operator";

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, start: usize, length: usize, message: impl Into<String>) -> Diagnostic {
        let start = self.place.start + start;
        Diagnostic::error(Span::new(self.place.file, start, start + length), message)
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// A shown piece of what stands at the current place.
    fn found(&self) -> (String, usize) {
        let rest = self.rest();
        let length = match word_length(rest) {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            n => n,
        };
        match length {
            0 => ("the end".to_string(), 0),
            _ => (format!("`{}`", &rest[..length]), length),
        }
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let (found, length) = self.found();
        self.error(self.at, length, format!("expected {what}, found {found}"))
    }

    /// The same where the reason may be an expression without quotes that begins at `start`.
    fn unquoted(&self, start: usize, what: &str) -> Diagnostic {
        let problem = self.expected(what);
        let text = &self.text[start..];
        if !self.reader.wants_quotes() || text.starts_with('"') {
            return problem;
        }
        match Terms(self.spelling).read(text) {
            Reading::Atom(length) if start + length > self.at => {
                let term = text[..length].trim();
                let help = format!("a proposition that is no name stands in quotes: \"{term}\"");
                problem.help(help)
            }
            _ => problem,
        }
    }

    fn run(&mut self) -> Result<FormulaId, Diagnostic> {
        loop {
            self.skip_spaces();
            self.last = self.at;
            if !self.operand()? {
                continue; // a prefix operator or a bracket: the operand is still to come
            }
            loop {
                self.skip_spaces();
                let Some(c) = self.rest().chars().next() else {
                    return self.finish();
                };
                if matches!(c, ')' | ']') && self.close(c)? {
                    continue;
                }
                break;
            }
            self.infix()?;
        }
    }

    /// Reads something where an operand is expected; true if the operand is complete.
    fn operand(&mut self) -> Result<bool, Diagnostic> {
        let (start, rest) = (self.at, self.rest());
        let length = word_length(rest);
        let word = &rest[..length];
        match self.spelling.word(word) {
            Some(Word::Prefix(Prefix::Temporal(operator))) => {
                self.at += length;
                self.temporal(operator, start)?;
                return Ok(false);
            }
            Some(Word::Prefix(prefix)) => {
                self.at += length;
                self.operators.push(Pending::Prefix(prefix, start));
                if let Prefix::Path(_) = prefix {
                    self.open_path();
                }
                return Ok(false);
            }
            Some(Word::Pair(quantifier, operator)) => {
                self.at += length;
                let path = Prefix::Path(quantifier);
                self.operators.push(Pending::Prefix(path, start));
                self.temporal(operator, start)?;
                return Ok(false);
            }
            Some(Word::Infix(_)) => {
                let message = format!("expected {OPERAND}, found the operator `{word}`");
                return Err(self
                    .error(start, length, message)
                    .help(format!("a proposition of this name is written \"{word}\"")));
            }
            _ => {}
        }
        if let Some((prefix, length)) = Spelling::prefix_sign(rest) {
            self.at += length;
            match prefix {
                Prefix::Temporal(operator) => self.temporal(operator, start)?,
                prefix => self.operators.push(Pending::Prefix(prefix, start)),
            }
            return Ok(false);
        }
        if !rest.is_empty() && !rest.starts_with('"') {
            match self.reader.read(rest) {
                Reading::NotMine => {}
                Reading::Atom(length) if length > 0 && rest.is_char_boundary(length) => {
                    self.at += length;
                    let atom = self.store.host_atom(rest[..length].trim());
                    self.operands.push(atom);
                    return Ok(true);
                }
                Reading::Atom(_) => return Err(self.expected(OPERAND)),
                Reading::Wrong(message, offset, length) => {
                    return Err(self.error(start + offset, length, message));
                }
            }
        }
        if let Some(operator) = self.spelling.glued(word) {
            self.at += 1;
            self.operators
                .push(Pending::Prefix(Prefix::Temporal(operator), start));
            return Ok(false);
        }
        match rest.chars().next() {
            Some('(') => {
                self.at += 1;
                self.operators.push(Pending::Open {
                    close: ')',
                    at: start,
                });
                Ok(false)
            }
            Some('"') => self.quoted().map(|()| true),
            _ => self.name(word).map(|()| true),
        }
    }

    /// `A [ p U q ]`: after a path quantifier brackets group.
    fn open_path(&mut self) {
        self.skip_spaces();
        if self.rest().starts_with('[') && !self.rest().starts_with("[]") {
            let at = self.at;
            self.at += 1;
            self.operators.push(Pending::Open { close: ']', at });
        }
    }

    fn name(&mut self, word: &str) -> Result<(), Diagnostic> {
        let f = match self.spelling.word(word) {
            Some(Word::Constant(value)) => self.store.constant(value),
            _ if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => self.store.atom(word),
            _ => return Err(self.unquoted(self.at, OPERAND)),
        };
        self.at += word.len();
        self.operands.push(f);
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            spend();
            match c {
                '"' if text.is_empty() => {
                    return Err(self.error(
                        start,
                        i + 1,
                        "expected a proposition between the quotes",
                    ));
                }
                '"' => {
                    self.at += i + 1;
                    let atom = self.store.atom(&text);
                    self.operands.push(atom);
                    return Ok(());
                }
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        Err(self.error(start, 1, "expected a closing `\"`, found the end"))
    }

    /// A temporal prefix operator, perhaps with bounds.
    fn temporal(&mut self, operator: Unary, start: usize) -> Result<(), Diagnostic> {
        let name = self.at;
        self.skip_spaces();
        if operator == Unary::Next && self.rest().starts_with("[!]") {
            self.at += 3; // Spot's strong next: on infinite words there is always a next position
            self.operators
                .push(Pending::Prefix(Prefix::Temporal(operator), start));
            return Ok(());
        }
        let bounds = self.rest().strip_prefix('[').map(str::trim_start);
        if !bounds.is_some_and(|b| b.starts_with(|c: char| c.is_ascii_digit())) {
            self.at = name;
            self.operators
                .push(Pending::Prefix(Prefix::Temporal(operator), start));
            return Ok(());
        }
        self.at += 1;
        let low = self.bound()?;
        self.skip_spaces();
        let separator = ["..", ",", ":"]
            .into_iter()
            .find(|s| self.rest().starts_with(s));
        let high = match separator {
            Some(sign) => {
                self.at += sign.len();
                self.bound()?
            }
            None => low,
        };
        self.skip_spaces();
        if !self.rest().starts_with(']') {
            return Err(self.expected("`]` after the bounds"));
        }
        self.at += 1;
        let length = self.at - start;
        match operator {
            Unary::Yesterday | Unary::WeakYesterday => {
                Err(self.error(start, length, "this operator takes no bounds"))
            }
            _ if low > high => {
                let message = format!("the bounds [{low},{high}] are empty");
                Err(self.error(start, length, message))
            }
            _ => {
                self.operators
                    .push(Pending::Bounded(operator, low, high, start));
                Ok(())
            }
        }
    }

    fn bound(&mut self) -> Result<usize, Diagnostic> {
        self.skip_spaces();
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            return Err(self.expected("a number"));
        }
        match rest[..digits].parse() {
            Ok(n) if n <= MAX_DEPTH => {
                self.at += digits;
                Ok(n)
            }
            _ => Err(self.error(self.at, digits, format!("bounds go up to {MAX_DEPTH}"))),
        }
    }

    fn infix(&mut self) -> Result<(), Diagnostic> {
        let rest = self.rest();
        let word = &rest[..word_length(rest)];
        let (operator, length) = match self.spelling.word(word) {
            Some(Word::Infix(operator)) => (operator, word.len()),
            _ => Spelling::infix_sign(rest)
                .ok_or_else(|| self.unquoted(self.last, "an operator, `)` or the end"))?,
        };
        let (level, right) = self.spelling.binding(operator);
        loop {
            let reduces = match self.operators.last() {
                None | Some(Pending::Open { .. }) => false,
                Some(Pending::Prefix(..) | Pending::Bounded(..)) => true,
                // A run of the same `&` or `|` is kept whole for `junction`.
                Some(Pending::Infix(Infix::And, _)) if operator == Infix::And => false,
                Some(Pending::Infix(Infix::Or, _)) if operator == Infix::Or => false,
                Some(Pending::Infix(other, _)) => {
                    let (other, _) = self.spelling.binding(*other);
                    other > level || (other == level && !right)
                }
            };
            if !reduces {
                break;
            }
            self.reduce()?;
        }
        self.operators.push(Pending::Infix(operator, self.at));
        self.at += length;
        Ok(())
    }

    /// Applies the operator on top of the stack.
    fn reduce(&mut self) -> Result<(), Diagnostic> {
        let Some(pending) = self.operators.pop() else {
            return Ok(());
        };
        let Some(last) = self.operands.pop() else {
            return Err(self.expected(OPERAND));
        };
        let (f, at) = match pending {
            Pending::Open { at, .. } => (last, at),
            Pending::Prefix(Prefix::Not, at) => (self.store.not(last), at),
            Pending::Prefix(Prefix::Temporal(op), at) => (self.store.unary(op, last), at),
            Pending::Prefix(Prefix::Path(q), at) => (self.store.path(q, last), at),
            Pending::Bounded(op, low, high, at) => {
                let each = if op == Unary::Next { 1 } else { 2 };
                if self.store.depth(last) + each * high > MAX_DEPTH {
                    return Err(self.too_deep(at));
                }
                (bounded(self.store, op, low, high, last), at)
            }
            Pending::Infix(op, at) => {
                let Some(first) = self.operands.pop() else {
                    return Err(self.expected(OPERAND));
                };
                (self.junction(op, first, last), at)
            }
        };
        if self.store.depth(f) > MAX_DEPTH {
            return Err(self.too_deep(at));
        }
        self.operands.push(f);
        Ok(())
    }

    /// A run of the same `&` or `|` is reduced at once: one by one would be quadratic.
    fn junction(&mut self, operator: Infix, first: FormulaId, last: FormulaId) -> FormulaId {
        let mut list = vec![last, first];
        while let Some(&Pending::Infix(op, _)) = self.operators.last()
            && op == operator
            && matches!(op, Infix::And | Infix::Or)
        {
            self.operators.pop();
            list.extend(self.operands.pop());
        }
        match operator {
            Infix::And => self.store.and(list),
            Infix::Or => self.store.or(list),
            Infix::Xor => self.store.xor(first, last),
            Infix::Implies => self.store.implies(first, last),
            Infix::Iff => self.store.iff(first, last),
            Infix::Temporal(op) => self.store.binary(op, first, last),
        }
    }

    fn too_deep(&self, at: usize) -> Diagnostic {
        let message = format!("the formula is nested more than {MAX_DEPTH} deep");
        self.error(at, self.at.saturating_sub(at), message)
    }

    /// A closing bracket; false if it belongs to no bracket of the formula.
    fn close(&mut self, c: char) -> Result<bool, Diagnostic> {
        while !matches!(self.operators.last(), None | Some(Pending::Open { .. })) {
            self.reduce()?;
        }
        match self.operators.last() {
            Some(&Pending::Open { close, .. }) if close == c => {
                self.operators.pop();
                self.at += 1;
                Ok(true)
            }
            Some(&Pending::Open { close, at }) => Err(self.expected(&format!("`{close}`")).label(
                Span::new(
                    self.place.file,
                    self.place.start + at,
                    self.place.start + at + 1,
                ),
                "opened here",
            )),
            _ => Err(self.expected("an operator or the end")),
        }
    }

    fn finish(&mut self) -> Result<FormulaId, Diagnostic> {
        while let Some(pending) = self.operators.last() {
            if let &Pending::Open { close, at } = pending {
                let span = Span::new(
                    self.place.file,
                    self.place.start + at,
                    self.place.start + at + 1,
                );
                let error = self.expected(&format!("`{close}` or an operator"));
                return Err(error.label(span, "opened here"));
            }
            self.reduce()?;
        }
        self.operands.pop().ok_or_else(|| self.expected(OPERAND))
    }
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .unwrap_or(text.len())
}

/// `F [low,high] f` and its relatives.
fn bounded(store: &mut Formulas, op: Unary, low: usize, high: usize, f: FormulaId) -> FormulaId {
    let (step, conjunction) = match op {
        Unary::Finally => (Unary::Next, false),
        Unary::Globally => (Unary::Next, true),
        Unary::Once => (Unary::Yesterday, false),
        Unary::Historically => (Unary::WeakYesterday, true),
        _ => (Unary::Next, false),
    };
    let mut result = f;
    if op != Unary::Next {
        for _ in low..high {
            let later = store.unary(step, result);
            result = match conjunction {
                true => store.and([f, later]),
                false => store.or([f, later]),
            };
        }
    }
    for _ in 0..low {
        result = store.unary(step, result);
    }
    result
}
