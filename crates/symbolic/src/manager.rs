//! The diagrams: every operation on sets, with its limits.
//!
//! **Problem.** The library answers "out of memory" where its table of nodes is full and leaves the
//! rest to its user: when to collect garbage, what to give up, when to look at the clock.
//!
//! **Idea.** All operations go through one place. Before an operation the watch is asked, and
//! garbage is collected if the number of nodes has doubled since the last collection (a collection
//! also empties the cache of operations, so it must be rare). An operation that finds the table
//! full is repeated once after a collection; then the answer is [`Stop::Memory`].
//!
//! **Cost.** About 40 bytes a node: 16 in the table and up to 24 in the index while it grows; and
//! the cache. The table is reserved at once but used page by page.
//!
//! **Limits.** The library recurses once per level of the diagrams: there is a bound on the number
//! of levels, so that the stack suffices.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

use evenhand_source::budget::spend_many;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::util::{AllocResult, FxHasher, OptBool, SatCountCache, num::F64};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel,
    InnerNode, LevelNo, Manager as _, ManagerRef, Node, NodeID, Subst, VarNo,
};

use crate::room::has_room;
use crate::sift::sift;
use crate::watch::{Shared, Stop, Watch};

/// A set of states, or of steps, as a diagram.
pub(crate) type Set = BCDDFunction;

/// What an operation gives.
pub(crate) type Outcome<T> = Result<T, Stop>;

/// How many levels the diagrams may have.
const MOST_LEVELS: usize = 8000;

/// Below so many nodes garbage is never collected.
const LEAST_COLLECTION: usize = 1 << 21;

/// Bytes that one node costs: its place in the table and in the index.
pub(crate) const BYTES_PER_NODE: u64 = 40;

/// Bytes that one entry of the cache costs.
const BYTES_PER_ENTRY: u64 = 20;

/// The effort that an operation counts for, and each node that it makes: for what the order of variables may cost.
const EFFORT_PER_OPERATION: usize = 20;
const EFFORT_PER_NODE: usize = 5;

/// The same for those who work beside it in turns: so both count about nine million in a second, on banks, counters,
/// calculators and arrays.
const TURN_PER_OPERATION: usize = 10;
const TURN_PER_NODE: usize = 8;

/// So much for each node, and something for each pair of variables, is the least that it costs to improve the order.
const SIFTING_PER_NODE: usize = 4;

/// The order may cost so much before anything else has cost anything.
const CREDIT: usize = 400_000;

/// So many nodes are large. Where there are so many all of a sudden a better order is worth most: then it may cost so much
/// for each of them in advance, and so much at most, which is some half a second.
const LARGE: usize = 1 << 15;
const CREDIT_PER_NODE: usize = 100;
const MOST_CREDIT: usize = 6_000_000;

/// Between so many operations nobody asks what others have in use.
const LOOKS: u64 = 16;

/// So many entries of the cache are forgotten with one effort.
const ENTRIES_PER_EFFORT: usize = 8;

/// Fewer elements than these are counted exactly, however many variables there are.
const FEW: f64 = 1e15;

/// The owner of all diagrams.
pub(crate) struct Manager {
    reference: BCDDManagerRef,
    yes: Set,
    no: Set,
    watch: Watch,
    capacity: usize,
    /// Whether others need memory too.
    shared: Option<Shared>,
    /// The entries of the cache of operations.
    cache: usize,
    collect_at: Cell<usize>,
    peak: Cell<usize>,
    collections: Cell<u64>,
    operations: Cell<u64>,
    rounds: Cell<u64>,
    /// Variables that stay together when the order changes.
    groups: RefCell<Vec<Vec<VarNo>>>,
    /// With so many nodes in use the order is improved for the first time, and the next time;
    /// never, if there is no number.
    first_sifting: Option<usize>,
    /// Improving it may take one part of so many of all other effort; any, if this is 0.
    sift_share: usize,
    sift_at: Cell<Option<usize>>,
    /// The effort of all operations, and what of it was for the order.
    effort: Cell<usize>,
    effort_for_order: Cell<usize>,
    /// What the next improvement is expected to cost at least.
    sift_after: Cell<usize>,
    reorderings: Cell<u64>,
    /// With more nodes it is asked again whether it may cost something in advance.
    credit_at: Cell<usize>,
}

