//! All solutions of constraints by propagation: what follows is computed, and only what is left is split.
//!
//! **Problem.** `TRANS r = inc -> (next(a) = a + 1 & next(b) = b)` lists no candidates by itself: trying values of
//! `a` and `b` one after the other costs the product of their domains for each state, where a reader sees one step.
//!
//! **Idea.** The nodes of all constraints are one network with an interval for each (`interval.rs`). Constraints are
//! true; what that says of their operands is followed in both directions until nothing becomes narrower. Where a
//! constraint is still open, the search splits: by the truth of a condition inside of it (a guard, one side of
//! a disjunction) rather than by values, and by halves of the smallest domain where it is a comparison. When no
//! constraint is open any more, all values that are left are solutions, and are listed without a test.
//!
//! **Cost.** Linear in the size of the constraints for each split; splits follow the disjunctions of the model, not
//! the sizes of its domains. Where intervals say nothing (hashes, remainders) it is trial by halves.
//!
//! A constraint that may have no value is evaluated exactly once all that matters to it is known.

use std::collections::{HashMap, VecDeque};

use evenhand_source::spend;

use super::evaluate::{Compiled, Undefined};
use super::expression::{BinaryOp, ExprId, Node};
use super::interval::{Interval, backward, forward};
use super::solve::{Unknown, Values};
use super::{Relation, Sort};

/// How often the search splits at most.
const MOST_SPLITS: u64 = 1 << 20;

/// Domains of at most so many values are tried one by one, larger ones by halves.
const SMALL: u64 = 4;

/// Chooses among some possibilities, as [`crate::body::Dice`] do.
pub(super) type Chance<'c> = &'c mut dyn FnMut(u64) -> u64;

/// Constraints as one graph, operands first.
#[derive(Clone, Debug)]
pub(super) struct Network {
    nodes: Vec<Place>,
    /// The nodes that mention an unknown.
    moving: Vec<usize>,
    roots: Vec<Root>,
    unknowns: Vec<Domain>,
}

#[derive(Clone, Debug)]
struct Place {
    node: Node,
    operands: [usize; 3],
    /// What uses it.
    users: Vec<usize>,
    is_root: bool,
    /// Its number among the unknowns, if it is one.
    unknown: Option<usize>,
}

#[derive(Clone, Debug)]
struct Root {
    at: usize,
    exact: Compiled,
}

#[derive(Clone, Debug)]
struct Domain {
    unknown: Unknown,
    sort: Sort,
    /// Its node; none if no constraint mentions it.
    at: Option<usize>,
}

/// Whether the search for solutions is to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Go {
    On,
    Stop,
}

impl Network {
    pub fn new(relation: &Relation, unknowns: &[Unknown], constraints: &[ExprId]) -> Network {
        let pool = &relation.expressions;
        let mut ids: Vec<ExprId> = constraints.iter().flat_map(|&c| pool.closure(c)).collect();
        ids.sort_unstable();
        ids.dedup();
        let numbers: HashMap<ExprId, usize> = ids.iter().copied().zip(0..).collect();
        let mut nodes: Vec<Place> = Vec::with_capacity(ids.len());
        for (at, &id) in ids.iter().enumerate() {
            let node = *pool.node(id);
            let mut operands = [0; 3];
            for (place, operand) in operands.iter_mut().zip(node.operands()) {
                *place = numbers[&operand];
                let users = &mut nodes[*place].users;
                if users.last() != Some(&at) {
                    users.push(at);
                }
            }
            nodes.push(Place {
                node,
                operands,
                users: Vec::new(),
                is_root: false,
                unknown: None,
            });
        }
        let roots: Vec<Root> = constraints
            .iter()
            .map(|&id| Root {
                at: numbers[&id],
                exact: Compiled::new(pool, id),
            })
            .collect();
        for root in &roots {
            nodes[root.at].is_root = true;
        }
        let at_of: HashMap<Unknown, usize> = nodes
            .iter()
            .enumerate()
            .filter_map(|(at, place)| Some((variable(place.node)?, at)))
            .collect();
        let mut list = Vec::with_capacity(unknowns.len());
        for &unknown in unknowns {
            let at = at_of.get(&unknown).copied();
            if let Some(at) = at {
                nodes[at].unknown = Some(list.len());
            }
            list.push(Domain {
                unknown,
                sort: relation.variables[unknown.variable.0 as usize].sort.clone(),
                at,
            });
        }
        let mut is_moving: Vec<bool> = Vec::with_capacity(nodes.len());
        for place in &nodes {
            let count = place.node.operands().count();
            let inside = place.operands.iter().take(count);
            let mentions = inside.copied().any(|o: usize| is_moving[o]);
            is_moving.push(place.unknown.is_some() || mentions);
        }
        Network {
            moving: (0..nodes.len()).filter(|&at| is_moving[at]).collect(),
            nodes,
            roots,
            unknowns: list,
        }
    }

