//! The library as a module of Python.
//!
//! This half is thin: Python objects become options, the library works in a thread of its own while
//! Python's lock is free (`work`), and what it found is handed over as the dicts and lists of the JSON
//! contract, as texts and as pictures. How results feel in Python is the business of the package around
//! it, `evenhand/*.py`.
//!
//! | file | what it does |
//! | --- | --- |
//! | `arguments` | what a call says, as options |
//! | `work` | work that Ctrl-C ends and that tells how far it is |
//! | `model` | models, and what can be asked of them |
//! | `results` | what was found: reports, advice, runs |
//! | `formulas` | formulas and automata without a model |
//! | `errors`, `values` | exceptions; JSON as Python's values |

mod arguments;
mod errors;
mod formulas;
mod model;
mod results;
mod values;
mod work;

use std::alloc::System;

use cap::Cap;

/// Counts what this module allocates, so that limits on memory count everything of it.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The native half of the package.
#[pyo3::pymodule]
mod _native {
    use evenhand::memory;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::formulas::{Automaton, formula, translate};
    #[pymodule_export]
    use crate::model::{Model, engines, load, parse};
    #[pymodule_export]
    use crate::results::{AdviceReport, Report, Run};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        memory::count_with(|| crate::ALLOCATOR.allocated() as u64);
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
