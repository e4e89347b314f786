//! What is read in a state: its letter, the fairness marks of its steps, the moves of the automaton.
//!
//! A worker reads its own states alone, so letters and sets are numbered by each worker as it meets them. Marks are
//! those of [`evenhand_explicit::marking`] with the automaton's behind them; between workers a set of marks travels as
//! its bits. The last of them says that an edge is on no accepting cycle, whatever the system does, since the automaton's
//! part of it leaves a component, or is in one that accepts nothing. Where propositions have no value, moves that ask for
//! them are left out, and that is remembered: a run that is found without them is a run, and finding none says nothing.

use std::collections::HashMap;
use std::rc::Rc;

use evenhand_automata::emptiness::core_of_component;
use evenhand_automata::{Automaton, Bits, Edge, Letter, Prop, components};
use evenhand_explicit::marking::Marking;
use evenhand_explicit::search::Stop;
use evenhand_explicit::store::{PlainStore, Store};
use evenhand_system::{Explorer, Fairness, Fault, PropositionId, Successors};

/// The automaton that is followed beside the system.
#[derive(Clone, Debug)]
pub(crate) struct Follow {
    pub automaton: Automaton,
    /// What each of its propositions is.
    pub propositions: Vec<PropositionId>,
    /// Whether runs that end stay where they are.
    pub stutter: bool,
}

/// Which cycles are looked for, by numbers of marks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition {
    pub buchi: Vec<usize>,
    /// Requests with their grants.
    pub pairs: Vec<(usize, usize)>,
}

/// A move of the automaton: where it leads, and its marks.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub target: u32,
    marks: Vec<u64>,
    /// Moves with the same marks have the same number.
    kind: u32,
}

/// No number.
const UNKNOWN: u32 = u32::MAX;

/// Reads states.
pub(crate) struct Reading {
    pub propositions: Vec<PropositionId>,
    pub marking: Marking,
    follow: Option<Follow>,
    places: Vec<usize>,
    letters: PlainStore,
    letter: Vec<u8>,
    /// For each letter and state of the automaton, its moves, and whether some were left out.
    moves: Vec<Vec<(Rc<[Move]>, bool)>>,
    /// The different sets of marks of moves.
    kinds: HashMap<Vec<u64>, u32>,
    /// The sets of marks of edges by grant and kind of the move: their numbers, where there is one.
    edges: Vec<Vec<u32>>,
    /// These sets, one after the other.
    sets: Vec<u64>,
    /// Words of a set of marks.
    pub words: usize,
    /// The mark of edges that are on no accepting cycle.
    pub passing: usize,
    /// For each state of the automaton its component, if that accepts anything.
    accepting: Vec<Option<usize>>,
    /// Whether moves were left out that mattered.
    pub left_out: bool,
    /// Why propositions have no value: the first state of each.
    pub failures: Vec<(PropositionId, Fault)>,
}

/// For each state of an automaton its component, if that accepts anything.
fn accepting(automaton: &Automaton) -> Vec<Option<usize>> {
    let components = components(automaton);
    let accepts = |c| core_of_component(automaton, &components, c).is_some();
    let accepts: Vec<bool> = (0..components.count()).map(accepts).collect();
    let own = |state| components.of(state).filter(|&c| accepts[c]);
    automaton.states().map(own).collect()
}

impl Move {
    /// Whether it may be on an accepting cycle.
    pub fn may_return(&self, passing: usize) -> bool {
        self.marks[passing / 64] >> (passing % 64) & 1 == 0
    }
}

impl Reading {
    pub fn new(
        propositions: &[PropositionId],
        fairness: &Fairness,
        follow: Option<Follow>,
    ) -> Reading {
        let mut propositions = propositions.to_vec();
        let marking = Marking::new(&fairness.assumptions, &mut propositions);
        let place = |p: &PropositionId| propositions.iter().position(|own| own == p);
        let places = follow.iter().flat_map(|f| &f.propositions);
        let places = places.map(|p| place(p).unwrap_or(usize::MAX)).collect();
        let marks = marking.count + follow.as_ref().map_or(0, |f| f.automaton.mark_count());
        let accepting = follow.as_ref().map(|f| accepting(&f.automaton));
        Reading {
            propositions,
            words: (marks + 1).div_ceil(64),
            passing: marks,
            accepting: accepting.unwrap_or_default(),
            marking,
            follow,
            places,
            letters: PlainStore::new(),
            letter: Vec::new(),
            moves: Vec::new(),
            kinds: HashMap::new(),
            edges: Vec::new(),
            sets: Vec::new(),
            left_out: false,
            failures: Vec::new(),
        }
    }

