//! Does an automaton accept every word on which a formula has a value?
//!
//! The words are those of the formula's tableau, whose states know what is to come. So the automaton
//! can follow it: to each step of the tableau it has a move that reads the letter, chosen by where both
//! are and where the tableau goes, such that whenever the tableau's run counts, the automaton accepts
//! (a *fair simulation*: Henzinger, Kupferman, Rajamani 1997). If it starts with each initial state of the
//! tableau, it accepts all words.
//!
//! The moves are found by a game (`game`). Nobody has to believe it. A *node* is a state of the tableau,
//! a state of the automaton, and which of its Büchi marks is waited for; with the moves, nodes are a
//! graph. The check walks its edges: each is a move that reads the letter and leads to a node; and ranks
//! (`ranks`) show for each *objective* that no cycle which counts for the tableau breaks it:
//!
//! - the mark that is waited for comes, after which the next one is waited for: no cycle has all marks of
//!   the tableau but never the mark waited for;
//! - a pair that is requested is granted: no cycle has all marks of the tableau and the request, but never
//!   the grant.
//!
//! Both are what `edge` knows: Büchi marks and one pair, whose request is the good event and which
//! nothing ever grants.
//!
//! The other direction (does it accept nothing else?) matters for a violation, which is replayed, and is
//! not asked here. If there is no simulation that proves nothing: the automaton may guess, and right.
//! Before the game, the formula falls into simpler ones (`split`), and states of the tableau without a run
//! that counts are left out, with ranks as a proof (`dead`). What is believed: the tableau, the split, and how
//! the automaton reads letters.

mod components;
mod dead;
mod game;
mod ranks;
mod reading;
mod split;
#[cfg(test)]
mod tests;

use std::fmt;

use evenhand_automata::Automaton;
use evenhand_logic::{FormulaId, Formulas};
use evenhand_source::budget::spend_many;
use evenhand_system::PropositionId;

use crate::condition::{Condition, Pair};
use crate::edge::Rules;
use crate::flaw::Flaw;
use crate::rank::Ranks;
use crate::tableau::{NoTableau, Tableau, Wanted};
pub(crate) use dead::leave_out_dead;
use reading::{Move, Reading};
use split::{Values, split};

/// An automaton, and the words that it is to accept.
#[derive(Clone, Copy)]
pub struct Words<'w> {
    /// The owner of the formula.
    pub store: &'w Formulas,
    /// The formula.
    pub formula: FormulaId,
    /// The value that it has on the words: for the automaton of the runs that break it, `false`.
    pub value: bool,
    /// What each atom of the store is.
    pub atoms: &'w [PropositionId],
    /// The automaton.
    pub automaton: &'w Automaton,
    /// What its propositions are.
    pub propositions: &'w [PropositionId],
}

/// What was looked at to see that an automaton accepts all words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simulated {
    /// States of tableaus.
    pub states: u64,
    /// Nodes: states of the tableau and of the automaton, with the mark waited for.
    pub nodes: u64,
    /// Edges of nodes.
    pub edges: u64,
}

/// Why it was not shown that an automaton accepts all words. It may do so all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotShown {
    /// The formula is not one of linear time.
    NotLinear,
    /// It is not known what the propositions are.
    Propositions,
    /// The tableau of the formula is too large.
    LargeTableau,
    /// The automaton has too many states or marks.
    LargeAutomaton,
    /// There is too much to look at.
    LargeGame,
    /// The automaton accepts by something else than Büchi marks and Streett pairs.
    Acceptance,
    /// The automaton cannot follow the tableau.
    NoSimulation,
    /// What was found is no proof.
    Flawed(Flaw),
}

impl fmt::Display for NotShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotShown::NotLinear => f.write_str("the formula is not one of linear time"),
            NotShown::Propositions => f.write_str("propositions are not known"),
            NotShown::LargeTableau => f.write_str("the tableau is too large"),
            NotShown::LargeAutomaton => f.write_str("the automaton is too large"),
            NotShown::LargeGame => f.write_str("there is too much to compare"),
            NotShown::Acceptance => f.write_str("the acceptance condition is of another kind"),
            NotShown::NoSimulation => f.write_str("the automaton does not simulate the tableau"),
            NotShown::Flawed(flaw) => write!(f, "the simulation is no proof: {flaw}"),
        }
    }
}

impl From<NoTableau> for NotShown {
    fn from(why: NoTableau) -> NotShown {
        match why {
            NoTableau::NotLinear => NotShown::NotLinear,
            NoTableau::Atom => NotShown::Propositions,
            NoTableau::TooLarge => NotShown::LargeTableau,
        }
    }
}

/// How many states the tableau may have.
const MOST_STATES: usize = 1 << 12;

