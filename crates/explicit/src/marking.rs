//! Fairness as marks: from what is enabled, taken and true to sets of marks.
//!
//! The marks of a step are those of the state that it leaves (what is enabled and true there) and those of
//! what it takes. Of a net with a hundred transitions nearly every state enables a set of its own, so there
//! may be as many sets of marks as steps; but as sets of a state and sets of what is taken, each kept once,
//! there are at most as many as states and as kinds of steps. Whoever follows a step joins the two.

use evenhand_system::{Assumption, AssumptionKind, PropositionId};

use crate::search::Stop;
use crate::store::{PlainStore, StateId, Store};

/// The marks of some assumptions, and their sets.
pub struct Marking {
    /// The number of marks.
    pub count: usize,
    /// Those that must be seen infinitely often.
    pub buchi: Vec<usize>,
    /// Requests with their grants.
    pub pairs: Vec<(usize, usize)>,
    /// For each assumption, the mark of a step that serves it.
    pub serving: Vec<usize>,
    kinds: Vec<Rule>,
    /// For each item, the marks that a step which takes it carries.
    taken: Vec<Vec<usize>>,
    /// The places of letters that some rule reads, each once.
    read: Vec<usize>,
    /// How many words the items have that something is assumed about.
    words: usize,
    /// What is enabled and true in states: a number for each such source.
    pub(crate) sources: PlainStore,
    /// What steps take: a number for each such set.
    pub(crate) grants: PlainStore,
    /// The number of the set of one item alone, once it is known.
    alone: Vec<u32>,
    /// Sources and sets that were met a moment ago.
    recent_sources: Recent,
    recent_grants: Recent,
    scratch: Vec<u8>,
}

