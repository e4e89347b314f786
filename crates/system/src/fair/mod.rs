//! The grammar of fairness assumptions, the same for all languages: `--fair SPEC` and what models
//! declare in comments.
//!
//! ```text
//! SPEC   = weak | strong | spin-weak
//!        | (weak | strong) ':' NAME [ '[' PID ']' ] [ '@' LABEL ]
//!        | just ':' EXPR
//!        | compassion ':' EXPR '=>' EXPR
//! ```
//!
//! What a NAME may be and what an EXPR means is for the language to say: here they are places in the
//! text. The `=>` is the only one outside of brackets. Offsets into the text go with every part, so
//! that a front-end can say where a mistake is ([`Problems`]).

mod candidates;
mod problems;

use std::ops::Range;

use evenhand_source::{Diagnostic, Files, Span};

pub use self::candidates::candidates;
pub use self::problems::Problems;

/// A fairness assumption as it was written, and where, if it stands in the model.
pub type AssumptionText = (String, Option<Span>);

/// How the names of processes and labels are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Letters, digits and underscores, not beginning with a digit.
    Identifiers,
    /// Anything up to a number in brackets or an `@`.
    Any,
}

/// A fairness assumption as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// Of every process.
    All {
        /// Strong fairness, or weak.
        strong: bool,
        /// Whether being asked to a handshake counts.
        as_partner: bool,
    },
    /// Of processes of one type.
    Some(Target),
    /// A state expression: its place.
    Justice(Range<usize>),
    /// Two state expressions.
    Compassion(Range<usize>, Range<usize>),
}

/// Which processes, and which of their statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Strong fairness, or weak.
    pub strong: bool,
    /// The place of the type's name.
    pub name: Range<usize>,
    /// The process number and its place; `None` for all.
    pub pid: Option<(u64, Range<usize>)>,
    /// The place of the label.
    pub label: Option<Range<usize>>,
}

/// What is wrong with a text: where, what, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub at: Range<usize>,
    /// What, in a sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

const FORMS: &str = "one of: weak, strong, spin-weak, weak:NAME, strong:NAME, NAME[2], NAME@LABEL, \
                     just:EXPR, compassion:EXPR=>EXPR";

impl Mistake {
    /// A mistake at a place.
    pub fn new(at: Range<usize>, message: impl Into<String>, help: Option<String>) -> Mistake {
        let message = message.into();
        Mistake { at, message, help }
    }
}

