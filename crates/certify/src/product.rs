//! All edges of a product, from the system itself.
//!
//! States are expanded again, in the order in which they are met from the initial ones; the
//! propositions are evaluated, the edges of the automaton that read them are followed, the fairness
//! marks computed from what is enabled and what each step takes; and every edge that comes out leads
//! to a node with a rank and agrees with it. The ranks of the nodes of a state are asked for once,
//! when the state is met. So nothing is believed that a search has kept, neither its states nor its
//! records nor its marks: whatever ranks are told, each is held against all edges of its node.
//!
//! What is believed is the system (initial states, successors, enabled items, values of propositions)
//! and that the automaton accepts the runs that break the property.
//!
//! Where a proposition has no value, only an edge of the automaton that asks for it stops the check.
//!
//! What an end is, is decided here: a state without successors, unless a run-time error is why there
//! are none. Where finished runs count, it has a step that stays and takes nothing; where every state
//! may be stayed in, all have one.
//!
//! The order is the same in every run: breadth-first, initial states and successors as the system
//! tells them. A certificate that is kept needs no states: it is the list of the answers.

use evenhand_automata::{Automaton, Bits, Edge, Letter, Mark, MarkSet, State};
use evenhand_system::{
    Explicit, Explorer, Fairness, FaultKind, FinishedRuns, PropositionId, Successors,
};

use crate::condition::{Condition, Pair};
use crate::edge::Rules;
use crate::flaw::{Checked, Failure, Flaw, Refusal};
use crate::marks::FairnessMarks;
use crate::rank::{CellId, Cells};
use crate::rank_lists::RankLists;
use crate::states::{Chunks, States};

/// What is to be proved: the automaton accepts no fair run of the system.
#[derive(Clone, Copy)]
pub struct ProductClaim<'c> {
    /// The system.
    pub system: &'c dyn Explicit,
    /// What is assumed of fair runs.
    pub fairness: &'c Fairness,
    /// Which of the assumptions count, by place; all if nothing is said.
    pub chosen: Option<&'c [bool]>,
    /// The automaton of the bad runs.
    pub automaton: &'c Automaton,
    /// What its propositions are.
    pub propositions: &'c [PropositionId],
    /// What runs that come to an end mean.
    pub finished: FinishedRuns,
}

/// Who knows the ranks of the nodes of a product.
pub trait RankSource {
    /// Puts the ranks of the nodes of a state in place of what `ranks` held, in the order of the
    /// automaton's states. Asked once for each state, in the order described above.
    ///
    /// # Errors
    /// If they cannot be told.
    fn ranks(&mut self, state: &[u8], ranks: &mut Vec<(State, CellId)>) -> Result<(), Flaw>;
}

impl ProductClaim<'_> {
    /// The condition of the product: fairness, then what the automaton accepts.
    ///
    /// # Errors
    /// If the automaton accepts by something else.
    pub fn condition(&self) -> Result<Condition, Refusal> {
        let acceptance = self.automaton.acceptance();
        if !acceptance.is_streett() {
            return Err(Refusal::Acceptance);
        }
        let marks = FairnessMarks::new(&self.fairness.assumptions);
        let mut condition = marks.condition(self.chosen);
        let behind = |mark: Mark| marks.count() + mark.index();
        condition.buchi.extend(acceptance.buchi.iter().map(behind));
        let pairs = acceptance.pairs.iter().map(|pair| Pair {
            request: behind(pair.request),
            grant: behind(pair.grant),
        });
        condition.pairs.extend(pairs);
        Ok(condition)
    }
}

/// Whether ranks prove a claim. The observer is told now and then how far it has come, and says
/// whether to go on.
///
/// # Errors
/// What is wrong with them; or why they cannot be checked.
pub fn check_product(
    claim: &ProductClaim<'_>,
    cells: &Cells,
    source: &mut dyn RankSource,
    observer: &mut dyn FnMut(&Checked) -> bool,
) -> Result<Checked, Failure<Refusal>> {
    check_product_with(claim, cells, source, States::new(), observer)
}

