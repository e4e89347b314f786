//! Models: which language a file is in, and how it is read.

use std::io::Read;
use std::path::{Path, PathBuf};

use evenhand_promela::PromelaModel;
use evenhand_source::{Diagnostic, Files};
use evenhand_system::{Explicit, Signature};

/// A modelling language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The language of SPIN.
    Promela,
}

impl Language {
    /// The language that a file name tells.
    pub fn of_path(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?;
        let promela = ["pml", "pm", "prm", "pr", "prom", "promela", "spin"];
        promela.contains(&extension).then_some(Language::Promela)
    }

    /// The language with that name.
    pub fn of_name(name: &str) -> Option<Language> {
        (name == "promela").then_some(Language::Promela)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::Promela => "promela",
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

impl Model {
    /// Reads a model from a file; `-` is standard input.
    ///
    /// # Errors
    /// If the file cannot be read or what it says has no meaning.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Model, LoadError> {
        let name = path.display().to_string();
        let is_input = name == "-";
        let language = options.language.or_else(|| Language::of_path(path));
        // Standard input has no name to tell; Promela is what is read.
        let language = language.or(is_input.then_some(Language::Promela));
        let Some(language) = language else {
            return Err(
                LoadError::about(format!("the language of `{name}` is unknown")).with_help(
                    "say it with `--lang promela`, or use a file name such as `model.pml`",
                ),
            );
        };
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
        Model::parse(
            if is_input { "standard input" } else { &name },
            text,
            language,
            options,
        )
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
        }
    }

    /// The system as the explicit engines see it.
    pub fn explicit(&self) -> &dyn Explicit {
        match self {
            Model::Promela(model) => &model.program,
        }
    }

    /// Its signature.
    pub fn signature(&self) -> &Signature {
        self.explicit().signature()
    }

    /// Warnings about the text.
    pub fn warnings(&self) -> &[Diagnostic] {
        match self {
            Model::Promela(model) => &model.warnings,
        }
    }
}
