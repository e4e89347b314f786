//! What a fair system is about, whatever its body: names, actions, fairness, properties.

use evenhand_source::{Files, Span};

use crate::ids::{ActionId, ProcessId, ProcessTypeId};

/// The signature of a system.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// The files it was read from.
    pub files: Files,
    /// The model's name: its main file.
    pub name: String,
    /// The language: `promela`, `smv`, `rust`, ….
    pub language: String,
    /// Process types, in the order of the text.
    pub processes: Vec<String>,
    /// Every action a step can consist of.
    pub actions: Vec<ActionInfo>,
    /// Fairness assumptions that the model declares, as text of the `--fair` option.
    pub fairness: Vec<(String, Span)>,
    /// Properties that the model declares.
    pub properties: Vec<Property>,
    /// By what people know a step.
    pub told_by: Telling,
    /// Whose way of counting states people know, where they compare: reports have the numbers under this name.
    pub counts_as: Option<&'static str>,
}

impl Signature {
    /// Takes over how another one of the same model tells about it: files, language, telling.
    pub fn describe_as(&mut self, other: &Signature) {
        self.files = other.files.clone();
        self.language.clone_from(&other.language);
        self.told_by = other.told_by;
        self.counts_as = other.counts_as;
    }
}

/// By what people know a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    /// By the statement that is executed.
    #[default]
    Steps,
    /// By the values that it changes.
    Values,
}

/// A place that says what value a variable gets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValueSource {
    /// The variable, by its flat name.
    pub variable: String,
    /// Whether it is about the initial value; otherwise about the value behind a step.
    pub initial: bool,
    /// The process whose steps it is about; none if it is about all of them.
    pub process: Option<String>,
    /// The assignment or the constraint.
    pub span: Span,
}

/// An action as people know it.
#[derive(Clone, Debug, Default)]
pub struct ActionInfo {
    /// The process type it belongs to.
    pub process: ProcessTypeId,
    /// The statement's text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Where what it does stands, if that is apart from its name.
    pub body: Option<Span>,
    /// The labels in front of it.
    pub labels: Vec<String>,
    /// What it is good for.
    pub role: ActionRole,
    /// Its number in SPIN's trails, where it has one.
    pub statement: Option<u32>,
}

/// What an action is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActionRole {
    /// A step of a process.
    #[default]
    Step,
    /// The end of a process.
    End,
    /// A step of something that only observes: a never claim, a trace assertion.
    Claim,
}

/// A property that stands in the model.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What kind of property it is.
    pub kind: PropertyKind,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// An LTL formula, as written.
    Ltl(String),
    /// A never claim.
    Never,
    /// Events on channels that must (or must not) follow a pattern.
    Trace,
}

/// A fairness item: what is enabled and taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemSpec {
    /// Any step of a process.
    Process {
        /// The process.
        pid: ProcessId,
        /// Whether it is enabled where it can only be the partner of somebody else's handshake.
        as_partner: bool,
    },
    /// The actions listed (sorted), executed by a process.
    Actions {
        /// The process.
        pid: ProcessId,
        /// The actions.
        actions: Vec<ActionId>,
    },
    /// What only the body itself understands, by a number of its own: it says where the item is
    /// enabled and which steps take it. A body that knows of no such item never enables it.
    Own(u32),
}
