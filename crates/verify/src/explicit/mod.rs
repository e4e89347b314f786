//! Engines that explore state by state.

pub(crate) mod bounded;
pub(crate) mod bounds;
pub(crate) mod breadth_first;
pub(crate) mod emptiness;
pub(crate) mod labelling;
pub(crate) mod reach;
mod reduced;

use evenhand_explicit::search::Stop;
use evenhand_system::explicit::FinishedRuns;
use evenhand_system::{Explicit, PropositionId, Question};

use crate::case::{Case, StateSpace};
use crate::engine::Support;
use crate::stop::StopReason;

/// Why a search about some propositions ended.
pub(crate) fn reason(
    stop: Stop,
    space: &StateSpace<'_>,
    propositions: &[PropositionId],
) -> StopReason {
    match stop {
        Stop::Proposition => no_value(space, propositions),
        _ => stop.into(),
    }
}

/// Some propositions have no value where it matters.
pub(crate) fn no_value(space: &StateSpace<'_>, propositions: &[PropositionId]) -> StopReason {
    let failure = space.failure(propositions);
    StopReason::NoValue(failure.map(|(_, fault)| fault.kind))
}

/// Whether exploring state by state can answer a question about whole runs: letters are those of
/// states, and an end stays or does not count.
pub(crate) fn supports_runs(case: &Case<'_>, question: &Question) -> Support {
    if case.finished == FinishedRuns::Maximal {
        let reason = "runs that end are read here as staying where they are, or not at all";
        return Support::No(reason.to_string());
    }
    let on_steps = |system: &dyn Explicit| {
        let mut reads = question.reads().into_iter();
        reads.any(|proposition| system.is_on_steps(proposition))
    };
    match case.system().is_ok_and(on_steps) {
        true => Support::No("propositions about steps are not read here".to_string()),
        false => Support::Yes,
    }
}
