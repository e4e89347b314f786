//! The plainest automaton of a formula: its tableau.
//!
//! A state says of each part of the formula (propositions, temporal operators and what lies between)
//! whether it is true here: it knows its letter, and what is to come. Boolean operators follow from
//! their operands. Operators with a recursion, such as `f U g = g or (f and X (f U g))`, are decided
//! by their operands or have the same value as in the next state, or, for those of the past, in the
//! state before; `X` and `Y` hand over the value of their operand. What a state asks of the next one
//! is its *demand*; in the beginning it is that the formula is true (or false, as one likes) and that
//! there is no past. A recursion that looks ahead could be put off for ever: it has a mark on the
//! states where it is decided or needs no decision, and a run counts if it has each mark infinitely
//! often (Lichtenstein, Pnueli 1985). Each word has at most one such run: the one that tells the
//! truth; and it begins with the value that was asked for just if the formula has it. Several formulas
//! with their values are a conjunction.
//!
//! Nothing is simplified here, since this is what automata are held against. States with the same
//! demand share the list of their successors. The number of states is exponential in the number of
//! operators: there is a limit, and the formulas of practice are far below.

mod automaton;
mod parts;

use std::collections::{BTreeSet, HashMap};

use evenhand_logic::{FormulaId, Formulas, Node, Unary};
use evenhand_source::spend;
use evenhand_system::PropositionId;

use parts::{Demand, Meeting, Part, Recursion, Truth};
use parts::{binary, bit, demand, in_the_beginning, is_true, unary};

/// Why there is no tableau.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTableau {
    /// The formula has a path quantifier.
    NotLinear,
    /// It is not known what an atom is.
    Atom,
    /// There are too many states, or parts.
    TooLarge,
}

/// How much may be looked at for each state that is allowed.
const STEPS_PER_STATE: usize = 512;

/// What the states of a tableau are to know besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'w> {
    /// Propositions that letters are about.
    pub letters: &'w [PropositionId],
    /// Whether each recursion with two operands, such as `f U g`, will be decided at some time. The truth
    /// does not depend on it where it is worth the same if it is put off for ever.
    pub decisions: bool,
}

/// The tableau of a formula.
#[derive(Clone, Debug)]
pub struct Tableau {
    parts: Vec<Part>,
    propositions: Vec<(PropositionId, usize)>,
    states: Vec<Truth>,
    /// The demand of each state, by number.
    demand_of: Vec<u32>,
    /// The states that meet each demand.
    meeting: Vec<Vec<u32>>,
    initial: Vec<u32>,
    /// The formulas that were asked for, with their places.
    roots: Vec<(FormulaId, usize)>,
}

impl Tableau {
    /// The tableau of the words on which formulas have these values. Letters are about the
    /// propositions of their atoms (`atoms` says for each atom of the store which it is) and about
    /// others that are wanted.
    ///
    /// # Errors
    /// If there is none, or it has more states than `limit`.
    pub fn new(
        store: &Formulas,
        values: &[(FormulaId, bool)],
        atoms: &[PropositionId],
        wanted: Wanted<'_>,
        limit: usize,
    ) -> Result<Tableau, NoTableau> {
        let roots: Vec<FormulaId> = values.iter().map(|&(formula, _)| formula).collect();
        let proposition = |part: FormulaId| match store.node(part) {
            Node::Atom(atom) => atoms.get(atom.index()).copied(),
            _ => None,
        };
        Tableau::of(store, &roots, values, &proposition, wanted, limit)
    }

    /// The tableau of all words, whose states know the values of some formulas. What is told to be a
    /// proposition is not looked into.
    ///
    /// # Errors
    /// If there is none, or it has more states than `limit`.
    pub(crate) fn of_all(
        store: &Formulas,
        roots: &[FormulaId],
        proposition: &dyn Fn(FormulaId) -> Option<PropositionId>,
        limit: usize,
    ) -> Result<Tableau, NoTableau> {
        Tableau::of(store, roots, &[], proposition, Wanted::default(), limit)
    }

