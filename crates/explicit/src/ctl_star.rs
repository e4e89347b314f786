//! CTL* with past operators under full fairness, by labelling states.
//!
//! **Problem.** Which states satisfy a formula whose path quantifiers are nested at will over formulas
//! of linear time with past operators, where quantifiers range over the fair runs: those that keep all
//! justice *and* all compassion?
//!
//! **Idea.** Inner quantifiers first: what is known about them is a proposition for the formula around
//! them. `E f` holds in a state iff the product of the system with the tester of `f` has a node there that
//! asserts `f` and begins an accepting run (`tester_product.rs`, `emptiness/closure.rs`); `A f` is
//! `!E !f`. The common shapes `E X p` and `E (p U q)` need no product: a step, or a way, to a state with a
//! fair run.
//!
//! **Meaning.** A quantifier that is not inside of another speaks of runs from their beginning: past
//! operators see nothing before the initial state, and `A f` is the validity of `f` on all fair runs.
//! A quantifier inside of another holds in a state `s` iff some run from an initial state passes
//! `s` with `f` true at that moment: past operators see the way on which the run came. For formulas
//! without past this is the usual meaning, on the reachable states. In a state without a fair run `E f` is
//! false and `A f` is true.
//!
//! Kesten, Pnueli, Raviv and Shahar, "Model checking with strong fairness" (2001), section 8, with the
//! corrected set of feasible states. Cost: linear in the product for each quantifier, which is
//! exponential in the number of temporal operators below it. The whole reachable space is needed.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

use evenhand_logic::{
    Binary, Exactness, FormulaId, Formulas, Node, Quantifier, Tester, Unary, normal_form, tester,
    transplant,
};

use crate::emptiness::closure::feasible_nodes;
use crate::emptiness::stored::Stored;
use crate::graph::{Edge, NodeId};
use crate::marks::{Marks, Pair, Streett};
use crate::search::{Progress, Stop};
use crate::space::Space;
use crate::state_set::StateSet;
use crate::store::{StateId, Store};
use crate::tester_product::{MOST_VARIABLES, Stepper, Values};
use crate::watch::Watch;
use crate::with_width;

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
    nodes: u64,
    edges: u64,
}