/// Whether an automaton accepts all words on which a formula has a value; what was looked at to see it.
///
/// # Errors
/// Why that is not shown.
pub fn accepts_all(words: &Words<'_>) -> Result<Simulated, NotShown> {
    let automaton = words.automaton;
    if !automaton.acceptance().is_streett() {
        return Err(NotShown::Acceptance);
    }
    if words.propositions.len() < automaton.props().len() {
        return Err(NotShown::Propositions);
    }
    let mut all = Simulated::default();
    for part in split(words.store, words.formula, words.value) {
        let shown = simulate(words, &part)?;
        all.states += shown.states;
        all.nodes += shown.nodes;
        all.edges += shown.edges;
    }
    Ok(all)
}

/// Whether an automaton accepts all words on which formulas have these values. First with a small tableau;
/// where the automaton cannot follow it, with one that knows more.
fn simulate(words: &Words<'_>, values: &Values) -> Result<Simulated, NotShown> {
    let propositions = &words.propositions[..words.automaton.props().len()];
    let attempts = [(&[][..], false), (&[][..], true), (propositions, true)];
    let mut answer = Err(NotShown::NoSimulation);
    for (letters, decisions) in attempts {
        let wanted = Wanted { letters, decisions };
        answer = simulate_with(words, values, propositions, wanted);
        if answer != Err(NotShown::NoSimulation) {
            break;
        }
    }
    answer
}

fn simulate_with(
    words: &Words<'_>,
    values: &Values,
    propositions: &[PropositionId],
    wanted: Wanted<'_>,
) -> Result<Simulated, NotShown> {
    let mut tableau = Tableau::new(words.store, values, words.atoms, wanted, MOST_STATES)?;
    leave_out_dead(&mut tableau)?;
    let reading = Reading::new(&tableau, words.automaton, propositions)?;
    let arena = Arena::new(&tableau, words.automaton, &reading);
    let strategy = game::strategy(&arena)?;
    let ranks = ranks::ranks(&arena, &strategy)?;
    let edges = arena.check(&strategy, &ranks);
    Ok(Simulated {
        states: tableau.len() as u64,
        nodes: strategy.nodes.len() as u64,
        edges: edges.map_err(NotShown::Flawed)?,
    })
}

/// What the game is played on.
struct Arena<'a> {
    tableau: &'a Tableau,
    automaton: &'a Automaton,
    reading: &'a Reading,
    /// The marks of each state of the tableau.
    marks: Vec<u128>,
    /// The Büchi marks of the automaton, each a bit, in the order in which they are waited for.
    guarantees: Vec<u64>,
    /// The objectives behind the first.
    pairs: Vec<(u64, u64)>,
}

/// A state of the tableau, one of the automaton, and the place of the mark that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    state: usize,
    at: usize,
    turn: usize,
}

/// Nodes and, for each successor of each node's state, the edge of the automaton to take.
#[derive(Debug, Default)]
struct Strategy {
    nodes: Vec<Position>,
    /// Where the edges of each node end.
    ends: Vec<usize>,
    edges: Vec<u32>,
}

impl Strategy {
    /// The edges of a node, in the order of the successors.
    fn of(&self, node: usize) -> &[u32] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[node]]
    }
}

/// What must not be broken.
#[derive(Clone, Copy, Debug)]
enum Objective {
    /// The mark that is waited for comes.
    Turn,
    /// A request is granted, by their bits.
    Granted { request: u64, grant: u64 },
}

impl Objective {
    /// Whether there is a request among the marks.
    fn is_asked(self) -> bool {
        matches!(self, Objective::Granted { .. })
    }
}

impl<'a> Arena<'a> {
    fn new(tableau: &'a Tableau, automaton: &'a Automaton, reading: &'a Reading) -> Arena<'a> {
        let acceptance = automaton.acceptance();
        let pairs = acceptance.pairs.iter();
        Arena {
            tableau,
            automaton,
            reading,
            marks: (0..tableau.len()).map(|t| tableau.marks_of(t)).collect(),
            guarantees: acceptance.buchi.iter().map(|m| 1 << m.index()).collect(),
            pairs: pairs
                .map(|pair| (1 << pair.request.index(), 1 << pair.grant.index()))
                .collect(),
        }
    }

    /// In how many ways one can wait: there is one if there is nothing to wait for.
    fn turns(&self) -> usize {
        self.guarantees.len().max(1)
    }

    /// Whether a move brings what is waited for.
    fn comes(&self, turn: usize, marks: u64) -> bool {
        self.guarantees.get(turn).is_none_or(|g| g & marks != 0)
    }

    /// Where a move leads, if the tableau goes to a state.
    fn target(&self, node: Position, step: &Move, state: usize) -> Position {
        let turn = match self.comes(node.turn, step.marks) {
            true => (node.turn + 1) % self.turns(),
            false => node.turn,
        };
        let at = step.target;
        Position { state, at, turn }
    }

    /// The place of a node in a table of all.
    fn place(&self, node: Position) -> usize {
        (node.state * self.automaton.state_count() + node.at) * self.turns() + node.turn
    }

    fn places(&self) -> usize {
        self.tableau.len() * self.automaton.state_count() * self.turns()
    }

    fn objectives(&self) -> impl Iterator<Item = Objective> + '_ {
        let granted = |&(request, grant)| Objective::Granted { request, grant };
        [Objective::Turn]
            .into_iter()
            .chain(self.pairs.iter().map(granted))
    }

