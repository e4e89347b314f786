//! Reduced systems have the same ends, the same errors and the same executed statements.
//!
//! For random programs of the whole language all states are explored with and without reduction. Ends are
//! states without a step, and persistent sets lose none of them: the sets of ends must be equal, byte by
//! byte but for what nobody will read any more. So must be the kinds and places of run-time errors, and the statements that are ever executed.

use std::collections::{BTreeSet, HashMap, HashSet};

use evenhand_promela::{Options, load};
use evenhand_source::Files;
use evenhand_system::reduce::{Reduction, Sight};
use evenhand_system::{Body, Explicit, Program, Successors};
use evenhand_testkit::promela_programs;

fn program(text: &str) -> Option<Program> {
    let mut files = Files::new();
    let main = files.add("test.pml", text);
    load(files, main, &Options::default())
        .ok()
        .map(|model| model.program)
}

/// What can be seen of a system without asking for runs.
#[derive(Debug, Default)]
struct Seen {
    states: usize,
    ends: BTreeSet<Vec<u8>>,
    faults: BTreeSet<String>,
    executed: Vec<bool>,
}

/// Explores a system; none if it has too many states.
fn explore(system: &dyn Explicit, most: usize) -> Option<Seen> {
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut list: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
    let mut known: HashSet<Vec<u8>> = list.iter().cloned().collect();
    let mut seen = Seen::default();
    let mut at = 0;
    while at < list.len() {
        explorer.expand(&list[at], &mut out);
        if out.is_empty() && out.faults().is_empty() {
            seen.ends.insert(list[at].clone());
        }
        let faults = out.faults().iter();
        seen.faults
            .extend(faults.map(|r| format!("{:?} {:?}", r.fault.kind, r.fault.span)));
        for index in 0..out.len() {
            if known.insert(out.state(index).to_vec()) {
                list.push(out.state(index).to_vec());
            }
        }
        at += 1;
        if list.len() > most {
            return None;
        }
    }
    seen.states = list.len();
    seen.executed = explorer.executed().to_vec();
    Some(seen)
}

/// Whether every cycle of a reduced system has a state with all its steps; none if it has too many states.
fn cycles_are_open(program: &Program, reduced: &dyn Explicit, most: usize) -> Option<bool> {
    let (mut whole, mut part) = (program.explorer(&[]), reduced.explorer(&[]));
    let (mut all, mut few) = (Successors::new(), Successors::new());
    part.initial(&mut few);
    let mut list: Vec<Vec<u8>> = (0..few.len()).map(|i| few.state(i).to_vec()).collect();
    let numbered = list.iter().cloned().enumerate();
    let mut numbers: HashMap<Vec<u8>, usize> = numbered.map(|(n, state)| (state, n)).collect();
    // Steps among states that do not have all of theirs.
    let mut steps: Vec<Vec<usize>> = Vec::new();
    let mut at = 0;
    while at < list.len() {
        whole.expand(&list[at], &mut all);
        part.expand(&list[at], &mut few);
        let mut targets = Vec::new();
        for index in 0..few.len() {
            let next = few.state(index).to_vec();
            let number = *numbers.entry(next.clone()).or_insert_with(|| {
                list.push(next);
                list.len() - 1
            });
            targets.push(number);
        }
        steps.push(match few.len() < all.len() {
            true => targets,
            false => Vec::new(),
        });
        at += 1;
        if list.len() > most {
            return None;
        }
    }
    // Takes away what nothing leads to, until nothing is left or a cycle is.
    let mut before = vec![0; steps.len()];
    steps.iter().flatten().for_each(|&to| before[to] += 1);
    let mut free: Vec<usize> = (0..steps.len()).filter(|&n| before[n] == 0).collect();
    let mut taken = 0;
    while let Some(number) = free.pop() {
        taken += 1;
        for &to in &steps[number] {
            before[to] -= 1;
            if before[to] == 0 {
                free.push(to);
            }
        }
    }
    Some(taken == steps.len())
}

/// The seeds of so many programs: `EVENHAND_CASES` of them from `EVENHAND_SEED` on, if somebody says so.
fn seeds(default: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("EVENHAND_SEED").unwrap_or(0);
    first..first + number("EVENHAND_CASES").unwrap_or(default)
}

