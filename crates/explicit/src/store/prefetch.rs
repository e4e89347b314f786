//! Asking for memory before it is needed.
//!
//! A look-up in a table of many megabytes waits for main memory. Whoever knows several look-ups in
//! advance can ask for all of them first and wait only once. A prefetch is a hint: it never faults,
//! whatever the address, and changes nothing that a program can observe. On processors other than
//! x86-64 it does nothing.

/// The bytes of a cache line.
const LINE: usize = 64;

/// Hints that all of a list will be read soon: where somebody else has written it, the caches of another core have it.
#[inline]
pub(crate) fn prefetch_list<T>(list: &[T]) {
    let first: *const u8 = list.as_ptr().cast();
    for offset in (0..size_of_val(list)).step_by(LINE) {
        prefetch_read(first.wrapping_add(offset));
    }
}

/// Hints that the first elements behind those of a list will be written soon.
#[inline]
pub(crate) fn prefetch_room<T>(list: &mut Vec<T>, count: usize) {
    let room = list.spare_capacity_mut();
    let first: *const u8 = room.as_ptr().cast();
    let bytes = size_of_val(room).min(count * size_of::<T>());
    for offset in (0..bytes).step_by(LINE) {
        prefetch_write(first.wrapping_add(offset));
    }
}

/// Hints that the cache line at an address will be written soon: no other core needs it any more.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the intrinsic is unsafe for its raw pointer")]
fn prefetch_write(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
    // SAFETY: SSE is part of every x86-64 processor, and prefetching an invalid address has no
    // effect.
    unsafe { _mm_prefetch::<_MM_HINT_ET0>(address.cast()) }
}

/// Hints that the cache line at an address will be written soon: no other core needs it any more.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
fn prefetch_write(_address: *const u8) {}

/// Hints that some bytes will be read soon: where they begin and where they end.
#[inline]
pub fn prefetch_bytes(bytes: &[u8]) {
    let first = bytes.as_ptr();
    prefetch_read(first);
    prefetch_read(first.wrapping_add(bytes.len().saturating_sub(1)));
}

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
