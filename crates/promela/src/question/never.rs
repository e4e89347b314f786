//! Never claims as automata over propositions.
//!
//! A never claim is written like a process, and `lower` lays it out like one: control locations
//! with transitions. Here each location becomes a state and each transition an edge; what a
//! statement needs to be executable becomes a guard. What SPIN 6.5.2 does with a claim, and what
//! therefore holds here:
//!
//! * The claim moves first: it takes one transition in the initial state, then the system one step,
//!   and so on. Where no statement of the claim is executable, it follows this run no further.
//! * An atomic sequence of the claim is executed in one state of the system, all of it; if a
//!   statement inside is not executable there, the claim is stuck. So is a `d_step`, except that
//!   being stuck inside of it is an error.
//! * Coming to the end of the claim, to a location with an `end` label, or to an `assert` that
//!   fails is a violation at once, also in the middle of an atomic sequence.
//! * `else` is executable where no other statement of its location is; `skip`, `printf` and
//!   `assert` always are. The escapes of an `unless` come before what they guard.
//! * A violation is also a cycle on which the claim *or some process of the system* is at an
//!   `accept` label: SPIN makes no difference between them. Labels inside of an atomic sequence do
//!   not count.
//! * Where the system cannot move, the claim goes on in its last state for ever. There SPIN's `np_`
//!   is false in each second reading, so that no cycle consists of it alone. A claim that asks for
//!   `np_` does not read on here; that comes to the same for the claim of non-progress, for which
//!   it exists.
//! * `timeout` holds where no process can move but for its own `timeout`. (In SPIN that is so only
//!   if some process asks for `timeout`; otherwise a claim never sees it, and `_nr_pr` counts the
//!   claim.)
//!
//! A claim observes: statements with an effect are refused, although SPIN only warns of some; and
//! so are variables of the claim's own.

use std::collections::BTreeMap;

use evenhand_source::{Diagnostic, Span};
use evenhand_system::program::expr::{Action, Expr, Sequence};
use evenhand_system::program::{ProcessType, Transition};
use evenhand_system::{ClaimAutomaton, ClaimEdge, ClaimState};

use super::{Origin, observe, without_negations};
use crate::{Claim, ClaimKind, PromelaModel};

/// How many edges the claim may have after atomic sequences were put together.
const MAX_EDGES: usize = 100_000;

/// What a statement needs to be executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// It never is.
    Impossible,
    /// An atom, by number, with this value.
    Literal(usize, bool),
}

impl Needs {
    fn negated(self) -> Needs {
        match self {
            Needs::Nothing => Needs::Impossible,
            Needs::Impossible => Needs::Nothing,
            Needs::Literal(atom, value) => Needs::Literal(atom, !value),
        }
    }
}

/// Literals that hold together: atoms with their values.
type Guard = BTreeMap<usize, bool>;

/// Adds a literal; none if it contradicts the others.
fn with(guard: &Guard, needs: Needs) -> Option<Guard> {
    match needs {
        Needs::Nothing => Some(guard.clone()),
        Needs::Impossible => None,
        Needs::Literal(atom, value) => {
            let mut more = guard.clone();
            (*more.entry(atom).or_insert(value) == value).then_some(more)
        }
    }
}

impl PromelaModel {
    /// The never claim, if there is one; the first if there are several.
    ///
    /// # Errors
    /// If it has a statement that a claim may not have.
    pub fn never(&mut self) -> Option<Result<ClaimAutomaton, Diagnostic>> {
        let index = self.claims.iter().position(|c| c.kind == ClaimKind::Never);
        index.map(|index| self.claim(index))
    }

    /// The never claim of that name, if there is one.
    ///
    /// # Errors
    /// If it has a statement that a claim may not have.
    pub fn never_named(&mut self, name: &str) -> Option<Result<ClaimAutomaton, Diagnostic>> {
        let mut claims = self.claims.iter();
        let index = claims.position(|c| c.kind == ClaimKind::Never && c.name == name);
        index.map(|index| self.claim(index))
    }

