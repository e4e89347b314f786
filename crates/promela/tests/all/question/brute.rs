//! The product of a model and a claim, whole; bad runs by asking each state whether it is on a
//! cycle.

use std::collections::{BTreeSet, HashMap};

use evenhand_system::{ClaimAutomaton, Explicit, Program, PropositionId, Successors};

/// All reachable states with their successors; the initial state comes first.
pub struct Space {
    pub states: Vec<Vec<u8>>,
    pub next: Vec<Vec<usize>>,
}

/// Explores a model completely.
pub fn space(program: &Program) -> Space {
    let mut explorer = program.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut states = vec![out.state(0).to_vec()];
    let mut number = HashMap::from([(states[0].clone(), 0)]);
    let mut next = Vec::new();
    while next.len() < states.len() {
        assert!(states.len() < 100_000, "too large for brute force");
        explorer.expand(&states[next.len()].clone(), &mut out);
        let mut list = BTreeSet::new();
        for i in 0..out.len() {
            let state = out.state(i).to_vec();
            let id = *number.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            });
            list.insert(id);
        }
        next.push(list.into_iter().collect());
    }
    Space { states, next }
}

/// The values of propositions in each state.
pub fn values(program: &Program, space: &Space, list: &[PropositionId]) -> Vec<Vec<bool>> {
    let mut explorer = program.explorer(&[]);
    space
        .states
        .iter()
        .map(|state| {
            list.iter()
                .map(|&p| explorer.holds(p, state).expect("it has a value"))
                .collect()
        })
        .collect()
}

/// Whether the model has a run that the claim calls bad.
pub fn is_bad(program: &Program, claim: &ClaimAutomaton) -> bool {
    let space = space(program);
    let values = values(program, &space, &claim.propositions);
    let after = |(s, q): (usize, usize)| -> Vec<(usize, usize)> {
        let ways = claim.step(&[q], &values[s]);
        let ends = space.next[s].is_empty();
        let stays = [s];
        let next = if ends && claim.stutter {
            &stays[..]
        } else {
            &space.next[s]
        };
        // An end of the claim counts although the system cannot move on.
        let over = ways.iter().filter(|&&q| claim.states[q].end);
        let over = over.map(|&q| (s, q));
        let both = ways
            .iter()
            .flat_map(|&q| next.iter().map(move |&s| (s, q)))
            .chain(over);
        both.collect()
    };
    let reach = |from: Vec<(usize, usize)>| {
        let mut seen: BTreeSet<(usize, usize)> = from.iter().copied().collect();
        let mut open = from;
        while let Some(at) = open.pop() {
            for to in after(at) {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        seen
    };
    let all = reach(vec![(0, claim.initial)]);
    all.iter().any(|&at| {
        let state = &claim.states[at.1];
        state.end || (state.accept && reach(after(at)).contains(&at))
    })
}
