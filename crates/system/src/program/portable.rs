//! What shapes are called between processes.
//!
//! The number of a shape says who met it first, and two processes that explore parts of the same states number
//! them differently. Between them a shape is called by what it is: the types of its processes in the order of their
//! creation, two bytes each. Everything else in a state means the same everywhere.

use std::collections::HashMap;

use super::Program;
use super::expr::TypeId;
use super::shape::{ShapeCache, shape_id};

/// The names of shapes, as one explorer knows them.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// By the number of the shape; empty where it is not known yet.
    names: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u16>,
}

impl Heads {
    /// The name of the shape of a state.
    pub fn of(&mut self, shapes: &mut ShapeCache<'_>, state: &[u8]) -> &[u8] {
        let number = usize::from(shape_id(state));
        if number >= self.names.len() {
            self.names.resize(number + 1, Vec::new());
        }
        if self.names[number].is_empty() {
            let types = shapes.of(state).processes.iter();
            let name = types.flat_map(|&(process, _)| process.0.to_le_bytes());
            self.names[number] = name.collect();
        }
        &self.names[number]
    }

    /// The number of the shape of that name; none if no program of this text has one.
    pub fn shape(&mut self, program: &Program, name: &[u8]) -> Option<u16> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        let (types, rest) = name.as_chunks::<2>();
        let mut table = program.shapes.write().unwrap_or_else(|e| e.into_inner());
        let mut number = 0;
        for &bytes in types {
            let process = u16::from_le_bytes(bytes);
            if usize::from(process) >= program.spec.types.len() {
                return None;
            }
            let process = TypeId(process);
            number = table.child(number, process, &program.spec).ok()?;
        }
        self.numbers.insert(name.to_vec(), number);
        rest.is_empty().then_some(number)
    }
}
