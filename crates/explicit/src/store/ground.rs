//! What the shared store stands on: atomics, locks and sizes. A test puts others in their place, which try
//! all orders of what threads do, on a store of a few words.

pub(super) use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub(super) use std::sync::{Arc, Mutex, MutexGuard};
pub(super) use std::thread::yield_now;

/// The slots of the first table.
pub(super) const FIRST_SLOTS: usize = 1 << 14;
/// Below this size tables grow faster.
pub(super) const SMALL_SLOTS: usize = 1 << 22;
/// A thread tells how many states it has stored after so many: a table is never filled by those who have
/// not told.
pub(super) const TELL: usize = 16;
/// Words of a block that a thread takes for itself.
pub(super) const BLOCK: u64 = 1 << 12;
/// Bits of the length of the first chunk and of the largest ones, in words.
pub(super) const FIRST_CHUNK: u32 = 14;
pub(super) const LARGEST_CHUNK: u32 = 21;
/// Whether all chunks are there from the beginning.
pub(super) const IS_READY: bool = false;
/// The number of chunks: growing ones first, then large ones.
pub(super) const CHUNKS: usize = 1 << 12;
