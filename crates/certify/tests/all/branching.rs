//! Is there a fair run from here? Proofs by hand, right ones and wrong ones. That whatever is accepted is true is
//! put to the test on random systems by those who make proofs (`evenhand-explicit`).

use evenhand_certify::branching::{Existence, Expansion, NodeClaim, StateGraph, check_branching};
use evenhand_certify::{Cells, EdgeFlaw, Failure, Flaw, Reason, Refusal, States};
use evenhand_logic::{Formulas, Quantifier, Spelling, parse};
use evenhand_system::{Assumption, AssumptionKind, Fairness, FinishedRuns, Formula, PropositionId};

use super::table::Table;

type Answer = Result<Vec<bool>, Failure<Refusal>>;

fn fairness(kinds: &[AssumptionKind]) -> Fairness {
    let assumption = |&kind: &AssumptionKind| Assumption {
        text: String::new(),
        source: String::new(),
        kind,
    };
    Fairness {
        assumptions: kinds.iter().map(assumption).collect(),
        ..Fairness::default()
    }
}

fn graph(table: &Table, kinds: &[AssumptionKind]) -> Result<StateGraph, Failure<Refusal>> {
    let expansion = Expansion {
        system: table,
        fairness: &fairness(kinds),
        chosen: None,
        finished: FinishedRuns::Ignore,
        propositions: &[PropositionId(1)],
        key: None,
    };
    StateGraph::explore(&expansion, States::new(), &mut |_| true)
}

/// `E true`: the product has a node for each state.
fn some_run() -> Formula {
    let mut store = Formulas::new();
    let all = store.constant(true);
    let id = store.path(Quantifier::Exists, all);
    Formula::new(store, id, Vec::new())
}

const fn core(core: u32, from_root: u32, to_root: u32) -> NodeClaim {
    NodeClaim::Core {
        core,
        from_root,
        to_root,
    }
}

/// 0 leads to the circle of 1 and 2, and to 3, where runs end. 2 may be stayed in.
fn table() -> Table {
    Table::new(&[&[1, 3], &[2], &[1, 2], &[]])
}

/// The nodes in the order in which they are met: 0, 1, 3, 2.
fn claims() -> [NodeClaim; 4] {
    let dead = Cells::new().add(None, 0, Reason::NoEdge).expect("room");
    [
        NodeClaim::Way(1),
        core(0, 0, 0),
        NodeClaim::Dead(dead),
        core(0, 1, 1),
    ]
}

fn check_with(
    kinds: &[AssumptionKind],
    nodes: &[NodeClaim],
    cores: &[&[usize]],
    reasons: &[Reason],
) -> Answer {
    let mut cells = Cells::new();
    for (number, &reason) in reasons.iter().enumerate() {
        cells.add(None, number as u32, reason).expect("room");
    }
    let proof = Existence {
        cells,
        nodes: nodes.to_vec(),
        cores: cores.iter().map(|pairs| pairs.to_vec()).collect(),
    };
    let graph = graph(&table(), kinds)?;
    check_branching(&graph, &some_run(), &[proof], &mut |_| true).map(|(truth, _)| truth)
}

fn check(nodes: &[NodeClaim]) -> Answer {
    check_with(&[], nodes, &[&[]], &[Reason::NoEdge])
}

fn flawed(flaw: Flaw) -> Answer {
    Err(Failure::Flawed(flaw))
}

#[test]
fn a_run_is_shown_by_a_way_and_a_core() {
    assert_eq!(check(&claims()), Ok(vec![true]));
    // More than is met does no harm.
    let mut more = claims().to_vec();
    more.push(NodeClaim::Way(0));
    assert_eq!(check(&more), Ok(vec![true]));
}

#[test]
fn each_step_of_the_way_is_there() {
    for (node, claim, flaw) in [
        (0, NodeClaim::Way(0), Flaw::NoWay { node: 0 }),
        (0, NodeClaim::Way(2), Flaw::NoWay { node: 0 }),
        (0, NodeClaim::Way(u32::MAX), Flaw::NoWay { node: 0 }),
        (2, NodeClaim::Way(1), Flaw::NoWay { node: 2 }),
        (0, core(0, 1, 1), Flaw::Core { node: 0 }),
        (0, core(1, 0, 0), Flaw::NoCore),
        (2, core(0, 1, 1), Flaw::NoWay { node: 2 }),
        (2, core(0, 0, 0), Flaw::Core { node: 0 }),
        (3, core(0, 0, 0), Flaw::Core { node: 0 }),
        (3, core(0, 0, 1), Flaw::Core { node: 3 }),
        (3, core(0, 1, 0), Flaw::Core { node: 3 }),
        (3, core(0, 2, 1), Flaw::Core { node: 3 }),
        (3, core(0, 1, 2), Flaw::NoWay { node: 3 }),
        (1, core(0, 1, 1), Flaw::NoWay { node: 1 }),
    ] {
        let mut nodes = claims();
        nodes[node] = claim;
        assert_eq!(check(&nodes), flawed(flaw), "{node} {claim:?}");
    }
    for count in 0..4 {
        let answer = check(&claims()[..count]);
        assert!(matches!(answer, Err(Failure::Flawed(Flaw::Initial { .. }))));
    }
}

#[test]
fn a_core_has_an_edge() {
    // The end as a core of its own.
    let mut nodes = claims();
    nodes[2] = core(1, 0, 0);
    let answer = check_with(&[], &nodes, &[&[], &[]], &[Reason::NoEdge]);
    assert_eq!(answer, flawed(Flaw::Core { node: 1 }));
    // State 2 may be stayed in.
    let mut nodes = claims();
    nodes[3] = core(1, 0, 0);
    nodes[1] = NodeClaim::Way(1);
    nodes[0] = NodeClaim::Way(2);
    let answer = check_with(&[], &nodes, &[&[], &[]], &[Reason::NoEdge]);
    assert_eq!(answer, Ok(vec![true]));
}

