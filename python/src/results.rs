//! What was found: answers as data, as text, as pages and pictures.

use std::sync::Arc;

use evenhand::report::check::{Telling, remarks, told};
use evenhand::report::{self, advice, json, text};
use evenhand::{Counterexample, Files, PropertyResult, advice_page, check_page, property_page};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use serde_json::json as make_json;

use crate::values::python;

/// The answers of a check.
#[pyclass(frozen, module = "evenhand._native")]
pub(crate) struct Report {
    model: evenhand::Model,
    report: evenhand::Report,
    /// The fairness assumptions that the call brought.
    given: Vec<String>,
    files: Arc<Files>,
}

impl Report {
    pub fn new(model: evenhand::Model, report: evenhand::Report, given: Vec<String>) -> Report {
        let files = Arc::new(report.signature().files.clone());
        Report {
            model,
            report,
            given,
            files,
        }
    }
}

#[pymethods]
impl Report {
    /// The JSON of the contract.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let remarks = remarks(self.model.warnings(), &self.report, false);
        python(py, &json::check(&self.report, &remarks))
    }

    /// What the command prints.
    fn text(&self, py: Python<'_>, quiet: bool, verbose: bool) -> String {
        py.detach(|| {
            let lines = self.report.properties.iter();
            let lines = lines.map(|property| text::summary(property) + "\n");
            let mut all: String = lines.collect();
            all += &told(
                &self.report,
                Telling {
                    quiet,
                    verbose,
                    given: &self.given,
                    ..Telling::default()
                },
            );
            all
        })
    }

    /// The page with everything.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| check_page(&self.model, &self.report, |_| &[]))
    }

    /// A run that breaks a property: the one of the verdict, then the others.
    fn run(&self, property: usize, number: usize) -> PyResult<Run> {
        let result = self.report.properties.get(property);
        let result = result.ok_or_else(|| PyIndexError::new_err("no such property"))?;
        let first = result.verdict.run().into_iter();
        let run = first.chain(&result.others).nth(number);
        let run = run.ok_or_else(|| PyIndexError::new_err("no such run"))?;
        Ok(Run {
            run: run.clone(),
            shows: Some((self.model.clone(), alone(result, run))),
            outcome: None,
            files: self.files.clone(),
        })
    }
}

/// The same answer with one run alone.
fn alone(result: &PropertyResult, run: &Counterexample) -> PropertyResult {
    let mut result = result.clone();
    result.others.clear();
    result.verdict = evenhand::Verdict::Violated(Some(Box::new(run.clone())));
    result
}

/// Which fairness is needed.
#[pyclass(frozen, module = "evenhand._native")]
pub(crate) struct AdviceReport {
    model: evenhand::Model,
    report: evenhand::advise::AdviseReport,
    files: Arc<Files>,
}

impl AdviceReport {
    pub fn new(model: evenhand::Model, report: evenhand::advise::AdviseReport) -> AdviceReport {
        let files = Arc::new(report.signature.files.clone());
        AdviceReport {
            model,
            report,
            files,
        }
    }
}

#[pymethods]
impl AdviceReport {
    /// The JSON of the contract.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, &advice::json(&self.report, self.model.specification()))
    }

    /// What the command prints about one advice.
    fn text(&self, number: usize, quiet: bool, verbose: bool) -> PyResult<String> {
        let advice = self.advice(number)?;
        let telling = advice::Telling { quiet, verbose };
        let specification = self.model.specification();
        Ok(advice::told(advice, &self.report, telling, specification))
    }

    /// What to paste into the model.
    fn annotation(&self, number: usize) -> PyResult<String> {
        let (advice, specification) = (self.advice(number)?, self.model.specification());
        Ok(advice::annotation(advice, self.report.by, specification))
    }

    /// The page with everything.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| advice_page(&self.model, &self.report))
    }

    /// The run that shows why an item of an assignment is needed; or, without an assignment, the one that
    /// breaks the property with everything strong.
    fn run(&self, number: usize, need: Option<(usize, usize)>) -> PyResult<Option<Run>> {
        let advice = self.advice(number)?;
        let missing = || PyIndexError::new_err("no such item");
        let result = match need {
            None => advice.run.as_ref(),
            Some((assignment, item)) => {
                let advised = advice.assignments.get(assignment).ok_or_else(missing)?;
                let need = advised.reasons.get(item).ok_or_else(missing)?;
                need.result.as_ref()
            }
        };
        Ok(result.and_then(|result| {
            let run = result.verdict.run()?;
            Some(Run {
                run: run.clone(),
                shows: Some((self.model.clone(), alone(result, run))),
                outcome: None,
                files: self.files.clone(),
            })
        }))
    }
}

impl AdviceReport {
    fn advice(&self, number: usize) -> PyResult<&evenhand::advise::Advice> {
        let advice = self.report.advice.get(number);
        advice.ok_or_else(|| PyIndexError::new_err("no such advice"))
    }
}

/// A run.
#[pyclass(frozen, module = "evenhand._native")]
pub(crate) struct Run {
    run: Counterexample,
    /// What it breaks, and in which model.
    shows: Option<(evenhand::Model, PropertyResult)>,
    /// How it ended, if it was drawn.
    outcome: Option<String>,
    files: Arc<Files>,
}

impl Run {
    /// A run that was drawn at random.
    pub fn drawn(run: Counterexample, outcome: String, files: Arc<Files>) -> Run {
        Run {
            run,
            shows: None,
            outcome: Some(outcome),
            files,
        }
    }
}

#[pymethods]
impl Run {
    /// The JSON of the contract.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let told = match (&self.shows, &self.outcome) {
            (Some((_, result)), _) => json::property(result, &self.files)["counterexample"].take(),
            (None, outcome) => make_json!({
                "prefix": json::steps(&self.run.prefix, &self.files),
                "cycle": json::steps(&self.run.cycle, &self.files),
                "length": self.run.len(),
                "outcome": outcome,
            }),
        };
        python(py, &told)
    }

    /// What the command prints.
    fn text(&self) -> String {
        if let Some((_, result)) = &self.shows {
            return text::counterexample(result, &self.run, &self.files);
        }
        let mut out = String::new();
        let mut before = None;
        for (number, step) in self.run.prefix.iter().enumerate() {
            text::write_step(&mut out, step, before, number, 0, &self.files);
            before = Some(step);
        }
        out + self.outcome.as_deref().unwrap_or_default()
    }

    /// A chart: a column for each process, a row for each step.
    fn svg(&self, most: usize) -> String {
        report::html::run_svg(&self.run, most)
    }

    /// A page to step through it, if it breaks a property.
    fn page(&self, py: Python<'_>) -> Option<String> {
        let (model, result) = self.shows.as_ref()?;
        Some(py.detach(|| property_page(model, &self.files, result)))
    }
}
