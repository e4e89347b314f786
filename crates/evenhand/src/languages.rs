//! The languages that are known: their registration, and how a text tells which one it is in.

use std::path::Path;

use evenhand_petri::{Maria, Pnml};
use evenhand_promela::Promela;
use evenhand_smv::Smv;
use evenhand_source::{Diagnostic, FileId, Files};
use evenhand_system::specification::first_word;
use evenhand_system::{Content, Language, ReadOptions, Rejected, Specification};
use evenhand_tla::Tla;

/// All languages; the last one is that of texts that look like nothing else.
static LANGUAGES: [&dyn Language; 6] = [&Hoa, &Maria, &Pnml, &Tla, &Smv, &Promela];

/// The languages that are known.
pub fn languages() -> &'static [&'static dyn Language] {
    &LANGUAGES
}

/// The language with that name.
pub fn language(name: &str) -> Option<&'static dyn Language> {
    languages().iter().copied().find(|l| l.name() == name)
}

/// The language that a file name tells.
pub fn language_of_path(path: &Path) -> Option<&'static dyn Language> {
    let extension = path.extension()?.to_str()?;
    let mut all = languages().iter().copied();
    all.find(|language| language.extensions().contains(&extension))
}

/// The language that a text is in, where no name tells it.
pub fn language_of_text(text: &str) -> &'static dyn Language {
    let mut all = languages().iter().copied();
    all.find(|language| language.looks_like(text))
        .unwrap_or(&Promela)
}

/// The Hanoi format of omega-automata: no model, but whether it accepts anything can be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hoa;

impl Language for Hoa {
    fn name(&self) -> &'static str {
        "hoa"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["hoa"]
    }

    fn looks_like(&self, text: &str) -> bool {
        matches!(first_word(text), ("HOA", rest) if rest.starts_with(':'))
    }

    fn content(&self) -> Content {
        Content::Automata
    }

    fn read(
        &self,
        files: Files,
        main: FileId,
        _: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        let name = &files.get(main).name;
        let message = format!("`{name}` is an omega-automaton, not a model");
        let help = "`evenhand check` and `evenhand empty` find out whether it accepts anything";
        Err(Rejected::about(Diagnostic::global(message).help(help)))
    }
}

#[cfg(test)]
mod tests {
    use super::language_of_text;

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
            assert_eq!(language_of_text(text).name(), "promela", "{text}");
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
            assert_eq!(language_of_text(text).name(), "smv", "{text}");
        }
        for text in ["<?xml version=\"1.0\"?>", " <pnml/>"] {
            assert_eq!(language_of_text(text).name(), "pnml", "{text}");
        }
        for text in ["place p bool;", "// net\n#ifdef X\ntrans t;"] {
            assert_eq!(language_of_text(text).name(), "maria", "{text}");
        }
        for text in ["HOA: v1", "/* note */ HOA:v1"] {
            assert_eq!(language_of_text(text).name(), "hoa", "{text}");
        }
    }
}
