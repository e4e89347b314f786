//! Fairness of a net of Maria's: the sets that it declares, and those of the `--fair` option.
//!
//! An item is a set of instances: enabled where some member is, taken by a member's step. `strong:send` is about all
//! instances of `send` together, `strong:send<1,2>` about one of them, `strong:send: T v: x == v` about one set for each
//! value, and `strong:` may be followed by anything that a net may declare outside of transitions.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_source::{Diagnostic, FileId};
use evenhand_system::fair::{AssumptionText, Spec};
use evenhand_system::{
    Assumption, AssumptionKind, Assumptions, Candidate, Fairness, Granularity, ItemSpec, Rejected,
    Signature,
};

use super::formula::rejected;
use super::net::Net;
use super::sets::{self, InstanceSet};
use super::syntax::SetKind;
use crate::fairness::{Conditions, read};

/// How many single instances of a transition are candidates for fairness.
const MOST_INSTANCES: usize = 64;

/// All sets that somebody may ask for, and the texts that stand for them.
#[derive(Clone, Default)]
pub(crate) struct Sets {
    pub list: Vec<InstanceSet>,
    by_text: HashMap<String, Vec<u32>>,
    /// The names of transitions, in order.
    transitions: Vec<String>,
    /// What the net declares sets of, apart from whole transitions.
    declared: Vec<String>,
    /// Sets of single instances.
    instances: Vec<u32>,
}

impl Sets {
    /// The sets of whole transitions.
    pub fn new(net: &Net) -> Sets {
        let mut sets = Sets::default();
        for number in 0..net.transitions.len() {
            let own = sets::all_of(net, number);
            let name = own.text.clone();
            match sets.by_text.get_mut(&name) {
                Some(list) => list.push(sets.list.len() as u32),
                None => {
                    let list = vec![sets.list.len() as u32];
                    sets.by_text.insert(name.clone(), list);
                    sets.transitions.push(name);
                }
            }
            sets.list.push(own);
        }
        sets
    }

    /// Adds sets under a text; what the text is then, if it meant something else before.
    pub fn add(&mut self, text: &str, made: Vec<InstanceSet>) -> String {
        let mut name = text.to_string();
        let mut number = 2;
        while self.by_text.contains_key(&name) {
            name = format!("{text} ({number})");
            number += 1;
        }
        let first = self.list.len() as u32;
        let numbers = (first..first + made.len() as u32).collect();
        self.list.extend(made);
        self.by_text.insert(name.clone(), numbers);
        name
    }

    /// Adds what a text of the `--fair` option is about, if that is not known yet.
    pub fn understand(
        &mut self,
        net: &Net,
        name: &'static str,
        text: &str,
    ) -> Result<(), Rejected> {
        let Some((_, rest)) = text.split_once(':') else {
            return Ok(());
        };
        if self.by_text.contains_key(rest.trim()) {
            return Ok(());
        }
        // Blanks instead of the kind, so that places in the text stay what they are.
        let start = text.len() - rest.len();
        let alone = format!("{}{rest}", " ".repeat(start));
        let made = sets::of_text(net, &alone, FileId(0));
        let made = made.map_err(|problem| {
            let forms = "write `strong:TRANSITION`, `strong:TRANSITION<VALUES>`, \
                         `strong:TRANSITION: CONDITION` or `strong:trans TRANSITION: CONDITION`";
            let problem = match problem.help {
                None => problem.help(forms),
                Some(_) => problem,
            };
            rejected((name, text), problem)
        })?;
        self.add(rest.trim(), made);
        Ok(())
    }

    /// Adds single instances of transitions that have few.
    pub fn add_instances(&mut self, net: &Net) {
        for number in 0..net.transitions.len() {
            for own in sets::single_instances(net, number, MOST_INSTANCES) {
                let place = self.list.len() as u32;
                let text = own.text.clone();
                self.instances.push(place);
                self.by_text.entry(text).or_insert_with(|| vec![place]);
                self.list.push(own);
            }
        }
    }

    /// Room in memory that the conditions need.
    pub fn room(&self) -> usize {
        self.list.iter().map(|set| set.room).max().unwrap_or(0)
    }
}

/// The sets that a net declares, and the texts of the assumptions about them.
pub(crate) fn declared(
    net: &Net,
    files: &evenhand_source::Files,
    sets: &mut Sets,
) -> Result<Vec<(String, evenhand_source::Span)>, Diagnostic> {
    let shown = |span| {
        let words: Vec<&str> = files.text(span).split_whitespace().collect();
        words.join(" ")
    };
    let mut texts: Vec<(String, evenhand_source::Span)> = Vec::new();
    let mut known: HashMap<String, (Option<usize>, String)> = HashMap::new();
    let mut all = Vec::new();
    for (number, transition) in net.transitions.iter().enumerate() {
        for (kind, piece, ast) in &transition.sets {
            let made = sets::of_transition(net, number, *piece, ast)?;
            let text = match made[..] {
                [ref only] if only.text == *transition.name && is_true(ast) => {
                    transition.name.to_string()
                }
                _ => format!("{}: {}", transition.name, shown(ast.span)),
            };
            all.push((*kind, Some(number), text, made, ast.span));
        }
    }
    for (kind, ast) in &net.sets {
        let made = sets::of_net(net, ast)?;
        all.push((*kind, None, shown(ast.span), made, ast.span));
    }
    for (kind, owner, text, made, span) in all {
        let word = match kind {
            SetKind::Weak => "weak",
            SetKind::Strong => "strong",
            SetKind::Enabled => continue,
        };
        let is_whole = owner.is_some_and(|n| *net.transitions[n].name == *text);
        let name = match known.get(&text) {
            Some((before, name)) if *before == owner => name.clone(),
            _ if is_whole && net.transition_names[&*text].len() == 1 => text.clone(),
            _ => {
                let name = sets.add(&text, made);
                sets.declared.push(name.clone());
                known.insert(text, (owner, name.clone()));
                name
            }
        };
        texts.push((format!("{word}:{name}"), span));
    }
    Ok(texts)
}

