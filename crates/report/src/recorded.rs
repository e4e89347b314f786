//! Runs that were written before, to be followed on the model: those of the JSON of `check` and
//! `simulate`, and trails of SPIN.
//!
//! The JSON names for each step who did what, and the variables behind it. A trail has the numbers of statements
//! (see [`trail`](crate::trail)). If SPIN wrote it, it begins with lines that are no steps: `-2` says that a
//! claim takes part, which is process 0 there and makes all others one more; `-4` that statements were
//! merged, so that a process may execute further ones behind the one that is named.

use evenhand_source::Files;
use evenhand_system::explicit::Value;
use evenhand_system::{ProcessId, Signature};
use evenhand_witness::{Script, TraceStep};
use serde_json::{Map, Value as Json};

use crate::json::{step, value_json};

/// A run that was written down.
#[derive(Debug)]
pub enum Recorded {
    /// As JSON.
    Json(JsonRun),
    /// As a trail.
    Trail(Trail),
}

/// A run in JSON.
#[derive(Debug)]
pub struct JsonRun {
    /// The property that it breaks, if it says so.
    pub property: Option<String>,
    /// The formula of that property.
    pub formula: Option<String>,
    first: Json,
    steps: Vec<Json>,
    /// Behind which step the loop begins.
    pub turn: Option<usize>,
}

/// A trail.
#[derive(Debug)]
pub struct Trail {
    /// Process and statement of each line.
    lines: Vec<(u32, u32)>,
    /// Before which line the loop begins.
    pub turn: Option<usize>,
    merged: bool,
}

impl Recorded {
    /// Reads a run; of JSON that has several, that of the named property, or else the first.
    ///
    /// # Errors
    /// If there is none; in words.
    pub fn read(text: &str, property: Option<&str>) -> Result<Recorded, String> {
        match text.trim_start().starts_with(['{', '[']) {
            true => JsonRun::read(text, property).map(Recorded::Json),
            false if property.is_some() => {
                Err("a trail has one run, which names no property".to_string())
            }
            false => Trail::read(text).map(Recorded::Trail),
        }
    }
}

fn list<'j>(value: &'j Json, name: &str) -> &'j [Json] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

impl JsonRun {
    fn read(text: &str, property: Option<&str>) -> Result<JsonRun, String> {
        let document: Json =
            serde_json::from_str(text).map_err(|error| format!("this is no JSON: {error}"))?;
        let own = |value: &Json, name: &str| value[name].as_str().map(str::to_string);
        let properties = list(&document, "properties").iter();
        let named = |p: &&Json| property.is_none_or(|name| p["name"] == name);
        let mut broken = properties
            .clone()
            .filter(named)
            .filter(|p| !p["counterexample"].is_null());
        let (run, about) = match broken.next() {
            Some(about) => (&about["counterexample"], about),
            None if document["properties"].is_array() => {
                return Err(match property {
                    Some(name) if properties.clone().all(|p| p["name"] != name) => {
                        format!("there is no property `{name}` in it")
                    }
                    Some(name) => format!("there is no run of `{name}` in it"),
                    None => "there is no run in it: no property is violated".to_string(),
                });
            }
            None => (&document, &Json::Null),
        };
        // A random run has one list of steps.
        let (prefix, cycle) = match run["steps"].is_array() {
            true => (list(run, "steps"), list(run, "cycle")),
            false => (list(run, "prefix"), list(run, "cycle")),
        };
        let Some((first, rest)) = prefix.split_first() else {
            return Err("there is no run in it".to_string());
        };
        // Where nothing moves any more there is no step to follow.
        let moves = |step: &&Json| step["kind"] != "stutter";
        let steps: Vec<Json> = rest.iter().chain(cycle).filter(moves).cloned().collect();
        let turns = cycle.iter().any(|step| moves(&step));
        Ok(JsonRun {
            property: own(about, "name"),
            formula: own(about, "formula").filter(|_| about["kind"] == "ltl"),
            first: first.clone(),
            steps,
            turn: turns.then_some(rest.len()),
        })
    }
}

