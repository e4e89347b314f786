//! Why a search ended, as a number that all processes understand.

use evenhand_explicit::search::Stop;
use evenhand_source::Lasting;

use crate::post::{Broken, Post};

/// A state means something in one process only.
pub(crate) const BOUND: Stop = Stop::Evaluation(Lasting::known(
    "an expression makes strings, which other processes do not know",
));

const STOPS: [Stop; 14] = [
    Stop::States,
    Stop::Memory,
    Stop::Time,
    Stop::Depth,
    Stop::Interrupted,
    Stop::Length,
    Stop::Shapes,
    Stop::Atomic,
    Stop::Successors,
    Stop::Tokens,
    Stop::Processes,
    Stop::Proposition,
    BOUND,
    Stop::Evaluation(Lasting::known("an expression is too large or too deep")),
];

/// The number of a reason; 0 for none.
pub(crate) fn code(stop: Option<Stop>) -> u64 {
    let Some(stop) = stop else {
        return 0;
    };
    let place = STOPS.iter().position(|&known| known == stop);
    place.unwrap_or(STOPS.len() - 1) as u64 + 1
}

/// Why somebody has to end, if anybody has: all workers know the same.
pub(crate) fn agreed(post: &mut Post, own: Option<Stop>) -> Result<Option<Stop>, Broken> {
    let codes = post.agree(&code(own).to_le_bytes())?;
    let said = |bytes: &Vec<u8>| bytes.first().map_or(0, |&code| u64::from(code));
    Ok(codes.iter().find_map(|bytes| stop(said(bytes))))
}

/// The reason of a number.
pub(crate) fn stop(code: u64) -> Option<Stop> {
    let place = usize::try_from(code).ok()?.checked_sub(1)?;
    STOPS.get(place).copied()
}
