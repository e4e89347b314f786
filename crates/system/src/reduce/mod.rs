//! Fewer states: a system in which steps are left out that make no difference to a question.
//!
//! The reduced system is a system like any other: searches, products and engines explore it without
//! knowing. Of the steps of a state it has all, or the steps of a *persistent set* (`choose.rs`). For
//! the answer to a question to be the same (Peled, Valmari, Godefroid), a set that is not all
//!
//! 1. has a step, and no step outside of it that may come first depends on one inside,
//! 2. has no *visible* step: one that may change the value of a proposition that is asked for, of a
//!    condition that fairness is about, or the enabledness of a fairness item that the step does not take
//!    itself. Without the latter fair runs are lost: that steps are taken does not change where they are
//!    reordered, but what is enabled in between does,
//! 3. has no *sticky* step, where sticky steps are such that every cycle of states has one. So every
//!    cycle has a state with all its steps, and nothing is put off for ever, in whatever order the
//!    states are explored, and whatever is put beside them,
//! 4. has no step that meets a run-time error here (nor can it meet one later, since nobody outside
//!    writes what it reads).
//!
//! The set depends on the state and on what the question sees, and on nothing else: not on a stack, not
//! on a thread, not on the automaton of a product. What is enabled comes from the complete list of steps.
//!
//! Where the set is a single step, the state in front of it need not be known to anybody. In a system
//! with *chains* a step leads on through such states to the first that is none. Nothing changes on the way
//! that the question sees, and since the steps are not sticky there is an end to it. The step carries what
//! all steps of the chain take. That is enough for fairness: an item that none of them takes is enabled at
//! the end of the chain iff it was all the way, so that what it asks for is asked for there too.
//!
//! Such a system also forgets values that nobody will read any more. States that differ in these alone can
//! do the same for ever, and look the same to who asks.
//!
//! Questions must not count steps: the next state means nothing here.

pub(crate) mod choose;
mod explorer;
mod lift;
mod recent;
mod unroll;

pub use lift::Lift;
pub use unroll::{Unrolled, Unroller};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::assumption::{AssumptionKind, Fairness};
use crate::explicit::{Explicit, Explorer, FinishedRuns, Successors};
use crate::fairness::PropositionId;
use crate::ids::ProcessId;
use crate::signature::{ItemSpec, Signature};

/// What a question sees of a system.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// Values of propositions, those of fairness included.
    pub propositions: Vec<PropositionId>,
    /// The items that something is assumed about.
    pub items: Vec<ItemSpec>,
    /// Items exist only for processes below this number.
    pub pid_bound: Option<usize>,
}

impl Sight {
    /// What a question about these propositions sees under fairness.
    pub fn new(propositions: Vec<PropositionId>, fairness: &Fairness) -> Sight {
        let mut sight = Sight {
            propositions,
            items: Vec::new(),
            pid_bound: fairness.pid_bound,
        };
        for assumption in &fairness.assumptions {
            match assumption.kind {
                AssumptionKind::Weak(item) | AssumptionKind::Strong(item) => {
                    sight.items.extend(fairness.items.get(item).cloned());
                }
                AssumptionKind::Justice(condition) => sight.propositions.push(condition),
                AssumptionKind::Compassion { when, then } => {
                    sight.propositions.extend([when, then]);
                }
            }
        }
        sight
    }
}

/// How a system is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Steps are left out; every step is one of the system.
    Steps,
    /// And states with a single step are passed over, and what makes no difference any more is forgotten.
    Chains,
}

/// Chooses steps that stand for all.
pub trait Chooser: Send {
    /// Fills in the places of the steps to keep, in order.
    fn choose(&mut self, state: &[u8], all: &Successors, kept: &mut Vec<usize>) -> Choice;

    /// Processes whose steps alone may stand for all, whatever the others can do in this state. Whether any
    /// steps may that are not all.
    fn candidates(&mut self, state: &[u8], found: &mut Vec<ProcessId>) -> bool {
        let _ = (state, found);
        true
    }

    /// Whether the steps of a candidate, which are these, stand for all.
    fn stands_alone(&mut self, process: ProcessId, steps: &Successors) -> bool {
        let _ = (process, steps);
        false
    }

    /// Whether a single step stands for all: then it is all there is in the list. Processes are expanded one
    /// by one, no more than are needed to find out; whether it is known that none does is asked where that is likely.
    fn single(
        &mut self,
        state: &[u8],
        explorer: &mut dyn Explorer,
        is_stop: &mut dyn FnMut() -> bool,
        out: &mut Successors,
    ) -> bool {
        let _ = (state, explorer, is_stop, out);
        false
    }

    /// Whether that is seen at once of the state behind the step that was found last, which this process made by itself:
    /// then the next one is its own, and is all there is in the list. It is the one that [`Chooser::single`] finds.
    fn goes_on(
        &mut self,
        state: &[u8],
        process: ProcessId,
        explorer: &mut dyn Explorer,
        out: &mut Successors,
    ) -> bool {
        let _ = (state, process, explorer, out);
        false
    }

