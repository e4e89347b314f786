//! A language and an engine from outside, by the public traits alone.
//!
//! The language describes graphs: a line `a > b c` has the edges out of a node, `start a` says
//! where runs begin, `ltl NAME FORMULA` states a property whose atoms are names of nodes. The
//! engine answers invariants by walking through the graph with a stack. Neither is in a list of the
//! workspace.

use std::collections::BTreeSet;
use std::sync::Arc;

use evenhand::system::explicit::{Explanation, Step, Value};
use evenhand::system::fair::AssumptionText;
use evenhand::system::relation::Refusal;
use evenhand::system::signature::ActionInfo;
use evenhand::system::{Assumptions, Candidate, Fault, ItemSpec};
use evenhand::{
    ActionId, Answers, Body, Case, Check, CheckError, Diagnostic, Engine, Evidence, Explicit,
    Explorer, Fair, Fairness, FileId, Files, FiniteRun, Formula, Granularity, Inquiry, Kind,
    Language, Model, ProcessId, PropositionId, Question, ReadOptions, Rejected, Request, Signature,
    Span, Specification, Successors, Support, Task, Unresolved, Verdict, What,
};
use evenhand_logic::{Formulas, Node, Spelling, parse};

/// The language of graphs.
struct Graphs;

impl Language for Graphs {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["graph"]
    }

    fn read(
        &self,
        files: Files,
        main: FileId,
        _: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        let mut graph = Graph::default();
        let mut offset = 0;
        let text = files.get(main).text.clone();
        for line in text.lines() {
            let span = Span::new(main, offset, offset + line.len());
            offset += line.len() + 1;
            if let Err(message) = graph.line(line) {
                return Err((files, vec![Diagnostic::error(span, message)]).into());
            }
        }
        graph.signature = Signature {
            name: files.get(main).name.clone(),
            files,
            language: "graph".into(),
            processes: vec!["walker".into()],
            actions: vec![ActionInfo {
                text: "go".into(),
                ..ActionInfo::default()
            }],
            ..Signature::default()
        };
        Ok(Box::new(GraphSpecification(Arc::new(graph))))
    }
}

#[derive(Default)]
struct Graph {
    signature: Signature,
    nodes: Vec<String>,
    edges: Vec<Vec<usize>>,
    start: usize,
    properties: Vec<(String, String)>,
}

impl Graph {
    fn node(&mut self, name: &str) -> usize {
        let known = self.nodes.iter().position(|n| n == name);
        known.unwrap_or_else(|| {
            self.nodes.push(name.to_string());
            self.edges.push(Vec::new());
            self.nodes.len() - 1
        })
    }

    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["start", name] => self.start = self.node(name),
            ["ltl", name, ..] if words.len() > 2 => {
                let property = (name.to_string(), words[2..].join(" "));
                self.properties.push(property);
            }
            [from, ">", ..] => {
                let from = self.node(from);
                for to in &words[2..] {
                    let to = self.node(to);
                    self.edges[from].push(to);
                }
            }
            _ => return Err("this line says nothing"),
        }
        Ok(())
    }

    fn formula(&self, text: &str) -> Result<Formula, Rejected> {
        let mut store = Formulas::new();
        let wrong = |message: String| Rejected::about(Diagnostic::global(message));
        let id = parse(&mut store, text, Spelling::Any).map_err(|d| wrong(d.message))?;
        let mut atoms = Vec::new();
        for (_, atom) in store.atoms() {
            let known = self.nodes.iter().position(|name| *name == atom.text);
            let known = known.ok_or_else(|| wrong(format!("there is no node `{}`", atom.text)))?;
            atoms.push(PropositionId(known as u32));
        }
        Ok(Formula::new(store, id, atoms))
    }
}

struct GraphSpecification(Arc<Graph>);

impl Specification for GraphSpecification {
    fn body(&self) -> &dyn Body {
        &*self.0
    }

