//! The run that an editor asks to step through: the counterexample of a property, or one at random.

use std::time::Duration;

use evenhand::report::text;
use evenhand::verify::random::{self, NoRun};
use evenhand::{Cancel, Check, Counterexample, LoadError, Model, Options, PropertyResult, Silent};
use serde::Deserialize;
use serde_json::Value;

use super::run::Run;
use crate::settings::Settings;

/// What a configuration of an editor can say, beside the settings of the server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Wanted {
    /// The file of the model.
    program: String,
    /// The property whose run is wanted; without one the first that is violated.
    property: Option<String>,
    /// A formula in place of a property.
    ltl: Option<String>,
    /// Assumptions as with `--fair`: one, or a list.
    fair: OneOrMore,
    no_fairness: bool,
    /// A run at random in place of a counterexample.
    simulate: bool,
    seed: u64,
    steps: u64,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted {
            program: String::new(),
            property: None,
            ltl: None,
            fair: OneOrMore::default(),
            no_fairness: false,
            simulate: false,
            seed: 0,
            steps: 100,
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Default for OneOrMore {
    fn default() -> OneOrMore {
        OneOrMore::More(Vec::new())
    }
}

/// A model and a run of it.
pub(super) struct Launched {
    pub model: Model,
    pub run: Run,
    /// What is to be said about it.
    pub told: String,
}

/// Finds the run that is wanted.
///
/// # Errors
/// Why there is none, in words.
pub(super) fn launch(arguments: &Value, cancel: &Cancel) -> Result<Launched, String> {
    let wanted = Wanted::deserialize(arguments).map_err(|error| error.to_string())?;
    let mut settings = Settings::default();
    settings.take(arguments);
    if wanted.program.is_empty() {
        return Err("which model? `program` names its file".to_string());
    }
    let budget = settings.budget().cancel(cancel.flag());
    let model = Model::load_with(&wanted.program, &settings.reading(budget));
    let model = model.map_err(|error| match error {
        LoadError::Rejected(wrong) => wrong.to_string(),
        other => other.to_string(),
    })?;
    let (run, ending, told) = match wanted.simulate {
        true => simulated(&model, &wanted, &settings, cancel)?,
        false => checked(&model, &wanted, &settings, cancel)?,
    };
    let run = Run::new(run, model.signature().files.clone(), ending);
    Ok(Launched { model, run, told })
}

type Found = (Counterexample, String, String);

fn simulated(
    model: &Model,
    wanted: &Wanted,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Found, String> {
    let mut options = Options::default();
    options.limit_time = Some(settings.time);
    options.limit_memory = Some(settings.memory);
    options.cancel = cancel.clone();
    let drawn = random::run(model.body(), wanted.seed, wanted.steps, &options);
    let (run, end) = drawn.map_err(|error| match error {
        NoRun::Exhausted(why) => why.to_string(),
        NoRun::Wrong(diagnostic) => diagnostic.message,
        NoRun::Replay(error) => error.message,
    })?;
    let told = format!(
        "a run of {} steps, drawn with seed {}",
        run.len(),
        wanted.seed
    );
    Ok((run, end.text(), told))
}

fn checked(
    model: &Model,
    wanted: &Wanted,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Found, String> {
    let mut check = settings.limit(Check::new(model)).cancel(cancel);
    // A person waits: a run that is short enough comes soon.
    check = check.budget(Duration::from_secs(5));
    if let Some(property) = &wanted.property {
        check = check.property(property);
    }
    if let Some(formula) = &wanted.ltl {
        check = check.ltl(formula);
    }
    let fair = match &wanted.fair {
        OneOrMore::One(text) => std::slice::from_ref(text),
        OneOrMore::More(list) => list.as_slice(),
    };
    for assumption in fair {
        check = check.fair(assumption.as_str());
    }
    if wanted.no_fairness {
        check = check.without_declared_fairness();
    }
    let report = check
        .run_with(&mut Silent)
        .map_err(|error| error.to_string())?;
    let line = |result: &PropertyResult| {
        let mut line = format!("{}: {}", result.name, text::word(result));
        if let evenhand::Verdict::Unknown(why) = &result.verdict {
            line += &format!(" ({})", text::reason(why));
        }
        line
    };
    let found = report.properties.iter().find_map(|result| {
        let run = result.verdict.run()?;
        Some((result, run))
    });
    let Some((result, run)) = found else {
        let lines: Vec<String> = report.properties.iter().map(line).collect();
        return Err(format!(
            "no run breaks a property ({}); with \"simulate\": true there is one at random",
            lines.join(", ")
        ));
    };
    let steps = match run.len() {
        1 => "1 step".to_string(),
        count => format!("{count} steps"),
    };
    let mut told = vec![format!("{} by a run of {steps}", line(result))];
    told.extend(run.why.iter().cloned());
    let ending = match &run.fault {
        Some((fault, _)) => fault.to_string(),
        None => format!("{} is violated", result.name),
    };
    Ok((run.clone(), ending, told.join("\n")))
}
