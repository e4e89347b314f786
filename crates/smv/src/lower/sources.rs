//! Where the text says what value a variable gets.
//!
//! A step of a relation stands on no line of its own. But a variable that changed got its value
//! from `next(x) := …`, or from a `TRANS` that speaks of `next(x)`, and that is where a person
//! looks.

use evenhand_source::Span;
use evenhand_system::relation::{ExprId, VarId};
use evenhand_system::signature::ValueSource;

use super::{Lowering, ProcessIndex};
use crate::ast::{Model, When};

/// What is known of such places while a model is lowered.
#[derive(Debug, Default)]
pub(super) struct Said {
    assignments: Vec<(VarId, When, ProcessIndex, Span)>,
    /// `INIT` and `TRANS`: which of the two, and where.
    constraints: Vec<(ExprId, bool, Span)>,
}

impl Said {
    pub fn assign(&mut self, id: VarId, when: When, process: ProcessIndex, span: Span) {
        self.assignments.push((id, when, process, span));
    }

    pub fn constrain(&mut self, expr: ExprId, initial: bool, span: Span) {
        self.constraints.push((expr, initial, span));
    }
}

/// All such places of a model without errors, by variable.
pub(crate) fn sources(model: &Model) -> Vec<ValueSource> {
    let mut lowering = Lowering::new(model);
    lowering.run(&[]);
    let name = |id: VarId| lowering.relation.told_name(id).to_string();
    let mut list = Vec::new();
    for &(id, when, process, span) in &lowering.said.assignments {
        let moments = match when {
            When::Init => &[true][..],
            When::Next => &[false],
            When::Now => &[true, false],
        };
        for &initial in moments {
            // Initially, and where a value is always the same function of others, no process moves.
            let by = lowering.processes.get(process.0).cloned();
            list.push(ValueSource {
                variable: name(id),
                initial,
                process: by.filter(|_| when == When::Next),
                span,
            });
        }
    }
    for &(expr, initial, span) in &lowering.said.constraints {
        let (now, next) = lowering.relation.expressions.support(expr);
        for id in if initial { now } else { next } {
            list.push(ValueSource {
                variable: name(id),
                initial,
                process: None,
                span,
            });
        }
    }
    list.sort();
    list.dedup();
    list
}