/// A change of variables that is made often.
pub(crate) struct Renaming(Option<Subst<Set>>);

impl Manager {
    /// A manager for about so many levels.
    ///
    /// # Errors
    /// If there are too few addresses for it.
    pub fn new(
        levels: usize,
        (memory, shared): (u64, Option<Shared>),
        (sift, sift_share): (Option<usize>, usize),
        watch: Watch,
    ) -> Result<Manager, Stop> {
        if !has_room(memory) {
            return Err(Stop::Memory);
        }
        // An eighth is for all that is no diagram.
        let memory = memory / 8 * 7;
        // A cache that is too small for an operation makes it exponential.
        let wanted: u64 = match levels {
            0..=24 => 1 << 12,
            25..=48 => 1 << 18,
            49..=110 => 1 << 21,
            _ => 1 << 22,
        };
        let affordable = (memory / 16 / BYTES_PER_ENTRY).max(1 << 8);
        let cache = wanted.min(affordable.next_power_of_two() / 2);
        let rest = memory.saturating_sub(cache * BYTES_PER_ENTRY);
        let most = (rest / BYTES_PER_NODE).clamp(1 << 12, (1 << 31) - 2) as usize;
        let reference = oxidd::bcdd::new_manager(most, cache as usize, 1);
        let (yes, no) = reference.with_manager_shared(|m| (Set::t(m), Set::f(m)));
        Ok(Manager {
            reference,
            yes,
            no,
            watch,
            capacity: most,
            shared,
            cache: cache as usize,
            collect_at: Cell::new(LEAST_COLLECTION.min(most / 2)),
            peak: Cell::new(0),
            collections: Cell::new(0),
            operations: Cell::new(0),
            rounds: Cell::new(0),
            groups: RefCell::new(Vec::new()),
            first_sifting: sift,
            sift_share,
            sift_at: Cell::new(sift),
            effort: Cell::new(0),
            effort_for_order: Cell::new(0),
            sift_after: Cell::new(0),
            reorderings: Cell::new(0),
            credit_at: Cell::new(0),
        })
    }

    /// The watch.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The most nodes that were seen at once.
    pub fn peak(&self) -> usize {
        self.peak.get().max(self.nodes())
    }

    /// How often garbage was collected.
    pub fn collections(&self) -> u64 {
        self.collections.get()
    }

    /// How many operations were done.
    pub fn operations(&self) -> u64 {
        self.operations.get()
    }

    /// A round of a fixpoint begins.
    pub fn round(&self) {
        self.rounds.set(self.rounds.get() + 1);
    }

    /// How many rounds there were.
    pub fn rounds(&self) -> u64 {
        self.rounds.get()
    }

