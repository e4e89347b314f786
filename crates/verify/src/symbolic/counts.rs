//! Numbers of states, which may be larger than any that a search state by state could reach.

use evenhand_symbolic::Count;

use crate::answer::Many;

/// A count as a number that fits, and what it is if it does not.
pub(super) fn counted(count: &Count) -> (u64, Option<Many>) {
    match count.exact.and_then(|exact| u64::try_from(exact).ok()) {
        Some(number) => (number, None),
        None => {
            let many = Many {
                exact: count.exact,
                about: count.about,
            };
            (u64::MAX, Some(many))
        }
    }
}
