//! Transition groups of programs keep their contract.
//!
//! For random programs of the whole language: the groups of a state together have exactly the
//! successors of the state, and a group depends on what it reads and changes what it writes. The
//! latter is tested with states that are put together from two reachable ones: the bytes that a
//! group reads from the first, all others from the second. The group must do to the mixture what it
//! does to the first, and leave everything else as it is in the second.

use std::collections::{BTreeMap, HashSet};

use evenhand_promela::{Options, load};
use evenhand_source::Files;
use evenhand_system::groups::{Group, LayoutId};
use evenhand_system::{
    ActionId, Explicit, Explorer, GroupExplorer, Groups, ItemSpec, ProcessId, Program, Successors,
};
use evenhand_testkit::promela_programs;

fn program(text: &str) -> Option<Program> {
    let mut files = Files::new();
    let main = files.add("test.pml", text);
    load(files, main, &Options::default())
        .ok()
        .map(|model| model.program)
}

/// Up to `limit` reachable states, breadth first.
fn states(explorer: &mut dyn Explorer, limit: usize) -> Vec<Vec<u8>> {
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut list: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
    let mut seen: HashSet<Vec<u8>> = list.iter().cloned().collect();
    let mut at = 0;
    while at < list.len() && list.len() < limit {
        explorer.expand(&list[at], &mut out);
        at += 1;
        for index in 0..out.len() {
            if seen.insert(out.state(index).to_vec()) {
                list.push(out.state(index).to_vec());
            }
        }
    }
    list
}

/// A successor without its place in the list: state, process, partner, action, items, fault.
type Outcome = (
    Vec<u8>,
    Option<ProcessId>,
    Option<ProcessId>,
    Option<ActionId>,
    Vec<u64>,
    bool,
);

fn outcomes(out: &Successors) -> Vec<Outcome> {
    let one = |index: usize| {
        let step = out.step(index);
        let (state, taken) = (out.state(index).to_vec(), out.taken(index).to_vec());
        (
            state,
            step.process,
            step.partner,
            step.action,
            taken,
            step.fault > 0,
        )
    };
    let mut list: Vec<Outcome> = (0..out.len()).map(one).collect();
    list.sort();
    list
}

/// What came of the tests.
#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    states: usize,
    groups: usize,
    mixtures: usize,
    /// Mixtures that differ from both and have successors.
    telling: usize,
    /// Groups that do not depend on the whole state.
    local: usize,
}

fn items() -> Vec<ItemSpec> {
    ProcessId::first(4)
        .map(|pid| ItemSpec::Process {
            pid,
            as_partner: true,
        })
        .collect()
}

fn check(program: &Program, tally: &mut Tally, text: &str) {
    let mut explorer = program.explorer(&items());
    let mut grouped = program.group_explorer(&items());
    let all = states(&mut *explorer, 150);
    let mut layouts: BTreeMap<LayoutId, (Vec<Group>, Vec<usize>)> = BTreeMap::new();
    let mut out = Successors::new();
    for (index, state) in all.iter().enumerate() {
        let layout = grouped.layout(state);
        let entry = layouts.entry(layout);
        let (groups, members) = entry.or_insert_with(|| (grouped.groups(state), Vec::new()));
        members.push(index);
        explorer.expand(state, &mut out);
        let expected = outcomes(&out);
        let mut found = Vec::new();
        let mut faults = 0;
        let mut part = Successors::new();
        for group in groups.iter() {
            grouped.expand_group(group, state, &mut part);
            found.extend(outcomes(&part));
            faults += part.faults().len();
            for index in 0..part.len() {
                let moved = grouped.layout(part.state(index)) != layout;
                assert!(!moved || group.changes_layout, "{text}");
            }
        }
        found.sort();
        assert_eq!(found, expected, "{text}");
        assert_eq!(faults, out.faults().len(), "{text}");
    }
    for (groups, members) in layouts.values() {
        tally.groups += groups.len();
        let whole = |g: &&Group| g.reads.count() == g.reads.state_len();
        tally.local += groups.len() - groups.iter().filter(whole).count();
        // Neighbours in breadth-first order differ little, distant ones much: take both.
        for (place, &first) in members.iter().enumerate() {
            for distance in [1, 7, 31] {
                let Some(&second) = members.get(place + distance) else {
                    continue;
                };
                for group in groups {
                    mix(&mut *grouped, group, &all[first], &all[second], tally, text);
                    mix(&mut *grouped, group, &all[second], &all[first], tally, text);
                }
            }
        }
    }
    tally.programs += 1;
    tally.states += all.len();
}

