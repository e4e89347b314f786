//! Variables that a person watches, and inputs that a step is taken with.

use evenhand_report::watch::{Values, find};
use evenhand_system::explicit::Value;

/// The watched variables behind a step, one on a line, with what they were before it.
pub(super) fn lines(watched: &[String], before: Option<&Values>, state: &Values) -> String {
    let mut text = String::new();
    for name in watched {
        let shown = |state: &Values| find(name, state).map_or("(none)".into(), Value::to_string);
        let (old, new) = (before.map(&shown), shown(state));
        match old.filter(|old| *old != new) {
            Some(old) => text.push_str(&format!("        {name}: {old} → {new}\n")),
            None => text.push_str(&format!("        {name}: {new}\n")),
        }
    }
    text
}

/// At most so many inputs of a step are looked at.
pub(super) const MOST_INPUTS: usize = 64;

/// The inputs with which a step can be taken: `with go = true or false, mode = idle`.
pub(super) fn inputs(all: &[Vec<(String, Value)>]) -> String {
    let mut rows: Vec<Vec<(&str, String)>> = Vec::new();
    for row in all {
        // Which process was selected is told by its name.
        let row = row.iter().filter(|(name, _)| !name.starts_with('_'));
        let row: Vec<_> = row.map(|(n, v)| (n.as_str(), v.to_string())).collect();
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let Some(first) = rows.first().filter(|row| !row.is_empty()) else {
        return String::new();
    };
    let mut columns: Vec<(&str, Vec<String>)> = Vec::new();
    for (at, (name, _)) in first.iter().enumerate() {
        let mut values: Vec<String> = Vec::new();
        for (_, value) in rows.iter().filter_map(|row| row.get(at)) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        columns.push((name, values));
    }
    let combinations = columns.iter().try_fold(1usize, |product, (_, values)| {
        product.checked_mul(values.len())
    });
    let is_open = all.len() >= MOST_INPUTS;
    if combinations == Some(rows.len()) && !is_open {
        let columns = columns.into_iter();
        let columns = columns.map(|(name, values)| format!("{name} = {}", either(&values, false)));
        return format!("with {}", columns.collect::<Vec<_>>().join(", "));
    }
    let rows = rows.iter().map(|row| {
        let row = row.iter().map(|(name, value)| format!("{name} = {value}"));
        row.collect::<Vec<_>>().join(", ")
    });
    let rows: Vec<String> = rows.collect();
    format!("with {}", either(&rows, is_open))
}

/// `a or b or 7 others`.
fn either(list: &[String], is_open: bool) -> String {
    let shown = if list.len() > 4 { 3 } else { list.len() };
    let mut text = list[..shown].join(" or ");
    match list.len() - shown {
        0 => {}
        _ if is_open => text.push_str(" or others"),
        rest => text.push_str(&format!(" or {rest} others")),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[(&str, i64)]) -> Vec<(String, Value)> {
        let values = values.iter();
        values
            .map(|&(n, v)| (n.to_string(), Value::Number(v)))
            .collect()
    }

    #[test]
    fn inputs_that_do_not_depend_on_each_other_are_told_one_by_one() {
        let all = [
            row(&[("a", 0), ("b", 7)]),
            row(&[("a", 1), ("b", 7), ("_p", 1)]),
        ];
        assert_eq!(inputs(&all), "with a = 0 or 1, b = 7");
        let all = [row(&[("a", 0), ("b", 1)]), row(&[("a", 1), ("b", 0)])];
        assert_eq!(inputs(&all), "with a = 0, b = 1 or a = 1, b = 0");
        let all: Vec<_> = (0..30).map(|n| row(&[("n", n)])).collect();
        assert_eq!(inputs(&all), "with n = 0 or 1 or 2 or 27 others");
        assert_eq!(inputs(&[row(&[("_selected", 1)])]), "");
        assert_eq!(inputs(&[]), "");
    }

    #[test]
    fn what_changed_is_told_with_what_was_before() {
        let list = Value::List(vec![Value::Number(4), Value::Number(5)]);
        let state = [
            ("x".to_string(), list),
            ("p[0]:y".to_string(), Value::Truth(true)),
        ];
        let before = [("x".to_string(), Value::Number(1))];
        let watched = ["x".to_string(), "p[0]:y".to_string()];
        let text = lines(&watched, Some(&before), &state);
        assert_eq!(
            text,
            "        x: 1 → [4, 5]\n        p[0]:y: (none) → true\n"
        );
    }
}
