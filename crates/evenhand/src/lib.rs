//! Evenhand: does this temporal property hold on every fair run, and if not, what is the shortest
//! fair run that breaks it?
//!
//! This crate is the façade: [`Model::load`] reads a model, [`Model::of_rust`] takes one that is written
//! in Rust, [`check()`] answers questions about it, [`advise::advise`] says which fairness a property
//! needs. Nothing here prints.
//!
//! # Load a model, check a property
//!
//! Two processes compete for a semaphore. Under weak fairness one of them may starve: the semaphore is
//! free again and again, but never for good.
//!
//! ```
//! use evenhand::check::Silent;
//! use evenhand::report::Verdict;
//! use evenhand::{CheckOptions, Language, LoadOptions, Model, check};
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
//! let mut model = Model::parse("mutex.pml", text.into(), Language::Promela, &LoadOptions::default())
//!     .expect("the model is right");
//!
//! let mut options = CheckOptions {
//!     properties: vec!["entry".into()],
//!     fair: vec!["weak".into()],
//!     ..CheckOptions::default()
//! };
//! let report = check(&mut model, &options, &mut Silent).expect("the question has a meaning");
//! let Verdict::Violated(Some(run)) = &report.properties[0].verdict else {
//!     panic!("weak fairness is not enough");
//! };
//! // A lasso: the initial state and the steps to the cycle, then the steps that repeat for ever.
//! assert!(run.shortest);
//! assert!(run.cycle.iter().all(|step| step.process.as_deref() == Some("p[1]")));
//! // Why it is fair: one entry for each assumption.
//! assert_eq!(run.evidence.len(), 2);
//!
//! options.fair = vec!["strong".into()];
//! let report = check(&mut model, &options, &mut Silent).expect("the question has a meaning");
//! assert!(matches!(report.properties[0].verdict, Verdict::Holds));
//! ```
//!
//! [`Model::load`] reads from a file and tells the language by its name; SMV models are asked in the
//! same way.
//!
//! # Choose fairness and engine, set limits
//!
//! Fairness assumptions are texts of the `--fair` option: `weak`, `strong:p`, `strong:p@want`,
//! `just:free`, `compassion:x == 1 => y == 1`. What the model declares counts besides, unless
//! [`CheckOptions::no_fairness`] says otherwise. A limit that is reached gives [`Unknown`].
//!
//! [`Unknown`]: report::Verdict::Unknown
//!
//! ```
//! # use evenhand::check::{Counterexamples, Silent};
//! # use evenhand::report::Verdict;
//! # use evenhand::{CheckOptions, Language, LoadOptions, Model, check};
//! let text = "byte x; active proctype p() { do :: x < 100 -> x++ :: x = 0 od }";
//! let mut model = Model::parse("counter.pml", text.into(), Language::Promela, &LoadOptions::default())
//!     .expect("the model is right");
//! let mut options = CheckOptions {
//!     formulas: vec!["[] <> (x == 0)".into(), "[] (x <= 100)".into()],
//!     fair: vec!["just:x == 0".into()],
//!     engine: Some("feasible".into()),
//!     counterexample: Counterexamples::None,
//!     ..CheckOptions::default()
//! };
//! let report = check(&mut model, &options, &mut Silent).expect("the question has a meaning");
//! assert!(report.properties.iter().all(|p| matches!(p.verdict, Verdict::Holds)));
//!
//! options.limit_states = Some(10);
//! let report = check(&mut model, &options, &mut Silent).expect("the question has a meaning");
//! assert!(matches!(report.properties[1].verdict, Verdict::Unknown(_)));
//! ```
//!
//! # A model written in Rust
//!
//! Any type that implements [`RustModel`](foreign::RustModel) is a model: it names its processes,
//! actions and propositions, and lists for each state all steps out of it. Here a light is switched by
//! two people, one of whom might never come; `examples/two_phase_commit.rs` is a whole protocol.
//!
//! ```
//! use evenhand::check::Silent;
//! use evenhand::foreign::{ModelAction, PropositionId, RustModel, Steps, pack_fields};
//! use evenhand::report::Verdict;
//! use evenhand::{CheckOptions, Model, check};
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
//! let mut model = Model::of_rust(Light).expect("a few processes and actions");
//! let mut ask = |fair: &[&str]| {
//!     let options = CheckOptions {
//!         properties: vec!["lit".into()],
//!         fair: fair.iter().map(|text| text.to_string()).collect(),
//!         ..CheckOptions::default()
//!     };
//!     check(&mut model, &options, &mut Silent).expect("the question has a meaning")
//! };
//! assert!(matches!(ask(&[]).properties[0].verdict, Verdict::Violated(_)));
//! assert!(matches!(ask(&["weak:late"]).properties[0].verdict, Verdict::Holds));
//! ```
//!
//! # Where to read on
//!
//! The book under `docs/` has the semantics; [`check::CheckReport`] and [`report::PropertyResult`] are
//! what comes back, [`witness::Counterexample`] is a run, and [`report::text`], [`report::json`] and
//! [`report::html`] tell it.

pub mod advise;
mod blame;
mod bounded;
mod branching;
pub mod census;
pub mod check;
pub mod foreign;
mod formulas;
mod gauge;
mod hints;
mod labelled;
mod language;
mod learned;
mod learned_runs;
mod learned_safety;
pub mod memory;
pub mod model;
pub mod question;
mod runs;
pub mod smv;
mod temporal;
pub mod trail;
mod vacuity;

pub use check::{CheckOptions, check};
pub use evenhand_report as report;
pub use evenhand_witness as witness;
pub use model::{Language, LoadError, LoadOptions, Model, ModelText};
