//! Any condition to generalized Büchi: guess what will not be seen again.
//!
//! In disjunctive normal form a condition is a choice of "these marks infinitely often, those never
//! again". An automaton without `Fin` runs in its main copy for a while, then jumps for good into
//! the copy of one disjunct, in which the forbidden marks have no edges (for a conditional mark: no
//! letters). A disjunct that forbids nothing needs no copy: the main copy serves it. Every mark
//! that some disjunct wants keeps a Büchi mark of its own; a disjunct that does not want it sets it
//! on all edges of its copy, so the table of conditional marks stays as it is and nothing is
//! expanded.
//!
//! For k Streett pairs that makes 2^k copies with the edges of the original each, where the pending
//! sets of [`streett_to_tgba`](crate::streett_to_tgba) make 2^k + 1 with many more edges. The
//! disjuncts are limited.

use crate::emptiness::letters_without;
use crate::{
    Acceptance, Automaton, Builder, Condition, Cube, LimitExceeded, Mark, MarkSet, State,
    components, trim,
};

/// One disjunct: `inf` infinitely often, `fin` never again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Disjunct {
    inf: MarkSet,
    fin: MarkSet,
}

/// A generalized Büchi automaton with the same language, of at most `state_limit` states.
pub fn remove_fin(automaton: &Automaton, state_limit: usize) -> Result<Automaton, LimitExceeded> {
    if automaton.acceptance().is_generalized_buchi() {
        return Ok(automaton.clone());
    }
    let mut disjuncts = normal_form(automaton.acceptance(), state_limit)?;
    let free = disjuncts.iter().position(|d| d.fin.is_empty());
    let main = free.map(|place| disjuncts.remove(place));
    let too_many = LimitExceeded {
        what: "states of an automaton without Fin",
        limit: state_limit,
    };
    let copies = disjuncts.len() + 1;
    if copies.saturating_mul(automaton.state_count()) > state_limit {
        return Err(too_many);
    }
    // The Büchi mark of each wanted mark, and one that keeps the main copy from accepting.
    let wanted: MarkSet = (main.iter().chain(&disjuncts))
        .flat_map(|d| d.inf.iter())
        .collect();
    let slot: Vec<Option<Mark>> = (0..automaton.mark_count())
        .map(|m| wanted.contains(Mark::new(m)))
        .scan(0, |next, is_wanted| {
            *next += usize::from(is_wanted);
            Some(is_wanted.then(|| Mark::new(*next - 1)))
        })
        .collect();
    let slots = wanted.0.len();
    let all = MarkSet::below(slots + usize::from(main.is_none()));
    let acceptance = Acceptance {
        buchi: all.clone(),
        ..Acceptance::all()
    };
    let mut builder = Builder::new(automaton.props().to_vec(), acceptance);
    builder.name = automaton.name().map(str::to_owned);
    for c in automaton.conditionals() {
        if let Some(mark) = slot[c.mark.index()] {
            builder.add_conditional(mark, c.literal);
        }
    }
    let count = automaton.state_count();
    builder.reserve_states(copies * count);
    automaton
        .initial()
        .iter()
        .for_each(|&s| builder.add_initial(s));
    let copy = |state: State, copy: usize| State::new(copy * count + state.index());
    // What a disjunct does not want is set from the start.
    let marks_in = |d: &Disjunct, own: &MarkSet| {
        let mut marks = all.clone();
        for mark in d.inf.iter().filter(|m| !own.contains(*m)) {
            slot[mark.index()].into_iter().for_each(|s| marks.remove(s));
        }
        marks
    };
    let letters: Vec<Option<Cube>> = (disjuncts.iter())
        .map(|d| letters_without(automaton, &d.fin))
        .collect();
    let components = components(automaton);
    for edge in automaton.edges() {
        let (cube, own) = (automaton.cube(edge.label), automaton.marks(edge.marks));
        let marks = main.as_ref().map_or(MarkSet::EMPTY, |d| marks_in(d, own));
        builder.add_edge(edge.source, cube, &marks, edge.target);
        // The jump comes with the last edge that is not yet restricted; only cycles are worth one.
        let inside = |s| {
            components
                .of(s)
                .is_some_and(|c| components.is_cyclic(automaton, c))
        };
        for (i, d) in disjuncts.iter().enumerate() {
            if inside(edge.target) {
                builder.add_edge(edge.source, cube, &MarkSet::EMPTY, copy(edge.target, i + 1));
            }
            let allowed = letters[i].as_ref().and_then(|l| l.and(cube));
            if let Some(cube) = allowed.filter(|_| own.0.is_disjoint(&d.fin.0)) {
                let (source, target) = (copy(edge.source, i + 1), copy(edge.target, i + 1));
                builder.add_edge(source, &cube, &marks_in(d, own), target);
            }
        }
        if builder.edge_count() > state_limit.saturating_mul(64) {
            return Err(too_many);
        }
    }
    Ok(trim(&builder.build()))
}

