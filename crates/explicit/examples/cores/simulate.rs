//! A decision with threads that expand states ahead of it, simulated with the times of a check in one thread.
//!
//! The decision asks for states in the order that was recorded, whatever others do. A thread is a clock and the state that
//! it is at; the one whose clock is behind goes on. Two ways to share the work are simulated as they are done
//! (`explicit::ahead`): *scouts* search ahead on their own and leave looking up to the decision; threads with a *shared* store take
//! states that have a number, those met last first, and look up what they find.

use super::recorder::Trace;

/// What the threads know of the product.
pub struct Way {
    /// For each letter and state of the automaton the one that comes first, if there is one.
    pub next: Vec<Vec<Option<u32>>>,
    /// The letter of each state.
    pub letters: Vec<u32>,
    /// For each state, in the order of the trace, where the automaton is when it is asked for.
    pub at: Vec<u32>,
}

/// How states are shared.
#[derive(Clone, Copy, PartialEq)]
pub enum Sharing {
    Scouts,
    Store,
}

/// What came of it.
pub struct Outcome {
    /// The time by that of one thread.
    pub time: f64,
    /// The share of states that were ready or at work when they were asked for, and of the time that was spent waiting.
    pub ahead: f64,
    pub waiting: f64,
}

/// So many states are expanded by one thread.
const ALONE: usize = 1 << 11;
/// Others may be ahead by so many more than their part of the states that were taken.
const AHEAD: usize = 1 << 10;
/// What copies of states take, by what it takes to expand them; and what a shared store takes by one that is not.
const COPY: f64 = 0.15;
const SHARED: f64 = 1.25;
/// States that are handed out at once where the store is shared.
const CHUNK: usize = 32;

/// Somebody who expands states.
#[derive(Clone)]
struct Worker {
    clock: f64,
    /// The states that it is at, with the automaton's.
    at: Vec<(u32, u32)>,
}

struct Simulation<'t> {
    trace: &'t Trace,
    way: &'t Way,
    sharing: Sharing,
    /// For each state, its place in the trace.
    places: Vec<usize>,
    /// For each state, when its record is there; nothing if nobody is at it.
    ready: Vec<Option<f64>>,
    stack: Vec<(u32, u32)>,
    later: Vec<(u32, u32)>,
    /// Where the store is shared: states with numbers, too few for a chunk; and whether a state has one.
    met: Vec<u32>,
    is_met: Vec<bool>,
    waiting: usize,
}

/// Simulates the decision with so many others.
pub fn simulate(trace: &Trace, way: &Way, sharing: Sharing, others: usize) -> Outcome {
    let count = way.letters.len();
    let mut places = vec![usize::MAX; count];
    for (place, step) in trace.states.iter().enumerate() {
        places[step.state as usize] = place;
    }
    let mut simulation = Simulation {
        trace,
        way,
        sharing,
        places,
        ready: vec![None; count],
        stack: Vec::new(),
        later: Vec::new(),
        met: Vec::new(),
        is_met: vec![false; count],
        waiting: 0,
    };
    simulation.run(others)
}

