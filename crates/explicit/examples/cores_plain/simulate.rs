//! A breadth-first search with threads that work ahead of it, simulated with the times of one thread.
//!
//! The search takes units of states in their order. A thread is a clock and sleeps where there is nothing for it; what the search
//! has met is handed out in whole units, the oldest is taken first, and nobody is ahead by more than the rules of `explicit::ahead`
//! allow. With the *feed* others expand batches, and the search looks up what they found; with the shared *store* they do both for
//! chunks, and the search gives numbers. It expands by itself what nobody has claimed, and others while it waits for what
//! somebody is at. Where there are none it waits; it would expand some states a second time meanwhile, which changes no clock.
//!
//! Not simulated: lines of memory that go from core to core, and what it takes to wake somebody.

use std::collections::VecDeque;

use super::record::Unit;

/// How others help.
#[derive(Clone, Copy, PartialEq)]
pub enum Help {
    Feed,
    Store,
}

impl Help {
    /// What it takes to expand a unit, for whoever does it.
    pub fn expanding(self) -> fn(&Unit) -> f64 {
        match self {
            Help::Feed => |unit| unit.expanding,
            Help::Store => |unit| unit.expanding + SHARED * (unit.looking_up - unit.growing),
        }
    }

    /// The part of the work on a unit that nobody can take over.
    pub fn left_to_the_search(self) -> fn(&Unit) -> f64 {
        match self {
            Help::Feed => |unit| unit.looking_up,
            Help::Store => |unit| TAKING * (unit.looking_up - unit.growing),
        }
    }
}

/// What came of it, in nanoseconds.
#[derive(Default)]
pub struct Outcome {
    pub time: f64,
    pub waited: f64,
    /// The share of states that were expanded when the search came to them.
    pub ahead: f64,
}

/// So many states are expanded by one thread.
const ALONE: usize = 1 << 11;
/// Nobody is ahead by more states than this, nor by more than were expanded; with the shared store by some more.
const WINDOW: usize = 1 << 13;
const AHEAD: usize = 1 << 10;
/// Looking up in the shared store, by that in the store of one thread; and by the same, taking records of what others looked up. Eight
/// threads on two cores took 0.7 to 0.9 and 0.26 to 0.31, as a profile says (filter lock, sliding window).
const SHARED: f64 = 1.0;
const TAKING: f64 = 0.3;

struct Simulation<'t> {
    units: &'t [Unit],
    help: Help,
    /// When each unit was expanded; nothing if nobody is at it.
    ready: Vec<Option<f64>>,
    queue: VecDeque<usize>,
    /// The clocks of those who are awake and of those who sleep.
    awake: Vec<f64>,
    asleep: usize,
    /// The unit that the search takes next.
    at: usize,
}

/// Simulates a search with so many others.
pub fn simulate(units: &[Unit], help: Help, others: usize) -> Outcome {
    let mut simulation = Simulation {
        units,
        help,
        ready: vec![None; units.len()],
        queue: VecDeque::new(),
        awake: Vec::new(),
        asleep: others,
        at: 0,
    };
    simulation.run(others)
}

impl Simulation<'_> {
    fn run(&mut self, others: usize) -> Outcome {
        let mut outcome = Outcome::default();
        let (mut now, mut ahead, mut next) = (0.0, 0, 0);
        for at in 0..self.units.len() {
            self.at = at;
            let unit = &self.units[at];
            let first = self.first(at);
            if first < ALONE {
                now += unit.expanding + unit.looking_up;
                next = at + 1;
                continue;
            }
            self.others_until(now);
            // What was met is handed out.
            let met = self.units[at - 1].met;
            let last = match self.help {
                Help::Feed => met.min(first + first.min(WINDOW)),
                Help::Store => met,
            };
            next = next.max(at);
            while next < self.units.len() && self.units[next].expanded <= last {
                self.queue.push_back(next);
                next += 1;
                self.wake(now);
            }
            self.wake(now);
            self.others_until(now);
            if self.ready[at].is_some_and(|when| when <= now) {
                ahead += unit.expanded - first;
            }
            while self.ready[at].is_none_or(|when| when > now) {
                let own = self.ready[at].is_none().then_some(at);
                let Some(mine) = own.or_else(|| self.claim()) else {
                    let when = self.ready[at].unwrap_or(now);
                    outcome.waited += when - now;
                    now = when;
                    break;
                };
                now += self.help.expanding()(&self.units[mine]);
                self.ready[mine] = Some(now);
                self.others_until(now);
            }
            now += self.help.left_to_the_search()(unit);
            if self.help == Help::Store {
                // All who are there fill a larger table.
                now += SHARED * unit.growing / (others + 1) as f64;
            }
        }
        outcome.time = now;
        let all = self.units.last().map_or(1, |last| last.expanded);
        outcome.ahead = ahead as f64 / all as f64;
        outcome
    }

    /// The number of the first state of a unit.
    fn first(&self, at: usize) -> usize {
        at.checked_sub(1)
            .map_or(0, |before| self.units[before].expanded)
    }

    /// The oldest unit that nobody is at, if it is not too far ahead.
    fn claim(&mut self) -> Option<usize> {
        let taken = self.first(self.at);
        let far = match self.help {
            Help::Feed => usize::MAX, // no more were handed out
            Help::Store => taken + taken.min(WINDOW) + AHEAD,
        };
        while let Some(&next) = self.queue.front() {
            if self.first(next) > far {
                return None;
            }
            self.queue.pop_front();
            if self.ready[next].is_none() {
                return Some(next);
            }
        }
        None
    }

    /// Wakes somebody, if there is enough to do.
    fn wake(&mut self, now: f64) {
        let worth = match self.help {
            Help::Feed => 16,
            Help::Store => 8,
        };
        if self.queue.len() >= worth && self.asleep > 0 {
            self.asleep -= 1;
            self.awake.push(now);
        }
    }

    /// Lets others go on until some time.
    fn others_until(&mut self, now: f64) {
        loop {
            let clocks = self.awake.iter().enumerate();
            let Some((who, &clock)) = clocks.min_by(|a, b| a.1.total_cmp(b.1)) else {
                return;
            };
            if clock > now {
                return;
            }
            match self.claim() {
                None => {
                    self.awake.swap_remove(who);
                    self.asleep += 1;
                }
                Some(next) => {
                    self.awake[who] = clock + self.help.expanding()(&self.units[next]);
                    self.ready[next] = Some(self.awake[who]);
                }
            }
        }
    }
}
