//! The moves with which an automaton follows a tableau, as a winning strategy.
//!
//! The opponent takes a step of the tableau, we answer with a move of the automaton that reads the letter
//! in front of the step. We win if our marks come again and again, or one of the opponent's does not:
//! assumptions and guarantees of Büchi's kind, which makes this a game of Generalized Reactivity(1)
//! (Piterman, Pnueli, Sa'ar 2006). For each mark that is waited for:
//!
//! ```text
//! Z[turn] = greatest Z, least Y, for some mark of the tableau greatest X:
//!           the move brings what is waited for and leads to Z[turn + 1], or
//!           it leads to Y, or the state lacks the mark and it leads to X
//! ```
//!
//! Sets are kept as one word for each state of the tableau, a bit for each state of the automaton. Where
//! states have the same successors, what they can be led to is collected once. A node's level says when
//! it came into Y, and with which mark: moves go down in levels, or stay where the mark is missing.
//!
//! Pairs are not played for. In automata that are made from formulas they depend on letters alone, so no
//! move could do better; whether they are kept is seen when nodes are ranked.

use evenhand_source::budget::{spend, spend_many};

use super::reading::Move;
use super::{Arena, NotShown, Position, Strategy};

/// How many nodes and edges there may be, and how often a move may be looked at.
const MOST_PLACES: usize = 1 << 22;
const MOST_EDGES: usize = 1 << 21;
const MOST_LOOKS: usize = 1 << 25;

/// For each state of the tableau the states of the automaton in a set.
type Set = Vec<u64>;

/// The moves that win from the initial states.
///
/// # Errors
/// If there are none, or there is too much to look at.
pub(super) fn strategy(arena: &Arena<'_>) -> Result<Strategy, NotShown> {
    if arena.places() > MOST_PLACES {
        return Err(NotShown::LargeGame);
    }
    let mut game = Game::new(arena);
    game.solve()?;
    game.moves()
}

struct Game<'g> {
    arena: &'g Arena<'g>,
    /// The marks that some state lacks; one that all have if there are none.
    marks: Vec<u128>,
    /// The states with each demand.
    asking: Vec<Vec<u32>>,
    won: Vec<Set>,
    /// The level of each node that is won.
    levels: Vec<u32>,
    /// Where the states of a demand can be led: X, Y and the next Z, each combination once.
    ahead: Vec<[u64; 3]>,
    looks: usize,
}

/// The sets that nodes may be led to.
struct Ahead<'s> {
    turn: usize,
    mark: u128,
    reached: &'s Set,
    next: &'s Set,
}

