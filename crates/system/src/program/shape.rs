//! Shapes: which processes and channels a state has, and where their segments lie.
//!
//! Only the youngest process can die, and its channels go with it, so a shape is a path in a tree:
//! each node is the shape before it plus one process. The tree is grown as the search meets new
//! shapes; a state carries the number of its shape in its first two bytes. Everything about the
//! place of a variable is then a table look-up.

use std::sync::Arc;

use super::expr::TypeId;
use super::{ChannelSpec, HEADER, Program, Spec};
use crate::fault::FaultKind;

/// One shape.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The shape without the youngest process.
    pub parent: u16,
    /// Type and offset of each process.
    pub processes: Vec<(TypeId, u32)>,
    /// Type and offset of each channel; channel number `n` is entry `n - 1`.
    pub channels: Vec<Channel>,
    /// Bytes of a state.
    pub len: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub kind: u16,
    pub offset: u32,
    /// Which process created it (the index of its segment), if any.
    pub owner: Option<u8>,
    /// Which of its owner's channels it is.
    pub index: u16,
}

/// All shapes met so far.
#[derive(Debug)]
pub(crate) struct ShapeTable {
    shapes: Vec<Arc<Shape>>,
    /// For each shape and process type, the shape with one process more; 0 if not made yet.
    children: Vec<Vec<u16>>,
}

impl ShapeTable {
    pub fn new(spec: &Spec) -> ShapeTable {
        let mut root = Shape {
            parent: 0,
            processes: Vec::new(),
            channels: Vec::new(),
            len: spec.globals_len,
        };
        debug_assert!(root.len >= HEADER);
        add_channels(&mut root, &spec.channels, spec, None);
        ShapeTable {
            shapes: vec![Arc::new(root)],
            children: vec![vec![0; spec.types.len()]],
        }
    }

    pub fn get(&self, id: usize) -> Option<&Arc<Shape>> {
        self.shapes.get(id)
    }

    /// The shape with one more process of a type.
    pub fn child(&mut self, id: u16, process: TypeId, spec: &Spec) -> Result<u16, FaultKind> {
        let known = self.children[id as usize][process.0 as usize];
        if known != 0 {
            return Ok(known);
        }
        let parent = &self.shapes[id as usize];
        if parent.processes.len() >= 255 {
            return Err(FaultKind::TooManyProcesses);
        }
        let definition = &spec.types[process.0 as usize];
        if parent.channels.len() + definition.channels.len() > 255 {
            return Err(FaultKind::TooManyChannels);
        }
        let new = u16::try_from(self.shapes.len()).map_err(|_| FaultKind::TooManyShapes)?;
        let mut shape = Shape {
            parent: id,
            processes: parent.processes.clone(),
            channels: parent.channels.clone(),
            len: parent.len + definition.len,
        };
        let owner = shape.processes.len() as u8;
        shape.processes.push((process, parent.len));
        add_channels(&mut shape, &definition.channels, spec, Some(owner));
        self.shapes.push(Arc::new(shape));
        self.children.push(vec![0; spec.types.len()]);
        self.children[id as usize][process.0 as usize] = new;
        Ok(new)
    }
}

fn add_channels(shape: &mut Shape, channels: &[ChannelSpec], spec: &Spec, owner: Option<u8>) {
    for (index, channel) in channels.iter().enumerate() {
        let (offset, index) = (shape.len, index as u16);
        shape.channels.push(Channel {
            kind: channel.channel,
            offset,
            owner,
            index,
        });
        shape.len += spec.channel_types[channel.channel as usize].len();
    }
}

/// The shapes as one explorer knows them: no lock on the way to a known shape.
#[derive(Debug)]
pub(crate) struct ShapeCache<'p> {
    program: &'p Program,
    shapes: Vec<Arc<Shape>>,
}

impl<'p> ShapeCache<'p> {
    pub fn new(program: &'p Program) -> ShapeCache<'p> {
        ShapeCache {
            program,
            shapes: Vec::new(),
        }
    }

    /// The shape of a state.
    #[inline]
    pub fn of(&mut self, state: &[u8]) -> &Arc<Shape> {
        let id = shape_id(state) as usize;
        if id >= self.shapes.len() {
            self.refresh(id);
        }
        &self.shapes[id]
    }

    #[cold]
    fn refresh(&mut self, id: usize) {
        let table = self
            .program
            .shapes
            .read()
            .unwrap_or_else(|e| e.into_inner());
        while self.shapes.len() <= id {
            let shape = table
                .get(self.shapes.len())
                .expect("a state has a known shape");
            self.shapes.push(Arc::clone(shape));
        }
    }

    /// Changes a state to the shape with one more process; its segments are zero.
    pub fn grow(&mut self, state: &mut Vec<u8>, process: TypeId) -> Result<(), FaultKind> {
        let mut table = self
            .program
            .shapes
            .write()
            .unwrap_or_else(|e| e.into_inner());
        let id = table.child(shape_id(state), process, &self.program.spec)?;
        drop(table);
        set_shape(state, id);
        let len = self.of(state).len as usize;
        state.resize(len, 0);
        Ok(())
    }

    /// Changes a state to the shape without the youngest process.
    pub fn shrink(&mut self, state: &mut Vec<u8>) {
        let parent = self.of(state).parent;
        set_shape(state, parent);
        let len = self.of(state).len as usize;
        state.truncate(len);
    }
}

#[inline]
pub(crate) fn shape_id(state: &[u8]) -> u16 {
    u16::from_le_bytes([state[0], state[1]])
}

pub(crate) fn set_shape(state: &mut [u8], id: u16) {
    state[..2].copy_from_slice(&id.to_le_bytes());
}
