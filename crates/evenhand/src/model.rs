//! Models: which language a file is in, and how it is read.

use std::io::Read;
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

/// A modelling language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The language of SPIN.
    Promela,
    /// The language of NuSMV.
    Smv,
    /// The Hanoi format of omega-automata: no model, but its emptiness can be checked.
    Hoa,
}

impl Language {
    /// The language that a file name tells.
    pub fn of_path(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?;
        let promela = ["pml", "pm", "prm", "pr", "prom", "promela", "spin"];
        match extension {
            "smv" => Some(Language::Smv),
            "hoa" => Some(Language::Hoa),
            _ => promela.contains(&extension).then_some(Language::Promela),
        }
    }

    /// The language with that name.
    pub fn of_name(name: &str) -> Option<Language> {
        let all = [Language::Promela, Language::Smv, Language::Hoa];
        all.into_iter().find(|language| language.name() == name)
    }

    /// The language that a text is in, where no name tells it: an automaton begins with `HOA:`, SMV with a
    /// module or with one of its comments, and everything else is Promela.
    pub fn of_text(text: &str) -> Language {
        let mut rest = text.trim_start_matches('\u{feff}').trim_start();
        loop {
            let end = match rest.as_bytes() {
                [b'-', b'-', ..] | [b'/', b'-', b'-', ..] => return Language::Smv,
                [b'/', b'*', ..] => rest[2..].find("*/").map(|at| at + 4),
                [b'/', b'/', ..] | [b'#', ..] => rest.find('\n'),
                _ => break,
            };
            match end {
                Some(end) => rest = rest[end..].trim_start(),
                None => return Language::Promela,
            }
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (word, behind) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        match word {
            "HOA" if behind.starts_with(':') => Language::Hoa,
            "MODULE" => Language::Smv,
            _ => Language::Promela,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::Promela => "promela",
            Language::Smv => "smv",
            Language::Hoa => "hoa",
        }
    }
}

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
    fn about(message: impl Into<String>) -> LoadError {
        LoadError {
            files: Files::new(),
            diagnostics: vec![Diagnostic::global(message)],
        }
    }

    fn with_help(mut self, help: impl Into<String>) -> LoadError {
        if let Some(last) = self.diagnostics.last_mut() {
            last.help = Some(help.into());
        }
        self
    }
}

/// The text of a model that was not yet understood.
#[derive(Clone, Debug)]
pub struct ModelText {
    /// How people call it: the name of its file.
    pub name: String,
    /// The text.
    pub text: String,
    /// The language it is in.
    pub language: Language,
}

impl ModelText {
    /// Reads a text from a file; `-` is standard input. The language is the one of the options, else
    /// the one that the name of the file tells, else, of standard input, the one that the text looks like.
    ///
    /// # Errors
    /// If the file cannot be read, or its language is not known.
    pub fn read(path: &Path, options: &LoadOptions) -> Result<ModelText, LoadError> {
        let name = path.display().to_string();
        let is_input = name == "-";
        if !is_input && path.is_dir() {
            let message = format!("`{name}` is a directory, not a model");
            return Err(LoadError::about(message).with_help(in_directory(path)));
        }
        if !is_input && matches!(path.try_exists(), Ok(false)) {
            let error = LoadError::about(format!("there is no file `{name}`"));
            return Err(match neighbour(path) {
                Some(near) => error.with_help(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        let language = options.language.or_else(|| Language::of_path(path));
        if language.is_none() && !is_input {
            return Err(
                LoadError::about(format!("the language of `{name}` is unknown")).with_help(
                    "say it with `--lang promela` or `--lang smv`, or use a file name such as `model.pml`",
                ),
            );
        }
        let mut bytes = Vec::new();
        let read = if is_input {
            std::io::stdin().read_to_end(&mut bytes).map(|_| ())
        } else {
            std::fs::read(path).map(|content| bytes = content)
        };
        if let Err(error) = read {
            return Err(LoadError::about(format!("cannot read `{name}`: {error}")));
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(ModelText {
            name: if is_input {
                "standard input".to_string()
            } else {
                name
            },
            language: language.unwrap_or_else(|| Language::of_text(&text)),
            text,
        })
    }
}

/// The models in a directory, by name.
fn models_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut models: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(|path| Language::of_path(path).is_some() && path.is_file())
        .map(|path| path.display().to_string())
        .collect();
    models.sort();
    models
}

/// A model whose name is nearly that of a file that does not exist: beside it, with a slip or without its
/// ending.
fn neighbour(path: &Path) -> Option<String> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let name = path.display().to_string();
    let models = match parent.as_os_str().is_empty() {
        true => models_in(Path::new("."))
            .into_iter()
            .map(|model| model.trim_start_matches("./").to_string())
            .collect(),
        false => models_in(parent),
    };
    let without_ending = |model: &&String| Path::new(model).with_extension("") == path;
    let near = models.iter().find(without_ending).map(String::as_str);
    near.or_else(|| evenhand_source::nearest(&name, models.iter().map(String::as_str)))
        .map(str::to_string)
}

/// What to check instead of a directory: the models in it.
fn in_directory(path: &Path) -> String {
    let models = models_in(path);
    match models.as_slice() {
        [] => "give the name of a file: a model in Promela (`.pml`) or SMV (`.smv`)".to_string(),
        [only] => format!("it has one model: `{only}`"),
        [first, .., last] if models.len() > 3 => {
            let count = models.len();
            format!("give one of the {count} models in it: `{first}`, …, `{last}`")
        }
        some => format!("give one of the models in it: `{}`", some.join("`, `")),
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
    pub fn of_rust<M: RustModel + 'static>(model: M) -> Result<Model, ModelError> {
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
            Model::Smv(_) | Model::Foreign(_) => None,
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

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn languages_of_texts() {
        let promela = [
            "",
            "active proctype p() { skip }",
            "/* MODULE */ byte MODULEs;",
            "#define N 3\nbyte x",
        ];
        let open = [
            "/* never closed MODULE",
            "// MODULE main",
            "HOA",
            "MODULES",
            "/",
            "#",
            "é",
        ];
        for text in promela.iter().chain(&open) {
            assert_eq!(Language::of_text(text), Language::Promela, "{text}");
        }
        let smv = [
            "MODULE main",
            "-- note\nMODULE main",
            "/-- note --/ MODULE m(x)",
            "  \n#line 1\nMODULE main",
            "-- only a note",
            "\u{feff}MODULE main",
        ];
        for text in smv {
            assert_eq!(Language::of_text(text), Language::Smv, "{text}");
        }
        for text in ["HOA: v1", "/* note */ HOA:v1"] {
            assert_eq!(Language::of_text(text), Language::Hoa, "{text}");
        }
    }
}
