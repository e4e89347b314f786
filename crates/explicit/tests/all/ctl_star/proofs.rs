//! Proofs for formulas of branching time: they are found, say what the formulas mean, and whatever is accepted
//! is true.

use evenhand_certify::branching::{
    Branching as Proved, Existence, Expansion, NodeClaim, StateGraph, check_branching,
};
use evenhand_certify::{CellId, Checked, Failure, Refusal, States};
use evenhand_explicit::ctl_star::{Unproved, prove};
use evenhand_explicit::search::Stop;
use evenhand_explicit::watch::Watch;
use evenhand_logic::{FormulaId, Formulas, Spelling, parse, print};
use evenhand_system::{FinishedRuns, Formula, PropositionId};
use evenhand_testkit::promela_programs::random::Random;

use super::kripke::{Kripke, PROPOSITIONS};
use super::{at_start, cases, formula, label, oracle, store};

fn propositions() -> Vec<PropositionId> {
    (0..PROPOSITIONS as u32).map(PropositionId).collect()
}

/// Runs that come to an end do not count, as for the oracle.
fn graph(kripke: &Kripke) -> StateGraph {
    let system = kripke.clone().system();
    let (fairness, propositions) = (kripke.fairness(), propositions());
    let expansion = Expansion {
        system: &system,
        fairness: &fairness,
        chosen: None,
        finished: FinishedRuns::Ignore,
        propositions: &propositions,
        key: None,
    };
    StateGraph::explore(&expansion, States::new(), &mut |_| true).expect("a small system")
}

fn proofs(graph: &StateGraph, formula: &Formula) -> Vec<Existence> {
    let mut observer = |_: &_| true;
    let mut watch = Watch::new(&mut observer, None, None);
    prove(graph, formula, &mut watch).expect("a proof")
}

fn check(
    graph: &StateGraph,
    formula: &Formula,
    proofs: &[Existence],
) -> Result<Vec<bool>, Failure<Refusal>> {
    check_branching(graph, formula, proofs, &mut |_| true).map(|(truth, _)| truth)
}

/// What the formula means in the initial states.
fn expected(kripke: &Kripke, store: &Formulas, formula: FormulaId) -> Vec<bool> {
    let truth = oracle::holds(kripke, store, formula, true);
    kripke.initial.iter().map(|&state| truth[state]).collect()
}

#[test]
fn proofs_say_what_formulas_mean() {
    let (mut parts, mut dead, mut ways, mut cores, mut forbidden) = (0, 0, 0, 0, 0);
    for seed in 1..=cases(400) {
        let mut random = Random::new(seed);
        let kripke = Kripke::random(&mut random);
        let mut store = store();
        let id = formula(&mut random, &mut store);
        let text = print(&store, id, Spelling::Nusmv);
        let (labels, _) = label(&kripke, &store, id);
        let expected = expected(&kripke, &store, id);
        assert_eq!(at_start(&labels), expected, "seed {seed}: {text}");
        let formula = Formula::new(store, id, propositions());
        let graph = graph(&kripke);
        let proofs = proofs(&graph, &formula);
        let truth = check(&graph, &formula, &proofs);
        assert_eq!(truth, Ok(expected), "seed {seed}: {text}\n{kripke:?}");
        // Inner parts hold in as many states as the engine says.
        let mut proved = Proved::new(&graph, &formula);
        for proof in &proofs {
            proved.learn(proof, &mut |_| true).expect("a proof");
        }
        for (place, part) in proved.parts().iter().enumerate() {
            let found = labels.inner.iter().find(|(f, _)| *f == part.formula);
            if let (false, Some((_, set))) = (part.is_outermost, found) {
                let states = proved.states(place).expect("known");
                let count = states.iter().filter(|holds| **holds).count();
                assert_eq!(count, set.iter().count(), "seed {seed}: {text}");
                parts += 1;
            }
        }
        for proof in &proofs {
            for claim in &proof.nodes {
                match claim {
                    NodeClaim::Dead(_) => dead += 1,
                    NodeClaim::Way(_) => ways += 1,
                    NodeClaim::Core { .. } => cores += 1,
                }
            }
            forbidden += proof.cores.iter().filter(|pairs| !pairs.is_empty()).count();
        }
    }
    println!("{parts} inner parts; {dead} dead, {ways} on the way, {cores} in cores");
    assert!(parts > 50 && dead > 500 && ways > 100 && cores > 500);
    assert!(forbidden > 10, "{forbidden}");
}

