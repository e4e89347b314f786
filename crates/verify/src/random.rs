//! A run that dice choose.
//!
//! Each step is one of the complete list of successors, so that each is as likely as any other. Where a
//! state has more than can be listed, the system draws a run by itself, if it can: then the whole run is
//! drawn that way, and follows from the seed as well.

use evenhand_source::budget::spend_many;
use evenhand_source::{Diagnostic, Exhausted, counted};
use evenhand_system::explicit::FaultReport;
use evenhand_system::fault::FaultKind;
use evenhand_system::{Body, Explicit, Explorer, FinishedRuns, RandomEnd, Successors};
use evenhand_witness::{Counterexample, ReplayError, replay};

use crate::dice::Dice;
use crate::options::Options;

/// How a run ended.
#[derive(Clone, Debug)]
pub enum End {
    /// All processes ended properly.
    Proper,
    /// Nobody can move.
    Deadlock,
    /// No step is possible, and no run may end.
    NotTotal,
    /// A run-time error.
    Fault(String),
    /// No step was found, and nobody knows whether there is one.
    Unknown(u64),
    /// A run that was written down was followed to its end, and could go on.
    Followed,
    /// Enough steps.
    Limit,
    /// A limit was reached after so many steps.
    Stopped(Exhausted, usize),
}

impl End {
    /// The sentence about it.
    pub fn text(&self) -> String {
        match self {
            End::Proper => "the run ends".to_string(),
            End::Deadlock => "no process can move: an improper end".to_string(),
            End::NotTotal => "no step is possible: the relation is not total".to_string(),
            End::Fault(text) => text.clone(),
            End::Unknown(trials) => {
                format!("stopped: among {trials} random values there was no step")
            }
            End::Followed => "the run was followed to its end".to_string(),
            End::Limit => "stopped after the number of steps asked for".to_string(),
            End::Stopped(why, steps) => {
                let shown = match *steps > MOST_SHOWN {
                    true => format!(" (the first {MOST_SHOWN} are shown)"),
                    false => String::new(),
                };
                format!("stopped after {}{shown}: {why}", counted(*steps, "step"))
            }
        }
    }
}

/// Why there is no run.
#[derive(Clone, Debug)]
pub enum NoRun {
    /// What is wrong.
    Wrong(Diagnostic),
    /// The run could not be executed again: a defect of this tool.
    Replay(ReplayError),
    /// A limit was reached before there was any.
    Exhausted(Exhausted),
}

impl From<ReplayError> for NoRun {
    fn from(error: ReplayError) -> NoRun {
        NoRun::Replay(error)
    }
}

/// After a limit was reached, a run is told up to this length.
const MOST_SHOWN: usize = 10_000;

/// Draws a run and tells it.
///
/// # Errors
/// If there is no run, none could be told, or a limit was reached before it began.
pub fn run(
    body: &dyn Body,
    seed: u64,
    steps: u64,
    options: &Options,
) -> Result<(Counterexample, End), NoRun> {
    // To tell a run takes about as long as to draw it, and more memory.
    let mut half = options.clone();
    half.limit_time = options.limit_time.map(|time| time / 2);
    half.limit_memory = options.limit_memory.map(|bytes| bytes / 2);
    let budget = half.budget_now();
    let drawn = || {
        budget
            .run(|| drawn(body, seed, steps))
            .map_err(NoRun::Exhausted)
    };
    let system = match budget.run(|| body.explicit()).map_err(NoRun::Exhausted)? {
        Ok(system) => system,
        Err(refusal) => {
            let message = format!("the model cannot be explored state by state: {refusal}");
            let refused = NoRun::Wrong(Diagnostic::global(message));
            return drawn()?.unwrap_or(Err(refused));
        }
    };
    let begun = budget.run(|| Simulation::new(system, seed));
    let mut simulation = begun.map_err(NoRun::Exhausted)?;
    let end = budget.run(|| simulation.random(steps));
    let end = end.unwrap_or_else(|why| End::Stopped(why, simulation.path.len().saturating_sub(1)));
    let fault = simulation.fault.as_ref().map(|report| report.fault.kind);
    if fault == Some(FaultKind::TooManySuccessors)
        && let Some(run) = drawn()?
    {
        return run;
    }
    if simulation.path.is_empty() && fault.is_none() {
        return Err(no_initial_state());
    }
    if let End::Stopped(..) = end {
        simulation.path.truncate(MOST_SHOWN + 1);
    }
    let whole = || replay(system, &simulation.path, simulation.fault.as_ref());
    if let Ok(run) = options.telling().run(whole) {
        return Ok((run?, end));
    }
    // It is too long to be told.
    let steps = simulation.path.len().saturating_sub(1);
    simulation.path.truncate(MOST_SHOWN + 1);
    let run = replay(system, &simulation.path, None)?;
    Ok((run, End::Stopped(Exhausted::Time, steps)))
}

