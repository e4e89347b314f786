//! Assignments that depend on themselves.
//!
//! Values now depend on values now, initial ones on initial ones (or those that are assigned in
//! every state), next ones on next ones. A depth-first search over these dependencies finds a
//! cycle.

use std::collections::HashMap;

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::VarId;

use super::{AssignedBy, Lowering};
use crate::ast::When;

impl Lowering<'_> {
    /// Finds values that depend on themselves.
    pub(super) fn check_circular(&mut self) {
        let mut edges: HashMap<(VarId, When), Vec<(VarId, When)>> = HashMap::new();
        let mut places: Vec<((VarId, When), Span)> = Vec::new();
        let mut assigned: Vec<((VarId, When), AssignedBy)> = self
            .assigned
            .iter()
            .flat_map(|(key, list)| list.iter().map(|by| (*key, *by)))
            .collect();
        assigned.sort_by_key(|((id, when), by)| (*id, *when, by.span));
        for ((id, when), by) in assigned {
            let (current, next) = self.relation.expressions.support(by.right);
            let also: &[When] = match when {
                // As NuSMV does it; a cycle of next values through `x := …` is a constraint.
                When::Now => &[When::Now, When::Init],
                When::Init => &[When::Init],
                When::Next => &[When::Next],
            };
            for &at in also {
                let from = match when {
                    When::Next => &next,
                    _ => &current,
                };
                let list = from.iter().map(|&other| (other, at));
                edges.entry((id, at)).or_default().extend(list);
                places.push(((id, at), by.span));
            }
        }
        if let Some((id, when)) = cycle(&edges, places.iter().map(|(key, _)| *key)) {
            let name = self.relation.told_name(id);
            let what = match when {
                When::Now => format!("the value of `{name}` depends on itself"),
                When::Init => format!("the initial value of `{name}` depends on itself"),
                When::Next => format!("the next value of `{name}` depends on itself"),
            };
            let span = places.iter().find(|(key, _)| *key == (id, when));
            let span = span.map_or_else(Span::default, |(_, span)| *span);
            let diagnostic = Diagnostic::error(span, what)
                .help("constraints that relate values to each other go into `INVAR` or `TRANS`");
            let _ = self.report::<()>(diagnostic);
        }
    }
}

/// A key on a cycle, if there is one.
fn cycle(
    edges: &HashMap<(VarId, When), Vec<(VarId, When)>>,
    starts: impl Iterator<Item = (VarId, When)>,
) -> Option<(VarId, When)> {
    let mut finished: HashMap<(VarId, When), bool> = HashMap::new();
    for start in starts {
        let mut stack = vec![(start, 0)];
        while let Some((key, at)) = stack.pop() {
            if at == 0 {
                match finished.get(&key) {
                    Some(true) => continue,
                    Some(false) => return Some(key),
                    None => {
                        finished.insert(key, false);
                    }
                }
            }
            match edges.get(&key).and_then(|list| list.get(at)) {
                Some(&next) => {
                    stack.push((key, at + 1));
                    stack.push((next, 0));
                }
                None => {
                    finished.insert(key, true);
                }
            }
        }
    }
    None
}
