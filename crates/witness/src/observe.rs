//! What the automaton of bad runs does along a run that it accepts.
//!
//! A person who looks at a counterexample asks what the property has "noticed" after each step. The
//! automaton of the runs that break it is run along the word of the run: at each state the set of
//! automaton states that some way of reading the word leads to, and one accepting way. A node is a pair
//! (automaton state, position); where the word of an infinite run ends, it goes on at its entry. The
//! accepting way is a lasso of that graph, found by the emptiness check of automata: a shortest path
//! to an accepting part and a closed walk in it. That walk may go round the loop of the run more
//! than once, so a position can have several states. A finite run is read to a state from which
//! everything is accepted.
//!
//! Cost: O(positions × edges) time and memory, limited by [`MOST_NODES`]; above it, or if the automaton
//! does not accept, there is nothing to see.

use evenhand_automata::emptiness::{accepting_core_within, lasso_through};
use evenhand_automata::{
    Automaton, Bits, Builder, Cube, EdgeId, Letter, MarkSet, State, universal_states,
};
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
    /// What it does at each state of the run: those of the prefix, then those of the cycle but the last,
    /// which is the last of the prefix again.
    pub moments: Vec<Moment>,
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

/// Runs an automaton along the states of a run that goes on at `entry` behind the last; without one it
/// is finite. None if the automaton does not accept it, or that would be too much work.
pub fn observe(
    system: &dyn Explicit,
    states: &[&[u8]],
    entry: Option<usize>,
    automaton: &Automaton,
    propositions: &[PropositionId],
) -> Option<Observed> {
    let mut explorer = system.explorer(&[]);
    let mut letters = Vec::new();
    for state in states {
        let mut letter = Vec::new();
        for &proposition in propositions {
            letter.push(explorer.holds(proposition, state).ok()?);
        }
        letters.push(letter);
    }
    Some(Observed {
        automaton: automaton.clone(),
        moments: moments(automaton, letters, entry)?,
    })
}

/// What an automaton does at each letter of a word.
fn moments(
    automaton: &Automaton,
    letters: Vec<Vec<bool>>,
    entry: Option<usize>,
) -> Option<Vec<Moment>> {
    let unrolled = Unrolled::new(automaton, &letters, entry)?;
    let way = match entry {
        Some(_) => unrolled.accepting_way(automaton)?,
        None => unrolled.way_to_universal(automaton)?,
    };
    let mut moments: Vec<Moment> = letters
        .into_iter()
        .map(|letter| Moment {
            letter,
            ..Moment::default()
        })
        .collect();
    for &(state, position) in &unrolled.nodes {
        if let Some(moment) = moments.get_mut(position) {
            moment.possible.push(state);
        }
    }
    for edge in way {
        let (state, position) = unrolled.nodes[edge.source];
        let moment = &mut moments[position];
        moment.states.push(state);
        moment.edges.push(edge.origin);
    }
    for moment in &mut moments {
        moment.possible.sort_unstable();
        moment.states.sort_unstable();
        moment.states.dedup();
        moment.edges.sort_unstable();
        moment.edges.dedup();
    }
    Some(moments)
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
        let positions = letters.len() + 1; // behind the last letter of a finite word there is one more
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

    /// The edges of an accepting run.
    fn accepting_way(&self, automaton: &Automaton) -> Option<Vec<Unfolded>> {
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
        Some(steps.map(|s| self.edges[s.edge.index()].clone()).collect())
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

    /// The states after reading letters, by the definition.
    fn after(automaton: &Automaton, letters: &[&Vec<bool>]) -> Vec<State> {
        let mut now = automaton.initial().to_vec();
        for held in letters {
            let edges = automaton.edges().iter();
            let edges = edges.filter(|e| now.contains(&e.source));
            let fits = edges.filter(|e| automaton.cube(e.label).matches(&letter(held)));
            let mut next: Vec<State> = fits.map(|e| e.target).collect();
            next.sort_unstable();
            next.dedup();
            now = next;
        }
        now
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
                    let found = moments(&automaton, letters.clone(), Some(entry));
                    assert_eq!(found.is_some(), accepts(&automaton, &word), "{text}");
                    let Some(found) = found else { continue };
                    accepted += 1;
                    check(&automaton, &letters, entry, &found);
                }
            }
            // Of `F G p` there are 1 + 2 + 4 + 8, one letter being free for each place of the prefix.
            assert!(accepted >= 15, "{text}: only {accepted}");
        }
    }

    fn check(automaton: &Automaton, letters: &[Vec<bool>], entry: usize, found: &[Moment]) {
        // Many turns of the loop meet every state that any turn meets.
        let turns = 2 + automaton.state_count();
        let cycle = letters.len() - entry;
        let long: Vec<&Vec<bool>> = (0..entry + turns * cycle)
            .map(|i| match i < letters.len() {
                true => &letters[i],
                false => &letters[entry + (i - entry) % cycle],
            })
            .collect();
        for (position, moment) in found.iter().enumerate() {
            let mut expected = Vec::new();
            let times = if position < entry { 1 } else { turns };
            for turn in 0..times {
                expected.extend(after(automaton, &long[..position + turn * cycle]));
            }
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(moment.possible, expected);
            assert!(!moment.states.is_empty(), "the way goes through everything");
            assert!(moment.states.iter().all(|s| expected.contains(s)));
            for &edge in &moment.edges {
                let edge = automaton.edge(edge);
                assert!(moment.states.contains(&edge.source));
                let now = letter(&moment.letter);
                assert!(automaton.cube(edge.label).matches(&now));
                let next = match position + 1 == found.len() {
                    true => &found[entry],
                    false => &found[position + 1],
                };
                assert!(next.states.contains(&edge.target));
            }
        }
    }

    #[test]
    fn a_finite_run_is_read_to_a_state_that_accepts_everything() {
        let automaton = automaton("F (p & X p)");
        let letters = |bits: &[u8]| bits.iter().map(|&b| vec![b == 1]).collect::<Vec<_>>();
        assert!(moments(&automaton, letters(&[1, 0, 1]), None).is_none());
        let found = moments(&automaton, letters(&[1, 0, 1, 1]), None).expect("it is bad");
        assert_eq!(found.len(), 4);
        for (moment, next) in found.iter().zip(&found[1..]) {
            let [edge] = moment.edges[..] else {
                panic!("one way")
            };
            assert_eq!(automaton.edge(edge).source, moment.states[0]);
            assert_eq!(automaton.edge(edge).target, next.states[0]);
        }
    }
}
