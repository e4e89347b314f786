//! Whether it pays to remember: where what was kept is seldom found, nothing is kept for a while, longer each time.

/// After so many calls it is looked how often something was found.
const WINDOW: u32 = 512;
/// Nothing is kept for so many calls at first, and at most.
const PAUSES: (u32, u32) = (1 << 12, 1 << 22);

/// How often something was looked for and found lately.
#[derive(Clone, Debug, Default)]
pub(super) struct Pause {
    calls: u32,
    hits: u32,
    left: u32,
    next: u32,
}

impl Pause {
    /// Whether nothing is kept now. Called once for each time that something is looked for; it pays where that is found
    /// one time in so many.
    #[inline]
    pub fn is_paused(&mut self, seldom: u32) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return true;
        }
        self.calls += 1;
        if self.calls == WINDOW {
            if self.hits * seldom < WINDOW {
                self.next = (self.next.saturating_mul(4)).clamp(PAUSES.0, PAUSES.1);
                self.left = self.next;
            }
            (self.calls, self.hits) = (0, 0);
        }
        false
    }

    /// Something was found.
    #[inline]
    pub fn hit(&mut self) {
        self.hits += 1;
    }
}
