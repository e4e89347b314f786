//! A run as data for the page: columns, rows, arrows, and only what changes.
//!
//! A run of ten thousand steps with whole states would be a large page and a slow one. Texts are written
//! once, in a table, and known by their numbers; of a state only the variables that differ from the
//! state before are written. Arrays of more than a few elements count as many variables, so that a
//! step that changes one element costs one element.

use std::collections::{BTreeMap, BTreeSet};

use evenhand_source::{Files, Span, spend};
use evenhand_system::explicit::Value;
use evenhand_witness::{Counterexample, StepKind, TraceStep};
use serde_json::{Value as Json, json};

use super::messages::{Arrow, arrows};
use super::picture::picture;
use super::{Page, diagram};
use crate::reasons;
use crate::steps::left_out;
use crate::text::headline;
use evenhand_system::Kind;
use evenhand_system::signature::ValueSource;
use evenhand_verify::PropertyResult;

/// Longer arrays are shown element by element.
const SHORT_ARRAY: usize = 16;

/// A run as data.
pub(super) fn run(result: &PropertyResult, run: &Counterexample, page: &Page<'_>) -> Json {
    let (files, sources) = (page.files, page.sources);
    let steps: Vec<&TraceStep> = run.prefix.iter().chain(&run.cycle).collect();
    let columns = columns(run, &steps);
    let mut table = Table::default();
    let mut variables = Variables::new(&steps);
    let mut before: Option<&TraceStep> = None;
    let mut rows: Vec<Json> = Vec::new();
    for &step in &steps {
        spend();
        let places = match step.span {
            Some(_) => Vec::new(),
            None => places(before, step, sources, files),
        };
        let texts = (&mut table, &mut variables);
        rows.push(row(step, &columns, texts, files, &places));
        before = Some(step);
    }
    let arrows: Vec<Json> = arrows(&steps)
        .iter()
        .map(|a| arrow(a, &columns, &mut table))
        .collect();
    let fault = run.fault.map(|(kind, span)| {
        let (file, line) = place(Some(span), files);
        json!({ "message": kind.to_string(), "file": file, "line": line })
    });
    let evidence: Vec<Json> = run
        .evidence
        .iter()
        .map(|e| {
            let (sentence, step) = reasons::told(e, run);
            json!({
                "assumption": e.assumption, "fairness": e.source,
                "sentence": sentence, "step": step,
            })
        })
        .collect();
    let entry = (!run.cycle.is_empty()).then(|| run.prefix.len().saturating_sub(1));
    json!({
        "headline": headline(result, run, files),
        "entry": entry,
        "stays": run.stays(),
        "columns": columns,
        "variables": variables.names,
        "texts": table.texts,
        "steps": rows,
        "arrows": arrows,
        "fault": fault,
        "end": end(result, run),
        "evidence": evidence,
        "why": reasons::reasons(result, run),
        "automaton": run.observed.as_ref().map(|o| picture(o)),
        "diagram": page.diagram.map(|d| diagram::part(d, steps.iter().map(|s| s.action.as_str()))),
    })
}

/// What is to say of a run that stays where it is: because nothing can move, or although something could.
fn staying(run: &Counterexample) -> &'static str {
    match run.cycle.iter().all(|step| step.action.is_empty()) {
        true => "nothing moves any more, for ever",
        false => "the run stays where it is, for ever: no fairness demands a step",
    }
}

/// What is to say where a finite run ends.
fn end(result: &PropertyResult, run: &Counterexample) -> Option<String> {
    match (&run.fault, result.kind) {
        (Some((kind, _)), _) => Some(kind.to_string()),
        _ if run.stays() => Some(staying(run).to_string()),
        _ if !run.cycle.is_empty() => None,
        (None, Kind::Deadlock) => {
            Some("no process can move, and not all are at a proper end".to_string())
        }
        (None, Kind::Trace) => Some("the run breaks the trace declaration".to_string()),
        (None, Kind::Invariant) => Some("the invariant does not hold here".to_string()),
        (None, Kind::Total) => Some("no step is possible from here".to_string()),
        (None, _) => Some("whatever follows, the property is broken".to_string()),
    }
}

