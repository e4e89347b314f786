//! Transition groups of specifications keep their contract.
//!
//! The groups of a state together have exactly its successors, take the fairness that these take, and say where it is enabled.
//! A group depends on what it reads and changes what it writes: it is asked about states that are put together from two
//! reachable ones, the bytes that it reads from the first and all others from the second. Likewise with propositions.

use std::collections::{BTreeMap, HashSet};

use evenhand_source::Files;
use evenhand_system::explicit::Step;
use evenhand_system::groups::Group;
use evenhand_system::{
    Body, Explicit, Explorer, FaultKind, GroupExplorer, Groups, ItemSpec, Language, PropositionId,
    ReadOptions, Request, Successors,
};
use evenhand_testkit::lassos::cases;
use evenhand_testkit::tla_specifications::random::specification;
use evenhand_tla::Tla;

use crate::remembered::random_specification;

/// What came of the tests.
#[derive(Debug, Default)]
struct Tally {
    specifications: usize,
    refused: usize,
    states: usize,
    groups: usize,
    /// Groups that do not depend on the whole state.
    local: usize,
    mixtures: usize,
    /// Mixtures that differ from both and have successors.
    telling: usize,
    /// Propositions compared on mixtures.
    propositions: usize,
    /// States in which fairness was compared.
    fair: usize,
}

fn read(text: &str, configuration: &str) -> Result<std::sync::Arc<dyn Body>, String> {
    let mut files = Files::new();
    let main = files.add("M.tla".to_string(), text.to_string());
    let mut options = ReadOptions::default();
    options.configuration = Some(("M.cfg".to_string(), configuration.to_string()));
    let specification = Tla.read(files, main, &options);
    let specification = specification.map_err(|wrong| wrong.to_string())?;
    let inquiry = specification.resolve(&Request::default());
    Ok(inquiry.map_err(|wrong| wrong.to_string())?.body)
}

fn states(explorer: &mut dyn Explorer, limit: usize) -> Vec<Vec<u8>> {
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut list: Vec<Vec<u8>> = Vec::new();
    let mut seen = HashSet::new();
    let mut at = 0;
    loop {
        for index in 0..out.len() {
            if seen.insert(out.state(index).to_vec()) {
                list.push(out.state(index).to_vec());
            }
        }
        if at == list.len() || list.len() >= limit {
            return list;
        }
        explorer.expand(&list[at], &mut out);
        at += 1;
    }
}

/// A step without what depends on the way: where it leads, and its action.
type Way = (Vec<u8>, Step);

fn ways(out: &Successors) -> Vec<Way> {
    let one = |index: usize| (out.state(index).to_vec(), out.step(index));
    (0..out.len()).map(one).collect()
}

fn sorted(mut ways: Vec<Way>) -> Vec<Way> {
    ways.sort_by_key(|(state, step)| (state.clone(), step.action, step.process));
    ways
}

/// What is taken on the way to each state, by whatever step.
fn taken(out: &Successors, all: &mut BTreeMap<Vec<u8>, Vec<u64>>) {
    for index in 0..out.len() {
        let own = all.entry(out.state(index).to_vec()).or_default();
        own.resize(out.taken(index).len(), 0);
        for (all, set) in own.iter_mut().zip(out.taken(index)) {
            *all |= set;
        }
    }
}

fn is_limited(out: &Successors) -> bool {
    let mut faults = out.faults().iter();
    faults.any(|report| matches!(report.fault.kind, FaultKind::Limit(_)))
}