/// What is wrong with one text from a command line: the files of a model with the text behind them.
pub fn misunderstood(
    files: &Files,
    (name, text): (&'static str, &str),
    mistake: Mistake,
) -> (Files, Vec<Diagnostic>) {
    let texts = [(text.to_string(), None)];
    let mut problems = Problems::new(files.clone(), &texts, name);
    problems.add(0, mistake);
    (problems.files, problems.list)
}

/// Reads a fairness assumption.
///
/// # Errors
/// If it is none.
pub fn read(text: &str, names: Names) -> Result<Spec, Mistake> {
    let whole = trimmed(text, 0..text.len());
    let inside = &text[whole.clone()];
    let Some(colon) = inside.find(':') else {
        return word(inside, whole);
    };
    let kind = trimmed(text, whole.start..whole.start + colon);
    let rest = trimmed(text, whole.start + colon + 1..whole.end);
    match &text[kind.clone()] {
        "weak" => target(text, rest, false, names).map(Spec::Some),
        "strong" => target(text, rest, true, names).map(Spec::Some),
        "spin-weak" => {
            let help = "write `weak:NAME`, or `spin-weak` alone";
            let message = "`spin-weak` is about all processes";
            Err(Mistake::new(whole, message, Some(help.into())))
        }
        "just" => Ok(Spec::Justice(expression(text, rest)?)),
        "compassion" => compassion(text, rest),
        other => {
            let kinds = ["weak", "strong", "just", "compassion"];
            let hint = evenhand_source::nearest(other, kinds);
            let help = hint.map_or(FORMS.to_string(), |n| format!("did you mean `{n}:…`?"));
            let message = format!("`{}` is no kind of fairness", shown(other));
            Err(Mistake::new(kind, message, Some(help)))
        }
    }
}

fn word(inside: &str, whole: Range<usize>) -> Result<Spec, Mistake> {
    let (strong, as_partner) = match inside {
        "weak" => (false, true),
        "strong" => (true, true),
        "spin-weak" => (false, false),
        "" => {
            let message = "a fairness assumption is expected";
            return Err(Mistake::new(whole, message, Some(FORMS.into())));
        }
        "just" | "compassion" => {
            let message = format!("`{inside}` needs an expression");
            let help = format!("write `{inside}:…`");
            return Err(Mistake::new(whole, message, Some(help)));
        }
        _ => {
            let kinds = ["weak", "strong", "spin-weak"];
            let hint = evenhand_source::nearest(inside, kinds);
            let help = hint.map_or(FORMS.to_string(), |n| format!("did you mean `{n}`?"));
            let message = format!("`{}` is no fairness assumption", shown(inside));
            return Err(Mistake::new(whole, message, Some(help)));
        }
    };
    Ok(Spec::All { strong, as_partner })
}

fn target(text: &str, place: Range<usize>, strong: bool, names: Names) -> Result<Target, Mistake> {
    let name = word_of(text, &place, names, "the name of a process type")?;
    let mut at = name.end;
    let mut pid = None;
    skip_blanks(text, &mut at, place.end);
    if text[at..place.end].starts_with('[') {
        let opening = at;
        at += 1;
        let Some(length) = text[at..place.end].find(']') else {
            let message = "`[` is not closed";
            return Err(Mistake::new(opening..opening + 1, message, None));
        };
        let number = trimmed(text, at..at + length);
        let digits = &text[number.clone()];
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            let message = format!("`{}` is no process number", shown(digits));
            let help = "processes are counted from 0; see the names in a run, such as `phil[2]`";
            return Err(Mistake::new(number, message, Some(help.into())));
        }
        // What is too long to be a number is larger than any process number.
        pid = Some((digits.parse().unwrap_or(u64::MAX), number));
        at += length + 1;
        skip_blanks(text, &mut at, place.end);
    }
    let mut label = None;
    if text[at..place.end].starts_with('@') {
        at += 1;
        let rest = trimmed(text, at..place.end);
        let found = word_of(text, &rest, names, "a label")?;
        at = found.end;
        label = Some(found);
        skip_blanks(text, &mut at, place.end);
    }
    if at < place.end {
        let rest = trimmed(text, at..place.end);
        let message = format!("`{}` is not expected here", shown(&text[rest.clone()]));
        let help = "a target is NAME, NAME[2], NAME@LABEL or NAME[2]@LABEL";
        return Err(Mistake::new(rest, message, Some(help.into())));
    }
    Ok(Target {
        strong,
        name,
        pid,
        label,
    })
}

fn word_of(
    text: &str,
    place: &Range<usize>,
    names: Names,
    what: &str,
) -> Result<Range<usize>, Mistake> {
    let rest = &text[place.clone()];
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = match names {
        Names::Identifiers => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
        Names::Any => trimmed(rest, 0..any_name(rest)).end,
    };
    let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
    if length == 0 || names == Names::Identifiers && is_number {
        let found = match rest.is_empty() {
            true => "nothing".to_string(),
            false => format!("`{}`", shown(rest)),
        };
        let message = format!("expected {what}, found {found}");
        return Err(Mistake::new(place.clone(), message, None));
    }
    Ok(place.start..place.start + length)
}

/// Where a name ends that may have any characters: before an `@`, or before a number in brackets.
fn any_name(text: &str) -> usize {
    let end = text.find('@').unwrap_or(text.len());
    let head = text[..end].trim_end();
    let number = head.strip_suffix(']').and_then(|head| head.rfind('['));
    match number {
        Some(open) if head[open + 1..head.len() - 1].trim().parse::<u64>().is_ok() => open,
        _ => end,
    }
}