fn no_initial_state() -> NoRun {
    NoRun::Wrong(Diagnostic::global("the model has no initial state"))
}

/// A run that the system draws by itself, if it can.
fn drawn(body: &dyn Body, seed: u64, steps: u64) -> Option<Result<(Counterexample, End), NoRun>> {
    let mut dice = Dice::new(seed);
    let mut below = |bound: u64| dice.below(usize::try_from(bound).unwrap_or(usize::MAX)) as u64;
    let drawn = match body.draw(&mut below, steps)? {
        Ok(drawn) => drawn,
        Err(refusal) => {
            let message = format!("no run can be drawn: {refusal}");
            return Some(Err(NoRun::Wrong(Diagnostic::global(message))));
        }
    };
    if drawn.states.is_empty() && drawn.end == RandomEnd::Stuck {
        return Some(Err(no_initial_state()));
    }
    let end = match drawn.end {
        RandomEnd::Long => End::Limit,
        RandomEnd::Stuck => End::NotTotal,
        RandomEnd::Fault(kind) => End::Fault(kind.to_string()),
        RandomEnd::Unknown(trials) => End::Unknown(trials),
    };
    let run = replay(&*drawn.system, &drawn.states, None);
    Some(run.map(|run| (run, end)).map_err(NoRun::Replay))
}

struct Simulation<'a> {
    system: &'a dyn Explicit,
    explorer: Box<dyn Explorer + 'a>,
    successors: Successors,
    path: Vec<Vec<u8>>,
    fault: Option<FaultReport>,
    dice: Dice,
}

impl<'a> Simulation<'a> {
    fn new(system: &'a dyn Explicit, seed: u64) -> Simulation<'a> {
        let mut explorer = system.explorer(&[]);
        let mut successors = Successors::new();
        explorer.initial(&mut successors);
        let fault = successors.faults().first().cloned();
        let mut simulation = Simulation {
            system,
            explorer,
            successors,
            path: Vec::new(),
            fault,
            dice: Dice::new(seed),
        };
        // Of several initial states one is chosen, and the seed stays what it is for one alone.
        let count = simulation.successors.len();
        let choice = match count {
            0 | 1 => 0,
            _ => simulation.dice.below(count),
        };
        if count > 0 {
            let state = simulation.successors.state(choice).to_vec();
            simulation.path.push(state);
        }
        simulation
    }

    fn random(&mut self, steps: u64) -> End {
        for _ in 0..steps {
            let Some(state) = self.path.last().cloned() else {
                break;
            };
            spend_many(1 + state.len() / 8);
            self.explorer.expand(&state, &mut self.successors);
            if let Some(report) = self.successors.faults().first().cloned() {
                let text = report.fault.kind.to_string();
                self.fault = Some(report);
                return End::Fault(text);
            }
            if self.successors.is_empty() {
                // Where runs do not end, there is no process that could wait.
                return match self.system.finished_runs() {
                    FinishedRuns::Ignore => End::NotTotal,
                    _ if self.explorer.is_valid_end(&state) => End::Proper,
                    _ => End::Deadlock,
                };
            }
            let choice = self.dice.below(self.successors.len());
            self.path.push(self.successors.state(choice).to_vec());
        }
        match &self.fault {
            Some(report) => End::Fault(report.fault.kind.to_string()),
            None => End::Limit,
        }
    }
}
