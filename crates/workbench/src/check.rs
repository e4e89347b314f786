//! What jobs do: check properties, and ask which fairness they need. The answer is the data of a report's page.

use std::sync::Arc;

use evenhand::{Model, with_check_page, with_page};
use evenhand_advise::{AdviseOptions, AdviseReport, advise};
use evenhand_report::advice::{Telling, told, with_less};
use evenhand_report::html::{Entry, data};
use evenhand_system::{Asking, Granularity};
use evenhand_verify::{Options, PropertyResult, check};
use serde_json::{Value as Json, json};

use crate::jobs::{Kept, Watcher};
use crate::reading::{Version, failed};

/// Checks.
pub(crate) fn checked(
    version: &Arc<Version>,
    asking: &Asking,
    limits: &Options,
    watcher: &mut Watcher,
) -> (Json, Option<Kept>) {
    let model = &version.model;
    let mut options = limits.clone();
    options.cancel = watcher.job.cancel.clone();
    options.observe = true;
    options.hints = true;
    let report = match check(model.specification(), asking, &options, watcher) {
        Ok(report) => report,
        Err(error) => return (errors(&failed(&error, &model.signature().files)), None),
    };
    let tell = || with_check_page(model, &report, |name| watcher.samples(name), data);
    let answer = match options.telling().run(tell) {
        Ok(data) => json!({ "data": data }),
        Err(why) => {
            let message = format!("the answers are too long to be told: {why}");
            errors(&[json!({ "severity": "error", "message": message })])
        }
    };
    let kept = Kept {
        version: version.number,
        results: report.properties,
    };
    (answer, Some(kept))
}

/// Asks which fairness is needed.
pub(crate) fn advised(
    version: &Arc<Version>,
    asking: Asking,
    by: Granularity,
    limits: &Options,
    watcher: &mut Watcher,
) -> (Json, Option<Kept>) {
    let model = &version.model;
    let mut options = AdviseOptions::default();
    options.asking = asking;
    options.by = by;
    options.check = limits.clone();
    options.check.cancel = watcher.job.cancel.clone();
    options.check.observe = true;
    let report = match advise(model.specification(), &options, watcher) {
        Ok(report) => report,
        Err(error) => return (errors(&failed(&error, &model.signature().files)), None),
    };
    let answer = options.check.telling().run(|| advice(model, &report));
    let answer = answer.unwrap_or_else(|why| {
        let message = format!("the advice is too long to be told: {why}");
        errors(&[json!({ "severity": "error", "message": message })])
    });
    (answer, None)
}

/// Advice as data: what to assume, in the words of the command, and the runs that show why.
fn advice(model: &Model, report: &AdviseReport) -> Json {
    let specification = model.specification();
    let short = Telling {
        quiet: true,
        verbose: false,
    };
    let mut shown: Vec<(String, &PropertyResult)> = Vec::new();
    let mut list: Vec<Json> = Vec::new();
    for advice in &report.advice {
        let lines = told(advice, report, short, specification);
        let assignments = advice.assignments.iter().map(|assignment| {
            let first = shown.len();
            for need in &assignment.reasons {
                let about = with_less(need, report.by, specification);
                shown.extend(need.result.as_ref().map(|result| (about, result)));
            }
            let because: Vec<usize> = (first..shown.len()).collect();
            json!({ "fairness": assignment.fairness, "because": because })
        });
        let assignments: Vec<Json> = assignments.collect();
        let names: Vec<&str> = advice.properties.iter().map(|(n, _)| n.as_str()).collect();
        list.push(json!({
            "heading": names.join(", "),
            "lines": lines.lines().collect::<Vec<_>>(),
            "outcome": advice.outcome.word(),
            "assignments": assignments,
        }));
    }
    let entries: Vec<Entry<'_>> = shown
        .iter()
        .map(|(about, result)| Entry {
            about: Some(about),
            result,
            samples: &[],
        })
        .collect();
    let data = with_page(
        (model, &report.signature, &report.notes),
        &entries,
        &[],
        data,
    );
    json!({ "advice": list, "data": data })
}

fn errors(list: &[Json]) -> Json {
    json!({ "errors": list })
}
