//! How many processes there can be at once, and which types a process number can have.
//!
//! Fairness is assumed of process *instances*, and an instance is known by its number. So before a
//! search begins somebody has to say how many numbers there are. Here that is found from the
//! control graphs alone: if no `run` lies on a cycle of its process type's graph and no type starts
//! itself, an instance of type T brings at most
//!
//! ```text
//! size(T) = 1 + the heaviest path through T's graph, where `run S` weighs size(S)
//! ```
//!
//! processes into being, itself included, and the processes of the initial state together the sum
//! of their sizes. Processes that have ended by then are counted too: the bound is safe, not tight.
//! Otherwise there is only a guess, [`GUESS`], and whoever uses it must look out for larger
//! numbers.
//!
//! A number is given again when its process has ended. Processes end in the reverse order of their
//! creation, so the number of an initial process changes hands only if it ends and a process below
//! it can start another one. Linear in the size of the program.

use std::collections::BTreeSet;

use evenhand_system::program::expr::{Action, Expr};
use evenhand_system::program::{ProcessType, Spec, Transition};

use crate::PromelaModel;

/// How many processes are assumed where no bound is known.
pub const GUESS: usize = 32;

/// No process number is larger than this many.
const MOST: usize = 255;

impl PromelaModel {
    /// How many processes there are at once at most, and whether that is certain.
    pub fn pid_bound(&self) -> (usize, bool) {
        let spec = self.program.spec();
        match Population::new(spec).bound(spec) {
            Some(bound) => (bound, true),
            None => (GUESS.max(spec.start.len()).min(MOST), false),
        }
    }
}

/// Who starts whom.
pub(super) struct Population {
    /// For each type, the types that its processes may start.
    starts: Vec<BTreeSet<usize>>,
    /// The types that some process may start.
    started: BTreeSet<usize>,
    /// The types of processes that can exist.
    alive: BTreeSet<usize>,
}

impl Population {
    pub fn new(spec: &Spec) -> Population {
        let starts: Vec<BTreeSet<usize>> = spec.types.iter().map(types_started).collect();
        let initial = spec.start.iter().map(|s| usize::from(s.process.0));
        let mut open: Vec<usize> = initial.collect();
        let (mut alive, mut started) = (BTreeSet::new(), BTreeSet::new());
        while let Some(at) = open.pop() {
            if alive.insert(at) {
                started.extend(&starts[at]);
                open.extend(&starts[at]);
            }
        }
        Population {
            starts,
            started,
            alive,
        }
    }

    /// Whether processes of a type can exist.
    pub fn is_alive(&self, process: usize) -> bool {
        self.alive.contains(&process)
    }

    /// The types that the process of this number can have, sorted.
    pub fn types_of(&self, pid: usize, spec: &Spec) -> Vec<usize> {
        let initial = |pid: usize| spec.start.get(pid).map(|s| usize::from(s.process.0));
        let Some(own) = initial(pid) else {
            return self.started.iter().copied().collect();
        };
        let mut below = (0..pid).filter_map(initial);
        let mut types = BTreeSet::from([own]);
        if ends(&spec.types[own]) && below.any(|t| !self.starts[t].is_empty()) {
            types.extend(&self.started);
        }
        types.into_iter().collect()
    }

    /// Whether processes of a type start others.
    pub fn starts_others(&self, process: usize) -> bool {
        !self.starts[process].is_empty()
    }

    /// The types of processes that are started.
    pub fn started(&self) -> impl Iterator<Item = usize> {
        self.started.iter().copied()
    }

    /// Whether there may be several processes of a type at once.
    pub fn may_be_several(&self, process: usize, spec: &Spec) -> bool {
        let count = self.total(spec, Some(process));
        count.is_none_or(|count| count > 1)
    }

    fn bound(&self, spec: &Spec) -> Option<usize> {
        self.total(spec, None)
    }

    /// How many processes there are at most, or how many of one type.
    fn total(&self, spec: &Spec, only: Option<usize>) -> Option<usize> {
        let mut sizes = Sizes {
            spec,
            only,
            known: vec![None; spec.types.len()],
            depth: 0,
        };
        let mut sum = 0usize;
        for start in &spec.start {
            sum += sizes.of(usize::from(start.process.0))?;
        }
        Some(sum.min(MOST))
    }
}

/// How many processes come from one of each type.
struct Sizes<'s> {
    spec: &'s Spec,
    /// The only type that counts, if not all do.
    only: Option<usize>,
    known: Vec<Option<usize>>,
    /// How many types are being looked at, each started by the one before.
    depth: usize,
}

