//! All minimal assignments under which something holds, from the runs that break it.
//!
//! An assignment gives each of n items a level: absent, weak or strong. More fairness leaves fewer
//! runs, so what holds under an assignment holds under every greater one, and the question is for the
//! minimal ones. There are 3^n assignments. Trying them is hopeless; lowering one level after the
//! other finds one, at the price of up to 2n checks, and says nothing about the others.
//!
//! Here runs that break the property do the pruning. Such a run is excluded by item i from some level
//! on, or never. An assignment that holds must exclude each of them: every run is a *clause*, "item 1 at
//! least weak, or item 4 strong, or …", and the assignments that hold are those that satisfy the
//! clauses of all runs. So: take a minimal assignment that satisfies the clauses known so far, and check
//! it. If it fails, the runs that break it are new clauses, which it does not satisfy. If it holds, it is
//! minimal at once: whatever is less violates a known clause, so some known run breaks it. This is the duality
//! between minimal sets that are enough and minimal sets that hit all conflicts (Reiter, "A theory of
//! diagnosis from first principles", 1987; Liffiton et al., "Fast, flexible MUS enumeration", 2016).
//!
//! The next one must not be above one found before: for each of those some item is capped below its
//! level there. The choices of caps are searched depth-first; a choice under which even the greatest
//! assignment violates a clause is given up. If no choice is left, all were found.
//!
//! Cost: one check per minimal assignment, and one per round of new clauses; few, if a failing check hands
//! over runs that are as fair as possible. The search for caps is exponential in the number of minimal
//! assignments at worst; it has a bound, and gives up the claim to be complete there.

use evenhand_explicit::search::Stop;

/// What is assumed of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing.
    #[default]
    Absent,
    /// Weak fairness.
    Weak,
    /// Strong fairness.
    Strong,
}

impl Level {
    /// The level below, if there is one.
    pub fn below(self) -> Option<Level> {
        match self {
            Level::Absent => None,
            Level::Weak => Some(Level::Absent),
            Level::Strong => Some(Level::Weak),
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Level::Absent => "absent",
            Level::Weak => "weak",
            Level::Strong => "strong",
        }
    }
}

/// A level for each item.
pub type Assignment = Vec<Level>;

/// For each item the least level that excludes a run; none if no level does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clause(pub Vec<Option<Level>>);

impl Clause {
    /// Whether an assignment excludes the run.
    pub fn is_satisfied(&self, assignment: &[Level]) -> bool {
        let excludes = |(need, level): (&Option<Level>, &Level)| need.is_some_and(|n| *level >= n);
        self.0.iter().zip(assignment).any(excludes)
    }

    /// Whether whoever satisfies this one satisfies the other.
    pub fn implies(&self, other: &Clause) -> bool {
        self.0.iter().zip(&other.0).all(|pair| match pair {
            (None, _) => true,
            (Some(own), Some(others)) => others <= own,
            (Some(_), None) => false,
        })
    }
}

/// Decides assignments.
pub trait Oracle {
    /// Runs that break the property under an assignment, none of them excluded by it; no run at all if
    /// and only if it holds.
    ///
    /// # Errors
    /// If a limit was reached.
    fn check(&mut self, assignment: &[Level]) -> Result<Vec<Clause>, Stop>;
}

/// The search for minimal assignments.
#[derive(Clone, Debug)]
pub struct Minimal {
    items: usize,
    clauses: Vec<Clause>,
    found: Vec<Assignment>,
}

/// What a step of the search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another minimal assignment.
    Found(Assignment),
    /// There are no others.
    NoMore,
    /// Whether there are others was not found out.
    Unknown,
}

/// How many choices of caps are looked at before the search gives up.
const MOST_CHOICES: usize = 200_000;

impl Minimal {
    /// Of that many items. Where there is a choice, the levels of the first ones are lowered first.
    pub fn new(items: usize) -> Minimal {
        Minimal {
            items,
            clauses: Vec::new(),
            found: Vec::new(),
        }
    }

    /// The minimal assignments found so far.
    pub fn found(&self) -> &[Assignment] {
        &self.found
    }

    /// Whether some run is excluded by nothing.
    pub fn is_hopeless(&self) -> bool {
        let hopeless = |clause: &Clause| clause.0.iter().all(Option::is_none);
        self.clauses.iter().any(hopeless)
    }

    /// Looks for another minimal assignment.
    ///
    /// # Errors
    /// If the oracle reached a limit.
    pub fn next(&mut self, oracle: &mut dyn Oracle) -> Result<Next, Stop> {
        loop {
            let mut choices = MOST_CHOICES;
            let top = vec![Level::Strong; self.items];
            let candidate = match self.below_caps(top, 0, &mut choices) {
                Some(top) => self.lowered(top),
                None if choices == 0 => return Ok(Next::Unknown),
                None => return Ok(Next::NoMore),
            };
            let broken = oracle.check(&candidate)?;
            if broken.is_empty() {
                self.found.push(candidate.clone());
                return Ok(Next::Found(candidate));
            }
            debug_assert!(broken.iter().all(|c| !c.is_satisfied(&candidate)));
            broken.into_iter().for_each(|clause| self.learn(clause));
        }
    }

    /// Adds a clause, unless others say as much already.
    pub fn learn(&mut self, clause: Clause) {
        if self.clauses.iter().any(|known| known.implies(&clause)) {
            return;
        }
        self.clauses.retain(|known| !clause.implies(known));
        self.clauses.push(clause);
    }

    fn satisfies(&self, assignment: &[Level]) -> bool {
        self.clauses.iter().all(|c| c.is_satisfied(assignment))
    }

    /// The greatest assignment for some choice of caps that is below `top`, satisfies all clauses and is
    /// above none of those found from the given one on.
    fn below_caps(&self, top: Assignment, from: usize, choices: &mut usize) -> Option<Assignment> {
        if *choices == 0 || !self.satisfies(&top) {
            return None;
        }
        *choices -= 1;
        let above = |known: &Assignment| top.iter().zip(known).all(|(a, b)| a >= b);
        let Some(next) = (from..self.found.len()).find(|&k| above(&self.found[k])) else {
            return Some(top);
        };
        for (item, level) in self.found[next].iter().enumerate() {
            if let Some(cap) = level.below() {
                let mut capped = top.clone();
                capped[item] = cap;
                let answer = self.below_caps(capped, next + 1, choices);
                if answer.is_some() || *choices == 0 {
                    return answer;
                }
            }
        }
        None
    }

    /// A minimal assignment below this one that satisfies all clauses: strong becomes weak wherever it
    /// can, then weak becomes absent.
    fn lowered(&self, mut assignment: Assignment) -> Assignment {
        for to in [Level::Weak, Level::Absent] {
            for item in 0..self.items {
                let before = assignment[item];
                if before.below() == Some(to) {
                    assignment[item] = to;
                    if !self.satisfies(&assignment) {
                        assignment[item] = before;
                    }
                }
            }
        }
        assignment
    }
}
