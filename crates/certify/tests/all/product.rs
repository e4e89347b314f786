//! Products of tables with small automata.

use evenhand_automata::{Acceptance, Automaton, Builder, Condition, Cube, Literal, Mark};
use evenhand_automata::{MarkSet, Prop, State};
use evenhand_certify::{
    CellId, Cells, Checked, EdgeFlaw, Failure, Flaw, ProductClaim, RankSource, Reason, Refusal,
    States, check_product, check_product_with,
};
use evenhand_system::{
    Assumption, AssumptionKind, Fairness, FaultKind, FinishedRuns, ItemSpec, PropositionId,
};

use super::table::Table;

/// Runs in which proposition 0 of the automaton never holds: one state, every edge accepting.
fn never() -> Automaton {
    let mut builder = Builder::new(vec!["p".into()], Acceptance::generalized_buchi(1));
    let state = builder.add_state();
    builder.add_initial(state);
    let not = Literal {
        prop: Prop(0),
        positive: false,
    };
    let mark: MarkSet = [Mark(0)].into_iter().collect();
    builder.add_edge(state, &Cube::literal(not), &mark, state);
    builder.build()
}

/// Ranks by state; each state of the table has one node at most.
struct Listed(Vec<Option<u32>>);

impl RankSource for Listed {
    fn ranks(&mut self, state: &[u8], ranks: &mut Vec<(State, CellId)>) -> Result<(), Flaw> {
        ranks.clear();
        let cell = self.0.get(usize::from(state[0])).copied().flatten();
        ranks.extend(cell.and_then(CellId::new).map(|cell| (State(0), cell)));
        Ok(())
    }
}

struct Case {
    table: Table,
    fairness: Fairness,
    finished: FinishedRuns,
    /// What proposition 0 of the automaton is.
    proposition: u32,
    cells: Cells,
    ranks: Vec<Option<u32>>,
}

impl Case {
    /// Every state has the rank of its place: the last is the highest.
    fn falling(table: Table, proposition: u32) -> Case {
        let mut cells = Cells::new();
        let count = table.rows.len() as u32;
        for number in 0..count {
            let added = cells.add(None, count - number, Reason::NoEdge);
            added.expect("there is room");
        }
        Case {
            table,
            fairness: Fairness::default(),
            finished: FinishedRuns::Stutter,
            proposition,
            cells,
            ranks: (0..count).map(Some).collect(),
        }
    }

    /// All states have the same rank.
    fn level(table: Table, proposition: u32, reasons: &[Reason]) -> Case {
        let mut case = Case::falling(table, proposition);
        case.cells = Cells::new();
        let mut parent = None;
        for &reason in reasons {
            parent = case.cells.add(parent, 0, reason).ok();
        }
        let innermost = parent.map(CellId::number);
        case.ranks = vec![innermost; case.table.rows.len()];
        case
    }

    fn assume(mut self, kind: AssumptionKind) -> Case {
        self.fairness.items = vec![ItemSpec::Own(0)];
        self.fairness.assumptions.push(Assumption {
            text: String::new(),
            source: String::new(),
            kind,
        });
        self
    }

    fn finished(mut self, finished: FinishedRuns) -> Case {
        self.finished = finished;
        self
    }

    fn check(&self) -> Result<Checked, Failure<Refusal>> {
        self.check_with(&never(), None)
    }

    fn check_with(
        &self,
        automaton: &Automaton,
        chosen: Option<&[bool]>,
    ) -> Result<Checked, Failure<Refusal>> {
        let claim = ProductClaim {
            system: &self.table,
            fairness: &self.fairness,
            chosen,
            automaton,
            propositions: &[PropositionId(self.proposition)],
            finished: self.finished,
        };
        let mut source = Listed(self.ranks.clone());
        let checked = check_product(&claim, &self.cells, &mut source, &mut |_| true);
        let states = States::on_disk(&std::env::temp_dir()).expect("a file");
        let mut source = Listed(self.ranks.clone());
        let go_on = &mut |_: &_| true;
        let again = check_product_with(&claim, &self.cells, &mut source, states, go_on);
        assert_eq!(checked, again);
        checked
    }
}

fn step(state: usize, flaw: EdgeFlaw) -> Result<Checked, Failure<Refusal>> {
    Err(Failure::Flawed(Flaw::Step { state, flaw }))
}