/// Tests one system; its items of fairness are those of these numbers.
fn check(groups: &dyn Groups, propositions: u32, items: u32, tally: &mut Tally, text: &str) {
    let items: Vec<ItemSpec> = (0..items).map(ItemSpec::Own).collect();
    let mut told = items;
    told.retain(|item| groups.tells_enabled(item));
    let system: &dyn Explicit = groups;
    let mut explorer = system.explorer(&told);
    let mut grouped = groups.group_explorer(&told);
    let all = states(&mut *explorer, 120);
    let Some(first) = all.first() else { return };
    let list = grouped.groups(first);
    let (mut out, mut part) = (Successors::new(), Successors::new());
    for state in &all {
        explorer.expand(state, &mut out);
        let (mut found, mut marks) = (Vec::new(), BTreeMap::new());
        let (mut failed, mut limited) = (false, false);
        let mut enabled = vec![0; out.enabled().len()];
        for group in &list {
            grouped.expand_group(group, state, &mut part);
            found.extend(ways(&part));
            taken(&part, &mut marks);
            failed |= !part.faults().is_empty();
            limited |= is_limited(&part);
            for (all, own) in enabled.iter_mut().zip(part.enabled()) {
                *all |= own;
            }
        }
        // What fairness cannot be told of ends the work, and says nothing wrong.
        if limited && out.faults().is_empty() {
            continue;
        }
        assert_eq!(failed, !out.faults().is_empty(), "{state:?}\n{text}");
        if failed {
            continue;
        }
        assert_eq!(sorted(found), sorted(ways(&out)), "{state:?}\n{text}");
        let mut wanted = BTreeMap::new();
        taken(&out, &mut wanted);
        assert_eq!(marks, wanted, "{state:?}\n{text}");
        assert_eq!(enabled, out.enabled(), "{state:?}\n{text}");
        tally.fair += usize::from(enabled.iter().any(|&set| set != 0));
    }
    tally.groups += list.len();
    let whole = |group: &&Group| group.reads.count() == group.reads.state_len();
    tally.local += list.len() - list.iter().filter(whole).count();
    for (place, first) in all.iter().enumerate() {
        for distance in [1, 7, 31] {
            let Some(second) = all.get(place + distance) else {
                continue;
            };
            for group in &list {
                mix(&mut *grouped, group, first, second, tally, text);
                mix(&mut *grouped, group, second, first, tally, text);
            }
            for id in (0..propositions).map(PropositionId) {
                let reads = grouped.proposition_reads(id, first);
                let mut mixture = second.clone();
                reads.iter().for_each(|at| mixture[at] = first[at]);
                let here = explorer.holds(id, first).map_err(|fault| fault.kind);
                let there = explorer.holds(id, &mixture).map_err(|fault| fault.kind);
                assert_eq!(here, there, "{id:?} {first:?} {second:?}\n{text}");
                tally.propositions += usize::from(mixture != *second && mixture != *first);
            }
        }
    }
    tally.specifications += 1;
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
    let mut mixture = second.to_vec();
    group.reads.iter().for_each(|at| mixture[at] = first[at]);
    if mixture == first {
        return;
    }
    let mut out = Successors::new();
    grouped.expand_group(group, first, &mut out);
    let (mut expected, failed) = (ways(&out), !out.faults().is_empty());
    for (state, _) in &mut expected {
        for at in 0..state.len() {
            if !group.writes.contains(at) {
                state[at] = mixture[at];
            }
        }
    }
    let marks: Vec<Vec<u64>> = (0..out.len()).map(|i| out.taken(i).to_vec()).collect();
    grouped.expand_group(group, &mixture, &mut out);
    assert_eq!(
        ways(&out),
        expected,
        "{group:?}\n{first:?}\n{second:?}\n{text}"
    );
    assert_eq!(
        !out.faults().is_empty(),
        failed,
        "{group:?}\n{first:?}\n{second:?}\n{text}"
    );
    let others: Vec<Vec<u64>> = (0..out.len()).map(|i| out.taken(i).to_vec()).collect();
    assert_eq!(marks, others, "{group:?}\n{first:?}\n{second:?}\n{text}");
    tally.mixtures += 1;
    tally.telling += usize::from(mixture != second && !expected.is_empty());
}

/// Tests a specification, if it has groups.
fn test(text: &str, configuration: &str, propositions: u32, items: u32, tally: &mut Tally) {
    let Ok(body) = read(text, configuration) else {
        return;
    };
    match body.groups() {
        Ok(groups) => check(groups, propositions, items, tally, text),
        Err(_) => tally.refused += 1,
    }
}

#[test]
fn random_actions_keep_the_contract() {
    let mut tally = Tally::default();
    for seed in 0..cases(150) as u64 {
        let (text, configuration) = random_specification(seed);
        test(&text, &configuration, 0, 5, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.telling > 1000 && tally.fair > 100, "{tally:?}");
    assert!(8 * tally.local > tally.groups, "{tally:?}");
}

#[test]
fn random_specifications_keep_the_contract() {
    let mut tally = Tally::default();
    for seed in 0..cases(150) as u64 {
        let made = specification(seed);
        test(&made.modules, &made.configuration, 2, 2, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.mixtures > 100, "{tally:?}");
}

#[test]
fn models_keep_the_contract() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/tla");
    let mut tally = Tally::default();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the example models")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "cfg"))
        .collect();
    files.sort();
    for path in files {
        let configuration = std::fs::read_to_string(&path).expect("a configuration");
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        // `BusWeak.cfg` is about `Bus.tla`.
        let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
        let modules = ends.map(|end| path.with_file_name(format!("{}.tla", &name[..end])));
        let Some(module) = modules.rev_find_existing() else {
            continue;
        };
        let text = std::fs::read_to_string(module).expect("a module");
        test(&text, &configuration, 3, 4, &mut tally);
    }
    println!("{tally:?}");
    assert!(
        tally.specifications >= 15 && tally.telling > 100,
        "{tally:?}"
    );
}

/// Of some paths, the last one that is there.
trait Existing {
    fn rev_find_existing(self) -> Option<std::path::PathBuf>;
}

impl<I: Iterator<Item = std::path::PathBuf>> Existing for I {
    fn rev_find_existing(self) -> Option<std::path::PathBuf> {
        self.filter(|path| path.exists()).last()
    }
}

#[test]
fn what_cannot_be_learned_says_why() {
    let asked = |extra: &str, configuration: &str| {
        let text = format!(
            "---- MODULE M ----\nEXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n\
             Next == x' = (x + 1) % 3\nPerms == Permutations({{1, 2}})\n{extra}\n===="
        );
        let body = read(&text, &format!("INIT Init\n{configuration}")).expect("a specification");
        let groups = body.groups();
        groups.err().map(|refusal| refusal.reason)
    };
    assert_eq!(asked("", "NEXT Next\n"), None);
    let random = asked("Drawn == x' = RandomElement({0, 1})", "NEXT Drawn\n");
    assert!(random.is_some_and(|reason| reason.contains("RandomElement")));
    let level = asked(
        "Deep == TLCGet(\"level\") < 3",
        "NEXT Next\nCONSTRAINT Deep\n",
    );
    assert!(level.is_some_and(|reason| reason.contains("TLCGet")));
    let view = asked("View == x % 2", "NEXT Next\nVIEW View\n");
    assert!(view.is_some_and(|reason| reason.contains("VIEW")));
    let possible = asked("Two == x = 2", "NEXT Next\n_POSSIBLE Two\n");
    assert!(possible.is_some_and(|reason| reason.contains("_POSSIBLE")));
}
