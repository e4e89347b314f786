//! What is asked: texts for the front-end, and automata beside them.

use evenhand_automata::{Automaton, complement, read_hoa, remove_fin};
use evenhand_source::{Diagnostic, Files};

use crate::explicit::FinishedRuns;
use crate::fairness::PropositionId;
use crate::question::{BadRuns, Kind, Linear, Question, What};
use crate::specification::{Inquiry, Rejected, Request, Specification, Unresolved, Wanted};

/// How large a complement or an automaton without `Fin` may become.
const STATE_LIMIT: usize = 100_000;

/// Everything that is asked in one go: texts for the front-end, and automata.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Asking {
    /// What the front-end resolves.
    pub request: Request,
    /// Automata of bad or good runs.
    pub automata: Vec<AutomatonText>,
}

impl Asking {
    /// What the front-end understands, with a question for each automaton behind its own.
    ///
    /// # Errors
    /// If something has no meaning for the model.
    pub fn resolve(&self, specification: &dyn Specification) -> Result<Inquiry, Unresolved> {
        let mut request = self.request.clone();
        if !self.is_usual() && request.properties == Wanted::Usual {
            request.properties = Wanted::Named(Vec::new());
        }
        let is_maximal = request.finished == Some(FinishedRuns::Maximal);
        if is_maximal && !specification.reads_maximal_runs() {
            let message = "runs that end are not read as finite ones in models of this language";
            let help = "they stay where they end, or they do not count";
            return Err(Rejected::about(Diagnostic::global(message).help(help)).into());
        }
        let mut automata = Vec::new();
        for text in &self.automata {
            let automaton = text.read()?;
            request.expressions.extend(automaton.props().to_vec());
            automata.push((text, automaton));
        }
        let mut inquiry = specification.resolve(&request)?;
        let first = self.request.expressions.len();
        let mut expressions = inquiry.expressions.split_off(first).into_iter();
        for (text, automaton) in automata {
            let own = expressions.by_ref().take(automaton.props().len()).collect();
            inquiry.questions.push(text.question(automaton, own));
        }
        Ok(inquiry)
    }

    /// One of the questions that it becomes, asked by itself: the one at a place among so many, of that
    /// name, under the same fairness.
    #[must_use]
    pub fn alone(&self, place: usize, count: usize, name: &str) -> Asking {
        let mut alone = Asking::default();
        alone.request.fair.clone_from(&self.request.fair);
        alone.request.no_fairness = self.request.no_fairness;
        alone.request.finished = self.request.finished;
        alone.request.properties = Wanted::Named(Vec::new());
        // Properties come first, then what was given as text, kind by kind.
        let given = &self.request;
        let mut from_end = count.saturating_sub(place);
        if let Some(at) = self.automata.len().checked_sub(from_end) {
            alone.automata.push(self.automata[at].clone());
            return alone;
        }
        from_end -= self.automata.len();
        let texts = [&given.branching, &given.linear, &given.invariants];
        for (kind, list) in texts.into_iter().enumerate() {
            if let Some(at) = list.len().checked_sub(from_end) {
                let own = &mut alone.request;
                let own = [&mut own.branching, &mut own.linear, &mut own.invariants];
                if let Some(own) = own.into_iter().nth(kind) {
                    own.push(list[at].clone());
                }
                return alone;
            }
            from_end -= list.len();
        }
        alone.request.properties = Wanted::Named(vec![name.to_string()]);
        alone
    }

    /// Asks for properties of the model by their names, if there are some.
    pub fn name_properties(&mut self, names: &[String]) {
        if !names.is_empty() {
            self.request.properties = Wanted::Named(names.to_vec());
        }
    }

    /// Whether nothing in particular is asked.
    fn is_usual(&self) -> bool {
        let request = &self.request;
        let texts = [&request.invariants, &request.linear, &request.branching];
        request.properties == Wanted::Usual
            && texts.iter().all(|list| list.is_empty())
            && self.automata.is_empty()
    }
}

/// An automaton from a text, and what is asked with it.
#[derive(Clone, Debug)]
pub struct AutomatonText {
    /// How it is called: the name of its file.
    pub name: String,
    /// The automaton in HOA format.
    pub text: String,
    /// Whether it describes the good runs; otherwise the bad ones.
    pub good: bool,
}

impl AutomatonText {
    /// Reads the automaton.
    ///
    /// # Errors
    /// If the text is not exactly one automaton.
    fn read(&self) -> Result<Automaton, Rejected> {
        let mut files = Files::new();
        let file = files.add(&self.name, &self.text);
        let stream = read_hoa(&self.text, file);
        if !stream.diagnostics.is_empty() {
            return Err((files, stream.diagnostics).into());
        }
        let mut automata = stream.automata.into_iter();
        match (automata.next(), automata.next()) {
            (Some(automaton), None) => Ok(automaton),
            _ => {
                let message = format!("`{}` must hold exactly one automaton", self.name);
                Err((files, vec![Diagnostic::global(message)]).into())
            }
        }
    }

    /// The question whether no run is bad.
    fn question(&self, automaton: Automaton, propositions: Vec<PropositionId>) -> Question {
        let computed = self.good || !automaton.acceptance().is_streett();
        let bad = match self.good {
            true => complement(&automaton, STATE_LIMIT),
            false => Ok(automaton),
        };
        let bad = bad.and_then(|bad| match bad.acceptance().is_streett() {
            true => Ok(bad),
            false => remove_fin(&bad, STATE_LIMIT),
        });
        let bad = BadRuns {
            automaton: bad.map_err(|limit| format!("the automaton becomes too large: {limit}")),
            propositions,
            finished_runs: true,
            tight: None,
            computed,
        };
        let what = What::Linear(Linear::Automaton(bad));
        Question::new(&self.name, Kind::Automaton, None, what)
    }
}
