//! Searches that a limit ended are continued by other processes, and come to what a search in one piece comes to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use evenhand::{Asking, Language, Options, Promela, PropertyResult};
use evenhand_cluster::{Checkpoint, Cluster};
use evenhand_testkit::promela_programs::temporal::TemporalProgram;
use evenhand_verify::{StopReason, Verdict};

use crate::common::{cases, first_seed, processes, together, together_kept};

/// Whether something was kept below a folder.
fn is_kept(folder: &Path) -> bool {
    let below = fs::read_dir(folder).into_iter().flatten().flatten();
    folder.join("manifest").exists() || below.map(|entry| entry.path()).any(|path| is_kept(&path))
}

/// What is told of a property that holds: its numbers of states.
fn counts(result: &PropertyResult) -> (u64, u64, Option<u64>, Option<u64>) {
    let product = (result.product_states, result.product_transitions);
    (result.states, result.transitions, product.0, product.1)
}

#[test]
fn random_programs_are_continued() {
    let all: Vec<Vec<Cluster>> = [(2, 1), (1, 1), (3, 1), (1, 2)]
        .iter()
        .map(|&(count, threads)| processes(count, threads))
        .collect();
    let folder = std::env::temp_dir().join(format!("evenhand-kept-{}", std::process::id()));
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in first_seed()..first_seed() + cases(15) {
        let case = TemporalProgram::generate(seed, 2, 4);
        let text = case.text();
        let text: (&str, &str, &'static dyn Language) = ("program.pml", &text, &Promela);
        if evenhand::Model::parse(text.0, text.1, text.2).is_err() {
            continue;
        }
        for (number, name) in ["f0", "f1", "assertions", "deadlock"].iter().enumerate() {
            let mut asking = Asking::default();
            asking.name_properties(&[(*name).to_string()]);
            asking.request.fair = case.assumptions.clone();
            let mut options = Options::default();
            options.limit_states = Some(2_000);
            let begun = &all[(seed as usize + number) % all.len()];
            let Ok(whole) = together(begun, text, &asking, &options) else {
                continue;
            };
            let whole = &whole.properties[0];
            if !whole.verdict.is_decided() {
                continue;
            }
            let _ = fs::remove_dir_all(&folder);
            let mut checkpoint = Checkpoint {
                folder: folder.clone(),
                every: Duration::ZERO,
                resume: false,
                about: "a test".to_string(),
            };
            let mut limited = options.clone();
            limited.limit_states = Some((seed * 37 + number as u64) % whole.states.max(1));
            let ended = together_kept(begun, text, &asking, &limited, &|_| {
                Some(checkpoint.clone())
            });
            let ended = &ended.expect("an answer").properties[0];
            let by_limit = matches!(ended.verdict, Verdict::Unknown(StopReason::States));
            let is_continued = by_limit && is_kept(&folder);
            checkpoint.resume = true;
            let goes_on = &all[(seed as usize + 3 * number + 1) % all.len()];
            let more = together_kept(goes_on, text, &asking, &options, &|_| {
                Some(checkpoint.clone())
            });
            let more = &more.expect("an answer").properties[0];
            let about = format!("{name} of\n{}", text.1);
            assert_eq!(whole.verdict.word(), more.verdict.word(), "{about}");
            if whole.verdict.holds() {
                assert_eq!(counts(whole), counts(more), "{about}");
            }
            if whole.product_states.is_none() {
                let length = |result: &PropertyResult| result.verdict.run().map(|run| run.len());
                assert_eq!(length(whole), length(more), "{about}");
            }
            if is_continued {
                let is_temporal = whole.product_states.is_some();
                let what = match (is_temporal, &whole.verdict) {
                    (true, Verdict::Holds) => "temporal, holds",
                    (true, _) => "temporal, violated",
                    (false, _) => "plain",
                };
                *tally.entry(what).or_default() += 1;
            }
        }
    }
    let _ = fs::remove_dir_all(&folder);
    println!("{tally:?}");
    for what in ["temporal, holds", "temporal, violated", "plain"] {
        assert!(tally.contains_key(what), "{tally:?}");
    }
}

/// What was found is kept, and the search goes on being kept after it: ends of runs, run-time errors, assertions and
/// invariants that fail early, beside others that fail later or hold, and one that has no value somewhere.
#[test]
fn what_was_found_is_kept() {
    let text = "byte a, b, x[4]; bool stop;\n\
        active proctype q() { stop = true }\n\
        active [2] proctype p() {\n\
            byte c;\n\
            do :: a < 12 -> a++ :: b < 6 -> b++ EXTRA :: stop -> break od\n\
        }\n\
        ltl early { [] (a < 2) }\n\
        ltl late { [] (a + b < 17) }\n\
        ltl steady { [] (a + b < 30) }\n\
        ltl sometimes { [] (x[b] == 0) }\n";
    let assertion = ":: a == 3 -> assert(b == 0); a++";
    let error = ":: a == 4 -> c = 10 / b; c = 0; a++";
    let all: Vec<Vec<Cluster>> = [(2, 1), (1, 2), (3, 1), (1, 1)]
        .iter()
        .map(|&(count, threads)| processes(count, threads))
        .collect();
    let folder = std::env::temp_dir().join(format!("evenhand-found-{}", std::process::id()));
    for (number, extra) in ["", assertion, error].iter().enumerate() {
        let text = text.replace("EXTRA", extra);
        let text: (&str, &str, &'static dyn Language) = ("found.pml", &text, &Promela);
        let asking = Asking::default();
        let options = Options::default();
        let told = |result: &PropertyResult| {
            let run = result.verdict.run();
            let holds = result.verdict.holds().then_some(counts(result));
            let verdict = format!("{} {}", result.name, result.verdict.word());
            (verdict, run.map(|run| run.len()), holds)
        };
        let whole = together(&all[0], text, &asking, &options).expect("an answer");
        let expected: Vec<_> = whole.properties.iter().map(told).collect();
        let states = whole.properties.iter().map(|p| p.states).max().unwrap_or(0);
        let _ = fs::remove_dir_all(&folder);
        let mut checkpoint = Checkpoint {
            folder: folder.clone(),
            every: Duration::ZERO,
            resume: false,
            about: "a test".to_string(),
        };
        // It is ended and continued again and again, by others each time.
        let mut depth = 0;
        for part in 1..5 {
            let mut limited = options.clone();
            limited.limit_states = Some(states * part / 5);
            let clusters = &all[(number + part as usize) % all.len()];
            together_kept(clusters, text, &asking, &limited, &|_| {
                Some(checkpoint.clone())
            })
            .expect("an answer");
            // Runs end, and an invariant is violated, at depth 3.
            let reached = kept_depth(&folder);
            assert!(reached > 5, "{reached} with {extra:?}");
            assert!(reached >= depth, "{reached} after {depth}, with {extra:?}");
            depth = reached;
            checkpoint.resume = true;
        }
        for clusters in &all {
            let more = together_kept(clusters, text, &asking, &options, &|_| {
                Some(checkpoint.clone())
            });
            let more = more.expect("an answer");
            let more: Vec<_> = more.properties.iter().map(told).collect();
            assert_eq!(expected, more, "with {extra:?}");
        }
        println!("{extra:?}: {expected:?}");
    }
    let _ = fs::remove_dir_all(&folder);
}

/// The depth of the search that is kept in a folder; of several the one that is least deep.
fn kept_depth(folder: &Path) -> u64 {
    let below = fs::read_dir(folder).into_iter().flatten().flatten();
    let depth = |path: PathBuf| {
        let manifest = fs::read_to_string(path.join("manifest")).ok()?;
        manifest.lines().nth(4)?.parse::<u64>().ok()
    };
    let all = below.filter_map(|entry| depth(entry.path()));
    all.min().unwrap_or(0)
}

/// There is no answer from a file that is damaged, or where processes do not see the same folder.
#[test]
fn what_was_kept_is_whole_and_the_same_for_all() {
    let counting = Counting::new("differ");
    let checkpoint = |resume, process| Checkpoint {
        resume,
        folder: match process {
            0 => counting.folder.clone(),
            _ => counting.folder.join("elsewhere"),
        },
        ..counting.checkpoint()
    };
    // Processes that have given up do nothing more, so there are others each time.
    let refused = |kept: &(dyn Fn(usize) -> Checkpoint + Sync)| match counting
        .verdict(&processes(2, 1), kept)
    {
        Verdict::Unknown(StopReason::Unsupported(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let reason = refused(&|process| checkpoint(false, process));
    assert!(reason.contains("not all processes see"), "{reason}");
    counting.begin(&processes(2, 1));
    let reason = refused(&|process| checkpoint(true, process));
    assert!(reason.contains("not all processes see"), "{reason}");
    // A file of a worker is damaged in the middle.
    let (_, files) = counting.kept();
    let mut bytes = fs::read(&files[0]).expect("states");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&files[0], bytes).expect("a file");
    let reason = refused(&|_| checkpoint(true, 0));
    assert!(reason.contains("is damaged"), "{reason}");
}

/// Who begins anew in the same folder writes over nothing that still counts.
#[test]
fn sets_of_files_are_never_mixed() {
    let counting = Counting::new("anew");
    let clusters = processes(2, 1);
    counting.begin(&clusters);
    let (first, _) = counting.kept();
    counting.begin(&clusters);
    let (second, files) = counting.kept();
    assert!(first < second, "{first} {second}");
    assert_eq!(files.len(), 2, "{files:?}");
}

/// A search that a limit ends.
struct Counting {
    folder: PathBuf,
}

impl Counting {
    fn new(name: &str) -> Counting {
        let folder = format!("evenhand-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&folder);
        Counting { folder }
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            folder: self.folder.clone(),
            every: Duration::ZERO,
            resume: false,
            about: "a test".to_string(),
        }
    }

    fn verdict(
        &self,
        clusters: &[Cluster],
        kept: &(dyn Fn(usize) -> Checkpoint + Sync),
    ) -> Verdict {
        let text = "byte n; active proctype p() { do :: n < 200 -> n++ :: n == 200 -> n = 0 od }\n\
                    ltl l { [] <> (n == 0) }";
        let mut asking = Asking::default();
        asking.name_properties(&["l".to_string()]);
        let mut options = Options::default();
        options.limit_states = Some(100);
        let text: (&str, &str, &'static dyn Language) = ("count.pml", text, &Promela);
        let all = together_kept(clusters, text, &asking, &options, &|process| {
            Some(kept(process))
        });
        let mut all = all.expect("an answer");
        all.properties.remove(0).verdict
    }

    /// Explores until the limit, and keeps that.
    fn begin(&self, clusters: &[Cluster]) {
        let verdict = self.verdict(clusters, &|_| self.checkpoint());
        assert!(
            matches!(verdict, Verdict::Unknown(StopReason::States)),
            "{verdict:?}"
        );
        assert!(is_kept(&self.folder), "something was kept");
    }

    /// The number of the set of files that counts, and all files of states.
    fn kept(&self) -> (u64, Vec<PathBuf>) {
        let search = fs::read_dir(&self.folder).expect("a folder").flatten();
        let search = search
            .map(|entry| entry.path())
            .find(|path| path.join("manifest").exists());
        let search = search.expect("a search");
        let manifest = fs::read_to_string(search.join("manifest")).expect("a manifest");
        let number = manifest.lines().nth(2).expect("a number");
        let files = fs::read_dir(&search).expect("a folder").flatten();
        let is_states = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("states-")
        };
        let files = files.map(|entry| entry.path()).filter(is_states);
        (number.parse().expect("a number"), files.collect())
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
