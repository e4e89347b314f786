//! A run as a picture that needs no script: a column for each process, a row for each step.
//!
//! The same message sequence chart as on the page of a report, without what needs a hand: boxes are
//! statements, arrows are messages from the step that sends to the one that receives, the line at the
//! left leads around what repeats for ever, and at the right stands what changes. Of a long run the first
//! rows are drawn, and how many more there are is said.

use std::fmt::Write;

use evenhand_system::explicit::Value;
use evenhand_witness::{Counterexample, StepKind, TraceStep};

use super::messages::arrows;
use super::run::columns;
use super::{cut, escaped};

/// How high a row is, and how wide a column.
const ROW: f64 = 34.0;
const COLUMN: f64 = 170.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 34.0;

/// How much of a statement is written, and of what changes.
const STATEMENT: usize = 20;
const CHANGES: usize = 60;

/// The picture of a run, with at most so many steps.
pub fn run_svg(run: &Counterexample, most: usize) -> String {
    let steps: Vec<&TraceStep> = run.prefix.iter().chain(&run.cycle).collect();
    let chart = Chart {
        columns: columns(run, &steps),
        shown: steps.len().min(most.max(1)),
        steps,
    };
    let changes = (0..chart.shown).map(|row| chart.changes(row).chars().count());
    let changes = changes.max().unwrap_or(0) as f64 * 7.0;
    let width = LEFT + chart.columns.len() as f64 * COLUMN + changes + 30.0;
    let height = TOP + chart.shown as f64 * ROW + 30.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"currentColor\" stroke=\"none\"><title>{} steps</title>",
        run.len()
    );
    chart.heads(&mut out, height);
    chart.rows(&mut out);
    chart.messages(&mut out);
    if !run.cycle.is_empty() {
        // Behind the state that the cycle begins in, up to its last step.
        chart.cycle(&mut out, run.prefix.len(), run.stays());
    }
    let more = chart.steps.len() - chart.shown;
    if more > 0 {
        let y = height - 8.0;
        let _ = write!(
            out,
            "<text x=\"{LEFT}\" y=\"{y}\">… and {more} more steps</text>"
        );
    }
    out.push_str("</svg>");
    out
}

struct Chart<'r> {
    columns: Vec<String>,
    steps: Vec<&'r TraceStep>,
    /// How many of them are drawn.
    shown: usize,
}

impl<'r> Chart<'r> {
    /// The middle of a column.
    fn x(&self, process: &str) -> f64 {
        let at = self.columns.iter().position(|name| name == process);
        LEFT + (at.unwrap_or(0) as f64 + 0.5) * COLUMN
    }

    /// The middle of a row.
    fn y(row: usize) -> f64 {
        TOP + (row as f64 + 0.5) * ROW
    }

    /// What a step changes; of the first one, everything.
    fn changes(&self, row: usize) -> String {
        let before = row.checked_sub(1).map(|row| &self.steps[row].state);
        let is_new =
            |at: &(usize, &(String, Value))| before.and_then(|b| b.get(at.0)) != Some(at.1);
        let state = self.steps[row].state.iter();
        let changed = state.enumerate().filter(is_new);
        let texts: Vec<String> = changed
            .map(|(_, (name, value))| format!("{name} = {value}"))
            .collect();
        cut(&texts.join(", "), CHANGES)
    }

    /// The columns in which something is written about a step.
    fn written(&self, step: &'r TraceStep) -> &[String] {
        match (step.kind, step.processes.is_empty()) {
            (StepKind::Step, false) => step.processes.as_slice(),
            _ => self.columns.get(..1).unwrap_or_default(),
        }
    }

