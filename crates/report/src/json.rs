//! The JSON of the contract.

use evenhand_source::{Diagnostic, Files, Span, spend};
use evenhand_system::explicit::Value;
use evenhand_verify::{Cover, PropertyResult, Report, Verdict};
use evenhand_witness::{Counterexample, Evidence, Reason, StepKind, TraceStep};
use serde_json::{Map, Value as Json, json};

use crate::{VERSION, text};

/// The schema's version.
pub(crate) const SCHEMA: u32 = 1;

/// The answer of `check`.
pub fn check(report: &Report, warnings: &[String]) -> Json {
    let signature = report.signature();
    let properties = report.properties.iter();
    let properties: Vec<Json> = properties.map(|p| property(p, &signature.files)).collect();
    let mut told = json!({
        "schema": SCHEMA,
        "tool": "evenhand",
        "version": VERSION,
        "model": signature.name,
        "language": signature.language,
        "warnings": warnings,
        "properties": properties,
    });
    if let Some(name) = signature.counts_as {
        told[name] = report.counted.map_or(Json::Null, |counted| {
            json!({
                "distinct": counted.states,
                "generated": counted.generated,
                "depth": counted.depth,
            })
        });
    }
    told
}

/// The answer to a wrong call or a wrong model.
pub fn errors(diagnostics: &[Diagnostic], files: &Files) -> Json {
    let list: Vec<Json> = diagnostics
        .iter()
        .map(|d| {
            let place = d.span.map(|span| place(files, span));
            let (file, line, column) = match place {
                Some((file, line, column)) => (json!(file), json!(line), json!(column)),
                None => (Json::Null, Json::Null, Json::Null),
            };
            json!({
                "message": d.message, "file": file, "line": line, "column": column, "help": d.help,
            })
        })
        .collect();
    json!({ "schema": SCHEMA, "tool": "evenhand", "version": VERSION, "errors": list })
}

fn place(files: &Files, span: Span) -> (String, u32, u32) {
    let position = files.position(span);
    (
        files.get(span.file).name.clone(),
        position.line,
        position.column,
    )
}

/// The answer to one property.
pub fn property(result: &PropertyResult, files: &Files) -> Json {
    let (reason, counterexample) = match &result.verdict {
        Verdict::Holds => (Json::Null, Json::Null),
        Verdict::Violated(run) => {
            let run = run
                .as_ref()
                .map_or(Json::Null, |run| counterexample_json(run, files));
            (Json::Null, run)
        }
        Verdict::Unknown(reason) => (json!(text::reason(reason)), Json::Null),
    };
    let details: Map<String, Json> = result
        .details
        .iter()
        .map(|detail| (detail.name.to_string(), json!(detail.count)))
        .collect();
    let warnings = result.warnings.iter();
    let warnings: Vec<String> = warnings.map(|w| text::warning(result, w)).collect();
    let others = result.others.iter();
    let others: Vec<Json> = others.map(|run| counterexample_json(run, files)).collect();
    let mut told = json!({
        "name": result.name,
        "kind": result.kind.word(),
        "formula": result.formula,
        "fairness": result.fairness,
        "verdict": result.verdict.word(),
        "reason": reason,
        "checked": result.proof.map(|proof| proof.extent.word()),
        "automaton": result.proof.and_then(|proof| proof.automaton).map(Cover::word),
        "value": result.value.as_ref().map(value_json),
        "engine": result.engine.unwrap_or("none"),
        "states": states(result),
        "transitions": result.transitions,
        "product_states": result.product_states,
        "product_transitions": result.product_transitions,
        "seconds": result.seconds,
        "peak_memory_bytes": result.peak_memory,
        "warnings": warnings,
        "details": details,
        "counterexample": counterexample,
        "other_counterexamples": others,
    });
    if let (true, Json::Object(fields)) = (result.reduced, &mut told) {
        fields.insert("reduced".to_string(), json!(true));
    }
    told
}

/// The number of states: exact below 2^64, a floating-point number above.
pub(crate) fn states(result: &PropertyResult) -> Json {
    match result.many_states {
        Some(many) => crate::states::number(many.exact, many.about),
        None => json!(result.states),
    }
}

fn counterexample_json(run: &Counterexample, files: &Files) -> Json {
    let error = run.fault.map(|(kind, span)| {
        let (file, line, _) = place(files, span);
        json!({ "message": kind.to_string(), "file": file, "line": line })
    });
    json!({
        "prefix": steps(&run.prefix, files),
        "cycle": steps(&run.cycle, files),
        "length": run.len(),
        "lower_bound": run.lower_bound,
        "shortest": run.shortest,
        "replayed": true,
        "fairness_evidence": run.evidence.iter().map(evidence).collect::<Vec<_>>(),
        "why": run.why,
        "error": error,
    })
}

/// Why a cycle satisfies an assumption; steps count from 0 on the cycle.
fn evidence(evidence: &Evidence) -> Json {
    let (reason, step) = match evidence.reason {
        Reason::Taken(step) => ("taken", Some(step)),
        Reason::Disabled(step) => ("disabled-before", Some(step)),
        Reason::NeverEnabled => ("never-enabled", None),
        Reason::Holds(step) => ("holds-before", Some(step)),
        Reason::NeverAsked => ("never-asked", None),
    };
    json!({
        "assumption": evidence.assumption,
        "fairness": evidence.source,
        "reason": reason,
        "cycle_step": step,
    })
}

/// Steps of a run.
pub fn steps(list: &[TraceStep], files: &Files) -> Vec<Json> {
    list.iter().map(|s| step(s, files)).collect()
}

pub(crate) fn step(step: &TraceStep, files: &Files) -> Json {
    spend();
    let kind = match step.kind {
        StepKind::Init => "init",
        StepKind::Step => "step",
        StepKind::Stutter => "stutter",
    };
    let (file, line) = match step.span.map(|span| place(files, span)) {
        Some((file, line, _)) => (json!(file), json!(line)),
        None => (Json::Null, Json::Null),
    };
    let substeps: Vec<Json> = step
        .substeps
        .iter()
        .map(|s| {
            let (file, line, _) = place(files, s.span);
            json!({
                "process": s.process, "action": s.action, "file": file, "line": line,
                "printed": s.printed,
            })
        })
        .collect();
    let values = |list: &[(String, Value)]| -> Map<String, Json> {
        let pair = |(name, value): &(String, Value)| (name.clone(), value_json(value));
        list.iter().map(pair).collect()
    };
    let (inputs, state) = (values(&step.inputs), values(&step.state));
    let mut told = json!({
        "kind": kind,
        "process": step.process,
        "processes": step.processes,
        "action": step.action,
        "file": file,
        "line": line,
        "substeps": substeps,
        "printed": step.printed,
        "inputs": inputs,
        "state": state,
    });
    if step.omitted > 0 {
        told["substeps_omitted"] = json!(step.omitted);
    }
    told
}

/// A value of a variable.
pub fn value_json(value: &Value) -> Json {
    match value {
        Value::Number(number) => json!(number),
        Value::Truth(truth) => json!(truth),
        Value::Text(text) | Value::Whole(text, _) => json!(text),
        Value::List(list) => Json::Array(list.iter().map(value_json).collect()),
    }
}