/// Changes a proof in some way.
fn damage(random: &mut Random, proofs: &mut Vec<Existence>) {
    let place = random.below(proofs.len());
    if random.percent(3) {
        proofs.remove(place);
        return;
    }
    let proof = &mut proofs[place];
    if proof.nodes.is_empty() {
        proof.cores.push(Vec::new());
        return;
    }
    let node = random.below(proof.nodes.len());
    let small = |random: &mut Random| random.below(3) as u32;
    match random.below(8) {
        0 => {
            proof.nodes.truncate(node);
        }
        1 => proof.nodes[node] = NodeClaim::Way(small(random)),
        2 => {
            let cell = CellId::new(random.below(proof.cells.len() + 1) as u32);
            proof.nodes[node] = NodeClaim::Dead(cell.expect("small"));
        }
        3 => {
            proof.nodes[node] = NodeClaim::Core {
                core: random.below(proof.cores.len() + 1) as u32,
                from_root: small(random),
                to_root: small(random),
            };
        }
        4 => {
            let other = random.below(proof.nodes.len());
            proof.nodes.swap(node, other);
        }
        5 => match random.below(2) {
            0 => proof.cores.iter_mut().for_each(Vec::clear),
            _ => proof.cores.iter_mut().for_each(|pairs| pairs.push(0)),
        },
        6 => {
            // All that are alive are said to be dead.
            let cell = CellId::new(0).expect("small");
            for claim in &mut proof.nodes {
                if !matches!(claim, NodeClaim::Dead(_)) {
                    *claim = NodeClaim::Dead(cell);
                }
            }
        }
        _ => {
            // All are in one core.
            proof.cores.push(Vec::new());
            let core = proof.cores.len() as u32 - 1;
            for (number, claim) in proof.nodes.iter_mut().enumerate() {
                let far = u32::from(number > 0);
                *claim = NodeClaim::Core {
                    core,
                    from_root: far,
                    to_root: far,
                };
            }
        }
    }
}

#[test]
fn damaged_proofs_prove_nothing_wrong() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 1..=cases(1500) {
        let mut random = Random::new(seed + 30_000);
        let kripke = Kripke::random(&mut random);
        let mut store = store();
        let id = formula(&mut random, &mut store);
        let expected = expected(&kripke, &store, id);
        let text = print(&store, id, Spelling::Nusmv);
        let formula = Formula::new(store, id, propositions());
        let graph = graph(&kripke);
        let sound = proofs(&graph, &formula);
        let mut proofs = sound.clone();
        let is_same = |proofs: &[Existence]| {
            let both = proofs.iter().zip(&sound);
            let mut equal = both.map(|(a, b)| a.nodes == b.nodes && a.cores == b.cores);
            proofs.len() == sound.len() && equal.all(|equal| equal)
        };
        for _ in 0..20 {
            damage(&mut random, &mut proofs);
            if !is_same(&proofs) {
                break;
            }
        }
        match check(&graph, &formula, &proofs) {
            Ok(truth) => {
                accepted += 1;
                assert_eq!(
                    truth, expected,
                    "seed {seed}: {text}\n{kripke:?}\n{proofs:?}"
                );
            }
            Err(Failure::Flawed(_)) => rejected += 1,
            Err(Failure::Stopped(why)) => panic!("seed {seed}: {text}: {why}"),
        }
    }
    println!("{rejected} rejected, {accepted} harmless");
    assert!(rejected > 700 && accepted > 20, "{rejected} {accepted}");
}

