//! What comes after the verdicts: the runs that show violations, and hints.
//!
//! The time that is left is shared: of n runs that wait, the next one may take an nth of it, and what it
//! leaves is there for the others. Where that was not enough, the run that was there from the beginning is
//! shown. Where searches have used up the memory, a run along states that are
//! known still finds a little more; and who asks for the end gets the runs that are there at once.
//! Whatever ends this work, verdicts stay what they are.

use std::rc::Rc;
use std::time::{Duration, Instant};

use evenhand_source::{Budget, Exhausted};
use evenhand_system::Inquiry;

use crate::answer::{CheckError, PropertyResult};
use crate::case::{Allowance, Case, Task};
use crate::engine::Finding;
use crate::evidence::Evidence;
use crate::hints::add_hint;
use crate::listener::Listener;
use crate::options::{Cancel, Counterexamples, Options};
use crate::runs;

/// How long all runs may take that are there already, when the time is over.
const LAST_WORDS: Duration = Duration::from_millis(150);

/// Of the time, so much at most is kept for such runs.
const RESERVE: Duration = Duration::from_millis(250);

/// Of the time, what is kept for runs that are there already.
pub(crate) fn reserve(options: &Options) -> Duration {
    let wants_runs = options.counterexample != Counterexamples::None;
    let time = options.limit_time.filter(|_| wants_runs);
    time.map_or(Duration::ZERO, |limit| (limit / 20).min(RESERVE))
}

/// What an engine has to show for a violation, until it is shown.
pub(crate) struct Waiting<'v> {
    /// The states that it is about.
    pub case: Rc<Case<'v>>,
    /// The place of the question.
    pub at: usize,
    /// What there is to show.
    pub evidence: Evidence,
    /// The number of processes that fairness was set up for.
    pub processes: usize,
    /// Why it was not shown.
    pub missed: Option<Exhausted>,
}

/// Runs and hints for results.
pub(crate) struct Afterwards<'a> {
    pub inquiry: &'a Inquiry,
    pub options: &'a Options,
    pub tasks: &'a [Task],
    pub deadline: Option<Instant>,
    pub results: &'a mut [Option<PropertyResult>],
    /// When the last words are to be said, once the time is over.
    pub silence: Option<Instant>,
}

impl Afterwards<'_> {
    /// Shows all that waits, then looks for hints.
    pub fn all(
        &mut self,
        waiting: &mut Vec<Waiting<'_>>,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        let mut left = waiting.iter().filter(|w| self.is_open(w.at)).count() as u32;
        for waiting in waiting.iter_mut() {
            if self.is_open(waiting.at) {
                self.show(waiting, left, listener)?;
                left -= 1;
            }
        }
        for waiting in waiting.iter_mut() {
            if self.is_open(waiting.at) && !matches!(waiting.evidence, Evidence::None) {
                self.show(waiting, 0, listener)?;
            }
        }
        for waiting in waiting.iter() {
            if let (true, Some(why)) = (self.is_open(waiting.at), waiting.missed)
                && let Some(result) = &mut self.results[waiting.at]
            {
                let text = format!("the run that shows it is not told: {why}");
                result.warnings.push(text.into());
            }
        }
        if self.options.hints && !self.options.cancel.is_cancelled() {
            for waiting in waiting.iter() {
                self.hint(waiting, listener)?;
            }
        }
        waiting.clear();
        Ok(())
    }

    /// Shows one of them at once.
    pub fn one(
        &mut self,
        at: usize,
        waiting: &mut [Waiting<'_>],
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        match waiting.iter_mut().find(|waiting| waiting.at == at) {
            Some(waiting) if self.is_open(at) => self.show(waiting, 1, listener),
            _ => Ok(()),
        }
    }

    /// Whether a violation has no run yet.
    fn is_open(&self, at: usize) -> bool {
        let result = self.results[at].as_ref();
        result.is_some_and(|result| result.verdict.is_violated() && result.verdict.run().is_none())
    }

    fn show(
        &mut self,
        waiting: &mut Waiting<'_>,
        left: u32,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        let Waiting { case, at, .. } = waiting;
        let Some(result) = self.results[*at].clone() else {
            return Ok(());
        };
        let spare = waiting.evidence.spare();
        let evidence = std::mem::replace(&mut waiting.evidence, spare);
        let finding = Finding { result, evidence };
        let allowance = self.allowance(left);
        case.allow(allowance);
        let task = &self.tasks[*at];
        let shown = self
            .budget(allowance)
            .run(|| runs::show(case, task, finding, listener));
        match shown {
            Ok(result) => self.results[*at] = Some(result?),
            Err(why) => {
                case.resume();
                waiting.missed = Some(why);
            }
        }
        Ok(())
    }

    fn hint(
        &mut self,
        waiting: &Waiting<'_>,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        let Waiting {
            case,
            at,
            processes,
            ..
        } = waiting;
        let Some(mut result) = self.results[*at].clone() else {
            return Ok(());
        };
        let allowance = self.allowance(1);
        if allowance.last_words {
            return Ok(());
        }
        case.allow(allowance);
        let found = (&self.tasks[*at], &mut result);
        let hinted = self
            .budget(allowance)
            .run(|| add_hint(self.inquiry, case, *processes, found, listener));
        if let Ok(hinted) = hinted {
            hinted?;
            self.results[*at] = Some(result);
        }
        Ok(())
    }

    /// What the next of so many may cost; what is left when none is left is for the last words.
    fn allowance(&mut self, left: u32) -> Allowance {
        let now = Instant::now();
        let until = self.deadline.filter(|_| left > 0);
        let until = until.map(|end| end - reserve(self.options));
        let share = until.map(|end| end.saturating_duration_since(now) / left.max(1));
        let is_late = left == 0 || share.is_some_and(|share| share.is_zero());
        let last_words = is_late || self.options.cancel.is_cancelled();
        Allowance {
            deadline: match (last_words, share) {
                (true, _) => Some(*self.silence.get_or_insert(now + LAST_WORDS)),
                // A search that takes no account of its share ends soon behind it.
                (false, share) => share.map(|share| now + share + share / 4).min(until),
            },
            memory: self.options.limit_memory.map(|limit| limit + limit / 16),
            share: if last_words {
                Some(Duration::ZERO)
            } else {
                share
            },
            last_words,
        }
    }

    fn budget(&self, allowance: Allowance) -> Budget {
        let options = Options {
            limit_memory: allowance.memory,
            cancel: match allowance.last_words {
                true => Cancel::new(),
                false => self.options.cancel.clone(),
            },
            ..self.options.clone()
        };
        options.budget(allowance.deadline)
    }
}