    /// The cycles that break an objective: all marks of the tableau, then the request where there is
    /// one; and never the event, which is the request of the only pair.
    fn condition(&self, objective: Objective) -> Condition {
        let event = self.tableau.marks() + usize::from(objective.is_asked());
        Condition {
            buchi: (0..event).collect(),
            pairs: vec![Pair {
                request: event,
                grant: event + 1,
            }],
        }
    }

    /// The marks of an edge for an objective as they are numbered there, and whether it has the event.
    fn edge_marks(&self, objective: Objective, node: Position, step: &Move) -> (u128, bool) {
        let marks = self.marks[node.state];
        match objective {
            Objective::Turn => (marks, self.comes(node.turn, step.marks)),
            Objective::Granted { request, grant } => {
                let asks = u128::from(step.possible & request != 0) << self.tableau.marks();
                (marks | asks, step.marks & grant != 0)
            }
        }
    }

    /// Whether moves and ranks prove that the automaton accepts all words; the number of edges.
    fn check(&self, strategy: &Strategy, ranks: &[Ranks]) -> Result<u64, Flaw> {
        let mut numbers = vec![usize::MAX; self.places()];
        for (number, &node) in strategy.nodes.iter().enumerate() {
            let is_there = node.state < self.tableau.len()
                && node.at < self.automaton.state_count()
                && node.turn < self.turns();
            match is_there {
                true => numbers[self.place(node)] = number,
                false => return Err(Flaw::NoNode { node: number }),
            }
        }
        for &state in self.tableau.initial() {
            let state = state as usize;
            let mut starts = self.automaton.initial().iter();
            let is_met = starts.any(|at| {
                let (at, turn) = (at.index(), 0);
                numbers[self.place(Position { state, at, turn })] != usize::MAX
            });
            if !is_met {
                return Err(Flaw::InitialState);
            }
        }
        let objectives: Vec<Objective> = self.objectives().collect();
        let conditions: Vec<Condition> = objectives.iter().map(|&o| self.condition(o)).collect();
        if ranks.len() != objectives.len() || strategy.ends.len() != strategy.nodes.len() {
            return Err(Flaw::NoCell);
        }
        let mut rules = Vec::new();
        for (ranks, condition) in ranks.iter().zip(&conditions) {
            rules.push((Rules::new(&ranks.cells, condition)?, ranks));
        }
        let of_tableau = self.tableau.marks();
        let mut count = 0;
        for (number, &node) in strategy.nodes.iter().enumerate() {
            let successors = self.tableau.successors(node.state);
            let edges = strategy.of(number);
            if edges.len() != successors.len() {
                return Err(Flaw::Leaves { state: number });
            }
            spend_many(edges.len());
            for (&edge, &state) in edges.iter().zip(successors) {
                let step = self.reading.find(node.state, edge);
                let step = step.filter(|step| step.source == node.at);
                let step = step.ok_or(Flaw::Leaves { state: number })?;
                let target = self.target(node, step, state as usize);
                let target = numbers[self.place(target)];
                for (&objective, &(rules, ranks)) in objectives.iter().zip(&rules) {
                    let rank = |node| ranks.of(node).filter(|&cell| rules.has(cell));
                    let here = rank(number).ok_or(Flaw::NoCell)?;
                    let there = rank(target).ok_or(Flaw::Successor {
                        node: number,
                        target,
                    })?;
                    let (marks, event) = self.edge_marks(objective, node, step);
                    let of_event = of_tableau + usize::from(objective.is_asked());
                    let has = |mark: usize| match mark < of_event {
                        true => marks >> mark & 1 == 1,
                        false => mark == of_event && event,
                    };
                    let fits = rules.edge(here, there, has);
                    fits.map_err(|flaw| Flaw::Edge {
                        node: number,
                        target,
                        flaw,
                    })?;
                }
            }
            count += edges.len() as u64;
        }
        Ok(count)
    }
}
