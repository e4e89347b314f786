//! Pages about what was found: everything that a report or an advice has to show, in one file.

use evenhand_advise::AdviseReport;
use evenhand_report::VERSION;
use evenhand_report::advice::{Telling, of, told, with_less};
use evenhand_report::check::remarks;
use evenhand_report::html::{self, Entry, Page, Sample};
use evenhand_source::Files;
use evenhand_system::Signature;
use evenhand_verify::{PropertyResult, Report};

use crate::model::Model;

/// A page about a check; `samples` tells for a property how the search for its answer went.
pub fn check_page<'s>(
    model: &Model,
    report: &Report,
    samples: impl Fn(&str) -> &'s [Sample],
) -> String {
    with_check_page(model, report, samples, html::page)
}

/// Something else that is made of such a page: what it says as data, by [`html::data`].
pub fn with_check_page<'s, T>(
    model: &Model,
    report: &Report,
    samples: impl Fn(&str) -> &'s [Sample],
    make: impl FnOnce(&Page<'_>) -> T,
) -> T {
    let entries = entries(report, samples);
    let warnings = remarks(model.warnings(), report, true);
    with_page((model, report.signature(), &warnings), &entries, &[], make)
}

fn entries<'r, 's: 'r>(
    report: &'r Report,
    samples: impl Fn(&str) -> &'s [Sample],
) -> Vec<Entry<'r>> {
    let results = report.properties.iter();
    let entries = results.map(|result| Entry {
        about: None,
        result,
        samples: samples(&result.name),
    });
    entries.collect()
}

/// A page about one answer; the files are those of the system that was asked about.
pub fn property_page(model: &Model, files: &Files, result: &PropertyResult) -> String {
    let mut signature = model.signature().clone();
    signature.files = files.clone();
    let entry = Entry {
        about: None,
        result,
        samples: &[],
    };
    page(model, &signature, &[], &[entry], &[])
}

/// A page about an advice, with the run that each needed item prevents.
pub fn advice_page(model: &Model, report: &AdviseReport) -> String {
    let specification = model.specification();
    let short = Telling {
        quiet: true,
        verbose: false,
    };
    let mut shown: Vec<(String, &PropertyResult)> = Vec::new();
    let mut list = Vec::new();
    for advice in &report.advice {
        let first = shown.len();
        let needs = advice.assignments.iter().flat_map(|a| &a.reasons);
        let needs = needs.filter_map(|need| {
            let about = with_less(need, report.by, specification);
            Some((about, need.result.as_ref()?))
        });
        let anyway = advice.run.iter().map(|run| {
            let about = format!("with strong fairness of every {}", of(report.by));
            (about, run)
        });
        shown.extend(needs.chain(anyway));
        let lines = told(advice, report, short, specification);
        let names: Vec<&str> = advice.properties.iter().map(|(n, _)| n.as_str()).collect();
        list.push(html::Advice {
            heading: names.join(", "),
            lines: lines.lines().map(str::to_string).collect(),
            because: (first..shown.len()).collect(),
        });
    }
    let entries: Vec<Entry<'_>> = shown
        .iter()
        .map(|(about, result)| Entry {
            about: Some(about),
            result,
            samples: &[],
        })
        .collect();
    page(model, &report.signature, &report.notes, &entries, &list)
}

/// The page; the signature is that of the system that was asked about.
fn page(
    model: &Model,
    signature: &Signature,
    warnings: &[String],
    entries: &[Entry<'_>],
    advice: &[html::Advice],
) -> String {
    with_page((model, signature, warnings), entries, advice, html::page)
}

/// What is made of a page about any answers: the model, the signature of the system that was asked about, remarks.
pub fn with_page<T>(
    (model, signature, warnings): (&Model, &Signature, &[String]),
    entries: &[Entry<'_>],
    advice: &[html::Advice],
    make: impl FnOnce(&Page<'_>) -> T,
) -> T {
    make(&Page {
        version: VERSION,
        model: &signature.name,
        language: &signature.language,
        warnings,
        entries,
        advice,
        files: &signature.files,
        sources: &model.specification().value_sources(),
        diagram: model.specification().diagram().as_ref(),
    })
}