/// The disjuncts of the condition, none implied by another.
fn normal_form(acceptance: &Acceptance, limit: usize) -> Result<Vec<Disjunct>, LimitExceeded> {
    expand(&acceptance.to_condition(), limit)
}

fn expand(condition: &Condition, limit: usize) -> Result<Vec<Disjunct>, LimitExceeded> {
    let one = |inf: Option<Mark>, fin: Option<Mark>| {
        vec![Disjunct {
            inf: inf.into_iter().collect(),
            fin: fin.into_iter().collect(),
        }]
    };
    let mut result = Vec::new();
    match condition {
        Condition::True => return Ok(one(None, None)),
        Condition::False => {}
        Condition::Inf(m) => return Ok(one(Some(*m), None)),
        Condition::Fin(m) => return Ok(one(None, Some(*m))),
        Condition::Or(parts) => {
            for part in parts {
                expand(part, limit)?
                    .into_iter()
                    .for_each(|d| add(&mut result, d));
            }
        }
        Condition::And(parts) => {
            result = one(None, None);
            for part in parts {
                let (old, new) = (std::mem::take(&mut result), expand(part, limit)?);
                for (a, b) in old.iter().flat_map(|a| new.iter().map(move |b| (a, b))) {
                    let both = Disjunct {
                        inf: MarkSet(a.inf.0.union(&b.inf.0)),
                        fin: MarkSet(a.fin.0.union(&b.fin.0)),
                    };
                    if both.inf.0.is_disjoint(&both.fin.0) {
                        add(&mut result, both);
                    }
                    if result.len() > limit {
                        break;
                    }
                }
            }
        }
    }
    match result.len() > limit {
        true => Err(LimitExceeded {
            what: "disjuncts of an acceptance condition",
            limit,
        }),
        false => Ok(result),
    }
}

fn add(disjuncts: &mut Vec<Disjunct>, new: Disjunct) {
    let implies =
        |a: &Disjunct, b: &Disjunct| b.inf.0.is_subset(&a.inf.0) && b.fin.0.is_subset(&a.fin.0);
    if !disjuncts.iter().any(|d| implies(&new, d)) {
        disjuncts.retain(|d| !implies(d, &new));
        disjuncts.push(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accepts;
    use crate::testing::*;

    #[test]
    fn the_language_stays_under_every_condition() {
        let mut random = Random::new(55);
        let words = short_words(2, 1, 2);
        for _ in 0..cases(250) {
            let acceptance = random_acceptance(&mut random);
            let mut a = random_automaton(&mut random, 1..=3, 1..=8, 2, acceptance);
            if random.chance(50) {
                a = with_random_conditionals(&mut random, &a);
            }
            let b = remove_fin(&a, 1000).unwrap();
            assert!(b.acceptance().is_generalized_buchi());
            for w in &words {
                assert_eq!(accepts(&a, w), accepts(&b, w), "{a:?} {b:?} {w:?}");
            }
        }
    }

    #[test]
    fn limits_are_errors() {
        let mut random = Random::new(56);
        let a = random_automaton(&mut random, 2..=2, 4..=4, 1, Acceptance::streett(20));
        assert!(remove_fin(&a, 1000).is_err());
    }
}
