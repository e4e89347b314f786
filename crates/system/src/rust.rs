//! Models written in Rust as specifications: how the texts of questions are understood.
//!
//! Such a model names its propositions, its processes and its actions; these names are all that
//! formulas and fairness assumptions can speak about. A formula is LTL with past operators in any
//! spelling whose atoms are names of propositions (in quotes if they are not plain words). An
//! assumption is a text of the grammar in [`crate::fair`]:
//!
//! | text | what is meant |
//! | --- | --- |
//! | `weak`, `strong`, `spin-weak` | of every process |
//! | `weak:NAME`, `strong:NAME` | of the process with that name; of all `NAME[0]`, `NAME[1]`, … |
//! | `weak:NAME@ACTION` | of the actions with that name of those processes |
//! | `just:P`, `compassion:P=>Q` | of propositions |
//!
//! What a model declares as justice and compassion is turned into such texts, so that there is one
//! way for all of them.

use std::fmt;
use std::sync::Arc;

use evenhand_logic::{Formulas, Node, Spelling, parse};
use evenhand_source::{Diagnostic, Files, nearest};

use crate::assumption::{Assumption, AssumptionKind, Fairness};
use crate::body::Body;
use crate::fair::{self, AssumptionText, Names, Spec, Target};
use crate::fairness::{Compassion, PropositionId};
use crate::foreign::{Foreign, ModelError};
use crate::ids::{ActionId, ProcessId};
use crate::model::Model;
use crate::question::{Formula, Kind, Question, What};
use crate::signature::{ItemSpec, PropertyKind, Signature};
use crate::specification::{
    Assumptions, Candidate, Granularity, Inquiry, Rejected, Request, Specification, TextNames,
    Unresolved,
};

/// A model written in Rust.
pub struct RustSpecification(Arc<Written>);

/// The model and the names of its propositions.
struct Written {
    body: Arc<dyn Body>,
    propositions: Vec<String>,
}

impl fmt::Debug for RustSpecification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.signature().name;
        write!(f, "RustSpecification({name:?})")
    }
}

impl RustSpecification {
    /// Reads the declarations of a model.
    ///
    /// # Errors
    /// Where its processes or actions cannot be numbered.
    pub fn new<M: Model + 'static>(model: M) -> Result<RustSpecification, ModelError> {
        let propositions = model.propositions();
        // A number that names no proposition is a text that none has: a mistake that is reported.
        let name = |id: PropositionId| match propositions.get(id.0 as usize) {
            Some(name) => name.clone(),
            None => format!("proposition {}", id.0),
        };
        let justice = model.justice().into_iter();
        let mut declared: Vec<String> = justice.map(|p| format!("just:{}", name(p))).collect();
        for Compassion { when, then } in model.compassion() {
            declared.push(format!("compassion:{}=>{}", name(when), name(then)));
        }
        let system = Foreign::new(model)?.described(|signature| {
            let declared = declared.into_iter().map(|text| (text, Default::default()));
            signature.fairness.extend(declared);
            // What goes wrong stands in no text; the model's name is the place that is told.
            let mut files = Files::new();
            files.add(&signature.name, String::new());
            signature.files = files;
        });
        Ok(RustSpecification(Arc::new(Written {
            body: Arc::new(system),
            propositions,
        })))
    }
}

impl Specification for RustSpecification {
    fn body(&self) -> &dyn Body {
        &*self.0.body
    }

    fn resolve(&self, request: &Request) -> Result<Inquiry, Unresolved> {
        let (model, signature) = (&self.0, self.signature());
        let stated: Vec<&str> = signature.properties.iter().map(|p| &*p.name).collect();
        let mut usual = vec!["assertions", "deadlock"];
        usual.extend(&stated);
        let wanted = request.properties.names(&usual, &stated, &["feasible"])?;
        let mut questions = Vec::new();
        for name in wanted {
            questions.push(match name.as_str() {
                "assertions" => Question::new(name, Kind::Assertion, None, What::Errors),
                "deadlock" => Question::new(name, Kind::Deadlock, None, What::Ends),
                "feasible" => Question::feasible(),
                _ => {
                    let stated = signature.properties.iter().find(|p| p.name == name);
                    let Some(PropertyKind::Ltl(text)) = stated.map(|p| &p.kind) else {
                        continue;
                    };
                    Question::linear(name, text, model.linear(text)?)
                }
            });
        }
        let mut numbers = 0..;
        let mut next_name = || Request::formula_name(numbers.next().unwrap_or_default());
        for text in &request.invariants {
            let what = What::Invariant(model.condition(text)?);
            questions.push(Question::new(
                next_name(),
                Kind::Invariant,
                Some(text.clone()),
                what,
            ));
        }
        for text in &request.linear {
            questions.push(Question::linear(next_name(), text, model.linear(text)?));
        }
        for text in &request.branching {
            questions.push(Question::branching(
                next_name(),
                text,
                model.branching(text)?,
            ));
        }
        let expressions = request
            .expressions
            .iter()
            .map(|text| model.proposition(text));
        let expressions: Result<Vec<PropositionId>, Rejected> = expressions.collect();
        Ok(Inquiry {
            body: model.body.clone(),
            questions,
            expressions: expressions?,
            assumptions: request.assumptions(signature),
            meaning: self.0.clone(),
            warnings: Vec::new(),
            notes: Vec::new(),
        })
    }
}

