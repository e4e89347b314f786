//! What a front-end is: text goes in, a system with questions about it comes out.
//!
//! A [`Language`] reads a text into a [`Specification`]. What is asked of it is one [`Request`]: names
//! of properties, texts of formulas, expressions and fairness assumptions. The specification resolves
//! it at once into an [`Inquiry`]: a body, the questions over its propositions, and what fairness
//! texts mean there. Nothing changes by being asked, so there is no order of calls to remember, and
//! several inquiries may be under way at the same time.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use evenhand_source::{Diagnostic, FileId, Files, nearest};

use crate::assumption::Fairness;
use crate::body::Body;
use crate::diagram::Diagram;
use crate::explicit::FinishedRuns;
use crate::fair::AssumptionText;
use crate::fairness::PropositionId;
use crate::outline::Outline;
use crate::question::Question;
use crate::signature::{Signature, ValueSource};

/// A language that models are written in.
pub trait Language: Send + Sync {
    /// Its name, as in `--lang`.
    fn name(&self) -> &'static str;

    /// The endings of its files.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether a text without a file name looks like one of this language.
    fn looks_like(&self, text: &str) -> bool {
        let _ = text;
        false
    }

    /// What its texts describe.
    fn content(&self) -> Content {
        Content::Model
    }

    /// Whether properties may come in files of their own ([`ReadOptions::properties`]).
    fn reads_properties(&self) -> bool {
        false
    }

    /// Whether a model comes with a configuration and with values of constants
    /// ([`ReadOptions::configuration`], [`ReadOptions::constants`]).
    fn reads_configuration(&self) -> bool {
        false
    }

    /// Reads a text; `main` is the file of `files` that holds it.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    fn read(
        &self,
        files: Files,
        main: FileId,
        options: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected>;

    /// What editors ask of a text, with mistakes or without; none where nothing is known.
    fn outline(&self, files: Files, main: FileId, options: &ReadOptions) -> Option<Outline> {
        let _ = (files, main, options);
        None
    }

    /// The same, with what is left to be done to read the text: a language whose outline comes from the syntax of the whole
    /// text goes on from there.
    fn study<'l>(&'l self, files: Files, main: FileId, options: &ReadOptions) -> Study<'l> {
        let outline = self.outline(files.clone(), main, options);
        let options = options.clone();
        Study {
            outline,
            read: Box::new(move || self.read(files, main, &options)),
        }
    }
}

/// A text of which the names are known, and which can be read.
pub struct Study<'l> {
    /// What editors ask of it.
    pub outline: Option<Outline>,
    /// What is left of [`Language::read`].
    pub read: Reading<'l>,
}

/// What is left of [`Language::read`].
pub type Reading<'l> = Box<dyn FnOnce() -> Result<Box<dyn Specification>, Rejected> + Send + 'l>;

/// What texts of a language describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A system.
    Model,
    /// Omega-automata: all that can be asked is whether they accept anything.
    Automata,
}

/// How texts are read; each language takes what it knows.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Macros for a preprocessor: names, and values.
    pub defines: Vec<(String, Option<String>)>,
    /// Where included files are looked for.
    pub include_dirs: Vec<PathBuf>,
    /// Whether files are included from the folder of the model and these alone, and folders below them.
    pub confined: bool,
    /// Files of properties beside the model: names, and texts.
    pub properties: Vec<(String, String)>,
    /// The configuration that comes with a model in a file of its own: its name, and its text.
    pub configuration: Option<(String, String)>,
    /// What the constants of the model are, in its own language: `N = 3`.
    pub constants: Vec<String>,
    /// What the call says in place of a configuration, in its language: `INIT Start`.
    pub settings: Vec<String>,
    /// How many bytes a file may have; none for the default.
    pub most_bytes: Option<u64>,
}

