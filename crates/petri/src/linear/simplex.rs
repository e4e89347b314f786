//! The simplex method, for constraints on the markings of the state equation.
//!
//! **Problem.** Find numbers of firings, not negative, such that the marking behind them is not negative and meets
//! constraints; or weights which show that there are none.
//!
//! **Idea** (Dantzig; the first of two phases). With no firing at all every place has its first tokens, which is
//! a basis. Each constraint that is not met has a variable for what is missing, and the sum of these is made smaller.
//! Where it cannot be and is not 0, the reduced costs of places and constraints are the weights ([`super::weights`]).
//! The tableau is dense and kept as a dictionary: each basic variable as a sum of the others.
//!
//! **Limits.** Numbers are floating point, so the weights are only a proposal; they are rounded to small fractions, since
//! those of nets mostly are. The search ends after some effort.

use evenhand_source::budget::spend_many;

use super::weights::{Constraint, Weights};
use crate::net::Net;

/// Smaller numbers are none.
const TINY: f64 = 1e-9;
/// So little may be missing in the end.
const CLOSE: f64 = 1e-6;
/// After so many steps without progress the order of variables decides, which cannot go on for ever.
const PATIENCE: usize = 40;
/// Fractions with these denominators are tried.
const DENOMINATORS: [i64; 36] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 21, 22, 24, 26, 28, 30, 36, 40,
    42, 48, 60, 72, 84, 120, 180, 360, 840, 2520,
];

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    /// How often a transition fires, or tokens of a place are thrown away.
    Firing,
    /// The tokens of a place.
    Tokens(u32),
    /// By how much more than asked for a constraint is met.
    Excess(u32),
    /// By how much a constraint is not met.
    Missing,
}

/// A dictionary: basic variables as sums of the others.
pub(super) struct Tableau {
    /// For each row the constant, then a factor for each column.
    numbers: Vec<f64>,
    width: usize,
    basic: Vec<Variable>,
    others: Vec<Variable>,
    /// What is missing altogether, in the same form.
    costs: Vec<f64>,
    place_count: usize,
    constraints: Vec<Constraint>,
}

/// Weights as they were found.
pub(super) struct Found {
    places: Vec<f64>,
    constraints: Vec<f64>,
}

