//! Variables that a person watches: a run shows these and no others.

use evenhand_source::nearest;
use evenhand_system::Signature;
use evenhand_system::explicit::Value;
use evenhand_witness::TraceStep;

/// The variables of a state.
pub type Values = [(String, Value)];

/// The value of a variable, or of an element of an array: `x`, `p[0]:x`, `x[2]`.
pub fn find<'v>(name: &str, state: &'v Values) -> Option<&'v Value> {
    // Indices come off from behind until the rest is a variable.
    let mut rest = name;
    let mut indices: Vec<usize> = Vec::new();
    let mut value = loop {
        if let Some((_, value)) = state.iter().find(|(n, _)| n == rest) {
            break value;
        }
        let (array, index) = rest.strip_suffix(']')?.rsplit_once('[')?;
        indices.push(index.parse().ok()?);
        rest = array;
    };
    for index in indices.into_iter().rev() {
        let Value::List(list) = value else {
            return None;
        };
        value = list.get(index)?;
    }
    Some(value)
}

/// Whether a name is that of a variable in some of these states, or may be one later: that of a process
/// that was not yet created.
///
/// # Errors
/// If it is not; with the name that may have been meant.
pub fn check<'s>(
    name: &str,
    signature: &Signature,
    states: impl Iterator<Item = &'s Values> + Clone,
) -> Result<(), String> {
    if states.clone().any(|state| find(name, state).is_some()) {
        return Ok(());
    }
    if let Some((process, _)) = name.split_once("]:")
        && let Some((kind, pid)) = process.split_once('[')
        && signature.processes.iter().any(|p| p == kind)
        && pid.parse::<u8>().is_ok()
    {
        let own = format!("{process}]:");
        let mut names = states.clone().flatten().map(|(name, _)| name);
        if !names.any(|name| name.starts_with(&own)) {
            return Ok(());
        }
    }
    let names = states.flatten().map(|(name, _)| name.as_str());
    let near = nearest(name, names);
    let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Err(format!("there is no variable `{name}`{near}"))
}

/// The watched variables of a state; what is not there is left out.
pub fn only(watched: &[String], state: &Values) -> Vec<(String, Value)> {
    let values = watched
        .iter()
        .filter_map(|name| Some((name.clone(), find(name, state)?.clone())));
    values.collect()
}

/// A step with the watched variables alone; all of them if none is watched.
pub(crate) fn watched_step(watched: &[String], step: &TraceStep) -> TraceStep {
    let mut step = step.clone();
    if !watched.is_empty() {
        step.state = only(watched, &step.state);
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_arrays_are_variables() {
        let list = Value::List(vec![Value::Number(4), Value::Number(5)]);
        let state = [
            ("x".to_string(), list),
            ("p[0]:y".to_string(), Value::Truth(true)),
        ];
        assert_eq!(find("x[1]", &state), Some(&Value::Number(5)));
        assert_eq!(find("x[2]", &state), None);
        assert_eq!(find("p[0]:y", &state), Some(&Value::Truth(true)));
        let signature = Signature {
            processes: vec!["p".into()],
            ..Signature::default()
        };
        let check = |name: &str| check(name, &signature, [&state[..]].into_iter());
        assert!(check("p[3]:z").is_ok(), "it may come");
        assert!(check("p[0]:z").is_err() && check("q[3]:z").is_err());
        let near = "there is no variable `p[0]:Y2`; did you mean `p[0]:y`?";
        assert_eq!(check("p[0]:Y2"), Err(near.to_string()));
    }
}
