//! What is wrong with texts that come partly from the model and partly from elsewhere.
//!
//! A fairness assumption may stand in a comment of the model or on the command line, and the
//! expressions inside of it are read as texts of their own. Whatever is wrong is said at its place
//! in the text as the user knows it: in the model, or in a file that holds the whole assumption.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use evenhand_source::{Diagnostic, Files, Span};

use super::{AssumptionText, Mistake};

/// What is wrong with the texts, and where they stand.
pub struct Problems<'t> {
    /// The files of the model, and the texts that stand elsewhere.
    pub files: Files,
    texts: &'t [AssumptionText],
    /// What a text is called that stands elsewhere.
    name: &'static str,
    /// Where texts from elsewhere were put.
    places: HashMap<usize, Span>,
    /// The texts that something is wrong with.
    wrong: HashSet<usize>,
    /// What is wrong.
    pub list: Vec<Diagnostic>,
}

impl Problems<'_> {
    /// Nothing is wrong yet.
    pub fn new<'t>(files: Files, texts: &'t [AssumptionText], name: &'static str) -> Problems<'t> {
        Problems {
            files,
            texts,
            name,
            places: HashMap::new(),
            wrong: HashSet::new(),
            list: Vec::new(),
        }
    }

    /// Whether something is wrong with a text.
    pub fn has(&self, index: usize) -> bool {
        self.wrong.contains(&index)
    }

    /// The place of a part of a text.
    fn place(&mut self, index: usize, part: Range<usize>) -> Span {
        let (text, span) = &self.texts[index];
        let whole = match span {
            Some(span) => *span,
            None => *self.places.entry(index).or_insert_with(|| {
                let file = self.files.add(self.name, text.as_str());
                Span::new(file, 0, text.len())
            }),
        };
        if self.files.text(whole) != text {
            return whole; // the place is only roughly known
        }
        let start = whole.start as usize;
        Span::new(whole.file, start + part.start, start + part.end)
    }

    /// Something is wrong with a text.
    pub fn add(&mut self, index: usize, mistake: Mistake) {
        self.wrong.insert(index);
        let span = self.place(index, mistake.at);
        let problem = Diagnostic::error(span, mistake.message);
        self.list.push(problem.maybe_help(mistake.help));
    }

    /// Takes over what is wrong with an expression: a part of a text that was read as a file of its
    /// own, the last one.
    pub fn inherit(
        &mut self,
        index: usize,
        part: &Range<usize>,
        of: &Files,
        list: Vec<Diagnostic>,
    ) {
        self.wrong.insert(index);
        let last = of.iter().last().map(|(id, _)| id);
        for mut problem in list {
            let here = |span: Span| {
                let shift = |offset: u32| (part.start + offset as usize).min(part.end);
                shift(span.start)..shift(span.end)
            };
            problem.labels.retain(|label| Some(label.span.file) != last);
            problem.span = match problem.span {
                Some(span) if Some(span.file) == last => Some(self.place(index, here(span))),
                Some(span) => Some(span),
                None => Some(self.place(index, part.clone())),
            };
            self.list.push(problem);
        }
    }
}