    /// The number of nodes, with those that are garbage.
    pub fn nodes(&self) -> usize {
        self.reference
            .with_manager_shared(|m| m.approx_num_inner_nodes())
    }

    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.reference.with_manager_shared(|m| m.num_levels()) as usize
    }

    /// Adds variables below all others; they stay together.
    pub fn add_variables(&self, count: usize) -> Outcome<Vec<VarNo>> {
        if self.levels() + count > MOST_LEVELS {
            let reason = format!("the model has more than {} bits", MOST_LEVELS / 2);
            return Err(Stop::Refused(reason));
        }
        let added = self
            .reference
            .with_manager_exclusive(|m| m.add_vars(count as VarNo));
        let added: Vec<VarNo> = added.collect();
        self.groups.borrow_mut().push(added.clone());
        Ok(added)
    }

    /// The variables from the top to the bottom.
    pub fn order(&self) -> Vec<VarNo> {
        self.reference.with_manager_shared(|m| {
            (0..m.num_levels())
                .map(|level| m.level_to_var(level))
                .collect()
        })
    }

    /// Everything.
    pub fn yes(&self) -> Set {
        self.yes.clone()
    }

    /// Nothing.
    pub fn no(&self) -> Set {
        self.no.clone()
    }

    /// Whether a set is empty.
    pub fn is_empty(&self, set: &Set) -> bool {
        *set == self.no
    }

    /// Collects garbage; the number of nodes that are left.
    pub fn collect(&self) -> usize {
        self.peak.set(self.peak());
        self.collections.set(self.collections.get() + 1);
        self.reference.with_manager_shared(|m| m.gc());
        let left = self.reference.with_manager_shared(|m| m.num_inner_nodes());
        let floor = LEAST_COLLECTION.min(self.capacity / 2);
        self.collect_at
            .set((2 * left).max(floor).min(self.capacity / 10 * 9));
        left
    }

    fn attempt(&self, operation: impl Fn() -> AllocResult<Set>) -> Outcome<Set> {
        self.watch.look()?;
        self.operations.set(self.operations.get() + 1);
        let nodes = self.nodes();
        self.watch.show(self.rounds.get(), nodes as u64);
        if nodes > self.capacity / 2 && self.operations.get().is_multiple_of(LOOKS) {
            self.look_at_others()?;
        }
        let is_time =
            self.sift_at.get().is_some_and(|most| nodes > most) && self.may_improve_order(nodes);
        if is_time || nodes > self.collect_at.get() {
            let left = self.collect();
            if left > self.capacity / 10 * 9 {
                return Err(Stop::Memory);
            }
            self.improve_order(left);
        }
        let before = self.nodes();
        let done = operation();
        // What an operation costs is not seen from outside: its new nodes say something about it.
        let new = self.nodes().saturating_sub(before);
        self.count_effort(EFFORT_PER_OPERATION + EFFORT_PER_NODE * new);
        spend_many(TURN_PER_OPERATION + TURN_PER_NODE * new);
        if let Ok(set) = done {
            return Ok(set);
        }
        self.collect();
        operation().map_err(|_| Stop::Memory)
    }

    /// More than half is for those who do not crowd out others.
    fn look_at_others(&self) -> Outcome<()> {
        let crowds = |shared: Shared| (shared.in_use)() > shared.most;
        match self.shared.is_some_and(crowds) && self.collect() > self.capacity / 2 {
            true => Err(Stop::Memory),
            false => Ok(()),
        }
    }

    /// A variable as a set.
    pub fn variable(&self, variable: VarNo) -> Outcome<Set> {
        self.attempt(|| {
            self.reference
                .with_manager_shared(|m| Set::var(m, variable))
        })
    }

    /// Complement.
    pub fn not(&self, f: &Set) -> Outcome<Set> {
        self.attempt(|| f.not())
    }

    /// Intersection.
    pub fn and(&self, f: &Set, g: &Set) -> Outcome<Set> {
        self.attempt(|| f.and(g))
    }

    /// Union.
    pub fn or(&self, f: &Set, g: &Set) -> Outcome<Set> {
        self.attempt(|| f.or(g))
    }

    /// Symmetric difference.
    pub fn xor(&self, f: &Set, g: &Set) -> Outcome<Set> {
        self.attempt(|| f.xor(g))
    }

    /// Where both agree.
    pub fn equiv(&self, f: &Set, g: &Set) -> Outcome<Set> {
        self.attempt(|| f.equiv(g))
    }

    /// What is in the first and not in the second.
    pub fn minus(&self, f: &Set, g: &Set) -> Outcome<Set> {
        self.attempt(|| g.imp_strict(f))
    }

    /// The second where the first holds, otherwise the third.
    pub fn if_then_else(&self, f: &Set, g: &Set, h: &Set) -> Outcome<Set> {
        self.attempt(|| f.ite(g, h))
    }

    /// Whether the sets have something in common.
    pub fn meet(&self, f: &Set, g: &Set) -> Outcome<bool> {
        Ok(!self.is_empty(&self.and(f, g)?))
    }

    /// The union of many.
    pub fn any<'s>(&self, sets: impl IntoIterator<Item = &'s Set>) -> Outcome<Set> {
        let mut all = self.no();
        for set in sets {
            all = self.or(&all, set)?;
        }
        Ok(all)
    }

    /// The intersection of many.
    pub fn all<'s>(&self, sets: impl IntoIterator<Item = &'s Set>) -> Outcome<Set> {
        let mut all = self.yes();
        for set in sets {
            all = self.and(&all, set)?;
        }
        Ok(all)
    }

    /// Variables as a set of variables, for quantifiers.
    pub fn cube(&self, variables: impl IntoIterator<Item = VarNo>) -> Outcome<Set> {
        let mut cube = self.yes();
        for variable in variables {
            cube = self.and(&cube, &self.variable(variable)?)?;
        }
        Ok(cube)
    }

    /// For some values of these variables.
    pub fn exists(&self, f: &Set, variables: &Set) -> Outcome<Set> {
        if *variables == self.yes {
            return Ok(f.clone());
        }
        self.attempt(|| f.exists(variables))
    }

    /// For some values of these variables both hold.
    pub fn and_exists(&self, f: &Set, g: &Set, variables: &Set) -> Outcome<Set> {
        if *variables == self.yes {
            return self.and(f, g);
        }
        self.attempt(|| f.apply_exists(BooleanOperator::And, g, variables))
    }

    /// The function with some variables fixed, given as a cube of literals.
    pub fn restrict(&self, f: &Set, literals: &Set) -> Outcome<Set> {
        self.attempt(|| f.restrict(literals))
    }

    /// A change of variables.
    pub fn renaming(&self, pairs: impl IntoIterator<Item = (VarNo, VarNo)>) -> Outcome<Renaming> {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for (old, new) in pairs {
            from.push(old);
            to.push(self.variable(new)?);
        }
        let some = !from.is_empty();
        Ok(Renaming(some.then(|| Subst::new(from, to))))
    }

    /// The set over other variables.
    pub fn rename(&self, f: &Set, renaming: &Renaming) -> Outcome<Set> {
        match &renaming.0 {
            Some(renaming) => self.attempt(|| f.substitute(renaming)),
            None => Ok(f.clone()),
        }
    }

    /// Some element, as the values of all variables; those that do not matter are false.
    pub fn pick(&self, f: &Set) -> Option<Vec<bool>> {
        let cube = f.pick_cube(|_, _, _| false)?;
        Some(cube.into_iter().map(|bit| bit == OptBool::True).collect())
    }

    /// Whether these values of the variables are in a set.
    pub fn contains(&self, f: &Set, bits: &[(VarNo, bool)]) -> bool {
        f.eval(bits.iter().copied())
    }

    /// The number of elements over so many variables, exactly where these are below 120 or the elements are few, and
    /// about.
    pub fn count(&self, f: &Set, variables: usize) -> (Option<u128>, f64) {
        type Hash = BuildHasherDefault<FxHasher>;
        let levels = variables as LevelNo;
        let about = f.sat_count::<F64, Hash>(levels, &mut SatCountCache::default());
        let exact = match variables {
            ..120 => Some(f.sat_count::<u128, Hash>(levels, &mut SatCountCache::default())),
            _ if about.0 < FEW => few(f, variables),
            _ => None,
        };
        (exact, exact.map_or(about.0, |n| n as f64))
    }

    /// The number of nodes of a diagram.
    pub fn size(&self, f: &Set) -> usize {
        f.node_count()
    }

    /// The variables that a set depends on.
    pub fn support(&self, f: &Set) -> BTreeSet<VarNo> {
        f.with_manager_shared(|manager, root| {
            let mut found = BTreeSet::new();
            let mut seen: std::collections::HashSet<NodeID, BuildHasherDefault<FxHasher>> =
                std::collections::HashSet::default();
            let mut open = vec![root];
            while let Some(edge) = open.pop() {
                if let Node::Inner(node) = manager.get_node(edge)
                    && seen.insert(edge.node_id())
                {
                    found.insert(manager.level_to_var(node.level()));
                    open.extend(node.children());
                }
            }
            found
        })
    }

    /// Whether it may be time to improve the order, with so many nodes, garbage among them. How many are in use is not known
    /// without a collection, and that is not for every operation.
    fn may_improve_order(&self, nodes: usize) -> bool {
        let least = self.least_sifting(0).max(self.sift_after.get());
        least <= self.affordable(0) || nodes > self.credit_at.get()
    }

    /// Improves the order of the variables if enough nodes are in use.
    fn improve_order(&self, left: usize) {
        let Some(most) = self.sift_at.get() else {
            return;
        };
        self.credit_at.set(left + 2 * LARGE);
        if left * 2 < most {
            // Mostly garbage: look again when there is more in use.
            self.sift_at.set(Some(2 * most));
            return;
        }
        if left > self.capacity / 3 {
            return;
        }
        // Counted and not timed: what is found later depends on the order.
        let Some(affordable) = self.budget_for_sifting(left) else {
            self.sift_after.set(self.least_sifting(left));
            return;
        };
        let groups = self.groups.borrow();
        let sifted = sift(&self.reference, &groups, affordable, || {
            self.watch.look().is_err()
        });
        self.effort_for_order
            .set(self.effort_for_order.get() + sifted.effort);
        self.count_effort(sifted.effort);
        spend_many(sifted.effort);
        self.sift_after.set(0);
        self.reorderings.set(self.reorderings.get() + 1);
        let first = self.first_sifting.unwrap_or(0);
        // Where it did not help, it is tried less often.
        let wait = match sifted.nodes * 10 > left * 9 {
            true => 4,
            false => 2,
        };
        self.sift_at.set(Some((wait * sifted.nodes).max(first)));
        self.credit_at.set(0);
    }

    /// What improving the order may cost with so many nodes in use; nothing, if that is too little.
    fn budget_for_sifting(&self, nodes: usize) -> Option<usize> {
        let affordable = self.affordable(0);
        if self.least_sifting(nodes) <= affordable {
            return Some(affordable);
        }
        // In advance only what is enough for all: with less the first groups would be moved, which are the largest, and
        // rarely those that stand wrong.
        let credit = match nodes {
            ..LARGE => CREDIT,
            _ => MOST_CREDIT.min(CREDIT_PER_NODE * nodes),
        };
        let affordable = self.affordable(credit);
        (self.whole_sifting(nodes) <= affordable).then_some(affordable)
    }

    /// What it costs at least to improve the order with so many nodes.
    fn least_sifting(&self, nodes: usize) -> usize {
        let groups = self.groups.borrow().len();
        let garbage = self.cache / ENTRIES_PER_EFFORT;
        SIFTING_PER_NODE * nodes + groups * groups * self.levels() + garbage
    }

    /// What it costs if each group of variables goes past all levels once, and so past all nodes.
    fn whole_sifting(&self, nodes: usize) -> usize {
        self.least_sifting(0) + self.groups.borrow().len() * nodes
    }

    /// What the order may cost now: altogether a part of everything else, and some effort in advance.
    fn affordable(&self, credit: usize) -> usize {
        let order = self.effort_for_order.get();
        match self.sift_share {
            0 => usize::MAX,
            share => (credit + (self.effort.get() - order) / share).saturating_sub(order),
        }
    }

    fn count_effort(&self, effort: usize) {
        self.effort.set(self.effort.get().saturating_add(effort));
    }

    /// How often the order of the variables was improved.
    pub fn reorderings(&self) -> u64 {
        self.reorderings.get()
    }

    /// Moves variables that occur nowhere yet to a place right below another one.
    pub fn move_below(&self, variables: &[VarNo], place: VarNo) {
        let mut order: Vec<VarNo> = self.order();
        order.retain(|v| !variables.contains(v));
        let at = order.iter().position(|&v| v == place);
        let at = at.map_or(order.len(), |at| at + 1);
        order.splice(at..at, variables.iter().copied());
        self.reference
            .with_manager_exclusive(|m| oxidd_reorder::set_var_order_seq(m, &order));
    }

    /// Moves variables that occur nowhere yet to the top.
    pub fn raise(&self, variables: Vec<VarNo>) {
        let rest = self.order().into_iter().filter(|v| !variables.contains(v));
        let order: Vec<VarNo> = variables.iter().copied().chain(rest).collect();
        self.reference
            .with_manager_exclusive(|m| oxidd_reorder::set_var_order_seq(m, &order));
    }
}

