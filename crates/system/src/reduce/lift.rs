//! The way back from a system that takes the place of another one.

/// Finds the runs of a system that those of a smaller one are.
///
/// The smaller one has states of its own. What a question sees is the same in both, and each step of the smaller one is one or
/// several of the system, of which the question sees at most one.
pub trait Lift: Send + Sync {
    /// The initial state of the system.
    fn initial(&self) -> Vec<u8>;

    /// The state of the smaller one that a state of the system is.
    fn down(&self, state: &[u8]) -> Option<Vec<u8>>;

    /// The states behind a state of the system, up to one that is a given state of the smaller one, if a single step of
    /// that one leads there.
    fn up(&self, from: &[u8], to: &[u8]) -> Option<Vec<Vec<u8>>>;

    /// Whether a run of the system ends in a state.
    fn is_end(&self, state: &[u8]) -> bool;

    /// The states behind a state of the system that is one of the smaller one where runs end, up to where those of the system
    /// do: steps that the question does not see and that have waited.
    fn settle(&self, state: &[u8]) -> Option<Vec<Vec<u8>>>;
}
