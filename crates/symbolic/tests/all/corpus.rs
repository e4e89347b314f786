//! Models written by others: the verdicts, values and numbers of states that NuSMV gives.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use evenhand_smv::{SmvModel, SmvProperty, SmvPropertyKind};
use evenhand_symbolic::{Length, Options, Stop, Symbolic};
use serde_json::Value;

use crate::common::load;

/// Models that take the engine, and NuSMV too, from seconds to minutes: checked if the environment
/// has `EVENHAND_CORPUS=all`.
const SLOW: &[&str] = &[
    "abp/abp10.smv",
    "abp/abp11.smv",
    "msi/msi_wtrans.smv",
    "prod-cons/prod-cons.smv",
    "reactor/idle.smv",
];

/// Rows where the engine differs from NuSMV: the file, the beginning of the property, the reason.
const EXPLAINED: &[(&str, &str, &str)] = &[(
    "lab-6/petersons.smv",
    "EF",
    "both processes must move at once, so every run ends and no initial state has a fair run: an \
     `E` formula is false then, with a warning; NuSMV asks only the initial states with a fair run",
)];

fn corpus(name: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let path = root.join(name);
    path.is_dir().then_some(path)
}

fn of_kind<'m>(model: &'m SmvModel, kind: &str) -> Vec<&'m SmvProperty> {
    let word = kind.to_lowercase();
    let list = model.properties.iter();
    list.filter(|p| p.kind.word() == word).collect()
}

/// The verdict or value as NuSMV prints it.
fn ask(engine: &mut Symbolic, model: &SmvModel, property: &SmvProperty) -> Result<String, Stop> {
    let proposition = |atom| model.proposition(atom);
    let (store, f) = (&model.formulas, property.formula);
    let answer = match &property.kind {
        SmvPropertyKind::Invariant { step: Some(step) } => engine.step_invariant(*step)?,
        SmvPropertyKind::Invariant { step: None } => {
            let mut store = store.clone();
            let always = store.globally(f);
            let always = store.path(evenhand_logic::Quantifier::All, always);
            engine.ctl_star(&store, always, &proposition)?
        }
        SmvPropertyKind::Ltl | SmvPropertyKind::Psl { branching: false } => {
            engine.ltl(store, f, &proposition)?
        }
        SmvPropertyKind::Ctl | SmvPropertyKind::Psl { branching: true } => {
            engine.ctl_star(store, f, &proposition)?
        }
        SmvPropertyKind::Compute { minimum, to } => {
            let (length, _) = engine.compute(store, (f, *to), *minimum, &proposition)?;
            return Ok(match length {
                Length::Steps(n) => n.to_string(),
                Length::Infinite => "infinity".into(),
                Length::Undefined => "undefined".into(),
            });
        }
    };
    Ok(answer.holds.to_string())
}

#[test]
fn verdicts_values_and_states_are_those_of_nusmv() {
    let Some(root) = corpus("smv") else {
        println!("skipped: no corpus of SMV models beside the repository");
        return;
    };
    let text = std::fs::read_to_string(root.join("expected.jsonl")).expect("the expected verdicts");
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("a row");
        let file = row["file"].as_str().expect("a file").to_string();
        files.entry(file).or_default().push(row);
    }
    let all = std::env::var("EVENHAND_CORPUS").is_ok_and(|which| which == "all");
    let (mut wrong, mut compared, mut counted, mut late) = (Vec::new(), 0, 0, Vec::new());
    for (file, rows) in &files {
        let is_slow = SLOW.iter().any(|slow| file.ends_with(slow));
        if rows[0]["verdict"] == "rejected" || is_slow && !all {
            continue;
        }
        let started = Instant::now();
        let bytes = std::fs::read(root.join(file)).expect("a model");
        let model = load(&String::from_utf8_lossy(&bytes)).expect(file);
        let options = Options {
            time: Some(Duration::from_secs(600)),
            memory: 1 << 30,
            ..Options::default()
        };
        let mut engine = match Symbolic::new(&model.relation, options) {
            Ok(engine) => engine,
            Err(stop) => {
                late.push(format!("{file}: {stop}"));
                continue;
            }
        };
        if let Some(expected) = rows[0]["reachable"]
            .as_str()
            .and_then(|n| n.parse::<f64>().ok())
        {
            match engine.reachable() {
                Ok(found) if (found.states.about / expected - 1.0).abs() > 1e-5 => {
                    wrong.push(format!(
                        "{file}: {} states, not {expected}",
                        found.states.about
                    ));
                }
                Ok(_) => counted += 1,
                Err(stop) => late.push(format!("{file}: {stop}")),
            }
        }
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for row in rows {
            let Some(kind) = row["kind"].as_str() else {
                continue;
            };
            let at = places.entry(kind).or_default();
            let property = of_kind(&model, kind)[*at];
            *at += 1;
            let expected = row["verdict"].as_str().unwrap_or_default();
            let explained = EXPLAINED.iter().any(|(which, beginning, _)| {
                file.ends_with(which) && property.text.starts_with(beginning)
            });
            match ask(&mut engine, &model, property) {
                Ok(found) if found != expected && !explained => {
                    wrong.push(format!(
                        "{file}: {} is {found}, not {expected}",
                        property.text
                    ));
                }
                Ok(_) => compared += 1,
                Err(stop) => late.push(format!("{file}: {}: {stop}", property.text)),
            }
        }
        if started.elapsed() > Duration::from_secs(1) {
            println!("{file}: {:.1} s", started.elapsed().as_secs_f64());
        }
    }
    println!("{compared} verdicts and {counted} numbers of states compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(late.is_empty(), "{}", late.join("\n"));
    assert!(compared >= 140 && counted >= 30, "{compared} {counted}");
}

/// Small models with compassion on which NuSMV is wrong or never returns.
#[test]
fn traps_get_the_right_answers_and_a_lasso() {
    let Some(root) = corpus("kprs") else {
        println!("skipped: no programs of the paper beside the repository");
        return;
    };
    for (file, expected) in [
        ("ctl.smv", vec![("ctl", true), ("ltl", true)]),
        ("cx.smv", vec![("ltl", false)]),
        ("cx2.smv", vec![("ltl", false)]),
        (
            "min.smv",
            vec![("ltl", false), ("ltl", true), ("ltl", false)],
        ),
    ] {
        let text = std::fs::read_to_string(root.join("compassion-traps").join(file)).expect(file);
        let model = load(&text).expect(file);
        let mut engine = Symbolic::new(&model.relation, Options::default()).expect("small");
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (kind, holds) in expected {
            let at = seen.entry(kind).or_default();
            let property = of_kind(&model, kind)[*at];
            *at += 1;
            let proposition = |atom| model.proposition(atom);
            let answer = match kind {
                "ctl" => engine.ctl_star(&model.formulas, property.formula, &proposition),
                _ => engine.ltl(&model.formulas, property.formula, &proposition),
            };
            let answer = answer.expect("no limit");
            assert_eq!(answer.holds, holds, "{file}: {}", property.text);
            let lasso = answer.run.is_some_and(|run| run.turn.is_some());
            assert!(kind == "ctl" || lasso != holds, "{file}: {}", property.text);
        }
    }
}