    /// A never claim, by its place in [`PromelaModel::claims`].
    ///
    /// # Errors
    /// If it has a statement that a claim may not have.
    ///
    /// # Panics
    /// If there is no claim with this number.
    pub fn claim(&mut self, index: usize) -> Result<ClaimAutomaton, Diagnostic> {
        let claim = self.claims[index].clone();
        let mut builder = Builder {
            model: self,
            index,
            claim: &claim,
            conditions: conditions(&claim.process),
            edges: 0,
            reads_progress: false,
        };
        let mut states = builder.states()?;
        let reads_progress = builder.reads_progress;
        let mut propositions = Vec::new();
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        if self.has_accept_labels() {
            let atom = &Expr::Accepting;
            let atom = self
                .atoms
                .intern(&mut self.program, "accept", atom, Origin::Fixed);
            count_process_labels(&mut states, atom);
        }
        let states = states
            .into_iter()
            .map(|state| ClaimState {
                accept: state.accept,
                end: state.end,
                edges: state
                    .edges
                    .into_iter()
                    .map(|(guard, target)| {
                        let mut literals: Vec<(usize, bool)> = guard
                            .into_iter()
                            .map(|(atom, value)| {
                                let number = *numbers.entry(atom).or_insert_with(|| {
                                    propositions.push(self.atoms.known[atom].id);
                                    propositions.len() - 1
                                });
                                (number, value)
                            })
                            .collect();
                        literals.sort_unstable();
                        ClaimEdge {
                            guard: literals,
                            target,
                        }
                    })
                    .collect(),
            })
            .collect();
        Ok(ClaimAutomaton {
            propositions,
            initial: claim.process.initial.0 as usize,
            states,
            stutter: !reads_progress,
        })
    }

    /// Whether some process has an `accept` label.
    fn has_accept_labels(&self) -> bool {
        let types = &self.program.spec().types;
        types.iter().any(|t| t.locations.iter().any(|l| l.accept))
    }
}

/// A state of the claim while its guards are sets of atoms.
#[derive(Clone, Debug, Default)]
struct State {
    accept: bool,
    end: bool,
    edges: Vec<(Guard, usize)>,
}

struct Builder<'m> {
    model: &'m mut PromelaModel,
    index: usize,
    claim: &'m Claim,
    /// Its conditions, numbered.
    conditions: Vec<&'m Expr>,
    edges: usize,
    reads_progress: bool,
}

