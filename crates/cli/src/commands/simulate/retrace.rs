//! A run that was written to a file before, followed on the model: `--replay`.
//!
//! Which statements are steps of their own may depend on what was asked: a label that a formula mentions can
//! become a place to stop at. So a record is tried on the model as it is, then with the questions that it
//! states, then with the formula that the record is about. Where a state has too many successors to look
//! for the right one, the record itself says which it is, and the system is asked whether it has these steps.

use std::path::Path;
use std::sync::Arc;

use evenhand::Model;
use evenhand_report::recorded::{JsonScript, Recorded, TrailScript};
use evenhand_source::{Diagnostic, MOST_BYTES, read_file};
use evenhand_system::specification::{Request, Wanted};
use evenhand_system::{Body, Explicit, FinishedRuns, Signature, Successors};
use evenhand_verify::random::End;
use evenhand_witness::{Counterexample, Followed, Lost, follow};

/// Among how many inputs of a step the recorded ones are looked for.
const MOST_INPUTS: usize = 1 << 12;

/// A run of the model.
pub(super) struct Retraced {
    /// The system in which it was found, if that is not the model as it is.
    pub place: Place,
    /// The run, told.
    pub run: Counterexample,
    /// For each state its number among the initial states, or the successors of the one before.
    pub numbers: Vec<usize>,
    /// How it ended.
    pub end: End,
    /// What else a person should know.
    pub note: Option<String>,
}

/// A system that a run was found in.
pub(super) enum Place {
    /// The model as it is.
    Model,
    /// The model with questions.
    Asked(Arc<dyn Body>),
    /// The steps of the run alone.
    Along(Box<dyn Explicit>),
}

/// Reads a record and finds its run.
///
/// # Errors
/// If it cannot be read, or the model has no such run.
pub(super) fn retrace(
    model: &Model,
    path: &Path,
    property: Option<&str>,
) -> Result<Retraced, Diagnostic> {
    let name = path.display();
    let text = read_file(path, MOST_BYTES)
        .map_err(|error| Diagnostic::global(format!("cannot read `{name}`: {error}")))?;
    let recorded = Recorded::read(&text, property)
        .map_err(|why| Diagnostic::global(format!("`{name}` has no run to follow: {why}")))?;
    let mut first = match on(model.body(), &recorded) {
        Ok(run) => return Ok(run),
        Err(why) => why,
    };
    if first.too_many
        && let Some(found) = along(model.body(), &recorded)
    {
        match found {
            Ok(run) => return Ok(run),
            Err(why) => first = why,
        }
    }
    for body in others(model, &recorded) {
        match on(&*body, &recorded) {
            Ok(mut run) => {
                run.place = Place::Asked(body);
                return Ok(run);
            }
            // The one that came furthest tells most.
            Err(why) if why.steps > first.steps => first = why,
            Err(_) => {}
        }
    }
    let help = "is it a run of this model, and was the model changed since?";
    let message = format!("the run of `{name}` cannot be followed: {}", first.message);
    Err(Diagnostic::global(message).help(help))
}

/// The model with questions that may change where a run can be looked at.
fn others(model: &Model, recorded: &Recorded) -> Vec<Arc<dyn Body>> {
    let mut stated = Request::default();
    stated.properties = Wanted::Stated;
    let mut requests = vec![stated];
    if let Recorded::Json(run) = recorded {
        let mut asked = Request::default();
        asked.properties = Wanted::Named(Vec::new());
        asked.linear = run.formula.iter().cloned().collect();
        requests.push(asked);
    }
    let resolved = requests.iter();
    let resolved = resolved.filter_map(|request| model.specification().resolve(request).ok());
    resolved.map(|inquiry| inquiry.body).collect()
}

/// Why a run could not be followed, and how far it could.
struct Off {
    steps: usize,
    message: String,
    /// Whether the reason is that not everything can be listed.
    too_many: bool,
}

