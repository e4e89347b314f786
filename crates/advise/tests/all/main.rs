//! What advice is made of, against brute force.

mod minimal;