impl<'g> Game<'g> {
    fn new(arena: &'g Arena<'g>) -> Game<'g> {
        let (tableau, count) = (arena.tableau, arena.automaton.state_count());
        let mut asking = vec![Vec::new(); tableau.demands()];
        for state in 0..tableau.len() {
            asking[tableau.demand(state)].push(state as u32);
        }
        let by_all = arena.marks.iter().fold(u128::MAX, |all, marks| all & marks);
        let bits = (0..tableau.marks()).map(|mark| 1u128 << mark);
        let mut marks: Vec<u128> = bits.filter(|mark| by_all & mark == 0).collect();
        if marks.is_empty() {
            marks.push(0);
        }
        let everything = match count {
            64.. => u64::MAX,
            few => (1 << few) - 1,
        };
        Game {
            arena,
            marks,
            asking,
            won: vec![vec![everything; tableau.len()]; arena.turns()],
            levels: vec![u32::MAX; arena.places()],
            ahead: Vec::new(),
            looks: 0,
        }
    }

    /// Shrinks the sets that are won until nothing changes; the last round gives the levels.
    fn solve(&mut self) -> Result<(), NotShown> {
        loop {
            let mut is_stable = true;
            for turn in 0..self.arena.turns() {
                let reached = self.reach(turn)?;
                is_stable &= reached == self.won[turn];
                self.won[turn] = reached;
                self.start_is_won()?;
            }
            if is_stable {
                return Ok(());
            }
        }
    }

    /// Whether each initial state of the tableau can be met by one of the automaton.
    fn start_is_won(&self) -> Result<Vec<Position>, NotShown> {
        let mut starts = Vec::new();
        for &state in self.arena.tableau.initial() {
            let state = state as usize;
            let mut initial = self.arena.automaton.initial().iter();
            let won = |at: usize| self.won[0][state] >> at & 1 == 1;
            let at = initial.find(|at| won(at.index()));
            let at = at.ok_or(NotShown::NoSimulation)?.index();
            starts.push(Position { state, at, turn: 0 });
        }
        Ok(starts)
    }

    /// The least Y.
    fn reach(&mut self, turn: usize) -> Result<Set, NotShown> {
        let next = self.won[(turn + 1) % self.arena.turns()].clone();
        let mut reached: Set = vec![0; next.len()];
        let mut level = 0;
        loop {
            let mut grows = false;
            for index in 0..self.marks.len() {
                let ahead = Ahead {
                    turn,
                    mark: self.marks[index],
                    reached: &reached,
                    next: &next,
                };
                let stays = self.stay(&ahead)?;
                for (state, (old, new)) in reached.iter_mut().zip(stays).enumerate() {
                    let mut fresh = new & !*old;
                    *old |= new;
                    grows |= fresh != 0;
                    while fresh != 0 {
                        let at = fresh.trailing_zeros() as usize;
                        let place = self.arena.place(Position { state, at, turn });
                        self.levels[place] = level;
                        fresh &= fresh - 1;
                    }
                }
                level += 1;
            }
            if !grows {
                return Ok(reached);
            }
        }
    }

    /// The greatest X.
    fn stay(&mut self, ahead: &Ahead<'_>) -> Result<Set, NotShown> {
        let mut stays = self.won[ahead.turn].clone();
        loop {
            let mut shrinks = false;
            for demand in 0..self.asking.len() {
                self.collect(demand, &stays, ahead);
                for place in 0..self.asking[demand].len() {
                    let state = self.asking[demand][place] as usize;
                    let can = self.can_be_led(state, stays[state], ahead);
                    shrinks |= can != stays[state];
                    stays[state] = can;
                }
                if self.looks > MOST_LOOKS {
                    return Err(NotShown::LargeGame);
                }
            }
            // Without marks nobody stays: one round is enough.
            if !shrinks || ahead.mark == 0 {
                return Ok(stays);
            }
        }
    }

    /// Where the states of a demand can be led.
    fn collect(&mut self, demand: usize, stays: &Set, ahead: &Ahead<'_>) {
        let successors = self.arena.tableau.meeting(demand);
        self.ahead.clear();
        for &state in successors {
            let state = state as usize;
            let sets = [stays[state], ahead.reached[state], ahead.next[state]];
            if !self.ahead.contains(&sets) {
                self.ahead.push(sets);
            }
        }
        spend_many(successors.len());
        self.looks += successors.len();
    }

    /// The states of the automaton that have an answer to each step out of a state of the tableau.
    fn can_be_led(&mut self, state: usize, mut can: u64, ahead: &Ahead<'_>) -> u64 {
        let arena = self.arena;
        // Without marks this bit is never there, and no state counts as lacking it.
        let lacks = ahead.mark != 0 && arena.marks[state] & ahead.mark == 0;
        let moves = arena.reading.moves(state);
        for &[stays, reached, next] in &self.ahead {
            if can == 0 {
                break;
            }
            let plain = reached | if lacks { stays } else { 0 };
            let mut led = 0;
            for step in moves {
                let to = match arena.comes(ahead.turn, step.marks) {
                    true => plain | next,
                    false => plain,
                };
                led |= (to >> step.target & 1) << step.source;
            }
            can &= led;
            self.looks += moves.len();
        }
        can
    }

    /// The nodes that can be met, with a move for each successor.
    fn moves(&self) -> Result<Strategy, NotShown> {
        let arena = self.arena;
        let mut strategy = Strategy::default();
        let mut is_met = vec![false; arena.places()];
        for start in self.start_is_won()? {
            is_met[arena.place(start)] = true;
            strategy.nodes.push(start);
        }
        let mut done = 0;
        while done < strategy.nodes.len() {
            let node = strategy.nodes[done];
            done += 1;
            for &state in arena.tableau.successors(node.state) {
                spend();
                let step = self.answer(node, state as usize);
                let step = step.ok_or(NotShown::NoSimulation)?;
                strategy.edges.push(step.edge);
                let target = arena.target(node, step, state as usize);
                let met = &mut is_met[arena.place(target)];
                if !*met {
                    *met = true;
                    strategy.nodes.push(target);
                }
            }
            if strategy.edges.len() > MOST_EDGES {
                return Err(NotShown::LargeGame);
            }
            strategy.ends.push(strategy.edges.len());
        }
        Ok(strategy)
    }

    /// The best move from a node if the tableau goes to a state: one that brings what is waited for, or
    /// the one to the lowest level.
    fn answer(&self, node: Position, state: usize) -> Option<&'g Move> {
        let arena = self.arena;
        let level = self.levels[arena.place(node)];
        let marks = self.marks.len() as u32;
        let mark = self.marks[(level % marks) as usize];
        let lacks = mark != 0 && arena.marks[node.state] & mark == 0;
        let mut best: Option<(u32, &Move)> = None;
        let moves = arena.reading.moves(node.state).iter();
        for step in moves.filter(|step| step.source == node.at) {
            let target = arena.target(node, step, state);
            if self.won[target.turn][state] >> target.at & 1 == 0 {
                continue;
            }
            if arena.comes(node.turn, step.marks) {
                return Some(step);
            }
            let below = self.levels[arena.place(target)];
            let is_allowed = below < level || below == level && lacks;
            if is_allowed && best.is_none_or(|(least, _)| below < least) {
                best = Some((below, step));
            }
        }
        best.map(|(_, step)| step)
    }
}