impl JsonRun {
    /// For each state its variables, and the inputs of the step out of it.
    pub fn positions(&self) -> Vec<Inputs> {
        let values = |step: Option<&Json>, part: &str| -> Inputs {
            let object = step.and_then(|step| step[part].as_object());
            let pairs = object.into_iter().flatten();
            let read = pairs.filter_map(|(name, json)| Some((name.clone(), value_of(json)?)));
            read.collect()
        };
        let all = || std::iter::once(&self.first).chain(&self.steps);
        // The last state of a loop is the one in which it begins.
        let count = self.steps.len() + usize::from(self.turn.is_none());
        let mut positions = Vec::new();
        for (at, step) in all().enumerate().take(count.max(1)) {
            let mut position = values(Some(step), "state");
            position.extend(values(self.steps.get(at), "inputs"));
            positions.push(position);
        }
        positions
    }

    /// The inputs among these that a step is recorded with; steps count from 1.
    pub fn choose_inputs(&self, step: usize, all: Vec<Inputs>) -> Option<Inputs> {
        let recorded = self.steps.get(step.checked_sub(1)?)?["inputs"].as_object()?;
        let same = |inputs: &Inputs| {
            let mut pairs = inputs.iter();
            inputs.len() == recorded.len()
                && pairs.all(|(name, value)| recorded.get(name) == Some(&value_json(value)))
        };
        all.into_iter().find(same)
    }
}

/// A value from JSON.
fn value_of(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Bool(truth) => Value::Truth(*truth),
        Json::Number(number) => Value::Number(number.as_i64()?),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(list) => Value::List(list.iter().map(value_of).collect::<Option<_>>()?),
        Json::Null | Json::Object(_) => return None,
    })
}

/// Inputs of a step.
pub type Inputs = Vec<(String, Value)>;

/// Whether all variables that a record names have these values.
fn same_state(recorded: &Json, state: &[(String, Value)]) -> bool {
    let Some(recorded) = recorded["state"].as_object() else {
        return true;
    };
    let values: Map<String, Json> = state
        .iter()
        .map(|(name, value)| (name.clone(), value_json(value)))
        .collect();
    recorded.iter().all(|(name, value)| {
        let known = values.get(name);
        // Of arrays a record may have single elements.
        known.map_or_else(
            || crate::watch::find(name, state).is_some_and(|v| value_json(v) == *value),
            |known| known == value,
        )
    })
}

/// A run in JSON beside the files of a model.
#[derive(Debug)]
pub struct JsonScript<'r>(pub &'r JsonRun, pub &'r Files);

impl Script for JsonScript<'_> {
    type Place = usize;

    fn start(&self) -> usize {
        0
    }

    fn begins(&self, state: &[(String, Value)]) -> bool {
        same_state(&self.0.first, state)
    }

    fn is_over(&self, place: &usize) -> bool {
        *place >= self.0.steps.len()
    }

    fn leads_to(&self, place: &usize, state: &[(String, Value)]) -> bool {
        let recorded = self.0.steps.get(*place);
        recorded.is_some_and(|recorded| same_state(recorded, state))
    }

    fn after(&self, place: &usize, told: &TraceStep) -> Option<(usize, u32)> {
        let recorded = self.0.steps.get(*place)?;
        let told = step(told, self.1);
        let same = |a: &Json, b: &Json, name: &str| a[name].is_null() || a[name] == b[name];
        let fits = same(recorded, &told, "process")
            && same(recorded, &told, "processes")
            && same(recorded, &told, "action");
        let (known, own) = (list(recorded, "substeps"), list(&told, "substeps"));
        let inside = known.len() == own.len()
            && known
                .iter()
                .zip(own)
                .all(|(a, b)| same(a, b, "process") && same(a, b, "action"));
        // Lines move when a model is edited; they decide among equals.
        let rank =
            u32::from(same(recorded, &told, "line")) + u32::from(same(recorded, &told, "inputs"));
        (fits && (known.is_empty() || inside)).then_some((place + 1, rank))
    }
}

