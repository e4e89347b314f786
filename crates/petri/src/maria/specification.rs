//! Maria's nets as a front-end: the language, its specifications, and what is asked of them.

use std::sync::Arc;

use evenhand_source::{FileId, Files, counted};
use evenhand_system::signature::ActionInfo;
use evenhand_system::specification::{Remark, first_word};
use evenhand_system::{
    Body, FinishedRuns, Formula, Inquiry, Kind, Language, Outline, ProcessTypeId, Question,
    ReadOptions, Rejected, Request, Signature, Specification, Unresolved, What,
};

use super::body::{Condition, NetBody};
use super::code::{Expr, Op};
use super::fairness::{Meaning, Sets, declared};
use super::formula::Asked;
use super::include::Includes;
use super::lexer::tokens;
use super::memo::Memos;
use super::net::{Net, net};
use super::outline::outline;
use super::parser;
use super::types::Types;
use crate::fairness::{Conditions, conditions, read};
use crate::specification::next_notes;

/// Nets in the language of the reachability analyser Maria.
#[derive(Clone, Copy, Debug, Default)]
pub struct Maria;

impl Language for Maria {
    fn name(&self) -> &'static str {
        "maria"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["pn"]
    }

    fn looks_like(&self, text: &str) -> bool {
        matches!(first_word(text).0, "place" | "trans" | "subnet")
    }

    fn read(
        &self,
        mut files: Files,
        main: FileId,
        options: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        let includes = Includes::new(&files, main, options);
        let read = tokens(&mut files, main, &options.defines, &includes);
        let read = read.and_then(|tokens| parser::net(&tokens)).and_then(net);
        let net = match read {
            Ok(net) => net,
            Err(problem) => return Err((files, vec![problem]).into()),
        };
        let mut sets = Sets::new(&net);
        let fairness = match declared(&net, &files, &mut sets) {
            Ok(fairness) => fairness,
            Err(problem) => return Err((files, vec![problem]).into()),
        };
        let action = |(number, transition): (usize, &super::transition::Transition)| ActionInfo {
            process: ProcessTypeId::new(number),
            text: transition.name.to_string(),
            span: transition.span,
            ..ActionInfo::default()
        };
        let signature = Signature {
            name: files.get(main).name.clone(),
            files,
            language: "maria".to_string(),
            processes: net.transitions.iter().map(|t| t.name.to_string()).collect(),
            actions: net.transitions.iter().enumerate().map(action).collect(),
            fairness,
            ..Signature::default()
        };
        let (net, signature) = (Arc::new(net), Arc::new(signature));
        let body = body(&net, &signature, &Asked::default(), &sets);
        Ok(Box::new(NetSpecification {
            net,
            signature,
            sets,
            body,
        }))
    }

    fn outline(&self, files: Files, main: FileId, options: &ReadOptions) -> Option<Outline> {
        Some(outline(files, main, options))
    }
}

fn body(net: &Arc<Net>, signature: &Arc<Signature>, asked: &Asked, sets: &Sets) -> NetBody {
    NetBody {
        net: net.clone(),
        signature: signature.clone(),
        conditions: asked.conditions.clone().into(),
        room: net.room.max(asked.room).max(sets.room()),
        sets: sets.list.clone().into(),
    }
}

/// A net that was read.
struct NetSpecification {
    net: Arc<Net>,
    signature: Arc<Signature>,
    sets: Sets,
    body: NetBody,
}

impl Specification for NetSpecification {
    fn body(&self) -> &dyn Body {
        &self.body
    }