impl Sizes<'_> {
    /// None if there is no limit, or none that matters.
    fn of(&mut self, process: usize) -> Option<usize> {
        if self.known[process].is_some() {
            return self.known[process];
        }
        if self.depth > MOST {
            return None; // it starts itself, or such a long line of others that it is all the same
        }
        self.depth += 1;
        let own = usize::from(self.only.is_none_or(|only| only == process));
        let size = self.heaviest_path(process).map(|weight| weight + own);
        self.depth -= 1;
        self.known[process] = size;
        size
    }

    /// The most processes that a path through the control graph starts.
    fn heaviest_path(&mut self, process: usize) -> Option<usize> {
        let process = &self.spec.types[process];
        let mut edges: Vec<Vec<(usize, usize)>> = vec![Vec::new(); process.locations.len()];
        // Initial values of variables may start processes too.
        let at_creation = Action::Assignments(process.init.clone());
        let first = self.weight(&at_creation)?;
        let mut total = first;
        for (from, location) in process.locations.iter().enumerate() {
            for transition in location.groups.iter().flatten() {
                if matches!(transition.action, Action::Die) {
                    continue;
                }
                let weight = self.weight(&transition.action)?;
                total = total.saturating_add(weight);
                edges[from].push((transition.target.0 as usize, weight));
            }
        }
        // Without a cycle through a `run` no path is heavier than all of them together.
        let limit = total.min(MOST);
        let initial = process.initial.0 as usize;
        let mut heaviest: Vec<Option<usize>> = vec![None; edges.len()];
        *heaviest.get_mut(initial)? = Some(first);
        let mut open = vec![initial];
        while let Some(at) = open.pop() {
            let so_far = heaviest[at].unwrap_or(0);
            for &(to, weight) in &edges[at] {
                let sum = so_far.saturating_add(weight);
                if sum > limit {
                    return None;
                }
                if heaviest[to].is_none_or(|known| known < sum) {
                    heaviest[to] = Some(sum);
                    open.push(to);
                }
            }
        }
        heaviest.into_iter().flatten().max()
    }

    /// How many processes an action starts at most.
    fn weight(&mut self, action: &Action) -> Option<usize> {
        let mut list = Vec::new();
        runs_of(action, &mut |process| list.push(process));
        let mut sum = 0usize;
        for process in list {
            sum = sum.saturating_add(self.of(process)?);
        }
        Some(sum)
    }
}

fn transitions(process: &ProcessType) -> impl Iterator<Item = &Transition> {
    let groups = process.locations.iter().flat_map(|l| &l.groups);
    groups.flatten()
}

/// The types that a process may start.
fn types_started(process: &ProcessType) -> BTreeSet<usize> {
    let mut set = BTreeSet::new();
    for (_, value) in &process.init {
        runs_in(value, &mut |process| {
            set.insert(process);
        });
    }
    for transition in transitions(process) {
        runs_of(&transition.action, &mut |process| {
            set.insert(process);
        });
    }
    set
}

/// Whether processes of a type can come to their end.
pub(super) fn ends(process: &ProcessType) -> bool {
    transitions(process).any(|t| matches!(t.action, Action::Die))
}

/// Calls back for each `run` of an action with the type that it starts.
pub(super) fn runs_of(action: &Action, found: &mut dyn FnMut(usize)) {
    match action {
        Action::Condition(expr) | Action::Assign(_, expr) | Action::Assert(expr, _) => {
            runs_in(expr, found);
        }
        Action::Assignments(list) => list.iter().for_each(|(_, expr)| runs_in(expr, found)),
        Action::Send(send) => send.values.iter().for_each(|expr| runs_in(expr, found)),
        Action::Print(print) => print.arguments.iter().for_each(|(e, _)| runs_in(e, found)),
        Action::SetPriority(pid, value, _) => {
            runs_in(pid, found);
            runs_in(value, found);
        }
        // A d_step cannot start processes.
        Action::Skip | Action::Else | Action::Receive(_) | Action::Die | Action::Sequence(_) => {}
    }
}

fn runs_in(expr: &Expr, found: &mut dyn FnMut(usize)) {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Run(run) => found(usize::from(run.process.0)),
            Expr::Unary(_, operand)
            | Expr::Channel(_, operand, _)
            | Expr::Enabled(operand)
            | Expr::LocationOf(operand)
            | Expr::PriorityOf(operand) => open.push(operand),
            Expr::Binary(_, operands, _) => open.extend([&operands.0, &operands.1]),
            Expr::Conditional(parts) => open.extend([&parts.0, &parts.1, &parts.2]),
            Expr::Load(place) => open.extend(place.indices.iter().map(|i| &i.value)),
            _ => {}
        }
    }
}