impl Trail {
    fn read(text: &str) -> Result<Trail, String> {
        let mut trail = Trail {
            lines: Vec::new(),
            turn: None,
            merged: false,
        };
        let mut has_claim = false;
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let parts: Option<Vec<i64>> = line.split(':').map(|n| n.trim().parse().ok()).collect();
            let Some([depth, process, statement]) = parts.as_deref() else {
                let number = number + 1;
                return Err(format!(
                    "line {number} is neither JSON nor `depth:process:statement`"
                ));
            };
            match depth {
                -1 => trail.turn = Some(trail.lines.len()),
                -2 => has_claim = true,
                -4 => trail.merged = true,
                depth if *depth < 0 => {}
                _ if has_claim && *process == 0 => {}
                _ => {
                    let process = process - i64::from(has_claim);
                    let pair = (u32::try_from(process), u32::try_from(*statement));
                    let (Ok(process), Ok(statement)) = pair else {
                        return Err(format!("line {} names no process", number + 1));
                    };
                    trail.lines.push((process, statement));
                }
            }
        }
        match trail.lines.is_empty() {
            true => Err("there is no step in it".to_string()),
            false => Ok(trail),
        }
    }
}

/// A place in a trail: how many lines were executed, and who executed the last of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrailPlace {
    /// How many lines were executed.
    pub line: usize,
    last: Option<ProcessId>,
}

/// A trail beside what a model is about.
#[derive(Debug)]
pub struct TrailScript<'r>(pub &'r Trail, pub &'r Signature);

impl Script for TrailScript<'_> {
    type Place = TrailPlace;

    fn start(&self) -> TrailPlace {
        TrailPlace {
            line: 0,
            last: None,
        }
    }

    fn begins(&self, _: &[(String, Value)]) -> bool {
        true
    }

    fn is_over(&self, place: &TrailPlace) -> bool {
        place.line >= self.0.lines.len()
    }

    fn leads_to(&self, _: &TrailPlace, _: &[(String, Value)]) -> bool {
        true
    }

    fn after(&self, place: &TrailPlace, told: &TraceStep) -> Option<(TrailPlace, u32)> {
        let (trail, mut place) = (self.0, *place);
        let before = place.line;
        for &(process, action) in &told.executed {
            let Some(line) = trail.lines.get(place.line) else {
                break; // it ends within an atomic stretch
            };
            let info = self.1.actions.get(action.index())?;
            let is_named = info.statement == Some(line.1) && process.number() == line.0;
            if is_named {
                place.line += 1;
                place.last = Some(process);
            } else if !(trail.merged && place.last == Some(process)) {
                return None;
            }
        }
        Some((place, u32::from(place.line > before)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Recorded, Trail};

    #[test]
    fn what_is_no_run_is_said_to_be_none() {
        let read = |text: &str| Recorded::read(text, None).map(|_| ()).unwrap_err();
        assert!(read("{").contains("no JSON"));
        assert!(read("{}").contains("no run"));
        assert!(read(r#"{"properties": []}"#).contains("no property is violated"));
        assert!(read("").contains("no step"));
        assert!(read("1:2").contains("line 1"));
        assert!(read("1:0:3\nx:y:z").contains("line 2"));
        assert!(read("1:-3:3").contains("no process"));
    }

    #[test]
    fn lines_about_a_claim_are_no_steps() {
        let trail = Trail::read("-2:2:-2\n-4:-4:-4\n1:0:24\n2:1:0\n-1:-1:-1\n3:2:9\n");
        let trail = trail.expect("a trail");
        assert_eq!(trail.lines, [(0, 0), (1, 9)]);
        assert_eq!((trail.turn, trail.merged), (Some(1), true));
    }
}
