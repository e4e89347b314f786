//! The depth-first probe beside the breadth-first search, where there are threads for both.
//!
//! The probe explores some million states in one thread, and a search that waits for it is done twice as late where the
//! system has about as many. So it goes on in a thread of its own, while the search goes on in the others. What is told is
//! what would be told one after the other: where everything is explored and nothing was found, the probe cannot find anything either; where
//! the search finds something, or a limit on what is explored ends it, the probe is waited for and told first.
//!
//! Not for those who are content with any path: there the search ends as soon as the probe has found something, and how far it
//! is by then must not depend on the time.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope};

use evenhand_source::Budget;
use evenhand_system::Explicit;

use super::{Audience, Errors, SafetyOptions, has_news, probe, tell};
use crate::search::{Options, Pause, PerClass, Progress, Search, Stop};
use crate::store::Store;

/// How many states the search goes on for between two looks at the probe, where others help with large systems alone.
const STRIDE: usize = 1 << 16;

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
    new_store: &(impl Fn() -> S + Sync),
    told: &mut PerClass<bool>,
    audience: &mut dyn Audience,
    found: &mut Ears<'_, S>,
) {
    let over = Arc::new(AtomicBool::new(false));
    let budget = Budget::current().cancel(over.clone());
    scope(|scope| {
        // Raised before the scope waits for the probe, also where the search is ended by a limit.
        let flag = over.clone();
        let _over = Over(over);
        let work = move || {
            let mut deaf = Deaf(flag);
            let probed = (system, options, probe_options);
            let probed = budget.run(|| probe(probed, super::PROBE_STATES, new_store(), &mut deaf));
            probed.unwrap_or_default()
        };
        let mut deep = Builder::new()
            .name("probe".into())
            .spawn_scoped(scope, work)
            .ok();
        let stride = options.search.threads.sooner(STRIDE);
        loop {
            let pause = Some(wide.found.progress.states as usize + stride);
            let mut observer = |progress: &Progress| audience.progress(progress);
            let stands = wide.advance(pause, &mut observer);
            let (is_done, has_news) = (stands == Pause::Done, has_news(wide, options, told));
            if is_done && !has_news && is_probe_done_with(wide.found.stop) {
                return;
            }
            // The probe is to be heard first, as if it had been waited for.
            let is_wanted = is_done || has_news;
            if deep
                .as_ref()
                .is_some_and(|deep| is_wanted || deep.is_finished())
            {
                let errors = deep.take().map(joined).unwrap_or_default();
                found(wide, errors, told, audience);
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

/// Whether nothing is asked of the probe any more: everything is explored, or nobody wants to wait.
fn is_probe_done_with(stop: Option<Stop>) -> bool {
    matches!(stop, None | Some(Stop::Time | Stop::Interrupted))
}

fn joined(deep: ScopedJoinHandle<'_, Errors>) -> Errors {
    deep.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Tells nobody how far the probe is, and ends it when it is over.
struct Deaf(Arc<AtomicBool>);

impl Audience for Deaf {
    fn progress(&mut self, _progress: &Progress) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