/// The sources of the edges into each state, and where they begin.
struct Incoming {
    starts: Vec<usize>,
    sources: Vec<u32>,
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

type Table = HashMap<(u32, Values), u32, BuildHasherDefault<DefaultHasher>>;

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
            nodes: 0,
            edges: 0,
        };
        let mut flat = Flat::default();
        let all = FormulaId::TRUE;
        branching.fair = branching.by_tester(&mut flat, all, false, watch)?;
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

    /// The states that follow a state; an end may follow itself.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn successors(&mut self, state: StateId) -> Result<Vec<usize>, Stop> {
        let outgoing = self.space.outgoing(state)?;
        let stay = outgoing
            .stay
            .filter(|_| self.stutter)
            .map(|_| state.index());
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
        let inner = self.inner(asked, &outer, watch)?;
        let mut outermost = Vec::new();
        for &formula in &outer {
            let set = self.quantified(asked, formula, &inner, true, watch)?;
            let at = self.initial.iter().map(|s| set.contains(s.index()));
            outermost.push(Outermost {
                formula,
                holds: at.collect(),
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

    /// Where a quantified formula holds, if the ones inside of it are known: at the beginning of runs
    /// (initial states only), or anywhere.
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
            Node::Unary(Unary::Finally, q) if is_plain(q) => {
                Some(self.some_until(flat, FormulaId::TRUE, q)?)
            }
            Node::Binary(Binary::Until, p, q) if is_plain(p) && is_plain(q) => {
                Some(self.some_until(flat, p, q)?)
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
            let stays = self.stutter && outgoing.stay.is_some() && goal.contains(state);
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
        let incoming = match self.incoming.take() {
            Some(incoming) => incoming,
            None => self.invert()?,
        };
        while let Some(state) = todo.pop() {
            let places = incoming.starts[state]..incoming.starts[state + 1];
            for &source in &incoming.sources[places] {
                let source = source as usize;
                if pass.contains(source) && set.insert(source) {
                    todo.push(source);
                }
            }
        }
        self.incoming = Some(incoming);
        Ok(set)
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

    fn product<const W: usize>(
        &mut self,
        tester: &Tester,
        flat: &Flat,
        start: bool,
        watch: &mut Watch<'_>,
    ) -> Result<StateSet, Undecided> {
        let truth = |atom: evenhand_logic::AtomId, state: usize| {
            flat.columns
                .get(atom.index())
                .is_some_and(|column| column.contains(state))
        };
        let Some(mut stepper) = Stepper::new(tester, &truth) else {
            return Err(Undecided::Formula(format!(
                "a formula under one quantifier has more than {MOST_VARIABLES} temporal operators"
            )));
        };
        let condition = self.condition::<W>(tester.justice.len());
        let offset = self.space.mark_count();
        let sets: Vec<Marks<W>> = match offset {
            0 => vec![Marks::EMPTY],
            _ => (0..self.space.mark_sets() as u32)
                .map(|set| self.space.marks(set).collect())
                .collect(),
        };
        let mut nodes: Vec<(u32, Values)> = Vec::new();
        let mut table = Table::default();
        let mut valuations = Vec::new();
        for state in &self.initial {
            stepper.beginnings(state.index(), &mut valuations);
            for &values in &valuations {
                if !start || stepper.is_asserted(state.index(), values) {
                    number(&mut table, &mut nodes, state.number(), values)?;
                }
            }
        }
        let beginnings = nodes.len();
        let mut graph = Stored::new(condition.clone());
        let (mut just, mut edges) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(&(state, values)) = nodes.get(at) {
            stepper.justice(state as usize, values, &mut just);
            let own: Marks<W> = just.iter().map(|j| offset + j).collect();
            edges.clear();
            let outgoing = self.space.outgoing(StateId::new(state))?;
            let stay = outgoing.stay.filter(|_| self.stutter);
            let stay = stay.map(|set| (StateId::new(state), set));
            for (to, set) in outgoing.edges().chain(stay) {
                stepper.successors(state as usize, values, to.index(), &mut valuations);
                for &next in &valuations {
                    let target = number(&mut table, &mut nodes, to.number(), next)?;
                    let marks = own.union(sets[set as usize]);
                    edges.push(Edge { target, marks });
                }
            }
            graph.push(NodeId(at as u32), edges.iter().copied());
            at += 1;
            watch.tick(|| self.progress(at, nodes.len(), graph.bytes()))?;
        }
        self.nodes += graph.len() as u64;
        self.edges += graph.edge_count() as u64;
        let progress = self.progress(at, nodes.len(), graph.bytes());
        let mut look = |_| watch.look(&progress);
        let feasible = feasible_nodes(&mut graph, &condition, &mut look)?;
        let mut set = StateSet::empty(self.space.len());
        let counted = if start { beginnings } else { nodes.len() };
        for (number, &(state, values)) in nodes[..counted].iter().enumerate() {
            if feasible[number] && stepper.is_asserted(state as usize, values) {
                set.insert(state as usize);
            }
        }
        Ok(set)
    }

    fn progress(&self, done: usize, nodes: usize, bytes: u64) -> Progress {
        Progress {
            states: nodes as u64,
            expanded: done as u64,
            transitions: 0,
            depth: 0,
            // A node is kept in a list and a table.
            bytes: self.space.bytes_used() as u64 + bytes + 48 * nodes as u64,
        }
    }

    /// The fairness of the system and the justice of a tester.
    fn condition<const W: usize>(&self, justice: usize) -> Streett<W> {
        let offset = self.space.mark_count();
        let (buchi, pairs) = self.space.condition();
        let own = offset..offset + justice;
        let buchi = buchi.iter().copied().chain(own).collect();
        let pair = |&(request, grant): &(usize, usize)| Pair {
            request: request as u16,
            grant: grant as u16,
        };
        Streett::new(buchi, pairs.iter().map(pair).collect())
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
        place.is_some_and(|place| self.space.letter(letter).any(|held| held == place))
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

/// The labels of quantified formulas.
type Inner = std::collections::BTreeMap<FormulaId, StateSet>;

enum Source {
    Letter(usize),
    Label(FormulaId),
}

/// A formula of linear time over sets of states.
struct Flat {
    store: Formulas,
    formula: FormulaId,
    /// Where each atom holds.
    columns: Vec<StateSet>,
}

impl Default for Flat {
    fn default() -> Flat {
        Flat {
            store: Formulas::new(),
            formula: FormulaId::TRUE,
            columns: Vec::new(),
        }
    }
}

impl Flat {
    /// Where a formula without temporal operators holds.
    fn states(&self, formula: FormulaId, count: usize) -> StateSet {
        let parts = self.store.subformulas(formula);
        StateSet::of(count, |state| {
            let truth = |part: FormulaId| match self.store.node(part) {
                Node::Atom(atom) => Some(self.columns[atom.index()].contains(state)),
                _ => None,
            };
            propositional(&self.store, &parts, &truth)
        })
    }
}

/// The parts of a formula down to its outermost quantifiers, operands first, and those quantifiers.
fn skeleton(store: &Formulas, formula: FormulaId) -> (Vec<FormulaId>, Vec<FormulaId>) {
    let mut parts: BTreeSet<FormulaId> = BTreeSet::new();
    let mut open = vec![formula];
    while let Some(part) = open.pop() {
        if parts.insert(part) && !matches!(store.node(part), Node::Path(..)) {
            open.extend(store.node(part).operands());
        }
    }
    let parts: Vec<FormulaId> = parts.into_iter().collect();
    let is_path = |part: &&FormulaId| matches!(store.node(**part), Node::Path(..));
    let outer = parts.iter().filter(is_path).copied().collect();
    (parts, outer)
}

/// The truth of the last of some parts, each of which comes after its operands.
fn propositional(
    store: &Formulas,
    parts: &[FormulaId],
    truth: &dyn Fn(FormulaId) -> Option<bool>,
) -> bool {
    let mut values: Vec<bool> = Vec::with_capacity(parts.len());
    for &part in parts {
        let of = |f: &FormulaId| {
            let place = parts.binary_search(f).ok();
            place
                .and_then(|at| values.get(at).copied())
                .unwrap_or(false)
        };
        let value = truth(part).unwrap_or_else(|| match store.node(part) {
            Node::Constant(value) => *value,
            Node::Not(f) => !of(f),
            Node::And(list) => list.iter().all(of),
            Node::Or(list) => list.iter().any(of),
            Node::Implies(f, g) => !of(f) || of(g),
            Node::Iff(f, g) => of(f) == of(g),
            Node::Xor(f, g) => of(f) != of(g),
            // Temporal operators stand under quantifiers.
            Node::Atom(_) | Node::Unary(..) | Node::Binary(..) | Node::Path(..) => false,
        });
        values.push(value);
    }
    values.last().copied().unwrap_or(false)
}

/// The number of a node, new or known.
fn number(
    table: &mut Table,
    nodes: &mut Vec<(u32, Values)>,
    state: u32,
    values: Values,
) -> Result<NodeId, Stop> {
    let next = u32::try_from(nodes.len()).map_err(|_| Stop::States)?;
    let number = *table.entry((state, values)).or_insert_with(|| {
        nodes.push((state, values));
        next
    });
    Ok(NodeId(number))
}

fn classes<S: Store>(space: &Space<'_, S>, key: Key<'_>) -> Vec<u32> {
    let mut known: HashMap<Vec<u8>, u32, BuildHasherDefault<DefaultHasher>> = HashMap::default();
    let mut bytes = Vec::new();
    let mut classes = Vec::new();
    for state in 0..space.len() {
        space.load(StateId::new(state as u32), &mut bytes);
        let next = known.len() as u32;
        classes.push(*known.entry(key(&bytes)).or_insert(next));
    }
    classes
}
