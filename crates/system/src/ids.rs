//! Numbers of things that a system declares: processes, process types, actions.
//!
//! Each is a type of its own, so that none is taken for another, and each leaves one value of its
//! four bytes free: `Option<ProcessId>` is no larger than `ProcessId`. Inside is the number plus
//! one.

use std::fmt;
use std::num::NonZeroU32;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The largest number; nothing that is declared has it.
            pub const MAX: $name = $name(NonZeroU32::MAX);

            /// The one of that number; [`Self::MAX`] for everything beyond it.
            #[inline]
            pub const fn new(number: usize) -> $name {
                const MOST: usize = u32::MAX as usize - 1;
                let number = if number > MOST { MOST } else { number };
                $name(NonZeroU32::MIN.saturating_add(number as u32))
            }

            /// Its number, as a place in a list.
            #[inline]
            pub const fn index(self) -> usize {
                self.number() as usize
            }

            /// Its number.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0.get() - 1
            }

            /// The one that comes so many places later.
            #[inline]
            #[must_use]
            pub const fn plus(self, count: usize) -> $name {
                $name::new(self.index().saturating_add(count))
            }

            /// The first ones of a list, by its length.
            pub fn first(count: usize) -> impl DoubleEndedIterator<Item = $name> + Clone {
                (0..count).map($name::new)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.number().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.number())
            }
        }
    };
}

number! {
    /// A process of a system, by number.
    ProcessId
}

number! {
    /// An action of a system, by its place in [`Signature::actions`](crate::Signature::actions).
    ActionId
}

number! {
    /// A process type, by its place in [`Signature::processes`](crate::Signature::processes).
    ProcessTypeId
}

/// Programs keep the number of a process in a byte.
impl From<u8> for ProcessId {
    #[inline]
    fn from(number: u8) -> ProcessId {
        ProcessId(NonZeroU32::MIN.saturating_add(u32::from(number)))
    }
}

impl Default for ProcessTypeId {
    fn default() -> ProcessTypeId {
        ProcessTypeId::new(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_cost_no_more_in_an_option() {
        for number in [0, 1, 254, 255, 256, 65_536, u32::MAX as usize - 1] {
            assert_eq!(ProcessId::new(number).index(), number);
            assert_eq!(ActionId::new(number).to_string(), number.to_string());
        }
        assert_eq!(ProcessId::new(usize::MAX), ProcessId::MAX);
        assert_eq!(ProcessId::MAX.plus(1), ProcessId::MAX);
        assert_eq!(ProcessId::from(255), ProcessId::new(255));
        assert_eq!(ActionId::first(2).last(), Some(ActionId::new(1)));
        assert_eq!(format!("{:?}", ActionId::new(3)), "ActionId(3)");
        assert_eq!(size_of::<Option<ProcessId>>(), 4);
        assert_eq!(size_of::<Option<ActionId>>(), 4);
        assert_eq!(size_of::<Option<ProcessTypeId>>(), 4);
    }
}
