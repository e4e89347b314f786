//! Ctrl-C and SIGTERM: the first one ends the search, and what is known so far is printed; the second
//! one ends the program at once. What would abort the program ends it like a limit.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use evenhand_verify::Cancel;
use signal_hook::consts::{SIGABRT, SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit code of an interrupted program.
pub(crate) const CODE: u8 = 130;

static CANCEL: OnceLock<Cancel> = OnceLock::new();

/// The flag that an interrupt raises, from now on.
pub(crate) fn cancel() -> Cancel {
    let cancel = CANCEL.get_or_init(|| {
        let cancel = Cancel::new();
        let raised = cancel.flag();
        // The order matters: a second interrupt finds the flag that the first one raised. Without
        // handlers an interrupt ends the program as usual, so their failure is no error.
        for signal in [SIGINT, SIGTERM] {
            let (code, flag) = (i32::from(CODE), Arc::clone(&raised));
            let _ = flag::register_conditional_shutdown(signal, code, flag);
            let _ = flag::register(signal, Arc::clone(&raised));
        }
        cancel
    });
    cancel.clone()
}

/// From now on a program that has no more memory, or no more stack, ends with that code. What is wrong
/// was said by then.
pub(crate) fn survive_aborts(code: u8) {
    let always = Arc::new(AtomicBool::new(true));
    let _ = flag::register_conditional_shutdown(SIGABRT, i32::from(code), always);
}

/// Whether there was one.
pub(crate) fn is_raised() -> bool {
    CANCEL.get().is_some_and(Cancel::is_cancelled)
}
