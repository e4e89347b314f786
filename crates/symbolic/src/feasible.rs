//! FEASIBLE: the states from which a fair run exists.
//!
//! **Problem.** Given sets for justice and pairs of sets for compassion, which reachable states
//! begin a run that is fair to all of them?
//!
//! **Idea.** Kesten, Pnueli, Raviv and Shahar (2001): throw away what cannot be on a fair cycle
//! until nothing changes. Going backward, a state must reach each justice set inside of what is
//! left; for a pair (p, q) it must reach q or not be in p; and it must have a successor. What
//! remains is the *core*: each of its terminal components is fair. As printed the algorithm loses
//! runs that pass through p before their cycle; so the verdict is taken from the core, and the
//! feasible states are its *closure*, everything that reaches it by the original steps.
//!
//! **Variants.** Forward with predecessors and successors exchanged, and both at once, leave a set
//! that contains all fair cycles but is no core; one backward pass inside of it makes one. Dead
//! ends are removed to the end or one layer a round. The steps are restricted to what is left, or
//! the sets are intersected with it: leaving both out is unsound.
//!
//! **Cost.** Quadratic in the number of states, in images; in practice a few rounds.

use crate::image::{Steps, Towards};
use crate::manager::{Manager, Outcome, Set};
use crate::reach::closure;

/// Which way FEASIBLE looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Direction {
    /// Forward beside a tester, where most runs are to be ruled out; backward on the model alone,
    /// where most states have a fair run.
    #[default]
    Auto,
    /// States must reach what fairness asks for.
    Backward,
    /// States must be reached from it.
    Forward,
    /// Both.
    Bidirectional,
}

/// How states without a successor are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DeadEnds {
    /// Until there are none.
    #[default]
    Exhaustive,
    /// One layer in each round.
    OneStep,
}

/// How the search stays inside of what is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Restriction {
    /// The sets are intersected with it.
    #[default]
    Sets,
    /// The steps are restricted to it, as diagrams.
    Relation,
}

/// The variant of FEASIBLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Method {
    /// Which way it looks.
    pub direction: Direction,
    /// How dead ends are removed.
    pub dead_ends: DeadEnds,
    /// How it stays inside of what is left.
    pub restriction: Restriction,
}

impl Method {
    /// The same with a direction, if it has none.
    pub(crate) fn or(self, direction: Direction) -> Method {
        match self.direction {
            Direction::Auto => Method { direction, ..self },
            _ => self,
        }
    }
}

/// What a fair run meets infinitely often.
#[derive(Clone, Default)]
pub(crate) struct Fairness {
    pub justice: Vec<Set>,
    /// If the first infinitely often, then the second.
    pub compassion: Vec<(Set, Set)>,
}

/// The core inside of a set of states; every fair cycle in it is in the core. If no step leads out
/// of the set, `all` are all states there are: then a state is a dead end if it has no step at all,
/// which is easier to find out than whether one stays inside.
pub(crate) fn core(
    m: &Manager,
    steps: &Steps,
    (states, all): (&Set, Option<&Set>),
    fairness: &Fairness,
    method: Method,
) -> Outcome<Set> {
    let mut hull = states.clone();
    if let Some(all) = all {
        let alive = m.and(&hull, &steps.image(m, all, Towards::Past)?)?;
        let is_plain = fairness.justice.is_empty() && fairness.compassion.is_empty();
        if is_plain && alive == hull {
            return Ok(hull);
        }
        hull = alive;
    }
    if let Direction::Forward | Direction::Bidirectional = method.direction {
        hull = eliminate(m, steps, &hull, fairness, method)?;
    }
    let backward = Method {
        direction: Direction::Backward,
        ..method
    };
    eliminate(m, steps, &hull, fairness, backward)
}

/// One thing that must hold of what is left.
#[derive(Clone, Copy)]
enum Demand {
    Justice(usize),
    Compassion(usize),
    NoDeadEnd,
}

