//! What a person sees while properties are checked: the verdicts and how long searches go.
//!
//! Engines find answers in whatever order suits them; people find them in the order of the model, the
//! same for every engine. So a verdict that becomes known early waits until those in front of it are
//! told, unless those may take long. What was known when a check ended in some other way is told at
//! the end.

use evenhand_report::printable::printable;
use evenhand_report::{paint, text};
use evenhand_verify::{Listener, Progress, PropertyResult, Report, SetProgress};

use crate::arguments::{Format, OutputArguments};
use crate::console::{colour_answers, print_as_it_is};
use crate::page::Recorder;
use crate::progress::ProgressLine;

/// Shows verdicts as soon as they are known and in their order.
pub(crate) struct Screen {
    line: ProgressLine,
    text: bool,
    colour: bool,
    recorder: Recorder,
    /// The properties in the order of the report.
    planned: Vec<String>,
    /// The lines about them that are known.
    known: Vec<Option<String>>,
    /// How many were told.
    told: usize,
}

impl Screen {
    pub fn new(output: &OutputArguments) -> Screen {
        Screen {
            line: ProgressLine::new(output),
            text: output.format == Format::Text,
            colour: colour_answers(output),
            recorder: Recorder::default(),
            planned: Vec::new(),
            known: Vec::new(),
            told: 0,
        }
    }

    /// Tells what was not told yet; the record of the searches.
    pub fn finish(mut self, report: Option<&Report>) -> Recorder {
        self.line.clear();
        for place in self.told..self.planned.len() {
            let answers = report.iter().flat_map(|report| &report.properties);
            let name = &self.planned[place];
            let known = self.known[place].take();
            let line =
                known.or_else(|| Some(self.summary(answers.clone().find(|p| p.name == *name)?)));
            if let (true, Some(line)) = (self.text, line) {
                print_as_it_is(&line);
            }
        }
        self.recorder
    }

    /// Tells what comes next, as far as it is known. Of what was told early, nothing is left.
    fn tell(&mut self) {
        while let Some(Some(line)) = self.known.get_mut(self.told).map(Option::take) {
            self.line.clear();
            print_as_it_is(&line);
            self.told += 1;
        }
    }

    fn summary(&self, result: &PropertyResult) -> String {
        match self.colour {
            true => format!("{}\n", paint::summary(result)),
            false => format!("{}\n", printable(&text::summary(result))),
        }
    }
}

impl Listener for Screen {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.recorder.progress(progress);
        self.line.progress(progress)
    }

    fn sets(&mut self, sets: &SetProgress) {
        self.line.sets(sets);
    }

    fn plan(&mut self, names: &[String]) {
        self.planned = names.to_vec();
        self.known = vec![None; names.len()];
        self.told = 0;
    }

    fn stage(&mut self, name: &str) {
        self.line.stage(name);
    }

    fn verdict(&mut self, result: &PropertyResult) {
        self.recorder.verdict(result);
        if !self.text {
            return;
        }
        let line = self.summary(result);
        let open = |at: &usize| self.known[*at].is_none() && self.planned[*at] == result.name;
        match (self.told..self.planned.len()).find(open) {
            Some(place) => self.known[place] = Some(line),
            None => {
                self.line.clear();
                print_as_it_is(&line);
            }
        }
        self.tell();
    }

    fn early_verdict(&mut self, result: &PropertyResult) {
        self.verdict(result);
        let mut later = self.told..self.planned.len();
        let place = later.find(|&at| self.known[at].is_some() && self.planned[at] == result.name);
        if let Some(line) = place.and_then(|at| self.known[at].replace(String::new())) {
            self.line.clear();
            print_as_it_is(&line);
        }
    }
}
