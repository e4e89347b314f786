//! Omega-automata as sets: the runs that an automaton reads, beside a model.
//!
//! **Problem.** A never claim, a question about labels or an automaton from a file has no formula
//! whose tester could stand beside the model.
//!
//! **Idea.** The automaton itself stands there, encoded in bits of its own. Marks are on its edges
//! while justice and compassion are about states, so a state of the product remembers how the
//! automaton came where it is: its *arrival*, the target of the last edge together with the marks
//! of that edge. A step takes an edge whose guard the model satisfies before the step. A mark is
//! then a set of arrivals (and the states of the model in which a conditional mark is set), Büchi
//! marks are justice and Streett pairs compassion, handled natively like that of the model. A fair
//! run of the product is a fair run of the model that the automaton accepts.
//!
//! **Cost.** The logarithm of the number of arrivals in bits, which is at most that of the edges;
//! one diagram for all edges. Nothing is guessed that the automaton does not guess.
//!
//! **Limits.** Büchi and Streett acceptance; `Fin` elsewhere is removed before (by
//! [`evenhand_automata::remove_fin`]) or refused.

use std::collections::BTreeMap;

use evenhand_automata::{Automaton, Mark, MarkSet};
use evenhand_system::fairness::PropositionId;

use crate::answer::Answer;
use crate::coding::Bit;
use crate::engine::Symbolic;
use crate::manager::{Manager, Outcome, Set};
use crate::product::{Addition, Product};
use crate::watch::Stop;
use crate::witness::lasso;

/// An automaton ready to stand beside a model.
struct Reader {
    addition: Addition,
    /// The Streett pairs of its acceptance.
    pairs: Vec<(Set, Set)>,
}

/// Where the automaton is and what the edge into it was marked with.
type Arrival = (usize, MarkSet);

/// The arrivals of an automaton, each with its set.
struct Arrivals {
    bits: Vec<Bit>,
    codes: BTreeMap<Arrival, usize>,
    /// Those of each state of the automaton.
    of_state: Vec<Vec<usize>>,
}

impl Arrivals {
    /// All arrivals: by an edge, or at the beginning.
    fn new(m: &Manager, automaton: &Automaton) -> Outcome<Arrivals> {
        let beginnings = automaton.initial().iter();
        let beginnings = beginnings.map(|state| (state.index(), MarkSet::EMPTY));
        let edges = automaton.edges().iter();
        let edges = edges.map(|e| (e.target.index(), automaton.marks(e.marks).clone()));
        // In the order of their states, so that those of one state share the high bits.
        let mut codes: BTreeMap<Arrival, usize> = beginnings.chain(edges).map(|a| (a, 0)).collect();
        let mut of_state = vec![Vec::new(); automaton.state_count()];
        for (number, (arrival, code)) in codes.iter_mut().enumerate() {
            *code = number;
            of_state[arrival.0].push(number);
        }
        let width = usize::BITS - codes.len().saturating_sub(1).leading_zeros();
        let mut bits = Vec::new();
        for _ in 0..width {
            let added = m.add_variables(2)?;
            bits.push(Bit {
                now: added[0],
                next: Some(added[1]),
            });
        }
        let levels = bits.iter().flat_map(|b| [Some(b.now), b.next]);
        m.raise(levels.flatten().collect());
        Ok(Arrivals {
            bits,
            codes,
            of_state,
        })
    }

    /// An arrival as a set, now or after the step.
    fn set(&self, m: &Manager, code: usize, next: bool) -> Outcome<Set> {
        let mut set = m.yes();
        for (place, bit) in self.bits.iter().rev().enumerate() {
            let level = match next {
                true => bit.next.unwrap_or(bit.now),
                false => bit.now,
            };
            let literal = m.variable(level)?;
            set = match code >> place & 1 {
                1 => m.and(&literal, &set)?,
                _ => m.minus(&set, &literal)?,
            };
        }
        Ok(set)
    }

    /// Some arrivals as a set.
    fn union(&self, m: &Manager, codes: impl IntoIterator<Item = usize>) -> Outcome<Set> {
        let mut all = m.no();
        for code in codes {
            all = m.or(&all, &self.set(m, code, false)?)?;
        }
        Ok(all)
    }
}

