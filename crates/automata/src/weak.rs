//! Minimal weak deterministic automata for obligation languages.
//!
//! An obligation property (a Boolean combination of safety and guarantee properties) has a
//! deterministic automaton in which every component accepts all its cycles or none, and like finite
//! automata it has a unique minimal one. After Dax, Eisinger and Klaedtke (2007): determinize by
//! plain subsets, ask of each component whether the language of its states contains the word of one
//! of its cycles, then minimise. States on no cycle are free to accept or not; Löding's colouring
//! (2001) chooses so that equal residual languages get equal colours, and partition refinement as
//! for finite automata ends in the minimum.
//!
//! If the language is no obligation the result is wrong, so [`minimise_weak`] compares it with the
//! original: both inclusions, for one of which an automaton of the negation is needed (given, as
//! after a translation, or made by [`complement`]). Subsets: up to 2^n, limited.

use evenhand_source::spend;

use crate::decision::{Decisions, Function};
use crate::emptiness::is_empty;
use crate::pool::Pool;
use crate::{
    Acceptance, Automaton, Bits, Builder, Cube, Letter, LimitExceeded, Mark, MarkSet, State,
    complement, components, product, reduce::simplify_acceptance, trim,
};
use rustc_hash::FxHashMap;

/// A complete deterministic automaton each component of which accepts all its cycles or none of
/// them: mark 0 is on the edges of the accepting states.
#[derive(Clone, Debug)]
pub struct WeakDeterministic {
    automaton: Automaton,
    accepting: Vec<bool>,
}

impl WeakDeterministic {
    /// As a Büchi automaton, complete.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// For the words it does not accept.
    pub fn complement(&self) -> Automaton {
        self.marked(|s| !self.accepting[s.index()])
    }

    fn marked(&self, accepting: impl Fn(State) -> bool) -> Automaton {
        let a = &self.automaton;
        let mut builder = a.like();
        builder.reserve_states(a.state_count());
        a.initial().iter().for_each(|&s| builder.add_initial(s));
        for e in a.edges() {
            let marks = MarkSet::below(usize::from(accepting(e.source)));
            builder.add_edge(e.source, a.cube(e.label), &marks, e.target);
        }
        builder.build()
    }

    /// Has it the language of `original`? `negated` is an automaton for the complement of that
    /// language; without it one is made, of at most `state_limit` states.
    pub fn is_equivalent(
        &self,
        original: &Automaton,
        negated: Option<&Automaton>,
        state_limit: usize,
    ) -> Result<bool, LimitExceeded> {
        let limit = state_limit.saturating_mul(16);
        if !is_empty(&product(original, &self.complement(), limit)?) {
            return Ok(false);
        }
        let made;
        let negated = match negated {
            Some(negated) => negated,
            None => {
                made = complement(original, state_limit)?;
                &made
            }
        };
        Ok(is_empty(&product(&self.automaton, negated, limit)?))
    }
}

/// The minimal weak deterministic automaton (without the rejecting sink), if the language is an
/// obligation; `None` if it is not.
pub fn minimise_weak(
    automaton: &Automaton,
    negated: Option<&Automaton>,
    state_limit: usize,
) -> Result<Option<Automaton>, LimitExceeded> {
    let weak = weak_candidate(automaton, state_limit)?;
    let same = weak.is_equivalent(automaton, negated, state_limit)?;
    Ok(same.then(|| simplify_acceptance(&trim(weak.automaton()))))
}

/// The minimal weak deterministic automaton of the language of `automaton` *if that is an
/// obligation*; otherwise of some other language, see [`WeakDeterministic::is_equivalent`].
pub fn weak_candidate(
    automaton: &Automaton,
    state_limit: usize,
) -> Result<WeakDeterministic, LimitExceeded> {
    let automaton = trim(automaton);
    let mut decisions = Decisions::default();
    let powerset = Powerset::of(&automaton, state_limit, &mut decisions)?;
    let accepting = powerset.colour(&automaton, state_limit)?;
    Ok(powerset.minimise(accepting, &automaton, &mut decisions))
}

struct Powerset {
    sets: Vec<Bits>,
    functions: Vec<Function>,
    graph: Automaton,
}