#[test]
fn nothing_is_lost_that_needs_no_run() {
    let (mut compared, mut fewer) = (0, 0);
    let mut totals = [0usize; 3];
    for seed in seeds(400) {
        let text = promela_programs::Program::generate(seed).text();
        let Some(program) = program(&text) else {
            continue;
        };
        let Some(full) = explore(&program, 20_000) else {
            continue;
        };
        let mut counts = [full.states; 3];
        for (place, how) in [(1, Reduction::Steps), (2, Reduction::Chains)] {
            let Ok(reduced) = program.reduced(&Sight::default(), how) else {
                continue;
            };
            let less = explore(&reduced, 40_000).expect("no more states than before");
            let forgotten = |end: &Vec<u8>| {
                let mut end = end.clone();
                reduced.forget(&mut end);
                end
            };
            let ends: BTreeSet<Vec<u8>> = full.ends.iter().map(forgotten).collect();
            assert_eq!(ends, less.ends, "ends, seed {seed}, {how:?}\n{text}");
            assert_eq!(full.faults, less.faults, "seed {seed}, {how:?}\n{text}");
            assert_eq!(full.executed, less.executed, "seed {seed}, {how:?}\n{text}");
            assert!(less.states <= full.states, "seed {seed}\n{text}");
            counts[place] = less.states;
            if how == Reduction::Steps {
                let open = cycles_are_open(&program, &reduced, 40_000);
                assert_eq!(open, Some(true), "a cycle, seed {seed}\n{text}");
            }
        }
        compared += 1;
        fewer += usize::from(counts[2] * 10 < full.states * 8);
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += count;
        }
    }
    println!("{compared} programs, {fewer} with less than 80% of the states; {totals:?}");
    assert!(fewer * 10 >= compared * 3, "{fewer} of {compared}");
}

/// Some paths of a system: to its last state, and to others here and there.
fn paths(system: &dyn Explicit, most: usize) -> Vec<Vec<Vec<u8>>> {
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut list: Vec<(Vec<u8>, usize)> = Vec::new();
    let mut known = HashSet::new();
    let mut at = 0;
    loop {
        for index in 0..out.len() {
            if known.insert(out.state(index).to_vec()) {
                list.push((out.state(index).to_vec(), at));
            }
        }
        if at == list.len() || list.len() > most {
            break;
        }
        explorer.expand(&list[at].0, &mut out);
        at += 1;
    }
    // The first states come from nowhere, the others from the one before their number.
    let path = |mut to: usize| {
        let mut path = vec![list[to].0.clone()];
        while list[to].1 > 0 {
            to = list[to].1 - 1;
            path.push(list[to].0.clone());
        }
        path.reverse();
        path
    };
    let last = list.len().saturating_sub(1);
    [last, last / 2, last / 3].map(path).to_vec()
}

/// A path of a reduced system is one of the system, but for what is forgotten and passed over.
#[test]
fn paths_of_reduced_systems_are_unrolled() {
    let (mut steps, mut unrolled) = (0, 0);
    for seed in seeds(200) {
        let text = promela_programs::Program::generate(seed).text();
        let Some(program) = program(&text) else {
            continue;
        };
        let Ok(reduced) = program.reduced(&Sight::default(), Reduction::Chains) else {
            continue;
        };
        let mut explorer = program.explorer(&[]);
        let mut out = Successors::new();
        for path in paths(&reduced, 5_000) {
            let real = reduced.unroller(&[]).path(&path);
            let real = real.unwrap_or_else(|| panic!("no path, seed {seed}\n{text}"));
            explorer.initial(&mut out);
            for state in &real {
                let mut numbers = 0..out.len();
                assert!(
                    numbers.any(|n| out.state(n) == *state),
                    "seed {seed}\n{text}"
                );
                explorer.expand(state, &mut out);
            }
            let mut end = real.last().cloned().unwrap_or_default();
            reduced.forget(&mut end);
            assert_eq!(path.last(), Some(&end), "seed {seed}\n{text}");
            steps += path.len() - 1;
            unrolled += real.len() - 1;
        }
    }
    println!("{steps} steps are {unrolled}");
    assert!(
        unrolled > steps && steps > 1_000,
        "{steps} steps are {unrolled}"
    );
}

/// A deterministic sequence that looks whether there is a message depends on who may send one.
#[test]
fn a_sequence_that_looks_at_a_channel_depends_on_both_ends() {
    let text = "
        chan c = [1] of { byte };
        byte g;
        active proctype p() { byte y; d_step { true; if :: c?y -> g = 1 :: else -> g = 2 fi } }
        active proctype q() { c!7 }";
    let program = program(text).expect("a program");
    let ends = |how| {
        let reduced = program.reduced(&Sight::default(), how).expect("less");
        explore(&reduced, 100).expect("few states").ends.len()
    };
    assert_eq!(explore(&program, 100).expect("few states").ends.len(), 2);
    assert_eq!(ends(Reduction::Steps), 2);
    assert_eq!(ends(Reduction::Chains), 2);
}

/// Loops that count and loops that touch nothing shared: neither is explored in all interleavings.
#[test]
fn counters_and_local_steps_cost_nothing() {
    let text = "
        byte sum;
        active [4] proctype p() {
          byte i, unused;
          do :: i < 20 -> unused = i; i++ :: i == 20 -> break od;
          sum++
        }";
    let program = program(text).expect("a program");
    let reduced = program.reduced(&Sight::default(), Reduction::Chains);
    let states = explore(&reduced.expect("less"), 1_000)
        .expect("few states")
        .states;
    assert!(states < 60, "{states}");
}

