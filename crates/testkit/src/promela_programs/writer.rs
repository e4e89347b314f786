//! The state of the generator while it writes one program.

use super::names::{Scope, Signature};
use super::random::Random;
use super::style::Style;
use super::tree::Piece;

/// Where the statements being written stand; it decides what may be written there.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// How many more levels of blocks are allowed.
    pub depth: usize,
    /// Inside `atomic`: no unbounded loops (endless atomic sequences are another test's matter).
    pub atomic: bool,
    /// At the top level of a process body.
    pub top: bool,
}

/// Writes one program.
pub struct Writer<'a> {
    /// The source of all choices.
    pub random: &'a mut Random,
    /// The temper of the program.
    pub style: Style,
    /// What is in scope.
    pub scope: Scope,
    /// All proctypes.
    pub signatures: Vec<Signature>,
    /// The proctype being written, as an index into the signatures.
    pub current: usize,
    /// How many statements may still be written, about.
    pub budget: usize,
    /// Inside a `d_step`, where no label may be referred to.
    pub in_d_step: bool,
    /// Names handed out so far in this process, so that they are unique.
    pub fresh: usize,
    /// Declarations that the body asked for; they go to the top of the process.
    pub locals: Vec<Piece>,
    /// The inlines of the program: name and number of parameters.
    pub inlines: Vec<(String, usize)>,
    /// Whether there is a channel of channels to register at.
    pub registry: bool,
    /// Whether there is a channel that carries records.
    pub record_channel: bool,
    /// Whether there is a variable outside of the state, to write to.
    pub hidden: bool,
}

impl<'a> Writer<'a> {
    /// A writer with nothing written yet.
    pub fn new(random: &'a mut Random, style: Style) -> Self {
        let budget = style.size;
        Writer {
            random,
            style,
            scope: Scope::default(),
            signatures: Vec::new(),
            current: 0,
            budget,
            in_d_step: false,
            fresh: 0,
            locals: Vec::new(),
            inlines: Vec::new(),
            registry: false,
            record_channel: false,
            hidden: false,
        }
    }

    /// A number no other name of this process has.
    pub fn fresh(&mut self) -> usize {
        self.fresh += 1;
        self.fresh
    }

    /// Puts an `end` label in front of a statement that may block, as often as the style says.
    pub fn maybe_end(&mut self, piece: Piece) -> Piece {
        if self.in_d_step || !self.random.percent(self.style.end_labels) {
            return piece;
        }
        let label = format!("end{}", self.fresh());
        piece.labelled(&label)
    }
}
