//! Infinite runs: a path whose last step returns to one of its positions, fair, on which a formula holds.
//!
//! **Problem.** The shortest counterexample of a linear-time property under justice and compassion.
//!
//! **Idea.** Round k asks for a run with positions 0 to k and a step from k back to some position l: k + 1 steps, as
//! the length of a lasso is counted. Position k + 1 is a copy of l, inputs included, so the steps are those of the path.
//! A literal says of each position that the cycle begins there, another that it has begun; so *justice*
//! is that its condition is met at a position on the cycle, and *compassion* (p, q) that p is met at none or q at one.
//! The formula has literals of its own ([`crate::formula`]). All rounds share one solver; what holds only if the run returns after k
//! holds under the assumption of round k. No shorter round found a run, so the first that does
//! has a shortest one.
//!
//! If the path cannot even go on for so many steps without returning, there is no run at all, and the property holds.
//!
//! **Cost.** Each round adds clauses for one step, and for each operator of the formula as many as past operators are
//! nested in it.

use batsat::Lit;
use evenhand_logic::{AtomId, FormulaId, Formulas};
use evenhand_source::Budget;
use evenhand_system::fairness::{Compassion, PropositionId};
use evenhand_system::relation::{ExprId, Relation};
use rustc_hash::FxHashMap;

use crate::formula::{Along, Place, same};
use crate::reach::Round;
use crate::solver::{Outcome, Statistics, Stop};
use crate::unroll::{Run, Unrolled, always_defined, is_defined};

/// The search for a fair run that breaks a formula.
pub struct Lassos<'r> {
    unrolled: Unrolled<'r>,
    formula: Along,
    atoms: FxHashMap<AtomId, PropositionId>,
    justice: Vec<Chain>,
    compassion: Vec<(Chain, Chain)>,
    /// That the cycle begins at each position, and has begun.
    places: Vec<Place>,
    /// That it begins at the position behind the last of these.
    next: Lit,
    /// The state at the beginning of the cycle.
    turn: Vec<Lit>,
    /// Whether everything has a value everywhere: only then is anything proved.
    is_defined: bool,
}

/// Whether a condition is met on the cycle.
struct Chain {
    proposition: PropositionId,
    /// So far.
    met: Lit,
}

