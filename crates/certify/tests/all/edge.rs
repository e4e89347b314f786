//! Single edges.

use evenhand_certify::{CellId, Cells, Condition, EdgeFlaw, Flaw, Pair, Reason, Rules};

const BUCHI: usize = 0;
const REQUEST: usize = 1;
const GRANT: usize = 2;

fn condition() -> Condition {
    let pair = Pair {
        request: REQUEST,
        grant: GRANT,
    };
    Condition {
        buchi: vec![BUCHI],
        pairs: vec![pair],
    }
}

const MISSING: Reason = Reason::Missing { mark: 0 };
const PAIR: Reason = Reason::NotGranted { pair: 0 };

/// Cells from the place of the one around, number and reason.
fn cells(list: &[(Option<u32>, u32, Reason)]) -> Cells {
    let mut cells = Cells::new();
    for &(parent, number, reason) in list {
        let parent = parent.and_then(CellId::new);
        cells.add(parent, number, reason).expect("there is room");
    }
    cells
}

#[track_caller]
fn expect(cells: &Cells, ends: (u32, u32), marks: &[usize], expected: Result<(), EdgeFlaw>) {
    let condition = condition();
    let rules = Rules::new(cells, &condition).expect("reasons of the condition");
    let cell = |number| CellId::new(number).expect("a cell");
    let found = rules.edge(cell(ends.0), cell(ends.1), |mark| marks.contains(&mark));
    assert_eq!(found, expected);
}

#[test]
fn numbers_do_not_rise() {
    let cells = cells(&[(None, 1, MISSING), (None, 0, MISSING), (None, 1, MISSING)]);
    expect(&cells, (0, 1), &[BUCHI, GRANT], Ok(()));
    expect(&cells, (1, 0), &[], Err(EdgeFlaw::Rises));
    // Another cell with the same number could have another reason.
    expect(&cells, (0, 2), &[], Err(EdgeFlaw::Rises));
}

#[test]
fn reasons_are_true_of_the_edges_inside() {
    let cells = cells(&[(None, 0, MISSING), (None, 0, Reason::NoEdge)]);
    expect(&cells, (0, 0), &[REQUEST, GRANT], Ok(()));
    let mark = BUCHI;
    expect(&cells, (0, 0), &[BUCHI], Err(EdgeFlaw::Marked { mark }));
    expect(&cells, (1, 1), &[], Err(EdgeFlaw::Inside));
}

#[test]
fn pairs_decide_or_go_on() {
    let cells = cells(&[
        (None, 0, PAIR),
        (Some(0), 1, MISSING),
        (Some(0), 0, Reason::NoEdge),
    ]);
    let granted = Err(EdgeFlaw::Granted { pair: 0 });
    // One that grants is wrong, whatever the numbers of the next level say and even if it requests.
    expect(&cells, (1, 2), &[GRANT], granted);
    expect(&cells, (1, 2), &[REQUEST, GRANT], granted);
    // One that requests is decided.
    expect(&cells, (2, 1), &[REQUEST], Ok(()));
    expect(&cells, (2, 2), &[REQUEST, BUCHI], Ok(()));
    // Others are ranked at the next level.
    expect(&cells, (1, 2), &[BUCHI], Ok(()));
    expect(&cells, (2, 1), &[], Err(EdgeFlaw::Rises));
    expect(&cells, (1, 1), &[], Ok(()));
    expect(
        &cells,
        (1, 1),
        &[BUCHI],
        Err(EdgeFlaw::Marked { mark: BUCHI }),
    );
    expect(&cells, (2, 2), &[], Err(EdgeFlaw::Inside));
}

#[test]
fn a_level_that_is_not_there_decides_nothing() {
    let cells = cells(&[(None, 0, PAIR), (Some(0), 0, MISSING)]);
    expect(&cells, (0, 0), &[], Err(EdgeFlaw::Undecided));
    expect(&cells, (1, 0), &[], Err(EdgeFlaw::Undecided));
    expect(&cells, (0, 1), &[], Err(EdgeFlaw::Undecided));
    expect(&cells, (0, 1), &[REQUEST], Ok(()));
}

#[test]
fn reasons_are_about_the_condition() {
    let condition = condition();
    for reason in [
        Reason::Missing { mark: 1 }, // a request: a cycle without it may well be accepting
        Reason::Missing { mark: 9 },
        Reason::NotGranted { pair: 1 },
    ] {
        let cells = cells(&[(None, 0, MISSING), (None, 0, reason)]);
        assert_eq!(
            Rules::new(&cells, &condition).err(),
            Some(Flaw::Reason(reason))
        );
    }
}

#[test]
fn there_are_no_more_levels_than_pairs_make() {
    let condition = condition();
    let deep = cells(&[(None, 0, PAIR), (Some(0), 0, PAIR), (Some(1), 0, MISSING)]);
    assert_eq!(Rules::new(&deep, &condition).err(), Some(Flaw::Levels));
}

/// A reason that decides does so for all that is in the cell.
#[test]
fn levels_below_a_decision_do_not_matter() {
    let cells = cells(&[(None, 0, MISSING), (Some(0), 7, MISSING)]);
    expect(&cells, (1, 0), &[], Ok(()));
    expect(&cells, (0, 1), &[REQUEST], Ok(()));
    expect(
        &cells,
        (1, 1),
        &[BUCHI],
        Err(EdgeFlaw::Marked { mark: BUCHI }),
    );
}

#[test]
fn cells_are_behind_those_around_them() {
    let mut cells = Cells::new();
    assert_eq!(cells.add(CellId::new(0), 0, MISSING), Err(Flaw::NoCell));
    let first = cells.add(None, 0, MISSING).expect("room");
    assert_eq!(cells.add(CellId::new(5), 0, MISSING), Err(Flaw::NoCell));
    let second = cells.add(Some(first), 3, PAIR).expect("room");
    assert_eq!(cells.up_to(second, 0), Some(first));
    assert_eq!(cells.up_to(second, 1), Some(second));
    assert_eq!(cells.up_to(second, 2), None);
}