/// The places that are reset by some transition.
fn resets(net: &Net) -> Vec<u32> {
    let changes = net.transitions.iter().flat_map(|t| &t.changes);
    let mut all: Vec<u32> = changes.filter(|c| c.reset).map(|c| c.place).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Tableau {
    /// How many numbers there would be.
    pub fn size(net: &Net, constraints: &[Constraint]) -> usize {
        let columns = 1 + net.transitions.len() + resets(net).len() + constraints.len();
        columns.saturating_mul(net.places.len() + constraints.len())
    }

    /// The beginning, with no firing.
    pub fn new(net: &Net, constraints: &[Constraint]) -> Tableau {
        let resets = resets(net);
        let (firings, drains) = (net.transitions.len(), resets.len());
        let width = 1 + firings + drains + constraints.len();
        let place_count = net.places.len();
        let mut others = vec![Variable::Firing; firings + drains];
        others.extend((0..constraints.len()).map(|j| Variable::Excess(j as u32)));
        let mut numbers = vec![0.0; width * (place_count + constraints.len())];
        let mut basic: Vec<Variable> = Vec::new();
        for (place, known) in net.places.iter().enumerate() {
            numbers[place * width] = f64::from(known.initial);
            basic.push(Variable::Tokens(place as u32));
        }
        for (number, transition) in net.transitions.iter().enumerate() {
            for change in &transition.changes {
                let at = change.place as usize * width + 1 + number;
                numbers[at] += change.difference as f64;
            }
        }
        for (number, &place) in resets.iter().enumerate() {
            numbers[place as usize * width + 1 + firings + number] = -1.0;
        }
        let mut costs = vec![0.0; width];
        for (number, constraint) in constraints.iter().enumerate() {
            // How much it is met by, as a sum of firings.
            let mut row = vec![0.0; width];
            row[0] = -(constraint.least as f64);
            for &(place, factor) in &constraint.sum {
                let own = &numbers[place as usize * width..(place as usize + 1) * width];
                for (sum, number) in row.iter_mut().zip(own) {
                    *sum += factor as f64 * number;
                }
            }
            let at = place_count + number;
            let excess = 1 + firings + drains + number;
            if row[0] >= 0.0 {
                basic.push(Variable::Excess(number as u32));
                // Its column is not used.
                others[excess - 1] = Variable::Missing;
            } else {
                row.iter_mut().for_each(|number| *number = -*number);
                row[excess] = 1.0;
                basic.push(Variable::Missing);
                for (cost, number) in costs.iter_mut().zip(&row) {
                    *cost += number;
                }
            }
            numbers[at * width..(at + 1) * width].copy_from_slice(&row);
        }
        Tableau {
            numbers,
            width,
            basic,
            others,
            costs,
            place_count,
            constraints: constraints.to_vec(),
        }
    }

    /// Weights that show there is no solution, if it is so and found within some effort; and the work it was.
    pub fn infeasible(&mut self, most: usize) -> (Option<Found>, usize) {
        let (mut work, mut idle) = (0, 0);
        loop {
            if self.costs[0] <= CLOSE {
                return (None, work);
            }
            let Some(column) = self.entering(idle > PATIENCE) else {
                return (Some(self.found()), work);
            };
            let Some(row) = self.leaving(column) else {
                return (None, work);
            };
            let before = self.costs[0];
            self.pivot(row, column);
            idle = if self.costs[0] < before - TINY {
                0
            } else {
                idle + 1
            };
            work += self.numbers.len();
            spend_many(self.numbers.len() / 16);
            if work > most {
                return (None, work);
            }
        }
    }

    /// The variable that is made larger: the one that helps most, or the first that helps.
    fn entering(&self, first: bool) -> Option<usize> {
        let costs = self.costs.iter().enumerate().skip(1);
        let mut helpful = costs.filter(|&(column, &cost)| {
            // What is no longer missing stays so.
            cost < -TINY && self.others[column - 1] != Variable::Missing
        });
        if first {
            return helpful.next().map(|(column, _)| column);
        }
        helpful
            .min_by(|a, b| a.1.total_cmp(b.1))
            .map(|(column, _)| column)
    }

    /// The row whose variable becomes 0 first.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (row, numbers) in self.numbers.chunks_exact(self.width).enumerate() {
            let factor = numbers[column];
            if factor < -TINY {
                let limit = numbers[0].max(0.0) / -factor;
                // What is missing leaves first among equals.
                let is_better = best.is_none_or(|(known, least)| {
                    limit < least - TINY
                        || limit <= least + TINY
                            && self.basic[row] == Variable::Missing
                            && self.basic[known] != Variable::Missing
                });
                if is_better {
                    best = Some((row, limit));
                }
            }
        }
        best.map(|(row, _)| row)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.width;
        let mut own = self.numbers[row * width..(row + 1) * width].to_vec();
        let by = -1.0 / own[column];
        own[column] = -1.0;
        own.iter_mut().for_each(|number| *number *= by);
        let put = |numbers: &mut [f64]| {
            let factor = std::mem::replace(&mut numbers[column], 0.0);
            if factor != 0.0 {
                for (number, own) in numbers.iter_mut().zip(&own) {
                    *number += factor * own;
                    if number.abs() < TINY {
                        *number = 0.0;
                    }
                }
            }
        };
        for (at, numbers) in self.numbers.chunks_exact_mut(width).enumerate() {
            if at != row {
                put(numbers);
            }
        }
        put(&mut self.costs);
        self.numbers[row * width..(row + 1) * width].copy_from_slice(&own);
        std::mem::swap(&mut self.basic[row], &mut self.others[column - 1]);
    }

    /// The weights of the end.
    fn found(&self) -> Found {
        let mut places = vec![0.0; self.place_count];
        let mut constraints = vec![0.0; self.constraints.len()];
        for (variable, &cost) in self.others.iter().zip(&self.costs[1..]) {
            match *variable {
                Variable::Tokens(place) => places[place as usize] = cost,
                Variable::Excess(number) => constraints[number as usize] = cost,
                Variable::Firing | Variable::Missing => {}
            }
        }
        for (constraint, factor) in self.constraints.iter().zip(&constraints) {
            for &(place, by) in &constraint.sum {
                places[place as usize] += factor * by as f64;
            }
        }
        Found {
            places,
            constraints,
        }
    }
}

impl Found {
    /// Whole numbers that are near a multiple of the weights.
    pub fn rounded(&self) -> impl Iterator<Item = Weights> + '_ {
        DENOMINATORS.iter().map(|&by| {
            let round = |list: &[f64]| {
                list.iter()
                    .map(|w| (w * by as f64).round() as i64)
                    .collect()
            };
            Weights {
                places: round(&self.places),
                constraints: round(&self.constraints),
            }
        })
    }
}
