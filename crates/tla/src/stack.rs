//! How deep the stack of the thread is.
//!
//! Definitions nest as deep as a text is long, and recursion goes as deep as it likes. Threads have two megabytes at
//! least; whoever has used most of that stops with an error before there is no room.

/// Where the stack was when the work began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor(usize);

impl Floor {
    /// The floor is here.
    pub fn here() -> Floor {
        Floor(here())
    }

    /// Whether the stack has grown by more than so many bytes.
    #[inline]
    pub fn is_above(self, bytes: usize) -> bool {
        self.0.abs_diff(here()) > bytes
    }
}

/// About where the stack of the thread is.
#[inline]
fn here() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(&marker).addr()
}
