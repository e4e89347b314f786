//! A probe that is slow, beside a search that is not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{current, sleep};
use std::time::{Duration, Instant};

use evenhand_explicit::ahead::crew::Threads;
use evenhand_explicit::safety::{SafetyOptions, nearest_errors};
use evenhand_explicit::search::{ErrorClass, Options, Progress, Stop};
use evenhand_source::Span;
use evenhand_system::explicit::{Explanation, Step, Value};
use evenhand_system::{
    Explicit, Explorer, Fault, FaultKind, ItemSpec, ProcessId, PropositionId, Signature, Successors,
};

/// A binary tree; the probe takes this long for each state.
struct Tree {
    signature: Signature,
    inner: u32,
    fails: Option<u32>,
    pause: Duration,
    /// Raised when the probe has begun.
    probing: &'static AtomicBool,
}

struct Walker<'a>(&'a Tree);

impl Explicit for Tree {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, _: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(Walker(self))
    }
}

impl Explorer for Walker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.start(0);
        out.push(&0u32.to_le_bytes(), Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        if current().name() == Some("probe") {
            self.0.probing.store(true, Ordering::SeqCst);
            sleep(self.0.pause);
        }
        out.start(0);
        let number = u32::from_le_bytes(state.try_into().expect("four bytes"));
        if self.0.fails == Some(number) {
            let fault = Fault {
                kind: FaultKind::DivisionByZero,
                span: Span::default(),
            };
            out.fault(fault, Step::default());
        } else if number < self.0.inner {
            for target in [2 * number + 1, 2 * number + 2] {
                out.push(&target.to_le_bytes(), Step::default(), []);
            }
        }
    }

    fn holds(&mut self, _: PropositionId, _: &[u8]) -> Result<bool, Fault> {
        Ok(true)
    }

    fn is_valid_end(&mut self, _: &[u8]) -> bool {
        true
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.expand(state, out);
        Explanation::default()
    }

    fn describe(&mut self, _: &[u8]) -> Vec<(String, Value)> {
        Vec::new()
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        format!("process {process}")
    }

    fn executed(&self) -> &[bool] {
        &[]
    }
}

fn tree(fails: Option<u32>, probing: &'static AtomicBool) -> Tree {
    Tree {
        signature: Signature::default(),
        inner: 10_000,
        fails,
        pause: Duration::from_millis(5),
        probing,
    }
}

fn options(memory: Option<u64>, used_memory: Option<fn() -> u64>) -> SafetyOptions {
    let mut search = Options {
        limit_memory: memory,
        used_memory,
        threads: Threads { count: 2, alone: 2 },
        ..Options::default()
    };
    search.wanted[ErrorClass::Fault] = true;
    search.wanted[ErrorClass::Deadlock] = true;
    SafetyOptions {
        paths: true,
        any_path: false,
        counts: false,
        budget: None,
        search,
    }
}

/// Where the memory does for the search alone, it goes on alone.
#[test]
fn a_search_that_has_no_room_beside_the_probe_goes_on_without_it() {
    static PROBING: AtomicBool = AtomicBool::new(false);
    static CROWDED: AtomicBool = AtomicBool::new(false);
    // More than there may be, once, while there is a probe.
    fn used() -> u64 {
        let is_probe = current().name() == Some("probe");
        match !is_probe && PROBING.load(Ordering::SeqCst) && !CROWDED.swap(true, Ordering::SeqCst) {
            true => u64::MAX,
            false => 0,
        }
    }
    let mut observer = |progress: &Progress| {
        while progress.states > 3_000 && !PROBING.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(1));
        }
        true
    };
    let tree = tree(None, &PROBING);
    let found = nearest_errors(&tree, &options(Some(1 << 40), Some(used)), &mut observer);
    assert!(CROWDED.load(Ordering::SeqCst));
    assert_eq!((found.stop, found.progress.states), (None, 20_001));
    assert_eq!(found.progress.transitions, 20_000);
}

/// Whoever waits for the probe hears of it when nobody wants to wait any more.
#[test]
fn a_probe_that_is_waited_for_is_ended_by_whoever_asks() {
    static PROBING: AtomicBool = AtomicBool::new(false);
    // On the right side of the tree, where depth-first comes last.
    let tree = tree(Some(2_046), &PROBING);
    let begun = Instant::now();
    // From the fault on nobody wants to wait.
    let mut observer = |progress: &Progress| progress.expanded < 2_047;
    let found = nearest_errors(&tree, &options(None, None), &mut observer);
    assert_eq!(found.stop, Some(Stop::Interrupted));
    let fault = found.errors[ErrorClass::Fault].as_ref();
    assert!(fault.is_some_and(|fault| fault.shortest && fault.path.len() == 11));
    // It would have taken a hundred seconds.
    assert!(begun.elapsed() < Duration::from_secs(40));
}
