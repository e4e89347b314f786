//! Models written in Rust are asked the same questions as those of a language, and give the same
//! answers: example models are explored once and handed over as Rust types, with their participants
//! and propositions; verdicts and lengths of shortest runs must agree under every fairness.

use std::collections::HashMap;
use std::path::Path;

use evenhand::advise::Outcome;
use evenhand::{ActionId, ProcessId, PropositionId, Request, Successors, Unresolved, Wanted};
use evenhand::{Advise, Check, CheckError, Granularity, Model, PropertyResult, Verdict};
use evenhand::{Compassion, ModelAction, RustModel, Steps, pack_fields};

/// Who takes part in a step, with which actions, and where it leads.
type Step = (Vec<(usize, usize)>, Vec<u8>);

/// What is known about a state: its steps, what holds in it, and whether it is a proper end.
struct Known {
    steps: Vec<Step>,
    holds: Vec<bool>,
    ends: bool,
}

/// A model of another language as a Rust type.
struct Mirror {
    processes: Vec<String>,
    actions: Vec<ModelAction>,
    initial: Vec<Vec<u8>>,
    states: HashMap<Vec<u8>, Known>,
    propositions: Vec<String>,
}

impl RustModel for Mirror {
    type State = Vec<u8>;

    fn processes(&self) -> Vec<String> {
        self.processes.clone()
    }

    fn actions(&self) -> Vec<ModelAction> {
        self.actions.clone()
    }

    fn initial(&self) -> Vec<Vec<u8>> {
        self.initial.clone()
    }

    fn steps(&self, state: &Vec<u8>, steps: &mut Steps<Vec<u8>>) {
        for (participants, target) in &self.states[state].steps {
            steps.joint(participants, target.clone());
        }
    }

    fn is_valid_end(&self, state: &Vec<u8>) -> bool {
        self.states[state].ends
    }

    fn propositions(&self) -> Vec<String> {
        self.propositions.clone()
    }

    fn holds(&self, proposition: PropositionId, state: &Vec<u8>) -> bool {
        self.states[state].holds[proposition.0 as usize]
    }
}

fn load(name: &str) -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela");
    Model::load(folder.join(name)).expect("an example model")
}

/// Explores a model whose processes all exist from the beginning.
fn mirror(name: &str, atoms: &[(&str, &str)]) -> Mirror {
    let mut request = Request::default();
    request.properties = Wanted::Named(Vec::new());
    request.expressions = atoms.iter().map(|(_, text)| text.to_string()).collect();
    let inquiry = load(name).specification().resolve(&request);
    let inquiry = inquiry.expect("expressions");
    let ids: &[PropositionId] = &inquiry.expressions;
    let (count, _) = inquiry.meaning.processes();
    let system = inquiry.body.explicit().expect("a program");
    let declared = &system.signature().actions;
    let number = |pid: ProcessId, action: ActionId| {
        let action = pid.index() * declared.len() + action.index();
        (pid.index(), action)
    };
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let initial: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
    let processes: Vec<String> = ProcessId::first(count)
        .map(|pid| explorer.process_name(&initial[0], pid))
        .collect();
    let mut actions = Vec::new();
    for pid in 0..count {
        for action in declared {
            let name = action.labels.first().unwrap_or(&action.text);
            actions.push(ModelAction::new(pid, name.clone()));
        }
    }
    let mut states = HashMap::new();
    let mut queue = initial.clone();
    while let Some(state) = queue.pop() {
        if states.contains_key(&state) {
            continue;
        }
        let explanation = explorer.explain(&state, &mut out);
        let mut steps = Vec::new();
        for index in 0..out.len() {
            let mut participants = Vec::new();
            for record in explanation.of_successor(&out, index) {
                participants.push(number(record.process, record.action));
                if let Some((partner, action)) = record.partner.zip(record.partner_action) {
                    participants.push(number(partner, action));
                }
            }
            let target = out.state(index).to_vec();
            queue.push(target.clone());
            steps.push((participants, target));
        }
        let holds = ids.iter().map(|&id| explorer.holds(id, &state));
        let holds = holds.map(|value| value.expect("a value")).collect();
        let ends = explorer.is_valid_end(&state);
        states.insert(state, Known { steps, holds, ends });
    }
    Mirror {
        processes,
        actions,
        initial,
        states,
        propositions: atoms.iter().map(|(name, _)| name.to_string()).collect(),
    }
}

fn ask(model: &Model, formula: &str, fair: &[&str]) -> PropertyResult {
    let check = fair.iter().copied().fold(Check::new(model), Check::fair);
    let report = check.ltl(formula).without_declared_fairness().run();
    report.expect("an answer").properties.remove(0)
}

