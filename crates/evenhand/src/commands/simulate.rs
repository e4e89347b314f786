//! `evenhand simulate`: one run, chosen at random or by hand.

use std::io::{BufRead, Write};

use evenhand::Model;
use evenhand_report::{json, text};
use evenhand_system::{Explicit, Explorer, Successors};
use evenhand_witness::{Counterexample, replay};
use serde_json::json as make_json;

use super::{load, print, refused, wrong};
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
    let mut simulation = Simulation::new(system, arguments.seed);
    if simulation.path.is_empty() && simulation.fault.is_none() {
        let diagnostic = evenhand_source::Diagnostic::global("the model has no initial state");
        return wrong(&[diagnostic], &model.signature().files, &arguments.output);
    }
    if arguments.interactive {
        return simulation.interactive();
    }
    let outcome = simulation.random(arguments.steps);
    let run = match simulation.told() {
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
    random: u64,
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
            random: seed,
        };
        // Of several initial states one is chosen, and the seed stays what it is for one alone.
        let count = simulation.successors.len();
        let choice = match count {
            0 | 1 => 0,
            _ => simulation.below(count),
        };
        if count > 0 {
            simulation
                .path
                .push(simulation.successors.state(choice).to_vec());
        }
        simulation
    }

    /// A number below `bound`: SplitMix64, the same run for the same seed everywhere.
    fn below(&mut self, bound: usize) -> usize {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((u128::from(z) * bound as u128) >> 64) as usize
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
            let choice = self.below(self.successors.len());
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

    /// Chooses among the enabled steps; works over a plain terminal.
    fn interactive(&mut self) -> Exit {
        let signature = self.system.signature();
        let is_smv = signature.language == "smv";
        print("number: take that step · r: random step · u: undo · v: variables · q: quit\n");
        if let (true, Some(state)) = (is_smv, self.path.first()) {
            let values = self.explorer.describe(state).into_iter();
            let values = values.map(|(name, v)| format!("{name} = {}", text::value_text(&v)));
            print(&format!(
                "initial state: {}\n",
                values.collect::<Vec<_>>().join(", ")
            ));
        }
        let input = std::io::stdin();
        loop {
            let Some(state) = self.path.last().cloned() else {
                return Exit::Holds;
            };
            self.explorer.expand(&state, &mut self.successors);
            let count = self.successors.len();
            let mut options = Vec::new();
            for index in 0..count {
                if is_smv {
                    options.push(self.choice(&state, index));
                    continue;
                }
                let step = self.successors.step(index);
                let info = &signature.actions[step.action as usize];
                let mut who = self.explorer.process_name(&state, step.process);
                if step.partner != evenhand_system::explicit::NO_PROCESS {
                    who.push_str(" + ");
                    who.push_str(&self.explorer.process_name(&state, step.partner));
                }
                let line = signature.files.position(info.span).line;
                let mark = if step.fault > 0 { "  (fails)" } else { "" };
                options.push(format!(
                    "  {:>3}  {who}  line {line}  {}{mark}\n",
                    index + 1,
                    info.text
                ));
            }
            for report in self.successors.faults() {
                options.push(format!("   !   {}\n", report.fault.kind));
            }
            print(&format!(
                "\nstep {}\n{}",
                self.path.len() - 1,
                options.concat()
            ));
            if count == 0 {
                let proper = self.explorer.is_valid_end(&state);
                print(match (proper, is_smv) {
                    (true, _) => "  the run ends\n",
                    (false, false) => "  no process can move\n",
                    (false, true) => "  no step is possible\n",
                });
            }
            print("> ");
            let _ = std::io::stdout().flush();
            let mut line = String::new();
            if !matches!(input.lock().read_line(&mut line), Ok(n) if n > 0) {
                print("\n");
                return Exit::Holds;
            }
            match line.trim() {
                "q" | "quit" => return Exit::Holds,
                "u" | "undo" => {
                    if self.path.len() > 1 {
                        self.path.pop();
                    }
                }
                "v" | "variables" => {
                    for (name, value) in self.explorer.describe(&state) {
                        print(&format!("  {name} = {}\n", text::value_text(&value)));
                    }
                }
                "r" | "" if count > 0 => {
                    let choice = self.below(count);
                    self.take(choice);
                }
                word => match word.parse::<usize>() {
                    Ok(number) if (1..=count).contains(&number) => self.take(number - 1),
                    _ => print(&format!("  `{word}` is no choice\n")),
                },
            }
        }
    }

    /// A step that is given by constraints: who takes it, and what changes.
    fn choice(&mut self, state: &[u8], index: usize) -> String {
        let step = self.successors.step(index);
        let target = self.successors.state(index).to_vec();
        let who = self.explorer.process_name(state, step.process);
        let before = self.explorer.describe(state);
        let after = self.explorer.describe(&target).into_iter().zip(before);
        let changes: Vec<String> = after
            .filter(|(new, old)| new != old)
            .map(|((name, value), _)| format!("{name} = {}", text::value_text(&value)))
            .collect();
        let changes = match changes.is_empty() {
            true => "nothing changes".to_string(),
            false => changes.join(", "),
        };
        format!("  {:>3}  {who}  {changes}\n", index + 1)
    }

    fn take(&mut self, index: usize) {
        self.path.push(self.successors.state(index).to_vec());
        let last = &self.path[self.path.len().saturating_sub(2)..];
        if let [from, to] = last
            && let Ok(step) = evenhand_witness::tell_step(self.system, from, to)
        {
            let mut out = String::new();
            let files = &self.system.signature().files;
            text::write_step(
                &mut out,
                &step.1,
                Some(&step.0),
                self.path.len() - 1,
                0,
                files,
            );
            print(&out);
        }
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
        print(&format!("{document:#}\n"));
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
