//! What is asked: texts for the front-end, and automata beside them.

use evenhand_system::{Inquiry, Request, Specification, Wanted};

use crate::answer::CheckError;
use crate::bad_runs::AutomatonText;

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
    pub fn resolve(&self, specification: &dyn Specification) -> Result<Inquiry, CheckError> {
        let mut request = self.request.clone();
        if !self.is_usual() && request.properties == Wanted::Usual {
            request.properties = Wanted::Named(Vec::new());
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
