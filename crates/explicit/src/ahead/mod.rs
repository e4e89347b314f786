//! Expanding states ahead of the decision, on other threads.
//!
//! **Problem.** Executing the model, hashing and looking up successors is most of the work of a check; the
//! decision (an emptiness check, a shortest path, labels) works on numbers. The decision must see states
//! in its own order, or its answers, runs and counts would depend on who was first.
//!
//! **Idea.** The decision stays where it is, in one thread, and gives numbers to states in the order in
//! which it meets them, as if it were alone. Other threads expand states that have a number and were not
//! expanded: whatever the decision will ask for, if it goes on for long enough, since it expands a state only
//! when it gets there. A record of what they found waits until then. It says for each successor its number,
//! or where it is stored, if nobody has met it: the decision gives it a number when it takes the record.
//! So every number, of states, of letters and of sets of marks, is what it would be with one thread, and
//! nothing above the space can tell the difference.
//!
//! States are handed out in *chunks* of consecutive numbers (`chunk`): one lock for many states, and a
//! place for the records that follows from a number. The decision waits for nobody. Where a state was not
//! expanded yet, it does that itself, and says so to whoever may be about to.
//!
//! That is what depth-first decisions do, searches with many threads, and compressed stores: states are in a store that all
//! threads share. A breadth-first search with a few threads keeps its store to itself, and the others only generate successors
//! (`feed`): with two threads that costs a twentieth of the work, where the shared store costs a third.
//!
//! Where a violation is met early the states ahead were expanded for nothing. There are never more of them
//! than the decision has taken.
//!
//! | file | what |
//! | --- | --- |
//! | `chunk` | states that are to be expanded, and what came of it |
//! | `expander` | one thread's way to expand a state into a record |
//! | `job` | what all threads share: the store and the chunks |
//! | `moment` | how long somebody works before others see what came of it |
//! | [`crew`] | who helps, and when |
//! | `venture` | states that the decision has not met yet |
//! | `worth` | whether a depth-first decision calls others |
//! | `taking` | the decision's side: numbers, and records taken in its order |
//! | `states` | the states of a search, alone or together with others |
//! | `batch` | states as bytes, and their successors as bytes: what needs no store |
//! | `generator` | one thread's way to expand a batch |
//! | `recent` | states that need not be handed over once more |
//! | `feed` | a breadth-first search with a store of its own, for which a few others generate successors |

pub(crate) mod batch;
pub(crate) mod chunk;
pub mod crew;
pub(crate) mod expander;
pub(crate) mod feed;
pub(crate) mod generator;
pub(crate) mod job;
pub(crate) mod moment;
pub(crate) mod recent;
pub(crate) mod states;
pub(crate) mod taking;
pub(crate) mod venture;
pub(crate) mod worth;
