//! Where modules are found: built in, beside the specification, in the folders of the call, behind the main module.
//!
//! The modules of the language itself are always the built-in ones. Of other modules a file comes first, since people
//! keep their own versions of them beside a specification.

use std::io;
use std::path::PathBuf;

use evenhand_source::{Diagnostic, FileId, Files, MOST_BYTES, Span, is_below, nearest, read_file};

use super::config::titled;
use super::load::LoadOptions;

/// Where a module was found.
pub(super) enum Found {
    /// It is built in.
    BuiltIn,
    /// In a file, from an offset on.
    Text(FileId, usize),
}

/// The modules of the language itself.
const LANGUAGE: [&str; 7] = [
    "Naturals",
    "Integers",
    "Reals",
    "Sequences",
    "FiniteSets",
    "Bags",
    "TLC",
];

pub(super) struct Search<'o> {
    options: &'o LoadOptions<'o>,
    main: FileId,
}

impl<'o> Search<'o> {
    pub fn new(options: &'o LoadOptions<'o>, main: FileId) -> Search<'o> {
        Search { options, main }
    }

    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.options.folder.iter().chain(&self.options.include_dirs)
    }

    /// Finds a module that is named at a place.
    pub fn find(&self, files: &mut Files, name: &str, span: Span) -> Result<Found, Diagnostic> {
        let built_in = (self.options.standard)(name);
        if built_in && LANGUAGE.contains(&name) {
            return Ok(Found::BuiltIn);
        }
        for folder in self.folders() {
            let place = folder.join(format!("{name}.tla"));
            if self.options.confined && !self.folders().any(|folder| is_below(&place, folder)) {
                // Whether there is such a file is nobody's business then.
                let message =
                    format!("the module `{name}` is outside of the folder of the specification");
                return Err(Diagnostic::error(span, message));
            }
            match read_file(&place, self.options.most_bytes.unwrap_or(MOST_BYTES)) {
                Ok(text) => {
                    return Ok(Found::Text(files.add(place.display().to_string(), text), 0));
                }
                Err(error) => match io::Error::from(error) {
                    error if error.kind() == io::ErrorKind::NotFound => {}
                    error => {
                        let message = format!("the module `{name}` cannot be read: {error}");
                        return Err(Diagnostic::error(span, message));
                    }
                },
            }
        }
        if built_in {
            return Ok(Found::BuiltIn);
        }
        if let Some(from) = behind(&files.get(self.main).text, name) {
            return Ok(Found::Text(self.main, from));
        }
        Err(self.missing(name, span))
    }

    fn missing(&self, name: &str, span: Span) -> Diagnostic {
        let places: Vec<String> = self
            .folders()
            .map(|folder| match folder.as_os_str().is_empty() {
                true => "the current folder".to_string(),
                false => folder.display().to_string(),
            })
            .collect();
        let mut near = Vec::new();
        for folder in self.folders() {
            let folder = if folder.as_os_str().is_empty() {
                PathBuf::from(".")
            } else {
                folder.clone()
            };
            for entry in std::fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .take(1000)
            {
                let file = entry.file_name();
                near.extend(
                    file.to_str()
                        .and_then(|file| file.strip_suffix(".tla"))
                        .map(str::to_string),
                );
            }
        }
        near.sort();
        near.extend(super::order::built_in_names().map(str::to_string));
        let names = near.iter().map(String::as_str);
        let help = match nearest(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None if places.is_empty() => {
                "it is not built in, and there is no folder to look in".to_string()
            }
            None => format!(
                "it is not built in; looked for {name}.tla in {}",
                places.join(" and ")
            ),
        };
        Diagnostic::error(span, format!("there is no module `{name}`")).help(help)
    }
}

/// Where a module of a name begins in a text with several modules.
fn behind(text: &str, name: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if titled(line, "MODULE", name) {
            return Some(at);
        }
        at += line.len();
    }
    None
}
