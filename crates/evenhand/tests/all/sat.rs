//! The engine that looks for runs with a SAT solver, beside the one that explores state by state.
//!
//! A violated formula of linear time has a run that is executed again and judged, and as long as the shortest that the other engine
//! proves; what is proved by induction holds there too. Public models stand beside the repository; where they are
//! missing the test is skipped with a message.

use std::path::Path;
use std::time::Duration;

use evenhand::{CheckError, Files, Kind, Model, PropertyResult, Smv, Verdict};
use evenhand_testkit::smv_models::checked_model;

use crate::common::{Asked, cases, first_seed};

fn ask(model: &Model, asked: &Asked, engine: &str) -> Result<Vec<PropertyResult>, CheckError> {
    let mut asked = asked.clone().by(engine);
    asked.options.limit_time = Some(Duration::from_secs(20));
    asked.options.limit_memory = Some(1 << 30);
    if engine == "sat" {
        asked.options.max_depth = Some(30);
    } else {
        asked.options.limit_states = Some(50_000);
    }
    asked.run(model).map(|report| report.properties)
}

/// Everything that stands in a model.
fn everything(model: &Model, engine: &str) -> Vec<PropertyResult> {
    ask(model, &Asked::default(), engine).unwrap_or_else(|error| panic!("{engine}: {error:?}"))
}

/// The engines agree about a property; the length of the run that both found to be shortest, if they did.
fn compare(here: &PropertyResult, there: &PropertyResult) -> Result<Option<usize>, String> {
    let name = &here.name;
    match (&here.verdict, &there.verdict) {
        (Verdict::Violated(Some(own)), Verdict::Violated(Some(other))) => {
            let is_proved = own.shortest && other.shortest;
            match own.len() == other.len() || !is_proved {
                true => Ok(is_proved.then_some(own.len())),
                false => Err(format!("{name}: {} steps, not {}", own.len(), other.len())),
            }
        }
        (Verdict::Violated(None), Verdict::Violated(_)) => Err(format!("{name} has no run")),
        (Verdict::Unknown(_), Verdict::Violated(Some(other))) if here.kind == Kind::Ltl => {
            match other.len() > 30 || !other.shortest {
                true => Ok(None),
                false => Err(format!("{name}: no run of {} steps was found", other.len())),
            }
        }
        (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => Ok(None),
        (own, other) if own.word() == other.word() => Ok(None),
        (own, other) => Err(format!("{name} {} and not {}", own.word(), other.word())),
    }
}

#[test]
fn runs_are_as_short_as_those_found_state_by_state() {
    let (mut compared, mut shortest, mut proved, mut seed) = (0, 0, 0, first_seed(1));
    while compared < cases(80) {
        let text = checked_model(seed).text;
        seed += 1;
        let Ok(model) = Model::parse("m.smv", &*text, &Smv) else {
            continue;
        };
        compared += 1;
        let (found, expected) = (everything(&model, "sat"), everything(&model, "streett"));
        for (here, there) in found.iter().zip(&expected) {
            assert_eq!(here.name, there.name);
            match compare(here, there) {
                Ok(length) => shortest += u64::from(length.is_some()),
                Err(wrong) => panic!("seed {}: {wrong}\n{text}", seed - 1),
            }
            proved += u64::from(here.verdict.holds());
        }
    }
    println!(
        "{compared} models, {shortest} shortest runs, {proved} proved, last seed {}",
        seed - 1
    );
    assert!(shortest * 5 >= compared && proved > 0);
}

/// Formulas over the first atoms of the properties of a model; none if it has too few.
fn formulas(path: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut files = Files::new();
    let main = files.add("m.smv", &*text);
    let model = evenhand_smv::load(files, main).ok()?;
    let atoms = model
        .formulas
        .atoms()
        .map(|(_, atom)| format!("({})", atom.text));
    let atoms: Vec<String> = atoms.collect();
    let (a, b) = (atoms.first()?, atoms.last()?);
    Some(vec![
        format!("G {a}"),
        format!("F !{b}"),
        format!("G ({a} -> X F {b})"),
        format!("G F {a} -> F G {b}"),
        format!("G ({b} -> O !{a})"),
        format!("! F ({a} & Y (!{a} S {b}))"),
        format!("F G ({a} <-> {b}) | F G ({a} <-> !{b})"),
    ])
}

/// No formula of linear time that stands in a public model is violated, so others are asked: about what their
/// properties are about.
#[test]
fn public_models_have_the_shortest_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/smv");
    let Ok(table) = std::fs::read_to_string(root.join("expected.jsonl")) else {
        println!("SKIPPED: no public SMV models beside the repository");
        return;
    };
    let most = std::env::var("EVENHAND_CORPUS_STATES").ok();
    let most: f64 = most.and_then(|n| n.parse().ok()).unwrap_or(40.0);
    let (mut lengths, mut wrong, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for line in table.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row");
        let states = row["reachable"]
            .as_str()
            .and_then(|n| n.parse::<f64>().ok());
        let file = row["file"].as_str().unwrap_or_default().to_string();
        if states.is_some_and(|n| n <= most) && !files.contains(&file) {
            files.push(file);
        }
    }
    for file in &files {
        let (Ok(model), Some(formulas)) =
            (Model::load(root.join(file)), formulas(&root.join(file)))
        else {
            continue;
        };
        let mut asked = Asked::default();
        asked.asking.request.linear = formulas;
        let (found, expected) = (ask(&model, &asked, "sat"), ask(&model, &asked, "streett"));
        // Atoms of modules have no meaning outside of them.
        let (Ok(found), Ok(expected)) = (found, expected) else {
            continue;
        };
        for (here, there) in found.iter().zip(&expected) {
            match compare(here, there) {
                Ok(length) => lengths.extend(length),
                Err(why) => wrong.push(format!("{file}: {why}: {:?}", here.formula)),
            }
        }
    }
    lengths.sort_unstable();
    println!(
        "{} models, {} shortest runs: {lengths:?}",
        files.len(),
        lengths.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lengths.len() > 20);
}