    /// Whether a constraint mentions an unknown.
    pub fn mentions(&self, unknown: Unknown) -> bool {
        let mut list = self.unknowns.iter();
        list.any(|domain| domain.unknown == unknown && domain.at.is_some())
    }

    /// Hands out solutions in the places of the unknowns, until told to stop. With a chance, what comes first is
    /// chosen by it.
    pub fn solve(
        &self,
        values: &mut Values,
        mut chance: Option<Chance<'_>>,
        mut found: impl FnMut(&Values) -> Result<Go, Undefined>,
    ) -> Result<(), Undefined> {
        let mut state = State::new(self, values);
        let mut splits = 0;
        // For each split what was known and decided before it, and the other part.
        let mut open: Vec<(usize, usize, usize, Interval)> = Vec::new();
        let mut is_possible = state.propagate();
        loop {
            if is_possible {
                if let Some((at, mut first, mut second)) = state.split(&mut chance) {
                    splits += 1;
                    if splits > MOST_SPLITS {
                        return Err(Undefined::TooMany);
                    }
                    if let Some(chance) = &mut chance
                        && self.nodes[at].unknown.is_none()
                        && chance(2) == 1
                    {
                        (first, second) = (second, first);
                    }
                    open.push((state.trail.len(), state.decided.len(), at, second));
                    is_possible = state.decide(at, first);
                    continue;
                }
                if state.is_solution(values)?
                    && state.list(values, &mut chance, &mut found)? == Go::Stop
                {
                    return Ok(());
                }
            }
            let Some((trail, decided, at, other)) = open.pop() else {
                return Ok(());
            };
            state.undo(trail);
            state.decided.truncate(decided);
            is_possible = state.decide(at, other);
        }
    }
}

/// The variable that a node is.
fn variable(node: Node) -> Option<Unknown> {
    match node {
        Node::Current(variable) => Some(Unknown {
            variable,
            next: false,
        }),
        Node::Next(variable) => Some(Unknown {
            variable,
            next: true,
        }),
        _ => None,
    }
}

/// What is known of operands; a node that has fewer does not look at the others.
fn among(list: &[Interval], operands: [usize; 3]) -> [Interval; 3] {
    operands.map(|at| list.get(at).copied().unwrap_or(Interval::single(0)))
}

fn bounds(sort: &Sort) -> Interval {
    let (low, high) = sort.bounds();
    Interval::new(low.into(), high.into())
}

/// The search: what is known of each node, and what was known before.
struct State<'n> {
    network: &'n Network,
    /// What a node may be in a solution.
    known: Vec<Interval>,
    /// What it is by the values of the unknowns that are left, whatever constraints ask of it.
    given: Vec<Interval>,
    trail: Vec<(usize, Interval)>,
    /// The conditions by whose truth the search was split, with what was decided: constraints of this branch.
    decided: Vec<(usize, bool)>,
    queue: VecDeque<usize>,
    is_queued: Vec<bool>,
}