    fn of(
        store: &Formulas,
        roots: &[FormulaId],
        values: &[(FormulaId, bool)],
        proposition: &dyn Fn(FormulaId) -> Option<PropositionId>,
        wanted: Wanted<'_>,
        limit: usize,
    ) -> Result<Tableau, NoTableau> {
        let mut tableau = Tableau {
            parts: Vec::new(),
            propositions: Vec::new(),
            states: Vec::new(),
            demand_of: Vec::new(),
            meeting: Vec::new(),
            initial: Vec::new(),
            roots: Vec::new(),
        };
        for &letter in wanted.letters {
            tableau.proposition(letter);
        }
        let places = tableau.add_parts(store, roots, proposition, wanted.decisions)?;
        let place = |formula| places.get(formula).copied().ok_or(NoTableau::TooLarge);
        for root in roots {
            tableau.roots.push((*root, place(root)?));
        }
        let mut first = Demand {
            before: in_the_beginning(&tableau.parts),
            ..Demand::default()
        };
        for (formula, value) in values {
            first.must |= bit(place(formula)?, *value);
            first.must_not |= bit(place(formula)?, !value);
        }
        tableau.explore(first, limit)?;
        Ok(tableau)
    }

    /// Leaves out states: no longer initial, and no longer successors.
    pub(crate) fn leave_out(&mut self, is_out: impl Fn(u32) -> bool) {
        for list in self.meeting.iter_mut().chain([&mut self.initial]) {
            list.retain(|&state| !is_out(state));
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is none: the formula has the value on no word.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The initial states.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The number of a state's list of successors: those of the same number have the same.
    pub fn demand(&self, state: usize) -> usize {
        self.demand_of[state] as usize
    }

    /// How many such lists there are.
    pub fn demands(&self) -> usize {
        self.meeting.len()
    }

    /// The states that meet a demand.
    pub fn meeting(&self, demand: usize) -> &[u32] {
        &self.meeting[demand]
    }

    /// The successors of a state.
    pub fn successors(&self, state: usize) -> &[u32] {
        self.meeting(self.demand(state))
    }

    /// Whether a proposition holds in a state; none if the letters are not about it.
    pub fn holds(&self, state: usize, proposition: PropositionId) -> Option<bool> {
        let mut known = self.propositions.iter();
        let (_, place) = known.find(|(known, _)| *known == proposition)?;
        Some(is_true(self.states[state], *place))
    }

    /// The value of one of the formulas that it was made for.
    pub fn value(&self, state: usize, formula: FormulaId) -> Option<bool> {
        let (_, place) = self.roots.iter().find(|(root, _)| *root == formula)?;
        Some(is_true(self.states[state], *place))
    }

    /// Whether the letters are about a proposition.
    pub fn knows(&self, proposition: PropositionId) -> bool {
        self.propositions
            .iter()
            .any(|(known, _)| *known == proposition)
    }

    /// The number of marks.
    pub fn marks(&self) -> usize {
        self.recursions().count()
    }

    /// The marks of a state, a bit for each.
    pub fn marks_of(&self, state: usize) -> u128 {
        let truth = self.states[state];
        let mut marks = 0;
        for (mark, (place, recursion)) in self.recursions().enumerate() {
            let is_settled = is_true(truth, place) == recursion.default;
            marks |= bit(mark, is_settled || recursion.decided(truth).is_some());
        }
        marks
    }

    /// The recursions that look ahead, with their places.
    fn recursions(&self) -> impl Iterator<Item = (usize, &Recursion)> {
        let parts = self.parts.iter().enumerate();
        parts.filter_map(|(place, part)| match part {
            Part::Recursion(recursion) if !recursion.is_past => Some((place, recursion)),
            _ => None,
        })
    }

    /// Lists the parts, operands first; the place of each.
    fn add_parts(
        &mut self,
        store: &Formulas,
        roots: &[FormulaId],
        proposition: &dyn Fn(FormulaId) -> Option<PropositionId>,
        decisions: bool,
    ) -> Result<HashMap<FormulaId, usize>, NoTableau> {
        // Operands have smaller numbers than what they are part of.
        let mut ids = BTreeSet::new();
        let mut todo = roots.to_vec();
        while let Some(id) = todo.pop() {
            spend();
            if ids.insert(id) && proposition(id).is_none() {
                todo.extend(store.node(id).operands());
            }
        }
        let mut places: HashMap<FormulaId, usize> = HashMap::new();
        for id in ids {
            if let Some(proposition) = proposition(id) {
                let place = self.proposition(proposition);
                places.insert(id, place);
                continue;
            }
            let node = store.node(id);
            let mut operands = Vec::new();
            for operand in node.operands() {
                operands.push(*places.get(&operand).ok_or(NoTableau::TooLarge)?);
            }
            let part = match (node, &operands[..]) {
                (Node::Constant(value), _) => Part::Constant(*value),
                (Node::Atom(_), _) => return Err(NoTableau::Atom),
                (Node::Not(_), &[f]) => Part::Not(f),
                (Node::And(_), _) => Part::All(operands),
                (Node::Or(_), _) => Part::Any(operands),
                (Node::Implies(..), &[f, g]) => Part::Implies(f, g),
                (Node::Iff(..), &[f, g]) => Part::Equal(f, g),
                (Node::Xor(..), &[f, g]) => Part::Different(f, g),
                (Node::Unary(operator, _), &[f]) => unary(*operator, f),
                (Node::Binary(operator, ..), &[f, g]) => binary(*operator, f, g),
                _ => return Err(NoTableau::NotLinear),
            };
            places.insert(id, self.parts.len());
            let is_open = matches!(&part, Part::Recursion(r) if r.left.is_some() && !r.is_past);
            self.parts.push(part);
            if is_open && decisions {
                self.parts.push(Part::Decided(self.parts.len() - 1));
                self.parts.push(unary(Unary::Finally, self.parts.len() - 1));
            }
        }
        match self.parts.len() > Truth::BITS as usize {
            true => Err(NoTableau::TooLarge),
            false => Ok(places),
        }
    }

    /// The place of a proposition.
    fn proposition(&mut self, proposition: PropositionId) -> usize {
        let mut known = self.propositions.iter();
        if let Some(&(_, place)) = known.find(|(known, _)| *known == proposition) {
            return place;
        }
        self.propositions.push((proposition, self.parts.len()));
        self.parts.push(Part::Proposition);
        self.parts.len() - 1
    }

    /// Makes all states that can be reached.
    fn explore(&mut self, first: Demand, limit: usize) -> Result<(), NoTableau> {
        let mut left = STEPS_PER_STATE * limit;
        let mut numbers: HashMap<Truth, u32> = HashMap::new();
        let mut demands: HashMap<Demand, u32> = HashMap::new();
        let found = Meeting::all(&self.parts, first, &mut left)?;
        self.initial = self.number(&mut numbers, &found, limit)?;
        let mut next = 0;
        while next < self.states.len() {
            let demand = demand(&self.parts, self.states[next]);
            let fresh = demands.len() as u32;
            let number = *demands.entry(demand).or_insert(fresh);
            if number == fresh {
                let found = Meeting::all(&self.parts, demand, &mut left)?;
                let list = self.number(&mut numbers, &found, limit)?;
                self.meeting.push(list);
            }
            self.demand_of.push(number);
            next += 1;
        }
        Ok(())
    }

    /// The numbers of states, new ones for those that are new.
    fn number(
        &mut self,
        numbers: &mut HashMap<Truth, u32>,
        found: &[Truth],
        limit: usize,
    ) -> Result<Vec<u32>, NoTableau> {
        let mut list = Vec::with_capacity(found.len());
        for &truth in found {
            let fresh = self.states.len() as u32;
            let number = *numbers.entry(truth).or_insert(fresh);
            if number == fresh {
                self.states.push(truth);
            }
            list.push(number);
        }
        match self.states.len() > limit {
            true => Err(NoTableau::TooLarge),
            false => Ok(list),
        }
    }
}
