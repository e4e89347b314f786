//! The Petri net front-end: a text in PNML in, a fair system or diagnostics out.
//!
//! The stations, one file each: `xml` reads elements, `pnml` the nodes and arcs of a net, `flat` makes a place/transition net of
//! them, and `coloured` does so for a coloured one, or explores it as it is; `structure` leaves out what never happens, `invariants` finds sums that
//! never change; `units` says what its processes are, `layout` packs markings, `body` fires transitions, `groups`
//! says what they read and write, `stubborn` which of them stand for all, `sticky` which never do,
//! `linear` what no marking can be, `smaller` which net gives the same answer. `atom` and `asked` understand formulas, `contest` the property files
//! of the Model Checking Contest, `global` what is asked of a net as a whole,
//! `maximal` what CTL means where runs end, `fairness` assumptions. `drawing` is for reports.

mod asked;
mod atom;
mod body;
mod coloured;
mod condition;
mod contest;
mod drawing;
mod fairness;
mod flat;
mod global;
mod groups;
mod invariants;
mod layout;
mod linear;
mod maria;
mod maximal;
mod net;
mod outline;
mod pnml;
mod smaller;
mod specification;
mod sticky;
mod structure;
mod stubborn;
mod units;
mod xml;

pub use maria::Maria;
pub use specification::{NeverUnfolded, Pnml};