impl<'n> State<'n> {
    fn new(network: &'n Network, values: &Values) -> State<'n> {
        let mut state = State {
            network,
            known: Vec::with_capacity(network.nodes.len()),
            given: Vec::new(),
            trail: Vec::new(),
            decided: Vec::new(),
            queue: VecDeque::new(),
            is_queued: vec![false; network.nodes.len()],
        };
        for place in &network.nodes {
            let own = match (place.unknown, variable(place.node)) {
                (Some(at), _) => bounds(&network.unknowns[at].sort),
                (None, Some(known)) => Interval::single(values.get(known).into()),
                (None, None) => forward(place.node, among(&state.known, place.operands)),
            };
            state.known.push(own);
        }
        state.given = state.known.clone();
        for root in &network.roots {
            state.enqueue(root.at);
        }
        state
    }

    fn enqueue(&mut self, at: usize) {
        if !std::mem::replace(&mut self.is_queued[at], true) {
            self.queue.push_back(at);
        }
    }

    fn undo(&mut self, to: usize) {
        for (at, old) in self.trail.drain(to..).rev() {
            self.known[at] = old;
        }
    }

    /// Follows one part of a split; whether something is left.
    fn decide(&mut self, at: usize, part: Interval) -> bool {
        if self.network.nodes[at].unknown.is_none() {
            self.decided.push((at, part.truth() == Some(true)));
        }
        self.narrow(at, part) && self.propagate()
    }

    /// Meets what is known of a node with something else; whether something is left.
    fn narrow(&mut self, at: usize, by: Interval) -> bool {
        let old = self.known[at];
        let mut new = Interval {
            low: old.low.max(by.low),
            high: old.high.min(by.high),
            sure: old.sure || by.sure,
        };
        if let Some(unknown) = self.network.nodes[at].unknown
            && let Sort::Values(list) = &self.network.unknowns[unknown].sort
        {
            // Between the values there is nothing.
            let first = list.partition_point(|&v| i128::from(v) < new.low);
            let last = list.partition_point(|&v| i128::from(v) <= new.high);
            match list.get(first..last) {
                Some([one]) => (new.low, new.high) = ((*one).into(), (*one).into()),
                Some([low, .., high]) => (new.low, new.high) = ((*low).into(), (*high).into()),
                _ => return false,
            }
        }
        if new.low > new.high {
            return false;
        }
        if new != old {
            self.trail.push((at, old));
            self.known[at] = new;
            self.enqueue(at);
            for user in &self.network.nodes[at].users {
                self.enqueue(*user);
            }
        }
        true
    }

    /// Follows what is known until nothing becomes narrower; whether something is left.
    fn propagate(&mut self) -> bool {
        // Two unknowns that push each other along step by step are left to the search.
        let mut left = 64 * self.network.nodes.len();
        while let Some(at) = self.queue.pop_front() {
            self.is_queued[at] = false;
            spend();
            left = left.saturating_sub(1);
            if left == 0 || !self.revise(at) {
                for at in self.queue.drain(..) {
                    self.is_queued[at] = false;
                }
                return left == 0;
            }
        }
        true
    }

    fn revise(&mut self, at: usize) -> bool {
        let place = &self.network.nodes[at];
        let operands = among(&self.known, place.operands);
        if variable(place.node).is_none() {
            let mut new = forward(place.node, operands);
            let old = self.known[at];
            if !new.sure && (new.low > old.high || new.high < old.low) {
                return true;
            }
            // What is sure stays so, since less is possible.
            new.sure |= old.sure;
            if !self.narrow(at, new) {
                return false;
            }
        }
        let own = self.known[at];
        if !own.sure {
            return true;
        }
        if place.is_root && own.truth() != Some(true) {
            let is_true = match () {
                () if own.low == 0 => Interval::new(1, own.high),
                () if own.high == 0 => Interval::new(own.low, -1),
                () => own,
            };
            if !self.narrow(at, is_true) {
                return false;
            }
        }
        let count = place.node.operands().count();
        let narrowed = backward(place.node, self.known[at], operands);
        let pairs = place.operands.into_iter().zip(narrowed).take(count);
        for ((operand, by), old) in pairs.zip(operands) {
            let by = Interval {
                sure: old.sure,
                ..by
            };
            if !self.narrow(operand, by) {
                return false;
            }
        }
        true
    }

    /// Whether the truth of a node does not follow from the unknowns that are left.
    fn is_open(&self, at: usize, truth: bool) -> bool {
        let given = &self.given[at];
        !given.sure || given.truth() != Some(truth)
    }

    /// The same of a constraint. What is longer than a number of the model has no value as a whole.
    fn is_root_open(&self, at: usize) -> bool {
        let given = &self.given[at];
        let is_number = i64::try_from(given.low).is_ok() && i64::try_from(given.high).is_ok();
        !is_number || self.is_open(at, true)
    }

    /// Whether the unknowns that are left make a difference to a node.
    fn is_moving(&self, at: usize) -> bool {
        !self.given[at].is_single() || !self.given[at].sure
    }

    /// Finds out what nodes are by the unknowns alone.
    fn give(&mut self) {
        for &at in &self.network.moving {
            let place = &self.network.nodes[at];
            self.given[at] = match place.unknown {
                Some(_) => self.known[at],
                None => forward(place.node, among(&self.given, place.operands)),
            };
        }
    }

    /// Where to split: a node with two parts of what it may be. None if no constraint is open, or only
    /// such that nothing unknown matters to.
    fn split(&mut self, chance: &mut Option<Chance<'_>>) -> Option<(usize, Interval, Interval)> {
        self.give();
        let roots = self.network.roots.iter().map(|root| root.at);
        let roots = roots.filter(|&at| self.is_root_open(at));
        let decided = self.decided.iter();
        let decided = decided.filter(|&&(at, truth)| self.is_open(at, truth));
        let open: Vec<usize> = roots.chain(decided.map(|&(at, _)| at)).collect();
        if let Some(at) = open.iter().find_map(|&root| self.condition(root)) {
            let own = self.known[at];
            let yes = Interval::new(own.low.max(1), own.high);
            return Some((at, yes, Interval::single(0)));
        }
        let smallest = open.iter().filter_map(|&root| self.smallest(root)).min()?;
        Some(self.halves(smallest.1, chance))
    }

    /// The operands of an open node that matter to it.
    fn relevant(&self, at: usize) -> impl Iterator<Item = usize> {
        let place = &self.network.nodes[at];
        let [test, yes, no] = place.operands;
        let list = match (place.node, self.known[test].truth()) {
            (Node::Conditional(..), Some(true)) => [Some(test), Some(yes), None],
            (Node::Conditional(..), Some(false)) => [Some(test), None, Some(no)],
            (node, _) => {
                let count = node.operands().count();
                [0, 1, 2].map(|n| (n < count).then_some(place.operands[n]))
            }
        };
        list.into_iter().flatten()
    }

    /// A condition inside of an open node whose truth is not known and that is there for certain.
    fn condition(&self, root: usize) -> Option<usize> {
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            let place = &self.network.nodes[at];
            let is_choice = matches!(
                place.node,
                Node::Conditional(..)
                    | Node::Binary(
                        BinaryOp::And
                            | BinaryOp::Or
                            | BinaryOp::Implies
                            | BinaryOp::Iff
                            | BinaryOp::Xor,
                        ..
                    )
            );
            let conditions = match place.node {
                Node::Conditional(..) => 1,
                _ => 2,
            };
            // What is asked of it does not follow yet: one of its operands has to be decided.
            if is_choice {
                let own = place.operands.into_iter().take(conditions);
                let is_free = |&at: &usize| {
                    let own = self.known[at];
                    own.sure && own.low == 0 && own.high > 0
                };
                if let Some(at) = own.into_iter().find(is_free) {
                    return Some(at);
                }
            }
            let moving = self.relevant(at).filter(|&at| self.is_moving(at));
            let mut inside: Vec<usize> = moving.collect();
            inside.reverse();
            open.extend(inside);
        }
        None
    }