/// The processes, by number; one column for everything where there are none. Those that never move are
/// there too: that they do not is often the point.
pub(super) fn columns(run: &Counterexample, steps: &[&TraceStep]) -> Vec<String> {
    let mut names: Vec<String> = run.processes.clone();
    for step in steps {
        let substeps = step.substeps.iter().map(|s| &s.process);
        let messages = step.messages.iter().map(|m| &m.process);
        for name in step.processes.iter().chain(substeps).chain(messages) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    if names.is_empty() {
        return vec!["system".to_string()];
    }
    let number = |name: &str| {
        let inner = name
            .rsplit_once('[')
            .and_then(|(_, end)| end.strip_suffix(']'));
        inner
            .and_then(|n| n.parse::<u32>().ok())
            .unwrap_or(u32::MAX)
    };
    names.sort_by_key(|name| number(name));
    names
}

/// Texts that are written once.
#[derive(Default)]
struct Table {
    texts: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Table {
    fn number(&mut self, text: &str) -> usize {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        self.texts.push(text.to_string());
        self.numbers.insert(text.to_string(), self.texts.len() - 1);
        self.texts.len() - 1
    }
}

/// The variables of a run and their latest values.
struct Variables {
    names: Vec<String>,
    numbers: BTreeMap<(String, usize), usize>,
    /// The value of each variable in the state before, as a number of a text; none if it is not there.
    latest: Vec<Option<usize>>,
    /// The names of arrays that are shown element by element, with their lengths.
    arrays: BTreeMap<String, usize>,
    /// The names of values that are shown part by part: they always have the same parts.
    wholes: BTreeSet<String>,
}

impl Variables {
    fn new(steps: &[&TraceStep]) -> Variables {
        // A list that always has the same length is an array; a channel grows and shrinks.
        let mut arrays: BTreeMap<String, usize> = BTreeMap::new();
        let mut others: Vec<String> = Vec::new();
        for (name, value) in steps.iter().flat_map(|s| &s.state) {
            if let Value::List(list) = value
                && (list.len() > SHORT_ARRAY || arrays.contains_key(name))
            {
                let length = *arrays.entry(name.clone()).or_insert(list.len());
                if length != list.len() {
                    others.push(name.clone());
                }
            }
        }
        arrays.retain(|name, _| !others.contains(name));
        let wholes = wholes(steps);
        Variables {
            names: Vec::new(),
            numbers: BTreeMap::new(),
            latest: Vec::new(),
            arrays,
            wholes,
        }
    }

    /// What a step changes: pairs of a variable and a text; -1 for a variable that is gone.
    fn changes(&mut self, step: &TraceStep, table: &mut Table) -> Vec<(usize, i64)> {
        let mut values: Vec<Option<usize>> = vec![None; self.names.len()];
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, value) in &step.state {
            // Names can occur twice, for channels that were made at run time.
            let count = met.entry(name).or_insert(0);
            *count += 1;
            let count = *count;
            match value {
                Value::List(list) if self.arrays.contains_key(name) => {
                    for (index, element) in list.iter().enumerate() {
                        let name = format!("{name}[{index}]");
                        self.set(name, count, element.to_string(), table, &mut values);
                    }
                }
                Value::Whole(_, parts) if self.wholes.contains(name) => {
                    for (key, part) in parts {
                        let name = format!("{name}{key}");
                        self.set(name, count, part.to_string(), table, &mut values);
                    }
                }
                _ => self.set(name.clone(), count, value.to_string(), table, &mut values),
            }
        }
        let mut changes = Vec::new();
        for (variable, value) in values.iter().enumerate() {
            if self.latest[variable] != *value {
                changes.push((variable, value.map_or(-1, |v| v as i64)));
            }
        }
        self.latest = values;
        changes
    }

    fn set(
        &mut self,
        name: String,
        count: usize,
        text: String,
        table: &mut Table,
        values: &mut Vec<Option<usize>>,
    ) {
        let key = (name, count);
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None => {
                let number = self.names.len();
                self.names.push(key.0.clone());
                self.latest.push(None);
                values.push(None);
                self.numbers.insert(key, number);
                number
            }
        };
        values[number] = Some(table.number(&text));
    }
}