    fn resolve(&self, request: &Request) -> Result<Inquiry, Unresolved> {
        let graph = &self.0;
        let stated: Vec<&str> = graph.properties.iter().map(|(name, _)| &**name).collect();
        let mut questions = Vec::new();
        for name in request.properties.names(&stated, &stated, &["deadlock"])? {
            questions.push(match graph.properties.iter().find(|(n, _)| *n == name) {
                Some((_, text)) => Question::linear(name, text, graph.formula(text)?),
                None => Question::new(name, Kind::Deadlock, None, What::Ends),
            });
        }
        for text in &request.invariants {
            let what = What::Invariant(graph.formula(text)?);
            questions.push(Question::new(
                text,
                Kind::Invariant,
                Some(text.clone()),
                what,
            ));
        }
        for text in &request.linear {
            questions.push(Question::linear(text, text, graph.formula(text)?));
        }
        for text in &request.branching {
            questions.push(Question::branching(text, text, graph.formula(text)?));
        }
        Ok(Inquiry {
            body: graph.clone(),
            questions,
            expressions: Vec::new(),
            assumptions: request.assumptions(&graph.signature),
            meaning: graph.clone(),
            warnings: Vec::new(),
            notes: Vec::new(),
        })
    }
}

impl Assumptions for Graph {
    fn fairness(&self, texts: &[AssumptionText], _: usize) -> Result<Fairness, Rejected> {
        use evenhand::system::{Assumption, AssumptionKind};
        let mut fairness = Fairness::default();
        for (text, _) in texts {
            let Some(name) = text.strip_prefix("just:") else {
                let message = format!("`{text}` is not for graphs");
                return Err(Rejected::about(Diagnostic::global(message)));
            };
            let condition = self.formula(name)?.atoms[0];
            fairness.assumptions.push(Assumption {
                text: text.clone(),
                source: text.clone(),
                kind: AssumptionKind::Justice(condition),
            });
        }
        Ok(fairness)
    }

    fn candidates(&self, _: Granularity, _: usize) -> Vec<Candidate> {
        Vec::new()
    }
}

impl Body for Graph {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }
}

impl Explicit for Graph {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(Walker {
            graph: self,
            items: items.len(),
            executed: [false],
        })
    }
}

struct Walker<'g> {
    graph: &'g Graph,
    items: usize,
    executed: [bool; 1],
}

impl Explorer for Walker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.start(self.items);
        out.push(&[self.graph.start as u8], Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(self.items);
        let step = Step::of(ProcessId::new(0), ActionId::new(0));
        for &to in &self.graph.edges[usize::from(state[0])] {
            self.executed = [true];
            out.push(&[to as u8], step, []);
        }
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        Ok(proposition.0 == u32::from(state[0]))
    }

    fn is_valid_end(&mut self, _: &[u8]) -> bool {
        false
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.expand(state, out);
        Explanation::default()
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        let name = self.graph.nodes[usize::from(state[0])].clone();
        vec![("at".into(), Value::Text(name))]
    }

    fn process_name(&mut self, _: &[u8], _: ProcessId) -> String {
        "walker".into()
    }

    fn executed(&self) -> &[bool] {
        &self.executed
    }
}

const ROUND: &str = "\
start a
a > b c
b > a
c > a d
d > d
ltl returns G F a
";

fn model(text: &str) -> Model {
    Model::parse("round.graph", text, &Graphs).expect("the graph is right")
}

#[test]
fn a_language_from_outside_is_checked_like_all_others() {
    let model = model(ROUND);
    let report = Check::new(&model).run().expect("it has a meaning");
    let returns = report.property("returns").expect("it was asked");
    let run = returns.verdict.run().expect("a run shows it");
    // a, c, d, and d for ever.
    assert_eq!(
        (run.prefix.len(), run.cycle.len(), run.shortest),
        (3, 1, true)
    );
    assert_eq!(run.cycle[0].process.as_deref(), Some("walker"));
    let told = evenhand::report::text::counterexample(returns, run, &report.signature().files);
    assert!(told.contains("at = d"), "{told}");

    let all = Check::new(&model)
        .property("deadlock")
        .invariant("a | b | c | d")
        .invariant("!d")
        .ltl("F G d | G F a")
        .ctl("AG EF d")
        .ctl("AF d")
        .run()
        .expect("it has a meaning");
    let verdicts: Vec<&str> = all.properties.iter().map(|p| p.verdict.word()).collect();
    assert_eq!(
        verdicts,
        ["holds", "holds", "violated", "holds", "holds", "violated"]
    );
    for engine in ["streett", "lichtenstein-pnueli", "feasible"] {
        let fair = Check::new(&model)
            .fair(Fair::just("a"))
            .engine(engine)
            .run();
        assert!(fair.expect("it has a meaning").holds(), "{engine}");
    }
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    let wrong = Model::parse("bad.graph", "start a\na >> b\n", &Graphs).expect_err("a bad line");
    assert_eq!(wrong.to_string(), "bad.graph:2:1: this line says nothing");
    let model = model(ROUND);
    let unknown = Check::new(&model)
        .property("retuns")
        .run()
        .expect_err("no property");
    let told = "there is no property `retuns`; did you mean `returns`?";
    assert_eq!(unknown.to_string(), told);
    let fair = Check::new(&model)
        .fair(Fair::weak())
        .run()
        .expect_err("no such fairness");
    assert_eq!(fair.to_string(), "`weak` is not for graphs");
}