    fn resolve(&self, request: &Request) -> Result<Inquiry, Unresolved> {
        let net = &*self.net;
        let mut usual = vec!["runtime-error"];
        let mut stated = Vec::new();
        let mut on_request = vec!["feasible"];
        match net.deadlocks.is_empty() {
            true => on_request.push("deadlock"),
            false => stated.push("deadlock"),
        }
        if !net.rejects.is_empty() {
            stated.push("reject");
        }
        usual.extend(&stated);
        let wanted = request.properties.names(&usual, &stated, &on_request)?;
        let over_maximal = matches!(request.finished, None | Some(FinishedRuns::Maximal));
        let mut asked = Asked::default();
        let mut questions = Vec::new();
        for name in wanted {
            questions.push(match name.as_str() {
                "feasible" => Question::feasible(),
                "deadlock" => Question::new(name, Kind::Deadlock, None, What::Ends),
                "reject" => {
                    let what = What::Invariant(never_rejected(net, &mut asked));
                    Question::new(name, Kind::Invariant, None, what)
                }
                _ => Question::new(name, Kind::RuntimeError, None, What::Errors),
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
        let assumptions = request.assumptions(&self.signature);
        let mut sets = self.sets.clone();
        let mut states = Conditions::default();
        for (text, _) in &assumptions {
            let spec = read(&self.signature, request.names.fair, text)?;
            for (role, condition) in conditions(text, &spec) {
                let number = asked.expression(net, (request.names.fair, condition))?;
                let number = asked.where_runs_go_on(role, condition, number);
                states.insert(role, condition, number);
            }
            if let evenhand_system::fair::Spec::Some(_) = spec {
                sets.understand(net, request.names.fair, text)?;
            }
        }
        if request.candidates {
            sets.add_instances(net);
        }
        let body = body(&self.net, &self.signature, &asked, &sets);
        let meaning = Meaning {
            signature: self.signature.clone(),
            sets,
            conditions: states,
            name: request.names.fair,
        };
        // What is wrong with an assumption is said before anything is explored.
        evenhand_system::Assumptions::fairness(&meaning, &assumptions, 0)?;
        Ok(Inquiry {
            body: Arc::new(body),
            questions,
            expressions,
            assumptions,
            meaning: Arc::new(meaning),
            warnings: Vec::new(),
            notes: notes(net, &asked),
        })
    }

    fn comment(&self, text: &str) -> String {
        format!("// {}", text.replace('\n', " "))
    }

    /// A block of the transition, or a declaration outside of transitions.
    fn declaration(&self, assumption: &str) -> String {
        let (kind, rest) = assumption.split_once(':').unwrap_or((assumption, ""));
        let rest = rest.trim();
        let word = match kind {
            "strong" => "strongly_fair",
            _ => "weakly_fair",
        };
        let names = self.net.transition_names.keys();
        let name = names
            .filter(|name| rest.starts_with(&***name))
            .max_by_key(|name| name.len());
        let Some(name) = name else {
            return format!("{word} {rest};");
        };
        let behind = rest[name.len()..].trim();
        let values = behind.strip_prefix('<').and_then(|v| v.strip_suffix('>'));
        let condition = match (values, behind.strip_prefix(':')) {
            (Some(values), _) => {
                let parts = values.split(", ").filter_map(|part| part.split_once('='));
                let parts = parts.map(|(name, value)| format!("{name} == ({value})"));
                parts.collect::<Vec<String>>().join(" && ")
            }
            (None, Some(condition)) => condition.trim().to_string(),
            _ => "true".to_string(),
        };
        format!("trans \"{name}\" {word} {condition};")
    }
}

/// How a next was read, and how transitions are fired.
fn notes(net: &Net, asked: &Asked) -> Vec<Remark> {
    let said = next_notes(asked.maximal_next, asked.other_next, false);
    let said = said.map(|text| Remark::Said(text.to_string()));
    let mut notes: Vec<Remark> = said.collect();
    let remembered = Memos::new(net).list.iter().flatten().count();
    notes.push(Remark::Detail(format!(
        "nothing is unfolded: bindings of {} are found by unification, {remembered} of them in tables",
        counted(net.transitions.len(), "transition"),
    )));
    notes
}

/// No reachable marking is one to be rejected. A condition without a value is there to be told.
fn never_rejected(net: &Net, asked: &mut Asked) -> Formula {
    let op = Op::Or(net.rejects.clone());
    let expr = Expr::new(Types::TRUTH, op, Default::default());
    let condition = Condition {
        lenient: true,
        ..Condition::new(expr, Vec::new())
    };
    asked.room = asked.room.max(net.room);
    let number = asked.number("reject", condition);
    let mut store = evenhand_logic::Formulas::new();
    let rejected = store.host_atom("reject");
    let id = store.not(rejected);
    Formula::new(store, id, vec![number])
}
