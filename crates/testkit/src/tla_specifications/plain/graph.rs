//! All states and steps of a specification, with the truth of definitions on them: what is needed to look at whole runs.
//!
//! Every state has the step that stays where it is.

use std::collections::HashMap;
use std::rc::Rc;

use evenhand_tla::syntax::load::Sources;

use super::names::{Meaning, Row, Rows, put};
use super::search::{asked, told_row};
use super::value::{Fail, Result, V};
use super::{Plain, interpreter};

/// A definition with one parameter, at a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// The number.
    pub arg: i32,
}

/// States and steps by their numbers.
pub struct Graph {
    /// The states in which runs begin.
    pub initial: Vec<usize>,
    /// From where to where; those that stay included, each pair once.
    pub steps: Vec<(usize, usize)>,
    /// Truth of predicates on states.
    pub states: HashMap<Instance, Vec<bool>>,
    /// Where actions are enabled.
    pub enabled: HashMap<Instance, Vec<bool>>,
    /// Truth of actions on steps.
    pub taken: HashMap<Instance, Vec<bool>>,
}

/// The graph of a specification; none where something has no value or takes too long.
pub fn graph(
    sources: &Sources,
    most: usize,
    predicates: &[Instance],
    actions: &[Instance],
) -> Option<Graph> {
    interpreter(sources, 3_000_000, |plain, _| {
        explore(plain, most, predicates, actions).ok()
    })
}

fn explore<'a>(
    plain: &Plain<'a>,
    most: usize,
    predicates: &[Instance],
    actions: &[Instance],
) -> Result<Graph> {
    let asked = asked(plain);
    let mut rows: Vec<Rc<Row<'a>>> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut take = |row: &Row<'a>, rows: &mut Vec<Rc<Row<'a>>>| -> Result<usize> {
        if row.iter().any(Option::is_none) {
            return Err(Fail::Undefined);
        }
        let next = rows.len();
        let number = *numbers.entry(told_row(plain, row)).or_insert(next);
        if number == next {
            rows.push(Rc::new(row.clone()));
        }
        match rows.len() > most {
            true => Err(Fail::Limit),
            false => Ok(number),
        }
    };
    let mut initial = Vec::new();
    plain.search(&asked.initial, None, false, &mut |row| {
        let number = take(row, &mut rows)?;
        if !initial.contains(&number) {
            initial.push(number);
        }
        Ok(false)
    })?;
    let mut steps = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        steps.push((at, at));
        let now = rows[at].clone();
        plain.search(&asked.next, Some(now), true, &mut |row| {
            let step = (at, take(row, &mut rows)?);
            if !steps.contains(&step) {
                steps.push(step);
            }
            Ok(false)
        })?;
        at += 1;
    }
    let mut graph = Graph {
        initial,
        steps,
        states: HashMap::new(),
        enabled: HashMap::new(),
        taken: HashMap::new(),
    };
    let here = |number: usize| Rows {
        now: rows[number].clone(),
        next: plain.nothing(),
    };
    for instance in predicates {
        let truth = |number| on(plain, instance, &here(number), false);
        let truth = (0..rows.len()).map(truth).collect::<Result<_>>()?;
        graph.states.insert(instance.clone(), truth);
    }
    for instance in actions {
        let enabled = |number| on(plain, instance, &here(number), true);
        let enabled = (0..rows.len()).map(enabled).collect::<Result<_>>()?;
        graph.enabled.insert(instance.clone(), enabled);
        let taken = |&(from, to): &(usize, usize)| {
            let step = Rows {
                now: rows[from].clone(),
                next: rows[to].clone(),
            };
            on(plain, instance, &step, false)
        };
        let taken = graph.steps.iter().map(taken).collect::<Result<_>>()?;
        graph.taken.insert(instance.clone(), taken);
    }
    Ok(graph)
}

/// The truth of a definition at its argument, or whether it is enabled.
fn on<'a>(plain: &Plain<'a>, of: &Instance, rows: &Rows<'a>, enabled: bool) -> Result<bool> {
    let name = plain.names.get(&of.name).ok_or(Fail::Undefined)?;
    let found = plain.find(&plain.root(), name);
    let Meaning::Operator(params, body) = &found.meaning else {
        return Err(Fail::Undefined);
    };
    let mut list = found.list.clone();
    for param in params {
        list = put(&list, param.ident.name, Meaning::Value(V::Int(of.arg)));
    }
    match enabled {
        true => plain.enabled(body, &list, rows),
        false => plain.truth(body, &list, rows),
    }
}
