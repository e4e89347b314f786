//! Listens to the default engine: where components lead, and why they are dead.
//!
//! The search keeps one number per node. Of a dead node the number says nothing to the search but
//! that it is dead, so whoever listens may choose it: the ranks of a proof do (`ranks`). Whoever wants
//! no more than the verdict is forgetful, and costs nothing.

use crate::marks::{Marks, Streett};
use crate::search::Stop;

pub(crate) use crate::sieve::{DEAD, UNSEEN};

/// Listens to a search.
pub(crate) trait Keeper<const W: usize> {
    /// What is known of the edges that lead out of a component.
    type Below: Copy + Default;

    /// Whether it wants to know about edges to dead nodes.
    const LISTENS: bool;

    /// An edge with these marks leads to a dead node, of which this is kept.
    fn leads_to(&self, kept: u32, marks: Marks<W>, below: &mut Self::Below);

    /// Two components turn out to be one. One of which nothing is known changes nothing.
    fn join(&self, below: &mut Self::Below, other: &Self::Below);

    /// A component is dead, since it has no edge inside or does not have these Büchi marks: what is kept
    /// of its nodes, at least [`DEAD`].
    fn dead(&mut self, below: &Self::Below, missing: Marks<W>) -> Result<u32, Stop>;

    /// A component with these marks inside will be searched again, without the requests that it does
    /// not grant: what is kept of it as a whole.
    fn refine(
        &mut self,
        below: &Self::Below,
        condition: &Streett<W>,
        inside: Marks<W>,
    ) -> Result<u32, Stop>;

    /// The search of that component begins.
    fn begin(&mut self);

    /// It is done.
    fn end(&mut self);

    /// Memory taken, in bytes.
    fn bytes(&self) -> u64;
}

/// Keeps nothing.
pub(crate) struct Forgetful;

impl<const W: usize> Keeper<W> for Forgetful {
    type Below = ();

    const LISTENS: bool = false;

    #[inline]
    fn leads_to(&self, _: u32, _: Marks<W>, _: &mut ()) {}

    #[inline]
    fn join(&self, _: &mut (), _: &()) {}

    #[inline]
    fn dead(&mut self, _: &(), _: Marks<W>) -> Result<u32, Stop> {
        Ok(DEAD)
    }

    #[inline]
    fn refine(&mut self, _: &(), _: &Streett<W>, _: Marks<W>) -> Result<u32, Stop> {
        Ok(DEAD)
    }

    fn begin(&mut self) {}

    fn end(&mut self) {}

    fn bytes(&self) -> u64 {
        0
    }
}