impl Assumptions for Written {
    fn processes(&self) -> (usize, bool) {
        (self.signature().processes.len(), true)
    }

    fn fairness(&self, texts: &[AssumptionText], _: usize) -> Result<Fairness, Rejected> {
        let mut fairness = Fairness::default();
        for (text, _) in texts {
            let spec = fair::read(text, Names::Any).map_err(|mistake| {
                let files = &self.signature().files;
                fair::misunderstood(files, (TextNames::default().fair, text), mistake)
            })?;
            self.assume(text, &spec, &mut fairness)?;
        }
        Ok(fairness)
    }

    fn candidates(&self, by: Granularity, processes: usize) -> Vec<Candidate> {
        fair::candidates(self.signature(), self, by, processes)
    }
}

impl Written {
    fn signature(&self) -> &Signature {
        self.body.signature()
    }

    /// The proposition with that name.
    fn proposition(&self, text: &str) -> Result<PropositionId, Rejected> {
        let text = text.trim();
        match self.propositions.iter().position(|name| name == text) {
            Some(place) => Ok(PropositionId(place as u32)),
            None => Err(unknown("proposition", text, &self.propositions)),
        }
    }

    /// A formula of linear time from its text.
    fn linear(&self, text: &str) -> Result<Formula, Rejected> {
        let formula = self.read(text)?;
        if formula.store.properties(formula.id).has_quantifier() {
            let message = "this is no formula of linear time but one of CTL*";
            return Err(wrong(message, "ask it as one of branching time"));
        }
        Ok(formula)
    }

    /// A condition on states from its text.
    fn condition(&self, text: &str) -> Result<Formula, Rejected> {
        let formula = self.read(text)?;
        if !formula.store.properties(formula.id).is_boolean() {
            let message = "an invariant is a condition on states, without temporal operators";
            return Err(wrong(message, "ask it as a formula of linear time"));
        }
        Ok(formula)
    }

    /// A formula of CTL* from its text.
    fn branching(&self, text: &str) -> Result<Formula, Rejected> {
        let formula = self.read(text)?;
        let mut open = vec![formula.id];
        while let Some(part) = open.pop() {
            match formula.store.node(part) {
                Node::Path(..) => {}
                Node::Unary(..) | Node::Binary(..) => {
                    let message = "a temporal operator must stand under a path quantifier";
                    let help = "write `A` or `E` before the formula: `A (p U q)`, `AG p`";
                    return Err(wrong(message, help));
                }
                node => open.extend(node.operands()),
            }
        }
        Ok(formula)
    }

    fn read(&self, text: &str) -> Result<Formula, Rejected> {
        let mut store = Formulas::new();
        let id = parse(&mut store, text, Spelling::Any).map_err(|diagnostic| {
            let mut files = Files::new();
            files.add("formula", text);
            Rejected::from((files, vec![diagnostic]))
        })?;
        let atoms: Result<Vec<_>, Rejected> = store
            .atoms()
            .map(|(_, atom)| self.proposition(&atom.text))
            .collect();
        Ok(Formula::new(store, id, atoms?))
    }

