//! What the automaton of bad runs does along a run that it accepts.
//!
//! A person who looks at a counterexample asks what the property has "noticed" after each step. The
//! automaton of the runs that break it is run along the word of the run: at each state the set of
//! automaton states that some way of reading the word leads to, and one accepting way. A node is a
//! pair (automaton state, position); where the word of an infinite run ends, it goes on at its
//! entry. The accepting way is a lasso of that graph, found by the emptiness check of automata: a
//! shortest path to an accepting part and a closed walk in it. The first turn of the loop of the
//! run and the later ones are told apart, since the way may enter its own loop late; in later turns
//! a position can have several states, where the walk goes round the loop of the run more than
//! once. A finite run is read to a state from which everything is accepted.
//!
//! Cost: O(positions × edges) time and memory, limited by [`MOST_NODES`]; above it, or if the
//! automaton does not accept, there is nothing to see.

use evenhand_automata::emptiness::{accepting_core_within, lasso_through};
use evenhand_automata::{
    Automaton, Bits, Builder, Cube, EdgeId, Letter, MarkSet, State, universal_states,
};
use evenhand_source::spend;
use evenhand_system::{Explicit, PropositionId};

/// How many pairs of a state and a position are looked at.
const MOST_NODES: usize = 4_000_000;

/// How often a general acceptance condition may split components.
const MOST_SPLITS: usize = 1000;

/// The automaton of bad runs along a run.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The automaton.
    pub automaton: Automaton,
    /// What it does at each state of the run when it comes there first: those of the prefix, then
    /// those of the cycle but the last, which is the last of the prefix again.
    pub moments: Vec<Moment>,
    /// What it does in later turns of the loop, from the last state of the prefix on.
    pub later: Vec<Moment>,
}

/// What an automaton does at a state of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Which propositions of the automaton hold.
    pub letter: Vec<bool>,
    /// Every state it can be in, in order.
    pub possible: Vec<State>,
    /// The states of one accepting way to read the run, in order.
    pub states: Vec<State>,
    /// The edges of that way that leave them, in order.
    pub edges: Vec<EdgeId>,
}

/// Runs an automaton along the states of a run that goes on at `entry` behind the last; without one
/// it is finite. None if the automaton does not accept it, or that would be too much work.
pub fn observe(
    system: &dyn Explicit,
    states: &[&[u8]],
    entry: Option<usize>,
    automaton: &Automaton,
    propositions: &[PropositionId],
) -> Option<Observed> {
    let letters = word(system, states, propositions)?;
    let (moments, later) = moments(automaton, &letters, entry)?;
    Some(Observed {
        automaton: automaton.clone(),
        moments,
        later,
    })
}

/// The same along a path that need not be bad and may go on anyhow: every state that the automaton can be in, and the
/// edges on which it can go on. None if a proposition has no value.
pub fn possible(
    system: &dyn Explicit,
    states: &[&[u8]],
    automaton: &Automaton,
    propositions: &[PropositionId],
) -> Option<Observed> {
    let letters = word(system, states, propositions)?;
    Some(Observed {
        automaton: automaton.clone(),
        moments: readings(automaton, letters),
        later: Vec::new(),
    })
}

/// All that an automaton can do along a word.
fn readings(automaton: &Automaton, letters: Vec<Vec<bool>>) -> Vec<Moment> {
    let mut now = automaton.initial().to_vec();
    now.sort_unstable();
    now.dedup();
    let moments = letters.into_iter().map(|held| {
        let fits = letter(&held);
        let edges = now.iter().flat_map(|&state| automaton.edge_range(state));
        let edges = edges.filter(|&index| {
            let edge = &automaton.edges()[index];
            automaton.cube(edge.label).matches(&fits)
        });
        let edges = edges.map(EdgeId::new).collect();
        let next = next_states(automaton, &now, &held);
        Moment {
            letter: held,
            possible: std::mem::replace(&mut now, next),
            states: Vec::new(),
            edges,
        }
    });
    moments.collect()
}

/// What holds in each of some states; none if that has no value.
fn word(
    system: &dyn Explicit,
    states: &[&[u8]],
    propositions: &[PropositionId],
) -> Option<Vec<Vec<bool>>> {
    let mut explorer = system.explorer(&[]);
    let letters = states.iter().map(|state| {
        spend();
        let held = propositions.iter();
        held.map(|&p| explorer.holds(p, state).ok()).collect()
    });
    letters.collect()
}