fn off<P>(lost: &Lost<P>, next: impl Fn(&P) -> String) -> Off {
    let (steps, message) = match lost {
        Lost::NoBeginning => (0, "the model has no such initial state".to_string()),
        Lost::TooMany => {
            let message = "a state has too many successors to list them all";
            (0, message.to_string())
        }
        Lost::Off(steps, place) => {
            let next = next(place);
            let message = format!("after step {steps} nothing that the model does is {next}");
            (steps + 1, message)
        }
    };
    Off {
        steps,
        message,
        too_many: matches!(lost, Lost::TooMany),
    }
}

fn on(body: &dyn Body, recorded: &Recorded) -> Result<Retraced, Off> {
    let system = body.explicit().map_err(|refusal| Off {
        steps: 0,
        message: refusal.to_string(),
        too_many: true,
    })?;
    in_system(system, body.signature(), recorded)
}

/// The run in the part of a system that has nothing else, if that can be had.
fn along(body: &dyn Body, recorded: &Recorded) -> Option<Result<Retraced, Off>> {
    let Recorded::Json(run) = recorded else {
        return None;
    };
    let system = body.along(&run.positions(), run.turn)?.ok()?;
    let found = in_system(&*system, body.signature(), recorded);
    Some(found.map(|mut run| {
        run.place = Place::Along(system);
        // What follows the last state is not known here.
        run.end = End::Followed;
        run
    }))
}

fn in_system(
    system: &dyn Explicit,
    signature: &Signature,
    recorded: &Recorded,
) -> Result<Retraced, Off> {
    match recorded {
        Recorded::Json(run) => {
            let found = follow(system, &JsonScript(run, &signature.files));
            let mut found =
                found.map_err(|lost| off(&lost, |step| format!("step {}", step + 1)))?;
            // A step may be possible with several inputs; those that were recorded are told.
            let mut explorer = system.explorer(&[]);
            for step in 1..found.states.len() {
                let (from, to) = (&found.states[step - 1], &found.states[step]);
                if found.steps[step].inputs.is_empty() {
                    continue;
                }
                let all = explorer.all_inputs(from, to, MOST_INPUTS);
                if let Some(inputs) = run.choose_inputs(step, all) {
                    found.steps[step].inputs = inputs;
                }
            }
            Ok(retold(system, found, run.turn))
        }
        Recorded::Trail(trail) => {
            let found = follow(system, &TrailScript(trail, signature));
            let found = found.map_err(|lost| {
                off(&lost, |place| {
                    format!("statement {} of the trail", place.line + 1)
                })
            })?;
            let turn = trail.turn.map(|line| {
                let mut places = found.places.iter();
                places.position(|place| place.line >= line).unwrap_or(0)
            });
            Ok(retold(system, found, turn))
        }
    }
}

/// The run as people read it.
fn retold<P>(system: &dyn Explicit, found: Followed<P>, turn: Option<usize>) -> Retraced {
    let mut prefix = found.steps;
    let turn = turn.filter(|&turn| turn + 1 < prefix.len());
    let cycle = turn.map_or_else(Vec::new, |turn| prefix.split_off(turn + 1));
    let comes_back = turn.is_none_or(|turn| found.states.get(turn) == found.states.last());
    let note = (!comes_back).then(|| "the loop does not come back to where it begins".to_string());
    let end = match &found.fault {
        Some(report) => End::Fault(report.fault.kind.to_string()),
        None => ending(system, found.states.last()),
    };
    let fault = found.fault.map(|r| (r.fault.kind, r.fault.span));
    let run = Counterexample {
        prefix,
        cycle,
        fault,
        ..Counterexample::default()
    };
    Retraced {
        place: Place::Model,
        run,
        numbers: found.numbers,
        end,
        note,
    }
}

/// Whether a run can go on behind its last state.
fn ending(system: &dyn Explicit, last: Option<&Vec<u8>>) -> End {
    let Some(last) = last else {
        return End::Followed;
    };
    let (mut explorer, mut out) = (system.explorer(&[]), Successors::new());
    explorer.expand(last, &mut out);
    match out.is_empty() && out.faults().is_empty() {
        false => End::Followed,
        true if system.finished_runs() == FinishedRuns::Ignore => End::NotTotal,
        true if explorer.is_valid_end(last) => End::Proper,
        true => End::Deadlock,
    }
}