    /// The names, and below each a line, which is interrupted where something is written.
    fn heads(&self, out: &mut String, height: f64) {
        for name in &self.columns {
            let x = self.x(name);
            let mut line = format!("M{x},{TOP}");
            for (row, step) in self.steps.iter().take(self.shown).enumerate() {
                if self.written(step).contains(name) {
                    let y = Chart::y(row);
                    let _ = write!(line, " V{} M{x},{}", y - 12.0, y + 12.0);
                }
            }
            let _ = write!(
                out,
                "<text x=\"{x}\" y=\"20\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>\
                 <path d=\"{line} V{}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.3\"/>",
                escaped(&cut(name, STATEMENT)),
                height - 26.0
            );
        }
    }

    fn rows(&self, out: &mut String) {
        let right = LEFT + self.columns.len() as f64 * COLUMN + 8.0;
        for (row, step) in self.steps.iter().take(self.shown).enumerate() {
            let y = Chart::y(row);
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{row}</text>",
                LEFT - 14.0,
                y + 4.0
            );
            let text = match step.kind {
                StepKind::Init => "initial state",
                StepKind::Stutter if step.action.is_empty() => "nothing moves",
                // Something could move.
                StepKind::Stutter => "stays where it is",
                StepKind::Step => step.action.as_str(),
            };
            for process in self.written(step) {
                let x = self.x(process);
                if step.kind == StepKind::Step {
                    let _ = write!(
                        out,
                        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"24\" rx=\"4\" fill=\"currentColor\" \
                         fill-opacity=\"0.08\" stroke=\"currentColor\" stroke-opacity=\"0.5\"/>",
                        x - COLUMN / 2.0 + 6.0,
                        y - 12.0,
                        COLUMN - 12.0
                    );
                }
                let _ = write!(
                    out,
                    "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" font-family=\"monospace\">{}\
                     <title>{}</title></text>",
                    y + 4.0,
                    escaped(&cut(text, STATEMENT)),
                    escaped(text)
                );
            }
            let changes = escaped(&self.changes(row));
            let _ = write!(
                out,
                "<text x=\"{right}\" y=\"{}\" font-family=\"monospace\">{changes}</text>",
                y + 4.0
            );
        }
    }

    fn messages(&self, out: &mut String) {
        for arrow in arrows(&self.steps) {
            let (Some((sender, sent)), Some((receiver, received))) = (arrow.from, arrow.to) else {
                continue;
            };
            if sent >= self.shown || received >= self.shown {
                continue;
            }
            let from = (self.x(&sender), Chart::y(sent) + 12.0);
            let to = (self.x(&receiver), Chart::y(received) - 12.0);
            let to = match sent == received {
                true => (to.0, from.1),
                false => to,
            };
            let turn = (to.1 - from.1).atan2(to.0 - from.0).to_degrees();
            let fields: Vec<String> = arrow.fields.iter().map(ToString::to_string).collect();
            let title = escaped(&format!("{}: {}", arrow.channel, fields.join(", ")));
            let _ = write!(
                out,
                "<g><title>{title}</title><path d=\"M{},{} L{},{}\" stroke=\"currentColor\" \
                 stroke-width=\"1.5\"/><path d=\"M0,0 l-9,-4.5 v9 z\" \
                 transform=\"translate({},{}) rotate({turn:.1})\"/></g>",
                from.0, from.1, to.0, to.1, to.0, to.1
            );
        }
    }

    /// The way back from the last row to the state that repeats.
    fn cycle(&self, out: &mut String, first: usize, stays: bool) {
        if first >= self.shown {
            return;
        }
        let (top, bottom) = (Chart::y(first) - 12.0, Chart::y(self.shown - 1) + 12.0);
        let word = match stays {
            true => "for ever",
            false => "repeats for ever",
        };
        let _ = write!(
            out,
            "<path d=\"M24,{bottom} H14 V{top} H24\" fill=\"none\" stroke=\"currentColor\" \
             stroke-width=\"2\"/><path d=\"M0,0 l-9,-4.5 v9 z\" transform=\"translate(32,{top})\"/>\
             <text x=\"14\" y=\"{}\" font-style=\"italic\">{word}</text>",
            bottom + 14.0
        );
    }
}
