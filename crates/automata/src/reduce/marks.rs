//! Acceptance simplification: marks that say nothing are dropped, marks that say the same are one.
//!
//! Only edges inside components of useful automata count, so first all other marks go. Then each
//! mark is compared with the others as the set of edges that carry it, together with its rows in
//! the table of conditional marks:
//!
//! * marks with the same set are one mark; a mark on no edge is never seen, one on all edges
//!   always;
//! * a Büchi mark whose edges include those of another Büchi mark is implied by it;
//! * a pair whose request is never seen, or whose grant comes with every request, holds always; a
//!   pair whose request is always seen is a Büchi mark.
//!
//! The marks that remain are renumbered. Cost: marks² · edges / 64.

use crate::emptiness::core_of_component;
use crate::{
    Acceptance, Automaton, Bits, Builder, Components, Condition, Literal, Mark, MarkSet, Pair,
    components,
};

/// The automaton under a simpler condition, with the same language.
pub fn simplify_acceptance(automaton: &Automaton) -> Automaton {
    let components = components(automaton);
    let cyclic = |c: &usize| components.is_cyclic(automaton, *c);
    let cyclic: Vec<usize> = (0..components.count()).filter(cyclic).collect();
    let accepting: Vec<usize> = (cyclic.iter().copied())
        .filter(|&c| core_of_component(automaton, &components, c).is_some())
        .collect();
    let profile = Profile::of(automaton, &components, &accepting);
    let mut acceptance = profile.simplify(automaton.acceptance());
    // Rejecting cycles lose their marks, and must still reject: by a Büchi mark that no letter
    // sets.
    let unconditional = |m: Mark| profile.literals[m.index()].is_empty();
    if accepting.len() == cyclic.len() || acceptance.buchi.iter().any(unconditional) {
        return profile.apply(automaton, &acceptance, None);
    }
    if acceptance.is_generalized_buchi() {
        let fresh = Mark::new(automaton.mark_count());
        acceptance.buchi.insert(fresh);
        return profile.apply(automaton, &acceptance, Some(fresh));
    }
    let profile = Profile::of(automaton, &components, &cyclic);
    profile.apply(automaton, &profile.simplify(automaton.acceptance()), None)
}

/// Where each mark is set.
struct Profile {
    /// The edges whose marks matter.
    counts: Bits,
    /// For each mark, the edges of those that carry it under every letter.
    always: Vec<Bits>,
    /// For each mark, the literals that set it (beyond `always`).
    literals: Vec<Vec<Literal>>,
}

impl Profile {
    /// The edges inside these components count.
    fn of(automaton: &Automaton, components: &Components, those: &[usize]) -> Profile {
        let mut chosen = vec![false; components.count()];
        those.iter().for_each(|&c| chosen[c] = true);
        let counts: Bits = (automaton.edges().iter().enumerate())
            .filter(|(_, e)| {
                components.same(e.source, e.target)
                    && components.of(e.source).is_some_and(|c| chosen[c])
            })
            .map(|(i, _)| i)
            .collect();
        let mut profile = Profile {
            always: vec![Bits::new(); automaton.mark_count()],
            literals: vec![Vec::new(); automaton.mark_count()],
            counts,
        };
        for c in automaton.conditionals() {
            profile.literals[c.mark.index()].push(c.literal);
        }
        for i in profile.counts.iter() {
            let edge = &automaton.edges()[i];
            for mark in automaton.marks(edge.marks).iter() {
                profile.always[mark.index()].insert(i);
            }
            let cube = automaton.cube(edge.label);
            for c in automaton.conditionals() {
                if cube.value(c.literal.prop) == Some(c.literal.positive) {
                    profile.always[c.mark.index()].insert(i);
                }
            }
        }
        profile
    }