fn is_true(ast: &super::syntax::Ast) -> bool {
    matches!(ast.kind, super::syntax::Form::Truth(true))
}

/// What texts mean for a net.
pub(crate) struct Meaning {
    pub signature: Arc<Signature>,
    pub sets: Sets,
    pub conditions: Conditions,
    /// What a text is called where something is wrong with it.
    pub name: &'static str,
}

impl Assumptions for Meaning {
    fn fairness(&self, texts: &[AssumptionText], _: usize) -> Result<Fairness, Rejected> {
        let mut fairness = Fairness::default();
        let mut known = HashMap::new();
        for (text, _) in texts {
            let spec = read(&self.signature, self.name, text)?;
            self.assume(text, &spec, &mut fairness, &mut known)?;
        }
        Ok(fairness)
    }

    fn candidates(&self, by: Granularity, _: usize) -> Vec<Candidate> {
        let mut names: Vec<String> = Vec::new();
        if by == Granularity::Instance {
            let numbers = self.sets.instances.iter();
            names.extend(numbers.map(|&n| self.sets.list[n as usize].text.clone()));
            let single = |name: &String| {
                let start = format!("{name}<");
                !names.iter().any(|known| known.starts_with(&start))
            };
            let whole: Vec<String> = self
                .sets
                .transitions
                .iter()
                .filter(|n| single(n))
                .cloned()
                .collect();
            names.extend(whole);
        } else {
            names.clone_from(&self.sets.transitions);
            names.extend(self.sets.declared.iter().cloned());
        }
        let resolve = |level: &str, name: &str| {
            let text = (format!("{level}:{name}"), None);
            self.fairness(&[text], 0)
        };
        let mut list = Vec::new();
        for name in names {
            let (Ok(weak), Ok(strong)) = (resolve("weak", &name), resolve("strong", &name)) else {
                continue;
            };
            list.push(Candidate {
                texts: ["weak", "strong"].map(|level| format!("{level}:{name}")),
                name,
                fairness: [weak, strong],
            });
        }
        list
    }
}

impl Meaning {
    fn assume(
        &self,
        text: &str,
        spec: &Spec,
        fairness: &mut Fairness,
        known: &mut HashMap<(u32, bool), usize>,
    ) -> Result<(), Rejected> {
        let source = text.trim();
        match spec {
            Spec::Justice(_) | Spec::Compassion(..) => {
                self.conditions.assume(text, spec, fairness)?;
            }
            Spec::All { strong, .. } => {
                for name in &self.sets.transitions {
                    let list = self.sets.by_text.get(name).map_or(&[][..], Vec::as_slice);
                    self.add((source, *strong), name, list, fairness, known);
                }
            }
            Spec::Some(target) => {
                let rest = text.split_once(':').map_or("", |(_, rest)| rest.trim());
                let Some(list) = self.sets.by_text.get(rest) else {
                    let message = format!("`{rest}` is not part of what was asked");
                    return Err(Rejected::about(Diagnostic::global(message)));
                };
                self.add((source, target.strong), rest, list, fairness, known);
            }
        }
        Ok(())
    }

    /// Adds assumptions about sets, each once.
    fn add(
        &self,
        (source, strong): (&str, bool),
        name: &str,
        list: &[u32],
        fairness: &mut Fairness,
        known: &mut HashMap<(u32, bool), usize>,
    ) {
        for &number in list {
            if known.contains_key(&(number, strong)) {
                continue;
            }
            let before = known.get(&(number, !strong)).copied();
            let place = before.unwrap_or_else(|| {
                fairness.items.push(ItemSpec::Own(number));
                fairness.items.len() - 1
            });
            known.insert((number, strong), place);
            let own = &self.sets.list[number as usize].text;
            let (word, kind) = match strong {
                true => ("strong", AssumptionKind::Strong(place)),
                false => ("weak", AssumptionKind::Weak(place)),
            };
            let shown = match (own.is_empty(), own.contains('<'), list.len()) {
                (true, ..) => name.to_string(),
                (_, true, _) | (_, _, 1) => own.clone(),
                _ => format!("{name} [{own}]"),
            };
            fairness.assumptions.push(Assumption {
                text: format!("{word}:{shown}"),
                source: source.to_string(),
                kind,
            });
        }
    }
}
