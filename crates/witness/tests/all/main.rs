//! Lassos: the quick ones, the shortest ones, and the inputs on which printed algorithms fail.

mod common;
mod first;
mod on_demand;
mod own_items;
mod regressions;
mod shortest;
mod tight;