/// A counter that is set back counts for ever: such a loop keeps nobody else waiting.
#[test]
fn a_counter_that_is_set_back_is_no_counter() {
    let text = "
        byte g;
        active proctype p() { byte i; do :: i < 3 -> i++; if :: i == 3 -> i = 0 :: else fi od }
        active proctype q() { g = 1; g = 2 }";
    let program = program(text).expect("a program");
    let reduced = program.reduced(&Sight::default(), Reduction::Steps);
    let reduced = reduced.expect("less");
    assert_eq!(cycles_are_open(&program, &reduced, 1_000), Some(true));
    let executed = explore(&reduced, 1_000).expect("few states").executed;
    assert_eq!(
        executed,
        explore(&program, 1_000).expect("few states").executed
    );
}

/// The values of the first global variables at all ends, with and without reduction.
fn same_ends(text: &str, globals: usize, expected: &[&[u8]]) {
    let program = program(text).expect("a program");
    let of = |system: &dyn Explicit| -> Vec<Vec<u8>> {
        let ends = explore(system, 1_000).expect("few states").ends;
        let first = ends.iter().map(|end| end[2..2 + globals].to_vec());
        first.collect::<BTreeSet<_>>().into_iter().collect()
    };
    assert_eq!(of(&program), expected);
    for how in [Reduction::Steps, Reduction::Chains] {
        let reduced = program.reduced(&Sight::default(), how);
        assert_eq!(of(&reduced.expect("less")), expected, "{how:?}");
    }
}

/// A process that is blocked may be woken by somebody else, and then it clashes.
#[test]
fn who_is_woken_clashes() {
    let text = "
        byte g, h;
        active proctype p() { h = 2 }
        active proctype q() { g == 1; h = 1 }
        active proctype r() { g = 1 }";
    same_ends(text, 2, &[&[1, 1], &[1, 2]]);
}

/// The same behind a step, where it is asked whether the state can be passed over.
#[test]
fn who_is_woken_clashes_in_chains() {
    let text = "
        byte g, h;
        proctype p() { h = 2 }
        proctype q() { g == 1; h = 1 }
        proctype r() { g = 1 }
        init { atomic { run p(); run q(); run r() } }";
    same_ends(text, 2, &[&[1, 1], &[1, 2]]);
}

/// Two locations of a process from which it reads the same, and writes more from one of them on.
#[test]
fn what_is_written_later_is_part_of_a_future() {
    for (one, two) in [("k = 1", "h = 1"), ("h = 1", "k = 1")] {
        let text = format!(
            "byte h, k;
             active proctype q() {{ if :: k == 0 -> {one} :: k == 0 -> {two} fi }}
             active proctype p() {{ h = 2 }}"
        );
        same_ends(&text, 2, &[&[1, 0], &[2, 0], &[2, 1]]);
    }
}

/// Whoever takes a message may do something else instead, and may clash with others.
#[test]
fn both_halves_of_a_handshake_count_in_chains() {
    let other_step = "
        byte g, h;
        chan c = [0] of { bit };
        active proctype p() { skip; c!1 }
        active proctype q() { if :: c?_ -> g = 1 :: true -> g = 2 fi }";
    same_ends(other_step, 1, &[&[1], &[2]]);
    // By conditions alone it is not seen that there is another step.
    let other_message = "
        byte g, h;
        chan c = [0] of { bit };
        chan d = [1] of { bit };
        active proctype p() { d!1; skip; c!1 }
        active proctype q() { if :: c?_ -> g = 1 :: d?_ -> g = 2 fi }";
    same_ends(other_message, 1, &[&[1], &[2]]);
    let other_woken = "
        byte g, h;
        chan c = [0] of { bit };
        chan d = [1] of { bit };
        active proctype p() { skip; c!1 }
        active proctype q() { if :: c?_ -> g = 1 :: d?_ -> g = 2 fi }
        active proctype r() { do :: d!1 od }";
    same_ends(other_woken, 1, &[&[1], &[2]]);
    let clash = "
        byte g, h;
        chan c = [0] of { byte };
        active proctype p() { skip; c!1 }
        active proctype q() { c?g }
        active proctype r() { g = 2 }";
    same_ends(clash, 1, &[&[1], &[2]]);
}

/// An element at a place that is not known is not surely written.
#[test]
fn an_array_is_not_dead_since_one_element_is_written() {
    let text = "
        byte g, h;
        active proctype p() { byte x[2]; x[0] = 1; x[g] = 2; h = x[0] }
        active proctype q() { g = 1 }";
    same_ends(text, 2, &[&[1, 1], &[1, 2]]);
}
