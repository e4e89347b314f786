//! A list of diagnostics that cannot grow without bound.

use evenhand_source::Diagnostic;

/// More than this many say nothing new.
const MOST: usize = 500;

/// Diagnostics, the first [`MOST`] of them.
#[derive(Default)]
pub(crate) struct Reports {
    list: Vec<Diagnostic>,
    dropped: usize,
}

impl Reports {
    pub fn add(&mut self, report: Diagnostic) {
        if self.list.len() < MOST {
            self.list.push(report);
        } else {
            self.dropped += 1;
        }
    }

    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.dropped > 0 {
            let text = format!("{} further messages are not shown", self.dropped);
            self.list.push(Diagnostic::global(text));
        }
        self.list
    }
}
