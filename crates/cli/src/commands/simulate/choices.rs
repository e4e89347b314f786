//! The choices of an interactive run in words: an initial state by what makes it different, a statement
//! by who executes it and where it stands, a step that is given by constraints by what changes and the
//! inputs that allow it.

use super::interactive::Interactive;
use super::watch::{self, MOST_INPUTS};

impl Interactive<'_> {
    /// A choice in words.
    pub fn choice(&mut self, index: usize, with_inputs: bool) -> String {
        match self.path.last() {
            None => self.initial(index),
            Some(_) if self.by_values => self.change(index, with_inputs),
            Some((state, _)) => {
                let signature = self.system.signature();
                let step = self.successors.step(index);
                let who = step.process.into_iter().chain(step.partner);
                let who = who.map(|process| self.explorer.process_name(state, process));
                let who = who.collect::<Vec<_>>().join(" + ");
                let mark = if step.fault > 0 { "  (fails)" } else { "" };
                match step.action.and_then(|a| signature.actions.get(a.index())) {
                    Some(info) => {
                        let line = signature.files.position(info.span).line;
                        format!("{who}  line {line}  {}{mark}", info.text)
                    }
                    None => format!("{who}{mark}"),
                }
            }
        }
    }

    /// An initial state: the variables that make the difference.
    fn initial(&mut self, index: usize) -> String {
        let values = self.explorer.describe(self.successors.state(index));
        let values = values.into_iter().zip(&self.differs);
        let values = values.filter(|&(_, &differs)| differs);
        let values = values.map(|((name, v), _)| format!("{name} = {v}"));
        values.collect::<Vec<_>>().join(", ")
    }

    /// A step that is given by constraints: who takes it, with which inputs, and what changes.
    fn change(&mut self, index: usize, with_inputs: bool) -> String {
        let Some((state, told)) = self.path.last() else {
            return String::new();
        };
        let step = self.successors.step(index);
        let target = self.successors.state(index);
        let who = step.process.map(|p| self.explorer.process_name(state, p));
        let who = who.unwrap_or_default();
        let inputs = match with_inputs {
            true => watch::inputs(&self.explorer.all_inputs(state, target, MOST_INPUTS)),
            false => String::new(),
        };
        let after = self.explorer.describe(target).into_iter().zip(&told.state);
        let changes: Vec<String> = after
            .filter(|(new, old)| new != *old)
            .map(|((name, value), _)| format!("{name} = {value}"))
            .collect();
        let changes = match changes.is_empty() {
            true => "nothing changes".to_string(),
            false => changes.join(", "),
        };
        match inputs.is_empty() {
            true => format!("{who}  {changes}"),
            false => format!("{who}  {changes}   {inputs}"),
        }
    }
}
