//! Variables as bits.
//!
//! A value of an enumeration or a range is its place in the list, in as few bits as possible; a
//! word is its own bits. Each bit of a variable of the state has two variables of the diagrams, for
//! now and for the next state, one above the other: then a set over the next state has the shape of
//! the same set over the current one, and renaming is cheap. The bits of one variable stand
//! together, the highest first; long numbers that are added or compared have theirs mixed.

use evenhand_system::relation::{Relation, Role, Sort, VarId};
use oxidd::VarNo;

use crate::manager::{Manager, Outcome, Set};

/// One bit of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bit {
    /// Its value now.
    pub now: VarNo,
    /// Its value in the next state; inputs have none.
    pub next: Option<VarNo>,
}

/// Which state is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum When {
    Now,
    Next,
}

/// A variable in bits.
#[derive(Clone, Debug)]
pub(crate) struct Coded {
    /// Its bits, the highest first.
    pub bits: Vec<Bit>,
    /// Its values.
    pub sort: Sort,
    /// Whether it belongs to steps only.
    pub is_input: bool,
}

/// All variables of a relation in bits.
#[derive(Clone, Debug)]
pub(crate) struct Coding {
    /// By number of the variable.
    pub variables: Vec<Coded>,
    /// The number of bits of the state.
    pub state_bits: usize,
}

/// The number of values of a sort, less one.
fn last_place(sort: &Sort) -> u64 {
    match sort {
        Sort::Values(list) => list.len().saturating_sub(1) as u64,
        _ => {
            let (low, high) = sort.bounds();
            high.abs_diff(low)
        }
    }
}

/// How many bits the values of a sort need.
pub(crate) fn width(sort: &Sort) -> usize {
    match sort {
        Sort::Word(word) => usize::from(word.bits),
        _ => (u64::BITS - last_place(sort).leading_zeros()) as usize,
    }
}

impl Coding {
    /// Gives bits to all variables, group by group from the top.
    pub fn new(
        manager: &Manager,
        relation: &Relation,
        order: &[Vec<VarId>],
        inputs_in_states: bool,
    ) -> Outcome<Coding> {
        let mut variables: Vec<Coded> = relation
            .variables
            .iter()
            .map(|v| Coded {
                bits: Vec::new(),
                sort: v.sort.clone(),
                is_input: v.role == Role::Input && !inputs_in_states,
            })
            .collect();
        let mut state_bits = 0;
        for group in order {
            // A limb of a wide word stands where its bits are in the whole.
            let place = |&id: &VarId| {
                let below = relation.wide_of(id).map_or(0, |(_, below)| below);
                (id, below, below + width(&variables[id.0 as usize].sort))
            };
            let places: Vec<(VarId, usize, usize)> = group.iter().map(place).collect();
            let highest = places.iter().map(|&(_, _, above)| above).max();
            for place in (0..highest.unwrap_or(0)).rev() {
                for &(id, below, above) in &places {
                    let coded = &mut variables[id.0 as usize];
                    if !(below..above).contains(&place) {
                        continue;
                    }
                    let added = manager.add_variables(if coded.is_input { 1 } else { 2 })?;
                    coded.bits.push(Bit {
                        now: added[0],
                        next: added.get(1).copied(),
                    });
                    state_bits += added.len() - 1;
                }
            }
        }
        Ok(Coding {
            variables,
            state_bits,
        })
    }

    /// The variables of a state.
    pub fn state(&self) -> impl Iterator<Item = (VarId, &Coded)> {
        self.all().filter(|(_, coded)| !coded.is_input)
    }

    /// All variables.
    pub fn all(&self) -> impl Iterator<Item = (VarId, &Coded)> {
        (0..).map(VarId).zip(&self.variables)
    }

    /// A variable.
    pub fn variable(&self, id: VarId) -> &Coded {
        &self.variables[id.0 as usize]
    }

    /// The codes that are values of a variable.
    pub fn valid(&self, manager: &Manager, id: VarId, when: When) -> Outcome<Set> {
        let coded = self.variable(id);
        if let Sort::Word(_) = coded.sort {
            return Ok(manager.yes());
        }
        coded.at_most(manager, when, last_place(&coded.sort))
    }

