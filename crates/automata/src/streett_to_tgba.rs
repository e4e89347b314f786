//! Streett to generalized Büchi by pending requests.
//!
//! The automaton runs in a plain copy, then jumps for good into a second part whose states carry
//! the set S of pairs with a request that was not granted yet: (S ∪ requests) \ grants. A run
//! satisfies all pairs iff, after some jump, each pair is infinitely often *not* pending: Büchi
//! mark i is on the edges whose source set lacks i. (Duret-Lutz, Poitrenaud and Couvreur, 2009,
//! section 3.3; the printed version has a Büchi set per subset of pairs, which is another
//! language.)
//!
//! States: at most 2^k + 1 copies. More deterministic than [`remove_fin`](crate::remove_fin), with
//! more edges: S follows the letters, so that edges split where conditional marks decide about it.

use evenhand_source::spend;

use crate::{Acceptance, Automaton, Bits, Builder, Cube, LimitExceeded, Mark, MarkSet, State};
use rustc_hash::FxHashMap;

/// A generalized Büchi automaton with the same language as `automaton`, a Streett automaton (Büchi
/// marks beside the pairs are kept); at most `edge_limit` edges.
///
/// Returns `Ok(None)` where the condition is neither generalized Büchi nor Streett.
pub fn streett_to_tgba(
    automaton: &Automaton,
    edge_limit: usize,
) -> Result<Option<Automaton>, LimitExceeded> {
    let acceptance = automaton.acceptance();
    if !acceptance.is_streett() {
        return Ok(None);
    }
    if acceptance.pairs.is_empty() {
        return Ok(Some(automaton.clone()));
    }
    let pairs = &acceptance.pairs;
    let buchi: Vec<Mark> = acceptance.buchi.iter().collect();
    let mut builder = Builder::new(
        automaton.props().to_vec(),
        Acceptance::generalized_buchi(pairs.len() + buchi.len()),
    );
    builder.name = automaton.name().map(str::to_owned);
    // The plain copy comes first and keeps its numbers.
    builder.reserve_states(automaton.state_count());
    automaton
        .initial()
        .iter()
        .for_each(|&s| builder.add_initial(s));
    let mut known: FxHashMap<(State, Bits), State> = FxHashMap::default();
    let mut todo = Vec::new();
    let mut pending = |state: State, set: Bits, builder: &mut Builder, todo: &mut Vec<_>| {
        *known.entry((state, set.clone())).or_insert_with(|| {
            let new = builder.add_state();
            todo.push((state, set, new));
            new
        })
    };
    for edge in automaton.edges() {
        let cube = automaton.cube(edge.label);
        builder.add_edge(edge.source, cube, &MarkSet::EMPTY, edge.target);
        let target = pending(edge.target, Bits::new(), &mut builder, &mut todo);
        builder.add_edge(edge.source, cube, &MarkSet::EMPTY, target);
    }
    for c in automaton.conditionals() {
        // Büchi marks stay in the table; in the plain copy they do no harm, the marks of pairs are
        // missing.
        if let Some(i) = buchi.iter().position(|m| *m == c.mark) {
            builder.add_conditional(Mark::new(pairs.len() + i), c.literal);
        }
    }
    while let Some((state, set, source)) = todo.pop() {
        spend();
        let idle: MarkSet = (0..pairs.len())
            .filter(|&i| !set.contains(i))
            .map(Mark::new)
            .collect();
        for edge in automaton.edges_from(state) {
            let own = automaton.marks(edge.marks);
            let mut marks = idle.clone();
            for (i, _) in buchi.iter().enumerate().filter(|(_, m)| own.contains(**m)) {
                marks.insert(Mark::new(pairs.len() + i));
            }
            let mut steps = Steps::new(automaton, &set, own, automaton.cube(edge.label));
            while let Some((cube, next)) = steps.next() {
                spend();
                let target = pending(edge.target, next, &mut builder, &mut todo);
                builder.add_edge(source, &cube, &marks, target);
                if builder.edge_count() > edge_limit {
                    return Err(LimitExceeded {
                        what: "edges of a Streett automaton made generalized Büchi",
                        limit: edge_limit,
                    });
                }
            }
        }
    }
    Ok(Some(builder.build()))
}

/// One edge split by which pairs are pending behind it: disjoint cubes, made one at a time since
/// they may be very many. A letter is looked at only where it matters: the request of a pair that
/// is pending already, or was just granted, splits nothing.
struct Steps<'a> {
    automaton: &'a Automaton,
    own: &'a MarkSet,
    /// Cubes with the pairs below a number decided.
    todo: Vec<(Cube, Bits, usize)>,
}

