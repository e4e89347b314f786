//! What the shared store stands on: atomics, locks and sizes. A test puts others in their place, which try
//! all orders of what threads do, on a store of a few words.

use std::ops::Deref;
pub(super) use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub(super) use std::sync::{Arc, Mutex, MutexGuard};

/// Where an interpreter looks at each step all is smaller, so that tables grow and blocks end there, too.
const IS_SMALL: bool = cfg!(miri);
/// The slots of the first table.
pub(super) const FIRST_SLOTS: usize = if IS_SMALL { 1 << 5 } else { 1 << 14 };
/// Below this size tables grow faster.
pub(super) const SMALL_SLOTS: usize = 1 << 22;
/// A thread tells how many states it has stored after so many: a table is never filled by those who have
/// not told.
pub(super) const TELL: usize = 16;
/// Words of a block that a thread takes for itself.
pub(super) const BLOCK: u64 = if IS_SMALL { 1 << 6 } else { 1 << 12 };
/// Bits of the length of the first chunk and of the largest ones, in words.
pub(super) const FIRST_CHUNK: u32 = if IS_SMALL { 8 } else { 14 };
pub(super) const LARGEST_CHUNK: u32 = 21;
/// Whether all chunks are there from the beginning.
pub(super) const IS_READY: bool = false;
/// The number of chunks: growing ones first, then large ones.
pub(super) const CHUNKS: usize = 1 << 12;

/// Lets others go on, for whom this thread waits; ends its work if a limit is reached.
pub(super) fn wait() {
    std::thread::yield_now();
    evenhand_source::budget::look_while_waiting();
}

/// Writes bytes into words, from the first one on.
///
/// # Safety
/// Nobody else reads or writes these words at the same time.
#[inline]
#[allow(unsafe_code, reason = "many bytes at once")]
pub(super) unsafe fn put_bytes(words: &[AtomicU32], bytes: &[u8]) {
    assert!(bytes.len() <= size_of_val(words));
    let to = words.as_ptr().cast_mut().cast::<u8>();
    // SAFETY: there is room for the bytes, atomics may be written behind a shared reference, and nobody else is there.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) }
}

/// The bytes that were written into words.
///
/// # Safety
/// Nobody writes them as long as the bytes are in use.
#[inline]
#[allow(unsafe_code, reason = "many bytes at once")]
pub(super) unsafe fn bytes_of(words: &[AtomicU32], length: usize) -> impl Deref<Target = [u8]> {
    assert!(length <= size_of_val(words));
    // SAFETY: so many bytes are there, all of them have values, and nobody writes them.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), length) }
}
