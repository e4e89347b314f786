//! A store that notes when it was asked for what.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use evenhand_explicit::store::{Full, PlainStore, StateId, Store};

/// What was noted.
#[derive(Clone, Default)]
pub struct Recorder(Rc<RefCell<Notes>>);

#[derive(Default)]
struct Notes {
    begin: Option<Instant>,
    /// States in the order in which they were expanded.
    expanded: Vec<Noted>,
    successors: Vec<u32>,
    /// What kind of work goes on, and since when.
    phase: Phase,
    since: u64,
    /// When the last look-up ended.
    found: u64,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Phase {
    #[default]
    Beginning,
    Expanding,
    LookingUp,
}

#[derive(Clone, Copy, Default)]
struct Noted {
    state: u32,
    /// Where its successors begin.
    first: u32,
    expanding: u32,
    looking_up: u32,
    deciding: u32,
}

/// A check in one thread, state by state.
pub struct Trace {
    pub states: Vec<Step>,
}

/// A state that was expanded: nanoseconds.
pub struct Step {
    pub state: u32,
    pub successors: Vec<u32>,
    pub expanding: f64,
    pub looking_up: f64,
    /// What the decision did afterwards, until it asked for the next one.
    pub deciding: f64,
}

/// The store.
pub struct Recording {
    plain: PlainStore,
    notes: Recorder,
}

impl Notes {
    /// The nanoseconds since the beginning.
    fn now(&mut self) -> u64 {
        let begin = *self.begin.get_or_insert_with(Instant::now);
        begin.elapsed().as_nanos() as u64
    }

    /// From now on another kind of work goes on.
    fn turn(&mut self, phase: Phase) {
        let now = self.now();
        if let Some(last) = self.expanded.last_mut() {
            // The last successor was looked up some time ago, if there was one.
            let found = self.found.max(self.since);
            match self.phase {
                Phase::Expanding => last.expanding += (now - self.since) as u32,
                Phase::LookingUp if phase == Phase::LookingUp => {}
                _ => {
                    last.looking_up += (found - self.since) as u32;
                    last.deciding += (now - found) as u32;
                }
            }
        }
        (self.phase, self.since) = (phase, now);
    }
}

impl Recorder {
    pub fn store(&self) -> Recording {
        Recording {
            plain: PlainStore::new(),
            notes: self.clone(),
        }
    }

    /// What was noted, without the time that noting took.
    pub fn trace(&self) -> Trace {
        let stamp = stamp();
        let mut notes = self.0.borrow_mut();
        notes.turn(Phase::Beginning);
        let ends = notes
            .expanded
            .iter()
            .skip(1)
            .map(|next| next.first as usize);
        let ends = ends.chain([notes.successors.len()]);
        let less =
            |noted: u32, stamps: usize| f64::max(0.0, f64::from(noted) - stamp * stamps as f64);
        let states = notes.expanded.iter().zip(ends).map(|(noted, end)| {
            let successors = notes.successors[noted.first as usize..end].to_vec();
            Step {
                state: noted.state,
                expanding: less(noted.expanding, 1),
                looking_up: less(noted.looking_up, successors.len()),
                deciding: less(noted.deciding, 1),
                successors,
            }
        });
        Trace {
            states: states.collect(),
        }
    }
}

impl Store for Recording {
    fn hash(&self, state: &[u8]) -> u64 {
        self.plain.hash(state)
    }

    fn prefetch(&self, hash: u64) {
        self.plain.prefetch(hash);
    }

    fn insert_hashed(&mut self, hash: u64, state: &[u8]) -> Result<(StateId, bool), Full> {
        let mut notes = self.notes.0.borrow_mut();
        if notes.phase == Phase::Expanding {
            notes.turn(Phase::LookingUp);
        }
        let found = self.plain.insert_hashed(hash, state);
        if let Ok((id, _)) = found
            && notes.phase == Phase::LookingUp
        {
            notes.successors.push(id.number());
            notes.found = notes.now();
        }
        found
    }

    /// A state is loaded where it is expanded for the first time.
    fn load(&self, id: StateId, state: &mut Vec<u8>) {
        let mut notes = self.notes.0.borrow_mut();
        notes.turn(Phase::Expanding);
        let first = notes.successors.len() as u32;
        notes.expanded.push(Noted {
            state: id.number(),
            first,
            ..Noted::default()
        });
        self.plain.load(id, state);
    }

    fn len(&self) -> usize {
        self.plain.len()
    }

    fn bytes_used(&self) -> usize {
        self.plain.bytes_used()
    }
}

/// The nanoseconds that it takes to look at the clock.
fn stamp() -> f64 {
    const TIMES: u32 = 1 << 18;
    let begin = Instant::now();
    for _ in 0..TIMES {
        std::hint::black_box(begin.elapsed());
    }
    begin.elapsed().as_nanos() as f64 / f64::from(TIMES)
}
