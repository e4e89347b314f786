//! Random processes and what fairness makes of them: the same system as three graphs.

use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Marks, Pair, Streett};

use crate::promela_programs::random::Random;

/// Which fairness is assumed of every process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// None.
    None,
    /// A process that is enabled from some point on moves again and again.
    Weak,
    /// A process that is enabled again and again moves again and again.
    Strong,
}

/// States, and steps in which one or two processes take part.
#[derive(Clone, Debug)]
pub struct Processes {
    states: usize,
    processes: usize,
    /// Source, processes that take part as a bit set, target.
    steps: Vec<(usize, usize, usize)>,
    accepting: Vec<bool>,
}

/// A random system of up to 8 states and 3 processes.
pub fn random_processes(random: &mut Random) -> Processes {
    let states = random.between(1, 8);
    let processes = random.between(1, 3);
    let steps = (0..random.between(1, 2 * states + 2))
        .map(|_| {
            let mut part = 1 << random.below(processes);
            if random.percent(20) {
                part |= 1 << random.below(processes);
            }
            (random.below(states), part, random.below(states))
        })
        .collect();
    Processes {
        states,
        processes,
        steps,
        accepting: (0..states).map(|_| random.percent(60)).collect(),
    }
}

/// A random system of up to 4 processes, some of whose steps lead to a goal, the last state. What
/// is accepting is to stay away from it: there are many ways to exclude that by fairness.
pub fn random_pursuit(random: &mut Random) -> Processes {
    let states = random.between(2, 6);
    let processes = random.between(2, 4);
    let goal = states - 1;
    let often = *random.pick(&[25, 35, 50]);
    let helpful = *random.pick(&[15, 30, 45]);
    let mut steps = vec![(goal, 1, goal)];
    for source in 0..goal {
        for process in 0..processes {
            if random.percent(often) {
                let partner = if random.percent(15) { 1 } else { 0 };
                let part = 1 << process | partner << random.below(processes);
                let target = match random.percent(helpful) {
                    true => goal,
                    false => random.below(goal),
                };
                steps.push((source, part, target));
            }
        }
        // Somebody can go on.
        let target = random.below(goal);
        steps.push((source, 1 << random.below(processes), target));
    }
    Processes {
        states,
        processes,
        steps,
        accepting: (0..states).map(|state| state != goal).collect(),
    }
}

impl Processes {
    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// The runs that visit an accepting state again and again and are fair. Mark 0 says accepting;
    /// process i has marks for being enabled, for moving, and for one that is moving or not
    /// enabled.
    pub fn graph(&self, fairness: Fairness) -> PlainGraph<1> {
        let (enabled, moves, settled) = (|i| 1 + 3 * i, |i| 2 + 3 * i, |i| 3 + 3 * i);
        let mut buchi = Marks::single(0);
        let mut pairs = Vec::new();
        for i in 0..self.processes {
            match fairness {
                Fairness::None => {}
                Fairness::Weak => buchi.insert(settled(i)),
                Fairness::Strong => pairs.push(Pair {
                    request: enabled(i) as u16,
                    grant: moves(i) as u16,
                }),
            }
        }
        let mut graph = PlainGraph::new(Streett::new(buchi, pairs), self.states);
        for &(source, part, target) in &self.steps {
            let mut marks = Vec::new();
            if self.accepting[source] {
                marks.push(0);
            }
            for i in 0..self.processes {
                let is_enabled = self
                    .steps
                    .iter()
                    .any(|s| s.0 == source && s.1 >> i & 1 == 1);
                let takes_part = part >> i & 1 == 1;
                if is_enabled {
                    marks.push(enabled(i));
                }
                if takes_part {
                    marks.push(moves(i));
                }
                if takes_part || !is_enabled {
                    marks.push(settled(i));
                }
            }
            graph.add(source, &marks, target);
        }
        graph
    }
}
