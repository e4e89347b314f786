//! How the steps of a run stand on a page: as a list, folded, in columns, or as TLC has them.
//!
//! A list has a line for each step and what it changed; that is right for short runs. Of a run of hundreds of steps
//! people look for the few that matter. *Folded*, consecutive steps that change nothing that is shown become
//! one line. In *columns*, each process has its own, so that it can be seen who moves when; a statement that
//! is wider is cut in the middle, since its end tells as much as its beginning.

use std::fmt::Write;

use evenhand_source::{Files, spend};
use evenhand_witness::{StepKind, TraceStep};

use crate::steps::{WIDTH, changes, inputs, write_line, write_step};
use crate::tlc;
use crate::watch::watched_step;

/// How steps stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One below the other.
    #[default]
    List,
    /// The same, but steps that change nothing are one line together.
    Folded,
    /// A column for each process.
    Columns,
    /// As TLC prints them.
    Tlc,
}

/// What is shown of a run, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunStyle<'a> {
    /// The variables that are shown; all if there are none.
    pub watched: &'a [String],
    /// How the steps stand.
    pub layout: Layout,
}

/// The widest and the narrowest column.
const WIDEST: usize = 30;
const NARROWEST: usize = 12;

/// Writes the steps of a run: those before its loop, and the loop; `turns` says that there is one.
pub fn write_run(
    text: &mut String,
    (prefix, cycle): (&[TraceStep], &[TraceStep]),
    turns: bool,
    style: RunStyle<'_>,
    files: &Files,
) {
    let shown = |steps: &[TraceStep]| -> Vec<TraceStep> {
        let steps = steps.iter();
        steps
            .map(|step| watched_step(style.watched, step))
            .collect()
    };
    let (prefix, cycle) = (shown(prefix), shown(cycle));
    if style.layout == Layout::Tlc {
        return tlc::write_run(text, &prefix, &cycle, files);
    }
    let all = || prefix.iter().chain(&cycle);
    let mut writer = Writer {
        text,
        files,
        layout: style.layout,
        width: all()
            .map(|s| s.processes.join(" + ").len())
            .max()
            .unwrap_or(0),
        columns: Vec::new(),
        before: None,
    };
    if style.layout == Layout::Columns {
        writer.columns = columns(all());
        if writer.columns.len() < 2 {
            writer.layout = Layout::List;
        }
    }
    writer.steps(&prefix, 0);
    if turns {
        let _ = writeln!(writer.text, "        -- the following repeats for ever:");
    }
    writer.steps(&cycle, prefix.len());
    if turns {
        let entry = match prefix.len() {
            0 | 1 => "the initial state".to_string(),
            length => format!("the state after step {}", length - 1),
        };
        let _ = writeln!(writer.text, "        -- back in {entry}");
    }
}

/// The processes that take part, in the order of their names as far as that is one of numbers.
fn columns<'s>(steps: impl Iterator<Item = &'s TraceStep>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for step in steps {
        spend();
        let others = step.substeps.iter().map(|sub| &sub.process);
        for name in step.processes.iter().chain(others) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    let number = |name: &String| {
        let inside = name.rsplit_once('[').map(|(_, rest)| rest);
        inside.and_then(|rest| rest.strip_suffix(']')?.parse::<u32>().ok())
    };
    names.sort_by_key(|name| number(name).unwrap_or(u32::MAX));
    names
}

struct Writer<'w, 's> {
    text: &'w mut String,
    files: &'w Files,
    layout: Layout,
    /// The width of the names in a list.
    width: usize,
    columns: Vec<String>,
    before: Option<&'s TraceStep>,
}