/// Verdict, and the length of the shortest run.
fn gist(result: &PropertyResult) -> (&'static str, Option<usize>) {
    let length = match &result.verdict {
        Verdict::Violated(Some(run)) => Some(run.len()).filter(|_| run.shortest),
        _ => None,
    };
    (result.verdict.word(), length)
}

#[test]
fn a_model_in_rust_answers_as_the_same_model_in_promela() {
    // Names for expressions of the model, and formulas over the names.
    type Row<'r> = (&'r str, &'r [(&'r str, &'r str)], &'r [&'r str], &'r str);
    let rows: [Row<'_>; 6] = [
        (
            "semaphore.pml",
            &[("w", "process[0]@waiting"), ("c", "process[0]@critical")],
            &["[] (w -> <> c)", "[] <> c", "[] (c -> once w)"],
            "strong:process@waiting",
        ),
        (
            "peterson.pml",
            &[("t", "process[0]@trying"), ("c", "process[0]@critical")],
            &["[] (t -> <> c)", "<> t", "[] !c"],
            "weak:process[0]",
        ),
        (
            "philosophers.pml",
            &[("h", "phil[0]@hungry"), ("e", "phil[0]@eating")],
            &["[] (h -> <> e)", "[] (e -> <> !e)"],
            "strong:phil[1]",
        ),
        (
            "handshake.pml",
            &[("s", "served")],
            &["<> s", "[] <> s"],
            "weak:client",
        ),
        (
            "alternating_bit.pml",
            &[("d", "receiver[1]@delivered"), ("f", "len(data) > 0")],
            &["[] <> d", "[] (f -> <> d)"],
            "weak:receiver",
        ),
        (
            "readers_writers.pml",
            &[("a", "writer[2]@asking"), ("i", "writer[2]@inside")],
            &["[] (a -> <> i)", "<> [] !i"],
            "strong:reader",
        ),
    ];
    let mut compared = 0;
    for (name, atoms, formulas, other) in rows {
        let promela = load(name);
        let rust = Model::of_rust(mirror(name, atoms)).expect("a small model");
        for formula in formulas {
            let mut spelled = formula.to_string();
            for (short, expression) in atoms {
                // Names are single letters that occur in no operator.
                spelled = spelled
                    .split(' ')
                    .map(|word| {
                        let bare = word.trim_matches(['(', ')', '!']);
                        match bare == *short {
                            true => word.replace(short, &format!("({expression})")),
                            false => word.to_string(),
                        }
                    })
                    .collect::<Vec<_>>()
                    .join(" ");
            }
            for fair in [&[][..], &["weak"], &["strong"], &["spin-weak"], &[other]] {
                let expected = gist(&ask(&promela, &spelled, fair));
                let found = gist(&ask(&rust, formula, fair));
                assert_eq!(found, expected, "{name}: {spelled} under {fair:?}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 70);
}

#[test]
fn the_symbolic_engine_learns_models_in_rust() {
    let atoms = [("w", "process[0]@waiting"), ("c", "process[0]@critical")];
    for name in ["semaphore.pml", "peterson.pml"] {
        let atoms = match name {
            "semaphore.pml" => atoms,
            _ => [("w", "process[0]@trying"), ("c", "process[0]@critical")],
        };
        let rust = Model::of_rust(mirror(name, &atoms)).expect("a small model");
        let mut violated = 0;
        for fair in [&[][..], &["weak"], &["strong"], &["spin-weak"]] {
            let ask = |engine: &str| {
                let check = fair.iter().copied().fold(Check::new(&rust), Check::fair);
                let names = ["assertions", "deadlock", "feasible"];
                let check = names.into_iter().fold(check, Check::property);
                let check = check.ltl("[] (w -> <> c)").ltl("<> c");
                let trees = ["AG EF c", "E G !c", "AG (c -> A O w)"];
                let check = trees.into_iter().fold(check, Check::ctl);
                let report = check.engine(engine).run().expect("an answer");
                let words = report.properties.iter();
                words.map(|p| p.verdict.word()).collect::<Vec<_>>()
            };
            let found = ask("symbolic");
            assert_eq!(found, ask("streett"), "{name} under {fair:?}");
            violated += found.iter().filter(|word| **word == "violated").count();
        }
        assert!(violated > 3, "{name}");
    }
}

#[test]
fn ends_are_judged_by_the_model() {
    let verdicts = |name: &str| {
        let rust = Model::of_rust(mirror(name, &[])).expect("a small model");
        let report = Check::new(&rust).run().expect("an answer");
        let words = report.properties.iter();
        words.map(|p| p.verdict.word()).collect::<Vec<_>>()
    };
    assert_eq!(verdicts("philosophers.pml"), ["holds", "violated"]);
    assert_eq!(verdicts("semaphore.pml"), ["holds", "holds"]);
}

#[test]
fn advice_on_a_rust_model_is_that_on_the_instances_of_the_promela_model() {
    let ask = |model: &Model, formula: &str, by: Granularity| {
        let report = Advise::new(model).ltl(formula).by(by).run();
        let report = report.expect("an answer");
        let advice = &report.advice[0];
        assert_eq!(advice.outcome, Outcome::Needs);
        assert!(advice.complete);
        let assignments = advice.assignments.iter().map(|a| a.fairness.clone());
        assignments.collect::<Vec<_>>()
    };
    let atoms = [("w", "process[0]@waiting"), ("c", "process[0]@critical")];
    let rust = Model::of_rust(mirror("semaphore.pml", &atoms)).expect("a small model");
    let found = ask(&rust, "G (w -> F c)", Granularity::Type);
    let formula = "[] (process[0]@waiting -> <> process[0]@critical)";
    let promela = load("semaphore.pml");
    assert_eq!(found, ask(&promela, formula, Granularity::Instance));
    assert!(!found.is_empty());
}

/// A light that flickers until somebody holds the switch; fairness is declared over propositions.
struct Light;

#[derive(Clone)]
struct State {
    on: bool,
    held: bool,
}
pack_fields!(State { on, held });

impl RustModel for Light {
    type State = State;

    fn processes(&self) -> Vec<String> {
        vec!["light".into()]
    }

    fn actions(&self) -> Vec<ModelAction> {
        vec![ModelAction::new(0, "flicker"), ModelAction::new(0, "hold")]
    }

    fn initial(&self) -> Vec<State> {
        vec![State {
            on: false,
            held: false,
        }]
    }

    fn steps(&self, state: &State, steps: &mut Steps<State>) {
        let State { on, held } = *state;
        steps.step(0, 0, State { on: !on, held });
        if on {
            steps.step(0, 1, State { on, held: true });
        }
    }

    fn propositions(&self) -> Vec<String> {
        vec!["on".into(), "held".into()]
    }

    fn holds(&self, proposition: PropositionId, state: &State) -> bool {
        match proposition.0 {
            0 => state.on,
            _ => state.held,
        }
    }

    fn compassion(&self) -> Vec<Compassion> {
        vec![Compassion {
            when: PropositionId(0),
            then: PropositionId(1),
        }]
    }

    fn properties(&self) -> Vec<(String, String)> {
        vec![("held".into(), "G F on -> F held".into())]
    }
}

#[test]
fn declared_conditions_count_unless_they_are_left_out() {
    let model = Model::of_rust(Light).expect("a small model");
    let verdict = |check: Check<'_>| {
        let report = check.run().expect("an answer");
        report.properties[0].verdict.word()
    };
    let held = Check::new(&model).property("held");
    assert_eq!(verdict(held.clone()), "holds");
    let held = held.without_declared_fairness();
    assert_eq!(verdict(held.clone()), "violated");
    assert_eq!(verdict(held.clone().fair("just:held")), "holds");
    assert_eq!(verdict(held.fair("strong:light@hold")), "holds");
}

#[test]
fn what_has_no_meaning_is_said() {
    let model = Model::of_rust(Light).expect("a small model");
    let message = |check: Check<'_>| match check.run() {
        Err(CheckError::Unresolved(Unresolved::Wrong(wrong))) => {
            wrong.diagnostics[0].message.clone()
        }
        Err(CheckError::Unresolved(Unresolved::NoProperty { name, .. })) => {
            format!("unknown {name}")
        }
        other => panic!("{other:?}"),
    };
    let formula = |text: &str| Check::new(&model).ltl(text);
    let fair = |text: &str| formula("F on").fair(text);
    assert_eq!(message(formula("F of")), "there is no proposition `of`");
    assert_eq!(
        message(formula("F (on")),
        "expected `)` or an operator, found the end"
    );
    assert!(message(formula("A F on")).contains("CTL*"));
    assert_eq!(message(fair("weak:lihgt")), "there is no process `lihgt`");
    assert_eq!(
        message(fair("weak:light@hould")),
        "there is no action of `light` `hould`"
    );
    assert_eq!(message(fair("just:dark")), "there is no proposition `dark`");
    assert_eq!(
        message(fair("compassion:on")),
        "compassion needs two expressions with `=>` between them"
    );
    assert_eq!(message(fair("fast")), "`fast` is no fairness assumption");
    let progress = Check::new(&model).property("progress");
    assert_eq!(message(progress), "unknown progress");
}
