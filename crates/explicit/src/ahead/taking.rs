//! The decision's side: states get their numbers here, and records are taken in its order.

use std::sync::Arc;
use std::time::Instant;

use evenhand_system::Explicit;

use super::chunk::{CHUNK, COUNT, Chunk, END, Expanded, Extra, HAS_EXTRA, HEAD, IMPROPER};
use super::expander::Expander;
use super::job::{First, Job, lock, merge};
use super::moment::{Favours, LONGEST};
use super::venture::Finds;
use crate::search::Stop;
use crate::store::{AnyHand, Full, StateId, Store};

/// The states that the decision has met, and what is known about them.
pub(crate) struct Taking<'a> {
    system: &'a dyn Explicit,
    job: Arc<Job>,
    hand: AnyHand,
    expander: Expander<'a>,
    /// Where the states are, by their numbers.
    places: Vec<u32>,
    /// Those that were not all expanded, by their numbers.
    chunks: Vec<Option<Arc<Chunk>>>,
    /// Of the last states, too few for a chunk, those that were expanded.
    done: u32,
    /// The record of a state that nobody had expanded.
    single: Expanded,
    tongues: Vec<Tongue>,
    /// Records of states that had no number.
    finds: Finds,
    /// When chunks are expanded while a state is not there.
    favours: Favours,
    /// Records taken, and those of them that were made before they were asked for.
    taken: u64,
    from_others: u64,
    /// How many that had waited were taken, or are not needed any more, since others were told.
    waited: u64,
}

/// What somebody's numbers are here.
#[derive(Default)]
struct Tongue {
    letters: Vec<u32>,
    sources: Vec<u32>,
    grants: Vec<u32>,
}

/// A place in a table that is not filled yet.
const UNTOLD: u32 = u32::MAX;

/// So often others are told how far the decision is.
const TELL: u64 = 64;

/// Who takes a record: what is in it, in the order of the system.
pub(crate) trait Taker {
    /// What few states have, and how many successors it has.
    fn extra(&mut self, extra: &Extra, count: u32) -> Result<(), Stop>;

    /// The number here of a letter that somebody has met.
    fn letter(&mut self, letter: &[u8]) -> Result<u32, Stop>;

    /// The number here of what marks of a state follow from.
    fn source(&mut self, source: &[u8]) -> Result<u32, Stop>;

    /// The number here of what a step takes.
    fn grant(&mut self, grant: &[u8]) -> Result<u32, Stop>;

    /// The state itself.
    fn state(&mut self, state: Record);

    /// A successor, what the step to it takes, and whether it was never met before.
    fn successor(&mut self, to: StateId, grant: Option<u32>, new: bool);
}

/// What is known of a state itself.
pub(crate) struct Record {
    pub letter: u32,
    /// What its marks follow from, if there are any.
    pub source: Option<u32>,
    pub is_end: bool,
    /// Whether it is an end, and not a proper one.
    pub is_improper: bool,
    /// The number of successors.
    pub count: u32,
}

