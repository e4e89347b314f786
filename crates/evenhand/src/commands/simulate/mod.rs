//! `evenhand simulate`: one run, chosen at random or by hand.

mod choices;
mod interactive;
mod menu;
mod prompt;
mod watch;

use evenhand::Model;
use evenhand_report::{json, text};
use evenhand_system::{Explicit, Explorer, Signature, Successors};
use evenhand_witness::{Counterexample, replay};
use serde_json::json as make_json;

use super::{load, print, print_json, refused, wrong};
use crate::Exit;
use crate::cli::{Format, SimulateArguments};

pub(crate) fn run(arguments: &SimulateArguments) -> Exit {
    let model = match load(&arguments.model, &arguments.output) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
    let system = match model.explicit() {
        Ok(system) => system,
        Err(refusal) => return refused(&refusal, &arguments.output),
    };
    if arguments.interactive && arguments.output.format == Format::Json {
        let message = "a run by hand is told in text: `--format json` is for random runs";
        let diagnostic = evenhand_source::Diagnostic::global(message);
        return wrong(&[diagnostic], &model.signature().files, &arguments.output);
    }
    if arguments.interactive && arguments.model.model.as_os_str() == "-" {
        let message = "standard input cannot be the model and the hand that chooses";
        let diagnostic =
            evenhand_source::Diagnostic::global(message).help("write the model to a file");
        return wrong(&[diagnostic], &model.signature().files, &arguments.output);
    }
    if arguments.interactive {
        return match interactive::run(system, arguments) {
            Ok(exit) => exit,
            Err(message) => {
                let diagnostic = evenhand_source::Diagnostic::global(message);
                wrong(&[diagnostic], &model.signature().files, &arguments.output)
            }
        };
    }
    let mut simulation = Simulation::new(system, arguments.seed);
    if simulation.path.is_empty() && simulation.fault.is_none() {
        let diagnostic = evenhand_source::Diagnostic::global("the model has no initial state");
        return wrong(&[diagnostic], &model.signature().files, &arguments.output);
    }
    let outcome = simulation.random(arguments.steps);
    let mut run = match simulation.told() {
        Ok(run) => run,
        Err(error) => {
            let message = format!(
                "internal error: the run failed its replay: {}",
                error.message
            );
            let diagnostic = evenhand_source::Diagnostic::global(message);
            wrong(&[diagnostic], &model.signature().files, &arguments.output);
            return Exit::Internal;
        }
    };
    if !arguments.watch.is_empty()
        && let Err(message) = watch_only(&arguments.watch, system.signature(), &mut run)
    {
        let diagnostic = evenhand_source::Diagnostic::global(message);
        return wrong(&[diagnostic], &model.signature().files, &arguments.output);
    }
    // An SMV model has no proper ends, and no processes that could wait.
    let outcome = match (outcome, &model) {
        (Outcome::Deadlock, Model::Smv(_)) => Outcome::DeadEnd,
        (outcome, _) => outcome,
    };
    show(&model, &run, &outcome, arguments);
    match outcome {
        Outcome::Fault(_) | Outcome::Deadlock | Outcome::DeadEnd => Exit::Violated,
        Outcome::End | Outcome::Limit => Exit::Holds,
    }
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

enum Outcome {
    /// All processes ended properly.
    End,
    /// Nobody can move.
    Deadlock,
    /// No step is possible.
    DeadEnd,
    /// A run-time error.
    Fault(String),
    /// Enough steps.
    Limit,
}

impl Outcome {
    fn text(&self) -> String {
        match self {
            Outcome::End => "the run ends".to_string(),
            Outcome::Deadlock => "no process can move: an improper end".to_string(),
            Outcome::DeadEnd => "no step is possible: the relation is not total".to_string(),
            Outcome::Fault(text) => text.clone(),
            Outcome::Limit => "stopped after the number of steps asked for".to_string(),
        }
    }
}

struct Simulation<'a> {
    system: &'a dyn Explicit,
    explorer: Box<dyn Explorer + 'a>,
    successors: Successors,
    path: Vec<Vec<u8>>,
    fault: Option<evenhand_system::explicit::FaultReport>,
    dice: Dice,
}

/// Random numbers: SplitMix64, the same run for the same seed everywhere.
struct Dice(u64);

impl Dice {
    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((u128::from(z) * bound as u128) >> 64) as usize
    }
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
            dice: Dice(seed),
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

    fn random(&mut self, steps: u64) -> Outcome {
        for _ in 0..steps {
            let Some(state) = self.path.last().cloned() else {
                break;
            };
            self.explorer.expand(&state, &mut self.successors);
            if let Some(report) = self.successors.faults().first().cloned() {
                let text = report.fault.kind.to_string();
                self.fault = Some(report);
                return Outcome::Fault(text);
            }
            if self.successors.is_empty() {
                let proper = self.explorer.is_valid_end(&state);
                return if proper {
                    Outcome::End
                } else {
                    Outcome::Deadlock
                };
            }
            let choice = self.dice.below(self.successors.len());
            self.path.push(self.successors.state(choice).to_vec());
        }
        match &self.fault {
            Some(report) => Outcome::Fault(report.fault.kind.to_string()),
            None => Outcome::Limit,
        }
    }

    fn told(&self) -> Result<Counterexample, evenhand_witness::ReplayError> {
        replay(self.system, &self.path, self.fault.as_ref())
    }
}

fn show(model: &Model, run: &Counterexample, outcome: &Outcome, arguments: &SimulateArguments) {
    let files = &model.signature().files;
    if arguments.output.format == Format::Json {
        let steps = json::steps(&run.prefix, files);
        let document = make_json!({
            "schema": 1, "tool": "evenhand", "version": env!("CARGO_PKG_VERSION"),
            "model": model.signature().name, "seed": arguments.seed,
            "steps": steps, "outcome": outcome.text(),
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
    out.push_str(&outcome.text());
    out.push('\n');
    print(&out);
}