/// What an automaton does at each letter of a word, and again in later turns of its loop.
fn moments(
    automaton: &Automaton,
    letters: &[Vec<bool>],
    entry: Option<usize>,
) -> Option<(Vec<Moment>, Vec<Moment>)> {
    let unrolled = Unrolled::new(automaton, letters, entry)?;
    // The way, and where its closed walk begins.
    let (way, closed) = match entry {
        Some(_) => unrolled.accepting_way(automaton)?,
        None => {
            let way = unrolled.way_to_universal(automaton)?;
            let length = way.len();
            (way, length)
        }
    };
    let empty = |letter: &Vec<bool>| Moment {
        letter: letter.clone(),
        ..Moment::default()
    };
    let mut first: Vec<Moment> = letters.iter().map(empty).collect();
    let mut now = automaton.initial().to_vec();
    for (moment, edge) in first.iter_mut().zip(&way) {
        let next = next_states(automaton, &now, &moment.letter);
        moment.possible = std::mem::replace(&mut now, next);
        moment.see(edge, &unrolled);
    }
    let entry = entry.unwrap_or(letters.len());
    let mut later: Vec<Moment> = letters[entry..].iter().map(empty).collect();
    for node in unrolled.reachable_from(&now, entry) {
        let (state, position) = unrolled.nodes[node];
        if position < letters.len() {
            later[position - entry].possible.push(state);
        }
    }
    for (time, edge) in way.iter().enumerate() {
        if time >= letters.len() || time >= closed {
            later[unrolled.nodes[edge.source].1 - entry].see(edge, &unrolled);
        }
    }
    for moment in first.iter_mut().chain(&mut later) {
        for list in [&mut moment.possible, &mut moment.states] {
            list.sort_unstable();
            list.dedup();
        }
        moment.edges.sort_unstable();
        moment.edges.dedup();
    }
    Some((first, later))
}

impl Moment {
    /// The way goes along an edge here.
    fn see(&mut self, edge: &Unfolded, unrolled: &Unrolled) {
        self.states.push(unrolled.nodes[edge.source].0);
        self.edges.push(edge.origin);
    }
}

/// The states after one more letter.
fn next_states(automaton: &Automaton, now: &[State], held: &[bool]) -> Vec<State> {
    let letter = letter(held);
    let edges = now.iter().flat_map(|&s| automaton.edges_from(s));
    let fits = edges.filter(|e| automaton.cube(e.label).matches(&letter));
    let mut next: Vec<State> = fits.map(|e| e.target).collect();
    next.sort_unstable();
    next.dedup();
    next
}

/// The automaton along a word: pairs of a state and a position.
struct Unrolled {
    nodes: Vec<(State, usize)>,
    /// By source.
    edges: Vec<Unfolded>,
    /// How many nodes are initial: the first ones.
    initial: usize,
    /// How many letters there are.
    length: usize,
}

#[derive(Clone)]
struct Unfolded {
    source: usize,
    target: usize,
    origin: EdgeId,
    marks: MarkSet,
}

impl Unrolled {
    fn new(automaton: &Automaton, letters: &[Vec<bool>], entry: Option<usize>) -> Option<Unrolled> {
        let width = automaton.state_count();
        // Behind the last letter of a finite word there is one more.
        let positions = letters.len() + 1;
        if letters.is_empty() || width.checked_mul(positions)? > MOST_NODES {
            return None;
        }
        let letters: Vec<Letter> = letters.iter().map(|held| letter(held)).collect();
        let mut unrolled = Unrolled {
            nodes: automaton.initial().iter().map(|&s| (s, 0)).collect(),
            edges: Vec::new(),
            initial: automaton.initial().len(),
            length: letters.len(),
        };
        let mut number = vec![u32::MAX; width * positions];
        for (node, (state, _)) in unrolled.nodes.iter().enumerate() {
            number[state.index()] = node as u32;
        }
        let mut source = 0;
        while let Some(&(state, position)) = unrolled.nodes.get(source) {
            spend();
            if let Some(letter) = letters.get(position) {
                let next = match entry {
                    Some(entry) if position + 1 == letters.len() => entry,
                    _ => position + 1,
                };
                for index in automaton.edge_range(state) {
                    let edge = &automaton.edges()[index];
                    if !automaton.cube(edge.label).matches(letter) {
                        continue;
                    }
                    let place = next * width + edge.target.index();
                    if number[place] == u32::MAX {
                        number[place] = unrolled.nodes.len() as u32;
                        unrolled.nodes.push((edge.target, next));
                    }
                    unrolled.edges.push(Unfolded {
                        source,
                        target: number[place] as usize,
                        origin: EdgeId::new(index),
                        marks: automaton.step_marks(edge, letter),
                    });
                }
            }
            source += 1;
        }
        Some(unrolled)
    }