impl Powerset {
    fn of(
        automaton: &Automaton,
        state_limit: usize,
        decisions: &mut Decisions,
    ) -> Result<Powerset, LimitExceeded> {
        let mut sets: Pool<Bits> = Pool::default();
        sets.intern(&automaton.initial().iter().map(|s| s.index()).collect());
        let mut functions = Vec::new();
        let mut builder = Builder::new(automaton.props().to_vec(), Acceptance::all());
        builder.add_initial(State(0));
        while functions.len() < sets.len() {
            if sets.len() > state_limit {
                return Err(LimitExceeded {
                    what: "subsets of states",
                    limit: state_limit,
                });
            }
            let source = functions.len();
            let items: Vec<(Cube, u32)> = (sets.get(source).iter())
                .flat_map(|s| automaton.edges_from(State::new(s)))
                .map(|e| (automaton.cube(e.label).clone(), e.target.0))
                .collect();
            let function = decisions.of_cubes(&items, &mut |targets| {
                sets.intern(&targets.iter().map(|t| *t as usize).collect()) as u32
            })?;
            for (cube, target) in decisions.paths(function) {
                builder.add_edge(State::new(source), &cube, &MarkSet::EMPTY, State(target));
            }
            functions.push(function);
        }
        builder.reserve_states(functions.len());
        Ok(Powerset {
            sets: sets.into_items(),
            functions,
            graph: builder.build(),
        })
    }

    /// Which states accept, cycle by cycle and by Löding's colours in between.
    fn colour(&self, automaton: &Automaton, limit: usize) -> Result<Vec<bool>, LimitExceeded> {
        let components = components(&self.graph);
        let mut colour = vec![0u32; components.count()];
        for c in 0..components.count() {
            let members = components.members(c);
            let least = (members.iter())
                .flat_map(|&s| self.graph.edges_from(s))
                .filter_map(|e| components.of(e.target).filter(|t| *t != c))
                .map(|t| colour[t])
                .max()
                .unwrap_or(0);
            colour[c] = least;
            if components.is_cyclic(&self.graph, c) {
                let inside = |s: State| components.of(s) == Some(c);
                let accepts = self.accepts_cycle(automaton, members[0], inside, limit)?;
                // Even colours accept: the least of the right parity.
                colour[c] += u32::from((least % 2 == 0) != accepts);
            }
        }
        let state_colour = |s: State| components.of(s).map_or(1, |c| colour[c]);
        Ok(self
            .graph
            .states()
            .map(|s| state_colour(s) % 2 == 0)
            .collect())
    }

    /// Is the word of a cycle through `state` in the language of its subset?
    fn accepts_cycle(
        &self,
        automaton: &Automaton,
        state: State,
        inside: impl Fn(State) -> bool,
        limit: usize,
    ) -> Result<bool, LimitExceeded> {
        let mut parent: FxHashMap<State, (State, Letter)> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([state]);
        while let Some(s) = queue.pop_front() {
            spend();
            for e in self.graph.edges_from(s).iter().filter(|e| inside(e.target)) {
                parent.entry(e.target).or_insert_with(|| {
                    queue.push_back(e.target);
                    (s, self.graph.cube(e.label).least_letter())
                });
            }
            if parent.contains_key(&state) {
                break;
            }
        }
        let mut letters = Vec::new();
        let mut at = state;
        while let Some((before, letter)) = parent.get(&at) {
            letters.push(letter.clone());
            at = *before;
            if at == state {
                break;
            }
        }
        letters.reverse();
        let mut from_set = automaton.like();
        from_set.reserve_states(automaton.state_count());
        for s in self.sets[state.index()].iter() {
            from_set.add_initial(State::new(s));
        }
        for e in automaton.edges() {
            let (cube, marks) = (automaton.cube(e.label), automaton.marks(e.marks));
            from_set.add_edge(e.source, cube, marks, e.target);
        }
        let word = word_automaton(automaton.props(), &letters);
        let limit = limit.saturating_mul(letters.len().max(1));
        Ok(!is_empty(&product(&from_set.build(), &word, limit)?))
    }