    /// What of a set is about values: some codes are none.
    pub fn among_values(&self, manager: &Manager, set: &Set) -> Outcome<Set> {
        let mut among = set.clone();
        let support = manager.support(set);
        for (id, coded) in self.all() {
            for when in [When::Now, When::Next] {
                let is_there = coded.levels(when).any(|level| support.contains(&level));
                if is_there {
                    among = manager.and(&among, &self.valid(manager, id, when)?)?;
                }
            }
        }
        Ok(among)
    }

    /// The variable of the next state equals that of the current one.
    pub fn kept(&self, manager: &Manager, id: VarId) -> Outcome<Set> {
        let mut same = manager.yes();
        for bit in &self.variable(id).bits {
            if let Some(next) = bit.next {
                let (now, next) = (manager.variable(bit.now)?, manager.variable(next)?);
                same = manager.and(&same, &manager.equiv(&now, &next)?)?;
            }
        }
        Ok(same)
    }

    /// The values of all variables, from the values of the variables of the diagrams.
    pub fn read(&self, bits: &[bool]) -> Vec<i64> {
        self.variables.iter().map(|v| v.read(bits)).collect()
    }
}

impl Coded {
    fn level(bit: &Bit, when: When) -> VarNo {
        match when {
            When::Now => bit.now,
            When::Next => bit.next.unwrap_or(bit.now),
        }
    }

    /// The variables of the diagrams, the highest bit first.
    pub fn levels(&self, when: When) -> impl Iterator<Item = VarNo> {
        self.bits.iter().map(move |bit| Coded::level(bit, when))
    }

    /// The code of a value.
    fn code(&self, value: i64) -> Option<u64> {
        if !self.sort.contains(value) {
            return None;
        }
        match &self.sort {
            Sort::Word(word) => {
                let ones = u64::MAX >> (64 - u32::from(word.bits.clamp(1, 64)));
                Some(value as u64 & ones)
            }
            Sort::Values(list) => list.binary_search(&value).ok().map(|at| at as u64),
            sort => Some(value.abs_diff(sort.bounds().0)),
        }
    }

    fn has_code(&self, manager: &Manager, when: When, code: u64) -> Outcome<Set> {
        let mut set = manager.yes();
        // From the bottom: each step adds one node on top.
        for (at, bit) in self.bits.iter().rev().enumerate() {
            let literal = manager.variable(Coded::level(bit, when))?;
            set = match code >> at & 1 {
                1 => manager.and(&literal, &set)?,
                _ => manager.minus(&set, &literal)?,
            };
        }
        Ok(set)
    }

    /// The codes up to a number.
    fn at_most(&self, manager: &Manager, when: When, most: u64) -> Outcome<Set> {
        let mut set = manager.yes();
        for (at, bit) in self.bits.iter().rev().enumerate() {
            let literal = manager.variable(Coded::level(bit, when))?;
            set = match most >> at & 1 {
                // A smaller bit makes the rest free.
                1 => {
                    let smaller = manager.not(&literal)?;
                    manager.or(&smaller, &set)?
                }
                _ => manager.minus(&set, &literal)?,
            };
        }
        Ok(set)
    }

    /// All values with their sets, if they are few.
    pub fn cases(
        &self,
        manager: &Manager,
        when: When,
        most: usize,
    ) -> Outcome<Option<Vec<(i64, Set)>>> {
        let Some(values) = self.sort.values(most) else {
            return Ok(None);
        };
        let mut list = Vec::with_capacity(values.len());
        for value in values {
            let code = self.code(value).unwrap_or(0);
            list.push((value, self.has_code(manager, when, code)?));
        }
        Ok(Some(list))
    }

    /// The value of the variable.
    fn read(&self, bits: &[bool]) -> i64 {
        let bit = |b: &Bit| bits.get(b.now as usize).copied().unwrap_or(false);
        let code = self
            .bits
            .iter()
            .fold(0, |code, b| code << 1 | u64::from(bit(b)));
        match &self.sort {
            Sort::Word(word) if word.signed => word.wrap(i128::from(code)) as i64,
            Sort::Word(_) => code as i64,
            Sort::Values(list) => list.get(code as usize).copied().unwrap_or(0),
            sort => sort.bounds().0.wrapping_add_unsigned(code),
        }
    }
}
