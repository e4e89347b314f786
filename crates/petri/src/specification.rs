//! Petri nets as a front-end: the language, its specifications, and what is asked of them.

use std::sync::Arc;

use evenhand_source::{Diagnostic, FileId, Files};
use evenhand_system::diagram::Diagram;
use evenhand_system::signature::ActionInfo;
use evenhand_system::specification::Remark;
use evenhand_system::{
    Body, FinishedRuns, Inquiry, Kind, Language, Outline, ProcessTypeId, Question, ReadOptions,
    Rejected, Request, Signature, Specification, Unresolved, What,
};

use crate::asked::Asked;
use crate::body::{NetBody, Packed};
use crate::contest::{self, Stated};
use crate::drawing::drawing;
use crate::fairness::{self, Conditions, Meaning};
use crate::flat::flat;
use crate::global;
use crate::net::Net;
use crate::outline::outline;
use crate::pnml;
use crate::structure::{LeftOut, simplify};
use crate::unfold::unfold;
use crate::units::Units;

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
        let net = read.and_then(|mut written| {
            let mut net = match written.coloured {
                true => unfold(&written)?,
                false => flat(&written)?,
            };
            let left_out = simplify(&mut net);
            let units = match Units::read(&written, &net) {
                Ok(units) => units,
                Err(problem) => {
                    written
                        .warnings
                        .push(problem.help("its units are passed over"));
                    None
                }
            };
            let ids = |nodes: &[pnml::Node]| nodes.iter().map(|n| n.id.clone()).collect::<Vec<_>>();
            net.gather(&ids(&written.places), &ids(&written.transitions));
            Ok((net, units, left_out, written))
        });
        let (net, units, left_out, written) = match net {
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
        let (net, mut signature) = net_signature(files, main, net);
        signature.fairness.clone_from(&written.fairness);
        let packed = Packed::new((net, signature), units.as_ref(), amounts);
        let diagram = drawing(&written, &packed.net);
        let packed = Arc::new(packed);
        let body = body(&packed, &asked);
        Ok(Box::new(NetSpecification {
            packed,
            asked,
            stated,
            diagram,
            left_out,
            warnings: written.warnings,
            body,
        }))
    }

    fn outline(&self, files: Files, main: FileId, _: &ReadOptions) -> Option<Outline> {
        Some(outline(files, main))
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
    NetBody::new(packed.clone(), asked.conditions.clone())
}

/// A net that was read.
struct NetSpecification {
    packed: Arc<Packed>,
    /// What the properties from files are about.
    asked: Asked,
    stated: Vec<Stated>,
    left_out: LeftOut,
    diagram: Option<Diagram>,
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

    fn diagram(&self) -> Option<Diagram> {
        self.diagram.clone()
    }

    fn reads_maximal_runs(&self) -> bool {
        true
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
        let mut conditions = Conditions::default();
        for (text, _) in &assumptions {
            let spec = fairness::read(self.signature(), request.names.fair, text)?;
            for (role, condition) in fairness::conditions(text, &spec) {
                let number = asked.expression(net, (request.names.fair, condition))?;
                let number = asked.where_runs_go_on(role, condition, number);
                conditions.insert(role, condition, number);
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
            notes: self.notes(&asked, request.finished),
        })
    }

    fn comment(&self, text: &str) -> String {
        format!("<!-- {} -->", text.replace("--", "- -"))
    }

    fn declaration(&self, assumption: &str) -> String {
        let text = assumption.replace('&', "&amp;").replace('<', "&lt;");
        let text = text.replace('>', "&gt;");
        format!(
            "<toolspecific tool=\"evenhand\" version=\"1.0\"><fair>{text}</fair></toolspecific>"
        )
    }
}

impl NetSpecification {
    /// What was left out, and how a next was read, where it may matter.
    fn notes(&self, asked: &Asked, finished: Option<FinishedRuns>) -> Vec<Remark> {
        let mut notes: Vec<Remark> = self.left_out.said().into_iter().map(Remark::Said).collect();
        let mut transitions = self.packed.net.transitions.iter();
        let never_ends = transitions.any(|t| t.needs.is_empty());
        if !never_ends && finished != Some(FinishedRuns::Ignore) {
            let said = next_notes(asked.maximal_next, asked.other_next, asked.linear_next);
            notes.extend(said.map(|text| Remark::Said(text.to_string())));
        }
        notes
    }
}

/// How a next was read.
pub(crate) fn next_notes(
    maximal_next: bool,
    other_next: bool,
    linear_next: bool,
) -> impl Iterator<Item = &'static str> {
    let said = [
        (
            maximal_next,
            "next in CTL is about maximal paths: where no transition can fire, EX is false and AX true",
        ),
        (
            other_next,
            "next in CTL* outside of CTL is about runs that repeat a dead marking for ever",
        ),
        (
            linear_next,
            "next in linear time is about runs that repeat a dead marking for ever",
        ),
    ];
    let said = said.into_iter().filter(|(is_so, _)| *is_so);
    said.map(|(_, text)| text)
}
