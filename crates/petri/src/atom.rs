//! What formulas may ask about a marking, as text.
//!
//! ```text
//! ATOM    = is-fireable '(' NAME { ',' NAME } ')'       some of these transitions can fire
//!         | deadlock                                     none can
//!         | SUM ( '<' | '<=' | '=' | '==' | '!=' | '>=' | '>' ) SUM
//! SUM     = TERM { ( '+' | '-' ) TERM }
//! TERM    = NUMBER [ '*' TOKENS ] | TOKENS
//! TOKENS  = tokens '(' NAME { ',' NAME } ')'             the tokens of these places together
//! NAME    = anything without commas and with all parentheses closed, or "anything in quotes"
//! ```
//!
//! A name is the id of a node in the file. In a coloured net it stands for all that the node was unfolded to.

use std::collections::HashMap;

use evenhand_logic::{AtomReader, Reading};
use evenhand_source::nearest;

use crate::condition::{Condition, Sign};
use crate::net::Net;

/// The largest number in an atom.
const LARGEST: i64 = 1 << 40;

/// What is wrong with an atom: what, and where.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub message: String,
    pub at: usize,
    pub len: usize,
}

/// Reads the atoms of formulas.
pub(crate) struct Atoms<'n>(pub &'n Net);

impl AtomReader for Atoms<'_> {
    fn read(&mut self, text: &str) -> Reading {
        match atom(self.0, text) {
            Ok(Some((_, len))) => Reading::Atom(len),
            Ok(None) => Reading::NotMine,
            Err(Wrong { message, at, len }) => Reading::Wrong(message, at, len),
        }
    }
}

/// The atom at the beginning of a text and its length; none if there is no atom.
pub(crate) fn atom(net: &Net, text: &str) -> Result<Option<(Condition, usize)>, Wrong> {
    let mut reader = Reader { net, text, at: 0 };
    for word in ["is-fireable", "fireable"] {
        if reader.call(word) {
            let list = reader.names(&net.transition_names, "transition")?;
            return Ok(Some((Condition::Fireable(list), reader.at)));
        }
    }
    if reader.word("deadlock") {
        return Ok(Some((Condition::Dead, reader.at)));
    }
    let begins = text.starts_with(|c: char| c.is_ascii_digit()) || reader.is_call("tokens");
    if !begins {
        return Ok(None);
    }
    reader
        .comparison()
        .map(|condition| Some((condition, reader.at)))
}

struct Reader<'t> {
    net: &'t Net,
    text: &'t str,
    at: usize,
}

