//! The Petri net front-end: a text in PNML in, a fair system or diagnostics out.
//!
//! The stations, one file each: `xml` reads elements, `pnml` the nodes and arcs of a net, `flat` and
//! `unfold` make a place/transition net of them; `layout` packs markings, `body` fires transitions, `groups`
//! says what they read and write. `atom` and `asked` understand formulas, `contest` the property files
//! of the Model Checking Contest, `global` what is asked of a net as a whole,
//! `maximal` what CTL means where runs end, `fairness` assumptions.

mod asked;
mod atom;
mod body;
mod condition;
mod contest;
mod fairness;
mod flat;
mod global;
mod groups;
mod layout;
mod maximal;
mod net;
mod pnml;
mod specification;
mod unfold;
mod xml;

pub use specification::Pnml;
