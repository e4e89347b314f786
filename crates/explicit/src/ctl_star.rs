//! CTL* with past operators under full fairness, by labelling states.
//!
//! **Problem.** Which states satisfy a formula whose path quantifiers are nested at will over
//! formulas of linear time with past operators, where quantifiers range over the fair runs: those
//! that keep all justice *and* all compassion?
//!
//! **Idea.** Inner quantifiers first: what is known about them is a proposition for the formula
//! around them. `E f` holds in a state iff the product of the system with the tester of `f` has a
//! node there that asserts `f` and begins an accepting run (`stepper.rs`, `emptiness/closure.rs`);
//! `A f` is `!E !f`. The common shapes `E X p` and `E (p U q)` need no product: a step, or a way,
//! to a state with a fair run. Neither do `E G p` and `E (p W q)` where no fairness is assumed
//! (`lasting.rs`). At the beginning `E F p` asks whether there is such a state at all, and `A G E F p` looks at
//! the ends of all runs (`recurrent.rs`).
//!
//! **Meaning.** A quantifier that is not inside of another speaks of runs from their beginning:
//! past operators see nothing before the initial state, and `A f` is the validity of `f` on all
//! fair runs. A quantifier inside of another holds in a state `s` iff some run from an initial
//! state passes `s` with `f` true at that moment: past operators see the way on which the run came.
//! For formulas without past this is the usual meaning, on the reachable states. In a state without
//! a fair run `E f` is false and `A f` is true.
//!
//! Kesten, Pnueli, Raviv and Shahar, "Model checking with strong fairness" (2001), section 8, with
//! the corrected set of feasible states. Cost: linear in the product for each quantifier, which is
//! exponential in the number of temporal operators below it. The whole reachable space is needed.

mod flat;
mod lasting;
mod product;
mod proof;
mod recurrent;
mod stepper;

use evenhand_logic::{
    Binary, Exactness, FormulaId, Formulas, Node, Quantifier, Unary, normal_form, tester,
    transplant,
};
use rustc_hash::FxHashMap;

use crate::search::{Progress, Stop};
use crate::space::Space;
use crate::state_set::StateSet;
use crate::store::{StateId, Store};
use crate::watch::Watch;
use crate::with_width;

pub use proof::{Unproved, prove};

use flat::{Flat, Inner, Source, propositional, skeleton};
use recurrent::{Bottoms, recurrent};

/// Why a formula was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// A limit was reached.
    Stop(Stop),
    /// The formula is too large, in words.
    Formula(String),
}

impl From<Stop> for Undecided {
    fn from(stop: Stop) -> Undecided {
        Undecided::Stop(stop)
    }
}

/// How classes of states are told: states with the same key are one state for the formulas.
pub type Key<'k> = &'k dyn Fn(&[u8]) -> Vec<u8>;

/// Labels the states of a space.
pub struct Branching<'c, 'a, S> {
    space: &'c mut Space<'a, S>,
    stutter: bool,
    /// The class of each state; none if each is a class of its own.
    classes: Option<Vec<u32>>,
    initial: Vec<StateId>,
    /// The letter of each state.
    letters: Vec<u32>,
    fair: StateSet,
    incoming: Option<Incoming>,
    bottoms: Option<Bottoms>,
    nodes: u64,
    edges: u64,
}

/// The sources of the edges into each state, and where they begin.
struct Incoming {
    starts: Vec<usize>,
    sources: Vec<u32>,
}

impl Incoming {
    /// Where the edges into a state come from.
    fn sources(&self, state: usize) -> &[u32] {
        &self.sources[self.starts[state]..self.starts[state + 1]]
    }
}

/// A formula with what its atoms are.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'f> {
    /// The owner of the formula.
    pub store: &'f Formulas,
    /// The formula.
    pub formula: FormulaId,
    /// For each atom of the store its place in the letters of the space.
    pub places: &'f [Option<usize>],
}

/// What is known about a formula.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The initial states, and whether the formula holds there.
    pub initial: Vec<(StateId, bool)>,
    /// The quantified parts that are not inside of others.
    pub outermost: Vec<Outermost>,
    /// The quantified parts inside of others: where they hold.
    pub inner: Vec<(FormulaId, StateSet)>,
    /// Nodes and edges of all products.
    pub product: (u64, u64),
}

