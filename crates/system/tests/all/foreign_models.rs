//! Models written in Rust: fairness items, faults, explanations, states of different lengths.

use std::collections::BTreeSet;

use evenhand_system::explicit::Value;
use evenhand_system::model::{ModelAction, ModelError, Steps};
use evenhand_system::{
    ActionId, Conditions, Explicit, FaultKind, Foreign, Groups, ItemSpec, Model, ProcessId,
    PropositionId, Successors,
};

/// A stack that a pusher fills up to three and a popper empties; they also swap the top by a
/// handshake that the pusher begins.
struct Stack;

const PUSH: usize = 0;
const OFFER: usize = 1;
const POP: usize = 2;
const ACCEPT: usize = 3;

impl Model for Stack {
    type State = Vec<u8>;

    fn name(&self) -> String {
        "stack".into()
    }

    fn processes(&self) -> Vec<String> {
        vec!["pusher".into(), "popper".into()]
    }

    fn actions(&self) -> Vec<ModelAction> {
        let names = [(0, "push"), (0, "offer"), (1, "pop"), (1, "accept")];
        names
            .map(|(process, name)| ModelAction::new(process, name))
            .to_vec()
    }

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![]]
    }

    fn steps(&self, state: &Vec<u8>, steps: &mut Steps<Vec<u8>>) {
        if state.len() < 3 {
            steps.step(0, PUSH, [&state[..], &[0]].concat());
        }
        if let Some((top, rest)) = state.split_last() {
            steps.step(1, POP, rest.to_vec());
            let swapped = [rest, &[1 - top]].concat();
            steps.joint(&[(0, OFFER), (1, ACCEPT)], swapped);
        }
    }

    fn describe(&self, state: &Vec<u8>) -> Vec<(String, Value)> {
        let list = state.iter().map(|&v| Value::Number(v.into())).collect();
        vec![("stack".into(), Value::List(list))]
    }

    fn is_valid_end(&self, state: &Vec<u8>) -> bool {
        state.is_empty()
    }

    fn propositions(&self) -> Vec<String> {
        vec!["full".into()]
    }

    fn holds(&self, _: PropositionId, state: &Vec<u8>) -> bool {
        state.len() == 3
    }

    fn fairness(&self) -> Vec<String> {
        vec!["weak:popper".into()]
    }
}

#[test]
fn items_follow_the_participants() {
    let system = Foreign::new(Stack).expect("a model");
    assert_eq!(system.signature().name, "stack");
    assert_eq!(system.signature().fairness[0].0, "weak:popper");
    let process = |number, as_partner| ItemSpec::Process {
        pid: ProcessId::new(number),
        as_partner,
    };
    let actions = |number, list: &[usize]| ItemSpec::Actions {
        pid: ProcessId::new(number),
        actions: list.iter().map(|&action| ActionId::new(action)).collect(),
    };
    let items = [
        process(0, true),
        process(1, true),
        process(1, false),
        actions(0, &[PUSH]),
        actions(1, &[POP, ACCEPT]),
        actions(1, &[OFFER]),
    ];
    let mut explorer = system.explorer(&items);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut queue = vec![out.state(0).to_vec()];
    let mut seen: BTreeSet<Vec<u8>> = queue.iter().cloned().collect();
    let mut full = 0;
    while let Some(state) = queue.pop() {
        full += usize::from(system.holds(PropositionId(0), &state));
        let explanation = explorer.explain(&state, &mut out);
        let mut enabled = 0;
        for index in 0..out.len() {
            let step = out.step(index);
            let action = step.action.expect("an action").index();
            let (expected, enables) = match action {
                PUSH => (0b001001, 0b001001),
                POP => (0b010110, 0b010110),
                // The popper takes part, but only the pusher could begin.
                OFFER => (0b010111, 0b010011),
                other => panic!("no step begins with action {other}"),
            };
            assert_eq!(out.taken(index), [expected]);
            enabled |= enables;
            let records = explanation.of_successor(&out, index);
            assert_eq!(records.len(), 1);
            assert_eq!(Some(records[0].action), step.action);
            let joint = action == OFFER;
            let accepts = joint.then_some(ActionId::new(ACCEPT));
            assert_eq!(records[0].partner_action, accepts);
            assert_eq!(step.partner, joint.then_some(ProcessId::new(1)));
            if seen.insert(out.state(index).to_vec()) {
                queue.push(out.state(index).to_vec());
            }
        }
        assert_eq!(out.enabled(), [enabled]);
    }
    // Stacks of up to three bits; those of three are full.
    assert_eq!((seen.len(), full), (1 + 2 + 4 + 8, 8));
    assert_eq!(explorer.executed(), [true; 4]);
    assert_eq!(explorer.process_name(&[], ProcessId::new(1)), "popper");
}