    /// The edges of an accepting run, and how many of them lead to its closed walk.
    fn accepting_way(&self, automaton: &Automaton) -> Option<(Vec<Unfolded>, usize)> {
        let mut builder = Builder::new(Vec::new(), automaton.acceptance().clone());
        builder.reserve_marks(automaton.mark_count());
        builder.reserve_states(self.nodes.len());
        for node in 0..self.initial {
            builder.add_initial(State::new(node));
        }
        for edge in &self.edges {
            let (source, target) = (State::new(edge.source), State::new(edge.target));
            builder.add_edge(source, &Cube::TRUE, &edge.marks, target);
        }
        let graph = builder.build();
        let core = accepting_core_within(&graph, MOST_SPLITS).ok()??;
        let lasso = lasso_through(&graph, &core)?;
        let steps = lasso.prefix.iter().chain(&lasso.cycle);
        // The edges were added by their sources, so they keep their numbers.
        let way = steps.map(|s| self.edges[s.edge.index()].clone()).collect();
        Some((way, lasso.prefix.len()))
    }

    /// The nodes that can be reached from these states at a position, themselves included.
    fn reachable_from(&self, states: &[State], position: usize) -> Vec<usize> {
        let is_start = |&(s, p): &(State, usize)| p == position && states.contains(&s);
        let mut reached: Vec<bool> = self.nodes.iter().map(is_start).collect();
        let mut todo: Vec<usize> = (0..reached.len()).filter(|&n| reached[n]).collect();
        while let Some(node) = todo.pop() {
            let from = self.edges.partition_point(|e| e.source < node);
            for edge in self.edges[from..].iter().take_while(|e| e.source == node) {
                if !std::mem::replace(&mut reached[edge.target], true) {
                    todo.push(edge.target);
                }
            }
        }
        (0..reached.len()).filter(|&n| reached[n]).collect()
    }

    /// The edges of a shortest path to a universal state behind the last letter.
    fn way_to_universal(&self, automaton: &Automaton) -> Option<Vec<Unfolded>> {
        let universal = universal_states(automaton);
        let is_goal = |&(state, position): &(State, usize)| {
            position == self.length && universal[state.index()]
        };
        let mut at = self.nodes.iter().position(is_goal)?;
        let mut first_into = vec![usize::MAX; self.nodes.len()];
        for (index, edge) in self.edges.iter().enumerate().rev() {
            first_into[edge.target] = index;
        }
        let mut way = Vec::new();
        while let Some(edge) = self.edges.get(first_into[at]) {
            way.push(edge.clone());
            at = edge.source;
        }
        way.reverse();
        Some(way)
    }
}

