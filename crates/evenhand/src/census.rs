//! How large a model is, by sets: the symbolic engine behind `evenhand states --engine symbolic`.
//!
//! The numbers are those of exploring state by state, the same for every model: an SMV model is counted
//! from its relation, without inputs; others from relations learned from their transition groups.
//! Numbers that sets do not give exactly are missing, with the reason.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use evenhand_symbolic::Census;
use evenhand_symbolic::{Halt, Options, Stop, Symbolic, census};

use crate::check::{CheckError, Listener};
use crate::gauge::watched;
use crate::learned::NAME;
use crate::model::Model;
use crate::temporal::is_known;

/// How far to go.
#[derive(Clone, Debug, Default)]
pub struct CensusOptions {
    /// At most this much memory, in bytes.
    pub limit_memory: Option<u64>,
    /// At most this much time.
    pub limit_time: Option<Duration>,
    /// A flag that ends the work.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Whether an engine counts by sets.
///
/// # Errors
/// If there is no engine with that name.
pub fn is_symbolic(engine: &str) -> Result<bool, CheckError> {
    is_known(Some(engine))?;
    Ok(engine == NAME)
}

/// Counts the states of a model by sets.
///
/// # Errors
/// If a limit is reached before the numbers are known, or there is no thread for the engine.
pub fn count(
    model: &Model,
    options: &CensusOptions,
    listener: &mut dyn Listener,
) -> Result<Census, Halt> {
    let default = Options::default();
    let options = Options {
        memory: options.limit_memory.unwrap_or(default.memory),
        time: options.limit_time,
        interrupt: options.interrupt.clone(),
        ..default
    };
    let gauge = options.gauge.clone();
    let counted = match (model, model.groups()) {
        (Model::Smv(smv), _) => {
            // Propositions about inputs would make them part of states.
            let mut relation = smv.model.relation.clone();
            relation.propositions.clear();
            relation.justice.clear();
            relation.compassion.clear();
            watched(&gauge, listener, || {
                Ok(Symbolic::new(&relation, options)?.census()?)
            })
        }
        (_, Some(groups)) => watched(&gauge, listener, || census(groups, &options)),
        (_, None) => {
            let reason = "the model has no transition groups".to_string();
            return Err(Halt::Stop(Stop::Refused(reason)));
        }
    };
    counted.unwrap_or_else(|error| Err(Halt::Stop(Stop::Refused(error.to_string()))))
}
