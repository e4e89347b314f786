//! Indices that cannot be mixed up.

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The item at a position. Positions beyond 2³² − 1 cannot occur: what is counted by
            /// these indices is limited when it is made.
            #[inline]
            pub fn new(index: usize) -> $name {
                debug_assert!(index <= u32::MAX as usize);
                $name(index as u32)
            }

            /// The position, to index a slice with.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// A state of an automaton.
    State
);
index!(
    /// An atomic proposition of an automaton.
    Prop
);
index!(
    /// A mark (acceptance set) of an automaton.
    Mark
);
index!(
    /// An edge of an automaton, by its position among all edges.
    EdgeId
);
index!(
    /// One of the different labels of an automaton: see
    /// [`Automaton::cube`](crate::Automaton::cube).
    CubeId
);
index!(
    /// One of the different mark sets of an automaton: see
    /// [`Automaton::marks`](crate::Automaton::marks).
    MarksId
);
