//! Which edges of an automaton read the letter of a state of a tableau, and with which marks.
//!
//! The tableau may not say whether a proposition holds. Then an edge that asks for it reads nothing, and of a
//! mark that depends on it all that is known is that it may be there. What the automaton can do with fewer
//! edges, and whether such marks are there or not, it can do with all.
//!
//! States with the same letter share a list. Both the game and the check look here: it is plain, and
//! believed.

use evenhand_automata::{Automaton, Bits, Letter};
use evenhand_system::PropositionId;

use super::NotShown;
use crate::tableau::Tableau;

/// A move of the automaton: an edge that reads a letter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    /// The place of the edge.
    pub edge: u32,
    pub source: usize,
    pub target: usize,
    /// The marks that it has for sure, a bit for each.
    pub marks: u64,
    /// Those that it may have.
    pub possible: u64,
}

/// All moves.
#[derive(Debug)]
pub(super) struct Reading {
    /// The number of the letter of each state of the tableau.
    letter_of: Vec<u32>,
    /// The moves of each letter, in the order of the edges.
    moves: Vec<Vec<Move>>,
}

/// How many moves there may be.
const MOST_MOVES: usize = 1 << 20;

impl Reading {
    /// Follows the automaton on each letter.
    pub fn new(
        tableau: &Tableau,
        automaton: &Automaton,
        propositions: &[PropositionId],
    ) -> Result<Reading, NotShown> {
        let is_small = automaton.state_count() <= 64 && automaton.mark_count() <= 64;
        if !is_small {
            return Err(NotShown::LargeAutomaton);
        }
        let is_said = |p: &PropositionId| tableau.knows(*p);
        let unsaid: Bits = (0..propositions.len())
            .filter(|&place| !is_said(&propositions[place]))
            .collect();
        let letters: Vec<Bits> = (0..tableau.len())
            .map(|state| {
                let holds = |&place: &usize| tableau.holds(state, propositions[place]);
                (0..propositions.len())
                    .filter(|place| holds(place) == Some(true))
                    .collect()
            })
            .collect();
        let mut different: Vec<&Bits> = letters.iter().collect();
        different.sort_unstable();
        different.dedup();
        if different.len() * automaton.edge_count() > MOST_MOVES {
            return Err(NotShown::LargeGame);
        }
        let place = |letter| different.binary_search(&letter).unwrap_or_default() as u32;
        let letter_of = letters.iter().map(place).collect();
        let moves = different.iter();
        let moves = moves.map(|letter| moves_of(automaton, letter, &unsaid));
        let moves = moves.collect();
        Ok(Reading { letter_of, moves })
    }

    /// The moves that read the letter of a state.
    pub fn moves(&self, state: usize) -> &[Move] {
        &self.moves[self.letter_of[state] as usize]
    }

    /// The move that an edge makes in a state, if it reads its letter.
    pub fn find(&self, state: usize, edge: u32) -> Option<&Move> {
        let moves = self.moves(state);
        let place = moves.binary_search_by_key(&edge, |known| known.edge);
        place.ok().map(|place| &moves[place])
    }
}

/// The moves of one letter.
fn moves_of(automaton: &Automaton, letter: &Bits, unsaid: &Bits) -> Vec<Move> {
    let (mut certain, mut possible) = (0, 0);
    for conditional in automaton.conditionals() {
        let place = conditional.literal.prop.index();
        let mark = 1 << conditional.mark.index();
        if unsaid.contains(place) {
            possible |= mark;
        } else if letter.contains(place) == conditional.literal.positive {
            certain |= mark;
        }
    }
    let letter = Letter(letter.clone());
    let edges = automaton.edges().iter().enumerate();
    let read = edges.filter(|(_, edge)| {
        let cube = automaton.cube(edge.label);
        cube.matches(&letter) && cube.negative().is_disjoint(unsaid)
    });
    let moves = read.map(|(place, edge)| {
        let marks = automaton.marks(edge.marks).0.low() | certain;
        Move {
            edge: place as u32,
            source: edge.source.index(),
            target: edge.target.index(),
            marks,
            possible: marks | possible,
        }
    });
    moves.collect()
}