fn mix(
    grouped: &mut dyn GroupExplorer,
    group: &Group,
    first: &[u8],
    second: &[u8],
    tally: &mut Tally,
    text: &str,
) {
    assert_eq!(first.len(), group.reads.state_len());
    let mut mixture = second.to_vec();
    group.reads.iter().for_each(|at| mixture[at] = first[at]);
    if mixture == first {
        return;
    }
    let mut out = Successors::new();
    grouped.expand_group(group, first, &mut out);
    let mut expected = outcomes(&out);
    for (state, ..) in &mut expected {
        for at in 0..state.len().min(mixture.len()) {
            if !group.writes.contains(at) {
                state[at] = mixture[at];
            }
        }
    }
    expected.sort();
    grouped.expand_group(group, &mixture, &mut out);
    assert_eq!(
        outcomes(&out),
        expected,
        "{group:?}\n{first:?}\n{second:?}\n{text}"
    );
    tally.mixtures += 1;
    tally.telling += usize::from(mixture != second && !expected.is_empty());
}

#[test]
fn random_programs_keep_the_contract() {
    let cases = std::env::var("EVENHAND_CASES").ok();
    let cases = cases.and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut tally = Tally::default();
    for seed in 0..cases {
        let text = promela_programs::Program::generate(seed).text();
        let program = program(&text).expect("the generator writes correct programs");
        check(&program, &mut tally, &text);
    }
    println!("{tally:?}");
    assert!(tally.telling > 1000, "{tally:?}");
    assert!(
        4 * tally.local > tally.groups,
        "a quarter of the groups is local: {tally:?}"
    );
}

/// What goes wrong where a message is received in a handshake belongs to the step, which the sender
/// begins.
#[test]
fn a_handshake_that_fails_belongs_to_the_group_of_its_sender() {
    let text = "chan c = [0] of { byte }; byte a[2]; byte i;
                active proctype S() { i = 5; c!1 } active proctype R() { c?a[i] }";
    let program = program(text).expect("correct");
    check(&program, &mut Tally::default(), text);
    let mut explorer = program.explorer(&[]);
    let last = states(&mut *explorer, 150).pop().expect("a state");
    let mut out = Successors::new();
    explorer.expand(&last, &mut out);
    let (sender, receiver) = (ProcessId::new(0), ProcessId::new(1));
    let step = out.faults()[0].step;
    assert_eq!((step.process, step.partner), (Some(sender), Some(receiver)));
}