/// A value of more parts than this is shown as a whole.
const MOST_PARTS: usize = 40;

/// The names of variables that have the same parts in all states, and more than one.
fn wholes(steps: &[&TraceStep]) -> BTreeSet<String> {
    let mut known: BTreeMap<&str, Option<Vec<&str>>> = BTreeMap::new();
    for (name, value) in steps.iter().flat_map(|step| &step.state) {
        let parts: Option<Vec<&str>> = match value {
            Value::Whole(_, parts) if parts.len() > 1 && parts.len() <= MOST_PARTS => {
                Some(parts.iter().map(|(key, _)| key.as_str()).collect())
            }
            _ => None,
        };
        let before = known.entry(name).or_insert_with(|| parts.clone());
        if *before != parts {
            *before = None;
        }
    }
    let constant = known.into_iter().filter(|(_, parts)| parts.is_some());
    constant.map(|(name, _)| name.to_string()).collect()
}

/// A step: kind, columns, text, file, line, changes, and, where there is more, substeps, output, inputs and
/// the places that values come from.
fn row(
    step: &TraceStep,
    columns: &[String],
    (table, variables): (&mut Table, &mut Variables),
    files: &Files,
    places: &[(u32, u32, u32)],
) -> Json {
    let kind = match step.kind {
        StepKind::Init => 0,
        StepKind::Step => 1,
        StepKind::Stutter => 2,
    };
    let mut own: Vec<usize> = step
        .processes
        .iter()
        .filter_map(|p| column(columns, p))
        .collect();
    if own.is_empty() && step.kind == StepKind::Step {
        own.push(0);
    }
    let (file, line) = place(step.span, files);
    let changes = variables.changes(step, table);
    let mut substeps: Vec<Json> = step
        .substeps
        .iter()
        .map(|s| {
            let (file, line) = place(Some(s.span), files);
            json!([
                column(columns, &s.process),
                table.number(&s.action),
                file,
                line
            ])
        })
        .collect();
    if step.omitted > 0 {
        // One row stands for those that are left out.
        let middle = substeps.len() / 2;
        let mut row = substeps[middle].clone();
        row[1] = json!(table.number(&left_out(step.omitted)));
        substeps.insert(middle, row);
    }
    let line_is_missing = line.is_none();
    // A step that is given by constraints has no statement, only somebody who takes it.
    let is_told = !step.processes.contains(&step.action) || line.is_some();
    let action = table.number(if is_told { &step.action } else { "" });
    let inputs: Vec<(usize, usize)> = step
        .inputs
        .iter()
        .filter(|(name, _)| !name.starts_with('_'))
        .map(|(name, value)| (table.number(name), table.number(&value.to_string())))
        .collect();
    let (file, line) = match places.first() {
        Some(&(file, line, _)) if line_is_missing => (Some(file), Some(line)),
        _ => (file, line),
    };
    let mut row = vec![
        json!(kind),
        json!(own),
        json!(action),
        json!(file),
        json!(line),
        json!(changes),
    ];
    // What is missing at the end means nothing.
    let has_more = [
        !substeps.is_empty(),
        !step.printed.is_empty(),
        !inputs.is_empty(),
        !places.is_empty(),
    ];
    let more = [
        json!(substeps),
        json!(step.printed),
        json!(inputs),
        json!(places),
    ];
    let count = has_more.iter().rposition(|&has| has).map_or(0, |at| at + 1);
    row.extend(more.into_iter().take(count));
    Json::Array(row)
}

