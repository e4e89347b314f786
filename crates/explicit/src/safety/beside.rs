//! The depth-first probe beside the breadth-first search, where there are threads for both.
//!
//! The probe explores some million states in one thread, and a search that waits for it is done twice as late where the
//! system has about as many. So it goes on in a thread of its own, while the search goes on in the others. What is told is
//! what would be told one after the other: where everything is explored and nothing was found, the probe cannot find anything either; where
//! the search finds something, or a limit on what is explored ends it, the probe is waited for and told first.
//!
//! Both keep states at the same time. So that this is no reason to end early, the probe gets a part of the memory that is left,
//! and where that does not do, the search goes on without it.
//!
//! Not for those who are content with any path: there the search ends as soon as the probe has found something, and how far it
//! is by then must not depend on the time.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};
use std::time::{Duration, Instant};

use evenhand_source::budget::look_while_waiting;
use evenhand_source::{Budget, STACK};
use evenhand_system::Explicit;

use super::{Audience, Errors, SafetyOptions, has_news, probe, tell};
use crate::search::{Options, Pause, PerClass, Progress, Search, Stop};
use crate::store::{Limits, Store};

/// How many states the search goes on for between two looks at the probe, where others help with large systems alone.
const STRIDE: usize = 1 << 16;

/// Of the memory that is left when it begins the probe gets this part.
const PART: u64 = 2;

/// How often somebody who waits for the probe is asked whether to go on.
const TICK: Duration = Duration::from_millis(20);

/// How long it has to end by itself, with what it has found, before it is ended.
const GRACE: Duration = Duration::from_millis(200);

/// Hears what the probe has found, with the search that it is beside, and what was told before.
pub(super) type Ears<'e, S> =
    dyn FnMut(&mut Search<'_, S>, Errors, &mut PerClass<bool>, &mut dyn Audience) + 'e;

/// Whether the probe is to go on beside the search.
pub(super) fn is_beside(options: &SafetyOptions) -> bool {
    options.search.threads.count > 1 && options.paths && !options.any_path
}

/// Goes on with a search until it is done, with a probe beside it. What the probe has found is handed over when it is known.
pub(super) fn with_probe<S: Store>(
    wide: &mut Search<'_, S>,
    (system, options, probe_options): (&dyn Explicit, &SafetyOptions, Options),
    new_store: &(impl Fn(Limits) -> S + Sync),
    told: &mut PerClass<bool>,
    audience: &mut dyn Audience,
    found: &mut Ears<'_, S>,
) {
    let mut limits = options.search.limits();
    if let Some(most) = options.search.limit_memory {
        let used = options.search.used_memory.map_or(0, |used| used());
        let left = most.saturating_sub(used.max(wide.found.progress.bytes));
        limits.bytes = usize::try_from(left / PART).unwrap_or(usize::MAX);
    }
    scope(|scope| {
        let mut beside = Beside::begin(scope, move |audience| {
            let probed = (system, options, probe_options);
            probe(probed, super::PROBE_STATES, new_store(limits), audience)
        });
        let stride = options.search.threads.sooner(STRIDE);
        loop {
            let pause = Some(wide.found.progress.states as usize + stride);
            let mut observer = |progress: &Progress| audience.progress(progress);
            let stands = wide.advance(pause, &mut observer);
            let (is_done, has_news) = (stands == Pause::Done, has_news(wide, options, told));
            let is_over = match wide.found.stop {
                _ if !is_done => false,
                // Everything is explored: the probe cannot find anything either.
                None if !has_news => return,
                // Nobody wants to wait; what it has found by now counts.
                Some(Stop::Time | Stop::Interrupted) => !has_news,
                // Without it there may be enough.
                Some(Stop::Memory) => wide.is_crowded,
                _ => false,
            };
            // The probe is to be heard first, as if it had been waited for.
            let is_wanted = is_done || has_news;
            if beside.is_there() && (is_wanted || beside.is_finished()) {
                let at = wide.found.progress;
                let errors = beside.hear(&mut || !is_over && audience.progress(&at));
                found(wide, errors, told, audience);
                if is_done && wide.has_room_again() {
                    continue;
                }
            }
            if stands == Pause::News {
                tell(wide, options, told, audience);
            }
            if is_done {
                return;
            }
        }
    });
}

/// The probe in a thread of its own.
struct Beside<'s> {
    thread: Option<ScopedJoinHandle<'s, Errors>>,
    /// Breaks off when it is done.
    done: Receiver<()>,
    /// Raised where it is to end with what it has found, and where it is to end at once.
    enough: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl<'s> Beside<'s> {
    /// Begins; without a thread there is no probe.
    fn begin(
        scope: &'s Scope<'s, '_>,
        work: impl FnOnce(&mut Deaf) -> Errors + Send + 's,
    ) -> Beside<'s> {
        let (is_done, done) = channel::<()>();
        let (enough, over) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let mut deaf = Deaf(enough.clone());
        let own = Budget::unlimited().cancel(Arc::clone(&over));
        let budget = Budget::current();
        let run = move || {
            // Dropped at the end, also if the work panics.
            let _is_done = is_done;
            let probed = budget.run(|| own.run(|| work(&mut deaf)));
            probed.and_then(|probed| probed).unwrap_or_default()
        };
        let thread = Builder::new()
            .name("probe".into())
            .stack_size(STACK)
            .spawn_scoped(scope, run)
            .ok();
        Beside {
            thread,
            done,
            enough,
            over,
        }
    }

    /// Whether it was not heard yet.
    fn is_there(&self) -> bool {
        self.thread.is_some()
    }

    fn is_finished(&self) -> bool {
        let thread = self.thread.as_ref();
        thread.is_some_and(ScopedJoinHandle::is_finished)
    }

    /// What it has found when it is done, or when somebody has waited for long enough.
    fn hear(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Errors {
        let Some(thread) = self.thread.take() else {
            return Errors::default();
        };
        let mut asked = None;
        loop {
            match asked {
                None if !goes_on() => {
                    self.enough.store(true, Ordering::Relaxed);
                    asked = Some(Instant::now());
                }
                Some(at) if at.elapsed() > GRACE => self.over.store(true, Ordering::Relaxed),
                _ => (),
            }
            match self.done.recv_timeout(TICK) {
                Err(RecvTimeoutError::Timeout) => look_while_waiting(),
                _ => break,
            }
        }
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Drop for Beside<'_> {
    /// Before the scope waits for the probe, also where the search is ended by a limit.
    fn drop(&mut self) {
        self.enough.store(true, Ordering::Relaxed);
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Tells nobody how far the probe is, and ends it where that is wanted.
struct Deaf(Arc<AtomicBool>);

impl Audience for Deaf {
    fn progress(&mut self, _progress: &Progress) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}