#[test]
fn propositions_depend_on_what_they_read() {
    let cases = std::env::var("EVENHAND_CASES").ok();
    let cases = cases.and_then(|text| text.parse().ok()).unwrap_or(60);
    let (mut compared, mut local) = (0, 0);
    for seed in 0..cases {
        let case = promela_programs::temporal::TemporalProgram::generate(seed, 3, 0);
        let mut files = Files::new();
        let main = files.add("test.pml", case.text());
        let Ok(mut model) = load(files, main, &Options::default()) else {
            continue;
        };
        let mut propositions = Vec::new();
        for index in 0..model.formulas.len() {
            let mut store = evenhand_logic::Formulas::new();
            propositions.extend(model.ltl(index, &mut store).1);
        }
        let mut explorer = model.program.explorer(&[]);
        let mut grouped = model.program.group_explorer(&[]);
        let all = states(&mut *explorer, 100);
        for (place, first) in all.iter().enumerate() {
            for second in all.iter().skip(place + 1).step_by(7) {
                if grouped.layout(first) != grouped.layout(second) {
                    continue;
                }
                for &id in &propositions {
                    let reads = grouped.proposition_reads(id, first);
                    local += usize::from(reads.count() < first.len());
                    let mut mixture = second.clone();
                    reads.iter().for_each(|at| mixture[at] = first[at]);
                    let (here, there) = (explorer.holds(id, first), explorer.holds(id, &mixture));
                    assert_eq!(here, there, "{:?}\n{}", reads, case.text());
                    // What an explorer says decides is less, and enough.
                    assert_eq!(explorer.layout(first), explorer.layout(second));
                    let deciding = explorer.deciding(&[id], first).expect("a program knows");
                    assert!(deciding.iter().all(|&at| reads.contains(at)));
                    let mut mixture = second.clone();
                    deciding.iter().for_each(|&at| mixture[at] = first[at]);
                    let there = explorer.holds(id, &mixture);
                    assert_eq!(here, there, "{deciding:?}\n{}", case.text());
                    compared += 1;
                }
            }
        }
    }
    println!("{compared} mixtures, {local} local");
    assert!(
        compared > 1000 && 2 * local > compared,
        "{compared} {local}"
    );
}

#[test]
fn the_location_of_one_process_is_decided_by_its_own_byte() {
    let text = "byte x;
         active [5] proctype P() { do :: x = 1 - x; here: skip od }
         ltl p { [] (P[3]@here -> <> P[1]@here) }";
    let mut files = Files::new();
    let main = files.add("test.pml", text);
    let mut model = load(files, main, &Options::default()).expect("a model");
    let propositions = model.ltl(0, &mut evenhand_logic::Formulas::new()).1;
    let mut explorer = model.program.explorer(&[]);
    let all = states(&mut *explorer, 40);
    let deciding = explorer.deciding(&propositions, &all[0]).expect("known");
    // Where two of five processes are: which there are is the same in all states of the layout.
    assert_eq!(deciding.len(), 2, "{deciding:?}");
}

#[test]
fn example_models_keep_the_contract() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/promela");
    let mut tally = Tally::default();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the example models")
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a model");
        if let Some(program) = program(&text) {
            check(&program, &mut tally, &text);
        }
    }
    println!("{tally:?}");
    assert!(tally.programs >= 8, "{tally:?}");
}

#[test]
fn rare_constructs_keep_the_contract() {
    let texts = [
        "hidden byte h; byte x; byte y;
         active proctype P() { do :: atomic { h = x; y = h + 1 } :: x = 1 - x :: h = 3 od }
         active proctype Q() { do :: y > 0 -> y = 0 od }",
        "byte x; byte z;
         active proctype P() { do :: _last == 1 -> x = 1 - x :: z = 1 - z od }
         active proctype Q() { do :: _last == 0 -> x = 1 - x :: x == 0 -> z = 0 od }",
        "byte x; byte z;
         active proctype P() priority 2 { do :: x == 0 -> x = 1 :: z == 1 -> z = 0 od }
         active proctype Q() priority 1 { do :: x == 1 -> x = 0 :: z = 1 - z od }",
        "byte x; byte z;
         active proctype P() { do :: enabled(1) -> x = 1 - x :: z = 1 - z od }
         active proctype Q() { do :: z == 1 -> skip :: pc_value(0) > 1 -> skip od }",
        "byte x; byte z;
         active proctype P() { byte n; do :: n = 1 - n :: Q[1]:m == 1 -> here: x = 1 - x od }
         active proctype Q() { byte m; do :: m = 1 - m :: P[0]@here -> z = 1 - z od }",
        "byte x; chan c[2] = [1] of { byte, byte };
         active proctype P() { byte i; do :: c[i]!x, i :: i = 1 - i :: x = 1 - x od }
         active proctype Q() { byte j; byte k; do :: c[j]?k, eval(j) :: j = 1 - j od }",
    ];
    for text in texts {
        let mut tally = Tally::default();
        let program = program(text).unwrap_or_else(|| panic!("{text}"));
        check(&program, &mut tally, text);
        assert!(tally.states > 3 && tally.groups > 3, "{tally:?} {text}");
        if text.contains("priority") {
            assert_eq!(tally.local, 0, "priorities look at the whole state");
        } else {
            assert!(tally.mixtures > 20, "{tally:?} {text}");
        }
    }
}

