//! The product of a system with the automaton of what is looked for, on the fly.
//!
//! A node is a state of the system with a state of the automaton; an edge is a step of the system
//! together with an edge of the automaton that reads the letter of the state the step leaves. Its
//! marks are those of both: the fairness of the system and the acceptance of the automaton. A run
//! of the product that is accepting is a fair run of the system that the automaton accepts.
//!
//! Nodes are numbered without a table where the automaton is small: the number of the system's
//! state times the number of automaton states, plus the automaton's. Of a large automaton each
//! state of the system meets few states, so nodes are numbered as they are met. Which edges of the
//! automaton read a letter is worked out once per letter. An end of the system stays where it is
//! for ever, if finished runs count.
//!
//! Where propositions have no value, the edges of the automaton that ask for them can be taken or
//! not, nobody knows. A product stops there, or, if it is told so, leaves such edges out and
//! remembers that it did: a run that is found without them is a run whatever the values are, and
//! only finding none says nothing. An automaton may also have an edge for each value, and it does not matter
//! which one is taken: a product in which one value is *assumed* finds such runs, and others; which is
//! which is for the judge to say.

mod passing;

use std::collections::HashSet;

use evenhand_automata::{self as automata, Automaton, Bits, Letter, Prop, State};

use crate::graph::{Edge, Graph, NodeId};
use crate::marks::{Marks, Pair, Streett};
use crate::search::Stop;
use crate::sieve::Sieve;
use crate::space::Space;
use crate::store::{PlainStore, StateId, Store};

/// Automata of at most this many states are small.
const SMALL: usize = 16;

/// A product of a space and an automaton.
pub struct Product<'p, 'a, S, const W: usize> {
    space: &'p mut Space<'a, S>,
    automaton: &'p Automaton,
    /// How many states the automaton has.
    count: u32,
    /// For each proposition of the automaton, its place in the letters of the space.
    places: Vec<usize>,
    condition: Streett<W>,
    /// For each automaton state, whether no run comes back there again and again with all that the automaton asks for.
    passing: Vec<bool>,
    /// The nodes as they were met, where numbers cannot be computed.
    table: Option<PlainStore>,
    /// Whether finished runs are extended.
    stutter: bool,
    /// The marks of states and of what steps take, as the space numbers them.
    sources: Vec<Marks<W>>,
    grants: Vec<Marks<W>>,
    /// For each letter and automaton state, where its moves begin; there is one more at the end.
    first: Vec<u32>,
    moves: Vec<(u32, Marks<W>)>,
    letters: usize,
    /// The rows of `first` (letter and automaton state) with edges that nobody can decide.
    undecided: HashSet<usize>,
    /// Whether such edges are left out.
    leaves_out: bool,
    /// Whether that has happened.
    left_out: bool,
    /// What is taken for the value of propositions that have none.
    assumed: Option<bool>,
}

/// Why there is no product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProduct {
    /// More marks than there is room for.
    TooManyMarks,
    /// The acceptance condition of the automaton is neither Büchi marks nor Streett pairs.
    OtherAcceptance,
}

/// The number of marks that a product will have.
pub fn mark_count<S: Store>(space: &Space<'_, S>, automaton: &Automaton) -> usize {
    space.mark_count() + automaton.mark_count()
}

impl<'p, 'a, S: Store, const W: usize> Product<'p, 'a, S, W> {
    /// The product; `places` says for each proposition of the automaton where it stands in the
    /// letters of the space.
    ///
    /// # Errors
    /// If the width is too small or the condition of another kind.
    pub fn new(
        space: &'p mut Space<'a, S>,
        automaton: &'p Automaton,
        places: Vec<usize>,
        stutter: bool,
    ) -> Result<Product<'p, 'a, S, W>, NoProduct> {
        let offset = space.mark_count();
        if offset + automaton.mark_count() > Marks::<W>::CAPACITY {
            return Err(NoProduct::TooManyMarks);
        }
        let acceptance = automaton.acceptance();
        if !acceptance.is_streett() {
            return Err(NoProduct::OtherAcceptance);
        }
        let (buchi, pairs) = space.condition();
        let mut all: Marks<W> = buchi.iter().copied().collect();
        for mark in acceptance.buchi.iter() {
            all.insert(offset + mark.index());
        }
        let of_space = pairs.iter().copied();
        let of_automaton = acceptance
            .pairs
            .iter()
            .map(|p| (offset + p.request.index(), offset + p.grant.index()));
        let pairs = of_space
            .chain(of_automaton)
            .map(|(request, grant)| Pair {
                request: request as u16,
                grant: grant as u16,
            })
            .collect();
        let condition = Streett::new(all, pairs);
        let none = match offset {
            0 => vec![Marks::EMPTY],
            _ => Vec::new(),
        };
        let mut product = Product {
            space,
            automaton,
            count: automaton.state_count() as u32,
            places,
            passing: passing::states(automaton, offset, &condition),
            condition,
            table: (automaton.state_count() > SMALL).then(PlainStore::new),
            stutter,
            sources: none.clone(),
            grants: none,
            first: vec![0],
            moves: Vec::new(),
            letters: 0,
            undecided: HashSet::new(),
            leaves_out: false,
            left_out: false,
            assumed: None,
        };
        product.learn_sets();
        Ok(product)
    }

