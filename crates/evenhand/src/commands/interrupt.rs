//! Ctrl-C: the first one ends the search, and what is known so far is printed; the second one ends the
//! program at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on, an interrupt is remembered.
pub(crate) fn listen() {
    FLAG.get_or_init(|| {
        let raised = Arc::new(AtomicBool::new(false));
        // The order matters: a second interrupt finds the flag that the first one raised. Without
        // handlers an interrupt ends the program as usual, so their failure is no error.
        let code = crate::Exit::Interrupted as i32;
        let _ = flag::register_conditional_shutdown(SIGINT, code, Arc::clone(&raised));
        let _ = flag::register(SIGINT, Arc::clone(&raised));
        raised
    });
}

/// Whether there was one.
pub(crate) fn is_raised() -> bool {
    FLAG.get().is_some_and(|f| f.load(Ordering::Relaxed))
}

/// The flag that an interrupt raises.
pub(crate) fn raised() -> Option<Arc<AtomicBool>> {
    listen();
    FLAG.get().cloned()
}
