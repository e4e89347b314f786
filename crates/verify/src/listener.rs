//! Those who want to know how a check goes.

use evenhand_explicit::search::Progress;

use crate::answer::PropertyResult;

/// Is told how a check goes.
pub trait Listener {
    /// How far a search has come; whether to go on.
    fn progress(&mut self, progress: &Progress) -> bool {
        let _ = progress;
        true
    }

    /// These will be answered, and this is their order in the report; verdicts may become known in
    /// another.
    fn plan(&mut self, names: &[String]) {
        let _ = names;
    }

    /// How far the symbolic engine has come.
    fn sets(&mut self, sets: &SetProgress) {
        let _ = sets;
    }

    /// Something begins that may take long: what, in a few words.
    fn stage(&mut self, name: &str) {
        let _ = name;
    }

    /// A verdict is known; the run that shows a violation may still be looked for.
    fn verdict(&mut self, result: &PropertyResult) {
        let _ = result;
    }

    /// The same where those in front of it may take long.
    fn early_verdict(&mut self, result: &PropertyResult) {
        self.verdict(result);
    }
}

/// How far the symbolic engine has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetProgress {
    /// Rounds of fixpoints.
    pub rounds: u64,
    /// Nodes of decision diagrams.
    pub nodes: u64,
    /// The memory that they take.
    pub bytes: u64,
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {}

/// Lets progress through and keeps verdicts: of questions that nobody asked.
pub struct Quiet<'l>(pub &'l mut dyn Listener);

impl Listener for Quiet<'_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.0.progress(progress)
    }

    fn sets(&mut self, sets: &SetProgress) {
        self.0.sets(sets);
    }
}
