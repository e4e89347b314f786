//! Searches and spaces with other threads: the same numbers for all states, whoever was first.
//!
//! One model with some ten thousand states, so that tables grow and records wait. Small enough for a detector of data races
//! (`benches/races.sh`), which sees here what unit tests of the store do not: others that expand, feed and hand over.

use evenhand_explicit::ahead::crew::{Crew, Threads};
use evenhand_explicit::search::{Options, explore};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::{PlainStore, Store, TreeStore};
use evenhand_promela::Promela;
use evenhand_source::Files;
use evenhand_system::{Explicit, Fairness, Language, ReadOptions, Request, Wanted};

const MODEL: &str = "
byte turn;
chan mail = [2] of { byte };
active [3] proctype worker() {
  byte rounds;
  do
  :: rounds < 4 -> rounds++
  :: atomic { rounds > 1 -> turn = (turn + 1) % 3; rounds = 0 }
  :: mail!rounds
  :: mail?rounds
  od
}";

/// With the model and strong fairness.
fn with_model(work: impl FnOnce(&dyn Explicit, &Fairness)) {
    let mut files = Files::new();
    let main = files.add("ahead.pml", MODEL);
    let read = Promela.read(files, main, &ReadOptions::default());
    let read = read.unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut request = Request::default();
    request.properties = Wanted::Named(Vec::new());
    request.fair.push("strong".into());
    let inquiry = read.resolve(&request);
    let inquiry = inquiry.unwrap_or_else(|wrong| panic!("{wrong}"));
    let processes = inquiry.meaning.processes().0;
    let fairness = inquiry.meaning.fairness(&inquiry.assumptions, processes);
    let fairness = fairness.unwrap_or_else(|wrong| panic!("{wrong}"));
    work(inquiry.body.explicit().expect("a program"), &fairness);
}

fn threads(count: usize) -> Threads {
    Threads { count, alone: 64 }
}

/// Breadth-first: a feed for a few threads, the shared store for many and for compressed states.
#[test]
fn a_search_finds_the_same_with_others() {
    with_model(|system, _| {
        let search = |count, compress| {
            let options = Options {
                threads: threads(count),
                compress,
                parents: true,
                ..Options::default()
            };
            let found = explore(system, &options, &mut |_| true);
            assert_eq!(found.stop, None);
            let is_shared = found.ahead > 0;
            assert_eq!(is_shared, count > 1, "{count} threads");
            let progress = found.progress;
            (progress.states, progress.transitions, found.parents)
        };
        let alone = search(1, false);
        assert!(alone.0 > 10_000, "{} states", alone.0);
        for (count, compress) in [(2, false), (4, false), (6, false), (3, true)] {
            assert_eq!(
                search(count, compress),
                alone,
                "{count} threads, {compress}"
            );
        }
    });
}

/// Depth-first, with marks.
#[test]
fn a_space_has_the_same_numbers_with_others() {
    with_model(|system, fairness| {
        let alone = walk(system, fairness, 1, PlainStore::new());
        for count in [2, 4] {
            let others = walk(system, fairness, count, PlainStore::new());
            assert_eq!(others, alone, "{count} threads");
        }
        let compressed = walk(system, fairness, 3, TreeStore::new());
        assert_eq!(compressed, alone, "compressed");
    });
}

/// The states in the order of a depth-first walk, with what leads out of them.
fn walk(
    system: &dyn Explicit,
    fairness: &Fairness,
    count: usize,
    store: impl Store,
) -> Vec<(u32, Vec<(u32, u32)>)> {
    let interest = Interest {
        propositions: &[],
        fairness,
    };
    let crew = Crew::new(threads(count));
    let mut space = Space::new(system, interest, store).helped_by(crew.clone(), fairness);
    let walked = crew.attend(system, || {
        let (mut walked, mut seen) = (Vec::new(), Vec::new());
        let mut stack = space.initial().expect("no limit");
        while let Some(id) = stack.pop() {
            seen.resize(seen.len().max(id.index() + 1), false);
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let edges: Vec<_> = space.outgoing(id).expect("no limit").edges().collect();
            stack.extend(edges.iter().map(|edge| edge.0));
            let told = edges.iter().map(|&(to, grant)| (to.number(), grant));
            walked.push((id.number(), told.collect()));
        }
        walked
    });
    assert_eq!(space.expanded_ahead() > 0, count > 1, "{count} threads");
    walked
}
