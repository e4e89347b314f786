//! Which fairness items are enabled and taken, construct by construct.
//!
//! Each test explores a small model completely and looks at every state: an item must be enabled
//! and taken exactly where the definition says. The definition: a process is enabled iff the
//! *system* has a step in which it takes part; what happens inside an atomic stretch is seen only
//! at its ends; a process that does not exist is disabled.

use std::collections::{BTreeMap, HashSet};

use evenhand_promela::{Options, load};
use evenhand_source::Files;
use evenhand_system::explicit::{Explorer, Step, Value};
use evenhand_system::{ActionId, Explicit, ItemSpec, ProcessId, Program, Successors};

/// A state with its variables, what is enabled, and its steps.
struct Node {
    values: BTreeMap<String, Value>,
    enabled: Vec<bool>,
    /// For each step: itself, the items taken, and the variables after it.
    steps: Vec<(Step, Vec<bool>, BTreeMap<String, Value>)>,
}

impl Node {
    fn number(&self, name: &str) -> i64 {
        number(&self.values, name)
    }
}

fn number(values: &BTreeMap<String, Value>, name: &str) -> i64 {
    match values.get(name) {
        Some(Value::Number(n)) => *n,
        Some(Value::Truth(b)) => i64::from(*b),
        other => panic!("{name} is {other:?} in {values:?}"),
    }
}

fn program(text: &str) -> Program {
    let mut files = Files::new();
    let main = files.add("test.pml", text);
    match load(files, main, &Options::default()) {
        Ok(model) => model.program,
        Err((_, diagnostics)) => panic!("{diagnostics:#?}"),
    }
}

fn variables(explorer: &mut dyn Explorer, state: &[u8]) -> BTreeMap<String, Value> {
    explorer.describe(state).into_iter().collect()
}

fn bits(set: &[u64], count: usize) -> Vec<bool> {
    (0..count)
        .map(|i| set[i / 64] >> (i % 64) & 1 == 1)
        .collect()
}

