//! Petri nets as a front-end: the language, its specifications, and what is asked of them.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_source::{Diagnostic, FileId, Files};
use evenhand_system::signature::ActionInfo;
use evenhand_system::specification::Remark;
use evenhand_system::{
    Body, FinishedRuns, Inquiry, Kind, Language, ProcessTypeId, Question, ReadOptions, Rejected,
    Request, Signature, Specification, Unresolved, What,
};

use crate::asked::Asked;
use crate::body::{NetBody, Packed};
use crate::contest::{self, Stated};
use crate::fairness::{self, Meaning};
use crate::flat::flat;
use crate::global;
use crate::net::Net;
use crate::pnml;
use crate::unfold::unfold;

/// Petri nets in PNML.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pnml;

impl Language for Pnml {
    fn name(&self) -> &'static str {
        "pnml"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["pnml"]
    }

    fn looks_like(&self, text: &str) -> bool {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        text.starts_with("<?xml") || text.starts_with("<pnml")
    }

    fn reads_properties(&self) -> bool {
        true
    }

    fn read(
        &self,
        mut files: Files,
        main: FileId,
        options: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        let read = pnml::read(&files.get(main).text, main);
        let net = read.and_then(|written| {
            let mut net = match written.coloured {
                true => unfold(&written)?,
                false => flat(&written)?,
            };
            let ids = |nodes: &[pnml::Node]| nodes.iter().map(|n| n.id.clone()).collect::<Vec<_>>();
            net.gather(&ids(&written.places), &ids(&written.transitions));
            Ok((net, written.warnings))
        });
        let (net, warnings) = match net {
            Ok(net) => net,
            Err(problem) => return Err((files, vec![problem]).into()),
        };
        let (mut asked, mut amounts) = (Asked::default(), Vec::new());
        let mut stated: Vec<Stated> = Vec::new();
        for (name, text) in &options.properties {
            let file = files.add(name, text);
            let mut reading = contest::Files {
                net: &net,
                asked: &mut asked,
                amounts: &mut amounts,
            };
            match reading.read(text, file) {
                Ok(own) => stated.extend(own),
                Err(problem) => return Err((files, vec![problem]).into()),
            }
        }
        let packed = Arc::new(Packed::new(net_signature(files, main, net), amounts));
        let body = body(&packed, &asked);
        Ok(Box::new(NetSpecification {
            packed,
            asked,
            stated,
            warnings,
            body,
        }))
    }
}

fn net_signature(files: Files, main: FileId, net: Net) -> (Net, Signature) {
    let action = |(number, transition): (usize, &crate::net::Transition)| ActionInfo {
        process: ProcessTypeId::new(number),
        text: transition.id.clone(),
        span: transition.span,
        ..ActionInfo::default()
    };
    let signature = Signature {
        name: files.get(main).name.clone(),
        files,
        language: "pnml".to_string(),
        processes: net.transitions.iter().map(|t| t.id.clone()).collect(),
        actions: net.transitions.iter().enumerate().map(action).collect(),
        ..Signature::default()
    };
    (net, signature)
}

fn body(packed: &Arc<Packed>, asked: &Asked) -> NetBody {
    NetBody {
        packed: packed.clone(),
        conditions: asked.conditions.clone().into(),
    }
}

/// A net that was read.
struct NetSpecification {
    packed: Arc<Packed>,
    /// What the properties from files are about.
    asked: Asked,
    stated: Vec<Stated>,
    warnings: Vec<Diagnostic>,
    body: NetBody,
}

impl Specification for NetSpecification {
    fn body(&self) -> &dyn Body {
        &self.body
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn resolve(&self, request: &Request) -> Result<Inquiry, Unresolved> {
        let net = &self.packed.net;
        let stated: Vec<&str> = self.stated.iter().map(|s| &*s.name).collect();
        let mut usual = vec!["deadlock"];
        usual.extend(&stated);
        let mut on_request = global::NAMES.to_vec();
        on_request.push("feasible");
        let wanted = request.properties.names(&usual, &stated, &on_request)?;
        let over_maximal = match request.finished {
            None | Some(FinishedRuns::Maximal) => true,
            Some(_) => false,
        };
        let mut asked = self.asked.clone();
        let mut questions = Vec::new();
        for name in wanted {
            let own = self.stated.iter().find(|stated| stated.name == name);
            questions.push(match (own, name.as_str()) {
                (Some(stated), _) => stated.question(&mut asked, over_maximal),
                (None, "feasible") => Question::feasible(),
                (None, _) => global::question(net, &mut asked, &name)
                    .unwrap_or_else(|| Question::new(name, Kind::Deadlock, None, What::Ends)),
            });
        }
        let mut numbers = 0..;
        let mut next_name = || Request::formula_name(numbers.next().unwrap_or_default());
        for text in &request.invariants {
            let formula = asked.condition(net, ("invariant", text))?;
            let (text, what) = (Some(text.clone()), What::Invariant(formula));
            questions.push(Question::new(next_name(), Kind::Invariant, text, what));
        }
        for text in &request.linear {
            let formula = asked.linear(net, (request.names.linear, text))?;
            questions.push(Question::linear(next_name(), text, formula));
        }
        for text in &request.branching {
            let named = (request.names.branching, text.as_str());
            let formula = asked.branching(net, named, over_maximal)?;
            questions.push(Question::branching(next_name(), text, formula));
        }
        let mut expressions = Vec::new();
        for text in &request.expressions {
            expressions.push(asked.expression(net, ("expression", text))?);
        }
        let assumptions = request.assumptions(self.signature());
        let mut conditions = HashMap::new();
        for (text, _) in &assumptions {
            let spec = fairness::read(self.signature(), request.names.fair, text)?;
            for condition in fairness::conditions(text, &spec) {
                let number = asked.expression(net, (request.names.fair, condition))?;
                conditions.insert(condition.to_string(), number);
            }
        }
        let meaning = Meaning {
            packed: self.packed.clone(),
            conditions,
            name: request.names.fair,
        };
        // What is wrong with an assumption is said before anything is explored.
        evenhand_system::Assumptions::fairness(&meaning, &assumptions, 0)?;
        Ok(Inquiry {
            body: Arc::new(body(&self.packed, &asked)),
            questions,
            expressions,
            assumptions,
            meaning: Arc::new(meaning),
            warnings: Vec::new(),
            notes: notes(&asked),
        })
    }

    fn comment(&self, text: &str) -> String {
        format!("<!-- {} -->", text.replace("--", "- -"))
    }
}

/// How a next was read.
fn notes(asked: &Asked) -> Vec<Remark> {
    let mut notes = Vec::new();
    if asked.maximal_next {
        let text = "next in CTL is about maximal paths: where no transition can fire, EX is false and \
                    AX true";
        notes.push(Remark::Said(text.to_string()));
    }
    if asked.other_next {
        let text = "next in CTL* outside of CTL is about runs that repeat a dead marking for ever";
        notes.push(Remark::Said(text.to_string()));
    }
    notes
}
