//! The choices of an interactive run in words: an initial state by what makes it different, a statement
//! by who executes it and where it stands, a step that is given by constraints by what changes and the
//! inputs that allow it.

use evenhand_report::text;
use evenhand_system::explicit::NO_PROCESS;

use super::interactive::Interactive;
use super::watch::{self, MOST_INPUTS};

impl Interactive<'_> {
    /// A choice in words.
    pub fn choice(&mut self, index: usize, with_inputs: bool) -> String {
        match self.path.last() {
            None => self.initial(index),
            Some(_) if self.is_smv => self.change(index, with_inputs),
            Some((state, _)) => {
                let signature = self.system.signature();
                let step = self.successors.step(index);
                let mut who = self.explorer.process_name(state, step.process);
                if step.partner != NO_PROCESS {
                    who.push_str(" + ");
                    who.push_str(&self.explorer.process_name(state, step.partner));
                }
                let mark = if step.fault > 0 { "  (fails)" } else { "" };
                match signature.actions.get(step.action as usize) {
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
        let values = values.map(|((name, v), _)| format!("{name} = {}", text::value_text(&v)));
        values.collect::<Vec<_>>().join(", ")
    }

    /// A step that is given by constraints: who takes it, with which inputs, and what changes.
    fn change(&mut self, index: usize, with_inputs: bool) -> String {
        let Some((state, told)) = self.path.last() else {
            return String::new();
        };
        let step = self.successors.step(index);
        let target = self.successors.state(index);
        let who = self.explorer.process_name(state, step.process);
        let inputs = match with_inputs {
            true => watch::inputs(&self.explorer.all_inputs(state, target, MOST_INPUTS)),
            false => String::new(),
        };
        let after = self.explorer.describe(target).into_iter().zip(&told.state);
        let changes: Vec<String> = after
            .filter(|(new, old)| new != *old)
            .map(|((name, value), _)| format!("{name} = {}", text::value_text(&value)))
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