    /// The unknown with the fewest values that matters to a node.
    fn smallest(&self, root: usize) -> Option<(u64, usize)> {
        let mut best = None;
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if !self.is_moving(at) {
                continue;
            }
            if self.network.nodes[at].unknown.is_some() {
                let own = &self.known[at];
                let width = u64::try_from(own.high - own.low).unwrap_or(u64::MAX);
                best = best.min(Some((width, at))).or(Some((width, at)));
            }
            open.extend(self.relevant(at));
        }
        best
    }

    /// Two parts of the values of an unknown.
    fn halves(&self, at: usize, chance: &mut Option<Chance<'_>>) -> (usize, Interval, Interval) {
        let (low, high) = (self.known[at].low, self.known[at].high);
        let count = u64::try_from(high - low)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let end = match count <= SMALL {
            true => low,
            false => low + (high - low) / 2,
        };
        let (first, second) = (Interval::new(low, end), Interval::new(end + 1, high));
        let below = u64::try_from(end - low)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let is_above = match chance {
            Some(chance) => chance(count) >= below,
            None => false,
        };
        match is_above {
            true => (at, second, first),
            false => (at, first, second),
        }
    }

    /// Whether the constraints that are still open are true, now that all that matters to them is known.
    fn is_solution(&self, values: &mut Values) -> Result<bool, Undefined> {
        if self
            .decided
            .iter()
            .any(|&(at, truth)| self.is_open(at, truth))
        {
            return Ok(false);
        }
        let open = |root: &&Root| self.is_root_open(root.at);
        if !self.network.roots.iter().any(|root| open(&root)) {
            return Ok(true);
        }
        self.take(values);
        for root in self.network.roots.iter().filter(open) {
            if !root.exact.is_true(values.environment())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes the least value of each unknown.
    fn take(&self, values: &mut Values) {
        for domain in &self.network.unknowns {
            let least = match domain.at {
                Some(at) => self.known[at].low as i64,
                None => domain.sort.bounds().0,
            };
            values.set(domain.unknown, least);
        }
    }

    /// Hands out all values that are left.
    fn list(
        &self,
        values: &mut Values,
        chance: &mut Option<Chance<'_>>,
        found: &mut impl FnMut(&Values) -> Result<Go, Undefined>,
    ) -> Result<Go, Undefined> {
        self.take(values);
        let mut free: Vec<(Unknown, &Sort, u64, u64)> = Vec::new();
        for domain in &self.network.unknowns {
            let own = match domain.at {
                Some(at) => self.known[at],
                None => bounds(&domain.sort),
            };
            if !own.is_single() {
                let (first, last) = places(&domain.sort, own);
                free.push((domain.unknown, &domain.sort, first, last));
            }
        }
        if let Some(chance) = chance {
            for &(unknown, sort, first, last) in &free {
                let place = first + chance((last - first).saturating_add(1));
                values.set(unknown, sort.value(place));
            }
            return found(values);
        }
        let mut at: Vec<u64> = free.iter().map(|&(_, _, first, _)| first).collect();
        loop {
            if found(values)? == Go::Stop {
                return Ok(Go::Stop);
            }
            // The next one, as an odometer counts.
            let next = (0..free.len()).find(|&n| at[n] < free[n].3);
            let Some(next) = next else {
                return Ok(Go::On);
            };
            at[next] += 1;
            for n in 0..next {
                at[n] = free[n].2;
            }
            for (&place, &(unknown, sort, ..)) in at.iter().zip(&free).take(next + 1) {
                values.set(unknown, sort.value(place));
            }
        }
    }
}

/// The places of the first and the last value between bounds that are values.
fn places(sort: &Sort, own: Interval) -> (u64, u64) {
    let place = |value: i128| match sort {
        Sort::Values(list) => list.partition_point(|&v| i128::from(v) < value) as u64,
        _ => (value as i64).abs_diff(sort.bounds().0),
    };
    (place(own.low), place(own.high))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use evenhand_source::SplitMix64;

    use super::super::evaluate::Environment;
    use super::super::expression::{Expressions, UnaryOp, VarId, Word};
    use super::super::{Relation, Variable};
    use super::*;

    const OPERATORS: [BinaryOp; 21] = [
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Implies,
        BinaryOp::Iff,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Mod,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::Shl,
        BinaryOp::Shr,
    ];

    /// A random expression over two variables now and in the next state.
    fn expression(random: &mut SplitMix64, pool: &mut Expressions, risky: bool) -> ExprId {
        let mut made: Vec<ExprId> = Vec::new();
        for _ in 0..3 + random.below(8) {
            let mut any = |random: &mut SplitMix64| match random.below(7) {
                0..=2 if !made.is_empty() => made[random.below(made.len())],
                3 => pool.constant(random.below(7) as i64 - 3),
                4 => pool.current(VarId(random.below(2) as u32)),
                _ => pool.next(VarId(random.below(2) as u32)),
            };
            let [a, b, c] = [any(random), any(random), any(random)];
            let word = Word {
                signed: random.below(2) == 0,
                bits: 1 + random.below(3) as u16,
            };
            let node = match random.below(12) {
                0 => Node::Unary(UnaryOp::Not, a),
                1 => Node::Unary(UnaryOp::Neg, a),
                2 => Node::Unary(UnaryOp::Complement, a),
                3 => Node::Conditional(a, b, c),
                4 => Node::Wrap(word, a),
                5 if risky => Node::Undefined(Undefined::NoCase),
                _ => {
                    let operator = OPERATORS[random.below(OPERATORS.len())];
                    let is_risky = matches!(
                        operator,
                        BinaryOp::Div | BinaryOp::Mod | BinaryOp::Shl | BinaryOp::Shr
                    );
                    match is_risky && !risky {
                        true => Node::Binary(BinaryOp::Eq, a, b),
                        false => Node::Binary(operator, a, b),
                    }
                }
            };
            made.push(pool.add(node));
        }
        made[made.len() - 1]
    }

    /// All solutions by propagation are all solutions; what has no value is an error exactly where nothing else
    /// rules it out, or may be one where something does.
    #[test]
    fn propagation_finds_exactly_the_solutions() {
        let mut random = SplitMix64::new(77);
        let sorts = [
            Sort::Bool,
            Sort::Range(-3, 6),
            Sort::Range(2, 4),
            Sort::Word(Word {
                signed: true,
                bits: 3,
            }),
            Sort::Values(vec![-5, 0, 1, 1 << 40]),
        ];
        let (mut some, mut none, mut errors) = (0, 0, 0);
        for case in 0..4000 {
            let risky = case % 4 == 0;
            let mut relation = Relation::default();
            for name in ["a", "b"] {
                let sort = sorts[random.below(sorts.len())].clone();
                relation.add(Variable::new(name, sort));
            }
            let mut pool = std::mem::take(&mut relation.expressions);
            let count = 1 + random.below(3);
            let constraints: Vec<ExprId> = (0..count)
                .map(|_| expression(&mut random, &mut pool, risky))
                .collect();
            relation.expressions = pool;
            let unknowns = [0, 1].map(|at| Unknown {
                variable: VarId(at),
                next: true,
            });
            let network = Network::new(&relation, &unknowns, &constraints);
            let all = |at: usize| relation.variables[at].sort.values(100).expect("few");
            let pick = |random: &mut SplitMix64, at: usize| {
                let values = all(at);
                values[random.below(values.len())]
            };
            let current = vec![pick(&mut random, 0), pick(&mut random, 1)];
            let (mut expected, mut must_fail, mut may_fail) = (BTreeSet::new(), false, false);
            for x in all(0) {
                for y in all(1) {
                    let next = [x, y];
                    let environment = Environment {
                        current: &current,
                        next: &next,
                    };
                    let truths: Vec<_> = constraints
                        .iter()
                        .map(|&c| Compiled::new(&relation.expressions, c).is_true(environment))
                        .collect();
                    let is_failed = truths.iter().any(Result::is_err);
                    let is_false = truths.contains(&Ok(false));
                    may_fail |= is_failed;
                    must_fail |= is_failed && !is_false;
                    if !is_failed && !is_false {
                        expected.insert(next);
                    }
                }
            }
            let mut values = Values {
                current: current.clone(),
                next: vec![0, 0],
            };
            let mut found = BTreeSet::new();
            let solved = network.solve(&mut values, None, |values| {
                let is_new = found.insert([values.next[0], values.next[1]]);
                assert!(is_new, "case {case}: a solution twice");
                Ok(Go::On)
            });
            match solved {
                Ok(()) => {
                    assert!(!must_fail, "case {case}: an error was not seen");
                    assert_eq!(found, expected, "case {case}");
                }
                Err(_) => assert!(may_fail, "case {case}: no constraint is without a value"),
            }
            errors += u32::from(solved.is_err());
            some += u32::from(!expected.is_empty());
            none += u32::from(expected.is_empty());
            // One solution at random is one of them.
            if let Ok(()) = solved {
                let mut dice = |bound: u64| random.number() % bound;
                let mut drawn = None;
                let one = |values: &Values| {
                    drawn = Some([values.next[0], values.next[1]]);
                    Ok(Go::Stop)
                };
                if network.solve(&mut values, Some(&mut dice), one).is_ok() {
                    assert_eq!(drawn.is_some(), !expected.is_empty(), "case {case}");
                    assert!(drawn.is_none_or(|one| expected.contains(&one)));
                }
            }
        }
        assert!(
            some > 500 && none > 500 && errors > 50,
            "{some} {none} {errors}"
        );
    }
}
