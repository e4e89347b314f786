//! Random automata and words for the tests of this crate.

use crate::{
    Acceptance, Automaton, Bits, Builder, Condition, Cube, LassoWord, Letter, Literal, Mark,
    MarkSet, Prop, State,
};
use std::ops::RangeInclusive;

/// A small generator of random numbers with a fixed sequence (xorshift-multiply).
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n.max(1)
    }

    pub fn within(&mut self, range: RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// How many random cases a test runs: `EVENHAND_CASES` or the default.
pub(crate) fn cases(default: usize) -> usize {
    let wanted = std::env::var("EVENHAND_CASES").ok();
    wanted.and_then(|v| v.parse().ok()).unwrap_or(default)
}

pub(crate) fn random_cube(random: &mut Random, props: usize) -> Cube {
    let mut cube = Cube::TRUE;
    for p in 0..props {
        if random.chance(55) {
            let positive = random.chance(50);
            cube = cube.with(Literal {
                prop: Prop::new(p),
                positive,
            });
        }
    }
    cube
}

pub(crate) fn random_marks(random: &mut Random, marks: usize, percent: usize) -> MarkSet {
    (0..marks)
        .filter(|_| random.chance(percent))
        .map(Mark::new)
        .collect()
}

/// An automaton with edges at random; marks up to the bound of the condition.
pub(crate) fn random_automaton(
    random: &mut Random,
    states: RangeInclusive<usize>,
    edges: RangeInclusive<usize>,
    props: usize,
    acceptance: Acceptance,
) -> Automaton {
    let names = (0..props).map(|p| format!("p{p}")).collect();
    let marks = acceptance.mark_bound();
    let mut builder = Builder::new(names, acceptance);
    let count = random.within(states);
    builder.reserve_states(count);
    builder.add_initial(State(0));
    if random.chance(15) {
        builder.add_initial(State::new(random.below(count)));
    }
    for _ in 0..random.within(edges) {
        let (source, target) = (random.below(count), random.below(count));
        let cube = random_cube(random, props);
        let set = random_marks(random, marks, 35);
        builder.add_edge(State::new(source), &cube, &set, State::new(target));
    }
    builder.build()
}

/// The same automaton with some marks set by letters.
pub(crate) fn with_random_conditionals(random: &mut Random, automaton: &Automaton) -> Automaton {
    let mut builder = automaton.to_builder();
    if automaton.mark_count() > 0 && !automaton.props().is_empty() {
        for _ in 0..random.within(1..=3) {
            let mark = Mark::new(random.below(automaton.mark_count()));
            let prop = Prop::new(random.below(automaton.props().len()));
            builder.add_conditional(
                mark,
                Literal {
                    prop,
                    positive: random.chance(60),
                },
            );
        }
    }
    builder.build()
}

pub(crate) fn random_condition(random: &mut Random, marks: usize, depth: usize) -> Condition {
    if depth == 0 || random.chance(20) {
        let mark = Mark::new(random.below(marks));
        return if random.chance(50) {
            Condition::Inf(mark)
        } else {
            Condition::Fin(mark)
        };
    }
    let parts: Vec<_> = (0..random.within(2..=3))
        .map(|_| random_condition(random, marks, depth - 1))
        .collect();
    if random.chance(50) {
        Condition::and(parts)
    } else {
        Condition::or(parts)
    }
}

/// A condition of one of the kinds the crate treats differently.
pub(crate) fn random_acceptance(random: &mut Random) -> Acceptance {
    match random.below(5) {
        0 => Acceptance::generalized_buchi(random.below(4)),
        1 => Acceptance::streett(random.within(1..=3)),
        2 => {
            let pairs = Acceptance::streett(random.within(1..=2)).renamed(|m| Mark(m.0 + 1));
            Acceptance::generalized_buchi(1).and(pairs)
        }
        _ => {
            let marks = random.within(1..=4);
            Acceptance::from_condition(random_condition(random, marks, 3))
        }
    }
}

/// All lasso words with a prefix and a cycle up to these lengths.
pub(crate) fn short_words(props: usize, prefix: usize, cycle: usize) -> Vec<LassoWord> {
    let letters = 1usize << props;
    let strings = |length: usize| -> Vec<Vec<Letter>> {
        (0..letters.pow(length as u32))
            .map(|mut code| {
                let mut string = Vec::new();
                for _ in 0..length {
                    string.push(Letter(Bits::from_word((code % letters) as u64)));
                    code /= letters;
                }
                string
            })
            .collect()
    };
    let mut words = Vec::new();
    for p in 0..=prefix {
        for c in 1..=cycle {
            for prefix in strings(p) {
                for cycle in strings(c) {
                    words.push(LassoWord {
                        prefix: prefix.clone(),
                        cycle,
                    });
                }
            }
        }
    }
    words
}

/// Is there an accepting run at all? Enumerates the sets of edges; the root of all oracles (≤ 14
/// edges). Conditional marks are not looked at.
pub(crate) fn nonempty_by_edge_subsets(automaton: &Automaton) -> bool {
    let n = automaton.state_count();
    let mut reachable = vec![false; n];
    let mut todo: Vec<State> = automaton.initial().to_vec();
    while let Some(s) = todo.pop() {
        if !std::mem::replace(&mut reachable[s.index()], true) {
            todo.extend(automaton.edges_from(s).iter().map(|e| e.target));
        }
    }
    let edges: Vec<_> = automaton
        .edges()
        .iter()
        .filter(|e| reachable[e.source.index()])
        .collect();
    (1usize..1 << edges.len()).any(|subset| {
        let chosen: Vec<_> = (0..edges.len())
            .filter(|i| subset >> i & 1 == 1)
            .map(|i| edges[i])
            .collect();
        let marks: MarkSet = chosen
            .iter()
            .flat_map(|e| automaton.marks(e.marks).iter())
            .collect();
        automaton.acceptance().holds(&marks) && {
            let states: std::collections::BTreeSet<State> =
                chosen.iter().flat_map(|e| [e.source, e.target]).collect();
            let covers = |forward: bool| {
                let mut seen = std::collections::BTreeSet::from([chosen[0].source]);
                loop {
                    let before = seen.len();
                    for e in &chosen {
                        let (from, to) = if forward {
                            (e.source, e.target)
                        } else {
                            (e.target, e.source)
                        };
                        if seen.contains(&from) {
                            seen.insert(to);
                        }
                    }
                    if seen.len() == before {
                        break seen == states;
                    }
                }
            };
            covers(true) && covers(false)
        }
    })
}
