//! What is wrong, as the exceptions of `evenhand.errors`.

use evenhand::{
    CheckError, Diagnostic, Exhausted, Files, FormulaError, LoadError, Rejected, Unresolved, report,
};
use pyo3::exceptions::{PyFileNotFoundError, PyIsADirectoryError, PyOSError};
use pyo3::prelude::*;

use crate::values::python;

/// An exception of the package.
fn exception(py: Python<'_>, class: &str, message: String) -> PyErr {
    let class = py
        .import("evenhand.errors")
        .and_then(|module| module.getattr(class));
    match class.and_then(|class| class.call1((message,))) {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// The model, or what is asked, has no meaning.
pub(crate) fn input(py: Python<'_>, diagnostics: &[Diagnostic], files: &Files) -> PyErr {
    let text = report::diagnostics::render_all(diagnostics, files, false);
    let list = report::json::errors(diagnostics, files);
    let made = python(py, &list["errors"]).and_then(|list| {
        let module = py.import("evenhand.errors")?;
        module.getattr("InputError")?.call1((text.trim_end(), list))
    });
    match made {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// The same for one thing that no file is about.
pub(crate) fn input_about(py: Python<'_>, diagnostic: Diagnostic) -> PyErr {
    input(py, &[diagnostic], &Files::new())
}

pub(crate) fn rejected(py: Python<'_>, found: &Rejected, files: &Files) -> PyErr {
    input(
        py,
        &found.diagnostics,
        found.files.as_ref().unwrap_or(files),
    )
}

/// A limit was reached before there was anything to answer.
pub(crate) fn limit(py: Python<'_>, message: String) -> PyErr {
    exception(py, "LimitReached", message)
}

pub(crate) fn exhausted(py: Python<'_>, why: Exhausted) -> PyErr {
    limit(py, why.to_string())
}

/// A defect of this tool.
pub(crate) fn internal(py: Python<'_>, message: String) -> PyErr {
    exception(py, "InternalError", message)
}

/// Why a model could not be read.
pub(crate) fn load(py: Python<'_>, error: &LoadError) -> PyErr {
    let message = error.to_string();
    match error {
        LoadError::NoFile { near, .. } => {
            let hint = near
                .as_ref()
                .map(|near| format!("; did you mean `{near}`?"));
            PyFileNotFoundError::new_err(message + &hint.unwrap_or_default())
        }
        LoadError::Directory { models, .. } => {
            let hint = match models.is_empty() {
                true => String::new(),
                false => format!("; the models in it: {}", models.join(", ")),
            };
            PyIsADirectoryError::new_err(message + &hint)
        }
        LoadError::Unreadable { .. } => PyOSError::new_err(message),
        LoadError::Exhausted(_) => limit(py, message),
        LoadError::Rejected(found) => rejected(py, found, &Files::new()),
        LoadError::UnknownLanguage(_) => {
            let names: Vec<&str> = evenhand::languages().iter().map(|l| l.name()).collect();
            let help = format!("say it: `language=` one of {}", names.join(", "));
            input_about(py, Diagnostic::global(message).help(help))
        }
        _ => internal(py, message),
    }
}

/// Why there is no answer; the files are those of the model.
pub(crate) fn check(py: Python<'_>, error: &CheckError, files: &Files) -> PyErr {
    let message = error.to_string();
    match error {
        CheckError::Unresolved(Unresolved::Wrong(found)) => rejected(py, found, files),
        CheckError::Unresolved(Unresolved::NoProperty { name, known }) => {
            let help = Unresolved::hint(name, known);
            let message = format!("there is no property `{name}`");
            input_about(py, Diagnostic::global(message).help(help))
        }
        CheckError::Engine(_) | CheckError::Compassion(_) | CheckError::StutterWithInputs => {
            input_about(py, Diagnostic::global(message))
        }
        CheckError::Exhausted(_) => limit(py, message),
        _ => internal(py, message),
    }
}

/// Why nothing can be said about formulas.
pub(crate) fn formula(py: Python<'_>, error: &FormulaError) -> PyErr {
    match error {
        FormulaError::Wrong(found) => rejected(py, found, &Files::new()),
        FormulaError::Limit(message) => limit(py, message.clone()),
        error => internal(py, error.to_string()),
    }
}