/// The proof for one formula is none for another system, unless it is.
#[test]
fn proofs_for_other_systems_prove_nothing_wrong() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 1..=cases(1000) {
        let mut random = Random::new(seed + 60_000);
        let mut kripke = Kripke::random(&mut random);
        let mut store = store();
        let id = formula(&mut random, &mut store);
        let formula = Formula::new(store.clone(), id, propositions());
        let proofs = proofs(&graph(&kripke), &formula);
        let state = random.below(kripke.len());
        match random.below(3) {
            0 => kripke.edges[state].push(random.below(kripke.sets[0].len())),
            1 => {
                kripke.edges[state].pop();
            }
            _ => {
                let set = random.below(kripke.sets.len());
                kripke.sets[set][state] ^= true;
            }
        }
        let truth = check(&graph(&kripke), &formula, &proofs);
        match truth {
            Ok(truth) => {
                accepted += 1;
                assert_eq!(truth, expected(&kripke, &store, id), "seed {seed}");
            }
            Err(_) => rejected += 1,
        }
    }
    println!("{rejected} rejected, {accepted} accepted");
    assert!(rejected > 100 && accepted > 100, "{rejected} {accepted}");
}

/// A run that stays at the end, states that are the same, formulas that cannot be proved.
#[test]
fn ends_classes_and_limits() {
    // 0 leads to 1, which is the end; 2 is like 0, and initial as well.
    let kripke = Kripke {
        edges: vec![vec![1], vec![], vec![2]],
        initial: vec![0, 2],
        sets: vec![vec![false, true, false], vec![true, false, false]],
        justice: Vec::new(),
        compassion: Vec::new(),
    };
    let system = kripke.clone().system();
    let (fairness, propositions) = (kripke.fairness(), propositions());
    let like = |state: &[u8]| vec![state[0] % 2];
    let truth = |text: &str, finished: FinishedRuns, merge: bool| {
        let expansion = Expansion {
            system: &system,
            fairness: &fairness,
            chosen: None,
            finished,
            propositions: &propositions,
            key: merge.then_some(&like),
        };
        let graph = StateGraph::explore(&expansion, States::new(), &mut |_| true)?;
        let mut store = store();
        let id = parse(&mut store, text, Spelling::Any).expect(text);
        let formula = Formula::new(store, id, propositions.clone());
        let proofs = proofs(&graph, &formula);
        check(&graph, &formula, &proofs)
    };
    use FinishedRuns::{Ignore, Maximal, Stutter};
    assert_eq!(truth("E F G p0", Stutter, false), Ok(vec![true, false]));
    assert_eq!(truth("E F G p0", Ignore, false), Ok(vec![false, false]));
    assert_eq!(truth("A F p0", Stutter, false), Ok(vec![true, false]));
    assert_eq!(truth("E F G p0", Stutter, true), Ok(vec![true, true]));
    assert_eq!(truth("A F p0", Stutter, true), Ok(vec![false, false]));
    assert_eq!(
        truth("A F p0", Maximal, true),
        Err(Failure::Stopped(Refusal::FiniteRuns))
    );
}

#[test]
fn whoever_watches_can_end_it() {
    let count = 3000;
    let kripke = Kripke {
        edges: (0..count).map(|n| vec![(n + 1) % count]).collect(),
        initial: vec![0],
        sets: vec![vec![true; count], vec![false; count]],
        justice: Vec::new(),
        compassion: Vec::new(),
    };
    // States are bytes: the circle has 256 of them. No state is ever in the second set, and nodes that expect it
    // are wrong for ever: eight for each state.
    let graph = graph(&kripke);
    assert_eq!(graph.len(), 256);
    let mut store = store();
    let text = "E (F G p1 <-> (F G (p1 & p0) <-> F G (p1 & X p0)))";
    let id = parse(&mut store, text, Spelling::Any).expect("a formula");
    let formula = Formula::new(store, id, propositions());
    let proofs = proofs(&graph, &formula);
    assert_eq!(check(&graph, &formula, &proofs), Ok(vec![false]));
    // The search as well.
    let mut observer = |_: &_| false;
    let mut watch = Watch::new(&mut observer, None, None);
    let unproved = prove(&graph, &formula, &mut watch).err();
    assert_eq!(unproved, Some(Unproved::Stop(Stop::Interrupted)));
    let mut seen = Vec::new();
    let mut stop = |checked: &Checked| {
        seen.push(checked.nodes);
        false
    };
    let ended = check_branching(&graph, &formula, &proofs, &mut stop);
    assert_eq!(ended.err(), Some(Failure::Stopped(Refusal::Interrupted)));
    assert_eq!(seen, [1024]);
}