/// A text that has no meaning: what is wrong, and the files that it is about.
#[derive(Clone, Debug, Default)]
pub struct Rejected {
    /// The files that were read; none if what is wrong is about the call alone.
    pub files: Option<Files>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl Rejected {
    /// Something is wrong that no file is about.
    pub fn about(diagnostic: Diagnostic) -> Rejected {
        Rejected {
            files: None,
            diagnostics: vec![diagnostic],
        }
    }
}

impl From<(Files, Vec<Diagnostic>)> for Rejected {
    fn from((files, diagnostics): (Files, Vec<Diagnostic>)) -> Rejected {
        Rejected {
            files: Some(files),
            diagnostics,
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, diagnostic) in self.diagnostics.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            if let (Some(files), Some(span)) = (&self.files, diagnostic.span) {
                let name = &files.get(span.file).name;
                write!(f, "{name}:{}: ", files.position(span))?;
            }
            f.write_str(&diagnostic.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Rejected {}

/// A model that was read.
pub trait Specification: Send + Sync {
    /// The system without any question.
    fn body(&self) -> &dyn Body;

    /// What the model is about.
    fn signature(&self) -> &Signature {
        self.body().signature()
    }

    /// Warnings about the text.
    fn warnings(&self) -> &[Diagnostic] {
        &[]
    }

    /// Where the text says what values variables get, in a model whose steps stand on no line of their
    /// own.
    fn value_sources(&self) -> Vec<ValueSource> {
        Vec::new()
    }

    /// The model as a picture, where models of the language are drawn.
    fn diagram(&self) -> Option<Diagram> {
        None
    }

    /// Whether formulas of CTL can be read over maximal runs, finite ones included
    /// ([`FinishedRuns::Maximal`]).
    fn reads_maximal_runs(&self) -> bool {
        false
    }

    /// Understands what is asked.
    ///
    /// # Errors
    /// If something in it has no meaning for this model.
    fn resolve(&self, request: &Request) -> Result<Inquiry, Unresolved>;

    /// What the language calls a property of linear time, if it has a word for it.
    fn linear_word(&self) -> Option<&'static str> {
        None
    }

    /// A comment in the language of the model.
    fn comment(&self, text: &str) -> String {
        format!("/* {text} */")
    }

    /// A fairness assumption as the language declares it.
    fn declaration(&self, assumption: &str) -> String {
        format!("/*@ fair {assumption} */")
    }
}

/// Everything that is asked of a model in one go.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Request {
    /// Properties of the model.
    pub properties: Wanted,
    /// Conditions on all reachable states.
    pub invariants: Vec<String>,
    /// Formulas of linear time.
    pub linear: Vec<String>,
    /// Formulas of branching time.
    pub branching: Vec<String>,
    /// Expressions that automata are about.
    pub expressions: Vec<String>,
    /// Fairness assumptions, besides those of the model.
    pub fair: Vec<String>,
    /// Leave out the fairness assumptions that the model declares.
    pub no_fairness: bool,
    /// How runs that end are to be read, if somebody said so.
    pub finished: Option<FinishedRuns>,
    /// Whether it will be asked what fairness could be assumed of.
    pub candidates: bool,
    /// What texts are called where something is wrong with them.
    pub names: TextNames,
}

/// What texts are called that stand in no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextNames {
    /// A formula of linear time.
    pub linear: &'static str,
    /// A formula of branching time.
    pub branching: &'static str,
    /// A fairness assumption.
    pub fair: &'static str,
}

impl Default for TextNames {
    fn default() -> TextNames {
        TextNames {
            linear: "formula",
            branching: "formula",
            fair: "fairness assumption",
        }
    }
}

impl Request {
    /// Whether nothing in particular is asked.
    pub fn is_usual(&self) -> bool {
        self.properties == Wanted::Usual
    }

    /// The names of the formulas, which are counted through all kinds.
    pub fn formula_name(number: usize) -> String {
        format!("formula_{number}")
    }

    /// The fairness assumptions that are meant: those that a model declares, then the others.
    pub fn assumptions(&self, signature: &Signature) -> Vec<AssumptionText> {
        let declared = signature.fairness.iter().filter(|_| !self.no_fairness);
        let declared = declared.map(|(text, span)| (text.clone(), Some(*span)));
        let given = self.fair.iter().map(|text| (text.clone(), None));
        declared.chain(given).collect()
    }
}

/// Which properties of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// What is checked if nothing in particular is asked.
    #[default]
    Usual,
    /// Those that the text of the model states.
    Stated,
    /// These.
    Named(Vec<String>),
}

