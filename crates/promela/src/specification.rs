//! Promela as a front-end: the language, its specifications, and what is asked of them.

use std::sync::{Arc, OnceLock};

use evenhand_logic::Formulas;
use evenhand_source::{Diagnostic, FileId, Files, Severity};
use evenhand_system::fair::{self, AssumptionText};
use evenhand_system::reduce::{Reduced, Reduction, Sight};
use evenhand_system::signature::PropertyKind;
use evenhand_system::specification::Remark;
use evenhand_system::{
    Assumptions, BadRuns, Body, Candidate, Explicit, Fairness, Formula, Granularity, Groups,
    Inquiry, Kind, Language, Linear, Outline, Program, PropositionId, Question, ReadOptions,
    Refusal, Rejected, Request, Signature, Specification, Study, Unresolved, Wanted, What,
};

use crate::outline::outline;
use crate::{Misread, Options, PromelaModel, PromelaText, Syntax, read};

/// The language of SPIN.
#[derive(Clone, Copy, Debug, Default)]
pub struct Promela;

/// Labels that ask something, but only on request: the property, and how they begin.
const LABELS: [(&str, &str); 2] = [("acceptance", "accept"), ("progress", "progress")];

impl Language for Promela {
    fn name(&self) -> &'static str {
        "promela"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["pml", "pm", "prm", "pr", "prom", "promela", "spin"]
    }

    /// Everything that looks like nothing else.
    fn looks_like(&self, _: &str) -> bool {
        true
    }

    fn read(
        &self,
        files: Files,
        main: FileId,
        options: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        specification(Syntax::new(files, main, &preprocessing(options)))
    }

    fn outline(&self, files: Files, main: FileId, options: &ReadOptions) -> Option<Outline> {
        self.study(files, main, options).outline
    }

    fn study<'l>(&'l self, files: Files, main: FileId, options: &ReadOptions) -> Study<'l> {
        let syntax = Syntax::new(files, main, &preprocessing(options));
        Study {
            outline: Some(outline(&syntax)),
            read: Box::new(move || specification(syntax)),
        }
    }
}

fn specification(syntax: Syntax) -> Result<Box<dyn Specification>, Rejected> {
    Ok(Box::new(PromelaSpecification {
        text: read(syntax)?,
        body: OnceLock::new(),
    }))
}

/// What the preprocessor takes of the options.
fn preprocessing(options: &ReadOptions) -> Options {
    Options {
        defines: options.defines.clone(),
        include_dirs: options.include_dirs.clone(),
        confined: options.confined,
        most_bytes: options.most_bytes,
    }
}

/// A model that was read.
struct PromelaSpecification {
    text: PromelaText,
    /// The program without any question, once somebody asked for it.
    body: OnceLock<Program>,
}

impl Specification for PromelaSpecification {
    fn body(&self) -> &dyn Body {
        self.body.get_or_init(|| self.text.model().program)
    }

    fn signature(&self) -> &Signature {
        &self.text.lowered.signature
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.text.warnings
    }

    fn resolve(&self, request: &Request) -> Result<Inquiry, Unresolved> {
        let signature = self.signature();
        let stated: Vec<&str> = signature.properties.iter().map(|p| &*p.name).collect();
        let mut usual = vec!["assertions", "deadlock"];
        usual.extend(&stated);
        let mut on_request = LABELS.map(|(name, _)| name).to_vec();
        on_request.push("feasible");
        let wanted = request.properties.names(&usual, &stated, &on_request)?;
        let mut asked = Asked(self.text.model());
        asked.0.names = request.names;
        let mut questions = Vec::new();
        let is_named = matches!(request.properties, Wanted::Named(_));
        for name in wanted {
            let mut misread = self.text.lowered.misread.iter();
            match misread.find(|misread| misread.name == name) {
                // Who asks for it by name asks for nothing; who asks for all gets the others.
                Some(misread) if is_named => {
                    let wrong = (signature.files.clone(), misread.wrong.clone());
                    return Err(wrong.into());
                }
                Some(misread) => questions.push(unread(misread, signature)),
                None => questions.extend(asked.property(&name)?),
            }
        }
        let mut numbers = 0..;
        let mut next_name = || Request::formula_name(numbers.next().unwrap_or_default());
        for text in &request.invariants {
            let what = What::Invariant(asked.condition(text)?);
            questions.push(Question::new(
                next_name(),
                Kind::Invariant,
                Some(text.clone()),
                what,
            ));
        }
        for text in &request.linear {
            let mut store = Formulas::new();
            let (formula, atoms) = asked.0.parse_ltl(text, &mut store)?;
            let formula = Formula::new(store, formula, atoms);
            questions.push(Question::linear(next_name(), text, formula));
        }
        for text in &request.branching {
            let mut store = Formulas::new();
            let (formula, atoms) = asked.0.parse_ctl_star(text, &mut store)?;
            let formula = Formula::new(store, formula, atoms);
            questions.push(Question::branching(next_name(), text, formula));
        }
        let mut expressions = Vec::new();
        for text in &request.expressions {
            expressions.push(asked.0.state_expression(text)?);
        }
        // What is wrong with an assumption is said before anything is explored.
        let assumptions = request.assumptions(signature);
        let (processes, _) = asked.0.pid_bound();
        asked.0.fairness(&assumptions, processes)?;
        asked.0.warn_of_instances();
        let notes = match request.is_usual() {
            true => label_notes(signature),
            false => Vec::new(),
        };
        let warnings = asked.0.warnings.split_off(self.text.warnings.len());
        let asked = Arc::new(asked);
        Ok(Inquiry {
            body: asked.clone(),
            questions,
            expressions,
            assumptions,
            meaning: asked,
            warnings,
            notes,
        })
    }
}

