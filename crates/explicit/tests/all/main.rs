//! The engines of the explicit side against brute force, laws and definitions.

mod ahead;
mod conformance;
mod ctl_star;
mod one_pass;
mod passing;
mod probe;
mod product;
mod ranks;
