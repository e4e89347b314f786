//! SMV as a front-end: the language, its specifications, and what is asked of them.
//!
//! A model is a relation. Fairness is stated over conditions: `JUSTICE` and `COMPASSION` in the model,
//! `just:` and `compassion:` in texts. That is also what fairness could be assumed of: compassion of
//! (p, q), which says that q comes again and again if p does, has a weaker form, justice of `!p | q`,
//! which asks for q only where p stays. Justice has nothing in between: both its levels say the same.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use evenhand_logic::{FormulaId, Formulas, Spelling, print};
use evenhand_source::{Diagnostic, FileId, Files};
use evenhand_system::fair::{self, AssumptionText, Mistake, Names, Spec};
use evenhand_system::relation::RelationBody;
use evenhand_system::signature::{Telling, ValueSource};
use evenhand_system::specification::{Remark, first_word};
use evenhand_system::{
    Assumption, AssumptionKind, Assumptions, Body, Candidate, Fairness, Formula, Granularity,
    Inquiry, Kind, Language, Outline, PropositionId, Question, ReadOptions, Rejected, Request,
    Signature, Specification, Unresolved, Wanted, What,
};

use crate::model::{Asked, SmvModel, load};
use crate::outline::outline;
use crate::properties::{SmvProperty, SmvPropertyKind};

/// The language of NuSMV.
#[derive(Clone, Copy, Debug, Default)]
pub struct Smv;

/// Properties that exist in every model.
const RESERVED: [&str; 2] = ["total", "feasible"];

/// The word for what fairness could be assumed of.
const CONSTRAINT: &str = "constraint";

impl Language for Smv {
    fn name(&self) -> &'static str {
        "smv"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["smv"]
    }

    /// It begins with a module, or with a comment of its own.
    fn looks_like(&self, text: &str) -> bool {
        match first_word(text) {
            ("MODULE", _) => true,
            ("", rest) => rest.starts_with("--") || rest.starts_with("/--"),
            _ => false,
        }
    }

    fn read(
        &self,
        files: Files,
        main: FileId,
        _: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        Ok(Box::new(SmvSpecification::new(load(files, main)?)))
    }

    fn outline(&self, files: Files, main: FileId, _: &ReadOptions) -> Option<Outline> {
        Some(outline(files, main))
    }
}

/// A model that was read.
struct SmvSpecification {
    model: SmvModel,
    signature: Signature,
    /// The relation without any question, once somebody asked for it.
    body: OnceLock<RelationBody>,
}

impl SmvSpecification {
    fn new(model: SmvModel) -> SmvSpecification {
        SmvSpecification {
            signature: signature(&model),
            model,
            body: OnceLock::new(),
        }
    }

    /// The properties that are meant by their names.
    fn wanted(&self, request: &Request, notes: &mut Vec<Remark>) -> Result<Vec<Item>, Unresolved> {
        let own: Vec<&str> = self.model.properties.iter().map(|p| &*p.name).collect();
        let all = (0..own.len()).map(Item::Property);
        match &request.properties {
            Wanted::Usual => return Ok(all.chain([Item::Reserved("total")]).collect()),
            Wanted::Stated => return Ok(all.collect()),
            Wanted::Named(_) => {}
        }
        let mut items = Vec::new();
        for name in request.properties.names(&own, &own, &RESERVED)? {
            let found = own.iter().position(|known| *known == name);
            let reserved = RESERVED.into_iter().find(|known| *known == name);
            if reserved.is_some() && found.is_some() {
                notes.push(Remark::Said(format!(
                    "`{name}` is a reserved name; the property of that name is checked with all \
                     others"
                )));
            }
            items.extend(reserved.map(Item::Reserved).or(found.map(Item::Property)));
        }
        Ok(items)
    }
}

/// What a name stands for.
enum Item {
    Property(usize),
    Reserved(&'static str),
}

fn signature(model: &SmvModel) -> Signature {
    Signature {
        files: model.files.clone(),
        name: model.relation.name.clone(),
        language: "smv".to_string(),
        processes: model.relation.processes.clone(),
        told_by: Telling::Values,
        ..Signature::default()
    }
}

impl Specification for SmvSpecification {
    fn body(&self) -> &dyn Body {
        self.body.get_or_init(|| {
            let relation = self.model.relation.clone();
            RelationBody::new(relation, self.signature.clone())
        })
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.model.warnings
    }