/// The same, with a list for the states that are met: none may be there yet. If it keeps them in a file, the
/// check takes at most 14 bytes of memory for each state, and what the different lists of ranks take.
///
/// # Errors
/// What is wrong with the ranks; or why they cannot be checked.
pub fn check_product_with(
    claim: &ProductClaim<'_>,
    cells: &Cells,
    source: &mut dyn RankSource,
    states: States,
    observer: &mut dyn FnMut(&Checked) -> bool,
) -> Result<Checked, Failure<Refusal>> {
    if !states.is_empty() {
        return Err(Flaw::Order.into());
    }
    if claim.finished == FinishedRuns::Maximal {
        return Err(Refusal::FiniteRuns.into());
    }
    if claim.propositions.len() < claim.automaton.props().len() {
        return Err(Refusal::Propositions.into());
    }
    let marks = FairnessMarks::new(&claim.fairness.assumptions);
    let of_automaton = claim.propositions.iter().copied();
    let mut read = of_automaton.chain(marks.propositions());
    if let Some(proposition) = read.find(|&p| claim.system.is_on_steps(p)) {
        return Err(Refusal::OnSteps(proposition).into());
    }
    let condition = claim.condition()?;
    let mut check = Check {
        claim,
        rules: Rules::new(cells, &condition)?,
        explorer: claim.system.explorer(&claim.fairness.items),
        marks,
        source,
        states,
        lists: RankLists::default(),
        list_of: Chunks::default(),
        told: Vec::new(),
        successors: Successors::new(),
        moves: Vec::new(),
        steps: Vec::new(),
        checked: Checked::default(),
    };
    check.initial()?;
    let mut next = 0;
    while next < check.states.len() {
        check.state(next)?;
        next += 1;
        if next.is_multiple_of(1024) && !observer(&check.checked) {
            return Err(Refusal::Interrupted.into());
        }
    }
    Ok(check.checked)
}

/// A step of the system.
struct Step {
    /// The number of the state behind it.
    target: usize,
    marks: Bits,
}

struct Check<'c> {
    claim: &'c ProductClaim<'c>,
    rules: Rules<'c>,
    explorer: Box<dyn Explorer + 'c>,
    marks: FairnessMarks,
    source: &'c mut dyn RankSource,
    /// The states that were met.
    states: States,
    /// Lists of ranks, and which one each state has.
    lists: RankLists,
    list_of: Chunks<u32>,
    /// The ranks of the state that was just met.
    told: Vec<(State, CellId)>,
    successors: Successors,
    /// The moves of the automaton that read the state that is looked at: the rank of the node, the
    /// state behind it, marks.
    moves: Vec<(CellId, State, MarkSet)>,
    /// The steps out of the state that is looked at.
    steps: Vec<Step>,
    checked: Checked,
}

impl Check<'_> {
    /// Each initial state is ranked with each initial state of the automaton.
    fn initial(&mut self) -> Result<(), Failure<Refusal>> {
        self.explorer.initial(&mut self.successors);
        self.checked.faults += count_faults(&self.successors)?;
        for index in 0..self.successors.len() {
            let state = self.meet(index)?;
            for &initial in self.claim.automaton.initial() {
                self.rank(state, initial).ok_or(Flaw::InitialState)?;
            }
        }
        Ok(())
    }

    /// The number of a successor; if it is new its ranks are asked for.
    fn meet(&mut self, index: usize) -> Result<usize, Failure<Refusal>> {
        let state = self.successors.state(index);
        let (number, is_new) = self.states.meet(state)?;
        if !is_new {
            return Ok(number);
        }
        self.source.ranks(state, &mut self.told)?;
        if !self.told.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(Flaw::Order.into());
        }
        let count = self.claim.automaton.state_count();
        let is_known =
            |&(from, cell): &(State, CellId)| from.index() < count && self.rules.has(cell);
        if !self.told.iter().all(is_known) {
            return Err(Flaw::NoCell.into());
        }
        self.list_of.push(self.lists.meet(&self.told)?);
        Ok(number)
    }

    fn rank(&self, state: usize, automaton: State) -> Option<CellId> {
        self.lists.rank(self.list_of.get(state), automaton)
    }

    /// Expands a state and looks at all edges of its nodes.
    fn state(&mut self, number: usize) -> Result<(), Failure<Refusal>> {
        let state = self.states.get(number)?;
        self.explorer.expand(state, &mut self.successors);
        self.checked.faults += count_faults(&self.successors)?;
        let letter = PartialLetter::read(&mut *self.explorer, self.claim.propositions, state);
        let nodes = self.lists.get(self.list_of.get(number));
        self.checked.states += 1;
        self.checked.nodes += nodes.len() as u64;
        self.moves.clear();
        for &(from, rank) in nodes {
            let automaton = self.claim.automaton;
            for edge in automaton.edges_from(from) {
                if letter.is_read_by(automaton, edge)? {
                    let marks = automaton.step_marks(edge, &letter.holds);
                    self.moves.push((rank, edge.target, marks));
                }
            }
        }
        // Where the automaton has come to an end the system need not be followed.
        if self.moves.is_empty() {
            return Ok(());
        }
        self.collect_steps(number)?;
        for (rank, to, marks) in &self.moves {
            self.follow(number, *rank, *to, marks)?;
        }
        self.checked.edges += (self.moves.len() * self.steps.len()) as u64;
        Ok(())
    }

    /// The steps of the system, with their marks.
    fn collect_steps(&mut self, number: usize) -> Result<(), Failure<Refusal>> {
        let state = self.states.get(number)?;
        let explorer = &mut *self.explorer;
        let enabled = self.successors.enabled();
        let in_front = self
            .marks
            .in_front(enabled, |proposition| holds(explorer, proposition, state))?;
        let bound = self.claim.fairness.pid_bound.unwrap_or(usize::MAX);
        self.steps.clear();
        for index in 0..self.successors.len() {
            if self.successors.step(index).is_beyond(bound) {
                return Err(Refusal::Processes.into());
            }
            let mut marks = self.marks.taken(self.successors.taken(index));
            marks.union_with(&in_front);
            let target = self.meet(index)?;
            self.steps.push(Step { target, marks });
        }
        let is_end = self.successors.is_empty() && self.successors.faults().is_empty();
        let stays = match self.claim.finished {
            FinishedRuns::Stutter => is_end,
            FinishedRuns::Everywhere => true,
            FinishedRuns::Ignore | FinishedRuns::Maximal => false,
        };
        if stays {
            self.steps.push(Step {
                target: number,
                marks: in_front,
            });
        }
        Ok(())
    }

    /// All steps of the system, together with one edge of the automaton.
    fn follow(&self, number: usize, rank: CellId, to: State, marks: &MarkSet) -> Result<(), Flaw> {
        let of_fairness = self.marks.count();
        for step in &self.steps {
            let below = self.rank(step.target, to);
            let below = below.ok_or(Flaw::Leaves { state: number })?;
            let has = |mark: usize| match mark.checked_sub(of_fairness) {
                None => step.marks.contains(mark),
                Some(mark) => marks.0.contains(mark),
            };
            let fits = self.rules.edge(rank, below, has);
            fits.map_err(|flaw| Flaw::Step {
                state: number,
                flaw,
            })?;
        }
        Ok(())
    }
}