#[test]
fn claims_to_a_channel_are_read() {
    // Whether P may send depends on the channel variable of Q, which changes.
    let text = "chan c = [2] of { byte }; chan d = [2] of { byte }; bit turn;
         active proctype P() { do :: c!1 :: d!1 :: turn = 1 - turn od }
         active proctype Q() { chan mine = c; byte y; xs mine;
           do :: turn == 0 -> mine = d :: turn == 1 -> mine = c :: c?y :: d?y od }";
    let mut tally = Tally::default();
    check(&program(text).expect("correct"), &mut tally, text);
    assert!(tally.states > 10, "{tally:?}");
}

#[test]
fn the_observer_of_a_trace_is_read_and_written() {
    let text = "chan c = [2] of { byte }; chan d = [2] of { byte }; byte x;
         trace { do :: c!1; d!0 od }
         active proctype P() { byte n; do :: c!1; d!0; n++ :: x = 1 - x od }
         active proctype Q() { byte y; do :: c?y :: d?y :: x == 1 -> y = 0 od }";
    let mut tally = Tally::default();
    check(&program(text).expect("correct"), &mut tally, text);
    assert!(tally.states > 10 && tally.telling > 100, "{tally:?}");
}

/// The names of what a group reads and writes.
fn named(program: &Program, state: &[u8], group: &Group) -> (Vec<String>, Vec<String>) {
    // A byte is called by the variable that changes with it.
    let mut explorer = program.explorer(&[]);
    let before = explorer.describe(state);
    let mut name = |at: usize| -> Option<String> {
        let mut other = state.to_vec();
        other[at] ^= 1;
        let after = explorer.describe(&other);
        let changed = before.iter().zip(&after).find(|(a, b)| a.1 != b.1);
        changed.map(|(a, _)| a.0.clone())
    };
    let reads = group.reads.iter().filter_map(&mut name).collect();
    let writes = group.writes.iter().filter_map(&mut name).collect();
    (reads, writes)
}

#[test]
fn independent_statements_have_small_footprints() {
    let program = program(
        "byte x; byte y; byte a[3]; chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype P() { do :: x = y + 1 :: c!x od }
         active proctype Q() { do :: a[y] = 3 :: d?a[0] od }",
    )
    .expect("correct");
    let mut grouped = program.group_explorer(&[]);
    let mut explorer = program.explorer(&[]);
    let state = states(&mut *explorer, 1).remove(0);
    let groups = grouped.groups(&state);
    let find = |text: &str| {
        let is = |g: &&Group| {
            let action = g.action.expect("an action");
            let info = &program.signature().actions[action.index()];
            info.text.contains(text)
        };
        groups.iter().find(is).expect(text)
    };
    let (reads, writes) = named(&program, &state, find("x = "));
    let has = |list: &[String], name: &str| list.iter().any(|n| n.contains(name));
    assert!(
        has(&reads, "y") && !has(&reads, "x") && !has(&reads, "a"),
        "{reads:?}"
    );
    assert!(has(&writes, "x") && !has(&writes, "y"), "{writes:?}");
    // The other process's location and the channels are not looked at.
    let (a, b) = (find("x = "), find("a["));
    assert_eq!(
        a.reads.iter().filter(|&at| b.writes.contains(at)).count(),
        0
    );
    assert_eq!(
        b.reads.iter().filter(|&at| a.writes.contains(at)).count(),
        0
    );
    let (send, receive) = (find("c!"), find("d?"));
    assert_eq!(
        send.writes
            .iter()
            .filter(|&at| receive.reads.contains(at))
            .count(),
        0
    );
    assert_eq!(
        receive
            .writes
            .iter()
            .filter(|&at| send.reads.contains(at))
            .count(),
        0
    );
}