fn expression(text: &str, place: Range<usize>) -> Result<Range<usize>, Mistake> {
    match text[place.clone()].is_empty() {
        true => Err(Mistake::new(place, "an expression is expected", None)),
        false => Ok(place),
    }
}

/// Splits at the only top-level `=>`.
fn compassion(text: &str, place: Range<usize>) -> Result<Spec, Mistake> {
    let mut arrows = Vec::new();
    let mut depth = 0usize;
    let bytes = &text.as_bytes()[place.clone()];
    for (i, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 && bytes.get(i + 1) == Some(&b'>') => {
                // `==>` and `>=>` are no arrows; nothing else ends in `=`.
                let before = i.checked_sub(1).map(|j| bytes[j]);
                if !matches!(before, Some(b'=' | b'<' | b'>' | b'!')) {
                    arrows.push(place.start + i);
                }
            }
            _ => {}
        }
    }
    match arrows[..] {
        [arrow] => {
            let when = expression(text, trimmed(text, place.start..arrow))?;
            let then = expression(text, trimmed(text, arrow + 2..place.end))?;
            Ok(Spec::Compassion(when, then))
        }
        [] => {
            let help = "write `compassion:EXPR=>EXPR`";
            let message = "compassion needs two expressions with `=>` between them";
            Err(Mistake::new(place, message, Some(help.into())))
        }
        [_, second, ..] => {
            let help = "put parentheses around the expressions that contain one";
            let message = "more than one `=>`";
            Err(Mistake::new(second..second + 2, message, Some(help.into())))
        }
    }
}

/// A place without the blanks at its ends.
fn trimmed(text: &str, place: Range<usize>) -> Range<usize> {
    let inside = &text[place.clone()];
    let start = place.start + (inside.len() - inside.trim_start().len());
    start..start + inside.trim().len()
}

fn skip_blanks(text: &str, at: &mut usize, end: usize) {
    let rest = &text[*at..end];
    *at += rest.len() - rest.trim_start().len();
}

/// A text for a message: not too much of it.
fn shown(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compassion_is_split_at_its_only_arrow() {
        let split = |text: &str| match read(text, Names::Any) {
            Ok(Spec::Compassion(when, then)) => {
                Ok((text[when].to_string(), text[then].to_string()))
            }
            Ok(other) => panic!("{other:?}"),
            Err(mistake) => Err(mistake.message),
        };
        let pair = |when: &str, then: &str| Ok((when.to_string(), then.to_string()));
        assert_eq!(split("compassion:a = 1 => b >= 2"), pair("a = 1", "b >= 2"));
        assert_eq!(split("compassion:a=>b"), pair("a", "b"));
        assert_eq!(split("compassion:(a => b) => c"), pair("(a => b)", "c"));
        assert!(split("compassion:a -> b").is_err());
        assert_eq!(
            split("compassion:a => b => c"),
            Err("more than one `=>`".into())
        );
    }

    #[test]
    fn names_of_any_kind() {
        let target = |text: &str| match read(text, Names::Any) {
            Ok(Spec::Some(target)) => {
                let label = target.label.map(|place| text[place].to_string());
                (
                    text[target.name].to_string(),
                    target.pid.map(|(pid, _)| pid),
                    label,
                )
            }
            other => panic!("{other:?}"),
        };
        let name = |name: &str| name.to_string();
        assert_eq!(target("weak:client-1"), (name("client-1"), None, None));
        assert_eq!(target("strong:node[2]"), (name("node"), Some(2), None));
        assert_eq!(
            target("weak:a b [7] @ go on"),
            (name("a b"), Some(7), Some(name("go on")))
        );
        assert_eq!(target("weak:x[a]"), (name("x[a]"), None, None));
    }
}