/// A part of all valuations: an odd number (or 0) times a power of two.
type Share = (u128, i64);

/// The number of elements over so many variables, if it is not too large for the numbers on the way.
///
/// The library counts from the complement where an edge has that mark, which has too many elements; here a mark goes down
/// to the ends. The share of a node is then a number that is at most that of all elements, times a power of two.
#[expect(
    clippy::mutable_key_type,
    reason = "sets are equal if their diagrams are the same, whatever their manager does"
)]
fn few(f: &Set, variables: usize) -> Option<u128> {
    let mut known = HashMap::default();
    let (odd, power) = share(f, &mut known)?;
    let power = u32::try_from(power + i64::try_from(variables).ok()?).ok()?;
    match odd {
        0 => Some(0),
        _ if power < odd.leading_zeros() => Some(odd << power),
        _ => None,
    }
}

#[expect(
    clippy::mutable_key_type,
    reason = "sets are equal if their diagrams are the same, whatever their manager does"
)]
fn share(f: &Set, known: &mut HashMap<Set, Share, BuildHasherDefault<FxHasher>>) -> Option<Share> {
    let Some((yes, no)) = f.cofactors() else {
        return Some((u128::from(f.satisfiable()), 0));
    };
    if let Some(&share) = known.get(f) {
        return Some(share);
    }
    let (a, b) = (share(&yes, known)?, share(&no, known)?);
    let sum = match (a, b) {
        (other, (0, _)) | ((0, _), other) => other,
        _ => {
            let power = a.1.min(b.1);
            let scaled = |(odd, own): Share| {
                let by = u32::try_from(own - power).ok()?;
                (by < odd.leading_zeros()).then(|| odd << by)
            };
            let sum = scaled(a)?.checked_add(scaled(b)?)?;
            let twos = sum.trailing_zeros();
            (sum >> twos, power + i64::from(twos))
        }
    };
    let half = (sum.0, sum.1 - 1);
    known.insert(f.clone(), half);
    Some(half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Gauge;

    fn manager(levels: usize) -> Manager {
        let watch = Watch::new(None, None, std::sync::Arc::<Gauge>::default());
        Manager::new(levels, (256 << 20, None), (None, 2), watch).expect("room")
    }

    /// Few elements are counted exactly over any number of variables, and as the library counts where it can.
    #[test]
    fn few_elements_are_counted_exactly() {
        for variables in [20usize, 119, 120, 200, 700] {
            let m = manager(variables);
            let added = m.add_variables(variables).expect("room");
            let mut set = m.no();
            let mut expected = 0;
            // Elements whose ones stand at two places, and those that are anything at the last three.
            for (a, b) in [(0, 1), (2, 17), (5, 11), (16, 3)] {
                let mut one = m.yes();
                for (at, &variable) in added.iter().enumerate().rev() {
                    let is_one = at == a || at == b;
                    if !is_one && at + 3 >= added.len() {
                        continue;
                    }
                    let literal = m.variable(variable).expect("room");
                    one = match is_one {
                        true => m.and(&literal, &one).expect("room"),
                        false => m.minus(&one, &literal).expect("room"),
                    };
                }
                // Of these 2^3, or fewer where one of the places is among the last.
                expected += 1 << (3 - [a, b].iter().filter(|&&at| at + 3 >= added.len()).count());
                set = m.or(&set, &one).expect("room");
            }
            let (exact, about) = m.count(&set, added.len());
            assert_eq!(exact, Some(expected), "{variables}");
            assert_eq!(few(&set, added.len()), Some(expected), "{variables}");
            assert!((about - expected as f64).abs() < 1e-3);
            assert_eq!(few(&m.no(), added.len()), Some(0));
            let all = few(&m.yes(), added.len());
            assert_eq!(all, (variables < 127).then(|| 1 << variables));
        }
    }
}
