//! Which processes the expressions of a question name, and whether there are such processes.
//!
//! `user[0]@crit` holds nowhere if process 0 is the `init` that starts the users: then `[] !user[0]@crit`
//! holds, and says nothing. `client@crit` means one of several clients, which is seldom what its author
//! means. Both have a meaning, that of SPIN, so both are worth a warning and no more.
//!
//! Which types a number can have is known from the text, roughly: [`Population`] has the processes of
//! the initial state and the types that are started at all. Where a single process starts all others,
//! its control graph says more. Numbers are given in order, and processes end in the reverse order of
//! their creation. So a `run` gives at most the number *processes of the initial state* + the `run`s
//! before it; and one that never ends keeps its number and all below it for ever, so that those after
//! it have greater ones. The least and the greatest number at each place come from a walk along the
//! graph; around a cycle with a `run` there is no greatest. Linear in the program, times the number of
//! processes that there can be.

use std::collections::HashSet;

use evenhand_source::{Diagnostic, Span, spend};
use evenhand_system::program::expr::{Action, Expr, Pattern, TypeId};
use evenhand_system::program::{ProcessType, Spec};

use super::bound::{Population, ends, runs_of};
use crate::PromelaModel;

impl PromelaModel {
    /// Warnings about processes that the propositions of the questions so far name.
    pub(crate) fn warn_of_instances(&mut self) {
        let mut names_some = false;
        for atom in &self.atoms.known {
            named(&atom.expr, &mut |_, _, _| names_some = true);
        }
        if !names_some {
            return;
        }
        let spec = self.program.spec();
        let numbers = Numbers::new(spec, self.pid_bound());
        let mut said: HashSet<(Span, String)> = HashSet::new();
        let mut found = Vec::new();
        for atom in &self.atoms.known {
            named(&atom.expr, &mut |process, number, span| {
                let text = self.program.signature().files.text(span);
                if let Some((message, help)) = numbers.complaint(process, number, text)
                    && said.insert((span, message.clone()))
                {
                    found.push(Diagnostic::warning(span, message).maybe_help(help));
                }
            });
        }
        found.sort_by_key(|warning: &Diagnostic| warning.span);
        self.warnings.extend(found);
    }
}

/// Calls back for each process that an expression names: its type, its number, and where.
fn named(expr: &Expr, found: &mut dyn FnMut(TypeId, Option<&Expr>, Span)) {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::AtLocation(at) => {
                found(at.process, at.pid.as_ref(), at.span);
                open.extend(&at.pid);
            }
            Expr::Remote(remote) => {
                found(remote.process, remote.pid.as_ref(), remote.place.span);
                open.extend(&remote.pid);
                open.extend(remote.place.indices.iter().map(|i| &i.value));
            }
            Expr::Unary(_, operand)
            | Expr::Channel(_, operand, _)
            | Expr::Enabled(operand)
            | Expr::LocationOf(operand)
            | Expr::PriorityOf(operand) => open.push(operand),
            Expr::Binary(_, operands, _) => open.extend([&operands.1, &operands.0]),
            Expr::Conditional(parts) => open.extend([&parts.2, &parts.1, &parts.0]),
            Expr::Load(place) => open.extend(place.indices.iter().map(|i| &i.value)),
            Expr::Poll(receive) => {
                open.push(&receive.channel);
                open.extend(receive.patterns.iter().filter_map(|p| match p {
                    Pattern::Equal(value) => Some(value),
                    Pattern::Any | Pattern::Bind(_) => None,
                }));
            }
            _ => {}
        }
    }
}

/// Which numbers the processes of each type can have.
struct Numbers<'s> {
    spec: &'s Spec,
    population: Population,
    /// There are never more processes than this, if that is certain.
    most: Option<usize>,
    /// For each type the least and the greatest number of those that are started, if known.
    started: Option<Vec<Option<Range>>>,
}

