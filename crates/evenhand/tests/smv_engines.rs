//! Every engine gives the same answers about random SMV models with justice and compassion.
//!
//! The engines that explore state by state, and the symbolic one with each of its ways to handle
//! compassion. A violated formula of linear time must come with a run, which both sides execute again
//! and judge; what they prove about its length agrees.

use std::time::Duration;

use evenhand::check::{CheckError, CheckOptions, Silent, check};
use evenhand::model::{Language, LoadOptions, Model};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_symbolic::CompassionAs;
use evenhand_testkit::smv_models::checked_model;

fn cases(default: u64) -> u64 {
    let asked = std::env::var("EVENHAND_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn ask(text: &str, engine: &str, compassion: CompassionAs) -> Result<Vec<PropertyResult>, String> {
    let options = LoadOptions::default();
    let model = Model::parse("m.smv", text.into(), Language::Smv, &options);
    let mut model = model.map_err(|error| error.diagnostics[0].message.clone())?;
    let options = CheckOptions {
        engine: Some(engine.to_string()),
        compassion,
        properties: Vec::new(),
        budget: Some(Duration::from_millis(200)),
        limit_time: Some(Duration::from_secs(10)),
        limit_memory: Some(512 << 20),
        ..CheckOptions::default()
    };
    match check(&mut model, &options, &mut Silent) {
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
        Verdict::Violated(run) if result.kind == "ltl" => {
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
    if one.kind != "ltl" {
        return None;
    }
    assert!(a.lower_bound <= b.len() && b.lower_bound <= a.len());
    // Where one side proves it, so does the other.
    (a.shortest || b.shortest).then_some(a.shortest && b.shortest)
}

#[test]
fn engines_agree() {
    let first: u64 = std::env::var("EVENHAND_SEED").map_or(1, |n| n.parse().unwrap_or(1));
    let (count, mut compared, mut violated) = (cases(60), 0, 0);
    let (mut proved, mut unproved) = (0, 0);
    let mut seed = first;
    while compared < count {
        let model = checked_model(seed);
        seed += 1;
        let Ok(expected) = ask(&model.text, "streett", CompassionAs::Native) else {
            continue;
        };
        let mut others = vec![CompassionAs::Native];
        if model.compassion {
            others.extend([CompassionAs::Justice, CompassionAs::Antecedent]);
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
