//! Models of all languages: how they are read, and what can be asked of them.

use std::path::{Path, PathBuf};

use evenhand_logic::Formulas;
use evenhand_promela::PromelaModel;
use evenhand_source::{Diagnostic, Files, Span};
use evenhand_system::relation::Refusal;
use evenhand_system::signature::PropertyKind;
use evenhand_system::{ClaimAutomaton, Explicit, Fairness, Groups, PropositionId, Signature};

use crate::foreign::{ForeignModel, ModelError, RustModel};
use crate::question::{Question, Wrong};
use crate::smv::Smv;

pub use crate::language::{Language, ModelText};

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The language, if the file name does not tell it.
    pub language: Option<Language>,
    /// `-D NAME[=VALUE]`.
    pub defines: Vec<(String, Option<String>)>,
    /// `-I DIR`.
    pub include_dirs: Vec<PathBuf>,
}

/// A model that was read.
#[derive(Debug)]
pub enum Model {
    /// From Promela.
    Promela(Box<PromelaModel>),
    /// From SMV.
    Smv(Box<Smv>),
    /// A type of Rust.
    Foreign(ForeignModel),
}

/// Why a model could not be read.
#[derive(Debug)]
pub struct LoadError {
    /// The files that were read.
    pub files: Files,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl LoadError {
    pub(crate) fn about(message: impl Into<String>) -> LoadError {
        LoadError {
            files: Files::new(),
            diagnostics: vec![Diagnostic::global(message)],
        }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> LoadError {
        if let Some(last) = self.diagnostics.last_mut() {
            last.help = Some(help.into());
        }
        self
    }
}

impl Model {
    /// Reads a model from a file; `-` is standard input.
    ///
    /// # Errors
    /// If the file cannot be read or what it says has no meaning.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Model, LoadError> {
        let text = ModelText::read(path, options)?;
        Model::parse(&text.name, text.text, text.language, options)
    }

    /// Reads a model from text.
    ///
    /// # Errors
    /// If it has no meaning.
    pub fn parse(
        name: &str,
        text: String,
        language: Language,
        options: &LoadOptions,
    ) -> Result<Model, LoadError> {
        let mut files = Files::new();
        let main = files.add(name, text);
        match language {
            Language::Hoa => Err(LoadError::about(format!(
                "`{name}` is an omega-automaton, not a model"
            ))
            .with_help(
                "`evenhand check` and `evenhand empty` find out whether it accepts anything",
            )),
            Language::Promela => {
                let promela = evenhand_promela::Options {
                    defines: options.defines.clone(),
                    include_dirs: options.include_dirs.clone(),
                };
                match evenhand_promela::load(files, main, &promela) {
                    Ok(model) => Ok(Model::Promela(Box::new(model))),
                    Err((files, diagnostics)) => Err(LoadError { files, diagnostics }),
                }
            }
            Language::Smv => match Smv::load(files, main) {
                Ok(model) => Ok(Model::Smv(Box::new(model))),
                Err((files, diagnostics)) => Err(LoadError { files, diagnostics }),
            },
        }
    }

    /// A model that is written in Rust.
    ///
    /// # Errors
    /// Where its processes or actions cannot be numbered.
    pub fn of_rust<M: RustModel + Sync + 'static>(model: M) -> Result<Model, ModelError> {
        ForeignModel::new(model).map(Model::Foreign)
    }

