//! Every engine gives the same answers about random SMV models with justice and compassion.
//!
//! The engines that explore state by state, and the symbolic one with each of its ways to handle
//! compassion. A violated formula of linear time must come with a run, which both sides execute
//! again and judge; what they prove about its length agrees.

use std::time::Duration;

use evenhand::Verdict;
use evenhand::{CheckError, CompassionBy, Files, Kind, Model, PropertyResult, Smv, Unresolved};
use evenhand_testkit::promela_programs::branching::automaton;
use evenhand_testkit::promela_programs::random::Random;
use evenhand_testkit::smv_models::checked_model;

use crate::common::{Asked, automaton_text, cases, first_seed};

fn ask(text: &str, engine: &str, compassion: CompassionBy) -> Result<Vec<PropertyResult>, String> {
    let model = Model::parse("m.smv", text, &Smv).map_err(|error| error.to_string())?;
    let mut asked = Asked::default().by(engine);
    asked.options.compassion = compassion;
    asked.options.budget = Some(Duration::from_millis(200));
    asked.options.limit_time = Some(Duration::from_secs(10));
    asked.options.limit_memory = Some(512 << 20);
    match asked.run(&model) {
        Ok(report) => Ok(report.properties),
        Err(CheckError::Replay(error)) => panic!("{engine} {compassion:?}: {error:?}\n{text}"),
        Err(error) => panic!("{engine}: {error:?}\n{text}"),
    }
}

/// Answers in a form that can be compared; none where a limit was reached.
fn said(result: &PropertyResult) -> Option<String> {
    match &result.verdict {
        Verdict::Unknown(_) => None,
        verdict => Some(format!("{} {:?}", verdict.word(), result.value)),
    }
}

fn has_run(result: &PropertyResult) -> bool {
    match &result.verdict {
        Verdict::Violated(run) if result.kind == Kind::Ltl => {
            run.as_ref().is_some_and(|run| !run.cycle.is_empty())
        }
        _ => true,
    }
}

/// What both sides prove about the shortest run agrees; whether both proved all, if both have one.
fn both_shortest(one: &PropertyResult, other: &PropertyResult) -> Option<bool> {
    let (Verdict::Violated(Some(a)), Verdict::Violated(Some(b))) = (&one.verdict, &other.verdict)
    else {
        return None;
    };
    if one.kind != Kind::Ltl {
        return None;
    }
    assert!(a.lower_bound <= b.len() && b.lower_bound <= a.len());
    // Where one side proves it, so does the other.
    (a.shortest || b.shortest).then_some(a.shortest && b.shortest)
}

#[test]
fn engines_agree() {
    let first = first_seed(1);
    let (count, mut compared, mut violated) = (cases(60), 0, 0);
    let (mut proved, mut unproved) = (0, 0);
    let mut seed = first;
    while compared < count {
        let model = checked_model(seed);
        seed += 1;
        let Ok(expected) = ask(&model.text, "streett", CompassionBy::Algorithm) else {
            continue;
        };
        let mut others = vec![CompassionBy::Algorithm];
        if model.compassion {
            others.extend([CompassionBy::Justice, CompassionBy::Antecedent]);
        }
        for compassion in others {
            let found = ask(&model.text, "symbolic", compassion).expect("it was read before");
            for (one, other) in expected.iter().zip(&found) {
                assert_eq!(one.name, other.name);
                assert!(
                    has_run(one) && has_run(other),
                    "{}\n{}",
                    one.name,
                    model.text
                );
                let shortest = both_shortest(one, other);
                proved += u64::from(shortest == Some(true));
                unproved += u64::from(shortest == Some(false));
                if let (Some(one), Some(two)) = (said(one), said(other)) {
                    let name = &other.name;
                    assert_eq!(
                        one,
                        two,
                        "seed {}: {name}, {compassion:?}\n{}",
                        seed - 1,
                        model.text
                    );
                }
            }
        }
        compared += 1;
        let is_violated = |p: &PropertyResult| matches!(p.verdict, Verdict::Violated(_));
        violated += u64::from(is_violated(&expected[0]));
    }
    println!(
        "{compared} models, the property of {violated} violated, {proved} runs proved shortest on both \
         sides, {unproved} not, last seed {}",
        seed - 1
    );
    assert!(proved > 20 * unproved, "{proved} {unproved}");
    assert!(violated * 5 >= compared && violated * 5 <= compared * 4);
}

/// The first two atoms of the properties of a model; none if it is no model.
fn atoms_of(text: &str) -> Option<Vec<String>> {
    let mut files = Files::new();
    let main = files.add("m.smv", text);
    let model = evenhand_smv::load(files, main).ok()?;
    let atoms = model.formulas.atoms();
    Some(atoms.map(|(_, atom)| atom.text.clone()).take(2).collect())
}

/// The automata of bad and good runs over expressions of the model, on both sides.
#[test]
fn engines_agree_on_automata() {
    let (mut compared, mut violated, mut seed) = (0, 0, 1);
    while compared < cases(60) {
        let text = checked_model(seed).text;
        let mut random = Random::new(seed);
        seed += 1;
        let Some(atoms) = atoms_of(&text) else {
            continue;
        };
        let model = Model::parse("m.smv", &*text, &Smv).expect("it was read before");
        let bad = automaton(&mut random, &atoms);
        let mut asked = Asked::default();
        asked.asking.automata = vec![automaton_text("a", bad, random.percent(40))];
        asked.options.limit_time = Some(Duration::from_secs(10));
        asked.options.limit_states = Some(20_000);
        asked.options.limit_memory = Some(512 << 20);
        let mut words = Vec::new();
        for engine in ["streett", "symbolic"] {
            match asked.clone().by(engine).run(&model) {
                Ok(report) => {
                    let result = &report.properties[0];
                    if let Verdict::Violated(run) = &result.verdict {
                        assert!(run.is_some(), "{engine}\n{text}");
                    }
                    words.extend(said(result));
                }
                Err(CheckError::Unresolved(Unresolved::Wrong(_))) => {}
                Err(error) => panic!("seed {}, {engine}: {error:?}\n{text}", seed - 1),
            }
        }
        if let [one, two] = &words[..] {
            let automaton = &asked.asking.automata[0].text;
            assert_eq!(one, two, "seed {}\n{text}\n{automaton}", seed - 1);
            compared += 1;
            violated += u64::from(one.starts_with("violated"));
        }
    }
    println!("{compared} automata, {violated} of them accept a run");
    assert!(violated * 5 >= compared && violated * 5 <= compared * 4);
}
