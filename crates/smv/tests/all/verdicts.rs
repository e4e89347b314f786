//! Properties of linear time, decided by the explicit engine: the whole way from the text of a
//! model to a verdict, compared with NuSMV's.

use std::time::Duration;

use evenhand_automata::translate::{Options, translate};
use evenhand_explicit::emptiness::{Statistics, engines};
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_logic::Node;
use evenhand_smv::SmvModel;
use evenhand_system::PropositionId;
use evenhand_testkit::smv_models::nusmv::{find, verdict};
use evenhand_testkit::smv_models::verdict_model;

use crate::common::{cases, corpus, load};

/// Whether a property of linear time holds on all fair runs.
fn holds(model: &SmvModel, property: usize) -> bool {
    let mut formulas = model.formulas.clone();
    let negation = formulas.not(model.properties[property].formula);
    let translated = translate(&mut formulas, negation, &Options::streett()).expect("an automaton");
    let propositions: Vec<PropositionId> = translated
        .propositions
        .iter()
        .filter_map(|&p| match formulas.node(p) {
            Node::Atom(atom) => model.proposition(*atom),
            _ => None,
        })
        .collect();
    let fairness = model.fairness();
    let pairs = model.relation.compassion.iter();
    let fair = pairs.flat_map(|pair| [pair.when, pair.then]);
    let fair = fair.chain(model.relation.justice.iter().copied());
    let with_inputs = model.reads_inputs(propositions.iter().copied().chain(fair));
    let system = model.system(with_inputs).expect("a small model");
    let interest = Interest {
        propositions: &propositions,
        fairness: &fairness,
    };
    let bad = &translated.automaton;
    let mut space = Space::new(&system, interest, PlainStore::new());
    let marks = mark_count(&space, bad);
    with_width!(marks, W => {
        let places = propositions.iter().map(|&p| space.place_of(p).unwrap_or(usize::MAX));
        let places = places.collect();
        let mut product = Product::<PlainStore, W>::new(&mut space, bad, places, false)
            .unwrap_or_else(|_| panic!("a product"));
        let engine = engines::<W>().into_iter().next().expect("an engine");
        let mut observer = |_: &_| true;
        let mut watch = Watch::new(&mut observer, None, None);
        let found = engine.search(&mut product, &mut watch, &mut Statistics::default());
        found.expect("no limit").is_none()
    }, else panic!("too many marks"))
}

fn linear(model: &SmvModel) -> Vec<usize> {
    let list = model.properties.iter().enumerate();
    list.filter(|(_, p)| p.kind.word() == "ltl")
        .map(|(at, _)| at)
        .collect()
}

#[test]
fn traps_get_the_right_answers() {
    let Some(root) = corpus("kprs") else {
        println!("skipped: no programs of the paper beside the repository");
        return;
    };
    for (file, expected) in [
        ("ctl.smv", vec![true]),
        ("cx.smv", vec![false]),
        ("cx2.smv", vec![false]),
        ("min.smv", vec![false, true, false]),
    ] {
        let text = std::fs::read_to_string(root.join("compassion-traps").join(file)).expect(file);
        let model = load(&text).expect(file);
        let found: Vec<bool> = linear(&model)
            .into_iter()
            .map(|p| holds(&model, p))
            .collect();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn the_corpus_has_the_verdicts_of_nusmv() {
    let Some(root) = corpus("smv") else {
        println!("skipped: no corpus of SMV models beside the repository");
        return;
    };
    let text = std::fs::read_to_string(root.join("expected.jsonl")).expect("the expected verdicts");
    let mut compared = 0;
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row");
        let states = row["reachable"]
            .as_str()
            .and_then(|n| n.parse::<f64>().ok());
        if row["kind"] != "LTL" || states.is_none_or(|n| n > 3000.0) {
            continue;
        }
        let file = row["file"].as_str().expect("a file");
        let bytes = std::fs::read(root.join(file)).expect("a model");
        let mut model = load(&String::from_utf8_lossy(&bytes)).expect(file);
        let property = row["property"].as_str().expect("a property");
        let (formula, context) = property.split_once(" IN ").unwrap_or((property, ""));
        if !context.is_empty() {
            continue; // asked of an instance; the text is read in `main`
        }
        let asked = model.ask("asked", evenhand_smv::Asked::Ltl, formula);
        let asked = asked.unwrap_or_else(|(_, errors)| panic!("{property}: {errors:?}"));
        let expected = row["verdict"] == "true";
        assert_eq!(holds(&model, asked), expected, "{file}: {property}");
        compared += 1;
    }
    assert!(compared >= 5, "{compared}");
}

#[test]
fn random_models_have_the_verdicts_of_nusmv() {
    let Some(nusmv) = find() else {
        println!("skipped: no NuSMV (set EVENHAND_NUSMV)");
        return;
    };
    let file = std::env::temp_dir().join(format!("evenhand-verdicts-{}.smv", std::process::id()));
    let seed: u64 = std::env::var("EVENHAND_SEED").map_or(1, |n| n.parse().unwrap_or(1));
    let (mut yes, mut no, mut refused) = (0, 0, 0);
    let mut wrong = Vec::new();
    for seed in seed..seed + cases(60) {
        let text = verdict_model(seed);
        std::fs::write(&file, &text).expect("a temporary file");
        let (Ok(model), Ok(expected)) =
            (load(&text), verdict(&nusmv, &file, Duration::from_secs(20)))
        else {
            refused += 1;
            continue;
        };
        let found = holds(&model, 0);
        yes += usize::from(found);
        no += usize::from(!found);
        if found != expected {
            wrong.push(format!(
                "seed {seed}: {found:?}, NuSMV {expected:?}\n{text}"
            ));
        }
    }
    let _ = std::fs::remove_file(&file);
    println!("{yes} hold, {no} are violated, {refused} models refused or slow");
    let few: Vec<&str> = wrong.iter().take(4).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        few.join("\n")
    );
}
