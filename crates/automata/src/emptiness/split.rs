//! Splitting a part of a component into strongly connected parts, again and again.
//!
//! The refinement of a Streett or Emerson–Lei condition asks the same question many times: what are
//! the strongly connected parts of these states when the edges with these marks are gone, and which
//! marks has each? A component is copied once into a compact graph (states renumbered in search
//! order, so that later passes find their neighbours in the cache). One number per state says
//! everything during a pass: outside, unseen, or its low link while it is on the search stack.
//! Edges found to leave a part are dropped for good where the caller allows it.
//!
//! A conditional mark (see [`Automaton`]) is avoided by restricting the letters, not by deleting
//! the edge: an edge is gone when no letter is left, and its marks are its own and those some
//! letter left can set. That is exact, since an edge may be taken again under another letter.

use super::letters_without;
use crate::scc::Components;
use crate::{Automaton, Bits, Conditional, Cube, Mark, MarkSet};

/// A set of marks in the form the inner loops want.
pub(super) trait MarkWord: Clone + Default {
    fn of(set: &MarkSet) -> Self;
    fn to_set(&self) -> MarkSet;
    fn insert(&mut self, mark: Mark);
    fn contains(&self, mark: Mark) -> bool;
    fn union_with(&mut self, other: &Self);
    fn meets(&self, other: &Self) -> bool;
    fn covers(&self, other: &Self) -> bool;
}

impl MarkWord for u64 {
    fn of(set: &MarkSet) -> u64 {
        set.0.low()
    }
    fn to_set(&self) -> MarkSet {
        MarkSet(Bits::from_word(*self))
    }
    #[inline]
    fn insert(&mut self, mark: Mark) {
        *self |= 1 << mark.0;
    }
    #[inline]
    fn contains(&self, mark: Mark) -> bool {
        *self >> mark.0 & 1 == 1
    }
    #[inline]
    fn union_with(&mut self, other: &u64) {
        *self |= other;
    }
    #[inline]
    fn meets(&self, other: &u64) -> bool {
        self & other != 0
    }
    #[inline]
    fn covers(&self, other: &u64) -> bool {
        other & !self == 0
    }
}

impl MarkWord for Bits {
    fn of(set: &MarkSet) -> Bits {
        set.0.clone()
    }
    fn to_set(&self) -> MarkSet {
        MarkSet(self.clone())
    }
    fn insert(&mut self, mark: Mark) {
        Bits::insert(self, mark.index());
    }
    fn contains(&self, mark: Mark) -> bool {
        Bits::contains(self, mark.index())
    }
    fn union_with(&mut self, other: &Bits) {
        Bits::union_with(self, other);
    }
    fn meets(&self, other: &Bits) -> bool {
        !self.is_disjoint(other)
    }
    fn covers(&self, other: &Bits) -> bool {
        other.is_subset(self)
    }
}

/// Marks that are forbidden in a part, with what that leaves of the letters.
#[derive(Clone)]
pub(super) struct Avoid<M> {
    pub marks: M,
    /// `None`: no letter is left.
    letters: Option<Cube>,
}

/// A component, copied: its states are 0..n, its edges those inside.
pub(super) struct Graph<'a, M> {
    automaton: &'a Automaton,
    conditionals: &'a [Conditional],
    /// The edges of state s are `targets[first[s]..end[s]]`, likewise `marks` and `labels`.
    first: Vec<u32>,
    end: Vec<u32>,
    targets: Vec<u32>,
    marks: Vec<M>,
    /// Filled where there are conditional marks.
    labels: Vec<u32>,
    /// [`UNSEEN`], [`DONE`], [`GONE`], or the low link of a state on the stack.
    label: Vec<u32>,
    frames: Vec<Frame>,
    open: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Frame {
    state: u32,
    index: u32,
    next: u32,
}

/// A state of the part that was not met yet; indices on the stack are smaller.
const UNSEEN: u32 = 1 << 31;
/// A state of the strongly connected part that was just completed.
const DONE: u32 = UNSEEN + 1;
/// A state outside the part that is looked at.
const GONE: u32 = u32::MAX;

