//! What a fair system is about, whatever its body: names, actions, fairness, properties.

use evenhand_source::{Files, Span};

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
}

/// An action as people know it.
#[derive(Clone, Debug, Default)]
pub struct ActionInfo {
    /// The process type: an index into [`Signature::processes`].
    pub process: u16,
    /// The statement's text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// The labels in front of it.
    pub labels: Vec<String>,
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
    /// Any step of the process with this number.
    Process {
        /// Its number.
        pid: u8,
        /// Whether it is enabled where it can only be the partner of somebody else's handshake.
        as_partner: bool,
    },
    /// The actions listed (sorted), executed by the process with this number.
    Actions {
        /// Its number.
        pid: u8,
        /// Indices into [`Signature::actions`].
        actions: Vec<u32>,
    },
}
