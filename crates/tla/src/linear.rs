//! Temporal formulas of a specification: what is assumed, and what is asked.
//!
//! `WF_v(A)` and `SF_v(A)` among the conjuncts of the specification are items of fairness: enabled where `<<A>>_v` has a step,
//! taken by the steps that satisfy it. Other formulas there are the left side of an implication. States outside of the
//! constraints are not part of any behaviour: a formula is asked of runs that stay inside.

use evenhand_logic::{FormulaId, Formulas};
use evenhand_system::{self as system, PropositionId};

use crate::body::{FairAction, Proposition, StepFormula, WatchedAction};
use crate::build::{Builder, Open, Stated};
use crate::compile::{Compiler, Fair, Formula, ScopeId};
use crate::syntax::ast::Expr;

/// A formula of linear time in the making.
struct Linear {
    store: Formulas,
    atoms: Vec<PropositionId>,
}

impl Linear {
    /// A proposition under a name of its own.
    fn atom(&mut self, text: &str, proposition: PropositionId) -> FormulaId {
        let count = self.atoms.len();
        let mut name = text.to_string();
        loop {
            let atom = self.store.host_atom(&name);
            if self.store.atoms().count() > count {
                self.atoms.push(proposition);
                return atom;
            }
            name = format!("{text} ({})", proposition.0);
        }
    }
}