impl<'a, M: MarkWord> Graph<'a, M> {
    /// The inside of a component; its i-th member becomes state i.
    pub fn of_component(
        automaton: &'a Automaton,
        components: &Components,
        component: usize,
    ) -> Graph<'a, M> {
        let members = components.members(component);
        let conditional = !automaton.conditionals().is_empty();
        // Positions of the members: a dense table for large components, a search for small ones.
        let dense = members.len() * 16 > automaton.state_count();
        let mut table = vec![0u32; if dense { automaton.state_count() } else { 0 }];
        let mut sorted: Vec<(u32, u32)> = Vec::new();
        if dense {
            for (i, s) in members.iter().enumerate() {
                table[s.index()] = i as u32;
            }
        } else {
            sorted.extend(members.iter().enumerate().map(|(i, s)| (s.0, i as u32)));
            sorted.sort_unstable();
        }
        let position = |state: u32| match dense {
            true => table[state as usize],
            false => {
                let at = sorted.partition_point(|&(s, _)| s < state);
                sorted[at].1
            }
        };
        let mut graph = Graph {
            automaton,
            conditionals: automaton.conditionals(),
            first: Vec::with_capacity(members.len()),
            end: Vec::with_capacity(members.len()),
            targets: Vec::new(),
            marks: Vec::new(),
            labels: Vec::new(),
            label: vec![GONE; members.len()],
            frames: Vec::new(),
            open: Vec::new(),
        };
        for &state in members {
            graph.first.push(graph.targets.len() as u32);
            for edge in automaton.edges_from(state) {
                if components.same(state, edge.target) {
                    graph.targets.push(position(edge.target.0));
                    graph.marks.push(M::of(automaton.marks(edge.marks)));
                    if conditional {
                        graph.labels.push(edge.label.0);
                    }
                }
            }
            graph.end.push(graph.targets.len() as u32);
        }
        graph
    }

    /// All states.
    pub fn all(&self) -> Vec<u32> {
        (0..self.first.len() as u32).collect()
    }

    /// Nothing is forbidden.
    pub fn avoid_nothing(&self) -> Avoid<M> {
        Avoid {
            marks: M::default(),
            letters: Some(Cube::TRUE),
        }
    }

    /// These marks and the `more`.
    pub fn avoid_more(&self, avoid: &Avoid<M>, more: &M) -> Avoid<M> {
        let mut marks = avoid.marks.clone();
        marks.union_with(more);
        let letters = match self.conditionals.is_empty() {
            true => Some(Cube::TRUE),
            false => letters_without(self.automaton, &marks.to_set()),
        };
        Avoid { marks, letters }
    }

    /// Calls `part` with the states and marks of every cyclic strongly connected part of `members`
    /// under `avoid`. With `drop_edges`, edges that are forbidden or leave a part are deleted for
    /// all later calls: allowed when later calls ask about subsets of the parts with more marks
    /// forbidden.
    pub fn split(
        &mut self,
        members: &[u32],
        avoid: &Avoid<M>,
        drop_edges: bool,
        mut part: impl FnMut(&[u32], M),
    ) {
        for &s in members {
            self.label[s as usize] = UNSEEN;
        }
        let mut index = 0;
        for &root in members {
            if self.label[root as usize] != UNSEEN {
                continue;
            }
            self.push(root, &mut index);
            while let Some(frame) = self.frames.last_mut() {
                let state = frame.state as usize;
                if frame.next < self.end[state] {
                    let edge = frame.next as usize;
                    frame.next += 1;
                    if !self.allows(edge, avoid) {
                        continue;
                    }
                    let target = self.targets[edge];
                    let seen = self.label[target as usize];
                    if seen == UNSEEN {
                        self.push(target, &mut index);
                    } else if seen < self.label[state] {
                        self.label[state] = seen;
                    }
                    continue;
                }
                let (own, low) = (frame.index, self.label[state]);
                self.frames.pop();
                if own == low {
                    self.complete(state as u32, avoid, drop_edges, &mut part);
                } else if let Some(parent) = self.frames.last() {
                    let parent = parent.state as usize;
                    self.label[parent] = self.label[parent].min(low);
                }
            }
        }
    }

    fn push(&mut self, state: u32, index: &mut u32) {
        self.label[state as usize] = *index;
        self.open.push(state);
        self.frames.push(Frame {
            state,
            index: *index,
            next: self.first[state as usize],
        });
        *index += 1;
    }

    /// The states on the stack from `root` on are a strongly connected part.
    fn complete(
        &mut self,
        root: u32,
        avoid: &Avoid<M>,
        drop_edges: bool,
        part: &mut impl FnMut(&[u32], M),
    ) {
        let mut from = self.open.len();
        while from > 0 {
            from -= 1;
            self.label[self.open[from] as usize] = DONE;
            if self.open[from] == root {
                break;
            }
        }
        let mut marks = M::default();
        let mut cyclic = false;
        for i in from..self.open.len() {
            let state = self.open[i] as usize;
            let mut kept = self.first[state];
            for edge in self.first[state] as usize..self.end[state] as usize {
                if self.label[self.targets[edge] as usize] != DONE || !self.allows(edge, avoid) {
                    continue;
                }
                cyclic = true;
                self.add_marks(edge, avoid, &mut marks);
                if drop_edges {
                    let to = kept as usize;
                    if to != edge {
                        self.targets[to] = self.targets[edge];
                        self.marks[to] = self.marks[edge].clone();
                        if !self.labels.is_empty() {
                            self.labels[to] = self.labels[edge];
                        }
                    }
                    kept += 1;
                }
            }
            if drop_edges {
                self.end[state] = kept;
            }
        }
        for &state in &self.open[from..] {
            self.label[state as usize] = GONE;
        }
        if cyclic {
            part(&self.open[from..], marks);
        }
        self.open.truncate(from);
    }

    #[inline]
    fn allows(&self, edge: usize, avoid: &Avoid<M>) -> bool {
        !self.marks[edge].meets(&avoid.marks)
            && (self.labels.is_empty()
                || (avoid.letters.as_ref()).is_some_and(|l| {
                    l.intersects(&self.automaton.cubes()[self.labels[edge] as usize])
                }))
    }

    fn add_marks(&self, edge: usize, avoid: &Avoid<M>, marks: &mut M) {
        marks.union_with(&self.marks[edge]);
        if self.labels.is_empty() {
            return;
        }
        let cube = &self.automaton.cubes()[self.labels[edge] as usize];
        let Some(letters) = avoid.letters.as_ref().and_then(|l| l.and(cube)) else {
            return;
        };
        for c in self.conditionals {
            if letters.value(c.literal.prop) != Some(!c.literal.positive) {
                marks.insert(c.mark);
            }
        }
    }
}
