//! How large a model is: all states one by one, or by sets.
//!
//! The numbers are the same either way. By sets, a relation is counted as it is, without inputs;
//! other bodies by relations learned from their transition groups; numbers that sets do not give
//! exactly are missing, with the reason.

#[cfg(feature = "symbolic")]
use std::sync::Arc;

use evenhand_explicit::search::{self, Exploration, Order, Progress};
#[cfg(feature = "symbolic")]
use evenhand_symbolic::Symbolic;
#[cfg(feature = "symbolic")]
pub use evenhand_symbolic::{Census, Count};
use evenhand_system::Body;
use evenhand_system::relation::Refusal;

use crate::listener::Listener;
use crate::memory;
#[cfg(feature = "symbolic")]
use crate::options::Cancel;
use crate::options::Options;
#[cfg(feature = "symbolic")]
use crate::stop::StopReason;
#[cfg(feature = "symbolic")]
use crate::symbolic::apart::{Teller, apart};
#[cfg(feature = "symbolic")]
use crate::symbolic::gauge::watched;
#[cfg(feature = "symbolic")]
use crate::symbolic::limits::engine_options;

/// Explores all states of a system one by one.
///
/// # Errors
/// Where it cannot be explored that way.
pub fn explore(
    body: &dyn Body,
    order: Order,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Exploration, Refusal> {
    let search = search::Options {
        order,
        limit_states: options.limit_states,
        limit_memory: options.limit_memory,
        used_memory: Some(memory::in_use),
        limit_time: options.limit_time,
        compress: options.compress,
        threads: options.threads(),
        ..search::Options::default()
    };
    let mut observer =
        |progress: &Progress| listener.progress(progress) && !options.cancel.is_cancelled();
    Ok(search::explore(body.explicit()?, &search, &mut observer))
}

/// Counts the states of a system by sets.
///
/// # Errors
/// If a limit is reached before the numbers are known, or there is no thread for the engine.
#[cfg(feature = "symbolic")]
pub fn count(
    body: &Arc<dyn Body>,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Census, StopReason> {
    let (body, cancel) = (body.clone(), Cancel::new());
    let mut engine = engine_options(options, options.deadline());
    engine.interrupt = Some(cancel.flag());
    let work = move |mut teller: Teller| {
        let gauge = engine.gauge.clone();
        match (body.relation(), body.groups()) {
            (Ok(relation), _) => {
                // Propositions about inputs would make them part of states.
                let mut relation = relation.clone();
                relation.propositions.clear();
                relation.justice.clear();
                relation.compassion.clear();
                watched(&gauge, &mut teller, || {
                    Ok(Symbolic::new(&relation, engine)?.census()?)
                })
            }
            (Err(_), Ok(groups)) => watched(&gauge, &mut teller, || {
                Ok(evenhand_symbolic::census(groups, &engine)?)
            }),
            (Err(_), Err(refusal)) => Ok(Err(StopReason::Unsupported(refusal.reason))),
        }
    };
    let counted = options
        .budget_now()
        .run(|| apart(&cancel, listener, &mut |_, _| {}, work));
    let counted = counted?.and_then(|counted| counted);
    counted.unwrap_or_else(|error| Err(StopReason::Unsupported(error.to_string())))
}