    /// The states in which the automaton begins; one if there is none.
    pub fn initial(&self) -> Vec<u32> {
        match &self.follow {
            Some(follow) => follow.automaton.initial().iter().map(|q| q.0).collect(),
            None => vec![0],
        }
    }

    /// Whether runs that end stay where they are.
    pub fn stutters(&self) -> bool {
        self.follow.as_ref().is_some_and(|f| f.stutter)
    }

    /// Which cycles are looked for; none if the automaton's acceptance is of another kind.
    pub fn condition(&self) -> Option<Condition> {
        let offset = self.marking.count;
        let mut condition = Condition {
            buchi: self.marking.buchi.clone(),
            pairs: self.marking.pairs.clone(),
        };
        if let Some(follow) = &self.follow {
            let acceptance = follow.automaton.acceptance();
            if !acceptance.is_streett() {
                return None;
            }
            let buchi = acceptance.buchi.iter().map(|mark| offset + mark.index());
            condition.buchi.extend(buchi);
            let pairs = acceptance.pairs.iter();
            let pairs = pairs.map(|p| (offset + p.request.index(), offset + p.grant.index()));
            condition.pairs.extend(pairs);
        }
        Some(condition)
    }

    /// The letter of a state: its number.
    pub fn letter(&mut self, explorer: &mut dyn Explorer, state: &[u8]) -> Result<u32, Stop> {
        let len = self.propositions.len().div_ceil(8);
        self.letter.clear();
        self.letter.resize(len, 0);
        for (index, &proposition) in self.propositions.iter().enumerate() {
            match explorer.holds(proposition, state) {
                Ok(true) => self.letter[index / 8] |= 1 << (index % 8),
                Ok(false) => {}
                Err(fault) => {
                    self.letter.resize(2 * len, 0);
                    self.letter[len + index / 8] |= 1 << (index % 8);
                    if !self.failures.iter().any(|(known, _)| *known == proposition) {
                        self.failures.push((proposition, fault));
                    }
                }
            }
        }
        Ok(self.letters.insert(&self.letter)?.0.number())
    }

    /// The value of the proposition at a place in the letter of the last state; none if it has none.
    pub fn value(&self, place: usize) -> Option<bool> {
        let len = self.propositions.len().div_ceil(8);
        let bit = |at: usize| {
            self.letter
                .get(at)
                .is_some_and(|b| b >> (place % 8) & 1 == 1)
        };
        (!bit(len + place / 8)).then(|| bit(place / 8))
    }

    /// The number of the marks that all steps of a state have, by the letter of that state, which is at hand.
    pub fn source(&mut self, successors: &Successors) -> Result<u32, Stop> {
        self.marking.source(successors.enabled(), &self.letter)
    }

    /// The number of the marks of an edge: those of what the step takes, and of the automaton's move. What follows from
    /// the source is the same for all its edges, and stays with it.
    #[inline]
    pub fn edge(&mut self, grant: Option<u32>, step: &Move) -> u32 {
        let row = grant.map_or(0, |grant| grant as usize + 1);
        let known = self
            .edges
            .get(row)
            .and_then(|row| row.get(step.kind as usize));
        match known {
            Some(&number) if number != UNKNOWN => number,
            _ => self.new_edge(row, grant, step),
        }
    }