/// Encodes an automaton whose propositions are these sets.
fn reader(m: &Manager, automaton: &Automaton, propositions: &[Set]) -> Outcome<Reader> {
    let arrivals = Arrivals::new(m, automaton)?;
    let literal = |prop: usize, positive: bool| {
        let unknown = || Stop::Refused("a proposition is not known".into());
        let set = propositions.get(prop).ok_or_else(unknown)?;
        if positive {
            Ok(set.clone())
        } else {
            m.not(set)
        }
    };
    let mut guards = Vec::new();
    for cube in automaton.cubes() {
        let mut guard = m.yes();
        for l in cube.literals() {
            guard = m.and(&guard, &literal(l.prop.index(), l.positive)?)?;
        }
        guards.push(guard);
    }
    let mut steps = m.no();
    for state in automaton.states() {
        let mut out = m.no();
        for edge in automaton.edges_from(state) {
            let arrival = (edge.target.index(), automaton.marks(edge.marks).clone());
            let Some(&code) = arrivals.codes.get(&arrival) else {
                continue;
            };
            let there = arrivals.set(m, code, true)?;
            out = m.or(&out, &m.and(&guards[edge.label.index()], &there)?)?;
        }
        let here = arrivals.union(m, arrivals.of_state[state.index()].iter().copied())?;
        steps = m.or(&steps, &m.and(&here, &out)?)?;
    }
    let beginnings = automaton.initial().iter();
    let beginnings = beginnings.filter_map(|state| {
        arrivals
            .codes
            .get(&(state.index(), MarkSet::EMPTY))
            .copied()
    });
    let init = arrivals.union(m, beginnings)?;
    let seen = |mark: Mark| {
        let marked = arrivals.codes.iter();
        let marked = marked.filter(|((_, marks), _)| marks.contains(mark));
        let mut set = arrivals.union(m, marked.map(|(_, &code)| code))?;
        for conditional in automaton.conditionals().iter().filter(|c| c.mark == mark) {
            let l = conditional.literal;
            set = m.or(&set, &literal(l.prop.index(), l.positive)?)?;
        }
        Ok(set)
    };
    let acceptance = automaton.acceptance();
    let justice: Outcome<Vec<Set>> = acceptance.buchi.iter().map(seen).collect();
    let pairs = acceptance.pairs.iter();
    let pairs: Outcome<Vec<(Set, Set)>> = pairs
        .map(|pair| Ok((seen(pair.request)?, seen(pair.grant)?)))
        .collect();
    Ok(Reader {
        addition: Addition {
            bits: arrivals.bits,
            init: vec![init],
            steps: vec![steps],
            justice: justice?,
        },
        pairs: pairs?,
    })
}

impl Symbolic {
    /// Whether an automaton accepts no fair run; if it accepts some, with one of them. The
    /// propositions are those of the automaton, in its order.
    ///
    /// # Errors
    /// If a limit is reached, or the acceptance is neither Büchi nor Streett.
    pub fn automaton(
        &mut self,
        automaton: &Automaton,
        propositions: &[PropositionId],
    ) -> Result<Answer, Stop> {
        if !automaton.acceptance().is_streett() {
            let reason = "the automaton of the property has no usable acceptance condition";
            return Err(Stop::Refused(reason.into()));
        }
        let sets: Outcome<Vec<Set>> = propositions.iter().map(|&p| self.proposition(p)).collect();
        self.all_have_values(propositions.iter().copied())?;
        self.fairness_has_values()?;
        let reader = reader(&self.m, automaton, &sets?)?;
        let pieces = self.model.steps.list.iter().map(|s| s.piece.clone());
        let pieces: Vec<_> = pieces.collect();
        let model = &self.model;
        let mut product = Product::new(
            &self.m,
            &model.init,
            &pieces,
            &model.bits,
            &model.fairness,
            &[reader.addition],
        )?;
        product.fairness.compassion.extend(reader.pairs);
        let nothing = self.m.yes();
        let core = self.core_of(&mut product, &nothing)?;
        let run = match lasso(&self.m, &product, &core)? {
            Some(walk) => Some(self.run(&product, walk)?),
            None => None,
        };
        let warnings = self.faults()?;
        Ok(self.answer(run.is_none(), run, warnings))
    }
}