/// A quantified part that is not inside of another, in the initial states in their order.
#[derive(Clone, Debug)]
pub struct Outermost {
    /// The part.
    pub formula: FormulaId,
    /// Where it holds.
    pub holds: Vec<bool>,
    /// Where the truth of the whole formula depends on it alone.
    pub decisive: Vec<bool>,
}

impl<'c, 'a, S: Store> Branching<'c, 'a, S> {
    /// Explores the space to its end and finds the states with a fair run. Ends stay where they are
    /// for ever if `stutter`. If states say more than formulas may ask (which input comes next),
    /// `key` tells which are the same: quantifiers choose among them.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn new(
        space: &'c mut Space<'a, S>,
        stutter: bool,
        key: Option<Key<'_>>,
        watch: &mut Watch<'_>,
    ) -> Result<Branching<'c, 'a, S>, Undecided> {
        let initial = space.initial()?;
        let mut next = 0;
        let mut letters = Vec::new();
        while next < space.len() {
            letters.push(space.outgoing(StateId::new(next as u32))?.letter);
            next += 1;
            watch.tick(|| Progress {
                states: space.len() as u64,
                expanded: next as u64,
                transitions: space.transitions(),
                depth: 0,
                bytes: space.bytes_used() as u64,
            })?;
        }
        let classes = key.map(|key| classes(space, key));
        let count = space.len();
        let mut branching = Branching {
            space,
            stutter,
            classes,
            initial,
            letters,
            fair: StateSet::empty(count),
            incoming: None,
            bottoms: None,
            nodes: 0,
            edges: 0,
        };
        branching.fair = match branching.is_unfair() {
            true => {
                let lasting = branching.some_lasting(StateSet::of(count, |_| true))?;
                branching.merged(lasting)
            }
            false => {
                let all = FormulaId::TRUE;
                branching.by_tester(&mut Flat::default(), all, false, watch)?
            }
        };
        Ok(branching)
    }

    /// The states with a fair run.
    pub fn fair(&self) -> &StateSet {
        &self.fair
    }

    /// The initial states.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    fn explored(&self) -> Progress {
        Progress {
            states: self.space.len() as u64,
            expanded: self.space.len() as u64,
            transitions: self.space.transitions(),
            depth: 0,
            bytes: self.space.bytes_used() as u64,
        }
    }

    /// The states that follow a state; an end may follow itself.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn successors(&mut self, state: StateId) -> Result<Vec<usize>, Stop> {
        let outgoing = self.space.outgoing(state)?;
        let stay = (outgoing.is_end && self.stutter).then_some(state.index());
        let targets = outgoing.edges().map(|(to, _)| to.index());
        Ok(targets.chain(stay).collect())
    }

    /// The space.
    pub fn space(&self) -> &Space<'a, S> {
        self.space
    }

    /// Where a formula holds among the initial states.
    ///
    /// # Errors
    /// If a limit was reached, or the formula is too large.
    pub fn label(&mut self, asked: Asked<'_>, watch: &mut Watch<'_>) -> Result<Labels, Undecided> {
        (self.nodes, self.edges) = (0, 0);
        let (skeleton, outer) = skeleton(asked.store, asked.formula);
        let shorter = |part: FormulaId| recurrent(asked, part).filter(|_| self.has_bottoms());
        let shorter: Vec<Option<FormulaId>> = outer.iter().map(|&part| shorter(part)).collect();
        let longer = outer.iter().zip(&shorter).filter(|(_, p)| p.is_none());
        let longer: Vec<FormulaId> = longer.map(|(&part, _)| part).collect();
        let mut inner = self.inner(asked, &longer, watch)?;
        let mut outermost = Vec::new();
        for (&formula, p) in outer.iter().zip(&shorter) {
            let holds = match *p {
                Some(p) => {
                    watch.look(&self.explored())?;
                    let flat = self.flatten(asked, p, &inner);
                    let set = flat.states(flat.formula, self.space.len());
                    vec![self.is_recurrent(&set)?]
                }
                None => {
                    let set = self.quantified(asked, formula, &inner, true, watch)?;
                    let at = self.initial.iter().map(|s| set.contains(s.index()));
                    at.collect()
                }
            };
            outermost.push(Outermost {
                formula,
                holds,
                decisive: Vec::new(),
            });
        }
        let mut initial = Vec::new();
        for (number, &state) in self.initial.iter().enumerate() {
            // The truth of the formula, perhaps with one part turned round.
            let holds = |turned: Option<FormulaId>| {
                let truth = |part: FormulaId| match asked.store.node(part) {
                    Node::Atom(atom) => {
                        let letter = self.letters[state.index()];
                        Some(self.holds_at(asked.places, atom.index(), letter))
                    }
                    Node::Path(..) => {
                        let known = outermost.iter().find(|o| o.formula == part);
                        let holds = known.is_some_and(|o| o.holds[number]);
                        Some(holds != (turned == Some(part)))
                    }
                    _ => None,
                };
                propositional(asked.store, &skeleton, &truth)
            };
            let value = holds(None);
            let decisive: Vec<bool> = outer.iter().map(|&p| holds(Some(p)) != value).collect();
            initial.push((state, value));
            for (part, decisive) in outermost.iter_mut().zip(decisive) {
                part.decisive.push(decisive);
            }
        }
        // Who wants to show why a part is false needs to know what is inside of it: of the first one, and of those
        // that decide.
        let mut is_first = true;
        for (part, p) in outermost.iter().zip(&shorter) {
            let is_false = p.is_some() && part.holds.contains(&false);
            if is_false && (std::mem::take(&mut is_first) || part.decisive.contains(&true)) {
                inner.extend(self.inner(asked, &[part.formula], watch)?);
            }
        }
        Ok(Labels {
            initial,
            outermost,
            inner: inner.into_iter().collect(),
            product: (self.nodes, self.edges),
        })
    }

    /// The reachable states where a formula holds; all its quantifiers count as inner ones.
    ///
    /// # Errors
    /// If a limit was reached, or the formula is too large.
    pub fn states(
        &mut self,
        asked: Asked<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<StateSet, Undecided> {
        let (skeleton, outer) = skeleton(asked.store, asked.formula);
        let mut known = self.inner(asked, &outer, watch)?;
        for &part in &outer {
            if !known.contains_key(&part) {
                let set = self.quantified(asked, part, &known, false, watch)?;
                known.insert(part, set);
            }
        }
        let count = self.space.len();
        let mut set = StateSet::empty(count);
        for state in 0..count {
            let letter = self.letters[state];
            let truth = |part: FormulaId| match asked.store.node(part) {
                Node::Atom(atom) => Some(self.holds_at(asked.places, atom.index(), letter)),
                Node::Path(..) => Some(known.get(&part).is_some_and(|set| set.contains(state))),
                _ => None,
            };
            if propositional(asked.store, &skeleton, &truth) {
                set.insert(state);
            }
        }
        Ok(set)
    }

    /// Labels all quantified parts inside of some quantified formulas, inner ones first.
    fn inner(
        &mut self,
        asked: Asked<'_>,
        outer: &[FormulaId],
        watch: &mut Watch<'_>,
    ) -> Result<Inner, Undecided> {
        let mut bodies: Vec<FormulaId> = Vec::new();
        for &part in outer {
            bodies.extend(asked.store.node(part).operands());
        }
        let mut known = Inner::new();
        for part in asked.store.subformulas_of(&bodies) {
            if let Node::Path(..) = asked.store.node(part) {
                let set = self.quantified(asked, part, &known, false, watch)?;
                known.insert(part, set);
            }
        }
        Ok(known)
    }

    /// Where a quantified formula holds, if the ones inside of it are known: at the beginning of
    /// runs (initial states only), or anywhere.
    fn quantified(
        &mut self,
        asked: Asked<'_>,
        part: FormulaId,
        known: &Inner,
        start: bool,
        watch: &mut Watch<'_>,
    ) -> Result<StateSet, Undecided> {
        let Node::Path(quantifier, body) = *asked.store.node(part) else {
            return Ok(StateSet::empty(self.space.len()));
        };
        // There may be hundreds of quantifiers, and some of them need no product that would look.
        watch.look(&self.explored())?;
        let mut flat = self.flatten(asked, body, known);
        let all = quantifier == Quantifier::All;
        let formula = flat.formula;
        let formula = normal_form(&mut flat.store, formula, all);
        let set = self.exists(&mut flat, formula, start, watch)?;
        Ok(match all {
            true => set.complement(),
            false => set,
        })
    }

    /// The states where some fair run satisfies a formula in negation normal form.
    fn exists(
        &mut self,
        flat: &mut Flat,
        formula: FormulaId,
        start: bool,
        watch: &mut Watch<'_>,
    ) -> Result<StateSet, Undecided> {
        let is_plain = |f: FormulaId| flat.store.properties(f).is_boolean();
        let found = match *flat.store.node(formula) {
            _ if is_plain(formula) => Some(flat.states(formula, self.space.len()).and(&self.fair)),
            Node::Unary(Unary::Next, p) if is_plain(p) => Some(self.some_next(flat, p)?),
            // Every state can be reached from the only initial one.
            Node::Unary(Unary::Finally, q)
                if is_plain(q) && start && self.initial.len() == 1 && self.classes.is_none() =>
            {
                let goal = flat.states(q, self.space.len()).and(&self.fair);
                let mut set = StateSet::empty(self.space.len());
                if !goal.is_empty() {
                    set.insert(self.initial[0].index());
                }
                Some(set)
            }
            Node::Unary(Unary::Finally, q) if is_plain(q) => {
                Some(self.some_until(flat, FormulaId::TRUE, q)?)
            }
            Node::Binary(Binary::Until, p, q) if is_plain(p) && is_plain(q) => {
                Some(self.some_until(flat, p, q)?)
            }
            Node::Unary(Unary::Globally, p) if is_plain(p) && self.is_unfair() => {
                Some(self.some_lasting(flat.states(p, self.space.len()))?)
            }
            Node::Binary(Binary::WeakUntil, p, q)
                if is_plain(p) && is_plain(q) && self.is_unfair() =>
            {
                Some(self.some_weak_until(flat, p, q)?)
            }
            Node::Binary(Binary::Release, p, q)
                if is_plain(p) && is_plain(q) && self.is_unfair() =>
            {
                let both = flat.store.and([p, q]);
                Some(self.some_weak_until(flat, q, both)?)
            }
            _ => None,
        };
        match found {
            Some(set) => Ok(self.merged(set)),
            None => self.by_tester(flat, formula, start, watch),
        }
    }

    /// `E X p`.
    fn some_next(&mut self, flat: &Flat, p: FormulaId) -> Result<StateSet, Stop> {
        let count = self.space.len();
        let goal = flat.states(p, count).and(&self.fair);
        let mut set = StateSet::empty(count);
        for state in 0..count {
            let outgoing = self.space.outgoing(StateId::new(state as u32))?;
            let stays = self.stutter && outgoing.is_end && goal.contains(state);
            if stays || outgoing.edges().any(|(to, _)| goal.contains(to.index())) {
                set.insert(state);
            }
        }
        Ok(set)
    }

    /// `E (p U q)`.
    fn some_until(&mut self, flat: &Flat, p: FormulaId, q: FormulaId) -> Result<StateSet, Stop> {
        let count = self.space.len();
        let pass = flat.states(p, count);
        let mut set = flat.states(q, count).and(&self.fair);
        let mut todo: Vec<usize> = set.iter().collect();
        let incoming = self.take_incoming()?;
        while let Some(state) = todo.pop() {
            for &source in incoming.sources(state) {
                let source = source as usize;
                if pass.contains(source) && set.insert(source) {
                    todo.push(source);
                }
            }
        }
        self.incoming = Some(incoming);
        Ok(set)
    }

    /// The edges backwards, for as long as they are needed.
    fn take_incoming(&mut self) -> Result<Incoming, Stop> {
        match self.incoming.take() {
            Some(incoming) => Ok(incoming),
            None => self.invert(),
        }
    }

    fn invert(&mut self) -> Result<Incoming, Stop> {
        let count = self.space.len();
        let mut starts = vec![0usize; count + 1];
        for state in 0..count {
            for (to, _) in self.space.outgoing(StateId::new(state as u32))?.edges() {
                starts[to.index() + 1] += 1;
            }
        }
        for state in 0..count {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut sources = vec![0u32; starts[count]];
        for state in 0..count {
            for (to, _) in self.space.outgoing(StateId::new(state as u32))?.edges() {
                sources[next[to.index()]] = state as u32;
                next[to.index()] += 1;
            }
        }
        Ok(Incoming { starts, sources })
    }

    /// The states where some fair run satisfies a formula, by the product with its tester.
    fn by_tester(
        &mut self,
        flat: &mut Flat,
        formula: FormulaId,
        start: bool,
        watch: &mut Watch<'_>,
    ) -> Result<StateSet, Undecided> {
        let made = tester(&mut flat.store, formula, Exactness::Asserted);
        let tester = made.map_err(|_| {
            Undecided::Formula("a quantifier stands where none is expected".to_string())
        })?;
        let marks = self.space.mark_count() + tester.justice.len();
        let set = with_width!(
            marks,
            W => self.product::<W>(&tester, flat, start, watch),
            else Err(Undecided::Formula(
                "there are more fairness assumptions and temporal operators than can be kept apart"
                    .to_string(),
            ))
        )?;
        Ok(self.merged(set))
    }

    /// The formula under a quantifier with propositions in place of the quantified parts.
    fn flatten(&self, asked: Asked<'_>, body: FormulaId, known: &Inner) -> Flat {
        let mut flat = Flat::default();
        let mut labels: Vec<Source> = Vec::new();
        let mut replace = |store: &mut Formulas, part: FormulaId| {
            let (text, source) = match asked.store.node(part) {
                Node::Atom(atom) => (format!("a{}", atom.index()), Source::Letter(atom.index())),
                Node::Path(..) => (format!("q{}", part.index()), Source::Label(part)),
                _ => return None,
            };
            let copy = store.atom(&text);
            if let Node::Atom(atom) = store.node(copy)
                && atom.index() == labels.len()
            {
                labels.push(source);
            }
            Some(copy)
        };
        flat.formula = transplant(asked.store, body, &mut flat.store, &mut replace);
        let count = self.space.len();
        for source in labels {
            let column = match source {
                Source::Label(part) => match known.get(&part) {
                    Some(set) => set.clone(),
                    None => StateSet::empty(count),
                },
                Source::Letter(atom) => {
                    let letters = 0..self.space.letter_count() as u32;
                    let truth = letters.map(|letter| self.holds_at(asked.places, atom, letter));
                    let truth: Vec<bool> = truth.collect();
                    StateSet::of(count, |state| truth[self.letters[state] as usize])
                }
            };
            flat.columns.push(column);
        }
        flat
    }

    fn holds_at(&self, places: &[Option<usize>], atom: usize, letter: u32) -> bool {
        let place = places.get(atom).copied().flatten();
        place.is_some_and(|place| self.space.letter_has(letter, place))
    }

    /// A quantifier chooses among the states of a class.
    fn merged(&self, set: StateSet) -> StateSet {
        let Some(classes) = &self.classes else {
            return set;
        };
        let mut some = StateSet::empty(classes.len());
        for state in set.iter() {
            some.insert(classes[state] as usize);
        }
        StateSet::of(set.universe(), |state| {
            some.contains(classes[state] as usize)
        })
    }
}

fn classes<S: Store>(space: &Space<'_, S>, key: Key<'_>) -> Vec<u32> {
    let mut known: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
    let mut bytes = Vec::new();
    let mut classes = Vec::new();
    for state in 0..space.len() {
        space.load(StateId::new(state as u32), &mut bytes);
        let next = known.len() as u32;
        classes.push(*known.entry(key(&bytes)).or_insert(next));
    }
    classes
}