    /// The system as the explicit engines see it.
    ///
    /// # Errors
    /// Where it cannot be explored state by state.
    pub fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        match self {
            Model::Promela(model) => Ok(&model.program),
            Model::Smv(smv) => smv.explicit(),
            Model::Foreign(model) => Ok(model.explicit()),
        }
    }

    /// The model by its transition groups, where it has some.
    pub(crate) fn groups(&self) -> Option<&dyn Groups> {
        match self {
            Model::Promela(model) => Some(&model.program),
            Model::Foreign(model) => Some(model.groups()),
            Model::Smv(_) => None,
        }
    }

    /// The temporal question that a property of the model asks; none if it is no temporal one.
    ///
    /// # Errors
    /// If the property has no meaning.
    pub fn question(&mut self, name: &str) -> Result<Option<Question>, Wrong> {
        let properties = &self.signature().properties;
        let Some(property) = properties.iter().find(|p| p.name == name).cloned() else {
            return Ok(None);
        };
        let model = match (self, &property.kind) {
            (Model::Promela(model), _) => model,
            (Model::Foreign(model), PropertyKind::Ltl(text)) => {
                let (store, formula, atoms) = model.formula(text)?;
                let question = Question::of_formula(name, text.clone(), store, formula, atoms);
                return Ok(Some(question));
            }
            _ => return Ok(None),
        };
        match property.kind {
            PropertyKind::Ltl(text) => {
                let index = model.formulas.iter().position(|f| f.name == name);
                let mut store = Formulas::new();
                Ok(index.map(|index| {
                    let (formula, atoms) = model.ltl(index, &mut store);
                    Question::of_formula(name, text, store, formula, atoms)
                }))
            }
            PropertyKind::Never => match model.never() {
                None => Ok(None),
                Some(Ok(claim)) => {
                    let names = claim.propositions.iter();
                    let names = names.map(|&p| model.program.proposition(p).to_string());
                    let names = names.collect();
                    Ok(Some(Question::of_claim(name, "never", &claim, names)))
                }
                Some(Err(diagnostic)) => Err(Wrong {
                    files: None,
                    diagnostics: vec![diagnostic],
                }),
            },
            PropertyKind::Trace => Ok(None),
        }
    }

    /// The question whether a formula of linear time holds.
    ///
    /// # Errors
    /// If the formula has no meaning.
    pub fn formula_question(&mut self, name: &str, text: &str) -> Result<Question, Wrong> {
        let (store, formula, atoms) = match self {
            Model::Promela(model) => {
                let mut store = Formulas::new();
                let parsed = model.parse_ltl(text, &mut store);
                let (formula, atoms) = parsed.map_err(Wrong::elsewhere)?;
                (store, formula, atoms)
            }
            Model::Smv(smv) => {
                let at = smv.model.ask(name, evenhand_smv::Asked::Ltl, text);
                let at = at.map_err(Wrong::elsewhere)?;
                smv.changed();
                let formula = smv.model.properties[at].formula;
                let store = smv.model.formulas.clone();
                (store, formula, smv.model.propositions.clone())
            }
            Model::Foreign(model) => model.formula(text)?,
        };
        let text = text.to_string();
        Ok(Question::of_formula(name, text, store, formula, atoms))
    }

    /// The question whether a formula of CTL* holds; of SMV models such questions are asked otherwise.
    ///
    /// # Errors
    /// If the formula has no meaning.
    pub(crate) fn branching_question(&mut self, name: &str, text: &str) -> Result<Question, Wrong> {
        let (store, formula, atoms) = match self {
            Model::Promela(model) => {
                let mut store = Formulas::new();
                let parsed = model.parse_ctl_star(text, &mut store);
                let (formula, atoms) = parsed.map_err(Wrong::elsewhere)?;
                (store, formula, atoms)
            }
            Model::Smv(smv) => {
                let at = smv.model.ask(name, evenhand_smv::Asked::Ctl, text);
                let at = at.map_err(Wrong::elsewhere)?;
                smv.changed();
                let formula = smv.model.properties[at].formula;
                let store = smv.model.formulas.clone();
                (store, formula, smv.model.propositions.clone())
            }
            Model::Foreign(model) => model.branching_formula(text)?,
        };
        let text = text.to_string();
        Ok(Question::of_branching(name, text, store, formula, atoms))
    }

    /// A proposition from an expression of the model's language.
    ///
    /// # Errors
    /// If the expression has no meaning.
    pub fn state_expression(&mut self, text: &str) -> Result<PropositionId, Wrong> {
        match self {
            Model::Promela(model) => model.state_expression(text).map_err(Wrong::elsewhere),
            Model::Smv(smv) => {
                smv.changed();
                smv.model.condition(text).map_err(Wrong::elsewhere)
            }
            Model::Foreign(model) => model.proposition(text),
        }
    }

    /// The claim that some process is at an `accept` label again and again, where there are labels.
    pub fn acceptance(&mut self) -> Option<ClaimAutomaton> {
        match self {
            Model::Promela(model) => Some(model.acceptance()),
            Model::Smv(_) | Model::Foreign(_) => None,
        }
    }

    /// The claim that from some point on no process is at a `progress` label, where there are labels.
    pub fn progress(&mut self) -> Option<ClaimAutomaton> {
        match self {
            Model::Promela(model) => Some(model.progress()),
            Model::Smv(_) | Model::Foreign(_) => None,
        }
    }

    /// How many processes there are at most, and whether that is certain.
    pub fn pid_bound(&self) -> (usize, bool) {
        match self {
            Model::Promela(model) => model.pid_bound(),
            Model::Smv(_) => (0, true),
            Model::Foreign(model) => (model.signature().processes.len(), true),
        }
    }

    /// Fairness assumptions from their texts; of an SMV model its own come first.
    ///
    /// # Errors
    /// If one has no meaning.
    pub fn fairness(
        &mut self,
        specifications: &[(String, Option<Span>)],
        pid_bound: usize,
    ) -> Result<Fairness, Wrong> {
        match self {
            Model::Promela(model) => model
                .fairness(specifications, pid_bound)
                .map_err(Wrong::elsewhere),
            Model::Smv(smv) => {
                let given: Vec<String> = specifications.iter().map(|(t, _)| t.clone()).collect();
                smv.fairness(true, &given)
            }
            Model::Foreign(model) => {
                model.fairness(specifications.iter().map(|(text, _)| text.as_str()))
            }
        }
    }

    /// Its signature.
    pub fn signature(&self) -> &Signature {
        match self {
            Model::Promela(model) => model.program.signature(),
            Model::Smv(smv) => smv.signature(),
            Model::Foreign(model) => model.signature(),
        }
    }

    /// Warnings about the text.
    pub fn warnings(&self) -> &[Diagnostic] {
        match self {
            Model::Promela(model) => &model.warnings,
            Model::Smv(smv) => &smv.model.warnings,
            Model::Foreign(_) => &[],
        }
    }
}