/// Misbehaves in every way a model can.
struct Broken(u8);

impl Model for Broken {
    type State = u8;

    fn processes(&self) -> Vec<String> {
        vec!["p".into()]
    }

    fn actions(&self) -> Vec<ModelAction> {
        vec![ModelAction::new(0, "a")]
    }

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn steps(&self, _: &u8, steps: &mut Steps<u8>) {
        match self.0 {
            0 => steps.step(0, 7, 1),
            1 => steps.step(3, 0, 1),
            2 => steps.joint(&[], 1),
            3 => steps.violation(0, 0, 1),
            _ => steps.fault(FaultKind::DivisionByZero),
        }
    }
}

#[test]
fn a_model_that_misbehaves_is_reported() {
    let expected = [
        (FaultKind::UnknownAction(7), 0),
        (FaultKind::NoSuchProcess(3), 0),
        (FaultKind::NoParticipant, 0),
        (FaultKind::Assertion, 1),
        (FaultKind::DivisionByZero, 0),
    ];
    let mut out = Successors::new();
    for (number, (kind, successors)) in expected.into_iter().enumerate() {
        let system = Foreign::new(Broken(number as u8)).expect("a model");
        let mut explorer = system.explorer(&[]);
        explorer.expand(&[0], &mut out);
        assert_eq!(out.faults().len(), 1);
        assert_eq!(out.faults()[0].fault.kind, kind);
        assert_eq!(out.len(), successors);
        if successors == 1 {
            assert_eq!(out.step(0).fault, 1);
        }
        // Bytes that are no state.
        explorer.expand(&[0, 0], &mut out);
        assert_eq!(out.faults()[0].fault.kind, FaultKind::BadState);
        assert!(!explorer.is_valid_end(&[]));
        assert!(explorer.describe(&[]).is_empty());
    }
}

/// Declares so many processes, and one action of the last plus an offset.
struct Many(usize, usize);

impl Model for Many {
    type State = u8;

    fn processes(&self) -> Vec<String> {
        vec![String::new(); self.0]
    }

    fn actions(&self) -> Vec<ModelAction> {
        vec![ModelAction::new(self.1, "a")]
    }

    fn initial(&self) -> Vec<u8> {
        vec![]
    }

    fn steps(&self, _: &u8, _: &mut Steps<u8>) {}
}

#[test]
fn what_cannot_be_numbered_is_refused() {
    assert!(Foreign::new(Many(70_000, 69_999)).is_ok());
    let error = ModelError::TooManyProcesses(usize::MAX).to_string();
    assert!(error.ends_with("processes are more than can be numbered"));
    let error = Foreign::new(Many(2, 2)).err().map(|e| e.to_string());
    let expected = "action `a` belongs to process 2, which was not declared";
    assert_eq!(error.as_deref(), Some(expected));
}

#[test]
fn the_groups_of_processes_are_all_steps() {
    let system = Foreign::new(Stack).expect("a model");
    let item = |number| ItemSpec::Process {
        pid: ProcessId::new(number),
        as_partner: true,
    };
    let items = [item(0), item(1)];
    let (mut explorer, mut grouped) = (system.explorer(&items), system.group_explorer(&items));
    let (mut out, mut part) = (Successors::new(), Successors::new());
    explorer.initial(&mut out);
    let mut queue = vec![out.state(0).to_vec()];
    let mut seen: BTreeSet<Vec<u8>> = queue.iter().cloned().collect();
    while let Some(state) = queue.pop() {
        explorer.expand(&state, &mut out);
        let all = |out: &Successors| -> Vec<(Vec<u8>, Vec<u64>, Option<ProcessId>)> {
            let of = |i| {
                let process = out.step(i).process;
                (out.state(i).to_vec(), out.taken(i).to_vec(), process)
            };
            (0..out.len()).map(of).collect()
        };
        let mut expected = all(&out);
        let mut found = Vec::new();
        for group in grouped.groups(&state) {
            assert_eq!(group.layout, grouped.layout(&state));
            assert_eq!(group.reads.count(), state.len());
            grouped.expand_group(&group, &state, &mut part);
            let own = all(&part);
            assert!(own.iter().all(|(_, _, process)| *process == group.process));
            found.extend(own);
        }
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
        for (next, ..) in found {
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    assert_eq!(seen.len(), 15);
}