/// All reachable states.
fn explore(program: &Program, items: &[ItemSpec]) -> Vec<Node> {
    let mut explorer = program.explorer(items);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut queue = vec![out.state(0).to_vec()];
    seen.insert(queue[0].clone());
    let mut nodes = Vec::new();
    while let Some(state) = queue.pop() {
        explorer.expand(&state, &mut out);
        assert!(out.faults().is_empty(), "{:?}", out.faults());
        let mut steps = Vec::new();
        for index in 0..out.len() {
            let next = out.state(index).to_vec();
            let taken = bits(out.taken(index), items.len());
            steps.push((out.step(index), taken, variables(&mut *explorer, &next)));
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
        let enabled = bits(out.enabled(), items.len());
        for (item, &is) in enabled.iter().enumerate() {
            let begins = |step: &Step| match items[item] {
                ItemSpec::Process {
                    pid,
                    as_partner: false,
                } => step.process == Some(pid),
                _ => true,
            };
            let mut steps = steps.iter();
            let some_taken = steps.any(|(step, taken, _)| taken[item] && begins(step));
            assert_eq!(is, some_taken, "enabled means that some step takes it");
        }
        nodes.push(Node {
            values: variables(&mut *explorer, &state),
            enabled,
            steps,
        });
    }
    nodes
}

/// The process of a step.
fn pid(number: usize) -> Option<ProcessId> {
    Some(ProcessId::new(number))
}

fn process(number: usize) -> ItemSpec {
    ItemSpec::Process {
        pid: ProcessId::new(number),
        as_partner: true,
    }
}

fn initiator(number: usize) -> ItemSpec {
    ItemSpec::Process {
        pid: ProcessId::new(number),
        as_partner: false,
    }
}

/// The statements at a label, executed by a process.
fn labelled(program: &Program, number: usize, label: &str) -> ItemSpec {
    let declared = &program.signature().actions;
    let actions: Vec<ActionId> = ActionId::first(declared.len())
        .zip(declared)
        .filter(|(_, action)| action.labels.iter().any(|l| l == label))
        .map(|(index, _)| index)
        .collect();
    assert!(!actions.is_empty(), "no action is labelled {label}");
    let pid = ProcessId::new(number);
    ItemSpec::Actions { pid, actions }
}

/// The receiver gets the control in the middle of the sender's atomic sequence: it takes part, but
/// it could not have begun, so for SPIN it is not enabled.
#[test]
fn who_is_handed_the_control_by_a_handshake_could_not_begin() {
    let program = program(
        "chan c = [0] of { byte }; byte got;
         active proctype S() { do :: atomic { c!1; skip } :: (got == 0) od }
         active proctype R() { byte y; atomic { c?y; got = 1 } }",
    );
    let items = [process(1), initiator(0), initiator(1)];
    let mut explorer = program.explorer(&items);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let initial = out.state(0).to_vec();
    explorer.expand(&initial, &mut out);
    assert_eq!(bits(out.enabled(), 3), [true, true, false]);
    let taken: Vec<Vec<bool>> = (0..out.len()).map(|i| bits(out.taken(i), 3)).collect();
    assert!(taken.contains(&vec![true, true, true]), "{taken:?}");
}

#[test]
fn a_handshake_is_taken_by_both_partners_and_enables_both_or_the_sender_alone() {
    let program = program(
        "chan c = [0] of { byte }; byte sent; byte got;
         active proctype S() { do :: c!1 -> sent = 1 - sent od }
         active proctype R() { byte y; do :: c?y -> got = 1 - got od }",
    );
    let items = [process(0), process(1), initiator(0), initiator(1)];
    let nodes = explore(&program, &items);
    let mut handshakes = 0;
    for node in &nodes {
        for (step, taken, _) in &node.steps {
            if step.partner.is_some() {
                handshakes += 1;
                assert_eq!((step.process, step.partner), (pid(0), pid(1)));
                assert_eq!(taken, &[true, true, true, true]);
            } else {
                let s = step.process == pid(0);
                assert_eq!(taken, &[s, !s, s, !s]);
            }
        }
    }
    assert!(handshakes >= 1);
    // Where the handshake is the only step, the receiver is enabled under the symmetric definition
    // and disabled where only who can begin counts.
    let only = |n: &&Node| n.steps.len() == 1 && n.steps[0].0.partner.is_some();
    assert!(nodes.iter().filter(only).count() > 0);
    for node in nodes.iter().filter(only) {
        assert_eq!(node.enabled, [true, true, true, false]);
    }
}

#[test]
fn a_sender_without_a_ready_receiver_is_disabled() {
    let program = program(
        "chan c = [0] of { byte }; byte gate; byte done;
         active proctype S() { c!1; done = 1 }
         active proctype R() { byte y; (gate == 1) -> c?y }
         active proctype G() { gate = 1 }",
    );
    let nodes = explore(&program, &[process(0), process(1), initiator(0)]);
    let mut blocked = 0;
    for node in nodes.iter().filter(|n| n.number("gate") == 0) {
        assert_eq!(node.enabled, [false, false, false]);
        blocked += 1;
    }
    assert!(blocked > 0);
}

#[test]
fn the_statements_of_both_sides_of_a_handshake_are_taken() {
    let program = program(
        "chan c = [0] of { byte }; byte n;
         active proctype S() { do :: send: c!1 :: n < 2 -> n++ od }
         active proctype R() { byte y; do :: recv: c?y od }",
    );
    let send = labelled(&program, 0, "send");
    let receive = labelled(&program, 1, "recv");
    // The same statement counts only for the process that the item names.
    let wrong = labelled(&program, 1, "send");
    for node in explore(&program, &[send, receive, wrong]) {
        for (step, taken, _) in &node.steps {
            let handshake = step.partner.is_some();
            assert_eq!(taken, &[handshake, handshake, false]);
        }
    }
}

#[test]
fn states_inside_atomic_are_invisible() {
    // Q's guard is true only in the middle of P's atomic stretch.
    let program = program(
        "byte x; byte hit;
         active proctype P() { do :: atomic { x = 1; x = 0 } od }
         active proctype Q() { (x == 1); hit = 1 }",
    );
    let nodes = explore(&program, &[process(0), process(1)]);
    assert_eq!(nodes.len(), 1);
    assert_eq!(nodes[0].enabled, [true, false]);
    assert_eq!(nodes[0].number("x"), 0);
}

#[test]
fn others_stay_enabled_across_an_atomic_stretch() {
    // Between the statements of P's stretch Q cannot move: that does not count as disabled.
    let program = program(
        "byte x; byte flag;
         active proctype P() { do :: atomic { x = 1; x = 2; x = 0 } od }
         active proctype Q() { flag = 1; (false) }",
    );
    for node in explore(&program, &[process(1)]) {
        assert_eq!(node.number("x"), 0);
        assert_eq!(node.enabled, [node.number("flag") == 0]);
    }
}

#[test]
fn a_labelled_statement_inside_atomic_is_taken_when_it_is_executed() {
    let program = program(
        "byte n;
         active proctype P() {
           do
           :: atomic { n = 1; if :: first: n = 2 :: second: n = 3 fi; n = n + 10 }
           :: n = 0
           od
         }",
    );
    let items = [
        labelled(&program, 0, "first"),
        labelled(&program, 0, "second"),
        process(0),
    ];
    let nodes = explore(&program, &items);
    let mut seen = [0, 0, 0];
    for node in &nodes {
        // Both are enabled in every state: some stretch executes them.
        assert_eq!(node.enabled, [true, true, true]);
        for (_, taken, after) in &node.steps {
            let n = number(after, "n");
            assert_eq!(taken, &[n == 12, n == 13, true]);
            seen[usize::from(n == 12) + 2 * usize::from(n == 13)] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn a_labelled_d_step_is_taken() {
    let program = program(
        "byte n;
         active proctype P() { do :: here: d_step { n = 1; n = 2 } :: n = 0 od }",
    );
    for node in explore(&program, &[labelled(&program, 0, "here")]) {
        assert_eq!(node.enabled, [true]);
        for (_, taken, after) in &node.steps {
            assert_eq!(taken, &[number(after, "n") == 2]);
        }
    }
}

#[test]
fn a_process_with_else_is_enabled_and_the_guard_alone_is_not() {
    let program = program(
        "bool a; byte n;
         active proctype P() { do :: a = !a od }
         active proctype Q() { do :: guard: a -> skip :: other: else -> skip od }",
    );
    let items = [
        process(1),
        labelled(&program, 1, "guard"),
        labelled(&program, 1, "other"),
    ];
    let mut at_choice = 0;
    for node in explore(&program, &items) {
        assert!(node.enabled[0], "Q can always move");
        if node.enabled[1] || node.enabled[2] {
            at_choice += 1;
            let a = node.number("a") == 1;
            assert_eq!(node.enabled[1..], [a, !a]);
        }
    }
    assert_eq!(at_choice, 2);
}

#[test]
fn timeout_is_enabled_only_where_nothing_else_is() {
    let program = program(
        "byte n; byte late;
         active proctype P() { do :: n < 3 -> n++ od }
         active proctype Q() { timeout -> late = 1; (false) }",
    );
    let mut at_timeout = 0;
    for node in explore(&program, &[process(0), process(1)]) {
        let behind = node
            .steps
            .iter()
            .any(|(_, _, after)| number(after, "late") == 1);
        let running = node.enabled[0];
        if node.number("late") == 0 && !behind {
            assert_eq!(node.enabled[1], !running, "timeout iff P is blocked");
            at_timeout += usize::from(node.enabled[1]);
        }
    }
    assert_eq!(at_timeout, 1);
}

#[test]
fn finished_and_unborn_processes_are_disabled() {
    let program = program(
        "byte n;
         proctype child() { n = 1 }
         init { n = 0; run child() }",
    );
    // Numbers 0 (init), 1 (child), 2 (nobody).
    let nodes = explore(&program, &[process(0), process(1), process(2)]);
    let mut finals = 0;
    let mut both = 0;
    for node in &nodes {
        assert!(!node.enabled[2]);
        if node.steps.is_empty() {
            finals += 1;
            assert_eq!(node.enabled, [false, false, false]);
        }
        both += usize::from(node.enabled[1]);
        for (step, taken, _) in &node.steps {
            assert_eq!(
                taken,
                &[step.process == pid(0), step.process == pid(1), false]
            );
        }
    }
    assert_eq!(finals, 1);
    // The child's assignment and its death, where init has ended and where it waits for it.
    assert!(both >= 2);
    // Init ended but not yet dead: it cannot die before its child, so it is disabled.
    assert!(nodes.iter().any(|n| !n.enabled[0] && n.enabled[1]));
}

#[test]
fn a_pid_slot_that_is_used_again_is_credited_at_each_death() {
    let program = program(
        "byte n;
         proctype child() { n = 1 - n }
         init { do :: atomic { (_nr_pr == 1) -> run child() } od }",
    );
    let nodes = explore(&program, &[process(0), process(1)]);
    let (mut births, mut deaths) = (0, 0);
    for node in &nodes {
        for (step, taken, _) in &node.steps {
            assert_eq!(taken, &[step.process == pid(0), step.process == pid(1)]);
        }
        // The slot is enabled iff a child exists; it is then the only one that can move.
        assert_eq!(node.enabled[0], !node.enabled[1]);
        let text = |step: &Step| {
            let action = step.action.expect("an action");
            program.signature().actions[action.index()].text.clone()
        };
        for (step, taken, after) in &node.steps {
            if step.process == pid(0) {
                births += 1;
                assert!(!taken[1], "its birth is not a step of the child");
            } else if number(after, "n") == node.number("n") {
                deaths += 1;
                assert!(taken[1], "credited at death: {}", text(step));
            }
        }
    }
    assert_eq!((births, deaths), (2, 2));
    // Two values of n, and no child, a child before its assignment, a child before its death.
    assert_eq!(nodes.len(), 6);
}

#[test]
fn more_than_sixty_four_items() {
    let program = program(
        "byte n;
         active [70] proctype P() { do :: n == _pid -> n = (n + 1) % 70 od }",
    );
    let items: Vec<ItemSpec> = (0..70).map(process).collect();
    for node in explore(&program, &items) {
        let who: Vec<usize> = (0..70).filter(|&i| node.enabled[i]).collect();
        assert_eq!(who.len(), 1, "the guard of one, or the assignment of one");
        assert_eq!(who[0] as i64, node.number("n"));
    }
}