    /// What was looked at since this list was empty and is not settled.
    fn met(&mut self) -> Option<&mut Vec<u32>> {
        None
    }

    /// Whether that is found out by choosing among all steps instead.
    fn chooses_singles(&self) -> bool {
        false
    }

    /// Sets what makes no difference any more to a fixed value.
    fn forget(&mut self, state: &mut [u8]) {
        let _ = state;
    }
}

/// What a chooser found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// All steps are kept.
    All,
    /// Steps are kept that stand for all, none of them visible, sticky or faulty; there may be no
    /// others.
    Some,
}

/// Makes choosers, one for each thread.
pub trait Choosers: Send + Sync {
    /// One of them.
    fn chooser<'a>(&'a self) -> Box<dyn Chooser + 'a>;

    /// Is raised where it is found out that reducing costs more than it saves.
    fn gave_up(&self) -> &Arc<AtomicBool>;

    /// Whoever decides has come to what some chooser has [met](Chooser::met); whether to go on.
    fn settle(&self, met: &[u32]) -> bool {
        let _ = met;
        true
    }
}

/// Keeps all steps: of a system that is small enough as it is.
#[derive(Debug, Default)]
pub struct KeepAll(Arc<AtomicBool>);

impl Choosers for KeepAll {
    fn chooser<'a>(&'a self) -> Box<dyn Chooser + 'a> {
        Box::new(KeepingAll)
    }

    fn gave_up(&self) -> &Arc<AtomicBool> {
        &self.0
    }
}

struct KeepingAll;

impl Chooser for KeepingAll {
    fn choose(&mut self, _: &[u8], _: &Successors, kept: &mut Vec<usize>) -> Choice {
        kept.clear();
        Choice::All
    }
}

/// A system without some of its steps and states.
pub struct Reduced<'s> {
    system: Inside<'s>,
    choosers: Box<dyn Choosers + 's>,
    how: Reduction,
    /// Where chains ended.
    stops: recent::Stops,
    /// If that is not the system itself but a smaller one: how to come back.
    lift: Option<Box<dyn Lift + 's>>,
}

/// What steps are left out of.
enum Inside<'s> {
    Given(&'s dyn Explicit),
    Own(Box<dyn Explicit + 's>),
}

impl<'s> Reduced<'s> {
    /// A system without what choosers leave out. They must keep to what is said at the beginning of this module.
    pub fn new(
        system: &'s dyn Explicit,
        choosers: Box<dyn Choosers + 's>,
        how: Reduction,
    ) -> Reduced<'s> {
        Reduced {
            system: Inside::Given(system),
            choosers,
            how,
            stops: recent::Stops::default(),
            lift: None,
        }
    }

    /// The same for a smaller system that has the same runs as the system, as far as the question sees them, with the
    /// way back.
    pub fn of_smaller(
        system: Box<dyn Explicit + 's>,
        lift: Box<dyn Lift + 's>,
        choosers: Box<dyn Choosers + 's>,
        how: Reduction,
    ) -> Reduced<'s> {
        Reduced {
            system: Inside::Own(system),
            choosers,
            how,
            stops: recent::Stops::default(),
            lift: Some(lift),
        }
    }

    fn system(&self) -> &dyn Explicit {
        match &self.system {
            Inside::Given(system) => *system,
            Inside::Own(system) => &**system,
        }
    }

    /// Sets what makes no difference any more in a state of the system to the value that it has here.
    pub fn forget(&self, state: &mut [u8]) {
        if self.how == Reduction::Chains {
            self.choosers.chooser().forget(state);
        }
    }

    /// Is raised where reducing costs more than it saves, as far as the states tell that were decided about: then whoever explores
    /// this should explore the system itself instead. From then on the steps of a state may depend on when it is expanded, so nothing
    /// that is found counts but violations.
    pub fn gave_up(&self) -> &Arc<AtomicBool> {
        self.choosers.gave_up()
    }

    /// Finds the steps of the system behind those that are made here, with these fairness items.
    pub fn unroller(&self, items: &[ItemSpec]) -> Unroller<'_> {
        Unroller::new(self.explore(items), self.lift.as_deref())
    }

    fn explore(&self, items: &[ItemSpec]) -> explorer::ReducedExplorer<'_> {
        let (inner, chooser) = (self.system().explorer(items), self.choosers.chooser());
        explorer::ReducedExplorer::new(inner, chooser, self.how, !items.is_empty(), &self.stops)
    }
}

impl Explicit for Reduced<'_> {
    fn signature(&self) -> &Signature {
        self.system().signature()
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(self.explore(items))
    }

    fn finished_runs(&self) -> FinishedRuns {
        self.system().finished_runs()
    }

    fn is_pure(&self) -> bool {
        self.system().is_pure()
    }

    fn settle(&self, met: &[u32]) -> bool {
        self.choosers.settle(met)
    }

    fn is_on_steps(&self, proposition: PropositionId) -> bool {
        self.system().is_on_steps(proposition)
    }
}