    /// The automaton under `acceptance` with the marks that it uses, renumbered; `everywhere` is a
    /// mark to put on all edges that count.
    fn apply(
        &self,
        automaton: &Automaton,
        acceptance: &Acceptance,
        everywhere: Option<Mark>,
    ) -> Automaton {
        let (inf, fin) = acceptance.polarities();
        let used = MarkSet(inf.0.union(&fin.0));
        let mut new_mark: Vec<Option<Mark>> = vec![None; automaton.mark_count() + 1];
        for (i, mark) in used.iter().enumerate() {
            new_mark[mark.index()] = Some(Mark::new(i));
        }
        let rename = |m: Mark| new_mark[m.index()].unwrap_or(m);
        let mut builder = Builder::new(automaton.props().to_vec(), acceptance.renamed(rename));
        builder.name = automaton.name().map(str::to_owned);
        for c in automaton.conditionals() {
            if let Some(mark) = new_mark[c.mark.index()] {
                builder.add_conditional(mark, c.literal);
            }
        }
        builder.add_states_of(automaton);
        builder.add_initial_of(automaton);
        for (i, edge) in automaton.edges().iter().enumerate() {
            let own = automaton.marks(edge.marks).iter().chain(everywhere);
            let marks = match self.counts.contains(i) {
                true => own.filter_map(|m| new_mark[m.index()]).collect(),
                false => MarkSet::EMPTY,
            };
            builder.add_edge(edge.source, automaton.cube(edge.label), &marks, edge.target);
        }
        builder.build()
    }

    fn never(&self, mark: Mark) -> bool {
        self.always[mark.index()].is_empty() && self.literals[mark.index()].is_empty()
    }

    fn everywhere(&self, mark: Mark) -> bool {
        self.always[mark.index()] == self.counts || {
            let literals = &self.literals[mark.index()];
            literals.iter().any(|l| literals.contains(&l.negated()))
        }
    }

    /// Does every step with `a` carry `b`?
    fn implies(&self, a: Mark, b: Mark) -> bool {
        let (a, b) = (a.index(), b.index());
        self.always[a].is_subset(&self.always[b])
            && self.literals[a]
                .iter()
                .all(|l| self.literals[b].contains(l))
    }

    fn simplify(&self, acceptance: &Acceptance) -> Acceptance {
        let representative = |mark: Mark| {
            let mut earlier = (0..mark.0).map(Mark);
            let same = |m: &Mark| self.implies(*m, mark) && self.implies(mark, *m);
            earlier.find(same).unwrap_or(mark)
        };
        let mut result = acceptance.renamed(representative);
        let mut pairs: Vec<Pair> = Vec::new();
        for pair in std::mem::take(&mut result.pairs) {
            let holds = self.never(pair.request)
                || self.implies(pair.request, pair.grant)
                || self.everywhere(pair.grant)
                || result.buchi.contains(pair.grant);
            if holds || pairs.contains(&pair) {
                continue;
            }
            if self.everywhere(pair.request) {
                result.buchi.insert(pair.grant);
            } else {
                pairs.push(pair);
            }
        }
        result.pairs = pairs;
        result.pairs.retain(|p| !result.buchi.contains(p.grant));
        let other = result.other.map(&mut |mark, inf| match (
            self.never(mark),
            self.everywhere(mark),
        ) {
            (true, _) if inf => Condition::False,
            (true, _) => Condition::True,
            (_, true) if inf => Condition::True,
            (_, true) => Condition::False,
            _ if inf => Condition::Inf(mark),
            _ => Condition::Fin(mark),
        });
        let more = Acceptance::from_condition(other);
        result.other = Condition::True;
        result = result.and(more);
        let mut buchi = MarkSet::EMPTY;
        let kept: Vec<Mark> = result
            .buchi
            .iter()
            .filter(|m| !self.everywhere(*m))
            .collect();
        for (i, mark) in kept.iter().enumerate() {
            let implied = kept.iter().enumerate().any(|(j, other)| {
                i != j && self.implies(*other, *mark) && (j < i || !self.implies(*mark, *other))
            });
            if !implied {
                buchi.insert(*mark);
            }
        }
        result.buchi = buchi;
        result
    }
}