    /// The same product as if propositions without a value had this one. A run that is found this way
    /// proves nothing by itself.
    #[must_use]
    pub fn assuming(mut self, value: bool) -> Self {
        self.assumed = Some(value);
        self.leaving_out()
    }

    /// The same product without the edges that nobody can decide, since propositions have no value.
    #[must_use]
    pub fn leaving_out(mut self) -> Self {
        self.leaves_out = true;
        self
    }

    /// Whether edges were left out.
    pub fn has_left_out(&self) -> bool {
        self.left_out
    }

    /// The same product with nodes numbered as they are met, whatever the size of the automaton.
    #[must_use]
    pub fn numbered_on_demand(mut self) -> Self {
        self.table = Some(PlainStore::new());
        self
    }

    /// Whether nodes are numbered as they are met: then only nodes that were met have numbers.
    pub fn is_numbered_on_demand(&self) -> bool {
        self.table.is_some()
    }

    /// The automaton.
    pub fn automaton(&self) -> &'p Automaton {
        self.automaton
    }

    /// The number of a state of the system that is stored.
    pub fn find(&mut self, state: &[u8]) -> Option<StateId> {
        self.space.find(state)
    }

    /// The state of the system and of the automaton that a node is made of.
    #[inline]
    pub fn parts(&self, node: NodeId) -> (StateId, State) {
        let Some(table) = &self.table else {
            let count = self.count;
            return (StateId::new(node.0 / count), State(node.0 % count));
        };
        let mut key = [0; 8];
        key.copy_from_slice(table.get(StateId::new(node.0)));
        let key = u64::from_le_bytes(key);
        (StateId::new((key >> 32) as u32), State(key as u32))
    }

    /// The node of a state of the system and one of the automaton.
    ///
    /// # Errors
    /// If there are no more numbers.
    pub fn node(&mut self, state: StateId, automaton: State) -> Result<NodeId, Stop> {
        node(&mut self.table, state, automaton.0, self.count)
    }

    /// Looks for other cycles from now on.
    pub fn set_condition(&mut self, condition: Streett<W>) {
        self.passing = passing::states(self.automaton, self.space.mark_count(), &condition);
        self.condition = condition;
    }

    /// The space again.
    pub fn into_space(self) -> &'p mut Space<'a, S> {
        self.space
    }

    /// The space.
    pub fn space(&self) -> &Space<'a, S> {
        self.space
    }

    /// What a node is made of, the place of its record, and its row in `first`; all that its edges need is known.
    #[inline(always)]
    fn row(&mut self, at: NodeId) -> Result<Row, Stop> {
        let (state, from) = self.parts(at);
        let place = match self.space.known_place(state) {
            Some(place) => place,
            None => {
                // New sets appear only when a state is expanded for the first time.
                let place = self.space.outgoing_place(state)?;
                self.learn_sets();
                place
            }
        };
        let letter = self.space.letter_at(place) as usize;
        if letter >= self.letters {
            self.learn_letters();
        }
        let row = letter * self.count as usize + from.index();
        if !self.undecided.is_empty() && self.undecided.contains(&row) {
            if !self.leaves_out {
                return Err(Stop::Proposition);
            }
            self.left_out = true;
        }
        Ok(Row { state, place, row })
    }

    /// Works out which edges of the automaton read the letters met since the last call.
    #[cold]
    fn learn_letters(&mut self) {
        let offset = self.space.mark_count();
        while self.letters < self.space.letter_count() {
            let mut held = vec![false; self.places.iter().map(|p| p + 1).max().unwrap_or(0)];
            for place in self.space.letter(self.letters as u32) {
                if let Some(slot) = held.get_mut(place) {
                    *slot = true;
                }
            }
            let holding = self.places.iter().enumerate().filter(|&(_, &p)| held[p]);
            let mut missing = self.missing_props();
            let holding = holding.map(|(prop, _)| prop);
            let letter = match self.assumed {
                Some(true) => holding.chain(missing.iter().copied()).collect::<Bits>(),
                _ => holding.collect::<Bits>(),
            };
            let letter = Letter(letter);
            if self.assumed.is_some() {
                missing.clear();
            }
            let is_cut = self.space.is_cut(self.letters as u32);
            for state in self.automaton.states() {
                for edge in self.automaton.edges_from(state) {
                    if is_cut || self.asks(edge, &missing) {
                        if self.may_match(edge, &letter, &missing) {
                            self.undecided.insert(self.first.len() - 1);
                        }
                    } else if self.automaton.cube(edge.label).matches(&letter) {
                        let marks = self.automaton.step_marks(edge, &letter);
                        let marks = marks.iter().map(|m| offset + m.index()).collect();
                        self.moves.push((edge.target.0, marks));
                    }
                }
                self.first.push(self.moves.len() as u32);
            }
            self.letters += 1;
        }
    }

    /// The propositions of the automaton that have no value under the next letter.
    fn missing_props(&self) -> Vec<usize> {
        let missing: Vec<usize> = self.space.missing(self.letters as u32).collect();
        let props = self.places.iter().enumerate();
        let props = props.filter(|(_, place)| missing.contains(place));
        props.map(|(prop, _)| prop).collect()
    }

    /// Whether an edge of the automaton, or its marks, depend on one of some propositions.
    fn asks(&self, edge: &automata::Edge, missing: &[usize]) -> bool {
        let cube = self.automaton.cube(edge.label);
        let mut marks = self.automaton.conditionals().iter();
        missing
            .iter()
            .any(|&prop| cube.value(Prop::new(prop)).is_some())
            || marks.any(|mark| missing.contains(&mark.literal.prop.index()))
    }

    /// Whether an edge reads a letter for some values of the propositions that have none.
    fn may_match(&self, edge: &automata::Edge, letter: &Letter, missing: &[usize]) -> bool {
        let mut cube = self.automaton.cube(edge.label).clone();
        for &prop in missing {
            cube = cube.without(Prop::new(prop));
        }
        cube.matches(letter)
    }

    /// Works out the marks of states and steps that were met since the last call.
    #[inline]
    fn learn_sets(&mut self) {
        if self.sources.len() < self.space.sources() || self.grants.len() < self.space.grants() {
            self.learn_new_sets();
        }
    }

    #[cold]
    fn learn_new_sets(&mut self) {
        while self.sources.len() < self.space.sources() {
            let source = self.sources.len() as u32;
            self.sources.push(self.space.source_marks(source).collect());
        }
        while self.grants.len() < self.space.grants() {
            let grant = self.grants.len() as u32;
            self.grants.push(self.space.grant_marks(grant).collect());
        }
    }
}

