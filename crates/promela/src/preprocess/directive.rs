//! Directives: lines that begin with `#`.
//!
//! A directive is carried out at the moment its line is met, even between the arguments of a macro.
//! Conditions form a stack per file, so a file cannot close what another one opened. Text that a
//! condition leaves out is still cut into tokens (a comment may hide an `#endif`), but silently.

use std::path::{Path, PathBuf};

use evenhand_source::{Diagnostic, FileId, Span, nearest};

use super::define::macro_name;
use super::{Kind, MAX_INCLUDE_DEPTH, PpToken, Preprocessor};

/// An open `#if`.
pub(super) struct Condition {
    span: Span,
    /// One of its groups was, or is, read.
    taken: bool,
    /// The place of its `#else`.
    other: Option<Span>,
}

const KNOWN: [&str; 14] = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error",
    "warning", "pragma", "line", "ident",
];

impl Preprocessor<'_> {
    /// Carries out the directive behind `hash`.
    pub(super) fn directive(&mut self, hash: &PpToken) {
        let line = self.rest_of_line();
        let Some((word, rest)) = line.split_first() else {
            return; // a lone `#`
        };
        let span = hash.span.to(word.span);
        match &*word.text {
            "define" => self.define(rest, span),
            "undef" => self.undefine(rest, span),
            "include" => self.include(rest, span),
            "if" | "ifdef" | "ifndef" => {
                let taken = self.opens(&word.text, rest, span);
                if let Some(frame) = self.frames.last_mut() {
                    frame.conditions.push(Condition {
                        span,
                        taken,
                        other: None,
                    });
                }
                if !taken {
                    self.skip_group();
                }
            }
            "elif" | "else" | "endif" => {
                // The group before was read, so the others are left out.
                if !self.close_group(&word.text, rest, span) {
                    self.skip_group();
                }
            }
            "error" => {
                let text = self.line_text(rest);
                self.error(span, format!("#error {text}").trim_end());
            }
            "warning" => {
                let text = self.line_text(rest);
                let message = format!("#warning {text}");
                self.report(Diagnostic::warning(span, message.trim_end()));
            }
            "pragma" | "line" | "ident" => {}
            _ if word.kind == Kind::Number => {} // a line marker
            other => {
                let message = format!("`#{other}` is no directive");
                let hint = nearest(other, KNOWN).map(|near| format!("did you mean `#{near}`?"));
                self.report(Diagnostic::error(span, message).maybe_help(hint));
            }
        }
    }

    /// Conditions left open at the end of a file.
    pub(super) fn close_conditions(&mut self) {
        let open = self
            .frames
            .last_mut()
            .map(|frame| std::mem::take(&mut frame.conditions));
        for condition in open.into_iter().flatten() {
            let report = Diagnostic::error(condition.span, "this condition is not closed");
            self.report(report.help("an `#endif` is missing"));
        }
    }

    fn rest_of_line(&mut self) -> Vec<PpToken> {
        let mut line = Vec::new();
        if let Some(frame) = self.frames.last_mut() {
            while let Some(token) = frame.scanner.next(true, &mut self.sink) {
                line.push(token);
            }
        }
        line
    }

    fn line_text(&self, line: &[PpToken]) -> String {
        let (Some(first), Some(last)) = (line.first(), line.last()) else {
            return String::new();
        };
        self.files.text(first.span.to(last.span)).to_string()
    }

    /// Whether the first group of an `#if` is read.
    fn opens(&mut self, word: &str, line: &[PpToken], span: Span) -> bool {
        if word == "if" {
            return self.holds(line, span);
        }
        match macro_name(line, span) {
            Ok(name) => self.macros.contains_key(&name.text) == (word == "ifdef"),
            Err(report) => {
                self.report(report);
                false
            }
        }
    }

    /// Meets `#elif`, `#else` or `#endif` of the innermost condition; `true` if reading goes on.
    fn close_group(&mut self, word: &str, line: &[PpToken], span: Span) -> bool {
        let conditions = self.frames.last_mut().map(|frame| &mut frame.conditions);
        let Some(condition) = conditions.and_then(|list| list.last_mut()) else {
            self.error(span, format!("`#{word}` without `#if`"));
            return true;
        };
        if word == "endif" {
            self.frames.last_mut().map(|frame| frame.conditions.pop());
            return true;
        }
        if let Some(other) = condition.other {
            let message = format!("`#{word}` behind the `#else` of the same condition");
            let report = Diagnostic::error(span, message).label(other, "the `#else`");
            self.report(report);
            return false;
        }
        let taken = condition.taken;
        if word == "else" {
            condition.other = Some(span);
        }
        let reads = !taken && (word == "else" || self.holds(line, span));
        let conditions = self.frames.last_mut().map(|frame| &mut frame.conditions);
        if let Some(condition) = conditions.and_then(|list| list.last_mut()) {
            condition.taken |= reads;
        }
        reads
    }

    /// Passes over text up to a group of the innermost condition that is read, or its end.
    fn skip_group(&mut self) {
        let mut depth = 0usize;
        loop {
            self.sink.quiet = true;
            let Some(frame) = self.frames.last_mut() else {
                break;
            };
            let token = frame.scanner.next(false, &mut self.sink);
            let Some(hash) = token else {
                break;
            };
            if !hash.line_start || !hash.is("#") {
                continue;
            }
            let Some(word) = frame.scanner.next(true, &mut self.sink) else {
                continue;
            };
            match &*word.text {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "elif" | "else" | "endif" if depth == 0 => {
                    self.sink.quiet = false;
                    let line = self.rest_of_line();
                    if self.close_group(&word.text, &line, hash.span.to(word.span)) {
                        return;
                    }
                }
                _ => {}
            }
        }
        self.sink.quiet = false;
    }

    fn include(&mut self, line: &[PpToken], span: Span) {
        let mut target = self.include_target(line);
        if target.is_none() && !line.is_empty() {
            let line: Vec<PpToken> = self.expand_list(line.to_vec());
            let line: Vec<PpToken> = line
                .into_iter()
                .filter(|t| t.kind != Kind::Padding)
                .collect();
            target = match &line[..] {
                [name, ..] if name.kind == Kind::String => Some((unquoted(&name.text), true)),
                [open, inner @ .., close] if open.is("<") && close.is(">") => {
                    Some((inner.iter().map(|token| &*token.text).collect(), false))
                }
                _ => None,
            };
        }
        let span = line.iter().fold(span, |span, token| span.to(token.span));
        let Some((name, quoted)) = target else {
            let report = Diagnostic::error(span, "`#include` needs the name of a file");
            self.report(report.help("write `#include \"file\"`"));
            return;
        };
        if self.frames.len() > MAX_INCLUDE_DEPTH {
            let message = format!("files include each other more than {MAX_INCLUDE_DEPTH} deep");
            let report = Diagnostic::error(span, message);
            self.report(report.help("a file that includes itself needs `#ifndef` around its text"));
            self.halt();
            return;
        }
        match self.find(Path::new(&name), quoted, span.file) {
            Ok(file) => {
                let length = self.files.get(file).text.len();
                if self.charge(1024 + length, span) {
                    self.open(file);
                }
            }
            Err(reason) => {
                let message = format!("cannot read the included file `{name}`: {reason}");
                let report = Diagnostic::error(span, message);
                let hint = "folders to look in are given by `-I`";
                self.report(report.maybe_help((!quoted).then(|| hint.to_string())));
            }
        }
    }

    /// The file name as it stands in the line, and whether in quotes.
    fn include_target(&self, line: &[PpToken]) -> Option<(String, bool)> {
        let first = line.first()?;
        if first.kind == Kind::String {
            return Some((unquoted(&first.text), true));
        }
        if !first.is("<") {
            return None;
        }
        let last = line.last()?;
        let text = self.files.text(first.span.to(last.span));
        let (name, _) = text.strip_prefix('<')?.split_once('>')?;
        Some((name.to_string(), false))
    }

    /// Looks for a file beside the including one and in the folders of `-I`.
    fn find(&mut self, name: &Path, quoted: bool, from: FileId) -> Result<FileId, String> {
        let mut places: Vec<PathBuf> = Vec::new();
        if quoted {
            let folder = Path::new(&self.files.get(from).name).parent();
            places.push(folder.map_or_else(|| name.to_path_buf(), |folder| folder.join(name)));
        }
        places.extend(
            self.options
                .include_dirs
                .iter()
                .map(|folder| folder.join(name)),
        );
        let mut reason = None;
        for place in places {
            if let Some(&file) = self.loaded.get(&place) {
                return Ok(file);
            }
            match (self.load)(&place) {
                Ok(text) => {
                    let file = self.files.add(place.display().to_string(), text);
                    self.loaded.insert(place, file);
                    return Ok(file);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => reason = Some(error.to_string()),
            }
        }
        Err(reason.unwrap_or_else(|| "there is no such file".to_string()))
    }
}

fn unquoted(text: &str) -> String {
    text.trim_matches('"').to_string()
}