/// The places that say what values the variables got that a step changes, in the order of the text: file, first
/// and last line. In the initial state all variables get one.
fn places(
    before: Option<&TraceStep>,
    step: &TraceStep,
    sources: &[ValueSource],
    files: &Files,
) -> Vec<(u32, u32, u32)> {
    let changed = step
        .state
        .iter()
        .enumerate()
        .filter(|&(at, (name, value))| {
            let old = before.and_then(|before| before.state.get(at));
            old.is_none_or(|(n, v)| n != name || v != value)
        });
    let changed: BTreeSet<&str> = changed.map(|(_, (name, _))| name.as_str()).collect();
    let initial = before.is_none();
    let fits = |source: &&ValueSource| {
        let by = source.process.as_ref();
        source.initial == initial
            && changed.contains(source.variable.as_str())
            && (initial || by.is_none_or(|by| step.processes.contains(by)))
    };
    let spans = sources.iter().filter(fits).map(|source| source.span);
    let lines = spans.filter_map(|span| {
        let (file, first) = place(Some(span), files);
        let end = Span {
            start: span.end.saturating_sub(1).max(span.start),
            ..span
        };
        Some((file?, first?, place(Some(end), files).1?))
    });
    let lines: BTreeSet<(u32, u32, u32)> = lines.collect();
    lines.into_iter().collect()
}

fn column(columns: &[String], name: &str) -> Option<usize> {
    columns.iter().position(|c| c == name)
}

/// The file, by number, and the line.
fn place(span: Option<Span>, files: &Files) -> (Option<u32>, Option<u32>) {
    // Models that were written in a programming language have no files.
    let is_known = |span: &Span| files.iter().any(|(id, _)| id == span.file);
    match span.filter(is_known) {
        Some(span) => (Some(span.file.0), Some(files.position(span).line)),
        None => (None, None),
    }
}

