//! `evenhand simulate`: one run, chosen at random or by hand.

mod choices;
mod dice;
mod interactive;
mod menu;
mod prompt;
mod watch;

use evenhand::Model;
use evenhand_report::{VERSION, json, text};
use evenhand_source::{Budget, Diagnostic};
use evenhand_system::explicit::FaultReport;
use evenhand_system::{Explicit, Explorer, FinishedRuns, Signature, Successors};
use evenhand_witness::{Counterexample, ReplayError, replay};
use serde_json::json as make_json;

use self::dice::Dice;
use crate::arguments::{Format, SimulateArguments};
use crate::console::{print, print_json, refused, wrong};
use crate::input::load;
use crate::interrupt;
use crate::outcome::Outcome;

pub(crate) fn run(arguments: &SimulateArguments) -> Outcome {
    simulated(arguments).unwrap_or_else(|outcome| outcome)
}

fn simulated(arguments: &SimulateArguments) -> Result<Outcome, Outcome> {
    let output = &arguments.output;
    let budget = Budget::unlimited().cancel(interrupt::cancel().flag());
    let model = load(&arguments.model, budget, output)?;
    let system = model.body().explicit();
    let system = system.map_err(|refusal| refused(&refusal, output))?;
    let files = &model.signature().files;
    let refuse = |diagnostic: Diagnostic| wrong(&[diagnostic], files, output);
    if arguments.interactive && output.format == Format::Json {
        let message = "a run by hand is told in text: `--format json` is for random runs";
        return Err(refuse(Diagnostic::global(message)));
    }
    if arguments.interactive && arguments.model.model.as_os_str() == "-" {
        let message = "standard input cannot be the model and the hand that chooses";
        let diagnostic = Diagnostic::global(message).help("write the model to a file");
        return Err(refuse(diagnostic));
    }
    if arguments.interactive {
        let ended = interactive::run(system, arguments);
        return ended.map_err(|message| refuse(Diagnostic::global(message)));
    }
    let mut simulation = Simulation::new(system, arguments.seed);
    if simulation.path.is_empty() && simulation.fault.is_none() {
        let message = "the model has no initial state";
        return Err(refuse(Diagnostic::global(message)));
    }
    let end = simulation.random(arguments.steps);
    let mut run = simulation.told().map_err(|error| {
        let message = error.message;
        let message = format!("internal error: the run failed its replay: {message}");
        refuse(Diagnostic::global(message));
        Outcome::Internal
    })?;
    if !arguments.watch.is_empty() {
        let watched = watch_only(&arguments.watch, system.signature(), &mut run);
        watched.map_err(|message| refuse(Diagnostic::global(message)))?;
    }
    show(&model, &run, &end, arguments);
    Ok(match end {
        End::Fault(_) | End::Deadlock | End::NotTotal => Outcome::Violated,
        End::Proper | End::Limit => Outcome::Holds,
    })
}

/// Leaves only the watched variables in the states of a run.
fn watch_only(
    watched: &[String],
    signature: &Signature,
    run: &mut Counterexample,
) -> Result<(), String> {
    let states = run.prefix.iter().map(|step| step.state.as_slice());
    for name in watched {
        watch::check(name, signature, states.clone())?;
    }
    for step in &mut run.prefix {
        step.state = watch::only(watched, &step.state);
    }
    Ok(())
}

/// How a run ended.
enum End {
    /// All processes ended properly.
    Proper,
    /// Nobody can move.
    Deadlock,
    /// No step is possible, and no run may end.
    NotTotal,
    /// A run-time error.
    Fault(String),
    /// Enough steps.
    Limit,
}

impl End {
    fn text(&self) -> String {
        match self {
            End::Proper => "the run ends".to_string(),
            End::Deadlock => "no process can move: an improper end".to_string(),
            End::NotTotal => "no step is possible: the relation is not total".to_string(),
            End::Fault(text) => text.clone(),
            End::Limit => "stopped after the number of steps asked for".to_string(),
        }
    }
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
            simulation
                .path
                .push(simulation.successors.state(choice).to_vec());
        }
        simulation
    }

    fn random(&mut self, steps: u64) -> End {
        for _ in 0..steps {
            let Some(state) = self.path.last().cloned() else {
                break;
            };
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

    fn told(&self) -> Result<Counterexample, ReplayError> {
        replay(self.system, &self.path, self.fault.as_ref())
    }
}

fn show(model: &Model, run: &Counterexample, end: &End, arguments: &SimulateArguments) {
    let files = &model.signature().files;
    if arguments.output.format == Format::Json {
        let steps = json::steps(&run.prefix, files);
        let document = make_json!({
            "schema": 1, "tool": "evenhand", "version": VERSION,
            "model": model.signature().name, "seed": arguments.seed,
            "steps": steps, "outcome": end.text(),
        });
        print_json(&document);
        return;
    }
    let mut out = String::new();
    let mut before = None;
    for (number, step) in run.prefix.iter().enumerate() {
        text::write_step(&mut out, step, before, number, 0, files);
        before = Some(step);
    }
    out.push_str(&end.text());
    out.push('\n');
    print(&out);
}
