//! Colours for what people read on a terminal.
//!
//! The texts are made plain and painted line by line afterwards: what a line is can be seen from how it
//! begins. So the plain form, which tests and pipes see, and the coloured one never differ in a word,
//! and nothing depends on colours alone. Before anything is painted, what would act on the terminal is
//! written out ([`printable`]).

use anstyle::{AnsiColor, Style};
use evenhand_verify::{PropertyResult, Verdict};

use crate::printable::printable;
use crate::text;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const OPEN: Style = AnsiColor::Yellow.on_default().bold();
const LOOP: Style = AnsiColor::Cyan.on_default().bold();
const CHANGED: Style = AnsiColor::Blue.on_default();
const QUIET: Style = Style::new().dimmed();
const TITLE: Style = Style::new().bold();

fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// One line about a property: its verdict painted.
pub fn summary(result: &PropertyResult) -> String {
    let plain = printable(&text::summary(result)).into_owned();
    let style = match result.verdict {
        Verdict::Holds => GOOD,
        Verdict::Violated(_) => BAD,
        Verdict::Unknown(_) => OPEN,
    };
    let word = text::word(result);
    match plain.strip_prefix(word) {
        Some(rest) => format!("{}{rest}", paint(style, word)),
        None => plain,
    }
}

/// A run as [`text::counterexample`] tells it.
pub fn run(plain: &str) -> String {
    let plain = printable(plain);
    let mut painted = String::new();
    for (number, line) in plain.lines().enumerate() {
        let trimmed = line.trim_start();
        let indent = &line[..line.len() - trimmed.len()];
        painted += &match number {
            0 => paint(BAD, line),
            _ if trimmed.starts_with("-- ") => format!("{indent}{}", paint(LOOP, trimmed)),
            _ if trimmed.starts_with("why ") => format!("{indent}{}", paint(TITLE, trimmed)),
            _ => step(line),
        };
        painted.push('\n');
    }
    painted
}

/// The line of a step: its number quiet, what changed behind it in colour.
fn step(line: &str) -> String {
    let digits = line.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    if end == 0 || line.len() - digits.len() > 6 {
        return line.to_string();
    }
    let (number, rest) = line.split_at(line.len() - digits.len() + end);
    let rest = match rest.rfind("   [") {
        Some(at) if rest.ends_with(']') || rest.ends_with(',') => {
            format!("{}{}", &rest[..at], paint(CHANGED, &rest[at..]))
        }
        _ => rest.to_string(),
    };
    format!("{}{rest}", paint(QUIET, number))
}

/// A remark: its first word painted.
pub fn remark(word: &str, text: &str) -> String {
    let word = match word {
        "warning" => paint(OPEN, word),
        _ => paint(TITLE, word),
    };
    format!("{word}: {}", printable(text))
}