impl Builder<'_> {
    /// One state for each location, and behind them one for what has failed.
    fn states(&mut self) -> Result<Vec<State>, Diagnostic> {
        let locations = &self.claim.process.locations;
        let failed = locations.len();
        let mut states = Vec::with_capacity(failed + 1);
        for (index, location) in locations.iter().enumerate() {
            let mut edges = Vec::new();
            if !location.valid_end {
                let mut path = vec![index];
                self.moves(&mut path, &Guard::new(), &mut edges)?;
            }
            edges.sort();
            edges.dedup();
            states.push(State {
                accept: location.accept,
                end: location.valid_end,
                edges,
            });
        }
        states.push(State {
            end: true,
            ..State::default()
        });
        Ok(states)
    }

    /// The moves from the last location of a path of atomic transitions, all in the same state of
    /// the system.
    fn moves(
        &mut self,
        path: &mut Vec<usize>,
        guard: &Guard,
        edges: &mut Vec<(Guard, usize)>,
    ) -> Result<(), Diagnostic> {
        let claim = self.claim;
        let location = &claim.process.locations[path[path.len() - 1]];
        let mut needs: Vec<Vec<Needs>> = Vec::new();
        for group in &location.groups {
            let list: Result<_, _> = group.iter().map(|t| self.needs(t)).collect();
            needs.push(list?);
        }
        let is_else = |t: &Transition| matches!(t.action, Action::Else);
        // What must not be executable for the group at hand to be tried.
        let mut tried = Some(guard.clone());
        for (group, group_needs) in location.groups.iter().zip(&needs) {
            for (transition, &own) in group.iter().zip(group_needs) {
                let own = match &tried {
                    None => None,
                    Some(guard) if is_else(transition) => location
                        .groups
                        .iter()
                        .flatten()
                        .zip(needs.iter().flatten())
                        .filter(|(t, _)| !is_else(t))
                        .try_fold(guard.clone(), |guard, (_, n)| with(&guard, n.negated())),
                    Some(guard) => with(guard, own),
                };
                if let Some(guard) = own {
                    self.take(transition, path, &guard, edges)?;
                }
            }
            for (transition, &own) in group.iter().zip(group_needs) {
                let negated = if is_else(transition) {
                    Needs::Impossible // one of a group with `else` always is
                } else {
                    own.negated()
                };
                tried = tried.and_then(|guard| with(&guard, negated));
            }
        }
        Ok(())
    }

    /// Executes a transition where `guard` holds.
    fn take(
        &mut self,
        transition: &Transition,
        path: &mut Vec<usize>,
        guard: &Guard,
        edges: &mut Vec<(Guard, usize)>,
    ) -> Result<(), Diagnostic> {
        let failed = self.claim.process.locations.len();
        for (guard, holds) in self.effects(transition, guard)? {
            self.edges += 1;
            if self.edges > MAX_EDGES {
                let message = "the atomic sequences of this claim have too many ways through them";
                return Err(Diagnostic::error(self.span(transition), message));
            }
            let target = transition.target.0 as usize;
            let goes_on = transition.atomic && !self.claim.process.locations[target].valid_end;
            if !holds {
                edges.push((guard, failed));
            } else if !goes_on {
                edges.push((guard, target));
            } else if !path.contains(&target) {
                path.push(target);
                self.moves(path, &guard, edges)?;
                path.pop();
            } // else it goes around in an atomic sequence for ever and reads nothing more
        }
        Ok(())
    }

    /// What executing a transition may come to: under which guard, and whether nothing failed.
    fn effects(
        &mut self,
        transition: &Transition,
        guard: &Guard,
    ) -> Result<Vec<(Guard, bool)>, Diagnostic> {
        match &transition.action {
            Action::Assert(expr, _) => {
                let holds = self.literal(expr, transition)?;
                Ok(cases(guard, holds))
            }
            Action::Sequence(sequence) => self.sequence(sequence, transition, guard),
            _ => Ok(vec![(guard.clone(), true)]),
        }
    }

    /// A `d_step`: all of it in the same state.
    fn sequence(
        &mut self,
        sequence: &Sequence,
        transition: &Transition,
        guard: &Guard,
    ) -> Result<Vec<(Guard, bool)>, Diagnostic> {
        let mut list = Vec::new();
        let mut open = vec![(0u32, guard.clone(), 0usize)];
        while let Some((at, guard, steps)) = open.pop() {
            if steps > sequence.nodes.len() || list.len() + open.len() > MAX_EDGES {
                let message = "a `d_step` of a claim must come to its end";
                return Err(Diagnostic::error(self.span(transition), message));
            }
            let node = &sequence.nodes[at as usize];
            let needs = self.action_needs(&node.action, transition)?;
            if let Some(guard) = with(&guard, needs.negated()) {
                match node.otherwise {
                    Some(next) => open.push((next, guard, steps + 1)),
                    None if at == 0 && steps == 0 => {} // not executable at all
                    None => list.push((guard, false)),
                }
            }
            let Some(guard) = with(&guard, needs) else {
                continue;
            };
            let outcomes = match &node.action {
                Action::Assert(expr, _) => {
                    let holds = self.literal(expr, transition)?;
                    cases(&guard, holds)
                }
                _ => vec![(guard, true)],
            };
            for (guard, holds) in outcomes {
                match node.next {
                    Some(next) if holds => open.push((next, guard, steps + 1)),
                    _ => list.push((guard, holds)),
                }
            }
        }
        Ok(list)
    }

    fn needs(&mut self, transition: &Transition) -> Result<Needs, Diagnostic> {
        self.action_needs(&transition.action, transition)
    }

    fn action_needs(
        &mut self,
        action: &Action,
        transition: &Transition,
    ) -> Result<Needs, Diagnostic> {
        let refuse = |what: &str| {
            let message = format!("a never claim may not {what}");
            let help = "a claim only observes; put what has an effect into a process";
            Err(Diagnostic::error(self.span(transition), message).help(help))
        };
        match action {
            // An `else` is looked at where it stands; the end of the claim is a location.
            Action::Skip | Action::Else | Action::Assert(..) | Action::Print(_) | Action::Die => {
                Ok(Needs::Nothing)
            }
            Action::Condition(expr) => self.literal(expr, transition),
            Action::Sequence(sequence) => match sequence.nodes.first() {
                None => Ok(Needs::Nothing),
                // With alternatives: the guards come out of the paths through it.
                Some(first) if first.otherwise.is_some() => self
                    .selection(sequence, transition)
                    .map(|()| Needs::Nothing),
                Some(first) => self.action_needs(&first.action, transition),
            },
            Action::Assign(..) | Action::Assignments(_) => refuse("assign to variables"),
            Action::Send(_) => refuse("send messages"),
            Action::Receive(_) => refuse("receive messages"),
            Action::SetPriority(..) => refuse("set priorities"),
        }
    }

    /// A `d_step` that begins with a selection is refused unless one of its options always is
    /// executable: only then is it known when the whole is.
    fn selection(
        &mut self,
        sequence: &Sequence,
        transition: &Transition,
    ) -> Result<(), Diagnostic> {
        let mut at = Some(0u32);
        for _ in 0..=sequence.nodes.len() {
            let Some(index) = at else { break };
            let node = &sequence.nodes[index as usize];
            if matches!(node.action, Action::Skip | Action::Else) {
                return Ok(());
            }
            at = node.otherwise;
        }
        let message = "a `d_step` of a claim may not begin with a selection that can be stuck";
        let help = "write `atomic` instead of `d_step`";
        Err(Diagnostic::error(self.span(transition), message).help(help))
    }

    fn literal(&mut self, expr: &Expr, transition: &Transition) -> Result<Needs, Diagnostic> {
        let info = &self.model.program.signature().actions[transition.info.index()];
        let (span, text) = (info.span, info.text.clone());
        let seen = observe(expr, "a never claim")
            .map_err(|(message, help)| Diagnostic::error(span, message).maybe_help(help))?;
        self.reads_progress |= seen.progress;
        let number = self.conditions.iter().position(|c| std::ptr::eq(*c, expr));
        let origin = Origin::Claim(self.index, number.unwrap_or(usize::MAX));
        let (text, expr, positive) = without_negations(&text, expr);
        if let Expr::Const(value) = expr {
            return Ok(match (*value != 0) == positive {
                true => Needs::Nothing,
                false => Needs::Impossible,
            });
        }
        let model = &mut *self.model;
        let atom = model.atoms.intern(&mut model.program, &text, expr, origin);
        Ok(Needs::Literal(atom, positive))
    }

    fn span(&self, transition: &Transition) -> Span {
        let actions = &self.model.program.signature().actions;
        actions[transition.info.index()].span
    }
}