fn letter(held: &[bool]) -> Letter {
    let bits = held.iter().enumerate().filter(|&(_, &h)| h);
    Letter(bits.map(|(i, _)| i).collect::<Bits>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_automata::translate::{Options, translate};
    use evenhand_automata::{LassoWord, accepts};
    use evenhand_logic::{Formulas, Spelling, parse};

    fn automaton(text: &str) -> Automaton {
        let mut store = Formulas::new();
        let formula = parse(&mut store, text, Spelling::Spot).expect("a formula");
        translate(&mut store, formula, &Options::streett())
            .expect("small")
            .automaton
    }

    /// Every word of that many letters over the propositions of an automaton.
    fn words(automaton: &Automaton, length: usize) -> Vec<Vec<Vec<bool>>> {
        let width = automaton.props().len();
        let bits = width * length;
        let bit = |word: usize, at: usize| word >> at & 1 == 1;
        let letter = |word, i| (0..width).map(|p| bit(word, i * width + p)).collect();
        (0..1 << bits)
            .map(|word| (0..length).map(|i| letter(word, i)).collect())
            .collect()
    }

    #[test]
    fn what_is_possible_is_what_some_reading_leads_to_and_the_way_accepts() {
        for text in ["F G p", "F (p & G !q)", "G F p & G F !p", "G F p -> G F q"] {
            let automaton = automaton(text);
            let (length, mut accepted) = (4, 0);
            for letters in words(&automaton, length) {
                for entry in 0..length {
                    let word = LassoWord {
                        prefix: letters[..entry].iter().map(|l| letter(l)).collect(),
                        cycle: letters[entry..].iter().map(|l| letter(l)).collect(),
                    };
                    let found = moments(&automaton, &letters, Some(entry));
                    assert_eq!(found.is_some(), accepts(&automaton, &word), "{text}");
                    let Some((first, later)) = found else {
                        continue;
                    };
                    accepted += 1;
                    check(&automaton, &letters, entry, (&first, &later));
                }
            }
            // Of `F G p` there are 1 + 2 + 4 + 8, one letter being free for each place of the
            // prefix.
            assert!(accepted >= 15, "{text}: only {accepted}");
        }
    }

    /// Follows the word for many turns of its loop, by the definition.
    fn check(
        automaton: &Automaton,
        letters: &[Vec<bool>],
        entry: usize,
        (first, later): (&[Moment], &[Moment]),
    ) {
        let cycle = letters.len() - entry;
        assert_eq!((first.len(), later.len()), (letters.len(), cycle));
        let mut now = automaton.initial().to_vec();
        let mut union: Vec<Vec<State>> = vec![Vec::new(); cycle];
        for time in 0..letters.len() + cycle * (1 << automaton.state_count()) {
            let position = match time < letters.len() {
                true => time,
                false => entry + (time - entry) % cycle,
            };
            match first.get(time) {
                Some(moment) => assert_eq!(moment.possible, now, "at the first visit"),
                None => union[position - entry].extend(&now),
            }
            now = next_states(automaton, &now, &letters[position]);
        }
        for (moment, mut states) in later.iter().zip(union) {
            states.sort_unstable();
            states.dedup();
            assert_eq!(moment.possible, states, "in later turns");
        }
        // The way: each edge fits, and leads to where the way goes on.
        let all: Vec<&Moment> = first.iter().chain(later).collect();
        for (index, moment) in all.iter().enumerate() {
            let next = all.get(index + 1).copied().unwrap_or(&later[0]);
            assert!(!moment.states.is_empty(), "the way goes through everything");
            assert!(index >= first.len() || moment.states.len() == 1);
            assert!(moment.states.iter().all(|s| moment.possible.contains(s)));
            for &edge in &moment.edges {
                let edge = automaton.edge(edge);
                assert!(moment.states.contains(&edge.source));
                assert!(automaton.cube(edge.label).matches(&letter(&moment.letter)));
                assert!(next.states.contains(&edge.target));
            }
        }
        // What is seen again and again is accepting.
        let mut marks = MarkSet::EMPTY;
        for moment in later {
            for &edge in &moment.edges {
                let edge = automaton.step_marks(automaton.edge(edge), &letter(&moment.letter));
                marks.0.union_with(&edge.0);
            }
        }
        for mark in automaton.acceptance().buchi.iter() {
            assert!(marks.contains(mark));
        }
    }

    #[test]
    fn along_any_path_every_reading_is_possible_and_no_other() {
        for text in ["F G p", "F (p & G !q)", "G F p & G F !p", "p & X q"] {
            let automaton = automaton(text);
            for letters in words(&automaton, 3) {
                let told = readings(&automaton, letters.clone());
                // Every way to read the word, one by one.
                let mut ways: Vec<Vec<State>> =
                    automaton.initial().iter().map(|&s| vec![s]).collect();
                for (moment, held) in told.iter().zip(&letters) {
                    let ends = ways.iter().filter_map(|way| way.last().copied());
                    let ends: std::collections::BTreeSet<State> = ends.collect();
                    assert_eq!(moment.possible, ends.into_iter().collect::<Vec<_>>());
                    ways = ways
                        .iter()
                        .flat_map(|way| {
                            let last = *way.last().expect("a state");
                            let edges = automaton.edges_from(last).iter();
                            let fits =
                                edges.filter(|e| automaton.cube(e.label).matches(&letter(held)));
                            fits.map(|e| [&way[..], &[e.target]].concat())
                                .collect::<Vec<_>>()
                        })
                        .collect();
                    for &edge in &moment.edges {
                        let edge = automaton.edge(edge);
                        assert!(moment.possible.contains(&edge.source));
                    }
                }
            }
        }
    }

    #[test]
    fn a_finite_run_is_read_to_a_state_that_accepts_everything() {
        let automaton = automaton("F (p & X p)");
        let letters = |bits: &[u8]| bits.iter().map(|&b| vec![b == 1]).collect::<Vec<_>>();
        assert!(moments(&automaton, &letters(&[1, 0, 1]), None).is_none());
        let found = moments(&automaton, &letters(&[1, 0, 1, 1]), None);
        let (found, later) = found.expect("it is bad");
        assert_eq!((found.len(), later.len()), (4, 0));
        for (moment, next) in found.iter().zip(&found[1..]) {
            let [edge] = moment.edges[..] else {
                panic!("one way")
            };
            assert_eq!(automaton.edge(edge).source, moment.states[0]);
            assert_eq!(automaton.edge(edge).target, next.states[0]);
        }
    }
}
