//! Which cycles must not be there: those with all Büchi marks in which each pair that is requested
//! is granted.

/// A Streett pair: the request infinitely often implies the grant infinitely often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The mark that asks.
    pub request: usize,
    /// The mark that answers.
    pub grant: usize,
}

/// Generalized Büchi marks and Streett pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Marks that an accepting cycle has on some of its edges.
    pub buchi: Vec<usize>,
    /// An accepting cycle with an edge that requests has an edge that grants.
    pub pairs: Vec<Pair>,
}
