//! The way to a node, gathered from its owners.
//!
//! Each node on the way knows from which one it was met. Its owner tells the first worker what the state is, and the
//! owner of the node before to do the same: one phase, and a letter for each step.

use crate::explore::Explore;
use crate::post::{Broken, Out, Part, Post};
use crate::shard::Remote;
use crate::wire::{Reader, put, put_bytes};

/// The states on a shortest way to a node; empty but for the first worker.
pub(crate) fn path(
    post: &mut Post,
    explore: &mut Explore<'_>,
    to: Remote,
) -> Result<Vec<Vec<u8>>, Broken> {
    let mut walk = Walk {
        explore,
        begin: Some(to),
        states: Vec::new(),
    };
    post.run(&mut walk)?;
    let mut states = walk.states;
    states.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    let all = states.iter().rev().zip(0..);
    if all.into_iter().any(|(&(place, _), own)| place != own) {
        return Ok(Vec::new());
    }
    Ok(states.into_iter().map(|(_, state)| state).collect())
}

struct Walk<'w, 'a> {
    explore: &'w mut Explore<'a>,
    begin: Option<Remote>,
    /// What arrived, with how far each is from the end.
    states: Vec<(u64, Vec<u8>)>,
}

const STEP: u8 = 0;
const STATE: u8 = 1;

impl Part for Walk<'_, '_> {
    fn more(&mut self, out: &mut Out) -> bool {
        if let Some(at) = self.begin.take()
            && at.worker as usize == out.own()
        {
            step(at, 0, out);
        }
        false
    }

    fn take(&mut self, _: usize, letter: &[u8], out: &mut Out) {
        let mut reader = Reader(letter);
        while !reader.is_empty() {
            let (kind, place) = (reader.byte(), reader.number());
            if kind == STATE {
                let (head, tail) = (reader.bytes(), reader.bytes());
                if let Some(state) = self.explore.import(head, tail) {
                    self.states.push((place, state));
                }
                continue;
            }
            let node = reader.number() as u32;
            let (head, tail) = self.explore.export(node);
            let letter = out.to(0);
            letter.push(STATE);
            put(letter, place);
            put_bytes(letter, head);
            put_bytes(letter, tail);
            if let Some(parent) = self.explore.shard.parent(node) {
                step(parent, place + 1, out);
            }
        }
    }
}

/// Asks the owner of a node for it and for those before it.
fn step(at: Remote, place: u64, out: &mut Out) {
    let letter = out.to(at.worker as usize);
    letter.push(STEP);
    put(letter, place);
    put(letter, at.node.into());
}