impl<'s> Numbers<'s> {
    fn new(spec: &'s Spec, (bound, is_certain): (usize, bool)) -> Numbers<'s> {
        let population = Population::new(spec);
        Numbers {
            started: ranges(spec, &population),
            spec,
            population,
            most: is_certain.then_some(bound),
        }
    }

    fn can_have(&self, number: usize, process: usize) -> bool {
        if self.most.is_some_and(|most| number >= most)
            || !self
                .population
                .types_of(number, self.spec)
                .contains(&process)
        {
            return false;
        }
        let start = self.spec.start.get(number);
        let is_initial = start.is_some_and(|s| usize::from(s.process.0) == process);
        match &self.started {
            Some(ranges) if !is_initial => {
                ranges[process].is_some_and(|(least, most)| (least..=most).contains(&number))
            }
            _ => true,
        }
    }

    fn name(&self, process: usize) -> &str {
        &self.spec.types[process].name
    }

    /// What is to say about a process that is named, and what to write instead.
    fn complaint(
        &self,
        process: TypeId,
        number: Option<&Expr>,
        text: &str,
    ) -> Option<(String, Option<String>)> {
        let process = usize::from(process.0);
        let name = self.name(process);
        if !self.population.is_alive(process) {
            let message = format!("no process of type `{name}` is ever started");
            return Some((message, None));
        }
        let last = self.most.unwrap_or(16).max(self.spec.start.len());
        let own: Vec<usize> = (0..last).filter(|&n| self.can_have(n, process)).collect();
        match number {
            None => {
                if !self.population.may_be_several(process, self.spec) {
                    return None;
                }
                let message = format!(
                    "there may be several processes of type `{name}`: this is about the one with \
                     the lowest number, as in SPIN"
                );
                let rest = text.trim().strip_prefix(name);
                let rest = rest.filter(|rest| rest.starts_with(['@', ':']));
                let rest = rest.unwrap_or("@label");
                let help = own
                    .first()
                    .map(|n| format!("to name one of them, write its number: `{name}[{n}]{rest}`"));
                Some((message, help))
            }
            Some(Expr::Const(number)) => {
                let number = usize::try_from(*number).unwrap_or(usize::MAX);
                if self.can_have(number, process) {
                    return None;
                }
                let message = match self.most {
                    Some(1) if number > 0 => "there is never more than 1 process".to_string(),
                    Some(most) if number >= most => {
                        format!("there are never more than {most} processes, numbered from 0")
                    }
                    _ => format!("process {number} is never of type `{name}`"),
                };
                Some((message, self.instead(name, &own, number)))
            }
            Some(_) => None, // which one it is depends on the state
        }
    }

    /// The numbers that processes of a type have, and who has the one that was named.
    fn instead(&self, name: &str, own: &[usize], number: usize) -> Option<String> {
        let first = own.first()?;
        let numbers = match own {
            [_] => format!("the process of type `{name}` is number {first}"),
            [_, second] => {
                format!("processes of type `{name}` have the numbers {first} and {second}")
            }
            [.., last] if self.most.is_some() && last - first + 1 == own.len() => {
                format!("processes of type `{name}` have the numbers {first} to {last}")
            }
            _ => format!("the first process of type `{name}` is number {first}"),
        };
        let start = self.spec.start.get(number);
        let other = start.map(|s| self.name(usize::from(s.process.0)));
        Some(match other {
            Some(other) => format!("{numbers}; `{other}` is process {number}"),
            None => numbers,
        })
    }
}

/// For each type, the least and the greatest number that its processes can have which are started;
/// none if several processes start others.
fn ranges(spec: &Spec, population: &Population) -> Option<Vec<Option<Range>>> {
    let initial = spec.start.iter().map(|s| usize::from(s.process.0));
    let initial: Vec<usize> = initial.collect();
    let starters = (0..initial.len()).filter(|&pid| population.starts_others(initial[pid]));
    let &[starter] = &starters.collect::<Vec<_>>()[..] else {
        return None;
    };
    if population.started().any(|t| population.starts_others(t)) {
        return None;
    }
    let stays: Vec<bool> = spec.types.iter().map(|process| !ends(process)).collect();
    let stays = |process: usize| stays[process];
    let last = (starter + 1..initial.len()).rfind(|&pid| stays(initial[pid]));
    let floor = last.unwrap_or(starter) + 1;
    let runs = places_of_runs(
        &spec.types[initial[starter]],
        (floor, initial.len()),
        &stays,
    )?;
    let mut ranges = vec![None; spec.types.len()];
    for (kind, (least, most)) in runs {
        let range = ranges[kind].get_or_insert((least, most));
        *range = (range.0.min(least), range.1.max(most));
    }
    Some(ranges)
}

/// There are never more processes than this.
const MOST_PROCESSES: usize = 256;

/// The least and the greatest of some numbers.
type Range = (usize, usize);

/// For each `run` of a process the type that it starts, and the least and the greatest number that
/// it can give; at first, these are `first`. None if processes are started where variables get their first values.
fn places_of_runs(
    process: &ProcessType,
    first: Range,
    stays: &dyn Fn(usize) -> bool,
) -> Option<Vec<(usize, Range)>> {
    let started = |action: &Action| {
        let mut list = Vec::new();
        runs_of(action, &mut |kind| list.push(kind));
        list
    };
    if !started(&Action::Assignments(process.init.clone())).is_empty() {
        return None;
    }
    let mut edges: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    for (from, location) in process.locations.iter().enumerate() {
        for transition in location.groups.iter().flatten() {
            if !matches!(transition.action, Action::Die) {
                let target = transition.target.0 as usize;
                edges.push((from, target, started(&transition.action)));
            }
        }
    }
    // Without a cycle through a `run` no path has more of them than there are; and there are not so
    // many numbers.
    let total: usize = edges.iter().map(|(_, _, runs)| runs.len()).sum();
    let top = first.1 + total.min(MOST_PROCESSES);
    let behind = |(least, most): Range, kind: usize| match most < top {
        true => (least + usize::from(stays(kind)), most + 1),
        false => (least + usize::from(stays(kind)), usize::MAX),
    };
    let mut known: Vec<Option<Range>> = vec![None; process.locations.len()];
    *known.get_mut(process.initial.0 as usize)? = Some(first);
    let mut found = Vec::new();
    let mut changed = true;
    while changed {
        changed = false;
        found.clear();
        for (from, to, runs) in &edges {
            spend();
            let Some(mut range) = known[*from] else {
                continue;
            };
            for &kind in runs {
                found.push((kind, range));
                range = behind(range, kind);
            }
            let new = known[*to].map_or(range, |old| (old.0.min(range.0), old.1.max(range.1)));
            if known[*to] != Some(new) {
                known[*to] = Some(new);
                changed = true;
            }
        }
    }
    Some(found)
}
