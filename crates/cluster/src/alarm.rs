//! What has gone wrong, for all threads of a process to see.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Rings once, with a reason. Copies are the same.
#[derive(Clone, Debug, Default)]
pub struct Alarm(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    rings: AtomicBool,
    reason: Mutex<Option<String>>,
}

impl Alarm {
    /// Rings; only the first reason counts.
    pub fn raise(&self, reason: impl Into<String>) {
        let mut known = self.0.reason.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert(reason.into());
        self.0.rings.store(true, Ordering::Release);
    }

    /// Whether it rings.
    pub fn is_raised(&self) -> bool {
        self.0.rings.load(Ordering::Acquire)
    }

    /// Why it rings.
    pub fn reason(&self) -> Option<String> {
        let known = self.0.reason.lock().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }
}