/// A sum: places with factors, and a number.
type Sum = (Vec<(u32, i64)>, i64);

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn wrong(&self, message: impl Into<String>) -> Wrong {
        let len = self.rest().chars().next().map_or(0, char::len_utf8);
        Wrong {
            message: message.into(),
            at: self.at,
            len,
        }
    }

    /// Passes over a word that ends here.
    fn word(&mut self, word: &str) -> bool {
        let rest = self.rest().strip_prefix(word);
        let ends =
            |rest: &&str| !rest.starts_with(|c: char| c.is_alphanumeric() || "_-.(".contains(c));
        let found = rest.filter(ends).is_some();
        if found {
            self.at += word.len();
        }
        found
    }

    fn is_call(&self, word: &str) -> bool {
        let rest = self.rest().strip_prefix(word);
        rest.is_some_and(|rest| rest.trim_start().starts_with('('))
    }

    /// Passes over a word and the parenthesis behind it.
    fn call(&mut self, word: &str) -> bool {
        let found = self.is_call(word);
        if found {
            self.at += word.len();
            self.blanks();
            self.at += 1;
        }
        found
    }

    /// Names up to the parenthesis that closes them.
    fn names(&mut self, known: &HashMap<String, Vec<u32>>, what: &str) -> Result<Vec<u32>, Wrong> {
        let mut all = Vec::new();
        loop {
            self.blanks();
            let (start, name) = (self.at, self.name()?);
            let Some(found) = known.get(name) else {
                let hint = nearest(name, known.keys().map(String::as_str));
                let hint = hint.map_or(String::new(), |hint| format!("; did you mean `{hint}`?"));
                return Err(Wrong {
                    message: format!("there is no {what} `{name}`{hint}"),
                    at: start,
                    len: name.len(),
                });
            };
            all.extend(found);
            self.blanks();
            let next = self.rest().chars().next();
            match next {
                Some(',') => self.at += 1,
                Some(')') => {
                    self.at += 1;
                    return Ok(all);
                }
                _ => return Err(self.wrong("expected `,` or `)`")),
            }
        }
    }

    fn name(&mut self) -> Result<&'t str, Wrong> {
        let rest = self.rest();
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted
                .find('"')
                .ok_or_else(|| self.wrong("`\"` is not closed"))?;
            self.at += end + 2;
            return Ok(&quoted[..end]);
        }
        let mut depth = 0;
        for (at, character) in rest.char_indices() {
            match character {
                '(' | '<' | '[' => depth += 1,
                ')' | ',' if depth == 0 => {
                    self.at += at;
                    return Ok(rest[..at].trim_end());
                }
                ')' | '>' | ']' => depth -= 1,
                _ => {}
            }
        }
        Err(self.wrong("expected `)` behind a name"))
    }

    fn comparison(&mut self) -> Result<Condition, Wrong> {
        let (mut sum, left) = self.sum()?;
        self.blanks();
        const SIGNS: [(&str, Sign); 7] = [
            ("<=", Sign::AtMost),
            (">=", Sign::AtLeast),
            ("==", Sign::Equal),
            ("!=", Sign::Different),
            ("=", Sign::Equal),
            ("<", Sign::Less),
            (">", Sign::More),
        ];
        let rest = self.rest();
        let found = SIGNS.iter().find(|(text, _)| rest.starts_with(text));
        let Some((text, sign)) = found else {
            return Err(self.wrong("expected a comparison, such as `<= 3`"));
        };
        self.at += text.len();
        let (other, right) = self.sum()?;
        sum.extend(other.into_iter().map(|(place, factor)| (place, -factor)));
        Ok(compare(sum, *sign, right - left))
    }

    fn sum(&mut self) -> Result<Sum, Wrong> {
        let (mut all, mut number, mut sign) = (Vec::new(), 0, 1);
        loop {
            self.blanks();
            let (places, constant) = self.term()?;
            all.extend(
                places
                    .into_iter()
                    .map(|(place, factor)| (place, sign * factor)),
            );
            number += sign * constant;
            if !(-LARGEST..=LARGEST).contains(&number) {
                return Err(self.wrong("this number is too large"));
            }
            let before = self.at;
            self.blanks();
            let rest = self.rest();
            let is_arrow = rest.starts_with("->");
            match rest.chars().next() {
                Some('+') => sign = 1,
                Some('-') if !is_arrow => sign = -1,
                _ => {
                    self.at = before;
                    return Ok((all, number));
                }
            }
            self.at += 1;
        }
    }

    fn term(&mut self) -> Result<Sum, Wrong> {
        if self.call("tokens") {
            let places = self.names(&self.net.place_names, "place")?;
            return Ok((places.into_iter().map(|place| (place, 1)).collect(), 0));
        }
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        if end == 0 {
            return Err(self.wrong("expected a number or `tokens(…)`"));
        }
        let number = rest[..end].parse::<i64>().ok().filter(|&n| n <= LARGEST);
        let number = number.ok_or_else(|| self.wrong("this number is too large"))?;
        self.at += end;
        let before = self.at;
        self.blanks();
        if !self.rest().starts_with('*') {
            self.at = before;
            return Ok((Vec::new(), number));
        }
        self.at += 1;
        self.blanks();
        match self.call("tokens") {
            true => {
                let places = self.names(&self.net.place_names, "place")?;
                Ok((places.into_iter().map(|place| (place, number)).collect(), 0))
            }
            false => Err(self.wrong("expected `tokens(…)`")),
        }
    }
}

/// A comparison with each place once.
pub(crate) fn compare(mut sum: Vec<(u32, i64)>, sign: Sign, number: i64) -> Condition {
    sum.sort_unstable();
    let mut places: Vec<(u32, i64)> = Vec::new();
    for (place, factor) in sum {
        match places.last_mut() {
            Some((last, total)) if *last == place => *total = total.saturating_add(factor),
            _ => places.push((place, factor)),
        }
    }
    places.retain(|&(_, factor)| factor != 0);
    Condition::Compare {
        sum: places,
        sign,
        number,
    }
}