    /// Adds what one text assumes.
    fn assume(&self, text: &str, spec: &Spec, fairness: &mut Fairness) -> Result<(), Rejected> {
        let source = text.trim();
        let kind = match spec {
            Spec::Justice(place) => {
                AssumptionKind::Justice(self.proposition(&text[place.clone()])?)
            }
            Spec::Compassion(when, then) => AssumptionKind::Compassion {
                when: self.proposition(&text[when.clone()])?,
                then: self.proposition(&text[then.clone()])?,
            },
            Spec::All { strong, as_partner } => {
                let all = 0..self.signature().processes.len();
                let as_partner = *as_partner;
                let item = |pid| ItemSpec::Process {
                    pid: ProcessId::new(pid),
                    as_partner,
                };
                let items = all.map(|pid| (pid, item(pid))).collect();
                self.add((source, source), *strong, items, "", fairness);
                return Ok(());
            }
            Spec::Some(target) => return self.assume_some(text, target, fairness),
        };
        fairness.assumptions.push(Assumption {
            text: source.to_string(),
            source: source.to_string(),
            kind,
        });
        Ok(())
    }

    /// Adds what a text assumes of some processes or actions.
    fn assume_some(
        &self,
        text: &str,
        target: &Target,
        fairness: &mut Fairness,
    ) -> Result<(), Rejected> {
        let signature = self.signature();
        let name = match &target.pid {
            None => text[target.name.clone()].to_string(),
            Some((number, _)) => format!("{}[{number}]", &text[target.name.clone()]),
        };
        let label = target.label.clone().map(|place| &text[place]);
        let processes = signature.processes.iter().enumerate();
        let called: Vec<usize> = processes
            .filter(|(_, process)| is_called(process, &name))
            .map(|(pid, _)| pid)
            .collect();
        if called.is_empty() {
            return Err(unknown("process", &name, &signature.processes));
        }
        let mut items = Vec::new();
        for &pid in &called {
            let process = ProcessId::new(pid);
            items.push((
                pid,
                match label {
                    None => ItemSpec::Process {
                        pid: process,
                        as_partner: true,
                    },
                    Some(label) => {
                        let actions = signature.actions.iter().enumerate();
                        let own =
                            actions.filter(|(_, a)| a.process.index() == pid && a.text == label);
                        let actions: Vec<_> = own.map(|(at, _)| ActionId::new(at)).collect();
                        if actions.is_empty() {
                            continue;
                        }
                        ItemSpec::Actions {
                            pid: process,
                            actions,
                        }
                    }
                },
            ));
        }
        if let (Some(label), true) = (label, items.is_empty()) {
            let own = signature.actions.iter();
            let own = own.filter(|a| called.contains(&a.process.index()));
            let own: Vec<String> = own.map(|a| a.text.clone()).collect();
            return Err(unknown(&format!("action of `{name}`"), label, &own));
        }
        let kind = if target.strong { "strong" } else { "weak" };
        let label = label.map_or_else(String::new, |label| format!("@{label}"));
        self.add((text.trim(), kind), target.strong, items, &label, fairness);
        Ok(())
    }

    /// Adds assumptions about items of processes, each once.
    fn add(
        &self,
        (source, kind): (&str, &str),
        strong: bool,
        items: Vec<(usize, ItemSpec)>,
        label: &str,
        fairness: &mut Fairness,
    ) {
        for (pid, item) in items {
            let known = fairness.items.iter().position(|known| *known == item);
            let place = known.unwrap_or_else(|| {
                fairness.items.push(item);
                fairness.items.len() - 1
            });
            let meaning = match strong {
                true => AssumptionKind::Strong(place),
                false => AssumptionKind::Weak(place),
            };
            if !fairness.assumptions.iter().any(|a| a.kind == meaning) {
                let process = &self.signature().processes[pid];
                fairness.assumptions.push(Assumption {
                    text: format!("{kind}:{process}{label}"),
                    source: source.to_string(),
                    kind: meaning,
                });
            }
        }
    }
}

/// Whether a process has a name, or is one of those that share it: `node[2]` is a `node`.
fn is_called(process: &str, name: &str) -> bool {
    let shared = process.split_once('[').map(|(shared, _)| shared);
    process == name || shared == Some(name)
}

fn wrong(message: &str, help: &str) -> Rejected {
    Rejected::about(Diagnostic::global(message).help(help))
}

fn unknown(what: &str, text: &str, known: &[String]) -> Rejected {
    let help = match nearest(text, known.iter().map(String::as_str)) {
        Some(hint) => format!("did you mean `{hint}`?"),
        None => format!("there are: {}", known.join(", ")),
    };
    wrong(&format!("there is no {what} `{text}`"), &help)
}