#[test]
fn a_run_that_comes_to_a_place_is_proved_to() {
    // 0 → 1 → 2, and 2 for ever; the automaton wants that 2 is never met.
    let mut case = Case::falling(Table::new(&[&[1], &[2], &[2]]), 2);
    let checked = case.check().expect("a proof");
    assert_eq!((checked.states, checked.nodes, checked.edges), (3, 3, 2));
    // The automaton has come to an end there: what follows needs no rank, the place itself does.
    case.ranks[2] = None;
    let leaves = Failure::Flawed(Flaw::Leaves { state: 1 });
    assert_eq!(case.check(), Err(leaves));
    case.ranks = vec![None, Some(1), Some(2)];
    assert_eq!(case.check(), Err(Failure::Flawed(Flaw::InitialState)));
    case.ranks = vec![Some(0), Some(2), Some(1)];
    assert_eq!(case.check(), step(1, EdgeFlaw::Rises));
    case.ranks = vec![Some(0), Some(1), Some(9)];
    assert_eq!(case.check(), Err(Failure::Flawed(Flaw::NoCell)));
}

#[test]
fn ends_are_decided_here() {
    // 0 → 1, and nothing behind it; the automaton wants that 2 is never met.
    let case = |finished| Case::falling(Table::new(&[&[1], &[]]), 2).finished(finished);
    assert!(case(FinishedRuns::Ignore).check().is_ok());
    let inside = EdgeFlaw::Inside;
    assert_eq!(case(FinishedRuns::Stutter).check(), step(1, inside));
    assert_eq!(case(FinishedRuns::Everywhere).check(), step(0, inside));
    let refused = case(FinishedRuns::Maximal).check();
    assert_eq!(refused, Err(Failure::Stopped(Refusal::FiniteRuns)));
    // A run that is cut by an error has no end.
    let table = Table::new(&[&[1], &[]]).fails(1, FaultKind::DivisionByZero);
    let checked = Case::falling(table, 2).check().expect("a proof");
    assert_eq!(checked.faults, 1);
}

const LAST: Reason = Reason::Missing { mark: 0 };
const PAIR: Reason = Reason::NotGranted { pair: 0 };

#[test]
fn weak_fairness_is_disabled_or_taken() {
    let weak = AssumptionKind::Weak(0);
    let everywhere = || Table::new(&[&[1], &[0]]).enables(0, 0).enables(1, 0);
    // Enabled for ever and never taken: no fair run.
    let case = |table| Case::level(table, 2, &[LAST]).assume(weak);
    assert!(case(everywhere()).check().is_ok());
    let marked = EdgeFlaw::Marked { mark: 0 };
    assert_eq!(case(everywhere().takes(1, 0, 0)).check(), step(1, marked));
    let once = Table::new(&[&[1], &[0]]).enables(1, 0);
    assert_eq!(case(once).check(), step(0, marked));
    // The mark of the automaton comes behind it, and is on every edge.
    let case = Case::level(everywhere(), 2, &[Reason::Missing { mark: 1 }]).assume(weak);
    assert_eq!(case.check(), step(0, EdgeFlaw::Marked { mark: 1 }));
    // An assumption that was not chosen does not count.
    let case = Case::level(everywhere(), 2, &[LAST]).assume(weak);
    let unknown = Err(Failure::Flawed(Flaw::Reason(LAST)));
    assert_eq!(case.check_with(&never(), Some(&[false])), unknown);
    assert!(case.check_with(&never(), Some(&[true])).is_ok());
}

#[test]
fn strong_fairness_is_enabled_and_taken() {
    let strong = AssumptionKind::Strong(0);
    // Enabled now and then, never taken: the step out of 0 requests, the other goes down.
    let mut case = Case::level(Table::new(&[&[1], &[0]]).enables(0, 0), 2, &[PAIR]);
    case = case.assume(strong);
    let around = CellId::new(0);
    case.cells.add(around, 0, Reason::NoEdge).expect("room");
    case.cells.add(around, 1, Reason::NoEdge).expect("room");
    case.ranks = vec![Some(1), Some(2)];
    assert!(case.check().is_ok());
    case.ranks = vec![Some(2), Some(1)];
    assert_eq!(case.check(), step(1, EdgeFlaw::Rises));
    case.ranks = vec![Some(1), Some(2)];
    case.table = Table::new(&[&[1], &[0]]).enables(0, 0).takes(0, 0, 0);
    assert_eq!(case.check(), step(0, EdgeFlaw::Granted { pair: 0 }));
    // Staying takes nothing.
    let mut case = Case::level(Table::new(&[&[]]).enables(0, 0), 2, &[PAIR]);
    case = case.assume(strong);
    assert!(case.check().is_ok());
}

