//! The laws of asynchronous and synchronous composition on random small systems.
//!
//! The oracle is the definition itself: enumerate every valuation of all variables and every pair
//! of them, and evaluate `(ρ₁ ∧ pres(V₂−V₁)) ∨ (ρ₂ ∧ pres(V₁−V₂))` or `ρ₁ ∧ ρ₂` by projection.

use std::collections::BTreeSet;

use evenhand_system::compose::{
    Asynchronous, FairGraph, FairSystem, Synchronous, Valuation, Valued,
};
use evenhand_system::{Conditions, Explicit, Foreign, PropositionId, Successors};

use crate::common::{
    Random, canonical, cases, random_graph, reachable, some_variables, valuations,
};

fn pair(random: &mut Random) -> (FairGraph, FairGraph) {
    let (v, w) = (some_variables(random), some_variables(random));
    (random_graph(random, "A", &v), random_graph(random, "B", &w))
}

#[test]
fn both_compositions_are_commutative() {
    let mut random = Random::new(1);
    for _ in 0..cases(300) {
        let (a, b) = pair(&mut random);
        assert_eq!(
            canonical(&Asynchronous::new(&a, &b)),
            canonical(&Asynchronous::new(&b, &a))
        );
        assert_eq!(
            canonical(&Synchronous::new(&a, &b)),
            canonical(&Synchronous::new(&b, &a))
        );
    }
}

#[test]
fn both_compositions_are_associative() {
    let mut random = Random::new(2);
    for _ in 0..cases(300) {
        let (a, b) = pair(&mut random);
        let v = some_variables(&mut random);
        let c = random_graph(&mut random, "C", &v);
        assert_eq!(
            canonical(&Asynchronous::new(Asynchronous::new(&a, &b), &c)),
            canonical(&Asynchronous::new(&a, Asynchronous::new(&b, &c)))
        );
        assert_eq!(
            canonical(&Synchronous::new(Synchronous::new(&a, &b), &c)),
            canonical(&Synchronous::new(&a, Synchronous::new(&b, &c)))
        );
    }
}

/// The part of a valuation of `from` that belongs to the variables `to`.
fn project(state: &[i64], from: &[String], to: &[String]) -> Valuation {
    let value = |name| from.iter().position(|v| v == name).map(|at| state[at]);
    to.iter()
        .map(|name| value(name).expect("a variable of both"))
        .collect()
}

