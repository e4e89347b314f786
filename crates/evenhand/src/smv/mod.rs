//! SMV models in the façade: what is read, what is assumed, and the system that the engines see.
//!
//! An SMV model is a relation; the explicit engines explore it by enumeration. Inputs (`IVAR`) are no
//! part of a state unless a property or an assumption is about them. Fairness is stated over
//! conditions: `JUSTICE` and `COMPASSION` in the model, `just:` and `compassion:` in `--fair`.

mod branching;
mod check;
mod choice;
mod formulas;
mod labelled;
mod safety;
mod session;
mod shorten;
pub(crate) mod symbolic;

use std::cell::OnceCell;

use evenhand_smv::{SmvModel, SmvSystem};
use evenhand_source::{Diagnostic, FileId, Files};
use evenhand_system::relation::Refusal;
use evenhand_system::{Assumption, AssumptionKind, Explicit, Fairness, Signature};

use crate::question::Wrong;

pub(crate) use check::{check, conditions, linear_question};

/// An SMV model that was read.
#[derive(Debug)]
pub struct Smv {
    /// What the front-end made of it.
    pub model: SmvModel,
    signature: Signature,
    /// The system whose states are without inputs.
    system: OnceCell<Result<SmvSystem, Refusal>>,
}

impl Smv {
    /// Reads a model.
    ///
    /// # Errors
    /// Everything that is wrong with the text; the files come back too.
    pub fn load(files: Files, main: FileId) -> Result<Smv, (Files, Vec<Diagnostic>)> {
        let model = evenhand_smv::load(files, main)?;
        let signature = Signature {
            files: model.files.clone(),
            name: model.relation.name.clone(),
            language: "smv".to_string(),
            processes: model.relation.processes.clone(),
            ..Signature::default()
        };
        Ok(Smv {
            model,
            signature,
            system: OnceCell::new(),
        })
    }

    /// What the model is about.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The system without inputs in its states.
    ///
    /// # Errors
    /// Where it cannot be explored by enumeration.
    pub fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        match self.system.get_or_init(|| self.model.system(false)) {
            Ok(system) => Ok(system),
            Err(refusal) => Err(refusal.clone()),
        }
    }

    /// Something was asked: the model knows more propositions than the system did.
    pub(crate) fn changed(&mut self) {
        self.system = OnceCell::new();
    }

    /// The fairness of the model, if it counts, and what is assumed besides.
    ///
    /// # Errors
    /// If an assumption has no meaning.
    pub fn fairness(&mut self, declared: bool, given: &[String]) -> Result<Fairness, Wrong> {
        let mut more = Vec::new();
        for text in given {
            more.push(self.assumption(text)?);
        }
        self.changed();
        let mut fairness = match declared {
            true => self.model.fairness(),
            false => Fairness::default(),
        };
        fairness.assumptions.extend(more);
        Ok(fairness)
    }

    fn assumption(&mut self, text: &str) -> Result<Assumption, Wrong> {
        let text = text.trim();
        let wrong = |message: String, help: &str| Wrong {
            files: None,
            diagnostics: vec![Diagnostic::global(message).help(help)],
        };
        let kind = match text.split_once(':') {
            Some(("just", condition)) => {
                let condition = self.model.condition(condition.trim());
                AssumptionKind::Justice(condition.map_err(Wrong::elsewhere)?)
            }
            Some(("compassion", pair)) => {
                let Some((when, then)) = split_arrow(pair) else {
                    let message = format!("`{text}` must have one `=>` between two conditions");
                    return Err(wrong(message, "write `compassion:EXPR=>EXPR`"));
                };
                let mut part = |text: &str| self.model.condition(text.trim());
                AssumptionKind::Compassion {
                    when: part(when).map_err(Wrong::elsewhere)?,
                    then: part(then).map_err(Wrong::elsewhere)?,
                }
            }
            _ => {
                let message = format!("`{text}` is no fairness assumption about an SMV model");
                let help = "fairness is stated over conditions here: `just:EXPR` or \
                            `compassion:EXPR=>EXPR`; that a process runs is the condition `NAME.running`";
                return Err(wrong(message, help));
            }
        };
        Ok(Assumption {
            text: text.to_string(),
            source: text.to_string(),
            kind,
        })
    }
}

/// Splits at the only `=>` outside of brackets.
fn split_arrow(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let (mut depth, mut arrows) = (0usize, Vec::new());
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 && bytes.get(at + 1) == Some(&b'>') => {
                let before = at.checked_sub(1).map(|b| bytes[b]);
                if !matches!(before, Some(b'<' | b'>' | b'=' | b'!')) {
                    arrows.push(at);
                }
            }
            _ => {}
        }
    }
    match arrows[..] {
        [at] => Some((&text[..at], &text[at + 2..])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::split_arrow;

    #[test]
    fn compassion_is_split_at_its_only_arrow() {
        assert_eq!(split_arrow("a = 1 => b >= 2"), Some(("a = 1 ", " b >= 2")));
        assert_eq!(split_arrow("a=>b"), Some(("a", "b")));
        assert_eq!(split_arrow("(a => b) => c"), Some(("(a => b) ", " c")));
        assert_eq!(split_arrow("a -> b"), None);
        assert_eq!(split_arrow("a => b => c"), None);
    }
}
