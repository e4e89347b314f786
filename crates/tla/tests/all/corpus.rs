//! Public specifications in `../shared/corpora/tla`; where they are missing the tests are skipped with a message.

use std::path::{Path, PathBuf};

use evenhand_source::{Diagnostic, FileId, Files};
use evenhand_tla::names::Names;
use evenhand_tla::standard;
use evenhand_tla::syntax::check::{Standard, check};
use evenhand_tla::syntax::load::{LoadOptions, Sources, load};
use evenhand_tla::syntax::token::TokenKind;
use evenhand_tla::syntax::{config, lexer, parser};

use crate::show::units;

/// The folder of the corpus.
pub fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/tla");
    let found = folder.is_dir().then_some(folder);
    if found.is_none() {
        println!("skipped: no corpus of specifications beside the repository");
    }
    found
}

/// All files below a folder with an extension, in order.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

/// A problem as people read it.
pub fn told(files: &Files, problem: &Diagnostic) -> String {
    let place = problem.span.map(|span| {
        let name = &files.get(span.file).name;
        format!("{name}:{}: ", files.position(span))
    });
    format!("{}{}", place.unwrap_or_default(), problem.message)
}

#[test]
fn every_module_is_read() {
    let Some(folder) = corpus() else { return };
    let mut wrong = Vec::new();
    let paths = files(&folder, "tla");
    for path in &paths {
        let bytes = std::fs::read(path).expect("a file");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut files = Files::new();
        let id = files.add(path.display().to_string(), text);
        let read = parser::module(&files, id, 0, &mut Names::new());
        match read {
            None => wrong.push(format!("{}: no module", path.display())),
            Some(read) => wrong.extend(read.problems.iter().map(|problem| told(&files, problem))),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} files:\n{}",
        wrong.len(),
        paths.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_configuration_is_read() {
    let Some(folder) = corpus() else { return };
    let mut wrong = Vec::new();
    for path in files(&folder, "cfg") {
        let bytes = std::fs::read(&path).expect("a file");
        let mut files = Files::new();
        let id = files.add(
            path.display().to_string(),
            String::from_utf8_lossy(&bytes).into_owned(),
        );
        if let Err(problems) = config::configuration(&files, id, &mut Names::new()) {
            wrong.extend(problems.iter().map(|problem| told(&files, problem)));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is built in.
pub struct BuiltIn;

impl Standard for BuiltIn {
    fn operators(&self, module: &str) -> Option<Vec<(&'static str, &'static [u8])>> {
        let module = standard::module(module)?;
        let operators = module.operators.iter();
        Some(
            operators
                .map(|operator| (operator.name, operator.params))
                .collect(),
        )
    }

    fn extends(&self, module: &str) -> &'static [&'static str] {
        standard::module(module).map_or(&[], |module| module.extends)
    }
}

/// TLC has a module of its own for counting, of which nothing is known here.
fn is_standard(name: &str) -> bool {
    standard::module(name).is_some() || name == "_Possible"
}

/// Reads a specification with all modules that it needs.
pub fn load_file(path: &Path, config: Option<&Path>) -> Result<Sources, (Files, Vec<Diagnostic>)> {
    let read = |path: &Path| {
        let bytes = std::fs::read(path).expect("a file");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let mut files = Files::new();
    let main = files.add(path.display().to_string(), read(path));
    let config = config.filter(|config| {
        config
            .extension()
            .is_some_and(|extension| extension == "cfg")
    });
    let options = LoadOptions {
        configuration: config.map(|path| (path.display().to_string(), read(path))),
        include_dirs: Vec::new(),
        folder: path.parent().map(Path::to_path_buf),
        confined: false,
        most_bytes: None,
        standard: &is_standard,
    };
    load(files, main, &options)
}

/// The rows of the table of expected answers.
pub fn rows(folder: &Path, file: &str) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(folder.join(file)).expect("a table");
    let rows = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"));
    rows.collect()
}

#[test]
fn specifications_are_accepted_and_refused_as_by_sany() {
    let Some(folder) = corpus() else { return };
    let mut wrong = Vec::new();
    let rows = rows(&folder, "expected.jsonl");
    for row in &rows {
        let path = |key: &str| folder.join(row[key].as_str().expect("a path"));
        let refused = row["error"]
            .to_string()
            .contains("Parsing or semantic analysis failed");
        let problems = match load_file(&path("file"), Some(&path("cfg"))) {
            Ok(sources) => {
                if sources.configuration.is_none() {
                    wrong.push(format!("{}: no configuration", row["file"]));
                }
                let problems = check(&sources, &BuiltIn);
                problems
                    .iter()
                    .map(|problem| told(&sources.files, problem))
                    .collect()
            }
            Err((files, problems)) => problems
                .iter()
                .map(|problem| told(&files, problem))
                .collect::<Vec<_>>(),
        };
        match (refused, problems.first()) {
            (false, Some(problem)) => wrong.push(problem.clone()),
            (true, None) => wrong.push(format!("{}: accepted", row["file"])),
            _ => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

/// What SANY refuses, of all files.
const REFUSED: [&str; 6] = [
    "etest1", "etest2", "test210", "test213", "test215", "test217",
];

#[test]
fn all_other_files_are_accepted() {
    let Some(folder) = corpus() else { return };
    let mut refused = Vec::new();
    let mut told_first = String::new();
    for path in files(&folder, "tla") {
        let problems = match load_file(&path, None) {
            Ok(sources) => check(&sources, &BuiltIn),
            Err((_, problems)) => problems,
        };
        if let Some(problem) = problems.first() {
            told_first += &format!("{}: {}\n", path.display(), problem.message);
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            refused.push(stem.unwrap_or_default().to_string());
        }
    }
    assert_eq!(refused, REFUSED, "{told_first}");
}

/// The spelling of a token in Unicode, if it has one.
fn unicode(kind: TokenKind, text: &str) -> Option<&'static str> {
    Some(match kind {
        TokenKind::Operator(id) => {
            let other = id.operator().other.iter();
            other.copied().find(|other| !other.is_ascii())?
        }
        TokenKind::Keyword(_) if matches!(text, "\\A" | "\\forall") => "∀",
        TokenKind::Keyword(_) if matches!(text, "\\E" | "\\exists") => "∃",
        TokenKind::Define => "≜",
        TokenKind::DoubleColon => "∷",
        TokenKind::LeftAngle => "⟨",
        TokenKind::RightAngle => "⟩",
        TokenKind::RightAngleSub => "⟩_",
        TokenKind::Arrow => "→",
        TokenKind::Substitute => "←",
        TokenKind::MapsTo => "↦",
        _ => return None,
    })
}

#[test]
fn unicode_spellings_make_the_same_trees() {
    let Some(folder) = corpus() else { return };
    let mut replaced = 0;
    for path in files(&folder, "tla") {
        let bytes = std::fs::read(&path).expect("a file");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some(lexed) = lexer::module(&text, FileId(0), 0) else {
            continue;
        };
        let mut other = text.clone();
        for token in lexed.tokens.iter().rev() {
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            if let Some(spelling) = unicode(token.kind, &text[start..end]) {
                // Blanks keep the columns.
                let blanks = " ".repeat(end - start - spelling.chars().count());
                other.replace_range(start..end, &format!("{spelling}{blanks}"));
                replaced += 1;
            }
        }
        assert_eq!(units(&other), units(&text), "{}", path.display());
    }
    assert!(replaced > 50_000, "{replaced}");
}
