//! Asking for memory before it is needed.
//!
//! A look-up in a table of many megabytes waits for main memory. Whoever knows several look-ups in
//! advance can ask for all of them first and wait only once. A prefetch is a hint: it never faults,
//! whatever the address, and changes nothing that a program can observe. On processors other than
//! x86-64 it does nothing.

/// Hints that the cache line at an address will be read soon.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the intrinsic is unsafe for its raw pointer")]
pub(super) fn prefetch_read(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: SSE is part of every x86-64 processor, and prefetching an invalid address has no
    // effect.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

/// Hints that the cache line at an address will be read soon.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn prefetch_read(_address: *const u8) {}
