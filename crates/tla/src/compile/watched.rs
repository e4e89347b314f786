//! The actions that fairness is about, as the next-state action has them.
//!
//! A condition about `A(e)`, with a definition `A` and an expression without variables, may be answered by the search
//! for next states (`machine/watch.rs`). Definitions get numbers here before the next-state action is compiled; where
//! it is a disjunction, the places of these definitions in it are marked.

use super::formula::Fair;
use super::scope::{Binding, DefId, Defined, ScopeId};
use super::temporal::Level;
use super::{Compiled, Compiler, DEEPEST, Formula};
use crate::code::{Code, Var};
use crate::syntax::ast::{Expr, ExprKind};

impl<'a> Compiler<'a> {
    /// Numbers the definitions that conditions of fairness are about.
    pub fn watch(&mut self, formula: &Formula<'a>) {
        match formula {
            Formula::And(parts) => parts.iter().for_each(|part| self.watch(part)),
            Formula::Fair(fair) => {
                if let Some((id, _)) = self.definition_of(fair) {
                    let count = u32::try_from(self.watched.len()).unwrap_or(u32::MAX);
                    self.watched.entry(id).or_insert(count);
                }
            }
            _ => {}
        }
    }

    /// Whether `ENABLED` in a scope means what a search of the next state of the specification finds. Inside of an instance it
    /// asks for next values of the instance's own variables, whatever stands for them: that is the same only where
    /// these are variables, each another one.
    pub fn is_enabled_by_steps(&mut self, scope: ScopeId) -> bool {
        let mut at = Some(scope);
        while let Some(id) = at {
            let inside = self.scopes.get(id);
            at = inside.outer;
            let names = inside.names.values();
            let substituted = names.filter(|binding| matches!(binding, Binding::Substituted(..)));
            let substituted: Vec<Binding<'a>> = substituted.cloned().collect();
            let mut met = Vec::new();
            for binding in substituted {
                match self.variable_of(binding) {
                    Some(variable) if !met.contains(&variable) => met.push(variable),
                    _ => return false,
                }
            }
        }
        true
    }

    /// The variable that a name is another name of.
    fn variable_of(&mut self, mut binding: Binding<'a>) -> Option<Var> {
        for _ in 0..DEEPEST {
            if let Binding::Variable(variable) = binding {
                return Some(variable);
            }
            if let Binding::Substituted(inner, _) = binding {
                binding = Binding::clone(&inner);
                continue;
            }
            let (expr, scope) = self.text_of(&binding)?;
            let ExprKind::Apply(path) = &expr.kind else {
                return None;
            };
            if !path.last.args.is_empty() {
                return None;
            }
            binding = self.resolve(path, scope)?;
        }
        None
    }

    /// The number of the definition that a condition is about, and its arguments.
    pub fn watched(&mut self, fair: &Fair<'a>) -> Option<(u32, Vec<Compiled<Code>>)> {
        let (id, args) = self.definition_of(fair)?;
        let number = *self.watched.get(&id)?;
        let args = args
            .iter()
            .map(|arg| self.expression(arg, fair.scope, 0, None));
        Some((number, args.collect()))
    }

    /// The variables that a state function is a tuple of, where it is nothing else: it changes where one of them does.
    pub fn variables_in(&mut self, expr: &'a Expr, scope: ScopeId) -> Option<Vec<Var>> {
        let mut list = Vec::new();
        self.gather_variables((expr, scope), 0, &mut list)
            .then_some(list)
    }

    fn gather_variables(
        &mut self,
        (expr, scope): (&'a Expr, ScopeId),
        depth: u32,
        list: &mut Vec<Var>,
    ) -> bool {
        if depth > DEEPEST {
            return false;
        }
        let path = match &expr.kind {
            ExprKind::Tuple(parts) => {
                let mut parts = parts.iter();
                return parts.all(|part| self.gather_variables((part, scope), depth + 1, list));
            }
            ExprKind::Label(_, _, body) => {
                return self.gather_variables((body, scope), depth + 1, list);
            }
            ExprKind::Apply(path) if path.last.args.is_empty() => path,
            _ => return false,
        };
        let Some(mut binding) = self.resolve(path, scope) else {
            return false;
        };
        while let Binding::Substituted(inner, _) = binding {
            binding = Binding::clone(&inner);
        }
        if let Binding::Variable(variable) = binding {
            list.extend((!list.contains(&variable)).then_some(variable));
            return true;
        }
        match self.text_of(&binding) {
            Some(text) => self.gather_variables(text, depth + 1, list),
            None => false,
        }
    }

    /// The definition and its arguments, where these are all.
    fn definition_of(&mut self, fair: &Fair<'a>) -> Option<(DefId, &'a [Expr])> {
        let ExprKind::Apply(path) = &fair.action.kind else {
            return None;
        };
        if !self.is_enabled_by_steps(fair.scope) {
            return None;
        }
        let Some(Binding::Definition(id)) = self.resolve(path, fair.scope) else {
            return None;
        };
        let Defined::Operator(definition) = self.defs[id.0 as usize].what else {
            return None;
        };
        let args = &path.last.args;
        let is_whole = args.len() == definition.params.len();
        let first_order = definition.params.iter().all(|param| param.arity == 0);
        let mut values = args.iter();
        let constant = values.all(|arg| self.level(arg, fair.scope) == Level::Constant);
        (is_whole && first_order && constant).then_some((id, args))
    }
}
