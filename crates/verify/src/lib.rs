//! From questions to verdicts: the table of engines, the choice among them, and the runs they show.
//!
//! | file | what it does |
//! | --- | --- |
//! | `check` | the way through: resolve, choose, ask, show |
//! | `choice` | the table of engines, and the one function that chooses |
//! | `race` | states and sets in turns, and the first that has all answers |
//! | `engine` | what an engine is |
//! | `case` | what all questions about one system share |
//! | `bad_runs` | the automaton of the runs that break a property |
//! | `explicit/` | engines that explore state by state |
//! | `symbolic/` | the engine that explores sets |
//! | `sat` | the engine that looks for runs of growing length with a SAT solver |
//! | `evidence`, `runs/` | what engines have to show, and what people see of it |
//! | `proof`, `statement`, `keep` | what holds, checked by code that shares nothing with the engines; proofs to keep |
//! | `afterwards` | when all verdicts are known: runs and hints |
//! | `vacuity`, `blame`, `hints` | what else a person should know |
//! | `answer`, `stop` | verdicts, and why there is none |
//! | `census` | how large a model is |
//! | `random`, `dice` | one run, at random |
//!
//! Nothing here knows a language, and nothing here prints.

mod afterwards;
mod answer;
mod bad_runs;
mod blame;
mod case;
pub mod census;
mod check;
mod choice;
mod dice;
mod engine;
mod evidence;
mod explicit;
mod hints;
mod keep;
mod known;
mod listener;
pub mod memory;
mod options;
mod product;
mod proof;
mod race;
pub mod random;
mod runs;
#[cfg(feature = "sat")]
mod sat;
mod statement;
mod stop;
#[cfg(feature = "symbolic")]
mod symbolic;
mod vacuity;

pub use answer::{
    CheckError, Detail, Emptiness, Extent, Hint, Many, Note, Proof, PropertyResult, Report,
    Verdict, Warning,
};
pub use bad_runs::{LinearQuestion, Tight};
pub use case::{Case, StateSpace, Task, View, conditions, propositions_of};
pub use check::{check, check_with};
pub use choice::{engines, is_known};
pub use dice::Dice;
pub use engine::{Answers, Engine, Finding, SAT, SYMBOLIC, Support};
pub use evenhand_certify::Cover;
pub use evenhand_explicit::search::Progress;
pub use evenhand_system::specification::FEW;
pub use evenhand_system::{Asking, AutomatonText};
pub use evidence::{Evidence, FiniteRun, FoundComponent, Positions};
pub use keep::{CertificateOutput, Keep, KeptProofs};
pub use listener::{Listener, Quiet, SetProgress, Silent};
pub use options::{Cancel, Certify, CompassionBy, Counterexamples, Deadlock, Options, Reduce};
pub use runs::linear::answer as answer_linear;
pub use stop::StopReason;
pub use vacuity::can_block;