#[test]
fn conditions_are_those_in_front_of_the_step() {
    let justice = |number| AssumptionKind::Justice(PropositionId(number));
    let ring = || Table::new(&[&[1], &[0]]);
    assert!(
        Case::level(ring(), 9, &[LAST])
            .assume(justice(5))
            .check()
            .is_ok()
    );
    let marked = EdgeFlaw::Marked { mark: 0 };
    let case = Case::level(ring(), 9, &[LAST]).assume(justice(1));
    assert_eq!(case.check(), step(1, marked));
    let pair = |when, then| AssumptionKind::Compassion {
        when: PropositionId(when),
        then: PropositionId(then),
    };
    let granted = EdgeFlaw::Granted { pair: 0 };
    let case = Case::level(ring(), 9, &[PAIR]).assume(pair(0, 1));
    assert_eq!(case.check(), step(1, granted));
    let loops = Table::new(&[&[0]]);
    assert!(
        Case::level(loops, 9, &[PAIR])
            .assume(pair(0, 1))
            .check()
            .is_ok()
    );
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let refusal = |case: Case| match case.check() {
        Err(Failure::Stopped(refusal)) => refusal,
        other => panic!("{other:?}"),
    };
    let ring = || Table::new(&[&[1], &[0]]);
    for kind in [
        FaultKind::LongAtomic,
        FaultKind::TooManySuccessors,
        FaultKind::TooManyShapes,
    ] {
        let case = Case::falling(Table::new(&[&[1], &[]]).fails(1, kind), 1);
        assert_eq!(refusal(case), Refusal::Limit(kind));
    }
    let no_value = Refusal::NoValue(PropositionId(100), FaultKind::DivisionByZero);
    assert_eq!(refusal(Case::falling(ring(), 100)), no_value);
    let on_steps = Refusal::OnSteps(PropositionId(200));
    assert_eq!(refusal(Case::falling(ring(), 200)), on_steps);
    let mut case = Case::falling(Table::new(&[&[1], &[2], &[2]]), 2);
    case.fairness.pid_bound = Some(2);
    assert_eq!(refusal(case), Refusal::Processes);
    let other = never().with_acceptance(Acceptance::from_condition(Condition::Fin(Mark(0))));
    let case = Case::falling(Table::new(&[&[1], &[1]]), 1);
    let refused = Err(Failure::Stopped(Refusal::Acceptance));
    assert_eq!(case.check_with(&other, None), refused);
}

/// Proposition 0 never holds; then whatever the second is, the automaton ends where the first holds.
#[test]
fn only_what_is_asked_for_needs_a_value() {
    let mut builder = Builder::new(vec!["p".into(), "q".into()], Acceptance::all());
    let state = builder.add_state();
    builder.add_initial(state);
    let neither: Cube =
        Cube::new(Default::default(), [0, 1].into_iter().collect()).expect("a cube");
    builder.add_edge(state, &neither, &MarkSet::EMPTY, state);
    let automaton = builder.build();
    // 0 → 1 → 1; proposition 100 has no value in state 1.
    let case = Case::falling(Table::new(&[&[1], &[1]]), 1);
    let claim = |propositions: &'static [PropositionId]| ProductClaim {
        system: &case.table,
        fairness: &case.fairness,
        chosen: None,
        automaton: &automaton,
        propositions,
        finished: FinishedRuns::Ignore,
    };
    let check = |claim: ProductClaim<'_>| {
        let mut source = Listed(case.ranks.clone());
        check_product(&claim, &case.cells, &mut source, &mut |_| true)
    };
    // In state 1 the first holds: the edge cannot be taken, whatever the second is.
    assert!(check(claim(&[PropositionId(1), PropositionId(100)])).is_ok());
    let refused = check(claim(&[PropositionId(5), PropositionId(100)]));
    let no_value = Refusal::NoValue(PropositionId(100), FaultKind::DivisionByZero);
    assert_eq!(refused, Err(Failure::Stopped(no_value)));
}

#[test]
fn ranks_in_disorder_are_no_ranks() {
    struct Disorder;
    impl RankSource for Disorder {
        fn ranks(&mut self, _: &[u8], ranks: &mut Vec<(State, CellId)>) -> Result<(), Flaw> {
            let cell = CellId::new(0).expect("a number");
            *ranks = vec![(State(0), cell), (State(0), cell)];
            Ok(())
        }
    }
    let case = Case::falling(Table::new(&[&[]]), 0);
    let claim = ProductClaim {
        system: &case.table,
        fairness: &case.fairness,
        chosen: None,
        automaton: &never(),
        propositions: &[PropositionId(0)],
        finished: FinishedRuns::Ignore,
    };
    let checked = check_product(&claim, &case.cells, &mut Disorder, &mut |_| true);
    assert_eq!(checked, Err(Failure::Flawed(Flaw::Order)));
}