/// Small models under compassion on which others were wrong: their own formulas.
#[test]
fn compassion_has_the_shortest_runs() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/kprs/compassion-traps");
    let Ok(folder) = std::fs::read_dir(root) else {
        println!("SKIPPED: no models under compassion beside the repository");
        return;
    };
    let mut lengths = Vec::new();
    for file in folder {
        let file = file.expect("a file").path();
        let Ok(model) = Model::load(&file) else {
            continue;
        };
        let (found, expected) = (everything(&model, "sat"), everything(&model, "streett"));
        for (here, there) in found.iter().zip(&expected) {
            match compare(here, there) {
                Ok(length) => lengths.extend(length),
                Err(why) => panic!("{}: {why}", file.display()),
            }
        }
    }
    println!("{lengths:?}");
    assert!(lengths.len() > 3);
}

#[test]
fn what_it_cannot_do_is_said() {
    let text = "MODULE main VAR x: 0..3; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4; \
        CTLSPEC AG EF x = 0 LTLSPEC G F x = 3 LTLSPEC G x < 3 INVARSPEC x < 4";
    let model = Model::parse("m.smv", text, &Smv).expect("a model");
    let said: Vec<(String, String)> = everything(&model, "sat")
        .iter()
        .map(|result| {
            let told = match &result.verdict {
                Verdict::Unknown(why) => why.to_string(),
                Verdict::Violated(Some(run)) => format!("{} steps", run.len()),
                verdict => verdict.word().to_string(),
            };
            (result.name.clone(), told)
        })
        .collect();
    let of = |name: &str| {
        &said
            .iter()
            .find(|(own, _)| own == name)
            .expect("it was asked")
            .1
    };
    assert!(of("ctl_0").contains("branching time"), "{}", of("ctl_0"));
    assert_eq!(
        of("ltl_0"),
        "no counterexample has at most 30 steps; longer runs were not looked at"
    );
    assert_eq!(of("ltl_1"), "4 steps");
    assert_eq!(of("invar_0"), "holds");
    assert_eq!(of("total"), "holds");

    let model = Model::parse("m.pml", "active proctype p() { skip }", &evenhand::Promela);
    let refused = Asked::default().by("sat").run(&model.expect("a model"));
    let Err(CheckError::Engine(why)) = refused else {
        panic!("{refused:?}");
    };
    assert!(why.contains("not given by constraints"), "{why}");
}

#[test]
fn a_limit_ends_in_unknown_with_a_bound() {
    let text = "MODULE main VAR x: unsigned word[40]; y: unsigned word[40]; \
        ASSIGN init(x) := 0ud40_1; init(y) := 0ud40_3; next(x) := x * y + 0ud40_7; next(y) := y * x; \
        LTLSPEC F G x = y INVARSPEC x != 0ud40_99";
    let model = Model::parse("m.smv", text, &Smv).expect("a model");
    let mut asked = Asked::default().by("sat");
    asked.options.limit_time = Some(Duration::from_millis(600));
    let begun = std::time::Instant::now();
    let report = asked.run(&model).expect("an answer");
    assert!(begun.elapsed() < Duration::from_secs(20));
    for result in report
        .properties
        .iter()
        .filter(|result| result.name != "total")
    {
        let Verdict::Unknown(why) = &result.verdict else {
            panic!("{} {}", result.name, result.verdict.word());
        };
        let why = why.to_string();
        assert!(why.contains("no counterexample has fewer than"), "{why}");
    }
}
