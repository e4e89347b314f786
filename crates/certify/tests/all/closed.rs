//! Sets of states that no step leaves.

use evenhand_certify::{Checked, Claim, Failure, Flaw, Refusal, States};
use evenhand_certify::{check_closed, check_reachable};
use evenhand_logic::{FormulaId, Formulas};
use evenhand_system::{FaultKind, Formula, PropositionId};

use super::table::Table;

fn on_disk() -> States {
    States::on_disk(&std::env::temp_dir()).expect("a file")
}

fn filled(mut states: States, list: &[u8]) -> States {
    for &state in list {
        states.add(&[state]).expect("a new state");
    }
    states
}

fn check(table: &Table, set: &[u8], claims: &[Claim<'_>]) -> Result<Checked, Failure<Refusal>> {
    let mut in_memory = filled(States::new(), set);
    let checked = check_closed(table, &mut in_memory, claims, &mut |_| true);
    let mut in_file = filled(on_disk(), set);
    let again = check_closed(table, &mut in_file, claims, &mut |_| true);
    assert_eq!(checked, again);
    checked
}

fn broken(claim: usize, state: usize) -> Result<Checked, Failure<Refusal>> {
    let state = Some(state);
    Err(Failure::Flawed(Flaw::Claim { claim, state }))
}

/// A formula over two propositions.
fn formula(
    numbers: [u32; 2],
    build: impl FnOnce(&mut Formulas, FormulaId, FormulaId) -> FormulaId,
) -> Formula {
    let mut store = Formulas::new();
    let (p, q) = (store.atom("p"), store.atom("q"));
    let id = build(&mut store, p, q);
    Formula::new(store, id, numbers.map(PropositionId).to_vec())
}

#[test]
fn the_set_is_closed() {
    let table = Table::new(&[&[1, 2], &[0], &[2]]);
    let checked = check(&table, &[0, 1, 2], &[]).expect("closed");
    assert_eq!((checked.states, checked.edges), (3, 4));
    // More states than can be reached do no harm.
    let apart = Table::new(&[&[0], &[1]]);
    assert!(check(&apart, &[1, 0], &[]).is_ok());
    let leaves = |state| Err(Failure::Flawed(Flaw::Leaves { state }));
    assert_eq!(check(&table, &[0, 1], &[]), leaves(0));
    assert_eq!(check(&table, &[2, 0], &[]), leaves(1));
    let initial = Err(Failure::Flawed(Flaw::InitialState));
    assert_eq!(check(&table, &[1, 2], &[]), initial);
    assert_eq!(check(&table, &[], &[]), initial);
}

#[test]
fn errors_are_seen() {
    let table = Table::new(&[&[1], &[1]]).fails(1, FaultKind::Assertion);
    let errors = [Claim::Total, Claim::NoErrors];
    assert_eq!(check(&table, &[0, 1], &errors), broken(1, 1));
    // Without the claim they are counted.
    let checked = check(&table, &[0, 1], &[Claim::NoTraceErrors]).expect("closed");
    assert_eq!(checked.faults, 1);
    let trace = FaultKind::Trace { complete: false };
    let table = Table::new(&[&[1], &[1]]).fails(1, trace);
    assert!(check(&table, &[0, 1], &[Claim::NoErrors]).is_ok());
    assert_eq!(
        check(&table, &[0, 1], &[Claim::NoTraceErrors]),
        broken(0, 1)
    );
    let limit = Table::new(&[&[0]]).fails(0, FaultKind::LongAtomic);
    let refused = Err(Failure::Stopped(Refusal::Limit(FaultKind::LongAtomic)));
    assert_eq!(check(&limit, &[0], &[]), refused);
}

#[test]
fn ends_are_proper_or_not_there() {
    let mut table = Table::new(&[&[1], &[]]);
    assert_eq!(check(&table, &[0, 1], &[Claim::ProperEnds]), broken(0, 1));
    assert_eq!(check(&table, &[0, 1], &[Claim::Total]), broken(0, 1));
    table.ends.push(1);
    assert!(check(&table, &[0, 1], &[Claim::ProperEnds]).is_ok());
    assert_eq!(check(&table, &[0, 1], &[Claim::Total]), broken(0, 1));
    // Cut by an error: no end.
    let cut = Table::new(&[&[1], &[]]).fails(1, FaultKind::NoChannel);
    assert!(check(&cut, &[0, 1], &[Claim::ProperEnds, Claim::Total]).is_ok());
}

#[test]
fn conditions_hold_in_all_states_and_on_all_steps() {
    let table = Table::new(&[&[1], &[0]]);
    let either = formula([0, 1], |s, p, q| s.or([p, q]));
    assert!(check(&table, &[0, 1], &[Claim::Invariant(&either)]).is_ok());
    let both = formula([0, 1], |s, p, q| s.and([p, q]));
    assert_eq!(
        check(&table, &[0, 1], &[Claim::Invariant(&both)]),
        broken(0, 0)
    );
    let turns = formula([0, 1], |s, p, q| {
        let next = s.next(q);
        s.iff(p, next)
    });
    assert!(check(&table, &[0, 1], &[Claim::Step(&turns)]).is_ok());
    let stays = Table::new(&[&[0, 1], &[0]]);
    assert_eq!(check(&stays, &[0, 1], &[Claim::Step(&turns)]), broken(0, 0));
    let refused = Err(Failure::Stopped(Refusal::Formula));
    assert_eq!(check(&table, &[0, 1], &[Claim::Invariant(&turns)]), refused);
    // Proposition 100 has no value in state 1: it matters unless the rest decides.
    let decided = formula([100, 1], |s, p, q| {
        let not = s.not(p);
        s.or([not, q])
    });
    assert!(check(&table, &[0, 1], &[Claim::Invariant(&decided)]).is_ok());
    let kind = FaultKind::DivisionByZero;
    let refused = Err(Failure::Stopped(Refusal::NoValue(PropositionId(100), kind)));
    let not = formula([100, 1], |s, p, _| s.not(p));
    assert_eq!(check(&table, &[0, 1], &[Claim::Invariant(&not)]), refused);
    let on_steps = formula([200, 1], |s, p, q| s.and([p, q]));
    let refused = Err(Failure::Stopped(Refusal::OnSteps(PropositionId(200))));
    assert_eq!(
        check(&table, &[0, 1], &[Claim::Invariant(&on_steps)]),
        refused
    );
}

#[test]
fn what_can_be_reached_needs_no_set() {
    let table = Table::new(&[&[1, 2], &[0], &[2], &[0]]);
    for claims in [&[][..], &[Claim::Total, Claim::NoErrors]] {
        let closed = check(&table, &[0, 1, 2], claims);
        for states in [States::new(), on_disk()] {
            let reached = check_reachable(&table, states, claims, &mut |_| true);
            assert_eq!(reached, closed);
            assert_eq!(reached.expect("true").states, 3);
        }
    }
    let ends = Table::new(&[&[1], &[2], &[]]);
    let reached = check_reachable(&ends, on_disk(), &[Claim::Total], &mut |_| true);
    assert_eq!(reached, broken(0, 2));
    let begun = filled(States::new(), &[0]);
    let reached = check_reachable(&ends, begun, &[], &mut |_| true);
    assert_eq!(reached, Err(Failure::Flawed(Flaw::Order)));
}
