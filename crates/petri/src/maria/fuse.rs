//! Transitions from their blocks: several blocks of one name, calls, and subnets.
//!
//! A transition that calls another one of its own net takes over everything that stands there. One of a subnet that calls
//! a transition of the net around it fires together with one of each other subnet that calls it too: for
//! every such choice there is one transition, whose pieces share what the called one declares and nothing else.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, spend};

use super::scope::missing;
use super::syntax::{Name, Part, TransitionAst};

/// A block of a transition, the number of its subnet (0 for the net itself), and how many functions it knows.
pub(crate) struct Block {
    pub ast: TransitionAst,
    pub level: usize,
    pub knows: usize,
}

/// A transition with all of its parts; the first piece is known to all others.
#[derive(Debug)]
pub(crate) struct Fused {
    pub name: Arc<str>,
    pub span: Span,
    pub pieces: Vec<Vec<Part>>,
    /// How many functions of the net it knows.
    pub knows: usize,
    /// 0 is no priority; otherwise a class.
    pub priority: u32,
}

/// How many transitions there may be.
const MOST: usize = 1 << 16;
/// How deep transitions may call each other.
const DEEPEST: usize = 50;

/// All blocks of one transition.
struct Whole<'b> {
    name: &'b Name,
    level: usize,
    callee: bool,
    parts: Vec<&'b Part>,
    knows: usize,
    /// The called transition of the net around, once that is known.
    joins: Option<usize>,
    /// All parts, with those of called ones.
    all: Vec<Part>,
}

/// Transitions that are called, by subnet and name.
type Callees = HashMap<(usize, Arc<str>), usize>;

/// Makes transitions of blocks.
pub(crate) fn fuse(blocks: &[Block], subnets: usize) -> Result<Vec<Fused>, Diagnostic> {
    let mut wholes: Vec<Whole<'_>> = Vec::new();
    let mut index: HashMap<(usize, bool, Arc<str>), usize> = HashMap::new();
    for Block { ast, level, knows } in blocks {
        spend();
        let key = (*level, ast.callee, ast.name.text.clone());
        let fresh = wholes.len();
        let place = *index.entry(key).or_insert(fresh);
        match wholes.get_mut(place) {
            Some(whole) => {
                whole.parts.extend(&ast.parts);
                whole.knows = whole.knows.max(*knows);
            }
            None => wholes.push(Whole {
                name: &ast.name,
                level: *level,
                callee: ast.callee,
                parts: ast.parts.iter().collect(),
                knows: *knows,
                joins: None,
                all: Vec::new(),
            }),
        }
    }
    let callees = index.into_iter().filter(|((_, callee, _), _)| *callee);
    let callees: Callees = callees
        .map(|((level, _, name), place)| ((level, name), place))
        .collect();
    for number in 0..wholes.len() {
        let mut all = Vec::new();
        let joins = gather(&wholes, &callees, number, &mut all, (0, &mut 0))?;
        wholes[number].all = all;
        wholes[number].joins = joins;
    }
    let mut urgent = u32::MAX;
    let mut fused = Vec::new();
    for number in 0..wholes.len() {
        let whole = &wholes[number];
        if !whole.callee && whole.joins.is_none() {
            let pieces = vec![whole.all.clone()];
            fused.push(one(whole, whole.name.text.clone(), pieces, &mut urgent));
        } else if whole.callee && whole.level == 0 {
            join(&wholes, number, subnets, &mut fused, &mut urgent)?;
        }
        if fused.len() > MOST {
            let message = format!("there are more than {MOST} transitions");
            return Err(Diagnostic::error(whole.name.span, message));
        }
    }
    Ok(fused)
}

/// The parts of a transition, with those of the ones it calls; the one of the net around that it joins.
fn gather(
    wholes: &[Whole<'_>],
    callees: &Callees,
    number: usize,
    all: &mut Vec<Part>,
    (depth, seen): (usize, &mut usize),
) -> Result<Option<usize>, Diagnostic> {
    let whole = &wholes[number];
    let mut joins = None;
    for part in &whole.parts {
        spend();
        *seen += 1;
        let Part::Call(name) = part else {
            all.push((*part).clone());
            continue;
        };
        if depth == DEEPEST {
            let message = format!("transitions call each other more than {DEEPEST} deep");
            return Err(Diagnostic::error(name.span, message));
        }
        let at = |level: usize| callees.get(&(level, name.text.clone())).copied();
        let found = match (at(whole.level), at(0)) {
            (Some(own), _) => gather(wholes, callees, own, all, (depth + 1, seen))?,
            (None, Some(outer)) => Some(outer),
            (None, None) => return Err(missing("transition to call", name, None)),
        };
        match (joins, found) {
            (Some(before), Some(found)) if before != found => {
                let message = "a transition that joins several others is not supported";
                return Err(Diagnostic::error(name.span, message));
            }
            (_, Some(found)) => joins = Some(found),
            _ => {}
        }
        if *seen > MOST {
            let message = "this transition has too many parts";
            return Err(Diagnostic::error(name.span, message));
        }
    }
    Ok(joins)
}

fn one(whole: &Whole<'_>, name: Arc<str>, pieces: Vec<Vec<Part>>, urgent: &mut u32) -> Fused {
    let mut priority = 0;
    for part in pieces.iter().flatten() {
        match part {
            Part::Priority(number) => priority = *number,
            Part::Urgent => {
                priority = *urgent;
                *urgent -= 1;
            }
            _ => {}
        }
    }
    Fused {
        name,
        span: whole.name.span,
        pieces,
        knows: whole.knows,
        priority,
    }
}

/// Every choice of one caller in each subnet that has some.
fn join(
    wholes: &[Whole<'_>],
    callee: usize,
    subnets: usize,
    fused: &mut Vec<Fused>,
    urgent: &mut u32,
) -> Result<(), Diagnostic> {
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for level in 1..=subnets {
        let callers = (0..wholes.len()).filter(|&number| {
            let whole = &wholes[number];
            whole.level == level && whole.joins == Some(callee) && !whole.callee
        });
        let callers: Vec<usize> = callers.collect();
        if !callers.is_empty() {
            choices.push(callers);
        }
    }
    if choices.is_empty() {
        return Ok(());
    }
    let mut chosen = vec![0; choices.len()];
    loop {
        spend();
        let whole = &wholes[callee];
        let mut pieces = vec![whole.all.clone()];
        let mut names: Vec<&str> = Vec::new();
        let mut knows = whole.knows;
        for (place, callers) in choices.iter().enumerate() {
            let caller = &wholes[callers[chosen[place]]];
            pieces.push(caller.all.clone());
            names.push(&caller.name.text);
            knows = knows.max(caller.knows);
        }
        let is_only = choices.iter().all(|callers| callers.len() == 1);
        let name = match is_only {
            true => whole.name.text.clone(),
            false => format!("{}({})", whole.name.text, names.join(",")).into(),
        };
        let mut found = one(whole, name, pieces, urgent);
        found.knows = knows;
        fused.push(found);
        if fused.len() > MOST {
            let message = format!("there are more than {MOST} transitions");
            return Err(Diagnostic::error(whole.name.span, message));
        }
        // The next choice.
        let mut place = 0;
        loop {
            if place == choices.len() {
                return Ok(());
            }
            chosen[place] += 1;
            if chosen[place] < choices[place].len() {
                break;
            }
            chosen[place] = 0;
            place += 1;
        }
    }
}