impl<'a> Taking<'a> {
    /// States that are known already, with their numbers; `is_expanded` tells which need not be.
    pub fn new(
        system: &'a dyn Explicit,
        job: Arc<Job>,
        known: &impl Store,
        is_expanded: impl Fn(StateId) -> bool,
    ) -> Result<Taking<'a>, Full> {
        let mut taking = Taking {
            system,
            expander: Expander::new(system, job.clone()),
            hand: job.store.hand(),
            job,
            places: Vec::new(),
            chunks: Vec::new(),
            done: 0,
            single: Expanded::default(),
            tongues: Vec::new(),
            finds: Finds::default(),
            favours: Favours::new(),
            taken: 0,
            from_others: 0,
            waited: 0,
        };
        let mut state = Vec::new();
        for number in 0..known.len() as u32 {
            let id = StateId::new(number);
            known.load(id, &mut state);
            taking.insert(&state)?;
            if is_expanded(id) {
                taking.taken += 1;
                taking.note(id);
            }
        }
        taking.job.took(taking.taken, 0);
        Ok(taking)
    }

    /// Forgets what the explorer was at.
    pub fn resume(&mut self, system: &'a dyn Explicit) {
        self.system = system;
        self.expander = Expander::new(system, self.job.clone());
    }

    /// The number of states that were met.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        let own = 4 * self.places.capacity() + 8 * self.chunks.capacity();
        self.job.store.bytes_used() + own + self.finds.bytes_used(&self.job)
    }

    /// How many of the records that were taken others had made.
    pub fn taken_ahead(&self) -> u64 {
        self.from_others
    }

    /// The packed form of a state.
    pub fn load(&self, id: StateId, state: &mut Vec<u8>) {
        self.job.store.load(self.places[id.index()], state);
    }

    /// The number of a state, and whether it is new.
    pub fn insert(&mut self, state: &[u8]) -> Result<(StateId, bool), Full> {
        let store = &self.job.store;
        store.enter(&mut self.hand);
        let met = store.insert(&mut self.hand, store.hash(state), state);
        store.leave(&mut self.hand);
        let met = met?;
        match met.number {
            Some(number) => Ok((StateId::new(number), false)),
            None => self.number(met.place),
        }
    }

    /// For each action, whether somebody has executed it. Complete when nobody helps any more.
    pub fn executed(&self) -> Vec<bool> {
        let mut all = lock(&self.job.executed).clone();
        merge(&mut all, self.expander.executed());
        all
    }

    /// The number of the state in a place, and whether it is new.
    #[inline]
    fn number(&mut self, place: u32) -> Result<(StateId, bool), Full> {
        let next = self.places.len() as u32;
        let next = (next < self.job.store.limits().states).then_some(next);
        let (number, new) = self.job.store.number(place, next).ok_or(Full::Ids)?;
        if new {
            self.places.push(place);
            if self.places.len().is_multiple_of(CHUNK) {
                self.cut();
            }
        }
        Ok((StateId::new(number), new))
    }

    /// The last states are enough for a chunk.
    fn cut(&mut self) {
        let mut places = [0; CHUNK];
        places.copy_from_slice(&self.places[self.places.len() - CHUNK..]);
        let done = std::mem::take(&mut self.done);
        let chunk = (done != u32::MAX).then(|| Arc::new(Chunk::new(places, done)));
        if let Some(chunk) = &chunk {
            self.job.offer(chunk.clone());
        }
        self.chunks.push(chunk);
    }

    /// A state was expanded.
    fn note(&mut self, id: StateId) {
        let (at, index) = (id.index() / CHUNK, id.index() % CHUNK);
        match self.chunks.get_mut(at) {
            None => self.done |= 1 << index,
            Some(place) => {
                let Some(chunk) = place else { return };
                let taken = chunk.take(index);
                self.waited += u64::from(taken.was_waiting);
                if taken.is_last {
                    *place = None;
                }
            }
        }
    }

    /// Hands over the record of a state.
    pub fn take(&mut self, id: StateId, taker: &mut impl Taker) -> Result<(), Stop> {
        let (at, index) = (id.index() / CHUNK, id.index() % CHUNK);
        let chunk = self.chunks.get_mut(at).and_then(Option::take);
        let taken = self.take_from(chunk.as_ref(), (id, index), taker);
        if chunk.is_some() {
            self.chunks[at] = chunk;
        }
        taken?;
        self.note(id);
        self.taken += 1;
        self.favours.go_on();
        if self.taken.is_multiple_of(TELL) {
            let waited = std::mem::take(&mut self.waited);
            self.job.took(self.taken, waited);
        }
        Ok(())
    }

    /// The same, from the chunk that the state is in, if somebody has expanded it.
    fn take_from(
        &mut self,
        chunk: Option<&Arc<Chunk>>,
        (id, index): (StateId, usize),
        taker: &mut impl Taker,
    ) -> Result<(), Stop> {
        if chunk.is_none_or(|chunk| chunk.record(index).is_none())
            && let Some((found, at)) = self.find(id, chunk)
            && let Some((records, start)) = found.record(at)
        {
            let handed = self.hand_over(records, start, taker);
            self.waited += u64::from(found.take(at).was_waiting);
            self.from_others += 1;
            return handed;
        }
        if let Some(chunk) = chunk {
            if chunk.record(index).is_none() {
                self.wait(chunk, index);
            }
            if let Some((records, start)) = chunk.record(index) {
                if let Some(&next) = records.starts.get(index + 2) {
                    self.announce(records, next);
                }
                self.hand_over(records, start, taker)?;
                self.from_others += 1;
                return Ok(());
            }
            // Nobody else needs to.
            self.waited += u64::from(chunk.take(index).was_waiting);
        }
        let mut single = std::mem::take(&mut self.single);
        let made = self.expander.single(self.places[id.index()], &mut single);
        let handed = made.and_then(|()| self.hand_over(&single, 0, taker));
        self.single = single;
        handed
    }

    /// The record of a state that was expanded before it had a number; the chunk that it is in is at hand.
    fn find(&mut self, id: StateId, own: Option<&Arc<Chunk>>) -> Option<(Arc<Chunk>, usize)> {
        let (chunks, done) = (&self.chunks, self.done);
        let is_taken = |number: u32| {
            let (at, index) = (number as usize / CHUNK, number as usize % CHUNK);
            let chunk = match chunks.get(at) {
                None => return done >> index & 1 == 1,
                Some(_) if at == id.index() / CHUNK => own,
                Some(chunk) => chunk.as_ref(),
            };
            chunk.is_none_or(|chunk| chunk.is_taken(index))
        };
        let place = self.places[id.index()];
        self.finds
            .take(&self.job, place, &mut self.waited, is_taken)
    }

    /// Does something useful while somebody expands a state of a chunk, if there is something: not for long, once for
    /// each chunk, and nothing that could take long.
    fn wait(&mut self, chunk: &Arc<Chunk>, index: usize) {
        let in_order = self.job.first == First::Oldest;
        let begun = Instant::now();
        while self.favours.are_done() && !chunk.is_late() && chunk.record(index).is_none() {
            if begun.elapsed() > LONGEST {
                return chunk.give_up();
            }
            let next = if in_order && chunk.claim() {
                Some(chunk.clone()) // all of it is needed next
            } else if chunk.is_claimed() {
                self.job.next_now()
            } else {
                None
            };
            let Some(next) = next else { return };
            let expander = &mut self.expander;
            match self.favours.one(|| expander.chunk(&next, true)) {
                Some(Ok(true)) => (),
                Some(Ok(false)) => self.job.give_back(next),
                Some(Err(_)) => return, // as it will be met again
                None => {
                    // What the explorer was at is forgotten.
                    self.expander = Expander::new(self.system, self.job.clone());
                }
            }
        }
    }

    /// A record will be taken soon, if there is one that begins here: the numbers of its successors are on their way.
    fn announce(&self, expanded: &Expanded, start: u32) {
        let start = (start as usize).wrapping_sub(1);
        let Some(words) = expanded
            .words
            .get(start..)
            .filter(|words| words.len() > HEAD)
        else {
            return;
        };
        let count = (words[HEAD - 1] & COUNT) as usize;
        let known = &words[HEAD..];
        let width = 1 + usize::from(!self.job.fairness.assumptions.is_empty());
        let edges = known[count.div_ceil(32)..].chunks_exact(width);
        for (index, edge) in edges.take(count).enumerate() {
            if known[index / 32] >> (index % 32) & 1 == 0 {
                self.job.store.prefetch_state(edge[0]);
            }
        }
    }

    fn hand_over(
        &mut self,
        expanded: &Expanded,
        start: u32,
        taker: &mut impl Taker,
    ) -> Result<(), Stop> {
        let words = &expanded.words[start as usize..];
        let &[letter, source, flags, ..] = words else {
            return Ok(());
        };
        let extra = expanded.extra(start).filter(|_| flags & HAS_EXTRA != 0);
        if let Some(extra) = extra {
            taker.extra(extra, flags & COUNT)?;
        }
        let marked = !self.job.fairness.assumptions.is_empty();
        let tongue = tongue(&mut self.tongues, expanded.by);
        let vocabulary = |job: &Job| lock(&job.vocabularies)[expanded.by as usize].clone();
        let letter = translate(&mut tongue.letters, letter, |own| {
            if self.job.propositions.is_empty() {
                return taker.letter(&[]);
            }
            let vocabulary = vocabulary(&self.job);
            let told = lock(&vocabulary.letters);
            taker.letter(told.get(own))
        })?;
        let mut from = None;
        if marked {
            from = Some(translate(&mut tongue.sources, source, |own| {
                let vocabulary = vocabulary(&self.job);
                let told = lock(&vocabulary.sources);
                taker.source(told.get(own))
            })?);
        }
        let count = flags & COUNT;
        taker.state(Record {
            letter,
            source: from,
            is_end: flags & END != 0,
            is_improper: flags & IMPROPER != 0,
            count,
        });
        let known = &words[HEAD..];
        let edges = &known[(count as usize).div_ceil(32)..];
        let width = 1 + usize::from(marked);
        for (index, edge) in edges.chunks_exact(width).take(count as usize).enumerate() {
            let (to, new) = match known[index / 32] >> (index % 32) & 1 {
                1 => (StateId::new(edge[0]), false),
                _ => self.number(edge[0])?,
            };
            let mut grant = None;
            if marked {
                let grants = &mut self.tongues[expanded.by as usize].grants;
                grant = Some(translate(grants, edge[1], |own| {
                    let vocabulary = vocabulary(&self.job);
                    let told = lock(&vocabulary.grants);
                    taker.grant(told.get(own))
                })?);
            }
            taker.successor(to, grant, new);
        }
        match extra.is_some_and(|extra| extra.beyond) {
            true => Err(Stop::Processes),
            false => Ok(()),
        }
    }
}

/// What somebody's number is here; it is found out if it is not known.
#[inline]
fn translate(
    table: &mut Vec<u32>,
    number: u32,
    find: impl FnOnce(StateId) -> Result<u32, Stop>,
) -> Result<u32, Stop> {
    if let Some(&known) = table.get(number as usize)
        && known != UNTOLD
    {
        return Ok(known);
    }
    let found = find(StateId::new(number))?;
    if table.len() <= number as usize {
        table.resize(number as usize + 1, UNTOLD);
    }
    table[number as usize] = found;
    Ok(found)
}

#[inline]
fn tongue(tongues: &mut Vec<Tongue>, by: u32) -> &mut Tongue {
    if tongues.len() <= by as usize {
        tongues.resize_with(by as usize + 1, Tongue::default);
    }
    &mut tongues[by as usize]
}