/// All pairs of a relation over all valuations, by the definition.
fn brute_force(a: &FairGraph, b: &FairGraph, all: &[String], synchronous: bool) -> Relation {
    let states = valuations(all.len());
    let related = |g: &FairGraph, s: &Valuation, t: &Valuation| {
        let (s, t) = (project(s, all, &g.variables), project(t, all, &g.variables));
        g.moves
            .get(&s)
            .is_some_and(|out| out.iter().any(|m| m.target == t))
    };
    let preserves = |keep: &FairGraph, other: &FairGraph, s: &Valuation, t: &Valuation| {
        let private = keep
            .variables
            .iter()
            .filter(|v| !other.variables.contains(v));
        let private: Vec<String> = private.cloned().collect();
        project(s, all, &private) == project(t, all, &private)
    };
    let is_initial =
        |g: &FairGraph, s: &Valuation| g.initial.contains(&project(s, all, &g.variables));
    let mut relation = Relation::default();
    for s in &states {
        if is_initial(a, s) && is_initial(b, s) {
            relation.initial.insert(s.clone());
        }
        for t in &states {
            let holds = if synchronous {
                related(a, s, t) && related(b, s, t)
            } else {
                (related(a, s, t) && preserves(b, a, s, t))
                    || (related(b, s, t) && preserves(a, b, s, t))
            };
            if holds {
                relation.pairs.insert((s.clone(), t.clone()));
            }
        }
    }
    // The reachable part.
    let mut seen = relation.initial.clone();
    loop {
        let new: Vec<Valuation> = relation
            .pairs
            .iter()
            .filter(|(s, t)| seen.contains(s) && !seen.contains(t))
            .map(|(_, t)| t.clone())
            .collect();
        if new.is_empty() {
            break;
        }
        seen.extend(new);
    }
    relation.pairs.retain(|(s, _)| seen.contains(s));
    relation.states = seen;
    relation
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Relation {
    initial: BTreeSet<Valuation>,
    states: BTreeSet<Valuation>,
    pairs: BTreeSet<(Valuation, Valuation)>,
}

fn relation_of(graph: &FairGraph) -> Relation {
    let pairs = graph
        .moves
        .iter()
        .flat_map(|(s, out)| out.iter().map(move |step| (s.clone(), step.target.clone())));
    Relation {
        initial: graph.initial.clone(),
        states: graph.moves.keys().cloned().collect(),
        pairs: pairs.collect(),
    }
}

#[test]
fn both_compositions_are_their_definition() {
    let mut random = Random::new(3);
    let (mut with_states, mut with_shared) = (0, 0);
    for _ in 0..cases(400) {
        let (a, b) = pair(&mut random);
        let composed = reachable(&Asynchronous::new(&a, &b));
        let expected = brute_force(&a, &b, &composed.variables, false);
        assert_eq!(relation_of(&composed), expected);
        let composed = reachable(&Synchronous::new(&a, &b));
        let expected = brute_force(&a, &b, &composed.variables, true);
        with_states += usize::from(expected.states.len() > 1);
        with_shared += usize::from(a.variables.iter().any(|v| b.variables.contains(v)));
        assert_eq!(relation_of(&composed), expected);
    }
    assert!(
        with_states > 50 && with_shared > 50,
        "{with_states} {with_shared}"
    );
}

#[test]
fn the_steps_of_a_composition_are_steps_of_its_components() {
    let mut random = Random::new(4);
    for _ in 0..cases(300) {
        let (a, b) = pair(&mut random);
        let is_step = |g: &FairGraph, all: &[String], s: &Valuation, t: &Valuation| {
            let (s, t) = (project(s, all, &g.variables), project(t, all, &g.variables));
            g.moves(&s).iter().any(|m| m.target == t)
        };
        let composed = reachable(&Synchronous::new(&a, &b));
        let all = &composed.variables;
        for (s, t) in relation_of(&composed).pairs {
            assert!(is_step(&a, all, &s, &t) && is_step(&b, all, &s, &t));
        }
        let composed = reachable(&Asynchronous::new(&a, &b));
        let all = &composed.variables;
        for (s, out) in &composed.moves {
            for step in out {
                let by_a = step.participants[0].0.index() < 2;
                let (moving, idle) = if by_a { (&a, &b) } else { (&b, &a) };
                assert!(is_step(moving, all, s, &step.target));
                for (index, name) in all.iter().enumerate() {
                    let private = idle.variables.contains(name) && !moving.variables.contains(name);
                    assert!(!private || s[index] == step.target[index]);
                }
            }
        }
    }
}

/// Whether the states that a run visits infinitely often are fair.
fn is_fair(system: &impl FairSystem, cycle: &[Valuation]) -> bool {
    let visits = |p| cycle.iter().any(|state| system.holds(p, state));
    system.justice().into_iter().all(visits)
        && system
            .compassion()
            .into_iter()
            .all(|c| !visits(c.when) || visits(c.then))
}

#[test]
fn a_run_is_fair_iff_its_projections_are() {
    let mut random = Random::new(5);
    let (mut fair, mut unfair) = (0, 0);
    for _ in 0..cases(400) {
        let (a, b) = pair(&mut random);
        let (sync, inter) = (Synchronous::new(&a, &b), Asynchronous::new(&a, &b));
        let count = a.justice.len() + b.justice.len();
        assert_eq!(sync.justice().len(), count);
        assert_eq!(inter.justice().len(), count);
        let count = a.compassion.len() + b.compassion.len();
        assert_eq!(sync.compassion().len(), count);
        assert_eq!(inter.compassion().len(), count);
        let all = sync.variables();
        let states = valuations(all.len());
        let len = 1 + random.below(3);
        let cycle: Vec<Valuation> = (0..len)
            .map(|_| states[random.below(states.len() as u64) as usize].clone())
            .collect();
        let part = |g: &FairGraph| -> Vec<Valuation> {
            cycle
                .iter()
                .map(|s| project(s, &all, &g.variables))
                .collect()
        };
        let expected = is_fair(&a, &part(&a)) && is_fair(&b, &part(&b));
        assert_eq!(is_fair(&sync, &cycle), expected);
        assert_eq!(is_fair(&inter, &cycle), expected);
        *(if expected { &mut fair } else { &mut unfair }) += 1;
    }
    assert!(fair > 40 && unfair > 40, "{fair} {unfair}");
}

#[test]
fn without_shared_variables_the_counts_multiply() {
    let mut random = Random::new(6);
    for _ in 0..cases(200) {
        let a = random_graph(&mut random, "A", &["x", "y"]);
        let b = random_graph(&mut random, "B", &["z"]);
        let composed = reachable(&Asynchronous::new(&a, &b));
        let (left, right) = (reachable(&a), reachable(&b));
        assert_eq!(composed.moves.len(), left.moves.len() * right.moves.len());
        assert_eq!(
            composed.initial.len(),
            left.initial.len() * right.initial.len()
        );
        let edges = |g: &FairGraph| g.moves.values().map(Vec::len).sum::<usize>();
        assert_eq!(
            edges(&composed),
            edges(&left) * right.moves.len() + edges(&right) * left.moves.len()
        );
    }
}

#[test]
fn a_composition_is_a_body_that_engines_can_explore() {
    let mut random = Random::new(7);
    for _ in 0..cases(100) {
        let (a, b) = pair(&mut random);
        let graph = reachable(&Asynchronous::new(&a, &b));
        let system = Foreign::new(Valued::new(Asynchronous::new(&a, &b))).expect("few processes");
        let mut explorer = system.explorer(&[]);
        let mut out = Successors::new();
        explorer.initial(&mut out);
        assert_eq!(out.len(), graph.initial.len());
        let mut queue: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
        let mut seen: BTreeSet<Vec<u8>> = queue.iter().cloned().collect();
        let mut edges = 0;
        while let Some(state) = queue.pop() {
            let values = explorer.describe(&state);
            assert_eq!(values.len(), graph.variables.len());
            explorer.expand(&state, &mut out);
            assert!(out.faults().is_empty());
            edges += out.len();
            for index in 0..out.len() {
                if seen.insert(out.state(index).to_vec()) {
                    queue.push(out.state(index).to_vec());
                }
            }
        }
        assert_eq!(seen.len(), graph.moves.len());
        assert_eq!(edges, graph.moves.values().map(Vec::len).sum::<usize>());
        for (index, (name, states)) in graph.propositions.iter().enumerate() {
            assert_eq!(&system.propositions()[index], name);
            let holds = |s: &&Vec<u8>| system.holds(PropositionId(index as u32), s);
            assert_eq!(seen.iter().filter(holds).count(), states.len());
        }
    }
}