struct Elimination<'a> {
    m: &'a Manager,
    steps: &'a Steps,
    restricted: Option<Steps>,
    method: Method,
}

fn eliminate(
    m: &Manager,
    steps: &Steps,
    states: &Set,
    fairness: &Fairness,
    method: Method,
) -> Outcome<Set> {
    let mut run = Elimination {
        m,
        steps,
        restricted: None,
        method,
    };
    // The cheap demands first: an expensive one is worth its price only if all others are content.
    let mut demands = vec![Demand::NoDeadEnd];
    demands.extend((0..fairness.justice.len()).map(Demand::Justice));
    demands.extend((0..fairness.compassion.len()).map(Demand::Compassion));
    let cheap = demands.len() - fairness.compassion.len();
    let mut left = states.clone();
    // What was left when a demand was met last.
    let mut met: Vec<Option<Set>> = vec![None; demands.len()];
    let mut turn = 0;
    while !m.is_empty(&left) {
        let is_open = |at: &usize| met[*at].as_ref() != Some(&left);
        let next = (0..cheap).map(|k| (turn + k) % cheap).find(is_open);
        let Some(at) = next.or_else(|| (cheap..demands.len()).find(is_open)) else {
            break;
        };
        if at < cheap {
            turn = at + 1;
        }
        let before = left.clone();
        left = run.meet(demands[at], fairness, left)?;
        // What a demand leaves satisfies it; but one layer of dead ends may uncover another.
        let is_layer = matches!(demands[at], Demand::NoDeadEnd) && left != before;
        if !(is_layer && method.dead_ends == DeadEnds::OneStep) {
            met[at] = Some(left.clone());
        }
        if left != before && method.restriction == Restriction::Relation {
            run.restricted = Some(run.steps.restricted(m, &left)?);
        }
    }
    Ok(left)
}

impl Elimination<'_> {
    fn steps(&self) -> &Steps {
        self.restricted.as_ref().unwrap_or(self.steps)
    }

    /// The part of a set that satisfies a demand inside of it.
    fn meet(&mut self, demand: Demand, fairness: &Fairness, left: Set) -> Outcome<Set> {
        let m = self.m;
        match demand {
            Demand::Justice(at) => {
                let goal = m.and(&left, &fairness.justice[at])?;
                self.connected(&goal, &left)
            }
            Demand::Compassion(at) => {
                let (when, then) = &fairness.compassion[at];
                if !m.meet(&left, when)? {
                    return Ok(left);
                }
                let goal = m.and(&left, then)?;
                let free = m.minus(&left, when)?;
                m.or(&free, &self.connected(&goal, &left)?)
            }
            Demand::NoDeadEnd => self.without_dead_ends(&left),
        }
    }

    /// The directions in which something must be found.
    fn directions(&self) -> &'static [Towards] {
        match self.method.direction {
            Direction::Auto | Direction::Backward => &[Towards::Past],
            Direction::Forward => &[Towards::Future],
            Direction::Bidirectional => &[Towards::Past, Towards::Future],
        }
    }

    /// The states of a set that reach a goal inside of it (or are reached from it, or both).
    fn connected(&mut self, goal: &Set, within: &Set) -> Outcome<Set> {
        let mut all = within.clone();
        for &towards in self.directions() {
            let steps = self.restricted.as_ref().unwrap_or(self.steps);
            let found = closure(self.m, steps, goal, Some(within), towards)?;
            all = self.m.and(&all, &found)?;
        }
        Ok(all)
    }

    fn without_dead_ends(&mut self, states: &Set) -> Outcome<Set> {
        let mut left = states.clone();
        loop {
            self.m.round();
            let before = left.clone();
            for &towards in self.directions() {
                let alive = self.steps().image(self.m, &left, towards)?;
                left = self.m.and(&left, &alive)?;
            }
            if left == before || self.method.dead_ends == DeadEnds::OneStep {
                return Ok(left);
            }
        }
    }
}