    fn value_sources(&self) -> Vec<ValueSource> {
        self.model.sources().to_vec()
    }

    fn resolve(&self, request: &Request) -> Result<Inquiry, Unresolved> {
        let mut model = self.model.clone();
        let mut notes = Vec::new();
        let mut wanted = self.wanted(request, &mut notes)?;
        let invariants = request
            .invariants
            .iter()
            .map(|text| (Asked::Invariant, text));
        let linear = request.linear.iter().map(|text| (Asked::Ltl, text));
        let branching = request.branching.iter().map(|text| (Asked::Ctl, text));
        let texts = invariants.chain(linear).chain(branching);
        for (number, (kind, text)) in texts.enumerate() {
            let at = model.ask(&Request::formula_name(number), kind, text)?;
            wanted.push(Item::Property(at));
        }
        let mut expressions = Vec::new();
        for text in &request.expressions {
            expressions.push(model.condition(text)?);
        }
        let mut given = Vec::new();
        for text in &request.fair {
            given.push(assumption(&mut model, text, request.names.fair)?);
        }
        let declared = match request.no_fairness {
            true => Vec::new(),
            false => model.fairness().assumptions,
        };
        let candidates = match request.candidates {
            true => candidates(&mut model),
            false => Vec::new(),
        };
        let known = declared.into_iter().chain(given);
        let known: Vec<(String, Assumption)> = known.map(|a| (a.source.clone(), a)).collect();
        let store = Store {
            formulas: Arc::new(model.formulas.clone()),
            atoms: model.propositions.clone().into(),
        };
        let property = |item: &Item| match item {
            Item::Property(at) => store.question(&model, &model.properties[*at]),
            Item::Reserved("feasible") => Question::feasible(),
            Item::Reserved(name) => Question::new(*name, Kind::Total, None, What::Total),
        };
        let questions = wanted.iter().map(property).collect();
        let signature = signature(&model);
        Ok(Inquiry {
            body: Arc::new(RelationBody::new(model.relation, signature)),
            questions,
            expressions,
            assumptions: known.iter().map(|(text, _)| (text.clone(), None)).collect(),
            meaning: Arc::new(Meaning {
                known: known.into_iter().collect(),
                candidates,
            }),
            warnings: Vec::new(),
            notes,
        })
    }

    fn linear_word(&self) -> Option<&'static str> {
        Some("LTLSPEC")
    }

    fn comment(&self, text: &str) -> String {
        format!("-- {text}")
    }

    fn declaration(&self, assumption: &str) -> String {
        match assumption.split_once(':') {
            Some(("just", condition)) => format!("JUSTICE {};", condition.trim()),
            Some(("compassion", pair)) => match pair.split_once("=>") {
                Some((when, then)) => format!("COMPASSION ({}, {});", when.trim(), then.trim()),
                None => assumption.to_string(),
            },
            _ => assumption.to_string(),
        }
    }
}

/// The formulas of a model, which share one store.
struct Store {
    formulas: Arc<Formulas>,
    atoms: Arc<[PropositionId]>,
}

impl Store {
    fn formula(&self, id: FormulaId) -> Formula {
        Formula {
            store: self.formulas.clone(),
            id,
            atoms: self.atoms.clone(),
            spelling: Spelling::Nusmv,
        }
    }

    fn question(&self, model: &SmvModel, property: &SmvProperty) -> Question {
        let written = match property.kind {
            SmvPropertyKind::Compute { minimum, to } => {
                let word = if minimum { "MIN" } else { "MAX" };
                let part = |f: FormulaId| print(&model.formulas, f, Spelling::Nusmv);
                format!("{word} [{}, {}]", part(property.formula), part(to))
            }
            _ => {
                let words: Vec<&str> = property.text.split_whitespace().collect();
                words.join(" ")
            }
        };
        let text = match property.instance.as_str() {
            "" => written,
            instance => format!("{written} IN {instance}"),
        };
        let formula = self.formula(property.formula);
        let (kind, what) = match property.kind {
            SmvPropertyKind::Invariant { step } => {
                let reads = formula.reads();
                let inputs = reads.iter().find(|p| model.relation.reads_inputs(**p));
                let of = |p: &PropositionId| model.relation.propositions[p.0 as usize].1;
                let condition = step.or_else(|| inputs.map(of));
                let what = match condition {
                    Some(_) => What::Step { formula, condition },
                    None => What::Invariant(formula),
                };
                (Kind::Invariant, what)
            }
            SmvPropertyKind::Ltl | SmvPropertyKind::Psl { branching: false } => {
                return Question::linear(&property.name, text, formula.cut_out());
            }
            SmvPropertyKind::Ctl | SmvPropertyKind::Psl { branching: true } => {
                return Question::branching(&property.name, text, formula);
            }
            SmvPropertyKind::Compute { minimum, to } => {
                let (from, to) = (formula, self.formula(to));
                (Kind::Compute, What::Quantity { minimum, from, to })
            }
        };
        Question::new(&property.name, kind, Some(text), what)
    }
}

