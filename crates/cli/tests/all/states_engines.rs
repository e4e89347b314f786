//! The numbers of `evenhand states` are the same whether states are counted one by one or by sets:
//! on the example models, and on random Promela and SMV models.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use evenhand::census::count;
use evenhand::{Language, Model, Promela, Silent, Smv};
use evenhand_explicit::search::{Options, explore};
use evenhand_system::Wanted;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;
use evenhand_testkit::smv_models::checked_model;
use evenhand_verify::Asking;

fn cases(default: u64) -> u64 {
    let asked = std::env::var("EVENHAND_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Compares the numbers of a model; whether there were some.
fn compare(model: &Model, about: &str) -> bool {
    let options = Options {
        limit_states: Some(5000),
        ..Options::default()
    };
    let Ok(system) = model.body().explicit() else {
        return false;
    };
    let found = explore(system, &options, &mut |_| true);
    if found.stop.is_some() {
        return false;
    }
    let mut options = evenhand::Options::default();
    options.limit_memory = Some(1 << 28);
    options.limit_time = Some(Duration::from_secs(20));
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(Vec::new());
    let nothing = asking.resolve(model.specification());
    let nothing = nothing.unwrap_or_else(|error| panic!("{error}: {about}"));
    let census = count(&nothing.body, &options, &mut Silent);
    let census = census.unwrap_or_else(|halt| panic!("{halt}: {about}"));
    let states = Some(u128::from(found.progress.states));
    assert_eq!(census.states.exact, states, "{about}");
    assert_eq!(census.depth, found.depth, "{about}");
    let is_defined = census.missing.is_empty() || model.signature().language == "promela";
    if is_defined {
        let transitions = Some(u128::from(found.progress.transitions));
        assert_eq!(census.transitions, transitions, "{about}");
        assert_eq!(
            census.deadlocks,
            Some(u128::from(found.deadlocks)),
            "{about}"
        );
    }
    is_defined
}

fn parse(name: &str, text: &str, language: &dyn Language) -> Option<Model> {
    Model::parse(name, text, language).ok()
}

#[test]
fn example_models_have_the_same_numbers() {
    let languages: [(&str, &dyn Language); 2] = [("promela", &Promela), ("smv", &Smv)];
    for (folder, language) in languages {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        for entry in std::fs::read_dir(models.join(folder))
            .expect("models")
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".txt") {
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).expect("a model");
            let model = parse(&name, &text, language).expect("a correct model");
            assert!(compare(&model, &name), "{name}");
        }
    }
}

#[test]
fn random_programs_have_the_same_numbers() {
    let mut compared = 0;
    for seed in 1..=cases(120) {
        let text = TemporalProgram::generate(seed, 0, 0).text();
        if let Some(model) = parse("m.pml", &text, &Promela) {
            compared += u64::from(compare(&model, &format!("seed {seed}\n{text}")));
        }
    }
    println!("{compared} programs");
    assert!(compared * 2 > cases(120));
}

#[test]
fn random_relations_have_the_same_numbers() {
    let mut compared = 0;
    for seed in 1..=cases(120) {
        let text = checked_model(seed).text;
        if let Some(model) = parse("m.smv", &text, &Smv) {
            compared += u64::from(compare(&model, &format!("seed {seed}\n{text}")));
        }
    }
    println!("{compared} models");
    // The others are too large to be explored for this.
    assert!(compared * 4 > cases(120));
}

#[test]
fn the_command_has_the_same_fields() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela/philosophers.pml");
    let call = |engine: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
            .args(["states", "--format", "json", "--engine", engine])
            .arg(&model)
            .output()
            .expect("the command runs");
        assert!(output.status.success());
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
    };
    let (one, other) = (call("auto"), call("symbolic"));
    for field in ["states", "transitions", "deadlocks", "depth", "complete"] {
        assert_eq!(one[field], other[field], "{field}");
    }
    let fields = one.as_object().expect("an object");
    assert!(fields.keys().all(|field| other.get(field).is_some()));
}