/// No number.
const UNKNOWN: u32 = u32::MAX;

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
    /// The marks of assumptions; the propositions that they are about are added to those of letters.
    pub fn new(assumptions: &[Assumption], propositions: &mut Vec<PropositionId>) -> Marking {
        let mut marking = Marking {
            count: 0,
            buchi: Vec::new(),
            pairs: Vec::new(),
            serving: Vec::new(),
            kinds: Vec::new(),
            taken: Vec::new(),
            read: Vec::new(),
            words: 0,
            sources: PlainStore::new(),
            grants: PlainStore::new(),
            alone: Vec::new(),
            recent_sources: Recent::default(),
            recent_grants: Recent::default(),
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
        for rule in &marking.kinds {
            if let Rule::Weak { item, .. } | Rule::Strong { item, .. } = *rule {
                marking.words = marking.words.max(item / 64 + 1);
            }
            if let Rule::Holds { place, .. } = *rule
                && !marking.read.contains(&place)
            {
                marking.read.push(place);
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

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        let recent = self.recent_sources.bytes_used() + self.recent_grants.bytes_used();
        self.sources.bytes_used() + self.grants.bytes_used() + 4 * self.alone.len() + recent
    }

    /// Whether fairness is about propositions.
    pub fn reads_letters(&self) -> bool {
        !self.read.is_empty()
    }

    /// Whether fairness is about the proposition at a place of letters.
    pub fn reads(&self, wanted: usize) -> bool {
        self.read.contains(&wanted)
    }

    /// How many sources there are so far.
    #[inline]
    pub fn source_count(&self) -> usize {
        self.sources.len()
    }

    /// How many sets of what is taken there are so far.
    #[inline]
    pub fn grant_count(&self) -> usize {
        self.grants.len()
    }

    /// The number of what is enabled and true in a state; 0 if there are no marks.
    ///
    /// # Errors
    /// If there is no more room.
    pub fn source(&mut self, enabled: &[u64], letter: &[u8]) -> Result<u32, Stop> {
        if self.count == 0 {
            return Ok(0);
        }
        // Most systems have one word of items and few conditions, and so few sources that the last ones are all.
        if self.words > 1 || self.read.len() > 32 {
            return self.find_source(enabled, letter);
        }
        let word = match self.words {
            0 => 0,
            _ => enabled.first().copied().unwrap_or(0),
        };
        let mut holding = 0;
        for (bit, &place) in self.read.iter().enumerate() {
            holding |= u32::from(letter[place / 8] >> (place % 8) & 1) << bit;
        }
        if let Some(known) = self.recent_sources.get(word, holding) {
            return Ok(known);
        }
        let number = self.find_source(enabled, letter)?;
        self.recent_sources.put(word, holding, number);
        Ok(number)
    }

    fn find_source(&mut self, enabled: &[u64], letter: &[u8]) -> Result<u32, Stop> {
        self.scratch.clear();
        for at in 0..self.words {
            let word = enabled.get(at).copied().unwrap_or(0);
            self.scratch.extend(word.to_le_bytes());
        }
        let first = self.scratch.len();
        self.scratch.resize(first + self.read.len().div_ceil(8), 0);
        for (bit, &place) in self.read.iter().enumerate() {
            let holds = letter[place / 8] >> (place % 8) & 1;
            self.scratch[first + bit / 8] |= holds << (bit % 8);
        }
        let (id, _) = self.sources.insert(&self.scratch)?;
        Ok(id.number())
    }

    /// The number of a source that somebody else has met.
    pub(crate) fn adopt_source(&mut self, bytes: &[u8]) -> Result<u32, Stop> {
        self.words = (bytes.len() - self.read.len().div_ceil(8)) / 8;
        Ok(self.sources.insert(bytes)?.0.number())
    }

    /// The number of a set of items that somebody else has met.
    pub(crate) fn adopt_grant(&mut self, bytes: &[u8]) -> Result<u32, Stop> {
        Ok(self.grants.insert(bytes)?.0.number())
    }

    /// The marks of a source.
    pub fn source_marks(&self, source: u32) -> impl Iterator<Item = usize> + '_ {
        let bytes = self.sources.get(StateId::new(source));
        let (enabled, letter) = bytes.split_at(8 * self.words);
        // Most systems have one word of items.
        let first = enabled.first_chunk();
        let first = first.map_or(0, |word| u64::from_le_bytes(*word));
        let bit = |bytes: &[u8], bit: usize| {
            let byte = bytes.get(bit / 8);
            byte.is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
        };
        let is_enabled = move |item: usize| match item {
            0..64 => first >> item & 1 == 1,
            _ => bit(enabled, item),
        };
        self.kinds.iter().filter_map(move |&rule| {
            let (set, mark) = match rule {
                Rule::Weak { item, mark } => (!is_enabled(item), mark),
                Rule::Strong { item, request } => (is_enabled(item), request),
                Rule::Holds { place, mark } => {
                    let own = self.read.iter().position(|&read| read == place);
                    (own.is_some_and(|own| bit(letter, own)), mark)
                }
            };
            set.then_some(mark)
        })
    }

    /// The number of a set of items that a step takes.
    ///
    /// # Errors
    /// If there is no more room.
    #[inline]
    pub fn grant(&mut self, taken: &[u64]) -> Result<u32, Stop> {
        let &[word] = taken else {
            return self.find_grant(taken);
        };
        if let Some(known) = self.recent_grants.get(word, 0) {
            return Ok(known);
        }
        let number = self.find_grant(taken)?;
        self.recent_grants.put(word, 0, number);
        Ok(number)
    }

    fn find_grant(&mut self, taken: &[u64]) -> Result<u32, Stop> {
        let item = only_item(taken);
        if let Some(&known) = item.and_then(|item| self.alone.get(item))
            && known != UNKNOWN
        {
            return Ok(known);
        }
        self.scratch.clear();
        for word in taken {
            self.scratch.extend(word.to_le_bytes());
        }
        let (id, _) = self.grants.insert(&self.scratch)?;
        if let Some(item) = item {
            if self.alone.len() <= item {
                self.alone.resize(item + 1, UNKNOWN);
            }
            self.alone[item] = id.number();
        }
        Ok(id.number())
    }

    /// The marks of a set of items that a step takes.
    pub fn grant_marks(&self, grant: u32) -> impl Iterator<Item = usize> + '_ {
        let bytes = self.grants.get(StateId::new(grant)).iter().enumerate();
        let items = bytes.flat_map(|(at, &byte)| {
            let bits = (0..8).filter(move |bit| byte >> bit & 1 == 1);
            bits.map(move |bit| 8 * at + bit)
        });
        items.flat_map(|item| self.taken.get(item).into_iter().flatten().copied())
    }
}

