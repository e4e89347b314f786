//! Fairness as marks: from what is enabled, taken and true to sets of marks.
//!
//! Few combinations of enabled items and true propositions occur, and few sets of taken items, so
//! each combination is worked out once; a step knows the number of its set.

use evenhand_system::{Assumption, AssumptionKind, PropositionId};

use crate::search::Stop;
use crate::store::{PlainStore, Store};

/// The marks of some assumptions, and their sets.
pub(crate) struct Marking {
    /// The number of marks.
    pub count: usize,
    pub buchi: Vec<usize>,
    pub pairs: Vec<(usize, usize)>,
    pub serving: Vec<usize>,
    kinds: Vec<Rule>,
    /// For each item, the marks that a step which takes it carries.
    taken: Vec<Vec<usize>>,
    /// What is enabled and true, and for each the marks of the source.
    sources: PlainStore,
    bases: Vec<Vec<u8>>,
    /// A source with what is taken, and for each the set.
    keys: PlainStore,
    set_of_key: Vec<u32>,
    pub sets: PlainStore,
    scratch: Vec<u8>,
}

/// How the marks of one assumption follow from the source state.
#[derive(Clone, Copy)]
enum Rule {
    /// Item; the mark is set where it is disabled (or taken).
    Weak { item: usize, mark: usize },
    /// Item; the request is set where it is enabled.
    Strong { item: usize, request: usize },
    /// Place in the letter.
    Holds { place: usize, mark: usize },
}

impl Marking {
    pub fn new(assumptions: &[Assumption], propositions: &mut Vec<PropositionId>) -> Marking {
        let mut marking = Marking {
            count: 0,
            buchi: Vec::new(),
            pairs: Vec::new(),
            serving: Vec::new(),
            kinds: Vec::new(),
            taken: Vec::new(),
            sources: PlainStore::new(),
            bases: Vec::new(),
            keys: PlainStore::new(),
            set_of_key: Vec::new(),
            sets: PlainStore::new(),
            scratch: Vec::new(),
        };
        let mut place = |proposition| {
            let known = propositions.iter().position(|&p| p == proposition);
            known.unwrap_or_else(|| {
                propositions.push(proposition);
                propositions.len() - 1
            })
        };
        for assumption in assumptions {
            match assumption.kind {
                AssumptionKind::Weak(item) => {
                    let mark = marking.new_buchi();
                    marking.kinds.push(Rule::Weak { item, mark });
                    marking.when_taken(item, mark);
                }
                AssumptionKind::Strong(item) => {
                    let (request, grant) = marking.new_pair();
                    marking.kinds.push(Rule::Strong { item, request });
                    marking.when_taken(item, grant);
                }
                AssumptionKind::Justice(proposition) => {
                    let (place, mark) = (place(proposition), marking.new_buchi());
                    marking.kinds.push(Rule::Holds { place, mark });
                }
                AssumptionKind::Compassion { when, then } => {
                    let (request, grant) = marking.new_pair();
                    for (proposition, mark) in [(when, request), (then, grant)] {
                        let place = place(proposition);
                        marking.kinds.push(Rule::Holds { place, mark });
                    }
                }
            }
        }
        marking
    }

    fn new_buchi(&mut self) -> usize {
        self.buchi.push(self.count);
        self.serving.push(self.count);
        self.count += 1;
        self.count - 1
    }

    fn new_pair(&mut self) -> (usize, usize) {
        let pair = (self.count, self.count + 1);
        self.pairs.push(pair);
        self.serving.push(pair.1);
        self.count += 2;
        pair
    }

    fn when_taken(&mut self, item: usize, mark: usize) {
        if self.taken.len() <= item {
            self.taken.resize(item + 1, Vec::new());
        }
        self.taken[item].push(mark);
    }

    pub fn bytes_used(&self) -> usize {
        let sets = [&self.sources, &self.keys, &self.sets];
        let stored: usize = sets.iter().map(|s| s.bytes_used()).sum();
        stored + self.bases.len() * (32 + self.count / 8) + 4 * self.set_of_key.len()
    }

    /// Whether fairness is about the proposition at a place of letters.
    pub fn reads(&self, wanted: usize) -> bool {
        let mut rules = self.kinds.iter();
        rules.any(|rule| matches!(*rule, Rule::Holds { place, .. } if place == wanted))
    }

    /// The number of the combination of enabled items and letter.
    pub fn base(&mut self, enabled: &[u64], letter: &[u8]) -> Result<u32, Stop> {
        if self.count == 0 {
            return Ok(0);
        }
        self.scratch.clear();
        for word in enabled {
            self.scratch.extend(word.to_le_bytes());
        }
        self.scratch.extend_from_slice(letter);
        let (id, new) = self.sources.insert(&self.scratch)?;
        if new {
            let marks = self.source_marks(enabled, letter);
            self.bases.push(marks);
        }
        Ok(id.number())
    }

    fn source_marks(&self, enabled: &[u64], letter: &[u8]) -> Vec<u8> {
        let is_enabled = |item: usize| {
            enabled
                .get(item / 64)
                .is_some_and(|w| w >> (item % 64) & 1 == 1)
        };
        let mut marks = vec![0u8; self.count.div_ceil(8)];
        for &rule in &self.kinds {
            let (set, mark) = match rule {
                Rule::Weak { item, mark } => (!is_enabled(item), mark),
                Rule::Strong { item, request } => (is_enabled(item), request),
                Rule::Holds { place, mark } => (letter[place / 8] >> (place % 8) & 1 == 1, mark),
            };
            if set {
                marks[mark / 8] |= 1 << (mark % 8);
            }
        }
        marks
    }

    /// The set of marks of staying at an end.
    pub fn stay(&mut self, enabled: &[u64], letter: &[u8]) -> Result<u32, Stop> {
        if self.count == 0 {
            return Ok(0);
        }
        let marks = self.source_marks(enabled, letter);
        let (set, _) = self.sets.insert(&marks)?;
        Ok(set.number())
    }

    /// The set of marks of a step.
    pub fn set(&mut self, base: u32, taken: &[u64]) -> Result<u32, Stop> {
        self.scratch.clear();
        self.scratch.extend(base.to_le_bytes());
        for word in taken {
            self.scratch.extend(word.to_le_bytes());
        }
        let (key, new) = self.keys.insert(&self.scratch)?;
        if new {
            let mut marks = self.bases[base as usize].clone();
            for (word, &bits) in taken.iter().enumerate() {
                for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                    for &mark in self.taken.get(64 * word + bit).into_iter().flatten() {
                        marks[mark / 8] |= 1 << (mark % 8);
                    }
                }
            }
            let (set, _) = self.sets.insert(&marks)?;
            self.set_of_key.push(set.number());
        }
        Ok(self.set_of_key[key.index()])
    }
}
