//! Which language a model is in: told by the options, by the name of its file, or by its text.

use std::io::Read;
use std::path::Path;

use crate::model::{LoadError, LoadOptions};

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