impl Wanted {
    /// The names, each once, if the model has all of them.
    ///
    /// # Errors
    /// The first one that the model does not have.
    pub fn names(
        &self,
        usual: &[&str],
        stated: &[&str],
        on_request: &[&str],
    ) -> Result<Vec<String>, Unresolved> {
        let owned = |list: &[&str]| list.iter().map(|name| (*name).to_string()).collect();
        let named = match self {
            Wanted::Usual => return Ok(owned(usual)),
            Wanted::Stated => return Ok(owned(stated)),
            Wanted::Named(list) => list,
        };
        let mut names: Vec<String> = Vec::new();
        for name in named {
            let known = usual.iter().chain(on_request);
            if !known.clone().any(|known| known == name) {
                return Err(Unresolved::NoProperty {
                    name: name.clone(),
                    known: known.map(|name| (*name).to_string()).collect(),
                });
            }
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Ok(names)
    }
}

/// Why a request has no meaning.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Unresolved {
    /// A property that the model does not have.
    NoProperty {
        /// Its name.
        name: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// A text that has no meaning.
    Wrong(Rejected),
}

impl Unresolved {
    /// What to write instead of a property that does not exist.
    pub fn hint(name: &str, known: &[String]) -> String {
        match nearest(name, known.iter().map(String::as_str)) {
            Some(hint) => format!("did you mean `{hint}`?"),
            None => format!("the model has: {}", known.join(", ")),
        }
    }
}

impl From<Rejected> for Unresolved {
    fn from(wrong: Rejected) -> Unresolved {
        Unresolved::Wrong(wrong)
    }
}

impl From<(Files, Vec<Diagnostic>)> for Unresolved {
    fn from(wrong: (Files, Vec<Diagnostic>)) -> Unresolved {
        Unresolved::Wrong(wrong.into())
    }
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unresolved::NoProperty { name, known } => {
                let hint = Unresolved::hint(name, known);
                write!(f, "there is no property `{name}`; {hint}")
            }
            Unresolved::Wrong(wrong) => wrong.fmt(f),
        }
    }
}

impl std::error::Error for Unresolved {}

/// A request that was understood.
pub struct Inquiry {
    /// The system, with the propositions of all questions.
    pub body: Arc<dyn Body>,
    /// The questions: properties, invariants, formulas of linear and of branching time.
    pub questions: Vec<Question>,
    /// What the expressions are.
    pub expressions: Vec<PropositionId>,
    /// The fairness assumptions: those of the model, unless they were left out, then the others.
    pub assumptions: Vec<AssumptionText>,
    /// What such texts mean.
    pub meaning: Arc<dyn Assumptions>,
    /// Warnings about the texts of the request.
    pub warnings: Vec<Diagnostic>,
    /// Remarks about the request.
    pub notes: Vec<Remark>,
}

/// A remark of a front-end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Labels of the model ask something that is checked only on request.
    Labels {
        /// How they begin.
        prefix: &'static str,
        /// The property that is about them.
        property: &'static str,
    },
    /// Anything else, in words.
    Said(String),
    /// How something is done, for those who ask.
    Detail(String),
}

/// Fairness is set up for this many processes first where their number is not known.
pub const FEW: usize = 8;

/// What fairness assumptions mean for the system of an inquiry. Their expressions are those of the
/// request, or of the model.
pub trait Assumptions: Send + Sync {
    /// How many processes there are at most, and whether that is certain.
    fn processes(&self) -> (usize, bool) {
        (0, true)
    }

    /// Assumptions from their texts; about processes with smaller numbers than `processes`, where
    /// they are about all of them.
    ///
    /// # Errors
    /// If one has no meaning.
    fn fairness(&self, texts: &[AssumptionText], processes: usize) -> Result<Fairness, Rejected>;

    /// What fairness could be assumed of, for those who ask which is needed.
    fn candidates(&self, by: Granularity, processes: usize) -> Vec<Candidate>;

    /// The word for such a candidate.
    fn candidate_word(&self, by: Granularity) -> &'static str {
        by.word()
    }
}

/// What a candidate for fairness is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// All processes of a type together.
    #[default]
    Type,
    /// Each process.
    Instance,
    /// The statements at each label of a type, and each type as a whole.
    Label,
}

impl Granularity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Granularity::Type => "type",
            Granularity::Instance => "instance",
            Granularity::Label => "label",
        }
    }
}

/// Something that fairness can be assumed of, weakly or strongly.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How it is called.
    pub name: String,
    /// Both assumptions as texts of the `--fair` option.
    pub texts: [String; 2],
    /// What they mean.
    pub fairness: [Fairness; 2],
}

/// The first word of a text behind comments and lines for a preprocessor, and what follows it.
pub fn first_word(text: &str) -> (&str, &str) {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = match rest.as_bytes() {
            [b'/', b'*', ..] => rest[2..].find("*/").map(|at| at + 4),
            [b'/', b'/', ..] | [b'#', ..] => rest.find('\n'),
            _ => break,
        };
        match end {
            Some(end) => rest = rest[end..].trim_start(),
            None => return ("", ""),
        }
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()))
}