impl<'r> Lassos<'r> {
    /// A search for a run of the relation, fair as it says, on which a formula does not hold.
    ///
    /// # Errors
    /// If a limit is reached, an atom has no proposition, or something cannot be encoded.
    pub fn new(
        relation: &'r Relation,
        (store, formula): (&Formulas, FormulaId),
        proposition: &dyn Fn(AtomId) -> Option<PropositionId>,
        budget: &Budget,
    ) -> Result<Lassos<'r>, Stop> {
        relation
            .check()
            .map_err(|refusal| Stop::Refused(refusal.reason))?;
        let mut atoms = FxHashMap::default();
        for atom in store.atoms_of(formula) {
            let unknown = || Stop::Refused("a proposition is not known".to_string());
            atoms.insert(atom, proposition(atom).ok_or_else(unknown)?);
        }
        let pairs = relation
            .compassion
            .iter()
            .flat_map(|pair| [pair.when, pair.then]);
        let read = atoms
            .values()
            .copied()
            .chain(relation.justice.iter().copied())
            .chain(pairs);
        let expr = |id: PropositionId| relation.propositions.get(id.0 as usize).map(|p| p.1);
        let read: Vec<ExprId> = read.filter_map(expr).collect();
        let is_defined = is_defined(relation, budget)? && always_defined(relation, read, budget)?;
        let mut unrolled = Unrolled::new(relation, budget);
        let no = unrolled.g.no();
        let chain = |&proposition: &PropositionId| Chain {
            proposition,
            met: no,
        };
        let pair = |pair: &Compassion| (chain(&pair.when), chain(&pair.then));
        let mut search = Lassos {
            formula: Along::new(&mut unrolled.g, store, formula)?,
            atoms,
            justice: relation.justice.iter().map(chain).collect(),
            compassion: relation.compassion.iter().map(pair).collect(),
            places: Vec::new(),
            next: no,
            turn: Vec::new(),
            is_defined,
            unrolled,
        };
        search.extend()?;
        search.unrolled.begin()?;
        let count = search.unrolled.bits(0).len();
        search.turn = (0..count)
            .map(|_| search.unrolled.g.solver.fresh())
            .collect();
        let asserted = search.formula.asserted();
        search.unrolled.g.solver.clause(&[!asserted]);
        Ok(search)
    }

    /// Whether what was proved about lengths is certain: everything has a value everywhere.
    pub fn can_prove(&self) -> bool {
        self.is_defined
    }

    /// The number of steps of the runs of the next round.
    pub fn steps(&self) -> usize {
        self.places.len() + 1
    }

    /// How much was done.
    pub fn statistics(&self) -> Statistics {
        self.unrolled.g.solver.statistics()
    }

    /// A new position, with the values of the formula.
    fn extend(&mut self) -> Outcome<()> {
        self.unrolled.extend()?;
        let at = self.unrolled.len() - 1;
        let mut values = FxHashMap::default();
        for (&atom, &id) in &self.atoms {
            values.insert(atom, met(&mut self.unrolled, at, id)?);
        }
        self.next = self.unrolled.g.solver.fresh();
        let no = self.unrolled.g.no();
        let value = |atom: AtomId| values.get(&atom).copied().unwrap_or(no);
        self.formula.extend(&mut self.unrolled.g, self.next, &value);
        Ok(())
    }

    /// Asks about runs with one more step.
    ///
    /// # Errors
    /// If a limit is reached, or something cannot be encoded.
    pub fn round(&mut self) -> Result<Round, Stop> {
        let last = self.places.len();
        self.place(last)?;
        self.extend()?;
        self.unrolled.step(last)?;
        let closes = self.close(last);
        if self.unrolled.g.solver.solve(&[closes])? {
            let begins = |place: &Place| self.unrolled.g.solver.value(place.begins);
            let turn = self.places.iter().position(begins);
            let states = (0..=last).map(|at| self.unrolled.values(at));
            return Ok(Round::Broken(Run {
                states: states.collect(),
                turn,
            }));
        }
        let is_asked = last < 8 || last.is_power_of_two();
        let g = &mut self.unrolled.g;
        g.solver.clause(&[!closes]);
        match self.is_defined && is_asked && !g.solver.solve(&[])? {
            true => Ok(Round::Holds),
            false => Ok(Round::Open),
        }
    }

    /// The cycle may begin at a position.
    fn place(&mut self, at: usize) -> Outcome<()> {
        let g = &mut self.unrolled.g;
        let before = self.places.last().map_or(g.no(), |place| place.inside);
        let begins = self.next;
        g.solver.clause(&[!begins, !before]);
        let inside = g.or(before, begins);
        let place = Place { begins, inside };
        self.places.push(place);
        for (&proxy, bit) in self.turn.iter().zip(self.unrolled.bits(at)) {
            same(&mut self.unrolled.g, Some(begins), proxy, bit);
        }
        self.formula.place(&mut self.unrolled.g, at, place);
        let pairs = self.compassion.iter_mut().flat_map(|(p, q)| [p, q]);
        for chain in self.justice.iter_mut().chain(pairs) {
            let here = met(&mut self.unrolled, at, chain.proposition)?;
            let g = &mut self.unrolled.g;
            let here = g.and(inside, here);
            chain.met = g.or(chain.met, here);
        }
        Ok(())
    }

    /// The assumption that the run returns from a position.
    fn close(&mut self, at: usize) -> Lit {
        let copy = self.unrolled.bits(at + 1);
        let g = &mut self.unrolled.g;
        let closes = g.solver.fresh();
        g.solver.clause(&[!closes, self.places[at].inside]);
        g.solver.clause(&[!closes, !self.next]);
        for (&proxy, bit) in self.turn.iter().zip(copy) {
            same(g, Some(closes), proxy, bit);
        }
        self.formula.close(g, at, closes);
        for chain in &self.justice {
            g.solver.clause(&[!closes, chain.met]);
        }
        for (p, q) in &self.compassion {
            g.solver.clause(&[!closes, !p.met, q.met]);
        }
        closes
    }
}

/// A proposition at a position, which has a value there.
fn met(unrolled: &mut Unrolled<'_>, at: usize, id: PropositionId) -> Outcome<Lit> {
    let condition = unrolled.proposition(at, id)?;
    unrolled.g.solver.clause(&[condition.yes, condition.no]);
    Ok(condition.yes)
}