impl Simulation<'_> {
    fn run(&mut self, others: usize) -> Outcome {
        let mut workers = vec![
            Worker {
                clock: 0.0,
                at: Vec::new()
            };
            others
        ];
        let (mut now, mut alone, mut waited, mut ahead) = (0.0, 0.0, 0.0, 0usize);
        for place in 0..self.trace.states.len() {
            let step = &self.trace.states[place];
            let state = step.state as usize;
            let own = (step.expanding, step.looking_up, step.deciding);
            alone += own.0 + own.1 + own.2;
            if place >= ALONE {
                self.others_until(now, place, &mut workers);
            }
            match self.ready[state] {
                Some(when) => {
                    // Others wait for nobody: with a shared store the decision expands what is not there.
                    let is_late = when > now && self.sharing == Sharing::Store;
                    ahead += usize::from(!is_late);
                    self.waiting -= 1;
                    if is_late {
                        now += own.0 + SHARED * own.1;
                    } else {
                        waited += (when - now).max(0.0);
                        now = f64::max(when, now);
                    }
                    if self.sharing == Sharing::Scouts {
                        now += own.1;
                    }
                }
                None => {
                    self.ready[state] = Some(now);
                    let by_store = match self.sharing {
                        Sharing::Scouts => own.1,
                        Sharing::Store => SHARED * own.1,
                    };
                    if place >= ALONE && self.sharing == Sharing::Scouts {
                        self.go_on(step.state, self.way.at[place]);
                    }
                    now += own.0 + by_store;
                }
            }
            self.number(place);
            now += own.2;
            for worker in &mut workers {
                if place < ALONE {
                    worker.clock = now;
                }
            }
        }
        let all = self.trace.states.len() as f64;
        Outcome {
            time: now / alone,
            ahead: ahead as f64 / all,
            waiting: waited / now,
        }
    }

    /// Lets others go on until some time.
    fn others_until(&mut self, now: f64, taken: usize, workers: &mut [Worker]) {
        while let Some(worker) = workers
            .iter_mut()
            .min_by(|a, b| a.clock.total_cmp(&b.clock))
            && worker.clock <= now
        {
            for (state, at) in std::mem::take(&mut worker.at) {
                if self.sharing == Sharing::Scouts {
                    self.go_on(state, at);
                }
            }
            let most = match self.sharing {
                Sharing::Scouts => taken / 4,
                Sharing::Store => taken,
            };
            let next = match self.waiting > most + AHEAD {
                true => Vec::new(),
                false => self.next(),
            };
            if next.is_empty() {
                worker.clock = now + 1.0; // asleep until the decision has gone on
            }
            let from = worker.clock;
            for &(state, _) in &next {
                let step = &self.trace.states[self.places[state as usize]];
                worker.clock += match self.sharing {
                    Sharing::Scouts => (1.0 + COPY) * step.expanding,
                    Sharing::Store => step.expanding + SHARED * step.looking_up,
                };
                self.ready[state as usize] = Some(worker.clock);
                self.waiting += 1;
            }
            if self.sharing == Sharing::Store && worker.clock > from {
                // A chunk is handed over as a whole.
                for &(state, _) in &next {
                    self.ready[state as usize] = Some(worker.clock);
                }
            }
            worker.at = next;
        }
    }

    /// What somebody expands next.
    fn next(&mut self) -> Vec<(u32, u32)> {
        let mut next = Vec::new();
        let most = match self.sharing {
            Sharing::Scouts => 1,
            Sharing::Store => CHUNK,
        };
        while next.len() < most
            && let Some((state, at)) = self.stack.pop().or_else(|| self.later.pop())
        {
            if self.ready[state as usize].is_none() {
                next.push((state, at));
            }
        }
        next
    }

    /// A scout goes on behind a state.
    fn go_on(&mut self, state: u32, at: u32) {
        let letter = self.way.letters[state as usize] as usize;
        let (stack, at) = match self.way.next[letter][at as usize] {
            Some(next) => (&mut self.stack, next),
            None => (&mut self.later, 0),
        };
        let successors = &self.trace.states[self.places[state as usize]].successors;
        for &successor in successors.iter().rev() {
            if self.ready[successor as usize].is_none() {
                stack.push((successor, at));
            }
        }
    }

    /// The decision has met the successors of a state; with a shared store they are handed out.
    fn number(&mut self, place: usize) {
        if self.sharing == Sharing::Scouts {
            return;
        }
        for &successor in &self.trace.states[place].successors {
            if !std::mem::replace(&mut self.is_met[successor as usize], true) {
                self.met.push(successor);
            }
        }
        if self.met.len() >= CHUNK {
            // The first of a chunk is expanded first.
            let chunk = self.met.drain(..).rev();
            self.stack.extend(chunk.map(|state| (state, 0)));
        }
    }
}