impl Builder<'_> {
    /// What a part of the specification assumes: fairness of actions, and other formulas.
    pub(crate) fn assume<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        formula: Formula<'a>,
        next: Option<(&'a Expr, ScopeId)>,
        (fair, assumed): (&mut Vec<FairAction>, &mut Vec<Formula<'a>>),
    ) {
        match formula {
            Formula::And(parts) => {
                for part in parts {
                    self.assume(compiler, part, next, (&mut *fair, &mut *assumed));
                }
            }
            Formula::Fair(stated) => {
                // The same words may be about another instance.
                let whole = self.fair_text(compiler, &stated);
                let mut text = whole.clone();
                let mut number = 1;
                while fair.iter().any(|other| other.text == text) {
                    number += 1;
                    text = format!("{whole} ({number})");
                }
                fair.push(FairAction {
                    text,
                    words: self.fair_words(&stated),
                    bound: self.bound(compiler, &stated),
                    strong: stated.strong,
                    span: stated.span,
                    moves: compiler.variables_in(stated.subscript, stated.scope),
                    enabled: compiler.enabled_step(&stated),
                    taken: compiler.taken(&stated),
                    of_next: (self.is_next(&stated, next)
                        && compiler.is_enabled_by_steps(stated.scope))
                    .then(|| compiler.changed(&stated)),
                    watched: compiler
                        .watched(&stated)
                        .map(|(number, args)| WatchedAction {
                            number,
                            args,
                            changed: compiler.changed(&stated),
                        }),
                });
            }
            other => assumed.push(other),
        }
    }

    /// Whether fairness is about the next-state action itself: the same name at the same place of the specification.
    fn is_next(&self, stated: &Fair<'_>, next: Option<(&Expr, ScopeId)>) -> bool {
        let Some((next, scope)) = next else {
            return false;
        };
        let name = self.words(next.span);
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name && scope == stated.scope && self.words(stated.action.span) == name
    }

    /// A formula about steps.
    fn step(&mut self, formula: StepFormula) -> PropositionId {
        self.steps.push(formula);
        self.add(Proposition::Step(self.steps.len() - 1))
    }

    /// Fairness as people read it.
    fn fair_text(&self, compiler: &Compiler<'_>, fair: &Fair<'_>) -> String {
        let text = self.fair_words(fair);
        let bound = self.bound(compiler, fair);
        if bound.is_empty() {
            return text;
        }
        let bound = bound
            .iter()
            .map(|(name, value)| format!("{name} = {value}"));
        format!("{text} with {}", bound.collect::<Vec<_>>().join(", "))
    }

    /// The values of the names that quantifiers around fairness bind.
    fn bound(&self, compiler: &Compiler<'_>, fair: &Fair<'_>) -> Vec<(String, String)> {
        let bound = compiler.instance_of(fair.scope).into_iter();
        let told =
            bound.map(|(name, value)| (self.names.text(name).to_string(), value.told(self.names)));
        told.collect()
    }

    /// A piece of the text in one line.
    pub(crate) fn words(&self, span: evenhand_source::Span) -> String {
        let text = without_comments(self.files.text(span));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// A condition of fairness, without parentheses around it.
    fn fair_words(&self, fair: &Fair<'_>) -> String {
        let form = if fair.strong { "SF" } else { "WF" };
        let (subscript, action) = (fair.subscript.span, fair.action.span);
        format!("{form}_{}({})", self.words(subscript), self.words(action))
    }

    /// Gives the parts of a property their final numbers.
    pub(crate) fn closed<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        open: Open<'a>,
        first_step: usize,
        assumed: &[Formula<'a>],
        (constrained, others): (bool, usize),
    ) -> Stated {
        let bound = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        let mut safety = open.safety;
        let actions = (open.actions.0 + first_step, open.actions.1);
        let mut own = Vec::new();
        // A formula about runs has them all as one, so that it does not grow with their number.
        let mut always = safety.clone();
        for (first, words) in [open.initial, actions] {
            let last = first + words.len();
            let range = (bound(first), bound(last));
            let together = match words.as_slice() {
                [] => continue,
                [one] => one.clone(),
                _ => open.name.clone(),
            };
            always.push((together, self.add(Proposition::Unbroken(range.0, range.1))));
            own.push(range);
            for (number, words) in (first..last).zip(words) {
                let (first, last) = (bound(number), bound(number + 1));
                safety.push((words, self.add(Proposition::Unbroken(first, last))));
            }
        }
        let whole = (!open.temporal.is_empty()).then(|| {
            let mut linear = Linear {
                store: Formulas::new(),
                atoms: Vec::new(),
            };
            let mut parts = Vec::new();
            for (words, part) in &always {
                let atom = linear.atom(words, *part);
                parts.push(linear.store.globally(atom));
            }
            for formula in &open.temporal {
                parts.push(self.linear(compiler, formula, &mut linear)?);
            }
            let mut whole = linear.store.and(parts);
            for formula in assumed {
                let condition = self.linear(compiler, formula, &mut linear)?;
                whole = linear.store.implies(condition, whole);
            }
            // States outside of the constraints, and copies for other properties, are part of no behaviour.
            let copies: usize = own.iter().map(|(a, b)| usize::from(b - a)).sum();
            if constrained || others > copies {
                let inside = self.add(Proposition::Inside(own));
                // Without constraints nobody has asked for it, and nobody hears of it.
                let text = match constrained {
                    true => "inside of the constraints",
                    false => "",
                };
                let inside = linear.atom(text, inside);
                let inside = linear.store.globally(inside);
                whole = linear.store.implies(inside, whole);
            }
            Ok(system::Formula::new(linear.store, whole, linear.atoms))
        });
        Stated {
            name: open.name,
            safety,
            whole,
        }
    }

    /// A formula of linear time over propositions.
    fn linear<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        formula: &Formula<'a>,
        linear: &mut Linear,
    ) -> Result<FormulaId, String> {
        Ok(match formula {
            Formula::Atom(expr, scope) => {
                let proposition = self.predicate(compiler, expr, *scope);
                let mut text = self.words(expr.span);
                for (name, value) in compiler.instance_of(*scope) {
                    let (name, value) = (self.names.text(name), value.told(self.names));
                    text = format!("{text}[{name} = {value}]");
                }
                linear.atom(&text, proposition)
            }
            Formula::Not(part) => {
                let part = self.linear(compiler, part, linear)?;
                linear.store.not(part)
            }
            Formula::And(parts) => {
                let parts = self.each(compiler, parts, linear)?;
                linear.store.and(parts)
            }
            Formula::Or(parts) => {
                let parts = self.each(compiler, parts, linear)?;
                linear.store.or(parts)
            }
            Formula::Implies(a, b) => {
                let [a, b] = self.both(compiler, a, b, linear)?;
                linear.store.implies(a, b)
            }
            Formula::Equivalent(a, b) => {
                let [a, b] = self.both(compiler, a, b, linear)?;
                linear.store.iff(a, b)
            }
            Formula::Always(part) => {
                let part = self.linear(compiler, part, linear)?;
                linear.store.globally(part)
            }
            Formula::Eventually(part) => {
                let part = self.linear(compiler, part, linear)?;
                linear.store.finally(part)
            }
            Formula::LeadsTo(a, b) => {
                let [a, b] = self.both(compiler, a, b, linear)?;
                let later = linear.store.finally(b);
                let one = linear.store.implies(a, later);
                linear.store.globally(one)
            }
            Formula::Fair(fair) => {
                let text = self.fair_text(compiler, fair);
                let enabled = compiler.enabled_step(fair);
                let enabled = self.add(Proposition::Predicate(enabled));
                let enabled = linear.atom(&format!("{text} is enabled"), enabled);
                let code = compiler.taken(fair);
                let taken = self.step(StepFormula { code, stays: false });
                let taken = linear.atom(&format!("a step of {text}"), taken);
                let store = &mut linear.store;
                // Enabled from some point on, or again and again, it is taken again and again.
                let asked = match fair.strong {
                    true => {
                        let later = store.finally(enabled);
                        store.globally(later)
                    }
                    false => {
                        let always = store.globally(enabled);
                        store.finally(always)
                    }
                };
                let later = store.finally(taken);
                let again = store.globally(later);
                store.implies(asked, again)
            }
            Formula::Step {
                action,
                subscript,
                square,
                scope,
            } => {
                let words = (self.words(action.span), self.words(subscript.span));
                let (text, code) = match square {
                    true => {
                        let code = compiler.square(action, subscript, *scope);
                        (format!("[{}]_{}", words.0, words.1), code)
                    }
                    false => {
                        let code = compiler.taken(&Fair {
                            strong: false,
                            subscript,
                            action,
                            scope: *scope,
                            span: action.span,
                        });
                        (format!("<<{}>>_{}", words.0, words.1), code)
                    }
                };
                let stays = *square;
                let step = self.step(StepFormula { code, stays });
                linear.atom(&text, step)
            }
            Formula::Unread(reason, span) => {
                let line = self.files.position(*span).line;
                return Err(format!("{reason} (line {line})"));
            }
        })
    }

    fn each<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        parts: &[Formula<'a>],
        linear: &mut Linear,
    ) -> Result<Vec<FormulaId>, String> {
        let parts = parts.iter();
        parts
            .map(|part| self.linear(compiler, part, linear))
            .collect()
    }

    fn both<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        a: &Formula<'a>,
        b: &Formula<'a>,
        linear: &mut Linear,
    ) -> Result<[FormulaId; 2], String> {
        let a = self.linear(compiler, a, linear)?;
        let b = self.linear(compiler, b, linear)?;
        Ok([a, b])
    }
}