/// The conditions and assertions of a claim, in a fixed order.
pub(super) fn conditions(process: &ProcessType) -> Vec<&Expr> {
    let locations = process.locations.iter();
    let transitions = locations.flat_map(|l| l.groups.iter().flatten());
    let mut list = Vec::new();
    for transition in transitions {
        match &transition.action {
            Action::Sequence(sequence) => {
                list.extend(sequence.nodes.iter().filter_map(|n| condition(&n.action)));
            }
            action => list.extend(condition(action)),
        }
    }
    list
}

fn condition(action: &Action) -> Option<&Expr> {
    match action {
        Action::Condition(expr) | Action::Assert(expr, _) => Some(expr),
        _ => None,
    }
}

/// Where an assertion holds, and where it fails.
fn cases(guard: &Guard, holds: Needs) -> Vec<(Guard, bool)> {
    let positive = with(guard, holds).map(|guard| (guard, true));
    let negative = with(guard, holds.negated()).map(|guard| (guard, false));
    positive.into_iter().chain(negative).collect()
}

/// Lets the `accept` labels of processes count: each state gets an accepting copy, which is entered
/// where some process is at one.
fn count_process_labels(states: &mut Vec<State>, accepting: usize) {
    let count = states.len();
    for state in states.iter_mut() {
        state.edges = std::mem::take(&mut state.edges)
            .into_iter()
            .flat_map(|(guard, target)| {
                let yes = with(&guard, Needs::Literal(accepting, true));
                let no = with(&guard, Needs::Literal(accepting, false));
                let yes = yes.map(|guard| (guard, target + count));
                yes.into_iter().chain(no.map(|guard| (guard, target)))
            })
            .collect();
    }
    let copies: Vec<State> = states
        .iter()
        .map(|state| State {
            accept: true,
            ..state.clone()
        })
        .collect();
    states.extend(copies);
}
