//! Names that mean nothing, with a neighbour that may be meant.

use evenhand_source::{Diagnostic, Span, nearest};

use super::Checker;
use crate::names::Symbol;

impl Checker<'_> {
    /// Reports a name that means nothing.
    pub(super) fn unknown_name(&mut self, name: Symbol, span: Span, within: Option<Vec<Symbol>>) {
        if self.unknown && within.is_none() {
            return;
        }
        let text = self.text(name).to_string();
        const LANGUAGE: [&str; 6] = [
            "Naturals",
            "Integers",
            "Reals",
            "Sequences",
            "FiniteSets",
            "TLC",
        ];
        let has = |module: &&&str| {
            let operators = self.standard.operators(module);
            operators.is_some_and(|operators| operators.iter().any(|(found, _)| *found == text))
        };
        let help = match &within {
            None => match LANGUAGE.iter().find(has) {
                Some(module) => Some(format!(
                    "it is defined by the module {module}: EXTENDS {module}"
                )),
                None => {
                    let locals = self.scope.locals.iter().map(|(name, _)| *name);
                    let all: Vec<Symbol> =
                        locals.chain(self.scope.globals.keys().copied()).collect();
                    self.near(&text, &all)
                }
            },
            Some(all) => self.near(&text, all),
        };
        let message = match text.chars().next() {
            Some(first) if first.is_alphanumeric() || first == '_' => {
                format!("the name `{text}` is not known here")
            }
            _ => format!("the operator `{text}` is not known here"),
        };
        self.misnamed(Diagnostic::error(span, message).maybe_help(help));
    }

    fn near(&self, text: &str, all: &[Symbol]) -> Option<String> {
        let mut names: Vec<&str> = all.iter().map(|name| self.names.text(*name)).collect();
        names.sort_unstable();
        nearest(text, names).map(|near| format!("did you mean `{near}`?"))
    }
}
