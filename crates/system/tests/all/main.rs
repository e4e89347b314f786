//! The fair system: composition, products, relations and models in Rust, against definitions.

mod common;
mod composition_laws;
mod foreign_models;
mod own_body;
mod product_laws;
mod relations;
mod threads;
