//! Answers for CI systems that read SARIF 2.1.0: a rule for each property, a result for each answer.
//!
//! What is violated is a result of kind `fail` with the run as its code flow; what holds is of kind `pass`, what is
//! unknown of kind `open`. A result stands where the property does, if that is known, else where its run ends. A call
//! or a model that is wrong is a run that did not succeed, with notifications.

use evenhand_source::{Diagnostic, Files, Severity, Span};
use evenhand_verify::{PropertyResult, Report, Verdict};
use evenhand_witness::{Counterexample, TraceStep};
use serde_json::{Value as Json, json};

use crate::{VERSION, text};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The answer of `check`; `places` are those of properties.
pub fn check(report: &Report, places: &[(String, Span)], warnings: &[Diagnostic]) -> Json {
    let files = &report.signature().files;
    let rules: Vec<Json> = report.properties.iter().map(rule).collect();
    let results = report.properties.iter().enumerate();
    let results: Vec<Json> = results
        .map(|(number, answer)| {
            let place = places.iter().find(|(name, _)| *name == answer.name);
            result(number, answer, place.map(|(_, span)| *span), report)
        })
        .collect();
    let notes: Vec<Json> = warnings.iter().map(|d| notification(d, files)).collect();
    whole(&rules, &results, true, &notes)
}

/// The answer to a wrong call or a wrong model.
pub fn errors(diagnostics: &[Diagnostic], files: &Files) -> Json {
    let notes: Vec<Json> = diagnostics.iter().map(|d| notification(d, files)).collect();
    whole(&[], &[], false, &notes)
}

fn whole(rules: &[Json], results: &[Json], successful: bool, notes: &[Json]) -> Json {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "evenhand",
                "version": VERSION,
                "semanticVersion": VERSION,
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": successful,
                "toolExecutionNotifications": notes,
            }],
            "results": results,
        }],
    })
}

fn rule(result: &PropertyResult) -> Json {
    let told = match &result.formula {
        Some(formula) => format!("{}: {formula}", result.name),
        None => result.name.clone(),
    };
    json!({
        "id": result.name,
        "shortDescription": {"text": told},
        "properties": {"kind": result.kind.word(), "fairness": result.fairness},
    })
}

fn result(number: usize, result: &PropertyResult, place: Option<Span>, report: &Report) -> Json {
    let files = &report.signature().files;
    let (kind, level) = match result.verdict {
        Verdict::Holds => ("pass", "none"),
        Verdict::Violated(_) => ("fail", "error"),
        Verdict::Unknown(_) => ("open", "none"),
    };
    let run = result.verdict.run();
    let end = run.and_then(|run| run.fault.map(|(_, span)| span).or_else(|| last_place(run)));
    let at = match place.or(end) {
        Some(span) => location(files, span),
        None => json!({"artifactLocation": {"uri": uri(&report.signature().name)}}),
    };
    let mut told = json!({
        "ruleId": result.name,
        "ruleIndex": number,
        "kind": kind,
        "level": level,
        "message": {"text": text::summary(result)},
        "locations": [{"physicalLocation": at}],
        "properties": {"states": crate::json::states(result), "seconds": result.seconds},
    });
    if let Some(run) = run {
        told["codeFlows"] = json!([flow(run, files)]);
    }
    told
}

fn last_place(run: &Counterexample) -> Option<Span> {
    let steps = run.prefix.iter().chain(&run.cycle);
    steps.filter_map(|step| step.span).next_back()
}

/// A run: the steps to the cycle, then those that repeat for ever.
fn flow(run: &Counterexample, files: &Files) -> Json {
    let step = |step: &TraceStep, importance: &str| {
        let mut told = step.action.clone();
        if let Some(process) = &step.process {
            told = format!("{process}: {told}");
        }
        if told.is_empty() {
            told = "the initial state".to_string();
        }
        let mut at = json!({"message": {"text": told}});
        if let Some(span) = step.span {
            at["physicalLocation"] = location(files, span);
        }
        json!({"location": at, "importance": importance})
    };
    let prefix = run.prefix.iter().map(|s| step(s, "important"));
    let cycle = run.cycle.iter().map(|s| step(s, "essential"));
    let message = match run.cycle.len() {
        0 => format!("a run of {} steps", run.len()),
        cycle => format!("a run whose last {cycle} steps repeat for ever"),
    };
    json!({
        "message": {"text": message},
        "threadFlows": [{"locations": prefix.chain(cycle).collect::<Vec<_>>()}],
    })
}

fn notification(diagnostic: &Diagnostic, files: &Files) -> Json {
    let mut message = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        message += &format!(" ({help})");
    }
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut told = json!({"level": level, "message": {"text": message}});
    if let Some(span) = diagnostic.span {
        told["locations"] = json!([{"physicalLocation": location(files, span)}]);
    }
    told
}

fn location(files: &Files, span: Span) -> Json {
    let file = files.get(span.file);
    let (start, end) = (file.position(span.start), file.position(span.end));
    json!({
        "artifactLocation": {"uri": uri(&file.name)},
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    })
}

/// A file name as a reference: blanks and the like are written out.
fn uri(name: &str) -> String {
    let mut out = match name.starts_with('/') {
        true => String::from("file://"),
        false => String::new(),
    };
    for byte in name.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn files_are_references() {
        assert_eq!(uri("a b.pml"), "a%20b.pml");
        assert_eq!(uri("/tmp/ä.smv"), "file:///tmp/%C3%A4.smv");
    }
}