impl<'s> Writer<'_, 's> {
    fn steps(&mut self, steps: &'s [TraceStep], first: usize) {
        if self.layout == Layout::Columns && steps.iter().any(|s| s.kind == StepKind::Step) {
            self.heads();
        }
        let mut at = 0;
        while at < steps.len() {
            let quiet = match self.layout {
                Layout::Folded => self.unchanged(&steps[at..]),
                Layout::List | Layout::Columns | Layout::Tlc => 0,
            };
            if quiet > 1 {
                self.fold(&steps[at..at + quiet], first + at);
                at += quiet;
                continue;
            }
            let (step, number) = (&steps[at], first + at);
            match self.layout {
                Layout::Columns if step.kind == StepKind::Step => self.row(step, number),
                _ => write_step(self.text, step, self.before, number, self.width, self.files),
            }
            self.before = Some(step);
            at += 1;
        }
    }

    /// How many of the steps ahead change nothing and print nothing.
    fn unchanged(&self, steps: &'s [TraceStep]) -> usize {
        let mut before = self.before;
        let quiet = steps.iter().take_while(|step| {
            let same = step.kind == StepKind::Step
                && step.printed.is_empty()
                && changes(before, step).is_empty();
            before = Some(step);
            same
        });
        quiet.count()
    }

    fn fold(&mut self, steps: &'s [TraceStep], first: usize) {
        let mut names: Vec<&str> = Vec::new();
        for name in steps.iter().flat_map(|step| &step.processes) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let last = first + steps.len() - 1;
        let who = match names.is_empty() {
            true => String::new(),
            false => format!(" of {}", names.join(", ")),
        };
        let count = steps.len();
        let line =
            format!("  {first:>4}  … {last}: {count} steps{who} change nothing that is shown");
        let _ = writeln!(self.text, "{line}");
        self.before = steps.last();
    }

    fn column_width(&self) -> usize {
        let room = (WIDTH - 8) / self.columns.len().max(1);
        room.clamp(NARROWEST, WIDEST)
    }

    fn heads(&mut self) {
        let cells = self.columns.iter().map(|name| (name.clone(), name.clone()));
        let line = self.line("", &cells.collect::<Vec<_>>());
        let _ = writeln!(self.text, "{line}");
    }

    /// A line with texts in the columns of processes.
    fn line(&self, number: &str, cells: &[(String, String)]) -> String {
        let width = self.column_width();
        let mut line = format!("  {number:>4}  ");
        for column in &self.columns {
            let cell = cells.iter().find(|(process, _)| process == column);
            let text = cell.map_or_else(String::new, |(_, text)| cut(text, width - 1));
            let _ = write!(line, "{text:<width$}");
        }
        line.trim_end().to_string()
    }

    fn row(&mut self, step: &TraceStep, number: usize) {
        let what = match step.span {
            None if step.process.as_ref() == Some(&step.action) => inputs(step),
            _ => step.action.clone(),
        };
        let mut cells: Vec<(String, String)> = Vec::new();
        for (at, process) in step.processes.iter().enumerate() {
            let text = match at {
                0 => what.clone(),
                // The partner of a handshake; who joins an atomic stretch has a line of its own.
                _ if step.substeps.is_empty() => "<-".to_string(),
                _ => continue,
            };
            cells.push((process.clone(), text));
        }
        let mut open = self.line(&number.to_string(), &cells);
        let told = step.substeps.iter().skip(1);
        for sub in told.filter(|sub| !sub.action.is_empty()) {
            let _ = writeln!(self.text, "{open}");
            open = self.line("", &[(sub.process.clone(), sub.action.clone())]);
        }
        write_line(self.text, open, "        ", &changes(self.before, step));
        for printed in step.printed.lines() {
            let _ = writeln!(self.text, "        | {printed}");
        }
    }
}

/// A text of at most so many characters; what is cut out stood in the middle, nearer to its beginning.
pub fn cut(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_string();
    }
    let kept = width.saturating_sub(1);
    let head = kept / 3;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - (kept - head)).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn what_is_cut_keeps_its_end() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("network[receiver]!ack", 10), "net…r]!ack");
        assert_eq!(cut("network[receiver]!ack", 10).chars().count(), 10);
        assert_eq!(cut("äöüäöüäöü", 4), "ä…öü");
        assert_eq!(cut("abc", 1), "…");
    }
}
