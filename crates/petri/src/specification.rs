//! Petri nets as a front-end: the language, its specifications, and what is asked of them.

use std::sync::Arc;

use evenhand_source::{Diagnostic, FileId, Files, counted};
use evenhand_system::diagram::Diagram;
use evenhand_system::signature::ActionInfo;
use evenhand_system::specification::Remark;
use evenhand_system::{
    Assumptions, Body, FinishedRuns, Inquiry, Kind, Language, Outline, ProcessTypeId, Question,
    ReadOptions, Rejected, Request, Signature, Specification, Unresolved, What,
};

use crate::asked::Asked;
use crate::body::{NetBody, Packed};
use crate::coloured::body::{Folded, FoldedBody};
use crate::coloured::fairness::FoldedMeaning;
use crate::coloured::{Chosen, ColouredNet, Rules, choose};
use crate::contest::{self, Stated};
use crate::drawing::drawing;
use crate::fairness::{self, Conditions, Meaning};
use crate::flat::flat;
use crate::global;
use crate::net::Net;
use crate::outline::outline;
use crate::pnml::{self, Written};
use crate::structure::{LeftOut, simplify};
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
        files: Files,
        main: FileId,
        options: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        specification((files, main), options, true)
    }

    fn outline(&self, files: Files, main: FileId, _: &ReadOptions) -> Option<Outline> {
        Some(outline(files, main))
    }
}

/// Petri nets in PNML, coloured ones explored as they are even where they could be unfolded. It is not among the
/// languages of the library: answers are the same, and come later. With it one way is held against the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeverUnfolded;

impl Language for NeverUnfolded {
    fn name(&self) -> &'static str {
        "pnml"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    fn looks_like(&self, _: &str) -> bool {
        false
    }

    fn reads_properties(&self) -> bool {
        true
    }

    fn read(
        &self,
        files: Files,
        main: FileId,
        options: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        specification((files, main), options, false)
    }
}

/// What a net is explored as, before it is known what is asked.
enum Made {
    Flat(Net, Option<Units>, LeftOut),
    Folded(Box<Rules>, Net),
}

impl Made {
    fn net(&self) -> &Net {
        match self {
            Made::Flat(net, ..) | Made::Folded(_, net) => net,
        }
    }
}

fn made(written: &mut Written, may_unfold: bool) -> Result<Made, Diagnostic> {
    let mut net = match written.coloured {
        false => flat(written)?,
        true => match choose(ColouredNet::read(written)?, may_unfold)? {
            Chosen::Unfolded(net) => net,
            Chosen::Folded(rules) => {
                let mut net = rules.numbers.names(&rules.net);
                gather(&mut net, written);
                return Ok(Made::Folded(rules, net));
            }
        },
    };
    let left_out = simplify(&mut net);
    let units = match Units::read(written, &net) {
        Ok(units) => units,
        Err(problem) => {
            let problem = problem.help("its units are passed over");
            written.warnings.push(problem);
            None
        }
    };
    gather(&mut net, written);
    Ok(Made::Flat(net, units, left_out))
}

fn gather(net: &mut Net, written: &Written) {
    let ids = |nodes: &[pnml::Node]| nodes.iter().map(|n| n.id.clone()).collect::<Vec<_>>();
    net.gather(&ids(&written.places), &ids(&written.transitions));
}