/// An assumption from its text.
fn assumption(
    model: &mut SmvModel,
    text: &str,
    name: &'static str,
) -> Result<Assumption, Rejected> {
    let misunderstood = |model: &SmvModel, mistake: Mistake| {
        fair::misunderstood(&model.files, (name, text), mistake)
    };
    let spec = fair::read(text, Names::Any).map_err(|m| misunderstood(model, m))?;
    let kind = match spec {
        Spec::Justice(place) => AssumptionKind::Justice(model.condition(&text[place])?),
        Spec::Compassion(when, then) => AssumptionKind::Compassion {
            when: model.condition(&text[when])?,
            then: model.condition(&text[then])?,
        },
        Spec::All { .. } | Spec::Some(_) => {
            let text = text.trim();
            let message = format!("`{text}` is no fairness assumption about an SMV model");
            let help = "fairness is stated over conditions here: `just:EXPR` or \
                        `compassion:EXPR=>EXPR`; that a process runs is the condition `NAME.running`";
            return Err(Rejected::about(Diagnostic::global(message).help(help)));
        }
    };
    Ok(Assumption {
        text: text.trim().to_string(),
        source: text.trim().to_string(),
        kind,
    })
}

/// The declared constraints, each once.
fn candidates(model: &mut SmvModel) -> Vec<Candidate> {
    let declared = model.fairness().assumptions;
    let (weakened, always) = model.weakened();
    let mut weaker = weakened.into_iter();
    let mut list: Vec<Candidate> = Vec::new();
    for assumption in declared {
        let (weak, strong) = match assumption.kind {
            AssumptionKind::Compassion { .. } => match weaker.next() {
                Some(weak) => (AssumptionKind::Justice(weak), assumption.kind),
                None => continue,
            },
            AssumptionKind::Justice(then) => {
                let when = always;
                (assumption.kind, AssumptionKind::Compassion { when, then })
            }
            AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => continue,
        };
        if list.iter().any(|known| known.name == assumption.text) {
            continue;
        }
        let texts = [weaker_text(&assumption.text), assumption.text.clone()];
        let only = |text: &String, kind| Fairness {
            assumptions: vec![Assumption {
                source: text.clone(),
                text: text.clone(),
                kind,
            }],
            ..Fairness::default()
        };
        let fairness = [only(&texts[0], weak), only(&texts[1], strong)];
        list.push(Candidate {
            name: assumption.text,
            texts,
            fairness,
        });
    }
    list
}

/// The weak form of a constraint as a text.
fn weaker_text(text: &str) -> String {
    let pair = text.strip_prefix("compassion:");
    match pair.and_then(|pair| pair.split_once("=>")) {
        Some((when, then)) => format!("just:!({}) | ({})", when.trim(), then.trim()),
        None => text.to_string(),
    }
}

/// What texts mean.
struct Meaning {
    known: HashMap<String, Assumption>,
    candidates: Vec<Candidate>,
}

impl Assumptions for Meaning {
    fn fairness(&self, texts: &[AssumptionText], _: usize) -> Result<Fairness, Rejected> {
        let mut fairness = Fairness::default();
        for (text, _) in texts {
            let known = self.known.get(text).ok_or_else(|| {
                let message = format!("`{text}` is not part of what was asked");
                Rejected::about(Diagnostic::global(message))
            })?;
            fairness.assumptions.push(known.clone());
        }
        Ok(fairness)
    }

    fn candidates(&self, _: Granularity, _: usize) -> Vec<Candidate> {
        self.candidates.clone()
    }

    fn candidate_word(&self, _: Granularity) -> &'static str {
        CONSTRAINT
    }
}
