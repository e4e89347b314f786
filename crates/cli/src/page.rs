//! `--report`: what a page needs beside the answers.

use std::time::Instant;

use evenhand_report::html::{Sample, Samples};
use evenhand_verify::{Progress, PropertyResult};

/// Records how the searches go, for the plots of the page.
pub(crate) struct Recorder {
    started: Instant,
    samples: Samples,
    /// The samples of each property whose verdict is known.
    known: Vec<(String, Vec<Sample>)>,
}

impl Default for Recorder {
    fn default() -> Recorder {
        Recorder {
            started: Instant::now(),
            samples: Samples::default(),
            known: Vec::new(),
        }
    }
}

impl Recorder {
    pub fn progress(&mut self, progress: &Progress) {
        self.samples.push(Sample {
            seconds: self.started.elapsed().as_secs_f64(),
            states: progress.states,
            depth: progress.depth,
            bytes: progress.bytes,
        });
    }

    /// The search for an answer is over: what was seen while it went on is its own.
    pub fn verdict(&mut self, result: &PropertyResult) {
        let now = self.started.elapsed().as_secs_f64();
        let mut own = self.samples.take(now, result.seconds);
        // One search for errors answers several questions.
        if own.is_empty()
            && result.product_states.is_none()
            && let Some((_, last)) = self.known.last()
        {
            own.clone_from(last);
        }
        self.known.push((result.name.clone(), own));
    }

    /// The samples of a property.
    pub fn of(&self, name: &str) -> &[Sample] {
        let found = self.known.iter().rev().find(|(known, _)| known == name);
        found.map_or(&[], |(_, samples)| samples)
    }
}