/// An arrow: row and column of its two ends (null where it is not seen), channel, message.
fn arrow(arrow: &Arrow, columns: &[String], table: &mut Table) -> Json {
    let end = |end: &Option<(String, usize)>| match end {
        Some((process, step)) => json!([step, column(columns, process)]),
        None => Json::Null,
    };
    let fields: Vec<String> = arrow.fields.iter().map(ToString::to_string).collect();
    let (from, to) = (end(&arrow.from), end(&arrow.to));
    let (channel, fields) = (
        table.number(&arrow.channel),
        table.number(&fields.join(", ")),
    );
    json!([from, to, channel, fields])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(state: &[(&str, Value)]) -> TraceStep {
        TraceStep {
            kind: StepKind::Step,
            process: None,
            processes: Vec::new(),
            action: String::new(),
            span: None,
            body: None,
            substeps: Vec::new(),
            omitted: 0,
            printed: String::new(),
            message: None,
            messages: Vec::new(),
            inputs: Vec::new(),
            state: state
                .iter()
                .map(|(n, v)| ((*n).to_string(), v.clone()))
                .collect(),
            executed: Vec::new(),
        }
    }

    /// The values that the page shows behind each step, made from the changes alone.
    fn rebuilt(steps: &[TraceStep]) -> Vec<Vec<(String, String)>> {
        let steps: Vec<&TraceStep> = steps.iter().collect();
        let mut table = Table::default();
        let mut variables = Variables::new(&steps);
        let mut now: BTreeMap<usize, i64> = BTreeMap::new();
        let mut all = Vec::new();
        for step in &steps {
            for (variable, text) in variables.changes(step, &mut table) {
                assert_ne!(now.insert(variable, text), Some(text), "it changes");
            }
            let there = now.iter().filter(|&(_, &text)| text >= 0);
            let told = there.map(|(&v, &t)| (v, table.texts[t as usize].clone()));
            let mut told: Vec<(usize, String)> = told.collect();
            told.sort();
            let named = told
                .into_iter()
                .map(|(v, t)| (variables.names[v].clone(), t));
            all.push(named.collect());
        }
        all
    }

    #[test]
    fn changes_make_the_states_again() {
        let number = Value::Number;
        let long = |at: usize| {
            let element = |i| number(i64::from(i == at));
            Value::List((0..20).map(element).collect())
        };
        let run = [
            step(&[("x", number(1)), ("c", Value::List(vec![])), ("a", long(3))]),
            // A process comes, the channel grows, one element of the array moves.
            step(&[
                ("x", number(1)),
                ("c", Value::List(vec![number(7)])),
                ("a", long(4)),
                ("p[1]:y", Value::Truth(true)),
            ]),
            // It goes again.
            step(&[
                ("x", number(2)),
                ("c", Value::List(vec![number(7)])),
                ("a", long(4)),
            ]),
        ];
        for (step, told) in run.iter().zip(rebuilt(&run)) {
            let mut expected = Vec::new();
            for (name, value) in &step.state {
                match value {
                    Value::List(list) if name == "a" => {
                        let each = list.iter().enumerate();
                        expected.extend(each.map(|(i, v)| (format!("a[{i}]"), v.to_string())));
                    }
                    _ => expected.push((name.clone(), value.to_string())),
                }
            }
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn values_come_from_the_lines_of_the_variables_that_changed() {
        let mut files = Files::new();
        let text = "init(x) := 0;\nnext(x) :=\n  1;\nnext(y) := 2;\nby q\n";
        let file = files.add("m.smv", text.to_string());
        let source = |variable: &str, initial, process: Option<&str>, part: &str| {
            let start = text.find(part).expect("a part") as u32;
            let end = start + part.len() as u32;
            ValueSource {
                variable: variable.to_string(),
                initial,
                process: process.map(str::to_string),
                span: Span { file, start, end },
            }
        };
        let sources = [
            source("x", true, None, "init(x) := 0;"),
            source("x", false, Some("p"), "next(x) :=\n  1;"),
            source("y", false, None, "next(y) := 2;"),
            source("x", false, Some("q"), "by q"),
        ];
        let state = |x, y| {
            let mut step = step(&[("x", Value::Number(x)), ("y", Value::Number(y))]);
            step.processes = vec!["p".to_string()];
            step
        };
        let told =
            |before: Option<&TraceStep>, step: &TraceStep| places(before, step, &sources, &files);
        let (start, one, both) = (state(0, 0), state(1, 0), state(0, 2));
        assert_eq!(told(None, &start), [(file.0, 1, 1)]);
        assert_eq!(told(Some(&start), &one), [(file.0, 2, 3)]);
        assert_eq!(told(Some(&one), &both), [(file.0, 2, 3), (file.0, 4, 4)]);
        assert_eq!(told(Some(&one), &one), []);
    }

    #[test]
    fn a_list_that_grows_is_no_array() {
        let list = |n: usize| Value::List(vec![Value::Number(0); n]);
        let run = [
            step(&[("c", list(20))]),
            step(&[("c", list(19))]),
            step(&[("c", list(20))]),
        ];
        assert!(rebuilt(&run).iter().all(|state| state.len() == 1));
    }

    #[test]
    fn names_that_occur_twice_are_two_variables() {
        let run = [step(&[("c", Value::Number(1)), ("c", Value::Number(2))])];
        let values: Vec<String> = rebuilt(&run)[0].iter().map(|(_, v)| v.clone()).collect();
        assert_eq!(values, ["1", "2"]);
    }

    #[test]
    fn columns_are_all_processes_by_number_or_one_for_everything() {
        let mut moves = step(&[]);
        moves.processes = vec!["b[10]".to_string()];
        let run = Counterexample {
            processes: vec!["init[0]".to_string(), "b[2]".to_string()],
            ..Counterexample::default()
        };
        assert_eq!(columns(&run, &[&moves]), ["init[0]", "b[2]", "b[10]"]);
        let none = Counterexample::default();
        assert_eq!(columns(&none, &[&step(&[])]), ["system"]);
    }
}