    /// Partition refinement, as for finite automata.
    fn minimise(
        &self,
        accepting: Vec<bool>,
        automaton: &Automaton,
        decisions: &mut Decisions,
    ) -> WeakDeterministic {
        let mut class: Vec<u32> = accepting.iter().map(|a| u32::from(*a)).collect();
        let mut count = 0;
        loop {
            let mut signatures: Pool<(u32, Function)> = Pool::default();
            let refined: Vec<u32> = (self.functions.iter().enumerate())
                .map(|(s, f)| {
                    let to_classes = decisions.map(*f, &mut |t| class[t as usize]);
                    signatures.intern(&(class[s], to_classes)) as u32
                })
                .collect();
            class = refined;
            if signatures.len() == count {
                break;
            }
            count = signatures.len();
        }
        let acceptance = Acceptance::generalized_buchi(1);
        let mut builder = Builder::new(automaton.props().to_vec(), acceptance);
        builder.name = automaton.name().map(str::to_owned);
        builder.reserve_states(count);
        builder.add_initial(State(class[0]));
        let mut accepts = vec![false; count];
        let mut done = vec![false; count];
        for (s, f) in self.functions.iter().enumerate() {
            let c = class[s] as usize;
            if std::mem::replace(&mut done[c], true) {
                continue;
            }
            accepts[c] = accepting[s];
            let marks: MarkSet = accepting[s].then_some(Mark(0)).into_iter().collect();
            let to_classes = decisions.map(*f, &mut |t| class[t as usize]);
            for (cube, target) in decisions.paths(to_classes) {
                builder.add_edge(State::new(c), &cube, &marks, State(target));
            }
        }
        WeakDeterministic {
            automaton: builder.build(),
            accepting: accepts,
        }
    }
}

/// An automaton for one word: the repetition of these letters.
fn word_automaton(props: &[String], letters: &[Letter]) -> Automaton {
    let mut builder = Builder::new(props.to_vec(), Acceptance::all());
    builder.reserve_states(letters.len().max(1));
    builder.add_initial(State(0));
    for (i, letter) in letters.iter().enumerate() {
        let others = Bits::below(props.len()).difference(&letter.0);
        let cube = Cube::new(letter.0.clone(), others).unwrap_or_default();
        let next = State::new((i + 1) % letters.len());
        builder.add_edge(State::new(i), &cube, &MarkSet::EMPTY, next);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use crate::{Literal, Prop, accepts};

    /// Whatever is returned has the same language; and every weak automaton without rejecting
    /// cycles (a safety language) gives something.
    #[test]
    fn the_result_has_the_language_of_the_original() {
        let mut random = Random::new(81);
        let words = short_words(2, 1, 2);
        let (mut some, mut none) = (0, 0);
        for i in 0..cases(150) {
            let marks = i % 3;
            let acceptance = Acceptance::generalized_buchi(marks);
            let a = random_automaton(&mut random, 1..=4, 2..=10, 2, acceptance);
            let Ok(result) = minimise_weak(&a, None, 200) else {
                continue;
            };
            match result {
                Some(weak) => {
                    some += 1;
                    for w in &words {
                        assert_eq!(accepts(&a, w), accepts(&weak, w), "{w:?} {a:?}");
                    }
                }
                None => {
                    none += 1;
                    assert!(marks > 0, "safety is an obligation");
                }
            }
        }
        assert!(some > 20 && none > 0, "{some} {none}");
    }

    fn cube(prop: u32, positive: bool) -> Cube {
        Cube::literal(Literal {
            prop: Prop(prop),
            positive,
        })
    }

    /// (F p) ∧ (G q): after p only q is to be watched; two states. And G F p is no obligation.
    #[test]
    fn known_sizes() {
        let mut b = Builder::new(
            vec!["p".into(), "q".into()],
            Acceptance::generalized_buchi(1),
        );
        b.reserve_states(4);
        b.add_initial(State(0));
        let (p, q) = (cube(0, true), cube(1, true));
        let pq = p.and(&q).unwrap();
        let seen = MarkSet::below(1);
        b.add_edge(State(0), &q, &MarkSet::EMPTY, State(1));
        b.add_edge(State(1), &q, &MarkSet::EMPTY, State(0));
        for s in 0..2 {
            b.add_edge(State(s), &pq, &MarkSet::EMPTY, State(2));
        }
        b.add_edge(State(2), &q, &seen, State(3));
        b.add_edge(State(3), &q, &seen, State(2));
        let weak = minimise_weak(&b.build(), None, 100).unwrap().unwrap();
        assert_eq!(weak.state_count(), 2);

        let mut b = Builder::new(vec!["p".into()], Acceptance::generalized_buchi(1));
        let s = b.add_state();
        b.add_initial(s);
        b.add_edge(s, &cube(0, true), &seen, s);
        b.add_edge(s, &cube(0, false), &MarkSet::EMPTY, s);
        assert!(minimise_weak(&b.build(), None, 100).unwrap().is_none());
    }
}
