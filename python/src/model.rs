//! Models, and what can be asked of them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use evenhand::verify::random::{self, NoRun};
use evenhand::verify::{SYMBOLIC, check, is_known};
use evenhand::{
    Asking, CheckError, Diagnostic, Files, LoadError, LoadOptions, ModelText, Question, StopReason,
    Unresolved, Wanted, census, language_of_text, report,
};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::arguments::{Advising, Checking, Limits, Reading};
use crate::errors;
use crate::results::{AdviceReport, Report, Run};
use crate::values::python;
use crate::work::{Watch, work};

/// Reads a model from a file.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf, reading: Reading) -> PyResult<Model> {
    read(py, reading, move |options| ModelText::read(&path, options))
}

/// Reads a model from a text; without a language, the text tells it.
#[pyfunction]
pub(crate) fn parse(
    py: Python<'_>,
    text: String,
    name: String,
    reading: Reading,
) -> PyResult<Model> {
    read(py, reading, move |options| {
        let language = options.language.unwrap_or_else(|| language_of_text(&text));
        Ok(ModelText {
            name,
            text,
            language,
        })
    })
}

fn read(
    py: Python<'_>,
    reading: Reading,
    text: impl FnOnce(&LoadOptions) -> Result<ModelText, LoadError> + Send + 'static,
) -> PyResult<Model> {
    let watch = Watch::default();
    let options = reading.options(&watch.cancel)?;
    let read = work(py, &watch, None, move |_| {
        let text = text(&options)?;
        evenhand::Model::parse_with(&text.name, text.text, text.language, &options)
    })?;
    let model = read.map_err(|error| errors::load(py, &error))?;
    Ok(Model { model })
}

/// The engines: their names, and a line about each.
#[pyfunction]
pub(crate) fn engines() -> Vec<(&'static str, &'static str)> {
    let engines = evenhand::engines().iter().filter(|e| e.has_choice());
    engines
        .map(|engine| (engine.name(), engine.about()))
        .collect()
}

/// A model that was read.
#[pyclass(frozen, module = "evenhand._native")]
pub(crate) struct Model {
    model: evenhand::Model,
}

#[pymethods]
impl Model {
    /// Its name, its language, process types, declared fairness, files, warnings.
    #[getter]
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let signature = self.model.signature();
        let files = &signature.files;
        let fairness = signature.fairness.iter().map(|(text, _)| text);
        let texts = files.iter();
        let texts = texts.map(|(_, file)| json!({ "name": file.name, "text": file.text }));
        let warnings = report::json::errors(self.model.warnings(), files);
        let told = json!({
            "name": signature.name,
            "language": signature.language,
            "processes": signature.processes,
            "fairness": fairness.collect::<Vec<_>>(),
            "files": texts.collect::<Vec<_>>(),
            "warnings": warnings["errors"],
        });
        python(py, &told)
    }

    /// What is checked if nothing in particular is asked: names, kinds, formulas.
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let model = self.model.clone();
        let resolved = work(py, &Watch::default(), None, move |_| {
            let inquiry = Asking::default().resolve(model.specification())?;
            let told =
                |q: &Question| json!({ "name": q.name, "kind": q.kind.word(), "formula": q.text });
            Ok(inquiry.questions.iter().map(told).collect::<Value>())
        })?;
        let told = resolved.map_err(|error: Unresolved| {
            errors::check(py, &CheckError::Unresolved(error), self.files())
        })?;
        python(py, &told)
    }

    /// Checks.
    fn check(
        &self,
        py: Python<'_>,
        asked: Checking,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Report> {
        let watch = Watch::default();
        let (asking, options) = asked.options(&watch.cancel)?;
        let given = asking.request.fair.clone();
        let model = self.model.clone();
        let checked = work(py, &watch, progress, move |mut watch| {
            check(model.specification(), &asking, &options, &mut watch)
        })?;
        let report = checked.map_err(|error| errors::check(py, &error, self.files()))?;
        Ok(Report::new(self.model.clone(), report, given))
    }

    /// Asks which fairness is needed.
    fn advise(
        &self,
        py: Python<'_>,
        asked: Advising,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AdviceReport> {
        let watch = Watch::default();
        let options = asked.options(&watch.cancel)?;
        let model = self.model.clone();
        let advised = work(py, &watch, progress, move |mut watch| {
            evenhand::advise::advise(model.specification(), &options, &mut watch)
        })?;
        let report = advised.map_err(|error| errors::check(py, &error, self.files()))?;
        Ok(AdviceReport::new(self.model.clone(), report))
    }

    /// One run at random.
    fn simulate(&self, py: Python<'_>, seed: u64, steps: u64, limits: Limits) -> PyResult<Run> {
        let watch = Watch::default();
        let options = limits.options(&watch.cancel)?;
        let model = self.model.clone();
        let drawn = work(py, &watch, None, move |_| {
            random::run(model.body(), seed, steps, &options)
        })?;
        let (run, end) = drawn.map_err(|error| match error {
            NoRun::Exhausted(why) => errors::exhausted(py, why),
            NoRun::Wrong(diagnostic) => errors::input(py, &[diagnostic], self.files()),
            NoRun::Replay(error) => errors::internal(py, error.message),
        })?;
        let files = Arc::new(self.files().clone());
        Ok(Run::drawn(run, end.text(), files))
    }

    /// Explores everything.
    fn states<'py>(
        &self,
        py: Python<'py>,
        engine: Option<String>,
        limits: Limits,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let watch = Watch::default();
        let options = limits.options(&watch.cancel)?;
        let error = |error: CheckError| errors::check(py, &error, self.files());
        is_known(evenhand::engines(), engine.as_deref()).map_err(error)?;
        let by_sets = engine.as_deref() == Some(SYMBOLIC);
        let model = self.model.clone();
        let found = work(py, &watch, progress, move |mut watch| {
            let explore = || match by_sets {
                true => Ok(counted(&model, &options, &mut watch)),
                false => explored(&model, &options, &mut watch),
            };
            options.budget_now().run(explore)
        })?;
        let found = found.map_err(|why| errors::exhausted(py, why))?;
        let found = found.map_err(|refusal| {
            let message = format!("the model cannot be explored state by state: {refusal}");
            errors::input_about(py, Diagnostic::global(message))
        })?;
        python(py, &found)
    }
}

impl Model {
    fn files(&self) -> &Files {
        &self.model.signature().files
    }
}

/// The numbers of a model, nearest states first.
fn explored(
    model: &evenhand::Model,
    options: &evenhand::Options,
    watch: &mut Watch,
) -> Result<Value, String> {
    let found = census::explore(model.body(), Default::default(), options, watch);
    let told = |found| report::states::json(&found);
    found.map(told).map_err(|refusal| refusal.to_string())
}

/// The numbers of a model that is not explored state by state.
fn counted(model: &evenhand::Model, options: &evenhand::Options, watch: &mut Watch) -> Value {
    let started = Instant::now();
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(Vec::new());
    let nothing = asking.resolve(model.specification());
    let nothing = nothing.map_err(|error| StopReason::Unsupported(error.to_string()));
    let found = nothing.and_then(|nothing| census::count(&nothing.body, options, watch));
    report::states::sets_json(&found, started.elapsed().as_secs_f64())
}