/// Which propositions of the automaton hold in a state, as far as they have values.
struct PartialLetter {
    holds: Letter,
    /// Those that have no value, and why the first has none.
    missing: Bits,
    refusal: Option<Refusal>,
}

impl PartialLetter {
    fn read(explorer: &mut dyn Explorer, propositions: &[PropositionId], state: &[u8]) -> Self {
        let (mut held, mut missing, mut refusal) = (Bits::new(), Bits::new(), None);
        for (place, &proposition) in propositions.iter().enumerate() {
            match holds(explorer, proposition, state) {
                Ok(true) => held.insert(place),
                Ok(false) => {}
                Err(why) => {
                    missing.insert(place);
                    refusal.get_or_insert(why);
                }
            }
        }
        PartialLetter {
            holds: Letter(held),
            missing,
            refusal,
        }
    }

    /// Whether an edge of the automaton can be taken: what must hold does, what must not does not.
    ///
    /// # Errors
    /// If that, or the marks of the edge, depend on a proposition without a value.
    fn is_read_by(&self, automaton: &Automaton, edge: &Edge) -> Result<bool, Refusal> {
        let cube = automaton.cube(edge.label);
        let mut wanted = cube.positive().clone();
        wanted.subtract(&self.missing);
        let held = &self.holds.0;
        let can_be = wanted.is_subset(held) && cube.negative().is_disjoint(held);
        let Some(refusal) = self.refusal.filter(|_| can_be) else {
            return Ok(can_be);
        };
        let mut marks = automaton.conditionals().iter();
        let asks = !cube.positive().is_disjoint(&self.missing)
            || !cube.negative().is_disjoint(&self.missing)
            || marks.any(|mark| self.missing.contains(mark.literal.prop.index()));
        match asks {
            true => Err(refusal),
            false => Ok(true),
        }
    }
}

/// The value of a proposition in a state.
pub(crate) fn holds(
    explorer: &mut dyn Explorer,
    proposition: PropositionId,
    state: &[u8],
) -> Result<bool, Refusal> {
    let value = explorer.holds(proposition, state);
    value.map_err(|fault| Refusal::NoValue(proposition, fault.kind))
}

/// The number of run-time errors in a list of successors.
///
/// # Errors
/// If the list is not complete.
pub(crate) fn count_faults(successors: &Successors) -> Result<u64, Refusal> {
    let mut count = 0;
    for report in successors.faults() {
        match report.fault.kind {
            kind @ (FaultKind::TooManyShapes
            | FaultKind::LongAtomic
            | FaultKind::TooManySuccessors
            | FaultKind::TooManyTokens
            | FaultKind::Limit(_)) => return Err(Refusal::Limit(kind)),
            FaultKind::Trace { .. } => {}
            _ => count += 1,
        }
    }
    Ok(count)
}
