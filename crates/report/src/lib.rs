//! Answers as text, as JSON and as pages. Nothing here prints: the command line does.
//!
//! | file | what it tells |
//! | --- | --- |
//! | `text`, `reasons`, `paint` | verdicts and runs for people, plain and coloured |
//! | `steps`, `run_layout`, `watch` | the steps of runs: as a list, folded, in columns; only some variables |
//! | `json` | the same for programs |
//! | `junit`, `sarif` | the same for CI systems |
//! | `check` | everything about a check that is no verdict |
//! | `certificates` | what kept proofs prove |
//! | `advice` | which fairness is needed |
//! | `states` | how large a model is |
//! | `words`, `emptiness` | words and runs of automata, and whether there are some |
//! | `formulas` | what formulas say |
//! | `trail` | runs for SPIN |
//! | `tlc` | runs as TLC prints them |
//! | `recorded` | runs that were written before, JSON and trails, to be followed |
//! | `diagnostics`, `printable` | what is wrong with a text; what terminals may be told |
//! | `html/` | a page with everything, to step through |

pub mod advice;
pub mod certificates;
pub mod check;
pub mod diagnostics;
pub mod emptiness;
pub mod formulas;
#[cfg(feature = "html")]
pub mod html;
pub mod json;
pub mod junit;
pub mod paint;
pub mod printable;
mod reasons;
pub mod recorded;
pub mod run_layout;
pub mod sarif;
pub mod states;
mod steps;
pub mod text;
mod tlc;
pub mod trail;
pub mod watch;
pub mod words;

/// The version that reports carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