fn specification(
    (mut files, main): (Files, FileId),
    options: &ReadOptions,
    may_unfold: bool,
) -> Result<Box<dyn Specification>, Rejected> {
    let read = pnml::read(&files.get(main).text, main);
    let read = read.and_then(|mut written| Ok((made(&mut written, may_unfold)?, written)));
    let (made, written) = match read {
        Ok(read) => read,
        Err(problem) => return Err((files, vec![problem]).into()),
    };
    let (mut asked, mut amounts) = (Asked::default(), Vec::new());
    let mut stated: Vec<Stated> = Vec::new();
    for (name, text) in &options.properties {
        let file = files.add(name, text);
        let mut reading = contest::Files {
            net: made.net(),
            asked: &mut asked,
            amounts: &mut amounts,
        };
        match reading.read(text, file) {
            Ok(own) => stated.extend(own),
            Err(problem) => return Err((files, vec![problem]).into()),
        }
    }
    let signed = |net: Net| {
        let (net, mut signature) = net_signature(files, main, net);
        signature.fairness.clone_from(&written.fairness);
        (net, signature)
    };
    let (way, diagram, left_out) = match made {
        Made::Flat(net, units, left_out) => {
            let packed = Packed::new(signed(net), units.as_ref(), amounts);
            let diagram = drawing(&written, &packed.net);
            (Way::Packed(Arc::new(packed)), diagram, left_out)
        }
        Made::Folded(rules, net) => {
            let folded = Folded::new(*rules, signed(net), amounts);
            (Way::Folded(Arc::new(folded)), None, LeftOut::default())
        }
    };
    Ok(Box::new(NetSpecification {
        body: way.body(&asked),
        way,
        asked,
        stated,
        diagram,
        left_out,
        is_coloured: written.coloured,
        warnings: written.warnings,
    }))
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

/// How a net is explored.
enum Way {
    /// As a place/transition net.
    Packed(Arc<Packed>),
    /// As a coloured one.
    Folded(Arc<Folded>),
}

impl Way {
    /// What formulas may speak of.
    fn net(&self) -> &Net {
        match self {
            Way::Packed(packed) => &packed.net,
            Way::Folded(folded) => &folded.net,
        }
    }

    fn body(&self, asked: &Asked) -> Arc<dyn Body> {
        let conditions = asked.conditions.clone();
        match self {
            Way::Packed(packed) => Arc::new(NetBody::new(packed.clone(), conditions)),
            Way::Folded(folded) => Arc::new(FoldedBody::new(folded.clone(), conditions)),
        }
    }

    fn meaning(&self, conditions: Conditions, name: &'static str) -> Arc<dyn Assumptions> {
        match self {
            Way::Packed(packed) => Arc::new(Meaning {
                packed: packed.clone(),
                conditions,
                name,
            }),
            Way::Folded(folded) => Arc::new(FoldedMeaning {
                folded: folded.clone(),
                conditions,
                name,
            }),
        }
    }

    /// Whether some transition can always fire.
    fn never_ends(&self) -> bool {
        match self {
            Way::Packed(packed) => packed.net.transitions.iter().any(|t| t.needs.is_empty()),
            Way::Folded(_) => false,
        }
    }

    /// What is told of a coloured net with `-v`.
    fn said(&self) -> String {
        let net = self.net();
        let transitions = counted(net.transitions.len(), "transition");
        match self {
            Way::Packed(_) => {
                let places = counted(net.places.len(), "place");
                format!("the net is unfolded: {places} and {transitions}")
            }
            Way::Folded(_) => {
                format!("nothing is unfolded: bindings of {transitions} are found by unification")
            }
        }
    }
}

/// A net that was read.
struct NetSpecification {
    way: Way,
    /// What the properties from files are about.
    asked: Asked,
    stated: Vec<Stated>,
    left_out: LeftOut,
    diagram: Option<Diagram>,
    is_coloured: bool,
    warnings: Vec<Diagnostic>,
    body: Arc<dyn Body>,
}

impl Specification for NetSpecification {
    fn body(&self) -> &dyn Body {
        &*self.body
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
        let net = self.way.net();
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
        let meaning = self.way.meaning(conditions, request.names.fair);
        // What is wrong with an assumption is said before anything is explored.
        meaning.fairness(&assumptions, 0)?;
        Ok(Inquiry {
            body: self.way.body(&asked),
            questions,
            expressions,
            assumptions,
            meaning,
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
        if self.is_coloured {
            notes.push(Remark::Detail(self.way.said()));
        }
        if !self.way.never_ends() && finished != Some(FinishedRuns::Ignore) {
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