#[test]
fn the_dead_lead_to_the_dead() {
    let dead = claims()[2];
    let mut nodes = claims();
    nodes[0] = dead;
    let answer = flawed(Flaw::Successor { node: 0, target: 1 });
    assert_eq!(check(&nodes), answer);
    // All of them, in one cell: there are edges.
    let flaw = EdgeFlaw::Inside;
    let edge = Flaw::Edge {
        node: 0,
        target: 1,
        flaw,
    };
    assert_eq!(check(&[dead; 4]), flawed(edge));
    assert_eq!(
        check_with(&[], &claims(), &[&[]], &[]),
        flawed(Flaw::NoCell)
    );
}

#[test]
fn runs_in_a_core_are_fair() {
    let just = |n: u32| [AssumptionKind::Justice(PropositionId(n))];
    let no_edge = [Reason::NoEdge];
    // Justice in 2 is kept on the circle, justice in 3 is not.
    let kept = check_with(&just(2), &claims(), &[&[]], &no_edge);
    assert_eq!(kept, Ok(vec![true]));
    let broken = check_with(&just(3), &claims(), &[&[]], &no_edge);
    assert_eq!(broken, flawed(Flaw::Core { node: 0 }));
    // Then there is no fair run: in no cell is the mark of justice missing but where no edge is.
    let missing = [Reason::Missing { mark: 0 }];
    let dead = claims()[2];
    assert_eq!(
        check_with(&just(3), &[dead; 4], &[], &missing),
        Ok(vec![false])
    );
    let edge = check_with(&just(2), &[dead; 4], &[], &missing);
    assert!(matches!(edge, Err(Failure::Flawed(Flaw::Edge { .. }))));
}

#[test]
fn pairs_are_granted_or_not_requested() {
    let pair = |when: u32, then: u32| {
        let (when, then) = (PropositionId(when), PropositionId(then));
        [AssumptionKind::Compassion { when, then }]
    };
    let no_edge = [Reason::NoEdge];
    // Who meets 1 again and again meets 2.
    let kept = check_with(&pair(1, 2), &claims(), &[&[]], &no_edge);
    assert_eq!(kept, Ok(vec![true]));
    // But not 3.
    let broken = check_with(&pair(1, 3), &claims(), &[&[]], &no_edge);
    assert_eq!(broken, flawed(Flaw::Core { node: 0 }));
    // Without the edges that ask, nothing leads from 1 to 2.
    let broken = check_with(&pair(1, 3), &claims(), &[&[0]], &no_edge);
    assert_eq!(broken, flawed(Flaw::Core { node: 3 }));
    // What is left is to stay in 2.
    let nodes = [
        NodeClaim::Way(2),
        NodeClaim::Way(1),
        claims()[2],
        core(0, 0, 0),
    ];
    for forbidden in [&[][..], &[0], &[7]] {
        let stays = check_with(&pair(1, 3), &nodes, &[forbidden], &no_edge);
        assert_eq!(stays, Ok(vec![true]), "{forbidden:?}");
    }
}

#[test]
fn proofs_are_for_all_parts_in_their_order() {
    let graph = graph(&table(), &[]).expect("small");
    let mut store = Formulas::new();
    let id = parse(&mut store, "A G E F p", Spelling::Any).expect("a formula");
    let formula = Formula::new(store, id, vec![PropositionId(1)]);
    let none = check_branching(&graph, &formula, &[], &mut |_| true);
    assert_eq!(none.err(), Some(Failure::Flawed(Flaw::Order)));
    let proof = Existence::default();
    let some = check_branching(&graph, &formula, &[proof], &mut |_| true);
    let first = Some(Failure::Flawed(Flaw::Initial { node: 0 }));
    assert_eq!(some.err(), first);
    let good = Existence {
        cells: {
            let mut cells = Cells::new();
            cells.add(None, 0, Reason::NoEdge).expect("room");
            cells
        },
        nodes: claims().to_vec(),
        cores: vec![Vec::new()],
    };
    let twice = [good.clone(), good];
    let more = check_branching(&graph, &some_run(), &twice, &mut |_| true);
    assert_eq!(more.err(), Some(Failure::Flawed(Flaw::Order)));
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let refused = |formula: &str, atom: u32| {
        let graph = graph(&table(), &[]).expect("small");
        let mut store = Formulas::new();
        let id = parse(&mut store, formula, Spelling::Any).expect("a formula");
        let formula = Formula::new(store, id, vec![PropositionId(atom); 20]);
        let proof = Existence::default();
        match check_branching(&graph, &formula, &[proof], &mut |_| true) {
            Err(Failure::Stopped(why)) => Some(why),
            _ => None,
        }
    };
    assert_eq!(refused("E F p", 1), None);
    assert_eq!(refused("E F p", 2), Some(Refusal::Propositions));
    let many: Vec<String> = (0..20).map(|n| format!("F p{n}")).collect();
    let many = format!("E ({})", many.join(" & "));
    assert_eq!(refused(&many, 1), Some(Refusal::TooLarge));
    let on_steps = [AssumptionKind::Justice(PropositionId(200))];
    let refused = graph(&table(), &on_steps).err();
    let expected = Failure::Stopped(Refusal::OnSteps(PropositionId(200)));
    assert_eq!(refused, Some(expected));
}