/// A text without its comments, which may be nested.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    let mut is_text = false;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if !is_text && rest.starts_with("\\*") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        }
        if !is_text && rest.starts_with("(*") {
            rest = behind_comment(rest);
            kept.push(' ');
            continue;
        }
        match first {
            '"' => is_text = !is_text,
            '\\' if is_text => length += rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => {}
        }
        kept.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    kept
}

/// What comes behind the comment that a text begins with.
fn behind_comment(text: &str) -> &str {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = match text.get(at..at + 2) {
            Some("(*") => (depth + 1, 2),
            Some("*)") => (depth - 1, 2),
            _ => (depth, 1),
        };
        (depth, at) = (step.0, at + step.1);
        if depth == 0 {
            break;
        }
    }
    text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use evenhand_source::{Files, with_stack};

    use crate::build::{Asked, build};
    use crate::compile::STACK;
    use crate::standard;
    use crate::syntax::load::{LoadOptions, load};

    /// How many conditions of fairness of a specification are about the next-state action itself, about actions that are looked for
    /// in it, and about others; and of how many the change is to be seen by variables.
    fn counted(file: &Path, configuration: &Path) -> Option<[usize; 4]> {
        let text = std::fs::read_to_string(configuration).ok()?;
        let options = LoadOptions {
            configuration: Some((configuration.display().to_string(), text)),
            include_dirs: Vec::new(),
            folder: file.parent().map(Path::to_path_buf),
            confined: false,
            most_bytes: None,
            standard: &|name| standard::module(name).is_some(),
        };
        let mut files = Files::new();
        let main = files.add(
            file.display().to_string(),
            std::fs::read_to_string(file).ok()?,
        );
        let mut sources = load(files, main, &options).ok()?;
        let names = Arc::new(std::mem::take(&mut sources.names));
        let asked = Asked {
            files: sources.files.clone(),
            ..Asked::default()
        };
        let built = with_stack(STACK, || build(&sources, names, &asked)).ok()?;
        let mut counts = [0; 4];
        for fair in &built.model.fair {
            let kind = match (&fair.of_next, &fair.watched) {
                (Some(_), _) => 0,
                (None, Some(_)) => 1,
                (None, None) => 2,
            };
            counts[kind] += 1;
            counts[3] += usize::from(fair.moves.is_some());
        }
        Some(counts)
    }

    /// Most fairness of public specifications is answered by the search for next states.
    #[test]
    fn fairness_is_mostly_about_parts_of_the_next_state_action() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/tla");
        let Ok(table) = std::fs::read_to_string(folder.join("expected.jsonl")) else {
            println!("SKIPPED: no specifications beside the repository");
            return;
        };
        let (mut all, mut specifications) = ([0; 4], 0);
        let rows = table.lines().map(serde_json::from_str::<serde_json::Value>);
        for row in rows.map(|row| row.expect("a row")) {
            if row["live_branches"].is_null() {
                continue;
            }
            let path = |key: &str| Some(folder.join(row[key].as_str()?));
            let found = path("file").zip(path("cfg"));
            let Some(counts) = found.and_then(|(file, cfg)| counted(&file, &cfg)) else {
                continue;
            };
            specifications += usize::from(counts[..3].iter().sum::<usize>() > 0);
            all.iter_mut()
                .zip(counts)
                .for_each(|(all, own)| *all += own);
        }
        let [whole, parts, others, seen] = all;
        println!(
            "{specifications} specifications with fairness: {whole} conditions about the next-state action, {parts} about parts of \
             it, {others} about other actions; of {seen} the change is seen by variables"
        );
        assert!(specifications > 50 && whole + parts > others && seen > others);
    }
}
