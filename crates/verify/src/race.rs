//! States and sets in turns: two ways to explore a system, and the first that has all answers is kept.
//!
//! **Problem.** Sets of states do not care how many there are, but a counter with 60,000 states takes them
//! minutes; states one by one take for ever where there are many. Constraints tell neither.
//!
//! **Idea.** Both begin, in turns of equal effort ([`Turn`]): states in this thread, sets in another one. States go
//! first for a while, since most models are small, and their runs are shortest. An answer that states have found
//! counts at once. When sets have all answers, states end, and what they left open is taken from the sets. When states
//! have all answers, sets end. When one of them gives up, the other one goes on alone.
//!
//! **Cost.** Twice that of the better way, and the first look. They share one limit of memory: who gives up gives back
//! what it has. Sets that have more than half of it give up when it is nearly full, states when it is. Where nobody counts
//! all memory, each has half.

use evenhand_explicit::search::Progress;
use evenhand_source::{Budget, Turn};
use evenhand_system::Question;

use crate::answer::{CheckError, PropertyResult};
use crate::case::Case;
use crate::engine::Finding;
use crate::listener::{Listener, SetProgress};
#[cfg(feature = "symbolic")]
use crate::symbolic::beside::Beside;

/// How many slices states have before sets begin.
const FIRST: u64 = 10;

/// Sets at work beside states.
pub(crate) struct Race {
    turn: Turn,
    sets: Beside,
}

/// Nobody explores sets here.
#[cfg(not(feature = "symbolic"))]
enum Beside {}

#[cfg(not(feature = "symbolic"))]
impl Beside {
    fn begin(
        _: &Case<'_>,
        _: Vec<Question>,
        _: Turn,
        _: &Budget,
    ) -> Result<Option<Beside>, CheckError> {
        Ok(None)
    }

    fn wait(&mut self, _: &Budget, _: &mut dyn Listener) {
        match *self {}
    }

    fn end(self) -> (Vec<Option<Finding>>, Result<(), CheckError>) {
        match self {}
    }
}

impl Race {
    /// Begins; none if there is nobody to race with.
    pub fn begin(
        case: &Case<'_>,
        questions: Vec<Question>,
        budget: &Budget,
    ) -> Result<Option<Race>, CheckError> {
        let (turn, other) = Turn::pair(FIRST);
        let sets = Beside::begin(case, questions, other, budget)?;
        Ok(sets.map(|sets| Race { turn, sets }))
    }

    /// What states may cost meanwhile.
    pub fn budget(&self, budget: &Budget) -> Budget {
        budget.clone().turn(self.turn.clone())
    }

    /// States are done: what sets have found by now, or, if something is still open, when they are done too.
    pub fn end(
        self,
        is_open: bool,
        budget: &Budget,
        listener: &mut dyn Listener,
    ) -> (Vec<Option<Finding>>, Result<(), CheckError>) {
        self.turn.leave(!is_open);
        let mut sets = self.sets;
        if is_open {
            sets.wait(budget, listener);
        }
        sets.end()
    }
}

/// Passes on all but verdicts that another one may still find.
pub(crate) struct OnlyDecided<'l>(pub &'l mut dyn Listener);

impl Listener for OnlyDecided<'_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.0.progress(progress)
    }

    fn sets(&mut self, sets: &SetProgress) {
        self.0.sets(sets);
    }

    fn stage(&mut self, name: &str) {
        self.0.stage(name);
    }

    fn verdict(&mut self, result: &PropertyResult) {
        if result.verdict.is_decided() {
            self.0.verdict(result);
        }
    }

    fn early_verdict(&mut self, result: &PropertyResult) {
        if result.verdict.is_decided() {
            self.0.early_verdict(result);
        }
    }
}