/// Numbers of small sets that were asked for a moment ago, each at one place that its bits give.
#[derive(Default)]
struct Recent {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    word: u64,
    more: u32,
    number: u32,
}

impl Recent {
    /// How many there are, as a power of two.
    const BITS: u32 = 10;

    #[inline]
    fn place(word: u64, more: u32) -> usize {
        let mixed = (word ^ u64::from(more).rotate_right(24)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - Recent::BITS)) as usize
    }

    /// The number of a set, if it is still known.
    #[inline]
    fn get(&self, word: u64, more: u32) -> Option<u32> {
        let slot = self.slots.get(Recent::place(word, more))?;
        let is_it = slot.word == word && slot.more == more && slot.number != UNKNOWN;
        is_it.then_some(slot.number)
    }

    #[cold]
    fn put(&mut self, word: u64, more: u32, number: u32) {
        let none = Slot {
            word: 0,
            more: 0,
            number: UNKNOWN,
        };
        self.slots.resize(1 << Recent::BITS, none);
        let slot = &mut self.slots[Recent::place(word, more)];
        *slot = Slot { word, more, number };
    }

    fn bytes_used(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }
}

/// The only item of a set; none if there are more, or none.
#[inline]
fn only_item(set: &[u64]) -> Option<usize> {
    let mut item = None;
    for (at, &word) in set.iter().enumerate() {
        if word != 0 {
            if item.is_some() || !word.is_power_of_two() {
                return None;
            }
            item = Some(64 * at + word.trailing_zeros() as usize);
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assumption(kind: AssumptionKind) -> Assumption {
        Assumption {
            text: String::new(),
            source: String::new(),
            kind,
        }
    }

    #[test]
    fn sets_keep_their_numbers_however_many_there_are() {
        // One word of items and two, without and with a condition on states.
        for (last, justice) in [(5, false), (5, true), (70, false), (70, true)] {
            let mut assumptions = vec![
                assumption(AssumptionKind::Weak(0)),
                assumption(AssumptionKind::Strong(last)),
            ];
            if justice {
                assumptions.push(assumption(AssumptionKind::Justice(PropositionId(0))));
            }
            let mut marking = Marking::new(&assumptions, &mut Vec::new());
            let words = last / 64 + 1;
            let set = |number: u64| -> Vec<u64> {
                (0..words as u64)
                    .map(|word| number.wrapping_mul(word * 97 + 1))
                    .collect()
            };
            for round in 0..3 {
                // More sets than are remembered.
                for number in 0..5000u64 {
                    let (items, letter) = (set(number), [(number % 3 == 0) as u8]);
                    let source = marking.source(&items, &letter).expect("room");
                    assert_eq!(source, number as u32, "round {round}");
                    assert_eq!(marking.grant(&items).expect("room"), number as u32);
                    let has = |item: usize| items[item / 64] >> (item % 64) & 1 == 1;
                    let mut expected = Vec::new();
                    expected.extend((!has(0)).then_some(0));
                    expected.extend(has(last).then_some(1));
                    expected.extend((justice && letter[0] == 1).then_some(3));
                    assert_eq!(marking.source_marks(source).collect::<Vec<_>>(), expected);
                }
            }
            // The same items with another letter are another source if somebody asks for the letter.
            let other = marking.source(&set(0), &[0]).expect("room");
            assert_eq!(other == 0, !justice);
        }
    }
}
