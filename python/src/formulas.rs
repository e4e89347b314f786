//! Formulas and automata without a model.

use evenhand::automata::{expand_conditional_marks, write_dot, write_hoa, write_never_claim};
use evenhand::{AutomatonKind, FormulaError, Options, formula_facts, report};
use pyo3::prelude::*;
use serde_json::Value;

use crate::arguments::choice;
use crate::errors;
use crate::values::python;
use crate::work::{Watch, work};

/// Options with a flag that ends the work.
fn limits(watch: &Watch) -> Options {
    let mut options = Options::default();
    options.cancel = watch.cancel.clone();
    options
}

/// What formulas say.
#[pyfunction]
pub(crate) fn formula<'py>(py: Python<'py>, texts: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
    let watch = Watch::default();
    let options = limits(&watch);
    let found = work(py, &watch, None, move |_| {
        options.budget_now().run(|| -> Result<Value, FormulaError> {
            let (facts, comparisons) = formula_facts(&texts)?;
            Ok(report::formulas::json(&facts, &comparisons))
        })
    })?;
    let found = found.map_err(|why| errors::exhausted(py, why))?;
    let found = found.map_err(|error| errors::formula(py, &error))?;
    python(py, &found["formulas"])
}

/// An automaton for the words of a formula.
#[pyfunction]
pub(crate) fn translate(
    py: Python<'_>,
    text: String,
    kind: &str,
    limit_edges: usize,
) -> PyResult<Automaton> {
    let kinds = [
        ("tgba", AutomatonKind::Tgba),
        ("buchi", AutomatonKind::Buchi),
        ("streett", AutomatonKind::Streett),
    ];
    let kind = choice("kind", kind, &kinds)?;
    let watch = Watch::default();
    let options = limits(&watch);
    let made = work(py, &watch, None, move |_| {
        let translate = || evenhand::translate(&text, kind, limit_edges);
        options.budget_now().run(translate)
    })?;
    let made = made.map_err(|why| errors::exhausted(py, why))?;
    let automaton = made.map_err(|error| errors::formula(py, &error))?;
    Ok(Automaton {
        automaton,
        limit_edges,
    })
}

/// An omega-automaton.
#[pyclass(frozen, module = "evenhand._native")]
pub(crate) struct Automaton {
    automaton: evenhand::automata::Automaton,
    limit_edges: usize,
}

#[pymethods]
impl Automaton {
    /// The formula.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.automaton.name()
    }

    #[getter]
    fn states(&self) -> usize {
        self.automaton.state_count()
    }

    #[getter]
    fn propositions(&self) -> Vec<String> {
        self.automaton.props().to_vec()
    }

    /// When a run of it is accepting, in words.
    #[getter]
    fn acceptance(&self) -> String {
        report::html::acceptance_words(&self.automaton)
    }

    /// The edges: source, target, label, marks.
    fn edges(&self) -> Vec<(u32, u32, String, Vec<u32>)> {
        let automaton = &self.automaton;
        let edges = automaton.edges().iter();
        edges
            .map(|edge| {
                let label = evenhand::automata::cube_text(automaton, automaton.cube(edge.label));
                let marks = automaton.marks(edge.marks).iter().map(|mark| mark.0);
                (edge.source.0, edge.target.0, label, marks.collect())
            })
            .collect()
    }

    /// The Hanoi format.
    fn hoa(&self, py: Python<'_>) -> PyResult<String> {
        let expanded = expand_conditional_marks(&self.automaton, self.limit_edges);
        let expanded = expanded.map_err(|error| errors::limit(py, error.to_string()))?;
        // Without a table of conditional marks writing cannot fail.
        Ok(write_hoa(&expanded).unwrap_or_default())
    }

    /// The format of Graphviz.
    fn dot(&self) -> String {
        write_dot(&self.automaton)
    }

    /// A never claim of Promela.
    fn never(&self, py: Python<'_>) -> PyResult<String> {
        let claim = write_never_claim(&self.automaton, self.limit_edges);
        claim.map_err(|error| errors::limit(py, error.to_string()))
    }

    /// A picture, if it is not too large for one.
    fn svg(&self) -> Option<String> {
        report::html::automaton_svg(&self.automaton)
    }
}