impl<S: Store, const W: usize> Graph<W> for Product<'_, '_, S, W> {
    fn condition(&self) -> &Streett<W> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        let mut nodes = Vec::new();
        for state in self.space.initial()? {
            for initial in self.automaton.initial() {
                nodes.push(node(&mut self.table, state, initial.0, self.count)?);
            }
        }
        Ok(nodes)
    }

    fn expand(&mut self, at: NodeId, edges: &mut Vec<Edge<W>>) -> Result<(), Stop> {
        edges.clear();
        let Row { state, place, row } = self.row(at)?;
        let outgoing = self.space.record(place);
        let moves = &self.moves[self.first[row] as usize..self.first[row + 1] as usize];
        if moves.is_empty() {
            return Ok(());
        }
        let source = self.sources[outgoing.source as usize];
        for (to, grant) in outgoing.edges() {
            let marks = source.union(self.grants[grant as usize]);
            for &(target, own) in moves {
                edges.push(Edge {
                    target: node(&mut self.table, to, target, self.count)?,
                    marks: marks.union(own),
                });
            }
        }
        if outgoing.is_end && self.stutter {
            for &(target, own) in moves {
                edges.push(Edge {
                    target: node(&mut self.table, state, target, self.count)?,
                    marks: source.union(own),
                });
            }
        }
        Ok(())
    }

    fn sift(
        &mut self,
        at: NodeId,
        sieve: &mut Sieve<'_, W>,
        own: &mut Vec<Edge<W>>,
    ) -> Result<(), Stop> {
        if self.table.is_some() {
            // Nodes get their numbers in the order of the edges.
            self.expand(at, own)?;
            sieve.cover(self.bound());
            sieve.expect(own.len());
            sieve.edges(own.iter().rev().map(|edge| (edge.target, edge.marks)));
            return Ok(());
        }
        if self.passing[(at.0 % self.count) as usize] && sieve.can_pass() {
            return self.pass(at, sieve);
        }
        let Row { state, place, row } = self.row(at)?;
        let outgoing = self.space.record(place);
        let moves = &self.moves[self.first[row] as usize..self.first[row + 1] as usize];
        if moves.is_empty() {
            return Ok(());
        }
        let count = self.count;
        sieve.cover(bound(self.space, count)?);
        let node = |to: u32, target: u32| NodeId(to * count + target);
        let marked = outgoing.marked_edges();
        let plain = outgoing.plain_edges();
        let stays = outgoing.is_end && self.stutter;
        sieve.expect((usize::from(stays) + marked.len() + plain.len()) * moves.len());
        let source = self.sources[outgoing.source as usize];
        if stays {
            let moves = moves.iter().rev();
            sieve.edges(moves.map(|&(to, own)| (node(state.number(), to), source.union(own))));
        }
        let grants = &self.grants[..];
        if let &[(target, own)] = moves {
            let source = source.union(own);
            let marked = marked.iter().rev();
            sieve.edges(
                marked.map(|&[to, grant]| (node(to, target), source.union(grants[grant as usize]))),
            );
            sieve.edges(plain.iter().rev().map(|&to| (node(to, target), source)));
            return Ok(());
        }
        for &[to, grant] in marked.iter().rev() {
            let marks = source.union(grants[grant as usize]);
            let moves = moves.iter().rev();
            sieve.edges(moves.map(|&(target, own)| (node(to, target), marks.union(own))));
        }
        for &to in plain.iter().rev() {
            let moves = moves.iter().rev();
            sieve.edges(moves.map(|&(target, own)| (node(to, target), source.union(own))));
        }
        Ok(())
    }

    fn bound(&self) -> usize {
        match &self.table {
            None => self.space.len() * self.count as usize,
            Some(table) => table.len(),
        }
    }

    fn bytes_used(&self) -> usize {
        let tables = self.sources.len() + self.grants.len() + self.moves.len();
        let nodes = self.table.as_ref().map_or(0, Store::bytes_used);
        self.space.bytes_used() + nodes + tables * size_of::<(u32, Marks<W>)>()
    }
}

/// What the nodes of a product with an automaton of `count` states are below.
#[inline]
fn bound<S: Store>(space: &Space<'_, S>, count: u32) -> Result<usize, Stop> {
    // All states that are stored have numbers that a product can have.
    let bound = space.len() as u64 * u64::from(count);
    let bound = u32::try_from(bound).map_err(|_| Stop::States)?;
    Ok(bound as usize)
}

/// What the edges of a node follow from.
struct Row {
    state: StateId,
    place: u32,
    row: usize,
}

/// The node of a state of the system and one of `count` automaton states.
#[inline]
fn node(
    table: &mut Option<PlainStore>,
    state: StateId,
    automaton: u32,
    count: u32,
) -> Result<NodeId, Stop> {
    let Some(table) = table else {
        let number = u64::from(state.number()) * u64::from(count) + u64::from(automaton);
        let number = u32::try_from(number).ok().filter(|&n| n != u32::MAX);
        return number.map(NodeId).ok_or(Stop::States);
    };
    let key = u64::from(state.number()) << 32 | u64::from(automaton);
    match table.insert(&key.to_le_bytes()) {
        Ok((id, _)) => Ok(NodeId(id.number())),
        Err(full) => Err(full.into()),
    }
}