#[test]
fn an_engine_that_needs_more_than_the_body_has_says_so() {
    let error = Check::new(&model(ROUND)).engine("symbolic").run();
    let error = error.expect_err("neither groups nor constraints");
    assert!(
        error.to_string().contains("no transition groups"),
        "{error}"
    );
}

/// Answers invariants by a walk with a stack.
struct Stack;

impl Engine for Stack {
    fn name(&self) -> &'static str {
        "stack"
    }

    fn about(&self) -> &'static str {
        "a walk with a stack"
    }

    fn supports(&self, _: &Case<'_>, question: &Question) -> Support {
        match question.what {
            What::Invariant(_) => Support::Yes,
            _ => Support::Other,
        }
    }

    fn answer(
        &self,
        case: &Case<'_>,
        tasks: &[&Task],
        answers: &mut Answers<'_>,
    ) -> Result<(), CheckError> {
        for (place, &task) in tasks.iter().enumerate() {
            let What::Invariant(formula) = &task.question.what else {
                continue;
            };
            let mut explorer = case.system()?.explorer(&[]);
            let mut out = Successors::new();
            explorer.initial(&mut out);
            let load = |out: &Successors| -> Vec<Vec<u8>> {
                (0..out.len()).map(|at| out.state(at).to_vec()).collect()
            };
            let mut open: Vec<Vec<Vec<u8>>> = load(&out).into_iter().map(|s| vec![s]).collect();
            let mut known = BTreeSet::new();
            let mut result = case.begun(&task.question, self.name());
            result.verdict = Verdict::Holds;
            let mut evidence = Evidence::None;
            while let Some(way) = open.pop() {
                let state = way.last().expect("a way has a state").clone();
                if !known.insert(state.clone()) {
                    continue;
                }
                // An atom or its negation is enough here.
                let holds = explorer.holds(formula.atoms[0], &state).expect("a value");
                let is_negated = matches!(formula.store.node(formula.id), Node::Not(_));
                if holds == is_negated {
                    result.verdict = Verdict::Violated(None);
                    evidence = Evidence::Path(FiniteRun {
                        states: way,
                        ..FiniteRun::default()
                    });
                    break;
                }
                explorer.expand(&state, &mut out);
                open.extend(load(&out).into_iter().map(|next| {
                    let mut longer = way.clone();
                    longer.push(next);
                    longer
                }));
            }
            result.states = known.len() as u64;
            answers.known(case, (place, task), result, evidence);
        }
        Ok(())
    }
}

#[test]
fn an_engine_from_outside_answers_and_its_runs_are_replayed() {
    let model = model(ROUND);
    let check = Check::new(&model).invariant("!d").ltl("G F a");
    let report = check
        .clone()
        .with_engine(&Stack)
        .run()
        .expect("it has a meaning");
    let [invariant, formula] = &report.properties[..] else {
        panic!("two answers: {report:?}");
    };
    assert_eq!(invariant.engine, Some("stack"));
    assert_eq!(formula.engine, Some("streett"));
    let run = invariant.verdict.run().expect("a run shows it");
    assert_eq!(
        run.prefix.last().map(|step| step.state.clone()),
        Some(vec![("at".to_string(), Value::Text("d".into()))])
    );
    let known = check.run().expect("it has a meaning");
    assert_eq!(known.properties[0].engine, Some("breadth-first"));
    assert!(known.properties[0].verdict.is_violated());
}
