//! `evenhand simulate`: one run, chosen at random or by hand.

mod choices;
mod interactive;
mod line;
mod menu;
mod prompt;
mod retrace;
mod terminal;
mod watch;

use std::time::Instant;

use evenhand::Model;
use evenhand_report::run_layout::{RunStyle, write_run};
use evenhand_report::{VERSION, json, text, watch as variables};
use evenhand_source::{Diagnostic, Exhausted};
use evenhand_system::Signature;
use evenhand_verify::Options;
use evenhand_verify::random::{self, End, NoRun};
use evenhand_witness::Counterexample;
use serde_json::json as make_json;

use self::retrace::Place;
use crate::arguments::{Format, OutputArguments, RunLayout, SimulateArguments};
use crate::console::{exhausted, print, print_json, refused, wrong};
use crate::input::load;
use crate::interrupt;
use crate::outcome::Outcome;

pub(crate) fn run(arguments: &SimulateArguments) -> Outcome {
    simulated(arguments).unwrap_or_else(|outcome| outcome)
}

fn simulated(arguments: &SimulateArguments) -> Result<Outcome, Outcome> {
    let output = &arguments.output;
    let options = arguments.limits.options(interrupt::cancel());
    let begun = Instant::now();
    let model = load(&arguments.model, options.reading(), output)?;
    let options = options.since(begun);
    let exhausted = |why: Exhausted| exhausted(why, &why.to_string(), output);
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
    let retraced = match &arguments.replay {
        Some(path) => {
            let follow = || retrace::retrace(&model, path, arguments.property.as_deref());
            let run = options.budget_now().run(follow).map_err(exhausted)?;
            Some(run.map_err(refuse)?)
        }
        None => None,
    };
    if arguments.interactive {
        let system = match retraced.as_ref().map(|run| &run.place) {
            Some(Place::Along(system)) => Ok(&**system),
            Some(Place::Asked(body)) => body.explicit(),
            Some(Place::Model) | None => model.body().explicit(),
        };
        let system = system.map_err(|refusal| refused(&refusal, output))?;
        let numbers = retraced.as_ref().map(|run| run.numbers.clone());
        let converse = || interactive::run(system, arguments, numbers.unwrap_or_default());
        let ended = options.budget_now().run(converse).map_err(exhausted)?;
        return ended.map_err(|message| refuse(Diagnostic::global(message)));
    }
    let (mut run, end) = match retraced {
        Some(retraced) => {
            if let Some(note) = &retraced.note {
                print_note(note, output);
            }
            (retraced.run, retraced.end)
        }
        None => drawn(&model, arguments, &options, &refuse)?,
    };
    if !arguments.watch.is_empty() {
        let watched = watch_only(&arguments.watch, model.signature(), &mut run);
        watched.map_err(|message| refuse(Diagnostic::global(message)))?;
    }
    show(&model, &run, &end, arguments);
    Ok(match end {
        End::Fault(_) | End::Deadlock | End::NotTotal => Outcome::Violated,
        End::Proper | End::Limit | End::Followed => Outcome::Holds,
        End::Stopped(Exhausted::Interrupted, _) => Outcome::Interrupted,
        End::Unknown(_) | End::Stopped(..) => Outcome::Unknown,
    })
}

/// A random run.
fn drawn(
    model: &Model,
    arguments: &SimulateArguments,
    options: &Options,
    refuse: &dyn Fn(Diagnostic) -> Outcome,
) -> Result<(Counterexample, End), Outcome> {
    let drawn = random::run(model.body(), arguments.seed, arguments.steps, options);
    drawn.map_err(|error| match error {
        NoRun::Exhausted(why) => exhausted(why, &why.to_string(), &arguments.output),
        NoRun::Wrong(diagnostic) => refuse(diagnostic),
        NoRun::Replay(error) => {
            let message = error.message;
            let message = format!("internal error: the run failed its replay: {message}");
            refuse(Diagnostic::global(message));
            Outcome::Internal
        }
    })
}

/// Leaves only the watched variables in the states of a run.
fn watch_only(
    watched: &[String],
    signature: &Signature,
    run: &mut Counterexample,
) -> Result<(), String> {
    let states = run.prefix.iter().chain(&run.cycle);
    let states = states.map(|step| step.state.as_slice());
    for name in watched {
        variables::check(name, signature, states.clone())?;
    }
    for step in run.prefix.iter_mut().chain(&mut run.cycle) {
        step.state = variables::only(watched, &step.state);
    }
    Ok(())
}

/// Says something besides.
fn print_note(note: &str, output: &OutputArguments) {
    if output.format == Format::Text && !output.quiet {
        print(&format!("note: {note}\n"));
    }
}

fn show(model: &Model, run: &Counterexample, end: &End, arguments: &SimulateArguments) {
    let files = &model.signature().files;
    if arguments.output.format == Format::Json {
        let steps = json::steps(&run.prefix, files);
        let mut document = make_json!({
            "schema": 1, "tool": "evenhand", "version": VERSION,
            "model": model.signature().name, "seed": arguments.seed,
            "steps": steps, "outcome": end.text(),
        });
        if !run.cycle.is_empty() {
            document["cycle"] = json::steps(&run.cycle, files).into();
        }
        print_json(&document);
        return;
    }
    let mut out = String::new();
    match arguments.layout {
        RunLayout::List if run.cycle.is_empty() => {
            let mut before = None;
            for (number, step) in run.prefix.iter().enumerate() {
                text::write_step(&mut out, step, before, number, 0, files);
                before = Some(step);
            }
        }
        layout => {
            let style = RunStyle {
                watched: &[],
                layout: layout.into(),
            };
            let turns = !run.cycle.is_empty();
            write_run(&mut out, (&run.prefix, &run.cycle), turns, style, files);
        }
    }
    out.push_str(&end.text());
    out.push('\n');
    print(&out);
}
