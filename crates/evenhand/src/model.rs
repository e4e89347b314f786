//! Models: read from files and texts of any language, or written in Rust.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use evenhand_source::{Budget, Diagnostic, Exhausted, Files, MOST_BYTES, nearest, read_file};
use evenhand_system::model::{Model as RustModel, ModelError};
use evenhand_system::{
    Body, Language, ReadOptions, Rejected, RustSpecification, Signature, Specification,
};

use crate::languages::{language_of_path, languages};

/// A model. Copies share what was read; nothing changes by being asked.
#[derive(Clone)]
pub struct Model(Arc<dyn Specification>);

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({:?})", self.signature().name)
    }
}

impl Model {
    /// Reads a model from a file, whose name tells the language.
    ///
    /// # Errors
    /// If the file cannot be read, its language is not known, or what it says has no meaning.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, LoadError> {
        Model::load_with(path, &LoadOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Model, LoadError> {
        let text = ModelText::read(path.as_ref(), options)?;
        Model::parse_with(&text.name, text.text, text.language, options)
    }

    /// Reads a model from text.
    ///
    /// # Errors
    /// If it has no meaning.
    pub fn parse(
        name: &str,
        text: impl Into<String>,
        language: &dyn Language,
    ) -> Result<Model, LoadError> {
        Model::parse_with(name, text, language, &LoadOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Model::parse`].
    pub fn parse_with(
        name: &str,
        text: impl Into<String>,
        language: &dyn Language,
        options: &LoadOptions,
    ) -> Result<Model, LoadError> {
        let text = text.into();
        let specification = options.budget.run(|| {
            let mut files = Files::new();
            let main = files.add(name, text);
            language.read(files, main, &options.read)
        });
        match specification {
            Ok(read) => Ok(Model(read?.into())),
            Err(why) => Err(LoadError::Exhausted(why)),
        }
    }

    /// A model that is written in Rust.
    ///
    /// # Errors
    /// Where its processes or actions cannot be numbered.
    pub fn of_rust<M: RustModel + 'static>(model: M) -> Result<Model, ModelError> {
        RustSpecification::new(model).map(Model::of)
    }

    /// A model that a front-end of one's own has made.
    pub fn of(specification: impl Specification + 'static) -> Model {
        Model(Arc::new(specification))
    }

    /// What the front-end made of it.
    pub fn specification(&self) -> &dyn Specification {
        &*self.0
    }

    /// The system without any question.
    pub fn body(&self) -> &dyn Body {
        self.0.body()
    }

    /// What it is about.
    pub fn signature(&self) -> &Signature {
        self.0.signature()
    }

    /// Warnings about the text.
    pub fn warnings(&self) -> &[Diagnostic] {
        self.0.warnings()
    }
}

/// How a model is read.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct LoadOptions {
    /// The language, if the file name does not tell it.
    pub language: Option<&'static dyn Language>,
    /// What the language takes.
    pub read: ReadOptions,
    /// What reading may cost.
    pub budget: Budget,
}

impl fmt::Debug for LoadOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadOptions")
            .field("language", &self.language.map(|language| language.name()))
            .field("read", &self.read)
            .finish()
    }
}

impl LoadOptions {
    /// The default: the file name tells the language.
    pub fn new() -> LoadOptions {
        LoadOptions::default()
    }

    /// In this language, whatever the file is called.
    #[must_use]
    pub fn language(mut self, language: &'static dyn Language) -> LoadOptions {
        self.language = Some(language);
        self
    }

    /// With a macro for the preprocessor.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>, value: Option<String>) -> LoadOptions {
        self.read.defines.push((name.into(), value));
        self
    }

    /// With another folder for included files.
    #[must_use]
    pub fn include_dir(mut self, path: impl AsRef<Path>) -> LoadOptions {
        self.read.include_dirs.push(path.as_ref().to_path_buf());
        self
    }

    /// Without included files elsewhere than under the folder of the model or those for included files.
    #[must_use]
    pub fn confined(mut self) -> LoadOptions {
        self.read.confined = true;
        self
    }

    /// With files of at most so many bytes.
    #[must_use]
    pub fn most_bytes(mut self, bytes: u64) -> LoadOptions {
        self.read.most_bytes = Some(bytes);
        self
    }
}

/// Why a model could not be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file; perhaps one of nearly the same name.
    NoFile {
        /// The name.
        name: String,
        /// A model whose name is nearly that.
        near: Option<String>,
    },
    /// It is a directory: with these models in it.
    Directory {
        /// The name.
        name: String,
        /// The models, by name.
        models: Vec<String>,
    },
    /// The file name tells no language.
    UnknownLanguage(String),
    /// The file cannot be read.
    Unreadable {
        /// The name.
        name: String,
        /// Why, in words.
        error: String,
    },
    /// A limit was reached before it was read.
    Exhausted(Exhausted),
    /// What it says has no meaning.
    Rejected(Rejected),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::NoFile { name, .. } => write!(f, "there is no file `{name}`"),
            LoadError::Directory { name, .. } => {
                write!(f, "`{name}` is a directory, not a model")
            }
            LoadError::UnknownLanguage(name) => write!(f, "the language of `{name}` is unknown"),
            LoadError::Unreadable { name, error } => write!(f, "cannot read `{name}`: {error}"),
            LoadError::Exhausted(why) => write!(f, "{why} while the model was read"),
            LoadError::Rejected(rejected) => rejected.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<Rejected> for LoadError {
    fn from(rejected: Rejected) -> LoadError {
        LoadError::Rejected(rejected)
    }
}

/// The text of a model that was not yet understood.
#[derive(Clone)]
pub struct ModelText {
    /// How people call it: the name of its file.
    pub name: String,
    /// The text.
    pub text: String,
    /// The language it is in.
    pub language: &'static dyn Language,
}

impl ModelText {
    /// Reads a text from a file. The language is the one of the options, else the one that the name of
    /// the file tells.
    ///
    /// # Errors
    /// If the file cannot be read, or its language is not known.
    pub fn read(path: &Path, options: &LoadOptions) -> Result<ModelText, LoadError> {
        let name = path.display().to_string();
        if path.is_dir() {
            let models = models_in(path);
            return Err(LoadError::Directory { name, models });
        }
        if matches!(path.try_exists(), Ok(false)) {
            let near = neighbour(path);
            return Err(LoadError::NoFile { name, near });
        }
        let language = options.language.or_else(|| language_of_path(path));
        let Some(language) = language else {
            return Err(LoadError::UnknownLanguage(name));
        };
        match read_file(path, options.read.most_bytes.unwrap_or(MOST_BYTES)) {
            Ok(text) => Ok(ModelText {
                name,
                text,
                language,
            }),
            Err(error) => Err(LoadError::Unreadable {
                name,
                error: error.to_string(),
            }),
        }
    }
}

impl fmt::Debug for ModelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelText")
            .field("name", &self.name)
            .field("language", &self.language.name())
            .field("text", &self.text)
            .finish()
    }
}

/// The models in a directory, by name.
fn models_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_model = |path: &Path| {
        let extension = path.extension().and_then(|e| e.to_str());
        let mut all = languages().iter().flat_map(|l| l.extensions());
        path.is_file() && extension.is_some_and(|e| all.any(|known| *known == e))
    };
    let mut models: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(|path| is_model(path))
        .map(|path| path.display().to_string())
        .collect();
    models.sort();
    models
}

/// A model whose name is nearly that of a file that does not exist: beside it, with a slip or without
/// its ending.
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
    near.or_else(|| nearest(&name, models.iter().map(String::as_str)))
        .map(str::to_string)
}