impl<'a> Steps<'a> {
    fn new(automaton: &'a Automaton, set: &Bits, own: &'a MarkSet, cube: &Cube) -> Steps<'a> {
        Steps {
            automaton,
            own,
            todo: vec![(cube.clone(), set.clone(), 0)],
        }
    }

    fn next(&mut self) -> Option<(Cube, Bits)> {
        let pairs = &self.automaton.acceptance().pairs;
        loop {
            let (cube, set, i) = self.todo.pop()?;
            let Some(pair) = pairs.get(i) else {
                return Some((cube, set));
            };
            let mut with = set.clone();
            with.insert(i);
            let mut without = set.clone();
            without.remove(i);
            let (granted, rest) = self.split(cube, pair.grant);
            let decided = |cube: Cube, set: &Bits| (cube, set.clone(), i + 1);
            let mut next: Vec<_> = granted.into_iter().map(|c| decided(c, &without)).collect();
            if let Some(rest) = rest {
                if set.contains(i) {
                    next.push(decided(rest, &with));
                } else {
                    let (requested, idle) = self.split(rest, pair.request);
                    next.extend(requested.into_iter().map(|c| decided(c, &with)));
                    next.extend(idle.map(|c| decided(c, &without)));
                }
            }
            self.todo.extend(next);
        }
    }

    /// The letters of a cube that set a mark, as disjoint cubes, and those that do not.
    fn split(&self, cube: Cube, mark: Mark) -> (Vec<Cube>, Option<Cube>) {
        if self.own.contains(mark) {
            return (vec![cube], None);
        }
        let mut setting = Vec::new();
        let mut rest = cube;
        for c in self
            .automaton
            .conditionals()
            .iter()
            .filter(|c| c.mark == mark)
        {
            setting.extend(rest.and(&Cube::literal(c.literal)));
            match rest.and(&Cube::literal(c.literal.negated())) {
                Some(less) => rest = less,
                None => return (setting, None),
            }
        }
        (setting, Some(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use crate::{Literal, Prop, accepts, remove_fin};

    /// B16: one state whose loop carries request and grant accepts everything.
    #[test]
    fn b16_a_granted_request_is_not_pending() {
        let mut b = Builder::new(Vec::new(), Acceptance::streett(1));
        let s = b.add_state();
        b.add_initial(s);
        b.add_edge(s, &Cube::TRUE, &MarkSet::below(2), s);
        let tgba = streett_to_tgba(&b.build(), 100).unwrap().unwrap();
        assert!(!crate::emptiness::is_empty(&tgba));
    }

    #[test]
    fn both_constructions_keep_the_language() {
        let mut random = Random::new(57);
        let words = short_words(2, 1, 2);
        for _ in 0..cases(200) {
            let k = random.below(3);
            let mut acceptance = Acceptance::streett(k);
            if random.chance(30) {
                acceptance.buchi.insert(Mark::new(2 * k));
            }
            let mut a = random_automaton(&mut random, 1..=3, 1..=8, 2, acceptance);
            if random.chance(50) {
                a = with_random_conditionals(&mut random, &a);
            }
            let b = streett_to_tgba(&a, 10_000).unwrap().unwrap();
            let c = remove_fin(&a, 10_000).unwrap();
            for w in &words {
                assert_eq!(accepts(&a, w), accepts(&b, w));
                assert_eq!(accepts(&a, w), accepts(&c, w));
            }
        }
    }

    /// Eight conditions GF p → GF q on two states: 514 states by pending sets, 512 by guessing.
    #[test]
    fn eight_pairs_in_514_states() {
        let names = (0..17).map(|i| format!("p{i}")).collect();
        let mut b = Builder::new(names, Acceptance::streett(8));
        let (s, t) = (b.add_state(), b.add_state());
        b.add_initial(s);
        let literal = |i| Literal {
            prop: Prop::new(i),
            positive: true,
        };
        for i in 0..16 {
            b.add_conditional(Mark::new(i), literal(i));
        }
        b.add_edge(s, &Cube::TRUE, &MarkSet::EMPTY, s);
        b.add_edge(s, &Cube::literal(literal(16)), &MarkSet::EMPTY, t);
        b.add_edge(t, &Cube::TRUE, &MarkSet::EMPTY, t);
        let a = b.build();
        let pending = streett_to_tgba(&a, 2_000_000).unwrap().unwrap();
        assert_eq!(pending.state_count(), 514);
        let guessed = remove_fin(&a, 10_000).unwrap();
        assert_eq!(guessed.state_count(), 512);
        assert!(guessed.edge_count() < 3000, "{}", guessed.edge_count());
        assert!(streett_to_tgba(&a, 1000).is_err());
    }
}
