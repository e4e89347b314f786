//! Evenhand: does this temporal property hold on every fair run, and if not, what is the shortest
//! fair run that breaks it?
//!
//! A [`Model`] is read from a file or a text of any language, or written in Rust; [`Check`] asks
//! questions about it, [`Advise`] which fairness a property needs. Nothing here prints, and nothing
//! changes by being asked: models, reports and runs can be shared between threads.
//!
//! # Load a model, check a property
//!
//! Two processes compete for a semaphore. Under weak fairness one of them may starve: the semaphore is
//! free again and again, but never for good.
//!
//! ```
//! use evenhand::{Check, Fair, Model, Promela, Verdict};
//!
//! let text = "
//!     bool free = true;
//!     active [2] proctype p() {
//!         do
//!         :: true ->
//!     want:   atomic { free -> free = false };
//!     have:   free = true
//!         od
//!     }
//!     ltl entry { [] (p[0]@want -> <> p[0]@have) }";
//! let model = Model::parse("mutex.pml", text, &Promela)?;
//!
//! let report = Check::new(&model).property("entry").fair(Fair::weak()).run()?;
//! let Verdict::Violated(Some(run)) = &report.properties[0].verdict else {
//!     panic!("weak fairness is not enough");
//! };
//! // A lasso: the initial state and the steps to the cycle, then the steps that repeat for ever.
//! assert!(run.shortest);
//! assert!(run.cycle.iter().all(|step| step.process.as_deref() == Some("p[1]")));
//! // Why it is fair: one entry for each assumption.
//! assert_eq!(run.evidence.len(), 2);
//!
//! let report = Check::new(&model).property("entry").fair(Fair::strong()).run()?;
//! assert!(report.holds());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Model::load`] reads from a file and tells the language by its name; models of all languages are
//! asked in the same way.
//!
//! # Choose fairness and engine, set limits
//!
//! [`Fair`] makes fairness assumptions; what the model declares counts besides, unless
//! [`Check::without_declared_fairness`] says otherwise. A limit that is reached gives
//! [`Verdict::Unknown`], with a [`StopReason`]. A [`Cancel`] flag ends a check from another thread,
//! and a [`Listener`] is told how it goes.
//!
//! ```
//! use evenhand::{Check, Counterexamples, Fair, Model, Promela, StopReason, Verdict};
//!
//! let text = "byte x; active proctype p() { do :: x < 100 -> x++ :: x = 0 od }";
//! let model = Model::parse("counter.pml", text, &Promela)?;
//! let check = Check::new(&model)
//!     .ltl("[] <> (x == 0)")
//!     .ltl("[] (x <= 100)")
//!     .fair(Fair::just("x == 0"))
//!     .engine("feasible")
//!     .counterexample(Counterexamples::None);
//! assert!(check.clone().run()?.holds());
//!
//! let report = check.limit_states(10).run()?;
//! let verdict = &report.properties[1].verdict;
//! assert!(matches!(verdict, Verdict::Unknown(StopReason::States)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A model written in Rust
//!
//! Any type that implements [`RustModel`] is a model: it names its processes, actions and propositions,
//! and lists for each state all steps out of it. Here a light is switched by two people, one of whom
//! might never come; `examples/two_phase_commit.rs` is a whole protocol, `examples/service.rs` checks
//! models in several threads.
//!
//! ```
//! use evenhand::{Check, Fair, Model};
//! use evenhand::{ModelAction, PropositionId, RustModel, Steps, pack_fields};
//!
//! #[derive(Clone)]
//! struct State { on: bool }
//! pack_fields!(State { on });
//!
//! struct Light;
//!
//! impl RustModel for Light {
//!     type State = State;
//!     fn processes(&self) -> Vec<String> {
//!         vec!["early".into(), "late".into()]
//!     }
//!     fn actions(&self) -> Vec<ModelAction> {
//!         vec![ModelAction::new(0, "look"), ModelAction::new(1, "switch")]
//!     }
//!     fn initial(&self) -> Vec<State> {
//!         vec![State { on: false }]
//!     }
//!     fn steps(&self, state: &State, steps: &mut Steps<State>) {
//!         steps.step(0, 0, state.clone());
//!         steps.step(1, 1, State { on: true });
//!     }
//!     fn propositions(&self) -> Vec<String> {
//!         vec!["on".into()]
//!     }
//!     fn holds(&self, _: PropositionId, state: &State) -> bool {
//!         state.on
//!     }
//!     fn properties(&self) -> Vec<(String, String)> {
//!         vec![("lit".into(), "F on".into())]
//!     }
//! }
//!
//! let model = Model::of_rust(Light)?;
//! let lit = Check::new(&model).property("lit");
//! assert!(!lit.clone().run()?.holds());
//! assert!(lit.fair(Fair::weak_of("late")).run()?.holds());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Languages and engines of one's own
//!
//! A language implements [`Language`] and [`Specification`]; [`Model::parse`] takes it like the known
//! ones ([`languages`]). An engine implements [`Engine`]; [`Check::with_engine`] puts it in front of
//! the known ones ([`engines`]).
//!
//! # Features
//!
//! `symbolic` brings the engine that explores sets of states, `html` the pages of [`report`]. Both are
//! there by default, and the library does without them.
//!
//! # Where to read on
//!
//! The book under `docs/` has the semantics; [`Report`] and [`PropertyResult`] are what comes back,
//! [`Counterexample`] is a run, and [`report`] tells all of them as text, JSON and pages.

mod builder;
mod formulas;
mod languages;
mod model;
#[cfg(feature = "html")]
mod pages;

pub use builder::{Advise, Check, Fair};
pub use formulas::{AutomatonKind, FormulaError, formula_facts, translate};
pub use languages::{Hoa, language, language_of_path, language_of_text, languages};
pub use model::{LoadError, LoadOptions, Model, ModelText};
#[cfg(feature = "html")]
pub use pages::{advice_page, check_page, property_page, with_check_page, with_page};

pub use evenhand_advise as advise;
pub use evenhand_automata as automata;
pub use evenhand_petri::Pnml;
pub use evenhand_promela::Promela;
pub use evenhand_report as report;
pub use evenhand_smv::Smv;
pub use evenhand_source::{Budget, Diagnostic, Exhausted, FileId, Files, Position, Severity, Span};
pub use evenhand_system as system;
pub use evenhand_system::explicit::Value;
pub use evenhand_system::model::{Model as RustModel, ModelAction, ModelError, Steps};
pub use evenhand_system::pack::Pack;
pub use evenhand_system::{
    ActionId, Body, Compassion, Content, Explicit, Explorer, Fairness, FaultKind, Formula,
    Granularity, Inquiry, Kind, Language, Linear, ProcessId, PropositionId, Question, ReadOptions,
    Rejected, Request, Signature, Specification, Successors, Unresolved, Wanted, What, pack_fields,
};
pub use evenhand_verify as verify;
pub use evenhand_verify::{
    Answers, Asking, AutomatonText, Cancel, Case, CheckError, CompassionBy, Counterexamples,
    Deadlock, Detail, Engine, Evidence, Finding, FiniteRun, Hint, Listener, Note, Options,
    Progress, PropertyResult, Reduce, Report, SetProgress, Silent, StopReason, Support, Task,
    Verdict, Warning, census, engines, memory,
};
pub use evenhand_witness::{self as witness, Counterexample, ReplayError, TraceStep};
