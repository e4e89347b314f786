//! Sticky steps: a set of steps such that every cycle of states has one.
//!
//! In a cycle of states some processes move. The one with the smallest number among them lives all the
//! time: if it died and another was born with its number, somebody older would have moved to give birth
//! to that one, since processes die youngest first. So its control goes round a cycle of its control flow.
//! It is enough to mark edges of each process type's control flow such that every cycle of it has one: a
//! *feedback edge set*. A step through an atomic stretch is sticky if some edge of the stretch may be, and
//! one of two processes if the part of either is.
//!
//! Some edges need no mark, since no cycle of states can have them: those that count (`counters.rs`).
//!
//! Which edges are marked makes no difference to what is right, but to how much can be left out: a sticky
//! step is never among the few that stand for all. So those edges are preferred that would hardly be there
//! anyway: they touch what is not the process's own. Edges on cycles are marked, the cheapest first, until
//! there is no cycle; then every mark is tried for whether it is still needed.

use std::collections::BTreeSet;

use super::counters::{Counters, Effect};
use super::expr::{Action, Expr, Place, Scope};
use super::{ProcessType, Transition};

/// An edge of a control flow: a location, and the place of a transition among all of its groups.
pub(super) type Edge = (usize, usize);

/// What it costs to mark a step that touches nothing but its own process, and another one.
const OWN: u32 = 8;
const SHARED: u32 = 1;

/// In a control flow with more edges than this every edge is marked that goes back in the order of
/// locations: to find better ones would take too long.
const MOST_EDGES: usize = 300;

/// The sticky edges of a process type.
pub(super) fn sticky_edges(process: &ProcessType) -> BTreeSet<Edge> {
    let mut marked = BTreeSet::new();
    let count: usize = process
        .locations
        .iter()
        .flat_map(|l| &l.groups)
        .map(Vec::len)
        .sum();
    if count > MOST_EDGES {
        for (from, location) in process.locations.iter().enumerate() {
            for (number, transition) in location.groups.iter().flatten().enumerate() {
                if transition.next().is_some_and(|to| to <= from) {
                    marked.insert((from, number));
                }
            }
        }
        return marked;
    }
    let flow = Flow::of(process);
    loop {
        let cyclic = flow.cyclic(&marked);
        // Of equals the last in the text: the one that goes back.
        let cheapest = cyclic.into_iter().rev().min_by_key(|&edge| flow.cost(edge));
        let Some(edge) = cheapest else { break };
        marked.insert(edge);
    }
    let mut order: Vec<Edge> = marked.iter().copied().collect();
    order.sort_by_key(|&edge| std::cmp::Reverse(flow.cost(edge)));
    for edge in order {
        marked.remove(&edge);
        if !flow.cyclic(&marked).is_empty() {
            marked.insert(edge);
        }
    }
    marked
}

/// The control flow of a process type.
struct Flow {
    /// For each location, where its transitions lead, and what it costs to mark them.
    targets: Vec<Vec<(usize, u32)>>,
    counters: Counters,
}

impl Flow {
    fn of(process: &ProcessType) -> Flow {
        let edge = |t: &Transition| {
            let cost = if is_own(&t.action) { OWN } else { SHARED };
            (t.next().unwrap_or(usize::MAX), cost)
        };
        let locations = process.locations.iter();
        let targets = locations.map(|l| l.groups.iter().flatten().map(edge).collect());
        Flow {
            targets: targets.collect(),
            counters: Counters::of(process),
        }
    }

    fn edges(&self) -> impl Iterator<Item = Edge> {
        let locations = self.targets.iter().enumerate();
        locations.flat_map(|(from, list)| (0..list.len()).map(move |number| (from, number)))
    }

    fn cost(&self, (from, number): Edge) -> u32 {
        self.targets[from][number].1
    }

    /// The edges, in order, that may be part of a cycle of states without a marked edge: those inside of
    /// strongly connected parts, once those that count there are taken out.
    fn cyclic(&self, marked: &BTreeSet<Edge>) -> Vec<Edge> {
        let mut left: Vec<Edge> = self.edges().filter(|edge| !marked.contains(edge)).collect();
        loop {
            let part = self.parts(&left);
            let is_inside = |&(from, number): &Edge| {
                let target = self.targets[from][number].0;
                target < part.len() && part[from] == part[target]
            };
            let inside: Vec<Edge> = left.iter().copied().filter(is_inside).collect();
            let counts = |&edge: &Edge| {
                let mut variables = self.counters.effects.iter();
                variables.any(|effects| {
                    let effect = |&(from, number): &Edge| effects[from][number];
                    let mine = effect(&edge);
                    let mut others = inside.iter().filter(|other| part[other.0] == part[edge.0]);
                    matches!(mine, Effect::Counts(_))
                        && others.all(|other| [mine, Effect::Leaves].contains(&effect(other)))
                })
            };
            let rest: Vec<Edge> = inside
                .iter()
                .copied()
                .filter(|edge| !counts(edge))
                .collect();
            if rest.len() == left.len() {
                return rest;
            }
            left = rest;
        }
    }

    /// For each location the number of its strongly connected part (Kosaraju).
    fn parts(&self, edges: &[Edge]) -> Vec<usize> {
        let count = self.targets.len();
        let (mut next, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for &(from, number) in edges {
            let target = self.targets[from][number].0;
            if target < count {
                next[from].push(target);
                before[target].push(from);
            }
        }
        let mut order = Vec::new();
        let mut seen = vec![false; count];
        for root in 0..count {
            let mut stack = vec![(root, 0)];
            while let Some((at, number)) = stack.pop() {
                if number == 0 && std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                match next[at].get(number) {
                    Some(&target) => stack.extend([(at, number + 1), (target, 0)]),
                    None => order.push(at),
                }
            }
        }
        let mut part = vec![usize::MAX; count];
        for &root in order.iter().rev() {
            let mut stack = vec![root];
            while let Some(at) = stack.pop() {
                if part[at] == usize::MAX {
                    part[at] = root;
                    stack.extend(&before[at]);
                }
            }
        }
        part
    }
}

/// Whether an action touches nothing but the variables of its process.
fn is_own(action: &Action) -> bool {
    match action {
        Action::Skip | Action::Else | Action::Print(_) => true,
        Action::Condition(expr) | Action::Assert(expr, _) => is_own_value(expr),
        Action::Assign(place, value) => is_own_place(place) && is_own_value(value),
        Action::Assignments(list) => {
            let mut parts = list.iter();
            parts.all(|(place, value)| is_own_place(place) && is_own_value(value))
        }
        Action::Send(_) | Action::Receive(_) | Action::SetPriority(..) | Action::Die => false,
        Action::Sequence(sequence) => sequence.nodes.iter().all(|node| is_own(&node.action)),
    }
}

fn is_own_place(place: &Place) -> bool {
    let mut indices = place.indices.iter();
    place.scope == Scope::Local && indices.all(|index| is_own_value(&index.value))
}

fn is_own_value(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Pid => true,
        Expr::Load(place) => is_own_place(place),
        Expr::Unary(_, operand) => is_own_value(operand),
        Expr::Binary(_, operands, _) => is_own_value(&operands.0) && is_own_value(&operands.1),
        Expr::Conditional(parts) => {
            is_own_value(&parts.0) && is_own_value(&parts.1) && is_own_value(&parts.2)
        }
        _ => false,
    }
}