/// The question of an `ltl` block that has no meaning: it has no answer, and says why.
fn unread(misread: &Misread, signature: &Signature) -> Question {
    let properties = signature.properties.iter();
    let text = properties.filter(|p| p.name == misread.name);
    let mut text = text.filter_map(|p| match &p.kind {
        PropertyKind::Ltl(text) => Some(text.clone()),
        _ => None,
    });
    let mut wrong = misread.wrong.iter();
    let wrong = wrong.find(|d| d.severity == Severity::Error);
    let reason = wrong.map_or("", |d| &*d.message);
    let bad = BadRuns {
        automaton: Err(format!("the formula has no meaning: {reason}")),
        propositions: Vec::new(),
        finished_runs: true,
        tight: None,
        computed: false,
    };
    let what = What::Linear(Linear::Automaton(bad));
    Question::new(&*misread.name, Kind::Ltl, text.next(), what)
}

/// Labels that mean something, but are checked only on request.
fn label_notes(signature: &Signature) -> Vec<Remark> {
    let labels = signature.actions.iter().flat_map(|a| &a.labels);
    let present = |prefix: &str| labels.clone().any(|label| label.starts_with(prefix));
    let present = LABELS.iter().filter(|(_, prefix)| present(prefix));
    present
        .map(|&(property, prefix)| Remark::Labels { prefix, property })
        .collect()
}

/// The program with everything that was asked.
struct Asked(PromelaModel);

impl Asked {
    /// The question that a property of the model asks.
    fn property(&mut self, name: &str) -> Result<Option<Question>, Unresolved> {
        let model = &mut self.0;
        let claim = |kind, bad: BadRuns| {
            let what = What::Linear(Linear::Automaton(bad));
            Ok(Some(Question::new(name, kind, None, what)))
        };
        match name {
            "assertions" => {
                return Ok(Some(Question::new(
                    name,
                    Kind::Assertion,
                    None,
                    What::Errors,
                )));
            }
            "deadlock" => return Ok(Some(Question::new(name, Kind::Deadlock, None, What::Ends))),
            "feasible" => return Ok(Some(Question::feasible())),
            "acceptance" => {
                let words = vec!["some process is at an accept label".to_string()];
                return claim(
                    Kind::Acceptance,
                    BadRuns::of_claim(&model.acceptance(), words),
                );
            }
            "progress" => {
                let words = vec!["no process is at a progress label".to_string()];
                let bad = BadRuns::of_claim(&model.progress(), words).from_some_point_on();
                return claim(Kind::Progress, bad);
            }
            _ => {}
        }
        let properties = &model.program.signature().properties;
        let Some(property) = properties.iter().find(|p| p.name == name).cloned() else {
            return Ok(None);
        };
        match property.kind {
            PropertyKind::Ltl(text) => {
                let index = model.formulas.iter().position(|f| f.name == name);
                let mut store = Formulas::new();
                Ok(index.map(|index| {
                    let (formula, atoms) = model.ltl(index, &mut store);
                    Question::linear(name, text, Formula::new(store, formula, atoms))
                }))
            }
            PropertyKind::Never => match model.never_named(name) {
                None => Ok(None),
                Some(Ok(found)) => {
                    let names = found.propositions.iter();
                    let names = names.map(|&p| model.program.proposition(p).to_string());
                    claim(Kind::Never, BadRuns::of_claim(&found, names.collect()))
                }
                Some(Err(diagnostic)) => {
                    let files = model.program.signature().files.clone();
                    Err((files, vec![diagnostic]).into())
                }
            },
            PropertyKind::Trace => Ok(Some(Question::new(name, Kind::Trace, None, What::Trace))),
        }
    }

    /// A condition on states.
    fn condition(&mut self, text: &str) -> Result<Formula, Unresolved> {
        let id: PropositionId = self.0.state_expression(text)?;
        let mut store = Formulas::new();
        let formula = store.host_atom(text);
        Ok(Formula::new(store, formula, vec![id]))
    }
}

impl Body for Asked {
    fn signature(&self) -> &Signature {
        Explicit::signature(&self.0.program)
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(&self.0.program)
    }

    fn groups(&self) -> Result<&dyn Groups, Refusal> {
        Ok(&self.0.program)
    }

    fn reduced<'a>(&'a self, sight: &Sight, how: Reduction) -> Result<Reduced<'a>, Refusal> {
        self.0.program.reduced(sight, how)
    }
}

impl Assumptions for Asked {
    fn processes(&self) -> (usize, bool) {
        self.0.pid_bound()
    }

    fn fairness(&self, texts: &[AssumptionText], processes: usize) -> Result<Fairness, Rejected> {
        Ok(self.0.fairness_again(texts, processes)?)
    }

    fn candidates(&self, by: Granularity, processes: usize) -> Vec<Candidate> {
        fair::candidates(Body::signature(self), self, by, processes)
    }
}