    #[cold]
    fn new_edge(&mut self, row: usize, grant: Option<u32>, step: &Move) -> u32 {
        let start = self.sets.len();
        let number = (start / self.words) as u32;
        self.sets.extend_from_slice(&step.marks);
        if let Some(grant) = grant {
            for mark in self.marking.grant_marks(grant) {
                self.sets[start + mark / 64] |= 1 << (mark % 64);
            }
        }
        if self.edges.len() <= row {
            self.edges.resize(row + 1, Vec::new());
        }
        let places = &mut self.edges[row];
        if places.len() <= step.kind as usize {
            places.resize(step.kind as usize + 1, UNKNOWN);
        }
        places[step.kind as usize] = number;
        number
    }

    /// The marks behind a number.
    pub fn marks(&self, edge: u32) -> &[u64] {
        &self.sets[edge as usize * self.words..][..self.words]
    }

    /// The moves of the automaton that read the letter of the last state.
    pub fn moves(&mut self, letter: u32, from: u32) -> Rc<[Move]> {
        if self.moves.len() <= letter as usize {
            self.moves.resize(letter as usize + 1, Vec::new());
        }
        if self.moves[letter as usize].is_empty() {
            // It is the letter at hand.
            self.moves[letter as usize] = self.rows();
        }
        let (moves, left_out) = &self.moves[letter as usize][from as usize];
        self.left_out |= left_out;
        moves.clone()
    }

    /// The moves of all states of the automaton that read the letter at hand.
    fn rows(&mut self) -> Vec<(Rc<[Move]>, bool)> {
        let mut rows = self.matching();
        let mut numbered = |mut step: Move| {
            let next = self.kinds.len() as u32;
            step.kind = *self.kinds.entry(step.marks.clone()).or_insert(next);
            step
        };
        rows.drain(..)
            .map(|(row, left_out)| (row.into_iter().map(&mut numbered).collect(), left_out))
            .collect()
    }

    /// The same, before their marks are numbered.
    fn matching(&self) -> Vec<(Vec<Move>, bool)> {
        let stays = Move {
            target: 0,
            marks: vec![0; self.words],
            kind: 0,
        };
        let Some(follow) = &self.follow else {
            return vec![(vec![stays], false)];
        };
        let automaton = &follow.automaton;
        let props = || self.places.iter().enumerate();
        let value = |place: usize| match place < self.propositions.len() {
            true => self.value(place),
            false => Some(false),
        };
        let holding = props().filter(|&(_, &place)| value(place) == Some(true));
        let letter = Letter(holding.map(|(prop, _)| prop).collect::<Bits>());
        let missing = props().filter(|&(_, &place)| value(place).is_none());
        let missing: Vec<usize> = missing.map(|(prop, _)| prop).collect();
        let places = 0..self.propositions.len();
        let is_cut = places
            .into_iter()
            .any(|p| self.marking.reads(p) && self.value(p).is_none());
        let asks = |edge: &Edge| {
            let cube = automaton.cube(edge.label);
            let mut marks = automaton.conditionals().iter();
            missing
                .iter()
                .any(|&prop| cube.value(Prop::new(prop)).is_some())
                || marks.any(|mark| missing.contains(&mark.literal.prop.index()))
        };
        let may_match = |edge: &Edge| {
            let cube = automaton.cube(edge.label).clone();
            let cube = missing
                .iter()
                .fold(cube, |cube, &prop| cube.without(Prop::new(prop)));
            cube.matches(&letter)
        };
        let offset = self.marking.count;
        let row = |state| {
            let (mut row, mut left_out) = (Vec::new(), false);
            for edge in automaton.edges_from(state) {
                if is_cut || asks(edge) {
                    left_out |= may_match(edge);
                } else if automaton.cube(edge.label).matches(&letter) {
                    let mut own = stays.clone();
                    own.target = edge.target.0;
                    for mark in automaton.step_marks(edge, &letter).iter() {
                        let mark = offset + mark.index();
                        own.marks[mark / 64] |= 1 << (mark % 64);
                    }
                    let component = self.accepting[edge.source.index()];
                    let target = self.accepting[edge.target.index()];
                    if component.is_none() || component != target {
                        own.marks[self.passing / 64] |= 1 << (self.passing % 64);
                    }
                    row.push(own);
                }
            }
            (row, left_out)
        };
        automaton.states().map(row).collect()
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        self.letters.bytes_used() + self.marking.bytes_used() + 8 * self.sets.capacity()
    }
}
